//! Bounded memory: the corpus and the fixed random texts run in a process with a memory limit.

use lift_tests::{files, sample};
use std::process::{Command, Output};

/// Limit on the process's address space, in MiB. It counts mapped memory, which is more than used memory; 66 MiB are
/// the stacks of two threads.
const MOST: u64 = 1024;

/// Runs the program with a limit in MiB, as `tests/fuzz/run text` does with a larger one.
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

/// Texts that were wrong once are right, and no text of them takes all memory.
#[test]
fn what_was_wrong_once_is_right_and_bounded() {
    let corpus = files::below(&files::root().join("tests/fuzz/corpus"), ".lift");
    assert!(corpus.len() > 2, "the corpus is there");
    let corpus: Vec<String> = corpus.iter().map(|file| file.display().to_string()).collect();
    for mode in ["texts", "program"] {
        let some = corpus.iter().filter(|file| sample::takes(&(mode, file.rsplit('/').next()), 3));
        let args: Vec<&str> = [mode].into_iter().chain(some.map(String::as_str)).collect();
        none_wrong(&within(MOST, &args));
    }
}

#[test]
fn memory_is_bounded_for_random_texts() {
    none_wrong(&within(MOST, &["text", "20", "1000"]));
}

/// The limit is effective: with too little memory the process fails on one of those texts. (On others, it first asks for
/// memory a million times.)
#[test]
fn the_bound_is_one() {
    let output = within(40, &["text", "1", "1001"]);
    assert!(!output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}
