//! Checked conversion of numbers to a scalar type. Values change only by rounding to the nearest float.

use super::scalar;
use crate::number::Number as Typed;
use crate::value::{ArrayValue, Value};
use lift_analysis::halves;
use lift_analysis::hir::{Literal, Scalar};

/// Whether numbers of another type than the one that is needed are converted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Casts {
    Refused,
    /// Other types are refused, but the command has the option `--cast`.
    Offered,
    Made,
}

impl Casts {
    /// Advice for a file whose numbers have another type than `needed`.
    pub fn advice(self, needed: Scalar) -> String {
        let name = super::flat::numpy_name(needed);
        // Not every NumPy has `numpy.bool`.
        let made = if needed == Scalar::Bool { name.to_owned() } else { format!("numpy.{name}") };
        let option = if self == Casts::Offered { "run with `--cast`, or " } else { "" };
        format!("`{needed:?}` is NumPy's `{name}`; {option}convert with `.astype({made})`")
    }
}

/// A number, whatever its type. A truth value is 0 or 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Number {
    Integer(i128),
    Real(f64),
}

/// Converts the scalars of a flat array. An error is a message for the user.
pub fn cast(data: &ArrayValue, to: Scalar) -> Result<ArrayValue, String> {
    if data.scalar() == Some(to) {
        return Ok(data.clone());
    }
    converted(to, numbers(data))
}

/// Collects numbers as an array of the type `to`. An error is a message for the user.
pub fn converted(to: Scalar, numbers: impl IntoIterator<Item = Number>) -> Result<ArrayValue, String> {
    let mut all = scalar::empty(to);
    for (i, number) in numbers.into_iter().enumerate() {
        let value = value(number, to)
            .ok_or_else(|| format!("the number {}, at index {i}, {}", shown(number), why(number, to)))?;
        scalar::push(&mut all, value);
    }
    Ok(all)
}

/// The numbers of a flat array; those of other arrays are left out.
pub fn numbers(data: &ArrayValue) -> impl Iterator<Item = Number> {
    (0..data.len()).filter_map(|i| data.number(i)).filter_map(|number| match number {
        Typed::Half(x) => Some(Number::Real(x.into())),
        Typed::Float(x) => Some(Number::Real(x.into())),
        Typed::Double(x) => Some(Number::Real(x)),
        Typed::Bool(b) => Some(Number::Integer(b.into())),
        integer => integer.integer().map(Number::Integer),
    })
}

fn value(number: Number, to: Scalar) -> Option<Value> {
    Some(match to {
        Scalar::Bool => Value::Bool(match whole(number)? {
            0 => false,
            1 => true,
            _ => return None,
        }),
        Scalar::Half => {
            let (exact, half) = match number {
                Number::Integer(n) => (n as f64, halves::nearest(n as f64)),
                Number::Real(x) => (x, halves::nearest(x)),
            };
            Value::Half(Some(half).filter(|half| half.is_infinite() == exact.is_infinite())?)
        }
        Scalar::Float => match number {
            Number::Integer(n) => Value::Float(n as f32),
            Number::Real(x) if x.is_finite() && (x as f32).is_infinite() => return None,
            Number::Real(x) => Value::Float(x as f32),
        },
        Scalar::Double => match number {
            Number::Integer(n) => Value::Double(n as f64),
            Number::Real(x) => Value::Double(x),
        },
        integer => Typed::from(Literal::of_integer(integer, whole(number)?)?).into(),
    })
}

fn whole(number: Number) -> Option<i128> {
    match number {
        Number::Integer(n) => Some(n),
        // Integers of 64 bits are the widest that are converted to.
        Number::Real(x) => (x.fract() == 0.0 && x.abs() < 1e30).then_some(x as i128),
    }
}

fn shown(number: Number) -> String {
    match number {
        Number::Integer(n) => n.to_string(),
        Number::Real(x) => format!("{x:?}"),
    }
}

fn why(number: Number, to: Scalar) -> String {
    match number {
        Number::Real(x) if x.fract() != 0.0 && !to.is_floating() => {
            format!("is not a whole number, and `{to}` holds no other")
        }
        _ => format!("does not fit `{to}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cast_reals(to: Scalar, reals: &[f64]) -> Result<ArrayValue, String> {
        cast(&ArrayValue::Double(reals.to_vec()), to)
    }

    #[test]
    fn what_fits_is_converted() {
        assert_eq!(cast_reals(Scalar::Int, &[3.0, -0.0]), Ok(ArrayValue::Int(vec![3, 0])));
        assert_eq!(
            cast_reals(Scalar::Float, &[0.1, f64::NEG_INFINITY]),
            Ok(ArrayValue::Float(vec![0.1, f32::NEG_INFINITY]))
        );
        assert_eq!(cast(&ArrayValue::Bool(vec![true, false]), Scalar::Float), Ok(ArrayValue::Float(vec![1.0, 0.0])));
        assert_eq!(cast(&ArrayValue::Long(vec![1, 0]), Scalar::Bool), Ok(ArrayValue::Bool(vec![true, false])));
    }

    #[test]
    fn what_does_not_fit_is_an_error() {
        let why = |to, reals: &[f64]| cast_reals(to, reals).expect_err("it does not fit");
        assert_eq!(
            why(Scalar::Int, &[1.0, 2.5]),
            "the number 2.5, at index 1, is not a whole number, and `Int` holds no other"
        );
        assert_eq!(why(Scalar::Int, &[2147483648.0]), "the number 2147483648.0, at index 0, does not fit `Int`");
        assert_eq!(
            why(Scalar::Long, &[f64::NAN]),
            "the number NaN, at index 0, is not a whole number, and `Long` holds no other"
        );
        assert_eq!(why(Scalar::Float, &[1e300]), "the number 1e300, at index 0, does not fit `Float`");
        assert_eq!(why(Scalar::Bool, &[2.0]), "the number 2.0, at index 0, does not fit `Bool`");
        let large = Number::Integer(i128::from(u64::MAX));
        assert_eq!(
            converted(Scalar::Long, [large]).expect_err("too large"),
            "the number 18446744073709551615, at index 0, does not fit `Long`"
        );
    }
}
