//! Editor features on small programs. `$0` is the cursor, and two of them delimit a selection. `;;- path` starts
//! another file.

mod action_pages;
mod actions;
mod assumed;
mod builtins;
mod calls;
mod completion;
mod diagnostics;
mod explain;
mod fcl;
mod hints;
mod hover;
mod incremental;
mod kept;
mod laws;
mod navigation;
mod outline;
mod rename;
mod robust;
mod semantic;
mod signature_help;
mod structure;
mod typing;

use super::*;

pub(super) struct Fixture {
    pub host: AnalysisHost,
    /// The files in order, without markers.
    pub files: Vec<(String, String)>,
    /// The file of the cursor or selection, and its range.
    pub marked: Option<(String, TextRange)>,
}

impl Fixture {
    pub fn new(text: &str) -> Fixture {
        let mut files: Vec<(String, String)> = vec![("main.lift".into(), String::new())];
        for line in text.split_inclusive('\n') {
            match line.strip_prefix(";;- ") {
                Some(path) => files.push((path.trim().to_owned(), String::new())),
                None => files.last_mut().unwrap().1.push_str(line),
            }
        }
        if files.len() > 1 && files[0].1.trim().is_empty() {
            files.remove(0);
        }
        let mut marked = None;
        let mut host = AnalysisHost::counting();
        for (path, text) in &mut files {
            if let Some(at) = text.find("$0") {
                text.replace_range(at..at + 2, "");
                let end = text.find("$0");
                if let Some(end) = end {
                    text.replace_range(end..end + 2, "");
                }
                let range = TextRange::new((at as u32).into(), (end.unwrap_or(at) as u32).into());
                marked = Some((path.clone(), range));
            }
            host.set_file(path, text.as_str().into());
        }
        Fixture { host, files, marked }
    }

    pub fn analysis(&self) -> Analysis {
        self.host.snapshot()
    }

    /// The first file.
    pub fn main(&self) -> &str {
        &self.files[0].0
    }

    pub fn marked(&self) -> (&str, TextRange) {
        let (path, range) = self.marked.as_ref().expect("the fixture has no `$0`");
        (path, *range)
    }

    /// The text of a range, after `path:` unless it is in the first file.
    pub fn show(&self, at: &FileRange) -> String {
        let text = self.host.file_text(&at.path).unwrap();
        let slice = &text[at.range];
        let line = text[..usize::from(at.range.start())].matches('\n').count() + 1;
        if *at.path == *self.main() { format!("{line}:`{slice}`") } else { format!("{}:{line}:`{slice}`", at.path) }
    }

    pub fn apply(&self, change: &SourceChange) -> String {
        let mut out = String::new();
        for (path, _) in &change.files {
            let text = change.applied(path, &self.host.file_text(path).unwrap());
            if **path != *self.main() {
                out += &format!(";;- {path}\n");
            }
            out += &text;
        }
        out
    }
}

/// One line per diagnostic, with its details indented below.
pub(super) fn describe(fixture: &Fixture, path: &str, found: &[FileDiagnostic]) -> String {
    let mut out = String::new();
    for diagnostic in found {
        let at = fixture.show(&FileRange { path: path.into(), range: diagnostic.range });
        let severity = match diagnostic.severity {
            Severity::Error => "",
            Severity::Warning => "warning ",
            Severity::Information => "information ",
        };
        out += &format!("{severity}{} {at}: {}\n", diagnostic.code, diagnostic.message);
        for related in &diagnostic.related {
            out += &format!("  {}: {}\n", fixture.show(&related.at), related.message);
        }
        for fix in &diagnostic.fixes {
            out += &format!("  fix{}: {}\n", if fix.certain { "" } else { "?" }, fix.title);
        }
    }
    out
}
