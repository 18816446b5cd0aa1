//! Maps of which a work-item computes several neighbours.

use super::*;
use crate::core::builder::*;
use crate::core::{Atom, Level, Prim, ScalarOp};
use lift_analysis::parameters::Parameter;
use lift_analysis::size::Size;

const LABEL: &str = "// map: several elements\n";

/// A device that a few blocks keep busy, and on which products of windows have no tiles.
fn small() -> Target {
    Target { compute_units: 1, ..Target::gpu() }.with(Parameter::MatrixLeast, 1000)
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
fn fold_of_folds(b: &mut Builder, xs: &Atom, ys: &Atom, f: Binary) -> Atom {
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

type Binary = fn(&mut Builder, &Atom, &Atom) -> Atom;

const MUL: Binary = |b, x, y| b.mul(x, y);

/// O channels of windows of 3 elements of C rows, at each of L places of each of N images.
fn windows([n, c, o, l]: [&Size; 4], b: &mut Builder, f: Binary) -> Atom {
    let images = b.param("images", array(array(array(float(), &l.add(&Size::int(2))), c), n));
    let weights = b.param("weights", array(array(array(float(), &Size::int(3)), c), o));
    b.map(Level::Auto, &images, |b, image| {
        let windows = b.map(Level::Auto, image, |b, row| {
            b.view(Prim::Slide, &[Size::int(3), Size::one()], std::slice::from_ref(row))
        });
        let columns = b.transpose(&windows);
        b.map(Level::Auto, &weights, |b, channel| {
            b.map(Level::Auto, &columns, |b, window| fold_of_folds(b, window, channel, f))
        })
    })
}

pub fn of_any_length(f: Binary) -> Kernel {
    let mut b = Builder::new("windows");
    let [n, c, o, l] = ["N", "C", "O", "L"].map(|name| b.size(name));
    let result = windows([&n, &c, &o, &l], &mut b, f);
    b.finish(&result)
}

pub fn images([n, c, o, l]: [usize; 4]) -> Vec<Value> {
    vec![cube(n, c, l + 2), cube(o, c, 3)]
}

/// Where lengths are constant, the blocks are the only code.
#[test]
fn neighbours_share_what_they_read() {
    // Whole blocks; elements after the last one in each map.
    for dims in [[4, 10, 8, 64], [7, 9, 11, 70]] {
        for each in [2, 4] {
            let mut b = Builder::new("constant");
            let [n, c, o, l] = dims.map(|n| Size::int(n as i64));
            let result = windows([&n, &c, &o, &l], &mut b, MUL);
            let kernel = b.finish(&result);
            let target = small().with(Parameter::MapBlock, each);
            agrees_in_blocks(&kernel, &target, &[images(dims)]);
            let program = compile(&kernel, &target).unwrap_or_else(|e| panic!("{}", e[0]));
            assert_eq!(program.opencl.text.matches("__kernel").count(), 1, "{}", program.opencl.text);
        }
    }
}

#[test]
fn few_elements_or_short_ones_have_a_work_item_each() {
    let all = [[4, 10, 8, 64], [4, 2, 8, 64], [3, 9, 2, 5], [4, 5, 0, 64], [1, 1, 1, 1]];
    agrees_in_blocks(&of_any_length(MUL), &small(), &all.map(images));
}

#[test]
fn each_fold_has_its_own_accumulator() {
    let kernel = of_any_length(|b, x, y| {
        let less = b.op(ScalarOp::Lt, &[x.clone(), y.clone()]);
        b.if_(&less, |b| b.sub(x, y), |b| b.mul(x, y))
    });
    agrees_in_blocks(&kernel, &small(), &[images([5, 12, 9, 64])]);
}

/// A condition that the neighbours share is tested once; what it guards is read once.
#[test]
fn neighbours_share_a_branch() {
    let kernel = of_any_length(|b, x, y| {
        let positive = b.op(ScalarOp::Lt, &[0.0f32.into(), x.clone()]);
        b.if_(&positive, |b| b.mul(x, y), |b| b.add(x, x))
    });
    agrees_in_blocks(&kernel, &small(), &[images([5, 12, 9, 64])]);
    // Sixteen elements of four windows.
    let program = compile(&kernel, &small()).unwrap_or_else(|e| panic!("{}", e[0]));
    let blocks = program.opencl.text.split(LABEL).skip(1).map(|code| code.split("// ").next().unwrap_or(code));
    let counts = blocks.map(|code| (code.matches("const bool which").count(), code.matches(" ? ").count()));
    assert!(counts.clone().any(|counts| counts == (4, 16)), "{:?}", counts.collect::<Vec<_>>());
}

/// Elements of the innermost map lie far apart; a single map has only these.
#[test]
fn neighbouring_work_items_have_neighbours() {
    let mut b = Builder::new("one");
    let (n, k) = (Size::int(1027), Size::int(33));
    let xs = b.param("xs", array(array(float(), &Size::int(3)), &n));
    let ys = b.param("ys", array(array(float(), &Size::int(3)), &k));
    let least = b.map(Level::Auto, &xs, |b, x| {
        let distances = b.map(Level::Auto, &ys, |b, y| {
            let pairs = b.zip(&[x.clone(), y.clone()]);
            let products = b.map(Level::Auto, &pairs, |b, pair| {
                let (x, y) = (b.proj(pair, 0), b.proj(pair, 1));
                let d = b.sub(&x, &y);
                b.mul(&d, &d)
            });
            let sum = b.reduce(Level::Auto, 0.0f32, &products, |b, a, x| b.add(a, x));
            b.prim(Prim::Head, &[], vec![], &[sum])
        });
        let least = b.reduce(Level::Auto, 1e30f32, &distances, |b, a, x| b.op(ScalarOp::Min, &[a.clone(), x.clone()]));
        b.prim(Prim::Head, &[], vec![], &[least])
    });
    let kernel = b.finish(&least);
    agrees_in_blocks(&kernel, &small(), &[vec![rows(1027, 3), rows(33, 3)]]);
}

/// Four by four where the work-items still have neighbours, four by one where the inner map is short.
#[test]
fn a_short_inner_map_keeps_its_work_items() {
    let of = |m: i64| {
        let mut b = Builder::new("two");
        let [n, m, k, three] = [74, m, 11, 3].map(Size::int);
        let xs = b.param("xs", array(array(array(float(), &three), &k), &n));
        let ys = b.param("ys", array(array(array(float(), &three), &k), &m));
        let all = b.map(Level::Auto, &xs, |b, x| b.map(Level::Auto, &ys, |b, y| fold_of_folds(b, x, y, MUL)));
        b.finish(&all)
    };
    let target = small();
    for (m, loads) in [(40, 5), (259, 8)] {
        let kernel = of(m);
        agrees_in_blocks(&kernel, &target, &[vec![cube(74, 11, 3), cube(m as usize, 11, 3)]]);
        let program = compile(&kernel, &target).unwrap_or_else(|e| panic!("{}", e[0]));
        let text = &program.opencl.text;
        let made = text.matches("= xs[").count() + text.matches("= ys[").count();
        assert_eq!(made, loads, "{text}");
    }
}

/// A loop around the maps over the grid is a part of their first dimension.
#[test]
fn four_maps_are_three_dimensions() {
    let mut b = Builder::new("four");
    let [m, n, c, o, l] = [3, 4, 9, 7, 66].map(Size::int);
    let batches = b.param("batches", array(array(array(array(float(), &l.add(&Size::int(2))), &c), &n), &m));
    let weights = b.param("weights", array(array(array(float(), &Size::int(3)), &c), &o));
    let result = b.map(Level::Auto, &batches, |b, images| {
        b.map(Level::Auto, images, |b, image| {
            let windows = b.map(Level::Auto, image, |b, row| {
                b.view(Prim::Slide, &[Size::int(3), Size::one()], std::slice::from_ref(row))
            });
            let columns = b.transpose(&windows);
            b.map(Level::Auto, &weights, |b, channel| {
                b.map(Level::Auto, &columns, |b, window| fold_of_folds(b, window, channel, MUL))
            })
        })
    });
    let kernel = b.finish(&result);
    let batches = Value::Array(ArrayValue::Values((0..3).map(|_| cube(4, 9, 68)).collect()));
    agrees_in_blocks(&kernel, &small(), &[vec![batches, cube(7, 9, 3)]]);
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
    let shared = of_any_length(MUL);
    assert!(!text(&shared, &small().with(Parameter::MapBlock, 1)).contains(LABEL));
    assert!(!text(&shared, &Target::cpu()).contains(LABEL));
}
