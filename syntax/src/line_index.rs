//! Converts offsets to positions and back, as defined by the Language Server Protocol.
//!
//! A line ends at `\n`, `\r\n`, or a lone `\r`; its last position is before that. Columns are UTF-8 bytes, UTF-16 units
//! or characters. Positions come from editors, whose text may briefly differ from ours, so an invalid position means
//! the nearest valid one before it.

use crate::{TextRange, TextSize};

/// The unit of columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ColumnEncoding {
    Utf8,
    #[default]
    Utf16,
    Utf32,
}

/// A boundary between two characters. Line and column start at zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Position {
    pub line: u32,
    pub column: u32,
}

/// The lines of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineIndex {
    /// Never empty.
    lines: Vec<Line>,
    /// The characters of more than one byte, in order.
    wide: Vec<Wide>,
    len: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Line {
    start: u32,
    /// Excludes the line break.
    end: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Wide {
    at: u32,
    utf8: u8,
    utf16: u8,
}

impl Wide {
    fn units(self, encoding: ColumnEncoding) -> u32 {
        match encoding {
            ColumnEncoding::Utf8 => self.utf8.into(),
            ColumnEncoding::Utf16 => self.utf16.into(),
            ColumnEncoding::Utf32 => 1,
        }
    }

    fn end(self) -> u32 {
        self.at + u32::from(self.utf8)
    }
}

impl LineIndex {
    /// Builds the index of a text below 4 GiB.
    pub fn new(text: &str) -> LineIndex {
        let mut index = LineIndex { lines: Vec::new(), wide: Vec::new(), len: text.len() as u32 };
        let start = index.scan(text, 0);
        index.lines.push(Line { start, end: index.len });
        index
    }

    /// Updates the index after `range` was replaced by `inserted` bytes, which gave `text`; reads only the adjacent
    /// lines.
    pub fn edited(&self, range: TextRange, inserted: TextSize, text: &str) -> LineIndex {
        let (from, to) = (u32::from(range.start()).min(self.len), u32::from(range.end()).min(self.len));
        // A line break can appear or disappear from one character before the range to one after it.
        let first = self.line_at(from).saturating_sub(1);
        let behind = self.line_at(to) + 2;
        let moved = |at: u32| at - to + from + u32::from(inserted);
        let start = self.lines[first].start;
        let old_end = self.lines.get(behind).map_or(self.len, |line| line.start);
        let end = moved(old_end);
        let mut index = LineIndex {
            lines: Vec::with_capacity(self.lines.len() + 8),
            wide: Vec::with_capacity(self.wide.len()),
            len: moved(self.len),
        };
        index.lines.extend_from_slice(&self.lines[..first]);
        index.wide.extend_from_slice(&self.wide[..self.wide.partition_point(|wide| wide.at < start)]);
        let last = index.scan(&text[start as usize..end as usize], start);
        match self.lines.get(behind..).filter(|rest| !rest.is_empty()) {
            Some(rest) => {
                index.lines.extend(rest.iter().map(|line| Line { start: moved(line.start), end: moved(line.end) }));
            }
            None => index.lines.push(Line { start: last, end: index.len }),
        }
        let rest = &self.wide[self.wide.partition_point(|wide| wide.at < old_end)..];
        index.wide.extend(rest.iter().map(|wide| Wide { at: moved(wide.at), ..*wide }));
        index
    }

    /// Adds the lines and wide characters of a slice that starts a line at `at`; returns the start of its last line,
    /// which is not added.
    fn scan(&mut self, text: &str, at: u32) -> u32 {
        let bytes = text.as_bytes();
        let mut start = at;
        let mut place = 0;
        while let Some(&byte) = bytes.get(place) {
            let here = at + place as u32;
            let width = match byte {
                b'\r' if bytes.get(place + 1) == Some(&b'\n') => 2,
                0..=0x7f => 1,
                0x80..=0xdf => 2,
                0xe0..=0xef => 3,
                0xf0.. => 4,
            };
            if byte >= 0x80 {
                self.wide.push(Wide { at: here, utf8: width, utf16: if width == 4 { 2 } else { 1 } });
            } else if matches!(byte, b'\n' | b'\r') {
                self.lines.push(Line { start, end: here });
                start = here + u32::from(width);
            }
            place += usize::from(width);
        }
        start
    }

    /// Returns the number of lines: one more than line breaks.
    pub fn line_count(&self) -> u32 {
        self.lines.len() as u32
    }

    /// Returns the range of a line without its line break. A line past the last is empty, at the end of the text.
    pub fn line(&self, line: u32) -> TextRange {
        match self.lines.get(line as usize) {
            Some(line) => TextRange::new(line.start.into(), line.end.into()),
            None => TextRange::empty(self.len.into()),
        }
    }

    /// Converts an offset to a position. An offset past the end means the end; one inside a character or between `\r`
    /// and `\n` means the boundary before it.
    pub fn position(&self, offset: TextSize, encoding: ColumnEncoding) -> Position {
        let offset = u32::from(offset).min(self.len);
        let line = self.line_at(offset);
        let Line { start, end } = self.lines[line];
        let at = self.boundary(offset.min(end));
        let more: u32 = self.wide_in(start, at).iter().map(|w| u32::from(w.utf8) - w.units(encoding)).sum();
        Position { line: line as u32, column: at - start - more }
    }

    /// Converts a position to an offset. A column past the end of its line means the end of that line, a line past the
    /// last one means the end of the text, and a column inside a character (between the halves of a surrogate pair,
    /// say) means its start.
    pub fn offset(&self, position: Position, encoding: ColumnEncoding) -> TextSize {
        let Some(&Line { start, end }) = self.lines.get(position.line as usize) else { return self.len.into() };
        // The current offset, and the columns still to go from there.
        let (mut at, mut left) = (start, position.column);
        for wide in self.wide_in(start, end) {
            let plain = wide.at - at;
            if left <= plain {
                break;
            }
            if left - plain < wide.units(encoding) {
                return wide.at.into();
            }
            (at, left) = (wide.end(), left - plain - wide.units(encoding));
        }
        at.saturating_add(left).min(end).into()
    }

    /// Returns the range between two positions, given in either order.
    pub fn range(&self, start: Position, end: Position, encoding: ColumnEncoding) -> TextRange {
        let (start, end) = (self.offset(start, encoding), self.offset(end, encoding));
        TextRange::new(start.min(end), end.max(start))
    }

    /// Returns the positions of both ends of a range.
    pub fn positions(&self, range: TextRange, encoding: ColumnEncoding) -> (Position, Position) {
        (self.position(range.start(), encoding), self.position(range.end(), encoding))
    }

    /// Returns the line of an offset; the offset after a line break is on the next line.
    fn line_at(&self, offset: u32) -> usize {
        self.lines.partition_point(|line| line.start <= offset).saturating_sub(1)
    }

    /// Moves an offset inside a character to the start of that character.
    fn boundary(&self, offset: u32) -> u32 {
        let before = self.wide.partition_point(|wide| wide.at < offset).checked_sub(1).map(|index| self.wide[index]);
        before.filter(|wide| offset < wide.end()).map_or(offset, |wide| wide.at)
    }

    /// Returns the wide characters that start in a range.
    fn wide_in(&self, start: u32, end: u32) -> &[Wide] {
        let from = self.wide.partition_point(|wide| wide.at < start);
        let to = self.wide.partition_point(|wide| wide.at < end);
        &self.wide[from..to]
    }
}
