//! Maps whose function filters a row, and maps or folds what is kept: a group can do each row.
//!
//! The lengths of what is kept are found by the group, so such a function is no work for the strategies of
//! [`super::teams`] that keep rows in registers or in local memory: what is kept is in global memory.

use super::flat::is_flat;
use super::free;
use super::nested::{LONG, Work, is_known, work_of};
use crate::core::{Atom, Kernel, Lambda, Level, Prim, PrimCall, Rhs, Stmt, VarId};
use lift_analysis::size::{Size, Var};
use rustc_hash::FxHashSet;

/// The maps around such a function.
pub struct RowFilters {
    /// Their lengths multiplied.
    pub rows: Size,
    /// The longest row that is filtered.
    pub row: Size,
    /// How many maps there are.
    pub depth: usize,
}

/// Recognises a map that does nothing but that, itself or below other maps.
pub fn recognise(kernel: &Kernel, call: &PrimCall) -> Option<RowFilters> {
    /// Dimensions of a grid.
    const MOST: usize = 3;
    let (mut rows, mut call) = (Size::one(), call);
    for depth in 1..=MOST {
        let over = kernel.atom_ty(call.args.first()?);
        let over = over.as_array().filter(|a| a.position.is_none() && is_known(&a.len))?;
        let f = call.funs.first().filter(|f| f.position.is_none() && call.prim == Prim::Map(Level::Auto))?;
        rows = rows.mul(&over.len);
        if let Some(row) = filtered(kernel, f) {
            return Some(RowFilters { rows, row, depth });
        }
        let (last, before) = f.body.stmts.split_last()?;
        let Rhs::Prim(next) = &last.rhs else { return None };
        if f.body.result != Atom::Var(last.var) || !before.iter().all(|s| free::is_free(&s.rhs)) {
            return None;
        }
        call = next;
    }
    None
}

/// The longest row that a function filters, if a group can do all that it does.
fn filtered(kernel: &Kernel, f: &Lambda) -> Option<Size> {
    let mut row: Option<Size> = None;
    let mut kept = Kept { kernel, filters: FxHashSet::default(), lengths: Vec::new() };
    for stmt in &f.body.stmts {
        if let Some(len) = kept.filter(stmt) {
            kept.filters.insert(stmt.var);
            if is_known(&len) && len.as_const().is_none_or(|n| n >= LONG) {
                row = Some(row.map_or(len.clone(), |row| if row == len { len } else { Size::max(&row, &len) }));
            }
        } else if !kept.is_done_together(stmt) {
            return None;
        }
    }
    row
}

/// What filters of a function have kept.
struct Kept<'k> {
    kernel: &'k Kernel,
    filters: FxHashSet<VarId>,
    /// The lengths of what they kept.
    lengths: Vec<Var>,
}

impl Kept<'_> {
    /// The length of the array that a statement filters.
    fn filter(&self, stmt: &Stmt) -> Option<Size> {
        match &stmt.rhs {
            Rhs::Prim(call) if call.prim == Prim::Filter(Level::Auto) && self.goes_over(call, 0) => {
                Some(self.kernel.atom_ty(&call.args[0]).as_array()?.len.clone())
            }
            _ => None,
        }
    }

    /// Whether a call goes over scalars of a row, or of what is kept of it, each of them the work of one work-item.
    fn goes_over(&self, call: &PrimCall, arg: usize) -> bool {
        let ty = call.args.get(arg).map(|xs| self.kernel.atom_ty(xs));
        let Some(array) = ty.as_ref().and_then(|ty| ty.as_array()) else { return false };
        let is_known = !array.len.any_var(&mut |v| !is_known(&Size::var(v.clone())) && !self.lengths.contains(v));
        let is_item = |s: &Stmt| work_of(self.kernel, s) == Work::Item;
        array.position.is_none()
            && is_flat(&array.element)
            && is_known
            && call.funs.iter().all(|f| f.position.is_none() && f.body.stmts.iter().all(is_item))
    }

    /// Whether a group does a statement, or each of its work-items the same.
    fn is_done_together(&mut self, stmt: &Stmt) -> bool {
        match &stmt.rhs {
            Rhs::Unpack(Atom::Var(t)) if self.filters.contains(t) => {
                self.lengths.extend(stmt.binds.iter().cloned());
                true
            }
            Rhs::Pack(..) => true,
            Rhs::Prim(call) if is_shared(call) => self.goes_over(call, call.args.len().saturating_sub(1)),
            _ => work_of(self.kernel, stmt) == Work::Item,
        }
    }
}

/// Whether a group shares an operator of such a function.
fn is_shared(call: &PrimCall) -> bool {
    matches!(call.prim, Prim::Map(Level::Auto) | Prim::Reduce(Level::Auto))
}

/// Makes a group share the operators of such a function.
pub fn share(kernel: &Kernel, f: &mut Lambda) {
    for stmt in &mut f.body.stmts {
        let item = work_of(kernel, stmt) == Work::Item;
        match &mut stmt.rhs {
            Rhs::Prim(call) if is_shared(call) && !item => {
                call.prim = match call.prim {
                    Prim::Map(_) => Prim::Map(Level::Lcl(0)),
                    _ => Prim::Reduce(Level::Lcl(0)),
                }
            }
            Rhs::Prim(call) if call.prim == Prim::Filter(Level::Auto) => call.prim = Prim::Filter(Level::Lcl(0)),
            _ => {}
        }
    }
}
