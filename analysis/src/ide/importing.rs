//! Importing a definition of another file.

use super::TextEdit;
use crate::db::{Db, Files, SourceFile, forms, is_builtin};
use lift_syntax::{TextRange, TextSize};

/// The files that could be imported, sorted by path; includes those already imported.
pub(super) fn other_files(db: &dyn Db, file: SourceFile) -> Vec<SourceFile> {
    let mut files: Vec<SourceFile> = Files::get(db).by_path(db).values().copied().collect();
    files.retain(|other| *other != file && !is_builtin(db, *other) && !other.path(db).contains(':'));
    files.sort_by_key(|file| file.path(db).clone());
    files
}

/// The path to a file, relative to the file whose path has the parts `here`.
pub(super) fn relative_path(here: &[&str], path: &str) -> String {
    let there: Vec<&str> = path.split('/').collect();
    let common = here.iter().zip(&there).take_while(|(a, b)| a == b).count().min(here.len().saturating_sub(1));
    let up = here.len() - 1 - common;
    let parts = std::iter::repeat_n("..", up).chain(there[common.min(there.len() - 1)..].iter().copied());
    parts.collect::<Vec<_>>().join("/")
}

/// The path of `other` as `file` would write it in an import.
pub(super) fn written_path(db: &dyn Db, file: SourceFile, other: SourceFile) -> String {
    let here: Vec<&str> = file.path(db).split('/').collect();
    relative_path(&here, other.path(db))
}

/// The edit that imports another file: after the existing imports, otherwise before the first form.
pub(super) fn import_edit(db: &dyn Db, file: SourceFile, other: SourceFile) -> TextEdit {
    let written = written_path(db, file, other);
    let last = file.import_forms(db).last();
    let (at, new_text) = match (last, forms(db, file).first()) {
        (Some(last), _) => (last.start(db) + TextSize::of(&**last.text(db)), format!("\n(import \"{written}\")")),
        (None, first) => {
            let at = first.map_or(TextSize::new(0), |first| first.start(db));
            (at, format!("(import \"{written}\")\n\n"))
        }
    };
    TextEdit { range: TextRange::empty(at), new_text }
}
