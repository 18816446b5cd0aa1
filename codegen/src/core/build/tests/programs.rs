//! Whole kernels, as printed.

use super::*;
use expect_test::expect;

#[test]
fn a_map() {
    check_kernel(
        "(lift halves (N) ((array-type float N)) (lambda (xs) (mapGlb (lambda (x) (* x 0.5f)) xs)))",
        expect![[r#"
            kernel halves (N) (xs : Array[Float,N]) -> Array[Float,N]
              let t : Array[Float,N] = mapGlb0 (λ(x : Float)
                let t'2 : Float = x * 0.5f
                t'2) xs
              t
        "#]],
    );
}

#[test]
fn a_filter_whose_result_is_used_twice_has_one_length() {
    check_kernel(
        "(lift twice (N) ((array-type int N))
           (lambda (xs) (let ys (filter (lambda (x) (> x 0)) xs) (zip (map (lambda (y) (* y y)) ys) ys))))",
        expect![[r#"
            kernel twice (N) (xs : Array[Int,N]) -> <∃X, Array[(Int, Int),X]>
              let ys : <∃X, Array[Int,X]> = filter (λ(x : Int)
                let t : Bool = x > 0
                t) xs
              unpack (X1) ys'2 : Array[Int,X1] = ys
              let t'2 : Array[Int,X1] = map (λ(y : Int)
                let t'3 : Int = y * y
                t'3) ys'2
              let t'4 : Array[(Int, Int),X1] = zip t'2 ys'2
              let t'5 : <∃X, Array[(Int, Int),X]> = pack t'4 hiding X1
              t'5
        "#]],
    );
}

#[test]
fn rows_of_hidden_lengths() {
    check_kernel(
        "(lift rows (N M) ((array-type (array-type int M) N))
           (lambda (xss) (map (lambda (xs) (map (+ 1) (filter (lambda (x) (> x 0)) xs))) xss)))",
        expect![[r#"
            kernel rows (N M) (xss : Array[Array[Int,M],N]) -> Array[<∃X, Array[Int,X]>,N]
              let t : Array[<∃X, Array[Int,X]>,N] = map (λ(xs : Array[Int,M])
                let t'2 : <∃X, Array[Int,X]> = filter (λ(x : Int)
                  let t'3 : Bool = x > 0
                  t'3) xs
                unpack (X1) t'4 : Array[Int,X1] = t'2
                let t'5 : Array[Int,X1] = map (λ(x'2 : Int)
                  let t'6 : Int = 1 + x'2
                  t'6) t'4
                let t'7 : <∃X, Array[Int,X]> = pack t'5 hiding X1
                t'7) xss
              t
        "#]],
    );
}

#[test]
fn assumptions_are_those_of_all_definitions() {
    check_kernel(
        "(define (pairs xs) (split #2 xs))
         (lift f (N) ((array-type int N)) (lambda (xs) (map (lambda (p) (head (reduceSeq 0 + p))) (pairs xs))))",
        expect![[r#"
            kernel f (N) (xs : Array[Int,N]) -> Array[Int,N/2]
              assume 2 divides N
              let t : Array[Array[Int,2],N/2] = split #2 xs
              let t'2 : Array[Int,N/2] = map (λ(p : Array[Int,2])
                let t'3 : Array[Int,1] = reduceSeq (λ(x : Int, x'2 : Int)
                  let t'4 : Int = x + x'2
                  t'4) 0 p
                let t'5 : Int = head t'3
                t'5) t
              t'2
        "#]],
    );
}

#[test]
fn an_assumption_about_an_opened_length() {
    let text = "(lift f (N) ((array-type int N))
                  (lambda (xs) (split #2 (filter (lambda (x) (> x 0)) xs))))";
    check_kernel(
        text,
        expect![[r#"
        kernel f (N) (xs : Array[Int,N]) -> <∃X, Array[Array[Int,2],X]>
          assume 2 divides X1
          let t : <∃X, Array[Int,X]> = filter (λ(x : Int)
            let t'2 : Bool = x > 0
            t'2) xs
          unpack (X1) t'3 : Array[Int,X1] = t
          let t'4 : Array[Array[Int,2],X1/2] = split #2 t'3
          let t'5 : <∃X, Array[Array[Int,2],X]> = pack t'4 hiding X1/2
          t'5
    "#]],
    );
    check(text, &[ints([1, 2, -1, 3, 4])], expect!["[[1, 2], [3, 4]]"]);
    check(
        text,
        &[ints([1, 2, -1, 3])],
        expect!["stopped: the program relies on `2 divides X1`, which is false for X1 = 3"],
    );
}

const HALVES: &str = "(lift halves (N) ((array-type float N)) (lambda (xs) (map (lambda (x) (* x 0.5f)) (filter (lambda (y) (> y 0.0f)) xs))))";

#[test]
fn statements_and_functions_know_where_they_come_from() {
    let (_, kernel) = build(HALVES).expect("it is right");
    let made = crate::core::print::mapped(&kernel);
    assert_eq!(made.text, kernel.to_string());
    let innermost = |part: &str| {
        let at = made.text.find(part).unwrap_or_else(|| panic!("no {part} in {}", made.text)) as u32;
        let (range, origin) = made.map.iter().rfind(|(range, _)| range.contains(&at)).expect("it comes from somewhere");
        (&made.text[range.start as usize..range.end as usize], origin.clone())
    };
    let (product, _) = innermost("x * 0.5f");
    assert!(product.starts_with("let") && product.ends_with("x * 0.5f"), "{product}");
    let (function, of_function) = innermost("(λ(x");
    assert!(function.starts_with("(λ(x : Float)") && function.ends_with(')'), "{function}");
    let (call, of_call) = innermost("map (λ");
    assert!(call.contains("= map (λ(x") && of_call != of_function, "{call}");
}

#[test]
fn the_meaning_of_a_kernel_is_not_its_names() {
    let meaning = |text: &str| crate::core::print::meaning(&build(text).expect("it is right").1);
    let first = meaning(HALVES);
    assert_eq!(first, meaning(&HALVES.replace("(x)", "(renamed)").replace("* x", "* renamed")));
    assert_eq!(first, meaning(&HALVES.replace("(map", "\n    (map ; of them\n")));
    assert_ne!(first, meaning(&HALVES.replace("0.5f", "0.25f")));
    assert_ne!(first, meaning(&HALVES.replace("map", "mapSeq")));
}
