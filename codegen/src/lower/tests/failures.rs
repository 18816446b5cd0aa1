//! Whatever stops a run in the interpreter stops it on a device, with the same message.

use super::programs::of_ints;
use super::*;
use crate::core::builder::*;
use lift_analysis::size::{LengthCheck, Size};

#[test]
fn divisions_by_zero() {
    of_ints("division", |b, xs| b.map(Level::Auto, xs, |b, x| b.div(1000, x)));
    of_ints("remainder", |b, xs| b.map(Level::Auto, xs, |b, x| b.rem(1000, x)));
    of_ints("not used", |b, xs| {
        let s = b.reduce(Level::Auto, 0, xs, |b, a, x| b.add(a, x));
        let s = b.view(Prim::Head, &[], &[s]);
        let zero = b.sub(&s, &s);
        let _ = b.div(1, &zero);
        xs.clone()
    });
}

#[test]
fn indices_out_of_range() {
    of_ints("aref", |b, xs| b.map(Level::Auto, xs, |b, x| b.aref(xs, x)));
    of_ints("gather", |b, xs| b.permute(Prim::Gather, xs, |b, i| b.sub(i, 1)));
    of_ints("head", |b, xs| b.view(Prim::Head, &[], &[xs.clone()]));
    of_ints("last", |b, xs| b.view(Prim::Last, &[], &[xs.clone()]));
    of_ints("scatter", |b, xs| b.permute(Prim::Scatter, xs, |b, i| b.div(i, 2)));
    of_ints("iota", |b, xs| {
        let s = b.reduce(Level::Auto, 0, xs, |b, a, x| b.add(a, x));
        let s = b.view(Prim::Head, &[], &[s]);
        let i = b.view(Prim::Iota, &[], &[s]);
        let (_, i) = b.unpack(&i);
        b.reduce(Level::Auto, 0, &i, |b, a, x| b.add(a, x))
    });
}

#[test]
fn casts_that_are_false() {
    let mut b = Builder::new("cast");
    let n = b.size("N");
    let xs = b.param("xs", array(int(), &n));
    let ys = b.filter(Level::Auto, &xs, |b, x| b.gt(x, 0));
    let (lens, ys) = b.unpack(&ys);
    let four: Size = 4u64.into();
    let zs = b.cast(&ys, array(int(), &four), &[LengthCheck::new(lens[0].clone(), four.clone())]);
    let zs = b.map(Level::Auto, &zs, |b, x| b.mul(x, 2));
    let kernel = b.finish(&zs);
    for n in [0, 4, 7, 8, 9, 10] {
        agrees(&kernel, &[ints(n)]);
    }
}

#[test]
fn integers_wrap() {
    of_ints("wrap", |b, xs| {
        b.map(Level::Auto, xs, |b, x| {
            let y = b.mul(x, 1_000_000_007);
            let z = b.add(&y, i32::MAX);
            let z = b.sub(&z, x);
            let n = b.op(ScalarOp::Neg, &[z.clone()]);
            let a = b.op(ScalarOp::Abs, &[z.clone()]);
            let s = b.op(ScalarOp::Shl, &[z.clone(), x.clone()]);
            let t = b.op(ScalarOp::Shr, &[z.clone(), x.clone()]);
            let c = b.gt(&z, 0);
            b.tuple(&[y, z, n, a, s, t, c])
        })
    });
    of_ints("minimum", |b, xs| {
        b.map(Level::Auto, xs, |b, x| {
            let zero = b.sub(x, x);
            let least = b.add(&zero, i32::MIN);
            let minus = b.sub(&zero, 1);
            let (q, r) = (b.div(&least, &minus), b.rem(&least, &minus));
            b.tuple(&[q, r])
        })
    });
}
