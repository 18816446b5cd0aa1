//! Formatting keeps the author's spacing: only space at the ends of lines and empty lines at the end are removed.

use super::kind::AplKind::{Newline, Space};
use super::lexer::tokens;
use crate::{TextEdit, TextRange, TextSize};

/// The edits of white space that format a text, in order.
pub fn format_edits(text: &str) -> Vec<TextEdit> {
    let all = tokens(text);
    let blank = all.iter().rev().take_while(|(kind, _)| matches!(kind, Space | Newline)).count();
    let (body, rest) = all.split_at(all.len() - blank);
    let mut edits = Vec::new();
    for pair in body.windows(2) {
        if let [(Space, space), (Newline, _)] = pair {
            edits.push(TextEdit { range: *space, insert: String::new() });
        }
    }
    // A comment reaches to the end of its line.
    for (kind, range) in body {
        let kept = text[*range].trim_end().len();
        if *kind == super::AplKind::Comment && kept < usize::from(range.len()) {
            let start = range.start() + TextSize::new(kept as u32);
            edits.push(TextEdit { range: TextRange::new(start, range.end()), insert: String::new() });
        }
    }
    let start = body.last().map_or(TextSize::new(0), |(_, range)| range.end());
    let end = TextRange::new(start, TextSize::of(text));
    let line = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let wanted = if body.is_empty() { "" } else { line };
    if &text[end] != wanted && (!rest.is_empty() || !body.is_empty()) {
        edits.push(TextEdit { range: end, insert: wanted.to_owned() });
    }
    edits.sort_by_key(|edit| edit.range.start());
    edits
}

#[cfg(test)]
mod tests {
    use super::format_edits;

    #[test]
    fn only_space_at_ends_is_removed() {
        let format = |text: &str| {
            let mut after = text.to_owned();
            for edit in format_edits(text).iter().rev() {
                after.replace_range(std::ops::Range::<usize>::from(edit.range), &edit.insert);
            }
            after
        };
        for (text, expected) in [
            ("x  ←  1  \ny←2 ⍝ two \n\n\n", "x  ←  1\ny←2 ⍝ two\n"),
            ("f←{\n    ⍵  \n\n  }", "f←{\n    ⍵\n\n  }\n"),
            ("", ""),
            (" \n ", ""),
            ("a \r\nb", "a\r\nb\r\n"),
        ] {
            assert_eq!(format(text), expected);
            assert_eq!(format(expected), expected);
        }
    }
}
