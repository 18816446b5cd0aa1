//! Folds whose iterations are split into shared ones and those of each element, as the current code knows them.

use crate::core::VarId;
use crate::lower::value::Value;
use rustc_hash::FxHashMap;

/// Folds whose iterations are split into shared ones and those of each element.
#[derive(Debug, Clone)]
pub struct SharedRounds<'k> {
    /// The number of iterations of each fold.
    pub(super) folds: FxHashMap<VarId, i64>,
    /// The number of first iterations that differ between the elements.
    pub own: i64,
    /// The results of the shared iterations.
    pub(super) found: FxHashMap<VarId, Value<'k>>,
    /// Whether the shared iterations are being written.
    pub(super) first: bool,
    /// The scope depth of the element function; nothing is shared inside its branches and loops.
    pub(super) depth: usize,
}
