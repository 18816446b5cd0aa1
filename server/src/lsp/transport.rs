//! Serves an [`LspService`] over a pair of streams.
//!
//! Replaces the library's own `Server`, which keeps `LanguageServer`, `Client` and `LspService` but stops reading while
//! slow requests run, can deadlock on its own requests to the client, and fails on one bad frame or one panic. Here:
//!
//! * Every handler is polled once on arrival, in the order of the messages, and then runs on its own; the number of
//!   handlers is not limited, and cancellations and edits are never queued after them.
//! * A handler that panics answers `InternalError`; a body that cannot be decoded answers `ParseError` or
//!   `InvalidRequest`; neither ends the session.
//! * A reply is sent after everything that its handler sent to the client before it.
//! * If the client stops reading, its messages are not read either, which bounds the output queue. If it closes its
//!   end, the session ends.
//! * The exit status is the one that the protocol requires, even if the input stays open.

use super::encoded;
use super::frame::{self, TrafficLog, encode, framed};
use futures_util::{FutureExt, SinkExt, StreamExt, future};
use serde_json::{Value, json};
use std::panic::AssertUnwindSafe;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{mpsc, watch};
use tower::{Service, ServiceExt};
use tower_lsp_server::jsonrpc::{Error, ErrorCode, Request, Response};
use tower_lsp_server::{ClientSocket, LanguageServer, LspService};

/// Time limit for sending the remaining replies after `exit`.
const DRAIN: Duration = Duration::from_secs(1);

/// Limit on queued output in bytes, above which no input is read.
const MOST_BYTES: usize = 32 << 20;
/// Limit on unanswered requests, above which no input is read. `workspace/executeCommand` does not count, because it
/// may run for long or wait for the client's answers; all other requests end without further input, so the limit cannot
/// deadlock.
const MOST_UNANSWERED: usize = 256;

/// Output that the client has not received yet.
#[derive(Debug, Default)]
struct Owed {
    unanswered: usize,
    bytes: usize,
    /// Whether the output stream is closed.
    gone: bool,
}

impl Owed {
    fn is_little(&self) -> bool {
        self.bytes < MOST_BYTES && self.unanswered < MOST_UNANSWERED
    }
}

/// Counts one request in [`Owed::unanswered`] while it is handled.
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

/// Serves until `exit` or until either stream ends; returns the exit status.
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
            // `owed` keeps the channel open, so this cannot fail.
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
        // The first poll happens here, in order; the rest in a task.
        match future::poll_immediate(&mut handling).await {
            Some(Some(reply)) => drop(replies.send(reply)),
            Some(None) => {}
            None => {
                let replies = replies.clone();
                let unanswered = ends_by_itself.then(|| Unanswered::begin(&owed));
                tokio::spawn(async move {
                    let _unanswered = unanswered;
                    if let Some(reply) = handling.await {
                        let _ = replies.send(reply);
                    }
                });
            }
        }
    }
    drop(replies);
    // Running handlers hold clones of `replies`, so limit the time to wait for them.
    let drained = async {
        let _ = pump.await;
        let _ = writer.await;
    };
    let _ = tokio::time::timeout(DRAIN, drained).await;
    u8::from(!(exit && shutdown_seen))
}

/// Handles one request or notification; the reply has its header. The service is called before this function returns.
fn handle<S: LanguageServer>(
    service: &mut LspService<S>,
    request: Request,
) -> impl Future<Output = Option<Vec<u8>>> + Send + use<S> {
    let id = request.id().cloned();
    let method = request.method().to_owned();
    let answer = service.call(request);
    async move {
        let (answered, text) = encoded::with_text(AssertUnwindSafe(answer).catch_unwind()).await;
        let reply = match answered {
            // The service has exited if there is an error.
            Ok(reply) => reply.ok()??,
            Err(_) => {
                let message = format!("internal error: {method} panicked").into();
                let error = Error { code: ErrorCode::InternalError, message, data: None };
                Response::from_error(id?, error)
            }
        };
        Some(match text.filter(|_| reply.is_ok()) {
            Some(text) => framed(encoded::body(&reply, &text)),
            None => encode(&reply),
        })
    }
}

fn refusal(id: Value, code: ErrorCode, message: String) -> Vec<u8> {
    encode(&json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code.code(), "message": message } }))
}

/// Merges messages and replies into one queue. The selection is biased to messages: a handler's messages are queued
/// before its reply, so they are sent first.
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
                // Messages may have been queued while `select!` looked at the replies.
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
