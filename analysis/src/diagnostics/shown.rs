//! Types in messages: nobody reads one of many lines, and to write it takes long where there are many mistakes.

use crate::ty::Ty;
use std::fmt::{self, Display, Write};

/// Characters of one type in a message; what is behind them is left out.
const LONGEST: usize = 1000;

/// The type as messages have it.
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

/// Stops whoever writes more than is left.
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
