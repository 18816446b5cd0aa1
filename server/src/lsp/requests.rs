//! Reads: a request's parameters, the snapshot asked, the answer in the protocol's terms.

use super::commands;
use super::convert;
use super::documents::path_of;
use super::snapshot::{Failure, File, Outcome, Snapshot};
use super::state;
use crate::report::codes;
use lift_analysis::ide;
use lift_syntax::TextRange;
use serde_json::json;
use std::hash::{DefaultHasher, Hash, Hasher};
use tower_lsp_server::gen_lsp_types::*;

pub fn hover(snap: &Snapshot, at: &TextDocumentPositionParams) -> Outcome<Option<Hover>> {
    let File { path, lines } = snap.file(&at.text_document.uri)?;
    let hover = snap.analysis.hover(&path, TextRange::empty(lines.offset(at.position)))?;
    Ok(hover.map(|h| convert::hover(&lines, &snap.features, h)))
}

pub fn inlay_hints(snap: &Snapshot, params: &InlayHintParams) -> Outcome<Vec<InlayHint>> {
    let File { path, lines } = snap.file(&params.text_document.uri)?;
    let hints = snap.analysis.inlay_hints(&path, lines.text_range(params.range))?;
    Ok(hints.into_iter().map(|h| convert::inlay_hint(snap, &lines, h)).collect::<Result<_, _>>()?)
}

pub fn definition(snap: &Snapshot, at: &TextDocumentPositionParams) -> Outcome<Option<DefinitionResponse>> {
    let File { path, lines } = snap.file(&at.text_document.uri)?;
    let targets = snap.analysis.goto_definition(&path, lines.offset(at.position))?;
    if targets.is_empty() {
        return Ok(None);
    }
    let origin = Range::new(at.position, at.position);
    Ok(Some(convert::definitions(snap, origin, &targets)?))
}

pub fn references(snap: &Snapshot, params: &ReferenceParams) -> Outcome<Vec<Location>> {
    let at = &params.text_document_position_params;
    let File { path, lines } = snap.file(&at.text_document.uri)?;
    let offset = lines.offset(at.position);
    let mut places = snap.analysis.references(&path, offset)?;
    if !params.context.include_declaration {
        let declared = snap.analysis.goto_definition(&path, offset)?;
        places.retain(|p| !declared.iter().any(|d| d.file.path == p.path && d.focus == p.range));
    }
    let mut out = Vec::new();
    for place in &places {
        out.extend(convert::location(snap, place)?);
    }
    Ok(out)
}

pub fn symbols(snap: &Snapshot, uri: &Uri) -> Outcome<DocumentSymbolResponse> {
    let File { path, lines } = snap.file(uri)?;
    Ok(convert::symbols(uri, &lines, &snap.features, snap.analysis.symbols(&path)?))
}

pub fn format(snap: &Snapshot, uri: &Uri) -> Outcome<Vec<TextEdit>> {
    let File { path, lines } = snap.file(uri)?;
    Ok(snap.analysis.format(&path)?.iter().map(|e| lines.text_edit(e)).collect())
}

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

pub fn code_actions(snap: &Snapshot, params: &CodeActionParams) -> Outcome<Vec<CodeActionResponse>> {
    let File { path, lines } = snap.file(&params.text_document.uri)?;
    let range = lines.text_range(params.range);
    let only = params.context.only.as_deref();
    let mut out: Vec<CodeActionResponse> = Vec::new();
    let mut seen: Vec<ide::SourceChange> = Vec::new();
    if wanted(only, "quickfix") {
        for diagnostic in snap.analysis.diagnostics(&path)? {
            if diagnostic.fixes.is_empty() || diagnostic.range.intersect(range).is_none() {
                continue;
            }
            let shown = convert::diagnostic(snap, &lines, &diagnostic)?;
            let certain = diagnostic.fixes.iter().filter(|f| f.certain).count();
            for fix in diagnostic.fixes {
                out.push(CodeActionResponse::CodeAction(CodeAction {
                    title: fix.title,
                    kind: Some(CodeActionKind::QuickFix),
                    diagnostics: Some(vec![shown.clone()]),
                    is_preferred: (fix.certain && certain == 1).then_some(true),
                    edit: Some(convert::workspace_edit(snap, &fix.change)?),
                    ..Default::default()
                }));
                seen.push(fix.change);
            }
        }
    }
    for action in snap.analysis.code_actions(&path, range)? {
        // what mends a diagnostic is offered with it
        if !wanted(only, action.kind) || seen.contains(&action.change) {
            continue;
        }
        out.push(CodeActionResponse::CodeAction(CodeAction {
            title: action.title,
            kind: Some(CodeActionKind::from(action.kind.to_owned())),
            is_preferred: action.preferred.then_some(true),
            edit: Some(convert::workspace_edit(snap, &action.change)?),
            ..Default::default()
        }));
    }
    Ok(out)
}

/// Whether the client asked for this kind: kinds are hierarchical, `source` has `source.lift`.
fn wanted(only: Option<&[CodeActionKind]>, kind: &str) -> bool {
    let covers = |wish: &CodeActionKind| {
        let wish = String::from(wish.clone());
        wish.is_empty() || kind.strip_prefix(&*wish).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    only.is_none_or(|only| only.iter().any(covers))
}

pub fn code_lenses(snap: &Snapshot, uri: &Uri) -> Outcome<Vec<CodeLens>> {
    let File { path, lines } = snap.file(uri)?;
    let mut out = Vec::new();
    for kernel in snap.analysis.kernels(&path)? {
        let target = json!({ "uri": uri, "kernel": kernel.name });
        for (title, command) in [("▶ Run", commands::RUN_KERNEL), ("OpenCL", commands::GENERATE_OPENCL)] {
            out.push(CodeLens {
                range: lines.range(kernel.focus),
                command: Some(Command {
                    title: title.to_owned(),
                    tooltip: None,
                    command: command.to_owned(),
                    arguments: Some(vec![target.clone()]),
                }),
                data: None,
            });
        }
    }
    Ok(out)
}

/// Documents that are made, not stored: `lift:/explain/CODE.md`, other `lift:` files of analysis, and
/// `lift-opencl:/KERNEL.cl?SOURCE`.
pub fn virtual_text(snap: &Snapshot, uri: &Uri) -> Outcome<TextDocumentContentResult> {
    let answer = |text: &str| Ok(TextDocumentContentResult { text: text.to_owned() });
    if uri.scheme() == commands::OPENCL_SCHEME {
        let (source, kernel) = commands::opencl_source(uri)
            .ok_or_else(|| Failure::invalid(format!("{uri} names no kernel of a program")))?;
        let file = snap.file(&source)?;
        return answer(&commands::compiled(snap, &file, &kernel)?);
    }
    if let Some(code) = uri.as_str().strip_prefix("lift:/explain/").and_then(|rest| rest.strip_suffix(".md")) {
        return match codes::page(code) {
            Some(page) => answer(page),
            None => Err(Failure::invalid(format!("there is no page about {code}"))),
        };
    }
    match snap.analysis.text(&path_of(uri))? {
        Some(text) if uri.scheme() == "lift" => answer(&text),
        _ => Err(Failure::invalid(format!("there is no document {uri}"))),
    }
}
