//! Tests of work inside one work-item: accumulators, searches, branches, private memory.

use super::programs::{of_floats, of_ints};
use super::*;
use crate::core::builder::*;
use lift_analysis::size::Size;

/// A kernel over the rows of a matrix: each computed by one work-item, by work-items in two dimensions, and all by a
/// single one.
fn of_rows(name: &str, row: impl Fn(&mut Builder, &Atom) -> Atom) {
    for level in [Level::Auto, Level::Seq] {
        let mut b = Builder::new(name);
        let (n, m) = (b.size("N"), b.size("M"));
        let xss = b.param("xss", array(array(float(), &m), &n));
        let result = b.map(level, &xss, &row);
        let kernel = b.finish(&result);
        for (n, m) in [(1, 0), (1, 1), (3, 5), (32, 17), (130, 3)] {
            agrees(&kernel, &[rows(n, m)]);
        }
    }
    // Rows of a constant length fit private memory.
    let mut b = Builder::new(name);
    let n = b.size("N");
    let xss = b.param("xss", array(array(float(), &8u64.into()), &n));
    let result = b.map(Level::Auto, &xss, &row);
    let kernel = b.finish(&result);
    for n in [1, 5, 130] {
        agrees(&kernel, &[rows(n, 8)]);
    }
}

#[test]
fn stored_rows() {
    of_rows("normalised", |b, row| {
        let squares = b.map(Level::Seq, row, |b, x| b.mul(x, x));
        let sum = b.reduce(Level::Seq, 1.0f32, &squares, |b, a, x| b.add(a, x));
        let sum = b.view(Prim::Head, &[], &[sum]);
        b.map(Level::Seq, &squares, |b, x| b.div(x, &sum))
    });
    of_rows("explicitly private", |b, row| {
        let squares = b.map(Level::Seq, row, |b, x| b.mul(x, x));
        let squares = b.store(Space::Private, &squares);
        b.view(Prim::Reverse, &[], &[squares])
    });
    of_rows("windows of stored rows", |b, row| {
        let squares = b.map(Level::Seq, row, |b, x| b.mul(x, x));
        let r = b.view(Prim::Reverse, &[], &[squares.clone()]);
        let z = b.zip(&[squares, r]);
        b.map(Level::Seq, &z, |b, p| {
            let (x, y) = (b.proj(p, 0), b.proj(p, 1));
            b.sub(&x, &y)
        })
    });
}

#[test]
fn accumulators_of_several_parts() {
    of_rows("min and max", |b, row| {
        let z = b.tuple(&[9.0f32.into(), (-9.0f32).into()]);
        b.reduce(Level::Seq, &z, row, |b, acc, x| {
            let (lo, hi) = (b.proj(acc, 0), b.proj(acc, 1));
            let lo = b.op(ScalarOp::Min, &[lo, x.clone()]);
            let hi = b.op(ScalarOp::Max, &[hi, x.clone()]);
            b.tuple(&[hi, lo])
        })
    });
    of_rows("fibonacci", |b, row| {
        let z = b.tuple(&[0.0f32.into(), 1.0f32.into()]);
        b.reduce(Level::Seq, &z, row, |b, acc, x| {
            let (p, q) = (b.proj(acc, 0), b.proj(acc, 1));
            let s = b.add(&p, &q);
            let s = b.mul(&s, x);
            b.tuple(&[q, s])
        })
    });
}

#[test]
fn accumulators_with_arrays() {
    for level in [Level::Auto, Level::Seq] {
        let mut b = Builder::new("columns");
        let n = b.size("N");
        let m = b.size("M");
        let xss = b.param("xss", array(array(float(), &m), &n));
        let zeros = b.view(Prim::Fill, &[m.clone()], &[0.0f32.into()]);
        let sums = b.reduce(level, &zeros, &xss, |b, acc, row| {
            let z = b.zip(&[acc.clone(), row.clone()]);
            let z = b.map(Level::Seq, &z, |b, p| {
                let (x, y) = (b.proj(p, 0), b.proj(p, 1));
                b.add(&x, &y)
            });
            // The last element comes first, so the accumulator cannot be overwritten in place.
            b.view(Prim::Reverse, &[], &[z])
        });
        let kernel = b.finish(&sums);
        for (n, m) in [(1, 1), (3, 5), (32, 17)] {
            agrees(&kernel, &[rows(n, m)]);
        }
    }
}

#[test]
fn scans_inside() {
    of_rows("scan", |b, row| b.fold(Prim::Scan(Level::Auto), &[], 0.0f32, row, |b, a, x| b.add(a, x)));
    of_rows("scanExcl", |b, row| b.fold(Prim::ScanExcl(Level::Seq), &[], 0.0f32, row, |b, a, x| b.add(a, x)));
    of_rows("scan of a scan", |b, row| {
        let s = b.fold(Prim::Scan(Level::Auto), &[], 0.0f32, row, |b, a, x| b.add(a, x));
        b.fold(Prim::Scan(Level::Auto), &[], 0.0f32, &s, |b, a, x| b.op(ScalarOp::Max, &[a.clone(), x.clone()]))
    });
}

#[test]
fn branches() {
    of_ints("scalar", |b, xs| {
        b.map(Level::Auto, xs, |b, x| {
            let c = b.lt(x, 0);
            b.if_(&c, |b| b.mul(x, -2), |b| b.add(x, 1))
        })
    });
    of_ints("tuple", |b, xs| {
        b.map(Level::Auto, xs, |b, x| {
            let c = b.lt(x, 0);
            let t = b.if_(
                &c,
                |b| {
                    let y = b.mul(x, 2);
                    b.tuple(&[x.clone(), y])
                },
                |b| b.tuple(&[7.into(), x.clone()]),
            );
            let (p, q) = (b.proj(&t, 0), b.proj(&t, 1));
            b.sub(&p, &q)
        })
    });
    of_rows("rows", |b, row| {
        let s = b.reduce(Level::Seq, 0.0f32, row, |b, a, x| b.add(a, x));
        let s = b.view(Prim::Head, &[], &[s]);
        let c = b.gt(&s, 1.0f32);
        b.if_(&c, |b| b.view(Prim::Reverse, &[], &[row.clone()]), |b| b.map(Level::Seq, row, |b, x| b.mul(x, &s)))
    });
    of_rows("chosen, then reduced", |b, row| {
        let c = b.gt(1.0f32, 0.5f32);
        let r = b.if_(&c, |b| b.view(Prim::Reverse, &[], &[row.clone()]), |_| row.clone());
        b.reduce(Level::Seq, 0.0f32, &r, |b, a, x| {
            let a = b.mul(a, 0.5f32);
            b.add(&a, x)
        })
    });
    of_floats("at the top", |b, xs| {
        let s = b.reduce(Level::Auto, 0.0f32, xs, |b, a, x| b.add(a, x));
        let s = b.view(Prim::Head, &[], &[s]);
        let c = b.gt(&s, 10.0f32);
        b.if_(&c, |b| b.map(Level::Auto, xs, |b, x| b.mul(x, &s)), |b| b.view(Prim::Reverse, &[], &[xs.clone()]))
    });
    of_floats("scalar at the top", |b, xs| {
        let s = b.reduce(Level::Auto, 0.0f32, xs, |b, a, x| b.add(a, x));
        let s = b.view(Prim::Head, &[], &[s]);
        let c = b.gt(&s, 10.0f32);
        let k = b.if_(&c, |b| b.mul(&s, 2.0f32), |b| b.add(&s, 1.0f32));
        let ys = b.map(Level::Auto, xs, |b, x| b.mul(x, &k));
        b.tuple(&[k, ys])
    });
}

#[test]
fn loops_that_end_early() {
    of_ints("reduceWhileSeq", |b, xs| {
        let test = b.lambda(&[int()], |b, a| b.lt(&a[0], 100));
        let f = b.lambda(&[int(), int()], |b, p| b.add(&p[0], &p[1]));
        b.prim(Prim::ReduceWhileSeq, &[], vec![test, f], &[0.into(), xs.clone()])
    });
    of_ints("collatz", |b, xs| {
        b.map(Level::Auto, xs, |b, x| {
            let x = b.op(ScalarOp::Abs, &[x.clone()]);
            let x = b.add(&x, 1);
            let start = b.tuple(&[x, 0.into()]);
            let ty = b.ty(&start);
            let test = b.lambda(&[ty.clone()], |b, p| {
                let x = b.proj(&p[0], 0);
                b.gt(&x, 1)
            });
            let f = b.lambda(&[ty], |b, p| {
                let (x, n) = (b.proj(&p[0], 0), b.proj(&p[0], 1));
                let r = b.rem(&x, 2);
                let even = b.eq(&r, 0);
                let next = b.if_(
                    &even,
                    |b| b.div(&x, 2),
                    |b| {
                        let t = b.mul(&x, 3);
                        b.add(&t, 1)
                    },
                );
                let n = b.add(&n, 1);
                b.tuple(&[next, n])
            });
            let end = b.prim(Prim::IterateWhile, &[], vec![test, f], &[start]);
            b.proj(&end, 1)
        })
    });
}

#[test]
fn searches() {
    let mut b = Builder::new("search");
    let (n, m) = (b.size("N"), b.size("M"));
    let sorted = b.param("sorted", array(int(), &n));
    let xs = b.param("xs", array(int(), &m));
    let found = b.map(Level::Auto, &xs, |b, x| {
        let by = |b: &mut Builder| b.lambda(&[int()], |b, y| b.sub(x, &y[0]));
        let f = by(b);
        let i = b.prim(Prim::Search, &[], vec![f], &[sorted.clone()]);
        let f = by(b);
        let j = b.prim(Prim::LSearch, &[], vec![f], &[sorted.clone()]);
        b.tuple(&[i, j])
    });
    let kernel = b.finish(&found);
    for n in [0, 1, 2, 50] {
        let sorted = Value::from((0..n).map(|i| i * 2 - 30).collect::<Vec<i32>>());
        agrees(&kernel, &[sorted, ints(100)]);
    }
}

#[test]
fn iterations() {
    let n: lift_analysis::size::Size = 16u64.into();
    let mut b = Builder::new("halves");
    let xs = b.param("xs", array(int(), &n));
    let mut funs = Vec::new();
    for len in [16u64, 8, 4] {
        let ty = array(int(), &len.into());
        funs.push(b.lambda(&[ty], |b, x| {
            let s = b.split(2u64, &x[0]);
            let r = b.map(Level::Seq, &s, |b, p| b.reduce(Level::Seq, 0, p, |b, a, x| b.add(a, x)));
            b.join(&r)
        }));
    }
    let r = b.prim(Prim::Iterate, &[3u64.into()], funs, &[xs]);
    let kernel = b.finish(&r);
    agrees(&kernel, &[ints(16)]);
    of_ints("same length", |b, xs| {
        let ty = b.ty(xs);
        let f = b.lambda(&[ty], |b, x| b.map(Level::Auto, &x[0], |b, x| b.mul(x, 3)));
        b.prim(Prim::Iterate, &[5u64.into()], vec![f], &[xs.clone()])
    });
}

#[test]
fn many_iterations() {
    for level in [Level::Auto, Level::Seq] {
        let mut b = Builder::new("as often as there are rounds");
        let (n, k) = (b.size("N"), b.size("K"));
        let xs = b.param("xs", array(int(), &n));
        let _ = b.param("rounds", array(int(), &k));
        let ty = b.ty(&xs);
        let f = b.lambda(&[ty], |b, x| {
            let r = b.view(Prim::Reverse, &[], &[x[0].clone()]);
            let z = b.zip(&[x[0].clone(), r]);
            b.map(level, &z, |b, p| {
                let (x, y) = (b.proj(p, 0), b.proj(p, 1));
                let y = b.mul(&y, 3);
                b.sub(&x, &y)
            })
        });
        let r = b.prim(Prim::Iterate, &[k], vec![f], &[xs]);
        let kernel = b.finish(&r);
        for k in [0, 1, 2, 7, 30] {
            agrees(&kernel, &[ints(130), ints(k)]);
        }
    }
    of_ints("in a loop", |b, xs| {
        b.map(Level::Auto, xs, |b, x| {
            let f = b.lambda(&[int()], |b, y| {
                let y = b.mul(&y[0], 3);
                b.add(&y, x)
            });
            b.prim(Prim::Iterate, &[40u64.into()], vec![f], &[x.clone()])
        })
    });
}

#[test]
fn elements() {
    of_ints("aref", |b, xs| {
        let n = b.view(Prim::Length, &[], &[xs.clone()]);
        b.map(Level::Auto, xs, |b, x| {
            let at = b.op(ScalarOp::Abs, &[x.clone()]);
            let n = b.op(ScalarOp::Max, &[n.clone(), 1.into()]);
            let at = b.rem(&at, &n);
            b.aref(xs, &at)
        })
    });
    of_rows("rows by index", |b, row| {
        let n = b.view(Prim::Length, &[], &[row.clone()]);
        let i = b.iota({
            let ty = b.ty(row);
            ty.as_array().map(|a| a.len.clone()).unwrap_or_else(|| 0u64.into())
        });
        b.map(Level::Seq, &i, |b, i| {
            let last = b.sub(&n, 1);
            let j = b.sub(&last, i);
            b.aref(row, &j)
        })
    });
}

#[test]
fn sorting() {
    of_ints("sort", |b, xs| {
        let f = b.lambda(&[int(), int()], |b, p| b.lt(&p[0], &p[1]));
        b.prim(Prim::Sort, &[], vec![f], &[xs.clone()])
    });
    of_ints("argsort", |b, xs| {
        let f = b.lambda(&[int(), int()], |b, p| {
            let (x, y) = (b.rem(&p[0], 7), b.rem(&p[1], 7));
            b.lt(&x, &y)
        });
        b.prim(Prim::Argsort, &[], vec![f], &[xs.clone()])
    });
    of_rows("rows", |b, row| {
        let f = b.lambda(&[float(), float()], |b, p| b.gt(&p[0], &p[1]));
        b.prim(Prim::Sort, &[], vec![f], &[row.clone()])
    });
}

#[test]
fn parts_reduced() {
    let mut b = Builder::new("partRed");
    let n = b.size("N");
    let xs = b.param("xs", array(int(), &(&n * 4)));
    let r = b.fold(Prim::PartRed, &[4u64.into()], 0, &xs, |b, a, x| b.add(a, x));
    let kernel = b.finish(&r);
    for len in [0, 4, 8, 400] {
        agrees(&kernel, &[ints(len)]);
    }
}

/// Five rows are sorted in the memory of five work-items, also where a group has more.
#[test]
fn only_work_items_with_an_element_have_memory() {
    let mut b = Builder::new("sorted");
    let n = b.size("N");
    let xss = b.param("xss", array(array(int(), &n), &Size::nat(5)));
    let sorted = b.map(Level::Auto, &xss, |b, row| {
        let kept = b.filter(Level::Seq, row, |b, x| b.lt(x, 3));
        let (lengths, kept) = b.unpack(&kept);
        let f = b.lambda(&[int(), int()], |b, p| b.lt(&p[0], &p[1]));
        let sorted = b.prim(Prim::Sort, &[], vec![f], &[kept]);
        b.pack(&sorted, &lengths)
    });
    let kernel = b.finish(&sorted);
    for target in [Target::portable(), Target::gpu(), Target::nvidia()] {
        let program = compile(&kernel, &target).unwrap_or_else(|errors| panic!("{}", errors[0]));
        let parts = program.report.stored.iter().filter(|s| s.memory == crate::report::Kind::GlobalParts);
        let parts: Vec<String> = parts.map(|s| format!("{} {}", s.name, s.bytes)).collect();
        assert_eq!(parts, ["kept 20*N", "order 20*N", "merged 20*N"], "{:?}", target.class);
        let capacity =
            |name: &str| program.plan.buffers.iter().find(|b| b.name == name).map(|b| b.capacity.to_string());
        assert_eq!(capacity("order").as_deref(), Some("5*N"), "{:?}", target.class);
    }
}
