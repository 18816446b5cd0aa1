//! CSV files: the cells of each line for [`lift_codegen::io::table`].

use csv::{ReaderBuilder, StringRecord, Trim};
use lift_analysis::ty::Ty;
use lift_codegen::io::table::{self, TableReader};
use lift_codegen::value::Value;

/// Reads a text as a value of type `ty`. An error is a message for the user.
pub fn read(text: &str, ty: &Ty) -> Result<Value, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut table = TableReader::new(ty).map_err(|e| e.message)?;
    // All records come as they are: which is a header, and how long they are, is the table's to judge.
    let mut reader =
        ReaderBuilder::new().has_headers(false).flexible(true).trim(Trim::All).from_reader(text.as_bytes());
    let mut lines = Lines { text: text.as_bytes(), at: 0, line: 1 };
    let mut record = StringRecord::new();
    loop {
        let start = usize::try_from(reader.position().byte()).unwrap_or(usize::MAX);
        let empty = lines.skip_to(start);
        for i in (1..=empty).rev() {
            table.row(lines.line - i, &[]).map_err(|e| e.message)?;
        }
        if !reader.read_record(&mut record).map_err(|e| e.to_string())? {
            return table.finish().map_err(|e| e.message);
        }
        let cells: Vec<&str> = record.iter().collect();
        table.row(lines.line, &cells).map_err(|e| e.message)?;
    }
}

/// Counts lines, also the empty ones, which the library leaves out.
struct Lines<'t> {
    text: &'t [u8],
    at: usize,
    /// Line of the offset `at`, from 1.
    line: usize,
}

impl Lines<'_> {
    /// Moves to the record that follows the offset `start`, at which a record ended; returns the number of empty lines
    /// before it.
    fn skip_to(&mut self, start: usize) -> usize {
        while self.at < start && self.at < self.text.len() {
            self.line += self.step();
        }
        let mut empty = 0;
        while matches!(self.text.get(self.at), Some(b'\n' | b'\r')) {
            let lines = self.step();
            self.line += lines;
            empty += lines;
        }
        empty
    }

    /// Moves past the next byte, or past a whole end of line; returns the number of ended lines.
    fn step(&mut self) -> usize {
        let bytes = match &self.text[self.at..] {
            [b'\r', b'\n', ..] => 2,
            _ => 1,
        };
        let ended = matches!(self.text[self.at], b'\n' | b'\r');
        self.at += bytes;
        ended.into()
    }
}

/// Writes a value of type `ty` as a text. An error is a message for the user.
pub fn encode(value: &Value, ty: &Ty) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    table::write(&mut out, ty, value).map_err(|e| e.to_string())?.map_err(|e| e.message)?;
    Ok(out)
}
