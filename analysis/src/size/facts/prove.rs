//! Proves that sizes are non-negative.
//!
//! Multiplies the goal by its denominator, then bounds it below by an expression over natural atoms without negative
//! coefficients: replaces ("eliminates") a variable by its bound on the right side, replaces an atom by its definition,
//! and subtracts sizes known to be non-negative. The search has a fixed budget of fuel and stops at the first proof.

use super::answers::Answer;
use super::samples::{self, Sample};
use super::{Facts, Query};
use crate::size::Size;
use crate::size::atom::Atom;
use crate::size::poly::{self, Term};
use crate::size::var::{Marks, Var, VarKind};
use crate::size::work;
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

/// Fuel of one proof, in steps.
const FUEL: u32 = 400;
/// Upper bound of the fuel that one proof takes from its query.
pub(super) const MAX_STEP: u32 = 300;
/// Maximum nesting of eliminations.
const DEPTH: u32 = 8;
/// Maximum number of terms of a goal.
const MAX_TERMS: usize = 64;

/// The starting point of all proofs from the same facts.
#[derive(Clone, Debug)]
pub(super) struct Known {
    /// Non-negative sizes, multiplied by their denominators.
    nonneg: Vec<Size>,
    /// Natural variables that are positive because the facts divide by them.
    positive: BTreeSet<Var>,
}

/// Natural variables in divisors that are products: they are positive because the product is.
fn positive_vars(divisors: &[Size]) -> impl Iterator<Item = Var> {
    let products = divisors.iter().filter_map(|size| match size.terms() {
        [term] => Some(&*term.mono.0),
        _ => None,
    });
    products.flat_map(|product| product.iter()).filter_map(|(atom, _)| match atom {
        Atom::Var(var) if var.is_natural() => Some(var.clone()),
        _ => None,
    })
}

impl Query<'_> {
    /// Whether an integer size is non-negative.
    pub(super) fn nonneg(&self, size: &Size) -> bool {
        if size.is_natural() {
            return true;
        }
        if let Some(answer) = self.facts.answers.nonneg(size) {
            return self.spend(answer.steps).is_some() && answer.proved;
        }
        let before = self.fuel.get();
        let proved = self.prove_nonneg(size);
        let left = self.fuel.get();
        // With little fuel left, a failed proof says nothing.
        if proved || left > MAX_STEP {
            self.facts.answers.keep_nonneg(size, Answer { proved, steps: before - left });
        }
        proved
    }

    fn prove_nonneg(&self, size: &Size) -> bool {
        let known = self.facts.nonneg.len() + self.facts.divides.len() + self.facts.lower.len();
        if self.spend(u32::try_from(known / 4).unwrap_or(u32::MAX)).is_none() {
            return false;
        }
        let known = self.facts.known();
        // Divisors of the size may be assumed positive; otherwise it has no value.
        let points = self.facts.points();
        let mut positive = Cow::Borrowed(&known.positive);
        let mut samples: Vec<&Sample> = points.samples.iter().map(Arc::as_ref).collect();
        let mut divisors = BTreeSet::new();
        samples::divisors(size, &mut divisors);
        divisors.retain(|divisor| !points.divisors.contains(divisor));
        if !divisors.is_empty() {
            let divisors: Vec<Size> = divisors.into_iter().collect();
            samples.retain(|sample| sample.all_positive(&divisors));
            positive.to_mut().extend(positive_vars(&divisors));
        }
        let prover = Prover {
            query: self,
            fuel: &Cell::new(FUEL),
            known: Cow::Borrowed(&known.nonneg),
            moving: positive.iter().fold(self.facts.raised, |marks, var| marks.and(Marks::of(var))),
            positive,
            samples,
            refuter: Cell::default(),
            failed: RefCell::default(),
            shifted: Rc::default(),
        };
        self.is_natural_at_least(size, &prover) || prover.nonneg(size, DEPTH)
    }

    /// Whether the size is a natural number where its indices have the values that make it least: the quickest proof of
    /// most indices.
    fn is_natural_at_least(&self, size: &Size, prover: &Prover<'_>) -> bool {
        let of_loop = |var: &Var| var.kind == VarKind::Index;
        if !size.is_integral() || !size.any_var(&mut |var| of_loop(var)) {
            return false;
        }
        let goal = self.facts.rewrite(size);
        !prover.is_refuted(&goal) && self.least(&goal).is_some_and(|least| least.is_natural())
    }

    /// Whether the size is zero in all cases of its maxima and conditions.
    pub(super) fn zero_in_all_cases(&self, size: &Size) -> bool {
        self.zero_in_cases(size, 3)
    }

    fn zero_in_cases(&self, size: &Size, splits: u32) -> bool {
        let simple = self.simplify(size);
        if simple.is_zero() {
            return true;
        }
        if splits == 0 {
            return false;
        }
        let mut condition = None;
        simple.any_atom(&mut |atom| {
            match atom {
                Atom::Max(operands) if operands.len() == 1 => condition = operands.first().cloned(),
                Atom::Step(inner) => condition = Some(inner.clone()),
                _ => return false,
            }
            true
        });
        let Some(condition) = condition else {
            return false;
        };
        [condition.clone(), condition.neg().sub(&Size::one())].into_iter().all(|case| {
            let mut facts = self.facts.clone();
            facts.assume_le(Size::zero(), case.clone());
            let query = self.under(&facts);
            query.nonneg(&case.neg().sub(&Size::one())) || query.zero_in_cases(&simple, splits - 1)
        })
    }

    /// `Some(true)` for a rational that is never negative, `Some(false)` for one that is never positive.
    pub(super) fn sign(&self, size: &Size) -> Option<bool> {
        let (num, _) = size.as_fraction()?;
        if self.nonneg(&num) {
            Some(true)
        } else if self.nonneg(&num.neg()) {
            Some(false)
        } else {
            None
        }
    }
}

pub(super) struct Prover<'a> {
    query: &'a Query<'a>,
    fuel: &'a Cell<u32>,
    /// Non-negative sizes, multiplied by their denominators: the facts and the current case.
    known: Cow<'a, [Size]>,
    positive: Cow<'a, BTreeSet<Var>>,
    /// The marks of variables whose least value may be positive.
    pub(super) moving: Marks,
    /// Test models that satisfy everything known.
    samples: Vec<&'a Sample>,
    /// Index of the model that last refuted a goal.
    refuter: Cell<usize>,
    /// Failed goals, with the remaining depth at which they failed.
    failed: RefCell<FxHashMap<Size, u32>>,
    /// Composite atoms after the shift of variables to their least values; consecutive goals share many.
    pub(super) shifted: Rc<RefCell<FxHashMap<Atom, Size>>>,
}

impl Prover<'_> {
    /// Whether a rational is greater than -1; for an integer, whether it is non-negative.
    fn nonneg(&self, size: &Size, depth: u32) -> bool {
        if size.is_natural() {
            return true;
        }
        let steps = 1 + size.weight() / 32;
        let Some(fuel) = self.fuel.get().checked_sub(steps) else {
            return false;
        };
        self.fuel.set(fuel);
        // Searching a goal costs as much as adding it.
        if self.query.spend(steps).is_none() || work::spend(size.terms().len()).is_err() {
            return false;
        }
        let size = self.query.facts.rewrite(size);
        let goal = if size.is_integral() {
            size
        } else {
            // n/d > -1 is n + d - 1 >= 0 for integers n and d > 0.
            let Some((num, den)) = size.as_fraction() else { return false };
            num.add(&den).sub(&Size::one())
        };
        if let Some(value) = goal.as_ratio() {
            return !value.is_negative();
        }
        if goal.is_natural() {
            return true;
        }
        if self.is_refuted(&goal) {
            return false;
        }
        if self.is_natural_from_least(&goal) {
            return true;
        }
        if depth == 0 || goal.terms().len() > MAX_TERMS {
            return false;
        }
        if self.failed.borrow().get(&goal).is_some_and(|tried| *tried >= depth) {
            return false;
        }
        let proved =
            self.by_atoms(&goal, depth - 1) || self.by_facts(&goal, depth - 1) || self.by_cases(&goal, depth - 1);
        if !proved {
            self.failed.borrow_mut().insert(goal, depth);
        }
        proved
    }

    /// Whether a model refutes the goal. Tries the last refuter first, because consecutive goals are similar.
    fn is_refuted(&self, goal: &Size) -> bool {
        let last = self.refuter.get();
        if self.samples.get(last).is_some_and(|sample| sample.refutes(goal)) {
            return true;
        }
        let found = self.samples.iter().enumerate().find(|(at, sample)| *at != last && sample.refutes(goal));
        found.inspect(|(at, _)| self.refuter.set(*at)).is_some()
    }

    pub(super) fn least(&self, var: &Var) -> Option<i128> {
        let stated = self.query.facts.constant_lower(var)?;
        Some(if self.positive.contains(var) { stated.max(1) } else { stated })
    }

    /// Replaces one atom by a bound, trying atoms in elimination order.
    fn by_atoms(&self, goal: &Size, depth: u32) -> bool {
        for atom in self.elimination_order(goal) {
            let proved = match &atom {
                Atom::Var(var) => self.by_variable(goal, var, depth),
                Atom::Floor(num, den) => self.by_floor(goal, &atom, num, den, depth),
                Atom::Max(operands) => self.by_maximum(goal, &atom, operands, depth),
                Atom::Step(condition) => self.by_condition(goal, &atom, condition, depth),
                Atom::Pow(base, _) => {
                    // A power of a positive number is positive.
                    base.sub(&Size::one()).is_natural()
                        && goal.split_linear(&atom).is_some_and(|(factor, rest)| {
                            self.nonneg(&factor, depth) && self.nonneg(&rest.add(&factor), depth)
                        })
                }
                _ => false,
            };
            if proved {
                return true;
            }
        }
        false
    }

    /// Composite atoms, then variables, preferring those that no bound of another variable mentions.
    fn elimination_order(&self, goal: &Size) -> Vec<Atom> {
        let atoms: BTreeSet<Atom> =
            goal.terms().iter().flat_map(|t| &*t.mono.0).map(|(atom, _)| atom.clone()).collect();
        let vars = goal.vars();
        let mentions = |var: &Var| {
            vars.iter()
                .filter(|other| *other != var)
                .flat_map(|other| self.query.facts.bounds_of(other))
                .filter(|bound| bound.contains(var))
                .count()
        };
        let mut order: Vec<(usize, Atom)> = atoms
            .into_iter()
            .map(|atom| match &atom {
                Atom::Var(var) => (1 + mentions(var), atom),
                _ => (0, atom),
            })
            .collect();
        order.sort();
        order.into_iter().map(|(_, atom)| atom).collect()
    }

    fn by_variable(&self, goal: &Size, var: &Var, depth: u32) -> bool {
        let Some(powers) = powers_of(goal, var) else {
            return false;
        };
        let linear = powers.keys().all(|&power| power <= 1);
        let factors = || powers.values();
        let replaced = |bound: &Size| goal.subst_var(var, bound);
        let mut lower: Vec<Size> = self.query.facts.lower_of(var).to_vec();
        lower.extend(self.least(var).map(Size::constant));
        let upper = self.query.facts.upper_of(var);
        let monotone = linear || self.least(var).is_some_and(|least| least >= 0);
        // The square of a negative bound does not bound the square.
        let bounds_powers = |bound: &Size| linear || self.nonneg(bound, depth.min(2));
        if monotone && !lower.is_empty() && factors().all(|factor| self.nonneg(factor, depth.min(2))) {
            return lower.iter().any(|bound| bounds_powers(bound) && self.nonneg(&replaced(bound), depth));
        }
        if upper.is_empty() {
            return false;
        }
        if monotone && factors().all(|factor| self.nonneg(&factor.neg(), depth.min(2))) {
            return upper.iter().any(|bound| self.nonneg(&replaced(bound), depth));
        }
        // A concave function has its minimum at an end of the range.
        let concave = linear
            || powers.keys().all(|&power| power <= 2)
                && powers.get(&2).is_some_and(|factor| self.nonneg(&factor.neg(), 1));
        concave
            && lower.iter().any(|bound| self.nonneg(&replaced(bound), depth))
            && upper.iter().any(|bound| self.nonneg(&replaced(bound), depth))
    }

    /// Uses `(a - b + 1)/b <= ⌊a/b⌋ <= a/b`.
    fn by_floor(&self, goal: &Size, atom: &Atom, num: &Size, den: &Size, depth: u32) -> bool {
        let Some((factor, rest)) = goal.split_linear(atom) else {
            return false;
        };
        let with = |bound: &Size| rest.add(&factor.mul(bound));
        if self.nonneg(&factor, depth.min(2)) {
            let least = num.sub(den).add(&Size::one()).div_exact(den);
            return self.nonneg(&with(&least), depth) || self.nonneg(num, depth.min(3)) && self.nonneg(&rest, depth);
        }
        self.nonneg(&factor.neg(), depth.min(2)) && self.nonneg(&with(&num.div_exact(den)), depth)
    }

    /// Splits by the operand that is largest.
    fn by_maximum(&self, goal: &Size, atom: &Atom, operands: &[Size], depth: u32) -> bool {
        let Some((factor, rest)) = goal.split_linear(atom) else {
            return false;
        };
        let mut all = vec![Size::zero()];
        all.extend(operands.iter().cloned());
        if self.nonneg(&factor, depth.min(1))
            && all.iter().any(|value| self.nonneg(&rest.add(&factor.mul(value)), depth.min(2)))
        {
            return true;
        }
        all.iter().all(|value| {
            let case = all.iter().filter(|other| *other != value).map(|other| value.sub(other));
            self.with_case(case.collect()).nonneg(&rest.add(&factor.mul(value)), depth)
        })
    }

    fn by_condition(&self, goal: &Size, atom: &Atom, condition: &Size, depth: u32) -> bool {
        let Some((factor, rest)) = goal.split_linear(atom) else {
            return false;
        };
        self.with_case(vec![condition.clone()]).nonneg(&rest.add(&factor), depth)
            && self.with_case(vec![condition.neg().sub(&Size::one())]).nonneg(&rest, depth)
    }

    fn with_case(&self, facts: Vec<Size>) -> Prover<'_> {
        let mut samples = self.samples.clone();
        samples.retain(|sample| {
            let holds = |size| sample.eval(size).is_some_and(|value| !value.is_negative());
            facts.iter().all(holds)
        });
        let mut known = self.known.to_vec();
        known.extend(facts.iter().filter_map(|fact| self.query.facts.numerator(fact)));
        Prover {
            query: self.query,
            fuel: self.fuel,
            known: Cow::Owned(known),
            positive: self.positive.clone(),
            moving: self.moving,
            samples,
            refuter: Cell::default(),
            failed: RefCell::default(),
            shifted: self.shifted.clone(),
        }
    }

    /// Subtracts a multiple of a known non-negative size that cancels a negative term.
    fn by_facts(&self, goal: &Size, depth: u32) -> bool {
        for term in goal.terms().iter().filter(|term| term.coeff.is_negative()) {
            for fact in self.known.iter() {
                for part in fact.terms().iter().filter(|part| part.coeff.is_negative()) {
                    let Some(mono) = term.mono.div(&part.mono) else {
                        continue;
                    };
                    let Some(coeff) = term.coeff.div(part.coeff) else {
                        continue;
                    };
                    let factor = Size::term(Term { mono, coeff });
                    if !factor.is_natural() {
                        continue;
                    }
                    if self.nonneg(&goal.sub(&factor.mul(fact)), depth.min(3)) {
                        return true;
                    }
                }
            }
        }
        false
    }

    /// Proves `n·(n-1) >= 0`: evaluates at the least n, and uses coefficients for all others.
    fn by_cases(&self, goal: &Size, depth: u32) -> bool {
        for var in goal.vars() {
            let is_square = |(atom, e): &(Atom, i32)| *e >= 2 && matches!(atom, Atom::Var(other) if *other == var);
            let square = |term: &Term| term.mono.0.iter().any(is_square);
            let Some(least) = goal.terms().iter().any(square).then(|| self.least(&var)).flatten() else {
                continue;
            };
            if powers_of(goal, &var).is_none() {
                continue;
            }
            // n = m + 1 with m at least as large as the least n.
            let from = Size::var(var.clone()).add(&Size::one());
            let first = goal.subst_var(&var, &Size::constant(least));
            let others = self.shifted(&goal.subst_var(&var, &from));
            if others.is_natural() && self.nonneg(&first, depth.min(2)) {
                return true;
            }
        }
        false
    }
}

/// The coefficients of the powers of a variable; `None` if it occurs inside another atom or in a denominator.
fn powers_of(size: &Size, var: &Var) -> Option<BTreeMap<i32, Size>> {
    let mut powers: BTreeMap<i32, Vec<Term>> = BTreeMap::new();
    for term in size.terms() {
        let mut power = 0;
        for (atom, e) in &*term.mono.0 {
            match atom {
                Atom::Var(other) if other == var => power = *e,
                Atom::Var(_) => {}
                _ if atom.contains(var) => return None,
                _ => {}
            }
        }
        match power {
            ..0 => return None,
            0 => {}
            1.. => {
                let mono = term.mono.without(&Atom::Var(var.clone()));
                powers.entry(power).or_default().push(Term { mono, coeff: term.coeff });
            }
        }
    }
    let sum = |terms| Some(Size::from_terms(poly::collect(terms).ok()?));
    powers.into_iter().map(|(power, terms)| Some((power, sum(terms)?))).collect()
}

impl Facts {
    fn known(&self) -> &Known {
        self.known.get_or_init(|| {
            let rewritten = self.rewritten_ranges();
            let nonneg = self.nonneg.iter().chain(&rewritten);
            Known {
                nonneg: nonneg.filter_map(|fact| self.numerator(fact)).collect(),
                positive: positive_vars(&self.points().divisors).collect(),
            }
        })
    }

    fn bounds_of(&self, var: &Var) -> impl Iterator<Item = &Size> {
        self.lower_of(var).iter().chain(self.upper_of(var))
    }

    /// The numerator of a size after the equalities; it has the sign of the size.
    fn numerator(&self, size: &Size) -> Option<Size> {
        Some(self.rewrite(size).as_fraction()?.0)
    }

    /// The ranges of variables removed by equalities, as non-negative sizes.
    fn rewritten_ranges(&self) -> Vec<Size> {
        let mut facts = Vec::new();
        for var in self.rewrites.iter().filter_map(|rewrite| rewrite.variable()) {
            let value = Size::var(var.clone());
            facts.extend(self.lower_of(var).iter().map(|lo| value.sub(lo)));
            facts.extend(self.upper_of(var).iter().map(|hi| hi.sub(&value)));
        }
        facts
    }
}
