//! The lexer of APL. Every byte belongs to one token.

use super::glyphs::is_glyph;
use super::kind::AplKind::{self, *};
use crate::{TextRange, TextSize};

/// Returns the tokens of a text, in order.
pub fn tokens(text: &str) -> Vec<(AplKind, TextRange)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let (kind, len) = token(first, &text[at..]);
        let range = TextRange::at(TextSize::new(at as u32), TextSize::new(len as u32));
        found.push((kind, range));
        at += len;
    }
    found
}

/// Returns the value of a number literal; `None` if it is malformed.
pub fn number(text: &str) -> Option<f64> {
    let plain = text.replace('¯', "-").replace('e', "E");
    let ends_well = |part: &str| part.ends_with(|c: char| c.is_ascii_digit());
    let mut parts = plain.split('E');
    let mantissa = parts.next()?;
    let well = (ends_well(mantissa) || mantissa.ends_with('.') && ends_well(mantissa.trim_end_matches('.')))
        && parts.next().is_none_or(ends_well)
        && parts.next().is_none();
    if well { plain.parse().ok() } else { None }
}

/// Returns the parts of a complex number literal, `3J4`; `None` for any other text.
pub fn complex(text: &str) -> Option<(f64, f64)> {
    let (re, im) = text.split_once(['J', 'j'])?;
    Some((number(re)?, number(im)?))
}

fn is_blank(c: char) -> bool {
    !is_break(c) && (c.is_whitespace() || c == '\u{feff}')
}

fn is_break(c: char) -> bool {
    matches!(c, '\n' | '\r')
}

fn is_name_start(c: char) -> bool {
    c.is_alphabetic() && !is_glyph(c) || matches!(c, '_' | '∆' | '⍙')
}

fn is_name_part(c: char) -> bool {
    is_name_start(c) || c.is_ascii_digit()
}

fn run(text: &str, belongs: impl Fn(char) -> bool) -> usize {
    text.find(|c| !belongs(c)).unwrap_or(text.len())
}

/// Returns kind and length in bytes of the token at the start of `text`.
fn token(first: char, text: &str) -> (AplKind, usize) {
    let one = first.len_utf8();
    let second = text[one..].chars().next();
    match first {
        '⍝' => (Comment, text.find(is_break).unwrap_or(text.len())),
        c if is_break(c) => (Newline, if text.starts_with("\r\n") { 2 } else { 1 }),
        c if is_blank(c) => (Space, run(text, is_blank)),
        '⋄' | '◊' => (Diamond, one),
        '\'' => string(text, '\''),
        '"' => string(text, '"'),
        '⍵' | '⍺' if second == Some(first) => (Argument, 2 * one),
        '⍵' | '⍺' => (Argument, one),
        '∇' => (SelfName, one),
        '⍬' => (Zilde, one),
        '⎕' => (Quad, one + run(&text[one..], is_name_part)),
        '←' => (Arrow, one),
        ':' => (Colon, one),
        ';' => (Semicolon, one),
        '(' => (ParenOpen, one),
        ')' => (ParenClose, one),
        '[' => (BracketOpen, one),
        ']' => (BracketClose, one),
        '{' => (BraceOpen, one),
        '}' => (BraceClose, one),
        '0'..='9' | '¯' => numeral(text),
        '.' if second.is_some_and(|c| c.is_ascii_digit()) => numeral(text),
        c if is_glyph(c) => (Glyph, one),
        c if is_name_start(c) => (Name, run(text, is_name_part)),
        _ => (Unknown, one),
    }
}

/// Reads letters, digits and signs with at most one point, as one token: a number or a malformed one.
fn numeral(text: &str) -> (AplKind, usize) {
    let mut points = 0;
    let belongs = |c: char| c.is_ascii_alphanumeric() || matches!(c, '¯' | '_');
    let mut len = 0;
    for c in text.chars() {
        // The point is part of `1.5`, but in `1 2+.×3` it belongs to the operator.
        let point = c == '.' && points == 0;
        if !point && !belongs(c) {
            break;
        }
        points += usize::from(point);
        // The imaginary part has a point of its own.
        if matches!(c, 'J' | 'j') {
            points = 0;
        }
        len += c.len_utf8();
    }
    let kind = if number(&text[..len]).is_some() || complex(&text[..len]).is_some() { Number } else { BadNumber };
    (kind, len)
}

/// Reads a string. It ends on its line, so that a missing quote affects one line.
fn string(text: &str, quote: char) -> (AplKind, usize) {
    let mut chars = text.char_indices().skip(1).peekable();
    while let Some((at, c)) = chars.next() {
        if is_break(c) {
            return (BadString, at);
        }
        if c == quote {
            match chars.peek() {
                Some((_, next)) if *next == quote => drop(chars.next()),
                _ => return (String, at + 1),
            }
        }
    }
    (BadString, text.len())
}
