//! Runs that stop: their messages and origins.

use super::*;
use expect_test::expect;
use lift_analysis::hir::ExprId;
use lift_analysis::size::Size;

#[test]
fn an_index_out_of_range() {
    let at = |i: i32| on_ints([7, 8, 9], |b, xs| b.aref(xs, i));
    expect!["error: index 3 is out of range: the length is 3"].assert_eq(&at(3));
    expect!["error: index -1 is out of range: the length is 3"].assert_eq(&at(-1));
    expect!["error: index 0 is out of range: the length is 0"].assert_eq(&on_ints([], |b, xs| b.aref(xs, 0)));
    let gather = on_ints([7], |b, xs| b.permute(Prim::Gather, xs, |b, i| b.add(i, 1)));
    expect!["error: index 1 is out of range: the length is 1"].assert_eq(&gather);
}

#[test]
fn the_error_is_where_the_innermost_statement_stands() {
    let mut b = Builder::new("test");
    let n = b.size("N");
    let xs = b.param("xs", array(int(), &n));
    let ys = b.map(Level::Auto, &xs, |b, x| b.div(1, x));
    let kernel = b.finish(&ys);
    let error = run(&kernel, vec![Value::from(vec![1, 0])], &[], Limits::default()).err();
    // The builder made the lambda's origin first, then the division's, then the map's.
    assert_eq!(error.and_then(|e| e.origin).map(|o| o.expr), Some(ExprId(1)));
}

#[test]
fn no_permutation() {
    let result = on_ints([7, 8, 9], |b, xs| b.permute(Prim::Scatter, xs, |b, i| b.div(i, 2)));
    expect!["error: `scatter` needs a permutation, but two elements go to index 0"].assert_eq(&result);
}

#[test]
fn views_that_do_not_fit() {
    let view = |prim: Prim, s: &[u64], n: i32| on_ints(0..n, |b, xs| b.view(prim, &sizes(s), &[xs.clone()]));
    expect!["error: `split #4` of an array of 6 elements, which 4 does not divide"].assert_eq(&view(
        Prim::Split,
        &[4],
        6,
    ));
    expect!["error: `slide #3 #2` of an array of 6 elements: no window ends where the array ends"].assert_eq(&view(
        Prim::Slide,
        &[3, 2],
        6,
    ));
    expect!["error: `slide #7 #1` of an array of 6 elements: no window ends where the array ends"].assert_eq(&view(
        Prim::Slide,
        &[7, 1],
        6,
    ));
    expect!["error: `take #7` of an array of 6 elements"].assert_eq(&view(Prim::Take, &[7], 6));
    expect!["error: `drop #7` of an array of 6 elements"].assert_eq(&view(Prim::Drop, &[7], 6));
    expect!["error: `slice #3 #4` of an array of 6 elements"].assert_eq(&view(Prim::Slice, &[3, 4], 6));
    expect!["error: `stride #4` of an array of 6 elements, which 4 does not divide"].assert_eq(&view(
        Prim::Stride,
        &[4],
        6,
    ));
    expect!["error: `head` of an empty array"].assert_eq(&view(Prim::Head, &[], 0));
    expect!["error: `last` of an empty array"].assert_eq(&view(Prim::Last, &[], 0));
    expect!["error: `tail` of an array of 0 elements"].assert_eq(&view(Prim::Tail, &[], 0));
    expect!["error: an empty array cannot be padded: it has no elements at its edges"].assert_eq(&view(
        Prim::Pad(PadMode::Wrap),
        &[1, 0],
        0,
    ));
}

#[test]
fn negative_lengths() {
    expect!["error: an array cannot have the length -3"]
        .assert_eq(&closed(|b| b.view(Prim::Iota, &[], &[(-3).into()])));
    expect!["error: an array cannot have the length -1"]
        .assert_eq(&closed(|b| b.view(Prim::Fill, &[], &[(-1).into(), 0.into()])));
    expect!["error: the size `-2` has no value: the size is negative"].assert_eq(&closed(|b| b.iota(Size::int(-2))));
}

#[test]
fn an_array_that_is_too_large() {
    expect!["error: the result, `Array[Int,1000000000000]`, needs 3725 GiB; all arrays together may take 4 GiB"]
        .assert_eq(&closed(|b| b.iota(1_000_000_000_000u64)));
}

#[test]
fn arrays_that_are_too_large_together() {
    let mut b = Builder::new("test");
    let rows = b.generate(1000u64, |b, _| b.iota(1000u64));
    let kernel = b.finish(&rows);
    let with = |bytes| outcome(run(&kernel, Vec::new(), &[], Limits { bytes, ..Limits::default() }));
    expect!["error: the result, `Array[Array[Int,1000],1000]`, needs 3 MiB; all arrays together may take 1 MiB"]
        .assert_eq(&with(1 << 20));
    assert!(with(8 << 20).starts_with("[[0, 1, 2,"));
}

/// Arrays that are no longer alive do not count.
#[test]
fn arrays_one_after_the_other() {
    let mut b = Builder::new("test");
    let sums = b.generate(1000u64, |b, _| {
        let xs = b.iota(1000u64);
        let sum = b.reduce(Level::Seq, 0, &xs, |b, x, y| b.add(x, y));
        b.view(Prim::Head, &[], &[sum])
    });
    let kernel = b.finish(&sums);
    let result = outcome(run(&kernel, Vec::new(), &[], Limits { bytes: 1 << 16, ..Limits::default() }));
    assert!(result.starts_with("[499500, 499500"), "{result}");
}

#[test]
fn a_loop_without_end() {
    let mut b = Builder::new("test");
    let test = b.lambda(&[int()], |_, _| true.into());
    let f = b.lambda(&[int()], |b, x| b.add(&x[0], 1));
    let r = b.prim(Prim::IterateWhile, &[], vec![test, f], &[0.into()]);
    let kernel = b.finish(&r);
    let limits = Limits { iterations: 1000, ..Limits::default() };
    expect!["error: `iterateWhile` was stopped after 1000 rounds"].assert_eq(&outcome(run(
        &kernel,
        Vec::new(),
        &[],
        limits,
    )));
    let limits = Limits { steps: 1000, ..Limits::default() };
    expect!["error: the run was stopped after 1000 steps"].assert_eq(&outcome(run(&kernel, Vec::new(), &[], limits)));
}

#[test]
fn branches_nested_deeply() {
    fn nest(b: &mut Builder, depth: u32) -> Atom {
        if depth == 0 { 7.into() } else { b.if_(true, |b| nest(b, depth - 1), |_| 0.into()) }
    }
    let mut b = Builder::new("test");
    let r = nest(&mut b, 300);
    assert_eq!(run_on(&b.finish(&r), Vec::new()), "7");
}
