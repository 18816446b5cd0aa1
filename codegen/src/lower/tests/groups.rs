//! Work-groups: local memory and barriers.

use super::*;
use crate::core::builder::*;
use lift_analysis::size::Size;

#[test]
fn tiles_in_local_memory() {
    for (k, lens) in [(64u64, [0, 64, 640]), (100, [0, 100, 1000]), (600, [0, 600, 1800])] {
        let mut b = Builder::new("tiles");
        let n = b.size("N");
        let xs = b.param("xs", array(float(), &(&n * k as i64)));
        let tiles = b.split(k, &xs);
        let ys = b.map(Level::Wrg(0), &tiles, |b, tile| {
            let here = b.map(Level::Lcl(0), tile, |b, x| b.mul(x, x));
            let here = b.store(Space::Local, &here);
            let there = b.view(Prim::Reverse, &[], &[here]);
            b.map(Level::Lcl(0), &there, |b, x| b.add(x, 1.0f32))
        });
        let ys = b.join(&ys);
        let kernel = b.finish(&ys);
        for len in lens {
            agrees(&kernel, &[floats(len)]);
        }
    }
}

#[test]
fn a_sum_in_each_group() {
    let mut b = Builder::new("sums");
    let n = b.size("N");
    let xs = b.param("xs", array(float(), &(&n * 128)));
    let tiles = b.split(128u64, &xs);
    let ys = b.map(Level::Wrg(0), &tiles, |b, tile| {
        let pieces = b.split(4u64, tile);
        let parts = b.map(Level::Lcl(0), &pieces, |b, p| b.reduce(Level::Seq, 0.0f32, p, |b, a, x| b.add(a, x)));
        let parts = b.store(Space::Local, &parts);
        let parts = b.join(&parts);
        b.reduce(Level::Seq, 0.0f32, &parts, |b, a, x| b.add(a, x))
    });
    let ys = b.join(&ys);
    let kernel = b.finish(&ys);
    for len in [0, 128, 1280] {
        agrees(&kernel, &[floats(len)]);
    }
}

#[test]
fn a_tree_in_each_group() {
    let mut b = Builder::new("tree");
    let n = b.size("N");
    let xs = b.param("xs", array(float(), &(&n * 64)));
    let tiles = b.split(64u64, &xs);
    let ys = b.map(Level::Wrg(0), &tiles, |b, tile| {
        let here = b.map(Level::Lcl(0), tile, |b, x| b.mul(x, 1.0f32));
        let here = b.store(Space::Local, &here);
        let mut funs = Vec::new();
        for len in [64u64, 32, 16, 8, 4, 2] {
            let ty = array(float(), &len.into());
            funs.push(b.lambda(&[ty], |b, x| {
                let s = b.split(2u64, &x[0]);
                let r = b.map(Level::Lcl(0), &s, |b, p| b.reduce(Level::Seq, 0.0f32, p, |b, a, x| b.add(a, x)));
                let r = b.store(Space::Local, &r);
                b.join(&r)
            }));
        }
        b.prim(Prim::Iterate, &[6u64.into()], funs, &[here])
    });
    let ys = b.join(&ys);
    let kernel = b.finish(&ys);
    for len in [0, 64, 640] {
        agrees(&kernel, &[floats(len)]);
    }
}

#[test]
fn two_dimensions() {
    for (outer, inner) in
        [((Level::Glb(1), Level::Glb(0)), None), ((Level::Wrg(1), Level::Wrg(0)), Some((Level::Lcl(1), Level::Lcl(0))))]
    {
        let mut b = Builder::new("product");
        let (n, m, k) = (b.size("N"), b.size("M"), b.size("K"));
        let four: Size = 4u64.into();
        let (rows_n, cols_m) = match inner {
            None => (n.clone(), m.clone()),
            Some(_) => (&n * &four, &m * &four),
        };
        let a = b.param("a", array(array(float(), &k), &rows_n));
        let bt = b.param("bt", array(array(float(), &k), &cols_m));
        let dot = |b: &mut Builder, x: &Atom, y: &Atom| {
            let z = b.zip(&[x.clone(), y.clone()]);
            let z = b.map(Level::Seq, &z, |b, p| {
                let (x, y) = (b.proj(p, 0), b.proj(p, 1));
                b.mul(&x, &y)
            });
            let r = b.reduce(Level::Seq, 0.0f32, &z, |b, a, x| b.add(a, x));
            b.view(Prim::Head, &[], &[r])
        };
        let c = match inner {
            None => b.map(outer.0, &a, |b, x| b.map(outer.1, &bt, |b, y| dot(b, x, y))),
            Some((l1, l0)) => {
                let a = b.split(4u64, &a);
                let bt = b.split(4u64, &bt);
                b.map(outer.0, &a, |b, xs| {
                    b.map(outer.1, &bt, |b, ys| b.map(l1, xs, |b, x| b.map(l0, ys, |b, y| dot(b, x, y))))
                })
            }
        };
        let kernel = b.finish(&c);
        for (n, m, k) in [(4, 4, 1), (8, 12, 5), (36, 20, 33)] {
            agrees(&kernel, &[rows(n, k), rows(m, k)]);
        }
    }
}

#[test]
fn a_whole_row_by_each_group() {
    // The length of rows is not constant: the group loops over them, and shares its results in global memory.
    let mut b = Builder::new("softmax-like");
    let (n, m) = (b.size("N"), b.size("M"));
    let xss = b.param("xss", array(array(float(), &m), &n));
    let ys = b.map(Level::Wrg(0), &xss, |b, row| {
        let squares = b.map(Level::Lcl(0), row, |b, x| b.mul(x, x));
        let sum = b.reduce(Level::Seq, 1.0f32, &squares, |b, a, x| b.add(a, x));
        let sum = b.view(Prim::Head, &[], &[sum]);
        b.map(Level::Lcl(0), &squares, |b, x| b.div(x, &sum))
    });
    let kernel = b.finish(&ys);
    for (n, m) in [(1, 1), (3, 5), (32, 17), (7, 300)] {
        agrees(&kernel, &[rows(n, m)]);
    }
}
