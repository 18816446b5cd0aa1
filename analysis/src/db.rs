//! The database: what is put in, and the unit of incrementality.
//!
//! Inputs are texts under virtual paths. A file is split into forms by its brackets alone, and each form is an input of
//! its own: an edit sets what it changes of the forms that it touches ([`crate::edit`]) and nothing of the others, so that
//! what it costs follows the form. Everything up to the last step reads a form's text and never its start.
//!
//! What changes seldom (which forms there are, their names, the words in them) is of a higher durability than their
//! texts: what depends on nothing else is not even looked at after an edit in a text.

use crate::edit::{Change, Lifetime, Words, new_file, set_text};
use crate::hir::Name;
use crate::prims::{PRIMITIVES_PATH, PRIMITIVES_TEXT};
use lift_syntax::{LineIndex, RawForm, TextRange, TextSize};
use rustc_hash::FxHashMap;
use salsa::{Durability, Setter};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Paths that start so name files that ship inside the program.
pub const BUILTIN_PREFIX: &str = "lift:";
pub const PRELUDE_PATH: &str = "lift:prelude.lift";
pub const PRELUDE_TEXT: &str = include_str!("../prelude/prelude.lift");

#[salsa::input(debug)]
pub struct SourceFile {
    /// Normalised: parts joined by `/`, without `.` and `..`.
    #[returns(ref)]
    pub path: Arc<str>,
    #[returns(ref)]
    pub text: Arc<str>,
    #[returns(ref)]
    pub lines: Arc<LineIndex>,
    /// Where the forms of the text are: [`lift_syntax::split`], kept up with each edit.
    #[returns(ref)]
    pub split: Arc<[RawForm]>,
    /// The forms, in the order of `split`.
    #[returns(ref)]
    pub members: Arc<[FormEntity]>,
    /// The place of each form among them, by [`FormEntity::slot`].
    #[returns(ref)]
    pub places: Arc<[u32]>,
    /// The imports among the forms.
    #[returns(ref)]
    pub import_forms: Arc<[FormEntity]>,
    /// The first definition of each name.
    #[returns(ref)]
    pub names: Arc<FxHashMap<Name, FormEntity>>,
    /// Definitions whose name is taken already, and the second kernel without a name.
    #[returns(ref)]
    pub repeated: Arc<[FormEntity]>,
    /// Entities that stand for no form now, to be used again.
    #[returns(ref)]
    pub spare: Arc<[FormEntity]>,
}

/// The files that exist.
#[salsa::input(singleton, debug)]
pub struct Files {
    #[returns(ref)]
    pub by_path: Arc<FxHashMap<Arc<str>, SourceFile>>,
    /// Files that existed, to be used again under the same path.
    #[returns(ref)]
    pub gone: Arc<FxHashMap<Arc<str>, SourceFile>>,
}

/// A name or a path as the key of a query.
#[salsa::interned(debug)]
pub struct Sym<'db> {
    #[returns(ref)]
    pub text: Name,
}

/// A top-level form.
///
/// After an edit it is that form of the file which is most like the one it was: of the same name, if there is one.
#[salsa::input(debug)]
pub struct FormEntity {
    #[returns(copy)]
    pub file: SourceFile,
    /// The number of the entity in its file. It never changes.
    #[returns(copy)]
    pub slot: u32,
    #[returns(ref)]
    pub name: Option<Name>,
    /// How many forms of this name (or without one) stand before it in the file.
    #[returns(copy)]
    pub nth: u32,
    #[returns(copy)]
    pub kind: lift_syntax::FormKind,
    /// The words that stand in it, but for its own name: all that it can mention, and more.
    #[returns(ref)]
    pub words: Words,
    #[returns(ref)]
    pub text: Arc<str>,
}

/// A form, for as long as the database is read: with the next edit the same entity may stand for another one.
pub type Form<'db> = FormEntity;

impl FormEntity {
    /// Its place among the forms of its file; `None` for an entity that stands for no form.
    pub fn place(self, db: &dyn Db) -> Option<usize> {
        let place = self.file(db).places(db).get(self.slot(db) as usize).copied()?;
        (place != u32::MAX).then_some(place as usize)
    }

    /// Whether it stands for a form.
    pub fn is_member(self, db: &dyn Db) -> bool {
        self.place(db).is_some()
    }

    /// Where the text starts in the file. Read only to show a result.
    pub fn start(self, db: &dyn Db) -> TextSize {
        // An entity that stands for no form has an empty text, and that stands anywhere.
        let form = self.place(db).and_then(|place| self.file(db).split(db).get(place));
        form.map_or(TextSize::new(0), |form| form.range.start())
    }
}

#[salsa::db]
pub trait Db: salsa::Database {
    /// The definitions that every file sees.
    fn prelude(&self) -> SourceFile;
}

/// How often each query ran, and how often a result was found to hold still.
type Counts = Arc<Mutex<(FxHashMap<salsa::IngredientIndex, usize>, usize)>>;

#[salsa::db]
#[derive(Clone)]
pub struct RootDatabase {
    storage: salsa::Storage<Self>,
    prelude: Option<SourceFile>,
    counts: Counts,
}

#[salsa::db]
impl salsa::Database for RootDatabase {}

#[salsa::db]
impl Db for RootDatabase {
    fn prelude(&self) -> SourceFile {
        match self.prelude {
            Some(file) => file,
            None => unreachable!("every constructor sets the prelude"),
        }
    }
}

impl Default for RootDatabase {
    fn default() -> RootDatabase {
        RootDatabase::with_storage(salsa::Storage::new(None), Counts::default())
    }
}

impl RootDatabase {
    /// A database that counts how often each query runs, for tests.
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
        let mut db = RootDatabase { storage, prelude: None, counts };
        let mut by_path = FxHashMap::default();
        for (path, text) in [(PRELUDE_PATH, PRELUDE_TEXT), (PRIMITIVES_PATH, PRIMITIVES_TEXT)] {
            let path: Arc<str> = path.into();
            let file = new_file(&mut db, path.clone(), text.into(), Lifetime::Program).file;
            if *path == *PRELUDE_PATH {
                db.prelude = Some(file);
            }
            by_path.insert(path, file);
        }
        let _singleton = Files::builder(Arc::new(by_path), Arc::default()).durability(Durability::MEDIUM).new(&db);
        db
    }

    /// How often each query ran since the last call, by the query's name.
    pub fn take_executed(&self) -> BTreeMap<String, usize> {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let named = |(key, n)| (salsa::Database::ingredient_debug_name(self, key).into_owned(), n);
        counts.0.drain().map(named).collect()
    }

    /// How many results were found to hold still since the last call.
    pub fn take_validated(&self) -> usize {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut counts.1)
    }

    pub fn file(&self, path: &str) -> Option<SourceFile> {
        Files::get(self).by_path(self).get(path).copied()
    }

    /// Adds a file, or sets its text, and says what that changes. An equal text changes nothing. The files that ship with
    /// the program stay.
    pub fn set_file(&mut self, path: &str, text: Arc<str>) -> Option<Change> {
        if path.starts_with(BUILTIN_PREFIX) {
            return None;
        }
        if let Some(file) = self.file(path) {
            // Setting an equal value would be a change all the same.
            return (*file.text(self) != text).then(|| set_text(self, file, text));
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
        Some(Change { files: true, ..change })
    }

    pub fn remove_file(&mut self, path: &str) -> Option<Change> {
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
        Some(Change { files: true, ..change })
    }

    fn change_files(&mut self, change: impl FnOnce(&mut FilesByPath, &mut FilesByPath)) {
        let files = Files::get(self);
        let (mut by_path, mut gone) = ((**files.by_path(self)).clone(), (**files.gone(self)).clone());
        change(&mut by_path, &mut gone);
        files.set_by_path(self).to(Arc::new(by_path));
        files.set_gone(self).to(Arc::new(gone));
    }
}

type FilesByPath = FxHashMap<Arc<str>, SourceFile>;

/// The file under a path, behind a query of its own: another file that comes or goes disturbs nobody.
#[salsa::tracked(returns(copy))]
pub fn file_by_path<'db>(db: &'db dyn Db, path: Sym<'db>) -> Option<SourceFile> {
    Files::get(db).by_path(db).get(path.text(db)).copied()
}

/// The forms of a file, in order.
pub fn forms<'db>(db: &'db dyn Db, file: SourceFile) -> &'db [Form<'db>] {
    file.members(db)
}

/// The forms that touch a range of the file, in order.
pub fn forms_in<'db>(db: &'db dyn Db, file: SourceFile, range: TextRange) -> &'db [Form<'db>] {
    let split = file.split(db);
    let first = split.partition_point(|form| form.range.end() < range.start());
    let end = split.partition_point(|form| form.range.start() <= range.end());
    file.members(db).get(first..end.max(first)).unwrap_or_default()
}

/// Whether the file ships inside the program.
pub fn is_builtin(db: &dyn Db, file: SourceFile) -> bool {
    file.path(db).starts_with(BUILTIN_PREFIX)
}
