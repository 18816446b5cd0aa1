//! Lenses, and documents provided by the server.

use crate::lsp::command_names;
use crate::lsp::documents::path_of;
use crate::lsp::outcome::{Failure, Outcome};
use crate::lsp::snapshot::{File, Snapshot};
use crate::lsp::tuning;
use crate::report::codes;
use crate::tuned::records::Record;
use serde_json::json;
use tower_lsp_server::gen_lsp_types::*;

pub fn code_lenses(snap: &Snapshot, uri: &Uri) -> Outcome<Vec<CodeLens>> {
    let File { path, lines } = snap.file(uri)?;
    let mut out = Vec::new();
    let records = tuning::Records::of_file(&path);
    for kernel in snap.analysis.kernel_names(&path)? {
        let target = json!({ "uri": uri, "kernel": kernel.name });
        let test = kernel.is_tested.then_some(("Test", command_names::SHOW_TESTS));
        let all =
            [("▶ Run", command_names::RUN_KERNEL), ("OpenCL", command_names::GENERATE_OPENCL)].into_iter().chain(test);
        let kept = records.of_kernel(&snap.analysis, &kernel.name)?;
        let tune = (tune_title(&kept), command_names::SHOW_TUNING, kept.as_deref().map(history));
        let all = all.map(|(title, command)| (title.to_owned(), command, None)).chain([tune]);
        for (title, command, tooltip) in all {
            out.push(CodeLens {
                range: lines.range(kernel.focus),
                command: Some(Command {
                    title,
                    tooltip,
                    command: command.to_owned(),
                    arguments: Some(vec![target.clone()]),
                }),
                data: None,
            });
        }
    }
    Ok(out)
}

fn tune_title(kept: &Option<Vec<Record>>) -> String {
    match kept.as_ref().and_then(|records| records.first()) {
        Some(record) => format!("Tune ({:.2} ×)", record.gain()),
        None => "Tune".to_owned(),
    }
}

/// When and where the kernel was tuned, with the results.
fn history(records: &[Record]) -> String {
    let line = |record: &Record| format!("tuned{} {}: {}", tuning::when(record), record.found(), record.choice);
    records.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Returns the text of `lift:/explain/CODE.md` and of the other `lift:` files of analysis. (Generated texts are views.)
pub fn virtual_text(snap: &Snapshot, uri: &Uri) -> Outcome<TextDocumentContentResult> {
    let answer = |text: &str| Ok(TextDocumentContentResult { text: text.to_owned() });
    if let Some(code) = uri.as_str().strip_prefix("lift:/explain/").and_then(|rest| rest.strip_suffix(".md")) {
        return match codes::page(code) {
            Some(page) => answer(page),
            None => Err(Failure::invalid(format!("there is no page about {code}"))),
        };
    }
    match snap.analysis.text(&path_of(uri))? {
        Some(text) if uri.scheme() == "lift" => answer(&text),
        _ => Err(Failure::invalid(format!("there is no document {uri}"))),
    }
}
