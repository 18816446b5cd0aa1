//! Values: operands and results of the interpreter, inputs and outputs of a device.

use std::fmt;

/// A value of a closed type. Arrays of scalars are flat; arrays of anything else hold one value per element.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Int(i32),
    Long(i64),
    Float(f32),
    Double(f64),
    Bool(bool),
    Tuple(Vec<Value>),
    /// An OpenCL vector.
    Vec(Vec<Value>),
    Array(ArrayValue),
}

#[derive(Debug, Clone, PartialEq)]
pub enum ArrayValue {
    Int(Vec<i32>),
    Long(Vec<i64>),
    Float(Vec<f32>),
    Double(Vec<f64>),
    Bool(Vec<bool>),
    /// Elements that are tuples, vectors or arrays; rows may have different lengths.
    Values(Vec<Value>),
}

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
        match self {
            Value::Int(_) => "an `Int`".into(),
            Value::Long(_) => "a `Long`".into(),
            Value::Float(_) => "a `Float`".into(),
            Value::Double(_) => "a `Double`".into(),
            Value::Bool(_) => "a `Bool`".into(),
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
        }
    }
}

impl ArrayValue {
    pub fn len(&self) -> usize {
        match self {
            ArrayValue::Int(v) => v.len(),
            ArrayValue::Long(v) => v.len(),
            ArrayValue::Float(v) => v.len(),
            ArrayValue::Double(v) => v.len(),
            ArrayValue::Bool(v) => v.len(),
            ArrayValue::Values(v) => v.len(),
        }
    }
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    pub fn get(&self, i: usize) -> Option<Value> {
        Some(match self {
            ArrayValue::Int(v) => Value::Int(*v.get(i)?),
            ArrayValue::Long(v) => Value::Long(*v.get(i)?),
            ArrayValue::Float(v) => Value::Float(*v.get(i)?),
            ArrayValue::Double(v) => Value::Double(*v.get(i)?),
            ArrayValue::Bool(v) => Value::Bool(*v.get(i)?),
            ArrayValue::Values(v) => v.get(i)?.clone(),
        })
    }
    /// The nesting depth of arrays, and the name of the scalar type inside, if it is one.
    fn rank_and_element(&self) -> (usize, Option<&'static str>) {
        match self {
            ArrayValue::Int(_) => (1, Some("Int")),
            ArrayValue::Long(_) => (1, Some("Long")),
            ArrayValue::Float(_) => (1, Some("Float")),
            ArrayValue::Double(_) => (1, Some("Double")),
            ArrayValue::Bool(_) => (1, Some("Bool")),
            ArrayValue::Values(rows) => match rows.first() {
                Some(Value::Array(inner)) => {
                    let (rank, element) = inner.rank_and_element();
                    (rank + 1, element)
                }
                _ => (1, None),
            },
        }
    }
}

macro_rules! from_scalar {
    ($($rust:ty => $kind:ident),*) => {$(
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
    )*};
}
from_scalar!(i32 => Int, i64 => Long, f32 => Float, f64 => Double, bool => Bool);

/// Formats as `[1, 2]`, `(1, 2.0)`, `<1.0, 2.0>`, for messages and tests.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Int(x) => write!(f, "{x}"),
            Value::Long(x) => write!(f, "{x}"),
            Value::Float(x) => write!(f, "{x:?}"),
            Value::Double(x) => write!(f, "{x:?}"),
            Value::Bool(x) => write!(f, "{x}"),
            Value::Tuple(parts) => list(f, "(", parts, ")"),
            Value::Vec(lanes) => list(f, "<", lanes, ">"),
            Value::Array(a) => match a {
                ArrayValue::Int(v) => write!(f, "{v:?}"),
                ArrayValue::Long(v) => write!(f, "{v:?}"),
                ArrayValue::Float(v) => write!(f, "{v:?}"),
                ArrayValue::Double(v) => write!(f, "{v:?}"),
                ArrayValue::Bool(v) => write!(f, "{v:?}"),
                ArrayValue::Values(v) => list(f, "[", v, "]"),
            },
        }
    }
}

fn list(f: &mut fmt::Formatter<'_>, open: &str, values: &[Value], close: &str) -> fmt::Result {
    f.write_str(open)?;
    for (i, v) in values.iter().enumerate() {
        if i > 0 {
            f.write_str(", ")?;
        }
        write!(f, "{v}")?;
    }
    f.write_str(close)
}
