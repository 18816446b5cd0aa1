//! Maps over a few rows or numbers, such as the coordinates of points, whose functions fold long rows: written out, element
//! by element, so that folds of the same elements are one. This pays in a function that makes what they fold, which then is
//! not stored, and where the results are only folded: one work-item would fold row after row.
//!
//! `map g xs = generate c (λi. if i = 0 then g (aref xs 0) else … g (aref xs (c - 1)))`

use super::row_of;
use crate::core::copy::{Copier, Lengths};
use crate::core::{Atom, Block, Kernel, Level, Prim, PrimCall, Rhs, Stmt, VarId};
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
    let folded: FxHashSet<VarId> =
        stmts.iter().map(|s| s.var).filter(|v| is_folded(&stmts, &body.result, *v)).collect();
    for mut stmt in stmts {
        let vars = kernel.vars.len();
        if written.fold(kernel, lengths, &mut stmt, &mut out) {
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

/// The elements of the arrays that folds alone read, and what these folds give.
#[derive(Default)]
struct Written {
    elements: FxHashMap<VarId, Vec<Atom>>,
    folded: FxHashMap<VarId, Atom>,
}

impl Written {
    /// Writes out a fold of such elements, or names its result; returns whether it did, so that nothing is left of the
    /// statement.
    ///
    /// `reduce f z [a,b] = [f (f z a) b]`
    fn fold(&mut self, kernel: &mut Kernel, lengths: &mut Lengths, stmt: &mut Stmt, out: &mut Vec<Stmt>) -> bool {
        let Rhs::Prim(call) = &stmt.rhs else { return false };
        let source = call.args.last().and_then(|a| match a {
            Atom::Var(v) => Some(*v),
            _ => None,
        });
        let Some(source) = source else { return false };
        if let (Prim::Head, Some(value)) = (call.prim, self.folded.get(&source)) {
            out.push(Stmt { rhs: Rhs::Atom(value.clone()), ..stmt.clone() });
            return true;
        }
        let (Some(elements), [f], [z, _]) = (self.elements.get(&source), call.funs.as_slice(), call.args.as_slice())
        else {
            return false;
        };
        let [a, b] = f.params[..] else { return false };
        let mut sum = z.clone();
        for x in elements {
            let mut copier = Copier::new(&mut kernel.vars, lengths);
            copier.atoms.extend([(a, sum), (b, x.clone())]);
            let Block { stmts, result } = copier.block(&f.body);
            out.extend(stmts);
            sum = result;
        }
        self.folded.insert(stmt.var, sum);
        true
    }
}

/// Whether folds of scalars alone read an array, and `head` alone reads their results.
fn is_folded(stmts: &[Stmt], result: &Atom, v: VarId) -> bool {
    let only_read = |v: VarId, by: &dyn Fn(&PrimCall) -> bool| {
        let mut readers = stmts.iter().filter(|s| uses::mentions(s, &|w| w == v)).peekable();
        let is_reader = |s: &Stmt| matches!(&s.rhs, Rhs::Prim(call) if by(call));
        *result != Atom::Var(v) && readers.peek().is_some() && readers.all(is_reader)
    };
    let folds = |call: &PrimCall| {
        let plain = call.funs.iter().all(|f| f.position.is_none() && f.params.len() == 2);
        matches!(call.prim, Prim::Reduce(_)) && plain && call.args.first() != Some(&Atom::Var(v))
    };
    let heads = |s: &Stmt| only_read(s.var, &|call| call.prim == Prim::Head);
    only_read(v, &folds) && stmts.iter().filter(|s| uses::mentions(s, &|w| w == v)).all(heads)
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
    let mut out = Vec::new();
    let mut elements = Vec::new();
    let numbers = is_iota(kernel, &Atom::Var(*xs));
    for k in 0..count {
        let at = Atom::Lit(Literal::Int(i32::try_from(k).ok()?));
        let element = match numbers {
            true => at,
            false => {
                let row = fresh(&mut kernel.vars, *x, all.element.clone());
                let (args, origin) = (vec![Atom::Var(*xs), at], g.origin.clone());
                let call = PrimCall { prim: Prim::Aref, sizes: Vec::new(), funs: Vec::new(), args };
                out.push(Stmt { var: row, binds: Vec::new(), rhs: Rhs::Prim(call), origin });
                Atom::Var(row)
            }
        };
        let mut copier = Copier::new(&mut kernel.vars, lengths);
        copier.atoms.insert(*x, element);
        let Block { stmts, result } = copier.block(&g.body);
        out.extend(stmts);
        elements.push(result);
    }
    if !folded {
        let (made, row) = row_of(&mut kernel.vars, lengths, &stmt.origin, elements.clone(), &result)?;
        out.extend(made);
        out.push(Stmt { rhs: Rhs::Atom(row), ..stmt.clone() });
    }
    Some((out, elements))
}
