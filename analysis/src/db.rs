//! The database: what is put in, and the unit of incrementality.
//!
//! Inputs are texts under virtual paths. A file is split into forms by its brackets alone; each form is a tracked entity
//! whose identity is its file, its name and which of that name it is, so that an edit in one form, or above it, leaves
//! the others what they were. Everything up to the last step reads a form's text and never its start.

use crate::hir::Name;
use crate::prims::{PRIMITIVES_PATH, PRIMITIVES_TEXT};
use lift_syntax::{RawForm, TextSize};
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
    /// Where the forms of the text are: [`lift_syntax::split`], kept up with each edit.
    #[returns(ref)]
    pub split: Arc<[RawForm]>,
}

/// The files that exist.
#[salsa::input(singleton, debug)]
pub struct Files {
    #[returns(ref)]
    pub by_path: Arc<FxHashMap<Arc<str>, SourceFile>>,
}

/// A name or a path as the key of a query.
#[salsa::interned(debug)]
pub struct Sym<'db> {
    #[returns(ref)]
    pub text: Name,
}

/// A top-level form.
#[salsa::tracked(debug)]
pub struct Form<'db> {
    #[returns(copy)]
    pub file: SourceFile,
    #[returns(ref)]
    pub name: Option<Name>,
    /// How many forms of this name (or without one) stand before it in the file.
    #[returns(copy)]
    pub nth: u32,
    #[tracked]
    #[returns(copy)]
    pub kind: lift_syntax::FormKind,
    #[tracked]
    #[returns(ref)]
    pub text: Arc<str>,
    /// Where the text starts in the file. Read only to show a result.
    #[tracked]
    #[returns(copy)]
    pub start: TextSize,
}

#[salsa::db]
pub trait Db: salsa::Database {
    /// The definitions that every file sees.
    fn prelude(&self) -> SourceFile;
}

/// How often each query ran.
type Counts = Arc<Mutex<FxHashMap<salsa::IngredientIndex, usize>>>;

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
            if let salsa::EventKind::WillExecute { database_key } = event.kind {
                let mut counts = counter.lock().unwrap_or_else(PoisonError::into_inner);
                *counts.entry(database_key.ingredient_index()).or_default() += 1;
            }
        })));
        RootDatabase::with_storage(storage, counts)
    }

    fn with_storage(storage: salsa::Storage<RootDatabase>, counts: Counts) -> RootDatabase {
        let mut db = RootDatabase { storage, prelude: None, counts };
        let mut by_path = FxHashMap::default();
        for (path, text) in [(PRELUDE_PATH, PRELUDE_TEXT), (PRIMITIVES_PATH, PRIMITIVES_TEXT)] {
            let path: Arc<str> = path.into();
            let split = lift_syntax::split(text).into();
            let file = SourceFile::builder(path.clone(), text.into(), split).durability(Durability::HIGH).new(&db);
            if *path == *PRELUDE_PATH {
                db.prelude = Some(file);
            }
            by_path.insert(path, file);
        }
        let _singleton = Files::builder(Arc::new(by_path)).durability(Durability::MEDIUM).new(&db);
        db
    }

    /// How often each query ran since the last call, by the query's name.
    pub fn take_executed(&self) -> BTreeMap<String, usize> {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let named = |(key, n)| (salsa::Database::ingredient_debug_name(self, key).into_owned(), n);
        counts.drain().map(named).collect()
    }

    pub fn file(&self, path: &str) -> Option<SourceFile> {
        Files::get(self).by_path(self).get(path).copied()
    }

    /// Adds a file, or sets its text. An equal text changes nothing. The files that ship with the program stay.
    pub fn set_file(&mut self, path: &str, text: Arc<str>) {
        if path.starts_with(BUILTIN_PREFIX) {
            return;
        }
        match self.file(path) {
            // Setting an equal value would be a change all the same.
            Some(file) if *file.text(self) == text => {}
            Some(file) => self.change_text(file, text),
            None => {
                let path: Arc<str> = path.into();
                let split = lift_syntax::split(&text).into();
                let file = SourceFile::new(self, path.clone(), text, split);
                self.change_files(|files| {
                    files.insert(path, file);
                });
            }
        }
    }

    pub fn remove_file(&mut self, path: &str) {
        if path.starts_with(BUILTIN_PREFIX) {
            return;
        }
        if let Some(file) = self.file(path) {
            // An input lives as long as the database; its text need not.
            self.change_text(file, "".into());
            self.change_files(|files| {
                files.remove(path);
            });
        }
    }

    fn change_text(&mut self, file: SourceFile, text: Arc<str>) {
        let split = lift_syntax::resplit(file.text(self), file.split(self), &text);
        file.set_text(self).to(text);
        file.set_split(self).to(split.into());
    }

    fn change_files(&mut self, change: impl FnOnce(&mut FxHashMap<Arc<str>, SourceFile>)) {
        let files = Files::get(self);
        let mut by_path = (**files.by_path(self)).clone();
        change(&mut by_path);
        files.set_by_path(self).to(Arc::new(by_path));
    }
}

/// The file under a path, behind a query of its own: another file that comes or goes disturbs nobody.
#[salsa::tracked(returns(copy))]
pub fn file_by_path<'db>(db: &'db dyn Db, path: Sym<'db>) -> Option<SourceFile> {
    Files::get(db).by_path(db).get(path.text(db)).copied()
}

/// The forms of a file, in order.
#[salsa::tracked]
pub fn forms<'db>(db: &'db dyn Db, file: SourceFile) -> Vec<Form<'db>> {
    let text = file.text(db);
    let mut seen: FxHashMap<Option<Name>, u32> = FxHashMap::default();
    let form = |raw: &RawForm| {
        let name: Option<Name> = raw.name.map(|range| text[range].into());
        let count = seen.entry(name.clone()).or_default();
        let nth = *count;
        *count += 1;
        Form::new(db, file, name, nth, raw.kind, text[raw.range].into(), raw.range.start())
    };
    file.split(db).iter().map(form).collect()
}

/// Whether the file ships inside the program.
pub fn is_builtin(db: &dyn Db, file: SourceFile) -> bool {
    file.path(db).starts_with(BUILTIN_PREFIX)
}
