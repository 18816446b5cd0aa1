//! The database: inputs and the unit of incrementality.
//!
//! Inputs are texts under virtual paths. A file is split into forms by brackets alone, and each form is an input: an
//! edit sets only the changed fields of the forms that it touches ([`crate::edit`]), so that its cost follows the form.
//! Only the last step reads where a form starts; all other queries read its text.
//!
//! Data that seldom changes (the forms of a file, their names, the identifiers in them) has a higher durability than
//! the texts. Salsa skips validation of results that depend on nothing else after an edit in a text.

use crate::hir::Name;
use lift_syntax::{Language, LineIndex, RawForm, TextRange, TextSize};
use rustc_hash::{FxHashMap, FxHasher};
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

/// Prefix of the paths of files built into the program.
pub const BUILTIN_PREFIX: &str = "lift:";
pub const PRELUDE_PATH: &str = "lift:prelude.lift";
pub const PRELUDE_TEXT: &str = include_str!("../prelude/prelude.lift");

#[salsa::input(debug)]
pub struct SourceFile {
    /// The normalised path: parts joined by `/`, without `.` and `..`.
    #[returns(ref)]
    pub path: Arc<str>,
    #[returns(ref)]
    pub text: Arc<str>,
    #[returns(ref)]
    pub lines: Arc<LineIndex>,
    /// Kinds, names and ranges of the forms: [`lift_syntax::split`], updated by each edit.
    #[returns(ref)]
    pub split: Arc<[RawForm]>,
    /// The forms, in the order of `split`.
    #[returns(ref)]
    pub members: Arc<[Form]>,
    /// The index of each form in `members`, by [`Form::slot`]; `u32::MAX` for an unused entity.
    #[returns(ref)]
    pub places: Arc<[u32]>,
    /// The import forms.
    #[returns(ref)]
    pub import_forms: Arc<[Form]>,
    /// The forms by name, each list in order.
    #[returns(ref)]
    pub by_name: Arc<FxHashMap<Option<Name>, Box<[Form]>>>,
    /// The first definition of each name.
    #[returns(ref)]
    pub names: Arc<FxHashMap<Name, Form>>,
    /// The hashes of these names, sorted, with the definitions.
    #[returns(ref)]
    pub defined: Arc<[(u32, Form)]>,
    /// The forms by the hashes of the identifiers in them ([`Form::words`]), in any order.
    #[returns(ref)]
    pub with_word: Arc<FxHashMap<u32, Vec<Form>>>,
    /// Whether no definition mentions itself, directly or through others of the file.
    #[returns(copy)]
    pub acyclic: bool,
    /// Definitions whose name is already taken, and the second kernel without a name.
    #[returns(ref)]
    pub repeated: Arc<[Form]>,
    /// Unused entities, for later forms.
    #[returns(ref)]
    pub spare: Arc<[Form]>,
}

/// The existing files.
#[salsa::input(singleton, debug)]
pub struct Files {
    #[returns(ref)]
    pub by_path: Arc<FxHashMap<Arc<str>, SourceFile>>,
    /// Removed files, to be reused when their path returns.
    #[returns(ref)]
    pub gone: Arc<FxHashMap<Arc<str>, SourceFile>>,
    /// Why missing files could not be read; files that simply do not exist have no entry.
    #[returns(ref)]
    pub unreadable: Arc<FxHashMap<Arc<str>, Arc<str>>>,
}

/// A name or a path as the key of a query.
#[salsa::interned(debug)]
pub struct Sym<'db> {
    #[returns(ref)]
    pub text: Name,
}

/// Sorted hashes of the identifiers and keywords in a form, and of [`LAW_WORD`]. A collision only adds dependencies.
pub type Words = Arc<[u32]>;

/// The word of forms that may be laws, because their documentation has the title of a direction.
pub const LAW_WORD: &str = "forwards:";

/// The hash of an identifier.
pub fn word(text: &str) -> u32 {
    let mut hasher = FxHasher::default();
    text.hash(&mut hasher);
    let hash = hasher.finish();
    (hash ^ (hash >> 32)) as u32
}

/// A top-level form.
///
/// After an edit, an entity stays with the form of the same name if there is one, otherwise with one of the forms whose
/// names are new.
#[salsa::input(debug)]
pub struct Form {
    #[returns(copy)]
    pub file: SourceFile,
    /// The number of the entity in its file. It never changes.
    #[returns(copy)]
    pub slot: u32,
    #[returns(ref)]
    pub name: Option<Name>,
    /// The number of earlier forms in the file with the same name, or without one.
    #[returns(copy)]
    pub nth: u32,
    #[returns(copy)]
    pub kind: lift_syntax::FormKind,
    /// The identifiers in the text except the form's own name: a superset of the names that it mentions.
    #[returns(ref)]
    pub words: Words,
    /// The `words` that are names of definitions in the file. They change less often: a new local name adds none.
    #[returns(ref)]
    pub uses: Words,
    #[returns(ref)]
    pub text: Arc<str>,
}

impl Form {
    /// The index of the form in its file; `None` for an unused entity.
    pub fn place(self, db: &dyn Db) -> Option<usize> {
        let place = self.file(db).places(db).get(self.slot(db) as usize).copied()?;
        (place != u32::MAX).then_some(place as usize)
    }

    /// Whether the entity is in use for a form.
    pub fn is_member(self, db: &dyn Db) -> bool {
        self.place(db).is_some()
    }

    /// The offset of the text in the file. Read only to show a result.
    pub fn start(self, db: &dyn Db) -> TextSize {
        // An unused entity has an empty text, for which any offset will do.
        let form = self.place(db).and_then(|place| self.file(db).split(db).get(place));
        form.map_or(TextSize::new(0), |form| form.range.start())
    }
}

#[salsa::db]
pub trait Db: salsa::Database {
    /// The file whose definitions every file sees.
    fn prelude(&self) -> SourceFile;
}

/// The number of executions of each query, and the number of validated results.
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
    /// A database without files; [`crate::edit`] adds the built-in ones.
    pub(crate) fn empty(storage: salsa::Storage<RootDatabase>, counts: Counts) -> RootDatabase {
        RootDatabase { storage, prelude: None, counts }
    }

    pub(crate) fn set_prelude(&mut self, file: SourceFile) {
        self.prelude = Some(file);
    }

    /// Takes the number of executions of each query since the last call, by query name.
    pub fn take_executed(&self) -> BTreeMap<String, usize> {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let named = |(key, n)| (salsa::Database::ingredient_debug_name(self, key).into_owned(), n);
        counts.0.drain().map(named).collect()
    }

    /// Takes the number of results validated since the last call.
    pub fn take_validated(&self) -> usize {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut counts.1)
    }

    pub fn file(&self, path: &str) -> Option<SourceFile> {
        Files::get(self).by_path(self).get(path).copied()
    }
}

/// The file under a path. Being a query of its own, it shields its users from changes of other files.
#[salsa::tracked(returns(copy))]
pub fn file_by_path<'db>(db: &'db dyn Db, path: Sym<'db>) -> Option<SourceFile> {
    Files::get(db).by_path(db).get(path.text(db)).copied()
}

/// Why the file under a path could not be read, if known.
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

/// The source language of a file.
pub fn language(db: &dyn Db, file: SourceFile) -> Language {
    Language::of_path(file.path(db))
}

/// Whether the file is built into the program.
pub fn is_builtin(db: &dyn Db, file: SourceFile) -> bool {
    file.path(db).starts_with(BUILTIN_PREFIX)
}
