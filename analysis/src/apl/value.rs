//! The values of an evaluation: arrays of known rank and kind, functions, and the evaluation's state.

use crate::front::build::Parameter;
use crate::front::emit::Emitter;
pub use crate::front::failure::{Failure, Res, fail, fail_with};
use crate::front::program::Fixed;
use crate::front::term::Bound;
pub use crate::front::term::Term;
use crate::hir;
use crate::size::Size;
use lift_syntax::apl::AplNode;
use lift_syntax::{SyntaxError, SyntaxErrorCode, TextRange};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The kind of an array's elements. Each numeric kind can represent the numbers of earlier ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Bool,
    Int,
    Double,
    /// A pair of doubles.
    Complex,
    /// A code point.
    Char,
    /// Arrays.
    Nested,
}

impl Kind {
    /// The name of the kind in types.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Bool => "Bool",
            Kind::Int => "Int",
            Kind::Double => "Double",
            Kind::Complex => "Complex",
            Kind::Char => "Char",
            Kind::Nested => "Array",
        }
    }

    /// The element of an empty array when one is needed: a blank or a zero.
    pub fn fill(self) -> f64 {
        if self == Kind::Char { f64::from(u32::from(' ')) } else { 0.0 }
    }

    /// The scalar type of elements at run time; `None` for tuples and arrays.
    pub fn scalar(self) -> Option<hir::Scalar> {
        match self {
            Kind::Bool => Some(hir::Scalar::Bool),
            Kind::Int | Kind::Char => Some(hir::Scalar::Int),
            Kind::Double => Some(hir::Scalar::Double),
            Kind::Complex | Kind::Nested => None,
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
    /// Separate arrays, in row-major order; the shape is constant.
    Boxes(Rc<[Arr]>),
    /// A vector of arrays of one kind and rank, whose lengths only the run knows.
    Rows(Rows),
    /// Characters, some computed by the run: a vector of unknown length that can be joined and printed.
    Text(Rc<[Piece]>),
}

/// A part of a text: characters, or numbers that the run writes.
#[derive(Clone)]
pub struct Piece {
    pub arr: Arr,
    /// The format of the numbers; `None` for APL's default.
    pub fixed: Option<Fixed>,
}

/// Computes the row at an index.
pub type RowAt = Rc<dyn Fn(&mut Ev, &Term) -> Res<Arr>>;

/// The rows of a vector of arrays.
#[derive(Clone)]
pub struct Rows {
    pub kind: Kind,
    pub rank: usize,
    /// The shape of each row, if all have one shape.
    pub shape: Option<Vec<Size>>,
    /// Whether the rows are stored.
    pub stored: bool,
    /// Computes the row at an index. Its lengths are opened in the current scope.
    pub row: RowAt,
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

    /// The arrays of an array of arrays.
    pub fn boxes(&self) -> Option<&[Arr]> {
        match &self.repr {
            Repr::Boxes(boxes) => Some(boxes),
            _ => None,
        }
    }

    pub fn rows(&self) -> Option<&Rows> {
        match &self.repr {
            Repr::Rows(rows) => Some(rows),
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
        if let Repr::Boxes(boxes) = &self.repr {
            let parts: Vec<String> = boxes.iter().map(Arr::type_text).collect();
            return format!("({})", parts.join(", "));
        }
        if let Repr::Text(_) = &self.repr {
            return "<∃X, Array[Char,X]>".to_owned();
        }
        let scalar = match &self.repr {
            Repr::Rows(rows) => {
                let lengths = &["X", "Y", "Z"][..rows.rank.min(3)];
                let row = lengths.iter().rev().fold(rows.kind.name().to_owned(), |of, n| format!("Array[{of},{n}]"));
                format!("<∃{}, {row}>", lengths.join(" "))
            }
            _ => self.kind.name().to_owned(),
        };
        self.shape.iter().rev().fold(scalar, |element, length| format!("Array[{element},{length}]"))
    }

    pub fn at(mut self, range: TextRange) -> Arr {
        self.range = range;
        self
    }
}

/// The axis along which a function works.
#[derive(Clone)]
pub enum Axis {
    Last,
    First,
    /// The number in brackets.
    At(Arr),
}

/// A function of one array.
pub type One = Rc<dyn Fn(&mut Ev, &Arr) -> Res<Arr>>;

/// A function of two arrays.
pub type Two = Rc<dyn Fn(&mut Ev, &Arr, &Arr) -> Res<Arr>>;

/// The operand of an operator: a function of two arrays.
#[derive(Clone)]
pub struct Between {
    pub two: Two,
    /// Its primitive, if it is one.
    pub glyph: Option<char>,
}

/// A function and its range in the text.
#[derive(Clone)]
pub struct Fun {
    pub kind: Rc<FunKind>,
    pub range: TextRange,
}

pub enum FunKind {
    Glyph(char),
    System(System),
    Dfn(Dfn),
    Reduce {
        f: Fun,
        axis: Axis,
    },
    Scan {
        f: Fun,
        axis: Axis,
    },
    /// A function with the number of an axis in brackets.
    Along(Fun, Arr),
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
    /// `f⍤k`
    Rank(Fun, Arr),
    /// `f⌺k`
    Stencil(Fun, Arr),
    /// `f⌸`
    Key(Fun),
    /// `f@g`, `v@i`
    At(Value, Value),
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

    /// The names in sight.
    pub fn all_names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.names.borrow().keys().cloned().collect();
        names.extend(self.parent.iter().flat_map(|parent| parent.all_names()));
        names
    }

    /// Runs one of several branches: its assignments are invisible to the others.
    pub fn apart<T>(&self, branch: impl FnOnce() -> T) -> T {
        let names = self.names.borrow().clone();
        let result = branch();
        *self.names.borrow_mut() = names;
        result
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

/// Rejects what is not supported, and tells what to write instead.
pub fn write_instead<T>(range: TextRange, what: impl Into<String>, instead: &str) -> Res<T> {
    fail(SyntaxErrorCode::AplNotSupported, range, format!("{} is not supported yet: {instead}", what.into()))
}

/// A recursive call that is the last step of a function, or that only additions and multiplications follow: `x+y×∇z`.
#[derive(Clone)]
pub struct Again {
    pub left: Option<Arr>,
    pub right: Arr,
    pub after: After,
}

/// The pending operations on the value of a call: multiply by a number, then add a number.
#[derive(Clone, Default)]
pub struct After {
    pub plus: Option<Arr>,
    pub times: Option<Arr>,
}

/// Runs a dfn.
pub type Call = fn(&mut Ev, &Fun, &Dfn, Option<Arr>, Arr) -> Res<Arr>;

/// A function whose name begins with `⎕`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum System {
    And,
    Or,
    Xor,
    ShiftLeft,
    /// Zeros enter from the left.
    ShiftRight,
    /// Copies of the sign enter from the left.
    ShiftSigned,
    /// The code points of a file's bytes.
    ReadFile,
    ReadInts,
    ReadDoubles,
    /// Converts between characters and code points.
    Unicode,
    /// Converts to small letters or capitals.
    Case,
    /// The characters of an array as a matrix.
    Format,
}

/// An input that is read from a file.
#[derive(Clone)]
pub struct Source {
    pub parameter: Parameter,
    pub size: Bound,
    /// The file, with the prefix of its format.
    pub file: String,
}

/// The uses of a name in a dfn, or in the file.
#[derive(Debug, Clone, Default)]
pub struct Uses {
    /// The number of tokens, where it is bound included.
    pub count: usize,
    /// Whether some are in an inner dfn.
    pub inside: bool,
    /// The dfn's own statements with such tokens, in order.
    pub statements: Vec<AplNode>,
}

/// The uses of all names in a dfn, or in the file.
pub type UsesByName = FxHashMap<String, Uses>;

/// An element of an array: the id of the array, and the index, whose parts are names or numbers.
pub type ElementKey = (u32, Vec<(bool, i64)>);

/// The state of an evaluation.
#[derive(Clone)]
pub struct Ev {
    pub emitter: Emitter,
    pub errors: Vec<SyntaxError>,
    /// Types of ranges of the text.
    pub notes: Vec<(TextRange, String)>,
    /// Applied glyphs, and whether to two arguments.
    pub valences: Vec<(TextRange, char, bool)>,
    /// Types of the values of statements.
    pub statements: Vec<(TextRange, String)>,
    /// Equalities of lengths that the run checks, by the range of the array.
    pub checks: Vec<(TextRange, String)>,
    /// The values that the program prints.
    pub shown: Vec<Arr>,
    /// The inputs that are read from files.
    pub sources: Vec<Source>,
    /// The dfns that call themselves and are being evaluated, by their ranges.
    pub recursing: Vec<TextRange>,
    /// Whether the end of some recursion is known only at run time.
    pub endless: bool,
    /// The dfn whose recursion is being made a loop.
    pub looping: Option<TextRange>,
    /// A function whose application as the last step of the next phrase ends it.
    pub tail: Option<Rc<FunKind>>,
    /// The application of `tail` that ended the phrase.
    pub again: Option<Again>,
    /// Whether the last function that returned did so with an assignment, or printed its value.
    pub shy: bool,
    /// Whether constant arrays are read without storing them, to evaluate a result before the run.
    pub settling: bool,
    /// The number of random arrays made so far.
    pub random: u32,
    /// Nesting of functions applied to single elements, in which nothing can be printed.
    pub inner: usize,
    /// Nesting of attempts whose effects are undone.
    pub probing: usize,
    /// Ranges, in functions applied to single elements, whose type is recorded.
    pub noted: FxHashSet<TextRange>,
    pub calls: usize,
    /// `⎕IO`
    pub origin: i32,
    pub call: Call,
    /// Arrays computed where they are read, since one was last stored.
    pub pulls: Cell<usize>,
    /// Numbers converted to lengths, with the depth of their scope.
    pub lengths: FxHashMap<u32, (usize, Size)>,
    /// Elements that are computed once per index, by the array's id and the index, with the depth of their scope.
    pub elements: FxHashMap<ElementKey, (usize, Term)>,
    /// The uses of names in dfns and in the file, by their ranges.
    pub uses: FxHashMap<TextRange, Rc<UsesByName>>,
    /// Hidden lengths: name, origin and description.
    pub hidden: Vec<(String, TextRange, &'static str)>,
}
