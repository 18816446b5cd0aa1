//! What is wrong with a program or an input, on its way to a person ([`text`]) or a machine ([`json`]).

pub mod codes;
pub mod cost;
pub mod explanation;
pub mod json;
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
    /// The file, as analysis knows it.
    pub path: Arc<str>,
    /// `None`: the file as a whole.
    pub range: Option<TextRange>,
    pub code: String,
    pub severity: Severity,
    pub message: String,
    pub related: Vec<RelatedPlace>,
    pub fixes: Vec<CodeFix>,
    /// More to say, as paragraphs: a build log, a hint.
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
    /// An error about a file as a whole.
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

/// The errors of a file and of all it imports.
pub fn errors(analysis: &Analysis, path: &Arc<str>) -> Cancellable<Vec<Problem>> {
    let mut out = Vec::new();
    for path in with_imports(analysis, vec![path.clone()])? {
        let found = analysis.diagnostics(&path)?.into_iter().filter(|d| d.severity == Severity::Error);
        out.extend(found.map(|d| Problem::of(&path, d)));
    }
    Ok(out)
}

/// Files, and then what they import, as far as it is loaded; each once.
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

/// Where texts come from, and what files are called in front of people.
pub struct Sources<'a> {
    pub analysis: &'a Analysis,
    /// What the user called a file.
    pub shown: &'a FxHashMap<Arc<str>, String>,
    /// Other files are shown relative to this folder where they lie below it.
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
