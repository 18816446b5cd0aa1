//! Answers to queries about sizes.

use lift_analysis::size::Size;
use rustc_hash::FxHashMap;

#[derive(Debug, Clone, Default)]
pub struct Memo {
    simplified: FxHashMap<Size, Size>,
    /// Names of clamped indices.
    pub(super) clamped: FxHashMap<Size, Size>,
    /// Names of clamped indices by the unclamped index and the length, before simplification.
    pub(super) indices: FxHashMap<(Size, Size), Size>,
}

impl Memo {
    pub fn simplified(&self, size: &Size) -> Option<&Size> {
        self.simplified.get(size)
    }
    pub fn learn_simplified(&mut self, size: &Size, simple: &Size) {
        self.simplified.insert(size.clone(), simple.clone());
        self.simplified.insert(simple.clone(), simple.clone());
    }
    /// Takes over what stays valid outside of the scope where it was found: names do not.
    pub fn learn(&mut self, found: Memo) {
        self.simplified = found.simplified;
    }
}
