//! The editor features as plain data: byte offsets, labels, text edits. No protocol, no file system.
//!
//! [`AnalysisHost`] is the one writable owner of the state; [`Analysis`] is a snapshot of it for one job on one thread
//! and must not outlive that job (a live snapshot blocks the next edit). Every method of it takes the path of a file that
//! the host was given; for any other path the answer is empty.
//!
//! Map: `host` the two structs and cancellation · `digest` what is kept of all forms of a file · `locate` positions to
//! nodes · one module a feature: `diagnostics` (with `fixes`, which tries them out), `hover`, `hints`, `navigation`, `needed` (the errors that concern one kernel), `actions` (with `explicit`, which
//! writes packs and unpacks out), `outline`, `documented` (what pages tell of a file) · `completion` what could be typed · `signature_help` · `semantic` colours
//! · `apl` the features for files in APL
//! · `anchor` places that move with the text · `structure` folding, selections, links · `rename` · `importing` definitions of other files · `typing` what follows
//! a typed character · `call_hierarchy`, with the definitions of types · `scope` local names in sight ·
//! [`explain`] the pages of the error codes.

pub mod actions;
mod anchor;
mod apl;
pub mod call_hierarchy;
pub mod completion;
mod diagnostics;
mod digest;
mod documented;
pub mod explain;
mod explicit;
mod hints;
mod host;
mod hover;
mod importing;
mod layout;
mod locate;
mod navigation;
mod needed;
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
pub use documented::Documented;
pub use host::{Analysis, AnalysisHost};
pub use needed::kernel_form;

use crate::diagnostics::Severity;
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
    /// `unequal-lengths`, `syntax/missing`: each has a page ([`explain`]).
    pub code: &'static str,
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
    /// `by one work-item` where the device could do more at once; made by the compiler
    Slow,
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
    /// Its documentation without the lines for programs; empty if there is none.
    pub docs: String,
    /// The lines of its documentation that programs read, but for that one.
    pub lines: Vec<DocLine>,
}

/// A line of a kernel's documentation that says what to do with the kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocLine {
    pub kind: DocLineKind,
    /// What follows `test:` or `bench:`, unparsed.
    pub text: String,
    /// The whole line.
    pub range: TextRange,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DocLineKind {
    /// `;;; test: xs=[1,2] => [2]`
    Test,
    /// `;;; bench: xs=random N=1000`
    Bench,
}

/// One line of `lift types`: a form's name and type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormType {
    pub name: String,
    pub ty: String,
    pub range: TextRange,
}

/// Errors of several files, each with the path of its file.
pub type PlacedErrors = Vec<(std::sync::Arc<str>, FileDiagnostic)>;

/// Why an answer is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    /// A newer edit arrived: the answer would be stale.
    ByEdit,
    /// This one request was cancelled.
    ByRequest,
}
pub type Cancellable<T> = Result<T, Stopped>;
