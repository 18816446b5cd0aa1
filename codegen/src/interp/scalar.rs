//! Scalar operators. [`super`] says how they treat the cases that other languages leave open.

use super::repr::{Val, malformed};
use super::{Result, RunError};
use crate::core::{Atom, ScalarOp};
use crate::failure::Message;
use lift_analysis::hir::Literal;

pub fn unary(op: ScalarOp, x: &Val) -> Result<Val> {
    use ScalarOp::*;
    Ok(match (op, x) {
        (Not, Val::Bool(x)) => Val::Bool(!x),
        (Neg, Val::Int(x)) => Val::Int(x.wrapping_neg()),
        (Neg, Val::Long(x)) => Val::Long(x.wrapping_neg()),
        (Neg, Val::Float(x)) => Val::Float(-x),
        (Neg, Val::Double(x)) => Val::Double(-x),
        (Abs, Val::Int(x)) => Val::Int(x.wrapping_abs()),
        (Abs, Val::Long(x)) => Val::Long(x.wrapping_abs()),
        (Abs, Val::Float(x)) => Val::Float(x.abs()),
        (Abs, Val::Double(x)) => Val::Double(x.abs()),
        (ToInt, Val::Int(x)) => Val::Int(*x),
        (ToInt, Val::Long(x)) => Val::Int(*x as i32),
        (ToInt, Val::Float(x)) => Val::Int(*x as i32),
        (ToInt, Val::Double(x)) => Val::Int(*x as i32),
        (ToLong, Val::Int(x)) => Val::Long(i64::from(*x)),
        (ToLong, Val::Long(x)) => Val::Long(*x),
        (ToLong, Val::Float(x)) => Val::Long(*x as i64),
        (ToLong, Val::Double(x)) => Val::Long(*x as i64),
        (ToFloat, Val::Int(x)) => Val::Float(*x as f32),
        (ToFloat, Val::Long(x)) => Val::Float(*x as f32),
        (ToFloat, Val::Float(x)) => Val::Float(*x),
        (ToFloat, Val::Double(x)) => Val::Float(*x as f32),
        (ToDouble, Val::Int(x)) => Val::Double(f64::from(*x)),
        (ToDouble, Val::Long(x)) => Val::Double(*x as f64),
        (ToDouble, Val::Float(x)) => Val::Double(f64::from(*x)),
        (ToDouble, Val::Double(x)) => Val::Double(*x),
        (op, Val::Float(x)) => Val::Float(float_function(op, *x)?),
        (op, Val::Double(x)) => Val::Double(float_function(op, *x)?),
        _ => return Err(undefined(op)),
    })
}

/// The functions that exist at the floating point types only.
fn float_function<T: Floating>(op: ScalarOp, x: T) -> Result<T> {
    Ok(match op {
        ScalarOp::Sqrt => x.sqrt(),
        ScalarOp::Exp => x.exp(),
        ScalarOp::Log => x.ln(),
        ScalarOp::Sin => x.sin(),
        ScalarOp::Cos => x.cos(),
        ScalarOp::Tan => x.tan(),
        ScalarOp::Floor => x.floor(),
        ScalarOp::Ceil => x.ceil(),
        op => return Err(undefined(op)),
    })
}

trait Floating: Copy {
    fn sqrt(self) -> Self;
    fn exp(self) -> Self;
    fn ln(self) -> Self;
    fn sin(self) -> Self;
    fn cos(self) -> Self;
    fn tan(self) -> Self;
    fn floor(self) -> Self;
    fn ceil(self) -> Self;
}
macro_rules! floating {
    ($t:ty: $($f:ident)*) => {
        impl Floating for $t {
            $(fn $f(self) -> $t {
                <$t>::$f(self)
            })*
        }
    };
}
floating!(f32: sqrt exp ln sin cos tan floor ceil);
floating!(f64: sqrt exp ln sin cos tan floor ceil);

pub fn binary(op: ScalarOp, x: &Val, y: &Val) -> Result<Val> {
    use ScalarOp::*;
    macro_rules! integer {
        ($kind:ident, $x:expr, $y:expr) => {{
            let (x, y) = ($x, $y);
            match op {
                Add => Val::$kind(x.wrapping_add(y)),
                Sub => Val::$kind(x.wrapping_sub(y)),
                Mul => Val::$kind(x.wrapping_mul(y)),
                Div | Mod if y == 0 => return Err(by_zero(op)),
                Div => Val::$kind(x.wrapping_div(y)),
                Mod => Val::$kind(x.wrapping_rem(y)),
                Min => Val::$kind(x.min(y)),
                Max => Val::$kind(x.max(y)),
                Lt => Val::Bool(x < y),
                Gt => Val::Bool(x > y),
                Le => Val::Bool(x <= y),
                Ge => Val::Bool(x >= y),
                Eq => Val::Bool(x == y),
                Ne => Val::Bool(x != y),
                BitAnd => Val::$kind(x & y),
                BitOr => Val::$kind(x | y),
                BitXor => Val::$kind(x ^ y),
                // Only the lowest bits of the count are looked at, so that the cast loses nothing that matters.
                Shl => Val::$kind(x.wrapping_shl(y as u32)),
                Shr => Val::$kind(x.wrapping_shr(y as u32)),
                _ => return Err(undefined(op)),
            }
        }};
    }
    macro_rules! floating {
        ($kind:ident, $x:expr, $y:expr) => {{
            let (x, y) = ($x, $y);
            match op {
                Add => Val::$kind(x + y),
                Sub => Val::$kind(x - y),
                Mul => Val::$kind(x * y),
                Div => Val::$kind(x / y),
                Min => Val::$kind(x.min(y)),
                Max => Val::$kind(x.max(y)),
                Lt => Val::Bool(x < y),
                Gt => Val::Bool(x > y),
                Le => Val::Bool(x <= y),
                Ge => Val::Bool(x >= y),
                Eq => Val::Bool(x == y),
                Ne => Val::Bool(x != y),
                Pow => Val::$kind(x.powf(y)),
                _ => return Err(undefined(op)),
            }
        }};
    }
    Ok(match (x, y) {
        (Val::Int(x), Val::Int(y)) => integer!(Int, *x, *y),
        (Val::Long(x), Val::Long(y)) => integer!(Long, *x, *y),
        (Val::Float(x), Val::Float(y)) => floating!(Float, *x, *y),
        (Val::Double(x), Val::Double(y)) => floating!(Double, *x, *y),
        (Val::Bool(x), Val::Bool(y)) => Val::Bool(match op {
            And => *x && *y,
            Or => *x || *y,
            Eq => x == y,
            Ne => x != y,
            _ => return Err(undefined(op)),
        }),
        _ => return Err(undefined(op)),
    })
}

fn by_zero(op: ScalarOp) -> RunError {
    let message = if op == ScalarOp::Mod { Message::remainder_by_zero() } else { Message::division_by_zero() };
    RunError::failed(&message, 0, 0)
}

fn undefined(op: ScalarOp) -> RunError {
    malformed(format!("`{}` is not defined at these operands", op.name()))
}

/// What an operator makes of operands that are known before the run, where every machine makes the same of them:
/// literals, and neutral elements of integers.
pub fn fold(op: ScalarOp, operands: &[Atom]) -> Option<Atom> {
    use ScalarOp::*;
    let known = |a: &Atom| match a {
        Atom::Lit(l) => Some(Val::literal(*l)),
        _ => None,
    };
    // The last digit of these is another one on each machine.
    if matches!(op, Exp | Log | Sin | Cos | Tan | Pow) {
        return None;
    }
    let value = match operands {
        [x] => unary(op, &known(x)?),
        [x, y] => match (known(x), known(y)) {
            (Some(a), Some(b)) => binary(op, &a, &b),
            (a, b) => return neutral(op, (x, a), (y, b)),
        },
        _ => return None,
    };
    // An operation that stops the run is left to the run.
    Some(Atom::Lit(match value.ok()? {
        Val::Int(x) => Literal::Int(x),
        Val::Long(x) => Literal::Long(x),
        Val::Float(x) => Literal::Float(x.to_bits()),
        Val::Double(x) => Literal::Double(x.to_bits()),
        Val::Bool(x) => Literal::Bool(x),
        _ => return None,
    }))
}

/// `x` where the operation does nothing to it. Only integers and Booleans: `-0.0 + 0.0` is not `-0.0`.
fn neutral(op: ScalarOp, x: (&Atom, Option<Val>), y: (&Atom, Option<Val>)) -> Option<Atom> {
    use ScalarOp::*;
    let is = |v: &Option<Val>, n: i64| match v {
        Some(Val::Int(x)) => i64::from(*x) == n,
        Some(Val::Long(x)) => *x == n,
        _ => false,
    };
    let is_bool = |v: &Option<Val>, b: bool| matches!(v, Some(Val::Bool(x)) if *x == b);
    match op {
        Add if is(&x.1, 0) => Some(y.0.clone()),
        Add | Sub if is(&y.1, 0) => Some(x.0.clone()),
        Mul if is(&x.1, 1) => Some(y.0.clone()),
        Mul | Div if is(&y.1, 1) => Some(x.0.clone()),
        And if is_bool(&x.1, true) => Some(y.0.clone()),
        And if is_bool(&y.1, true) => Some(x.0.clone()),
        Or if is_bool(&x.1, false) => Some(y.0.clone()),
        Or if is_bool(&y.1, false) => Some(x.0.clone()),
        _ => None,
    }
}
