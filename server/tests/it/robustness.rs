//! Events that must not end a session: cancellations, panics, broken frames. Also the end of a session.

use crate::session::{Options, Session, at};
use serde_json::{Value, json};

const URI: &str = "file:///tmp/lift-test/a.lift";

fn document() -> Value {
    json!({ "uri": URI })
}

#[test]
fn a_storm_of_cancellations_answers_each_request_once() {
    let mut session = Session::start();
    session.open(URI, "(define a 1)\n");
    // More requests than threads: those still queued are cancelled before they begin.
    let ids: Vec<i64> = (0..200).map(|_| session.request("lift/test/busy", document())).collect();
    for id in &ids {
        session.notify("$/cancelRequest", json!({ "id": id }));
    }
    for id in &ids {
        assert_eq!(session.answer(*id).expect_err("it never ends by itself")["code"], -32800);
    }
    let answers =
        session.messages().iter().filter(|m| m.get("method").is_none() && m["id"].as_i64() >= Some(ids[0])).count();
    assert_eq!(answers, ids.len());
    assert_eq!(session.text(URI), "(define a 1)\n");
    session.shutdown();
}

#[test]
fn an_edit_stops_what_works_on_the_old_text() {
    let mut session = Session::start();
    session.open(URI, "(define a 1)\n");
    let busy = session.request("lift/test/busy", document());
    session.edit(URI, 2, [0, 0, 0, 0], ";");
    assert_eq!(session.answer(busy).expect_err("stale")["code"], -32801);
    assert_eq!(session.text(URI), ";(define a 1)\n");
    session.shutdown();
}

#[test]
fn a_panic_costs_one_request() {
    let mut session = Session::start();
    session.open(URI, "(define a 1)\n");
    for method in ["lift/test/panic", "lift/test/panicInHandler"] {
        let error = session.call(method, json!({})).expect_err("a panic");
        assert_eq!(error["code"], -32603);
    }
    // The state is rebuilt from the texts.
    assert_eq!(session.call("lift/test/panicInWrite", json!({})), Ok(Value::Null));
    session.edit(URI, 2, [0, 10, 0, 11], "2.0");
    assert_eq!(session.text(URI), "(define a 2.0)\n");
    let hover = session.call("textDocument/hover", at(URI, 0, 8)).expect("a hover");
    assert!(hover.to_string().contains("Double"), "{hover}");
    session.shutdown();
}

#[test]
fn broken_frames_are_answered_and_survived() {
    let mut session = Session::start();
    session.open(URI, "(define a 1)\n");
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    let bodies: [(&[u8], i64); 8] = [
        (b"{bad", -32700),
        (b"\xff\xfe{", -32700),
        (deep.as_bytes(), -32700),
        (b"", -32700),
        (b"[1,2]", -32600),
        (b"42", -32600),
        (b"{\"jsonrpc\":\"2.0\",\"method\":5,\"id\":\"b1\"}", -32600),
        (b"{\"jsonrpc\":\"2.0\"}", -32600),
    ];
    for (i, (body, code)) in bodies.into_iter().enumerate() {
        session.send_bytes(body);
        let errors = |m: &Value| m.get("error").is_some();
        let mut count = 0;
        while count <= i {
            session.wait("an error", errors);
            count = session.messages().iter().filter(|m| errors(m)).count();
            std::thread::yield_now();
        }
        let last = session.messages().into_iter().rfind(errors).expect("an error");
        assert_eq!(
            last["error"]["code"],
            code,
            "for {:?}: {last}",
            String::from_utf8_lossy(&body[..body.len().min(40)])
        );
    }
    session.write(b"garbage\r\n\r\nContent-Length: nonsense\r\n\r\nContent-Length: 99999999999999\r\n\r\n");
    // Malformed parameters.
    let error = session.call("textDocument/hover", json!({ "nope": 1 })).expect_err("bad parameters");
    assert_eq!(error["code"], -32602);
    assert_eq!(session.call("no/such/method", json!({})).expect_err("unknown")["code"], -32601);
    assert_eq!(session.text(URI), "(define a 1)\n");
    session.shutdown();
}

#[test]
fn a_reply_never_overtakes_what_was_said_before_it() {
    let mut session = Session::start();
    for _ in 0..200 {
        session.call("lift/test/notifyThenReply", json!({})).expect("a reply");
    }
    let mut said = 0;
    for message in session.messages() {
        if message["method"] == "window/logMessage" {
            said += 1;
        } else if message.get("method").is_none() && message["id"].as_i64() > Some(1) {
            said -= 1;
            assert_eq!(said, 0, "a reply came before its notification");
        }
    }
    session.shutdown();
}

#[test]
fn slow_requests_do_not_block_quick_ones() {
    let mut session = Session::start();
    session.open(URI, "(define a 1)\n");
    // Fewer busy requests than threads.
    let busy = session.request("lift/test/busy", document());
    for _ in 0..50 {
        assert!(session.call("textDocument/hover", at(URI, 0, 8)).is_ok());
    }
    session.notify("$/cancelRequest", json!({ "id": busy }));
    assert_eq!(session.answer(busy).expect_err("cancelled")["code"], -32800);
    session.shutdown();
}

#[test]
fn the_exit_status_says_whether_shutdown_was_asked_for() {
    Session::start().shutdown();

    let mut without = Session::start();
    without.notify("exit", Value::Null);
    assert_eq!(without.exit_status(), Some(1));

    let mut closed = Session::start();
    closed.close_input();
    assert_eq!(closed.exit_status(), Some(1));
}

#[test]
fn the_life_cycle_is_kept() {
    let mut session = Session::raw(&Options::default());
    assert_eq!(session.call("textDocument/hover", at(URI, 0, 0)).expect_err("too early")["code"], -32002);
    session.call("initialize", json!({ "capabilities": {} })).expect("initialize");
    assert_eq!(session.call("initialize", json!({ "capabilities": {} })).expect_err("twice")["code"], -32600);
    session.notify("initialized", json!({}));
    assert_eq!(session.call("shutdown", Value::Null), Ok(Value::Null));
    assert_eq!(session.call("textDocument/hover", at(URI, 0, 0)).expect_err("too late")["code"], -32600);
    session.notify("exit", Value::Null);
    assert_eq!(session.exit_status(), Some(0));
}

#[test]
fn texts_that_break_parsers_break_nothing() {
    let mut session = Session::start();
    let texts = [
        "(".repeat(100_000),
        format!("{}x{}", "(f ".repeat(50_000), ")".repeat(50_000)),
        format!("(define a {})", "1 ".repeat(200_000)),
        "\0\0(define \0 1)\u{feff}".to_owned(),
        "\"".repeat(10_000),
        ")".repeat(100_000),
    ];
    for (i, text) in texts.iter().enumerate() {
        let uri = format!("file:///tmp/lift-test/{i}.lift");
        session.open(&uri, text);
        session.diagnostics(&uri, 1);
        session.call("textDocument/documentSymbol", json!({ "textDocument": { "uri": uri } })).expect("symbols");
        session
            .call(
                "textDocument/formatting",
                json!({ "textDocument": { "uri": uri }, "options": { "tabSize": 2, "insertSpaces": true } }),
            )
            .expect("a layout");
    }
    session.shutdown();
}

#[test]
fn the_traffic_log_has_every_message() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("traffic.log");
    let arguments = vec!["--stdio".to_owned(), format!("--log={}", log.display())];
    let mut session = Session::with(Options { arguments, ..Options::default() });
    session.open(URI, "(define a 1)\n");
    session.diagnostics(URI, 1);
    session.shutdown();
    let log = std::fs::read_to_string(log).expect("a log");
    let methods: Vec<(String, Value)> = log
        .lines()
        .map(|line| (line[..2].to_owned(), serde_json::from_str::<Value>(&line[3..]).expect("JSON")["method"].clone()))
        .collect();
    let has = |direction: &str, method: &str| methods.iter().any(|(d, m)| d == direction && m == method);
    assert!(has("<-", "initialize") && has("<-", "textDocument/didOpen") && has("<-", "exit"), "{log}");
    assert!(has("->", "textDocument/publishDiagnostics"), "{log}");
}
