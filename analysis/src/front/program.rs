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
    /// Known before the run.
    Text(String),
    /// The next component of the kernel's result.
    Value,
}

impl Output {
    pub fn text(&self) -> Option<&str> {
        match self {
            Output::Text(text) => Some(text),
            Output::Value => None,
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
