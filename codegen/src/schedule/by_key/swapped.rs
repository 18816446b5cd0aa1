//! `map (λc. map (λk. f k c) (iota n)) (T A) = T (map (λk. map (λc. f k c) (T A)) (iota n))`, so that the columns of a
//! matrix that are folded by the same keys are folded at once.

use super::numbered::Numbered;
use super::{fold, slice};
use crate::core::simplify::rename;
use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, Stmt, VarId};
use crate::schedule::nested::lies_across;
use crate::schedule::{Applied, fails, free, uses};
use lift_analysis::ty::Ty;

/// Folds columns by key, if the map at `at` goes over columns and its function over keys. What the function computes
/// from the folds of a column becomes a separate map.
pub fn by_key(kernel: &Kernel, at: usize) -> Option<(Kernel, Applied)> {
    let folded = |kernel: &Kernel, at: usize| {
        let (swapped, at) = swapped(kernel, at)?;
        let numbered = Numbered::of(&swapped, at)?;
        fold::by_key(&swapped, &numbered)
    };
    folded(kernel, at).or_else(|| {
        let (f, columns) = unplaced_map(&kernel.body.stmts[at].rhs)?;
        if !lies_across(kernel, columns) {
            return None;
        }
        let last = f.body.stmts.len().checked_sub(1)?;
        (0..last).find_map(|first| folded(&split(kernel, at, first)?, at))
    })
}

/// Splits the map at `at` after the statement `first` of its function, which is a map.
fn split(kernel: &Kernel, at: usize, first: usize) -> Option<Kernel> {
    let stmt = &kernel.body.stmts[at];
    let (f, columns) = unplaced_map(&stmt.rhs)?;
    let made = &f.body.stmts[first];
    unplaced_map(&made.rhs)?;
    let (before, rest) = (&f.body.stmts[..first], &f.body.stmts[first + 1..]);
    let read = |v: VarId| f.body.result == Atom::Var(v) || rest.iter().any(|s| uses::mentions(s, &|w| w == v));
    // Views of what is the same for all columns are in both maps.
    let own = |v: VarId| f.params.contains(&v) || f.body.stmts.iter().any(|s| s.var == v);
    let is_shared = |s: &Stmt| match &s.rhs {
        Rhs::Prim(call) => {
            call.prim.is_view()
                && call.funs.is_empty()
                && !s.rhs.operands().iter().any(|a| slice::as_var(a).is_some_and(own))
        }
        _ => false,
    };
    let shared: Vec<&Stmt> = before.iter().filter(|s| read(s.var)).collect();
    if !shared.iter().all(|s| is_shared(s)) || f.body.stmts.iter().any(|s| !s.binds.is_empty()) {
        return None;
    }
    let len = kernel.ty(stmt.var).as_array().filter(|a| a.position.is_none())?.len.clone();
    let mut next = kernel.clone();
    let mut fresh = |like: VarId, ty: Ty| {
        next.vars.push(crate::core::VarInfo { name: kernel.name_of(like).into(), ty });
        VarId(next.vars.len() as u32 - 1)
    };
    let at_origin = |var: VarId, rhs: Rhs| Stmt { var, binds: Vec::new(), rhs, origin: stmt.origin.clone() };
    let prim = |prim, funs, args| Rhs::Prim(PrimCall { prim, sizes: Vec::new(), funs, args });
    let (column, row) = (f.params[0], kernel.ty(made.var).clone());
    let all = fresh(made.var, Ty::array(row.clone(), len.clone()));
    let body = Block { stmts: f.body.stmts[..=first].to_vec(), result: Atom::Var(made.var) };
    let mut with =
        vec![at_origin(all, prim(Prim::Map(Level::Auto), vec![Lambda { body, ..f.clone() }], vec![columns.clone()]))];
    // The names of the second function are its own.
    let own = fresh(made.var, row.clone());
    let shared: Vec<(&Stmt, VarId)> = shared.into_iter().map(|s| (s, fresh(s.var, kernel.ty(s.var).clone()))).collect();
    let mut rest = Block { stmts: rest.to_vec(), result: f.body.result.clone() };
    let again = read(column).then(|| {
        (
            fresh(column, kernel.ty(column).clone()),
            fresh(column, Ty::tuple(vec![kernel.ty(column).clone(), row.clone()])),
        )
    });
    rename(&mut rest, &|v| match again {
        _ if *v == made.var => *v = own,
        Some((again, _)) if *v == column => *v = again,
        _ => *v = shared.iter().find(|(s, _)| s.var == *v).map_or(*v, |(_, copy)| *copy),
    });
    rest.stmts.splice(0..0, shared.iter().map(|(s, copy)| Stmt { var: *copy, ..(*s).clone() }));
    let (param, source) = match again {
        None => (own, Atom::Var(all)),
        Some((again, pair)) => {
            let zipped = fresh(column, Ty::array(Ty::tuple(vec![kernel.ty(column).clone(), row]), len));
            with.push(at_origin(zipped, prim(Prim::Zip, Vec::new(), vec![columns.clone(), Atom::Var(all)])));
            let parts = [(again, 0), (own, 1)].map(|(v, k)| at_origin(v, Rhs::Proj(Atom::Var(pair), k)));
            rest.stmts.splice(0..0, parts);
            (pair, Atom::Var(zipped))
        }
    };
    let f = Lambda { params: vec![param], body: rest, ..f.clone() };
    with.push(at_origin(stmt.var, prim(Prim::Map(Level::Auto), vec![f], vec![source])));
    next.body.stmts.splice(at..=at, with);
    Some(next)
}

/// Exchanges the two maps. Returns the kernel and the index of the outer map.
fn swapped(kernel: &Kernel, at: usize) -> Option<(Kernel, usize)> {
    let stmt = &kernel.body.stmts[at];
    let (f, columns) = unplaced_map(&stmt.rhs)?;
    let (last, before) = f.body.stmts.split_last()?;
    let (g, keys) = unplaced_map(&last.rhs)?;
    if f.body.result != Atom::Var(last.var) || !lies_across(kernel, columns) {
        return None;
    }
    let own = uses::dependent(kernel, f);
    if slice::as_var(keys).is_some_and(|v| own.contains(&v)) {
        return None;
    }
    let (mut outside, mut inside) = (Vec::new(), Vec::new());
    for s in before {
        match own.contains(&s.var) {
            true if free::is_free(&s.rhs) && s.binds.is_empty() => inside.push(s.clone()),
            false if !fails::has_effect(&kernel.vars, s) => outside.push(s.clone()),
            _ => return None,
        }
    }
    let rows = kernel.ty(stmt.var).as_array().filter(|a| a.position.is_none())?;
    let row = rows.element.as_array().filter(|a| a.position.is_none())?;
    let of_key = Ty::array(row.element.clone(), rows.len.clone());
    let mut next = kernel.clone();
    let mut fresh = |ty: Ty| {
        next.vars.push(crate::core::VarInfo { name: kernel.name_of(stmt.var).into(), ty });
        VarId(next.vars.len() as u32 - 1)
    };
    let (each, all) = (fresh(of_key.clone()), fresh(Ty::array(of_key, row.len.clone())));
    let made = |var: VarId, rhs: Rhs| Stmt { var, binds: Vec::new(), rhs, origin: stmt.origin.clone() };
    let map = |f: Lambda, xs: &Atom| {
        let (sizes, funs, args) = (Vec::new(), vec![f], vec![xs.clone()]);
        Rhs::Prim(PrimCall { prim: Prim::Map(Level::Auto), sizes, funs, args })
    };
    inside.extend(g.body.stmts.iter().cloned());
    let of_column = Lambda { body: Block { stmts: inside, result: g.body.result.clone() }, ..f.clone() };
    let inner = Block { stmts: vec![made(each, map(of_column, columns))], result: Atom::Var(each) };
    let transpose = PrimCall { prim: Prim::Transpose, sizes: Vec::new(), funs: Vec::new(), args: vec![Atom::Var(all)] };
    let place = at + outside.len();
    let with = outside
        .into_iter()
        .chain([made(all, map(Lambda { body: inner, ..g.clone() }, keys)), made(stmt.var, Rhs::Prim(transpose))]);
    next.body.stmts.splice(at..=at, with);
    Some((next, place))
}

/// The function and the array of an unplaced map of a function of one parameter.
fn unplaced_map(rhs: &Rhs) -> Option<(&Lambda, &Atom)> {
    let Rhs::Prim(PrimCall { prim: Prim::Map(Level::Auto), funs, args, .. }) = rhs else { return None };
    match (funs.as_slice(), args.as_slice()) {
        ([f @ Lambda { position: None, params, .. }], [xs]) if params.len() == 1 => Some((f, xs)),
        _ => None,
    }
}
