//! Buffers that share memory.

use super::*;
use crate::core::builder::*;
use crate::core::{Atom, Level, Prim, Space};
use crate::plan::BufferRole;
use lift_analysis::size::Size;

/// The next array of a chain, in its own buffer.
fn next(b: &mut Builder, xs: &Atom, by: i32) -> Atom {
    let back = b.view(Prim::Reverse, &[], &[xs.clone()]);
    let both = b.zip(&[xs.clone(), back]);
    let ys = b.map(Level::Auto, &both, |b, p| {
        let (x, y) = (b.proj(p, 0), b.proj(p, 1));
        let y = b.mul(&y, by);
        b.add(&x, &y)
    });
    b.store(Space::Global, &ys)
}

/// The number of temporary buffers, and how many more there would be without sharing. Also checks the results.
fn buffers(kernel: &Kernel, inputs: &[Vec<Value>]) -> (usize, usize) {
    let program = compile(kernel, &Target::portable()).unwrap_or_else(|e| panic!("{}", e[0]));
    for inputs in inputs {
        agree(kernel, &program, inputs).unwrap_or_else(|problem| panic!("{problem}"));
    }
    let temporary = program.plan.buffers.iter().filter(|b| b.role == BufferRole::Temporary).count();
    (temporary, program.report.shared.len())
}

fn lengths() -> Vec<Vec<Value>> {
    LENGTHS.iter().map(|n| vec![ints(*n)]).collect()
}

#[test]
fn what_is_needed_no_more_gives_its_memory() {
    let mut b = Builder::new("five");
    let n = b.size("N");
    let xs = b.param("xs", array(int(), &n));
    let end = (1..=5).fold(xs, |xs, by| next(&mut b, &xs, by));
    assert_eq!(buffers(&b.finish(&end), &lengths()), (2, 2), "the fifth is the result");
}

#[test]
fn what_is_needed_later_keeps_its_memory() {
    let mut b = Builder::new("the first again");
    let n = b.size("N");
    let xs = b.param("xs", array(int(), &n));
    let first = next(&mut b, &xs, 2);
    let third = (3..=4).fold(first.clone(), |xs, by| next(&mut b, &xs, by));
    let both = b.zip(&[first, third]);
    let end = b.map(Level::Auto, &both, |b, p| {
        let (x, y) = (b.proj(p, 0), b.proj(p, 1));
        b.sub(&x, &y)
    });
    assert_eq!(buffers(&b.finish(&end), &lengths()), (3, 0));
}

#[test]
fn only_equally_large_arrays_share() {
    let mut b = Builder::new("halves");
    let n = b.size("N");
    let xs = b.param("xs", array(int(), &n.mul(&Size::nat(2))));
    let long = next(&mut b, &xs, 2);
    let halves = b.split(n, &long);
    let short = b.prim(Prim::Head, &[], vec![], &[halves]);
    let end = (3..=7).fold(short, |xs, by| next(&mut b, &xs, by));
    let inputs: Vec<_> = LENGTHS[1..].iter().map(|n| vec![ints(2 * n)]).collect();
    // The third short array gets the memory of the first, and none of the short ones that of the long one.
    assert_eq!(buffers(&b.finish(&end), &inputs), (3, 2));
}

#[test]
fn in_a_loop_all_keep_what_the_next_round_may_read() {
    let mut b = Builder::new("rounds");
    let n = b.size("N");
    let xs = b.param("xs", array(int(), &n));
    let before = (1..=2).fold(xs, |xs, by| next(&mut b, &xs, by));
    let ty = b.ty(before.clone());
    let round = b.lambda(&[ty], |b, xs| (1..=4).fold(xs[0].clone(), |xs, by| next(b, &xs, by)));
    let end = b.prim(Prim::Iterate, &[Size::nat(20)], vec![round], &[before]);
    let end = next(&mut b, &end, 3);
    // Two buffers are swapped; of the three inside an iteration, two use the memory of earlier ones, and the third
    // shares with none.
    assert_eq!(buffers(&b.finish(&end), &lengths()), (5, 2));
}
