//! Remainders of numbers that are less than one divisor away from the range of the remainder, such as the index of a
//! neighbour beyond the end: they need comparisons instead of a division, which takes some twenty instructions.

use super::function::FunctionBuilder;
use crate::opencl::{CType, Expr};
use lift_analysis::size::Size;

/// `n mod d`, rounding down, for -d <= n < 2d and a `d` that the compiler does not know; `None` if that is not known of them.
/// `n` and `d` have no more than 31 bits.
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
