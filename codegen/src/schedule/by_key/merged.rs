//! Folds by the same keys, joined: the keys are read, or sorted, once for all of them.
//!
//! `(reduceByKey n f y ks xs, reduceByKey n g z ks ys) = unzip (reduceByKey n (f × g) (y, z) ks (zip xs ys))`
//!
//! Folds with an atomic operation stay apart: their tables need no order.

use super::sorted::{atomic, masked_cells, ordered};
use crate::core::copy::{Copier, Lengths};
use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, Stmt, VarId};
use crate::schedule::nested::{array_of, rows_of};
use crate::schedule::pass::within;
use crate::schedule::uses::is_independent;
use crate::schedule::versions::fresh;
use crate::schedule::{Applied, host_blocks, rules, uses};
use crate::target::{Class, Target};
use lift_analysis::parameters::Parameter;
use lift_analysis::size::Size;
use lift_analysis::ty::Ty;

/// Maximum folds that are joined: their values share a table in local memory.
const MOST: usize = 4;

/// Joins such folds at host level.
pub fn merged(kernel: Kernel, target: &Target, applied: &mut Vec<Applied>) -> Kernel {
    if target.class != Class::Gpu {
        return kernel;
    }
    let few = masked_cells(target, 4) * i64::from(target.get(Parameter::KeyTurns));
    within(kernel, |kernel, lengths, body| Writer { kernel, lengths, few, applied }.block(body))
}

struct Writer<'a> {
    kernel: &'a mut Kernel,
    lengths: &'a mut Lengths,
    /// Maximum keys whose tables are in local memory.
    few: i64,
    applied: &'a mut Vec<Applied>,
}

/// A fold of scalars by key.
struct Fold {
    at: usize,
    var: VarId,
    f: Lambda,
    z: Atom,
    keys: Atom,
    xs: Atom,
    /// The number of keys, and the number of elements and their type.
    n: Size,
    len: Size,
    element: Ty,
}

impl Writer<'_> {
    fn block(&mut self, block: &mut Block) {
        for stmt in &mut block.stmts {
            host_blocks(self.kernel, stmt).into_iter().for_each(|inner| self.block(inner));
        }
        while let Some(group) = self.group(block) {
            self.join(block, &group);
        }
    }

    /// The first folds of a block that have the same keys and do not need each other, in order.
    fn group(&self, block: &Block) -> Option<Vec<Fold>> {
        let mut folds: Vec<Fold> = (0..block.stmts.len()).filter_map(|at| self.fold(block, at)).collect();
        while folds.len() > 1 {
            let rest = folds.split_off(1);
            let mut group = folds;
            let mut others = Vec::new();
            for next in rest {
                let same = next.keys == group[0].keys && next.n == group[0].n && next.len == group[0].len;
                let apart = || group.iter().all(|fold| is_independent(block, fold.at, next.at));
                if same && group.len() < MOST && apart() { group.push(next) } else { others.push(next) }
            }
            if group.len() > 1 {
                return Some(group);
            }
            folds = others;
        }
        None
    }

    fn fold(&self, block: &Block, at: usize) -> Option<Fold> {
        let stmt = &block.stmts[at];
        let Rhs::Prim(PrimCall { prim: Prim::ReduceByKey(Level::Glb(0)), sizes, funs, args }) = &stmt.rhs else {
            return None;
        };
        let ([n], [f], [z, keys, xs]) = (sizes.as_slice(), funs.as_slice(), args.as_slice()) else { return None };
        let (len, element) = rows_of(&self.kernel.atom_ty(xs))?;
        // The least and the greatest floats of many keys need no order.
        if ordered(f, &element).is_some() && n.as_const().is_none_or(|n| n > self.few) {
            return None;
        }
        let scalar = element.as_scalar().is_some() && self.kernel.atom_ty(z) == element;
        (scalar && f.combines_components() && atomic(f, &element).is_none() && stmt.binds.is_empty()).then(|| Fold {
            at,
            var: stmt.var,
            f: f.clone(),
            z: z.clone(),
            keys: keys.clone(),
            xs: xs.clone(),
            n: n.clone(),
            len,
            element,
        })
    }

    /// Replaces folds by one at the position of the last. What reads their results is moved after it.
    fn join(&mut self, block: &mut Block, group: &[Fold]) {
        let (first, last) = (&group[0], &group[group.len() - 1]);
        let origin = block.stmts[last.at].origin.clone();
        let folds: Vec<VarId> = group.iter().map(|fold| fold.var).collect();
        let (mut stmts, later) = uses::around(std::mem::take(&mut block.stmts), first.at, last.at, &folds);
        let at = |var: VarId, rhs: Rhs| Stmt { var, binds: Vec::new(), rhs, origin: origin.clone() };
        let prim = |prim, sizes, funs, args| Rhs::Prim(PrimCall { prim, sizes, funs, args });
        let ty = Ty::tuple(group.iter().map(|fold| fold.element.clone()).collect());
        let apart = Ty::tuple(group.iter().map(|fold| array_of(&fold.element, &first.n)).collect());
        let [zipped, start, folded, all] = [array_of(&ty, &first.len), ty.clone(), array_of(&ty, &first.n), apart]
            .map(|ty| fresh(&mut self.kernel.vars, last.var, ty));
        let operator = self.operator(group, &ty);
        stmts.push(at(zipped, prim(Prim::Zip, vec![], vec![], group.iter().map(|fold| fold.xs.clone()).collect())));
        stmts.push(at(start, Rhs::Tuple(group.iter().map(|fold| fold.z.clone()).collect())));
        let args = vec![Atom::Var(start), first.keys.clone(), Atom::Var(zipped)];
        stmts.push(at(folded, prim(Prim::ReduceByKey(Level::Glb(0)), vec![first.n.clone()], vec![operator], args)));
        stmts.push(at(all, prim(Prim::Unzip, vec![], vec![], vec![Atom::Var(folded)])));
        stmts.extend(folds.iter().enumerate().map(|(k, fold)| at(*fold, Rhs::Proj(Atom::Var(all), k))));
        stmts.extend(later);
        block.stmts = stmts;
        self.applied.push(Applied { rule: &rules::BY_KEY_TOGETHER, origin });
    }

    /// λ(p,q). (f (get1 p) (get1 q), g (get2 p) (get2 q), …)
    fn operator(&mut self, group: &[Fold], ty: &Ty) -> Lambda {
        let last = &group[group.len() - 1];
        let origin = last.f.origin.clone();
        let sides = [0, 1].map(|_| fresh(&mut self.kernel.vars, last.var, ty.clone()));
        let (mut stmts, mut results) = (Vec::new(), Vec::new());
        for (k, fold) in group.iter().enumerate() {
            let parts = sides.map(|side| {
                let part = fresh(&mut self.kernel.vars, last.var, fold.element.clone());
                let rhs = Rhs::Proj(Atom::Var(side), k);
                stmts.push(Stmt { var: part, binds: Vec::new(), rhs, origin: origin.clone() });
                part
            });
            let mut copier = Copier::new(&mut self.kernel.vars, self.lengths);
            for (param, part) in fold.f.params.iter().zip(parts) {
                copier.atoms.insert(*param, Atom::Var(part));
            }
            let body = copier.block(&fold.f.body);
            stmts.extend(body.stmts);
            results.push(body.result);
        }
        let all = fresh(&mut self.kernel.vars, last.var, ty.clone());
        stmts.push(Stmt { var: all, binds: Vec::new(), rhs: Rhs::Tuple(results), origin: origin.clone() });
        let body = Block { stmts, result: Atom::Var(all) };
        Lambda { position: None, params: sides.to_vec(), body, origin }
    }
}
