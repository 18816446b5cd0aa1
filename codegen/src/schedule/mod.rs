//! Schedule: core, made ready for code generation by named rewrite rules.
//!
//! [`rules`] is the table of rules. [`rewrite`] applies those that change core; [`place`] decides where unplaced primitives run; [`fuse`] decides which arrays are never stored; [`bounds`] finds how
//! long arrays of hidden length can get. Each decision that a person may want to know is recorded as [`Applied`].

pub mod bounds;
mod demote;
pub mod fuse;
pub mod place;
mod rewrite;
pub mod rules;
pub mod uses;

use crate::core::{Kernel, Level, Space, VarId};
use crate::target::Target;
use bounds::Bounds;
use lift_analysis::origin::Origin;
use rustc_hash::{FxHashMap, FxHashSet};
use uses::Uses;

/// A rule that was applied, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applied {
    pub rule: &'static rules::Rule,
    pub origin: Origin,
}

#[derive(Debug)]
pub struct Schedule {
    /// What it is made for.
    pub target: Target,
    /// The kernel after all rewriting, every primitive placed.
    pub kernel: Kernel,
    /// Results of `map` and `generate` that are computed where they are read, not stored.
    pub lazy: FxHashSet<VarId>,
    /// Where a value was asked to be stored, by `toLocal` and the like.
    pub spaces: FxHashMap<VarId, Space>,
    pub bounds: Bounds,
    /// Nothing runs in parallel: the whole program is one kernel of one work-item.
    pub sequential: bool,
    pub applied: Vec<Applied>,
    uses: FxHashMap<VarId, Uses>,
}

impl Schedule {
    pub fn new(kernel: &Kernel, target: &Target) -> Schedule {
        let mut applied = Vec::new();
        let kernel = rewrite::rewrite(kernel, &mut applied);
        let kernel = place::place(&kernel, &mut applied);
        let uses = uses::count(&kernel);
        let sequential = !place::block_levels(&kernel.body).iter().any(|l| is_parallel(*l));
        let fused = fuse::fuse(&kernel, &uses, sequential, &mut applied);
        let bounds = Bounds::of(&kernel);
        Schedule { target: *target, kernel, lazy: fused.lazy, spaces: fused.spaces, bounds, sequential, applied, uses }
    }

    pub fn uses(&self, v: VarId) -> Uses {
        self.uses.get(&v).copied().unwrap_or_default()
    }
}

pub fn is_parallel(level: Level) -> bool {
    matches!(level, Level::Glb(_) | Level::Wrg(_) | Level::Lcl(_))
}
