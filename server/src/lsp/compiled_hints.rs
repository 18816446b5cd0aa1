//! Hints from the compiler: where an unplaced primitive runs, which results are stored, which checks remain. Only
//! kernels near the visible lines are compiled.
//!
//! [`shown`]: the last hints of each kernel.

pub mod shown;

use self::shown::{Mark, What};
use super::compiled::{LeftIn, Question, Told};
use super::features::Options;
use super::snapshot::Snapshot;
use crate::engine;
use lift_analysis::ide::{Cancellable, FileRange, HintKind, HintPart, InlayHint};
use lift_analysis::prims::{Level, Primitive, PrimitiveId};
use lift_codegen::failure;
use lift_codegen::report::{Kind, Stored};
use lift_syntax::{TextRange, TextSize};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

/// Maximal number of kernels per request: the visible ones, then the nearest.
const MOST_KERNELS: usize = 12;
/// Returns the hints of a range of a file.
pub fn hints(snap: &Snapshot, path: &Arc<str>, range: TextRange) -> Cancellable<Vec<InlayHint>> {
    let shows = |kind| snap.features.options.shows(kind);
    if ![HintKind::Placement, HintKind::Memory, HintKind::RuntimeCheck, HintKind::Slow].into_iter().any(shows) {
        return Ok(Vec::new());
    }
    let mut places: BTreeMap<TextSize, Vec<(What, TextRange)>> = BTreeMap::new();
    let end = Instant::now() + snap.features.options.hint_patience;
    for kernel in snap.analysis.kernels_near(path, range, MOST_KERNELS)? {
        for (anchor, what) in marks_of(snap, path, kernel.name, end)?.iter() {
            if shows(what.kind())
                && let Some(at) = snap.analysis.anchored(anchor)?
                && range.contains_inclusive(at.end())
            {
                insert(places.entry(at.end()).or_default(), (what.clone(), at));
            }
        }
    }
    let mut out = Vec::new();
    for (offset, here) in places {
        let (mut placed, mut stored, mut slow) = (Vec::new(), Vec::new(), Vec::new());
        for (what, part) in &here {
            match what {
                What::Placed(level) => placed.push(*level),
                What::Slow(label, why) => slow.push((&**label, &**why)),
                What::Stored(kind, bytes) => stored.push((*kind, &**bytes)),
                What::LeftIn(kind, message) => {
                    let part = FileRange { path: path.clone(), range: *part };
                    out.extend(left_in(offset, *kind, message, part));
                }
            }
        }
        if !slow.is_empty() {
            out.push(slow_here(offset, &slow));
        }
        if !placed.is_empty() {
            out.push(placement(offset, &placed));
        }
        if !stored.is_empty() {
            out.push(stored_here(snap, path, offset, &stored)?);
        }
    }
    Ok(out)
}

/// Returns the marks of a kernel; while it has errors or is being compiled, the last ones. If the client cannot be
/// asked to refresh, waits for the current marks until `end`; the other hints wait, too.
fn marks_of(snap: &Snapshot, path: &Arc<str>, kernel: String, end: Instant) -> Cancellable<Arc<[Mark]>> {
    let about = (path.clone(), kernel);
    let Options { target, .. } = snap.features.options;
    let Ok(kernel) = engine::core(&snap.analysis, path, &about.1)? else { return Ok(snap.compiled.last(&about)) };
    let question = Question { about: about.clone(), kernel, target };
    let told = match snap.compiler.ask(&question) {
        None if !snap.features.refresh_hints => {
            snap.compiler.wait_until(&question, end, || snap.analysis.text(path).map(drop))?
        }
        told => told,
    };
    let Some(told) = told else { return Ok(snap.compiled.last(&about)) };
    let marks: Arc<[Mark]> = marks(snap, path, &told)?.into();
    snap.compiled.set(about, marks.clone());
    Ok(marks)
}

fn marks(snap: &Snapshot, path: &Arc<str>, told: &Told) -> Cancellable<Vec<Mark>> {
    let mut marks: Vec<Mark> = Vec::new();
    let mut mark = |part: FileRange, what: What| {
        if part.path == *path
            && let Some(anchor) = snap.analysis.anchor(path, part.range)?
        {
            insert(&mut marks, (anchor, what));
        }
        Ok(())
    };
    for (id, level, origin) in &told.placed {
        if let Some((at, written)) = snap.analysis.called_at(origin)?
            && is_left_open(written, *id)
        {
            mark(at, What::Placed(*level))?;
        }
    }
    for Stored { memory, bytes, origin, .. } in told.stored.iter().filter(|stored| stored.memory != Kind::Private) {
        if let Some(at) = snap.analysis.resolve_origin(origin)? {
            // Anchor at the end: edits inside the expression do not move it.
            let end = FileRange { range: TextRange::empty(at.range.end()), ..at };
            mark(end, What::Stored(*memory, bytes.to_string()))?;
        }
    }
    for part in &told.slow {
        for origin in &part.origins {
            if let Some(at) = snap.analysis.resolve_origin(origin)?
                && at.path == *path
            {
                mark(at, What::Slow(part.label.clone(), part.told()))?;
                break;
            }
        }
    }
    for LeftIn { kind, message, origin } in &told.left_in {
        if let Some(at) = snap.analysis.resolve_origin(origin)? {
            mark(at, What::LeftIn(*kind, message.clone()))?;
        }
    }
    Ok(marks)
}

/// A hint as `checks the index` where the check was not eliminated. `None` for casts and conditions on lengths, which
/// analysis reports.
fn left_in(offset: TextSize, kind: failure::Kind, message: &str, part: FileRange) -> Option<InlayHint> {
    let label = match kind {
        failure::Kind::Index => "checks the index",
        failure::Kind::DivisionByZero => "checks the divisor",
        failure::Kind::Argument => "checks the argument",
        failure::Kind::Cast | failure::Kind::Assumption => return None,
    };
    let message = failure::without_numbers(message);
    Some(InlayHint {
        offset,
        kind: HintKind::RuntimeCheck,
        parts: vec![HintPart { text: label.to_owned(), target: Some(part) }],
        padding_left: true,
        padding_right: false,
        tooltip: format!("Not proved to succeed: where it fails, the run stops with \u{201c}{message}\u{201d}"),
    })
}

/// A hint such as `by one work-item`, where the device could be far faster.
fn slow_here(offset: TextSize, slow: &[(&str, &str)]) -> InlayHint {
    let (labels, reasons): (Vec<&str>, Vec<&str>) = slow.iter().copied().unzip();
    InlayHint {
        offset,
        kind: HintKind::Slow,
        parts: vec![HintPart { text: labels.join(", "), target: None }],
        padding_left: true,
        padding_right: false,
        tooltip: format!("A GPU could be far faster here: {}", reasons.join("; ")),
    }
}

fn insert<T: PartialEq>(list: &mut Vec<T>, new: T) {
    if !list.contains(&new) {
        list.push(new);
    }
}

/// Whether the program writes this operation without a level.
fn is_left_open(written: &Primitive, placed: PrimitiveId) -> bool {
    written.id == placed && written.level.is_none()
}

fn placement(offset: TextSize, levels: &[Level]) -> InlayHint {
    let place = |level: &Level| match level {
        Level::Glb(d) => format!("on global work-items of dimension {d}"),
        Level::Wrg(d) => format!("on work-groups of dimension {d}"),
        Level::Lcl(d) => format!("on work-items of a group, dimension {d}"),
        Level::Seq => "one element after the other".to_owned(),
    };
    let label = levels.iter().map(Level::to_string).collect::<Vec<_>>().join("/");
    let places: Vec<String> = levels.iter().map(place).collect();
    InlayHint {
        offset,
        kind: HintKind::Placement,
        parts: vec![HintPart { text: label, target: None }],
        padding_left: false,
        padding_right: false,
        tooltip: format!("The program does not place this; the compiler runs it {}", places.join(" or ")),
    }
}

/// One hint for all results stored at `offset`.
fn stored_here(snap: &Snapshot, path: &str, offset: TextSize, stored: &[(Kind, &str)]) -> Cancellable<InlayHint> {
    let one = |(memory, bytes): &(Kind, &str)| format!("{} {bytes} bytes", memory.name());
    let label = stored.iter().map(one).collect::<Vec<_>>().join(", ");
    let sentence = |(memory, bytes): &(Kind, &str)| match memory {
        Kind::Local => format!("in local memory, {bytes} bytes of each group"),
        Kind::GlobalParts => format!("in global memory, {bytes} bytes of each group or work-item at once"),
        _ => format!("in global memory, {bytes} bytes"),
    };
    let sentences: Vec<String> = stored.iter().map(sentence).collect();
    Ok(InlayHint {
        offset,
        kind: HintKind::Memory,
        parts: snap.analysis.linked(path, offset, &label)?,
        padding_left: true,
        padding_right: false,
        tooltip: format!("The result is stored {}", sentences.join(", and ")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use lift_analysis::prims;

    #[test]
    fn only_what_the_program_leaves_open_is_placed() {
        let is_left_open = |name, id| prims::lookup(name).is_some_and(|written| is_left_open(written, id));
        assert!(is_left_open("map", PrimitiveId::Map));
        assert!(!is_left_open("mapGlb", PrimitiveId::Map));
        assert!(!is_left_open("mapSeq", PrimitiveId::Map));
        assert!(!is_left_open("map", PrimitiveId::Filter));
    }
}
