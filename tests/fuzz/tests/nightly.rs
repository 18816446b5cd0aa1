//! Slices of a long search continue where the last one stopped (`tests/fuzz/nightly`).

use lift_tests::files;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

/// Runs a slice of one mode with a fake `run` that executes `said` instead of trying cases.
fn slice(folder: &Path, mode: &str, said: &str) -> Output {
    let run = folder.join("run");
    fs::write(&run, format!("#!/bin/sh\necho \"$@\" >>'{}'\n{said}\n", folder.join("asked").display()))
        .expect("a file");
    fs::set_permissions(&run, fs::Permissions::from_mode(0o700)).expect("it may be run");
    Command::new(files::root().join("tests/fuzz/nightly"))
        .args(["0", mode])
        .env("FUZZ_RUN", &run)
        .env("FUZZ_STATE", folder.join("state"))
        .env("FUZZ_FOUND", folder.join("found"))
        .output()
        .expect("bash runs")
}

fn state(folder: &Path) -> Vec<String> {
    files::read(&folder.join("state")).lines().map(str::to_owned).collect()
}

#[test]
fn a_slice_goes_on_where_the_last_one_stopped() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("state"), "text 7 70 1\nwritten 3000 200 0\n").expect("a file");

    let none_wrong = slice(folder, "written", "echo \"$2 tried, 0 wrong\"");
    assert_eq!(none_wrong.status.code(), Some(0), "{none_wrong:?}");
    assert_eq!(state(folder), ["text 7 70 1", "written 5500 2700 0"], "other modes stay where they are");
    let said = String::from_utf8_lossy(&none_wrong.stdout).into_owned();
    assert!(said.ends_with("written: 2700 tried, 0 wrong; goes on at 5500\n"), "{said}");

    let some_wrong = slice(folder, "written", "echo 'wrong, seed 5512'; echo \"$2 tried, 3 wrong\"; exit 1");
    assert_eq!(some_wrong.status.code(), Some(1), "{some_wrong:?}");
    assert_eq!(state(folder), ["text 7 70 1", "written 8000 5200 3"]);
    let kept = files::read(&folder.join("found/written-5500"));
    assert!(kept.contains("wrong, seed 5512"), "what was wrong is kept: {kept}");

    let crashed = slice(folder, "written", "echo 'memory allocation failed'; exit 134");
    assert_eq!(crashed.status.code(), Some(1), "{crashed:?}");
    assert_eq!(
        state(folder),
        ["text 7 70 1", "written 10500 5200 4"],
        "a crash is wrong, and what it ended on is not tried again"
    );

    let not_built = slice(folder, "written", "echo 'error: no compiler'; exit 2");
    assert_eq!(not_built.status.code(), Some(2), "{not_built:?}");
    assert_eq!(state(folder), ["text 7 70 1", "written 10500 5200 4"], "nothing was tried");

    let asked = files::read(&folder.join("asked"));
    assert_eq!(asked.lines().collect::<Vec<_>>(), [3000, 5500, 8000, 10500].map(|seed| format!("written 2500 {seed}")));
}

#[test]
fn a_mode_begins_at_a_seed_of_its_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let first = slice(folder.path(), "soundness", "echo \"$2 tried, 0 wrong\"");
    assert_eq!(first.status.code(), Some(0), "{first:?}");
    let [line] = &state(folder.path())[..] else { panic!("one mode: {:?}", state(folder.path())) };
    let parts: Vec<&str> = line.split(' ').collect();
    let next: u64 = parts[1].parse().expect("a seed");
    assert_eq!((parts[0], &parts[2..]), ("soundness", &["5000", "0"][..]));
    assert!(next > 1_700_000_000_000, "from the clock: {next}");
    let unknown = slice(folder.path(), "nothing", "exit 0");
    assert_eq!(unknown.status.code(), Some(2), "{unknown:?}");
}
