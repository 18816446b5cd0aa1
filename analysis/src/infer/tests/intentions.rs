//! One mistake is reported once, with what was probably meant.

use super::harness::{check, check_repaired};
use expect_test::expect;

#[test]
fn arguments_in_another_order() {
    check_repaired(
        "(lift f (N) ((array-type int N)) (lambda (xs) (iterate xs 3 (map (+ 1)))))
(lift g (N) ((array-type int N)) (lambda (xs) (iterateWhile xs (lambda (s) (> (aref s 0) 0)) (lambda (s) (map (- 1) s)))))
(lift h (N) () (lambda () (generate (lambda (i) i) N)))",
        expect![[r#"
            (lift f (N) ((array-type int N)) (lambda (xs) (iterate 3 (map (+ 1)) xs)))
            (lift g (N) ((array-type int N)) (lambda (xs) (iterateWhile (lambda (s) (> (aref s 0) 0)) (lambda (s) (map (- 1) s)) xs)))
            (lift h (N) () (lambda () (generate N (lambda (i) i))))

            f : Array[Int,N] -> Array[Int,N]
            g : Array[Int,N] -> Array[Int,N]
            h : Array[Int,N]
        "#]],
    );
}

#[test]
fn a_mistake_in_a_call_is_one_error() {
    check(
        "(lift f (N) ((array-type (tuple-type int int) N)) (lambda (xs) (map get1 get2 xs)))
(lift g (N) ((array-type int N)) (lambda (xs) (pad #1 #1 0 xs)))
(lift h (N) ((array-type int N)) (lambda (xs) (pad #1 #1 xs)))
(lift k (N) ((array-type int N)) (lambda (xs) (map sqrt xs)))
(lift l (N) ((array-type int N)) (lambda (xs) (scan 0 (lambda (x) x) xs)))
(lift m (N) ((array-type (tuple-type int int) N)) (lambda (xs) (map (lambda (p) (p 1)) xs)))
(lift n (N) ((array-type int N)) (lambda (xs) (map (x => x) xs)))
(lift o (N) ((array-type int N)) (lambda (xs) (map (\\x x) xs)))",
        expect![[r#"
            f : Array[(Int, Int),N] -> ?
              too-many-arguments at `xs`: `map` takes 2 arguments, but it is given 3; `map` maps over one array; `zip` combines several into one
                `map`: `map` has the type `(_ -> _) -> Array[_,_] -> Array[_,_]`
                fix: Go over the arrays together with `zip`
            g : Array[Int,N] -> ?
              pad-mode at `0`: the border of `pad` is `clamp`, `mirror` or `wrap`; `(padConstant #l #r v xs)` has a border of one value
            h : Array[Int,N] -> ?
              pad-mode at `xs`: the border of `pad` is `clamp`, `mirror` or `wrap`; `(padConstant #l #r v xs)` has a border of one value
            k : Array[Int,N] -> Array[?,N]
              wrong-operand at `xs`: `sqrt` works on `Half`, `Float` or `Double`, but here it gets `Int`
            l : Array[Int,N] -> Array[Int,N]
              type-mismatch at `(lambda (x) x)`: `scan` needs `Int -> Int -> Int` as its second argument, but this is `Int -> Int` (`Int -> Int` is not `Int`); `(lambda …)` takes one argument, but `scan` gives it 2 arguments
            m : Array[(Int, Int),N] -> Array[?,N]
              not-a-function at `p`: `p` is applied here, but it is not a function: its type is `(Int, Int)`; a component is `(get2 p)`
                fix: Write `(get2 p)`
            n : Array[Int,N] -> Array[?,N]
              unknown-name at `=>`: there is no `=>` here; a function is written `(lambda (x y) body)`
            o : Array[Int,N] -> Array[?,N]
              unknown-name at `\x`: there is no `\x` here; a function is written `(lambda (x y) body)`
        "#]],
    );
}

#[test]
fn a_literal_in_a_definition_is_one_error_in_each_form() {
    check(
        "(define (scale x) (* x 2))
(lift f (N) ((array-type float N)) (lambda (xs) (map scale xs)))
(lift g () (double) (lambda (x) (+ (scale x) (scale (scale x)))))",
        expect![[r#"
            scale : Int -> Int
            f : Array[Float,N] -> Array[Int,N]
              type-mismatch at `scale`: the literal `2` in `scale` is `Int`, so `scale` takes that, but here it gets `Float`; there, `2.0f` fits
            g : Double -> Int
              type-mismatch at `scale`: the literal `2` in `scale` is `Int`, so `scale` takes that, but here it gets `Double`; there, `2.0` fits
        "#]],
    );
}

#[test]
fn a_definition_may_take_every_number() {
    check(
        "(define (repeated n f) (lambda (x) (iterate n f x)))
(lift f () (int) (lambda (n) ((repeated n (* 2)) 1)))",
        expect![[r#"
            repeated : #n -> (a -> a) -> a -> a
            f : Int -> Int
              needs-size at `n`: `repeated` needs a size here, known before the run: a natural number, a size name such as `N`, or `#(…)`; a definition that works with every number declares its parameter `(name int)`
        "#]],
    );
}

#[test]
fn functions_of_two_arrays_open_rows_of_hidden_length() {
    check(
        "(define (both f xs ys) (map (lambda (p) (f (get1 p) (get2 p))) (zip xs ys)))
(lift f (N) ((array-type (exists (X) (array-type int X)) N)) (lambda (a) (both concat a a)))
(lift g (N) ((array-type (exists (X) (array-type int X)) N) (array-type int N)) (lambda (a xs) (both take xs a)))
(lift h (N) ((array-type (exists (X) (array-type int X)) N)) (lambda (a) (both (both +) a a)))",
        expect![[r#"
            both : (a -> b -> c) -> Array[a,n] -> Array[b,n] -> Array[c,n]
            f : Array[<∃X, Array[Int,X]>,N] -> Array[<∃X, Array[Int,X]>,N]
            g : Array[<∃X, Array[Int,X]>,N] -> Array[Int,N] -> Array[Array[Int,?],N]
              needs-size at `take`: `both` gives `take` numbers that are computed at run time, but given by name it takes a size, known before the run; in a lambda it takes an `Int`
                fix: Write `(lambda (n n1) (take n n1))`
            h : Array[<∃X, Array[Int,X]>,N] -> Array[Array[?,?],N]
              hidden-length at `(both +)`: `both` gives `(both +)` elements whose length is hidden, `<∃X, Array[Int,X]>`, but it takes arrays of a known length, `Array[_,_]`; the parameter of a lambda is opened
                `a`: the elements of `a` are `<∃X, Array[Int,X]>`
                fix: Write `(lambda (row row1) ((both +) row row1))`
        "#]],
    );
}

#[test]
fn arguments_that_fit_when_exchanged() {
    check_repaired(
        "(define (among xs x) (head (map (= x) xs)))
(lift a (N) ((array-type float N)) (lambda (xs) (reduce xs + 0.0f)))
(lift b (N) ((array-type float N)) (lambda (xs) (among 1.0f xs)))
(lift c (N) ((array-type float N)) (lambda (xs) (fill 0.0f N)))
(lift d (N) ((array-type float N)) (lambda (xs) (padConstant 0.0f #1 #2 xs)))
(define (keyed n z f ks vs) (fill #n (f z (aref vs (aref ks 0)))))
(lift e (N) ((array-type int N)) (lambda (xs) (keyed 0 + #8 xs xs)))",
        expect![[r#"
            (define (among xs x) (head (map (= x) xs)))
            (lift a (N) ((array-type float N)) (lambda (xs) (reduce 0.0f + xs)))
            (lift b (N) ((array-type float N)) (lambda (xs) (among xs 1.0f)))
            (lift c (N) ((array-type float N)) (lambda (xs) (fill N 0.0f)))
            (lift d (N) ((array-type float N)) (lambda (xs) (padConstant #1 #2 0.0f xs)))
            (define (keyed n z f ks vs) (fill #n (f z (aref vs (aref ks 0)))))
            (lift e (N) ((array-type int N)) (lambda (xs) (keyed #8 0 + xs xs)))

            among : Array[a,n] -> a -> Bool
              assumes n is positive
            a : Array[Float,N] -> Array[Float,1]
            b : Array[Float,N] -> Bool
              assumes N is positive
            c : Array[Float,N] -> Array[Float,N]
            d : Array[Float,N] -> Array[Float,N+3]
            keyed : #n -> a -> (a -> b -> c) -> Array[Int,m] -> Array[b,k] -> Array[c,n]
            e : Array[Int,N] -> Array[Int,8]
        "#]],
    );
}

#[test]
fn numbers_beside_arrays_and_too_few_operands() {
    check(
        "(lift a (N) ((array-type float N)) (lambda (xs) (* 2.0f xs)))
(lift b (N) ((array-type float N)) (lambda (xs) (map (lambda (x) (- x)) xs)))
(lift c (N) ((array-type float N)) (lambda (xs) (map - xs)))
(lift d (N) ((float[M])) (lambda (xs) (map sqrt xs)))",
        expect![[r#"
            a : Array[Float,N] -> ?
              type-mismatch at `xs`: `*` needs `Float` as its second argument, but this is `Array[Float,N]`; `(map (lambda (x) (* 2.0f x)) xs)` applies it to each element
                `2.0f`: `Float` comes from `2.0f`
                fix: Write `(map (lambda (x) (* 2.0f x)) xs)`
            b : Array[Float,N] -> Array[Float -> Float,N]
              function-as-data at `(map (lambda (x) (- x)) xs)`: a kernel returns data, but this is a function: its type is `Array[Float -> Float,N]`; `-` waits for one more argument; of one number it is `(neg x)`
                fix: Write `(neg x)`
            c : Array[Float,N] -> Array[Float -> Float,N]
              function-as-data at `(map - xs)`: a kernel returns data, but this is a function: its type is `Array[Float -> Float,N]`; `-` takes 2 arguments, but `map` gives it one: `zipWith` maps over two arrays, and `(lambda ((tuple x y)) …)` takes a pair
            d : ? -> Array[?,?]
        "#]],
    );
}

#[test]
fn local_functions_take_components_of_what_they_are_applied_to() {
    check(
        "(lift f (N) ((array-type (tuple-type int float bool) N))
  (lambda (xs) (let better (lambda (a b) (if (< (get1 b) (get1 a)) b a)) (reduceSeq (tuple 0 0.0f true) better xs))))
(lift g () ((tuple-type int float) (tuple-type bool bool))
  (lambda (a b) (let first (lambda (p) (get1 p)) (tuple (first a) (first b)))))",
        expect![[r#"
            f : Array[(Int, Float, Bool),N] -> Array[(Int, Float, Bool),1]
            g : (Int, Float) -> (Bool, Bool) -> (Int, Bool)
        "#]],
    );
}
