//! Divisibility.

use super::{Query, Truth};
use crate::size::Size;
use crate::size::poly::Term;
use crate::size::ratio::{Ratio, gcd};
use crate::size::var::{Var, VarKind};
use std::sync::Arc;

/// Maximum number of known divisibilities that are combined.
const MAX_FACTS: usize = 6;

impl Query<'_> {
    pub(super) fn divides(&self, k: &Size, n: &Size) -> Truth {
        let (k, n) = (self.facts.rewrite(k), self.facts.rewrite(n));
        if k.is_zero() {
            return Truth::No;
        }
        if n.is_zero() || self.divides_plainly(&k, &n) || self.is_multiple_of_known(&k, &n) {
            return Truth::Yes;
        }
        let variants = self.variants(&k, &n);
        if variants.iter().any(|(k, n)| n.div_exact(k).is_integral()) {
            Truth::Yes
        } else if variants.iter().chain([&(k, n)]).any(|(k, n)| self.leaves_remainder(k, n)) {
            Truth::No
        } else {
            Truth::Unknown
        }
    }

    fn divides_plainly(&self, k: &Size, n: &Size) -> bool {
        let quotient = n.div_exact(k);
        quotient.is_integral() || quotient.is_integer_valued()
    }

    /// Whether `n/k` is an integer combination of known integer quotients and integers.
    fn is_multiple_of_known(&self, k: &Size, n: &Size) -> bool {
        let mut quotient = n.div_exact(k);
        for (known_k, known_n) in self.facts.divides.iter() {
            let known = self.facts.rewrite(known_n).div_exact(&self.facts.rewrite(known_k));
            let Some(lead) = known.terms().first().and_then(Term::recip) else {
                continue;
            };
            let fractional = quotient.terms().iter().filter(|t| !Size::term((*t).clone()).is_integral());
            let factors: Vec<Size> =
                fractional.filter_map(|t| t.mul(&lead).map(Size::term)).filter(Size::is_integral).collect();
            if let Some(factor) = factors.first() {
                quotient = quotient.sub(&factor.mul(&known));
            }
            if quotient.is_integral() {
                return true;
            }
        }
        false
    }

    /// A known `k' | n'` means `n' = k'·q` for a new variable `q`: substitutes this for a variable of `n'` in `k` and
    /// `n`, starting with each fact in turn.
    fn variants(&self, k: &Size, n: &Size) -> Vec<(Size, Size)> {
        let known = &self.facts.divides;
        let known = known.iter().map(|(k, n)| (self.facts.rewrite(k), self.facts.rewrite(n)));
        let known: Vec<(Size, Size)> = known.take(MAX_FACTS).collect();
        let mut variants = Vec::new();
        for start in 0..known.len() {
            let (mut k, mut n) = (k.clone(), n.clone());
            let mut facts = known.clone();
            for step in 0..known.len() {
                if self.spend(1 + n.weight() / 32).is_none() {
                    return variants;
                }
                let (known_k, known_n) = facts[(start + step) % known.len()].clone();
                // The quotient may be negative if n' may.
                let natural = known_n.is_natural();
                let fresh = Var {
                    kind: if natural { VarKind::Position } else { VarKind::Index },
                    id: u32::try_from(step).unwrap_or(u32::MAX),
                    name: Arc::from("quotient"),
                };
                let Some((var, value)) = isolate(&known_k, &known_n, &fresh) else {
                    continue;
                };
                if !k.contains(&var) && !n.contains(&var) {
                    continue;
                }
                // The remaining facts now mention the new variable.
                for (other_k, other_n) in &mut facts {
                    *other_k = other_k.subst_var(&var, &value);
                    *other_n = other_n.subst_var(&var, &value);
                }
                k = k.subst_var(&var, &value);
                n = n.subst_var(&var, &value);
                variants.push((k.clone(), n.clone()));
            }
        }
        variants
    }

    /// Whether `k` never divides `n`: `n = q·k + r` with `0 < r < k`, or the constant part is never a multiple of `k`.
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
            && self.nonneg(&remainder.sub(&Size::one()))
            && self.nonneg(&k.sub(&remainder).sub(&Size::one()))
    }
}

fn mentions_floor(term: &Term) -> bool {
    term.mono.0.iter().any(|(atom, _)| matches!(atom, crate::size::atom::Atom::Floor(..)))
}

/// Solves `k·q = n` for a variable of `n`: returns the variable and its value.
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
