//! Programs on the device, compared with the interpreter.

use super::*;
use crate::core::builder::*;

/// Tests a kernel of one array of N floats, for all lengths.
pub fn of_floats(name: &str, body: impl Fn(&mut Builder, &Atom) -> Atom) {
    let mut b = Builder::new(name);
    let n = b.size("N");
    let xs = b.param("xs", array(float(), &n));
    let result = body(&mut b, &xs);
    let kernel = b.finish(&result);
    for len in LENGTHS {
        agrees(&kernel, &[floats(len)]);
    }
}
pub fn of_ints(name: &str, body: impl Fn(&mut Builder, &Atom) -> Atom) {
    let mut b = Builder::new(name);
    let n = b.size("N");
    let xs = b.param("xs", array(int(), &n));
    let result = body(&mut b, &xs);
    let kernel = b.finish(&result);
    for len in LENGTHS {
        agrees(&kernel, &[ints(len)]);
    }
}

#[test]
fn maps() {
    for level in [Level::Auto, Level::Seq, Level::Glb(0), Level::Glb(1), Level::Wrg(0)] {
        of_floats("twice", |b, xs| b.map(level, xs, |b, x| b.mul(x, 2.0f32)));
    }
}

#[test]
fn maps_in_maps() {
    for (outer, inner) in [
        (Level::Auto, Level::Auto),
        (Level::Seq, Level::Seq),
        (Level::Glb(0), Level::Seq),
        (Level::Glb(1), Level::Glb(0)),
        (Level::Glb(0), Level::Glb(1)),
        (Level::Wrg(0), Level::Lcl(0)),
        (Level::Auto, Level::Glb(0)),
    ] {
        let mut b = Builder::new("twice");
        let (n, m) = (b.size("N"), b.size("M"));
        let xs = b.param("xss", array(array(float(), &m), &n));
        let ys = b.map(outer, &xs, |b, row| b.map(inner, row, |b, x| b.mul(x, 2.0f32)));
        let kernel = b.finish(&ys);
        for (n, m) in [(0, 3), (3, 0), (1, 1), (5, 7), (64, 33), (130, 129)] {
            if n > 0 {
                agrees(&kernel, &[rows(n, m)]);
            }
        }
    }
}

#[test]
fn filters() {
    for level in [Level::Auto, Level::Seq, Level::Glb(0)] {
        of_floats("keep", |b, xs| b.filter(level, xs, |b, x| b.gt(x, 0.5f32)));
    }
}

#[test]
fn the_flagship() {
    of_floats("flagship", |b, xs| {
        let kept = b.filter(Level::Glb(0), xs, |b, x| b.gt(x, 0.5f32));
        let (lens, ys) = b.unpack(&kept);
        let zs = b.map(Level::Glb(0), &ys, |b, x| b.mul(x, 2.0f32));
        b.pack(&zs, &lens)
    });
}

#[test]
fn reductions() {
    for level in [Level::Auto, Level::Seq] {
        of_ints("sum", |b, xs| b.reduce(level, 0, xs, |b, a, x| b.add(a, x)));
        of_floats("sum", |b, xs| b.reduce(level, 0.0f32, xs, |b, a, x| b.add(a, x)));
        // Associative but not commutative: returns the first element.
        of_ints("composition", |b, xs| {
            let pairs = b.map(Level::Auto, xs, |b, x| {
                let odd = b.rem(x, 3);
                b.tuple(&[odd, x.clone()])
            });
            let z = b.tuple(&[1.into(), 0.into()]);
            b.reduce(level, &z, &pairs, |b, f, g| {
                let (a1, b1, a2, b2) = (b.proj(f, 0), b.proj(f, 1), b.proj(g, 0), b.proj(g, 1));
                let a = b.mul(&a1, &a2);
                let c = b.mul(&a1, &b2);
                let c = b.add(&c, &b1);
                b.tuple(&[a, c])
            })
        });
    }
}

#[test]
fn scans() {
    for level in [Level::Auto, Level::Seq] {
        for prim in [Prim::Scan(level), Prim::ScanExcl(level)] {
            of_ints("scan", |b, xs| b.fold(prim, &[], 0, xs, |b, a, x| b.add(a, x)));
        }
    }
}

#[test]
fn views() {
    of_ints("reverse", |b, xs| b.view(Prim::Reverse, &[], &[xs.clone()]));
    of_ints("concat", |b, xs| {
        let ys = b.view(Prim::Reverse, &[], &[xs.clone()]);
        b.view(Prim::Concat, &[], &[xs.clone(), ys])
    });
    of_ints("zip", |b, xs| {
        let ys = b.map(Level::Auto, xs, |b, x| b.mul(x, x));
        b.zip(&[xs.clone(), ys])
    });
    of_ints("index", |b, xs| {
        let n = b.view(Prim::Length, &[], &[xs.clone()]);
        b.permute(Prim::Gather, xs, |b, i| {
            let last = b.sub(&n, 1);
            b.sub(&last, i)
        })
    });
    of_ints("scatter", |b, xs| {
        let n = b.view(Prim::Length, &[], &[xs.clone()]);
        b.permute(Prim::Scatter, xs, |b, i| {
            let last = b.sub(&n, 1);
            b.sub(&last, i)
        })
    });
    of_ints("pad", |b, xs| b.view(Prim::PadConstant, &[2u64.into(), 3u64.into()], &[7.into(), xs.clone()]));
}

#[test]
fn rows_of_hidden_length() {
    for level in [Level::Auto, Level::Glb(0), Level::Seq] {
        let mut b = Builder::new("rows");
        let (n, m) = (b.size("N"), b.size("M"));
        let xs = b.param("xss", array(array(float(), &m), &n));
        let ys = b.map(level, &xs, |b, row| b.filter(Level::Auto, row, |b, x| b.gt(x, 0.5f32)));
        let kernel = b.finish(&ys);
        for (n, m) in [(1, 1), (5, 7), (64, 33), (130, 129)] {
            agrees(&kernel, &[rows(n, m)]);
        }
    }
}
