//! Hoists loop-invariant code out of maps: `map (λx. f x (g y)) xs` becomes `map (λx. f x z) xs` with z = g y. Only
//! code that cannot stop the run moves, because the map may have no elements.

use super::{free, fuse, on_the_host};
use crate::core::{Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, Stmt, VarId};
use lift_analysis::size::VarKind;
use rustc_hash::FxHashSet;

/// Hoists invariant code out of the maps at host level.
pub fn hoist(kernel: &Kernel, block: &mut Block) {
    let mut out = Vec::new();
    for mut stmt in std::mem::take(&mut block.stmts) {
        match &mut stmt.rhs {
            Rhs::If(_, a, b) => {
                hoist(kernel, a);
                hoist(kernel, b);
            }
            Rhs::Prim(call) if on_the_host(kernel, call) => {
                call.funs.iter_mut().for_each(|f| hoist(kernel, &mut f.body))
            }
            Rhs::Prim(PrimCall { prim: Prim::Map(Level::Auto), funs, .. }) => {
                out.extend(funs.iter_mut().flat_map(|f| out_of(kernel, f)));
            }
            _ => {}
        }
        out.push(stmt);
    }
    block.stmts = out;
}

/// Removes and returns the statements of a function that do not depend on its element.
fn out_of(kernel: &Kernel, f: &mut Lambda) -> Vec<Stmt> {
    let mut body = Vec::new();
    for mut stmt in std::mem::take(&mut f.body.stmts) {
        if let Rhs::Prim(PrimCall { prim: Prim::Map(Level::Auto), funs, .. }) = &mut stmt.rhs {
            body.extend(funs.iter_mut().flat_map(|g| out_of(kernel, g)));
        }
        body.push(stmt);
    }
    if f.position.is_some() {
        f.body.stmts = body;
        return Vec::new();
    }
    let mut own: FxHashSet<VarId> = f.params.iter().copied().collect();
    let mut moved: FxHashSet<VarId> = FxHashSet::default();
    let mut out = Vec::new();
    for stmt in body {
        let varies = super::uses::mentions(&stmt, &|v| own.contains(&v));
        let goes_along = super::uses::mentions(&stmt, &|v| moved.contains(&v)) && free::is_free(&stmt.rhs);
        if !varies && is_pure(kernel, &stmt) && (goes_along || is_worth_it(kernel, &stmt)) {
            moved.insert(stmt.var);
            out.push(stmt);
        } else {
            own.insert(stmt.var);
            f.body.stmts.push(stmt);
        }
    }
    out
}

/// Whether a statement may move: it opens no length and cannot stop the run.
fn is_pure(kernel: &Kernel, stmt: &Stmt) -> bool {
    let known = !kernel.ty(stmt.var).any(&mut |t| {
        t.as_array().is_some_and(|a| a.position.is_some() || a.len.any_var(&mut |v| v.kind != VarKind::Param))
    });
    stmt.binds.is_empty() && known && !fuse::rhs_may_fail(&stmt.rhs)
}

/// Whether recomputing the statement for each element costs more than a few instructions or hides the layout of rows.
fn is_worth_it(kernel: &Kernel, stmt: &Stmt) -> bool {
    let Rhs::Prim(call) = &stmt.rhs else { return false };
    match call.prim {
        Prim::Reduce(Level::Auto)
        | Prim::Scan(Level::Auto)
        | Prim::ScanExcl(Level::Auto)
        | Prim::Sort
        | Prim::Argsort => true,
        Prim::Map(Level::Auto) => {
            let nested = kernel.ty(stmt.var).as_array().is_some_and(|a| a.element.as_array().is_some());
            nested || !free::is_cheap(&call.funs[0].body)
        }
        _ => false,
    }
}
