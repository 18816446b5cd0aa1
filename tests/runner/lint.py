"""Has Clippy check what the stage `build` built: each crate by the command that Cargo compiled it with.

    lint.py MESSAGES    what Cargo said of the build, as JSON

`cargo clippy` shares nothing with a build: it reads all crates that ours depend on once more, which takes it as long as
ours. `tests/runner/rustc` records the commands; a crate that was checked since it was built is not checked again. Where
a command is missing, because Cargo was called without that program, `cargo clippy` does the work.
"""

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WHOLE = ("cargo", "clippy", "--workspace", "--all-targets", "--quiet", "--", "--deny", "warnings")
# Arguments of rustc that say what is written, and how; those of the second kind have a value of their own.
OUTPUT = ("--error-format=", "--json=", "--emit=")
OUTPUT_WITH_VALUE = ("--out-dir",)


@dataclass
class Command:
    """A call of rustc, as recorded: its environment, folder and arguments."""

    file: Path
    environment: dict[str, str]
    folder: str
    arguments: list[str]

    @property
    def unit(self) -> tuple[str, bool]:
        """The source, and whether its unit tests are compiled. A program of tests alone, for which only Cargo sets the
        name of its folder for scratch files, may be compiled with a harness or without."""
        source = next(argument for argument in self.arguments[1:] if argument.endswith(".rs"))
        is_unit = "--test" in self.arguments and "CARGO_TARGET_TMPDIR" not in self.environment
        return os.path.join(self.folder, source), is_unit

    def for_clippy(self, out: str) -> list[str]:
        """The same call of Clippy, which writes into a folder of its own."""
        kept, skips = [], False
        for argument in self.arguments[1:]:
            if skips or argument in OUTPUT_WITH_VALUE:
                skips = not skips
            elif argument.startswith("incremental=") and kept[-1] == "-C":
                kept.pop()
            elif not argument.startswith(OUTPUT):
                kept.append(argument)
        return ["clippy-driver", *kept, "--emit=metadata", "--out-dir", out, "--deny", "warnings"]


def recorded(file: Path) -> Command:
    environment, _, rest = file.read_text(errors="surrogateescape").partition("\0\0")
    folder, *arguments = rest.removesuffix("\0").split("\0")
    variables = dict(variable.split("=", 1) for variable in environment.split("\0"))
    # They speak of pipes to the Cargo that has ended.
    for name in ("CARGO_MAKEFLAGS", "MAKEFLAGS", "MFLAGS"):
        variables.pop(name, None)
    return Command(file, variables, folder, arguments)


def built(messages: str) -> dict[tuple[str, bool], list[Path]]:
    """The files of each crate of ours, by source and whether they have its unit tests."""
    units: dict[tuple[str, bool], list[Path]] = {}
    for line in messages.splitlines():
        message = json.loads(line) if line.startswith("{") else {}
        if message.get("reason") == "compiler-artifact" and message["package_id"].startswith("path+file://"):
            target = message["target"]
            unit = target["src_path"], message["profile"]["test"] and target["kind"] != ["test"]
            units.setdefault(unit, []).extend(map(Path, message["filenames"]))
    return units


def unchecked(messages: str, root: Path) -> list[Command]:
    """The commands of what was built and not checked since; LookupError if one is not recorded."""
    units = built(messages)
    if not units or '"reason":"build-finished","success":true' not in messages:
        raise LookupError("the build failed")
    folders = {file.parent.parent / "lint" for files in units.values() for file in files}
    folders |= {file.parent / "lint" for files in units.values() for file in files}
    files = [file for folder in folders for file in folder.glob("*") if file.suffix != ".checked"]
    # Of two commands for a source, the later one made what is there.
    commands = {
        command.unit: command for command in map(recorded, sorted(files, key=lambda file: file.stat().st_mtime))
    }
    if missing := units.keys() - commands.keys():
        raise LookupError(f"it is not recorded how {sorted(missing)[0][0]} was built")
    settings = (root / "clippy.toml").stat().st_mtime

    def is_checked(unit: tuple[str, bool]) -> bool:
        mark = commands[unit].file.with_suffix(".checked")
        since = max(settings, *(file.stat().st_mtime for file in units[unit]))
        return mark.exists() and mark.stat().st_mtime > since

    return [commands[unit] for unit in units if not is_checked(unit)]


def main() -> int:
    try:
        commands = unchecked(Path(sys.argv[1]).read_text(), ROOT)
    except LookupError as why:
        print(f"{why}: `cargo clippy` checks everything", flush=True)
        return subprocess.run(WHOLE, cwd=ROOT, check=False).returncode
    failed = 0
    with tempfile.TemporaryDirectory() as out:
        for command in commands:
            asked = command.for_clippy(out)
            ran = subprocess.run(asked, cwd=command.folder, env=command.environment, check=False)
            if ran.returncode == 0:
                command.file.with_suffix(".checked").touch()
            failed |= ran.returncode
    return failed


if __name__ == "__main__":
    sys.exit(main())
