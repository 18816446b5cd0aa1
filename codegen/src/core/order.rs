//! Recognises a `sort` by one number in each element.
//!
//! Such a sort also orders floating-point numbers: NaN comes last, and both zeros are equal, though `<` alone
//! is not a strict weak order on NaNs. The interpreter and all targets agree on this order.

use super::{Atom, Lambda, Rhs, ScalarOp, Stmt, VarId};
use lift_analysis::hir::Scalar;
use lift_analysis::ty::{Ty, TyKind};

/// The order by one number in each element: `λ(a,b). a.path < b.path`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberOrder {
    /// Component indices that lead from the element to the number, outermost first.
    pub path: Vec<usize>,
    pub descending: bool,
}

impl NumberOrder {
    /// Recognises `λ(a,b). a.path < b.path`, and the same with `>`.
    pub fn of(before: &Lambda) -> Option<NumberOrder> {
        let [a, b] = before.params.as_slice() else { return None };
        let (last, projections) = before.body.stmts.split_last()?;
        let Rhs::Scalar(op @ (ScalarOp::Lt | ScalarOp::Gt), operands) = &last.rhs else { return None };
        let [x, y] = operands.as_slice() else { return None };
        if before.body.result != Atom::Var(last.var) {
            return None;
        }
        let ((x, path), (y, other)) = (component(x, projections)?, component(y, projections)?);
        let turned = match (x == *a && y == *b, x == *b && y == *a) {
            (true, _) => false,
            (_, true) => true,
            _ => return None,
        };
        (path == other).then(|| NumberOrder { path, descending: turned != (*op == ScalarOp::Gt) })
    }

    /// The type of the number in elements of type `element`; `None` if the path leads to no number.
    pub fn scalar(&self, element: &Ty) -> Option<Scalar> {
        let mut ty = element;
        for at in &self.path {
            let TyKind::Tuple(parts) = ty.kind() else { return None };
            ty = parts.get(*at)?;
        }
        ty.as_scalar().filter(|s| s.is_number())
    }
}

/// The variable that has the atom as a component, and the path to the component.
fn component(atom: &Atom, projections: &[Stmt]) -> Option<(VarId, Vec<usize>)> {
    let Atom::Var(v) = atom else { return None };
    let Some(stmt) = projections.iter().find(|s| s.var == *v) else { return Some((*v, Vec::new())) };
    let Rhs::Proj(of, at) = &stmt.rhs else { return None };
    let (of, mut path) = component(of, projections)?;
    path.push(*at);
    Some((of, path))
}
