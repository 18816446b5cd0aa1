//! The inputs of random programs.

use super::len::{Base, Len};
use super::ty::{BOOL, FLOAT, INT, Scalar, Ty};
use lift_codegen::value::{ArrayValue, Value};

pub fn parameters() -> Vec<(String, Ty)> {
    let (n, m) = (Len::of(Base::N), Len::of(Base::M));
    let parameters = [
        ("c", BOOL),
        ("k", INT),
        ("ds", Ty::array(Ty::Scalar(Scalar::Double), m.clone())),
        ("ls", Ty::array(Ty::Scalar(Scalar::Long), n.add_nat(1))),
        ("ps", Ty::array(Ty::Tuple(vec![INT, FLOAT]), m.clone())),
        ("tri", Ty::Triangle(Scalar::Int, n.clone())),
        ("hid", Ty::dynamic(INT)),
        ("ragged", Ty::array(Ty::dynamic(INT), m.clone())),
        ("rows", Ty::array(Ty::array(INT, m), n.clone())),
        ("zs", Ty::array(INT, n.times(4))),
        ("ys", Ty::array(FLOAT, n.clone())),
        ("xs", Ty::array(INT, n)),
    ];
    parameters.map(|(name, ty)| (name.to_owned(), ty)).into()
}

/// Returns the inputs for the sizes N and M.
pub fn inputs(n: usize, m: usize) -> Vec<Value> {
    let int = |i: usize| ((i * 37 + 11) % 101) as i32 - 50;
    let ints = |from: usize, n: usize| Value::Array(ArrayValue::Int((from..from + n).map(int).collect()));
    let float = |i: usize| ((i * 29 + 5) % 61) as f32 * 0.25 - 7.0;
    let pair = |i: usize| Value::Tuple(vec![Value::Int(int(i + 3)), Value::Float(float(i + 1))]);
    let rows = |rows: Vec<Value>| Value::Array(ArrayValue::Values(rows));
    vec![
        Value::Bool(true),
        Value::Int(5),
        Value::Array(ArrayValue::Double((0..m).map(|i| f64::from(float(i))).collect())),
        Value::Array(ArrayValue::Long((0..n + 1).map(|i| i64::from(int(i)) * 3).collect())),
        rows((0..m).map(pair).collect()),
        rows((0..n).map(|i| ints(i, i + 1)).collect()),
        ints(2, n / 2 + 1),
        rows((0..m).map(|i| ints(i, (i * 5 + 1) % 4)).collect()),
        rows((0..n).map(|row| ints(row * 7, m)).collect()),
        ints(3, 4 * n),
        Value::Array(ArrayValue::Float((0..n).map(float).collect())),
        ints(0, n),
    ]
}
