//! Validation of a rewrite before it is offered: the changed form must check, to the same type.

use super::super::explicit::difference;
use super::super::layout::laid_out;
use super::super::locate::View;
use super::super::{SourceChange, TextEdit};
use crate::diagnostics::Code;
use crate::diagnostics::Severity;
use crate::hir::*;
use crate::infer::Inference;
use crate::queries::{infer_text_with, placement_of_text};
use crate::size::Assumption;
use crate::ty::{Scheme, Ty, TyKind};
use lift_syntax::{TextRange, TextSize};

/// Replacements in the text of one form. Ranges are relative to the form.
#[derive(Debug, Clone, Default)]
pub(super) struct Edits(Vec<(TextRange, String)>);

impl Edits {
    pub fn replace(mut self, range: TextRange, text: impl Into<String>) -> Edits {
        self.0.push((range, text.into()));
        self
    }
    pub fn insert(self, at: TextSize, text: impl Into<String>) -> Edits {
        self.replace(TextRange::empty(at), text)
    }

    /// Applies the replacements. Insertions at one offset keep the order in which they were added; overlapping edits
    /// are dropped.
    pub fn apply(mut self, text: &str) -> String {
        self.0.sort_by_key(|(range, _)| (range.start(), range.end()));
        let mut out = String::with_capacity(text.len() + 64);
        let mut at = TextSize::new(0);
        for (range, new) in self.0 {
            if range.start() < at {
                continue;
            }
            out.push_str(&text[TextRange::new(at, range.start())]);
            out.push_str(&new);
            at = range.end();
        }
        out.push_str(&text[usize::from(at)..]);
        out
    }
}

/// The property that a rewrite must keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keeps {
    /// The form checks as before, to the same type.
    Type,
    /// The form had errors; it must have fewer.
    Mends,
}

/// The edit from the form to `after`, if `keeps` holds for it. `extra` is a definition added by the rewrite.
pub(super) fn tried(
    view: &View<'_>,
    after: String,
    keeps: Keeps,
    extra: Option<(&str, &Scheme)>,
) -> Option<SourceChange> {
    let before = view.inference();
    // Inference that gave up will do so again after the rewrite.
    let given_up = before.diagnostics.iter().any(|d| d.code == Code::TooComplex);
    if given_up || (keeps == Keeps::Type && errors(&before) > 0) {
        return None;
    }
    let after = laid_out(view.text(), after);
    let now = infer_text_with(view.db, view.form, &after, extra)?;
    let good = match keeps {
        Keeps::Type => errors(&now) == 0 && now.scheme == before.scheme && keeps_placement(view, &after),
        Keeps::Mends => errors(&now) < errors(&before),
    };
    let edit = good.then(|| difference(view.start, view.text(), &after)).flatten()?;
    Some(SourceChange { files: vec![(view.file.path(view.db).clone(), vec![edit])] })
}

/// The edit from the form to `after`, if the form still checks and keeps its type, with its new assumptions about
/// lengths.
pub(super) fn tried_assuming(view: &View<'_>, after: String) -> Option<(SourceChange, Vec<Assumption>)> {
    let before = view.inference();
    if errors(&before) > 0 {
        return None;
    }
    let after = laid_out(view.text(), after);
    let now = infer_text_with(view.db, view.form, &after, None)?;
    let (old, new) = (before.scheme.as_ref()?, now.scheme.as_ref()?);
    if errors(&now) > 0 || !is_alike(old, new) || !keeps_placement(view, &after) {
        return None;
    }
    // No memory holds functions.
    if has_functions_in_arrays(&now) && !has_functions_in_arrays(&before) {
        return None;
    }
    let known: Vec<&Assumption> = old.assumptions.iter().chain(before.assumed.iter().map(|a| &a.assumption)).collect();
    let assumed = new.assumptions.iter().chain(now.assumed.iter().map(|a| &a.assumption));
    let mut added: Vec<Assumption> = Vec::new();
    for assumption in assumed {
        if !known.contains(&assumption) && !added.contains(assumption) {
            added.push(assumption.clone());
        }
    }
    let edit = difference(view.start, view.text(), &after)?;
    Some((SourceChange { files: vec![(view.file.path(view.db).clone(), vec![edit])] }, added))
}

/// Whether a part of the form is an array of functions.
fn has_functions_in_arrays(inference: &Inference) -> bool {
    let holds_functions = |ty: &Ty| ty.as_array().is_some_and(|array| matches!(array.element.kind(), TyKind::Fun(..)));
    inference.expr_types.iter().any(|ty| ty.any(&mut |part| holds_functions(part)))
}

/// Whether a definition with the new scheme serves wherever one with the old does, and has the same type.
fn is_alike(old: &Scheme, new: &Scheme) -> bool {
    // An element type may depend on more positions than before; but a scalar never depends on one, even if the scheme
    // allows it.
    let depends =
        |nth: usize| old.types[nth].is_some() || old.dependence.of_type(nth).len() <= new.dependence.of_type(nth).len();
    (&old.types, &old.sizes, &old.constants) == (&new.types, &new.sizes, &new.constants)
        && old.ty.to_string() == new.ty.to_string()
        && (0..old.types.len()).all(depends)
}

/// Whether the rewrite adds no placement errors of parallel primitives.
fn keeps_placement(view: &View<'_>, after: &str) -> bool {
    view.body.kind != FormKind::Kernel
        || placement_of_text(view.db, view.form, after).len() <= crate::queries::placement(view.db, view.form).len()
}

pub(super) fn errors(inference: &Inference) -> usize {
    inference.diagnostics.iter().filter(|d| d.severity == Severity::Error).count()
}

/// An edit before a form.
pub(super) fn before_form(view: &View<'_>, text: String) -> TextEdit {
    TextEdit { range: TextRange::empty(view.start), new_text: text }
}
