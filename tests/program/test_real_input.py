"""A program of the papers on a million numbers, compared with NumPy."""

import numpy as np
import pytest
from conftest import REPOSITORY

FIG22 = REPOSITORY / "examples" / "papers" / "fig22.lift"
N = 2**20


@pytest.fixture(scope="module")
def numbers() -> np.ndarray:
    return np.random.default_rng(22).random(N, dtype=np.float32)


def expected(numbers: np.ndarray) -> np.ndarray:
    return numbers[numbers > np.float32(0.5)] * np.float32(2)


def test_a_npy_file_on_opencl(lift, numbers):
    np.save(lift.folder / "numbers.npy", numbers)
    lift.succeeds("run", FIG22, "numbers.npy", "--device", "opencl", "-o", "result.npy")
    result = np.load(lift.folder / "result.npy")
    assert result.dtype == np.float32
    np.testing.assert_array_equal(result, expected(numbers))


def test_a_text_file_on_opencl(lift, numbers):
    lift.file("numbers.txt", "\n".join(np.format_float_scientific(x, unique=True) for x in numbers))
    lines = lift.succeeds("run", FIG22, "numbers.txt", "--device", "opencl").split()
    np.testing.assert_array_equal(np.array(lines, dtype=np.float32), expected(numbers))


def test_the_interpreter_gives_the_same(lift, numbers):
    np.save(lift.folder / "numbers.npy", numbers[:5000])
    lift.succeeds("run", FIG22, "numbers.npy", "--device", "interpreter", "-o", "result.npy")
    np.testing.assert_array_equal(np.load(lift.folder / "result.npy"), expected(numbers[:5000]))


def test_a_matrix_and_its_rows(lift):
    program = lift.file(
        "rows.lift",
        "(lift f (N M) ((array-type (array-type int M) N))"
        " (lambda (m) (map (lambda (r) (reduceSeq 0 + r)) (transpose m))))",
    )
    matrix = np.arange(12, dtype=np.int32).reshape(3, 4)
    np.save(lift.folder / "matrix.npy", matrix)
    for device in ("opencl", "interpreter"):
        lift.succeeds("run", program, "matrix.npy", "--device", device, "-o", "result.npy")
        np.testing.assert_array_equal(np.load(lift.folder / "result.npy").reshape(-1), matrix.sum(axis=0))


@pytest.mark.parametrize("device", ["opencl", "interpreter"])
@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0)])
def test_a_matrix_without_elements_keeps_its_shape(lift, shape, device):
    program = lift.file("t.lift", "(lift t (N M) ((array-type (array-type double M) N)) (lambda (m) (transpose m)))")
    np.save(lift.folder / "matrix.npy", np.zeros(shape))
    lift.succeeds("run", program, "matrix.npy", "--device", device, "-o", "result.npy")
    assert np.load(lift.folder / "result.npy").shape == shape[::-1]


def test_a_column_major_file_is_read_as_what_it_is(lift):
    program = lift.file("t.lift", "(lift t (N M) ((array-type (array-type double M) N)) (lambda (m) (transpose m)))")
    matrix = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    np.save(lift.folder / "matrix.npy", matrix)
    lift.succeeds("run", program, "matrix.npy", "-o", "result.npy")
    np.testing.assert_array_equal(np.load(lift.folder / "result.npy"), matrix.T)
