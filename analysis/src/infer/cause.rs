//! Causes of unifications: what an error refers to, and where assumptions belong.

use super::result::Site;
use crate::hir::*;

/// The reason why two types must be equal.
#[derive(Debug, Clone, PartialEq)]
pub enum Cause {
    /// An argument of an application; `index` counts from zero.
    Argument {
        apply: ExprId,
        callee: ExprId,
        index: usize,
        arg: ExprId,
    },
    Condition(ExprId),
    Branches {
        at: ExprId,
        then: ExprId,
        otherwise: ExprId,
    },
    /// `(: e type)`
    Annotation(ExprId),
    /// A part of a composition, or a callee.
    Component(ExprId),
    /// An annotated parameter, and the body that it belongs to.
    Binder(ExprId, BinderId),
    /// `(length xs)` in a size.
    LengthOf(ExprId, SizeRefId),
    /// A name used as a size in the first expression; the last one is the written size that mentions it, if any.
    SizeName(ExprId, BinderId, Option<ExprId>),
    /// An equality that the checker introduced itself; conflicts originate elsewhere.
    Result(ExprId),
}

impl Cause {
    pub fn site(body: &Body, site: Site) -> Cause {
        match site {
            Site::Expr(e) | Site::Argument(e, _) => Cause::Result(e),
            Site::Binder(b) => Cause::Binder(body.root.unwrap_or(ExprId(0)), b),
        }
    }
    /// The expression to which the assumptions of the unification belong.
    pub fn at(&self) -> ExprId {
        match self {
            Cause::Argument { apply, .. } => *apply,
            Cause::Condition(e) | Cause::Annotation(e) | Cause::Component(e) | Cause::Result(e) => *e,
            Cause::Branches { at, .. } => *at,
            Cause::Binder(e, _) | Cause::LengthOf(e, _) | Cause::SizeName(e, ..) => *e,
        }
    }
    /// The expression recorded as the provenance of new bindings.
    pub fn why(&self) -> Option<ExprId> {
        match self {
            Cause::Argument { arg, .. } => Some(*arg),
            Cause::Condition(e) | Cause::Annotation(e) | Cause::Component(e) => Some(*e),
            _ => None,
        }
    }
    /// The node at which a conflict is reported.
    pub fn node(&self) -> Node {
        match self {
            Cause::Argument { arg, .. } => Node::Expr(*arg),
            Cause::Binder(_, b) => Node::Binder(*b),
            Cause::LengthOf(_, s) => Node::Size(*s),
            Cause::SizeName(_, b, read) => read.map_or(Node::Binder(*b), Node::Expr),
            Cause::Branches { otherwise, .. } => Node::Expr(*otherwise),
            other => Node::Expr(other.at()),
        }
    }
}
