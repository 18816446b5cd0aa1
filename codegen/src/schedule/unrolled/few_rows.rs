//! Maps over a few rows, such as the coordinates of points, in a function that makes what they fold: written out, row by
//! row, so that folds of the same elements are one and nothing is stored for them.
//!
//! `map g xs = generate c (λi. if i = 0 then g (aref xs 0) else … g (aref xs (c - 1)))`

use super::row_of;
use crate::core::copy::{Copier, Lengths};
use crate::core::{Atom, Block, Kernel, Level, Prim, PrimCall, Rhs, Stmt, VarId};
use crate::schedule::nested::{Work, work_of};
use crate::schedule::versions::fresh;
use crate::schedule::{Applied, rules, uses};
use lift_analysis::hir::Literal;
use rustc_hash::FxHashSet;

/// Maximum number of rows.
const MOST: i64 = 4;

/// Writes out such maps in the function of a map.
pub fn function(kernel: &mut Kernel, body: &mut Block, lengths: &mut Lengths, applied: &mut Vec<Applied>) {
    // What the function makes, and what it reads of that.
    let mut made = FxHashSet::default();
    let mut out: Vec<Stmt> = Vec::new();
    for stmt in std::mem::take(&mut body.stmts) {
        let vars = kernel.vars.len();
        match written_out(kernel, lengths, &stmt, &made) {
            Some(stmts) => {
                applied.push(Applied { rule: &rules::MAP_FEW_ROWS, origin: stmt.origin.clone() });
                out.extend(stmts);
            }
            None => {
                kernel.vars.truncate(vars);
                let makes = matches!(&stmt.rhs, Rhs::Prim(call) if !call.prim.is_view())
                    && kernel.ty(stmt.var).as_array().is_some();
                if makes || uses::mentions(&stmt, &|v| made.contains(&v)) {
                    made.insert(stmt.var);
                }
                out.push(stmt);
            }
        }
    }
    body.stmts = out;
}

/// The statements instead of a map over a few rows, if its function folds something that is `made` beside it.
fn written_out(kernel: &mut Kernel, lengths: &mut Lengths, stmt: &Stmt, made: &FxHashSet<VarId>) -> Option<Vec<Stmt>> {
    let Rhs::Prim(PrimCall { prim: Prim::Map(Level::Auto), funs, args, .. }) = &stmt.rhs else { return None };
    let ([g], [Atom::Var(xs)]) = (funs.as_slice(), args.as_slice()) else { return None };
    let (all, result) = (kernel.ty(*xs).as_array()?.clone(), kernel.ty(stmt.var).clone());
    let count = all.len.as_const().filter(|c| (2..=MOST).contains(c))?;
    let ([x], None, None) = (g.params.as_slice(), &g.position, &all.position) else { return None };
    all.element.as_array()?;
    result.as_array()?.element.as_scalar()?;
    let folds = |s: &Stmt| {
        let reduces = matches!(&s.rhs, Rhs::Prim(call) if call.prim == Prim::Reduce(Level::Auto));
        reduces && matches!(work_of(kernel, s), Work::Together(_))
    };
    let plain = |s: &Stmt| matches!(work_of(kernel, s), Work::Item | Work::Together(_));
    let reads = g.body.stmts.iter().any(|s| uses::mentions(s, &|v| made.contains(&v)));
    if made.contains(xs) || !reads || !g.body.stmts.iter().any(folds) || !g.body.stmts.iter().all(plain) {
        return None;
    }
    let mut out = Vec::new();
    let mut elements = Vec::new();
    for k in 0..count {
        let row = fresh(&mut kernel.vars, *x, all.element.clone());
        let at = Atom::Lit(Literal::Int(i32::try_from(k).ok()?));
        let call = PrimCall { prim: Prim::Aref, sizes: Vec::new(), funs: Vec::new(), args: vec![Atom::Var(*xs), at] };
        out.push(Stmt { var: row, binds: Vec::new(), rhs: Rhs::Prim(call), origin: g.origin.clone() });
        let mut copier = Copier::new(&mut kernel.vars, lengths);
        copier.atoms.insert(*x, Atom::Var(row));
        let Block { stmts, result } = copier.block(&g.body);
        out.extend(stmts);
        elements.push(result);
    }
    let (made, row) = row_of(&mut kernel.vars, lengths, &stmt.origin, elements, &result)?;
    out.extend(made);
    out.push(Stmt { rhs: Rhs::Atom(row), ..stmt.clone() });
    Some(out)
}
