//! Cache of answers: straight-line code asks the same about each of its elements.

use crate::size::{Size, work};
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Maximum number of cached answers of each kind.
const MOST: usize = 4096;

/// Answers under one set of facts, shared by copies of the facts until one gains a fact.
#[derive(Clone, Debug, Default)]
pub(super) struct Answers(Arc<Mutex<Found>>);

#[derive(Debug, Default)]
struct Found {
    simplified: FxHashMap<Size, Size>,
    constants: FxHashMap<Size, Constants>,
    nonneg: FxHashMap<Size, Answer>,
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
        if let Some(known) = self.with(|found| of(found).get(size).cloned()) {
            return known;
        }
        let answer = ask();
        self.with(|found| {
            let answers = of(found);
            if answers.len() < MOST && !work::exhausted() {
                answers.insert(size.clone(), answer.clone());
            }
        });
        answer
    }

    pub fn nonneg(&self, size: &Size) -> Option<Answer> {
        self.with(|found| found.nonneg.get(size).copied())
    }

    pub fn keep_nonneg(&self, size: &Size, answer: Answer) {
        self.with(|found| {
            // With budget left, a proof might have been found.
            if found.nonneg.len() < MOST && !work::exhausted() {
                found.nonneg.insert(size.clone(), answer);
            }
        });
    }

    fn with<R>(&self, act: impl FnOnce(&mut Found) -> R) -> R {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
