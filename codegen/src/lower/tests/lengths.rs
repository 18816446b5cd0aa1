//! Lengths that are known only at run time.

use super::programs::{of_floats, of_ints};
use super::*;
use crate::core::Rhs;
use crate::core::builder::*;
use lift_analysis::size::{Assumption, Size, Var, VarKind};
use lift_analysis::ty::Ty;

#[test]
fn a_filter_of_a_filter() {
    for (first, second) in
        [(Level::Auto, Level::Auto), (Level::Seq, Level::Seq), (Level::Seq, Level::Glb(0)), (Level::Glb(0), Level::Seq)]
    {
        of_ints("twice", |b, xs| {
            let ys = b.filter(first, xs, |b, x| b.gt(x, -20));
            let (_, ys) = b.unpack(&ys);
            b.filter(second, &ys, |b, x| b.lt(x, 20))
        });
    }
}

#[test]
fn derived() {
    for level in [Level::Auto, Level::Seq] {
        of_floats("derive", |b, xs| {
            let ys = b.filter(level, xs, |b, x| b.gt(x, 0.5f32));
            let (lens, ys) = b.unpack(&ys);
            let zs = b.map(level, &ys, |b, x| b.mul(x, 2.0f32));
            let r = b.zip(&[zs, ys]);
            b.pack(&r, &lens)
        });
    }
}

#[test]
fn reduced() {
    for level in [Level::Auto, Level::Seq] {
        of_ints("sum of what is kept", |b, xs| {
            let ys = b.filter(level, xs, |b, x| b.gt(x, 0));
            let (_, ys) = b.unpack(&ys);
            b.reduce(level, 0, &ys, |b, a, x| b.add(a, x))
        });
        of_ints("how many are kept", |b, xs| {
            let ys = b.filter(level, xs, |b, x| b.gt(x, 0));
            let (_, ys) = b.unpack(&ys);
            b.view(Prim::Length, &[], &[ys])
        });
        of_ints("scanned", |b, xs| {
            let ys = b.filter(level, xs, |b, x| b.gt(x, 0));
            let (lens, ys) = b.unpack(&ys);
            let s = b.fold(Prim::Scan(level), &[], 0, &ys, |b, a, x| b.add(a, x));
            b.pack(&s, &lens)
        });
    }
}

#[test]
fn two_lengths() {
    for level in [Level::Auto, Level::Seq] {
        of_ints("both sides", |b, xs| {
            let low = b.filter(level, xs, |b, x| b.lt(x, 0));
            let high = b.filter(level, xs, |b, x| b.gt(x, 0));
            b.tuple(&[low, high])
        });
        of_ints("concatenated", |b, xs| {
            let low = b.filter(level, xs, |b, x| b.lt(x, 0));
            let (l, low) = b.unpack(&low);
            let high = b.filter(level, xs, |b, x| b.gt(x, 10));
            let (h, high) = b.unpack(&high);
            let both = b.view(Prim::Concat, &[], &[low, high]);
            let total = &l[0] + &h[0];
            let x = Var::new(VarKind::Bound, 900, "X");
            let ty = Ty::exists(vec![x.clone()], array(int(), &Size::var(x)));
            b.emit("t", ty, Vec::new(), Rhs::Pack(both, vec![total]))
        });
    }
}

/// The destination of the second part depends on a length that is opened after it was computed.
#[test]
fn the_second_part_is_computed_first() {
    fn joined(b: &mut Builder, level: Level, xs: &Atom) -> Atom {
        let high = b.filter(level, xs, |b, x| b.gt(x, 0.6f32));
        let (h, high) = b.unpack(&high);
        let twice = b.map(level, &high, |b, x| b.mul(x, 2.0f32));
        let low = b.filter(level, xs, |b, x| b.lt(x, 0.4f32));
        let (l, low) = b.unpack(&low);
        let both = b.view(Prim::Concat, &[], &[low, twice]);
        let x = Var::new(VarKind::Bound, 900, "X");
        let ty = Ty::exists(vec![x.clone()], array(float(), &Size::var(x)));
        b.emit("t", ty, Vec::new(), Rhs::Pack(both, vec![&l[0] + &h[0]]))
    }
    for level in [Level::Auto, Level::Seq] {
        of_floats("computed first", |b, xs| joined(b, level, xs));
    }
    let mut b = Builder::new("rows of parts computed first");
    let (n, m) = (b.size("N"), b.size("M"));
    let xss = b.param("xss", array(array(float(), &m), &n));
    let result = b.map(Level::Auto, &xss, |b, row| joined(b, Level::Auto, row));
    let kernel = b.finish(&result);
    for (n, m) in [(1, 1), (5, 7), (64, 33)] {
        agrees(&kernel, &[rows(n, m)]);
    }
}

#[test]
fn an_if_with_different_lengths() {
    for level in [Level::Auto, Level::Seq] {
        of_ints("either", |b, xs| {
            let s = b.reduce(level, 0, xs, |b, a, x| b.add(a, x));
            let s = b.view(Prim::Head, &[], &[s]);
            let c = b.gt(&s, 0);
            b.if_(&c, |b| b.filter(level, xs, |b, x| b.gt(x, 0)), |b| b.filter(level, xs, |b, x| b.lt(x, 0)))
        });
    }
}

#[test]
fn lengths_computed() {
    of_ints("iota", |b, xs| {
        let ys = b.map(Level::Auto, xs, |b, x| b.op(ScalarOp::BitAnd, &[x.clone(), 3.into()]));
        let s = b.reduce(Level::Auto, 0, &ys, |b, a, x| b.add(a, x));
        let s = b.view(Prim::Head, &[], &[s]);
        let i = b.view(Prim::Iota, &[], &[s]);
        let (_, i) = b.unpack(&i);
        b.reduce(Level::Auto, 0, &i, |b, a, x| b.add(a, x))
    });
}

#[test]
fn rows_of_their_own_length() {
    for level in [Level::Auto, Level::Seq] {
        let mut b = Builder::new("sums of what is kept of each row");
        let (n, m) = (b.size("N"), b.size("M"));
        let xss = b.param("xss", array(array(float(), &m), &n));
        let kept = b.map(level, &xss, |b, row| b.filter(Level::Auto, row, |b, x| b.gt(x, 0.5f32)));
        let sums = b.map(level, &kept, |b, row| {
            let (_, row) = b.unpack(row);
            b.reduce(Level::Auto, 0.0f32, &row, |b, a, x| b.add(a, x))
        });
        let both = b.tuple(&[kept, sums]);
        let kernel = b.finish(&both);
        for (n, m) in [(1, 1), (5, 7), (64, 33), (130, 129)] {
            agrees(&kernel, &[rows(n, m)]);
        }
    }
    for level in [Level::Auto, Level::Seq] {
        let mut b = Builder::new("doubled rows");
        let (n, m) = (b.size("N"), b.size("M"));
        let xss = b.param("xss", array(array(float(), &m), &n));
        let kept = b.map(level, &xss, |b, row| {
            let kept = b.filter(Level::Auto, row, |b, x| b.gt(x, 0.5f32));
            let (lens, ys) = b.unpack(&kept);
            let zs = b.map(Level::Auto, &ys, |b, x| b.mul(x, 2.0f32));
            b.pack(&zs, &lens)
        });
        let kernel = b.finish(&kept);
        for (n, m) in [(1, 1), (5, 7), (64, 33), (130, 129)] {
            agrees(&kernel, &[rows(n, m)]);
        }
    }
}

#[test]
fn rows_kept_or_not() {
    let mut b = Builder::new("rows kept");
    let (n, m) = (b.size("N"), b.size("M"));
    let xss = b.param("xss", array(array(float(), &m), &n));
    let kept = b.filter(Level::Auto, &xss, |b, row| {
        let s = b.reduce(Level::Auto, 0.0f32, row, |b, a, x| b.add(a, x));
        let s = b.view(Prim::Head, &[], &[s]);
        b.gt(&s, 1.0f32)
    });
    let kernel = b.finish(&kept);
    for (n, m) in [(1, 1), (5, 7), (64, 3), (130, 4)] {
        agrees(&kernel, &[rows(n, m)]);
    }
}

#[test]
fn what_is_assumed_of_an_opened_length() {
    for level in [Level::Auto, Level::Seq] {
        let mut b = Builder::new("pairs of what is kept");
        let n = b.size("N");
        let xs = b.param("xs", array(int(), &n));
        let kept = b.filter(level, &xs, |b, x| b.gt(x, 0));
        let (lens, kept) = b.unpack(&kept);
        b.assume(Assumption::Divides { divisor: 2u64.into(), value: lens[0].clone() });
        let pairs = b.split(2u64, &kept);
        let sums = b.map(level, &pairs, |b, p| {
            let s = b.reduce(Level::Seq, 0, p, |b, a, x| b.add(a, x));
            b.view(Prim::Head, &[], &[s])
        });
        let half = lens[0].div_exact(&2u64.into());
        let x = Var::new(VarKind::Bound, 900, "X");
        let ty = Ty::exists(vec![x.clone()], array(int(), &Size::var(x)));
        let packed = b.emit("t", ty, Vec::new(), Rhs::Pack(sums, vec![half]));
        let kernel = b.finish(&packed);
        for n in 0..12 {
            agrees(&kernel, &[ints(n)]);
        }
    }
}

#[test]
fn a_length_beside_an_array_of_that_length() {
    of_ints("beside", |b, xs| {
        let kept = b.filter(Level::Auto, xs, |b, x| b.gt(x, -20));
        let (lengths, kept) = b.unpack(&kept);
        let less = b.lambda(&[int(), int()], |b, x| b.lt(&x[0], &x[1]));
        let sorted = b.prim(Prim::Sort, &[], vec![less], &[kept.clone()]);
        let both = b.tuple(&[sorted, Atom::Size(lengths[0].clone())]);
        b.pack(&both, &lengths)
    });
}

#[test]
fn only_the_length_is_wanted() {
    for level in [Level::Auto, Level::Seq] {
        of_ints("count", |b, xs| {
            let kept = b.filter(level, xs, |b, x| b.gt(x, 0));
            let (lens, _) = b.unpack(&kept);
            b.add(&lens[0], 1)
        });
    }
}

#[test]
fn what_needs_no_check_is_no_launch() {
    let mut b = Builder::new("as many");
    let hidden = b.param("hidden", dynamic_array(int()));
    let (lens, _) = b.unpack(&hidden);
    let ys = b.generate(lens[0].clone(), |_, _| 0.5f32.into());
    let end = b.pack(&ys, &lens);
    let kernel = b.finish(&end);
    let program = compile(&kernel, &Target::portable()).unwrap_or_else(|e| panic!("{}", e[0]));
    let names: Vec<String> = program.functions.iter().map(|f| f.name.to_string()).collect();
    assert_eq!(names.len(), 1, "nothing is checked: {names:?}");
    LENGTHS.iter().for_each(|n| agrees(&kernel, &[ints(*n)]));
}
