//! Facts about indices that conditions imply, and folds of elements that take much code.

use super::*;
use crate::core::builder::*;
use crate::core::{Atom, Level, Prim, ScalarOp};
use lift_analysis::hir::Literal;
use lift_analysis::size::{LengthCheck, Size};

/// For each element the sum of the one before and the one after; the ends continue at each other, or are read again.
fn neighbours(end: impl Fn(&mut Builder, &Atom, &Atom) -> [Atom; 2]) -> Kernel {
    let mut b = Builder::new("neighbours");
    let n = b.size("N");
    let xs = b.param("xs", array(int(), &n));
    let numbers = b.iota(n.clone());
    let n = Atom::Size(n);
    let sums = b.map(Level::Auto, &numbers, |b, i| {
        let [first, last] = end(b, i, &n);
        let is_first = b.lt(i, 1);
        let before = b.if_(&is_first, |_| first, |b| b.sub(i, 1));
        let up_to = b.sub(&n, 1);
        let is_inside = b.lt(i, &up_to);
        let after = b.if_(&is_inside, |b| b.add(i, 1), |_| last);
        let (before, after) = (b.aref(&xs, &before), b.aref(&xs, &after));
        b.sub(&before, &after)
    });
    b.finish(&sums)
}

#[test]
fn a_branch_relies_on_its_condition() {
    let kernels = [neighbours(|b, _, n| [b.sub(n, 1), 0.into()]), neighbours(|b, i, n| [b.add(i, 0), b.sub(n, 1)])];
    for kernel in kernels {
        let program = compile(&kernel, &Target::gpu()).unwrap_or_else(|errors| panic!("{}", errors[0]));
        assert!(!program.opencl.text.contains("lift_fail"), "{}", program.opencl.text);
        for n in [0, 1, 2, 700] {
            if let Err(problem) = agree(&kernel, &program, &[ints(n)]) {
                panic!("{problem}");
            }
        }
    }
    // A greater distance than the condition says is checked.
    let wrong = neighbours(|b, _, n| [b.sub(n, 2), 0.into()]);
    let text = opencl(&wrong);
    assert!(text.contains("lift_fail"), "{text}");
}

#[test]
fn elements_of_much_code_are_folded_one_by_one() {
    let folded = |rounds: usize| {
        let mut b = Builder::new("folded");
        let n = b.size("N");
        let xs = b.param("xs", array(double(), &n));
        let found = b.map(Level::Auto, &xs, |b, x| {
            (0..rounds).fold(x.clone(), |y, _| {
                let y = b.op(ScalarOp::Exp, &[y]);
                let y = b.op(ScalarOp::Neg, &[y]);
                b.op(ScalarOp::Add, &[y, x.clone()])
            })
        });
        let sum = b.reduce(Level::Auto, Atom::Lit(Literal::Double(0)), &found, |b, a, x| b.add(a, x));
        b.finish(&sum)
    };
    for (rounds, is_much) in [(1, false), (6, true)] {
        let kernel = folded(rounds);
        let program = compile(&kernel, &Target::gpu()).unwrap_or_else(|errors| panic!("{}", errors[0]));
        assert_eq!(program.opencl.text.contains("#pragma unroll 1\n"), is_much, "{}", program.opencl.text);
        for n in [0, 5, 8192, 20000] {
            if let Err(problem) = agree(
                &kernel,
                &program,
                &[Value::Array(ArrayValue::Double((0..n).map(|i| (i % 101) as f64 / 100.0).collect()))],
            ) {
                panic!("{problem}");
            }
        }
    }
}

#[test]
fn short_rows_are_computed_where_they_are_folded() {
    let mut b = Builder::new("short rows");
    let n = b.size("N");
    let xs = b.param("xs", array(int(), &n));
    let numbers = b.iota(n.clone());
    let rows = b.map(Level::Auto, &numbers, |b, i| {
        let x = b.aref(&xs, i);
        let columns = b.iota(2);
        b.map(Level::Auto, &columns, |b, j| {
            let rounds = b.iota(9);
            let start = b.mul(&x, j);
            let sum = b.reduce(Level::Seq, start, &rounds, |b, sum, k| {
                let next = b.mul(sum, 3);
                b.add(&next, k)
            });
            b.view(Prim::Head, &[], &[sum])
        })
    });
    let sums = b.map(Level::Auto, &numbers, |b, i| {
        let row = b.aref(&rows, i);
        let sum = b.reduce(Level::Auto, 0, &row, |b, a, x| b.add(a, x));
        b.view(Prim::Head, &[], &[sum])
    });
    let sum = b.reduce(Level::Auto, 0, &sums, |b, a, x| b.add(a, x));
    let kernel = b.finish(&sum);
    let program = compile(&kernel, &Target::gpu()).unwrap_or_else(|errors| panic!("{}", errors[0]));
    assert_eq!(program.opencl.text.matches("__kernel").count(), 2, "{}", program.opencl.text);
    for n in [0, 3, 20000] {
        if let Err(problem) = agree(&kernel, &program, &[ints(n)]) {
            panic!("{problem}");
        }
    }
}

#[test]
fn a_cast_relies_on_sums_and_products_of_lengths() {
    // The product of `factor` and N is below 2^32 for 2, but may wrap for 3.
    let kernel = |factor: i32| {
        let mut b = Builder::new("multiple");
        let (n, m) = (b.size("N"), b.size("M"));
        let (xs, ys) = (b.param("xs", array(int(), &n)), b.param("ys", array(int(), &m)));
        let product = b.mul(&n, factor);
        let same = b.eq(&m, &product);
        let size = Size::int(factor.into()).mul(&n);
        let checks = [LengthCheck::new(m, size.clone())];
        let sums = b.map(Level::Auto, &xs, |b, x| {
            b.if_(
                &same,
                |b| {
                    let zs = b.cast(&ys, array(int(), &size), &checks);
                    let sum = b.reduce(Level::Seq, 0, &zs, |b, acc, z| b.add(acc, z));
                    let sum = b.aref(&sum, 0);
                    b.add(&sum, x)
                },
                |_| 0.into(),
            )
        });
        b.finish(&sums)
    };
    for (factor, proved) in [(2, true), (3, false)] {
        let kernel = kernel(factor);
        let program = compile(&kernel, &Target::gpu()).unwrap_or_else(|errors| panic!("{}", errors[0]));
        let is_cast = |message: &str| message.contains("cast");
        let left_out = program.report.left_out.iter().any(|check| is_cast(&check.message));
        assert_eq!(left_out, proved, "{}", program.opencl.text);
        for (n, m) in [(2, 2 * factor), (2, 3), (0, 0)] {
            let inputs = [ints(n), ints(m as usize)];
            agree(&kernel, &program, &inputs).unwrap_or_else(|problem| panic!("{problem}"));
        }
    }
}
