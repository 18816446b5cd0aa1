//! Remainders by comparison, for indices less than one length outside of an array, such as that of a neighbour in a ring.
//! A division takes about twenty instructions.

use super::function::FunctionBuilder;
use crate::opencl::{CType, Expr};
use lift_analysis::size::Size;

/// The remainder of `n` by `d` (rounding down), for -d <= n < 2d. `None` if this range is not proved, or if `d` is a
/// constant. Both are `int`s that do not wrap.
pub fn wrapped(f: &mut FunctionBuilder, [n, d]: [Expr; 2], of: &Size, by: &Size) -> Option<Expr> {
    let facts = f.facts();
    let below = by.as_const().is_none() && facts.lt(of, &by.add(by)).is_yes();
    let not_negative = facts.le(&Size::zero(), of).is_yes();
    if !below || !(not_negative || facts.le(&by.neg(), of).is_yes()) {
        return None;
    }
    let less = facts.lt(of, by).is_yes();
    let n = if n.is_atom() { n } else { f.bind("beyond", CType::Int, n) };
    let from_above = match less {
        true => n.clone(),
        false => n.clone().lt(d.clone()).select(n.clone(), n.clone().sub(d.clone())),
    };
    Some(match not_negative {
        true => from_above,
        false => n.clone().lt(Expr::int(0)).select(n.add(d), from_above),
    })
}
