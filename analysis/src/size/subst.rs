//! Traversals: collecting and replacing the variables of a size.

use super::Size;
use super::atom::Atom;
use super::poly::{Mono, Term};
use super::var::{Marks, Var};
use super::work;
use std::collections::BTreeSet;

impl Size {
    /// The free variables, sorted, each once.
    pub fn vars(&self) -> Vec<Var> {
        let mut found = BTreeSet::new();
        self.any_var(&mut |var| {
            found.insert(var.clone());
            false
        });
        found.into_iter().collect()
    }

    /// Whether a free variable satisfies `pred`.
    pub fn any_var(&self, pred: &mut dyn FnMut(&Var) -> bool) -> bool {
        self.terms().iter().flat_map(|term| &*term.mono.0).any(|(atom, _)| atom.any_var(pred))
    }

    /// Whether the variable occurs free.
    pub fn contains(&self, var: &Var) -> bool {
        self.may_contain(Marks::of(var))
            && self.terms().iter().flat_map(|term| &*term.mono.0).any(|(atom, _)| atom.contains(var))
    }

    /// Whether a variable with one of these marks may occur: quick, and nearly always right.
    pub(crate) fn may_contain(&self, vars: Marks) -> bool {
        !self.marks().is_apart_from(vars)
    }

    /// Simultaneously replaces the free variables for which `replacement` returns a size.
    #[must_use]
    pub fn subst(&self, replacement: &mut dyn FnMut(&Var) -> Option<Size>) -> Size {
        // The replacement of the whole size is already in normal form.
        if let Some(var) = self.as_var() {
            return replacement(var).unwrap_or_else(|| self.clone());
        }
        self.rebuild(&mut |atom| match atom {
            Atom::Var(var) => replacement(var),
            _ => None,
        })
        .unwrap_or_else(|| self.clone())
    }

    /// Replaces one variable.
    #[must_use]
    pub fn subst_var(&self, var: &Var, replacement: &Size) -> Size {
        if !self.may_contain(Marks::of(var)) {
            return self.clone();
        }
        self.subst(&mut |v| (v == var).then(|| replacement.clone()))
    }

    /// The quotients `⌊a/b⌋` at any depth, each once, outer ones first.
    pub fn quotients(&self) -> Vec<Size> {
        let mut found = Vec::new();
        self.any_atom(&mut |atom| {
            let quotient = || Size::atom(atom.clone());
            if matches!(atom, Atom::Floor(..)) && !found.contains(&quotient()) {
                found.push(quotient());
            }
            false
        });
        found
    }

    /// The dividend and the divisor of a quotient `⌊a/b⌋`.
    pub fn as_quotient(&self) -> Option<(&Size, &Size)> {
        match self.as_atom()? {
            Atom::Floor(dividend, divisor) => Some((dividend, divisor)),
            _ => None,
        }
    }

    /// The size with other sizes in place of quotients, at any depth.
    pub fn with_quotients(&self, replacement: &dyn Fn(&Size) -> Option<Size>) -> Size {
        let mut of_atom = |atom: &Atom| match atom {
            Atom::Floor(..) => replacement(&Size::atom(atom.clone())),
            _ => None,
        };
        self.rebuild(&mut of_atom).unwrap_or_else(|| self.clone())
    }

    /// Replaces one atom in all its powers, at the top level of the sum only.
    pub(crate) fn replace_atom(&self, atom: &Atom, value: &Size) -> Size {
        let (with, without): (Vec<&Term>, Vec<&Term>) =
            self.terms().iter().partition(|term| term.mono.exponent(atom) != 0);
        let mut sum = Size::from_terms(without.into_iter().cloned().collect());
        for term in with {
            let power = term.mono.exponent(atom);
            let rest = Size::term(Term { mono: term.mono.without(atom), coeff: term.coeff });
            sum = sum.add(&rest.mul(&value.pow_const(power)));
        }
        sum
    }

    /// Whether an atom at any depth satisfies `pred`.
    pub(crate) fn any_atom(&self, pred: &mut dyn FnMut(&Atom) -> bool) -> bool {
        self.terms()
            .iter()
            .flat_map(|term| &*term.mono.0)
            .any(|(atom, _)| pred(atom) || atom.operands().any(|operand| operand.any_atom(pred)))
    }

    /// Replaces the atoms for which `replacement` returns a size, outermost first, and renormalises. `None` if nothing
    /// changed.
    pub(crate) fn rebuild(&self, replacement: &mut dyn FnMut(&Atom) -> Option<Size>) -> Option<Size> {
        // Most sizes are one variable or a constant.
        if let Some(atom) = self.as_atom() {
            return atom.rebuilt(replacement);
        }
        // Only counts, even with fuel exhausted: half of a substitution would be a different size.
        let _ = work::spend(self.terms().len());
        // The terms before the first changed one are copied only if there is one.
        let mut same: Option<Vec<Term>> = None;
        let mut new: Vec<(Term, Size)> = Vec::new();
        for (place, term) in self.terms().iter().enumerate() {
            match term.rebuild(replacement) {
                Some(changed) => {
                    same.get_or_insert_with(|| self.terms()[..place].to_vec());
                    new.push(changed);
                }
                None => same.iter_mut().for_each(|same| same.push(term.clone())),
            }
        }
        let mut parts = vec![Size::from_terms(same?)];
        parts.extend(new.into_iter().map(|(kept, product)| {
            let number = kept.mono.is_one();
            if number { product.scale(kept.coeff) } else { product.mul(&Size::term(kept)) }
        }));
        Some(total(parts))
    }
}

/// Adds all sizes pairwise, which avoids copying a long sum once per term.
fn total(mut sizes: Vec<Size>) -> Size {
    while sizes.len() > 1 {
        let two = sizes.chunks(2).map(|two| two.iter().skip(1).fold(two[0].clone(), |sum, size| sum.add(size)));
        sizes = two.collect();
    }
    sizes.pop().unwrap_or_else(Size::zero)
}

impl Term {
    /// The unchanged factors, and the product of the replacements; `None` if nothing changed.
    fn rebuild(&self, replacement: &mut dyn FnMut(&Atom) -> Option<Size>) -> Option<(Term, Size)> {
        let factors = &*self.mono.0;
        let mut changed: Option<(Vec<(Atom, i32)>, Size)> = None;
        for (place, (atom, e)) in factors.iter().enumerate() {
            match atom.rebuilt(replacement) {
                None => changed.iter_mut().for_each(|(kept, _)| kept.push((atom.clone(), *e))),
                Some(value) => {
                    let (_, product) = changed.get_or_insert_with(|| (factors[..place].to_vec(), Size::one()));
                    *product = product.mul(&value.pow(&Size::int(i64::from(*e))));
                }
            }
        }
        changed.map(|(kept, product)| (Term { mono: Mono(kept.into()), coeff: self.coeff }, product))
    }
}

impl Atom {
    /// The replacement of the atom, or the atom with its operands replaced; `None` if nothing changed.
    fn rebuilt(&self, replacement: &mut dyn FnMut(&Atom) -> Option<Size>) -> Option<Size> {
        let new = replacement(self).or_else(|| self.rebuild(replacement))?;
        (new.as_atom() != Some(self)).then_some(new)
    }

    pub(crate) fn any_var(&self, pred: &mut dyn FnMut(&Var) -> bool) -> bool {
        match self {
            Atom::Var(var) => pred(var),
            Atom::Sum { index, count, body } => {
                count.any_var(pred) || body.any_var(&mut |var| var != index && pred(var))
            }
            _ => self.operands().any(|operand| operand.any_var(pred)),
        }
    }

    pub(crate) fn contains(&self, var: &Var) -> bool {
        match self {
            Atom::Var(other) => other == var,
            Atom::Sum { index, count, body } => count.contains(var) || index != var && body.contains(var),
            _ => self.operands().any(|operand| operand.contains(var)),
        }
    }

    fn rebuild(&self, replacement: &mut dyn FnMut(&Atom) -> Option<Size>) -> Option<Size> {
        let mut pair = |a: &Size, b: &Size| {
            let (new_a, new_b) = (a.rebuild(replacement), b.rebuild(replacement));
            if new_a.is_none() && new_b.is_none() {
                return None;
            }
            Some((new_a.unwrap_or_else(|| a.clone()), new_b.unwrap_or_else(|| b.clone())))
        };
        match self {
            Atom::Var(_) | Atom::TooLarge(_) => None,
            Atom::Floor(a, b) => pair(a, b).map(|(a, b)| a.div_floor(&b)),
            Atom::Pow(a, b) => pair(a, b).map(|(a, b)| a.pow(&b)),
            Atom::Step(a) => a.rebuild(replacement).map(|a| Size::step(&a)),
            Atom::Group(a) => a.rebuild(replacement),
            Atom::Max(operands) => {
                let new: Vec<Option<Size>> = operands.iter().map(|operand| operand.rebuild(replacement)).collect();
                if new.iter().all(Option::is_none) {
                    return None;
                }
                let mut all = vec![Size::zero()];
                for (old, new) in operands.iter().zip(new) {
                    all.push(new.unwrap_or_else(|| old.clone()));
                }
                Some(Size::max_of(all))
            }
            Atom::Sum { index, count, body } => {
                let new_count = count.rebuild(replacement);
                // The index is bound here, so replacements must not capture it.
                let new_body = body.rebuild(&mut |atom| match atom {
                    Atom::Var(var) if var == index => None,
                    _ => replacement(atom),
                });
                if new_count.is_none() && new_body.is_none() {
                    return None;
                }
                Some(Size::sum(
                    index.clone(),
                    new_count.unwrap_or_else(|| count.clone()),
                    new_body.unwrap_or_else(|| body.clone()),
                ))
            }
        }
    }
}
