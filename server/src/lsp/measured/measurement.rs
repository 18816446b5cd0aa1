//! The measurements of runs.

use lift_codegen::run::report::{ProfileEntry, RunReport};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The last measured run of each kernel, by program and kernel.
pub type Measurements = FxHashMap<(Arc<str>, String), Arc<Measured>>;

/// The measurements of a run.
#[derive(Debug)]
pub struct Measured {
    /// The fingerprint of the kernel.
    pub(super) meaning: String,
    pub(super) device: String,
    pub(super) sizes: BTreeMap<String, i64>,
    pub(super) inputs: Vec<String>,
    pub(super) runs: u32,
    pub(super) entries: Vec<ProfileEntry>,
}

impl Measured {
    /// Returns the measurements of a report; `None` without a profile, as from the interpreter.
    pub fn of(report: &RunReport, inputs: Vec<String>) -> Option<Measured> {
        (!report.profile.is_empty()).then(|| Measured {
            meaning: report.meaning.clone(),
            device: report.device.clone(),
            sizes: report.sizes.clone(),
            inputs,
            runs: report.runs,
            entries: report.profile.clone(),
        })
    }

    pub fn sizes(&self) -> &BTreeMap<String, i64> {
        &self.sizes
    }

    /// Describes sizes or inputs and the device, as in `N = 1024, on opencl:0, …`.
    pub(super) fn circumstances(&self) -> String {
        let sizes = self.sizes.iter().map(|(name, n)| format!("{name} = {n}")).collect::<Vec<_>>().join(", ");
        let on = [sizes, self.inputs.join(", ")].into_iter().find(|s| !s.is_empty()).unwrap_or_default();
        if on.is_empty() { format!("on {}", self.device) } else { format!("{on}, on {}", self.device) }
    }
}
