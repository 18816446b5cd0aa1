//! The cost of a form so far, against its limits.

use super::table::MOST_PARTS;
use crate::size::work;

/// Limit on the cost of one form: constraint attempts, expressions and size terms. Ordinary forms cost a few thousand;
/// the limit keeps a hostile one from blocking the editor.
pub const WORK_LIMIT: u64 = 4_000_000;

/// Size terms allowed beyond [`WORK_LIMIT`], for finishing a form whose budget is exhausted. Counts terms that are
/// added, sorted or divided.
pub const TERMS_AT_THE_END: u64 = WORK_LIMIT / 4;

/// Type nodes visited per unit of fuel.
pub const PARTS_PER_STEP: u64 = MOST_PARTS / WORK_LIMIT;

/// Limit on the conditions on lengths that one form may assume. Each use of a definition adds the definition's own
/// conditions, so in a chain of definitions that each use the previous one twice, the number doubles with every
/// definition.
pub const MOST_ASSUMED: usize = 2000;

/// A condition counts once more against [`MOST_ASSUMED`] for each this many size nodes. Most conditions have fewer.
pub const NODES_PER_CONDITION: u32 = 16;

/// The budget of one form. Once closed, it stays closed.
#[derive(Debug, Default)]
pub struct Budget {
    /// Steps used, against [`WORK_LIMIT`].
    steps: u64,
    /// The steps among them that were used for type nodes.
    of_parts: u64,
    /// Conditions assumed, against [`MOST_ASSUMED`].
    conditions: usize,
    closed: bool,
}

impl Budget {
    #[cfg(test)]
    pub fn steps(&self) -> u64 {
        self.steps
    }

    pub fn spend(&mut self, steps: u64) {
        self.steps += steps;
    }

    /// Counts one step, plus the size terms and type nodes since the last call. Returns false when the budget is
    /// exhausted. `parts` is the total number of type nodes visited.
    pub fn step(&mut self, parts: u64) -> bool {
        let of_parts = parts / PARTS_PER_STEP;
        self.spend(1 + work::take() + (of_parts - self.of_parts));
        self.of_parts = of_parts;
        self.steps < WORK_LIMIT && !work::exhausted()
    }

    /// Counts a condition with `weight` size nodes. Returns false when there are too many.
    pub fn condition(&mut self, weight: u32) -> bool {
        self.conditions += 1 + (weight / NODES_PER_CONDITION) as usize;
        self.conditions <= MOST_ASSUMED
    }

    /// Closes the budget, so that nothing more is inferred. Returns whether it was open.
    pub fn close(&mut self) -> bool {
        !std::mem::replace(&mut self.closed, true)
    }

    pub fn is_closed(&self) -> bool {
        self.closed
    }
}
