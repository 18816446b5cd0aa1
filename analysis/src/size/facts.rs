//! Facts about the variables of sizes, and what follows from them.
//!
//! Facts are assumptions: ranges, inequalities, equalities and divisibility. Answers are sound: [`Truth::Yes`] and
//! [`Truth::No`] are correct for all values of the variables that satisfy the facts; [`Truth::Unknown`] says nothing.
//! The cost of a query is bounded.
//!
//! | module | job |
//! |---|---|
//! | `answers` | cache of answers |
//! | `samples` | test models: assignments that satisfy the facts |
//! | `prove` | proves that sizes are non-negative |
//! | `bounds` | lower and upper bounds |
//! | `divides` | divisibility |
//! | `rewrite` | equalities as rewrite rules, from left to right |
//! | `shift` | variables counted from their least values |
//! | `simplify` | simplification by rules that need a range or a divisor |

mod answers;
mod bounds;
mod divides;
mod prove;
mod rewrite;
mod samples;
mod shift;
mod simplify;

use super::Size;
use super::assumption::Assumption;
use super::ratio::Ratio;
use super::var::{Marks, Var};
use super::work;
use answers::Answers;
use prove::Known;
use rewrite::Rewrite;
use samples::{Points, Sample};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

/// Fuel of one query, in proof steps.
const FUEL: u32 = 4000;
/// Budget of one query, in terms computed with, because one step may take thousands. Queries of hand-written programs
/// take some hundreds.
const TERMS: u64 = 1 << 17;

/// The truth value of a statement, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Truth {
    /// True for all values of the variables.
    Yes,
    /// False for all values.
    No,
    /// True for some values and false for others, or no proof was found.
    Unknown,
}

impl Truth {
    pub fn is_yes(self) -> bool {
        self == Truth::Yes
    }

    pub fn is_no(self) -> bool {
        self == Truth::No
    }
}

/// A set of assumptions about variables. Copies share what they have in common, because every scope of generated code has
/// one.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// Inclusive lower bounds; all of them hold.
    lower: Arc<BTreeMap<Var, Arc<Vec<Size>>>>,
    /// Inclusive upper bounds; all of them hold.
    upper: Arc<BTreeMap<Var, Arc<Vec<Size>>>>,
    /// The marks of variables with a lower bound that may be a positive number.
    raised: Marks,
    /// Non-negative sizes.
    nonneg: Arc<Vec<Size>>,
    /// `(k, n)`: k is positive and divides n.
    divides: Arc<Vec<(Size, Size)>>,
    /// Equalities, each oriented into a rule that removes its left side.
    rewrites: Arc<Vec<Rewrite>>,
    /// Test models: assignments that satisfy all facts. Computed on first use, shared by copies until one gains a fact.
    points: Arc<OnceLock<Points>>,
    /// Variables that have the values of sizes. Only models use them: what else is known of a variable is assumed.
    named: Arc<Vec<(Var, Size)>>,
    /// Models of fewer facts, from which the search starts.
    earlier: Arc<Vec<Arc<Sample>>>,
    /// The starting point of all proofs; computed and shared likewise.
    known: Arc<OnceLock<Known>>,
    /// Answers under exactly these facts.
    answers: Answers,
}

impl Facts {
    /// No facts; variables are natural numbers.
    pub fn new() -> Facts {
        Facts::default()
    }

    /// The facts extended by `lo <= var <= hi`.
    #[must_use]
    pub fn with_range(mut self, var: Var, lo: Option<Size>, hi: Option<Size>) -> Facts {
        self.assume_range(var, lo, hi);
        self
    }

    /// Assumes `lo <= var <= hi`. If both are given, the range is non-empty: `lo <= hi` is a fact too, as it is inside
    /// a loop over that range.
    pub fn assume_range(&mut self, var: Var, lo: Option<Size>, hi: Option<Size>) {
        let new = !self.mentions(&var);
        let length = lo.as_ref().zip(hi.as_ref()).map(|(lo, hi)| hi.sub(lo));
        let length = length.filter(|length| !length.is_natural() && !self.nonneg.contains(length));
        if new && length.is_none() && !lo.iter().chain(&hi).any(samples::has_divisors) {
            self.answers.with_range_of(&var);
        } else {
            self.more_is_known();
        }
        self.keep_points(|points| points.within(&var, new, lo.as_ref(), hi.as_ref()));
        if let Some(length) = length {
            Arc::make_mut(&mut self.nonneg).push(length);
        }
        // Natural numbers have the better bound 0, and a negative bound does not bound squares.
        let tells = |lo: &Size| !(var.is_natural() && lo.as_const().is_some_and(|lo| lo < 0));
        if let Some(lo) = lo
            && !lo.contains(&var)
            && tells(&lo)
        {
            if lo.as_ratio().is_some_and(|lo| ceil(lo) > 0) {
                self.raised = self.raised.and(Marks::of(&var));
            }
            Arc::make_mut(Arc::make_mut(&mut self.lower).entry(var.clone()).or_default()).push(lo);
        }
        if let Some(hi) = hi
            && !hi.contains(&var)
        {
            let known = Arc::make_mut(Arc::make_mut(&mut self.upper).entry(var).or_default());
            // Of numbers the least is kept: each bound is tried in every proof.
            match (hi.as_const(), known.iter_mut().find(|bound| bound.as_const().is_some())) {
                (Some(least), Some(bound)) if bound.as_const().is_some_and(|n| n <= least) => {}
                (Some(_), Some(bound)) => *bound = hi,
                _ => known.push(hi),
            }
        }
    }

    /// Gives a variable the value of a size in all test models, so that they satisfy what is assumed of it afterwards.
    pub fn assume_named(&mut self, var: &Var, size: &Size) {
        self.keep_points(|points| points.named(var, size));
        Arc::make_mut(&mut self.named).push((var.clone(), size.clone()));
    }

    /// Assumes that `k` is positive and divides `n`.
    pub fn assume_divides(&mut self, k: Size, n: Size) {
        self.assume_le(Size::one(), k.clone());
        self.more_is_known();
        self.keep_points(|points| points.divisible(&k, &n));
        Arc::make_mut(&mut self.divides).push((k, n));
    }

    /// Assumes `a <= b`.
    pub fn assume_le(&mut self, a: Size, b: Size) {
        if let Some(var) = a.as_var() {
            self.assume_range(var.clone(), None, Some(b.clone()));
        }
        if let Some(var) = b.as_var() {
            self.assume_range(var.clone(), Some(a.clone()), None);
        }
        let difference = b.sub(&a);
        if let Some(condition) = difference.condition_if_natural() {
            return self.assume_le(Size::zero(), condition);
        }
        if !difference.is_natural() {
            self.more_is_known();
            self.keep_points(|points| points.not_negative(&difference));
            Arc::make_mut(&mut self.nonneg).push(difference);
        }
    }

    /// Assumes `a = b`.
    pub fn assume_eq(&mut self, a: Size, b: Size) {
        self.more_is_known();
        self.keep_points(|points| points.samples.clear());
        let difference = self.rewrite(&a.sub(&b));
        if difference.is_zero() {
            return;
        }
        if let Some(rewrite) = Rewrite::orient(&difference) {
            if let Some(var) = rewrite.variable()
                && var.is_natural()
            {
                Arc::make_mut(&mut self.nonneg).push(rewrite.right().clone());
            }
            Arc::make_mut(&mut self.rewrites).push(rewrite);
        } else {
            Arc::make_mut(&mut self.nonneg).push(difference.neg());
            Arc::make_mut(&mut self.nonneg).push(difference);
        }
    }

    /// Discards results derived from fewer facts.
    fn more_is_known(&mut self) {
        self.known = Arc::default();
        self.answers = Answers::default();
    }

    /// The part of an assumption that the facts do not imply: for a proven division, only that the divisor is positive.
    #[must_use]
    pub fn left_of(&self, assumption: Assumption) -> Assumption {
        match assumption {
            Assumption::Divides { divisor, value } if self.divides(&divisor, &value).is_yes() => {
                Assumption::Positive(divisor)
            }
            Assumption::ForAll { position, count, holds } => {
                let last = count.sub(&Size::one());
                let inside = self.clone().with_range(position.clone(), Some(Size::zero()), Some(last));
                Assumption::ForAll { position, count, holds: Box::new(inside.left_of(*holds)) }
            }
            Assumption::Where { given, holds } => {
                let open: Vec<Assumption> = given.iter().filter(|a| !self.proves(a).is_yes()).cloned().collect();
                let holds = match self.with_all(&given) {
                    Some(inside) => inside.left_of(*holds),
                    None => *holds,
                };
                holds.given(open)
            }
            other => other,
        }
    }

    /// Adds an assumption to the facts.
    pub fn assume(&mut self, assumption: &Assumption) {
        match assumption {
            Assumption::Divides { divisor, value } => {
                self.assume_divides(divisor.clone(), value.clone());
            }
            Assumption::NonNegative(a) => self.assume_le(Size::zero(), a.clone()),
            Assumption::Positive(a) => self.assume_le(Size::one(), a.clone()),
            Assumption::AtMost(a, b) => self.assume_le(a.clone(), b.clone()),
            Assumption::Equal(a, b) => self.assume_eq(a.clone(), b.clone()),
            // A statement about the elements of an array does not help with other sizes.
            Assumption::ForAll { .. } => {}
            // A conditional statement helps only if its conditions hold.
            Assumption::Where { given, holds } => {
                if given.iter().all(|a| self.proves(a).is_yes()) {
                    self.assume(holds);
                }
            }
        }
    }

    /// The facts extended by `more`; `None` if one of those is false, so that no assignment satisfies them.
    fn with_all(&self, more: &[Assumption]) -> Option<Facts> {
        let mut facts = self.clone();
        for a in more {
            if facts.proves(a).is_no() {
                return None;
            }
            facts.assume(a);
        }
        Some(facts)
    }

    /// Whether `a = b`. `No` means different for all values of the variables.
    pub fn equal(&self, a: &Size, b: &Size) -> Truth {
        self.query(|query| query.equal(a, b))
    }

    /// Whether `a <= b`.
    pub fn le(&self, a: &Size, b: &Size) -> Truth {
        self.query(|query| query.le(a, b))
    }

    /// Whether `a < b`.
    pub fn lt(&self, a: &Size, b: &Size) -> Truth {
        self.le(&a.add(&Size::one()), b)
    }

    /// Whether `k` divides `n`. A variable `k` is taken to be positive; [`Facts::proves`] requires a proof of that.
    pub fn divides(&self, k: &Size, n: &Size) -> Truth {
        self.query(|query| query.divides(k, n))
    }

    /// Inclusive lower and upper bounds over size names of the program. Indices, array index variables and opened
    /// lengths are replaced by their own bounds where they have any.
    pub fn bounds(&self, size: &Size) -> (Option<Size>, Option<Size>) {
        self.query(|query| query.bounds(size))
    }

    /// Inclusive lower and upper bounds as constants.
    pub fn const_bounds(&self, size: &Size) -> (Option<i64>, Option<i64>) {
        self.query(|query| self.answers.constants(size, || query.const_bounds(size)))
    }

    /// An equal size with fewer floor divisions, maxima and conditions.
    pub fn simplify(&self, size: &Size) -> Size {
        self.query(|query| self.answers.simplified(size, || query.simplify(size)))
    }

    /// Whether the facts imply the assumption.
    pub fn proves(&self, assumption: &Assumption) -> Truth {
        match assumption {
            Assumption::Divides { divisor, value } => {
                match (self.divides(divisor, value), self.lt(&Size::zero(), divisor)) {
                    (Truth::No, _) | (_, Truth::No) => Truth::No,
                    (Truth::Yes, Truth::Yes) => Truth::Yes,
                    _ => Truth::Unknown,
                }
            }
            Assumption::NonNegative(a) => self.le(&Size::zero(), a),
            Assumption::Positive(a) => self.lt(&Size::zero(), a),
            Assumption::AtMost(a, b) => self.le(a, b),
            Assumption::Equal(a, b) => self.equal(a, b),
            Assumption::ForAll { position, count, holds } => self.proves_for_all(position, count, holds),
            Assumption::Where { given, holds } => match self.with_all(given) {
                None => Truth::Yes,
                Some(inside) => match inside.proves(holds) {
                    Truth::No if !given.iter().all(|a| self.proves(a).is_yes()) => Truth::Unknown,
                    truth => truth,
                },
            },
        }
    }

    /// For a count that may be zero, the statement is never refuted, since it may hold vacuously.
    fn proves_for_all(&self, position: &Var, count: &Size, holds: &Assumption) -> Truth {
        let last = count.sub(&Size::one());
        let inside = self.clone().with_range(position.clone(), Some(Size::zero()), Some(last.clone()));
        match inside.proves(holds) {
            Truth::No if self.le(&Size::zero(), &last).is_yes() => Truth::No,
            Truth::Yes => Truth::Yes,
            _ if self.le(&Size::zero(), &last).is_yes() => {
                // A counterexample at either end refutes the statement.
                let ends = [Size::zero(), last];
                let fails =
                    |end: &Size| self.proves(&holds.subst(&mut |v| (v == position).then(|| end.clone()))).is_no();
                if ends.iter().any(fails) { Truth::No } else { Truth::Unknown }
            }
            _ => Truth::Unknown,
        }
    }

    fn query<R>(&self, ask: impl FnOnce(&Query<'_>) -> R) -> R {
        work::within(TERMS, || ask(&Query { facts: self, fuel: &Cell::new(FUEL) }))
    }

    /// The number of test models.
    #[cfg(test)]
    pub(super) fn sample_points(&self) -> usize {
        self.points().samples.len()
    }

    /// The lower bounds stated for the variable.
    fn lower_of(&self, var: &Var) -> &[Size] {
        self.lower.get(var).map(|bounds| bounds.as_slice()).unwrap_or_default()
    }

    /// The upper bounds stated for the variable.
    fn upper_of(&self, var: &Var) -> &[Size] {
        self.upper.get(var).map(|bounds| bounds.as_slice()).unwrap_or_default()
    }

    /// The greatest constant lower bound stated for the variable.
    fn constant_lower(&self, var: &Var) -> Option<i128> {
        let natural = var.is_natural().then_some(0);
        self.lower_of(var).iter().filter_map(|lo| lo.as_ratio().map(ceil)).chain(natural).max()
    }
}

/// One query and its remaining fuel.
struct Query<'a> {
    facts: &'a Facts,
    fuel: &'a Cell<u32>,
}

impl Query<'_> {
    /// Shares the fuel of this query under other facts.
    fn under<'b>(&'b self, facts: &'b Facts) -> Query<'b> {
        Query { facts, fuel: self.fuel }
    }

    /// Uses fuel; `None` if it is exhausted.
    fn spend(&self, steps: u32) -> Option<()> {
        self.fuel.set(self.fuel.get().checked_sub(steps)?);
        Some(())
    }

    fn equal(&self, a: &Size, b: &Size) -> Truth {
        if a == b {
            return Truth::Yes;
        }
        let difference = self.facts.rewrite(&a.sub(b));
        let (zero, other) = self.sampled(&difference);
        let numerator_is_zero = |size: &Size| size.as_fraction().is_some_and(|(num, _)| num.is_zero());
        if !other && (numerator_is_zero(&difference) || numerator_is_zero(&self.simplify(&difference))) {
            return Truth::Yes;
        }
        let one = Size::one();
        if !zero
            && (self.never_zero(&difference)
                || self.nonneg(&difference.sub(&one))
                || self.nonneg(&difference.neg().sub(&one)))
        {
            return Truth::No;
        }
        if !other && self.zero_in_all_cases(&difference) { Truth::Yes } else { Truth::Unknown }
    }

    /// Whether the size is zero at some test model, and whether it is nonzero at some test model.
    fn sampled(&self, size: &Size) -> (bool, bool) {
        let mut divisors = BTreeSet::new();
        samples::divisors(size, &mut divisors);
        let divisors: Vec<Size> = divisors.into_iter().collect();
        let samples = self.facts.points().samples.iter();
        let values = samples.filter(|sample| sample.all_positive(&divisors)).filter_map(|sample| sample.eval(size));
        values.fold((false, false), |(zero, other), value| (zero || value.is_zero(), other || !value.is_zero()))
    }

    fn le(&self, a: &Size, b: &Size) -> Truth {
        if self.nonneg(&b.sub(a)) {
            Truth::Yes
        } else if self.nonneg(&a.sub(b).sub(&Size::one())) {
            Truth::No
        } else {
            Truth::Unknown
        }
    }

    /// Whether the constant is not a multiple of the gcd of the other coefficients: `2·N = 2·M + 1` has no solution.
    fn never_zero(&self, difference: &Size) -> bool {
        let Some((num, _)) = difference.as_fraction() else {
            return false;
        };
        let mut gcd = 0;
        let mut constant = 0;
        for term in num.terms() {
            let Some(coeff) = term.coeff.to_integer() else {
                return false;
            };
            if term.mono.is_one() {
                constant = coeff;
            } else {
                gcd = super::ratio::gcd(gcd, coeff);
            }
        }
        if gcd == 0 { constant != 0 } else { constant % gcd != 0 }
    }
}

fn ceil(value: Ratio) -> i128 {
    -value.neg().floor()
}
