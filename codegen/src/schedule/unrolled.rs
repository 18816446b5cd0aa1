//! Folds and scans of small arrays, such as matrices of 2×2 or tables of four states, whose elements are the scalars of a
//! tuple instead: for tuples there are parallel strategies, whose values are in registers.
//!
//! `reduce f z xs = map array (reduce (tuple ∘ f ∘ array) (tuple z) (map tuple xs))`
//!
//! * `evaluate`: functions of small arrays, as functions of scalars
//! * `few_rows`: maps over a few rows
//! * `states`: scans and folds in order

mod evaluate;
mod few_rows;
mod states;

use self::evaluate::{Evaluator, Value};
use super::nested::array_of;
use super::pass::within;
use super::versions::fresh;
use super::{Applied, rules};
use crate::core::copy::{Copier, Lengths};
use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, Stmt, VarId, VarInfo};
use crate::target::{Class, Target};
use lift_analysis::origin::Origin;
use lift_analysis::ty::{Ty, TyKind};

/// Maximum scalars of an accumulator: each work-item has a few of these in registers.
const MOST: usize = 16;

/// The kernel whose unplaced folds and scans have no small arrays as accumulators, and whose functions have no maps over a
/// few rows that fold what they make.
pub fn unrolled(kernel: Kernel, target: &Target, applied: &mut Vec<Applied>) -> Kernel {
    within(kernel, |kernel, lengths, body| {
        block(kernel, body, lengths, applied);
        in_maps(kernel, body, lengths, applied, few_rows::function);
        if target.class == Class::Gpu {
            in_maps(kernel, body, lengths, applied, states::function);
        }
    })
}

/// Rewrites the functions of all maps in a block, the inner ones first.
fn in_maps(
    kernel: &mut Kernel,
    body: &mut Block,
    lengths: &mut Lengths,
    applied: &mut Vec<Applied>,
    function: fn(&mut Kernel, &mut Block, &mut Lengths, &mut Vec<Applied>),
) {
    for stmt in &mut body.stmts {
        let maps = matches!(&stmt.rhs, Rhs::Prim(call) if call.prim == Prim::Map(Level::Auto));
        for inner in stmt.rhs.blocks_mut() {
            in_maps(kernel, inner, lengths, applied, function);
            if maps {
                function(kernel, inner, lengths, applied);
            }
        }
    }
}

fn block(kernel: &mut Kernel, body: &mut Block, lengths: &mut Lengths, applied: &mut Vec<Applied>) {
    let mut out: Vec<Stmt> = Vec::new();
    for mut stmt in std::mem::take(&mut body.stmts) {
        let vars = kernel.vars.len();
        match of_scalars(kernel, lengths, &stmt, &out) {
            Some(stmts) => {
                applied.push(Applied { rule: &rules::FOLD_SCALARS, origin: stmt.origin.clone() });
                out.extend(stmts);
            }
            None => {
                kernel.vars.truncate(vars);
                stmt.rhs.blocks_mut().into_iter().for_each(|inner| block(kernel, inner, lengths, applied));
                out.push(stmt);
            }
        }
    }
    body.stmts = out;
}

/// The statements that fold tuples instead of the small arrays of a statement; `known` are the statements before it.
fn of_scalars(kernel: &mut Kernel, lengths: &mut Lengths, stmt: &Stmt, known: &[Stmt]) -> Option<Vec<Stmt>> {
    let Rhs::Prim(call) = &stmt.rhs else { return None };
    if !matches!(call.prim, Prim::Reduce(Level::Auto) | Prim::Scan(Level::Auto) | Prim::ScanExcl(Level::Auto)) {
        return None;
    }
    let ([z, xs], [f]) = (call.args.as_slice(), call.funs.as_slice()) else { return None };
    let (state, source) = (kernel.atom_ty(z), kernel.atom_ty(xs));
    let source = source.as_array().filter(|a| a.position.is_none() && a.element == state)?.clone();
    let scalars = scalars_of(&state).filter(|all| (2..=MOST).contains(&all.len()))?;
    let result = kernel.ty(stmt.var).as_array()?.len.clone();
    let ([a, b], None) = (f.params.as_slice(), &f.position) else { return None };
    state.as_array()?;
    let tuple = Ty::tuple(scalars.clone());
    let (origin, position) = (&stmt.origin, None);
    let at = |var: VarId, rhs: Rhs| Stmt { var, binds: Vec::new(), rhs, origin: origin.clone() };
    let prim = |prim, funs, args| Rhs::Prim(PrimCall { prim, sizes: Vec::new(), funs, args });
    // tuple z
    let mut start = Evaluator::new(&mut kernel.vars, lengths, origin);
    start.knows(known);
    let of_z = start.value(z)?;
    let zs = start.tuple(&of_z, &tuple)?;
    let mut out = start.stmts;
    // map tuple xs
    let x = fresh(&mut kernel.vars, *b, state.clone());
    let mut elements = Evaluator::new(&mut kernel.vars, lengths, origin);
    let of_x = elements.value(&Atom::Var(x))?;
    let result_x = elements.tuple(&of_x, &tuple)?;
    let body = Block { stmts: elements.stmts, result: result_x };
    let as_tuple = Lambda { position: position.clone(), params: vec![x], body, origin: origin.clone() };
    let tuples = fresh(&mut kernel.vars, *b, array_of(&tuple, &source.len));
    out.push(at(tuples, prim(Prim::Map(Level::Auto), vec![as_tuple], vec![xs.clone()])));
    // tuple ∘ f ∘ array
    let [p, q] = [0; 2].map(|_| fresh(&mut kernel.vars, *a, tuple.clone()));
    let f = Copier::new(&mut kernel.vars, lengths).lambda(f);
    let mut operator = Evaluator::new(&mut kernel.vars, lengths, &f.origin);
    operator.knows(known);
    for (param, of) in f.params.iter().zip([p, q]) {
        let value = operator.array(&state, &mut operator_parts(of, scalars.len()))?;
        operator.set(*param, value);
    }
    let value = operator.block(&f.body)?;
    let folded = operator.tuple(&value, &tuple)?;
    let body = Block { stmts: operator.stmts, result: folded };
    let f = Lambda { position: position.clone(), params: vec![p, q], body, origin: f.origin.clone() };
    let all = fresh(&mut kernel.vars, stmt.var, array_of(&tuple, &result));
    out.push(at(all, prim(call.prim, vec![f], vec![zs, Atom::Var(tuples)])));
    // map array
    let t = fresh(&mut kernel.vars, stmt.var, tuple.clone());
    let mut back = Evaluator::new(&mut kernel.vars, lengths, origin);
    let value = back.array(&state, &mut operator_parts(t, scalars.len()))?;
    let array = back.view(&value, &state)?;
    let body = Block { stmts: back.stmts, result: array };
    let as_array = Lambda { position, params: vec![t], body, origin: origin.clone() };
    out.push(Stmt { rhs: prim(Prim::Map(Level::Auto), vec![as_array], vec![Atom::Var(all)]), ..stmt.clone() });
    Some(out)
}

/// An array of these elements, and the statements that make it.
pub fn row_of(
    vars: &mut Vec<VarInfo>,
    lengths: &mut Lengths,
    origin: &Origin,
    elements: Vec<Atom>,
    ty: &Ty,
) -> Option<(Vec<Stmt>, Atom)> {
    let mut row = Evaluator::new(vars, lengths, origin);
    let made = row.view(&Value::Array(elements.into_iter().map(Value::One).collect()), ty)?;
    Some((row.stmts, made))
}

/// The components of a tuple.
fn operator_parts(tuple: VarId, count: usize) -> impl Iterator<Item = Value> {
    (0..count).map(move |k| Value::Part(tuple, k))
}

/// The types of the scalars in a value of arrays of constant lengths.
fn scalars_of(ty: &Ty) -> Option<Vec<Ty>> {
    match ty.kind() {
        TyKind::Scalar(_) => Some(vec![ty.clone()]),
        _ => {
            let array = ty.as_array().filter(|a| a.position.is_none())?;
            let n = usize::try_from(array.len.as_const()?).ok().filter(|n| *n <= MOST)?;
            let each = scalars_of(&array.element)?;
            (n * each.len() <= MOST).then(|| each.iter().cycle().take(n * each.len()).cloned().collect())
        }
    }
}
