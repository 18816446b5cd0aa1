//! Which forms an edit may concern, told from the words in them.
//!
//! A form means what its own text and the forms say that it mentions, and those that they mention. Who mentions a name
//! has its word in the text; so the forms with the name of an edited one, those with the names of these, and so on, are
//! all that the edit can concern. That is kept here from edit to edit. It is more than what changes, and what really
//! does the queries say; it is what need be asked.

use crate::db::{Files, Form, RootDatabase, word};
use crate::edit::{Before, Change};
use lift_syntax::FormKind;
use rustc_hash::{FxHashMap, FxHashSet};

/// The forms of all files by the words that stand in them.
#[derive(Debug, Default)]
pub struct Dependents {
    with_word: FxHashMap<u32, Vec<Form>>,
}

/// What may mean something else after an edit.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Concerned {
    pub forms: FxHashSet<Form>,
    /// Forms that are none any more.
    pub gone: Vec<Form>,
    /// Names came or went: what means nothing may mean something now, or be like another name.
    pub names: bool,
    /// A file came or went, or an import changed: everything.
    pub everything: bool,
}

impl Dependents {
    /// What a change concerns, which the database has seen already.
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
        // Whether an import is used.
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
