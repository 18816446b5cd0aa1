//! Parses single scalars, and appends to arrays of them.

use crate::value::{ArrayValue, Value};
use lift_analysis::hir::Scalar;

/// Parses a word as a scalar, as the language writes it; the suffix is optional. The error quotes the word.
pub fn parse(scalar: Scalar, word: &str) -> Result<Value, String> {
    let bad = || format!("`{}` is not {}", shortened(word), article(scalar));
    match scalar {
        Scalar::Int => integer(word).ok_or_else(bad)?.map(Value::Int),
        Scalar::Long => integer(word.strip_suffix('L').unwrap_or(word)).ok_or_else(bad)?.map(Value::Long),
        Scalar::Float => {
            let digits = word.strip_suffix('f').filter(|rest| rest.ends_with(|c: char| c.is_ascii_digit() || c == '.'));
            let digits = digits.unwrap_or(word);
            let value: f32 = digits.parse().map_err(|_| bad())?;
            fitting(value.is_infinite(), digits, scalar).map(|()| Value::Float(value))
        }
        Scalar::Double => {
            let value: f64 = word.parse().map_err(|_| bad())?;
            fitting(value.is_infinite(), word, scalar).map(|()| Value::Double(value))
        }
        Scalar::Bool => match word {
            "true" | "1" => Ok(Value::Bool(true)),
            "false" | "0" => Ok(Value::Bool(false)),
            _ => Err(bad()),
        },
    }
}

/// `None` if `digits` is not an integer; an error if it does not fit the type.
fn integer<T: std::str::FromStr + Bounded>(digits: &str) -> Option<Result<T, String>> {
    if let Ok(n) = digits.parse::<T>() {
        return Some(Ok(n));
    }
    let unsigned = digits.strip_prefix(['-', '+']).unwrap_or(digits);
    let all_digits = !unsigned.is_empty() && unsigned.bytes().all(|b| b.is_ascii_digit());
    all_digits.then(|| Err(format!("`{}` does not fit {}", shortened(digits), T::RANGE)))
}

trait Bounded {
    const RANGE: &'static str;
}
impl Bounded for i32 {
    const RANGE: &'static str = "Int (-2147483648 to 2147483647)";
}
impl Bounded for i64 {
    const RANGE: &'static str = "Long (-9223372036854775808 to 9223372036854775807)";
}

fn fitting(infinite: bool, digits: &str, scalar: Scalar) -> Result<(), String> {
    // `inf` is a legal infinity; `1e99` overflows.
    if infinite && digits.contains(|c: char| c.is_ascii_digit()) {
        return Err(format!("`{}` does not fit {scalar}", shortened(digits)));
    }
    Ok(())
}

pub fn article(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Int => "an Int",
        Scalar::Long => "a Long",
        Scalar::Float => "a Float",
        Scalar::Double => "a Double",
        Scalar::Bool => "a Bool (`true` or `false`)",
    }
}

/// Truncates a word for a message: words of broken files can be megabytes long.
pub fn shortened(word: &str) -> String {
    const MOST: usize = 40;
    match word.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &word[..end]),
        None => word.to_string(),
    }
}

/// An empty array of scalars.
pub fn empty(scalar: Scalar) -> ArrayValue {
    match scalar {
        Scalar::Int => ArrayValue::Int(Vec::new()),
        Scalar::Long => ArrayValue::Long(Vec::new()),
        Scalar::Float => ArrayValue::Float(Vec::new()),
        Scalar::Double => ArrayValue::Double(Vec::new()),
        Scalar::Bool => ArrayValue::Bool(Vec::new()),
    }
}

/// Appends an element, which must have the array's element type.
pub fn push(array: &mut ArrayValue, value: Value) {
    match (array, value) {
        (ArrayValue::Int(v), Value::Int(x)) => v.push(x),
        (ArrayValue::Long(v), Value::Long(x)) => v.push(x),
        (ArrayValue::Float(v), Value::Float(x)) => v.push(x),
        (ArrayValue::Double(v), Value::Double(x)) => v.push(x),
        (ArrayValue::Bool(v), Value::Bool(x)) => v.push(x),
        (ArrayValue::Values(v), x) => v.push(x),
        _ => {}
    }
}

/// The element type of a flat array; `None` if its elements are not scalars.
pub fn scalar_of(array: &ArrayValue) -> Option<Scalar> {
    Some(match array {
        ArrayValue::Int(_) => Scalar::Int,
        ArrayValue::Long(_) => Scalar::Long,
        ArrayValue::Float(_) => Scalar::Float,
        ArrayValue::Double(_) => Scalar::Double,
        ArrayValue::Bool(_) => Scalar::Bool,
        ArrayValue::Values(_) => return None,
    })
}
