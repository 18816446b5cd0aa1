//! The checker's output for a program, as text, and invariants of every program.

use lift_analysis::db::forms;
use lift_analysis::diagnostics::Severity;
use lift_analysis::ide::{Analysis, AnalysisHost, FileDiagnostic, SourceChange};
use lift_analysis::queries::infer_explicit;
use lift_syntax::{ColumnEncoding, LineIndex, TextRange};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// A program with its imports, loaded for queries.
pub struct Program {
    host: AnalysisHost,
    path: String,
    folder: PathBuf,
}

/// Why queries cannot be cancelled here.
const ALWAYS: &str = "no edit, no cancellation";

impl Program {
    /// Loads a program. `path` is only a name; imports are read from `folder`.
    pub fn new(folder: &Path, path: &str, text: &str) -> Program {
        let mut program = Program { host: AnalysisHost::default(), path: path.to_owned(), folder: folder.to_owned() };
        program.set_text(text);
        program
    }

    /// Replaces the program's text, as an editor would. No [`Program::analysis`] may be alive.
    pub fn set_text(&mut self, text: &str) {
        let host = &mut self.host;
        host.set_file(&self.path, text.into());
        let mut todo = vec![self.path.clone()];
        while let Some(file) = todo.pop() {
            // The snapshot must be dropped before the next change.
            let imports = host.snapshot().imports(&file).expect(ALWAYS);
            for import in imports {
                if host.file_text(&import).is_none()
                    && let Ok(text) = std::fs::read_to_string(self.folder.join(&*import))
                {
                    host.set_file(&import, text.into());
                    todo.push(import.to_string());
                }
            }
        }
    }

    pub fn analysis(&self) -> Analysis {
        self.host.snapshot()
    }

    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the folder of the data files that the program names.
    pub fn data_folder(&self) -> PathBuf {
        let path = self.folder.join(&self.path);
        path.parent().unwrap_or(&self.folder).to_owned()
    }

    /// Returns one line per form: `name : type`.
    pub fn types(&self) -> String {
        let types = self.analysis().types(&self.path).expect(ALWAYS);
        types.iter().fold(String::new(), |out, form| format!("{out}{} : {}\n", form.name, form.ty))
    }

    /// Returns the types in explicit mode, in the format of [`Program::types`].
    fn types_in_explicit_mode(&self) -> String {
        let analysis = self.analysis();
        let db = analysis.db();
        let names = analysis.types(&self.path).expect(ALWAYS).into_iter().map(|form| form.name);
        let file = db.file(&self.path).expect("the file was added");
        let schemes = forms(db, file).iter().filter_map(|&form| infer_explicit(db, form).scheme.clone());
        names.zip(schemes).fold(String::new(), |out, (name, scheme)| format!("{out}{name} : {scheme}\n"))
    }

    pub fn diagnostics(&self) -> Vec<FileDiagnostic> {
        self.analysis().diagnostics(&self.path).expect(ALWAYS)
    }

    pub fn is_well_typed(&self) -> bool {
        !self.diagnostics().iter().any(is_error)
    }

    fn text(&self) -> String {
        self.host.file_text(&self.path).expect("the file was added").to_string()
    }

    /// Returns the program with every inserted `pack` and `unpack`.
    pub fn elaborated(&self) -> String {
        self.analysis().elaborated(&self.path).expect(ALWAYS).expect("the file was added")
    }

    /// Returns types, diagnostics, errors of explicit mode, and the elaborated text if it differs from the program.
    pub fn outcome(&self) -> String {
        let text = self.text();
        let mut out = self.types();
        out += &self.describe(&text, &self.diagnostics());
        if !self.is_well_typed() {
            return out;
        }
        let explicit = self.analysis().explicit_diagnostics(&self.path).expect(ALWAYS);
        if explicit.iter().any(is_error) {
            out += "in explicit mode:\n";
            let only_errors: Vec<FileDiagnostic> = explicit.into_iter().filter(is_error).collect();
            out += &indent(&self.describe(&text, &only_errors));
        }
        let elaborated = self.elaborated();
        if elaborated != text {
            out += "elaborated:\n";
            out += &indent(&without_comments(&elaborated));
        }
        out
    }

    fn describe(&self, text: &str, diagnostics: &[FileDiagnostic]) -> String {
        let index = LineIndex::new(text);
        let place = |range: TextRange| {
            let at = index.position(range.start(), ColumnEncoding::Utf8);
            let shown = text[range].split_whitespace().collect::<Vec<_>>().join(" ");
            format!("{}:{} `{}`", at.line + 1, at.column + 1, shortened(&shown))
        };
        let mut out = String::new();
        for d in diagnostics {
            let severity = match d.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Information => "note",
            };
            let _ = writeln!(out, "{severity} {} at {}\n  {}", d.code, place(d.range), d.message);
            for related in &d.related {
                let at = match *related.at.path == *self.path {
                    true => place(related.at.range),
                    false => related.at.path.to_string(),
                };
                let _ = writeln!(out, "  {at}: {}", related.message);
            }
            for fix in &d.fixes {
                let _ = writeln!(out, "  fix: {}", fix.title);
            }
        }
        out
    }

    /// Checks the invariants of every program: formatting, fixes and elaboration preserve it.
    pub fn check_invariants(&self, folder: &Path) -> Result<(), String> {
        let text = self.text();
        let formatted = lift_syntax::format(&text);
        if lift_syntax::format(&formatted) != formatted {
            return Err(format!("formatting again changes the text:\n{formatted}"));
        }
        self.check_fixes(folder, &text)?;
        let codes = |p: &Program| p.diagnostics().iter().map(|d| d.code).collect::<Vec<_>>();
        let same = Program::new(folder, &self.path, &formatted);
        if same.types() != self.types() || codes(&same) != codes(self) {
            return Err(format!("formatting changes the meaning:\n{formatted}\n{}", same.outcome()));
        }
        if !self.is_well_typed() {
            return Ok(());
        }
        let elaborated = self.elaborated();
        let written_out = Program::new(folder, &self.path, &elaborated);
        let explicit = written_out.analysis().explicit_diagnostics(&self.path).expect(ALWAYS);
        if explicit.iter().any(is_error) {
            let why = written_out.describe(&elaborated, &explicit);
            return Err(format!("the elaborated text is rejected in explicit mode:\n{elaborated}\n{why}"));
        }
        for (mode, types) in [("explicit", written_out.types_in_explicit_mode()), ("usual", written_out.types())] {
            if types != self.types() {
                return Err(format!("the elaborated text has other types in {mode} mode:\n{elaborated}\n{types}"));
            }
        }
        if written_out.elaborated() != elaborated {
            return Err(format!("elaborating again inserts more:\n{}", written_out.elaborated()));
        }
        Ok(())
    }

    /// Every fix of an error leaves fewer errors of its kind (after a syntax error is fixed, other errors may appear);
    /// a fix of a warning adds no errors.
    fn check_fixes(&self, folder: &Path, text: &str) -> Result<(), String> {
        let is_syntax = |d: &FileDiagnostic| d.code.starts_with("syntax/");
        let count = |found: &[FileDiagnostic]| {
            let syntax = found.iter().filter(|d| is_syntax(d)).count();
            (syntax, found.iter().filter(|d| is_error(d)).count() - syntax)
        };
        let found = self.diagnostics();
        let (syntax, meaning) = count(&found);
        for d in &found {
            for fix in &d.fixes {
                let mended = applied(text, &fix.change, &self.path)?;
                let program = Program::new(folder, &self.path, &mended);
                let (syntax_left, meaning_left) = count(&program.diagnostics());
                let good = match d.severity {
                    Severity::Error if is_syntax(d) => syntax_left < syntax,
                    Severity::Error => syntax_left <= syntax && meaning_left < meaning,
                    Severity::Warning | Severity::Information => syntax_left <= syntax && meaning_left <= meaning,
                };
                if !good {
                    let (title, left) = (&fix.title, program.describe(&mended, &program.diagnostics()));
                    return Err(format!("the fix \"{title}\" of {} does not mend:\n{mended}\n{left}", d.code));
                }
            }
        }
        Ok(())
    }
}

/// Returns the text of the file `path` after a change; an error if the change affects another file.
fn applied(text: &str, change: &SourceChange, path: &str) -> Result<String, String> {
    match change.files.iter().find(|(file, _)| **file != *path) {
        Some((file, _)) => Err(format!("a fix changes {file}")),
        None => Ok(change.applied(path, text)),
    }
}

fn is_error(d: &FileDiagnostic) -> bool {
    d.severity == Severity::Error
}

fn indent(text: &str) -> String {
    text.lines().map(|line| if line.is_empty() { "\n".to_owned() } else { format!("  {line}\n") }).collect()
}

/// Shortens a long text in the middle.
fn shortened(text: &str) -> String {
    let length = text.chars().count();
    if length <= 60 {
        return text.to_owned();
    }
    let head: String = text.chars().take(40).collect();
    let tail: String = text.chars().skip(length - 15).collect();
    format!("{head} … {tail}")
}

/// Removes comment lines and empty lines.
fn without_comments(text: &str) -> String {
    let kept = text.lines().filter(|line| !line.trim_start().starts_with(';') && !line.trim().is_empty());
    kept.map(|line| format!("{line}\n")).collect()
}
