//! Many hidden lengths, assumptions and size names: opening and hiding in deep scopes, nested joins of branches, rows
//! of different lengths, contradictory divisions.

use super::sizes::size;
use crate::choices::Random;

pub fn lengths(random: &mut Random) -> String {
    let n = *random.of(&[2, 4, 8, 16, 40, 100]);
    match random.below(14) {
        0 => branches(random),
        1 => kept_in_a_tuple(random, n),
        2 => unpacks(random, n),
        3 => maps_in_maps(random, n.min(40)),
        4 => filters_in_filters(random, n),
        5 => triangles(random, n.min(40)),
        6 => sums(random, n.min(16)),
        7 => splits(random, n),
        8 => casts(random, n),
        9 => size_names(random, n),
        10 => written_hiding(random, n),
        11 => pieces(random, n),
        12 => windows(random, n.min(40)),
        _ => products(random, n),
    }
}

fn kernel(sizes: &str, types: &str, function: &str) -> String {
    format!("(lift g ({sizes}) ({types}) {function})")
}

fn of_xs(body: &str) -> String {
    kernel("N", "(array-type int N)", &format!("(lambda (xs) {body})"))
}

fn kept(i: usize) -> String {
    format!("(filter (lambda (x) (> x {i})) xs)")
}

fn all(n: usize, part: impl FnMut(usize) -> String) -> String {
    (0..n).map(part).collect::<Vec<_>>().join(" ")
}

/// A tree of `if`s whose leaves, or their components, have different lengths.
fn branches(random: &mut Random) -> String {
    fn tree(random: &mut Random, depth: usize, parts: usize) -> String {
        if depth == 0 || random.one_in(12) {
            let leaf = |random: &mut Random| match random.below(6) {
                0 => "xs".to_owned(),
                1 => "(concat xs xs)".to_owned(),
                2 => format!("(take #{} xs)", random.below(5)),
                _ => kept(random.below(1000)),
            };
            return match parts {
                1 => leaf(random),
                _ => format!("(tuple {})", all(parts, |_| leaf(random))),
            };
        }
        let (a, b) = (tree(random, depth - 1, parts), tree(random, depth - 1, parts));
        format!("(if (> (length xs) {}) {a} {b})", random.below(100))
    }
    let parts = *random.of(&[1, 1, 2, 5]);
    let depth = 2 + random.below(if parts == 1 { 7 } else { 4 });
    of_xs(&tree(random, depth, parts))
}

/// Many named values of hidden length, all used in the result.
fn kept_in_a_tuple(random: &mut Random, n: usize) -> String {
    let mut out = String::new();
    for i in 0..n {
        out += &format!("(let v{i} {} ", kept(i));
    }
    let last = match random.below(4) {
        0 => format!("(tuple {})", all(n, |i| format!("v{i}"))),
        1 => format!("(zip {})", all(n, |_| format!("v{}", random.below(2)))),
        2 => (0..n).fold("xs".to_owned(), |e, i| format!("(concat v{i} {e})")),
        _ => format!(
            "(if true (tuple {}) (tuple {}))",
            all(n, |i| format!("v{i}")),
            all(n, |i| format!("v{}", n - 1 - i))
        ),
    };
    of_xs(&(out + &last + &")".repeat(n)))
}

/// Nested `unpack`s; the innermost body uses all of them.
fn unpacks(random: &mut Random, n: usize) -> String {
    let mut out = String::new();
    let named = random.one_in(2);
    let packed = random.one_in(3);
    for i in 0..n {
        let value = match i > 0 && random.one_in(2) {
            true => format!("(filter (lambda (x) (> x {i})) y{})", random.below(i)),
            false => kept(i),
        };
        let binder = if named { format!("(Y{i} y{i})") } else { format!("y{i}") };
        out += &format!("(unpack {binder} {value} {}", if packed { "(pack " } else { "" });
    }
    let last = match random.below(3) {
        0 => format!("(tuple {} xs)", all(n, |i| format!("y{i}"))),
        1 if named => format!("(: y0 (array-type int (+ {} 1)))", all(n, |i| format!("Y{i}"))),
        _ => format!("(concat y0 y{})", n - 1),
    };
    of_xs(&(out + &last + &")".repeat(if packed { 2 * n } else { n })))
}

/// Nested filters of maps, one per level of rows. In an `if`, the text doubles.
fn maps_in_maps(random: &mut Random, n: usize) -> String {
    const MOST_BYTES: usize = 12_000;
    let mut ty = "int".to_owned();
    let mut f = "(lambda (x) (+ x 1))".to_owned();
    for i in 0..n {
        if f.len() > MOST_BYTES {
            break;
        }
        ty = format!("(array-type {ty} {})", random.of(&["N", "M", "(+ N 1)", "(* N M)"]));
        f = match random.below(4) {
            0 => format!("(map {f})"),
            1 => format!("(lambda (r{i}) (filter (lambda (y) (> (length r{i}) {i})) (map {f} r{i})))"),
            2 => format!("(lambda (r{i}) (map {f} (filter (lambda (y) (> (length r{i}) {i})) r{i})))"),
            _ => format!(
                "(lambda (r{i}) (if (> (length r{i}) {i}) (map {f} r{i}) (filter (lambda (y) true) (map {f} r{i}))))"
            ),
        };
    }
    kernel("N M", &ty, &f)
}

fn filters_in_filters(random: &mut Random, n: usize) -> String {
    let mut out = "xs".to_owned();
    for i in 0..n {
        out = match random.below(5) {
            0 => format!("(map (lambda (x) (+ x 1)) {out})"),
            1 => format!("(map (lambda (p) (get1 p)) (filter (lambda (p) (> (get2 p) {i})) (let y {out} (zip y y))))"),
            2 => format!("(unzip (let y {out} (zip y y)))"),
            _ => format!("(filter (lambda (x) (> x {i})) {out})"),
        };
    }
    of_xs(&out)
}

/// Nested rows, each as long as an outer index.
fn triangles(random: &mut Random, n: usize) -> String {
    let mut ty = "int".to_owned();
    for i in 0..n {
        let len = match (i + 1 == n, random.below(4)) {
            (true, _) => "N".to_owned(),
            (_, 0) => format!("(+ 1 i{})", i + 1),
            (_, 1) => format!("(* i{} (+ N i{}))", i + 1, i + 1),
            (_, 2) => format!("(sum (k) i{} (+ k {i}))", i + 1),
            _ => format!("(min N (pow 2 i{}))", i + 1),
        };
        ty = format!("(array-type (i{i}) {ty} {len})");
    }
    let mut body = "xs".to_owned();
    for _ in 0..random.below(n) {
        body = match random.below(4) {
            0 => format!("(join {body})"),
            1 => format!("(map (lambda (r) (reverse r)) {body})"),
            2 => format!("(map join {body})"),
            _ => format!("(reverse {body})"),
        };
    }
    kernel("N", &ty, &format!("(lambda (xs) {body})"))
}

fn sums(random: &mut Random, n: usize) -> String {
    let mut s = "N".to_owned();
    for i in 0..n {
        s = match random.below(6) {
            0 => format!("(sum (i{i}) {s} (+ 1 (* i{i} N)))"),
            1 => format!("(sum (i{i}) (+ N 1) (* {s} i{i}))"),
            2 if s.len() < 2000 => format!("(sum (i{i}) {s} {s})"),
            3 => format!("(sum (i{i}) N (min i{i} {s}))"),
            4 => format!("(sum (i{i}) N (/ (* i{i} {s}) 2))"),
            _ => format!("(sum (i{i}) {s} i{i})"),
        };
    }
    let body =
        *random.of(&["xs", "(join (split #2 xs))", "(concat xs xs)", "(: xs (array-type int N))", "(drop #N xs)"]);
    kernel("N", &format!("(array-type int {s})"), &format!("(lambda (xs) {body})"))
}

/// Divisions that are exact for one number or for none.
fn splits(random: &mut Random, n: usize) -> String {
    match random.below(5) {
        0 => of_xs(&format!("(tuple {} xs)", all(n, |i| format!("(split #(+ {i} (* 2 N)) xs)")))),
        1 => of_xs(&format!("(tuple {} xs)", all(n, |i| format!("(split #{} xs)", i + 2)))),
        2 => {
            let names = all(n, |i| format!("K{i}"));
            let nest = (0..n).rev().fold("xs".to_owned(), |e, i| format!("(split #K{i} {e})"));
            kernel(&names, &format!("(array-type int (* {names} 1))"), &format!("(lambda (xs) {nest})"))
        }
        3 => of_xs(&(0..n).fold("xs".to_owned(), |e, i| format!("(join (split #{} {e}))", i + 2))),
        _ => {
            let depth = 1 + random.below(2);
            let nest =
                (0..n.min(16)).fold("xs".to_owned(), |e, _| format!("(join (split #{} {e}))", size(random, depth)));
            kernel("N M K", "(array-type int (* N M K))", &format!("(lambda (xs) {nest})"))
        }
    }
}

fn casts(random: &mut Random, n: usize) -> String {
    let mut body = "xs".to_owned();
    for i in 0..n {
        let length = match random.below(4) {
            0 => format!("K{}", random.below(7)),
            1 => format!("(+ {i} (* {i} K{}))", i % 7),
            2 => format!("(min K{} (* 2 K{}))", i % 7, i % 5),
            _ => format!("(mod (* {i} N) (+ 1 K{}))", i % 7),
        };
        body = match random.below(3) {
            0 => format!("(: (concat {body} xs) (array-type int {length}))"),
            1 => format!("(take #{} (: {body} (array-type int {length})))", random.below(9)),
            _ => format!("(: {body} (array-type int {length}))"),
        };
    }
    kernel(&format!("N {}", all(7, |i| format!("K{i}"))), "(array-type int N)", &format!("(lambda (xs) {body})"))
}

fn size_names(random: &mut Random, n: usize) -> String {
    let n = n * random.of(&[1, 4]);
    let (names, params) = (all(n, |i| format!("K{i}")), all(n, |i| format!("x{i}")));
    let types = match random.below(3) {
        0 => all(n, |i| format!("(array-type int K{i})")),
        1 => all(n, |i| format!("(array-type int (+ K{i} K{}))", (i + 1) % n)),
        _ => all(n, |i| format!("(array-type (array-type int K{i}) K{})", (i * 7 + 1) % n)),
    };
    let body = match random.below(5) {
        0 => "x0".to_owned(),
        1 => (0..n).fold("x0".to_owned(), |e, i| format!("(concat x{i} {e})")),
        2 => format!("(zip {params})"),
        3 => format!("(tuple {params})"),
        _ => format!("(fill #(+ {names}) (fill #(* {names}) 1))"),
    };
    kernel(&names, &types, &format!("(lambda ({params}) {body})"))
}

/// Types with many hidden lengths, in explicit syntax.
fn written_hiding(random: &mut Random, n: usize) -> String {
    let n = n.min(100);
    let (names, arrays) = (all(n, |i| format!("Z{i}")), all(n, |i| format!("(array-type int Z{i})")));
    let ty = match random.below(3) {
        0 => format!("(exists ({names}) (tuple-type int {arrays}))"),
        1 => (0..n).fold("int".to_owned(), |ty, i| format!("(exists (Z{i}) (array-type {ty} Z{i}))")),
        _ => (0..n).fold("int".to_owned(), |ty, i| format!("(exists (Z{i}) (tuple-type (array-type int Z{i}) {ty}))")),
    };
    match random.below(4) {
        0 => kernel("N", &ty, "(lambda (x) x)"),
        1 => kernel("N", &format!("{ty} {ty}"), "(lambda (x y) (if true x y))"),
        2 => format!("(define (h (x {ty})) (tuple x x))\n(define (g y) (h (h y)))\n(define (k y) (unpack z (h y) z))"),
        _ => format!("(define (g x) (: (: x {ty}) {ty}))\n(define (k x) (zip (g x) (g x)))"),
    }
}

/// `partition` into many rows, or into rows with long expressions as lengths.
fn pieces(random: &mut Random, n: usize) -> String {
    match random.below(3) {
        0 => of_xs(&format!("(join (partition #{n} (caseSplit {} 1) xs))", all(n, |i| format!("{}", i % 3)))),
        1 => {
            let s = (0..n).fold("1".to_owned(), |e, i| format!("(if (< i {i}) {e} (+ i {i}))"));
            of_xs(&format!("(map (lambda (r) (length r)) (partition #{n} (lambda (i) {s}) xs))"))
        }
        _ => {
            let s = (0..n.min(16)).fold("i".to_owned(), |e, i| format!("(min (* i {e}) (+ {i} (mod {e} 7)))"));
            let s = if s.len() > 8000 { "(* i (mod i 7))".to_owned() } else { s };
            of_xs(&format!("(join (partition #N (lambda (i) {s}) xs))"))
        }
    }
}

fn windows(random: &mut Random, n: usize) -> String {
    let mut body = "xs".to_owned();
    for _ in 0..n {
        let (a, b) = (1 + random.below(5), 1 + random.below(3));
        body = match random.below(5) {
            0 => format!("(slide #{a} #{b} {body})"),
            1 => format!("(pad #{a} #N clamp {body})"),
            2 => format!("(join (slide #{a} #{b} {body}))"),
            3 => format!("(map (lambda (w) (head w)) (slide #{a} #{b} {body}))"),
            _ => format!("(slide #N #{b} (pad #N #{a} mirror {body}))"),
        };
    }
    of_xs(&body)
}

/// Products of sums, and powers: many terms when expanded.
fn products(random: &mut Random, n: usize) -> String {
    let names = all(n, |i| format!("K{i}"));
    let s = match random.below(4) {
        0 => format!("(* {} 1)", all(n, |i| format!("(+ 1 K{i})"))),
        1 => format!("(pow (+ {names} 1) {})", random.of(&["2", "3", "8", "64", "1000", "K0"])),
        2 => format!("(min {} 1)", all(n, |i| format!("(* K{i} K{})", (i + 1) % n))),
        _ => (0..n).fold("1".to_owned(), |e, i| format!("(/ (* K{i} {e}) (+ K{} 1))", (i + 1) % n)),
    };
    let body =
        *random.of(&["xs", "(join (split #K0 xs))", "(join (transpose (split #K1 xs)))", "(zip xs (concat xs xs))"]);
    kernel(&names, &format!("(array-type int {s})"), &format!("(lambda (xs) {body})"))
}
