//! What a name means in a file: a form of the file, then of the files it imports, in their order, then of the prelude,
//! then a primitive.
//!
//! Positions play no part here, and each look-up is a query of its own: a new definition makes look-ups run again, which
//! is cheap, and no inference.

use crate::db::{Db, Form, SourceFile, Sym, forms};
use crate::hir::{Expr, Name};
use crate::imports::{imports, target};
use crate::lower::closest;
use crate::prims::{self, Primitive};
use crate::queries::body;
use rustc_hash::{FxHashMap, FxHashSet};

#[derive(Debug, Clone, Copy, PartialEq, Eq, salsa::SalsaValue)]
pub enum Resolution<'db> {
    Form(Form<'db>),
    Primitive(&'static Primitive),
}

/// The first form of each name.
#[salsa::tracked(no_eq)]
fn index<'db>(db: &'db dyn Db, file: SourceFile) -> FxHashMap<Name, Form<'db>> {
    let mut index = FxHashMap::default();
    for &form in forms(db, file) {
        if let (Some(name), true) = (form.name(db), defines(form.kind(db))) {
            index.entry(name.clone()).or_insert(form);
        }
    }
    index
}

fn defines(kind: lift_syntax::FormKind) -> bool {
    matches!(kind, lift_syntax::FormKind::Define | lift_syntax::FormKind::Lift)
}

/// The names that a file defines, sorted.
#[salsa::tracked]
pub fn defined_names(db: &dyn Db, file: SourceFile) -> Vec<Name> {
    let mut names: Vec<Name> = index(db, file).keys().cloned().collect();
    names.sort();
    names
}

/// The forms that a file defines under a name, the first of each name, in order.
pub fn names_of<'db>(db: &'db dyn Db, file: SourceFile) -> Vec<Form<'db>> {
    let own = index(db, file);
    forms(db, file)
        .iter()
        .copied()
        .filter(|form| form.name(db).as_ref().and_then(|name| own.get(name)) == Some(form))
        .collect()
}

/// What a name that is not local means in a file.
#[salsa::tracked(returns(copy))]
pub fn resolve<'db>(db: &'db dyn Db, file: SourceFile, name: Sym<'db>) -> Option<Resolution<'db>> {
    let text = name.text(db);
    let imported = imports(db, file).iter().filter_map(|import| target(db, import));
    let files = std::iter::once(file).chain(imported).chain(std::iter::once(db.prelude()));
    for file in files {
        if let Some(&form) = index(db, file).get(text) {
            return Some(Resolution::Form(form));
        }
    }
    prims::lookup(text).map(Resolution::Primitive)
}

/// The name in sight of a file that `name` is most likely meant to be.
#[salsa::tracked(returns(clone))]
pub fn similar_name<'db>(db: &'db dyn Db, file: SourceFile, name: Sym<'db>) -> Option<Name> {
    let imported = imports(db, file).iter().filter_map(|import| target(db, import));
    let files = std::iter::once(file).chain(imported).chain(std::iter::once(db.prelude()));
    let mut candidates: Vec<&str> = files.flat_map(|file| defined_names(db, file)).map(|name| &**name).collect();
    prims::names().for_each(|name| candidates.push(name));
    closest(name.text(db), candidates).map(Name::from)
}

/// The names that a form mentions and does not bind, each once, in order.
#[salsa::tracked]
pub fn mentions<'db>(db: &'db dyn Db, form: Form<'db>) -> Vec<Name> {
    let mut seen = FxHashSet::default();
    let body = body(db, form);
    let globals = body.exprs.iter().filter_map(|expr| match expr {
        Expr::Global(name) => Some(name),
        _ => None,
    });
    globals.filter(|name| seen.insert(*name)).cloned().collect()
}

/// All names that the forms of a file mention and the file does not define.
#[salsa::tracked]
pub fn used_names(db: &dyn Db, file: SourceFile) -> FxHashSet<Name> {
    let own = index(db, file);
    let mentioned = forms(db, file).iter().flat_map(|&form| mentions(db, form));
    mentioned.filter(|name| !own.contains_key(*name)).cloned().collect()
}

/// The forms that a form mentions.
#[salsa::tracked]
pub fn callees<'db>(db: &'db dyn Db, form: Form<'db>) -> Vec<Form<'db>> {
    let file = form.file(db);
    let resolved = mentions(db, form).iter().map(|name| resolve(db, file, Sym::new(db, name.clone())));
    resolved
        .filter_map(|resolution| match resolution {
            Some(Resolution::Form(callee)) => Some(callee),
            _ => None,
        })
        .collect()
}
