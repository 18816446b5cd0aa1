//! Completions and signature help.

use crate::lsp::convert;
use crate::lsp::documents::path_of;
use crate::lsp::outcome::Outcome;
use crate::lsp::snapshot::{File, Snapshot};
use tower_lsp_server::gen_lsp_types::*;

pub fn completion(snap: &Snapshot, at: &TextDocumentPositionParams) -> Outcome<CompletionList> {
    let File { path, lines } = snap.file(&at.text_document.uri)?;
    let found = snap.analysis.completions(&path, lines.offset(at.position))?;
    Ok(convert::completion_list(&at.text_document.uri, &lines, &snap.features, found))
}

/// Adds the documentation of the completed name. An item without `data`, or whose name no longer exists, is returned
/// unchanged.
pub fn resolve_completion(snap: &Snapshot, mut item: CompletionItem) -> Outcome<CompletionItem> {
    let field = |name: &str| item.data.as_ref()?.get(name)?.as_str().map(str::to_owned);
    if let (Some(uri), Some(name)) = (field("uri").and_then(|uri| uri.parse::<Uri>().ok()), field("name"))
        && let Some(text) = snap.analysis.completion_documentation(&path_of(&uri), &name)?
    {
        item.documentation = Some(convert::documentation(&snap.features, text));
    }
    Ok(item)
}

pub fn signature_help(snap: &Snapshot, at: &TextDocumentPositionParams) -> Outcome<Option<SignatureHelp>> {
    let File { path, lines } = snap.file(&at.text_document.uri)?;
    let help = snap.analysis.signature_help(&path, lines.offset(at.position))?;
    Ok(help.map(|help| convert::signature_help(&snap.features, help)))
}
