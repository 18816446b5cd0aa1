//! Matching of brackets, including mismatched ones.
//!
//! Splitter and parser share this module, so that they agree on where a form ends.
//!
//! The rule: a closer closes the innermost open bracket of its shape, and the brackets inside that one count as
//! unclosed. If none of its shape is open, it closes the innermost open bracket, as a misspelt closer.

use crate::kind::SyntaxKind::{self, *};

/// The open brackets, innermost last, each with a tag of the caller.
#[derive(Debug, Default)]
pub(crate) struct OpenBrackets<T> {
    open: Vec<(SyntaxKind, T)>,
    parens: usize,
}

/// The effect of a closing bracket.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Closing<T> {
    /// No bracket is open.
    Stray,
    Closes {
        opener: T,
        /// Whether the two brackets have different shapes.
        mismatched: bool,
        /// Unclosed brackets inside this one, innermost first.
        unclosed: Vec<T>,
    },
}

impl<T> OpenBrackets<T> {
    pub fn new() -> Self {
        OpenBrackets { open: Vec::new(), parens: 0 }
    }

    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    pub fn clear(&mut self) {
        self.open.clear();
        self.parens = 0;
    }

    pub fn open(&mut self, kind: SyntaxKind, tag: T) {
        self.open.push((kind, tag));
        self.parens += usize::from(kind == L_PAREN);
    }

    pub fn close(&mut self, kind: SyntaxKind) -> Closing<T> {
        let wanted = kind.partner();
        let of_its_shape = match wanted {
            L_PAREN => self.parens,
            _ => self.open.len() - self.parens,
        };
        let mut unclosed = Vec::new();
        while let Some((kind, tag)) = self.open.pop() {
            self.parens -= usize::from(kind == L_PAREN);
            if kind == wanted || of_its_shape == 0 {
                return Closing::Closes { opener: tag, mismatched: kind != wanted, unclosed };
            }
            unclosed.push(tag);
        }
        Closing::Stray
    }

    /// Returns the tags of the brackets that are still open, innermost first.
    pub fn finish(self) -> Vec<T> {
        self.open.into_iter().rev().map(|(_, tag)| tag).collect()
    }
}
