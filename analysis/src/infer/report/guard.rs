//! The quick fix that computes an expression only where two lengths are equal, and gives 0 or `false` otherwise.

use crate::diagnostics::{Code, Diagnostic, Edit, Fix, Title};
use crate::hir::*;
use crate::infer::results::Results;
use crate::size::{Facts, Size, Truth};
use crate::ty::TyKind;

impl Results<'_> {
    /// The guard for each error about two lengths that has one, with the index of the error.
    pub fn guards_of_lengths(&self) -> Vec<(usize, Fix)> {
        let diagnostics = &self.found.so_far().diagnostics;
        if diagnostics.iter().all(|d| d.code != Code::UnequalLengths) {
            return Vec::new();
        }
        let body = self.program.body();
        let mut parents: IdVec<ExprId, Option<ExprId>> = vec![None; body.exprs.len()].into();
        for (around, e) in body.exprs.entries() {
            e.children().into_iter().for_each(|inner| parents[inner] = Some(around));
        }
        let guard = |(i, d): (usize, &Diagnostic)| Some((i, self.guard(d, &parents)?));
        diagnostics.iter().enumerate().filter_map(guard).collect()
    }

    /// The guard around the innermost number or truth value that needs the lengths to be equal. Two arrays that have names
    /// there must have these lengths.
    fn guard(&self, d: &Diagnostic, parents: &IdVec<ExprId, Option<ExprId>>) -> Option<Fix> {
        let (obligation, Node::Expr(at)) = (d.obligation.as_ref()?, d.at) else { return None };
        let body = self.program.body();
        // A cast, and the branches of an `if`, need equal lengths whatever the conditions around them say.
        let is_cast = matches!(body.expr(at), Expr::Ascribe { .. });
        let takes = |e: ExprId| matches!(body.expr(e), Expr::Apply { .. } | Expr::Compose(_));
        if d.code != Code::UnequalLengths || is_cast || !parents[at].is_some_and(takes) {
            return None;
        }
        let around = |e: ExprId| std::iter::successors(Some(e), |e| parents[*e]);
        let number = |e: &ExprId| match self.operand_type(*e)?.kind() {
            TyKind::Scalar(scalar) => Some((*e, zero(*scalar))),
            _ => None,
        };
        let (guarded, otherwise) = around(at).skip(1).find_map(|e| number(&e))?;
        let mut visible: Vec<BinderId> = Vec::new();
        for (inner, outer) in around(guarded).zip(around(guarded).skip(1)) {
            match body.expr(outer) {
                Expr::Lambda { params, .. } => visible.extend(params),
                Expr::Let { binder, body, .. } | Expr::Unpack { binder, body, .. } if *body == inner => {
                    visible.push(*binder);
                }
                _ => {}
            }
        }
        let (left, right) = (&obligation.left.0, &obligation.right.0);
        if Facts::new().equal(left, right) == Truth::No {
            return None;
        }
        let (a, b) = (self.named_array(&visible, left)?, self.named_array(&visible, right)?);
        let edits = vec![
            Edit::InsertBefore(Node::Expr(guarded), format!("(if (= (length {a}) (length {b})) ")),
            Edit::InsertAfter(Node::Expr(guarded), format!(" {otherwise})")),
        ];
        Some(Title::Otherwise { value: otherwise.to_string(), of: self.program.short(guarded).into() }.proposed(edits))
    }

    /// The outermost array of this length. `visible` has the names in scope, innermost first.
    fn named_array(&self, visible: &[BinderId], length: &Size) -> Option<Name> {
        let body = self.program.body();
        let named = |b: &BinderId| {
            let ty = self.table.zonk(self.binders.ty(*b)?);
            let name = &body.binder(*b).name;
            let is_seen = visible.iter().find(|other| body.binder(**other).name == *name) == Some(b);
            (is_seen && **name != *"_" && ty.as_array()?.len == *length).then(|| name.clone())
        };
        visible.iter().rev().find_map(named)
    }
}

fn zero(scalar: Scalar) -> Literal {
    match scalar {
        Scalar::Bool => Literal::Bool(false),
        Scalar::Half => Literal::Half(0),
        Scalar::Float => Literal::Float(0),
        Scalar::Double => Literal::Double(0),
        other => Literal::of_integer(other, 0).unwrap_or(Literal::Int(0)),
    }
}
