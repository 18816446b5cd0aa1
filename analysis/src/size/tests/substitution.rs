//! Substitution of variables.

use super::*;

#[test]
fn what_becomes_one_is_still_added_up() {
    let n_and_one = v("N") + 1;
    assert_eq!(n_and_one.subst_var(&var("N"), &Size::one()), Size::nat(2));
    assert_eq!((v("N") * v("M") + 1).subst_var(&var("N"), &v("k").div_exact(&v("M"))), v("k") + 1);
}

#[test]
fn what_is_divided_by_is_positive_whatever_it_is_made_of() {
    // With `i = -1` the quotient is 20.
    let quotient = v("N").div_exact(&v("i").neg());
    let at = |v: &Var| Some(if *v.name == *"i" { -1 } else { 20 });
    assert_eq!(quotient.eval_int(&at), Ok(20));
    assert_eq!(Size::min(&quotient, &Size::zero()).eval_int(&at), Ok(0));
}
