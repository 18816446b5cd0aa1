//! A check that may fail, and work that depends on it. Each program has exactly one such check, which fails for some
//! sizes and holds for others, so every run must report the same failure. The first two choices of a program are its
//! check and its work, so that all pairs can be tried.

use crate::program::len::{Base, Len};
use crate::program::ty::{BOOL, INT};
use crate::program::{Maker, Place};

/// Expressions with an assumption on the hidden length of the array `H`; their results are arrays of numbers.
pub const CHECKS: &[&str] = &[
    "(tail H)",
    "(drop #3 H)",
    "(take #2 H)",
    "(join (split #4 H))",
    "(map sumi (slide #3 #1 H))",
    "(let h H (: h (array-type int 4)))",
    "(let h H (: h (array-type int N)))",
    "(iterate #1 (take #3) H)",
    "(iterate #2 tail H)",
    "(iterateWhile (lambda (s) (> (length s) 1)) (lambda (s) (filter (lambda (x) true) (drop #3 s))) H)",
    "(iterate 2 (lambda (s) (concat s (tail (filter (lambda (x) true) s)))) H)",
    "(fill #3 (head H))",
    "(fill #3 (last H))",
    "(fill #2 (aref H 1))",
    "(map (lambda (x) (aref xs (+ x 100000))) H)",
    "(map (lambda (x) (/ 7 (- x x))) H)",
    "(let h H (iota (- (length h) 3)))",
    "(asScalar (asVector #4 H))",
    "(reverse (drop #1 (reverse H)))",
    "(join (filter (lambda (r) (> (head r) 0)) (split #2 H)))",
    "(slice #1 #2 H)",
    "(init H)",
    "(stride #2 H)",
    "(partRed #2 0 + H)",
    "(pad #1 #1 clamp H)",
    "(let h H (map sumi (partition #2 (caseSplit #(- (length h) 2) 2) h)))",
    "(let h H (iota #(- (length h) 3)))",
    "(let h H (iota #(/ (length h) 2)))",
    "(let h H (iota #(mod 7 (length h))))",
    "(map (lambda (x) (mod 7 (- x x))) H)",
    "(let h H (generate (- (length h) 3) (+ 1)))",
    "(let h H (fill (- (length h) 3) 7))",
    "(let h H (fill #3 (iterate 2 (lambda (s) (/ s (mod (length h) 2))) 7)))",
    "(let h H (iterate #2 (lambda (v) (map (lambda (p) (+ (get1 p) (aref h 2))) (zip v h))) h))",
];

/// Uses of the resulting array `G` that never fail.
pub const WORK: &[&str] = &[
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
    "(iterate (bitand k 3) (map F) G)",
    "(let g G (iterate #2 (lambda (v) (map (lambda (p) (- (get1 p) (get2 p))) (zip (reverse v) g))) g))",
    "(let g G (iterate (bitand k 3) (lambda (s) (tuple (+ (get1 s) 1) (scan 0 + (get2 s)))) (tuple 0 g)))",
    "(let g G (map (lambda (x) (iterate #2 (lambda (y) (+ y (length g))) x)) g))",
    "(lsearch (lambda (x) (- x 3)) G)",
    "(reduceWhileSeq (lambda (s) (< s 50)) 0 + G)",
    "(scatter (lambda (i) i) G)",
    "(mapSeq F G)",
];

impl Maker<'_> {
    pub(in crate::program) fn check_and_work(&mut self) -> (&'static str, &'static str) {
        (self.choices.of(CHECKS), self.choices.of(WORK))
    }

    pub(in crate::program) fn failing(&mut self) -> String {
        let (check, work) = self.failing;
        let place = self.choices.below(6);
        let rows = place >= 4;
        let keep = match self.choices.below(4) {
            0 => "(lambda (x) (> x 2))".to_owned(),
            1 => "(lambda (x) (< x 100000))".to_owned(),
            _ => self.function(&INT, &BOOL, 1),
        };
        let from = if rows { "r".to_owned() } else { self.array(&INT, &Len::of(Base::N), 1, Place::Top) };
        let check = check.replace('H', &format!("(filter {keep} {from})"));
        let function = self.choices.of(&["(+ 1)", "neg", "(lambda (x) (* x x))", "(lambda (x) (bitand x 7))"]);
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
