//! Kinds of failures at run time, and how a front end words them.

use std::sync::Arc;

/// The kinds of failures that error codes distinguish.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// An index out of range.
    Index,
    DivisionByZero,
    /// A meaningless argument, such as a negative length.
    Argument,
    /// A checked cast.
    Cast,
    /// A false assumption about lengths.
    Assumption,
}

impl Kind {
    /// The name in machine-readable output.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Index => "index",
            Kind::DivisionByZero => "divisionByZero",
            Kind::Argument => "argument",
            Kind::Cast => "cast",
            Kind::Assumption => "assumption",
        }
    }
}

/// The message of a failure of one kind at one expression, in the terms of the language that the expression comes from.
/// `{0}` and `{1}` are the two numbers of the failure: of a cast, the lengths of the value and of the type; of an index, the
/// index and the length. `{0+1}` is one more than the first.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Wording {
    pub kind: Kind,
    pub template: Arc<str>,
}

impl Wording {
    pub fn new(kind: Kind, template: impl Into<Arc<str>>) -> Arc<Wording> {
        Arc::new(Wording { kind, template: template.into() })
    }
}
