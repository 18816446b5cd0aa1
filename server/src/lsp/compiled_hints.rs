//! What the compiler chose, as hints at the expressions for which it did: where an unplaced primitive runs, and what is
//! stored on the way. Only kernels near the lines that are shown are compiled, each once until it changes.

use super::features::Options;
use super::snapshot::Snapshot;
use crate::engine;
use lift_analysis::ide::{Cancellable, FileRange, HintKind, HintPart, InlayHint};
use lift_analysis::origin::Origin;
use lift_codegen::core::{Kernel, Rhs};
use lift_codegen::lower;
use lift_codegen::report::{Kind, Stored};
use lift_codegen::schedule::Schedule;
use lift_codegen::target::Target;
use lift_syntax::{TextRange, TextSize};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

/// What is to be shown of one kernel.
#[derive(Debug, Default)]
struct Choices {
    /// Primitives with their levels, and where they come from: `mapGlb0`.
    placed: Vec<(String, Origin)>,
    stored: Vec<Stored>,
}

/// The kernels that were compiled last. A kernel that did not change is the same value, so that it is found by its address.
#[derive(Debug, Clone, Default)]
pub struct Cache(Arc<Mutex<VecDeque<Entry>>>);

#[derive(Debug)]
struct Entry {
    kernel: Arc<Kernel>,
    target: Target,
    choices: Arc<Choices>,
}

const MOST_KEPT: usize = 64;
/// Kernels that are compiled for one request: those on the screen, then the nearest.
const MOST_KERNELS: usize = 12;

impl Cache {
    fn of(&self, kernel: &Arc<Kernel>, target: Target) -> Arc<Choices> {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = |entry: &&Entry| Arc::ptr_eq(&entry.kernel, kernel) && entry.target == target;
        if let Some(entry) = lock().iter().find(known) {
            return entry.choices.clone();
        }
        let choices = Arc::new(choices(kernel, &target));
        let mut kept = lock();
        kept.push_back(Entry { kernel: kernel.clone(), target, choices: choices.clone() });
        if kept.len() > MOST_KEPT {
            kept.pop_front();
        }
        choices
    }
}

fn choices(kernel: &Kernel, target: &Target) -> Choices {
    let mut placed = Vec::new();
    Schedule::new(kernel, target).kernel.body.visit(&mut |stmt| {
        if let Rhs::Prim(call) = &stmt.rhs {
            placed.push((call.prim.name(), stmt.origin.clone()));
        }
    });
    // What is not supported is said elsewhere.
    let stored = lower::compile(kernel, target).map(|program| program.report.stored).unwrap_or_default();
    Choices { placed, stored }
}

pub fn hints(snap: &Snapshot, path: &Arc<str>, range: TextRange) -> Cancellable<Vec<InlayHint>> {
    let Options { target, .. } = snap.features.options;
    let shows = |kind| snap.features.options.shows(kind);
    if !shows(HintKind::Placement) && !shows(HintKind::Memory) {
        return Ok(Vec::new());
    }
    let mut kernels = snap.analysis.kernels(path)?;
    kernels.sort_by_key(|kernel| distance(kernel.range, range));
    let mut placements: BTreeMap<TextSize, Vec<String>> = BTreeMap::new();
    let mut memory: BTreeMap<TextSize, Vec<(Kind, String)>> = BTreeMap::new();
    for info in kernels.iter().take(MOST_KERNELS) {
        let Ok(kernel) = engine::core(&snap.analysis, path, &info.name)? else { continue };
        let choices = snap.compiled.of(&kernel, target);
        for (primitive, origin) in &choices.placed {
            let Some((at, name)) = snap.analysis.called_at(origin)? else { continue };
            if let Some(level) = level(primitive, &name)
                && is_in(&at, path, range)
            {
                insert(placements.entry(at.range.end()).or_default(), level.to_owned());
            }
        }
        for stored in choices.stored.iter().filter(|stored| stored.memory != Kind::Private) {
            let Some(at) = snap.analysis.resolve_origin(&stored.origin)? else { continue };
            if is_in(&at, path, range) {
                insert(memory.entry(at.range.end()).or_default(), (stored.memory, stored.bytes.to_string()));
            }
        }
    }
    let mut out = Vec::new();
    if shows(HintKind::Placement) {
        out.extend(placements.into_iter().map(|(offset, levels)| placement(offset, &levels)));
    }
    if shows(HintKind::Memory) {
        for (offset, stored) in memory {
            out.push(stored_here(snap, path, offset, &stored)?);
        }
    }
    Ok(out)
}

fn insert<T: PartialEq>(list: &mut Vec<T>, new: T) {
    if !list.contains(&new) {
        list.push(new);
    }
}

fn is_in(at: &FileRange, path: &Arc<str>, range: TextRange) -> bool {
    at.path == *path && range.contains_inclusive(at.range.end())
}

/// How far a kernel is from what is shown.
fn distance(kernel: TextRange, shown: TextRange) -> u32 {
    let above = u32::from(shown.start()).saturating_sub(kernel.end().into());
    let below = u32::from(kernel.start()).saturating_sub(shown.end().into());
    above.max(below)
}

/// `Glb0`, where the program says `map` and the compiler `mapGlb0`.
fn level<'a>(primitive: &'a str, written: &str) -> Option<&'a str> {
    let level = primitive.strip_prefix(written)?;
    ["Seq", "Glb", "Wrg", "Lcl"].iter().any(|known| level.starts_with(known)).then_some(level)
}

fn placement(offset: TextSize, levels: &[String]) -> InlayHint {
    let place = |level: &String| match level.split_at(3) {
        ("Glb", d) => format!("on global work-items of dimension {d}"),
        ("Wrg", d) => format!("on work-groups of dimension {d}"),
        ("Lcl", d) => format!("on work-items of a group, dimension {d}"),
        _ => "one element after the other".to_owned(),
    };
    let places: Vec<String> = levels.iter().map(place).collect();
    InlayHint {
        offset,
        kind: HintKind::Placement,
        parts: vec![HintPart { text: levels.join("/"), target: None }],
        padding_left: false,
        padding_right: false,
        tooltip: format!("The program does not place this, and the compiler runs it {}", places.join(" or ")),
    }
}

/// Of each copy, where there are several.
fn stored_here(snap: &Snapshot, path: &str, offset: TextSize, stored: &[(Kind, String)]) -> Cancellable<InlayHint> {
    let one = |(memory, bytes): &(Kind, String)| format!("{} {bytes} bytes", memory.name());
    let label = stored.iter().map(one).collect::<Vec<_>>().join(", ");
    let sentence = |(memory, bytes): &(Kind, String)| match memory {
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

    #[test]
    fn only_what_the_program_leaves_open_is_placed() {
        let cases = [("mapGlb0", "map"), ("mapGlb0", "mapGlb"), ("mapSeq", "map"), ("map", "map"), ("mapSeq", "f")];
        let found: Vec<Option<&str>> = cases.iter().map(|(primitive, written)| level(primitive, written)).collect();
        assert_eq!(found, [Some("Glb0"), None, Some("Seq"), None, None]);
    }

    #[test]
    fn what_is_shown_comes_first() {
        let range = |from: u32, to: u32| TextRange::new(from.into(), to.into());
        let shown = range(100, 200);
        let distances = [range(0, 40), range(90, 110), range(120, 130), range(230, 300)].map(|k| distance(k, shown));
        assert_eq!(distances, [60, 0, 0, 30]);
    }
}
