//! Creates the database with its files, applies an edited text to the forms of its file, and tells which forms that may
//! invalidate. All that is kept beside queries for the cost of edits is here, and in the file index that it updates
//! (`ide::digest`).
//!
//! The text is split again only around the edit ([`lift_syntax::resplit`]). The new forms reuse the entities of the old
//! ones there, matched by name, and only changed fields are set.
//!
//! | module | job |
//! |---|---|
//! | `recursion` | whether definitions may be recursive |
//! | `structure` | the names, order and numbers of the forms, and the index of their words |
//! | `invalidated` | the forms whose results an edit may change |

mod invalidated;
mod recursion;
mod structure;
#[cfg(test)]
mod tests;

pub use invalidated::Invalidated;

use crate::db::{
    BUILTIN_PREFIX, Counts, Files, Form, LAW_WORD, PRELUDE_PATH, PRELUDE_TEXT, RootDatabase, SourceFile, Words,
    language, word,
};
use crate::hir::Name;
use crate::prims::{PRIMITIVES_PATH, PRIMITIVES_TEXT};
use lift_syntax::apl::kernels;
use lift_syntax::{FormKind, Language, LineIndex, RawForm, TextSize, lex, resplit, whole};
use rustc_hash::FxHashMap;
use salsa::{Durability, Setter};
use std::collections::VecDeque;
use std::sync::{Arc, PoisonError};

/// Determines the durability of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lifetime {
    /// Built into the program; never changes.
    Program,
    Session,
}

/// The changes that an edit makes to the forms.
#[derive(Debug)]
struct Change {
    file: SourceFile,
    /// The former state of each form whose content changed; forms that only moved are not listed.
    touched: Vec<Before>,
    /// Whether the set of forms, their names or their order changed.
    structure: bool,
    /// Whether a file was added or removed.
    files: bool,
}

/// The former state of a form.
#[derive(Debug)]
struct Before {
    form: Form,
    name: Option<Name>,
    kind: FormKind,
    words: Words,
    uses: Words,
}

/// A form as the new text has it.
struct Wanted<'t> {
    name: Option<&'t str>,
    kind: FormKind,
    text: &'t str,
}

impl Wanted<'_> {
    fn of<'t>(text: &'t str, raw: &RawForm) -> Wanted<'t> {
        Wanted { name: raw.name.map(|range| &text[range]), kind: raw.kind, text: &text[raw.range] }
    }

    /// The [`Words`] of the form, without the first occurrence of its own name.
    fn words(&self) -> Words {
        let tokens = lex(self.text);
        let mut own = self.name;
        let mut words: Vec<u32> = Vec::new();
        for token in 0..tokens.len() {
            let kind = tokens.kind(token);
            // Numbers are edited most and name nothing.
            let number = kind.is_number();
            if number || kind.is_trivia() || kind.is_opener() || kind.is_closer() {
                continue;
            }
            let text = &self.text[tokens.range(token)];
            if own == Some(text) {
                own = None;
                continue;
            }
            words.push(word(text));
        }
        if self.text.contains("forwards:") || self.text.contains("backwards:") {
            words.push(word(LAW_WORD));
        }
        words.sort_unstable();
        words.dedup();
        words.into()
    }
}

impl Default for RootDatabase {
    fn default() -> RootDatabase {
        RootDatabase::with_storage(salsa::Storage::new(None), Counts::default())
    }
}

impl RootDatabase {
    /// Creates a database that counts query executions, for tests.
    pub fn counting() -> RootDatabase {
        let counts = Counts::default();
        let counter = counts.clone();
        let storage = salsa::Storage::new(Some(Box::new(move |event: salsa::Event| {
            let mut counts = counter.lock().unwrap_or_else(PoisonError::into_inner);
            match event.kind {
                salsa::EventKind::WillExecute { database_key } => {
                    *counts.0.entry(database_key.ingredient_index()).or_default() += 1;
                }
                salsa::EventKind::DidValidateMemoizedValue { .. } => counts.1 += 1,
                _ => {}
            }
        })));
        RootDatabase::with_storage(storage, counts)
    }

    fn with_storage(storage: salsa::Storage<RootDatabase>, counts: Counts) -> RootDatabase {
        let mut db = RootDatabase::empty(storage, counts);
        let mut by_path = FxHashMap::default();
        for (path, text) in [(PRELUDE_PATH, PRELUDE_TEXT), (PRIMITIVES_PATH, PRIMITIVES_TEXT)] {
            let path: Arc<str> = path.into();
            let file = new_file(&mut db, path.clone(), text.into(), Lifetime::Program).file;
            if *path == *PRELUDE_PATH {
                db.set_prelude(file);
            }
            by_path.insert(path, file);
        }
        let _singleton =
            Files::builder(Arc::new(by_path), Arc::default(), Arc::default()).durability(Durability::MEDIUM).new(&db);
        db
    }

    /// Adds a file or sets its text. Returns what that invalidates; `None` for an equal text or a built-in path.
    pub fn set_file(&mut self, path: &str, text: Arc<str>) -> Option<Invalidated> {
        if path.starts_with(BUILTIN_PREFIX) {
            return None;
        }
        if let Some(file) = self.file(path) {
            // Setting an equal value would still start a new revision.
            return (*file.text(self) != text).then(|| {
                let change = set_text(self, file, text);
                invalidated::after(self, &change)
            });
        }
        let path: Arc<str> = path.into();
        let known = Files::get(self).gone(self).get(&path).copied();
        let change = match known {
            Some(file) => set_text(self, file, text),
            None => new_file(self, path.clone(), text, Lifetime::Session),
        };
        let file = change.file;
        self.change_files(|files, gone| {
            gone.remove(&path);
            files.insert(path, file);
        });
        Some(invalidated::after(self, &Change { files: true, ..change }))
    }

    /// Records why a file cannot be read, until it is added. Returns whether the reason is new.
    pub fn set_unreadable(&mut self, path: &str, why: &str) -> bool {
        let files = Files::get(self);
        if self.file(path).is_some() || files.unreadable(self).get(path).is_some_and(|known| **known == *why) {
            return false;
        }
        let mut unreadable = (**files.unreadable(self)).clone();
        unreadable.insert(path.into(), why.into());
        files.set_unreadable(self).to(Arc::new(unreadable));
        true
    }

    pub fn remove_file(&mut self, path: &str) -> Option<Invalidated> {
        if path.starts_with(BUILTIN_PREFIX) {
            return None;
        }
        let file = self.file(path)?;
        // An input lives as long as the database; its text need not.
        let change = set_text(self, file, "".into());
        self.change_files(|files, gone| {
            if let Some((path, file)) = files.remove_entry(path) {
                gone.insert(path, file);
            }
        });
        Some(invalidated::after(self, &Change { files: true, ..change }))
    }

    fn change_files(&mut self, change: impl FnOnce(&mut FilesByPath, &mut FilesByPath)) {
        let files = Files::get(self);
        let (mut by_path, mut gone) = ((**files.by_path(self)).clone(), (**files.gone(self)).clone());
        change(&mut by_path, &mut gone);
        let is_there = |path: &Arc<str>| by_path.contains_key(path);
        if files.unreadable(self).keys().any(is_there) {
            let mut unreadable = (**files.unreadable(self)).clone();
            unreadable.retain(|path, _| !is_there(path));
            files.set_unreadable(self).to(Arc::new(unreadable));
        }
        files.set_by_path(self).to(Arc::new(by_path));
        files.set_gone(self).to(Arc::new(gone));
    }
}

type FilesByPath = FxHashMap<Arc<str>, SourceFile>;

/// Creates a file and its forms, without adding it to the set of files.
fn new_file(db: &mut RootDatabase, path: Arc<str>, text: Arc<str>, lifetime: Lifetime) -> Change {
    let durability = if lifetime == Lifetime::Program { Durability::HIGH } else { Durability::MEDIUM };
    let moving = if lifetime == Lifetime::Program { Durability::HIGH } else { Durability::LOW };
    let none = || Arc::from([]);
    let lines = Arc::new(LineIndex::new(""));
    let file = SourceFile::builder(
        path,
        "".into(),
        lines,
        Arc::from([]),
        none(),
        Arc::from([]),
        none(),
        Arc::default(),
        Arc::default(),
        Arc::from([]),
        Arc::default(),
        true,
        none(),
        none(),
    )
    .durability(durability)
    .text_durability(moving)
    .lines_durability(moving)
    .split_durability(moving)
    .new(db);
    set_forms(db, file, text, durability, moving)
}

/// Sets the text of a file and updates its forms.
fn set_text(db: &mut RootDatabase, file: SourceFile, text: Arc<str>) -> Change {
    set_forms(db, file, text, Durability::MEDIUM, Durability::LOW)
}

fn set_forms(
    db: &mut RootDatabase,
    file: SourceFile,
    text: Arc<str>,
    durability: Durability,
    moving: Durability,
) -> Change {
    let (old_text, old_split, old) = (file.text(db).clone(), file.split(db).clone(), file.members(db).clone());
    let edit = match language(db, file) {
        Language::Lift => resplit(&old_text, &old_split, &text),
        Language::Apl => whole::resplit(&old_text, &old_split, &text, kernels::split(&text)),
        Language::Fcl => whole::resplit(&old_text, &old_split, &text, whole::split(&text)),
    };
    let wanted: Vec<Wanted<'_>> = edit.between.iter().map(|raw| Wanted::of(&text, raw)).collect();
    let (taken, left) = take_places(db, &old[edit.first..edit.behind], &wanted);
    // Spare entities are used only where no old form is available.
    let mut spare: Vec<Form> = file.spare(db).to_vec();
    let mut change = Change { file, touched: Vec::new(), structure: false, files: false };
    let mut between = Vec::with_capacity(wanted.len());
    let mut slots = file.places(db).len() as u32;
    for (wanted, form) in wanted.iter().zip(taken) {
        between.push(match form.or_else(|| spare.pop()) {
            Some(form) => {
                update(db, form, wanted, &mut change);
                form
            }
            None => {
                let name = wanted.name.map(Name::from);
                let words = wanted.words();
                let uses = uses(&words, file.defined(db));
                let form = Form::builder(file, slots, name, 0, wanted.kind, words, uses, wanted.text.into())
                    .durability(durability)
                    .text_durability(moving)
                    .new(db);
                slots += 1;
                let (words, uses) = (Words::default(), Words::default());
                change.touched.push(Before { form, name: None, kind: FormKind::Stray, words, uses });
                change.structure = true;
                form
            }
        });
    }
    for form in left {
        spare.push(form);
        update(db, form, &Wanted { name: None, kind: FormKind::Stray, text: "" }, &mut change);
    }
    let forms_now = edit.forms(&old_split);
    if old[edit.first..edit.behind] != *between {
        change.structure = true;
        let members: Vec<Form> = old[..edit.first].iter().chain(&between).chain(&old[edit.behind..]).copied().collect();
        file.set_members(db).to(members.into());
        file.set_spare(db).to(spare.into());
    }
    let inserted = (usize::from(edit.replaced.len()) as isize + edit.moved) as u32;
    let lines = file.lines(db).edited(edit.replaced, TextSize::new(inserted), &text);
    file.set_lines(db).to(Arc::new(lines));
    file.set_text(db).to(text);
    file.set_split(db).to(forms_now.into());
    let replaced = structure::Replaced { first: edit.first, old: &old[edit.first..edit.behind], new: &between };
    structure::after(db, file, &change, &replaced);
    change
}

/// Assigns an old form to each wanted form: of the same name if there is one, otherwise any unmatched old form. Returns
/// them with the old forms that remain.
fn take_places(db: &RootDatabase, old: &[Form], wanted: &[Wanted<'_>]) -> (Vec<Option<Form>>, Vec<Form>) {
    let mut by_name: FxHashMap<Option<&str>, VecDeque<usize>> = FxHashMap::default();
    for (index, form) in old.iter().enumerate() {
        by_name.entry(form.name(db).as_deref()).or_default().push_back(index);
    }
    let mut free = vec![true; old.len()];
    let mut taken: Vec<Option<Form>> = Vec::with_capacity(wanted.len());
    for wanted in wanted {
        let index = by_name.get_mut(&wanted.name).and_then(VecDeque::pop_front);
        if let Some(index) = index {
            free[index] = false;
        }
        taken.push(index.map(|index| old[index]));
    }
    let mut left = old.iter().zip(free).filter(|(_, free)| *free).map(|(form, _)| *form);
    for place in taken.iter_mut().filter(|place| place.is_none()) {
        *place = left.next();
    }
    let left = left.collect();
    (taken, left)
}

/// Sets the fields of a form that differ from the wanted ones.
fn update(db: &mut RootDatabase, form: Form, wanted: &Wanted<'_>, change: &mut Change) {
    let renamed = form.name(db).as_deref() != wanted.name;
    let another = form.kind(db) != wanted.kind;
    if !renamed && !another && **form.text(db) == *wanted.text {
        return;
    }
    let words = wanted.words();
    change.touched.push(Before {
        form,
        name: form.name(db).clone(),
        kind: form.kind(db),
        words: form.words(db).clone(),
        uses: form.uses(db).clone(),
    });
    change.structure |= renamed || another;
    if *form.words(db) != words {
        let uses = uses(&words, form.file(db).defined(db));
        if *form.uses(db) != uses {
            form.set_uses(db).to(uses);
        }
        form.set_words(db).to(words);
    }
    if renamed {
        form.set_name(db).to(wanted.name.map(Name::from));
    }
    if another {
        form.set_kind(db).to(wanted.kind);
    }
    form.set_text(db).to(wanted.text.into());
}

/// The words that are names of definitions.
fn uses(words: &[u32], defined: &[(u32, Form)]) -> Words {
    let is_defined = |word: &u32| defined.binary_search_by_key(word, |(name, _)| *name).is_ok();
    words.iter().copied().filter(is_defined).collect()
}
