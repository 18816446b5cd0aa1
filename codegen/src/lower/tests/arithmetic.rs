//! Results computed by different instructions, compared with the interpreter.

use super::*;
use crate::core::builder::*;
use crate::core::simplify::simplify;
use crate::core::{Atom, Level, Prim, ScalarOp};

/// For each of N numbers, the sum of its interactions with K others; `strength` gives one interaction from the squared
/// distance.
fn pulls(level: Level, strength: impl Fn(&mut Builder, &Atom, &Atom) -> Atom) -> Kernel {
    let mut b = Builder::new("pulls");
    let (n, k) = (b.size("N"), b.size("K"));
    let xs = b.param("xs", array(float(), &n));
    let ys = b.param("ys", array(float(), &k));
    let result = b.map(Level::Auto, &xs, |b, x| {
        let terms = b.map(Level::Auto, &ys, |b, y| {
            let d = b.sub(y, x);
            let square = b.mul(&d, &d);
            let square = b.add(&square, 0.25f32);
            let s = strength(b, y, &square);
            b.mul(&d, &s)
        });
        let sum = b.reduce(level, 0.0f32, &terms, |b, a, x| b.add(a, x));
        b.view(Prim::Head, &[], &[sum])
    });
    simplify(b.finish(&result))
}

/// A device that is busy with few results.
const SMALL: Target = Target { compute_units: 1, ..Target::gpu() };
/// Enough results for one work-item each, with fewer terms than a chunk, as many, and some more.
const CROWDS: [(usize, usize); 3] = [(32, 3), (40, 256), (300, 300)];

fn by_the_root(b: &mut Builder, y: &Atom, square: &Atom) -> Atom {
    let root = b.op(ScalarOp::Sqrt, &[square.clone()]);
    b.div(y, &root)
}

fn by_the_cube(b: &mut Builder, y: &Atom, square: &Atom) -> Atom {
    let root = b.op(ScalarOp::Sqrt, &[square.clone()]);
    let cube = b.mul(square, &root);
    b.div(y, &cube)
}

/// The number of reciprocal roots in the text.
fn roots(kernel: &Kernel) -> usize {
    let program = compile(kernel, &SMALL).unwrap_or_else(|errors| panic!("{}", errors[0]));
    program.opencl.text.matches("rsqrt(").count()
}

#[test]
fn reciprocal_roots_are_factors_of_long_sums_only() {
    for strength in [by_the_root, by_the_cube] {
        let kernel = pulls(Level::Auto, strength);
        // Once for whole chunks; the remaining terms may be few.
        assert_eq!(roots(&kernel), 1);
        let program = compile(&kernel, &SMALL).unwrap_or_else(|errors| panic!("{}", errors[0]));
        for (n, k) in CROWDS {
            if let Err(problem) = agree(&kernel, &program, &[floats(n), floats(k)]) {
                panic!("{problem}");
            }
        }
        assert_eq!(roots(&pulls(Level::Seq, strength)), 0, "the fold may not be reordered");
    }
    // The quotient is added to something, or compared, so an error of a few units may be as large as the term.
    let sum = pulls(Level::Auto, |b, y, square| {
        let s = by_the_root(b, y, square);
        b.sub(&s, y)
    });
    assert_eq!(roots(&sum), 0);
    let step = pulls(Level::Auto, |b, y, square| {
        let s = by_the_cube(b, y, square);
        let is_large = b.gt(&s, 0.5f32);
        b.if_(&is_large, |_| 1.0f32.into(), |_| 0.0f32.into())
    });
    assert_eq!(roots(&step), 0);
}

#[test]
fn sine_and_cosine_of_one_angle() {
    let mut b = Builder::new("turned");
    let n = b.size("N");
    let xs = b.param("xs", array(float(), &n));
    let result = b.map(Level::Auto, &xs, |b, x| {
        let angle = b.mul(x, 6.0f32);
        let (sine, cosine) = (b.op(ScalarOp::Sin, &[angle.clone()]), b.op(ScalarOp::Cos, &[angle]));
        let twice = b.op(ScalarOp::Sin, &[x.clone()]);
        let parts = b.mul(&sine, &cosine);
        b.add(&parts, &twice)
    });
    let kernel = simplify(b.finish(&result));
    for (target, together) in [(Target::gpu(), true), (Target::cpu(), false)] {
        let program = compile(&kernel, &target).unwrap_or_else(|errors| panic!("{}", errors[0]));
        assert_eq!(program.opencl.text.contains("sincos("), together, "{}", program.opencl.text);
        for n in LENGTHS {
            if let Err(problem) = agree(&kernel, &program, &[floats(n)]) {
                panic!("{problem}");
            }
        }
    }
}

/// The number of indices below N for which the 20 numbers chosen by the bits of `i ^ (i >> 1)` have an odd sum; `round`
/// is one iteration.
fn odd_sums(round: impl Fn(&mut Builder, &Atom, &Atom) -> Atom) -> Kernel {
    let mut b = Builder::new("odd sums");
    let n = b.size("N");
    let weights = b.param("weights", array(int(), &20.into()));
    b.param("given", array(int(), &n));
    let numbers = b.iota(n);
    let odd = b.map(Level::Auto, &numbers, |b, i| {
        let shifted = b.op(ScalarOp::Shr, &[i.clone(), 1.into()]);
        let gray = b.op(ScalarOp::BitXor, &[i.clone(), shifted]);
        let places = b.iota(20);
        let all = b.zip(&[places, weights.clone()]);
        let sum = b.reduce(Level::Seq, 7, &all, |b, sum, at| {
            let (place, weight) = (b.proj(at, 0), b.proj(at, 1));
            let bits = round(b, &gray, &place);
            let bit = b.op(ScalarOp::BitAnd, &[bits, 1.into()]);
            let is_set = b.eq(&bit, 1);
            b.if_(&is_set, |b| b.add(sum, &weight), |_| sum.clone())
        });
        let sum = b.view(Prim::Head, &[], &[sum]);
        b.op(ScalarOp::BitAnd, &[sum, 1.into()])
    });
    let count = b.reduce(Level::Auto, 0, &odd, |b, a, x| b.add(a, x));
    let count = b.view(Prim::Head, &[], &[count]);
    simplify(b.finish(&count))
}

#[test]
fn numbers_beside_each_other_share_the_rounds_of_their_high_bits() {
    let shr = |b: &mut Builder, gray: &Atom, place: &Atom| b.op(ScalarOp::Shr, &[gray.clone(), place.clone()]);
    let kernel = odd_sums(shr);
    let run = |kernel: &Kernel, n: usize, shares: bool| {
        let program = compile(kernel, &Target::gpu()).unwrap_or_else(|errors| panic!("{}", errors[0]));
        assert_eq!(program.opencl.text.contains("< 32; l++"), shares, "{}", program.opencl.text);
        if let Err(problem) = agree(kernel, &program, &[ints(20), ints(n)]) {
            panic!("{problem}");
        }
    };
    for n in [0, 1, 8191, 8192, 20000] {
        run(&kernel, n, true);
    }
    // Iterations that read lower bits differ between the numbers.
    let low = odd_sums(|b, gray, place| {
        let left = b.sub(19, place);
        b.op(ScalarOp::Shr, &[gray.clone(), left])
    });
    run(&low, 10000, false);
    let product = odd_sums(|b, gray, place| {
        let gray = b.mul(gray, 3);
        b.op(ScalarOp::Shr, &[gray, place.clone()])
    });
    run(&product, 10000, false);
}

/// Without checks, only a division by zero is undefined.
#[test]
fn the_smallest_number_is_divided_by_minus_one() {
    let quotients = |b: &mut Builder, xs: &Atom, ys: &Atom| {
        let pairs = b.zip(&[xs.clone(), ys.clone()]);
        b.map(Level::Auto, &pairs, |b, p| {
            let (x, y) = (b.proj(p, 0), b.proj(p, 1));
            let (quotient, rest) = (b.div(&x, &y), b.rem(&x, &y));
            b.tuple(&[quotient, rest])
        })
    };
    let mut b = Builder::new("divided");
    let n = b.size("N");
    let [xs, ys] = ["xs", "ys"].map(|name| b.param(name, array(int(), &n)));
    let [ls, ms] = ["ls", "ms"].map(|name| b.param(name, array(long(), &n)));
    let (ints, longs) = (quotients(&mut b, &xs, &ys), quotients(&mut b, &ls, &ms));
    let result = b.tuple(&[ints, longs]);
    let kernel = b.finish(&result);
    let inputs = [
        Value::from(vec![i32::MIN, i32::MIN, 7, -7]),
        Value::from(vec![-1, 1, -1, 2]),
        Value::from(vec![i64::MIN, i64::MIN, 7, -7]),
        Value::from(vec![-1i64, 1, -1, 2]),
    ];
    for checked in [true, false] {
        let target = Target { checked, ..Target::portable() };
        let program = compile(&kernel, &target).unwrap_or_else(|errors| panic!("{}", errors[0]));
        agree(&kernel, &program, &inputs).unwrap_or_else(|problem| panic!("checked {checked}: {problem}"));
    }
}
