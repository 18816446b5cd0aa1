//! What continuous integration tries of each kind: always the same cases, and every case that was wrong once. A failure
//! says the seed of each case that is wrong; `tests/fuzz/run` tries more, and others.

use lift_fuzz::{Case, Wrong, differential, guarded, soundness, text, try_all, written};
use lift_tests::files;

#[track_caller]
fn none_wrong(count: u64, seed: u64, try_one: fn(u64) -> Case) -> lift_fuzz::Counts {
    let mut wrong = Vec::new();
    let counts = try_all(count, seed, try_one, &mut |seed, Wrong { program, why }| {
        wrong.push(format!("seed {seed}\n{program}\n{why}"));
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(counts.tried, count);
    counts
}

#[test]
fn types_are_true() {
    let counts = none_wrong(300, 1, soundness::try_one);
    // Near-misses that all pass, or all fail, try nothing.
    assert!(counts.accepted > 100 && counts.rejected > 60, "{counts:?}");
}

#[test]
fn how_it_is_written_changes_nothing() {
    none_wrong(100, 1, written::try_one);
}

#[test]
fn whatever_means_the_same_does_the_same() {
    let counts = none_wrong(15, 1, differential::try_one);
    assert!(counts.accepted > 5, "most are compiled: {counts:?}");
}

#[test]
fn texts_are_survived() {
    let counts = none_wrong(60, 1, text::try_one);
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
