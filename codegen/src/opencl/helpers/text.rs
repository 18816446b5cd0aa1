//! The text of each helper function.

use super::Helper;
use crate::opencl::{pack, radix, stream};

impl Helper {
    pub fn text(self) -> &'static str {
        match self {
            Helper::Fail => {
                "\
// Records the first failure: that there is one, which, and two operands for its message.
void lift_fail(__global int* failure, int which, int a, int b)
{
  if (atomic_cmpxchg((volatile __global int*)failure, 0, 1) == 0) {
    failure[1] = which;
    failure[2] = a;
    failure[3] = b;
  }
}
"
            }
            Helper::DivInt => {
                "\
int lift_div_int(__global int* failure, int which, int a, int b)
{
  if (b == 0) {
    lift_fail(failure, which, a, b);
    return 0;
  }
  return b == -1 ? (int)(0u - (uint)a) : a / b;
}
"
            }
            Helper::ModInt => {
                "\
int lift_mod_int(__global int* failure, int which, int a, int b)
{
  if (b == 0) {
    lift_fail(failure, which, a, b);
    return 0;
  }
  return b == -1 ? 0 : a % b;
}
"
            }
            Helper::DivLong => {
                "\
long lift_div_long(__global int* failure, int which, long a, long b)
{
  if (b == 0) {
    lift_fail(failure, which, (int)a, (int)b);
    return 0;
  }
  return b == -1 ? (long)(0ul - (ulong)a) : a / b;
}
"
            }
            Helper::ModLong => {
                "\
long lift_mod_long(__global int* failure, int which, long a, long b)
{
  if (b == 0) {
    lift_fail(failure, which, (int)a, (int)b);
    return 0;
  }
  return b == -1 ? 0 : a % b;
}
"
            }
            Helper::DivUInt => {
                "\
uint lift_div_uint(__global int* failure, int which, uint a, uint b)
{
  if (b == 0) {
    lift_fail(failure, which, (int)a, (int)b);
    return 0;
  }
  return a / b;
}
"
            }
            Helper::ModUInt => {
                "\
uint lift_mod_uint(__global int* failure, int which, uint a, uint b)
{
  if (b == 0) {
    lift_fail(failure, which, (int)a, (int)b);
    return 0;
  }
  return a % b;
}
"
            }
            Helper::DivULong => {
                "\
ulong lift_div_ulong(__global int* failure, int which, ulong a, ulong b)
{
  if (b == 0) {
    lift_fail(failure, which, (int)a, (int)b);
    return 0;
  }
  return a / b;
}
"
            }
            Helper::ModULong => {
                "\
ulong lift_mod_ulong(__global int* failure, int which, ulong a, ulong b)
{
  if (b == 0) {
    lift_fail(failure, which, (int)a, (int)b);
    return 0;
  }
  return a % b;
}
"
            }
            Helper::QuotientInt => {
                "\
// The divisor is not 0.
int lift_quotient_int(int a, int b)
{
  return b == -1 ? (int)(0u - (uint)a) : a / b;
}
"
            }
            Helper::RemainderInt => {
                "\
int lift_remainder_int(int a, int b)
{
  return b == -1 ? 0 : a % b;
}
"
            }
            Helper::QuotientLong => {
                "\
long lift_quotient_long(long a, long b)
{
  return b == -1 ? (long)(0ul - (ulong)a) : a / b;
}
"
            }
            Helper::RemainderLong => {
                "\
long lift_remainder_long(long a, long b)
{
  return b == -1 ? 0 : a % b;
}
"
            }
            Helper::FloorModInt => {
                "\
int lift_floor_mod_int(__global int* failure, int which, int a, int b)
{
  const int rest = lift_mod_int(failure, which, a, b);
  return rest != 0 && (rest ^ b) < 0 ? rest + b : rest;
}
"
            }
            Helper::FloorModLong => {
                "\
long lift_floor_mod_long(__global int* failure, int which, long a, long b)
{
  const long rest = lift_mod_long(failure, which, a, b);
  return rest != 0 && (rest ^ b) < 0 ? rest + b : rest;
}
"
            }
            Helper::FloorRemainderInt => {
                "\
// The sign is that of the divisor, which is not 0.
int lift_floor_remainder_int(int a, int b)
{
  const int rest = b == -1 ? 0 : a % b;
  return rest != 0 && (rest ^ b) < 0 ? rest + b : rest;
}
"
            }
            Helper::FloorRemainderLong => {
                "\
// The sign is that of the divisor, which is not 0.
long lift_floor_remainder_long(long a, long b)
{
  const long rest = b == -1 ? 0 : a % b;
  return rest != 0 && (rest ^ b) < 0 ? rest + b : rest;
}
"
            }
            Helper::FloorModFloat => {
                "\
// The sign is that of the divisor, also of a zero.
float lift_floor_mod_float(float a, float b)
{
  const float rest = fmod(a, b);
  if (rest == 0.0f) {
    return copysign(rest, b);
  }
  return (rest < 0.0f) != (b < 0.0f) ? rest + b : rest;
}
"
            }
            Helper::FloorModDouble => {
                "\
// The sign is that of the divisor, also of a zero.
double lift_floor_mod_double(double a, double b)
{
  const double rest = fmod(a, b);
  if (rest == 0.0) {
    return copysign(rest, b);
  }
  return (rest < 0.0) != (b < 0.0) ? rest + b : rest;
}
"
            }
            Helper::CheckIndex => {
                "\
// The index, or 0 and a recorded failure if it is not below n.
int lift_check_index(__global int* failure, int which, int i, int n)
{
  if (i < 0 || i >= n) {
    lift_fail(failure, which, i, n);
    return 0;
  }
  return i;
}
"
            }
            Helper::CheckLength => {
                "\
// A length that the program computes. The limit leaves room for loops with the stride of the grid to pass the end of
// the longest array.
int lift_check_length(__global int* failure, int which, int n)
{
  if (n < 0 || n > 2013265920) {
    lift_fail(failure, which, n, 0);
    return 0;
  }
  return n;
}
"
            }
            Helper::CheckCount => {
                "\
// The length of an array that is stored nowhere.
int lift_check_count(__global int* failure, int which, long n)
{
  if (n > 2013265920) {
    lift_fail(failure, which, 0, 0);
    return 0;
  }
  return (int)n;
}
"
            }
            Helper::CheckNumber => {
                "\
// A size as a number.
int lift_check_number(__global int* failure, int which, long n)
{
  if (n != (int)n) {
    lift_fail(failure, which, 0, 0);
    return 0;
  }
  return (int)n;
}
"
            }
            Helper::FloorDiv => {
                "\
// Rounds towards minus infinity; b is positive.
int lift_floor_div(int a, int b)
{
  return a >= 0 ? a / b : -((b - 1 - a) / b);
}
"
            }
            Helper::FloorMod => {
                "\
int lift_floor_mod(int a, int b)
{
  return a - lift_floor_div(a, b) * b;
}
"
            }
            Helper::GroupScan => stream::GROUP_SCAN,
            Helper::GroupSums => stream::GROUP_SUMS,
            Helper::Ranks => stream::RANKS,
            Helper::LongAtomics => stream::LONG_ATOMICS,
            Helper::NextTile => stream::NEXT_TILE,
            Helper::Round => stream::ROUND,
            Helper::Publish => stream::PUBLISH,
            Helper::Status => stream::STATUS,
            Helper::LastGroup => stream::LAST_GROUP,
            Helper::SumBefore => stream::SUM_BEFORE,
            Helper::PackHead => pack::HEAD,
            Helper::PackInt => &pack::INT,
            Helper::PackFloat => &pack::FLOAT,
            Helper::PackLong => &pack::LONG,
            Helper::PackDouble => &pack::DOUBLE,
            Helper::Differs => radix::DIFFERS,
            Helper::Offsets => radix::OFFSETS,
            Helper::DigitSums => radix::tiles::DIGIT_SUMS,
            Helper::Histograms => radix::tiles::HISTOGRAMS,
            Helper::Sortable32 => &radix::OF_32.sortable,
            Helper::Sortable64 => &radix::OF_64.sortable,
            Helper::Note32 => &radix::OF_32.note,
            Helper::Note64 => &radix::OF_64.note,
            Helper::Digits32 => &radix::OF_32.count,
            Helper::DigitsAlone32 => &radix::OF_32.count_alone,
            Helper::Digits64 => &radix::OF_64.count,
            Helper::DigitsAlone64 => &radix::OF_64.count_alone,
            Helper::Move32 => &radix::OF_32.shift,
            Helper::Digits32InAll => &radix::OF_32.digits_in_all,
            Helper::MoveTiles32 => &radix::OF_32.move_tiles,
            Helper::MoveAlone32 => &radix::OF_32.shift_alone,
            Helper::Move64 => &radix::OF_64.shift,
            Helper::Digits64InAll => &radix::OF_64.digits_in_all,
            Helper::MoveTiles64 => &radix::OF_64.move_tiles,
            Helper::MoveAlone64 => &radix::OF_64.shift_alone,
            Helper::FromHalf => {
                "\
float lift_from_half(ushort bits)
{
  return vload_half(0, (const half*)&bits);
}
"
            }
            Helper::ToHalf => {
                "\
ushort lift_to_half(float x)
{
  ushort bits;
  vstore_half_rte(x, 0, (half*)&bits);
  return bits;
}
"
            }
            Helper::DoubleToHalf => {
                "\
// Avoids double rounding: an inexact float gets an odd last bit, so that it is between the same two halves as the
// number.
ushort lift_double_to_half(double x)
{
  const float near = (float)x;
  const double back = (double)near;
  const uint bits = as_uint(near);
  const bool exact = back == x || isnan(x) || (bits & 1u) == 1u;
  return lift_to_half(exact ? near : as_float(fabs(back) > fabs(x) ? bits - 1u : bits + 1u));
}
"
            }
            Helper::Power => {
                "\
int lift_power(int base, int exponent)
{
  int result = 1;
  for (int i = 0; i < exponent; i++) {
    result *= base;
  }
  return result;
}
"
            }
        }
    }
}
