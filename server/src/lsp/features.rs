//! What the client can do, read once from `initialize`, and what the server says it can.

use super::child::RunLimits;
use super::commands;
use super::convert::Encoding;
use super::views;
use lift_analysis::ide::{EXPLICIT_FILE, EXPLICIT_FORM, EXPLICIT_HERE, IMPLICIT, QUICK_FIX};
use lift_codegen::target::Target;
use serde_json::Value;
use std::time::Duration;
use tower_lsp_server::gen_lsp_types::*;

/// What the client said about itself.
#[derive(Debug, Clone, Default)]
pub struct Features {
    pub encoding: Encoding,
    pub markdown_hover: bool,
    pub related_information: bool,
    pub code_description: bool,
    pub diagnostic_tags: bool,
    /// The client asks for diagnostics; nothing is pushed.
    pub pull_diagnostics: bool,
    pub definition_links: bool,
    pub hierarchical_symbols: bool,
    /// Versioned edits.
    pub document_changes: bool,
    pub code_action_literals: bool,
    /// Text with holes can be inserted.
    pub snippets: bool,
    pub completion_label_details: bool,
    /// The documentation of completions and signatures may be Markdown.
    pub markdown_documentation: bool,
    pub progress: bool,
    /// The client opens documents when it is asked to.
    pub show_document: bool,
    pub watch_files: bool,
    pub refresh_diagnostics: bool,
    pub refresh_hints: bool,
    /// The client opens documents of our schemes by itself (`workspace/textDocumentContent`).
    pub text_document_content: bool,
    pub options: Options,
}

/// `initializationOptions`; what is not understood is left out.
#[derive(Debug, Clone)]
pub struct Options {
    /// `runTimeLimit` in seconds, `runMemoryLimit` in megabytes, `runRepeats`: what a run may take.
    pub run: RunLimits,
    /// `target`: what the generated texts that are shown are generated for.
    pub target: Target,
    /// `codeLens`: whether to offer lenses above kernels.
    pub code_lens: bool,
    /// `inlayHints`: whether to offer hints.
    pub inlay_hints: bool,
    /// `runTimes`: whether times of runs are among the hints.
    pub run_times: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            run: RunLimits::default(),
            target: Target::portable(),
            code_lens: true,
            inlay_hints: true,
            run_times: true,
        }
    }
}

impl Options {
    pub fn from_json(options: Option<&Value>) -> Options {
        let mut out = Options::default();
        let field = |name: &str| options.and_then(|o| o.get(name));
        if let Some(seconds) = field("runTimeLimit").and_then(Value::as_f64) {
            // a day is for ever
            out.run.time = Duration::try_from_secs_f64(seconds.clamp(0.1, 86_400.0)).unwrap_or(out.run.time);
        }
        if let Some(megabytes) = field("runMemoryLimit").and_then(Value::as_u64) {
            out.run.memory = megabytes.max(1);
        }
        if let Some(target) = field("target").and_then(Value::as_str).and_then(|name| name.parse().ok()) {
            out.target = target;
        }
        if let Some(times) = field("runRepeats").and_then(Value::as_u64) {
            out.run.repeats = times.clamp(1, 10_000) as u32;
        }
        if let Some(on) = field("runTimes").and_then(Value::as_bool) {
            out.run_times = on;
        }
        if let Some(on) = field("codeLens").and_then(Value::as_bool) {
            out.code_lens = on;
        }
        if let Some(on) = field("inlayHints").and_then(Value::as_bool) {
            out.inlay_hints = on;
        }
        out
    }
}

impl Features {
    pub fn of(params: &InitializeParams) -> Features {
        let general = params.capabilities.general.as_ref();
        let offered = general.and_then(|g| g.position_encodings.as_deref());
        let text = params.capabilities.text_document.clone().unwrap_or_default();
        let workspace = params.capabilities.workspace.clone().unwrap_or_default();
        let window = params.capabilities.window.unwrap_or_default();
        let options = params.initialization_options.as_ref();
        let publish = text.publish_diagnostics.as_ref().map(|p| &p.diagnostics_capabilities);
        let yes = |o: Option<bool>| o.unwrap_or(false);
        let item = text.completion.as_ref().and_then(|c| c.completion_item.as_ref());
        let markdown = |formats: Option<&[MarkupKind]>| formats.is_some_and(|f| f.contains(&MarkupKind::Markdown));
        let markdown_documentation = markdown(item.and_then(|i| i.documentation_format.as_deref()));
        let (snippets, label_details) =
            (yes(item.and_then(|i| i.snippet_support)), yes(item.and_then(|i| i.label_details_support)));
        Features {
            encoding: Encoding::negotiate(offered),
            // the formats are in the client's order of preference
            markdown_hover: text
                .hover
                .and_then(|h| h.content_format)
                .is_some_and(|formats| formats.first() == Some(&MarkupKind::Markdown)),
            related_information: yes(publish.and_then(|p| p.related_information)),
            code_description: yes(publish.and_then(|p| p.code_description_support)),
            diagnostic_tags: publish.is_some_and(|p| p.tag_support.is_some()),
            pull_diagnostics: match options.and_then(|o| o.get("diagnostics")).and_then(Value::as_str) {
                Some("pull") => true,
                Some("push") => false,
                // a client that has both would show every diagnostic twice
                _ => text.diagnostic.is_some() && text.publish_diagnostics.is_none(),
            },
            definition_links: yes(text.definition.and_then(|d| d.link_support)),
            hierarchical_symbols: yes(text.document_symbol.and_then(|d| d.hierarchical_document_symbol_support)),
            document_changes: yes(workspace.workspace_edit.and_then(|w| w.document_changes)),
            code_action_literals: text.code_action.is_some_and(|c| c.code_action_literal_support.is_some()),
            snippets,
            completion_label_details: label_details,
            markdown_documentation,
            progress: yes(window.work_done_progress),
            show_document: window.show_document.is_some_and(|s| s.support),
            watch_files: yes(workspace.did_change_watched_files.and_then(|w| w.dynamic_registration)),
            refresh_diagnostics: yes(workspace.diagnostics.and_then(|d| d.refresh_support)),
            refresh_hints: yes(workspace.inlay_hint.and_then(|h| h.refresh_support)),
            text_document_content: workspace.text_document_content.is_some(),
            options: Options::from_json(options),
        }
    }
}

pub fn server_capabilities(client: &Features) -> ServerCapabilities {
    let kinds = [
        QUICK_FIX,
        EXPLICIT_HERE,
        EXPLICIT_FORM,
        IMPLICIT,
        EXPLICIT_FILE,
        commands::OPENCL_ACTION,
        commands::RUN_ACTION,
    ];
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
            trigger_characters: Some(["(", "#", ".", "\""].map(str::to_owned).into()),
            resolve_provider: Some(true),
            ..Default::default()
        }),
        inlay_hint_provider: client.options.inlay_hints.then(|| true.into()),
        definition_provider: Some(true.into()),
        references_provider: Some(true.into()),
        document_symbol_provider: Some(true.into()),
        document_formatting_provider: Some(true.into()),
        code_action_provider: client.code_action_literals.then(|| {
            CodeActionProvider::CodeActionOptions(CodeActionOptions {
                code_action_kinds: Some(kinds.map(|k| CodeActionKind::from(k.to_owned())).into()),
                ..Default::default()
            })
        }),
        code_lens_provider: client.options.code_lens.then(CodeLensOptions::default),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: commands::NAMES.map(str::to_owned).into(),
            work_done_progress_options: WorkDoneProgressOptions { work_done_progress: Some(true) },
        }),
        diagnostic_provider: client.pull_diagnostics.then(|| {
            DiagnosticProvider::DiagnosticOptions(DiagnosticOptions {
                identifier: Some("lift".to_owned()),
                inter_file_dependencies: true,
                workspace_diagnostics: false,
                work_done_progress_options: WorkDoneProgressOptions::default(),
            })
        }),
        workspace: Some(WorkspaceOptions {
            workspace_folders: Some(WorkspaceFoldersServerCapabilities {
                supported: Some(true),
                change_notifications: Some(ChangeNotifications::Bool(true)),
            }),
            text_document_content: client.text_document_content.then(|| {
                TextDocumentContent::Options(TextDocumentContentOptions {
                    schemes: ["lift", views::SCHEME].map(str::to_owned).into(),
                })
            }),
            ..Default::default()
        }),
        ..Default::default()
    }
}
