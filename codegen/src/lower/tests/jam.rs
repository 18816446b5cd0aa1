//! Maps of which a work-item computes several neighbours.

use super::*;
use crate::core::builder::*;
use crate::core::{Atom, Level, Prim, ScalarOp};
use lift_analysis::parameters::Parameter;
use lift_analysis::size::Size;

const LABEL: &str = "// map: several elements\n";

/// A device that a few blocks keep busy.
fn small() -> Target {
    Target { compute_units: 1, ..Target::gpu() }
}

fn cube(k: usize, n: usize, m: usize) -> Value {
    Value::Array(ArrayValue::Values((0..k).map(|_| rows(n, m)).collect()))
}

fn agrees_in_blocks(kernel: &Kernel, target: &Target, inputs: &[Vec<Value>]) {
    let program = compile(kernel, target).unwrap_or_else(|e| panic!("{}: {}", kernel.name, e[0]));
    assert!(program.opencl.text.contains(LABEL), "{}:\n{}", kernel.name, program.opencl.text);
    for inputs in inputs {
        if let Err(problem) = agree(kernel, &program, inputs) {
            panic!("{problem}");
        }
    }
}

/// `sum (zipWith (λa b. sum (zipWith f a b)) xs ys)`
fn fold_of_folds(b: &mut Builder, xs: &Atom, ys: &Atom, f: fn(&mut Builder, &Atom, &Atom) -> Atom) -> Atom {
    let sum = |b: &mut Builder, xs: &Atom| {
        let sum = b.reduce(Level::Auto, 0.0f32, xs, |b, a, x| b.add(a, x));
        b.prim(Prim::Head, &[], vec![], &[sum])
    };
    let pairs = b.zip(&[xs.clone(), ys.clone()]);
    let inner = b.map(Level::Auto, &pairs, |b, pair| {
        let (x, y) = (b.proj(pair, 0), b.proj(pair, 1));
        let pairs = b.zip(&[x, y]);
        let products = b.map(Level::Auto, &pairs, |b, pair| {
            let (x, y) = (b.proj(pair, 0), b.proj(pair, 1));
            f(b, &x, &y)
        });
        sum(b, &products)
    });
    sum(b, &inner)
}

/// Channels `weights` of windows of 3 elements of C rows, at each place of each image.
fn windows(f: fn(&mut Builder, &Atom, &Atom) -> Atom) -> Kernel {
    let mut b = Builder::new("windows");
    let [n, c, o, l] = ["N", "C", "O", "L"].map(|name| b.size(name));
    let images = b.param("images", array(array(array(float(), &l.add(&Size::int(2))), &c), &n));
    let weights = b.param("weights", array(array(array(float(), &Size::int(3)), &c), &o));
    let result = b.map(Level::Auto, &images, |b, image| {
        let windows = b.map(Level::Auto, image, |b, row| {
            b.view(Prim::Slide, &[Size::int(3), Size::one()], std::slice::from_ref(row))
        });
        let columns = b.transpose(&windows);
        b.map(Level::Auto, &weights, |b, channel| {
            b.map(Level::Auto, &columns, |b, window| fold_of_folds(b, window, channel, f))
        })
    });
    b.finish(&result)
}

#[test]
fn neighbours_share_what_they_read() {
    let kernel = windows(|b, x, y| b.mul(x, y));
    let of = |n, c, o, l: usize| vec![cube(n, c, l + 2), cube(o, c, 3)];
    // Whole blocks; with elements after the last; too few; none of one map.
    let inputs = [of(4, 5, 8, 64), of(7, 3, 11, 70), of(3, 2, 2, 5), of(4, 5, 0, 64)];
    agrees_in_blocks(&kernel, &small(), &inputs);
    agrees_in_blocks(&kernel, &small().with(Parameter::MapBlock, 2), &inputs);
}

#[test]
fn each_fold_has_its_own_accumulator() {
    let kernel = windows(|b, x, y| {
        let less = b.op(ScalarOp::Lt, &[x.clone(), y.clone()]);
        b.if_(&less, |b| b.sub(x, y), |b| b.mul(x, y))
    });
    agrees_in_blocks(&kernel, &small(), &[vec![cube(5, 4, 66), cube(9, 4, 3)]]);
}

/// Nothing is shared by elements that each fold a row of their own; and a block of one is none.
#[test]
fn blocks_are_made_only_where_neighbours_share() {
    let mut b = Builder::new("own");
    let [n, m, c, k] = ["N", "M", "C", "K"].map(|name| b.size(name));
    let xs = b.param("xs", array(array(array(array(float(), &k), &c), &m), &n));
    let own = b.map(Level::Auto, &xs, |b, plane| {
        b.map(Level::Auto, plane, |b, rows| {
            b.map(Level::Auto, rows, |b, row| {
                b.reduce(Level::Seq, 0.0f32, row, |b, a, x| {
                    let half = b.mul(a, 0.5f32);
                    b.add(&half, x)
                })
            })
        })
    });
    let kernel = b.finish(&own);
    let text = |kernel: &Kernel, target: &Target| match compile(kernel, target) {
        Ok(program) => program.opencl.text,
        Err(e) => panic!("{}: {}", kernel.name, e[0]),
    };
    assert!(!text(&kernel, &small()).contains(LABEL));
    let shared = windows(|b, x, y| b.mul(x, y));
    assert!(!text(&shared, &small().with(Parameter::MapBlock, 1)).contains(LABEL));
    assert!(!text(&shared, &Target::cpu()).contains(LABEL));
}
