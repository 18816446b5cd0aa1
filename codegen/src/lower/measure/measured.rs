//! The lengths that are measured, and those that should be.

use crate::core::VarId;
use crate::schedule::Schedule;
use lift_analysis::size::Var;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

/// The lengths that are measured, and those that should be.
#[derive(Default)]
pub struct Measured {
    /// Lengths, by the variable of their statement, that capacities of memory require.
    pub(super) wanted: RefCell<BTreeSet<VarId>>,
    /// Whether the program is lowered for the lengths alone that its host level requires.
    pub(super) only_host: Cell<bool>,
    /// The size variables of lengths, with their statements.
    pub(super) sizes: FxHashMap<Var, VarId>,
    /// The lengths of the states of loops that may grow, which the host always reads.
    pub(super) states: FxHashSet<Var>,
    /// The `states` of loops that have been lowered.
    pub(super) seen: FxHashSet<Var>,
    /// The `states` that the host knows at the current point.
    pub(super) ready: FxHashSet<Var>,
}

impl Measured {
    pub fn new(schedule: &Schedule, only_host: bool) -> Measured {
        let all = schedule.bounds.lengths().chain(schedule.finest.lengths());
        let sizes = all.map(|(stmt, var)| (var.clone(), stmt)).collect();
        let states = schedule.bounds.states().cloned().collect();
        Measured { sizes, states, only_host: Cell::new(only_host), ..Measured::default() }
    }
    /// Whether the variable of a loop's state has no value yet.
    pub fn is_first(&mut self, state: &Var) -> bool {
        self.states.insert(state.clone());
        self.seen.insert(state.clone())
    }
    /// From here on the host knows the length of a loop's state.
    pub fn is_read(&mut self, state: &Var) {
        self.ready.insert(state.clone());
    }
    pub fn wanted(self) -> BTreeSet<VarId> {
        self.wanted.into_inner()
    }
}
