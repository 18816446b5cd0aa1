//! Stencils.

use super::{Benchmark, Scale, USUAL};
use crate::by_hand::{Arg::*, ByHand, Memory::*};
use crate::compare::Check;
use crate::data;
use crate::external::Kind;

const GRIDS: &str = include_str!("../../kernels/grids.cl");

fn side(scale: Scale) -> usize {
    scale.of(256, 4096, 4096)
}

/// A stencil from one square grid to another.
pub fn square(name: &str, file: &'static str, kernel: &'static str, scale: Scale) -> Benchmark {
    let n = side(scale);
    Benchmark {
        sizes: vec![("N", n as i64), ("M", n as i64)],
        inputs: Box::new(move || vec![data::Input::floats(&[n, n], 31, 0.0, 1.0)]),
        bytes: 8.0 * (n * n) as f64,
        check: Check::Relative(1e-5),
        external: vec![Kind::Futhark, Kind::OpenMp],
        ..Benchmark::new(name, file, kernel)
    }
}

fn boxed(name: &'static str, radius: usize, (lx, ly, rows): (usize, usize, usize), scale: Scale) -> Benchmark {
    let n = side(scale);
    let peer = move |_| {
        let hand = ByHand::new(format!("by hand: 4×{rows} an item, registers"), include_str!("../../kernels/box.cl"));
        let options = [("RAD", radius), ("LX", lx), ("LY", ly), ("RB", rows)];
        let hand = options.into_iter().fold(hand, |hand, (name, value)| hand.define(name, value));
        let groups = [n / (4 * lx), n / (ly * rows), 1];
        vec![hand.result(Floats(n * n)).launch3("st_reg", &[Input(0), Result(0), Int(n), Int(n)], groups, [lx, ly, 1])]
    };
    Benchmark { by_hand: Box::new(peer), ..square(name, "box", name, scale) }
}

pub fn box3(scale: Scale) -> Benchmark {
    // 90 % of the copy rate; the hand-written kernel reaches 96 %.
    boxed("box3", 1, scale.of((16, 4, 2), (64, 4, 2), (64, 4, 2)), scale)
        .goals(scale, &[(Kind::Futhark, 0.7), (Kind::Hand, 1.07)])
}

pub fn box9(scale: Scale) -> Benchmark {
    boxed("box9", 4, scale.of((16, 4, 4), (32, 4, 4), (32, 4, 4)), scale)
        .goals(scale, &[(Kind::Futhark, 1.0 / 6.0), (Kind::Hand, 1.1)])
}

/// The kernel of this name in `grids.cl`; each work-item computes 4×4 points.
fn by_hand(kernel: &'static str, inputs: usize, n: usize) -> ByHand {
    let mut args: Vec<_> = (0..inputs).map(Input).collect();
    args.extend([Result(0), Int(n), Int(n)]);
    let local = [32, 4, 1];
    let groups = [(n / 4).div_ceil(local[0]), (n / 4).div_ceil(local[1]), 1];
    let hand = ByHand::new("by hand: 4×4 an item, registers", GRIDS).launch3(kernel, &args, groups, local);
    if kernel == "life" { hand.define("LIFE", "").result(Ints(n * n)) } else { hand.result(Floats(n * n)) }
}

pub fn jacobi2d(scale: Scale) -> Benchmark {
    let n = side(scale);
    let peer = move |_| vec![by_hand("jacobi2d", 1, n)];
    Benchmark { by_hand: Box::new(peer), ..square("jacobi2d", "jacobi2d", "jacobi2d", scale) }.goals(scale, USUAL)
}

pub fn hotspot(scale: Scale) -> Benchmark {
    let n = side(scale);
    let inputs = move || vec![data::Input::floats(&[n, n], 31, 70.0, 90.0), data::Input::floats(&[n, n], 32, 0.0, 1.0)];
    let peer = move |_| vec![by_hand("hotspot", 2, n)];
    Benchmark {
        inputs: Box::new(inputs),
        bytes: 12.0 * (n * n) as f64,
        by_hand: Box::new(peer),
        ..square("hotspot", "hotspot", "hotspot", scale)
    }
    .goals(scale, USUAL)
}

pub fn blur(scale: Scale) -> Benchmark {
    let n = side(scale);
    let peer = move |_| vec![by_hand("blur", 1, n)];
    Benchmark { by_hand: Box::new(peer), ..square("blur", "blur", "blur", scale) }.goals(scale, USUAL)
}

pub fn life(scale: Scale) -> Benchmark {
    let n = side(scale);
    let peer = move |_| vec![by_hand("life", 1, n)];
    Benchmark {
        inputs: Box::new(move || vec![data::Input::ints(&[n, n], 9, 2)]),
        check: Check::Exact,
        by_hand: Box::new(peer),
        ..square("life", "life", "next", scale)
    }
    .goals(scale, USUAL)
}

pub fn jacobi3d(scale: Scale) -> Benchmark {
    let n = scale.of(32, 256, 256);
    let peer = move |_| {
        let hand = ByHand::new("by hand: a column of planes an item", GRIDS).define("RB", 32).result(Floats(n * n * n));
        let args = [Input(0), Result(0), Int(n), Int(n), Int(n)];
        vec![hand.launch3("jacobi3d", &args, [n / 32, n / 4, n / 32], [32, 4, 1])]
    };
    Benchmark {
        sizes: vec![("N", n as i64), ("M", n as i64), ("K", n as i64)],
        inputs: Box::new(move || vec![data::Input::floats(&[n, n, n], 33, 0.0, 1.0)]),
        bytes: 8.0 * (n * n * n) as f64,
        by_hand: Box::new(peer),
        ..square("jacobi3d", "jacobi3d", "jacobi3d", scale)
    }
    .goals(scale, USUAL)
}
