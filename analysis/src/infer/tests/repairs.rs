//! Programs check after the quick fixes of the checker.

use super::harness::check_repaired;
use expect_test::expect;

const PREDICATES: &str = "(define (pos x) (> x 0.0f))\n(define (small x) (< x 1.0f))\n";

#[test]
fn two_filters_are_cast_to_one_length() {
    check_repaired(
        &format!(
            "{PREDICATES}(lift f (N) ((array-type float N)) (lambda (xs) (zip (filter pos xs) (filter small xs))))"
        ),
        expect![[r#"
            (define (pos x) (> x 0.0f))
            (define (small x) (< x 1.0f))
            (lift f (N) ((array-type float N)) (lambda (xs) (let v1 (filter pos xs) (zip v1 (: (filter small xs) (array-type float (length v1)))))))

            pos : Float -> Bool
            small : Float -> Bool
            f : Array[Float,N] -> <∃X, Array[(Float, Float),X]>
        "#]],
    );
}

#[test]
fn a_number_that_is_written_as_a_size_is_written_as_a_number() {
    check_repaired(
        "(lift f (N) ((array-type int N) int) (lambda (xs k) (map (lambda (i) (slice #i #2 xs)) (take #k (iota (- N 2))))))",
        expect![[r#"
            (lift f (N) ((array-type int N) int) (lambda (xs k) (map (lambda (i) (slice i #2 xs)) (take k (iota (- N 2))))))

            f : Array[Int,N] -> Int -> <∃X, Array[Array[Int,2],X]>
              assumes N-2 is not negative
        "#]],
    );
}

#[test]
fn lengths_of_parameters_are_named() {
    check_repaired(
        "(lift f (N M) ((array-type float N) (array-type float M)) (lambda (xs ys) (zip xs ys)))
(lift g (N M) ((array-type float N)) (lambda (xs) (let ys (filter (lambda (x) (> x 0.0f)) xs) (zip ys xs))))",
        expect![[r#"
            (lift f (N M) ((array-type float N) (array-type float M)) (lambda (xs ys) (zip xs (: ys (array-type float N)))))
            (lift g (N M) ((array-type float N)) (lambda (xs) (let ys (filter (lambda (x) (> x 0.0f)) xs) (zip ys (: xs (array-type float (length ys)))))))

            f : Array[Float,N] -> Array[Float,M] -> Array[(Float, Float),N]
              assumes M equals N
            g : Array[Float,N] -> <∃X, Array[(Float, Float),X]>
        "#]],
    );
}

#[test]
fn literals() {
    check_repaired(
        "(define (f (x float)) (* x 2))\n(define (g (x double)) (* 2 (+ x 1.5f)))",
        expect![[r#"
        (define (f (x float)) (* x 2.0f))
        (define (g (x double)) (* 2.0 (+ x 1.5)))

        f : Float -> Float
        g : Double -> Double
    "#]],
    );
}

#[test]
fn functions_of_sizes_become_lambdas() {
    check_repaired(
        "(lift f (N) ((array-type int N)) (lambda (ns) (map iota ns)))",
        expect![[r#"
        (lift f (N) ((array-type int N)) (lambda (ns) (map (lambda (n) (iota n)) ns)))

        f : Array[Int,N] -> Array[<∃X, Array[Int,X]>,N]
    "#]],
    );
}

#[test]
fn arguments_are_exchanged() {
    check_repaired(
        "(lift a (N) ((array-type float N)) (lambda (xs) (reduce + 0.0f xs)))
(lift b (N) ((array-type float N)) (lambda (xs) (map xs (lambda (x) (* x 2.0f)))))",
        expect![[r#"
            (lift a (N) ((array-type float N)) (lambda (xs) (reduce 0.0f + xs)))
            (lift b (N) ((array-type float N)) (lambda (xs) (map (lambda (x) (* x 2.0f)) xs)))

            a : Array[Float,N] -> Array[Float,1]
            b : Array[Float,N] -> Array[Float,N]
        "#]],
    );
}
