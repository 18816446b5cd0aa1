//! Definitions and uses of names.

use super::locate::{View, definition_of, form_at};
use super::{FileRange, Highlight, NavTarget, RelatedPlace};
use crate::bodies::program;
use crate::db::{Db, Files, Form, SourceFile, Sym, file_by_path, forms, is_builtin};
use crate::hir::*;
use crate::imports::resolve_path;
use crate::names::{Resolution, forms_with_words, mentions};
use crate::origin::{FormKey, Origin};
use crate::prims::Primitive;
use crate::queries::infer;
use lift_syntax::{TextRange, TextSize};
use std::sync::Arc;

/// The meaning of a name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Symbol {
    Local(BinderId),
    Global(Resolution),
}

/// The meaning of a node, if it is a name.
pub(super) fn symbol_at<'db>(view: &View<'db>, node: Node) -> Option<Symbol> {
    match node {
        Node::Binder(binder) => Some(Symbol::Local(binder)),
        Node::Expr(expr) => match view.body.expr(expr) {
            Expr::Local(binder) => Some(Symbol::Local(*binder)),
            Expr::Global(name) => view.resolve(name).map(Symbol::Global),
            _ => None,
        },
        Node::Size(size) => match view.body.size_ref(size) {
            SizeRef::Local(binder) | SizeRef::LengthOf(binder) => Some(Symbol::Local(*binder)),
            SizeRef::Global(name) => symbol_at(view, Node::Expr(*name)),
            _ => None,
        },
        Node::FormName => match &view.body.name {
            Some(name) if view.body.kind == FormKind::Primitive => view.resolve(name).map(Symbol::Global),
            Some(_) => Some(Symbol::Global(Resolution::Form(view.form))),
            None => None,
        },
        Node::Type(_) | Node::Setting(_) => None,
    }
}

pub(super) fn goto_definition(db: &dyn Db, file: SourceFile, offset: TextSize) -> Vec<NavTarget> {
    let target = || {
        let view = form_at(db, file, offset)?;
        let node = view.node_at(TextRange::empty(offset))?;
        if let FormKind::Import(path) = &view.body.kind {
            return import_target(&view, path);
        }
        match symbol_at(&view, node)? {
            Symbol::Local(binder) => {
                let file = view.file_range(Node::Binder(binder));
                Some(NavTarget { focus: file.range, file })
            }
            Symbol::Global(resolution) => definition_of(db, resolution),
        }
    };
    target().into_iter().collect()
}

fn import_target(view: &View<'_>, path: &str) -> Option<NavTarget> {
    let path = resolve_path(view.file.path(view.db), path).ok()?;
    file_by_path(view.db, Sym::new(view.db, path.clone()))?;
    let start = super::structure::start_of(path);
    Some(NavTarget { focus: start.range, file: start })
}

pub(super) fn references(db: &dyn Db, file: SourceFile, offset: TextSize) -> Vec<FileRange> {
    let found = || {
        let view = form_at(db, file, offset)?;
        let symbol = symbol_at(&view, view.node_at(TextRange::empty(offset))?)?;
        Some(match symbol {
            Symbol::Local(binder) => local_references(&view, binder),
            Symbol::Global(resolution) => global_references(db, resolution),
        })
    };
    found().unwrap_or_default()
}

/// The uses of the name at an offset, in the same file.
pub(super) fn highlights(db: &dyn Db, file: SourceFile, offset: TextSize) -> Vec<Highlight> {
    let found = || {
        let view = form_at(db, file, offset)?;
        let symbol = symbol_at(&view, view.node_at(TextRange::empty(offset))?)?;
        Some(match symbol {
            Symbol::Local(binder) => local_references(&view, binder),
            Symbol::Global(resolution) => {
                let mut found: Vec<FileRange> = definition_of(db, resolution)
                    .map(|target| FileRange { path: target.file.path, range: target.focus })
                    .into_iter()
                    .collect();
                uses_in(db, file, resolution, &mut found);
                found
            }
        })
    };
    let found = found().unwrap_or_default();
    let path = file.path(db);
    let highlights = found.into_iter().enumerate().filter(|(_, place)| place.path == *path);
    let mut highlights: Vec<Highlight> =
        highlights.map(|(index, place)| Highlight { range: place.range, binds: index == 0 }).collect();
    highlights.sort_by_key(|highlight| highlight.range.start());
    highlights
}

/// The binder and the uses of the local name at an offset, to be edited together. Definitions are excluded, because
/// other files may use them.
pub(super) fn linked_names(db: &dyn Db, file: SourceFile, offset: TextSize) -> Vec<TextRange> {
    let found = || {
        let view = form_at(db, file, offset)?;
        match symbol_at(&view, view.node_at(TextRange::empty(offset))?)? {
            Symbol::Local(binder) => Some(local_references(&view, binder)),
            Symbol::Global(_) => None,
        }
    };
    let mut ranges: Vec<TextRange> = found().unwrap_or_default().into_iter().map(|place| place.range).collect();
    ranges.sort_by_key(|range| range.start());
    ranges.dedup();
    ranges
}

fn local_references(view: &View<'_>, binder: BinderId) -> Vec<FileRange> {
    let mut nodes = vec![Node::Binder(binder)];
    let exprs = view.body.exprs.iter().zip(0..).filter(|(expr, _)| **expr == Expr::Local(binder));
    nodes.extend(exprs.map(|(_, index)| Node::Expr(ExprId(index))));
    let sizes = view.body.sizes.iter().zip(0..).filter(|(size, _)| **size == SizeRef::Local(binder));
    nodes.extend(sizes.map(|(_, index)| Node::Size(SizeRefId(index))));
    let mut ranges: Vec<FileRange> = nodes.into_iter().map(|node| view.file_range(node)).collect();
    let lengths = view.body.sizes.iter().zip(0..).filter(|(size, _)| **size == SizeRef::LengthOf(binder));
    ranges.extend(lengths.map(|(_, index)| array_of_length(view, SizeRefId(index))));
    // The first mention of an implicit size is also its binder.
    let definition = ranges[0].clone();
    ranges.retain(|range| *range != definition);
    ranges.sort_by_key(|range| range.range.start());
    ranges.insert(0, definition);
    ranges
}

/// The range of `xs` in `(length xs)`: the last token that is not a bracket.
pub(super) fn array_of_length(view: &View<'_>, size: SizeRefId) -> FileRange {
    let mut place = view.file_range(Node::Size(size));
    let text = &view.text()[view.map.range(Node::Size(size))];
    let tokens = lift_syntax::lex(text);
    let name = (0..tokens.len()).rev().find(|&token| tokens.kind(token) == lift_syntax::SyntaxKind::IDENT);
    if let Some(name) = name {
        place.range = tokens.range(name) + place.range.start();
    }
    place
}

fn global_references(db: &dyn Db, resolution: Resolution) -> Vec<FileRange> {
    let mut ranges: Vec<FileRange> = definition_of(db, resolution)
        .map(|target| FileRange { path: target.file.path, range: target.focus })
        .into_iter()
        .collect();
    let mut files: Vec<SourceFile> = Files::get(db).by_path(db).values().copied().collect();
    files.sort_by_key(|file| (is_builtin(db, *file), file.path(db).clone()));
    for file in files {
        uses_in(db, file, resolution, &mut ranges);
    }
    ranges
}

/// Every use in one file.
fn uses_in(db: &dyn Db, file: SourceFile, resolution: Resolution, ranges: &mut Vec<FileRange>) {
    // An alias is another name of the same primitive.
    let names: Vec<Name> = match resolution {
        Resolution::Form(form) => form.name(db).iter().cloned().collect(),
        Resolution::Primitive(primitive) => [&primitive.name].into_iter().chain(&primitive.aliases).cloned().collect(),
    };
    for form in forms_with_words(db, file, &names) {
        let named: Vec<&Name> = mentions(db, form)
            .iter()
            .filter(|name| crate::names::resolve(db, file, Sym::new(db, (*name).clone())) == Some(resolution))
            .collect();
        if named.is_empty() {
            continue;
        }
        let view = View::of(db, form);
        for (index, expr) in view.body.exprs.iter().enumerate() {
            if matches!(expr, Expr::Global(name) if named.contains(&name)) {
                ranges.push(view.file_range(Node::Expr(ExprId(index as u32))));
            }
        }
    }
}

pub(super) fn form_of_key(db: &dyn Db, file: SourceFile, key: &FormKey) -> Option<Form> {
    let is_it = |form: &Form| *form.name(db) == key.name && form.nth(db) == key.nth;
    let named = key.name.as_ref().and_then(|name| file.names(db).get(name)).copied();
    named.filter(is_it).or_else(|| forms(db, file).iter().copied().find(is_it))
}

pub(super) fn resolve_origin(db: &dyn Db, file: SourceFile, origin: &Origin) -> Option<FileRange> {
    let view = View::of(db, form_of_key(db, file, &origin.form)?);
    // The form may have changed since compilation.
    let range = view.map.exprs.get(origin.expr)?;
    let path: Arc<str> = file.path(db).clone();
    Some(FileRange { path, range: *range + view.start })
}

/// Where the hidden lengths that a checked cast compares come from.
pub(super) fn compared_lengths(db: &dyn Db, file: SourceFile, origin: &Origin) -> Vec<RelatedPlace> {
    let Some(form) = form_of_key(db, file, &origin.form) else { return Vec::new() };
    let (view, inference) = (View::of(db, form), infer(db, form));
    let Some(cast) = inference.casts.iter().find(|cast| cast.expr == origin.expr) else { return Vec::new() };
    let program = program(db, form);
    let hidden = program.as_deref().map_or(&[][..], |program| &program.hidden);
    let mut found: Vec<RelatedPlace> = Vec::new();
    for length in cast.checks.iter().flat_map(|check| check.assumption().vars()) {
        let in_lift = || {
            let made = inference.lengths.iter().find(|made| made.length == length)?;
            Some(RelatedPlace { at: view.file_range(made.made_by), message: format!("`{length}` is {}", made.source) })
        };
        let elsewhere = hidden.iter().find(|(name, ..)| **name == *length.name);
        let place = match elsewhere {
            Some((name, range, what)) => {
                let at = FileRange { path: file.path(db).clone(), range: *range + view.start };
                Some(RelatedPlace { at, message: format!("`{name}` is {what}") })
            }
            None => in_lift(),
        };
        found.extend(place.filter(|place| !found.contains(place)));
    }
    found
}

/// The primitive called by a part of a compiled program, and where its name occurs.
pub(super) fn called_at(db: &dyn Db, file: SourceFile, origin: &Origin) -> Option<(FileRange, &'static Primitive)> {
    let view = View::of(db, form_of_key(db, file, &origin.form)?);
    // The form may have changed since compilation.
    let callee = match view.body.exprs.get(origin.expr)? {
        Expr::Apply { callee, .. } => *callee,
        _ => origin.expr,
    };
    let Expr::Global(name) = view.body.expr(callee) else { return None };
    let Some(Resolution::Primitive(primitive)) = view.resolve(name) else { return None };
    Some((view.file_range(Node::Expr(callee)), primitive))
}
