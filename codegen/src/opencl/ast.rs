//! The syntax tree of OpenCL C.

use super::helpers::Helper;
use lift_analysis::hir::{Name, Scalar};
use lift_analysis::origin::Origin;
use lift_analysis::size::Size;
use rustc_hash::{FxHashMap, FxHasher};
use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// The value types of generated code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CType {
    Bool,
    Char,
    UChar,
    Short,
    UShort,
    Int,
    UInt,
    Long,
    ULong,
    /// The bits of a half; arithmetic on them goes through [`Helper::FromHalf`] and [`Helper::ToHalf`].
    Half,
    Float,
    Double,
    /// A vector of scalars, of width 2, 3, 4, 8 or 16.
    Vec(Scalar, u8),
}

impl CType {
    /// The type in which values of a scalar type are computed.
    pub fn of(s: Scalar) -> CType {
        match s {
            Scalar::Byte => CType::Char,
            Scalar::UByte => CType::UChar,
            Scalar::Short => CType::Short,
            Scalar::UShort => CType::UShort,
            Scalar::Int => CType::Int,
            Scalar::UInt => CType::UInt,
            Scalar::Long => CType::Long,
            Scalar::ULong => CType::ULong,
            Scalar::Half => CType::Half,
            Scalar::Float => CType::Float,
            Scalar::Double => CType::Double,
            Scalar::Bool => CType::Bool,
        }
    }
    /// The type of an element in memory: [`CType::of`], except that `Bool` is a byte.
    pub fn stored(s: Scalar) -> CType {
        match s {
            Scalar::Bool => CType::UChar,
            other => CType::of(other),
        }
    }
    /// The unsigned type of the same size as an integer type.
    pub fn unsigned_of(s: Scalar) -> CType {
        match s.bytes() {
            1 => CType::UChar,
            2 => CType::UShort,
            8 => CType::ULong,
            _ => CType::UInt,
        }
    }
    pub fn name(self) -> String {
        match self {
            CType::Bool => "bool".into(),
            CType::Char => "char".into(),
            CType::UChar => "uchar".into(),
            CType::Short => "short".into(),
            CType::UShort | CType::Half => "ushort".into(),
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

/// Subexpressions are shared: a value is used many times before it is written to a variable.
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

/// The address space of a pointer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Qualifier {
    /// Read-write global memory.
    Global,
    /// Read-only global memory.
    GlobalConst,
    Local,
}

/// Where a declared array is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Storage {
    Private,
    Local,
    /// Local, aligned for vector loads and stores.
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
        /// An upper bound (exclusive) of the variable, if the condition reads a number that only the device knows.
        below: Option<Size>,
        body: Vec<Stmt>,
    },
    While {
        condition: Expr,
        body: Vec<Stmt>,
    },
    Break,
    Return,
    /// Ends the work-item after a failed check, because the rest would rely on it. The last statement of an `If`.
    Stop,
    Barrier {
        local: bool,
        global: bool,
    },
    /// A block in braces.
    Block(Vec<Stmt>),
    Comment(String),
    /// Unroll the next loop.
    Unroll,
    /// Do not unroll the next loop.
    Roll,
}

/// About how many instructions an expression takes on a device whose functions and divisions are sequences of others.
pub fn instructions(e: &Expr) -> usize {
    const CALL: usize = 20;
    const DIVISION: usize = 8;
    let own = match e {
        Expr::Call(name, _) if matches!(&**name, "min" | "max" | "fmin" | "fmax" | "abs" | "fabs" | "fma") => 1,
        Expr::Call(..) => CALL,
        Expr::Binary(BinaryOp::Div | BinaryOp::Rem, ..) => DIVISION,
        Expr::Binary(..) | Expr::Unary(..) | Expr::Select(..) | Expr::Index(..) | Expr::Wide { .. } => 1,
        _ => 0,
    };
    own + match e {
        Expr::Unary(_, a)
        | Expr::Cast(_, a)
        | Expr::Lane(a, _)
        | Expr::AddressOf(a)
        | Expr::Wide { pointer: a, .. } => instructions(a),
        Expr::Binary(_, a, b) | Expr::Index(a, b) => instructions(a) + instructions(b),
        Expr::Select(a, b, c) => instructions(a) + instructions(b) + instructions(c),
        Expr::Call(_, args) | Expr::Vector(_, args) => args.iter().map(instructions).sum(),
        Expr::Int { .. } | Expr::UInt(_) | Expr::Float(_) | Expr::Double(_) | Expr::Bool(_) | Expr::Var(_) => 0,
    }
}

impl StmtKind {
    /// About how many instructions a statement without loops takes.
    pub fn instructions(&self) -> usize {
        let all = |stmts: &[Stmt]| stmts.iter().map(|s| s.kind.instructions()).sum::<usize>();
        match self {
            StmtKind::Declare { init, .. } => init.as_ref().map_or(0, instructions),
            StmtKind::Assign(to, e) => instructions(to) + instructions(e),
            StmtKind::Expr(e) => instructions(e),
            StmtKind::If { condition, then, otherwise } => instructions(condition) + all(then) + all(otherwise),
            StmtKind::Block(body) => all(body),
            _ => 0,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParamType {
    /// `__global const T* restrict` (or without `const`).
    Buffer {
        element: CType,
        constant: bool,
    },
    /// `__local T* restrict`: local memory, sized by the launch.
    Local(CType),
    Value(CType),
}

impl ParamType {
    /// Whether the function cannot write through the parameter.
    pub fn is_only_read(self) -> bool {
        !matches!(self, ParamType::Buffer { constant: false, .. } | ParamType::Local(_))
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Param {
    pub name: Name,
    pub ty: ParamType,
}

/// Origins of subexpressions, by structure. An expression that two places of the source compute has no origin.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PartOrigins(FxHashMap<u64, Option<Origin>>);

impl PartOrigins {
    /// Records the origin of an expression that computes a value of the program.
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

/// A hash; collisions are rare and would only give a wrong source location.
fn fingerprint(expr: &Expr) -> u64 {
    let mut hasher = FxHasher::default();
    expr.hash(&mut hasher);
    hasher.finish()
}

impl Expr {
    /// Whether it is a name or a literal.
    fn is_leaf(&self) -> bool {
        use Expr::*;
        matches!(self, Int { .. } | UInt(_) | Float(_) | Double(_) | Bool(_) | Var(_))
    }
}

/// A `__kernel` function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    pub name: Name,
    /// Describes the function for people; printed above it.
    pub doc: String,
    pub origin: Origin,
    pub params: Vec<Param>,
    /// The work-group size that the code requires, if any.
    pub group_size: Option<[u32; 3]>,
    pub body: Vec<Stmt>,
    /// The origins of subexpressions.
    pub parts: PartOrigins,
}

/// An OpenCL source file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Unit {
    /// Lines of a comment, printed first.
    pub header: Vec<String>,
    pub uses_double: bool,
    pub helpers: BTreeSet<Helper>,
    pub functions: Vec<Function>,
}

impl StmtKind {
    /// The statements inside.
    pub fn blocks(&self) -> Vec<&[Stmt]> {
        match self {
            StmtKind::If { then, otherwise, .. } => vec![then, otherwise],
            StmtKind::For { body, .. } | StmtKind::While { body, .. } | StmtKind::Block(body) => vec![body],
            _ => Vec::new(),
        }
    }

    /// Shows the expressions of the statement itself.
    pub fn each_expr(&self, see: &mut dyn FnMut(&Expr)) {
        match self {
            StmtKind::Declare { init: Some(e), .. } | StmtKind::Expr(e) => see(e),
            StmtKind::Assign(to, value) => {
                see(to);
                see(value);
            }
            StmtKind::If { condition, .. } | StmtKind::While { condition, .. } => see(condition),
            StmtKind::For { from, condition, step, .. } => {
                see(from);
                see(condition);
                if let Step::Add(by) = step {
                    see(by);
                }
            }
            _ => {}
        }
    }

    /// Whether an expression of the statement, or of one inside, satisfies the predicate.
    pub fn any_expr(&self, pred: &mut dyn FnMut(&Expr) -> bool) -> bool {
        let mut found = false;
        self.each_expr(&mut |e| found |= e.any(pred));
        found || self.blocks().into_iter().flatten().any(|s| s.kind.any_expr(pred))
    }
}

/// Changes every subexpression of the statements and of those inside, innermost first.
pub fn rewrite(stmts: &mut [Stmt], change: &mut dyn FnMut(&mut Expr)) {
    for stmt in stmts {
        match &mut stmt.kind {
            StmtKind::Declare { init: Some(e), .. } | StmtKind::Expr(e) => e.rewrite(change),
            StmtKind::Assign(to, value) => {
                to.rewrite(change);
                value.rewrite(change);
            }
            StmtKind::If { condition, then, otherwise } => {
                condition.rewrite(change);
                rewrite(then, change);
                rewrite(otherwise, change);
            }
            StmtKind::For { from, condition, step, body, .. } => {
                from.rewrite(change);
                condition.rewrite(change);
                if let Step::Add(by) = step {
                    by.rewrite(change);
                }
                rewrite(body, change);
            }
            StmtKind::While { condition, body } => {
                condition.rewrite(change);
                rewrite(body, change);
            }
            StmtKind::Block(body) => rewrite(body, change),
            _ => {}
        }
    }
}

/// Whether these statements contain a loop.
pub fn has_loop(stmts: &[Stmt]) -> bool {
    stmts.iter().any(|s| match &s.kind {
        StmtKind::For { .. } | StmtKind::While { .. } => true,
        StmtKind::If { then, otherwise, .. } => has_loop(then) || has_loop(otherwise),
        StmtKind::Block(body) => has_loop(body),
        _ => false,
    })
}
