//! Hoists loop-invariant code out of maps. Only code that cannot stop the run moves, because the map may have no elements.
//!
//! * `map (λx. f x (g z)) xs = map (λx. f x y) xs` with y = g z
//! * `map (λx. map (λy. f x y (g y)) ys) xs = map (λx. map (λ(y,z). f x y z) (zip ys zs)) xs` with zs = map g ys

use super::uses::stmt_mentions;
use super::{Applied, free, fuse, on_the_host, rules};
use crate::core::copy::{Copier, Lengths};
use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, Stmt, VarId, VarInfo};
use lift_analysis::size::{Size, VarKind};
use lift_analysis::ty::Ty;
use rustc_hash::FxHashSet;

/// Hoists invariant code out of the maps at host level.
pub fn hoist(kernel: &mut Kernel, block: &mut Block, lengths: &mut Lengths, applied: &mut Vec<Applied>) {
    Hoister { kernel, lengths, applied }.host(block);
}

struct Hoister<'a> {
    kernel: &'a mut Kernel,
    lengths: &'a mut Lengths,
    applied: &'a mut Vec<Applied>,
}

impl Hoister<'_> {
    fn host(&mut self, block: &mut Block) {
        let mut out = Vec::new();
        for mut stmt in std::mem::take(&mut block.stmts) {
            match &mut stmt.rhs {
                Rhs::If(_, a, b) => {
                    self.host(a);
                    self.host(b);
                }
                Rhs::Prim(call) if on_the_host(self.kernel, call) => {
                    call.funs.iter_mut().for_each(|f| self.host(&mut f.body))
                }
                Rhs::Prim(PrimCall { prim: Prim::Map(Level::Auto), funs, .. }) => {
                    out.extend(funs.iter_mut().flat_map(|f| self.out_of(f)));
                }
                _ => {}
            }
            out.push(stmt);
        }
        block.stmts = out;
    }

    /// Removes and returns the statements of a function that do not depend on its element.
    fn out_of(&mut self, f: &mut Lambda) -> Vec<Stmt> {
        let mut body = Vec::new();
        for mut stmt in std::mem::take(&mut f.body.stmts) {
            if let Rhs::Prim(PrimCall { prim: Prim::Map(Level::Auto), funs, .. }) = &mut stmt.rhs {
                body.extend(funs.iter_mut().flat_map(|g| self.out_of(g)));
            }
            body.push(stmt);
        }
        if f.position.is_some() {
            f.body.stmts = body;
            return Vec::new();
        }
        let mut own: FxHashSet<VarId> = f.params.iter().copied().collect();
        let moved = self.moved(&body, &own);
        let mut out = Vec::new();
        for mut stmt in body {
            if moved.contains(&stmt.var) {
                out.push(stmt);
                continue;
            }
            out.extend(self.of_elements(&mut stmt, &own));
            own.insert(stmt.var);
            f.body.stmts.push(stmt);
        }
        out
    }

    /// The statements that move out of a function: those that are worth it, what they need, and what is free then.
    fn moved(&self, body: &[Stmt], own: &FxHashSet<VarId>) -> FxHashSet<VarId> {
        let kernel = &*self.kernel;
        let mut varies = own.clone();
        let mut moved: FxHashSet<VarId> = FxHashSet::default();
        for (at, stmt) in body.iter().enumerate() {
            let reads = |set: &FxHashSet<VarId>| super::uses::mentions(stmt, &|v| set.contains(&v));
            let opened = super::uses::openings(&kernel.vars, body, stmt).next().is_some();
            if reads(&varies) || opened || !(is_pure(kernel, stmt) || is_first(kernel, stmt)) {
                varies.insert(stmt.var);
                continue;
            }
            let scalar = matches!(&stmt.rhs, Rhs::Scalar(..)) || is_first(kernel, stmt);
            if (reads(&moved) && (scalar || free::is_free(&stmt.rhs))) || is_worth_it(kernel, stmt) {
                let mut needed = vec![stmt];
                while let Some(next) = needed.pop() {
                    if moved.insert(next.var) {
                        let of_next = |s: &&Stmt| super::uses::mentions(next, &|v| v == s.var);
                        needed.extend(body[..at].iter().filter(of_next));
                    }
                }
            }
        }
        moved
    }

    /// The statements in front of a function for what the inner map `stmt` computes of its elements alone, which is the
    /// same for all elements of the outer map. The inner map goes over these values, too. `own`: what the function
    /// binds before.
    fn of_elements(&mut self, stmt: &mut Stmt, own: &FxHashSet<VarId>) -> Vec<Stmt> {
        let Rhs::Prim(PrimCall { prim: Prim::Map(Level::Auto), funs, args, .. }) = &mut stmt.rhs else {
            return Vec::new();
        };
        let ([g], [Atom::Var(ys)]) = (funs.as_mut_slice(), args.as_slice()) else { return Vec::new() };
        let ([y], None) = (g.params.as_slice(), &g.position) else { return Vec::new() };
        let array = self.kernel.ty(*ys).clone();
        let Some(array) = array.as_array().filter(|a| !own.contains(ys) && a.position.is_none()) else {
            return Vec::new();
        };
        let (y, ys) = (*y, *ys);
        let values = values_of(self.kernel, g, own);
        if values.is_empty() {
            return Vec::new();
        }
        let at = |var: VarId, rhs: Rhs| Stmt { var, binds: Vec::new(), rhs, origin: g.origin.clone() };
        let prim = |prim, funs, args| Rhs::Prim(PrimCall { prim, sizes: Vec::new(), funs, args });
        let mut out = Vec::new();
        let mut zipped = vec![Atom::Var(ys)];
        let mut parts = vec![self.kernel.ty(y).clone()];
        for v in &values {
            let ty = self.kernel.ty(*v).clone();
            let alone = Lambda { body: only(self.kernel, &g.body, *v), ..g.clone() };
            let h = Copier::new(&mut self.kernel.vars, self.lengths).lambda(&alone);
            let name = self.kernel.name_of(*v).to_owned();
            let all = self.fresh(&name, Ty::array(ty.clone(), array.len.clone()));
            out.push(at(all, prim(Prim::Map(Level::Auto), vec![h], vec![Atom::Var(ys)])));
            zipped.push(Atom::Var(all));
            parts.push(ty);
        }
        let element = Ty::tuple(parts);
        let zip = self.fresh("rows", Ty::array(element.clone(), array.len.clone()));
        out.push(at(zip, prim(Prim::Zip, Vec::new(), zipped)));
        let t = self.fresh("t", element);
        let mut stmts = vec![at(y, Rhs::Proj(Atom::Var(t), 0))];
        stmts.extend(values.iter().enumerate().map(|(k, v)| at(*v, Rhs::Proj(Atom::Var(t), k + 1))));
        let rest = std::mem::take(&mut g.body.stmts).into_iter().filter(|s| !values.contains(&s.var));
        stmts.extend(rest);
        g.body.stmts = stmts;
        g.params = vec![t];
        let kernel = &*self.kernel;
        drop_unused(&kernel.vars, &mut g.body, &|s| is_pure(kernel, s) || is_first(kernel, s));
        *args = vec![Atom::Var(zip)];
        self.applied.push(Applied { rule: &rules::MAP_INNER, origin: stmt.origin.clone() });
        out
    }

    fn fresh(&mut self, name: &str, ty: Ty) -> VarId {
        self.kernel.vars.push(VarInfo { name: name.into(), ty });
        VarId(self.kernel.vars.len() as u32 - 1)
    }
}

/// The variables of a function that are worth computing beforehand: they depend on work for its element, and on nothing
/// in `own`; and who reads them depends on it.
fn values_of(kernel: &Kernel, g: &Lambda, own: &FxHashSet<VarId>) -> Vec<VarId> {
    let mut varies = own.clone();
    let mut costly: FxHashSet<VarId> = FxHashSet::default();
    for stmt in &g.body.stmts {
        let opened = super::uses::openings(&kernel.vars, &g.body.stmts, stmt).next().is_some();
        let reads_varying = super::uses::mentions(stmt, &|v| varies.contains(&v));
        if reads_varying || opened || !(is_pure(kernel, stmt) || is_first(kernel, stmt)) {
            varies.insert(stmt.var);
        } else if is_fold(stmt) || super::uses::mentions(stmt, &|v| costly.contains(&v)) {
            costly.insert(stmt.var);
        }
    }
    if !g.body.stmts.iter().any(|s| varies.contains(&s.var)) {
        // The whole inner map is the same for all.
        return Vec::new();
    }
    let is_read = |v: VarId| {
        let outside = |s: &&Stmt| varies.contains(&s.var);
        g.body.result == Atom::Var(v)
            || g.body.stmts.iter().filter(outside).any(|s| super::uses::mentions(s, &|w| w == v))
    };
    let fits = |v: &VarId| kernel.ty(*v).any(&mut |t| t.as_array().is_none_or(|a| a.position.is_none()));
    g.body.stmts.iter().map(|s| s.var).filter(|v| costly.contains(v) && is_read(*v) && fits(v)).collect()
}

fn is_fold(stmt: &Stmt) -> bool {
    use Prim::*;
    let Rhs::Prim(call) = &stmt.rhs else { return false };
    matches!(call.prim, Reduce(Level::Auto) | Scan(Level::Auto) | ScanExcl(Level::Auto) | Sort | Argsort)
}

/// Whether the statement takes the element out of an array of one, which a fold gives.
fn is_first(kernel: &Kernel, stmt: &Stmt) -> bool {
    matches!(&stmt.rhs, Rhs::Prim(call)
        if call.prim == Prim::Head && kernel.atom_ty(&call.args[0]).as_array().is_some_and(|a| a.len == Size::one()))
}

/// The statements on which a variable depends.
fn only(kernel: &Kernel, block: &Block, v: VarId) -> Block {
    let mut only = Block { stmts: block.stmts.clone(), result: Atom::Var(v) };
    drop_unused(&kernel.vars, &mut only, &|_| true);
    only
}

/// Drops statements that nothing reads, as far as they may be dropped.
fn drop_unused(vars: &[VarInfo], block: &mut Block, may: &dyn Fn(&Stmt) -> bool) {
    for at in (0..block.stmts.len()).rev() {
        let (v, binds) = (block.stmts[at].var, &block.stmts[at].binds);
        let read = block.stmts[at + 1..].iter().any(|s| {
            super::uses::mentions(s, &|w| w == v) || binds.iter().any(|length| stmt_mentions(vars, s, length))
        });
        if !read && block.result != Atom::Var(v) && may(&block.stmts[at]) {
            block.stmts.remove(at);
        }
    }
}

/// Whether a statement may move: it opens no length and cannot stop the run.
fn is_pure(kernel: &Kernel, stmt: &Stmt) -> bool {
    let known = !kernel.ty(stmt.var).any(&mut |t| {
        t.as_array().is_some_and(|a| a.position.is_some() || a.len.any_var(&mut |v| v.kind != VarKind::Param))
    });
    stmt.binds.is_empty() && known && !fuse::rhs_may_fail(&kernel.vars, &stmt.rhs)
}

/// Whether recomputing the statement for each element costs more than a few instructions or hides the layout of rows.
fn is_worth_it(kernel: &Kernel, stmt: &Stmt) -> bool {
    let Rhs::Prim(call) = &stmt.rhs else { return false };
    match call.prim {
        Prim::Reduce(Level::Auto)
        | Prim::Scan(Level::Auto)
        | Prim::ScanExcl(Level::Auto)
        | Prim::Sort
        | Prim::Argsort => true,
        Prim::Map(Level::Auto) => {
            let nested = kernel.ty(stmt.var).as_array().is_some_and(|a| a.element.as_array().is_some());
            nested || !free::is_cheap(&call.funs[0].body)
        }
        _ => false,
    }
}
