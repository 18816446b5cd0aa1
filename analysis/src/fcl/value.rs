//! The values of an FCL program before the run.

use crate::front::emit::Emitter;
pub use crate::front::failure::{Failure, Res, fail};
use crate::front::term::{Bound, Kind, Term};
use crate::size::{Facts, Size};
use lift_syntax::{SyntaxError, SyntaxErrorCode, TextRange};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// An integer: a term, and its known value as a length or an index.
#[derive(Clone)]
pub struct Int {
    pub term: Term,
    pub size: Option<Size>,
    /// Whether it is the result of the program's `length`.
    pub of_length: bool,
}

impl Int {
    pub fn known(&self) -> Option<i64> {
        self.size.as_ref()?.as_const()
    }
}

pub type Fun = Rc<dyn Fn(&mut Ev, Value) -> Res<Value>>;
pub type Program = Rc<dyn Fn(&mut Ev) -> Res<Value>>;

/// The element at an index.
pub type Get = Rc<dyn Fn(&mut Ev, &Int) -> Res<Value>>;

/// A pull array, computed where it is read.
#[derive(Clone)]
pub struct Pull {
    pub len: Int,
    pub get: Get,
}

/// A push array, which determines how it is computed.
#[derive(Clone)]
pub struct Push {
    /// Steps above `thread`.
    pub level: u32,
    pub kind: Rc<PushKind>,
    /// Its range in the program.
    pub at: TextRange,
}

pub enum PushKind {
    Pull(Pull),
    Interleave(Interleave),
    Seqfor {
        size: Int,
        steps: Int,
        step: Fun,
    },
    /// A function of index and element.
    Mapped(Fun, Push),
}

/// Programs whose arrays are joined into one.
#[derive(Clone)]
pub struct Interleave {
    pub in_order: bool,
    /// The number of elements of each.
    pub n: Int,
    /// Maps the number of a program and an index in it to an index of the whole.
    pub place: Fun,
    pub programs: Pull,
}

#[derive(Clone)]
pub enum Value {
    Int(Int),
    Double(Term),
    Bool(Term),
    Text(Rc<str>),
    Unit,
    Pair(Rc<(Value, Value)>),
    Fun(Fun),
    Pull(Pull),
    Push(Push),
    Program(Program),
}

/// The kind of an element of a stored array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Elem {
    Int,
    Double,
    Bool,
    Pair(Box<Elem>, Box<Elem>),
}

impl Elem {
    /// Bytes of an element in memory.
    pub fn bytes(&self) -> i64 {
        match self {
            Elem::Int => 4,
            Elem::Double => 8,
            Elem::Bool => 1,
            Elem::Pair(a, b) => a.bytes() + b.bytes(),
        }
    }
}

/// The level of the hierarchy at which the current program runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Host,
    /// In one of many programs of the whole grid.
    Row,
    Group,
    Item,
}

/// An array that a kernel takes.
pub struct Input {
    pub name: Bound,
    pub scalar: crate::scalar::Scalar,
    pub shape: Vec<Size>,
    pub range: TextRange,
    pub source: Option<Rc<str>>,
}

/// The state of an evaluation.
pub struct Ev {
    pub emitter: Emitter,
    pub errors: Vec<SyntaxError>,
    /// The printed arrays, with the number of printed elements.
    pub shown: Vec<Term>,
    pub inputs: Vec<Input>,
    /// Names of lengths of inputs.
    pub lengths: Vec<Bound>,
    /// Numbers of names that are lengths.
    pub sizes: FxHashSet<u32>,
    /// The lengths of arrays that `scanGrid` stores, by the ids of their names.
    pub scanned: FxHashMap<u32, Size>,
    pub facts: Facts,
    pub place: Place,
    /// Whether `force` stores nothing, so that its array is computed where it is read.
    pub lazy: bool,
    /// Whether a `force` stored nothing: each element that reads its array computes it again.
    pub recomputed: bool,
    /// Whether the result of the next program is unused.
    pub unused: bool,
    /// The number of surrounding branches that the run may not take.
    pub branches: u32,
    /// Steps of the evaluation.
    pub steps: u32,
    pub hidden: Vec<(String, TextRange, &'static str)>,
    pub becomes: Vec<(TextRange, String)>,
    /// Ranges at which arrays are stored, with the memory and its size.
    pub stores: Vec<(TextRange, String)>,
}

/// Maximum steps of an evaluation.
const MOST_STEPS: u32 = 3_000_000;

impl Ev {
    pub fn new() -> Ev {
        Ev {
            emitter: Emitter::new(SyntaxErrorCode::FclNotSupported, &*super::words::WORDS),
            errors: Vec::new(),
            shown: Vec::new(),
            inputs: Vec::new(),
            lengths: Vec::new(),
            sizes: FxHashSet::default(),
            scanned: FxHashMap::default(),
            facts: Facts::new(),
            place: Place::Host,
            lazy: false,
            recomputed: false,
            unused: false,
            branches: 0,
            steps: 0,
            hidden: Vec::new(),
            becomes: Vec::new(),
            stores: Vec::new(),
        }
    }

    pub fn step(&mut self) -> Res<()> {
        self.steps += 1;
        if self.steps <= MOST_STEPS {
            return Ok(());
        }
        fail(SyntaxErrorCode::FclNotSupported, self.at, "the program takes too long to evaluate before the run")
    }

    pub fn report(&mut self, failure: Failure) {
        if let Failure::Error(error) = failure
            && !self.errors.iter().any(|known| known.range == error.range && known.message == error.message)
        {
            self.errors.push(*error);
        }
    }

    pub fn becomes(&mut self, at: TextRange, text: impl Into<String>) {
        if self.becomes.len() < 10_000 && !self.lazy {
            self.becomes.push((at, text.into()));
        }
    }

    pub fn stores(&mut self, at: TextRange, text: impl Into<String>) {
        if self.stores.len() < 10_000 && !self.lazy {
            self.stores.push((at, text.into()));
        }
    }

    /// Runs `attempt` and undoes its effects.
    pub fn probe<T>(&mut self, attempt: impl FnOnce(&mut Ev) -> Res<T>) -> Res<T> {
        let (nodes, errors, becomes, hidden) = (self.nodes, self.errors.len(), self.becomes.len(), self.hidden.len());
        let (place, lazy, unused, shown) = (self.place, self.lazy, self.unused, self.shown.len());
        let stores = self.stores.len();
        let scopes = self.scopes.len();
        self.open();
        let result = attempt(self);
        self.scopes.truncate(scopes);
        self.nodes = nodes;
        (self.place, self.lazy, self.unused) = (place, lazy, unused);
        self.errors.truncate(errors);
        self.becomes.truncate(becomes);
        self.stores.truncate(stores);
        self.hidden.truncate(hidden);
        self.shown.truncate(shown);
        result
    }

    // ---- numbers

    pub fn number(&self, n: i64) -> Int {
        let n = n as i32;
        Int { term: self.int(n), size: Some(Size::int(i64::from(n))), of_length: false }
    }

    /// A number that is this length.
    pub fn of_size(&self, size: &Size) -> Int {
        match size.as_const() {
            Some(n) => self.number(n),
            None => Int { term: self.size_argument(size), size: Some(size.clone()), of_length: false },
        }
    }

    /// A number that is unknown before the run.
    pub fn unknown(&self, term: Term) -> Int {
        match term.kind() {
            Kind::Int(n) => self.number(i64::from(*n)),
            _ => Int { term, size: None, of_length: false },
        }
    }

    /// An index below a length.
    pub fn below(&mut self, name: &str, length: &Size) -> (Bound, Int) {
        let bound = self.fresh(name);
        let size = bound.as_size();
        // Of no index, anything is true.
        if let Some(var) = size.as_var().filter(|_| length.as_const() != Some(0)) {
            self.facts.assume_range(var.clone(), Some(Size::zero()), Some(length.sub(&Size::one())));
        }
        let known = if length.is_one() { Some(self.number(0)) } else { None };
        let int = Int { term: self.local(&bound), size: Some(size), of_length: false };
        (bound, known.unwrap_or(int))
    }

    /// Whether a length can occur in a type: it mentions no index.
    pub fn is_closed(&self, size: &Size) -> bool {
        !size.is_too_large() && !size.any_var(&mut |var| !self.sizes.contains(&var.id))
    }

    /// A number as a length in types.
    pub fn length(&mut self, n: &Int) -> Res<Size> {
        if let Some(size) = &n.size {
            if size.as_const().is_some_and(|n| n < 0) {
                let message = format!("a length is not negative: this one is {size}");
                return fail(SyntaxErrorCode::FclLength, self.at, message);
            }
            if self.is_closed(size) {
                return Ok(size.clone());
            }
        }
        if self.place != Place::Host {
            return not_supported(self.at, "an array whose length only a work-item knows");
        }
        let name = format!("X{}", self.hidden.len() + 1);
        let iota = self.app("iota", [n.term.clone()]);
        let (length, _) = self.unpack(iota, &name, "indices")?;
        self.hidden.push((length.name.to_string(), self.at, "a number that the run computes"));
        self.sizes.insert(length.id);
        Ok(length.as_size())
    }

    // ---- values and terms

    /// The term of a scalar or of a pair of scalars.
    pub fn scalar(&self, value: &Value) -> Res<(Term, Elem)> {
        match value {
            Value::Int(int) => Ok((int.term.clone(), Elem::Int)),
            Value::Double(term) => Ok((term.clone(), Elem::Double)),
            Value::Bool(term) => Ok((term.clone(), Elem::Bool)),
            Value::Pair(pair) => {
                let (a, of_a) = self.scalar(&pair.0)?;
                let (b, of_b) = self.scalar(&pair.1)?;
                Ok((self.term(Kind::Tuple(vec![a, b])), Elem::Pair(of_a.into(), of_b.into())))
            }
            other => not_supported(self.at, format!("an element that is {}", what(other))),
        }
    }

    /// The value of a term of this kind.
    pub fn value(&mut self, term: Term, elem: &Elem) -> Res<Value> {
        Ok(match elem {
            Elem::Int => Value::Int(self.unknown(term)),
            Elem::Double => Value::Double(term),
            Elem::Bool => Value::Bool(term),
            Elem::Pair(a, b) => {
                let term = self.share(term, "pair")?;
                let first = self.app("get1", [term.clone()]);
                let second = self.app("get2", [term]);
                Value::Pair(Rc::new((self.value(first, a)?, self.value(second, b)?)))
            }
        })
    }

    /// A value whose terms are names.
    pub fn shared(&mut self, value: &Value, name: &str) -> Res<Value> {
        Ok(match value {
            Value::Int(int) => Value::Int(Int { term: self.share(int.term.clone(), name)?, ..int.clone() }),
            Value::Double(term) => Value::Double(self.share(term.clone(), name)?),
            Value::Bool(term) => Value::Bool(self.share(term.clone(), name)?),
            Value::Pair(pair) => Value::Pair(Rc::new((self.shared(&pair.0, name)?, self.shared(&pair.1, name)?))),
            other => other.clone(),
        })
    }

    /// Builds a part of the program inside its own bindings, such as a branch or a body.
    pub fn scoped<T>(&mut self, body: impl FnOnce(&mut Ev) -> Res<(Term, T)>) -> Res<(Term, T)> {
        self.open();
        let result = body(self);
        let scope = self.close();
        let (term, more) = result?;
        Ok((scope.close(term), more))
    }
}

impl std::ops::Deref for Ev {
    type Target = Emitter;

    fn deref(&self) -> &Emitter {
        &self.emitter
    }
}

impl std::ops::DerefMut for Ev {
    fn deref_mut(&mut self) -> &mut Emitter {
        &mut self.emitter
    }
}

/// A noun for the kind of a value.
pub fn what(value: &Value) -> &'static str {
    match value {
        Value::Int(_) | Value::Double(_) | Value::Bool(_) => "a number",
        Value::Text(_) => "a string",
        Value::Unit => "`()`",
        Value::Pair(_) => "a pair",
        Value::Fun(_) => "a function",
        Value::Pull(_) => "an array",
        Value::Push(_) => "an array that is still to be computed",
        Value::Program(_) => "a program",
    }
}

pub fn not_supported<T>(range: TextRange, what: impl Into<String>) -> Res<T> {
    fail(SyntaxErrorCode::FclNotSupported, range, format!("{} is not supported", what.into()))
}

/// Reports a value of another kind than its type: an internal error.
pub fn unfit<T>(ev: &Ev, value: &Value, wanted: &str) -> Res<T> {
    fail(SyntaxErrorCode::FclType, ev.at, format!("this is {}, not {wanted}", what(value)))
}

/// Calls of [`unfit`] for each kind of value.
impl Value {
    pub fn int(&self, ev: &Ev) -> Res<Int> {
        match self {
            Value::Int(int) => Ok(int.clone()),
            other => unfit(ev, other, "a whole number"),
        }
    }

    pub fn number(&self, ev: &Ev) -> Res<Term> {
        match self {
            Value::Double(term) | Value::Bool(term) => Ok(term.clone()),
            Value::Int(int) => Ok(int.term.clone()),
            other => unfit(ev, other, "a number"),
        }
    }

    pub fn fun(&self, ev: &Ev) -> Res<Fun> {
        match self {
            Value::Fun(f) => Ok(f.clone()),
            other => unfit(ev, other, "a function"),
        }
    }

    pub fn pull(&self, ev: &Ev) -> Res<Pull> {
        match self {
            Value::Pull(pull) => Ok(pull.clone()),
            other => unfit(ev, other, "an array"),
        }
    }

    pub fn push(&self, ev: &Ev) -> Res<Push> {
        match self {
            Value::Push(push) => Ok(push.clone()),
            other => unfit(ev, other, "an array that is to be computed"),
        }
    }

    pub fn program(&self, ev: &Ev) -> Res<Program> {
        match self {
            Value::Program(program) => Ok(program.clone()),
            other => unfit(ev, other, "a program"),
        }
    }

    pub fn pair(&self, ev: &Ev) -> Res<Rc<(Value, Value)>> {
        match self {
            Value::Pair(pair) => Ok(pair.clone()),
            other => unfit(ev, other, "a pair"),
        }
    }

    /// A function of `arity` arguments.
    pub fn function(arity: usize, f: impl Fn(&mut Ev, &[Value]) -> Res<Value> + 'static) -> Value {
        curried(arity, Vec::new(), Rc::new(f))
    }
}

type Arguments = Rc<dyn Fn(&mut Ev, &[Value]) -> Res<Value>>;

fn curried(left: usize, args: Vec<Value>, f: Arguments) -> Value {
    Value::Fun(Rc::new(move |ev, arg| {
        let mut args = args.clone();
        args.push(arg);
        if left <= 1 { f(ev, &args) } else { Ok(curried(left - 1, args, f.clone())) }
    }))
}
