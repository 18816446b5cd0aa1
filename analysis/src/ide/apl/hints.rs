//! Hints in APL: the types of statements' values, at their ends, and the checks of the run.

use super::translation;
use crate::apl::Translated;
use crate::db::{Db, SourceFile};
use crate::ide::{FileRange, HintKind, HintPart, InlayHint};
use lift_syntax::{TextRange, TextSize};
use rustc_hash::FxHashMap;

/// Limit on the types shown for one statement.
const MOST_TYPES: usize = 2;
/// Limit on the length of a hint, in characters; the tooltip has the full text.
const MOST_CHARACTERS: usize = 60;

/// The hints of a file that touch a range.
pub fn hints(db: &dyn Db, file: SourceFile, range: TextRange) -> Vec<InlayHint> {
    let Some(program) = translation(db, file) else { return Vec::new() };
    let path = file.path(db);
    let origins = program.program.hidden.iter();
    let origins = origins.map(|(name, at, _)| (name.as_str(), FileRange { path: path.clone(), range: *at }));
    let maker = Maker { program: &program, origins: origins.collect() };
    let mut hints = maker.statements();
    hints.extend(maker.checks());
    hints.retain(|hint| range.contains_inclusive(hint.offset));
    hints.sort_by_key(|hint| (hint.offset, hint.kind != HintKind::RuntimeCheck));
    hints
}

struct Maker<'p> {
    program: &'p Translated,
    /// The origins of hidden lengths, by their names.
    origins: FxHashMap<&'p str, FileRange>,
}

impl Maker<'_> {
    /// `Array[Int,X1]` at the end of a statement. In a function, the types of its calls.
    fn statements(&self) -> Vec<InlayHint> {
        let by_end = grouped(&self.program.statements);
        let hint = |(at, types): (TextSize, Vec<&str>)| {
            let more = if types.len() > MOST_TYPES { " or …" } else { "" };
            let shown = types.iter().take(MOST_TYPES).copied().collect::<Vec<_>>().join(" or ") + more;
            let tooltip = format!("The type of this statement's value: {}", types.join("; "));
            self.hint(at, HintKind::Type, &shown, tooltip)
        };
        by_end.into_iter().map(hint).collect()
    }

    /// `checks X1 = X2` after an array whose length is compared at run time.
    fn checks(&self) -> Vec<InlayHint> {
        let by_end = grouped(&self.program.checks);
        let hint = |(at, checks): (TextSize, Vec<&str>)| {
            let text = format!("checks {}", checks.join(", "));
            let tooltip = "The lengths cannot be proved equal: the run stops with an error if they are not";
            self.hint(at, HintKind::RuntimeCheck, &text, tooltip.to_owned())
        };
        by_end.into_iter().map(hint).collect()
    }

    fn hint(&self, offset: TextSize, kind: HintKind, text: &str, tooltip: String) -> InlayHint {
        let mut shown: String = text.chars().take(MOST_CHARACTERS).collect();
        if shown.len() < text.len() {
            shown.push('…');
        }
        InlayHint { offset, kind, parts: self.linked(&shown), padding_left: true, padding_right: false, tooltip }
    }

    /// Text in which each name of a hidden length links to its origin.
    fn linked(&self, text: &str) -> Vec<HintPart> {
        let mut parts: Vec<HintPart> = Vec::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let word = first.is_alphanumeric();
            let end = rest.find(|c: char| c.is_alphanumeric() != word).unwrap_or(rest.len());
            let (piece, after) = rest.split_at(end);
            let target = self.origins.get(piece).cloned();
            match parts.last_mut() {
                Some(last) if last.target.is_none() && target.is_none() => last.text += piece,
                _ => parts.push(HintPart { text: piece.to_owned(), target }),
            }
            rest = after;
        }
        parts
    }
}

/// The distinct hints at each end.
fn grouped(told: &[(TextRange, String)]) -> Vec<(TextSize, Vec<&str>)> {
    let mut found: Vec<(TextSize, Vec<&str>)> = Vec::new();
    let mut places: FxHashMap<TextSize, usize> = FxHashMap::default();
    for (at, text) in told {
        let place = *places.entry(at.end()).or_insert_with(|| {
            found.push((at.end(), Vec::new()));
            found.len() - 1
        });
        if !found[place].1.contains(&text.as_str()) {
            found[place].1.push(text);
        }
    }
    found
}
