//! Replacing variables.

use super::*;

#[test]
fn what_becomes_one_is_still_added_up() {
    let n_and_one = v("N") + 1;
    assert_eq!(n_and_one.subst_var(&var("N"), &Size::one()), Size::nat(2));
    assert_eq!((v("N") * v("M") + 1).subst_var(&var("N"), &v("k").div_exact(&v("M"))), v("k") + 1);
}
