//! Streaming kernels for every target, on the available device, whose groups must keep the promises used.

use super::{agree, floats, ints};
use crate::core::builder::*;
use crate::core::simplify::simplify;
use crate::core::{Kernel, Level, Prim, ScalarOp};
use crate::lower::compile;
use crate::run::Resident;
use crate::run::device::{HostData, Session};
use crate::target::{Class, Target};
use crate::value::{ArrayValue, Value};
use lift_analysis::hir::Scalar;
use lift_analysis::ty::Ty;

/// None, few, as many elements as a tile, one more, several tiles.
const LENGTHS: &[usize] = &[0, 1, 130, 4096, 4097, 13_000];
/// For devices with few work-items per group.
const SHORT: &[usize] = &[2, 300];

pub fn targets() -> Vec<(&'static str, Target, &'static [usize])> {
    let few = |target: Target, n: u32| Target { group: target.group.min(n), most_in_group: n, ..target };
    vec![
        ("gpu", Target::gpu(), LENGTHS),
        ("nvidia", Target::nvidia(), LENGTHS),
        ("cpu", Target::cpu(), LENGTHS),
        ("gpu, 64 items", few(Target::gpu(), 64), SHORT),
        ("portable, 64 items", few(Target::portable(), 64), SHORT),
        ("nvidia, 48 items", few(Target::nvidia(), 48), SHORT),
        ("nvidia, 1 item", few(Target::nvidia(), 1), SHORT),
        ("portable, 1 item", few(Target::portable(), 1), SHORT),
    ]
}

fn agrees_everywhere(kernel: &Kernel, inputs: impl Fn(usize) -> Vec<Value>) {
    let kernel = simplify(kernel.clone());
    for (name, target, lengths) in targets() {
        let program = match compile(&kernel, &target) {
            Ok(program) => program,
            Err(errors) => panic!("{name}: {} does not compile: {}", kernel.name, errors[0]),
        };
        for n in lengths {
            if let Err(problem) = agree(&kernel, &program, &inputs(*n)) {
                let problem: String = problem.chars().take(3000).collect();
                panic!("{name}, {n} elements: {problem}");
            }
        }
    }
}

fn special(n: usize) -> Value {
    let values = [1.5, f32::NAN, f32::INFINITY, -0.0, f32::NEG_INFINITY, 0.75, -2.0];
    Value::Array(ArrayValue::Float((0..n).map(|i| values[(i * 5 + 3) % values.len()]).collect()))
}

#[test]
fn maps() {
    let mut b = Builder::new("squares backwards, with their places");
    let n = b.size("N");
    let xs = b.param("xs", array(float(), &n));
    let back = b.view(Prim::Reverse, &[], &[xs.clone()]);
    let both = b.zip(&[back, xs]);
    let ys = b.map(Level::Auto, &both, |b, t| {
        let (x, y) = (b.proj(t, 0), b.proj(t, 1));
        let z = b.mul(&x, &x);
        let w = b.add(&z, &y);
        b.tuple(&[w, y])
    });
    agrees_everywhere(&b.finish(&ys), |n| vec![floats(n)]);
}

#[test]
fn filters_and_maps_of_them() {
    for fused in [true, false] {
        let mut b = Builder::new("above one half");
        let n = b.size("N");
        let xs = b.param("xs", array(float(), &n));
        let kept = b.filter(Level::Auto, &xs, |b, x| b.gt(x, 0.5f32));
        let result = if fused {
            let (lens, ys) = b.unpack(&kept);
            let zs = b.map(Level::Auto, &ys, |b, x| b.mul(x, 2.0f32));
            b.pack(&zs, &lens)
        } else {
            kept
        };
        let kernel = b.finish(&result);
        agrees_everywhere(&kernel, |n| vec![floats(n)]);
        if fused {
            agrees_everywhere(&kernel, |n| vec![special(n)]);
            // All elements are kept, and none.
            agrees_everywhere(&kernel, |n| vec![Value::Array(ArrayValue::Float(vec![0.75; n]))]);
            agrees_everywhere(&kernel, |n| vec![Value::Array(ArrayValue::Float(vec![0.25; n]))]);
        }
    }
}

#[test]
fn filters_of_filters_of_tuples() {
    let mut b = Builder::new("pairs");
    let n = b.size("N");
    let (xs, ys) = (b.param("xs", array(float(), &n)), b.param("ys", array(int(), &n)));
    let both = b.zip(&[xs, ys]);
    let some = b.filter(Level::Auto, &both, |b, t| {
        let x = b.proj(t, 0);
        b.gt(&x, 0.25f32)
    });
    let (_, some) = b.unpack(&some);
    let fewer = b.filter(Level::Auto, &some, |b, t| {
        let y = b.proj(t, 1);
        b.lt(&y, 20)
    });
    let (lens, fewer) = b.unpack(&fewer);
    let changed = b.map(Level::Auto, &fewer, |b, t| {
        let (x, y) = (b.proj(t, 0), b.proj(t, 1));
        let z = b.add(&y, 1);
        b.tuple(&[z, x])
    });
    let result = b.pack(&changed, &lens);
    agrees_everywhere(&b.finish(&result), |n| vec![floats(n), ints(n)]);
}

/// Associative but not commutative: returns the last element other than zero.
fn last_of(b: &mut Builder, x: &Atom, y: &Atom) -> Atom {
    let zero = b.op(ScalarOp::Eq, &[y.clone(), 0.into()]);
    let (x, y) = (x.clone(), y.clone());
    b.if_(&zero, |_| x, |_| y)
}

fn some_zeros(n: usize) -> Value {
    Value::Array(ArrayValue::Int((0..n).map(|i| if i % 5 == 0 { 0 } else { i as i32 * 7 - 300 }).collect()))
}

#[test]
fn scans() {
    for inclusive in [true, false] {
        let scanned = |b: &mut Builder, z: Atom, xs: &Atom, f: &dyn Fn(&mut Builder, &Atom, &Atom) -> Atom| {
            let prim = if inclusive { Prim::Scan(Level::Auto) } else { Prim::ScanExcl(Level::Auto) };
            b.fold(prim, &[], z, xs, |b, x, y| f(b, x, y))
        };
        let over = |ty: Ty, z: Atom, f: &dyn Fn(&mut Builder, &Atom, &Atom) -> Atom| {
            let mut b = Builder::new("scanned");
            let n = b.size("N");
            let xs = b.param("xs", array(ty, &n));
            let ys = scanned(&mut b, z, &xs, f);
            b.finish(&ys)
        };
        agrees_everywhere(&over(int(), 0.into(), &last_of), |n| vec![some_zeros(n)]);
        if inclusive {
            agrees_everywhere(&over(int(), 0.into(), &|b, x, y| b.add(x, y)), |n| vec![ints(n)]);
            let least = Atom::from(f32::NEG_INFINITY);
            let max = |b: &mut Builder, x: &Atom, y: &Atom| b.op(ScalarOp::Max, &[x.clone(), y.clone()]);
            agrees_everywhere(&over(float(), least, &max), |n| vec![special(n)]);
        }
    }
}

#[test]
fn reductions() {
    let over = |ty: Ty, z: Atom, f: &dyn Fn(&mut Builder, &Atom, &Atom) -> Atom| {
        let mut b = Builder::new("reduced");
        let n = b.size("N");
        let xs = b.param("xs", array(ty, &n));
        let y = b.reduce(Level::Auto, z, &xs, |b, x, y| f(b, x, y));
        b.finish(&y)
    };
    agrees_everywhere(&over(int(), 0.into(), &|b, x, y| b.add(x, y)), |n| vec![ints(n)]);
    agrees_everywhere(&over(int(), 0.into(), &last_of), |n| vec![some_zeros(n)]);
    agrees_everywhere(&over(float(), 0.0f32.into(), &|b, x, y| b.add(x, y)), |n| vec![floats(n)]);
    agrees_everywhere(&over(float(), 0.0f32.into(), &|b, x, y| b.add(x, y)), |n| vec![special(n)]);
}

#[test]
fn of_two_numbers_at_once() {
    let mut b = Builder::new("sum and product, of every element with its neighbour");
    let n = b.size("N");
    let (xs, ys) = (b.param("xs", array(int(), &n)), b.param("ys", array(int(), &n)));
    let both = b.zip(&[xs, ys]);
    let zero = b.tuple(&[0.into(), 1.into()]);
    // (a, b) · (c, d) = (a·d + c, b·d): associative but not commutative, with the neutral element (0, 1).
    let affine = |b: &mut Builder, x: &Atom, y: &Atom| {
        let (a, p, c, d) = (b.proj(x, 0), b.proj(x, 1), b.proj(y, 0), b.proj(y, 1));
        let ad = b.mul(&a, &d);
        let sum = b.add(&ad, &c);
        let product = b.mul(&p, &d);
        b.tuple(&[sum, product])
    };
    let all = b.fold(Prim::Scan(Level::Auto), &[], zero.clone(), &both, affine);
    let last = b.reduce(Level::Auto, zero, &both, affine);
    let result = b.tuple(&[all, last]);
    agrees_everywhere(&b.finish(&result), |n| vec![ints(n), some_zeros(n)]);
}

#[test]
fn a_filter_and_its_map_are_one_launch_where_groups_may_wait() {
    let mut b = Builder::new("flagship");
    let n = b.size("N");
    let xs = b.param("xs", array(float(), &n));
    let kept = b.filter(Level::Auto, &xs, |b, x| b.gt(x, 0.5f32));
    let (lens, ys) = b.unpack(&kept);
    let zs = b.map(Level::Auto, &ys, |b, x| b.mul(x, 2.0f32));
    let result = b.pack(&zs, &lens);
    let kernel = b.finish(&result);
    let launches = |target: Target| compile(&kernel, &target).map(|p| p.plan.steps.len());
    assert_eq!(launches(Target::nvidia()), Ok(1));
    assert_eq!([Target::portable(), Target::gpu()].map(launches), [Ok(2), Ok(2)]);
    // One launch for few elements, or two for many.
    assert_eq!(launches(Target::cpu()), Ok(3));
    assert_eq!(Target::portable().class, Class::Portable);
}

/// Groups count launches, so nothing is cleared between runs. `LIFT_ROUNDS` and `LIFT_ELEMENTS` increase the load, to
/// search for races on a device where groups run in parallel.
#[test]
fn runs_that_follow_each_other() {
    let number = |name: &str, usual: usize| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(usual);
    let (rounds, n) = (number("LIFT_ROUNDS", 4), number("LIFT_ELEMENTS", 50_003));
    let kernel = |make: &dyn Fn(&mut Builder, &Atom) -> Atom| {
        let mut b = Builder::new("again");
        let n = b.size("N");
        let xs = b.param("xs", array(int(), &n));
        let result = make(&mut b, &xs);
        b.finish(&result)
    };
    let filter = kernel(&|b, xs| {
        let kept = b.filter(Level::Auto, xs, |b, x| b.gt(x, 0));
        let (lens, ys) = b.unpack(&kept);
        let zs = b.map(Level::Auto, &ys, |b, x| b.add(x, 1));
        b.pack(&zs, &lens)
    });
    let scan = kernel(&|b, xs| b.fold(Prim::Scan(Level::Auto), &[], 0, xs, |b, x, y| b.add(x, y)));
    let reduce = kernel(&|b, xs| b.reduce(Level::Auto, 0, xs, |b, x, y| b.add(x, y)));
    let xs: Vec<i32> = (0..n).map(|i| ((i * 37 + 11) % 101) as i32 - 50).collect();
    let running = xs.iter().scan(0i32, |sum, x| {
        *sum = sum.wrapping_add(*x);
        Some(*sum)
    });
    let expected: [Vec<i32>; 3] = [
        xs.iter().filter(|x| **x > 0).map(|x| x + 1).collect(),
        running.collect(),
        vec![xs.iter().fold(0i32, |a, x| a.wrapping_add(*x))],
    ];
    let session = Session::open(&crate::testing::device(), false).expect("the device can be opened");
    for (kernel, expected) in [filter, scan, reduce].iter().zip(expected) {
        let kernel = simplify(kernel.clone());
        let program = compile(&kernel, &Target::nvidia()).expect("it compiles");
        let sizes = kernel.sizes.iter().map(|v| (v.clone(), n as i64)).collect();
        let mut resident =
            Resident::new(&program, vec![HostData::Int(xs.clone())], sizes, &session).expect("it is made");
        for round in 0..rounds {
            resident.reset(true).expect("memory can be filled");
            resident.enqueue().expect("it runs");
            let result = resident.result().expect("it ends");
            assert!(result == [HostData::Int(expected.clone())], "round {round} of {kernel}");
        }
    }
}

#[test]
fn narrow_elements() {
    // The red of a pixel of two numbers, tested, beside a wide result and a neighbour that no vector holds.
    let mut b = Builder::new("four at a time");
    let n = b.size("N");
    let byte = Ty::scalar(Scalar::UByte);
    let xs = b.param("xs", array(byte.clone(), &n));
    let pairs = b.view(Prim::Concat, &[], &[xs.clone(), xs.clone()]);
    let pairs = b.view(Prim::Split, &[lift_analysis::size::Size::int(2)], &[pairs]);
    let back = b.view(Prim::Reverse, &[], &[xs.clone()]);
    let all = b.zip(&[xs, back, pairs]);
    let ys = b.map(Level::Auto, &all, |b, t| {
        let (x, y, pair) = (b.proj(t, 0), b.proj(t, 1), b.proj(t, 2));
        let last = b.view(Prim::Last, &[], &[pair]);
        let wide = b.op(ScalarOp::To(Scalar::Float), &[x.clone()]);
        let less = b.op(ScalarOp::Lt, &[x, y.clone()]);
        let some = b.op(ScalarOp::Max, &[y, last]);
        b.tuple(&[wide, less, some])
    });
    let bytes = |n: usize| Value::Array(ArrayValue::UByte((0..n).map(|i| (i * 37 % 251) as u8).collect()));
    let kernel = b.finish(&ys);
    agrees_everywhere(&kernel, |n| vec![bytes(n)]);
    let text = compile(&simplify(kernel), &Target::gpu()).map(|p| p.opencl.text).unwrap_or_default();
    assert!(text.contains("uchar4"), "{text}");
}
