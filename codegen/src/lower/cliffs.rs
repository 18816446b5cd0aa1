//! Parallel operators that one work-item runs: noted where their code is written, and told if no other version of the
//! function has them shared.

use crate::report::Cliff;
use lift_analysis::origin::Origin;

/// What was noted.
#[derive(Debug, Default)]
pub struct Cliffs {
    pub alone: Vec<Cliff>,
    /// What all work-items of a group run together.
    pub shared: Vec<Origin>,
}

impl Cliffs {
    /// What no version shares.
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
