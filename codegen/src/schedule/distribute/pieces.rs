//! Assigns the statements of a map's function to several consecutive maps.

use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, Stmt, VarId, VarInfo};
use crate::schedule::flat::is_flat;
use crate::schedule::free::{self, is_brief};
use crate::schedule::nest;
use crate::schedule::nested::{LONG, MOST_PRIVATE, Work, is_known, rounds_of, work_of};
use crate::schedule::place::{is_perfect_nest, is_read_in_step};
use crate::schedule::uses;
use lift_analysis::ty::{ArrayTy, Ty};
use rustc_hash::{FxHashMap, FxHashSet};

/// Assigns the statements of a function to maps (pieces).
pub struct Pieces {
    pub count: usize,
    /// The piece that computes and stores a variable. Views and free operations are not assigned; each reader repeats
    /// them.
    of: FxHashMap<VarId, usize>,
}

impl Pieces {
    /// A piece for each of these variables, and one for the result.
    pub fn each(vars: &[VarId]) -> Pieces {
        Pieces { count: vars.len() + 1, of: vars.iter().copied().zip(0..).collect() }
    }

    /// Splits a function at its nests, except those that a single fold reads; `None` if it has no nest or only one piece.
    pub fn of(kernel: &Kernel, body: &Block) -> Option<Pieces> {
        Pieces::at_nests(kernel, body, &|v| read_by_one_fold(kernel, body, v))
    }

    /// Like [`Self::of`], also at the nests that a single fold reads.
    pub fn of_nests(kernel: &Kernel, body: &Block) -> Option<Pieces> {
        Pieces::at_nests(kernel, body, &|_| false)
    }

    /// Splits a function at its nests except those that stay with their only reader.
    fn at_nests(kernel: &Kernel, body: &Block, stays: &dyn Fn(VarId) -> bool) -> Option<Pieces> {
        let works = works(kernel, body);
        if works.contains(&Work::Other) || !works.contains(&Work::Nest) {
            return None;
        }
        // What the nests need and is not repeated is the first piece.
        let before = long_before(kernel, body, &works);
        let mut of: FxHashMap<VarId, usize> = before.into_iter().map(|v| (v, 0)).collect();
        let (mut count, mut open) = (usize::from(!of.is_empty()), false);
        let mut nests: FxHashSet<usize> = FxHashSet::default();
        for (stmt, work) in body.stmts.iter().zip(works) {
            let piece = match work {
                _ if of.contains_key(&stmt.var) => continue,
                Work::Nest if stays(stmt.var) => None,
                Work::Nest => {
                    nests.insert(count);
                    (count, open) = (count + 1, false);
                    Some(count - 1)
                }
                Work::Together(_) => {
                    if !open {
                        (count, open) = (count + 1, true);
                    }
                    Some(count - 1)
                }
                // A scalar belongs to the last piece on which it depends, unless that is a nest: then each reader
                // repeats its few instructions.
                _ if is_flat(kernel.ty(stmt.var)) => {
                    let last = last_piece(kernel, body, stmt, &of);
                    last.filter(|piece| !nests.contains(piece) || !is_brief(stmt))
                }
                _ => None,
            };
            if let Some(piece) = piece {
                of.insert(stmt.var, piece);
            }
        }
        (count > 1).then_some(Pieces { count, of })
    }

    /// Makes a piece for each map over a long row, and one for the result, a view of these maps' results; `None` if the
    /// work-items that compute elements of the result can write them directly, or if the function does more.
    pub fn of_maps(kernel: &Kernel, f: &Lambda) -> Option<Pieces> {
        let returned = nest::returned(f).map(|at| f.body.stmts[at].var);
        let result = f.body.stmts.iter().find(|s| f.body.result == Atom::Var(s.var))?;
        if !is_brief(result) || f.body.stmts.len() > free::MOST_BRIEF {
            return None;
        }
        let mut of = FxHashMap::default();
        for stmt in f.body.stmts.iter().filter(|s| !is_brief(s)) {
            let Rhs::Prim(PrimCall { prim: Prim::Map(Level::Auto), .. }) = &stmt.rhs else { return None };
            if returned == Some(stmt.var) || !matches!(work_of(kernel, stmt), Work::Together(_)) {
                return None;
            }
            of.insert(stmt.var, of.len());
        }
        Some(Pieces { count: of.len() + 1, of }).filter(|pieces| pieces.count > 1)
    }

    /// Makes a piece for each fold, and one for the final row.
    pub fn of_folds(kernel: &Kernel, body: &Block) -> Option<Pieces> {
        let (mut count, mut of) = (0, FxHashMap::default());
        for stmt in &body.stmts {
            let is = |wanted: fn(Prim) -> bool| matches!(&stmt.rhs, Rhs::Prim(call) if wanted(call.prim));
            match work_of(kernel, stmt) {
                Work::Item if is_flat(kernel.ty(stmt.var)) => {
                    if let Some(piece) = last_piece(kernel, body, stmt, &of) {
                        of.insert(stmt.var, piece);
                    }
                }
                Work::Item => {}
                Work::Together(_) if is(|p| matches!(p, Prim::Map(_))) => {}
                Work::Together(_) if is(|p| matches!(p, Prim::Reduce(_))) && rounds_of(kernel, stmt).is_none() => {
                    of.insert(stmt.var, count);
                    count += 1;
                }
                _ => return None,
            }
        }
        // The last map computes the rest, unless the result is a scalar, or what a fold gives.
        let folded = matches!(&body.result, Atom::Var(v) if of.contains_key(v));
        let whole = folded || is_flat(&kernel.atom_ty(&body.result));
        Some(Pieces { count: if whole { count } else { count + 1 }, of }).filter(|p| p.count > 1)
    }

    /// Makes a piece for the loops of a function that also has work for several work-items, one for what a group shares,
    /// one for each nest and each row that is stored, and one for the final row. Other maps over rows are computed where they
    /// are read. `None` if there is neither such a loop nor such a row, or if a group that folds the row can do them, too.
    pub fn of_loops(kernel: &Kernel, body: &Block) -> Option<Pieces> {
        let works: Vec<Work> = body.stmts.iter().map(|s| work_of(kernel, s)).collect();
        let maps = |s: &Stmt| matches!(&s.rhs, Rhs::Prim(PrimCall { prim: Prim::Map(_), .. }));
        let all = || body.stmts.iter().zip(&works);
        let folds = all().any(|(s, work)| matches!(work, Work::Together(_)) && !maps(s));
        let is_loop = |s: &Stmt, work: &Work| match work {
            Work::Other => {
                let gives_few = gives_scalars(kernel.ty(s.var)) || is_fold_of_few(kernel, s);
                s.binds.is_empty() && (gives_few || folds && is_ordered_scan(kernel, s))
            }
            // A group computes it along with its folds.
            Work::Item => !folds && (is_iteration(s) || is_long_fold(kernel, s)),
            _ => false,
        };
        let is_stored =
            |s: &Stmt, work: &Work| !folds && matches!(work, Work::Together(_)) && is_stored(kernel, body, s);
        let shared = all().any(|(_, work)| matches!(work, Work::Together(_) | Work::Nest));
        let loops = all().any(|(s, work)| is_loop(s, work) || is_stored(s, work));
        let few = |s: &Stmt| made_by_items(kernel, s).is_some_and(|n| n <= MOST_PRIVATE);
        let others = all().any(|(s, work)| *work == Work::Other && !is_loop(s, work) && !few(s));
        let kept = all().any(|(s, work)| *work == Work::Nest && read_by_one_loop(body, s.var));
        if !shared || !loops || others || kept {
            return None;
        }
        let (mut count, mut open) = (0, None);
        let mut of: FxHashMap<VarId, usize> = FxHashMap::default();
        for (stmt, work) in all() {
            let kind = match work {
                work if is_loop(stmt, work) => Kind::Loops,
                Work::Nest => Kind::Nest,
                work if is_stored(stmt, work) => Kind::Nest,
                Work::Together(_) if !maps(stmt) => Kind::Shared,
                _ => {
                    if let Some(piece) = last_piece(kernel, body, stmt, &of).filter(|_| is_flat(kernel.ty(stmt.var))) {
                        of.insert(stmt.var, piece);
                    }
                    continue;
                }
            };
            if kind == Kind::Nest || open != Some(kind) {
                count += 1;
            }
            open = Some(kind);
            of.insert(stmt.var, count - 1);
        }
        let assigned = |a: &Atom| matches!(a, Atom::Var(v) if of.get(v) == Some(&(count - 1)));
        // A group that folds the row makes the final one, too.
        let count = if assigned(&body.result) || open == Some(Kind::Shared) { count } else { count + 1 };
        (count > 1).then_some(Pieces { count, of })
    }

    /// The statements of a piece, including the unassigned ones it needs; and the variables that it reads from other
    /// pieces.
    pub fn statements(
        &self,
        vars: &[VarInfo],
        body: &Block,
        piece: usize,
        wanted: &[VarId],
        last: bool,
    ) -> (Vec<Stmt>, Vec<VarId>) {
        let mut needed: FxHashSet<VarId> = wanted.iter().copied().collect();
        if let (true, Atom::Var(v)) = (last, &body.result) {
            needed.insert(*v);
        }
        let mut stmts = Vec::new();
        for stmt in body.stmts.iter().rev() {
            let own = match self.of.get(&stmt.var) {
                Some(p) => *p == piece,
                None => true,
            };
            if own && needed.contains(&stmt.var) {
                uses::variables(stmt, &mut needed);
                needed.extend(uses::openings(vars, &body.stmts, stmt).map(|s| s.var));
                stmts.push(stmt.clone());
            }
        }
        stmts.reverse();
        let made: FxHashSet<VarId> = stmts.iter().map(|s| s.var).collect();
        let mut reads: Vec<VarId> = needed.into_iter().filter(|v| !made.contains(v)).collect();
        reads.sort();
        (stmts, reads)
    }

    /// The variables that a piece computes and later pieces read.
    pub fn handed_on(&self, vars: &[VarInfo], body: &Block, piece: usize) -> Vec<VarId> {
        let mut later = FxHashSet::default();
        for p in piece + 1..self.count {
            let is_last = p + 1 == self.count;
            let own: Vec<VarId> = body.stmts.iter().map(|s| s.var).filter(|v| self.of.get(v) == Some(&p)).collect();
            later.extend(self.statements(vars, body, p, &own, is_last).1);
        }
        let mut out: Vec<VarId> = later.into_iter().filter(|v| self.of.get(v) == Some(&piece)).collect();
        out.sort();
        out
    }
}

/// The scalars that the nests of a function read, if computing them takes many instructions. They are computed once, before
/// all other work; otherwise the work-item of each element of a nest would compute them again.
fn long_before(kernel: &Kernel, body: &Block, works: &[Work]) -> Vec<VarId> {
    let all = || body.stmts.iter().zip(works);
    // What depends on other work is computed with or after that.
    let mut later: FxHashSet<VarId> = FxHashSet::default();
    for (stmt, work) in all() {
        if *work != Work::Item || uses::mentions(stmt, &|v| later.contains(&v)) {
            later.insert(stmt.var);
        }
    }
    let mut needed = FxHashSet::default();
    let mut before: Vec<&Stmt> = Vec::new();
    for (stmt, work) in all().rev() {
        let first = !later.contains(&stmt.var) && needed.contains(&stmt.var);
        if first || *work == Work::Nest {
            uses::variables(stmt, &mut needed);
        }
        if first {
            before.push(stmt);
        }
    }
    let brief = before.len() <= free::MOST_BRIEF && before.iter().all(|s| is_brief(s));
    if brief || before.iter().all(|s| free::is_free(&s.rhs)) {
        return Vec::new();
    }
    let stored = |s: &&Stmt| !free::is_free(&s.rhs) && is_flat(kernel.ty(s.var));
    before.into_iter().filter(stored).map(|s| s.var).collect()
}

/// The work of each statement of a function. A map over rows of which a work-item makes each element is a nest. If a
/// statement makes an array that is too large for the registers of a work-item, all that make arrays of constant lengths
/// are nests.
fn works(kernel: &Kernel, body: &Block) -> Vec<Work> {
    let counts: Vec<Option<i64>> = body.stmts.iter().map(|s| made_by_items(kernel, s)).collect();
    let large = counts.iter().flatten().any(|n| *n > MOST_PRIVATE);
    let work = |(stmt, count): (&Stmt, &Option<i64>)| match count {
        Some(_) if large => Work::Nest,
        _ => match work_of(kernel, stmt) {
            Work::Other if count.is_none() && is_made_by_elements(kernel, stmt) => Work::Nest,
            work => work,
        },
    };
    body.stmts.iter().zip(&counts).map(work).collect()
}

/// Whether a statement is a map over a long array whose elements are those of maps, down to the one of scalars.
fn is_made_by_elements(kernel: &Kernel, stmt: &Stmt) -> bool {
    let Rhs::Prim(PrimCall { prim: Prim::Map(Level::Auto), funs, args, .. }) = &stmt.rhs else { return false };
    let array = kernel.atom_ty(&args[0]).as_array().filter(|a| a.position.is_none() && is_known(&a.len)).cloned();
    let long = array.is_some_and(|a| a.len.as_const().is_none_or(|n| n >= LONG));
    long && stmt.binds.is_empty() && funs[0].position.is_none() && is_perfect_nest(kernel, &funs[0])
}

/// The number of elements that a map of constant lengths makes, if each takes one work-item's computation. `None` for
/// views, and for maps that other rules share.
fn made_by_items(kernel: &Kernel, stmt: &Stmt) -> Option<i64> {
    let Rhs::Prim(PrimCall { prim: Prim::Map(Level::Auto), funs, .. }) = &stmt.rhs else { return None };
    let f = funs.first().filter(|f| f.position.is_none() && !free::picks_rows(kernel, f))?;
    let is_item = |s: &Stmt| work_of(kernel, s) == Work::Item || made_by_items(kernel, s).is_some();
    let computes = !free::is_free(&stmt.rhs) && f.body.stmts.iter().all(is_item);
    let array = kernel.ty(stmt.var).as_array().filter(|_| computes && stmt.binds.is_empty())?;
    elements_of(array)
}

/// The number of scalars of an array of constant lengths.
fn elements_of(array: &ArrayTy) -> Option<i64> {
    let len = array.len.as_const().filter(|_| array.position.is_none())?;
    match array.element.as_array() {
        Some(row) => len.checked_mul(elements_of(row)?),
        None => is_flat(&array.element).then_some(len),
    }
}

/// Whether the result of a map over a row is stored for the other work-items of the row: its readers access it in
/// another order or repeatedly, and computing an element takes longer than loading it.
fn is_stored(kernel: &Kernel, body: &Block, stmt: &Stmt) -> bool {
    let Rhs::Prim(PrimCall { prim: Prim::Map(_), funs, .. }) = &stmt.rhs else { return false };
    let f = &funs[0];
    if is_flat(&kernel.atom_ty(&body.result)) || body.result == Atom::Var(stmt.var) {
        return false;
    }
    if free::is_instant(&f.body) || free::picks_rows(kernel, f) || is_read_in_step(body, stmt) {
        return false;
    }
    // Each loop computes what it folds, and each reader of one element that element.
    let ends = |s: &Stmt| match &s.rhs {
        Rhs::Prim(call) => matches!(call.prim, Prim::Reduce(_) | Prim::Aref | Prim::Head | Prim::Last),
        _ => false,
    };
    let readers = body.stmts.iter().filter(|s| uses::mentions(s, &|v| v == stmt.var));
    let all_end = readers.clone().all(ends);
    let few = readers.clone().filter(|s| !ends(s)).count() < 2 && readers.clone().any(ends);
    !(free::are_brief(&f.body.stmts) && (all_end || few))
}

/// What computes a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// One work-item.
    Loops,
    /// A group.
    Shared,
    /// The device.
    Nest,
}

/// Whether a type is that of scalars, or of a fold's result, an array of one element.
fn gives_scalars(ty: &Ty) -> bool {
    let one = |ty: &Ty| ty.as_array().is_some_and(|a| a.len.as_const() == Some(1) && is_flat(&a.element));
    is_flat(ty) || one(ty)
}

/// Whether a statement folds in order, and its accumulator is an array that one work-item has room for.
fn is_fold_of_few(kernel: &Kernel, stmt: &Stmt) -> bool {
    let few = |array: &ArrayTy| elements_of(array).is_some_and(|n| n <= MOST_PRIVATE);
    matches!(&stmt.rhs, Rhs::Prim(PrimCall { prim: Prim::Reduce(Level::Seq), .. }))
        && kernel.ty(stmt.var).as_array().is_some_and(few)
}

/// Whether a statement scans scalars in their order.
fn is_ordered_scan(kernel: &Kernel, stmt: &Stmt) -> bool {
    let row = kernel.ty(stmt.var).as_array().filter(|a| a.position.is_none());
    matches!(&stmt.rhs, Rhs::Prim(PrimCall { prim: Prim::Scan(Level::Seq) | Prim::ScanExcl(Level::Seq), .. }))
        && row.is_some_and(|a| is_known(&a.len) && is_flat(&a.element))
}

/// Whether a statement repeats a function.
pub fn is_iteration(stmt: &Stmt) -> bool {
    matches!(&stmt.rhs, Rhs::Prim(PrimCall { prim: Prim::Iterate | Prim::IterateWhile, .. }))
}

/// Whether a statement folds so many elements that work-items should not repeat it.
fn is_long_fold(kernel: &Kernel, stmt: &Stmt) -> bool {
    let Rhs::Prim(PrimCall { prim: Prim::Reduce(_), args, .. }) = &stmt.rhs else { return false };
    let array = args.get(1).and_then(|xs| kernel.atom_ty(xs).as_array().cloned());
    array.is_some_and(|a| a.len.as_const().is_none_or(|n| n >= LONG))
}

/// Whether a single fold reads the array, directly or through maps and views of it alone, and nothing else does. Such an array is not
/// stored: the arrays of all rows together may not fit in memory. A scan or a sort stores its array anyway.
fn read_by_one_fold(kernel: &Kernel, body: &Block, v: VarId) -> bool {
    let mut readers = body.stmts.iter().filter(|s| uses::mentions(s, &|w| w == v));
    let (Some(reader), None) = (readers.next(), readers.next()) else { return false };
    let Rhs::Prim(call) = &reader.rhs else { return false };
    if body.result == Atom::Var(v) {
        return false;
    }
    let together = || matches!(work_of(kernel, reader), Work::Together(_));
    match call.prim {
        Prim::Reduce(_) => together(),
        Prim::Map(_) if together() => read_by_one_fold(kernel, body, reader.var),
        Prim::Join | Prim::Split | Prim::Transpose => read_by_one_fold(kernel, body, reader.var),
        _ => false,
    }
}

/// Whether a sequential fold is the only reader of the array, directly or through maps and views. Its work-item then
/// computes each element when it reads it.
fn read_by_one_loop(body: &Block, v: VarId) -> bool {
    let mut readers = body.stmts.iter().filter(|s| uses::mentions(s, &|w| w == v));
    let (Some(reader), None) = (readers.next(), readers.next()) else { return false };
    let Rhs::Prim(call) = &reader.rhs else { return false };
    match call.prim {
        Prim::Reduce(Level::Seq) => call.args.first() != Some(&Atom::Var(v)),
        Prim::Map(_) | Prim::Zip | Prim::Join | Prim::Split | Prim::Transpose => read_by_one_loop(body, reader.var),
        _ => false,
    }
}

/// The last piece on which a statement depends, if it depends on one. A statement in no piece counts as part of those that read
/// it: each piece repeats it.
fn last_piece(kernel: &Kernel, body: &Block, stmt: &Stmt, of: &FxHashMap<VarId, usize>) -> Option<usize> {
    let needs = |stmt: &Stmt| {
        let mut needs = FxHashSet::default();
        uses::variables(stmt, &mut needs);
        needs.extend(uses::openings(&kernel.vars, &body.stmts, stmt).map(|s| s.var));
        needs
    };
    let mut needed = needs(stmt);
    if !needed.iter().any(|v| of.contains_key(v)) {
        return None;
    }
    for earlier in body.stmts.iter().rev().skip_while(|s| s.var != stmt.var).skip(1) {
        if needed.contains(&earlier.var) && !of.contains_key(&earlier.var) {
            needed.extend(needs(earlier));
        }
    }
    needed.iter().filter_map(|v| of.get(v).copied()).max()
}
