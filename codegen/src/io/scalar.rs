//! Parses single scalars, and appends to arrays of them.

use crate::number::Number;
use crate::value::{ArrayValue, Value, article};
use lift_analysis::halves;
use lift_analysis::hir::{Literal, Scalar};

/// Parses a word as a scalar, as the language writes it; the suffix is optional. The error quotes the word.
pub fn parse(scalar: Scalar, word: &str) -> Result<Value, String> {
    let bad = || format!("`{}` is not {}", shortened(word), described(scalar));
    match scalar {
        Scalar::Half => {
            let digits = without_suffix(scalar, word);
            let value = halves::nearest(digits.parse().map_err(|_| bad())?);
            fitting(value.is_infinite(), digits, scalar).map(|()| Value::Half(value))
        }
        Scalar::Float => {
            let digits = without_suffix(scalar, word);
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
        integer_type => integer(integer_type, word),
    }
}

/// A floating-point number without the suffix of its type; `inf` has none.
fn without_suffix(scalar: Scalar, word: &str) -> &str {
    let number = |rest: &&str| rest.ends_with(|c: char| c.is_ascii_digit() || c == '.') || is_not_finite(rest);
    word.strip_suffix(scalar.suffix()).filter(number).unwrap_or(word)
}

/// An integer, with or without the suffix of its type.
fn integer(scalar: Scalar, word: &str) -> Result<Value, String> {
    let bad = || format!("`{}` is not {}", shortened(word), described(scalar));
    let digits = word.strip_suffix(scalar.suffix()).unwrap_or(word);
    let unsigned = digits.strip_prefix(['-', '+']).unwrap_or(digits);
    if unsigned.is_empty() || !unsigned.bytes().all(|b| b.is_ascii_digit()) {
        return Err(bad());
    }
    let literal = digits.parse().ok().and_then(|number| Literal::of_integer(scalar, number));
    literal.map(|literal| Number::from(literal).into()).ok_or_else(|| {
        let (least, most) = scalar.range().unwrap_or_default();
        format!("`{}` does not fit {scalar} ({least} to {most})", shortened(digits))
    })
}

fn fitting(infinite: bool, digits: &str, scalar: Scalar) -> Result<(), String> {
    // `inf` is a legal infinity; `1e99` overflows.
    if infinite && digits.contains(|c: char| c.is_ascii_digit()) {
        return Err(format!("`{}` does not fit {scalar}", shortened(digits)));
    }
    Ok(())
}

/// Whether a word is an infinity or NaN, with or without a sign and a suffix.
pub fn is_not_finite(word: &str) -> bool {
    let unsigned = word.strip_prefix(['-', '+']).unwrap_or(word);
    let named = |word: &str| ["inf", "infinity", "nan"].iter().any(|name| word.eq_ignore_ascii_case(name));
    named(unsigned) || unsigned.strip_suffix(['f', 'h']).is_some_and(named)
}

/// The type with its article, for messages.
pub fn described(scalar: Scalar) -> String {
    let truth = if scalar == Scalar::Bool { " (`true` or `false`)" } else { "" };
    format!("{} {scalar}{truth}", article(scalar))
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
    ArrayValue::empty(scalar, 0)
}

/// Appends an element, which must have the array's element type.
pub fn push(array: &mut ArrayValue, value: Value) {
    match array {
        ArrayValue::Values(values) => values.push(value),
        flat => {
            if let Some(number) = value.number() {
                flat.push_number(number);
            }
        }
    }
}
