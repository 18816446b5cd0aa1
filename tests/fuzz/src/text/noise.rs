//! Unstructured texts: bytes, random tokens, half-typed programs, deeply nested brackets.

use crate::choices::Random;
use lift_tests::files;
use std::sync::OnceLock;

pub fn bytes(random: &mut Random) -> String {
    let len = random.below(400);
    let bytes: Vec<u8> = match random.below(2) {
        0 => (0..len).map(|_| random.number() as u8).collect(),
        _ => (0..len).map(|_| *random.of(b"()[];;#\"\\ \r\n\t0123.-+eLfxyz\xc3\xa9\xf0\x9d\x92\xb3\0\x7f")).collect(),
    };
    String::from_utf8_lossy(&bytes).into_owned()
}

const TOKENS: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "(",
    ")",
    "define",
    "lift",
    "lambda",
    "let",
    "if",
    "unpack",
    "pack",
    "tuple",
    ":",
    "o",
    "import",
    "map",
    "filter",
    "zip",
    "join",
    "split",
    "#4",
    "#N",
    "#(",
    "N",
    "M",
    "x",
    "f",
    "xs",
    "->",
    "array-type",
    "exists",
    "int",
    "float",
    "tuple-type",
    "vector-type",
    "+",
    "*",
    "-",
    "/",
    "1",
    "0.5f",
    "-3L",
    "99999999999999999999",
    "true",
    "-inf",
    "nanf",
    "\"s\"",
    "; c\n",
    ";;; doc\n",
    "length",
    "reduce",
    "iterate",
    "slide",
    "sum",
    "pow",
    "min",
    "(i)",
    "é",
    "𝒳",
    "\r\n",
];

pub fn soup(random: &mut Random) -> String {
    let space = if random.one_in(4) { "" } else { " " };
    (0..random.below(150)).map(|_| format!("{}{space}", random.of(TOKENS))).collect()
}

/// Returns the programs of examples and tests.
fn real() -> &'static [String] {
    static REAL: OnceLock<Vec<String>> = OnceLock::new();
    REAL.get_or_init(|| {
        let folders = ["examples", "tests/programs", "tests/primitives"];
        let files = folders.iter().flat_map(|folder| files::below(&files::root().join(folder), ".lift"));
        files.map(|file| files::read(&file)).filter(|text| text.len() < 6000).collect()
    })
}

/// A real program with parts deleted, duplicated, moved or inserted.
pub fn half_typed(random: &mut Random) -> String {
    let programs = real();
    let mut text = random.of(programs).clone();
    for _ in 0..1 + random.below(6) {
        let place = |random: &mut Random, text: &str| {
            let at = random.below(text.len() + 1);
            (at..=text.len()).find(|i| text.is_char_boundary(*i)).unwrap_or(text.len())
        };
        let (a, b) = (place(random, &text), place(random, &text));
        let (from, to) = (a.min(b), a.max(b));
        let near = (from + 30).min(to);
        let near = (near..=text.len()).find(|i| text.is_char_boundary(*i)).unwrap_or(text.len());
        match random.below(5) {
            0 => text.replace_range(from..near, ""),
            1 => text.insert_str(from, random.of::<&str>(TOKENS)),
            2 => {
                let piece = text[from..near].to_owned();
                text.insert_str(place(random, &text.clone()), &piece);
            }
            3 => {
                let other = random.of(programs).clone();
                let start = place(random, &other);
                let end = (start + 40).min(other.len());
                let end = (end..=other.len()).find(|i| other.is_char_boundary(*i)).unwrap_or(other.len());
                text.insert_str(from, &other[start..end]);
            }
            _ => text.truncate(to),
        }
    }
    text
}

pub fn nested(random: &mut Random) -> String {
    const OPENERS: &[(&str, &str)] = &[
        ("(", ")"),
        ("[", "]"),
        ("(map (lambda (x) ", ") xs)"),
        ("(let x 1 ", ")"),
        ("(if c ", " 0)"),
        ("(+ 1 ", ")"),
        ("(: ", " int)"),
        ("(lambda (f) ", ")"),
        ("(f (f ", "))"),
        ("(unpack (X v) (filter p xs) ", ")"),
        ("(tuple 1 ", ")"),
        ("#(+ 1 ", ")"),
        ("(o id ", ")"),
        ("(split #2 ", ")"),
    ];
    let depth = *random.of(&[50, 200, 1000, 5000]);
    let (open, close) = *random.of(OPENERS);
    let closers = if random.one_in(3) { random.below(depth + 1) } else { depth };
    let body = format!("{}1{}", open.repeat(depth), close.repeat(closers));
    match random.below(4) {
        0 => body,
        1 => format!("(define (g c p f xs) {body})"),
        2 => {
            let ty = format!("{}int{}", "(array-type ".repeat(depth), " N)".repeat(closers));
            format!("(lift g (N) ({ty}) (lambda (xs) xs))")
        }
        _ => format!("(lift g (N) ((array-type int N) bool) (lambda (xs c) {body}))"),
    }
}
