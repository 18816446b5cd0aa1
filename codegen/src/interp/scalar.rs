//! Scalar operators on values of a run.

use super::repr::{Val, malformed};
use super::{Result, RunError};
use crate::core::ScalarOp;
use crate::core::scalar::{self, Number, Undefined};
use crate::failure::Message;

pub fn unary(op: ScalarOp, x: &Val) -> Result<Val> {
    result(op, number(x).map_or(Err(Undefined::Operands), |x| scalar::unary(op, x)))
}

pub fn binary(op: ScalarOp, x: &Val, y: &Val) -> Result<Val> {
    result(op, number(x).zip(number(y)).map_or(Err(Undefined::Operands), |(x, y)| scalar::binary(op, x, y)))
}

fn number(x: &Val) -> Option<Number> {
    Some(match x {
        Val::Int(x) => Number::Int(*x),
        Val::Long(x) => Number::Long(*x),
        Val::Float(x) => Number::Float(*x),
        Val::Double(x) => Number::Double(*x),
        Val::Bool(x) => Number::Bool(*x),
        Val::Tuple(_) | Val::Vec(_) | Val::Array(_) | Val::Packed(_) => return None,
    })
}

fn result(op: ScalarOp, computed: std::result::Result<Number, Undefined>) -> Result<Val> {
    Ok(match computed {
        Ok(Number::Int(x)) => Val::Int(x),
        Ok(Number::Long(x)) => Val::Long(x),
        Ok(Number::Float(x)) => Val::Float(x),
        Ok(Number::Double(x)) => Val::Double(x),
        Ok(Number::Bool(x)) => Val::Bool(x),
        Err(Undefined::DivisionByZero) => return Err(RunError::failed(&Message::division_by_zero(), 0, 0)),
        Err(Undefined::RemainderByZero) => return Err(RunError::failed(&Message::remainder_by_zero(), 0, 0)),
        Err(Undefined::Operands) => {
            return Err(malformed(format!("`{}` is not defined at these operands", op.name())));
        }
    })
}
