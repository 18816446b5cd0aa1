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
fn the_element_of_an_array_of_one() {
    check(
        "(define (f xs x) (let s (reduce 0.0f + xs) (/ x s)))
(define (g xs) (sqrt (reduce 0.0f + xs)))",
        expect![[r#"
            f : Array[Float,n] -> ? -> ?
              wrong-operand at `s`: `/` works on numbers, but this is `Array[Float,1]`; `reduce` gives an array of length 1, and `(head s)` is its element
                fix: Write `(head s)`
            g : Array[Float,n] -> ?
              wrong-operand at `(reduce 0.0f + xs)`: `sqrt` works on `Half`, `Float` or `Double`, but this is `Array[Float,1]`; `reduce` gives an array of length 1, and `(head (reduce 0.0f + xs))` is its element
                fix: Write `(head (reduce 0.0f + xs))`
        "#]],
    );
}

#[test]
fn a_mistake_in_a_call_is_one_error() {
    check(
        "(lift p (N) ((array-type int N)) (lambda (xs) (iterateWhile (lambda (s) (map (+ 1) s)) (lambda (s) (< (aref s 0) 9)) xs)))
(lift q (N) ((array-type int N)) (lambda (xs) (iterateWhile (+ 1) (> 3) 0)))
(lift w (N) ((array-type float N)) (lambda (xs) (map (lambda (x) (if (isnan x) 0 x)) xs)))
(lift y (N) ((array-type float N)) (lambda (xs) (map (lambda (x) (if (isnan x) x 0)) xs)))
(lift v (N) ((array-type int N)) (lambda (xs) (reduce 0 (lambda (p) (+ (get1 p) (get2 p))) xs)))
(lift s (N) ((array-type bool N)) (lambda (xs) (and xs xs)))
(lift t (N) ((array-type int N)) (lambda (xs) (scanSeq (fill #1 0) (lambda (s x) (concat s (fill #1 x))) xs)))
(lift u (N) ((array-type int N)) (lambda (xs) (scanSeq (tuple 0 0) (lambda (s x) (tuple (+ (get1 s) x) 0)) xs)))
(lift f (N) ((array-type (tuple-type int int) N)) (lambda (xs) (map get1 get2 xs)))
(lift g (N) ((array-type int N)) (lambda (xs) (pad #1 #1 0 xs)))
(lift h (N) ((array-type int N)) (lambda (xs) (pad #1 #1 xs)))
(lift k (N) ((array-type int N)) (lambda (xs) (map sqrt xs)))
(lift l (N) ((array-type int N)) (lambda (xs) (scan 0 (lambda (x) x) xs)))
(lift m (N) ((array-type (tuple-type int int) N)) (lambda (xs) (map (lambda (p) (p 1)) xs)))
(lift n (N) ((array-type int N)) (lambda (xs) (map (x => x) xs)))
(lift o (N) ((array-type int N)) (lambda (xs) (map (\\x x) xs)))",
        expect![[r#"
            p : Array[Int,N] -> ?
              argument-order at `(lambda (s) (map (+ 1) s))`: `iterateWhile` takes the test first and then the function: `(lambda …)` and `(lambda …)` have changed places
                `(lambda (s) (< (aref s 0) 9))`: the test is here
                fix: Exchange the two arguments
            q : Array[Int,N] -> ?
              argument-order at `(+ 1)`: `iterateWhile` takes the test first and then the function: `(+ 1)` and `(> 3)` have changed places
                `(> 3)`: the test is here
                fix: Exchange the two arguments
            w : Array[Float,N] -> Array[Int,N]
              type-mismatch at `0`: `0` is `Int`, but it meets `Float` here
                `x`: this branch is `Float`
                fix: Write `0.0f`
            y : Array[Float,N] -> Array[Float,N]
              type-mismatch at `0`: the branches of an `if` have one type; the first is `Float`, the second `Int`
                `x`: this branch is `Float`
                fix: Write `0.0f`
            v : Array[Int,N] -> Array[Int,1]
              no-component at `p`: `get1` takes a tuple, but this is `Int`; `(lambda …)` takes one argument, but `reduce` gives it 2 arguments
            s : Array[Bool,N] -> ?
              type-mismatch at `xs`: `and` needs `Bool` as its first argument, but this is `Array[Bool,N]`; `(zipWith and xs xs)` maps over both arrays
                fix: Write `(zipWith and xs xs)`
            t : Array[Int,N] -> Array[Array[Int,1],N]
              unequal-lengths at `(lambda (s x) (concat s (fill #1 x)))`: `scanSeq` needs arrays of one length: the first argument has length `1`, the second `2` (the length of `(lambda …)`); they differ whatever the sizes are; the accumulator keeps its length; the state of `iterateWhile` may change it: `(tuple state i)`, with the index of the next element
                `(lambda (s x) (concat s (fill #1 x)))`: length `2` comes from here
            u : Array[Int,N] -> Array[(Int, Int),N]
            f : Array[(Int, Int),N] -> ?
              too-many-arguments at `xs`: `map` takes 2 arguments, but it is given 3; `map` maps over one array; `zip` combines several into one
                `map`: `map` has the type `(_ -> _) -> Array[_,_] -> Array[_,_]`
            g : Array[Int,N] -> ?
              pad-mode at `0`: the border of `pad` is `clamp`, `mirror` or `wrap`; `(padConstant #l #r v xs)` has a border of one value
            h : Array[Int,N] -> ?
              pad-mode at `xs`: the border of `pad` is `clamp`, `mirror` or `wrap`; `(padConstant #l #r v xs)` has a border of one value
            k : Array[Int,N] -> Array[?,N]
              wrong-operand at `xs`: `sqrt` works on `Half`, `Float` or `Double`, but here it gets `Int`; `(map toFloat xs)` converts it
                fix: Write `(map toFloat xs)`
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
              needs-size at `n`: `repeated` needs a size here: a natural number, a size name such as `N`, `#(…)`, or the length of an array; an Int `k` becomes one by `(let ks (iota k) … (length ks) …)`; a definition that works with every number declares its parameter `(name int)`
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

#[test]
fn one_mistake_is_one_error() {
    check(
        "(define wrong (+ 1 true))
(lift a (N) ((array-type int N)) (lambda (xs) (take #wrong xs)))
(define (product2 xss yss) (map (lambda (row) (map (lambda (column) (zip row column)) yss)) xss))
(lift b (N) ((array-type float N)) (lambda (xs) (product2 xs xs)))
(lift c (N M) ((array-type (array-type float M) N)) (lambda (xs) (tuple (product2 xs (transpose xs)) (product2 xs (transpose xs)))))",
        expect![[r#"
            wrong : Int
              type-mismatch at `true`: `+` needs `Int` as its second argument, but this is `Bool`
                `1`: `Int` comes from `1`
            a : Array[Int,N] -> Array[Int,?]
            product2 : Array[Array[a,m],n] -> Array[Array[b,m],k] -> Array[Array[Array[(a, b),m],k],n]
            b : Array[Float,N] -> Array[Array[Array[(?, ?),?],N],N]
              type-mismatch at `xs`: `product2` needs `Array[Array[_,_],N]` as its first argument, but this is `Array[Float,N]` (`Array[_,_]` is not `Float`)
            c : Array[Array[Float,M],N] -> (Array[Array[Array[(Float, Float),M],M],N], Array[Array[Array[(Float, Float),M],M],N])
              unequal-lengths at `(transpose xs)`: `product2` needs arrays of one length: the first argument has length `M` (the length of `xs`), the second `N` (the length of `xs`); nothing says that they are equal
                `xs`: length `M` comes from here
                `xs`: length `N` comes from here
        "#]],
    );
}

#[test]
fn a_size_that_is_taken_as_a_number() {
    check(
        "(define (eye n) (generate n (lambda (i) (generate n (lambda (j) (if (= i j) 1 0))))))
(lift a (N) ((array-type int N)) (lambda (xs) (zip xs (eye #2))))
(lift b () ((array-type int 3)) (lambda (xs) (zip xs (eye 3))))",
        expect![[r#"
            eye : Int -> <∃X, Array[<∃X, Array[Int,X]>,X]>
            a : Array[Int,N] -> Array[(Int, <∃X, Array[Int,X]>),N]
              unequal-lengths at `(eye #2)`: `zip` needs two arrays of one length: the first has length `N` (the length of `xs`), the second `X1` (the length of what `eye` returns); `X1` is known only at run time; `eye` takes `#2` as a number: if it is the length, write `#` before that parameter in `eye`, as in `(generate #n …)`
                `xs`: length `N` comes from here
                `(eye #2)`: length `X1` comes from here
                fix: Check at run time that the lengths are equal
            b : Array[Int,3] -> Array[(Int, Array[Int,3]),3]
        "#]],
    );
}

#[test]
fn rows_of_one_length_where_lengths_are_hidden() {
    check(
        "(define (joined xss) (let n (rowLengths xss) (generate (head n) (lambda (i) (let row (aref xss (mod i 2)) (aref row 0))))))
(define (ends (xss (array-type (exists (X) (array-type int X)) n))) (map length xss))
(define (first-of (xss (array-type (exists (X) (array-type int X)) n))) (filter (= 1) (map length xss)))
(lift a (N M) ((array-type (array-type int M) N)) (lambda (xs) (joined xs)))
(lift b (N M) ((array-type (array-type float M) N)) (lambda (xs) (ends xs)))
(lift c (N M) ((array-type (array-type int M) N)) (lambda (xs) (first-of xs)))",
        expect![[r#"
            joined : Array[<∃X, Array[a,X]>,n] -> <∃X, Array[a,X]>
              assumes n is positive
            ends : Array[<∃X, Array[Int,X]>,n] -> Array[Int,n]
            first-of : Array[<∃X, Array[Int,X]>,n] -> <∃X, Array[Int,X]>
            a : Array[Array[Int,M],N] -> <∃X, Array[?,X]>
              assumes N is positive
              type-mismatch at `xs`: `joined` needs `Array[<∃X, Array[_,X]>,N]` as its first argument, but this is `Array[Array[Int,M],N]` (`<∃X, Array[_,X]>` is not `Array[Int,M]`); the rows have one length: `(join xs)` joins them
                fix: Write `(join xs)`
            b : Array[Array[Float,M],N] -> Array[Int,N]
              type-mismatch at `xs`: `ends` needs `Array[<∃X, Array[Int,X]>,N]` as its first argument, but this is `Array[Array[Float,M],N]` (`<∃X, Array[Int,X]>` is not `Array[Float,M]`); the rows have one length, which `(map (lambda (row) (pack row)) xs)` hides
                fix: Write `(map (lambda (row) (pack row)) xs)`
            c : Array[Array[Int,M],N] -> <∃X, Array[Int,X]>
              type-mismatch at `xs`: `first-of` needs `Array[<∃X, Array[Int,X]>,N]` as its first argument, but this is `Array[Array[Int,M],N]` (`<∃X, Array[Int,X]>` is not `Array[Int,M]`); the rows have one length, which `(map (lambda (row) (pack row)) xs)` hides
                fix: Write `(map (lambda (row) (pack row)) xs)`
        "#]],
    );
}

#[test]
fn a_definition_declares_rows_of_hidden_length() {
    check(
        "(define (long rows) (filter (lambda (r) (> (length r) 1)) rows))
(define (long-rows (rows (array-type (exists (X) (array-type int X)) n))) (filter (lambda (r) (> (length r) 1)) rows))
(lift a (N) ((array-type (exists (X) (array-type int X)) N)) (lambda (rows) (long rows)))
(lift b (N) ((array-type (exists (X) (array-type int X)) N)) (lambda (rows) (long-rows rows)))",
        expect![[r#"
            long : Array[Array[a,m],n] -> <∃X, Array[Array[a,m],X]>
            long-rows : Array[<∃X, Array[Int,X]>,n] -> <∃X, Array[<∃X, Array[Int,X]>,X]>
            a : Array[<∃X, Array[Int,X]>,N] -> <∃X, Array[<∃X, Array[Int,X]>,X]>
            b : Array[<∃X, Array[Int,X]>,N] -> <∃X, Array[<∃X, Array[Int,X]>,X]>
        "#]],
    );
}

#[test]
fn what_is_given_in_place_of_something_else() {
    check(
        "(define (both f xs ys) (map (lambda (p) (f (get1 p) (get2 p))) (zip xs ys)))
(lift a (N) ((array-type bool N)) (lambda (b) (not b)))
(lift b (N) ((array-type bool N)) (lambda (b) (and b b)))
(lift c (N) ((array-type bool N) (array-type int N)) (lambda (b xs) (if b xs xs)))
(lift d (N) ((array-type int N)) (lambda (xs) (reduce 0 + (map (lambda (x) (+ (> x 0) (> x 1))) xs))))
(lift e (N) ((array-type int N)) (lambda (xs) (let fact (lambda (n) (if (= n 0) 1 (* n (fact (- n 1))))) (fact 5))))
(lift f (N) ((array-type int N)) (lambda (xs) (both (lambda ((tuple a b)) (+ a b)) xs xs)))
(lift g (N) ((array-type int N)) (lambda (xs) (reduce 0.0f (lambda (sum x) (+ sum (toFloat x))) xs)))
(lift h (N) ((array-type int N)) (lambda (xs) (slide 3 xs)))
(lift i (N) ((array-type int N)) (lambda (xs) (concat xs 1)))
(lift j (N) ((array-type int N)) (lambda (xs) (concat xs xs xs)))
(lift k (N) ((array-type int N)) (lambda (xs) (map (2 *) xs)))
(lift l (N) ((array-type int N)) (lambda (xs) (map (lambda (x) (2 * x)) xs)))
(lift m (N) ((array-type int N)) (lambda (xs) (mapi (lambda (i x) (+ i x)) xs)))
(lift n (N) ((array-type int N)) (lambda (xs) (if (= N 0) None (head xs))))",
        expect![[r#"
            both : (a -> b -> c) -> Array[a,n] -> Array[b,n] -> Array[c,n]
            a : Array[Bool,N] -> ?
              type-mismatch at `b`: `not` needs `Bool` as its first argument, but this is `Array[Bool,N]`; `(map not b)` applies it to each element
                fix: Write `(map not b)`
            b : Array[Bool,N] -> ?
              type-mismatch at `b`: `and` needs `Bool` as its first argument, but this is `Array[Bool,N]`; `(zipWith and b b)` maps over both arrays
                fix: Write `(zipWith and b b)`
            c : Array[Bool,N] -> Array[Int,N] -> Array[Int,N]
              type-mismatch at `b`: a condition is `Bool`, but this is `Array[Bool,N]`; `(map (lambda (c) (if c … …)) b)` chooses for each element
            d : Array[Int,N] -> Array[Int,1]
              wrong-operand at `(> x 0)`: `+` works on numbers, but this is `Bool`; `(if b 1 0)` is a number, and `(count p xs)` counts the elements for which `p` holds
            e : Array[Int,N] -> Int
              unknown-name at `fact`: there is no `fact` here; `fact` cannot use itself, as recursion is not possible: `reduceSeq`, `iterate` and `iterateWhile` repeat a function
            f : Array[Int,N] -> Array[?,N]
              type-mismatch at `(tuple a b)`: the pattern destructures `(_, _)`, but the value is `Int`; `(lambda …)` takes one argument, but `both` gives it 2 arguments
            g : Array[Int,N] -> Array[Float,1]
              type-mismatch at `xs`: `reduce` needs `Array[Float,N]` as its third argument, but this is `Array[Int,N]` (`Float` is not `Int`); the accumulator of `reduceSeq` may have another type than the elements, and `map` converts them before
                `0.0f`: `Float` comes from `0.0f`
            h : Array[Int,N] -> ?
              missing-argument at `xs`: `slide` takes a number before `xs`, but it is missing
            i : Array[Int,N] -> ?
              type-mismatch at `1`: `concat` needs `Array[Int,_]` as its second argument, but this is `Int`; `(fill #1 1)` is an array of this element
                fix: Write `(fill #1 1)`
            j : Array[Int,N] -> ?
              too-many-arguments at `xs`: `concat` takes 2 arguments, but it is given 3; write `(concat (concat xs xs) xs)`
                `concat`: `concat` has the type `Array[_,_] -> Array[_,_] -> Array[_,_+_]`
                fix: Write `(concat (concat xs xs) xs)`
            k : Array[Int,N] -> Array[?,N]
              not-a-function at `2`: `2` is applied here, but it is not a function: its type is `Int`; the function comes first: `(* 2)`
                fix: Write `(* 2)`
            l : Array[Int,N] -> Array[?,N]
              not-a-function at `2`: `2` is applied here, but it is not a function: its type is `Int`; the function comes first: `(* 2 x)`
                fix: Write `(* 2 x)`
            m : Array[Int,N] -> ?
              unknown-name at `mapi`: there is no `mapi` here; `(map f (enumerate xs))` gives each element with its index: `(lambda ((tuple i x)) …)`
            n : Array[Int,N] -> Int
              unknown-name at `None`: there is no `None` here; there is no missing value: a `tuple` of a Bool and a value, an empty array, or a number such as -1 says it
        "#]],
    );
}

#[test]
fn the_state_of_a_fold_keeps_its_length() {
    check(
        "(lift f (N) ((array-type int N)) (lambda (xs) (reduceSeq (take #0 xs) (lambda (kept x) (if (> x 0) (concat kept (fill #1 x)) kept)) xs)))",
        expect![[r#"
            f : Array[Int,N] -> Array[Array[Int,0],1]
              hidden-length at `(lambda (kept x) (if (> x 0) (concat kept (fill #1 x)) kept))`: `reduceSeq` needs a function whose result has a known length, `Array[Int,0]`, but the length of this one's is known only at run time: `<∃X, Array[Int,X]>`; the state of `iterateWhile` may change its length: `(tuple state i)`, with the index of the next element
        "#]],
    );
}

#[test]
fn the_start_of_a_fold_in_any_order_is_neutral() {
    check(
        "(define (by-key n start f keys xs) (map (lambda (k) (head (reduce start f (map (lambda (p) (if (= k (get1 p)) (get2 p) start)) (zip keys xs))))) (iota #n)))
(lift a (N) ((array-type int N)) (lambda (xs) (reduce 1 + xs)))
(lift b (N) ((array-type float N)) (lambda (xs) (tuple (reduce -0.0f + xs) (scan 1.0f * xs) (reduce 0.0f max xs) (reduceSeq 1.0f + xs))))
(lift c (N) ((array-type int N)) (lambda (xs) (scan 0 (lambda (a b) (* a b)) xs)))
(lift d (N) ((array-type int N)) (lambda (xs) (by-key #4 1 + xs xs)))
(lift e (N) ((array-type bool N)) (lambda (xs) (reduce false and xs)))",
        expect![[r#"
            by-key : #n -> a -> (a -> a -> a) -> Array[Int,m] -> Array[a,m] -> Array[a,n]
            a : Array[Int,N] -> Array[Int,1]
              not-neutral at `1`: `reduce` may combine this with elements more than once, so it must be neutral for `+`: `0` is, `1` is not; `(+ 1 …)` of a result combines it once
                fix: Start from the neutral element `0`
            b : Array[Float,N] -> (Array[Float,1], Array[Float,N], Array[Float,1], Array[Float,1])
            c : Array[Int,N] -> Array[Int,N]
              not-neutral at `0`: `scan` may combine this with elements more than once, so it must be neutral for `*`: `1` is, `0` is not; `(* 0 …)` of a result combines it once
                fix: Start from the neutral element `1`
            d : Array[Int,N] -> Array[Int,4]
              not-neutral at `1`: `by-key` may combine this with elements more than once, so it must be neutral for `+`: `0` is, `1` is not; `(+ 1 …)` of a result combines it once
                fix: Start from the neutral element `0`
            e : Array[Bool,N] -> Array[Bool,1]
              not-neutral at `false`: `reduce` may combine this with elements more than once, so it must be neutral for `and`: `true` is, `false` is not; `(and false …)` of a result combines it once
                fix: Start from the neutral element `true`
        "#]],
    );
}

/// A certain failure is reported at its expression.
#[test]
fn lengths_and_indices_that_are_never_meant() {
    check(
        "(lift a (N) ((array-type int N)) (lambda (xs) (aref (take #3 xs) 3)))
(lift b (N) ((array-type int N)) (lambda (xs) (aref xs -1)))
(lift c (N) ((array-type int N)) (lambda (xs) (aref xs (length xs))))
(lift d (N) ((array-type int N)) (lambda (xs) (let ys (take #3 xs) (if (> (length ys) 3) (aref ys 3) (aref xs 3)))))
(lift e (N) () (lambda () (fill 0 N)))
(lift f (N) () (lambda () (fill #0 N)))
(lift g (N) ((array-type int N)) (lambda (xs) (take -1 xs)))
(lift h (N) ((array-type int N)) (lambda (xs) (slice 1 -2 (drop -3 xs))))
(lift i (N) ((array-type int N)) (lambda (xs) (slice 1 -2 xs)))
(lift j () () (lambda () (iota -1)))
(lift k (N) ((array-type int N)) (lambda (xs) (if (> N 0) (aref xs (length xs)) 0)))
(lift l (N) ((array-type int N)) (lambda (xs) (if (< N 0) (aref xs N) 0)))",
        expect![[r#"
            a : Array[Int,N] -> Int
              assumes 3 is at most N
              index-outside at `3`: this array has length `3` and indices begin at 0, so `3` is outside of it and stops the run
            b : Array[Int,N] -> Int
              index-outside at `-1`: indices begin at 0, so `-1` is outside of every array and stops the run; `last` is the last element
            c : Array[Int,N] -> Int
              index-outside at `(length xs)`: this array has length `N` and indices begin at 0, so `(length xs)` is outside of it and stops the run
            d : Array[Int,N] -> Int
              assumes 3 is at most N
            e : Array[Int,N]
              argument-order at `0`: `fill` takes the number first and then the value: `0` and `N` have changed places
                `N`: the number is here
                fix: Exchange the two arguments
            f : Array[Int,0]
            g : Array[Int,N] -> <∃X, Array[Int,X]>
              negative-number at `-1`: `take` counts from the front, so `-1` stops the run; counted from the end it is `(- (length xs) 1)`
                fix: Write `(- (length xs) 1)`
            h : Array[Int,N] -> <∃X, Array[Int,X]>
              negative-number at `-3`: `drop` counts from the front, so `-3` stops the run; counted from the end it is `(- (length xs) 3)`
                fix: Write `(- (length xs) 3)`
              negative-number at `-2`: `slice` takes a number of elements, not where they end, so `-2` stops the run
            i : Array[Int,N] -> <∃X, Array[Int,X]>
              negative-number at `-2`: `slice` takes a number of elements, not where they end, so `-2` stops the run; counted from the end it is `(- (length xs) 3)`
                fix: Write `(- (length xs) 3)`
            j : <∃X, Array[Int,X]>
              negative-number at `-1`: `iota` makes this many elements, so `-1` stops the run
            k : Array[Int,N] -> Int
              index-outside at `(length xs)`: this array has length `N` and indices begin at 0, so `(length xs)` is outside of it and stops the run
            l : Array[Int,N] -> Int
        "#]],
    );
}

#[test]
fn values_of_one_element_in_functions_and_conditions() {
    check(
        "(define (member x ys) (reduce false or (map (= x) ys)))
(lift a (N) ((array-type int N)) (lambda (xs) (filter (lambda (x) (member x xs)) xs)))
(lift b (N) ((array-type int N)) (lambda (xs) (if (member 3 xs) 1 0)))",
        expect![[r#"
            member : a -> Array[a,n] -> Array[Bool,1]
            a : Array[Int,N] -> <∃X, Array[Int,X]>
              type-mismatch at `(lambda (x) (member x xs))`: `filter` needs `Int -> Bool` as its first argument, but this is `Int -> Array[Bool,1]` (`Bool` is not `Array[Bool,1]`); `(head (member x xs))` is its element
                fix: Write `(head (member x xs))`
            b : Array[Int,N] -> Int
              type-mismatch at `(member 3 xs)`: a condition is `Bool`, but this is `Array[Bool,1]`; `(head (member 3 xs))` is its element
                fix: Write `(head (member 3 xs))`
        "#]],
    );
}

#[test]
fn numbers_keys_and_accumulators() {
    check(
        "(define (sum xs) (head (reduce 0 + xs)))
(define (any p xs) (head (reduce false or (map p xs))))
(lift a (N) ((array-type int N)) (lambda (xs) (map (* 0.5) xs)))
(lift b (N) ((array-type float N)) (lambda (xs) (map (lambda (x) (mod x 2.0f)) xs)))
(lift c (N) ((array-type int N)) (lambda (xs) (sort (lambda (p) (get1 p)) (zip xs xs))))
(lift d (N) ((array-type int N)) (lambda (xs) (reduceSeq (iota #0) (lambda (s x) (concat s (fill #1 x))) xs)))
(lift e (N) ((array-type int N)) (lambda (xs) (sum (map (lambda (x) (filter (< x) xs)) xs))))
(lift f (N) ((array-type bool N)) (lambda (bs) (any (map not bs))))
(lift g (N) ((array-type int N)) (lambda (xs) (filter (map (+ 1) xs) (< 0))))",
        expect![[r#"
            sum : Array[Int,n] -> Int
            any : (a -> Bool) -> Array[a,n] -> Bool
            a : Array[Int,N] -> Array[Double,N]
              type-mismatch at `xs`: `map` needs `Array[Double,N]` as its second argument, but this is `Array[Int,N]` (`Double` is not `Int`); `(map toDouble xs)` converts it
                `0.5`: `Double` comes from `0.5`
                fix: Write `(map toDouble xs)`
            b : Array[Float,N] -> Array[?,N]
              wrong-operand at `x`: `mod` works on integers, but this is `Float`; `floorMod` is the remainder of all numbers
            c : Array[Int,N] -> Array[(Int, Int),N]
              type-mismatch at `(lambda (p) (get1 p))`: `sort` needs `(Int, Int) -> (Int, Int) -> Bool` as its first argument, but this is `(Int, Int) -> Int` (`(Int, Int) -> Bool` is not `Int`); it says which of two elements comes first: `(lambda (a b) (< (key a) (key b)))` compares by a key
            d : Array[Int,N] -> Array[Array[Int,0],1]
              unequal-lengths at `(lambda (s x) (concat s (fill #1 x)))`: `reduceSeq` needs arrays of one length: the first argument has length `0`, the second `1` (the length of `(lambda …)`); they differ whatever the sizes are; the accumulator keeps its length; the state of `iterateWhile` may change it: `(tuple state i)`, with the index of the next element
                `(lambda (s x) (concat s (fill #1 x)))`: length `1` comes from here
            e : Array[Int,N] -> Int
              type-mismatch at `(map (lambda (x) (filter (< x) xs)) xs)`: `sum` needs `Array[Int,N]` as its first argument, but this is `Array[<∃X, Array[Int,X]>,N]` (`Int` is not `<∃X, Array[Int,X]>`)
            f : Array[Bool,N] -> ?
              missing-argument at `(map not bs)`: `any` takes a function before `(map not bs)`, but it is missing; write `(any id (map not bs))`
                fix: Write `(any id (map not bs))`
            g : Array[Int,N] -> <∃X, Array[Int,X]>
              argument-order at `(map (+ 1) xs)`: `filter` takes the function first and then the value: `(map (+ 1) xs)` and `(< 0)` have changed places
                `(< 0)`: the function is here
                fix: Exchange the two arguments
        "#]],
    );
}

#[test]
fn an_expression_in_place_of_a_function_is_one_error() {
    check(
        "(lift k1 (N) ((array-type int N)) (lambda (xs) (sort (> (mod a 7) (mod b 7)) xs)))
(lift k2 (N) ((array-type int N)) (lambda (xs) (map (+ (sqrt x) y) xs)))
(lift k3 (N) ((array-type int N)) (lambda (xs) (map (+ x) xs)))
(lift k4 (N) ((array-type int N)) (lambda (xs) (map (+ (foo x) 1) xs)))",
        expect![[r#"
            k1 : Array[Int,N] -> Array[Int,N]
              unknown-name at `a`: there is no `a` here; a function is wanted here: `(lambda (a b) (> (mod a 7) (mod b 7)))`
                fix: Write `(lambda (a b) (> (mod a 7) (mod b 7)))`
            k2 : Array[Int,N] -> Array[?,N]
              unknown-name at `x`: there is no `x` here
              unknown-name at `y`: there is no `y` here
            k3 : Array[Int,N] -> Array[?,N]
              unknown-name at `x`: there is no `x` here
            k4 : Array[Int,N] -> Array[?,N]
              unknown-name at `foo`: there is no `foo` here
              unknown-name at `x`: there is no `x` here
        "#]],
    );
    check_repaired(
        "(lift k1 (N) ((array-type int N)) (lambda (xs) (filter (> x 3) xs)))
(lift k2 (N) ((array-type int N)) (lambda (xs) (map (+ (* x x) 1) xs)))
(lift k3 (N) ((array-type int N)) (lambda (xs) (reduce 0 (+ a b) xs)))
(lift k4 (N) ((array-type int N)) (lambda (xs) (map (if (> x 0) x 0) xs)))",
        expect![[r#"
            (lift k1 (N) ((array-type int N)) (lambda (xs) (filter (lambda (x) (> x 3)) xs)))
            (lift k2 (N) ((array-type int N)) (lambda (xs) (map (lambda (x) (+ (* x x) 1)) xs)))
            (lift k3 (N) ((array-type int N)) (lambda (xs) (reduce 0 (lambda (a b) (+ a b)) xs)))
            (lift k4 (N) ((array-type int N)) (lambda (xs) (map (lambda (x) (if (> x 0) x 0)) xs)))

            k1 : Array[Int,N] -> <∃X, Array[Int,X]>
            k2 : Array[Int,N] -> Array[Int,N]
            k3 : Array[Int,N] -> Array[Int,1]
            k4 : Array[Int,N] -> Array[Int,N]
        "#]],
    );
}

#[test]
fn branches_with_rows_of_one_and_of_hidden_length() {
    check(
        "(define (smaller xs) (map (lambda (x) (filter (< x) xs)) xs))
(lift a (N) ((array-type int N)) (lambda (xs) (if (> N 3) (smaller xs) (map (lambda (_x) xs) xs))))
(lift b (N) ((array-type int N)) (lambda (xs) (if (> N 3) (map (lambda (_x) xs) xs) (smaller xs))))",
        expect![[r#"
            smaller : Array[a,n] -> Array[<∃X, Array[a,X]>,n]
            a : Array[Int,N] -> Array[<∃X, Array[Int,X]>,N]
              type-mismatch at `(map (lambda (_x) xs) xs)`: the branches of an `if` have one type; the first is `Array[<∃X, Array[Int,X]>,N]`, the second `Array[Array[Int,N],N]` (`<∃X, Array[Int,X]>` is not `Array[Int,N]`); the rows have one length, which `(map (lambda (row) (pack row)) (map (lambda …) xs))` hides
                `(smaller xs)`: this branch is `Array[<∃X, Array[Int,X]>,N]`
                fix: Write `(map (lambda (row) (pack row)) (map (lambda …) xs))`
            b : Array[Int,N] -> Array[Array[Int,N],N]
              type-mismatch at `(smaller xs)`: the branches of an `if` have one type; the first is `Array[Array[Int,N],N]`, the second `Array[<∃X, Array[Int,X]>,N]` (`Array[Int,N]` is not `<∃X, Array[Int,X]>`); the rows have one length, which `(map (lambda (row) (pack row)) (map (lambda …) xs))` hides
                `(map (lambda (_x) xs) xs)`: this branch is `Array[Array[Int,N],N]`
                fix: Write `(map (lambda (row) (pack row)) (map (lambda …) xs))`
        "#]],
    );
}
