//! Versions of a statement, of which the host chooses one when the lengths are known.

use crate::core::{Atom, Block, Rhs, ScalarOp, Stmt, VarId, VarInfo};
use lift_analysis::hir::Literal;
use lift_analysis::size::Size;
use lift_analysis::ty::Ty;

/// A new variable with the name of another one.
pub fn fresh(vars: &mut Vec<VarInfo>, like: VarId, ty: Ty) -> VarId {
    let name = vars[like.0 as usize].name.clone();
    vars.push(VarInfo { name, ty });
    VarId(vars.len() as u32 - 1)
}

/// Whether the length `a` is below `b`, if that is known for all lengths.
pub fn decided(a: &Size, b: &Size) -> Option<bool> {
    match b.as_const() {
        Some(b) if b <= 0 => Some(false),
        _ => b.sub(a).as_const().map(|d| d > 0),
    }
}

/// A block that gives the value of `rhs`, of the type of `stmt`.
pub fn branch(vars: &mut Vec<VarInfo>, stmt: &Stmt, rhs: Rhs) -> Block {
    let ty = vars[stmt.var.0 as usize].ty.clone();
    let var = fresh(vars, stmt.var, ty);
    Block { stmts: vec![Stmt { var, rhs, ..stmt.clone() }], result: Atom::Var(var) }
}

/// `if a < b then … else …`
pub fn choice(vars: &mut Vec<VarInfo>, stmt: &Stmt, a: &Size, b: &Size, then: Block, otherwise: Block) -> Block {
    // The host evaluates anything but `length < constant`, in integers that are wide enough.
    let flag = Size::if_le(&a.add(&Size::one()), b, &Size::zero(), &Size::one());
    let one = Size::one();
    let (a, b) = match (a.as_var(), b.as_const()) {
        (Some(_), Some(_)) => (a, b),
        _ => (&flag, &one),
    };
    let condition = fresh(vars, stmt.var, Ty::bool());
    let operand = |s: &Size| match s.as_const().and_then(|n| i32::try_from(n).ok()) {
        Some(n) => Atom::Lit(Literal::Int(n)),
        None => Atom::Size(s.clone()),
    };
    let compare = Rhs::Scalar(ScalarOp::Lt, vec![operand(a), operand(b)]);
    let mut block = branch(vars, stmt, Rhs::If(Atom::Var(condition), then, otherwise));
    block.stmts.insert(0, Stmt { var: condition, rhs: compare, ..stmt.clone() });
    block
}
