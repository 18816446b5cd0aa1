//! Host loops: `iterateWhile` at the top of a kernel.

use super::*;
use crate::core::builder::*;
use crate::core::{Atom, Level, Prim, Space};
use crate::plan::Step;

fn targets() -> [(&'static str, Target); 4] {
    [
        ("portable", Target::portable()),
        ("cpu", Target::cpu()),
        ("gpu", Target::gpu()),
        ("one work-item in a group", Target { group: 1, most_in_group: 1, ..Target::portable() }),
    ]
}

/// Whether the host runs the loop. Also checks the results on each class of devices.
fn on_the_host(kernel: &Kernel, inputs: &[Vec<Value>]) -> bool {
    let kernel = crate::core::simplify::simplify(kernel.clone());
    let mut found = Vec::new();
    for (name, target) in targets() {
        let program = compile(&kernel, &target).unwrap_or_else(|e| panic!("{name}: {}", e[0]));
        for inputs in inputs {
            if let Err(problem) = agree(&kernel, &program, inputs) {
                panic!("{name}: {problem}");
            }
        }
        let loops = program.plan.steps.iter().any(|s| matches!(s, Step::While { .. } | Step::For { .. }));
        let placed = Schedule::new(&kernel, &target).applied;
        let rules = ["iterate-while-rounds", "counted-rounds"];
        assert_eq!(loops, placed.iter().any(|a| rules.contains(&a.rule.name)), "{name}");
        found.push(loops);
    }
    assert!(found.iter().all(|f| *f == found[0]), "{found:?}");
    found[0]
}

fn while_(
    b: &mut Builder,
    start: &Atom,
    test: impl FnOnce(&mut Builder, &Atom) -> Atom,
    f: impl FnOnce(&mut Builder, &Atom) -> Atom,
) -> Atom {
    let ty = b.ty(start.clone());
    let test = b.lambda(std::slice::from_ref(&ty), |b, x| test(b, &x[0]));
    let f = b.lambda(&[ty], |b, x| f(b, &x[0]));
    b.prim(Prim::IterateWhile, &[], vec![test, f], &[start.clone()])
}

fn sum(b: &mut Builder, xs: &Atom) -> Atom {
    let all = b.reduce(Level::Auto, 0, xs, |b, x, y| b.add(x, y));
    b.prim(Prim::Head, &[], vec![], &[all])
}

/// Adds 1 to all elements while their sum is below `limit`.
fn raised(level: Level) -> Kernel {
    let mut b = Builder::new("raised");
    let n = b.size("N");
    let xs = b.param("xs", array(int(), &n));
    let limit = b.param("limit", int());
    let one = b.param("one", int());
    let ys = while_(
        &mut b,
        &xs,
        |b, xs| {
            let all = sum(b, xs);
            b.lt(&all, limit)
        },
        |b, xs| b.map(level, xs, |b, x| b.add(x, &one)),
    );
    b.finish(&ys)
}

#[test]
fn an_array_is_changed_by_the_whole_device_in_each_round() {
    let cases = |limits: &[i32]| -> Vec<Vec<Value>> {
        let lengths = [1, 2, 129, 1000].into_iter();
        lengths.flat_map(|n| limits.iter().map(move |l| vec![ints(n), Value::Int(*l), Value::Int(1)])).collect()
    };
    // No iteration, one, several.
    assert!(on_the_host(&raised(Level::Auto), &cases(&[-100_000, -49, 200])));
    assert!(on_the_host(&raised(Level::Glb(0)), &cases(&[-100_000, 200])));
}

#[test]
fn an_empty_array_has_no_round() {
    assert!(on_the_host(&raised(Level::Auto), &[vec![ints(0), Value::Int(0), Value::Int(1)]]));
}

#[test]
fn a_tuple_of_arrays_and_numbers_goes_round() {
    let mut b = Builder::new("smoothed");
    let n = b.size("N");
    let xs = b.param("xs", array(float(), &n));
    let rounds = b.param("rounds", int());
    let start = b.tuple(&[xs, 0.into(), 1.0f32.into()]);
    let end = while_(
        &mut b,
        &start,
        |b, s| {
            let at = b.proj(s, 1);
            b.lt(&at, rounds)
        },
        |b, s| {
            let (xs, at, scale) = (b.proj(s, 0), b.proj(s, 1), b.proj(s, 2));
            let back = b.view(Prim::Reverse, &[], &[xs.clone()]);
            let both = b.zip(&[xs, back]);
            let ys = b.map(Level::Auto, &both, |b, p| {
                let (x, y) = (b.proj(p, 0), b.proj(p, 1));
                let y = b.mul(&y, 0.5f32);
                let y = b.mul(&y, &scale);
                b.add(&x, &y)
            });
            let (at, scale) = (b.add(&at, 1), b.mul(&scale, 0.5f32));
            b.tuple(&[ys, at, scale])
        },
    );
    let inputs: Vec<_> =
        [0, 1, 2, 5].iter().flat_map(|r| [0, 1, 7, 300].map(|n| vec![floats(n), Value::Int(*r)])).collect();
    assert!(on_the_host(&b.finish(&end), &inputs));
}

#[test]
fn what_is_computed_before_a_loop_and_fails_does_so_without_a_round() {
    let mut b = Builder::new("shares");
    let n = b.size("N");
    let xs = b.param("xs", array(int(), &n));
    let (k, rounds) = (b.param("k", int()), b.param("rounds", int()));
    let share = b.div(100, &k);
    let start = b.tuple(&[xs, 0.into()]);
    let end = while_(
        &mut b,
        &start,
        |b, s| {
            let at = b.proj(s, 1);
            b.lt(&at, &rounds)
        },
        |b, s| {
            let (xs, at) = (b.proj(s, 0), b.proj(s, 1));
            let ys = b.map(Level::Auto, &xs, |b, x| b.add(x, &share));
            let at = b.add(&at, 1);
            b.tuple(&[ys, at])
        },
    );
    let inputs = [(0, 0), (0, 2), (7, 0), (7, 3)].map(|(k, r)| vec![ints(10), Value::Int(k), Value::Int(r)]);
    assert!(on_the_host(&b.finish(&end), &inputs));
}

#[test]
fn a_round_that_fails_ends_the_loop() {
    let mut b = Builder::new("down to nothing");
    let n = b.size("N");
    let xs = b.param("xs", array(int(), &n));
    let start = b.tuple(&[xs, 3.into()]);
    let end = while_(
        &mut b,
        &start,
        // An endless loop, except for the failure.
        |b, s| {
            let at = b.proj(s, 1);
            b.lt(&at, 4)
        },
        |b, s| {
            let (xs, at) = (b.proj(s, 0), b.proj(s, 1));
            let ys = b.map(Level::Auto, &xs, |b, x| b.div(x, &at));
            let at = b.sub(&at, 1);
            b.tuple(&[ys, at])
        },
    );
    assert!(on_the_host(&b.finish(&end), &[vec![ints(10)]]));
}

#[test]
fn loops_in_branches_and_in_loops() {
    let mut b = Builder::new("rounds of rounds");
    let n = b.size("N");
    let xs = b.param("xs", array(int(), &n));
    let (turn, limit) = (b.param("turn", boolean()), b.param("limit", int()));
    let ys = b.if_(
        &turn,
        |b| {
            let back = b.view(Prim::Reverse, &[], &[xs.clone()]);
            while_(
                b,
                &back,
                |b, ys| {
                    let all = sum(b, ys);
                    b.lt(&all, &limit)
                },
                |b, ys| {
                    let inner = while_(
                        b,
                        ys,
                        |b, ys| {
                            let all = sum(b, ys);
                            let odd = b.rem(&all, 2);
                            b.eq(&odd, 0)
                        },
                        |b, ys| b.map(Level::Auto, ys, |b, y| b.add(y, 3)),
                    );
                    let more = b.map(Level::Auto, &inner, |b, y| b.add(y, 1));
                    b.store(Space::Global, &more)
                },
            )
        },
        |_| xs.clone(),
    );
    let kernel = b.finish(&ys);
    let inputs: Vec<_> = [1, 7, 129]
        .iter()
        .flat_map(|n| {
            [true, false]
                .into_iter()
                .flat_map(move |t| [-10_000, 50].map(|l| vec![ints(*n), Value::Bool(t), Value::Int(l)]))
        })
        .collect();
    assert!(on_the_host(&kernel, &inputs));
}

#[test]
fn a_number_that_folds_a_long_array_each_round_uses_the_device() {
    let mut b = Builder::new("mean");
    let n = b.size("N");
    let xs = b.param("xs", array(int(), &n));
    let least = while_(
        &mut b,
        &0.into(),
        |b, at| {
            let above = b.map(Level::Auto, &xs, |b, x| {
                let more = b.gt(x, at);
                b.if_(&more, |_| 1.into(), |_| 0.into())
            });
            let above = sum(b, &above);
            b.gt(&above, 3)
        },
        |b, at| b.add(at, 7),
    );
    assert!(on_the_host(&b.finish(&least), &[0, 1, 7, 1000].map(|n| vec![ints(n)])));
}

#[test]
fn one_work_item_does_what_is_sequential_or_short() {
    let inputs = [vec![ints(300), Value::Int(200), Value::Int(1)]];
    assert!(!on_the_host(&sequential(), &inputs));
    let mut b = Builder::new("few");
    let xs = b.param("xs", array(int(), &8.into()));
    let ys = while_(
        &mut b,
        &xs,
        |b, xs| {
            let all = sum(b, xs);
            b.lt(&all, 200)
        },
        |b, xs| b.map(Level::Auto, xs, |b, x| b.add(x, 1)),
    );
    assert!(!on_the_host(&b.finish(&ys), &[vec![ints(8)]]));
}

/// Like [`raised`], in the order of the program.
fn sequential() -> Kernel {
    let mut b = Builder::new("raised");
    let n = b.size("N");
    let xs = b.param("xs", array(int(), &n));
    let limit = b.param("limit", int());
    let one = b.param("one", int());
    let ys = while_(
        &mut b,
        &xs,
        |b, xs| {
            let all = b.reduce(Level::Seq, 0, xs, |b, x, y| {
                let sum = b.add(x, y);
                b.op(ScalarOp::Max, &[sum, 0.into()])
            });
            let all = b.prim(Prim::Head, &[], vec![], &[all]);
            b.lt(&all, limit)
        },
        |b, xs| b.map(Level::Seq, xs, |b, x| b.add(x, &one)),
    );
    b.finish(&ys)
}
