//! A whole file: its forms, parsed one by one.

use crate::error::SyntaxError;
use crate::parser::parse_form;
use crate::split::{RawForm, split};
use crate::tree::Parse;

/// The forms of a file, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedFile {
    pub forms: Vec<ParsedForm>,
}

/// A form, its range in the file, and its tree. Ranges in the tree are relative to the form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedForm {
    pub raw: RawForm,
    pub parse: Parse,
}

/// Splits a file and parses each form. For tools that read a file once; to follow edits, call [`split`] and
/// [`parse_form`] and parse only the forms that changed.
pub fn parse_file(text: &str) -> ParsedFile {
    let forms = split(text).into_iter().map(|raw| ParsedForm { parse: parse_form(&text[raw.range]), raw }).collect();
    ParsedFile { forms }
}

impl ParsedFile {
    /// Returns all errors, with ranges in the file.
    pub fn errors(&self) -> impl Iterator<Item = SyntaxError> + '_ {
        self.forms
            .iter()
            .flat_map(|form| form.parse.errors.iter().map(|error| error.clone().shifted(form.raw.range.start())))
    }
}
