//! Divisibility.

use super::{Facts, Truth};
use crate::size::Size;
use crate::size::poly::Term;
use crate::size::ratio::{Ratio, gcd};
use crate::size::var::{Var, VarKind};
use std::sync::Arc;

impl Facts {
    /// Is `k` positive whenever it is used as a divisor, and does it divide `n` without remainder?
    pub fn divides(&self, k: &Size, n: &Size) -> Truth {
        let (k, n) = (self.rewrite(k), self.rewrite(n));
        if k.is_zero() {
            return Truth::No;
        }
        if n.is_zero() || self.divides_plainly(&k, &n) || self.divides_by_facts(&k, &n) {
            return Truth::Yes;
        }
        if self.leaves_remainder(&k, &n) { Truth::No } else { Truth::Unknown }
    }

    fn divides_plainly(&self, k: &Size, n: &Size) -> bool {
        let quotient = n.div_exact(k);
        quotient.is_integral() || is_integer_valued(&quotient)
    }

    /// A known `k' | n'` says that n' is k' times some number: put that in for a variable of n'.
    fn divides_by_facts(&self, k: &Size, n: &Size) -> bool {
        // The multiple of a known quotient that cancels the leading term.
        let mut quotient = n.div_exact(k);
        for (known_k, known_n) in &self.divides {
            let known = self.rewrite(known_n).div_exact(&self.rewrite(known_k));
            let (Some(lead), Some(goal)) = (known.terms().first(), quotient.terms().first()) else {
                continue;
            };
            let Some(factor) = lead.recip().and_then(|recip| goal.mul(&recip)).map(Size::term) else {
                continue;
            };
            if factor.is_integral() {
                quotient = quotient.sub(&factor.mul(&known));
                if quotient.is_integral() {
                    return true;
                }
            }
        }
        let usable = self.divides.iter().map(|(k, n)| (self.rewrite(k), self.rewrite(n)));
        let usable: Vec<(Size, Size)> = usable.collect();
        let mut starts: Vec<usize> = (0..usable.len()).collect();
        starts.truncate(4);
        starts.into_iter().any(|start| {
            let (mut k, mut n) = (k.clone(), n.clone());
            // Beginning with each fact in turn, put in all that still have a variable to replace.
            for step in 0..usable.len() {
                let (known_k, known_n) = &usable[(start + step) % usable.len()];
                let fresh = Var {
                    kind: VarKind::Position,
                    id: u32::try_from(step).unwrap_or(u32::MAX),
                    name: Arc::from("quotient"),
                };
                let Some((var, value)) = isolate(known_k, known_n, &fresh) else {
                    continue;
                };
                k = k.subst_var(&var, &value);
                n = n.subst_var(&var, &value);
                if n.div_exact(&k).is_integral() {
                    return true;
                }
            }
            false
        })
    }

    /// `n = q·k + r` with `0 < r < k`, or a constant that no multiple of `k` reaches.
    fn leaves_remainder(&self, k: &Size, n: &Size) -> bool {
        if let (Some(k), Some((n, den))) = (k.as_integer(), n.as_fraction())
            && den.is_one()
        {
            let mut common = k;
            let mut constant = 0;
            for term in n.terms() {
                let Some(coeff) = term.coeff.to_integer() else {
                    return false;
                };
                if term.mono.is_one() {
                    constant = coeff;
                } else {
                    common = gcd(common, coeff);
                }
            }
            return common > 1 && constant % common != 0;
        }
        let remainder = n.rem(k);
        remainder.terms().iter().all(|term| !mentions_floor(term))
            && self.lt(&Size::zero(), &remainder).is_yes()
            && self.lt(&remainder, k).is_yes()
    }
}

fn mentions_floor(term: &Term) -> bool {
    term.mono.0.iter().any(|(atom, _)| matches!(atom, crate::size::atom::Atom::Floor(..)))
}

/// From `k·q = n`: a variable of `n`, and what it is in terms of the others and of `q`.
fn isolate(k: &Size, n: &Size, q: &Var) -> Option<(Var, Size)> {
    let multiple = k.mul(&Size::var(q.clone()));
    for var in n.vars() {
        if k.contains(&var) {
            continue;
        }
        let Some((coefficient, rest)) = n.linear_in(&var) else {
            continue;
        };
        let Some(coefficient) = coefficient.as_integer() else {
            continue;
        };
        let value = multiple.sub(&rest);
        if coefficient.abs() == 1 {
            return Some((var, value.scale(Ratio::integer(coefficient)?)));
        }
        // c·v = k·q says that k/gcd(c, k) divides v.
        if let (Some(k), true) = (k.as_integer(), rest.is_zero()) {
            let part = k / gcd(k, coefficient).max(1);
            return Some((var, Size::var(q.clone()).mul(&Size::constant(part))));
        }
    }
    None
}

/// A polynomial in one natural variable that is an integer everywhere, such as n(n-1)/2: it is one
/// if it is one at degree + 1 places in a row.
fn is_integer_valued(size: &Size) -> bool {
    let [var] = size.vars().try_into().unwrap_or_else(|_| [unused()]);
    let mut degree = 0;
    for term in size.terms() {
        match term.mono.0.as_slice() {
            [] => {}
            [(atom, e @ 1..=8)] if *atom == crate::size::atom::Atom::Var(var.clone()) => {
                degree = degree.max(*e);
            }
            _ => return false,
        }
    }
    (0..=i64::from(degree)).all(|value| size.eval_int(&|_| Some(value)).is_ok())
}

fn unused() -> Var {
    Var { kind: VarKind::Index, id: u32::MAX, name: Arc::from("") }
}
