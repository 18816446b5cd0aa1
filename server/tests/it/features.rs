//! What a client sees of a program: diagnostics, hovers, hints, actions, navigation.

use crate::session::{Options, Session, at, rich_client, span};
use expect_test::{Expect, expect};
use serde_json::{Value, json};

const URI: &str = "file:///tmp/lift-test/positive.lift";
const PROGRAM: &str = "\
;;; Keeps what is positive.
(define (positive xs) (filter (lambda (x) (> x 0.0f)) xs))
(lift twice (N) ((array-type float N))
  (lambda (xs)
    (let ys (positive xs)
      (map (lambda (y) (* y 2.0f)) ys))))
";
const UNEQUAL: &str = "\
(lift pairs (N) ((array-type float N))
  (lambda (xs) (zip (filter (lambda (x) (> x 0.0f)) xs) (filter (lambda (x) (> x 1.0f)) xs))))
";

fn rich() -> Session {
    Session::with(Options { capabilities: rich_client(), ..Options::default() })
}

fn document() -> Value {
    json!({ "uri": URI })
}

fn check(actual: &Value, expected: Expect) {
    expected.assert_eq(&format!("{actual:#}"));
}

#[test]
fn the_server_says_what_it_can() {
    check(
        &rich().initialized,
        expect![[r##"
            {
              "capabilities": {
                "callHierarchyProvider": true,
                "codeActionProvider": {
                  "codeActionKinds": [
                    "quickfix",
                    "refactor.rewrite.lift.explicit.here",
                    "refactor.rewrite.lift.explicit.form",
                    "source.lift.explicit.file",
                    "refactor.rewrite.lift.implicit",
                    "refactor.rewrite.lift.nameLength",
                    "refactor.rewrite.lift.annotate",
                    "refactor.extract.lift.let",
                    "refactor.extract.lift.define",
                    "refactor.inline.lift",
                    "refactor.rewrite.lift.eta",
                    "refactor.rewrite.lift.compose",
                    "refactor.rewrite.lift.nameArguments",
                    "refactor.rewrite.lift.place",
                    "source.lift.opencl",
                    "source.lift.run"
                  ]
                },
                "codeLensProvider": {},
                "completionProvider": {
                  "resolveProvider": true,
                  "triggerCharacters": [
                    "(",
                    "#",
                    ".",
                    "\""
                  ]
                },
                "definitionProvider": true,
                "documentFormattingProvider": true,
                "documentHighlightProvider": true,
                "documentLinkProvider": {},
                "documentSymbolProvider": true,
                "executeCommandProvider": {
                  "commands": [
                    "lift.server.generateOpenCL",
                    "lift.server.runKernel",
                    "lift.server.kernels",
                    "lift.server.setup",
                    "lift.server.showOpenCL",
                    "lift.server.showRun"
                  ],
                  "workDoneProgress": true
                },
                "foldingRangeProvider": true,
                "hoverProvider": true,
                "inlayHintProvider": {
                  "resolveProvider": false
                },
                "positionEncoding": "utf-16",
                "referencesProvider": true,
                "renameProvider": true,
                "selectionRangeProvider": true,
                "semanticTokensProvider": {
                  "full": {
                    "delta": true
                  },
                  "legend": {
                    "tokenModifiers": [
                      "declaration",
                      "defaultLibrary",
                      "dynamic"
                    ],
                    "tokenTypes": [
                      "keyword",
                      "type",
                      "function",
                      "method",
                      "macro",
                      "operator",
                      "parameter",
                      "variable",
                      "typeParameter",
                      "number"
                    ]
                  },
                  "range": true
                },
                "signatureHelpProvider": {
                  "triggerCharacters": [
                    "(",
                    " "
                  ]
                },
                "textDocumentSync": {
                  "change": 2,
                  "openClose": true,
                  "save": {
                    "includeText": false
                  }
                },
                "typeDefinitionProvider": true,
                "workspace": {
                  "workspaceFolders": {
                    "changeNotifications": true,
                    "supported": true
                  }
                },
                "workspaceSymbolProvider": true
              },
              "serverInfo": {
                "name": "lift",
                "version": "0.1.0"
              }
            }"##]],
    );
}

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
              "fixes": 1
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
fn a_hover_is_in_the_format_that_the_client_prefers() {
    let mut session = rich();
    session.open(URI, PROGRAM);
    let hover = session.call("textDocument/hover", at(URI, 4, 9)).expect("a hover");
    check(
        &hover,
        expect![[r#"
            {
              "contents": {
                "kind": "markdown",
                "value": "```lift\n<∃X, Array[Float,X]>\n```\n\nOpened here as `Array[Float,X1]`, with the hidden length named `X1`.\n\n`X1` is the length of what `positive` returns; it is hidden by `(positive xs)` at 5:13.\n\n`ys` is bound by `let`."
              },
              "range": {
                "end": {
                  "character": 11,
                  "line": 4
                },
                "start": {
                  "character": 9,
                  "line": 4
                }
              }
            }"#]],
    );
    session.shutdown();

    let capabilities = json!({ "textDocument": { "hover": { "contentFormat": ["plaintext"] } } });
    let mut session = Session::with(Options { capabilities, ..Options::default() });
    session.open(URI, PROGRAM);
    let hover = session.call("textDocument/hover", at(URI, 4, 9)).expect("a hover");
    assert_eq!(hover["contents"]["kind"], "plaintext");
    let first = hover["contents"]["value"].as_str().and_then(|t| t.lines().next());
    assert_eq!(first, Some("<∃X, Array[Float,X]>"));
    session.shutdown();
}

#[test]
fn hints_show_what_was_inserted() {
    let mut session = rich();
    session.open(URI, PROGRAM);
    let params = json!({ "textDocument": document(), "range": span([0, 0, 6, 0]) });
    let hints = session.call("textDocument/inlayHint", params).expect("hints");
    let shown: Vec<String> = hints
        .as_array()
        .expect("a list")
        .iter()
        .map(|h| {
            let label: String =
                h["label"].as_array().expect("parts").iter().filter_map(|p| p["value"].as_str()).collect();
            format!("{}:{} {label}", h["position"]["line"], h["position"]["character"])
        })
        .collect();
    expect![[r#"
        1:20 : Array[Float,n]
        1:40 : Float
        3:13 : Array[Float,N]
        4:11 : Array[Float,X1]
        4:12 unpack X1
        5:6 pack
        5:21 : Float"#]]
    .assert_eq(&shown.join("\n"));
    session.shutdown();
}

#[test]
fn hints_of_a_range_are_those_in_it() {
    let mut session = rich();
    session.open(URI, PROGRAM);
    let params = json!({ "textDocument": document(), "range": span([1, 0, 1, 60]) });
    let hints = session.call("textDocument/inlayHint", params).expect("hints");
    assert!(hints.as_array().expect("a list").iter().all(|h| h["position"]["line"] == 1), "{hints}");
    session.shutdown();
}

fn titles(actions: &Value) -> String {
    let title = |a: &Value| format!("{}: {}\n", a["kind"].as_str().unwrap_or("?"), a["title"].as_str().unwrap_or("?"));
    actions.as_array().expect("a list").iter().map(title).collect()
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
                "message": "`*` needs `Float` as its second argument, and this is `Int`",
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
fn a_name_leads_to_its_definition_and_to_its_uses() {
    let mut session = rich();
    session.open(URI, PROGRAM);
    let definition = session.call("textDocument/definition", at(URI, 4, 15)).expect("a definition");
    check(
        &definition,
        expect![[r#"
        [
          {
            "targetRange": {
              "end": {
                "character": 58,
                "line": 1
              },
              "start": {
                "character": 0,
                "line": 0
              }
            },
            "targetSelectionRange": {
              "end": {
                "character": 17,
                "line": 1
              },
              "start": {
                "character": 9,
                "line": 1
              }
            },
            "targetUri": "file:///tmp/lift-test/positive.lift"
          }
        ]"#]],
    );
    let references = |declared: bool| {
        let mut params = at(URI, 4, 15);
        params["context"] = json!({ "includeDeclaration": declared });
        params
    };
    let count = |answer: Result<Value, Value>| answer.expect("places").as_array().map(Vec::len);
    let all = session.call("textDocument/references", references(true));
    assert_eq!(count(all), Some(2));
    let uses = session.call("textDocument/references", references(false));
    assert_eq!(count(uses), Some(1));
    session.shutdown();
}

#[test]
fn the_definition_of_a_primitive_is_a_document_of_the_server() {
    let mut session = Session::start();
    session.open(URI, PROGRAM);
    let definition = session.call("textDocument/definition", at(URI, 1, 25)).expect("a definition");
    let uri = definition[0]["uri"].as_str().expect("an address").to_owned();
    assert_eq!(uri, "lift:/primitives.lift");
    for method in ["lift/virtualText", "workspace/textDocumentContent"] {
        let document = session.call(method, json!({ "uri": uri })).expect("the document");
        let line = definition[0]["range"]["start"]["line"].as_u64().expect("a line") as usize;
        let text = document["text"].as_str().and_then(|t| t.lines().nth(line)).expect("the line");
        assert!(text.contains("filter"), "{text}");
    }
    // an editor may open it and ask there, too; it cannot be changed
    session.open(&uri, "(define (filter x) x)");
    assert!(session.call("textDocument/documentSymbol", json!({ "textDocument": { "uri": uri } })).is_ok());
    assert_ne!(session.text(&uri), "(define (filter x) x)");
    let unknown = session.call("lift/virtualText", json!({ "uri": "lift:/no.lift" })).expect_err("no such document");
    assert_eq!(unknown["message"], "there is no document lift:/no.lift");
    session.shutdown();
}

#[test]
fn symbols_are_the_forms_with_their_types() {
    let mut session = rich();
    session.open(URI, PROGRAM);
    let symbols = session.call("textDocument/documentSymbol", json!({ "textDocument": document() })).expect("symbols");
    let shown = |s: &Value| {
        format!("{} {} : {}\n", s["kind"], s["name"].as_str().unwrap_or("?"), s["detail"].as_str().unwrap_or("?"))
    };
    let shown: String = symbols.as_array().expect("a list").iter().map(shown).collect();
    expect![[r#"
        12 positive : Array[Float,n] -> <∃X, Array[Float,X]>
        6 twice : Array[Float,N] -> <∃X, Array[Float,X]>
    "#]]
    .assert_eq(&shown);
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
    // from the end, so that the positions stay right
    changes.reverse();
    session.change(URI, 2, json!(changes));
    assert_eq!(session.text(URI), "(define (f x) (+ x 1))\n");
    session.shutdown();
}

#[test]
fn lenses_name_their_commands() {
    let mut session = rich();
    session.open(URI, PROGRAM);
    let lenses = session.call("textDocument/codeLens", json!({ "textDocument": document() })).expect("lenses");
    check(
        &lenses,
        expect![[r#"
        [
          {
            "command": {
              "arguments": [
                {
                  "kernel": "twice",
                  "uri": "file:///tmp/lift-test/positive.lift"
                }
              ],
              "command": "lift.server.runKernel",
              "title": "▶ Run"
            },
            "range": {
              "end": {
                "character": 11,
                "line": 2
              },
              "start": {
                "character": 6,
                "line": 2
              }
            }
          },
          {
            "command": {
              "arguments": [
                {
                  "kernel": "twice",
                  "uri": "file:///tmp/lift-test/positive.lift"
                }
              ],
              "command": "lift.server.generateOpenCL",
              "title": "OpenCL"
            },
            "range": {
              "end": {
                "character": 11,
                "line": 2
              },
              "start": {
                "character": 6,
                "line": 2
              }
            }
          }
        ]"#]],
    );
    session.shutdown();

    let off = Options { options: json!({ "codeLens": false, "inlayHints": false }), ..Options::default() };
    let session = Session::with(off);
    let capabilities = &session.initialized["capabilities"];
    assert_eq!((&capabilities["codeLensProvider"], &capabilities["inlayHintProvider"]), (&Value::Null, &Value::Null));
}
