//! Published and pulled diagnostics.

use crate::features::{PROGRAM, UNEQUAL, URI, check, document, rich};
use crate::session::{Options, Session};
use expect_test::expect;
use serde_json::{Value, json};

#[test]
fn a_diagnostic_has_a_code_with_a_page_and_the_places_it_is_about() {
    let mut session = rich();
    session.open(URI, UNEQUAL);
    let diagnostics = session.diagnostics(URI, 1);
    check(
        &json!(diagnostics),
        expect![[r#"
            [
              {
                "code": "unequal-lengths",
                "codeDescription": {
                  "href": "lift:/explain/unequal-lengths.md"
                },
                "data": {
                  "code": "unequal-lengths",
                  "fixes": 1,
                  "obligation": {
                    "label": "✗ X1 = X2",
                    "position": {
                      "character": 91,
                      "line": 1
                    }
                  }
                },
                "message": "`zip` needs two arrays of one length: the first has length `X1` (what `filter (lambda …)` kept), the second `X2` (what `filter (lambda …)` kept); two filters may keep different numbers of elements",
                "range": {
                  "end": {
                    "character": 91,
                    "line": 1
                  },
                  "start": {
                    "character": 56,
                    "line": 1
                  }
                },
                "relatedInformation": [
                  {
                    "location": {
                      "range": {
                        "end": {
                          "character": 55,
                          "line": 1
                        },
                        "start": {
                          "character": 20,
                          "line": 1
                        }
                      },
                      "uri": "file:///tmp/lift-test/positive.lift"
                    },
                    "message": "length `X1` comes from here"
                  },
                  {
                    "location": {
                      "range": {
                        "end": {
                          "character": 91,
                          "line": 1
                        },
                        "start": {
                          "character": 56,
                          "line": 1
                        }
                      },
                      "uri": "file:///tmp/lift-test/positive.lift"
                    },
                    "message": "length `X2` comes from here"
                  }
                ],
                "severity": 1,
                "source": "lift"
              }
            ]"#]],
    );
    let page = diagnostics[0]["codeDescription"]["href"].as_str().expect("a page").to_owned();
    let page = session.call("lift/virtualText", json!({ "uri": page })).expect("the page");
    assert!(page["text"].as_str().is_some_and(|t| t.starts_with("# unequal-lengths")), "{page}");
    session.shutdown();
}

#[test]
fn a_client_without_related_places_reads_them_in_the_message() {
    let mut session = Session::start();
    session.open(URI, UNEQUAL);
    let diagnostics = session.diagnostics(URI, 1);
    check(
        &diagnostics[0]["message"],
        expect![[
            r#""`zip` needs two arrays of one length: the first has length `X1` (what `filter (lambda …)` kept), the second `X2` (what `filter (lambda …)` kept); two filters may keep different numbers of elements\n  line 2: length `X1` comes from here\n  line 2: length `X2` comes from here""#
        ]],
    );
    session.shutdown();
}

#[test]
fn a_client_that_only_asks_is_not_sent_diagnostics() {
    let capabilities = json!({ "textDocument": { "diagnostic": {} } });
    let mut session = Session::with(Options { capabilities, ..Options::default() });
    assert_eq!(session.initialized["capabilities"]["diagnosticProvider"]["interFileDependencies"], true);
    session.open(URI, UNEQUAL);
    let full = session.call("textDocument/diagnostic", json!({ "textDocument": document() })).expect("a report");
    assert_eq!((&full["kind"], &full["items"][0]["code"]), (&json!("full"), &json!("unequal-lengths")));
    let again = json!({ "textDocument": document(), "previousResultId": full["resultId"] });
    let unchanged = session.call("textDocument/diagnostic", again).expect("a report");
    assert_eq!(unchanged["kind"], "unchanged");
    session.edit(URI, 2, [0, 0, 0, 0], "; ");
    let changed = session
        .call("textDocument/diagnostic", json!({ "textDocument": document(), "previousResultId": full["resultId"] }));
    assert_eq!(changed.expect("a report")["kind"], "full");
    assert!(!session.messages().iter().any(|m| m["method"] == "textDocument/publishDiagnostics"));
    session.shutdown();
}

#[test]
fn a_client_that_asks_for_all_files_gets_what_is_new() {
    let capabilities = json!({ "textDocument": { "diagnostic": {} } });
    let mut session = Session::with(Options { capabilities, ..Options::default() });
    assert_eq!(session.initialized["capabilities"]["diagnosticProvider"]["workspaceDiagnostics"], true);
    session.open(URI, UNEQUAL);
    let other = "file:///tmp/lift-test/other.lift";
    session.open(other, PROGRAM);
    let ask = |session: &mut Session, known: &[(&str, &Value)]| {
        let known: Vec<Value> = known.iter().map(|(uri, id)| json!({ "uri": uri, "value": id })).collect();
        let report = session.call("workspace/diagnostic", json!({ "previousResultIds": known })).expect("a report");
        report["items"].as_array().expect("items").clone()
    };
    let first = ask(&mut session, &[]);
    let codes = |item: &Value| {
        let items = item["items"].as_array().map(Vec::as_slice).unwrap_or_default();
        items.iter().filter_map(|d| d["code"].as_str()).collect::<Vec<_>>().join(" ")
    };
    let said: Vec<(&Value, &Value, String)> = first.iter().map(|i| (&i["uri"], &i["kind"], codes(i))).collect();
    assert_eq!(
        said,
        [(&json!(other), &json!("full"), String::new()), (&json!(URI), &json!("full"), "unequal-lengths".to_owned())]
    );
    session.edit(other, 2, [1, 0, 1, 0], "(define wrong nowhere)\n");
    let gone = ("file:///tmp/lift-test/gone.lift", &json!("0"));
    let second = ask(&mut session, &[(other, &first[0]["resultId"]), (URI, &first[1]["resultId"]), gone]);
    let said: Vec<(&Value, &Value, String)> = second.iter().map(|i| (&i["uri"], &i["kind"], codes(i))).collect();
    assert_eq!(
        said,
        [
            (&json!(other), &json!("full"), "unknown-name".to_owned()),
            (&json!(URI), &json!("unchanged"), String::new()),
            (&json!(gone.0), &json!("full"), String::new())
        ]
    );
    session.shutdown();
}

#[test]
fn more_than_a_person_reads_are_counted() {
    let mut session = rich();
    let program: String = (0..600).map(|n| format!("(define d{n} nowhere)\n")).collect();
    session.open(URI, &program);
    let found = session.diagnostics(URI, 1);
    assert_eq!(found.len(), 501);
    assert_eq!(found[500]["message"], "100 more are not shown; `lift check` shows them all");
    session.shutdown();
}

#[test]
fn what_is_not_used_is_faded() {
    let mut session = rich();
    session.open(URI, "(define (f x) (let y x x))\n");
    let found = session.diagnostics(URI, 1);
    let tags: Vec<(&Value, &Value)> = found.iter().map(|d| (&d["code"], &d["tags"])).collect();
    assert_eq!(tags, [(&json!("unused-name"), &json!([1]))]);
    session.shutdown();
}

/// Versions and numbers of the published diagnostics, in order.
fn shown(session: &Session) -> Vec<(i64, usize)> {
    let messages = session.messages();
    let sent = messages.iter().filter(|message| message["method"] == "textDocument/publishDiagnostics");
    let of = |message: &Value| {
        let params = &message["params"];
        (params["version"].as_i64().expect("a version"), params["diagnostics"].as_array().expect("a list").len())
    };
    sent.map(of).collect()
}

#[test]
fn diagnostics_stay_until_new_ones_are_there_and_do_not_survive_a_fix() {
    let mut session = rich();
    session.open(URI, "(define (wrong x) (+ x true))\n(define (other x) x)\n");
    assert_eq!(session.diagnostics(URI, 1).len(), 1);
    // Edits after the error, before it and inside it: it is reported at all times.
    for (version, range) in (2..).zip([[1, 20, 1, 20], [0, 0, 0, 0], [0, 19, 0, 19], [2, 0, 2, 0]]) {
        session.edit(URI, version, range, " ");
        assert_eq!(session.diagnostics(URI, version).len(), 1);
    }
    assert_eq!(shown(&session), [(1, 1), (2, 1), (3, 1), (4, 1), (5, 1)], "nothing was sent in between");
    let text = session.text(URI);
    let column = text.lines().next().and_then(|line| line.find("true")).expect("the mistake") as u32;
    session.edit(URI, 6, [0, column, 0, column + 4], "1");
    assert_eq!(session.diagnostics(URI, 6).len(), 0);
    // Fix and break the program repeatedly without waiting; the last version is fixed.
    for version in 7..=60 {
        let (end, new) = if version % 2 == 1 { (column + 1, "true") } else { (column + 4, "1") };
        session.edit(URI, version, [0, column, 0, end], new);
    }
    assert_eq!(session.diagnostics(URI, 60).len(), 0);
    session.text(URI);
    let shown = shown(&session);
    assert_eq!(shown.last(), Some(&(60, 0)), "{shown:?}");
    assert!(shown.is_sorted_by_key(|(version, _)| *version), "{shown:?}");
    let right = |(version, found): &(i64, usize)| *version < 6 || *found == (version % 2) as usize;
    assert!(shown.iter().all(right), "each is about its version: {shown:?}");
    session.shutdown();
}
