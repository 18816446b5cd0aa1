//! The language server.
//!
//! # Data
//!
//! Messages arrive through [`transport`], which calls the methods of [`server`], one per message. Each becomes either a
//! write to the [`state`](main_loop::state), on the thread of [`main_loop`], or a read of a [`snapshot`] in its pool. [`requests`]
//! contains the reads: they convert protocol data ([`convert`]), query analysis, and convert the answer.
//!
//! # Invariants
//!
//! * Writes happen in the order in which the client sent them; a read sees exactly the writes before it.
//! * Every request gets one answer: a result, `ContentModified` if a newer edit made it stale, `RequestCancelled`, or
//!   an error. A panic fails only the request in which it happened.
//! * Diagnostics carry the version of the text that they describe, and are never published for an older one.
//! * Programs are read only because an open document imports them, and only in its workspace folder; beside a document,
//!   the records of tuning are read.
//!
//! # Modules
//!
//! | module | job |
//! |---|---|
//! | [`frame`] | bytes to messages; the traffic log |
//! | [`encoded`] | answers that are encoded where they are computed |
//! | [`documents`], [`disk`] | open documents; files on disk |
//! | [`outcome`] | the result of a request, or why there is none |
//! | [`times`], [`progress`] | times and progress, for people |
//! | [`command_names`] | the names of commands |
//! | [`tested`], [`tuning`], [`child`] | runs, tests and tuning in a child process |
//! | [`encoding`], [`hint_settings`], [`features`] | capabilities and options of the client |
//! | [`convert`] | editor data to protocol data |
//! | [`views`] | generated texts that follow the edits, with source maps |
//! | [`measured`] | the times of runs, as hints |
//! | [`compiled`] | background compilation, for the next two |
//! | [`compiled_hints`] | the compiler's choices and remaining checks, as hints |
//! | [`costs`] | the cost of a kernel, in its hover |
//! | [`effects`] | what rewritings by laws change in the cost, in their titles |
//! | [`snapshot`] | the state at the time of a request |
//! | [`main_loop`] | the state and its thread |
//! | [`requests`] | reads |
//! | [`capabilities`] | capabilities of the server |
//! | [`server`] | the protocol's methods and commands |
//! | [`transport`] | messages to handlers |

pub mod capabilities;
pub mod child;
pub mod command_names;
pub mod compiled;
pub mod compiled_hints;
pub mod convert;
pub mod costs;
pub mod disk;
pub mod documents;
pub mod effects;
pub mod encoded;
pub mod encoding;
pub mod features;
pub mod frame;
pub mod hint_settings;
pub mod main_loop;
pub mod measured;
pub mod outcome;
pub mod progress;
pub mod requests;
pub mod server;
pub mod snapshot;
pub mod tested;
pub mod times;
pub mod transport;
pub mod tuning;
pub mod views;

use frame::TrafficLog;
use std::io;
use std::path::Path;
use tokio::sync::mpsc;

/// Serves on standard input and output; returns the exit status.
pub fn run(log: Option<&Path>) -> io::Result<u8> {
    free_at_once();
    let log = match log {
        Some(path) => {
            let named = |e: io::Error| io::Error::new(e.kind(), format!("cannot write {}: {e}", path.display()));
            TrafficLog::create(path).map_err(named)?
        }
        None => TrafficLog::default(),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let (outbox, outgoing) = mpsc::unbounded_channel();
    let main = main_loop::spawn(outbox)?;
    let status = runtime.block_on(async {
        let (service, socket) = server::service(main, outgoing);
        transport::serve(tokio::io::stdin(), tokio::io::stdout(), service, socket, log).await
    });
    // Do not join the thread that reads standard input; it may never return.
    runtime.shutdown_background();
    Ok(status)
}

/// Makes `free` coalesce small blocks immediately. By default glibc coalesces all of them at the next large allocation;
/// after a long answer (an outline, say) the next request would wait 3 ms for that.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[allow(unsafe_code, reason = "no safe library sets the parameters of glibc's allocator")]
fn free_at_once() {
    // SAFETY: `mallopt` may be called at any time, and no other threads exist yet.
    unsafe { libc::mallopt(libc::M_MXFAST, 0) };
}

/// No effect: other allocators do not defer coalescing.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn free_at_once() {}
