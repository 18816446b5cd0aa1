//! Maps whose function processes arrays of different lengths: a length depends on the index of the row, is hidden by
//! the row, or is that of a filter's result. A group can process each row.
//!
//! Such a length is known to the group but not to the host, so the strategies of [`super::teams`] that keep rows in
//! registers or local memory do not apply: intermediate arrays are in global memory.

use super::flat::is_flat;
use super::free;
use super::nested::{LONG_VIEW, Work, is_known, work_among};
use super::uses;
use crate::core::{Atom, Kernel, Lambda, Level, Prim, PrimCall, Rhs, Stmt};
use crate::target::GRID;
use lift_analysis::size::{Size, Var};

/// The maps around such a function.
pub struct Ragged {
    /// The product of their lengths.
    pub rows: Size,
    /// The number of maps.
    pub depth: usize,
    pub row: Row,
}

/// The length of the rows, as far as the host knows it.
pub enum Row {
    /// The longest row that is filtered.
    Filtered(Size),
    /// The mean of lengths that depend on the position.
    Mean(Size),
    Hidden,
}

/// Recognises such a map, possibly below other maps.
pub fn recognise(kernel: &Kernel, call: &PrimCall) -> Option<Ragged> {
    let (mut rows, mut call) = (Size::one(), call);
    for depth in 1..=GRID {
        let over = kernel.atom_ty(call.args.first()?);
        let over = over.as_array().filter(|a| is_known(&a.len))?;
        let f = call.funs.first().filter(|_| call.prim == Prim::Map(Level::Auto))?;
        rows = rows.mul(&over.len);
        if let Some(row) = row_of(kernel, f, &over.len) {
            return Some(Ragged { rows, depth, row });
        }
        let (last, before) = f.body.stmts.split_last()?;
        let Rhs::Prim(next) = &last.rhs else { return None };
        let plain = f.position.is_none() && over.position.is_none();
        if !plain || f.body.result != Atom::Var(last.var) || !before.iter().all(|s| free::is_free(&s.rhs)) {
            return None;
        }
        call = next;
    }
    None
}

/// The row of a function that a group should process; `n` is the number of rows.
fn row_of(kernel: &Kernel, f: &Lambda, n: &Size) -> Option<Row> {
    let mut own: Vec<Var> = f.position.iter().cloned().collect();
    let mut filtered: Option<Size> = None;
    // The lengths of the folds of rows, and of the other operators that go over rows.
    let (mut folds, mut others) = (Vec::new(), Vec::new());
    for stmt in &f.body.stmts {
        if let Some(len) = filter(kernel, stmt, &own) {
            if is_known(&len) && len.as_const().is_none_or(|n| n >= LONG_VIEW) {
                filtered = Some(filtered.map_or(len.clone(), |a| if a == len { a } else { Size::max(&a, &len) }));
            }
            others.push(len);
            continue;
        }
        match (&stmt.rhs, work_among(kernel, stmt, &own)) {
            (Rhs::Unpack(_), _) => own.extend(stmt.binds.iter().cloned()),
            (Rhs::Pack(..), _) | (_, Work::Item) => {}
            (Rhs::Prim(_), _) if gives_a_length(f, stmt) => {}
            (Rhs::Prim(PrimCall { prim: Prim::Map(_), .. }), Work::Together(_)) => {}
            (_, Work::Nest) if kernel.ty(stmt.var).as_array().is_some_and(|a| is_flat(&a.element)) => {}
            (Rhs::Prim(PrimCall { prim: Prim::Reduce(_), .. }), Work::Together(len)) => folds.push(len),
            (_, Work::Together(len)) => others.push(len),
            _ => return None,
        }
    }
    if let Some(longest) = filtered {
        return Some(Row::Filtered(longest));
    }
    folds.retain(|len| !is_known(len));
    others.retain(|len| !is_known(len));
    // A single fold has strategies of its own.
    let is_row = kernel.atom_ty(&f.body.result).any(&mut |t| t.as_array().is_some());
    if others.is_empty() && (folds.is_empty() || folds.len() == 1 && !is_row) {
        return None;
    }
    let len = others.first().or(folds.first())?;
    let mean = f.position.as_ref().and_then(|position| mean(position, n, len));
    Some(mean.map_or(Row::Hidden, Row::Mean))
}

/// Whether a statement only turns a number of the row into a length, which the function opens.
fn gives_a_length(f: &Lambda, stmt: &Stmt) -> bool {
    let Rhs::Prim(PrimCall { prim: Prim::Iota | Prim::Fill, sizes, .. }) = &stmt.rhs else { return false };
    let opens = |s: &Stmt| s.rhs == Rhs::Unpack(Atom::Var(stmt.var));
    let mut readers = f.body.stmts.iter().filter(|s| uses::mentions(s, &|v| v == stmt.var));
    sizes.is_empty() && readers.all(opens) && f.body.result != Atom::Var(stmt.var)
}

/// The mean of a length of each of `n` rows that depends on the position of the row, if the host can compute it.
pub fn mean(position: &Var, n: &Size, len: &Size) -> Option<Size> {
    let all = Size::sum(position.clone(), n.clone(), len.clone());
    Some(all.div_floor(&Size::max(n, &Size::one()))).filter(|mean| all.is_polynomial() && is_known(mean))
}

/// The length of the array of scalars that a statement filters, if one work-item can compute each.
fn filter(kernel: &Kernel, stmt: &Stmt, own: &[Var]) -> Option<Size> {
    let Rhs::Prim(call @ PrimCall { prim: Prim::Filter(Level::Auto), .. }) = &stmt.rhs else { return None };
    let ty = kernel.atom_ty(call.args.first()?);
    let array = ty.as_array().filter(|a| a.position.is_none() && is_flat(&a.element))?;
    let is_known = !array.len.any_var(&mut |v| !is_known(&Size::var(v.clone())) && !own.contains(v));
    let is_item = |s: &Stmt| work_among(kernel, s, own) == Work::Item;
    let items = call.funs.iter().all(|f| f.position.is_none() && f.body.stmts.iter().all(is_item));
    (is_known && items).then(|| array.len.clone())
}
