//! Hidden lengths: opening, packing, arrays of rows of different lengths, checked casts.

use super::*;
use expect_test::expect;
use lift_analysis::size::{Assumption, LengthCheck, Size};

fn positive(b: &mut Builder, x: &Atom) -> Atom {
    b.gt(x, 0)
}

#[test]
fn an_opened_length_is_known() {
    let result = on_ints([1, -1, 2], |b, xs| {
        let ys = b.filter(Level::Auto, xs, positive);
        let (lengths, ys) = b.unpack(&ys);
        let sum = b.reduce(Level::Seq, &lengths[0], &ys, |b, x, y| b.add(x, y));
        b.view(Prim::Head, &[], &[sum])
    });
    assert_eq!(result, "5");
}

#[test]
fn rows_of_different_lengths() {
    let result = on_ints([3, -1, 2, -5, -6, -7], |b, xs| {
        let rows = b.split(3u64, xs);
        b.map(Level::Auto, &rows, |b, row| {
            let kept = b.filter(Level::Seq, row, positive);
            let (lengths, kept) = b.unpack(&kept);
            let doubled = b.map(Level::Seq, &kept, |b, x| b.mul(x, 2));
            b.pack(&doubled, &lengths)
        })
    });
    assert_eq!(result, "[[6, 4], []]");
}

/// A hidden length is kept with the value, because without rows nothing shows it.
#[test]
fn the_hidden_length_of_rows_that_are_not_there() {
    let mut b = Builder::new("test");
    let n = b.size("N");
    let xs = b.param("xs", array(int(), &n));
    let zeros = b.view(Prim::Fill, &sizes(&[0]), &[1.into()]);
    let ys = b.filter(Level::Auto, &xs, positive);
    let (lengths, ys) = b.unpack(&ys);
    let rows = b.map(Level::Auto, &zeros, |_, _| ys.clone());
    let packed = b.pack(&rows, &lengths);
    let (_, rows) = b.unpack(&packed);
    let columns = b.transpose(&rows);
    assert_eq!(run_on(&b.finish(&columns), vec![Value::from(vec![1, 2, -3])]), "[[], []]");
}

#[test]
fn inputs_with_hidden_lengths() {
    let mut b = Builder::new("test");
    let n = b.size("N");
    let xss = b.param("xss", array(dynamic_array(int()), &n));
    let lengths = b.map(Level::Auto, &xss, |b, row| {
        let (lengths, _) = b.unpack(row);
        b.add(&lengths[0], 0)
    });
    let kernel = b.finish(&lengths);
    assert_eq!(run_on(&kernel, vec![Value::from(vec![vec![1, 2, 3], vec![], vec![4]])]), "[3, 0, 1]");
}

#[test]
fn a_checked_cast() {
    let cast = |input: [i32; 3]| {
        on_ints(input, |b, xs| {
            let ys = b.filter(Level::Auto, xs, positive);
            let (lengths, ys) = b.unpack(&ys);
            b.cast(&ys, array(int(), &2u64.into()), &[LengthCheck::new(lengths[0].clone(), 2u64.into())])
        })
    };
    expect!["[1, 2]"].assert_eq(&cast([1, -1, 2]));
    expect!["error: a checked cast is false: `X2` is 3, not 2"].assert_eq(&cast([1, 1, 2]));
}

#[test]
fn a_checked_cast_between_two_lengths() {
    let cast = |input: [i32; 3]| {
        on_ints(input, |b, xs| {
            let ys = b.filter(Level::Auto, xs, positive);
            let (some, ys) = b.unpack(&ys);
            let all = b.ty(xs).as_array().map(|a| a.len.clone()).into_iter().collect::<Vec<_>>();
            let ys = b.cast(&ys, array(int(), &all[0]), &[LengthCheck::new(some[0].clone(), all[0].clone())]);
            b.zip(&[xs.clone(), ys])
        })
    };
    expect!["[(1, 1), (1, 1), (2, 2)]"].assert_eq(&cast([1, 1, 2]));
    expect!["error: a checked cast is false: `X2` is 2, but `N` is 3"].assert_eq(&cast([1, -1, 2]));
}

#[test]
fn an_assumption_about_an_opened_length_is_checked_when_it_is_opened() {
    let pairs = |input: [i32; 4]| {
        let mut b = Builder::new("test");
        let n = b.size("N");
        let xs = b.param("xs", array(int(), &n));
        let ys = b.filter(Level::Auto, &xs, positive);
        let (lengths, ys) = b.unpack(&ys);
        b.assume(Assumption::Divides { divisor: Size::nat(2), value: lengths[0].clone() });
        let rows = b.split(2u64, &ys);
        let packed = b.pack(&rows, &lengths);
        run_on(&b.finish(&packed), vec![Value::from(input.to_vec())])
    };
    expect!["[[1, 2], [3, 4]]"].assert_eq(&pairs([1, 2, 3, 4]));
    expect!["[[1, 4]]"].assert_eq(&pairs([1, -2, -3, 4]));
    expect!["error: the program relies on `2 divides X2`, which is false for X2 = 3"].assert_eq(&pairs([1, 2, -3, 4]));
}

/// The second length of the previous row must not be compared with the first one of this row.
#[test]
fn an_assumption_about_two_opened_lengths_is_checked_at_the_second() {
    let mut b = Builder::new("test");
    let n = b.size("N");
    let xss = b.param("xss", array(array(int(), &3u64.into()), &n));
    let mut lengths = Vec::new();
    let sums = b.map(Level::Auto, &xss, |b, row| {
        let some = b.filter(Level::Seq, row, positive);
        let (x, some) = b.unpack(&some);
        let fewer = b.filter(Level::Seq, &some, |b, e| b.gt(e, 10));
        let (y, _) = b.unpack(&fewer);
        lengths = vec![y[0].clone(), x[0].clone()];
        b.add(&x[0], &y[0])
    });
    b.assume(Assumption::AtMost(lengths[0].clone(), lengths[1].clone()));
    let kernel = b.finish(&sums);
    assert_eq!(run_on(&kernel, vec![Value::from(vec![vec![20, 30, 40], vec![1, -1, -1]])]), "[6, 1]");
}

#[test]
fn branches_of_different_lengths() {
    let result = |flag: i32| {
        on_ints([flag, 7, 8], |b, xs| {
            let first = b.aref(xs, 0);
            let yes = b.gt(&first, 0);
            let xs = xs.clone();
            let all = b.ty(&xs).as_array().map(|a| a.len.clone()).into_iter().collect::<Vec<_>>();
            b.if_(
                &yes,
                |b| {
                    let one = b.view(Prim::Take, &sizes(&[1]), &[xs.clone()]);
                    b.emit("t", dynamic_array(int()), Vec::new(), crate::core::Rhs::Pack(one, sizes(&[1])))
                },
                |b| b.emit("t", dynamic_array(int()), Vec::new(), crate::core::Rhs::Pack(xs.clone(), all.clone())),
            )
        })
    };
    assert_eq!(result(1), "[1]");
    assert_eq!(result(-1), "[-1, 7, 8]");
}
