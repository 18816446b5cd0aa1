//! Diagnostics that the client asks for.

use crate::lsp::documents::path_of;
use crate::lsp::snapshot::{Outcome, Snapshot};
use crate::lsp::state;
use std::hash::{DefaultHasher, Hash, Hasher};
use tower_lsp_server::gen_lsp_types::*;

pub fn pull_diagnostics(snap: &Snapshot, params: &DocumentDiagnosticParams) -> Outcome<DocumentDiagnosticReport> {
    let items = state::diagnostics(snap, &path_of(&params.text_document.uri))?;
    let mut hasher = DefaultHasher::new();
    items.hash(&mut hasher);
    let result_id = format!("{:016x}", hasher.finish());
    if params.previous_result_id.as_ref() == Some(&result_id) {
        return Ok(DocumentDiagnosticReport::RelatedUnchangedDocumentDiagnosticReport(
            RelatedUnchangedDocumentDiagnosticReport {
                related_documents: None,
                unchanged_document_diagnostic_report: UnchangedDocumentDiagnosticReport { result_id },
            },
        ));
    }
    Ok(DocumentDiagnosticReport::RelatedFullDocumentDiagnosticReport(RelatedFullDocumentDiagnosticReport {
        related_documents: None,
        full_document_diagnostic_report: FullDocumentDiagnosticReport { result_id: Some(result_id), items },
    }))
}
