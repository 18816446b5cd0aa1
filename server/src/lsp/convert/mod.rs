//! Conversion of editor data to protocol data and back; no other module knows both. This module converts positions and
//! texts, its submodules one group of features each.
//!
//! Protocol positions are lines and columns in the negotiated unit; ours are byte offsets. A position past the end of a
//! line or of the text, or inside a character, is moved back to the nearest valid one.
//!
//! | module | job |
//! |---|---|
//! | `places` | converts locations, definitions and symbols |
//! | `changes` | converts changes of texts |
//! | `completion` | converts completions and signatures |
//! | `diagnostics` | converts diagnostics |
//! | `hints` | converts inlay hints |
//! | `tokens` | converts semantic tokens to five numbers each, relative to the previous token |

mod changes;
mod completion;
mod diagnostics;
mod hints;
mod places;
mod tokens;

pub use changes::{EditedFile, edit_of, edited_files, workspace_edit};
pub use completion::{completion_list, signature_help};
pub use diagnostics::{diagnostic, explain_uri, more_diagnostics};
pub use hints::inlay_hint;
pub use places::{definitions, location, symbol_kind, symbols};
pub use tokens::{legend, semantic_tokens, token_edits};

use super::encoding::Encoding;
use super::features::Features;
use lift_analysis::ide;
use lift_syntax::{LineIndex, TextRange, TextSize};
use std::sync::Arc;
use tower_lsp_server::gen_lsp_types::*;

/// Applies the changes of one notification in order and returns the new text.
pub fn apply_changes(
    text: &str,
    index: &LineIndex,
    changes: Vec<TextDocumentContentChangeEvent>,
    encoding: Encoding,
) -> String {
    let mut text = text.to_owned();
    // Line index of the current text; built when the next change needs it.
    let mut edited: Option<LineIndex> = None;
    let mut changes = changes.into_iter().peekable();
    while let Some(change) = changes.next() {
        match change {
            TextDocumentContentChangeEvent::TextDocumentContentChangeWholeDocument(c) => {
                text = c.text;
                edited = changes.peek().map(|_| LineIndex::new(&text));
            }
            TextDocumentContentChangeEvent::TextDocumentContentChangePartial(c) => {
                let index = edited.as_ref().unwrap_or(index);
                let at = |at: Position| {
                    let at = lift_syntax::Position { line: at.line, column: at.character };
                    index.offset(at, encoding.columns())
                };
                let start = at(c.range.start);
                let range = TextRange::new(start, at(c.range.end).max(start));
                text.replace_range(std::ops::Range::<usize>::from(range), &c.text);
                edited = changes.peek().map(|_| index.edited(range, TextSize::of(&*c.text), &text));
            }
        }
    }
    text
}

/// The line index of a text, for many conversions.
#[derive(Clone)]
pub struct Lines {
    pub text: Arc<str>,
    pub index: Arc<LineIndex>,
    pub encoding: Encoding,
}

impl Lines {
    pub fn offset(&self, at: Position) -> TextSize {
        let at = lift_syntax::Position { line: at.line, column: at.character };
        self.index.offset(at, self.encoding.columns())
    }
    pub fn position(&self, at: TextSize) -> Position {
        let at = self.index.position(at, self.encoding.columns());
        Position::new(at.line, at.column)
    }
    pub fn range(&self, range: TextRange) -> Range {
        Range::new(self.position(range.start()), self.position(range.end()))
    }
    pub fn text_range(&self, range: Range) -> TextRange {
        let start = self.offset(range.start);
        TextRange::new(start, self.offset(range.end).max(start))
    }
    pub fn text_edit(&self, edit: &ide::TextEdit) -> TextEdit {
        TextEdit { range: self.range(edit.range), new_text: edit.new_text.clone() }
    }
}

pub fn hover(lines: &Lines, features: &Features, h: ide::Hover) -> Hover {
    let contents = if features.markdown_hover {
        MarkupContent::new(MarkupKind::Markdown, h.markdown)
    } else {
        MarkupContent::new(MarkupKind::PlainText, h.plain)
    };
    Hover { contents: contents.into(), range: Some(lines.range(h.range)) }
}

/// Markdown, or plain text for a client that cannot show Markdown.
pub fn documentation(features: &Features, markdown: String) -> Documentation {
    if features.markdown_documentation {
        return MarkupContent::new(MarkupKind::Markdown, markdown).into();
    }
    let lines = markdown.lines().filter(|line| !line.starts_with("```"));
    Documentation::String(lines.collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lines(text: &str, encoding: Encoding) -> Lines {
        Lines { text: text.into(), index: Arc::new(LineIndex::new(text)), encoding }
    }
    fn edit(from: (u32, u32), to: (u32, u32), text: &str) -> TextDocumentContentChangeEvent {
        TextDocumentContentChangeEvent::TextDocumentContentChangePartial(TextDocumentContentChangePartial {
            range: Range::new(Position::new(from.0, from.1), Position::new(to.0, to.1)),
            text: text.to_owned(),
            #[allow(deprecated)]
            range_length: None,
        })
    }

    #[test]
    fn columns_count_in_the_negotiated_unit() {
        let text = "; é𝒳x\n(f)";
        // `x` follows two ASCII characters, a two-byte one and a four-byte one.
        for (encoding, column) in [(Encoding::Utf16, 5), (Encoding::Utf8, 8)] {
            let l = lines(text, encoding);
            assert_eq!(l.offset(Position::new(0, column)), TextSize::from(8));
            assert_eq!(l.position(8.into()), Position::new(0, column));
        }
    }

    #[test]
    fn a_position_outside_or_inside_a_character_is_the_nearest_before() {
        for encoding in [Encoding::Utf16, Encoding::Utf8] {
            let l = lines("𝒳\r\nab", encoding);
            let offsets = [(0, 1), (0, 99), (1, 1), (1, 99), (7, 0), (u32::MAX, u32::MAX)]
                .map(|(line, column)| u32::from(l.offset(Position::new(line, column))));
            assert_eq!(offsets, [0, 4, 7, 8, 8, 8]);
        }
    }

    #[test]
    fn changes_of_one_notification_see_each_other() {
        let changes = vec![edit((0, 0), (0, 0), "a\r\nb𝒳"), edit((1, 3), (1, 3), "!"), edit((0, 1), (1, 0), "")];
        assert_eq!(apply_changes("c", &LineIndex::new("c"), changes, Encoding::Utf16), "ab𝒳!c");
    }

    proptest! {
        #[test]
        fn changes_of_one_message_are_those_of_several(
            text in "[a𝒳\r\n]{0,9}",
            steps in prop::collection::vec(("[a𝒳\r\n]{0,5}", 0u32..6, 0u32..6, 0u32..6, 0u32..6), 1..6),
        ) {
            let changes: Vec<_> = steps.iter().map(|(new, l1, c1, l2, c2)| edit((*l1, *c1), (*l2, *c2), new)).collect();
            let apply = |text: &str, changes| apply_changes(text, &LineIndex::new(text), changes, Encoding::Utf16);
            let together = apply(&text, changes.clone());
            let apart = changes.into_iter().fold(text, |text, change| apply(&text, vec![change]));
            prop_assert_eq!(together, apart);
        }
        #[test]
        fn an_offset_survives_the_way_to_the_client_and_back(text in "[a𝒳é\n]{0,40}", pick in any::<prop::sample::Index>()) {
            let starts: Vec<usize> = text.char_indices().map(|(i, _)| i).chain([text.len()]).collect();
            let at = TextSize::from(starts[pick.index(starts.len())] as u32);
            for encoding in [Encoding::Utf8, Encoding::Utf16] {
                let l = lines(&text, encoding);
                prop_assert_eq!(l.offset(l.position(at)), at);
            }
        }
        #[test]
        fn edits_do_to_the_text_what_they_do_to_utf16_units(
            steps in prop::collection::vec(("[a𝒳\r\n]{0,5}", 0u32..6, 0u32..6, 0u32..6, 0u32..6), 1..12),
        ) {
            let mut text = String::new();
            let mut model: Vec<u16> = Vec::new();
            for (insert, l1, c1, l2, c2) in steps {
                text = apply_changes(&text, &LineIndex::new(&text), vec![edit((l1, c1), (l2, c2), &insert)], Encoding::Utf16);
                model = edit_model(&model, (l1, c1), (l2, c2), &insert);
                let expected = String::from_utf16(&model).expect("whole characters");
                prop_assert_eq!(&text, &expected);
            }
        }
    }

    /// The same edit on UTF-16 units, as simple as possible.
    fn edit_model(text: &[u16], from: (u32, u32), to: (u32, u32), insert: &str) -> Vec<u16> {
        let (n, r) = (u16::from(b'\n'), u16::from(b'\r'));
        let is_break = |at: usize| text[at] == n || text[at] == r;
        let place = |(line, column): (u32, u32)| {
            let mut at = 0;
            for _ in 0..line {
                while at < text.len() && !is_break(at) {
                    at += 1;
                }
                if at == text.len() {
                    return at;
                }
                at += if text[at..].starts_with(&[r, n]) { 2 } else { 1 };
            }
            let start = at;
            while at < text.len() && !is_break(at) && at - start < column as usize {
                at += 1;
            }
            let inside = at > start && at < text.len() && (0xDC00..0xE000).contains(&text[at]);
            if inside { at - 1 } else { at }
        };
        let start = place(from);
        let end = place(to).max(start);
        let mut out = text[..start].to_vec();
        out.extend(insert.encode_utf16());
        out.extend(&text[end..]);
        out
    }
}
