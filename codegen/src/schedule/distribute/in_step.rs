//! Composes consecutive maps of rows and of views of their results to one map, so that nothing is stored between them
//! and each element of the row can have a work-item.
//!
//! `zipWith h (map f xs) (reverse (map g xs)) = map (λ(x,y). h (f x) (g y)) (zip xs (reverse xs))`

use crate::core::copy::Lengths;
use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, Stmt, VarId};
use crate::schedule::elements::elements;
use crate::schedule::flat::is_flat;
use crate::schedule::free::are_brief;
use crate::schedule::nested::{Work, array_of, rows_of, work_of};
use crate::schedule::place::is_perfect_nest;
use crate::schedule::versions::fresh;
use crate::schedule::{fails, nest, uses};
use lift_analysis::ty::Ty;
use rustc_hash::FxHashMap;

/// Maximum number of times that a function is computed for one element of the result.
const MOST_TIMES: usize = 2;

/// Composes the map that a function returns with the maps that make its input, unless it can use work-items of its own
/// already.
pub fn in_step(kernel: &mut Kernel, lengths: &mut Lengths, f: &mut Lambda) -> Option<()> {
    let at = nest::returned(f)?;
    let stmt = f.body.stmts[at].clone();
    let Rhs::Prim(call @ PrimCall { prim: Prim::Map(Level::Auto), .. }) = &stmt.rhs else { return None };
    // A group that folds the row keeps what is made on the way.
    let is_map = |s: &Stmt| matches!(&s.rhs, Rhs::Prim(PrimCall { prim: Prim::Map(_), .. }));
    let folds = f.body.stmts.iter().any(|s| matches!(work_of(kernel, s), Work::Together(_)) && !is_map(s));
    if folds || is_perfect_nest(kernel, f) || !matches!(work_of(kernel, &stmt), Work::Together(_)) {
        return None;
    }
    let of_block = kernel.clone();
    let all = elements(&of_block, &f.body, stmt.var)?;
    let mut functions: Vec<*const Lambda> = all.functions.iter().map(|f| std::ptr::from_ref(*f)).collect();
    functions.sort();
    functions.dedup();
    let few = all.functions.len() <= MOST_TIMES * functions.len() && functions.len() > 1;
    let plain = |g: &&Lambda| are_brief(&g.body.stmts) && !fails::may_fail(&kernel.vars, &g.body);
    if !few || !all.functions.iter().all(plain) {
        return None;
    }
    let (mut made, mut arrays) = (Vec::new(), Vec::new());
    for leaf in &all.leaves {
        let (views, array) = leaf.made(&mut kernel.vars, &stmt.origin);
        made.extend(views);
        arrays.push(array);
    }
    let parts: Vec<(_, Ty)> = arrays.iter().map(|v| rows_of(kernel.ty(*v))).collect::<Option<_>>()?;
    let len = parts.first()?.0.clone();
    if parts.iter().any(|(n, ty)| *n != len || !is_flat(ty)) {
        return None;
    }
    let at_origin = |var: VarId, rhs: Rhs| Stmt { var, binds: Vec::new(), rhs, origin: stmt.origin.clone() };
    let (mut over, mut body) = (*arrays.first()?, Vec::new());
    let ty = match parts.as_slice() {
        [(_, one)] => one.clone(),
        all => Ty::tuple(all.iter().map(|(_, ty)| ty.clone()).collect()),
    };
    let x = fresh(&mut kernel.vars, stmt.var, ty.clone());
    let mut atoms = vec![Atom::Var(x)];
    if arrays.len() > 1 {
        over = fresh(&mut kernel.vars, stmt.var, array_of(&ty, &len));
        let args = arrays.iter().map(|v| Atom::Var(*v)).collect();
        made.push(at_origin(over, Rhs::Prim(PrimCall { prim: Prim::Zip, sizes: vec![], funs: vec![], args })));
        let of: Vec<VarId> = parts.iter().map(|(_, ty)| fresh(&mut kernel.vars, stmt.var, ty.clone())).collect();
        body.extend(of.iter().enumerate().map(|(k, v)| at_origin(*v, Rhs::Proj(Atom::Var(x), k))));
        atoms = of.into_iter().map(Atom::Var).collect();
    }
    let (names, known) = ((&mut kernel.vars, lengths), FxHashMap::default());
    let result = all.element.computed(names, &atoms, &known, (x, &stmt.origin), &mut body)?;
    let g =
        Lambda { position: None, params: vec![x], body: Block { stmts: body, result }, origin: stmt.origin.clone() };
    let rhs = Rhs::Prim(PrimCall { funs: vec![g], args: vec![Atom::Var(over)], ..call.clone() });
    made.push(Stmt { rhs, ..stmt });
    f.body.stmts.splice(at..=at, made);
    uses::drop_unused(&kernel.vars, &mut f.body, &|s| !fails::has_effect(&kernel.vars, s));
    Some(())
}
