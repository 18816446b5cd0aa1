//! The values of literal tokens.

use crate::halves::{self, f16};
use crate::kind::SyntaxKind::{self, *};

/// A literal as a value of its type.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LiteralValue {
    Byte(i8),
    UByte(u8),
    Short(i16),
    UShort(u16),
    Int(i32),
    UInt(u32),
    Long(i64),
    ULong(u64),
    Half(f16),
    Float(f32),
    Double(f64),
    Bool(bool),
}

/// The suffixes of integers other than an Int and a Long, with the names of their types.
const SUFFIXES: [(&str, &str); 6] =
    [("b", "a Byte"), ("ub", "a UByte"), ("s", "a Short"), ("us", "a UShort"), ("u", "a UInt"), ("uL", "a ULong")];

/// The kind of a literal that is a word: a truth value, an infinity or NaN.
pub(crate) fn word(text: &str) -> Option<SyntaxKind> {
    match text.strip_prefix(['+', '-']).unwrap_or(text) {
        "inf" | "nan" => Some(DOUBLE),
        "infh" | "nanh" => Some(HALF),
        "inff" | "nanf" => Some(FLOAT),
        _ => matches!(text, "true" | "false").then_some(BOOL),
    }
}

/// Whether a word is a literal, and so no name: `true`, `inf`.
pub fn is_literal_word(text: &str) -> bool {
    word(text).is_some()
}

pub(crate) fn is_suffix(text: &str) -> bool {
    SUFFIXES.iter().any(|(suffix, _)| *suffix == text)
}

/// Returns the name of the type of an integer with a suffix.
pub(crate) fn sized_type(text: &str) -> &'static str {
    let (_, suffix) = cut(text);
    SUFFIXES.iter().find(|(known, _)| *known == suffix).map_or("a number", |(_, ty)| ty)
}

/// Returns the length of the digits of an integer, and whether they are hexadecimal; `text` is unsigned.
pub(crate) fn digits(text: &str) -> (usize, bool) {
    let run = |s: &str, hex: bool| {
        s.find(|c: char| if hex { !c.is_ascii_hexdigit() } else { !c.is_ascii_digit() }).unwrap_or(s.len())
    };
    match text.strip_prefix("0x").map(|rest| run(rest, true)) {
        Some(len) if len > 0 => (len + 2, true),
        _ => (run(text, false), false),
    }
}

/// Cuts an integer into its sign and digits, and its suffix.
fn cut(text: &str) -> (&str, &str) {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    text.split_at(text.len() - unsigned.len() + digits(unsigned).0)
}

/// Returns the number that a sign and digits write; `None` if it has more than 127 bits.
fn integer(text: &str) -> Option<i128> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let number = match unsigned.strip_prefix("0x") {
        Some(hex) => i128::from_str_radix(hex, 16).ok()?,
        None => unsigned.parse().ok()?,
    };
    Some(if text.starts_with('-') { -number } else { number })
}

/// Returns the value of a literal token; `None` for other tokens, and if the number does not fit its type, which the
/// parser has reported.
pub(crate) fn value(kind: SyntaxKind, text: &str) -> Option<LiteralValue> {
    let value = match kind {
        INT => LiteralValue::Int(integer(text)?.try_into().ok()?),
        LONG => LiteralValue::Long(integer(text.strip_suffix('L')?)?.try_into().ok()?),
        SIZED => {
            let (number, suffix) = cut(text);
            let number = integer(number)?;
            match suffix {
                "b" => LiteralValue::Byte(number.try_into().ok()?),
                "ub" => LiteralValue::UByte(number.try_into().ok()?),
                "s" => LiteralValue::Short(number.try_into().ok()?),
                "us" => LiteralValue::UShort(number.try_into().ok()?),
                "u" => LiteralValue::UInt(number.try_into().ok()?),
                "uL" => LiteralValue::ULong(number.try_into().ok()?),
                _ => return None,
            }
        }
        HALF => {
            // Every decimal between two halves is between two doubles, so the second rounding decides.
            let value = halves::nearest(text.strip_suffix('h')?.parse().ok()?);
            LiteralValue::Half(Some(value).filter(|v| v.is_finite() || word(text).is_some())?)
        }
        FLOAT => {
            let value: f32 = text.strip_suffix('f')?.parse().ok()?;
            // NaN has no sign, as everywhere in the language.
            let value = if value.is_nan() { f32::NAN } else { value };
            LiteralValue::Float(Some(value).filter(|v| v.is_finite() || word(text).is_some())?)
        }
        DOUBLE => {
            let value: f64 = text.parse().ok()?;
            let value = if value.is_nan() { f64::NAN } else { value };
            LiteralValue::Double(Some(value).filter(|v| v.is_finite() || word(text).is_some())?)
        }
        BOOL => LiteralValue::Bool(text == "true"),
        _ => return None,
    };
    Some(value)
}

/// Returns the value of a size literal; `None` unless it is below 2^63.
pub(crate) fn natural(text: &str) -> Option<u64> {
    let value = u64::try_from(integer(text)?).ok()?;
    (value <= i64::MAX as u64).then_some(value)
}

/// Returns the text between the quotes, with `\"` and `\\` resolved; other escapes stay as written.
pub(crate) fn string(text: &str) -> String {
    let inner = text.strip_prefix('"').unwrap_or(text);
    let inner = inner.strip_suffix('"').unwrap_or(inner);
    let mut value = String::with_capacity(inner.len());
    let mut chars = inner.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('\\', Some(&escaped @ ('"' | '\\'))) => {
                value.push(escaped);
                chars.next();
            }
            _ => value.push(c),
        }
    }
    value
}
