//! The form that is inferred: its body, the meaning of the names in it, and who inserts openings.
//!
//! Invariant: nothing here changes during an inference, so an answer from here is never out of date.

use super::branches::Branches;
use super::given::Given;
use super::texts::short_text;
use super::{Env, Lookup, Mode};
use crate::foreign::{self, Foreign};
use crate::hir::*;
use crate::prims::{Primitive, PrimitiveId};
use crate::ty::Scheme;
use rustc_hash::FxHashMap;
use std::cell::OnceCell;

pub struct Program<'a> {
    body: &'a Body,
    env: &'a dyn Env,
    mode: Mode,
    branches: OnceCell<Branches>,
    /// The values of `let` and `unpack` names.
    values: OnceCell<FxHashMap<BinderId, ExprId>>,
}

impl<'a> Program<'a> {
    pub fn new(body: &'a Body, env: &'a dyn Env, mode: Mode) -> Program<'a> {
        Program { body, env, mode, branches: OnceCell::new(), values: OnceCell::new() }
    }

    pub fn body(&self) -> &'a Body {
        self.body
    }
    pub fn expr(&self, e: ExprId) -> &'a Expr {
        self.body.expr(e)
    }
    pub fn root(&self) -> ExprId {
        self.body.root.unwrap_or(ExprId(0))
    }
    pub fn is_kernel(&self) -> bool {
        self.body.kind == FormKind::Kernel
    }
    /// Whether only the program opens and hides lengths.
    pub fn is_explicit(&self) -> bool {
        self.mode == Mode::Explicit
    }
    /// Whether lowering found an error, or something is missing.
    pub fn is_broken(&self) -> bool {
        self.body.diagnostics.iter().any(|d| d.severity == crate::diagnostics::Severity::Error)
            || self.body.exprs.contains(&Expr::Missing)
            || self.body.types.contains(&TypeRef::Error)
            || self.body.sizes.iter().any(|size| match size {
                SizeRef::Error => true,
                SizeRef::Global(name) => self.natural_at(*name).is_none(),
                _ => false,
            })
    }

    // --- names

    pub fn lookup(&self, name: &str) -> Lookup {
        self.env.lookup(name)
    }
    /// The type of a definition whose parameters are given these types.
    pub fn given(&self, name: &str, given: &Given) -> Option<Scheme> {
        self.env.given(name, given)
    }
    pub fn wrong_with_given(&self, name: &str, given: &Given) -> Option<String> {
        self.env.wrong_with_given(name, given)
    }
    /// The type of a word of the language.
    pub fn word(&self, name: &str) -> Option<Scheme> {
        self.env.word(name)
    }
    /// The primitive that a name refers to.
    pub fn primitive(&self, name: &str) -> Option<&'static Primitive> {
        self.env.primitive(name)
    }
    /// The natural number that a definition names.
    pub fn natural(&self, name: &str) -> Option<u64> {
        match self.lookup(name) {
            Lookup::Definition(scheme) => scheme.natural,
            _ => None,
        }
    }
    fn natural_at(&self, e: ExprId) -> Option<u64> {
        match self.expr(e) {
            Expr::Global(name) => self.natural(name),
            _ => None,
        }
    }
    /// The primitive that an expression names.
    pub fn primitive_at(&self, e: ExprId) -> Option<&'static Primitive> {
        match self.expr(e) {
            Expr::Global(name) => self.primitive(name),
            _ => None,
        }
    }
    /// The name of the operator that a function is, also in `(lambda (a b) (+ a b))`.
    pub fn operator_at(&self, e: ExprId) -> Option<ExprId> {
        let Expr::Lambda { params, body } = self.expr(e) else { return Some(e) };
        let Expr::Apply { callee, args } = self.expr(*body) else { return None };
        let are_params =
            args.len() == params.len() && args.iter().zip(params).all(|(a, p)| *self.expr(*a) == Expr::Local(*p));
        are_params.then_some(*callee)
    }
    /// The value bound to a `let` or `unpack` name.
    pub fn value_of(&self, b: BinderId) -> Option<ExprId> {
        let bound = |e: &Expr| match e {
            Expr::Let { binder, value, .. } | Expr::Unpack { binder, value, .. } => Some((*binder, *value)),
            _ => None,
        };
        let values = self.values.get_or_init(|| self.body.exprs.iter().filter_map(bound).collect());
        values.get(&b).copied()
    }

    /// Whether an application is a form of another language rather than a call.
    pub fn is_foreign_form(&self, callee: ExprId) -> bool {
        let Expr::Global(name) = self.expr(callee) else { return false };
        matches!(foreign::word(name), Some(Foreign::Form(_))) && matches!(self.lookup(name), Lookup::Unknown { .. })
    }

    // --- expressions

    /// The abridged text of an expression.
    pub fn short(&self, e: ExprId) -> String {
        short_text(self.body, e)
    }
    /// The number of parameters of a primitive or a definition.
    pub fn parameters(&self, name: &str) -> Option<usize> {
        match self.lookup(name) {
            Lookup::Definition(scheme) => Some(scheme.ty.uncurry().0.len()),
            Lookup::Primitive(p) => Some(p.scheme.ty.uncurry().0.len()),
            Lookup::Recursive(_) | Lookup::Failed | Lookup::Unknown { .. } => None,
        }
    }
    /// The arguments of an application; empty for other expressions.
    pub fn arguments(&self, apply: ExprId) -> &'a [ExprId] {
        match self.expr(apply) {
            Expr::Apply { args, .. } => args,
            _ => &[],
        }
    }
    /// For an `and` or `or`: its second argument, its first, and the value of the first for which the second is
    /// computed.
    pub fn right_side(&self, callee: ExprId, args: &[ExprId]) -> Option<(ExprId, ExprId, bool)> {
        let &[left, right] = args else { return None };
        match self.primitive_at(callee)?.id {
            PrimitiveId::And => Some((right, left, true)),
            PrimitiveId::Or => Some((right, left, false)),
            _ => None,
        }
    }
    /// The branches of the form; computed on first use.
    pub fn branches(&self) -> &Branches {
        self.branches.get_or_init(|| Branches::new(self.body, |e| self.body.expr(e).children(), |e| self.taken_if(e)))
    }
    /// The parts of an expression computed only under a condition: part, condition, and the value that it must have.
    fn taken_if(&self, e: ExprId) -> Vec<(ExprId, ExprId, bool)> {
        match self.expr(e) {
            Expr::If { condition, then, otherwise } => {
                vec![(*then, *condition, true), (*otherwise, *condition, false)]
            }
            Expr::Apply { callee, args } => self.right_side(*callee, args).into_iter().collect(),
            _ => Vec::new(),
        }
    }
}
