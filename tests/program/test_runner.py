"""The program that runs the tests: what it counts, and how it divides tests among processes."""

import contextlib
import json
import os
import pathlib
import stat
import subprocess
import sys
import threading

import pytest

RUNNER = pathlib.Path(__file__).resolve().parents[1] / "runner"
sys.path.insert(0, str(RUNNER))

import driver  # noqa: E402 - a module of the runner
import lint  # noqa: E402
import pool  # noqa: E402
import programs  # noqa: E402
import results  # noqa: E402


def test_sums_of_pytest_and_of_our_own_runners_are_counted():
    assert results.counts("== 1 failed, 3 passed, 2 errors in 0.3s ==\n") == (3, 3)
    assert results.counts("workbench:\n3 passed, 0 failed\neditors\n5 passed, 1 failed\n") == (5, 1)
    assert results.counts("nothing\n") == (0, 0)


def program(executable: pathlib.Path) -> programs.Program:
    return programs.Program("p", "src/lib.rs", executable, executable.parent, "-p p --lib")


def test_each_test_is_in_one_chunk_and_chunks_cost_about_the_same(tmp_path):
    tests = [f"t{i}" for i in range(20)]
    known = {**dict.fromkeys(tests, 1.0), "t3": 9.0}
    chunks = programs.chunks(program(tmp_path / "p"), tests, tests[2:], known, 0.0, 10.0)
    assert sorted(test for chunk in chunks for test in chunk.tests) == sorted(tests[2:])
    assert all(sorted(chunk.tests + chunk.others) == sorted(tests) for chunk in chunks)
    assert max(chunk.cost for chunk in chunks) - min(chunk.cost for chunk in chunks) <= 2.0


def test_a_sample_is_the_same_wherever_the_sources_are(tmp_path):
    tests = [f"{tmp_path}/x{i}: nvidia" for i in range(100)]
    moved = [test.replace(str(tmp_path), "/elsewhere") for test in tests]
    some = programs.sample(tests, 4, 1, tmp_path)
    assert len(set(some)) == 25 and set(some) < set(tests)
    there = programs.sample(moved, 4, 1, pathlib.Path("/elsewhere"))
    assert [test.replace("/elsewhere", str(tmp_path)) for test in there] == some
    assert set(programs.sample(tests, 4, 2, tmp_path)) != set(some)
    others = ["report a", "budget b"]
    assert set(programs.sample(tests + others, 4, 1, tmp_path, (str(tmp_path),))) == {*some, *others}


def listed(*arguments: str) -> list[str]:
    asked = [sys.executable, str(RUNNER), *arguments, "--list"]
    return subprocess.run(asked, check=True, capture_output=True, text=True).stdout.split()


def test_all_stages_run_where_none_is_named():
    usual = listed()
    assert usual == listed("usual") and {"rust", "proof", "python", "editors"} < set(usual)
    assert set(listed("quick")) < set(usual) < set(listed("all"))
    assert listed("quick", "rust") == ["rust"]


def ran(tmp_path, script: str) -> programs.Ran:
    executable = tmp_path / "p"
    executable.write_text(f"#!/bin/sh\n{script}\n")
    executable.chmod(executable.stat().st_mode | stat.S_IXUSR)
    chunk = programs.Chunk(program(executable), ["a", "b"], [], 1.0)
    return programs.run(chunk, lambda test, ended: None, lambda process: lambda: False)


def test_installations_run_in_order_beside_other_jobs():
    jobs, done, installed = pool.Pool(processors=1), [], threading.Event()
    jobs.add(1.0, lambda: done.append(installed.wait(60)))
    jobs.add(0.0, lambda: done.append("first"), pool.Kind.INSTALLING)
    last = lambda: (done.append("second"), jobs.add(0.0, lambda: done.append("after")), installed.set())  # noqa: E731
    jobs.add(0.0, last, pool.Kind.INSTALLING)
    jobs.run()
    assert done == ["first", "second", True, "after"]


def test_what_waits_begins_when_no_user_interface_is_tested():
    jobs, done, tested = pool.Pool(processors=2), [], threading.Event()
    jobs.add(9.0, lambda: done.append("waiting"), pool.Kind.WAITING)
    for name in ("first", "second"):
        jobs.add(1.0, lambda name=name: done.append(name), pool.Kind.INTERACTIVE)
    jobs.add(1.0, lambda: done.append(tested.wait(60)))
    jobs.add(0.0, tested.set, pool.Kind.FOLLOWING)
    jobs.run()
    assert [name for name in done if name is not True] == ["first", "second", "waiting"]
    assert True in done


def test_passed_and_failed_tests_are_told_apart(tmp_path):
    both = ran(tmp_path, "echo 'test a ... ok'; echo 'test b   ... FAILED'; exit 101")
    assert (both.passed, both.failed, sorted(both.cpu)) == (1, 1, ["a", "b"])
    assert "error: test failed, to rerun pass `-p p --lib`" in both.log


def test_a_program_that_dies_has_failed(tmp_path):
    dead = ran(tmp_path, "echo 'test a ... ok'; kill -6 $$")
    assert (dead.passed, dead.failed) == (1, 1)
    assert "(signal: 6)" in dead.log


def test_a_test_that_does_not_run_has_failed(tmp_path):
    one = ran(tmp_path, "echo 'test a ... ok'")
    assert (one.passed, one.failed) == (1, 1)
    assert "not ok b" in one.log


def test_the_programs_that_cargo_built_are_found():
    root = pathlib.Path(os.sep) / "r"
    line = (
        '{"reason":"compiler-artifact","package_id":"path+file:///r/syntax#lift-syntax@0.1.0",'
        '"manifest_path":"/r/syntax/Cargo.toml","target":{"kind":["%s"],"name":"%s","src_path":"/r/syntax/%s"},'
        '"profile":{"test":%s},"executable":"/r/target/%s"}\n'
    )
    found = programs.built(
        line % ("test", "it", "tests/it/main.rs", "true", "it")
        + line % ("bin", "lift", "src/main.rs", "false", "lift")
        + '{"reason":"build-finished","success":true}\n',
        root,
    )
    assert [(p.key, p.rerun) for p in found.programs] == [("lift-syntax tests/it/main.rs", "-p lift-syntax --test it")]
    assert found.lift == root / "target/lift"


@pytest.mark.parametrize(
    ("names", "why"), [(["a", "b"], None), ([], "`test = false`"), (["a", "b", "a"], "several tests with the name `a`")]
)
def test_a_program_has_tests_each_with_a_name_of_its_own(tmp_path, names, why):
    executable = tmp_path / "p"
    executable.write_text("#!/bin/sh\n" + "".join(f"echo '{name}: test'\n" for name in names))
    executable.chmod(0o755)
    with pytest.raises(RuntimeError, match=why) if why else contextlib.nullcontext():
        assert program(executable).tests() == names


class TestLint:
    @pytest.fixture
    def built(self, tmp_path):
        """Cargo's JSON message for a library that was built with the runner's rustc."""
        (tmp_path / "clippy.toml").touch()
        out, made_by = tmp_path / "target/debug/deps", tmp_path / "rustc"
        out.mkdir(parents=True)
        made_by.write_text('#!/bin/sh\ntouch "$MADE"\n')
        made_by.chmod(0o755)
        self.library, self.mark = out / "libp-1f.rlib", out.parent / "lint/p-1f.checked"
        arguments = ["--crate-name", "p", "src/lib.rs", "--error-format=json", "--emit=link", "-C", "opt-level=1"]
        arguments += ["-C", "extra-filename=-1f", "--out-dir", str(out), "-C", "incremental=/i", "--cfg", 'a="b c"']
        environment = {**os.environ, "CARGO_PRIMARY_PACKAGE": "1", "MADE": str(self.library), "LINES": "1\n2"}
        asked = [RUNNER / "rustc", made_by, *arguments]
        subprocess.run(asked, cwd=tmp_path, env=environment, check=True)
        os.utime(self.library, (1, 1))
        os.utime(tmp_path / "clippy.toml", (1, 1))
        target = {"src_path": str(tmp_path / "src/lib.rs"), "kind": ["lib"]}
        artifact = {"reason": "compiler-artifact", "package_id": "path+file:///p", "target": target}
        artifact |= {"profile": {"test": False}, "filenames": [str(self.library)]}
        return f'{json.dumps(artifact)}\n{{"reason":"build-finished","success":true}}\n'

    def test_clippy_is_asked_for_the_same(self, built, tmp_path):
        (command,) = lint.unchecked(built.splitlines(), tmp_path)
        kept = ["--crate-name", "p", "src/lib.rs", "-C", "opt-level=1", "-C", "extra-filename=-1f", "--cfg", 'a="b c"']
        asked = command.for_clippy("elsewhere")
        assert asked == ["clippy-driver", *kept, "--emit=metadata", "--out-dir", "elsewhere", "--deny", "warnings"]
        assert (command.folder, command.environment["LINES"]) == (str(tmp_path), "1\n2")

    @pytest.mark.parametrize("harness", [[], ["--test"]])
    def test_programs_of_tests_have_a_harness_or_none(self, built, tmp_path, harness):
        file = self.mark.parent / "p-1f"
        changed = file.read_text().replace("--crate-name", "\0".join([*harness, "--crate-name"]))
        file.write_text(f"CARGO_TARGET_TMPDIR=/t\0{changed}")
        tests = built.replace('["lib"]', '["test"]').replace('"test": false', '"test": true')
        assert len(list(lint.unchecked(tests.splitlines(), tmp_path))) == 1
        # The library's own message does not have the command of its unit tests.
        with pytest.raises(LookupError):
            list(lint.unchecked(built.replace('"test": false', '"test": true').splitlines(), tmp_path))

    def test_what_is_built_again_is_checked_again(self, built, tmp_path):
        self.mark.touch()
        assert list(lint.unchecked(built.splitlines(), tmp_path)) == []
        for changed in (self.library, tmp_path / "clippy.toml"):
            os.utime(changed)
            os.utime(self.mark, (2, 2))
            assert len(list(lint.unchecked(built.splitlines(), tmp_path))) == 1
            os.utime(changed, (1, 1))

    def test_what_is_not_recorded_is_not_passed_over(self, built, tmp_path):
        (self.mark.parent / "p-1f").unlink()
        with pytest.raises(LookupError, match="src/lib.rs"):
            list(lint.unchecked(built.splitlines(), tmp_path))
        with pytest.raises(LookupError, match="failed"):
            list(lint.unchecked(built.replace('"success":true', '"success":false').splitlines()[-1:], tmp_path))

    def test_a_crate_is_checked_before_the_build_ends(self, built, tmp_path):
        said = tmp_path / "build.json"
        artifact, end = built.splitlines()
        said.write_text(f"{artifact}\n{end[:20]}")
        commands = lint.unchecked(lint.lines(said), tmp_path)
        assert next(commands).folder == str(tmp_path)
        with said.open("a") as more:
            more.write(f"{end[20:]}\n")
        assert list(commands) == []


HEADER = """#define __ovld __attribute__((overloadable))
float __ovld __cnfn fma(float, float, float);
float4 __ovld __cnfn fma(float4, float4, float4);
float4 __ovld __cnfn sin(float4);
int __ovld __cnfn convert_int_sat(long);
int __ovld __cnfn convert_int_sat_rte(long);
float4 __ovld vload4(size_t, const float *);
typedef float float4 __attribute__((ext_vector_type(4)));
"""


def test_a_lighter_driver_declares_what_is_called():
    left_out = ("float4 __ovld __cnfn sin", "int __ovld __cnfn convert_int_sat_rte")
    stays = [line for line in HEADER.split("\n") if not line.startswith(left_out)]
    assert driver.declarations(HEADER).split("\n") == stays


def test_only_pocl_becomes_lighter(tmp_path):
    (tmp_path / "vendors").mkdir()
    assert driver.vendors(tmp_path / "made", tmp_path / "vendors") is None
    (tmp_path / "vendors/other.icd").write_text("libother.so.1\n")
    assert driver.vendors(tmp_path / "made", tmp_path / "vendors") is None
    assert not (tmp_path / "made").exists()
