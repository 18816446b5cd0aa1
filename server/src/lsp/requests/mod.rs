//! Reads: each converts a request's parameters, queries the snapshot and converts the answer. This module has the
//! requests about one position; the submodules have one group of features each.
//!
//! | module | job |
//! |---|---|
//! | `changes` | reads that change the program |
//! | `completion` | completions and signature help |
//! | `diagnostics` | pulled diagnostics, of a document or of all files of the session |
//! | `documents` | lenses, and documents provided by the server |
//! | `generated` | mapping between programs and generated texts |
//! | `moves` | imports of files that are about to be moved |
//! | `structure` | structure of a document and of the program |
//! | `tokens` | semantic tokens |

mod changes;
mod completion;
mod diagnostics;
mod documents;
mod generated;
mod moves;
mod structure;
mod tokens;

pub use changes::{code_actions, format, format_range, linked_ranges, on_type, prepare_rename, rename, resolve_action};
pub use completion::{completion, resolve_completion, signature_help};
pub use diagnostics::{pull_diagnostics, workspace_diagnostics};
pub use documents::{code_lenses, virtual_text};
pub use generated::{GeneratedRangesParams, SourceRange, SourceRangeParams, generated_ranges, source_range};
pub use moves::will_rename;
pub use structure::{
    folding_ranges, highlights, incoming_calls, links, outgoing_calls, prepare_calls, selection_ranges,
    workspace_symbols,
};
pub use tokens::{TokenCache, semantic_tokens, semantic_tokens_delta, semantic_tokens_range};

use super::compiled_hints;
use super::convert;
use super::costs;
use super::documents::SCHEME;
use super::hint_settings;
use super::measured;
use super::outcome::Outcome;
use super::snapshot::{File, Snapshot};
use lift_analysis::ide;
use lift_syntax::TextRange;
use tower_lsp_server::gen_lsp_types::*;

/// Returns the hover at a position, and the kernel whose cost is appended to it.
pub fn hover(snap: &Snapshot, at: &TextDocumentPositionParams) -> Outcome<(Option<Hover>, Option<costs::Asked>)> {
    if at.text_document.uri.scheme() == SCHEME {
        return Ok((generated::hover(snap, at)?, None));
    }
    let File { path, lines } = snap.file(&at.text_document.uri)?;
    let hover = snap.analysis.hover(&path, TextRange::empty(lines.offset(at.position)))?;
    let cost = costs::asked(snap, &path, &lines, at.position)?;
    Ok((hover.map(|h| convert::hover(&lines, &snap.features, h)), cost))
}

/// As [`hover`], for a selection: its type.
pub fn hover_range(snap: &Snapshot, params: &HoverRangeParams) -> Outcome<Option<Hover>> {
    let File { path, lines } = snap.file(&params.text_document.uri)?;
    let hover = snap.analysis.hover(&path, lines.text_range(params.range))?;
    Ok(hover.map(|h| convert::hover(&lines, &snap.features, h)))
}

/// Parameters of `lift/hoverRange`.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HoverRangeParams {
    pub text_document: TextDocumentIdentifier,
    pub range: Range,
}

pub fn inlay_hints(snap: &Snapshot, params: &InlayHintParams) -> Outcome<Vec<InlayHint>> {
    let uri = &params.text_document.uri;
    let File { path, lines } = snap.file(uri)?;
    let range = lines.text_range(params.range);
    let mut hints = snap.analysis.inlay_hints(&path, range)?;
    let options = &snap.features.options;
    hints.retain(|hint| {
        options.shows(hint.kind) && !(hint.kind == ide::HintKind::Obligation && options.paints_obligations)
    });
    hints.extend(compiled_hints::hints(snap, &path, range)?);
    let mut out: Vec<InlayHint> =
        hints.into_iter().map(|h| convert::inlay_hint(snap, uri, &lines, h)).collect::<Result<_, _>>()?;
    if snap.features.options.run_times {
        out.extend(measured::hints(snap, &path, &lines, range)?);
    }
    Ok(out)
}

/// Adds the tooltip and the edit of a hint. A hint without `data` is returned unchanged.
pub fn resolve_hint(snap: &Snapshot, mut hint: InlayHint) -> Outcome<InlayHint> {
    let Some(data) = hint.data.take() else { return Ok(hint) };
    let number = |name: &str| data.get(name).and_then(serde_json::Value::as_u64);
    let uri = data.get("uri").and_then(|uri| uri.as_str()).and_then(|uri| uri.parse::<Uri>().ok());
    let kind = number("kind").and_then(|kind| hint_settings::KINDS.get(kind as usize));
    if let (Some(uri), Some(offset), Some(hint_settings::Setting { kind, .. })) = (uri, number("offset"), kind) {
        let File { path, lines } = snap.file(&uri)?;
        let offset = lift_syntax::TextSize::new(u32::try_from(offset).unwrap_or(u32::MAX));
        let label = data.get("label").and_then(|text| text.as_str()).unwrap_or_default();
        let edits = snap.analysis.hint_edits(&path, offset, *kind, label)?;
        if !edits.is_empty() {
            hint.text_edits = Some(edits.iter().map(|edit| lines.text_edit(edit)).collect());
        }
        let about = data.get("tooltip").and_then(|text| text.as_str()).unwrap_or_default();
        hint.tooltip = Some(Tooltip::String(format!("{about}. {}", hint_settings::how_to_hide(*kind))));
    }
    Ok(hint)
}

pub fn definition(snap: &Snapshot, at: &TextDocumentPositionParams) -> Outcome<Option<DefinitionResponse>> {
    if at.text_document.uri.scheme() == SCHEME {
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

/// Returns where the type at a position is written, and where its lengths come from.
pub fn type_definition(snap: &Snapshot, at: &TextDocumentPositionParams) -> Outcome<Vec<Location>> {
    let File { path, lines } = snap.file(&at.text_document.uri)?;
    let mut out = Vec::new();
    for target in snap.analysis.type_definition(&path, lines.offset(at.position))? {
        out.extend(convert::location(snap, &target.file)?);
    }
    Ok(out)
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
