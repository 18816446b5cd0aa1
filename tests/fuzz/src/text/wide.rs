//! Texts with many parts of one kind: arguments, parameters, definitions, errors, characters of a name, lines of a
//! comment.

use crate::choices::Random;

pub fn much(random: &mut Random) -> String {
    match random.below(6) {
        0 | 1 => one_form(random),
        2 | 3 => many_forms(random),
        4 => many_mistakes(random),
        _ => long_words(random),
    }
}

/// A repetition count that keeps the text below 60,000 bytes.
fn count(random: &mut Random, bytes_each: usize) -> usize {
    (*random.of(&[10, 100, 300, 1000, 3000, 10_000])).min(60_000 / bytes_each.max(1))
}

/// One form with very many parts.
fn one_form(random: &mut Random) -> String {
    const FORMS: &[(&str, &str, &str)] = &[
        ("(define (g f x) (f ", "x ", "))"),
        ("(define (g f x) (f ", "(f x) ", "))"),
        ("(define (g f x) ", "(f ", "x"),
        ("(define (g x) (tuple ", "x ", "))"),
        ("(define (g x) (tuple ", "(tuple x x) ", "))"),
        ("(define (g x) (tuple ", "(lambda (y) x) ", "))"),
        ("(define (g x) (get1 (tuple ", "x ", ")))"),
        ("(lift g (N) ((array-type int N)) (lambda (xs) (zip ", "xs ", ")))"),
        ("(lift g (N) ((array-type int N)) (lambda (xs) (zip ", "(filter (lambda (x) (> x 1)) xs) ", ")))"),
        ("(lift g (N) ((array-type int N)) (lambda (xs) (map (lambda (x) (+ x ", "1 ", ")) xs)))"),
        ("(lift g (N) ((array-type int N)) (lambda (xs) (concat ", "xs ", ")))"),
        ("(lift g (N) ((array-type int N)) (lambda (xs) ((o ", "(map (lambda (x) (+ x 1))) ", ") xs)))"),
        ("(lift g (N) ((array-type int N)) (lambda (xs) ((o ", "(filter (lambda (x) (> x 1))) ", ") xs)))"),
        ("(lift g (N) ((array-type int N)) (lambda (xs) ((o ", "reverse join (split #2) ", ") xs)))"),
        ("(lift g (N) ((array-type int N)) (lambda (xs) (tuple ", "(map (lambda (x) (+ x 1)) xs) ", ")))"),
        ("(lift g (N) ((array-type int (+ ", "N ", "))) (lambda (xs) (join (split #2 xs))))"),
        ("(lift g (N) ((array-type int (* ", "N ", "))) (lambda (xs) (join (split #2 xs))))"),
        ("(lift g (N) ((array-type int (min ", "N ", "))) (lambda (xs) (join (split #2 xs))))"),
        ("(lift g (N) (", "(array-type int N) ", ") (lambda (xs) xs))"),
        ("(lift g (N) ((tuple-type int ", "(array-type int N) ", ")) (lambda (xs) xs))"),
        ("(define (g (x (-> ", "int ", "))) (x 1))"),
        ("(define (g (x (tuple-type ", "int ", "))) (+ x 1))"),
        ("(define (g x) (caseSplit ", "1 ", "))"),
        ("(define (g x) (let f (lambda (a b c d) (tuple a b c d)) (tuple ", "(f f f f f) ", ")))"),
        ("(define (g x) (let f (lambda (a) (tuple a x)) (tuple ", "(f (f x)) ", ")))"),
        ("(define g ", "(lambda (x) ", "x"),
        ("(define g (o ", "id ", "))"),
        ("(lift g (", "N ", ") (int) (lambda (x) x))"),
        ("(define (g x) #(+ ", "1 ", "))"),
        ("(import ", "\"a.lift\" ", ")"),
    ];
    let (before, each, after) = *random.of(FORMS);
    let n = count(random, each.len());
    let closers = each.matches('(').count() - each.matches(')').count();
    let closing = match closers {
        0 => "",
        _ => ")",
    };
    let numbered = random.one_in(4) && before.starts_with("(define (g f x)");
    let parts: String = (0..n).map(|i| if numbered { format!("(f {i}) ") } else { each.to_owned() }).collect();
    match random.below(8) {
        0 => {
            let params: String = (0..n.min(8000)).map(|i| format!("x{i} ")).collect();
            let uses = if random.one_in(2) { params.clone() } else { "x1 ".repeat(n.min(8000)) };
            format!(
                "(define (g {params}) {})\n(define (h x) (g {uses}))",
                random.of(&["x0", "(x0 x1)", "(tuple x0 x1)"])
            )
        }
        _ => format!("{before}{parts}{after}{}", closing.repeat(n + 1)),
    }
}

/// Very many short definitions: with one name, independent, in chains, in cycles, or each using all.
fn many_forms(random: &mut Random) -> String {
    let n = count(random, 30);
    let kind = random.below(10);
    let mut out = String::new();
    for i in 0..n {
        let before = i.saturating_sub(1);
        out += &match kind {
            0 => format!("(define (d{i} x) x)\n"),
            1 => format!("(define (d x) (d{i} x))\n"),
            2 => format!("(define (d{i} x) (d{} x))\n", (i + 1) % n),
            3 => format!("(define (d{i} x) (d{} (d{} x)))\n", random.below(n), random.below(n)),
            4 => format!("(define (d{i} x) (tuple (d{before} x) (d{before} x)))\n"),
            5 => format!("(define d{i} (tuple d{before} d{before}))\n"),
            6 => format!("(lift k{i} (N) ((array-type int N)) (lambda (xs) (filter (lambda (x) (> x {i})) xs)))\n"),
            7 => format!("(import \"f{i}.lift\")\n"),
            8 if i < 60 => {
                let uses: String = (0..n.min(60)).map(|j| format!("(d{j} x) ")).collect();
                format!("(define (d{i} x) (tuple {uses}))\n")
            }
            8 => String::new(),
            _ => format!("(define (d{i} f xs) (map (lambda (x) (d{before} f (f x))) xs))\n"),
        };
    }
    out
}

/// Many errors, some about types that are long when printed.
fn many_mistakes(random: &mut Random) -> String {
    let mut ty = "int".to_owned();
    for _ in 0..random.below(9) {
        ty = match random.below(3) {
            0 => format!("(tuple-type {ty} {ty})"),
            1 => format!("(-> {ty} {ty})"),
            _ => format!("(array-type {ty} N)"),
        };
    }
    let mistake = *random.of(&[
        "(h (tuple x 1)) ",
        "(h h) ",
        "(h 1) ",
        "(+ h x) ",
        "(zip (y 1) (h x)) ",
        "(zip (filter h x) (filter x x)) ",
        "(h (lambda (q) (q h))) ",
        "(unknown x) ",
        "(if x h x) ",
        "(: h int) ",
        "(let u h 1) ",
        "(map h h) ",
        "(x x) ",
        "(unpack z h h) ",
        "(pack h) ",
        "(split #0 x) ",
        ") ",
        "( ",
        "\" ",
    ]);
    let n = count(random, mistake.len());
    match random.below(3) {
        0 => format!("(define (h (x {ty})) x)\n(define (g x y) (tuple {}))", mistake.repeat(n)),
        1 => {
            let forms: String = (0..n.min(1500)).map(|i| format!("(define (d{i} x y) {mistake})\n")).collect();
            format!("(define (h (x {ty})) x)\n{forms}")
        }
        _ => format!("(lift g (N) ({ty}) (lambda (h) (let x 1 (let y h (tuple {})))))", mistake.repeat(n)),
    }
}

/// Words, numbers and comments of thousands of characters.
fn long_words(random: &mut Random) -> String {
    let word =
        *random.of(&["x", "é", "𝒳", "λ", "'", "->", "0", "9", "-", ".", "\u{301}", "\u{202e}", "\u{200d}", "#", "e9"]);
    let long = word.repeat(count(random, word.len()));
    match random.below(12) {
        0 => format!("(define ({long} x) x)\n(define (g x) ({long} ({long} x)))"),
        1 => format!("(define (g {long}) (+ {long} {long}1))"),
        2 => format!("(define g {long})"),
        3 => format!("(define g 1{long}.{long}f)"),
        4 => format!("(define g 1e{long})"),
        5 => format!("(lift g ({long}) ((array-type int {long})) (lambda (xs) (join (split #{long} xs))))"),
        6 => format!("(lift g (N) ((array-type int 9{long})) (lambda (xs) (concat xs xs)))"),
        7 => format!(";;; {long}\n(define (g x) x) ; {long}\n;{long}"),
        8 => ";;; a\n".repeat(long.len().min(10_000)) + "(define (g x) x)",
        9 => format!("(define (g x) (tuple {}))", "x ; c\n\n".repeat(long.len().min(5000))),
        10 => format!("(define (g x){}x)", "\r\n\t ".repeat(long.len().min(10_000))),
        _ => format!("(import \"{long}\")\n(import \"../{long}.lift\")\n(define g \"{long}\")"),
    }
}
