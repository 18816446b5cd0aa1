//! Inlay hints.

use super::{Lines, location};
use crate::lsp::snapshot::Snapshot;
use lift_analysis::ide::{self, Cancellable, HintKind};
use serde_json::json;
use tower_lsp_server::gen_lsp_types::*;

/// Where the client asks for it, the tooltip and the edit come later: `data` says what of.
pub fn inlay_hint(snap: &Snapshot, uri: &Uri, lines: &Lines, hint: ide::InlayHint) -> Cancellable<InlayHint> {
    let data = json!({
        "uri": uri,
        "offset": u32::from(hint.offset),
        "kind": KINDS.iter().position(|(kind, ..)| *kind == hint.kind),
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

/// Each kind with its name in the settings, and whether it is shown if they say nothing.
pub const KINDS: [(HintKind, &str, bool); 5] = [
    (HintKind::PackUnpack, "packUnpack", true),
    (HintKind::Type, "types", true),
    (HintKind::RuntimeCheck, "checks", true),
    (HintKind::Default, "defaults", false),
    (HintKind::Position, "positions", true),
];

/// One sentence on how to be rid of hints of a kind.
pub fn how_to_hide(kind: HintKind) -> String {
    let name = KINDS.iter().find(|(other, ..)| *other == kind).map_or("", |(_, name, _)| name);
    format!("Off with the setting `inlayHints.{name}`.")
}
