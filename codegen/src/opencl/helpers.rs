//! Helper functions of generated kernels; each is printed only if used.
//!
//! They define what C leaves undefined, in agreement with the interpreter: a division by zero is recorded as a failure
//! and gives 0, `INT_MIN / -1` wraps, an index out of range is recorded and gives 0.

use super::{pack, radix};

/// In printing order: a function follows those it calls.
/// The elements of the failure buffer that [`Helper::Fail`] writes, from the first one on.
pub const FAILURE: i64 = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Helper {
    Fail,
    DivInt,
    ModInt,
    DivLong,
    ModLong,
    DivUInt,
    ModUInt,
    DivULong,
    ModULong,
    QuotientInt,
    RemainderInt,
    QuotientLong,
    RemainderLong,
    FloorModInt,
    FloorModLong,
    FloorRemainderInt,
    FloorRemainderLong,
    FloorModFloat,
    FloorModDouble,
    CheckIndex,
    CheckLength,
    CheckCount,
    CheckNumber,
    FloorDiv,
    FloorMod,
    FromHalf,
    ToHalf,
    DoubleToHalf,
    Power,
    GroupScan,
    GroupSums,
    Ranks,
    LongAtomics,
    NextTile,
    Round,
    Publish,
    Status,
    LastGroup,
    SumBefore,
    PackHead,
    PackInt,
    PackFloat,
    PackLong,
    PackDouble,
    Differs,
    Offsets,
    Sortable32,
    Sortable64,
    Note32,
    Note64,
    Digits32,
    Digits64,
    DigitsAlone32,
    DigitsAlone64,
    Move32,
    Move64,
    MoveAlone32,
    MoveAlone64,
}

impl Helper {
    /// The name in the generated text.
    pub fn name(self) -> &'static str {
        match self {
            Helper::Fail => "lift_fail",
            Helper::DivInt => "lift_div_int",
            Helper::ModInt => "lift_mod_int",
            Helper::DivLong => "lift_div_long",
            Helper::ModLong => "lift_mod_long",
            Helper::DivUInt => "lift_div_uint",
            Helper::ModUInt => "lift_mod_uint",
            Helper::DivULong => "lift_div_ulong",
            Helper::ModULong => "lift_mod_ulong",
            Helper::QuotientInt => "lift_quotient_int",
            Helper::RemainderInt => "lift_remainder_int",
            Helper::QuotientLong => "lift_quotient_long",
            Helper::RemainderLong => "lift_remainder_long",
            Helper::FloorModInt => "lift_floor_mod_int",
            Helper::FloorModLong => "lift_floor_mod_long",
            Helper::FloorRemainderInt => "lift_floor_remainder_int",
            Helper::FloorRemainderLong => "lift_floor_remainder_long",
            Helper::FloorModFloat => "lift_floor_mod_float",
            Helper::FloorModDouble => "lift_floor_mod_double",
            Helper::CheckIndex => "lift_check_index",
            Helper::CheckLength => "lift_check_length",
            Helper::CheckCount => "lift_check_count",
            Helper::CheckNumber => "lift_check_number",
            Helper::FloorDiv => "lift_floor_div",
            Helper::FloorMod => "lift_floor_mod",
            Helper::FromHalf => "lift_from_half",
            Helper::ToHalf => "lift_to_half",
            Helper::DoubleToHalf => "lift_double_to_half",
            Helper::Power => "lift_power",
            Helper::GroupScan => "lift_group_scan",
            Helper::GroupSums => "lift_group_sums",
            Helper::Ranks => "lift_ranks",
            Helper::LongAtomics => "",
            Helper::NextTile => "lift_next_tile",
            Helper::Round => "lift_round",
            Helper::Publish => "lift_publish",
            Helper::Status => "lift_status",
            Helper::LastGroup => "lift_last_group",
            Helper::SumBefore => "lift_sum_before",
            Helper::PackHead => "",
            Helper::PackInt => "lift_pack_int",
            Helper::PackFloat => "lift_pack_float",
            Helper::PackLong => "lift_pack_long",
            Helper::PackDouble => "lift_pack_double",
            Helper::Differs => "lift_moves",
            Helper::Offsets => "lift_offsets",
            Helper::Sortable32 => "lift_sortable_32",
            Helper::Sortable64 => "lift_sortable_64",
            Helper::Note32 => "lift_note_32",
            Helper::Note64 => "lift_note_64",
            Helper::Digits32 => "lift_digits_32",
            Helper::DigitsAlone32 => "lift_digits_alone_32",
            Helper::Digits64 => "lift_digits_64",
            Helper::DigitsAlone64 => "lift_digits_alone_64",
            Helper::Move32 => "lift_move_32",
            Helper::MoveAlone32 => "lift_move_alone_32",
            Helper::Move64 => "lift_move_64",
            Helper::MoveAlone64 => "lift_move_alone_64",
        }
    }
    /// The helper that it calls, if any.
    pub fn needs(self) -> Option<Helper> {
        match self {
            Helper::DivInt
            | Helper::ModInt
            | Helper::DivLong
            | Helper::ModLong
            | Helper::DivUInt
            | Helper::ModUInt
            | Helper::DivULong
            | Helper::ModULong
            | Helper::CheckIndex
            | Helper::CheckLength
            | Helper::CheckCount
            | Helper::CheckNumber => Some(Helper::Fail),
            Helper::FloorMod => Some(Helper::FloorDiv),
            Helper::FloorModInt => Some(Helper::ModInt),
            Helper::FloorModLong => Some(Helper::ModLong),
            Helper::DoubleToHalf => Some(Helper::ToHalf),
            Helper::Ranks => Some(Helper::GroupSums),
            Helper::NextTile | Helper::Publish | Helper::LastGroup => Some(Helper::LongAtomics),
            Helper::SumBefore => Some(Helper::Status),
            Helper::Offsets => Some(Helper::GroupScan),
            Helper::Note32 | Helper::Digits32 | Helper::DigitsAlone32 | Helper::Move32 | Helper::MoveAlone32 => {
                Some(Helper::Sortable32)
            }
            Helper::Note64 | Helper::Digits64 | Helper::DigitsAlone64 | Helper::Move64 | Helper::MoveAlone64 => {
                Some(Helper::Sortable64)
            }
            Helper::PackInt | Helper::PackFloat | Helper::PackLong | Helper::PackDouble => Some(Helper::PackHead),
            Helper::Fail
            | Helper::QuotientInt
            | Helper::RemainderInt
            | Helper::QuotientLong
            | Helper::RemainderLong
            | Helper::FloorDiv
            | Helper::FloorRemainderInt
            | Helper::FloorRemainderLong
            | Helper::FloorModFloat
            | Helper::FloorModDouble
            | Helper::FromHalf
            | Helper::ToHalf
            | Helper::Power
            | Helper::GroupScan
            | Helper::GroupSums
            | Helper::LongAtomics
            | Helper::Round
            | Helper::Status
            | Helper::PackHead
            | Helper::Differs
            | Helper::Sortable32
            | Helper::Sortable64 => None,
        }
    }
    /// Whether all work-items of a group must call the function, because it contains a barrier.
    pub fn meets(name: &str) -> bool {
        let helpers = [
            Helper::GroupScan,
            Helper::GroupSums,
            Helper::Ranks,
            Helper::NextTile,
            Helper::LastGroup,
            Helper::SumBefore,
            Helper::Offsets,
            Helper::Note32,
            Helper::Note64,
            Helper::Digits32,
            Helper::Digits64,
            Helper::Move32,
            Helper::Move64,
        ];
        helpers.iter().any(|h| h.name() == name)
    }
    /// Whether a call of the function may record a failure.
    pub fn records_failures(name: &str) -> bool {
        [
            Helper::DivInt,
            Helper::ModInt,
            Helper::DivLong,
            Helper::ModLong,
            Helper::DivUInt,
            Helper::ModUInt,
            Helper::DivULong,
            Helper::ModULong,
            Helper::FloorModInt,
            Helper::FloorModLong,
            Helper::CheckIndex,
            Helper::CheckLength,
            Helper::CheckCount,
            Helper::CheckNumber,
        ]
        .iter()
        .any(|h| h.name() == name)
    }
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
            Helper::GroupScan => super::stream::GROUP_SCAN,
            Helper::GroupSums => super::stream::GROUP_SUMS,
            Helper::Ranks => super::stream::RANKS,
            Helper::LongAtomics => super::stream::LONG_ATOMICS,
            Helper::NextTile => super::stream::NEXT_TILE,
            Helper::Round => super::stream::ROUND,
            Helper::Publish => super::stream::PUBLISH,
            Helper::Status => super::stream::STATUS,
            Helper::LastGroup => super::stream::LAST_GROUP,
            Helper::SumBefore => super::stream::SUM_BEFORE,
            Helper::PackHead => pack::HEAD,
            Helper::PackInt => &pack::INT,
            Helper::PackFloat => &pack::FLOAT,
            Helper::PackLong => &pack::LONG,
            Helper::PackDouble => &pack::DOUBLE,
            Helper::Differs => radix::DIFFERS,
            Helper::Offsets => radix::OFFSETS,
            Helper::Sortable32 => &radix::OF_32.sortable,
            Helper::Sortable64 => &radix::OF_64.sortable,
            Helper::Note32 => &radix::OF_32.note,
            Helper::Note64 => &radix::OF_64.note,
            Helper::Digits32 => &radix::OF_32.count,
            Helper::DigitsAlone32 => &radix::OF_32.count_alone,
            Helper::Digits64 => &radix::OF_64.count,
            Helper::DigitsAlone64 => &radix::OF_64.count_alone,
            Helper::Move32 => &radix::OF_32.shift,
            Helper::MoveAlone32 => &radix::OF_32.shift_alone,
            Helper::Move64 => &radix::OF_64.shift,
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
