//! Minimum, maximum and conditionals.
//!
//! Both extrema use one atom, `max(0, …)`: a minimum or maximum is one of its operands plus or minus the atom, in a
//! canonical form that does not depend on the order of operands.

use super::Size;
use super::atom::Atom;
use super::poly;
use super::ratio::{Ratio, gcd};

/// Maximum number of operands of merged nested maxima.
const MAX_OPERANDS: usize = 8;

impl Size {
    /// `then` if `a <= b`, otherwise `otherwise`.
    #[must_use]
    pub fn if_le(a: &Size, b: &Size, then: &Size, otherwise: &Size) -> Size {
        if then == otherwise {
            return then.clone();
        }
        let holds = Size::step(&b.sub(a));
        otherwise.add(&holds.mul(&then.sub(otherwise)))
    }

    /// The greater of two. Write `Size::max(&a, &b)`: the method syntax finds [`Ord::max`] first.
    #[must_use]
    pub fn max(&self, other: &Size) -> Size {
        Size::max_of(vec![self.clone(), other.clone()])
    }

    /// The lesser of two. Write `Size::min(&a, &b)`: the method syntax finds [`Ord::min`] first.
    #[must_use]
    pub fn min(&self, other: &Size) -> Size {
        Size::max_of(vec![self.neg(), other.neg()]).neg()
    }

    pub(crate) fn max_of(operands: Vec<Size>) -> Size {
        let mut flat: Vec<Size> = Vec::new();
        let count = operands.len();
        for operand in operands {
            match operand.as_max() {
                Some(inner) if flat.len() + inner.len() + count <= MAX_OPERANDS => flat.extend(inner),
                _ => flat.push(operand),
            }
        }
        if let [a, b] = flat.as_slice() {
            return max_of_two(a, b);
        }
        let mut kept: Vec<Size> = Vec::new();
        for operand in flat {
            if kept.iter().any(|k| k.sub(&operand).is_natural()) {
                continue;
            }
            kept.retain(|k| !operand.sub(k).is_natural());
            kept.push(operand);
        }
        // Of all forms a + max(0, b-a, …) of max(a, b, …), take the least in order.
        let mut best: Option<(Vec<Size>, &Size)> = None;
        for base in &kept {
            let mut others: Vec<Size> = kept.iter().filter(|k| *k != base).map(|k| k.sub(base)).collect();
            others.sort();
            if best.as_ref().is_none_or(|(least, _)| others < *least) {
                best = Some((others, base));
            }
        }
        match best {
            None => Size::zero(),
            Some((others, base)) if others.is_empty() => base.clone(),
            Some((others, base)) => base.add(&max_zero(others)),
        }
    }

    /// The operands, if the size is a maximum plus another size.
    fn as_max(&self) -> Option<Vec<Size>> {
        let mut found = self.terms().iter().filter_map(|term| match &*term.mono.0 {
            [(Atom::Max(inner), 1)] if term.coeff.is_one() => Some((term, inner)),
            _ => None,
        });
        let (term, inner) = found.next()?;
        if found.next().is_some() {
            return None;
        }
        let rest = self.sub(&Size::term(term.clone()));
        let mut operands: Vec<Size> = inner.iter().map(|operand| operand.add(&rest)).collect();
        operands.push(rest);
        Some(operands)
    }

    /// The size that is not negative exactly where this one is, if this one depends on one condition alone.
    pub(crate) fn condition_if_natural(&self) -> Option<Size> {
        let (term, otherwise) = match self.terms() {
            [term] => (term, Ratio::ZERO),
            [term, constant] if constant.mono.is_one() => (term, constant.coeff),
            _ => return None,
        };
        let [(Atom::Step(condition), 1)] = &*term.mono.0 else { return None };
        let then = otherwise.add(term.coeff)?;
        match (then.is_negative(), otherwise.is_negative()) {
            (false, true) => Some(condition.clone()),
            (true, false) => Some(condition.neg().sub(&Size::one())),
            _ => None,
        }
    }

    /// 1 if `self >= 0`, otherwise 0.
    pub(crate) fn step(size: &Size) -> Size {
        let Some((num, _)) = size.as_fraction() else {
            return Size::atom(Atom::Step(size.clone()));
        };
        // ⌊(g·a + c)/g⌋ has the sign of g·a + c.
        let mut divisor = 0;
        let mut constant = 0;
        for term in num.terms() {
            let Some(coeff) = term.coeff.to_integer() else {
                return Size::atom(Atom::Step(num));
            };
            if term.mono.is_one() {
                constant = coeff;
            } else {
                divisor = gcd(divisor, coeff);
            }
        }
        let reduced = match Ratio::new(1, divisor) {
            Some(recip) => {
                let rest = num.sub(&Size::constant(constant)).scale(recip);
                rest.add(&Size::constant(constant.div_euclid(divisor)))
            }
            None => num,
        };
        let opposite = reduced.neg().sub(&Size::one());
        if reduced.is_natural() {
            Size::one()
        } else if opposite.is_natural() {
            Size::zero()
        } else if reduced.terms()[0].coeff.is_negative() {
            Size::one().sub(&Size::atom(Atom::Step(opposite)))
        } else {
            Size::atom(Atom::Step(reduced))
        }
    }
}

/// The provably greater operand, otherwise a maximum based on the operand with the lesser difference, as for more
/// operands.
fn max_of_two(a: &Size, b: &Size) -> Size {
    let more = a.sub(b);
    if more.is_natural() {
        return a.clone();
    }
    let less = more.neg();
    if less.is_natural() {
        return b.clone();
    }
    if less <= more { a.add(&max_zero(vec![less])) } else { b.add(&max_zero(vec![more])) }
}

/// `max(0, operands…)`; the operands are sorted and not empty, and neither 0 nor an operand dominates another.
fn max_zero(operands: Vec<Size>) -> Size {
    // A positive common factor moves outside.
    let mut content = None;
    for operand in &operands {
        let Some(mut next) = poly::content(operand.terms()) else {
            continue;
        };
        content = Some(match content.take() {
            None => next,
            Some(poly::Term { mono, coeff }) => {
                next.coeff = coeff.gcd(next.coeff).unwrap_or(Ratio::ONE);
                next.mono = poly::common(&mono, &next.mono);
                next
            }
        });
    }
    let Some(mut content) = content else {
        return Size::zero();
    };
    // Divisors are always positive.
    content.mono = content.mono.retain(|atom, e| e < 0 || atom.is_natural());
    let Some(recip) = content.recip().map(Size::term) else {
        return Size::atom(Atom::Max(operands.into()));
    };
    let mut reduced: Vec<Size> = operands.iter().map(|operand| operand.mul(&recip)).collect();
    reduced.sort();
    Size::atom(Atom::Max(reduced.into())).mul(&Size::term(content))
}
