//! Tables of what two inner maps compute of their elements: a sine of a number of the middle map and of one of the innermost
//! is the same for all elements of the outer map. Where a fold reads it, a table of such values is made once, so that what
//! is left of the innermost map is multiplied row by row.
//!
//! `map (λx. map (λy. reduce f z (map (λw. g w (h y w)) ws)) ys) xs =
//! map (λx. map (λ(y,t). reduce f z (map (λ(w,s). g w s) (zip ws t))) (zip ys hs)) xs` with hs = map (λy. map (h y) ws) ys

use super::Hoister;
use crate::core::{Block, Level, Prim, PrimCall, Rhs, Stmt, VarId};
use crate::schedule::kept::bytes_of;
use crate::schedule::nested::LONG;
use crate::schedule::uses;
use lift_analysis::size::Size;
use lift_analysis::ty::Ty;
use rustc_hash::FxHashSet;

impl Hoister<'_> {
    /// Makes the tables of what an inner map's own inner maps compute, in front of a function. `own`: what the function
    /// binds before, in the statements `before`.
    pub(super) fn tables(&mut self, stmt: &mut Stmt, own: &FxHashSet<VarId>, places: (&mut Vec<Stmt>, &mut Vec<Stmt>)) {
        let (out, before) = places;
        if !self.has_tables {
            return;
        }
        let (mut split, vars, applied) = (stmt.clone(), self.kernel.vars.len(), self.applied.len());
        let bytes = self.table_bytes.clone();
        let rows = self.rows_apart(&mut split, own);
        if rows.is_empty() {
            return;
        }
        let (outs, befores) = (out.len(), before.len());
        self.of_elements(&mut split, own, false, (out, before));
        let left = split.rhs.blocks().into_iter().flat_map(|b| &b.stmts).any(|s| rows.contains(&s.var) && is_map(s));
        if left {
            // Some of them depend on the function's parameter after all.
            out.truncate(outs);
            before.truncate(befores);
            self.kernel.vars.truncate(vars);
            self.applied.truncate(applied);
            self.table_bytes = bytes;
            return;
        }
        *stmt = split;
    }

    /// Counts the bytes of a table that is made at host level.
    pub(super) fn counts_table(&mut self, table: VarId) {
        if let Some(bytes) = bytes_of_table(self.kernel.ty(table)) {
            self.table_bytes = self.table_bytes.add(&bytes);
        }
    }

    /// Splits the innermost maps of `stmt`'s function that are folded there: what they compute of their elements and of the
    /// function's, but not of `own`, becomes a row, which a map of its own makes. Returns these rows.
    fn rows_apart(&mut self, stmt: &mut Stmt, own: &FxHashSet<VarId>) -> Vec<VarId> {
        let Rhs::Prim(PrimCall { prim: Prim::Map(Level::Auto), funs, .. }) = &mut stmt.rhs else { return Vec::new() };
        let [g] = funs.as_mut_slice() else { return Vec::new() };
        if g.position.is_some() {
            return Vec::new();
        }
        let folded = folded_in(&g.body);
        let mut varies = own.clone();
        let (mut done, mut rows): (Vec<Stmt>, Vec<VarId>) = (Vec::new(), Vec::new());
        for mut inner in std::mem::take(&mut g.body.stmts) {
            if is_map(&inner) && folded.contains(&inner.var) && is_long_row(self.kernel.ty(inner.var)) {
                let mut made = Vec::new();
                // The zip goes in front of the map, behind the rows.
                let mut zips = done.clone();
                let known = zips.len();
                self.of_elements(&mut inner, &varies, true, (&mut made, &mut zips));
                rows.extend(made.iter().filter(|s| is_map(s)).map(|s| s.var));
                done.extend(made);
                done.extend(zips.drain(known..));
            }
            if uses::mentions(&inner, &|v| varies.contains(&v)) {
                varies.insert(inner.var);
            }
            done.push(inner);
        }
        g.body.stmts = done;
        rows
    }
}

/// The arrays that folds of a block read.
pub(super) fn folded_in(block: &Block) -> FxHashSet<VarId> {
    let folds = |s: &Stmt| match &s.rhs {
        Rhs::Prim(PrimCall { prim: Prim::Reduce(Level::Auto), args, .. }) => args.get(1).cloned(),
        _ => None,
    };
    let vars = block.stmts.iter().filter_map(folds).filter_map(|a| match a {
        crate::core::Atom::Var(v) => Some(v),
        _ => None,
    });
    vars.collect()
}

fn is_map(stmt: &Stmt) -> bool {
    matches!(&stmt.rhs, Rhs::Prim(PrimCall { prim: Prim::Map(Level::Auto), .. }))
}

/// Whether a row has so many elements that a table of such rows pays.
pub(super) fn is_long_row(row: &Ty) -> bool {
    row.as_array().is_some_and(|a| a.len.as_const().is_none_or(|n| n >= LONG))
}

/// The bytes of an array of rows of scalars.
fn bytes_of_table(ty: &Ty) -> Option<Size> {
    let table = ty.as_array()?;
    let row = table.element.as_array()?;
    Some(table.len.mul(&row.len).mul(&Size::nat(bytes_of(&row.element)?)))
}
