//! Answers to queries about sizes.

use lift_analysis::size::Size;
use rustc_hash::FxHashMap;

#[derive(Debug, Clone, Default)]
pub struct Memo {
    pub(super) simplified: FxHashMap<Size, Size>,
    /// Names of clamped indices.
    pub(super) clamped: FxHashMap<Size, Size>,
    /// The same, by the unclamped index and the length, before simplification.
    pub(super) indices: FxHashMap<(Size, Size), Size>,
}

impl Memo {
    pub fn learn(&mut self, found: Memo) {
        self.simplified = found.simplified;
    }
}
