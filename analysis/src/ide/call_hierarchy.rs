//! The call hierarchy: the users of a definition, and the definitions that it uses.

use super::locate::{View, definition_of, form_at};
use super::navigation::{Symbol, symbol_at};
use super::outline::symbol_in_file;
use super::{FileRange, NavTarget, Symbol as Outline};
use crate::db::{Db, Files, Form, SourceFile, Sym, is_builtin};
use crate::hir::*;
use crate::names::{Resolution, forms_with_words, mentions, resolve};
use lift_syntax::{TextRange, TextSize};
use std::sync::Arc;

/// A definition or kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallItem {
    pub path: Arc<str>,
    pub symbol: Outline,
}

/// A definition that uses, or is used by, another, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    pub item: CallItem,
    /// Ranges in the file of the user.
    pub places: Vec<TextRange>,
}

/// The definition named at an offset, or the one whose form is there.
pub(super) fn prepare(db: &dyn Db, file: SourceFile, offset: TextSize) -> Option<CallItem> {
    let view = form_at(db, file, offset)?;
    let named = view.node_at(TextRange::empty(offset)).and_then(|node| symbol_at(&view, node));
    match named {
        Some(Symbol::Global(Resolution::Form(form))) => item(db, form),
        Some(Symbol::Global(Resolution::Primitive(_)) | Symbol::Local(_)) => None,
        None => item(db, view.form),
    }
}

fn item(db: &dyn Db, form: Form) -> Option<CallItem> {
    let callable = matches!(form.kind(db), lift_syntax::FormKind::Define | lift_syntax::FormKind::Lift);
    let symbol = callable.then(|| symbol_in_file(db, form)).flatten()?;
    Some(CallItem { path: form.file(db).path(db).clone(), symbol })
}

/// The form whose name is at an offset.
fn form_of(db: &dyn Db, file: SourceFile, name: TextSize) -> Option<Form> {
    form_at(db, file, name).map(|view| view.form)
}

pub(super) fn incoming(db: &dyn Db, file: SourceFile, name: TextSize) -> Vec<Call> {
    let Some(form) = form_of(db, file, name) else { return Vec::new() };
    let meant = Some(Resolution::Form(form));
    let mut files: Vec<SourceFile> = Files::get(db).by_path(db).values().copied().collect();
    files.sort_by_key(|file| (is_builtin(db, *file), file.path(db).clone()));
    let mut calls = Vec::new();
    for file in files {
        for user in forms_with_words(db, file, form.name(db).as_slice()) {
            let used = mentions(db, user).iter().find(|name| {
                Some(&**name) == form.name(db).as_ref() && resolve(db, file, Sym::new(db, (*name).clone())) == meant
            });
            if let (Some(used), Some(item)) = (used, item(db, user)) {
                calls.push(Call { item, places: uses(&View::of(db, user), used) });
            }
        }
    }
    calls
}

pub(super) fn outgoing(db: &dyn Db, file: SourceFile, name: TextSize) -> Vec<Call> {
    let Some(form) = form_of(db, file, name) else { return Vec::new() };
    let view = View::of(db, form);
    let mut calls = Vec::new();
    for used in mentions(db, form) {
        if let Some(Resolution::Form(callee)) = view.resolve(used)
            && let Some(item) = item(db, callee)
        {
            calls.push(Call { item, places: uses(&view, used) });
        }
    }
    calls
}

fn uses(view: &View<'_>, used: &Name) -> Vec<TextRange> {
    let exprs = view.body.exprs.iter().zip(0..);
    let named = exprs.filter(|(expr, _)| matches!(expr, Expr::Global(name) if name == used));
    named.map(|(_, index)| view.range(Node::Expr(ExprId(index)))).collect()
}

/// Where the type of a value is written, or the calls that its hidden lengths come from.
pub(super) fn type_definition(db: &dyn Db, file: SourceFile, offset: TextSize) -> Vec<NavTarget> {
    let targets = || {
        let view = form_at(db, file, offset)?;
        crate::queries::infer_in_order(db, &[view.form], crate::infer::Mode::Insert);
        let node = view.node_at(TextRange::empty(offset))?;
        let here = |node: Node| {
            let place: FileRange = view.file_range(node);
            NavTarget { focus: place.range, file: place }
        };
        let binder = match symbol_at(&view, node) {
            Some(Symbol::Local(binder)) => Some(binder),
            Some(Symbol::Global(resolution)) => return Some(definition_of(db, resolution).into_iter().collect()),
            None => None,
        };
        let mut found = Vec::new();
        if let Some(binder) = binder {
            found.extend(written_type(&view.body, binder).map(|ty| here(Node::Type(ty))));
        }
        // The lengths in its type, each at the call that hides it.
        let inference = view.inference();
        let ty = match (binder, node) {
            (Some(binder), _) => inference.binder_types.get(binder),
            (None, Node::Expr(expr)) => Some(inference.opened_type(expr)),
            _ => None,
        };
        if let Some(ty) = ty {
            for origin in inference.lengths.iter().filter(|origin| ty.mentions(&origin.length)) {
                let target = here(origin.made_by);
                if !found.contains(&target) {
                    found.push(target);
                }
            }
        }
        Some(found)
    };
    targets().unwrap_or_default()
}

/// The written type of a name: its annotation, or its entry in the kernel's list.
fn written_type(body: &Body, binder: BinderId) -> Option<TypeRefId> {
    if let Some(ty) = body.binder(binder).ty {
        return Some(ty);
    }
    match body.root.map(|root| body.expr(root)) {
        Some(Expr::Lambda { params, .. }) => {
            let index = params.iter().position(|param| *param == binder)?;
            body.param_types.get(index).copied()
        }
        _ => None,
    }
}
