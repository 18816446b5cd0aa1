//! Offsets to positions and back, as the Language Server Protocol counts them.
//!
//! A line ends at `\n`, `\r\n`, or a lone `\r`; its last position is before that. Columns are
//! UTF-8 bytes, UTF-16 units or characters. Positions come from editors, whose text may differ
//! from ours for a moment: a position that does not exist means the nearest one before it.

use line_index::{LineCol, WideEncoding, WideLineCol};

use crate::{TextRange, TextSize};

/// The unit of columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ColumnEncoding {
    Utf8,
    #[default]
    Utf16,
    Utf32,
}

/// A place between two characters. Both numbers start at zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Position {
    pub line: u32,
    pub column: u32,
}

/// Where the lines of one text are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineIndex {
    lines: line_index::LineIndex,
    /// The lines that end with `\r\n`, in order.
    crlf: Vec<u32>,
    /// The line on which the text ends; the only one without a line break.
    last: u32,
}

impl LineIndex {
    /// The index of a text below 4 GiB.
    pub fn new(text: &str) -> LineIndex {
        // The library knows `\n` only. A lone `\r` has the same length, so positions stay right.
        let lines = match with_line_feeds(text) {
            Some(text) => line_index::LineIndex::new(&text),
            None => line_index::LineIndex::new(text),
        };
        let line_of = |offset: TextSize| lines.try_line_col(offset).map_or(0, |at| at.line);
        let crlf = text.match_indices("\r\n").map(|(at, _)| line_of(TextSize::new(at as u32))).collect();
        let last = line_of(lines.len());
        LineIndex { lines, crlf, last }
    }

    /// How many lines there are: one more than line breaks.
    pub fn line_count(&self) -> u32 {
        self.last + 1
    }

    /// What stands on a line, without its line break. A line past the last is empty, at the end.
    pub fn line(&self, line: u32) -> TextRange {
        let Some(range) = self.lines.line(line).filter(|_| line <= self.last) else {
            return TextRange::empty(self.lines.len());
        };
        let line_break = match () {
            _ if line == self.last => 0,
            _ if self.crlf.binary_search(&line).is_ok() => 2,
            _ => 1,
        };
        TextRange::new(range.start(), range.end() - TextSize::new(line_break))
    }

    /// The position of an offset. One past the end means the end; one inside of a character or
    /// between `\r` and `\n` means the place before it.
    pub fn position(&self, offset: TextSize, encoding: ColumnEncoding) -> Position {
        let at = self.line_col(offset.min(self.lines.len()));
        let column = match wide(encoding) {
            None => at.col,
            Some(encoding) => self.lines.to_wide(encoding, at).map_or(at.col, |at| at.col),
        };
        Position { line: at.line, column }
    }

    /// The offset of a position. A column past the end of its line means the end of that line, a
    /// line past the last one the end of the text, and a column inside of a character (between the
    /// two halves of a surrogate pair, say) the start of that character.
    pub fn offset(&self, position: Position, encoding: ColumnEncoding) -> TextSize {
        let Position { line, column } = position;
        if line > self.last {
            return self.lines.len();
        }
        let content = self.line(line);
        let column = match wide(encoding) {
            None => column,
            Some(encoding) => {
                let at = WideLineCol { line, col: column };
                self.lines.to_utf8(encoding, at).map_or(u32::MAX, |at| at.col)
            }
        };
        let column = column.min(content.len().into());
        let at = self.line_col(content.start() + TextSize::new(column));
        self.lines.offset(at).unwrap_or(content.start())
    }

    /// The range between two positions, in either order.
    pub fn range(&self, start: Position, end: Position, encoding: ColumnEncoding) -> TextRange {
        let (start, end) = (self.offset(start, encoding), self.offset(end, encoding));
        TextRange::new(start.min(end), end.max(start))
    }

    /// The positions of both ends of a range.
    pub fn positions(&self, range: TextRange, encoding: ColumnEncoding) -> (Position, Position) {
        (self.position(range.start(), encoding), self.position(range.end(), encoding))
    }

    /// Line and UTF-8 column of an offset inside of the text, moved back to a place that exists.
    fn line_col(&self, mut offset: TextSize) -> LineCol {
        let mut at = loop {
            if let Some(at) = self.lines.try_line_col(offset) {
                break at;
            }
            // inside of a character: at most three steps
            match offset.checked_sub(TextSize::new(1)) {
                Some(before) => offset = before,
                None => return LineCol { line: 0, col: 0 },
            }
        };
        at.col = at.col.min(self.line(at.line).len().into());
        at
    }
}

fn wide(encoding: ColumnEncoding) -> Option<WideEncoding> {
    match encoding {
        ColumnEncoding::Utf8 => None,
        ColumnEncoding::Utf16 => Some(WideEncoding::Utf16),
        ColumnEncoding::Utf32 => Some(WideEncoding::Utf32),
    }
}

/// The text with each lone `\r` as `\n`, if there is one.
fn with_line_feeds(text: &str) -> Option<String> {
    let lone = text.matches('\r').count() > text.matches("\r\n").count();
    lone.then(|| {
        let mut chars = text.chars().peekable();
        let mut out = String::with_capacity(text.len());
        while let Some(c) = chars.next() {
            out.push(if c == '\r' && chars.peek() != Some(&'\n') { '\n' } else { c });
        }
        out
    })
}
