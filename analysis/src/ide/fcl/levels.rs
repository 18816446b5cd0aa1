//! Sentences about levels: where an expression runs, its translation, where arrays are stored.

use super::{fcl_program, forms};
use crate::db::{Db, SourceFile};
use crate::fcl::Translated;
use crate::ide::{HintKind, HintPart, InlayHint};
use lift_syntax::{TextRange, TextSize};

/// Different notes about one place that are shown.
const MOST: usize = 3;

/// The level of a type's result: that of its program, or of a delayed array.
pub fn level(ty: &str) -> Option<&str> {
    let result = super::signature_help::arrows(ty.rsplit_once(". ").map_or(ty, |(_, body)| body)).pop()?;
    let (_, level) = match result.strip_prefix("Program <") {
        Some(rest) => ("", rest.split('>').next()?),
        None => result.strip_suffix('>')?.rsplit_once("]<")?,
    };
    Some(level)
}

/// A sentence about what computes at a level.
pub fn told(level: &str) -> String {
    let who = match level {
        "thread" => "one work-item computes it",
        "block" => "the work-items of a work-group compute it together",
        "grid" => "all work-items of the device compute it together",
        _ => "its use determines the level",
    };
    format!("Level `{level}`: {who}.")
}

/// The different notes about a place, in order.
fn different(notes: &[(TextRange, String)], at: TextRange) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    for (_, text) in notes.iter().filter(|(own, _)| *own == at) {
        if !found.contains(&text.as_str()) {
            found.push(text);
        }
    }
    found
}

fn few(notes: &[&str], between: &str) -> String {
    let more = if notes.len() > MOST { format!("{between}…") } else { String::new() };
    notes.iter().take(MOST).copied().collect::<Vec<_>>().join(between) + &more
}

/// A sentence about the translation of a range.
pub fn becomes(program: &Translated, at: TextRange) -> Option<String> {
    let found = different(&program.becomes, at);
    (!found.is_empty()).then(|| format!("Becomes {}.", few(&found, "; ")))
}

/// Hints where arrays are stored, and where a barrier is.
pub fn hints(db: &dyn Db, file: SourceFile, range: TextRange) -> Vec<InlayHint> {
    let Some(form) = forms(db, file).first() else { return Vec::new() };
    let program = fcl_program(db, *form);
    let mut places: Vec<TextRange> = program.stores.iter().map(|(at, _)| *at).collect();
    places.sort_by_key(|at| (at.end(), at.start()));
    places.dedup();
    let shown = places.into_iter().filter(|at| range.contains_inclusive(at.end()) && at.end() > TextSize::new(0));
    let hint = |at: TextRange| {
        let found = different(&program.stores, at);
        InlayHint {
            offset: at.end(),
            kind: HintKind::Memory,
            parts: vec![HintPart { text: few(&found, "; "), target: None }],
            padding_left: true,
            padding_right: false,
            tooltip: format!("Stored here: {}", found.join("; ")),
        }
    };
    shown.map(hint).collect()
}
