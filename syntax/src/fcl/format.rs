//! Formats a program: white space between the tokens of a line, blank lines, and ends of lines. Lines stay as they are
//! broken and indented, because FCL has no layout of its own.

use super::kind::FclKind::{self, *};
use super::{FclToken, parse, tokens};
use crate::{TextEdit, TextRange, TextSize};

/// The edits of white space that format a text, in order. A text with syntax errors has none.
pub fn format_edits(text: &str) -> Vec<TextEdit> {
    let parsed = parse(text);
    if !parsed.errors.is_empty() {
        return Vec::new();
    }
    let tree = parsed.syntax();
    let all = tree.descendants_with_tokens().filter_map(|part| part.into_token());
    let parts: Vec<FclToken> = all.filter(|token| token.kind() != Space).collect();
    let end = TextSize::of(text);
    let mut edits = Vec::new();
    let mut before: Option<&FclToken> = None;
    for after in parts.iter().map(Some).chain([None]) {
        let start = before.map_or(TextSize::new(0), |token| token.text_range().end());
        let range = TextRange::new(start, after.map_or(end, |token| token.text_range().start()));
        let insert = gap(before, after, &text[range], if text.contains("\r\n") { "\r\n" } else { "\n" });
        if insert != text[range] {
            edits.push(TextEdit { range, insert });
        }
        before = after;
    }
    if keeps_tokens(text, &edits) { edits } else { Vec::new() }
}

/// Whether a text has the same tokens after the edits.
fn keeps_tokens(text: &str, edits: &[TextEdit]) -> bool {
    let mut after = text.to_owned();
    for edit in edits.iter().rev() {
        after.replace_range(std::ops::Range::<usize>::from(edit.range), &edit.insert);
    }
    let words = |text: &str| -> Vec<(FclKind, String)> {
        let parts = tokens(text).into_iter().filter(|(kind, _)| *kind != Space);
        parts.map(|(kind, range)| (kind, text[range].to_owned())).collect()
    };
    words(text) == words(&after)
}

/// The white space between two tokens; either may be missing.
fn gap(before: Option<&FclToken>, after: Option<&FclToken>, found: &str, newline: &str) -> String {
    let mark = if found.starts_with('\u{feff}') { "\u{feff}" } else { "" };
    let (Some(before), Some(after)) = (before, after) else {
        let ends = before.is_some();
        return format!("{mark}{}", if ends { newline } else { "" });
    };
    if let Some(at) = found.rfind(['\n', '\r']) {
        let lines = found.matches('\n').count().max(found.matches('\r').count());
        let indented = if starts_declaration(after) { String::new() } else { found[at + 1..].replace('\t', "  ") };
        return newline.repeat(lines.min(2)) + &indented;
    }
    match (before.kind(), after.kind()) {
        // A comment after code may be aligned with other lines.
        (_, Comment) if !found.is_empty() => found.replace('\t', "  "),
        _ if is_tight(before, after) => String::new(),
        _ => " ".to_owned(),
    }
}

fn starts_declaration(token: &FclToken) -> bool {
    let parent = token.parent().filter(|node| matches!(node.kind(), Signature | Definition));
    parent.is_some_and(|node| node.first_token().as_ref() == Some(token))
}

/// Whether no white space is between two tokens of a line.
fn is_tight(before: &FclToken, after: &FclToken) -> bool {
    let parent = |token: &FclToken| token.parent().map(|node| node.kind());
    let levels = |token: &FclToken| matches!(parent(token), Some(Levels | LevelNames));
    match (before.text(), after.text()) {
        ("(" | "[", _) | (_, ")" | "]" | "," | ";" | ".") => true,
        ("<", _) if levels(before) => true,
        (_, ">") if levels(after) => true,
        ("+", _) if parent(before) == Some(Level) => true,
        (_, "+") if parent(after) == Some(Level) => true,
        // The levels of a name, of `do` and of an array belong to it.
        (_, "<") if levels(after) => {
            let of = after.parent().and_then(|node| node.parent()).map(|node| node.kind());
            !matches!(of, Some(ProgramType | Scheme))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn formatted(text: &str) -> String {
        let mut after = text.to_owned();
        for edit in format_edits(text).iter().rev() {
            after.replace_range(std::ops::Range::<usize>::from(edit.range), &edit.insert);
        }
        after
    }

    #[test]
    fn white_space_is_normal() {
        for (text, expected) in [
            ("\n\n  val   x=1+2*( 3 )  ", "val x = 1 + 2 * (3)\n"),
            ("fun f <l> xs=push < 1 + l >xs", "fun f<l> xs = push<1+l> xs\n"),
            (
                "sig f:forall<l>'a.['a]->Program<l>['a] <l>\nfun f<l> x = x",
                "sig f : forall <l> 'a. ['a] -> Program <l> ['a]<l>\nfun f<l> x = x\n",
            ),
            ("val x = n-1 -- one\n\n\n\nval y = f -1", "val x = n - 1 -- one\n\nval y = f -1\n"),
            ("val p = do <grid>{x<-f(1,2);g x}", "val p = do<grid> { x <- f (1, 2); g x }\n"),
            ("val x =\n\tlet y = 1   -- here\n\tin y", "val x =\n  let y = 1   -- here\n  in y\n"),
            ("val x = (1,", "val x = (1,"),
            ("val x = 1 (* a *)+ 2\r\nval y=2", "val x = 1 (* a *) + 2\r\nval y = 2\r\n"),
        ] {
            assert_eq!(formatted(text), expected, "{text}");
            assert_eq!(formatted(expected), expected, "again: {text}");
        }
        assert_eq!(formatted(""), "");
    }
}
