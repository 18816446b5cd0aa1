//! Converts completions and signatures.

use super::Lines;
use crate::lsp::features::Features;
use lift_analysis::ide::completion::{CompletionItem as Item, CompletionKind, Completions};
use lift_analysis::ide::signature_help::SignatureHelp as Help;
use serde_json::json;
use tower_lsp_server::gen_lsp_types::*;

/// Converts completions. `data` of an item holds document and name, for resolving its documentation.
pub fn completion_list(uri: &Uri, lines: &Lines, features: &Features, found: Completions) -> CompletionList {
    let range = lines.range(found.replace);
    let items =
        found.items.into_iter().enumerate().map(|(rank, item)| completion(uri, lines, features, range, rank, item));
    CompletionList { is_incomplete: !found.complete, items: items.collect(), ..Default::default() }
}

fn completion(uri: &Uri, lines: &Lines, features: &Features, range: Range, rank: usize, item: Item) -> CompletionItem {
    let snippet = item.insert.as_snippet().filter(|_| features.snippets);
    // Without snippets the placeholders would have to be deleted, so only a name or a rewriting is inserted.
    let text = match (&snippet, item.kind) {
        (Some(snippet), _) => snippet.clone(),
        (None, CompletionKind::Postfix | CompletionKind::File) => item.insert.plain(),
        (None, _) => item.label.clone(),
    };
    let additional: Vec<TextEdit> = item.additional.iter().map(|edit| lines.text_edit(edit)).collect();
    CompletionItem {
        label: item.label,
        label_details: (item.source.is_some() && features.completion_label_details)
            .then_some(CompletionItemLabelDetails { detail: None, description: item.source }),
        kind: Some(kind(item.kind)),
        detail: (!item.detail.is_empty()).then_some(item.detail),
        // Editors sort by this text; it keeps our order.
        sort_text: Some(format!("{rank:04}")),
        filter_text: item.filter,
        insert_text_format: snippet.is_some().then_some(InsertTextFormat::Snippet),
        text_edit: Some(CompletionItemTextEdit::TextEdit(TextEdit { range, new_text: text })),
        additional_text_edits: (!additional.is_empty()).then_some(additional),
        data: item.documented.map(|name| json!({ "uri": uri, "name": *name })),
        ..Default::default()
    }
}

fn kind(kind: CompletionKind) -> CompletionItemKind {
    match kind {
        CompletionKind::Local => CompletionItemKind::Variable,
        CompletionKind::Size => CompletionItemKind::TypeParameter,
        CompletionKind::Definition => CompletionItemKind::Function,
        CompletionKind::Kernel => CompletionItemKind::Method,
        CompletionKind::Primitive => CompletionItemKind::Operator,
        CompletionKind::Word => CompletionItemKind::Keyword,
        CompletionKind::Type => CompletionItemKind::Struct,
        CompletionKind::Postfix => CompletionItemKind::Snippet,
        CompletionKind::File => CompletionItemKind::File,
    }
}

/// Converts signature help. Parameters are UTF-16 offsets into the label, or texts for clients without offsets.
pub fn signature_help(features: &Features, help: Help) -> SignatureHelp {
    let units = |end: usize| help.label[..end].encode_utf16().count() as u32;
    let parameters: Vec<ParameterInformation> = help
        .parameters
        .iter()
        .map(|range| ParameterInformation {
            label: match features.label_offsets {
                true => ParameterInformationLabel::Tuple((units(range.start), units(range.end))),
                false => ParameterInformationLabel::String(help.label[range.clone()].to_owned()),
            },
            documentation: None,
        })
        .collect();
    let active = ActiveParameter::Int(help.active as u32);
    SignatureHelp {
        signatures: vec![SignatureInformation {
            label: help.label.clone(),
            documentation: help.documentation.map(|text| super::documentation(features, text)),
            parameters: Some(parameters),
            active_parameter: None,
        }],
        active_signature: Some(0),
        active_parameter: Some(active),
    }
}
