//! Structure of a document and of the program: folding, selections, links, workspace symbols, calls.

use crate::lsp::convert;
use crate::lsp::documents::path_of;
use crate::lsp::outcome::Outcome;
use crate::lsp::snapshot::{File, Snapshot};
use lift_analysis::ide::call_hierarchy::{Call, CallItem};
use lift_analysis::ide::structure::FoldKind;
use lift_syntax::TextRange;
use tower_lsp_server::gen_lsp_types::*;

pub fn folding_ranges(snap: &Snapshot, uri: &Uri) -> Outcome<Vec<FoldingRange>> {
    let File { path, lines } = snap.file(uri)?;
    let folds = snap.analysis.folds(&path)?.into_iter().map(|fold| {
        let range = lines.range(fold.range);
        let whole_lines = snap.features.folds_whole_lines;
        FoldingRange {
            start_line: range.start.line,
            start_character: (!whole_lines).then_some(range.start.character),
            end_line: range.end.line,
            end_character: (!whole_lines).then_some(range.end.character),
            kind: match fold.kind {
                FoldKind::Form => None,
                FoldKind::Comment => Some(FoldingRangeKind::Comment),
                FoldKind::Imports => Some(FoldingRangeKind::Imports),
            },
            collapsed_text: None,
        }
    });
    Ok(folds.collect())
}

/// Returns one chain of ranges per position, in their order.
pub fn selection_ranges(snap: &Snapshot, params: &SelectionRangeParams) -> Outcome<Vec<SelectionRange>> {
    let File { path, lines } = snap.file(&params.text_document.uri)?;
    let mut out = Vec::new();
    for &position in &params.positions {
        let ranges = snap.analysis.selection_ranges(&path, lines.offset(position))?;
        let chain = ranges.iter().rev().fold(None, |parent: Option<Box<SelectionRange>>, range| {
            Some(Box::new(SelectionRange { range: lines.range(*range), parent }))
        });
        let nothing = || SelectionRange { range: Range::new(position, position), parent: None };
        out.push(chain.map_or_else(nothing, |chain| *chain));
    }
    Ok(out)
}

pub fn links(snap: &Snapshot, uri: &Uri) -> Outcome<Vec<DocumentLink>> {
    let File { path, lines } = snap.file(uri)?;
    let links = snap.analysis.links(&path)?.into_iter().filter_map(|(range, target)| {
        let target = snap.uri(&target)?;
        Some(DocumentLink { range: lines.range(range), target: Some(target), tooltip: None, data: None })
    });
    Ok(links.collect())
}

pub fn highlights(snap: &Snapshot, at: &TextDocumentPositionParams) -> Outcome<Vec<DocumentHighlight>> {
    let File { path, lines } = snap.file(&at.text_document.uri)?;
    let found = snap.analysis.highlights(&path, lines.offset(at.position))?.into_iter().map(|h| DocumentHighlight {
        range: lines.range(h.range),
        kind: Some(if h.binds { DocumentHighlightKind::Write } else { DocumentHighlightKind::Read }),
    });
    Ok(found.collect())
}

pub fn workspace_symbols(snap: &Snapshot, query: &str) -> Outcome<Vec<WorkspaceSymbol>> {
    let mut out = Vec::new();
    for (path, symbol) in snap.analysis.workspace_symbols(query)? {
        let (Some(lines), Some(uri)) = (snap.lines(&path)?, snap.uri(&path)) else { continue };
        out.push(WorkspaceSymbol {
            location: Location { uri, range: lines.range(symbol.focus) }.into(),
            data: None,
            base_symbol_information: BaseSymbolInformation {
                name: symbol.name,
                kind: convert::symbol_kind(symbol.kind),
                tags: None,
                container_name: path.rsplit('/').next().map(str::to_owned),
            },
        });
    }
    Ok(out)
}

pub fn prepare_calls(snap: &Snapshot, at: &TextDocumentPositionParams) -> Outcome<Option<Vec<CallHierarchyItem>>> {
    let File { path, lines } = snap.file(&at.text_document.uri)?;
    let found = snap.analysis.call_item(&path, lines.offset(at.position))?;
    match found {
        Some(found) => Ok(item(snap, found)?.map(|item| vec![item])),
        None => Ok(None),
    }
}

fn item(snap: &Snapshot, CallItem { path, symbol }: CallItem) -> Outcome<Option<CallHierarchyItem>> {
    let (Some(lines), Some(uri)) = (snap.lines(&path)?, snap.uri(&path)) else { return Ok(None) };
    Ok(Some(CallHierarchyItem {
        name: symbol.name,
        kind: convert::symbol_kind(symbol.kind),
        tags: None,
        detail: (!symbol.detail.is_empty()).then_some(symbol.detail),
        uri,
        range: lines.range(symbol.range.cover(symbol.focus)),
        selection_range: lines.range(symbol.focus),
        data: None,
    }))
}

/// Returns the calls to or from a definition; the ranges are in the caller's file.
fn calls(snap: &Snapshot, of: &CallHierarchyItem, incoming: bool) -> Outcome<Vec<(CallHierarchyItem, Vec<Range>)>> {
    let File { path, lines } = snap.file(&of.uri)?;
    let name = lines.offset(of.selection_range.start);
    let found: Vec<Call> = match incoming {
        true => snap.analysis.incoming_calls(&path, name)?,
        false => snap.analysis.outgoing_calls(&path, name)?,
    };
    let mut out = Vec::new();
    for call in found {
        let from = if incoming { call.item.path.clone() } else { path_of(&of.uri) };
        let Some(lines) = snap.lines(&from)? else { continue };
        let ranges = call.places.iter().map(|place: &TextRange| lines.range(*place)).collect();
        out.extend(item(snap, call.item)?.map(|item| (item, ranges)));
    }
    Ok(out)
}

pub fn incoming_calls(snap: &Snapshot, of: &CallHierarchyItem) -> Outcome<Vec<CallHierarchyIncomingCall>> {
    let found = calls(snap, of, true)?.into_iter();
    Ok(found.map(|(from, from_ranges)| CallHierarchyIncomingCall { from, from_ranges }).collect())
}

pub fn outgoing_calls(snap: &Snapshot, of: &CallHierarchyItem) -> Outcome<Vec<CallHierarchyOutgoingCall>> {
    let found = calls(snap, of, false)?.into_iter();
    Ok(found.map(|(to, from_ranges)| CallHierarchyOutgoingCall { to, from_ranges }).collect())
}
