//! A check that may fail, and code that depends on it. Each program has exactly one such check, which fails for some
//! sizes and holds for others, so every run must report the same failure.

use crate::program::len::{Base, Len};
use crate::program::ty::{BOOL, INT};
use crate::program::{Maker, Place};

/// Expressions with an assumption on the hidden length of the array `H`; their results are arrays of numbers.
const CHECKS: &[&str] = &[
    "(tail H)",
    "(drop #3 H)",
    "(take #2 H)",
    "(join (split #4 H))",
    "(map sumi (slide #3 #1 H))",
    "(let h H (: h (array-type int 4)))",
    "(let h H (: h (array-type int N)))",
    "(iterate #1 (take #3) H)",
    "(iterate #2 tail H)",
    "(fill #3 (head H))",
    "(fill #3 (last H))",
    "(fill #2 (aref H 1))",
    "(map (lambda (x) (aref xs (+ x 100000))) H)",
    "(map (lambda (x) (/ 7 (- x x))) H)",
    "(let h H (iota (- (length h) 3)))",
    "(asScalar (asVector #4 H))",
    "(reverse (drop #1 (reverse H)))",
    "(join (filter (lambda (r) (> (head r) 0)) (split #2 H)))",
];

/// Uses of the resulting array `G` that never fail.
const WORK: &[&str] = &[
    "G",
    "(map F G)",
    "(sort < G)",
    "(reverse G)",
    "(filter P G)",
    "(scan 0 + (map F G))",
    "(reduce 0 + G)",
    "(reduceSeq 1 - (map F G))",
    "(let g G (concat g g))",
    "(let g G (tuple (map F g) (sort > g)))",
    "(let g G (zip g (reverse g)))",
    "(let g G (map (lambda (x) (sumi (map (+ x) g))) (iota #3)))",
    "(let g G (transpose (map (lambda (x) (map (- x) g)) (iota #2))))",
    "(iterate #2 (map F) G)",
    "(iterateWhile (lambda (s) (< (sumi s) -100000)) (map F) G)",
    "(let s (sort < (map F G)) (filter P (scanExcl 0 + s)))",
    "(argsort (lambda (a b) (< (F a) (F b))) G)",
    "(let g (filter P G) (map (lambda (x) (filter (< x) g)) (iota #5)))",
    "(map (lambda (x) (any (= x) G)) (iota #4))",
];

impl Maker<'_> {
    pub(in crate::program) fn failing(&mut self) -> String {
        let place = self.choices.below(6);
        let rows = place >= 4;
        let keep = match self.choices.below(4) {
            0 => "(lambda (x) (> x 2))".to_owned(),
            1 => "(lambda (x) (< x 100000))".to_owned(),
            _ => self.function(&INT, &BOOL, 1),
        };
        let from = if rows { "r".to_owned() } else { self.array(&INT, &Len::of(Base::N), 1, Place::Top) };
        let check = self.choices.of(CHECKS).replace('H', &format!("(filter {keep} {from})"));
        let function = self.choices.of(&["(+ 1)", "neg", "(lambda (x) (* x x))", "(lambda (x) (bitand x 7))"]);
        let work = self.choices.of(WORK);
        let work = work.replace('F', function).replace('P', "(lambda (x) (> (bitand x 3) 0))").replace('G', &check);
        match place {
            1 => format!("(let done {work} (tuple (map (+ 1) xs) done))"),
            2 => format!("(let before (sort < xs) (tuple before {work}))"),
            3 => format!("(if (> N 1) (tuple {work} {work}) (tuple {work} {work}))"),
            4 => format!("(map (lambda (r) {work}) rows)"),
            5 => format!("(let all (map (lambda (r) {work}) rows) (tuple (reverse (sort < xs)) all))"),
            _ => work,
        }
    }
}
