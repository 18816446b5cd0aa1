//! Computes the forms that an edit may invalidate, from the identifiers in them.
//!
//! The meaning of a form depends on its own text and on the forms that it mentions, transitively. A form that mentions
//! a name has its identifier in the text; so the transitive closure over identifiers contains every form that an edit
//! can invalidate. The index is kept from edit to edit. It overestimates; the queries then find the results that really
//! change.

use crate::db::{Files, Form, RootDatabase, word};
use crate::edit::{Before, Change};
use lift_syntax::FormKind;
use rustc_hash::{FxHashMap, FxHashSet};

/// The forms of all files by the identifiers in them.
#[derive(Debug, Default)]
pub struct Dependents {
    with_word: FxHashMap<u32, Vec<Form>>,
}

/// The results that an edit may invalidate.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Concerned {
    pub forms: FxHashSet<Form>,
    /// Removed forms.
    pub gone: Vec<Form>,
    /// Names were added or removed: an unresolved name may now resolve, or resemble another name.
    pub names: bool,
    /// A file was added or removed, or an import changed: everything is invalid.
    pub everything: bool,
}

impl Dependents {
    /// Updates the index after a change already applied to the database, and returns what it invalidates.
    pub fn after(&mut self, db: &RootDatabase, change: &Change) -> Concerned {
        let mut concerned = Concerned { names: change.structure, everything: change.files, ..Concerned::default() };
        let mut names: Vec<u32> = Vec::new();
        for before in &change.touched {
            let form = before.form;
            self.set_words(db, before);
            concerned.everything |= before.kind == FormKind::Import || form.kind(db) == FormKind::Import;
            names.extend(before.name.iter().chain(form.name(db)).map(|name| word(name)));
            match form.is_member(db) {
                true => drop(concerned.forms.insert(form)),
                false => concerned.gone.push(form),
            }
        }
        if concerned.everything {
            return concerned;
        }
        // An import may have become used or unused.
        let files = Files::get(db).by_path(db).values();
        concerned.forms.extend(files.flat_map(|file| file.import_forms(db).iter().copied()));
        let mut seen: FxHashSet<u32> = FxHashSet::default();
        while let Some(name) = names.pop() {
            if !seen.insert(name) {
                continue;
            }
            for &form in self.with_word.get(&name).into_iter().flatten() {
                if concerned.forms.insert(form) {
                    names.extend(form.name(db).iter().map(|name| word(name)));
                }
            }
        }
        concerned
    }

    fn set_words(&mut self, db: &RootDatabase, before: &Before) {
        let (old, new) = (&before.words, before.form.words(db));
        for lost in old.iter().filter(|word| new.binary_search(word).is_err()) {
            if let Some(forms) = self.with_word.get_mut(lost) {
                forms.retain(|form| *form != before.form);
                if forms.is_empty() {
                    self.with_word.remove(lost);
                }
            }
        }
        for &gained in new.iter().filter(|word| old.binary_search(word).is_err()) {
            self.with_word.entry(gained).or_default().push(before.form);
        }
    }
}
