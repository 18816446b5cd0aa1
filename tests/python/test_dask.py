"""Kernels on arrays of Dask: on threads, and on a cluster of two processes of this machine."""

import os
import pickle
import threading
import time

import dask
import dask.array as da
import lift
import lift.dask
import numpy as np
import pytest
from distributed import Client, LocalCluster, wait
from lift_runtime.devices import devices, engine

CUTS = {"even": 300, "uneven": ((1, 0, 499, 500),), "single": 1000, "small": 90}


@pytest.fixture(scope="module")
def client():
    options = {"n_workers": 2, "threads_per_worker": 2, "processes": True, "dashboard_address": ":0"}
    with LocalCluster(**options) as cluster, Client(cluster) as client:
        yield client


def floats(*shape):
    return np.random.default_rng(1).random(shape).astype(np.float32)


def ints(most, *shape):
    return np.random.default_rng(2).integers(0, most, shape).astype(np.int32)


#: File, kernel, inputs (arrays are distributed), sizes.
RUNS = [
    ("first", "first", [floats(1000)], {}),
    ("outliers", "outliers", [floats(1000), np.float32(0.5)], {}),
    ("gallery/scale", "scale", [floats(1000)], {}),
    ("gallery/sum", "sum-of", [floats(1000)], {}),
    ("gallery/dot", "scalar-product", [floats(1000), floats(1000)], {}),
    ("gallery/scan", "running-sums", [ints(9, 1000)], {}),
    ("gallery/histogram", "histogram", [ints(9, 1000)], {"B": 9}),
    ("gallery/reverse", "backwards", [floats(1000)], {}),
    ("gallery/jacobi2d", "jacobi2d", [floats(1000, 8)], {}),
    ("gallery/hotspot", "hotspot", [floats(1000, 8), floats(1000, 8)], {}),
    ("gallery/life", "later", [ints(2, 1000, 8)], {"T": 3}),
    ("gallery/matmul", "multiply", [floats(1000, 8), floats(8, 5)], {}),
    ("gallery/kmeans", "assign", [floats(1000, 3), floats(5, 3)], {}),
    ("gallery/nearest", "nearest", [np.zeros(1000, [("f0", "f4"), ("f1", "f4")]), np.float32(1), np.float32(0)], {}),
    ("gallery/transpose", "exchange", [floats(1000, 8)], {}),
]


def same(got, want):
    if isinstance(want, tuple):
        return all(same(g, w) for g, w in zip(got, want, strict=True))
    if getattr(want, "dtype", None) is not None and want.dtype.names:
        return all(same(got[name], want[name]) for name in want.dtype.names)
    return np.shape(got) == np.shape(want) and np.allclose(got, want, rtol=1e-4)


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("run", RUNS, ids=lambda run: run[1])
def test_blocks_give_what_the_whole_gives(kernel, run, cut):
    file, name, inputs, sizes = run
    compiled = kernel(file, name)
    chunks = CUTS[cut][0] if isinstance(CUTS[cut], tuple) else CUTS[cut]
    spread = [
        da.from_array(x, chunks=(chunks, *x.shape[1:])) if isinstance(x, np.ndarray) and len(x) == 1000 else x
        for x in inputs
    ]
    got = dask.compute(compiled(*spread, **sizes), scheduler="threads")[0]
    assert same(got, compiled(*inputs, **sizes))


def test_a_call_is_one_layer_of_tasks(kernel):
    """For any number of blocks, because each layer costs Dask about a millisecond."""
    once = kernel("gallery/histogram", "histogram")(da.from_array(ints(9, 1000), chunks=50), B=9)
    assert len(once.dask.layers) <= 2 and len(once.dask) > 500
    twice = kernel("first", "first")(kernel("first", "first")(da.from_array(floats(1000), chunks=50)))
    assert len(twice.dask.layers) <= 3


@pytest.mark.parametrize(
    ("file", "name", "tasks"),
    [("scale", "scale", 16), ("sum", "sum-of", 16 + 2 + 1 + 1), ("scan", "running-sums", 16 + 3 + 16)],
)
def test_a_block_is_one_task(kernel, file, name, tasks):
    """A task costs Dask about as much as a kernel of a small block."""
    x = ints(9, 1600) if name == "running-sums" else floats(1600)
    graph = kernel(f"gallery/{file}", name)(da.from_array(x, chunks=100)).dask
    assert sum(type(node) is tuple and callable(node[0]) for node in graph.values()) <= tasks


def test_what_a_kernel_makes_itself_is_cut_as_asked(kernel):
    primes = kernel("gallery/primes", "primes")
    spread = primes.spread(M=20, chunks=50)
    assert spread.numblocks == (8,)
    assert same(spread.compute(scheduler="threads"), primes(M=20))


def test_unknown_chunks_are_hidden_lengths(kernel):
    first = kernel("first", "first")
    whole = floats(1000)
    x = da.from_array(whole, chunks=100)
    y = first(x[x > 0.3])
    assert y.lift_type == "<∃X, Array[Float,X]>" or y.lift_type.startswith("Array[Float,X")
    assert np.isnan(y.shape[0])
    assert same(y.compute(scheduler="threads"), first(whole[whole > 0.3]))


def test_a_length_as_a_number_needs_known_chunks(kernel):
    smooth = kernel("stencil", "smooth")
    x = da.from_array(floats(1000), chunks=100)
    with pytest.raises(lift.LiftError, match="needs the size `N`.*compute_chunk_sizes") as raised:
        smooth(x[x > 0.5])
    assert raised.value.code == "cannot-distribute"


def test_a_length_that_is_given_is_checked():
    both = lift.source("(lift both (N) ((array-type float N)) (lambda (xs) (tuple (reduce 0.0f + xs) N)))").both
    xs = da.from_array(np.arange(10, dtype=np.float32), chunks=4)
    unknown = xs[xs > 3]
    assert [int(np.sum(part)) for part in dask.compute(*both(unknown, N=6))] == [39, 6]
    with pytest.raises(lift.LiftError, match="the length of `xs` is given as 7, but it has 6 elements"):
        dask.compute(*both(unknown, N=7))


def test_elements_at_positions_of_what_was_sorted():
    largest = lift.source("(lift k (N) ((array-type float N)) (lambda (xs) (take #3 (sort > xs))))").k
    whole = floats(1000)
    assert (
        largest(da.from_array(whole, chunks=99)).compute(scheduler="threads").tolist()
        == np.sort(whole)[:-4:-1].tolist()
    )


def test_blocks_that_do_not_belong_together_are_named():
    add = lift.source(
        "(lift add (N) ((array-type float N) (array-type float N))\n"
        "  (lambda (xs ys) (map (lambda (p) (+ (get1 p) (get2 p))) (zip xs ys))))"
    ).add
    x = da.from_array(floats(100), chunks=50)
    with pytest.raises(lift.LiftError, match=r"belong together have \d+ of `xs`, \d+ of `ys`"):
        add(x[x > 0.3], x[x > 0.5]).compute(scheduler="threads")


def test_what_an_array_of_dask_does_not_go_with(kernel):
    first = kernel("first", "first")
    x = da.from_array(floats(10), chunks=5)
    for options in ({"out": "device"}, {"copy": True}):
        with pytest.raises(lift.LiftError, match="without `out` and `copy`"):
            first(x, **options)
    with pytest.raises(lift.LiftError, match="the interpreter computes no blocks"):
        first.on("interpreter")(x)


def test_collections_of_dask_that_are_no_arrays(kernel):
    xs = np.linspace(0, 1, 10, dtype=np.float32)
    first, expected = kernel("first", "first"), kernel("first", "first")(xs)
    assert first(dask.delayed(xs)).compute().tolist() == expected.tolist()

    class Frame:
        __module__ = "dask.dataframe"

        def to_dask_array(self):
            return da.from_array(xs, chunks=4)

    assert first(Frame()).compute().tolist() == expected.tolist()
    Bag = type("Bag", (), {"__module__": "dask.bag", "to_delayed": None})
    with pytest.raises(lift.LiftError, match=r"not a `Bag`: `.to_delayed\(\)` gives blocks"):
        first(Bag())
    with pytest.raises(lift.LiftError, match="there is no block"):
        lift.dask.Blocks([])


def test_an_array_of_another_library_around_one_of_dask(kernel):
    """For example xarray's, which NumPy would compute immediately."""

    class Around:
        data = da.from_array(floats(10), chunks=4)

        def __dask_graph__(self):
            return self.data.__dask_graph__()

    got = kernel("first", "first")(Around())
    assert isinstance(got, da.Array) and same(got.compute(), kernel("first", "first")(floats(10)))


@pytest.mark.parametrize(
    ("blocks", "message"),
    [
        (lambda x: x.map_blocks(lambda block: block.astype(float), dtype=np.float32), "holds `float64`; `Float` is"),
        (lambda x: x.map_blocks(lambda block: block[1:], dtype=np.float32), "has 4 elements, but its chunk says 5"),
        (lambda x: lift.dask.Blocks([floats(4).astype(float)]), "`Float` is NumPy's `float32`: convert it where"),
        (lambda x: lift.dask.Blocks([1, 2]), "is an array or rows, not a `int`"),
        (lambda x: dask.delayed(floats(4, 1)), "the type has 1 dimension; the array has shape (4, 1)"),
    ],
)  # fmt: skip
def test_blocks_that_are_not_what_their_array_says(kernel, blocks, message):
    for file, name in (("first", "first"), ("gallery/scale", "scale")):
        made = kernel(file, name)(blocks(da.from_array(floats(10), chunks=5)))
        with pytest.raises(lift.LiftError) as raised:
            made.compute(scheduler="threads")
        said = str(raised.value)
        assert said.startswith(("what Dask computed for `xs`", "a block of `xs`")) and message in said


def test_sizes_follow_from_what_the_host_has():
    """The same as for a kernel on one device."""
    sums = lift.source(
        "(lift sums (N) ((array-type (i) (array-type float (+ i 1)) N)) (lambda (rows) (map (reduce 0.0f +) rows)))"
    ).sums
    assert sums.spread([[1.0], [2.0, 3.0]]).compute().tolist() == [[1.0], [5.0]]
    with pytest.raises(lift.LiftError, match=r"has 5 elements, .* which it is for no `N`"):
        sums.spread(np.ones(5, np.float32))


def test_tuples_and_vectors_are_arrays():
    both = lift.source(
        "(lift both (N) ((array-type (vector-type float 4) N))\n"
        "  (lambda (vs) (tuple vs (tuple (reduce 0.0f + (asScalar vs)) N))))\n"
        "(lift whole (N) ((array-type float N)) (lambda (xs) (tuple (reduce 0.0f + xs) N)))"
    )
    vectors = np.arange(20, dtype=np.float32).reshape(5, 4)
    spread, (total, count) = both.both(da.from_array(vectors, chunks=2))
    assert spread.chunks == ((2, 2, 1), (4,)) and spread.compute().tolist() == vectors.tolist()
    assert (total.compute().tolist(), int(count.compute())) == ([190.0], 5)
    total, count = both.whole(da.from_array(vectors[:, 0], chunks=2))
    assert (total.shape, total.compute().tolist(), int(count.compute())) == ((1,), [40.0], 5)
    with pytest.raises(lift.LiftError, match="the rows of `vs` have 3 elements"):
        both.both(da.ones((5, 3), dtype=np.float32, chunks=2))


def test_two_filters_are_an_error_before_any_task():
    text = "(lift k (N) ((array-type float N)) (lambda (xs) (zip (filter (< 0.5f) xs) (filter (< 0.9f) xs))))"
    with pytest.raises(lift.LiftError) as raised:
        lift.source(text).k(da.zeros(10, dtype=np.float32, chunks=5))
    assert raised.value.place


def test_a_fold_in_order_is_refused_with_its_place():
    text = "(lift k (N) ((array-type float N))\n  (lambda (xs) (reduceSeq 0.0f + xs)))"
    with pytest.raises(lift.LiftError, match="reduceSeq") as raised:
        lift.source(text).k(da.zeros(10, dtype=np.float32, chunks=5))
    assert raised.value.code == "cannot-distribute" and raised.value.place == "source.lift:2:16"


def test_elements_of_another_type_are_refused(kernel):
    first = kernel("first", "first")
    with pytest.raises(lift.LiftError, match="float64"):
        first(da.zeros(10, chunks=5))


def test_rows_of_different_lengths(kernel):
    above = kernel("rows", "above")
    whole = floats(20, 6)
    got = above(da.from_array(whole, chunks=(7, 6)), np.float32(0.5))
    assert isinstance(got, lift.dask.Blocks)
    rows = got.compute(scheduler="threads")
    assert [row.tolist() for row in rows] == [row[row > 0.5].tolist() for row in whole]


def test_rows_of_different_lengths_are_a_collection_of_dask(kernel):
    above = kernel("rows", "above")
    whole = floats(20, 6)
    expected = [row[row > 0.5].tolist() for row in whole]
    got = above(da.from_array(whole, chunks=(7, 6)), np.float32(0.5))
    assert dask.is_dask_collection(got)
    # Also together with other collections, and in containers.
    total, (rows,) = dask.compute(da.ones(3).sum(), (got,))
    assert total == 3 and rows.tolist() == expected
    kept = got.persist()
    assert kept.lift_type == got.lift_type and len(kept.__dask_graph__()) == 3
    assert kept.compute().tolist() == dask.optimize(kept)[0].compute().tolist() == expected
    # Blocks may be values.
    held = lift.dask.Blocks([lift.Rows([0, 1], np.ones(1, np.float32)), kept.to_delayed()[0]])
    assert dask.compute(held)[0].tolist() == [[1.0], *expected[:7]]


def test_rows_of_different_lengths_in_a_tuple_on_two_devices():
    text = (
        "(lift both (N M) ((array-type (array-type float M) N)) (lambda (xss)\n"
        "  (tuple (map (lambda (xs) (filter (> 0.5f) xs)) xss) (map (reduce 0.0f +) xss))))"
    )
    both = lift.source(text).both
    xss = floats(6, 4)
    rows, sums = both.on("opencl:0,1")(xss)
    alone = both(xss)
    assert rows == alone[0] and same(sums, alone[1])


def test_a_cluster_of_two_processes(kernel, client):
    first = kernel("first", "first")
    whole = floats(10000)
    assert same(first(da.from_array(whole, chunks=999)).compute(), first(whole))


def test_workers_need_no_compiler(kernel, client):
    sums = kernel("gallery/scan", "running-sums")
    client.run(os.environ.__setitem__, "LIFT", "/nowhere")
    whole = ints(9, 5000)
    assert same(sums(da.from_array(whole, chunks=700)).compute(), np.cumsum(whole))


def test_futures_are_inputs(kernel, client):
    first, above = kernel("first", "first"), kernel("rows", "above")
    whole, rows = floats(100), floats(6, 4)
    future = client.scatter(whole)
    assert same(first(future).compute(), first(whole))
    got = above(da.from_array(rows, chunks=(4, 4)), np.float32(0.5))
    expected = above(rows, np.float32(0.5))
    assert client.compute(got).result() == client.persist(got).compute() == expected
    sums = lift.source(
        "(lift sums (N) ((array-type (exists (X) (array-type float X)) N)) (lambda (xss) (map (reduce 0.0f +) xss)))"
    ).sums
    assert same(sums(lift.dask.Blocks(client.scatter([expected[:4], expected[4:]]))).compute(), sums(expected))


def preferred():
    return devices().index(engine()[0].device)


def test_each_worker_has_a_device(kernel, client):
    given = lift.dask.devices(client)
    assert sorted(given.values()) == ["opencl:0", "opencl:1"]
    assert sorted(client.run(preferred).values()) == [0, 1]
    whole = floats(1000)
    assert same(kernel("first", "first")(da.from_array(whole, chunks=99)).compute(), kernel("first", "first")(whole))
    client.restart()
    assert sorted(client.run(preferred).values()) == [0, 1]


def test_an_error_in_a_worker_has_its_place(client):
    text = "(lift at (N) ((array-type int N) (array-type int 3))\n  (lambda (xs ys) (map (lambda (x) (aref ys x)) xs)))"
    indices = np.array([0, 1, 2, 7], np.int32)
    with pytest.raises(lift.LiftError) as raised:
        lift.source(text)["at"](da.from_array(indices, chunks=2), np.arange(3, dtype=np.int32)).compute()
    assert raised.value.code == "index-out-of-range" and raised.value.place == "source.lift:2:36"
    assert pickle.loads(pickle.dumps(raised.value)).place == "source.lift:2:36"


def slow(block):
    time.sleep(0.05)
    return block


def test_workers_are_killed_ten_times(kernel):
    first = kernel("first", "first")
    # Processes of a server that has used no OpenCL start at once.
    options = {"n_workers": 2, "threads_per_worker": 2, "processes": True, "dashboard_address": ":0"}
    with (
        dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"}),
        LocalCluster(**options) as cluster,
        Client(cluster) as client,
    ):
        killed = set()

        def alive():
            """The nannies with a running worker."""
            workers = cluster.scheduler.workers
            return [n for n in cluster.workers.values() if n.pid not in killed and n.worker_address in workers]

        for i in range(10):
            # A new task each time, because Dask gives up a task after three failures.
            whole = floats(1000) * (1 + i)
            x = da.from_array(whole, chunks=50).map_blocks(slow, dtype=np.float32)
            # On a busy machine Dask may fail to restart a worker; then there is one fewer.
            deadline = time.monotonic() + 60
            while not (nannies := alive()):
                assert time.monotonic() < deadline, "no worker has started again"
                time.sleep(0.02)
            pid = nannies[i % len(nannies)].pid
            future = client.compute(first(x))
            time.sleep(0.1)
            killed.add(pid)
            os.kill(pid, 9)
            assert same(future.result(timeout=60), first(whole))
        assert len(killed) == 10


def spilled(dask_worker):
    return dask_worker.data.spilled_total.disk


def test_four_times_the_memory_of_a_worker_is_spilled(kernel):
    scale = kernel("gallery/scale", "scale")
    memory = 1 << 24
    whole = da.arange(memory, chunks=1 << 20, dtype=np.float32)  # of four bytes each
    # The limits count only the workers' data, because the interpreter and its packages are larger.
    config = {f"distributed.worker.memory.{name}": False for name in ("spill", "pause", "terminate")}
    options = {"n_workers": 1, "threads_per_worker": 1, "processes": False, "dashboard_address": ":0"}
    with (
        dask.config.set({**config, "distributed.worker.memory.target": 1.0}),
        LocalCluster(**options, memory_limit=memory) as cluster,
        Client(cluster) as client,
    ):
        scaled = client.persist(scale(whole))
        wait(scaled)
        assert sum(client.run(spilled).values()) > 2 * memory
        assert same(scaled.compute(), 2 * np.arange(memory, dtype=np.float32))


def test_four_threads(kernel):
    first = kernel("first", "first")
    inputs = [floats(200) * (i + 1) for i in range(4)]
    expected = [first(x) for x in inputs]
    wrong = []

    def work(i):
        for _ in range(10):
            got = first(da.from_array(inputs[i], chunks=64)).compute(scheduler="threads")
            if not same(got, expected[i]):
                wrong.append(i)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
