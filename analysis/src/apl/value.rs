//! The values of an evaluation: arrays of known rank and kind, functions, and the evaluation's state.

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

/// The kind of an array's elements. Each numeric kind can represent the numbers of earlier ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Bool,
    Int,
    Double,
    /// Only before the run.
    Char,
}

impl Kind {
    /// The name of the kind in types.
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
    /// The value, if known before the run; for a character, its code point.
    pub known: Option<f64>,
    /// The length that the number represents, if any.
    pub size: Option<Size>,
}

/// Computes the element at an index, with one term for each axis.
pub type Pull = Rc<dyn Fn(&mut Ev, &[Term]) -> Res<Term>>;

/// The representation of an array's elements.
#[derive(Clone)]
pub enum Repr {
    /// A term for each element, in row-major order; the shape is constant.
    Items(Rc<[Scalar]>),
    /// Computed where they are read.
    Pull(Pull),
    /// Stored in an array bound to a name.
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

    /// The element of a scalar.
    pub fn scalar(&self) -> Option<&Scalar> {
        if self.shape.is_empty() { self.items()?.first() } else { None }
    }

    /// All elements as numbers; `None` unless all are known before the run.
    pub fn known(&self) -> Option<Vec<f64>> {
        self.items()?.iter().map(|item| item.known).collect()
    }

    /// The shape as numbers; `None` unless it is constant.
    pub fn extents(&self) -> Option<Vec<usize>> {
        self.shape.iter().map(|size| size.as_const().and_then(|n| usize::try_from(n).ok())).collect()
    }

    /// The type as displayed: `Array[Array[Double,M],N]`.
    pub fn type_text(&self) -> String {
        let scalar = self.kind.name().to_owned();
        self.shape.iter().rev().fold(scalar, |element, length| format!("Array[{element},{length}]"))
    }

    pub fn at(mut self, range: TextRange) -> Arr {
        self.range = range;
        self
    }
}

/// A function and its range in the text.
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

/// A function in braces, with the frame in which it occurred.
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
    /// A user-defined operator, with one operand or two.
    Operator {
        tree: AplNode,
        env: Rc<Frame>,
        two: bool,
    },
    /// The value of a failed expression.
    Broken,
}

/// The names of a running function, or of the program.
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

    /// A name of the function itself: `⍵`, `⍺` or an operand. Outer functions are not searched.
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

/// Runs a dfn.
pub type Call = fn(&mut Ev, &Fun, &Dfn, Option<Arr>, Arr) -> Res<Arr>;

/// A value that the program prints.
pub enum Shown {
    Value(Arr),
}

/// The state of an evaluation.
pub struct Ev {
    pub emitter: Emitter,
    pub errors: Vec<SyntaxError>,
    /// Types of ranges of the text.
    pub notes: Vec<(TextRange, String)>,
    /// Applied glyphs, and whether to two arguments.
    pub valences: Vec<(TextRange, char, bool)>,
    pub shown: Vec<Shown>,
    /// Nesting of functions applied to single elements, in which nothing can be printed.
    pub inner: usize,
    pub calls: usize,
    /// `⎕IO`
    pub origin: i32,
    pub call: Call,
    /// Arrays computed where they are read, since one was last stored.
    pub pulls: Cell<usize>,
    /// Numbers converted to lengths, with the depth of their scope.
    pub lengths: FxHashMap<u32, (usize, Size)>,
    /// Hidden lengths: name, origin and description.
    pub hidden: Vec<(String, TextRange, &'static str)>,
}
