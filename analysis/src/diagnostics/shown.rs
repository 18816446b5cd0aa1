//! Types in messages, truncated: very long types are unreadable and slow to print.

use crate::ty::Ty;
use std::fmt::{self, Display, Write};

/// Maximum number of characters of one type in a message; the rest is cut off.
const LONGEST: usize = 1000;

/// A type as messages print it.
pub struct Shown<'a>(pub &'a Ty);

impl Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut cut = Cut { to: f, left: LONGEST, full: false };
        match write!(cut, "{}", self.0) {
            Err(fmt::Error) if cut.full => f.write_char('…'),
            written => written,
        }
    }
}

/// Fails a write that exceeds the remaining characters.
struct Cut<'a, 'f> {
    to: &'a mut fmt::Formatter<'f>,
    left: usize,
    full: bool,
}

impl Write for Cut<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        match text.char_indices().nth(self.left) {
            None => {
                self.left -= text.chars().count();
                self.to.write_str(text)
            }
            Some((end, _)) => {
                self.full = true;
                self.to.write_str(&text[..end])?;
                Err(fmt::Error)
            }
        }
    }
}
