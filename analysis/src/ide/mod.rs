//! The editor features as plain data: byte offsets, labels, text edits. No protocol, no file system.
//!
//! [`AnalysisHost`] is the single writable owner of the state. [`Analysis`] is a snapshot of it for one job on one
//! thread; it must not outlive that job, because a live snapshot blocks the next edit. Its methods take the path of a
//! file that the host was given; for any other path the answer is empty.
//!
//! | module | job |
//! |---|---|
//! | `locate` | conversion between offsets of a file and nodes of a form |
//! | `diagnostics` | diagnostics with source ranges |
//! | [`structure`] | foldable ranges, expanding selections, and links of imports |
//! | `navigation` | definitions and uses of names |
//! | `scope` | local names in scope |
//! | `importing` | importing a definition of another file, and the imports of files that are moved |
//! | [`typing`] | edits that follow a typed character |
//! | `layout` | layout of a changed form |
//! | `explicit` | writes inserted packs and unpacks into the text; removes redundant ones |
//! | `anchor` | ranges that follow their text through edits |
//! | [`explain`] | the pages of the error codes |
//! | `needed` | the definitions that a kernel uses, and their errors |
//! | `rename` | renames all uses of a name, if that preserves the meaning |
//! | `outline` | the contents of a file |
//! | `hover` | hovers |
//! | [`call_hierarchy`] | the call hierarchy |
//! | `documented` | definitions with their documentation, for pages about a program |
//! | [`completion`] | completion at the cursor |
//! | [`signature_help`] | signature help |
//! | `apl` | editor features for APL files |
//! | [`semantic`] | semantic tokens |
//! | `digest` | the file index: results about all forms of a file |
//! | `host` | the writable state of the editor features, and snapshots of it |
//! | [`actions`] | code actions: quick fixes, rewrites and formatting |
//! | `fcl` | editor features for FCL files |
//! | `hints` | inlay hints: the checker's insertions and inferred types |

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
mod fcl;
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

/// A range of a file, by the path under which the host was given the file.
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

/// A file or folder that gets another path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Move {
    pub from: std::sync::Arc<str>,
    pub to: std::sync::Arc<str>,
}

/// Edits of one file each, sorted and disjoint.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SourceChange {
    pub files: Vec<(std::sync::Arc<str>, Vec<TextEdit>)>,
}

impl SourceChange {
    /// The smallest single edit from one text of a file to another.
    pub fn between(path: &std::sync::Arc<str>, old: &str, new: &str) -> SourceChange {
        let edit = explicit::difference(TextSize::new(0), old, new);
        SourceChange { files: edit.map(|edit| (path.clone(), vec![edit])).into_iter().collect() }
    }

    /// The text of the file at `path` after the change.
    pub fn applied(&self, path: &str, text: &str) -> String {
        let mut text = text.to_owned();
        for (_, edits) in self.files.iter().filter(|(file, _)| **file == *path) {
            for edit in edits.iter().rev() {
                text.replace_range(std::ops::Range::<usize>::from(edit.range), &edit.new_text);
            }
        }
        text
    }
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

/// A diagnostic with source ranges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileDiagnostic {
    pub range: TextRange,
    /// The code, such as `unequal-lengths` or `syntax/missing`; each has a page ([`explain`]).
    pub code: &'static str,
    pub severity: Severity,
    pub message: String,
    pub related: Vec<RelatedPlace>,
    pub fixes: Vec<CodeFix>,
    /// Shown faded, as for an unused name.
    pub unnecessary: bool,
    /// The lengths that would have to be equal, as a hint shows them: `✗ X1 = X2`.
    pub obligation: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hover {
    pub range: TextRange,
    /// The first line is the type, in a `lift` code fence.
    pub markdown: String,
    /// Plain text, for clients that show nothing else; the first line is the type.
    pub plain: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HintKind {
    /// `unpack X1`, `pack`
    PackUnpack,
    /// `: Array[Float,X1]` after a `let` or lambda name
    Type,
    /// a check at run time
    RuntimeCheck,
    /// `✗ X1 = X2`: lengths that would have to be equal
    Obligation,
    /// `i =>` before the parameter of a function that is checked for every index of an array
    Position,
    /// `Glb0` after an operation that the compiler places; from the compiler
    Placement,
    /// `global 4*N bytes` after a stored value; from the compiler
    Memory,
    /// `by one work-item`, `far apart`: the program is far slower than the device allows; from the compiler
    Slow,
    /// `: Int` after a number with a default type
    Default,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HintPart {
    pub text: String,
    /// The target of a click on this part.
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
    /// The type, if it has one.
    pub detail: String,
    pub kind: SymbolKind,
    pub range: TextRange,
    pub focus: TextRange,
}

/// The data needed to run a kernel.
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
    /// Its documentation without the lines for tools; empty if there is none.
    pub docs: String,
    /// The other lines of its documentation that tools read.
    pub lines: Vec<DocLine>,
}

/// A kernel as lenses need it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelName {
    pub name: String,
    /// Where its name is.
    pub focus: TextRange,
    /// Whether it has a line `;;; test: …`.
    pub is_tested: bool,
}

/// A line of a kernel's documentation that gives a test or a benchmark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocLine {
    pub kind: DocLineKind,
    /// The text after `test:` or `bench:`, unparsed.
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

impl DocLineKind {
    pub const ALL: [DocLineKind; 2] = [DocLineKind::Test, DocLineKind::Bench];

    /// How the content of such a line begins.
    pub fn head(self) -> &'static str {
        match self {
            DocLineKind::Test => "test:",
            DocLineKind::Bench => "bench:",
        }
    }
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

/// Why a request has no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    /// A newer edit made the answer stale.
    ByEdit,
    /// This request was cancelled.
    ByRequest,
}
pub type Cancellable<T> = Result<T, Stopped>;
