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
    let file = snap.file(&params.text_document.uri)?;
    let range = file.lines.text_range(params.range);
    let only = params.context.only.as_deref();
    let mut menu = Menu { snap, uri: &params.text_document.uri, range, only, out: Vec::new(), file };
    let fixes = menu.quick_fixes()?;
    let laws = menu.edits(&fixes)?;
    menu.kernel_commands()?;
    menu.tuned_commands()?;
    // Editors ask at every movement of the cursor whether there is anything to offer; only a menu shows titles.
    let is_automatic = params.context.trigger_kind == Some(CodeActionTriggerKind::Automatic);
    let patience = if is_automatic { Duration::ZERO } else { effects::PATIENCE };
    let rewritings = menu.rewritings(laws, patience)?;
    Ok((menu.out, rewritings))
}

/// The code actions at a range, in the order in which a menu shows them.
struct Menu<'a> {
    snap: &'a Snapshot,
    uri: &'a Uri,
    file: File,
    range: TextRange,
    /// The kinds that the client asks for; `None` for all.
    only: Option<&'a [CodeActionKind]>,
    out: Vec<CodeActionResponse>,
}

/// A rewriting by a law.
struct Law {
    /// Its index among the actions.
    action: usize,
    /// Its edits of the file in which it was asked for.
    edits: Vec<ide::TextEdit>,
}

impl Menu<'_> {
    fn wants(&self, kind: &str) -> bool {
        wanted(self.only, kind)
    }

    /// Adds the fixes of the diagnostics at the range, and returns their changes.
    fn quick_fixes(&mut self) -> Outcome<Vec<ide::SourceChange>> {
        let mut changes = Vec::new();
        if !self.wants("quickfix") {
            return Ok(changes);
        }
        for diagnostic in self.snap.analysis.diagnostics_near(&self.file.path, self.range)? {
            if diagnostic.fixes.is_empty() || diagnostic.range.intersect(self.range).is_none() {
                continue;
            }
            let shown = convert::diagnostic(self.snap, &self.file.lines, &diagnostic)?;
            let certain = diagnostic.fixes.iter().filter(|f| f.certain).count();
            for fix in diagnostic.fixes {
                self.out.push(CodeActionResponse::CodeAction(CodeAction {
                    title: fix.title,
                    kind: Some(CodeActionKind::QuickFix),
                    diagnostics: Some(vec![shown.clone()]),
                    is_preferred: (fix.certain && certain == 1).then_some(true),
                    edit: Some(convert::workspace_edit(self.snap, &fix.change)?),
                    ..Default::default()
                }));
                changes.push(fix.change);
            }
        }
        Ok(changes)
    }

    /// Adds the edits that analysis offers, but for those of the fixes; returns the rewritings by laws.
    fn edits(&mut self, fixes: &[ide::SourceChange]) -> Outcome<Vec<Law>> {
        let (snap, path) = (self.snap, &self.file.path);
        let mut actions = snap.analysis.code_actions_at(path, self.range)?;
        // This edit takes time in proportion to the file's insertions, and clients ask at every cursor movement.
        let later = snap.features.lazy_actions;
        if self.wants(EXPLICIT_FILE) && !later {
            actions.extend(snap.analysis.explicit_file_action(path)?);
        }
        let mut laws = Vec::new();
        for action in actions {
            if !self.wants(action.kind) || fixes.contains(&action.change) {
                continue;
            }
            if action.kind == ide::actions::kinds::LAW {
                let own = action.change.files.iter().filter(|(of, _)| of == path);
                let edits = own.flat_map(|(_, edits)| edits.clone()).collect();
                laws.push(Law { action: self.out.len(), edits });
            }
            self.out.push(CodeActionResponse::CodeAction(CodeAction {
                title: action.title,
                kind: Some(CodeActionKind::from(action.kind.to_owned())),
                is_preferred: action.preferred.then_some(true),
                edit: Some(convert::workspace_edit(snap, &action.change)?),
                ..Default::default()
            }));
        }
        if self.wants(EXPLICIT_FILE) && later && snap.analysis.has_insertions(path)? {
            self.out.push(CodeActionResponse::CodeAction(CodeAction {
                title: EXPLICIT_FILE_TITLE.to_owned(),
                kind: Some(CodeActionKind::from(EXPLICIT_FILE.to_owned())),
                data: Some(json!({ "uri": self.uri })),
                ..Default::default()
            }));
        }
        Ok(laws)
    }

    /// The kernels around the range.
    fn kernels(&self) -> Cancellable<Vec<KernelInfo>> {
        let mut kernels = self.snap.analysis.kernels_in(&self.file.path, self.range)?;
        kernels.retain(|kernel| kernel.range.contains_range(self.range));
        Ok(kernels)
    }

    /// Adds the lenses of the kernels around the range.
    fn kernel_commands(&mut self) -> Outcome<()> {
        for (title, kind, command) in KERNEL_ACTIONS {
            if !self.wants(kind) {
                continue;
            }
            for kernel in self.kernels()? {
                let title = format!("{title} {}", kernel.name);
                let target = json!({ "uri": self.uri, "kernel": kernel.name });
                self.out.push(command_action(title, kind, command, target));
            }
        }
        Ok(())
    }

    /// Adds the commands that write the result of a tuning into the program.
    fn tuned_commands(&mut self) -> Outcome<()> {
        if !self.wants(command_names::TUNED_ACTION) {
            return Ok(());
        }
        for kernel in self.kernels()? {
            let kept = tuning::kept(&self.snap.analysis, &self.file.path, &kernel.name)?;
            for (record, copy) in kept.iter().flatten().flat_map(|record| [(record, false), (record, true)]) {
                let (choice, how) = (record.choice.to_string(), if copy { " beside it" } else { "" });
                let title = format!("Write {} as program{how}: {choice} ({})", kernel.name, record.found());
                let target = json!({ "uri": self.uri, "kernel": kernel.name, "choice": choice, "copy": copy });
                self.out.push(command_action(title, command_names::TUNED_ACTION, command_names::WRITE_TUNED, target));
            }
        }
        Ok(())
    }

    /// What is needed to compute the effects of rewritings, if they change a kernel that may be compiled now.
    fn rewritings(&self, laws: Vec<Law>, patience: Duration) -> Outcome<Option<Rewritings>> {
        let (snap, path, lines) = (self.snap, &self.file.path, &self.file.lines);
        let Some((kernel, is_around)) = changed_kernel(snap, path, self.range)? else { return Ok(None) };
        if laws.is_empty() || snap.compiler.holds_back() {
            return Ok(None);
        }
        let sizes = match snap.measured.get(&(path.clone(), kernel.name.clone())) {
            Some(measured) => measured.sizes().clone(),
            None => effects::large(&kernel.sizes),
        };
        let needed = snap.analysis.ranges_of_kernel(path, &kernel.name)?;
        let rewritten = laws.iter().map(|law| needed_text(&lines.text, &needed, &law.edits)).collect();
        let mut texts = texts(&snap.analysis, path)?;
        texts.insert(path.clone(), needed_text(&lines.text, &needed, &[]).into());
        let asked = Asked {
            known: snap.effects.clone(),
            texts,
            path: path.clone(),
            kernel: kernel.name,
            is_around,
            target: snap.features.options.target,
            sizes,
            patience,
        };
        Ok(Some(Rewritings { laws: laws.iter().map(|law| law.action).collect(), texts: rewritten, asked }))
    }
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
