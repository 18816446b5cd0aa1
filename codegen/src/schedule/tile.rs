//! Tiling: finds the `map`s at the top of a kernel whose elements could be computed in blocks.
//!
//! Only the program is considered here. Whether tiling pays also depends on the layout of the arrays in memory, which
//! is known in [`crate::lower`].

use super::flat::is_flat;
use super::nest::{self, Nest};
use super::shapes::{self, Pairs};
use super::tile_folds::Folded;
use super::{nested, on_the_host};
use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, Stmt, VarId};
use crate::target::{Class, Target};
use lift_analysis::size::Size;
use rustc_hash::{FxHashMap, FxHashSet};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tiling {
    /// Every row meets every column; the number counts the maps around it.
    Matrix(Nest, usize),
    /// Every row meets every column, and the results of a row are folded.
    Folded(Folded),
    /// Each row is folded; the number counts the maps around.
    Rows(Nest, usize),
    /// Each row is folded; its length is known only on the device.
    Team(VarId),
    /// Every element meets every element of another array.
    Pairs(Pairs),
    /// An iteration over a short array.
    Rounds(VarId),
    /// Rows of this length, each read repeatedly.
    ShortRows(Size),
    /// `map (map f)`: neighbouring elements may read the same data.
    Blocks,
    /// `map (map (map f))`: blocks in each plane.
    Planes,
    /// `map (map f)`, where f folds a window.
    Windows(Nest),
}

impl Tiling {
    /// The map whose result another one folds, so that it is never stored.
    pub fn made(&self) -> Option<VarId> {
        match self {
            Tiling::Folded(folded) => Some(folded.made),
            _ => None,
        }
    }
}

/// The maps with a strategy on this target. `before` is the kernel before placement.
pub fn tilings(before: &Kernel, lazy: &FxHashSet<VarId>, target: &Target) -> FxHashMap<VarId, Tiling> {
    let mut found = FxHashMap::default();
    if target.class != Class::Portable {
        each_map(before, &before.body, &mut |stmt, call| {
            found.extend(strategy(before, stmt, call, lazy).map(|t| (stmt.var, t)));
        });
    }
    // Tiles in local memory and shared rows are for devices whose work-items run at the same time. Folds of windows keep
    // their results in registers.
    if target.class == Class::Cpu {
        found.retain(|_, tiling| matches!(tiling, Tiling::Matrix(..) | Tiling::Windows(_)));
    }
    found
}

/// The maps at host level that are products of matrices. One that is fused with its reader has no tiles.
pub fn products(before: &Kernel) -> FxHashSet<VarId> {
    let mut found = FxHashSet::default();
    each_map(before, &before.body, &mut |stmt, call| {
        if call.funs.first().and_then(|f| nest::recognise(before, f)).is_some_and(|nest| nest.matrix) {
            found.insert(stmt.var);
        }
    });
    found
}

/// The maps at host level that neither the program nor a rule has placed.
pub fn unplaced(before: &Kernel) -> FxHashSet<VarId> {
    let mut found = FxHashSet::default();
    each_map(before, &before.body, &mut |stmt, _| {
        found.insert(stmt.var);
    });
    found
}

/// Visits the unplaced host-level maps, as in [`super::place`].
fn each_map<'k>(kernel: &Kernel, of: &'k Block, each: &mut dyn FnMut(&'k Stmt, &'k PrimCall)) {
    for stmt in &of.stmts {
        match &stmt.rhs {
            Rhs::If(_, a, b) => {
                each_map(kernel, a, each);
                each_map(kernel, b, each);
            }
            Rhs::Prim(call) if on_the_host(kernel, call) => {
                call.funs.iter().for_each(|f| each_map(kernel, &f.body, each));
            }
            Rhs::Prim(call @ PrimCall { prim: Prim::Map(Level::Auto), .. }) => each(stmt, call),
            _ => {}
        }
    }
}

fn strategy(kernel: &Kernel, stmt: &Stmt, call: &PrimCall, lazy: &FxHashSet<VarId>) -> Option<Tiling> {
    let f = call.funs.first()?;
    // Blocks and tiles need rows of one length and the same function for each of them.
    let rectangular = !kernel.ty(stmt.var).any(&mut |t| t.as_array().is_some_and(|a| a.position.is_some()));
    let rectangular = rectangular && is_uniform(f);
    if let Some(nest) = nest::recognise(kernel, f).filter(|nest| rectangular || !nest.matrix) {
        let innermost = if nest.matrix { nest::inner(f)?.1 } else { f };
        return fused(innermost, lazy).then_some(if nest.matrix {
            Tiling::Matrix(nest, 0)
        } else {
            Tiling::Rows(nest, 0)
        });
    }
    let own = None
        .or_else(|| shapes::team(kernel, f, lazy).map(Tiling::Team))
        .or_else(|| shapes::pairs(kernel, f, lazy).map(Tiling::Pairs))
        .or_else(|| shapes::rounds(kernel, f, lazy).map(Tiling::Rounds))
        .or_else(|| shapes::short_row(kernel, f).map(Tiling::ShortRows));
    if own.is_some() {
        return own;
    }
    if let Some((nest, batches)) = batched(kernel, f, lazy).filter(|_| rectangular) {
        return Some(Tiling::Matrix(nest, batches));
    }
    if let Some((nest, around)) = nested::rows_below(kernel, call).filter(|_| rectangular) {
        let innermost = nested::Dims::of(kernel, call);
        return fused(innermost.innermost(), lazy).then_some(Tiling::Rows(nest, around));
    }
    let (inner, g) = nest::inner(f).filter(|_| rectangular)?;
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

/// Whether no function in a nest of maps depends on the index of its element.
fn is_uniform(f: &Lambda) -> bool {
    f.position.is_none() && nest::inner(f).is_none_or(|(_, g)| is_uniform(g))
}

/// A matrix nest inside maps that do nothing else, and the number of these maps.
fn batched(kernel: &Kernel, f: &Lambda, lazy: &FxHashSet<VarId>) -> Option<(Nest, usize)> {
    let batch = nest::batched(kernel, f)?;
    fused(batch.element, lazy).then_some((batch.nest, batch.around))
}

/// Whether the function stores no result of a map.
fn fused(f: &Lambda, lazy: &FxHashSet<VarId>) -> bool {
    f.body.stmts.iter().all(|s| match &s.rhs {
        Rhs::Prim(PrimCall { prim: Prim::Map(_), .. }) => lazy.contains(&s.var),
        _ => true,
    })
}
