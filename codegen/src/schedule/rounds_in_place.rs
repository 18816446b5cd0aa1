//! Finds loops at host level whose rounds change a part of their state in its memory.
//!
//! A round is several launches. The one of [`Prim::Update`], or of a map that updates all rows, writes only an element, a
//! row or a column, if the memory of the state has the other elements already. So no launch may read the old state after
//! it, as a view or in a function, and it may not read elements itself that other work-items write.

use super::flat::is_flat;
use super::free::is_free;
use super::in_place::{is_plain, leaves, updates};
use super::{bounds, fails, is_parallel, on_the_host, uses};
use crate::core::{Atom, Block, Kernel, Level, Prim, PrimCall, Rhs, Stmt, VarId};
use lift_analysis::ty::{Ty, TyKind};
use rustc_hash::{FxHashMap, FxHashSet};

/// The loops of a kernel whose rounds change a part of their state in its memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RoundsInPlace {
    /// For each such loop and leaf of its state: whether the leaf stays in its memory.
    pub loops: FxHashMap<VarId, Vec<bool>>,
    /// The statements that write a part of such a leaf.
    pub updates: FxHashSet<VarId>,
    /// New elements that are computed from the old state, so they are stored before.
    pub values: FxHashSet<VarId>,
}

impl RoundsInPlace {
    /// `lazy`: the arrays that are never stored; `None` before this is known.
    pub fn of(kernel: &Kernel, lazy: Option<&FxHashSet<VarId>>) -> RoundsInPlace {
        let mut found = RoundsInPlace::default();
        found.block(kernel, lazy, &kernel.body);
        found
    }

    fn block(&mut self, kernel: &Kernel, lazy: Option<&FxHashSet<VarId>>, block: &Block) {
        for stmt in &block.stmts {
            match &stmt.rhs {
                Rhs::If(_, a, b) => [a, b].into_iter().for_each(|inner| self.block(kernel, lazy, inner)),
                Rhs::Prim(call) if on_the_host(kernel, call) => {
                    call.funs.iter().for_each(|f| self.block(kernel, lazy, &f.body));
                    if let Some(round) = Round::of(kernel, lazy, call) {
                        self.add(stmt.var, round);
                    }
                }
                _ => {}
            }
        }
    }

    fn add(&mut self, stmt: VarId, round: Round) {
        let stays: Vec<bool> =
            (0..round.stays.len()).map(|l| round.stays[l] && round.writes.iter().any(|w| w.leaf == l)).collect();
        if !stays.contains(&true) {
            return;
        }
        for write in round.writes.iter().filter(|w| stays[w.leaf]) {
            self.updates.insert(write.stmt);
            self.values.extend(write.value);
        }
        self.loops.insert(stmt, stays);
    }
}

/// The structure of a state.
#[derive(Debug, Clone)]
enum Shape {
    Tuple(Vec<Shape>),
    Leaf(usize),
}

impl Shape {
    fn of(ty: &Ty, next: &mut usize) -> Shape {
        match ty.kind() {
            TyKind::Tuple(parts) => Shape::Tuple(parts.iter().map(|part| Shape::of(part, next)).collect()),
            _ => {
                *next += 1;
                Shape::Leaf(*next - 1)
            }
        }
    }
}

struct Write {
    leaf: usize,
    stmt: VarId,
    /// The new elements, if they are an array that must be stored.
    value: Option<VarId>,
}

/// The names for the contents of a leaf.
#[derive(Default, Clone)]
struct Names {
    /// The latest contents.
    now: FxHashSet<VarId>,
    /// Values that may read the latest contents when they are used.
    readers: FxHashSet<VarId>,
    /// Values that may read older contents.
    stale: FxHashSet<VarId>,
}

struct Round<'k> {
    kernel: &'k Kernel,
    lazy: Option<&'k FxHashSet<VarId>>,
    made: FxHashMap<VarId, &'k Rhs>,
    /// The state, its components and theirs.
    shapes: FxHashMap<VarId, Shape>,
    leaves: Vec<Names>,
    stays: Vec<bool>,
    writes: Vec<Write>,
}

/// An update of an array.
struct Update<'k> {
    xs: VarId,
    indices: Vec<&'k Atom>,
    value: &'k Atom,
    /// One work-item makes it, after it has read all that it needs.
    by_one: bool,
}

impl<'k> Round<'k> {
    fn of(kernel: &'k Kernel, lazy: Option<&'k FxHashSet<VarId>>, call: &'k PrimCall) -> Option<Round<'k>> {
        if !matches!(call.prim, Prim::Iterate | Prim::IterateWhile | Prim::Reduce(Level::Host)) {
            return None;
        }
        let (f, start) = (call.funs.last()?, call.args.first()?);
        let (state, one) = (*f.params.first()?, call.funs.len() == 1 || call.prim == Prim::IterateWhile);
        let ty = kernel.ty(state);
        if !one || !updates(&f.body) || bounds::hidden(&kernel.atom_ty(start)) > 0 || kernel.atom_ty(start) != *ty {
            return None;
        }
        let stays: Vec<bool> = leaves(ty).into_iter().map(is_plain).collect();
        let made = f.body.stmts.iter().map(|s| (s.var, &s.rhs)).collect();
        let leaves = vec![Names::default(); stays.len()];
        let mut round = Round { kernel, lazy, made, shapes: FxHashMap::default(), leaves, stays, writes: Vec::new() };
        round.named(state, &Shape::of(ty, &mut 0));
        f.body.stmts.iter().for_each(|stmt| round.stmt(stmt));
        let mut ends = vec![None; round.stays.len()];
        round.ends(&f.body.result, ty, &mut 0, &mut ends);
        for (leaf, end) in ends.iter().enumerate() {
            round.stays[leaf] &= end.is_some_and(|v| round.leaves[leaf].now.contains(&v));
        }
        round.read(&f.body.result);
        Some(round)
    }

    /// A variable is the state or a part of it.
    fn named(&mut self, v: VarId, shape: &Shape) {
        fn all(shape: &Shape, out: &mut Vec<usize>) {
            match shape {
                Shape::Tuple(parts) => parts.iter().for_each(|part| all(part, out)),
                Shape::Leaf(leaf) => out.push(*leaf),
            }
        }
        let mut parts = Vec::new();
        all(shape, &mut parts);
        for leaf in parts {
            self.leaves[leaf].readers.insert(v);
            // After an update these are the old contents.
            if self.writes.iter().any(|w| w.leaf == leaf) {
                self.leaves[leaf].stale.insert(v);
            }
        }
        if let Shape::Leaf(leaf) = shape {
            self.leaves[*leaf].now.insert(v);
        }
        self.shapes.insert(v, shape.clone());
    }

    /// The variables that are the leaves of the next state.
    fn ends(&self, result: &Atom, ty: &Ty, next: &mut usize, out: &mut [Option<VarId>]) {
        if let TyKind::Tuple(types) = ty.kind() {
            let parts = match result {
                Atom::Var(v) => match self.made.get(v) {
                    Some(Rhs::Tuple(parts)) if parts.len() == types.len() => Some(parts),
                    _ => None,
                },
                _ => None,
            };
            for (i, ty) in types.iter().enumerate() {
                match parts {
                    Some(parts) => self.ends(&parts[i], ty, next, out),
                    None => *next += leaves(ty).len(),
                }
            }
            return;
        }
        if let (Atom::Var(v), Some(end)) = (result, out.get_mut(*next)) {
            *end = Some(*v);
        }
        *next += 1;
    }

    /// Records a use of a value: leaves whose old contents it reads do not stay in their memory.
    fn read(&mut self, a: &Atom) {
        let Atom::Var(v) = a else { return };
        for (names, stays) in self.leaves.iter().zip(&mut self.stays) {
            *stays &= !names.stale.contains(v);
        }
    }

    fn stmt(&mut self, stmt: &'k Stmt) {
        let part = match &stmt.rhs {
            Rhs::Atom(Atom::Var(v)) => self.shapes.get(v).cloned(),
            Rhs::Proj(Atom::Var(v), i) => match self.shapes.get(v) {
                Some(Shape::Tuple(parts)) => parts.get(*i).cloned(),
                _ => None,
            },
            _ => None,
        };
        if let Some(part) = part {
            return self.named(stmt.var, &part);
        }
        for leaf in 0..self.leaves.len() {
            self.stays[leaf] &= !uses::mentions(stmt, &|v| self.leaves[leaf].stale.contains(&v));
        }
        if let Some(update) = self.update(stmt)
            && let Some(leaf) = self.leaves.iter().position(|names| names.now.contains(&update.xs))
            && self.write(stmt, leaf, &update)
        {
            return;
        }
        let stored = self.is_stored(stmt);
        let late = self.fails_late(stmt);
        for (names, stays) in self.leaves.iter_mut().zip(&mut self.stays) {
            if !stored && uses::mentions(stmt, &|v| names.readers.contains(&v)) {
                names.readers.insert(stmt.var);
                *stays &= !late;
            }
        }
    }

    /// Records that a statement writes a part of a leaf, if it may.
    fn write(&mut self, stmt: &Stmt, leaf: usize, update: &Update<'k>) -> bool {
        let names = &self.leaves[leaf];
        let reads = |a: &Atom| matches!(a, Atom::Var(v) if names.readers.contains(v));
        if !update.by_one && (reads(update.value) || update.indices.iter().any(|i| reads(i))) {
            return false;
        }
        let value = match update.value {
            Atom::Var(v) if !update.by_one && self.depends(*v, leaf) => Some(*v),
            _ => None,
        };
        self.writes.push(Write { leaf, stmt: stmt.var, value });
        let names = &mut self.leaves[leaf];
        let old = std::mem::take(&mut names.readers);
        names.stale.extend(old);
        names.now = FxHashSet::from_iter([stmt.var]);
        names.readers = names.now.clone();
        true
    }

    /// Whether the statement that makes an array reads a leaf.
    fn depends(&self, v: VarId, leaf: usize) -> bool {
        let names = &self.leaves[leaf];
        self.made.get(&v).is_some_and(|rhs| {
            let inside = |block: &Block| block.stmts.iter().any(|s| uses::mentions(s, &|v| names.readers.contains(&v)));
            let atom = |a: &Atom| matches!(a, Atom::Var(v) if names.readers.contains(v));
            rhs.operands().iter().any(atom) || rhs.blocks().into_iter().any(inside)
        })
    }

    fn update(&self, stmt: &'k Stmt) -> Option<Update<'k>> {
        let Rhs::Prim(call) = &stmt.rhs else { return None };
        match (call.prim, call.args.as_slice()) {
            (Prim::Update, [Atom::Var(xs), indices @ .., value]) => {
                let same = self.kernel.ty(*xs) == self.kernel.ty(stmt.var);
                let by_one = is_flat(&self.kernel.atom_ty(value));
                same.then(|| Update { xs: *xs, indices: indices.iter().collect(), value, by_one })
            }
            (Prim::Map(level), [Atom::Var(zipped)]) if level == Level::Auto || is_parallel(level) => {
                let Rhs::Prim(PrimCall { prim: Prim::Zip, args, .. }) = self.made.get(zipped)? else { return None };
                let [Atom::Var(xs), value] = args.as_slice() else { return None };
                let mut indices = Vec::new();
                let same = self.kernel.ty(*xs) == self.kernel.ty(stmt.var);
                (same && of_each(call, &mut indices)).then_some(Update { xs: *xs, indices, value, by_one: false })
            }
            _ => None,
        }
    }

    /// Whether the array is computed by the launches of its own statement.
    fn is_stored(&self, stmt: &Stmt) -> bool {
        let Rhs::Prim(call) = &stmt.rhs else { return false };
        if self.lazy.is_some_and(|lazy| lazy.contains(&stmt.var)) || is_free(&stmt.rhs) {
            return false;
        }
        match call.prim {
            Prim::Map(level)
            | Prim::Filter(level)
            | Prim::Reduce(level)
            | Prim::Scan(level)
            | Prim::ScanExcl(level)
            | Prim::ReduceByKey(level) => match level {
                Level::Auto => self.lazy.is_none(),
                level => is_parallel(level),
            },
            Prim::Sort | Prim::Argsort | Prim::Scatter => true,
            _ => false,
        }
    }

    /// Whether a check of the statement may run after the round has changed what it reads.
    fn fails_late(&self, stmt: &Stmt) -> bool {
        let reads = |a: &Atom| matches!(a, Atom::Var(v) if self.leaves.iter().any(|names| names.readers.contains(v)));
        match &stmt.rhs {
            Rhs::Prim(PrimCall { prim: Prim::Head | Prim::Last | Prim::Aref, args, .. }) => {
                args.iter().skip(1).any(reads)
            }
            Rhs::Prim(PrimCall { prim: Prim::Iota | Prim::Generate | Prim::Fill, sizes, .. }) if sizes.is_empty() => {
                true
            }
            Rhs::Unpack(_) => true,
            rhs => is_flat(self.kernel.ty(stmt.var)) && fails::rhs_may_fail(&self.kernel.vars, rhs),
        }
    }
}

/// Whether a map over pairs of a row and a new element puts each element into its row.
fn of_each<'k>(call: &'k PrimCall, indices: &mut Vec<&'k Atom>) -> bool {
    let [f] = call.funs.as_slice() else { return false };
    let ([pair], None) = (f.params.as_slice(), &f.position) else { return false };
    let (mut own, mut both) = (FxHashMap::from_iter([(*pair, None)]), FxHashSet::default());
    let part = |own: &FxHashMap<VarId, Option<usize>>, a: &Atom| match a {
        Atom::Var(v) => own.get(v).copied().flatten(),
        _ => None,
    };
    let outside = |own: &FxHashMap<VarId, Option<usize>>, a: &Atom| !matches!(a, Atom::Var(v) if own.contains_key(v));
    let (mut result, mut found) = (None, Vec::new());
    for stmt in &f.body.stmts {
        match &stmt.rhs {
            Rhs::Proj(a, i) if *a == Atom::Var(*pair) => {
                own.insert(stmt.var, Some(*i));
                continue;
            }
            Rhs::Prim(PrimCall { prim: Prim::Zip, args, .. })
                if args.len() == 2 && part(&own, &args[0]) == Some(0) && part(&own, &args[1]) == Some(1) =>
            {
                both.insert(stmt.var);
            }
            Rhs::Prim(PrimCall { prim: Prim::Update, args, .. }) => {
                let [row, at @ .., value] = args.as_slice() else { return false };
                if part(&own, row) != Some(0) || part(&own, value) != Some(1) || !at.iter().all(|a| outside(&own, a)) {
                    return false;
                }
                found.extend(at);
                result = Some(stmt.var);
            }
            Rhs::Prim(inner) if matches!(inner.prim, Prim::Map(_)) => {
                let over = matches!(inner.args.as_slice(), [Atom::Var(v)] if both.contains(v));
                if !over || !of_each(inner, &mut found) || !found.iter().all(|a| outside(&own, a)) {
                    return false;
                }
                result = Some(stmt.var);
            }
            _ => return false,
        }
        own.insert(stmt.var, None);
    }
    indices.extend(found);
    result.is_some_and(|v| f.body.result == Atom::Var(v))
}
