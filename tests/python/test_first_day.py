"""What a person gives a kernel on the first day: each message says what to do, as Python says it."""

import array
import gc

import dask
import dask.array as da
import lift
import numpy as np
import pandas
import pyarrow as pa
import pyopencl as cl
import pyopencl.array
import pytest
from IPython.core.interactiveshell import InteractiveShell
from lift import LiftError, Rows
from lift_runtime.devices import engine


@pytest.fixture(scope="module")
def program():
    return lift.source(
        "(lift inc (N) ((array-type int N)) (lambda (xs) (map (+ 1) xs)))\n"
        "(lift negated (N) ((array-type bool N)) (lambda (xs) (map not xs)))\n"
        "(lift tiles (N K) ((array-type int N)) (lambda (xs) (split #K xs)))\n"
        "(lift at (N) ((array-type int N) (array-type int 3)) (lambda (xs ys) (map (lambda (x) (aref ys x)) xs)))\n"
        "(lift both (N) ((array-type int N) (array-type int N) (array-type int (* 2 N)))\n"
        "  (lambda (xs ys zs) (map (lambda (p) (+ (get1 p) (get2 p))) (zip xs ys))))\n"
        "(lift sums (N) ((array-type (exists (X) (array-type int X)) N)) (lambda (rows)\n"
        "  (map (lambda (r) (reduce 0 + r)) rows)))\n"
        "(lift total (N M) ((array-type (array-type int M) N)) (lambda (xss) (map (reduce 0 +) xss)))\n"
        "(lift second (N) ((tuple-type int (array-type int N))) (lambda (t) (get2 t)))\n"
        "(lift prices (N) ((array-type (tuple-type int float) N)) (lambda (ps) (map (lambda (p) (get2 p)) ps)))\n"
    )


def ints(*values):
    return np.array(values, np.int32)


def said(run, *inputs, **options):
    with pytest.raises(LiftError) as raised:
        run(*inputs, **options)
    return str(raised.value)


class Awkward:
    """An array of Awkward Array, which has no `astype`."""

    __module__ = "awkward.highlevel"

    def __array__(self, dtype=None, copy=None):
        return np.arange(3)


@pytest.mark.parametrize(
    ("kernel", "value", "end"),
    [
        ("inc", array.array("q", [1]), "`numpy.asarray(…).astype(numpy.int32)`"),
        ("inc", memoryview(np.arange(3)), "`numpy.asarray(…).astype(numpy.int32)`"),
        ("inc", Awkward(), "`awkward.values_astype(…, numpy.int32)`"),
        ("negated", np.zeros(2, np.uint8), "`Bool` is NumPy's `bool`: convert with `.astype(bool)`"),
        ("inc", np.arange(3), "the array holds `int64`; `Int` is NumPy's `int32`: convert with `.astype(numpy.int32)`"),
        ("sums", [np.arange(3), ints(1)], "an array in it holds `int64`; `Int` is NumPy's `int32`: convert with "),
        ("sums", [ints(1), np.array([])], "an array in it holds `float64`; "),
        ("sums", Rows([0, 3], np.arange(3)), "convert with `.astype(numpy.int32)`"),
        ("prices", (ints(1), np.zeros(1, np.float32)), "not 2 arrays: `list(zip(…))` makes one of them"),
        ("prices", [ints(1), np.zeros(1, np.float32)], "not 2 arrays: `list(zip(…))` makes one of them"),
        ("second", (1, np.arange(3)), "an array in it holds `int64`; `Int` is NumPy's `int32`: convert with `.astype("),
    ],
)
def test_advice_is_what_the_value_can_do(program, kernel, value, end):
    assert end in said(program[kernel], value)


def test_columns_in_another_order_are_not_converted(program):
    """The conversion would lose precision."""
    exact = np.zeros(2, [("price", np.float32), ("item", np.int32)])
    for value in (exact, pandas.DataFrame(exact)):
        assert said(program.prices, value).endswith('convert with `[["item", "price"]]`')
        assert program.prices(value[["item", "price"]]).tolist() == [0, 0]
    doubles = exact.astype([("price", np.float64), ("item", np.int32)])
    assert said(program.prices, doubles).endswith('`.astype([("price", "int32"), ("item", "float32")])`')


def test_a_result_is_a_new_array(program):
    message = '`out` is "device" or omitted, not an array of shape (2,); a result is a new array'
    assert said(program.inc, [1, 2], out=np.empty(2, np.int32)) == message
    assert said(program.inc, [1, 2], out="host").startswith("`out` is \"device\" or omitted, not `'host'`")


def test_rows_are_converted_as_an_array_is(program):
    rows = Rows([0, 1, 3], np.arange(3))
    assert program.sums(rows.astype(np.int32)).tolist() == [[0], [3]]
    assert Rows([0, 2], rows).astype(np.float32).values.values.dtype == np.float32


def test_what_a_slice_of_arrow_leaves_out_may_be_null(program):
    rows = pa.array([[1, None], [2, 3], [4]], pa.list_(pa.int32()))
    assert program.sums(rows[1:]).tolist() == [[5], [4]]
    assert "1 value is null" in said(program.sums, rows)


@pytest.mark.parametrize(
    ("kernel", "inputs", "sizes", "message"),
    [
        ("at", [[0], [1, 2]], {}, "`ys` has 2 elements, but its type says 3"),
        ("both", [[1], [1, 2], [1, 2]], {}, "the sizes disagree: `N` is 1 by `xs`, but `ys` has 2 elements"),
        (
            "both",
            [[1], [2], [3]],
            {},
            "the sizes disagree: `N` is 1 by `xs`, so that `2*N` is 2, but `zs` has 1 element",
        ),
        ("tiles", [[1, 2]], {}, "the size `K` does not follow from the shapes of the inputs; give it, as in `K=16`"),
        ("tiles", [[1, 2]], {"N": 3, "K": 1}, "the sizes disagree: `N` is given as 3, but `xs` has 2 elements"),
        ("inc", [[1.5]], {}, "`Int` is needed, not `1.5`"),
        ("inc", [[1], [2]], {}, "`inc` takes one input (`xs`), but 2 are given"),
    ],
)
def test_devices_the_interpreter_and_the_tuner_say_the_same(program, kernel, inputs, sizes, message):
    one = program[kernel]
    for run in (one, one.on("interpreter"), one.on("opencl:0,1"), one.tune):
        assert said(run, *inputs, **sizes).endswith(message)


def test_a_program_that_prints_nothing_is_an_error_of_each_command(monkeypatch):
    # A program of its own, so that nothing is cached by another test.
    program = lift.source("(lift inc (N) ((array-type int N)) (lambda (xs) (map (+ 1) xs)))")
    monkeypatch.setenv("LIFT", "/bin/true")
    xs = ints(1, 2)
    for run in (program.inc.cost, lambda: program.inc.on("interpreter")(xs), lambda: program.inc.spread(xs)):
        with pytest.raises(LiftError, match="/bin/true printed 0 answers"):
            run()


def test_options_that_are_none(program):
    for seconds in (-1, float("nan"), float("inf"), "5", True):
        assert "is not a number of seconds" in said(program.inc.tune, [1], seconds=seconds)
    for chunks in (0, -1, 2.5, "auto", (1, 2), True):
        assert "is not a number of elements from 1 on" in said(program.inc.spread, [1], chunks=chunks)
    assert said(program.inc.cost, target="fpga").startswith("there is no target `fpga`; there are `portable`")


def test_arrays_of_a_device_where_they_cannot_be(program):
    device = cl.get_platforms()[0].get_devices()[0]
    one, other = (pyopencl.array.to_device(cl.CommandQueue(cl.Context([device])), ints(1, 2, 3)) for _ in range(2))
    zs = ints(1, 2, 3, 4, 5, 6)
    message = "input `ys` is in another context of OpenCL than the run; `.get()` takes it to the host"
    assert said(program.both, one, other, zs) == message
    assert program.both(one, other.get(), zs).tolist() == [2, 4, 6]
    for run in (program.inc.on("opencl:0,1"), program.inc.spread):
        assert said(run, one).endswith("`.get()` takes it to the host")


def test_chunks_of_unknown_lengths_that_are_not_enough(program):
    xs = ints(*range(10))
    spread = da.from_array(xs, chunks=4)
    some = spread[spread > 2]
    twice = lift.source("(lift f (N) ((array-type int N) (array-type int N)) (lambda (xs ys) (zip xs ys)))").f
    message = "not cut alike: the chunks of `xs` have unknown lengths, which `compute_chunk_sizes()` finds"
    # Giving `N` does not help.
    for sizes in ({}, {"N": 7}):
        assert said(twice, some, xs[xs > 2], **sizes).endswith(message)
    assert len(twice(some.compute_chunk_sizes(), xs[xs > 2]).compute()) == 7
    grid = da.from_array(np.ones((4, 6), np.int32), chunks=(2, 3))
    message = "the rows of `xss` are cut at unknown positions: `compute_chunk_sizes()` finds them"
    assert said(program.total, grid[:, grid[0] > 0]) == message
    whole = grid.rechunk((2, 6))
    rows = whole[:, whole[0] > 0]
    assert "needs the size `M`" in said(program.total, rows) and "compute_chunk_sizes" in said(program.total, rows)
    assert program.total(rows, M=6).compute().tolist() == [[6]] * 4


def test_a_table_of_dask_is_an_array_of_tuples(program):
    class Column:
        """A column as in pandas, which is not installed for tests."""

        def __init__(self, prices):
            self.prices = prices

        def to_records(self, index):
            assert index is False
            made = np.rec.fromarrays([np.arange(len(self.prices), dtype=np.int32), self.prices], names="item,price")
            return made

    class Frame:
        __module__ = "dask.dataframe"
        columns = ("item", "price")

        def __init__(self, dtype):
            self.blocks = [np.array(block, dtype) for block in ([0.5, 1.5], [], [2.5])]
            self._meta = Column(np.array([], dtype))

        def map_partitions(self, function, meta):
            blocks = [da.from_delayed(dask.delayed(function)(Column(b)), (np.nan,), meta=meta) for b in self.blocks]
            return da.concatenate(blocks, allow_unknown_chunksizes=True)

    prices = program.prices(Frame(np.float32))
    assert prices.compute().tolist() == [0.5, 1.5, 2.5]
    assert "the array holds `[('item', '<i4'), ('price', '<f8')]`" in said(program.prices, Frame(np.float64))


def test_rows_of_different_lengths_in_lists_are_drawn():
    drawn = lift.plot([[1, 2], [3]])
    assert (drawn.rows, drawn.columns) == (2, 2)
    for wrong in (None, [None, 1], [[1, [2, 3]], [4]]):
        assert "can be drawn" in said(lift.plot, wrong)


def test_an_option_of_a_cell_that_fails_shows_no_frames(capsys):
    shell = InteractiveShell.instance()
    shell.run_line_magic("load_ext", "lift")
    inc = "(lift inc-of (N) ((array-type int N)) (lambda (xs) (map (+ 1) xs)))"
    for option, message in (("--tune -1", "is not a number of seconds"), ("--tune 0", "give it, as in `N=16`")):
        done = shell.run_cell(f"%%lift {option}\n{inc}")
        shown = capsys.readouterr()
        assert isinstance(done.error_in_exec, LiftError)
        assert message in shown.out + shown.err and "Traceback" not in shown.out + shown.err


def test_calls_leave_nothing_behind(program):
    """Calls with more sizes than the cache holds do not increase memory."""
    idle = engine()[0].idle

    def calls(count):
        for i in range(count):
            program.inc(np.zeros(i % 80, np.int32))
        gc.collect()
        return len(gc.get_objects()), idle._total

    calls(160)
    objects, memory = calls(160)
    # A leak of one object per call gives 800; the interpreter itself allocates some dozens.
    again = calls(800)
    assert again[0] < objects + 400 and again[1] <= memory + 2**16, (objects, memory, again)


def test_a_kernel_is_what_it_was_when_an_import_changes(tmp_path):
    (tmp_path / "b.lift").write_text("(define (g x) (+ x 1))\n")
    file = tmp_path / "a.lift"
    file.write_text('(import "b.lift")\n(lift f (N) ((array-type int N)) (lambda (xs) (map g xs)))\n')
    kernel = lift.load(file).f
    (tmp_path / "b.lift").write_text(";; Nothing else.\n(define (g x) (+ x 1))\n")
    assert kernel.on("interpreter")([1]).tolist() == [2]
    (tmp_path / "b.lift").write_text("(define (g x) (+ x 100))\n")
    assert kernel([1]).tolist() == kernel.on("opencl:1")([1]).tolist() == [2]
    for use in (kernel.on("interpreter"), kernel.on("opencl:0,1"), kernel.spread, kernel.tune):
        assert said(use, [1]).startswith("a file that a.lift imports has changed since it was loaded")
    assert lift.load(file).f.on("interpreter")([1]).tolist() == [101]
