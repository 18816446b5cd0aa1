"""`lift build --emit python`: what is written can be imported, and computes what the interpreter computes."""

import array
import inspect
import pathlib
import pickle
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from emitted import (
    AT,
    COUNTED,
    DOUBLED,
    EITHER,
    GROWN,
    HALVES,
    KEPT,
    PAIR,
    PRODUCTS,
    ROUNDS,
    ROWS,
    SUM,
    SUMS,
    TABLE,
    TILES,
    TRIANGLE,
    UNEVEN,
    UNTIL,
)


@pytest.mark.parametrize("target", ["cpu", "portable", "nvidia"])
def test_texts_are_compiled_without_a_warning(lift, target):
    """Compiles with clang, on which most OpenCL compilers are based."""
    found = [name for name in ("clang", *(f"clang-{version}" for version in range(22, 10, -1))) if shutil.which(name)]
    examples = pathlib.Path(__file__).parents[2] / "examples"
    for program in ("euler/22", "euler/29", "gallery/histogram", "gallery/matmul", "gallery/scan", "gallery/transpose"):
        lift.succeeds("build", examples / f"{program}.lift", "--target", target)
    texts = list(lift.folder.glob("*.cl"))
    assert len(texts) >= 6
    options = ["-x", "cl", "-cl-std=CL1.2", "-Xclang", "-finclude-default-header", "-fsyntax-only", "-Werror"]
    subprocess.run([found[0], *options, *texts], check=True)


def test_python_results(imported):
    def run(name, program, *inputs, **sizes):
        return getattr(imported(name, program), name)(*inputs, **sizes)

    xs = np.array([0.1, 0.6, 0.3, 0.9, 0.75], np.float32)
    np.testing.assert_array_equal(run("kept", KEPT, xs), (xs * 2)[xs > 0.5])
    many = np.arange(100000, dtype=np.int32) % 7
    assert run("sum", SUM, many)[0] == many.sum()
    table = np.arange(6, dtype=np.int32).reshape(2, 3)
    np.testing.assert_array_equal(run("table", TABLE, table, 10), table.T * 10)
    np.testing.assert_array_equal(run("counted", COUNTED, 10), [1, 9, 25, 49, 81])
    products = run("products", PRODUCTS, np.arange(100000, dtype=np.int32))
    np.testing.assert_array_equal(products, np.add.outer([30000, 60000, 90000], [30000, 60000, 90000]))
    assert run("rows", ROWS, table).tolist() == [[], [3, 4, 5]]
    ragged = [[1, 2, 3], [], [4, 5]]
    assert list(run("sums", SUMS, ragged)) == [6, 0, 9]
    sums, kept = run("pair", PAIR, [1, 2, 3, 4])
    assert (list(sums), list(kept)) == ([1, 3, 6, 10], [3, 4])
    np.testing.assert_array_equal(run("rounds", ROUNDS, [1, 2, 3]), [21, 22, 23])
    np.testing.assert_array_equal(run("tiles", TILES, [1, 2, 3, 4, 5, 6], K=3), [4, 6, 8, 10, 12, 14])


def test_python_loop_that_grows(imported):
    grown = imported("grown", GROWN)
    for most in [20, 1, 100000, 20]:
        wanted = np.array([1, 2], dtype=np.int32)
        while len(wanted) < most:
            wanted = np.concatenate([wanted, wanted + 1])
        np.testing.assert_array_equal(grown.grown([1, 2], most), wanted)


def test_python_loop_whose_end_the_device_knows(imported):
    until = imported("until", UNTIL)
    for xs, by, result in [([1, 2, 3], 4, [34, 35, 36]), ([1, 2, 3], 12, [33, 34, 35]), ([98, 1, 1], 1, [98, 1, 1])]:
        np.testing.assert_array_equal(until.until(xs, by), result)
    with pytest.raises(until.LiftError, match="division by zero"):
        until.until([1, 2, 3], 0)
    np.testing.assert_array_equal(until.until([1, 2, 3], 4), [34, 35, 36])


def test_python_launch_that_is_left_out(imported, monkeypatch):
    import pyopencl as cl

    either, launched = imported("either", EITHER).either, []
    enqueue = cl.enqueue_nd_range_kernel
    monkeypatch.setattr(cl, "enqueue_nd_range_kernel", lambda *args: launched.append(args[1]) or enqueue(*args))
    np.testing.assert_array_equal(either([1, 2, 3]), [2, 3, 4])
    np.testing.assert_array_equal(either([1, 2, 3, 4, 5]), [2, 4, 6, 8, 10])
    assert len(launched) == 2 and launched[0].function_name != launched[1].function_name


def test_python_rows_whose_length_is_a_rule(imported):
    triangle = imported("triangle", TRIANGLE)
    kernel = triangle.triangle
    assert list(kernel([[1], [2, 3], [4, 5, 6]], [1, 2, 3])) == [1, 8, 32]
    assert list(kernel(np.arange(1, 7, dtype=np.float32), [1, 2, 3])) == [1, 8, 32], "one row after the other"
    with pytest.raises(triangle.LiftError, match="in row 1, an array of .* = 2 elements is needed, not of 3"):
        kernel([[1], [2, 3, 4], [4, 5, 6]], [1, 2, 3])
    with pytest.raises(triangle.LiftError, match="`rows` has 5 elements"):
        kernel(np.ones(5, np.float32), [1, 2, 3])
    doubled = imported("doubled", DOUBLED).doubled
    assert doubled([[1], [2, 3], [4, 5, 6]]).tolist() == [[2], [4, 6], [8, 10, 12]]
    assert doubled([]).tolist() == []
    uneven = imported("uneven", UNEVEN).uneven
    assert uneven([[], [1], [2], [], [3]]).tolist() == [[], [2], [4], [], [6]]


def test_python_errors(imported):
    at = imported("at", AT)
    with pytest.raises(at.LiftError, match="index 7 is out of range: the length is 3 .at at.lift:1:") as raised:
        at.at([1, 2, 3], 7)
    assert raised.value.code == "index-out-of-range"
    assert list(at.at([1, 2, 3], 1)) == [3, 4, 5]
    counted = imported("counted", COUNTED)
    with pytest.raises(counted.LiftError, match="an array cannot have the length -1"):
        counted.counted(-1)
    halves = imported("halves", HALVES)
    with pytest.raises(halves.LiftError, match="relies on `2 divides N`, which is false for N = 3 .at halves.lift:1:"):
        halves.halves([1, 2, 3])
    table = imported("table", TABLE)
    with pytest.raises(table.LiftError, match="row 0 has 2 elements, row 1 has 1 element"):
        table.table([[1, 2], [3]], 1)
    assert at.LiftError is table.LiftError


def test_python_runs_again_with_other_sizes(imported):
    counted = imported("counted", COUNTED).counted
    for k in (0, 4, 3000, 2):
        np.testing.assert_array_equal(counted(k), [i * i for i in range(k) if i % 2 == 1])
    kept = imported("kept", KEPT).kept
    for n in (0, 1, 5, 100000, 3):
        xs = np.linspace(0, 1, n, dtype=np.float32)
        np.testing.assert_array_equal(kept(xs), (xs * 2)[xs > 0.5])


def test_python_threads_share_a_kernel(imported):
    kernels = {
        "kept": (imported("kept", KEPT).kept, lambda xs: (xs * 2)[xs > 0.5], np.float32),
        "rounds": (imported("rounds", ROUNDS).rounds, lambda xs: xs + 20, np.int32),
    }
    cases = []
    for n in (1, 7, 64, 1000, 30000):
        for kernel, expected, dtype in kernels.values():
            xs = (np.arange(n) * 37 % 101 / (100 if dtype == np.float32 else 1)).astype(dtype)
            cases.append((kernel, xs, expected(xs)))
    wrong = []

    def work(offset):
        for i in range(60):
            kernel, xs, expected = cases[(i + offset) % len(cases)]
            if not np.array_equal(kernel(xs), expected):
                wrong.append((i, offset))

    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(work, offset) for offset in range(4)]:
            done.result()
    assert wrong == []


IN_A_CHILD = """
import multiprocessing, os, pickle, sys
import numpy as np
sys.path.insert(0, sys.argv[1])
import kept

def work(kernel):
    return kernel(np.array([0.1, 0.6], np.float32)).tolist()

if __name__ == "__main__":
    early = os.fork()
    if early == 0:
        os._exit(0 if work(kept.kept) else 1)
    assert os.waitpid(early, 0)[1] == 0, "nothing had used OpenCL before the fork"
    expected = work(kept.kept)
    late = os.fork()
    if late == 0:
        try:
            work(kept.kept)
        except kept.LiftError as e:
            os._exit(0 if "spawn" in str(e) else 1)
        os._exit(2)
    assert os.waitpid(late, 0)[1] == 0, "a kernel used after a fork says so"
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        assert pool.map(work, [kept.kept] * 4) == [expected] * 4
    error = pickle.loads(pickle.dumps(kept.LiftError("input", "why", "1:2")))
    assert (error.code, error.place, str(error)) == ("input", "1:2", "why (at 1:2)")
"""


def test_python_processes(lift, imported):
    imported("kept", KEPT)
    script = lift.file("child.py", IN_A_CHILD)
    ran = subprocess.run([sys.executable, script, "."], cwd=lift.folder, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stderr


def test_python_kernels_are_pickled(imported, queue):
    kept = imported("kept", KEPT)
    again = pickle.loads(pickle.dumps(kept.kept))
    xs = np.array([0.1, 0.6], np.float32)
    np.testing.assert_array_equal(again(xs), kept.kept(xs))
    with pytest.raises(kept.LiftError, match="cannot be pickled"):
        pickle.dumps(kept.kept.on(queue))


FITTING = [
    ("(array-type int N)", [1, 2, 3], "[1 2 3]"),
    ("(array-type int N)", [1.5, 2.7, 3.9], "`Int` is needed, not `1.5`"),
    ("(array-type int N)", [1, 2**31], "2147483648 is out of the range of `Int`"),
    ("(array-type int N)", [True, 2], "`Int` is needed, not `True`"),
    ("(array-type int N)", np.array([1.5]), "the array holds `float64`; `Int` is NumPy's `int32`"),
    ("(array-type int N)", np.array([1]), "the array holds `int64`"),
    ("(array-type int N)", (1, 2), "an array is needed, not a tuple of 2"),
    ("(array-type int N)", 1, "an array is needed, not `1`"),
    ("(array-type int N)", "12", "an array is needed, not `'12'`"),
    ("(array-type int N)", None, "an array is needed"),
    ("(array-type int N)", np.zeros((2, 2), np.int32), "the type has 1 dimension; the array has shape (2, 2)"),
    ("(array-type int N)", np.int32(3), "an array is needed"),
    ("(array-type int N)", np.arange(8, dtype=np.int32)[::2], "[0 2 4 6]"),
    ("(array-type int N)", np.array([1], ">i4"), "the array holds `>i4`"),
    ("(array-type int N)", array.array("i", [1, 2]), "[1 2]"),
    ("(array-type float N)", [1, 2.5], "[1.  2.5]"),
    ("(array-type float N)", [1e40], "1e+40 is out of the range of `Float`"),
    ("(array-type float N)", [float("inf")], "[inf]"),
    ("(array-type bool N)", [True, False], "[ True False]"),
    ("(array-type bool N)", [1], "`Bool` is needed, not `1`"),
    ("(array-type (array-type int 2) N)", [[1, 2], [3, 4]], "[[1 2]\n [3 4]]"),
    ("(array-type (array-type int 2) N)", [[1], [2]], "but its type says 2"),
    ("(array-type (array-type int N) N)", np.zeros((2, 3), np.int32), "the sizes disagree"),
    (
        "(array-type (tuple-type int int) N)",
        (np.array([1, 2, 3], np.int32),) * 2,
        "an array of tuples is needed, not 2 arrays",
    ),
    ("(array-type (tuple-type int int) N)", [(1, 10), (2, 20)], "[(1, 10) (2, 20)]"),
    ("(array-type (tuple-type int int) N)", [(1, 10), (2,)], "a tuple of 2 is needed, not a tuple of 1"),
    ("(array-type (tuple-type int int) N)", np.array([1, 2], np.int32), "tuples of 2 are needed"),
    ("(array-type (tuple-type int int) N)", np.array([[1, 2]], np.int32), "[(1, 2)]"),
    ("(array-type (tuple-type int float) N)", np.array([(1, 2)], "i4,f4"), "[(1, 2.)]"),
    ("(array-type (tuple-type int float) N)", np.array([(1, 2)], "i4,f8"), "field `f1` holds `float64`"),
    ("(array-type (exists (X) (array-type int X)) N)", [[1], [], [2, 3]], "Rows([[1], [], [2, 3]])"),
    ("(array-type (exists (X) (array-type int X)) N)", [[1], [2.5]], "`Int` is needed, not `2.5`"),
    ("(array-type (exists (X) (array-type int X)) N)", [1, 2], "an array is needed, not `1`"),
    ("(array-type (array-type (exists (X) (array-type int X)) 2) N)", [[[1], []], [[2, 3], [4]]], "[[1], []]"),
    ("(array-type (exists (X) (array-type (tuple-type int bool) X)) N)", [[(1, True)], []], "[(1,  True)]"),
    ("(tuple-type int float)", (1, 2.5), "(np.int32(1), np.float32(2.5))"),
]


@pytest.mark.parametrize(("type", "value", "expected"), FITTING)
def test_python_takes_what_fits_and_converts_nothing(imported, type, value, expected):
    program = f"(lift same (N) ({type} int) (lambda (x n) x))\n"
    same = imported("same", program)
    try:
        said = str(same.same(value, 0, **({"N": 0} if "N" not in type else {})))
    except same.LiftError as e:
        assert e.code == "input", e
        said = str(e)
    assert expected in said, said


def test_python_names_of_kernels_and_files(lift, imported):
    product = imported(
        "scalar-product", "(lift scalar-product (N) ((array-type int N)) (lambda (xs) (reduce 0 + xs)))\n"
    )
    assert product.scalar_product([1, 2, 3])[0] == 6
    step = "(lift step (N) ((array-type int N)) (lambda (xs) (map (+ {}) xs)))\n"
    one, two = imported("one", step.format(1)), imported("two", step.format(2))
    assert (list(one.step([1])), list(two.step([1]))) == ([2], [3])
    assert one.LiftError is two.LiftError
    both = imported(
        "both", step.format(3) + ";;; Doubles.\n(lift lambda-2 (N) ((array-type int N)) (lambda (xs) (map (* 2) xs)))\n"
    )
    assert (list(both.step([1])), list(both.lambda_2([4]))) == ([4], [8])
    assert "Doubles." in both.lambda_2.__doc__
    assert str(inspect.signature(both.step)) == "(xs: 'Array[Int,N]', /, *, N: 'int' = None) -> 'Array[Int,N]'"


def test_python_takes_what_suits_the_device(imported):
    from lift_runtime.devices import engine

    table = imported("table", TABLE).table
    where, _ = engine()
    assert where.target() == "cpu", "tests run on a processor"
    assert table._program(where)[1] == table._programs["cpu"][1] != table._programs["portable"][1]
    portable = imported("rounds", ROUNDS, "--target", "portable").rounds
    assert list(portable._programs) == ["portable"]


def test_python_arrays_of_the_device(imported, queue):
    import pyopencl.array as cla

    kept = imported("kept", KEPT)
    kernel = kept.kept.on(queue)
    for n in (5, 200_000):
        xs = np.linspace(0, 1, n, dtype=np.float32)
        there = kernel(cla.to_device(queue, xs), out="device")
        assert isinstance(there, cla.Array)
        np.testing.assert_array_equal(there.get(), (xs * 2)[xs > 0.5])
        np.testing.assert_array_equal(kernel(there, out="device").get(), (xs * 4)[xs > 0.5])
        # The kernel waits for another queue's commands; without a choice it runs on the array's device.
        np.testing.assert_array_equal(kept.kept(cla.to_device(queue, xs)), (xs * 2)[xs > 0.5])
    with pytest.raises(kept.LiftError, match="holds `float64`"):
        kernel(cla.to_device(queue, np.zeros(3)))
    rows = imported("rows", ROWS).rows
    with pytest.raises(kept.LiftError, match="gives arrays of equal rows"):
        rows(np.zeros((2, 2), np.int32), out="device")


@pytest.mark.parametrize("on", ["queue", "device"])
def test_python_results_on_the_device_use_memory_again(imported, queue, monkeypatch, on):
    import pyopencl as cl
    import pyopencl.array as cla

    kept = imported("kept", KEPT)
    kernel = kept.kept.on(queue if on == "queue" else queue.device)
    where, _ = kernel._where([])
    made = []

    class Counted(cl.Buffer):
        def __init__(self, *arguments, **named):
            made.append(arguments)
            super().__init__(*arguments, **named)

    # Inputs in the kernel's context.
    inputs = cl.CommandQueue(where.context)
    xs = np.linspace(0, 1, 50_000, dtype=np.float32)
    there, here = cla.to_device(inputs, xs), (xs * 2)[xs > 0.5]
    np.testing.assert_array_equal(kernel(there, out="device").get(), here)
    pool = where.idle._runs[-1].pool
    allocated = pool.blocks()
    monkeypatch.setattr(cl, "Buffer", Counted)
    for _ in range(10):
        kernel(there, out="device")
    assert (made, pool.blocks()) == ([], allocated), "ten calls allocate nothing"
    # Results in use are not reused.
    results = [kernel(there * scale, out="device") for scale in (1, 2, 4)]
    assert pool.blocks() == allocated + 2
    for scale, result in zip((1, 2, 4), results):
        np.testing.assert_array_equal(result.get(), (xs * scale * 2)[xs * scale > 0.5])
    # Not before another queue has read them, either.
    other = kept.kept.on(cl.CommandQueue(where.context))
    for scale in range(1, 21):
        between = kernel(there * scale, out="device")
        last = other(between, out="device")
        del between
        kernel(there, out="device")
        wanted = (xs * scale * 2)[xs * scale > 0.5]
        np.testing.assert_array_equal(last.get(), wanted * 2)
    where.idle.forget()
    assert pool.blocks() == 3, "results keep what they have"
    del results, result
    assert pool.blocks() == 0
    with pytest.raises(kept.LiftError, match="memory of a pool may be longer than the vector in it"):
        kernel(kernel(there, out="device").data)


def test_python_keeps_so_much_memory_of_results(imported, queue, monkeypatch):
    import pyopencl.array as cla

    kernel = imported("kept", KEPT).kept.on(queue)
    where, _ = kernel._where([])
    where.idle.forget()
    monkeypatch.setattr(where.idle, "_most", 1 << 20)
    results = [kernel(cla.to_device(queue, np.zeros(100_000 + i, np.float32)), out="device") for i in range(10)]
    pools = [run.pool for run in where.idle._runs]
    assert sum(pool.held() for pool in pools) < 1 << 20
    del results
    assert sum(pool.held() for pool in pools) > 1 << 20, "it came back, and no call has looked"
    few = cla.to_device(queue, np.ones(5, np.float32))
    for _ in range(64):
        kernel(few, out="device")
    assert sum(pool.held() for pool in pools) <= 1 << 20


def test_python_leaves_inputs_as_they_are(imported):
    rounds = imported("rounds", ROUNDS).rounds
    xs = np.arange(100_000, dtype=np.int32)
    xs.flags.writeable = False
    np.testing.assert_array_equal(rounds(xs), np.arange(100_000) + 20)
    np.testing.assert_array_equal(xs, np.arange(100_000))
    kept = imported("kept", KEPT).kept
    first = np.linspace(0, 1, 100_000, dtype=np.float32)
    result = kept(first)
    before = result.copy()
    kept(first[::-1])
    np.testing.assert_array_equal(result, before), "a later call does not write to an earlier result"


def test_python_dlpack(imported):
    class OnCuda:
        def __dlpack_device__(self):
            return (2, 0)

        def __dlpack__(self, **_):
            raise AssertionError("not asked for")

        def get(self):
            return np.array([0.6], np.float32)

    class OnHost:
        def __init__(self, xs):
            self.__dlpack__, self.__dlpack_device__ = xs.__dlpack__, xs.__dlpack_device__

    kept = imported("kept", KEPT)
    with pytest.raises(kept.LiftError, match="OpenCL cannot import memory; copy=True"):
        kept.kept(OnCuda())
    np.testing.assert_array_equal(kept.kept(OnCuda(), copy=True), np.array([1.2], np.float32))
    np.testing.assert_array_equal(kept.kept(OnHost(np.array([0.6], np.float32))), np.array([1.2], np.float32))


def test_python_keeps_no_memory(imported):
    import gc

    import pyopencl as cl

    kept = imported("kept", KEPT).kept
    xs = np.linspace(0, 1, 50_000, dtype=np.float32)

    def made():
        gc.collect()
        return sum(isinstance(o, (cl.Buffer, cl.CommandQueue)) for o in gc.get_objects())

    kept(xs)
    before, references = made(), sys.getrefcount(xs)
    for _ in range(50):
        kept(xs)
    assert made() <= before
    assert sys.getrefcount(xs) == references, "an input that was used in place is given back"
