//! `sort` and `argsort` over the whole device, by radix or by merging; short arrays by one work-item.

use super::{agree, ints};
use crate::core::builder::*;
use crate::core::simplify::simplify;
use crate::core::{Atom, Kernel, Level, Prim, ScalarOp};
use crate::lower::compile;
use crate::plan::Step;
use crate::run::{Built, RunOptions, run};
use crate::target::Target;
use crate::value::{ArrayValue, Value};
use lift_analysis::size::Size;

/// Sorts the elements by a function.
fn sorted(b: &mut Builder, prim: Prim, xs: &Atom, before: impl FnOnce(&mut Builder, &Atom, &Atom) -> Atom) -> Atom {
    let element = b.ty(xs).as_array().map(|a| a.element.clone()).expect("an array is sorted");
    let f = b.lambda(&[element.clone(), element], |b, p| before(b, &p[0], &p[1]));
    b.prim(prim, &[], vec![f], &[xs.clone()])
}

/// A device with `items` work-items per group, few chunks, so that each has several tiles, and little memory, so that
/// tiles are small.
fn small(target: Target, items: u32) -> Target {
    Target { group: items, most_in_group: items, compute_units: 1, local_memory: 3700, ..target }
}

/// None, few, a tile, one more, several tiles per chunk. Only one test uses large groups, because devices compile them
/// slowly.
fn agrees_everywhere(kernel: &Kernel, inputs: impl Fn(usize) -> Vec<Value>) {
    let kernel = simplify(kernel.clone());
    let targets = [
        ("gpu, 16 items", small(Target::gpu(), 16), &[0, 1, 5, 256, 257, 2049, 5000][..]),
        ("nvidia, 7 items", small(Target::nvidia(), 7), &[3, 1500]),
        ("cpu", Target::cpu(), &[2, 100]),
    ];
    for (name, target, lengths) in targets {
        let program = match compile(&kernel, &target) {
            Ok(program) => program,
            Err(errors) => panic!("{name}: {} does not compile: {}", kernel.name, errors[0]),
        };
        assert!(program.opencl.text.contains("lift_move_"), "{name}: {}", kernel.name);
        for n in lengths {
            if let Err(problem) = agree(&kernel, &program, &inputs(*n)) {
                let problem: String = problem.chars().take(3000).collect();
                panic!("{name}, {n} elements: {problem}");
            }
        }
    }
}

/// Keys with many duplicates and both ends of their type.
fn keys(n: usize) -> Value {
    let values = [3, i32::MIN, -1, 0, i32::MAX, 70_000, -70_000, 1 << 24];
    Value::Array(ArrayValue::Int((0..n).map(|i| values[(i * 5 + i / 9) % values.len()]).collect()))
}

#[test]
fn numbers_are_sorted_by_their_bits() {
    let of_ints = |name: &'static str, prim: Prim, descending: bool| -> Kernel {
        let mut b = Builder::new(name);
        let n = b.size("N");
        let xs = b.param("xs", array(int(), &n));
        let result = sorted(&mut b, prim, &xs, |b, x, y| if descending { b.gt(x, y) } else { b.lt(x, y) });
        b.finish(&result)
    };
    agrees_everywhere(&of_ints("sort", Prim::Sort, false), |n| vec![keys(n)]);
    agrees_everywhere(&of_ints("sort, the greatest first", Prim::Sort, true), |n| vec![ints(n)]);
    agrees_everywhere(&of_ints("argsort", Prim::Argsort, true), |n| vec![keys(n)]);
}

#[test]
fn groups_are_as_large_as_they_may_be() {
    let mut b = Builder::new("sort");
    let n = b.size("N");
    let xs = b.param("xs", array(int(), &n));
    let result = sorted(&mut b, Prim::Sort, &xs, |b, x, y| b.lt(x, y));
    let kernel = simplify(b.finish(&result));
    let target = Target { local_memory: 24 * 1024, ..Target::gpu() };
    let program = compile(&kernel, &target).unwrap_or_else(|e| panic!("{}", e[0]));
    assert!(program.opencl.text.contains("reqd_work_group_size(256, 1, 1)"), "{}", program.opencl.text);
    for n in [300, 4097, 9000] {
        agree(&kernel, &program, &[keys(n)]).unwrap_or_else(|problem| panic!("{n} elements: {problem}"));
    }
}

/// The sort is stable; both zeros are equal.
#[test]
fn pairs_are_sorted_by_a_float_in_them() {
    let mut b = Builder::new("by key");
    let n = b.size("N");
    let (xs, ys) = (b.param("xs", array(float(), &n)), b.param("ys", array(int(), &n)));
    let both = b.zip(&[ys, xs]);
    let result = sorted(&mut b, Prim::Sort, &both, |b, s, t| {
        let (s, t) = (b.proj(s, 1), b.proj(t, 1));
        b.lt(&t, &s)
    });
    let numbered = |n: usize| Value::from((0..n as i32).collect::<Vec<_>>());
    let some = |n: usize| {
        let values = [1.5, 0.0, f32::INFINITY, -0.0, f32::NAN, f32::NEG_INFINITY, 0.75, -2.0, -f32::NAN, 1e-40];
        Value::Array(ArrayValue::Float((0..n).map(|i| values[(i * 5 + i / 7) % values.len()]).collect()))
    };
    agrees_everywhere(&b.finish(&result), |n| vec![some(n), numbered(n)]);
}

#[test]
fn numbers_of_64_bits_are_sorted_by_their_bits() {
    let mut b = Builder::new("longs");
    let n = b.size("N");
    let xs = b.param("xs", array(long(), &n));
    let result = sorted(&mut b, Prim::Sort, &xs, |b, x, y| b.lt(x, y));
    let values = [3, i64::MIN, -1, 0, i64::MAX, 1 << 40, -(1 << 50), 3];
    let longs =
        |n: usize| Value::Array(ArrayValue::Long((0..n).map(|i| values[(i * 5 + i / 9) % values.len()]).collect()));
    agrees_everywhere(&b.finish(&result), |n| vec![longs(n)]);
}

/// Any other order is merged, and so are few elements.
#[test]
fn only_numbers_by_their_order_are_sorted_by_their_bits() {
    let by_bits = |n: Option<i64>, before: &dyn Fn(&mut Builder, &Atom, &Atom) -> Atom| {
        let mut b = Builder::new("sort");
        let n = n.map_or_else(|| b.size("N"), Size::int);
        let xs = b.param("xs", array(int(), &n));
        let result = sorted(&mut b, Prim::Sort, &xs, before);
        let kernel = simplify(b.finish(&result));
        let program = compile(&kernel, &Target::gpu()).unwrap_or_else(|e| panic!("{}", e[0]));
        program.opencl.text.contains("lift_move_32")
    };
    let less = |b: &mut Builder, x: &Atom, y: &Atom| b.lt(x, y);
    assert!(by_bits(None, &less));
    assert!(by_bits(Some(257), &less));
    assert!(!by_bits(Some(256), &less), "a few are merged");
    assert!(!by_bits(None, &|b, x, _| b.lt(x, x)), "this is no order");
    assert!(!by_bits(None, &|b, x, y| {
        let x = b.add(x, x);
        b.lt(&x, y)
    }));
}

/// The steps of a plan: the work of each, and when it is skipped.
fn steps(program: &crate::plan::Program) -> Vec<String> {
    let launch = |step: &Step| match step {
        Step::Launch(l) if l.only_if.is_empty() => Some(l.label.clone()),
        Step::Launch(l) => {
            let sizes: Vec<String> = l.only_if.iter().map(Size::to_string).collect();
            Some(format!("{} if {}", l.label, sizes.join(", ")))
        }
        _ => None,
    };
    let mut steps: Vec<String> = program.plan.steps.iter().filter_map(launch).collect();
    steps.dedup();
    steps
}

#[test]
fn one_work_item_sorts_what_is_short_on_processors() {
    let sort = |n: Option<i64>, by_number: bool| {
        let mut b = Builder::new("sort");
        let n = n.map_or_else(|| b.size("N"), Size::int);
        let xs = b.param("xs", array(int(), &n));
        let result = sorted(&mut b, Prim::Sort, &xs, |b, x, y| {
            let y = if by_number { y.clone() } else { b.add(y, 1) };
            b.lt(x, &y)
        });
        simplify(b.finish(&result))
    };
    let compiled = |kernel: &Kernel, target: &Target| compile(kernel, target).unwrap_or_else(|e| panic!("{}", e[0]));
    let kernel = sort(None, true);
    let program = compiled(&kernel, &Target::cpu());
    expect_test::expect![[r#"
        [
            "sort: by one work-item if 65537-N",
            "sort: keys if N-65536",
            "sort: count if N-65536",
            "sort: offsets if N-65536",
            "sort: move if N-65536",
            "sort: count if N-65536",
            "sort: offsets if N-65536",
            "sort: move if N-65536",
            "sort: count if N-65536",
            "sort: offsets if N-65536",
            "sort: move if N-65536",
            "sort: count if N-65536",
            "sort: offsets if N-65536",
            "sort: move if N-65536",
            "sort: result if N-65536",
        ]
    "#]]
    .assert_debug_eq(&steps(&program));
    for n in [0, 1, 65_536, 65_537] {
        agree(&kernel, &program, &[keys(n)]).unwrap_or_else(|p| panic!("{n}: {}", &p[..p.len().min(3000)]));
    }
    let program = compiled(&kernel, &small(Target::portable(), 16));
    assert!(program.opencl.text.contains("lift_move_"), "{}", program.opencl.text);
    for n in [0, 1, 2048, 2049, 5000] {
        agree(&kernel, &program, &[keys(n)]).unwrap_or_else(|p| panic!("{n}: {}", &p[..p.len().min(3000)]));
    }
    // Known before the run, so nothing is left to choose.
    assert_eq!(steps(&compiled(&sort(Some(65_536), true), &Target::cpu())), ["the whole program"]);
    assert_eq!(steps(&compiled(&sort(Some(65_537), true), &Target::cpu()))[0], "sort: keys");
    // By any function, on devices where merging by binary search pays and where it does not.
    let few = Target { compute_units: 2, ..Target::cpu() };
    assert_eq!(steps(&compiled(&sort(None, false), &few)), ["sort: by one work-item"]);
    let many = Target { compute_units: 64, ..Target::cpu() };
    assert_eq!(steps(&compiled(&sort(None, false), &many))[1], "sort: runs if N-65536");
}

#[test]
fn what_is_kept_and_merged_by_any_function_on_portable_devices() {
    let mut b = Builder::new("kept and sorted");
    let n = b.size("N");
    let xs = b.param("xs", array(int(), &n));
    let kept = b.filter(Level::Auto, &xs, |b, x| b.gt(x, -40));
    let (lens, ys) = b.unpack(&kept);
    // Numbers with equal last digits keep their order.
    let result = sorted(&mut b, Prim::Sort, &ys, |b, x, y| {
        let (x, y) = (b.rem(x, 10), b.rem(y, 10));
        b.lt(&x, &y)
    });
    let result = b.pack(&result, &lens);
    let kernel = simplify(b.finish(&result));
    let program = compile(&kernel, &Target::portable()).unwrap_or_else(|e| panic!("{}", e[0]));
    assert!(steps(&program).iter().any(|s| s == "sort: merge"), "{:?}", steps(&program));
    for n in [0, 1, 40, 3000] {
        agree(&kernel, &program, &[ints(n)]).unwrap_or_else(|p| panic!("{n}: {}", &p[..p.len().min(3000)]));
    }
}

/// The elements in the order of their bits.
fn multiset(value: &Value) -> Vec<String> {
    let Value::Array(elements) = value else { panic!("{value} is not an array") };
    let mut all: Vec<String> = (0..elements.len()).filter_map(|i| Some(elements.get(i)?.to_string())).collect();
    all.sort_unstable();
    all
}

/// If the function is not a strict weak order, still no element is lost or duplicated.
#[test]
fn any_function_gives_a_permutation() {
    type Disorder = fn(&mut Builder, &Atom, &Atom) -> Atom;
    let not_at_least: Disorder = |b, x, y| {
        let at_least = b.op(ScalarOp::Ge, &[x.clone(), y.clone()]);
        b.op(ScalarOp::Not, &[at_least])
    };
    let overflowing: Disorder = |b, x, y| {
        let difference = b.sub(x, y);
        b.lt(&difference, 0)
    };
    let floats = |n: usize| {
        let values = [1.5, f32::NAN, 0.0, f32::INFINITY, -0.0, f32::NEG_INFINITY, -f32::NAN, 0.75, -2.0, f32::MAX];
        Value::Array(ArrayValue::Float((0..n).map(|i| values[(i * i + i / 7) % values.len()]).collect()))
    };
    let portable = Target { compute_units: 1, ..Target::portable() };
    let cases = [
        ("not at least", not_at_least, float(), portable, 2500),
        ("overflowing difference", overflowing, int(), Target::gpu(), 300),
    ];
    for (name, disorder, element, target, n) in cases {
        let mut b = Builder::new(name);
        let len = b.size("N");
        let input = if element == float() { floats(n) } else { keys(n) };
        let xs = b.param("xs", array(element, &len));
        let order = sorted(&mut b, Prim::Argsort, &xs, disorder);
        let elements = sorted(&mut b, Prim::Sort, &xs, disorder);
        let result = b.tuple(&[order, elements]);
        let kernel = simplify(b.finish(&result));
        let program = compile(&kernel, &target).unwrap_or_else(|e| panic!("{}", e[0]));
        let sizes = crate::interp::bind_sizes(&kernel, &[input.clone()], &[]).unwrap_or_else(|e| panic!("{e}"));
        let options = RunOptions { poison: true, built: Built::All, ..RunOptions::default() };
        let outcome = run(&program, &[input.clone()], &sizes, &crate::testing::device(), &options);
        let outcome = outcome.unwrap_or_else(|e| panic!("{name}: {e}"));
        let Value::Tuple(results) = outcome.value else { panic!("{name}: the result is not a pair") };
        let positions = Value::from((0..n as i32).collect::<Vec<_>>());
        assert_eq!(multiset(&results[0]), multiset(&positions), "{name} for {:?}", target.class);
        assert_eq!(multiset(&results[1]), multiset(&input), "{name} for {:?}", target.class);
    }
}

/// NaN comes last and both zeros are equal, also in a sort by one work-item and inside a function.
#[test]
fn nan_comes_last() {
    let some = |n: usize| {
        let values = [1.5, f32::NAN, 0.0, f32::INFINITY, -0.0, f32::NEG_INFINITY, -f32::NAN, 0.75];
        Value::Array(ArrayValue::Float((0..n).map(|i| values[(i * 5 + i / 7) % values.len()]).collect()))
    };
    for descending in [false, true] {
        let mut b = Builder::new("NaN");
        let n = b.size("N");
        let xs = b.param("xs", array(float(), &n));
        let before = |b: &mut Builder, x: &Atom, y: &Atom| if descending { b.gt(x, y) } else { b.lt(x, y) };
        let all = sorted(&mut b, Prim::Argsort, &xs, before);
        let few = b.view(Prim::Take, &[Size::int(20)], &[xs.clone()]);
        let few = sorted(&mut b, Prim::Argsort, &few, before);
        let rows = b.split(10, &xs);
        let rows = b.map(Level::Auto, &rows, |b, row| sorted(b, Prim::Argsort, row, before));
        let result = b.tuple(&[all, few, rows]);
        let kernel = simplify(b.finish(&result));
        let program = compile(&kernel, &Target::cpu()).unwrap_or_else(|e| panic!("{}", e[0]));
        agree(&kernel, &program, &[some(300)]).unwrap_or_else(|p| panic!("{}", &p[..p.len().min(3000)]));
    }
}

/// Rows of a constant length are sorted by exchanges in registers: equal numbers keep their order, and NaN is the last.
#[test]
fn few_elements_are_exchanged() {
    let special = [1.5, f32::NAN, -0.0, 0.0, -2.0, f32::INFINITY, 1.5, f32::NEG_INFINITY, 0.0, -0.0];
    let numbers =
        |n: usize| Value::Array(ArrayValue::Float((0..n).map(|i| special[(i * 7 + i / 10) % special.len()]).collect()));
    for len in [2, 5, 9, 15] {
        let of_rows = |name: &str, f: &dyn Fn(&mut Builder, &Atom) -> Atom| {
            let mut b = Builder::new(name);
            let n = b.size("N");
            let xs = b.param("xs", array(float(), &n.mul(&Size::int(len))));
            let rows = b.view(Prim::Split, &[Size::int(len)], &[xs]);
            let result = b.map(Level::Auto, &rows, f);
            simplify(b.finish(&result))
        };
        let pairs = of_rows("pairs", &|b, row| {
            let at = b.view(Prim::Iota, &[Size::int(len)], &[]);
            let pairs = b.zip(&[row.clone(), at]);
            let pairs = sorted(b, Prim::Sort, &pairs, |b, p, q| {
                let (x, y) = (b.proj(p, 0), b.proj(q, 0));
                b.lt(&x, &y)
            });
            b.map(Level::Seq, &pairs, |b, p| b.proj(p, 1))
        });
        let order = of_rows("order", &|b, row| sorted(b, Prim::Argsort, row, |b, x, y| b.gt(x, y)));
        for kernel in [pairs, order] {
            let program = compile(&kernel, &Target::gpu()).unwrap_or_else(|e| panic!("{}: {}", kernel.name, e[0]));
            assert!(!program.opencl.text.contains("width"), "{}", program.opencl.text);
            for n in [1, 33] {
                if let Err(problem) = agree(&kernel, &program, &[numbers(n * len as usize)]) {
                    panic!("{} of {len}: {problem}", kernel.name);
                }
            }
        }
    }
}
