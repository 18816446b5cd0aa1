"""`lift build --emit c`: what is written compiles without a warning, and computes what the interpreter computes."""

import subprocess

from emitted import (
    AT,
    COUNTED,
    DOUBLED,
    EITHER,
    GROWN,
    HALVES,
    KEPT,
    PRODUCTS,
    QUOTIENT,
    ROUNDS,
    SUM,
    SUMS,
    TABLE,
    TILES,
    TRIANGLE,
    UNEVEN,
    UNTIL,
)


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


def test_c_room_of_what_is_kept(lift):
    main = """
  static cl_int xs[100000];
  for (int i = 0; i < 100000; i++) xs[i] = i;
  cl_int *result = NULL, length = 0;
  size_t room = 0;
  if (products_run(p, 100000, xs, &length, &result, &room)) { return 3; }
  printf("%d %d %d", (int)length, (int)room, (int)result[8]);
  free(result);
  result = NULL;
  if (products_run(p, 0, xs, &length, &result, &room)) { printf(", %s", products_error(p)); }
"""
    out = build_c(lift, "products", PRODUCTS, main)
    assert out == "3 9 180000, the program relies on `X1 is positive`, which is false for X1 = 0 (at 3:13)", out


def test_c_loop_that_grows(lift):
    main = """
  const cl_int xs[] = {1, 2};
  const cl_int most[] = {20, 1, 100000, 20};
  for (int run = 0; run < 4; run++) {
    cl_int *result = NULL, length = 0;
    size_t room = 0;
    if (grown_run(p, 2, xs, most[run], &length, &result, &room)) { return 3; }
    long sum = 0;
    for (int i = 0; i < length; i++) sum += result[i];
    printf("%d %ld, ", (int)length, sum);
    free(result);
  }
"""
    assert build_c(lift, "grown", GROWN, main) == "32 112, 2 3, 131072 1245184, 32 112, "


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


def test_c_buffers_of_the_device_that_are_too_small(lift):
    main = """
  const cl_int xs[] = {1, 2, 3, 4};
  cl_int left[3] = {0};
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
  cl_mem four = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof xs, (void *)xs, NULL);
  cl_mem three = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof left, left, NULL);
  if (rounds_run_on(p, queue, 4, four, three)) { puts(rounds_error(p)); }
  clEnqueueReadBuffer(queue, three, CL_TRUE, 0, sizeof left, left, 0, NULL, NULL);
  printf("%d %d %d\\n", (int)left[0], (int)left[1], (int)left[2]);
  if (rounds_run_on(p, queue, 4, three, four)) { puts(rounds_error(p)); }
  if (rounds_run_on(p, queue, 4, four, NULL)) { puts(rounds_error(p)); }
  if (rounds_run_on(p, queue, 3, three, four)) { puts(rounds_error(p)); }
  if (rounds_run_on(p, queue, 0, three, four)) { puts(rounds_error(p)); }
  clReleaseMemObject(four);
  clReleaseMemObject(three);
  clReleaseCommandQueue(queue);
"""
    assert build_c(lift, "rounds", ROUNDS, main).splitlines() == [
        "the buffer `result` has 12 bytes; 4 elements of 4 bytes do not fit",
        "0 0 0",
        "the buffer `xs` has 12 bytes; 4 elements of 4 bytes do not fit",
        "result: OpenCL error -38",
    ]


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
    # The total of the lengths 0, 1, 1, 0, 1 has no closed form.
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


def test_c_threads_have_clones(lift):
    main = """
  struct kept *programs[4] = {p};
  pthread_t threads[4];
  for (int i = 1; i < 4; i++) {
    programs[i] = kept_clone(p, NULL);
    if (!programs[i]) { return 3; }
  }
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, work, programs[i]);
  for (int i = 0; i < 4; i++) {
    void *wrong;
    pthread_join(threads[i], &wrong);
    if (wrong) { return 4; }
    if (i) { kept_free(programs[i]); }
  }
  printf("right");
"""
    work = """
#include <pthread.h>
#include "kept.h"
void *work(void *program)
{
  for (int round = 0; round < 20; round++) {
    float xs[64], result[64];
    cl_int length = 0;
    const int n = 1 + (round * 7) % 64;
    for (int i = 0; i < n; i++) xs[i] = i < round ? 1.0f : 0.0f;
    if (kept_run(program, n, xs, &length, result)) { return program; }
    if (length != (round < n ? round : n)) { return program; }
  }
  return NULL;
}
"""
    lift.file("work.c", work)
    main = "  extern void *work(void *);\n" + main
    assert build_c(lift, "kept", KEPT, main, "-include", "pthread.h", "-pthread", "work.c") == "right"


def test_c_memory_is_kept_for_the_next_run(lift):
    main = """
  extern int made;
  cl_float xs[100] = {1.0f, 0.0f, 1.0f}, result[100];
  cl_int length = 0;
  if (kept_run(p, 100, xs, &length, result)) { return 3; }
  const int before = made;
  for (int n = 100; n > 60; n -= 10) {
    if (kept_run(p, n, xs, &length, result) || length != 2) { return 4; }
  }
  printf("%d", made - before);
"""
    lift.file(
        "counted.c",
        """
#include <CL/cl.h>
int made = 0;
cl_mem __real_clCreateBuffer(cl_context, cl_mem_flags, size_t, void *, cl_int *);
cl_mem __wrap_clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *code)
{
  made++;
  return __real_clCreateBuffer(context, flags, size, host, code);
}
""",
    )
    flags = ["-DCL_TARGET_OPENCL_VERSION=120", "-Wl,--wrap=clCreateBuffer", "counted.c"]
    assert build_c(lift, "kept", KEPT, main, *flags) == "0"


def test_c_launch_that_is_left_out(lift):
    # `--wrap` of the linker counts launches.
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
cl_int __real_clEnqueueNDRangeKernel(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *,
                                     const size_t *, cl_uint, const cl_event *, cl_event *);
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


def test_c_size_without_a_value_in_the_other_branch(lift):
    main = """
  cl_int xs[] = {56, 2, 3, 4}, ys[] = {1, 2}, sum = 0, rest = 0;
  if (quotient_run(p, 1, 0, xs, ys, &sum, &rest)) { return 3; }
  printf("%d %d\\n", (int)sum, (int)rest);
  if (quotient_run(p, 4, 2, xs, ys, &sum, &rest)) { return 4; }
  printf("%d %d\\n", (int)sum, (int)rest);
"""
    assert build_c(lift, "quotient", QUOTIENT, main) == "56 -1\n10 0\n"
