//! The cost of a kernel, and what tuning gained, at the end of the hover of its name.

use super::compiled::{Compiler, Question};
use super::convert::Lines;
use super::snapshot::Snapshot;
use super::tuning;
use crate::engine;
use lift_analysis::ide::Cancellable;
use lift_syntax::TextRange;
use std::sync::Arc;
use std::time::Duration;
use tower_lsp_server::gen_lsp_types::{Contents, Hover, Position};

/// How long a hover waits for the compiler. Most kernels take 2 ms; if hints are shown, they are compiled already.
const PATIENCE: Duration = Duration::from_millis(4);

/// A kernel whose hover needs its cost.
pub struct Asked {
    compiler: Compiler,
    question: Question,
    /// The gain by tuning, as text.
    tuned: Option<String>,
}

/// Returns the kernel whose name is at a position, if it has no errors.
pub fn asked(snap: &Snapshot, path: &Arc<str>, lines: &Lines, position: Position) -> Cancellable<Option<Asked>> {
    let at = lines.offset(position);
    let near = snap.analysis.kernels_in(path, TextRange::empty(at))?;
    let Some(named) = near.into_iter().find(|kernel| kernel.focus.contains_inclusive(at)) else { return Ok(None) };
    let kernel = engine::core(&snap.analysis, path, &named.name)?.ok();
    let target = snap.features.options.target;
    let kept = tuning::kept(&snap.analysis, path, &named.name)?;
    Ok(kernel.map(|kernel| Asked {
        compiler: snap.compiler.clone(),
        tuned: kept.and_then(|kept| tuning::gained(&kept)),
        question: Question { about: (path.clone(), named.name), kernel, target },
    }))
}

impl Asked {
    /// Returns a summary of the cost, for a kernel that can be compiled, and what tuning gained.
    pub fn answer(&self) -> Option<String> {
        let patience = if self.compiler.holds_back() { Duration::ZERO } else { PATIENCE };
        let cost = match self.compiler.wait(&self.question, patience) {
            Some(told) => told.cost.clone(),
            None => Some("Cost: being computed.".to_owned()),
        };
        let told: Vec<String> = cost.into_iter().chain(self.tuned.clone()).collect();
        (!told.is_empty()).then(|| told.join("\n\n"))
    }
}

/// Appends the cost to a hover.
pub fn append(mut hover: Hover, cost: &str) -> Hover {
    if let Contents::MarkupContent(content) = &mut hover.contents {
        content.value = format!("{}\n\n{cost}", content.value.trim_end());
    }
    hover
}
