//! Changes of a program: code actions, formatting, edits after a typed character.

use crate::features::{PROGRAM, URI, check, document, rich};
use crate::session::{Options, Session, at, span};
use expect_test::expect;
use serde_json::{Value, json};

fn titles(actions: &Value) -> String {
    let title = |a: &Value| format!("{}: {}\n", a["kind"].as_str().unwrap_or("?"), a["title"].as_str().unwrap_or("?"));
    actions.as_array().expect("a list").iter().map(title).collect()
}

#[test]
fn an_edit_of_the_whole_file_comes_when_it_is_chosen() {
    let literals = json!({ "codeActionKind": { "valueSet": [] } });
    let lazy = json!({ "properties": ["edit"] });
    let actions = json!({ "codeActionLiteralSupport": literals, "dataSupport": true, "resolveSupport": lazy });
    let capabilities = json!({ "textDocument": { "codeAction": actions } });
    let mut session = Session::with(Options { capabilities, ..Options::default() });
    session.open(URI, PROGRAM);
    let params = json!({
        "textDocument": document(), "range": span([4, 13, 4, 13]),
        "context": { "diagnostics": [], "only": ["source.lift.explicit"] },
    });
    let offered = session.call("textDocument/codeAction", params.clone()).expect("actions");
    assert_eq!(offered.as_array().map(Vec::len), Some(1));
    assert_eq!(offered[0].get("edit"), None);
    let resolved = session.call("codeAction/resolve", offered[0].clone()).expect("the action");
    session.shutdown();
    // For a client that does not resolve actions.
    let mut session = rich();
    session.open(URI, PROGRAM);
    let whole = session.call("textDocument/codeAction", params).expect("actions");
    session.shutdown();
    let changes = &whole[0]["edit"]["documentChanges"][0]["edits"];
    assert!(changes.is_array());
    assert_eq!(resolved["edit"]["changes"][URI], *changes);
}

#[test]
fn actions_write_out_what_was_inserted() {
    let mut session = rich();
    session.open(URI, PROGRAM);
    let params = |only: Value| {
        json!({
            "textDocument": document(), "range": span([4, 13, 4, 13]), "context": { "diagnostics": [], "only": only },
        })
    };
    let actions = session.call("textDocument/codeAction", params(Value::Null)).expect("actions");
    expect![[r#"
        refactor.rewrite.lift.explicit.here: Make pack/unpack explicit here
        refactor.rewrite.lift.explicit.form: Make pack/unpack explicit in this form
        refactor.inline.lift: Inline the call of `positive`
        source.lift.explicit.file: Make pack/unpack explicit in the file
        source.lift.run: Run twice
        source.lift.opencl: Show the OpenCL of twice
    "#]]
    .assert_eq(&titles(&actions));
    let source = session.call("textDocument/codeAction", params(json!(["source.lift.explicit"]))).expect("actions");
    assert_eq!(source.as_array().map(Vec::len), Some(1));
    let changes = &source[0]["edit"]["documentChanges"][0];
    assert_eq!(changes["textDocument"], json!({ "uri": URI, "version": 1 }));
    assert_eq!(session.call("textDocument/codeAction", params(json!(["refactor.extract"]))), Ok(json!([])));
    session.shutdown();
}

#[test]
fn a_fix_comes_with_its_diagnostic() {
    let mut session = rich();
    session.open(URI, "(lift double (N) ((array-type float N)) (lambda (xs) (map (lambda (x) (* x 2)) xs)))\n");
    let context = json!({ "diagnostics": [], "only": ["quickfix"] });
    let params = json!({ "textDocument": document(), "range": span([0, 75, 0, 75]), "context": context });
    let actions = session.call("textDocument/codeAction", params).expect("actions");
    check(
        &actions,
        expect![[r#"
        [
          {
            "diagnostics": [
              {
                "code": "type-mismatch",
                "codeDescription": {
                  "href": "lift:/explain/type-mismatch.md"
                },
                "data": {
                  "code": "type-mismatch",
                  "fixes": 1
                },
                "message": "`*` needs `Float` as its second argument, but this is `Int`",
                "range": {
                  "end": {
                    "character": 76,
                    "line": 0
                  },
                  "start": {
                    "character": 75,
                    "line": 0
                  }
                },
                "relatedInformation": [
                  {
                    "location": {
                      "range": {
                        "end": {
                          "character": 74,
                          "line": 0
                        },
                        "start": {
                          "character": 73,
                          "line": 0
                        }
                      },
                      "uri": "file:///tmp/lift-test/positive.lift"
                    },
                    "message": "`Float` comes from `x`"
                  }
                ],
                "severity": 1,
                "source": "lift"
              }
            ],
            "edit": {
              "documentChanges": [
                {
                  "edits": [
                    {
                      "newText": "2.0f",
                      "range": {
                        "end": {
                          "character": 76,
                          "line": 0
                        },
                        "start": {
                          "character": 75,
                          "line": 0
                        }
                      }
                    }
                  ],
                  "textDocument": {
                    "uri": "file:///tmp/lift-test/positive.lift",
                    "version": 1
                  }
                }
              ]
            },
            "isPreferred": true,
            "kind": "quickfix",
            "title": "Write `2.0f`"
          }
        ]"#]],
    );
    session.shutdown();
}

#[test]
fn a_client_without_versioned_edits_gets_plain_ones() {
    let capabilities = json!({ "textDocument": { "codeAction": { "codeActionLiteralSupport": { "codeActionKind": { "valueSet": [] } } } } });
    let mut session = Session::with(Options { capabilities, ..Options::default() });
    session.open(URI, PROGRAM);
    let params = json!({ "textDocument": document(), "range": span([4, 13, 4, 13]), "context": { "diagnostics": [], "only": ["source"] } });
    let actions = session.call("textDocument/codeAction", params).expect("actions");
    assert!(actions[0]["edit"]["changes"][URI].is_array(), "{actions}");
    session.shutdown();
}

#[test]
fn formatting_edits_the_text() {
    let mut session = rich();
    session.open(URI, "(define   (f x)  ( + x 1 ))\n");
    let params = json!({ "textDocument": document(), "options": { "tabSize": 8, "insertSpaces": false } });
    let edits = session.call("textDocument/formatting", params).expect("edits");
    let mut changes: Vec<Value> = edits
        .as_array()
        .expect("a list")
        .iter()
        .map(|e| json!({ "range": e["range"], "text": e["newText"] }))
        .collect();
    // Apply the last edit first, so that positions stay valid.
    changes.reverse();
    session.change(URI, 2, json!(changes));
    assert_eq!(session.text(URI), "(define (f x) (+ x 1))\n");
    session.shutdown();
}

/// Returns the text of a document after the edits of an answer.
fn after(session: &mut Session, edits: &Value) -> String {
    // Apply the last edit first: all positions refer to the original text.
    let mut edits: Vec<Value> = edits.as_array().expect("edits").clone();
    edits.sort_by_key(|e| {
        let at = &e["range"]["start"];
        std::cmp::Reverse((at["line"].as_u64(), at["character"].as_u64()))
    });
    session.change(URI, 2, edits.iter().map(|e| json!({ "range": e["range"], "text": e["newText"] })).collect());
    session.text(URI)
}

#[test]
fn what_follows_a_typed_character() {
    for (program, at, typed, expected) in [
        ("(define (f xs)\r\n(map g xs))\r\n", [1, 0], "\n", "(define (f xs)\r\n  (map g xs))\r\n"),
        ("(define (\u{1d4b3} xs) (map g xs])", [0, 26], "]", "(define (\u{1d4b3} xs) (map g xs))"),
        ("(define (f xs)\n  (map g xs)\n    )", [2, 5], ")", "(define (f xs)\n  (map g xs)\n)"),
    ] {
        let mut session = rich();
        session.open(URI, program);
        let position = json!({ "line": at[0], "character": at[1] });
        let options = json!({ "tabSize": 2, "insertSpaces": true });
        let params = json!({ "textDocument": document(), "position": position, "ch": typed, "options": options });
        let edits = session.call("textDocument/onTypeFormatting", params).expect("edits");
        assert_eq!(after(&mut session, &edits), expected);
        session.shutdown();
    }
}

#[test]
fn only_what_is_selected_is_laid_out() {
    let mut session = rich();
    session.open(URI, "(define x   1)\n(define y   2)\n");
    let options = json!({ "tabSize": 2, "insertSpaces": true });
    let params = json!({ "textDocument": document(), "range": span([1, 0, 1, 3]), "options": options });
    let edits = session.call("textDocument/rangeFormatting", params).expect("edits");
    assert_eq!(after(&mut session, &edits), "(define x   1)\n(define y 2)\n");
    session.shutdown();
}

#[test]
fn a_local_name_can_be_changed_everywhere_at_once() {
    let mut session = rich();
    session.open(URI, PROGRAM);
    let linked = session.call("textDocument/linkedEditingRange", at(URI, 4, 9)).expect("ranges");
    assert_eq!(linked["ranges"], json!([span([4, 9, 4, 11]), span([5, 35, 5, 37])]));
    assert_eq!(session.call("textDocument/linkedEditingRange", at(URI, 1, 10)), Ok(Value::Null));
    session.shutdown();
}
