//! Values: operands and results of the interpreter, inputs and outputs of a device.

use crate::number::Number;
use lift_analysis::each_scalar;
use lift_analysis::halves::{self, f16};
use lift_analysis::hir::Scalar;
use std::fmt;
use std::ops::Range;

/// A scalar as text, without the suffix of its type.
trait Shown {
    fn shown(&self) -> String;
}

macro_rules! shown {
    ($($rust:ty)*) => {$(
        impl Shown for $rust {
            fn shown(&self) -> String {
                format!("{self:?}")
            }
        }
    )*};
}
shown!(i8 u8 i16 u16 i32 u32 i64 u64 f32 f64 bool);

impl Shown for f16 {
    fn shown(&self) -> String {
        halves::shortest(*self)
    }
}

macro_rules! values {
    (() $($kind:ident: $rust:ty),*) => {
        /// A value of a closed type. Arrays of scalars are flat; arrays of anything else hold one value per element.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Value {
            $($kind($rust),)*
            Tuple(Vec<Value>),
            /// An OpenCL vector.
            Vec(Vec<Value>),
            Array(ArrayValue),
        }

        #[derive(Debug, Clone, PartialEq)]
        pub enum ArrayValue {
            $($kind(Vec<$rust>),)*
            /// Elements that are tuples, vectors or arrays; rows may have different lengths.
            Values(Vec<Value>),
        }

        impl Value {
            /// The number or truth value; `None` if it is not a scalar.
            pub fn number(&self) -> Option<Number> {
                match self {
                    $(Value::$kind(x) => Some(Number::$kind(*x)),)*
                    Value::Tuple(_) | Value::Vec(_) | Value::Array(_) => None,
                }
            }
        }

        impl From<Number> for Value {
            fn from(number: Number) -> Value {
                match number {
                    $(Number::$kind(x) => Value::$kind(x),)*
                }
            }
        }

        impl ArrayValue {
            /// An array without elements.
            pub fn empty(element: Scalar, room: usize) -> ArrayValue {
                match element {
                    $(Scalar::$kind => ArrayValue::$kind(Vec::with_capacity(room)),)*
                }
            }
            pub fn len(&self) -> usize {
                match self {
                    $(ArrayValue::$kind(v) => v.len(),)*
                    ArrayValue::Values(v) => v.len(),
                }
            }
            /// The type of the elements; `None` if they are not scalars.
            pub fn scalar(&self) -> Option<Scalar> {
                match self {
                    $(ArrayValue::$kind(_) => Some(Scalar::$kind),)*
                    ArrayValue::Values(_) => None,
                }
            }
            /// The element `i`, if it is a scalar.
            pub fn number(&self, i: usize) -> Option<Number> {
                match self {
                    $(ArrayValue::$kind(v) => v.get(i).map(|x| Number::$kind(*x)),)*
                    ArrayValue::Values(_) => None,
                }
            }
            /// The elements of a range, which must exist.
            pub fn slice(&self, range: Range<usize>) -> ArrayValue {
                match self {
                    $(ArrayValue::$kind(v) => ArrayValue::$kind(v[range].to_vec()),)*
                    ArrayValue::Values(v) => ArrayValue::Values(v[range].to_vec()),
                }
            }
            /// Appends a scalar; returns whether it has the type of the elements.
            pub fn push_number(&mut self, number: Number) -> bool {
                match (self, number) {
                    $((ArrayValue::$kind(v), Number::$kind(x)) => v.push(x),)*
                    _ => return false,
                }
                true
            }
            /// Appends elements of a range, which must exist; returns whether both arrays have elements of one type.
            pub fn extend_from(&mut self, from: &ArrayValue, range: Range<usize>) -> bool {
                match (self, from) {
                    $((ArrayValue::$kind(to), ArrayValue::$kind(from)) => to.extend_from_slice(&from[range]),)*
                    (ArrayValue::Values(to), ArrayValue::Values(from)) => to.extend_from_slice(&from[range]),
                    _ => return false,
                }
                true
            }
        }

        $(
            impl From<$rust> for Value {
                fn from(x: $rust) -> Value {
                    Value::$kind(x)
                }
            }
            impl From<Vec<$rust>> for Value {
                fn from(xs: Vec<$rust>) -> Value {
                    Value::Array(ArrayValue::$kind(xs))
                }
            }
            impl From<Vec<Vec<$rust>>> for Value {
                fn from(rows: Vec<Vec<$rust>>) -> Value {
                    Value::rows(rows.into_iter().map(Value::from))
                }
            }
        )*

        /// Formats as `[1, 2]`, `(1, 2.0)`, `<1.0, 2.0>`, for messages and tests.
        impl fmt::Display for Value {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(Value::$kind(x) => f.write_str(&x.shown()),)*
                    Value::Tuple(parts) => list(f, "(", parts, ")"),
                    Value::Vec(lanes) => list(f, "<", lanes, ">"),
                    Value::Array(a) => match a {
                        $(ArrayValue::$kind(v) => list(f, "[", v.iter().map(Shown::shown), "]"),)*
                        ArrayValue::Values(v) => list(f, "[", v, "]"),
                    },
                }
            }
        }
    };
}
each_scalar!(values!());

impl Value {
    /// An array of tuples, vectors or arrays.
    pub fn rows(rows: impl IntoIterator<Item = Value>) -> Value {
        Value::Array(ArrayValue::Values(rows.into_iter().collect()))
    }
    pub fn as_array(&self) -> Option<&ArrayValue> {
        match self {
            Value::Array(a) => Some(a),
            _ => None,
        }
    }
    /// The kind of the value in a few words, for messages: "an array of 3 `Float`".
    pub fn describe(&self) -> String {
        if let Some(number) = self.number() {
            return format!("{} `{}`", article(number.scalar()), number.scalar());
        }
        match self {
            Value::Tuple(parts) => format!("a tuple of {}", parts.len()),
            Value::Vec(lanes) => format!("a vector of {}", lanes.len()),
            Value::Array(a) => {
                let (rank, element) = a.rank_and_element();
                let kind = element.map_or(String::new(), |e| format!(" of `{e}`"));
                match rank {
                    1 => format!("an array of {}{}", a.len(), kind.replace(" of ", " ")),
                    n => format!("an array of {} rows ({n} dimensions{kind})", a.len()),
                }
            }
            scalar => scalar.to_string(),
        }
    }
}

impl ArrayValue {
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    pub fn get(&self, i: usize) -> Option<Value> {
        match self {
            ArrayValue::Values(v) => v.get(i).cloned(),
            flat => flat.number(i).map(Value::from),
        }
    }
    /// The nesting depth of arrays, and the name of the scalar type inside, if it is one.
    fn rank_and_element(&self) -> (usize, Option<&'static str>) {
        match self {
            ArrayValue::Values(rows) => match rows.first() {
                Some(Value::Array(inner)) => {
                    let (rank, element) = inner.rank_and_element();
                    (rank + 1, element)
                }
                _ => (1, None),
            },
            flat => (1, flat.scalar().map(Scalar::name)),
        }
    }
}

fn list(
    f: &mut fmt::Formatter<'_>,
    open: &str,
    values: impl IntoIterator<Item = impl fmt::Display>,
    close: &str,
) -> fmt::Result {
    f.write_str(open)?;
    for (i, v) in values.into_iter().enumerate() {
        if i > 0 {
            f.write_str(", ")?;
        }
        write!(f, "{v}")?;
    }
    f.write_str(close)
}

/// The article before the name of a type.
pub fn article(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Int => "an",
        _ => "a",
    }
}
