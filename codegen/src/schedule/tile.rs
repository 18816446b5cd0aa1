//! Tiling: for each `map` at the top of a kernel, whether its elements are computed in blocks.
//!
//! Here is only what the program says; whether it is worth it also depends on how the arrays lie in memory, which
//! [`crate::lower`] finds out when it gets there.

use super::nest::{self, Nest};
use super::on_the_host;
use super::place::is_flat;
use super::shapes::{self, Pairs};
use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, Stmt, VarId};
use crate::target::{Class, Target};
use lift_analysis::size::Size;
use rustc_hash::{FxHashMap, FxHashSet};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tiling {
    /// Every row meets every column.
    Matrix(Nest),
    /// Each row is folded.
    Rows(Nest),
    /// Each row, of a length that only the device knows, is folded.
    Team(VarId),
    /// Every element meets every element of another array.
    Pairs(Pairs),
    /// Rounds over a short array.
    Rounds(VarId),
    /// Rows of this length are read again and again.
    ShortRows(Size),
    /// `map (map f)`: elements near each other may read the same.
    Blocks,
    /// `map (map (map f))`: so in each plane.
    Planes,
    /// `map (map f)` where f folds a window.
    Windows(Nest),
}

/// The maps for which there is a strategy on this device. `before` is the program before it was placed.
pub fn tilings(before: &Kernel, lazy: &FxHashSet<VarId>, target: &Target) -> FxHashMap<VarId, Tiling> {
    let mut found = FxHashMap::default();
    if target.class != Class::Portable {
        block(before, &before.body, lazy, &mut found);
    }
    // Tiles in local memory, and items that share rows, are for devices whose items run at once.
    if target.class == Class::Cpu {
        found.retain(|_, tiling| matches!(tiling, Tiling::Matrix(_)));
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
            Rhs::Prim(call) if on_the_host(kernel, call) => {
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
    let own = None
        .or_else(|| shapes::team(kernel, f, lazy).map(Tiling::Team))
        .or_else(|| shapes::pairs(kernel, f, lazy).map(Tiling::Pairs))
        .or_else(|| shapes::rounds(kernel, f, lazy).map(Tiling::Rounds))
        .or_else(|| shapes::short_row(kernel, f).map(Tiling::ShortRows));
    if own.is_some() {
        return own;
    }
    let (inner, g) = nest::inner(f)?;
    let element = &kernel.ty(stmt.var).as_array()?.element.as_array()?.element;
    if inner.prim != Prim::Map(Level::Auto) {
        return None;
    }
    if !is_flat(element) {
        let (innermost, _) = nest::inner(g)?;
        let is_plane = |f: &Lambda| f.body.stmts.last().is_some_and(|s| f.body.result == Atom::Var(s.var));
        let planes = innermost.prim == Prim::Map(Level::Auto) && is_plane(f) && is_plane(g);
        return (planes && is_flat(&element.as_array()?.element)).then_some(Tiling::Planes);
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
