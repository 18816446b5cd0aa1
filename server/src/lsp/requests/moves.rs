//! The imports of files that are about to be moved: in the files of the session and in the programs of the workspace folders.

use crate::files;
use crate::lsp::convert::{EditedFile, Lines, edit_of, edited_files};
use crate::lsp::disk::MAX_IMPORT;
use crate::lsp::documents::{path_of, uri_of};
use crate::lsp::features::Features;
use crate::lsp::outcome::Outcome;
use crate::lsp::snapshot::Snapshot;
use lift_analysis::ide::{AnalysisHost, Move};
use lift_syntax::LineIndex;
use std::path::PathBuf;
use std::sync::Arc;
use tower_lsp_server::gen_lsp_types::*;

/// Depth to which the workspace folders are searched.
const MAX_DEPTH: usize = 32;
/// The most programs that are read.
const MOST_PROGRAMS: usize = 10_000;

/// A request to move files, with the edits of the files of the session.
pub struct Moving {
    moves: Vec<Move>,
    edits: Vec<EditedFile>,
    /// The files of the session.
    known: Vec<Arc<str>>,
    roots: Arc<Vec<PathBuf>>,
    features: Arc<Features>,
}

pub fn will_rename(snap: &Snapshot, params: &RenameFilesParams) -> Outcome<Moving> {
    let moved = |file: &FileRename| Move { from: path_of(&file.old_uri), to: path_of(&file.new_uri) };
    let moves: Vec<Move> = params.files.iter().map(moved).collect();
    let edits = edited_files(snap, &snap.analysis.moved(&moves)?)?;
    let known = snap.analysis.files()?;
    Ok(Moving { moves, edits, known, roots: snap.roots.clone(), features: snap.features.clone() })
}

impl Moving {
    /// Adds the edits of the other programs in the workspace folders.
    pub fn edit(mut self) -> WorkspaceEdit {
        let mut found = Vec::new();
        for root in &*self.roots {
            files::programs_below(root, MAX_DEPTH, &mut found, &mut |_, _| ());
        }
        let mut host = AnalysisHost::default();
        for file in found.iter().take(MOST_PROGRAMS) {
            let Some(path) = files::normal_path(file).filter(|path| !self.known.contains(path)) else { continue };
            if let Ok(text) = files::read_bytes(file, MAX_IMPORT).and_then(files::text_of) {
                host.set_file(&path, text.into());
            }
        }
        let change = host.snapshot().moved(&self.moves).unwrap_or_default();
        for (path, edits) in change.files {
            if let (Some(text), Some(uri)) = (host.file_text(&path), uri_of(&path)) {
                let index = Arc::new(LineIndex::new(&text));
                let lines = Lines { text, index, encoding: self.features.encoding };
                self.edits.push((uri, None, edits.iter().map(|edit| lines.text_edit(edit)).collect()));
            }
        }
        edit_of(&self.features, self.edits)
    }
}
