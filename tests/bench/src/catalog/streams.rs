//! Programs that process one array in order.

use super::{Benchmark, Scale, USUAL};
use crate::by_hand::{self, Arg::*, ByHand, Memory::*};
use crate::compare::Check;
use crate::data;
use crate::external::Kind;

const EVERYBODY: [Kind; 4] = [Kind::Cuda, Kind::Futhark, Kind::OpenMp, Kind::NumPy];

pub fn scale(scale: Scale) -> Benchmark {
    let n = scale.of(1 << 12, 1 << 24, 1 << 28);
    let peer = move |_| {
        let args = [Input(0), Result(0), Int(n / 4)];
        let hand = ByHand::new("by hand: float4", include_str!("../../kernels/map.cl")).result(Floats(n));
        vec![hand.launch("map_v4", &args, n / 4 / 256, 256)]
    };
    Benchmark {
        sizes: vec![("N", n as i64)],
        inputs: Box::new(move || vec![data::Input::floats(&[n], 7, 0.0, 1.0)]),
        bytes: 8.0 * n as f64,
        by_hand: Box::new(peer),
        external: EVERYBODY.to_vec(),
        ..Benchmark::new("scale", "scale", "scale")
    }
    // The goal is the rate of CUDA's own copy.
    .goals(scale, &[(Kind::Cuda, 1.02), (Kind::Futhark, 0.7), (Kind::Hand, 1.02)])
}

pub fn reverse(scale: Scale) -> Benchmark {
    let n = scale.of(1 << 12, 1 << 24, 1 << 24);
    let peer = move |_| {
        let args = [Input(0), Result(0), Int(n / 4)];
        let hand = ByHand::new("by hand: float4", include_str!("../../kernels/reverse.cl")).result(Floats(n));
        vec![hand.launch("reverse_v4", &args, n / 4 / 256, 256)]
    };
    Benchmark {
        sizes: vec![("N", n as i64)],
        inputs: Box::new(move || vec![data::Input::floats(&[n], 51, 0.0, 1.0)]),
        bytes: 8.0 * n as f64,
        by_hand: Box::new(peer),
        external: EVERYBODY.to_vec(),
        ..Benchmark::new("reverse", "reverse", "backwards")
    }
    // The hand-written kernel reaches the copy rate.
    .goals(scale, &[(Kind::Futhark, 0.7), (Kind::Hand, 1.05)])
}

/// Two launches: a partial sum per work-group, and their sum.
fn sum_by_hand(scale: Scale, n: usize, arrays: usize) -> ByHand {
    let groups = scale.groups();
    let mut args: Vec<_> = (0..arrays).map(Input).collect();
    args.extend([Memory(0), Int(n / 4)]);
    let hand = ByHand::new("by hand: float4, two launches", include_str!("../../kernels/sum.cl"));
    let hand = if arrays == 2 { hand.define("DOT", "") } else { hand };
    hand.result(Floats(1)).memory(Floats(groups)).launch("sum_part", &args, groups, 512).launch(
        "sum_all",
        &[Memory(0), Result(0), Int(groups)],
        1,
        512,
    )
}

pub fn sum(scale: Scale) -> Benchmark {
    let n = scale.of(1 << 14, 1 << 24, 1 << 26);
    Benchmark {
        sizes: vec![("N", n as i64)],
        inputs: Box::new(move || vec![data::Input::floats(&[n], 99, 0.0, 1.0)]),
        bytes: 4.0 * n as f64,
        check: Check::Relative(1e-4),
        by_hand: Box::new(move |scale| vec![sum_by_hand(scale, n, 1)]),
        external: EVERYBODY.to_vec(),
        ..Benchmark::new("sum", "sum", "sum-of")
    }
    .goals(scale, &[(Kind::Cuda, 1.02), (Kind::Futhark, 0.7), (Kind::Hand, 1.1)])
}

pub fn dot(scale: Scale) -> Benchmark {
    let n = scale.of(1 << 14, 1 << 24, 1 << 26);
    let numbers = move |seed| data::Input::floats(&[n], seed, 0.0, 1.0);
    Benchmark {
        sizes: vec![("N", n as i64)],
        inputs: Box::new(move || vec![numbers(1), numbers(2)]),
        bytes: 8.0 * n as f64,
        check: Check::Relative(1e-4),
        by_hand: Box::new(move |scale| vec![sum_by_hand(scale, n, 2)]),
        external: EVERYBODY.to_vec(),
        ..Benchmark::new("dot", "dot", "scalar-product")
    }
    .goals(scale, USUAL)
}

const CHUNKS: usize = 64;

/// For processors, where work-groups must not wait for each other: each work-item processes a chunk. `parts` has what is
/// known of each, and of all.
fn by_chunks(functions: [&'static str; 2], n: usize, result: by_hand::Memory, parts: [by_hand::Memory; 2]) -> ByHand {
    let ([count, write], chunks) = (functions, CHUNKS);
    let per = n.div_ceil(chunks);
    ByHand::new("by hand: chunks, three launches", include_str!("../../kernels/chunks.cl"))
        .result(result)
        .memory(parts[0])
        .memory(parts[1])
        .launch(count, &[Input(0), Memory(0), Int(n), Int(per)], chunks, 1)
        .launch("offsets", &[Memory(0), Memory(1), Int(chunks)], 1, 1)
        .launch(write, &[Input(0), Memory(0), Result(0), Int(n), Int(per)], chunks, 1)
}

/// The inclusive scan of `n` integers by addition.
pub fn scan_by_hand(scale: Scale, n: usize) -> ByHand {
    match scale {
        Scale::Gpu => by_look_back(n, Ints(n)),
        _ => by_chunks(["scan_count", "scan_write"], n, Ints(n), [Ints(CHUNKS), Ints(1)]),
    }
}

/// The inclusive scan of `n` floats by their maximum.
pub fn maxima_by_hand(scale: Scale, n: usize) -> ByHand {
    let hand = match scale {
        Scale::Gpu => by_look_back(n, Floats(n)),
        _ => by_chunks(["scan_count", "scan_write"], n, Floats(n), [Floats(CHUNKS), Floats(1)]),
    };
    hand.define("MAXIMA", "")
}

fn by_look_back(n: usize, result: by_hand::Memory) -> ByHand {
    let (group, per_item) = (256, 8);
    let tiles = n.div_ceil(group * per_item * 4);
    let args = [Input(0), Result(0), Int(n), Memory(0), Run, Memory(1), RunsBefore(tiles)];
    let hand = ByHand::new("by hand: look-back, one launch", include_str!("../../kernels/scan.cl"));
    let hand = hand.define("WG", group).define("K", per_item).result(result).memory(Longs(tiles)).memory(Ints(1));
    hand.launch("scan_lb", &args, tiles, group)
}

pub fn scan(scale: Scale) -> Benchmark {
    let n = scale.of(1 << 14, 1 << 24, 1 << 26);
    Benchmark {
        sizes: vec![("N", n as i64)],
        inputs: Box::new(move || vec![data::Input::ints(&[n], 5, 100)]),
        bytes: 8.0 * n as f64,
        by_hand: Box::new(move |scale| vec![scan_by_hand(scale, n)]),
        external: EVERYBODY.to_vec(),
        ..Benchmark::new("scan", "scan", "running-sums")
    }
    .goals(scale, &[(Kind::Cuda, 0.85), (Kind::Futhark, 0.7), (Kind::Hand, 1.1)])
}

/// The condition of a filter and the function applied to kept elements, in OpenCL.
#[derive(Clone, Copy)]
pub struct Filter {
    pub keep: &'static str,
    pub map: &'static str,
}

pub fn filter_by_hand(scale: Scale, n: usize, filter: Filter) -> ByHand {
    let defined = |hand: ByHand| hand.define("PRED(x)", filter.keep).define("FUN(x)", filter.map);
    if scale != Scale::Gpu {
        let hand = by_chunks(["filter_count", "filter_write"], n, Floats(n), [Ints(CHUNKS), Ints(1)]);
        return defined(hand).length(1);
    }
    let (group, per_item) = if n < 100_000 { (256, 4) } else { (128, 8) };
    let tiles = n.div_ceil(group * per_item * 4);
    let args = [Input(0), Result(0), Int(n), Memory(0), Run, Memory(1), RunsBefore(tiles), Memory(2)];
    let hand = ByHand::new("by hand: look-back, one launch", include_str!("../../kernels/filter.cl"));
    let hand = defined(hand).define("WG", group).define("K", per_item);
    let hand = hand.result(Floats(n)).memory(Longs(tiles)).memory(Ints(1)).memory(Ints(1));
    hand.length(2).launch("filter_lb", &args, tiles, group)
}

/// `map` is the function applied to the kept elements.
fn filtering(name: &'static str, kernel: &'static str, map: &'static str, scale: Scale, n: usize) -> Benchmark {
    let peer = move |scale| vec![filter_by_hand(scale, n, Filter { keep: "((x)>0.5f)", map })];
    Benchmark {
        sizes: vec![("N", n as i64)],
        inputs: Box::new(move || vec![data::Input::floats(&[n], 1234, 0.0, 1.0)]),
        bytes: 6.0 * n as f64,
        by_hand: Box::new(peer),
        external: EVERYBODY.to_vec(),
        ..Benchmark::new(name, "filter", kernel)
    }
    .goals(scale, &[(Kind::Cuda, 0.8), (Kind::Futhark, 0.7), (Kind::Hand, 1.1)])
}

pub fn filter(scale: Scale) -> Benchmark {
    filtering("filter", "keep", "(x)", scale, scale.of(1 << 14, 1 << 24, 1 << 26))
}

pub fn filter_map(scale: Scale) -> Benchmark {
    filtering("filter-map", "keep-doubled", "((x)*2.0f)", scale, scale.of(1 << 14, 1 << 24, 1 << 26))
}

pub fn filter_map_million(scale: Scale) -> Benchmark {
    filtering("filter-map-1e6", "keep-doubled", "((x)*2.0f)", scale, scale.of(1000, 1_000_000, 1_000_000))
}

pub fn filter_map_ten_thousand(scale: Scale) -> Benchmark {
    filtering("filter-map-1e4", "keep-doubled", "((x)*2.0f)", scale, scale.of(100, 10_000, 10_000))
}

pub fn histogram(scale: Scale) -> Benchmark {
    let (n, buckets) = (scale.of(1 << 10, 1 << 18, 1 << 22), 256);
    let peer = move |scale: Scale| {
        let hand = ByHand::new("by hand: atomics, no sort", include_str!("../../kernels/histogram.cl"))
            .define("B", buckets)
            .result(Ints(buckets))
            .launch("zero", &[Result(0), Int(buckets)], 1, buckets);
        vec![hand.launch("histogram", &[Input(0), Result(0), Int(n)], scale.groups(), 256)]
    };
    Benchmark {
        sizes: vec![("N", n as i64), ("B", buckets as i64)],
        inputs: Box::new(move || vec![data::Input::ints(&[n], 3, buckets as u64)]),
        bytes: 4.0 * n as f64,
        by_hand: Box::new(peer),
        external: EVERYBODY.to_vec(),
        ..Benchmark::new("histogram", "histogram", "histogram")
    }
    .goals(scale, USUAL)
}

/// Keys are arbitrary, so all of their bits count.
fn sorting(name: &'static str, kernel: &'static str, scale: Scale, floats: bool) -> Benchmark {
    let n = scale.of(1000, 1 << 18, 1 << 26);
    let inputs = move || match floats {
        true => vec![data::Input::floats(&[n], 61, -1000.0, 1000.0)],
        false => vec![data::Input::from_ints((0..n as u64).map(|i| data::mix(i ^ 0x5bd1) as i32).collect())],
    };
    let peer = move |_| {
        let hand = ByHand::new("by hand: bitonic, one launch a step", include_str!("../../kernels/sort.cl"));
        let size = n.next_power_of_two();
        let result = if floats { Floats(n) } else { Ints(n) };
        let hand = hand.define("T", if floats { "float" } else { "int" }).result(result);
        let hand = if kernel == "order" { hand.define("POSITIONS", "") } else { hand };
        let keys = if floats { Floats(size) } else { Ints(size) };
        let groups = size.div_ceil(256);
        let hand = hand.memory(keys).memory(Ints(size));
        let hand = hand.launch("start", &[Input(0), Memory(0), Memory(1), Int(n), Int(size)], groups, 256);
        let widths = std::iter::successors(Some(2), |w| Some(w * 2)).take_while(|w| *w <= size);
        let steps = widths.flat_map(|w| {
            std::iter::successors(Some(w / 2), |d| Some(d / 2)).take_while(|d| *d > 0).map(move |d| (w, d))
        });
        let hand = steps.fold(hand, |hand, (w, d)| {
            hand.launch("exchange", &[Memory(0), Memory(1), Int(w), Int(d), Int(size)], groups, 256)
        });
        vec![hand.launch("end", &[Memory(0), Memory(1), Result(0), Int(n)], groups, 256)]
    };
    Benchmark {
        sizes: vec![("N", n as i64)],
        inputs: Box::new(inputs),
        bytes: 8.0 * n as f64,
        by_hand: Box::new(peer),
        external: vec![Kind::Cuda],
        text: Some(include_str!("../../programs/sort.lift").to_owned()),
        ..Benchmark::new(name, "sort", kernel)
    }
}

pub fn sort(scale: Scale) -> Benchmark {
    sorting("sort", "ascending", scale, false)
}
pub fn sort_floats(scale: Scale) -> Benchmark {
    sorting("sort-floats", "ascending-floats", scale, true)
}
pub fn argsort(scale: Scale) -> Benchmark {
    sorting("argsort", "order", scale, false)
}

pub fn primes(scale: Scale) -> Benchmark {
    let m: usize = scale.of(20, 1000, 4000);
    let n = m * m;
    let peer = move |_| {
        let chunks = n.div_ceil(1024);
        let hand = ByHand::new("by hand: a flag each, four launches", include_str!("../../kernels/primes.cl"))
            .result(Ints(n))
            .memory(Ints(n))
            .memory(Ints(chunks))
            .memory(Ints(1))
            .launch("primes", &[Memory(0), Int(n)], n.div_ceil(256), 256)
            .launch("count", &[Memory(0), Memory(1), Int(n), Int(1024)], chunks, 1)
            .launch("offsets", &[Memory(1), Memory(2), Int(chunks)], 1, 1)
            .launch("write", &[Memory(0), Memory(1), Result(0), Int(n), Int(1024)], chunks, 1);
        vec![hand.length(2)]
    };
    Benchmark { sizes: vec![("M", m as i64)], by_hand: Box::new(peer), ..Benchmark::new("primes", "primes", "primes") }
        .goals(scale, USUAL)
}
