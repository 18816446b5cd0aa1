//! Semantic tokens.

use super::Fixture;
use crate::ide::semantic::SemanticToken;
use expect_test::expect;
use lift_syntax::{TextRange, TextSize};

fn describe(text: &str, tokens: &[SemanticToken]) -> String {
    let mut out = String::new();
    for token in tokens {
        let mut words = vec![format!("{:?}", token.kind)];
        let modifiers = token.modifiers;
        for (on, word) in
            [(modifiers.declaration, "declaration"), (modifiers.builtin, "builtin"), (modifiers.dynamic, "dynamic")]
        {
            words.extend(on.then(|| word.to_owned()));
        }
        out += &format!("{} {}\n", &text[token.range], words.join(" "));
    }
    out
}

#[test]
fn every_word() {
    let text = "\
(define (pos (x float)) (> x 0.0f))
(lift f (N) ((array-type float (* 2 N))) (lambda (xs)
  (let ys (filter pos xs) (tuple #(length xs) (dot ys ys) nowhere))))
";
    let fixture = Fixture::new(text);
    let whole = TextRange::up_to(TextSize::of(text));
    let tokens = fixture.analysis().semantic_tokens("main.lift", whole).unwrap();
    assert!(tokens.windows(2).all(|pair| pair[0].range.end() <= pair[1].range.start()));
    expect![[r#"
        define Keyword
        pos Function declaration
        x Parameter declaration
        float Type
        > Operator builtin
        x Parameter
        0.0f Number
        lift Keyword
        f Kernel declaration
        N Size declaration
        array-type Keyword
        float Type
        * Keyword
        2 Number
        N Size
        lambda Keyword
        xs Parameter declaration
        let Keyword
        ys Variable declaration dynamic
        filter Primitive builtin
        pos Function
        xs Parameter
        tuple Keyword
        length Keyword
        xs Parameter
        dot Function builtin
        ys Variable dynamic
        ys Variable dynamic
    "#]]
    .assert_eq(&describe(text, &tokens));
}

#[test]
fn only_what_touches_the_range() {
    let text = "(define one 1)\n(define (two x) (+ one x))\n(define three 3)\n";
    let fixture = Fixture::new(text);
    let range = TextRange::at(TextSize::new(23), TextSize::new(10));
    let tokens = fixture.analysis().semantic_tokens("main.lift", range).unwrap();
    expect![[r#"
        two Function declaration
        x Parameter declaration
        + Operator builtin
    "#]]
    .assert_eq(&describe(text, &tokens));
}

#[test]
fn a_size_is_bound_where_it_is_first_mentioned() {
    let text = "(define (f (xs (array-type float n)) (ys (array-type float n))) (take #n xs))\n";
    let fixture = Fixture::new(text);
    let tokens = fixture.analysis().semantic_tokens("main.lift", TextRange::up_to(TextSize::of(text))).unwrap();
    let sizes: Vec<bool> = tokens.iter().filter(|t| &text[t.range] == "n").map(|t| t.modifiers.declaration).collect();
    assert_eq!(sizes, [true, false, false]);
}
