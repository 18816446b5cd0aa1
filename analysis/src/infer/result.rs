//! What inference of one body yields: plain data, without positions.

use crate::diagnostics::Diagnostic;
pub use crate::diagnostics::LengthSource;
use crate::hir::{BinderId, ExprId, IdVec, Name, Node};
use crate::size::{Assumption, LengthCheck, Size, Var};
use crate::ty::{Scheme, Ty};
use rustc_hash::{FxHashMap, FxHashSet};

/// Where a length was opened: the value that had the existential type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Site {
    /// An expression that stands as an argument, a callee, a condition …; for a component of `(o f g)`, what applying
    /// that component yields.
    Expr(ExprId),
    /// A parameter, or a name bound by `let` or `unpack`.
    Binder(BinderId),
}

/// An existential that was opened (an `unpack`, written or inserted).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opening {
    pub site: Site,
    /// The fresh lengths, of kind `Skolem`, named `X1`, `X2`, … or as the user named them.
    pub lengths: Vec<Var>,
    /// The existential type.
    pub from: Ty,
    /// The type with the fresh lengths.
    pub to: Ty,
    /// The expression whose end is the end of the lengths' scope: a lambda body, a branch, the root.
    pub scope: ExprId,
    /// Written by the user as `unpack`.
    pub explicit: bool,
}

/// A value whose opened lengths were hidden (a `pack`, written or inserted).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packing {
    /// For an inserted pack the scope's body; for a written one the `(pack e)` itself.
    pub expr: ExprId,
    /// The bound length and the size it hides.
    pub hidden: Vec<(Var, Size)>,
    pub from: Ty,
    pub to: Ty,
    pub explicit: bool,
}

/// Where a named length comes from, for hovers and messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LengthOrigin {
    /// The length, of kind `Skolem`.
    pub length: Var,
    /// The call that made it (`(filter pos xs)`), or the parameter whose hidden length it is.
    pub made_by: Node,
    pub source: LengthSource,
    /// An upper bound, if one is known: `N` for a `filter` of an `Array[a,N]`.
    pub at_most: Option<Size>,
}

/// A condition on sizes that the body relies on and that is checked before a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assumed {
    pub assumption: Assumption,
    /// The use that needs it.
    pub at: ExprId,
    /// It is checked where this branch begins: what decides whether it is taken is known only there. Otherwise before a
    /// run, or where the last of its lengths is opened.
    pub branch: Option<ExprId>,
}

/// `(: e type)` whose sizes could not be proved equal: checked at run time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedCast {
    pub expr: ExprId,
    /// What must be equal at run time.
    pub checks: Vec<LengthCheck>,
    pub from: Ty,
    pub to: Ty,
}

/// How a polymorphic definition, primitive or `let` is used at one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instance {
    /// For each quantified type of the scheme.
    pub types: Vec<Ty>,
    /// For each quantified length of the scheme.
    pub sizes: Vec<Size>,
    /// For each position that the scheme's type binds: the one that stands for it in these types and lengths.
    pub positions: Vec<Var>,
}

/// A `let`-bound function that was generalised. `scheme.types[i]` is `Generic(first_type + i)` and `scheme.sizes[i]` the
/// length of kind `Generic` with id `first_size + i`, everywhere in the form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LetScheme {
    pub scheme: Scheme,
    pub first_type: u32,
    pub first_size: u32,
}

/// How `iterate #k f x` is typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Iteration {
    /// `None`: a number that only the run knows.
    pub count: Option<Size>,
    /// `None`: `f` keeps the type of `x`.
    pub length: Option<RoundLength>,
}

/// The length of an array that changes from round to round: the function is typed once, for a symbolic length.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoundLength {
    /// The length of the function's argument in its types, of kind `Skolem`; never opened.
    pub symbol: Var,
    /// The length of the function's result as an expression in `symbol`.
    pub next: Size,
    pub start: Size,
}

/// The position at which a function is applied: that of an element of an array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AtPosition {
    pub position: Var,
    /// The length of the array.
    pub count: Option<Size>,
}

/// The pieces that a `partition` makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pieces {
    pub position: Var,
    pub count: Size,
    /// The length of the piece at the position.
    pub each: Size,
}

/// The result of inferring one form.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Inference {
    /// The generalised type; for a kernel its parameters and result. `None` for an import.
    pub scheme: Option<Scheme>,
    /// The type of each expression itself, before an opening. Quantified types appear as `Generic`.
    pub expr_types: IdVec<ExprId, Ty>,
    /// The type under which each binder's name is used, i.e. after an opening.
    pub binder_types: IdVec<BinderId, Ty>,
    /// For a `let`-bound function that was generalised: its scheme, numbered after the form's own.
    pub let_schemes: FxHashMap<BinderId, LetScheme>,
    /// For each use (an `Expr::Global` or a generalised `Expr::Local`) of a polymorphic name.
    pub instances: FxHashMap<ExprId, Instance>,
    pub openings: Vec<Opening>,
    pub packings: Vec<Packing>,
    pub lengths: Vec<LengthOrigin>,
    pub assumed: Vec<Assumed>,
    pub casts: Vec<CheckedCast>,
    /// Applications of `iterate`.
    pub iterations: FxHashMap<ExprId, Iteration>,
    /// Applications of `partition`.
    pub partitions: FxHashMap<ExprId, Pieces>,
    /// Applications of `generate` whose function knows its argument as a position.
    pub generated: FxHashMap<ExprId, Var>,
    /// Applications of `aref` to rows of different lengths: which one is taken.
    pub indices: FxHashMap<ExprId, Size>,
    /// Functions whose types mention the position of the element to which they are applied.
    pub positions: FxHashMap<ExprId, AtPosition>,
    /// Compositions `(o f g xs)` that end in a value: they are applied to it at once.
    pub pipelines: FxHashSet<ExprId>,
    /// The second arguments of `and` and `or`, which are computed only if the first one does not decide.
    pub right_sides: FxHashSet<ExprId>,
    /// Literals and operators whose type was decided by default, for the hint.
    pub defaulted: Vec<ExprId>,
    /// The positions that the scheme's type binds, as they are called in the types of the body.
    pub scheme_positions: Vec<Var>,
    /// Names of other definitions that the body uses.
    pub uses: Vec<Name>,
    pub diagnostics: Vec<Diagnostic>,
}

impl Inference {
    pub fn opening_at(&self, site: Site) -> Option<&Opening> {
        self.openings.iter().find(|o| o.site == site)
    }
    pub fn packing_at(&self, expr: ExprId) -> Option<&Packing> {
        self.packings.iter().find(|p| p.expr == expr)
    }
    /// The type of an expression as its context sees it: opened, if it was.
    pub fn opened_type(&self, expr: ExprId) -> &Ty {
        match self.opening_at(Site::Expr(expr)) {
            Some(o) => &o.to,
            None => &self.expr_types[expr],
        }
    }
}
