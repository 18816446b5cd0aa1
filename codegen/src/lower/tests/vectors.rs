//! Folds as vectors of a processor: along a row, and across the neighbouring elements of a map.

use super::teams::greatest;
use super::*;
use crate::core::builder::*;
use crate::core::simplify::simplify;
use crate::core::{Level, Prim};

type OfRow = fn(&mut Builder, &Atom) -> Atom;

fn sum(b: &mut Builder, xs: &Atom) -> Atom {
    let sum = b.reduce(Level::Auto, 0.0f32, xs, |b, x, y| b.add(x, y));
    b.view(Prim::Head, &[], &[sum])
}

/// The mean square distance of the elements to their sum: the second fold reads a scalar that takes long.
fn spread(b: &mut Builder, xs: &Atom) -> Atom {
    let all = sum(b, xs);
    let root = b.op(crate::core::ScalarOp::Sqrt, std::slice::from_ref(&all));
    let squares = b.map(Level::Auto, xs, |b, x| {
        let d = b.sub(x, &root);
        b.mul(&d, &d)
    });
    sum(b, &squares)
}

/// Each element less the row's sum.
fn centred(b: &mut Builder, xs: &Atom) -> Atom {
    let all = sum(b, xs);
    b.map(Level::Auto, xs, |b, x| b.sub(x, &all))
}

/// Running sums.
fn running(b: &mut Builder, xs: &Atom) -> Atom {
    let f = b.lambda(&[float(), float()], |b, ab| b.add(&ab[0], &ab[1]));
    b.prim(Prim::Scan(Level::Auto), &[], vec![f], &[0.0f32.into(), xs.clone()])
}

/// A map of this function over the rows of an N×M matrix, or over its columns; rows that columns give are columns.
fn of_rows(name: &str, columns: bool, f: OfRow) -> Kernel {
    let mut b = Builder::new(name);
    let (n, m) = (b.size("N"), b.size("M"));
    let xs = b.param("xs", array(array(float(), &m), &n));
    let rows = if columns { b.transpose(&xs) } else { xs };
    let mut result = b.map(Level::Auto, &rows, f);
    if columns && b.ty(&result).as_array().is_some_and(|a| a.element.as_array().is_some()) {
        result = b.transpose(&result);
    }
    simplify(b.finish(&result))
}

fn matrix(n: usize, m: usize) -> Value {
    let row = |i: usize| (0..m).map(|j| ((i * 7 + j * 13) % 19) as f32 / 8.0 - 1.0).collect();
    Value::Array(ArrayValue::Values((0..n).map(|i| Value::Array(ArrayValue::Float(row(i)))).collect()))
}

/// Compiles for a processor, and compares with the interpreter around the lengths of vectors and blocks of lanes.
fn checked(kernel: &Kernel) -> String {
    let program = match compile(kernel, &Target::cpu()) {
        Ok(program) => program,
        Err(errors) => panic!("{} does not compile: {}", kernel.name, errors[0]),
    };
    for (n, m) in [(3, 0), (1, 1), (17, 2), (2, 257), (3, 131), (128, 5)] {
        if let Err(problem) = agree(kernel, &program, &[matrix(n, m)]) {
            panic!("{}, {n}×{m}: {problem}\n{}", kernel.name, program.opencl.text);
        }
    }
    program.opencl.text.clone()
}

#[test]
fn columns_are_folded_across() {
    let all: [(&str, OfRow); 4] = [("sums", sum), ("spreads", spread), ("centred", centred), ("running", running)];
    for (name, f) in all {
        let text = checked(&of_rows(name, true, f));
        assert!(text.contains("[256]"), "neighbouring columns are lanes of {name}:\n{text}");
    }
}

#[test]
fn rows_are_folded_along() {
    for (name, f) in [("sums", sum as OfRow), ("greatest", greatest), ("spreads", spread)] {
        let text = checked(&of_rows(name, false, f));
        assert!(text.contains("[32]"), "{name} has partial folds:\n{text}");
        assert!(!text.contains("[256]"), "neighbouring rows are no lanes of {name}:\n{text}");
    }
}

fn before(b: &mut Builder) -> crate::core::Lambda {
    b.lambda(&[float(), float()], |b, xs| b.lt(&xs[0], &xs[1]))
}

fn sorted(b: &mut Builder, xs: &Atom) -> Atom {
    let before = before(b);
    b.prim(Prim::Sort, &[], vec![before], &[xs.clone()])
}

/// The places of the elements, the greatest first.
fn places(b: &mut Builder, xs: &Atom) -> Atom {
    let after = b.lambda(&[float(), float()], |b, xs| b.gt(&xs[0], &xs[1]));
    b.prim(Prim::Argsort, &[], vec![after], &[xs.clone()])
}

/// The sum of each element times its place in the order.
fn weighted(b: &mut Builder, xs: &Atom) -> Atom {
    let all = sorted(b, xs);
    let order = places(b, xs);
    let pairs = b.zip(&[all, order]);
    let products = b.map(Level::Auto, &pairs, |b, p| {
        let (x, at) = (b.proj(p, 0), b.proj(p, 1));
        let at = b.op(crate::core::ScalarOp::To(lift_analysis::hir::Scalar::Float), &[at]);
        b.mul(&x, &at)
    });
    sum(b, &products)
}

#[test]
fn rows_are_sorted_together() {
    for (name, f) in [("sorted", sorted as OfRow), ("places", places), ("weighted", weighted)] {
        let kernel = of_rows(name, false, f);
        let text = checked(&kernel);
        assert!(text.contains("while (0 < p)"), "rows are lanes of {name}:\n{text}");
        if name == "weighted" {
            continue;
        }
        // Numbers that an order of bits would take apart or put elsewhere.
        let wild = |i: usize| [0.0, -0.0, f32::NAN, -1.0, f32::INFINITY, f32::NEG_INFINITY, 0.5, -0.0][i * 5 % 8];
        let row = |i: usize| Value::Array(ArrayValue::Float((0..23).map(|j| wild(i + j * (i + 3))).collect()));
        let rows = Value::Array(ArrayValue::Values((0..19).map(row).collect()));
        let program = compile(&kernel, &Target::cpu()).unwrap_or_else(|errors| panic!("{name}: {}", errors[0]));
        if let Err(problem) = agree(&kernel, &program, &[rows]) {
            panic!("{name}, wild: {problem}");
        }
    }
}
