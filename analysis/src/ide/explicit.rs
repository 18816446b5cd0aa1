//! Writes inserted packs and unpacks into the text, and removes written ones that are redundant.

use super::layout::laid_out;
use super::locate::View;
use super::{SourceChange, TextEdit};
use crate::db::{Db, Form, SourceFile, forms};
use crate::diagnostics::Severity;
use crate::hir::*;
use crate::infer::elaborate::{explicit_text, scopes_with_insertions};
use crate::infer::{Inference, Mode};
use crate::queries::{infer, infer_in_order};
use lift_syntax::{TextRange, TextSize};
use std::sync::Arc;

/// The text of the form with all insertions written out; `None` if there are none.
#[salsa::tracked(returns(clone))]
fn explicit_text_of(db: &dyn Db, form: Form) -> Option<Arc<str>> {
    let inference = infer(db, form);
    if scopes_with_insertions(&inference).is_empty() {
        return None;
    }
    let view = View::of(db, form);
    let explicit = explicit_text(&view.body, view.map, view.text(), &inference, &|_| true);
    Some(laid_out(view.text(), explicit).into())
}

/// The text of the whole file with all insertions written out.
pub(super) fn elaborated(db: &dyn Db, file: SourceFile) -> String {
    infer_in_order(db, forms(db, file), Mode::Insert);
    let text = file.text(db);
    let mut out = String::with_capacity(text.len() + 256);
    let mut at = 0;
    for &form in forms(db, file) {
        if let Some(explicit) = explicit_text_of(db, form) {
            let start = usize::from(form.start(db));
            out.push_str(&text[at..start]);
            out.push_str(&explicit);
            at = start + form.text(db).len();
        }
    }
    out.push_str(&text[at..]);
    // Keep formatted text formatted.
    if lift_syntax::format(text) == **text { lift_syntax::format(&out) } else { out }
}

/// The edit that writes out the insertions of a form.
pub(super) fn explicit_form(db: &dyn Db, form: Form) -> Option<TextEdit> {
    let explicit = explicit_text_of(db, form)?;
    difference(form.start(db), form.text(db), &explicit)
}

/// The edit that writes out the insertions of the innermost scope around an offset.
pub(super) fn explicit_here(view: &View<'_>, at: TextSize) -> Option<TextEdit> {
    let inference = view.inference();
    let around = scopes_with_insertions(&inference).into_iter().filter_map(|scope| {
        let range = scope_range(view, scope);
        range.contains_inclusive(at).then_some((range.len(), scope))
    });
    let (_, innermost) = around.min_by_key(|(len, _)| *len)?;
    let explicit = explicit_text(&view.body, view.map, view.text(), &inference, &|scope| scope == innermost);
    difference(view.start, view.text(), &laid_out(view.text(), explicit))
}

/// The range of a scope, including the parameters before it.
fn scope_range(view: &View<'_>, scope: ExprId) -> TextRange {
    let lambda =
        view.body.exprs.iter().zip(0..).find(|(expr, _)| matches!(expr, Expr::Lambda { body, .. } if *body == scope));
    let whole = lambda.map_or(scope, |(_, index)| ExprId(index));
    view.range(Node::Expr(whole))
}

/// The smallest single edit that turns the form's text `old` into `new`; `None` if they are equal.
pub(super) fn difference(start_of_form: TextSize, old: &str, new: &str) -> Option<TextEdit> {
    if old == new {
        return None;
    }
    let mut start = old.bytes().zip(new.bytes()).take_while(|(a, b)| a == b).count();
    while !old.is_char_boundary(start) || !new.is_char_boundary(start) {
        start -= 1;
    }
    let most = old.len().min(new.len()) - start;
    let mut end = old.bytes().rev().zip(new.bytes().rev()).take(most).take_while(|(a, b)| a == b).count();
    while !old.is_char_boundary(old.len() - end) || !new.is_char_boundary(new.len() - end) {
        end -= 1;
    }
    let range = TextRange::new(TextSize::new(start as u32), TextSize::new((old.len() - end) as u32));
    Some(TextEdit { range: range + start_of_form, new_text: new[start..new.len() - end].to_owned() })
}

pub(super) fn one_file(view: &View<'_>, edit: TextEdit) -> SourceChange {
    SourceChange { files: vec![(view.file.path(view.db).clone(), vec![edit])] }
}

/// The edit that removes each written pack and unpack without which the form checks to the same type.
pub(super) fn implicit_form(view: &View<'_>) -> Option<TextEdit> {
    let written = written(&view.body);
    let before = view.inference();
    if written.is_empty() || before.diagnostics.iter().any(|d| d.severity == Severity::Error) {
        return None;
    }
    let keeps_type = |without: &[ExprId]| {
        let text = strip(view, without);
        crate::queries::infer_text(view.db, view.form, &text).is_some_and(|after| same(&before, &after))
    };
    if keeps_type(&written) {
        return difference(view.start, view.text(), &laid_out(view.text(), strip(view, &written)));
    }
    let mut removed: Vec<ExprId> = Vec::new();
    for &one in written.iter().take(MOST_TRIALS) {
        removed.push(one);
        if !keeps_type(&removed) {
            removed.pop();
        }
    }
    difference(view.start, view.text(), &laid_out(view.text(), strip(view, &removed)))
}

/// Limit on validations; each infers the form once.
const MOST_TRIALS: usize = 50;

fn same(before: &Inference, after: &Inference) -> bool {
    before.scheme == after.scheme && after.diagnostics.iter().all(|d| d.severity != Severity::Error)
}

/// The written packs and unpacks of a body.
pub(super) fn written(body: &Body) -> Vec<ExprId> {
    let exprs = body.exprs.iter().zip(0..);
    exprs
        .filter(|(expr, _)| matches!(expr, Expr::Pack(_) | Expr::Unpack { .. }))
        .map(|(_, index)| ExprId(index))
        .collect()
}

/// The form's text with `(pack e)` replaced by `e`, and `(unpack ys v b)` by `(let ys v b)`.
fn strip(view: &View<'_>, removed: &[ExprId]) -> String {
    let text = view.text();
    let mut edits: Vec<(TextRange, String)> = Vec::new();
    for &expr in removed {
        let whole = view.map.range(Node::Expr(expr));
        match view.body.expr(expr) {
            Expr::Pack(inner) => {
                let inner = view.map.range(Node::Expr(*inner));
                edits.push((TextRange::new(whole.start(), inner.start()), String::new()));
                edits.push((TextRange::new(inner.end(), whole.end()), String::new()));
            }
            Expr::Unpack { binder, value, .. } => {
                let name = &view.body.binder(*binder).name;
                let value = view.map.range(Node::Expr(*value));
                let opener = &text[usize::from(whole.start())..][..1];
                edits.push((TextRange::new(whole.start(), value.start()), format!("{opener}let {name} ")));
            }
            _ => {}
        }
    }
    edits.sort_by_key(|(range, _)| (range.start(), range.end()));
    let mut out = String::with_capacity(text.len());
    let mut at = TextSize::new(0);
    for (range, new) in edits {
        out.push_str(&text[TextRange::new(at, range.start())]);
        out.push_str(&new);
        at = range.end();
    }
    out.push_str(&text[usize::from(at)..]);
    out
}
