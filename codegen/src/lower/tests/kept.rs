//! `filter` on CPUs: kept elements of types with a helper are compacted several at a time, and few elements are not
//! counted first.

use super::agree;
use crate::core::builder::*;
use crate::core::simplify::simplify;
use crate::lower::compile;
use crate::target::Target;
use crate::value::{ArrayValue, Value};
use lift_analysis::ty::Ty;

/// Lengths around the number compacted together, the number tested at a time, and the limit for one work-item.
const LENGTHS: [usize; 13] = [0, 1, 15, 16, 17, 255, 256, 257, 1025, 16_384, 16_385, 16_401, 20_011];

/// Filters an array by a limit; each kept element is paired with one of an array of another type.
fn kept_beside(other: Ty, others: impl Fn(usize) -> Value, texts: &[&str]) {
    let mut b = Builder::new("kept");
    let n = b.size("N");
    let (limit, xs, ys) = (b.param("limit", int()), b.param("xs", array(int(), &n)), b.param("ys", array(other, &n)));
    let both = b.zip(&[xs, ys]);
    let kept = b.filter(Level::Auto, &both, |b, p| {
        let x = b.proj(p, 0);
        b.lt(x, limit.clone())
    });
    let (lens, kept) = b.unpack(&kept);
    let kept = b.map(Level::Auto, &kept, |b, p| {
        let (x, y) = (b.proj(p, 0), b.proj(p, 1));
        let next = b.add(x, 1);
        b.tuple(&[next, y])
    });
    let result = b.pack(&kept, &lens);
    let kernel = simplify(b.finish(&result));
    let program = compile(&kernel, &Target::cpu()).expect("it compiles");
    for text in texts {
        assert!(program.opencl.text.contains(text), "no {text} in {}", program.opencl.text);
    }
    // None, one in a hundred, half, nearly all, and all.
    for limit in [0, 1, 50, 99, 100] {
        for n in LENGTHS {
            let xs = Value::Array(ArrayValue::Int((0..n).map(|i| ((i * 37 + i / 100 + 11) % 100) as i32).collect()));
            if let Err(problem) = agree(&kernel, &program, &[Value::Int(limit), xs, others(n)]) {
                panic!("{n} elements, less than {limit}: {}", problem.chars().take(3000).collect::<String>());
            }
        }
    }
}

#[test]
fn scalars_of_32_bits_are_moved_by_sixteen() {
    let floats = |n| Value::Array(ArrayValue::Float((0..n).map(|i| i as f32 / 8.0).collect()));
    kept_beside(float(), floats, &["lift_pack_int(result_1 + at", "lift_pack_float(result_2 + at"]);
}

#[test]
fn scalars_of_64_bits_are_moved_by_twice_eight() {
    let longs = |n| Value::Array(ArrayValue::Long((0..n as i64).map(|i| i << 33).collect()));
    kept_beside(long(), longs, &["lift_pack_int(", "lift_pack_long("]);
    if crate::testing::device().info.doubles {
        let doubles = |n| Value::Array(ArrayValue::Double((0..n).map(|i| i as f64 / 1e9).collect()));
        kept_beside(double(), doubles, &["lift_pack_double("]);
    }
}

#[test]
fn other_elements_are_moved_one_after_the_other() {
    let truths = |n| Value::Array(ArrayValue::Bool((0..n).map(|i| i % 3 == 0).collect()));
    kept_beside(boolean(), truths, &["t_counts"]);
}

/// If the number of elements is known, only the launches for that number exist.
#[test]
fn few_elements_are_not_counted() {
    let launches = |n: i64| {
        let mut b = Builder::new("kept");
        let xs = b.param("xs", array(float(), &lift_analysis::size::Size::int(n)));
        let kept = b.filter(Level::Auto, &xs, |b, x| b.gt(x, 0.5f32));
        let program = compile(&b.finish(&kept), &Target::cpu()).expect("it compiles");
        program.plan.steps.len()
    };
    assert_eq!([launches(16_384), launches(16_385)], [1, 2]);
}
