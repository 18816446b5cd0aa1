//! Watched runs find false types, and types that mention a length out of scope.
//!
//! The programs are those that a faulty checker might accept: each is correct except for one `pack`. Unwatched, all of
//! them run without an error.

use super::*;
use crate::core::Rhs;
use crate::interp::{RunErrorKind, run_watched};
use expect_test::expect;

fn kept(b: &mut Builder, xs: &Atom) -> (Vec<lift_analysis::size::Size>, Atom) {
    let ys = b.filter(Level::Seq, xs, |b, x| b.gt(x, 0));
    b.unpack(&ys)
}

/// The error of a watched run of a kernel of rows, which must run without error if unwatched; `None` if there is no
/// error.
fn watched(rows: Vec<Vec<i32>>, body: impl FnOnce(&mut Builder, &Atom) -> Atom) -> Option<String> {
    let mut b = Builder::new("test");
    let (n, m) = (b.size("N"), b.size("M"));
    let xss = b.param("xss", array(array(int(), &m), &n));
    let result = body(&mut b, &xss);
    let kernel = b.finish(&result);
    let inputs = || vec![Value::from(rows.clone())];
    let sizes: Vec<_> =
        kernel.sizes.iter().cloned().zip([rows.len() as i64, rows.first().map_or(2, Vec::len) as i64]).collect();
    run(&kernel, inputs(), &sizes, Limits::default()).expect("it runs if nobody watches");
    match run_watched(&kernel, inputs(), &sizes, Limits::default()) {
        Ok(_) => None,
        Err(e) => {
            assert_eq!(e.kind, RunErrorKind::Unsound, "{e}");
            Some(e.to_string())
        }
    }
}

fn rows() -> Vec<Vec<i32>> {
    vec![vec![1, -2], vec![3, 4]]
}

#[test]
fn no_opened_length_is_seen_outside_of_a_function() {
    let of_rows = |packed: bool, input| {
        watched(input, |b, xss| {
            b.map(Level::Seq, xss, |b, row| {
                let (lengths, ys) = kept(b, row);
                if packed { b.pack(&ys, &lengths) } else { ys }
            })
        })
    };
    assert_eq!(of_rows(true, rows()), None);
    expect!["`t : Array[Array[Int,X2],N]`: the length `X2` is mentioned outside of its scope"]
        .assert_eq(&of_rows(false, rows()).expect("the length of a row is seen outside"));
    // Also if there are no rows.
    assert_eq!(of_rows(true, vec![]), None);
    expect!["`t : Array[Array[Int,X2],N]`: the length `X2` is mentioned outside of its scope"]
        .assert_eq(&of_rows(false, vec![]).expect("the length of a row is seen outside"));
}

#[test]
fn no_opened_length_is_seen_outside_of_a_branch() {
    let of_branch = |packed: bool| {
        watched(rows(), |b, xss| {
            let first = b.aref(xss, 0);
            let x = b.aref(&first, 0);
            let yes = b.gt(&x, 0);
            let side = |b: &mut Builder| {
                let (lengths, ys) = kept(b, &first);
                if packed { b.pack(&ys, &lengths) } else { ys }
            };
            b.if_(&yes, side, side)
        })
    };
    assert_eq!(of_branch(true), None);
    expect!["`t : Array[Int,X2]`: the length `X2` is mentioned outside of its scope"]
        .assert_eq(&of_branch(false).expect("the length of a branch is seen outside"));
}

#[test]
fn no_opened_length_is_seen_outside_of_the_kernel() {
    let of_kernel = |packed: bool| {
        watched(rows(), |b, xss| {
            let first = b.aref(xss, 0);
            let (lengths, ys) = kept(b, &first);
            if packed { b.pack(&ys, &lengths) } else { ys }
        })
    };
    assert_eq!(of_kernel(true), None);
    expect!["the result, `Array[Int,X2]`: the length `X2` is mentioned outside of its scope"]
        .assert_eq(&of_kernel(false).expect("the length is seen outside"));
}

/// A tuple that hides one of two lengths.
#[test]
fn no_length_is_left_out_of_what_is_hidden() {
    let of_two = |all: bool| {
        watched(rows(), |b, xss| {
            b.map(Level::Seq, xss, |b, row| {
                let ((xs, x), (ys, y)) = (kept(b, row), kept(b, row));
                let both = b.tuple(&[x, y]);
                let lengths: Vec<_> = if all { [xs, ys].concat() } else { xs };
                b.pack(&both, &lengths)
            })
        })
    };
    assert_eq!(of_two(true), None);
    expect!["`t : Array[<∃X5, (Array[Int,X5], Array[Int,X4])>,N]`: the length `X4` is mentioned outside of its scope"]
        .assert_eq(&of_two(false).expect("one length is seen outside"));
}

/// A skolem has no value outside its scope, so it cannot be used as a number there.
#[test]
fn no_opened_length_is_a_number_outside_of_its_scope() {
    let mut b = Builder::new("test");
    let n = b.size("N");
    let xss = b.param("xss", array(array(int(), &n), &n));
    let mut length = None;
    b.map(Level::Seq, &xss, |b, row| {
        let (lengths, _) = kept(b, row);
        length = lengths.first().cloned();
        b.add(&lengths[0], 0)
    });
    let outside = b.add(&length.expect("the function was made"), 1);
    let kernel = b.finish(&outside);
    let said = run_watched(&kernel, vec![Value::from(rows())], &[], Limits::default());
    expect!["error: the size `X2` has no value: X2 has no value"].assert_eq(&outcome(said));
}

/// The packed length must be that of the value inside, not an earlier one.
#[test]
fn what_is_hidden_is_what_is_there() {
    let claims = |length: u64| {
        watched(rows(), |b, xss| {
            let first = b.aref(xss, 0);
            let ty = dynamic_array(int());
            b.emit("t", ty, Vec::new(), Rhs::Pack(first, sizes(&[length])))
        })
    };
    assert_eq!(claims(2), None);
    expect![
        "`t : <∃X, Array[Int,X]>`: what is hidden in `<∃X, Array[Int,X]>`: its length `X` is 3, but it has 2 elements"
    ]
    .assert_eq(&claims(3).expect("three are claimed, two are there"));
}
