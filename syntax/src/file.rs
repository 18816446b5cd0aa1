//! A whole file: its forms, each parsed for itself.

use crate::error::SyntaxError;
use crate::parser::parse_form;
use crate::split::{RawForm, split};
use crate::tree::Parse;

/// The forms of a file in their order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedFile {
    pub forms: Vec<ParsedForm>,
}

/// A form, where it lies in the file, and its tree. Positions in the tree are relative to the form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedForm {
    pub raw: RawForm,
    pub parse: Parse,
}

/// Splits a file and parses each of its forms. For tools that look at a file once; what keeps up
/// with edits calls [`split`] and [`parse_form`] itself, so as to parse only what changed.
pub fn parse_file(text: &str) -> ParsedFile {
    let forms = split(text).into_iter().map(|raw| ParsedForm { parse: parse_form(&text[raw.range]), raw }).collect();
    ParsedFile { forms }
}

impl ParsedFile {
    /// All errors, at their places in the file.
    pub fn errors(&self) -> impl Iterator<Item = SyntaxError> + '_ {
        self.forms
            .iter()
            .flat_map(|form| form.parse.errors.iter().map(|error| error.clone().shifted(form.raw.range.start())))
    }
}
