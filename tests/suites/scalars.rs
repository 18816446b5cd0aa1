//! Every scalar type in the operations whose generated code depends on the type: the device for `nvidia` and the
//! interpreter agree, with the least and the greatest numbers among the elements.

use libtest_mimic::{Arguments as Options, Trial};
use lift_analysis::scalar::{Scalar, ScalarKind};
use lift_codegen::number::Number;
use lift_codegen::sizes::SizeValues;
use lift_codegen::target::Target;
use lift_codegen::value::{ArrayValue, Value};
use lift_tests::check::Program;
use lift_tests::kernels::{Arguments, close, compiled_for, on_device, on_interpreter, unoptimized_device};
use std::path::Path;

/// Longer than an array that is merge-sorted.
const LENGTH: usize = 300;

fn main() {
    let trial = |scalar: Scalar| Trial::test(scalar.name(), move || test(scalar).map_err(Into::into));
    libtest_mimic::run(&Options::from_args(), Scalar::all().map(trial).collect()).exit();
}

/// A kernel with an array of this type: `map`, `reduce`, `scan`, `sort`, `filter`, `scatter` and `reduceByKey` of it.
fn program(scalar: Scalar) -> String {
    let number = |n: i128| scalar.written(n).unwrap_or_default();
    let [zero, one, three, five] = [0, 1, 3, 5].map(number);
    let conversions = Scalar::all().filter_map(Scalar::conversion).map(|name| format!("({name} x)"));
    let conversions = conversions.collect::<Vec<_>>().join(" ");
    let ordered = format!("(tuple (< x {three}) (<= x {three}) (= x {five}) (min x {five}) (max x {five}))");
    let (mapped, keeps, before, combine, neutral) = match scalar.kind() {
        ScalarKind::Signed | ScalarKind::Unsigned => (
            format!(
                "(tuple (tuple {conversions}) {ordered} \
                 (tuple (+ x {five}) (- x {five}) (* x (* x {five})) (/ x {three}) (mod x {three}) (neg x) (abs x)) \
                 (tuple (/ {five} (bitor x {one})) (mod {five} (bitor x {one})) (bitand x {five}) (bitxor x {five})) \
                 (tuple (shl x {three}) (shr x {three}) (ushr x {three}) (shl {one} x) (popcount x) (clz x)))"
            ),
            format!("(> x {three})"),
            "<",
            "+",
            zero,
        ),
        ScalarKind::Floating => (
            format!(
                "(tuple (tuple {conversions}) {ordered} (tuple (+ x {five}) (* x {three}) (neg x) (abs x) (floor x)))"
            ),
            format!("(> x {three})"),
            "<",
            "max",
            zero,
        ),
        ScalarKind::Truth => (
            "(tuple (not x) (and x (not x)) (= x true))".to_owned(),
            "x".to_owned(),
            "(lambda (a b) (and b (not a)))",
            "or",
            "false".to_owned(),
        ),
    };
    format!(
        "(lift k (N) ((array-type {} N)) (lambda (xs) (tuple \
         (map (lambda (x) {mapped}) xs) (reduce {neutral} {combine} xs) (scan {neutral} {combine} xs) \
         (sort {before} xs) (filter (lambda (x) {keeps}) xs) (scatter (lambda (i) (- (- N 1) i)) xs) \
         (reduceByKey #4 {neutral} {combine} (map (lambda (i) (mod i 4)) (iota #N)) xs))))\n",
        scalar.spelling()
    )
}

/// The least and the greatest number, those beside 0, and others.
fn elements(scalar: Scalar) -> Result<ArrayValue, String> {
    let mut array = ArrayValue::empty(scalar, LENGTH);
    for i in 0..LENGTH {
        let mixed = (i as i64 * 7919 + 3).wrapping_mul(0x9e37_79b9_7f4a_7c15_u64 as i64);
        let number = match (scalar.range(), i % 6) {
            (Some((least, _)), 0) => lift_analysis::hir::Literal::of_integer(scalar, least).map(Number::from),
            (Some((_, most)), 1) => lift_analysis::hir::Literal::of_integer(scalar, most).map(Number::from),
            (Some(_), 2) => Number::Long(i as i64 % 5 - 2).converted(scalar),
            (Some(_), _) => Number::Long(mixed >> (i % 50)).converted(scalar),
            (None, 0) if scalar.is_floating() => Number::Double(1e10 * (i as f64 - 150.0)).converted(scalar),
            (None, _) if scalar.is_floating() => Number::Double((mixed >> 44) as f64 / 8.0).converted(scalar),
            (None, _) => Some(Number::Bool(mixed % 3 == 0)),
        };
        if !number.is_some_and(|number| array.push_number(number)) {
            return Err(format!("element {i} is not a {scalar}"));
        }
    }
    Ok(array)
}

fn test(scalar: Scalar) -> Result<(), String> {
    let text = program(scalar);
    let program = Program::new(Path::new("."), "scalars.lift", &text);
    if !program.is_well_typed() {
        return Err(format!("{text}{}", program.outcome()));
    }
    let kernels = program.kernels();
    let core = kernels.first().ok_or("no kernel")?.core.as_ref().map_err(Clone::clone)?;
    let mut sizes = SizeValues::default();
    for size in &core.sizes {
        sizes.insert(size.clone(), LENGTH as i64);
    }
    let arguments = Arguments { values: vec![Value::Array(elements(scalar)?)], sizes };
    let expected = on_interpreter(core, &arguments)?;
    let compiled = compiled_for(core, &Target::nvidia())?;
    let result = on_device(&compiled, &arguments, unoptimized_device())?;
    let (Value::Tuple(expected), Value::Tuple(result)) = (expected, result) else { return Err("no tuple".into()) };
    let names = ["map", "reduce", "scan", "sort", "filter", "scatter", "reduceByKey"];
    for (name, (expected, result)) in names.iter().zip(expected.iter().zip(&result)) {
        if !close(expected, result) {
            return Err(format!("{name}:\n{expected}\n{result}"));
        }
    }
    Ok(())
}
