//! Times of runs, shown at the ends of the lines that caused them.
//!
//! A measurement is stored with the fingerprint of its kernel. When the kernel's meaning changes, its times are shown
//! as stale until it runs again.
//!
//! [`measurement`]: the measurements of runs.

pub mod measurement;

use self::measurement::Measured;
use super::convert::Lines;
use super::snapshot::Snapshot;
use super::times::time;
use crate::engine;
use lift_analysis::ide::Cancellable;
use lift_codegen::core::print::meaning;
use lift_codegen::run::report::ProfileEntry;
use lift_syntax::TextRange;
use std::collections::BTreeMap;
use std::sync::Arc;
use tower_lsp_server::gen_lsp_types::*;

/// Returns the hints of a range of a file.
pub fn hints(snap: &Snapshot, path: &Arc<str>, lines: &Lines, range: TextRange) -> Cancellable<Vec<InlayHint>> {
    let mut out = Vec::new();
    for ((program, kernel), measured) in &*snap.measured {
        let mut by_line: BTreeMap<u32, Vec<&ProfileEntry>> = BTreeMap::new();
        for entry in &measured.entries {
            let Some(origin) = &entry.origin else { continue };
            let Some(at) = snap.analysis.resolve_origin(&origin.to_origin())? else { continue };
            if at.path == *path && range.contains_inclusive(at.range.start()) {
                by_line.entry(lines.position(at.range.start()).line).or_default().push(entry);
            }
        }
        if by_line.is_empty() {
            continue;
        }
        // A kernel with errors counts as changed.
        let now =
            engine::core(&snap.analysis, program, kernel)?.ok().map(|kernel| format!("{:016x}", meaning(&kernel)));
        let stale = now.as_ref() != Some(&measured.meaning);
        out.extend(by_line.into_iter().map(|(line, entries)| hint(lines, line, measured, &entries, stale)));
    }
    // Several kernels may share a definition.
    out.sort_by_key(|hint| (hint.position.line, hint.position.character));
    Ok(out)
}

fn hint(lines: &Lines, line: u32, measured: &Measured, entries: &[&ProfileEntry], stale: bool) -> InlayHint {
    let total: f64 = entries.iter().map(|e| e.microseconds).sum();
    let label = if stale { format!("was {}", time(total)) } else { time(total) };
    let several = measured.runs > 1;
    let mut tooltip: String = entries.iter().map(|e| format!("{}\n", described(e, several))).collect();
    let runs = if several { format!("median of {} runs (least – greatest), ", measured.runs) } else { String::new() };
    tooltip.push_str(&format!("{runs}{}.", measured.circumstances()));
    if stale {
        tooltip.push_str("\nThe kernel has changed since: run it again.");
    }
    let end = lines.index.line(line);
    let text = lines.text[std::ops::Range::<usize>::from(end)].trim_end_matches(['\r', '\n']);
    let position = lines.position(end.start() + lift_syntax::TextSize::of(text));
    InlayHint {
        position,
        label: Label::String(label),
        kind: None,
        text_edits: None,
        tooltip: Some(Tooltip::String(tooltip)),
        padding_left: Some(true),
        padding_right: None,
        data: None,
    }
}

/// Formats an entry, as in `filter: count 12.5 µs (11.0 µs – 19.2 µs), 3 launches`.
fn described(entry: &ProfileEntry, several: bool) -> String {
    let [least, greatest] = entry.spread;
    let spread = if several { format!(" ({} – {})", time(least), time(greatest)) } else { String::new() };
    let launches = if entry.launches > 1 { format!(", {} launches", entry.launches) } else { String::new() };
    format!("{}: {}{spread}{launches}", entry.name, time(entry.microseconds))
}
