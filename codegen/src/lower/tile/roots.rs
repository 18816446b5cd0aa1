//! Reciprocal roots in the terms of long sums of floats that may be reordered.
//!
//! A `reduce` of n floats guarantees its result up to (n-1)·u·Σ|term|, where u is the unit roundoff. So each term may
//! have an error of a small multiple of u. An error of a few units in a factor becomes the same relative error of the
//! term, and only factors are replaced: `a / √b` and `a / (b·√b)` by `a·r` and `a·r·r·r`, where `r = rsqrt(b)` is
//! within 2 ulp by the OpenCL standard. In this order no product leaves the range between `a` and the result. If b is a
//! sum of squares and non-negative numbers, its products are contracted with the sum, because nothing cancels there.
//! The total error is below 24 units. Everything else stays, in particular operands of additions and comparisons.

use super::super::function::{Body, FunctionBuilder};
use super::super::value::{ScalarValue, Value};
use crate::opencl::{BinaryOp, CType, Expr, Stmt, StmtKind, UnaryOp};
use crate::schedule::rules;
use lift_analysis::hir::{Name, Scalar};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Replacements of names in the terms of one iteration.
type Replaced = FxHashMap<Name, Expr>;

impl Body {
    /// Removes unused names from the current scope.
    pub fn without_unused_names(&mut self) {
        let Some(scope) = self.innermost() else { return };
        let mut at = scope.len();
        while at > 0 {
            at -= 1;
            let StmtKind::Declare { constant: true, name, init: Some(init), .. } = &scope[at].kind else { continue };
            let name = Expr::Var(name.clone());
            if is_pure(init) && !scope[at + 1..].iter().any(|s| mentions(s, &name)) {
                scope.remove(at);
            }
        }
    }
}

/// The next accumulator of a sum of many floats that may be reordered; `acc` is the previous one.
pub(super) fn with_reciprocal_roots<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    next: Value<'k>,
    acc: &Value<'k>,
) -> Value<'k> {
    let mut replaced = Replaced::default();
    sums(f, next, acc, &mut replaced)
}

fn sums<'k>(f: &mut FunctionBuilder<'_, 'k>, next: Value<'k>, acc: &Value<'k>, replaced: &mut Replaced) -> Value<'k> {
    match (next, acc) {
        (Value::Tuple(parts), Value::Tuple(accs)) if parts.len() == accs.len() => {
            Value::Tuple(parts.into_iter().zip(accs).map(|(p, acc)| sums(f, p, acc, replaced)).collect())
        }
        (
            Value::Scalar(ScalarValue::Computed { ty: Scalar::Float, expr: Expr::Binary(BinaryOp::Add, a, b) }),
            Value::Scalar(ScalarValue::Computed { expr: acc, .. }),
        ) => {
            let (a, b) = (Arc::unwrap_or_clone(a), Arc::unwrap_or_clone(b));
            let (a, b) = match (a == *acc, b == *acc) {
                (true, false) => (a, factor(f, b, replaced)),
                (false, true) => (factor(f, a, replaced), b),
                _ => (a, b),
            };
            Value::computed(Scalar::Float, Expr::binary(BinaryOp::Add, a, b))
        }
        (next, _) => next,
    }
}

/// Replaces roots in a factor of a term.
fn factor(f: &mut FunctionBuilder, e: Expr, replaced: &mut Replaced) -> Expr {
    match e {
        Expr::Binary(BinaryOp::Mul, a, b) => {
            let (a, b) = (Arc::unwrap_or_clone(a), Arc::unwrap_or_clone(b));
            Expr::binary(BinaryOp::Mul, factor(f, a, replaced), factor(f, b, replaced))
        }
        Expr::Unary(UnaryOp::Neg, a) => {
            Expr::Unary(UnaryOp::Neg, Arc::new(factor(f, Arc::unwrap_or_clone(a), replaced)))
        }
        Expr::Binary(BinaryOp::Div, a, b) => {
            let Some((root_of, cubed)) = root(f, &b) else { return Expr::Binary(BinaryOp::Div, a, b) };
            let origin = f.origin();
            f.program_mut().applied(&rules::RECIPROCAL_ROOT, &origin);
            let a = factor(f, Arc::unwrap_or_clone(a), replaced);
            let under = sum_of_squares(f, root_of);
            let r = f.bind("r", CType::Float, Expr::call("rsqrt", [under]));
            let times = |a: Expr| Expr::binary(BinaryOp::Mul, a, r.clone());
            if cubed { times(times(times(a))) } else { times(a) }
        }
        Expr::Var(name) => {
            if let Some(known) = replaced.get(&name) {
                return known.clone();
            }
            let Some(init) = f.initial(&name).cloned() else { return Expr::Var(name) };
            let new = factor(f, init.clone(), replaced);
            if new == init {
                return Expr::Var(name);
            }
            // A product of two atoms is contracted with the sum, so it needs no name.
            let product = matches!(&new, Expr::Binary(BinaryOp::Mul, x, y) if x.is_atom() && y.is_atom());
            let new = if product { new } else { f.bind(&name, CType::Float, new) };
            replaced.insert(name, new.clone());
            new
        }
        other => other,
    }
}

/// The value of a name, or the expression itself.
fn meant(f: &Body, e: &Expr) -> Expr {
    match e {
        Expr::Var(name) => f.initial(name).unwrap_or(e).clone(),
        _ => e.clone(),
    }
}

/// `b` and whether the expression is `b·√b` (`true`) or `√b` (`false`).
fn root(f: &Body, e: &Expr) -> Option<(Expr, bool)> {
    let of = |e: &Expr| match meant(f, e) {
        Expr::Call(name, args) if &*name == "sqrt" => <[Expr; 1]>::try_from(args).ok().map(|[b]| b),
        _ => None,
    };
    if let Some(b) = of(e) {
        return Some((b, false));
    }
    let Expr::Binary(BinaryOp::Mul, x, y) = meant(f, e) else { return None };
    let cubed = |x: &Expr, y: &Expr| of(y).filter(|b| b == x && b.is_atom()).map(|b| (b, true));
    cubed(&x, &y).or_else(|| cubed(&y, &x))
}

/// Contracts the products of a sum, if it consists of squares and non-negative numbers.
fn sum_of_squares(f: &Body, e: Expr) -> Expr {
    let sum = meant(f, &e);
    if matches!(sum, Expr::Binary(BinaryOp::Add, ..)) && is_sum_of_squares(&sum) { fused(sum) } else { e }
}

fn is_sum_of_squares(e: &Expr) -> bool {
    match e {
        Expr::Float(bits) => f32::from_bits(*bits) >= 0.0,
        Expr::Binary(BinaryOp::Mul, x, y) => x == y && x.is_atom(),
        Expr::Binary(BinaryOp::Add, x, y) => is_sum_of_squares(x) && is_sum_of_squares(y),
        _ => false,
    }
}

/// Contracts each product that is added to a fused multiply-add.
fn fused(e: Expr) -> Expr {
    let Expr::Binary(BinaryOp::Add, a, b) = e else { return e };
    match (fused(Arc::unwrap_or_clone(a)), fused(Arc::unwrap_or_clone(b))) {
        (Expr::Binary(BinaryOp::Mul, x, y), rest) | (rest, Expr::Binary(BinaryOp::Mul, x, y)) => {
            Expr::call("fma", [Arc::unwrap_or_clone(x), Arc::unwrap_or_clone(y), rest])
        }
        (a, b) => Expr::binary(BinaryOp::Add, a, b),
    }
}

/// Whether an expression consists of arithmetic and standard functions.
fn is_pure(e: &Expr) -> bool {
    !e.any(&mut |e| matches!(e, Expr::Call(name, _) if name.starts_with("lift_") || name.starts_with("atom")))
}

fn mentions(stmt: &Stmt, name: &Expr) -> bool {
    let all = |stmts: &[Stmt]| stmts.iter().any(|s| mentions(s, name));
    match &stmt.kind {
        StmtKind::Declare { init, .. } => init.as_ref().is_some_and(|e| e.mentions(name)),
        StmtKind::Assign(to, value) => to.mentions(name) || value.mentions(name),
        StmtKind::Expr(e) => e.mentions(name),
        StmtKind::If { condition, then, otherwise } => condition.mentions(name) || all(then) || all(otherwise),
        StmtKind::For { from, condition, body, .. } => from.mentions(name) || condition.mentions(name) || all(body),
        StmtKind::While { condition, body } => condition.mentions(name) || all(body),
        StmtKind::Block(body) => all(body),
        StmtKind::DeclareArray { .. }
        | StmtKind::Break
        | StmtKind::Return
        | StmtKind::Stop
        | StmtKind::Barrier { .. }
        | StmtKind::Comment(_)
        | StmtKind::Unroll
        | StmtKind::Roll => false,
    }
}
