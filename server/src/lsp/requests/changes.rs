//! Reads that change the program: formatting, renaming and code actions.

use crate::lsp::command_names;
use crate::lsp::convert;
use crate::lsp::effects::{self, Asked, Effect};
use crate::lsp::outcome::{Failure, Outcome};
use crate::lsp::snapshot::{File, Snapshot};
use crate::lsp::tuning;
use crate::program::texts;
use lift_analysis::ide::actions::EXPLICIT_FILE_TITLE;
use lift_analysis::ide::{self, Cancellable, EXPLICIT_FILE, KernelInfo};
use lift_syntax::TextRange;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tower_lsp_server::gen_lsp_types::*;

pub fn format(snap: &Snapshot, uri: &Uri) -> Outcome<Vec<TextEdit>> {
    let File { path, lines } = snap.file(uri)?;
    Ok(snap.analysis.format(&path)?.iter().map(|e| lines.text_edit(e)).collect())
}

pub fn format_range(snap: &Snapshot, params: &DocumentRangeFormattingParams) -> Outcome<Vec<TextEdit>> {
    let File { path, lines } = snap.file(&params.text_document.uri)?;
    let edits = snap.analysis.format_range(&path, lines.text_range(params.range))?;
    Ok(edits.iter().map(|e| lines.text_edit(e)).collect())
}

/// Returns the edits after a typed character.
pub fn on_type(snap: &Snapshot, params: &DocumentOnTypeFormattingParams) -> Outcome<Vec<TextEdit>> {
    let File { path, lines } = snap.file(&params.text_document.uri)?;
    let at = lines.offset(params.position);
    Ok(snap.analysis.on_type(&path, at, &params.ch)?.iter().map(|e| lines.text_edit(e)).collect())
}

/// Returns all occurrences of a local name, which are edited together. `None` elsewhere: other files may use a
/// definition.
pub fn linked_ranges(snap: &Snapshot, at: &TextDocumentPositionParams) -> Outcome<Option<LinkedEditingRanges>> {
    let File { path, lines } = snap.file(&at.text_document.uri)?;
    let ranges = snap.analysis.linked_ranges(&path, lines.offset(at.position))?;
    let ranges: Vec<Range> = ranges.into_iter().map(|range| lines.range(range)).collect();
    // The characters of a name; a leading digit or `#` is rejected later.
    let word_pattern = Some("[^\\s()\\[\\];\"]+".to_owned());
    Ok((!ranges.is_empty()).then_some(LinkedEditingRanges { ranges, word_pattern }))
}

/// Returns the range of the name at a position; an error says why it cannot be renamed.
pub fn prepare_rename(snap: &Snapshot, at: &TextDocumentPositionParams) -> Outcome<Option<PrepareRenameResult>> {
    let File { path, lines } = snap.file(&at.text_document.uri)?;
    match snap.analysis.prepare_rename(&path, lines.offset(at.position))? {
        Ok((range, placeholder)) => {
            Ok(Some(PrepareRenamePlaceholder { range: lines.range(range), placeholder }.into()))
        }
        Err(why) => Err(Failure::failed(why, None)),
    }
}

pub fn rename(snap: &Snapshot, params: &RenameParams) -> Outcome<WorkspaceEdit> {
    let at = &params.text_document_position_params;
    let File { path, lines } = snap.file(&at.text_document.uri)?;
    match snap.analysis.rename(&path, lines.offset(at.position), &params.new_name)? {
        Ok(change) => Ok(convert::workspace_edit(snap, &change)?),
        Err(why) => Err(Failure::failed(why, None)),
    }
}

/// Returns the code actions at a range, and the data to compute the effects of rewritings by laws.
pub fn code_actions(
    snap: &Snapshot,
    params: &CodeActionParams,
) -> Outcome<(Vec<CodeActionResponse>, Option<Rewritings>)> {
    // Editors ask at every movement of the cursor whether there is anything to offer; only a menu shows titles.
    let is_automatic = params.context.trigger_kind == Some(CodeActionTriggerKind::Automatic);
    let patience = if is_automatic { Duration::ZERO } else { effects::PATIENCE };
    let (mut laws, mut rewritten) = (Vec::new(), Vec::new());
    let File { path, lines } = snap.file(&params.text_document.uri)?;
    let range = lines.text_range(params.range);
    let only = params.context.only.as_deref();
    let mut out: Vec<CodeActionResponse> = Vec::new();
    let mut seen: Vec<ide::SourceChange> = Vec::new();
    if wanted(only, "quickfix") {
        for diagnostic in snap.analysis.diagnostics_near(&path, range)? {
            if diagnostic.fixes.is_empty() || diagnostic.range.intersect(range).is_none() {
                continue;
            }
            let shown = convert::diagnostic(snap, &lines, &diagnostic)?;
            let certain = diagnostic.fixes.iter().filter(|f| f.certain).count();
            for fix in diagnostic.fixes {
                out.push(CodeActionResponse::CodeAction(CodeAction {
                    title: fix.title,
                    kind: Some(CodeActionKind::QuickFix),
                    diagnostics: Some(vec![shown.clone()]),
                    is_preferred: (fix.certain && certain == 1).then_some(true),
                    edit: Some(convert::workspace_edit(snap, &fix.change)?),
                    ..Default::default()
                }));
                seen.push(fix.change);
            }
        }
    }
    let mut actions = snap.analysis.code_actions_at(&path, range)?;
    // This edit takes time in proportion to the file's insertions, and clients ask at every cursor movement.
    let later = snap.features.lazy_actions;
    if wanted(only, EXPLICIT_FILE) && !later {
        actions.extend(snap.analysis.explicit_file_action(&path)?);
    }
    for action in actions {
        // Fixes are already offered with their diagnostics.
        if !wanted(only, action.kind) || seen.contains(&action.change) {
            continue;
        }
        if action.kind == ide::actions::kinds::LAW {
            laws.push(out.len());
            let own = action.change.files.iter().filter(|(of, _)| *of == path);
            rewritten.push(own.flat_map(|(_, edits)| edits.clone()).collect::<Vec<_>>());
        }
        out.push(CodeActionResponse::CodeAction(CodeAction {
            title: action.title,
            kind: Some(CodeActionKind::from(action.kind.to_owned())),
            is_preferred: action.preferred.then_some(true),
            edit: Some(convert::workspace_edit(snap, &action.change)?),
            ..Default::default()
        }));
    }
    if wanted(only, EXPLICIT_FILE) && later && snap.analysis.has_insertions(&path)? {
        out.push(CodeActionResponse::CodeAction(CodeAction {
            title: EXPLICIT_FILE_TITLE.to_owned(),
            kind: Some(CodeActionKind::from(EXPLICIT_FILE.to_owned())),
            data: Some(json!({ "uri": params.text_document.uri })),
            ..Default::default()
        }));
    }
    for (title, kind, command) in KERNEL_ACTIONS {
        if !wanted(only, kind) {
            continue;
        }
        for kernel in snap.analysis.kernels_in(&path, range)?.into_iter().filter(|k| k.range.contains_range(range)) {
            let title = format!("{title} {}", kernel.name);
            let target = json!({ "uri": params.text_document.uri, "kernel": kernel.name });
            out.push(command_action(title, kind, command, target));
        }
    }
    if wanted(only, command_names::TUNED_ACTION) {
        for kernel in snap.analysis.kernels_in(&path, range)?.into_iter().filter(|k| k.range.contains_range(range)) {
            let kept = tuning::kept(&snap.analysis, &path, &kernel.name)?;
            for (record, copy) in kept.iter().flatten().flat_map(|record| [(record, false), (record, true)]) {
                let (choice, how) = (record.choice.to_string(), if copy { " beside it" } else { "" });
                let title = format!("Write {} as program{how}: {choice} ({})", kernel.name, record.found());
                let uri = &params.text_document.uri;
                let target = json!({ "uri": uri, "kernel": kernel.name, "choice": choice, "copy": copy });
                out.push(command_action(title, command_names::TUNED_ACTION, command_names::WRITE_TUNED, target));
            }
        }
    }
    let rewritings = match changed_kernel(snap, &path, range)? {
        Some((kernel, is_around)) if !laws.is_empty() && !snap.compiler.holds_back() => {
            let sizes = match snap.measured.get(&(path.clone(), kernel.name.clone())) {
                Some(measured) => measured.sizes().clone(),
                None => effects::large(&kernel.sizes),
            };
            let (known, target) = (snap.effects.clone(), snap.features.options.target);
            let needed = snap.analysis.ranges_of_kernel(&path, &kernel.name)?;
            let rewritten = rewritten.iter().map(|edits| needed_text(&lines.text, &needed, edits)).collect();
            let mut texts = texts(&snap.analysis, &path)?;
            texts.insert(path.clone(), needed_text(&lines.text, &needed, &[]).into());
            let asked = Asked { known, texts, path, kernel: kernel.name, is_around, target, sizes, patience };
            Some(Rewritings { laws, texts: rewritten, asked })
        }
        _ => None,
    };
    Ok((out, rewritings))
}

/// The parts of a text in these ranges, after edits in them, which are in order. A kernel in a long file is compiled
/// without the rest.
fn needed_text(text: &str, ranges: &[TextRange], edits: &[ide::TextEdit]) -> String {
    let mut out = String::new();
    for range in ranges {
        let mut at = range.start();
        for edit in edits.iter().filter(|edit| range.contains_range(edit.range)) {
            out.push_str(&text[TextRange::new(at, edit.range.start())]);
            out.push_str(&edit.new_text);
            at = edit.range.end();
        }
        out.push_str(&text[TextRange::new(at, range.end())]);
        out.push_str("\n\n");
    }
    out
}

/// The kernel whose cost a rewriting at a range changes, and whether it is around the range: otherwise it is the first
/// that uses the definition there.
fn changed_kernel(snap: &Snapshot, path: &Arc<str>, range: TextRange) -> Cancellable<Option<(KernelInfo, bool)>> {
    let around = snap.analysis.kernels_in(path, range)?.into_iter().find(|k| k.range.contains_range(range));
    if let Some(kernel) = around {
        return Ok(Some((kernel, true)));
    }
    Ok(snap.analysis.kernel_using(path, range.start())?.map(|kernel| (kernel, false)))
}

/// The rewritings by laws among code actions.
pub struct Rewritings {
    /// Their positions, ascending and adjacent.
    laws: Vec<usize>,
    /// What the kernel needs of the file after each.
    texts: Vec<String>,
    asked: Asked,
}

impl Rewritings {
    /// Adds the effects to the titles, and puts the largest gain first.
    pub fn with_effects(self, mut actions: Vec<CodeActionResponse>) -> Vec<CodeActionResponse> {
        let effects = self.asked.effects(&self.texts);
        let mut rewritten: Vec<(Option<Effect>, CodeActionResponse)> = Vec::new();
        for (at, effect) in self.laws.iter().zip(effects) {
            let Some(action) = actions.get(*at) else { continue };
            let mut action = action.clone();
            if let (CodeActionResponse::CodeAction(action), Some(effect)) = (&mut action, &effect) {
                // Assumptions follow.
                let (what, rest) = match action.title.split_once("; ") {
                    Some((what, rest)) => (what.to_owned(), format!("; {rest}")),
                    None => (action.title.clone(), String::new()),
                };
                action.title = format!("{what}: {}{rest}", effect.told);
            }
            rewritten.push((effect, action));
        }
        rewritten.sort_by_key(|(effect, _)| std::cmp::Reverse(effect.as_ref().map(|effect| effect.gained)));
        for (at, (_, action)) in self.laws.into_iter().zip(rewritten) {
            if let Some(place) = actions.get_mut(at) {
                *place = action;
            }
        }
        actions
    }
}

fn command_action(title: String, kind: &str, command: &str, target: serde_json::Value) -> CodeActionResponse {
    CodeActionResponse::CodeAction(CodeAction {
        title: title.clone(),
        kind: Some(CodeActionKind::from(kind.to_owned())),
        command: Some(Command { title, tooltip: None, command: command.to_owned(), arguments: Some(vec![target]) }),
        ..Default::default()
    })
}

/// Adds the edit to an action that was offered without it.
pub fn resolve_action(snap: &Snapshot, mut action: CodeAction) -> Outcome<CodeAction> {
    let Some(data) = action.data.take() else { return Ok(action) };
    let uri = data.get("uri").and_then(|uri| uri.as_str()).and_then(|uri| uri.parse::<Uri>().ok());
    let uri = uri.ok_or_else(|| Failure::invalid("the data of the action names no document"))?;
    let File { path, .. } = snap.file(&uri)?;
    if let Some(explicit) = snap.analysis.explicit_file_action(&path)? {
        action.edit = Some(convert::workspace_edit(snap, &explicit.change)?);
    }
    Ok(action)
}

/// Lenses as code actions, for editors without lenses; those editors ignore the results of command_names, so the server
/// shows them.
const KERNEL_ACTIONS: [(&str, &str, &str); 2] = [
    ("Run", command_names::RUN_ACTION, command_names::SHOW_RUN),
    ("Show the OpenCL of", command_names::OPENCL_ACTION, command_names::SHOW_OPENCL),
];

/// Whether the client asked for this kind. Kinds are hierarchical: `source` covers `source.lift`.
fn wanted(only: Option<&[CodeActionKind]>, kind: &str) -> bool {
    let covers = |wish: &CodeActionKind| {
        let wish = String::from(wish.clone());
        wish.is_empty() || kind.strip_prefix(&*wish).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    only.is_none_or(|only| only.iter().any(covers))
}
