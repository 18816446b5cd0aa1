//! The client's commands: list, generate, run and cancel kernels.

use crate::session::{Options, Session, rich_client, span};
use expect_test::expect;
use serde_json::{Value, json};

pub const URI: &str = "file:///tmp/lift-test/commands.lift";
pub const PROGRAM: &str = "\
;;; Keeps what is positive.
;;; run: xs=[1.0,-2.0,3.0]
(lift positive (N) ((array-type float N))
  (lambda (xs) (filter (lambda (x) (> x 0.0f)) xs)))
(lift scale (N M) ((array-type (array-type float M) N) float)
  (lambda (xss k) (map (lambda (xs) (map (lambda (x) (* x k)) xs)) xss)))
";
/// Runs for longer than any test.
pub const ENDLESS: &str = "\
(lift endless () (int)
  (lambda (x) (iterateWhile (lambda (n) (>= n 0)) (lambda (n) (mod (+ n 1) 1000)) x)))
";

pub fn session(text: &str) -> Session {
    let mut session = Session::with(Options { capabilities: rich_client(), ..Options::default() });
    session.open(URI, text);
    session
}

#[test]
fn kernels_are_listed_with_what_they_need() {
    let mut session = session(PROGRAM);
    let kernels = session.execute("lift.server.kernels", json!({ "uri": URI })).expect("kernels");
    expect![[r#"
        [
          {
            "defaultRun": {
              "inputs": [
                "[1.0,-2.0,3.0]"
              ],
              "sizes": {}
            },
            "inputs": [
              {
                "name": "xs",
                "type": "Array[Float,N]"
              }
            ],
            "name": "positive",
            "range": {
              "end": {
                "character": 52,
                "line": 3
              },
              "start": {
                "character": 0,
                "line": 2
              }
            },
            "sizes": [
              "N"
            ]
          },
          {
            "inputs": [
              {
                "name": "xss",
                "type": "Array[Array[Float,M],N]"
              },
              {
                "name": "k",
                "type": "Float"
              }
            ],
            "name": "scale",
            "range": {
              "end": {
                "character": 73,
                "line": 5
              },
              "start": {
                "character": 0,
                "line": 4
              }
            },
            "sizes": [
              "N",
              "M"
            ]
          }
        ]"#]]
    .assert_eq(&format!("{kernels:#}"));
    session.shutdown();
}

#[test]
fn opencl_is_generated_for_the_kernel_that_is_meant() {
    let mut session = session(PROGRAM);
    let by_name = session.execute("lift.server.generateOpenCL", json!({ "uri": URI, "kernel": "scale" }));
    let by_name = by_name.expect("OpenCL");
    assert_eq!((&by_name["kernel"], &by_name["language"]), (&json!("scale"), &json!("opencl")));
    assert_eq!(by_name["uri"], "lift-opencl:/scale.cl?file%3A%2F%2F%2Ftmp%2Flift-test%2Fcommands.lift");
    assert!(by_name["text"].as_str().is_some_and(|t| t.contains("__kernel")), "{by_name}");
    // The URI can be opened as a document.
    let again = session.call("lift/virtualText", json!({ "uri": by_name["uri"] })).expect("OpenCL");
    let (head, text) = again["text"].as_str().and_then(|t| t.split_once('\n')).expect("lines");
    assert_eq!((head, text), ("// OpenCL C of scale in commands.lift", by_name["text"].as_str().expect("a text")));

    let position = json!({ "line": 3, "character": 20 });
    let by_place = session.execute("lift.server.generateOpenCL", json!({ "uri": URI, "position": position }));
    assert_eq!(by_place.expect("OpenCL")["kernel"], "positive");

    let which = session.execute("lift.server.generateOpenCL", json!({ "uri": URI })).expect_err("two kernels");
    assert_eq!(which["message"], "the program has several kernels, name one: positive, scale");
    let unknown = session.execute("lift.server.generateOpenCL", json!({ "uri": URI, "kernel": "x" }));
    assert_eq!(unknown.expect_err("no such kernel")["message"], "there is no kernel x; there is: positive, scale");
    session.shutdown();
}

#[test]
fn what_cannot_be_compiled_says_why() {
    let mut session = session("(lift wrong (N) ((array-type float N)) (lambda (xs) (map (lambda (x) (* x 2)) xs)))\n");
    let error = session.execute("lift.server.generateOpenCL", json!({ "uri": URI })).expect_err("it has an error");
    expect![[r#"
        {
          "code": -32803,
          "data": {
            "diagnostics": [
              {
                "code": "type-mismatch",
                "file": "/tmp/lift-test/commands.lift",
                "fixes": [
                  {
                    "certain": true,
                    "edits": [
                      {
                        "file": "/tmp/lift-test/commands.lift",
                        "newText": "2.0f",
                        "range": {
                          "end": {
                            "character": 75,
                            "line": 0
                          },
                          "start": {
                            "character": 74,
                            "line": 0
                          }
                        }
                      }
                    ],
                    "title": "Write `2.0f`"
                  }
                ],
                "message": "`*` needs `Float` as its second argument, but this is `Int`",
                "range": {
                  "end": {
                    "character": 75,
                    "line": 0
                  },
                  "start": {
                    "character": 74,
                    "line": 0
                  }
                },
                "related": [
                  {
                    "file": "/tmp/lift-test/commands.lift",
                    "message": "`Float` comes from `x`",
                    "range": {
                      "end": {
                        "character": 73,
                        "line": 0
                      },
                      "start": {
                        "character": 72,
                        "line": 0
                      }
                    }
                  }
                ],
                "severity": "error"
              }
            ]
          },
          "message": "wrong was not compiled: `*` needs `Float` as its second argument, but this is `Int`"
        }"#]]
    .assert_eq(&format!("{error:#}"));
    session.shutdown();
}

/// The code actions of a range that run commands: titles and kinds, with the commands.
fn kernel_actions(session: &mut Session, place: [u32; 4]) -> Vec<(String, Value)> {
    let params = json!({ "textDocument": { "uri": URI }, "range": span(place), "context": { "diagnostics": [] } });
    let actions = session.call("textDocument/codeAction", params).expect("actions");
    let commands = actions.as_array().expect("a list").iter().filter(|a| a["command"].is_object());
    commands.map(|a| (format!("{} ({})", a["title"], a["kind"]), a["command"].clone())).collect()
}

#[test]
fn what_lenses_do_is_an_action_that_shows_its_text() {
    let mut capabilities = rich_client();
    capabilities["window"]["showDocument"] = json!({ "support": true });
    let mut session = Session::with(Options { capabilities, ..Options::default() });
    session.open(URI, PROGRAM);
    let actions = kernel_actions(&mut session, [3, 20, 3, 20]);
    let titles: Vec<&str> = actions.iter().map(|(title, _)| &**title).collect();
    let expected =
        ["\"Run positive\" (\"source.lift.run\")", "\"Show the OpenCL of positive\" (\"source.lift.opencl\")"];
    assert_eq!(titles, expected);
    let mut shown = Vec::new();
    for (_, command) in &actions {
        let params = json!({ "command": command["command"], "arguments": command["arguments"] });
        assert_eq!(session.call("workspace/executeCommand", params), Ok(Value::Null));
    }
    for message in session.messages().iter().filter(|m| m["method"] == "window/showDocument") {
        let uri = message["params"]["uri"].as_str().expect("an address");
        let path = uri.strip_prefix("file://").expect("a file");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let folder =
                std::path::Path::new(path).parent().and_then(|folder| folder.metadata().ok()).expect("a folder");
            assert_eq!(folder.permissions().mode() & 0o777, 0o700, "nobody else reads it");
        }
        shown.push((
            path.rsplit('/').next().expect("a name").to_owned(),
            std::fs::read_to_string(path).expect("the file"),
        ));
    }
    let [(result, numbers), (opencl, code)] = &shown[..] else { panic!("two texts: {shown:?}") };
    assert_eq!((&**result, &**opencl), ("positive.result", "positive.cl"));
    assert!(numbers.starts_with("; positive for N = 3\n; on ") && numbers.ends_with("\n\n1.0\n3.0\n"), "{numbers}");
    assert!(code.contains("__kernel"), "{code}");
    session.shutdown();
}

#[test]
fn a_client_that_opens_no_documents_gets_a_message() {
    let mut session = session(PROGRAM);
    let run = json!({ "uri": URI, "kernel": "positive", "device": "interpreter" });
    assert_eq!(session.execute("lift.server.showRun", run.clone()), Ok(Value::Null));
    let message = session.wait("the result", |m| m["method"] == "window/showMessage")["params"].clone();
    let text = message["message"].as_str().expect("a text");
    assert!(text.starts_with("; positive for N = 3\n; on interpreter\n\n1.0\n3.0\n(all of it: "), "{text}");
    let mut wrong = run;
    wrong["inputs"] = json!(["missing.npy"]);
    assert_eq!(session.execute("lift.server.showRun", wrong), Ok(Value::Null));
    let error = session.wait("the reason", |m| m["method"] == "window/showMessage" && m["params"]["type"] == 1);
    assert!(error["params"]["message"].as_str().is_some_and(|m| m.contains("there is no such file")), "{error}");
    session.shutdown();
}

#[test]
fn the_setup_is_told() {
    let mut session = session(PROGRAM);
    let setup = session.call("workspace/executeCommand", json!({ "command": "lift.server.setup" })).expect("the setup");
    assert_eq!(setup["version"], env!("CARGO_PKG_VERSION"));
    assert!(setup["program"].as_str().is_some_and(|p| p.contains("lift")), "{setup}");
    let devices = setup["devices"].as_array().expect("a list");
    assert_eq!(devices.last(), Some(&json!({ "device": "interpreter" })), "it is always there");
    let without = Options { environment: vec![("OCL_ICD_VENDORS", "/nowhere".to_owned())], ..Options::default() };
    let mut without = Session::with(without);
    let setup = without.call("workspace/executeCommand", json!({ "command": "lift.server.setup" })).expect("the setup");
    assert_eq!(setup["devices"], json!([{ "device": "interpreter" }]));
    assert!(setup["problem"].as_str().is_some_and(|p| p.contains("OpenCL")), "{setup}");
    session.shutdown();
    without.shutdown();
}

#[test]
fn bad_arguments_are_named() {
    let mut session = session(PROGRAM);
    let unknown = session.execute("lift.server.fly", json!({ "uri": URI })).expect_err("no such command");
    assert_eq!(unknown["message"], "there is no command lift.server.fly");
    let unknown = session.call("workspace/executeCommand", json!({ "command": "fly" })).expect_err("no such command");
    assert_eq!(unknown["message"], "there is no command fly");
    let error = session.execute("lift.server.kernels", json!({ "uri": 5 })).expect_err("a bad address");
    assert_eq!(error["code"], -32602);
    let params = json!({ "command": "lift.server.kernels" });
    assert_eq!(session.call("workspace/executeCommand", params).expect_err("no argument")["code"], -32602);
    session.shutdown();
}

/// A `;;; run:` line is only offered: opening a file and requesting its features starts no run.
#[cfg(target_os = "linux")]
#[test]
fn opening_a_file_runs_nothing() {
    let mut session = session(&format!(";;; Would never end.\n;;; run: x=0\n{ENDLESS}"));
    let document = json!({ "uri": URI });
    let position = json!({ "line": 2, "character": 7 });
    let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 4, "character": 0 } });
    for (method, params) in [
        ("textDocument/codeLens", json!({ "textDocument": document })),
        ("textDocument/inlayHint", json!({ "textDocument": document, "range": range })),
        ("textDocument/hover", json!({ "textDocument": document, "position": position })),
        ("textDocument/documentSymbol", json!({ "textDocument": document })),
        (
            "textDocument/codeAction",
            json!({ "textDocument": document, "range": range, "context": { "diagnostics": [] } }),
        ),
    ] {
        let answer = session.call(method, params).unwrap_or_else(|e| panic!("{method}: {e}"));
        assert_ne!(answer, Value::Null, "{method}");
    }
    session.execute("lift.server.kernels", document).expect("kernels");
    assert_eq!(session.children(), Vec::<String>::new());
    session.shutdown();
}

const TESTED: &str = "\
;;; Keeps what is positive.
;;; test: xs=[1.0,-2.0,inf] => [1.0,inf]
;;; test: xs=[3.0] => [4.0]
(lift positive (N) ((array-type float N))
  (lambda (xs) (filter (lambda (x) (> x 0.0f)) xs)))
(lift scale (N) ((array-type float N) float) (lambda (xs k) (map (* k) xs)))
";

#[test]
fn a_lens_runs_the_tests_of_a_kernel_that_has_some() {
    let mut capabilities = rich_client();
    capabilities["window"]["showDocument"] = json!({ "support": true });
    let mut session = Session::with(Options { capabilities, ..Options::default() });
    session.open(URI, TESTED);
    let lenses = session.call("textDocument/codeLens", json!({ "textDocument": { "uri": URI } })).expect("lenses");
    let lenses = lenses.as_array().expect("a list");
    let titles: Vec<_> =
        lenses.iter().map(|l| (&l["command"]["title"], &l["command"]["arguments"][0]["kernel"])).collect();
    let expected = [
        ("▶ Run", "positive"),
        ("OpenCL", "positive"),
        ("Test", "positive"),
        ("Tune", "positive"),
        ("▶ Run", "scale"),
        ("OpenCL", "scale"),
        ("Tune", "scale"),
    ];
    assert_eq!(titles, expected.map(|(title, kernel)| (json!(title), json!(kernel))).each_ref().map(|(a, b)| (a, b)));

    let mut request = lenses[2]["command"]["arguments"][0].clone();
    request["device"] = json!("interpreter");
    let tested = session.execute("lift.server.testKernel", request.clone()).expect("results");
    assert_eq!((&tested["kernel"], &tested["passed"], &tested["failed"]), (&json!("positive"), &json!(1), &json!(1)));
    let told: Vec<_> =
        tested["tests"].as_array().expect("a list").iter().map(|t| json!([t["line"], t["passed"]])).collect();
    assert_eq!(told, [json!([1, true]), json!([2, false])]);

    // As the lens starts it. The text in the editor counts.
    session.edit(URI, 2, [2, 22, 2, 27], "[5.0]");
    assert_eq!(session.execute("lift.server.showTests", request), Ok(Value::Null));
    let messages = session.messages();
    let shown = messages.iter().find(|m| m["method"] == "window/showDocument").expect("a document");
    let path = shown["params"]["uri"].as_str().and_then(|uri| uri.strip_prefix("file://")).expect("a file");
    expect![[r#"
        ; positive: 1 passed, 1 failed
        ok     xs=[1.0,-2.0,inf] => [1.0,inf]
        FAILED xs=[3.0] => [5.0]
            `positive` gives another result than the test expects
            on interpreter: element 0: 3.0, but 5.0 is expected
    "#]]
    .assert_eq(&std::fs::read_to_string(path).expect("the file"));

    let none = session.execute("lift.server.testKernel", json!({ "uri": URI, "kernel": "scale" }));
    let message = none.expect_err("no tests")["message"].clone();
    assert_eq!(message, "scale has no test: a line such as `;;; test: xs=[1,2,3] => [2,3]` above it");
    session.edit(URI, 3, [4, 15, 4, 21], "nothing");
    let broken =
        session.execute("lift.server.testKernel", json!({ "uri": URI, "kernel": "positive", "device": "interpreter" }));
    let broken = broken.expect("results");
    assert_eq!(broken["failed"], 2);
    assert!(broken["diagnostics"][0]["message"].as_str().is_some_and(|m| m.contains("nothing")), "{broken:#}");
    session.shutdown();
}
