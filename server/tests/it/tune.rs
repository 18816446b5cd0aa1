//! Tuning on a device: what is tried, kept and used, and kernels that never end.

use crate::commands::ENDLESS;
use crate::programs::Bench;
use crate::session::{Options, Session, rich_client};
use serde_json::{Value, json};
use std::time::{Duration, SystemTime};

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
    assert!(lines[1].ends_with(" 100 %            the least that the device allows without caches"), "{out}");
    assert!(lines[2].ends_with(" %           as it is"), "{out}");
    assert!(lines[lines.len() - 1].contains(" programs tried; "), "{out}");
    assert_eq!(bench.fine(&["run", "scale.lift"]), "2\n4\n6\n");
}

#[test]
fn a_kernel_that_never_ends_is_stopped() {
    let bench = Bench::new(&[("endless.lift", ENDLESS)]);
    let err = bench.wrong(&["tune", "endless.lift", "1", "--patience", "1"]);
    assert!(err.contains("`endless` cannot be tuned: it took more than 1 s"), "{err}");
}

#[test]
fn a_time_is_a_number_of_seconds() {
    let bench = Bench::new(&[("scale.lift", SCALE)]);
    for option in ["--budget", "--patience"] {
        for wrong in ["-1", "nan", "inf", "soon"] {
            let ran = bench.lift(&["tune", "scale.lift", option, wrong]);
            let message =
                format!("invalid value '{wrong}' for '{option} <SECONDS>': `{wrong}` is not a number of seconds");
            assert!(ran.status == Some(2) && ran.err.contains(&message), "{}", ran.err);
        }
    }
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

/// The fingerprint of the only kernel of a program, such as one that a law rewrote.
fn meaning_of(bench: &Bench, text: &str) -> String {
    bench.write("other.lift", text.as_bytes());
    let built = bench.fine(&["build", "other.lift", "--emit", "json"]);
    let built: Value = serde_json::from_str(built.lines().next().expect("a line")).expect("JSON");
    built["meaning"].as_str().expect("a fingerprint").to_owned()
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

/// A kernel that scans although it needs the last sum alone.
const TOTAL: &str = "\
;;; run: xs=[3,1,2]
(lift total (N) ((array-type int (+ N 1))) (lambda (xs) (last (scan 0 + xs))))
";

/// Laws are searched, too: the rewritten program is measured, kept, used, and written.
#[test]
fn a_program_that_a_law_rewrites_is_found() {
    let bench = Bench::new(&[("total.lift", TOTAL)]);
    let tune = ["tune", "total.lift", "--size", "N=30000", "--parameter", "law"];
    bench.fine(&[&tune[..], &["--budget", "60"]].concat());
    let kept = bench.read("total.lift.tuned");
    // Several laws make it faster, and which of them is fastest is chance.
    assert!(kept.contains("\nuse law="), "{kept}");
    let profile = |more: &[&str]| {
        let ran = bench.lift(&[&["run", "total.lift", "signed:1", "--size", "N=20000", "--profile"], more].concat());
        (ran.out, ran.err.contains("scan: "))
    };
    let ((tuned, scans), (untuned, scanned)) = (profile(&[]), profile(&["--untuned"]));
    assert_eq!(tuned, untuned);
    assert!(scanned && (!scans || kept.contains("\nuse law=scan-any-order\n")), "{kept}");
    let out = bench.fine(&[&tune[..], &["--budget", "0", "--write"]].concat());
    assert!(out.contains("`total` in total.lift has been rewritten by "), "{out}");
    assert!(!bench.read("total.lift").contains("(scan 0"));
    assert!(!bench.path("total.lift.tuned").exists());
}

/// A run uses the program as it is if a condition of the record's law is false for its lengths, or if the law does not
/// match any more.
#[test]
fn a_rewriting_that_does_not_apply_is_not_used() {
    let bench = Bench::new(&[("scale.lift", SCALE)]);
    let device = device(&bench);
    let device = [0, 1, 2].map(|nth| &*device[nth]);
    let meaning = meaning(&bench);
    let run = |meaning: &str, choice: &str| {
        bench.write("scale.lift.tuned", record(meaning, device, choice).as_bytes());
        let ran = bench.lift(&["run", "--device", "opencl:0", "scale.lift"]);
        assert_eq!((ran.status, &*ran.out), (Some(0), "2\n4\n6\n"));
        ran.err
    };
    let [tiled, global] = ["(join (map (map (lambda (x) (* 2 x))) (split 4 xs)))", "(mapGlb (lambda (x) (* 2 x)) xs)"]
        .map(|now| format!("{meaning} {}", meaning_of(&bench, &SCALE.replace("(map (lambda (x) (* 2 x)) xs)", now))));
    assert_eq!(run(&tiled, "law=split-join"), "", "4 does not divide 3");
    assert_eq!(run(&global, "law=map-global group=32"), "");
    let unknown = "note: scale.lift.tuned is not used: the law `map-map` does not apply to `scale`\n";
    assert_eq!(run(&meaning, "law=map-map"), unknown);
    let wrong = "note: scale.lift.tuned is not used: line 6: `map-map:0` is not a rewriting, such as `map-map` or `map-map:2`\n";
    assert_eq!(run(&meaning, "law=map-map:0"), wrong);
    let beside = ["tune", "scale.lift", "--budget", "0", "--write", "--copy"];
    bench.write("scale.lift.tuned", record(&global, device, "law=map-global group=32").as_bytes());
    let out = bench.fine(&beside);
    assert!(out.ends_with("has ((group 32)), and has been rewritten by map-global\n"), "{out}");
    let both = bench.read("scale.lift");
    assert!(both.starts_with(SCALE) && both.contains("(with ((group 32)) (mapGlb (lambda (x) (* 2 x)) xs))"), "{both}");
}

/// A kernel of one launch gives it its name; that of a copy is another.
#[test]
fn a_copy_of_a_kernel_of_one_launch_is_written() {
    let text = "(lift scale (N) ((array-type int N)) (lambda (xs) (mapSeq (lambda (x) (* 2 x)) xs)))\n";
    let bench = Bench::new(&[("scale.lift", text)]);
    let device = device(&bench);
    bench.write(
        "scale.lift.tuned",
        record(&meaning_of(&bench, text), [0, 1, 2].map(|nth| &*device[nth]), "group=32").as_bytes(),
    );
    let write = ["tune", "scale.lift", "--size", "N=3", "--budget", "0", "--write", "--copy"];
    assert!(bench.fine(&write).ends_with("`scale-tuned` in scale.lift has ((group 32))\n"));
    assert!(bench.read("scale.lift").contains("(lift scale-tuned "));
}

/// A law of a program may change, and may be false: what was measured is used, and nothing else.
#[test]
fn a_record_of_a_law_that_changed_is_not_used() {
    let law = ";;; forwards: Double\n(define (double (xs (array-type int n))) (tuple (map (* 2) xs) (map (+ 1) xs)))\n";
    let text = SCALE.replace("(lambda (x) (* 2 x))", "(* 2)") + law;
    let bench = Bench::new(&[("scale.lift", &text)]);
    let device = device(&bench);
    let device = [0, 1, 2].map(|nth| &*device[nth]);
    let meaning = meaning(&bench);
    for changed in [meaning.clone(), format!("{meaning} 00ff")] {
        bench.write("scale.lift.tuned", record(&changed, device, "law=double").as_bytes());
        let ran = bench.lift(&["run", "--device", "opencl:0", "scale.lift"]);
        assert_eq!((ran.status, &*ran.out), (Some(0), "2\n4\n6\n"));
        let why = "its laws make something else of `scale` now; tune again";
        assert_eq!(ran.err, format!("note: scale.lift.tuned is not used: {why}\n"));
        let ran = bench.lift(&["tune", "scale.lift", "--budget", "0", "--write"]);
        assert_eq!(ran.status, Some(1));
        assert!(ran.err.contains(why), "{}", ran.err);
    }
}

/// `lift build` for a device uses the record of that device, with the places of the program as it is.
#[test]
fn code_for_a_device_is_as_tuned() {
    let bench = Bench::new(&[("total.lift", TOTAL)]);
    let names = device(&bench);
    let report = bench.fine(&["run", "total.lift", "--format", "json"]);
    let report: Value = serde_json::from_str(&report).expect("JSON");
    let of_total = report["meaning"].as_str().expect("a fingerprint");
    let now = meaning_of(&bench, &TOTAL.replace("(last (scan 0 + xs))", "(head (reduce 0 + xs))"));
    let text = record(&format!("{of_total} {now}"), [0, 1, 2].map(|nth| &*names[nth]), "law=last-scan target=portable");
    bench.write("total.lift.tuned", text.replace("kernel scale", "kernel total").replace("N=3", "N=1000").as_bytes());
    let build = |more: &[&str]| {
        let ran = bench.lift(&[&["build", "total.lift", "-o", "out"], more].concat());
        assert_eq!(ran.status, Some(0), "{}", ran.err);
        ran.err
    };
    let scans = |file: &str| bench.read(file).contains("scan: ");
    let here = ["--for-device", "opencl:0"];
    let told = build(&here);
    assert!(
        told.starts_with("note: `total` as tuned on ") && told.ends_with(": law=last-scan target=portable\n"),
        "{told}"
    );
    assert!(!scans("out/total.plan.json"));
    // The text is that of the program with the fold.
    let folds = TOTAL.replace("(last (scan 0 + xs))", "(head (reduce 0 + xs))");
    bench.write("other/total.lift", folds.as_bytes());
    bench.fine(&["build", "other/total.lift", "-o", "other", "--target", "portable"]);
    assert_eq!(bench.read("out/total.cl"), bench.read("other/total.cl"));
    build(&[&here[..], &["--emit", "c"]].concat());
    build(&[&here[..], &["--emit", "python"]].concat());
    assert!(!scans("out/total.c") && !scans("out/total.py"));
    assert_eq!(build(&[&here[..], &["--untuned"]].concat()), "");
    assert!(scans("out/total.plan.json"));
    // Nothing was tuned for such sizes.
    assert_eq!(build(&[&here[..], &["--size", "N=1000000"]].concat()), "");
    assert!(scans("out/total.plan.json"));
    assert!(build(&[&here[..], &["--size", "N=2000"]].concat()).contains("law=last-scan"));
    assert_eq!(bench.lift(&["build", "total.lift", "--size", "N=1"]).status, Some(2));
    assert_eq!(bench.lift(&["build", "total.lift", "--for-device", "opencl:9"]).status, Some(2));
}

/// A kernel is compared with its earlier version, which the client keeps as a document in the same folder.
#[test]
fn an_editor_compares_with_an_earlier_version() {
    let bench = Bench::new(&[(
        "uses.lift",
        "(import \"lib.lift\")\n(lift uses (N) ((array-type int N)) (lambda (xs) (map twice xs)))\n",
    )]);
    bench.write("lib.lift", b"(define (twice x) (* 2 x))\n");
    let uri = format!("file://{}", bench.path("uses.lift").display());
    let pinned = uri.replace("file://", "lift-pinned:");
    let mut session = Session::with(Options { capabilities: rich_client(), ..Options::default() });
    let old = bench.read("uses.lift");
    session.open(&pinned, &old);
    let mut compare = |new: &str| {
        session.open(&uri, new);
        let old = json!({ "uri": pinned, "kernel": "uses" });
        let request = json!({ "uri": uri, "kernel": "uses", "old": old, "inputs": ["iota"], "sizes": { "N": 100 } });
        session.execute("lift.server.compareKernels", request).expect("a comparison")
    };
    let found = compare(&old.replace("twice xs", "(lambda (x) (+ x x)) xs"));
    assert_eq!(
        (&found["differs"], &found["small"]["differs"], &found["sizes"]["N"]),
        (&Value::Null, &Value::Null, &json!(100))
    );
    assert!(found["old"]["times"][0].as_f64().is_some_and(|time| time > 0.0), "{found}");
    assert!(found["diff"].as_str().is_some_and(|diff| diff.contains("\n+")), "{found}");
    let found = compare(&old.replace("twice xs", "(lambda (x) (+ x 2)) xs"));
    assert!(found["differs"].as_str().is_some_and(|why| !why.is_empty()), "{found}");
    let generated = session.execute("lift.server.generateOpenCL", json!({ "uri": pinned, "kernel": "uses" }));
    assert!(generated.is_ok_and(|text| text["text"].as_str().is_some_and(|text| text.contains("2u * "))));
    session.shutdown();
}

/// `--write` makes a record part of the program, which then gives the same code without the record.
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
    let again = bench.wrong(&["tune", "scale.lift", "--budget", "0", "--write=other.lift"]);
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

/// A record of another driver is not written; without other sizes it tells those that were tuned.
#[test]
fn what_a_stale_record_has_is_not_written() {
    let text = SCALE.lines().filter(|line| !line.starts_with(";;;")).collect::<String>();
    let bench = Bench::new(&[("scale.lift", &text)]);
    let [name, platform, driver] = &device(&bench);
    let meaning = meaning(&Bench::new(&[("scale.lift", SCALE)]));
    let write = |driver: &str| {
        let text = record(&meaning, [name, platform, driver], "group=32");
        bench.write("scale.lift.tuned", text.as_bytes());
        bench.lift(&["tune", "scale.lift", "--budget", "0", "--write=other.lift"])
    };
    let stale = write("0.1");
    assert_eq!((stale.status, bench.path("other.lift").exists()), (Some(0), false));
    assert!(
        stale.err.contains("is of another driver than ") && stale.err.contains("nothing to write"),
        "{}",
        stale.err
    );
    assert!(stale.out.contains(", N=3\n"), "{}", stale.out);
    assert_eq!(write(driver).status, Some(0));
    assert!(bench.read("other.lift").contains("((group 32))"));
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
;;; run: xs=random N=200000
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
    // However long the first improvement takes; a search that ends before has none.
    while !file.exists() {
        assert_eq!(child.try_wait().expect("its state"), None, "the search ended without a result");
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
    assert_eq!(tune["tooltip"], told);
    // The time is that of the record: the file's may be of another kernel, or of a copy of the folder.
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("a time").as_secs();
    bench.write("scale.lift.tuned", format!("{} at {}\n", text.trim_end(), now - 7250).as_bytes());
    assert_eq!(lens(&mut session)["tooltip"], told.replace("tuned on", "tuned 2 h ago on"));

    let name_of_kernel = json!({ "textDocument": { "uri": uri }, "position": { "line": 1, "character": 8 } });
    let hover = session.call("textDocument/hover", name_of_kernel).expect("a hover")["contents"]["value"].clone();
    let gained = format!(" on {name}: 2.00 × of the default (`target=gpu group=32`).");
    assert!(
        hover.as_str().is_some_and(|text| text.contains("\n\nTuned 2 h ago") && text.ends_with(&gained)),
        "{hover}"
    );

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
