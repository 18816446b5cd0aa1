//! Hovers, navigation, lenses and server capabilities. Also the program and the session that other modules use.

use crate::session::{Options, Session, at, rich_client};
use expect_test::{Expect, expect};
use serde_json::{Value, json};

pub const URI: &str = "file:///tmp/lift-test/positive.lift";
pub const PROGRAM: &str = "\
;;; Keeps what is positive.
(define (positive xs) (filter (lambda (x) (> x 0.0f)) xs))
(lift twice (N) ((array-type float N))
  (lambda (xs)
    (let ys (positive xs)
      (map (lambda (y) (* y 2.0f)) ys))))
";
pub const UNEQUAL: &str = "\
(lift pairs (N) ((array-type float N))
  (lambda (xs) (zip (filter (lambda (x) (> x 0.0f)) xs) (filter (lambda (x) (> x 1.0f)) xs))))
";

pub fn rich() -> Session {
    Session::with(Options { capabilities: rich_client(), ..Options::default() })
}

pub fn document() -> Value {
    json!({ "uri": URI })
}

pub fn check(actual: &Value, expected: Expect) {
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
                    "refactor.rewrite.lift.law",
                    "source.lift.opencl",
                    "source.lift.run",
                    "source.lift.tuned"
                  ]
                },
                "codeLensProvider": {},
                "completionProvider": {
                  "resolveProvider": true,
                  "triggerCharacters": [
                    "(",
                    "#",
                    ".",
                    "\"",
                    "`"
                  ]
                },
                "definitionProvider": true,
                "documentFormattingProvider": true,
                "documentHighlightProvider": true,
                "documentLinkProvider": {},
                "documentOnTypeFormattingProvider": {
                  "firstTriggerCharacter": "\n",
                  "moreTriggerCharacter": [
                    ")",
                    "]",
                    "(",
                    "["
                  ]
                },
                "documentRangeFormattingProvider": true,
                "documentSymbolProvider": true,
                "executeCommandProvider": {
                  "commands": [
                    "lift.server.generateOpenCL",
                    "lift.server.runKernel",
                    "lift.server.kernels",
                    "lift.server.setup",
                    "lift.server.showOpenCL",
                    "lift.server.showRun",
                    "lift.server.testKernel",
                    "lift.server.showTests",
                    "lift.server.tuneKernel",
                    "lift.server.showTuning",
                    "lift.server.writeTuned",
                    "lift.server.compareKernels"
                  ],
                  "workDoneProgress": true
                },
                "foldingRangeProvider": true,
                "hoverProvider": true,
                "inlayHintProvider": {
                  "resolveProvider": false
                },
                "linkedEditingRangeProvider": true,
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
                "value": "```lift\n<∃X, Array[Float,X]>\n```\n\nOpened here as `Array[Float,X1]`, with the hidden length named `X1`.\n\n`X1`: the length of what `positive` returns at 5:13.\n\n`ys` is bound by `let`."
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
    // An editor may open it and send requests for it, but not change it.
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
              },
              {
                "command": {
                  "arguments": [
                    {
                      "kernel": "twice",
                      "uri": "file:///tmp/lift-test/positive.lift"
                    }
                  ],
                  "command": "lift.server.showTuning",
                  "title": "Tune"
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
