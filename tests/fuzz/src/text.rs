//! Whether any text is survived by whoever reads it: splitter, parser, formatter, checker.
//!
//! A text is bytes, a soup of tokens, a real program half typed, brackets nested deeply, or sizes built to explode. Asked
//! of each: no panic, no tree that lost a byte, layout that is stable, and an answer within [`PATIENCE`], on a thread with
//! the stack that threads usually have. `tests/fuzz/run text` runs in 4 GiB of memory.

use crate::choices::Random;
use crate::tree::reduce;
use crate::{Case, Wrong, guarded, remember};
use lift_analysis::diagnostics::Severity;
use lift_syntax::{format, parse_form, split};
use lift_tests::check::Program;
use lift_tests::files;
use std::path::Path;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// For all that is asked of one text of a few kilobytes; it is mostly done in a few milliseconds. It is time of the
/// processor, so that a machine with other work finds what an idle one finds, and more of it where nothing is optimised.
const PATIENCE: Duration = Duration::from_secs(if cfg!(debug_assertions) { 120 } else { 10 });

pub fn try_one(seed: u64) -> Case {
    let text = any_text(&mut Random::new(seed));
    match survived(&text) {
        Ok(case) => case,
        Err(why) => {
            let kind = |why: &str| why.split(':').next().map(str::to_owned);
            // One that takes too long is not tried again hundreds of times.
            let tries = if why.starts_with("too slow") { 12 } else { 400 };
            let mut wrong = |text: &str| survived(text).is_err_and(|w| kind(&w) == kind(&why));
            let smaller = reduce(&text, tries, &mut wrong);
            Case::Wrong(Wrong { program: smaller, why })
        }
    }
}

/// `Err` is what is wrong with what was made of the text.
pub fn survived(text: &str) -> Result<Case, String> {
    remember("text", text);
    let text_of_thread = text.to_owned();
    let asked = std::thread::Builder::new()
        .stack_size(2 << 20)
        .spawn(move || {
            let begun = Instant::now();
            let case = guarded(|| ask(&text_of_thread));
            (case, time_of_thread().unwrap_or(begun.elapsed()))
        })
        .map_err(|e| e.to_string())?;
    let (case, took) = asked.join().map_err(|_| "panic: in a thread".to_owned())?;
    let case = case?;
    if took > PATIENCE { Err(format!("too slow: {} s", took.as_secs())) } else { Ok(case) }
}

/// For how long this thread has had a processor, where the system says so (Linux).
fn time_of_thread() -> Option<Duration> {
    let said = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    said.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

fn ask(text: &str) -> Result<Case, String> {
    let mut end = 0;
    for form in split(text) {
        let range = std::ops::Range::<usize>::from(form.range);
        if range.start < end || range.is_empty() {
            return Err("forms overlap".into());
        }
        end = range.end;
        if parse_form(&text[range.clone()]).syntax().text() != text[range].to_string().as_str() {
            return Err("the tree lost a byte".into());
        }
    }
    let formatted = format(text);
    if format(&formatted) != formatted {
        return Err("formatting again changes the text".into());
    }
    let visible = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    if visible(&formatted) != visible(text) {
        return Err("formatting changes more than white space".into());
    }
    let program = Program::new(Path::new("."), "text.lift", text);
    let accepted = !program.diagnostics().iter().any(|d| d.severity == Severity::Error);
    if accepted {
        program.elaborated();
        program.types();
    }
    Ok(if accepted { Case::Accepted } else { Case::Rejected })
}

fn any_text(random: &mut Random) -> String {
    match random.below(6) {
        0 => bytes(random),
        1 => soup(random),
        2 | 3 => half_typed(random),
        4 => nested(random),
        _ => explosive(random),
    }
}

fn bytes(random: &mut Random) -> String {
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

fn soup(random: &mut Random) -> String {
    let space = if random.one_in(4) { "" } else { " " };
    (0..random.below(150)).map(|_| format!("{}{space}", random.of(TOKENS))).collect()
}

/// The programs of the examples and of the tests.
fn real() -> &'static [String] {
    static REAL: OnceLock<Vec<String>> = OnceLock::new();
    REAL.get_or_init(|| {
        let folders = ["examples", "tests/programs", "tests/primitives"];
        let files = folders.iter().flat_map(|folder| files::below(&files::root().join(folder), ".lift"));
        files.map(|file| files::read(&file)).filter(|text| text.len() < 6000).collect()
    })
}

/// A real program in which pieces are gone, doubled, moved or typed.
fn half_typed(random: &mut Random) -> String {
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

fn nested(random: &mut Random) -> String {
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

/// A size that is short to write and large when it is multiplied out.
fn size(random: &mut Random, depth: usize) -> String {
    let leaf = |random: &mut Random| {
        random.of(&["N", "M", "K", "2", "3", "7", "4294967296", "9223372036854775807", "0", "1"]).to_string()
    };
    if depth == 0 {
        return leaf(random);
    }
    match random.below(8) {
        0 => leaf(random),
        1 => format!("(pow {} {})", size(random, depth - 1), random.of(&["2", "3", "9", "64", "N", "1000000"])),
        2 => format!("(sum (i) {} {})", size(random, depth - 1), size(random, depth - 1)),
        n => {
            let op = ["+", "*", "-", "/", "mod", "min", "max"][n - 3 + random.below(3)];
            format!("({op} {} {})", size(random, depth - 1), size(random, depth - 1))
        }
    }
}

fn explosive(random: &mut Random) -> String {
    let depth = 2 + random.below(5);
    let (a, b) = (size(random, depth), size(random, depth));
    match random.below(4) {
        0 => format!("(lift g (N M K) ((array-type int {a})) (lambda (xs) (: xs (array-type int {b}))))"),
        1 => {
            format!("(lift g (N M K) ((array-type int {a})) (lambda (xs) (join (split #{} xs))))", b.replace('\n', " "))
        }
        2 => {
            // Each definition uses the one before it twice.
            let n = 3 + random.below(40);
            let mut text = String::from("(define (d0 xs) (concat xs xs))\n");
            for i in 1..n {
                text += &std::format!("(define (d{i} xs) (d{} (d{} xs)))\n", i - 1, i - 1);
            }
            text + &std::format!("(lift g (N M K) ((array-type int {a})) (lambda (xs) (d{} xs)))", n - 1)
        }
        _ => {
            let n = 3 + random.below(30);
            let mut body = String::from("x0");
            for i in (1..n).rev() {
                body = std::format!(
                    "(let x{} (zip x{} x{}) {})",
                    i,
                    i - 1,
                    i - 1,
                    if body == "x0" { std::format!("x{i}") } else { body }
                );
            }
            format!("(define (g (x0 (array-type int {b}))) {body})")
        }
    }
}
