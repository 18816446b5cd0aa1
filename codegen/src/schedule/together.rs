//! Folds of the same elements, computed together, so that these are read once.
//!
//! `(reduce f y xs, reduce g z ys) = unzip (reduce (f × g) (y, z) (zip xs ys))`, where xs and ys are made of one stored
//! array, element by element.

use super::nested::{Work, array_of, is_known, work_of};
use super::neutral::operator;
use super::versions::fresh;
use super::{Applied, host_blocks, rules, uses};
use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, ScalarOp, Stmt, VarId};
use crate::target::{Class, Target};
use lift_analysis::origin::Origin;
use lift_analysis::size::Size;
use lift_analysis::ty::Ty;
use rustc_hash::FxHashSet;

/// Most folds that one launch computes: each work-item keeps the elements and the results of all in registers.
const MOST: usize = 6;

/// The kernel whose folds at host level read each stored array once.
pub fn together(mut kernel: Kernel, target: &Target, applied: &mut Vec<Applied>) -> Kernel {
    if target.class != Class::Gpu {
        return kernel;
    }
    let mut body = kernel.body.clone();
    Writer { kernel: &mut kernel, sharing: true, applied }.at_the_host(&mut body);
    kernel.body = body;
    kernel
}

/// Makes one fold of those of a function that are over arrays of one length, whatever they read.
pub fn in_function(kernel: &mut Kernel, f: &mut Lambda, applied: &mut Vec<Applied>) {
    Writer { kernel, sharing: false, applied }.block(&mut f.body);
}

struct Writer<'a> {
    kernel: &'a mut Kernel,
    /// Whether folds are joined only if they read the same array.
    sharing: bool,
    applied: &'a mut Vec<Applied>,
}

/// A fold of scalars by an operator of the language. Nothing but `head` reads its result.
struct Fold {
    at: usize,
    op: ScalarOp,
    z: Atom,
    xs: Atom,
    element: Ty,
    len: Size,
    /// The arrays of which its elements are made.
    roots: FxHashSet<VarId>,
}

impl Writer<'_> {
    fn at_the_host(&mut self, block: &mut Block) {
        for stmt in &mut block.stmts {
            host_blocks(self.kernel, stmt).into_iter().for_each(|inner| self.at_the_host(inner));
        }
        self.block(block);
    }

    fn block(&mut self, block: &mut Block) {
        while let Some(group) = self.group(block) {
            self.replace(block, &group);
        }
    }

    /// The first folds of a block that share an array, none of which depends on another one; in the order of the block.
    fn group(&self, block: &Block) -> Option<Vec<Fold>> {
        let mut folds: Vec<Fold> = (0..block.stmts.len()).filter_map(|at| self.fold(block, at)).collect();
        while folds.len() > 1 {
            let mut rest = folds.split_off(1).into_iter();
            let mut group = folds;
            let mut others = Vec::new();
            for next in rest.by_ref() {
                let first = &group[0];
                let joins = group.len() < MOST
                    && next.len == first.len
                    && (!self.sharing || group.iter().any(|fold| !fold.roots.is_disjoint(&next.roots)))
                    && group.iter().all(|fold| is_independent(block, fold.at, next.at));
                if joins { group.push(next) } else { others.push(next) }
            }
            if group.len() > 1 {
                return Some(group);
            }
            folds = others;
        }
        None
    }

    fn fold(&self, block: &Block, at: usize) -> Option<Fold> {
        use ScalarOp::{Add, BitAnd, BitOr, BitXor, Max, Min, Mul};
        let stmt = &block.stmts[at];
        let Rhs::Prim(PrimCall { prim: Prim::Reduce(Level::Auto), funs, args, .. }) = &stmt.rhs else { return None };
        let ([f], [z, xs]) = (funs.as_slice(), args.as_slice()) else { return None };
        let op = operator(f).filter(|op| matches!(op, Add | Mul | Min | Max | BitAnd | BitOr | BitXor))?;
        let ty = self.kernel.atom_ty(xs);
        let array = ty.as_array().filter(|a| a.position.is_none() && is_known(&a.len))?;
        array.element.as_scalar()?;
        let is_head = |s: &Stmt| matches!(&s.rhs, Rhs::Prim(c) if c.prim == Prim::Head);
        let read_by_heads = block.stmts.iter().all(|s| is_head(s) || !uses::mentions(s, &|v| v == stmt.var));
        if !read_by_heads || block.result == Atom::Var(stmt.var) || !stmt.binds.is_empty() {
            return None;
        }
        let (z, xs) = (z.clone(), xs.clone());
        let mut roots = FxHashSet::default();
        self.roots(block, &xs, &mut roots);
        Some(Fold { at, op, z, xs, element: array.element.clone(), len: array.len.clone(), roots })
    }

    /// Collects the arrays of which the elements of another one are made, by maps that take few instructions for each.
    fn roots(&self, block: &Block, xs: &Atom, out: &mut FxHashSet<VarId>) {
        let Atom::Var(v) = xs else { return };
        let made = block.stmts.iter().find(|s| s.var == *v);
        match made.map(|s| &s.rhs) {
            Some(Rhs::Atom(a)) => self.roots(block, a, out),
            Some(Rhs::Prim(PrimCall { prim: Prim::Zip, args, .. })) => {
                args.iter().for_each(|a| self.roots(block, a, out));
            }
            Some(Rhs::Prim(PrimCall { prim: Prim::Iota, .. })) => {}
            Some(Rhs::Prim(PrimCall { prim: Prim::Map(Level::Auto), funs, args, .. }))
                if funs.iter().all(|f| f.body.stmts.iter().all(|s| work_of(self.kernel, s) == Work::Item)) =>
            {
                args.iter().for_each(|a| self.roots(block, a, out));
            }
            _ => {
                out.insert(*v);
            }
        }
    }

    /// Replaces folds by one, where the last of them stood. What reads their results comes after it.
    fn replace(&mut self, block: &mut Block, group: &[Fold]) {
        let [first, .., last] = group else { return };
        let origin = block.stmts[last.at].origin.clone();
        let folds: Vec<VarId> = group.iter().map(|fold| block.stmts[fold.at].var).collect();
        let mut after: FxHashSet<VarId> = folds.iter().copied().collect();
        let mut stmts = std::mem::take(&mut block.stmts);
        let rest = stmts.split_off(last.at + 1);
        let between = stmts.split_off(first.at);
        let mut later = Vec::new();
        for stmt in between {
            let reads = uses::mentions(&stmt, &|v| after.contains(&v));
            match folds.contains(&stmt.var) {
                true => {}
                false if reads => {
                    after.insert(stmt.var);
                    later.push(stmt);
                }
                false => stmts.push(stmt),
            }
        }
        let at = |var: VarId, rhs: Rhs| Stmt { var, binds: Vec::new(), rhs, origin: origin.clone() };
        let prim = |prim, funs, args| Rhs::Prim(PrimCall { prim, sizes: Vec::new(), funs, args });
        let ty = Ty::tuple(group.iter().map(|fold| fold.element.clone()).collect());
        let like = folds[folds.len() - 1];
        let [zipped, start, folded, all] =
            [array_of(&ty, &last.len), ty.clone(), array_of(&ty, &Size::one()), ty.clone()]
                .map(|ty| fresh(&mut self.kernel.vars, like, ty));
        let operator = self.operator(group, &ty, like, &origin);
        stmts.push(at(zipped, prim(Prim::Zip, Vec::new(), group.iter().map(|fold| fold.xs.clone()).collect())));
        stmts.push(at(start, Rhs::Tuple(group.iter().map(|fold| fold.z.clone()).collect())));
        let args = vec![Atom::Var(start), Atom::Var(zipped)];
        stmts.push(at(folded, prim(Prim::Reduce(Level::Auto), vec![operator], args)));
        stmts.push(at(all, prim(Prim::Head, Vec::new(), vec![Atom::Var(folded)])));
        for mut stmt in later.into_iter().chain(rest) {
            if let Rhs::Prim(PrimCall { prim: Prim::Head, args, .. }) = &stmt.rhs
                && let Some(k) = folds.iter().position(|fold| args.as_slice() == [Atom::Var(*fold)])
            {
                stmt.rhs = Rhs::Proj(Atom::Var(all), k);
            }
            stmts.push(stmt);
        }
        block.stmts = stmts;
        self.applied.push(Applied { rule: &rules::FOLDS_TOGETHER, origin });
    }

    /// The operator that applies that of each fold to its component.
    fn operator(&mut self, group: &[Fold], ty: &Ty, like: VarId, origin: &Origin) -> Lambda {
        let vars = &mut self.kernel.vars;
        let [a, b, both] = [0; 3].map(|_| fresh(vars, like, ty.clone()));
        let at = |var: VarId, rhs: Rhs| Stmt { var, binds: Vec::new(), rhs, origin: origin.clone() };
        let mut stmts = Vec::new();
        let mut parts = Vec::new();
        for (k, fold) in group.iter().enumerate() {
            let [x, y, z] = [0; 3].map(|_| fresh(vars, like, fold.element.clone()));
            stmts.push(at(x, Rhs::Proj(Atom::Var(a), k)));
            stmts.push(at(y, Rhs::Proj(Atom::Var(b), k)));
            stmts.push(at(z, Rhs::Scalar(fold.op, vec![Atom::Var(x), Atom::Var(y)])));
            parts.push(Atom::Var(z));
        }
        stmts.push(at(both, Rhs::Tuple(parts)));
        let body = Block { stmts, result: Atom::Var(both) };
        Lambda { position: None, params: vec![a, b], body, origin: origin.clone() }
    }
}

/// Whether the statement at `to` depends on none that the one at `from` makes, and no length is opened between them.
fn is_independent(block: &Block, from: usize, to: usize) -> bool {
    let mut of_first = FxHashSet::from_iter([block.stmts[from].var]);
    for stmt in &block.stmts[from + 1..=to] {
        if !stmt.binds.is_empty() {
            return false;
        }
        if uses::mentions(stmt, &|v| of_first.contains(&v)) {
            of_first.insert(stmt.var);
        }
    }
    !of_first.contains(&block.stmts[to].var)
}
