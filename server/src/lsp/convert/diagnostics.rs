//! Converts diagnostics.

use super::{Lines, location};
use crate::lsp::features::Features;
use crate::lsp::snapshot::Snapshot;
use crate::report::codes;
use lift_analysis::diagnostics::Severity;
use lift_analysis::ide::{self, Cancellable};
use lift_syntax::TextRange;
use serde_json::json;
use tower_lsp_server::gen_lsp_types::*;

pub fn diagnostic(snap: &Snapshot, lines: &Lines, d: &ide::FileDiagnostic) -> Cancellable<Diagnostic> {
    let features = &snap.features;
    let mut related = Vec::new();
    for place in &d.related {
        if let Some(location) = location(snap, &place.at)? {
            related.push(DiagnosticRelatedInformation { location, message: place.message.clone() });
        }
    }
    // Append the related locations to the message if the client cannot show them.
    let mut message = d.message.clone();
    if !features.related_information {
        for r in &related {
            message.push_str(&format!("\n  line {}: {}", r.location.range.start.line + 1, r.message));
        }
        related.clear();
    }
    Ok(Diagnostic {
        range: lines.range(d.range),
        severity: Some(severity(d.severity)),
        code: Some(Code::String(d.code.to_owned())),
        code_description: explanation(d.code, features),
        source: Some("lift".to_owned()),
        message: message.into(),
        tags: (d.unnecessary && features.diagnostic_tags).then(|| vec![DiagnosticTag::Unnecessary]),
        related_information: (!related.is_empty()).then_some(related),
        data: Some(data(lines, features, d)),
    })
}

/// The `data` of a diagnostic; `obligation` is the length mismatch, for clients that paint it next to the code.
fn data(lines: &Lines, features: &Features, d: &ide::FileDiagnostic) -> serde_json::Value {
    let mut data = json!({ "code": d.code, "fixes": d.fixes.len() });
    if let Some(label) = &d.obligation
        && features.options.shows(ide::HintKind::Obligation)
    {
        data["obligation"] = json!({ "label": label, "position": lines.position(d.range.end()) });
    }
    data
}

/// A note on the number of omitted diagnostics, at the range of the first of them.
pub fn more_diagnostics(lines: &Lines, at: TextRange, more: usize) -> Diagnostic {
    Diagnostic {
        range: lines.range(TextRange::empty(at.start())),
        severity: Some(DiagnosticSeverity::Information),
        source: Some("lift".to_owned()),
        message: format!("{more} more are not shown; `lift check` shows them all").into(),
        ..Default::default()
    }
}

/// Links a code to its page, which is a document of the scheme `lift`.
fn explanation(code: &str, features: &Features) -> Option<CodeDescription> {
    if !features.code_description || codes::page(code).is_none() {
        return None;
    }
    Some(CodeDescription { href: explain_uri(code)? })
}

/// The URI of a code's page, `lift:/explain/CODE.md`.
pub fn explain_uri(code: &str) -> Option<Uri> {
    format!("lift:/explain/{code}.md").parse().ok()
}

fn severity(s: Severity) -> DiagnosticSeverity {
    match s {
        Severity::Error => DiagnosticSeverity::Error,
        Severity::Warning => DiagnosticSeverity::Warning,
        Severity::Information => DiagnosticSeverity::Information,
    }
}
