//! Loops in functions of rows: a group does their rounds together, in local memory or in global memory.

use super::*;
use crate::core::builder::*;
use crate::core::simplify::simplify;
use crate::core::{Atom, Level, PadMode, Prim};
use lift_analysis::size::Size;

fn of_rows(name: &str, f: impl Fn(&mut Builder, &Atom) -> Atom) -> Kernel {
    let mut b = Builder::new(name);
    let (n, m) = (b.size("N"), b.size("M"));
    let xs = b.param("xs", array(array(float(), &m), &n));
    let result = b.map(Level::Auto, &xs, |b, row| f(b, row));
    simplify(b.finish(&result))
}

fn sum(b: &mut Builder, xs: &Atom) -> Atom {
    let all = b.reduce(Level::Auto, 0.0f32, xs, |b, x, y| b.add(x, y));
    b.prim(Prim::Head, &[], vec![], &[all])
}

pub(super) fn iterate(
    b: &mut Builder,
    rounds: Size,
    start: &Atom,
    f: impl FnOnce(&mut Builder, &Atom) -> Atom,
) -> Atom {
    let ty = b.ty(start.clone());
    let f = b.lambda(&[ty], |b, x| f(b, &x[0]));
    b.prim(Prim::Iterate, &[rounds], vec![f], &[start.clone()])
}

/// The mean of each element and its neighbours.
fn blurred(b: &mut Builder, row: &Atom) -> Atom {
    let padded = b.view(Prim::Pad(PadMode::Clamp), &[Size::one(), Size::one()], &[row.clone()]);
    let windows = b.slide(3, 1, &padded);
    b.map(Level::Auto, &windows, |b, w| {
        let all = sum(b, w);
        b.div(&all, 3.5f32)
    })
}

/// Each element by the sum of all, after a map that both read.
fn shared_out(b: &mut Builder, row: &Atom) -> Atom {
    let more = b.map(Level::Auto, row, |b, x| b.add(x, 0.5f32));
    let all = sum(b, &more);
    let all = b.add(&all, 1.0f32);
    b.map(Level::Auto, &more, |b, x| b.div(x, &all))
}

/// The product of a matrix with a vector.
fn products(b: &mut Builder, matrix: &Atom, v: &Atom) -> Atom {
    b.map(Level::Auto, matrix, |b, row| {
        let pairs = b.zip(&[row.clone(), v.clone()]);
        let products = b.map(Level::Auto, &pairs, |b, p| {
            let (x, y) = (b.proj(p, 0), b.proj(p, 1));
            b.mul(&x, &y)
        });
        sum(b, &products)
    })
}

fn kernels() -> Vec<Kernel> {
    // The product of a matrix of each element's own with a vector, three times.
    let mut b = Builder::new("powers");
    let (n, m) = (b.size("N"), b.size("M"));
    let xs = b.param("xs", array(array(float(), &m), &n));
    let powers = b.map(Level::Auto, &xs, |b, row| {
        iterate(b, Size::int(3), row, |b, v| {
            let products = products(b, &xs, v);
            let all = sum(b, &products);
            b.map(Level::Auto, v, |b, x| {
                let moved = b.add(x, &all);
                b.mul(&moved, 0.125f32)
            })
        })
    });
    let powers = simplify(b.finish(&powers));
    vec![
        of_rows("blurred", |b, row| iterate(b, Size::int(5), row, blurred)),
        of_rows("shared out", |b, row| iterate(b, Size::int(20), row, shared_out)),
        // A tuple of a row and a number that all work-items find.
        of_rows("row and number", |b, row| {
            let start = b.tuple(&[row.clone(), 1.0f32.into()]);
            let end = iterate(b, Size::int(3), &start, |b, state| {
                let (row, scale) = (b.proj(state, 0), b.proj(state, 1));
                let next = b.map(Level::Auto, &row, |b, x| b.mul(x, &scale));
                let all = sum(b, &next);
                let all = b.add(&all, 1.0f32);
                let scale = b.div(1.5f32, &all);
                b.tuple(&[next, scale])
            });
            let (row, scale) = (b.proj(&end, 0), b.proj(&end, 1));
            b.map(Level::Auto, &row, |b, x| b.add(x, &scale))
        }),
        // As many rounds as the row wants.
        of_rows("while", |b, row| {
            let ty = b.ty(row.clone());
            let test = b.lambda(&[ty.clone()], |b, x| {
                let all = sum(b, &x[0]);
                b.gt(&all, 3.0f32)
            });
            let f = b.lambda(&[ty], |b, x| blurred(b, &x[0]));
            b.prim(Prim::IterateWhile, &[], vec![test, f], &[row.clone()])
        }),
        // The state is a number, and each round folds the row.
        of_rows("weighted", |b, row| {
            iterate(b, Size::int(20), &0.0f32.into(), |b, mean| {
                let moved = b.map(Level::Auto, row, |b, x| b.mul(x, mean));
                let all = sum(b, &moved);
                let all = b.add(&all, 1.0f32);
                b.div(1.0f32, &all)
            })
        }),
        powers,
    ]
}

#[test]
fn rounds_of_rows_agree() {
    // Rows of 1000 do not fit twice in local memory that is so small.
    let target = Target { local_memory: 8 * 1024, ..Target::nvidia() };
    for kernel in kernels() {
        let rules: Vec<&str> = Schedule::new(&kernel, &target).applied.iter().map(|a| a.rule.name).collect();
        assert!(rules.contains(&"map-folds-wrg"), "{}: {rules:?}", kernel.name);
        let program = compile(&kernel, &target).unwrap_or_else(|e| panic!("{}: {}", kernel.name, e[0]));
        assert_eq!(program.report.cliffs, [], "{}", kernel.name);
        for (n, m) in [(1, 1), (3, 7), (2, 64), (70, 33), (2, 1000)] {
            if let Err(problem) = agree(&kernel, &program, &[rows(n, m)]) {
                panic!("{n}×{m}: {problem}");
            }
        }
    }
}

/// Each row of a group has memory of its own for what a round makes and several operators, or all work-items, read.
#[test]
fn rows_of_a_group_do_not_meet() {
    let mut b = Builder::new("twice");
    let n = b.size("N");
    let xs = b.param("xs", array(array(float(), &n), &n));
    let result = b.map(Level::Auto, &xs, |b, row| {
        iterate(b, Size::int(3), row, |b, v| {
            let once = products(b, &xs, v);
            let all = sum(b, &once);
            let all = b.add(&all, 1.0f32);
            let twice = products(b, &xs, &once);
            b.map(Level::Auto, &twice, |b, x| b.div(x, &all))
        })
    });
    let kernel = simplify(b.finish(&result));
    // Of 40 elements, rows of one group do not fit so little local memory.
    for local_memory in [48 * 1024, 4 * 1024] {
        let target = Target { local_memory, ..Target::nvidia() };
        let program = compile(&kernel, &target).unwrap_or_else(|e| panic!("{}", e[0]));
        for n in [1, 7, 13, 40] {
            if let Err(problem) = agree(&kernel, &program, &[rows(n, n)]) {
                panic!("{n} in {local_memory}: {problem}");
            }
        }
    }
}

/// A row in local memory is read from global memory once, and written once.
#[test]
fn a_row_stays_in_local_memory() {
    let kernel = of_rows("blurred", |b, row| iterate(b, Size::int(5), row, blurred));
    let program = compile(&kernel, &Target::nvidia()).unwrap_or_else(|e| panic!("{}", e[0]));
    let sizes = kernel.sizes.iter().cloned().zip([4096, 1024]).collect();
    let moved = crate::cost::Cost::at(&program, &sizes).verdict(Target::nvidia().busy()).moved;
    assert!(moved <= 1.1 * 2.0 * 4096.0 * 1024.0 * 4.0, "{moved} bytes");
}
