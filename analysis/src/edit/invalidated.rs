//! Computes the forms that an edit may invalidate, from the identifiers in them.
//!
//! The meaning of a form depends on its own text and on the forms that it mentions, transitively. A form that mentions
//! a name has its identifier in the text; so the transitive closure over identifiers contains every form that an edit
//! can invalidate. It overestimates; the queries then find the results that really change.

use super::Change;
use crate::db::{Files, Form, RootDatabase, word};
use lift_syntax::FormKind;
use rustc_hash::FxHashSet;

/// The results that an edit may invalidate.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Invalidated {
    pub forms: FxHashSet<Form>,
    /// Removed forms.
    pub removed: Vec<Form>,
    /// Whether names were added or removed, so that an unresolved name may now resolve, or resemble another name.
    pub names: bool,
    /// Whether a file was added or removed, or an import changed, which invalidates everything.
    pub everything: bool,
}

/// The forms that a change invalidates; the database has it already.
pub(super) fn after(db: &RootDatabase, change: &Change) -> Invalidated {
    let mut invalidated = Invalidated { names: change.structure, everything: change.files, ..Invalidated::default() };
    let mut names: Vec<u32> = Vec::new();
    for before in &change.touched {
        let form = before.form;
        invalidated.everything |= before.kind == FormKind::Import || form.kind(db) == FormKind::Import;
        names.extend(before.name.iter().chain(form.name(db)).map(|name| word(name)));
        match form.is_member(db) {
            true => drop(invalidated.forms.insert(form)),
            false => invalidated.removed.push(form),
        }
    }
    if invalidated.everything {
        return invalidated;
    }
    let files = Files::get(db).by_path(db);
    // An import may have become used or unused.
    invalidated.forms.extend(files.values().flat_map(|file| file.import_forms(db).iter().copied()));
    let mut seen: FxHashSet<u32> = FxHashSet::default();
    while let Some(name) = names.pop() {
        if !seen.insert(name) {
            continue;
        }
        for &form in files.values().filter_map(|file| file.with_word(db).get(&name)).flatten() {
            if invalidated.forms.insert(form) {
                names.extend(form.name(db).iter().map(|name| word(name)));
            }
        }
    }
    invalidated
}
