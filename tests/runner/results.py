"""What came of the stages: counts, logs, what failed, and what each test cost in this run and in earlier ones."""

import json
import re
import subprocess
import threading
from dataclasses import dataclass
from pathlib import Path

RUST = re.compile(r"^test result: .*?(\d+) passed; (\d+) failed;")
PYTEST = re.compile(r"^=+ .* in [0-9.]+s.* =+$")
OWN = re.compile(r"^(\d+) passed, (\d+) failed$")


def counts(log: str) -> tuple[int, int]:
    """Passed and failed, from the lines in which pytest and our own tests sum up."""
    passed = failed = 0
    own = (0, 0)
    for line in log.splitlines():
        if PYTEST.match(line):
            for number, what in re.findall(r"(\d+) (passed|failed|errors?)\b", line):
                if what == "passed":
                    passed += int(number)
                else:
                    failed += int(number)
        elif match := OWN.match(line):
            own = (int(match[1]), int(match[2]))
    return passed + own[0], failed + own[1]


@dataclass
class Result:
    """The output, counts and cost of a stage so far."""

    status: int = 0
    log: str = ""
    cpu: float = 0.0


class Results:
    def __init__(self, folder: Path):
        self.folder = folder
        self.lock = threading.Lock()
        self.passed = self.failed = 0
        self.recalled: list[str] = []
        self.stages: dict[str, Result] = {}
        self.tests: dict[str, dict[str, float]] = {}
        try:
            earlier = json.loads((folder / "times.json").read_text())
        except (OSError, ValueError):
            earlier = {}
        self.earlier_tests: dict[str, dict[str, float]] = earlier.get("tests", {})
        self.earlier_counts: dict[str, int] = earlier.get("counts", {})

    def expected(self, stage: str) -> int:
        """The number of tests of the stage in the last run; 0 if unknown."""
        return self.earlier_counts.get(stage, 0)

    def times(self, program: str) -> dict[str, float]:
        """CPU seconds of a program's tests in their last run."""
        return self.earlier_tests.get(program, {})

    def took(self, program: str, cpu: dict[str, float]):
        with self.lock:
            self.tests.setdefault(program, {}).update(cpu)

    def log(self, stage: str) -> Path:
        return self.folder / f"{stage}.log"

    def add(self, stage: str, result: Result, passed: int, failed: int):
        with self.lock:
            self.stages[stage] = result
            self.earlier_counts[stage] = passed + failed
            self.passed += passed
            self.failed += failed
            self.log(stage).write_text(result.log)
            if failed:
                names = self.failures(stage, "-v", "names=1").splitlines()
                self.recalled.append(f"{stage}: {failed} failed{':' if names else ''}")
                self.recalled += [f"  {name}" for name in names]

    def failures(self, stage: str, *arguments: str) -> str:
        command = ["tests/failures", *arguments, str(self.log(stage))]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout

    def told(self, stage: str) -> str:
        """The failed tests of a stage and their output."""
        return f"{self.failures(stage)}--- the whole log is {self.log(stage)}"

    def report(self, stages: list[str]) -> bool:
        """Saves the cost of tests and prints the totals. Returns whether all stages ran and nothing failed."""
        missing = [stage for stage in stages if stage not in self.stages]
        self.failed += len(missing)
        self.recalled += [f"{stage}: it did not run" for stage in missing]
        for program, cpu in self.tests.items():
            self.earlier_tests.setdefault(program, {}).update(cpu)
        kept = {"tests": self.earlier_tests, "counts": self.earlier_counts}
        (self.folder / "times.json").write_text(json.dumps(kept))
        (self.folder / "times.txt").write_text(self.table())
        if self.recalled:
            print("\nWhat failed:", *self.recalled, sep="\n")
        print(f"{self.passed} passed, {self.failed} failed")
        return self.failed == 0

    def table(self) -> str:
        """CPU seconds of stages, test programs and tests of this run, the most expensive first."""
        stages = {stage: result.cpu for stage, result in self.stages.items()}
        programs = {program: sum(cpu.values()) for program, cpu in self.tests.items()}
        tests = {f"{program}: {test}": s for program, cpu in self.tests.items() for test, s in cpu.items()}
        text = "CPU seconds, the most expensive first; tests/output/times.json has all.\n"
        for title, costs, most in [("stages", stages, 20), ("test programs", programs, 50), ("tests", tests, 100)]:
            text += f"\n{title}: {sum(costs.values()):.0f} s\n"
            for name, seconds in sorted(costs.items(), key=lambda entry: -entry[1])[:most]:
                text += f"{seconds:8.2f}  {name}\n"
        return text
