//! The result of a front end.

use super::build::{Parameter, kernel};
use super::term::{Bound, Term};
use crate::hir::{Body, FormKind, SourceMap};
use lift_syntax::{Language, SyntaxError, SyntaxErrorCode, TextRange};
use std::sync::Arc;

/// Limit on nested terms, for recursive passes over them.
const MOST_DEEP: usize = 400;

/// A translated program, for later stages and for the editor.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Translated {
    pub body: Body,
    pub map: SourceMap,
    pub errors: Vec<SyntaxError>,
    /// Types of ranges of the text.
    pub types: Vec<(TextRange, String)>,
    /// Lengths known only at run time: name, origin, description.
    pub hidden: Vec<(String, TextRange, &'static str)>,
    /// The printed values, in order.
    pub outputs: Vec<Output>,
    /// The files from which the inputs are read, in the folder of the program.
    pub sources: Vec<Arc<str>>,
}

/// A printed value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Output {
    /// Known before the run: one character, or an array.
    Text { text: String, array: bool },
    /// The next component of the kernel's result.
    Value,
    /// The next component, whose integers are code points.
    Characters,
    /// The next component, an array of arrays of different lengths.
    Rows { characters: bool },
    /// Arrays side by side.
    Strand(Vec<Output>),
    /// The rows of a matrix of arrays, one after the other.
    Grid { columns: usize, parts: Vec<Output> },
    /// Parts of one line.
    Line(Vec<Output>),
    /// The next component, with a fixed number of decimals.
    Fixed(Fixed),
}

/// Numbers with a fixed number of decimals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fixed {
    /// The characters of each number; 0 for as many as each column needs after a blank.
    pub width: usize,
    pub decimals: usize,
}

impl Output {
    /// The number of components of the kernel's result that are printed.
    pub fn values(&self) -> usize {
        match self {
            Output::Text { .. } => 0,
            Output::Value | Output::Characters | Output::Rows { .. } | Output::Fixed(_) => 1,
            Output::Strand(parts) | Output::Line(parts) | Output::Grid { parts, .. } => {
                parts.iter().map(Output::values).sum()
            }
        }
    }
}

/// The printed values of a program, and its language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Printed {
    pub language: Language,
    pub outputs: Vec<Output>,
}

impl Translated {
    /// Builds the body from `result` unless there are errors. `name` is the range to show as the program's name.
    pub fn set_body(
        &mut self,
        sizes: &[Bound],
        parameters: &[Parameter],
        result: Option<Term>,
        name: TextRange,
        too_long: SyntaxErrorCode,
    ) {
        let wrong = self.errors.iter().any(|error| !error.code.is_warning());
        (self.body, self.map) = match result {
            Some(result) if result.depth() > MOST_DEEP => {
                let message = "the program is too long: too many arrays are computed one after the other".to_owned();
                self.errors.push(SyntaxError { code: too_long, range: name, message, related: None, fix: None });
                empty(name)
            }
            Some(result) if !wrong => kernel(sizes, parameters, &result, name),
            // The errors have been reported.
            _ => empty(name),
        };
    }
}

fn empty(name: TextRange) -> (Body, SourceMap) {
    (Body { kind: FormKind::Kernel, ..Body::default() }, SourceMap { form_name: name, ..SourceMap::default() })
}
