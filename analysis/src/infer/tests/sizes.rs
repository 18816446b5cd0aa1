//! Lengths in types: arithmetic, solving, assumptions.

use super::harness::check;
use expect_test::expect;

#[test]
fn split_and_join() {
    check(
        "(lift f (N) ((array-type float N)) (lambda (xs) (join (split #2 xs))))
(lift g (N) ((array-type float (* 2 N))) (lambda (xs) (split #2 xs)))
(lift h (N K) ((array-type float N)) (lambda (xs) (split K xs)))
(define (pairs xs) (split #2 xs))
(lift k () ((array-type float 3)) (lambda (xs) (pairs xs)))
(define (both k xs) (join (split k xs)))",
        expect![[r#"
            f : Array[Float,N] -> Array[Float,N]
              assumes 2 divides N
            g : Array[Float,2*N] -> Array[Array[Float,2],N]
            h : Array[Float,N] -> Array[Array[Float,K],N/K]
              assumes K divides N
            pairs : Array[a,n] -> Array[Array[a,2],n/2]
              assumes 2 divides n
            k : Array[Float,3] -> Array[Array[Float,2],3/2]
              assumption-false at `pairs`: `pairs` needs that 2 divides 3, which is false whatever the sizes are
            both : #n -> Array[a,m] -> Array[a,m]
              assumes n divides m
        "#]],
    );
}

#[test]
fn windows_and_borders() {
    check(
        "(lift f (N) ((array-type float N)) (lambda (xs) (slide #3 #1 (pad #1 #1 clamp xs))))
(lift g (N) ((array-type float N)) (lambda (xs) (slide #3 #2 xs)))
(lift h (N) ((array-type float N)) (lambda (xs) (zip (drop #1 xs) (take #(- N 1) xs))))
(lift k (N) ((array-type float N)) (lambda (xs) (concat xs (drop #2 xs))))
(lift l (N) ((array-type float N)) (lambda (xs) (padConstant #1 #2 0.0f xs)))",
        expect![[r#"
            f : Array[Float,N] -> Array[Array[Float,3],N]
              assumes 3 is at most N+2
              assumes N is positive
            g : Array[Float,N] -> Array[Array[Float,3],(N-1)/2]
              assumes 3 is at most N
              assumes 2 divides N-3
            h : Array[Float,N] -> Array[(Float, Float),N-1]
              assumes 1 is at most N
              assumes N-1 is not negative
            k : Array[Float,N] -> Array[Float,2*N-2]
              assumes 2 is at most N
            l : Array[Float,N] -> Array[Float,N+3]
        "#]],
    );
}

#[test]
fn let_names_sizes() {
    check(
        "(lift f (N) ((array-type float N)) (lambda (xs) (let n (length xs) (zip xs (iota n)))))
(lift g () () (lambda () (let n 100 m n (zip (iota n) (fill m 1)))))
(lift h (K) ((array-type int (pow 2 K))) (lambda (xs) (let n #(pow 2 K) (zip xs (iota #(* 1 n))))))
(lift k (N) ((array-type float N)) (lambda (xs) (let n #(- N 1) (tuple n (+ n 1) (take n xs)))))
(lift l (N) ((array-type float N)) (lambda (xs) (let n 3 (iterate n (lambda (r) (concat r (take #1 r))) xs))))
(lift m (N) ((array-type float N)) (lambda (xs) (let kept (filter (< 0.5f) xs) n (length kept) (zip kept (iota n)))))",
        expect![[r#"
            f : Array[Float,N] -> Array[(Float, Int),N]
            g : Array[(Int, Int),100]
            h : Array[Int,2^K] -> Array[(Int, Int),2^K]
            k : Array[Float,N] -> (Int, Int, Array[Float,N-1])
              assumes N-1 is not negative
            l : Array[Float,N] -> <∃X, Array[Float,X]>
            m : Array[Float,N] -> <∃X, Array[(Float, Int),X]>
        "#]],
    );
}

#[test]
fn differences_beside_a_natural_number_may_be_negative() {
    check(
        "(lift f (N) ((array-type float N)) (lambda (xs) (iota #(max (- N 2) 0))))
(lift g (N) () (lambda () #(max (- (- N 2) 1) 1)))
(lift h (N M) () (lambda () #(max (- N 2) (- M 1))))
(lift k (N) () (lambda () #(- (max (- N 2) 0) 1)))",
        expect![[r#"
            f : Array[Float,N] -> Array[Int,max(N-2,0)]
            g : Int
            h : Int
              assumes N-2 is not negative
              assumes M-1 is not negative
            k : Int
              assumes max(N-3,-1) is not negative
        "#]],
    );
}

#[test]
fn transposition_and_matrices() {
    check(
        "(lift mm (N M K) ((array-type (array-type float K) N) (array-type (array-type float M) K)) (lambda (a b)
  (map (lambda (row) (map (lambda (col) (reduceSeq 0.0f + (map (lambda (p) (* (get1 p) (get2 p))) (zip row col)))) (transpose b))) a)))",
        expect![[r#"
            mm : Array[Array[Float,K],N] -> Array[Array[Float,M],K] -> Array[Array[Array[Float,1],M],N]
        "#]],
    );
}

#[test]
fn iota_of_a_size_and_of_a_number() {
    check(
        "(lift f (N) () (lambda () (iota N)))
(lift g (N) ((array-type int N) int) (lambda (xs k) (iota k)))
(lift h () () (lambda () (iota #10)))
(lift k () () (lambda () (iota 10)))
(lift l (N) ((array-type int N)) (lambda (xs) (zip xs (iota #(length xs)))))
(lift m (N) ((array-type int N)) (lambda (xs) (generate N (lambda (i) (* i i)))))
(lift n (N) ((array-type int N)) (lambda (xs) (fill #(* 2 N) 1.0f)))",
        expect![[r#"
            f : Array[Int,N]
            g : Array[Int,N] -> Int -> <∃X, Array[Int,X]>
            h : Array[Int,10]
            k : Array[Int,10]
            l : Array[Int,N] -> Array[(Int, Int),N]
            m : Array[Int,N] -> Array[Int,N]
            n : Array[Int,N] -> Array[Float,2*N]
        "#]],
    );
}

#[test]
fn iterate_follows_the_length() {
    check(
        "(lift f (N) ((array-type float N)) (lambda (xs) (iterate #3 (map (lambda (x) (* x 2.0f))) xs)))
(lift g (N) ((array-type float (* 8 N))) (lambda (xs) (iterate #3 (lambda (ys) (join (map (reduceSeq 0.0f +) (split #2 ys)))) xs)))
(define (doubled k xs) (iterate k (lambda (ys) (concat ys ys)) xs))
(lift h (N) ((array-type float N)) (lambda (xs) (doubled #5 xs)))
(lift k (N) ((array-type float N)) (lambda (xs) (iterate #2 (lambda (ys) (filter (lambda (y) true) ys)) xs)))",
        expect![[r#"
            f : Array[Float,N] -> Array[Float,N]
            g : Array[Float,8*N] -> Array[Float,N]
            doubled : #n -> Array[a,m] -> Array[a,m*2^n]
            h : Array[Float,N] -> Array[Float,32*N]
            k : Array[Float,N] -> <∃X, Array[Float,X]>
        "#]],
    );
}

#[test]
fn a_changing_length_needs_a_number_of_rounds() {
    check(
        "(lift f (N K) ((array-type float N)) (lambda (xs) (iterate K (lambda (ys) (concat ys ys)) xs)))
(define (doubled k xs) (iterate k (lambda (ys) (concat ys ys)) xs))
(define (more k xs) (doubled #(+ k 1) xs))
(lift g (N K) ((array-type float N)) (lambda (xs) (more K xs)))
(lift h (N K) ((array-type float N)) (lambda (xs) (let f (lambda (l ys) (doubled l ys)) (tuple (f #2 xs) (f K xs)))))
(lift k (N K) ((array-type float N)) (lambda (xs) (iterate K (lambda (ys) (reverse ys)) xs)))",
        expect![[r#"
            f : Array[Float,N] -> <∃X, Array[Float,X]>
            doubled : #n -> Array[a,m] -> Array[a,m*2^n]
            more : #n -> Array[a,m] -> Array[a,2*m*2^n]
            g : Array[Float,N] -> Array[Float,2*N*2^K]
              iterate-length at `more`: the function of this `iterate` changes the length of the array, so the number of rounds must be a constant; `K+1` is known only in the run; where a definition takes the number as `(k int)`, the length of the result is hidden
            h : Array[Float,N] -> (Array[Float,4*N], Array[Float,N*2^K])
              iterate-length at `f`: the function of this `iterate` changes the length of the array, so the number of rounds must be a constant; `K` is known only in the run; where a definition takes the number as `(k int)`, the length of the result is hidden
            k : Array[Float,N] -> Array[Float,N]
        "#]],
    );
}

#[test]
fn what_a_function_assumes_it_assumes_in_each_round() {
    check(
        "(lift first (N) ((array-type float N)) (lambda (xs) (iterate #1 (take #3) xs)))
(lift each (N) ((array-type float N)) (lambda (xs) (iterate #3 (drop #2) xs)))
(lift halves (N) ((array-type float N)) (lambda (xs) (iterate #2 (lambda (ys) (join (map (reduceSeq 0.0f +) (split #2 ys)))) xs)))
(define (shorter k xs) (iterate k (drop #2) xs))
(lift by-rule (N) ((array-type float N)) (lambda (xs) (shorter #100 xs)))
(define (third xs) (iterate #1 (take #3) xs))
(lift defined (N) ((array-type float N)) (lambda (xs) (third xs)))
(lift opened (N) ((array-type float N)) (lambda (xs) (iterate #1 (take #3) (filter (< 0.0f) xs))))
(lift kept (N K) ((array-type float N)) (lambda (xs) (iterate K (lambda (ys) (join (split #2 ys))) xs)))
(lift nested (N) ((array-type float N)) (lambda (xs) (iterate #2 (iterate #2 (drop #1)) xs)))
(lift rows (N) ((array-type float N)) (lambda (xs) (map (lambda (r) (iterate #1 (take #3) r)) (generate N (lambda (i) (take #i xs))))))
(lift generalised (N) ((array-type float N)) (lambda (xs)
  (let f (lambda (ys) (iterate #2 (drop #1) ys)) (tuple (f xs) (f (take #1 xs))))))
(lift inside (N) ((array-type float N)) (lambda (xs)
  (iterate #2 (lambda (ys) (let z (head (take #3 (filter (< 0.0f) ys))) (map (+ z) ys))) xs)))
(lift no-rounds (N) ((array-type float N)) (lambda (xs) (iterate #0 (lambda (ys) (join (split #2 ys))) xs)))
(lift rows-in-rounds (N) ((array-type float N)) (lambda (xs)
  (iterate #2 (lambda (ys) (map (lambda (y) (head (take #1 (drop #2 ys)))) ys)) xs)))
(lift never (N) ((array-type float 3)) (lambda (xs) (iterate #2 (drop #2) xs)))",
        expect![[r#"
            first : Array[Float,N] -> Array[Float,3]
              assumes 3 is at most N
            each : Array[Float,N] -> Array[Float,N-6]
              assumes 2 is at most N
              assumes 2 is at most N-2
              assumes 2 is at most N-4
            halves : Array[Float,N] -> Array[Float,N/4]
              assumes 2 divides N
              assumes 2 divides N/2
            shorter : #n -> Array[a,m] -> Array[a,m-2*n]
              assumes 2 is at most m-2*r for every r below n
            by-rule : Array[Float,N] -> Array[Float,N-200]
              assumes 2 is at most N-2*r for every r below 100
            third : Array[a,n] -> Array[a,3]
              assumes 3 is at most n
            defined : Array[Float,N] -> Array[Float,3]
              assumes 3 is at most N
            opened : Array[Float,N] -> Array[Float,3]
            kept : Array[Float,N] -> Array[Float,N]
              assumes 2 divides N
            nested : Array[Float,N] -> Array[Float,N-4]
              assumes 1 is at most N
              assumes 1 is at most N-2
              assumes 1 is at most N-1
              assumes 1 is at most N-3
            rows : Array[Float,N] -> Array[Array[Float,3],N]
              assumes 3 is at most i for every i below N
            generalised : Array[Float,N] -> (Array[Float,N-2], Array[Float,-1])
              assumes 1 is at most N
              assumes 1 is at most N-1
              assumption-false at `f`: `f` needs that 1 is at most 0, which is false whatever the sizes are
            inside : Array[Float,N] -> Array[Float,N]
            no-rounds : Array[Float,N] -> Array[Float,N]
            rows-in-rounds : Array[Float,N] -> Array[Float,N]
              assumes 1 is at most N-2
              assumes 2 is at most N
            never : Array[Float,3] -> Array[Float,-1]
              assumption-false at `drop`: `drop` needs that 2 is at most 1, which is false whatever the sizes are
        "#]],
    );
}

#[test]
fn conditions_are_known_in_branches() {
    check(
        "(lift positive (N) ((array-type int N)) (lambda (xs) (if (> N 0) (head xs) -1)))
(lift not-zero (N) ((array-type int N)) (lambda (xs) (if (= (length xs) 0) 0 (head xs))))
(lift both (N M) ((array-type int N)) (lambda (xs) (if (and (>= N 3) (not (> M N))) (tuple (take #3 xs) (take M xs)) (tuple xs xs))))
(lift either (N) ((array-type int N)) (lambda (xs) (if (or (< N 3) (< N 4)) 0 (head (drop #3 xs)))))
(lift difference (N) ((array-type int N)) (lambda (xs) (if (< 0 (- N 2)) (head (drop #2 xs)) 0)))
(lift inside (N) ((array-type int N)) (lambda (xs) (if (> N 0) (map (lambda (x) (+ x (head xs))) xs) xs)))
(lift positions (N) ((array-type int N)) (lambda (xs) (generate N (lambda (i) (if (> i 0) (head (take #i xs)) 0)))))
(lift too-little (N) ((array-type int N)) (lambda (xs) (if (> N 1) (take #3 xs) xs)))
(lift other (N) ((array-type int N)) (lambda (xs) (if (> N 0) 0 (head xs))))
(lift wraps (N) ((array-type int N)) (lambda (xs) (if (> (* N N) 0) (head xs) 0)))
(define (first-or d xs) (if (> (length xs) 0) (head xs) d))
(lift defined (N) ((array-type int N)) (lambda (xs) (first-or 7 xs)))
(lift outside (N) ((array-type int N)) (lambda (xs) (+ (head xs) (if (> N 0) (head xs) -1))))",
        expect![[r#"
            positive : Array[Int,N] -> Int
            not-zero : Array[Int,N] -> Int
            both : Array[Int,N] -> <∃X Y, (Array[Int,X], Array[Int,Y])>
            either : Array[Int,N] -> Int
            difference : Array[Int,N] -> Int
            inside : Array[Int,N] -> Array[Int,N]
            positions : Array[Int,N] -> Array[Int,N]
            too-little : Array[Int,N] -> <∃X, Array[Int,X]>
              assumes 3 is at most N where N > 1
            other : Array[Int,N] -> Int
              assumes N is positive where N <= 0
            wraps : Array[Int,N] -> Int
            first-or : a -> Array[a,n] -> a
            defined : Array[Int,N] -> Int
            outside : Array[Int,N] -> Int
              assumes N is positive
        "#]],
    );
}

#[test]
fn a_divisor_is_positive() {
    check(
        "(lift split-by (N K) ((array-type float (* K N))) (lambda (xs) (split K xs)))
(lift all (N) ((array-type float N)) (lambda (xs) (split N xs)))
(lift strided (N) ((array-type float N)) (lambda (xs) (stride N xs)))
(lift reduced (N) ((array-type float N)) (lambda (xs) (partRed N 0.0f + xs)))
(lift windows (N) ((array-type float N)) (lambda (xs) (slide #0 N xs)))
(lift known (N) ((array-type float (+ N 1))) (lambda (xs) (split #(+ N 1) xs)))
(lift remainder (N) () (lambda () (generate N (lambda (i) (iota #(mod 1 i))))))
(lift quotient (N M) () (lambda () (iota #(/ (* N M) M))))
(lift positions (N) ((array-type float N)) (lambda (xs) (generate N (lambda (i) (split #(+ i 1) (fill #(* 2 (+ i 1)) 1.0f))))))",
        expect![[r#"
            split-by : Array[Float,N*K] -> Array[Array[Float,K],N]
              assumes K is positive
            all : Array[Float,N] -> Array[Array[Float,N],1]
              assumes N is positive
            strided : Array[Float,N] -> Array[Float,N]
              assumes N is positive
            reduced : Array[Float,N] -> Array[Float,N]
              assumes N is positive
            windows : Array[Float,N] -> Array[Array[Float,0],2]
              assumes N is positive
            known : Array[Float,N+1] -> Array[Array[Float,N+1],1]
            remainder : Array[i => Array[Int,1 mod i],N]
              assumes i is positive for every i below N
            quotient : Array[Int,N]
              assumes M is positive
            positions : Array[Float,N] -> Array[i => Array[Array[Float,i+1],2],N]
        "#]],
    );
}

#[test]
fn partial_reduction() {
    check(
        "(lift f (N) ((array-type float N)) (lambda (xs) (reduce 0.0f + (partRed #16 0.0f + xs))))",
        expect![[r#"
            f : Array[Float,N] -> Array[Float,1]
              assumes 16 divides N
        "#]],
    );
}

#[test]
fn lengths_that_differ() {
    check(
        "(lift f (N M) ((array-type float N) (array-type int M)) (lambda (xs ys) (zip xs ys)))
(lift g (N) ((array-type float N)) (lambda (xs) (zip xs (drop #1 xs))))
(lift h (N) ((array-type float N)) (lambda (xs) (zip xs (iota 10))))
(lift k (N) ((array-type float N)) (lambda (xs) (zip3 xs xs (drop #1 xs))))
(define (zip3 a b c) (zip a b c))",
        expect![[r#"
            f : Array[Float,N] -> Array[Int,M] -> Array[(Float, Int),N]
              unequal-lengths at `ys`: `zip` needs two arrays of one length: the first has length `N` (the length of `xs`), the second `M` (the length of `ys`); nothing says that they are equal
                `xs`: length `N` comes from here
                `ys`: length `M` comes from here
                fix: Check at run time that the lengths are equal
            g : Array[Float,N] -> Array[(Float, Float),N]
              assumes 1 is at most N
              unequal-lengths at `(drop #1 xs)`: `zip` needs two arrays of one length: the first has length `N` (the length of `xs`), the second `N-1` (the length of `(drop #1 xs)`); they differ whatever the sizes are
                `xs`: length `N` comes from here
                `(drop #1 xs)`: length `N-1` comes from here
            h : Array[Float,N] -> Array[(Float, Int),N]
              unequal-lengths at `(iota 10)`: `zip` needs two arrays of one length: the first has length `N` (the length of `xs`), the second `10` (the length of `(iota 10)`); nothing says that they are equal
                `xs`: length `N` comes from here
                `(iota 10)`: length `10` comes from here
                fix: Check at run time that the lengths are equal
            k : Array[Float,N] -> Array[(Float, Float, Float),N]
              assumes 1 is at most N
              unequal-lengths at `(drop #1 xs)`: `zip3` needs arrays of one length: the first argument has length `N` (the length of `xs`), the third `N-1` (the length of `(drop #1 xs)`); they differ whatever the sizes are
                `xs`: length `N` comes from here
                `(drop #1 xs)`: length `N-1` comes from here
            zip3 : Array[a,n] -> Array[b,n] -> Array[c,n] -> Array[(a, b, c),n]
        "#]],
    );
}

#[test]
fn position_dependent_types_are_types() {
    check(
        "(lift f (N) ((array-type (i) (array-type float (+ i 1)) N)) (lambda (rows) rows))",
        expect![[r#"
            f : Array[i => Array[Float,i+1],N] -> Array[i => Array[Float,i+1],N]
        "#]],
    );
}

#[test]
fn a_length_that_would_contain_itself() {
    check(
        "(lift f (N) ((array-type float N)) (lambda (xs) ((lambda (ys) (zip ys (concat ys xs))) xs)))
(define (g ys) (zip ys (drop #1 ys)))",
        expect![[r#"
            f : Array[Float,N] -> Array[(Float, Float),N]
              unequal-lengths at `(concat ys xs)`: `zip` needs two arrays of one length: the first has length `N` (the length of `xs`), the second `2*N` (the length of `(concat ys xs)`); nothing says that they are equal
                `xs`: length `N` comes from here
                `(concat ys xs)`: length `2*N` comes from here
                fix: Check at run time that the lengths are equal
            g : Array[a,n] -> Array[(a, a),n]
              assumes 1 is at most n
              unequal-lengths at `(drop #1 ys)`: `zip` needs two arrays of one length: the first has length `n`, the second `n-1` (the length of `(drop #1 ys)`); they differ whatever the sizes are
                `(drop #1 ys)`: length `n-1` comes from here
        "#]],
    );
}

#[test]
fn what_is_computed_of_sizes_is_a_size() {
    check(
        "(define (numbered xs) (zip (iota (length xs)) xs))
(define steps 4)
(define twice (* 2 steps))
(lift f (N) ((array-type float N)) (lambda (xs) (zip (tail xs) (iota (- N 1)))))
(lift g (N) ((array-type float N)) (lambda (xs) (zipWith + (drop 1 xs) (take (- (length xs) 1) xs))))
(lift h (N M) ((array-type float N) (array-type float M)) (lambda (a b) (fill (max 0 (- (+ (length a) M) 1)) 0)))
(lift k (N) ((array-type float N)) (lambda (xs) (let n (* 2 (length xs)) m (- n 1) (tuple (fill n m) (fill m n)))))
(lift l () () (lambda () (zip (iota twice) (fill (+ steps 4) steps))))
(lift m (N) ((array-type float N)) (lambda (xs) (iterate (- N 1) (lambda (r) (concat r (take #1 r))) xs)))
(lift n (N) ((array-type float N)) (lambda (xs) (let kept (filter (< 0.5f) xs) (zip kept (iota (length kept))))))
(lift o (N) ((array-type int N)) (lambda (xs) (map (lambda (x) (iota (- x 1))) xs)))
(lift p (N) ((array-type int N)) (lambda (xs) (generate #N (lambda (i) (iota (- N i))))))",
        expect![[r#"
            numbered : Array[a,n] -> Array[(Int, a),n]
            steps : Int
            twice : Int
            f : Array[Float,N] -> Array[(Float, Int),N-1]
              assumes N is positive
              assumes N-1 is not negative
            g : Array[Float,N] -> ?
              assumes 1 is at most N
              assumes N-1 is not negative
              unknown-name at `zipWith`: there is no `zipWith` here
            h : Array[Float,N] -> Array[Float,M] -> Array[Int,max(N+M-1,0)]
            k : Array[Float,N] -> <∃X, (Array[Int,2*N], Array[Int,X])>
            l : Array[(Int, Int),8]
            m : Array[Float,N] -> <∃X, Array[Float,X]>
            n : Array[Float,N] -> <∃X, Array[(Float, Int),X]>
            o : Array[Int,N] -> Array[<∃X, Array[Int,X]>,N]
            p : Array[Int,N] -> Array[<∃X, Array[Int,X]>,N]
        "#]],
    );
}

#[test]
fn definitions_that_are_numbers_are_sizes() {
    check(
        "(define n 4)
(define twice (* 2 n))
(define half 0.5f)
(lift a () () (lambda () (tuple (iota #n) (iota #(+ twice 1)))))
(lift b (N) ((array-type float N)) (lambda (xs) (split #n xs)))
(lift c (N) ((array-type float (* n N))) (lambda (xs) (take #n xs)))
(lift d () ((array-type float twice)) (lambda (xs) xs))
(define (e xs) (take #n xs))
(define (f (xs (array-type float n))) (take #n xs))
(define around #around)
(lift g () () (lambda () (iota #half)))
(lift h (N) ((array-type float M)) (lambda (xs) (tuple (iota N) (zip xs (iota #M)))))
(lift i (N) ((array-type float N)) (lambda (xs) (take #take xs)))
(define wrong missing)
(lift j () () (lambda () (iota #wrong)))",
        expect![[r#"
            n : Int
            twice : Int
            half : Float
            a : (Array[Int,4], Array[Int,9])
            b : Array[Float,N] -> Array[Array[Float,4],N/4]
              assumes 4 divides N
            c : Array[Float,4*N] -> Array[Float,4]
              assumes 4 is at most 4*N
            d : Array[Float,8] -> Array[Float,8]
            e : Array[a,n] -> Array[a,4]
              assumes 4 is at most n
            f : Array[Float,n] -> Array[Float,n]
            around : Int
              recursion at `around`: recursion is not possible in Lift: `around` uses `around`; `reduceSeq`, `iterate` and `iterateWhile` repeat a function
            g : Array[Int,?]
              needs-size at `half`: `half` is not a size: only a definition that is a natural number is one, as in `(define half 100)`
            h : Array[Float,?] -> (Array[Int,N], Array[(Float, Int),?])
              unknown-size-name at `M`: there is no size `M` here: the sizes of a kernel are declared at its head, as in `(lift (M) …)`
                fix: Declare `M` as a size of the kernel
            i : Array[Float,N] -> Array[Float,?]
              unknown-size-name at `take`: there is no size `take` here: the sizes of a kernel are declared at its head, as in `(lift (take) …)`
                fix: Declare `take` as a size of the kernel
            wrong : ?
              unknown-name at `missing`: there is no `missing` here
            j : Array[Int,?]
        "#]],
    );
}

/// The length of what a primitive makes of a named array is a size, too.
#[test]
fn lengths_of_views_are_sizes() {
    check(
        "(define (numbered xs) (zip (iota (length (tail xs))) (tail xs)))
(lift a (N M) ((array-type (array-type int M) N)) (lambda (xss) (zip (iota (length (head xss))) (head xss))))
(lift b (N) ((array-type int N)) (lambda (xs) (let n (length (reverse xs)) (zip (iota n) xs))))
(lift c (N) ((array-type int N)) (lambda (xs) (map (lambda (k) (iota (length (take k xs)))) xs)))",
        expect![[r#"
            numbered : Array[a,n] -> Array[(Int, a),n-1]
              assumes n is positive
            a : Array[Array[Int,M],N] -> Array[(Int, Int),M]
              assumes N is positive
            b : Array[Int,N] -> Array[(Int, Int),N]
            c : Array[Int,N] -> Array[<∃X, Array[Int,X]>,N]
        "#]],
    );
}
