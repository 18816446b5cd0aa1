//! Importing a definition of another file, and the imports of files that are moved.

use super::{Move, SourceChange, TextEdit};
use crate::bodies::lower_form;
use crate::db::{Db, Files, SourceFile, forms, is_builtin};
use crate::hir::Node;
use crate::imports::{imports, resolve_path};
use lift_syntax::{TextRange, TextSize};
use std::sync::Arc;

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

impl Move {
    /// The new path of a file; `None` if it stays.
    fn of(&self, path: &str) -> Option<String> {
        let below = path.strip_prefix(&*self.from)?;
        (below.is_empty() || below.starts_with('/')).then(|| format!("{}{below}", self.to))
    }
}

/// The edits that keep every import after files and folders are moved: of the files that import a moved one, and of the moved
/// files themselves, whose paths are still the old ones.
pub(super) fn moved(db: &dyn Db, moves: &[Move]) -> SourceChange {
    let after = |path: &str| moves.iter().find_map(|moved| moved.of(path)).unwrap_or_else(|| path.to_owned());
    let mut change = SourceChange::default();
    for &file in Files::get(db).by_path(db).values() {
        if is_builtin(db, file) {
            continue;
        }
        let home = after(file.path(db));
        let here: Vec<&str> = home.split('/').collect();
        let edits: Vec<TextEdit> = (imports(db, file).iter())
            .filter_map(|import| {
                let target = after(import.target.as_ref().ok()?);
                if resolve_path(&home, &import.path).is_ok_and(|now| *now == *target) {
                    return None;
                }
                let range = lower_form(db, import.form).map.range(Node::FormName) + import.form.start(db);
                let dot = if import.path.starts_with("./") { "./" } else { "" };
                let written = relative_path(&here, &target);
                let dot = if written.starts_with("../") { "" } else { dot };
                Some(TextEdit { range, new_text: format!("\"{dot}{written}\"") })
            })
            .collect();
        if !edits.is_empty() {
            change.files.push((file.path(db).clone(), edits));
        }
    }
    change.files.sort_by(|(a, _): &(Arc<str>, _), (b, _)| a.cmp(b));
    change
}
