//! Guesses what was meant where a function says which of two elements comes first, but another is given: `(sort - xs)`.

use crate::diagnostics::notes::Guess;
use crate::diagnostics::{Edit, Title};
use crate::hir::*;
use crate::infer::cause::Cause;
use crate::infer::report::intent::Intent;
use crate::infer::results::Results;
use crate::infer::walk::order;
use crate::prims::{self, PrimitiveId};
use crate::ty::Ty;

impl Results<'_> {
    /// A function of two elements that gives a number, as the comparisons of other languages do.
    pub fn meant_comparison(&self, expected: Option<&Ty>, actual: &Ty, arg: ExprId) -> Option<Intent> {
        let (params, result) = actual.uncurry();
        let gives_number = params.len() == 2 && result.as_scalar().is_some_and(Scalar::is_number);
        (expected.is_some_and(order::is_order) && gives_number).then(|| self.comparison(arg))
    }

    /// `(sort - xs)`
    pub fn meant_order(&self, cause: &Cause) -> Option<Intent> {
        let Cause::Argument { callee, index, arg, .. } = cause else { return None };
        let callee = self.operand_type(*callee)?;
        let wanted = self.table.zonk(callee.uncurry().0.get(*index)?);
        order::is_order(&wanted).then(|| self.comparison(*arg))
    }

    /// Suggests `<` in place of a difference.
    fn comparison(&self, function: ExprId) -> Intent {
        let difference = match self.program.expr(function) {
            Expr::Lambda { body, .. } => match self.program.expr(self.result_of(*body)) {
                Expr::Apply { callee, .. } => *callee,
                _ => function,
            },
            _ => function,
        };
        let less = prims::named(PrimitiveId::Less);
        match self.program.primitive_at(difference).map(|p| p.id) {
            Some(PrimitiveId::Sub) => {
                let edits = vec![Edit::Replace(Node::Expr(difference), less.into())];
                Intent::new(Guess::OrdersByTruth, Title::Write(less.into()), edits)
            }
            _ => Intent::advice(Guess::OrdersByTruth),
        }
    }
}
