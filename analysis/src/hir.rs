//! HIR: one top-level form without source locations, comments and brackets.
//!
//! Every node has an id, and the [`SourceMap`] beside the body gives its range. Two bodies at different locations of a
//! file are therefore equal, and inference never reads a location. Local names are resolved to the ids of their
//! binders; any other name is [`Expr::Global`].

use crate::failure::Wording;
use crate::parameters::{Parameter, Settings, TargetName};
use lift_syntax::TextRange;
use lift_syntax::halves::{self, f16};
use std::fmt;
use std::sync::Arc;

pub use crate::node::{BinderId, ExprId, Id, IdVec, Name, Node, SettingId, SizeRefId, TypeRefId};
pub use crate::scalar::Scalar;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Literal {
    Byte(i8),
    UByte(u8),
    Short(i16),
    UShort(u16),
    Int(i32),
    UInt(u32),
    Long(i64),
    ULong(u64),
    /// The bits of an `f16`, for comparison.
    Half(u16),
    /// The bits of an `f32`.
    Float(u32),
    /// The bits of an `f64`.
    Double(u64),
    Bool(bool),
}

macro_rules! literals {
    (($($kind:ident)*)) => {
        impl Literal {
            pub fn scalar(self) -> Scalar {
                match self {
                    $(Literal::$kind(_) => Scalar::$kind,)*
                }
            }
        }
    };
}
literals!((Byte UByte Short UShort Int UInt Long ULong Half Float Double Bool));

impl Literal {
    /// 0 of a type; of truth values, the false one.
    pub fn zero(scalar: Scalar) -> Literal {
        match scalar {
            Scalar::Half => Literal::Half(0),
            Scalar::Float => Literal::Float(0),
            Scalar::Double => Literal::Double(0),
            integer => Literal::of_integer(integer, 0).unwrap_or(Literal::Bool(false)),
        }
    }
}

macro_rules! integers {
    ($($kind:ident)*) => {
        impl Literal {
            /// The value of an integer.
            pub fn integer(self) -> Option<i128> {
                match self {
                    $(Literal::$kind(n) => Some(i128::from(n)),)*
                    Literal::Half(_) | Literal::Float(_) | Literal::Double(_) | Literal::Bool(_) => None,
                }
            }
            /// An integer of a type; `None` if the type is not of integers, or the number does not fit it.
            pub fn of_integer(scalar: Scalar, number: i128) -> Option<Literal> {
                match scalar {
                    $(Scalar::$kind => number.try_into().ok().map(Literal::$kind),)*
                    Scalar::Half | Scalar::Float | Scalar::Double | Scalar::Bool => None,
                }
            }
        }
    };
}
integers!(Byte UByte Short UShort Int UInt Long ULong);

/// As programs write it.
impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Literal::Half(bits) if f16::from_bits(*bits).is_nan() => f.write_str("nanh"),
            Literal::Half(bits) => write!(f, "{}h", halves::shortest(f16::from_bits(*bits))),
            Literal::Float(bits) if f32::from_bits(*bits).is_nan() => f.write_str("nanf"),
            Literal::Float(bits) => write!(f, "{:?}f", f32::from_bits(*bits)),
            Literal::Double(bits) if f64::from_bits(*bits).is_nan() => f.write_str("nan"),
            Literal::Double(bits) => write!(f, "{:?}", f64::from_bits(*bits)),
            Literal::Bool(truth) => write!(f, "{truth}"),
            whole => write!(f, "{}{}", whole.integer().unwrap_or_default(), whole.scalar().suffix()),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BinderRole {
    /// A parameter of a lambda, a kernel or a `(define (f x) …)`.
    Param,
    Let,
    /// The value name of an `unpack`.
    Unpack,
    /// A size name declared by a kernel: `(lift (N) …)`.
    SizeParam,
    /// A size name that occurs in the types of a `define` and is quantified there.
    ImplicitSize,
    /// The length name of `(unpack (X xs) …)`.
    UnpackSize,
    /// A size name of an `exists` type.
    ExistsSize,
    /// The index variable of `(array-type (i) T n)` or the index of `(sum (i n) …)`; in scope in types and sizes only.
    Position,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Binder {
    pub name: Name,
    pub role: BinderRole,
    /// The annotation of `(x type)`.
    pub ty: Option<TypeRefId>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Expr {
    /// A missing expression, which the parser has reported.
    Missing,
    Local(BinderId),
    /// A `define`, a kernel or a primitive, looked up by [`crate::names`].
    Global(Name),
    Literal(Literal),
    /// `#N`, `#(* 2 N)`.
    Size(SizeRefId),
    Lambda {
        params: Vec<BinderId>,
        body: ExprId,
    },
    Apply {
        callee: ExprId,
        args: Vec<ExprId>,
    },
    Let {
        binder: BinderId,
        value: ExprId,
        body: ExprId,
    },
    If {
        condition: ExprId,
        then: ExprId,
        otherwise: ExprId,
    },
    Tuple(Vec<ExprId>),
    /// A component of a tuple destructured by a pattern; the value of the `let` that names it.
    Component {
        of: BinderId,
        index: usize,
        /// The number of components in the pattern.
        width: usize,
    },
    Ascribe {
        value: ExprId,
        ty: TypeRefId,
    },
    Pack(ExprId),
    Unpack {
        /// Names of the opened lengths, in the order in which the type binds them; there may be fewer names than
        /// lengths.
        sizes: Vec<BinderId>,
        binder: BinderId,
        value: ExprId,
        body: ExprId,
    },
    /// `(o f g h)`: right to left.
    Compose(Vec<ExprId>),
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum TypeRef {
    Error,
    Scalar(Scalar),
    /// A type variable; only in declarations of primitives.
    Variable(Name),
    Array {
        position: Option<BinderId>,
        element: TypeRefId,
        length: SizeRefId,
    },
    Tuple(Vec<TypeRefId>),
    Vector {
        element: TypeRefId,
        width: SizeRefId,
    },
    Exists {
        sizes: Vec<BinderId>,
        body: TypeRefId,
    },
    Function {
        params: Vec<TypeRefId>,
        result: TypeRefId,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SizeOp {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Min,
    Max,
    Pow,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum SizeRef {
    Error,
    Nat(u64),
    Local(BinderId),
    /// A definition, which must be a natural number: an [`Expr::Global`] that is a part of no other expression.
    Global(ExprId),
    /// A size variable; only in declarations of primitives.
    Variable(Name),
    Op(SizeOp, Vec<SizeRefId>),
    Sum {
        index: BinderId,
        count: SizeRefId,
        body: SizeRefId,
    },
    /// `(length xs)`: the outermost length of a named array.
    LengthOf(BinderId),
}

/// A setting of a `with`. The `with` itself is not an expression, because types do not depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Setting {
    /// The expression in the `with`.
    pub of: ExprId,
    /// `None` if it is wrong, which is reported.
    pub set: Option<Set>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Set {
    Target(TargetName),
    Value(Parameter, u32),
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub enum FormKind {
    Import(Name),
    Define,
    Kernel,
    /// A built-in declaration.
    Primitive,
    /// Text that is not a form. Its parsed parts are still checked.
    #[default]
    Unknown,
}

/// One form. `root` is a lambda for a `(define (f x) e)` and for a kernel.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Body {
    pub kind: FormKind,
    pub name: Option<Name>,
    pub binders: IdVec<BinderId, Binder>,
    pub exprs: IdVec<ExprId, Expr>,
    pub types: IdVec<TypeRefId, TypeRef>,
    pub sizes: IdVec<SizeRefId, SizeRef>,
    /// The settings of all `with`s; of `with`s around one expression, the innermost first.
    pub settings: IdVec<SettingId, Setting>,
    /// The declared size names of a kernel, or the implicit ones of a `define`, in order of appearance.
    pub size_params: Vec<BinderId>,
    /// The parameter types of a kernel, in order.
    pub param_types: Vec<TypeRefId>,
    pub root: Option<ExprId>,
    /// How failures of expressions are worded, by increasing id; those of other expressions are worded in Lift's terms.
    pub wordings: Vec<(ExprId, Arc<Wording>)>,
    /// Errors found by lowering (a literal out of range, an unknown size name, two parameters of one name …).
    pub diagnostics: Vec<crate::diagnostics::Diagnostic>,
    /// Errors for size names that nothing in the form binds. Such a name is right if it is that of a definition.
    pub unbound_sizes: Vec<crate::diagnostics::Diagnostic>,
}

impl Expr {
    /// The expressions directly inside, in the order of the text.
    pub fn children(&self) -> Vec<ExprId> {
        match self {
            Expr::Missing
            | Expr::Local(_)
            | Expr::Global(_)
            | Expr::Literal(_)
            | Expr::Size(_)
            | Expr::Component { .. } => Vec::new(),
            Expr::Lambda { body, .. } => vec![*body],
            Expr::Apply { callee, args } => std::iter::once(*callee).chain(args.iter().copied()).collect(),
            Expr::Let { value, body, .. } | Expr::Unpack { value, body, .. } => vec![*value, *body],
            Expr::If { condition, then, otherwise } => vec![*condition, *then, *otherwise],
            Expr::Tuple(parts) | Expr::Compose(parts) => parts.clone(),
            Expr::Ascribe { value, .. } | Expr::Pack(value) => vec![*value],
        }
    }
}

impl Body {
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id]
    }
    pub fn binder(&self, id: BinderId) -> &Binder {
        &self.binders[id]
    }
    pub fn type_ref(&self, id: TypeRefId) -> &TypeRef {
        &self.types[id]
    }
    pub fn size_ref(&self, id: SizeRefId) -> &SizeRef {
        &self.sizes[id]
    }

    /// How a failure of an expression is worded; `None`: in Lift's terms.
    pub fn wording_of(&self, id: ExprId) -> Option<&Arc<Wording>> {
        let found = self.wordings.binary_search_by_key(&id, |(of, _)| *of).ok()?;
        Some(&self.wordings[found].1)
    }

    /// The settings of the `with`s directly around an expression; `None` if there are none.
    pub fn settings_of(&self, id: ExprId) -> Option<Settings> {
        let mut all = None;
        for set in self.settings.iter().filter(|setting| setting.of == id).filter_map(|setting| setting.set) {
            let mut one = Settings::DEFAULT;
            match set {
                Set::Target(target) => one.target = Some(target),
                Set::Value(parameter, value) => one.set(parameter, value),
            }
            all = Some(all.unwrap_or(Settings::DEFAULT).inside(&one));
        }
        all
    }

    /// The expression that a kernel or a definition computes: the body of its function, inside the destructuring of
    /// tuples.
    pub fn computed(&self) -> Option<ExprId> {
        let mut at = self.root?;
        loop {
            at = match self.expr(at) {
                Expr::Lambda { body, .. } => *body,
                Expr::Let { value, body, .. } if matches!(self.expr(*value), Expr::Component { .. }) => *body,
                _ => return Some(at),
            };
        }
    }
}

/// The range of each node of a body, relative to the start of its form.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SourceMap {
    pub exprs: IdVec<ExprId, TextRange>,
    pub binders: IdVec<BinderId, TextRange>,
    pub types: IdVec<TypeRefId, TextRange>,
    pub sizes: IdVec<SizeRefId, TextRange>,
    /// `(name value)`
    pub settings: IdVec<SettingId, TextRange>,
    pub form_name: TextRange,
}

impl SourceMap {
    pub fn range(&self, node: Node) -> TextRange {
        match node {
            Node::Expr(id) => self.exprs[id],
            Node::Binder(id) => self.binders[id],
            Node::Type(id) => self.types[id],
            Node::Size(id) => self.sizes[id],
            Node::Setting(id) => self.settings[id],
            Node::FormName => self.form_name,
        }
    }
}
