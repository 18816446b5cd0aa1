//! Diagnostics as data: the problem, its range, related ranges, and quick fixes.
//!
//! A diagnostic of a form refers to nodes; [`crate::ide`] turns nodes into source ranges at the end.
//!
//! | module | job |
//! |---|---|
//! | [`codes`] | the kinds, each with name, level and page |
//! | [`lengths`] | sources of lengths, reasons why they differ |
//! | [`problem`] | problems as data |
//! | [`shown`] | types in messages |
//! | [`words`] | turns a problem into its message |
//! | [`notes`] | messages at related places, and guesses at what was meant |
//! | [`titles`] | titles of quick fixes |

pub mod codes;
pub mod lengths;
pub mod notes;
pub mod problem;
pub mod shown;
pub mod titles;
pub mod words;

pub use codes::Code;
pub use lengths::{Difference, LengthSource, LengthsOf, Provenance};
pub use notes::Note;
pub use problem::Problem;
pub use titles::Title;

use crate::node::{Name, Node};
use crate::size::Size;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    Error,
    Warning,
    /// A useful note, e.g. that a check remains at run time.
    Information,
}

/// A related place of a diagnostic.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Place {
    /// In the same form.
    Here(Node),
    /// The defining name of another form of the program.
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
    /// Replaces the whole text of the node.
    Replace(Node, String),
    InsertBefore(Node, String),
    InsertAfter(Node, String),
    /// Inserts, before the node `at`: `before`, the text of the node `of`, and `after`.
    CopyBefore {
        at: Node,
        before: String,
        of: Node,
        after: String,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Fix {
    /// An imperative, e.g. "Write `2.0f`".
    pub title: String,
    pub edits: Vec<Edit>,
    /// Whether the fix is certain enough to be applied without asking.
    pub certain: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Diagnostic {
    pub code: Code,
    pub severity: Severity,
    pub at: Node,
    /// One or two sentences; code and types in backticks.
    pub message: String,
    pub related: Vec<Related>,
    pub fixes: Vec<Fix>,
    /// The lengths that must be equal, for a length mismatch.
    pub obligation: Option<Box<Obligation>>,
}

/// A length mismatch: two lengths that must be equal but are not provably so, each with its source.
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
    pub fn related(self, at: Node, note: &Note) -> Diagnostic {
        self.related_at(Place::Here(at), note)
    }
    pub fn related_at(mut self, place: Place, note: &Note) -> Diagnostic {
        self.related.push(Related { place, message: note.to_string() });
        self
    }
    /// Adds a guess at what was meant to the message.
    pub fn guess(mut self, guess: &notes::Guess) -> Diagnostic {
        self.message.push_str(&format!("; {guess}"));
        self
    }
    pub fn fix(mut self, fix: Fix) -> Diagnostic {
        self.fixes.push(fix);
        self
    }
}
