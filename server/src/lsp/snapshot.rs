//! The state of the session at the time when a request arrived.

use super::compiled::Compiler;
use super::compiled_hints;
use super::convert::Lines;
use super::documents::{self, Documents};
use super::effects;
use super::features::Features;
use super::measured::Measurements;
use super::views::Views;
use lift_analysis::ide::{Analysis, Cancellable, Stopped};
use std::sync::Arc;
use tower_lsp_server::gen_lsp_types::Uri;
use tower_lsp_server::jsonrpc::{Error, ErrorCode};

/// Lives on one thread for one job: a live snapshot blocks the next edit.
pub struct Snapshot {
    pub analysis: Analysis,
    pub documents: Arc<Documents>,
    pub features: Arc<Features>,
    /// The number of changes of the state.
    pub revision: u64,
    pub views: Arc<Views>,
    pub measured: Arc<Measurements>,
    pub compiler: Compiler,
    pub compiled: compiled_hints::Shown,
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

/// Why a request has no result.
#[derive(Debug)]
pub enum Failure {
    Stopped(Stopped),
    Answer(Error),
}

/// The result of a request.
pub type Outcome<T> = Result<T, Failure>;

impl From<Stopped> for Failure {
    fn from(stopped: Stopped) -> Failure {
        Failure::Stopped(stopped)
    }
}

impl Failure {
    /// The parameters name something that does not exist.
    pub fn invalid(message: impl Into<String>) -> Failure {
        Failure::Answer(Error { code: ErrorCode::InvalidParams, message: message.into().into(), data: None })
    }
    /// The request was valid but failed: `RequestFailed` of the protocol.
    pub fn failed(message: impl Into<String>, data: Option<serde_json::Value>) -> Failure {
        Failure::Answer(Error { code: ErrorCode::ServerError(-32803), message: message.into().into(), data })
    }
    pub fn into_error(self) -> Error {
        match self {
            Failure::Stopped(Stopped::ByEdit) => Error::content_modified(),
            Failure::Stopped(Stopped::ByRequest) => Error::request_cancelled(),
            Failure::Answer(error) => error,
        }
    }
}
