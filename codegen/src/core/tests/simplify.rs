//! Kernels before and after simplification.

use super::super::builder::*;
use super::super::check::problems;
use super::super::simplify::simplify;
use super::super::{Kernel, Rhs};
use expect_test::{Expect, expect};
use lift_analysis::size::{Assumption, LengthCheck};

fn check(kernel: Kernel, expected: Expect) {
    assert_eq!(problems(&kernel), Vec::<String>::new(), "{kernel}");
    let simple = simplify(kernel);
    assert_eq!(problems(&simple), Vec::<String>::new(), "{simple}");
    expected.assert_eq(&simple.to_string());
}

fn of_ints(body: impl FnOnce(&mut Builder, &Atom) -> Atom, expected: Expect) {
    let mut b = Builder::new("k");
    let n = b.size("N");
    let xs = b.param("xs", array(int(), &n));
    let result = body(&mut b, &xs);
    check(b.finish(&result), expected);
}

#[test]
fn literals_are_computed_but_not_what_stops_the_run() {
    of_ints(
        |b, xs| {
            let two = b.add(1, 1);
            let four = b.mul(&two, &two);
            let wrong = b.div(&four, 0);
            let x = b.add(&wrong, &four);
            b.map(Level::Auto, xs, |b, e| b.mul(e, &x))
        },
        expect![[r#"
            kernel k (N) (xs : Array[Int,N]) -> Array[Int,N]
              let t : Int = 4 / 0
              let t'2 : Int = t + 4
              let t'3 : Array[Int,N] = map (λ(x : Int)
                let t'4 : Int = x * t'2
                t'4) xs
              t'3
        "#]],
    );
}

#[test]
fn functions_whose_last_digit_differs_between_machines_are_left_to_the_run() {
    of_ints(
        |b, _| b.op(ScalarOp::Exp, &[1.0f32.into()]),
        expect![[r#"
        kernel k (N) (xs : Array[Int,N]) -> Float
          let t : Float = exp 1.0f
          t
    "#]],
    );
    of_ints(
        |b, _| b.op(ScalarOp::Sqrt, &[4.0f32.into()]),
        expect![[r#"
        kernel k (N) (xs : Array[Int,N]) -> Float
          2.0f
    "#]],
    );
}

#[test]
fn neutral_elements_of_integers() {
    of_ints(
        |b, xs| {
            b.map(Level::Auto, xs, |b, x| {
                let y = b.add(x, 0);
                let z = b.mul(1, &y);
                b.sub(&z, 0)
            })
        },
        expect![[r#"
            kernel k (N) (xs : Array[Int,N]) -> Array[Int,N]
              let t : Array[Int,N] = map (λ(x : Int)
                x) xs
              t
        "#]],
    );
}

#[test]
fn components_of_known_tuples() {
    of_ints(
        |b, xs| {
            let pair = b.tuple(&[xs.clone(), 3.into()]);
            let outer = b.tuple(&[pair, true.into()]);
            let pair = b.proj(&outer, 0);
            let (xs, k) = (b.proj(&pair, 0), b.proj(&pair, 1));
            b.map(Level::Auto, &xs, |b, x| b.add(x, &k))
        },
        expect![[r#"
            kernel k (N) (xs : Array[Int,N]) -> Array[Int,N]
              let t : Array[Int,N] = map (λ(x : Int)
                let t'2 : Int = x + 3
                t'2) xs
              t
        "#]],
    );
}

#[test]
fn a_known_branch_is_taken() {
    of_ints(
        |b, xs| {
            let yes = b.lt(1, 2);
            let xs = xs.clone();
            b.if_(&yes, |b| b.map(Level::Auto, &xs, |b, x| b.add(x, 1)), |_| xs.clone())
        },
        expect![[r#"
            kernel k (N) (xs : Array[Int,N]) -> Array[Int,N]
              let t : Array[Int,N] = map (λ(x : Int)
                let t'2 : Int = x + 1
                t'2) xs
              t
        "#]],
    );
}

#[test]
fn what_is_packed_and_opened_again_was_never_packed() {
    of_ints(
        |b, xs| {
            let ys = b.filter(Level::Auto, xs, |b, x| b.gt(x, 0));
            let (n, ys) = b.unpack(&ys);
            let ys = b.map(Level::Auto, &ys, |b, x| b.mul(x, 2));
            let packed = b.pack(&ys, &n);
            let (m, ys) = b.unpack(&packed);
            b.assume(Assumption::Divides { divisor: 2u64.into(), value: m[0].clone() });
            b.reduce(Level::Seq, &m[0], &ys, |b, x, y| b.add(x, y))
        },
        expect![[r#"
            kernel k (N) (xs : Array[Int,N]) -> Array[Int,1]
              assume 2 divides X2
              let t : <∃X1, Array[Int,X1]> = filter (λ(x : Int)
                let t'2 : Bool = x > 0
                t'2) xs
              unpack (X2) t'3 : Array[Int,X2] = t
              let t'4 : Array[Int,X2] = map (λ(x'2 : Int)
                let t'5 : Int = x'2 * 2
                t'5) t'3
              let t'6 : Array[Int,1] = reduceSeq (λ(x'3 : Int, x'4 : Int)
                let t'7 : Int = x'3 + x'4
                t'7) #X2 t'4
              t'6
        "#]],
    );
}

#[test]
fn what_is_opened_and_packed_again_was_never_opened() {
    of_ints(
        |b, xs| {
            let ys = b.filter(Level::Auto, xs, |b, x| b.gt(x, 0));
            let (n, ys) = b.unpack(&ys);
            b.pack(&ys, &n)
        },
        expect![[r#"
            kernel k (N) (xs : Array[Int,N]) -> <∃X1, Array[Int,X1]>
              let t : <∃X1, Array[Int,X1]> = filter (λ(x : Int)
                let t'2 : Bool = x > 0
                t'2) xs
              t
        "#]],
    );
}

#[test]
fn what_is_used_nowhere_is_dropped_but_casts_are_not() {
    of_ints(
        |b, xs| {
            b.map(Level::Auto, xs, |b, x| b.div(1, x));
            let ys = b.filter(Level::Auto, xs, |b, x| b.gt(x, 0));
            let (n, ys) = b.unpack(&ys);
            b.cast(&ys, array(int(), &5u64.into()), &[LengthCheck::new(n[0].clone(), 5u64.into())]);
            b.map(Level::Auto, xs, |b, x| b.mul(x, x))
        },
        expect![[r#"
            kernel k (N) (xs : Array[Int,N]) -> Array[Int,N]
              let t : <∃X1, Array[Int,X1]> = filter (λ(x : Int)
                let t'2 : Bool = x > 0
                t'2) xs
              unpack (X2) t'3 : Array[Int,X2] = t
              let t'4 : Array[Int,5] = cast t'3 checking X2 = 5
              let t'5 : Array[Int,N] = map (λ(x'2 : Int)
                let t'6 : Int = x'2 * x'2
                t'6) xs
              t'5
        "#]],
    );
}

#[test]
fn an_opened_length_that_is_used_keeps_its_opening() {
    of_ints(
        |b, xs| {
            let ys = b.filter(Level::Auto, xs, |b, x| b.gt(x, 0));
            let (n, _) = b.unpack(&ys);
            b.add(&n[0], 1)
        },
        expect![[r#"
            kernel k (N) (xs : Array[Int,N]) -> Int
              let t : <∃X1, Array[Int,X1]> = filter (λ(x : Int)
                let t'2 : Bool = x > 0
                t'2) xs
              unpack (X2) t'3 : Array[Int,X2] = t
              let t'4 : Int = #X2 + 1
              t'4
        "#]],
    );
}

#[test]
fn copies_are_looked_through() {
    of_ints(
        |b, xs| {
            let ty = b.ty(xs);
            let ys = b.emit("ys", ty.clone(), Vec::new(), Rhs::Atom(xs.clone()));
            let zs = b.emit("zs", ty, Vec::new(), Rhs::Atom(ys));
            b.map(Level::Auto, &zs, |b, x| b.mul(x, x))
        },
        expect![[r#"
            kernel k (N) (xs : Array[Int,N]) -> Array[Int,N]
              let t : Array[Int,N] = map (λ(x : Int)
                let t'2 : Int = x * x
                t'2) xs
              t
        "#]],
    );
}
