//! Placement: chooses where unplaced primitives run.
//!
//! At the top of a kernel the whole device takes part; inside a function that already runs in parallel, one work-item
//! does. An unplaced `map` around placed ones takes a dimension that they leave free.

use super::flat::is_flat;
use super::free::{are_brief, is_cheap};
use super::nest;
use super::nested::is_known;
use super::rules::{self, Rule};
use super::{Applied, is_parallel, on_the_host};
use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, Stmt, VarId};
use crate::target::{Class, Target};
use lift_analysis::origin::Origin;
use lift_analysis::parameters::Parameter;
use lift_analysis::size::Size;
use lift_analysis::ty::{ArrayTy, Ty};
use rustc_hash::FxHashSet;

/// Maximum number of segments: conditions tell them apart, and the loop over them is unrolled.
pub const FEW_PIECES: i64 = 8;

pub fn place(kernel: &Kernel, target: &Target, applied: &mut Vec<Applied>) -> Kernel {
    let mut placed = kernel.clone();
    super::demote::demote(kernel, &mut placed.body, applied);
    let mut placer = Placer { kernel, target, pieces: few_pieces(kernel), applied };
    placer.block(&mut placed.body, true);
    placed
}

/// The levels of all primitives in a block, including those in its functions.
pub fn block_levels(block: &Block) -> Vec<Level> {
    let mut out = Vec::new();
    collect(block, &mut out);
    out
}

pub fn stmt_levels(stmt: &Stmt) -> Vec<Level> {
    let mut out = Vec::new();
    collect_rhs(&stmt.rhs, &mut out);
    out
}

fn collect(block: &Block, out: &mut Vec<Level>) {
    for stmt in &block.stmts {
        collect_rhs(&stmt.rhs, out);
    }
}

fn collect_rhs(rhs: &Rhs, out: &mut Vec<Level>) {
    match rhs {
        Rhs::If(_, a, b) => {
            collect(a, out);
            collect(b, out);
        }
        Rhs::Prim(call) => {
            out.extend(level_of(call.prim));
            for f in &call.funs {
                collect(&f.body, out);
            }
        }
        _ => {}
    }
}

pub fn level_of(prim: Prim) -> Option<Level> {
    match prim {
        Prim::ReduceByKey(l) | Prim::Map(l) | Prim::Reduce(l) | Prim::Scan(l) | Prim::ScanExcl(l) | Prim::Filter(l) => {
            Some(l)
        }
        _ => None,
    }
}

struct Placer<'a> {
    kernel: &'a Kernel,
    target: &'a Target,
    pieces: FxHashSet<VarId>,
    applied: &'a mut Vec<Applied>,
}

/// The variables of `partition`s into at most [`FEW_PIECES`] segments.
fn few_pieces(kernel: &Kernel) -> FxHashSet<VarId> {
    let mut found = FxHashSet::default();
    kernel.body.visit(&mut |stmt| {
        if let Rhs::Prim(call) = &stmt.rhs
            && call.prim == Prim::Partition
            && call.sizes.first().and_then(Size::as_const).is_some_and(|n| n <= FEW_PIECES)
        {
            found.insert(stmt.var);
        }
    });
    found
}

impl Placer<'_> {
    /// The target with the settings around a statement.
    fn target_at(&self, origin: &Origin) -> Target {
        origin.settings.as_deref().map_or(*self.target, |settings| self.target.written(settings))
    }

    fn block(&mut self, block: &mut Block, device: bool) {
        let short = if device { self.short_rows(block) } else { FxHashSet::default() };
        for stmt in &mut block.stmts {
            if short.contains(&stmt.var)
                && let Rhs::Prim(call) = &mut stmt.rhs
            {
                call.prim = Prim::Map(Level::Glb(0));
                self.applied.push(Applied { rule: &rules::MAP_GLB, origin: stmt.origin.clone() });
                call.funs.iter_mut().for_each(|f| self.block(&mut f.body, false));
                continue;
            }
            self.stmt(stmt, device);
        }
    }

    /// The maps that make short rows for a single other map. That map may compute them itself, because on a GPU a row
    /// is the work of one work-item.
    fn short_rows(&self, block: &Block) -> FxHashSet<VarId> {
        let is_short = |s: &&Stmt| {
            let rows = self.kernel.ty(s.var).as_array().and_then(|a| a.element.as_array());
            let most = i64::from(self.target_at(&s.origin).get(Parameter::RowsShort));
            let few = |a: &ArrayTy| is_flat(&a.element) && a.len.as_const().is_some_and(|n| n <= most);
            is_unplaced_map(s) && rows.is_some_and(few) && is_read_by_a_map(block, s)
        };
        match self.target.class {
            Class::Gpu => block.stmts.iter().filter(is_short).map(|s| s.var).collect(),
            _ => FxHashSet::default(),
        }
    }

    fn stmt(&mut self, stmt: &mut Stmt, device: bool) {
        let origin = stmt.origin.clone();
        match &mut stmt.rhs {
            Rhs::If(_, a, b) => {
                self.block(a, device);
                self.block(b, device);
            }
            Rhs::Prim(call) => {
                let pieces = device && call.prim == Prim::Map(Level::Auto) && self.goes_over_pieces(call);
                let placed = match device {
                    true if pieces => Some((Prim::Map(Level::Seq), &rules::MAP_PIECES)),
                    true => self.at_the_top(call, &origin),
                    false => inside(self.kernel, call),
                };
                if let Some((prim, rule)) = placed {
                    call.prim = prim;
                    self.applied.push(Applied { rule, origin: origin.clone() });
                }
                if pieces {
                    call.funs.iter_mut().for_each(|f| self.piece(&mut f.body));
                    return;
                }
                // The iterations of a host loop run one after the other.
                let rounds = device && on_the_host(self.kernel, call);
                if rounds && call.prim == Prim::IterateWhile {
                    self.applied.push(Applied { rule: &rules::ITERATE_WHILE_HOST, origin });
                }
                for f in &mut call.funs {
                    self.block(&mut f.body, rounds);
                }
            }
            _ => {}
        }
    }

    /// Whether a function does little but reduce its own row, whose length is unknown at compile time.
    fn reduces_rows(&self, f: &Lambda) -> bool {
        let mut reductions = 0;
        let own = own_arrays(f);
        let all_fit = f.body.stmts.iter().all(|stmt| match &stmt.rhs {
            Rhs::Prim(call) => match call.prim {
                Prim::Reduce(Level::Auto) => {
                    reductions += 1;
                    let row = call
                        .args
                        .get(1)
                        .filter(|xs| matches!(xs, Atom::Var(v) if own.contains(v)))
                        .map(|xs| self.kernel.atom_ty(xs));
                    row.as_ref()
                        .and_then(Ty::as_array)
                        .is_some_and(|row| is_flat(&row.element) && row.len.as_const().is_none())
                }
                Prim::Map(Level::Auto) => {
                    let readers = f.body.stmts.iter().filter(|s| super::uses::mentions(s, &|v| v == stmt.var));
                    let once = readers.count() == 1;
                    call.funs.iter().all(|f| is_cheap(&f.body) || (once && are_brief(&f.body.stmts)))
                }
                Prim::Head => true,
                prim => prim.is_view() && block_levels_of(call).is_empty(),
            },
            rhs => !matches!(rhs, Rhs::If(..)),
        });
        all_fit && reductions == 1
    }

    /// Whether there are enough rows to give each thread of a CPU whole rows.
    fn has_rows_for_threads(&self, call: &PrimCall, origin: &Origin) -> bool {
        let rows = call.args.first().map(|xs| self.kernel.atom_ty(xs));
        let few = i64::from(self.target.compute_units) * i64::from(self.target_at(origin).get(Parameter::RowsThread));
        let many = |rows: &Ty| rows.as_array().is_some_and(|a| a.len.as_const().is_none_or(|n| n >= few));
        self.target.class == Class::Cpu && rows.as_ref().is_some_and(many)
    }

    /// Whether it is a `map` over few segments of a `partition`, each of which uses all work-items.
    fn goes_over_pieces(&self, call: &PrimCall) -> bool {
        let few = matches!(call.args.first(), Some(Atom::Var(pieces)) if self.pieces.contains(pieces));
        let body = &call.funs[0].body;
        few && body.stmts.iter().any(|s| is_unplaced_map(s) && body.result == Atom::Var(s.var))
    }

    /// Places one segment: the whole device computes the `map` that makes its result.
    fn piece(&mut self, block: &mut Block) {
        for stmt in &mut block.stmts {
            let top = is_unplaced_map(stmt) && block.result == Atom::Var(stmt.var);
            let origin = stmt.origin.clone();
            if let (true, Rhs::Prim(call)) = (top, &mut stmt.rhs)
                && let Some((prim, rule)) = self.at_the_top(call, &origin)
            {
                call.prim = prim;
                self.applied.push(Applied { rule, origin });
                call.funs.iter_mut().for_each(|f| self.block(&mut f.body, false));
            } else {
                self.stmt(stmt, false);
            }
        }
    }

    /// Places perfectly nested maps: three of them have a dimension of the grid each. On a GPU these are the innermost,
    /// and the maps around them are loops, which are joined with those over the grid ([`crate::lower`]).
    fn nest(&mut self, call: &mut PrimCall) -> (Prim, &'static Rule) {
        let mut depth = 1;
        let mut f = &call.funs[0];
        while is_perfect_nest(self.kernel, f)
            && let Some(at) = nest::returned(f)
            && let Rhs::Prim(next) = &f.body.stmts[at].rhs
        {
            (depth, f) = (depth + 1, &next.funs[0]);
        }
        let loops = if self.target.class == Class::Gpu { depth - depth.min(3) } else { 0 };
        let grid = depth.min(3);
        let mut next = Some(&mut call.funs[0]);
        for at in 1..loops + grid {
            let Some(inner) = next.take().and_then(|f| perfect_nest(self.kernel, f)) else { break };
            inner.prim = Prim::Map(if at < loops { Level::Seq } else { Level::Glb((loops + grid - 1 - at) as u8) });
            next = inner.funs.first_mut();
        }
        let rule = if grid == 3 { &rules::MAP_MAP_MAP_GLB } else { &rules::MAP_MAP_GLB };
        if loops == 0 {
            return (Prim::Map(Level::Glb((grid - 1) as u8)), rule);
        }
        self.applied.push(Applied { rule, origin: call.funs[0].origin.clone() });
        (Prim::Map(Level::Seq), &rules::MAP_SEQ)
    }

    fn at_the_top(&mut self, call: &mut PrimCall, origin: &Origin) -> Option<(Prim, &'static Rule)> {
        let element_is_flat = |i: usize| {
            let ty = self.kernel.atom_ty(call.args.get(i)?);
            Some(ty.as_array().is_some_and(|a| is_flat(&a.element)))
        };
        Some(match call.prim {
            Prim::Map(Level::Auto) if self.target.class == Class::Gpu && self.reduces_rows(&call.funs[0]) => {
                for stmt in &mut call.funs[0].body.stmts {
                    if let Rhs::Prim(inner) = &mut stmt.rhs
                        && inner.prim == Prim::Reduce(Level::Auto)
                    {
                        inner.prim = Prim::Reduce(Level::Lcl(0));
                        self.applied.push(Applied { rule: &rules::REDUCE_GROUP, origin: stmt.origin.clone() });
                    }
                }
                (Prim::Map(Level::Wrg(0)), &rules::MAP_REDUCE_WRG)
            }
            Prim::Map(Level::Auto) => {
                let (level, rule) = map_level(self.kernel, &call.funs[0]);
                if *rule == rules::MAP_MAP_GLB && self.has_rows_for_threads(call, origin) {
                    return Some((Prim::Map(Level::Glb(0)), &rules::MAP_ROWS));
                }
                if *rule == rules::MAP_MAP_GLB && perfect_nest(self.kernel, &mut call.funs[0]).is_some() {
                    return Some(self.nest(call));
                }
                (Prim::Map(level), rule)
            }
            Prim::Reduce(Level::Auto) => match element_is_flat(1) {
                Some(true) => (Prim::Reduce(Level::Glb(0)), &rules::REDUCE_PARTS),
                _ => (Prim::Reduce(Level::Seq), &rules::REDUCE_SEQ),
            },
            Prim::Scan(Level::Auto) => match element_is_flat(1) {
                Some(true) => (Prim::Scan(Level::Glb(0)), &rules::SCAN_CHUNKS),
                _ => (Prim::Scan(Level::Seq), &rules::SCAN_SEQ),
            },
            Prim::ScanExcl(Level::Auto) => match element_is_flat(1) {
                Some(true) => (Prim::ScanExcl(Level::Glb(0)), &rules::SCAN_CHUNKS),
                _ => (Prim::ScanExcl(Level::Seq), &rules::SCAN_SEQ),
            },
            Prim::Filter(Level::Auto) => (Prim::Filter(Level::Glb(0)), &rules::FILTER_GLB),
            _ => return None,
        })
    }
}

fn is_unplaced_map(stmt: &Stmt) -> bool {
    matches!(&stmt.rhs, Rhs::Prim(call) if call.prim == Prim::Map(Level::Auto))
}

fn block_levels_of(call: &PrimCall) -> Vec<Level> {
    call.funs.iter().flat_map(|f| block_levels(&f.body)).collect()
}

/// Placement inside a function, where one work-item runs everything.
fn inside(kernel: &Kernel, call: &PrimCall) -> Option<(Prim, &'static Rule)> {
    Some(match call.prim {
        Prim::Map(Level::Auto) => match map_level(kernel, &call.funs[0]) {
            (_, rule) if *rule == rules::MAP_GLB || *rule == rules::MAP_MAP_GLB => {
                (Prim::Map(Level::Seq), &rules::MAP_SEQ)
            }
            (level, rule) => (Prim::Map(level), rule),
        },
        Prim::Reduce(Level::Auto) => (Prim::Reduce(Level::Seq), &rules::REDUCE_SEQ),
        Prim::Scan(Level::Auto) => (Prim::Scan(Level::Seq), &rules::SCAN_SEQ),
        Prim::ScanExcl(Level::Auto) => (Prim::ScanExcl(Level::Seq), &rules::SCAN_SEQ),
        Prim::Filter(Level::Auto) => (Prim::Filter(Level::Seq), &rules::FILTER_SEQ),
        Prim::ReduceByKey(Level::Auto) => (Prim::ReduceByKey(Level::Seq), &rules::REDUCE_SEQ),
        _ => return None,
    })
}

/// The level of an unplaced `map` of this function at the top of a kernel.
fn map_level(kernel: &Kernel, f: &Lambda) -> (Level, &'static Rule) {
    let levels = block_levels(&f.body);
    let free = |of: fn(u8) -> Level| (0..3u8).find(|d| !levels.contains(&of(*d)));
    if levels.iter().any(|l| matches!(l, Level::Lcl(_))) && !levels.iter().any(|l| matches!(l, Level::Wrg(_))) {
        let d = (0..3u8).find(|d| levels.contains(&Level::Lcl(*d))).unwrap_or(0);
        return (Level::Wrg(d), &rules::MAP_WRG);
    }
    if levels.iter().any(|l| matches!(l, Level::Wrg(_))) {
        return match free(Level::Wrg) {
            Some(d) => (Level::Wrg(d), &rules::MAP_FREE_WRG),
            None => (Level::Seq, &rules::MAP_SEQ),
        };
    }
    if levels.iter().any(|l| is_parallel(*l)) {
        return match free(Level::Glb) {
            Some(d) => (Level::Glb(d), &rules::MAP_FREE_GLB),
            None => (Level::Seq, &rules::MAP_SEQ),
        };
    }
    if is_perfect_nest(kernel, f) {
        return (Level::Glb(1), &rules::MAP_MAP_GLB);
    }
    (Level::Glb(0), &rules::MAP_GLB)
}

/// Whether the result is an unplaced `map` and the other statements are cheap to repeat, checks among them.
pub fn is_perfect_nest(kernel: &Kernel, f: &Lambda) -> bool {
    let Some(at) = nest::returned(f) else { return false };
    let (before, made) = (&f.body.stmts[..at], &f.body.stmts[at]);
    let inner = matches!(&made.rhs, Rhs::Prim(PrimCall { prim: Prim::Map(Level::Auto), .. }));
    let picks = |s: &Stmt| match &s.rhs {
        Rhs::Prim(call) if call.prim == Prim::Map(Level::Auto) => {
            let f = &call.funs[0];
            super::free::picks_rows(kernel, f) || f.position.is_none() && super::free::is_instant(&f.body)
        }
        _ => false,
    };
    // What the elements of the inner map compute.
    let made_there = |s: &Stmt| picks(s) || is_read_in_step(&f.body, s) || is_folded_in_step(&f.body, at, s);
    let rest: Vec<&Stmt> = before.iter().filter(|s| !made_there(s)).collect();
    let brief = rest.len() <= super::free::MOST_BRIEF && rest.iter().all(|s| super::free::is_brief(s));
    let fits = |s: &Stmt| super::free::is_free(&s.rhs) || made_there(s) || is_read_by_element(kernel, &f.body, s);
    let elements = before.iter().any(|s| is_read_by_element(kernel, &f.body, s));
    let fits = |s: &Stmt| fits(s) || elements && super::free::is_brief(s);
    inner && (brief || before.iter().all(fits))
}

/// Whether a block computes scalars from scalars, possibly in loops.
fn has_scalars_only(block: &Block) -> bool {
    block.stmts.iter().all(|s| match &s.rhs {
        Rhs::Prim(PrimCall { prim: Prim::Iterate | Prim::IterateWhile, funs, .. }) => {
            funs.iter().all(|f| has_scalars_only(&f.body))
        }
        rhs => matches!(rhs, Rhs::Atom(_) | Rhs::Scalar(..) | Rhs::Tuple(_) | Rhs::Proj(..)),
    })
}

/// Whether exactly one `map` reads the statement's array, in order.
fn is_read_by_a_map(block: &Block, stmt: &Stmt) -> bool {
    let is_it = |v: VarId| v == stmt.var;
    let goes_over = |s: &Stmt| match &s.rhs {
        Rhs::Prim(call) if call.prim == Prim::Map(Level::Auto) => {
            call.args == [Atom::Var(stmt.var)]
                && !call.funs.iter().any(|f| f.body.stmts.iter().any(|s| super::uses::mentions(s, &is_it)))
        }
        _ => false,
    };
    let mut readers = block.stmts.iter().filter(|s| super::uses::mentions(s, &is_it));
    readers.next().is_some_and(goes_over) && readers.next().is_none() && block.result != Atom::Var(stmt.var)
}

/// Whether the statement is a `map` of which the block reads single elements, so that only these are computed.
fn is_read_by_element(kernel: &Kernel, block: &Block, stmt: &Stmt) -> bool {
    let Rhs::Prim(PrimCall { prim: Prim::Map(Level::Auto), funs, .. }) = &stmt.rhs else { return false };
    let picks = |s: &Stmt| match &s.rhs {
        Rhs::Prim(call) => matches!(call.prim, Prim::Aref | Prim::Head | Prim::Last),
        _ => false,
    };
    let plain = super::free::are_brief(&funs[0].body.stmts) && !super::fails::may_fail(&kernel.vars, &funs[0].body);
    plain
        && is_flat(&kernel.atom_ty(&funs[0].body.result))
        && block.result != Atom::Var(stmt.var)
        && block.stmts.iter().filter(|s| super::uses::mentions(s, &|v| v == stmt.var)).all(picks)
}

/// Whether the statement is a `map` of scalars that exactly one view or `map` of the block reads, so that the two are
/// fused.
pub fn is_read_in_step(block: &Block, stmt: &Stmt) -> bool {
    let Rhs::Prim(PrimCall { prim: Prim::Map(Level::Auto), funs, .. }) = &stmt.rhs else { return false };
    has_scalars_only(&funs[0].body) && has_one_reader_in_step(block, stmt)
}

/// Whether the statement is a `map` that the one at `at` reads element by element, so that a work-item makes both elements.
fn is_folded_in_step(block: &Block, at: usize, stmt: &Stmt) -> bool {
    let maps = matches!(&stmt.rhs, Rhs::Prim(call) if call.prim == Prim::Map(Level::Auto));
    maps && super::uses::mentions(&block.stmts[at], &|v| v == stmt.var) && has_one_reader_in_step(block, stmt)
}

/// Whether exactly one view or `map` of the block reads the statement's array, and each of its elements once.
fn has_one_reader_in_step(block: &Block, stmt: &Stmt) -> bool {
    let mut readers = block.stmts.iter().filter(|s| super::uses::mentions(s, &|v| v == stmt.var));
    let in_step = |s: &Stmt| match &s.rhs {
        Rhs::Prim(call) if matches!(call.prim, Prim::Map(Level::Auto) | Prim::Zip) => {
            call.args.iter().filter(|a| **a == Atom::Var(stmt.var)).count() == 1
                && !call.funs.iter().any(|f| f.body.stmts.iter().any(|s| super::uses::mentions(s, &|v| v == stmt.var)))
        }
        _ => false,
    };
    readers.next().is_some_and(in_step) && readers.next().is_none() && block.result != Atom::Var(stmt.var)
}

fn perfect_nest<'f>(kernel: &Kernel, f: &'f mut Lambda) -> Option<&'f mut PrimCall> {
    if !is_perfect_nest(kernel, f) {
        return None;
    }
    let at = nest::returned(f)?;
    match &mut f.body.stmts[at].rhs {
        Rhs::Prim(call) => Some(call),
        _ => None,
    }
}

/// The variables of a map's function that differ from element to element because of what they read. An array that all
/// elements share is excluded: the work-items read the same element of it at the same time, which costs one load.
fn own_arrays(f: &Lambda) -> FxHashSet<VarId> {
    let mut own: FxHashSet<VarId> = f.params.iter().copied().collect();
    for stmt in &f.body.stmts {
        let reads = |read: &Atom| matches!(read, Atom::Var(v) if own.contains(v));
        // A part whose start depends on the element.
        let parts = matches!(&stmt.rhs, Rhs::Prim(call) if !call.sizes.iter().all(is_known));
        if parts || stmt.rhs.operands().iter().any(reads) {
            own.insert(stmt.var);
        }
    }
    own
}
