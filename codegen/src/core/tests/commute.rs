//! Operators that do not depend on the order of their arguments.

use super::super::builder::*;
use super::super::commute::{Choice, Ties};
use super::super::{Kernel, Lambda};
use lift_analysis::ty::Ty;

/// Elements of a number, its place and a weight.
fn element() -> Ty {
    Ty::tuple(vec![float(), int(), float()])
}

/// The kernel for its types, and an operator that chooses the second argument where `second` says.
fn choice(ty: Ty, second: impl FnOnce(&mut Builder, &Atom, &Atom) -> Atom) -> (Kernel, Lambda) {
    let mut b = Builder::new("k");
    let f = b.lambda(&[ty.clone(), ty], |b, args| {
        let (x, y) = (args[0].clone(), args[1].clone());
        let c = second(b, &x, &y);
        b.if_(&c, |_| y.clone(), |_| x.clone())
    });
    (b.finish(0), f)
}

fn compare(b: &mut Builder, op: ScalarOp, x: &Atom, y: &Atom, k: usize) -> Atom {
    let (x, y) = (b.proj(x, k), b.proj(y, k));
    b.op(op, &[x, y])
}

#[test]
fn ties_choose_the_first_the_second_or_now_one_now_the_other() {
    let ties = |op| {
        let (_, f) = choice(element(), |b, x, y| compare(b, op, x, y, 0));
        Choice::of(&f).and_then(|choice| choice.ties())
    };
    assert_eq!(ties(ScalarOp::Lt), Some(Ties::First));
    assert_eq!(ties(ScalarOp::Gt), Some(Ties::First));
    assert_eq!(ties(ScalarOp::Le), Some(Ties::Second));
    assert_eq!(ties(ScalarOp::Ge), Some(Ties::Second));
    // Unequal numbers: the second in both orders. Equal ones: the first.
    assert_eq!(ties(ScalarOp::Ne), None);
}

#[test]
fn a_choice_that_compares_everything_commutes() {
    let pair = Ty::tuple(vec![float(), int()]);
    let lexicographic = |b: &mut Builder, x: &Atom, y: &Atom| {
        let (less, same) = (compare(b, ScalarOp::Gt, x, y, 0), compare(b, ScalarOp::Eq, x, y, 0));
        let place = compare(b, ScalarOp::Gt, x, y, 1);
        let tie = b.op(ScalarOp::And, &[same, place]);
        b.op(ScalarOp::Or, &[less, tie])
    };
    let (kernel, f) = choice(pair.clone(), lexicographic);
    assert!(f.is_commutative(&kernel));
    // A weight that is not compared differs between equal pairs.
    let (kernel, f) = choice(element(), lexicographic);
    assert!(!f.is_commutative(&kernel));
    // Of two equal numbers either is taken.
    let (kernel, f) = choice(pair, |b, x, y| compare(b, ScalarOp::Gt, x, y, 0));
    assert!(!f.is_commutative(&kernel));
}

#[test]
fn equal_floats_may_differ_in_their_sign() {
    let greater = |b: &mut Builder, x: &Atom, y: &Atom| b.op(ScalarOp::Gt, &[y.clone(), x.clone()]);
    let (kernel, f) = choice(float(), greater);
    assert!(!f.is_commutative(&kernel));
    let (kernel, f) = choice(int(), greater);
    assert!(f.is_commutative(&kernel));
}

#[test]
fn a_term_of_one_argument_is_compared_with_the_same_term_of_the_other() {
    let of = |first: ScalarOp, second: ScalarOp| {
        let (_, f) = choice(int(), |b, x, y| {
            let (x, y) = (b.op(first, std::slice::from_ref(x)), b.op(second, std::slice::from_ref(y)));
            b.op(ScalarOp::Lt, &[x, y])
        });
        Choice::of(&f).and_then(|choice| choice.ties())
    };
    assert_eq!(of(ScalarOp::Abs, ScalarOp::Abs), Some(Ties::First));
    assert_eq!(of(ScalarOp::Abs, ScalarOp::Neg), None);
}

#[test]
fn what_gives_neither_argument_is_no_choice() {
    let mut b = Builder::new("k");
    let mixed = b.lambda(&[element(), element()], |b, args| {
        let parts = [b.proj(&args[0], 0), b.proj(&args[1], 1), b.proj(&args[0], 2)];
        b.tuple(&parts)
    });
    let first = b.lambda(&[element(), element()], |_, args| args[0].clone());
    assert!(Choice::of(&mixed).is_none());
    assert!(Choice::of(&first).is_none());
}
