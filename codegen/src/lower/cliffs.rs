//! Collects parallel operators that one work-item runs, and reports those that no version of the function shares.

use crate::report::Cliff;
use lift_analysis::origin::Origin;

/// The operators recorded during lowering.
#[derive(Debug, Default)]
pub struct Cliffs {
    pub alone: Vec<Cliff>,
    /// Operators that all work-items of a group share.
    pub shared: Vec<Origin>,
}

impl Cliffs {
    /// The operators that no version shares, each once.
    pub fn told(self) -> Vec<Cliff> {
        let mut told: Vec<Cliff> = Vec::new();
        for cliff in self.alone.into_iter().filter(|c| !self.shared.contains(&c.origin)) {
            if told.iter().all(|t| t.origin != cliff.origin || t.operator != cliff.operator) {
                told.push(cliff);
            }
        }
        told
    }
}
