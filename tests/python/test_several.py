"""Kernels on several devices of this machine, and on blocks where the memory of one is too small."""

import pickle

import lift
import lift_runtime
import numpy as np
import pytest
from lift import LiftError
from test_dask import RUNS, floats, ints, same

LISTS = ["opencl:0,1", "opencl:0:3,1:1", "opencl:1:1,0:0"]
#: One for each kind of step, without matrix products, which a driver compiles for seconds.
STEPS = {"first", "sum-of", "histogram", "running-sums", "backwards", "jacobi2d", "later", "assign", "exchange"}


@pytest.mark.parametrize("run", [run for run in RUNS if run[1] in STEPS], ids=lambda run: run[1])
def test_several_devices_give_what_one_gives(kernel, run):
    file, name, inputs, sizes = run
    one = kernel(file, name)
    expected = one(*inputs, **sizes)
    for devices in LISTS:
        assert same(one.on(devices)(*inputs, **sizes), expected), devices


def test_each_device_has_a_block(kernel, monkeypatch):
    ran, compute = [], lift_runtime.Kernel.compute

    def recorded(self, inputs, *options):
        ran.append((self._choice, len(inputs[0])))
        return compute(self, inputs, *options)

    monkeypatch.setattr(lift_runtime.Kernel, "compute", recorded)
    kernel("first", "first").on("opencl:0:3,1:1")(floats(8))
    assert {("opencl:0", 6), ("opencl:1", 2)} <= set(ran)


def test_more_devices_than_rows_and_no_rows(kernel):
    first = kernel("first", "first").on("opencl:0,1")
    assert first(np.array([0.75], np.float32)).tolist() == [1.5]
    assert first(np.array([], np.float32)).tolist() == []
    primes = kernel("gallery/primes", "primes")
    assert primes.on("opencl:0,1")(M=5).tolist() == primes(M=5).tolist()


def test_rows_and_lists_are_divided(kernel):
    above = kernel("rows", "above")
    whole = floats(20, 6)
    assert above.on("opencl:0,1")(whole, np.float32(0.5)).tolist() == above(whole, np.float32(0.5)).tolist()
    assert same(kernel("first", "first").on("opencl:0,1")([0.1, 0.6, 0.9]), np.array([1.2, 1.8], np.float32))


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ("opencl:0,0", "names device 0 twice"),
        ("opencl:0:1,1", "gives shares to some devices only"),
        ("opencl:0:0,1:0", "gives no device a share"),
        ("opencl:0,gpu", "`gpu` in .* is not a device number"),
        ("opencl:0:x,1:1", "`x` in .* is not a share"),
        ("opencl:0,", "is not a device number"),
        ("cuda:0,1", "is not a device number"),
    ],
)
def test_a_list_of_devices_that_is_none(kernel, choice, message):
    with pytest.raises(LiftError, match=message) as raised:
        kernel("first", "first").on(choice)
    assert raised.value.code == "no-device"


def test_what_several_devices_refuse(kernel):
    with pytest.raises(LiftError, match="there is no device `opencl:7`"):
        kernel("first", "first").on("opencl:0,7")(floats(4))
    both = kernel("first", "first").on("opencl:0,1")
    with pytest.raises(LiftError, match="arrays of the host"):
        both(floats(4), out="device")
    with pytest.raises(LiftError, match="float64"):
        both(np.zeros(4))
    folded = lift.source("(lift k (N) ((array-type float N))\n  (lambda (xs) (reduceSeq 0.0f + xs)))").k
    with pytest.raises(LiftError, match="reduceSeq") as raised:
        folded.on("opencl:0,1")(floats(4))
    assert raised.value.code == "cannot-distribute" and raised.value.place == "source.lift:2:16"
    at = lift.source(
        "(lift at (N) ((array-type int N) (array-type int 3))\n  (lambda (xs ys) (map (lambda (x) (aref ys x)) xs)))"
    )["at"]
    with pytest.raises(LiftError) as raised:
        at.on("opencl:0,1")(np.array([0, 1, 2, 7], np.int32), np.arange(3, dtype=np.int32))
    assert raised.value.code == "index-out-of-range" and raised.value.place == "source.lift:2:36"


@pytest.mark.parametrize(
    ("type", "value", "message"),
    [
        ("int", [1.5, 2.7, 3.9], "`Int` is needed, not `1.5`"),
        ("int", [True, False], "`Int` is needed, not `True`"),
        ("int", [2**40], "out of the range of `Int`"),
        ("float", [1e40], "out of the range of `Float`"),
        ("float", None, "an array is needed, not a `NoneType`"),
        ("(array-type float 2)", [[1.0, 2.0], [3.0]], "row 1 has 1 element"),
    ],
)
def test_several_devices_convert_nothing(type, value, message):
    kernel = lift.source(f"(lift k (N) ((array-type {type} N)) (lambda (xs) xs))").k
    with pytest.raises(LiftError, match=message) as raised:
        kernel.on("opencl:0,1")(value)
    assert raised.value.code == "input"


def test_several_devices_take_what_one_takes():
    added = lift.source(
        "(lift added (N) ((array-type (tuple-type int float) N)) (lambda (ps) (map (lambda (p) (get2 p)) ps)))"
    ).added
    records = np.array([(1, 0.5), (2, 1.5)], [("count", "i4"), ("price", "f4")])
    for value in (records, records.tolist()):
        assert added.on("opencl:0,1")(value).tolist() == added(value).tolist() == [0.5, 1.5]
    twice = lift.source("(lift twice (N) ((array-type float N)) (lambda (xs) (map (* 2.0f) xs)))").twice
    for value in (memoryview(floats(3)), floats(6)[::-2], np.array([1.0, 2.0], object), range(3)):
        assert twice.on("opencl:0,1")(value).tolist() == twice(value).tolist()


def test_a_list_of_devices_is_pickled(kernel):
    both = pickle.loads(pickle.dumps(kernel("first", "first").on("opencl:0,1")))
    assert same(both(floats(100)), kernel("first", "first")(floats(100)))
    assert "kernel void" in both.opencl


def test_more_than_a_device_holds_is_computed_on_blocks(kernel):
    """The run needs four times the available memory."""
    first, sums = kernel("first", "first"), kernel("gallery/scan", "running-sums")
    whole = floats(1 << 23)
    small = first.on("opencl:0", memory=1 << 24)
    with pytest.warns(RuntimeWarning, match=r"run on 8 blocks, .* the run needs .* it may use 16\.7 MB"):
        got = small(whole)
    assert same(got, first(whole))
    numbers = ints(9, 1 << 12)
    with pytest.warns(RuntimeWarning, match="blocks"):
        assert same(sums.on("opencl:0", memory=1 << 13)(numbers), np.cumsum(numbers))


def test_what_fits_in_no_block_is_an_error_at_once(kernel, monkeypatch):
    ran, compute = [], lift_runtime.Kernel.compute
    monkeypatch.setattr(lift_runtime.Kernel, "compute", lambda *given: (ran.append(0), compute(*given))[1])
    with pytest.raises(LiftError, match="it may use 10 bytes") as raised:
        kernel("first", "first").on("opencl:0", memory=10)(floats(5))
    assert raised.value.code == "memory"
    # Every block reads all of `ys`.
    nearest = lift.source(
        "(lift nearest (N M) ((array-type int N) (array-type int M))\n"
        "  (lambda (xs ys) (map (lambda (x) (reduce 0 max (map (* x) ys))) xs)))"
    ).nearest
    with pytest.raises(LiftError, match="it may use 1 kB"):
        nearest.on("opencl:0", memory=1000)(ints(9, 1000), ints(9, 1000))
    assert len(ran) < 100


def test_a_result_that_no_memory_holds_is_refused_before_it_is_computed():
    grid = lift.source("(lift grid (N M) (float) (lambda (x) (fill #N (fill #M x))))").grid
    with pytest.raises(LiftError, match=r"4\.3 TB .* on blocks it needs 8\.7 TB of the host") as raised:
        grid(1.0, N=2**20, M=2**20)
    assert raised.value.code == "memory"


def test_what_fits_no_memory_and_has_no_blocks_is_an_error():
    folded = lift.source("(lift k (N) ((array-type float N)) (lambda (xs) (reduceSeq 0.0f + xs)))").k
    with pytest.raises(LiftError, match="it may use") as raised:
        folded.on("opencl:0", memory=1 << 10)(floats(1000))
    assert raised.value.code == "memory"
