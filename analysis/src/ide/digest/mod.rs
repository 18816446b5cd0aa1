//! The file index: results about all forms of a file, kept from edit to edit. These are the forms with diagnostics, the
//! types, and what clients show for a whole file.
//!
//! A query over all forms of a file would visit each of them after every edit. The index recomputes only the forms that
//! an edit may invalidate ([`crate::edit`]); for these, the queries find out what really changed. A test compares
//! the index with recomputing everything.
//!
//! | module | job |
//! |---|---|
//! | `definitions` | the definitions of a file, grouped by type |
//! | `kept` | cached values per form (colours, outline, folds) |

mod definitions;
mod kept;

pub(super) use definitions::Definitions;

use super::diagnostics::{form_diagnostics, of_forms};
use super::outline::symbol_of;
use super::semantic::{SemanticToken, form_tokens};
use super::structure::{self, Fold, Foldable};
use super::{FileDiagnostic, Symbol};
use crate::db::{Db, Form, RootDatabase, SourceFile, Sym, forms};
use crate::edit::Invalidated;
use crate::infer::Mode;
use crate::infer::elaborate::scopes_with_insertions;
use crate::names::{mentions, resolve};
use crate::queries::{infer, infer_in_order, signature};
use kept::Kept;
use lift_syntax::TextSize;
use rustc_hash::{FxHashMap, FxHashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The indexes of all files, shared by the snapshots of one host.
#[derive(Clone, Default)]
pub(super) struct Digests(Arc<Shared>);

#[derive(Default)]
struct Shared {
    /// Edits not applied to the indexes yet. Locked only briefly, because an edit must not wait for a computation.
    edits: Mutex<Vec<Invalidated>>,
    files: Mutex<FxHashMap<SourceFile, Digest>>,
}

/// The index of one file.
#[derive(Default)]
struct Digest {
    /// The forms to recompute.
    stale: FxHashSet<Form>,
    definitions: Arc<Definitions>,
    /// The forms with diagnostics.
    wrong: FxHashSet<Form>,
    /// The forms in which packs or unpacks are inserted.
    inserted: FxHashSet<Form>,
    /// The forms that mention unknown names.
    unresolved: FxHashSet<Form>,
    /// Ranges here and in the next two are relative to the form.
    symbols: Option<Kept<Symbol>>,
    tokens: Option<Kept<Arc<[SemanticToken]>>>,
    foldable: Option<Kept<Foldable>>,
}

impl Digests {
    /// Records an edit after it was made. No snapshot from before it may be alive.
    pub fn edited(&self, invalidated: Invalidated) {
        let mut edits = lock(&self.0.edits);
        if invalidated.everything {
            // It makes all earlier edits irrelevant.
            edits.clear();
        }
        edits.push(invalidated);
    }

    /// The diagnostics of a file, in order of location.
    pub fn diagnostics(&self, db: &RootDatabase, file: SourceFile) -> Vec<FileDiagnostic> {
        let mut wrong: Vec<Form> = {
            let files = self.asked(db, file);
            let found = files.get(&file).map(|digest| digest.wrong.iter().copied().collect());
            found.unwrap_or_default()
        };
        wrong.extend(file.repeated(db).iter());
        wrong.sort_unstable_by_key(|form| form.start(db));
        wrong.dedup();
        of_forms(db, &wrong, Mode::Insert)
    }

    /// The definitions of a file that have a type.
    pub fn definitions(&self, db: &RootDatabase, file: SourceFile) -> Arc<Definitions> {
        self.asked(db, file).get(&file).map(|digest| digest.definitions.clone()).unwrap_or_default()
    }

    /// The symbols of a file, in order, with their forms.
    pub fn symbols(&self, db: &RootDatabase, file: SourceFile) -> Vec<(Form, Symbol)> {
        let mut files = self.known(db);
        let kept = digest(&mut files, db, file).symbols.get_or_insert_with(|| Kept::of(forms(db, file)));
        let stale = kept.stale(db);
        ask_together(db, &stale);
        infer_in_order(db, &stale, Mode::Insert);
        for form in stale {
            kept.set(form, symbol_of(db, form));
        }
        let placed = |(form, start)| {
            let mut symbol: Symbol = kept.values().get(&form)?.clone();
            symbol.range += start;
            symbol.focus += start;
            Some((form, symbol))
        };
        starts(db, file).filter_map(placed).collect()
    }

    /// The semantic tokens of a whole file, in order.
    pub fn tokens(&self, db: &RootDatabase, file: SourceFile) -> Vec<SemanticToken> {
        let mut files = self.known(db);
        let kept = digest(&mut files, db, file).tokens.get_or_insert_with(|| Kept::of(forms(db, file)));
        let stale = kept.stale(db);
        ask_together(db, &stale);
        infer_in_order(db, &stale, Mode::Insert);
        for form in stale {
            kept.set(form, Some(form_tokens(db, form).as_slice().into()));
        }
        let mut tokens = Vec::with_capacity(kept.values().values().map(|own| own.len()).sum());
        for (form, start) in starts(db, file) {
            let own = kept.values().get(&form).map_or(&[][..], |own| own);
            tokens.extend(own.iter().map(|token| SemanticToken { range: token.range + start, ..*token }));
        }
        tokens
    }

    /// The foldable ranges of a file.
    pub fn folds(&self, db: &RootDatabase, file: SourceFile) -> Vec<Fold> {
        let mut files = self.known(db);
        let kept = digest(&mut files, db, file).foldable.get_or_insert_with(|| Kept::of(forms(db, file)));
        for form in kept.stale(db) {
            kept.set(form, Some(Foldable::of(form.text(db))));
        }
        let none = Foldable::default();
        let parts = starts(db, file).map(|(form, start)| (form, start, kept.values().get(&form).unwrap_or(&none)));
        structure::folds(db, file, parts)
    }

    /// Whether a form of the file has insertions.
    pub fn has_insertions(&self, db: &RootDatabase, file: SourceFile) -> bool {
        self.asked(db, file).get(&file).is_some_and(|digest| !digest.inserted.is_empty())
    }

    /// The forms with insertions, in order.
    pub fn inserted(&self, db: &RootDatabase, file: SourceFile) -> Vec<Form> {
        let found = self.asked(db, file).get(&file).map(|digest| digest.inserted.iter().copied().collect());
        let mut found: Vec<Form> = found.unwrap_or_default();
        found.sort_unstable_by_key(|form| form.start(db));
        found
    }

    /// Recomputes the stale forms of a file. A newer edit cancels this, but finished forms stay cached.
    fn asked(&self, db: &RootDatabase, file: SourceFile) -> MutexGuard<'_, FxHashMap<SourceFile, Digest>> {
        let mut files = self.known(db);
        let digest = digest(&mut files, db, file);
        let mut stale: Vec<Form> = digest.stale.iter().copied().filter(|form| form.is_member(db)).collect();
        stale.sort_unstable_by_key(|form| form.start(db));
        ask_together(db, &stale);
        infer_in_order(db, &stale, Mode::Insert);
        for form in stale {
            digest.ask(db, form);
        }
        digest.stale.clear();
        files
    }

    /// The indexes, with all edits so far applied.
    fn known(&self, db: &RootDatabase) -> MutexGuard<'_, FxHashMap<SourceFile, Digest>> {
        let mut files = lock(&self.0.files);
        let edits = std::mem::take(&mut *lock(&self.0.edits));
        for edit in edits {
            apply(db, &mut files, edit);
        }
        files
    }
}

fn digest<'a>(files: &'a mut FxHashMap<SourceFile, Digest>, db: &RootDatabase, file: SourceFile) -> &'a mut Digest {
    files.entry(file).or_insert_with(|| {
        // Nothing was computed yet.
        Digest { stale: forms(db, file).iter().copied().collect(), ..Digest::default() }
    })
}

/// The forms of a file, in order, with their start offsets.
fn starts(db: &dyn Db, file: SourceFile) -> impl Iterator<Item = (Form, TextSize)> {
    forms(db, file).iter().zip(file.split(db).iter()).map(|(form, raw)| (*form, raw.range.start()))
}

impl Digest {
    fn outdate(&mut self, forms: &[Form]) {
        self.stale.extend(forms);
        self.symbols.iter_mut().for_each(|kept| kept.outdate(forms));
        self.tokens.iter_mut().for_each(|kept| kept.outdate(forms));
        self.foldable.iter_mut().for_each(|kept| kept.outdate(forms));
    }

    fn ask(&mut self, db: &dyn Db, form: Form) {
        let known = |name| resolve(db, form.file(db), Sym::new(db, Clone::clone(name))).is_some();
        let unresolved = !mentions(db, form).iter().all(known);
        let wrong = !form_diagnostics(db, form).is_empty();
        let inserted = !scopes_with_insertions(&infer(db, form)).is_empty();
        let scheme = signature(db, form);
        self.forget(db, form);
        if unresolved {
            self.unresolved.insert(form);
        }
        if wrong {
            self.wrong.insert(form);
        }
        if inserted {
            self.inserted.insert(form);
        }
        if let Some(scheme) = scheme {
            Arc::make_mut(&mut self.definitions).set(db, form, scheme);
        }
    }

    fn forget(&mut self, db: &dyn Db, form: Form) {
        self.stale.remove(&form);
        Arc::make_mut(&mut self.definitions).forget(db, form);
        self.wrong.remove(&form);
        self.inserted.remove(&form);
        self.unresolved.remove(&form);
    }
}

/// Minimum number of forms per thread.
const FORMS_A_THREAD: usize = 128;
/// Stack size for the deepest allowed nesting, independent of the system's default; untouched pages cost nothing.
const STACK: usize = 64 << 20;

/// Computes many forms in parallel, as for a file that was just opened, so that their results are cached.
fn ask_together(db: &RootDatabase, forms: &[Form]) {
    let processors = std::thread::available_parallelism().map_or(1, |n| n.get()).min(8);
    let threads = processors.min(forms.len() / FORMS_A_THREAD);
    if threads < 2 {
        return;
    }
    let ask = |db: &RootDatabase, forms: &[Form]| {
        infer_in_order(db, forms, Mode::Insert);
        for &form in forms {
            form_diagnostics(db, form);
        }
    };
    std::thread::scope(|scope| {
        for part in forms.chunks(forms.len().div_ceil(threads)) {
            let db = AssertUnwindSafe(db.clone());
            let run = move || {
                let db = db;
                // The caller observes the cancellation or the panic.
                let _ = catch_unwind(AssertUnwindSafe(|| ask(&db, part)));
            };
            // If no thread can be started, the caller computes the forms itself.
            drop(std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, run));
        }
    });
}

fn apply(db: &dyn Db, files: &mut FxHashMap<SourceFile, Digest>, edit: Invalidated) {
    if edit.everything {
        files.clear();
        return;
    }
    for form in edit.removed {
        if let Some(digest) = files.get_mut(&form.file(db)) {
            digest.forget(db, form);
            digest.symbols.iter_mut().for_each(|kept| kept.forget(form));
            digest.tokens.iter_mut().for_each(|kept| kept.forget(form));
            digest.foldable.iter_mut().for_each(|kept| kept.forget(form));
        }
    }
    for form in edit.forms {
        if let Some(digest) = files.get_mut(&form.file(db)) {
            digest.outdate(&[form]);
        }
    }
    if edit.names {
        for digest in files.values_mut() {
            // Forms not computed yet may mention unknown names as well.
            let unresolved: Vec<Form> = digest.unresolved.iter().chain(&digest.stale).copied().collect();
            digest.outdate(&unresolved);
        }
    }
}

/// Locks a mutex. Its data is consistent at every moment, so poisoning is ignored.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
