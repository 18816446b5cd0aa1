//! The layout: decides where lines break.

use super::LINE_WIDTH;
use super::doc::{Comment, Doc, Group, Item, Parts};
use crate::kind::SyntaxKind::*;
use crate::split::line_breaks;
use crate::{TextRange, TextSize};

/// The white space before a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Separator {
    /// The original white space.
    Keep,
    None,
    Space,
    Newline {
        blank: bool,
        indent: usize,
    },
    /// The line break at the end of the file.
    EndOfFile,
}

/// A token, a comment, or a form that is left unchanged.
#[derive(Debug, Clone, Copy)]
pub(super) struct Piece {
    pub before: Separator,
    pub range: TextRange,
}

/// How a group is broken over lines.
enum Style {
    /// Head and first argument on one line, the others aligned with the first: `(f a⏎   b)`. If that is too wide, or
    /// the author broke after the head: `(f⏎  a⏎  b)`.
    Call,
    /// The `first` parts on one line, the others below, indented by two. If one of the first parts needs a line of its
    /// own, it is indented by `apart`.
    Body { first: usize, apart: usize },
    /// `let` with several bindings: each on a line of its own, aligned with the first; then the body, indented by two.
    Bindings,
    /// All parts aligned, one per line.
    Column,
}

impl Style {
    fn of(group: &Group) -> Style {
        let compound_head = matches!(group.parts.items.first(), Some(Item { doc: Doc::Group(_), .. }));
        match group.kind {
            DEFINE | LAMBDA | WITH => Style::Body { first: 2, apart: 4 },
            LET if group.parts.items.len() > 4 => Style::Bindings,
            LET | UNPACK => Style::Body { first: 3, apart: 4 },
            LIFT => Style::Body { first: group.parts.items.len().saturating_sub(1), apart: 2 },
            PRIMITIVE => Style::Body { first: 3, apart: 4 },
            PARAM_LIST | TYPE_LIST | SIZE_PARAMS | PARAM | TUPLE_PATTERN | UNPACK_BINDER | POSITION_BINDER
            | SUM_BINDER | SETTING_LIST | SETTING => Style::Column,
            _ if compound_head => Style::Column,
            _ => Style::Call,
        }
    }
}

/// The pieces produced so far.
pub(super) struct Layout<'t> {
    text: &'t str,
    pieces: Vec<Piece>,
    /// The column of the next piece.
    column: usize,
    /// Number of pieces at the end of the last form.
    form_end: usize,
}

impl<'t> Layout<'t> {
    pub fn new(text: &'t str) -> Self {
        Layout { text, pieces: Vec::new(), column: 0, form_end: 0 }
    }

    pub fn text(&self) -> &'t str {
        self.text
    }

    pub fn into_pieces(self) -> Vec<Piece> {
        self.pieces
    }

    // ---- the top of the file

    /// Marks the end of a form.
    pub fn mark_form(&mut self) {
        self.form_end = self.pieces.len();
    }

    /// Whether the last piece ends a form.
    pub fn ends_at_form(&self) -> bool {
        self.form_end == self.pieces.len()
    }

    /// Returns the white space before a comment between forms, or before a form, which needs a new line.
    pub fn separator_at_top(&self, start: TextSize, new_line: bool) -> Separator {
        let Some(last) = self.pieces.last() else {
            return Separator::None;
        };
        match line_breaks(&self.text[TextRange::new(last.range.end(), start)]) {
            0 if !new_line => Separator::Space,
            breaks => Separator::Newline { blank: breaks > 1, indent: 0 },
        }
    }

    pub fn verbatim(&mut self, range: TextRange, before: Separator) {
        self.pieces.push(Piece { before, range });
    }

    pub fn end_of_file(&mut self, separator: Separator) {
        let before = if self.pieces.is_empty() { Separator::None } else { separator };
        self.pieces.push(Piece { before, range: TextRange::empty(TextSize::of(self.text)) });
    }

    /// Lays out a form with its documentation, at the start of a line.
    pub fn form(&mut self, items: &[Item], before: Separator) {
        self.column = 0;
        let mut before = before;
        for item in items {
            for comment in &item.comments {
                self.verbatim(comment.range, before);
                before = Separator::Newline { blank: false, indent: 0 };
            }
            self.column = 0;
            self.item_after_comments(&item.doc, before, 0);
            before = Separator::Newline { blank: false, indent: 0 };
        }
    }

    // ---- the inside of a form

    fn piece(&mut self, range: TextRange, width: usize, before: Separator) {
        match before {
            Separator::Space => self.column += 1,
            Separator::Newline { indent, .. } => self.column = indent,
            Separator::Keep | Separator::None | Separator::EndOfFile => {}
        }
        self.pieces.push(Piece { before, range });
        self.column += width;
    }

    fn comments(&mut self, comments: &[Comment], indent: usize) {
        for comment in comments {
            let before = match comment.breaks {
                0 => Separator::Space,
                breaks => Separator::Newline { blank: breaks > 1, indent },
            };
            self.piece(comment.range, 0, before);
        }
    }

    /// Lays out a part, on the same line or on a new one. `after` is the number of closing brackets that follow it.
    fn item(&mut self, item: &Item, same_line: Option<Separator>, indent: usize, after: usize) {
        self.comments(&item.comments, indent);
        let before = match same_line {
            Some(separator) if item.comments.is_empty() => separator,
            _ => Separator::Newline { blank: item.breaks > 1, indent },
        };
        self.item_after_comments(&item.doc, before, after);
    }

    fn item_after_comments(&mut self, doc: &Doc, before: Separator, after: usize) {
        match doc {
            Doc::Atom { range, width } => self.piece(*range, *width, before),
            Doc::Tight(parts) => self.tight(parts, before, after),
            Doc::Group(group) => {
                self.piece(group.open, 1, before);
                let fits = |width| self.column - 1 + width + after <= LINE_WIDTH;
                if group.parts.flat.is_some_and(fits) {
                    self.flat(&group.parts, Separator::Space);
                    self.piece(group.close, 1, Separator::None);
                } else {
                    let indent = self.broken(group, after + 1);
                    self.close(group, indent);
                }
            }
        }
    }

    fn flat(&mut self, parts: &Parts, between: Separator) {
        let mut before = Separator::None;
        for item in &parts.items {
            // The whole fits on one line, so no part is broken.
            match &item.doc {
                Doc::Atom { range, width } => self.piece(*range, *width, before),
                Doc::Tight(parts) => self.tight(parts, before, 0),
                Doc::Group(group) => {
                    self.piece(group.open, 1, before);
                    self.flat(&group.parts, Separator::Space);
                    self.piece(group.close, 1, Separator::None);
                }
            }
            before = between;
        }
    }

    fn tight(&mut self, parts: &Parts, before: Separator, after: usize) {
        let mut before = before;
        let mut indent = None;
        for item in &parts.items {
            let indent_here = indent.unwrap_or(self.column);
            self.item(item, Some(before), indent_here, after);
            indent.get_or_insert(self.column);
            before = Separator::None;
        }
    }

    /// Lays out a group on several lines; returns the column for comments before the closing bracket.
    fn broken(&mut self, group: &Group, after: usize) -> usize {
        let start = self.column - 1;
        let items = &group.parts.items;
        let after = |index: usize| if index + 1 == items.len() { after } else { 0 };
        let Some((head, rest)) = items.split_first() else {
            return start + 1;
        };
        self.item(head, Some(Separator::None), start + 1, after(0));
        match Style::of(group) {
            Style::Column => {
                for (index, item) in (1..).zip(rest) {
                    self.item(item, None, start + 1, after(index));
                }
                start + 1
            }
            Style::Bindings => {
                let column = self.column + 1;
                for (index, item) in (1..).zip(rest) {
                    if index + 1 == items.len() {
                        self.item(item, None, start + 2, after(index));
                    } else if index % 2 == 1 {
                        let first = (index == 1).then_some(Separator::Space);
                        self.item(item, first, column, after(index));
                    } else {
                        let narrow = self.column + 1 + item.doc.narrow() + after(index);
                        let stays = item.breaks == 0 && narrow <= LINE_WIDTH;
                        self.item(item, stays.then_some(Separator::Space), column + 2, after(index));
                    }
                }
                start + 2
            }
            Style::Body { first, apart } => {
                for (index, item) in (1..).zip(rest) {
                    if index >= first {
                        self.item(item, None, start + 2, after(index));
                    } else {
                        let narrow = self.column + 1 + item.doc.narrow() + after(index);
                        let stays = item.breaks == 0 && narrow <= LINE_WIDTH;
                        let same_line = stays.then_some(Separator::Space);
                        self.item(item, same_line, start + apart, after(index));
                    }
                }
                start + 2
            }
            Style::Call => {
                let column = self.column + 1;
                let aligned = self.aligned(rest, column, start + 2, after(rest.len()));
                let indent = if aligned { column } else { start + 2 };
                for (index, item) in (1..).zip(rest) {
                    let same_line = (aligned && index == 1).then_some(Separator::Space);
                    self.item(item, same_line, indent, after(index));
                }
                indent
            }
        }
    }

    /// Whether the arguments of a call are at `column`, after the head, rather than at `hanging`.
    fn aligned(&self, args: &[Item], column: usize, hanging: usize, after: usize) -> bool {
        let Some(first) = args.first() else {
            return false;
        };
        if first.breaks > 0 || !first.comments.is_empty() {
            return false;
        }
        let after = |index: usize| if index + 1 == args.len() { after } else { 0 };
        let all = |fits: &dyn Fn(usize, &Item) -> bool| args.iter().enumerate().all(|(index, item)| fits(index, item));
        let flat_at = |column: usize| {
            all(&|index, item| item.doc.flat().is_some_and(|width| column + width + after(index) <= LINE_WIDTH))
        };
        flat_at(column)
            || (!flat_at(hanging) && all(&|index, item| column + item.doc.narrow() + after(index) <= LINE_WIDTH))
    }

    fn close(&mut self, group: &Group, indent: usize) {
        self.comments(&group.tail, indent);
        let before = if group.tail.is_empty() { Separator::None } else { Separator::Newline { blank: false, indent } };
        self.piece(group.close, 1, before);
    }
}
