"""Kernels as functions of Python."""

import ast
import inspect
import multiprocessing
import os
import pickle
import pydoc
import re
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import lift
import numpy as np
import pyarrow as pa
import pyopencl as cl
import pytest
from lift import LiftError, Rows
from lift_runtime.devices import engine

FIRST = """
;;; Keeps what is large.
(lift kept (N) ((array-type float N))
  (lambda (xs) (filter (lambda (x) (> x 0.5f)) xs)))
(lift scalar-product (N) ((array-type float N) (array-type float N))
  (lambda (xs ys) (reduce 0.0f + (map (lambda (p) (* (get1 p) (get2 p))) (zip xs ys)))))
(lift rows (N M) ((array-type (array-type int M) N))
  (lambda (xss) (map (lambda (row) (filter (lambda (x) (> x 2)) row)) xss)))
(lift sums (N) ((array-type (exists (X) (array-type int X)) N))
  (lambda (rows) (map (lambda (row) (head (reduceSeq 0 + row))) rows)))
(lift tiles (N K) ((array-type int N)) (lambda (xs) (split #K xs)))
"""


@pytest.fixture(scope="module")
def program():
    return lift.source(FIRST)


def floats(*values):
    return np.array(values, np.float32)


def test_the_first_example(examples):
    first = lift.load(examples / "first.lift").first
    assert repr(first) == "<lift first : Array[Float,N] -> <∃X, Array[Float,X]>>"
    np.testing.assert_array_equal(first(floats(0.1, 0.6, 0.9)), floats(1.2, 1.8))


def test_a_program_and_its_kernels(program):
    assert list(program) == ["kept", "scalar-product", "rows", "sums", "tiles"]
    assert program.scalar_product is program["scalar-product"]
    assert {"kept", "scalar_product"} <= set(dir(program))
    with pytest.raises(AttributeError, match="there is no kernel `keep`; there is `kept`, `scalar-product`"):
        program.keep  # noqa: B018
    with pytest.raises(KeyError, match="there is no kernel `keep`"):
        program["keep"]
    signature = inspect.signature(program.tiles)
    assert str(signature) == "(xs: 'Array[Int,N]', /, *, N: 'int' = None, K: 'int' = None) -> 'Array[Array[Int,K],N/K]'"
    shown = pydoc.plain(pydoc.render_doc(program.kept))
    assert "Keeps what is large." in shown and "xs : Array[Float,N]" in shown


def test_names_that_python_does_not_take():
    odd = lift.source(
        "(lift b-c (N copy self a-b class) ((array-type int N))\n"
        "  (lambda (copy_) (map (map (+ (+ a-b class))) (split #copy copy_))))\n"
        "(lift b_c (N) ((array-type int N)) (lambda (xs) xs))\n"
        "(lift class (N) ((array-type int N)) (lambda (xs) (map (* 2) xs)))"
    )
    assert str(inspect.signature(odd["b-c"])).startswith(
        "(copy__: 'Array[Int,N]', /, *, N: 'int' = None, copy_: 'int' = None, self: 'int' = None, a_b: 'int' = None, "
    )
    given = {"copy_": 2, "self": 7, "a_b": 10, "_class": 100}
    kernel = odd["b-c"]
    expected = [[111, 112], [113, 114]]
    for run in (kernel, kernel.on("interpreter"), lambda *xs, **sizes: kernel.spread(*xs, chunks=1, **sizes).compute()):
        assert run([1, 2, 3, 4], N=None, **given).tolist() == expected
    assert kernel([1, 2, 3, 4], **given | {"a-b": 10}).tolist() == expected
    assert kernel.cost(N=4, **given).bytes_written == 16
    with pytest.raises(LiftError, match="give it, as in `a_b=16`"):
        kernel([1, 2], copy_=2, self=1)
    assert odd.b_c is odd["b_c"] and odd.b_c_ is odd["b-c"] and odd._class([1]).tolist() == [2]
    assert "class : Array[Int,N]" in pydoc.plain(pydoc.render_doc(odd))
    assert pickle.loads(pickle.dumps(odd)).b_c([1]).tolist() == [1]


def test_errors_are_those_of_the_program(program):
    with pytest.raises(LiftError) as raised:
        lift.source("(lift f (N) ((array-type int N))\n  (lambda (xs) (map (+ 1.5f) xs)))")
    assert (raised.value.code, raised.value.place) == ("type-mismatch", "source.lift:2:30"), raised.value
    with pytest.raises(LiftError, match=r"\(at source.lift:1:57\)\nhelp: Write `1.0f`$"):
        lift.source("(lift f (N) ((array-type float N)) (lambda (xs) (map (+ 1) xs)))")
    with pytest.raises(LiftError, match=r"the array holds `float64`; `Float` is NumPy's `float32`") as raised:
        program.kept(np.zeros(3))
    assert raised.value.code == "input"
    with pytest.raises(LiftError, match="`scalar-product` takes 2 inputs .*, but one is given"):
        program.scalar_product(floats(1))
    with pytest.raises(LiftError, match="the sizes disagree: `N` is 1 by `.s`, but `.s` has 2 elements"):
        program.scalar_product(floats(1), floats(1, 2))
    with pytest.raises(LiftError, match="the size `K` does not follow from the shapes"):
        program.tiles([1, 2])
    with pytest.raises(LiftError, match="has the sizes `N`, `K`, and no `M`"):
        program.tiles([1, 2], K=1, M=1)
    with pytest.raises(LiftError, match="relies on `K divides N`, which is false for K = 2, N = 3") as raised:
        program.tiles([1, 2, 3], K=2)
    assert raised.value.code == "assumption-false"
    with pytest.raises(LiftError, match="there is no file"):
        lift.load("missing.lift")


@pytest.mark.parametrize(
    ("inputs", "options", "message"),
    [
        ([np.ma.array([1, 2], mask=[0, 1], dtype=np.float32)], {}, "are masked"),
        ([pa.array([1.0, None], pa.float32())], {}, "1 value is null"),
        ([[10**400]], {}, "1329 bits is out of the range of `Float`"),
        ([[1.0]], {"N": [1]}, "given as .1.; a size is a natural number"),
        ([[1.0]], {"N": 1.0}, "given as 1.0; a size"),
        ([[1.0]], {"out": np.zeros(1)}, "`out` is .device. or omitted, not an array"),
        ([], {"xs": [1.0]}, "`xs` is an input of `kept`: inputs are given by position"),
        ([np.zeros(2, ">f4")], {}, "holds `>f4`"),
        ([np.float32(1)], {}, "an array is needed"),
        ([np.zeros(2, [("a", "f4")])], {}, "holds .*NumPy's `float32`$"),
        ([np.zeros(2, np.complex64)], {}, "holds `complex64`; `Float` is NumPy's `float32`$"),
        ([np.zeros((2, 2), np.float32)], {}, r"the type has 1 dimension; the array has shape \(2, 2\)"),
        ([{1.0}], {}, "an array is needed, not a `set`: `list.….` makes one"),
        ([(1.0, 2.0)], {}, "an array is needed, not a tuple of 2: `list.….` makes one"),
        ([(x for x in [1.0])], {}, "an array is needed, not a `generator`: `list.….` makes one"),
        (["text"], {}, "an array is needed, not `'text'`"),
        ([[1j]], {}, "`Float` is needed, not a `complex`"),
    ],
)
def test_what_is_no_input(program, inputs, options, message):
    program.kept([1.0], N=1)
    with pytest.raises(LiftError, match=message) as raised:
        program.kept(*inputs, **options)
    assert raised.value.code == "input"


class Nullable:
    """A column of pandas with a missing value."""

    dtype = type("Float32Dtype", (), {"na_value": None})()

    def isna(self):
        return np.array([False, True])

    def __array__(self, dtype=None, copy=None):
        return floats(1, np.nan)


class NullableTable:
    """A table of pandas, in which one column may have missing values and another has a NaN."""

    dtypes = (Nullable.dtype, np.dtype(np.float32))

    def isna(self):
        return np.array([[False, True], [True, False]])

    def __array__(self, dtype=None, copy=None):
        return floats(1, np.nan, np.nan, 2).reshape(2, 2)


class PolarsColumn:
    def null_count(self):
        return 2

    def __array__(self, dtype=None, copy=None):
        return floats(1, np.nan, np.nan)


def test_what_is_missing_is_no_number(program):
    table = pa.table({"a": pa.array([1.0, None], pa.float32())})
    doubled = lift.source(
        "(lift f (N M) ((array-type (array-type float M) N)) (lambda (xs) (map (map (* 2.0f)) xs)))"
    ).f
    for kernel, value, missing in (
        (program.kept, Nullable(), "1 value is missing; Lift has no such value: `.fillna"),
        (program.kept, PolarsColumn(), "2 values are missing; Lift has no such value: `.fill_null"),
        (doubled, NullableTable(), "1 value is missing"),
        (doubled, table, "1 value is missing"),
    ):
        with pytest.raises(LiftError, match=missing):
            kernel(value)


def test_a_scalar_is_no_array():
    scaled = lift.source("(lift scaled (N) (float (array-type float N)) (lambda (a xs) (map (* a) xs)))").scaled
    assert scaled(np.array(3, np.float32), [1.0]).tolist() == scaled(3, [1.0]).tolist() == [3.0]
    with pytest.raises(LiftError, match=r"a number is needed; the array has shape \(1,\)"):
        scaled(floats(3), [1.0])


def test_an_error_shows_no_frames_of_the_module(program):
    with pytest.raises(LiftError) as raised:
        program.kept(np.zeros(3))
    assert len(raised.traceback) == 2, raised.traceback


def test_views_of_every_kind_are_taken(program):
    xs = np.linspace(0, 1, 10, dtype=np.float32)
    frozen = np.ones(1 << 15, np.float32)
    frozen.setflags(write=False)
    odd = np.frombuffer(b"\0" + xs.tobytes(), np.uint8)[1:].view(np.float32)
    series = pa.chunked_array([xs[:5], xs[5:]])
    unmasked = np.ma.array(xs)
    for view in (xs[::-2], np.broadcast_to(xs[9], 4), frozen, odd, memoryview(xs), series, unmasked, xs[:0]):
        array = np.asarray(view)
        assert program.kept(view).tolist() == array[array > 0.5].tolist()
    matrix = np.arange(6, dtype=np.int32).reshape(3, 2)
    assert program.rows(matrix.T).tolist() == program.rows(matrix.T.copy()).tolist() == [[4], [3, 5]]


def test_large_results_begin_at_a_large_page(program):
    xs = np.ones(1 << 20, np.float32)
    assert program.kept(xs).ctypes.data % (1 << 21) == 0


def test_numbers_that_a_half_cannot_hold():
    halves = lift.source("(lift f (N) ((array-type half N)) (lambda (xs) (map (* 2.0h) xs)))").f
    assert halves([1.5, -0.25]).tolist() == [3.0, -0.5]
    with pytest.raises(LiftError, match="1000000.0 is out of the range of `Half`"):
        halves([1e6])


def test_each_error_has_its_place(tmp_path):
    (tmp_path / "a.lift").write_text('(import "b.lift")\n(lift f (N) ((array-type int N)) (lambda (xs) (map g xs)))\n')
    with pytest.raises(LiftError, match="there is no file .*b.lift"):
        lift.load(tmp_path / "a.lift")
    (tmp_path / "b.lift").write_text("(define (g x) (+ x\n")
    with pytest.raises(LiftError, match=r"a.lift:2:\d+\)\nb.lift:1:18: .* not closed"):
        lift.load(tmp_path / "a.lift")
    with pytest.raises(TypeError, match="a str, not bytes"):
        lift.source(b"(lift")


def test_what_is_no_choice(program):
    for memory in (0, -1, "1G", 1.5, True):
        with pytest.raises(LiftError, match="not a positive number of bytes"):
            program.kept.on("opencl:0", memory=memory)
    for wrong in (-3, 1.5, True):
        with pytest.raises(LiftError, match=r"a size is a natural number$") as raised:
            program.kept.cost(N=wrong)
        assert raised.value.code == "input"
    # The error occurs where the choice is made, not at the call.
    for choice in (3, "cuda", "gpu", b"opencl:0"):
        with pytest.raises(LiftError) as raised:
            program.kept.on(choice)
        assert raised.value.code == "no-device"
    with pytest.raises(LiftError, match="target=1000 is not the name of a target"):
        program.kept.cost(1000)


def test_a_program_that_is_not_lift(monkeypatch):
    monkeypatch.setenv("LIFT", "/bin/echo")
    with pytest.raises(LiftError, match="/bin/echo printed 0 answers: it is not the program `lift` of this version"):
        lift.source(FIRST)


def test_ctrl_c_ends_a_long_run(program, monkeypatch):
    """Drivers wait without handling signals. An event that never completes replaces the device."""
    done = threading.Event()
    xs = floats(0.1, 0.9)
    program.kept(xs)
    finish = cl.CommandQueue.finish
    monkeypatch.setattr(cl.CommandQueue, "finish", lambda queue: (done.wait(60), finish(queue)))
    for prepared in program.kept._prepared.values():
        monkeypatch.setattr(prepared, "seconds", 1.0)
    # Background jobs of a shell ignore the signal.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Timer(0.1, os.kill, [os.getpid(), signal.SIGINT]).start()
    started = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            program.kept(xs)
    finally:
        signal.signal(signal.SIGINT, before)
    assert time.monotonic() - started < 30
    done.set()
    assert program.kept(xs).tolist() == [np.float32(0.9)]


def test_a_kernel_with_an_error_keeps_no_other_from_running():
    program = lift.source(
        "(lift good (N) ((array-type int N)) (lambda (xs) (map (+ 1) xs)))\n"
        "(lift bad (N) ((array-type int N)) (lambda (xs) (map (+ 1.5f) xs)))\n"
    )
    assert program.good([1]).tolist() == [2]
    with pytest.raises(
        AttributeError, match="there is no kernel `bad`; there is `good` .an error: .* .at source.lift:2:"
    ):
        program.bad  # noqa: B018


def test_what_it_costs_and_the_text(program):
    assert program.kept.cost(N=10**6).bytes_read >= 4 * 10**6
    assert "N" in program.kept.cost().bytes_read
    assert "kernel void" in program.kept.opencl


def test_results_by_device_and_interpreter(program):
    ragged = [[1, 2, 3], [], [4, 5]]
    matrix = np.arange(6, dtype=np.int32).reshape(2, 3)
    for choice in (None, "opencl", "opencl:0", "interpreter"):
        product = program.scalar_product.on(choice)(floats(1, 2), floats(3, 4))
        assert product.tolist() == [11.0]
        rows = program.rows.on(choice)(matrix)
        assert isinstance(rows, Rows) and rows.tolist() == [[], [3, 4, 5]]
        assert program.sums.on(choice)(ragged).tolist() == [6, 0, 9]
        assert program.sums.on(choice)(Rows([0, 3, 3, 5], np.array([1, 2, 3, 4, 5], np.int32))).tolist() == [6, 0, 9]
        assert program.tiles.on(choice)([1, 2, 3, 4], K=2).tolist() == [[1, 2], [3, 4]]
    with pytest.raises(LiftError, match="there is no device `opencl:99`"):
        program.kept.on("opencl:99")(floats(1))


VALUES = [
    ("int", "7"),
    ("(array-type float N)", "[0.5, 1.5]"),
    ("(array-type (array-type long 2) N)", "[[1, 2], [3, 4]]"),
    ("(array-type (vector-type float 4) N)", "[[1.0, 2.0, 3.0, 4.0]]"),
    ("(array-type (tuple-type int bool) N)", "[(1, True), (2, False)]"),
    ("(tuple-type int (array-type double N))", "(1, [0.5, 0.25])"),
    ("(array-type (exists (X) (array-type int X)) N)", "[[1], [], [2, 3]]"),
    ("(array-type (array-type (exists (X) (array-type int X)) 2) N)", "[[[1], []], [[2, 3], [4]]]"),
    ("(array-type (exists (X) (array-type (exists (Y) (array-type int Y)) X)) N)", "[[[1, 2], []], [], [[3]]]"),
    ("(array-type (exists (X) (array-type (tuple-type int float) X)) N)", "[[(1, 0.5)], []]"),
    ("(array-type (tuple-type int (exists (X) (array-type int X))) N)", "[(1, [2, 3]), (4, [])]"),
    ("(array-type (i) (array-type int (+ i 1)) N)", "[[1], [2, 3]]"),
    ("(exists (X) (array-type (array-type int 3) X))", "[[1, 2, 3], [4, 5, 6]]"),
]


def plain(value):
    if isinstance(value, tuple):
        return tuple(map(plain, value))
    if isinstance(value, list):
        return [plain(v) for v in value]
    return value.tolist() if hasattr(value, "tolist") else value


@pytest.mark.parametrize(("type", "text"), VALUES)
def test_values_of_every_shape_come_back(type, text):
    # An input that is only returned needs no device, so the result uses a second one.
    kernel = lift.source(f"(lift same (N) ({type} (array-type int N)) (lambda (x ys) x))").same
    value = eval(text)  # noqa: S307
    count = len(value[1]) if isinstance(value, tuple) else len(value) if isinstance(value, list) else 1
    if "(exists (X) (array-type (array-type int 3)" in type:
        count = 1
    other = np.zeros(count, np.int32)
    there = kernel(value, other)
    interpreted = kernel.on("interpreter")(value, other)
    assert plain(there) == plain(interpreted) == plain(value)
    if not isinstance(there, tuple) or "array-type" in type:
        assert plain(kernel(there, other)) == plain(value), "a result is an input again"


def test_without_a_device_the_interpreter_runs():
    code = (
        "import lift, numpy as np, warnings\n"
        "with warnings.catch_warnings(record=True) as said:\n"
        "    warnings.simplefilter('always')\n"
        "    k = lift.source('(lift f (N) ((array-type int N)) (lambda (xs) (map (+ 1) xs)))').f\n"
        "    print(k([1, 2]).tolist(), [str(w.message) for w in said])\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, "OCL_ICD_VENDORS": "/nowhere", "OCL_ICD_FILENAMES": ""},
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith("[2, 3] "), ran.stdout
    assert "running on the interpreter: there is no OpenCL device" in ran.stdout


def test_a_driver_that_compiles_nothing_is_no_device(program, monkeypatch):
    build = cl.Program.build

    def refuse(self, *arguments, **options):
        raise cl.RuntimeError("clBuildProgram failed\n\nerror: unknown target CPU 'generic'\n")

    def refuse_ours(self, *arguments, **options):
        return (build if "nothing" in self._source else refuse)(self, *arguments, **options)

    # Texts that no other test has built.
    numbered = "(lift f (N) ((array-type int N)) (lambda (xs) (map (+ {}) xs)))"
    monkeypatch.setattr(cl.Program, "build", refuse)
    with pytest.warns(RuntimeWarning, match="on the interpreter: the driver of .* compiles no program.* 'generic'"):
        assert lift.source(numbered.format(7041)).f([1]).tolist() == [7042]
    with pytest.raises(LiftError, match="compiles no program") as raised:
        lift.source(numbered.format(7042)).f.on("opencl:0")([1])
    assert raised.value.code == "no-device"
    monkeypatch.setattr(cl.Program, "build", refuse_ours)
    with pytest.raises(LiftError, match="refused the generated OpenCL") as raised:
        lift.source(numbered.format(7043)).f([1])
    assert raised.value.code == "internal-error"


def test_a_driver_that_ends_the_process_is_no_device(monkeypatch):
    """The driver lacks its linker; a separate process detects that."""
    where, module = engine("opencl:0")[0], sys.modules["lift_runtime.devices"]
    added = lift.source("(lift f (N) ((array-type int N)) (lambda (xs) (map (+ 7044) xs)))").f
    monkeypatch.setattr(where, "_links", None)
    monkeypatch.setattr("shutil.which", lambda name: None)
    assert added.on("opencl:0")([1]).tolist() == [7045], "a driver that needs none is used"
    monkeypatch.setattr(where, "_links", None)
    monkeypatch.setattr(module, "_NOTHING", "import os; os.abort()")
    with pytest.warns(RuntimeWarning, match="on the interpreter: the driver of .* the linker `ld`"):
        assert added([2]).tolist() == [7046]
    monkeypatch.setattr(module, "_NOTHING", "this is asked once")
    with pytest.raises(LiftError, match="ends the process") as raised:
        added.on("opencl:0")([1, 2])
    assert raised.value.code == "no-device"


def test_threads_and_processes(program):
    inputs = [np.linspace(0, 1, n, dtype=np.float32) for n in (3, 100, 20_000, 5)]
    expected = [xs[xs > 0.5] for xs in inputs]
    with ThreadPoolExecutor(4) as pool:
        for i, result in enumerate(pool.map(program.kept, inputs * 25)):
            np.testing.assert_array_equal(result, expected[i % 4])
    right = expected[1].tolist()
    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(lambda _: program.kept(inputs[1]).tolist() == right, range(4000)))
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        for result, right in zip(pool.map(program.kept, inputs), expected):
            np.testing.assert_array_equal(result, right)


def test_a_pickled_kernel_needs_no_compiler(program, tmp_path):
    program.kept(floats(1))
    (tmp_path / "kernel").write_bytes(pickle.dumps(program.kept))
    code = (
        "import pickle, sys, numpy as np\n"
        "kernel = pickle.load(open(sys.argv[1], 'rb'))\n"
        "print(kernel(np.array([0.1, 0.9], np.float32)).tolist())\n"
    )
    environment = {**os.environ, "LIFT": "/nowhere/lift"}
    ran = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "kernel"], capture_output=True, text=True, env=environment
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout == "[0.8999999761581421]\n"


def test_a_file_that_changes_keeps_its_kernels(tmp_path):
    file = tmp_path / "f.lift"
    text = "(lift f (N) ((array-type int N)) (lambda (xs) (map (+ {}) xs)))"
    file.write_text(text.format(1))
    f = lift.load(file).f
    file.write_text(text.format(2))
    assert f([1]).tolist() == [2]
    assert lift.load(file).f([1]).tolist() == [3]


def test_arrow(program):
    ragged = pa.array([[1, 2, 3], [], [4, 5]], pa.list_(pa.int32()))
    assert program.sums(ragged).tolist() == [6, 0, 9]
    assert program.sums(ragged.slice(1)).tolist() == [0, 9]
    assert program.sums(pa.chunked_array([ragged, ragged])).tolist() == [6, 0, 9] * 2
    assert program.kept(pa.array([0.1, 0.9], pa.float32())).tolist() == [np.float32(0.9)]
    rows = program.rows(np.arange(6, dtype=np.int32).reshape(2, 3))
    assert rows.to_arrow().to_pylist() == [[], [3, 4, 5]]
    # Not nullable, because Lift has no missing values.
    assert str(pa.array(rows).type) == str(rows.to_arrow().type) == "large_list<item: int32 not null>"
    assert pa.array(rows, pa.list_(pa.int32())).to_pylist() == rows.to_arrow().to_pylist()
    with pytest.raises(ValueError, match="offsets are integers, not float32"):
        Rows(np.zeros(2, np.float32), [0, 1])
    with pytest.raises(LiftError, match="1 row is null"):
        program.sums(pa.array([[1], None], pa.list_(pa.int32())))
    with pytest.raises(LiftError, match="holds `int64`"):
        program.sums(pa.array([[1]], pa.list_(pa.int64())))


def test_structs_of_arrow_are_tuples():
    swapped = lift.source(
        "(lift pairs (N) ((array-type (tuple-type int float) N))\n"
        "  (lambda (ps) (map (lambda (p) (tuple (get2 p) (get1 p))) ps)))\n"
        "(lift rows (N) ((array-type (exists (X) (array-type (tuple-type int float) X)) N))\n"
        "  (lambda (rows) (map (lambda (row) (map (lambda (p) (tuple (get2 p) (get1 p))) row)) rows)))"
    )
    pair = pa.struct([("a", pa.int32()), ("b", pa.float32())])
    pairs = pa.array([{"a": 0, "b": 0.5}, {"a": 1, "b": 2.5}], pair)
    assert swapped.pairs(pairs[1:]).tolist() == [(2.5, 1)]
    rows = swapped.rows(pa.array([[], [{"a": 1, "b": 2.5}]], pa.list_(pair)))
    assert [row.tolist() for row in rows] == [[], [(2.5, 1)]]
    assert rows.to_arrow().to_pylist() == [[], [{"f0": 2.5, "f1": 1}]]
    assert Rows.from_arrow(rows.to_arrow()) == rows
    with pytest.raises(LiftError, match="1 value is null"):
        swapped.pairs(pa.array([{"a": None, "b": 0.5}], pair))
    with pytest.raises(LiftError, match="a tuple of 2 is needed, not a list of 2 elements"):
        swapped.pairs([[1, 2.5]])


def test_many_rows_and_records_are_not_taken_one_by_one(program):
    lengths = np.arange(5000) % 7
    values = np.arange(lengths.sum(), dtype=np.int32)
    rows = Rows.from_lengths(lengths, values)
    np.testing.assert_array_equal(program.sums(rows), [row.sum() for row in rows])
    assert rows[4:6].tolist() == [rows[4].tolist(), rows[5].tolist()]
    chosen = [4, 0, 6]
    for at in (chosen, np.array(chosen), np.isin(np.arange(5000), chosen), slice(6, None, -2)):
        assert rows[at].tolist() == [rows[int(i)].tolist() for i in np.arange(5000)[at]]
    nested = Rows([0, 1, 3], Rows([0, 2, 2, 3], np.arange(3)))
    assert nested[[1, 0]].tolist() == [[[], [2]], [[0, 1]]]
    assert rows[2:9] == Rows.from_lengths(rows.lengths[2:9], np.concatenate(rows[2:9]))
    assert nested == nested[:] and nested != nested[[1, 0]] and rows != rows[1:] and rows != [1]
    for wrong in ([0, 5, 3], [0, len(values) + 1], []):
        with pytest.raises(ValueError, match="offsets"):
            Rows(wrong, values)


def close(a, b):
    """Equal up to the rounding of sums."""
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(close, a, b))
    return a == b or abs(a - b) <= 1e-5 * abs(b)


def runs(file):
    """The kernels of a file with their `;;; run:` lines."""
    text = file.read_text()
    return re.findall(r"^;;; run: (.*)$(?:\n;;;.*$)*\n\(lift ([^ ()]+)", text, re.MULTILINE)


def test_examples_run_as_by_the_program(examples):
    """Every kernel with literal inputs gives what `lift run` prints."""
    tried = 0
    for file in sorted(examples.glob("*.lift")):
        for line, name in runs(file):
            words = dict(re.findall(r"(\S+?)=(\[[^=]*\]|\S+)", line))
            if not all(re.match(r"[-\[0-9]", word) for word in words.values()):
                continue
            kernel = lift.load(file)[name]
            parameters = inspect.signature(kernel).parameters.values()
            inputs = [words[p.name] for p in parameters if p.kind is p.POSITIONAL_ONLY]
            sizes = {p.name: int(words[p.name]) for p in parameters if p.kind is p.KEYWORD_ONLY and p.name in words}
            values = [ast.literal_eval(word) for word in inputs]
            expected = kernel.on("interpreter")(*values, **sizes)
            assert close(plain(kernel(*values, **sizes)), plain(expected)), (file, name)
            tried += 1
    assert tried > 3, tried


def test_a_tuned_kernel_computes_the_same(program, capsys):
    sums = lift.source(
        "(lift apart (N M) ((array-type (array-type float M) N))\n"
        "  (lambda (xss) (map (lambda (xs) (map (lambda (x) (- x (sum xs))) xs)) xss)))"
    ).apart.on("opencl:1")
    values = np.arange(12, dtype=np.float32).reshape(3, 4)
    tuned = sums.tune(values, seconds=0.1)
    assert tuned._choice == "opencl:1" and tuned.type == sums.type
    assert tuned(values).tolist() == sums(values).tolist()
    assert " tried; " in capsys.readouterr().out
    with pytest.raises(LiftError, match="`kept` cannot be tuned: the size `N`") as raised:
        program.kept.tune(seconds=0)
    assert raised.value.place == "source.lift:3:7"
    assert program.sums.tune(Rows([0, 1], np.ones(1, np.int32)), seconds=0)([[3], []]).tolist() == [3, 0]
    with pytest.raises(LiftError, match="float64|Double"):
        sums.tune(np.zeros((2, 2)), seconds=0.5)


def test_a_kernel_runs_as_it_was_tuned_for_such_sizes(tmp_path):
    file = tmp_path / "doubled.lift"
    file.write_text("(lift doubled (N) ((array-type float N)) (lambda (xs) (map (lambda (x) (* 2.0f x)) xs)))")
    plain = lift.load(file).doubled
    device = engine("opencl:1")[0].describe()
    head = f"kernel doubled {plain.source.meanings['doubled']}\n"
    head += f"device {device['name']} | {device['platform']} | {device['driver']}\n"
    records = [(16, "target=portable"), (65536, "target=gpu")]
    texts = [f"{head}sizes N={n}\nuse {choice}\ntime 1.000 of 2.000\n" for n, choice in records]
    (tmp_path / "doubled.lift.tuned").write_text("\n".join(["lift-tuned 1", *texts]))
    tuned = lift.load(file).doubled.on("opencl:1")

    def used(n):
        assert tuned(np.ones(n, np.float32)).tolist() == [2.0] * n
        return list(tuned._prepared.values())[-1].program.get_info(cl.program_info.SOURCE)

    assert used(20) == plain._programs["portable"][1]
    assert used(65537) == plain._programs["gpu"][1]
    # No record is similar, so the default is used.
    assert used(2**21) == plain._programs["cpu"][1]


def test_a_kernel_of_a_file_that_changed_is_the_old_one_or_an_error(tmp_path):
    file = tmp_path / "f.lift"
    text = "(lift f (N) ((array-type int N)) (lambda (xs) (map (+ 1) xs)))"
    file.write_text(text, encoding="utf-8")
    kernel = lift.load(file).f
    file.write_text(text.replace("1", "2"), encoding="utf-8")
    assert kernel([1]).tolist() == [2]
    for use in (lambda: kernel.on("interpreter")([1]), lambda: kernel.cost(N=1), lambda: kernel.tune(N=1)):
        with pytest.raises(LiftError, match="f.lift has changed since it was loaded"):
            use()
    assert lift.load(file).f([1]).tolist() == [3]
