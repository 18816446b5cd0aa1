//! Programs over rows and columns at several row lengths, without any tuning, to find slow cases.

use super::{Benchmark, Scale};
use crate::compare::Check;
use crate::data::Input;
use crate::external::Kind;

const CLOSE: Check = Check::Relative(1e-4);
/// Approximate number of elements of each input on a GPU.
const GPU: usize = 1 << 25;

/// A kernel of `programs/rows.lift`. Shapes are lists of indices into its sizes.
struct Program {
    kernel: &'static str,
    sizes: &'static [&'static str],
    inputs: &'static [&'static [usize]],
    /// The shape of the result.
    result: &'static [usize],
    /// The values of the sizes to measure.
    at: &'static [&'static [usize]],
    /// Number of arithmetic operations at these sizes; 0 if memory-bound.
    operations: fn(&[usize]) -> f64,
    check: Check,
}

const ROWS: &[&[usize]] = &[&[1 << 20, 32], &[1 << 17, 256], &[1 << 13, 1 << 12], &[16, 1 << 21]];
const MIDDLE: &[&[usize]] = &[&[1 << 17, 256], &[1 << 13, 1 << 12]];

const fn of_rows(kernel: &'static str, result: &'static [usize], at: &'static [&'static [usize]]) -> Program {
    Program { kernel, sizes: &["N", "M"], inputs: &[&[0, 1]], result, at, operations: |_| 0.0, check: CLOSE }
}

const PROGRAMS: &[Program] = &[
    of_rows("log-softmax", &[0, 1], ROWS),
    Program { inputs: &[&[0, 1], &[1]], ..of_rows("rms-norm", &[0, 1], ROWS) },
    of_rows("by-greatest", &[0, 1], MIDDLE),
    Program { inputs: &[&[0, 1], &[0, 1]], ..of_rows("cosine", &[0], MIDDLE) },
    Program {
        sizes: &["N", "M", "D"],
        inputs: &[&[0, 2], &[1, 2]],
        operations: |n| 3.0 * product(n),
        ..of_rows("distances", &[0, 1], &[&[4096, 4096, 64]])
    },
    Program {
        sizes: &["B", "N", "M"],
        inputs: &[&[0, 1, 2], &[0, 2]],
        ..of_rows("times-vectors", &[0, 1], &[&[64, 512, 1024], &[4096, 64, 128]])
    },
    of_rows("moving-mean", &[0, 1], MIDDLE),
    of_rows("products", &[0, 1], ROWS),
    of_rows("column-softmax", &[0, 1], &[&[1 << 12, 1 << 13], &[1 << 17, 256]]),
    Program { sizes: &["A", "B", "C"], inputs: &[&[0, 1, 2]], ..of_rows("sum-first", &[1, 2], &[&[512, 256, 256]]) },
    Program { sizes: &["A", "B", "C"], inputs: &[&[0, 1, 2]], ..of_rows("sum-middle", &[0, 2], &[&[512, 256, 256]]) },
    Program { sizes: &["A", "B", "C"], inputs: &[&[0, 1, 2]], ..of_rows("sum-last", &[0, 1], &[&[512, 256, 256]]) },
    of_rows("variance", &[0], ROWS),
    of_rows("masked-mean", &[0], MIDDLE),
    Program {
        sizes: &["B", "N", "M"],
        inputs: &[&[0, 1], &[0, 2]],
        ..of_rows("outer", &[0, 1, 2], &[&[512, 256, 256]])
    },
    of_rows("entropy", &[0], MIDDLE),
    Program { check: Check::Exact, ..of_rows("ranks", &[0, 1], &[&[1 << 15, 1024]]) },
    Program { check: Check::Exact, ..of_rows("largest", &[0], &[&[1 << 15, 1024]]) },
    of_rows("centre-columns", &[0, 1], MIDDLE),
    Program { operations: |n| 2.0 * product(n) * n[1] as f64, ..of_rows("gram", &[1, 1], &[&[1 << 16, 512]]) },
    Program { check: Check::Mostly(1e-3), ..of_rows("above-mean", &[0], MIDDLE) },
];

pub fn all(scale: Scale) -> Vec<Benchmark> {
    // At the small scale, all row lengths are about the same, so one is enough.
    let most = if scale == Scale::Small { 1 } else { usize::MAX };
    PROGRAMS
        .iter()
        .flat_map(|program| program.at.iter().take(most).map(move |at| program.benchmark(at, scale)))
        .collect()
}

impl Program {
    fn benchmark(&self, at: &[usize], scale: Scale) -> Benchmark {
        let sizes = scaled(at, scale);
        let shapes: Vec<Vec<usize>> =
            self.inputs.iter().map(|shape| shape.iter().map(|i| sizes[*i]).collect()).collect();
        let result: Vec<usize> = self.result.iter().map(|i| sizes[*i]).collect();
        let bytes = 4.0 * (shapes.iter().map(|shape| product(shape)).sum::<f64>() + product(&result));
        let name = at.iter().map(usize::to_string).collect::<Vec<_>>().join("-");
        Benchmark {
            text: Some(include_str!("../../programs/rows.lift").to_owned()),
            sizes: self.sizes.iter().zip(&sizes).map(|(name, n)| (*name, *n as i64)).collect(),
            inputs: Box::new(move || {
                (1..).zip(&shapes).map(|(seed, shape)| Input::floats(shape, seed, -1.0, 1.0)).collect()
            }),
            bytes,
            operations: (self.operations)(&sizes),
            check: self.check,
            external: vec![Kind::PyTorch],
            goals: vec![(Kind::PyTorch, 1.0)],
            ..Benchmark::new(&format!("rows-{}-{name}", self.kernel), "rows", self.kernel)
        }
    }
}

fn product(lengths: &[usize]) -> f64 {
    lengths.iter().product::<usize>() as f64
}

/// Returns the sizes for this scale: unchanged on a GPU; elsewhere the longest is halved until the product is small
/// enough.
pub fn scaled(at: &[usize], scale: Scale) -> Vec<usize> {
    let most = match scale {
        Scale::Gpu => return at.to_vec(),
        Scale::Cpu => GPU >> 4,
        Scale::Small => 1000,
    };
    let mut sizes = at.to_vec();
    while sizes.iter().product::<usize>() > most {
        if let Some(longest) = sizes.iter_mut().max() {
            *longest /= 2;
        }
    }
    sizes
}
