//! Lower and upper bounds.

use super::answers::{Bounded, Goal, Side};
use super::prove::MAX_STEP;
use super::{Query, ceil};
use crate::size::Size;
use crate::size::atom::Atom;
use crate::size::poly::{self, Term};
use crate::size::var::{Var, VarKind};
use std::borrow::Cow;
use std::sync::Arc;

/// Maximum number of variables and atoms replaced in one bound.
const MAX_STEPS: usize = 64;
/// Maximum nesting of atoms.
const MAX_DEPTH: u32 = 6;
/// Levels of extrema in one another of which both ends are bounded: the end that the bound does not need may still narrow
/// what stands beside the extremum. Of all levels they would take exponential time.
const BOTH_ENDS: u32 = 3;
/// Maximum number of terms; larger sizes have no bounds.
const MAX_TERMS: usize = 64;

impl Side {
    fn opposite(self) -> Side {
        match self {
            Side::Lower => Side::Upper,
            Side::Upper => Side::Lower,
        }
    }
}

impl Query<'_> {
    pub(super) fn bounds(&self, size: &Size) -> (Option<Size>, Option<Size>) {
        let of = |side| self.bound(size, side, Goal::Symbolic, MAX_DEPTH);
        (of(Side::Lower), of(Side::Upper))
    }

    /// A lower bound without indices.
    pub(super) fn least(&self, size: &Size) -> Option<Size> {
        self.bound(size, Side::Lower, Goal::Symbolic, MAX_DEPTH)
    }

    pub(super) fn const_bounds(&self, size: &Size) -> (Option<i64>, Option<i64>) {
        let of = |side| self.bound(size, side, Goal::Constant, MAX_DEPTH)?.as_ratio();
        let lower = of(Side::Lower).and_then(|value| i64::try_from(ceil(value)).ok());
        let upper = of(Side::Upper).and_then(|value| i64::try_from(value.floor()).ok());
        (lower, upper)
    }

    fn bound(&self, size: &Size, side: Side, goal: Goal, depth: u32) -> Option<Size> {
        if depth == 0 {
            return None;
        }
        let asked = Bounded { size: size.clone(), side, goal, depth };
        if let Some((bound, steps)) = self.facts.answers.bound(&asked) {
            return self.spend(steps).and(bound);
        }
        let before = self.fuel.get();
        let bound = self.find_bound(size, side, goal, depth);
        let left = self.fuel.get();
        // With little fuel left, a missing bound says nothing.
        if bound.is_some() || left > MAX_STEP {
            self.facts.answers.keep_bound(asked, (bound.clone(), before - left));
        }
        bound
    }

    fn find_bound(&self, size: &Size, side: Side, goal: Goal, depth: u32) -> Option<Size> {
        let mut current = self.facts.rewrite(size);
        // The facts, plus ranges of the fresh variables that replace atoms.
        let mut facts = Cow::Borrowed(self.facts);
        let mut fresh = 0;
        for _ in 0..MAX_STEPS {
            if current.terms().len() > MAX_TERMS {
                return None;
            }
            self.spend(1 + current.weight() / 32)?;
            let query = self.under(&facts);
            if let Some((atom, next)) = query.abstract_atom(&current, side, goal, depth, fresh) {
                // Computed before the copy, so that copies share the models.
                self.facts.points();
                for (var, lower, upper) in next {
                    facts.to_mut().assume_range_of_new(var, lower, upper);
                }
                current = atom;
                fresh += 1;
                continue;
            }
            let Some(var) = query.next_variable(&current, goal) else {
                return Some(current);
            };
            let next = query.eliminate(&current, &var, side, goal)?;
            current = self.facts.rewrite(&next);
        }
        None
    }

    fn is_replaced(&self, var: &Var, goal: Goal) -> bool {
        goal == Goal::Constant
            || match var.kind {
                VarKind::Index => true,
                VarKind::Position | VarKind::Skolem => {
                    self.facts.lower.contains_key(var) || self.facts.upper.contains_key(var)
                }
                _ => false,
            }
    }

    /// The next variable to replace, preferably one that no bound of another replaceable variable mentions.
    fn next_variable(&self, size: &Size, goal: Goal) -> Option<Var> {
        let vars: Vec<Var> = size.vars().into_iter().filter(|var| self.is_replaced(var, goal)).collect();
        let is_free = |var: &&Var| {
            let mut others = vars.iter().filter(|other| other != var);
            others.all(|other| {
                let bounds = [self.facts.lower_of(other), self.facts.upper_of(other)];
                bounds.into_iter().flatten().all(|bound| !bound.contains(var))
            })
        };
        vars.iter().find(is_free).or(vars.first()).cloned()
    }

    /// Replaces the variable by the end of its range at which the size is least or greatest.
    fn eliminate(&self, size: &Size, var: &Var, side: Side, goal: Goal) -> Option<Size> {
        let atom = Atom::Var(var.clone());
        let mut factors: Vec<Size> = Vec::new();
        let mut highest = 0;
        for power in 1..=8 {
            let with: Vec<Term> = size
                .terms()
                .iter()
                .filter(|term| term.mono.exponent(&atom) == power)
                .map(|term| Term { mono: term.mono.without(&atom), coeff: term.coeff })
                .collect();
            if !with.is_empty() {
                highest = power;
                factors.push(Size::from_terms(poly::collect(with).ok()?));
            }
        }
        let within = |term: &Term| {
            (0..=8).contains(&term.mono.exponent(&atom))
                && term.mono.0.iter().all(|(other, _)| *other == atom || !other.contains(var))
        };
        if !size.terms().iter().all(within) {
            return None;
        }
        let monotone = highest == 1 || self.facts.constant_lower(var).is_some_and(|lo| lo >= 0);
        let signs: Vec<Option<bool>> = factors.iter().map(|f| self.sign(f)).collect();
        let at = |end| Some(size.subst_var(var, &self.end(var, end, goal)?));
        if monotone && signs.iter().all(|sign| *sign == Some(true)) {
            return at(side);
        }
        if monotone && signs.iter().all(|sign| *sign == Some(false)) {
            return at(side.opposite());
        }
        if highest == 1 {
            let (low, high) = (at(Side::Lower)?, at(Side::Upper)?);
            return Some(match side {
                Side::Lower => low.min(high),
                Side::Upper => low.max(high),
            });
        }
        None
    }

    /// A bound of the variable on one side.
    fn end(&self, var: &Var, side: Side, goal: Goal) -> Option<Size> {
        let stated = match side {
            Side::Lower => self.facts.lower_of(var),
            Side::Upper => self.facts.upper_of(var),
        };
        let mut all: Vec<Size> = stated.to_vec();
        if side == Side::Lower && var.is_natural() {
            all.push(Size::zero());
        }
        if goal == Goal::Constant
            && let Some(constant) = best_constant(&all, side)
        {
            return Some(constant);
        }
        // The bound of all numbers of type `Int` says less than the others.
        if all.len() > 1 {
            all.retain(|bound| bound.as_const() != Some(i32::MAX.into()));
        }
        let mut all = all.into_iter();
        let first = all.next()?;
        Some(all.fold(first, |best, next| match side {
            Side::Lower if self.le(&best, &next).is_yes() => next,
            Side::Lower if self.le(&next, &best).is_yes() => best,
            Side::Lower => best.max(next),
            Side::Upper if self.le(&best, &next).is_yes() => best,
            Side::Upper if self.le(&next, &best).is_yes() => next,
            Side::Upper => best.min(next),
        }))
    }

    /// Replaces an atom that mentions a replaceable variable by a fresh variable, and returns the latter's bounds, as far as
    /// the bound of the size on this side needs them.
    #[allow(clippy::type_complexity)]
    fn abstract_atom(
        &self,
        size: &Size,
        side: Side,
        goal: Goal,
        depth: u32,
        fresh: u32,
    ) -> Option<(Size, Vec<(Var, Option<Size>, Option<Size>)>)> {
        let atom = size.terms().iter().flat_map(|term| &*term.mono.0).find_map(|(atom, _)| {
            let composite = !matches!(atom, Atom::Var(_));
            let concerned = vars_of(atom).iter().any(|var| self.is_replaced(var, goal));
            (composite && concerned).then_some(atom)
        })?;
        let var = Var { kind: VarKind::Index, id: depth << 16 | fresh, name: fresh_name() };
        let value = Size::var(var.clone());
        let bound = |size: &Size, side| self.bound(size, side, goal, depth - 1);
        let split = size.split_linear(atom);
        let (next, lower, upper) = match (atom, split) {
            (Atom::Floor(num, den), Some((factor, rest))) => {
                let times = factor.neg().div_exact(den);
                let without = rest.sub(&times.mul(num));
                if without.terms().len() < rest.terms().len() && times.terms().len() <= factor.terms().len() {
                    // num mod den
                    let mut upper = bound(&den.sub(&Size::one()), Side::Upper);
                    if let (Some(top), true) = (bound(num, Side::Upper), self.nonneg(num)) {
                        upper = Some(upper.map_or(top.clone(), |upper| upper.min(top)));
                    }
                    (without.add(&times.mul(&value)), Some(Size::zero()), upper)
                } else {
                    let (lower, upper) = self.floor_bounds(num, den, &bound);
                    (rest.add(&factor.mul(&value)), lower, upper)
                }
            }
            (Atom::Max(operands), Some((factor, rest))) => {
                let (next, operands, maximum) = as_extremum(operands, &factor, &rest, &value);
                let times = next.split_linear(&Atom::Var(var.clone())).and_then(|(times, _)| times.as_ratio());
                let needed = times.map(|times| if times.is_negative() { side.opposite() } else { side });
                let all = |side| {
                    let bounds: Vec<Option<Size>> = operands.iter().map(|operand| bound(operand, side)).collect();
                    // The known bound of one operand suffices below a maximum and above a minimum.
                    let known: Option<Vec<Size>> = if maximum == (side == Side::Lower) {
                        Some(bounds.into_iter().flatten().collect())
                    } else {
                        bounds.into_iter().collect()
                    };
                    known?.into_iter().reduce(|a, b| if maximum { a.max(b) } else { a.min(b) })
                };
                let both = MAX_DEPTH - depth < BOTH_ENDS;
                let end = |end| if both || needed.is_none_or(|needed| needed == end) { all(end) } else { None };
                (next, end(Side::Lower), end(Side::Upper))
            }
            (Atom::Step(_), Some((factor, rest))) => {
                (rest.add(&factor.mul(&value)), Some(Size::zero()), Some(Size::one()))
            }
            (Atom::Floor(num, den), None) => {
                let (lower, upper) = self.floor_bounds(num, den, &bound);
                (size.replace_atom(atom, &value), lower, upper)
            }
            (Atom::Pow(base, exponent), _) if base.as_integer().is_some_and(|b| b >= 1) => {
                let end = |side| bound(exponent, side).map(|end| base.pow(&end));
                (size.replace_atom(atom, &value), end(Side::Lower), end(Side::Upper))
            }
            _ => {
                let lower = atom.is_natural().then(Size::zero);
                (size.replace_atom(atom, &value), lower, None)
            }
        };
        Some((next, vec![(var, lower, upper)]))
    }

    fn floor_bounds(
        &self,
        num: &Size,
        den: &Size,
        bound: &dyn Fn(&Size, Side) -> Option<Size>,
    ) -> (Option<Size>, Option<Size>) {
        // A non-negative quotient decreases as its divisor grows.
        let natural = self.nonneg(num);
        let is_fixed = |side| bound(den, side).as_ref() == Some(den);
        let end = |side: Side| {
            let divisor = if is_fixed(Side::Lower) && is_fixed(Side::Upper) {
                den.clone()
            } else if !natural {
                return None;
            } else if side == Side::Lower {
                bound(den, Side::Upper)?
            } else {
                // Divisors are at least 1.
                let least = bound(den, Side::Lower).unwrap_or_else(Size::one);
                if self.nonneg(&least.sub(&Size::one())) { least } else { Size::one() }
            };
            Some(bound(num, side)?.div_floor(&divisor))
        };
        let lower = end(Side::Lower).or_else(|| natural.then(Size::zero));
        (lower, end(Side::Upper))
    }
}

/// The name of the variables that replace atoms. One allocation, because names are compared at every lookup.
fn fresh_name() -> Arc<str> {
    thread_local! {
        static NAME: Arc<str> = Arc::from("bounded");
    }
    NAME.with(Arc::clone)
}

fn vars_of(atom: &Atom) -> Vec<Var> {
    atom.operands().flat_map(Size::vars).collect()
}

fn best_constant(bounds: &[Size], side: Side) -> Option<Size> {
    let constants = bounds.iter().filter(|bound| bound.as_ratio().is_some());
    let key = |bound: &&Size| bound.as_ratio();
    match side {
        Side::Lower => constants.max_by_key(key).cloned(),
        Side::Upper => constants.min_by_key(key).cloned(),
    }
}

/// Reads `factor·max(0, …) + rest` as a maximum or minimum that absorbs as much of `rest` as possible. Returns the
/// remaining rest, the operands, and whether it is a maximum.
fn as_extremum(operands: &[Size], factor: &Size, rest: &Size, value: &Size) -> (Size, Vec<Size>, bool) {
    let mut all = vec![Size::zero()];
    all.extend(operands.iter().cloned());
    let mut best = (rest.add(&factor.mul(value)), all.clone(), true);
    let mut least = rest.terms().len();
    for maximum in [true, false] {
        let times = if maximum { factor.clone() } else { factor.neg() };
        let mut bases = Vec::new();
        if times.terms().len() == 1 {
            bases.push(rest.div_exact(&times));
        }
        for operand in operands {
            let negative = operand.terms().iter().filter(|t| t.coeff.is_negative() == maximum);
            let part = Size::from_terms(negative.cloned().collect());
            bases.push(if maximum { part.neg() } else { part });
        }
        // The bounds of an integer variable must be integers.
        bases.retain(Size::is_integral);
        for base in bases {
            let left = rest.sub(&times.mul(&base));
            if left.terms().len() < least {
                least = left.terms().len();
                let all = all.iter();
                let all = all.map(|o| if maximum { base.add(o) } else { base.sub(o) });
                best = (left.add(&times.mul(value)), all.collect(), maximum);
            }
        }
    }
    best
}
