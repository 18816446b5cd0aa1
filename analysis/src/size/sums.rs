//! Finite sums `Σ body` over `0 <= i < count`, and their closed forms.
//!
//! Linearity splits a sum into parts, each a factor free of the index times one of
//! * `iᵖ` (Faulhaber's formula, found by solving S(n+1) - S(n) = nᵖ from the top),
//! * `cⁱ` and `i·cⁱ` for a number `c >= 2`,
//! * `⌊(i+c)/k⌋`, and with it `i mod k`,
//! * `iᵖ`, or its product with one condition `i < c` or one `max(0, ±i + c)`; the range of the index is split where the
//!   condition changes.

use super::Size;
use super::atom::Atom;
use super::poly::{Mono, Term};
use super::ratio::Ratio;
use super::var::{Var, VarKind};
use std::sync::Arc;

/// Maximum power of the index with a closed form.
const MAX_POWER: i32 = 12;
/// Maximum number of summands written out if there is no closed form.
const MAX_UNROLLED: i128 = 16;

impl Size {
    /// `Σ body` over `0 <= index < count`, in closed form where there is one.
    #[must_use]
    pub fn sum(index: Var, count: Size, body: Size) -> Size {
        if count.is_zero() || count.as_integer().is_some_and(|n| n < 0) {
            return Size::zero();
        }
        if !index.is_natural() {
            // Inside the sum the index is natural, whatever its kind elsewhere.
            let natural = Var { kind: VarKind::Position, ..index.clone() };
            let body = body.subst_var(&index, &Size::var(natural.clone()));
            return Size::sum(natural, count, body);
        }
        let mut total = Size::zero();
        // Fractions that contain the index may be integral only in total.
        let mut fractions = Size::zero();
        for term in body.terms() {
            let (outside, inside) = split(term, &index);
            let part = match sum_of_monomial(&index, &count, &inside) {
                Some(closed) => closed,
                None if inside.0.iter().any(|(_, e)| *e < 0) => {
                    fractions = fractions.add(&Size::term(term.clone()));
                    continue;
                }
                None => open_sum(&index, &count, &Size::term(Term { mono: inside, coeff: Ratio::ONE })),
            };
            total = total.add(&Size::term(outside).mul(&part));
        }
        if fractions.is_zero() { total } else { total.add(&open_sum(&index, &count, &fractions)) }
    }
}

/// The sum without a `Σ`, if there is a closed form.
pub fn closed_form(i: &Var, count: &Size, body: &Size) -> Option<Size> {
    let mut total = Size::zero();
    for term in body.terms() {
        let (outside, inside) = split(term, i);
        let part = sum_of_monomial(i, count, &inside)?;
        total = total.add(&Size::term(outside).mul(&part));
    }
    Some(total)
}

/// Splits a term into the factors without the index and those that mention it.
fn split(term: &Term, index: &Var) -> (Term, Mono) {
    let outside = term.mono.retain(|atom, _| !atom.contains(index));
    (Term { mono: outside, coeff: term.coeff }, term.mono.retain(|atom, _| atom.contains(index)))
}

/// The sum as an atom. The index is renamed by the nesting depth of sums in the body, so that sums that differ only in
/// its name are equal.
fn open_sum(index: &Var, count: &Size, body: &Size) -> Size {
    if let Some(n @ 0..=MAX_UNROLLED) = count.as_integer() {
        let at = |i| body.subst_var(index, &Size::constant(i));
        return (0..n).fold(Size::zero(), |sum, i| sum.add(&at(i)));
    }
    let canonical = canonical_index(body.sum_depth());
    let body = body.subst_var(index, &Size::var(canonical.clone()));
    Size::atom(Atom::Sum { index: canonical, count: count.clone(), body })
}

/// The index of a sum whose body has sums nested to `depth`.
fn canonical_index(depth: u32) -> Var {
    Var { kind: VarKind::Position, id: u32::MAX - depth, name: Arc::from("i") }
}

/// The closed form of the sum of a product of atoms that all mention the index.
fn sum_of_monomial(index: &Var, count: &Size, body: &Mono) -> Option<Size> {
    let atom = Atom::Var(index.clone());
    let power = body.exponent(&atom);
    if !(0..=MAX_POWER).contains(&power) {
        return None;
    }
    let others = body.without(&atom);
    match &*others.0 {
        [] => power_sum(power, count),
        [(Atom::Pow(..), _), ..] => geometric_sum(index, count, power, &others.0),
        [(Atom::Floor(num, den), 1)] if power == 0 && !den.contains(index) => {
            // Σ ⌊(i+c)/k⌋ over i < n is S(n+c) - S(c), if c cannot be negative.
            let offset = num.sub(&Size::var(index.clone()));
            if offset.contains(index) || !offset.is_natural() {
                return None;
            }
            Some(floor_sum(&count.add(&offset), den).sub(&floor_sum(&offset, den)))
        }
        [(Atom::Step(condition), 1)] => {
            let (upto, below) = threshold(index, condition)?;
            let weight = Size::var(index.clone()).pow_const(power);
            Some(cut(index, count, &upto, below, &weight))
        }
        [(Atom::Max(operands), 1)] => {
            let [operand] = operands.as_ref() else {
                return None;
            };
            let (upto, below) = threshold(index, operand)?;
            // At the zero of the operand, either side of the cut is correct.
            let other = if below { upto.sub(&Size::one()) } else { upto.add(&Size::one()) };
            let (first, second) = if below { (other, upto) } else { (upto, other) };
            let upto = if !first.is_natural() && second.is_natural() { second } else { first };
            let weight = operand.mul(&Size::var(index.clone()).pow_const(power));
            Some(cut(index, count, &upto, below, &weight))
        }
        _ => None,
    }
}

/// Turns `condition >= 0` into `i < upto` (true) or `i >= upto` (false).
fn threshold(index: &Var, condition: &Size) -> Option<(Size, bool)> {
    let i = Size::var(index.clone());
    let rest = condition.add(&i);
    if !rest.contains(index) {
        // c - i >= 0 is i < c + 1.
        return Some((rest.add(&Size::one()), true));
    }
    let rest = i.sub(condition);
    (!rest.contains(index)).then_some((rest, false))
}

/// The sum of a polynomial in the index over the part of the range below `upto`, or over the rest.
fn cut(index: &Var, count: &Size, upto: &Size, below: bool, weight: &Size) -> Size {
    let upto = Size::min(&upto.max(&Size::zero()), count);
    let lower = Size::sum(index.clone(), upto, weight.clone());
    if below { lower } else { Size::sum(index.clone(), count.clone(), weight.clone()).sub(&lower) }
}

/// `Σ iᵖ` over `0 <= i < n`.
///
/// The coefficients of the polynomial S of degree p+1 with S(0) = 0 and S(n+1) - S(n) = nᵖ, from the highest down: the
/// coefficient of `n^j` in S(n+1) - S(n) is the sum of `C(m, j)·s_m` over m > j.
fn power_sum(power: i32, count: &Size) -> Option<Size> {
    let p = usize::try_from(power).ok()?;
    let mut coefficients = vec![Ratio::ZERO; p + 2];
    for j in (0..=p).rev() {
        let mut wanted = if j == p { Ratio::ONE } else { Ratio::ZERO };
        for (m, s) in coefficients.iter().enumerate().skip(j + 2) {
            wanted = wanted.add(Ratio::integer(binomial(m, j)?)?.mul(*s)?.neg())?;
        }
        coefficients[j + 1] = wanted.div(Ratio::integer(binomial(j + 1, j)?)?)?;
    }
    // Horner's scheme.
    Some(coefficients.iter().rev().fold(Size::zero(), |sum, s| sum.mul(count).add(&Size::ratio(*s))))
}

fn binomial(n: usize, k: usize) -> Option<i128> {
    let mut value: i128 = 1;
    for i in 0..k {
        value = value.checked_mul(i128::try_from(n - i).ok()?)? / i128::try_from(i + 1).ok()?;
    }
    Some(value)
}

/// `Σ iᵖ·cⁱ` for p = 0, 1, where the monomial is a product of `cⱼ^(mⱼ·i)` for numbers `cⱼ`.
fn geometric_sum(index: &Var, count: &Size, power: i32, factors: &[(Atom, i32)]) -> Option<Size> {
    let mut base = Ratio::ONE;
    for (atom, times) in factors {
        let Atom::Pow(number, exponent) = atom else {
            return None;
        };
        if exponent.as_var() != Some(index) {
            return None;
        }
        base = base.mul(number.as_ratio()?.pow(*times)?)?;
    }
    let minus_one = base.add(Ratio::MINUS_ONE)?;
    if minus_one.is_zero() {
        return None;
    }
    let base = Size::ratio(base);
    let last = base.pow(count);
    let recip = minus_one.recip()?;
    let plain = last.sub(&Size::one()).scale(recip);
    match power {
        0 => Some(plain),
        // Σ i·cⁱ = (n·cⁿ - c·Σ cⁱ)/(c - 1)
        1 => Some(count.mul(&last).sub(&base.mul(&plain)).scale(recip)),
        _ => None,
    }
}

/// `Σ ⌊i/k⌋` over `0 <= i < n` is `k·q(q-1)/2 + r·q` with `q = ⌊n/k⌋` and `r = n mod k`.
fn floor_sum(count: &Size, divisor: &Size) -> Size {
    let quotient = count.div_floor(divisor);
    let remainder = count.rem(divisor);
    let half = Ratio::new(1, 2).unwrap_or(Ratio::ZERO);
    let full = quotient.mul(&quotient.sub(&Size::one())).scale(half);
    divisor.mul(&full).add(&remainder.mul(&quotient))
}
