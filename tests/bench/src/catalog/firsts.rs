//! Programs of many kinds without any tuning, each as a newcomer writes it first, beside PyTorch's own functions.

use super::rows::scaled;
use super::{Benchmark, Scale};
use crate::compare::Check;
use crate::data::Input;
use crate::external::Kind;

const CLOSE: Check = Check::Relative(1e-3);

/// A kernel of `programs/firsts.lift`.
struct Program {
    kernel: &'static str,
    /// At full size.
    sizes: &'static [(&'static str, usize)],
    /// Of the values of the sizes.
    inputs: fn(&[usize]) -> Vec<Wanted>,
    /// How many elements the result has.
    result: fn(&[usize]) -> usize,
    /// Number of arithmetic operations; 0 if memory-bound.
    operations: fn(&[usize]) -> f64,
    check: Check,
}

const fn program(
    kernel: &'static str,
    sizes: &'static [(&'static str, usize)],
    inputs: fn(&[usize]) -> Vec<Wanted>,
    result: fn(&[usize]) -> usize,
) -> Program {
    Program { kernel, sizes, inputs, result, operations: |_| 0.0, check: CLOSE }
}

/// An input that is made when the benchmark runs.
struct Wanted {
    shape: Vec<usize>,
    seed: u64,
    content: Content,
}

enum Content {
    /// In this range.
    Floats(f32, f32),
    /// From 0 to below this.
    Ints(u64),
}

impl Wanted {
    fn make(&self) -> Input {
        match self.content {
            Content::Floats(low, high) => Input::floats(&self.shape, self.seed, low, high),
            Content::Ints(below) => Input::ints(&self.shape, self.seed, below),
        }
    }
}

fn between(shape: &[usize], seed: u64, low: f32, high: f32) -> Wanted {
    Wanted { shape: shape.to_vec(), seed, content: Content::Floats(low, high) }
}

fn floats(shape: &[usize], seed: u64) -> Wanted {
    between(shape, seed, -1.0, 1.0)
}

fn ints(shape: &[usize], seed: u64, below: u64) -> Wanted {
    Wanted { shape: shape.to_vec(), seed, content: Content::Ints(below) }
}

/// As the only input, or the first.
fn matrix(n: &[usize]) -> Vec<Wanted> {
    vec![floats(&n[..2], 1)]
}

fn all_of(n: &[usize]) -> usize {
    n.iter().product()
}

const MATRIX: &[(&str, usize)] = &[("N", 8192), ("M", 4096)];
const LONG: &[(&str, usize)] = &[("N", 1 << 26)];

const PROGRAMS: &[Program] = &[
    Program {
        operations: |n| 2.0 * (n[0] * n[1] * n[2]) as f64,
        ..program(
            "layer",
            &[("N", 4096), ("K", 1024), ("M", 4096)],
            |n| vec![floats(&[n[0], n[1]], 1), floats(&[n[1], n[2]], 2), floats(&[n[2]], 3)],
            |n| n[0] * n[2],
        )
    },
    Program {
        operations: |n| 2.0 * (n[0] * n[2] * (n[1] + n[3])) as f64,
        ..program(
            "two-layers",
            &[("N", 4096), ("K", 512), ("M", 2048), ("L", 512)],
            |n| vec![floats(&[n[0], n[1]], 1), floats(&[n[1], n[2]], 2), floats(&[n[2], n[3]], 3)],
            |n| n[0] * n[3],
        )
    },
    program("transposed-product", MATRIX, |n| vec![floats(&[n[0], n[1]], 1), floats(&[n[0]], 2)], |n| n[1]),
    Program {
        operations: |n| 2.0 * (n[0] * n[1] * n[2]) as f64,
        ..program(
            "transposed-matrices",
            &[("N", 2048), ("K", 2048), ("M", 2048)],
            |n| vec![floats(&[n[1], n[0]], 1), floats(&[n[1], n[2]], 2)],
            |n| n[0] * n[2],
        )
    },
    program("batch-norm", &[("N", 1 << 17), ("M", 256)], matrix, all_of),
    program(
        "cross-entropy",
        &[("N", 1 << 15), ("M", 1024)],
        |n| vec![floats(&[n[0], n[1]], 1), ints(&[n[0]], 2, 1 << 30)],
        |_| 1,
    ),
    Program {
        operations: |n| 3.0 * (n[0] * n[1] * n[2]) as f64,
        ..program(
            "nearest-points",
            &[("N", 8192), ("M", 8192), ("D", 16)],
            |n| vec![floats(&[n[0], n[2]], 1), floats(&[n[1], n[2]], 2)],
            |n| n[0],
        )
    },
    program("running-greatest", LONG, |n| vec![floats(n, 1)], all_of),
    program("smoothing", &[("N", 1 << 25)], |n| vec![floats(n, 1)], all_of),
    program("running-mean", LONG, |n| vec![floats(n, 1)], all_of),
    Program { check: Check::Exact, ..program("run-starts", &[("N", 1 << 25)], |n| vec![ints(n, 1, 2)], |n| n[0] / 2) },
    program(
        "weighted-counts",
        &[("N", 1 << 24), ("B", 1000)],
        |n| vec![ints(&[n[0]], 1, 1 << 30), between(&[n[0]], 2, 0.0, 1.0), floats(&[n[1]], 3)],
        |n| n[1],
    ),
    Program {
        operations: |n| 2.0 * (n[0] * n[1]) as f64,
        ..program(
            "convolve",
            &[("N", 1 << 24), ("K", 31)],
            |n| vec![floats(&[n[0] + n[1]], 1), floats(&[n[1]], 2)],
            |n| n[0] + 1,
        )
    },
    program(
        "depthwise",
        &[("C", 64), ("H", 512), ("W", 512)],
        |n| vec![floats(n, 1), floats(&[n[0], 3, 3], 2)],
        |n| n[0] * (n[1] - 2) * (n[2] - 2),
    ),
    program("max-pool", &[("C", 64), ("H", 512), ("W", 512)], |n| vec![floats(&[n[0], 2 * n[1], 2 * n[2]], 1)], all_of),
    program("sobel", &[("H", 4096), ("W", 4096)], matrix, all_of),
    program("heat", &[("N", 2048)], |n| vec![floats(&[n[0], n[0]], 1)], |n| n[0] * n[0]),
    program(
        "power-method",
        &[("N", 4096)],
        |n| vec![between(&[n[0], n[0]], 1, 0.0, 1.0), between(&[n[0]], 2, 0.0, 1.0)],
        |n| n[0],
    ),
    program(
        "logistic",
        &[("N", 1 << 20), ("D", 64)],
        |n| vec![floats(&[n[0], n[1]], 1), between(&[n[0]], 2, 0.0, 1.0), floats(&[n[1]], 3)],
        |n| n[1],
    ),
    Program {
        operations: |n| 4.0 * (n[0] * n[1] * n[1] * n[2]) as f64,
        ..program(
            "heads",
            &[("H", 32), ("N", 1024), ("D", 64)],
            |n| (1..4).map(|seed| floats(n, seed)).collect(),
            all_of,
        )
    },
    Program {
        operations: |n| 2.0 * (n[0] * n[1]) as f64,
        ..program(
            "polynomial",
            &[("N", 1 << 24), ("K", 16)],
            |n| vec![floats(&n[..1], 1), floats(&n[1..], 2)],
            |n| n[0],
        )
    },
    Program {
        operations: |n| 512.0 * n[0] as f64,
        ..program("autocorrelation", &[("N", 1 << 20)], |n| vec![floats(&[n[0] + 256], 1)], |_| 256)
    },
    program("standardize", LONG, |n| vec![floats(n, 1)], all_of),
    program(
        "embedding",
        &[("V", 50_000), ("D", 256), ("N", 1 << 17)],
        |n| vec![floats(&n[..2], 1), ints(&n[2..], 2, 1 << 30)],
        |n| n[2] * n[1],
    ),
    program("group-norm", &[("B", 64), ("G", 32), ("M", 1 << 14)], |n| vec![floats(n, 1)], all_of),
    program("column-scans", MATRIX, matrix, all_of),
    Program { check: Check::Exact, ..program("column-sorts", &[("N", 1024), ("M", 4096)], matrix, all_of) },
    program("integral-image", &[("N", 4096), ("M", 4096)], matrix, all_of),
    program("positive-sums", MATRIX, matrix, |n| n[0]),
    Program {
        check: Check::Mostly(1e-3),
        ..program("positive-rows", &[("N", 1 << 17), ("M", 256)], matrix, |n| n[0] * n[1] / 2)
    },
    program("pair-sums", MATRIX, |n| vec![floats(&n[..1], 1), floats(&n[1..], 2)], all_of),
    Program { check: Check::Exact, ..program("quarter-circle", LONG, |n| vec![between(n, 1, 0.0, 1.0)], |_| 1) },
    Program {
        operations: |n| 10.0 * (n[0] * n[0] * n[0]) as f64,
        ..program("matrix-power", &[("N", 2048)], |n| vec![between(&[n[0], n[0]], 1, 0.0, 1e-3)], |n| n[0] * n[0])
    },
    program("gelu", LONG, |n| vec![floats(n, 1)], all_of),
    program("lower-triangle", MATRIX, matrix, all_of),
    program("accuracy", MATRIX, |n| vec![floats(&[n[0], n[1]], 1), ints(&[n[0]], 2, 1 << 30)], |_| 1),
    program("mean-of-positive", MATRIX, matrix, |n| n[0]),
    program("shares", MATRIX, matrix, all_of),
    Program {
        operations: |n| 2.0 * (n[0] * n[1] * n[2]) as f64,
        ..program(
            "cosines",
            &[("N", 4096), ("M", 4096), ("D", 256)],
            |n| vec![floats(&[n[0], n[2]], 1), floats(&[n[1], n[2]], 2)],
            |n| n[0] * n[1],
        )
    },
    Program {
        operations: |n| 2.0 * (n[0] * n[1] * n[1]) as f64,
        ..program("correlations", &[("N", 4096), ("M", 2048)], matrix, |n| n[1] * n[1])
    },
];

pub fn all(scale: Scale) -> Vec<Benchmark> {
    PROGRAMS.iter().map(|program| program.benchmark(scale)).collect()
}

impl Program {
    fn benchmark(&'static self, scale: Scale) -> Benchmark {
        let full: Vec<usize> = self.sizes.iter().map(|(_, n)| *n).collect();
        // Some have an element for each pair of indices.
        const SIDE: usize = 40;
        let sizes = scaled(&full, scale);
        let sizes: Vec<usize> = sizes.iter().map(|n| if scale == Scale::Small { SIDE.min(*n) } else { *n }).collect();
        let named = self.sizes.iter().zip(&sizes).map(|((name, _), n)| (*name, *n as i64)).collect();
        let made = sizes.clone();
        let read: usize = (self.inputs)(&sizes).iter().map(|wanted| all_of(&wanted.shape)).sum();
        Benchmark {
            text: Some(include_str!("../../programs/firsts.lift").to_owned()),
            sizes: named,
            inputs: Box::new(move || (self.inputs)(&made).iter().map(Wanted::make).collect()),
            bytes: 4.0 * (read + (self.result)(&sizes)) as f64,
            operations: (self.operations)(&sizes),
            check: self.check,
            external: vec![Kind::PyTorch],
            goals: vec![(Kind::PyTorch, 1.0)],
            ..Benchmark::new(&format!("firsts-{}", self.kernel), "firsts", self.kernel)
        }
    }
}
