//! What continuous integration tries of each kind: always the same cases, and every case that was wrong once. A failure
//! says the seed of each case that is wrong and what tries it again; `tests/fuzz/run` tries more, and others.

use lift_fuzz::{Case, Counts, Wrong, differential, guarded, soundness, text, try_all, written};
use lift_tests::files;

/// The seed of the cases that are the same each time.
const FIXED: u64 = 1;

#[track_caller]
fn none_wrong(mode: &str, count: u64, seed: u64, try_one: fn(u64) -> Case) -> Counts {
    let mut wrong = Vec::new();
    let counts = try_all(count, seed, try_one, &mut |seed, Wrong { program, why }| {
        wrong.push(format!("seed {seed}\n{program}\n{why}\nagain: tests/fuzz/run {mode} 1 {seed}"));
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(counts.tried, count);
    counts
}

#[test]
fn types_are_true() {
    let counts = none_wrong("soundness", 300, FIXED, soundness::try_one);
    // Near-misses that all pass, or all fail, try nothing.
    assert!(counts.accepted > 100 && counts.rejected > 60, "{counts:?}");
}

#[test]
fn how_it_is_written_changes_nothing() {
    none_wrong("written", 100, FIXED, written::try_one);
}

#[test]
fn whatever_means_the_same_does_the_same() {
    let counts = none_wrong("differential", 15, FIXED, differential::try_one);
    assert!(counts.accepted > 5, "most are compiled: {counts:?}");
}

#[test]
fn texts_are_survived() {
    let counts = none_wrong("text", 60, FIXED, text::try_one);
    assert!(counts.rejected > 20, "{counts:?}");
}

#[test]
fn what_was_wrong_once_is_right() {
    let corpus = files::below(&files::root().join("tests/fuzz/corpus"), ".lift");
    assert!(corpus.len() > 2, "the corpus is there");
    for file in corpus {
        let program = files::read(&file);
        for check in [text::survived, soundness::rejected_or_fine] {
            if let Err(why) = guarded(|| check(&program)) {
                panic!("{}: {why}", file.display());
            }
        }
    }
}
