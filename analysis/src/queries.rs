//! Queries from a form's text to its type.
//!
//! `text → lower_form → body → infer → signature`. Two of them stop changes: [`body`] has no source locations, so it is
//! equal after an edit of white space or comments; [`signature`] is the only part of a definition that other forms see,
//! so an edit that keeps the type stops there.

pub use crate::bodies::{body, docs, lower_form};
use crate::calls::{Cycle, cycle_of, in_order};
use crate::db::{Db, Form, SourceFile, Sym, is_builtin};
use crate::diagnostics::{Diagnostic, Severity};
use crate::hir::{Body, FormKind, Name};
use crate::imports::has_broken_import;
use crate::infer::given::Given;
use crate::infer::{
    Definitions, Env, Inference, Lookup, Mode, Partial, check_placement, infer_body, infer_given, infer_partial,
};
use crate::lower::{Lowered, closest, lower};
use crate::names::{Resolution, callees, resolve, similar_name};
use crate::prims::Primitive;
use crate::ty::{Scheme, Ty, TyKind};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::sync::Arc;

/// Types, openings and packings of one form. Depends on the signatures of the definitions that the form uses, never on
/// its own: recursion is found beforehand ([`crate::calls`]).
#[salsa::tracked(returns(clone), lru = 4096)]
pub fn infer(db: &dyn Db, form: Form) -> Arc<Inference> {
    infer_in(db, form, Mode::Insert)
}

/// The type that other forms see; `None` if the form has none.
#[salsa::tracked(returns(clone))]
pub fn signature(db: &dyn Db, form: Form) -> Option<Scheme> {
    infer(db, form).scheme.clone()
}

/// [`infer`] without inserted packs and unpacks: `lift check --explicit`.
#[salsa::tracked(returns(clone))]
pub fn infer_explicit(db: &dyn Db, form: Form) -> Arc<Inference> {
    infer_in(db, form, Mode::Explicit)
}

#[salsa::tracked(returns(clone))]
fn signature_explicit(db: &dyn Db, form: Form) -> Option<Scheme> {
    infer_explicit(db, form).scheme.clone()
}

/// [`infer`] of a definition whose parameters are given these types. Packs and unpacks are inserted in explicit mode, too:
/// the text of the definition has no place for those that only some uses need.
#[salsa::tracked(returns(clone), lru = 256)]
pub fn infer_with_given(db: &dyn Db, form: Form, given: Given) -> Arc<Inference> {
    db.unwind_if_revision_cancelled();
    let body = body(db, form);
    Arc::new(infer_given(&body, &FormEnv::of(db, form, &body, Mode::Insert), Mode::Insert, Some(&given)))
}

/// The [`signature`] of a definition whose parameters are given these types; `None` if its body is wrong with them.
#[salsa::tracked(returns(clone))]
fn signature_with_given(db: &dyn Db, form: Form, given: Given) -> Option<Scheme> {
    let inference = infer_with_given(db, form, given);
    inference.is_without_errors().then(|| inference.scheme.clone())?
}

fn infer_in(db: &dyn Db, form: Form, mode: Mode) -> Arc<Inference> {
    // Inference may take long; an edit must not wait for it.
    db.unwind_if_revision_cancelled();
    let body = body(db, form);
    let env = FormEnv::of(db, form, &body, mode);
    Arc::new(infer_body(&body, &env, mode))
}

/// Infers another text for a form; `extra` is an additional definition in scope. `None` on a syntax error. Not a query:
/// validates refactorings.
pub fn infer_text_with(db: &dyn Db, form: Form, text: &str, extra: Option<(&str, &Scheme)>) -> Option<Inference> {
    let lowered = lower(text, is_builtin(db, form.file(db)));
    let env = WithName { env: FormEnv::of(db, form, &lowered.body, Mode::Insert), extra };
    lowered.errors.is_empty().then(|| infer_body(&lowered.body, &env, Mode::Insert))
}

pub fn infer_text(db: &dyn Db, form: Form, text: &str) -> Option<Inference> {
    infer_text_with(db, form, text, None)
}

/// The number of errors in a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Errors {
    pub syntax: usize,
    /// Errors of names, types, lengths and placement.
    pub meaning: usize,
}

impl Errors {
    pub fn of<'a>(syntax: usize, diagnostics: impl Iterator<Item = &'a Diagnostic>) -> Errors {
        Errors { syntax, meaning: diagnostics.filter(|d| d.severity == Severity::Error).count() }
    }
}

/// Counts the errors of another text for a form. Not a query.
pub fn errors_of_text(db: &dyn Db, form: Form, text: &str, mode: Mode) -> Errors {
    db.unwind_if_revision_cancelled();
    let lowered = lower(text, is_builtin(db, form.file(db)));
    let inference = infer_body(&lowered.body, &FormEnv::of(db, form, &lowered.body, mode), mode);
    let placed = match lowered.body.kind {
        FormKind::Kernel => check_placement(&lowered.body, &Reachable::from(db, form)),
        _ => Vec::new(),
    };
    Errors::of(lowered.errors.len(), inference.diagnostics.iter().chain(&placed))
}

/// The type of a new definition in the file of a form; `None` if it has errors.
pub fn definition_scheme(db: &dyn Db, form: Form, text: &str) -> Option<Scheme> {
    let lowered = lower(text, false);
    let env = FormEnv {
        db,
        file: form.file(db),
        form: None,
        body: &lowered.body,
        cycle: None,
        mode: Mode::Insert,
        primitives: RefCell::default(),
    };
    let inference = infer_body(&lowered.body, &env, Mode::Insert);
    let wrong = inference.diagnostics.iter().any(|d| d.severity == Severity::Error);
    if wrong || !lowered.errors.is_empty() { None } else { inference.scheme }
}

/// [`placement`] for another text of the form.
pub fn placement_of_text(db: &dyn Db, form: Form, text: &str) -> Vec<Diagnostic> {
    let lowered = lower(text, false);
    check_placement(&lowered.body, &Reachable::from(db, form))
}

/// The name inserted at the cursor; it has any type.
pub const HOLE: &str = "\u{2026}";

/// Infers the text of an unfinished form, with [`HOLE`] at the cursor, as far as possible. `form` is the form at that
/// place, if any. Not a query.
pub fn infer_unfinished(db: &dyn Db, file: SourceFile, form: Option<Form>, text: &str) -> (Lowered, Partial) {
    let lowered = lower(text, is_builtin(db, file));
    let cycle = form.and_then(|form| cycle_of(db, form).as_ref());
    let env =
        FormEnv { db, file, form, body: &lowered.body, cycle, mode: Mode::Insert, primitives: RefCell::default() };
    let any = Scheme { types: vec![None], ..Scheme::mono(Ty::new(TyKind::Generic(0))) };
    let partial = infer_partial(&lowered.body, &WithName { env, extra: Some((HOLE, &any)) });
    (lowered, partial)
}

/// The environment of a form with one more definition.
struct WithName<'a, 'db> {
    env: FormEnv<'a, 'db>,
    extra: Option<(&'a str, &'a Scheme)>,
}

impl Env for WithName<'_, '_> {
    fn lookup(&self, name: &str) -> Lookup {
        match self.extra {
            Some((extra, scheme)) if extra == name => Lookup::Definition(Box::new(scheme.clone())),
            _ => self.env.lookup(name),
        }
    }

    fn given(&self, name: &str, given: &Given) -> Option<Scheme> {
        if self.extra.is_some_and(|(extra, _)| extra == name) { None } else { self.env.given(name, given) }
    }

    fn wrong_with_given(&self, name: &str, given: &Given) -> Option<String> {
        if self.extra.is_some_and(|(extra, _)| extra == name) { None } else { self.env.wrong_with_given(name, given) }
    }

    fn primitive(&self, name: &str) -> Option<&'static Primitive> {
        if self.extra.is_some_and(|(extra, _)| extra == name) { None } else { self.env.primitive(name) }
    }

    fn word(&self, name: &str) -> Option<Scheme> {
        if self.extra.is_some_and(|(extra, _)| extra == name) { None } else { self.env.word(name) }
    }
}

/// Requests the inference of all callees before that of the forms themselves, so that a long chain of definitions needs
/// no deep stack.
pub fn infer_in_order(db: &dyn Db, forms: &[Form], mode: Mode) {
    for form in in_order(db, forms) {
        match mode {
            Mode::Insert => drop(signature(db, form)),
            Mode::Explicit => drop(signature_explicit(db, form)),
        }
    }
}

/// The stack grows when less than this is left, in bytes.
const RED_ZONE: usize = 512 << 10;
const STACK_PIECE: usize = 4 << 20;

/// Name lookup for the body of a form.
struct FormEnv<'a, 'db> {
    db: &'db dyn Db,
    file: SourceFile,
    form: Option<Form>,
    body: &'a Body,
    cycle: Option<&'a Cycle>,
    mode: Mode,
    /// Which names of the body are primitives, as far as they have been looked up: a body has each of them many times.
    primitives: RefCell<FxHashMap<Name, Option<&'static Primitive>>>,
}

impl<'a, 'db> FormEnv<'a, 'db> {
    fn of(db: &'db dyn Db, form: Form, body: &'a Body, mode: Mode) -> FormEnv<'a, 'db>
    where
        'db: 'a,
    {
        FormEnv {
            db,
            file: form.file(db),
            form: Some(form),
            body,
            cycle: cycle_of(db, form).as_ref(),
            mode,
            primitives: RefCell::default(),
        }
    }
}

impl FormEnv<'_, '_> {
    /// The definition of a name that has a type.
    fn definition(&self, name: &str) -> Option<Form> {
        let Lookup::Definition(_) = self.lookup(name) else { return None };
        match resolve(self.db, self.file, Sym::new(self.db, Name::from(name)))? {
            Resolution::Form(callee) => Some(callee),
            Resolution::Primitive(_) => None,
        }
    }
}

impl Env for FormEnv<'_, '_> {
    fn lookup(&self, name: &str) -> Lookup {
        if let Some(Some(primitive)) = self.primitives.borrow().get(name) {
            return Lookup::Primitive(primitive);
        }
        let file = self.file;
        let key = Sym::new(self.db, Name::from(name));
        let callee = match resolve(self.db, file, key) {
            Some(Resolution::Primitive(primitive)) => {
                self.primitives.borrow_mut().insert(name.into(), Some(primitive));
                return Lookup::Primitive(primitive);
            }
            Some(Resolution::Form(callee)) => callee,
            // The broken import has been reported already.
            None if has_broken_import(self.db, file) => return Lookup::Failed,
            None => {
                let binders = self.body.binders.iter().map(|binder| &*binder.name);
                let local = closest(name, binders).map(Name::from);
                return Lookup::Unknown { similar: local.or_else(|| similar_name(self.db, file, key)) };
            }
        };
        if let Some(cycle) = self.cycle
            && cycle_of(self.db, callee).as_ref().is_some_and(|other| other.head == cycle.head)
        {
            // One mistake is one error, reported at the first call of the cycle.
            let next = cycle.names.get(1).or(cycle.names.first());
            return if Some(cycle.head) == self.form && next.is_some_and(|next| **next == *name) {
                Lookup::Recursive(cycle.names.to_vec())
            } else {
                Lookup::Failed
            };
        }
        // The prelude relies on inserted packs even in explicit mode.
        let scheme = match self.mode {
            Mode::Explicit if !is_builtin(self.db, callee.file(self.db)) => signature_explicit(self.db, callee),
            _ => signature(self.db, callee),
        };
        scheme.map_or(Lookup::Failed, |scheme| Lookup::Definition(Box::new(scheme)))
    }

    fn given(&self, name: &str, given: &Given) -> Option<Scheme> {
        let callee = self.definition(name)?;
        // A definition may give the same to the next one, and so on.
        stacker::maybe_grow(RED_ZONE, STACK_PIECE, || signature_with_given(self.db, callee, given.clone()))
    }

    fn wrong_with_given(&self, name: &str, given: &Given) -> Option<String> {
        let callee = self.definition(name)?;
        let inference = || infer_with_given(self.db, callee, given.clone());
        let inference = stacker::maybe_grow(RED_ZONE, STACK_PIECE, inference);
        Some(inference.first_error()?.message.clone())
    }

    fn word(&self, name: &str) -> Option<Scheme> {
        let file = |form: Form| form.file(self.db);
        match resolve(self.db, self.file, Sym::new(self.db, Name::from(name)))? {
            Resolution::Primitive(primitive) => Some(primitive.scheme.clone()),
            Resolution::Form(form) if is_builtin(self.db, file(form)) && !is_builtin(self.db, self.file) => {
                signature(self.db, form)
            }
            Resolution::Form(_) => None,
        }
    }

    fn primitive(&self, name: &str) -> Option<&'static Primitive> {
        if let Some(known) = self.primitives.borrow().get(name) {
            return *known;
        }
        let found = match resolve(self.db, self.file, Sym::new(self.db, Name::from(name))) {
            Some(Resolution::Primitive(primitive)) => Some(primitive),
            Some(Resolution::Form(_)) | None => None,
        };
        self.primitives.borrow_mut().insert(name.into(), found);
        found
    }
}

/// Errors in the placement of a kernel's parallel primitives; empty for other forms.
#[salsa::tracked]
pub fn placement(db: &dyn Db, form: Form) -> Vec<Diagnostic> {
    let body = body(db, form);
    if body.kind != FormKind::Kernel {
        return Vec::new();
    }
    check_placement(&body, &Reachable::from(db, form))
}

/// The bodies that a kernel reaches, by name.
struct Reachable {
    bodies: FxHashMap<Name, Arc<Body>>,
}

impl Reachable {
    fn from(db: &dyn Db, kernel: Form) -> Reachable {
        let mut bodies = FxHashMap::default();
        let mut queue = std::collections::VecDeque::from([kernel]);
        while let Some(form) = queue.pop_front() {
            for &callee in callees(db, form) {
                // Breadth-first: of equal names in different files, the nearer definition wins.
                if let Some(name) = callee.name(db)
                    && !bodies.contains_key(name)
                {
                    bodies.insert(name.clone(), body(db, callee));
                    queue.push_back(callee);
                }
            }
        }
        Reachable { bodies }
    }
}

impl Definitions for Reachable {
    fn body_of(&self, name: &str) -> Option<Arc<Body>> {
        self.bodies.get(name).cloned()
    }
}
