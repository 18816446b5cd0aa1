//! Inlay hints.

use super::{Lines, location};
use crate::lsp::snapshot::Snapshot;
use lift_analysis::ide::{self, Cancellable};
use tower_lsp_server::gen_lsp_types::*;

pub fn inlay_hint(snap: &Snapshot, lines: &Lines, hint: ide::InlayHint) -> Cancellable<InlayHint> {
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
        tooltip: (!hint.tooltip.is_empty()).then_some(Tooltip::String(hint.tooltip)),
        padding_left: Some(hint.padding_left),
        padding_right: Some(hint.padding_right),
        data: None,
    })
}
