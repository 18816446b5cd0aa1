//! Converts inlay hints.

use super::{Lines, location};
use crate::lsp::hint_settings::KINDS;
use crate::lsp::snapshot::Snapshot;
use lift_analysis::ide::{self, Cancellable};
use serde_json::json;
use tower_lsp_server::gen_lsp_types::*;

/// Converts a hint. If the client resolves hints, tooltip and edit are omitted, and `data` identifies the hint.
pub fn inlay_hint(snap: &Snapshot, uri: &Uri, lines: &Lines, hint: ide::InlayHint) -> Cancellable<InlayHint> {
    let data = json!({
        "uri": uri,
        "offset": u32::from(hint.offset),
        "kind": KINDS.iter().position(|setting| setting.kind == hint.kind),
        "label": hint.parts.iter().map(|part| &*part.text).collect::<String>(),
        "tooltip": hint.tooltip,
    });
    let mut parts = Vec::new();
    for part in hint.parts {
        let location = match &part.target {
            Some(target) => location(snap, target)?,
            None => None,
        };
        parts.push(InlayHintLabelPart { value: part.text, tooltip: None, location, command: None });
    }
    Ok(InlayHint {
        position: lines.position(hint.offset),
        label: Label::InlayHintLabelPartList(parts),
        kind: (hint.kind == ide::HintKind::Type).then_some(InlayHintKind::Type),
        text_edits: None,
        tooltip: (!hint.tooltip.is_empty() && !snap.features.lazy_hints).then_some(Tooltip::String(hint.tooltip)),
        padding_left: Some(hint.padding_left),
        padding_right: Some(hint.padding_right),
        data: snap.features.lazy_hints.then_some(data),
    })
}
