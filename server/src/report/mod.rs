//! Problems of programs and inputs, formatted for people ([`text`]) or machines ([`json`]).
//!
//! | module | job |
//! |---|---|
//! | [`codes`] | the error codes of this crate, and their pages |
//! | [`cost`] | the cost of a kernel, as text and as JSON |
//! | [`explanation`] | what the compiler did to a kernel, as text and as JSON |
//! | [`json`] | diagnostics for machines |
//! | [`parts`] | the computation of a kernel on blocks of its arrays, as text and as JSON |
//! | [`text`] | diagnostics for people, with source lines, underlines, related locations and fixes |

pub mod codes;
pub mod cost;
pub mod explanation;
pub mod json;
pub mod parts;
pub mod text;

use lift_analysis::diagnostics::Severity;
use lift_analysis::ide::{Analysis, Cancellable, CodeFix, FileDiagnostic, RelatedPlace};
use lift_syntax::{LineIndex, TextRange};
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::Path;
use std::sync::Arc;

/// A diagnostic, of analysis or of this crate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The file, by normalized path.
    pub path: Arc<str>,
    /// `None`: the whole file.
    pub range: Option<TextRange>,
    pub code: String,
    pub severity: Severity,
    pub message: String,
    pub related: Vec<RelatedPlace>,
    pub fixes: Vec<CodeFix>,
    /// Additional paragraphs, such as a build log or a hint.
    pub notes: Vec<String>,
}

impl Problem {
    pub fn of(path: &Arc<str>, d: FileDiagnostic) -> Problem {
        Problem {
            path: path.clone(),
            range: Some(d.range),
            code: d.code.to_owned(),
            severity: d.severity,
            message: d.message,
            related: d.related,
            fixes: d.fixes,
            notes: Vec::new(),
        }
    }
    /// An error about a whole file.
    pub fn error(path: &Arc<str>, code: &str, message: impl Into<String>) -> Problem {
        Problem {
            path: path.clone(),
            range: None,
            code: code.to_owned(),
            severity: Severity::Error,
            message: message.into(),
            related: Vec::new(),
            fixes: Vec::new(),
            notes: Vec::new(),
        }
    }
    pub fn at(mut self, range: TextRange) -> Problem {
        self.range = Some(range);
        self
    }
    pub fn note(mut self, note: impl Into<String>) -> Problem {
        self.notes.push(note.into());
        self
    }
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// Returns the errors of a file and of its imports.
pub fn errors(analysis: &Analysis, path: &Arc<str>) -> Cancellable<Vec<Problem>> {
    let mut out = Vec::new();
    for path in with_imports(analysis, vec![path.clone()])? {
        let found = analysis.diagnostics(&path)?.into_iter().filter(|d| d.severity == Severity::Error);
        out.extend(found.map(|d| Problem::of(&path, d)));
    }
    Ok(out)
}

/// Returns files followed by their loaded imports, without duplicates.
pub fn with_imports(analysis: &Analysis, mut files: Vec<Arc<str>>) -> Cancellable<Vec<Arc<str>>> {
    let mut seen: FxHashSet<Arc<str>> = files.iter().cloned().collect();
    let mut next = 0;
    while let Some(path) = files.get(next).cloned() {
        next += 1;
        for import in analysis.imports(&path)? {
            if analysis.text(&import)?.is_some() && seen.insert(import.clone()) {
                files.push(import);
            }
        }
    }
    Ok(files)
}

/// Texts of files and their displayed names.
pub struct Sources<'a> {
    pub analysis: &'a Analysis,
    /// File names as the user gave them.
    pub shown: &'a FxHashMap<Arc<str>, String>,
    /// Other files inside this folder are shown relative to it.
    pub here: Option<&'a Path>,
}

impl Sources<'_> {
    fn text(&self, path: &str) -> Cancellable<Option<(Arc<str>, Arc<LineIndex>)>> {
        Ok(self.analysis.text(path)?.zip(self.analysis.line_index(path)?))
    }
    pub fn shown(&self, path: &str) -> String {
        if let Some(name) = self.shown.get(path) {
            return name.clone();
        }
        let below = self.here.and_then(|here| Path::new(path).strip_prefix(here).ok());
        below.map_or_else(|| path.to_owned(), |p| p.display().to_string())
    }
}

fn severity_name(s: Severity) -> &'static str {
    match s {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Information => "information",
    }
}
