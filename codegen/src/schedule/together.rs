//! Joins folds of the same elements, so that these are read once.
//!
//! `(reduce f y xs, reduce g z ys) = unzip (reduce (f × g) (y, z) (zip xs ys))`, where xs and ys are made of one stored
//! array, element by element. In the function of a map also of several arrays, if all of its work is then one fold: of few, long
//! rows, and of arrays that all elements read.

use super::nested::{Dims, Work, array_of, is_known, rows_of, work_of};
use super::neutral::operator;
use super::uses::is_independent;
use super::versions::fresh;
use super::{Applied, host_blocks, nest, rules, uses};
use crate::core::copy::{Copier, Lengths};
use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, ScalarOp, Stmt, VarId};
use crate::target::{Class, Target};
use lift_analysis::origin::Origin;
use lift_analysis::size::Size;
use lift_analysis::ty::Ty;
use rustc_hash::{FxHashMap, FxHashSet};

/// Maximum folds that one launch computes: each work-item keeps the elements and the results of all in registers.
const MOST: usize = 16;

/// Joins host-level folds, so that they read each stored array once.
pub fn together(mut kernel: Kernel, target: &Target, applied: &mut Vec<Applied>) -> Kernel {
    if target.class != Class::Gpu {
        return kernel;
    }
    let mut body = kernel.body.clone();
    Writer { kernel: &mut kernel, sharing: true, applied }.at_the_host(&mut body);
    kernel.body = body;
    kernel
}

/// Joins the folds of a function over arrays of one length, even if these are unrelated.
pub fn in_function(kernel: &mut Kernel, f: &mut Lambda, applied: &mut Vec<Applied>) {
    Writer { kernel, sharing: false, applied }.block(&mut f.body);
}

/// The function of a row whose only work is one fold, which does what several folds did: for that there are strategies that
/// read the rows once, few long ones, too. New variables are added to the kernel.
pub fn one_fold(kernel: &mut Kernel, f: &Lambda, applied: &mut Vec<Applied>) -> Option<Lambda> {
    let is_fold = |s: &&Stmt| matches!(work_of(kernel, s), Work::Together(_)) && is_reduce(s);
    if f.position.is_some() || f.body.stmts.iter().filter(is_fold).count() < 2 {
        return None;
    }
    let (mut joined, mut added) = (f.clone(), Vec::new());
    let mut writer = Writer { kernel, sharing: false, applied: &mut added };
    writer.block(&mut joined.body);
    let nest = nest::recognise(writer.kernel, &joined).filter(|nest| nest.reorder && !nest.matrix)?;
    writer.read_once(&mut joined.body, nest.fold);
    applied.extend(added);
    Some(joined)
}

struct Writer<'a> {
    kernel: &'a mut Kernel,
    /// Whether only folds of the same array are joined.
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
            if let Some(call) = self.of_all(stmt) {
                stmt.rhs = Rhs::Prim(call);
            }
        }
        self.block(block);
    }

    /// Joins the folds in the function of a map, possibly below other maps, of arrays that are the same for all
    /// elements.
    fn of_all(&mut self, stmt: &Stmt) -> Option<PrimCall> {
        let Rhs::Prim(call @ PrimCall { prim: Prim::Map(Level::Auto), .. }) = &stmt.rhs else { return None };
        let dims = Dims::of(self.kernel, call);
        if dims.has_rows(self.kernel) {
            return None;
        }
        let (depth, f) = (dims.calls.len(), dims.innermost().clone());
        let is_long = |s: &Stmt| matches!(work_of(self.kernel, s), Work::Together(_));
        if f.position.is_some() || !f.body.stmts.iter().all(|s| !is_reduce(s) || is_long(s)) {
            return None;
        }
        let mut joined = f;
        let folds = Writer { kernel: self.kernel, sharing: false, applied: self.applied }.block(&mut joined.body);
        folds.iter().for_each(|fold| self.read_once(&mut joined.body, *fold));
        let mut call = call.clone();
        *nest::innermost(&mut call, depth)? = joined;
        (!folds.is_empty()).then_some(call)
    }

    /// Joins the folds of a block; returns the joined ones.
    fn block(&mut self, block: &mut Block) -> Vec<VarId> {
        let mut joined = Vec::new();
        while let Some(group) = self.group(block) {
            joined.push(self.replace(block, &group));
        }
        joined
    }

    /// The first folds of a block that share an array and do not need each other, in order.
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
            Some(Rhs::Proj(Atom::Var(parts), _)) if unzipped(block, *parts).is_some() => {
                unzipped(block, *parts).iter().for_each(|a| self.roots(block, a, out));
            }
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

    /// Replaces folds by one at the position of the last, and returns it. The readers of their results are moved after
    /// it.
    fn replace(&mut self, block: &mut Block, group: &[Fold]) -> VarId {
        let (first, last) = (&group[0], &group[group.len() - 1]);
        let origin = block.stmts[last.at].origin.clone();
        let folds: Vec<VarId> = group.iter().map(|fold| block.stmts[fold.at].var).collect();
        let (mut stmts, later) = uses::around(std::mem::take(&mut block.stmts), first.at, last.at, &folds);
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
        for mut stmt in later {
            if let Rhs::Prim(PrimCall { prim: Prim::Head, args, .. }) = &stmt.rhs
                && let Some(k) = folds.iter().position(|fold| args.as_slice() == [Atom::Var(*fold)])
            {
                stmt.rhs = Rhs::Proj(Atom::Var(all), k);
            }
            stmts.push(stmt);
        }
        block.stmts = stmts;
        self.applied.push(Applied { rule: &rules::FOLDS_TOGETHER, origin });
        folded
    }

    /// Makes the elements of a joined fold by one map, so that each element of the arrays is read once.
    fn read_once(&mut self, block: &mut Block, fold: VarId) {
        let found = block.stmts.iter().position(|s| s.var == fold);
        let Some(Rhs::Prim(PrimCall { args, .. })) = found.map(|at| &block.stmts[at].rhs) else { return };
        let Atom::Var(zipped) = args[1] else { return };
        let Some(at) = block.stmts.iter().position(|s| s.var == zipped) else { return };
        let Rhs::Prim(PrimCall { prim: Prim::Zip, args: parts, .. }) = block.stmts[at].rhs.clone() else { return };
        let origin = block.stmts[at].origin.clone();
        let mut made = Elements {
            roots: Vec::new(),
            made: FxHashMap::default(),
            only: read_only_by(block, at),
            stmts: Vec::new(),
            origin: origin.clone(),
        };
        let all: Option<Vec<Atom>> = parts.iter().map(|xs| self.element(block, xs, &mut made)).collect();
        let (Some(all), false) = (all, made.roots.is_empty()) else { return };
        let Elements { roots, mut stmts, .. } = made;
        let new = |var: VarId, rhs: Rhs| Stmt { var, binds: Vec::new(), rhs, origin: origin.clone() };
        let ty = self.kernel.ty(zipped).clone();
        let Some((len, element)) = rows_of(&ty) else { return };
        let tuple = fresh(&mut self.kernel.vars, zipped, element);
        stmts.push(new(tuple, Rhs::Tuple(all)));
        let mut before = Vec::new();
        let (param, source) = match roots.as_slice() {
            [(xs, x)] => (*x, xs.clone()),
            _ => {
                let pair = Ty::tuple(roots.iter().map(|(_, x)| self.kernel.ty(*x).clone()).collect());
                let one = fresh(&mut self.kernel.vars, zipped, pair.clone());
                let both = fresh(&mut self.kernel.vars, zipped, array_of(&pair, &len));
                let apart = roots.iter().enumerate().map(|(k, (_, x))| new(*x, Rhs::Proj(Atom::Var(one), k)));
                stmts.splice(0..0, apart);
                let args = roots.iter().map(|(xs, _)| xs.clone()).collect();
                before.push(new(
                    both,
                    Rhs::Prim(PrimCall { prim: Prim::Zip, sizes: Vec::new(), funs: Vec::new(), args }),
                ));
                (one, Atom::Var(both))
            }
        };
        let body = Block { stmts, result: Atom::Var(tuple) };
        let f = Lambda { position: None, params: vec![param], body, origin: origin.clone() };
        let map = PrimCall { prim: Prim::Map(Level::Auto), sizes: Vec::new(), funs: vec![f], args: vec![source] };
        before.push(new(zipped, Rhs::Prim(map)));
        block.stmts.splice(at..=at, before);
        drop_unread(block);
    }

    /// The element of an array, computed from the elements of its root arrays.
    fn element(&mut self, block: &Block, xs: &Atom, made: &mut Elements) -> Option<Atom> {
        let Atom::Var(v) = xs else { return None };
        if let Some(x) = made.made.get(v) {
            return Some(x.clone());
        }
        let x = self.new_element(block, *v, made)?;
        made.made.insert(*v, x.clone());
        Some(x)
    }

    fn new_element(&mut self, block: &Block, v: VarId, made: &mut Elements) -> Option<Atom> {
        let known = block.stmts.iter().find(|s| s.var == v).filter(|s| made.only.contains(&s.var));
        match known.map(|s| s.rhs.clone()) {
            Some(Rhs::Atom(a)) => self.element(block, &a, made),
            Some(Rhs::Prim(PrimCall { prim: Prim::Zip, args, .. })) => {
                let parts = args.iter().map(|a| self.element(block, a, made)).collect::<Option<Vec<Atom>>>()?;
                let (_, ty) = rows_of(self.kernel.ty(v))?;
                let tuple = fresh(&mut self.kernel.vars, v, ty);
                let origin = made.origin.clone();
                made.stmts.push(Stmt { var: tuple, binds: Vec::new(), rhs: Rhs::Tuple(parts), origin });
                Some(Atom::Var(tuple))
            }
            Some(Rhs::Proj(Atom::Var(parts), k))
                if made.only.contains(&parts)
                    && let Some(tuples) = unzipped(block, parts) =>
            {
                let tuple = self.element(block, &tuples, made)?;
                let (_, ty) = rows_of(self.kernel.ty(v))?;
                let part = fresh(&mut self.kernel.vars, v, ty);
                let origin = made.origin.clone();
                made.stmts.push(Stmt { var: part, binds: Vec::new(), rhs: Rhs::Proj(tuple, k), origin });
                Some(Atom::Var(part))
            }
            Some(Rhs::Prim(PrimCall { prim: Prim::Map(Level::Auto), funs, args, .. }))
                if funs[0].position.is_none()
                    && funs[0].params.len() == 1
                    && funs[0].body.stmts.iter().all(|s| work_of(self.kernel, s) == Work::Item) =>
            {
                let x = self.element(block, &args[0], made)?;
                let mut lengths = Lengths::of(self.kernel);
                let mut copier = Copier::new(&mut self.kernel.vars, &mut lengths);
                copier.atoms.insert(funs[0].params[0], x);
                let Block { stmts, result } = copier.block(&funs[0].body);
                made.stmts.extend(stmts);
                Some(result)
            }
            _ => {
                // The same component of a tuple may have several names.
                let component = |a: &Atom| {
                    block.stmts.iter().find_map(|s| match &s.rhs {
                        Rhs::Proj(of, k) if *a == Atom::Var(s.var) => Some((of.clone(), *k)),
                        _ => None,
                    })
                };
                let xs = Atom::Var(v);
                let own = component(&xs);
                let is_same = |root: &Atom| *root == xs || own.is_some() && component(root) == own;
                if let Some((_, x)) = made.roots.iter().find(|(root, _)| is_same(root)) {
                    return Some(Atom::Var(*x));
                }
                let (_, ty) = rows_of(self.kernel.ty(v))?;
                let x = fresh(&mut self.kernel.vars, v, ty);
                made.roots.push((xs, x));
                Some(Atom::Var(x))
            }
        }
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

/// The root arrays and the statements that compute elements of several arrays of one length.
struct Elements {
    /// The arrays that are read, each with the variable of its element.
    roots: Vec<(Atom, VarId)>,
    /// The elements of the arrays computed from these, each computed once.
    made: FxHashMap<VarId, Atom>,
    /// The arrays that nothing else reads.
    only: FxHashSet<VarId>,
    stmts: Vec<Stmt>,
    origin: Origin,
}

/// The variables that only the statement at `at` reads, directly or through others of them.
fn read_only_by(block: &Block, at: usize) -> FxHashSet<VarId> {
    let mut only = FxHashSet::from_iter([block.stmts[at].var]);
    for stmt in block.stmts[..at].iter().rev() {
        let is_it = |v: VarId| v == stmt.var;
        let read = |s: &&Stmt| uses::mentions(s, &is_it);
        let alone = block.stmts.iter().filter(read).all(|s| only.contains(&s.var));
        if alone && block.result != Atom::Var(stmt.var) {
            only.insert(stmt.var);
        }
    }
    only
}

/// The array whose tuples a variable has taken apart.
fn unzipped(block: &Block, parts: VarId) -> Option<Atom> {
    match &block.stmts.iter().find(|s| s.var == parts)?.rhs {
        Rhs::Prim(PrimCall { prim: Prim::Unzip, args, .. }) => args.first().cloned(),
        _ => None,
    }
}

/// Removes the maps, zips and parts of arrays that nothing reads.
fn drop_unread(block: &mut Block) {
    for at in (0..block.stmts.len()).rev() {
        let v = block.stmts[at].var;
        let made = match &block.stmts[at].rhs {
            Rhs::Prim(call) => matches!(call.prim, Prim::Map(_) | Prim::Zip | Prim::Unzip),
            Rhs::Proj(..) => true,
            _ => false,
        };
        let read = block.stmts[at + 1..].iter().any(|s| uses::mentions(s, &|w| w == v));
        if made && !read && block.result != Atom::Var(v) {
            block.stmts.remove(at);
        }
    }
}

fn is_reduce(stmt: &Stmt) -> bool {
    matches!(&stmt.rhs, Rhs::Prim(call) if call.prim == Prim::Reduce(Level::Auto))
}
