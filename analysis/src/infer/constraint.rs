//! Deferred constraints: decisions that need a type to be known better.
//!
//! Opening and hiding lengths must not depend on the order in which the checker visits the parts of a program (the
//! false errors of the paper, section 5.3). Each such decision is therefore a constraint that waits for the inference
//! variables that it depends on, is retried when one of them is bound, and is defaulted only when nothing else can make
//! progress.

use super::cause::Cause;
use super::result::Site;
use super::scopes::ScopeId;
use super::table::Key;
use crate::hir::{ExprId, Name};
use crate::size::{Size, Var};
use crate::ty::Ty;

#[derive(Debug, Clone)]
pub enum Constraint {
    /// `to` is `from`, opened in `scope` if it is existential.
    Open { from: Ty, to: Ty, site: Site, scope: ScopeId, explicit: bool, names: Vec<Name> },
    /// `to` is `from` with the lengths of `scope` hidden, if it mentions any. `expr` is the body of the scope.
    Close { from: Ty, to: Ty, scope: ScopeId, expr: ExprId },
    /// `to` is `from` with its lengths hidden, for a written `(pack e)`.
    Pack { from: Ty, to: Ty, scope: ScopeId, expr: ExprId, inner: ExprId },
    /// The existential `to` is `from` with lengths hidden that may be of this level, for a written `(: value to)`.
    Hide { from: Ty, to: Ty, at: ExprId, value: ExprId, level: u32 },
    /// `to` is the common type of the branches of an `if`, with different lengths hidden.
    Join { branches: [Branch; 2], to: Ty, at: ExprId },
    /// Component `index` of a tuple.
    Project { from: Ty, index: usize, to: Ty, at: ExprId },
    /// An array of tuples as a tuple of arrays.
    Unzip { array: Ty, to: Ty, at: ExprId },
    /// `Array[joined,total]` is the joined rows: `total` is the sum of their lengths.
    JoinRows { rows: Rows, total: Size, joined: Ty, cause: Cause },
    /// Lengths that must be equal.
    Equal { left: Size, right: Size, cause: Cause },
    /// `(: e type)`: sizes are proved equal at the end, or checked at run time.
    Cast { from: Ty, to: Ty, at: ExprId },
}

/// A branch of an `if`.
#[derive(Debug, Clone)]
pub struct Branch {
    /// The type of the branch before hiding.
    pub ty: Ty,
    pub scope: ScopeId,
    pub expr: ExprId,
}

/// The argument of `join`, `Array[row => Array[column => element,each],count]`, and the index variable of the result.
#[derive(Debug, Clone)]
pub struct Rows {
    pub row: Var,
    pub column: Var,
    pub flat: Var,
    pub count: Size,
    pub each: Size,
    pub element: Ty,
}

/// The result of an attempt.
pub enum Progress {
    Done,
    /// Retry when one of these is bound.
    Wait(Vec<Key>),
}
