//! Definitions that are given rows of hidden length.

use super::harness::{check, check_elaborated};
use expect_test::expect;

const ROWS: &str = "(define (smaller xs) (map (lambda (x) (filter (< x) xs)) xs))
(define (sum xs) (head (reduce 0 + xs)))";

/// A definition that was inferred for rows of one length takes rows of hidden length, if its body does.
#[test]
fn definitions_take_rows_of_hidden_length() {
    check(
        &format!(
            "{ROWS}
(define (lens rows) (map length rows))
(define (total rows) (sum (map sum rows)))
(define (doubled rows) (map (lambda (r) (map (lambda (x) (+ x x)) r)) rows))
(define (mean rows) (/ (toFloat (total (doubled rows))) (toFloat (length rows))))
(lift a (N) ((array-type int N)) (lambda (xs) (lens (smaller xs))))
(lift b (N) ((array-type int N)) (lambda (xs) (total (smaller xs))))
(lift c (N) ((array-type int N)) (lambda (xs) (mean (smaller xs))))
(lift d (N) ((array-type int N)) (lambda (xs) (doubled (doubled (smaller xs)))))
(lift e (N M) ((array-type (array-type int N) M)) (lambda (xss) (map total (map smaller xss))))
(lift f (N) ((array-type int N)) (lambda (xs) ((o total doubled smaller) xs)))"
        ),
        expect![[r#"
            smaller : Array[a,n] -> Array[<∃X, Array[a,X]>,n]
            sum : Array[Int,n] -> Int
            lens : Array[Array[a,m],n] -> Array[Int,n]
            total : Array[Array[Int,m],n] -> Int
            doubled : Array[Array[a,m],n] -> Array[Array[a,m],n]
            mean : Array[Array[Int,m],n] -> Float
            a : Array[Int,N] -> Array[Int,N]
            b : Array[Int,N] -> Int
            c : Array[Int,N] -> Float
            d : Array[Int,N] -> Array[<∃X, Array[Int,X]>,N]
            e : Array[Array[Int,N],M] -> Array[Int,M]
            f : Array[Int,N] -> Int
        "#]],
    );
}

/// So do compositions and partial applications, where they are defined, bound or applied.
#[test]
fn compositions_take_rows_of_hidden_length() {
    check(
        &format!(
            "{ROWS}
(define total (o sum (map sum)))
(define sums (map sum))
(define totals (o sum (lambda (rows) (map sum rows))))
(define all (o total smaller))
(define twice (o (map (o sum (map (+ 1)))) smaller))
(lift a (N) ((array-type int N)) (lambda (xs) (total (smaller xs))))
(lift b (N) ((array-type int N)) (lambda (xs) (sums (smaller xs))))
(lift c (N) ((array-type int N)) (lambda (xs) (totals (smaller xs))))
(lift d (N) ((array-type int N)) (lambda (xs) ((o sum (map sum)) (smaller xs))))
(lift e (N) ((array-type int N)) (lambda (xs) ((o sum (map sum) smaller) xs)))
(lift f (N) ((array-type int N)) (lambda (xs) ((map sum) (smaller xs))))
(lift g (N) ((array-type int N)) (lambda (xs) (let f (o sum (map sum)) (f (smaller xs)))))
(lift h (N) ((array-type int N)) (lambda (xs) (let f (map sum) (f (smaller xs)))))
(lift i (N) ((array-type int N)) (lambda (xs) ((o sum (lambda (r) (map sum r)) smaller) xs)))
(lift j (N) ((array-type int N)) (lambda (xs) (total (map (lambda (_x) xs) xs))))
(lift k (N) ((array-type int N))
  (lambda (xs)
    (let f (lambda (rows) (sum (map sum rows)))
         (+ (f (smaller xs)) (f (map (lambda (_x) xs) xs))))))"
        ),
        expect![[r#"
            smaller : Array[a,n] -> Array[<∃X, Array[a,X]>,n]
            sum : Array[Int,n] -> Int
            total : Array[Array[Int,m],n] -> Int
            sums : Array[Array[Int,m],n] -> Array[Int,n]
            totals : Array[Array[Int,m],n] -> Int
            all : Array[Int,n] -> Int
            twice : Array[Int,n] -> Array[Int,n]
            a : Array[Int,N] -> Int
            b : Array[Int,N] -> Array[Int,N]
            c : Array[Int,N] -> Int
            d : Array[Int,N] -> Int
            e : Array[Int,N] -> Int
            f : Array[Int,N] -> Array[Int,N]
            g : Array[Int,N] -> Int
            h : Array[Int,N] -> Array[Int,N]
            i : Array[Int,N] -> Int
            j : Array[Int,N] -> Int
            k : Array[Int,N] -> Int
              hidden-length at `(smaller xs)`: each row of this array has its own hidden length, `<∃X, Array[Int,X]>`, but `f` needs rows of one length here: open each row with `(map (lambda (row) …) …)`, or join them with `joinRows`; `let` binds `f`, which takes rows of one kind at all of its uses; a `define` takes both
        "#]],
    );
}

/// Functions bound by `let`, too.
#[test]
fn local_functions_take_rows_of_hidden_length() {
    check_elaborated(
        &format!(
            "{ROWS}
(define (total rows) (sum (map sum rows)))
(lift a (N) ((array-type int N))
  (lambda (xs)
    (let all (lambda (rows k) (+ k (sum (map length rows))))
         more (lambda (rows) (total (map (lambda (r) (concat r r)) rows)))
         (+ (all (smaller xs) 1) (more (smaller xs))))))"
        ),
        expect![[r#"
            (define (smaller xs) (map (lambda (x) (filter (< x) xs)) xs))
            (define (sum xs) (head (reduce 0 + xs)))
            (define (total rows) (sum (map sum rows)))
            (lift a (N) ((array-type int N))
              (lambda (xs)
                (let all (lambda (rows k) (+ k (sum (map (lambda (v1) (unpack (X1 v1) v1 (length v1))) rows))))
                     more (lambda (rows) (total (map (lambda (r) (unpack (X2 r) r (pack (concat r r)))) rows)))
                     (+ (all (smaller xs) 1) (more (smaller xs))))))"#]],
    );
}

/// `(transpose rows)` in a definition needs rows of equal length: a call with rows of hidden length is an error.
#[test]
fn definitions_that_need_rows_of_one_length() {
    check(
        &format!(
            "{ROWS}
(define (columns rows) (map sum (transpose rows)))
(define (inner rows) (columns rows))
(lift a (N) ((array-type int N)) (lambda (xs) (columns (smaller xs))))
(lift b (N) ((array-type int N)) (lambda (xs) (inner (smaller xs))))
(lift c (N) ((array-type int N))
  (lambda (xs)
    (let both (lambda (rows) (map sum (transpose rows)))
         (both (smaller xs)))))"
        ),
        expect![[r#"
            smaller : Array[a,n] -> Array[<∃X, Array[a,X]>,n]
            sum : Array[Int,n] -> Int
            columns : Array[Array[Int,m],n] -> Array[Int,m]
            inner : Array[Array[Int,m],n] -> Array[Int,m]
            a : Array[Int,N] -> Array[Int,?]
              hidden-length at `(smaller xs)`: each row of this array has its own hidden length, `<∃X, Array[Int,X]>`, but `columns` needs rows of one length here: open each row with `(map (lambda (row) …) …)`, or join them with `joinRows`
                `definition of columns`: with such rows: each row of this array has its own hidden length, `<∃X, Array[_,X]>`, but `transpose` needs rows of one length here: open each row with `(map (lambda (row) …) …)`, or join them with `joinRows`
            b : Array[Int,N] -> Array[Int,?]
              hidden-length at `(smaller xs)`: each row of this array has its own hidden length, `<∃X, Array[Int,X]>`, but `inner` needs rows of one length here: open each row with `(map (lambda (row) …) …)`, or join them with `joinRows`
                `definition of inner`: with such rows: each row of this array has its own hidden length, `<∃X, Array[_,X]>`, but `columns` needs rows of one length here: open each row with `(map (lambda (row) …) …)`, or join them with `joinRows`
            c : Array[Int,N] -> Array[Int,?]
              hidden-length at `(smaller xs)`: each row of this array has its own hidden length, `<∃X, Array[Int,X]>`, but `both` needs rows of one length here: open each row with `(map (lambda (row) …) …)`, or join them with `joinRows`
        "#]],
    );
}

/// A number that is a size where it is used makes known lengths.
#[test]
fn definitions_are_given_sizes() {
    check_elaborated(
        "(define (counts k xs) (map (lambda (c) (length (filter (= c) xs))) (iota k)))
(define (eye n) (generate n (lambda (i) (generate n (lambda (j) (if (= i j) 1 0))))))
(lift a (N) ((array-type int N)) (lambda (xs) (zip (counts #3 xs) (counts 3 xs))))
(lift b () () (lambda () (transpose (eye #2))))
(lift c (N) ((array-type int N)) (lambda (xs) (counts #3 xs)))",
        expect![[r#"
            (define (counts k xs) (unpack (X1 v2) (iota k) (pack (map (lambda (c) (unpack (X2 v1) (filter (= c) xs) (length v1))) v2))))
            (define (eye n) (generate n (lambda (i) (generate n (lambda (j) (if (= i j) 1 0))))))
            (lift a (N) ((array-type int N)) (lambda (xs) (zip (counts #3 xs) (counts 3 xs))))
            (lift b () () (lambda () (transpose (eye #2))))
            (lift c (N) ((array-type int N)) (lambda (xs) (counts #3 xs)))"#]],
    );
}

/// Definitions that are correct for rows of hidden length only.
#[test]
fn definitions_that_need_rows_of_hidden_length() {
    check(
        &format!(
            "{ROWS}
(define (without rows) (iterateWhile (lambda (rs) (> (length (head rs)) 3)) (lambda (rs) (map (filter (< 2)) rs)) rows))
(lift a (N) ((array-type int N)) (lambda (xs) (without (smaller xs))))
(lift b (N) ((array-type int N)) (lambda (xs) (without (map (lambda (_x) xs) xs))))"
        ),
        expect![[r#"
            smaller : Array[a,n] -> Array[<∃X, Array[a,X]>,n]
            sum : Array[Int,n] -> Int
            without : Array[<∃X, Array[Int,X]>,n] -> Array[<∃X, Array[Int,X]>,n]
              assumes n is positive
            a : Array[Int,N] -> Array[<∃X, Array[Int,X]>,N]
              assumes N is positive
            b : Array[Int,N] -> Array[<∃X, Array[Int,X]>,N]
              assumes N is positive
              type-mismatch at `(map (lambda (_x) xs) xs)`: `without` needs `Array[<∃X, Array[Int,X]>,N]` as its first argument, but this is `Array[Array[Int,N],N]` (`<∃X, Array[Int,X]>` is not `Array[Int,N]`); the rows have one length, which `(map (lambda (row) (pack row)) (map (lambda …) xs))` hides
                fix: Write `(map (lambda (row) (pack row)) (map (lambda …) xs))`
        "#]],
    );
}
