"""`lift build --emit c` and `--emit python`: what is written compiles without a warning, runs, and computes what the
interpreter computes."""

import importlib.util
import subprocess

import numpy as np
import pytest

KEPT = """(lift kept (N) ((array-type float N))
  (lambda (xs) (map (lambda (x) (* x 2.0f)) (filter (lambda (x) (> x 0.5f)) xs))))
"""
SUM = "(lift sum (N) ((array-type int N)) (lambda (xs) (reduce 0 (lambda (a b) (+ a b)) xs)))\n"
TABLE = """(lift table (N M) ((array-type (array-type int M) N) int)
  (lambda (xss k) (map (map (lambda (x) (* k x))) (transpose xss))))
"""
COUNTED = "(lift counted () (int) (lambda (k) (map (lambda (i) (* i i)) (filter (lambda (i) (= (mod i 2) 1)) (iota k)))))\n"
ROWS = """(lift rows (N M) ((array-type (array-type int M) N))
  (lambda (xss) (map (filter (lambda (x) (> x 2))) xss)))
"""
PAIR = """(lift pair (N) ((array-type int N))
  (lambda (xs) (tuple (scan 0 (lambda (a b) (+ a b)) xs) (filter (lambda (x) (> x 2)) xs))))
"""
SUMS = """(lift sums (N) ((array-type (exists (X) (array-type int X)) N))
  (lambda (rows) (map (lambda (row) (head (reduceSeq 0 (lambda (a b) (+ a b)) row))) rows)))
"""
AT = "(lift at (N) ((array-type int N) int) (lambda (xs i) (map (lambda (x) (+ x (aref xs i))) xs)))\n"
HALVES = "(lift halves (N) ((array-type int N)) (lambda (xs) (map (reduceSeq 0 (lambda (a b) (+ a b))) (split #2 xs))))\n"
# Local memory of a length that the caller says.
TILES = """(lift tiles (N K) ((array-type int N))
  (lambda (xs) (join (mapWrg (o (mapLcl (lambda (x) (* x 2))) (toLocal (mapLcl (lambda (x) (+ x 1))))) (split #K xs)))))
"""
ROUNDS = "(lift rounds (N) ((array-type int N)) (lambda (xs) (iterate 20 (lambda (ys) (map (lambda (y) (+ y 1)) ys)) xs)))\n"
UNTIL = """(lift until (N) ((array-type int N) int)
  (lambda (xs by)
    (iterateWhile (lambda (ys) (< (head (reduce 0 + ys)) 100)) (map (lambda (y) (+ y (/ 12 by)))) xs)))
"""
EITHER = """(lift either (N) ((array-type int N))
  (lambda (xs) (if (< N 4) (map (lambda (x) (+ x 1)) xs) (map (lambda (x) (* x 2)) xs))))
"""

TRIANGLE = """(lift triangle (N) ((array-type (i) (array-type float (+ i 1)) N) (array-type float N))
  (lambda (rows xs)
    (join (map (lambda (row) (reduce 0.0f + (map (lambda (p) (* (get1 p) (get2 p))) (zip row (take #(length row) xs))))) rows))))
"""
DOUBLED = """(lift doubled (N) ((array-type (i) (array-type int (+ i 1)) N))
  (lambda (rows) (map (map (lambda (x) (* 2 x))) rows)))
"""
UNEVEN = """(lift uneven (N) ((array-type (i) (array-type int (mod (* i i) 3)) N))
  (lambda (rows) (map (map (lambda (x) (* 2 x))) rows)))
"""


# --- C


def build_c(lift, name, program, main, *flags):
    lift.file(f"{name}.lift", program)
    lift.succeeds("build", "--emit", "c", f"{name}.lift")
    start = f"""
#include "{name}.h"
#include <stdio.h>
#include <stdlib.h>

int main(void)
{{
  cl_platform_id platform;
  cl_device_id device;
  char *why = NULL;
  clGetPlatformIDs(1, &platform, NULL);
  clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
  struct {name} *p = {name}_create(context, device, &why);
  if (!p) {{
    fprintf(stderr, "%s\\n", why);
    return 2;
  }}
"""
    end = f"""
  {name}_free(p);
  clReleaseContext(context);
  return 0;
}}
"""
    lift.file("main.c", start + main + end)
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-o", name, *flags]
    cc = ["cc", *flags, "main.c", f"{name}.c", "-lOpenCL"]
    ran = subprocess.run(cc, cwd=lift.folder, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    ran = subprocess.run([lift.folder / name], cwd=lift.folder, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout




def test_c_filter(lift):
    main = """
  const float xs[] = {0.1f, 0.6f, 0.3f, 0.9f, 0.75f};
  float *result = malloc(kept_room_result(5) * sizeof *result);
  cl_int length = 0;
  if (kept_run(p, 5, xs, &length, result)) { return 3; }
  for (int i = 0; i < length; i++) printf("%g\\n", result[i]);
  if (kept_run(p, 0, xs, &length, result)) { return 4; }
  printf("%d\\n", (int)length);
  free(result);
"""
    assert build_c(lift, "kept", KEPT, main) == "1.2\n1.8\n1.5\n0\n"


def test_c_matrix_and_number(lift):
    main = """
  const cl_int xss[] = {1, 2, 3, 4, 5, 6};
  cl_int result[6];
  if (table_run(p, 2, 3, xss, 10, result)) { return 3; }
  for (int i = 0; i < 6; i++) printf("%d ", (int)result[i]);
"""
    assert build_c(lift, "table", TABLE, main) == "10 40 20 50 30 60 "


def test_c_reduction_of_many(lift):
    main = """
  cl_int *xs = malloc(100000 * sizeof *xs);
  cl_int result = 0;
  for (int i = 0; i < 100000; i++) xs[i] = i % 7;
  if (sum_run(p, 100000, xs, &result)) { return 3; }
  printf("%d", (int)result);
  free(xs);
"""
    assert build_c(lift, "sum", SUM, main) == str(sum(i % 7 for i in range(100000)))


def test_c_room_found_by_the_run(lift):
    main = """
  cl_int *result = NULL, length = 0;
  size_t room = 0;
  if (counted_run(p, 10, &length, &result, &room)) { return 3; }
  for (int i = 0; i < length; i++) printf("%d ", (int)result[i]);
  free(result);
  result = NULL;
  if (counted_run(p, -1, &length, &result, &room)) { printf("%s", counted_error(p)); }
"""
    out = build_c(lift, "counted", COUNTED, main)
    assert out == "1 9 25 49 81 an array cannot have the length -1 (at 1:99)", out


def test_c_rows_of_their_own_lengths(lift):
    main = """
  const cl_int lengths[] = {3, 0, 2};
  const cl_int rows[] = {1, 2, 3, 0, 0, 0, 4, 5, 0};
  cl_int result[3];
  if (sums_run(p, 3, 3, lengths, rows, result)) { return 3; }
  for (int i = 0; i < 3; i++) printf("%d ", (int)result[i]);
"""
    assert build_c(lift, "sums", SUMS, main) == "6 0 9 "


def test_c_failures_and_assumptions(lift):
    main = """
  const cl_int xs[] = {1, 2, 3};
  cl_int result[3];
  if (at_run(p, 3, xs, 7, result)) { printf("%s\\n", at_error(p)); }
  if (at_run(p, 3, xs, 2, result)) { return 3; }
  printf("%d\\n", (int)result[0]);
  if (at_run(p, -1, xs, 2, result)) { printf("%s\\n", at_error(p)); }
"""
    out = build_c(lift, "at", AT, main).splitlines()
    assert out[0].startswith("index 7 is out of range: the length is 3 (at 1:"), out
    assert out[1:] == ["4", "the size N = -1 is not between 0 and 2147483647"]
    main = """
  const cl_int xs[] = {1, 2, 3};
  cl_int result[3];
  if (halves_run(p, 3, xs, result)) { printf("%s\\n", halves_error(p)); }
"""
    out = build_c(lift, "halves", HALVES, main)
    assert out.startswith("the program relies on `2 divides N`, which is false (at 1:"), out


def test_c_local_memory_of_a_length_that_is_asked_for(lift):
    main = """
  const cl_int xs[] = {1, 2, 3, 4, 5, 6};
  cl_int result[6];
  for (int k = 1; k <= 3; k++) {
    if (tiles_run(p, 6, k, xs, result)) { return 3; }
    for (int i = 0; i < 6; i++) printf("%d ", (int)result[i]);
  }
"""
    assert build_c(lift, "tiles", TILES, main) == "4 6 8 10 12 14 " * 3


def test_c_on_buffers_of_the_device(lift):
    main = """
  const cl_int xs[] = {1, 2, 3};
  cl_int result[3];
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
  cl_mem in = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof xs, (void *)xs, NULL);
  cl_mem out = clCreateBuffer(context, CL_MEM_READ_WRITE, rounds_room_result(3) * sizeof(cl_int), NULL, NULL);
  if (rounds_run_on(p, queue, 3, in, out)) { return 3; }
  clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof result, result, 0, NULL, NULL);
  for (int i = 0; i < 3; i++) printf("%d ", (int)result[i]);
  clReleaseMemObject(in);
  clReleaseMemObject(out);
  clReleaseCommandQueue(queue);
"""
    assert build_c(lift, "rounds", ROUNDS, main) == "21 22 23 "


def test_c_rows_whose_length_is_a_rule(lift):
    main = """
  const float rows[] = {1, 2, 3, 4, 5, 6}, xs[] = {1, 2, 3};
  float result[3];
  if (triangle_run(p, 3, rows, xs, result)) { return 3; }
  for (int i = 0; i < 3; i++) printf("%g ", result[i]);
"""
    assert build_c(lift, "triangle", TRIANGLE, main) == "1 8 32 "
    main = """
  const cl_int rows[] = {1, 2, 3, 4, 5, 6};
  cl_int result[6];
  if (doubled_room_result(3) != 6) { return 4; }
  if (doubled_run(p, 3, rows, result)) { return 3; }
  for (int i = 0; i < 6; i++) printf("%d ", (int)result[i]);
"""
    assert build_c(lift, "doubled", DOUBLED, main) == "2 4 6 8 10 12 "
    # How many there are in all has no closed form: 0, 1, 1, 0, 1.
    main = """
  const cl_int rows[] = {1, 2, 3};
  cl_int result[3];
  if (uneven_room_result(5) != 3) { return 4; }
  if (uneven_run(p, 5, rows, result)) { return 3; }
  for (int i = 0; i < 3; i++) printf("%d ", (int)result[i]);
"""
    assert build_c(lift, "uneven", UNEVEN, main) == "2 4 6 "


def test_c_loop_whose_end_the_device_knows(lift):
    main = """
  const cl_int xs[] = {1, 2, 3};
  cl_int result[3];
  for (cl_int by = 4; by < 13; by += 8) {
    if (until_run(p, 3, xs, by, result)) { return 3; }
    for (int i = 0; i < 3; i++) printf("%d ", (int)result[i]);
  }
  const cl_int large[] = {98, 1, 1};
  if (until_run(p, 3, large, 1, result)) { return 4; }
  printf("%d %d %d\\n", (int)result[0], (int)result[1], (int)result[2]);
  if (until_run(p, 3, xs, 0, result)) { printf("%s", until_error(p)); }
"""
    out = build_c(lift, "until", UNTIL, main)
    assert out == "34 35 36 33 34 35 98 1 1\ndivision by zero (at 3:86)", out


def test_c_launch_that_is_left_out(lift):
    # The linker lets us count what is launched.
    main = """
  cl_int xs[] = {1, 2, 3, 4, 5}, result[5];
  for (int n = 3; n < 6; n += 2) {
    launched = 0;
    if (either_run(p, n, xs, result)) { return 3; }
    for (int i = 0; i < n; i++) printf("%d ", (int)result[i]);
    printf("by %d\\n", launched);
  }
"""
    lift.file(
        "counted.c",
        """
#include <CL/cl.h>
int launched = 0;
cl_int __real_clEnqueueNDRangeKernel(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *, const size_t *,
                                     cl_uint, const cl_event *, cl_event *);
cl_int __wrap_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dims, const size_t *offset,
                                     const size_t *global, const size_t *local, cl_uint n, const cl_event *events,
                                     cl_event *event)
{
  launched++;
  return __real_clEnqueueNDRangeKernel(queue, kernel, dims, offset, global, local, n, events, event);
}
""",
    )
    flags = ["-DCL_TARGET_OPENCL_VERSION=120", "-Wl,--wrap=clEnqueueNDRangeKernel", "counted.c"]
    main = "  extern int launched;\n" + main
    assert build_c(lift, "either", EITHER, main, *flags) == "2 3 4 by 1\n2 4 6 8 10 by 1\n"


# --- Python


@pytest.fixture(scope="module")
def queue():
    import pyopencl as cl

    device = cl.get_platforms()[0].get_devices()[0]
    return cl.CommandQueue(cl.Context([device]))


def module(lift, name, program):
    lift.file(f"{name}.lift", program)
    lift.succeeds("build", "--emit", "python", f"{name}.lift")
    spec = importlib.util.spec_from_file_location(f"emitted_{name}", lift.folder / f"{name}.py")
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def test_python_results(lift, queue):
    def run(name, program, *inputs, **sizes):
        return module(lift, name, program).Kernel(queue)(*inputs, **sizes)

    xs = np.array([0.1, 0.6, 0.3, 0.9, 0.75], np.float32)
    np.testing.assert_array_equal(run("kept", KEPT, xs), (xs * 2)[xs > 0.5])
    many = np.arange(100000, dtype=np.int32) % 7
    assert run("sum", SUM, many)[0] == many.sum()
    table = np.arange(6, dtype=np.int32).reshape(2, 3)
    np.testing.assert_array_equal(run("table", TABLE, table, 10), table.T * 10)
    np.testing.assert_array_equal(run("counted", COUNTED, 10), [1, 9, 25, 49, 81])
    assert [list(row) for row in run("rows", ROWS, table)] == [[], [3, 4, 5]]
    ragged = [[1, 2, 3], [], [4, 5]]
    assert list(run("sums", SUMS, ragged)) == [6, 0, 9]
    sums, kept = run("pair", PAIR, [1, 2, 3, 4])
    assert (list(sums), list(kept)) == ([1, 3, 6, 10], [3, 4])
    np.testing.assert_array_equal(run("rounds", ROUNDS, [1, 2, 3]), [21, 22, 23])
    np.testing.assert_array_equal(run("tiles", TILES, [1, 2, 3, 4, 5, 6], K=3), [4, 6, 8, 10, 12, 14])


def test_python_loop_whose_end_the_device_knows(lift, queue):
    until = module(lift, "until", UNTIL)
    kernel = until.Kernel(queue)
    for xs, by, result in [([1, 2, 3], 4, [34, 35, 36]), ([1, 2, 3], 12, [33, 34, 35]), ([98, 1, 1], 1, [98, 1, 1])]:
        np.testing.assert_array_equal(kernel(xs, by), result)
    with pytest.raises(until.LiftError, match="division by zero"):
        kernel([1, 2, 3], 0)


def test_python_launch_that_is_left_out(lift, queue, monkeypatch):
    either = module(lift, "either", EITHER)
    kernel, launched = either.Kernel(queue), []
    enqueue = either.cl.enqueue_nd_range_kernel
    monkeypatch.setattr(either.cl, "enqueue_nd_range_kernel", lambda *args: launched.append(args[1]) or enqueue(*args))
    np.testing.assert_array_equal(kernel([1, 2, 3]), [2, 3, 4])
    np.testing.assert_array_equal(kernel([1, 2, 3, 4, 5]), [2, 4, 6, 8, 10])
    assert len(launched) == 2 and launched[0].function_name != launched[1].function_name


def test_python_rows_whose_length_is_a_rule(lift, queue):
    triangle = module(lift, "triangle", TRIANGLE)
    kernel = triangle.Kernel(queue)
    assert list(kernel([[1], [2, 3], [4, 5, 6]], [1, 2, 3])) == [1, 8, 32]
    assert list(kernel(np.arange(1, 7, dtype=np.float32), [1, 2, 3])) == [1, 8, 32], "one row after the other"
    with pytest.raises(triangle.LiftError, match="row 1 of the input rows has 3 elements where 2 are needed"):
        kernel([[1], [2, 3, 4], [4, 5, 6]], [1, 2, 3])
    with pytest.raises(triangle.LiftError, match="has 5 elements where 6 are needed, row after row"):
        kernel(np.ones(5, np.float32), [1, 2, 3])
    doubled = module(lift, "doubled", DOUBLED).Kernel(queue)
    assert [list(row) for row in doubled([[1], [2, 3], [4, 5, 6]])] == [[2], [4, 6], [8, 10, 12]]
    assert doubled([]) == []
    uneven = module(lift, "uneven", UNEVEN).Kernel(queue)
    assert [list(row) for row in uneven([[], [1], [2], [], [3]])] == [[], [2], [4], [], [6]]


def test_python_errors(lift, queue):
    at = module(lift, "at", AT)
    with pytest.raises(at.LiftError, match="index 7 is out of range: the length is 3 .at 1:"):
        at.Kernel(queue)([1, 2, 3], 7)
    counted = module(lift, "counted", COUNTED)
    with pytest.raises(counted.LiftError, match="an array cannot have the length -1"):
        counted.Kernel(queue)(-1)
    halves = module(lift, "halves", HALVES)
    with pytest.raises(halves.LiftError, match="2 divides N"):
        halves.Kernel(queue)([1, 2, 3])
    table = module(lift, "table", TABLE)
    with pytest.raises(table.LiftError, match="has 1 elements where 2 are needed"):
        table.Kernel(queue)([[1, 2], [3]], 1)


def test_a_kernel_is_run_again(lift, queue):
    counted = module(lift, "counted", COUNTED).Kernel(queue)
    for k in (0, 4, 3000, 2):
        np.testing.assert_array_equal(counted(k), [i * i for i in range(k) if i % 2 == 1])
