//! Arrays in place of elements, functions of elements in place of functions of arrays, and too many arguments: one error each,
//! with what was meant.

use super::harness::{check, check_repaired};
use expect_test::expect;

#[test]
fn one_level_too_deep() {
    check_repaired(
        "(define (zipWith f xs ys) (map (lambda (p) (f (get1 p) (get2 p))) (zip xs ys)))
(define (total xs) (head (reduce 0.0f + xs)))
(lift a (N M) ((array-type (array-type float M) N)) (lambda (xss) (map (* 2.0f) xss)))
(lift b (N M) ((array-type (array-type float M) N)) (lambda (xss) (map sqrt xss)))
(lift c (N M) ((array-type (array-type float M) N)) (lambda (xss) (filter (> 2.0f) xss)))
(lift d (N M) ((array-type (array-type float M) N)) (lambda (xss) (zipWith + xss xss)))
(lift e (N M) ((array-type (array-type float M) N)) (lambda (xss) (reduce 0.0f + xss)))
(lift f (N M) ((array-type (array-type float M) N)) (lambda (xss) (total xss)))
(lift g (N) ((array-type float N)) (lambda (xs) (aref xs (argsort < xs))))
(lift h (N) ((array-type int N)) (lambda (xs) (iterateWhile (> 9) (+ 1) xs)))",
        expect![[r#"
            (define (zipWith f xs ys) (map (lambda (p) (f (get1 p) (get2 p))) (zip xs ys)))
            (define (total xs) (head (reduce 0.0f + xs)))
            (lift a (N M) ((array-type (array-type float M) N)) (lambda (xss) (map (map (* 2.0f)) xss)))
            (lift b (N M) ((array-type (array-type float M) N)) (lambda (xss) (map (map sqrt) xss)))
            (lift c (N M) ((array-type (array-type float M) N)) (lambda (xss) (map (filter (> 2.0f)) xss)))
            (lift d (N M) ((array-type (array-type float M) N)) (lambda (xss) (zipWith (zipWith +) xss xss)))
            (lift e (N M) ((array-type (array-type float M) N)) (lambda (xss) (map (reduce 0.0f +) xss)))
            (lift f (N M) ((array-type (array-type float M) N)) (lambda (xss) (map total xss)))
            (lift g (N) ((array-type float N)) (lambda (xs) (map (aref xs) (argsort < xs))))
            (lift h (N) ((array-type int N)) (lambda (xs) (map (iterateWhile (> 9) (+ 1)) xs)))

            zipWith : (a -> b -> c) -> Array[a,n] -> Array[b,n] -> Array[c,n]
            total : Array[Float,n] -> Float
            a : Array[Array[Float,M],N] -> Array[Array[Float,M],N]
            b : Array[Array[Float,M],N] -> Array[Array[Float,M],N]
            c : Array[Array[Float,M],N] -> Array[<∃X, Array[Float,X]>,N]
            d : Array[Array[Float,M],N] -> Array[Array[Float,M],N]
            e : Array[Array[Float,M],N] -> Array[Array[Float,1],N]
            f : Array[Array[Float,M],N] -> Array[Float,N]
            g : Array[Float,N] -> Array[Float,N]
            h : Array[Int,N] -> Array[Int,N]
        "#]],
    );
}

#[test]
fn functions_of_an_index() {
    check_repaired(
        "(lift a (N) ((array-type float N) (array-type int N)) (lambda (xs is) (gather is xs)))
(lift b (N) ((array-type float N) (array-type int N)) (lambda (xs is) (gather xs is)))",
        expect![[r#"
            (lift a (N) ((array-type float N) (array-type int N)) (lambda (xs is) (gather (aref is) xs)))
            (lift b (N) ((array-type float N) (array-type int N)) (lambda (xs is) (map (aref xs) is)))

            a : Array[Float,N] -> Array[Int,N] -> Array[Float,N]
            b : Array[Float,N] -> Array[Int,N] -> Array[Float,N]
        "#]],
    );
}

#[test]
fn arrays_that_have_changed_places() {
    check_repaired(
        "(define (at dest (is (array-type int n)) xs) (tuple dest is xs (zip is xs)))
(lift a (N) ((array-type float N) (array-type int N)) (lambda (xs is) (at xs xs is)))
(lift b (N) ((array-type float N) (array-type int N)) (lambda (xs is) (at is xs xs)))",
        expect![[r#"
            (define (at dest (is (array-type int n)) xs) (tuple dest is xs (zip is xs)))
            (lift a (N) ((array-type float N) (array-type int N)) (lambda (xs is) (at xs is xs)))
            (lift b (N) ((array-type float N) (array-type int N)) (lambda (xs is) (at xs is xs)))

            at : a -> Array[Int,n] -> Array[b,n] -> (a, Array[Int,n], Array[b,n], Array[(Int, b),n])
            a : Array[Float,N] -> Array[Int,N] -> (Array[Float,N], Array[Int,N], Array[Float,N], Array[(Int, Float),N])
            b : Array[Float,N] -> Array[Int,N] -> (Array[Float,N], Array[Int,N], Array[Float,N], Array[(Int, Float),N])
        "#]],
    );
}

#[test]
fn functions_that_say_which_comes_first() {
    check_repaired(
        "(lift a (N) ((array-type int N)) (lambda (xs) (sort (lambda (a b) (- a b)) xs)))
(lift b (N) ((array-type float N)) (lambda (xs) (argsort - xs)))",
        expect![[r#"
            (lift a (N) ((array-type int N)) (lambda (xs) (sort (lambda (a b) (< a b)) xs)))
            (lift b (N) ((array-type float N)) (lambda (xs) (argsort < xs)))

            a : Array[Int,N] -> Array[Int,N]
            b : Array[Float,N] -> Array[Int,N]
        "#]],
    );
}

#[test]
fn too_many_arguments() {
    check_repaired(
        "(define (zipWith f xs ys) (map (lambda (p) (f (get1 p) (get2 p))) (zip xs ys)))
(define (update xs index value) (map (lambda ((tuple i x)) (if (= i index) value x)) (zip (iota #(length xs)) xs)))
(define (scatterInto dest (is (array-type int n)) xs) (head (reduceSeq dest (lambda (d (tuple i x)) (update d i x)) (zip is xs))))
(lift a (N) ((array-type int N) (array-type int N)) (lambda (xs ys) (map (lambda ((tuple x y)) (+ x y)) xs ys)))
(lift b (N) ((array-type int N) (array-type int N)) (lambda (xs ys) (zipWith max xs ys xs)))
(lift c (N M) ((array-type (array-type int M) N)) (lambda (xss) (update xss 0 0 5)))
(lift d (N) ((array-type int N)) (lambda (xs) (map (lambda (x) (toFloat x / 2.0f)) xs)))
(lift e (N) ((array-type float N) (array-type int N)) (lambda (xs is) (scatter xs is xs)))",
        expect![[r#"
            (define (zipWith f xs ys) (map (lambda (p) (f (get1 p) (get2 p))) (zip xs ys)))
            (define (update xs index value) (map (lambda ((tuple i x)) (if (= i index) value x)) (zip (iota #(length xs)) xs)))
            (define (scatterInto dest (is (array-type int n)) xs) (head (reduceSeq dest (lambda (d (tuple i x)) (update d i x)) (zip is xs))))
            (lift a (N) ((array-type int N) (array-type int N)) (lambda (xs ys) (map (lambda ((tuple x y)) (+ x y)) (zip xs ys))))
            (lift b (N) ((array-type int N) (array-type int N)) (lambda (xs ys) (zipWith (lambda (x p) (max x (get1 p) (get2 p))) xs (zip ys xs))))
            (lift c (N M) ((array-type (array-type int M) N)) (lambda (xss) (update xss 0 (update (aref xss 0) 0 5))))
            (lift d (N) ((array-type int N)) (lambda (xs) (map (lambda (x) (/ (toFloat x)  2.0f)) xs)))
            (lift e (N) ((array-type float N) (array-type int N)) (lambda (xs is) (scatterInto xs is xs)))

            zipWith : (a -> b -> c) -> Array[a,n] -> Array[b,n] -> Array[c,n]
            update : Array[a,n] -> Int -> a -> Array[a,n]
            scatterInto : Array[a,m] -> Array[Int,n] -> Array[a,n] -> Array[a,m]
            a : Array[Int,N] -> Array[Int,N] -> Array[Int,N]
            b : Array[Int,N] -> Array[Int,N] -> Array[Int,N]
            c : Array[Array[Int,M],N] -> Array[Array[Int,M],N]
            d : Array[Int,N] -> Array[Float,N]
            e : Array[Float,N] -> Array[Int,N] -> Array[Float,N]
        "#]],
    );
}

#[test]
fn parameters_and_patterns() {
    check_repaired(
        "(lift a (N) ((array-type int N)) (lambda (xs) (reduceSeq (tuple 0 0) (lambda (a b x) (tuple (+ a x) b)) xs)))",
        expect![[r#"
            (lift a (N) ((array-type int N)) (lambda (xs) (reduceSeq (tuple 0 0) (lambda ((tuple a b) x) (tuple (+ a x) b)) xs)))

            a : Array[Int,N] -> Array[(Int, Int),1]
        "#]],
    );
    check(
        "(lift b (N) ((array-type int N)) (lambda (xs) (reduceSeq xs (lambda ((tuple a b) x) (tuple b (+ a x))) xs)))",
        expect![[r#"
            b : Array[Int,N] -> Array[Array[Int,N],1]
              type-mismatch at `(tuple a b)`: the pattern destructures `(_, _)`, but the value is `Array[Int,N]`
        "#]],
    );
}

#[test]
fn literals_in_several_branches() {
    check_repaired(
        "(lift a () (float) (lambda (x) (if (> x 1.0f) 1 (if (> x 0.5f) 0 x))))
(lift b () (float) (lambda (x) (if (> x 1.0f) x (let y 2.0f (if (> x y) 1 0)))))
(lift e (N) ((array-type int N)) (lambda (xs) (map sqrt xs)))
(lift f () (int) (lambda (x) (sqrt (+ x 1))))",
        expect![[r#"
            (lift a () (float) (lambda (x) (if (> x 1.0f) 1.0f (if (> x 0.5f) 0.0f x))))
            (lift b () (float) (lambda (x) (if (> x 1.0f) x (toFloat (let y 2.0f (if (> x y) 1 0))))))
            (lift e (N) ((array-type int N)) (lambda (xs) (map sqrt (map toFloat xs))))
            (lift f () (int) (lambda (x) (sqrt (toFloat (+ x 1)))))

            a : Float -> Float
            b : Float -> Float
            e : Array[Int,N] -> Array[Float,N]
            f : Int -> Float
        "#]],
    );
}

#[test]
fn a_literal_as_a_definition() {
    check(
        "(define pi 3.14159)
(lift a () (float) (lambda (x) (sin (* x pi))))
(lift b (N) ((array-type float N)) (lambda (xs) (map (* pi) xs)))
(lift c () (double) (lambda (x) (* x pi)))",
        expect![[r#"
            pi : Double
            a : Float -> Float
              type-mismatch at `pi`: the literal `3.14159` in `pi` is `Double`, but it meets `Float` here; there, `3.14159f` fits
            b : Array[Float,N] -> Array[Double,N]
              type-mismatch at `pi`: the literal `3.14159` in `pi` is `Double`, but it meets `Float` here; there, `3.14159f` fits
            c : Double -> Double
        "#]],
    );
}
