//! `lift compare`: equal and unequal kernels, conditions of one of them, and wrong usage.

use crate::programs::Bench;
use serde_json::Value;

const TWICE: &str = "\
;;; run: xs=[1,2,3,4]
(lift twice (N) ((array-type int N))
  (lambda (xs) (map (lambda (x) (* 2 x)) (map (lambda (x) (+ x 1)) xs))))
";
const BY_PARTS: &str = "\
(lift twice (M) ((array-type int M))
  (lambda (xs) (join (map (map (lambda (x) (* 2 (+ x 1)))) (split #4 xs)))))
";
const WRONG: &str = "\
(lift twice (N) ((array-type int N))
  (lambda (xs) (map (lambda (x) (if (> x 990) 0 (* 2 (+ x 1)))) xs)))
";
const REVERSED: &str = "\
(lift twice (N) ((array-type int N)) (lambda (xs) (map (lambda (x) (* 2 (+ x 1))) (reverse xs))))
";
const FLOATS: &str = "(lift twice (N) ((array-type float N)) (lambda (xs) (map (lambda (x) (* 2.0f x)) xs)))\n";

fn bench() -> Bench {
    let files = [("twice.lift", TWICE), ("parts.lift", BY_PARTS), ("wrong.lift", WRONG), ("floats.lift", FLOATS)];
    let bench = Bench::new(&files);
    bench.write("reversed.lift", REVERSED.as_bytes());
    bench
}

#[test]
fn equal_kernels_are_told_with_the_condition_of_one() {
    let out = bench().fine(&["compare", "twice.lift", "parts.lift", "--device", "interpreter"]);
    let wanted = [
        "old  twice.lift: twice\nnew  parts.lift: twice\n",
        "interpreter: equal on 20 small random inputs\n",
        "conditions: 20 small inputs fit one kernel only; only the new kernel refuses N=1, inputs `random:0`: ",
        "interpreter, N=4: equal\n",
        "bytes read                         16                   16\n",
        "\n--- twice.lift: twice\n+++ parts.lift: twice\n@@ ",
    ];
    for wanted in wanted {
        assert!(out.contains(wanted), "{wanted}\n{out}");
    }
}

/// An input on which one of them stops ends the measurement, but not what was found before.
#[test]
fn a_run_that_fails_leaves_what_the_small_inputs_tell() {
    let bench = bench();
    let divides = "(lift twice (N) ((array-type int N)) (lambda (xs) (map (lambda (x) (* 2 (+ (/ x x) x))) xs)))\n";
    bench.write("divides.lift", divides.as_bytes());
    let ran = bench.lift(&["compare", "twice.lift", "divides.lift", "--device", "interpreter", "[0]"]);
    assert_eq!(ran.status, Some(1));
    assert!(ran.out.contains("\ninterpreter: DIFFERENT with N=1, "), "{}", ran.out);
    assert!(ran.err.contains("division by zero\n --> divides.lift:1:"), "{}", ran.err);
}

/// Not the same as equal: a user may look for a change that moves the last digits.
#[test]
fn results_that_are_equal_up_to_rounding_are_told_apart() {
    let bench = bench();
    bench.write("nearly.lift", FLOATS.replace("2.0f", "2.00001f").as_bytes());
    let on = |new: &str| {
        let arguments = ["compare", "floats.lift", new, "--device", "interpreter", "[1.5,2.5]"];
        bench.fine(&arguments)
    };
    assert!(on("floats.lift").contains("interpreter, N=2: equal\n"));
    assert!(on("nearly.lift").contains("interpreter, N=2: equal up to the rounding of floats\n"));
}

#[test]
fn a_difference_is_shown_with_its_input() {
    let bench = bench();
    let ran =
        bench.lift(&["compare", "twice.lift", "wrong.lift", "--device", "interpreter", "iota", "--size", "N=1000"]);
    assert_eq!(ran.status, Some(1), "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("interpreter, N=1000: DIFFERENT element 991: 0, but 1984 is expected"), "{}", ran.out);
    let ran = bench.lift(&["compare", "twice.lift", "reversed.lift", "--device", "interpreter"]);
    assert_eq!(ran.status, Some(1), "{}{}", ran.out, ran.err);
    let first = "interpreter: DIFFERENT with N=2, inputs `random:0`: element 0: ";
    assert!(ran.out.contains(first), "{}", ran.out);
}

#[test]
fn a_difference_on_negative_numbers_is_found() {
    let kernel = |body: &str| format!("(lift f (N) ((array-type int N)) (lambda (xs) {body}))\n");
    let bench = Bench::new(&[("abs.lift", &kernel("(map abs xs)")), ("same.lift", &kernel("(map id xs)"))]);
    let ran = bench.lift(&["compare", "abs.lift", "same.lift", "--device", "interpreter", "random", "--size", "N=4"]);
    assert_eq!(ran.status, Some(1), "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("interpreter: DIFFERENT with N="), "{}", ran.out);
}

/// Random integers are hardly ever indices of a small array, and never all of them.
#[test]
fn kernels_that_index_by_their_input_are_compared() {
    let kernel = |of: &str| {
        let body = format!("(map (lambda (i) {of}) is)");
        format!("(lift f (N) ((array-type float N) (array-type int N)) (lambda (xs is) {body}))\n")
    };
    let bench = Bench::new(&[("nth.lift", &kernel("(aref xs i)")), ("abs.lift", &kernel("(abs (aref xs i))"))]);
    let ran =
        bench.lift(&["compare", "nth.lift", "abs.lift", "--device", "interpreter", "iota", "iota", "--size", "N=4"]);
    assert!(ran.out.contains("interpreter: DIFFERENT with N="), "{}", ran.out);
    let out =
        bench.fine(&["compare", "nth.lift", "nth.lift", "--device", "interpreter", "iota", "iota", "--size", "N=4"]);
    assert!(out.contains("small random inputs; on 28 others both stop with the same error"), "{out}");
}

#[test]
fn on_a_device_times_are_compared() {
    let out = bench().fine(&["compare", "twice.lift", "twice.lift", "--format", "json", "--runs", "3"]);
    let report: Value = serde_json::from_str(&out).expect("JSON");
    assert!(report["differs"].is_null() && report["small"]["differs"].is_null(), "{out}");
    assert_eq!((&report["diff"], &report["sizes"]["N"]), (&"".into(), &4.into()), "{out}");
    assert_eq!(report["old"]["times"].as_array().map(Vec::len), Some(3), "{out}");
    assert_eq!(report["old"]["launches"]["value"], 1, "{out}");
}

/// Arrays that the line writes out determine their own sizes.
#[test]
fn with_a_size_the_arrays_of_the_line_are_random() {
    let sized = ["compare", "twice.lift", "twice.lift", "--device", "interpreter", "--size", "N=9"];
    let out = bench().fine(&sized);
    assert!(out.contains("interpreter, N=9: equal\n"), "{out}");
}

#[test]
fn a_wrong_line_is_an_error_of_its_kernel() {
    let bench = bench();
    bench.write("line.lift", TWICE.replace("xs=[", "[").as_bytes());
    for (old, new) in [("line.lift", "parts.lift"), ("parts.lift", "line.lift")] {
        let err = bench.wrong_after(&["compare", old, new, "--device", "interpreter"]);
        assert!(err.contains("`[1,2,3,4]` has no name: the line `;;; run:` names inputs and sizes"), "{err}");
        assert!(err.contains(" --> line.lift:2:7"), "{err}");
    }
}

#[test]
fn a_ratio_is_a_number_from_0_on() {
    for ratio in ["-1", "nan", "inf", "much"] {
        let ran = bench().lift(&["compare", "twice.lift", "twice.lift", "--at-most", ratio]);
        let message = format!("`{ratio}` is not a number from 0 on");
        assert!(ran.status == Some(2) && ran.err.contains(&message), "{}", ran.err);
    }
}

#[test]
fn kernels_of_unlike_types_and_missing_ones_are_refused() {
    let bench = bench();
    let err = bench.wrong(&["compare", "twice.lift", "floats.lift"]);
    let types = "`twice.lift: twice` has the sizes (N) and the type `Array[Int,N] -> Array[Int,N]`, but `floats.lift: \
                 twice` has the sizes (N) and the type `Array[Float,N] -> Array[Float,N]`";
    assert!(err.contains(&format!("the kernels have different types: {types}")), "{err}");
    let err = bench.wrong(&["compare", "twice.lift", "twice.lift", "--new-kernel", "thrice"]);
    assert!(err.contains("there is no kernel `thrice`; there is `twice`"), "{err}");
    assert_eq!(bench.lift(&["compare", "twice.lift"]).status, Some(2));
    let kernels = "(lift f () (int) (lambda (x) x))\n(lift g () (int) (lambda (x) x))\n";
    let bench = Bench::new(&[("one.lift", "(lift f () (int) (lambda (x) x))\n"), ("two.lift", kernels)]);
    let err = bench.wrong(&["compare", "one.lift", "two.lift"]);
    assert!(err.contains("choose one with `--new-kernel`"), "{err}");
    let err = bench.wrong(&["compare", "two.lift", "one.lift"]);
    assert!(err.contains("choose one with `--kernel`"), "{err}");
}

#[test]
fn a_kernel_that_does_not_end_is_stopped() {
    let kernel = |next: &str| {
        let f = format!("(lambda (y) {next})");
        format!("(lift f () (int) (lambda (x) (iterateWhile (lambda (y) (< y 2000)) {f} x)))\n")
    };
    let bench = Bench::new(&[("ends.lift", &kernel("(+ y 1)")), ("endless.lift", &kernel("(mod (+ y 1) 2000)"))]);
    let ran =
        bench.lift(&["compare", "ends.lift", "endless.lift", "--patience", "0.2", "--device", "interpreter", "1"]);
    assert_eq!(ran.status, Some(1), "{}{}", ran.out, ran.err);
    let small = "only the new kernel refuses inputs `random:0`: the run was stopped after 2000000 steps";
    assert!(ran.out.contains(small), "{}", ran.out);
    let late = "error[run-limit]: the new kernel ran longer than 0.2 s and was stopped\n --> endless.lift:1:";
    assert!(ran.err.contains(late) && ran.err.contains("the old kernel ended in time"), "{}", ran.err);
    let same = ["compare", "endless.lift", "endless.lift", "--patience", "0.2", "--device", "interpreter", "1"];
    let ran = bench.lift(&same);
    let small = " small inputs, first with inputs `random:0`: the run was stopped after";
    assert!(ran.out.contains("limit: both kernels were stopped on ") && ran.out.contains(small), "{}", ran.out);
    assert!(ran.err.contains("the old kernel ran longer than 0.2 s"), "{}", ran.err);
    assert!(ran.err.contains("the new kernel was not run, and may take as long"), "{}", ran.err);
}
