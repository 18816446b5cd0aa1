//! Errors of a front end's evaluation.

use lift_syntax::{SyntaxError, SyntaxErrorCode, TextRange};

#[derive(Debug)]
pub enum Failure {
    Error(Box<SyntaxError>),
    /// An error that has been reported.
    Reported,
}

pub type Res<T> = Result<T, Failure>;

/// Fails with an error at a range.
pub fn fail<T>(code: SyntaxErrorCode, range: TextRange, message: impl Into<String>) -> Res<T> {
    fail_with(code, range, message, None)
}

pub fn fail_with<T>(
    code: SyntaxErrorCode,
    range: TextRange,
    message: impl Into<String>,
    related: Option<(TextRange, String)>,
) -> Res<T> {
    Err(Failure::Error(Box::new(SyntaxError { code, range, message: message.into(), related, fix: None })))
}
