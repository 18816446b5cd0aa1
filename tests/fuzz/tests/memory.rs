//! That no text takes all memory: the texts that were wrong once, and those that are tried each time, are tried by a
//! process that may not have more than so much.

use lift_tests::files;
use std::process::{Command, Output};

/// The address space that the process may have, in MiB: what it maps, that is more than it uses. Of it 66 MiB are the
/// stacks of two threads.
const MOST: u64 = 1024;

/// Runs the program with so many MiB, as `tests/fuzz/run text` does with more.
fn within(most: u64, args: &[&str]) -> Output {
    let command = format!("ulimit -v {} && exec \"$0\" \"$@\"", most << 10);
    let mut shell = Command::new("sh");
    shell.args(["-c", &command, env!("CARGO_BIN_EXE_lift-fuzz")]).args(args);
    shell.output().expect("a process starts")
}

#[track_caller]
fn none_wrong(output: &Output) {
    let (said, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{}\n{said}\n{errors}", output.status);
}

#[test]
fn memory_is_bounded_for_texts_that_were_wrong_once() {
    let corpus = files::below(&files::root().join("tests/fuzz/corpus"), ".lift");
    let corpus: Vec<String> = corpus.iter().map(|file| file.display().to_string()).collect();
    let args: Vec<&str> = ["texts"].into_iter().chain(corpus.iter().map(String::as_str)).collect();
    none_wrong(&within(MOST, &args));
}

#[test]
fn memory_is_bounded_for_random_texts() {
    none_wrong(&within(MOST, &["text", "20", "1000"]));
}

/// A process that may have too little does not succeed.
#[test]
fn the_bound_is_one() {
    let output = within(48, &["text", "20", "1000"]);
    assert!(!output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}
