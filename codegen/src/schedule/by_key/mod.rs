//! Rules that introduce `reduceByKey`: a `map` over indices 0, 1, … whose function folds the elements of an array with
//! that index as their key becomes one pass over the array. That is Futhark's `reduce_by_index` (Henriksen,
//! Hellfritzsch, Sadayappan, Oancea, *Compiling generalized histograms for GPU*, SC 2020), recognised in programs that
//! do not mention it.
//!
//! [`numbered`] finds the maps and zips the results with their elements; [`fold`] recognises folds with a condition on
//! a key, [`swapped`] those of the columns of a matrix, [`rows`] those of its rows, [`bounds`] searches in sorted arrays, which are counts; [`slice`](mod@slice) extracts parts of functions.
//! [`grouped`](mod@grouped) sorts what is filtered by each key, and [`merged`](mod@merged) joins folds by the same keys. [`sorted`](mod@sorted) is for tables far larger than local memory, for tuples, and for operators that are not commutative; [`pieces`] for such tables of rows.

mod bounds;
mod fold;
mod grouped;
mod merged;
mod numbered;
mod pieces;
mod rows;
mod slice;
mod sorted;
mod swapped;

use super::nest::is_scalars;
use super::{Applied, on_the_host};
use crate::core::copy::Lengths;
use crate::core::simplify::{bound_in, rename, simplify};
use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, Stmt, VarId, VarInfo};
pub use grouped::grouped;
use lift_analysis::hir::Name;
use lift_analysis::origin::Origin;
use lift_analysis::size::Size;
use lift_analysis::ty::Ty;
pub use merged::merged;
use numbered::Numbered;
use rustc_hash::{FxHashMap, FxHashSet};
pub use sorted::{Atomic, atomic, masked_cells, ordered, sorted, table_bytes};

/// Applies these rules until `applied` has `most` entries.
pub fn rewrite(mut kernel: Kernel, most: usize, applied: &mut Vec<Applied>) -> Kernel {
    while applied.len() < most
        && let Some(next) = one(&kernel, applied).or_else(|| inside(&kernel, &kernel.body, applied))
    {
        kernel = simplify(without_copies(simplify(next)));
    }
    kernel
}

/// Applies the first rule that matches.
fn one(kernel: &Kernel, applied: &mut Vec<Applied>) -> Option<Kernel> {
    (0..kernel.body.stmts.len()).find_map(|at| {
        let numbered = Numbered::of(kernel, at);
        let own = numbered.and_then(|n| fold::by_key(kernel, &n).or_else(|| bounds::by_key(kernel, &n)));
        let (next, rule) = own.or_else(|| swapped::by_key(kernel, at)).or_else(|| rows::by_key(kernel, at))?;
        applied.push(rule);
        Some(next)
    })
}

/// Whether one of these rules would match if the block were at host level.
pub fn would_match(kernel: &Kernel, block: &Block) -> bool {
    may_match(block) && one(&kernel.around(kernel.params.clone(), block.clone()), &mut Vec::new()).is_some()
}

/// Whether a block has what these rules need: a fold and a condition, or a search.
pub fn may_match(block: &Block) -> bool {
    let (mut folds, mut chooses, mut searches) = (false, false, false);
    block.visit(&mut |stmt| match &stmt.rhs {
        Rhs::If(..) => chooses = true,
        Rhs::Prim(call) => {
            folds |= matches!(call.prim, Prim::Reduce(_));
            searches |= call.prim == Prim::Search;
        }
        _ => {}
    });
    searches || folds && chooses
}

/// Whether a fold by key can use a table of partial results: its values are scalars or tuples of scalars, and its operator is
/// commutative, because elements reach the table in any order. Others are [`sorted`](mod@sorted).
fn by_table(kernel: &Kernel, f: &Lambda, z: &Atom) -> bool {
    f.combines_components() && is_scalars(&kernel.atom_ty(z))
}

/// Applies these rules in a function. Returns all variables, including new ones, and the function; `None` if no rule
/// matches. Its folds by key are not placed.
pub fn in_function(kernel: &Kernel, f: &Lambda, applied: &mut Vec<Applied>) -> Option<(Vec<VarInfo>, Lambda)> {
    if !may_match(&f.body) {
        return None;
    }
    let before = applied.len();
    let outside = outside(f);
    let params = outside.iter().chain(&f.params).copied().collect();
    let mut own = kernel.around(params, f.body.clone());
    while let Some(next) = one(&own, applied) {
        own = simplify(without_copies(simplify(next)));
    }
    if applied.len() == before {
        return None;
    }
    let folds = |stmt: &Stmt| matches!(&stmt.rhs, Rhs::Prim(PrimCall { prim: Prim::ReduceByKey(_), funs, args, .. }) if !by_table(&own, &funs[0], &args[0]));
    if own.body.stmts.iter().any(folds) {
        applied.truncate(before);
        return None;
    }
    for stmt in &mut own.body.stmts {
        if let Rhs::Prim(PrimCall { prim: Prim::ReduceByKey(level), .. }) = &mut stmt.rhs {
            *level = Level::Auto;
        }
    }
    let mut vars = kernel.vars.clone();
    let first = u32::try_from(vars.len()).ok()?;
    vars.extend(own.vars);
    let mut new = own.params.split_off(outside.len());
    rename(&mut own.body, &|v| {
        *v = own.params.iter().position(|p| p == v).map_or(VarId(v.0 + first), |at| outside[at]);
    });
    new.iter_mut().for_each(|v| v.0 += first);
    Some((vars, Lambda { params: new, body: own.body, ..f.clone() }))
}

/// The free variables of a function.
fn outside(f: &Lambda) -> Vec<VarId> {
    let mut own = f.params.clone();
    bound_in(&f.body, &mut own);
    let own: FxHashSet<VarId> = own.into_iter().collect();
    let mut found = Vec::new();
    let mut read = |atom: &Atom| {
        if let Atom::Var(v) = atom
            && !own.contains(v)
            && !found.contains(v)
        {
            found.push(*v);
        }
    };
    read(&f.body.result);
    f.body.visit(&mut |stmt| {
        stmt.rhs.operands().iter().for_each(&mut read);
        stmt.rhs.blocks().into_iter().for_each(|block| read(&block.result));
    });
    found
}

/// Applies the first rule that matches in a nested block at host level.
fn inside(kernel: &Kernel, block: &Block, applied: &mut Vec<Applied>) -> Option<Kernel> {
    block.stmts.iter().enumerate().find_map(|(at, stmt)| {
        stmt.rhs.blocks().into_iter().enumerate().filter(|_| is_at_host_level(kernel, stmt)).find_map(
            |(which, inner)| {
                let own = kernel.around(kernel.params.clone(), inner.clone());
                let next = one(&own, applied).or_else(|| inside(&own, inner, applied))?;
                let mut body = block.clone();
                *body.stmts[at].rhs.blocks_mut().into_iter().nth(which)? = next.body;
                Some(Kernel { body, ..next })
            },
        )
    })
}

/// Whether the blocks in a host-level statement are at host level as well.
fn is_at_host_level(kernel: &Kernel, stmt: &Stmt) -> bool {
    match &stmt.rhs {
        Rhs::If(..) => true,
        Rhs::Prim(call) => on_the_host(kernel, call),
        _ => false,
    }
}

/// Rewrites `map (λ(a,b). b) (zip as bs)` to `bs`, at host level.
fn without_copies(mut kernel: Kernel) -> Kernel {
    let mut body = kernel.body.clone();
    no_copies(&kernel, &mut body);
    kernel.body = body;
    kernel
}

fn no_copies(kernel: &Kernel, block: &mut Block) {
    let copies: Vec<(usize, Atom)> = {
        let defs = definitions(block);
        let copied = |stmt: &Stmt| {
            let Rhs::Prim(PrimCall { prim: Prim::Map(Level::Auto), funs, args, .. }) = &stmt.rhs else { return None };
            let ([f], [src]) = (funs.as_slice(), args.as_slice()) else { return None };
            let (path, of) = slice::projection(&f.body, &f.body.result)?;
            (f.params == [of] && !path.is_empty()).then(|| slice::component(&defs, src, &path))?
        };
        block.stmts.iter().enumerate().filter_map(|(at, stmt)| Some((at, copied(stmt)?))).collect()
    };
    for (at, of) in copies {
        block.stmts[at].rhs = Rhs::Atom(of);
    }
    for stmt in &mut block.stmts {
        if is_at_host_level(kernel, stmt) {
            stmt.rhs.blocks_mut().into_iter().for_each(|inner| no_copies(kernel, inner));
        }
    }
}

/// The right-hand sides of the variables that a block itself binds.
type Definitions<'k> = FxHashMap<VarId, &'k Rhs>;

fn definitions(block: &Block) -> Definitions<'_> {
    block.stmts.iter().map(|s| (s.var, &s.rhs)).collect()
}

/// Creates variables and statements, all with one origin.
struct Maker {
    vars: Vec<VarInfo>,
    lengths: Lengths,
    stmts: Vec<Stmt>,
    origin: Origin,
}

impl Maker {
    fn fresh(&mut self, name: &str, ty: Ty) -> VarId {
        self.vars.push(VarInfo { name: Name::from(name), ty });
        VarId(self.vars.len() as u32 - 1)
    }
    fn ty(&self, a: &Atom) -> Ty {
        match a {
            Atom::Var(v) => self.vars[v.0 as usize].ty.clone(),
            Atom::Lit(l) => Ty::scalar((*l).scalar()),
            Atom::Size(_) => Ty::int(),
        }
    }
    fn stmt(&self, var: VarId, rhs: Rhs) -> Stmt {
        Stmt { var, binds: Vec::new(), rhs, origin: self.origin.clone() }
    }
    fn add(&mut self, name: &str, ty: Ty, rhs: Rhs) -> Atom {
        let var = self.fresh(name, ty);
        self.stmts.push(self.stmt(var, rhs));
        Atom::Var(var)
    }
    fn prim(&mut self, name: &str, ty: Ty, call: PrimCall) -> Atom {
        self.add(name, ty, Rhs::Prim(call))
    }
    fn zip(&mut self, arrays: &[Atom]) -> Option<Atom> {
        let types: Vec<Ty> = arrays.iter().map(|a| self.ty(a)).collect();
        let elements = types.iter().map(|t| Some(t.as_array()?.element.clone())).collect::<Option<Vec<_>>>()?;
        let len = types.first()?.as_array()?.len.clone();
        let call = PrimCall { prim: Prim::Zip, sizes: Vec::new(), funs: Vec::new(), args: arrays.to_vec() };
        Some(self.prim("numbered", Ty::array(Ty::tuple(elements), len), call))
    }
    fn fill(&mut self, len: &Size, value: &Atom) -> Atom {
        let ty = Ty::array(self.ty(value), len.clone());
        let call = PrimCall { prim: Prim::Fill, sizes: vec![len.clone()], funs: Vec::new(), args: vec![value.clone()] };
        self.prim("all", ty, call)
    }
}
