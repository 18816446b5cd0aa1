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
