//! Signature help.

use super::Fixture;
use expect_test::{Expect, expect};

/// Compares the signature, with the active parameter between `‹` and `›`.
fn check(text: &str, expected: Expect) {
    let fixture = Fixture::new(text);
    let (path, range) = fixture.marked();
    let shown = match fixture.analysis().signature_help(path, range.start()).unwrap() {
        Some(help) => {
            let mut label = help.label.clone();
            if let Some(parameter) = help.parameters.get(help.active) {
                label.insert(parameter.end, '›');
                label.insert(parameter.start, '‹');
            }
            let first = help.documentation.as_deref().and_then(|docs| docs.lines().next()).unwrap_or_default();
            format!("{label}\n{first}\n")
        }
        None => "nothing\n".into(),
    };
    expected.assert_eq(&shown);
}

#[test]
fn the_argument_at_the_cursor() {
    let program = |call: &str| format!("(lift f (N) ((array-type float N)) (lambda (xs) {call}))\n");
    check(
        &program("(map $0sqrt xs)"),
        expect![[r#"
        (map ‹f : Float -> Float›, xs : Array[Float,N]) : Array[Float,N]
        Applies a function to every element. The compiler chooses where it runs.
    "#]],
    );
    check(
        &program("(map sqrt $0xs)"),
        expect![[r#"
        (map f : Float -> Float, ‹xs : Array[Float,N]›) : Array[Float,N]
        Applies a function to every element. The compiler chooses where it runs.
    "#]],
    );
    check(
        &program("(map sqrt xs$0)"),
        expect![[r#"
        (map f : Float -> Float, ‹xs : Array[Float,N]›) : Array[Float,N]
        Applies a function to every element. The compiler chooses where it runs.
    "#]],
    );
    check(
        &program("(ma$0p sqrt xs)"),
        expect![[r#"
        (map ‹f : Float -> Float›, xs : Array[Float,N]) : Array[Float,N]
        Applies a function to every element. The compiler chooses where it runs.
    "#]],
    );
    check(
        &program("(map sqrt xs $0)"),
        expect![[r#"
        (map f : Float -> Float, xs : Array[Float,N]) : Array[Float,N]
        Applies a function to every element. The compiler chooses where it runs.
    "#]],
    );
    check(
        &program("(split #$02 xs)"),
        expect![[r#"
        (split ‹#2›, xs : Array[Float,N]) : Array[Array[Float,2],N/2]
        An array as an array of pieces of length k, at no cost. k must divide the length.
    "#]],
    );
    check(
        &program("(map (lambda (x) (* $0x x)) xs)"),
        expect![[r#"
        (* ‹x : Float›, y : Float) : Float
        The product of two numbers of one type. Integers wrap.
    "#]],
    );
    check(
        &program("(map (lambda ($0x) x) xs)"),
        expect![[r#"
        nothing
    "#]],
    );
}

#[test]
fn definitions_have_the_names_of_their_parameters() {
    check(
        ";;; So many times.\n(define (scale by x) (* by x))\n(define y (scale 2.0f $01.0f))\n",
        expect![[r#"
        (scale by : Float, ‹x : Float›) : Float
        So many times.
    "#]],
    );
    check(
        "(define (f g) (g $01))\n",
        expect![[r#"
        (g ‹i : Int›) : a

    "#]],
    );
}

#[test]
fn while_the_call_is_written() {
    check(
        "(define (f xs) (reduce $0",
        expect![[r#"
        (reduce ‹x : b›, op : b -> b -> b, xs : Array[b,n]) : Array[b,1]
        Combines all elements into one, which is returned as an array of length 1.
    "#]],
    );
    check(
        "(define (f xs) (reduce 0.0f $0)\n(define (g x) x)\n",
        expect![[r#"
        (reduce x : Float, ‹op : Float -> Float -> Float›, xs : Array[Float,n]) : Array[Float,1]
        Combines all elements into one, which is returned as an array of length 1.
    "#]],
    );
    check(
        "(define (f xs) (reduce 0.0f + $0\n(define (g x) x)\n",
        expect![[r#"
        (reduce x : Float, op : Float -> Float -> Float, ‹xs : Array[Float,n]›) : Array[Float,1]
        Combines all elements into one, which is returned as an array of length 1.
    "#]],
    );
    check(
        "(define (f xs) (nowhere $0))\n",
        expect![[r#"
        nothing
    "#]],
    );
}
