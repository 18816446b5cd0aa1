//! The rules of the normal form: both sides are the same size.

use super::*;

/// Both sides have one normal form, which prints as expected.
#[track_caller]
fn same(left: Size, right: Size) {
    assert_eq!(left, right);
}

#[test]
fn sums_and_products_are_compared_as_polynomials() {
    same(v("N") * 2 - v("N"), v("N"));
    same(v("N") + v("M") - v("M"), v("N"));
    same((v("N") + 1) * (v("N") - 1), v("N") * v("N") - 1);
    same((v("N") * 2).div_exact(&n(2)), v("N"));
}

#[test]
fn exact_division_cancels() {
    same(v("N").div_exact(&v("k")) * v("k"), v("N"));
    same(v("N").div_exact(&n(4)) * 4, v("N"));
    same((v("N") * v("N") - 1).div_exact(&(v("N") + 1)), v("N") - 1);
    same(v("M").div_exact(&(v("N") + 1)) * (v("N") + 1), v("M"));
    same(v("N").div_exact(&(v("N") + 1)) + n(1).div_exact(&(v("N") + 1)), n(1));
    same(v("M").div_exact(&(v("N") * 2 + 2)), v("M").div_exact(&(v("N") + 1)).div_exact(&n(2)));
    same(v("N").div_exact(&v("k")).div_exact(&v("M")), v("N").div_exact(&(v("k") * v("M"))));
}

#[test]
fn rule_2_multiples_of_the_divisor_come_out() {
    let i = v("i") * v("N") + v("M");
    same(i.div_floor(&v("N")), v("i") + v("M").div_floor(&v("N")));
    same(i.rem(&v("N")), v("M").rem(&v("N")));
    same((v("N") * 7 + v("M")).div_floor(&n(3)), v("N") * 2 + (v("N") + v("M")).div_floor(&n(3)));
}

#[test]
fn rule_3_quotient_and_remainder_make_the_whole() {
    for b in [n(4), v("k"), v("k") + 1] {
        same(v("N").div_floor(&b) * &b + v("N").rem(&b), v("N"));
    }
}

#[test]
fn rule_4_nested_quotients_and_remainders() {
    let (x, a, b) = (v("N"), v("M"), v("k"));
    let ab = &a * &b;
    same(x.div_floor(&a).div_floor(&b), x.div_floor(&ab));
    same(x.rem(&ab).div_floor(&a), x.div_floor(&a).rem(&b));
    same(x.rem(&ab).rem(&a), x.rem(&a));
    same(x.div_floor(&n(3)).div_floor(&n(5)), x.div_floor(&n(15)));
    same(x.rem(&n(12)).rem(&n(4)), x.rem(&n(4)));
}

#[test]
fn rule_5_common_factors_cancel() {
    let (g, a, b) = (v("N"), v("M"), v("k"));
    same((&g * &a).div_floor(&(&g * &b)), a.div_floor(&b));
    same((&g * &a).rem(&(&g * &b)), &g * &a.rem(&b));
    same((&a * 6).div_floor(&n(4)), (&a * 3).div_floor(&n(2)));
    same((&a * 4 + 3).div_floor(&n(2)), &a * 2 + 1);
}

#[test]
fn rule_8_strides_compose() {
    let (start, step, k, inner) = (v("i"), v("N"), v("j"), v("k"));
    let outer = &start + &step * &k;
    same(&outer + &step * &inner, &start + &step * (&k + &inner));
}

#[test]
fn a_fraction_under_a_floor_goes_to_the_divisor() {
    same(v("N").div_exact(&n(2)).div_floor(&n(3)), v("N").div_floor(&n(6)));
    same(v("N").div_exact(&v("k")).div_floor(&v("M")), v("N").div_floor(&(v("k") * v("M"))));
    same((v("N").div_exact(&n(2)) + n(1)).div_floor(&n(3)), (v("N") + 2).div_floor(&n(6)));
}

#[test]
fn minimum_and_maximum_do_not_depend_on_how_they_are_written() {
    let (a, b, c) = (v("N"), v("M"), v("k"));
    same(Size::min(&a, &b), Size::min(&b, &a));
    same(Size::min(&a, &b) + Size::max(&a, &b), &a + &b);
    same(Size::min(&(&a + 3), &(&b + 3)), Size::min(&a, &b) + 3);
    same(Size::min(&(&a + &c), &(&b + &c)), Size::min(&a, &b) + &c);
    same(Size::max(&(&a * 2), &(&b * 2)), Size::max(&a, &b) * 2);
    same(Size::max(&(&a * &c), &(&b * &c)), Size::max(&a, &b) * &c);
    same(Size::max(&Size::max(&a, &b), &c), Size::max(&a, &Size::max(&b, &c)));
    same(Size::max(&Size::max(&a, &b), &a), Size::max(&a, &b));
    same(Size::min(&a, &(&a + &b)), a.clone());
    same(Size::max(&a, &n(0)), a.clone());
    same(-Size::max(&-&a, &-&b), Size::min(&a, &b));
}

#[test]
fn conditions_that_say_the_same_are_the_same() {
    let (a, b, t, e) = (v("N"), v("M"), v("k"), v("X1"));
    // N <= M holds exactly where M < N, that is M+1 <= N, does not.
    same(Size::if_le(&a, &b, &t, &e), Size::if_le(&(&b + 1), &a, &e, &t));
    same(Size::if_le(&(&a * 2), &(&b * 2 + 1), &t, &e), Size::if_le(&a, &b, &t, &e));
    same(Size::if_le(&n(0), &a, &t, &e), t.clone());
    same(Size::if_le(&(&a + 1), &n(0), &t, &e), e.clone());
    let twice = Size::if_le(&a, &b, &Size::if_le(&a, &b, &t, &e), &e);
    same(twice, Size::if_le(&a, &b, &t, &e));
}

#[test]
fn powers_multiply_by_adding_exponents() {
    let (k, m) = (v("k"), v("M"));
    same(n(2).pow(&(&k + 3)), n(2).pow(&k) * 8);
    same(n(2).pow(&k) * n(3).pow(&k), n(6).pow(&k));
    same(n(4).pow(&k), n(2).pow(&(&k * 2)));
    same(n(2).pow(&k) * n(2).pow(&m), n(2).pow(&(&k + &m)));
    same((v("N") * v("M")).pow(&k), v("N").pow(&k) * v("M").pow(&k));
    same(v("N").pow(&n(2)), v("N") * v("N"));
    same(n(2).pow(&k).div_exact(&n(2)), n(2).pow(&(&k - 1)));
    let root = n(2).pow(&v("N").div_exact(&n(2)));
    same(&root * &root, n(2).pow(&v("N")));
    same(n(1).pow(&k), n(1));
    same(k.pow(&n(0)), n(1));
}

#[test]
fn constants_are_computed() {
    same(n(7).div_floor(&n(2)), n(3));
    same(n(-7).div_floor(&n(2)), n(-4));
    same(n(-7).rem(&n(2)), n(1));
    same(n(7).div_ceil(&n(2)), n(4));
    same(n(2).pow(&n(10)), n(1024));
    assert_eq!(n(3).as_const(), Some(3));
    assert_eq!(v("N").as_const(), None);
    assert_eq!(v("N").as_var(), Some(&var("N")));
    assert_eq!((v("N") * 2).as_var(), None);
    same(n(1).rem(&n(1)), n(0));
}

#[test]
fn summands_and_linear_parts() {
    let size = (v("N") * v("M") * 3 - v("k")).div_exact(&n(2)) + 5;
    let parts: Vec<String> = size
        .summands()
        .iter()
        .map(|part| format!("{}/{} {}", part.numerator, part.denominator, part.monomial))
        .collect();
    assert_eq!(parts, ["3/2 M*N", "-1/2 k", "5/1 1"]);
    let (factor, rest) = size.linear_in(&var("N")).unwrap();
    assert_eq!((factor.to_string(), rest.to_string()), ("3*M/2".into(), "5-k/2".into()));
    assert!((v("N") * v("N")).linear_in(&var("N")).is_none());
    assert!(v("N").rem(&n(2)).linear_in(&var("N")).is_none());
}

#[test]
fn evaluation_says_what_is_wrong() {
    let at = |size: &Size, value| size.eval(&env(&[("N", value)]));
    assert_eq!(at(&(v("N") - 3), 5), Ok(2));
    assert_eq!(at(&(v("N") - 3), 1), Err(EvalError::Negative));
    assert_eq!((v("N") - 3).eval_int(&env(&[("N", 1)])), Ok(-2));
    assert_eq!(at(&v("N").div_exact(&n(2)), 3), Err(EvalError::NotIntegral));
    assert_eq!(at(&n(4).div_exact(&v("N")), 0), Err(EvalError::DivisionByZero));
    assert_eq!(at(&n(4).div_floor(&v("N")), 0), Err(EvalError::DivisionByZero));
    assert_eq!(at(&v("N").div_floor(&n(0)), 1), Err(EvalError::DivisionByZero));
    assert_eq!(at(&v("N").div_exact(&n(0)), 1), Err(EvalError::DivisionByZero));
    assert_eq!(at(&n(2).pow(&v("N")), 62), Ok(1 << 62));
    assert_eq!(at(&n(2).pow(&v("N")), 64), Err(EvalError::Overflow));
    assert_eq!(at(&v("M"), 0), Err(EvalError::Unbound(var("M"))));
    assert_eq!(at(&v("N").pow(&v("N")), 0), Ok(1));
}

#[test]
fn a_power_has_its_exponent() {
    let k = v("K");
    let exponent = |size: &Size, base| size.exponent_of(base).map(|e| e.to_string());
    assert_eq!(exponent(&n(2).pow(&k), 2).as_deref(), Some("K"));
    assert_eq!(exponent(&(n(2).pow(&(&k * 3)) * 4), 2).as_deref(), Some("3*K+2"));
    assert_eq!(exponent(&n(81), 3).as_deref(), Some("4"));
    assert_eq!(exponent(&n(1), 3).as_deref(), Some("0"));
    for (size, base) in
        [(n(0), 2), (n(6), 2), (n(-8), 2), (n(6).pow(&k), 2), (k.clone(), 2), (n(2).pow(&k) + 1, 2), (n(16), 4)]
    {
        assert_eq!(exponent(&size, base), None, "{size}");
    }
}
