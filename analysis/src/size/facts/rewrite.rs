//! Equalities as rewrite rules, from left to right.

use super::Facts;
use crate::size::Size;
use crate::size::atom::Atom;
use crate::size::poly::{Mono, Term};
use crate::size::ratio::Ratio;
use crate::size::var::{Marks, Var, VarKind};

/// Maximum number of passes of rules over a size.
const MAX_ROUNDS: usize = 12;

/// `left = right`: the left side is a variable or, if none can be isolated, a monomial.
#[derive(Clone)]
pub(super) struct Rewrite {
    left: Left,
    right: Size,
    /// The marks of variables without which the rule does not apply.
    marks: Marks,
}

#[derive(Clone)]
enum Left {
    Var(Var),
    Mono(Mono),
}

impl std::fmt::Debug for Rewrite {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} = {}", self.left(), self.right)
    }
}

impl Rewrite {
    /// The rule for `difference = 0`, which isolates the most flexible variable.
    pub fn orient(difference: &Size) -> Option<Rewrite> {
        let (num, _) = difference.as_fraction()?;
        let mut best: Option<((bool, u8, u32), Var, Size)> = None;
        for var in num.vars() {
            let Some((coefficient, rest)) = num.linear_in(&var) else {
                continue;
            };
            let Some(coefficient) = coefficient.as_ratio() else {
                continue;
            };
            let Some(factor) = coefficient.neg().recip() else {
                continue;
            };
            let rank = (coefficient.abs().is_one(), flexibility(&var), var.id);
            if best.as_ref().is_none_or(|(other, _, _)| rank > *other) {
                best = Some((rank, var, rest.scale(factor)));
            }
        }
        if let Some((_, var, right)) = best {
            let marks = Marks::of(&var);
            return Some(Rewrite { left: Left::Var(var), right, marks });
        }
        let lead = num.terms().first()?;
        if lead.mono.is_one() {
            return None;
        }
        let rest = num.sub(&Size::term(lead.clone()));
        let factors = lead.mono.retain(|_, exponent| exponent > 0);
        let marks = Size::term(Term { mono: factors, coeff: Ratio::ONE }).marks();
        let right = rest.scale(lead.coeff.neg().recip()?);
        Some(Rewrite { left: Left::Mono(lead.mono.clone()), right, marks })
    }

    pub fn variable(&self) -> Option<&Var> {
        match &self.left {
            Left::Var(var) => Some(var),
            Left::Mono(_) => None,
        }
    }

    pub fn left(&self) -> Size {
        match &self.left {
            Left::Var(var) => Size::var(var.clone()),
            Left::Mono(mono) => Size::term(Term { mono: mono.clone(), coeff: Ratio::ONE }),
        }
    }

    pub fn right(&self) -> &Size {
        &self.right
    }

    fn apply(&self, size: &Size) -> Option<Size> {
        if !size.marks().may_include(self.marks) {
            return None;
        }
        match &self.left {
            Left::Var(var) => size.contains(var).then(|| size.subst_var(var, &self.right)),
            Left::Mono(left) => {
                let inside = size.rebuild(&mut |atom| match atom {
                    Atom::Var(_) => None,
                    Atom::Floor(a, b) => Some(match (self.apply(a), self.apply(b)) {
                        // Keep the atom without rebuilding it.
                        (None, None) => Size::atom(atom.clone()),
                        (new_a, new_b) => {
                            new_a.unwrap_or_else(|| a.clone()).div_floor(&new_b.unwrap_or_else(|| b.clone()))
                        }
                    }),
                    _ => None,
                });
                let current = inside.as_ref().unwrap_or(size);
                let mut result = Size::zero();
                let mut changed = false;
                for term in current.terms() {
                    let part = match term.mono.div(left) {
                        Some(rest) => {
                            changed = true;
                            self.right.mul(&Size::term(Term { mono: rest, coeff: term.coeff }))
                        }
                        None => Size::term(term.clone()),
                    };
                    result = result.add(&part);
                }
                if changed { Some(result) } else { inside }
            }
        }
    }
}

/// Priority for removal: inference variables over skolems over the user's names.
fn flexibility(var: &Var) -> u8 {
    match var.kind {
        VarKind::Unknown => 6,
        VarKind::Skolem => 5,
        VarKind::Bound => 4,
        VarKind::Generic => 3,
        VarKind::Position => 2,
        VarKind::Index => 1,
        VarKind::Param => 0,
    }
}

impl Facts {
    /// Applies all equalities to the size.
    pub(super) fn rewrite(&self, size: &Size) -> Size {
        let mut current = size.clone();
        if self.rewrites.is_empty() {
            return current;
        }
        for _ in 0..MAX_ROUNDS {
            let mut changed = false;
            for rule in self.rewrites.iter() {
                if let Some(next) = rule.apply(&current)
                    && next != current
                {
                    current = next;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        current
    }
}
