// What generated kernels call, for a device that is this processor: put in front of each program by driver.c.
//
// The compiler gives the types of OpenCL C; the functions of this file stand for those of its header. What a program calls
// and this file lacks is an error of the build, so nothing is computed otherwise without a word.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define LIFT_OVER __attribute__((overloadable)) static inline

// --- work-items and barriers: in driver.c

size_t lift_id(uint dimension, int what);
void lift_barrier(uint line);
#define get_global_id(d) lift_id(d, 0)
#define get_local_id(d) lift_id(d, 1)
#define get_group_id(d) lift_id(d, 2)
#define get_global_size(d) lift_id(d, 3)
#define get_local_size(d) lift_id(d, 4)
#define get_num_groups(d) lift_id(d, 5)
#define get_global_offset(d) ((size_t)0)
// Which barrier it is, is its line: a work-item that waits at another one is found.
#define barrier(fence) lift_barrier(__LINE__)
#define mem_fence(fence) __sync_synchronize()

// --- numbers

#define LIFT_INTEGER(T, U, S)                                                              \
  LIFT_OVER T min(T a, T b) { return b < a ? b : a; }                                      \
  LIFT_OVER T max(T a, T b) { return a < b ? b : a; }                                      \
  LIFT_OVER U abs(T a) { return S && a < 0 ? (U)0 - (U)a : (U)a; }                         \
  LIFT_OVER T clamp(T a, T low, T high) { return min(max(a, low), high); }
LIFT_INTEGER(int, uint, 1)
LIFT_INTEGER(uint, uint, 0)
LIFT_INTEGER(long, ulong, 1)
LIFT_INTEGER(ulong, ulong, 0)
LIFT_OVER int popcount(int a) { return __builtin_popcount((uint)a); }
LIFT_OVER uint popcount(uint a) { return (uint)__builtin_popcount(a); }
LIFT_OVER long popcount(long a) { return __builtin_popcountl((ulong)a); }
LIFT_OVER ulong popcount(ulong a) { return (ulong)__builtin_popcountl(a); }
LIFT_OVER int clz(int a) { return a ? __builtin_clz((uint)a) : 32; }
LIFT_OVER uint clz(uint a) { return a ? (uint)__builtin_clz(a) : 32; }
LIFT_OVER long clz(long a) { return a ? __builtin_clzl((ulong)a) : 64; }
LIFT_OVER ulong clz(ulong a) { return a ? (ulong)__builtin_clzl(a) : 64; }

#define LIFT_FLOAT(T, s)                                                                   \
  LIFT_OVER T sqrt(T a) { return __builtin_sqrt##s(a); }                                   \
  LIFT_OVER T rsqrt(T a) { return (T)1 / __builtin_sqrt##s(a); }                           \
  LIFT_OVER T exp(T a) { return __builtin_exp##s(a); }                                     \
  LIFT_OVER T log(T a) { return __builtin_log##s(a); }                                     \
  LIFT_OVER T sin(T a) { return __builtin_sin##s(a); }                                     \
  LIFT_OVER T cos(T a) { return __builtin_cos##s(a); }                                     \
  LIFT_OVER T tan(T a) { return __builtin_tan##s(a); }                                     \
  LIFT_OVER T floor(T a) { return __builtin_floor##s(a); }                                 \
  LIFT_OVER T ceil(T a) { return __builtin_ceil##s(a); }                                   \
  LIFT_OVER T fabs(T a) { return __builtin_fabs##s(a); }                                   \
  LIFT_OVER T fmin(T a, T b) { return __builtin_fmin##s(a, b); }                           \
  LIFT_OVER T fmax(T a, T b) { return __builtin_fmax##s(a, b); }                           \
  LIFT_OVER T pow(T a, T b) { return __builtin_pow##s(a, b); }                             \
  LIFT_OVER T asin(T a) { return __builtin_asin##s(a); }                                   \
  LIFT_OVER T acos(T a) { return __builtin_acos##s(a); }                                   \
  LIFT_OVER T atan(T a) { return __builtin_atan##s(a); }                                   \
  LIFT_OVER T sinh(T a) { return __builtin_sinh##s(a); }                                   \
  LIFT_OVER T cosh(T a) { return __builtin_cosh##s(a); }                                   \
  LIFT_OVER T asinh(T a) { return __builtin_asinh##s(a); }                                 \
  LIFT_OVER T acosh(T a) { return __builtin_acosh##s(a); }                                 \
  LIFT_OVER T atanh(T a) { return __builtin_atanh##s(a); }                                 \
  LIFT_OVER T copysign(T a, T b) { return __builtin_copysign##s(a, b); }                   \
  LIFT_OVER T tanh(T a) { return __builtin_tanh##s(a); }                                   \
  LIFT_OVER T atan2(T a, T b) { return __builtin_atan2##s(a, b); }                         \
  LIFT_OVER T round(T a) { return __builtin_round##s(a); }                                 \
  LIFT_OVER int isnan(T a) { return a != a; }                                              \
  LIFT_OVER T fmod(T a, T b) { return __builtin_fmod##s(a, b); }                           \
  LIFT_OVER T fma(T a, T b, T c) { return __builtin_fma##s(a, b, c); }                     \
  LIFT_OVER T sincos(T a, __private T *cosine) { *cosine = cos(a); return sin(a); }
LIFT_FLOAT(float, f)
LIFT_FLOAT(double, )

// The same of each lane.
#define LIFT_LANES_1(T, n, f)                                                              \
  LIFT_OVER T##n f(T##n a) { T##n r; for (int i = 0; i < n; i++) r[i] = f((T)a[i]); return r; }
#define LIFT_LANES_2(T, n, f)                                                              \
  LIFT_OVER T##n f(T##n a, T##n b) { T##n r; for (int i = 0; i < n; i++) r[i] = f((T)a[i], (T)b[i]); return r; }
#define LIFT_LANES_3(T, n, f)                                                              \
  LIFT_OVER T##n f(T##n a, T##n b, T##n c) {                                               \
    T##n r; for (int i = 0; i < n; i++) r[i] = f((T)a[i], (T)b[i], (T)c[i]); return r; }
#define LIFT_FLOATS(T, n)                                                                  \
  LIFT_LANES_1(T, n, sqrt) LIFT_LANES_1(T, n, rsqrt) LIFT_LANES_1(T, n, exp)               \
  LIFT_LANES_1(T, n, log) LIFT_LANES_1(T, n, sin) LIFT_LANES_1(T, n, cos)                  \
  LIFT_LANES_1(T, n, tan) LIFT_LANES_1(T, n, floor) LIFT_LANES_1(T, n, ceil)               \
  LIFT_LANES_1(T, n, fabs) LIFT_LANES_2(T, n, fmin) LIFT_LANES_2(T, n, fmax)               \
  LIFT_LANES_2(T, n, pow) LIFT_LANES_3(T, n, fma)
#define LIFT_INTEGERS(T, n) LIFT_LANES_2(T, n, min) LIFT_LANES_2(T, n, max)
// Elements of an array, side by side. A vector in memory need be aligned as its elements are, no more.
#define LIFT_LOAD(T, n, space)                                                             \
  LIFT_OVER T##n vload##n(size_t at, const space T *from) {                                \
    T##n r; for (int i = 0; i < n; i++) r[i] = from[n * at + i]; return r; }               \
  LIFT_OVER void vstore##n(T##n values, size_t at, space T *to) {                          \
    for (int i = 0; i < n; i++) to[n * at + i] = values[i]; }
#define LIFT_MEMORY(T, n) LIFT_LOAD(T, n, __global) LIFT_LOAD(T, n, __local) LIFT_LOAD(T, n, __private)
#define LIFT_WIDTHS(what, T) what(T, 2) what(T, 3) what(T, 4) what(T, 8) what(T, 16)
LIFT_WIDTHS(LIFT_FLOATS, float)
LIFT_WIDTHS(LIFT_FLOATS, double)
LIFT_WIDTHS(LIFT_INTEGERS, int)
LIFT_WIDTHS(LIFT_INTEGERS, long)
LIFT_WIDTHS(LIFT_MEMORY, int)
LIFT_WIDTHS(LIFT_MEMORY, long)
LIFT_WIDTHS(LIFT_MEMORY, float)
LIFT_WIDTHS(LIFT_MEMORY, double)
LIFT_WIDTHS(LIFT_MEMORY, uint)
LIFT_WIDTHS(LIFT_MEMORY, ulong)
// Numbers of 16 bits. Rounding to a multiple of 2^-24, the least of them, is that of a sum with a half.
LIFT_OVER float vload_half(size_t at, const half *from) {
  const uint bits = ((const ushort *)from)[at], rank = bits >> 10 & 31u, digits = bits & 1023u;
  const float size = rank == 0u ? (float)digits * 5.9604644775390625e-8f
                                : as_float((rank == 31u ? 255u : rank + 112u) << 23 | digits << 13);
  return bits >> 15 ? -size : size;
}
LIFT_OVER void vstore_half_rte(float value, size_t at, half *to) {
  const uint bits = as_uint(value), size = bits & 0x7fffffffu;
  const uint stored = size > 0x7f800000u    ? 0x7e00u
                      : size >= 0x477ff000u ? 0x7c00u
                      : size < 0x38800000u  ? as_uint(as_float(size) + 0.5f) - 0x3f000000u
                                            : (size + 0xfffu + (size >> 13 & 1u) - 0x38000000u) >> 13;
  ((ushort *)to)[at] = (ushort)(stored | (bits >> 16 & 0x8000u));
}

// --- conversions

// Of floating point numbers those that fit; what does not is the nearest, and what is not a number is 0.
#define LIFT_SATURATED(T, F, low, beyond, high)                                            \
  LIFT_OVER T convert_##T##_sat(F a) { return a != a ? 0 : a >= beyond ? high : a < -beyond ? low : (T)a; }
LIFT_SATURATED(int, float, (-2147483647 - 1), 2147483648.0f, 2147483647)
LIFT_SATURATED(int, double, (-2147483647 - 1), 2147483648.0, 2147483647)
LIFT_SATURATED(long, float, (-9223372036854775807L - 1), 9223372036854775808.0f, 9223372036854775807L)
LIFT_SATURATED(long, double, (-9223372036854775807L - 1), 9223372036854775808.0, 9223372036854775807L)
#define LIFT_SATURATED_FROM_0(T, F, beyond, high)                                          \
  LIFT_OVER T convert_##T##_sat(F a) { return a != a || a <= 0 ? 0 : a >= beyond ? high : (T)a; }
LIFT_SATURATED_FROM_0(uint, float, 4294967296.0f, 4294967295u)
LIFT_SATURATED_FROM_0(uint, double, 4294967296.0, 4294967295u)
LIFT_SATURATED_FROM_0(ulong, float, 18446744073709551616.0f, 18446744073709551615ul)
LIFT_SATURATED_FROM_0(ulong, double, 18446744073709551616.0, 18446744073709551615ul)
#define LIFT_CONVERT(T, n) LIFT_FROM(T, n, int) LIFT_FROM(T, n, long) LIFT_FROM(T, n, float) LIFT_FROM(T, n, double) \
  LIFT_FROM(T, n, uint) LIFT_FROM(T, n, ulong)
#define LIFT_FROM(T, n, F) LIFT_OVER T##n convert_##T##n(F##n a) { return __builtin_convertvector(a, T##n); }
LIFT_WIDTHS(LIFT_CONVERT, int)
LIFT_WIDTHS(LIFT_CONVERT, uint)
LIFT_WIDTHS(LIFT_CONVERT, long)
LIFT_WIDTHS(LIFT_CONVERT, ulong)
LIFT_WIDTHS(LIFT_CONVERT, float)
LIFT_WIDTHS(LIFT_CONVERT, double)
#define as_int(x) __builtin_astype((x), int)
#define as_uint(x) __builtin_astype((x), uint)
#define as_long(x) __builtin_astype((x), long)
#define as_ulong(x) __builtin_astype((x), ulong)
#define as_float(x) __builtin_astype((x), float)
#define as_double(x) __builtin_astype((x), double)

// --- atomics: of one thread, on which work-items take turns

#define LIFT_ATOMICS(prefix, T, space)                                                                  \
  LIFT_OVER T prefix##_add(volatile space T *p, T v) { return LIFT_SWAP(T, (T)((LIFT_U(T))old + (LIFT_U(T))v)); } \
  LIFT_OVER T prefix##_sub(volatile space T *p, T v) { return LIFT_SWAP(T, (T)((LIFT_U(T))old - (LIFT_U(T))v)); } \
  LIFT_OVER T prefix##_inc(volatile space T *p) { return LIFT_SWAP(T, (T)((LIFT_U(T))old + 1)); }       \
  LIFT_OVER T prefix##_dec(volatile space T *p) { return LIFT_SWAP(T, (T)((LIFT_U(T))old - 1)); }       \
  LIFT_OVER T prefix##_xchg(volatile space T *p, T v) { return LIFT_SWAP(T, v); }                       \
  LIFT_OVER T prefix##_min(volatile space T *p, T v) { return LIFT_SWAP(T, v < old ? v : old); }        \
  LIFT_OVER T prefix##_max(volatile space T *p, T v) { return LIFT_SWAP(T, v > old ? v : old); }        \
  LIFT_OVER T prefix##_and(volatile space T *p, T v) { return LIFT_SWAP(T, old & v); }                  \
  LIFT_OVER T prefix##_or(volatile space T *p, T v) { return LIFT_SWAP(T, old | v); }                   \
  LIFT_OVER T prefix##_xor(volatile space T *p, T v) { return LIFT_SWAP(T, old ^ v); }                  \
  LIFT_OVER T prefix##_cmpxchg(volatile space T *p, T is, T v) { return LIFT_SWAP(T, old == is ? v : old); }
#define LIFT_SWAP(T, value) ({ const T old = *p; *p = (value); old; })
#define LIFT_U(T) LIFT_U_##T
#define LIFT_U_int uint
#define LIFT_U_uint uint
#define LIFT_U_long ulong
#define LIFT_U_ulong ulong
LIFT_ATOMICS(atomic, int, __global)
LIFT_ATOMICS(atomic, int, __local)
LIFT_ATOMICS(atomic, uint, __global)
LIFT_ATOMICS(atomic, uint, __local)
LIFT_ATOMICS(atom, long, __global)
LIFT_ATOMICS(atom, long, __local)
LIFT_ATOMICS(atom, ulong, __global)
LIFT_ATOMICS(atom, ulong, __local)
