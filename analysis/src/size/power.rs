//! Powers with a symbolic exponent.
//!
//! `c^(k+3)` is `c³·cᵏ`, `6ᵏ` is `2ᵏ·3ᵏ`, `(a·b)ᵏ` is `aᵏ·bᵏ` and `b^(2k)` is the square of `bᵏ`, so that powers
//! multiply and divide like monomials.

use super::Size;
use super::atom::Atom;
use super::poly::{self, Term};
use super::ratio::Ratio;

impl Size {
    /// `self^exponent`. A negative exponent is an exact division.
    #[must_use]
    pub fn pow(&self, exponent: &Size) -> Size {
        if let Some(exponent) = exponent.as_integer() {
            return match i32::try_from(exponent) {
                Ok(exponent) if exponent >= 0 || !self.is_zero() => self.pow_const(exponent),
                _ => Size::atom(Atom::Pow(self.clone(), Size::constant(exponent))),
            };
        }
        if self.is_one() {
            return Size::one();
        }
        let mut product = Size::one();
        let parts = exponent_parts(exponent);
        let whole = vec![(exponent.clone(), 1)];
        for (base, multiplicity) in self.power_bases() {
            // 0^(k-1) is not 0^k/0, so the base must be nonzero. Every unsplit power must be an integer: 2^i is not if
            // i may be negative.
            let divisible = base.sub(&Size::one()).is_natural() || base.as_ratio().is_some_and(|b| !b.is_zero());
            let split = parts.iter().all(|(power, times)| power.is_natural() && (divisible || *times > 0));
            for (power, times) in if split { parts.clone() } else { whole.clone() } {
                let Some(times) = times.checked_mul(multiplicity) else {
                    return Size::atom(Atom::Pow(self.clone(), exponent.clone()));
                };
                let part = match power.as_integer() {
                    // exponent_parts gives a constant part as 1 times its value.
                    Some(1) => base.pow_const(times),
                    _ => Size::factor(Atom::Pow(base.clone(), power), times),
                };
                product = product.mul(&part);
            }
        }
        product
    }

    /// The `e` for which the size is `baseᵉ`, if it is a product of powers of a base that is a prime.
    #[must_use]
    pub fn exponent_of(&self, base: i64) -> Option<Size> {
        let base = Size::int(base);
        let of_factor = |(factor, times): (Size, i32)| {
            let times = Size::int(times.into());
            match factor.as_atom() {
                _ if factor == base => Some(times),
                Some(Atom::Pow(of, exponent)) if *of == base => Some(exponent.mul(&times)),
                _ => None,
            }
        };
        self.power_bases().into_iter().try_fold(Size::zero(), |sum, factor| Some(sum.add(&of_factor(factor)?)))
    }

    /// The size as a product of powers of indivisible bases.
    fn power_bases(&self) -> Vec<(Size, i32)> {
        let [term] = self.terms() else {
            return vec![(self.clone(), 1)];
        };
        let mut bases: Vec<(Size, i32)> = Vec::new();
        let (num, den) = (term.coeff.num(), term.coeff.den());
        if num < 0 {
            bases.push((Size::int(-1), 1));
        }
        bases.extend(prime_factors(num.abs()));
        bases.extend(prime_factors(den).into_iter().map(|(p, e)| (p, -e)));
        bases.extend(term.mono.0.iter().map(|(atom, e)| (Size::atom(atom.clone()), *e)));
        if self.is_zero() { vec![(Size::zero(), 1)] } else { bases }
    }

    /// A product may make a fractional exponent whole: `(2^(N/2))²` is `2^N`.
    pub(crate) fn merge_powers(&self) -> Size {
        let is_mergeable = |(atom, e): &(Atom, i32)| match atom {
            Atom::Pow(_, exponent) => *e != 1 && !exponent.is_integral(),
            _ => false,
        };
        if !self.terms().iter().any(|term| term.mono.0.iter().any(is_mergeable)) {
            return self.clone();
        }
        let mut sum = Size::zero();
        for term in self.terms() {
            let mut product = Size::ratio(term.coeff);
            for factor in &*term.mono.0 {
                let part = match factor {
                    (Atom::Pow(base, exponent), e) if is_mergeable(factor) => {
                        let exponent = exponent.scale(Ratio::integer(i128::from(*e)).unwrap_or(Ratio::ONE));
                        if exponent.is_integral() { base.pow(&exponent) } else { Size::factor(factor.0.clone(), *e) }
                    }
                    (atom, e) => Size::factor(atom.clone(), *e),
                };
                let plain = poly::mul(product.terms(), part.terms());
                product = Size::build(plain, || Size::too_large(&"*", &[&product, &part]));
            }
            sum = sum.add(&product);
        }
        sum
    }
}

/// The exponent as a sum of `times·power`: integer multiples of monomials, the constant as a multiple of 1, and all
/// fractional terms together as one part.
fn exponent_parts(exponent: &Size) -> Vec<(Size, i32)> {
    let mut parts = Vec::new();
    let mut rest = Vec::new();
    for term in exponent.terms() {
        let times = term.coeff.to_integer().and_then(|c| i32::try_from(c).ok());
        match times {
            Some(times) if term.mono.0.iter().all(|(_, e)| *e > 0) => {
                parts.push((Size::term(Term { mono: term.mono.clone(), coeff: Ratio::ONE }), times));
            }
            _ => rest.push(term.clone()),
        }
    }
    if !rest.is_empty() {
        parts.push((Size::from_terms(rest), 1));
    }
    parts
}

/// Prime factors with multiplicities; the cofactor after trial division by small primes counts as one factor.
fn prime_factors(mut value: i128) -> Vec<(Size, i32)> {
    let mut factors = Vec::new();
    let mut prime = 2;
    while prime * prime <= value && prime < 1 << 12 {
        let mut times = 0;
        while value % prime == 0 {
            value /= prime;
            times += 1;
        }
        if times > 0 {
            factors.push((Size::constant(prime), times));
        }
        prime += 1;
    }
    if value > 1 {
        factors.push((Size::constant(value), 1));
    }
    factors
}
