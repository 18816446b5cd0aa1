//! Tuning on a device: what is tried, kept and used, and kernels that never end.

use crate::commands::ENDLESS;
use crate::programs::Bench;
use crate::session::{Options, Session, rich_client};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const SCALE: &str = "\
;;; run: xs=[1,2,3]
(lift scale (N) ((array-type int N)) (lambda (xs) (map (lambda (x) (* 2 x)) xs)))
";

#[test]
fn a_kernel_is_tuned_and_the_program_says_so() {
    let bench = Bench::new(&[("scale.lift", SCALE)]);
    let arguments = ["tune", "scale.lift", "--size", "N=100", "--budget", "1", "--parameter", "map.pieces"];
    let out = bench.fine(&arguments);
    let lines: Vec<&str> = out.lines().collect();
    assert!(lines[0].starts_with("scale on ") && lines[0].ends_with(", N=100"), "{out}");
    assert!(lines[1].ends_with("as it is"), "{out}");
    assert!(lines[lines.len() - 1].contains(" programs tried; "), "{out}");
    assert_eq!(bench.fine(&["run", "scale.lift"]), "2\n4\n6\n");
}

#[test]
fn a_kernel_that_never_ends_is_stopped() {
    let bench = Bench::new(&[("endless.lift", ENDLESS)]);
    let err = bench.wrong(&["tune", "endless.lift", "1", "--patience", "1"]);
    assert!(err.contains("`endless` cannot be tuned: it took more than 1 s"), "{err}");
}

/// Name, platform and driver of the first device.
fn device(bench: &Bench) -> [String; 3] {
    let devices = bench.fine(&["devices", "--format", "json"]);
    let info: Value = serde_json::from_str(devices.lines().next().expect("a device")).expect("JSON");
    ["name", "platform", "driver"].map(|key| info["info"][key].as_str().expect(key).to_owned())
}

/// The fingerprint of `scale`.
fn meaning(bench: &Bench) -> String {
    let report: Value = serde_json::from_str(&bench.fine(&["run", "scale.lift", "--format", "json"])).expect("JSON");
    report["meaning"].as_str().expect("a fingerprint").to_owned()
}

/// A record of `scale`.
fn record(meaning: &str, [name, platform, driver]: [&str; 3], choice: &str) -> String {
    let head = format!("lift-tuned 1\n\nkernel scale {meaning}\ndevice {name} | {platform} | {driver}\n");
    format!("{head}sizes N=3\nuse {choice}\ntime 1 of 2\n")
}

#[test]
fn a_record_is_used_and_what_is_wrong_or_stale_is_told() {
    let bench = Bench::new(&[("scale.lift", SCALE)]);
    let [name, platform, driver] = &device(&bench);
    let file = |meaning: &str, driver: &str, choice: &str| {
        bench.write("scale.lift.tuned", record(meaning, [name, platform, driver], choice).as_bytes());
        let ran = bench.lift(&["run", "--device", "opencl:0", "scale.lift"]);
        assert_eq!((ran.status, &*ran.out), (Some(0), "2\n4\n6\n"));
        ran.err
    };
    let meaning = &meaning(&bench);
    assert_eq!(file(meaning, driver, "target=portable group=32"), "");
    let why = "`group` cannot be 33; it is one of 32, 64, 128, 256";
    assert_eq!(file(meaning, driver, "group=33"), format!("note: scale.lift.tuned is not used: line 6: {why}\n"));
    let stale = "note: scale.lift.tuned is of another version of `scale`, which runs as if never tuned\n";
    assert_eq!(file("0", driver, "group=32"), stale);
    assert!(file(meaning, "0.1", "group=32").starts_with("note: scale.lift.tuned is of another driver than "));
}

#[test]
fn parameters_are_listed_and_wrong_usage_is_refused() {
    let bench = Bench::new(&[("scale.lift", SCALE)]);
    assert!(bench.fine(&["tune", "--list"]).contains("rows.team            8  (2 4 16 32)"));
    assert_eq!(bench.lift(&["tune"]).status, Some(2));
    assert_eq!(bench.lift(&["tune", "--parameter", "no", "scale.lift"]).status, Some(2));
    assert!(bench.wrong(&["tune", "--device", "opencl:9", "scale.lift"]).contains("cannot be tuned"));
}

/// What a record says becomes part of the program, which then gives the same code, and needs no record.
#[test]
fn the_best_is_written_as_a_program() {
    let bench = Bench::new(&[("scale.lift", SCALE)]);
    let [name, platform, driver] = &device(&bench);
    let text = record(&meaning(&bench), [name, platform, driver], "target=gpu group=32");
    bench.write("scale.lift.tuned", text.as_bytes());
    let written = "(with ((target gpu) (group 32)) (map (lambda (x) (* 2 x)) xs))";
    let tune = |more: &[&str]| bench.fine(&[&["tune", "scale.lift", "--budget", "0"], more].concat());

    let out = tune(&["--write=other.lift"]);
    assert!(out.ends_with("`scale` in other.lift has ((target gpu) (group 32))\n"), "{out}");
    assert!(bench.read("other.lift").contains(written) && bench.read("scale.lift") == SCALE);
    let again = bench.wrong_after(&["tune", "scale.lift", "--budget", "0", "--write=other.lift"]);
    assert!(again.contains("other.lift exists already"), "{again}");

    let out = tune(&["--write", "--copy"]);
    assert!(out.ends_with("`scale-tuned` in scale.lift has ((target gpu) (group 32))\n"), "{out}");
    let added =
        format!(";;; `scale`, tuned: on {name} for N=3, 2.00 times as fast as the default.\n;;; run: xs=[1,2,3]");
    let both = bench.read("scale.lift");
    assert!(both.starts_with(SCALE) && both.contains(&added), "{both}");
    assert_eq!(bench.fine(&["run", "scale.lift", "--kernel", "scale-tuned"]), "2\n4\n6\n");
    assert!(bench.path("scale.lift.tuned").exists());

    bench.write("scale.lift", SCALE.as_bytes());
    tune(&["--write"]);
    let now = bench.read("scale.lift");
    assert!(now.contains(written) && !bench.path("scale.lift.tuned").exists(), "{now}");
    assert_eq!(bench.fine(&["run", "scale.lift"]), "2\n4\n6\n");
    let nothing = bench.lift(&["tune", "scale.lift", "--budget", "0", "--write"]);
    assert_eq!(nothing.status, Some(0));
    assert!(nothing.err.contains("there is nothing to write"), "{}", nothing.err);
    assert_eq!(bench.read("scale.lift"), now);
}

#[test]
fn a_record_that_is_edited_to_be_wrong_is_refused_at_its_line() {
    let bench = Bench::new(&[("scale.lift", SCALE)]);
    let wrong = record("0", ["a", "b", "c"], "group=33");
    bench.write("scale.lift.tuned", wrong.as_bytes());
    let err = bench.wrong(&["tune", "scale.lift"]);
    assert!(err.contains("scale.lift.tuned cannot be used: line 6: `group` cannot be 33"), "{err}");
    assert_eq!(bench.read("scale.lift.tuned"), wrong);
}

#[test]
fn without_a_device_nothing_is_tuned() {
    let bench = Bench::new(&[("scale.lift", SCALE)]);
    let mut command = bench.command(&["tune", "scale.lift"]);
    let output = command.env("OCL_ICD_VENDORS", bench.path(".")).output().expect("it starts");
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{err}");
    assert!(err.contains("`scale` cannot be tuned: no OpenCL device"), "{err}");
}

/// A kernel for which each class but the one that it is written for is many times as fast on a processor.
const KEPT: &str = "\
;;; run: xs=random N=4000000
(lift kept (N) ((array-type int N))
  (lambda (xs) (with ((target portable)) (filter (lambda (x) (> x 0)) xs))))
";

#[cfg(unix)]
#[test]
fn a_search_that_is_interrupted_keeps_the_best_so_far() {
    let bench = Bench::new(&[("kept.lift", KEPT)]);
    let mut command = bench.command(&["tune", "kept.lift", "--budget", "600"]);
    let mut child = command.stdout(std::process::Stdio::null()).spawn().expect("it starts");
    let file = bench.path("kept.lift.tuned");
    let began = Instant::now();
    while !file.exists() && began.elapsed() < Duration::from_secs(120) {
        std::thread::sleep(Duration::from_millis(20));
    }
    let pid = rustix::process::Pid::from_raw(i32::try_from(child.id()).expect("an id")).expect("an id");
    // A shell's background jobs, and what they start, do not hear an interrupt from the keyboard.
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("it runs");
    assert!(!child.wait().expect("it ends").success());
    let kept = bench.read("kept.lift.tuned");
    assert!(kept.contains("\nuse target="), "{kept}");
    let run = bench.lift(&["run", "kept.lift", "-o", "result.npy"]);
    assert_eq!((run.status, &*run.err), (Some(0), ""));
}

/// The editor starts a search, says what earlier ones have kept, and writes that into the program.
#[test]
fn an_editor_tunes_and_writes_the_best_as_a_program() {
    let bench = Bench::new(&[("scale.lift", SCALE)]);
    let [name, platform, driver] = &device(&bench);
    let uri = format!("file://{}", bench.path("scale.lift").display());
    let mut session = Session::with(Options { capabilities: rich_client(), ..Options::default() });
    session.open(&uri, SCALE);

    let request = json!({ "uri": uri, "kernel": "scale", "sizes": { "N": 50 }, "budget": 0 });
    let tuned = session.execute("lift.server.tuneKernel", request.clone()).expect("a search");
    assert_eq!((&tuned["kernel"], &tuned["sizes"], &tuned["rows"]), (&json!("scale"), &json!({ "N": 50 }), &json!([])));
    assert!(tuned["default"].as_f64().is_some_and(|time| time > 0.0), "{tuned}");
    assert_eq!(session.execute("lift.server.showTuning", request), Ok(Value::Null));
    let shown = session.wait("the table", |m| m["method"] == "window/showMessage")["params"]["message"].clone();
    assert!(shown.as_str().is_some_and(|text| text.contains("(as it is)")), "{shown}");
    let wrong = session.execute("lift.server.tuneKernel", json!({ "uri": uri, "device": "opencl:9" }));
    let wrong = wrong.expect_err("there is no such device");
    assert!(wrong["message"].as_str().is_some_and(|why| why.contains("cannot be tuned")), "{wrong}");

    // Once without a record that holds, once with one.
    let lens = |session: &mut Session| {
        let lenses = session.call("textDocument/codeLens", json!({ "textDocument": { "uri": uri } })).expect("lenses");
        lenses.as_array().expect("a list").last().expect("a lens")["command"].clone()
    };
    let actions = |session: &mut Session| {
        let only = json!({ "diagnostics": [], "only": ["source.lift.tuned"] });
        let at = json!({ "line": 1, "character": 8 });
        let params = json!({ "textDocument": { "uri": uri }, "range": { "start": at, "end": at }, "context": only });
        session.call("textDocument/codeAction", params).expect("actions")
    };
    bench.write("scale.lift.tuned", record("0", [name, platform, driver], "group=32").as_bytes());
    assert_eq!((&lens(&mut session)["title"], actions(&mut session)), (&json!("Tune"), json!([])));
    let text = record(&meaning(&bench), [name, platform, driver], "target=gpu group=32");
    bench.write("scale.lift.tuned", text.as_bytes());
    let tune = lens(&mut session);
    assert_eq!(tune["title"], "Tune (2.00 ×)");
    let told = format!("tuned on {name} for N=3, 2.00 times as fast as the default: target=gpu group=32");
    assert!(tune["tooltip"].as_str().is_some_and(|t| t.starts_with("last tuned ") && t.ends_with(&told)), "{tune}");

    let offered = actions(&mut session);
    let [write, copy] = offered.as_array().expect("a list").as_slice() else { panic!("{offered}") };
    let title = format!("target=gpu group=32 (on {name} for N=3, 2.00 times as fast as the default)");
    assert_eq!(write["title"], format!("Write scale as program: {title}"));
    assert_eq!(copy["title"], format!("Write scale as program beside it: {title}"));
    let mut edits = Vec::new();
    for action in [copy, write] {
        session.execute("lift.server.writeTuned", action["command"]["arguments"][0].clone()).expect("nothing");
        let messages = session.messages();
        let edit = messages.iter().rev().find(|m| m["method"] == "workspace/applyEdit").expect("an edit");
        edits.push(edit["params"]["edit"].to_string());
    }
    assert!(
        edits[0].contains("(lift scale-tuned (N)") && edits[1].contains("(with ((target gpu) (group 32)) "),
        "{edits:?}"
    );
    assert!(!bench.path("scale.lift.tuned").exists());
    session.shutdown();
}
