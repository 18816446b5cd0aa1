//! Tiling: for each `map` at the top of a kernel, whether its elements are computed in blocks.
//!
//! Here is only what the program says; whether it is worth it also depends on how the arrays lie in memory, which
//! [`crate::lower`] finds out when it gets there.

use super::nest::{self, Nest};
use super::place::is_flat;
use crate::core::{Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, Stmt, VarId};
use crate::target::{Class, Target};
use rustc_hash::{FxHashMap, FxHashSet};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tiling {
    /// Every row meets every column.
    Matrix(Nest),
    /// Each row is folded.
    Rows(Nest),
    /// `map (map f)`: elements near each other may read the same.
    Blocks,
    /// `map (map f)` where f folds a window.
    Windows(Nest),
}

/// The maps for which there is a strategy on this device. `before` is the program before it was placed.
pub fn tilings(before: &Kernel, lazy: &FxHashSet<VarId>, target: &Target) -> FxHashMap<VarId, Tiling> {
    let mut found = FxHashMap::default();
    // Tiles in local memory, and items that share rows, are for devices whose items run at once.
    if target.class == Class::Gpu {
        block(before, &before.body, lazy, &mut found);
    }
    found
}

/// The statements between which the device is synchronised, as in [`super::place`].
fn block(kernel: &Kernel, of: &Block, lazy: &FxHashSet<VarId>, found: &mut FxHashMap<VarId, Tiling>) {
    for stmt in &of.stmts {
        match &stmt.rhs {
            Rhs::If(_, a, b) => {
                block(kernel, a, lazy, found);
                block(kernel, b, lazy, found);
            }
            Rhs::Prim(call @ PrimCall { prim: Prim::Iterate, .. }) => {
                call.funs.iter().for_each(|f| block(kernel, &f.body, lazy, found));
            }
            Rhs::Prim(call @ PrimCall { prim: Prim::Map(Level::Auto), .. }) => {
                found.extend(strategy(kernel, stmt, call, lazy).map(|t| (stmt.var, t)));
            }
            _ => {}
        }
    }
}

fn strategy(kernel: &Kernel, stmt: &Stmt, call: &PrimCall, lazy: &FxHashSet<VarId>) -> Option<Tiling> {
    let f = call.funs.first()?;
    if let Some(nest) = nest::recognise(kernel, f) {
        let innermost = if nest.matrix { nest::inner(f)?.1 } else { f };
        return fused(innermost, lazy).then_some(if nest.matrix { Tiling::Matrix(nest) } else { Tiling::Rows(nest) });
    }
    let (inner, g) = nest::inner(f)?;
    let element = &kernel.ty(stmt.var).as_array()?.element.as_array()?.element;
    if inner.prim != Prim::Map(Level::Auto) || !is_flat(element) {
        return None;
    }
    match nest::recognise_window(kernel, g).filter(|_| fused(g, lazy)) {
        Some(nest) => Some(Tiling::Windows(nest)),
        None => Some(Tiling::Blocks),
    }
}

/// No result of a map in the function is stored.
fn fused(f: &Lambda, lazy: &FxHashSet<VarId>) -> bool {
    f.body.stmts.iter().all(|s| match &s.rhs {
        Rhs::Prim(PrimCall { prim: Prim::Map(_), .. }) => lazy.contains(&s.var),
        _ => true,
    })
}
