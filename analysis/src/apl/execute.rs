//! Execute: `⍎'text'` evaluates the text as if it were written in its place.

use super::value::{Arr, Failure, Res, Value, fail, not_supported};
use lift_syntax::SyntaxErrorCode::AplPhrase;
use lift_syntax::apl::{AplElement, AplKind, AplNode, AplToken, parse};

/// The text at the end of a phrase, after `⍎`.
pub fn literal<'p>(part: &AplElement, after: &'p [AplElement]) -> Option<&'p AplToken> {
    let is_execute = part.as_token().is_some_and(|token| token.kind() == AplKind::Glyph && token.text() == "⍎");
    match after {
        [AplElement::Token(text)] if is_execute && text.kind() == AplKind::String => Some(text),
        _ => None,
    }
}

/// Evaluates the statements of a text; returns the value of the last one and the second result of `evaluate`.
pub fn written<T>(text: &AplToken, mut evaluate: impl FnMut(&AplNode) -> Res<(Value, T)>) -> Res<(Arr, T)> {
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
        value = Some(evaluate(&statement)?);
    }
    match value {
        Some((Value::Arr(arr), act)) => Ok((arr.at(text.text_range()), act)),
        Some(_) => not_supported(text.text_range(), "`⍎` of a function"),
        None => fail(AplPhrase, text.text_range(), "there is nothing to evaluate in this text"),
    }
}
