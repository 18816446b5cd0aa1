//! Converts inlay hints.

use super::{Lines, location};
use crate::lsp::snapshot::Snapshot;
use lift_analysis::ide::{self, Cancellable, HintKind};
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

/// A setting for a kind of hints. [`KINDS`] is the single table of the kinds; documentation and editor settings are
/// checked against it.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    pub kind: HintKind,
    /// Name in `initializationOptions.inlayHints`, and after `lift.inlayHints.` in editors.
    pub name: &'static str,
    /// Whether it is shown by default.
    pub on: bool,
    /// Description of the hint's content.
    pub shows: &'static str,
}

pub const KINDS: [Setting; 9] = [
    Setting {
        kind: HintKind::PackUnpack,
        name: "packUnpack",
        on: true,
        shows: "where a hidden length was opened (`unpack X1`) and hidden again (`pack`)",
    },
    Setting {
        kind: HintKind::Type,
        name: "types",
        on: true,
        shows: "the type of a name that has none written (`: Array[Float,X1]`)",
    },
    Setting {
        kind: HintKind::RuntimeCheck,
        name: "checks",
        on: true,
        shows: "a check that is left to the run (`checks 4 divides N`)",
    },
    Setting {
        kind: HintKind::Obligation,
        name: "obligations",
        on: true,
        shows: "lengths that would have to be equal and are not known to be (`✗ X1 = X2`)",
    },
    Setting {
        kind: HintKind::Position,
        name: "positions",
        on: true,
        shows: "that a function is checked for every position of an array (`i =>`)",
    },
    Setting {
        kind: HintKind::Slow,
        name: "slow",
        on: true,
        shows: "where the program is far slower than a GPU (`by one work-item`, `far apart`)",
    },
    Setting {
        kind: HintKind::Placement,
        name: "placements",
        on: false,
        shows: "where the compiler runs what the program does not place (`Glb0` after `map`)",
    },
    Setting {
        kind: HintKind::Memory,
        name: "memory",
        on: false,
        shows: "what is stored on the way, and how large it is (`global 4*N bytes`)",
    },
    Setting {
        kind: HintKind::Default,
        name: "defaults",
        on: false,
        shows: "the type of a number that nothing decides (`: Int -> Int -> Int` after `+`)",
    },
];

/// A sentence on how to disable hints of a kind.
pub fn how_to_hide(kind: HintKind) -> String {
    let name = KINDS.iter().find(|other| other.kind == kind).map_or("", |other| other.name);
    format!("Off with the setting `inlayHints.{name}`.")
}
