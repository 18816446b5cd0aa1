//! Resolves the names of a file: to a form of the file, then of its imports in order, then of the prelude, then to a
//! primitive.
//!
//! No query here depends on source locations, and each lookup is its own query: a new definition reruns lookups, which
//! are cheap, but no inference.

use crate::bodies::body;
use crate::db::{Db, Form, SourceFile, Sym, forms, word};
use crate::hir::{Expr, Name};
use crate::imports::{imports, target};
use crate::lower::closest;
use crate::prims::{self, Primitive};
use lift_syntax::Language;
use rustc_hash::FxHashSet;

/// The definition that a name refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, salsa::SalsaValue)]
pub enum Resolution {
    Form(Form),
    Primitive(&'static Primitive),
}

/// The names that a file defines, sorted.
#[salsa::tracked]
pub fn defined_names(db: &dyn Db, file: SourceFile) -> Vec<Name> {
    let mut names: Vec<Name> = file.names(db).keys().cloned().collect();
    names.sort();
    names
}

/// The first definition of each name in a file, in order.
pub fn names_of(db: &dyn Db, file: SourceFile) -> Vec<Form> {
    let own = file.names(db);
    let first = |form: &Form| form.name(db).as_ref().and_then(|name| own.get(name)) == Some(form);
    forms(db, file).iter().copied().filter(first).collect()
}

/// Resolves a name of a file that is not local.
#[salsa::tracked(returns(copy))]
pub fn resolve<'db>(db: &'db dyn Db, file: SourceFile, name: Sym<'db>) -> Option<Resolution> {
    let text = name.text(db);
    let imported = imports(db, file).iter().filter_map(|import| target(db, import));
    let files = std::iter::once(file).chain(imported).chain(std::iter::once(db.prelude()));
    for file in files {
        if let Some(&form) = file.names(db).get(text) {
            return Some(Resolution::Form(form));
        }
    }
    prims::lookup(text).map(Resolution::Primitive)
}

/// The visible name most similar to `name`.
#[salsa::tracked(returns(clone))]
pub fn similar_name<'db>(db: &'db dyn Db, file: SourceFile, name: Sym<'db>) -> Option<Name> {
    let imported = imports(db, file).iter().filter_map(|import| target(db, import));
    let files = std::iter::once(file).chain(imported).chain(std::iter::once(db.prelude()));
    let mut candidates: Vec<&str> = files.flat_map(|file| defined_names(db, file)).map(|name| &**name).collect();
    prims::names().for_each(|name| candidates.push(name));
    closest(name.text(db), candidates).map(Name::from)
}

/// The names that a form mentions but does not bind, each once, in order.
#[salsa::tracked]
pub fn mentions(db: &dyn Db, form: Form) -> Vec<Name> {
    let mut seen = FxHashSet::default();
    let body = body(db, form);
    let globals = body.exprs.iter().filter_map(|expr| match expr {
        Expr::Global(name) => Some(name),
        _ => None,
    });
    globals.filter(|name| seen.insert(*name)).cloned().collect()
}

/// The forms of a file that may contain one of `names`, in order.
pub fn forms_with_words(db: &dyn Db, file: SourceFile, names: &[Name]) -> Vec<Form> {
    let with = file.with_word(db);
    let mut found: Vec<Form> = names.iter().filter_map(|name| with.get(&word(name))).flatten().copied().collect();
    found.sort_unstable_by_key(|form| form.place(db));
    found.dedup();
    found
}

/// Whether the file mentions `name` but does not define it.
pub fn uses_from_outside(db: &dyn Db, file: SourceFile, name: &Name) -> bool {
    // Checks only the forms that contain the identifier; nearly all of those mention the name.
    !file.names(db).contains_key(name)
        && file
            .with_word(db)
            .get(&word(name))
            .is_some_and(|with| with.iter().any(|&form| mentions(db, form).contains(name)))
}

/// The forms that a form mentions.
#[salsa::tracked]
pub fn callees(db: &dyn Db, form: Form) -> Vec<Form> {
    let file = form.file(db);
    let resolved = mentions(db, form).iter().map(|name| resolve(db, file, Sym::new(db, name.clone())));
    resolved
        .filter_map(|resolution| match resolution {
            Some(Resolution::Form(callee)) => Some(callee),
            _ => None,
        })
        .collect()
}

/// The name of a kernel without one: that of its file, without the ending.
pub fn file_stem(path: &str) -> &str {
    let name = path.rsplit(['/', ':']).next().unwrap_or(path);
    name.strip_suffix(Language::of_path(name).ending()).unwrap_or(name)
}
