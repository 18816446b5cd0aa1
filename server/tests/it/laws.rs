//! `lift laws`: the built-in laws, those of a program, false ones, and what is not a law.

use crate::programs::Bench;
use crate::session::{Options, Session, rich_client};
use expect_test::expect;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const OWN: &str = "\
;;; Doubling twice.
;;; forwards: Double once
(define (twice-twice (xs (array-type int n)))
  (tuple (map (lambda (x) (* 2 x)) (map (lambda (x) (* 2 x)) xs)) (map (lambda (x) (* 4 x)) xs)))
";

#[test]
fn without_a_file_the_built_in_laws_are_tested() {
    let bench = Bench::new(&[]);
    let out = bench.fine(&["laws", "--law", "map-map", "--device", "interpreter", "--try", "1"]);
    assert!(out.starts_with("map-map\n") && out.contains("    equal on "), "{out}");
    let err = bench.wrong(&["laws", "--law", "no-law"]);
    assert!(err.contains("laws.lift has no law whose name contains `no-law`"), "{err}");
}

#[test]
fn laws_of_a_program_are_listed_and_tested() {
    let bench = Bench::new(&[("own.lift", OWN)]);
    let out = bench.fine(&["laws", "own.lift", "--device", "interpreter", "--try", "2"]);
    assert!(out.contains("twice-twice\n"), "{out}");
    assert!(out.contains("  = (map (lambda (x) (* 4 x)) xs)\n    equal on "), "{out}");
}

/// A law may use definitions of an import, and the program may have a kernel of any name.
#[test]
fn laws_use_imports_and_errors_elsewhere_are_shown_at_their_place() {
    let law = "(import \"lib.lift\")
(lift left (N) ((array-type int N)) (lambda (xs) (map double xs)))
;;; forwards: Double once
(define (twice-twice (xs (array-type int n))) (tuple (map double (map double xs)) (map (lambda (x) (* 4 x)) xs)))
";
    let wrong = format!("{law}(define (f x) (g x))\n");
    let bench = Bench::new(&[("lib.lift", "(define (double x) (* 2 x))\n"), ("own.lift", law), ("wrong.lift", &wrong)]);
    let out = bench.fine(&["laws", "own.lift", "--device", "interpreter", "--try", "2"]);
    assert!(out.contains("    equal on "), "{out}");
    let ran = bench.lift(&["laws", "wrong.lift", "--device", "interpreter", "--try", "2"]);
    assert_eq!(ran.status, Some(1));
    assert!(ran.out.contains("    equal on ") && ran.err.contains("wrong.lift:5:16"), "{}{}", ran.out, ran.err);
}

#[test]
fn a_law_may_be_a_lambda() {
    let text = ";;; forwards: Double once\n(define twice-twice (lambda ((xs (array-type int n)))
  (tuple (map (lambda (x) (* 2 x)) (map (lambda (x) (* 2 x)) xs)) (map (lambda (x) (* 4 x)) xs))))\n";
    let none = ";;; forwards: Nothing\n(define nothing 1)\n";
    let bench = Bench::new(&[("own.lift", text), ("none.lift", none)]);
    let out = bench.fine(&["laws", "own.lift", "--device", "interpreter", "--try", "2"]);
    assert!(out.contains("  = (map (lambda (x) (* 4 x)) xs)\n    equal on "), "{out}");
    let wrong = bench.wrong(&["laws", "none.lift"]);
    assert!(wrong.contains("the pattern variables of a law are its parameters: `(define (law x …) …)`"), "{wrong}");
}

#[test]
fn a_false_law_is_refuted() {
    let bench = Bench::new(&[("false.lift", &OWN.replace("(* 4 x)", "(* 3 x)"))]);
    let ran = bench.lift(&["laws", "false.lift", "--device", "interpreter"]);
    assert_eq!(ran.status, Some(1));
    assert!(ran.out.contains("WRONG with N0 = "), "{}", ran.out);
}

#[test]
fn a_false_law_of_numbers_names_no_inputs() {
    let bench = Bench::new(&[("false.lift", ";;; forwards: Wrong\n(define (more (x int)) (tuple (+ x 1) x))\n")]);
    let ran = bench.lift(&["laws", "false.lift", "--device", "interpreter"]);
    assert_eq!(ran.status, Some(1));
    assert!(ran.out.contains("WRONG with ") && !ran.out.contains("inputs"), "{}", ran.out);
}

#[test]
fn what_is_no_law_is_told() {
    let text = ";;; forwards: Double\n(define (double (xs (array-type int n))) (tuple xs (drop 1 xs)))\n";
    let bench = Bench::new(&[("none.lift", text), ("empty.lift", "(define (f x) x)\n")]);
    let out = bench.wrong(&["laws", "none.lift"]);
    assert!(out.contains("none.lift:1: `double` is not a law: the sides have different types"), "{out}");
    assert!(bench.wrong(&["laws", "empty.lift"]).contains("empty.lift has no laws"));
}

/// Two maps that the compiler fuses, a matrix that it turns twice, and numbers of which it sorts more than are needed.
const REWRITTEN: &str = "\
(lift roots (N) ((array-type float N)) (lambda (xs) (map sqrt (map abs xs))))
(lift turned (N M) ((array-type (array-type float M) N)) (lambda (xss) (transpose (transpose xss))))
(lift least (N) ((array-type int (+ N 1))) (lambda (xs) (head (sort < xs))))
(define (greatest xs) (last (sort < xs)))
(lift uses (N) ((array-type int (+ N 1))) (lambda (xs) (greatest xs)))
";
const URI: &str = "file:///tmp/lift-test/rewritten.lift";

/// Titles of rewritings tell what `lift build --cost` tells of the two programs, the largest gain first.
#[test]
fn titles_tell_the_effect_of_a_law() {
    let mut session = Session::with(Options { capabilities: rich_client(), ..Options::default() });
    session.open(URI, REWRITTEN);
    let mut at = |part: &str| {
        let offset = REWRITTEN.find(part).expect("the part is there") + 1;
        let line = REWRITTEN[..offset].matches('\n').count();
        let character = offset - REWRITTEN[..offset].rfind('\n').map_or(0, |end| end + 1);
        let at = json!({ "line": line, "character": character });
        let context = json!({ "diagnostics": [], "only": ["refactor.rewrite.lift.law"] });
        let params = json!({ "textDocument": { "uri": URI }, "range": { "start": at, "end": at }, "context": context });
        // What is not known within the time of a request is known to a later one.
        let began = Instant::now();
        loop {
            let actions = session.call("textDocument/codeAction", params.clone()).expect("actions");
            let actions = actions.as_array().expect("a list").clone();
            let titles: Vec<&str> = actions.iter().map(|a| a["title"].as_str().expect("a title")).collect();
            if titles.iter().all(|title| title.contains("): ")) {
                return (titles.join("\n"), actions);
            }
            assert!(began.elapsed() < Duration::from_secs(120), "{titles:?}");
        }
    };
    let (titles, _) = at("(map sqrt");
    expect![[r#"
        Fuse the maps (map-map): same code
        Map tile by tile (split-join, k = 4): as many launches and bytes at N = 2^24; a run checks that 4 divides N
        Run on all work-items (map-global): same code
        Run in a loop (map-sequential): as many launches and bytes at N = 2^24
        Compute with vectors (vectorise, k = 4): as many launches and bytes at N = 2^24; a run checks that 4 divides N"#]].assert_eq(&titles);
    let (titles, _) = at("(transpose (transpose");
    expect!["Remove both `transpose` (transpose-transpose): same code"].assert_eq(&titles);
    let (titles, actions) = at("(head (sort");
    expect!["Take the minimum without sorting (head-sort): 1 launch fewer, 16 kB less at N = 2^24"].assert_eq(&titles);
    // In a definition: the effect on a kernel that uses it.
    let (titles, _) = at("(last (sort");
    expect!["Take the maximum without sorting (last-sort): 1 launch fewer, 16 kB less in uses at N = 2^24"]
        .assert_eq(&titles);
    // An editor that asks at every movement of the cursor does not wait for what is not known yet.
    session.open("file:///tmp/lift-test/cold.lift", &REWRITTEN.replace("greatest", "largest"));
    let at = json!({ "line": 3, "character": 23 });
    let context = json!({ "diagnostics": [], "triggerKind": 2, "only": ["refactor.rewrite.lift.law"] });
    let uri = "file:///tmp/lift-test/cold.lift";
    let params = json!({ "textDocument": { "uri": uri }, "range": { "start": at, "end": at }, "context": context });
    let automatic = session.call("textDocument/codeAction", params).expect("actions");
    assert_eq!(automatic[0]["title"], "Take the maximum without sorting (last-sort)");
    session.shutdown();

    // The same numbers as of the command line.
    let bench = Bench::new(&[("before.lift", REWRITTEN)]);
    let moved = |file: &str| {
        let cost = ["build", file, "--kernel", "least", "--target", "portable", "--cost", "--format", "json"];
        let out = bench.fine(&[&cost[..], &["--size", "N=16777216"]].concat());
        let cost: Value = serde_json::from_str(out.lines().next().expect("a line")).expect("JSON");
        let bytes = |key: &str| cost["total"][key]["value"].as_i64().expect("a number");
        (bytes("globalBytesRead") + bytes("globalBytesWritten"), cost["launched"]["value"].as_i64().expect("a number"))
    };
    let (bytes, launches) = moved("before.lift");
    for action in &actions {
        let edit = &action["edit"]["documentChanges"][0]["edits"][0];
        let offset = |at: &Value| {
            let line = at["line"].as_u64().expect("a number") as usize;
            let before: usize = REWRITTEN.split_inclusive('\n').take(line).map(str::len).sum();
            before + at["character"].as_u64().expect("a number") as usize
        };
        let range = offset(&edit["range"]["start"])..offset(&edit["range"]["end"]);
        let mut after = REWRITTEN.to_owned();
        after.replace_range(range, edit["newText"].as_str().expect("a text"));
        bench.write("after.lift", after.as_bytes());
        let (bytes_after, launches_after) = moved("after.lift");
        let title = action["title"].as_str().expect("a title");
        assert_eq!(bytes_after == bytes, !title.contains("B more") && !title.contains("B less"), "{title}");
        assert_eq!(bytes_after > bytes, title.contains("B more"), "{title}: {bytes}, then {bytes_after}");
        assert_eq!(
            launches_after == launches,
            !title.contains(" fewer") && !title.contains("es more"),
            "{title}: {launches}, then {launches_after}"
        );
    }
}
