//! Arithmetic and comparisons of `Int`s that are known as sizes: the result is one again, in a kernel and on the host.

use super::value::ScalarValue;
use crate::core::ScalarOp;
use lift_analysis::hir::Literal;
use lift_analysis::size::{Facts, Size, Truth};

/// The result of an operator, if it certainly is a size that fits an `Int`, or a known truth value.
pub fn known(facts: &Facts, op: ScalarOp, a: &ScalarValue, b: &ScalarValue) -> Option<ScalarValue> {
    number(facts, op, a, b).or_else(|| truth(facts, op, a, b).map(|b| ScalarValue::Literal(Literal::Bool(b))))
}

/// The result of arithmetic, if it certainly is a size that fits an `Int`.
pub fn number(facts: &Facts, op: ScalarOp, a: &ScalarValue, b: &ScalarValue) -> Option<ScalarValue> {
    let (a, b) = (a.as_size()?, b.as_size()?);
    // Truncation rounds down if nothing is negative.
    let rounds_down = || facts.le(&Size::zero(), &a).is_yes() && facts.lt(&Size::zero(), &b).is_yes();
    let result = match op {
        ScalarOp::Add => a.add(&b),
        ScalarOp::Sub => a.sub(&b),
        ScalarOp::Mul => a.mul(&b),
        ScalarOp::Min => Size::min(&a, &b),
        ScalarOp::Max => Size::max(&a, &b),
        ScalarOp::Div if rounds_down() => a.div_floor(&b),
        ScalarOp::Mod if rounds_down() => a.rem(&b),
        ScalarOp::FloorMod if facts.lt(&Size::zero(), &b).is_yes() => a.rem(&b),
        _ => return None,
    };
    let result = facts.simplify(&result);
    match result.as_const() {
        Some(c) => i32::try_from(c).ok().map(|c| ScalarValue::Literal(Literal::Int(c))),
        None => fits_int(facts, &result).then_some(ScalarValue::Size(result)),
    }
}

/// The result of a comparison, if it is known.
fn truth(facts: &Facts, op: ScalarOp, a: &ScalarValue, b: &ScalarValue) -> Option<bool> {
    let (a, b) = (a.as_size()?, b.as_size()?);
    let (holds, expected) = match op {
        ScalarOp::Lt => (facts.lt(&a, &b), true),
        ScalarOp::Gt => (facts.lt(&b, &a), true),
        ScalarOp::Le => (facts.le(&a, &b), true),
        ScalarOp::Ge => (facts.le(&b, &a), true),
        ScalarOp::Eq => (facts.equal(&a, &b), true),
        ScalarOp::Ne => (facts.equal(&a, &b), false),
        _ => return None,
    };
    decided(holds).map(|holds| holds == expected)
}

fn decided(truth: Truth) -> Option<bool> {
    match truth {
        t if t.is_yes() => Some(true),
        t if t.is_no() => Some(false),
        _ => None,
    }
}

/// Whether a size provably fits an `Int`.
pub fn fits_int(facts: &Facts, size: &Size) -> bool {
    let (lower, upper) = facts.const_bounds(size);
    lower.is_some_and(|l| l >= i32::MIN.into()) && upper.is_some_and(|u| u <= i32::MAX.into())
}
