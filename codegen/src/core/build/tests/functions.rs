//! Functions that the kernel no longer contains: passed on, composed, chosen, partially applied, bound by `let`.

use super::*;
use expect_test::expect;

fn on_ints(body: &str, inputs: impl IntoIterator<Item = i32>, expected: Expect) {
    let text = format!("(lift f (N) ((array-type int N)) (lambda (xs) {body}))");
    check(&text, &[ints(inputs)], expected);
}

#[test]
fn lambdas_and_primitives_are_given_to_primitives() {
    on_ints("(map (lambda (x) (+ x 1)) xs)", 0..3, expect!["[1, 2, 3]"]);
    on_ints("(map neg xs)", 0..3, expect!["[0, -1, -2]"]);
    on_ints("(reduce 0 + xs)", 0..4, expect!["[6]"]);
    on_ints("(map (- 10) xs)", 0..3, expect!["[10, 9, 8]"]);
    on_ints("(map (lambda (x) (x)) xs)", 0..3, expect!["[0, 1, 2]"]);
}

#[test]
fn definitions_are_given_to_definitions() {
    check(
        "(define (twice f x) (f (f x)))
         (define (quadruple x) (twice (twice (lambda (y) (* 2 y))) x))
         (lift f (N) ((array-type int N)) (lambda (xs) (map quadruple xs)))",
        &[ints([1, 3])],
        expect!["[16, 48]"],
    );
}

#[test]
fn a_definition_is_used_at_several_types_and_lengths() {
    check(
        "(define (total z f xs) (head (reduceSeq z f xs)))
         (lift f (N M) ((array-type int N) (array-type float M))
           (lambda (xs ys) (tuple (total 0 + xs) (total 1.0f * ys))))",
        &[ints(0..5), floats([2.0, 4.0])],
        expect!["(10, 8.0)"],
    );
}

#[test]
fn a_let_bound_function_is_used_at_several_types() {
    check(
        "(lift f (N M) ((array-type int N) (array-type float M))
           (lambda (xs ys)
             (let pairs (lambda (zs) (zip zs (reverse zs)))
               (tuple (pairs xs) (pairs ys)))))",
        &[ints(0..3), floats([2.0, 4.0])],
        expect!["([(0, 2), (1, 1), (2, 0)], [(2.0, 4.0), (4.0, 2.0)])"],
    );
}

#[test]
fn compositions() {
    on_ints("((o (map neg) (map (+ 1))) xs)", 0..3, expect!["[-1, -2, -3]"]);
    on_ints("(o (map neg) (map (+ 1)) xs)", 0..3, expect!["[-1, -2, -3]"]);
    on_ints("(map (o neg (+ 1) (* 2)) xs)", 0..3, expect!["[-1, -3, -5]"]);
    on_ints("((o (map neg) (filter (lambda (x) (> x 1)))) xs)", 0..4, expect!["[-2, -3]"]);
    on_ints("(map (o join (map (map neg)) (split #1)) (split #2 xs))", 0..4, expect!["[[0, -1], [-2, -3]]"]);
    on_ints("(map (o (map neg) (filter (lambda (x) (> x 1)))) (split #2 xs))", 0..4, expect!["[[], [-2, -3]]"]);
}

#[test]
fn a_composition_bound_by_let_opens_lengths_of_its_own_at_each_use() {
    on_ints(
        "(let g (o (map neg) (filter (lambda (x) (> x 1)))) (tuple (g xs) (g (map (+ 2) xs))))",
        0..3,
        expect!["([-2], [-2, -3, -4])"],
    );
}

#[test]
fn an_if_between_functions() {
    on_ints("((if (> (length xs) 2) (map neg) (map (+ 1))) xs)", 0..3, expect!["[0, -1, -2]"]);
    on_ints("(let f (if (> (aref xs 0) 2) neg (lambda (x) (* 2 x))) (map f xs))", 0..3, expect!["[0, 2, 4]"]);
    on_ints("(let f (if (> (aref xs 0) 2) + (lambda (x y) (- x y))) (reduceSeq 0 f xs))", 0..3, expect!["[-3]"]);
    check(
        "(define (choose c f g) (if c f g))
         (lift f (N) ((array-type int N)) (lambda (xs) (map (choose (> (aref xs 0) 2) neg (+ 5)) xs)))",
        &[ints(0..3)],
        expect!["[5, 6, 7]"],
    );
}

#[test]
fn a_tuple_of_functions() {
    on_ints("(let fs (tuple neg (+ 1)) (map (get2 fs) (map (get1 fs) xs)))", 0..3, expect!["[1, 0, -1]"]);
}

#[test]
fn partial_applications_compute_their_arguments_once() {
    check_kernel(
        "(lift f (N) ((array-type int N)) (lambda (xs) (let add (+ (head (reduceSeq 0 + xs))) (map add xs))))",
        expect![[r#"
            kernel f (N) (xs : Array[Int,N]) -> Array[Int,N]
              let t : Array[Int,1] = reduceSeq (λ(x : Int, x'2 : Int)
                let t'2 : Int = x + x'2
                t'2) 0 xs
              let t'3 : Int = head t
              let t'4 : Array[Int,N] = map (λ(x'3 : Int)
                let t'5 : Int = t'3 + x'3
                t'5) xs
              t'4
        "#]],
    );
}

#[test]
fn sizes_are_given_to_definitions() {
    check(
        "(define (chunks k xs) (map (reduceSeq 0 +) (split k xs)))
         (lift f (N) ((array-type int (* 2 N))) (lambda (xs) (chunks #2 xs)))",
        &[ints(0..4)],
        expect!["[[1], [5]]"],
    );
    check(
        "(define (cut n xs) (split #(/ n 2) xs))
         (lift f (N) ((array-type int N)) (lambda (xs) (cut #(length xs) xs)))",
        &[ints(0..4)],
        expect!["[[0, 1], [2, 3]]"],
    );
    check(
        "(define (ramp (xs (array-type int n))) (map (lambda (x) (+ x n)) xs))
         (lift f (N) ((array-type int N)) (lambda (xs) (ramp (concat xs xs))))",
        &[ints(0..2)],
        expect!["[4, 5, 4, 5]"],
    );
}

#[test]
fn iterate_with_a_function_that_changes_the_length() {
    on_ints("(iterate #3 (lambda (ys) (join (map (reduceSeq 0 +) (split #2 ys)))) xs)", 1..9, expect!["[36]"]);
    check(
        "(define (halve ys) (join (map (reduceSeq 0 +) (split #2 ys))))
         (lift f (N) ((array-type int (* 4 N))) (lambda (xs) (iterate #2 halve xs)))",
        &[ints(1..9)],
        expect!["[10, 26]"],
    );
    on_ints("(iterate #2 (lambda (ys) (concat ys ys)) xs)", 1..3, expect!["[1, 2, 1, 2, 1, 2, 1, 2]"]);
    on_ints("(iterate #0 (lambda (ys) (concat ys ys)) xs)", 1..3, expect!["[1, 2]"]);
}

#[test]
fn iterate_with_a_function_that_keeps_the_length() {
    check_kernel(
        "(lift f (N K) ((array-type int N)) (lambda (xs) (iterate #K (map (* 3)) xs)))",
        expect![[r#"
            kernel f (N K) (xs : Array[Int,N]) -> Array[Int,N]
              let t : Array[Int,N] = iterate #K (λ(x : Array[Int,N])
                let t'2 : Array[Int,N] = map (λ(x'2 : Int)
                  let t'3 : Int = 3 * x'2
                  t'3) x
                t'2) xs
              t
        "#]],
    );
}

#[test]
fn a_function_as_a_result_is_an_error() {
    check(
        "(lift f (N) ((array-type int N)) (lambda (xs) (map + xs)))",
        &[],
        expect![
            "error: `f` has errors: a kernel returns data, but this is a function: its type is `Array[Int -> Int,N]`; `+` takes 2 arguments, but `map` gives it one: `zipWith` maps over two arrays, and `(lambda ((tuple x y)) …)` takes a pair [f]"
        ],
    );
    check(
        "(lift f () ((-> int int)) (lambda (g) (g 1)))",
        &[],
        expect!["error: `f` has errors: a kernel takes data, but this is a function: `Int -> Int` [f]"],
    );
    check(
        "(define (g x) x)",
        &[],
        expect!["error: `g` is not a kernel: only a `lift` form can be compiled and run [g]"],
    );
    check(
        "(define (g x) (+ x 1)) (lift f () (int) (lambda (x) (g y)))",
        &[],
        expect!["error: `f` has errors: there is no `y` here [f]"],
    );
}

#[test]
fn a_kernel_without_inputs() {
    let text = "(lift f (N) () (lambda () (generate N (lambda (i) (* i i)))))";
    check_kernel(
        text,
        expect![[r#"
            kernel f (N) -> Array[Int,N]
              let t : Array[Int,N] = generate #N (λ(i; i : Int)
                let t'2 : Int = #i * #i
                t'2)
              t
        "#]],
    );
}

#[test]
fn values_that_are_defined_once() {
    check(
        "(define primes (filter (lambda (n) (!= n 4)) (map (+ 2) (iota #4))))
         (define doubled (map (* 2) primes))
         (lift f () (int) (lambda (x) (tuple (map (+ x) doubled) (let p primes (zip p (map neg p))))))",
        &[Value::from(1)],
        expect!["([5, 7, 11], [(2, -2), (3, -3), (5, -5)])"],
    );
}

#[test]
fn the_border_modes_are_functions_too() {
    for mode in ["clamp", "mirror", "wrap"] {
        let padded =
            result(&format!("(lift f (N) ((array-type int N)) (lambda (xs) (pad #5 #4 {mode} xs)))"), &[ints(0..2)]);
        let read = result(
            &format!(
                "(lift f (N) ((array-type int N)) (lambda (xs) \
                   (generate #(+ N 9) (lambda (i) (aref xs ({mode} (- i 5) N))))))"
            ),
            &[ints(0..2)],
        );
        assert_eq!(padded, read, "{mode}");
    }
}

/// Definitions are inlined recursively; the stack grows on demand.
#[test]
fn a_long_chain_of_definitions() {
    let mut text = "(define (f0 x) (+ x 1))\n".to_string();
    for i in 1..1000 {
        text += &format!("(define (f{i} x) (f{} x))\n", i - 1);
    }
    text += "(lift f () (int) (lambda (x) (f999 x)))";
    check(&text, &[Value::from(41)], expect!["42"]);
}

/// Thirty definitions, each using the previous one twice: 2³⁰ statements.
#[test]
fn an_explosion_of_definitions_is_an_error() {
    let mut text = "(define (f0 x) (+ x 1))\n".to_string();
    for i in 1..30 {
        text += &format!("(define (f{i} x) (f{0} (f{0} x)))\n", i - 1);
    }
    text += "(lift f () (int) (lambda (x) (f29 x)))";
    check(
        &text,
        &[Value::from(41)],
        expect!["error: with all definitions inlined, this kernel is too large to compile [f0]"],
    );
}

/// Twice 2¹²⁶ elements: no coefficient has room for the length.
#[test]
fn a_length_of_which_only_a_digest_is_kept_is_an_error() {
    let text = "\
        (define (grow xs) (iterate #63 (lambda (y) (concat y y)) xs))
        (lift f (N) ((array-type int N)) (lambda (xs) (let ys (grow (grow xs)) (concat ys ys))))";
    let limits = Limits { bytes: 16 << 20, ..Limits::default() };
    expect!["stopped: an array of 4194304 elements needs 16 MiB more; all arrays together may take 16 MiB"]
        .assert_eq(&result_within(limits, text, &[Value::from(vec![1, 2])]));
}

/// Evaluation is limited even where it emits no statements.
#[test]
fn an_explosion_of_functions_is_an_error() {
    let twice: String = (1..40).map(|i| format!("(define (f{i} x) (f{0} (f{0} x)))\n", i - 1)).collect();
    let text = format!("(define (f0 x) x)\n{twice}(lift f (N) ((array-type int N)) (lambda (xs) (f39 xs)))");
    check(&text, &[], expect!["error: with all definitions inlined, this kernel is too large to compile [f0]"]);
}
