//! Views that are read and written, at the top of a program and inside functions.

use super::programs::{of_floats, of_ints};
use super::*;
use crate::core::builder::*;

fn sizes(ns: &[u64]) -> Vec<lift_analysis::size::Size> {
    ns.iter().map(|n| (*n).into()).collect()
}

/// A view of a matrix of N rows and M columns: copied, mapped over, and as the destination of a `map`.
fn of_matrix(name: &str, shapes: &[(usize, usize)], view: impl Fn(&mut Builder, &Atom) -> Atom) {
    for way in 0..3 {
        let mut b = Builder::new(name);
        let (n, m) = (b.size("N"), b.size("M"));
        let xss = b.param("xss", array(array(float(), &m), &n));
        let result = match way {
            0 => view(&mut b, &xss),
            1 => {
                let twice = b.map(Level::Auto, &xss, |b, row| b.map(Level::Auto, row, |b, x| b.mul(x, 2.0f32)));
                view(&mut b, &twice)
            }
            _ => {
                let ys = b.map(Level::Seq, &xss, |b, row| b.map(Level::Seq, row, |b, x| b.mul(x, 2.0f32)));
                view(&mut b, &ys)
            }
        };
        let kernel = b.finish(&result);
        for (n, m) in shapes {
            agrees(&kernel, &[rows(*n, *m)]);
        }
    }
}

const SHAPES: [(usize, usize); 4] = [(1, 1), (3, 5), (32, 17), (130, 3)];

#[test]
fn transpositions() {
    of_matrix("transpose", &SHAPES, |b, xss| b.transpose(xss));
    of_matrix("twice", &SHAPES, |b, xss| {
        let t = b.transpose(xss);
        b.transpose(&t)
    });
    of_matrix("flat", &SHAPES, |b, xss| {
        let t = b.transpose(xss);
        b.join(&t)
    });
    of_matrix("columns", &SHAPES, |b, xss| {
        let t = b.transpose(xss);
        b.map(Level::Auto, &t, |b, column| b.reduce(Level::Auto, 0.0f32, column, |b, a, x| b.add(a, x)))
    });
    of_matrix("reversed", &SHAPES, |b, xss| {
        let t = b.transpose(xss);
        b.view(Prim::Reverse, &[], &[t])
    });
}

#[test]
fn joins_and_splits() {
    of_matrix("join", &SHAPES, |b, xss| b.join(xss));
    for k in [1u64, 4] {
        let mut b = Builder::new("split");
        let n = b.size("N");
        let xs = b.param("xs", array(int(), &(&n * k as i64)));
        let parts = b.split(k, &xs);
        let back = b.map(Level::Auto, &parts, |b, p| {
            let r = b.view(Prim::Reverse, &[], &[p.clone()]);
            b.map(Level::Seq, &r, |b, x| b.add(x, 1))
        });
        let flat = b.join(&back);
        let kernel = b.finish(&flat);
        for len in [0, 1, 5, 33] {
            agrees(&kernel, &[ints(len * k as usize)]);
        }
        let mut b = Builder::new("split");
        let n = b.size("N");
        let xs = b.param("xs", array(int(), &(&n * k as i64)));
        let ys = b.map(Level::Auto, &xs, |b, x| b.add(x, 1));
        let parts = b.split(k, &ys);
        let kernel = b.finish(&parts);
        for len in [0, 1, 5, 33] {
            agrees(&kernel, &[ints(len * k as usize)]);
        }
    }
}

#[test]
fn windows_and_pads() {
    for mode in [PadMode::Clamp, PadMode::Mirror, PadMode::Wrap] {
        of_ints("pad", |b, xs| b.view(Prim::Pad(mode), &sizes(&[2, 1]), &[xs.clone()]));
        of_ints("far", |b, xs| b.view(Prim::Pad(mode), &sizes(&[9, 5]), &[xs.clone()]));
        of_ints("stencil", |b, xs| {
            let p = b.view(Prim::Pad(mode), &sizes(&[1, 1]), &[xs.clone()]);
            let w = b.slide(3u64, 1u64, &p);
            b.map(Level::Auto, &w, |b, w| b.reduce(Level::Auto, 0, w, |b, a, x| b.add(a, x)))
        });
    }
    of_ints("constant", |b, xs| {
        let p = b.view(Prim::PadConstant, &sizes(&[2, 1]), &[7.into(), xs.clone()]);
        let w = b.slide(3u64, 1u64, &p);
        b.map(Level::Auto, &w, |b, w| b.reduce(Level::Auto, 0, w, |b, a, x| b.add(a, x)))
    });
    of_ints("of a map", |b, xs| {
        let ys = b.map(Level::Auto, xs, |b, x| b.mul(x, 3));
        let p = b.view(Prim::PadConstant, &sizes(&[1, 2]), &[7.into(), ys]);
        b.slide(3u64, 1u64, &p)
    });
}

#[test]
fn parts() {
    let mut b = Builder::new("parts");
    let n = b.size("N");
    let xs = b.param("xs", array(int(), &(&n + 5)));
    let take = b.view(Prim::Take, &sizes(&[3]), &[xs.clone()]);
    let drop = b.view(Prim::Drop, &sizes(&[3]), &[xs.clone()]);
    let slice = b.view(Prim::Slice, &sizes(&[1, 4]), &[xs.clone()]);
    let tail = b.view(Prim::Tail, &[], &[xs.clone()]);
    let head = b.view(Prim::Head, &[], &[xs.clone()]);
    let last = b.view(Prim::Last, &[], &[xs.clone()]);
    let t = b.tuple(&[take, drop, slice, tail, head, last]);
    let kernel = b.finish(&t);
    for len in [5, 6, 129] {
        agrees(&kernel, &[ints(len)]);
    }
}

#[test]
fn strides_are_permutations() {
    let mut b = Builder::new("stride");
    let n = b.size("N");
    let xs = b.param("xs", array(int(), &(&n * 4)));
    let s = b.view(Prim::Stride, &sizes(&[4]), &[xs.clone()]);
    let ys = b.map(Level::Auto, &s, |b, x| b.add(x, 1));
    let kernel = b.finish(&ys);
    for len in [0, 4, 8, 20, 132] {
        agrees(&kernel, &[ints(len)]);
    }
}

#[test]
fn tuples_of_arrays() {
    of_floats("unzip", |b, xs| {
        let pairs = b.map(Level::Auto, xs, |b, x| {
            let y = b.mul(x, 2.0f32);
            b.tuple(&[x.clone(), y])
        });
        b.view(Prim::Unzip, &[], &[pairs])
    });
    of_floats("zip", |b, xs| {
        let ys = b.map(Level::Auto, xs, |b, x| b.mul(x, 2.0f32));
        let zs = b.map(Level::Seq, xs, |b, x| b.mul(x, 3.0f32));
        b.zip(&[xs.clone(), ys, zs])
    });
    of_floats("dot", |b, xs| {
        let p = b.zip(&[xs.clone(), xs.clone()]);
        let p = b.map(Level::Auto, &p, |b, p| {
            let (x, y) = (b.proj(p, 0), b.proj(p, 1));
            b.mul(&x, &y)
        });
        b.reduce(Level::Auto, 0.0f32, &p, |b, a, x| b.add(a, x))
    });
    of_floats("both", |b, xs| {
        let ys = b.map(Level::Auto, xs, |b, x| b.mul(x, 2.0f32));
        let s = b.reduce(Level::Auto, 0.0f32, &ys, |b, a, x| b.add(a, x));
        b.tuple(&[ys.clone(), s, ys])
    });
}

#[test]
fn concatenations() {
    of_ints("concat", |b, xs| {
        let ys = b.map(Level::Auto, xs, |b, x| b.mul(x, 2));
        b.view(Prim::Concat, &[], &[ys, xs.clone()])
    });
    of_ints("concat of maps", |b, xs| {
        let ys = b.map(Level::Glb(0), xs, |b, x| b.mul(x, 2));
        let zs = b.map(Level::Glb(0), xs, |b, x| b.mul(x, 3));
        let c = b.view(Prim::Concat, &[], &[ys, zs]);
        b.view(Prim::Reverse, &[], &[c])
    });
}

#[test]
fn generated() {
    let mut b = Builder::new("generate");
    let n = b.size("N");
    let xs = b.param("xs", array(int(), &n));
    let squares = b.generate(n.clone(), |b, i| b.mul(i, i));
    let iota = b.iota(n.clone());
    let sevens = b.view(Prim::Fill, &[n.clone()], &[7.into()]);
    let all = b.zip(&[squares, iota, sevens, xs]);
    let sums = b.map(Level::Auto, &all, |b, t| {
        let mut sum = b.proj(t, 0);
        for k in 1..4 {
            let x = b.proj(t, k);
            sum = b.add(&sum, &x);
        }
        sum
    });
    let kernel = b.finish(&sums);
    for len in LENGTHS {
        agrees(&kernel, &[ints(len)]);
    }
}

#[test]
fn vectors() {
    let mut b = Builder::new("vectors");
    let n = b.size("N");
    let xs = b.param("xs", array(float(), &(&n * 4)));
    let v = b.view(Prim::AsVector, &sizes(&[4]), &[xs.clone()]);
    let f = |b: &mut Builder, v: &Atom| {
        let f = b.lambda(&[float()], |b, x| b.mul(&x[0], 2.0f32));
        b.prim(Prim::Vectorize, &sizes(&[4]), vec![f], &[v.clone()])
    };
    let w = b.map(Level::Auto, &v, f);
    let ys = b.view(Prim::AsScalar, &[], &[w]);
    let kernel = b.finish(&ys);
    for len in [0, 4, 64, 132] {
        agrees(&kernel, &[floats(len)]);
    }
    let mut b = Builder::new("vectors as a result");
    let n = b.size("N");
    let xs = b.param("xs", array(float(), &(&n * 4)));
    let v = b.view(Prim::AsVector, &sizes(&[4]), &[xs.clone()]);
    let r = b.view(Prim::Reverse, &[], &[v.clone()]);
    let z = b.zip(&[v, r]);
    let w = b.map(Level::Auto, &z, |b, p| {
        let (x, y) = (b.proj(p, 0), b.proj(p, 1));
        let f = b.lambda(&[float(), float()], |b, x| b.add(&x[0], &x[1]));
        b.prim(Prim::Vectorize, &sizes(&[4]), vec![f], &[x, y])
    });
    let kernel = b.finish(&w);
    for len in [0, 4, 64, 132] {
        agrees(&kernel, &[floats(len)]);
    }
    // Reversed as scalars: the vectors are stored, then read lane by lane.
    let mut b = Builder::new("lanes");
    let n = b.size("N");
    let xs = b.param("xs", array(float(), &(&n * 4)));
    let v = b.view(Prim::AsVector, &sizes(&[4]), &[xs.clone()]);
    let w = b.map(Level::Glb(0), &v, f);
    let ys = b.view(Prim::AsScalar, &[], &[w]);
    let ys = b.view(Prim::Reverse, &[], &[ys]);
    let zs = b.view(Prim::AsVector, &sizes(&[4]), &[ys]);
    let kernel = b.finish(&zs);
    for len in [0, 4, 64, 132] {
        agrees(&kernel, &[floats(len)]);
    }
}

/// A function that rearranges the rows that it has made still makes them in parallel; each row is written to its final place.
#[test]
fn rows_that_are_rearranged_are_still_made_in_parallel() {
    let mut b = Builder::new("turned");
    let [n, m, k] = ["N", "M", "K"].map(|name| b.size(name));
    let xs = b.param("xs", array(array(array(float(), &(&k * 6)), &m), &n));
    let turned = b.map(Level::Auto, &xs, |b, image| {
        let made = b.map(Level::Auto, image, |b, row| b.map(Level::Auto, row, |b, x| b.mul(x, 2.0f32)));
        let split = b.map(Level::Auto, &made, |b, row| b.view(Prim::Split, &sizes(&[6]), std::slice::from_ref(row)));
        let turned = b.map(Level::Auto, &split, |b, row| b.transpose(row));
        b.transpose(&turned)
    });
    let kernel = b.finish(&turned);
    for target in [Target::gpu(), Target::nvidia()] {
        let program = compile(&kernel, &target).expect("it compiles");
        assert!(program.opencl.text.contains("get_global_id(2)"), "{}", program.opencl.text);
        for [n, m, k] in [[1, 1, 1], [2, 3, 4], [5, 40, 7]] {
            let images = (0..n).map(|_| rows(m, 6 * k)).collect();
            if let Err(problem) = agree(&kernel, &program, &[Value::Array(ArrayValue::Values(images))]) {
                panic!("{problem}");
            }
        }
    }
}
