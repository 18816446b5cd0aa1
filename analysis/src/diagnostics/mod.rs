//! Diagnostics as values: what is wrong, where, where its causes are, and how to mend it.
//!
//! A diagnostic of a form names nodes, not positions; [`crate::ide`] turns nodes into ranges at the last step.
//!
//! | module | job |
//! |---|---|
//! | [`codes`] | the kinds, each with its name, level and page |
//! | [`lengths`] | where lengths come from, why they differ |
//! | [`problem`] | what is wrong, as a value |
//! | [`shown`] | types in messages |
//! | [`words`] | from a problem to its message |

pub mod codes;
pub mod lengths;
pub mod problem;
pub mod shown;
pub mod words;

pub use codes::Code;
pub use lengths::{Difference, LengthSource, LengthsOf, Provenance};
pub use problem::Problem;

use crate::node::{Name, Node};
use crate::size::Size;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    Error,
    Warning,
    /// Something worth knowing, e.g. a check that is left to the run.
    Information,
}

/// A place that a diagnostic points at besides its own.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Place {
    /// In the same form.
    Here(Node),
    /// Another form of the program, by name: its defining name is the place.
    Definition(Name),
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Related {
    pub place: Place,
    pub message: String,
}

/// One replacement in the text of the form.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Edit {
    /// The whole text of the node becomes this.
    Replace(Node, String),
    InsertBefore(Node, String),
    InsertAfter(Node, String),
    /// `before`, the text of the node `of`, then `after`, inserted before the node `at`.
    CopyBefore {
        at: Node,
        before: String,
        of: Node,
        after: String,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Fix {
    /// Imperative, e.g. "Write `2.0f`".
    pub title: String,
    pub edits: Vec<Edit>,
    /// Whether the mend is certain enough to be applied without asking.
    pub certain: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Diagnostic {
    pub code: Code,
    pub severity: Severity,
    pub at: Node,
    /// One or two sentences; code and types between backticks.
    pub message: String,
    pub related: Vec<Related>,
    pub fixes: Vec<Fix>,
    /// The lengths that would have to be equal, if that is what is wrong.
    pub obligation: Option<Box<Obligation>>,
}

/// Two lengths that had to be equal and cannot be shown to be; each with where it comes from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Obligation {
    pub left: (Size, Option<Node>),
    pub right: (Size, Option<Node>),
}

impl Diagnostic {
    pub fn new(at: Node, problem: &Problem) -> Diagnostic {
        let code = problem.code();
        Diagnostic {
            code,
            severity: problem.severity(),
            at,
            message: problem.to_string(),
            related: Vec::new(),
            fixes: Vec::new(),
            obligation: None,
        }
    }
    pub fn related(mut self, at: Node, message: impl Into<String>) -> Diagnostic {
        self.related.push(Related { place: Place::Here(at), message: message.into() });
        self
    }
    pub fn fix(mut self, fix: Fix) -> Diagnostic {
        self.fixes.push(fix);
        self
    }
}
