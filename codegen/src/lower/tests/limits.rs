//! Limits on the cost of compiling. (`tests/fuzz/corpus/` has programs with unbounded code.)

use super::*;
use crate::budget::LIMIT;
use crate::core::builder::*;
use crate::core::{Level, Prim};
use crate::lower::work::Work;
use crate::testing::origin;
use lift_analysis::size::{Size, work};
use lift_analysis::ty::Ty;

#[test]
fn work_has_an_end_that_is_told_once() {
    let mut work = Work::default();
    work.spend(LIMIT / 2, &origin(1)).expect("there is more");
    let first = work.spend(LIMIT, &origin(2)).expect_err("that is all");
    assert!(first.message.starts_with("this kernel is too large to compile"), "{first}");
    assert_eq!(work.spend(1, &origin(3)), Err(first));
}

/// A function that equals an earlier one costs a quarter: also of the terms of sizes that the thread may compute with.
#[test]
fn what_is_written_again_costs_less() {
    let n = Builder::new("test").size("N");
    let square = || n.add(&Size::one()).mul(&n.add(&Size::int(2)));
    let once = work::apart(u64::MAX, || {
        square();
        work::so_far()
    });
    assert!(once > 0);
    let left = |again: bool| {
        work::apart(5 * once, || {
            let mut work = Work::default();
            for _ in 0..10 {
                let before = work.mark();
                square();
                if again {
                    work.repeated_since(before);
                }
            }
            !work::exhausted()
        })
    };
    assert!(!left(false));
    assert!(left(true));
}

/// The barriers of each loop are analysed for two initial states.
#[test]
fn loops_in_one_another_are_compiled() {
    let mut b = Builder::new("test");
    let mut ty = int();
    for i in 0..40 {
        let rows = b.size(&format!("K{i}"));
        ty = array(ty, &rows);
    }
    let xs = b.param("xs", ty);
    let first = b.view(Prim::Reverse, &[], &[xs]);
    let kernel = b.finish(&first);
    let program = compile(&kernel, &Target::portable()).expect("it is not too large");
    let loops = program.opencl.text.matches("for (").count();
    assert!(loops > 30, "{}", program.opencl.text);
}

/// As many at once as there are CPUs; the results and errors are in the order of the kernels.
#[test]
fn kernels_that_are_compiled_together_are_as_each_alone() {
    let nested = |depth: usize| {
        let mut b = Builder::new(&format!("nested{depth}"));
        let mut ty = int();
        for i in 0..depth {
            let rows = b.size(&format!("K{i}"));
            ty = array(ty, &rows);
        }
        let xs = b.param("xs", ty);
        let first = b.view(Prim::Reverse, &[], &[xs]);
        b.finish(&first)
    };
    // A function cannot be an input.
    let refused = {
        let mut b = Builder::new("refused");
        let n = b.size("N");
        let f = b.param("f", Ty::fun(int(), array(int(), &n)));
        b.finish(&f)
    };
    let mut kernels: Vec<Kernel> = (1..20).map(nested).collect();
    kernels.insert(7, refused);
    let target = Target::portable();
    let all = crate::lower::compile_all(&kernels.iter().collect::<Vec<_>>(), &target);
    assert_eq!(all.len(), kernels.len());
    for (i, (kernel, together)) in kernels.iter().zip(all).enumerate() {
        let text = |program: Program| program.opencl.text;
        assert_eq!(together.as_ref().is_err(), i == 7, "{together:?}");
        assert_eq!(together.map(text), compile(kernel, &target).map(text));
    }
}

/// A line of the text has a maximum length, and so has the expression examined for it.
#[test]
fn long_expressions_are_taken_apart() {
    let mut b = Builder::new("test");
    let n = b.size("N");
    let xs = b.param("xs", array(int(), &n));
    let mapped = b.map(Level::Glb(0), &xs, |b, x| {
        (0..3000).fold(x.clone(), |sum, i| if i % 2 == 0 { b.add(&sum, i) } else { b.mul(&sum, i) })
    });
    let kernel = b.finish(&mapped);
    let text = compile(&kernel, &Target::portable()).expect("it is not too large").opencl.text;
    let longest = text.lines().map(str::len).max();
    assert!(longest.is_some_and(|n| (500..4000).contains(&n)), "{longest:?}");
}
