//! Quick fixes that need more than the form with the mistake.

use super::super::SourceChange;
use super::super::importing::{import_edit, other_files, written_path};
use super::super::locate::View;
use super::super::scope::text_of;
use super::trial::{Edits, Keeps, errors, tried};
use super::{CodeAction, QUICK_FIX};
use crate::hir::*;
use crate::names::{Resolution, defined_names};
use crate::prims::PrimitiveId;
use lift_syntax::TextRange;

pub(super) fn mends(view: &View<'_>, selection: TextRange, actions: &mut Vec<CodeAction>) {
    let Some(Node::Expr(expr)) = view.node_at(selection) else { return };
    if let Expr::Global(name) = view.body.expr(expr)
        && view.resolve(name).is_none()
    {
        imports(view, name, actions);
    }
    if errors(&view.inference()) > 0 {
        wrap_in_map(view, expr, actions);
    }
}

/// Offers an import of each file that defines an unknown name.
fn imports(view: &View<'_>, name: &Name, actions: &mut Vec<CodeAction>) {
    let db = view.db;
    for other in other_files(db, view.file) {
        if defined_names(db, other).binary_search(name).is_err() {
            continue;
        }
        actions.push(CodeAction {
            title: format!("Import `{name}` from \"{}\"", written_path(db, view.file, other)),
            kind: QUICK_FIX,
            change: SourceChange { files: vec![(view.file.path(db).clone(), vec![import_edit(db, view.file, other)])] },
            preferred: false,
        });
    }
}

/// Offers `(map f xs)` for `(f xs)` if that removes errors.
fn wrap_in_map(view: &View<'_>, at: ExprId, actions: &mut Vec<CodeAction>) {
    let is_call = |expr: ExprId| matches!(view.body.expr(expr), Expr::Apply { args, .. } if !args.is_empty());
    let around = || {
        let parent = view.body.exprs.iter().zip(0..).find(|(expr, _)| match expr {
            Expr::Apply { callee, args } => *callee == at || args.contains(&at),
            _ => false,
        });
        parent.map(|(_, index)| ExprId(index))
    };
    let Some(call) = (if is_call(at) { Some(at) } else { around() }) else { return };
    let Expr::Apply { callee, args } = view.body.expr(call) else { return };
    if let Expr::Global(name) = view.body.expr(*callee)
        && matches!(view.resolve(name), Some(Resolution::Primitive(p)) if p.id == PrimitiveId::Map)
    {
        return;
    }
    let Some((last, first)) = args.split_last() else { return };
    let range = |expr: ExprId| view.map.range(Node::Expr(expr));
    let function = match first.last() {
        Some(end) => format!("({})", text_of(view.text(), range(*callee).cover(range(*end)))),
        None => text_of(view.text(), range(*callee)).to_owned(),
    };
    let text = format!("(map {function} {})", text_of(view.text(), range(*last)));
    let after = Edits::default().replace(range(call), text).apply(view.text());
    if let Some(change) = tried(view, after, Keeps::Mends, None) {
        actions.push(CodeAction {
            title: "Apply to every element with `map`".into(),
            kind: QUICK_FIX,
            change,
            preferred: false,
        });
    }
}
