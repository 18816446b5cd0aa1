//! Columns that the elements of a map fold one after the other, on a processor: they are copied once, so that a core reads
//! adjacent elements.
//!
//! `map (λx. … map (fold x) (T A) …) xs = map (λx. … map (fold x) B …) xs`, where `B = map (map id) (T A)`

use super::flat::is_flat;
use super::nested::{array_of, is_known};
use super::versions::fresh;
use super::{Applied, host_blocks, nest, rules, uses};
use crate::core::simplify::rename;
use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, Space, Stmt, VarId, VarInfo};
use lift_analysis::ty::Ty;

/// Minimum elements of the map that pay for the copy.
const LEAST: i64 = 8;

/// Adds the copies before maps of a block at host level.
pub fn block(kernel: &Kernel, vars: &mut Vec<VarInfo>, body: &mut Block, applied: &mut Vec<Applied>) {
    for mut stmt in std::mem::take(&mut body.stmts) {
        host_blocks(kernel, &mut stmt).into_iter().for_each(|inner| block(kernel, vars, inner, applied));
        if let Rhs::Prim(call @ PrimCall { prim: Prim::Map(Level::Auto), .. }) = &mut stmt.rhs
            && let Some(copies) = copied(kernel, vars, call)
        {
            applied.push(Applied { rule: &rules::COPY_COLUMNS, origin: stmt.origin.clone() });
            body.stmts.extend(copies);
        }
        body.stmts.push(stmt);
    }
}

/// The copies of what the function of a map transposes, which reads them instead.
fn copied(kernel: &Kernel, vars: &mut Vec<VarInfo>, call: &mut PrimCall) -> Option<Vec<Stmt>> {
    let few = kernel.atom_ty(call.args.first()?).as_array()?.len.as_const().is_some_and(|n| n < LEAST);
    let f = call.funs.first_mut()?;
    // A product of matrices copies what its tiles need.
    if few || f.position.is_some() || nest::recognise(kernel, f).is_some_and(|nest| nest.matrix) {
        return None;
    }
    let own = uses::dependent(kernel, f);
    let mut out = Vec::new();
    for stmt in turned_before(kernel) {
        if let Some((row, element)) = matrix(kernel.ty(stmt.var)).filter(|_| folds(&f.body, stmt.var)) {
            let stored = stored(vars, &stmt, &row, &element, &mut out);
            rename(&mut f.body, &|v| {
                if *v == stmt.var {
                    *v = stored;
                }
            });
        }
    }
    for at in 0..f.body.stmts.len() {
        let Rhs::Prim(PrimCall { prim: Prim::Transpose, args, .. }) = &f.body.stmts[at].rhs else { continue };
        let turned = f.body.stmts[at].var;
        let [Atom::Var(source)] = args.as_slice() else { continue };
        let bound = own.contains(source) || f.body.stmts.iter().any(|s| s.var == *source);
        let Some((row, element)) = matrix(kernel.ty(turned)).filter(|_| !bound && folds(&f.body, turned)) else {
            continue;
        };
        let stored = stored(vars, &f.body.stmts[at], &row, &element, &mut out);
        f.body.stmts[at].rhs = Rhs::Atom(Atom::Var(stored));
    }
    (!out.is_empty()).then_some(out)
}

/// The transposed arrays at the top of the kernel.
fn turned_before(kernel: &Kernel) -> Vec<Stmt> {
    let turned = |s: &&Stmt| matches!(&s.rhs, Rhs::Prim(call) if call.prim == Prim::Transpose);
    kernel.body.stmts.iter().filter(turned).cloned().collect()
}

/// Adds the statements that copy what a statement transposes; the copy.
fn stored(vars: &mut Vec<VarInfo>, stmt: &Stmt, row: &Ty, element: &Ty, out: &mut Vec<Stmt>) -> VarId {
    let ty = vars[stmt.var.0 as usize].ty.clone();
    let to = |var: VarId, rhs: Rhs| Stmt { var, binds: Vec::new(), rhs, origin: stmt.origin.clone() };
    let [view, copied, stored] = [0; 3].map(|_| fresh(vars, stmt.var, ty.clone()));
    out.push(to(view, stmt.rhs.clone()));
    out.push(to(copied, Rhs::Prim(each(vars, stmt.var, Atom::Var(view), row, element, stmt))));
    out.push(to(stored, Rhs::Store(Space::Global, Atom::Var(copied))));
    stored
}

/// `map (map id) xs`
fn each(vars: &mut Vec<VarInfo>, like: VarId, xs: Atom, row: &Ty, element: &Ty, stmt: &Stmt) -> PrimCall {
    let [column, made] = [0; 2].map(|_| fresh(vars, like, row.clone()));
    let x = fresh(vars, like, element.clone());
    let lambda = |param: VarId, stmts: Vec<Stmt>, result: VarId| Lambda {
        position: None,
        params: vec![param],
        body: Block { stmts, result: Atom::Var(result) },
        origin: stmt.origin.clone(),
    };
    let map = |f: Lambda, xs: Atom| PrimCall {
        prim: Prim::Map(Level::Auto),
        sizes: Vec::new(),
        funs: vec![f],
        args: vec![xs],
    };
    let id = Rhs::Prim(map(lambda(x, Vec::new(), x), Atom::Var(column)));
    let inner = Stmt { var: made, binds: Vec::new(), rhs: id, origin: stmt.origin.clone() };
    map(lambda(column, vec![inner], made), xs)
}

/// The type of a row and of an element of a matrix of scalars whose lengths are known.
fn matrix(ty: &Ty) -> Option<(Ty, Ty)> {
    let rows = ty.as_array().filter(|a| a.position.is_none() && is_known(&a.len))?;
    let row = rows.element.as_array().filter(|a| a.position.is_none() && is_known(&a.len) && is_flat(&a.element))?;
    Some((array_of(&row.element, &row.len), row.element.clone()))
}

/// Whether a map of a block goes over an array, or a zip with it, and folds in its function.
fn folds(body: &Block, of: VarId) -> bool {
    let is = |a: &Atom, v: VarId| *a == Atom::Var(v);
    let zipped = |v: &Atom| {
        body.stmts.iter().any(|s| match &s.rhs {
            Rhs::Prim(call) if call.prim == Prim::Zip => is(v, s.var) && call.args.iter().any(|a| is(a, of)),
            _ => false,
        })
    };
    body.stmts.iter().any(|s| {
        let Rhs::Prim(PrimCall { prim: Prim::Map(Level::Auto), funs, args, .. }) = &s.rhs else { return false };
        let mut folds = false;
        funs.iter().for_each(|f| {
            f.body.visit(&mut |s| folds |= matches!(&s.rhs, Rhs::Prim(call) if matches!(call.prim, Prim::Reduce(_))));
        });
        folds && args.iter().any(|a| is(a, of) || zipped(a))
    })
}
