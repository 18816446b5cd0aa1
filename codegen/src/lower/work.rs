//! How much compiling one kernel may cost.
//!
//! A program of a few lines can ask for code without bound: what is read through views is written out where it is read, so
//! that of `concat` of `concat` of … each doubles it. Counted are the statements and reads that are written, and the terms
//! of the sizes that are computed with for it: numbers that depend on the program alone.

use super::{LowerError, Result};
use lift_analysis::origin::Origin;
use lift_analysis::size::work;

/// Statements and reads that one compilation may write: ten times as many as any of `examples/` needs for any device.
pub const LIMIT: u64 = 150_000;
/// So many terms of sizes cost as much as one of them. Those of all steps are as many as the checker allows a form; a stencil of
/// 15×15 points on a processor (`tests/bench/programs/stencil.lift`) takes a third of them.
pub const TERMS_PER_STEP: u64 = 100;

/// As many terms there may be for each of building, scheduling and lowering a kernel. Behind it arithmetic on sizes gives up,
/// so that each comes to its end soon.
pub const MOST_TERMS: u64 = LIMIT * TERMS_PER_STEP;

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

impl Work {
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
