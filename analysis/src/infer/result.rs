//! The result of inferring one body: plain data, without source locations.

pub use crate::diagnostics::LengthSource;
use crate::diagnostics::{Diagnostic, Severity};
use crate::hir::{BinderId, ExprId, IdVec, Name, Node};
use crate::infer::given::Given;
use crate::size::{Assumption, LengthCheck, Size, Var};
use crate::ty::{Scheme, Ty};
use rustc_hash::{FxHashMap, FxHashSet};

/// The value whose existential type was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Site {
    /// An expression used as an argument, a callee, a condition …; for a function of `(o f g)`, the result of applying
    /// it.
    Expr(ExprId),
    /// A parameter, or a name bound by `let` or `unpack`.
    Binder(BinderId),
    /// An argument, from 1 on, of a function given by name that opens its arguments; its first one is [`Site::Expr`].
    Argument(ExprId, u32),
}

impl Site {
    /// The argument at an index of a function that opens its arguments.
    pub fn argument(function: ExprId, index: usize) -> Site {
        match index {
            0 => Site::Expr(function),
            _ => Site::Argument(function, index as u32),
        }
    }
    /// The node at which the opening is reported.
    pub fn node(self) -> Node {
        match self {
            Site::Expr(e) | Site::Argument(e, _) => Node::Expr(e),
            Site::Binder(b) => Node::Binder(b),
        }
    }
}

/// An opened existential type: a written or inserted `unpack`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opening {
    pub site: Site,
    /// The fresh lengths, of kind `Skolem`, named `X1`, `X2`, … or as the user named them.
    pub lengths: Vec<Var>,
    /// The existential type.
    pub from: Ty,
    /// The type with the fresh lengths.
    pub to: Ty,
    /// The expression that ends the scope of the lengths: a lambda body, a branch, the root.
    pub scope: ExprId,
    /// Whether the user wrote the `unpack`.
    pub explicit: bool,
}

/// A value whose opened lengths were hidden: a written or inserted `pack`.
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

/// The origin of a named length, for hovers and messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LengthOrigin {
    /// The length, of kind `Skolem`.
    pub length: Var,
    /// The call that produced it (`(filter pos xs)`), or the parameter whose hidden length it is.
    pub made_by: Node,
    pub source: LengthSource,
    /// An upper bound, if one is known: `N` for a `filter` of an `Array[a,N]`.
    pub at_most: Option<Size>,
}

/// A condition on sizes on which the body relies; checked before or during a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assumed {
    pub assumption: Assumption,
    /// The use that needs it.
    pub at: ExprId,
    /// The branch at whose start the condition is checked, because only there it is known whether the branch is taken.
    /// `None`: checked before a run, or where the last of its lengths is opened.
    pub branch: Option<ExprId>,
}

/// A condition around an expression, and its value there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Condition {
    pub expr: ExprId,
    pub holds: bool,
}

/// What a cast at an expression converts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CastOf {
    /// A written `(: e type)`.
    Written,
    /// An argument of a call, whose lengths are those of the parameter by the conditions around the call.
    Argument,
    /// An input of a function that is an argument or a part of a composition, counted from zero.
    Input(usize),
    /// The result of such a function.
    Output,
}

/// A cast between types whose sizes are equal only by the conditions around it, or could not be proved equal and are
/// checked at run time. Inference is not trusted: the compiler checks every cast, unless it proves the lengths equal too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedCast {
    pub expr: ExprId,
    pub of: CastOf,
    /// The conditions from which it follows that the lengths are equal; empty if none say so.
    pub since: Vec<Condition>,
    /// The lengths that must be equal.
    pub checks: Vec<LengthCheck>,
    pub from: Ty,
    pub to: Ty,
}

/// One use of a polymorphic definition, primitive or `let`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instance {
    /// The instance of each quantified type of the scheme.
    pub types: Vec<Ty>,
    /// The instance of each quantified length of the scheme.
    pub sizes: Vec<Size>,
    /// The index variable in these types and lengths for each one that the scheme's type binds.
    pub positions: Vec<Var>,
}

/// A generalised `let`-bound function. `scheme.types[i]` is `Generic(first_type + i)`, and `scheme.sizes[i]` is the
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

/// The length of an array that changes from iteration to iteration: the function is typed once, for a symbolic length.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoundLength {
    /// The length of the function's argument in its types, of kind `Skolem`; never opened.
    pub symbol: Var,
    /// The length of the function's result as an expression in `symbol`.
    pub next: Size,
    pub start: Size,
}

/// How the state of a loop changes its lengths: its type `state` hides them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateChange {
    pub state: Ty,
    /// For each length that `state` hides, in their order: its initial value.
    pub start: Vec<(Var, Size)>,
    /// The hidden lengths in the types of the loop's function, of kind `Skolem`, opened in each iteration.
    pub step: Vec<Var>,
    /// The hidden lengths in the types of the loop's test; empty if the loop has none.
    pub test: Vec<Var>,
    /// Lengths in the function's types that every iteration keeps, with their values.
    pub kept: Vec<(Var, Size)>,
}

/// The index of the array element to which a function is applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AtPosition {
    pub position: Var,
    /// The length of the array.
    pub count: Option<Size>,
}

/// The segments of a `partition`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pieces {
    pub position: Var,
    pub count: Size,
    /// The length of the segment at the index.
    pub each: Size,
}

/// The result of inferring one form.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Inference {
    /// The generalised type; for a kernel its parameters and result. `None` for an import.
    pub scheme: Option<Scheme>,
    /// The type of each expression itself, before an opening. Quantified types appear as `Generic`.
    pub expr_types: IdVec<ExprId, Ty>,
    /// The type of each binder's name at its uses, after any opening.
    pub binder_types: IdVec<BinderId, Ty>,
    /// The schemes of generalised `let`-bound functions, numbered after the form's own.
    pub let_schemes: FxHashMap<BinderId, LetScheme>,
    /// The instance at each use of a polymorphic name (an `Expr::Global` or a generalised `Expr::Local`).
    pub instances: FxHashMap<ExprId, Instance>,
    pub openings: Vec<Opening>,
    pub packings: Vec<Packing>,
    pub lengths: Vec<LengthOrigin>,
    pub assumed: Vec<Assumed>,
    pub casts: Vec<CheckedCast>,
    /// Applications of `iterate`.
    pub iterations: FxHashMap<ExprId, Iteration>,
    /// Applications of `iterate` and `iterateWhile` whose state changes its lengths.
    pub changes: FxHashMap<ExprId, StateChange>,
    /// The sizes that `let`s name.
    pub named_sizes: FxHashMap<BinderId, Size>,
    /// Applications of `partition`.
    pub partitions: FxHashMap<ExprId, Pieces>,
    /// The index variables of applications of `generate` whose function may use its parameter as a size.
    pub generated: FxHashMap<ExprId, Var>,
    /// The indices of applications of `aref` to rows of different lengths.
    pub indices: FxHashMap<ExprId, Size>,
    /// Functions whose types mention the index of the element that they are applied to.
    pub positions: FxHashMap<ExprId, AtPosition>,
    /// Compositions `(o f g xs)` that end in a value and are applied to it.
    pub pipelines: FxHashSet<ExprId>,
    /// Functions given by name to elements of hidden length: each is taken as the composition of itself alone, which
    /// opens its argument. An opening at such an expression is that of the argument.
    pub openers: FxHashMap<ExprId, usize>,
    /// Uses of definitions that are given rows of hidden length: the body is inferred again for them.
    pub given: FxHashMap<ExprId, Given>,
    /// The second arguments of `and` and `or`, computed only if the first does not decide.
    pub right_sides: FxHashSet<ExprId>,
    /// Literals and operators with a default type, for the hint.
    pub defaulted: Vec<ExprId>,
    /// The index variables bound by the scheme's type, as named in the types of the body.
    pub scheme_positions: Vec<Var>,
    /// Names of other definitions that the body uses.
    pub uses: Vec<Name>,
    pub diagnostics: Vec<Diagnostic>,
}

impl Inference {
    pub fn is_without_errors(&self) -> bool {
        self.errors() == 0
    }
    pub fn first_error(&self) -> Option<&Diagnostic> {
        self.diagnostics.iter().find(|d| d.severity == Severity::Error)
    }
    /// The number of errors.
    pub fn errors(&self) -> usize {
        self.diagnostics.iter().filter(|d| d.severity == Severity::Error).count()
    }
    pub fn opening_at(&self, site: Site) -> Option<&Opening> {
        self.openings.iter().find(|o| o.site == site)
    }
    pub fn packing_at(&self, expr: ExprId) -> Option<&Packing> {
        self.packings.iter().find(|p| p.expr == expr)
    }
    /// The type of an expression as its context uses it, after any opening.
    pub fn opened_type(&self, expr: ExprId) -> &Ty {
        match self.opening_at(Site::Expr(expr)) {
            Some(o) => &o.to,
            None => &self.expr_types[expr],
        }
    }
}
