//! The state of the session at the time when a request arrived.

use super::compiled::Compiler;
use super::compiled_hints::shown::Shown;
use super::convert::Lines;
use super::documents::{self, Documents};
use super::effects;
use super::features::Features;
use super::measured::measurement::Measurements;
use super::outcome::{Failure, Outcome};
use super::views::view::Views;
use lift_analysis::ide::{Analysis, Cancellable};
use std::path::PathBuf;
use std::sync::Arc;
use tower_lsp_server::gen_lsp_types::Uri;

/// Lives on one thread for one job: a live snapshot blocks the next edit.
pub struct Snapshot {
    pub analysis: Analysis,
    pub documents: Arc<Documents>,
    pub features: Arc<Features>,
    /// The workspace folders.
    pub roots: Arc<Vec<PathBuf>>,
    /// The number of changes of the state.
    pub revision: u64,
    pub views: Arc<Views>,
    pub measured: Arc<Measurements>,
    pub compiler: Compiler,
    pub compiled: Shown,
    pub effects: effects::Known,
    /// Its reference count tells how many snapshots are alive.
    pub alive: Arc<()>,
}

/// A file named by a request.
pub struct File {
    pub path: Arc<str>,
    pub lines: Lines,
}

impl Snapshot {
    /// Returns the file of a URI; an error if it is not loaded.
    pub fn file(&self, uri: &Uri) -> Outcome<File> {
        let path = documents::path_of(uri);
        match self.lines(&path)? {
            Some(lines) => Ok(File { path, lines }),
            None => Err(Failure::invalid(format!("{uri} is not open"))),
        }
    }
    /// Returns the lines of a file; `None` if it is not loaded.
    pub fn lines(&self, path: &str) -> Cancellable<Option<Lines>> {
        let (Some(text), Some(index)) = (self.analysis.text(path)?, self.analysis.line_index(path)?) else {
            return Ok(None);
        };
        Ok(Some(Lines { text, index, encoding: self.features.encoding }))
    }
    /// Returns the URI of a file, spelled as by the client if it is open.
    pub fn uri(&self, path: &str) -> Option<Uri> {
        match self.documents.get(path) {
            Some(document) => Some(document.uri.clone()),
            None => documents::uri_of(path),
        }
    }
    /// Returns the version of an open document; `None` if it is not open.
    pub fn version(&self, path: &str) -> Option<i32> {
        self.documents.get(path).map(|d| d.version)
    }
}
