//! The state of an evaluation: open scopes, and constructors of terms and scalars.

use super::value::{Arr, Call, Ev, Failure, Kind, Repr, Res, Scalar, not_supported};
use super::words;
use crate::front::emit::Emitter;
use crate::front::term::{self, Bound, Scope, Term};
use crate::size::Size;
use lift_syntax::{SyntaxErrorCode, TextRange};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::Cell;
use std::ops::{Deref, DerefMut};
use std::rc::Rc;

/// Limit on the elements of an array that may each be a separate term.
pub const FEW: usize = 16;
/// Limit on the elements of an array that are computed one by one before the run.
pub const MANY: usize = 4096;
/// Length of a chain of computed arrays after which one is stored.
const MOST_PULLS: usize = 200;
/// Limit on the recorded statements and checks.
const MOST_NOTED: usize = 2000;
/// Limit on nested calls of functions.
pub const MOST_CALLS: usize = 100;

/// Runs a recursive step with enough stack.
pub fn deeper<T>(run: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(512 << 10, 4 << 20, run)
}

impl Deref for Ev {
    type Target = Emitter;

    fn deref(&self) -> &Emitter {
        &self.emitter
    }
}

impl DerefMut for Ev {
    fn deref_mut(&mut self) -> &mut Emitter {
        &mut self.emitter
    }
}

/// The arguments of a term that applies a primitive.
pub fn arguments_of(term: &Term, name: &str) -> Option<Vec<Term>> {
    match term.kind() {
        term::Kind::Apply(callee, args) if matches!(callee.kind(), term::Kind::Global(known) if *known == name) => {
            Some(args.clone())
        }
        _ => None,
    }
}

impl Ev {
    pub fn new(call: Call) -> Ev {
        Ev {
            emitter: Emitter::new(SyntaxErrorCode::AplNotSupported, &*words::WORDS),
            errors: Vec::new(),
            notes: Vec::new(),
            valences: Vec::new(),
            statements: Vec::new(),
            checks: Vec::new(),
            shown: Vec::new(),
            sources: Vec::new(),
            recursing: Vec::new(),
            endless: false,
            looping: None,
            tail: None,
            again: None,
            shy: false,
            settling: false,
            random: 0,
            inner: 0,
            probing: 0,
            noted: FxHashSet::default(),
            calls: 0,
            origin: 1,
            call,
            pulls: Cell::new(0),
            lengths: FxHashMap::default(),
            elements: FxHashMap::default(),
            uses: FxHashMap::default(),
            hidden: Vec::new(),
        }
    }

    pub fn report(&mut self, failure: Failure) {
        if let Failure::Error(error) = failure
            && !self.errors.iter().any(|known| known.range == error.range)
        {
            self.errors.push(*error);
        }
    }

    /// A Lift lambda.
    pub fn lambda(&mut self, names: &[&str], body: impl FnOnce(&mut Ev, &[Term]) -> Res<Term>) -> Res<Term> {
        let params: Vec<Bound> = names.iter().map(|name| self.fresh(name)).collect();
        let args: Vec<Term> = params.iter().map(|param| self.local(param)).collect();
        let body = self.scoped(|ev| body(ev, &args))?;
        Ok(self.term(term::Kind::Lambda(params, body)))
    }

    /// Builds a term, such as a branch or a lambda body, inside its own bindings.
    pub fn scoped(&mut self, body: impl FnOnce(&mut Ev) -> Res<Term>) -> Res<Term> {
        self.scopes.push(Scope::default());
        let result = body(self);
        let depth = self.scopes.len();
        self.lengths.retain(|_, (at, _)| *at < depth);
        self.elements.retain(|_, (at, _)| *at < depth);
        let scope = self.scopes.pop().unwrap_or_default();
        Ok(scope.close(result?))
    }

    /// A choice between two terms; each branch has its own bindings.
    pub fn branches(
        &mut self,
        condition: Term,
        then: impl FnOnce(&mut Ev) -> Res<Term>,
        otherwise: impl FnOnce(&mut Ev) -> Res<Term>,
    ) -> Res<Term> {
        match condition.kind() {
            term::Kind::Bool(true) => then(self),
            term::Kind::Bool(false) => otherwise(self),
            _ => {
                let then = self.scoped(then)?;
                let otherwise = self.scoped(otherwise)?;
                Ok(self.choose(condition, then, otherwise))
            }
        }
    }

    /// Stores an array that may end a long chain of computed arrays.
    pub fn unchained(&mut self, arr: Arr) -> Res<Arr> {
        if self.pulls.get() < MOST_PULLS || self.inner > 0 {
            return Ok(arr);
        }
        self.pulls.set(0);
        self.stored(&arr)
    }

    /// Opens an array of hidden length.
    pub fn unpack(&mut self, term: Term, name: &str, what: &'static str) -> Res<(Size, Bound)> {
        let length = format!("X{}", self.hidden.len() + 1);
        let (length, bound) = self.emitter.unpack(term, &length, name)?;
        self.hidden.push((length.name.to_string(), self.at, what));
        Ok((length.as_size(), bound))
    }

    // ---- scalars

    pub fn known(&self, kind: Kind, value: f64) -> Scalar {
        let (term, size) = match kind {
            Kind::Bool => (self.boolean(value != 0.0), Some(Size::int(value as i64))),
            Kind::Int => (self.int(value as i32), Some(Size::int(value as i64))),
            Kind::Double => (self.double(value), None),
            Kind::Char => (self.int(value as i32), None),
            Kind::Complex | Kind::Nested => (self.pair(self.double(value), self.double(0.0)), None),
        };
        Scalar { kind, term, known: (kind != Kind::Complex).then_some(value), size }
    }

    /// A length as a scalar.
    pub fn length(&self, size: &Size) -> Scalar {
        match size.as_const().filter(|n| i32::try_from(*n).is_ok()) {
            Some(n) => self.known(Kind::Int, n as f64),
            None => Scalar { kind: Kind::Int, term: self.size_argument(size), known: None, size: Some(size.clone()) },
        }
    }

    pub fn of_scalar(&self, scalar: Scalar) -> Arr {
        Arr { kind: scalar.kind, shape: Vec::new(), repr: Repr::Items([scalar].into()), range: self.at }
    }

    pub fn of_term(&mut self, kind: Kind, term: Term) -> Res<Arr> {
        let term = if kind == Kind::Complex {
            let (re, im) = self.halves(term)?;
            self.pair(re, im)
        } else {
            self.share(term, "s")?
        };
        let known = match term.kind() {
            term::Kind::Int(n) => Some(f64::from(*n)),
            term::Kind::Double(x) => Some(*x),
            term::Kind::Bool(b) => Some(f64::from(u8::from(*b))),
            _ => None,
        };
        Ok(self.of_scalar(match known {
            Some(value) => self.known(kind, value),
            None => Scalar { kind, term, known: None, size: None },
        }))
    }

    pub fn vector(&self, kind: Kind, items: Vec<Scalar>) -> Arr {
        let shape = vec![Size::nat(items.len() as u64)];
        self.of_items(kind, shape, items)
    }

    pub fn of_items(&self, kind: Kind, shape: Vec<Size>, items: Vec<Scalar>) -> Arr {
        Arr { kind, shape, repr: Repr::Items(items.into()), range: self.at }
    }

    pub fn of_pull(&self, kind: Kind, shape: Vec<Size>, pull: impl Fn(&mut Ev, &[Term]) -> Res<Term> + 'static) -> Arr {
        Arr { kind, shape, repr: Repr::Pull(Rc::new(pull)), range: self.at }
    }

    /// Converts a term to a later kind.
    pub fn convert(&self, term: Term, from: Kind, to: Kind) -> Term {
        match (from, to) {
            (Kind::Bool, Kind::Int) => match term.kind() {
                term::Kind::Bool(b) => self.int(i32::from(*b)),
                _ => self.choose(term, self.int(1), self.int(0)),
            },
            (Kind::Bool, Kind::Double) => match term.kind() {
                term::Kind::Bool(b) => self.double(f64::from(u8::from(*b))),
                _ => self.choose(term, self.double(1.0), self.double(0.0)),
            },
            (Kind::Int, Kind::Double) => match term.kind() {
                term::Kind::Int(n) => self.double(f64::from(*n)),
                _ => self.app("toDouble", [term]),
            },
            (Kind::Bool | Kind::Int | Kind::Double, Kind::Complex) => {
                let re = self.convert(term, from, Kind::Double);
                self.pair(re, self.double(0.0))
            }
            _ => term,
        }
    }

    /// A complex number.
    pub fn pair(&self, re: Term, im: Term) -> Term {
        self.term(term::Kind::Tuple(vec![re, im]))
    }

    /// The real and the imaginary part of a complex number.
    pub fn halves(&mut self, term: Term) -> Res<(Term, Term)> {
        if let term::Kind::Tuple(parts) = term.kind()
            && let [re, im] = &parts[..]
        {
            let (re, im) = (re.clone(), im.clone());
            return Ok((self.share(re, "re")?, self.share(im, "im")?));
        }
        let term = self.share(term, "z")?;
        let (re, im) = (self.app("get1", [term.clone()]), self.app("get2", [term]));
        Ok((self.share(re, "re")?, self.share(im, "im")?))
    }

    /// Converts the elements of an array to a later kind.
    pub fn as_kind(&mut self, arr: &Arr, kind: Kind) -> Res<Arr> {
        if arr.kind == kind {
            return Ok(arr.clone());
        }
        if let Some(items) = arr.items() {
            let items = items.iter().map(|item| match item.known {
                Some(value) => self.known(kind, value),
                None => Scalar {
                    kind,
                    term: self.convert(item.term.clone(), item.kind, kind),
                    known: None,
                    size: item.size.clone().filter(|_| kind == Kind::Int),
                },
            });
            let items = items.collect();
            return Ok(self.of_items(kind, arr.shape.clone(), items).at(arr.range));
        }
        let inner = arr.clone();
        let converted = self.of_pull(kind, arr.shape.clone(), move |ev, index| {
            let term = ev.element(&inner, index)?;
            Ok(ev.convert(term, inner.kind, kind))
        });
        Ok(converted.at(arr.range))
    }

    // ---- notes and probes

    /// Records the type of a range of the text.
    pub fn note(&mut self, range: TextRange, text: impl Into<String>) {
        // A function for each element is evaluated again wherever an element is read.
        if self.probing == 0 && self.notes.len() < 100_000 && (self.inner == 0 || self.noted.insert(range)) {
            self.notes.push((range, text.into()));
        }
    }

    /// Records whether the glyph at a range was applied to two arguments.
    pub fn valence(&mut self, range: TextRange, glyph: char, two: bool) {
        if self.valences.last() != Some(&(range, glyph, two)) && self.valences.len() < 100_000 {
            self.valences.push((range, glyph, two));
        }
    }

    /// Records the type of a statement's value.
    pub fn statement(&mut self, range: TextRange, arr: &Arr) {
        let told = (range, arr.type_text());
        if self.statements.len() < MOST_NOTED && !self.statements.contains(&told) {
            self.statements.push(told);
        }
    }

    /// Records lengths of the array at a range that the run compares.
    pub fn checked(&mut self, range: TextRange, left: &Size, right: &Size) {
        let told = (range, format!("{left} = {right}"));
        if self.checks.len() < MOST_NOTED && !self.checks.contains(&told) {
            self.checks.push(told);
        }
    }

    /// Runs `body` as a part of a function that is applied to elements.
    pub fn inside<T>(&mut self, body: impl FnOnce(&mut Ev) -> T) -> T {
        self.inner += 1;
        let result = body(self);
        self.inner -= 1;
        result
    }

    /// Runs `attempt` and undoes its effects.
    pub fn probe<T>(&mut self, attempt: impl FnOnce(&mut Ev) -> Res<T>) -> Res<T> {
        self.scopes.push(Scope::default());
        let (hidden, nodes) = (self.hidden.len(), self.nodes);
        let (statements, checks) = (self.statements.len(), self.checks.len());
        self.inner += 1;
        self.probing += 1;
        let result = attempt(self);
        self.probing -= 1;
        self.inner -= 1;
        self.hidden.truncate(hidden);
        self.statements.truncate(statements);
        self.checks.truncate(checks);
        self.nodes = nodes;
        let depth = self.scopes.len();
        self.lengths.retain(|_, (at, _)| *at < depth);
        self.elements.retain(|_, (at, _)| *at < depth);
        self.scopes.pop();
        result
    }

    /// An unknown element of a kind.
    pub fn any(&mut self, kind: Kind) -> Res<Arr> {
        if kind == Kind::Nested {
            return not_supported(self.at, "an operator on elements that are arrays, of that many or of rows,");
        }
        let bound = self.fresh("p");
        let term = self.local(&bound);
        Ok(self.of_scalar(Scalar { kind, term, known: None, size: None }))
    }
}
