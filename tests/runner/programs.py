"""Rust test programs: what cargo built, the tests in each, and running some of them in a process."""

import hashlib
import json
import os
import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from priority import gives_way

RESULT = re.compile(r"^test (?P<name>.+?)( - should panic)? *\.\.\. (?P<result>ok|FAILED|ignored)")
CURRENT = re.compile(r"^test (?P<name>.+?)( - should panic)? *\.\.\. ")
# Assumed CPU seconds of a test that has not run before.
UNKNOWN = 0.3
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Program:
    """A test program as cargo built it."""

    package: str
    source: str  # relative to the package
    executable: Path
    folder: Path  # of the package
    rerun: str  # the arguments of `cargo test` that run it alone
    variables: dict[str, str] = field(default_factory=dict, compare=False)  # of its environment, beside ours

    @property
    def key(self) -> str:
        return f"{self.package} {self.source}"

    def environment(self) -> dict[str, str]:
        """The environment variables that Cargo sets for tests."""
        return {**os.environ, **self.variables, "CARGO_MANIFEST_DIR": str(self.folder), "CARGO_PKG_NAME": self.package}

    def tests(self) -> list[str]:
        """The names of its tests."""
        listed = subprocess.run(
            [self.executable, "--list", "--format", "terse"],
            cwd=self.folder,
            env=self.environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        if listed.returncode != 0:
            raise RuntimeError(f"{self.key} does not list its tests:\n{listed.stdout}{listed.stderr}")
        tests = [line.removesuffix(": test") for line in listed.stdout.splitlines() if line.endswith(": test")]
        if twice := [test for test, count in Counter(tests).items() if count > 1]:
            raise RuntimeError(f"{self.key} has several tests with the name `{twice[0]}`: none can run alone")
        if not tests:
            raise RuntimeError(f"{self.key} has no tests: `test = false` in its Cargo.toml spares building it")
        return tests


@dataclass
class Built:
    programs: list[Program] = field(default_factory=list)
    lift: Path | None = None


def built(messages: str, root: Path) -> Built:
    """The test programs and the program `lift` that cargo's JSON messages name."""
    found = Built()
    for line in messages.splitlines():
        if not line.startswith("{"):
            continue
        message = json.loads(line)
        if message.get("reason") != "compiler-artifact" or not message.get("executable"):
            continue
        target, executable = message["target"], Path(message["executable"])
        folder = Path(message["manifest_path"]).parent
        kind, name = target["kind"][0], target["name"]
        if not message["profile"]["test"]:
            if name == "lift" and kind == "bin":
                found.lift = executable
            continue
        package = package_name(message["package_id"], folder)
        which = {"test": f"--test {name}", "bin": f"--bin {name}"}.get(kind, "--lib")
        source = os.path.relpath(target["src_path"], folder)
        found.programs.append(Program(package, source, executable, folder, f"-p {package} {which}"))
    found.programs.sort(key=lambda program: program.key)
    return found


def package_name(identity: str, folder: Path) -> str:
    """`path+file:///lift/syntax#lift-syntax@0.1.0`, or `…/lift#0.1.0` where the folder has the package's name."""
    after = identity.rsplit("#", 1)[-1]
    return after.split("@")[0] if "@" in after else folder.name


@dataclass
class Chunk:
    """Some tests of a program, run in sequence by one process."""

    program: Program
    tests: list[str]
    others: list[str]
    cost: float  # CPU seconds, as far as they are known

    @property
    def name(self) -> str:
        return f"{self.program.package} {self.program.source}"


def sample(tests: list[str], one_in: int, seed: int, root: Path, of: tuple[str, ...] = ("",)) -> list[str]:
    """One in so many of the tests whose names begin in one of these ways, and all others: the same wherever the sources
    are."""
    some = [test for test in tests if test.startswith(of)]
    number = {test: hashlib.sha256(f"{seed} {test.replace(str(root), '')}".encode()).digest() for test in some}
    taken = sorted(some, key=number.__getitem__)[: -(-len(some) // one_in)]
    return taken + [test for test in tests if not test.startswith(of)]


def chunks(
    program: Program, tests: list[str], wanted: list[str], known: dict[str, float], expected: float, most: float
) -> list[Chunk]:
    """Divides those tests of a program that are wanted so that each chunk takes about `most` CPU seconds: by what the
    tests took before, or by what is expected of the program. The longest tests are dealt out first."""
    mean = sum(known.values()) / len(known) if known else expected / max(1, len(tests))
    cost = {test: known.get(test, mean) for test in wanted}
    count = max(1, min(len(wanted), round(sum(cost.values()) / most)))
    parts: list[list[str]] = [[] for _ in range(count)]
    sums = [0.0] * count
    for test in sorted(wanted, key=lambda test: -cost[test]):
        least = sums.index(min(sums))
        parts[least].append(test)
        sums[least] += cost[test]
    made = []
    for part, total in zip(parts, sums):
        inside = set(part)
        made.append(Chunk(program, part, [test for test in tests if test not in inside], total))
    return made


@dataclass
class Ran:
    """The result of a chunk."""

    passed: int
    failed: int
    log: str
    cpu: dict[str, float]  # CPU seconds of each test that ended
    cpu_total: float  # of the process, its start too


def cpu_of(process: int) -> float:
    """CPU seconds of a process and of its children that have ended."""
    try:
        after_name = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return 0.0
    return sum(map(int, after_name[11:15])) / TICKS


def run(chunk: Chunk, tell: Callable[[str, bool], None], watch: Callable) -> Ran:
    """Runs a chunk. `tell(name, False)` is called when a test starts, `tell(name, True)` when it has ended. `watch` may
    stop the process."""
    program = chunk.program
    skipped = [argument for other in chunk.others for argument in ("--skip", other)]
    log = [f"     Running {program.source} ({os.path.relpath(program.executable)})\n"]
    ended: dict[str, str] = {}
    cpu: dict[str, float] = {}
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            [program.executable, "--test-threads=1", "--exact", *skipped],
            cwd=program.folder,
            env=program.environment(),
            stdout=subprocess.PIPE,
            stderr=errors,
            start_new_session=True,
        )
        gives_way(process.pid)
        stopped = watch(process)
        before, line, current = cpu_of(process.pid), "", None
        while piece := os.read(process.stdout.fileno(), 1 << 16):
            line += piece.decode(errors="replace")
            *whole, line = line.split("\n")
            for text in whole:
                log.append(text + "\n")
                if (match := RESULT.match(text)) and match["name"] not in ended:
                    now = cpu_of(process.pid)
                    ended[match["name"]] = match["result"]
                    cpu[match["name"]] = now - before
                    before = now
                    tell(match["name"], True)
            match = CURRENT.match(line)
            if match and match["name"] != current:
                current = match["name"]
                tell(current, False)
        log.append(line)
        _, waited, usage = os.wait4(process.pid, 0)
        status = process.returncode = os.waitstatus_to_exitcode(waited)
        errors.seek(0)
        log.append(errors.read().decode(errors="replace"))
    failed = sum(result == "FAILED" for result in ended.values())
    passed = len(ended) - failed
    if status != 0:
        log.append(f"\nerror: test failed, to rerun pass `{program.rerun}`\n")
        if failed == 0:
            failed = 1
            how = f"signal: {-status}" if status < 0 else f"exit status: {status}"
            how = "it hung and was stopped" if stopped() else how
            log.append(f"\nCaused by:\n  process didn't exit successfully: `{program.executable}` ({how})\n")
    stopped()
    if status == 0 and (missing := [test for test in chunk.tests if test not in ended]):
        failed += len(missing)
        log += [f"not ok {test}\n      it was listed, but did not run\n" for test in missing]
    return Ran(passed, failed, "".join(log), cpu, usage.ru_utime + usage.ru_stime)
