//! Properties of all values and all texts.

use super::*;
use proptest::prelude::*;

fn scalars() -> impl Strategy<Value = Scalar> {
    prop::sample::select(Scalar::all().collect::<Vec<_>>())
}

/// Types that text can represent, with constant lengths.
fn types() -> impl Strategy<Value = Ty> {
    let element = prop_oneof![
        4 => scalars().prop_map(Ty::scalar),
        1 => prop::collection::vec(scalars(), 2..4).prop_map(|s| Ty::tuple(s.into_iter().map(Ty::scalar).collect())),
        1 => prop::sample::select(vec![2u64, 3, 4]).prop_map(vec_ty),
    ];
    (element, prop::collection::vec(1u64..5, 0..4))
        .prop_map(|(element, dims)| dims.into_iter().fold(element, |ty, n| Ty::array(ty, Size::nat(n))))
}

/// Replaces floats by bit patterns of all kinds, derived from a seed.
fn odd_floats(value: &mut Value, seed: &mut u64) {
    let mut next = || {
        *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        *seed
    };
    // No NaN, because it would not equal itself after reading back.
    match value {
        Value::Float(x) => *x = Some(f32::from_bits((next() >> 32) as u32)).filter(|x| !x.is_nan()).unwrap_or(*x),
        Value::Double(x) => *x = Some(f64::from_bits(next())).filter(|x| !x.is_nan()).unwrap_or(*x),
        Value::Array(ArrayValue::Float(v)) => v.iter_mut().for_each(|x| {
            *x = Some(f32::from_bits((next() >> 32) as u32)).filter(|x| !x.is_nan()).unwrap_or(*x);
        }),
        Value::Array(ArrayValue::Double(v)) => v.iter_mut().for_each(|x| {
            *x = Some(f64::from_bits(next())).filter(|x| !x.is_nan()).unwrap_or(*x);
        }),
        Value::Array(ArrayValue::Values(v)) | Value::Tuple(v) | Value::Vec(v) => {
            v.iter_mut().for_each(|v| odd_floats(v, seed));
        }
        _ => {}
    }
}

fn made(ty: &Ty, mut seed: u64) -> Value {
    let mut value = generate(Generator::Random { seed }, ty, &|_| None).expect("lengths are constant");
    odd_floats(&mut value, &mut seed);
    value
}

/// A value as a literal.
fn written(value: &Value) -> String {
    let list = |parts: &[Value]| parts.iter().map(written).collect::<Vec<_>>().join(", ");
    match value {
        Value::Array(a) => format!("[{}]", list(&(0..a.len()).filter_map(|i| a.get(i)).collect::<Vec<_>>())),
        Value::Vec(parts) => format!("[{}]", list(parts)),
        Value::Tuple(parts) => format!("({})", list(parts)),
        scalar => match scalar.number().map(Literal::from) {
            Some(Literal::Float(_)) | None => scalar.to_string(),
            Some(literal) => literal.to_string(),
        },
    }
}

proptest! {
    #[test]
    fn every_value_reads_back_from_its_text(ty in types(), seed: u64) {
        let value = made(&ty, seed);
        prop_assert_eq!(text::parse(&ty, &print::to_text(&value)), Ok(value));
    }

    #[test]
    fn every_value_reads_back_from_its_literal(ty in types(), seed: u64) {
        let value = made(&ty, seed);
        prop_assert_eq!(literal::parse(&ty, &written(&value)), Ok(value));
    }

    #[test]
    fn every_regular_value_reads_back_from_its_flat_form(ty in types(), seed: u64) {
        let value = made(&ty, seed);
        if let Ok(flat) = flat::flat_from_value(&ty, &value) {
            prop_assert_eq!(flat::value_from_flat(&ty, flat), Ok(value));
        }
    }

    #[test]
    fn no_text_is_too_strange_to_be_refused(ty in types(), input in "[-0-9.,eLf\\[\\]() \\n;é]{0,40}|\\PC{0,40}") {
        // The parser returns, and an error is located in the text.
        for (result, lines) in [(text::parse(&ty, &input), input.lines().count()), (literal::parse(&ty, &input), 1)] {
            if let Err(InputError { at: Some((line, column)), .. }) = result {
                prop_assert!(line >= 1 && line <= lines.max(1) && column >= 1 && column <= input.chars().count() + 1);
            }
        }
        let _ = InputSource::parse(&input);
    }
}
