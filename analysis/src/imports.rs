//! Which files a file imports.
//!
//! Paths are virtual and relative to the importing file; whoever owns the database puts the files in. A path can lead
//! neither out of the root of the paths nor to an absolute place.

use crate::db::{Db, Form, FormEntity, SourceFile, Sym, file_by_path};
use crate::diagnostics::{Diagnostic, Edit, Fix, Severity};
use crate::hir::{FormKind, Name, Node};
use crate::names::{defined_names, uses_from_outside};
use crate::queries::body;
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
    pub form: FormEntity,
    /// As written.
    pub path: Name,
    /// The normalised path, whether a file is there or not.
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

/// The normalised path that `written` means in the file at `from`.
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
    // The root of an absolute path is an empty part, which cannot be left either.
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

/// The imported file, if it is there.
pub fn target(db: &dyn Db, import: &Import) -> Option<SourceFile> {
    let path = import.target.as_ref().ok()?;
    file_by_path(db, Sym::new(db, path.clone()))
}

/// Whether an import of the file leads to nothing. Names that nobody knows may then be from there.
#[salsa::tracked(returns(copy))]
pub fn has_broken_import(db: &dyn Db, file: SourceFile) -> bool {
    imports(db, file).iter().any(|import| target(db, import).is_none())
}

/// Whether a file imports itself, by way of others or not.
#[salsa::tracked(returns(copy))]
pub fn imports_itself(db: &dyn Db, file: SourceFile) -> bool {
    imports(db, file).iter().filter_map(|import| target(db, import)).any(|target| chain(db, target, file).is_some())
}

/// The chain of files by which `from` imports `to`, both ends included.
fn chain(db: &dyn Db, from: SourceFile, to: SourceFile) -> Option<Vec<Arc<str>>> {
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

/// What is wrong with one import.
#[salsa::tracked]
pub fn import_diagnostics<'db>(db: &'db dyn Db, form: Form<'db>) -> Vec<Diagnostic> {
    let file = form.file(db);
    let Some(import) = imports(db, file).iter().find(|import| import.form == form) else { return Vec::new() };
    let written = &import.path;
    let error = |code, message: String| vec![Diagnostic::error(code, Node::FormName, message)];
    let path = match &import.target {
        Ok(path) => path,
        // The parser has reported that there is no path at all.
        Err(BadPath::Empty) => return Vec::new(),
        Err(BadPath::Absolute) => {
            return error("import-path", "an import is relative to the importing file: `lib/stencil.lift`".into());
        }
        Err(BadPath::ClimbsOut) => {
            return error("import-path", format!("`{written}` leads out of the folder that the program is in"));
        }
        Err(BadPath::Backslash) => {
            let mut found = error("import-path", "the parts of an import are separated by `/`".into());
            let title = "Write `/`".to_owned();
            let edits = vec![Edit::Replace(Node::FormName, format!("\"{}\"", written.replace('\\', "/")))];
            found[0].fixes.push(Fix { title, edits, certain: true });
            return found;
        }
    };
    let Some(target) = target(db, import) else {
        return error("missing-import", format!("there is no file `{path}`"));
    };
    if let Some(mut chain) = chain(db, target, file) {
        chain.insert(0, file.path(db).clone());
        let chain: Vec<String> = chain.iter().map(|path| format!("`{path}`")).collect();
        let message = format!("the import goes in a circle: {}", chain.join(" imports "));
        return error("import-cycle", message);
    }
    let earlier = imports(db, file).iter().take_while(|other| other.form != form);
    if earlier.filter(|other| other.target == import.target).count() > 0 {
        let unused =
            Diagnostic::error("unused-import", Node::FormName, format!("`{written}` is imported above already"));
        return vec![unused.with_severity(Severity::Information)];
    }
    if let Some((name, first)) = used_from_before(db, file, form, target) {
        let message = format!(
            "`{written}` defines `{name}` too, which here is that of `{first}`: of two imports the first one counts; \
             rename one of them"
        );
        return vec![Diagnostic::error("ambiguous-import", Node::FormName, message).with_severity(Severity::Warning)];
    }
    if !defined_names(db, target).iter().any(|name| uses_from_outside(db, file, name)) {
        let message = format!("nothing of `{written}` is used here");
        let unused = Diagnostic::error("unused-import", Node::FormName, message);
        return vec![unused.with_severity(Severity::Information)];
    }
    Vec::new()
}

/// A name that the file uses, that `target` defines, and that an import before `form` defines already; with that
/// import's path as it is written.
fn used_from_before<'db>(
    db: &'db dyn Db,
    file: SourceFile,
    form: Form<'db>,
    target_of_form: SourceFile,
) -> Option<(&'db Name, &'db Name)> {
    for earlier in imports(db, file).iter().take_while(|other| other.form != form) {
        let Some(other) = target(db, earlier).filter(|other| *other != target_of_form) else { continue };
        let both = |name: &&Name| other.names(db).contains_key(*name) && uses_from_outside(db, file, name);
        if let Some(name) = defined_names(db, target_of_form).iter().find(both) {
            return Some((name, &earlier.path));
        }
    }
    None
}
