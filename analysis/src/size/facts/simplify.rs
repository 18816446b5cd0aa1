//! Simplification by rules that need a range or a divisor.

use super::Query;
use crate::size::Size;
use crate::size::atom::Atom;
use crate::size::poly::{self, Term};
use crate::size::ratio::Ratio;

/// Maximum number of passes towards a fixed point.
const MAX_ROUNDS: usize = 4;

impl Query<'_> {
    pub(super) fn simplify(&self, size: &Size) -> Size {
        let mut current = self.facts.rewrite(size);
        for _ in 0..MAX_ROUNDS {
            match self.simplify_atoms(&current) {
                Some(next) if next != current => current = self.facts.rewrite(&next),
                _ => break,
            }
        }
        current
    }

    fn simplify_atoms(&self, size: &Size) -> Option<Size> {
        size.rebuild(&mut |atom| {
            if matches!(atom, Atom::Var(_) | Atom::TooLarge(_)) {
                return None;
            }
            self.spend(4)?;
            let inner = |size: &Size| self.simplify_atoms(size).unwrap_or_else(|| size.clone());
            Some(match atom {
                Atom::Floor(num, den) => self.simplify_floor(&inner(num), &inner(den)),
                Atom::Max(operands) => {
                    let mut all = vec![Size::zero()];
                    all.extend(operands.iter().map(inner));
                    self.simplify_max(all)
                }
                Atom::Step(condition) => {
                    let condition = inner(condition);
                    if self.nonneg(&condition) {
                        Size::one()
                    } else if self.nonneg(&condition.neg().sub(&Size::one())) {
                        Size::zero()
                    } else {
                        Size::step(&condition)
                    }
                }
                Atom::Pow(base, exponent) => inner(base).pow(&inner(exponent)),
                Atom::Group(group) => inner(group),
                Atom::Sum { index, count, body } => {
                    let count = inner(count);
                    let last = count.sub(&Size::one());
                    let facts = self.facts.clone().with_range(index.clone(), Some(Size::zero()), Some(last));
                    let body = self.under(&facts).simplify_atoms(body).unwrap_or_else(|| body.clone());
                    Size::sum(index.clone(), count, body)
                }
                Atom::Var(_) | Atom::TooLarge(_) => return None,
            })
        })
    }

    /// Drops the operands that another one provably bounds above.
    fn simplify_max(&self, operands: Vec<Size>) -> Size {
        let mut kept: Vec<Size> = Vec::new();
        for operand in operands {
            if kept.iter().any(|other| self.nonneg(&other.sub(&operand))) {
                continue;
            }
            kept.retain(|other| !self.nonneg(&operand.sub(other)));
            kept.push(operand);
        }
        Size::max_of(kept)
    }

    fn simplify_floor(&self, num: &Size, den: &Size) -> Size {
        let plain = num.div_floor(den);
        // The normal form has already extracted an integer part.
        let Some((whole, num, den)) = plain.as_floor() else {
            return plain;
        };
        let better = self
            .whole_part(&num, &den)
            .or_else(|| self.pull_divisible(&num, &den))
            .or_else(|| self.cancel_factor(&num, &den));
        match better {
            Some(better) => whole.add(&better),
            None => plain,
        }
    }

    /// Rule 1, generalised: a `q` with `0 <= num - q·den < den`.
    fn whole_part(&self, num: &Size, den: &Size) -> Option<Size> {
        let mut candidates = vec![Size::zero(), Size::int(-1), Size::one()];
        if let Some(divisor) = den.as_integer().filter(|divisor| *divisor > 0) {
            if let (Some(low), Some(high)) = self.const_bounds(num) {
                let (low, high) = (i128::from(low).div_euclid(divisor), i128::from(high).div_euclid(divisor));
                if low == high {
                    return Some(Size::constant(low));
                }
            }
            // The normal form turns a minus sign into a coefficient just below the divisor.
            let mut all = Size::zero();
            for term in num.terms().iter().filter(|term| !term.mono.is_one()) {
                let one = Size::term(Term { mono: term.mono.clone(), coeff: Ratio::ONE });
                if term.coeff.to_integer().is_some_and(|c| 2 * c >= divisor) {
                    all = all.add(&one);
                    candidates.push(one);
                }
            }
            candidates.push(all);
        }
        candidates.into_iter().find(|q| {
            let rest = num.sub(&q.mul(den));
            self.nonneg(&den.sub(&rest).sub(&Size::one())) && self.nonneg(&rest)
        })
    }

    /// Extracts the terms that the divisor is known to divide.
    fn pull_divisible(&self, num: &Size, den: &Size) -> Option<Size> {
        if self.facts.divides.is_empty() {
            return None;
        }
        if self.divides(den, num).is_yes() {
            return Some(num.div_exact(den));
        }
        let (out, rest): (Vec<Term>, Vec<Term>) =
            num.terms().iter().cloned().partition(|term| self.divides(den, &Size::term(term.clone())).is_yes());
        if out.is_empty() {
            return None;
        }
        let out = Size::from_terms(out).div_exact(den);
        Some(out.add(&self.simplify_floor(&Size::from_terms(rest), den)))
    }

    /// `⌊(g·a + r)/(g·b)⌋ = ⌊a/b⌋` for `0 <= r < g`.
    fn cancel_factor(&self, num: &Size, den: &Size) -> Option<Size> {
        let content = poly::content(den.terms())?;
        let mut factors: Vec<Size> = content.mono.0.iter().map(|(atom, _)| Size::atom(atom.clone())).collect();
        if let Some(number) = content.coeff.to_integer() {
            let small = (2..=64).filter(|divisor| number % divisor == 0 && *divisor != number);
            factors.extend(small.chain([number]).filter(|n| *n > 1).map(Size::constant));
        }
        let one = Size::one();
        for factor in factors {
            let [by] = factor.terms() else { continue };
            let (mut multiple, mut rest) = (Size::zero(), Size::zero());
            for term in num.terms() {
                let part = Size::term(term.clone());
                let (q, r) = match term.mono.div(&by.mono) {
                    Some(mono) => {
                        let (c, d) = (term.coeff.to_integer()?, by.coeff.to_integer()?);
                        let q = Term { mono, coeff: Ratio::integer(c.div_euclid(d))? };
                        let q = if q.coeff.is_zero() { Size::zero() } else { Size::term(q) };
                        (q.clone(), part.sub(&q.mul(&factor)))
                    }
                    None => (Size::zero(), part),
                };
                multiple = multiple.add(&q);
                rest = rest.add(&r);
            }
            if rest == *num {
                continue;
            }
            if self.nonneg(&factor.sub(&rest).sub(&one)) && self.nonneg(&rest) {
                return Some(self.simplify_floor(&multiple, &den.div_exact(&factor)));
            }
        }
        None
    }
}

impl Size {
    /// `whole + ⌊num/den⌋`, if the size contains exactly one floor division, with factor 1.
    fn as_floor(&self) -> Option<(Size, Size, Size)> {
        let mut found = None;
        for term in self.terms() {
            for (atom, e) in &*term.mono.0 {
                if let Atom::Floor(num, den) = atom {
                    if found.is_some() || *e != 1 || term.mono.0.len() > 1 || !term.coeff.is_one() {
                        return None;
                    }
                    found = Some((term, num, den));
                }
            }
        }
        let (term, num, den) = found?;
        Some((self.sub(&Size::term(term.clone())), num.clone(), den.clone()))
    }
}
