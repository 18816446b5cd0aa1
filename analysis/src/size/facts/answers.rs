//! Cache of answers: straight-line code asks the same about each of its elements.

use crate::size::var::{Marks, Var};
use crate::size::{Size, work};
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Maximum number of cached answers of each kind.
const MOST: usize = 4096;

/// Answers under one set of facts, shared by copies of the facts until one gains a fact. The range of a new variable
/// tells nothing of sizes without it, so answers about them remain.
#[derive(Clone, Debug, Default)]
pub(super) struct Answers(Arc<Layers>);

#[derive(Clone, Debug, Default)]
struct Layers {
    /// Answers about sizes without a variable of `born`.
    first: Arc<Mutex<Found>>,
    /// Answers about sizes whose newest variable is that of the layer.
    others: Vec<Arc<Mutex<Found>>>,
    /// The layer of each variable whose range is newer than the answers of `first`.
    born: FxHashMap<Var, usize>,
    /// The marks of these variables.
    marks: Marks,
}

#[derive(Debug, Default)]
struct Found {
    simplified: FxHashMap<Size, Size>,
    constants: FxHashMap<Size, Constants>,
    nonneg: FxHashMap<Size, Answer>,
    bounds: FxHashMap<Bounded, (Option<Size>, u32)>,
}

/// A question for one bound of a size.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Bounded {
    pub size: Size,
    pub side: Side,
    pub goal: Goal,
    /// The levels of atoms that may be replaced.
    pub depth: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Side {
    Lower,
    Upper,
}

/// The variables that may occur in a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Goal {
    /// Size names of the program; indices, array index variables and opened lengths are replaced.
    Symbolic,
    /// None: all variables are replaced.
    Constant,
}

/// The lower and upper bound of a size as constants.
pub(super) type Constants = (Option<i64>, Option<i64>);

/// Whether a size was proved non-negative, and the fuel that it took. A cached answer uses the same fuel, so that no
/// answer depends on earlier queries.
#[derive(Clone, Copy, Debug)]
pub(super) struct Answer {
    pub proved: bool,
    pub steps: u32,
}

impl Answers {
    /// The answers after a new variable has got its range.
    pub fn with_range_of(&mut self, var: &Var) {
        let layers = Arc::make_mut(&mut self.0);
        layers.born.insert(var.clone(), layers.others.len());
        layers.marks = layers.marks.and(Marks::of(var));
        layers.others.push(Arc::default());
    }

    /// The simplest form of a size; calls `simplify` if it is not cached.
    pub fn simplified(&self, size: &Size, simplify: impl FnOnce() -> Size) -> Size {
        self.cached(size, |found| &mut found.simplified, simplify)
    }

    /// The constant bounds of a size; calls `bounds` if they are not cached.
    pub fn constants(&self, size: &Size, bounds: impl FnOnce() -> Constants) -> Constants {
        self.cached(size, |found| &mut found.constants, bounds)
    }

    fn cached<T: Clone>(
        &self,
        size: &Size,
        of: impl Fn(&mut Found) -> &mut FxHashMap<Size, T>,
        ask: impl FnOnce() -> T,
    ) -> T {
        if let Some(known) = self.with(size, |found| of(found).get(size).cloned()) {
            return known;
        }
        let answer = ask();
        self.with(size, |found| {
            let answers = of(found);
            if answers.len() < MOST && !work::exhausted() {
                answers.insert(size.clone(), answer.clone());
            }
        });
        answer
    }

    pub fn nonneg(&self, size: &Size) -> Option<Answer> {
        self.with(size, |found| found.nonneg.get(size).copied())
    }

    pub fn keep_nonneg(&self, size: &Size, answer: Answer) {
        self.with(size, |found| {
            // With budget left, a proof might have been found.
            if found.nonneg.len() < MOST && !work::exhausted() {
                found.nonneg.insert(size.clone(), answer);
            }
        });
    }

    /// A bound that was found, or that there is none; and the fuel that this took.
    pub fn bound(&self, asked: &Bounded) -> Option<(Option<Size>, u32)> {
        self.with(&asked.size, |found| found.bounds.get(asked).cloned())
    }

    pub fn keep_bound(&self, asked: Bounded, answer: (Option<Size>, u32)) {
        self.with(&asked.size.clone(), |found| {
            if found.bounds.len() < MOST && !work::exhausted() {
                found.bounds.insert(asked, answer);
            }
        });
    }

    fn with<R>(&self, size: &Size, act: impl FnOnce(&mut Found) -> R) -> R {
        act(&mut self.0.of(size).lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Layers {
    /// The answers that need no newer variable than those of the size.
    fn of(&self, size: &Size) -> &Mutex<Found> {
        let mut newest = None;
        if size.may_contain(self.marks) {
            size.any_var(&mut |var| {
                newest = newest.max(self.born.get(var));
                false
            });
        }
        newest.and_then(|layer| self.others.get(*layer)).unwrap_or(&self.first)
    }
}
