//! Converts changes of texts.

use crate::lsp::snapshot::Snapshot;
use lift_analysis::ide::{self, Cancellable};
use tower_lsp_server::gen_lsp_types::*;

/// Converts a change; documents get their version if the client can check it.
pub fn workspace_edit(snap: &Snapshot, change: &ide::SourceChange) -> Cancellable<WorkspaceEdit> {
    let mut files = Vec::new();
    for (path, edits) in &change.files {
        if let (Some(lines), Some(uri)) = (snap.lines(path)?, snap.uri(path)) {
            files.push((uri, snap.version(path), edits.iter().map(|e| lines.text_edit(e)).collect::<Vec<_>>()));
        }
    }
    if !snap.features.document_changes {
        let changes = files.into_iter().map(|(uri, _, edits)| (uri, edits)).collect();
        return Ok(WorkspaceEdit { changes: Some(changes), ..Default::default() });
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
    Ok(WorkspaceEdit { document_changes: Some(changes.collect()), ..Default::default() })
}
