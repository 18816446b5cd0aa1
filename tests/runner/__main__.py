"""Runs the tests; `tests/run` starts it.

| module | job |
|---|---|
| `stages` | what there is to run |
| `programs` | Rust test programs: their tests, and running some of them |
| `pool` | jobs on a few threads |
| `priority` | what computes gives way to user interfaces |
| `progress` | the line that moves |
| `results` | counts, times of earlier runs, what failed |
| `driver` | a lighter pocl, for many small kernels |
| `lint` | what was built, checked by Clippy |
"""

import argparse
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import programs
from pool import Kind, Pool
from priority import PRIORITY, gives_way
from progress import Progress
from results import Result, Results, counts
from stages import BUILT, EXPECTED, LEVELS, QUICK_WITHOUT, SAMPLED, STAGES, Stage

ROOT = Path(__file__).resolve().parents[2]
LOGS = ROOT / "tests/output"
# The environment variable of OpenCL's loader that names the folder of drivers.
DRIVERS = "OCL_ICD_VENDORS"
# Time limit of a job in seconds, far above any job's.
PATIENCE = 30 * 60.0
# CPU seconds of the tests in one process.
CHUNK = 20.0
# Maximum bytes of the cache of compiled kernels.
MOST_KEPT = 2 << 30
# Bytes of disk that a first build and all stages need.
ROOM = 10 << 30


class Run:
    """One run of some stages."""

    def __init__(self, stages: list[Stage], level: str, seed: int):
        self.stages, self.level, self.seed = stages, level, seed
        self.progress = Progress()
        self.results = Results(LOGS)
        self.pool = Pool()
        self.lift: Path | None = None
        self.devices: dict[str, str] | None = None
        self.processes: set[int] = set()
        self.lock = threading.RLock()
        self.waiting: dict[Stage, set[str]] = {}  # what must end before each: installations, the build
        self.installed: dict[str, Result] = {}

    def run(self) -> bool:
        build = next(stage for stage in STAGES if stage.name == "build")
        stages = list(self.stages)
        if build not in stages and any(stage.lift or stage.kind is Kind.FOLLOWING for stage in stages):
            stages.append(build)
        for stage in stages:
            self.waiting[stage] = {*stage.needs, build.name} if stage.lift else set(stage.needs)
        if build in stages:
            # Stages that read this file must not see an earlier build.
            (ROOT / BUILT).write_text("")
        # The dependencies of stages are installed while others run.
        for need in dict.fromkeys(need for stage in STAGES if stage in stages for need in stage.needs):
            self.pool.add(0.0, lambda need=need: self.install(need), Kind.INSTALLING)
        self.start()
        try:
            self.pool.run()
        finally:
            # Processes of an interrupted run.
            for process in self.processes:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process, signal.SIGKILL)
        self.progress.stop()
        return self.results.report([stage.name for stage in self.stages])

    def start(self, ended: str = ""):
        """Starts the stages whose dependencies have ended."""
        with self.lock:
            for waits in self.waiting.values():
                waits.discard(ended)
            ready = [stage for stage, waits in self.waiting.items() if not waits]
            for stage in ready:
                del self.waiting[stage]
                if stage.lift and self.lift is None:
                    continue  # The build failed.
                if stage.lift and self.devices is None:
                    self.choose_devices()
                act = {"build": self.build, "rust": self.rust}.get(stage.name, self.stage)
                self.pool.add(stage.cost, lambda act=act, stage=stage: act(stage), stage.kind)

    def install(self, need: str):
        result = Result()
        try:
            self.command(Stage(f"install {need}", ""), ["tests/install", need], result)
        finally:
            self.installed[need] = result
            self.start(need)

    def begun(self, stage: Stage) -> Result:
        """The initial result of a stage: the logs of its installations, whose cost counts for the first such stage."""
        result = Result()
        with self.lock:
            for need in stage.needs:
                installed = self.installed[need]
                result.log += installed.log
                result.cpu, installed.cpu = result.cpu + installed.cpu, 0.0
                if installed.status != 0:
                    result.status = installed.status
                    result.log += f"not ok tests/install {need}\n"
        return result

    # --- stages that are a command ----------------------------------------------------------------

    def stage(self, stage: Stage):
        self.progress.starts(stage.name, self.results.expected(stage.name))
        started = time.monotonic()
        result = self.begun(stage)
        if result.status == 0:
            self.command(stage, [argument.format(lift=self.lift) for argument in stage.command], result)
        passed, failed = counts(result.log)
        self.finish(stage, result, passed, failed, time.monotonic() - started)

    def finish(self, stage: Stage, result: Result, passed: int, failed: int, seconds: float):
        # A stage that reports no test counts as one test, passed or failed.
        if result.status == 0 and passed == 0:
            passed = 1
        if result.status != 0 and failed == 0:
            failed = 1
        self.progress.ends(stage.name)
        self.results.add(stage.name, result, passed, failed)
        self.progress.say(
            f"{stage.name:10} {passed:5} passed, {failed} failed  {result.cpu:5.0f} s of CPU  {seconds:5.0f} s"
        )
        if failed:
            self.progress.say(self.results.told(stage.name))

    def command(self, stage: Stage, command: list[str], result: Result):
        """Runs a command and appends its output to the stage's log."""
        if stage.kind is not Kind.FOLLOWING:
            self.progress.runs(stage.name)
        environment = {**os.environ, "LIFT": str(self.lift or ""), **((self.devices or {}) if stage.lift else {})}
        process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
        )
        if (nice := PRIORITY.get(stage.kind)) is not None:
            gives_way(process.pid, nice)
        stop = self.watch(process, PATIENCE)
        for line in process.stdout:
            text = line.decode(errors="replace")
            result.log += text
            if tested(text):
                self.progress.done(stage.name)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.progress.runs(None)
        result.cpu += usage.ru_utime + usage.ru_stime
        result.status = process.returncode
        if stop():
            minutes = f"{PATIENCE / 60:.0f} minutes"
            result.log += f"not ok {command[0]}\n      it did not end within {minutes} and was stopped\n"

    def watch(self, process: subprocess.Popen, patience: float):
        """Stops a process and its children after `patience` seconds. Returns a function that tells whether it did."""
        stopped = threading.Event()

        def stop():
            stopped.set()
            os.killpg(process.pid, signal.SIGKILL)

        timer = threading.Timer(patience, stop)
        timer.daemon = True
        timer.start()
        self.processes.add(process.pid)

        def ended() -> bool:
            timer.cancel()
            self.processes.discard(process.pid)
            return stopped.is_set()

        return ended

    # --- Rust -------------------------------------------------------------------------------------

    def build(self, stage: Stage):
        self.progress.starts(stage.name)
        started = time.monotonic()
        result = self.begun(stage)
        if result.status == 0:
            # Cargo's JSON goes to a file, its diagnostics to the log.
            messages = ROOT / BUILT
            cargo = "cargo test --workspace --no-run --message-format json-render-diagnostics"
            self.command(stage, ["bash", "-c", f"{cargo} >'{messages}'"], result)
            found = programs.built(messages.read_text(), ROOT)
            self.programs = found.programs
            if result.status == 0:
                self.lift = kept(found.lift)
        if result.status != 0:
            # Cargo omits this line after some failures, but the stage `lint` waits for it.
            with (ROOT / BUILT).open("a") as said:
                said.write('\n{"reason":"build-finished","success":false}\n')
        self.finish(stage, result, 0, 0, time.monotonic() - started)
        self.start(stage.name)

    def choose_devices(self):
        """Sets the environment variables of stages that run `lift`. Cargo must not see them, because it would rebuild
        all crates that use a C compiler."""
        self.devices = {}
        if "COMPILER_PATH" not in os.environ and (folder := linker()):
            self.devices["COMPILER_PATH"] = str(folder)
        if self.level == "all" or DRIVERS in os.environ:
            return
        command = [sys.executable, ROOT / "tests/runner/driver.py", ROOT / "target/driver"]
        made = subprocess.run(command, capture_output=True, text=True, check=False)
        if made.returncode == 0 and made.stdout.strip():
            self.devices[DRIVERS] = made.stdout.strip()
        else:
            why = (made.stderr.strip() or "there is no pocl of a known kind").splitlines()[-1]
            self.progress.say(f"drivers are used as they are: {why}")

    def rust(self, stage: Stage):
        """Divides the tests among processes: drivers work on one program at a time in each."""
        self.progress.starts(stage.name)
        self.progress.runs("listing tests")
        left_out = QUICK_WITHOUT if self.level == "quick" else ()
        chunks, result, lock = [], self.begun(stage), threading.Lock()
        started = time.monotonic()
        totals = [0, 0]
        for program in self.programs:
            if program.key in left_out:
                continue
            program.variables.update(self.devices)
            try:
                tests = program.tests()
            except RuntimeError as why:
                result.log += f"not ok {program.key}\n      {why}\n"
                result.status, totals[1] = 1, totals[1] + 1
                continue
            wanted = tests
            if self.level != "all" and program.key in SAMPLED:
                sample = SAMPLED[program.key]
                wanted = programs.sample(tests, sample.one_in, self.seed, ROOT, sample.of)
                self.progress.say(f"{program.key}: {len(wanted)} of {len(tests)} tests, by seed {self.seed}")
            known = self.results.times(program.key)
            expected = EXPECTED.get(program.key, programs.UNKNOWN * len(tests))
            chunks += programs.chunks(program, tests, wanted, known, expected, CHUNK)
        if self.level != "all":
            self.progress.say(f"tests of many cases: some of them, by seed {self.seed}; `tests/run all` takes each")
        self.progress.runs(None)
        self.progress.starts(stage.name, sum(len(chunk.tests) for chunk in chunks))
        left = [len(chunks)]

        def act(chunk: programs.Chunk):
            def tell(test: str, ended: bool):
                if ended:
                    self.progress.done(stage.name)
                self.progress.runs(None if ended else f"{chunk.program.source}: {test}")

            ran = programs.run(chunk, tell, lambda process: self.watch(process, PATIENCE))
            self.progress.runs(None)
            with lock:
                result.log += ran.log
                result.cpu += ran.cpu_total
                result.status |= ran.failed > 0
                totals[0] += ran.passed
                totals[1] += ran.failed
                self.results.took(chunk.program.key, ran.cpu)
                left[0] -= 1
                last = left[0] == 0
            if last:
                self.finish(stage, result, *totals, time.monotonic() - started)

        for chunk in chunks:
            self.pool.add(chunk.cost, lambda chunk=chunk: act(chunk))
        if not chunks:
            self.finish(stage, result, *totals, time.monotonic() - started)


def tested(line: str) -> bool:
    """Whether a line reports the end of a test."""
    return line.startswith(("ok ", "ok: ", "not ok ", "not ok: ")) or " PASSED " in line or " FAILED " in line


def kept(program: Path | None) -> Path | None:
    """A link to the program under another name, because the stage that builds a wheel replaces Cargo's file."""
    if program is None:
        return None
    own = LOGS / "lift"
    own.unlink(missing_ok=True)
    try:
        own.hardlink_to(program)
    except OSError:
        shutil.copy2(program, own)
    return own


def seed_of_commit() -> int:
    """A seed that differs between commits, so that the samples of several commits together have every test."""
    head = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=False)
    return int(head.stdout[:5], 16) if head.returncode == 0 else 1


def linker() -> Path | None:
    """A folder with a linker that starts fast, for the driver, which links each kernel."""
    gold = shutil.which("ld.gold")
    if gold is None:
        return None
    folder = ROOT / "target/linker"
    folder.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(FileExistsError):
        (folder / "ld").symlink_to(gold)
    return folder


def set_environment(level: str, seed: int):
    # Tests of many cases try a sample.
    if level != "all":
        os.environ.setdefault("LIFT_TESTS_SAMPLE", str(seed))
    # Property tests use the same cases each time, so that a failure is reproducible; another seed tries
    # others, and PROPTEST_CASES more of them.
    os.environ.setdefault("PROPTEST_RNG_SEED", "1")
    if level == "all":
        # Otherwise suites of many small kernels switch off the device compiler's optimizations.
        os.environ.setdefault("LIFT_TESTS_OPTIMIZE", "1")
    # Unless the user has set another wrapper, such as a cache.
    os.environ.setdefault("RUSTC_WRAPPER", str(ROOT / "tests/runner/rustc"))
    # Continuous integration builds once: what cargo keeps for the next build is gigabytes that nobody reads. Line
    # numbers in backtraces cost a twelfth of the build; a panic names its own line without them.
    if os.environ.get("CI"):
        os.environ.setdefault("CARGO_INCREMENTAL", "0")
        os.environ.setdefault("CARGO_PROFILE_DEV_DEBUG", "false")
    # pocl caches what it compiled, for the other suites and the next run. For the cache of `lift` it would compile all
    # kernels once more.
    os.environ.setdefault("LIFT_CACHE", "off")
    if "POCL_CACHE_DIR" not in os.environ:
        kept = ROOT / "target/pocl"
        if sum(file.stat().st_size for file in kept.rglob("*") if file.is_file()) > MOST_KEPT:
            shutil.rmtree(kept)
        kept.mkdir(parents=True, exist_ok=True)
        os.environ["POCL_CACHE_DIR"] = str(kept)


def tell_room():
    """Reports too little disk space beforehand, because a linker on a full disk only says `Bus error`."""
    free = shutil.disk_usage(ROOT).free
    if free < ROOM and not (ROOT / "target/debug/deps").is_dir():
        print(
            f"only {free / 1e9:.1f} GB are free on this disk; a first run takes about {ROOM / 1e9:.0f} GB",
            file=sys.stderr,
            flush=True,
        )


def main() -> int:
    names = [stage.name for stage in STAGES]
    about = "\n".join(f"  {stage.name:10} {stage.about}" for stage in STAGES)
    levels = "\n".join(f"  {name:10} {about}" for name, about in LEVELS.items())
    parser = argparse.ArgumentParser(
        prog="tests/run",
        usage="tests/run [quick|usual|all] [--seed N] [STAGE…]",
        description="Runs the tests: all stages, or those that are named.",
        epilog=f"stages:\n{about}\n\nhow much:\n{levels}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    # Not `choices`: with `nargs="*"`, Python before 3.12 holds the empty list against them too.
    parser.add_argument("wanted", nargs="*", metavar="STAGE", help=argparse.SUPPRESS)
    parser.add_argument(
        "--seed", type=int, help="which tests and cases a run takes where it takes a sample (default: by the commit)"
    )
    parser.add_argument("--list", action="store_true", help="only list the stages that would run")
    arguments = parser.parse_args()
    wanted = arguments.wanted
    for name in wanted:
        if name not in (*LEVELS, *names):
            parser.error(f"there is no stage `{name}`: choose from {', '.join([*LEVELS, *names])}")
    level = next((name for name in LEVELS if name in wanted), "usual")
    stages = [stage for stage in STAGES if stage.name in wanted]
    if not stages:
        order = list(LEVELS)
        stages = [stage for stage in STAGES if order.index(stage.level) <= order.index(level)]
    if arguments.list:
        print(*[stage.name for stage in stages], sep="\n")
        return 0
    os.chdir(ROOT)
    seed = seed_of_commit() if arguments.seed is None else arguments.seed
    set_environment(level, seed)
    LOGS.mkdir(parents=True, exist_ok=True)
    tell_room()
    return 0 if Run(stages, level, seed).run() else 1


if __name__ == "__main__":
    sys.exit(main())
