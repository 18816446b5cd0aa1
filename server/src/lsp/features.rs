//! Capabilities of the client, read once from `initialize`, and of the server.

use super::child::RunLimits;
use super::encoding::Encoding;
use super::hint_settings;
use lift_analysis::ide::HintKind;
use lift_codegen::target::Target;
use serde_json::Value;
use std::time::Duration;
use tower_lsp_server::gen_lsp_types::*;

/// The client's capabilities.
#[derive(Debug, Clone, Default)]
pub struct Features {
    pub encoding: Encoding,
    pub markdown_hover: bool,
    pub related_information: bool,
    pub code_description: bool,
    pub diagnostic_tags: bool,
    /// Whether the client pulls diagnostics; then none are pushed.
    pub pull_diagnostics: bool,
    pub definition_links: bool,
    pub hierarchical_symbols: bool,
    /// Whether the client accepts versioned edits.
    pub document_changes: bool,
    pub code_action_literals: bool,
    /// Whether the client resolves the edit of a code action when it is chosen.
    pub lazy_actions: bool,
    /// Whether the client can insert snippets with placeholders.
    pub snippets: bool,
    pub completion_label_details: bool,
    /// Whether the client resolves tooltip and edit of a hint on demand.
    pub lazy_hints: bool,
    /// Whether the client checks that a name can be renamed before it asks for the new name.
    pub prepare_rename: bool,
    /// Whether parameters of a signature may be offsets into its label.
    pub label_offsets: bool,
    /// Whether the client folds whole lines only.
    pub folds_whole_lines: bool,
    /// Whether documentation of completions and signatures may be Markdown.
    pub markdown_documentation: bool,
    pub progress: bool,
    /// Whether the client opens documents on the server's request.
    pub show_document: bool,
    pub watch_files: bool,
    /// Whether the client asks for edits before it renames files.
    pub will_rename: bool,
    pub refresh_diagnostics: bool,
    pub refresh_hints: bool,
    /// Whether the client itself opens documents of our schemes (`workspace/textDocumentContent`).
    pub text_document_content: bool,
    pub options: Options,
}

/// `initializationOptions`; invalid values are ignored.
#[derive(Debug, Clone)]
pub struct Options {
    /// Limits of a run: `runTimeLimit` in seconds, `runMemoryLimit` in megabytes, `runRepeats`.
    pub run: RunLimits,
    /// `target`: the target of generated texts.
    pub target: Target,
    /// `codeLens`: whether to offer lenses above kernels.
    pub code_lens: bool,
    /// `inlayHints`: whether to offer hints; or an object with a value for each kind.
    pub inlay_hints: bool,
    /// `runTimes`: whether to show times of runs as hints.
    pub run_times: bool,
    /// The enabled kinds of hints.
    pub hint_kinds: Vec<HintKind>,
    /// `paintsObligations`: the client itself shows length mismatches, from the data of its diagnostics.
    pub paints_obligations: bool,
    /// `hintPatience`, in seconds: how long hints wait for the compiler if the client cannot refresh them.
    pub hint_patience: Duration,
}

impl Default for Options {
    fn default() -> Options {
        let shown = hint_settings::KINDS.iter().filter(|setting| setting.on).map(|setting| setting.kind);
        Options {
            run: RunLimits::default(),
            target: Target::portable(),
            code_lens: true,
            inlay_hints: true,
            run_times: true,
            hint_kinds: shown.collect(),
            paints_obligations: false,
            hint_patience: Duration::from_millis(500),
        }
    }
}

impl Options {
    pub fn shows(&self, kind: HintKind) -> bool {
        self.hint_kinds.contains(&kind)
    }

    pub fn from_json(options: Option<&Value>) -> Options {
        let mut out = Options::default();
        let field = |name: &str| options.and_then(|o| o.get(name));
        if let Some(seconds) = field("runTimeLimit").and_then(Value::as_f64) {
            // A day is as good as unlimited.
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
        if let Some(paints) = field("paintsObligations").and_then(Value::as_bool) {
            out.paints_obligations = paints;
        }
        if let Some(seconds) = field("hintPatience").and_then(Value::as_f64) {
            let patience = Duration::try_from_secs_f64(seconds.clamp(0.0, 86_400.0));
            out.hint_patience = patience.unwrap_or(out.hint_patience);
        }
        for hint_settings::Setting { kind, name, .. } in hint_settings::KINDS {
            match field("inlayHints").and_then(|hints| hints.get(name)).and_then(Value::as_bool) {
                Some(true) if !out.shows(kind) => out.hint_kinds.push(kind),
                Some(false) => out.hint_kinds.retain(|other| *other != kind),
                _ => {}
            }
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
        let signature = text.signature_help.as_ref().and_then(|h| h.signature_information.as_ref());
        let label_offsets = yes(signature
            .and_then(|s| s.parameter_information.as_ref())
            .and_then(|parameter| parameter.label_offset_support));
        let folds_whole_lines = yes(text.folding_range.as_ref().and_then(|f| f.line_folding_only));
        let (snippets, label_details) =
            (yes(item.and_then(|i| i.snippet_support)), yes(item.and_then(|i| i.label_details_support)));
        Features {
            encoding: Encoding::negotiate(offered),
            // The formats are in the client's order of preference.
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
                // A client with both would show every diagnostic twice.
                _ => text.diagnostic.is_some() && text.publish_diagnostics.is_none(),
            },
            definition_links: yes(text.definition.and_then(|d| d.link_support)),
            hierarchical_symbols: yes(text.document_symbol.and_then(|d| d.hierarchical_document_symbol_support)),
            will_rename: yes(workspace.file_operations.and_then(|files| files.will_rename)),
            document_changes: yes(workspace.workspace_edit.and_then(|w| w.document_changes)),
            lazy_actions: text.code_action.as_ref().is_some_and(|actions| {
                let lazy = actions.resolve_support.as_ref();
                yes(actions.data_support) && lazy.is_some_and(|lazy| lazy.properties.iter().any(|name| name == "edit"))
            }),
            code_action_literals: text.code_action.is_some_and(|c| c.code_action_literal_support.is_some()),
            snippets,
            completion_label_details: label_details,
            lazy_hints: text
                .inlay_hint
                .as_ref()
                .and_then(|hints| hints.resolve_support.as_ref())
                .is_some_and(|lazy| lazy.properties.iter().any(|property| property == "textEdits")),
            prepare_rename: yes(text.rename.as_ref().and_then(|r| r.prepare_support)),
            label_offsets,
            folds_whole_lines,
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
