//! The last hints of each kernel.

use crate::lsp::compiled::KernelName;
use lift_analysis::ide::{Anchor, HintKind};
use lift_analysis::prims::Level;
use lift_codegen::failure;
use lift_codegen::report::Kind;
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Capacity of the cache of marks, in kernels.
const MOST_SHOWN: usize = 256;

/// The content of a hint.
#[derive(Debug, Clone, PartialEq)]
pub enum What {
    Placed(Level),
    Stored(Kind, String),
    /// A few words, and why the expression is far slower than the device allows.
    Slow(String, String),
    /// Why a run would stop.
    LeftIn(failure::Kind, String),
}

impl What {
    pub(super) fn kind(&self) -> HintKind {
        match self {
            What::Placed(_) => HintKind::Placement,
            What::Slow(..) => HintKind::Slow,
            What::Stored(..) => HintKind::Memory,
            What::LeftIn(..) => HintKind::RuntimeCheck,
        }
    }
}

pub type Mark = (Anchor, What);

/// The last marks of each kernel. They move with the text and stay until the current kernel is compiled, to avoid
/// flicker.
#[derive(Debug, Clone, Default)]
pub struct Shown(Arc<Mutex<FxHashMap<KernelName, Arc<[Mark]>>>>);

impl Shown {
    pub(super) fn last(&self, kernel: &KernelName) -> Arc<[Mark]> {
        let shown = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        shown.get(kernel).cloned().unwrap_or_default()
    }

    pub(super) fn set(&self, kernel: KernelName, marks: Arc<[Mark]>) {
        let mut shown = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if shown.len() >= MOST_SHOWN {
            shown.clear();
        }
        shown.insert(kernel, marks);
    }
}
