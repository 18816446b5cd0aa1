//! Programs in FCL (`programs/*.fcl`): the algorithms of its papers, written as they are there, on integers and doubles.

use super::{Benchmark, Scale};
use crate::by_hand::{Arg::*, ByHand, Memory::*};
use crate::compare::Check;
use crate::data::Input as Made;
use crate::external::Kind;

/// The program `text` with other values for some of its names.
fn program(name: &'static str, text: &str, values: &[(&str, usize)]) -> Benchmark {
    let set = |line: &str| match values.iter().find(|(name, _)| line.starts_with(&format!("val {name} = "))) {
        Some((name, value)) => format!("val {name} = {value}\n"),
        None => format!("{line}\n"),
    };
    Benchmark { text: Some(text.lines().map(set).collect()), ..Benchmark::new(name, "programs/main.fcl", "main") }
}

fn of_ints(hand: ByHand) -> ByHand {
    hand.define("T", "int").define("T4", "int4")
}

pub fn reverse(scale: Scale) -> Benchmark {
    let n = scale.of(1 << 12, 1 << 24, 1 << 24);
    let peer = move |_| {
        let hand = of_ints(ByHand::new("by hand: int4", include_str!("../../kernels/reverse.cl"))).result(Ints(n));
        vec![hand.launch("reverse_v4", &[Input(0), Result(0), Int(n / 4)], n / 4 / 256, 256)]
    };
    Benchmark {
        sizes: vec![("N", n as i64)],
        inputs: Box::new(move || vec![Made::ints(&[n], 51, 1 << 30)]),
        bytes: 8.0 * n as f64,
        by_hand: Box::new(peer),
        external: vec![Kind::Cuda],
        ..program("fcl-reverse", include_str!("../../programs/reverse.fcl"), &[])
    }
    // 95 % of the speed of a copy.
    .goals(scale, &[(Kind::Hand, 1.05)])
}

pub fn transpose(scale: Scale) -> Benchmark {
    let n = scale.of(128, 2048, 4096);
    let peer = move |_| {
        let hand = ByHand::new("by hand: tiles of 64×64", include_str!("../../kernels/transpose.cl"))
            .define("T", "int")
            .define("TD", 64)
            .define("TR", 8)
            .result(Ints(n * n));
        let args = [Input(0), Result(0), Int(n), Int(n)];
        vec![hand.launch3("transpose_lm", &args, [n / 64, n / 64, 1], [64, 8, 1])]
    };
    // Bits of floats, for peers that know only these.
    let bits = move |i: usize| (1.0f32 + (i % 65_536) as f32 / 65_536.0).to_bits() as i32;
    Benchmark {
        sizes: vec![("N", (n * n) as i64)],
        inputs: Box::new(move || vec![Made::from_ints((0..n * n).map(bits).collect()).shaped(&[n, n])]),
        bytes: 8.0 * (n * n) as f64,
        by_hand: Box::new(peer),
        external: vec![Kind::Cuda],
        ..program("fcl-transpose", include_str!("../../programs/transpose.fcl"), &[("width", n)])
    }
    .goals(scale, &[(Kind::Cuda, 1.0), (Kind::Hand, 1.05)])
}

pub fn partial_reduce(scale: Scale) -> Benchmark {
    let n = scale.of(1 << 14, 1 << 24, 1 << 24);
    let peer = move |_| {
        let hand = ByHand::new("by hand: int4, a group each", include_str!("../../kernels/sum.cl"));
        let hand = of_ints(hand).define("WG", 64).define("U", 2).result(Ints(n / 512));
        vec![hand.launch("sum_part", &[Input(0), Result(0), Int(n / 4)], n / 512, 64)]
    };
    Benchmark {
        sizes: vec![("N", n as i64)],
        inputs: Box::new(move || vec![Made::ints(&[n], 99, 1000)]),
        bytes: 4.0 * n as f64,
        by_hand: Box::new(peer),
        ..program("fcl-partial-reduce", include_str!("../../programs/partial-reduce.fcl"), &[])
    }
    .goals(scale, &[(Kind::Hand, 1.05)])
}

/// Sums as FCL's paper writes them, one launch after the other.
pub fn reduce(scale: Scale) -> Benchmark {
    sum(scale, "fcl-reduce", include_str!("../../programs/reduce.fcl"))
}

/// The same by `reduceGrid`.
pub fn reduce_grid(scale: Scale) -> Benchmark {
    sum(scale, "fcl-reduce-grid", include_str!("../../programs/reduce-grid.fcl"))
}

fn sum(scale: Scale, name: &'static str, text: &str) -> Benchmark {
    let n = scale.of(1 << 14, 1 << 24, 1 << 24);
    let peer = move |scale: Scale| {
        let groups = scale.groups();
        let hand = ByHand::new("by hand: int4, two launches", include_str!("../../kernels/sum.cl"));
        let hand = of_ints(hand).result(Ints(1)).memory(Ints(groups));
        let hand = hand.launch("sum_part", &[Input(0), Memory(0), Int(n / 4)], groups, 512);
        vec![hand.launch("sum_all", &[Memory(0), Result(0), Int(groups)], 1, 512)]
    };
    Benchmark {
        sizes: vec![("N", n as i64)],
        inputs: Box::new(move || vec![Made::ints(&[n], 99, 1000)]),
        bytes: 4.0 * n as f64,
        by_hand: Box::new(peer),
        external: vec![Kind::Cuda],
        ..program(name, text, &[("n", n)])
    }
    .goals(scale, &[(Kind::Cuda, 1.05), (Kind::Hand, 1.1)])
}

/// Sums of all beginnings as FCL's paper writes them, in passes over blocks.
pub fn scan(scale: Scale) -> Benchmark {
    sums(scale, "fcl-scan", include_str!("../../programs/scan.fcl"))
}

/// The same by `scanGrid`.
pub fn scan_grid(scale: Scale) -> Benchmark {
    sums(scale, "fcl-scan-grid", include_str!("../../programs/scan-grid.fcl"))
}

fn sums(scale: Scale, name: &'static str, text: &str) -> Benchmark {
    let n = scale.of(1 << 14, 1 << 24, 1 << 24);
    Benchmark {
        sizes: vec![("N", n as i64)],
        inputs: Box::new(move || vec![Made::ints(&[n], 5, 100)]),
        bytes: 8.0 * n as f64,
        by_hand: Box::new(move |scale| vec![super::streams::scan_by_hand(scale, n)]),
        external: vec![Kind::Cuda],
        ..program(name, text, &[("n", n)])
    }
    .goals(scale, &[(Kind::Cuda, 1.0)])
}

pub fn matmul(scale: Scale) -> Benchmark {
    let n = scale.of(384, 512, 2048);
    let peers = move |_| {
        let same = ByHand::new("by hand: tiles of 16×16, as in FCL", include_str!("../../kernels/product.cl"));
        let args = [Input(0), Input(1), Result(0), Int(n)];
        let same = same.define("T", "double").result(Doubles(n * n));
        let same = same.launch3("product", &args, [n / 16, n / 16, 1], [16, 16, 1]);
        let best = ByHand::new("by hand: tiles of 128×128, 8×8 an item", include_str!("../../kernels/matmul.cl"));
        let options = [("TM", 8), ("TN", 8), ("BK", 8), ("LR", 4), ("WR", 4)];
        let best = options.into_iter().fold(best, |hand, (name, value)| hand.define(name, value));
        let best = best.define("T", "double").define("T4", "double4").result(Doubles(n * n));
        let args = [Input(0), Input(1), Result(0), Int(n), Int(n), Int(n)];
        vec![same, best.launch3("sgemm_g", &args, [n / 128, n / 128, 1], [256, 1, 1])]
    };
    Benchmark {
        sizes: vec![("N", (n * n) as i64), ("M", (n * n) as i64)],
        inputs: Box::new(move || [41, 42].map(|seed| Made::doubles(&[n, n], seed, -1.0, 1.0)).to_vec()),
        operations: 2.0 * (n as f64).powi(3),
        check: Check::Relative(1e-12),
        by_hand: Box::new(peers),
        external: vec![Kind::Cuda],
        ..program("fcl-matmul", include_str!("../../programs/matmul.fcl"), &[("width", n)])
    }
    .goals(scale, &[(Kind::Hand, 1.05)])
}

pub fn sobol(scale: Scale) -> Benchmark {
    let n: usize = scale.of(1 << 14, 1 << 20, 1 << 26);
    let peer = move |_| {
        let groups = n.div_ceil(256 * 64);
        let hand = ByHand::new("by hand: stretches in Gray code", include_str!("../../kernels/sobol.cl"));
        let hand = hand.define("T", "double").result(Doubles(1)).memory(Ints(groups));
        let hand = hand.launch("sobol", &[Memory(0), Int(n)], groups, 256);
        vec![hand.launch("sobol_all", &[Memory(0), Result(0), Int(groups), Int(n)], 1, 256)]
    };
    Benchmark {
        sizes: vec![("N", 60)],
        inputs: Box::new(|| vec![Made::from_ints(directions())]),
        check: Check::Exact,
        by_hand: Box::new(peer),
        ..program("fcl-sobol", include_str!("../../programs/sobol.fcl"), &[("n", n)])
    }
    .goals(scale, &[(Kind::Hand, 1.1)])
}

/// The directions of both dimensions: the van der Corput sequence, and the primitive polynomial x + 1.
pub fn directions() -> Vec<i32> {
    let across = (0..30).map(|j| 1 << (29 - j));
    let up = std::iter::successors(Some(1 << 29), |d| Some(d ^ (d >> 1))).take(30);
    across.chain(up).collect()
}

pub fn blackscholes(scale: Scale) -> Benchmark {
    let n = scale.of(1 << 10, 1 << 20, 1 << 24);
    let inputs = move || {
        let mut all: Vec<Made> = (1..3).map(|seed| Made::doubles(&[n], seed, 50.0, 150.0)).collect();
        all.extend([Made::doubles(&[n], 3, 0.25, 4.0), Made::double(0.02), Made::double(0.3)]);
        all
    };
    let peer = move |_| {
        let hand = ByHand::new("by hand: an option an item", include_str!("../../kernels/blackscholes.cl"));
        let args: Vec<_> = (0..5).map(Input).chain([Result(0), Result(1), Int(n)]).collect();
        let hand = hand.define("T", "double").result(Doubles(n)).result(Doubles(n));
        vec![hand.launch("prices", &args, n.div_ceil(256), 256)]
    };
    Benchmark {
        sizes: vec![("N", n as i64), ("M", n as i64), ("K", n as i64)],
        inputs: Box::new(inputs),
        bytes: 40.0 * n as f64,
        check: Check::Relative(1e-9),
        by_hand: Box::new(peer),
        ..program("fcl-blackscholes", include_str!("../../programs/blackscholes.fcl"), &[])
    }
    .goals(scale, &[(Kind::Hand, 1.1)])
}
