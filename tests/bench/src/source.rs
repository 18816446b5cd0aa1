//! Loads the programs of the examples as elaborated kernels.

use crate::Problem;
use lift_analysis::db::forms;
use lift_analysis::ide::AnalysisHost;
use lift_codegen::core::{Kernel, build};
use lift_syntax::FormKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A kernel, or the reason why it has no core: some examples demonstrate errors.
pub struct Found {
    pub name: String,
    pub core: Result<Arc<Kernel>, Problem>,
}

/// Analyses a program below `folder`, from scratch, and returns its kernels.
pub fn kernels(folder: &Path, path: &str, text: &str) -> Result<Vec<Found>, Problem> {
    let mut host = AnalysisHost::default();
    host.set_file(path, text.into());
    let stopped = |_| "the analysis was stopped".to_owned();
    let mut todo = vec![path.to_owned()];
    while let Some(file) = todo.pop() {
        // The snapshot must be dropped before the next change, which waits for it.
        let imports = host.snapshot().imports(&file).map_err(stopped)?;
        for import in imports {
            if host.file_text(&import).is_none() {
                host.set_file(&import, read(&folder.join(&*import))?.as_str().into());
                todo.push(import.to_string());
            }
        }
    }
    let analysis = host.snapshot();
    let names = analysis.kernels(path).map_err(stopped)?.into_iter().map(|info| info.name);
    let db = analysis.db();
    let Some(file) = db.file(path) else { return Ok(Vec::new()) };
    let lines = |errors: Vec<build::BuildError>| errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
    let kernels = forms(db, file).iter().filter(|form| form.kind(db) == FormKind::Lift);
    let found = names.zip(kernels).map(|(name, form)| Found { name, core: build::kernel(db, *form).map_err(lines) });
    Ok(found.collect())
}

pub fn read(path: &Path) -> Result<String, Problem> {
    std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
}

/// Returns all programs below a folder, sorted.
pub fn programs(folder: &Path) -> Result<Vec<PathBuf>, Problem> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let unreadable = |e: std::io::Error| format!("{}: {e}", folder.display());
        for entry in std::fs::read_dir(&folder).map_err(unreadable)? {
            let path = entry.map_err(unreadable)?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "lift") {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}
