//! The settings for the kinds of hints.

use lift_analysis::ide::HintKind;

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
        shows: "the inferred type of a name (`: Array[Float,X1]`)",
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
        shows: "where the program is far slower than the device allows (`by one work-item`, `far apart`)",
    },
    Setting {
        kind: HintKind::Placement,
        name: "placements",
        on: false,
        shows: "where the compiler runs unplaced operations (`Glb0` after `map`)",
    },
    Setting {
        kind: HintKind::Memory,
        name: "memory",
        on: false,
        shows: "stored intermediate results and their sizes (`global 4*N bytes`)",
    },
    Setting {
        kind: HintKind::Default,
        name: "defaults",
        on: false,
        shows: "the default type of a number (`: Int -> Int -> Int` after `+`)",
    },
];

/// A sentence on how to disable hints of a kind.
pub fn how_to_hide(kind: HintKind) -> String {
    let name = KINDS.iter().find(|other| other.kind == kind).map_or("", |other| other.name);
    format!("Off with the setting `inlayHints.{name}`.")
}
