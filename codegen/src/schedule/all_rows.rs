//! Folds of what maps make of the elements of rows: a fold reads such an array as it is computed, but nested maps would store
//! it, because work-items of their own compute it.
//!
//! `reduce f z (join (map (map g) xss)) = reduce f z (map g (join xss))`

use super::elements::elements;
use super::free::is_free;
use super::nested::{array_of, rows_of};
use super::pass::alone;
use super::versions::fresh;
use super::{Applied, host_blocks, rules, uses};
use crate::core::copy::Lengths;
use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, Stmt, VarId};
use crate::target::{Class, Target};
use lift_analysis::ty::Ty;
use rustc_hash::FxHashMap;

/// Rewrites folds at host level over nested maps to folds over one map of all elements.
pub fn all_rows(kernel: Kernel, target: &Target, applied: &mut Vec<Applied>) -> Kernel {
    if target.class != Class::Gpu {
        return kernel;
    }
    alone(kernel, |kernel, lengths, body| Writer { kernel, lengths, applied }.host(body))
}

struct Writer<'a> {
    kernel: &'a mut Kernel,
    lengths: &'a mut Lengths,
    applied: &'a mut Vec<Applied>,
}

impl Writer<'_> {
    fn host(&mut self, block: &mut Block) {
        let mut at = 0;
        while at < block.stmts.len() {
            let mut stmt = block.stmts[at].clone();
            host_blocks(self.kernel, &mut stmt).into_iter().for_each(|inner| self.host(inner));
            block.stmts[at] = stmt;
            if let Some((read, made, instead)) = self.flat(block, at) {
                self.applied.push(Applied { rule: &rules::MAP_JOINED, origin: block.stmts[at].origin.clone() });
                if let (Rhs::Prim(call), Some(last)) = (&mut block.stmts[at].rhs, made.last()) {
                    call.args[read] = Atom::Var(last.var);
                }
                let count = made.len();
                block.stmts.splice(at..at, made);
                block.stmts.retain(|s| !instead.contains(&s.var));
                // Those before it are fewer now.
                at = at + count - instead.len();
            }
            at += 1;
        }
    }

    /// For a fold of an array made by nested maps: the index of that argument, the statements that make it by one map,
    /// and the old ones, which are removed.
    fn flat(&mut self, block: &Block, at: usize) -> Option<(usize, Vec<Stmt>, Vec<VarId>)> {
        let fold = &block.stmts[at];
        let Rhs::Prim(call) = &fold.rhs else { return None };
        let read = match call.prim {
            Prim::Reduce(Level::Auto | Level::Seq) | Prim::Scan(Level::Auto) => 1,
            Prim::Filter(Level::Auto) => 0,
            _ => return None,
        };
        let Atom::Var(array) = *call.args.get(read)? else { return None };
        let instead = makers(block, array)?;
        let before = Block { stmts: block.stmts[..at].to_vec(), result: Atom::Var(array) };
        // What other maps make may be more than a function of elements; then it is read as it is stored.
        let is_other = |s: &Stmt| is_map(s) && !instead.contains(&s.var);
        let stmts = before.stmts.iter().filter(|s| !is_other(s)).cloned().collect();
        let without = Block { stmts, result: Atom::Var(array) };
        let kernel = self.kernel.clone();
        let all = [&before, &without]
            .into_iter()
            .find_map(|block| elements(&kernel, block, array).filter(|all| !all.functions.is_empty()))?;
        let (origin, vars) = (&fold.origin, &mut self.kernel.vars);
        let mut out = Vec::new();
        let mut arrays = Vec::new();
        for leaf in &all.leaves {
            let (stmts, array) = leaf.made(vars, origin);
            out.extend(stmts);
            arrays.push(array);
        }
        let of: Vec<_> = arrays.iter().map(|v| rows_of(&vars[v.0 as usize].ty)).collect::<Option<_>>()?;
        let (len, first) = of.first()?.clone();
        let stmt = |var: VarId, rhs: Rhs| Stmt { var, binds: Vec::new(), rhs, origin: origin.clone() };
        let prim = |prim, funs, args| Rhs::Prim(PrimCall { prim, sizes: Vec::new(), funs, args });
        let mut stmts = Vec::new();
        let (x, over, parts) = match arrays.as_slice() {
            [one] => {
                let x = fresh(vars, array, first);
                (x, *one, vec![Atom::Var(x)])
            }
            _ => {
                let types: Vec<Ty> = of.into_iter().map(|(_, element)| element).collect();
                let ty = Ty::tuple(types.clone());
                let (x, zip) = (fresh(vars, array, ty.clone()), fresh(vars, array, array_of(&ty, &len)));
                out.push(stmt(zip, prim(Prim::Zip, Vec::new(), arrays.into_iter().map(Atom::Var).collect())));
                let parts: Vec<VarId> = types.into_iter().map(|ty| fresh(vars, x, ty)).collect();
                stmts.extend(parts.iter().enumerate().map(|(k, var)| stmt(*var, Rhs::Proj(Atom::Var(x), k))));
                (x, zip, parts.into_iter().map(Atom::Var).collect())
            }
        };
        let names = (&mut self.kernel.vars, &mut *self.lengths);
        let result = all.element.computed(names, &parts, &FxHashMap::default(), (x, origin), &mut stmts)?;
        let made = array_of(&self.kernel.atom_ty(&result), &len);
        if made != *self.kernel.ty(array) {
            return None;
        }
        let made = fresh(&mut self.kernel.vars, array, made);
        let f = Lambda { position: None, params: vec![x], body: Block { stmts, result }, origin: origin.clone() };
        out.push(stmt(made, prim(Prim::Map(Level::Auto), vec![f], vec![Atom::Var(over)])));
        Some((read, out, instead))
    }
}

/// The nested maps that make the array, and the views of it, if nothing else reads any of them.
fn makers(block: &Block, array: VarId) -> Option<Vec<VarId>> {
    let mut found = vec![array];
    loop {
        let v = *found.last()?;
        let readers = block.stmts.iter().filter(|s| uses::mentions(s, &|w| w == v)).count();
        let stmt = block.stmts.iter().find(|s| s.var == v)?;
        if readers != 1 || block.result == Atom::Var(v) {
            return None;
        }
        match &stmt.rhs {
            Rhs::Prim(PrimCall { prim: Prim::Join | Prim::Split | Prim::Transpose, args, .. }) => match args.as_slice()
            {
                [Atom::Var(of)] => found.push(*of),
                _ => return None,
            },
            _ => return nested(stmt).then_some(found),
        }
    }
}

fn is_map(stmt: &Stmt) -> bool {
    matches!(&stmt.rhs, Rhs::Prim(PrimCall { prim: Prim::Map(Level::Auto), .. }))
}

/// Whether a statement consists of nested maps that compute something.
fn nested(stmt: &Stmt) -> bool {
    let computes = |s: &Stmt| is_map(s) && !is_free(&s.rhs);
    let Rhs::Prim(PrimCall { prim: Prim::Map(Level::Auto), funs, .. }) = &stmt.rhs else { return false };
    funs.iter().any(|f| f.body.stmts.iter().any(computes))
}
