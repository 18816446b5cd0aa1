//! Work-items of a group that take several elements each, and loops whose array they share, for every target.

use super::targets::targets;
use super::{agree, ints};
use crate::core::Kernel;
use crate::core::builder::*;
use crate::core::simplify::simplify;
use crate::lower::compile;
use crate::plan::Program;
use crate::target::Target;
use crate::value::Value;

fn compiled(kernel: &Kernel, name: &str, target: &Target) -> Program {
    match compile(kernel, target) {
        Ok(program) => program,
        Err(errors) => panic!("{name}: {} does not compile: {}", kernel.name, errors[0]),
    }
}

fn agrees_everywhere(kernel: Kernel, inputs: &[Vec<Value>]) {
    let kernel = simplify(kernel);
    for (name, target, _) in targets() {
        let program = compiled(&kernel, name, &target);
        for inputs in inputs {
            if let Err(problem) = agree(&kernel, &program, inputs) {
                let problem: String = problem.chars().take(3000).collect();
                panic!("{name}: {problem}");
            }
        }
    }
}

/// Tiles of `k` numbers, backwards through local memory, each with a number of `ys` that may be missing.
fn backwards(k: u64) -> Kernel {
    let mut b = Builder::new("backwards");
    let (n, m) = (b.size("N"), b.size("M"));
    let xs = b.param("xs", array(int(), &(&n * k as i64)));
    let ys = b.param("ys", array(int(), &m));
    let tiles = b.split(k, &xs);
    let all = b.map(Level::Wrg(0), &tiles, |b, tile| {
        let both = b.iota(k);
        let here = b.map(Level::Lcl(0), &both, |b, i| {
            let (x, y) = (b.aref(tile, i), b.aref(&ys, i));
            b.add(&x, &y)
        });
        let here = b.store(Space::Local, &here);
        let there = b.view(Prim::Reverse, &[], &[here]);
        b.map(Level::Lcl(0), &there, |b, x| b.add(x, 1))
    });
    let result = b.join(&all);
    b.finish(&result)
}

#[test]
fn several_elements_of_a_work_item() {
    for k in [1usize, 97, 256, 257, 300] {
        let there = |groups: usize, m: usize| vec![ints(groups * k), ints(m)];
        let cases = [there(0, k), there(1, k), there(3, k), there(2, k - 1), there(2, 0)];
        agrees_everywhere(backwards(k as u64), &cases);
    }
}

#[test]
fn a_group_has_fewer_work_items_than_elements() {
    for (k, items) in [(64, 64), (100, 100), (128, 64), (256, 64), (1024, 256), (1000, 250), (255, 255)] {
        let text = compiled(&simplify(backwards(k)), "nvidia", &Target::nvidia()).opencl.text;
        assert!(text.contains(&format!("reqd_work_group_size({items}, 1, 1)")), "{k}: {text}");
    }
}

/// Tiles of `k` numbers, in a loop in which each number becomes that of its neighbour and the number of the round.
fn turning(k: u64, rounds: impl Fn(&mut Builder, &Atom, &dyn Fn(&mut Builder, &Atom) -> Atom) -> Atom) -> Kernel {
    let mut b = Builder::new("turning");
    let n = b.size("N");
    let xs = b.param("xs", array(int(), &(&n * k as i64)));
    let tiles = b.split(k, &xs);
    let step = move |b: &mut Builder, acc: &Atom| {
        let places = b.iota(k);
        b.map(Level::Lcl(0), &places, |b, i| {
            let next = b.add(i, 1);
            let next = b.rem(&next, k as i32);
            let neighbour = b.aref(acc, &next);
            b.add(&neighbour, i)
        })
    };
    let all = b.map(Level::Wrg(0), &tiles, |b, tile| rounds(b, tile, &step));
    let result = b.join(&all);
    b.finish(&result)
}

#[test]
fn a_loop_whose_array_a_group_shares() {
    for k in [1usize, 129, 256] {
        let inputs: Vec<_> = [0, 1, 3].map(|groups| vec![ints(groups * k)]).into();
        for count in [0u64, 20] {
            let folded = turning(k as u64, |b, tile, step| {
                let rounds = b.iota(count);
                let last = b.reduce(Level::Seq, tile, &rounds, |b, acc, round| {
                    let next = step(b, acc);
                    b.map(Level::Lcl(0), &next, |b, x| b.add(x, round))
                });
                b.view(Prim::Head, &[], &[last])
            });
            agrees_everywhere(folded, &inputs);
        }
        let repeated = turning(k as u64, |b, tile, step| {
            let ty = b.ty(tile);
            let step = b.lambda(&[ty], |b, acc| step(b, &acc[0]));
            b.prim(Prim::Iterate, &[40u64.into()], vec![step], &[tile.clone()])
        });
        agrees_everywhere(repeated, &inputs);
    }
}

/// The function of the outer map gives an element of what its own parallel maps make, and not their result.
#[test]
fn a_row_of_what_two_placed_maps_make_is_compiled() {
    let mut b = Builder::new("rows");
    let (n, m) = (b.size("N"), b.size("M"));
    let xs = b.param("xs", array(int(), &n));
    let rows = b.param("rows", array(array(int(), &m), &n));
    let result = b.map(Level::Auto, &xs, |b, x| {
        let made = b.map(Level::Glb(1), &rows, |b, row| b.map(Level::Glb(0), row, |_, _| 100.into()));
        b.aref(&made, x)
    });
    let kernel = simplify(b.finish(&result));
    for target in [Target::nvidia(), Target::gpu(), Target::cpu(), Target::portable()] {
        compiled(&kernel, "", &target);
    }
}
