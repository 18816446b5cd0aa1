//! What a kernel costs, at the end of the hover of its name.
//!
//! It is counted in the compiled kernel, which takes longer than a hover may hold up an edit: without a snapshot, and
//! once for each meaning of a kernel.

use super::convert::Lines;
use super::snapshot::Snapshot;
use crate::engine;
use crate::report::cost::CostReport;
use lift_analysis::ide::Cancellable;
use lift_codegen::core::Kernel;
use lift_codegen::core::print::meaning;
use lift_codegen::cost::Cost;
use lift_codegen::lower;
use lift_codegen::target::Target;
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tower_lsp_server::gen_lsp_types::{Contents, Hover, Position};

/// Kernels whose costs are kept.
const KEPT: usize = 256;

/// What is known of the costs of kernels, by their meaning, the names of their sizes and the class of devices.
#[derive(Debug, Clone, Default)]
pub struct Costs(Arc<Mutex<FxHashMap<Key, Option<Arc<str>>>>>);

type Key = (u64, Vec<Arc<str>>, String);

/// A kernel whose cost is asked for.
pub struct Question {
    kernel: Arc<Kernel>,
    target: Target,
}

/// The kernel whose name stands at a place, if it compiles so far.
pub fn question(snap: &Snapshot, path: &Arc<str>, lines: &Lines, position: Position) -> Cancellable<Option<Question>> {
    let at = lines.offset(position);
    let named = snap.analysis.kernels(path)?.into_iter().find(|k| k.focus.contains_inclusive(at));
    let Some(named) = named else { return Ok(None) };
    let kernel = engine::core(&snap.analysis, path, &named.name)?.ok();
    Ok(kernel.map(|kernel| Question { kernel, target: snap.features.options.target }))
}

impl Costs {
    /// A few lines; nothing for a kernel that is not compiled.
    pub fn answer(&self, question: &Question) -> Option<Arc<str>> {
        let Question { kernel, target } = question;
        let names = kernel.sizes.iter().map(|size| size.name.clone()).collect();
        let key = (meaning(kernel), names, format!("{target:?}"));
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        if let Some(known) = known {
            return known;
        }
        let answer = lower::compile(kernel, target).ok().map(|program| {
            let class = target.class.to_string();
            let report = CostReport::new(&Cost::of(&program), None, &class, &[], &|_| None);
            Arc::from(report.summary())
        });
        let mut costs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if costs.len() >= KEPT {
            costs.clear();
        }
        costs.insert(key, answer.clone());
        answer
    }
}

/// The hover with the lines behind it.
pub fn append(mut hover: Hover, cost: &str) -> Hover {
    if let Contents::MarkupContent(content) = &mut hover.contents {
        content.value = format!("{}\n\n{cost}", content.value.trim_end());
    }
    hover
}
