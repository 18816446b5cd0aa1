// What NVIDIA's libraries have of the benchmarks: CUB, Thrust and cuBLAS, called as their manuals say. cuBLAS is opened at
// run time, so that no header of it is needed; its fp32 product runs in the pedantic mode, without TF32.
#include "peer.h"
#include <cub/cub.cuh>
#include <cuda/std/tuple>
#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/copy.h>
#include <dlfcn.h>
#define OK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s: %s\n", #x, cudaGetErrorString(e_)); exit(1); } } while (0)

typedef std::vector<Array> Arrays;
// Makes everything ready, and gives what is enqueued on `st` for one run, and what brings the results.
struct Job { std::function<void()> run; std::function<void(Arrays&)> fetch; };
static cudaStream_t st;

template <class T> static T* device(int64_t n) { T* p; OK(cudaMalloc(&p, n * sizeof(T) + 256)); OK(cudaMemset(p, 0xff, n * sizeof(T))); return p; }
template <class T> static T* device(Array& a) { T* p = device<T>(a.size()); OK(cudaMemcpy(p, a.bytes.data(), a.bytes.size(), cudaMemcpyHostToDevice)); return p; }
static void host(Array& a, const void* p) { OK(cudaMemcpy(a.bytes.data(), p, a.bytes.size(), cudaMemcpyDeviceToHost)); }
// CUB's calls tell their need of memory when they get none.
template <class F> static std::function<void()> with_memory(F call) {
  size_t bytes = 0;
  OK(call(nullptr, bytes));
  void* memory = device<char>(bytes);
  return [=] { size_t b = bytes; call(memory, b); };
}
struct Large { __host__ __device__ bool operator()(float x) const { return x > 0.5f; } };
struct Twice { __host__ __device__ float operator()(float x) const { return x * 2.0f; } };
struct Times { __host__ __device__ float operator()(const thrust::tuple<float, float>& p) const { return thrust::get<0>(p) * thrust::get<1>(p); } };

// As fast as a copy, which no map is faster than.
static Job scale(Arrays& in) {
  int64_t n = in[0].size(); float *x = device<float>(in[0]), *y = device<float>(n);
  auto call = [=] { cub::DeviceTransform::Transform(cuda::std::tuple<float*>(x), y, n, Twice(), st); };
  return {call, [=](Arrays& out) { out = {floats({n})}; host(out[0], y); }};
}
template <class T> static Job reverse(Arrays& in) {
  int64_t n = in[0].size(); T *x = device<T>(in[0]), *y = device<T>(n);
  auto call = [=] { thrust::reverse_copy(thrust::cuda::par_nosync.on(st), thrust::device_pointer_cast(x), thrust::device_pointer_cast(x) + n, thrust::device_pointer_cast(y)); };
  return {call, [=](Arrays& out) { out = {made(in[0].type, {n})}; host(out[0], y); }};
}
template <class T> static Job sum(Arrays& in) {
  int64_t n = in[0].size(); T *x = device<T>(in[0]), *y = device<T>(1);
  return {with_memory([=](void* m, size_t& b) { return cub::DeviceReduce::Sum(m, b, x, y, (int)n, st); }),
          [=](Arrays& out) { out = {made(in[0].type, {})}; host(out[0], y); }};
}
static Job dot(Arrays& in) {
  int64_t n = in[0].size(); float *x = device<float>(in[0]), *z = device<float>(in[1]), *y = device<float>(1);
  auto products = thrust::make_transform_iterator(thrust::make_zip_iterator(thrust::make_tuple((const float*)x, (const float*)z)), Times());
  return {with_memory([=](void* m, size_t& b) { return cub::DeviceReduce::Sum(m, b, products, y, (int)n, st); }),
          [=](Arrays& out) { out = {floats({})}; host(out[0], y); }};
}
static Job scan(Arrays& in) {
  int64_t n = in[0].size(); int *x = device<int>(in[0]), *y = device<int>(n);
  return {with_memory([=](void* m, size_t& b) { return cub::DeviceScan::InclusiveSum(m, b, x, y, (int)n, st); }),
          [=](Arrays& out) { out = {ints({n})}; host(out[0], y); }};
}
static void kept(Arrays& out, const float* y, const int* count) {
  int c; OK(cudaMemcpy(&c, count, 4, cudaMemcpyDeviceToHost));
  out = {floats({c})}; host(out[0], y);
}
static Job filter(Arrays& in) {
  int64_t n = in[0].size(); float *x = device<float>(in[0]), *y = device<float>(n); int* count = device<int>(1);
  return {with_memory([=](void* m, size_t& b) { return cub::DeviceSelect::If(m, b, x, y, count, (int)n, Large(), st); }),
          [=](Arrays& out) { kept(out, y, count); }};
}
// Fused: the kept elements go through the map on their way out.
static Job filter_map(Arrays& in) {
  int64_t n = in[0].size(); float *x = device<float>(in[0]), *y = device<float>(n); int* count = device<int>(1);
  auto to = thrust::make_transform_output_iterator(y, Twice());
  return {with_memory([=](void* m, size_t& b) { return cub::DeviceSelect::If(m, b, x, to, count, (int)n, Large(), st); }),
          [=](Arrays& out) { kept(out, y, count); }};
}
static Job histogram(Arrays& in) {
  int64_t n = in[0].size(); int *x = device<int>(in[0]), *y = device<int>(256);
  return {with_memory([=](void* m, size_t& b) { return cub::DeviceHistogram::HistogramEven(m, b, x, y, 257, 0, 256, (int)n, st); }),
          [=](Arrays& out) { out = {ints({256})}; host(out[0], y); }};
}
// The variant that keeps its input, as the others do.
template <class T> static Job sort_keys(Arrays& in) {
  int64_t n = in[0].size(); T *x = device<T>(in[0]), *y = device<T>(n);
  return {with_memory([=](void* m, size_t& b) { return cub::DeviceRadixSort::SortKeys(m, b, x, y, (int)n, 0, 32, st); }),
          [=](Arrays& out) { out = {made(in[0].type, {n})}; host(out[0], y); }};
}
// Keys with their positions, of which the latter are the result.
static Job argsort(Arrays& in) {
  int64_t n = in[0].size(); int *x = device<int>(in[0]), *keys = device<int>(n), *y = device<int>(n);
  Array positions = ints({n});
  for (int64_t i = 0; i < n; i++) positions.i()[i] = (int)i;
  int* from = device<int>(positions);
  return {with_memory([=](void* m, size_t& b) { return cub::DeviceRadixSort::SortPairs(m, b, x, keys, from, y, (int)n, 0, 32, st); }),
          [=](Arrays& out) { out = {ints({n})}; host(out[0], y); }};
}

typedef void* Handle;
static Handle blas;
static int (*sgemm)(Handle, int, int, int, int, int, const float*, const float*, int, const float*, int, const float*, float*, int);
static int (*dgemm)(Handle, int, int, int, int, int, const double*, const double*, int, const double*, int, const double*, double*, int);
static int (*sgeam)(Handle, int, int, int, int, const float*, const float*, int, const float*, const float*, int, float*, int);
static int (*sgemv)(Handle, int, int, int, const float*, const float*, int, const float*, int, const float*, float*, int);
static int (*strmv)(Handle, int, int, int, int, const float*, int, float*, int);
static int (*stpmv)(Handle, int, int, int, int, const float*, float*, int);
static void open_blas() {
  void* lib = nullptr;
  for (const char* name : {"libcublas.so.13", "/usr/local/cuda/lib64/libcublas.so.13", "libcublas.so.12", "libcublas.so"})
    if (!lib) lib = dlopen(name, RTLD_NOW | RTLD_GLOBAL);
  if (!lib) die("there is no libcublas");
  int (*create)(Handle*), (*stream)(Handle, cudaStream_t), (*mode)(Handle, int);
  *(void**)&create = dlsym(lib, "cublasCreate_v2"); *(void**)&stream = dlsym(lib, "cublasSetStream_v2");
  *(void**)&mode = dlsym(lib, "cublasSetMathMode"); *(void**)&sgemm = dlsym(lib, "cublasSgemm_v2"); *(void**)&dgemm = dlsym(lib, "cublasDgemm_v2");
  *(void**)&sgeam = dlsym(lib, "cublasSgeam"); *(void**)&sgemv = dlsym(lib, "cublasSgemv_v2");
  *(void**)&strmv = dlsym(lib, "cublasStrmv_v2"); *(void**)&stpmv = dlsym(lib, "cublasStpmv_v2");
  if (create(&blas) || stream(blas, st) || mode(blas, 2)) die("cuBLAS does not start");
}
static const float one = 1, zero = 0;
static Job transpose(Arrays& in) {
  open_blas();
  int64_t n = in[0].shape[0], m = in[0].shape[1]; float *x = device<float>(in[0]), *y = device<float>(n * m);
  return {[=] { if (sgeam(blas, 1, 0, n, m, &one, x, m, &zero, x, n, y, n)) die("sgeam"); },
          [=](Arrays& out) { out = {made(in[0].type, {m, n})}; host(out[0], y); }};
}
static Job matmul(Arrays& in) {
  open_blas();
  int64_t n = in[0].shape[0], k = in[0].shape[1], m = in[1].shape[1];
  float *a = device<float>(in[0]), *b = device<float>(in[1]), *c = device<float>(n * m);
  return {[=] { if (sgemm(blas, 0, 0, m, n, k, &one, b, m, a, k, &zero, c, m)) die("sgemm"); },
          [=](Arrays& out) { out = {floats({n, m})}; host(out[0], c); }};
}
static Job matmul_double(Arrays& in) {
  open_blas();
  static const double one = 1, zero = 0;
  int64_t n = in[0].shape[0], k = in[0].shape[1], m = in[1].shape[1];
  double *a = device<double>(in[0]), *b = device<double>(in[1]), *c = device<double>(n * m);
  return {[=] { if (dgemm(blas, 0, 0, m, n, k, &one, b, m, a, k, &zero, c, m)) die("dgemm"); },
          [=](Arrays& out) { out = {made(in[0].type, {n, m})}; host(out[0], c); }};
}
// sgemv adds to its last argument, which is therefore copied before each run.
static Job gemv(Arrays& in) {
  open_blas();
  int64_t n = in[0].shape[0], m = in[0].shape[1];
  float *a = device<float>(in[0]), *x = device<float>(in[1]), *z = device<float>(in[2]), *y = device<float>(n);
  static float alpha, beta; alpha = in[3].f()[0]; beta = in[4].f()[0];
  return {[=] { cudaMemcpyAsync(y, z, 4 * n, cudaMemcpyDeviceToDevice, st); if (sgemv(blas, 1, m, n, &alpha, a, m, x, 1, &beta, y, 1)) die("sgemv"); },
          [=](Arrays& out) { out = {floats({n})}; host(out[0], y); }};
}
// Triangular products: row i has i+1 numbers, one row after the other. What cuBLAS has for it works in place, on columns;
// so a run overwrites the vector, and what is fetched is computed once more from the first one. A triangle may lie by rows
// (which is an upper one by columns, transposed) or by columns: whichever is faster.
enum { LOWER = 0, UPPER = 1, PLAIN = 0, TRANSPOSED = 1, NOT_UNIT = 0 };
static double microseconds(const std::function<void()>& run) {
  for (int i = 0; i < 3; i++) run();
  OK(cudaStreamSynchronize(st));
  double t = now(); for (int i = 0; i < 5; i++) run(); OK(cudaStreamSynchronize(st));
  return now() - t;
}
static Job in_place(Arrays& in, std::function<void(float*)> by_rows, std::function<void(float*)> by_columns) {
  int64_t n = in[1].size(); float *x = device<float>(in[1]), *y = device<float>(in[1]);
  double rows = microseconds([=] { by_rows(y); }), columns = microseconds([=] { by_columns(y); });
  auto product = rows <= columns ? by_rows : by_columns;
  return {[=] { product(y); }, [=](Arrays& out) {
    OK(cudaMemcpy(y, x, 4 * n, cudaMemcpyDeviceToDevice)); product(y); OK(cudaStreamSynchronize(st));
    out = {floats({n})}; host(out[0], y); }};
}
static Array square(Arrays& in, bool columns) {
  int64_t n = in[1].size(); Array all = floats({n, n});
  std::fill(all.f(), all.f() + n * n, 0.0f);
  for (int64_t i = 0; i < n; i++) for (int64_t j = 0; j <= i; j++) all.f()[columns ? j * n + i : i * n + j] = in[0].f()[i * (i + 1) / 2 + j];
  return all;
}
static Job triangle_strmv(Arrays& in) {
  open_blas();
  int n = (int)in[1].size(); Array by_rows = square(in, false), by_columns = square(in, true);
  float *a = device<float>(by_rows), *b = device<float>(by_columns);
  return in_place(in, [=](float* y) { if (strmv(blas, UPPER, TRANSPOSED, NOT_UNIT, n, a, n, y, 1)) die("strmv"); },
                  [=](float* y) { if (strmv(blas, LOWER, PLAIN, NOT_UNIT, n, b, n, y, 1)) die("strmv"); });
}
static Job triangle_stpmv(Arrays& in) {
  open_blas();
  int64_t n = in[1].size(); float* a = device<float>(in[0]);
  Array by_columns = floats({in[0].size()});
  float* to = by_columns.f();
  for (int64_t j = 0; j < n; j++) for (int64_t i = j; i < n; i++) *to++ = in[0].f()[i * (i + 1) / 2 + j];
  float* b = device<float>(by_columns);
  return in_place(in, [=](float* y) { if (stpmv(blas, UPPER, TRANSPOSED, NOT_UNIT, (int)n, a, y, 1)) die("stpmv"); },
                  [=](float* y) { if (stpmv(blas, LOWER, PLAIN, NOT_UNIT, (int)n, b, y, 1)) die("stpmv"); });
}
static Job triangle_sgemv(Arrays& in) {
  open_blas();
  int n = (int)in[1].size(); Array all = square(in, false);
  float *a = device<float>(all), *x = device<float>(in[1]), *y = device<float>(n);
  return {[=] { if (sgemv(blas, TRANSPOSED, n, n, &one, a, n, x, 1, &zero, y, 1)) die("sgemv"); },
          [=](Arrays& out) { out = {floats({n})}; host(out[0], y); }};
}

int main(int argc, char** argv) {
  static const std::map<std::string, Job (*)(Arrays&)> entries = {
    {"b_scale", scale}, {"b_reverse", reverse<float>}, {"b_sum", sum<float>}, {"b_dot", dot}, {"b_scan", scan}, {"b_filter", filter},
    {"b_filter_map", filter_map}, {"b_histogram", histogram}, {"b_transpose", transpose}, {"b_matmul", matmul}, {"b_gemv", gemv},
    {"b_sort", sort_keys<int>}, {"b_sort_floats", sort_keys<float>}, {"b_argsort", argsort},
    {"b_fcl_reverse", reverse<int>}, {"b_fcl_reduce", sum<int>}, {"b_fcl_scan", scan}, {"b_fcl_transpose", transpose},
    {"b_fcl_matmul", matmul_double},
    {"b_triangle_strmv", triangle_strmv}, {"b_triangle_stpmv", triangle_stpmv}, {"b_triangle_sgemv", triangle_sgemv},
  };
  Request r = request(argc, argv);
  auto entry = entries.find(r.entry);
  if (entry == entries.end()) { fprintf(stderr, "no entry %s\n", r.entry.c_str()); return 3; }
  OK(cudaStreamCreate(&st));
  Arrays in = read_all(stdin), out;
  Job job = entry->second(in);
  FILE* times = fopen(r.times.c_str(), "w");
  if (!times) die("the file of times cannot be written");
  for (int i = 0; i < 4; i++) job.run();
  OK(cudaStreamSynchronize(st)); OK(cudaGetLastError());
  cudaEvent_t a, b; OK(cudaEventCreate(&a)); OK(cudaEventCreate(&b));
  for (int i = 0; i < r.runs; i++) {
    OK(cudaEventRecord(a, st)); job.run(); OK(cudaEventRecord(b, st)); OK(cudaEventSynchronize(b));
    float ms; OK(cudaEventElapsedTime(&ms, a, b)); fprintf(times, "device %f\n", ms * 1e3);
  }
  std::vector<double> wall;
  for (int i = 0; i < r.runs; i++) { double t = now(); job.run(); OK(cudaStreamSynchronize(st)); wall.push_back(now() - t); fprintf(times, "wall %f\n", wall.back()); }
  int burst = std::max(4.0, std::min(200.0, 20000.0 / median(wall)));
  for (int o = 0; o < 5; o++) {
    double t = now(); for (int i = 0; i < burst; i++) job.run(); OK(cudaStreamSynchronize(st));
    fprintf(times, "each %f\n", (now() - t) / burst);
  }
  fclose(times);
  OK(cudaGetLastError());
  job.fetch(out);
  for (const Array& x : out) write_one(stdout, x);
}
