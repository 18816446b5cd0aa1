//! Detects statements that may stop the run with an error.

use super::free::divides_safely;
use crate::core::{Atom, Block, Prim, Rhs, ScalarOp, Stmt, VarInfo};
use lift_analysis::size::{Facts, Size};
use lift_analysis::ty::{Ty, TyKind};

/// Whether a statement matters even if its value is unused: it may stop the run, or it opens lengths.
pub fn has_effect(vars: &[VarInfo], stmt: &Stmt) -> bool {
    !stmt.binds.is_empty() || rhs_may_fail(vars, &stmt.rhs)
}

/// Whether a statement of the block may stop the run with an error.
pub fn may_fail(vars: &[VarInfo], block: &Block) -> bool {
    block.stmts.iter().any(|s| rhs_may_fail(vars, &s.rhs))
}

pub fn rhs_may_fail(vars: &[VarInfo], rhs: &Rhs) -> bool {
    match rhs {
        Rhs::Scalar(ScalarOp::Div | ScalarOp::Mod | ScalarOp::FloorMod, args) => {
            let of_floats = args.iter().any(|a| matches!(a, Atom::Var(v) if is_floating(&vars[v.0 as usize].ty)));
            !of_floats && !divides_safely(args)
        }
        Rhs::Cast(_, pairs) => !pairs.is_empty(),
        Rhs::If(_, a, b) => may_fail(vars, a) || may_fail(vars, b),
        Rhs::Prim(call) => {
            let fails = match call.prim {
                Prim::Aref | Prim::Gather | Prim::Scatter => true,
                Prim::Head | Prim::Last => !has_element(vars, &call.args[0], &Facts::new()),
                _ => false,
            };
            fails || call.funs.iter().any(|f| may_fail(vars, &f.body))
        }
        _ => false,
    }
}

/// Whether an array is known to have an element.
pub fn has_element(vars: &[VarInfo], xs: &Atom, facts: &Facts) -> bool {
    let Atom::Var(xs) = xs else { return false };
    let array = vars[xs.0 as usize].ty.as_array();
    array.is_some_and(|a| a.position.is_none() && facts.lt(&Size::zero(), &a.len).is_yes())
}

fn is_floating(ty: &Ty) -> bool {
    match ty.kind() {
        TyKind::Scalar(s) => s.is_floating(),
        TyKind::Vec(element, _) => is_floating(element),
        _ => false,
    }
}
