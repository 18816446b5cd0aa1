//! Reads: a request's parameters, the snapshot asked, the answer in the protocol's terms. Here what is shown at a place; a
//! module for each other group of features.

mod changes;
mod completion;
mod diagnostics;
mod documents;
mod generated;

pub use changes::{code_actions, format};
pub use completion::{completion, resolve_completion};
pub use diagnostics::pull_diagnostics;
pub use documents::{code_lenses, virtual_text};
pub use generated::{GeneratedRangesParams, SourceRange, SourceRangeParams, generated_ranges, source_range};

use super::convert;
use super::measured;
use super::snapshot::{File, Outcome, Snapshot};
use super::views;
use lift_syntax::TextRange;
use tower_lsp_server::gen_lsp_types::*;

pub fn hover(snap: &Snapshot, at: &TextDocumentPositionParams) -> Outcome<Option<Hover>> {
    if at.text_document.uri.scheme() == views::SCHEME {
        return generated::hover(snap, at);
    }
    let File { path, lines } = snap.file(&at.text_document.uri)?;
    let hover = snap.analysis.hover(&path, TextRange::empty(lines.offset(at.position)))?;
    Ok(hover.map(|h| convert::hover(&lines, &snap.features, h)))
}

pub fn inlay_hints(snap: &Snapshot, params: &InlayHintParams) -> Outcome<Vec<InlayHint>> {
    let File { path, lines } = snap.file(&params.text_document.uri)?;
    let range = lines.text_range(params.range);
    let hints = snap.analysis.inlay_hints(&path, range)?;
    let mut out: Vec<InlayHint> =
        hints.into_iter().map(|h| convert::inlay_hint(snap, &lines, h)).collect::<Result<_, _>>()?;
    if snap.features.options.run_times {
        out.extend(measured::hints(snap, &path, &lines, range)?);
    }
    Ok(out)
}

pub fn definition(snap: &Snapshot, at: &TextDocumentPositionParams) -> Outcome<Option<DefinitionResponse>> {
    if at.text_document.uri.scheme() == views::SCHEME {
        return generated::definition(snap, at);
    }
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
