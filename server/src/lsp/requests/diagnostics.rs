//! Pulled diagnostics, of a document or of all files of the session.
//!
//! The result id is a hash of the diagnostics, so that an answer without changes is only the id.

use crate::lsp::documents::path_of;
use crate::lsp::main_loop::state;
use crate::lsp::outcome::Outcome;
use crate::lsp::snapshot::Snapshot;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use tower_lsp_server::gen_lsp_types::*;

/// Returns the diagnostics of a file and their id; without diagnostics if the client knows that id.
fn news(snap: &Snapshot, path: &str, known: Option<&String>) -> Outcome<(String, Option<Vec<Diagnostic>>)> {
    let items = state::diagnostics(snap, path)?;
    let mut hasher = DefaultHasher::new();
    items.hash(&mut hasher);
    let id = format!("{:016x}", hasher.finish());
    let news = (known != Some(&id)).then_some(items);
    Ok((id, news))
}

pub fn pull_diagnostics(snap: &Snapshot, params: &DocumentDiagnosticParams) -> Outcome<DocumentDiagnosticReport> {
    let path = path_of(&params.text_document.uri);
    Ok(match news(snap, &path, params.previous_result_id.as_ref())? {
        (result_id, None) => DocumentDiagnosticReport::RelatedUnchangedDocumentDiagnosticReport(
            RelatedUnchangedDocumentDiagnosticReport {
                related_documents: None,
                unchanged_document_diagnostic_report: UnchangedDocumentDiagnosticReport { result_id },
            },
        ),
        (result_id, Some(items)) => {
            DocumentDiagnosticReport::RelatedFullDocumentDiagnosticReport(RelatedFullDocumentDiagnosticReport {
                related_documents: None,
                full_document_diagnostic_report: FullDocumentDiagnosticReport { result_id: Some(result_id), items },
            })
        }
    })
}

/// Returns the diagnostics of every loaded file: open documents and their imports.
pub fn workspace_diagnostics(
    snap: &Snapshot,
    params: &WorkspaceDiagnosticParams,
) -> Outcome<WorkspaceDiagnosticReport> {
    let mut known: BTreeMap<Arc<str>, &PreviousResultId> = BTreeMap::new();
    for previous in &params.previous_result_ids {
        known.insert(path_of(&previous.uri), previous);
    }
    let mut items: Vec<WorkspaceDocumentDiagnosticReport> = Vec::new();
    for path in snap.analysis.files()? {
        let previous = known.remove(&path);
        let Some(uri) = previous.map(|p| p.uri.clone()).or_else(|| snap.uri(&path)) else { continue };
        let version = snap.version(&path);
        items.push(match news(snap, &path, previous.map(|p| &p.value))? {
            (result_id, None) => WorkspaceUnchangedDocumentDiagnosticReport {
                uri,
                version,
                unchanged_document_diagnostic_report: UnchangedDocumentDiagnosticReport { result_id },
            }
            .into(),
            (result_id, Some(items)) => WorkspaceFullDocumentDiagnosticReport {
                uri,
                version,
                full_document_diagnostic_report: FullDocumentDiagnosticReport { result_id: Some(result_id), items },
            }
            .into(),
        });
    }
    // Files that are no longer loaded have no diagnostics.
    for previous in known.into_values() {
        let full_document_diagnostic_report = FullDocumentDiagnosticReport { result_id: None, items: Vec::new() };
        let uri = previous.uri.clone();
        items
            .push(WorkspaceFullDocumentDiagnosticReport { uri, version: None, full_document_diagnostic_report }.into());
    }
    Ok(WorkspaceDiagnosticReport { items })
}
