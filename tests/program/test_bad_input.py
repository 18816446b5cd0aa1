"""What is wrong with a program or its input is said clearly, and nothing dies of it."""

import os

import numpy as np
import pytest

SUM = "(lift total (N) ((array-type float N)) (lambda (xs) (reduce 0.0f + xs)))\n"
PAIRS = "(lift pairs (N) ((array-type float N) (array-type float N)) (lambda (xs ys) (zip xs ys)))\n"
DEVICES = ["opencl", "interpreter"]


# --- programs


def test_not_utf8(lift):
    program = lift.file("latin.lift", "; caf\xe9\n".encode("latin-1") + SUM.encode())
    assert "UTF-8" in lift.fails("check", program)


def test_nul_bytes(lift):
    program = lift.file("nul.lift", b"(define (f x) (+ x \x00 1))\n" + SUM.encode())
    message = lift.fails("check", program)
    assert "nul.lift:1:" in message
    # The next form keeps its type.
    assert "total : Array[Float,N] -> Array[Float,1]" in lift("types", program).out


def test_ten_megabytes_on_one_line(lift):
    program = lift.file("long.lift", "(define x " + "1" * (10 << 20) + ")")
    message = lift.fails("check", program)
    # The message quotes only a part of the line.
    assert "long.lift:1:" in message and len(message) < 10_000


def test_a_name_of_ten_megabytes(lift):
    message = lift.fails("check", lift.file("name.lift", "(define x " + "y" * (10 << 20) + ")"))
    assert "name.lift:1:" in message and len(message) < 10_000


def test_ten_megabytes_of_comment_on_one_line(lift):
    program = lift.file("comment.lift", ";" + "x" * (10 << 20) + "\n" + SUM)
    assert lift.succeeds("check", program) == ""


@pytest.mark.parametrize("brackets", ["()", "[]"])
def test_a_hundred_thousand_nested_brackets(lift, brackets):
    depth = 100_000
    program = lift.file("deep.lift", "(define x " + brackets[0] * depth + "1" + brackets[1] * depth + ")\n" + SUM)
    message = lift.fails("check", program)
    assert "syntax/too-deep" in message and len(message) < 10_000
    assert "total : Array[Float,N] -> Array[Float,1]" in lift("types", program).out


def test_a_hundred_thousand_brackets_that_are_not_closed(lift):
    message = lift.fails("check", lift.file("open.lift", "(define x " + "(" * 100_000))
    assert len(message) < 10_000


def test_an_import_cycle(lift):
    lift.file("a.lift", '(import "b.lift")\n(define (f x) (g x))\n')
    lift.file("b.lift", '(import "a.lift")\n(define (g x) (+ x 1))\n')
    message = lift.fails("check", "a.lift")
    assert "import-cycle" in message and "a.lift" in message and "b.lift" in message


def test_a_missing_import(lift):
    message = lift.fails("check", lift.file("a.lift", '(import "nowhere.lift")\n' + SUM))
    assert "missing-import" in message and "nowhere.lift" in message


def test_a_missing_program(lift):
    assert "nowhere.lift" in lift.fails("check", "nowhere.lift")


def test_a_folder_as_a_program(lift):
    (lift.folder / "folder.lift").mkdir()
    assert "folder.lift" in lift.fails("check", "folder.lift")


def test_formatting_leaves_what_it_cannot_read(lift):
    broken = b"(define (f x) \xff)\n"
    program = lift.file("broken.lift", broken)
    lift.fails("fmt", program)
    assert (lift.folder / program).read_bytes() == broken


# --- inputs


@pytest.fixture
def total(lift):
    return lift.file("total.lift", SUM)


def saved(lift, name: str, array: np.ndarray) -> str:
    np.save(lift.folder / name, array)
    return name


@pytest.mark.parametrize("kept", [0, 5, 40, 127, 128, 200])
def test_a_truncated_npy_file(lift, total, kept):
    whole = saved(lift, "whole.npy", np.zeros(100, np.float32))
    name = lift.file("short.npy", (lift.folder / whole).read_bytes()[:kept])
    assert "short.npy" in lift.fails("run", total, name)


def npy_of_shape(lift, shape: str) -> str:
    header = b"{'descr': '<f4', 'fortran_order': False, 'shape': " + shape.encode() + b", }"
    header += b" " * (118 - 1 - len(header)) + b"\n"
    return lift.file("huge.npy", b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + b"\0" * 64)


def test_a_npy_file_that_promises_more_than_there_is(lift, total):
    assert "huge.npy" in lift.fails("run", total, npy_of_shape(lift, "(1000000000000,)"))


@pytest.mark.parametrize("shape", ["(5000000000, 0)", "(5000000000, 0, 7)", "(3000000, 3000000, 0)"])
def test_a_npy_file_of_billions_of_empty_rows(lift, shape):
    row = "(array-type float M)" if shape.count(",") == 1 else "(array-type (array-type float 7) M)"
    if shape.startswith("(3000000,"):
        row = "(array-type (array-type float K) M)"
    program = lift.file("rows.lift", f"(lift f (N M K) ((array-type {row} N)) (lambda (m) m))")
    assert "rows without an element" in lift.fails("run", program, npy_of_shape(lift, shape))


@pytest.mark.parametrize("device", DEVICES)
def test_a_size_that_an_empty_file_contradicts(lift, device):
    program = lift.file("rows.lift", "(lift f (N M) ((array-type (array-type float M) N)) (lambda (m) (transpose m)))")
    empty = saved(lift, "empty.npy", np.zeros((0, 3), np.float32))
    assert "the rows of `m` have 3 elements" in lift.fails("run", program, empty, "--size", "M=5", "--device", device)


@pytest.mark.parametrize("dtype", ["float64", "int32", "int64", "bool", "complex64", "uint8", "float16", ">f4", "U3"])
def test_the_wrong_dtype(lift, total, dtype):
    name = saved(lift, "wrong.npy", np.zeros(4, dtype))
    if dtype == ">f4":
        # Other byte orders are supported.
        ran = lift("run", total, name)
        assert ran.status == 1 or ran.out == "0.0\n"
        return
    message = lift.fails("run", total, name)
    assert "wrong.npy" in message and "float32" in message


@pytest.mark.parametrize("shape", [(), (2, 2), (2, 2, 2)])
def test_the_wrong_rank(lift, total, shape):
    message = lift.fails("run", total, saved(lift, "wrong.npy", np.zeros(shape, np.float32)))
    assert "wrong.npy" in message and "Array[Float,N]" in message


@pytest.mark.parametrize("device", DEVICES)
def test_sizes_that_disagree(lift, device):
    program = lift.file("pairs.lift", PAIRS)
    message = lift.fails("run", program, "[1,2,3]", "[1,2]", "--device", device)
    assert "`N` is 3" in message and "2" in message
    assert "N" in lift.fails("run", program, "[1,2]", "[1,2]", "--size", "N=3", "--device", device)


def test_a_size_that_is_not_known(lift, total):
    assert "`N`" in lift.fails("run", total, "iota")


@pytest.mark.parametrize("device", DEVICES)
def test_a_size_of_zero(lift, total, device):
    assert lift.succeeds("run", total, "[]", "--device", device) == "0.0\n"
    assert lift.succeeds("run", lift.file("pairs.lift", PAIRS), "[]", "[]", "--device", device) == ""
    empty = saved(lift, "empty.npy", np.zeros((0,), np.float32))
    assert lift.succeeds("run", total, empty, "--device", device) == "0.0\n"
    first = lift.file("first.lift", "(lift first (N) ((array-type float N)) (lambda (xs) (head xs)))")
    assert "N is positive" in lift.fails("run", first, "[]", "--device", device)


@pytest.mark.parametrize("device", DEVICES)
def test_more_memory_than_there_is(lift, device):
    program = lift.file(
        "square.lift",
        "(lift square (N) ((array-type float N)) (lambda (xs) (map (lambda (x) (map (* x) xs)) xs)))",
    )
    message = lift.fails("run", program, "iota", "--size", "N=1000000", "--device", device)
    assert "error" in message and len(message) < 2_000


def test_an_input_that_is_too_large_to_be_made(lift, total):
    message = lift.fails("run", total, "iota", "--size", "N=100000000000")
    assert len(message) < 2_000


@pytest.mark.parametrize("text", ["1 2 x 4", "1,2,,3", "1 2\n3 4", "[1,2", "1e99", "\x00"])
def test_text_that_is_no_array(lift, total, text):
    ran = lift("run", total, lift.file("numbers.txt", text))
    # Two lines are one array; everything else is an error that names the file and the line.
    if text == "1 2\n3 4":
        assert ran.out == "10.0\n"
    else:
        assert ran.status == 1 and "numbers.txt" in ran.err


def test_rows_of_different_lengths_where_one_is_expected(lift):
    program = lift.file("m.lift", "(lift m (N M) ((array-type (array-type int M) N)) (lambda (m) m))")
    assert "numbers.txt" in lift.fails("run", program, lift.file("numbers.txt", "1 2 3\n4 5\n"))


def test_a_missing_input(lift, total):
    assert "nowhere.npy" in lift.fails("run", total, "nowhere.npy")


def test_too_few_and_too_many_inputs(lift, total):
    assert "one input" in lift.fails("run", total, "[1]", "[2]")
    assert "one input" in lift.fails("run", total)


def test_a_result_that_cannot_be_written(lift, total):
    assert "nowhere" in lift.fails("run", total, "[1]", "-o", os.path.join("nowhere", "result.npy"))


def test_no_opencl(lift, total):
    ran = lift("run", total, "[1,2]", OCL_ICD_VENDORS=str(lift.folder))
    assert (ran.status, ran.out) == (0, "3.0\n") and "interpreter" in ran.err
    assert "no" in lift.fails("run", total, "[1,2]", "--device", "opencl", OCL_ICD_VENDORS=str(lift.folder))


# --- use


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["frobnicate"],
        ["run"],
        ["check"],
        ["run", "total.lift", "--size", "N"],
        ["run", "total.lift", "--device", "toaster"],
    ],
)
def test_wrong_use(lift, total, arguments):
    assert lift(*arguments).status == 2
