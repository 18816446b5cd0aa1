//! The capabilities that the server announces.

use super::features::Features;
use super::{command_names, convert, documents};
use lift_analysis::ide::actions::KINDS;
use lift_analysis::ide::typing;
use tower_lsp_server::gen_lsp_types::*;

pub fn server_capabilities(client: &Features) -> ServerCapabilities {
    ServerCapabilities {
        position_encoding: Some(client.encoding.kind()),
        text_document_sync: Some(TextDocumentSync::Options(TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::Incremental),
            save: Some(Save::SaveOptions(SaveOptions { include_text: Some(false) })),
            ..Default::default()
        })),
        hover_provider: Some(true.into()),
        completion_provider: Some(CompletionOptions {
            trigger_characters: Some(["(", "#", ".", "\"", "`"].map(str::to_owned).into()),
            resolve_provider: Some(true),
            ..Default::default()
        }),
        inlay_hint_provider: client
            .options
            .inlay_hints
            .then(|| InlayHintOptions { resolve_provider: Some(client.lazy_hints), ..Default::default() }.into()),
        signature_help_provider: Some(SignatureHelpOptions {
            trigger_characters: Some(["(", " "].map(str::to_owned).into()),
            ..Default::default()
        }),
        semantic_tokens_provider: Some(
            SemanticTokensOptions {
                legend: convert::legend(),
                range: Some(true.into()),
                full: Some(Full::SemanticTokensFullDelta(SemanticTokensFullDelta { delta: Some(true) })),
                ..Default::default()
            }
            .into(),
        ),
        folding_range_provider: Some(true.into()),
        selection_range_provider: Some(true.into()),
        document_highlight_provider: Some(true.into()),
        document_link_provider: Some(DocumentLinkOptions::default()),
        workspace_symbol_provider: Some(true.into()),
        call_hierarchy_provider: Some(true.into()),
        type_definition_provider: Some(true.into()),
        rename_provider: Some(if client.prepare_rename {
            RenameOptions { prepare_provider: Some(true), ..Default::default() }.into()
        } else {
            true.into()
        }),
        definition_provider: Some(true.into()),
        references_provider: Some(true.into()),
        document_symbol_provider: Some(true.into()),
        document_formatting_provider: Some(true.into()),
        document_range_formatting_provider: Some(true.into()),
        document_on_type_formatting_provider: typing::TRIGGERS.split_first().map(|(first, more)| {
            DocumentOnTypeFormattingOptions {
                first_trigger_character: (*first).to_owned(),
                more_trigger_character: Some(more.iter().map(|c| (*c).to_owned()).collect()),
            }
        }),
        linked_editing_range_provider: Some(true.into()),
        code_action_provider: client.code_action_literals.then(|| {
            CodeActionProvider::CodeActionOptions(CodeActionOptions {
                code_action_kinds: Some(action_kinds()),
                resolve_provider: client.lazy_actions.then_some(true),
                ..Default::default()
            })
        }),
        code_lens_provider: client.options.code_lens.then(CodeLensOptions::default),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: command_names::NAMES.map(str::to_owned).into(),
            work_done_progress_options: WorkDoneProgressOptions { work_done_progress: Some(true) },
        }),
        diagnostic_provider: client.pull_diagnostics.then(|| {
            DiagnosticProvider::DiagnosticOptions(DiagnosticOptions {
                identifier: Some("lift".to_owned()),
                inter_file_dependencies: true,
                workspace_diagnostics: true,
                work_done_progress_options: WorkDoneProgressOptions::default(),
            })
        }),
        workspace: Some(WorkspaceOptions {
            workspace_folders: Some(WorkspaceFoldersServerCapabilities {
                supported: Some(true),
                change_notifications: Some(ChangeNotifications::Bool(true)),
            }),
            file_operations: client.will_rename.then(|| FileOperationOptions {
                will_rename: Some(FileOperationRegistrationOptions { filters: moved_files() }),
                ..Default::default()
            }),
            text_document_content: client.text_document_content.then(|| {
                TextDocumentContent::Options(TextDocumentContentOptions {
                    schemes: ["lift", documents::SCHEME].map(str::to_owned).into(),
                })
            }),
        }),
        ..Default::default()
    }
}

/// Programs, and folders, which may have programs in them.
fn moved_files() -> Vec<FileOperationFilter> {
    let filter = |glob: &str, matches| FileOperationFilter {
        scheme: Some("file".to_owned()),
        pattern: FileOperationPattern { glob: glob.to_owned(), matches: Some(matches), options: None },
    };
    vec![filter("**/*.lift", FileOperationPatternKind::File), filter("**", FileOperationPatternKind::Folder)]
}

/// The code action kinds of analysis, and those of commands.
fn action_kinds() -> Vec<CodeActionKind> {
    let kinds = KINDS.iter().copied().chain([
        command_names::OPENCL_ACTION,
        command_names::RUN_ACTION,
        command_names::TUNED_ACTION,
    ]);
    kinds.map(|kind| CodeActionKind::from(kind.to_owned())).collect()
}
