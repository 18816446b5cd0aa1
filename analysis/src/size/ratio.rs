//! Exact rational numbers with checked arithmetic.
//!
//! Every operation returns `None` on overflow, so that no size in a program, however large, can cause a panic.

use std::cmp::Ordering;

/// A rational number in lowest terms with a positive denominator; the numerator is never `i128::MIN`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Ratio {
    num: i128,
    den: i128,
}

impl Ratio {
    pub const ZERO: Ratio = Ratio { num: 0, den: 1 };
    pub const ONE: Ratio = Ratio { num: 1, den: 1 };
    pub const MINUS_ONE: Ratio = Ratio { num: -1, den: 1 };

    /// `num/den` in lowest terms; `None` for a zero denominator or on overflow.
    pub fn new(num: i128, den: i128) -> Option<Ratio> {
        if den == 0 || num == i128::MIN || den == i128::MIN {
            return None;
        }
        if den == 1 {
            return Some(Ratio { num, den });
        }
        let divisor = gcd(num, den).max(1);
        let sign = if den < 0 { -1 } else { 1 };
        Some(Ratio { num: sign * num / divisor, den: sign * den / divisor })
    }

    pub fn integer(num: i128) -> Option<Ratio> {
        Ratio::new(num, 1)
    }

    pub fn num(self) -> i128 {
        self.num
    }

    pub fn den(self) -> i128 {
        self.den
    }

    pub fn is_zero(self) -> bool {
        self.num == 0
    }

    pub fn is_one(self) -> bool {
        self == Ratio::ONE
    }

    pub fn is_integer(self) -> bool {
        self.den == 1
    }

    pub fn is_negative(self) -> bool {
        self.num < 0
    }

    pub fn to_integer(self) -> Option<i128> {
        self.is_integer().then_some(self.num)
    }

    /// Whether the number is 1 or -1.
    fn is_unit(self) -> bool {
        self.den == 1 && (self.num == 1 || self.num == -1)
    }

    /// The number as `i64`, if it is an integer that fits: nearly always, and much faster.
    fn to_short(self) -> Option<i64> {
        if self.den == 1 { i64::try_from(self.num).ok() } else { None }
    }

    /// The greatest integer not above the number.
    pub fn floor(self) -> i128 {
        if self.is_integer() { self.num } else { self.num.div_euclid(self.den) }
    }

    pub fn neg(self) -> Ratio {
        Ratio { num: -self.num, den: self.den }
    }

    pub fn abs(self) -> Ratio {
        Ratio { num: self.num.abs(), den: self.den }
    }

    pub fn add(self, other: Ratio) -> Option<Ratio> {
        // Fast path for integers; the general path needs 128-bit divisions.
        if let (Some(left), Some(right)) = (self.to_short(), other.to_short()) {
            return Some(Ratio { num: i128::from(left) + i128::from(right), den: 1 });
        }
        if self.is_integer() && other.is_integer() {
            return Ratio::integer(self.num.checked_add(other.num)?);
        }
        let divisor = gcd(self.den, other.den);
        let left = self.num.checked_mul(other.den / divisor)?;
        let right = other.num.checked_mul(self.den / divisor)?;
        Ratio::new(left.checked_add(right)?, self.den.checked_mul(other.den / divisor)?)
    }

    pub fn mul(self, other: Ratio) -> Option<Ratio> {
        if let (Some(left), Some(right)) = (self.to_short(), other.to_short()) {
            return Some(Ratio { num: i128::from(left) * i128::from(right), den: 1 });
        }
        // Most fractions are only added or subtracted, that is multiplied by 1 or -1.
        match (self.is_unit(), other.is_unit()) {
            (true, _) => return Some(Ratio { num: self.num * other.num, den: other.den }),
            (_, true) => return Some(Ratio { num: self.num * other.num, den: self.den }),
            (false, false) => {}
        }
        if self.is_integer() && other.is_integer() {
            return Ratio::integer(self.num.checked_mul(other.num)?);
        }
        let left = gcd(self.num, other.den).max(1);
        let right = gcd(other.num, self.den).max(1);
        Ratio::new((self.num / left).checked_mul(other.num / right)?, (self.den / right).checked_mul(other.den / left)?)
    }

    pub fn recip(self) -> Option<Ratio> {
        Ratio::new(self.den, self.num)
    }

    pub fn div(self, other: Ratio) -> Option<Ratio> {
        self.mul(other.recip()?)
    }

    pub fn pow(self, exponent: i32) -> Option<Ratio> {
        if exponent == 1 {
            return Some(self);
        }
        let base = if exponent < 0 { self.recip()? } else { self };
        let exponent = exponent.unsigned_abs();
        Ratio::new(base.num.checked_pow(exponent)?, base.den.checked_pow(exponent)?)
    }

    /// The greatest rational that divides both.
    pub fn gcd(self, other: Ratio) -> Option<Ratio> {
        let num = gcd(self.num.checked_mul(other.den)?, other.num.checked_mul(self.den)?);
        Ratio::new(num, self.den.checked_mul(other.den)?)
    }
}

impl PartialOrd for Ratio {
    fn partial_cmp(&self, other: &Ratio) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ratio {
    fn cmp(&self, other: &Ratio) -> Ordering {
        if self.den == other.den {
            return self.num.cmp(&other.num);
        }
        if let (Some(left), Some(right)) = (self.num.checked_mul(other.den), other.num.checked_mul(self.den)) {
            return left.cmp(&right);
        }
        // Cross-multiplication overflows: compare the continued fractions.
        let (left, right) = (self.floor(), other.floor());
        left.cmp(&right).then_with(|| {
            let left = (self.num.rem_euclid(self.den), self.den);
            let right = (other.num.rem_euclid(other.den), other.den);
            match (left.0, right.0) {
                (0, 0) => Ordering::Equal,
                (0, _) => Ordering::Less,
                (_, 0) => Ordering::Greater,
                _ => {
                    let left = Ratio { num: left.1, den: left.0 };
                    let right = Ratio { num: right.1, den: right.0 };
                    right.cmp(&left)
                }
            }
        })
    }
}

/// The greatest common divisor, non-negative; `gcd(0, 0)` is 0.
pub(crate) fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        if let (Ok(short_a), Ok(short_b)) = (u64::try_from(a), u64::try_from(b)) {
            return i128::from(short_gcd(short_a, short_b));
        }
        (a, b) = (b, a % b);
    }
    i128::try_from(a).unwrap_or(1)
}

/// Euclid's algorithm in 64 bits, which the hardware can divide.
fn short_gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The least common multiple of two positive numbers; `None` on overflow.
pub(crate) fn lcm(a: i128, b: i128) -> Option<i128> {
    (a / gcd(a, b).max(1)).checked_mul(b)
}
