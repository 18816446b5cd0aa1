//! Texts that the server shows by itself, to editors that drop what a command answers.
//!
//! A text becomes a file in a folder that goes with the server, and the editor is asked to open it; an editor that cannot
//! be asked gets a message with the first lines and the file's name.

use super::measured::time;
use super::server::Server;
use lift_codegen::run::report::RunReport;
use std::io;
use std::path::PathBuf;
use std::sync::OnceLock;
use tempfile::TempDir;
use tower_lsp_server::gen_lsp_types::*;

/// Lines that a message shows.
const MESSAGE_LINES: usize = 12;

/// The folder, made when it is first needed.
#[derive(Default)]
pub struct Folder(OnceLock<TempDir>);

impl Folder {
    fn write(&self, name: &str, text: &str) -> io::Result<PathBuf> {
        let folder = match self.0.get() {
            Some(folder) => folder,
            None => {
                let mut builder = tempfile::Builder::new();
                // Without this, whoever the mask allows could read the texts.
                #[cfg(unix)]
                {
                    use std::os::unix::fs::PermissionsExt;
                    builder.permissions(std::fs::Permissions::from_mode(0o700));
                }
                let made = builder.prefix("lift-").tempdir()?;
                self.0.get_or_init(|| made)
            }
        };
        // names may hold what file names may not
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

/// A run as a text: what is known about it in comments, then the result.
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
