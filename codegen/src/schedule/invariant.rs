//! Hoists loop-invariant code out of the functions of maps, folds, scans, filters and loops. Code that may stop the run moves
//! only if the function is called for an element, and nothing may stop the run before it. At host level code in front of a
//! map runs `if 0 < n`, where the map has n elements.
//!
//! * `map (λx. f x (g z)) xs = map (λx. f x y) xs` with y = g z
//!
//! * `inner`: what an inner map computes of its elements
//! * `tables`: what two inner maps compute of theirs

mod inner;
mod tables;

use super::nested::is_known;
use super::pass::alone;
use super::uses::stmt_mentions;
use super::versions::{branch, choice, decided};
use super::{Applied, fails, free, is_parallel, rules};
use crate::core::copy::{Copier, Lengths};
use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, ScalarOp, Stmt, VarId, VarInfo};
use lift_analysis::hir::Literal;
use lift_analysis::size::{Facts, Size, VarKind};
use lift_analysis::ty::Ty;
use rustc_hash::FxHashSet;

/// Hoists invariant code out of the kernel's functions.
pub fn invariant(kernel: Kernel, applied: &mut Vec<Applied>) -> Kernel {
    alone(kernel, |kernel, lengths, body| hoist(kernel, body, lengths, applied))
}

/// Hoists invariant code, at host level and in all functions.
fn hoist(kernel: &mut Kernel, block: &mut Block, lengths: &mut Lengths, applied: &mut Vec<Applied>) {
    let mut facts = Facts::new();
    for (assumption, _) in &kernel.assumptions {
        facts.assume(assumption);
    }
    let inside = facts.clone();
    let table_bytes = Size::zero();
    Hoister { kernel, facts, inside, lengths, applied, has_tables: true, table_bytes }.block(block, true);
}

/// Maximum bytes of tables.
const MOST_TABLES: i64 = 1 << 28;
/// Minimum elements of a map for which tables pay.
const LEAST_SHARED: i64 = 4;

/// Whether a function runs at all.
enum Runs {
    Surely,
    /// It runs if this size, which the host knows, is not 0.
    If(Size),
    Perhaps,
}

struct Hoister<'a> {
    kernel: &'a mut Kernel,
    /// Facts that are checked before the run.
    facts: Facts,
    /// Facts inside the current function, too: it runs for an element, so its array has one.
    inside: Facts,
    lengths: &'a mut Lengths,
    applied: &'a mut Vec<Applied>,
    /// Whether tables of what inner maps compute may be made.
    has_tables: bool,
    /// The bytes of the tables made for a statement at host level.
    table_bytes: Size,
}

impl Hoister<'_> {
    /// Moves invariant code of the functions of a block's statements in front of these statements. `host`: the block is at host
    /// level.
    fn block(&mut self, block: &mut Block, host: bool) {
        let mut out = Vec::new();
        for mut stmt in std::mem::take(&mut block.stmts) {
            let before = (host && self.has_tables).then(|| stmt.clone());
            match &mut stmt.rhs {
                Rhs::If(_, a, b) => {
                    self.block(a, host);
                    self.block(b, host);
                }
                Rhs::Prim(call) => {
                    let once = call.args.last().and_then(|xs| self.elements(xs)).is_some_and(|n| n == Size::one());
                    // Nothing is gained where there is one element.
                    let keeps = is_placed(call.prim) || once;
                    let maps = call.prim == Prim::Map(Level::Auto);
                    let elements = call.args.last().and_then(|xs| self.elements(xs)).filter(|_| maps);
                    let some = elements.as_ref().map(|n| self.with_elements(n));
                    let runs = match &elements {
                        Some(n) if self.inside.lt(&Size::zero(), n).is_yes() => Runs::Surely,
                        Some(n) if host && is_known(n) => Runs::If(n.clone()),
                        _ => Runs::Perhaps,
                    };
                    let outer = some.map(|facts| std::mem::replace(&mut self.inside, facts));
                    let moved: Vec<Stmt> =
                        call.funs.iter_mut().flat_map(|f| self.out_of(f, maps, keeps, &runs)).collect();
                    if let Some(outer) = outer {
                        self.inside = outer;
                    }
                    let bytes = std::mem::replace(&mut self.table_bytes, Size::zero());
                    if let (Some(before), Some(n), false) = (before, &elements, bytes.is_zero()) {
                        out.extend(self.with_tables_or(before, moved, stmt, n, &bytes));
                        continue;
                    }
                    out.extend(moved);
                }
                _ => {}
            }
            out.push(stmt);
        }
        block.stmts = out;
    }

    /// A map of `n` elements with tables of this size, which the statements `moved` make, or, if they are too large, the map
    /// as it was `before`.
    fn with_tables_or(&mut self, before: Stmt, moved: Vec<Stmt>, stmt: Stmt, n: &Size, bytes: &Size) -> Vec<Stmt> {
        let shared = Size::if_le(&Size::int(LEAST_SHARED), n, &Size::int(MOST_TABLES + 1), &Size::zero());
        if decided(bytes, &shared) == Some(true) {
            return moved.into_iter().chain([stmt]).collect();
        }
        let plain = branch(&mut self.kernel.vars, &before, before.rhs.clone());
        let mut plain = Copier::new(&mut self.kernel.vars, self.lengths).block(&plain);
        self.has_tables = false;
        self.block(&mut plain, true);
        self.has_tables = true;
        let mut tables = branch(&mut self.kernel.vars, &stmt, stmt.rhs.clone());
        tables.stmts.splice(0..0, moved);
        let mut made = choice(&mut self.kernel.vars, &before, bytes, &shared, tables, plain).stmts;
        if let Some(last) = made.last_mut() {
            last.var = before.var;
        }
        made
    }

    /// Removes and returns the statements of a function that do not depend on its parameters. `maps`: the function is that of a
    /// `map`. `keeps`: the program chose what runs this function, so that nothing leaves it.
    fn out_of(&mut self, f: &mut Lambda, maps: bool, keeps: bool, runs: &Runs) -> Vec<Stmt> {
        self.block(&mut f.body, false);
        if f.position.is_some() || keeps {
            return Vec::new();
        }
        let mut own: FxHashSet<VarId> = f.params.iter().copied().collect();
        let moved = self.moved(&f.body, &own, runs);
        let mut out = Vec::new();
        take(&mut f.body, &moved, &mut out);
        out.iter_mut().for_each(|stmt| self.guard(stmt));
        let costly = out.iter().filter(|stmt| is_worth_it(self.kernel, stmt));
        self.applied.extend(costly.map(|stmt| Applied { rule: &rules::INVARIANT, origin: stmt.origin.clone() }));
        if let Runs::If(n) = runs {
            out = out.into_iter().flat_map(|stmt| self.only_if(n, stmt)).collect();
        }
        if !maps {
            return out;
        }
        let folded = tables::folded_in(&f.body);
        for mut stmt in std::mem::take(&mut f.body.stmts) {
            self.tables(&mut stmt, &own, (&mut out, &mut f.body.stmts));
            let folded = folded.contains(&stmt.var);
            self.of_elements(&mut stmt, &own, folded, (&mut out, &mut f.body.stmts));
            own.insert(stmt.var);
            f.body.stmts.push(stmt);
        }
        out
    }

    /// The statements that move out of a function: those that are worth it, those on which they depend, and then free
    /// operations.
    fn moved(&self, body: &Block, own: &FxHashSet<VarId>, runs: &Runs) -> FxHashSet<VarId> {
        let mut stmts = Vec::new();
        in_order(body, &mut stmts);
        let own_statements: FxHashSet<VarId> = body.stmts.iter().map(|s| s.var).collect();
        let mut varies = own.clone();
        let mut moved: FxHashSet<VarId> = FxHashSet::default();
        let mut stopped = false;
        for (at, stmt) in stmts.iter().enumerate() {
            let reads = |set: &FxHashSet<VarId>| super::uses::mentions(stmt, &|v| set.contains(&v));
            let leaves_a_branch = !own_statements.contains(&stmt.var);
            let divides = self.divides_by_length(stmt) && !reads(&varies);
            let stops = self.may_stop(&stmt.rhs);
            let waits = stops && !stopped && !leaves_a_branch && self.may_wait(stmt, runs);
            let harmless = self.has_known_lengths(stmt, leaves_a_branch)
                && (!stops || waits || divides)
                && (!leaves_a_branch || (has_plain_sizes(&self.kernel.vars, stmt) && self.takes_known_parts(stmt)));
            let opener = |s: &&Stmt| self.opens(s, stmt);
            if reads(&varies) || stmts.iter().any(|s| varies.contains(&s.var) && opener(s)) || !harmless {
                varies.insert(stmt.var);
                stopped |= stops;
                continue;
            }
            let scalar = matches!(&stmt.rhs, Rhs::Scalar(..)) || is_first(self.kernel, stmt);
            let derived = reads(&moved) && (scalar || free::is_free(&stmt.rhs));
            if derived || divides || waits || is_worth_it(self.kernel, stmt) {
                let mut needed = vec![*stmt];
                while let Some(next) = needed.pop() {
                    if moved.insert(next.var) {
                        let of_next = |s: &&&Stmt| super::uses::mentions(next, &|v| v == s.var) || self.opens(s, next);
                        needed.extend(stmts[..at].iter().filter(of_next));
                    }
                }
            }
        }
        moved
    }

    /// Whether a statement computes with a length that one of these statements opens.
    fn opened(&self, stmts: &[&Stmt], stmt: &Stmt) -> bool {
        let vars = &self.kernel.vars;
        stmts.iter().any(|s| s.var != stmt.var && s.binds.iter().any(|length| stmt_mentions(vars, stmt, length)))
    }

    /// Whether another statement opens a length with which a statement computes.
    fn opens(&self, opener: &Stmt, stmt: &Stmt) -> bool {
        let vars = &self.kernel.vars;
        opener.var != stmt.var && opener.binds.iter().any(|length| stmt_mentions(vars, stmt, length))
    }

    /// Whether the lengths of a statement are known in front of the function, with those that it opens itself.
    fn has_known_lengths(&self, stmt: &Stmt, leaves_a_branch: bool) -> bool {
        let plain = !self.kernel.ty(stmt.var).any(&mut |t| t.as_array().is_some_and(|a| a.position.is_some()));
        plain && (stmt.binds.is_empty() || !leaves_a_branch)
    }

    /// Whether a statement that may stop the run may move in front of the function: if the whole device computes its
    /// array.
    fn may_wait(&self, stmt: &Stmt, runs: &Runs) -> bool {
        let Rhs::Prim(PrimCall { prim, .. }) = &stmt.rhs else { return false };
        let unplaced = matches!(
            prim,
            Prim::Map(Level::Auto)
                | Prim::Reduce(Level::Auto)
                | Prim::Scan(Level::Auto)
                | Prim::ScanExcl(Level::Auto)
                | Prim::Filter(Level::Auto)
                | Prim::ReduceByKey(Level::Auto)
                | Prim::Sort
                | Prim::Argsort
        );
        let array = self.kernel.ty(stmt.var).as_array();
        match runs {
            _ if !unplaced || array.is_none() => false,
            Runs::Surely => true,
            Runs::If(_) => stmt.binds.is_empty() && array.is_some_and(|a| a.element.as_scalar().is_some()),
            Runs::Perhaps => false,
        }
    }

    /// Whether the parts that a statement takes are in their arrays also where a branch around it is not taken.
    fn takes_known_parts(&self, stmt: &Stmt) -> bool {
        let is_inside = match &stmt.rhs {
            Rhs::Prim(PrimCall { prim: Prim::Take | Prim::Slice, sizes, args, .. }) => {
                let end = sizes.iter().fold(Size::zero(), |end, size| end.add(size));
                let array = args.last().and_then(|xs| self.elements(xs));
                array.is_some_and(|len| self.facts.le(&end, &len).is_yes())
            }
            _ => true,
        };
        is_inside && stmt.rhs.blocks().into_iter().flat_map(|b| &b.stmts).all(|s| self.takes_known_parts(s))
    }

    /// Guards a statement that has left a map: it runs only if the map has elements, otherwise its array is zeros.
    fn only_if(&mut self, n: &Size, stmt: Stmt) -> Vec<Stmt> {
        let element = match self.kernel.ty(stmt.var).as_array() {
            Some(array) if self.may_stop(&stmt.rhs) => array.element.as_scalar().map(|s| (s, array.len.clone())),
            _ => None,
        };
        let Some((scalar, len)) = element else { return vec![stmt] };
        let vars = &mut self.kernel.vars;
        let fill = PrimCall {
            prim: Prim::Fill,
            sizes: vec![len],
            funs: Vec::new(),
            args: vec![Atom::Lit(Literal::zero(scalar))],
        };
        let zeros = branch(vars, &stmt, Rhs::Prim(fill));
        let once = branch(vars, &stmt, stmt.rhs.clone());
        let chosen = choice(vars, &stmt, n, &Size::one(), zeros, once);
        let Block { mut stmts, .. } = chosen;
        if let Some(last) = stmts.last_mut() {
            last.var = stmt.var;
        }
        stmts
    }

    /// Whether a statement may move: it opens no length and cannot stop the run.
    fn is_harmless(&self, stmt: &Stmt) -> bool {
        let known = !self.kernel.ty(stmt.var).any(&mut |t| {
            t.as_array().is_some_and(|a| a.position.is_some() || a.len.any_var(&mut |v| v.kind != VarKind::Param))
        });
        known && stmt.binds.is_empty() && !self.may_stop(&stmt.rhs)
    }

    /// The number of elements of an array.
    fn elements(&self, xs: &Atom) -> Option<Size> {
        let ty = self.kernel.atom_ty(xs);
        ty.as_array().filter(|a| a.position.is_none()).map(|a| a.len.clone())
    }

    /// The facts inside a function that runs for each of n elements: n is at least 1.
    fn with_elements(&self, n: &Size) -> Facts {
        let mut facts = self.inside.clone();
        facts.assume_le(Size::one(), n.clone());
        facts
    }

    /// Whether a statement divides integers by a size that is 0 only where the function runs for no element. In front of
    /// the function that size may be 0 ([`Hoister::guard`]).
    fn divides_by_length(&self, stmt: &Stmt) -> bool {
        divisor(&stmt.rhs).is_some_and(|n| self.inside.lt(&Size::zero(), n).is_yes())
    }

    /// Makes a hoisted division safe if the function may run for no element: the divisor is then 1.
    fn guard(&self, stmt: &mut Stmt) {
        if let Some(n) = divisor(&stmt.rhs).filter(|n| !self.facts.lt(&Size::zero(), n).is_yes())
            && let n = Size::max(&Size::one(), n)
            && let Rhs::Scalar(_, args) = &mut stmt.rhs
        {
            args[1] = Atom::Size(n);
        }
    }

    /// Whether a right-hand side may stop the run, given the assumptions that are checked before the run.
    fn may_stop(&self, rhs: &Rhs) -> bool {
        match rhs {
            Rhs::Prim(call) if matches!(call.prim, Prim::Head | Prim::Last) => {
                !fails::has_element(&self.kernel.vars, &call.args[0], &self.facts)
            }
            // A loop may have no end.
            Rhs::Prim(call) if matches!(call.prim, Prim::Gather | Prim::Scatter | Prim::IterateWhile) => true,
            rhs if !rhs.blocks().is_empty() => {
                rhs.blocks().into_iter().flat_map(|b| &b.stmts).any(|s| self.may_stop(&s.rhs))
            }
            rhs => fails::rhs_may_fail(&self.kernel.vars, rhs),
        }
    }

    fn fresh(&mut self, name: &str, ty: Ty) -> VarId {
        self.kernel.vars.push(VarInfo { name: name.into(), ty });
        VarId(self.kernel.vars.len() as u32 - 1)
    }
}

/// The size by which a right-hand side divides integers.
fn divisor(rhs: &Rhs) -> Option<&Size> {
    match rhs {
        Rhs::Scalar(ScalarOp::Div | ScalarOp::Mod | ScalarOp::FloorMod, args) => match args.as_slice() {
            [_, Atom::Size(n)] => Some(n),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a statement only computes sizes that are defined in every branch: `M-3` and `N/M` may be undefined.
fn has_plain_sizes(vars: &[VarInfo], stmt: &Stmt) -> bool {
    let plain = |size: &Size| size.as_const().is_some() || size.as_var().is_some();
    let of_var = |v: VarId| !vars[v.0 as usize].ty.any(&mut |t| t.as_array().is_some_and(|a| !plain(&a.len)));
    let of_call =
        |call: &PrimCall| call.sizes.iter().all(plain) && call.funs.iter().flat_map(|f| &f.params).all(|v| of_var(*v));
    of_var(stmt.var)
        && stmt.rhs.operands().iter().all(|a| !matches!(a, Atom::Size(size) if !plain(size)))
        && !matches!(&stmt.rhs, Rhs::Prim(call) if !of_call(call))
        && stmt.rhs.blocks().into_iter().flat_map(|b| &b.stmts).all(|s| has_plain_sizes(vars, s))
}

/// The statements of a block and of its branches, in the order in which they run.
fn in_order<'a>(block: &'a Block, out: &mut Vec<&'a Stmt>) {
    for stmt in &block.stmts {
        if let Rhs::If(_, a, b) = &stmt.rhs {
            in_order(a, out);
            in_order(b, out);
        }
        out.push(stmt);
    }
}

/// Takes these statements out of a block and its branches, in the order in which they run.
fn take(block: &mut Block, moved: &FxHashSet<VarId>, out: &mut Vec<Stmt>) {
    for mut stmt in std::mem::take(&mut block.stmts) {
        let moves = moved.contains(&stmt.var);
        if let (Rhs::If(_, a, b), false) = (&mut stmt.rhs, moves) {
            take(a, moved, out);
            take(b, moved, out);
        }
        if moves { out.push(stmt) } else { block.stmts.push(stmt) }
    }
}

/// Whether the program chooses the level at which a primitive's function runs.
pub fn is_placed(prim: Prim) -> bool {
    match prim {
        Prim::Map(level) | Prim::Reduce(level) | Prim::Scan(level) | Prim::ScanExcl(level) | Prim::Filter(level) => {
            is_parallel(level)
        }
        _ => false,
    }
}

/// Whether the statement takes the element out of a fold's result, an array of one element.
fn is_first(kernel: &Kernel, stmt: &Stmt) -> bool {
    matches!(&stmt.rhs, Rhs::Prim(call)
        if call.prim == Prim::Head && kernel.atom_ty(&call.args[0]).as_array().is_some_and(|a| a.len == Size::one()))
}

/// Whether recomputing the statement for each element costs more than a few instructions or hides the layout of rows.
fn is_worth_it(kernel: &Kernel, stmt: &Stmt) -> bool {
    let Rhs::Prim(call) = &stmt.rhs else { return false };
    match call.prim {
        Prim::Reduce(Level::Auto | Level::Seq)
        | Prim::Scan(Level::Auto | Level::Seq)
        | Prim::ScanExcl(Level::Auto | Level::Seq)
        | Prim::ReduceWhileSeq
        | Prim::Iterate
        | Prim::Filter(Level::Auto)
        | Prim::ReduceByKey(Level::Auto)
        | Prim::Sort
        | Prim::Argsort => true,
        Prim::Map(Level::Auto) => {
            let nested = kernel.ty(stmt.var).as_array().is_some_and(|a| a.element.as_array().is_some());
            nested || !free::is_cheap(&call.funs[0].body)
        }
        _ => false,
    }
}
