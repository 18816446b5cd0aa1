//! The syntax tree.

use super::helpers::Helper;
use lift_analysis::hir::{Name, Scalar};
use lift_analysis::origin::Origin;
use lift_analysis::size::Size;
use rustc_hash::{FxHashMap, FxHasher};
use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// The types of values that a kernel computes with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CType {
    Bool,
    UChar,
    Int,
    UInt,
    Long,
    ULong,
    Float,
    Double,
    /// A vector of scalars, of width 2, 3, 4, 8 or 16.
    Vec(Scalar, u8),
}

impl CType {
    /// The type of a value of a scalar type.
    pub fn of(s: Scalar) -> CType {
        match s {
            Scalar::Int => CType::Int,
            Scalar::Long => CType::Long,
            Scalar::Float => CType::Float,
            Scalar::Double => CType::Double,
            Scalar::Bool => CType::Bool,
        }
    }
    /// The type of an element in memory: as [`CType::of`], but a `Bool` is a byte.
    pub fn stored(s: Scalar) -> CType {
        match s {
            Scalar::Bool => CType::UChar,
            other => CType::of(other),
        }
    }
    pub fn name(self) -> String {
        match self {
            CType::Bool => "bool".into(),
            CType::UChar => "uchar".into(),
            CType::Int => "int".into(),
            CType::UInt => "uint".into(),
            CType::Long => "long".into(),
            CType::ULong => "ulong".into(),
            CType::Float => "float".into(),
            CType::Double => "double".into(),
            CType::Vec(s, w) => format!("{}{w}", CType::stored(s).name()),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Lt,
    Gt,
    Le,
    Ge,
    Eq,
    Ne,
    And,
    Or,
    BitAnd,
    BitOr,
    BitXor,
    Shl,
    Shr,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    Neg,
    Not,
}

/// Parts are shared: what is computed once is mentioned again and again until it is written.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Expr {
    /// An `int`, or a `long` where `long` is set.
    Int {
        value: i64,
        long: bool,
    },
    /// A `uint` literal.
    UInt(u64),
    /// The bits of an `f32`.
    Float(u32),
    /// The bits of an `f64`.
    Double(u64),
    Bool(bool),
    Var(Name),
    Unary(UnaryOp, Arc<Expr>),
    Binary(BinaryOp, Arc<Expr>, Arc<Expr>),
    /// `c ? a : b`
    Select(Arc<Expr>, Arc<Expr>, Arc<Expr>),
    Call(Name, Vec<Expr>),
    Cast(CType, Arc<Expr>),
    Index(Arc<Expr>, Arc<Expr>),
    /// A component of a vector: `.s3`.
    Lane(Arc<Expr>, u8),
    /// `(float4)(a, b, c, d)`
    Vector(CType, Vec<Expr>),
    /// `&x`
    AddressOf(Arc<Expr>),
    /// `*(__local float4*)(p)`: a vector in memory, at an address that is a multiple of its size.
    Wide {
        ty: CType,
        space: Qualifier,
        pointer: Arc<Expr>,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stmt {
    pub kind: StmtKind,
    pub origin: Option<Origin>,
}

/// What a pointer points to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Qualifier {
    /// Global memory.
    Global,
    /// Global memory that is only read.
    GlobalConst,
    Local,
}

/// Where a declared array lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Storage {
    Private,
    Local,
    /// Local, and aligned so that vectors can be read and written.
    LocalVectors,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    Increment,
    Add(Expr),
    /// `x *= 2`
    Double,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StmtKind {
    Declare {
        ty: CType,
        constant: bool,
        name: Name,
        init: Option<Expr>,
    },
    DeclareArray {
        storage: Storage,
        ty: CType,
        name: Name,
        len: u64,
    },
    Assign(Expr, Expr),
    Expr(Expr),
    If {
        condition: Expr,
        then: Vec<Stmt>,
        otherwise: Vec<Stmt>,
    },
    For {
        ty: CType,
        var: Name,
        from: Expr,
        condition: Expr,
        step: Step,
        /// What the variable stays below, where the condition reads a number that only the device knows.
        below: Option<Size>,
        body: Vec<Stmt>,
    },
    While {
        condition: Expr,
        body: Vec<Stmt>,
    },
    Break,
    Return,
    /// Ends the work-item, because a check has failed: what follows would rely on it. In an `If`, last.
    Stop,
    Barrier {
        local: bool,
        global: bool,
    },
    /// Braces of its own.
    Block(Vec<Stmt>),
    Comment(String),
    /// The loop that follows is written out.
    Unroll,
    /// The loop that follows is not.
    Roll,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ParamType {
    /// `__global const T* restrict` (or without `const`).
    Buffer {
        element: CType,
        constant: bool,
    },
    /// `__local T* restrict`: memory of the group, as much as the launch says.
    Local(CType),
    Value(CType),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Param {
    pub name: Name,
    pub ty: ParamType,
}

/// Of expressions inside of statements, by what they are: where in the source each was computed. The same expression of
/// two places comes from neither.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PartOrigins(FxHashMap<u64, Option<Origin>>);

impl PartOrigins {
    /// An expression that stands for a value of the program.
    pub fn add(&mut self, expr: &Expr, origin: &Origin) {
        if !expr.is_leaf() {
            let known = self.0.entry(fingerprint(expr)).or_insert_with(|| Some(origin.clone()));
            if known.as_ref() != Some(origin) {
                *known = None;
            }
        }
    }

    pub fn find(&self, expr: &Expr) -> Option<&Origin> {
        if self.0.is_empty() || expr.is_leaf() {
            return None;
        }
        self.0.get(&fingerprint(expr))?.as_ref()
    }
}

/// Of two expressions that differ it is the same so seldom that nobody will see a wrong mark.
fn fingerprint(expr: &Expr) -> u64 {
    let mut hasher = FxHasher::default();
    expr.hash(&mut hasher);
    hasher.finish()
}

impl Expr {
    /// A name or a number.
    fn is_leaf(&self) -> bool {
        use Expr::*;
        matches!(self, Int { .. } | UInt(_) | Float(_) | Double(_) | Bool(_) | Var(_))
    }
}

/// A `__kernel` function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    pub name: Name,
    /// What it does, for a person; printed above it.
    pub doc: String,
    pub origin: Origin,
    pub params: Vec<Param>,
    /// The work-group size on which the code relies.
    pub group_size: Option<[u32; 3]>,
    pub body: Vec<Stmt>,
    /// Where the parts of expressions come from.
    pub parts: PartOrigins,
}

/// A whole OpenCL text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Unit {
    /// Printed first, as a comment.
    pub header: Vec<String>,
    pub uses_double: bool,
    pub helpers: BTreeSet<Helper>,
    pub functions: Vec<Function>,
}
