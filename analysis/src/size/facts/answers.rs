//! What has been asked already: straight code asks the same of each of its elements.

use crate::size::{Size, work};
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// No more answers are kept than this.
const MOST: usize = 4096;

/// Answers under the same facts. Copies of facts share them, until one of them learns more.
#[derive(Clone, Debug, Default)]
pub(super) struct Answers(Arc<Mutex<Found>>);

#[derive(Debug, Default)]
struct Found {
    simplified: FxHashMap<Size, Size>,
    nonneg: FxHashMap<Size, Answer>,
}

/// Whether a size was proved not to be negative, and the steps that this took of its question: as many are taken for the
/// answer, so that no answer depends on what was asked before.
#[derive(Clone, Copy, Debug)]
pub(super) struct Answer {
    pub proved: bool,
    pub steps: u32,
}

impl Answers {
    /// The simplest form of a size, found by `simplify` if it is asked for the first time.
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
            // With more time, there might have been a proof.
            if found.nonneg.len() < MOST && !work::exhausted() {
                found.nonneg.insert(size.clone(), answer);
            }
        });
    }

    fn with<R>(&self, act: impl FnOnce(&mut Found) -> R) -> R {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
