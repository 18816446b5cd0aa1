//! Losslessness, absence of panics, and ranges of errors.

use super::parse;
use crate::apl::{AplKind, number, tokens};

const PROGRAM: &str =
    "avg ← {s←+/⍵ ⋄ s÷≢⍵} ⍝ mean\n⎕←avg 1 2.5 ¯3E2\nx ← (2 3⍴⍳6)[1;2 3]\n'it''s' ⋄ ∘.×⍨⍳3\n{⍵>1:⍵ ⋄ ∇ ⍵-1} 3\n";

#[test]
fn every_prefix_has_a_lossless_tree() {
    for (at, _) in PROGRAM.char_indices() {
        for text in [&PROGRAM[..at], &PROGRAM[at..]] {
            assert_eq!(parse(text).syntax().text().to_string(), text);
        }
    }
    assert_eq!(parse(PROGRAM).errors, []);
}

#[test]
fn each_mistake_is_one_error_at_its_place() {
    for (text, range, message) in [
        ("x ← (1 + 2", 6..7, "`(` is not closed"),
        ("f ← {⍵ + (1\n}", 13..14, "`(` is not closed"),
        ("f ← {⍵ + (1}", 13..14, "`(` is not closed"),
        ("1 + 2)", 5..6, "this bracket closes nothing"),
        ("x[1;2", 1..2, "`[` is not closed"),
        ("1 + 3a", 4..6, "`3a` is not a number"),
        ("x ← 'ab", 6..9, "this string is not closed on its line"),
        ("1 $ 2", 2..3, "`$` means nothing in APL"),
    ] {
        let errors = parse(text).errors;
        let [error] = &errors[..] else { panic!("{text}: {errors:?}") };
        assert_eq!((std::ops::Range::<usize>::from(error.range), &*error.message), (range, message), "{text}");
    }
}

#[test]
fn deep_nesting_is_an_error() {
    let text = "(".repeat(100_000);
    let parsed = parse(&text);
    assert_eq!(parsed.syntax().text().to_string(), text);
    assert_eq!(parsed.errors.len(), 1);
}

#[test]
fn numbers_are_read_as_they_are_written() {
    for (text, value) in [("¯3", -3.0), ("1.5E¯3", 0.0015), (".5", 0.5), ("2.", 2.0), ("1e3", 1000.0)] {
        assert_eq!(number(text), Some(value), "{text}");
        assert_eq!(tokens(text)[0].0, AplKind::Number, "{text}");
    }
    for text in ["¯", "1E", "1¯2", "3x", "1.E"] {
        assert_eq!(number(text), None, "{text}");
    }
}
