//! The result of a request, or why there is none.

use lift_analysis::ide::Stopped;
use tower_lsp_server::jsonrpc::{Error, ErrorCode};

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
