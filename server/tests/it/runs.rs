//! Runs of kernels: results, times, cancellation.

use crate::commands::{ENDLESS, PROGRAM, URI, session};
use crate::session::{Options, Session, span};
use expect_test::expect;
use serde_json::{Value, json};

#[test]
fn a_kernel_runs_on_its_own_line_or_on_what_is_given() {
    let mut session = session(PROGRAM);
    let request = json!({ "uri": URI, "kernel": "positive", "device": "interpreter" });
    let mut report = session.execute("lift.server.runKernel", request).expect("a result");
    assert!(report["meaning"].take().as_str().is_some_and(|m| m.len() == 16), "a fingerprint");
    expect![[r#"
        {
          "cut": false,
          "device": "interpreter",
          "kernel": "positive",
          "meaning": null,
          "output": "1.0\n3.0\n",
          "plot": {
            "curves": [
              {
                "high": [
                  1.0,
                  3.0
                ],
                "low": [
                  1.0,
                  3.0
                ]
              }
            ],
            "kind": "curves",
            "left_out": 0,
            "length": 2
          },
          "profile": [],
          "runs": 0,
          "sizes": {
            "N": 3
          }
        }"#]]
    .assert_eq(&format!("{report:#}"));

    // The text in the editor is run, not the one on disk.
    session.edit(URI, 2, [3, 40, 3, 44], "-9.0f");
    let given =
        json!({ "uri": URI, "kernel": "positive", "device": "interpreter", "inputs": ["iota"], "sizes": { "N": 3 } });
    let report = session.execute("lift.server.runKernel", given).expect("a result");
    assert_eq!(report["output"], "0.0\n1.0\n2.0\n");
    session.shutdown();
}

#[test]
fn a_kernel_runs_on_a_device_with_a_profile() {
    let mut session = session(PROGRAM);
    let inputs = json!(["[[1,2],[3,4]]", "-0.5"]);
    let request = json!({ "uri": URI, "kernel": "scale", "device": "opencl", "inputs": inputs });
    let report = session.execute("lift.server.runKernel", request).expect("a result");
    assert_eq!(report["output"], "-0.5 -1.0\n-1.5 -2.0\n");
    assert!(report["device"].as_str().is_some_and(|d| d.starts_with("opencl:")), "{report}");
    assert!(report["profile"][0]["microseconds"].is_number() && report["profile"][0]["name"].is_string(), "{report}");
    session.shutdown();
}

#[test]
fn a_run_that_cannot_be_says_why() {
    let mut session = session(PROGRAM);
    let mut run = |inputs: Value, sizes: Value| {
        let request =
            json!({ "uri": URI, "kernel": "scale", "device": "interpreter", "inputs": inputs, "sizes": sizes });
        session.execute("lift.server.runKernel", request).expect_err("wrong inputs")["message"].clone()
    };
    let messages = [
        run(json!(["[[1]]"]), json!({})),
        run(json!(["[[1],[2,3]]", "1"]), json!({})),
        run(json!(["iota", "1"]), json!({ "N": 2 })),
        run(json!(["no-such-file.npy", "1"]), json!({})),
        run(json!(["[[1]]", "one"]), json!({})),
        run(json!(["[[1]]", "true"]), json!({})),
        run(json!(["[[1]]", "1"]), json!({ "K": 2 })),
        run(json!(["[[1]]", "1"]), json!({ "M": 2 })),
    ];
    let messages: String = messages.iter().map(|m| format!("{}\n", m.as_str().expect("a message"))).collect();
    expect![[r#"
        `scale` takes 2 inputs, `xss: Array[Array[Float,M],N]`, `k: Float`; one is given
        input `xss`, given as `[[1],[2,3]]`: at character 6: the rows are not equally long: row 0 has 1 element, row 1 has 2
        the size `M` does not follow from the shapes of the inputs; give it, as in `--size M=16`
        input `xss`, given as `no-such-file.npy`: there is no such file
        input `k`, given as `one`: there is no such file
        input `k`, given as `true`: `true` is not a Float
        `scale` has the sizes `N`, `M`, and no `K`
        the sizes disagree: `M` is given as 2, but the rows of `xss` have 1 element
    "#]].assert_eq(&messages);
    session.shutdown();
}

fn endless_run(session: &mut Session) -> i64 {
    let argument = json!({ "uri": URI, "device": "interpreter", "inputs": ["0"] });
    let params = json!({ "command": "lift.server.runKernel", "arguments": [argument] });
    session.request("workspace/executeCommand", params)
}

/// Waits for the server's progress to begin and returns its token.
fn begun(session: &mut Session) -> Value {
    let begin = session
        .wait("the begin of progress", |m| m["method"] == "$/progress" && m["params"]["value"]["kind"] == "begin");
    assert_eq!(begin["params"]["value"]["title"], "Running endless");
    assert_eq!(begin["params"]["value"]["cancellable"], true);
    begin["params"]["token"].clone()
}

fn ended(session: &mut Session, token: &Value) {
    session.wait("the end of progress", |m| {
        m["method"] == "$/progress" && m["params"]["token"] == *token && m["params"]["value"]["kind"] == "end"
    });
}

#[test]
fn a_run_is_stopped_by_cancelling_its_request() {
    let mut session = session(ENDLESS);
    let id = endless_run(&mut session);
    let token = begun(&mut session);
    session.notify("$/cancelRequest", json!({ "id": id }));
    assert_eq!(session.answer(id).expect_err("cancelled")["code"], -32800);
    ended(&mut session, &token);
    session.shutdown();
}

#[test]
fn a_run_is_stopped_by_its_progress() {
    let mut session = session(ENDLESS);
    let id = endless_run(&mut session);
    let token = begun(&mut session);
    session.notify("window/workDoneProgress/cancel", json!({ "token": token }));
    assert_eq!(session.answer(id).expect_err("cancelled")["code"], -32800);
    ended(&mut session, &token);
    session.shutdown();
}

#[test]
fn a_run_that_takes_too_long_is_stopped() {
    let options = json!({ "runTimeLimit": 0.5 });
    let mut session = Session::with(Options { options, ..Options::default() });
    session.open(URI, ENDLESS);
    let id = endless_run(&mut session);
    let error = session.answer(id).expect_err("stopped");
    assert_eq!(error["message"], "endless ran longer than 0.5 s (the time limit of a run) and was stopped");
    // The server is still alive.
    assert_eq!(session.text(URI), ENDLESS);
    session.shutdown();
}

#[cfg(target_os = "linux")]
#[test]
fn a_run_that_takes_too_much_memory_is_stopped() {
    let options = json!({ "runMemoryLimit": 100 });
    let mut session = Session::with(Options { options, ..Options::default() });
    session.open(URI, PROGRAM);
    // The interpreter has no buffers, so the process itself is limited.
    let sizes = json!({ "N": 10_000, "M": 10_000 });
    let inputs = json!(["random", "2.0"]);
    let run = json!({ "uri": URI, "kernel": "scale", "device": "interpreter", "inputs": inputs, "sizes": sizes });
    let error = session.execute("lift.server.runKernel", run.clone()).expect_err("stopped");
    assert_eq!(error["message"], "scale took more than 100 MB (the memory limit of a run) and was stopped");
    session.shutdown();
}

#[cfg(target_os = "linux")]
#[test]
fn a_run_that_hangs_is_stopped_all_the_same() {
    let mut session = session(ENDLESS);
    let id = endless_run(&mut session);
    let token = begun(&mut session);
    let child = loop {
        if let Some(child) = session.children().first() {
            break child.clone();
        }
        std::thread::yield_now();
    };
    // The stopped process cannot react, like one that waits for a driver.
    let stopped = std::process::Command::new("sh").args(["-c", "kill -STOP \"$0\"", &child]).status().expect("sh");
    assert!(stopped.success());
    session.notify("window/workDoneProgress/cancel", json!({ "token": token }));
    assert_eq!(session.answer(id).expect_err("cancelled")["code"], -32800);
    ended(&mut session, &token);
    while !session.children().is_empty() {
        std::thread::yield_now();
    }
    session.shutdown();
}

fn hints(session: &mut Session) -> Vec<Value> {
    let params = json!({ "textDocument": { "uri": URI }, "range": span([0, 0, 9, 0]) });
    let hints = session.call("textDocument/inlayHint", params).expect("hints");
    let times = hints.as_array().expect("a list").iter().filter(|h| h["label"].is_string());
    times.cloned().collect()
}

#[test]
fn times_of_a_run_stand_at_the_lines_that_caused_them() {
    let mut session = session(PROGRAM);
    assert_eq!(hints(&mut session), Vec::<Value>::new(), "nothing has run");
    let request =
        json!({ "uri": URI, "kernel": "positive", "device": "opencl", "inputs": ["random"], "sizes": { "N": 100 } });
    let report = session.execute("lift.server.runKernel", request).expect("a result");
    let runs = report["runs"].as_u64().expect("a number");
    assert!((1..=10).contains(&runs), "{report}");
    let [least, greatest] = [0, 1].map(|i| report["profile"][0]["spread"][i].as_f64().expect("a time"));
    let median = report["profile"][0]["microseconds"].as_f64().expect("a time");
    assert!(0.0 < least && least <= median && median <= greatest, "{report}");
    assert_eq!(report["sizes"], json!({ "N": 100 }));
    session.wait("new hints", |m| m["method"] == "workspace/inlayHint/refresh");

    let shown = hints(&mut session);
    let [hint] = &shown[..] else { panic!("one line: {shown:?}") };
    assert_eq!(hint["position"], json!({ "line": 3, "character": 52 }), "the end of the line of `filter`");
    assert!(hint["label"].as_str().is_some_and(|l| l.ends_with("s") && !l.starts_with("was")), "{hint}");
    let tooltip = hint["tooltip"].as_str().expect("a text");
    assert!(tooltip.starts_with("filter: "), "{tooltip}");
    let of = if runs > 1 { format!("median of {runs} runs (least – greatest), ") } else { String::new() };
    assert!(tooltip.contains(&format!("\n{of}N = 100, on opencl:0, ")), "{tooltip}");

    // The kernel's position and formatting do not matter, nor do other definitions.
    session.edit(URI, 2, [3, 2, 3, 2], " ");
    session.edit(URI, 3, [0, 0, 0, 0], ";; more\n(define other 1)\n");
    let moved = hints(&mut session);
    assert_eq!(moved[0]["position"], json!({ "line": 5, "character": 53 }));
    assert_eq!(moved[0]["label"], hint["label"]);
    // A different meaning makes the times stale.
    session.edit(URI, 4, [5, 41, 5, 44], "1.5");
    let stale = hints(&mut session);
    assert_eq!(stale[0]["label"], json!(format!("was {}", hint["label"].as_str().expect("a text"))), "{stale:?}");
    assert!(stale[0]["tooltip"].as_str().is_some_and(|t| t.ends_with("The kernel has changed since: run it again.")));
    session.edit(URI, 5, [5, 41, 5, 44], "0.0");
    assert_eq!(hints(&mut session)[0]["label"], hint["label"], "as it was measured");
    session.edit(URI, 6, [5, 41, 5, 44], "tru");
    assert_eq!(hints(&mut session)[0]["label"], stale[0]["label"], "it does not compile");
    session.shutdown();
}

#[test]
fn a_result_comes_with_what_can_be_drawn() {
    let mut session = session(PROGRAM);
    let run = json!({ "uri": URI, "device": "interpreter" });
    let with = |more: Value| {
        let mut run = run.clone();
        run.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        run
    };
    let report = session.execute("lift.server.runKernel", with(json!({ "kernel": "positive" }))).expect("a result");
    let curve = json!({ "low": [1.0, 3.0], "high": [1.0, 3.0] });
    assert_eq!(report["plot"], json!({ "kind": "curves", "length": 2, "curves": [curve], "left_out": 0 }));
    let scale = with(json!({ "kernel": "scale", "inputs": ["[[1,2],[3,4]]", "-0.5"] }));
    let report = session.execute("lift.server.runKernel", scale).expect("a result");
    let cells = json!([[-0.5, -1.0], [-1.5, -2.0]]);
    assert_eq!(report["plot"], json!({ "kind": "picture", "rows": 2, "columns": 2, "cells": cells, "left_out": 0 }));
    session.shutdown();
}

#[test]
fn settings_can_be_changed_in_the_session() {
    let mut session = session(PROGRAM);
    let run =
        json!({ "uri": URI, "kernel": "positive", "device": "opencl", "inputs": ["random"], "sizes": { "N": 9 } });
    session.execute("lift.server.runKernel", run).expect("a result");
    assert_eq!(hints(&mut session).len(), 1);
    let refreshes =
        |session: &Session| session.messages().iter().filter(|m| m["method"] == "workspace/inlayHint/refresh").count();
    let before = refreshes(&session);
    session.notify("workspace/didChangeConfiguration", json!({ "settings": { "lift": { "runTimes": false } } }));
    assert_eq!(hints(&mut session), Vec::<Value>::new());
    while refreshes(&session) == before {
        hints(&mut session);
    }
    // Settings without ours change nothing.
    session.notify("workspace/didChangeConfiguration", json!({ "settings": null }));
    session.notify("workspace/didChangeConfiguration", json!({ "settings": { "other": 1 } }));
    assert_eq!(hints(&mut session), Vec::<Value>::new());
    // The measurements are kept.
    session.notify("workspace/didChangeConfiguration", json!({ "settings": { "lift": {} } }));
    assert_eq!(hints(&mut session).len(), 1);
    session.notify("workspace/didChangeConfiguration", json!({ "settings": { "lift": { "runTimeLimit": 0.2 } } }));
    session.open("file:///tmp/lift-test/endless.lift", ENDLESS);
    let endless = json!({ "uri": "file:///tmp/lift-test/endless.lift", "device": "interpreter", "inputs": ["0"] });
    let error = session.execute("lift.server.runKernel", endless).expect_err("stopped");
    assert!(error["message"].as_str().is_some_and(|m| m.contains("longer than 0.2 s")), "{error}");
    session.shutdown();
}

#[test]
fn the_progress_of_the_client_is_used_where_it_gives_one() {
    let mut session = session(PROGRAM);
    let argument = json!({ "uri": URI, "kernel": "positive", "device": "interpreter" });
    let params = json!({ "command": "lift.server.runKernel", "arguments": [argument], "workDoneToken": "mine" });
    session.call("workspace/executeCommand", params).expect("a result");
    let kinds: Vec<Value> = session
        .messages()
        .iter()
        .filter(|m| m["method"] == "$/progress" && m["params"]["token"] == "mine")
        .map(|m| m["params"]["value"]["kind"].clone())
        .collect();
    assert_eq!(kinds, ["begin", "report", "report", "end"]);
    let step = session.wait("what is being done", |m| m["params"]["value"]["kind"] == "report");
    assert_eq!(step["params"]["value"]["message"], "making the inputs (at most 60 s, 4096 MB)");
    assert!(!session.messages().iter().any(|m| m["method"] == "window/workDoneProgress/create"));
    session.shutdown();
}

#[cfg(target_os = "linux")]
#[test]
fn a_run_that_dies_is_told_with_its_signal() {
    let mut session = session(ENDLESS);
    let id = endless_run(&mut session);
    begun(&mut session);
    let child = loop {
        if let Some(child) = session.children().first() {
            break child.clone();
        }
        std::thread::yield_now();
    };
    let killed = std::process::Command::new("sh").args(["-c", "kill -ABRT \"$0\"", &child]).status().expect("sh");
    assert!(killed.success());
    let error = session.answer(id).expect_err("it died");
    assert_eq!(error["message"], "the process of endless was ended by signal 6 (abort)");
    assert_eq!(session.text(URI), ENDLESS);
    session.shutdown();
}

#[cfg(target_os = "linux")]
#[test]
fn a_stopped_run_leaves_no_process() {
    let mut session = session(ENDLESS);
    let id = endless_run(&mut session);
    let token = begun(&mut session);
    session.notify("$/cancelRequest", json!({ "id": id }));
    assert_eq!(session.answer(id).expect_err("cancelled")["code"], -32800);
    ended(&mut session, &token);
    while !session.children().is_empty() {
        std::thread::yield_now();
    }
    session.shutdown();
}

/// When the client dies, even in the middle of a message, its run ends, too.
#[cfg(target_os = "linux")]
#[test]
fn a_client_that_dies_leaves_no_process() {
    for last_words in ["", "Content-Length: 100\r\n\r\n{\"jsonrpc\":"] {
        let mut session = session(ENDLESS);
        endless_run(&mut session);
        begun(&mut session);
        let child = loop {
            if let Some(child) = session.children().first() {
                break child.clone();
            }
            std::thread::yield_now();
        };
        session.write(last_words.as_bytes());
        session.close_input();
        assert_eq!(session.exit_status(), Some(1));
        while is_running(&child) {
            std::thread::yield_now();
        }
    }
}

/// Whether a process exists and is not a zombie.
#[cfg(target_os = "linux")]
fn is_running(process: &str) -> bool {
    let state = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    state.rsplit(") ").next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with(['Z', 'X']))
}
