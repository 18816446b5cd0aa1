//! How much compiling one kernel may cost.
//!
//! A program of a few lines can ask for code without bound: what is read through views is written out where it is read, so
//! that of `concat` of `concat` of … each doubles it. Counted are the statements and reads that are written, and the terms
//! of the sizes that are computed with for it: numbers that depend on the program alone.

use super::{LowerError, Result};
use crate::budget::{LIMIT, TERMS_PER_STEP};
use lift_analysis::origin::Origin;
use lift_analysis::size::work;

pub const TOO_LARGE: &str = "this kernel is too large to be compiled: what is read through views, or used by several \
                             definitions, is written out each time";

/// A statement of the host level, which may become launches.
pub const STATEMENT: u64 = 100;

/// What a compilation has cost so far.
pub struct Work {
    steps: u64,
    /// The terms of this thread before it began.
    begun: u64,
    /// Where it became too much: said once, not of each place behind it.
    ended: Option<Origin>,
}

impl Default for Work {
    fn default() -> Work {
        Work { steps: 0, begun: work::so_far(), ended: None }
    }
}

/// How much had been spent at a time.
#[derive(Debug, Clone, Copy)]
pub struct Mark {
    steps: u64,
    terms: u64,
}

/// What is written again costs this part of what it would: it is thrown away.
const AGAIN: u64 = 4;

impl Work {
    pub fn mark(&self) -> Mark {
        Mark { steps: self.steps, terms: work::so_far() }
    }

    /// What was written since then stands in the text already.
    pub fn repeated_since(&mut self, mark: Mark) {
        let (steps, terms) = (self.steps.saturating_sub(mark.steps), work::so_far().saturating_sub(mark.terms));
        self.steps -= steps - steps / AGAIN;
        self.begun += terms - terms / AGAIN;
    }

    /// So many steps more, for what stands there. Whether it may go on.
    pub fn spend(&mut self, steps: u64, origin: &Origin) -> Result<()> {
        self.steps += steps;
        let terms = work::so_far().saturating_sub(self.begun);
        if self.steps + terms / TERMS_PER_STEP <= LIMIT && !work::exhausted() {
            return Ok(());
        }
        let origin = self.ended.get_or_insert_with(|| origin.clone());
        Err(LowerError::new(origin, "", TOO_LARGE))
    }
}
