//! Lenses, and documents provided by the server.

use crate::lsp::commands;
use crate::lsp::documents::path_of;
use crate::lsp::snapshot::{Failure, File, Outcome, Snapshot};
use crate::report::codes;
use serde_json::json;
use tower_lsp_server::gen_lsp_types::*;

pub fn code_lenses(snap: &Snapshot, uri: &Uri) -> Outcome<Vec<CodeLens>> {
    let File { path, lines } = snap.file(uri)?;
    let mut out = Vec::new();
    for kernel in snap.analysis.kernel_names(&path)? {
        let target = json!({ "uri": uri, "kernel": kernel.name });
        let test = kernel.is_tested.then_some(("Test", commands::SHOW_TESTS));
        let all = [("▶ Run", commands::RUN_KERNEL), ("OpenCL", commands::GENERATE_OPENCL)].into_iter().chain(test);
        for (title, command) in all {
            out.push(CodeLens {
                range: lines.range(kernel.focus),
                command: Some(Command {
                    title: title.to_owned(),
                    tooltip: None,
                    command: command.to_owned(),
                    arguments: Some(vec![target.clone()]),
                }),
                data: None,
            });
        }
    }
    Ok(out)
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
