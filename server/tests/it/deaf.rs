//! Clients that do not read the server's output, and clients that disappear.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const URI: &str = "file:///tmp/lift-test/long.lift";
/// Time limit for every event; the test fails after it.
const PATIENCE: Duration = Duration::from_secs(120);
/// Number of answers, of [`TEXT`] bytes each; together more than [`MOST_MEMORY`].
const REQUESTS: usize = 2200;
const TEXT: usize = 128 << 10;
/// Limit on the memory of a server that bounds its unread output, in KiB.
const MOST_MEMORY: usize = 220 << 10;

/// A server whose output is not read.
struct Deaf {
    server: Child,
}

impl Deaf {
    /// Starts a server with a long document open.
    fn start() -> (Deaf, ChildStdin, ChildStdout) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lift"));
        command.arg("lsp").env("LIFT_TEST_METHODS", "1");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut server = command.spawn().expect("the server starts");
        let mut stdin = server.stdin.take().expect("standard input");
        let stdout = server.stdout.take().expect("standard output");
        let document = json!({ "uri": URI, "languageId": "lift", "version": 1, "text": ";".repeat(TEXT) });
        for message in [
            json!({ "jsonrpc": "2.0", "id": "start", "method": "initialize", "params": { "capabilities": {} } }),
            json!({ "jsonrpc": "2.0", "method": "initialized", "params": {} }),
            json!({ "jsonrpc": "2.0", "method": "textDocument/didOpen", "params": { "textDocument": document } }),
        ] {
            send(&mut stdin, &message).expect("the server reads");
        }
        (Deaf { server }, stdin, stdout)
    }

    /// Returns the server's peak memory, in KiB.
    fn peak(&self) -> usize {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.server.id())).expect("it runs");
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("Linux says so");
        line.trim().trim_end_matches(" kB").parse().expect("a number")
    }

    fn ends(&mut self) -> Option<i32> {
        let begun = Instant::now();
        loop {
            if let Some(status) = self.server.try_wait().expect("a child") {
                return status.code();
            }
            assert!(begun.elapsed() < PATIENCE, "the server does not end");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Deaf {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

fn send(stdin: &mut ChildStdin, message: &Value) -> std::io::Result<()> {
    let body = message.to_string();
    write!(stdin, "Content-Length: {}\r\n\r\n{body}", body.len())?;
    stdin.flush()
}

/// Requests the whole text again and again; counts the requests that the server has read.
fn ask(mut stdin: ChildStdin, taken: &AtomicUsize) -> ChildStdin {
    for id in 0..REQUESTS {
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": "lift/test/text", "params": { "uri": URI } });
        if send(&mut stdin, &request).is_err() {
            break;
        }
        taken.fetch_add(1, Ordering::Relaxed);
    }
    stdin
}

/// Waits until the server stops reading. If it is only slow, fewer answers are pending and the test is weaker.
fn until_nothing_is_taken(taken: &AtomicUsize) {
    let mut before = usize::MAX;
    loop {
        let now = taken.load(Ordering::Relaxed);
        if now == before || now == REQUESTS {
            return;
        }
        before = now;
        std::thread::sleep(Duration::from_secs(1));
    }
}

#[test]
fn what_a_client_does_not_read_is_bounded() {
    let (server, stdin, stdout) = Deaf::start();
    let taken = Arc::new(AtomicUsize::new(0));
    let asking = std::thread::spawn({
        let taken = taken.clone();
        move || ask(stdin, &taken)
    });
    until_nothing_is_taken(&taken);
    // The client starts reading and receives every answer.
    let mut stream = BufReader::new(stdout);
    let (mut answers, mut long) = (0, 0);
    while answers < REQUESTS {
        let (mut line, mut length) = (String::new(), 0u64);
        while line != "\r\n" {
            line.clear();
            assert!(stream.read_line(&mut line).expect("text") > 0, "the server ended after {answers} answers");
            if let Some(value) = line.strip_prefix("Content-Length: ") {
                length = value.trim().parse().expect("a length");
            }
        }
        let mut body = Vec::new();
        stream.by_ref().take(length).read_to_end(&mut body).expect("a body");
        let start = String::from_utf8_lossy(&body[..body.len().min(60)]).into_owned();
        if !start.contains("\"method\"") && !start.contains("\"start\"") && !body.ends_with(b"\"start\"}") {
            answers += 1;
            long += usize::from(body.len() >= TEXT);
        }
    }
    assert_eq!(long, REQUESTS, "each has the whole text");
    let peak = server.peak();
    assert!(peak < MOST_MEMORY, "it took {peak} KiB");
    drop(asking.join().expect("it asked"));
}

#[test]
fn a_client_that_went_away_is_not_served_any_more() {
    let (mut server, stdin, stdout) = Deaf::start();
    let taken = Arc::new(AtomicUsize::new(0));
    let asking = std::thread::spawn({
        let taken = taken.clone();
        move || ask(stdin, &taken)
    });
    until_nothing_is_taken(&taken);
    drop(stdout);
    // The server's input stays open.
    assert_eq!(server.ends(), Some(1));
    drop(asking.join().expect("it asked"));
}
