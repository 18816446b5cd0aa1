//! The definitions of a file with their documentation, for pages about a program.

use super::outline::is_for_programs;
use super::{Symbol, SymbolKind};
use crate::db::{Db, Form, SourceFile, Sym, is_builtin};
use crate::names::{Resolution, resolve};
use crate::prims::{self, PRIMITIVES_PATH};
use crate::queries::docs;
use std::sync::Arc;

/// A definition or a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Documented {
    pub name: String,
    pub ty: String,
    pub kind: SymbolKind,
    /// Markdown, without the lines for tools.
    pub docs: String,
    /// Alternative names.
    pub aliases: Vec<String>,
}

pub(super) fn documented(db: &dyn Db, symbols: Vec<(Form, Symbol)>) -> Vec<Documented> {
    let of = |(form, symbol): (Form, Symbol)| {
        let text = docs(db, form).unwrap_or_default();
        let own = text.lines().filter(|line| !is_for_programs(line)).collect::<Vec<_>>().join("\n");
        let built_in = prims::lookup(&symbol.name).filter(|_| &**form.file(db).path(db) == PRIMITIVES_PATH);
        Documented {
            ty: built_in.map_or(symbol.detail, |p| p.scheme.to_string()),
            aliases: built_in.map_or(Vec::new(), |p| p.aliases.iter().map(|alias| alias.to_string()).collect()),
            name: symbol.name,
            kind: symbol.kind,
            docs: own.trim().to_owned(),
        }
    };
    symbols.into_iter().filter(|(_, symbol)| symbol.kind != SymbolKind::Import).map(of).collect()
}

/// The file that defines the meaning of a name in `file`, and the name there.
pub(super) fn definition_of(db: &dyn Db, file: SourceFile, name: &str) -> Option<(Arc<str>, String)> {
    let primitive = |p: &prims::Primitive| (Arc::from(PRIMITIVES_PATH), p.name.to_string());
    if is_builtin(db, file)
        && let Some(own) = prims::lookup(name)
    {
        return Some(primitive(own));
    }
    match resolve(db, file, Sym::new(db, crate::hir::Name::from(name)))? {
        Resolution::Primitive(p) => Some(primitive(p)),
        Resolution::Form(form) => Some((form.file(db).path(db).clone(), form.name(db).as_ref()?.to_string())),
    }
}
