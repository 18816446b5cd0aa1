//! Edge cases of arithmetic.

use super::*;
use expect_test::expect;
use lift_analysis::hir::Scalar;

fn of(op: ScalarOp, operands: &[Atom]) -> String {
    closed(|b| b.op(op, operands))
}

#[test]
fn integers_wrap() {
    assert_eq!(of(ScalarOp::Add, &[i32::MAX.into(), 1.into()]), "-2147483648");
    assert_eq!(of(ScalarOp::Sub, &[i64::MIN.into(), 1i64.into()]), "9223372036854775807");
    assert_eq!(of(ScalarOp::Mul, &[65536.into(), 65537.into()]), "65536");
    assert_eq!(of(ScalarOp::Neg, &[i32::MIN.into()]), "-2147483648");
    assert_eq!(of(ScalarOp::Abs, &[i32::MIN.into()]), "-2147483648");
    assert_eq!(of(ScalarOp::Div, &[i32::MIN.into(), (-1).into()]), "-2147483648");
    assert_eq!(of(ScalarOp::Mod, &[i32::MIN.into(), (-1).into()]), "0");
}

#[test]
fn division_truncates_and_the_remainder_has_the_sign_of_the_dividend() {
    assert_eq!(of(ScalarOp::Div, &[(-7).into(), 2.into()]), "-3");
    assert_eq!(of(ScalarOp::Div, &[7.into(), (-2).into()]), "-3");
    assert_eq!(of(ScalarOp::Mod, &[(-7).into(), 2.into()]), "-1");
    assert_eq!(of(ScalarOp::Mod, &[7.into(), (-2).into()]), "1");
    assert_eq!(of(ScalarOp::Mod, &[(-7i64).into(), 3i64.into()]), "-1");
}

#[test]
fn division_by_zero_stops_the_run_for_integers_only() {
    expect!["error: division by zero"].assert_eq(&of(ScalarOp::Div, &[1.into(), 0.into()]));
    expect!["error: remainder of a division by zero"].assert_eq(&of(ScalarOp::Mod, &[1i64.into(), 0i64.into()]));
    assert_eq!(of(ScalarOp::Div, &[1.0f32.into(), 0.0f32.into()]), "inf");
    assert_eq!(of(ScalarOp::Div, &[0.0f64.into(), 0.0f64.into()]), "NaN");
}

#[test]
fn a_shift_looks_at_the_lowest_bits_of_its_count_and_keeps_the_sign() {
    assert_eq!(of(ScalarOp::Shl, &[1.into(), 33.into()]), "2");
    assert_eq!(of(ScalarOp::Shl, &[1.into(), (-1).into()]), "-2147483648");
    assert_eq!(of(ScalarOp::Shr, &[(-8).into(), 1.into()]), "-4");
    assert_eq!(of(ScalarOp::Shl, &[1i64.into(), 33i64.into()]), "8589934592");
    assert_eq!(of(ScalarOp::Shr, &[1i64.into(), 64i64.into()]), "1");
}

#[test]
fn conversions_truncate_and_saturate() {
    assert_eq!(of(ScalarOp::To(Scalar::Int), &[2.9f32.into()]), "2");
    assert_eq!(of(ScalarOp::To(Scalar::Int), &[(-2.9f64).into()]), "-2");
    assert_eq!(of(ScalarOp::To(Scalar::Int), &[3e9f32.into()]), "2147483647");
    assert_eq!(of(ScalarOp::To(Scalar::Int), &[f32::NEG_INFINITY.into()]), "-2147483648");
    assert_eq!(of(ScalarOp::To(Scalar::Int), &[f32::NAN.into()]), "0");
    assert_eq!(of(ScalarOp::To(Scalar::Long), &[f64::NAN.into()]), "0");
    assert_eq!(of(ScalarOp::To(Scalar::Long), &[1e30f64.into()]), "9223372036854775807");
    assert_eq!(of(ScalarOp::To(Scalar::Int), &[4294967298i64.into()]), "2");
    assert_eq!(of(ScalarOp::To(Scalar::Float), &[16777217.into()]), "16777216.0");
    assert_eq!(of(ScalarOp::To(Scalar::Float), &[16777219.into()]), "16777220.0");
    assert_eq!(of(ScalarOp::To(Scalar::Float), &[1e300f64.into()]), "inf");
    assert_eq!(of(ScalarOp::To(Scalar::Double), &[0.1f32.into()]), "0.10000000149011612");
}

#[test]
fn the_minimum_of_a_number_and_nan_is_the_number() {
    assert_eq!(of(ScalarOp::Min, &[f32::NAN.into(), 1.0f32.into()]), "1.0");
    assert_eq!(of(ScalarOp::Max, &[1.0f64.into(), f64::NAN.into()]), "1.0");
    assert_eq!(of(ScalarOp::Min, &[(-1).into(), 2.into()]), "-1");
    assert_eq!(of(ScalarOp::Max, &[f32::NAN.into(), f32::NAN.into()]), "NaN");
}

#[test]
fn comparisons_with_nan_are_false_but_for_unequal() {
    for op in [ScalarOp::Lt, ScalarOp::Gt, ScalarOp::Le, ScalarOp::Ge, ScalarOp::Eq] {
        assert_eq!(of(op, &[f32::NAN.into(), f32::NAN.into()]), "false", "{op:?}");
    }
    assert_eq!(of(ScalarOp::Ne, &[f32::NAN.into(), f32::NAN.into()]), "true");
}

#[test]
fn every_function_of_floating_point_numbers() {
    let at = |op| format!("{} {}", of(op, &[0.25f32.into()]), of(op, &[0.25f64.into()]));
    expect!["0.5 0.5"].assert_eq(&at(ScalarOp::Sqrt));
    expect!["1.2840254 1.2840254166877414"].assert_eq(&at(ScalarOp::Exp));
    expect!["-1.3862944 -1.3862943611198906"].assert_eq(&at(ScalarOp::Log));
    expect!["0.24740396 0.24740395925452294"].assert_eq(&at(ScalarOp::Sin));
    expect!["0.9689124 0.9689124217106447"].assert_eq(&at(ScalarOp::Cos));
    expect!["0.25534192 0.25534192122103627"].assert_eq(&at(ScalarOp::Tan));
    expect!["0.0 0.0"].assert_eq(&at(ScalarOp::Floor));
    expect!["1.0 1.0"].assert_eq(&at(ScalarOp::Ceil));
    expect!["0.25268024 0.25268025514207865"].assert_eq(&at(ScalarOp::Asin));
    expect!["1.3181161 1.318116071652818"].assert_eq(&at(ScalarOp::Acos));
    expect!["0.24497867 0.24497866312686414"].assert_eq(&at(ScalarOp::Atan));
    expect!["0.25261232 0.2526123168081683"].assert_eq(&at(ScalarOp::Sinh));
    expect!["1.0314131 1.0314130998795732"].assert_eq(&at(ScalarOp::Cosh));
    expect!["0.24746647 0.24746646154726346"].assert_eq(&at(ScalarOp::Asinh));
    expect!["NaN NaN"].assert_eq(&at(ScalarOp::Acosh));
    expect!["0.25541282 0.25541281188299536"].assert_eq(&at(ScalarOp::Atanh));
    assert_eq!(of(ScalarOp::Pow, &[2.0f32.into(), 10.0f32.into()]), "1024.0");
    assert_eq!(of(ScalarOp::Floor, &[(-0.5f32).into()]), "-1.0");
}

#[test]
fn bits_and_booleans() {
    assert_eq!(of(ScalarOp::BitAnd, &[12.into(), 10.into()]), "8");
    assert_eq!(of(ScalarOp::BitOr, &[12.into(), 10.into()]), "14");
    assert_eq!(of(ScalarOp::BitXor, &[12i64.into(), 10i64.into()]), "6");
    assert_eq!(of(ScalarOp::And, &[true.into(), false.into()]), "false");
    assert_eq!(of(ScalarOp::Or, &[true.into(), false.into()]), "true");
    assert_eq!(of(ScalarOp::Not, &[true.into()]), "false");
    assert_eq!(of(ScalarOp::Eq, &[true.into(), true.into()]), "true");
}

#[test]
fn only_the_branch_that_is_taken_is_evaluated() {
    let result = on_ints([0, 4], |b, xs| {
        b.map(Level::Auto, xs, |b, x| {
            let zero = b.eq(x, 0);
            let x = x.clone();
            b.if_(&zero, |_| (-1).into(), |b| b.div(100, &x))
        })
    });
    assert_eq!(result, "[-1, 25]");
}

#[test]
fn a_size_is_an_int() {
    let mut b = Builder::new("test");
    let n = b.size("N");
    b.param("xs", array(float(), &(&n * 2i64)));
    let r = b.add(&n, 1);
    assert_eq!(run_on(&b.finish(&r), vec![Value::from(vec![0.0f32; 6])]), "4");
}
