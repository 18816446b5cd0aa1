//! What an APL program computes with before the run: arrays whose rank and kind are known, functions, and the state of an
//! evaluation.

use crate::front::emit::Emitter;
pub use crate::front::failure::{Failure, Res, fail, fail_with};
use crate::front::term::Bound;
pub use crate::front::term::Term;
use crate::size::Size;
use lift_syntax::apl::AplNode;
use lift_syntax::{SyntaxError, SyntaxErrorCode, TextRange};
use rustc_hash::FxHashMap;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The kind of the elements of an array. A later one holds the numbers of an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Bool,
    Int,
    Double,
    /// Known before the run only.
    Char,
}

impl Kind {
    /// The kind as types name it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Bool => "Bool",
            Kind::Int => "Int",
            Kind::Double => "Double",
            Kind::Char => "Char",
        }
    }
}

/// One element.
#[derive(Debug, Clone)]
pub struct Scalar {
    pub kind: Kind,
    pub term: Term,
    /// Its value, if it is known before the run; of a character its code.
    pub known: Option<f64>,
    /// The length that it is, if it is one.
    pub size: Option<Size>,
}

/// The element at an index, one term for each axis.
pub type Pull = Rc<dyn Fn(&mut Ev, &[Term]) -> Res<Term>>;

/// Where the elements of an array are.
#[derive(Clone)]
pub enum Repr {
    /// Each is known as a term, in row-major order; the shape consists of numbers.
    Items(Rc<[Scalar]>),
    /// Computed where they are read.
    Pull(Pull),
    /// In an array that is bound to a name.
    Stored(Bound),
}

#[derive(Clone)]
pub struct Arr {
    pub kind: Kind,
    pub shape: Vec<Size>,
    pub repr: Repr,
    pub range: TextRange,
}

impl Arr {
    pub fn rank(&self) -> usize {
        self.shape.len()
    }

    pub fn items(&self) -> Option<&[Scalar]> {
        match &self.repr {
            Repr::Items(items) => Some(items),
            _ => None,
        }
    }

    /// The one element of an array of rank 0.
    pub fn scalar(&self) -> Option<&Scalar> {
        if self.shape.is_empty() { self.items()?.first() } else { None }
    }

    /// All elements as numbers, if all are known before the run.
    pub fn known(&self) -> Option<Vec<f64>> {
        self.items()?.iter().map(|item| item.known).collect()
    }

    /// The extents as numbers.
    pub fn extents(&self) -> Option<Vec<usize>> {
        self.shape.iter().map(|size| size.as_const().and_then(|n| usize::try_from(n).ok())).collect()
    }

    /// As types are written for people: `Array[Array[Double,M],N]`.
    pub fn type_text(&self) -> String {
        let scalar = self.kind.name().to_owned();
        self.shape.iter().rev().fold(scalar, |element, length| format!("Array[{element},{length}]"))
    }

    pub fn at(mut self, range: TextRange) -> Arr {
        self.range = range;
        self
    }
}

/// A function with the place where it is written.
#[derive(Clone)]
pub struct Fun {
    pub kind: Rc<FunKind>,
    pub range: TextRange,
}

pub enum FunKind {
    Glyph(char),
    Dfn(Dfn),
    Reduce {
        f: Fun,
        first: bool,
    },
    Scan {
        f: Fun,
        first: bool,
    },
    Outer(Fun),
    Inner(Fun, Fun),
    Each(Fun),
    Power(Fun, Value),
    Commute(Fun),
    /// `f g` in a train, `f⍤g`.
    Atop(Fun, Fun),
    /// `f∘g`
    Beside(Fun, Fun),
    /// `f⍥g`
    Over(Fun, Fun),
    /// `A∘f`
    WithLeft(Arr, Fun),
    /// `f∘A`
    WithRight(Fun, Arr),
    /// `f g h`, where the first may be an array.
    Fork(Value, Fun, Fun),
}

/// A function in braces, where it was met.
pub struct Dfn {
    pub tree: AplNode,
    pub env: Rc<Frame>,
    pub left: Option<Value>,
    pub right: Option<Value>,
}

#[derive(Clone)]
pub enum Value {
    Arr(Arr),
    Fun(Fun),
    /// A user's operator: of one operand or of two.
    Operator {
        tree: AplNode,
        env: Rc<Frame>,
        two: bool,
    },
    /// What an error left.
    Broken,
}

/// The names of a function that runs, or of the program.
#[derive(Default)]
pub struct Frame {
    pub names: RefCell<BTreeMap<String, Value>>,
    pub parent: Option<Rc<Frame>>,
}

impl Frame {
    pub fn lookup(&self, name: &str) -> Option<Value> {
        if let Some(value) = self.names.borrow().get(name) {
            return Some(value.clone());
        }
        self.parent.as_ref()?.lookup(name)
    }

    /// A name of the function itself: `⍵`, `⍺`, operands. The nearest function decides.
    pub fn own(&self, name: &str) -> Option<Value> {
        self.names.borrow().get(name).cloned()
    }

    pub fn set(&self, name: &str, value: Value) {
        self.names.borrow_mut().insert(name.to_owned(), value);
    }
}

pub fn not_supported<T>(range: TextRange, what: impl Into<String>) -> Res<T> {
    fail(SyntaxErrorCode::AplNotSupported, range, format!("{} is not supported yet", what.into()))
}

/// Runs a function in braces.
pub type Call = fn(&mut Ev, &Fun, &Dfn, Option<Arr>, Arr) -> Res<Arr>;

/// Something that the program prints.
pub enum Shown {
    Value(Arr),
}

/// The state of an evaluation.
pub struct Ev {
    pub emitter: Emitter,
    pub errors: Vec<SyntaxError>,
    /// What is known of places of the text.
    pub notes: Vec<(TextRange, String)>,
    /// Glyphs that were applied, and whether with two arguments.
    pub valences: Vec<(TextRange, char, bool)>,
    pub shown: Vec<Shown>,
    /// Functions that are applied to single elements now: nothing can be printed there.
    pub inner: usize,
    pub calls: usize,
    /// `⎕IO`
    pub origin: i32,
    pub call: Call,
    /// Arrays that are computed where they are read, since one was stored.
    pub pulls: Cell<usize>,
    /// Numbers that were made lengths, with the depth of the scope in which they are.
    pub lengths: FxHashMap<u32, (usize, Size)>,
    /// Names of hidden lengths, and what each is.
    pub hidden: Vec<(String, TextRange, &'static str)>,
}
