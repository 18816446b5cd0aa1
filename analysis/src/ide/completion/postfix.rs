//! Postfix completion, `xs.map`: rewrites the receiver into a call.

use super::context::Context;
use super::snippet::Snippet;
use super::{CompletionItem, CompletionKind, Ranked};
use crate::hir::Scalar;
use crate::ide::TextEdit;
use crate::ty::{Ty, TyKind};
use lift_syntax::TextRange;

/// The receivers for which a template is offered.
#[derive(Clone, Copy, PartialEq)]
enum For {
    Any,
    Array,
    /// An array of arrays.
    Rows,
    Bool,
    Tuple,
    Function,
    Existential,
}

/// Templates; `‹receiver›` is replaced by the expression before the dot.
const FORMS: &[(&str, For, &str)] = &[
    ("map", For::Array, "(map ‹f› ‹receiver›)"),
    ("filter", For::Array, "(filter ‹p› ‹receiver›)"),
    ("reduce", For::Array, "(reduce ‹zero› ‹op› ‹receiver›)"),
    ("zip", For::Array, "(zip ‹receiver› ‹ys›)"),
    ("sum", For::Array, "(sum ‹receiver›)"),
    ("length", For::Array, "(length ‹receiver›)"),
    ("split", For::Array, "(split #‹k› ‹receiver›)"),
    ("take", For::Array, "(take #‹k› ‹receiver›)"),
    ("drop", For::Array, "(drop #‹k› ‹receiver›)"),
    ("head", For::Array, "(head ‹receiver›)"),
    ("reverse", For::Array, "(reverse ‹receiver›)"),
    ("scan", For::Array, "(scan ‹zero› ‹op› ‹receiver›)"),
    ("mapSeq", For::Array, "(mapSeq ‹f› ‹receiver›)"),
    ("mapGlb", For::Array, "(mapGlb ‹f› ‹receiver›)"),
    ("join", For::Rows, "(join ‹receiver›)"),
    ("transpose", For::Rows, "(transpose ‹receiver›)"),
    ("if", For::Bool, "(if ‹receiver› ‹then› ‹else›)"),
    ("not", For::Bool, "(not ‹receiver›)"),
    ("get1", For::Tuple, "(get1 ‹receiver›)"),
    ("get2", For::Tuple, "(get2 ‹receiver›)"),
    ("call", For::Function, "(‹receiver› ‹x›)"),
    ("o", For::Function, "(o ‹receiver› ‹g›)"),
    ("unpack", For::Existential, "(unpack (‹X› ‹ys›) ‹receiver›\n  ‹›)"),
    ("let", For::Any, "(let ‹x› ‹receiver›\n  ‹›)"),
    ("as", For::Any, "(: ‹receiver› ‹type›)"),
    ("arg", For::Any, "(‹f› ‹receiver›)"),
];

pub fn complete(context: &Context<'_>, receiver: TextRange, ranked: &mut Ranked) {
    let ty = context.receiver().and_then(|expr| context.partial.expr(expr));
    let text = &context.text[context.at];
    for (index, &(label, wanted, template)) in FORMS.iter().enumerate() {
        let Some(suits) = suits(wanted, ty) else { continue };
        // Insert the receiver as plain text, whatever characters it has.
        let mut insert = Snippet::default();
        for (index, part) in template.split("‹receiver›").enumerate() {
            insert.text(if index > 0 { text } else { "" });
            insert.append(Snippet::template(part));
        }
        let item = CompletionItem {
            label: label.to_owned(),
            kind: CompletionKind::Postfix,
            detail: template.replace("‹receiver›", text).replace(['‹', '›'], ""),
            source: None,
            insert,
            additional: vec![TextEdit { range: receiver, new_text: String::new() }],
            filter: Some(format!(".{label}")),
            documented: None,
        };
        let special = if suits && !matches!(wanted, For::Any | For::Array) { 100 } else { 0 };
        ranked.push(special + if suits { 200 } else { 100 } - index as i32, item);
    }
}

/// Whether the template fits the receiver's type; `Some(false)` if the type is unknown, `None` if it does not fit.
fn suits(wanted: For, ty: Option<&Ty>) -> Option<bool> {
    let Some(ty) = ty else { return Some(false) };
    let inner = match ty.kind() {
        TyKind::Exists(_, inner) => inner,
        _ => ty,
    };
    let known = match inner.kind() {
        TyKind::Unknown(_) | TyKind::Generic(_) | TyKind::Error => return Some(false),
        kind => kind,
    };
    let suits = match wanted {
        For::Any => true,
        For::Array => matches!(known, TyKind::Array(_)),
        For::Rows => {
            matches!(known, TyKind::Array(array) if matches!(array.element.kind(), TyKind::Array(_) | TyKind::Unknown(_)))
        }
        For::Bool => matches!(known, TyKind::Scalar(Scalar::Bool)),
        For::Tuple => matches!(known, TyKind::Tuple(_)),
        For::Function => matches!(known, TyKind::Fun(..)),
        For::Existential => matches!(ty.kind(), TyKind::Exists(..)),
    };
    suits.then_some(true)
}
