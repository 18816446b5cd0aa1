//! Shows texts to editors that ignore the results of commands.
//!
//! The text is written to a temporary folder that is deleted with the server, and the editor is asked to open it. If it
//! cannot, a message shows the first lines and the file's name.

use super::Server;
use crate::lsp::times::time;
use lift_codegen::run::report::RunReport;
use std::io;
use std::path::PathBuf;
use std::sync::OnceLock;
use tempfile::TempDir;
use tower_lsp_server::gen_lsp_types::*;

/// Maximal number of lines in a message.
const MESSAGE_LINES: usize = 12;

/// The temporary folder, created on first use.
#[derive(Default)]
pub struct Folder(OnceLock<TempDir>);

impl Folder {
    fn write(&self, name: &str, text: &str) -> io::Result<PathBuf> {
        let folder = match self.0.get() {
            Some(folder) => folder,
            None => {
                let mut builder = tempfile::Builder::new();
                // Otherwise the umask could let other users read the texts.
                #[cfg(unix)]
                {
                    use std::os::unix::fs::PermissionsExt;
                    builder.permissions(std::fs::Permissions::from_mode(0o700));
                }
                let made = builder.prefix("lift-").tempdir()?;
                self.0.get_or_init(|| made)
            }
        };
        // Replace characters that may be invalid in file names.
        let name: String =
            name.chars().map(|c| if c.is_alphanumeric() || "._-+".contains(c) { c } else { '_' }).collect();
        let path = folder.path().join(name);
        std::fs::write(&path, text)?;
        Ok(path)
    }
}

/// Shows a text under a name.
pub async fn show(server: &Server, name: &str, text: &str) {
    let path = match server.folder.write(name, text) {
        Ok(path) => path,
        Err(e) => {
            let message = format!("{name} cannot be shown: {e}");
            return server.client.show_message(MessageType::Error, message).await;
        }
    };
    if server.features().show_document
        && let Ok(uri) = Uri::from_file_path(&path)
    {
        let params = ShowDocumentParams { uri, external: None, take_focus: Some(false), selection: None };
        if server.client.show_document(params).await.unwrap_or(false) {
            return;
        }
    }
    let mut lines = text.lines();
    let mut message: String = lines.by_ref().take(MESSAGE_LINES).map(|line| format!("{line}\n")).collect();
    if lines.next().is_some() {
        message.push_str("…\n");
    }
    message.push_str(&format!("(all of it: {})", path.display()));
    server.client.show_message(MessageType::Info, message).await;
}

/// Formats a run: facts as comments, then the result.
pub fn result(report: &RunReport) -> String {
    let sizes = report.sizes.iter().map(|(name, n)| format!(" {name} = {n}")).collect::<Vec<_>>().join(",");
    let mut out =
        format!("; {}{}{sizes}\n; on {}\n", report.kernel, if sizes.is_empty() { "" } else { " for" }, report.device);
    for notice in report.notice.iter().flat_map(|n| n.lines()) {
        out.push_str(&format!("; {notice}\n"));
    }
    for entry in &report.profile {
        let [least, greatest] = entry.spread.map(time);
        let spread = if report.runs > 1 { format!(" ({least} – {greatest})") } else { String::new() };
        out.push_str(&format!("; {}: {}{spread}\n", entry.name, time(entry.microseconds)));
    }
    out.push_str(&format!("\n{}", report.output));
    if report.cut {
        out.push_str("; … and more lines\n");
    }
    out
}
