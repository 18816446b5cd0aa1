//! Converts changes of texts.

use crate::lsp::features::Features;
use crate::lsp::snapshot::Snapshot;
use lift_analysis::ide::{self, Cancellable};
use tower_lsp_server::gen_lsp_types::*;

/// Converts a change; documents get their version if the client can check it.
pub fn workspace_edit(snap: &Snapshot, change: &ide::SourceChange) -> Cancellable<WorkspaceEdit> {
    Ok(edit_of(&snap.features, edited_files(snap, change)?))
}

/// The edits of a file, and the version of the document that they are for.
pub type EditedFile = (Uri, Option<i32>, Vec<TextEdit>);

pub fn edited_files(snap: &Snapshot, change: &ide::SourceChange) -> Cancellable<Vec<EditedFile>> {
    let mut files = Vec::new();
    for (path, edits) in &change.files {
        if let (Some(lines), Some(uri)) = (snap.lines(path)?, snap.uri(path)) {
            files.push((uri, snap.version(path), edits.iter().map(|e| lines.text_edit(e)).collect::<Vec<_>>()));
        }
    }
    Ok(files)
}

pub fn edit_of(features: &Features, files: Vec<EditedFile>) -> WorkspaceEdit {
    if !features.document_changes {
        let changes = files.into_iter().map(|(uri, _, edits)| (uri, edits)).collect();
        return WorkspaceEdit { changes: Some(changes), ..Default::default() };
    }
    let changes = files.into_iter().map(|(uri, version, edits)| {
        DocumentChange::TextDocumentEdit(TextDocumentEdit {
            text_document: OptionalVersionedTextDocumentIdentifier {
                version,
                text_document_identifier: TextDocumentIdentifier { uri },
            },
            edits: edits.into_iter().map(Edit::TextEdit).collect(),
        })
    });
    WorkspaceEdit { document_changes: Some(changes.collect()), ..Default::default() }
}
