//! What one form has cost so far, and whether that was too much.

use super::table::MOST_PARTS;
use crate::size::work;

/// Constraint attempts, expressions and terms of sizes that one form may cost. A form of ordinary size needs a few thousand;
/// the limit keeps a hostile one from holding up the editor.
pub const WORK_LIMIT: u64 = 4_000_000;

/// So many terms of sizes that are added, sorted or divided may be computed with on top of the work, for what is done when it
/// has come to an end.
pub const TERMS_AT_THE_END: u64 = WORK_LIMIT / 4;

/// So many parts of types that are looked at cost as much as one expression.
pub const PARTS_PER_STEP: u64 = MOST_PARTS / WORK_LIMIT;

/// The most conditions on lengths that one form may assume. A definition assumes what those assume that it uses, at each use:
/// of definitions that each use the one before twice, the number doubles.
pub const MOST_ASSUMED: usize = 2000;

/// So many nodes of the sizes in a condition count as one more of them: most conditions have fewer.
pub const NODES_PER_CONDITION: u32 = 16;

/// Once spent, it stays so.
#[derive(Debug, Default)]
pub struct Budget {
    /// Steps, against [`WORK_LIMIT`].
    steps: u64,
    /// Those of them that are for parts of types.
    of_parts: u64,
    /// Conditions on lengths, against [`MOST_ASSUMED`].
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

    /// Counts a step, and what was computed of sizes and types since the last one. Whether it is still enough. `parts`: of
    /// types, looked at in all.
    pub fn step(&mut self, parts: u64) -> bool {
        let of_parts = parts / PARTS_PER_STEP;
        self.spend(1 + work::take() + (of_parts - self.of_parts));
        self.of_parts = of_parts;
        self.steps < WORK_LIMIT && !work::exhausted()
    }

    /// Counts a condition. Whether there may be so many.
    pub fn condition(&mut self, weight: u32) -> bool {
        self.conditions += 1 + (weight / NODES_PER_CONDITION) as usize;
        self.conditions <= MOST_ASSUMED
    }

    /// Nothing more is inferred. Whether that is new.
    pub fn close(&mut self) -> bool {
        !std::mem::replace(&mut self.closed, true)
    }

    pub fn is_closed(&self) -> bool {
        self.closed
    }
}
