//! Serves an [`LspService`] over a pair of streams.
//!
//! Stands in for the library's own `Server`, which keeps `LanguageServer`, `Client` and `LspService` but reads no
//! further behind slow requests, can deadlock on its own requests to the client, and dies of one bad frame or one
//! panic. Here:
//!
//! * every handler is polled once on arrival, in the order of the messages, and then goes its own way: no limit,
//!   nothing waits behind it, cancellations and edits get through;
//! * a handler that panics answers `InternalError`; a body that cannot be decoded answers `ParseError` or
//!   `InvalidRequest`; neither ends the session;
//! * a reply never overtakes what its handler sent to the client before it;
//! * a client that does not read what it is sent is not read from either, so that what waits for it is bounded; one
//!   that has closed its end is gone, and the session ends;
//! * the end has the exit status that the protocol asks for, also if the input stays open.

use super::frame::{self, TrafficLog, encode};
use futures_util::{FutureExt, SinkExt, StreamExt, future};
use serde_json::{Value, json};
use std::panic::AssertUnwindSafe;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{mpsc, watch};
use tower::{Service, ServiceExt};
use tower_lsp_server::jsonrpc::{Error, ErrorCode, Request, Response};
use tower_lsp_server::{ClientSocket, LanguageServer, LspService};

/// How long replies that are on their way may take to leave after `exit`.
const DRAIN: Duration = Duration::from_secs(1);

/// Bytes for the client that may wait to be written; with more, nothing more is read.
const MOST_BYTES: usize = 32 << 20;
/// Requests without an answer yet; with more, nothing more is read. Each ends by itself: what may wait for the client's
/// own answers or run for long, `workspace/executeCommand`, does not count, so that waiting here never waits for what
/// stands behind in the input.
const MOST_UNANSWERED: usize = 256;

/// What the client has asked for and not got.
#[derive(Debug, Default)]
struct Owed {
    unanswered: usize,
    bytes: usize,
    /// It cannot be written to.
    gone: bool,
}

impl Owed {
    fn is_little(&self) -> bool {
        self.bytes < MOST_BYTES && self.unanswered < MOST_UNANSWERED
    }
}

/// One request of [`Owed::unanswered`], for as long as it is handled.
struct Unanswered(watch::Sender<Owed>);

impl Unanswered {
    fn begin(owed: &watch::Sender<Owed>) -> Unanswered {
        owed.send_modify(|owed| owed.unanswered += 1);
        Unanswered(owed.clone())
    }
}

impl Drop for Unanswered {
    fn drop(&mut self) {
        self.0.send_modify(|owed| owed.unanswered -= 1);
    }
}

/// Serves until `exit`, the end of the input, or until the output is closed; returns the exit status.
pub async fn serve<S: LanguageServer>(
    input: impl AsyncRead + Unpin,
    output: impl AsyncWrite + Unpin + Send + 'static,
    mut service: LspService<S>,
    socket: ClientSocket,
    log: TrafficLog,
) -> u8 {
    let (to_client, mut from_client) = socket.split();
    let (replies, reply_queue) = mpsc::unbounded_channel::<Vec<u8>>();
    let (frames, frame_queue) = mpsc::unbounded_channel::<Vec<u8>>();
    let owed = watch::Sender::new(Owed::default());
    let writer = tokio::spawn(write(frame_queue, output, log.clone(), owed.clone()));
    let pump = tokio::spawn(pump(to_client, reply_queue, frames, owed.clone()));
    let (mut room, mut gone) = (owed.subscribe(), owed.subscribe());

    let mut shutdown_seen = false;
    let mut exit = false;
    let mut reader = BufReader::new(input);
    while !exit {
        let next = async {
            // The sender is here: there is always one.
            let _ = room.wait_for(Owed::is_little).await;
            frame::read(&mut reader).await
        };
        let body = tokio::select! {
            body = next => body,
            _ = gone.wait_for(|owed| owed.gone) => None,
        };
        let Some(body) = body else { break };
        log.received(&body);
        let message: Value = match serde_json::from_slice(&body) {
            Ok(message) => message,
            Err(e) => {
                let _ = replies.send(refusal(Value::Null, ErrorCode::ParseError, format!("not JSON: {e}")));
                continue;
            }
        };
        if message.get("method").is_none() {
            match serde_json::from_value::<Response>(message) {
                Ok(response) => drop(from_client.send(response).await),
                Err(_) => {
                    let why = "neither a request nor an answer".to_owned();
                    let _ = replies.send(refusal(Value::Null, ErrorCode::InvalidRequest, why));
                }
            }
            continue;
        }
        let id = message.get("id").cloned().unwrap_or_default();
        let request: Request = match serde_json::from_value(message) {
            Ok(request) => request,
            Err(e) => {
                let _ = replies.send(refusal(id, ErrorCode::InvalidRequest, e.to_string()));
                continue;
            }
        };
        shutdown_seen |= request.method() == "shutdown";
        exit = request.method() == "exit";
        let ends_by_itself = request.id().is_some() && request.method() != "workspace/executeCommand";
        let Ok(service) = service.ready().await else { break };
        let mut handling = handle(service, request).boxed();
        // First poll here, in order; the rest wherever.
        match future::poll_immediate(&mut handling).await {
            Some(Some(reply)) => drop(replies.send(encode(&reply))),
            Some(None) => {}
            None => {
                let replies = replies.clone();
                let unanswered = ends_by_itself.then(|| Unanswered::begin(&owed));
                tokio::spawn(async move {
                    let _unanswered = unanswered;
                    if let Some(reply) = handling.await {
                        let _ = replies.send(encode(&reply));
                    }
                });
            }
        }
    }
    drop(replies);
    // Handlers that still run hold clones of `replies`; they are not waited for for ever.
    let drained = async {
        let _ = pump.await;
        let _ = writer.await;
    };
    let _ = tokio::time::timeout(DRAIN, drained).await;
    u8::from(!(exit && shutdown_seen))
}

/// One request or notification, from call to reply. The call is made before this returns.
fn handle<S: LanguageServer>(
    service: &mut LspService<S>,
    request: Request,
) -> impl Future<Output = Option<Response>> + Send + use<S> {
    let id = request.id().cloned();
    let method = request.method().to_owned();
    let answer = service.call(request);
    async move {
        match AssertUnwindSafe(answer).catch_unwind().await {
            Ok(Ok(reply)) => reply,
            // the service has exited
            Ok(Err(_)) => None,
            Err(_) => {
                let message = format!("internal error: {method} panicked").into();
                let error = Error { code: ErrorCode::InternalError, message, data: None };
                id.map(|id| Response::from_error(id, error))
            }
        }
    }
}

fn refusal(id: Value, code: ErrorCode, message: String) -> Vec<u8> {
    encode(&json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code.code(), "message": message } }))
}

/// Brings both kinds of output into one order. Biased: what a handler sent to the client before it returned is queued
/// before its reply arrives here, so it goes out first.
async fn pump(
    mut to_client: impl StreamExt<Item = Request> + Unpin,
    mut replies: mpsc::UnboundedReceiver<Vec<u8>>,
    frames: mpsc::UnboundedSender<Vec<u8>>,
    owed: watch::Sender<Owed>,
) {
    let send = |frame: Vec<u8>| {
        owed.send_modify(|owed| owed.bytes += frame.len());
        let _ = frames.send(frame);
    };
    loop {
        tokio::select! {
            biased;
            Some(request) = to_client.next() => send(encode(&request)),
            reply = replies.recv() => {
                // what was queued while we looked at the other queue
                while let Some(Some(request)) = to_client.next().now_or_never() {
                    send(encode(&request));
                }
                match reply {
                    Some(reply) => send(reply),
                    None => break,
                }
            }
        }
    }
}

async fn write(
    mut frames: mpsc::UnboundedReceiver<Vec<u8>>,
    mut output: impl AsyncWrite + Unpin,
    log: TrafficLog,
    owed: watch::Sender<Owed>,
) {
    while let Some(frame) = frames.recv().await {
        log.sent(&frame);
        if output.write_all(&frame).await.is_err() || output.flush().await.is_err() {
            owed.send_modify(|owed| owed.gone = true);
            break;
        }
        owed.send_modify(|owed| owed.bytes -= frame.len());
    }
}
