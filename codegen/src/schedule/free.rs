//! Free operations: at most a few instructions, and they cannot fail. They may be computed again wherever they are
//! read.

use super::flat::{is_flat, is_rectangular};
use crate::core::scalar::is_transcendental;
use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, Rhs, ScalarOp, Stmt};
use lift_analysis::size::{Facts, Size};

/// Whether a right-hand side is free.
pub fn is_free(rhs: &Rhs) -> bool {
    match rhs {
        Rhs::Prim(call) if matches!(call.prim, Prim::Map(Level::Auto | Level::Seq)) => {
            call.funs.iter().all(|f| only_arranges(&f.body))
        }
        Rhs::Prim(call) => call.prim.is_view() && call.funs.iter().all(|f| is_cheap(&f.body)),
        Rhs::Scalar(op, args) => is_cheap_op(*op, args),
        Rhs::If(..) | Rhs::Store(..) => false,
        Rhs::Cast(_, pairs) => pairs.is_empty(),
        Rhs::Atom(_) | Rhs::Tuple(_) | Rhs::Proj(..) | Rhs::Pack(..) | Rhs::Unpack(_) => true,
    }
}

/// Whether a block only rearranges its arguments, so that a `map` of it is read like a view.
pub fn only_arranges(block: &Block) -> bool {
    block.stmts.iter().all(|s| match &s.rhs {
        Rhs::Prim(call) if call.prim.is_view() => call.funs.is_empty(),
        Rhs::Prim(_) => is_free(&s.rhs),
        Rhs::Atom(_) | Rhs::Tuple(_) | Rhs::Proj(..) => true,
        _ => false,
    })
}

/// Maximum statements that may be repeated for each element of a row.
pub const MOST_BRIEF: usize = 16;

/// Whether a statement takes a few instructions, which may include a check.
pub fn is_brief(stmt: &Stmt) -> bool {
    match &stmt.rhs {
        Rhs::Atom(_) | Rhs::Scalar(..) | Rhs::Tuple(_) | Rhs::Proj(..) => true,
        Rhs::Prim(call) if matches!(call.prim, Prim::Aref | Prim::Head | Prim::Last) => true,
        Rhs::Prim(call) if call.prim.is_view() => call.funs.iter().all(|f| are_brief(&f.body.stmts)),
        rhs => is_free(rhs),
    }
}

/// Whether all of these statements together take few instructions.
pub fn are_brief(stmts: &[Stmt]) -> bool {
    stmts.len() <= MOST_BRIEF && stmts.iter().all(is_brief)
}

/// Whether a function picks rows: it returns an array and has only brief statements and views. A `map` of it is read
/// like a view, because its function takes no longer than reading an element.
pub fn picks_rows(kernel: &Kernel, f: &Lambda) -> bool {
    let gives_row = |s: &Stmt| kernel.ty(s.var).as_array().is_some() && is_rectangular(kernel.ty(s.var));
    let is_plain = |s: &Stmt| match &s.rhs {
        Rhs::Prim(call) if gives_row(s) => call.prim == Prim::Aref || (call.prim.is_view() && call.funs.is_empty()),
        _ => s.binds.is_empty() && is_brief(s) && is_flat(kernel.ty(s.var)),
    };
    let last = f.body.stmts.last();
    f.position.is_none()
        && f.body.stmts.len() <= MOST_BRIEF
        && f.body.stmts.iter().all(is_plain)
        && last.is_some_and(|s| gives_row(s) && f.body.result == Atom::Var(s.var))
}

/// Whether a block has few statements, all of them free.
pub fn is_cheap(block: &Block) -> bool {
    block.stmts.len() <= 16 && block.stmts.iter().all(|s| is_free(&s.rhs))
}

/// Maximum scalar operations that take no longer than storing and loading a scalar.
const MOST_INSTANT: usize = 2;

/// Whether a block has one or two free operations on scalars, and reads only its parameters.
pub fn is_instant(block: &Block) -> bool {
    let operations = block.stmts.iter().filter(|s| matches!(s.rhs, Rhs::Scalar(..))).count();
    let plain = |s: &Stmt| matches!(s.rhs, Rhs::Scalar(..) | Rhs::Atom(_) | Rhs::Tuple(_) | Rhs::Proj(..));
    operations <= MOST_INSTANT && block.stmts.iter().all(plain) && is_cheap(block)
}

fn is_cheap_op(op: ScalarOp, args: &[Atom]) -> bool {
    use ScalarOp::*;
    match op {
        Sqrt => false,
        op if is_transcendental(op) => false,
        Div | Mod | FloorMod => divides_safely(args),
        _ => true,
    }
}

/// Whether the divisor is known not to be zero; a floating-point divisor always counts as safe.
pub fn divides_safely(args: &[Atom]) -> bool {
    match args.get(1) {
        Some(Atom::Lit(divisor)) => divisor.integer() != Some(0),
        Some(Atom::Size(n)) => Facts::new().lt(&Size::zero(), n).is_yes(),
        _ => false,
    }
}
