//! The programs of the papers (IPSJ 13(3) 2020).

use super::*;
use expect_test::expect;

#[test]
fn figure_2_work_groups_and_vectors() {
    check_kernel(
        "(lift f (N) ((array-type int N))
           (lambda (xs)
             ((o join
                 (mapWorkgroup (o joinVec (mapLocal (mapVec (lambda (x) (* x 3)))) (splitVec 4)))
                 (split 1024))
              xs)))",
        expect![[r#"
            kernel f (N) (xs : Array[Int,N]) -> Array[Int,N]
              assume 1024 divides N
              let t : Array[Array[Int,1024],N/1024] = split #1024 xs
              let t'2 : Array[Array[Int,1024],N/1024] = mapWrg0 (λ(x : Array[Int,1024])
                let t'3 : Array[Vec[Int,4],256] = asVector #4 x
                let t'4 : Array[Vec[Int,4],256] = mapLcl0 (λ(x'2 : Vec[Int,4])
                  let t'5 : Vec[Int,4] = vectorize #4 (λ(x'3 : Int)
                    let t'6 : Int = x'3 * 3
                    t'6) x'2
                  t'5) t'3
                let t'7 : Array[Int,1024] = asScalar t'4
                t'7) t
              let t'8 : Array[Int,N] = join t'2
              t'8
        "#]],
    );
}

#[test]
fn figure_5_split_and_join() {
    check_kernel(
        "(lift f (N) ((array-type float N))
           (lambda (xs)
             (o join (mapSeq (lambda (ys) (mapSeq (lambda (y) (* y 2.0f)) ys))) (split #2) xs)))",
        expect![[r#"
            kernel f (N) (xs : Array[Float,N]) -> Array[Float,N]
              assume 2 divides N
              let t : Array[Array[Float,2],N/2] = split #2 xs
              let t'2 : Array[Array[Float,2],N/2] = mapSeq (λ(ys : Array[Float,2])
                let t'3 : Array[Float,2] = mapSeq (λ(y : Float)
                  let t'4 : Float = y * 2.0f
                  t'4) ys
                t'3) t
              let t'5 : Array[Float,N] = join t'2
              t'5
        "#]],
    );
}

#[test]
fn figure_12_unpack_and_pack_by_hand() {
    check_kernel(
        "(lift f (N) ((array-type float N))
           (lambda (xs)
             (unpack ys (filterSeq (lambda (x) (< x 0.5f)) xs) (pack (mapSeq (lambda (x) (* x 2.0f)) ys)))))",
        expect![[r#"
            kernel f (N) (xs : Array[Float,N]) -> <∃X, Array[Float,X]>
              let ys : <∃X, Array[Float,X]> = filterSeq (λ(x : Float)
                let t : Bool = x < 0.5f
                t) xs
              unpack (X1) ys'2 : Array[Float,X1] = ys
              let t'2 : Array[Float,X1] = mapSeq (λ(x'2 : Float)
                let t'3 : Float = x'2 * 2.0f
                t'3) ys'2
              let t'4 : <∃X, Array[Float,X]> = pack t'2 hiding X1
              t'4
        "#]],
    );
}

#[test]
fn figure_14_rows_that_are_packed_by_insertion() {
    check(
        "(define (f x) (> x 0.5f))
         (lift g (N M) ((array-type (array-type float N) M))
           (lambda (xss) (map (lambda (xs) (unpack xs' (filterSeq f xs) xs')) xss)))",
        &[Value::from(vec![vec![0.1f32, 0.6, 0.7], vec![0.9, 0.2, 0.3]])],
        expect!["[[0.6, 0.7], [0.9]]"],
    );
}

#[test]
fn figure_22_on_all_work_items() {
    let text = "(lift f (N) ((array-type float N))
                  (lambda (xs)
                    ((toGlobal (mapGlb (lambda (x) (* x 2.0f)))) (filterGlb (lambda (x) (> x 0.5f)) xs))))";
    check_kernel(
        text,
        expect![[r#"
        kernel f (N) (xs : Array[Float,N]) -> <∃X, Array[Float,X]>
          let t : <∃X, Array[Float,X]> = filterGlb (λ(x : Float)
            let t'2 : Bool = x > 0.5f
            t'2) xs
          unpack (X1) t'3 : Array[Float,X1] = t
          let t'4 : Array[Float,X1] = mapGlb0 (λ(x'2 : Float)
            let t'5 : Float = x'2 * 2.0f
            t'5) t'3
          let t'6 : Array[Float,X1] = toGlobal t'4
          let t'7 : <∃X, Array[Float,X]> = pack t'6 hiding X1
          t'7
    "#]],
    );
    check(text, &[floats([0.1, 0.6, 0.3, 0.9, 0.75])], expect!["[1.2, 1.8, 1.5]"]);
}

#[test]
fn project_euler_1() {
    check(
        "(lift f (N) ((array-type int N))
           (lambda (xs)
             (let ys (filterGlb (lambda (x) (or (=i (mod x 3) 0) (=i (mod x 5) 0))) xs)
               ((toGlobal (reduceSeq 0 (lambda (sum x) (+i sum x)))) ys))))",
        &[ints(0..1000)],
        expect!["[233168]"],
    );
}
