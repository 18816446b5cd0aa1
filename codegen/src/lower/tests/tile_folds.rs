//! Rows of a nest that are folded while their tiles are in registers, compared with the interpreter.

use super::tiles::{compiled, dot, matrix};
use super::*;
use crate::core::builder::*;
use crate::core::{Atom, Level, Prim, ScalarOp};
use lift_analysis::hir::Scalar;
use lift_analysis::parameters::Parameter;

/// None, one, few, and around a tile of 64 or 128 with 8 or 16 rounds: rows, rounds, columns.
const SIZES: [(usize, usize, usize); 8] =
    [(0, 3, 5), (1, 1, 1), (3, 0, 2), (5, 4, 0), (64, 16, 64), (65, 17, 63), (129, 24, 130), (4, 40, 300)];

/// With large and small tiles, and with groups for each row of tiles alone.
fn targets() -> [Target; 4] {
    let few = Target { compute_units: 1, ..Target::gpu() };
    [Target::gpu(), Target::nvidia(), Target::gpu().with(Parameter::FoldItem, 8), few]
}

/// A kernel that applies `fold` to the products of a row of `xs` with those of `ys`, and to the row's number.
fn folded(name: &str, fold: impl Fn(&mut Builder, &Atom, &Atom) -> Atom) -> Kernel {
    let mut b = Builder::new(name);
    let (n, m, k) = (b.size("N"), b.size("M"), b.size("K"));
    let xs = b.param("xs", matrix(float(), &k, &n));
    let ys = b.param("ys", matrix(float(), &k, &m));
    let numbers = b.iota(n.clone());
    let both = b.zip(&[xs, numbers]);
    let result = b.map(Level::Auto, &both, |b, p| {
        let (row, number) = (b.proj(p, 0), b.proj(p, 1));
        let products = b.map(Level::Auto, &ys, |b, column| dot(b, Level::Auto, 0.0f32, &row, column));
        fold(b, &products, &number)
    });
    b.finish(&result)
}

fn agrees(kernel: &Kernel) {
    let mut seen = Vec::new();
    for target in targets() {
        let program = compiled(kernel, &target);
        let text = &program.opencl.text;
        if seen.contains(text) {
            continue;
        }
        seen.push(text.clone());
        assert!(text.contains("// map: folded tiles\n"), "{}:\n{text}", kernel.name);
        for (n, k, m) in SIZES {
            if let Err(problem) = agree(kernel, &program, &[rows(n, k), rows(m, k)]) {
                panic!("{n} rows, {k} rounds, {m} columns: {problem}");
            }
        }
    }
}

#[test]
fn sums_of_products() {
    agrees(&folded("sums", |b, products, number| {
        let squares = b.map(Level::Auto, products, |b, p| b.mul(p, p));
        let sum = b.reduce(Level::Auto, 0.0f32, &squares, |b, a, x| b.add(a, x));
        let sum = b.view(Prim::Head, &[], &[sum]);
        let number = b.op(ScalarOp::To(Scalar::Float), &[number.clone()]);
        b.add(&sum, &number)
    }));
}

/// An operator that chooses one of its arguments: the first of the greatest.
#[test]
fn places_of_the_greatest() {
    let mut b = Builder::new("greatest");
    let (n, m, k) = (b.size("N"), b.size("M"), b.size("K"));
    let xs = b.param("xs", matrix(float(), &k, &n));
    let ys = b.param("ys", matrix(float(), &k, &m));
    let result = b.map(Level::Auto, &xs, |b, row| {
        let products = b.map(Level::Auto, &ys, |b, column| dot(b, Level::Auto, 0.0f32, row, column));
        let places = b.iota(m.clone());
        let pairs = b.zip(&[products, places]);
        let none = b.tuple(&[(-1e30f32).into(), (-1).into()]);
        let one = b.reduce(Level::Auto, none, &pairs, |b, x, y| {
            let (a, c) = (b.proj(x, 0), b.proj(y, 0));
            let greater = b.lt(&a, &c);
            b.if_(&greater, |_| y.clone(), |_| x.clone())
        });
        let one = b.view(Prim::Head, &[], &[one]);
        b.proj(&one, 1)
    });
    agrees(&b.finish(&result));
}
