//! Recovery: errors in broken text, and intact trees for the rest.

use expect_test::{Expect, expect};

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&crate::common::errors(text));
}

fn check_tree(text: &str, expected: Expect) {
    expected.assert_eq(&crate::common::dump(text));
}

#[test]
fn a_form_at_the_start_of_a_line_ends_an_unclosed_one() {
    check_tree(
        "(define a (f (g 1)\n; a note\n;;; doc of b\n(define b 2)",
        expect![[r#"
            FORM
              DEFINE KEYWORD "define"
                NAME IDENT "a"
                APP
                  NAME_REF IDENT "f"
                  APP
                    NAME_REF IDENT "g"
                    LITERAL INT "1"
            FORM
              DEFINE KEYWORD "define"
                NAME IDENT "b"
                LITERAL INT "2"
            17..18 ")" syntax/unclosed: `))` is missing: 2 brackets are not closed
              10..11 "(": this bracket is not closed
              Insert `))`: "(define a (f (g 1)))\n; a note\n;;; doc of b\n(define b 2)"
        "#]],
    );
}

#[test]
fn an_unclosed_inner_bracket_is_found_by_the_other_shape() {
    check_tree(
        "(define a [f (g 1] 2)\n(define b 2)",
        expect![[r#"
            FORM
              DEFINE KEYWORD "define"
                DEFINE_HEAD
                  NAME IDENT "a"
                  PARAM
                    NAME IDENT "f"
                  PARAM
                    NAME IDENT "g"
                    ERROR
                      LITERAL INT "1"
                LITERAL INT "2"
            FORM
              DEFINE KEYWORD "define"
                NAME IDENT "b"
                LITERAL INT "2"
            8..18 "a [f (g 1]" syntax/expected-params: the brackets go around the name and its parameters: `(define (a f (g 1) expr)`
              Write `(a f (g 1)`: "(define (a f (g 1) 2)\n(define b 2)"
            16..17 "1" syntax/unclosed: `)` is missing
              13..14 "(": this bracket is not closed
              Insert `)`: "(define a [f (g 1)] 2)\n(define b 2)"
            16..17 "1" syntax/expected-type: a type is expected here, such as `float` or `(array-type float N)`
        "#]],
    );
}

#[test]
fn a_wrong_closer_closes_with_an_error() {
    check_tree(
        "(define (f x] (g x))\n(define b 2)",
        expect![[r#"
        FORM
          DEFINE KEYWORD "define"
            DEFINE_HEAD
              NAME IDENT "f"
              PARAM
                NAME IDENT "x"
            APP
              NAME_REF IDENT "g"
              NAME_REF IDENT "x"
        FORM
          DEFINE KEYWORD "define"
            NAME IDENT "b"
            LITERAL INT "2"
        12..13 "]" syntax/mismatched-bracket: `]` cannot close `(`
          8..9 "(": opened here
          Write `)`: "(define (f x) (g x))\n(define b 2)"
    "#]],
    );
}

#[test]
fn a_closer_too_many() {
    check_tree(
        "(define a 1))\n(define b 2)",
        expect![[r#"
        FORM
          DEFINE KEYWORD "define"
            NAME IDENT "a"
            LITERAL INT "1"
        FORM
          ERROR ")"
        FORM
          DEFINE KEYWORD "define"
            NAME IDENT "b"
            LITERAL INT "2"
        12..13 ")" syntax/unmatched-bracket: `)` closes nothing
    "#]],
    );
    check_tree(
        "(define (f x) (g x)) x)\n(define b 2)",
        expect![[r#"
        FORM
          DEFINE KEYWORD "define"
            DEFINE_HEAD
              NAME IDENT "f"
              PARAM
                NAME IDENT "x"
            APP
              NAME_REF IDENT "g"
              NAME_REF IDENT "x"
        FORM
          ERROR IDENT "x" ")"
        FORM
          DEFINE KEYWORD "define"
            NAME IDENT "b"
            LITERAL INT "2"
        22..23 ")" syntax/unmatched-bracket: `)` closes nothing
    "#]],
    );
}

#[test]
fn stray_text_between_forms() {
    check_tree(
        "foo 12 ; note\nbar\n(define b 2)",
        expect![[r#"
        FORM
          ERROR IDENT "foo" INT "12" IDENT "bar"
        FORM
          DEFINE KEYWORD "define"
            NAME IDENT "b"
            LITERAL INT "2"
        0..17 "foo 12 ; note\nbar" syntax/expected-form: only forms are allowed here: `(import …)`, `(define …)`, `(lift …)`
    "#]],
    );
}

#[test]
fn an_unknown_form() {
    check_tree(
        "(def f 1)\n(foo 1)\n((x))\n()\n(define b 2)",
        expect![[r#"
            FORM
              DEFINE KEYWORD "def"
                NAME IDENT "f"
                LITERAL INT "1"
            FORM
              ERROR
                APP
                  NAME_REF IDENT "foo"
                  LITERAL INT "1"
            FORM
              ERROR
                APP
                  APP
                    NAME_REF IDENT "x"
            FORM
              ERROR
                APP
            FORM
              DEFINE KEYWORD "define"
                NAME IDENT "b"
                LITERAL INT "2"
            1..4 "def" syntax/expected-form: a definition begins with `define`, not `def`: `(define (name param …) expr)`
              Write `define`: "(define f 1)\n(foo 1)\n((x))\n()\n(define b 2)"
            11..14 "foo" syntax/expected-form: `import`, `define` or `lift` must follow the first bracket of a form
            18..19 "(" syntax/expected-form: `import`, `define` or `lift` must follow the first bracket of a form
            24..25 "(" syntax/expected-form: `import`, `define` or `lift` must follow the first bracket of a form
        "#]],
    );
}

#[test]
fn parts_keep_their_places() {
    check_tree(
        "(define a (let 3 \"x\" (if \u{1} 1 2)))",
        expect![[r#"
            FORM
              DEFINE KEYWORD "define"
                NAME IDENT "a"
                LET KEYWORD "let"
                  NAME
                    ERROR
                      LITERAL INT "3"
                  ERROR STRING "\"x\""
                  IF KEYWORD "if"
                    ERROR BAD_CHARS "\u{1}"
                    LITERAL INT "1"
                    LITERAL INT "2"
            15..16 "3" syntax/expected-name: a name is expected here
            17..20 "\"x\"" syntax/unexpected-string: a string is allowed only in `import`; text is an input of type `(array-type ubyte N)`
            25..26 "\u{1}" syntax/invalid-character: control character U+0001
        "#]],
    );
    check_tree(
        "(define a (: \"x\" int))",
        expect![[r#"
            FORM
              DEFINE KEYWORD "define"
                NAME IDENT "a"
                ASCRIBE KEYWORD ":"
                  ERROR STRING "\"x\""
                  NAME_TYPE IDENT "int"
            13..16 "\"x\"" syntax/unexpected-string: a string is allowed only in `import`; text is an input of type `(array-type ubyte N)`
        "#]],
    );
    check_tree(
        "(define (f (x (array-type 3 N))) x)",
        expect![[r#"
            FORM
              DEFINE KEYWORD "define"
                DEFINE_HEAD
                  NAME IDENT "f"
                  PARAM
                    NAME IDENT "x"
                    ARRAY_TYPE KEYWORD "array-type"
                      ERROR
                        LITERAL INT "3"
                      SIZE_NAME IDENT "N"
                NAME_REF IDENT "x"
            26..27 "3" syntax/expected-type: a type is expected here, such as `float` or `(array-type float N)`
        "#]],
    );
}

#[test]
fn missing_parts() {
    check(
        "(import)",
        expect![[r#"
        7..8 ")" syntax/missing: the path is missing: this is written `(import "file.lift")`
    "#]],
    );
    check(
        "(import \"\")",
        expect![[r#"
        8..10 "\"\"" syntax/expected-path: the path is empty: `(import "lib/stencil.lift")`
    "#]],
    );
    check(
        "(define)",
        expect![[r#"
        7..8 ")" syntax/missing: the name of the definition is missing: this is written `(define name expr)` or `(define (name param …) expr)`
    "#]],
    );
    check(
        "(define a)",
        expect![[r#"
        9..10 ")" syntax/missing: the expression is missing: this is written `(define name expr)` or `(define (name param …) expr)`
    "#]],
    );
    check(
        "(define (f x))",
        expect![[r#"
        13..14 ")" syntax/missing: the expression is missing: this is written `(define name expr)` or `(define (name param …) expr)`
    "#]],
    );
    check(
        "(define ())",
        expect![[r#"
        9..10 ")" syntax/missing: the name of the definition is missing: this is written `(name param …)`
        10..11 ")" syntax/missing: the expression is missing: this is written `(define name expr)` or `(define (name param …) expr)`
    "#]],
    );
    check(
        "(define () 1)",
        expect![[r#"
        9..10 ")" syntax/missing: the name of the definition is missing: this is written `(name param …)`
    "#]],
    );
    check(
        "(define a (lambda))",
        expect![[r#"
        17..18 ")" syntax/missing: the list of parameters is missing: this is written `(lambda (param …) expr)`
    "#]],
    );
    check(
        "(define a (lambda (x)))",
        expect![[r#"
        21..22 ")" syntax/missing: the body is missing: this is written `(lambda (param …) expr)`
    "#]],
    );
    check(
        "(define a (let x 1))",
        expect![[r#"
            18..19 ")" syntax/missing: the body is missing: this is written `(let name value … body)`
        "#]],
    );
    check(
        "(define a (if true 1))",
        expect![[r#"
            20..21 ")" syntax/missing: the second branch is missing: this is written `(if condition a b)`
        "#]],
    );
    check(
        "(define a (tuple 1))",
        expect![[r#"
        18..19 ")" syntax/missing: the second component is missing: this is written `(tuple expr expr …)`
    "#]],
    );
    check(
        "(define a (: 1))",
        expect![[r#"
        14..15 ")" syntax/missing: the type is missing: this is written `(: expr type)`
    "#]],
    );
    check(
        "(define a (pack))",
        expect![[r#"
        15..16 ")" syntax/missing: the expression is missing: this is written `(pack expr)`
    "#]],
    );
    check(
        "(define a (unpack (X) xs xs))",
        expect![[r#"
            20..21 ")" syntax/missing: the name is missing: this is written `(size-name … name)`
        "#]],
    );
    check(
        "(define a (o))",
        expect![[r#"
        12..13 ")" syntax/missing: the function is missing: this is written `(o expr expr …)`
    "#]],
    );
    check(
        "(define a ())",
        expect![[r#"
        10..12 "()" syntax/expected-expression: an application needs a function
    "#]],
    );
    check(
        "(define a (f #))",
        expect![[r##"
        13..14 "#" syntax/expected-size: a size must follow `#`
    "##]],
    );
    check(
        "(define a (f #(- N)))",
        expect![[r#"
        18..19 ")" syntax/missing: a size is missing: this is written `(- size size)`
    "#]],
    );
    check(
        "(define a (f #(sum N N)))",
        expect![[r#"
        19..20 "N" syntax/expected-params: the position with its bound is expected here: `(i size)`
    "#]],
    );
    check(
        "(define (f (x (array-type float))) x)",
        expect![[r#"
        31..32 ")" syntax/missing: the length is missing: this is written `(array-type type size)`
    "#]],
    );
    check(
        "(define (f (x (exists () float))) x)",
        expect![[r#"
        22..24 "()" syntax/expected-name: `exists` needs at least one size name
    "#]],
    );
}

#[test]
fn superfluous_parts() {
    check(
        "(define f (x) x)",
        expect![[r#"
            8..13 "f (x)" syntax/expected-params: the brackets go around the name and its parameters: `(define (f x) expr)`
              Write `(f x)`: "(define (f x) x)"
        "#]],
    );
    check(
        "(define a (if true 1 2 3))",
        expect![[r#"
            23..24 "3" syntax/extra: too much: this is written `(if condition a b)`
        "#]],
    );
    check(
        "(define a (lambda (x) f x))",
        expect![[r#"
            22..25 "f x" syntax/extra: the brackets of the call are missing: `(f x)`
              Put brackets around it: "(define a (lambda (x) (f x)))"
        "#]],
    );
    check(
        "(define (f xs) -> int (sum xs))",
        expect![[r#"
        15..30 "-> int (sum xs)" syntax/extra: the type of the result is written around the body: `(: (sum xs) int)`
          Write `(: (sum xs) int)`: "(define (f xs) (: (sum xs) int))"
    "#]],
    );
    check(
        "(define (f xs) : (array-type int N) (g xs))",
        expect![[r#"
        15..42 ": (array-type int N) (g xs)" syntax/extra: the type of the result is written around the body: `(: (g xs) (array-type int N))`
          Write `(: (g xs) (array-type int N))`: "(define (f xs) (: (g xs) (array-type int N)))"
    "#]],
    );
    check(
        "(define (f xs) (filter (lambda (x) x > 0) xs))",
        expect![[r#"
        35..40 "x > 0" syntax/extra: an operator comes first: `(> x 0)`
          Write `(> x 0)`: "(define (f xs) (filter (lambda (x) (> x 0)) xs))"
    "#]],
    );
    check(
        "(define (f xs) (let s (sum xs)) (map (/ s) xs))",
        expect![[r#"
        30..31 ")" syntax/missing: the body of a `let` is inside of its brackets: `(let name value … body)`
          Put it inside: "(define (f xs) (let s (sum xs) (map (/ s) xs)))"
    "#]],
    );
    check(
        "(define (f a xs : (array-type int N) b) (g xs))",
        expect![[r#"
        13..36 "xs : (array-type int N)" syntax/expected-params: a parameter with its type is written `(xs (array-type int N))`
          Write `(xs (array-type int N))`: "(define (f a (xs (array-type int N)) b) (g xs))"
    "#]],
    );
    check(
        "(define a (unpack (X ys) zs xs xs))",
        expect![[r#"
            31..33 "xs" syntax/extra: too much: this is written `(unpack name value body)` or `(unpack (size-name … name) value body)`
        "#]],
    );
    check(
        "(define a (f #(- N M K)))",
        expect![[r#"
        21..22 "K" syntax/extra: too much: this is written `(- size size)`
    "#]],
    );
    check(
        "(import \"a\" \"b\")",
        expect![[r#"
        12..15 "\"b\"" syntax/extra: too much: this is written `(import "file.lift")`
    "#]],
    );
}

#[test]
fn kernels_that_lack_a_list() {
    check(
        "(lift (N) (lambda (xs) xs))",
        expect![[r#"
        10..11 "(" syntax/missing: the list of types is missing before this: `(lift (N …) (type …) (lambda (x …) expr))`
    "#]],
    );
    check(
        "(lift (lambda (xs) xs))",
        expect![[r#"
        6..7 "(" syntax/missing: the list of size names is missing before this: `(lift (N …) (type …) (lambda (x …) expr))`
    "#]],
    );
    check(
        "(lift ((array-type float N)) (lambda (xs) xs))",
        expect![[r#"
            6..7 "(" syntax/missing: the list of size names is missing before this: `(lift (N …) (type …) (lambda (x …) expr))`
        "#]],
    );
    check(
        "(lift (N) (array-type float N) (lambda (xs) xs))",
        expect![[r#"
            10..30 "(array-type float N)" syntax/expected-type: the types of the parameters are a list, with brackets around it
              Put brackets around it: "(lift (N) ((array-type float N)) (lambda (xs) xs))"
        "#]],
    );
    check(
        "(lift (N) (float) xs)",
        expect![[r#"
        18..20 "xs" syntax/expected-lambda: a lambda is expected here: a kernel is written `(lift (N …) (type …) (lambda (x …) expr))`
    "#]],
    );
    check(
        "(lift k (N) (float))",
        expect![[r#"
        19..20 ")" syntax/missing: the lambda is missing: this is written `(lift (N …) (type …) (lambda (x …) expr))`
    "#]],
    );
    check(
        "(lift)",
        expect![[r#"
        5..6 ")" syntax/missing: the list of size names is missing: this is written `(lift (N …) (type …) (lambda (x …) expr))`
    "#]],
    );
}

#[test]
fn bindings_without_a_body_or_with_too_much() {
    check(
        "(define x (let a 1 b 2))",
        expect![[r#"
        22..23 ")" syntax/missing: the body is missing: this is written `(let name value … body)`
    "#]],
    );
    check(
        "(define x (let a 1 + a 2))",
        expect![[r#"
        21..24 "a 2" syntax/extra: too much: this is written `(let name value … body)`
    "#]],
    );
    check(
        "(define x (let a 1 (f a) (g a)))",
        expect![[r#"
        25..30 "(g a)" syntax/extra: too much: this is written `(let name value … body)`
    "#]],
    );
    check(
        "(define x (let (tuple a) 1 a))",
        expect![[r#"
        23..24 ")" syntax/missing: the second name is missing: this is written `(tuple name name …)`
    "#]],
    );
}
