//! The language server.
//!
//! # Data
//!
//! Messages come in by [`transport`], are understood by [`server`] (one method a message), and become either a write
//! on the [`state`], which lives on the thread of [`main_loop`], or a read on a [`snapshot`] in its pool. [`requests`]
//! holds the reads: protocol data in, analysis asked, protocol data out, by way of [`convert`].
//!
//! # Invariants
//!
//! * Writes happen in the order in which the client sent them; a read sees exactly the writes before it.
//! * Every request gets one answer: a result, `ContentModified` if a newer edit made it stale, `RequestCancelled`, or
//!   an error. A panic costs the one request in which it happened.
//! * Diagnostics carry the version of the text that they are about, and are never about an older one.
//! * Files are read only because an open document imports them, and only in its workspace folder.
//!
//! # Modules
//!
//! | module | job |
//! |---|---|
//! | [`frame`], [`transport`] | bytes to messages to handlers; the traffic log |
//! | [`features`] | what the client and the server can do |
//! | [`server`] | the protocol's methods |
//! | [`main_loop`], [`state`], [`disk`], [`documents`] | the state and its thread |
//! | [`snapshot`], [`requests`] | reads |
//! | [`commands`], [`child`], [`progress`] | what a client asks to be done: generate, run |
//! | [`show`] | texts shown to editors that drop the answers of commands |
//! | [`views`] | generated texts that follow the edits, and where their parts come from |
//! | [`measured`] | the times of runs, at the lines that caused them |
//! | [`compiled`] | kernels compiled in the background, for what follows |
//! | [`compiled_hints`] | what the compiler chose and left in, at the expressions for which it did |
//! | [`costs`] | what a kernel costs, in its hover |
//! | [`convert`] | editor data to protocol data |

pub mod child;
pub mod commands;
pub mod compiled;
pub mod compiled_hints;
pub mod convert;
pub mod costs;
pub mod disk;
pub mod documents;
pub mod features;
pub mod frame;
pub mod main_loop;
pub mod measured;
pub mod progress;
pub mod requests;
pub mod server;
pub mod show;
pub mod snapshot;
pub mod state;
pub mod transport;
pub mod views;

use frame::TrafficLog;
use std::io;
use std::path::Path;
use tokio::sync::mpsc;

/// Serves on standard input and output; returns the exit status.
pub fn run(log: Option<&Path>) -> io::Result<u8> {
    free_at_once();
    let log = match log {
        Some(path) => TrafficLog::create(path)?,
        None => TrafficLog::default(),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let (outbox, outgoing) = mpsc::unbounded_channel();
    let main = main_loop::spawn(outbox)?;
    let status = runtime.block_on(async {
        let (service, socket) = server::service(main, outgoing);
        transport::serve(tokio::io::stdin(), tokio::io::stdout(), service, socket, log).await
    });
    // Standard input is read by a thread that may never come back: it is not joined.
    runtime.shutdown_background();
    Ok(status)
}

/// Has what is freed joined with what is free beside it. glibc would leave small pieces for a later, larger request to join,
/// all of them: whoever asked after a long answer was freed (an outline, say) would wait 3 ms for that.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[allow(unsafe_code, reason = "no safe library sets the parameters of glibc's allocator")]
fn free_at_once() {
    // SAFETY: `mallopt` may be called at any time; this is before other threads are there.
    unsafe { libc::mallopt(libc::M_MXFAST, 0) };
}

/// Other allocators do not wait.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn free_at_once() {}
