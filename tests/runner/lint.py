"""Has Clippy check what the stage `build` builds: each crate by the command that Cargo compiled it with.

    lint.py MESSAGES    what Cargo says of the build, as JSON; a crate is checked as soon as it is built

`cargo clippy` shares nothing with a build: it reads all crates that ours depend on once more, which takes it as long as
ours. `tests/runner/rustc` records the commands; a crate that was checked since it was built is not checked again. Where
a command is missing, because Cargo was called without that program, `cargo clippy` does the work.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WHOLE = ("cargo", "clippy", "--workspace", "--all-targets", "--quiet", "--", "--deny", "warnings")
# Seconds between two reads of Cargo's messages.
PAUSE = 0.2
# Arguments of rustc for its output; those of the second kind are followed by their value.
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
        """The same command for Clippy, with another output folder."""
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
    # They name pipes to a Cargo that has ended.
    for name in ("CARGO_MAKEFLAGS", "MAKEFLAGS", "MFLAGS"):
        variables.pop(name, None)
    return Command(file, variables, folder, arguments)


def lines(messages: Path) -> Iterator[str]:
    """The lines of a file that is being written, until the line that ends the build."""
    line = ""
    with messages.open() as file:
        while '"reason":"build-finished"' not in line:
            line += file.readline()
            if not line.endswith("\n"):
                time.sleep(PAUSE)
                continue
            yield line
            if '"reason":"build-finished"' not in line:
                line = ""


def artifact(line: str) -> tuple[tuple[str, bool], list[Path]] | None:
    """Parses the message about a built crate of ours: its source, whether it has the unit tests, and its files."""
    message = json.loads(line) if line.startswith("{") else {}
    if message.get("reason") != "compiler-artifact" or not message["package_id"].startswith("path+file://"):
        return None
    target = message["target"]
    unit = target["src_path"], message["profile"]["test"] and target["kind"] != ["test"]
    return unit, [Path(name) for name in message["filenames"]]


def command_of(unit: tuple[str, bool], made: list[Path]) -> Command:
    """The recorded command that made these files. Raises LookupError if there is none."""
    folders = {folder / "lint" for file in made for folder in (file.parent, file.parent.parent)}
    files = [file for folder in folders for file in folder.glob("*") if file.suffix not in (".checked", ".part")]
    # If a source was compiled twice, the later command made the files.
    for file in sorted(files, key=lambda file: -file.stat().st_mtime):
        command = recorded(file)
        if command.unit == unit:
            return command
    raise LookupError(f"it is not recorded how {unit[0]} was built")


def unchecked(messages: Iterable[str], root: Path) -> Iterator[Command]:
    """The commands of crates that were built but not checked since. Raises LookupError if one is not recorded."""
    settings = (root / "clippy.toml").stat().st_mtime
    for line in messages:
        if '"reason":"build-finished"' in line and '"success":true' not in line:
            raise LookupError("the build failed")
        if (found := artifact(line)) is None:
            continue
        unit, files = found
        command = command_of(unit, files)
        mark = command.file.with_suffix(".checked")
        if not mark.exists() or mark.stat().st_mtime <= max(settings, *(file.stat().st_mtime for file in files)):
            yield command


def main() -> int:
    failed = checked = 0
    try:
        with tempfile.TemporaryDirectory() as out:
            for command in unchecked(lines(Path(sys.argv[1])), ROOT):
                asked = command.for_clippy(out)
                ran = subprocess.run(asked, cwd=command.folder, env=command.environment, check=False)
                if ran.returncode == 0:
                    command.file.with_suffix(".checked").touch()
                failed |= ran.returncode
                checked += 1
    except LookupError as why:
        print(f"{why}: `cargo clippy` checks everything", flush=True)
        return subprocess.run(WHOLE, cwd=ROOT, check=False).returncode
    print(f"{checked} crates were checked; nothing of the others has changed since they were")
    return failed


if __name__ == "__main__":
    sys.exit(main())
