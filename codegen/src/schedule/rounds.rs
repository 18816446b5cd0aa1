//! Host loops: `iterate`, `iterateWhile`, `mapHost`, `reduceHost` and `scanHost` at the top of a kernel, whose iterations
//! are launched one after the other.
//!
//! The iterations of an `iterate` over arrays are known beforehand, so each may use the whole device. For an `iterateWhile` the
//! host has to wait for the condition of each iteration. So one work-item runs the whole loop if an iteration is
//! sequential anyway or its arrays are short.

use super::in_place::is_updating;
use super::{bounds, is_parallel, place};
use crate::core::{Block, Kernel, Level, Prim, PrimCall, Rhs, Stmt};
use lift_analysis::ty::Ty;
use smallvec::SmallVec;

/// Maximum constant length of an array for which a launch does not pay: one work-item is done before the next launch starts.
/// No parameter, because passes and the lowering must agree which loops are the host's.
const FEW: i64 = 256;

/// Whether the functions of a call at the top of a kernel themselves run at host level. The state of a loop that hides
/// lengths may grow, so only the host can give it memory.
pub fn on_the_host(kernel: &Kernel, call: &PrimCall) -> bool {
    let hides = || call.args.first().is_some_and(|x| bounds::hidden(&kernel.atom_ty(x)) > 0);
    match call.prim {
        Prim::Iterate | Prim::IterateWhile if hides() => true,
        // One work-item does all rounds that only write single elements.
        Prim::Iterate if is_updating(call) => call.funs.iter().any(|f| has_work(kernel, &f.body, true)),
        Prim::Iterate => {
            let arrays = call.args.first().is_some_and(|x| has_array(&kernel.atom_ty(x)));
            arrays || call.funs.iter().any(|f| has_work(kernel, &f.body, false))
        }
        Prim::IterateWhile => {
            let state = call.args.first().is_some_and(|x| is_long(&kernel.atom_ty(x)));
            call.funs.iter().any(|f| has_work(kernel, &f.body, state))
        }
        Prim::Map(level) | Prim::Reduce(level) | Prim::Scan(level) => level == Level::Host,
        _ => false,
    }
}

/// The blocks in a host-level statement that are also at host level.
pub fn host_blocks<'a>(kernel: &Kernel, stmt: &'a mut Stmt) -> SmallVec<[&'a mut Block; 2]> {
    match &stmt.rhs {
        Rhs::If(..) => stmt.rhs.blocks_mut(),
        Rhs::Prim(call) if on_the_host(kernel, call) => stmt.rhs.blocks_mut(),
        _ => SmallVec::new(),
    }
}

fn has_array(ty: &Ty) -> bool {
    ty.any(&mut |t| t.as_array().is_some())
}

/// Whether a value contains an array that may be long.
pub(super) fn is_long(ty: &Ty) -> bool {
    ty.any(&mut |t| t.as_array().is_some_and(|a| a.len.as_const().is_none_or(|n| n > FEW)))
}

/// Whether statements contain parallel work. A `map` counts only if the loop stores an array (`stores`).
pub(super) fn has_work(kernel: &Kernel, block: &Block, stores: bool) -> bool {
    block.stmts.iter().any(|stmt| match &stmt.rhs {
        Rhs::If(_, a, b) => has_work(kernel, a, stores) || has_work(kernel, b, stores),
        Rhs::Prim(call) => is_work(kernel, stmt, call, stores),
        _ => false,
    })
}

fn is_work(kernel: &Kernel, stmt: &Stmt, call: &PrimCall, stores: bool) -> bool {
    if place::stmt_levels(stmt).iter().any(|l| is_parallel(*l)) {
        return true;
    }
    let long = || call.args.last().is_some_and(|xs| is_long(&kernel.atom_ty(xs)));
    match call.prim {
        Prim::Map(Level::Auto) => stores && long(),
        Prim::Reduce(Level::Auto)
        | Prim::Scan(Level::Auto)
        | Prim::ScanExcl(Level::Auto)
        | Prim::Filter(Level::Auto)
        | Prim::Scatter
        | Prim::Sort
        | Prim::Argsort => long(),
        Prim::Map(Level::Host) | Prim::Reduce(Level::Host) | Prim::Scan(Level::Host) => true,
        Prim::Iterate | Prim::IterateWhile => call.funs.iter().any(|f| has_work(kernel, &f.body, stores)),
        _ => false,
    }
}
