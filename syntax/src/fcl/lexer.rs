//! The lexer of FCL. Every byte belongs to one token.

use super::kind::FclKind::{self, *};
use crate::{TextRange, TextSize};

/// Keywords, which cannot be names.
pub const KEYWORDS: [&str; 17] = [
    "sig", "fun", "val", "let", "in", "int", "double", "bool", "char", "fn", "true", "false", "kernel", "if", "then",
    "else", "do",
];

/// Operators and punctuation, longer ones first.
const OPERATORS: [&str; 22] = [
    "|>", "=>", "==", "!=", "->", "<-", "<<", ">>", "=", "<", ">", "+", "-", "*", "/", "%", "&", "|", ":", ";", ",",
    ".",
];

/// Returns the tokens of a text, in order.
pub fn tokens(text: &str) -> Vec<(FclKind, TextRange)> {
    let mut found: Vec<(FclKind, TextRange)> = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let operand = found.last().is_some_and(|(kind, _)| {
            matches!(kind, Name | Int | Double | Text | ParenClose | BracketClose | BraceClose)
        });
        let (kind, len) = token(first, &text[at..], operand);
        let range = TextRange::at(TextSize::new(at as u32), TextSize::new(len as u32));
        found.push((kind, range));
        at += len;
    }
    found
}

pub fn is_keyword(word: &str) -> bool {
    KEYWORDS.contains(&word)
}

fn is_name_start(c: char) -> bool {
    c.is_alphabetic() || c == '#'
}

fn is_name_part(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '#' | '\'')
}

fn run(text: &str, belongs: impl Fn(char) -> bool) -> usize {
    text.find(|c| !belongs(c)).unwrap_or(text.len())
}

/// Returns kind and length in bytes of the token at the start of `text`. A sign directly after an operand is an
/// operator: `n-1`.
fn token(first: char, text: &str, after_operand: bool) -> (FclKind, usize) {
    let one = first.len_utf8();
    let second = text[one..].chars().next();
    match first {
        c if c.is_whitespace() || c == '\u{feff}' => (Space, run(text, |c| c.is_whitespace() || c == '\u{feff}')),
        '-' if second == Some('-') => (Comment, run(text, |c| !matches!(c, '\n' | '\r'))),
        '(' if second == Some('*') => comment(text),
        '-' if second.is_some_and(|c| c.is_ascii_digit()) && !after_operand => {
            let (kind, len) = number(&text[1..]);
            (kind, len + 1)
        }
        '0'..='9' => number(text),
        '"' => string(text),
        '\'' if second.is_some_and(is_name_start) => (TypeName, one + run(&text[one..], is_name_part)),
        '(' => (ParenOpen, one),
        ')' => (ParenClose, one),
        '[' => (BracketOpen, one),
        ']' => (BracketClose, one),
        '{' => (BraceOpen, one),
        '}' => (BraceClose, one),
        c if is_name_start(c) => {
            let len = run(text, is_name_part);
            (if is_keyword(&text[..len]) { Keyword } else { Name }, len)
        }
        _ => match OPERATORS.iter().find(|operator| text.starts_with(**operator)) {
            Some(operator) => (Operator, operator.len()),
            None => (Unknown, one),
        },
    }
}

/// Reads `(* … *)`, which may be nested.
fn comment(text: &str) -> (FclKind, usize) {
    let mut depth = 0;
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        if rest.starts_with("(*") {
            depth += 1;
            at += 2;
        } else if rest.starts_with("*)") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return (Comment, at);
            }
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    (BadComment, text.len())
}

/// Reads `12`, `0x1F`, `1.5`, `2e-3`. Letters that follow belong to the token and make it malformed.
fn number(text: &str) -> (FclKind, usize) {
    let digits = |at: usize| at + run(&text[at..], |c| c.is_ascii_digit());
    let mut len = digits(0);
    let mut kind = Int;
    if text.starts_with("0x") || text.starts_with("0X") {
        let hex = run(&text[2..], |c| c.is_ascii_hexdigit());
        len = 2 + hex;
        kind = if hex > 0 { Int } else { BadNumber };
    } else {
        if text[len..].starts_with('.') && digits(len + 1) > len + 1 {
            len = digits(len + 1);
            kind = Double;
        }
        if text[len..].starts_with(['e', 'E']) {
            let sign = usize::from(text[len + 1..].starts_with(['-', '+']));
            let end = digits(len + 1 + sign);
            if end > len + 1 + sign {
                len = end;
                kind = Double;
            }
        }
    }
    let rest = run(&text[len..], is_name_part);
    if rest > 0 { (BadNumber, len + rest) } else { (kind, len) }
}

/// Reads a string. It ends on its line, so that a missing quote affects one line.
fn string(text: &str) -> (FclKind, usize) {
    let mut chars = text.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '\n' | '\r' => return (BadText, at),
            '"' => return (Text, at + 1),
            '\\' => match chars.clone().next() {
                Some((_, '\n' | '\r')) | None => {}
                Some(_) => drop(chars.next()),
            },
            _ => {}
        }
    }
    (BadText, text.len())
}
