//! Values that a function under construction has computed already.

use crate::core::VarId;
use crate::lower::stream::shared::rounds::SharedRounds;
use crate::lower::tile::rounds::held::Held;
use crate::lower::value::{Deferred, Place, Value};
use crate::opencl::Expr;
use lift_analysis::size::Size;
use rustc_hash::{FxHashMap, FxHashSet};

/// Where the code finds values instead of computing them again. Invariant: what `deferred` and `loaded` name is declared
/// in the prologue, so it holds everywhere; the rest holds in the code of one element or one loop.
pub struct Values<'k> {
    deferred: FxHashMap<*const Deferred<'k>, Value<'k>>,
    /// Host-level scalars loaded so far.
    loaded: Vec<(Place, Value<'k>)>,
    /// Variables whose value has been stored in the requested address space.
    in_space: FxHashSet<VarId>,
    /// The current element of the work-item's row: its index in the row and in the registers.
    at_hand: Option<(Size, Expr)>,
    /// Elements of a group's arrays that are kept in registers.
    held: Option<Held>,
    /// Folds with iterations that several elements share.
    rounds: Option<SharedRounds<'k>>,
}

impl<'k> Values<'k> {
    pub(super) fn new() -> Self {
        Values {
            deferred: FxHashMap::default(),
            loaded: Vec::new(),
            in_space: FxHashSet::default(),
            at_hand: None,
            held: None,
            rounds: None,
        }
    }

    pub fn deferred(&self, key: *const Deferred<'k>) -> Option<Value<'k>> {
        self.deferred.get(&key).cloned()
    }
    pub fn set_deferred(&mut self, key: *const Deferred<'k>, value: Value<'k>) {
        self.deferred.insert(key, value);
    }
    pub fn loaded(&self, from: &Place) -> Option<Value<'k>> {
        self.loaded.iter().find(|(place, _)| place == from).map(|(_, value)| value.clone())
    }
    pub fn set_loaded(&mut self, from: Place, value: Value<'k>) {
        self.loaded.push((from, value));
    }
    pub fn is_in_space(&self, var: VarId) -> bool {
        self.in_space.contains(&var)
    }
    pub fn set_in_space(&mut self, var: VarId) {
        self.in_space.insert(var);
    }
    pub fn at_hand(&self) -> Option<(Size, Expr)> {
        self.at_hand.clone()
    }
    /// Sets the current element of the row; returns the previous one.
    pub fn take_in_hand(&mut self, element: Option<(Size, Expr)>) -> Option<(Size, Expr)> {
        std::mem::replace(&mut self.at_hand, element)
    }
    pub fn held(&self) -> Option<&Held> {
        self.held.as_ref()
    }
    pub fn held_mut(&mut self) -> Option<&mut Held> {
        self.held.as_mut()
    }
    /// Sets the elements in registers; returns the previous ones.
    pub fn hold(&mut self, held: Option<Held>) -> Option<Held> {
        std::mem::replace(&mut self.held, held)
    }
    pub fn rounds(&self) -> Option<&SharedRounds<'k>> {
        self.rounds.as_ref()
    }
    pub fn rounds_mut(&mut self) -> Option<&mut SharedRounds<'k>> {
        self.rounds.as_mut()
    }
    /// Sets the folds with shared iterations; returns the previous ones.
    pub fn share(&mut self, rounds: Option<SharedRounds<'k>>) -> Option<SharedRounds<'k>> {
        std::mem::replace(&mut self.rounds, rounds)
    }
}
