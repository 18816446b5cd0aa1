//! Mends that need more than the form in which the mistake is.

use super::super::completion::relative_path;
use super::super::locate::View;
use super::super::scope::text_of;
use super::super::{SourceChange, TextEdit};
use super::trial::{Edits, Keeps, errors, tried};
use super::{CodeAction, QUICK_FIX};
use crate::db::{Files, forms, is_builtin};
use crate::hir::*;
use crate::names::defined_names;
use lift_syntax::{TextRange, TextSize};

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

/// An import of each file that defines an unknown name.
fn imports(view: &View<'_>, name: &Name, actions: &mut Vec<CodeAction>) {
    let db = view.db;
    let path = view.file.path(db);
    let here: Vec<&str> = path.split('/').collect();
    let mut files: Vec<_> = Files::get(db).by_path(db).values().copied().collect();
    files.sort_by_key(|file| file.path(db).clone());
    for file in files {
        if file == view.file || is_builtin(db, file) || defined_names(db, file).binary_search(name).is_err() {
            continue;
        }
        let written = relative_path(&here, file.path(db));
        // Behind the imports that are there; else before the first form.
        let all = forms(db, view.file);
        let last = all.iter().rfind(|form| form.kind(db) == lift_syntax::FormKind::Import);
        let (at, text) = match (last, all.first()) {
            (Some(last), _) => (last.start(db) + TextSize::of(&**last.text(db)), format!("\n(import \"{written}\")")),
            (None, first) => {
                let at = first.map_or(TextSize::new(0), |first| first.start(db));
                (at, format!("(import \"{written}\")\n\n"))
            }
        };
        let edit = TextEdit { range: TextRange::empty(at), new_text: text };
        actions.push(CodeAction {
            title: format!("Import `{name}` from \"{written}\""),
            kind: QUICK_FIX,
            change: SourceChange { files: vec![(path.clone(), vec![edit])] },
            preferred: false,
        });
    }
}

/// `(f xs)` as `(map f xs)`, where that mends the form.
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
    if matches!(view.body.expr(*callee), Expr::Global(name) if name.starts_with("map")) {
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
