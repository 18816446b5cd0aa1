//! Replaces the start of a fold by `min` or `max`, an element of the array that is folded, by the operator's neutral
//! element. Then the fold starts alike for all rows, and reads each element once.
//!
//! `reduce max (head xs) xs = reduce max z xs`

use super::repeated::without;
use super::{Applied, rules};
use crate::core::scalar::neutral_of;
use crate::core::{Atom, Block, Kernel, Lambda, Prim, PrimCall, Rhs, ScalarOp, Stmt, VarId};
use lift_analysis::hir::Literal;
use lift_analysis::ty::TyKind;
use rustc_hash::FxHashMap;

/// Applies the rule until `applied` has `most` entries.
pub fn rewrite(mut kernel: Kernel, most: usize, applied: &mut Vec<Applied>) -> Kernel {
    let mut ends = FxHashMap::default();
    kernel.body.visit(&mut |stmt| {
        if let Rhs::Prim(PrimCall { prim: Prim::Head | Prim::Last, args, .. }) = &stmt.rhs
            && let Some(Atom::Var(xs)) = args.first()
        {
            ends.insert(stmt.var, *xs);
        }
    });
    let mut body = std::mem::replace(&mut kernel.body, Block { stmts: Vec::new(), result: Atom::Lit(Literal::Int(0)) });
    let mut replaced = Vec::new();
    starts(&kernel, &mut body, &ends, &mut |start, stmt| {
        let room = applied.len() < most;
        if room {
            replaced.push(start);
            applied.push(Applied { rule: &rules::NEUTRAL_START, origin: stmt.origin.clone() });
        }
        room
    });
    kernel.body = body;
    let uses = super::uses::count(&kernel);
    let unread = |v: &VarId| uses.get(v).is_none_or(|uses| uses.count == 0);
    replaced.retain(unread);
    without(&mut kernel.body, &|stmt| replaced.contains(&stmt.var));
    kernel
}

/// Visits all folds that start with an element of their array; `applies` decides whether to replace the start.
fn starts(
    kernel: &Kernel,
    block: &mut Block,
    ends: &FxHashMap<VarId, VarId>,
    applies: &mut dyn FnMut(VarId, &Stmt) -> bool,
) {
    for stmt in &mut block.stmts {
        stmt.rhs.blocks_mut().into_iter().for_each(|inner| starts(kernel, inner, ends, applies));
        let Some((start, neutral)) = start_of(kernel, stmt, ends) else { continue };
        if applies(start, stmt)
            && let Rhs::Prim(call) = &mut stmt.rhs
        {
            call.args[0] = Atom::Lit(neutral);
        }
    }
}

/// The start of a fold or scan that is an element of its array, and the neutral element of its operator.
fn start_of(kernel: &Kernel, stmt: &Stmt, ends: &FxHashMap<VarId, VarId>) -> Option<(VarId, Literal)> {
    let Rhs::Prim(PrimCall { prim: Prim::Reduce(_) | Prim::Scan(_), funs, args, .. }) = &stmt.rhs else { return None };
    let ([f], [Atom::Var(start), Atom::Var(xs)]) = (funs.as_slice(), args.as_slice()) else { return None };
    let TyKind::Scalar(scalar) = kernel.ty(*start).kind() else { return None };
    let neutral = neutral_of(operator(f)?, *scalar)?;
    (ends.get(start) == Some(xs)).then_some((*start, neutral))
}

/// The operator of a function that does nothing but apply it to its two parameters.
pub fn operator(f: &Lambda) -> Option<ScalarOp> {
    let ([a, b], [only]) = (f.params.as_slice(), f.body.stmts.as_slice()) else { return None };
    let Rhs::Scalar(op, operands) = &only.rhs else { return None };
    let [Atom::Var(x), Atom::Var(y)] = operands.as_slice() else { return None };
    let both = [x, y] == [a, b] || [y, x] == [a, b];
    (both && f.body.result == Atom::Var(only.var)).then_some(*op)
}
