//! Diagnostics for the imports of a file.

use crate::db::{Db, Form, SourceFile, Sym, why_unreadable};
use crate::diagnostics::{Diagnostic, Edit, Problem, Title};
use crate::hir::{Name, Node};
use crate::imports::{BadPath, chain, imports, target};
use crate::names::{defined_names, uses_from_outside};

/// The diagnostics of one import form.
#[salsa::tracked]
pub fn import_diagnostics(db: &dyn Db, form: Form) -> Vec<Diagnostic> {
    let file = form.file(db);
    let Some(import) = imports(db, file).iter().find(|import| import.form == form) else { return Vec::new() };
    let written = &import.path;
    let found = |problem: Problem| vec![Diagnostic::new(Node::FormName, &problem)];
    let path = match &import.target {
        Ok(path) => path,
        // The parser reports a missing or empty path.
        Err(BadPath::Empty) => return Vec::new(),
        Err(BadPath::Absolute) => {
            return found(Problem::AbsoluteImport);
        }
        Err(BadPath::ClimbsOut) => {
            return found(Problem::ImportOutOfFolder { written: written.clone() });
        }
        Err(BadPath::Backslash) => {
            let mut found = found(Problem::ImportWithBackslash);
            let edits = vec![Edit::Replace(Node::FormName, format!("\"{}\"", written.replace('\\', "/")))];
            found[0].fixes.push(Title::Write("/".into()).certain(edits));
            return found;
        }
    };
    let Some(target) = target(db, import) else {
        let why = why_unreadable(db, Sym::new(db, path.clone()));
        return found(Problem::MissingImport { path: path.clone(), why });
    };
    if let Some(mut chain) = chain(db, target, file) {
        chain.insert(0, file.path(db).clone());
        return found(Problem::ImportCycle { files: chain });
    }
    let earlier = imports(db, file).iter().take_while(|other| other.form != form);
    if earlier.filter(|other| other.target == import.target).count() > 0 {
        return found(Problem::RepeatedImport { written: written.clone() });
    }
    if let Some((name, first)) = used_from_before(db, file, form, target) {
        let (written, name, first) = (written.clone(), name.clone(), first.clone());
        return found(Problem::AmbiguousImport { written, name, first });
    }
    if !defined_names(db, target).iter().any(|name| uses_from_outside(db, file, name)) {
        return found(Problem::UnusedImport { written: written.clone() });
    }
    Vec::new()
}

/// The first name that the file uses and that both `target_of_form` and an earlier import define, with the path of the
/// earlier import as written.
fn used_from_before(db: &dyn Db, file: SourceFile, form: Form, target_of_form: SourceFile) -> Option<(&Name, &Name)> {
    for earlier in imports(db, file).iter().take_while(|other| other.form != form) {
        let Some(other) = target(db, earlier).filter(|other| *other != target_of_form) else { continue };
        let both = |name: &&Name| other.names(db).contains_key(*name) && uses_from_outside(db, file, name);
        if let Some(name) = defined_names(db, target_of_form).iter().find(both) {
            return Some((name, &earlier.path));
        }
    }
    None
}
