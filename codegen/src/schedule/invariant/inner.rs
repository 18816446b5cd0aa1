//! What an inner map computes of its elements alone is the same for all elements of the outer map: it is computed once.
//!
//! `map (λx. map (λy. f x y (g y)) ys) xs = map (λx. map (λ(y,z). f x y z) (zip ys zs)) xs` with zs = map g ys
//!
//! So it is where the elements are pairs, of which one is the outer map's: `zip (h x) ys`.

use super::Hoister;
use super::tables::is_long_row;
use crate::core::copy::Copier;
use crate::core::scalar::is_long;
use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, ScalarOp, Stmt, VarId};
use crate::schedule::{Applied, free, rules, uses};
use lift_analysis::origin::Origin;
use lift_analysis::size::Size;
use lift_analysis::ty::Ty;
use rustc_hash::FxHashSet;

/// The arrays over which an inner map goes, as far as the outer map's element has no part in them.
struct Elements {
    /// The arrays, with the part of the inner map's element that each of them gives; `None` if it is all of it.
    arrays: Vec<(VarId, Option<usize>)>,
    len: Size,
}

impl Hoister<'_> {
    /// Computes in front of a function, in `out`, what the inner map `stmt` computes of its elements alone. The inner map
    /// goes over these values, too. `own`: what the function binds before, in the statements `before`. `folded`: a fold reads
    /// the inner map.
    pub(super) fn of_elements(
        &mut self,
        stmt: &mut Stmt,
        own: &FxHashSet<VarId>,
        folded: bool,
        (out, before): (&mut Vec<Stmt>, &mut Vec<Stmt>),
    ) {
        let Rhs::Prim(PrimCall { prim: Prim::Map(Level::Auto), funs, args, .. }) = &mut stmt.rhs else { return };
        let ([g], [Atom::Var(ys)]) = (funs.as_mut_slice(), args.as_slice()) else { return };
        let ([y], None) = (g.params.as_slice(), &g.position) else { return };
        let (y, ys) = (*y, *ys);
        let mut views = Vec::new();
        let Some(over) = self.over(ys, own, before, &mut views) else { return };
        let values = self.values_of(g, y, &over, own, folded);
        if values.is_empty() {
            return;
        }
        out.append(&mut views);
        let at = |var: VarId, rhs: Rhs| Stmt { var, binds: Vec::new(), rhs, origin: g.origin.clone() };
        let prim = |prim, funs, args| Rhs::Prim(PrimCall { prim, sizes: Vec::new(), funs, args });
        let mut zipped = vec![Atom::Var(ys)];
        let mut parts = vec![self.kernel.ty(y).clone()];
        let source = self.side_by_side(&over, out, &g.origin);
        for v in &values {
            let ty = self.kernel.ty(*v).clone();
            let alone = Lambda { body: only(self.kernel, &g.body, *v), ..g.clone() };
            let alone = self.of_parts(alone, y, &over, source);
            let h = Copier::new(&mut self.kernel.vars, self.lengths).lambda(&alone);
            let name = self.kernel.name_of(*v).to_owned();
            let all = self.fresh(&name, Ty::array(ty.clone(), over.len.clone()));
            if g.body.stmts.iter().any(|s| s.var == *v && makes_table(s)) {
                self.counts_table(all);
            }
            out.push(at(all, prim(Prim::Map(Level::Auto), vec![h], vec![Atom::Var(source)])));
            zipped.push(Atom::Var(all));
            parts.push(ty);
        }
        let element = Ty::tuple(parts);
        let zip = self.fresh("rows", Ty::array(element.clone(), over.len.clone()));
        let zipping = at(zip, prim(Prim::Zip, Vec::new(), zipped));
        if own.contains(&ys) {
            before.push(zipping)
        } else {
            out.push(zipping)
        }
        let t = self.fresh("t", element);
        let mut stmts = vec![at(y, Rhs::Proj(Atom::Var(t), 0))];
        stmts.extend(values.iter().enumerate().map(|(k, v)| at(*v, Rhs::Proj(Atom::Var(t), k + 1))));
        let rest = std::mem::take(&mut g.body.stmts).into_iter().filter(|s| !values.contains(&s.var));
        stmts.extend(rest);
        g.body.stmts = stmts;
        g.params = vec![t];
        uses::drop_unused(&self.kernel.vars, &mut g.body, &|s| self.is_harmless(s));
        *args = vec![Atom::Var(zip)];
        self.applied.push(Applied { rule: &rules::MAP_INNER, origin: stmt.origin.clone() });
    }

    /// What the inner map goes over, in front of the function; `views` are the statements that it needs there.
    fn over(&mut self, ys: VarId, own: &FxHashSet<VarId>, before: &[Stmt], views: &mut Vec<Stmt>) -> Option<Elements> {
        let len = self.kernel.ty(ys).as_array().filter(|a| a.position.is_none())?.len.clone();
        if !own.contains(&ys) {
            return Some(Elements { arrays: vec![(ys, None)], len });
        }
        let arrays = match &before.iter().find(|s| s.var == ys)?.rhs {
            Rhs::Prim(PrimCall { prim: Prim::Zip, args, .. }) => {
                let parts = args.iter().enumerate().map(|(k, part)| (part.clone(), Some(k))).collect::<Vec<_>>();
                parts.into_iter().filter_map(|(part, k)| Some((self.outside(&part, own, before, views)?, k))).collect()
            }
            _ => vec![(self.outside(&Atom::Var(ys), own, before, views)?, None)],
        };
        (!arrays.is_empty()).then_some(Elements { arrays, len })
    }

    /// An array in front of the function: one that is there, or that the function makes of nothing, such as numbers.
    fn outside(
        &mut self,
        array: &Atom,
        own: &FxHashSet<VarId>,
        before: &[Stmt],
        views: &mut Vec<Stmt>,
    ) -> Option<VarId> {
        let Atom::Var(v) = array else { return None };
        if !own.contains(v) {
            return Some(*v);
        }
        let made = before.iter().find(|s| s.var == *v)?;
        if !free::is_free(&made.rhs) || !self.is_harmless(made) || uses::mentions(made, &|v| own.contains(&v)) {
            return None;
        }
        let (name, ty) = (self.kernel.name_of(*v).to_owned(), self.kernel.ty(*v).clone());
        let again = self.fresh(&name, ty);
        views.push(Stmt { var: again, ..made.clone() });
        Some(again)
    }

    /// One array of all.
    fn side_by_side(&mut self, over: &Elements, out: &mut Vec<Stmt>, origin: &Origin) -> VarId {
        if let [(one, _)] = over.arrays.as_slice() {
            return *one;
        }
        let element = |v: &VarId| self.kernel.ty(*v).as_array().map(|a| a.element.clone());
        let types = over.arrays.iter().filter_map(|(v, _)| element(v)).collect();
        let zip = self.fresh("rows", Ty::array(Ty::tuple(types), over.len.clone()));
        let args = over.arrays.iter().map(|(v, _)| Atom::Var(*v)).collect();
        let rhs = Rhs::Prim(PrimCall { prim: Prim::Zip, sizes: Vec::new(), funs: Vec::new(), args });
        out.push(Stmt { var: zip, binds: Vec::new(), rhs, origin: origin.clone() });
        zip
    }

    /// The function of `y`, of which it needs these parts, as one of an element of `source`.
    fn of_parts(&mut self, mut f: Lambda, y: VarId, over: &Elements, source: VarId) -> Lambda {
        if over.arrays.iter().any(|(_, part)| part.is_none()) {
            return f;
        }
        let Some(ty) = self.kernel.ty(source).as_array().map(|a| a.element.clone()) else { return f };
        let x = self.fresh("x", ty);
        for stmt in &mut f.body.stmts {
            if let Rhs::Proj(Atom::Var(v), k) = stmt.rhs
                && v == y
                && let Some(at) = over.arrays.iter().position(|(_, part)| *part == Some(k))
            {
                stmt.rhs = match over.arrays.len() {
                    1 => Rhs::Atom(Atom::Var(x)),
                    _ => Rhs::Proj(Atom::Var(x), at),
                };
            }
        }
        f.params = vec![x];
        f
    }

    /// The variables of a function that are worth computing beforehand: they depend on work for its element, and on
    /// nothing in `own`; and their readers depend on it.
    fn values_of(&self, g: &Lambda, y: VarId, over: &Elements, own: &FxHashSet<VarId>, folded: bool) -> Vec<VarId> {
        let kernel = &*self.kernel;
        let stmts: Vec<&Stmt> = g.body.stmts.iter().collect();
        let mut varies = own.clone();
        if over.arrays.iter().all(|(_, part)| part.is_some()) {
            varies.insert(y);
        }
        let is_part = |s: &Stmt| match s.rhs {
            Rhs::Proj(Atom::Var(v), k) => v == y && over.arrays.iter().any(|(_, part)| *part == Some(k)),
            _ => false,
        };
        let mut costly: FxHashSet<VarId> = FxHashSet::default();
        let mut of_element: FxHashSet<VarId> = FxHashSet::from_iter([y]);
        for stmt in &g.body.stmts {
            if uses::mentions(stmt, &|v| of_element.contains(&v)) {
                of_element.insert(stmt.var);
            }
            let reads_varying = !is_part(stmt) && uses::mentions(stmt, &|v| varies.contains(&v));
            if reads_varying || self.opened(&stmts, stmt) || !self.is_harmless(stmt) {
                varies.insert(stmt.var);
            } else if of_element.contains(&stmt.var)
                && (self.is_costly(stmt, folded) || uses::mentions(stmt, &|v| costly.contains(&v)))
            {
                costly.insert(stmt.var);
            }
        }
        if !g.body.stmts.iter().any(|s| varies.contains(&s.var)) {
            // The whole inner map is invariant.
            return Vec::new();
        }
        let is_read = |v: VarId| {
            let outside = |s: &&Stmt| varies.contains(&s.var);
            g.body.result == Atom::Var(v) || g.body.stmts.iter().filter(outside).any(|s| uses::mentions(s, &|w| w == v))
        };
        let fits = |v: &VarId| kernel.ty(*v).any(&mut |t| t.as_array().is_none_or(|a| a.position.is_none()));
        g.body.stmts.iter().map(|s| s.var).filter(|v| costly.contains(v) && is_read(*v) && fits(v)).collect()
    }

    /// Whether a statement folds, makes a row of such values, or calls a function of hundreds of instructions. To compute a
    /// sine or cosine again takes no longer than to read it, unless the result is `folded` and not written: rotated heads of
    /// 2^23 numbers take 113 µs on an H200 with tables of both, 90 without.
    fn is_costly(&self, stmt: &Stmt, folded: bool) -> bool {
        let turns = |op| matches!(op, ScalarOp::Sin | ScalarOp::Cos);
        match &stmt.rhs {
            Rhs::Scalar(op, _) => is_long(*op) && (folded && self.has_tables || !turns(*op)),
            _ => is_fold(stmt) || self.has_tables && makes_table(stmt) && is_long_row(self.kernel.ty(stmt.var)),
        }
    }
}

/// Whether a statement is a map that calls a function of hundreds of instructions.
fn makes_table(stmt: &Stmt) -> bool {
    let Rhs::Prim(PrimCall { prim: Prim::Map(Level::Auto), funs, .. }) = &stmt.rhs else { return false };
    funs.iter().any(|f| f.body.stmts.iter().any(|s| matches!(&s.rhs, Rhs::Scalar(op, _) if is_long(*op))))
}

fn is_fold(stmt: &Stmt) -> bool {
    use Prim::*;
    let Rhs::Prim(call) = &stmt.rhs else { return false };
    matches!(call.prim, Reduce(Level::Auto) | Scan(Level::Auto) | ScanExcl(Level::Auto) | Sort | Argsort)
}

/// The statements on which a variable depends.
fn only(kernel: &Kernel, block: &Block, v: VarId) -> Block {
    let mut only = Block { stmts: block.stmts.clone(), result: Atom::Var(v) };
    uses::drop_unused(&kernel.vars, &mut only, &|_| true);
    only
}
