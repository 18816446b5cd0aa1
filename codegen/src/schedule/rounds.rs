//! Loops of the host: `iterate` and `iterateWhile` at the top of a kernel, whose rounds are launched one after the other.
//!
//! The rounds of an `iterate` are known before, and each is worth the whole device. Whether an `iterateWhile` goes on the
//! host has to wait for and read, each time; where a round is the work of one work-item anyway, or its arrays are short,
//! one work-item does all rounds.

use super::{is_parallel, place};
use crate::core::{Block, Kernel, Level, Prim, PrimCall, Rhs, Stmt};
use lift_analysis::ty::Ty;

/// An array of a known length up to this is no work for a device.
const FEW: i64 = 256;

/// Whether the functions of a call at the top of a kernel are run at the top themselves.
pub fn on_the_host(kernel: &Kernel, call: &PrimCall) -> bool {
    match call.prim {
        Prim::Iterate => true,
        Prim::IterateWhile => {
            let state = call.args.first().is_some_and(|x| is_long(&kernel.atom_ty(x)));
            call.funs.iter().any(|f| has_work(kernel, &f.body, state))
        }
        _ => false,
    }
}

/// Whether a value has an array that may be long.
fn is_long(ty: &Ty) -> bool {
    ty.any(&mut |t| t.as_array().is_some_and(|a| a.len.as_const().is_none_or(|n| n > FEW)))
}

/// Whether statements have something that many work-items do; what only maps an array does not tell, as long as none is
/// stored.
fn has_work(kernel: &Kernel, block: &Block, stores: bool) -> bool {
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
        Prim::Iterate | Prim::IterateWhile => call.funs.iter().any(|f| has_work(kernel, &f.body, stores)),
        _ => false,
    }
}
