//! Counting loops: an `iterateWhile` whose test compares with a length a component of its state to which each iteration
//! adds a constant, or which it multiplies by one. The number of iterations is known beforehand, so no test is computed
//! or read back.

use super::{Applied, on_the_host, rules};
use crate::core::{Atom, Block, Kernel, Lambda, Prim, PrimCall, Rhs, ScalarOp};
use lift_analysis::hir::Literal;
use lift_analysis::size::{Size, VarKind};

/// Turns counting loops at host level into `iterate`, until `applied` has `most` entries.
pub fn rewrite(mut kernel: Kernel, most: usize, applied: &mut Vec<Applied>) -> Kernel {
    let mut body = kernel.body.clone();
    block(&kernel, &mut body, most, applied);
    kernel.body = body;
    kernel
}

fn block(kernel: &Kernel, of: &mut Block, most: usize, applied: &mut Vec<Applied>) {
    for at in 0..of.stmts.len() {
        let count = match &of.stmts[at].rhs {
            Rhs::Prim(call) if applied.len() < most && on_the_host(kernel, call) => rounds(of, call),
            _ => None,
        };
        let stmt = &mut of.stmts[at];
        match &mut stmt.rhs {
            Rhs::If(_, a, b) => {
                block(kernel, a, most, applied);
                block(kernel, b, most, applied);
            }
            Rhs::Prim(call) if on_the_host(kernel, call) => {
                if let Some(count) = count {
                    let f = call.funs.pop();
                    *call = PrimCall {
                        prim: Prim::Iterate,
                        sizes: vec![count],
                        funs: f.into_iter().collect(),
                        args: call.args.clone(),
                    };
                    applied.push(Applied { rule: &rules::COUNTED_WHILE, origin: stmt.origin.clone() });
                }
                call.funs.iter_mut().for_each(|f| block(kernel, &mut f.body, most, applied));
            }
            _ => {}
        }
    }
}

/// The size equal to an integer that is known before the run.
fn size(a: &Atom) -> Option<Size> {
    match a {
        Atom::Size(s) => Some(s.clone()),
        Atom::Lit(Literal::Int(n)) => Some(Size::int((*n).into())),
        _ => None,
    }
}

/// The right-hand side that defines the value in a block.
pub(super) fn defined<'b>(block: &'b Block, a: &Atom) -> Option<&'b Rhs> {
    let Atom::Var(v) = a else { return None };
    block.stmts.iter().find(|s| s.var == *v).map(|s| &s.rhs)
}

/// The index of the parameter's component that the atom is.
pub(super) fn component(f: &Lambda, a: &Atom) -> Option<usize> {
    match defined(&f.body, a)? {
        Rhs::Proj(Atom::Var(v), i) if f.params.contains(v) => Some(*i),
        _ => None,
    }
}

/// The number of iterations of an `iterateWhile`, if it is a counting loop.
fn rounds(block: &Block, call: &PrimCall) -> Option<Size> {
    let ([test, f], [start]) = (call.funs.as_slice(), call.args.as_slice()) else { return None };
    if call.prim != Prim::IterateWhile {
        return None;
    }
    let Rhs::Scalar(op, operands) = defined(&test.body, &test.body.result)? else { return None };
    let (counter, bound) = match (op, operands.as_slice()) {
        (ScalarOp::Lt, [counter, bound]) | (ScalarOp::Gt, [bound, counter]) => (counter, bound),
        _ => return None,
    };
    let (at, bound) = (component(test, counter)?, size(bound)?);
    let Rhs::Tuple(first) = defined(block, start)? else { return None };
    let first = size(first.get(at)?)?;
    let Rhs::Tuple(next) = defined(&f.body, &f.body.result)? else { return None };
    let Rhs::Scalar(op, operands) = defined(&f.body, next.get(at)?)? else { return None };
    let is_counter = |a: &Atom| component(f, a) == Some(at);
    let constant = match operands.as_slice() {
        [a, Atom::Lit(Literal::Int(n))] | [Atom::Lit(Literal::Int(n)), a] if is_counter(a) => i64::from(*n),
        _ => return None,
    };
    // The test must not do anything else, such as stop the run.
    let compares = |rhs: &Rhs| matches!(rhs, Rhs::Proj(..) | Rhs::Scalar(ScalarOp::Lt | ScalarOp::Gt, _));
    if !test.body.stmts.iter().all(|s| compares(&s.rhs)) {
        return None;
    }
    let count = match op {
        ScalarOp::Add if constant > 0 => {
            let left = Size::max(&bound.sub(&first), &Size::zero());
            left.add(&Size::int(constant - 1)).div_floor(&Size::int(constant))
        }
        // The logarithm of another bound is not a size.
        ScalarOp::Mul if constant > 1 => {
            let exponents = (bound.exponent_of(constant)?, first.exponent_of(constant)?);
            Size::max(&exponents.0.sub(&exponents.1), &Size::zero())
        }
        _ => return None,
    };
    (!count.any_var(&mut |v| v.kind != VarKind::Param)).then_some(count)
}
