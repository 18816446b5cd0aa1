//! Towers: each step uses the previous one, usually twice, so its meaning doubles if a pass expands it. Types,
//! functions of functions, arrays, lengths, nested hidden lengths.
//!
//! In a step's template, `@` stands for the previous step, `$` for any earlier one and `%` for a small number.

use crate::choices::Random;

/// Steps on any value: types and functions.
const ANY: &[&str] = &[
    "(tuple @ @)",
    "(tuple @ $)",
    "(tuple @ (tuple $ @))",
    "(lambda (x) @)",
    "(lambda (x) (tuple x @))",
    "(lambda (x) (@ (@ x)))",
    "(lambda (x) (tuple (@ x) (@ x)))",
    "(lambda (x y) (@ y x))",
    "(@ @)",
    "(@ $)",
    "(@ $ $)",
    "(lambda (x) (x x))",
    "(lambda (h) (h @ @))",
    "(o @ @)",
    "(o @ $ @)",
    "(get1 @)",
    "(get2 @)",
    "(let y @ (tuple y y))",
    "(let y (lambda (z) @) (y (y 1)))",
    "(if true @ $)",
    "(if true (tuple @ @) $)",
    "(map @ $)",
    "(map (lambda (x) (@ x)) $)",
    "(zip @ @)",
    "(zip @ $)",
    "(: @ int)",
    "(fill #% @)",
    "(generate #% (lambda (i) @))",
    "(pack @)",
    "(unpack y @ (tuple y y))",
    "(= (tuple @ @) $)",
];

/// Steps from an array of Ints to an array of Ints.
const ARRAYS: &[&str] = &[
    "(filter (lambda (x) (> x %)) @)",
    "(filter (lambda (x) (> x (length $))) @)",
    "(map (lambda (x) (+ x %)) (filter (lambda (x) (> x %)) @))",
    "(map (lambda (x) (* x x)) @)",
    "(map (lambda (x) (+ x (aref $ x))) @)",
    "(map (lambda (x) (reduceSeq x + $)) @)",
    "(map (lambda (x) (reduceSeq 0 + (map (lambda (y) (* x y)) $))) @)",
    "(map (lambda (p) (+ (get1 p) (get2 p))) (zip @ @))",
    "(map (lambda (p) (get1 p)) (zip @ $))",
    "(concat @ @)",
    "(concat @ $)",
    "(concat @ (filter (lambda (x) (< x %)) @))",
    "(concat (reverse @) (pad #% #1 mirror @))",
    "(join (split #% @))",
    "(join (split #N @))",
    "(join (transpose (split #% @)))",
    "(join (slide #3 #1 @))",
    "(join (slide #3 #1 (pad #1 #1 clamp @)))",
    "(map (lambda (w) (head (reduceSeq 0 + w))) (slide #3 #1 @))",
    "(join (map (lambda (r) (scanSeq 0 + r)) (split #4 @)))",
    "(reverse @)",
    "(gather (lambda (i) (mod (+ i %) (length $))) @)",
    "(pad #% #N wrap @)",
    "(pad #(* % N) #(length @) clamp @)",
    "(take #% @)",
    "(drop #% @)",
    "(tail @)",
    "(scan % + @)",
    "(sort (lambda (x y) (< x y)) @)",
    "(reduce % + @)",
    "(partRed #% 0 + @)",
    "(if (> (length @) %) @ $)",
    "(if (> (aref @ %) 0) (filter (lambda (x) (> x %)) @) (concat @ $))",
    "(if (> (length $) %) (reverse @) (filter (lambda (x) (< x %)) $))",
    "(unpack (Y y) (filter (lambda (x) (> x %)) @) (concat y y))",
    "(unpack y (filter (lambda (x) (> x %)) @) (pack (map (lambda (x) (+ x 1)) y)))",
    "(pack @)",
    "(let y @ (concat y (filter (lambda (x) (> x (length y))) y)))",
    "((lambda (y) (map (lambda (p) (+ (get1 p) (get2 p))) (zip y y))) @)",
    "(iterate #% (lambda (y) (map (lambda (x) (+ x 1)) y)) @)",
    "(iterate #% (lambda (y) (map (lambda (r) (head (reduceSeq 0 + r))) (split #2 y))) @)",
    "(iterate #% (lambda (y) (concat y y)) @)",
    "(: @ (array-type int N))",
    "(: @ (array-type int (+ % (* % N))))",
    "(: @ (array-type int (length $)))",
    "(: @ (exists (Z) (array-type int Z)))",
    "(iota (reduceSeq-of @))",
    "(iota #(length @))",
    "(generate #(length @) (lambda (i) (aref @ i)))",
    "(generate #% (lambda (i) (aref @ (+ i (length $)))))",
    "(join (generate #4 (lambda (i) (take #i @))))",
    "(join (partition #3 (lambda (i) (+ i %)) @))",
    "(join (partition #2 (caseSplit % (- (length @) %)) @))",
    "(asScalar (asVector #4 @))",
    "(mapGlb (lambda (x) (+ x 1)) @)",
    "(join (mapWrg (lambda (r) (mapLcl (lambda (x) (+ x 1)) r)) (split #% @)))",
    "(toGlobal (map (lambda (x) (+ x 1))) @)",
    "(map (lambda (r) (length r)) (map (lambda (x) (filter (lambda (y) (> y x)) $)) @))",
];

/// Steps from an Int to an Int.
const NUMBERS: &[&str] = &[
    "(+ @ @)",
    "(* @ (+ @ $))",
    "(if (> @ %) (+ @ 1) (* $ @))",
    "(if (and (> @ 0) (< $ @)) @ (- 0 @))",
    "(/ @ (+ 1 (mod $ 7)))",
    "(let y (* @ @) (- y $))",
    "((lambda (y) (+ y y)) @)",
    "(get1 (tuple @ $))",
    "(aref xs @)",
    "(head (reduceSeq @ + xs))",
    "(head (reduceSeq 0 (lambda (a x) (+ a (* x @))) xs))",
    "(iterateWhile (lambda (y) (< y @)) (lambda (y) (+ y $)) @)",
    "(length (filter (lambda (x) (> x @)) xs))",
    "(length (iota @))",
    "#(* 2 N)",
    "(min @ (max $ %))",
];

/// Steps from a function of Ints to another.
const FUNCTIONS: &[&str] = &[
    "(lambda (x) (@ (@ x)))",
    "(lambda (x) (+ (@ x) ($ x)))",
    "(o @ @)",
    "(o @ $ @)",
    "(twice @)",
    "(twice twice @)",
    "(lambda (x) (if (> x %) (@ x) ($ (@ x))))",
    "(let f @ (lambda (x) (f (f x))))",
];

/// Limit on the size of the text, in bytes.
const MOST_BYTES: usize = 12_000;

fn filled(random: &mut Random, step: &str, names: &[String]) -> String {
    let mut out = String::new();
    for c in step.chars() {
        match c {
            '@' => out += names.last().map_or("xs", String::as_str),
            '$' => out += names.get(random.below(names.len())).map_or("xs", String::as_str),
            '%' => out += &random.below(9).to_string(),
            c => out.push(c),
        }
    }
    // Converts an array to a number, for `iota`.
    out.replace("reduceSeq-of", "(lambda (y) (head (reduceSeq 0 + y)))")
}

/// Returns the steps of a tower: all the same, or drawn from a few.
fn steps(random: &mut Random, of: &'static [&'static str]) -> Vec<&'static str> {
    let kinds = *random.of(&[1, 1, 2, 4, of.len()]);
    (0..kinds).map(|_| *random.of(of)).collect()
}

pub fn tower(random: &mut Random) -> String {
    let kind = random.below(6);
    let of = [ANY, ANY, ARRAYS, ARRAYS, NUMBERS, FUNCTIONS][kind];
    let steps = steps(random, of);
    let height = *random.of(&[3, 6, 10, 20, 40, 100, 200]);
    let (first, last) = match kind {
        0 | 1 => (*random.of(&["1", "xs", "(lambda (x) x)", "(lambda (x) (tuple x x))", "id", "f", "(array 1)"]), "@"),
        2 | 3 => (
            "xs",
            *random.of(&["@", "@", "(tuple @ @)", "(tuple @ $ $)", "(map (lambda (x) (+ x 1)) @)", "(length @)"]),
        ),
        4 => ("x", "@"),
        _ => ("(lambda (x) (+ x 1))", "(map @ xs)"),
    };
    let body = match random.below(4) {
        0 | 1 => lets(random, &steps, height, first, last),
        2 => nested(random, &steps, height, first, last),
        _ => applied(random, &steps, height, first, last),
    };
    match (kind, random.below(3)) {
        (0 | 1, 0) => format!("(define (g f xs) {body})"),
        (0 | 1, 1) => format!("(define g {body})"),
        (2 | 3, 0) => definitions(random, &steps, height),
        (4, _) => format!("(lift g (N) ((array-type int N)) (lambda (xs) (map (lambda (x) {body}) xs)))"),
        (5, _) => {
            format!("(define (twice f) (lambda (x) (f (f x))))\n(lift g (N) ((array-type int N)) (lambda (xs) {body}))")
        }
        _ => format!("(lift g (N) ((array-type int N)) (lambda (xs) {body}))"),
    }
}

/// `(let v1 … (let v2 … …))`.
fn lets(random: &mut Random, steps: &[&str], height: usize, first: &str, last: &str) -> String {
    let mut names = vec!["v0".to_owned()];
    let mut out = format!("(let v0 {first} ");
    for i in 1..=height {
        let step = *random.of(steps);
        out += &format!("(let v{i} {} ", filled(random, step, &names));
        names.push(format!("v{i}"));
        if out.len() > MOST_BYTES {
            break;
        }
    }
    out + &filled(random, last, &names) + &")".repeat(names.len())
}

/// Nested steps: the text contains the previous step wherever it is used.
fn nested(random: &mut Random, steps: &[&str], height: usize, first: &str, last: &str) -> String {
    let mut all = vec![first.to_owned()];
    for _ in 0..height {
        let step = *random.of(steps);
        let next = filled(random, step, &all);
        if next.len() > MOST_BYTES {
            break;
        }
        all.push(next);
    }
    filled(random, last, &all)
}

/// `((lambda (v1) ((lambda (v2) …) …)) …)`.
fn applied(random: &mut Random, steps: &[&str], height: usize, first: &str, last: &str) -> String {
    let mut names = vec!["v0".to_owned()];
    let mut values = vec![first.to_owned()];
    let mut length = 0;
    for i in 1..=height {
        let step = *random.of(steps);
        let value = filled(random, step, &names);
        length += value.len() + 20;
        if length > MOST_BYTES {
            break;
        }
        values.push(value);
        names.push(format!("v{i}"));
    }
    let mut out = filled(random, last, &names);
    for (name, value) in names.iter().zip(&values).rev() {
        out = format!("((lambda ({name}) {out}) {value})");
    }
    out
}

/// Definitions, each of which uses the previous ones.
fn definitions(random: &mut Random, steps: &[&str], height: usize) -> String {
    let mut out = String::from("(define (d0 xs N) (map (lambda (x) (+ x 1)) xs))\n");
    let twice = random.one_in(2);
    let mut top = 0;
    for i in 1..=height {
        let step = *random.of(steps);
        let uses = [format!("(d{} xs N)", random.below(i)), format!("(d{} xs N)", i - 1)];
        let body = match twice {
            true => format!("(d{} {} N)", i - 1, filled(random, step, &uses)),
            false => filled(random, step, &uses),
        };
        out += &format!("(define (d{i} xs N) {body})\n");
        top = i;
        if out.len() > MOST_BYTES {
            break;
        }
    }
    let n = random.below(9);
    out + &format!("(lift g (N) ((array-type int N)) (lambda (xs) (d{top} xs {n})))\n")
}
