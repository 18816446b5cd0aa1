//! `lift laws`: the built-in laws, those of a program, false ones, and what is no law.

use crate::programs::Bench;

const OWN: &str = "\
;;; Doubling twice.
;;; forwards: Double once
(define (twice-twice (xs (array-type int n)))
  (tuple (map (lambda (x) (* 2 x)) (map (lambda (x) (* 2 x)) xs)) (map (lambda (x) (* 4 x)) xs)))
";

#[test]
fn laws_of_a_program_are_listed_and_tested() {
    let bench = Bench::new(&[("own.lift", OWN)]);
    let out = bench.fine(&["laws", "own.lift", "--device", "interpreter", "--try", "2"]);
    assert!(out.contains("twice-twice\n"), "{out}");
    assert!(out.contains("  = (map (lambda (x) (* 4 x)) xs)\n    equal on "), "{out}");
}

#[test]
fn a_false_law_is_refuted() {
    let bench = Bench::new(&[("false.lift", &OWN.replace("(* 4 x)", "(* 3 x)"))]);
    let ran = bench.lift(&["laws", "false.lift", "--device", "interpreter"]);
    assert_eq!(ran.status, Some(1));
    assert!(ran.out.contains("WRONG with N0 = "), "{}", ran.out);
}

#[test]
fn what_is_no_law_is_told() {
    let text = ";;; forwards: Double\n(define (double (xs (array-type int n))) (tuple xs (drop 1 xs)))\n";
    let bench = Bench::new(&[("none.lift", text), ("empty.lift", "(define (f x) x)\n")]);
    let out = bench.wrong(&["laws", "none.lift"]);
    assert!(out.contains("none.lift:1: `double` is no law: the sides have different types"), "{out}");
    assert!(bench.wrong(&["laws", "empty.lift"]).contains("has no such law"));
}
