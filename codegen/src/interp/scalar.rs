//! Scalar operators on values of a run.

use super::repr::{Val, malformed};
use super::{Result, RunError};
use crate::core::ScalarOp;
use crate::core::scalar::{self, Undefined};
use crate::failure::Message;
use crate::number::Number;

pub fn unary(op: ScalarOp, x: &Val) -> Result<Val> {
    result(op, x.number().map_or(Err(Undefined::Operands), |x| scalar::unary(op, x)))
}

pub fn binary(op: ScalarOp, x: &Val, y: &Val) -> Result<Val> {
    result(op, x.number().zip(y.number()).map_or(Err(Undefined::Operands), |(x, y)| scalar::binary(op, x, y)))
}

fn result(op: ScalarOp, computed: std::result::Result<Number, Undefined>) -> Result<Val> {
    Ok(match computed {
        Ok(number) => number.into(),
        Err(Undefined::DivisionByZero) => return Err(RunError::failed(&Message::division_by_zero(), 0, 0)),
        Err(Undefined::RemainderByZero) => return Err(RunError::failed(&Message::remainder_by_zero(), 0, 0)),
        Err(Undefined::Operands) => {
            return Err(malformed(format!("`{}` is not defined at these operands", op.name())));
        }
    })
}
