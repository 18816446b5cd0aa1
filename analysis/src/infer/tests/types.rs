//! Types without hidden lengths: polymorphism, numbers, functions, tuples.

use super::harness::{check, program};
use crate::infer::Mode;
use expect_test::expect;

#[test]
fn definitions_are_polymorphic() {
    check(
        "(define (square x) (* x x))
(define (compose f g x) (f (g x)))
(define (swap p) (tuple (get2 p) (get1 p)))
(define const5 5)
(define (id2 x) x)
(define (avg a b) (/ (+ a b) 2.0f))
(lift f (N) ((array-type float N) (array-type int N)) (lambda (xs is) (zip (map square xs) (map square is))))",
        expect![[r#"
            square : a -> a
            compose : (a -> b) -> (c -> a) -> c -> b
            swap : (a, b) -> (b, a)
            const5 : Int
            id2 : a -> a
            avg : Float -> Float -> Float
            f : Array[Float,N] -> Array[Int,N] -> Array[(Float, Int),N]
        "#]],
    );
}

#[test]
fn lets_are_polymorphic() {
    check(
        "(lift f (N) ((array-type float N) (array-type int N)) (lambda (xs is) (let sq (lambda (x) (* x x)) (zip (map sq xs) (map sq is)))))
(define (g x) (let k (lambda (y) (tuple x y)) (tuple (k 1) (k true))))",
        expect![[r#"
            f : Array[Float,N] -> Array[Int,N] -> Array[(Float, Int),N]
            g : a -> ((a, Int), (a, Bool))
        "#]],
    );
}

#[test]
fn undecided_numbers_are_ints_in_a_kernel() {
    check(
        "(lift f (N) ((array-type int N)) (lambda (xs) (let z (lambda (a) (+ a a)) (map (lambda (x) 1) xs))))
(define (twice x) (+ x x))",
        expect![[r#"
            f : Array[Int,N] -> Array[Int,N]
            twice : a -> a
        "#]],
    );
}

#[test]
fn a_size_name_is_an_int_as_a_value() {
    check(
        "(lift f (N) ((array-type int N)) (lambda (xs) (map (lambda (x) (+ x N)) xs)))
(lift g (N) ((array-type int N)) (lambda (xs) (+ #(* 2 N) 1)))
(define (last-one (xs (array-type float N))) (aref xs (- N 1)))",
        expect![[r#"
            f : Array[Int,N] -> Array[Int,N]
            g : Array[Int,N] -> Int
            last-one : Array[Float,N] -> Float
        "#]],
    );
}

#[test]
fn curried_and_partial_application() {
    check(
        "(lift f (N) ((array-type float N)) (lambda (xs) (((map) (lambda (x) x)) xs)))
(define inc (map (+ 1)))
(define (ap f) (f 1 2.0f))",
        expect![[r#"
            f : Array[Float,N] -> Array[Float,N]
            inc : Array[Int,n] -> Array[Int,n]
            ap : (Int -> Float -> a) -> a
        "#]],
    );
}

#[test]
fn zips_of_three_and_unzip() {
    check(
        "(lift f (N) ((array-type float N) (array-type int N) (array-type bool N)) (lambda (a b c) (unzip (zip a b c))))
(define (third t) (get3 t))
(define (un xs) (unzip xs))",
        expect![[r#"
            f : Array[Float,N] -> Array[Int,N] -> Array[Bool,N] -> (Array[Float,N], Array[Int,N], Array[Bool,N])
            third : (a, b, c) -> c
            un : Array[(a, b),n] -> (Array[a,n], Array[b,n])
        "#]],
    );
}

#[test]
fn vectors() {
    check(
        "(lift f (N) ((array-type int N)) (lambda (xs) (joinVec (mapVec (lambda (x) (* x 3)) (splitVec 4 xs)))))
(lift g (N) ((array-type int N)) (lambda (xs) (o join (mapWorkgroup (o joinVec (mapLocal (mapVec (lambda (x) (* x 3)))) (splitVec 4))) (split 1024) xs)))
(lift h (N) ((array-type int N)) (lambda (xs) (asVector #5 xs)))",
        expect![[r#"
            f : Array[Int,N] -> Array[?,?*?]
              assumes 4 divides N
              type-mismatch at `(splitVec 4 xs)`: `mapVec` needs `Vec[_,_]` as its second argument, but this is `Array[Vec[Int,4],N/4]`
            g : Array[Int,N] -> Array[Int,N]
              assumes 1024 divides N
            h : Array[Int,N] -> Array[Vec[Int,5],N/5]
              assumes 5 divides N
              vector-width at `asVector`: OpenCL has vectors of 2, 3, 4, 8 and 16 elements, not of 5
        "#]],
    );
}

#[test]
fn functions_wrapped_in_an_address_space() {
    check(
        "(lift f (N) ((array-type float N)) (lambda (xs) ((toGlobal (mapGlb (lambda (x) (* x 2.0f)))) (filterGlb (lambda (x) (> x 0.5f)) xs))))",
        expect![[r#"
            f : Array[Float,N] -> <∃X, Array[Float,X]>
        "#]],
    );
}

#[test]
fn ascriptions() {
    check(
        "(lift f (N M) ((array-type float N) (array-type float M)) (lambda (xs ys) (zip xs (: ys (array-type float N)))))
(lift g (N) ((array-type float N)) (lambda (xs) (: xs (array-type float N))))
(lift h (N) ((array-type float N)) (lambda (xs) (: xs (exists (X) (array-type float X)))))
(lift k (N) ((array-type float N)) (lambda (xs) (: (filter (lambda (x) true) xs) (exists (L) (array-type float L)))))
(lift l (N) ((array-type float N)) (lambda (xs) (: (filter (lambda (x) true) xs) (array-type float 4))))
(lift m (N) ((array-type float N)) (lambda (xs) (: xs (array-type int N))))
(lift n () ((array-type float 3)) (lambda (xs) (: xs (array-type float 4))))",
        expect![[r#"
            f : Array[Float,N] -> Array[Float,M] -> Array[(Float, Float),N]
              assumes M equals N
            g : Array[Float,N] -> Array[Float,N]
            h : Array[Float,N] -> <∃X, Array[Float,X]>
            k : Array[Float,N] -> <∃L, Array[Float,L]>
            l : Array[Float,N] -> Array[Float,4]
            m : Array[Float,N] -> Array[Int,N]
              type-mismatch at `(: xs (array-type int N))`: this is annotated as `Array[Int,N]`, but it is `Array[Float,N]` (`Int` is not `Float`)
            n : Array[Float,3] -> Array[Float,4]
              annotation-false at `(: xs (array-type float 4))`: this is annotated with length `4`, but its length is `3`: they differ whatever the sizes are
        "#]],
    );
}

#[test]
fn a_parameter_may_be_a_size_and_a_number() {
    check(
        "(define (chunks k xs) (map (reduceSeq k +) (split k xs)))
(define (both k xs) (tuple (+ k 1) (take #(+ k 1) xs)))
(define (more k xs) (tuple (* 2 k) (chunks k xs)))
(define (ramp k) (iota k))
(lift f (N) ((array-type int N)) (lambda (xs) (chunks 4 xs)))
(lift g (N) ((array-type int N)) (lambda (xs) (more N xs)))",
        expect![[r#"
            chunks : #n -> Array[Int,m] -> Array[Array[Int,1],m/n]
              assumes n divides m
            both : #n -> Array[a,m] -> (Int, Array[a,n+1])
              assumes n+1 is at most m
            more : #n -> Array[Int,m] -> (Int, Array[Array[Int,1],m/n])
              assumes n divides m
            ramp : Int -> <∃X, Array[Int,X]>
            f : Array[Int,N] -> Array[Array[Int,1],N/4]
              assumes 4 divides N
            g : Array[Int,N] -> (Int, Array[Array[Int,1],1])
              assumes N is positive
        "#]],
    );
}

/// The cache keeps the types of each form, of which few differ.
#[test]
fn equal_types_of_a_form_are_one_value() {
    let text = "(define (f (xs (array-type float n)) (k float))
  (let ys (map (lambda (x) (* k (+ x 1.0f))) xs)
    (zip ys (map (lambda (y) (- y k)) ys))))";
    let form = &program(text, Mode::Insert)[0];
    let types: &[crate::ty::Ty] = &form.inference.expr_types;
    for (at, a) in types.iter().enumerate() {
        for b in &types[..at] {
            assert!(a != b || a.ptr_eq(b), "{a} is there twice");
        }
    }
}

/// A part that a `let`-bound function takes from an outer parameter has one type at all uses, even if that type is
/// inferred later.
#[test]
fn what_waits_for_a_parameter_is_not_generalised() {
    check(
        "(lift f (N) ((array-type (tuple-type int bool) N) (array-type int N))
  (lambda (ps xs)
    ((mapGlb (lambda (p)
       (let pair (lambda (x) (tuple x (get2 p) (get1 p)))
         (map pair (generate #2 (lambda (i) (if (get2 (pair i)) 1 2)))))))
     ps)))",
        expect![[r#"
            f : Array[(Int, Bool),N] -> Array[Int,N] -> Array[Array[(Int, Bool, Int),2],N]
        "#]],
    );
}

/// Branches of different lengths, whose element types wait for a component of a parameter: both get the same one.
#[test]
fn branches_whose_elements_are_learnt_later() {
    check(
        "(lift f (N M) (bool (array-type (tuple-type int float) N) (array-type int M))
  (lambda (c v ys)
    (let f (lambda (x)
             (unpack (L w) (filter (lambda (y) (> (get2 y) 0.5f))
                                   (if c
                                     (generate #N (lambda (i) (tuple i (get2 x))))
                                     (generate #M (lambda (i) (tuple i (get2 x))))))
               (get2 x)))
      (map f v))))",
        expect![[r#"
            f : Bool -> Array[(Int, Float),N] -> Array[Int,M] -> Array[Float,N]
        "#]],
    );
}

/// As above, but the element type of one branch is known earlier. Opening the result waits for the `if`.
#[test]
fn branches_of_which_one_is_learnt_later() {
    check(
        "(lift f (N M) (bool (array-type (tuple-type int float) N) (array-type int M))
  (lambda (c v ys)
    (let f (lambda (x)
             (filter (lambda (y) (> (get2 y) 0.5f))
                     (if c
                       (fill #N (tuple 1 (get2 x)))
                       (generate #(+ M 1) (lambda (i) (tuple i 0.0f))))))
      (map f v))))",
        expect![[r#"
            f : Bool -> Array[(Int, Float),N] -> Array[Int,M] -> Array[<∃X, Array[(Int, Float),X]>,N]
        "#]],
    );
}

/// An `unpack` may name the length of a value that is later found to be a pair.
#[test]
fn the_length_of_a_pair_that_is_learnt_later_has_a_name() {
    check(
        "(lift f (N) ((array-type (tuple-type int float) N))
  (lambda (xs)
    (iterate #2
      (map (lambda (x)
             (unpack (L v) (unpack ys (filter (lambda (y) (< (get1 y) 1)) (generate #3 (lambda (i) (tuple i (get2 x)))))
                             (pack (tuple (map (lambda (y) (get1 (tuple (get1 y) (get2 y)))) ys) ys)))
               (tuple (get1 x) (get2 x)))))
      xs)))",
        expect![[r#"
            f : Array[(Int, Float),N] -> Array[(Int, Float),N]
        "#]],
    );
}
