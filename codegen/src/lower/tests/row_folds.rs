//! Folds and scans in order whose accumulator is a row, and rows that the host picks: the device does each row.

use super::*;
use crate::core::builder::*;
use crate::core::simplify::simplify;
use crate::core::{Atom, Level, Prim};
use crate::plan::Step;
use lift_analysis::parameters::Parameter;
use lift_analysis::size::Size;

/// Fewer rows than elements, and the reverse; one element, and none.
const SHAPES: [(usize, usize); 6] = [(2, 300), (1, 1), (5, 3), (3, 0), (17, 64), (2, 129)];

fn all_agree(kernel: &Kernel, target: &Target) -> Program {
    let program = compile(kernel, target).unwrap_or_else(|e| panic!("{}: {}", kernel.name, e[0]));
    for (n, m) in SHAPES {
        if let Err(problem) = agree(kernel, &program, &[rows(n, m)]) {
            panic!("{n}×{m}: {problem}");
        }
    }
    program
}

/// Compiled so that rows of one element are worth launches; the fold must be a loop of the host.
fn agrees_in_turn(kernel: Kernel) {
    let kernel = simplify(kernel);
    let program = all_agree(&kernel, &Target::nvidia().with(Parameter::TurnsState, 1));
    assert!(program.plan.steps.iter().any(|s| matches!(s, Step::For { .. })), "{}", kernel.name);
    all_agree(&kernel, &Target::nvidia());
}

fn folded(name: &str, prim: Prim, start: impl Fn(&mut Builder, &Size) -> Atom, view: View, f: Folding) -> Kernel {
    let mut b = Builder::new(name);
    let (n, m) = (b.size("N"), b.size("M"));
    let xs = b.param("xs", array(array(float(), &m), &n));
    let (z, xs) = (start(&mut b, &m), view(&mut b, &xs));
    let row = b.ty(&xs).as_array().map(|a| a.element.clone()).expect("an array");
    let f = b.lambda(&[b.ty(&z), row], |b, args| f(b, &args[0], &args[1]));
    let folded = b.prim(prim, &[], vec![f], &[z, xs]);
    let result = match prim {
        Prim::Reduce(_) => b.prim(Prim::Head, &[], vec![], &[folded]),
        _ => folded,
    };
    b.finish(&result)
}

type View = fn(&mut Builder, &Atom) -> Atom;
type Folding = fn(&mut Builder, &Atom, &Atom) -> Atom;

fn zeros(b: &mut Builder, m: &Size) -> Atom {
    b.prim(Prim::Fill, std::slice::from_ref(m), vec![], &[0.0f32.into()])
}

/// Half of what was before and the element; the result of the rows before is needed for the next.
fn mixed(b: &mut Builder, acc: &Atom, row: &Atom) -> Atom {
    let pairs = b.zip(&[acc.clone(), row.clone()]);
    b.map(Level::Auto, &pairs, |b, p| {
        let (x, y) = (b.proj(p, 0), b.proj(p, 1));
        let half = b.mul(&x, 0.5f32);
        b.add(&half, &y)
    })
}

/// The running sums of the mixed row.
fn summed(b: &mut Builder, acc: &Atom, row: &Atom) -> Atom {
    let mixed = mixed(b, acc, row);
    let add = b.lambda(&[float(), float()], |b, xs| b.add(&xs[0], &xs[1]));
    let sums = b.prim(Prim::Scan(Level::Auto), &[], vec![add], &[0.0f32.into(), mixed]);
    b.map(Level::Auto, &sums, |b, x| b.mul(x, 0.01f32))
}

fn as_given(_: &mut Builder, rows: &Atom) -> Atom {
    rows.clone()
}

fn doubled(b: &mut Builder, rows: &Atom) -> Atom {
    b.map(Level::Auto, rows, |b, row| b.map(Level::Auto, row, |b, x| b.add(x, x)))
}

fn reversed(b: &mut Builder, rows: &Atom) -> Atom {
    b.view(Prim::Reverse, &[], &[rows.clone()])
}

#[test]
fn rows_are_folded_and_scanned_in_turn() {
    agrees_in_turn(folded("summed", Prim::Reduce(Level::Seq), zeros, doubled, summed));
    agrees_in_turn(folded("all summed", Prim::Scan(Level::Seq), zeros, doubled, summed));
    agrees_in_turn(folded("reversed", Prim::Scan(Level::Seq), zeros, reversed, summed));
}

/// The accumulator is a number beside a row, and each round folds the row.
#[test]
fn an_accumulator_may_have_a_number_beside_its_row() {
    let start = |b: &mut Builder, m: &Size| {
        let zeros = zeros(b, m);
        b.tuple(&[1.0f32.into(), zeros])
    };
    let next: Folding = |b, acc, row| {
        let (scale, before) = (b.proj(acc, 0), b.proj(acc, 1));
        let mixed = mixed(b, &before, row);
        let scaled = b.map(Level::Auto, &mixed, |b, x| b.mul(x, &scale));
        let all = b.reduce(Level::Auto, 0.0f32, &scaled, |b, x, y| b.add(x, y));
        let all = b.prim(Prim::Head, &[], vec![], &[all]);
        let more = b.add(&all, 1.0f32);
        let scale = b.div(1.0f32, &more);
        b.tuple(&[scale, scaled])
    };
    agrees_in_turn(folded("scaled", Prim::Reduce(Level::Seq), start, as_given, next));
    agrees_in_turn(folded("all scaled", Prim::Scan(Level::Seq), start, reversed, next));
}

/// A fold of numbers that are not stored in an array.
#[test]
fn numbers_may_be_folded_into_rows() {
    let mut b = Builder::new("numbers");
    let (n, m) = (b.size("N"), b.size("M"));
    let xs = b.param("xs", array(array(float(), &m), &n));
    let last = b.map(Level::Auto, &xs, |b, row| {
        let all = b.reduce(Level::Auto, 0.0f32, row, |b, x, y| b.add(x, y));
        b.prim(Prim::Head, &[], vec![], &[all])
    });
    let both = b.view(Prim::Concat, &[], &[last.clone(), last]);
    let start = zeros(&mut b, &m);
    let f = b.lambda(&[b.ty(&start), float()], |b, args| {
        let (acc, x) = (&args[0], &args[1]);
        let next = b.map(Level::Auto, acc, |b, y| {
            let half = b.mul(y, 0.5f32);
            b.add(&half, x)
        });
        let add = b.lambda(&[float(), float()], |b, xs| b.add(&xs[0], &xs[1]));
        let sums = b.prim(Prim::Scan(Level::Auto), &[], vec![add], &[0.0f32.into(), next]);
        b.map(Level::Auto, &sums, |b, x| b.mul(x, 0.01f32))
    });
    let all = b.prim(Prim::Scan(Level::Seq), &[], vec![f], &[start, both]);
    agrees_in_turn(b.finish(&all));
}

/// A row of the state, at an index in the state: no work-item copies the row alone, and a wrong index stops the run.
#[test]
fn a_row_picked_between_launches_is_copied_by_many() {
    for first in [0, 1, 2] {
        let mut b = Builder::new("picked");
        let (n, m) = (b.size("N"), b.size("M"));
        let xs = b.param("xs", array(array(float(), &m), &n));
        let start = zeros(&mut b, &m);
        let start = b.tuple(&[first.into(), start]);
        let f = b.lambda(&[b.ty(&start)], |b, state| {
            let (i, acc) = (b.proj(&state[0], 0), b.proj(&state[0], 1));
            let row = b.aref(&xs, &i);
            let next = mixed(b, &acc, &row);
            let i = b.add(&i, 1);
            b.tuple(&[i, next])
        });
        let end = b.prim(Prim::Iterate, std::slice::from_ref(&n), vec![f], &[start]);
        let end = b.proj(&end, 1);
        let program = all_agree(&simplify(b.finish(&end)), &Target::nvidia());
        let text = &program.opencl.text;
        assert!(!text.contains("aref (one work-item)"), "{text}");
    }
}

/// The first row of a matrix that has one is read where it is.
#[test]
fn a_row_that_is_there_is_not_copied() {
    let mut b = Builder::new("first");
    let (n, m) = (b.size("N"), b.size("M"));
    let xs = b.param("xs", array(array(float(), &m), &n.add(&Size::one())));
    let row = b.prim(Prim::Head, &[], vec![], &[xs]);
    let twice = b.map(Level::Auto, &row, |b, x| b.add(x, x));
    let kernel = simplify(b.finish(&twice));
    let program = compile(&kernel, &Target::nvidia()).unwrap_or_else(|e| panic!("{}", e[0]));
    assert_eq!(program.plan.steps.len(), 1, "{}", program.opencl.text);
    for (n, m) in [(1, 5), (3, 0), (4, 300)] {
        if let Err(problem) = agree(&kernel, &program, &[rows(n, m)]) {
            panic!("{n}×{m}: {problem}");
        }
    }
}
