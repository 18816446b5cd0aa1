//! Disks that are full or read-only: existing files stay unchanged, no partial files remain, and the failure is
//! reported.
//!
//! A full disk is simulated by a limit on file sizes (`ulimit -f`) or by `/dev/full`, a read-only one by `/proc/self`,
//! where even root cannot create files.

use crate::programs::{Bench, Ran};
use crate::session::{Options, Session};
use serde_json::{Value, json};
use std::fs;
use std::process::Command;

const URI: &str = "file:///tmp/lift-test/disk.lift";
const PROGRAM: &str = "\
;;; run: N=100000
(lift numbers (N) () (lambda () (iota N)))
";
/// The error for a file over the limit.
const FULL: &str = "File too large";

/// Runs a command line with a limit on file sizes, in blocks of 512 bytes.
fn with_room(blocks: u32, bench: &Bench, arguments: &[&str]) -> Ran {
    let mut command = Command::new("sh");
    command.args(["-c", &format!(r#"trap '' XFSZ; ulimit -f {blocks}; exec "$0" "$@""#), env!("CARGO_BIN_EXE_lift")]);
    command.args(arguments).current_dir(bench.path("."));
    ran(command)
}

fn ran(mut command: Command) -> Ran {
    let output = command.output().expect("it starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    Ran { status: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

/// Returns the sorted file names of the folder.
fn files(bench: &Bench) -> Vec<String> {
    let entries = fs::read_dir(bench.path(".")).expect("a folder");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

const RUN: [&str; 6] = ["run", "p.lift", "--device", "interpreter", "-o", "out.npy"];

#[test]
fn a_result_that_does_not_fit_leaves_what_was_there() {
    let bench = Bench::new(&[("p.lift", PROGRAM), ("out.npy", "what was there")]);
    let full = with_room(64, &bench, &RUN);
    assert_eq!((full.status, &*full.out), (Some(1), ""), "{}", full.err);
    assert!(full.err.contains("error[unwritable-file]") && full.err.contains(FULL), "{}", full.err);
    assert_eq!(bench.read("out.npy"), "what was there");
    assert_eq!(files(&bench), ["out.npy", "p.lift"], "nothing half is left");
    bench.fine(&RUN);
    assert_eq!(fs::metadata(bench.path("out.npy")).expect("it is there").len(), 128 + 400_000);
}

#[test]
fn a_program_that_does_not_fit_is_not_laid_out() {
    let long = "(define   a 1)\n".repeat(4000);
    let bench = Bench::new(&[("p.lift", &long)]);
    let full = with_room(64, &bench, &["fmt", "p.lift"]);
    assert_eq!((full.status, &*full.out), (Some(1), ""), "{}", full.err);
    assert!(full.err.contains("p.lift cannot be written") && full.err.contains(FULL), "{}", full.err);
    assert_eq!((bench.read("p.lift"), files(&bench)), (long, vec!["p.lift".to_owned()]));
}

#[test]
fn what_is_built_is_whole_or_not_there() {
    let bench = Bench::new(&[("p.lift", PROGRAM)]);
    for emit in [&[][..], &["--emit", "c"], &["--emit", "python"]] {
        let arguments = [&["build", "p.lift", "-o", "."], emit].concat();
        let full = with_room(0, &bench, &arguments);
        assert_eq!((full.status, &*full.out), (Some(1), ""), "{}", full.err);
        assert!(full.err.contains("error[unwritable-file]") && full.err.contains(FULL), "{}", full.err);
        assert_eq!(files(&bench), ["p.lift"], "{emit:?}");
    }
}

#[test]
fn a_disk_that_can_only_be_read_is_named() {
    let bench = Bench::new(&[("p.lift", PROGRAM)]);
    for arguments in [
        &["run", "p.lift", "--device", "interpreter", "-o", "/proc/self/out.npy"][..],
        &["run", "p.lift", "--device", "interpreter", "-o", "/dev/full"],
        &["run", "p.lift", "--device", "interpreter", "-o", "missing/out.npy"],
        &["build", "p.lift", "-o", "/proc/self"],
        &["build", "p.lift", "-o", "/proc/self/new"],
        &["build", "p.lift", "--emit", "python", "-o", "p.lift"],
        &["doc", ".", "-o", "/proc/self/pages"],
    ] {
        let said = bench.wrong(arguments);
        assert!(said.contains("error[unwritable-file]"), "{arguments:?}: {said}");
        let place = arguments.last().expect("a place");
        assert!(said.contains(place) && said.contains("cannot be written"), "{arguments:?}: {said}");
        assert!(!said.contains("/.lift-"), "the name of a temporary file: {said}");
    }
}

/// Nothing is measured, and nothing runs, for a file that cannot be written.
#[test]
fn a_file_that_cannot_be_written_is_found_before_the_work() {
    let stops = "(lift stops (N) ((array-type int N)) (lambda (xs) (aref xs N)))\n";
    let bench = Bench::new(&[("p.lift", &format!(";;; run: xs=[1]\n{stops}")), ("kept.lift", "")]);
    for (arguments, says) in [
        (&["bench", "p.lift", "--json", "missing/out.json"][..], "missing/out.json cannot be written"),
        (&["run", "p.lift", "[1]", "--device", "interpreter", "-o", "missing/out.npy"], "missing/out.npy cannot be"),
        (&["tune", "p.lift", "--write=missing/new.lift"], "missing/new.lift cannot be written"),
        (&["tune", "p.lift", "--write=kept.lift"], "kept.lift exists already"),
    ] {
        let said = bench.wrong(arguments);
        assert!(said.contains(says) && !said.contains("index-out-of-range"), "{arguments:?}: {said}");
    }
}

/// For every command that prints.
#[test]
fn output_that_cannot_be_written_is_an_error() {
    let bench = Bench::new(&[("p.lift", PROGRAM)]);
    for arguments in [
        &["run", "p.lift", "--device", "interpreter"][..],
        &["types", "p.lift"],
        &["build", "p.lift", "--stage", "opencl"],
        &["devices"],
        &["explain"],
    ] {
        let mut command = bench.command(arguments);
        command.stdout(fs::File::options().write(true).open("/dev/full").expect("it is there"));
        let ran = ran(command);
        assert_eq!(ran.status, Some(1), "{arguments:?}: {}", ran.err);
        assert!(ran.err.contains("No space left on device"), "{arguments:?}: {}", ran.err);
    }
}

/// Neither the folder of shown texts, nor the log, nor the cache can be written.
#[test]
fn the_server_works_where_nothing_can_be_written() {
    let environment = vec![("TMPDIR", "/proc/self".to_owned()), ("LIFT_CACHE", "/proc/self".to_owned())];
    let arguments = vec!["--stdio".to_owned(), "--log=/dev/full".to_owned()];
    let mut session = Session::with(Options { environment, arguments, ..Options::default() });
    session.open(URI, PROGRAM);
    let run = json!({ "uri": URI, "kernel": "numbers", "inputs": [], "sizes": { "N": 3 }, "device": "interpreter" });
    assert_eq!(session.execute("lift.server.showRun", run.clone()), Ok(Value::Null));
    let error = session.wait("the reason", |m| m["method"] == "window/showMessage" && m["params"]["type"] == 1);
    let said = error["params"]["message"].as_str().unwrap_or_default();
    assert!(said.starts_with("numbers.result cannot be shown: "), "{said}");
    let result = session.execute("lift.server.runKernel", run.clone()).expect("it runs all the same");
    assert_eq!(result["output"].as_str().map(str::trim), Some("0\n1\n2"), "{result}");
    let mut on_device = run;
    on_device["device"] = json!("opencl");
    let result = session.execute("lift.server.runKernel", on_device).expect("it is compiled, and not kept");
    assert_eq!(result["output"].as_str().map(str::trim), Some("0\n1\n2"), "{result}");
    assert_eq!(session.diagnostics(URI, 1), Vec::<Value>::new());
    session.shutdown();
}
