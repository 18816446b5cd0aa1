//! What was meant by too many arguments, operators of matrices, and functions of other values than those given.

use super::harness::check;
use expect_test::expect;

#[test]
fn a_number_of_elements_and_several_indices() {
    check(
        "(lift a (N) ((array-type int N)) (lambda (xs) (head xs 3)))
(lift b (N) ((array-type int N)) (lambda (xs) (tail 2 xs)))
(lift c (N) ((array-type int N)) (lambda (xs) (last xs 2)))
(lift d (N) ((array-type int N) int) (lambda (xs k) (init (map neg xs) k)))
(lift e (N M) ((array-type int N) (array-type int M)) (lambda (xs ys) (generate #N (lambda (i j) (* (aref xs i) (aref ys j))))))
(lift f (N M) ((array-type int N) (array-type int M)) (lambda (xs ys) (generate #N #M (lambda (i j) (* (aref xs i) (aref ys j))))))
(lift g () (int int) (lambda (a b) (iota a b)))
(lift h (N) ((array-type (tuple-type int float) N)) (lambda (xs) (map (lambda (p) (aref p 1)) xs)))
(lift i (N) ((array-type int N)) (lambda (xs) (map (compose neg abs) xs)))",
        expect![[r#"
            a : Array[Int,N] -> ?
              assumes N is positive
              type-mismatch at `xs`: `head` needs `Array[_ -> _,N]` as its first argument, but this is `Array[Int,N]` (`_ -> _` is not `Int`); write `(take 3 xs)`
                `head`: `_ -> _` comes from `head`
                fix: Write `(take 3 xs)`
            b : Array[Int,N] -> ?
              too-many-arguments at `xs`: `tail` takes one argument, but it is given 2; write `(drop 2 xs)`
                `tail`: `tail` has the type `Array[_,_] -> Array[_,_-1]`
                fix: Write `(drop 2 xs)`
            c : Array[Int,N] -> ?
              assumes N is positive
              type-mismatch at `xs`: `last` needs `Array[_ -> _,N]` as its first argument, but this is `Array[Int,N]` (`_ -> _` is not `Int`); write `(drop (- (length xs) 2) xs)`
                `last`: `_ -> _` comes from `last`
                fix: Write `(drop (- (length xs) 2) xs)`
            d : Array[Int,N] -> Int -> ?
              too-many-arguments at `k`: `init` takes one argument, but it is given 2; write `(take (- (length (map neg xs)) k) (map neg xs))`
                `init`: `init` has the type `Array[_,_] -> Array[_,_-1]`
                fix: Write `(take (- (length (map neg xs)) k) (map neg xs))`
            e : Array[Int,N] -> Array[Int,M] -> Array[Int -> Int,N]
              function-as-data at `(generate #N (lambda (i j) (* (aref xs i) (aref ys j))))`: a kernel returns data, but this is a function: its type is `Array[Int -> Int,N]`; `generate` gives one index: `(generate #n (lambda (i) (generate #m (lambda (j) …))))` has rows
            f : Array[Int,N] -> Array[Int,M] -> ?
              too-many-arguments at `(lambda (i j) (* (aref xs i) (aref ys j)))`: `generate` takes 2 arguments, but it is given 3; `generate` gives one index: `(generate #n (lambda (i) (generate #m (lambda (j) …))))` has rows
                `generate`: `generate` has the type `#N -> (Int -> _) -> Array[_,N]`
                fix: Write `(lambda (i) (generate #M (lambda (j) …)))`
            g : Int -> Int -> ?
              too-many-arguments at `b`: `iota` takes one argument, but it is given 2; write `(map (+ a) (iota (- b a)))`
                `iota`: `iota` has the type `Int -> <∃X, Array[Int,X]>`
                fix: Write `(map (+ a) (iota (- b a)))`
            h : Array[(Int, Float),N] -> Array[?,N]
              type-mismatch at `p`: `aref` needs `Array[_,_]` as its first argument, but this is `(Int, Float)`; a component is `(get2 p)`
                fix: Write `(get2 p)`
            i : Array[Int,N] -> Array[?,N]
              unknown-name at `compose`: there is no `compose` here; `(o f g)` is the function that applies `g`, then `f`
        "#]],
    );
}

#[test]
fn operators_of_matrices() {
    check(
        "(lift a (N M) ((array-type (array-type int M) N)) (lambda (m) (+ m m)))
(lift b (N M) ((array-type (array-type int M) N)) (lambda (m) (* m 2)))
(lift c (N M) ((array-type (array-type float M) N)) (lambda (m) (sqrt m)))
(lift d (N M) ((array-type (array-type int M) N)) (lambda (m) (max m)))
(lift e (N M) ((array-type (array-type int M) N) (array-type int M)) (lambda (m v) (+ m v)))
(lift f (N) ((array-type int N)) (lambda (v) (max v)))",
        expect![[r#"
            a : Array[Array[Int,M],N] -> ?
              wrong-operand at `m`: `+` works on numbers, but this is `Array[Array[Int,M],N]`; `(zipWith (zipWith +) m m)` maps over both arrays
                fix: Write `(zipWith (zipWith +) m m)`
            b : Array[Array[Int,M],N] -> ?
              wrong-operand at `m`: `*` works on numbers, but this is `Array[Array[Int,M],N]`; `(map (map (lambda (x) (* x 2))) m)` applies it to each element
                fix: Write `(map (map (lambda (x) (* x 2))) m)`
            c : Array[Array[Float,M],N] -> ?
              wrong-operand at `m`: `sqrt` works on `Half`, `Float` or `Double`, but this is `Array[Array[Float,M],N]`; `(map (map sqrt) m)` applies it to each element
                fix: Write `(map (map sqrt) m)`
            d : Array[Array[Int,M],N] -> ?
              wrong-operand at `m`: `max` works on numbers, but this is `Array[Array[Int,M],N]`; `(maximum (join m))` combines all elements
                fix: Write `(maximum (join m))`
            e : Array[Array[Int,M],N] -> Array[Int,M] -> ?
              wrong-operand at `m`: `+` works on numbers, but this is `Array[Array[Int,M],N]`; `map` applies a function to each element
            f : Array[Int,N] -> ?
              wrong-operand at `v`: `max` works on numbers, but this is `Array[Int,N]`; `(maximum v)` combines all elements
                fix: Write `(maximum v)`
        "#]],
    );
}

#[test]
fn tests_and_functions_of_pairs() {
    check(
        "(define (any p xs) (head (reduce false or (map p xs))))
(define (count p xs) (head (reduce 0 + (map (lambda (x) (if (p x) 1 0)) xs))))
(lift a (N) ((array-type bool N)) (lambda (bs) (any bs)))
(lift b (N) ((array-type bool N)) (lambda (bs) (count bs)))
(lift c (N) ((array-type int N)) (lambda (xs) (any xs)))
(lift d (N) ((array-type int N)) (lambda (xs) (count 3 xs)))
(lift e (N) ((array-type int N)) (lambda (xs) (filter 0 xs)))
(lift f (N) ((array-type (tuple-type int int) N)) (lambda (ps) (sort < ps)))
(lift g (N) ((array-type int N)) (lambda (xs) (map + (zip xs xs))))
(lift h (N) ((array-type (tuple-type int int) N)) (lambda (ps) (map max ps)))",
        expect![[r#"
            any : (a -> Bool) -> Array[a,n] -> Bool
            count : (a -> Bool) -> Array[a,n] -> Int
            a : Array[Bool,N] -> ?
              missing-argument at `bs`: `any` takes a function before `bs`, but it is missing; write `(any id bs)`
                fix: Write `(any id bs)`
            b : Array[Bool,N] -> ?
              missing-argument at `bs`: `count` takes a function before `bs`, but it is missing; write `(count id bs)`
                fix: Write `(count id bs)`
            c : Array[Int,N] -> ?
              missing-argument at `xs`: `any` takes a function before `xs`, but it is missing
            d : Array[Int,N] -> ?
              type-mismatch at `3`: `count` needs `_ -> Bool` as its first argument, but this is `Int`; `(= 3)` is the test for being equal to it
                fix: Write `(= 3)`
            e : Array[Int,N] -> ?
              type-mismatch at `0`: `filter` needs `_ -> Bool` as its first argument, but this is `Int`; `(= 0)` is the test for being equal to it
                fix: Write `(= 0)`
            f : Array[(Int, Int),N] -> Array[?,N]
              wrong-operand at `ps`: `<` works on numbers, but here it gets `(Int, Int)`; it says which of two elements comes first: `(lambda (a b) (< (key a) (key b)))` compares by a key
            g : Array[Int,N] -> Array[? -> ?,N]
              wrong-operand at `(zip xs xs)`: `+` works on numbers, but here it gets `(Int, Int)`; `(uncurry +)` takes pairs
                fix: Write `(uncurry +)`
            h : Array[(Int, Int),N] -> Array[? -> ?,N]
              wrong-operand at `ps`: `max` works on numbers, but here it gets `(Int, Int)`; `(uncurry max)` takes pairs
                fix: Write `(uncurry max)`
        "#]],
    );
}

#[test]
fn a_function_given_to_what_takes_none() {
    check(
        "(define (sorted xs x) (head (reduce 0 + (map (lambda (y) (if (< y x) 1 0)) xs))))
(define (sum xs) (head (reduce 0 + xs)))
(lift a (N) ((array-type int N) int) (lambda (xs x) (sorted < xs x)))
(lift b (N) ((array-type int N)) (lambda (xs) (sum + xs)))
(lift c (N) ((array-type int N)) (lambda (xs) (sum 0 + xs)))
(lift d (N) ((array-type int N)) (lambda (xs) (head (lambda (x) x) xs)))
(lift e (N) ((array-type int N)) (lambda (xs) (reverse xs <)))",
        expect![[r#"
            sorted : Array[a,n] -> a -> Int
            sum : Array[Int,n] -> Int
            a : Array[Int,N] -> Int -> ?
              too-many-arguments at `x`: `sorted` takes 2 arguments, but it is given 3; `sorted` takes no function such as `<`: write `(sorted xs x)`
                `sorted`: `sorted` has the type `Array[_,_] -> _ -> Int`
                fix: Write `(sorted xs x)`
            b : Array[Int,N] -> ?
              too-many-arguments at `xs`: `sum` takes one argument, but it is given 2; `sum` takes no function such as `+`: write `(sum xs)`
                `sum`: `sum` has the type `Array[Int,_] -> Int`
                fix: Write `(sum xs)`
            c : Array[Int,N] -> ?
              too-many-arguments at `+`: `sum` takes one argument, but it is given 3; `sum` takes no function such as `+`: write `(sum xs)`
                `sum`: `sum` has the type `Array[Int,_] -> Int`
                fix: Write `(sum xs)`
            d : Array[Int,N] -> ?
              type-mismatch at `(lambda (x) x)`: `head` needs `Array[Array[Int,_] -> _,_]` as its first argument, but this is `_ -> _`; `(map (lambda …) xs)` applies it to each element
                fix: Write `(map (lambda …) xs)`
            e : Array[Int,N] -> ?
              too-many-arguments at `<`: `reverse` takes one argument, but it is given 2; `reverse` takes no function such as `<`: write `(reverse xs)`
                `reverse`: `reverse` has the type `Array[_,_] -> Array[_,_]`
                fix: Write `(reverse xs)`
        "#]],
    );
}

#[test]
fn a_function_in_place_of_an_array_or_a_number() {
    check(
        "(define (groupBy n keys values)
  (map (lambda (k) (map get2 (filter (lambda ((tuple key _value)) (= key k)) (zip keys values)))) (iota #n)))
(lift k1 (N) ((array-type int N)) (lambda (xs) (groupBy 3 (lambda (x) (mod x 3)) xs)))
(lift k2 (N) ((array-type int N)) (lambda (xs) (groupBy xs (lambda (x) (mod x 3)))))
(lift k3 (N) ((array-type int N)) (lambda (xs) (zip (+ 1) xs)))
(lift k4 (N) ((array-type float N)) (lambda (xs) (zip (lambda (r) (length r)) xs)))
(lift k5 (N) ((array-type int N)) (lambda (xs) (take (lambda (x) (> x 3)) xs)))",
        expect![[r#"
            groupBy : #n -> Array[Int,m] -> Array[a,m] -> Array[<∃X, Array[a,X]>,n]
            k1 : Array[Int,N] -> ?
              type-mismatch at `(lambda (x) (mod x 3))`: `groupBy` needs `Array[Int,N]` as its second argument, but this is `Int -> Int`; `(map (lambda …) xs)` applies it to each element
                fix: Write `(map (lambda …) xs)`
            k2 : Array[Int,N] -> ?
              missing-argument at `groupBy`: `groupBy` takes a size and two arrays, no function: write `(groupBy #n (map (lambda …) xs) xs)`
            k3 : Array[Int,N] -> ?
              type-mismatch at `(+ 1)`: `zip` needs `Array[_,_]` as its first argument, but this is `Int -> Int`; `(map (+ 1) xs)` applies it to each element
                fix: Write `(map (+ 1) xs)`
            k4 : Array[Float,N] -> ?
              type-mismatch at `(lambda (r) (length r))`: `zip` needs `Array[_,N]` as its first argument, but this is `_ -> _`; `(map (lambda …) xs)` applies it to each element
                fix: Write `(map (lambda …) xs)`
            k5 : Array[Int,N] -> <∃X, Array[Int,X]>
              type-mismatch at `(lambda (x) (> x 3))`: `take` needs `Int` as its first argument, but this is `Int -> Bool`; `(filter (lambda …) xs)` keeps the elements for which it holds
        "#]],
    );
}
