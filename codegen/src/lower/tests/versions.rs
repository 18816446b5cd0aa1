//! Maps of long folds, for few elements and for many.

use super::*;
use crate::core::builder::*;
use crate::core::simplify::simplify;
use crate::core::{Level, Prim};
use crate::plan::Step;
use crate::schedule::Schedule;
use lift_analysis::size::Size;

/// For each of K numbers: how many of N are below it, and, for each of M, the sum of the products with those.
fn counts_and_sums() -> Kernel {
    let mut b = Builder::new("counts and sums");
    let (k, n, m) = (b.size("K"), b.size("N"), b.size("M"));
    let marks = b.param("marks", array(int(), &k));
    let xs = b.param("xs", array(int(), &n));
    let factors = b.param("factors", array(int(), &m));
    let result = b.map(Level::Auto, &marks, |b, mark| {
        let below = b.map(Level::Auto, &xs, |b, x| {
            let is_below = b.lt(x, mark);
            b.if_(&is_below, |_| 1.into(), |_| 0.into())
        });
        let count = b.reduce(Level::Auto, 0, &below, |b, a, x| b.add(a, x));
        let count = b.view(Prim::Head, &[], &[count]);
        b.map(Level::Auto, &factors, |b, factor| {
            let products = b.map(Level::Auto, &xs, |b, x| {
                let x = b.mul(x, factor);
                b.add(&x, mark)
            });
            let sum = b.reduce(Level::Auto, 0, &products, |b, a, x| b.add(a, x));
            let sum = b.view(Prim::Head, &[], &[sum]);
            b.add(&sum, &count)
        })
    });
    simplify(b.finish(&result))
}

#[test]
fn few_elements_by_groups_and_many_by_items() {
    let kernel = counts_and_sums();
    for target in [Target::gpu(), Target { compute_units: 1, ..Target::nvidia() }] {
        let program = match compile(&kernel, &target) {
            Ok(program) => program,
            Err(errors) => panic!("does not compile: {}", errors[0]),
        };
        // Only one of the versions is launched.
        let launched = |k: i64| {
            let launches = program.plan.steps.iter().filter_map(|s| match s {
                Step::Launch(launch) => Some(launch),
                _ => None,
            });
            let value = |size: &Size| size.eval_int(&|_| Some(k)).expect("it has one size");
            launches.filter(|l| l.only_if.iter().all(|size| value(size) > 0)).count()
        };
        assert_eq!([0, 1, 31, 32, 4223, 4224].map(launched), [1; 6]);
        // Either side of 32 elements a unit, nothing to fold, and nothing to do.
        for (k, n, m) in [(3, 5000, 2), (31, 300, 3), (32, 300, 3), (40, 7, 1), (5, 0, 4), (0, 10, 2), (4, 10, 0)] {
            if let Err(problem) = agree(&kernel, &program, &[ints(k), ints(n), ints(m)]) {
                panic!("{k}, {n}, {m}: {problem}");
            }
        }
    }
    let rules =
        |target: Target| -> Vec<&str> { Schedule::new(&kernel, &target).applied.iter().map(|a| a.rule.name).collect() };
    assert!(rules(Target::gpu()).contains(&"map-folds-wrg"));
    assert!(!rules(Target::cpu()).contains(&"map-folds-wrg"));
}
