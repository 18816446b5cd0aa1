//! Output of the formatter.

use expect_test::{Expect, expect};
use lift_syntax::{TextRange, format, format_edits, format_range};

fn check(text: &str, expected: Expect) {
    let formatted = format(text);
    expected.assert_eq(&formatted);
    assert_eq!(format(&formatted), formatted, "formatted again");
}

#[test]
fn spaces_are_normalised() {
    check(
        "( define  ( f x )( + x\t1 ) )",
        expect![[r#"
        (define (f x) (+ x 1))
    "#]],
    );
    check(
        "(define x[f  # 4 #( * 2 N )])",
        expect![[r#"
        (define x [f #4 #(* 2 N)])
    "#]],
    );
}

#[test]
fn a_line_break_of_the_author_breaks_the_group() {
    check(
        "(define (f x)\n(map g x))",
        expect![[r#"
        (define (f x)
          (map g x))
    "#]],
    );
    check(
        "(define (f x) (map\ng x))",
        expect![[r#"
        (define (f x)
          (map
            g
            x))
    "#]],
    );
    check(
        "(define (f x) (map g\nx))",
        expect![[r#"
        (define (f x)
          (map g
               x))
    "#]],
    );
    check(
        "(define (f x) (map g x\n)\n)",
        expect![[r#"
        (define (f x) (map g x))
    "#]],
    );
}

#[test]
fn groups_that_are_too_long_are_broken() {
    check(
        "(define (f xs ys) (zip (map (lambda (x) (* x 2.0f)) (filter (lambda (x) (< x 0.5f)) xs)) (map square ys)))",
        expect![[r#"
            (define (f xs ys)
              (zip (map (lambda (x) (* x 2.0f)) (filter (lambda (x) (< x 0.5f)) xs))
                   (map square ys)))
        "#]],
    );
    check(
        "(define (f xs) (aFunctionWithAVeryLongName (anotherFunctionWithALongName (theThirdFunctionOfThem 1000000 2000000))))",
        expect![[r#"
            (define (f xs)
              (aFunctionWithAVeryLongName
                (anotherFunctionWithALongName (theThirdFunctionOfThem 1000000 2000000))))
        "#]],
    );
    check(
        "(define veryLongNameOfADefinition0123456789 anEvenLongerNameOfAnotherDefinition0123456789012345)",
        expect![[r#"
            (define veryLongNameOfADefinition0123456789
              anEvenLongerNameOfAnotherDefinition0123456789012345)
        "#]],
    );
    check(
        "(define (aLongNameForAFunction firstParameter secondParameter thirdParameter fourthParameter) 1)",
        expect![[r#"
            (define (aLongNameForAFunction firstParameter
                                           secondParameter
                                           thirdParameter
                                           fourthParameter)
              1)
        "#]],
    );
}

#[test]
fn the_closing_brackets_must_fit_too() {
    let name = "x".repeat(88 - "(define a (f ".len() - "))".len());
    check(
        &format!("(define a (f {name}))"),
        expect![[r#"
        (define a (f xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx))
    "#]],
    );
    check(
        &format!("(define a (f {name}x))"),
        expect![[r#"
        (define a
          (f xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx))
    "#]],
    );
}

#[test]
fn bodies_are_indented_by_two() {
    check(
        "(define a (let x (f 1)\n(let y 2\n(lambda (z)\n(unpack (X w) z\n(if w\nx\ny))))))",
        expect![[r#"
            (define a
              (let x (f 1)
                (let y 2
                  (lambda (z)
                    (unpack (X w) z
                      (if w
                          x
                          y))))))
        "#]],
    );
    check(
        "(define a (let x\n(f 1)\n(lambda\n(x) x)))",
        expect![[r#"
        (define a
          (let x
              (f 1)
            (lambda
                (x)
              x)))
    "#]],
    );
}

#[test]
fn settings_stay_beside_their_word() {
    check(
        "(define (f xs) (with ((rows.team 16) (group 64)) (reduce 0.0f (lambda (accumulated x) (+ accumulated x)) (map g xs))))",
        expect![[r#"
            (define (f xs)
              (with ((rows.team 16) (group 64))
                (reduce 0.0f (lambda (accumulated x) (+ accumulated x)) (map g xs))))
        "#]],
    );
}

#[test]
fn kernels() {
    check(
        "(lift (N) ((array-type float N)) (lambda (xs) (mapSeq (lambda (x) (* x 2.0f)) xs)))",
        expect![[r#"
            (lift (N) ((array-type float N)) (lambda (xs) (mapSeq (lambda (x) (* x 2.0f)) xs)))
        "#]],
    );
    check(
        "(lift (N) ((array-type float N)) (lambda (xs) (mapSeq (lambda (x) (* x 2.0f)) (split #2 xs))))",
        expect![[r#"
            (lift (N) ((array-type float N))
              (lambda (xs) (mapSeq (lambda (x) (* x 2.0f)) (split #2 xs))))
        "#]],
    );
    check(
        "(lift\n(N) ; sizes\n((array-type float N)) ; input\n(lambda (xs)\n(o\njoin\n; note\n(mapSeq (lambda (ys)\n(mapSeq (lambda (y) (* y 2.0f)) ys)))\n(split #2)\nxs)))",
        expect![[r#"
            (lift
              (N) ; sizes
              ((array-type float N)) ; input
              (lambda (xs)
                (o
                  join
                  ; note
                  (mapSeq (lambda (ys)
                            (mapSeq (lambda (y) (* y 2.0f)) ys)))
                  (split #2)
                  xs)))
        "#]],
    );
    check(
        "(lift (N) ((array-type float N))\n(lambda (xs)\n((toGlobal (mapGlb (lambda (x) (* x 2.0f))))\n(filterGlb (lambda (x) (> x 0.5f)) xs))))",
        expect![[r#"
            (lift (N) ((array-type float N))
              (lambda (xs)
                ((toGlobal (mapGlb (lambda (x) (* x 2.0f))))
                 (filterGlb (lambda (x) (> x 0.5f)) xs))))
        "#]],
    );
}

#[test]
fn comments_stay_where_they_are() {
    check(
        ";;; doc   \n;;; more\n  (define a ; why\n; below\n(f ; head\nx ; first\n\n; second\ny\n; last\n) ; behind\n) ; after\n   ; alone",
        expect![[r#"
            ;;; doc
            ;;; more
            (define a ; why
              ; below
              (f ; head
                x ; first

                ; second
                y
                ; last
                ) ; behind
              ) ; after
            ; alone
        "#]],
    );
    check(
        "(define a # ; odd\n4)",
        expect![[r#"
        (define a
          # ; odd
           4)
    "#]],
    );
    check(
        "( ; first\ndefine a 1)",
        expect![[r#"
        ( ; first
         define a
          1)
    "#]],
    );
    check(
        "(define a (;c\n))",
        expect![[r#"
        (define a (;c
        ))"#]],
    );
}

#[test]
fn one_blank_line_is_kept() {
    check(
        "\n\n(define a 1)(define b 2)\n(define c 3)\n\n\n\n; c\n\n\n(define d\n\n\n(f x\n\n\ny))\n\n\n",
        expect![[r#"
            (define a 1)
            (define b 2)
            (define c 3)

            ; c

            (define d

              (f x

                 y))
        "#]],
    );
}

#[test]
fn broken_forms_are_left_alone() {
    check(
        "(define  a 1)\n\n\n\n(define  b (\n   (define  c 3)\n(define  d 4)",
        expect![[r#"
            (define a 1)



            (define  b (
               (define  c 3)
            (define d 4)
        "#]],
    );
    check(
        "(define  a 1)  )  ; c \n  (define  b 1)",
        expect![[r#"
        (define a 1)  )  ; c
        (define b 1)
    "#]],
    );
}

#[test]
fn line_ends_follow_the_file() {
    assert_eq!(
        format("(define a 1)\r\n\r\n; c\r(define (f x)\n(g x))"),
        "(define a 1)\r\n\r\n; c\r\n(define (f x)\r\n  (g x))\r\n"
    );
    assert_eq!(format("\u{feff}  (define  a 1)"), "\u{feff}(define a 1)\n");
}

#[test]
fn nothing() {
    check("", expect![""]);
    check("  \n ", expect![""]);
    check(
        "; c",
        expect![[r#"
        ; c
    "#]],
    );
}

#[test]
fn types_and_declarations() {
    check(
        "(primitive partRed (m) (-> a (-> a a a) (array-type a (* m n)) (array-type a m)) (where (divides m n) (num a)))",
        expect![[r#"
            (primitive partRed (m)
              (-> a (-> a a a) (array-type a (* m n)) (array-type a m))
              (where (divides m n) (num a)))
        "#]],
    );
    check(
        "(define (f (xs (array-type (array-type float M) N)) (ys (exists (X) (array-type (tuple-type int int) X)))) xs)",
        expect![[r#"
            (define (f (xs (array-type (array-type float M) N))
                       (ys (exists (X) (array-type (tuple-type int int) X))))
              xs)
        "#]],
    );
}

#[test]
fn only_what_changes_is_edited() {
    let text = "(define a 1)\n(define  b   (f 1))\n(define c 2)\n";
    let edits: Vec<_> =
        format_edits(text).into_iter().map(|edit| format!("{:?} {:?}", edit.range, edit.insert)).collect();
    expect![[r#"
        20..22 " "
        23..26 " ""#]]
    .assert_eq(&edits.join("\n"));
}

#[test]
fn a_range_formats_the_forms_it_touches() {
    let text = "(define  a 1)\n(define  b 1)\n(define  c 1)\n";
    let edits = format_range(text, TextRange::empty(20.into()));
    expect![[r#"[TextEdit { range: 21..23, insert: " " }]"#]].assert_eq(&format!("{edits:?}"));
    assert!(format_range("; c", TextRange::empty(0.into())).is_empty());
}

#[test]
fn the_bindings_of_a_let_stand_below_each_other() {
    check(
        "(define (f x) (let a 1\n b (g a) (tuple c d) (h b) (+ a b\n c d)))",
        expect![[r#"
            (define (f x)
              (let a 1
                   b (g a)
                   (tuple c d) (h b)
                (+ a
                   b
                   c
                   d)))
        "#]],
    );
    check(
        "(define (f (tuple  a (tuple b c))) (let a 1 b 2 (+ a b c)))",
        expect![[r#"
        (define (f (tuple a (tuple b c))) (let a 1 b 2 (+ a b c)))
    "#]],
    );
    check(
        "(define (f x) (let ; first\n a 1 ; of a\n ; of b\n b\n 2\n ; the sum\n (+ a b) ; end\n))",
        expect![[r#"
        (define (f x)
          (let ; first
               a 1 ; of a
               ; of b
               b
                 2
            ; the sum
            (+ a b) ; end
            ))
    "#]],
    );
}
