//! Hand-written lexer. Lossless: every byte of the text belongs to exactly one token.
//!
//! Tokens are independent of the text before them, so lexing a slice that starts and ends between tokens gives the
//! tokens of the whole text there.

use crate::kind::SyntaxKind::{self, *};
use crate::literal;
use crate::{TextRange, TextSize};

/// The tokens of a text, as parallel arrays.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Tokens {
    kinds: Vec<SyntaxKind>,
    /// Start offsets, with one entry more than `kinds`: the end of the text.
    starts: Vec<u32>,
}

impl Tokens {
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    pub fn kind(&self, token: usize) -> SyntaxKind {
        self.kinds.get(token).copied().unwrap_or(EOF)
    }

    /// Returns the range of a token; past the last one, the empty range at the end of the text.
    pub fn range(&self, token: usize) -> TextRange {
        let end = self.starts.last().copied().unwrap_or(0);
        let at = |i: usize| TextSize::new(self.starts.get(i).copied().unwrap_or(end));
        TextRange::new(at(token), at(token.saturating_add(1)))
    }

    pub fn kinds(&self) -> &[SyntaxKind] {
        &self.kinds
    }

    fn push(&mut self, kind: SyntaxKind, start: usize) {
        self.kinds.push(kind);
        self.starts.push(start as u32);
    }
}

/// Splits a text shorter than 4 GiB (offsets have 32 bits) into tokens.
pub fn lex(text: &str) -> Tokens {
    let mut tokens = Tokens::default();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let (kind, len) = token(first, rest);
        tokens.push(kind, text.len() - rest.len());
        rest = &rest[len..];
    }
    tokens.starts.push(text.len() as u32);
    tokens
}

/// Whether a character is Unicode white space, or the byte order mark that some editors put at the start of a file.
pub(crate) fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == '\u{feff}'
}

fn is_line_break(c: char) -> bool {
    matches!(c, '\n' | '\r')
}

fn is_name_char(c: char) -> bool {
    match c {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '-' => true,
        '(' | ')' | '[' | ']' | '"' | ';' => false,
        _ => !is_blank(c) && !c.is_control(),
    }
}

/// Returns kind and length in bytes of the token at the start of `text`, whose first character is `first`.
fn token(first: char, text: &str) -> (SyntaxKind, usize) {
    match first {
        '(' => (L_PAREN, 1),
        ')' => (R_PAREN, 1),
        '[' => (L_BRACKET, 1),
        ']' => (R_BRACKET, 1),
        '#' => (HASH, 1),
        ';' => (COMMENT, text.find(is_line_break).unwrap_or(text.len())),
        '"' => string(text),
        c if is_blank(c) => (WHITESPACE, run(text, is_blank)),
        c if c.is_control() => (BAD_CHARS, run(text, |c| c.is_control() && !is_blank(c))),
        _ => {
            let len = run(text, is_name_char);
            (atom(&text[..len]), len)
        }
    }
}

fn run(text: &str, belongs: impl Fn(char) -> bool) -> usize {
    text.find(|c| !belongs(c)).unwrap_or(text.len())
}

/// Reads a string. It ends on its line, so that a missing quote affects one line instead of the file.
fn string(text: &str) -> (SyntaxKind, usize) {
    let mut chars = text.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return (STRING, at + 1),
            c if is_line_break(c) => return (BAD_STRING, at),
            '\\' => match chars.next() {
                Some((at, c)) if is_line_break(c) => return (BAD_STRING, at),
                _ => {}
            },
            _ => {}
        }
    }
    (BAD_STRING, text.len())
}

fn atom(text: &str) -> SyntaxKind {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if unsigned.starts_with(|c: char| c.is_ascii_digit()) {
        return number(unsigned).unwrap_or(BAD_NUMBER);
    }
    literal::word(text).unwrap_or(IDENT)
}

/// Parses `digits [. digits*] [e [sign] digits] [suffix]` or `0x digits [suffix]`, where suffixes other than `f` and `h` require
/// an integer; `None` if malformed.
fn number(text: &str) -> Option<SyntaxKind> {
    let digits = |s: &str| s.find(|c: char| !c.is_ascii_digit()).unwrap_or(s.len());
    let (len, hexadecimal) = literal::digits(text);
    let mut rest = &text[len..];
    if hexadecimal {
        return integer(rest);
    }
    let mut whole = true;
    if let Some(fraction) = rest.strip_prefix('.') {
        whole = false;
        rest = &fraction[digits(fraction)..];
    }
    if let Some(exponent) = rest.strip_prefix(['e', 'E']) {
        whole = false;
        let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        let len = digits(exponent);
        if len == 0 {
            return None;
        }
        rest = &exponent[len..];
    }
    match rest {
        "h" => Some(HALF),
        "f" => Some(FLOAT),
        "" if !whole => Some(DOUBLE),
        suffix if whole => integer(suffix),
        _ => None,
    }
}

/// The kind of an integer with a suffix.
fn integer(suffix: &str) -> Option<SyntaxKind> {
    match suffix {
        "" => Some(INT),
        "L" => Some(LONG),
        suffix => literal::is_suffix(suffix).then_some(SIZED),
    }
}
