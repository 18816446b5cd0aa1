//! Maps over a few rows or numbers, such as the coordinates of points, whose functions fold long rows: written out, element
//! by element, so that folds of the same elements are one. This pays in a function that makes what they fold, which then is
//! not stored, and where the results are only folded: one work-item would fold row after row.
//!
//! `map g xs = generate c (λi. if i = 0 then g (aref xs 0) else … g (aref xs (c - 1)))`

use super::row_of;
use crate::core::copy::{Copier, Lengths};
use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, Stmt, VarId};
use crate::schedule::flat::is_flat;
use crate::schedule::joined::folds_folds;
use crate::schedule::nested::{Work, is_iota, work_of};
use crate::schedule::versions::fresh;
use crate::schedule::{Applied, rules, uses};
use lift_analysis::hir::Literal;
use rustc_hash::{FxHashMap, FxHashSet};

/// Maximum number of rows, if the function makes what they fold.
const MOST: i64 = 4;
/// Maximum number of elements whose results are folded.
const MOST_FOLDED: i64 = 15;
/// Maximum number of statements that are written.
const MOST_STATEMENTS: usize = 192;

/// Writes out such maps in the function of a map.
pub fn function(kernel: &mut Kernel, body: &mut Block, lengths: &mut Lengths, applied: &mut Vec<Applied>) {
    // What the function makes, and what it reads of that.
    let mut made = FxHashSet::default();
    let mut written = Written::default();
    let mut out: Vec<Stmt> = Vec::new();
    let stmts = std::mem::take(&mut body.stmts);
    let apart = stmts.iter().filter(|s| !folds_folds(&stmts, s)).map(|s| s.var);
    let folded: FxHashSet<VarId> = apart.filter(|v| is_folded(kernel, &stmts, &body.result, *v)).collect();
    for stmt in stmts {
        let vars = kernel.vars.len();
        if written.reader(kernel, lengths, &stmt, &mut out) {
            continue;
        }
        match written_out(kernel, lengths, &stmt, &made, folded.contains(&stmt.var)) {
            Some((stmts, elements)) => {
                applied.push(Applied { rule: &rules::MAP_FEW_ROWS, origin: stmt.origin.clone() });
                out.extend(stmts);
                if folded.contains(&stmt.var) {
                    written.elements.insert(stmt.var, elements);
                }
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

/// The elements of arrays of which nothing but folds is left, and what these folds give.
#[derive(Default)]
struct Written {
    elements: FxHashMap<VarId, Vec<Atom>>,
    folded: FxHashMap<VarId, Atom>,
}

impl Written {
    /// Writes out a statement that reads such an array; returns whether it did, so that nothing is left of the statement.
    ///
    /// `reduce f z [a,b] = [f (f z a) b]`
    fn reader(&mut self, kernel: &mut Kernel, lengths: &mut Lengths, stmt: &Stmt, out: &mut Vec<Stmt>) -> bool {
        let Rhs::Prim(call) = &stmt.rhs else { return false };
        let elements = |a: &Atom| match a {
            Atom::Var(v) => self.elements.get(v),
            _ => None,
        };
        let of_head = match (call.prim, call.args.first()) {
            (Prim::Head, Some(Atom::Var(v))) => self.folded.get(v),
            _ => None,
        };
        if let Some(value) = of_head {
            out.push(Stmt { rhs: Rhs::Atom(value.clone()), ..stmt.clone() });
            return true;
        }
        let Some(count) = call.args.iter().find_map(|a| elements(a).map(Vec::len)) else { return false };
        let made = match call.prim {
            Prim::Zip => {
                let columns: Vec<Vec<Atom>> = call
                    .args
                    .iter()
                    .map(|xs| elements(xs).cloned().unwrap_or_else(|| elements_of(kernel, xs, count, stmt, out)))
                    .collect();
                let tuple = |k: usize| Rhs::Tuple(columns.iter().map(|column| column[k].clone()).collect());
                let ty = kernel.ty(stmt.var).as_array().map(|a| a.element.clone());
                let ty = ty.unwrap_or_else(|| kernel.ty(stmt.var).clone());
                let all = (0..count).map(|k| {
                    let var = fresh(&mut kernel.vars, stmt.var, ty.clone());
                    out.push(Stmt { var, binds: Vec::new(), rhs: tuple(k), origin: stmt.origin.clone() });
                    Atom::Var(var)
                });
                all.collect()
            }
            Prim::Map(_) => {
                let all = elements(&call.args[0]).into_iter().flatten();
                all.map(|x| call_of(kernel, lengths, &call.funs[0], std::slice::from_ref(x), out)).collect()
            }
            _ => {
                let all = elements(&call.args[1]).into_iter().flatten();
                let start = call.args[0].clone();
                let sum = all.fold(start, |sum, x| call_of(kernel, lengths, &call.funs[0], &[sum, x.clone()], out));
                self.folded.insert(stmt.var, sum);
                return true;
            }
        };
        self.elements.insert(stmt.var, made);
        true
    }
}

/// The result of a function of these values, whose statements are added.
fn call_of(kernel: &mut Kernel, lengths: &mut Lengths, f: &Lambda, args: &[Atom], out: &mut Vec<Stmt>) -> Atom {
    let mut copier = Copier::new(&mut kernel.vars, lengths);
    copier.atoms.extend(f.params.iter().copied().zip(args.iter().cloned()));
    let Block { stmts, result } = copier.block(&f.body);
    out.extend(stmts);
    result
}

/// The elements of an array of this length, read by number.
fn elements_of(kernel: &mut Kernel, xs: &Atom, count: usize, like: &Stmt, out: &mut Vec<Stmt>) -> Vec<Atom> {
    let numbers = is_iota(kernel, xs);
    let ty = kernel.atom_ty(xs);
    let element = ty.as_array().map(|a| a.element.clone()).unwrap_or(ty);
    let read = |k: i32| {
        let at = Atom::Lit(Literal::Int(k));
        if numbers {
            return at;
        }
        let var = fresh(&mut kernel.vars, like.var, element.clone());
        let args = vec![xs.clone(), at];
        let rhs = Rhs::Prim(PrimCall { prim: Prim::Aref, sizes: Vec::new(), funs: Vec::new(), args });
        out.push(Stmt { var, binds: Vec::new(), rhs, origin: like.origin.clone() });
        Atom::Var(var)
    };
    (0..).map(read).take(count).collect()
}

/// Whether nothing but folds is left of an array once its elements are written out: `head` alone reads what the folds give,
/// and zips and maps of the array end in such folds, too.
fn is_folded(kernel: &Kernel, stmts: &[Stmt], result: &Atom, v: VarId) -> bool {
    let readers = |v: VarId| stmts.iter().filter(move |s| uses::mentions(s, &|w| w == v));
    let heads = |s: &Stmt| {
        let is_head = |s: &Stmt| matches!(&s.rhs, Rhs::Prim(call) if call.prim == Prim::Head);
        *result != Atom::Var(s.var) && readers(s.var).all(is_head)
    };
    let ends = |s: &Stmt| {
        let Rhs::Prim(call) = &s.rhs else { return false };
        let plain = call.funs.iter().all(|f| f.position.is_none() && f.params.len() == call.args.len());
        let inside = call.funs.iter().any(|f| f.body.stmts.iter().any(|s| uses::mentions(s, &|w| w == v)));
        let flat = kernel.ty(s.var).as_array().is_some_and(|a| is_flat(&a.element));
        plain
            && !inside
            && flat
            && match call.prim {
                Prim::Reduce(_) => call.args[1] == Atom::Var(v) && heads(s),
                Prim::Zip => is_folded(kernel, stmts, result, s.var),
                Prim::Map(Level::Auto) => work_of(kernel, s) == Work::Item && is_folded(kernel, stmts, result, s.var),
                _ => false,
            }
    };
    *result != Atom::Var(v) && readers(v).next().is_some() && readers(v).all(ends)
}

/// The statements instead of a map over a few elements, and the elements of its result, if its function folds something that is `made` beside it, or if its
/// result is `folded`.
fn written_out(
    kernel: &mut Kernel,
    lengths: &mut Lengths,
    stmt: &Stmt,
    made: &FxHashSet<VarId>,
    folded: bool,
) -> Option<(Vec<Stmt>, Vec<Atom>)> {
    let Rhs::Prim(PrimCall { prim: Prim::Map(Level::Auto), funs, args, .. }) = &stmt.rhs else { return None };
    let ([g], [Atom::Var(xs)]) = (funs.as_slice(), args.as_slice()) else { return None };
    let (all, result) = (kernel.ty(*xs).as_array()?.clone(), kernel.ty(stmt.var).clone());
    let count = all.len.as_const()?;
    let ([x], None, None) = (g.params.as_slice(), &g.position, &all.position) else { return None };
    result.as_array()?.element.as_scalar()?;
    let folds = |s: &Stmt| {
        let reduces = matches!(&s.rhs, Rhs::Prim(call) if call.prim == Prim::Reduce(Level::Auto));
        reduces && matches!(work_of(kernel, s), Work::Together(_))
    };
    let plain = |s: &Stmt| matches!(work_of(kernel, s), Work::Item | Work::Together(_));
    let reads = g.body.stmts.iter().any(|s| uses::mentions(s, &|v| made.contains(&v)));
    let beside = reads && !made.contains(xs) && all.element.as_array().is_some() && (2..=MOST).contains(&count);
    let small = usize::try_from(count).ok()?.checked_mul(g.body.stmts.len())? <= MOST_STATEMENTS;
    let apart = folded && small && (2..=MOST_FOLDED).contains(&count);
    if !(beside || apart) || !g.body.stmts.iter().any(folds) || !g.body.stmts.iter().all(plain) {
        return None;
    }
    let (mut out, mut elements) = (Vec::new(), Vec::new());
    let count = usize::try_from(count).ok()?;
    for row in elements_of(kernel, &args[0], count, &Stmt { var: *x, ..stmt.clone() }, &mut out) {
        elements.push(call_of(kernel, lengths, g, &[row], &mut out));
    }
    if !folded {
        let (made, row) = row_of(&mut kernel.vars, lengths, &stmt.origin, elements.clone(), &result)?;
        out.extend(made);
        out.push(Stmt { rhs: Rhs::Atom(row), ..stmt.clone() });
    }
    Some((out, elements))
}
