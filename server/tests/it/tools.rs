//! `lift test`, `lift bench` and `lift doc`.

use crate::programs::Bench;
use serde_json::Value;

const TESTED: &str = "\
; Even numbers.

;;; Keeps what `even` holds for, with `filter`.
;;; test: xs=[1,2,3] => [2]
;;; test: xs=[] => []
;;; test: xs=numbers.txt => kept.txt
;;; test: xs=random N=0,1,17,1000
(lift evens (N) ((array-type int N)) (lambda (xs) (filter even xs)))

;;; test: xs=[1,2,3] i=7 => error index-out-of-range
;;; test: xs=[1,2,3] i=1 => 2
(lift at (N) ((array-type int N) int) (lambda (xs i) (aref xs i)))

;;; Whether a number is even.
(define (even x) (= (mod x 2) 0))
";

fn bench() -> Bench {
    Bench::new(&[("a.lift", TESTED), ("numbers.txt", "1 2 3 4\n"), ("kept.txt", "2 4\n")])
}

#[test]
fn tests_of_kernels_are_tried_everywhere() {
    let bench = bench();
    let said = bench.lift(&["test", "a.lift", "--seeds", "3"]);
    assert_eq!(said.status, Some(0), "{}{}", said.out, said.err);
    assert!(said.out.ends_with("6 passed, 0 failed\n"), "{}", said.out);
    assert!(said.out.contains("a.lift: evens: xs=[1,2,3] => [2] ... ok\n"), "{}", said.out);
    let json = bench.fine(&["test", "a.lift", "--kernel", "at", "--device", "interpreter", "--format", "json"]);
    let lines: Vec<Value> = json.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines.last(), Some(&serde_json::json!({ "passed": 2, "failed": 0 })));
    assert_eq!((&lines[0]["kernel"], &lines[0]["line"], &lines[0]["passed"]), (&"at".into(), &9.into(), &true.into()));
}

#[test]
fn a_test_that_does_not_hold_says_where_and_why() {
    let head = "(lift k (N) ((array-type int N)) (lambda (xs) (map (lambda (x) (/ 6 x)) xs)))\n";
    for (line, why) in [
        ("xs=[1,2] => [6,2]", "element 1: 3, but 2 is expected"),
        ("xs=[1,2] => [6]", "an array of length 2, but length 1 is expected"),
        ("xs=[1,0] => [6,6]", "division-by-zero"),
        ("xs=[1,2] => error division-by-zero", "gives a result, but the error `division-by-zero` is expected"),
        ("xs=[1,0] => error index-out-of-range", "stops with another error than `index-out-of-range`"),
        ("xs=[1,2] => error no-such-code", "there is no code `no-such-code`"),
        ("xs=[1,2] => none.txt", "the expected result `none.txt`: there is no such file"),
        ("xs=[1,2] => [x]", "the expected result `[x]`: at character 2"),
        ("ys=[1,2] => [6,3]", "names `ys`, which is neither a parameter nor a size"),
        ("=> [6,3]", "gives no value for `xs`"),
        ("xs=iota N=3", "stops instead of giving a result"),
    ] {
        let bench = Bench::new(&[("a.lift", &format!(";;; test: {line}\n{head}"))]);
        let ran = bench.lift(&["test", "a.lift", "--device", "interpreter"]);
        assert_eq!(ran.status, Some(1), "{line}: {}", ran.out);
        assert!(ran.out.contains("FAILED") && ran.out.ends_with("0 passed, 1 failed\n"), "{line}: {}", ran.out);
        assert!(ran.err.contains(why) && ran.err.contains("a.lift:1:1"), "{line}: {}", ran.err);
    }
}

#[test]
fn tests_of_a_kernel_with_errors_fail_and_those_of_others_run() {
    let program = format!("{TESTED};;; test: x=1 => 2\n(lift wrong () (int) (lambda (x) (+ x true)))\n");
    let bench = Bench::new(&[("a.lift", &program), ("numbers.txt", "1 2 3 4"), ("kept.txt", "2 4")]);
    let ran = bench.lift(&["test", "a.lift", "--device", "interpreter"]);
    assert_eq!(ran.status, Some(1));
    assert!(ran.out.ends_with("6 passed, 1 failed\n"), "{}", ran.out);
    assert!(ran.err.contains("error[type-mismatch]"), "{}", ran.err);
    let none = Bench::new(&[("a.lift", "(define (f x) x)\n")]).lift(&["test", "a.lift"]);
    assert!(none.status == Some(0) && none.err.contains("no kernel has a test"), "{}", none.err);
    let broken = Bench::new(&[("a.lift", "(lift f () (int) (lambda (x) x)\n")]);
    for command in ["test", "bench"] {
        let ran = broken.lift(&[command, "a.lift"]);
        assert!(
            ran.status == Some(1) && ran.out.is_empty() && ran.err.contains("syntax/unclosed"),
            "{command}: {}",
            ran.err
        );
    }
}

#[test]
fn a_test_that_does_not_end_is_stopped() {
    let kernel = "(lift endless () (int) (lambda (x) (iterateWhile (<= 0) (lambda (y) (mod (+ y 1) 2000)) x)))\n";
    let bench = Bench::new(&[("a.lift", &format!(";;; test: x=-1 => -1\n;;; test: x=1 => 7\n{kernel}"))]);
    let ran = bench.lift(&["test", "a.lift", "--device", "interpreter", "--patience", "0.2"]);
    assert_eq!(ran.status, Some(1), "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("x=-1 => -1 ... ok"), "{}", ran.out);
    let late = "error[run-limit]: the test of `endless` ran longer than 0.2 s and was stopped\n --> a.lift:2:";
    assert!(ran.err.contains(late), "{}", ran.err);
}

#[test]
fn a_test_that_is_above_no_kernel_fails() {
    let kernel = "(lift k () (int) (lambda (x) (+ x 1)))\n";
    let run = |text: String, more: &[&str]| {
        let bench = Bench::new(&[("a.lift", &text)]);
        bench.lift(&[&["test", "a.lift", "--device", "interpreter"], more].concat())
    };
    for between in ["(define (f x) x)\n", "\n", "; A comment.\n"] {
        let text = format!(";;; test: x=1 => 3\n{between};;; test: x=1 => 2\n{kernel}");
        let ran = run(text.clone(), &[]);
        assert_eq!(ran.status, Some(1), "{between}: {}", ran.out);
        assert!(ran.out.ends_with("1 passed, 1 failed\n"), "{between}: {}", ran.out);
        assert!(ran.err.contains("a.lift:1:1") && ran.err.contains("does not run"), "{between}: {}", ran.err);
        assert_eq!(run(text, &["--kernel", "k"]).status, Some(0), "{between}");
    }
    assert_eq!(run(format!(";;; A test:\n; ;;; test: x=1 => 3\n;;; test: x=1 => 2\n{kernel}"), &[]).status, Some(0));
}

#[test]
fn a_benchmark_that_is_above_no_kernel_is_reported() {
    let text = ";;; bench: x=random\n(define (f x) x)\n(lift k () (int) (lambda (x) (+ x 1)))\n";
    let ran = Bench::new(&[("a.lift", text)]).lift(&["bench", "a.lift"]);
    assert_eq!(ran.status, Some(1), "{}", ran.err);
    assert!(ran.err.contains("a.lift:1:1") && ran.err.contains("this benchmark does not run"), "{}", ran.err);
}

#[test]
fn kernels_are_measured_and_compared_with_earlier_results() {
    let program = ";;; bench: xs=random N=10,1000\n(lift k (N) ((array-type float N)) (lambda (xs) (map sqrt xs)))\n";
    let bench = Bench::new(&[("a.lift", program)]);
    let first = bench.lift(&["bench", "a.lift", "--runs", "3", "--json", "first.json"]);
    assert_eq!((first.status, first.out.lines().count()), (Some(0), 2), "{}{}", first.out, first.err);
    let results: Value = serde_json::from_str(&bench.read("first.json")).expect("JSON");
    let sizes: Vec<&Value> =
        results["benchmarks"].as_array().expect("a list").iter().map(|b| &b["sizes"]["N"]).collect();
    assert_eq!(sizes, [&Value::from(10), &Value::from(1000)]);
    let second = bench.lift(&["bench", "a.lift", "--runs", "3", "--size", "N=10", "--against", "first.json"]);
    assert_eq!((second.status, second.out.lines().count()), (Some(0), 1), "{}{}", second.out, second.err);
    assert!(second.out.contains("before"), "{}", second.out);
    let far = bench
        .read("first.json")
        .replace("\"greatest\": ", "\"greatest\": 1e-9, \"was\": ")
        .replace("\"median\": ", "\"median\": 1e-9, \"had\": ");
    bench.write("fast.json", far.as_bytes());
    let slower = bench.lift(&["bench", "a.lift", "--runs", "3", "--against", "fast.json", "--fail-if-slower", "10"]);
    assert_eq!(slower.status, Some(1), "{}{}", slower.out, slower.err);
    assert!(
        slower.err.contains("2 slower than before") && slower.out.contains("times as long as before"),
        "{}",
        slower.err
    );
    assert!(bench.wrong(&["bench", "a.lift", "--against", "a.lift"]).contains("has no results of `lift bench --json`"));
}

#[test]
fn sizes_replace_the_arrays_of_the_line_and_belong_to_a_kernel() {
    let program = ";;; run: xs=[1,2,3]\n(lift k (N) ((array-type int N)) (lambda (xs) (map (+ 1) xs)))\n";
    let bench = Bench::new(&[("a.lift", program)]);
    let ran = bench.lift(&["bench", "a.lift", "--runs", "2", "--size", "N=5"]);
    assert!(ran.status == Some(0) && ran.out.contains(" N=5 "), "{}{}", ran.out, ran.err);
    let wrong = bench.wrong_after(&["bench", "a.lift", "--runs", "2", "--size", "M=5"]);
    assert!(wrong.contains("no kernel has the size `M`"), "{wrong}");
}

#[test]
fn pages_tell_of_definitions_and_lead_to_each_other() {
    let bench = Bench::new(&[
        ("src/numbers.txt", "1 2 3 4"),
        ("src/kept.txt", "2 4"),
        (
            "src/a.lift",
            &TESTED.replace(
                "(define (even x) (= (mod x 2) 0))",
                "(define (even x) (= (halves x) 0))\n(import \"lib/b.lift\")",
            ),
        ),
        (
            "src/lib/b.lift",
            ";;; The remainder of `x` by two, as `mod` has it. See `none`.\n(define (halves x) (mod x 2))\n",
        ),
    ]);
    assert!(bench.fine(&["doc", "src", "-o", "pages"]).contains("index.html: 5 pages, 6 examples"));
    let index = bench.read("pages/index.html");
    assert!(
        index.contains("<a href=\"a.html\">a.lift</a>: Even numbers.") && index.contains("href=\"lib/b.html\""),
        "{index}"
    );
    let page = bench.read("pages/a.html");
    for part in [
        "<h1>a.lift</h1>",
        "Imports <a href=\"lib/b.html\">lib/b.lift</a>.",
        "<h2 id=\"evens\">kernel <code>evens</code></h2>",
        "evens : Array[Int,N] -&gt; &lt;∃X, Array[Int,X]&gt;",
        "<a href=\"#even\"><code>even</code></a>",
        "<a href=\"lift-primitives.html#filter\"><code>filter</code></a>",
        "<code>xs=[1,2,3]</code> gives <code>[2]</code> ✓",
        "<code>xs=[1,2,3] i=7</code> gives <code>error index-out-of-range</code> ✓",
    ] {
        assert!(page.contains(part), "{part} in\n{page}");
    }
    assert!(!page.contains("test:"), "{page}");
    let library = bench.read("pages/lib/b.html");
    assert!(
        library.contains("<a href=\"../lift-primitives.html#mod\"><code>mod</code></a> has it. See <code>none</code>."),
        "{library}"
    );
    assert!(library.contains("src=\"../site.js\" data-root=\"../\""), "{library}");
    assert!(
        bench
            .read("pages/lift-prelude.html")
            .contains("zipWith : (a -&gt; b -&gt; c) -&gt; Array[a,n] -&gt; Array[b,n]")
    );
    assert!(bench.read("pages/lift-primitives.html").contains("Also called <code>mapGlb</code>"));
    assert!(bench.read("pages/index.js").contains(r#""at":"lib/b.html#halves""#));
    assert!(bench.wrong(&["doc", "pages"]).contains("has no `.lift` files"));
    let file = bench.lift(&["doc", "src/a.lift"]);
    let message = "src/a.lift is a file; the pages are about a folder of programs";
    assert!(file.status == Some(2) && file.err.contains(message), "{}", file.err);
}

#[test]
fn pages_tell_of_examples_that_fail_and_run_nothing_of_the_documentation() {
    let docs = ";;; Twice. <script>alert(1)</script> [here](javascript:alert(1)) ![seen](http://far/away.png)\n;;; test: x=2 => 5\n";
    let bench = Bench::new(&[("src/a.lift", &format!("{docs}(lift twice () (int) (lambda (x) (* 2 x)))\n"))]);
    let wrong = bench.wrong(&["doc", "src", "-o", "pages"]);
    assert!(wrong.contains("gives another result than the test expects"), "{wrong}");
    let page = bench.read("pages/a.html");
    assert!(page.contains("gives <code>5</code> ✗"), "{page}");
    for harmful in ["<script>alert", "javascript:", "far/away"] {
        assert!(!page.contains(harmful), "{harmful} in\n{page}");
    }
}

#[test]
fn pages_of_programs_with_errors_are_an_error() {
    let bench = Bench::new(&[("src/a.lift", "(define (f x) (+ x 1)\n"), ("src/b.lift", "(define (g x) (h x))\n")]);
    let wrong = bench.wrong(&["doc", "src", "-o", "pages"]);
    assert!(wrong.contains("error[syntax/unclosed]") && wrong.contains("src/a.lift:1:21"), "{wrong}");
    assert!(wrong.contains("error[unknown-name]") && wrong.contains("src/b.lift:1:16"), "{wrong}");
    assert!(bench.read("pages/a.html").contains("<h1>a.lift</h1>"));
}
