//! The imports of a file.
//!
//! Paths are virtual and relative to the importing file; the owner of the database adds the files. A path can neither
//! leave the root nor be absolute.

use crate::bodies::body;
use crate::db::{Db, Form, SourceFile, Sym, file_by_path};
use crate::hir::{FormKind, Name};
use rustc_hash::FxHashSet;
use std::sync::Arc;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BadPath {
    Empty,
    Absolute,
    ClimbsOut,
    Backslash,
}

#[derive(Debug, Clone, PartialEq, Eq, salsa::SalsaValue)]
pub struct Import {
    pub form: Form,
    /// The path as written.
    pub path: Name,
    /// The normalised path, whether or not the file exists.
    pub target: Result<Arc<str>, BadPath>,
}

/// The imports of a file, in order.
#[salsa::tracked]
pub fn imports(db: &dyn Db, file: SourceFile) -> Vec<Import> {
    let mut found = Vec::new();
    for &form in file.import_forms(db).iter() {
        if let FormKind::Import(path) = &body(db, form).kind {
            found.push(Import { form, path: path.clone(), target: resolve_path(file.path(db), path) });
        }
    }
    found
}

/// Normalises the path `written` in the file at `from`.
pub fn resolve_path(from: &str, written: &str) -> Result<Arc<str>, BadPath> {
    if written.is_empty() {
        return Err(BadPath::Empty);
    }
    if written.contains('\\') {
        return Err(BadPath::Backslash);
    }
    // `C:/…`, `file:…` and `lift:…` are absolute too.
    let first = written.split('/').next().unwrap_or_default();
    if written.starts_with('/') || first.contains(':') {
        return Err(BadPath::Absolute);
    }
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    // An absolute path starts with an empty part, its root, which must not be removed either.
    let root = usize::from(from.starts_with('/'));
    for part in written.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.len() <= root => return Err(BadPath::ClimbsOut),
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    Ok(parts.join("/").into())
}

/// The imported file, if it exists.
pub fn target(db: &dyn Db, import: &Import) -> Option<SourceFile> {
    let path = import.target.as_ref().ok()?;
    file_by_path(db, Sym::new(db, path.clone()))
}

/// Whether a file that an import names is missing. Unknown names may then come from it.
#[salsa::tracked(returns(copy))]
pub fn has_broken_import(db: &dyn Db, file: SourceFile) -> bool {
    imports(db, file).iter().any(|import| target(db, import).is_none())
}

/// Whether a file imports itself, directly or through others.
#[salsa::tracked(returns(copy))]
pub fn imports_itself(db: &dyn Db, file: SourceFile) -> bool {
    imports(db, file).iter().filter_map(|import| target(db, import)).any(|target| chain(db, target, file).is_some())
}

/// A chain of imports from `from` to `to`, both ends included; `None` if there is none.
pub fn chain(db: &dyn Db, from: SourceFile, to: SourceFile) -> Option<Vec<Arc<str>>> {
    let mut seen = FxHashSet::from_iter([from]);
    let mut path = vec![from];
    let mut next = vec![0];
    while let (Some(&file), Some(index)) = (path.last(), next.last_mut()) {
        if file == to {
            return Some(path.iter().map(|file| file.path(db).clone()).collect());
        }
        match imports(db, file).get(*index) {
            Some(import) => {
                *index += 1;
                if let Some(target) = target(db, import)
                    && seen.insert(target)
                {
                    path.push(target);
                    next.push(0);
                }
            }
            None => {
                path.pop();
                next.pop();
            }
        }
    }
    None
}
