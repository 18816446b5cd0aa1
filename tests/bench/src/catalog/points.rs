//! Programs with much arithmetic per element.

use super::{Benchmark, Scale, USUAL};
use crate::by_hand::{Arg::*, ByHand, Memory::*};
use crate::compare::Check;
use crate::data::Input as Made;
use crate::external::Kind;
use std::ops::Range;

fn numbers(n: usize, seeds: Range<u64>, low: f32, high: f32) -> Vec<Made> {
    seeds.map(|seed| Made::floats(&[n], seed, low, high)).collect()
}

pub fn nbody(scale: Scale) -> Benchmark {
    let n = scale.of(256, 1 << 12, 1 << 16);
    let inputs = move || {
        let mut all = numbers(n, 1..4, -1.0, 1.0);
        all.extend(numbers(n, 4..5, 0.0, 1.0));
        all.extend(numbers(n, 5..8, -0.1, 0.1));
        all.push(Made::float(0.01));
        all
    };
    let peer = move |_| {
        let hand = ByHand::new("by hand: tiles in local memory", include_str!("../../kernels/nbody.cl"));
        let hand = (0..7).fold(hand, |hand, _| hand.result(Floats(n)));
        let args: Vec<_> = (0..8).map(Input).chain((0..7).map(Result)).chain([Int(n)]).collect();
        vec![hand.launch("nbody", &args, n / 256, 256)]
    };
    Benchmark {
        sizes: vec![("N", n as i64)],
        inputs: Box::new(inputs),
        operations: 20.0 * (n as f64).powi(2),
        check: Check::Relative(1e-3),
        by_hand: Box::new(peer),
        external: vec![Kind::Futhark, Kind::OpenMp],
        ..Benchmark::new("nbody", "nbody", "step")
    }
    .goals(scale, USUAL)
}

/// A step of k-means over points and centroids.
fn clusters(name: &'static str, kernel: &'static str, scale: Scale, update: bool) -> Benchmark {
    let (n, k, d): (usize, usize, usize) = (scale.of(512, 1 << 16, 1 << 20), scale.of(4, 16, 16), 8);
    let peer = move |_| {
        let hand = ByHand::new("by hand: a point an item", include_str!("../../kernels/kmeans.cl")).define("D", d);
        let groups = n.div_ceil(256);
        let assign =
            |hand: ByHand, to| hand.launch("assign", &[Input(0), Input(1), to, Int(n), Int(k), Int(d)], groups, 256);
        if !update {
            return vec![assign(hand.result(Ints(n)), Result(0))];
        }
        let hand = assign(hand.memory(Ints(n)).result(Floats(k * d)), Memory(0));
        vec![hand.launch("update", &[Input(0), Input(1), Memory(0), Result(0), Int(n)], k * d, 256)]
    };
    Benchmark {
        sizes: vec![("N", n as i64), ("K", k as i64), ("D", d as i64)],
        inputs: Box::new(move || vec![Made::floats(&[n, d], 1, 0.0, 1.0), Made::floats(&[k, d], 2, 0.0, 1.0)]),
        operations: 3.0 * (n * k * d) as f64,
        // A point halfway between two centroids may go to either.
        check: if update { Check::Relative(1e-3) } else { Check::Mostly(1e-4) },
        by_hand: Box::new(peer),
        external: vec![Kind::Futhark, Kind::OpenMp],
        ..Benchmark::new(name, "kmeans", kernel)
    }
    .goals(scale, USUAL)
}

pub fn assign(scale: Scale) -> Benchmark {
    clusters("kmeans-assign", "assign", scale, false)
}

pub fn kmeans(scale: Scale) -> Benchmark {
    clusters("kmeans", "step", scale, true)
}

pub fn nearest(scale: Scale) -> Benchmark {
    let n = scale.of(1 << 12, 1 << 22, 1 << 24);
    let inputs = move || {
        let mut all = numbers(n, 1..3, -90.0, 90.0);
        all.extend([Made::float(12.5), Made::float(-33.25)]);
        all
    };
    let peer = move |scale: Scale| {
        let groups = scale.groups();
        let part = [Input(0), Input(1), Input(2), Input(3), Memory(0), Memory(1), Int(n)];
        let all = [Memory(0), Memory(1), Result(0), Result(1), Int(groups)];
        let hand = ByHand::new("by hand: two launches", include_str!("../../kernels/nearest.cl"))
            .result(Floats(1))
            .result(Ints(1))
            .memory(Floats(groups))
            .memory(Ints(groups));
        vec![hand.launch("nearest_part", &part, groups, 256).launch("nearest_all", &all, 1, 256)]
    };
    Benchmark {
        sizes: vec![("N", n as i64)],
        inputs: Box::new(inputs),
        bytes: 8.0 * n as f64,
        check: Check::Relative(1e-5),
        by_hand: Box::new(peer),
        external: vec![Kind::Futhark, Kind::OpenMp],
        ..Benchmark::new("nearest", "nearest", "nearest")
    }
    .goals(scale, USUAL)
}

pub fn mriq(scale: Scale) -> Benchmark {
    let (n, k) = (scale.of(128, 4096, 1 << 18), scale.of(64, 512, 2048));
    let peer = move |_| {
        let hand = ByHand::new("by hand: a place an item", include_str!("../../kernels/mriq.cl"));
        let args: Vec<_> = (0..7).map(Input).chain([Result(0), Result(1), Int(n), Int(k)]).collect();
        vec![hand.result(Floats(n)).result(Floats(n)).launch("q", &args, n.div_ceil(256), 256)]
    };
    Benchmark {
        sizes: vec![("N", n as i64), ("K", k as i64)],
        inputs: Box::new(move || [numbers(n, 1..4, 0.0, 1.0), numbers(k, 4..8, 0.0, 1.0)].concat()),
        operations: 14.0 * (n * k) as f64,
        check: Check::Relative(1e-3),
        by_hand: Box::new(peer),
        external: vec![Kind::Futhark, Kind::OpenMp],
        ..Benchmark::new("mriq", "mriq", "q")
    }
    .goals(scale, USUAL)
}

pub fn blackscholes(scale: Scale) -> Benchmark {
    let n = scale.of(1 << 10, 1 << 20, 1 << 24);
    let inputs = move || {
        let mut all = numbers(n, 1..3, 50.0, 150.0);
        all.extend(numbers(n, 3..4, 0.25, 4.0));
        all.extend([Made::float(0.02), Made::float(0.3)]);
        all
    };
    let peer = move |_| {
        let hand = ByHand::new("by hand: an option an item", include_str!("../../kernels/blackscholes.cl"));
        let args: Vec<_> = (0..5).map(Input).chain([Result(0), Result(1), Int(n)]).collect();
        vec![hand.result(Floats(n)).result(Floats(n)).launch("prices", &args, n.div_ceil(256), 256)]
    };
    Benchmark {
        sizes: vec![("N", n as i64)],
        inputs: Box::new(inputs),
        bytes: 20.0 * n as f64,
        check: Check::Relative(1e-4),
        by_hand: Box::new(peer),
        external: vec![Kind::Futhark, Kind::OpenMp],
        ..Benchmark::new("blackscholes", "blackscholes", "prices")
    }
    .goals(scale, USUAL)
}

pub fn mandelbrot(scale: Scale) -> Benchmark {
    let (n, limit) = (scale.of(64, 1024, 4096), scale.of(50, 100, 255));
    let peer = move |_| {
        let hand = ByHand::new("by hand: 16×16 points a group", include_str!("../../kernels/mandelbrot.cl"));
        let args = [Input(0), Result(0), Int(n), Int(n)];
        vec![hand.result(Ints(n * n)).launch3("mandelbrot", &args, [n / 16, n / 16, 1], [16, 16, 1])]
    };
    Benchmark {
        sizes: vec![("H", n as i64), ("W", n as i64)],
        inputs: Box::new(move || vec![Made::int(limit)]),
        // At the edge of the set, rounding decides.
        check: Check::Mostly(0.01),
        by_hand: Box::new(peer),
        external: vec![Kind::Futhark, Kind::OpenMp],
        ..Benchmark::new("mandelbrot", "mandelbrot", "mandelbrot")
    }
    .goals(scale, USUAL)
}

pub fn sobol(scale: Scale) -> Benchmark {
    let n: usize = scale.of(1 << 14, 1 << 20, 1 << 26);
    let peer = move |_| {
        let groups = n.div_ceil(256 * 64);
        let hand = ByHand::new("by hand: stretches in Gray code", include_str!("../../kernels/sobol.cl"));
        let hand = hand.result(Floats(1)).memory(Ints(groups)).launch("sobol", &[Memory(0), Int(n)], groups, 256);
        vec![hand.launch("sobol_all", &[Memory(0), Result(0), Int(groups), Int(n)], 1, 256)]
    };
    Benchmark {
        sizes: vec![("N", n as i64)],
        check: Check::Relative(1e-5),
        by_hand: Box::new(peer),
        ..Benchmark::new("sobol", "sobol", "sobol-pi")
    }
    .goals(scale, USUAL)
}

pub fn option(scale: Scale) -> Benchmark {
    let n = scale.of(8, 512, 1 << 14);
    let inputs = move || {
        let mut all = numbers(n, 1..3, 50.0, 150.0);
        all.extend([Made::float(0.02), Made::float(0.3)]);
        all
    };
    let peer = move |_| {
        let hand = ByHand::new("by hand: an option a group", include_str!("../../kernels/option.cl")).result(Floats(n));
        vec![hand.launch("binomial", &[Input(0), Input(1), Input(2), Input(3), Result(0)], n, 256)]
    };
    Benchmark {
        sizes: vec![("N", n as i64)],
        inputs: Box::new(inputs),
        operations: 4.0 * 255.0 * 128.0 * n as f64,
        check: Check::Relative(1e-3),
        by_hand: Box::new(peer),
        external: vec![Kind::Futhark, Kind::OpenMp],
        ..Benchmark::new("option", "option", "binomial")
    }
    .goals(scale, USUAL)
}
