//! Evaluation of scalar operators. [`crate::interp`] documents the cases that other languages leave undefined.

use super::{Atom, ScalarOp};
use crate::number::{Number, each_integer};
use lift_analysis::hir::{Literal, Scalar};

/// Why an operator has no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Undefined {
    DivisionByZero,
    RemainderByZero,
    /// The operator is not defined for operands of these types.
    Operands,
}

/// The absolute value; that of the least number is itself.
macro_rules! absolute {
    (u8, $x:expr) => {
        $x
    };
    (u16, $x:expr) => {
        $x
    };
    (u32, $x:expr) => {
        $x
    };
    (u64, $x:expr) => {
        $x
    };
    ($signed:ident, $x:expr) => {
        $x.wrapping_abs()
    };
}

macro_rules! integers {
    (() $($kind:ident: $rust:ident $unsigned:ident),*) => {
        fn unary_of_integer(op: ScalarOp, x: Number) -> Option<Number> {
            Some(match (op, x) {
                $(
                    (ScalarOp::Neg, Number::$kind(x)) => Number::$kind(x.wrapping_neg()),
                    (ScalarOp::Abs, Number::$kind(x)) => Number::$kind(absolute!($rust, x)),
                    (ScalarOp::PopCount, Number::$kind(x)) => Number::Int(x.count_ones() as i32),
                    (ScalarOp::Clz, Number::$kind(x)) => Number::Int(x.leading_zeros() as i32),
                )*
                _ => return None,
            })
        }

        fn binary_of_integers(op: ScalarOp, x: Number, y: Number) -> Result<Number, Undefined> {
            use ScalarOp::*;
            match (x, y) {
                $(
                    (Number::$kind(x), Number::$kind(y)) => Ok(match op {
                        Add => Number::$kind(x.wrapping_add(y)),
                        Sub => Number::$kind(x.wrapping_sub(y)),
                        Mul => Number::$kind(x.wrapping_mul(y)),
                        Div if y == 0 => return Err(Undefined::DivisionByZero),
                        Mod | FloorMod if y == 0 => return Err(Undefined::RemainderByZero),
                        Div => Number::$kind(x.wrapping_div(y)),
                        Mod => Number::$kind(x.wrapping_rem(y)),
                        FloorMod => {
                            let rest = x.wrapping_rem(y);
                            let apart = i128::from(rest).signum() * i128::from(y).signum() < 0;
                            Number::$kind(if apart { rest.wrapping_add(y) } else { rest })
                        }
                        Min => Number::$kind(x.min(y)),
                        Max => Number::$kind(x.max(y)),
                        BitAnd => Number::$kind(x & y),
                        BitOr => Number::$kind(x | y),
                        BitXor => Number::$kind(x ^ y),
                        // Only the lowest bits of the count matter, so the cast loses nothing.
                        Shl => Number::$kind(x.wrapping_shl(y as u32)),
                        Shr => Number::$kind(x.wrapping_shr(y as u32)),
                        UShr => Number::$kind((x as $unsigned).wrapping_shr(y as u32) as $rust),
                        op => Number::Bool(comparison(op, x, y)?),
                    }),
                )*
                _ => Err(Undefined::Operands),
            }
        }
    };
}

each_integer!(integers!());

pub fn unary(op: ScalarOp, x: Number) -> Result<Number, Undefined> {
    use ScalarOp::*;
    Ok(match (op, x) {
        (Not, Number::Bool(x)) => Number::Bool(!x),
        (Neg, Number::Half(x)) => Number::Half(-x),
        (To(scalar), x) => x.converted(scalar).ok_or(Undefined::Operands)?,
        // Computed as a Float, and rounded.
        (op, Number::Half(x)) => half_of(unary(op, Number::Float(x.into()))?),
        (Neg, Number::Float(x)) => Number::Float(-x),
        (Neg, Number::Double(x)) => Number::Double(-x),
        (Abs, Number::Float(x)) => Number::Float(x.abs()),
        (Abs, Number::Double(x)) => Number::Double(x.abs()),
        (IsNan, Number::Float(x)) => Number::Bool(x.is_nan()),
        (IsNan, Number::Double(x)) => Number::Bool(x.is_nan()),
        (op, Number::Float(x)) => Number::Float(float_function(op, x)?),
        (op, Number::Double(x)) => Number::Double(float_function(op, x)?),
        (op, x) => unary_of_integer(op, x).ok_or(Undefined::Operands)?,
    })
}

/// Rounds a Float to a Half; a truth value is kept.
fn half_of(x: Number) -> Number {
    x.converted(Scalar::Half).unwrap_or(x)
}

/// Functions of floating-point numbers.
fn float_function<T: Floating>(op: ScalarOp, x: T) -> Result<T, Undefined> {
    Ok(match op {
        ScalarOp::Sqrt => x.sqrt(),
        ScalarOp::Exp => x.exp(),
        ScalarOp::Log => x.ln(),
        ScalarOp::Sin => x.sin(),
        ScalarOp::Cos => x.cos(),
        ScalarOp::Tan => x.tan(),
        ScalarOp::Asin => x.asin(),
        ScalarOp::Acos => x.acos(),
        ScalarOp::Atan => x.atan(),
        ScalarOp::Sinh => x.sinh(),
        ScalarOp::Cosh => x.cosh(),
        ScalarOp::Tanh => x.tanh(),
        ScalarOp::Asinh => x.asinh(),
        ScalarOp::Acosh => x.acosh(),
        ScalarOp::Atanh => x.atanh(),
        ScalarOp::Round => x.round(),
        ScalarOp::Floor => x.floor(),
        ScalarOp::Ceil => x.ceil(),
        _ => return Err(Undefined::Operands),
    })
}

trait Floating: Copy {
    fn sqrt(self) -> Self;
    fn exp(self) -> Self;
    fn ln(self) -> Self;
    fn sin(self) -> Self;
    fn cos(self) -> Self;
    fn tan(self) -> Self;
    fn asin(self) -> Self;
    fn acos(self) -> Self;
    fn atan(self) -> Self;
    fn sinh(self) -> Self;
    fn cosh(self) -> Self;
    fn tanh(self) -> Self;
    fn asinh(self) -> Self;
    fn acosh(self) -> Self;
    fn atanh(self) -> Self;
    fn round(self) -> Self;
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
floating!(f32: sqrt exp ln sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh round floor ceil);
floating!(f64: sqrt exp ln sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh round floor ceil);

/// Comparisons of two numbers of one type.
fn comparison<T: PartialOrd>(op: ScalarOp, x: T, y: T) -> Result<bool, Undefined> {
    Ok(match op {
        ScalarOp::Lt => x < y,
        ScalarOp::Gt => x > y,
        ScalarOp::Le => x <= y,
        ScalarOp::Ge => x >= y,
        ScalarOp::Eq => x == y,
        ScalarOp::Ne => x != y,
        _ => return Err(Undefined::Operands),
    })
}

pub fn binary(op: ScalarOp, x: Number, y: Number) -> Result<Number, Undefined> {
    use ScalarOp::*;
    macro_rules! floating {
        ($kind:ident, $x:expr, $y:expr) => {{
            let (x, y) = ($x, $y);
            match op {
                Add => Number::$kind(x + y),
                Sub => Number::$kind(x - y),
                Mul => Number::$kind(x * y),
                Div => Number::$kind(x / y),
                FloorMod => Number::$kind({
                    // The remainder of C is exact, so that only the sum rounds.
                    let rest = x % y;
                    if rest != 0.0 && (rest < 0.0) != (y < 0.0) {
                        rest + y
                    } else if rest == 0.0 {
                        rest.copysign(y)
                    } else {
                        rest
                    }
                }),
                Min => Number::$kind(x.min(y)),
                Max => Number::$kind(x.max(y)),
                Pow => Number::$kind(x.powf(y)),
                Atan2 => Number::$kind(x.atan2(y)),
                op => Number::Bool(comparison(op, x, y)?),
            }
        }};
    }
    Ok(match (x, y) {
        (Number::Half(x), Number::Half(y)) => half_of(binary(op, Number::Float(x.into()), Number::Float(y.into()))?),
        (Number::Float(x), Number::Float(y)) => floating!(Float, x, y),
        (Number::Double(x), Number::Double(y)) => floating!(Double, x, y),
        (Number::Bool(x), Number::Bool(y)) => Number::Bool(match op {
            And => x && y,
            Or => x || y,
            Eq | Ne => comparison(op, x, y)?,
            _ => return Err(Undefined::Operands),
        }),
        (x, y) => binary_of_integers(op, x, y)?,
    })
}

/// Whether a device takes many instructions for the operator, and the last digit of the result differs between devices.
pub fn is_transcendental(op: ScalarOp) -> bool {
    use ScalarOp::*;
    matches!(
        op,
        Exp | Log | Sin | Cos | Tan | Asin | Acos | Atan | Sinh | Cosh | Tanh | Asinh | Acosh | Atanh | Atan2 | Pow
    )
}

/// Whether an operator is a function of hundreds of instructions on most devices: a sine, a power and the like.
pub fn is_long(op: ScalarOp) -> bool {
    is_transcendental(op) && !matches!(op, ScalarOp::Exp | ScalarOp::Log)
}

/// Folds an operator at compile time, where every device computes the same: on literals, and for neutral elements of
/// integers. `None` if the operation must stay.
pub fn fold(op: ScalarOp, operands: &[Atom]) -> Option<Atom> {
    let known = |a: &Atom| match a {
        Atom::Lit(l) => Some(Number::from(*l)),
        _ => None,
    };
    if is_transcendental(op) {
        return None;
    }
    let value = match operands {
        [x] => unary(op, known(x)?),
        [x, y] => match (known(x), known(y)) {
            (Some(a), Some(b)) => binary(op, a, b),
            (a, b) => return neutral(op, (x, a), (y, b)),
        },
        _ => return None,
    };
    // An operation without a result stays, so that the run reports it.
    Some(Atom::Lit(value.ok()?.into()))
}

/// The neutral element of `min` or `max`; for floating-point numbers NaN, because `min` and `max` of NaN and a number
/// are the number.
pub fn neutral_of(op: ScalarOp, scalar: Scalar) -> Option<Literal> {
    macro_rules! least_or_greatest {
        (() $($kind:ident: $rust:ident $unsigned:ident),*) => {
            match (op, scalar) {
                $(
                    (ScalarOp::Max, Scalar::$kind) => Some(Literal::$kind($rust::MIN)),
                    (ScalarOp::Min, Scalar::$kind) => Some(Literal::$kind($rust::MAX)),
                )*
                (ScalarOp::Min | ScalarOp::Max, Scalar::Half | Scalar::Float | Scalar::Double) => {
                    Number::Float(f32::NAN).converted(scalar).map(Literal::from)
                }
                _ => None,
            }
        };
    }
    each_integer!(least_or_greatest!())
}

/// The other operand, if `x` or `y` is neutral. Only integers and Booleans, because `-0.0 + 0.0` is not `-0.0`.
fn neutral(op: ScalarOp, x: (&Atom, Option<Number>), y: (&Atom, Option<Number>)) -> Option<Atom> {
    use ScalarOp::*;
    let is = |v: &Option<Number>, n: i128| v.and_then(Number::integer) == Some(n);
    let is_bool = |v: &Option<Number>, b: bool| matches!(v, Some(Number::Bool(x)) if *x == b);
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
