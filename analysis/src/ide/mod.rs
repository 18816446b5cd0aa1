//! The editor features as plain data: byte offsets, labels, text edits. No protocol, no file system.
//!
//! [`AnalysisHost`] is the one writable owner of the state; [`Analysis`] is a snapshot of it for one job on one thread
//! and must not outlive that job (a live snapshot blocks the next edit). Every method of it takes the path of a file that
//! the host was given; for any other path the answer is empty.
//!
//! Map: `host` the two structs and cancellation · `digest` what is kept of all forms of a file · `locate` positions to
//! nodes · one module a feature: `diagnostics`, `hover`, `hints`, `navigation`, `actions` (with `explicit`, which
//! writes packs and unpacks out), `outline` · `completion` what could be typed · `signature_help` · `semantic` colours
//! · `anchor` places that move with the text · `structure` folding, selections, links · `rename` · `importing` definitions of other files · `typing` what follows
//! a typed character · `call_hierarchy`, with the definitions of types · `scope` local names in sight ·
//! [`explain`] the pages of the error codes.

pub mod actions;
mod anchor;
pub mod call_hierarchy;
pub mod completion;
mod diagnostics;
mod digest;
pub mod explain;
mod explicit;
mod hints;
mod host;
mod hover;
mod importing;
mod locate;
mod navigation;
mod outline;
mod rename;
mod scope;
pub mod semantic;
pub mod signature_help;
pub mod structure;
#[cfg(test)]
mod tests;
pub mod typing;

pub use actions::{EXPLICIT_FILE, EXPLICIT_FORM, EXPLICIT_HERE, IMPLICIT, QUICK_FIX};
pub use anchor::Anchor;
pub use diagnostics::{explicit_file_diagnostics, file_diagnostics};
pub use host::{Analysis, AnalysisHost};
pub use outline::file_stem;

use crate::diagnostics::{Code, Severity};
use lift_syntax::{TextRange, TextSize};

/// A range of a file of the program, by the path under which the host was given it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FileRange {
    pub path: std::sync::Arc<str>,
    pub range: TextRange,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextEdit {
    pub range: TextRange,
    pub new_text: String,
}

/// Edits of one file each, sorted and disjoint.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SourceChange {
    pub files: Vec<(std::sync::Arc<str>, Vec<TextEdit>)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelatedPlace {
    pub at: FileRange,
    pub message: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeFix {
    pub title: String,
    pub certain: bool,
    pub change: SourceChange,
}

/// A diagnostic with its places resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileDiagnostic {
    pub range: TextRange,
    pub code: Code,
    pub severity: Severity,
    pub message: String,
    pub related: Vec<RelatedPlace>,
    pub fixes: Vec<CodeFix>,
    /// Shown faded: an unused name.
    pub unnecessary: bool,
    /// The lengths that would have to be equal, as they are shown beside the code: `✗ X1 = X2`.
    pub obligation: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hover {
    pub range: TextRange,
    /// The first line is the type, in a `lift` code fence.
    pub markdown: String,
    /// The same for clients that take plain text only; the first line is the type.
    pub plain: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HintKind {
    /// `unpack X1`, `pack`
    PackUnpack,
    /// `: Array[Float,X1]` after a `let` or lambda name
    Type,
    /// a check that is left to the run
    RuntimeCheck,
    /// `✗ X1 = X2`: lengths that would have to be equal
    Obligation,
    /// `i =>` before the parameter of a function that is checked for every position of an array
    Position,
    /// `Glb0` after the name of what the compiler places; made by the compiler
    Placement,
    /// `global 4*N bytes` after what is stored; made by the compiler
    Memory,
    /// `: Int` after a number whose type nothing decides
    Default,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HintPart {
    pub text: String,
    /// Where a click on this part goes.
    pub target: Option<FileRange>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InlayHint {
    pub offset: TextSize,
    pub kind: HintKind,
    pub parts: Vec<HintPart>,
    pub padding_left: bool,
    pub padding_right: bool,
    /// One sentence.
    pub tooltip: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NavTarget {
    pub file: FileRange,
    /// The name inside the range.
    pub focus: TextRange,
}

/// A use of a name in one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Highlight {
    pub range: TextRange,
    /// Where the name is bound.
    pub binds: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeAction {
    pub title: String,
    /// A dotted kind of the protocol, e.g. `quickfix`, `refactor.rewrite.lift.explicit.here`.
    pub kind: &'static str,
    pub change: SourceChange,
    pub preferred: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SymbolKind {
    Function,
    Kernel,
    Constant,
    Import,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    pub name: String,
    /// Its type, if it has one.
    pub detail: String,
    pub kind: SymbolKind,
    pub range: TextRange,
    pub focus: TextRange,
}

/// What a person needs to know to run a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelInfo {
    pub name: String,
    pub range: TextRange,
    pub focus: TextRange,
    /// Name and printed type of each parameter.
    pub inputs: Vec<(String, String)>,
    pub sizes: Vec<String>,
    /// The `;;; run:` line of its documentation, unparsed.
    pub run_line: Option<String>,
}

/// One line of `lift types`: a form's name and type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormType {
    pub name: String,
    pub ty: String,
    pub range: TextRange,
}

/// Why an answer is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    /// A newer edit arrived: the answer would be stale.
    ByEdit,
    /// This one request was cancelled.
    ByRequest,
}
pub type Cancellable<T> = Result<T, Stopped>;
