//! Messages of `tests/run` about failed stages: `tests/failures`, applied to excerpts of real logs.

use expect_test::{Expect, expect};
use lift_tests::files;
use std::process::Command;

fn failures(arguments: &[&str], log: &str) -> String {
    let file = tempfile::NamedTempFile::new().expect("a place for the log");
    std::fs::write(file.path(), log).expect("the log is written");
    let program = files::root().join("tests/failures");
    let out = Command::new(program).args(arguments).arg(file.path()).output().expect("tests/failures runs");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).expect("it prints UTF-8")
}

#[track_caller]
fn check(log: &str, told: Expect, names: Expect) {
    told.assert_eq(&failures(&[], log));
    names.assert_eq(&failures(&["-v", "names=1"], log));
}

#[test]
fn of_rust() {
    let log = r#"
     Running unittests src/lib.rs (target/debug/deps/lift_syntax-4abdfdc8e1287b75)

running 3 tests
test scratch::calm - should panic ... FAILED
test scratch::wrong ... FAILED
test splits ... ok

failures:

---- scratch::calm stdout ----
note: test did not panic as expected at syntax/src/lib.rs:85:8
---- scratch::wrong stdout ----
seen before

thread 'scratch::wrong' (24357) panicked at syntax/src/lib.rs:81:9:
assertion `left == right` failed: two lists
  left: [1, 2, 3]
 right: [1, 2, 4]
stack backtrace:
   0: __rustc::rust_begin_unwind
             at /rustc/library/std/src/panicking.rs:689:5
note: Some details are omitted, run with `RUST_BACKTRACE=full` for a verbose backtrace.


failures:
    scratch::calm
    scratch::wrong

test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s

error: test failed, to rerun pass `-p lift-syntax --lib`
     Running suites/examples.rs (target/debug/deps/examples-26fc3ed73e483e38)

running 1 test
test first.lift ... FAILED

failures:

---- first.lift ----
the interpreter and OpenCL disagree

failures:
    first.lift

test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.10s

error: test failed, to rerun pass `-p lift-tests --test examples`
   Doc-tests lift_syntax

running 0 tests

test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

error: 2 targets failed:
    `-p lift-syntax --lib`
    `-p lift-tests --test examples`
"#;
    check(
        log,
        expect![[r#"
            failed:
              lift_syntax: scratch::calm
              lift_syntax: scratch::wrong
              suites/examples.rs: first.lift

            --- lift_syntax: scratch::calm
                note: test did not panic as expected at syntax/src/lib.rs:85:8

            --- lift_syntax: scratch::wrong
                seen before

                thread 'scratch::wrong' (24357) panicked at syntax/src/lib.rs:81:9:
                assertion `left == right` failed: two lists
                  left: [1, 2, 3]
                 right: [1, 2, 4]

            --- suites/examples.rs: first.lift
                the interpreter and OpenCL disagree
        "#]],
        expect![[r#"
            lift_syntax: scratch::calm: note: test did not panic as expected at syntax/src/lib.rs:85:8
            lift_syntax: scratch::wrong: assertion `left == right` failed: two lists
            suites/examples.rs: first.lift: the interpreter and OpenCL disagree
        "#]],
    );
}

#[test]
fn of_a_test_program_that_dies() {
    let log = r#"
     Running unittests src/lib.rs (target/debug/deps/lift_syntax-26fc3ed73e483e38)

running 2 tests
test splits ... ok
error: test failed, to rerun pass `-p lift-syntax --lib`

Caused by:
  process didn't exit successfully: `target/debug/deps/lift_syntax-26fc3ed73e483e38` (signal: 6, SIGABRT: process abort signal)
"#;
    check(
        log,
        expect![[r#"
            failed:
              lift_syntax: ended before its last test

            --- lift_syntax: ended before its last test
                running 2 tests
                test splits ... ok

                Caused by:
                  process didn't exit successfully: `target/debug/deps/lift_syntax-26fc3ed73e483e38` (signal: 6, SIGABRT: process abort signal)
        "#]],
        expect![[r#"
            lift_syntax: ended before its last test: (signal: 6, SIGABRT: process abort signal)
        "#]],
    );
}

#[test]
fn of_the_compiler() {
    let log = r#"
   Compiling lift-syntax v0.1.0
error[E0308]: mismatched types
  --> syntax/src/lib.rs:89:20
   |
89 | fn wrong() -> u8 { "x" }
   |                    ^^^ expected `u8`, found `&str`

For more information about this error, try `rustc --explain E0308`.
error: could not compile `lift-syntax` (lib) due to 1 previous error
"#;
    check(
        log,
        expect![[r#"
            failed:
              error[E0308]: mismatched types

            --- error[E0308]: mismatched types
                  --> syntax/src/lib.rs:89:20
                   |
                89 | fn wrong() -> u8 { "x" }
                   |                    ^^^ expected `u8`, found `&str`
        "#]],
        expect![[r#"
            error[E0308]: mismatched types: --> syntax/src/lib.rs:89:20
        "#]],
    );
}

#[test]
fn of_pytest() {
    let log = r#"
tests/program/test_cache.py .F                                           [100%]

=================================== FAILURES ===================================
___________________________________ test_bad ___________________________________

    def test_bad():
>       assert [1, 2] == [1, 3]
E       assert [1, 2] == [1, 3]

tests/program/test_cache.py:5: AssertionError
=========================== short test summary info ============================
FAILED tests/program/test_cache.py::test_bad - assert [1, 2] == [1, 3]
========================= 1 failed, 1 passed in 0.06s ==========================
"#;
    check(
        log,
        expect![[r#"
            failed:
              test_bad

            --- test_bad
                    def test_bad():
                >       assert [1, 2] == [1, 3]
                E       assert [1, 2] == [1, 3]

                tests/program/test_cache.py:5: AssertionError
        "#]],
        expect![[r#"
            test_bad: assert [1, 2] == [1, 3]
        "#]],
    );
}

#[test]
fn of_our_own_runners() {
    let log = r#"
workbench:
ok         1.2 s  a program opens: (lift
not ok     3.4 s  the grammar colours: three kinds
          AssertionError: 3 == 4
              at workbench.mjs:3
ok         4.0 s  hints
2 passed, 1 failed
--- helix
not ok a hover: the screen never shows Array
(lift (N)
ok inlay hints
"#;
    check(
        log,
        expect![[r#"
            failed:
              the grammar colours: three kinds
              a hover: the screen never shows Array

            --- the grammar colours: three kinds
                          AssertionError: 3 == 4
                              at workbench.mjs:3

            --- a hover: the screen never shows Array
                (lift (N)
        "#]],
        expect![[r#"
            the grammar colours: three kinds: AssertionError: 3 == 4
            a hover: the screen never shows Array: (lift (N)
        "#]],
    );
}

#[test]
fn long_messages_are_cut_in_the_middle_and_begin_with_the_panic() {
    let lines = |what: &str| (1..=500).map(|i| format!("{what} {i}\n")).collect::<String>();
    let log = format!(
        "     Running suites/x.rs (target/debug/deps/x-26fc3ed73e483e38)\n\nfailures:\n\n---- long stdout ----\n{}\
         thread 'long' (1) panicked at x.rs:1:1:\n{}\n\nfailures:\n    long\n",
        lines("before"),
        lines("message")
    );
    let told = failures(&[], &log);
    assert!(told.lines().count() < 80, "{} lines", told.lines().count());
    let shown: Vec<&str> = told.lines().skip_while(|l| !l.starts_with("---")).skip(1).take(2).collect();
    assert_eq!(shown, ["    thread 'long' (1) panicked at x.rs:1:1:", "    message 1"]);
    assert!(told.ends_with("    message 500\n"), "{told}");
}

#[test]
fn of_what_nobody_knows() {
    let log = (1..=100).map(|i| format!("line {i}\n")).collect::<String>();
    let told = failures(&[], &log);
    assert!(told.starts_with("What failed is not told apart; the end of the log:\n    line 41\n"), "{told}");
    assert!(told.ends_with("    line 100\n"), "{told}");
}
