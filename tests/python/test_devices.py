"""Arrays of other libraries: on a device in another order, and what cannot be exported."""

import lift
import numpy as np
import pyopencl as cl
import pyopencl.array
import pytest
from lift import LiftError


@pytest.fixture(scope="module")
def program():
    return lift.source(
        "(lift matrix (N M) ((array-type (array-type float M) N)) (lambda (xss) (map (map (* 2.0f)) xss)))\n"
        "(lift numbers (N) ((array-type float N)) (lambda (xs) (map (* 2.0f) xs)))"
    )


@pytest.fixture(scope="module")
def queue():
    return cl.CommandQueue(cl.Context([lift.devices()[0]]))


ROWS = np.arange(6, dtype=np.float32).reshape(2, 3)


def test_an_array_of_the_device_in_another_order_is_not_read_as_rows(program, queue):
    there = cl.array.to_device(queue, ROWS)
    np.testing.assert_array_equal(program.matrix(there[1:]), 2 * ROWS[1:])
    for other, same in ((there.T, ROWS.T), (cl.array.to_device(queue, np.asfortranarray(ROWS)), ROWS)):
        with pytest.raises(LiftError, match="do not lie row by row .*; copy=True takes it") as raised:
            program.matrix(other)
        assert raised.value.code == "input"
        np.testing.assert_array_equal(program.matrix(other, copy=True), 2 * same)
    with pytest.raises(LiftError, match="do not lie row by row on the device$"):
        program.matrix(there[:, 1:])
    with pytest.raises(LiftError, match=r"convert with `.astype\(numpy.float32\)`"):
        program.numbers(cl.array.to_device(queue, np.zeros(2)))
    memory = cl.Buffer(queue.context, cl.mem_flags.READ_WRITE, 8)
    with pytest.raises(LiftError, match="its memory has 8 bytes, but its shape needs 32"):
        program.numbers(cl.array.Array(queue, (8,), np.float32, data=memory))
    with pytest.raises(LiftError, match="not a `SVM`"):
        program.numbers(cl.SVM(np.zeros(2, np.float32)))


class Exported:
    """An array that supports only DLPack."""

    def __init__(self, array, problem=None):
        self.array, self.problem = array, problem

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, **options):
        if self.problem is not None:
            raise self.problem
        return self.array.__dlpack__()


class Seen(Exported):
    """An array that supports NumPy's protocol as well."""

    def __array__(self, dtype=None, copy=None):
        return self.array


def test_what_cannot_be_exported_is_an_error_of_the_input(program):
    array = np.float32([1, 2])
    assert program.numbers(Exported(array)).tolist() == [2, 4]
    assert program.numbers(Seen(array, BufferError("it is read-only"))).tolist() == [2, 4]
    for problem in (BufferError("no such type"), RuntimeError("use tensor.detach()")):
        with pytest.raises(LiftError, match=f"input `xs` does not fit .*: {problem}".replace("()", r"\(\)")) as raised:
            program.numbers(Exported(array, problem))
        assert raised.value.code == "input"
