//! Classifies the parallel work of a function's statements, to choose what computes it: one work-item, a group or the
//! device.
//!
//! | module | job |
//! |---|---|
//! | `memory` | where the rows of an array lie |

mod memory;

use super::flat::is_flat;
use super::free;
use super::nest::{self, Nest, is_scalars};
use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, Stmt, VarId};
use lift_analysis::origin::Origin;
use lift_analysis::size::{Size, Var, VarKind};
use lift_analysis::ty::{Ty, TyKind};
pub use memory::{has_stored_rows, lies_across, lies_in_memory, rows_lie_in_memory};
use memory::{is_row, zipped};
use rustc_hash::FxHashSet;

/// Arrays of a constant length below this are the work of one work-item.
///
/// Like [`LONG_VIEW`] no parameter: all passes and the lowering classify work by it, without a target, and must agree. The
/// lengths that the host knows are compared with parameters (`rows.shared`, `rows.narrow`).
pub const LONG: i64 = 16;
/// [`LONG`] for views that are not rows of memory, such as windows and columns: higher, because neighbouring work-items
/// read neighbouring elements of them.
pub const LONG_VIEW: i64 = 256;

/// Maximum elements of a private array; longer ones are in global memory.
pub const MOST_PRIVATE: i64 = 256;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Work {
    /// Work for one work-item: scalars, views, loops over few elements.
    Item,
    /// A parallel operator over this number of elements, each the work of one work-item.
    Together(Size),
    /// A map whose elements have parallel work themselves.
    Nest,
    /// Everything else: lengths known only on the device, loops, conditions around arrays.
    Other,
}

/// Whether a length consists of size parameters.
pub fn is_known(len: &Size) -> bool {
    !len.any_var(&mut |v| v.kind != VarKind::Param)
}

/// The length, unless it is known to be short.
fn long(len: &Size) -> Option<&Size> {
    len.as_const().is_none_or(|n| n >= LONG).then_some(len)
}

/// Whether a length is so short that only rows of memory are worth sharing.
pub fn is_short(len: &Size) -> bool {
    len.as_const().is_some_and(|n| n < LONG_VIEW)
}

/// Whether an array is that of the numbers from 0.
pub fn is_iota(kernel: &Kernel, xs: &Atom) -> bool {
    let Atom::Var(v) = xs else { return false };
    let mut found = false;
    kernel.body.visit(&mut |stmt| {
        found |= stmt.var == *v && matches!(&stmt.rhs, Rhs::Prim(call) if call.prim == Prim::Iota);
    });
    found
}

pub fn work_of(kernel: &Kernel, stmt: &Stmt) -> Work {
    work_among(kernel, stmt, &[])
}

/// The work of a statement in a function with rows of different lengths (`own`), which are known there like size
/// parameters.
pub fn work_among(kernel: &Kernel, stmt: &Stmt, own: &[Var]) -> Work {
    if !stmt.binds.is_empty() {
        return Work::Other;
    }
    match &stmt.rhs {
        Rhs::Atom(_) | Rhs::Tuple(_) | Rhs::Proj(..) | Rhs::Scalar(..) => Work::Item,
        Rhs::If(_, a, b) if is_flat(kernel.ty(stmt.var)) && [a, b].into_iter().all(|b| is_items(kernel, b, own)) => {
            Work::Item
        }
        Rhs::Prim(call) => work_of_prim(kernel, stmt, call, own),
        _ => Work::Other,
    }
}

fn work_of_prim(kernel: &Kernel, stmt: &Stmt, call: &PrimCall, own: &[Var]) -> Work {
    let items = || call.funs.iter().all(|f| f.position.is_none() && is_items(kernel, &f.body, own));
    let is_known = |len: &Size| !len.any_var(&mut |v| v.kind != VarKind::Param && !own.contains(v));
    let over = |at: usize| {
        let ty = kernel.atom_ty(call.args.get(at)?);
        ty.as_array().filter(|a| a.position.is_none() && is_known(&a.len)).cloned()
    };
    let together = |at: usize, len: &Size| {
        let shared = long(len).is_some_and(|len| !is_short(len) || is_row(kernel, &call.args[at]));
        shared.then(|| Work::Together(len.clone()))
    };
    match call.prim {
        // A row is read like a view.
        Prim::Head | Prim::Last | Prim::Aref if is_regular(kernel.ty(stmt.var)) => Work::Item,
        Prim::Map(Level::Auto) => {
            let Some(array) = over(0) else { return Work::Other };
            let flat = kernel.ty(stmt.var).as_array().is_some_and(|a| is_flat(&a.element));
            let f = &call.funs[0];
            if f.position.is_none() && f.body.stmts.iter().any(|s| is_parallel(kernel, s, own)) {
                // A few numbers, such as the keys of a table, are not rows; a few rows are.
                let numbers = is_short(&array.len) && is_iota(kernel, &call.args[0]);
                return if numbers { Work::Other } else { Work::Nest };
            }
            // Both are read like views.
            if free::picks_rows(kernel, f) || !flat && free::is_free(&stmt.rhs) {
                return Work::Item;
            }
            let one = |s: &Stmt| work_among(kernel, s, own) == Work::Item || is_ordered(kernel, s, own);
            let items = f.position.is_none() && f.body.stmts.iter().all(one);
            match together(0, &array.len) {
                _ if !items => Work::Other,
                shared if flat => shared.unwrap_or(Work::Item),
                // Each element is a few numbers, such as a point.
                Some(_) if is_few(kernel.ty(stmt.var)) => Work::Nest,
                _ => Work::Other,
            }
        }
        // The rounds of a fold or scan whose accumulator is an array are a loop.
        Prim::Reduce(Level::Auto | Level::Seq)
        | Prim::Scan(Level::Auto | Level::Seq)
        | Prim::ScanExcl(Level::Auto | Level::Seq)
            if !is_flat(&kernel.atom_ty(&call.args[0])) =>
        {
            // The number of rounds may be one that only the device knows.
            match kernel.atom_ty(&call.args[1]).as_array() {
                Some(array) if array.position.is_none() => in_rounds(kernel, call, &is_known, own),
                _ => Work::Other,
            }
        }
        Prim::Reduce(Level::Auto) => match over(1).filter(|a| is_flat(&a.element) && items()) {
            Some(array) => together(1, &array.len).unwrap_or(Work::Item),
            None => Work::Other,
        },
        Prim::Scan(Level::Auto) | Prim::ScanExcl(Level::Auto) => {
            let array = over(1).filter(|a| is_scalars(&a.element) && is_scalars(&kernel.atom_ty(&call.args[0])));
            array.filter(|_| items()).and_then(|a| together(1, &a.len)).unwrap_or(Work::Other)
        }
        Prim::Sort | Prim::Argsort => {
            let array = over(0).filter(|a| is_scalars(&a.element) && items());
            array.and_then(|a| together(0, &a.len)).unwrap_or(Work::Other)
        }
        Prim::ReduceByKey(Level::Auto) => {
            let array = over(2).filter(|a| is_scalars(&a.element) && items());
            let array = array.filter(|_| call.sizes.iter().all(is_known) && is_flat_array(kernel.ty(stmt.var)));
            array.and_then(|a| together(2, &a.len)).unwrap_or(Work::Other)
        }
        // A loop over a value in registers.
        Prim::Iterate | Prim::IterateWhile if is_flat(kernel.ty(stmt.var)) && items() => Work::Item,
        // A group runs each iteration.
        Prim::Iterate if call.funs.len() == 1 && call.sizes.len() == 1 && call.sizes.iter().all(is_known) => {
            in_rounds(kernel, call, &is_known, own)
        }
        Prim::IterateWhile => in_rounds(kernel, call, &is_known, own),
        prim if prim.is_view() && call.funs.iter().all(|f| free::is_cheap(&f.body) || chooses(kernel, &f.body)) => {
            // Without a size argument, the length is hidden.
            let hides = call.sizes.is_empty() && matches!(prim, Prim::Iota | Prim::Generate | Prim::Fill);
            if hides { Work::Other } else { Work::Item }
        }
        _ => Work::Other,
    }
}

/// Whether a function only compares numbers and chooses among values that are there, as that of a few numbers written out.
fn chooses(kernel: &Kernel, body: &Block) -> bool {
    let empty = |b: &Block| b.stmts.is_empty();
    body.stmts.iter().all(|s| match &s.rhs {
        Rhs::If(_, a, b) => is_flat(kernel.ty(s.var)) && empty(a) && empty(b),
        rhs => matches!(rhs, Rhs::Scalar(..)) && free::is_free(rhs),
    })
}

/// The work of a loop whose state is arrays of known lengths and scalars: [`Work::Together`] over the longest array,
/// if a group can compute each iteration.
fn in_rounds(kernel: &Kernel, call: &PrimCall, is_known: &dyn Fn(&Size) -> bool, own: &[Var]) -> Work {
    longest_in_rounds(kernel, call, is_known, own).map_or(Work::Other, Work::Together)
}

fn longest_in_rounds(kernel: &Kernel, call: &PrimCall, is_known: &dyn Fn(&Size) -> bool, own: &[Var]) -> Option<Size> {
    let state = kernel.atom_ty(call.args.first()?);
    let mut lengths = Vec::new();
    lengths_of(&state, is_known, &mut lengths)?;
    let mut in_order = true;
    for f in &call.funs {
        if f.position.is_some() || kernel.ty(*f.params.first()?) != &state {
            return None;
        }
        for stmt in &f.body.stmts {
            let work = work_among(kernel, stmt, own);
            in_order &= !matches!(work, Work::Together(_) | Work::Nest);
            match work {
                Work::Item => {}
                Work::Together(len) => lengths.push(len),
                Work::Nest => lengths.push(length_of_nest(kernel, stmt)?),
                // One work-item of the group goes through the row.
                Work::Other => lengths.push(row_in_order(kernel, stmt)?.1),
            }
        }
    }
    lengths.retain(|len| long(len).is_some());
    // Work-items have nothing to share where rows are gone through in order; each has room for a short one of its own.
    if in_order && lengths.iter().all(|len| len.as_const().is_some_and(|n| n <= MOST_PRIVATE)) {
        return None;
    }
    let first = lengths.first()?.clone();
    Some(lengths.into_iter().skip(1).fold(first, |a, b| if a == b { a } else { Size::max(&a, &b) }))
}

/// Whether a call is a loop whose iterations a group may share; [`work_among`] has the other conditions.
pub fn is_loop(kernel: &Kernel, call: &PrimCall) -> bool {
    match call.prim {
        Prim::Iterate | Prim::IterateWhile => true,
        Prim::Reduce(_) | Prim::Scan(_) | Prim::ScanExcl(_) => !is_flat(&kernel.atom_ty(&call.args[0])),
        _ => false,
    }
}

/// Whether the number of iterations does not depend on the row.
pub fn is_counted(stmt: &Stmt) -> bool {
    match &stmt.rhs {
        Rhs::Prim(PrimCall { prim: Prim::IterateWhile, .. }) => false,
        Rhs::Prim(call) => call.funs.iter().all(|f| f.body.stmts.iter().all(is_counted)),
        _ => true,
    }
}

/// The loop of a statement, if a group computes each of its iterations.
pub fn rounds_of<'s>(kernel: &Kernel, stmt: &'s Stmt) -> Option<&'s PrimCall> {
    match &stmt.rhs {
        Rhs::Prim(call) if is_loop(kernel, call) && matches!(work_of(kernel, stmt), Work::Together(_)) => Some(call),
        _ => None,
    }
}

/// The number of elements of a map, each computed by one work-item of the group. `None` if its function opens a
/// length, which the group does not know.
fn length_of_nest(kernel: &Kernel, stmt: &Stmt) -> Option<Size> {
    let Rhs::Prim(call @ PrimCall { prim: Prim::Map(Level::Auto), .. }) = &stmt.rhs else { return None };
    let mut opens = false;
    call.funs.iter().for_each(|f| f.body.visit(&mut |s| opens |= !s.binds.is_empty()));
    if opens {
        return None;
    }
    let scalars = kernel.ty(stmt.var).as_array().is_some_and(|a| is_flat(&a.element));
    scalars.then(|| kernel.atom_ty(&call.args[0]).as_array().map(|a| a.len.clone()))?
}

/// Adds the lengths of the arrays of a state; `None` if it has anything else but scalars.
fn lengths_of(ty: &Ty, is_known: &dyn Fn(&Size) -> bool, out: &mut Vec<Size>) -> Option<()> {
    match ty.kind() {
        _ if is_flat(ty) => Some(()),
        TyKind::Tuple(parts) => parts.iter().try_for_each(|part| lengths_of(part, is_known, out)),
        _ => {
            let array = ty.as_array().filter(|a| a.position.is_none() && is_flat(&a.element) && is_known(&a.len))?;
            out.push(array.len.clone());
            Some(())
        }
    }
}

fn is_flat_array(ty: &Ty) -> bool {
    ty.as_array().is_some_and(|a| a.position.is_none() && is_flat(&a.element))
}

/// Whether a value is flat, an array whose rows are equally long, at every depth, or a tuple of such values.
fn is_regular(ty: &Ty) -> bool {
    match ty.kind() {
        TyKind::Tuple(parts) => parts.iter().all(is_regular),
        _ => is_flat(ty) || ty.as_array().is_some_and(|a| a.position.is_none() && is_regular(&a.element)),
    }
}

/// Whether a block is the work of one work-item.
fn is_items(kernel: &Kernel, block: &Block, own: &[Var]) -> bool {
    block.stmts.iter().all(|s| work_among(kernel, s, own) == Work::Item)
}

/// Whether the elements of an array are arrays of a few numbers.
fn is_few(array: &Ty) -> bool {
    let element = array.as_array().and_then(|a| a.element.as_array().cloned());
    let few = element.as_ref().is_some_and(|a| a.position.is_none() && a.len.as_const().is_some_and(|n| n < LONG));
    few && element.is_some_and(|a| is_flat(&a.element))
}

/// Whether a statement folds scalars in their order, which is one work-item's.
fn is_ordered(kernel: &Kernel, stmt: &Stmt, own: &[Var]) -> bool {
    let Rhs::Prim(PrimCall { prim: Prim::Reduce(Level::Seq), funs, args, .. }) = &stmt.rhs else { return false };
    is_flat(&kernel.atom_ty(&args[0])) && funs.iter().all(|f| f.position.is_none() && is_items(kernel, &f.body, own))
}

/// The row that a statement folds or scans in order, and its length, if it is long and does not depend on data.
pub fn row_in_order<'s>(kernel: &Kernel, stmt: &'s Stmt) -> Option<(&'s Atom, Size)> {
    let Rhs::Prim(call) = &stmt.rhs else { return None };
    let scans = matches!(call.prim, Prim::Scan(Level::Seq) | Prim::ScanExcl(Level::Seq));
    let one = || is_scalars(&kernel.atom_ty(&call.args[0])) && is_items(kernel, &call.funs[0].body, &[]);
    if !(is_ordered(kernel, stmt, &[]) || scans && call.funs[0].position.is_none() && one()) {
        return None;
    }
    let row = call.args.get(1)?;
    let array = kernel.atom_ty(row).as_array().filter(|a| a.position.is_none() && is_flat(&a.element)).cloned()?;
    (is_known(&array.len) && long(&array.len).is_some()).then_some((row, array.len))
}

fn is_parallel(kernel: &Kernel, stmt: &Stmt, own: &[Var]) -> bool {
    matches!(work_among(kernel, stmt, own), Work::Together(_) | Work::Nest)
}

/// Whether a statement is a map whose function has parallel work, perhaps inside of more maps.
fn has_work(kernel: &Kernel, stmt: &Stmt) -> bool {
    let Rhs::Prim(PrimCall { prim: Prim::Map(Level::Auto), funs, .. }) = &stmt.rhs else { return false };
    funs[0].body.stmts.iter().any(|s| is_parallel(kernel, s, &[]) || has_work(kernel, s))
}

/// Whether a statement is a map whose function folds or scans rows in order, perhaps inside of more maps.
fn has_ordered(kernel: &Kernel, stmt: &Stmt) -> bool {
    let Rhs::Prim(PrimCall { prim: Prim::Map(Level::Auto), funs, .. }) = &stmt.rhs else { return false };
    funs[0].body.stmts.iter().any(|s| row_in_order(kernel, s).is_some() || has_ordered(kernel, s))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Also {
    None,
    /// Maps over a few numbers.
    Few,
    /// Maps whose functions fold or scan rows in order.
    Ordered,
}

/// Perfectly nested maps: the function of each does nothing but the next map and free operations.
pub struct Dims<'k> {
    /// Outermost first.
    pub calls: Vec<&'k PrimCall>,
    /// Whether each map returns the result of the next one unchanged; otherwise some reorder its dimensions.
    pub in_order: bool,
    /// Variables that depend on the elements of all maps except the innermost.
    outer: FxHashSet<VarId>,
    /// Which maps count besides those that have parallel work themselves.
    also: Also,
}

impl<'k> Dims<'k> {
    pub fn of(kernel: &Kernel, call: &'k PrimCall) -> Dims<'k> {
        Dims::found(kernel, call, Also::None)
    }

    /// Like [`Self::of`], also through maps over a few numbers.
    pub fn of_all(kernel: &Kernel, call: &'k PrimCall) -> Dims<'k> {
        Dims::found(kernel, call, Also::Few)
    }

    /// As [`Self::of`], also through maps whose functions fold or scan rows in order.
    pub fn of_ordered(kernel: &Kernel, call: &'k PrimCall) -> Dims<'k> {
        Dims::found(kernel, call, Also::Ordered)
    }

    fn found(kernel: &Kernel, call: &'k PrimCall, also: Also) -> Dims<'k> {
        let mut dims = Dims { calls: vec![call], in_order: true, outer: FxHashSet::default(), also };
        while let Some((next, f)) = dims.perfect(kernel) {
            dims.outer.extend(&f.params);
            for s in &f.body.stmts {
                if super::uses::mentions(s, &|v| dims.outer.contains(&v)) {
                    dims.outer.insert(s.var);
                }
            }
            dims.in_order &= nest::returned(f).is_some_and(|at| at + 1 == f.body.stmts.len());
            dims.calls.push(next);
        }
        dims
    }

    fn perfect(&self, kernel: &Kernel) -> Option<(&'k PrimCall, &'k Lambda)> {
        let f = self.innermost();
        let at = nest::returned(f)?;
        let (before, made) = (&f.body.stmts[..at], &f.body.stmts[at]);
        let Rhs::Prim(next) = &made.rhs else { return None };
        let nests = match self.also {
            _ if work_of(kernel, made) == Work::Nest => true,
            Also::None => false,
            Also::Few => has_work(kernel, made),
            Also::Ordered => has_ordered(kernel, made),
        };
        (nests && before.iter().all(|s| free::is_free(&s.rhs))).then_some((next, f))
    }

    pub fn innermost(&self) -> &'k Lambda {
        &self.calls[self.calls.len() - 1].funs[0]
    }

    /// Whether each call of the innermost function has its own row, longer than a point of few coordinates. A nested
    /// map whose array does not depend on the outer element reads the same rows for every outer element.
    pub fn has_rows(&self, kernel: &Kernel) -> bool {
        let is_array = |v: &VarId| kernel.ty(*v).any(&mut |t| t.as_array().is_some_and(|a| long(&a.len).is_some()));
        let of_outer = |xs: &Atom| matches!(xs, Atom::Var(v) if self.outer.contains(v));
        let depends = |c: &PrimCall| match zipped(kernel, &c.args[0]) {
            Some(all) => {
                all.iter().all(|xs| of_outer(xs) || kernel.atom_ty(xs).as_array().is_some_and(|a| is_flat(&a.element)))
            }
            None => of_outer(&c.args[0]),
        };
        self.innermost().params.iter().any(is_array)
            && self.calls[1..].iter().all(|c| of_outer(&c.args[0]) && depends(c))
    }
}

/// A fold of rows that lie in memory, below maps that do nothing else, and the number of these maps. The fold is the same
/// for all rows, so their rows are those of one map.
pub fn rows_below(kernel: &Kernel, call: &PrimCall) -> Option<(Nest, usize)> {
    let dims = Dims::of(kernel, call);
    let around = dims.calls.len() - 1;
    let f = dims.innermost();
    let is_mentioned = |v: VarId| dims.outer.contains(&v);
    let plain = |c: &PrimCall| {
        let known = kernel.atom_ty(&c.args[0]).as_array().is_some_and(|a| a.position.is_none() && is_known(&a.len));
        known && c.prim == Prim::Map(Level::Auto) && c.funs[0].position.is_none() && c.funs[0].params.len() == 1
    };
    // A fold that also reads an outer element qualifies only for columns: neighbours then read the same outer element.
    let outer = || f.body.stmts.iter().any(|s| super::uses::mentions(s, &is_mentioned));
    let columns = || dims.calls.last().is_some_and(|c| lies_across(kernel, &c.args[0]));
    if around == 0
        || !dims.in_order
        || !dims.calls.iter().all(|c| plain(c))
        || outer() && !columns()
        || !dims.has_rows(kernel)
    {
        return None;
    }
    let in_memory = dims.calls.iter().all(|c| has_stored_rows(kernel, &c.args[0]));
    let nest = nest::recognise(kernel, f).filter(|nest| in_memory && nest.reorder && !nest.matrix)?;
    let fold = f.body.stmts.iter().find(|s| s.var == nest.fold)?;
    let Rhs::Prim(PrimCall { funs, args, .. }) = &fold.rhs else { return None };
    // The work-items that combine the results of a row's parts know its place only at the end.
    let own = |block: &Block| block.stmts.iter().any(|s| super::uses::mentions(s, &is_mentioned));
    let same = !funs.iter().any(|f| own(&f.body)) && !matches!(args[0], Atom::Var(v) if is_mentioned(v));
    (same && matches!(work_of(kernel, fold), Work::Together(_))).then_some((nest, around))
}

/// The type of an array of `len` elements of type `ty`.
pub fn array_of(ty: &Ty, len: &Size) -> Ty {
    Ty::array(ty.clone(), len.clone())
}

/// The length and the element type of an array whose elements have one type.
pub fn rows_of(ty: &Ty) -> Option<(Size, Ty)> {
    ty.as_array().filter(|a| a.position.is_none()).map(|a| (a.len.clone(), a.element.clone()))
}

/// The host-level maps whose functions fold, scan or sort long arrays. A map fused with them would do this work on one
/// work-item.
pub fn maps_of_folds(kernel: &Kernel) -> FxHashSet<VarId> {
    fn folds(kernel: &Kernel, f: &Lambda) -> bool {
        f.body.stmts.iter().any(|s| match (&s.rhs, work_of(kernel, s)) {
            (Rhs::Prim(PrimCall { prim: Prim::Map(_), funs, .. }), Work::Nest) => folds(kernel, &funs[0]),
            (Rhs::Prim(PrimCall { prim: Prim::Map(_), .. }), _) => false,
            (_, work) => matches!(work, Work::Together(_)),
        })
    }
    fn of_block(kernel: &Kernel, block: &Block, out: &mut FxHashSet<VarId>) {
        for stmt in &block.stmts {
            match &stmt.rhs {
                Rhs::If(_, a, b) => {
                    of_block(kernel, a, out);
                    of_block(kernel, b, out);
                }
                Rhs::Prim(call) if super::on_the_host(kernel, call) => {
                    call.funs.iter().for_each(|f| of_block(kernel, &f.body, out));
                }
                Rhs::Prim(call) if call.prim == Prim::Map(Level::Auto) && folds(kernel, &call.funs[0]) => {
                    out.insert(stmt.var);
                }
                _ => {}
            }
        }
    }
    let mut out = FxHashSet::default();
    of_block(kernel, &kernel.body, &mut out);
    out
}

/// The host-level maps whose function a group cannot share, each with the first operator that has no strategy.
pub fn obstacles(kernel: &Kernel) -> Vec<(Origin, &'static str)> {
    fn of_block(kernel: &Kernel, block: &Block, out: &mut Vec<(Origin, &'static str)>) {
        for stmt in &block.stmts {
            match &stmt.rhs {
                Rhs::If(_, a, b) => {
                    of_block(kernel, a, out);
                    of_block(kernel, b, out);
                }
                Rhs::Prim(call) if super::on_the_host(kernel, call) => {
                    call.funs.iter().for_each(|f| of_block(kernel, &f.body, out));
                }
                Rhs::Prim(call) if call.prim == Prim::Map(Level::Auto) => {
                    let dims = Dims::of(kernel, call);
                    let other = dims.innermost().body.stmts.iter().find_map(|s| match &s.rhs {
                        Rhs::Prim(c) if work_of(kernel, s) == Work::Other => Some(c.prim.label()),
                        _ => None,
                    });
                    out.extend(other.map(|label| (stmt.origin.clone(), label)));
                }
                _ => {}
            }
        }
    }
    let mut out = Vec::new();
    of_block(kernel, &kernel.body, &mut out);
    out
}
