//! Errors for words, types, sizes and tokens in places where they do not belong.

use expect_test::{Expect, expect};

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&crate::common::errors(text));
}

/// Checks the errors of several texts, each below its text.
fn check_all(texts: &[&str], expected: Expect) {
    let all: String = texts.iter().map(|text| format!("{text}\n{}", crate::common::errors(text))).collect();
    expected.assert_eq(&all);
}

#[test]
fn names_that_cannot_be_bound() {
    check(
        "(define lambda 1)",
        expect![[r#"
        8..14 "lambda" syntax/reserved-word: `lambda` has a fixed meaning and cannot be bound
    "#]],
    );
    check(
        "(define a (let if 1 2))",
        expect![[r#"
        15..17 "if" syntax/reserved-word: `if` has a fixed meaning and cannot be bound
    "#]],
    );
    check(
        "(define a (lambda (true -inf 3 o x) 1))",
        expect![[r#"
            19..23 "true" syntax/expected-name: `true` is a literal and cannot be bound
            24..28 "-inf" syntax/expected-name: `-inf` is a literal and cannot be bound
            29..30 "3" syntax/expected-name: a name is expected here
            31..32 "o" syntax/reserved-word: `o` has a fixed meaning and cannot be bound
        "#]],
    );
    check(
        "(define 3x 1)",
        expect![[r#"
        8..10 "3x" syntax/malformed-number: `3x` is not a number, and a name cannot start with a digit
    "#]],
    );
}

#[test]
fn words_in_the_wrong_place() {
    check(
        "(define a (f lambda (x) x))",
        expect![[r#"
        13..19 "lambda" syntax/reserved-word: `lambda` is allowed only directly after an opening bracket
    "#]],
    );
    check("(define a (map tuple xs))", expect![""]);
    check(
        "(define a (f (define x 1)))",
        expect![[r#"
        14..20 "define" syntax/expected-expression: `define` is allowed only at the top of a file: inside an expression, `let` binds a name
    "#]],
    );
    check(
        "(define a (lambda x x))",
        expect![[r#"
        18..19 "x" syntax/expected-params: the parameters must be in brackets
          Put brackets around it: "(define a (lambda (x) x))"
    "#]],
    );
}

#[test]
fn types_and_sizes_in_the_wrong_place() {
    check(
        "(define (f (x Float)) x)",
        expect![[r#"
        14..19 "Float" syntax/expected-type: the type is written `float` in programs
          Write `float`: "(define (f (x float)) x)"
    "#]],
    );
    check(
        "(define (f (x (list int))) x)",
        expect![[r#"
            14..24 "(list int)" syntax/expected-type: a type is expected here, such as `float` or `(array-type float N)`
        "#]],
    );
    check(
        "(define (f (x array-type)) x)",
        expect![[r#"
        14..24 "array-type" syntax/expected-type: `array-type` is allowed only directly after an opening bracket
    "#]],
    );
    check(
        "(define (f (x (array-type float #4))) x)",
        expect![[r##"
        32..33 "#" syntax/hash-in-size: a size is written without `#` here
          Remove `#`: "(define (f (x (array-type float 4))) x)"
    "##]],
    );
    check(
        "(define (f (x (array-type float -4))) x)",
        expect![[r#"
        32..34 "-4" syntax/expected-size: a size is expected here: a natural number, a size name, or an operation on sizes
    "#]],
    );
    check(
        "(define (f (x (array-type float 4L))) x)",
        expect![[r#"
        32..34 "4L" syntax/expected-size: a size is expected here: a natural number, a size name, or an operation on sizes
    "#]],
    );
    check(
        "(define a (f #(foo 1)))",
        expect![[r#"
        14..21 "(foo 1)" syntax/expected-size: a size is expected here: a natural number, a size name, or an operation on sizes
    "#]],
    );
    check(
        "(define a (f ##4))",
        expect![[r##"
        14..15 "#" syntax/hash-in-size: a size is written without `#` here
          Remove `#`: "(define a (f #4))"
    "##]],
    );
}

#[test]
fn malformed_tokens() {
    check(
        "(define a (f 3x 1.5.2 1e 3.0L 0xg))",
        expect![[r#"
        13..15 "3x" syntax/malformed-number: `3x` is not a number, and a name cannot start with a digit
        16..21 "1.5.2" syntax/malformed-number: `1.5.2` is not a number, and a name cannot start with a digit
        22..24 "1e" syntax/malformed-number: `1e` is not a number, and a name cannot start with a digit
        25..29 "3.0L" syntax/malformed-number: `3.0L` is not a number, and a name cannot start with a digit
        30..33 "0xg" syntax/malformed-number: `0xg` is not a number, and a name cannot start with a digit
    "#]],
    );
    check(
        "(define a (f 1l 2.5F 3f32 7U 1_000 -2d 3ULL 1.0L x1l))",
        expect![[r#"
            13..15 "1l" syntax/malformed-number: `1l` is not a number: here it is written `1L`
              Write `1L`: "(define a (f 1L 2.5F 3f32 7U 1_000 -2d 3ULL 1.0L x1l))"
            16..20 "2.5F" syntax/malformed-number: `2.5F` is not a number: here it is written `2.5f`
              Write `2.5f`: "(define a (f 1l 2.5f 3f32 7U 1_000 -2d 3ULL 1.0L x1l))"
            21..25 "3f32" syntax/malformed-number: `3f32` is not a number: here it is written `3.0f`
              Write `3.0f`: "(define a (f 1l 2.5F 3.0f 7U 1_000 -2d 3ULL 1.0L x1l))"
            26..28 "7U" syntax/malformed-number: `7U` is not a number: here it is written `7u`
              Write `7u`: "(define a (f 1l 2.5F 3f32 7u 1_000 -2d 3ULL 1.0L x1l))"
            29..34 "1_000" syntax/malformed-number: `1_000` is not a number: here it is written `1000`
              Write `1000`: "(define a (f 1l 2.5F 3f32 7U 1000 -2d 3ULL 1.0L x1l))"
            35..38 "-2d" syntax/malformed-number: `-2d` is not a number: here it is written `-2.0`
              Write `-2.0`: "(define a (f 1l 2.5F 3f32 7U 1_000 -2.0 3ULL 1.0L x1l))"
            39..43 "3ULL" syntax/malformed-number: `3ULL` is not a number: here it is written `3uL`
              Write `3uL`: "(define a (f 1l 2.5F 3f32 7U 1_000 -2d 3uL 1.0L x1l))"
            44..48 "1.0L" syntax/malformed-number: `1.0L` is not a number, and a name cannot start with a digit
        "#]],
    );
    check(
        "(define a (f 2147483648 -2147483648 9223372036854775808L 1e99f 1e999))",
        expect![[r#"
            13..23 "2147483648" syntax/number-range: `2147483648` does not fit an Int: a UInt is written with a `u` at its end, a Long with an `L`
            36..56 "9223372036854775808L" syntax/number-range: `9223372036854775808L` does not fit a Long
            57..62 "1e99f" syntax/number-range: `1e99f` does not fit a Float
            63..68 "1e999" syntax/number-range: `1e999` does not fit a Double
        "#]],
    );
    check(
        "(define a (f #9223372036854775808))",
        expect![[r#"
        14..33 "9223372036854775808" syntax/number-range: `9223372036854775808` is too large for a size
    "#]],
    );
    check(
        "(import \"a.lift)\n(define b 2)",
        expect![[r#"
            8..16 "\"a.lift)" syntax/unclosed-string: the string is not closed on its line
        "#]],
    );
    check(
        "(define a \0\0\u{7f})",
        expect![[r#"
        10..13 "\0\0\u{7f}" syntax/invalid-character: control character U+0000
    "#]],
    );
    check(
        "\0",
        expect![[r#"
        0..1 "\0" syntax/invalid-character: control character U+0000
    "#]],
    );
}

#[test]
fn a_mistake_in_an_unclosed_group_is_one_error() {
    check_all(
        &["(define a (if", "(define a (f (lambda"],
        expect![[r#"
        (define a (if
        12..13 "f" syntax/unclosed: `))` is missing: 2 brackets are not closed
          10..11 "(": this bracket is not closed
          Insert `))`: "(define a (if))"
        (define a (f (lambda
        19..20 "a" syntax/unclosed: `)))` is missing: 3 brackets are not closed
          13..14 "(": this bracket is not closed
          Insert `)))`: "(define a (f (lambda)))"
    "#]],
    );
}

#[test]
fn indentation_shows_where_a_bracket_is_missing() {
    check_all(
        &[
            "(define (f xs)\n  (let double (lambda (x) (+ x x)\n       more (map double xs)\n    (zip more xs)))",
            "(define (f xs)\n  (g (h xs)\n  (h xs)\n  xs)",
            // The body of a lambda begins further left than the lambda.
            "(define (f xs)\n  (map (lambda (x)\n    (+ x 1) xs))",
        ],
        expect![[r#"
            (define (f xs)
              (let double (lambda (x) (+ x x)
                   more (map double xs)
                (zip more xs)))
            47..48 ")" syntax/unclosed: `)` is missing
              29..30 "(": this bracket is not closed
              Insert `)`: "(define (f xs)\n  (let double (lambda (x) (+ x x))\n       more (map double xs)\n    (zip more xs)))"
            (define (f xs)
              (g (h xs)
              (h xs)
              xs)
            25..26 ")" syntax/unclosed: `)` is missing
              17..18 "(": this bracket is not closed
              Insert `)`: "(define (f xs)\n  (g (h xs))\n  (h xs)\n  xs)"
            (define (f xs)
              (map (lambda (x)
                (+ x 1) xs))
            49..50 ")" syntax/unclosed: `)` is missing
              0..1 "(": this bracket is not closed
              Insert `)`: "(define (f xs)\n  (map (lambda (x)\n    (+ x 1) xs)))"
        "#]],
    );
}

#[test]
fn syntax_of_other_languages() {
    let texts = [
        "(define f (x) (* x 2))",
        "(define f () 2)",
        "(define f ((x float) y) (+ x y))",
        "(define f g (x))",
        "(define a (if c then 1 else 2))",
        "(define a (let x = 3 in (+ x 1)))",
        "(define a (let x = 3 (+ x 1)))",
        "(define a (let = (f = 1) =))",
        "(define (a xs) xs[0])",
        "(define (a xs) (let ys (f xs) sum(ys)))",
        "(define (a x) (map (lambda x: x) x))",
        "(define a \"text\")",
        "(lift (N) (int[N]) (lambda (xs) xs))",
        "(lift (N) ([int]) (lambda (xs) xs))",
        "(lift (N) ([N]int) (lambda (xs) xs))",
        "(lift (N) (Array[Int,N] (array int N)) (lambda (xs) xs))",
        "(lift (N) ((array-type (int Float) N)) (lambda (xs) xs))",
        "(lift (N) ((array-type N float) (array-type N (tuple-type int int)) (float N)) (lambda (xs ys zs) xs))",
        "(lift (N) (int[] Foo[] [ int[)) (lambda (xs) xs))",
        "(lift (N) (float[n][m] [N][]f32 [[float]] ((int[N])) (int)) (lambda (xs) xs))",
        "(lift (N) (Array[Array[Float,M],N] (array (array int M) N) [[ [i32 [) (lambda (xs) xs))",
        "(define a (let (x y) p (+ x y)))",
        "(define f x y (+ x y))",
        "(lift (N) () (iota N))",
        "(defun f (x y) (* x y))",
        "(def (f x) (* x 2))",
        "(let f (lambda (x) x))",
        "(entry f (N) ((array-type int N)) (lambda (xs) xs))",
        "def f(x)",
        "-- a comment",
        "// a comment",
    ];
    let expected = expect![[r#"
        (define f (x) (* x 2))
        8..13 "f (x)" syntax/expected-params: the brackets go around the name and its parameters: `(define (f x) expr)`
          Write `(f x)`: "(define (f x) (* x 2))"
        (define f () 2)
        8..12 "f ()" syntax/expected-params: the brackets go around the name and its parameters: `(define f expr)`
          Write `f`: "(define f 2)"
        (define f ((x float) y) (+ x y))
        8..23 "f ((x float) y)" syntax/expected-params: the brackets go around the name and its parameters: `(define (f (x float) y) expr)`
          Write `(f (x float) y)`: "(define (f (x float) y) (+ x y))"
        (define f g (x))
        8..11 "f g" syntax/expected-params: the name and the parameters of a function are in brackets: `(define (f g) expr)`
          Write `(f g)`: "(define (f g) (x))"
        (define a (if c then 1 else 2))
        16..20 "then" syntax/extra: `if` has no `then` and no `else`: `(if condition a b)`
          Remove the words: "(define a (if c 1 2))"
        (define a (let x = 3 in (+ x 1)))
        17..18 "=" syntax/extra: `let` has no `=` and no `in`: `(let name value … body)`
          Remove the words: "(define a (let x 3 (+ x 1)))"
        (define a (let x = 3 (+ x 1)))
        17..18 "=" syntax/extra: `let` has no `=` and no `in`: `(let name value … body)`
          Remove the words: "(define a (let x 3 (+ x 1)))"
        (define a (let = (f = 1) =))
        (define (a xs) xs[0])
        15..20 "xs[0]" syntax/extra: an element is written: `(aref xs 0)`
          Write `(aref xs 0)`: "(define (a xs) (aref xs 0))"
        (define (a xs) (let ys (f xs) sum(ys)))
        37..38 ")" syntax/missing: the body is missing: this is written `(let name value … body)`
        (define (a x) (map (lambda x: x) x))
        27..29 "x:" syntax/expected-params: the parameters must be in brackets
          Put brackets around it: "(define (a x) (map (lambda (x) x) x))"
        (define a "text")
        10..16 "\"text\"" syntax/unexpected-string: a string is allowed only in `import`; text is an input of type `(array-type ubyte N)`
        (lift (N) (int[N]) (lambda (xs) xs))
        11..17 "int[N]" syntax/expected-type: this type is written `(array-type int N)`
          Write `(array-type int N)`: "(lift (N) ((array-type int N)) (lambda (xs) xs))"
        (lift (N) ([int]) (lambda (xs) xs))
        11..16 "[int]" syntax/expected-type: this type is written `(array-type int N)`
          Write `(array-type int N)`: "(lift (N) ((array-type int N)) (lambda (xs) xs))"
        (lift (N) ([N]int) (lambda (xs) xs))
        11..17 "[N]int" syntax/expected-type: this type is written `(array-type int N)`
          Write `(array-type int N)`: "(lift (N) ((array-type int N)) (lambda (xs) xs))"
        (lift (N) (Array[Int,N] (array int N)) (lambda (xs) xs))
        11..23 "Array[Int,N]" syntax/expected-type: this type is written `(array-type int N)`
          Write `(array-type int N)`: "(lift (N) ((array-type int N) (array int N)) (lambda (xs) xs))"
        24..37 "(array int N)" syntax/expected-type: this type is written `(array-type int N)`
          Write `(array-type int N)`: "(lift (N) (Array[Int,N] (array-type int N)) (lambda (xs) xs))"
        (lift (N) ((array-type (int Float) N)) (lambda (xs) xs))
        23..34 "(int Float)" syntax/expected-type: this type is written `(tuple-type int float)`
          Write `(tuple-type int float)`: "(lift (N) ((array-type (tuple-type int float) N)) (lambda (xs) xs))"
        (lift (N) ((array-type N float) (array-type N (tuple-type int int)) (float N)) (lambda (xs ys zs) xs))
        11..31 "(array-type N float)" syntax/expected-type: this type is written `(array-type float N)`
          Write `(array-type float N)`: "(lift (N) ((array-type float N) (array-type N (tuple-type int int)) (float N)) (lambda (xs ys zs) xs))"
        32..67 "(array-type N (tuple-type int int))" syntax/expected-type: this type is written `(array-type (tuple-type int int) N)`
          Write `(array-type (tuple-type int int) N)`: "(lift (N) ((array-type N float) (array-type (tuple-type int int) N) (float N)) (lambda (xs ys zs) xs))"
        68..77 "(float N)" syntax/expected-type: this type is written `(array-type float N)`
          Write `(array-type float N)`: "(lift (N) ((array-type N float) (array-type N (tuple-type int int)) (array-type float N)) (lambda (xs ys zs) xs))"
        (lift (N) (int[] Foo[] [ int[)) (lambda (xs) xs))
        11..16 "int[]" syntax/expected-type: this type is written `(array-type int N)`
          Write `(array-type int N)`: "(lift (N) ((array-type int N) Foo[] [ int[)) (lambda (xs) xs))"
        20..22 "[]" syntax/expected-type: a type is expected here, such as `float` or `(array-type float N)`
        23..29 "[ int[" syntax/expected-type: this type is written `(array-type (array-type int M) N)`
          Write `(array-type (array-type int M) N)`: "(lift (N) (int[] Foo[] (array-type (array-type int M) N))) (lambda (xs) xs))"
        28..29 "[" syntax/unclosed: `]]` is missing: 2 brackets are not closed
          28..29 "[": this bracket is not closed
          Insert `]]`: "(lift (N) (int[] Foo[] [ int[]])) (lambda (xs) xs))"
        33..39 "lambda" syntax/expected-form: `import`, `define` or `lift` must follow the first bracket of a form
        48..49 ")" syntax/unmatched-bracket: `)` closes nothing
        (lift (N) (float[n][m] [N][]f32 [[float]] ((int[N])) (int)) (lambda (xs) xs))
        11..22 "float[n][m]" syntax/expected-type: this type is written `(array-type (array-type float m) n)`
          Write `(array-type (array-type float m) n)`: "(lift (N) ((array-type (array-type float m) n) [N][]f32 [[float]] ((int[N])) (int)) (lambda (xs) xs))"
        23..31 "[N][]f32" syntax/expected-type: this type is written `(array-type (array-type float M) N)`
          Write `(array-type (array-type float M) N)`: "(lift (N) (float[n][m] (array-type (array-type float M) N) [[float]] ((int[N])) (int)) (lambda (xs) xs))"
        32..41 "[[float]]" syntax/expected-type: this type is written `(array-type (array-type float M) N)`
          Write `(array-type (array-type float M) N)`: "(lift (N) (float[n][m] [N][]f32 (array-type (array-type float M) N) ((int[N])) (int)) (lambda (xs) xs))"
        42..52 "((int[N]))" syntax/expected-type: this type is written `(array-type int N)`
          Write `(array-type int N)`: "(lift (N) (float[n][m] [N][]f32 [[float]] (array-type int N) (int)) (lambda (xs) xs))"
        53..58 "(int)" syntax/expected-type: this type is written `int`
          Write `int`: "(lift (N) (float[n][m] [N][]f32 [[float]] ((int[N])) int) (lambda (xs) xs))"
        (lift (N) (Array[Array[Float,M],N] (array (array int M) N) [[ [i32 [) (lambda (xs) xs))
        11..34 "Array[Array[Float,M],N]" syntax/expected-type: this type is written `(array-type (array-type float M) N)`
          Write `(array-type (array-type float M) N)`: "(lift (N) ((array-type (array-type float M) N) (array (array int M) N) [[ [i32 [) (lambda (xs) xs))"
        35..58 "(array (array int M) N)" syntax/expected-type: this type is written `(array-type (array-type int M) N)`
          Write `(array-type (array-type int M) N)`: "(lift (N) (Array[Array[Float,M],N] (array-type (array-type int M) N) [[ [i32 [) (lambda (xs) xs))"
        59..68 "[[ [i32 [" syntax/expected-type: a type is expected here, such as `float` or `(array-type float N)`
        67..68 "[" syntax/unclosed: `]]]]` is missing: 4 brackets are not closed
          67..68 "[": this bracket is not closed
          Insert `]]]]`: "(lift (N) (Array[Array[Float,M],N] (array (array int M) N) [[ [i32 []]]]) (lambda (xs) xs))"
        (define a (let (x y) p (+ x y)))
        15..20 "(x y)" syntax/expected-name: a pattern is written `(tuple x y)`: `(let (tuple x y) value … body)`
          Write `(tuple x y)`: "(define a (let (tuple x y) p (+ x y)))"
        (define f x y (+ x y))
        8..13 "f x y" syntax/expected-params: the name and the parameters of a function are in brackets: `(define (f x y) expr)`
          Write `(f x y)`: "(define (f x y) (+ x y))"
        (lift (N) () (iota N))
        13..21 "(iota N)" syntax/expected-lambda: a lambda is expected here: a kernel is written `(lift (N …) (type …) (lambda (x …) expr))`, and one without inputs has `(lambda () expr)`
          Put `(lambda () …)` around it: "(lift (N) () (lambda () (iota N)))"
        (defun f (x y) (* x y))
        1..6 "defun" syntax/expected-form: a definition begins with `define`, not `defun`: `(define (name param …) expr)`
          Write `define (f x y)`: "(define (f x y) (* x y))"
        (def (f x) (* x 2))
        1..4 "def" syntax/expected-form: a definition begins with `define`, not `def`: `(define (name param …) expr)`
          Write `define`: "(define (f x) (* x 2))"
        (let f (lambda (x) x))
        1..4 "let" syntax/expected-form: a definition begins with `define`, not `let`: `(define (name param …) expr)`
          Write `define`: "(define f (lambda (x) x))"
        (entry f (N) ((array-type int N)) (lambda (xs) xs))
        1..6 "entry" syntax/expected-form: a kernel begins with `lift`, not `entry`: `(lift (N …) (type …) (lambda (x …) expr))`
          Write `lift`: "(lift f (N) ((array-type int N)) (lambda (xs) xs))"
        def f(x)
        0..5 "def f" syntax/expected-form: only forms are allowed here: `(import …)`, `(define …)`, `(lift …)`; a definition is `(define (name param …) expr)`
        6..7 "x" syntax/expected-form: `import`, `define` or `lift` must follow the first bracket of a form
        -- a comment
        0..12 "-- a comment" syntax/expected-form: only forms are allowed here: `(import …)`, `(define …)`, `(lift …)`; a comment starts with `;`
        // a comment
        0..12 "// a comment" syntax/expected-form: only forms are allowed here: `(import …)`, `(define …)`, `(lift …)`; a comment starts with `;`
    "#]];
    check_all(&texts, expected);
}
