//! Calls as they were probably meant: arguments in another order, and values of one element.

use super::harness::{check, check_repaired};
use expect_test::expect;

#[test]
fn a_component_of_the_one_element_of_a_fold() {
    check_repaired(
        "(lift a (N) ((array-type int N))
  (lambda (xs) (get1 (reduce (tuple 0 0) (lambda (p q) (tuple (+ (get1 p) (get1 q)) (get2 q))) (zip xs xs)))))
(lift b (N) ((array-type int N))
  (lambda (xs) (let s (reduceSeq (tuple 0 0) (lambda (p x) (tuple (+ (get1 p) x) x)) xs) (+ (get1 s) (get2 s)))))",
        expect![[r#"
            (lift a (N) ((array-type int N))
              (lambda (xs) (get1 (head (reduce (tuple 0 0) (lambda (p q) (tuple (+ (get1 p) (get1 q)) (get2 q))) (zip xs xs))))))
            (lift b (N) ((array-type int N))
              (lambda (xs) (let s (reduceSeq (tuple 0 0) (lambda (p x) (tuple (+ (get1 p) x) x)) xs) (+ (get1 (head s)) (get2 (head s))))))

            a : Array[Int,N] -> Int
            b : Array[Int,N] -> Int
        "#]],
    );
    check(
        "(lift a (N) ((array-type int N))
  (lambda (xs) (get1 (reduce (tuple 0 0) (lambda (p q) (tuple (+ (get1 p) (get1 q)) (get2 q))) (zip xs xs)))))
(lift b (N) ((array-type int N)) (lambda (xs) (get3 (reduce (tuple 0 0) (lambda (p q) p) (zip xs xs)))))
(lift c (N) ((array-type int N)) (lambda (xs) (get1 (reduce 0 + xs))))",
        expect![[r#"
            a : Array[Int,N] -> ?
              no-component at `get1`: `get1` takes a tuple, but this is `Array[(Int, Int),1]`; `reduce` gives an array of length 1, and `(head (reduce (tuple 0 0) (lambda …) (zip xs …)` is its element
                fix: Write `(head (reduce (tuple 0 0) (lambda …) (zip xs …)`
            b : Array[Int,N] -> ?
              no-component at `get3`: `get3` takes a tuple, but this is `Array[(Int, Int),1]`
            c : Array[Int,N] -> ?
              no-component at `get1`: `get1` takes a tuple, but this is `Array[Int,1]`
        "#]],
    );
}

#[test]
fn a_body_of_unbound_names_at_the_place_of_a_value() {
    check_repaired(
        "(lift a (N) ((array-type int N)) (lambda (xs) (reduce (+ x y) 0 xs)))
(lift b (N) ((array-type int N)) (lambda (xs) (filter xs (> x 0))))",
        expect![[r#"
            (lift a (N) ((array-type int N)) (lambda (xs) (reduce 0 (lambda (x y) (+ x y)) xs)))
            (lift b (N) ((array-type int N)) (lambda (xs) (filter (lambda (x) (> x 0)) xs)))

            a : Array[Int,N] -> Array[Int,1]
            b : Array[Int,N] -> <∃X, Array[Int,X]>
        "#]],
    );
    check(
        "(lift a (N) ((array-type int N)) (lambda (xs) (reduce (+ x y) 0 xs)))
(lift b (N) ((array-type int N)) (lambda (xs) (filter xs (> x 0))))
(lift c (N) ((array-type int N)) (lambda (xs) (reduce (+ x 1) 0 xs)))",
        expect![[r#"
            a : Array[Int,N] -> Array[Int,1]
              argument-order at `(+ x y)`: `reduce` takes the value first and then the function: `(+ x y)` and `0` have changed places; a function is wanted here: `(lambda (x y) (+ x y))`
                `0`: the value is here
                fix: Write `(reduce 0 (lambda (x y) (+ x y)) xs)`
            b : Array[Int,N] -> <∃X, Array[Int,X]>
              argument-order at `xs`: `filter` takes the function first and then the value: `xs` and `(> x 0)` have changed places; a function is wanted here: `(lambda (x) (> x 0))`
                `(> x 0)`: the function is here
                fix: Write `(filter (lambda (x) (> x 0)) xs)`
            c : Array[Int,N] -> ?
              unknown-name at `x`: there is no `x` here
        "#]],
    );
}

#[test]
fn another_name_takes_its_arguments_in_another_order() {
    check_repaired(
        "(lift a (N) ((array-type int N)) (lambda (xs) (foldl + 0 xs)))
(lift b (N) ((array-type int N)) (lambda (xs) (foldl (lambda (a x) (+ a x)) 0 xs)))
(lift c (N) ((array-type int N)) (lambda (xs) (fold 0 + xs)))
(lift d (N) ((array-type int N)) (lambda (xs) (!! 0 xs)))",
        expect![[r#"
            (lift a (N) ((array-type int N)) (lambda (xs) (reduceSeq 0 + xs)))
            (lift b (N) ((array-type int N)) (lambda (xs) (reduceSeq 0 (lambda (a x) (+ a x)) xs)))
            (lift c (N) ((array-type int N)) (lambda (xs) (reduceSeq 0 + xs)))
            (lift d (N) ((array-type int N)) (lambda (xs) (aref xs 0)))

            a : Array[Int,N] -> Array[Int,1]
            b : Array[Int,N] -> Array[Int,1]
            c : Array[Int,N] -> Array[Int,1]
            d : Array[Int,N] -> Int
        "#]],
    );
    check(
        "(lift a (N) ((array-type int N)) (lambda (xs) (foldl + 0 xs)))",
        expect![[r#"
        a : Array[Int,N] -> ?
          unknown-name at `foldl`: there is no `foldl` here; it is called `reduceSeq`
            fix: Write `(reduceSeq 0 + xs)`
    "#]],
    );
}

#[test]
fn each_component_of_a_start_is_neutral() {
    check(
        "(lift a (N) ((array-type int N))
  (lambda (xs) (reduce (tuple 0 1) (lambda ((tuple a b) (tuple c d)) (tuple (+ a c) (max d b))) (zip xs xs))))
(lift b (N) ((array-type int N))
  (lambda (xs) (scan (tuple 1 (tuple 0 0)) (lambda (p q) (tuple (+ (get1 p) (get1 q)) (tuple (* (get1 (get2 p)) (get1 (get2 q))) (+ (get2 (get2 q)) (get1 p))))) (map (lambda (x) (tuple x (tuple x x))) xs))))
(lift c (N) ((array-type int N))
  (lambda (xs) (reduceSeq (tuple 1 1) (lambda ((tuple a b) (tuple c d)) (tuple (+ a c) (+ b d))) (zip xs xs))))
(lift d (N) ((array-type float N)) (lambda (xs) (map (+ 3.0f) (reduce 3.0f + xs))))",
        expect![[r#"
            a : Array[Int,N] -> Array[(Int, Int),1]
            b : Array[Int,N] -> Array[(Int, (Int, Int)),N]
              not-neutral at `1`: `scan` may combine this with elements more than once, so it must be neutral for `+`: `0` is, `1` is not; `(+ 1 …)` of a result combines it once
                fix: Start from the neutral element `0`
              not-neutral at `0`: `scan` may combine this with elements more than once, so it must be neutral for `*`: `1` is, `0` is not; `(* 0 …)` of a result combines it once
                fix: Start from the neutral element `1`
            c : Array[Int,N] -> Array[(Int, Int),1]
            d : Array[Float,N] -> Array[Float,1]
              not-neutral at `3.0f`: `reduce` may combine this with elements more than once, so it must be neutral for `+`: `0.0f` is, `3.0f` is not; `(+ 3.0f …)` of a result combines it once
                fix: Start from the neutral element `0.0f`
        "#]],
    );
}

#[test]
fn the_literal_of_elements_is_written_at_their_type() {
    check_repaired(
        "(lift a (N) ((array-type float N)) (lambda (xs) (concat xs (map (lambda (_x) inf) xs))))
(lift b (N) ((array-type int N)) (lambda (xs) (concat xs (map (lambda (x) (let _y x 1.0f)) xs))))
(lift c (N) ((array-type float N)) (lambda (xs) (concat xs (generate #N (lambda (_i) 0)))))
(lift d (N) ((array-type float N)) (lambda (xs) (concat xs (fill #N 1.5))))
(lift e (N) ((array-type float N) (array-type int N)) (lambda (xs ks) (concat xs (map (lambda (k) k) ks))))",
        expect![[r#"
            (lift a (N) ((array-type float N)) (lambda (xs) (concat xs (map (lambda (_x) inff) xs))))
            (lift b (N) ((array-type int N)) (lambda (xs) (concat xs (map toInt (map (lambda (x) (let _y x 1.0f)) xs)))))
            (lift c (N) ((array-type float N)) (lambda (xs) (concat xs (generate #N (lambda (_i) 0.0f)))))
            (lift d (N) ((array-type float N)) (lambda (xs) (concat xs (fill #N 1.5f))))
            (lift e (N) ((array-type float N) (array-type int N)) (lambda (xs ks) (concat xs (map toFloat (map (lambda (k) k) ks)))))

            a : Array[Float,N] -> Array[Float,2*N]
            b : Array[Int,N] -> Array[Int,2*N]
            c : Array[Float,N] -> Array[Float,2*N]
            d : Array[Float,N] -> Array[Float,2*N]
            e : Array[Float,N] -> Array[Int,N] -> Array[Float,2*N]
        "#]],
    );
}

#[test]
fn ordinals_are_words_and_then_numbers() {
    check(
        "(define (f (a int) (b int) (c int) (d int) (e int)) (+ a (+ b (+ c (+ d e)))))
(lift a () () (lambda () (f 1 2 3 4 true)))",
        expect![[r#"
            f : Int -> Int -> Int -> Int -> Int -> Int
            a : Int
              type-mismatch at `true`: `f` needs `Int` as its fifth argument, but this is `Bool`
        "#]],
    );
    assert_eq!([8, 20, 21, 22, 110].map(crate::diagnostics::words::ordinal), ["9th", "21st", "22nd", "23rd", "111th"]);
}

#[test]
fn expressions_without_brackets_and_tests_that_are_numbers() {
    check(
        "(lift a (N) ((array-type int N)) (lambda (xs) (map (lambda (i) (aref xs i+1)) (iota 3))))
(lift b (N) ((array-type int N)) (lambda (xs) (map (lambda (x) (if x==2 1 x)) xs)))
(lift c (N) ((array-type (tuple-type int int) N)) (lambda (ps) (map (lambda (p) p.1) ps)))
(lift d (N) ((array-type int N)) (lambda (xs) (filter (lambda (x) (mod x 2)) xs)))
(lift e (N) ((array-type float N)) (lambda (xs) (iterateWhile (lambda (s) (let n (length s) n)) tail xs)))
(lift f () (int) (lambda (n) (* n n-1)))",
        expect![[r#"
            a : Array[Int,N] -> Array[Int,3]
              unknown-name at `i+1`: there is no `i+1` here; write `(+ i 1)`
                fix: Write `(+ i 1)`
            b : Array[Int,N] -> Array[Int,N]
              unknown-name at `x==2`: there is no `x==2` here; write `(= x 2)`
                fix: Write `(= x 2)`
            c : Array[(Int, Int),N] -> Array[?,N]
              unknown-name at `p.1`: there is no `p.1` here; write `(get2 p)`
                fix: Write `(get2 p)`
            d : Array[Int,N] -> <∃X, Array[Int,X]>
              type-mismatch at `(lambda (x) (mod x 2))`: `filter` needs `Int -> Bool` as its first argument, but this is `Int -> Int` (`Bool` is not `Int`); `(!= (mod x 2) 0)` compares it
                fix: Write `(!= (mod x 2) 0)`
            e : Array[Float,N] -> ?
              type-mismatch at `(lambda (s) (let n (length s) n))`: `iterateWhile` needs `Array[Float,_] -> Bool` as its first argument, but this is `Array[Float,_] -> Int` (`Bool` is not `Int`); `(!= n 0)` compares it
                fix: Write `(!= n 0)`
            f : Int -> Int
              unknown-name at `n-1`: there is no `n-1` here; write `(- n 1)`
                fix: Write `(- n 1)`
        "#]],
    );
}
