//! Converts locations, definitions and symbols.

use super::Lines;
use crate::lsp::features::Features;
use crate::lsp::snapshot::Snapshot;
use lift_analysis::ide::{self, Cancellable, FileRange};
use tower_lsp_server::gen_lsp_types::*;

/// Converts a location; `None` for a file without a URI.
pub fn location(snap: &Snapshot, at: &FileRange) -> Cancellable<Option<Location>> {
    let Some(lines) = snap.lines(&at.path)? else {
        return Ok(None);
    };
    Ok(snap.uri(&at.path).map(|uri| Location { uri, range: lines.range(at.range) }))
}

pub fn definitions(snap: &Snapshot, origin: Range, targets: &[ide::NavTarget]) -> Cancellable<DefinitionResponse> {
    let (mut links, mut locations) = (Vec::new(), Vec::new());
    for target in targets {
        let (Some(lines), Some(uri)) = (snap.lines(&target.file.path)?, snap.uri(&target.file.path)) else {
            continue;
        };
        let selection = lines.range(target.focus);
        locations.push(Location { uri: uri.clone(), range: selection });
        links.push(LocationLink {
            // The client highlights the word at the cursor by default.
            origin_selection_range: (origin.start != origin.end).then_some(origin),
            target_uri: uri,
            target_range: lines.range(target.file.range.cover(target.focus)),
            target_selection_range: selection,
        });
    }
    Ok(if snap.features.definition_links { links.into() } else { Definition::LocationList(locations).into() })
}

#[allow(deprecated)] // The struct requires the field.
pub fn symbols(uri: &Uri, lines: &Lines, features: &Features, symbols: Vec<ide::Symbol>) -> DocumentSymbolResponse {
    if features.hierarchical_symbols {
        let symbol = |s: ide::Symbol| DocumentSymbol {
            name: s.name,
            detail: (!s.detail.is_empty()).then_some(s.detail),
            kind: symbol_kind(s.kind),
            tags: None,
            deprecated: None,
            range: lines.range(s.range.cover(s.focus)),
            selection_range: lines.range(s.focus),
            children: None,
        };
        return symbols.into_iter().map(symbol).collect::<Vec<_>>().into();
    }
    let symbol = |s: ide::Symbol| SymbolInformation {
        deprecated: None,
        location: Location { uri: uri.clone(), range: lines.range(s.range) },
        base_symbol_information: BaseSymbolInformation {
            name: s.name,
            kind: symbol_kind(s.kind),
            tags: None,
            container_name: None,
        },
    };
    symbols.into_iter().map(symbol).collect::<Vec<_>>().into()
}

pub fn symbol_kind(kind: ide::SymbolKind) -> SymbolKind {
    match kind {
        ide::SymbolKind::Function => SymbolKind::Function,
        // The protocol has no kernels; methods look different from functions.
        ide::SymbolKind::Kernel => SymbolKind::Method,
        ide::SymbolKind::Constant => SymbolKind::Constant,
        ide::SymbolKind::Import => SymbolKind::Module,
    }
}
