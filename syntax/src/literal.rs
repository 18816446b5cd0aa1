//! The values of literal tokens.

use crate::kind::SyntaxKind::{self, *};

/// A literal as a value of its type.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LiteralValue {
    Int(i32),
    Long(i64),
    Float(f32),
    Double(f64),
    Bool(bool),
}

/// Returns the value of a literal token; `None` for other tokens, and if the number does not fit its type, which the
/// parser has reported.
pub(crate) fn value(kind: SyntaxKind, text: &str) -> Option<LiteralValue> {
    let value = match kind {
        INT => LiteralValue::Int(text.parse().ok()?),
        LONG => LiteralValue::Long(text.strip_suffix('L')?.parse().ok()?),
        FLOAT => {
            let value: f32 = text.strip_suffix('f')?.parse().ok()?;
            LiteralValue::Float(Some(value).filter(|v| v.is_finite())?)
        }
        DOUBLE => {
            let value: f64 = text.parse().ok()?;
            LiteralValue::Double(Some(value).filter(|v| v.is_finite())?)
        }
        BOOL => LiteralValue::Bool(text == "true"),
        _ => return None,
    };
    Some(value)
}

/// Returns the value of a size literal; `None` unless it is below 2^63.
pub(crate) fn natural(text: &str) -> Option<u64> {
    let value: u64 = text.parse().ok()?;
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
