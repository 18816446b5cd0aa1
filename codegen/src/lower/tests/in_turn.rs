//! Rows that are done by the whole device, one after the other.

use super::row_loops::iterate;
use super::*;
use crate::core::builder::*;
use crate::core::simplify::simplify;
use crate::core::{Atom, Level, Prim, Rhs};
use crate::plan::Step;
use expect_test::expect;
use lift_analysis::parameters::Parameter;
use lift_analysis::size::{Size, Var, VarKind};
use lift_analysis::ty::Ty;

/// Compiled so that rows of one element are worth the device; every map over rows must be a loop of the host.
fn agrees_in_turn(kernel: Kernel, shapes: &[(usize, usize)]) {
    let kernel = simplify(kernel);
    let target = Target::nvidia().with(Parameter::TurnsRow, 1).with(Parameter::TurnsEach, 1);
    let program = compile(&kernel, &target).unwrap_or_else(|e| panic!("{}: {}", kernel.name, e[0]));
    assert!(program.plan.steps.iter().any(|s| matches!(s, Step::For { .. })), "{}", kernel.name);
    for (n, m) in shapes {
        if let Err(problem) = agree(&kernel, &program, &[rows(*n, *m)]) {
            panic!("{n}×{m}: {problem}");
        }
    }
}

fn of_rows(name: &str, view: impl Fn(&mut Builder, &Atom) -> Atom, f: impl Fn(&mut Builder, &Atom) -> Atom) -> Kernel {
    let mut b = Builder::new(name);
    let (n, m) = (b.size("N"), b.size("M"));
    let xs = b.param("xs", array(array(float(), &m), &n));
    let rows = view(&mut b, &xs);
    let result = b.map(Level::Auto, &rows, |b, row| f(b, row));
    b.finish(&result)
}

fn as_given(_: &mut Builder, rows: &Atom) -> Atom {
    rows.clone()
}

fn high(b: &mut Builder, row: &Atom) -> Atom {
    b.filter(Level::Auto, row, |b, x| b.gt(x, 0.5f32))
}

fn sorted(b: &mut Builder, row: &Atom) -> Atom {
    let before = b.lambda(&[float(), float()], |b, xs| b.lt(&xs[0], &xs[1]));
    b.prim(Prim::Sort, &[], vec![before], std::slice::from_ref(row))
}

fn summed(b: &mut Builder, row: &Atom) -> Atom {
    let add = b.lambda(&[float(), float()], |b, xs| b.add(&xs[0], &xs[1]));
    b.prim(Prim::Scan(Level::Auto), &[], vec![add], &[0.0f32.into(), row.clone()])
}

/// Fewer rows than elements, and the reverse, so that each version is taken; and empty ones.
const SHAPES: [(usize, usize); 4] = [(2, 300), (1, 1), (4, 2), (3, 0)];

#[test]
fn rows_are_filtered_sorted_and_scanned_in_turn() {
    agrees_in_turn(of_rows("kept", as_given, high), &SHAPES);
    agrees_in_turn(of_rows("sorted columns", |b, xs| b.transpose(xs), sorted), &SHAPES);
    agrees_in_turn(of_rows("reversed rows", |b, xs| b.view(Prim::Reverse, &[], &[xs.clone()]), summed), &SHAPES);
}

#[test]
fn what_was_kept_of_a_row_is_read_in_its_turn() {
    let shares = |b: &mut Builder, row: &Atom| {
        let kept = high(b, row);
        let (lengths, kept) = b.unpack(&kept);
        let sums = summed(b, &kept);
        let sorted = sorted(b, &sums);
        b.pack(&sorted, &lengths)
    };
    agrees_in_turn(of_rows("sums of what is kept", as_given, shares), &SHAPES);
}

#[test]
fn a_row_comes_with_its_number() {
    let numbered = |b: &mut Builder, xs: &Atom| {
        let n = b.ty(xs).as_array().map(|a| a.len.clone()).expect("an array");
        let numbers = b.iota(n);
        b.zip(&[xs.clone(), numbers])
    };
    let counted = |b: &mut Builder, both: &Atom| {
        let (row, number) = (b.proj(both, 0), b.proj(both, 1));
        let sums = summed(b, &row);
        let number = b.op(ScalarOp::To(lift_analysis::hir::Scalar::Float), &[number]);
        b.map(Level::Auto, &sums, |b, x| b.add(x, &number))
    };
    agrees_in_turn(of_rows("numbered", numbered, counted), &SHAPES);
}

#[test]
fn rows_of_planes_are_in_turn_too() {
    let mut b = Builder::new("planes");
    let (n, m) = (b.size("N"), b.size("M"));
    let xs = b.param("xs", array(array(float(), &m), &n));
    let planes = b.slide(1, 1, &xs);
    let result = b.map(Level::Auto, &planes, |b, plane| b.map(Level::Auto, plane, sorted));
    agrees_in_turn(b.finish(&result), &SHAPES[..3]);
}

/// The first element kept, which is missing in some rows: the run stops with the interpreter's message.
#[test]
fn a_failing_row_stops_the_run() {
    let first = |b: &mut Builder, row: &Atom| {
        let kept = high(b, row);
        let (_, kept) = b.unpack(&kept);
        let sorted = sorted(b, &kept);
        b.aref(&sorted, 0)
    };
    agrees_in_turn(of_rows("first", as_given, first), &[(2, 300), (3, 1)]);
}

/// The rows may need N·M elements of inputs of N and M, so their lengths would be read, if one length were that of all rows.
#[test]
fn lengths_of_rows_in_turn_differ() {
    let mut b = Builder::new("pairs");
    let (n, m) = (b.size("N"), b.size("M"));
    let xs = b.param("xs", array(float(), &n));
    let ys = b.param("ys", array(float(), &m));
    let rows = b.map(Level::Auto, &xs, |b, x| {
        let above = b.filter(Level::Auto, &ys, |b, y| b.gt(y, x));
        let (lengths, above) = b.unpack(&above);
        let sums = summed(b, &above);
        b.pack(&sums, &lengths)
    });
    let kernel = simplify(b.finish(&rows));
    let target = Target::nvidia().with(Parameter::TurnsRow, 1).with(Parameter::TurnsEach, 1);
    let program = compile(&kernel, &target).unwrap_or_else(|e| panic!("{}: {}", kernel.name, e[0]));
    assert!(program.plan.steps.iter().any(|s| matches!(s, Step::For { .. })));
    for (n, m) in [(2, 300), (0, 3), (3, 0), (1, 1), (7, 5)] {
        if let Err(problem) = agree(&kernel, &program, &[floats(n), floats(m)]) {
            panic!("{n}×{m}: {problem}");
        }
    }
}

/// Each row is as long as its function computes: the longest is found before the first is stored.
#[test]
fn rows_whose_length_is_computed_are_not_in_turn() {
    let counted = |b: &mut Builder, row: &Atom| {
        let kept = high(b, row);
        let (_, kept) = b.unpack(&kept);
        let sums = summed(b, &kept);
        let ints = b.map(Level::Auto, &sums, |b, x| b.op(ScalarOp::To(lift_analysis::hir::Scalar::Int), &[x.clone()]));
        let most = b.lambda(&[int(), int()], |b, xs| b.op(ScalarOp::Max, &[xs[0].clone(), xs[1].clone()]));
        let most = b.prim(Prim::Reduce(Level::Auto), &[], vec![most], &[0.into(), ints]);
        let count = b.prim(Prim::Head, &[], Vec::new(), &[most]);
        b.view(Prim::Iota, &[], &[count])
    };
    let kernel = simplify(of_rows("counted", as_given, counted));
    let target = Target::nvidia().with(Parameter::TurnsRow, 1).with(Parameter::TurnsEach, 1);
    let program = compile(&kernel, &target).unwrap_or_else(|e| panic!("{}: {}", kernel.name, e[0]));
    for (n, m) in SHAPES {
        if let Err(problem) = agree(&kernel, &program, &[rows(n, m)]) {
            panic!("{n}×{m}: {problem}");
        }
    }
}

/// Two arrays, joined, whose total length is hidden.
fn joined(b: &mut Builder, xs: &Atom, ys: &Atom) -> Atom {
    let length = |b: &Builder, xs: &Atom| b.ty(xs).as_array().map(|a| a.len.clone()).expect("an array");
    let total = &length(b, xs) + &length(b, ys);
    let both = b.view(Prim::Concat, &[], &[xs.clone(), ys.clone()]);
    let x = Var::new(VarKind::Bound, 900, "X");
    let ty = Ty::exists(vec![x.clone()], array(float(), &Size::var(x)));
    b.emit("joined", ty, Vec::new(), Rhs::Pack(both, vec![total]))
}

/// A loop whose state grows by a row, less what its filter leaves out, each round.
fn grown(b: &mut Builder, rounds: i64, start: &Atom, row: &Atom) -> Atom {
    iterate(b, Size::int(rounds), start, |b, state| {
        let (_, state) = b.unpack(state);
        let both = joined(b, &state, row);
        let (_, both) = b.unpack(&both);
        high(b, &both)
    })
}

#[test]
fn the_state_of_a_loop_over_a_row_grows() {
    let once = |b: &mut Builder, row: &Atom| {
        let kept = high(b, row);
        grown(b, 2, &kept, row)
    };
    agrees_in_turn(of_rows("grown", as_given, once), &SHAPES);
    let twice = |b: &mut Builder, row: &Atom| {
        let first = once(b, row);
        let (lengths, kept) = b.unpack(&first);
        let sums = summed(b, &kept);
        let sums = b.pack(&sums, &lengths);
        let second = grown(b, 3, &sums, row);
        let (lengths, second) = b.unpack(&second);
        let sorted = sorted(b, &second);
        let sorted = b.pack(&sorted, &lengths);
        b.tuple(&[sorted, first])
    };
    agrees_in_turn(of_rows("grown twice", as_given, twice), &SHAPES);
}

#[test]
fn a_growing_loop_in_a_growing_loop_over_a_row_of_a_plane() {
    let mut b = Builder::new("planes");
    let (n, m) = (b.size("N"), b.size("M"));
    let xs = b.param("xs", array(array(float(), &m), &n));
    let planes = b.slide(1, 1, &xs);
    let result = b.map(Level::Auto, &planes, |b, plane| {
        b.map(Level::Auto, plane, |b, row| {
            let kept = high(b, row);
            iterate(b, Size::int(2), &kept, |b, state| grown(b, 2, state, row))
        })
    });
    agrees_in_turn(b.finish(&result), &SHAPES[..3]);
}

/// Nothing bounds the number of rounds: the rows' memory is unknown before the first one is stored.
#[test]
fn a_state_that_grows_without_a_bound_is_not_in_turn() {
    let endless = |b: &mut Builder, row: &Atom| {
        let kept = high(b, row);
        grown(b, 100, &kept, row)
    };
    let kernel = simplify(of_rows("endless", as_given, endless));
    let target = Target::nvidia().with(Parameter::TurnsRow, 1).with(Parameter::TurnsEach, 1);
    let errors = compile(&kernel, &target).err().unwrap_or_default();
    expect!["`iterate`: each element has its own loop here, whose state may grow, so its memory is unknown; at the top of a kernel, memory grows with the state"].assert_eq(&errors[0].to_string());
}
