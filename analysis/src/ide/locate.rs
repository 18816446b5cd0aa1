//! Conversion between offsets of a file and nodes of a form.

use crate::db::{Db, Form, SourceFile, Sym, file_by_path, forms, forms_in};
use crate::hir::*;
use crate::ide::FileRange;
use crate::infer::{Inference, Mode};
use crate::names::{Resolution, resolve};
use crate::queries::{body, infer, infer_in_order, lower_form};
use lift_syntax::{SyntaxKind, TextRange, TextSize, lex};
use std::sync::Arc;

/// A form with the data that most features need.
pub(super) struct View<'db> {
    pub db: &'db dyn Db,
    pub form: Form,
    pub file: SourceFile,
    pub body: Arc<Body>,
    pub map: &'db SourceMap,
    pub start: TextSize,
}

impl<'db> View<'db> {
    pub fn of(db: &'db dyn Db, form: Form) -> View<'db> {
        let map = &lower_form(db, form).map;
        View { db, form, file: form.file(db), body: body(db, form), map, start: form.start(db) }
    }

    pub fn text(&self) -> &'db str {
        self.form.text(self.db)
    }

    /// The range of the form in its file.
    pub fn whole(&self) -> TextRange {
        TextRange::at(self.start, TextSize::of(self.text()))
    }

    /// The range of a node in the file.
    pub fn range(&self, node: Node) -> TextRange {
        self.map.range(node) + self.start
    }

    pub fn file_range(&self, node: Node) -> FileRange {
        FileRange { path: self.file.path(self.db).clone(), range: self.range(node) }
    }

    pub fn inference(&self) -> Arc<Inference> {
        infer(self.db, self.form)
    }

    pub fn resolve(&self, name: &Name) -> Option<Resolution> {
        resolve(self.db, self.file, Sym::new(self.db, name.clone()))
    }

    /// The innermost node around a range of the file; for an empty range, around the token there.
    pub fn node_at(&self, range: TextRange) -> Option<Node> {
        let range = range.checked_sub(self.start)?;
        let wanted = if range.is_empty() { token_at(self.text(), range.start())? } else { range };
        let mut best: Option<(TextSize, Node)> = None;
        let mut consider = |node: Node, range: TextRange| {
            if range.contains_range(wanted) && best.is_none_or(|(len, _)| range.len() < len) {
                best = Some((range.len(), node));
            }
        };
        for (id, &range) in self.map.binders.entries() {
            consider(Node::Binder(id), range);
        }
        for (id, &range) in self.map.exprs.entries() {
            if self.body.exprs[id] != Expr::Missing {
                consider(Node::Expr(id), range);
            }
        }
        for (id, &range) in self.map.sizes.entries() {
            if self.body.sizes[id] != SizeRef::Error {
                consider(Node::Size(id), range);
            }
        }
        for (id, &range) in self.map.types.entries() {
            if self.body.types[id] != TypeRef::Error {
                consider(Node::Type(id), range);
            }
        }
        for (id, &range) in self.map.settings.entries() {
            consider(Node::Setting(id), range);
        }
        consider(Node::FormName, self.map.form_name);
        best.map(|(_, node)| node)
    }
}

/// The token at an offset; between two tokens, the more significant one.
fn token_at(text: &str, offset: TextSize) -> Option<TextRange> {
    let tokens = lex(text);
    let weight = |kind: SyntaxKind| match kind {
        kind if kind.is_trivia() => 0,
        SyntaxKind::HASH => 1,
        kind if kind.is_closer() => 1,
        kind if kind.is_opener() => 2,
        _ => 3,
    };
    let touching = (0..tokens.len()).filter(|&token| tokens.range(token).contains_inclusive(offset));
    let best = touching.max_by_key(|&token| weight(tokens.kind(token)))?;
    (weight(tokens.kind(best)) > 0).then(|| tokens.range(best))
}

/// [`form_at`], after inferring what the form needs.
pub(super) fn inferred_form_at<'db>(db: &'db dyn Db, file: SourceFile, offset: TextSize) -> Option<View<'db>> {
    let view = form_at(db, file, offset)?;
    infer_in_order(db, &[view.form], Mode::Insert);
    Some(view)
}

/// The form at an offset; between two forms, the second.
pub(super) fn form_at<'db>(db: &'db dyn Db, file: SourceFile, offset: TextSize) -> Option<View<'db>> {
    let forms = forms(db, file);
    let after = forms.partition_point(|form| form.start(db) <= offset);
    let form = forms[..after].last()?;
    let end = form.start(db) + TextSize::of(&**form.text(db));
    (offset <= end).then(|| View::of(db, *form))
}

/// The forms that touch a range, in order, inferred.
pub(super) fn inferred_forms_in<'db>(db: &'db dyn Db, file: SourceFile, range: TextRange) -> Vec<View<'db>> {
    let forms = forms_in(db, file, range);
    infer_in_order(db, forms, Mode::Insert);
    forms.iter().map(|&form| View::of(db, form)).collect()
}

/// The definition of a name that is not local: the range of its form, and the name in it.
pub(super) fn definition_of(db: &dyn Db, resolution: Resolution) -> Option<super::NavTarget> {
    match resolution {
        Resolution::Form(form) => {
            let view = View::of(db, form);
            let file = FileRange { path: view.file.path(db).clone(), range: view.whole() };
            Some(super::NavTarget { file, focus: view.range(Node::FormName) })
        }
        Resolution::Primitive(primitive) => {
            let path: Arc<str> = crate::prims::PRIMITIVES_PATH.into();
            file_by_path(db, Sym::new(db, path.clone()))?;
            let file = FileRange { path, range: primitive.range };
            Some(super::NavTarget { file, focus: primitive.name_range })
        }
    }
}
