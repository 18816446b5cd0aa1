//! Compositions of maps, folds, scans and sorts of rows, in their most direct form.

use super::{Benchmark, Scale};
use crate::compare::Check;
use crate::data::Input;
use crate::external::Kind;

/// A benchmark of a kernel in `programs/nested.lift`.
fn nested(
    kernel: &'static str,
    sizes: &[(&'static str, usize)],
    inputs: impl Fn() -> Vec<Input> + 'static,
    (bytes, operations): (f64, f64),
    check: Check,
) -> Benchmark {
    Benchmark {
        text: Some(include_str!("../../programs/nested.lift").to_owned()),
        sizes: sizes.iter().map(|(name, n)| (*name, *n as i64)).collect(),
        inputs: Box::new(inputs),
        bytes,
        operations,
        check,
        external: vec![Kind::PyTorch, Kind::NumPy],
        goals: vec![(Kind::PyTorch, 1.0), (Kind::NumPy, 1.2)],
        ..Benchmark::new(&format!("nested-{kernel}"), "nested", kernel)
    }
}

fn floats(shape: &[usize], seed: u64) -> Input {
    Input::floats(shape, seed, -1.0, 1.0)
}

const CLOSE: Check = Check::Relative(1e-4);

pub fn all(scale: Scale) -> Vec<Benchmark> {
    let rows = |n: usize| (scale.of(40, 1024, n), scale.of(300, 1024, 4096));
    let (n, m) = rows(8192);
    let all = (n * m) as f64;
    let side = scale.of(64, 2048, 8192);
    let (queries, depth) = (scale.of(48, 1024, 4096), 64);
    let (batch, edge) = (scale.of(3, 8, 64), scale.of(33, 256, 512));
    let (channels, image) = (scale.of(2, 16, 16), scale.of(32, 256, 512));
    let (sorted, sorted_row) = (scale.of(30, 512, 4096), scale.of(300, 1024, 1024));
    let numbers = scale.of(1000, 1 << 20, 1 << 24);
    let (buckets, counted) = (scale.of(50_000, 1_000_000, 1_000_000), scale.of(1000, 1 << 20, 1 << 22));
    let nodes = scale.of(20, 256, 512);
    let long = scale.of(1000, 1 << 22, 1 << 26);
    let product = |a: usize, b: usize, c: usize| 2.0 * (a * b * c) as f64;
    vec![
        nested("softmax", &[("N", n), ("M", m)], move || vec![floats(&[n, m], 1)], (8.0 * all, 0.0), CLOSE),
        nested(
            "layernorm",
            &[("N", n), ("M", m)],
            move || vec![floats(&[n, m], 2), floats(&[m], 3), floats(&[m], 4)],
            (8.0 * all, 0.0),
            CLOSE,
        ),
        nested(
            "attention",
            &[("N", queries), ("D", depth)],
            move || [5, 6, 7].map(|seed| floats(&[queries, depth], seed)).to_vec(),
            (0.0, 2.0 * product(queries, queries, depth)),
            CLOSE,
        ),
        nested(
            "column-sums",
            &[("N", side), ("M", side)],
            move || vec![floats(&[side, side], 8)],
            (4.0 * (side * side) as f64, 0.0),
            CLOSE,
        ),
        nested("row-scans", &[("N", n), ("M", m)], move || vec![floats(&[n, m], 9)], (8.0 * all, 0.0), CLOSE),
        nested("row-argmax", &[("N", n), ("M", m)], move || vec![floats(&[n, m], 10)], (4.0 * all, 0.0), Check::Exact),
        nested(
            "batched-product",
            &[("B", batch), ("N", edge), ("M", edge), ("K", edge)],
            move || [11, 12].map(|seed| floats(&[batch, edge, edge], seed)).to_vec(),
            (0.0, batch as f64 * product(edge, edge, edge)),
            CLOSE,
        ),
        nested(
            "convolution",
            &[("C", channels), ("O", channels), ("H", image), ("W", image)],
            move || vec![floats(&[channels, image, image], 13), floats(&[channels, channels, 3, 3], 14)],
            (8.0 * (channels * image * image) as f64, 9.0 * product(channels * channels, image - 2, image - 2)),
            CLOSE,
        ),
        nested(
            "row-sorts",
            &[("N", sorted), ("M", sorted_row)],
            move || vec![floats(&[sorted, sorted_row], 15)],
            (8.0 * (sorted * sorted_row) as f64, 0.0),
            Check::Exact,
        ),
        nested(
            "unique",
            &[("N", numbers)],
            move || vec![Input::ints(&[numbers], 16, 1 << 20)],
            (8.0 * numbers as f64, 0.0),
            Check::Exact,
        ),
        nested(
            "bincount",
            &[("N", counted), ("B", buckets)],
            move || vec![Input::ints(&[counted], 17, 1 << 30), Input::floats(&[buckets], 18, 0.0, 1.0)],
            (4.0 * (counted + buckets) as f64, 0.0),
            Check::Exact,
        ),
        nested("shortest-paths", &[("N", nodes)], move || vec![floats(&[nodes, nodes], 19)], (0.0, 0.0), Check::Exact),
        nested(
            "gather",
            &[("N", numbers), ("M", numbers)],
            move || vec![floats(&[numbers], 20), Input::ints(&[numbers], 21, 1 << 30)],
            (12.0 * numbers as f64, 0.0),
            Check::Exact,
        ),
        nested("mean-and-square", &[("N", long)], move || vec![floats(&[long], 22)], (4.0 * long as f64, 0.0), CLOSE),
    ]
}
