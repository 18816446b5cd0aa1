//! Synchronization of documents: every edit, in order, in the negotiated unit.

use crate::session::{Options, Session, at};
use serde_json::json;

const URI: &str = "file:///tmp/lift-test/a.lift";

#[test]
fn a_storm_of_edits_with_hovers_between_leaves_the_right_text() {
    let mut session = Session::start();
    session.open(URI, "(define one 1)\n\n");
    let (mut typed, mut hovers) = (String::new(), Vec::new());
    for i in 0..2000u32 {
        let letter = char::from(b'a' + (i % 26) as u8);
        session.edit(URI, i64::from(i) + 2, [1, i, 1, i], &letter.to_string());
        typed.push(letter);
        if i % 10 == 0 {
            hovers.push(session.request("textDocument/hover", at(URI, 0, 9)));
        }
    }
    for id in hovers {
        match session.answer(id) {
            Ok(hover) => assert!(hover.to_string().contains("Int"), "{hover}"),
            // A newer edit arrived first.
            Err(error) => assert_eq!(error["code"], -32801),
        }
    }
    assert_eq!(session.text(URI), format!("(define one 1)\n{typed}\n"));
    session.shutdown();
}

#[test]
fn columns_are_utf16_units_unless_utf8_is_offered() {
    for (offered, chosen, column) in
        [(json!(null), "utf-16", 5), (json!(["utf-16"]), "utf-16", 5), (json!(["utf-16", "utf-8"]), "utf-8", 8)]
    {
        let capabilities = json!({ "general": { "positionEncodings": offered } });
        let mut session = Session::with(Options { capabilities, ..Options::default() });
        assert_eq!(session.initialized["capabilities"]["positionEncoding"], chosen);
        session.open(URI, "; é𝒳x\n(define b oops)\n");
        session.edit(URI, 2, [0, column, 0, column + 1], "YZ");
        assert_eq!(session.text(URI), "; é𝒳YZ\n(define b oops)\n");
        session.shutdown();
    }
}

#[test]
fn windows_line_ends_count_as_one_line_end() {
    let mut session = Session::start();
    session.open(URI, "; a\r\n; b\r\n");
    session.edit(URI, 2, [1, 3, 1, 3], "c");
    // A column past the end of a line is its end.
    session.edit(URI, 3, [0, 99, 1, 0], "\r\n;; new\r\n");
    assert_eq!(session.text(URI), "; a\r\n;; new\r\n; bc\r\n");
    session.shutdown();
}

#[test]
fn several_changes_of_one_message_are_made_in_order() {
    let mut session = Session::start();
    session.open(URI, "");
    let changes = json!([
        { "text": "one two" },
        { "range": { "start": { "line": 0, "character": 3 }, "end": { "line": 0, "character": 4 } }, "text": "\n" },
        { "range": { "start": { "line": 1, "character": 3 }, "end": { "line": 1, "character": 3 } }, "text": "!" },
    ]);
    session.change(URI, 2, changes);
    assert_eq!(session.text(URI), "one\ntwo!");
    session.shutdown();
}

#[test]
fn diagnostics_carry_the_version_that_they_are_about() {
    let mut session = Session::start();
    session.open(URI, "(define a (+ 1 true))\n");
    assert_eq!(session.diagnostics(URI, 1).len(), 1);
    session.edit(URI, 2, [0, 15, 0, 19], "2");
    assert_eq!(session.diagnostics(URI, 2), [] as [serde_json::Value; 0]);
    session.notify("textDocument/didClose", json!({ "textDocument": { "uri": URI } }));
    session.open(URI, "(define a (+ 1 true))\n");
    session.wait("diagnostics after opening again", |m| {
        m["params"]["version"] == 1 && m["params"]["diagnostics"].as_array().is_some_and(|d| d.len() == 1)
    });
    session.shutdown();
}

#[test]
fn diagnostics_are_taken_back_when_a_document_is_closed() {
    let mut session = Session::start();
    session.open(URI, "(define a (+ 1 true))\n");
    assert_eq!(session.diagnostics(URI, 1).len(), 1);
    session.notify("textDocument/didClose", json!({ "textDocument": { "uri": URI } }));
    let taken_back = session.wait("empty diagnostics", |m| {
        m["method"] == "textDocument/publishDiagnostics" && m["params"]["version"].is_null()
    });
    assert_eq!(taken_back["params"]["diagnostics"], json!([]));
    session.shutdown();
}

#[test]
fn an_edit_with_an_old_version_is_made_and_logged() {
    let mut session = Session::start();
    session.open(URI, "ab");
    session.edit(URI, 1, [0, 1, 0, 1], "-");
    session.edit(URI, 0, [0, 0, 0, 0], "+");
    assert_eq!(session.text(URI), "+a-b");
    let logged = session.wait("a warning", |m| m["method"] == "window/logMessage");
    assert_eq!(logged["params"]["message"], format!("{URI}: version 1 came after version 1"));
    session.shutdown();
}

#[test]
fn a_document_that_is_not_open_is_an_error_and_not_the_end() {
    let mut session = Session::start();
    session.edit(URI, 1, [0, 0, 0, 0], "x");
    let error = session.call("textDocument/hover", at(URI, 0, 0)).expect_err("nothing is open");
    assert_eq!(error["message"], format!("{URI} is not open"));
    session.shutdown();
}

#[test]
fn a_document_without_a_file_is_a_document() {
    let mut session = Session::start();
    session.open("untitled:Untitled-1", "(define a 1)\n");
    assert_eq!(session.diagnostics("untitled:Untitled-1", 1), [] as [serde_json::Value; 0]);
    assert!(
        session
            .call("textDocument/hover", at("untitled:Untitled-1", 0, 8))
            .expect("a hover")
            .to_string()
            .contains("Int")
    );
    session.shutdown();
}
