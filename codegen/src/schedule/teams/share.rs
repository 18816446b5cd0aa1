//! Distributes the operators of a function over a group: they get the level `Lcl`, and an array that several of them
//! read is stored once.

use super::super::joined::is_joined;
use super::super::kept;
use super::super::nested::{Work, is_loop, work_among};
use super::super::versions::branch;
use super::super::{nest, rules};
use super::{Applied, Shared, Team, Writer};
use crate::core::copy::Copier;
use crate::core::simplify::rename;
use crate::core::{Atom, Block, Lambda, Level, Prim, PrimCall, Rhs, Space, Stmt, VarId};
use crate::target::GRID;
use lift_analysis::size::Var;

impl Writer<'_> {
    /// Tries to make something of statements that it may add to the kernel; without a result, drops the new variables.
    pub(super) fn tried<T>(&mut self, make: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let (vars, stmts) = (self.kernel.vars.len(), self.kernel.body.stmts.len());
        let made = make(self);
        self.kernel.body.stmts.truncate(stmts);
        if made.is_none() {
            self.kernel.vars.truncate(vars);
        }
        made
    }

    /// The version in which a group computes each element; the arrays `kept` are in its local memory, or registers.
    pub(super) fn by_groups(&mut self, stmt: &Stmt, shared: &Shared, team: &Team, kept: &[VarId]) -> Block {
        let mut call = shared.call.clone();
        let mut copier = Copier::new(&mut self.kernel.vars, self.lengths);
        call.funs[0] = copier.lambda(&call.funs[0]);
        let kept: Vec<VarId> = kept.iter().map(|v| copier.copy_of(*v)).collect();
        place(&mut call, shared.dims.calls.len(), &mut |f| {
            self.share(f);
            let space = if team.own.is_some() { Space::Private } else { Space::Local };
            for v in &kept {
                self.keep(f, *v, space);
            }
            if !team.keeps && team.own.is_none() {
                kept::compute_again(&mut self.kernel.vars, self.lengths, f);
            }
        });
        let block = branch(&mut self.kernel.vars, stmt, Rhs::Prim(call));
        if let Atom::Var(v) = &block.result {
            self.teams.insert(*v, team.clone());
        }
        block
    }

    /// Makes the group share the operators of a function.
    pub(super) fn share(&mut self, f: &mut Lambda) {
        // What the function's variables are is looked up in its own statements.
        let around = std::mem::replace(&mut self.kernel.body, f.body.clone());
        self.share_in(f, &[]);
        self.kernel.body = around;
    }

    /// Like [`Self::share`], in a function inside one that has the lengths `own`.
    fn share_in(&mut self, f: &mut Lambda, own: &[Var]) {
        let mut own: Vec<Var> = own.iter().chain(&f.position).cloned().collect();
        let joined: Vec<VarId> =
            f.body.stmts.iter().filter(|s| is_joined(&self.kernel.vars, f, s)).map(|s| s.var).collect();
        for stmt in f.body.stmts.iter_mut().filter(|s| !joined.contains(&s.var)) {
            own.extend(stmt.binds.iter().cloned());
            let work = work_among(self.kernel, stmt, &own);
            let Rhs::Prim(call) = &mut stmt.rhs else { continue };
            if call.prim == Prim::Filter(Level::Auto) {
                call.prim = Prim::Filter(Level::Lcl(0));
            }
            // Only in loops there are nests: a work-item does an element of it.
            if !matches!(work, Work::Together(_) | Work::Nest) {
                continue;
            }
            if is_loop(self.kernel, call) {
                call.funs.iter_mut().for_each(|f| self.share_in(f, &own));
                continue;
            }
            match call.prim {
                Prim::Reduce(Level::Auto) => {
                    call.prim = Prim::Reduce(Level::Lcl(0));
                    self.applied.push(Applied { rule: &rules::REDUCE_GROUP, origin: stmt.origin.clone() });
                }
                Prim::Map(Level::Auto) => call.prim = Prim::Map(Level::Lcl(0)),
                Prim::Scan(Level::Auto) => call.prim = Prim::Scan(Level::Lcl(0)),
                Prim::ScanExcl(Level::Auto) => call.prim = Prim::ScanExcl(Level::Lcl(0)),
                Prim::ReduceByKey(Level::Auto) => call.prim = Prim::ReduceByKey(Level::Lcl(0)),
                // Other operators need no level; a group sorts together.
                _ => {}
            }
        }
    }

    /// Stores an array of a function in local memory or registers, once for all readers. Single elements of a row that is
    /// in memory already are read there.
    fn keep(&mut self, f: &mut Lambda, v: VarId, space: Space) {
        let ty = self.kernel.vars[v.0 as usize].ty.clone();
        let Some(element) = ty.as_array().map(|a| a.element.clone()) else { return };
        let found = f.body.stmts.iter().position(|s| s.var == v);
        if found.is_none()
            && let Some(round) = binding(f, v)
        {
            return self.keep(round, v, space);
        }
        let at = found.map_or(0, |at| at + 1);
        let mut made = v;
        let mut new = Vec::new();
        let stmt = |var: VarId, rhs: Rhs| Stmt { var, binds: Vec::new(), rhs, origin: f.origin.clone() };
        let is_made = |s: &Stmt| matches!(&s.rhs, Rhs::Prim(call) if !call.prim.is_view());
        let given = !found.is_some_and(|at| is_made(&f.body.stmts[at]));
        if given {
            let x = self.fresh(v, element);
            let body = Block { stmts: Vec::new(), result: Atom::Var(x) };
            let same = Lambda { position: None, params: vec![x], body, origin: f.origin.clone() };
            made = self.fresh(v, ty.clone());
            let call = PrimCall {
                prim: Prim::Map(Level::Lcl(0)),
                sizes: Vec::new(),
                funs: vec![same],
                args: vec![Atom::Var(v)],
            };
            new.push(stmt(made, Rhs::Prim(call)));
        }
        let stored = self.fresh(v, ty);
        new.push(stmt(stored, Rhs::Store(space, Atom::Var(made))));
        let mut rest = Block { stmts: f.body.stmts.split_off(at), result: f.body.result.clone() };
        let picks = |s: &&Stmt| given && kept::picks_element(s, v);
        let picks: Vec<VarId> = rest.stmts.iter().filter(picks).map(|s| s.var).collect();
        rename(&mut rest, &|w| {
            if *w == v {
                *w = stored;
            }
        });
        for stmt in rest.stmts.iter_mut().filter(|s| picks.contains(&s.var)) {
            if let Some(row) = stmt.rhs.operands_mut().first_mut() {
                *row = Atom::Var(v);
            }
        }
        f.body.stmts.extend(new);
        f.body.stmts.extend(rest.stmts);
        f.body.result = rest.result;
    }
}

/// The function of a loop in `f` that binds `v`.
fn binding(f: &mut Lambda, v: VarId) -> Option<&mut Lambda> {
    fn binds(f: &Lambda, v: VarId) -> bool {
        let mut found = false;
        f.body.visit(&mut |s| found |= s.var == v);
        found
    }
    let calls = f.body.stmts.iter_mut().filter_map(|s| match &mut s.rhs {
        Rhs::Prim(call) => Some(call),
        _ => None,
    });
    calls.flat_map(|call| &mut call.funs).find(|f| binds(f, v))
}

/// Assigns a dimension of the grid to each map of a nest, as far as there are dimensions, and calls `then` with the
/// innermost function.
pub(super) fn place(call: &mut PrimCall, depth: usize, then: &mut dyn FnMut(&mut Lambda)) {
    call.prim = Prim::Map(if depth <= GRID { Level::Wrg(depth.saturating_sub(1) as u8) } else { Level::Seq });
    let f = &mut call.funs[0];
    if depth <= 1 {
        return then(f);
    }
    if let Some(at) = nest::returned(f)
        && let Rhs::Prim(next) = &mut f.body.stmts[at].rhs
    {
        place(next, depth - 1, then);
    }
}
