//! The formatter: conventional Lisp layout in lines of at most [`LINE_WIDTH`] columns.
//!
//! Only white space changes. Tokens and comments keep their order, so the formatted program has the same tree except
//! for trivia, and the change is a list of small edits.
//!
//! * A group is put on one line if it fits and its author put no line break between its parts. Otherwise it is broken:
//!   bodies are indented by two columns, arguments are aligned.
//! * Up to one blank line between parts, and between forms, is kept.
//! * A comment stays after the code that it follows, or on a line of its own.
//! * A form with a syntax error, and the white space around it, is left unchanged.
//!
//! Formatting is idempotent.
//!
//! | module | job |
//! |---|---|
//! | `doc` | the input of the layout |
//! | `layout` | the layout: decides where lines break |

mod doc;
mod layout;

use crate::error::TextEdit;
use crate::kind::SyntaxKind::{COMMENT, WHITESPACE};
use crate::lexer::lex;
use crate::parser::parse_form;
use crate::split::{line_breaks, split};
use crate::{TextRange, TextSize};
use layout::{Layout, Piece, Separator};

/// Maximal width of a line, in characters, unless the text cannot be broken.
pub const LINE_WIDTH: usize = 88;

/// Formats the text of a file.
pub fn format(text: &str) -> String {
    let mut formatted = String::with_capacity(text.len() + text.len() / 8);
    let mut copied = 0;
    for edit in format_edits(text) {
        formatted.push_str(&text[copied..usize::from(edit.range.start())]);
        formatted.push_str(&edit.insert);
        copied = edit.range.end().into();
    }
    formatted.push_str(&text[copied..]);
    formatted
}

/// Returns the edits that format a file: each replaces white space by white space. Sorted and disjoint.
pub fn format_edits(text: &str) -> Vec<TextEdit> {
    edits(text, &pieces(text))
}

/// Returns the edits inside the forms that `range` touches, and in the white space before them.
pub fn format_range(text: &str, range: TextRange) -> Vec<TextEdit> {
    let mut region: Option<TextRange> = None;
    let mut gap = TextSize::new(0);
    for form in split(text) {
        if form.range.intersect(range).is_some() {
            let with_gap = TextRange::new(gap, form.range.end());
            region = Some(region.map_or(with_gap, |region| region.cover(with_gap)));
        }
        gap = form.range.end();
    }
    let Some(region) = region else {
        return Vec::new();
    };
    let mut edits = format_edits(text);
    edits.retain(|edit| region.contains_range(edit.range));
    edits
}

/// Splits the text into pieces: everything except white space, each with the white space to put before it.
fn pieces(text: &str) -> Vec<Piece> {
    let mut layout = Layout::new(text);
    let mut done = TextSize::new(0);
    let mut after_broken = false;
    for form in split(text) {
        gap(&mut layout, TextRange::new(done, form.range.start()), after_broken);
        done = form.range.end();
        let parse = parse_form(&text[form.range]);
        let broken = !parse.errors.is_empty();
        let before = if broken || (after_broken && layout.ends_at_form()) {
            Separator::Keep
        } else {
            layout.separator_at_top(form.range.start(), true)
        };
        if broken {
            layout.verbatim(form.range, before);
        } else {
            let form = doc::form(text, &parse.syntax(), form.range.start());
            layout.form(&form, before);
        }
        layout.mark_form();
        after_broken = broken;
    }
    let end = TextSize::of(text);
    gap(&mut layout, TextRange::new(done, end), after_broken);
    let keep = after_broken && layout.ends_at_form();
    layout.end_of_file(if keep { Separator::Keep } else { Separator::EndOfFile });
    layout.into_pieces()
}

/// Lays out the comments between two forms.
fn gap(layout: &mut Layout<'_>, range: TextRange, after_broken: bool) {
    let text = layout.text();
    let tokens = lex(&text[range]);
    for token in 0..tokens.len() {
        if tokens.kind(token) == COMMENT {
            let comment = tokens.range(token) + range.start();
            let keep = after_broken && layout.ends_at_form();
            let before = if keep { Separator::Keep } else { layout.separator_at_top(comment.start(), false) };
            layout.verbatim(trimmed(text, comment), before);
        }
    }
}

/// Returns the range of a comment without trailing white space.
fn trimmed(text: &str, comment: TextRange) -> TextRange {
    let len = text[comment].trim_end_matches(crate::lexer::is_blank).len();
    TextRange::at(comment.start(), TextSize::new(len as u32))
}

fn edits(text: &str, pieces: &[Piece]) -> Vec<TextEdit> {
    let line_break = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut edits = Vec::new();
    let mut end = TextSize::new(0);
    let mut wanted = String::new();
    for piece in pieces {
        let range = TextRange::new(end, piece.range.start());
        let space = &text[range];
        end = piece.range.end();
        wanted.clear();
        // Keep a byte order mark at the start of the file.
        if range.start() == TextSize::new(0) && space.starts_with('\u{feff}') {
            wanted.push('\u{feff}');
        }
        match piece.before {
            Separator::Keep => continue,
            Separator::None => {}
            Separator::Space => wanted.push(' '),
            Separator::EndOfFile => wanted.push_str(line_break),
            Separator::Newline { blank, indent } => {
                wanted.push_str(line_break);
                if blank {
                    wanted.push_str(line_break);
                }
                wanted.extend(std::iter::repeat_n(' ', indent));
            }
        }
        if space != wanted {
            edits.push(TextEdit { range, insert: wanted.clone() });
        }
    }
    edits
}

/// Counts the line breaks in a token, if it is white space.
fn breaks_in(kind: crate::SyntaxKind, text: &str) -> usize {
    if kind == WHITESPACE { line_breaks(text) } else { 0 }
}
