//! The budget of one compilation.
//!
//! A program of a few lines can require unbounded code: views are written out wherever they are read, so each level of
//! `concat` of `concat` of … doubles it. The budget counts emitted statements and reads, and the terms of sizes
//! computed meanwhile: numbers that depend on the program alone.

use super::{LowerError, Result};
use crate::budget::{LIMIT, TERMS_PER_STEP};
use lift_analysis::origin::Origin;
use lift_analysis::size::work;

pub const TOO_LARGE: &str = "this kernel is too large to compile: code for views, and for values with several uses, is \
                             repeated each time";

/// Cost of a host-level statement, which may become launches, in steps.
pub const STATEMENT: u64 = 100;

/// The cost of a compilation so far.
pub struct Work {
    steps: u64,
    /// The thread's count of size terms when it began.
    begun: u64,
    /// Where the budget was exhausted, so that it is reported only once.
    ended: Option<Origin>,
}

impl Default for Work {
    fn default() -> Work {
        Work { steps: 0, begun: work::so_far(), ended: None }
    }
}

/// The cost at some point.
#[derive(Debug, Clone, Copy)]
pub struct Mark {
    steps: u64,
    terms: u64,
}

/// Divisor for the cost of code that is discarded because it equals earlier code.
const AGAIN: u64 = 4;

impl Work {
    pub fn mark(&self) -> Mark {
        Mark { steps: self.steps, terms: work::so_far() }
    }

    /// Refunds most of the cost since `mark`: the code written since equals earlier code.
    pub fn repeated_since(&mut self, mark: Mark) {
        let (steps, terms) = (self.steps.saturating_sub(mark.steps), work::so_far().saturating_sub(mark.terms));
        self.steps -= steps - steps / AGAIN;
        let terms = terms - terms / AGAIN;
        self.begun += terms;
        work::give_back(terms);
    }

    /// Charges `steps`; an error at the first origin where the budget was exhausted.
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
