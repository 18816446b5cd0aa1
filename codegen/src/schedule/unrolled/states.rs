//! Scans and folds in order whose states are small arrays beside scalars, such as the coefficients of a filter: in the
//! functions of maps the states are tuples of scalars, which one work-item has in registers.
//!
//! `map g (scanSeq f z xs) = map (g ∘ array) (scanSeq (tuple ∘ f ∘ array) (tuple z) xs)`

use super::evaluate::{Evaluator, shaped};
use crate::core::copy::{Copier, Lengths};
use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, Stmt, VarId};
use crate::schedule::flat::is_flat;
use crate::schedule::nested::array_of;
use crate::schedule::versions::fresh;
use crate::schedule::{Applied, rules, uses};
use lift_analysis::ty::{Ty, TyKind};

/// Maximum scalars of a state: a work-item has so many registers for them.
const MOST: usize = 80;
/// Maximum statements of a step.
const MOST_STATEMENTS: usize = 768;

/// Rewrites the function of a map.
pub fn function(kernel: &mut Kernel, body: &mut Block, lengths: &mut Lengths, applied: &mut Vec<Applied>) {
    for at in 0..body.stmts.len() {
        let (vars, origin) = (kernel.vars.len(), body.stmts[at].origin.clone());
        match of_scalars(kernel, lengths, body, at) {
            Some(stmts) => {
                applied.push(Applied { rule: &rules::FOLD_SCALARS, origin });
                body.stmts = stmts;
                // What is left may have other states.
                return function(kernel, body, lengths, applied);
            }
            None => kernel.vars.truncate(vars),
        }
    }
}

/// The statements of a function with scalars instead of the states of the statement at an index.
fn of_scalars(kernel: &mut Kernel, lengths: &mut Lengths, body: &Block, at: usize) -> Option<Vec<Stmt>> {
    let stmt = &body.stmts[at];
    let Rhs::Prim(call) = &stmt.rhs else { return None };
    let scans = match call.prim {
        Prim::Scan(Level::Seq) | Prim::ScanExcl(Level::Seq) => true,
        Prim::Reduce(Level::Seq) => false,
        _ => return None,
    };
    let ([z, xs], [f]) = (call.args.as_slice(), call.funs.as_slice()) else { return None };
    let ([_, x], None) = (f.params.as_slice(), &f.position) else { return None };
    let state = kernel.atom_ty(z);
    let mut scalars = Vec::new();
    leaves(&state, &mut scalars)?;
    let TyKind::Tuple(parts) = state.kind() else { return None };
    if parts.iter().all(is_flat) || scalars.len() > MOST {
        return None;
    }
    let tuple = Ty::tuple(scalars);
    let len = kernel.ty(stmt.var).as_array()?.len.clone();
    let (origin, known) = (&stmt.origin, &body.stmts[..at]);
    let to = |var: VarId, rhs: Rhs| Stmt { var, binds: Vec::new(), rhs, origin: origin.clone() };
    let mut out = known.to_vec();
    // tuple z
    let mut start = Evaluator::new(&mut kernel.vars, lengths, origin);
    start.knows(known);
    let of_z = start.value(z)?;
    let zs = start.tuple(&of_z, &tuple)?;
    out.append(&mut start.stmts);
    // tuple ∘ f ∘ array
    let acc = fresh(&mut kernel.vars, stmt.var, tuple.clone());
    let element = kernel.ty(*x).clone();
    let f = Copier::new(&mut kernel.vars, lengths).lambda(f);
    let mut step = Evaluator::new(&mut kernel.vars, lengths, &f.origin);
    step.at_most(MOST_STATEMENTS);
    step.knows(known);
    step.set(f.params[0], shaped(&state, acc, &mut 0)?);
    if !is_flat(&element) {
        step.param(f.params[1])?;
    }
    let value = step.block(&f.body)?;
    let next = step.tuple(&value, &tuple)?;
    let inner = Block { stmts: step.stmts, result: next };
    let f = Lambda { position: None, params: vec![acc, f.params[1]], body: inner, origin: f.origin.clone() };
    let all = fresh(&mut kernel.vars, stmt.var, array_of(&tuple, &len));
    let call = PrimCall { funs: vec![f], args: vec![zs, xs.clone()], ..call.clone() };
    out.push(to(all, Rhs::Prim(call)));
    let reader = Reader { states: stmt.var, state, tuple, all };
    for (k, s) in body.stmts.iter().enumerate().skip(at + 1) {
        if !uses::mentions(s, &|v| v == stmt.var) {
            out.push(s.clone());
        } else if scans {
            out.push(reader.map(kernel, lengths, s)?);
        } else {
            // A fold has one state, of which later statements read components.
            let rest = reader.last(kernel, lengths, s, &body.stmts[k + 1..])?;
            if body.result == Atom::Var(s.var) {
                return None;
            }
            out.extend(rest);
            return (body.result != Atom::Var(stmt.var)).then_some(out);
        }
    }
    (body.result != Atom::Var(stmt.var)).then_some(out)
}

/// Statements that read states, of which they use scalars alone.
struct Reader {
    states: VarId,
    state: Ty,
    tuple: Ty,
    /// The states as tuples.
    all: VarId,
}

impl Reader {
    /// A map of the states.
    fn map(&self, kernel: &mut Kernel, lengths: &mut Lengths, stmt: &Stmt) -> Option<Stmt> {
        let Rhs::Prim(call) = &stmt.rhs else { return None };
        let ([g], [xs]) = (call.funs.as_slice(), call.args.as_slice()) else { return None };
        let plain = matches!(call.prim, Prim::Map(Level::Auto | Level::Seq)) && g.position.is_none();
        if !plain || *xs != Atom::Var(self.states) || !reads_scalars(kernel, &g.body, *g.params.first()?) {
            return None;
        }
        let t = fresh(&mut kernel.vars, self.states, self.tuple.clone());
        let g = Copier::new(&mut kernel.vars, lengths).lambda(g);
        let mut made = Evaluator::new(&mut kernel.vars, lengths, &g.origin);
        made.set(g.params[0], shaped(&self.state, t, &mut 0)?);
        let stmts = with_scalars(&mut made, &g.body.stmts, g.params[0])?;
        let mut all = std::mem::take(&mut made.stmts);
        all.extend(stmts);
        let body = Block { stmts: all, result: g.body.result.clone() };
        let g = Lambda { position: None, params: vec![t], body, origin: g.origin.clone() };
        let call = PrimCall { funs: vec![g], args: vec![Atom::Var(self.all)], ..call.clone() };
        Some(Stmt { rhs: Rhs::Prim(call), ..stmt.clone() })
    }

    /// The head of a fold, and the statements that follow it.
    fn last(&self, kernel: &mut Kernel, lengths: &mut Lengths, stmt: &Stmt, rest: &[Stmt]) -> Option<Vec<Stmt>> {
        let Rhs::Prim(PrimCall { prim: Prim::Head | Prim::Last, .. }) = &stmt.rhs else { return None };
        let body = Block { stmts: rest.to_vec(), result: Atom::Var(self.all) };
        let again = rest.iter().any(|s| uses::mentions(s, &|v| v == self.states));
        if again || !reads_scalars(kernel, &body, stmt.var) {
            return None;
        }
        let one = fresh(&mut kernel.vars, stmt.var, self.tuple.clone());
        let Rhs::Prim(call) = &stmt.rhs else { return None };
        let head = Rhs::Prim(PrimCall { args: vec![Atom::Var(self.all)], ..call.clone() });
        let mut out = vec![Stmt { var: one, rhs: head, ..stmt.clone() }];
        let mut made = Evaluator::new(&mut kernel.vars, lengths, &stmt.origin);
        made.set(stmt.var, shaped(&self.state, one, &mut 0)?);
        let rest = with_scalars(&mut made, rest, stmt.var)?;
        out.append(&mut made.stmts);
        out.extend(rest);
        Some(out)
    }
}

/// Statements with the scalars themselves instead of components of a state.
fn with_scalars(made: &mut Evaluator, stmts: &[Stmt], state: VarId) -> Option<Vec<Stmt>> {
    let mut stmts = stmts.to_vec();
    for s in &mut stmts {
        if matches!(&s.rhs, Rhs::Proj(Atom::Var(v), _) if *v == state) {
            s.rhs = Rhs::Atom(made.component(&s.rhs)?);
        }
    }
    Some(stmts)
}

/// Whether a block uses scalar components of a variable, and nothing else of it.
fn reads_scalars(kernel: &Kernel, body: &Block, of: VarId) -> bool {
    body.result != Atom::Var(of)
        && body.stmts.iter().all(|s| match &s.rhs {
            Rhs::Proj(Atom::Var(v), _) if *v == of => is_flat(kernel.ty(s.var)),
            _ => !uses::mentions(s, &|v| v == of),
        })
}

/// The types of the scalars in a value of tuples, and arrays of constant lengths.
fn leaves(ty: &Ty, out: &mut Vec<Ty>) -> Option<()> {
    if out.len() > MOST {
        return None;
    }
    match (ty.kind(), ty.as_array()) {
        (TyKind::Scalar(_), _) => out.push(ty.clone()),
        (TyKind::Tuple(parts), _) => parts.iter().try_for_each(|part| leaves(part, out))?,
        (_, Some(array)) if array.position.is_none() => {
            let n = usize::try_from(array.len.as_const()?).ok().filter(|n| *n <= MOST)?;
            (0..n).try_for_each(|_| leaves(&array.element, out))?;
        }
        _ => return None,
    }
    Some(())
}
