//! The database: what is put in, and the unit of incrementality.
//!
//! Inputs are texts under virtual paths. A file is split into forms by its brackets alone, and each form is an input of
//! its own: an edit sets what it changes of the forms that it touches ([`crate::edit`]) and nothing of the others, so that
//! what it costs follows the form. Everything up to the last step reads a form's text and never its start.
//!
//! What changes seldom (which forms there are, their names, the words in them) is of a higher durability than their
//! texts: what depends on nothing else is not even looked at after an edit in a text.

use crate::hir::Name;
use lift_syntax::{Language, LineIndex, RawForm, TextRange, TextSize};
use rustc_hash::{FxHashMap, FxHasher};
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
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
    pub members: Arc<[Form]>,
    /// The place of each form among them, by [`Form::slot`].
    #[returns(ref)]
    pub places: Arc<[u32]>,
    /// The imports among the forms.
    #[returns(ref)]
    pub import_forms: Arc<[Form]>,
    /// The first definition of each name.
    #[returns(ref)]
    pub names: Arc<FxHashMap<Name, Form>>,
    /// Definitions whose name is taken already, and the second kernel without a name.
    #[returns(ref)]
    pub repeated: Arc<[Form]>,
    /// Entities that stand for no form now, to be used again.
    #[returns(ref)]
    pub spare: Arc<[Form]>,
}

/// The files that exist.
#[salsa::input(singleton, debug)]
pub struct Files {
    #[returns(ref)]
    pub by_path: Arc<FxHashMap<Arc<str>, SourceFile>>,
    /// Files that existed, to be used again under the same path.
    #[returns(ref)]
    pub gone: Arc<FxHashMap<Arc<str>, SourceFile>>,
    /// Why files that do not exist here could not be read; a file that is simply missing has no entry.
    #[returns(ref)]
    pub unreadable: Arc<FxHashMap<Arc<str>, Arc<str>>>,
}

/// A name or a path as the key of a query.
#[salsa::interned(debug)]
pub struct Sym<'db> {
    #[returns(ref)]
    pub text: Name,
}

/// Words by their hashes, sorted: two words may have one hash, which only makes more of what is asked about them.
pub type Words = Arc<[u32]>;

/// The hash of a word.
pub fn word(text: &str) -> u32 {
    let mut hasher = FxHasher::default();
    text.hash(&mut hasher);
    let hash = hasher.finish();
    (hash ^ (hash >> 32)) as u32
}

/// A top-level form.
///
/// After an edit the same entity is that form of the file which is most like the one it was: of the same name, if there is
/// one.
#[salsa::input(debug)]
pub struct Form {
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

impl Form {
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
pub(crate) type Counts = Arc<Mutex<(FxHashMap<salsa::IngredientIndex, usize>, usize)>>;

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

impl RootDatabase {
    /// A database without files; [`crate::edit`] puts in those that ship with the program.
    pub(crate) fn empty(storage: salsa::Storage<RootDatabase>, counts: Counts) -> RootDatabase {
        RootDatabase { storage, prelude: None, counts }
    }

    pub(crate) fn set_prelude(&mut self, file: SourceFile) {
        self.prelude = Some(file);
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
}

/// The file under a path, behind a query of its own: another file that comes or goes disturbs nobody.
#[salsa::tracked(returns(copy))]
pub fn file_by_path<'db>(db: &'db dyn Db, path: Sym<'db>) -> Option<SourceFile> {
    Files::get(db).by_path(db).get(path.text(db)).copied()
}

/// Why the file under a path could not be read, if that is known.
#[salsa::tracked(returns(clone))]
pub fn why_unreadable<'db>(db: &'db dyn Db, path: Sym<'db>) -> Option<Arc<str>> {
    Files::get(db).unreadable(db).get(path.text(db)).cloned()
}

/// The forms of a file, in order.
pub fn forms(db: &dyn Db, file: SourceFile) -> &[Form] {
    file.members(db)
}

/// The forms that touch a range of the file, in order.
pub fn forms_in(db: &dyn Db, file: SourceFile, range: TextRange) -> &[Form] {
    let split = file.split(db);
    let first = split.partition_point(|form| form.range.end() < range.start());
    let end = split.partition_point(|form| form.range.start() <= range.end());
    file.members(db).get(first..end.max(first)).unwrap_or_default()
}

/// What the file is written in.
pub fn language(db: &dyn Db, file: SourceFile) -> Language {
    Language::of_path(file.path(db))
}

/// Whether the file ships inside the program.
pub fn is_builtin(db: &dyn Db, file: SourceFile) -> bool {
    file.path(db).starts_with(BUILTIN_PREFIX)
}
