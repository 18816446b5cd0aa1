//! Test models: assignments that satisfy the facts. A goal that is false in one needs no proof.

use super::Facts;
use crate::size::Size;
use crate::size::atom::Atom;
use crate::size::poly::Mono;
use crate::size::ratio::{Ratio, lcm};
use crate::size::var::{Var, VarKind};
use crate::size::work;
use rustc_hash::FxBuildHasher;
use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::hash::BuildHasher;
use std::sync::{Arc, OnceLock};

/// Number of models to find.
const WANTED: usize = 8;
/// Maximum number of attempts, and the number after which a search without success stops.
const TRIES: usize = 32;
const FIRST_TRIES: usize = 12;
/// Values to try for variables.
const VALUES: [i64; 16] = [1, 2, 0, 3, 4, 6, 8, 5, 12, 7, 1, 16, 9, 24, 2, 48];
/// Values of sizes in every third model, which decide between a few and many tiles or blocks.
const LARGE: [i64; 16] = [1024, 3, 600, 1, 40, 2048, 5, 130, 2, 8192, 17, 1500, 260, 12, 4096, 700];
/// Maximum number of passes that move values into their ranges.
const PASSES: usize = 4;

/// Sorted variables.
#[derive(Clone, Debug, Default)]
struct Vars {
    all: Vec<Var>,
    /// The keys of all, which are compared more quickly.
    keys: Vec<u64>,
}

impl Vars {
    /// The place of a variable, or where it is to be inserted.
    fn place_of(&self, var: &Var) -> Result<usize, usize> {
        let near = self.keys.binary_search(&var.key())?;
        // Few variables differ in their names alone.
        if self.all[near] == *var { Ok(near) } else { self.all.binary_search(var) }
    }

    fn insert(&mut self, at: usize, var: &Var) {
        self.all.insert(at, var.clone());
        self.keys.insert(at, var.key());
    }
}

impl FromIterator<Var> for Vars {
    fn from_iter<I: IntoIterator<Item = Var>>(sorted: I) -> Vars {
        let all: Vec<Var> = sorted.into_iter().collect();
        Vars { keys: all.iter().map(Var::key).collect(), all }
    }
}

/// A model. Variables in no fact have pseudo-random values.
#[derive(Clone, Debug)]
pub(super) struct Sample {
    /// The variables with values. Models of the same facts share them, because they are added to at every scope.
    vars: Arc<Vars>,
    /// Their values.
    values: Vec<i64>,
    seed: usize,
}

impl Sample {
    /// A model of values by chance.
    fn new(seed: usize) -> Sample {
        Sample { vars: Arc::default(), values: Vec::new(), seed }
    }

    fn value(&self, var: &Var) -> i64 {
        self.vars.place_of(var).map_or_else(|_| self.by_chance(var), |at| self.values[at])
    }

    /// Sets a value; returns whether it changed.
    fn set(&mut self, var: &Var, value: i64) -> bool {
        match self.vars.place_of(var) {
            Ok(at) => std::mem::replace(&mut self.values[at], value) != value,
            Err(at) => {
                Arc::make_mut(&mut self.vars).insert(at, var);
                self.values.insert(at, value);
                true
            }
        }
    }

    fn iter(&self) -> impl Iterator<Item = (&Var, i64)> {
        self.vars.all.iter().zip(self.values.iter().copied())
    }

    /// Gives these variables values; the others that have one keep it.
    fn declare_all(&mut self, vars: &Arc<Vars>) {
        if self.vars.all.iter().all(|var| vars.place_of(var).is_ok()) {
            self.values = vars.all.iter().map(|var| self.value(var)).collect();
            self.vars = vars.clone();
        } else {
            for var in &vars.all {
                let value = self.value(var);
                self.set(var, value);
            }
        }
    }

    /// A pseudo-random value; zero in the first model, which refutes most false inequalities between sums.
    fn by_chance(&self, var: &Var) -> i64 {
        if self.seed == 0 {
            return 0;
        }
        let hash = self.hash(var);
        let large = self.seed % 3 == 2 && var.kind == VarKind::Param;
        let values = if large { LARGE } else { VALUES };
        let value = values[usize::try_from(hash % 16).unwrap_or(0)];
        // Half of the indices without facts are negative.
        if !var.is_natural() && hash & 16 != 0 { -value } else { value }
    }

    fn hash(&self, var: &Var) -> u64 {
        FxBuildHasher.hash_one((var, self.seed)) >> 17
    }

    /// A value for a new variable of this range: in some models at an end of it, where most wrong goals fail.
    fn value_within(&self, var: &Var, low: Option<i64>, high: Option<i64>) -> i64 {
        let value = self.value(var);
        let value = low.map_or(value, |low| value.max(low));
        let clipped = high.map_or(value, |high| value.min(high));
        match (self.seed, self.hash(var) >> 5 & 3) {
            (0, _) => low.unwrap_or(clipped),
            (1, _) | (_, 0) => high.unwrap_or(clipped),
            (_, 1) => low.unwrap_or(clipped),
            _ => clipped,
        }
    }

    /// The value of the size in this model, if it has one.
    pub fn eval(&self, size: &Size) -> Option<Ratio> {
        // Adding up a sum is too slow here.
        if size.sum_depth() > 0 {
            return None;
        }
        size.eval_ratio(&|var| Some(self.value(var))).ok()
    }

    /// Whether the size is negative in this model.
    pub fn refutes(&self, size: &Size) -> bool {
        self.eval(size).is_some_and(Ratio::is_negative)
    }

    /// Whether `k` divides `n` in this model.
    fn divides(&self, k: &Size, n: &Size) -> bool {
        let quotient = self.eval(n).and_then(|n| n.div(self.eval(k)?));
        quotient.is_some_and(Ratio::is_integer)
    }

    pub fn all_positive(&self, sizes: &[Size]) -> bool {
        let positive = |value: Ratio| !value.is_negative() && !value.is_zero();
        sizes.iter().all(|size| self.eval(size).is_some_and(positive))
    }
}

/// The models of a set of facts, and its divisors.
#[derive(Clone, Debug)]
pub(super) struct Points {
    /// Models of all facts; may be empty.
    pub samples: Vec<Arc<Sample>>,
    /// All sizes by which the facts divide.
    pub divisors: Vec<Size>,
}

impl Points {
    /// Adds a variable to all models that lack it, with the value that it has without facts.
    fn declare(&mut self, var: &Var) {
        let Some(before) = self.samples.first().map(|first| first.vars.clone()) else { return };
        let Err(at) = before.place_of(var) else { return };
        let mut vars = Vars::clone(&before);
        vars.insert(at, var);
        let vars = Arc::new(vars);
        for sample in self.samples.iter_mut().filter(|sample| Arc::ptr_eq(&sample.vars, &before)) {
            let sample = Arc::make_mut(sample);
            sample.values.insert(at, sample.by_chance(var));
            sample.vars = vars.clone();
        }
    }

    /// Keeps the models with `lo <= var <= hi`; moves a `new` variable into that range.
    pub fn within(&mut self, var: &Var, new: bool, lo: Option<&Size>, hi: Option<&Size>) {
        self.declare(var);
        self.samples.retain_mut(|sample| {
            let end = |bound: Option<&Size>| bound.map(|bound| integer(sample, bound));
            let (low, high) = match (end(lo), end(hi)) {
                (Some(None), _) | (_, Some(None)) => return false,
                (low, high) => (low.flatten(), high.flatten()),
            };
            let value = if new { sample.value_within(var, low, high) } else { sample.value(var) };
            Arc::make_mut(sample).set(var, value);
            let in_range = low.is_none_or(|low| low <= value) && high.is_none_or(|high| value <= high);
            in_range && (value >= 0 || !var.is_natural())
        });
        lo.into_iter().chain(hi).for_each(|bound| self.divided_by(bound));
    }

    /// Gives a variable the value of a size.
    pub fn named(&mut self, var: &Var, size: &Size) {
        self.declare(var);
        for sample in &mut self.samples {
            if let Some(value) = integer(sample, size) {
                Arc::make_mut(sample).set(var, value);
            }
        }
    }

    /// Keeps the models with `size >= 0`.
    pub fn not_negative(&mut self, size: &Size) {
        self.samples.retain(|sample| sample.eval(size).is_some_and(|value| !value.is_negative()));
        self.divided_by(size);
    }

    /// Keeps the models in which `k` divides `n`.
    pub fn divisible(&mut self, k: &Size, n: &Size) {
        self.samples.retain(|sample| sample.divides(k, n));
        self.divided_by(n);
        self.divided_by(k);
        self.positive([k.clone()].into());
    }

    fn divided_by(&mut self, size: &Size) {
        let mut found = BTreeSet::new();
        divisors(size, &mut found);
        self.positive(found);
    }

    fn positive(&mut self, found: BTreeSet<Size>) {
        let new: Vec<Size> = found.into_iter().filter(|divisor| !self.divisors.contains(divisor)).collect();
        if !new.is_empty() {
            self.samples.retain(|sample| sample.all_positive(&new));
            self.divisors.extend(new);
        }
    }
}

impl Facts {
    pub(super) fn points(&self) -> &Points {
        self.points.get_or_init(|| {
            let vars = self.vars();
            let divisors = self.divisors();
            let terms: usize = vars.len() + self.sizes().map(|size| size.terms().len()).sum::<usize>();
            let mut samples: Vec<Arc<Sample>> = Vec::new();
            let by_chance = (0..TRIES).map(|seed| Arc::new(Sample::new(seed)));
            let shared = Arc::new(vars.iter().cloned().collect::<Vars>());
            for (tried, mut sample) in self.earlier.iter().cloned().chain(by_chance).enumerate() {
                if work::spend(terms).is_err() {
                    break;
                }
                let values = Arc::make_mut(&mut sample);
                values.declare_all(&shared);
                self.repair(values);
                if self.hold_at(&sample) && sample.all_positive(&divisors) {
                    samples.push(sample);
                }
                if samples.len() == WANTED || samples.is_empty() && tried >= self.earlier.len() + FIRST_TRIES {
                    break;
                }
            }
            Points { samples, divisors }
        })
    }

    /// Filters the models by a new assumption; with too few left, the next use searches again. If none was lost, a search
    /// would find no more of them than before.
    pub(super) fn keep_points(&mut self, assume: impl FnOnce(&mut Points)) {
        const ENOUGH: usize = WANTED / 2;
        let Some(known) = self.points.get() else { return };
        let mut points = known.clone();
        assume(&mut points);
        if points.samples.len() >= ENOUGH || points.samples.len() == known.samples.len() {
            self.points = Arc::new(OnceLock::from(points));
        } else {
            self.earlier = Arc::new(known.samples.clone());
            self.points = Arc::default();
        }
    }

    /// Assumes the range of a new variable without searching for further models.
    pub(super) fn assume_range_of_new(&mut self, var: Var, lo: Option<Size>, hi: Option<Size>) {
        let mut points = self.points().clone();
        points.within(&var, true, lo.as_ref(), hi.as_ref());
        self.points = Arc::default();
        self.assume_range(var, lo, hi);
        self.points = Arc::new(OnceLock::from(points));
    }

    /// Whether a fact mentions the variable.
    pub(super) fn mentions(&self, var: &Var) -> bool {
        self.lower.contains_key(var)
            || self.upper.contains_key(var)
            || self.sizes().any(|size| size.contains(var))
            || self.rewrites.iter().any(|rewrite| rewrite.left().contains(var))
    }

    fn sizes(&self) -> impl Iterator<Item = &Size> {
        let bounds = self.lower.values().chain(self.upper.values()).flat_map(|bounds| bounds.iter());
        let divides = self.divides.iter().flat_map(|(k, n)| [k, n]);
        let rewrites = self.rewrites.iter().map(|rewrite| rewrite.right());
        bounds.chain(self.nonneg.iter()).chain(divides).chain(rewrites)
    }

    fn vars(&self) -> BTreeSet<Var> {
        let ranges = self.lower.keys().chain(self.upper.keys()).cloned();
        let rewrites = self.rewrites.iter().flat_map(|rewrite| rewrite.left().vars());
        self.sizes().flat_map(Size::vars).chain(ranges).chain(rewrites).collect()
    }

    fn divisors(&self) -> Vec<Size> {
        let mut found = BTreeSet::new();
        self.sizes().for_each(|size| divisors(size, &mut found));
        found.extend(self.divides.iter().map(|(k, _)| k.clone()));
        found.into_iter().collect()
    }

    /// Moves values into their ranges and onto their multiples, in several passes because one fact's move may violate
    /// another.
    fn repair(&self, sample: &mut Sample) {
        for _ in 0..PASSES {
            if !self.moved(sample) {
                break;
            }
        }
    }

    /// Moves the values that violate a fact; returns whether any changed.
    fn moved(&self, sample: &mut Sample) -> bool {
        let mut moved = false;
        for rewrite in self.rewrites.iter() {
            if let (Some(var), Some(value)) = (rewrite.variable(), integer(sample, rewrite.right())) {
                moved |= sample.set(var, value);
            }
        }
        for (var, size) in self.named.iter() {
            if let Some(value) = integer(sample, size) {
                moved |= sample.set(var, value);
            }
        }
        for (k, n) in self.divides.iter() {
            if let (Some(var), Some(k)) = (n.as_var(), integer(sample, k).filter(|k| *k > 0)) {
                let times = (sample.value(var) / k).max(1);
                moved |= sample.set(var, times.saturating_mul(k));
            }
        }
        for (var, bounds) in self.lower.iter() {
            let least = bounds.iter().filter_map(|bound| integer(sample, bound)).max();
            if let Some(least) = least.filter(|least| *least > sample.value(var)) {
                let value = self.multiple_from(sample, var, least);
                moved |= sample.set(var, value);
            }
        }
        for (var, bounds) in self.upper.iter() {
            let ends = bounds.iter().filter_map(|bound| Some((integer(sample, bound)?, bound)));
            let Some((most, bound)) = ends.min_by_key(|(most, _)| *most) else { continue };
            if most >= sample.value(var) {
                continue;
            }
            // A range that is empty is opened from above, where a size name can do so.
            let least = self.lower_of(var).iter().filter_map(|bound| integer(sample, bound)).max();
            let missing = least.and_then(|least| least.checked_sub(most)).filter(|missing| *missing > 0);
            moved |= match missing {
                Some(missing) if raised_by(bound).is_some() => raise(sample, bound, missing),
                _ => sample.set(var, most),
            };
        }
        for size in self.nonneg.iter() {
            if let Some(missing) = integer(sample, size).and_then(i64::checked_neg).filter(|missing| *missing > 0) {
                moved |= raise(sample, size, missing);
            }
        }
        moved
    }

    /// The least number from `least` on that all divisors of the variable divide, if easy to compute.
    fn multiple_from(&self, sample: &Sample, var: &Var, least: i64) -> i64 {
        let of_var = self.divides.iter().filter(|(_, n)| n.as_var() == Some(var));
        let divisors = of_var.filter_map(|(k, _)| integer(sample, k)).filter(|k| *k > 0);
        let common = divisors.map(i128::from).try_fold(1, lcm).and_then(|k| i64::try_from(k).ok()).unwrap_or(1);
        least.checked_add((common - least.rem_euclid(common)) % common).unwrap_or(least)
    }

    fn hold_at(&self, sample: &Sample) -> bool {
        let not_negative = |size: &Size| sample.eval(size).is_some_and(|value| !value.is_negative());
        let within = |(var, bounds): (&Var, &Arc<Vec<Size>>), side: Ordering| {
            let Some(value) = Ratio::integer(i128::from(sample.value(var))) else { return false };
            let beyond = |bound: Ratio| bound.cmp(&value) == side;
            bounds.iter().all(|bound| sample.eval(bound).is_some_and(|bound| !beyond(bound)))
        };
        let divides = |(k, n): &(Size, Size)| sample.divides(k, n);
        sample.iter().all(|(var, value)| value >= 0 || !var.is_natural())
            && self.nonneg.iter().all(not_negative)
            && self.lower.iter().all(|range| within(range, Ordering::Greater))
            && self.upper.iter().all(|range| within(range, Ordering::Less))
            && self.divides.iter().all(divides)
            && self.rewrites.iter().all(|rewrite| {
                let left = sample.eval(&rewrite.left());
                left.is_some() && left == sample.eval(rewrite.right())
            })
    }
}

/// Makes the size larger by at least `missing`; returns whether a variable could do so.
fn raise(sample: &mut Sample, size: &Size, missing: i64) -> bool {
    let Some((var, by)) = raised_by(size) else { return false };
    let value = sample.value(var).saturating_add(missing.div_euclid(by)).saturating_add(1);
    sample.set(var, value)
}

/// A variable whose multiple is a summand, and by how much one more of it makes the size larger; a size name if there
/// is one, as others have narrower ranges.
fn raised_by(size: &Size) -> Option<(&Var, i64)> {
    let multiples = || {
        size.terms().iter().filter_map(|term| match &*term.mono.0 {
            [(Atom::Var(var), 1)] => Some((var, i64::try_from(term.coeff.to_integer()?).ok().filter(|by| *by > 0)?)),
            _ => None,
        })
    };
    let of_name = multiples().find(|(var, _)| var.kind == VarKind::Param);
    of_name.or_else(|| multiples().next())
}

fn integer(sample: &Sample, size: &Size) -> Option<i64> {
    i64::try_from(sample.eval(size)?.to_integer()?).ok()
}

/// Whether the size has a divisor that is not a number: where the size has a value, it is positive.
pub(super) fn has_divisors(size: &Size) -> bool {
    let mut found = BTreeSet::new();
    divisors(size, &mut found);
    found.iter().any(|divisor| divisor.as_const().is_none())
}

/// Collects the divisors in `size`, which are positive wherever it has a value. A conditional's operand needs none if
/// the condition is false, nor does the body of an empty sum.
pub(super) fn divisors(size: &Size, found: &mut BTreeSet<Size>) {
    let is_step = |atom: &Atom| matches!(atom, Atom::Step(_));
    // Of `if(c, a, b)` both `a` and `b` are multiplied with the step of `c` in some term.
    let selected: Vec<Mono> = size
        .terms()
        .iter()
        .filter(|term| term.mono.0.iter().any(|(atom, _)| is_step(atom)))
        .map(|term| term.mono.retain(|atom, _| !is_step(atom)))
        .collect();
    for term in size.terms() {
        let always = !selected.contains(&term.mono.retain(|atom, _| !is_step(atom)));
        for (atom, exponent) in term.mono.0.iter().filter(|(atom, _)| always || is_step(atom)) {
            if *exponent < 0 {
                found.insert(match atom {
                    Atom::Group(group) => group.clone(),
                    _ => Size::atom(atom.clone()),
                });
            }
            match atom {
                Atom::Sum { count, .. } => divisors(count, found),
                _ => atom.operands().for_each(|operand| divisors(operand, found)),
            }
            if let Atom::Floor(_, den) = atom {
                found.insert(den.clone());
            }
        }
    }
}
