//! Shapes of functions of host-level maps for which lowering has a strategy: a fold of a row whose length only the
//! device knows, a fold that meets every element of another array, an iteration over a short array, a short row that is
//! read repeatedly.

use super::flat::is_flat;
use super::free;
use super::nest::{is_same_fold, is_scalars};
use super::uses;
use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, Stmt, VarId};
use lift_analysis::size::{Size, VarKind};
use lift_analysis::ty::{Ty, TyKind};
use rustc_hash::FxHashSet;

/// Work-items that compute the iterations of [`rounds`] together.
pub const ROUND_ITEMS: i64 = 32;
/// Maximum elements that each of these work-items keeps in registers.
const MOST_KEPT: i64 = 16;
/// Minimum elements for which staging in local memory pays.
const WORTH_STAGING: i64 = 256;

/// Whether a function computes only scalars, without loops; it may read elements of arrays if `reads`.
fn is_element_work(kernel: &Kernel, block: &Block, reads: bool) -> bool {
    block.stmts.iter().all(|s| match &s.rhs {
        Rhs::Atom(_) | Rhs::Scalar(..) | Rhs::Tuple(_) | Rhs::Proj(..) => true,
        Rhs::If(_, a, b) => {
            is_flat(kernel.ty(s.var)) && is_element_work(kernel, a, reads) && is_element_work(kernel, b, reads)
        }
        Rhs::Prim(PrimCall { prim: Prim::Aref | Prim::Head | Prim::Last, .. }) => reads && is_flat(kernel.ty(s.var)),
        _ => false,
    })
}

/// Whether a statement is minor: scalars, views, single elements.
fn is_small(kernel: &Kernel, stmt: &Stmt, lazy: &FxHashSet<VarId>) -> bool {
    match &stmt.rhs {
        Rhs::Atom(_) | Rhs::Scalar(..) | Rhs::Tuple(_) | Rhs::Proj(..) | Rhs::Unpack(_) => true,
        Rhs::Cast(_, pairs) => pairs.is_empty(),
        Rhs::If(_, a, b) => {
            is_flat(kernel.ty(stmt.var)) && is_element_work(kernel, a, true) && is_element_work(kernel, b, true)
        }
        Rhs::Prim(call) => match call.prim {
            Prim::Head | Prim::Last | Prim::Aref => is_flat(kernel.ty(stmt.var)),
            Prim::Map(Level::Auto) => lazy.contains(&stmt.var) && is_element_work(kernel, &call.funs[0].body, true),
            prim => prim.is_view() && call.funs.iter().all(|f| free::is_cheap(&f.body)),
        },
        _ => false,
    }
}

/// The only statement of a function that satisfies `is_it`, if all others are minor and the result is made of scalars.
fn the_only<'k>(
    kernel: &Kernel,
    f: &'k Lambda,
    lazy: &FxHashSet<VarId>,
    is_it: impl Fn(&PrimCall) -> bool,
) -> Option<(&'k Stmt, &'k PrimCall)> {
    if f.params.len() != 1 || f.position.is_some() || !is_scalars(&kernel.atom_ty(&f.body.result)) {
        return None;
    }
    let mut found = None;
    for stmt in &f.body.stmts {
        match &stmt.rhs {
            Rhs::Prim(call) if is_it(call) => {
                if found.replace((stmt, call)).is_some() {
                    return None;
                }
            }
            _ if is_small(kernel, stmt, lazy) => {}
            _ => return None,
        }
    }
    found
}

/// Recognises a `reduce` of a row whose length is known only on the device; returns its statement.
pub fn team(kernel: &Kernel, f: &Lambda, lazy: &FxHashSet<VarId>) -> Option<VarId> {
    let (stmt, fold) = the_only(kernel, f, lazy, |c| c.prim == Prim::Reduce(Level::Auto))?;
    let xs = kernel.atom_ty(&fold.args[1]);
    let xs = xs.as_array().filter(|a| a.position.is_none() && is_scalars(&a.element))?;
    let hidden = xs.len.any_var(&mut |v| v.kind != VarKind::Param);
    let plain = is_scalars(&kernel.atom_ty(&fold.args[0])) && is_element_work(kernel, &fold.funs[0].body, false);
    (hidden && is_same_fold(kernel, f, fold) && plain).then_some(stmt.var)
}

/// A fold over `map g ys`, where `ys` is the same for every element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pairs {
    pub fold: VarId,
    /// The statement `map g ys`.
    pub meets: VarId,
    /// Whether the fold is a `reduce`, which may be reordered.
    pub reorder: bool,
}

pub fn pairs(kernel: &Kernel, f: &Lambda, lazy: &FxHashSet<VarId>) -> Option<Pairs> {
    let is_fold = |c: &PrimCall| matches!(c.prim, Prim::Reduce(Level::Auto | Level::Seq));
    let (stmt, fold) = the_only(kernel, f, lazy, is_fold)?;
    if !is_scalars(kernel.ty(f.params[0])) || !is_element_work(kernel, &fold.funs[0].body, false) {
        return None;
    }
    let Atom::Var(met) = &fold.args[1] else { return None };
    let meets = f.body.stmts.iter().find(|s| s.var == *met)?;
    let Rhs::Prim(map @ PrimCall { prim: Prim::Map(Level::Auto), .. }) = &meets.rhs else { return None };
    let depend = uses::dependent(kernel, f);
    let (g, ys) = (map.funs.first()?, map.args.first()?);
    let ys_ty = kernel.atom_ty(ys);
    let array = ys_ty.as_array().filter(|a| a.position.is_none())?;
    let long = array.len.as_const().is_none_or(|n| n >= WORTH_STAGING);
    let known = !array.len.any_var(&mut |v| v.kind != VarKind::Param);
    let same = !matches!(ys, Atom::Var(v) if depend.contains(v));
    let uses_it = uses::mentions(meets, &|v| depend.contains(&v));
    let plain = is_element_work(kernel, &g.body, false) && g.position.is_none();
    let fits = is_scalars(&kernel.atom_ty(&fold.args[0])) && one_kind(&array.element).is_some_and(|n| n <= 8);
    let all = long && known && same && uses_it && plain && fits;
    all.then_some(Pairs { fold: stmt.var, meets: *met, reorder: fold.prim == Prim::Reduce(Level::Auto) })
}

/// The number of scalars of an element, if all have the same 32-bit type.
fn one_kind(ty: &Ty) -> Option<usize> {
    use lift_analysis::hir::Scalar;
    fn collect(ty: &Ty, out: &mut Vec<Scalar>) -> Option<()> {
        match ty.kind() {
            TyKind::Scalar(s) => out.push(*s),
            TyKind::Tuple(parts) => parts.iter().try_for_each(|p| collect(p, out))?,
            _ => return None,
        }
        Some(())
    }
    let mut all = Vec::new();
    collect(ty, &mut all)?;
    let first = *all.first()?;
    (matches!(first, Scalar::Int | Scalar::Float) && all.iter().all(|s| *s == first)).then_some(all.len())
}

/// Recognises an `iterate` over a short array of constant length, each iteration of which is a `map` over views of it;
/// returns its statement.
pub fn rounds(kernel: &Kernel, f: &Lambda, lazy: &FxHashSet<VarId>) -> Option<VarId> {
    let is_start = |c: &PrimCall| c.prim == Prim::Map(Level::Auto) && is_element_work(kernel, &c.funs[0].body, false);
    // The initial array is computed element by element.
    let mut small = lazy.clone();
    small.extend(f.body.stmts.iter().filter(|s| matches!(&s.rhs, Rhs::Prim(c) if is_start(c))).map(|s| s.var));
    let (stmt, iterate) = the_only(kernel, f, &small, |c| c.prim == Prim::Iterate)?;
    let (Some(count), [round]) = (iterate.sizes.first(), iterate.funs.as_slice()) else { return None };
    let ty = kernel.ty(stmt.var);
    let array = ty.as_array().filter(|a| a.position.is_none() && is_scalars(&a.element))?;
    let n = array.len.as_const()?;
    let fits = n % ROUND_ITEMS == 0 && (1..=MOST_KEPT).contains(&(n / ROUND_ITEMS));
    let known = !count.any_var(&mut |v| v.kind != VarKind::Param);
    let (last, before) = round.body.stmts.split_last()?;
    let Rhs::Prim(map @ PrimCall { prim: Prim::Map(Level::Auto), .. }) = &last.rhs else { return None };
    let is_round = round.body.result == Atom::Var(last.var)
        && round.params.len() == 1
        && map.funs[0].position.is_none()
        && is_element_work(kernel, &map.funs[0].body, true)
        && before.iter().all(|s| match &s.rhs {
            Rhs::Prim(c) => {
                let of_runtime_length =
                    matches!(c.prim, Prim::Iota | Prim::Generate | Prim::Fill) && c.sizes.is_empty();
                c.prim.is_view() && !of_runtime_length && c.funs.is_empty()
            }
            Rhs::Atom(_) | Rhs::Scalar(..) | Rhs::Tuple(_) | Rhs::Proj(..) => true,
            _ => false,
        });
    (fits && known && is_round).then_some(stmt.var)
}

/// The length of a function's rows, if it is a single size parameter and the function reads the row in a loop.
pub fn short_row(kernel: &Kernel, f: &Lambda) -> Option<Size> {
    let [row] = f.params.as_slice() else { return None };
    let array = kernel.ty(*row).as_array().filter(|a| a.position.is_none() && is_scalars(&a.element))?;
    let var = array.len.as_var().filter(|v| v.kind == VarKind::Param)?;
    let nested = |s: &Stmt| match &s.rhs {
        Rhs::Prim(c) => c.funs.iter().any(|g| g.body.stmts.iter().any(|s| uses::mentions(s, &|v| v == *row))),
        _ => false,
    };
    let scalars = is_scalars(&kernel.atom_ty(&f.body.result)) && f.position.is_none();
    (scalars && f.body.stmts.iter().any(nested)).then(|| Size::var(var.clone()))
}
