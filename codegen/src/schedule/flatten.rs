//! Flattens nested maps: `map (map f) = split n ∘ map f ∘ join`.
//!
//! The strategies for rows then apply to rows below several maps.

use super::nested::{Dims, Work, array_of, rows_below, work_of};
use super::versions::fresh;
use super::{Applied, host_blocks, rules, teams};
use crate::core::{Atom, Block, Kernel, Level, Prim, PrimCall, Rhs, Stmt, VarInfo};
use crate::target::{Class, Target};
use lift_analysis::size::Size;

/// Rewrites the maps at host level whose rows have no better strategy below two maps.
pub fn flatten(mut kernel: Kernel, target: &Target, applied: &mut Vec<Applied>) -> Kernel {
    if target.class != Class::Gpu {
        return kernel;
    }
    // The types of the variables of one rewrite are needed for the next one.
    loop {
        let before = applied.len();
        let mut body = kernel.body.clone();
        let mut vars = kernel.vars.clone();
        block(&kernel, &mut vars, &mut body, applied);
        (kernel.vars, kernel.body) = (vars, body);
        if applied.len() == before {
            return kernel;
        }
    }
}

fn block(kernel: &Kernel, vars: &mut Vec<VarInfo>, of: &mut Block, applied: &mut Vec<Applied>) {
    for mut stmt in std::mem::take(&mut of.stmts) {
        for inner in host_blocks(kernel, &mut stmt) {
            block(kernel, vars, inner, applied);
        }
        match joined(kernel, vars, &stmt) {
            Some(stmts) => {
                applied.push(Applied { rule: &rules::MAP_JOIN, origin: stmt.origin.clone() });
                of.stmts.extend(stmts);
            }
            None => of.stmts.push(stmt),
        }
    }
}

/// Joins the two outermost maps of a statement.
fn joined(kernel: &Kernel, vars: &mut Vec<VarInfo>, stmt: &Stmt) -> Option<Vec<Stmt>> {
    let Rhs::Prim(call @ PrimCall { prim: Prim::Map(Level::Auto), .. }) = &stmt.rhs else { return None };
    let (f, xs) = (call.funs.first()?, call.args.first()?);
    let ([x], [last]) = (f.params.as_slice(), f.body.stmts.as_slice()) else { return None };
    let Rhs::Prim(inner @ PrimCall { prim: Prim::Map(Level::Auto), .. }) = &last.rhs else { return None };
    let g = inner.funs.first()?;
    let only = f.body.result == Atom::Var(last.var) && inner.args.as_slice() == [Atom::Var(*x)];
    let of_row = |s: &Stmt| super::uses::mentions(s, &|v| v == *x);
    if !only || f.position.is_some() || g.position.is_some() || g.body.stmts.iter().any(of_row) || !pays(kernel, call) {
        return None;
    }
    let rows = kernel.atom_ty(xs);
    let rows = rows.as_array().filter(|a| a.position.is_none())?;
    let each = rows.element.as_array().filter(|a| a.position.is_none())?;
    let made = kernel.ty(last.var).as_array().filter(|a| a.position.is_none())?.element.clone();
    let all: Size = rows.len.mul(&each.len);
    let at = |var, rhs| Stmt { var, binds: Vec::new(), rhs, origin: stmt.origin.clone() };
    let view = |prim, sizes, arg| Rhs::Prim(PrimCall { prim, sizes, funs: Vec::new(), args: vec![Atom::Var(arg)] });
    let all_rows = fresh(vars, *x, array_of(&each.element, &all));
    let mapped = fresh(vars, stmt.var, array_of(&made, &all));
    let Atom::Var(xs) = xs else { return None };
    Some(vec![
        at(all_rows, view(Prim::Join, Vec::new(), *xs)),
        at(mapped, Rhs::Prim(PrimCall { args: vec![Atom::Var(all_rows)], ..inner.clone() })),
        at(stmt.var, view(Prim::Split, vec![each.len.clone()], mapped)),
    ])
}

/// Whether one map has a strategy that two have not.
fn pays(kernel: &Kernel, call: &PrimCall) -> bool {
    let dims = Dims::of(kernel, call);
    if teams::has_tiles(kernel, &dims) || rows_below(kernel, call).is_some() {
        return false;
    }
    let f = dims.innermost();
    let is_map = |s: &Stmt| matches!(&s.rhs, Rhs::Prim(PrimCall { prim: Prim::Map(_), .. }));
    let shares = |s: &Stmt| matches!(work_of(kernel, s), Work::Together(_)) && !is_map(s);
    dims.calls.len() > 1 && f.body.stmts.iter().any(shares)
}
