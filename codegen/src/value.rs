//! Values: what the interpreter computes with, and what goes into and comes out of a device.

/// A value of a closed type. Arrays of scalars are flat; arrays of anything else hold one value an element.
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
    /// Elements that are tuples, vectors or arrays (rows may have different lengths).
    Values(Vec<Value>),
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
}
