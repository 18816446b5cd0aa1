//! Matrices of which each work-item of a group folds a row, in every round of a loop: they are copied, so that neighbouring
//! work-items read neighbouring elements.
//!
//! `map (λx. iterate k (λs. … map (fold s) A …) x) xs = map (λx. iterate k (λs. … map (fold s) (T B) …) x) xs`, where B is
//! a copy of T A

use super::nested::{LONG, array_of, is_known, is_loop, lies_across, lies_in_memory};
use super::pass::{Names, over};
use super::versions::fresh;
use super::{Applied, host_blocks, rules, teams};
use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, Space, Stmt, VarId, VarInfo};
use crate::schedule::flat::is_flat;
use crate::target::{Class, Target};
use lift_analysis::origin::Origin;
use lift_analysis::size::Size;
use lift_analysis::ty::Ty;
use rustc_hash::{FxHashMap, FxHashSet};

/// The kernel with such copies in front of maps at host level.
pub fn beside(kernel: Kernel, target: &Target, applied: &mut Vec<Applied>) -> Kernel {
    if target.class != Class::Gpu {
        return kernel;
    }
    over(kernel, |kernel, Names { vars, .. }, body| Writer { kernel, vars, applied }.host(body))
}

struct Writer<'a> {
    kernel: &'a Kernel,
    vars: &'a mut Vec<VarInfo>,
    applied: &'a mut Vec<Applied>,
}

impl Writer<'_> {
    fn host(&mut self, block: &mut Block) {
        for mut stmt in std::mem::take(&mut block.stmts) {
            host_blocks(self.kernel, &mut stmt).into_iter().for_each(|inner| self.host(inner));
            if let Rhs::Prim(call) = &mut stmt.rhs
                && teams::shares_loops(self.kernel, call)
            {
                let mut copied = FxHashMap::default();
                let mut bound = FxHashSet::default();
                call.funs.iter().for_each(|f| binds(f, &mut bound));
                call.funs.iter_mut().for_each(|f| self.rounds(&mut f.body, false, &bound, &mut copied));
                for (matrix, turned) in copied {
                    block.stmts.extend(self.copy(matrix, turned, &stmt.origin));
                    self.applied.push(Applied { rule: &rules::COPY_BESIDE, origin: stmt.origin.clone() });
                }
            }
            block.stmts.push(stmt);
        }
    }

    /// Makes the maps in the rounds of loops go over copies, which are noted by the matrix.
    fn rounds(
        &mut self,
        block: &mut Block,
        in_loop: bool,
        bound: &FxHashSet<VarId>,
        copied: &mut FxHashMap<VarId, VarId>,
    ) {
        let mut read: Vec<(usize, usize, VarId)> = Vec::new();
        for (at, stmt) in block.stmts.iter().enumerate() {
            if !in_loop || !folds_rows(self.kernel, stmt) {
                continue;
            }
            let Some(Atom::Var(over)) = stmt.rhs.operands().first().cloned() else { continue };
            let zip = block
                .stmts
                .iter()
                .position(|s| s.var == over && matches!(&s.rhs, Rhs::Prim(PrimCall { prim: Prim::Zip, .. })));
            let (from, arrays) = match zip {
                Some(zip) => (zip, block.stmts[zip].rhs.operands().to_vec()),
                None => (at, vec![Atom::Var(over)]),
            };
            let matrices = arrays.iter().enumerate().filter_map(|(k, a)| Some((from, k, self.matrix(a, bound)?)));
            read.extend(matrices);
        }
        for (at, k, matrix) in read {
            let turned =
                *copied.entry(matrix).or_insert_with(|| fresh(self.vars, matrix, self.kernel.ty(matrix).clone()));
            if let Some(array) = block.stmts[at].rhs.operands_mut().get_mut(k) {
                *array = Atom::Var(turned);
            }
        }
        for stmt in &mut block.stmts {
            let loops = matches!(&stmt.rhs, Rhs::Prim(call) if is_loop(self.kernel, call));
            stmt.rhs.blocks_mut().into_iter().for_each(|b| self.rounds(b, in_loop || loops, bound, copied));
        }
    }

    /// The matrix of numbers, with long rows and columns that lie row by row in memory, unless it is one of these.
    fn matrix(&self, array: &Atom, bound: &FxHashSet<VarId>) -> Option<VarId> {
        let Atom::Var(v) = array else { return None };
        let rows = self.kernel.ty(*v).as_array().filter(|a| a.position.is_none())?.clone();
        let row = rows.element.as_array().filter(|a| a.position.is_none() && is_flat(&a.element))?.clone();
        let long = |n: &Size| is_known(n) && n.as_const().is_none_or(|n| n >= LONG);
        let lies = lies_in_memory(self.kernel, array) && !lies_across(self.kernel, array);
        (!bound.contains(v) && long(&rows.len) && long(&row.len) && lies).then_some(*v)
    }

    /// `turned = T B`, where B is a copy of the transposed matrix.
    fn copy(&mut self, matrix: VarId, turned: VarId, origin: &Origin) -> Vec<Stmt> {
        let ty = self.kernel.ty(matrix).clone();
        let Some((rows, row)) = ty.as_array().and_then(|rows| Some((rows.clone(), rows.element.as_array()?.clone())))
        else {
            return Vec::new();
        };
        let column = array_of(&row.element, &rows.len);
        let columns = array_of(&column, &row.len);
        let [across, copied, stored] = [0; 3].map(|_| fresh(self.vars, matrix, columns.clone()));
        let at = |var: VarId, rhs: Rhs| Stmt { var, binds: Vec::new(), rhs, origin: origin.clone() };
        let view = |of: VarId| {
            let args = vec![Atom::Var(of)];
            Rhs::Prim(PrimCall { prim: Prim::Transpose, sizes: Vec::new(), funs: Vec::new(), args })
        };
        let copy = self.same(matrix, &columns, across, origin);
        vec![
            at(across, view(matrix)),
            at(copied, copy),
            at(stored, Rhs::Store(Space::Global, Atom::Var(copied))),
            at(turned, view(stored)),
        ]
    }

    /// `map (map id) xs`.
    fn same(&mut self, like: VarId, ty: &Ty, xs: VarId, origin: &Origin) -> Rhs {
        let element = ty.as_array().map_or_else(|| ty.clone(), |a| a.element.clone());
        let x = fresh(self.vars, like, element.clone());
        let (stmts, result) = match element.as_array() {
            Some(_) => {
                let row = fresh(self.vars, like, element.clone());
                let rhs = self.same(like, &element, x, origin);
                (vec![Stmt { var: row, binds: Vec::new(), rhs, origin: origin.clone() }], row)
            }
            None => (Vec::new(), x),
        };
        let body = Block { stmts, result: Atom::Var(result) };
        let f = Lambda { position: None, params: vec![x], body, origin: origin.clone() };
        let args = vec![Atom::Var(xs)];
        Rhs::Prim(PrimCall { prim: Prim::Map(Level::Auto), sizes: Vec::new(), funs: vec![f], args })
    }
}

/// Collects the variables that a function binds, in the functions in it, too.
fn binds(f: &Lambda, bound: &mut FxHashSet<VarId>) {
    bound.extend(&f.params);
    f.body.visit(&mut |s| {
        bound.insert(s.var);
        if let Rhs::Prim(call) = &s.rhs {
            bound.extend(call.funs.iter().flat_map(|g| &g.params));
        }
    });
}

/// Whether a statement is a map to numbers whose function folds an array.
fn folds_rows(kernel: &Kernel, stmt: &Stmt) -> bool {
    let Rhs::Prim(PrimCall { prim: Prim::Map(Level::Auto), funs, .. }) = &stmt.rhs else { return false };
    let numbers = kernel.ty(stmt.var).as_array().is_some_and(|a| is_flat(&a.element));
    let fold = |s: &Stmt| matches!(&s.rhs, Rhs::Prim(call) if matches!(call.prim, Prim::Reduce(_)));
    numbers && funs.iter().all(|f| f.position.is_none() && f.body.stmts.iter().any(fold))
}
