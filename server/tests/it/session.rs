//! A test client: starts `lift lsp`, exchanges frames, and waits for messages instead of fixed times.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

/// Time limit for every message; the test fails after it.
const PATIENCE: Duration = Duration::from_secs(120);

pub struct Session {
    server: Child,
    stdin: Option<ChildStdin>,
    next_id: i64,
    inbox: Arc<Inbox>,
    pub initialized: Value,
}

#[derive(Default)]
struct Inbox {
    messages: Mutex<Messages>,
    news: Condvar,
}

#[derive(Default)]
struct Messages {
    /// All messages of the server, in order.
    all: Vec<Value>,
    /// The server's unanswered requests.
    to_answer: Vec<Value>,
    closed: bool,
}

/// How to start a session.
#[derive(Default)]
pub struct Options {
    pub capabilities: Value,
    pub options: Value,
    /// The workspace folder.
    pub root: Option<String>,
    pub arguments: Vec<String>,
    pub environment: Vec<(&'static str, String)>,
}

impl Session {
    /// Starts a session with a client without optional capabilities.
    pub fn start() -> Session {
        Session::with(Options::default())
    }

    pub fn with(options: Options) -> Session {
        let mut session = Session::raw(&options);
        let params = json!({
            "processId": null,
            "rootUri": null,
            "capabilities": if options.capabilities.is_null() { json!({}) } else { options.capabilities },
            "initializationOptions": options.options,
            "workspaceFolders": options.root.map(|uri| json!([{ "uri": uri, "name": "root" }])),
        });
        session.initialized = session.call("initialize", params).expect("initialize");
        session.notify("initialized", json!({}));
        session
    }

    /// Starts a server without initializing it.
    pub fn raw(options: &Options) -> Session {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lift"));
        command.arg("lsp").args(&options.arguments).env("LIFT_TEST_METHODS", "1");
        command.envs(options.environment.iter().map(|(k, v)| (k, v)));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut server = command.spawn().expect("the server starts");
        let stdin = server.stdin.take();
        let stdout = server.stdout.take().expect("standard output");
        let inbox: Arc<Inbox> = Arc::default();
        let mailbox = inbox.clone();
        std::thread::spawn(move || {
            let mut stream = BufReader::new(stdout);
            while let Some(message) = read_frame(&mut stream) {
                let mut messages = mailbox.messages.lock().expect("the inbox");
                if message.get("method").is_some() && message.get("id").is_some() {
                    messages.to_answer.push(message.clone());
                }
                messages.all.push(message);
                mailbox.news.notify_all();
            }
            mailbox.messages.lock().expect("the inbox").closed = true;
            mailbox.news.notify_all();
        });
        Session { server, stdin, next_id: 0, inbox, initialized: Value::Null }
    }

    pub fn send(&mut self, message: &Value) {
        self.send_bytes(message.to_string().as_bytes());
    }
    /// Sends a frame with an arbitrary body.
    pub fn send_bytes(&mut self, body: &[u8]) {
        let mut frame = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
        frame.extend(body);
        self.write(&frame);
    }
    pub fn write(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("standard input is open");
        stdin.write_all(bytes).and_then(|()| stdin.flush()).expect("the server reads");
    }
    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }
    /// Sends a request and returns its id.
    pub fn request(&mut self, method: &str, params: Value) -> i64 {
        self.next_id += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params }));
        self.next_id
    }
    /// Waits for the answer to a request: its result, or its error.
    pub fn answer(&mut self, id: i64) -> Result<Value, Value> {
        let message = self.wait("an answer", |m| m.get("method").is_none() && m["id"] == id);
        match message.get("error") {
            Some(error) => Err(error.clone()),
            None => Ok(message["result"].clone()),
        }
    }
    pub fn call(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        let id = self.request(method, params);
        self.answer(id)
    }
    /// Returns the first message that matches, among all received so far and later. Meanwhile answers the server's
    /// requests with `null`, and says of edits that they are applied.
    pub fn wait(&mut self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let inbox = self.inbox.clone();
        let mut messages = inbox.messages.lock().expect("the inbox");
        let mut seen = 0;
        loop {
            let asked: Vec<Value> = messages.to_answer.drain(..).collect();
            for request in asked {
                let is_edit = request["method"] == "workspace/applyEdit";
                let result = if is_edit { json!({ "applied": true }) } else { Value::Null };
                self.send(&json!({ "jsonrpc": "2.0", "id": request["id"], "result": result }));
            }
            if let Some(found) = messages.all[seen..].iter().find(|m| wanted(m)) {
                return found.clone();
            }
            seen = messages.all.len();
            assert!(!messages.closed, "the server ended before it sent {what}");
            let (back, timeout) = inbox.news.wait_timeout(messages, PATIENCE).expect("the inbox");
            messages = back;
            assert!(!timeout.timed_out(), "the server did not send {what}");
        }
    }
    /// Returns all messages so far, in order.
    pub fn messages(&self) -> Vec<Value> {
        self.inbox.messages.lock().expect("the inbox").all.clone()
    }

    pub fn open(&mut self, uri: &str, text: &str) {
        let document = json!({ "uri": uri, "languageId": "lift", "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }
    /// Sends one edit; the range is line, column, end line, end column.
    pub fn edit(&mut self, uri: &str, version: i64, range: [u32; 4], text: &str) {
        self.change(uri, version, json!([{ "range": span(range), "text": text }]));
    }
    pub fn change(&mut self, uri: &str, version: i64, changes: Value) {
        let document = json!({ "uri": uri, "version": version });
        self.notify("textDocument/didChange", json!({ "textDocument": document, "contentChanges": changes }));
    }
    /// Waits for the published diagnostics of a version of a document.
    pub fn diagnostics(&mut self, uri: &str, version: i64) -> Vec<Value> {
        let message = self.wait("diagnostics", |m| {
            m["method"] == "textDocument/publishDiagnostics"
                && m["params"]["uri"] == uri
                && m["params"]["version"] == version
        });
        message["params"]["diagnostics"].as_array().expect("a list").clone()
    }
    /// Returns the server's text of a document.
    pub fn text(&mut self, uri: &str) -> String {
        let text = self.call("lift/test/text", json!({ "uri": uri })).expect("an open document");
        text.as_str().expect("a text").to_owned()
    }
    pub fn execute(&mut self, command: &str, argument: Value) -> Result<Value, Value> {
        self.call("workspace/executeCommand", json!({ "command": command, "arguments": [argument] }))
    }

    /// Returns the ids of the server's live child processes.
    #[cfg(target_os = "linux")]
    pub fn children(&self) -> Vec<String> {
        let threads = std::fs::read_dir(format!("/proc/{}/task", self.server.id())).expect("a process");
        let of_thread = |path: std::path::PathBuf| std::fs::read_to_string(path.join("children")).unwrap_or_default();
        let children: Vec<String> = threads.flatten().map(|thread| of_thread(thread.path())).collect();
        children.join(" ").split_whitespace().map(str::to_owned).collect()
    }

    /// Returns the niceness of the server's threads, by name.
    #[cfg(target_os = "linux")]
    pub fn niceness(&self) -> std::collections::BTreeMap<String, i32> {
        let threads = std::fs::read_dir(format!("/proc/{}/task", self.server.id())).expect("a process");
        let of = |path: std::path::PathBuf| {
            let name = std::fs::read_to_string(path.join("comm")).ok()?;
            let stat = std::fs::read_to_string(path.join("stat")).ok()?;
            // The format is `ID (NAME) STATE …`; the niceness is the nineteenth field.
            let nice = stat.rsplit_once(") ")?.1.split_whitespace().nth(16)?.parse().ok()?;
            Some((name.trim().to_owned(), nice))
        };
        threads.flatten().filter_map(|thread| of(thread.path())).collect()
    }
    pub fn close_input(&mut self) {
        self.stdin = None;
    }
    pub fn exit_status(&mut self) -> Option<i32> {
        self.server.wait().expect("the server ends").code()
    }
    /// Ends the session as the protocol requires; the exit status must be 0.
    pub fn shutdown(mut self) {
        assert_eq!(self.call("shutdown", Value::Null), Ok(Value::Null));
        self.notify("exit", Value::Null);
        assert_eq!(self.exit_status(), Some(0));
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

fn read_frame(stream: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        if let Some(value) = line.strip_prefix("Content-Length: ") {
            length = value.parse().expect("a length");
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    Some(serde_json::from_slice(&body).expect("the server writes JSON"))
}

/// Returns a protocol range.
pub fn span([line, column, to_line, to_column]: [u32; 4]) -> Value {
    json!({ "start": { "line": line, "character": column }, "end": { "line": to_line, "character": to_column } })
}

/// Returns the parameters of a request at a position.
pub fn at(uri: &str, line: u32, column: u32) -> Value {
    json!({ "textDocument": { "uri": uri }, "position": { "line": line, "character": column } })
}

/// The capabilities of VS Code, as far as these tests need them.
pub fn rich_client() -> Value {
    json!({
        "workspace": {
            "applyEdit": true,
            "workspaceEdit": { "documentChanges": true },
            "didChangeWatchedFiles": { "dynamicRegistration": true },
            "inlayHint": { "refreshSupport": true },
        },
        "textDocument": {
            "hover": { "contentFormat": ["markdown", "plaintext"] },
            "definition": { "linkSupport": true },
            "documentSymbol": { "hierarchicalDocumentSymbolSupport": true },
            "codeAction": { "codeActionLiteralSupport": { "codeActionKind": { "valueSet": ["quickfix"] } } },
            "publishDiagnostics": {
                "relatedInformation": true,
                "versionSupport": true,
                "codeDescriptionSupport": true,
                "tagSupport": { "valueSet": [1, 2] },
            },
        },
        "window": { "workDoneProgress": true },
        "general": { "positionEncodings": ["utf-16"] },
    })
}
