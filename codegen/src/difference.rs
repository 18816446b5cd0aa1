//! Compares two values; floats may differ by the rounding of a reordered reduction.

use crate::value::{ArrayValue, Value};

/// Relative tolerances of floats; absolute below 1.
struct Tolerance {
    half: f64,
    float: f64,
    double: f64,
}

/// The rounding of a reordered reduction.
const ROUNDING: Tolerance = Tolerance { half: 2e-2, float: 1e-4, double: 1e-10 };
const NONE: Tolerance = Tolerance { half: 0.0, float: 0.0, double: 0.0 };

/// The first difference between a value and the expected one, as a sentence; `None` if they are equal.
pub fn difference(value: &Value, expected: &Value) -> Option<String> {
    differing(value, expected, &ROUNDING).map(|(path, what)| {
        let path: Vec<String> = path.iter().rev().map(|step| step.to_string()).collect();
        match path.is_empty() {
            true => what,
            false => format!("{}: {what}", path.join(", ")),
        }
    })
}

/// Whether two values are equal, within the tolerance of floats.
pub fn is_close(a: &Value, b: &Value) -> bool {
    differing(a, b, &ROUNDING).is_none()
}

/// Whether two values are equal without a tolerance; NaN equals NaN.
pub fn is_same(a: &Value, b: &Value) -> bool {
    differing(a, b, &NONE).is_none()
}

enum Step {
    Element(usize),
    Part(usize),
}

impl std::fmt::Display for Step {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Step::Element(i) => write!(f, "element {i}"),
            Step::Part(i) => write!(f, "part {}", i + 1),
        }
    }
}

/// The path to the first difference, innermost step first, and the difference itself.
fn differing(value: &Value, expected: &Value, most: &Tolerance) -> Option<(Vec<Step>, String)> {
    let here = |differ: bool| differ.then(|| (Vec::new(), format!("{value}, but {expected} is expected")));
    match (value, expected) {
        (Value::Half(x), Value::Half(y)) => here(!near((*x).into(), (*y).into(), most.half)),
        (Value::Float(x), Value::Float(y)) => here(!near((*x).into(), (*y).into(), most.float)),
        (Value::Double(x), Value::Double(y)) => here(!near(*x, *y, most.double)),
        (Value::Tuple(x), Value::Tuple(y)) | (Value::Vec(x), Value::Vec(y)) if x.len() == y.len() => {
            let mut parts = x.iter().zip(y).enumerate();
            parts.find_map(|(i, (x, y))| inside(Step::Part(i), differing(x, y, most)))
        }
        (Value::Array(x), Value::Array(y)) => in_arrays(x, y, most),
        (x, y) => here(x != y),
    }
}

fn in_arrays(value: &ArrayValue, expected: &ArrayValue, most: &Tolerance) -> Option<(Vec<Step>, String)> {
    if value.len() != expected.len() {
        let what = format!("an array of length {}, but length {} is expected", value.len(), expected.len());
        return Some((Vec::new(), what));
    }
    let at = match (value, expected) {
        (ArrayValue::Values(x), ArrayValue::Values(y)) => {
            let mut elements = x.iter().zip(y).enumerate();
            return elements.find_map(|(i, (x, y))| inside(Step::Element(i), differing(x, y, most)));
        }
        // As an array: one element at a time takes seconds for what a GPU computes in milliseconds.
        (ArrayValue::Half(x), ArrayValue::Half(y)) => first(x, y, |x, y| near((*x).into(), (*y).into(), most.half)),
        (ArrayValue::Float(x), ArrayValue::Float(y)) => first(x, y, |x, y| near((*x).into(), (*y).into(), most.float)),
        (ArrayValue::Double(x), ArrayValue::Double(y)) => first(x, y, |x, y| near(*x, *y, most.double)),
        (x, y) if x == y => None,
        (x, y) => (0..x.len()).find(|i| x.number(*i) != y.number(*i)),
    };
    let at = at?;
    inside(Step::Element(at), differing(&value.get(at)?, &expected.get(at)?, most))
}

/// The index of the first pair that is not equal.
fn first<T>(x: &[T], y: &[T], is_equal: impl Fn(&T, &T) -> bool) -> Option<usize> {
    x.iter().zip(y).position(|(x, y)| !is_equal(x, y))
}

fn inside(step: Step, found: Option<(Vec<Step>, String)>) -> Option<(Vec<Step>, String)> {
    found.map(|(mut path, what)| {
        path.push(step);
        (path, what)
    })
}

fn near(a: f64, b: f64, tolerance: f64) -> bool {
    let distance = (a - b).abs();
    a == b
        || (a.is_nan() && b.is_nan())
        || (distance.is_finite() && distance <= tolerance * a.abs().max(b.abs()).max(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_is_named() {
        let rows = |last: i32| Value::from(vec![vec![1, 2], vec![3, last]]);
        let pair = |x: f32| Value::Tuple(vec![Value::from(1), Value::from(x)]);
        let cases: Vec<(Value, Value, Option<&str>)> = vec![
            (rows(4), rows(4), None),
            (rows(5), rows(4), Some("element 1, element 1: 5, but 4 is expected")),
            (vec![1, 2].into(), vec![1].into(), Some("an array of length 2, but length 1 is expected")),
            (vec![1, 3, 4].into(), vec![1, 2, 4].into(), Some("element 1: 3, but 2 is expected")),
            (vec![1.0f32, 2.00001].into(), vec![1.0f32, 2.0].into(), None),
            (vec![1.0f32, 2.1].into(), vec![1.0f32, 2.0].into(), Some("element 1: 2.1, but 2.0 is expected")),
            (vec![1.0, 2.000_01].into(), vec![1.0, 2.0].into(), Some("element 1: 2.00001, but 2.0 is expected")),
            (pair(2.0), pair(2.00001), None),
            (pair(2.0), pair(2.1), Some("part 2: 2.0, but 2.1 is expected")),
            (f32::NAN.into(), f32::NAN.into(), None),
            (f32::INFINITY.into(), 1.0f32.into(), Some("inf, but 1.0 is expected")),
            (Value::from(1), Value::from(1i64), Some("1, but 1 is expected")),
        ];
        for (value, expected, wanted) in cases {
            assert_eq!(difference(&value, &expected).as_deref(), wanted, "{value} and {expected}");
            assert!(is_same(&value, &value), "{value}");
            assert_eq!(is_same(&value, &expected), value.to_string() == expected.to_string() && wanted.is_none());
        }
    }
}
