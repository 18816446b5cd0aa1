//! Variables that count from their least values: with `x + 2` for a variable `x` that is at least 2, a goal without
//! negative terms is proved.

use super::prove::Prover;
use crate::size::Size;
use crate::size::atom::Atom;
use crate::size::poly::{Mono, Term};
use crate::size::var::Var;

impl Prover<'_> {
    /// Whether the shifted goal is natural.
    pub(super) fn is_natural_from_least(&self, goal: &Size) -> bool {
        !self.keeps_a_witness(goal) && self.shifted(goal).is_natural()
    }

    /// The goal in which each variable `x` is replaced by `x + least`. So the least value of every variable is 0.
    pub(super) fn shifted(&self, goal: &Size) -> Size {
        if !goal.may_contain(self.moving) || !goal.any_var(&mut |var| self.moves(var)) {
            return goal.clone();
        }
        let shifted = goal.rebuild(&mut |atom| match atom {
            Atom::Var(var) => self.excess(var),
            _ => Some(self.shifted_atom(atom)),
        });
        shifted.unwrap_or_else(|| goal.clone())
    }

    fn moves(&self, var: &Var) -> bool {
        self.least(var).is_some_and(|least| least > 0)
    }

    fn excess(&self, var: &Var) -> Option<Size> {
        let least = self.least(var).filter(|least| *least > 0)?;
        Some(Size::var(var.clone()).add(&Size::constant(least)))
    }

    /// A composite atom after the shift.
    fn shifted_atom(&self, atom: &Atom) -> Size {
        if let Some(known) = self.shifted.borrow().get(atom) {
            return known.clone();
        }
        let same = Size::atom(atom.clone());
        let excess = &mut |inner: &Atom| match inner {
            Atom::Var(var) => self.excess(var),
            _ => None,
        };
        let moved = atom.any_var(&mut |var| self.moves(var));
        let found = if moved { same.rebuild(excess).unwrap_or(same) } else { same };
        self.shifted.borrow_mut().insert(atom.clone(), found.clone());
        found
    }

    /// Whether a term that is not natural certainly occurs in the shifted goal too, which is much quicker to see than the
    /// shifted goal: of `x`, only multiples of `x` give a term in `x`.
    fn keeps_a_witness(&self, goal: &Size) -> bool {
        let shifted: Option<Vec<Term>> = goal.terms().iter().map(|term| self.with_shifted_atoms(term)).collect();
        let Some(terms) = shifted else { return false };
        terms.iter().enumerate().any(|(place, term)| {
            let others = || terms.iter().enumerate().filter(|(at, _)| *at != place).map(|(_, other)| other);
            let meets = |other: &Term| self.gives(&other.mono, &term.mono);
            if term.mono.0.iter().any(|(atom, e)| e % 2 != 0 && !atom.is_natural()) {
                !others().any(meets)
            } else {
                term.coeff.is_negative() && !others().any(|other| !other.coeff.is_negative() && meets(other))
            }
        })
    }

    /// The term with its composite atoms shifted; `None` if one is not a single atom then, or if its products may
    /// merge.
    fn with_shifted_atoms(&self, term: &Term) -> Option<Term> {
        let mut changed: Option<Vec<(Atom, i32)>> = None;
        for (place, (atom, exponent)) in term.mono.0.iter().enumerate() {
            match atom {
                Atom::Var(_) if *exponent > 0 => {}
                Atom::Floor(..) | Atom::Max(_) | Atom::Step(_) if *exponent > 0 => {
                    let new = self.shifted_atom(atom);
                    let new = new.as_atom().filter(|new| !matches!(new, Atom::Var(_)))?;
                    if new != atom {
                        changed.get_or_insert_with(|| term.mono.0.to_vec())[place].0 = new.clone();
                    }
                }
                _ => return None,
            }
        }
        let Some(mut factors) = changed else { return Some(term.clone()) };
        factors.sort_by(|a, b| a.0.cmp(&b.0));
        let distinct = factors.windows(2).all(|two| two[0].0 != two[1].0);
        distinct.then(|| Term { mono: Mono(factors.into()), coeff: term.coeff })
    }

    /// Whether the shift of one product has a term in the other.
    fn gives(&self, product: &Mono, term: &Mono) -> bool {
        let suffices = |atom: &Atom, of_product: i32, of_term: i32| {
            of_product == of_term || of_product > of_term && matches!(atom, Atom::Var(var) if self.moves(var))
        };
        product.0.iter().all(|(atom, e)| suffices(atom, *e, term.exponent(atom)))
            && term.0.iter().all(|(atom, e)| product.exponent(atom) >= *e)
    }
}
