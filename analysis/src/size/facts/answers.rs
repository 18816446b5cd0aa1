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
    nonneg: FxHashMap<Size, Answer>,
}

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
        if let Some(known) = self.with(|found| found.simplified.get(size).cloned()) {
            return known;
        }
        let simple = simplify();
        self.with(|found| {
            if found.simplified.len() < MOST && !work::exhausted() {
                found.simplified.insert(size.clone(), simple.clone());
            }
        });
        simple
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
