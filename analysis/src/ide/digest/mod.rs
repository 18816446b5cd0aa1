//! What is kept of all forms of a file at once, from edit to edit: which of them have diagnostics, their types, and what a
//! client shows of all of them.
//!
//! A query over all forms of a file would look at each of them after every edit. Here only those are asked again that an
//! edit may concern ([`crate::dependents`]); the queries then say what really changed. A test holds the result to that of
//! asking all.

mod definitions;
mod kept;

pub(super) use definitions::Definitions;

use super::diagnostics::{form_diagnostics, of_forms};
use super::outline::symbol_of;
use super::semantic::{SemanticToken, form_tokens};
use super::structure::{self, Fold};
use super::{FileDiagnostic, Symbol};
use crate::db::{Db, Form, RootDatabase, SourceFile, Sym, forms};
use crate::dependents::Concerned;
use crate::infer::Mode;
use crate::infer::elaborate::scopes_with_insertions;
use crate::names::{mentions, resolve};
use crate::queries::{infer, infer_in_order, signature};
use kept::Kept;
use lift_syntax::{TextRange, TextSize};
use rustc_hash::{FxHashMap, FxHashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Shared by the snapshots of one host.
#[derive(Clone, Default)]
pub(super) struct Digests(Arc<Shared>);

#[derive(Default)]
struct Shared {
    /// Edits that no snapshot has looked at. Locked for moments only: an edit must not wait for what is computed.
    edits: Mutex<Vec<Concerned>>,
    files: Mutex<FxHashMap<SourceFile, Digest>>,
}

/// Of one file.
#[derive(Default)]
struct Digest {
    /// The forms that are to be asked again.
    stale: FxHashSet<Form>,
    definitions: Arc<Definitions>,
    /// The forms with diagnostics.
    wrong: FxHashSet<Form>,
    /// The forms in which packs or unpacks are inserted.
    inserted: FxHashSet<Form>,
    /// The forms that mention what nobody knows.
    unresolved: FxHashSet<Form>,
    /// With places relative to their forms, as the two below.
    symbols: Option<Kept<Symbol>>,
    tokens: Option<Kept<Arc<[SemanticToken]>>>,
    groups: Option<Kept<Arc<[TextRange]>>>,
}

impl Digests {
    /// An edit that is made: no snapshot from before it may live.
    pub fn edited(&self, concerned: Concerned) {
        let mut edits = lock(&self.0.edits);
        if concerned.everything {
            // Then nothing matters that came before.
            edits.clear();
        }
        edits.push(concerned);
    }

    /// The diagnostics of a file, in the order of their places.
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

    /// The colours of a whole file, in order.
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

    /// What can be folded in a file.
    pub fn folds(&self, db: &RootDatabase, file: SourceFile) -> Vec<Fold> {
        let mut files = self.known(db);
        let kept = digest(&mut files, db, file).groups.get_or_insert_with(|| Kept::of(forms(db, file)));
        for form in kept.stale(db) {
            kept.set(form, Some(structure::groups(form.text(db)).into()));
        }
        let groups = starts(db, file).map(|(form, start)| {
            let own = kept.values().get(&form).map_or(&[][..], |own| own);
            (form, start, own)
        });
        structure::folds(db, file, groups)
    }

    /// Whether something is inserted in a form of the file.
    pub fn has_insertions(&self, db: &RootDatabase, file: SourceFile) -> bool {
        self.asked(db, file).get(&file).is_some_and(|digest| !digest.inserted.is_empty())
    }

    /// The forms in which something is inserted, in order.
    pub fn inserted(&self, db: &RootDatabase, file: SourceFile) -> Vec<Form> {
        let found = self.asked(db, file).get(&file).map(|digest| digest.inserted.iter().copied().collect());
        let mut found: Vec<Form> = found.unwrap_or_default();
        found.sort_unstable_by_key(|form| form.start(db));
        found
    }

    /// Asks the stale forms of a file again. A newer edit stops that in between; what was asked stays.
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

    /// What is kept, with all edits so far taken in.
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
        // Nothing was asked yet.
        Digest { stale: forms(db, file).iter().copied().collect(), ..Digest::default() }
    })
}

/// The forms of a file, in order, and where each starts.
fn starts(db: &dyn Db, file: SourceFile) -> impl Iterator<Item = (Form, TextSize)> {
    forms(db, file).iter().zip(file.split(db).iter()).map(|(form, raw)| (*form, raw.range.start()))
}

impl Digest {
    fn outdate(&mut self, forms: &[Form]) {
        self.stale.extend(forms);
        self.symbols.iter_mut().for_each(|kept| kept.outdate(forms));
        self.tokens.iter_mut().for_each(|kept| kept.outdate(forms));
        self.groups.iter_mut().for_each(|kept| kept.outdate(forms));
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

/// Fewer forms than these are not worth a thread.
const FORMS_A_THREAD: usize = 128;
/// As deep as programs may be nested, whatever the default of the system is; what is not touched costs nothing.
const STACK: usize = 64 << 20;

/// Asks many forms, as of a file that was just opened, on all processors: their results are there then.
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
                // Who asked meets the edit that stopped this, or the bug, itself.
                let _ = catch_unwind(AssertUnwindSafe(|| ask(&db, part)));
            };
            // Without a thread, there is nothing ahead of time.
            drop(std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, run));
        }
    });
}

fn apply(db: &dyn Db, files: &mut FxHashMap<SourceFile, Digest>, edit: Concerned) {
    if edit.everything {
        files.clear();
        return;
    }
    for form in edit.gone {
        if let Some(digest) = files.get_mut(&form.file(db)) {
            digest.forget(db, form);
            digest.symbols.iter_mut().for_each(|kept| kept.forget(form));
            digest.tokens.iter_mut().for_each(|kept| kept.forget(form));
            digest.groups.iter_mut().for_each(|kept| kept.forget(form));
        }
    }
    for form in edit.forms {
        if let Some(digest) = files.get_mut(&form.file(db)) {
            digest.outdate(&[form]);
        }
    }
    if edit.names {
        for digest in files.values_mut() {
            // Those that were not asked yet may be among them.
            let unresolved: Vec<Form> = digest.unresolved.iter().chain(&digest.stale).copied().collect();
            digest.outdate(&unresolved);
        }
    }
}

/// What is behind a lock here is whole at every moment, also after a panic.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
