//! Decides how a group keeps a row between two parallel operators: in registers, in local memory, or by computing it
//! again.

use super::flat::is_flat;
use super::nested::{Work, rounds_of, work_of};
use super::uses;
use crate::core::copy::{Copier, Lengths};
use crate::core::simplify::rename;
use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, Stmt, VarId, VarInfo};
use lift_analysis::hir::Scalar;
use lift_analysis::size::Size;
use lift_analysis::ty::{Ty, TyKind};
use rustc_hash::FxHashSet;

/// Values that one work-item combines in one step of a group's fold.
pub const RADIX: i64 = 16;
/// Bytes of local memory for a tile that is scanned, without padding. A function with several scans may have smaller ones.
pub const SCAN_TILE: i64 = 16 * 1024;
const SMALLEST_SCAN_TILE: i64 = SCAN_TILE / 4;
/// Bytes of local memory for the table of a row that is folded by key.
pub const KEY_TABLE: i64 = 16 * 1024;
/// Values in local memory for every [`RADIX`] work-items that combine theirs.
const COMBINED: i64 = RADIX + 1;
/// Maximum words of a row that a work-item keeps in registers.
const MOST_WORDS: u64 = 64;
/// Minimum elements of a row per work-item for which registers pay.
const FEWEST: u32 = 4;
/// Bytes of local memory to reorder rows for an operator that keeps the order: less than every device has, beside what else
/// a group needs.
pub const TILE_BYTES: u64 = 20 * 1024;
/// Maximum work-items of a group that shares rows in registers.
const MOST_ITEMS: u64 = 256;
/// Maximum statements of a function that is computed again for each reader.
const COMPUTED_AGAIN: usize = 16;

/// The local memory that a group needs for the elements of a function.
pub struct LocalMemory {
    /// Arrays that several operators read: input rows and intermediate results.
    pub kept: Vec<VarId>,
    /// Bytes for these arrays, and for sorting.
    pub bytes: Size,
    /// Bytes to combine the values of work-items, in folds and scans.
    combined: i64,
    /// Bytes for tables.
    tables: i64,
    /// For each scan the bytes of an element.
    scans: Vec<i64>,
}

impl LocalMemory {
    pub fn of(kernel: &Kernel, f: &Lambda, own: bool, group: u32) -> LocalMemory {
        let uses = uses::count(kernel);
        // An operator that keeps the order reads contiguous chunks that are far apart.
        let ordered = f.body.stmts.iter().any(|s| match &s.rhs {
            Rhs::Prim(call) => matches!(call.prim, Prim::Reduce(_)) && !call.funs[0].is_commutative(kernel),
            _ => false,
        });
        let by_key =
            f.body.stmts.iter().any(|s| matches!(&s.rhs, Rhs::Prim(call) if matches!(call.prim, Prim::ReduceByKey(_))));
        // Keys and elements of one fold by key are read at the same time.
        let several = |v: VarId| {
            let picks = f.body.stmts.iter().filter(|s| picks_element(s, v)).count();
            uses.get(&v).is_some_and(|u| u.count > 1 + picks) && !(by_key && readers(f, v) == 1)
        };
        // Arrays that each iteration of a loop reads again.
        let mut again = FxHashSet::default();
        for round in f.body.stmts.iter().filter_map(|s| rounds_of(kernel, s)).flat_map(|call| &call.funs) {
            round.body.stmts.iter().for_each(|s| uses::variables(s, &mut again));
        }
        let several = |v: VarId| several(v) || again.contains(&v);
        let kept_row = |v: VarId| own && (several(v) || ordered);
        let mut memory =
            LocalMemory { kept: Vec::new(), bytes: Size::zero(), combined: 0, tables: 0, scans: Vec::new() };
        let mut rows: Vec<VarId> = f.params.clone();
        let mut candidates: Vec<VarId> = f.params.iter().copied().filter(|v| kept_row(*v)).collect();
        for stmt in &f.body.stmts {
            let v = stmt.var;
            let call = match &stmt.rhs {
                Rhs::Proj(Atom::Var(of), _) if rows.contains(of) => {
                    rows.push(v);
                    candidates.extend(kept_row(v).then_some(v));
                    continue;
                }
                Rhs::Prim(call) if matches!(work_of(kernel, stmt), Work::Together(_)) => call,
                // In a round, each element is the work of one work-item, and others read it.
                Rhs::Prim(_) if work_of(kernel, stmt) == Work::Nest => {
                    candidates.extend((several(v) || uses.get(&v).is_some_and(|u| u.in_loop)).then_some(v));
                    continue;
                }
                _ => continue,
            };
            if rounds_of(kernel, stmt).is_some() {
                memory.add_rounds(kernel, call, group);
                continue;
            }
            let value = |a: &Atom| bytes_of(&kernel.atom_ty(a)).unwrap_or(0) as i64;
            match call.prim {
                Prim::Reduce(_) => memory.combined += value(&call.args[0]) * COMBINED * i64::from(group) / 16,
                Prim::Scan(_) | Prim::ScanExcl(_) => {
                    memory.combined += value(&call.args[0]) * COMBINED * i64::from(group) / 16;
                    memory.scans.push(value(&call.args[0]));
                }
                Prim::ReduceByKey(_) => memory.tables += KEY_TABLE,
                Prim::Sort | Prim::Argsort => {
                    let element = kernel.atom_ty(&call.args[0]);
                    let Some(array) = element.as_array() else { continue };
                    let position = if call.prim == Prim::Sort { 0 } else { Scalar::Int.bytes() };
                    let bytes = bytes_of(&array.element).unwrap_or(8) + position;
                    memory.bytes = memory.bytes.add(&array.len.mul(&Size::nat(2 * bytes)));
                }
                _ => {}
            }
            // The neighbours of an element would each compute it again.
            let several = |v: VarId| several(v) || f.body.stmts.iter().any(|s| reads_neighbours(s, v));
            // An array that is not computed where it is read is stored once.
            let is_result = f.body.result == Atom::Var(v);
            let stored = !matches!(call.prim, Prim::Map(_) | Prim::Reduce(_)) && !is_result;
            candidates.extend((stored || !matches!(call.prim, Prim::Reduce(_)) && several(v)).then_some(v));
        }
        for v in candidates {
            let ty = kernel.ty(v);
            if let Some(array) = ty.as_array().filter(|a| a.position.is_none() && is_flat(&a.element))
                && let Some(element) = bytes_of(&array.element)
            {
                memory.bytes = memory.bytes.add(&array.len.mul(&Size::nat(element)));
                memory.kept.push(v);
            }
        }
        memory
    }

    /// Adds the memory of a loop: its states, and what one round needs.
    fn add_rounds(&mut self, kernel: &Kernel, call: &PrimCall, group: u32) {
        // One state is read, and the next one is written; those of a scan are its result.
        if !matches!(call.prim, Prim::Scan(_) | Prim::ScanExcl(_)) {
            let state = bytes_of_state(&kernel.atom_ty(&call.args[0]));
            self.bytes = self.bytes.add(&state.mul(&Size::nat(2)));
        }
        for round in &call.funs {
            let inside = LocalMemory::of(kernel, round, false, group);
            self.bytes = self.bytes.add(&inside.bytes);
            self.combined += inside.combined;
            self.tables += inside.tables;
            self.scans.extend(inside.scans);
            self.kept.extend(inside.kept);
        }
    }
}

impl LocalMemory {
    /// The bytes of a tile that is scanned, and those that folds, scans and tables of a group of `items` work-items for
    /// `rows` rows take besides [`LocalMemory::bytes`], if that is at most `most`.
    pub fn fixed(&self, items: u32, rows: u32, most: i64) -> Option<(i64, i64)> {
        let group = i64::from(items) * i64::from(rows);
        let least = self.scans.iter().max().map_or(0, |bytes| bytes * group);
        let mut tile = SCAN_TILE;
        loop {
            let tiles = self.scans.len() as i64 * (tile + tile / 8);
            let fixed = (self.combined + self.tables) * i64::from(rows) + tiles;
            if fixed <= most {
                return Some((tile, fixed));
            }
            tile /= 2;
            if tile < least.max(SMALLEST_SCAN_TILE) {
                return None;
            }
        }
    }
}

/// Whether a statement reads an element of an array together with its neighbours.
fn reads_neighbours(stmt: &Stmt, v: VarId) -> bool {
    matches!(&stmt.rhs, Rhs::Prim(call) if call.prim == Prim::Slide && call.args.contains(&Atom::Var(v)))
}

/// The bytes of arrays and scalars.
fn bytes_of_state(ty: &Ty) -> Size {
    match ty.kind() {
        TyKind::Tuple(parts) => parts.iter().fold(Size::zero(), |all, part| all.add(&bytes_of_state(part))),
        _ => match ty.as_array() {
            Some(array) => array.len.mul(&bytes_of_state(&array.element)),
            None => Size::nat(bytes_of(ty).unwrap_or(8)),
        },
    }
}

/// Whether a statement reads a single element of an array from the array's memory.
pub fn picks_element(stmt: &Stmt, v: VarId) -> bool {
    matches!(&stmt.rhs, Rhs::Prim(PrimCall { prim: Prim::Aref | Prim::Head | Prim::Last, args, .. })
        if args.first() == Some(&Atom::Var(v)))
}

/// The number of operators that read an array, directly or through maps and views.
fn readers(f: &Lambda, v: VarId) -> usize {
    let mut derived = FxHashSet::from_iter([v]);
    let mut found = 0;
    for stmt in &f.body.stmts {
        if !uses::mentions(stmt, &|v| derived.contains(&v)) {
            continue;
        }
        match &stmt.rhs {
            Rhs::Prim(call) if !matches!(call.prim, Prim::Map(_)) && !call.prim.is_view() => found += 1,
            _ => {
                derived.insert(stmt.var);
            }
        }
    }
    found + usize::from(matches!(f.body.result, Atom::Var(v) if derived.contains(&v)))
}

/// The bytes of a scalar, or of a tuple of scalars.
pub fn bytes_of(ty: &Ty) -> Option<u64> {
    match ty.kind() {
        TyKind::Scalar(s) => Some(s.bytes()),
        TyKind::Tuple(parts) => parts.iter().map(bytes_of).sum(),
        _ => None,
    }
}

/// The elements of a row that each work-item can keep in registers; `None` if it cannot. Every kept element must be
/// read only by the work-item that made it, and all operators must go over rows of one length. An operator that keeps
/// the order reorders one row at a time through local memory.
pub fn in_registers(kernel: &Kernel, f: &Lambda, kept: &[VarId], row: &Size) -> Option<u32> {
    // In a loop, a work-item may read what another one made in the round before.
    if f.body.stmts.iter().any(|s| rounds_of(kernel, s).is_some()) {
        return None;
    }
    let mut own: FxHashSet<VarId> =
        kept.iter().copied().filter(|v| !f.body.stmts.iter().any(|s| s.var == *v)).collect();
    let is_result = |v: VarId| f.body.result == Atom::Var(v);
    let given =
        |v: VarId| kept.contains(&v) && !f.body.stmts.iter().any(|s| s.var == v && !matches!(s.rhs, Rhs::Proj(..)));
    let mut ordered = 0;
    for stmt in &f.body.stmts {
        if kept.iter().any(|v| given(*v) && picks_element(stmt, *v)) {
            continue;
        }
        let mentions = |b: &dyn Fn(VarId) -> bool| uses::mentions(stmt, b);
        let reads = mentions(&|v| own.contains(&v));
        let call = match &stmt.rhs {
            Rhs::Prim(call) => Some(call),
            _ => None,
        };
        let together = match work_of(kernel, stmt) {
            Work::Together(len) if len == *row => true,
            Work::Item => false,
            _ => return None,
        };
        let functions = || {
            let inside = |g: &Lambda| g.body.stmts.iter().any(|s| uses::mentions(s, &|v| own.contains(&v)));
            call.is_some_and(|c| c.funs.iter().any(inside))
        };
        let is_own = |a: &Atom| matches!(a, Atom::Var(v) if own.contains(v));
        match (together, call) {
            (true, Some(PrimCall { prim: Prim::Map(_), .. })) if !functions() => {
                if reads || kept.contains(&stmt.var) {
                    own.insert(stmt.var);
                }
            }
            (true, Some(PrimCall { prim, args, funs, .. }))
                if matches!(prim, Prim::Reduce(_) | Prim::Scan(_) | Prim::ScanExcl(_))
                    && !is_own(&args[0])
                    && !functions() =>
            {
                if !matches!(prim, Prim::Reduce(_)) || !funs[0].is_commutative(kernel) {
                    ordered += bytes_of(&kernel.atom_ty(&args[0]))?;
                }
            }
            (true, _) => return None,
            (false, Some(PrimCall { prim: Prim::Zip | Prim::Unzip, .. })) if reads => {
                own.insert(stmt.var);
            }
            (false, None) if reads && matches!(&stmt.rhs, Rhs::Tuple(_) | Rhs::Proj(..) | Rhs::Atom(_)) => {
                own.insert(stmt.var);
            }
            // A view of the result is written as the result is made.
            (false, Some(PrimCall { prim: Prim::Split | Prim::Join, args, .. }))
                if is_result(stmt.var) && args.iter().all(|a| matches!(a, Atom::Var(v) if !kept.contains(v))) => {}
            (false, _) if reads || kept.contains(&stmt.var) && !matches!(&stmt.rhs, Rhs::Proj(..)) => return None,
            (false, _) => {}
        }
        if kept.contains(&stmt.var) {
            own.insert(stmt.var);
        }
    }
    let made = |v: VarId| f.body.stmts.iter().any(|s| s.var == v && work_of(kernel, s) == Work::Together(row.clone()));
    if own.iter().any(|v| is_result(*v) && !kept.contains(v) && !made(*v)) {
        return None;
    }
    let words = |v: &VarId| kernel.ty(*v).as_array().and_then(|a| bytes_of(&a.element)).map(|b| b.div_ceil(4));
    let words = kept.iter().map(words).sum::<Option<u64>>()?;
    let most = MOST_WORDS.checked_div(words).unwrap_or(MOST_WORDS);
    let in_tile = TILE_BYTES.checked_div(ordered * MOST_ITEMS).map_or(most, |n| n.saturating_sub(1));
    let most = most.min(if in_tile < most { in_tile / 4 * 4 } else { most });
    u32::try_from(most).ok().filter(|most| *most >= FEWEST)
}

/// Whether an array is made by a map of a function so short that each reader may compute its elements.
pub fn is_short_map(f: &Lambda, made: &Stmt) -> bool {
    let scalar = |s: &Stmt| matches!(&s.rhs, Rhs::Atom(_) | Rhs::Scalar(..) | Rhs::Tuple(_) | Rhs::Proj(..));
    let Rhs::Prim(call @ PrimCall { prim: Prim::Map(Level::Auto | Level::Lcl(_)), .. }) = &made.rhs else {
        return false;
    };
    let body = &call.funs[0].body;
    body.stmts.len() <= COMPUTED_AGAIN && body.stmts.iter().all(scalar) && f.body.result != Atom::Var(made.var)
}

/// Duplicates short functions whose results several operators read but no memory keeps: cheaper than global memory.
pub fn compute_again(vars: &mut Vec<VarInfo>, lengths: &mut Lengths, f: &mut Lambda) {
    let mut at = 0;
    while at < f.body.stmts.len() {
        let stmt = f.body.stmts[at].clone();
        at += 1;
        if !is_short_map(f, &stmt) {
            continue;
        }
        let is_it = |v: VarId| v == stmt.var;
        let readers: Vec<usize> =
            (at..f.body.stmts.len()).filter(|i| uses::mentions(&f.body.stmts[*i], &is_it)).collect();
        for reader in readers.into_iter().skip(1).rev() {
            let copy = Copier::new(vars, lengths).stmt(&stmt);
            let new = copy.var;
            let mut alone = Block { stmts: vec![f.body.stmts[reader].clone()], result: f.body.result.clone() };
            rename(&mut alone, &|v| {
                if *v == stmt.var {
                    *v = new;
                }
            });
            f.body.stmts.splice(reader..=reader, [vec![copy], alone.stmts].concat());
        }
    }
}
