//! Execute: `⍎'text'` evaluates the text as if it were written in its place. Any other text has numbers alone.

use super::names::parts;
use super::nested;
use super::phrase::{self, Act};
use super::value::{Arr, Ev, Failure, Frame, Kind, Res, Scalar, Value, fail, not_supported};
use lift_syntax::SyntaxErrorCode::{AplDomain, AplPhrase};
use lift_syntax::apl::{AplElement, AplKind, AplToken, complex, number, parse};
use std::rc::Rc;

/// The text at the end of a phrase, after `⍎`.
pub fn literal<'p>(part: &AplElement, after: &'p [AplElement]) -> Option<&'p AplToken> {
    let is_execute = part.as_token().is_some_and(|token| token.kind() == AplKind::Glyph && token.text() == "⍎");
    match after {
        [AplElement::Token(text)] if is_execute && text.kind() == AplKind::String => Some(text),
        _ => None,
    }
}

/// The value of the last statement of a text, and what that did.
pub fn written(ev: &mut Ev, text: &AplToken, frame: &Rc<Frame>) -> Res<(Arr, Act)> {
    let quote = &text.text()[..1];
    let start = usize::from(text.text_range().start()) + quote.len();
    let inner = text.text().get(1..text.text().len() - 1).unwrap_or_default().replace(&quote.repeat(2), quote);
    // Blanks in front of the program give its parts their places in the file.
    let parsed = parse(&format!("{}{inner}", " ".repeat(start)));
    if let Some(error) = parsed.errors.first().cloned() {
        return Err(Failure::Error(Box::new(error)));
    }
    let mut value = None;
    for statement in parsed.syntax().children().filter(|node| node.kind() == AplKind::Statement) {
        value = Some(phrase::statement(ev, &parts(&statement), frame)?);
    }
    match value {
        Some((Value::Arr(arr), act)) => Ok((arr.at(text.text_range()), act)),
        Some(_) => not_supported(text.text_range(), "`⍎` of a function"),
        None => fail(AplPhrase, text.text_range(), "there is nothing to evaluate in this text"),
    }
}

/// The numbers in a text.
pub fn numbers(ev: &mut Ev, x: &Arr) -> Res<Arr> {
    let Some(codes) = x.known().filter(|_| x.kind == Kind::Char && x.rank() <= 1) else {
        let what =
            "`⍎` wants a text that is known before the run; `10⊥¯1+⎕D⍳x` is the number that the digits in x write";
        return fail(AplDomain, x.range, what);
    };
    let text: String = codes.into_iter().filter_map(|code| char::from_u32(code as u32)).collect();
    let mut found: Vec<Scalar> = Vec::new();
    for word in text.split_whitespace() {
        let Some(value) = number(word).filter(|_| complex(word).is_none()) else {
            let what =
                format!("`⍎` of `{word}`, which is no number: write `⍎'…'` with the text itself at the right of `⍎`");
            return fail(AplDomain, x.range, what);
        };
        let whole = value.fract() == 0.0 && value.abs() <= f64::from(i32::MAX);
        let kind = match value {
            0.0 | 1.0 => Kind::Bool,
            _ if whole => Kind::Int,
            _ => Kind::Double,
        };
        found.push(ev.known(kind, value));
    }
    let found: Vec<Arr> = found.into_iter().map(|one| ev.of_scalar(one)).collect();
    match &found[..] {
        [] => fail(AplPhrase, x.range, "there is nothing to evaluate in this text"),
        [one] => Ok(one.clone()),
        several => nested::collect(ev, vec![crate::size::Size::nat(several.len() as u64)], several),
    }
}
