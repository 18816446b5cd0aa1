//! The programs of `tests/bench/run tuned` that are in no gallery.

use super::streams::{Filter, filter_by_hand, maxima_by_hand};
use super::{Benchmark, Scale};
use crate::by_hand::{Arg::*, ByHand, Memory::*};
use crate::compare::Check;
use crate::data::Input as Made;

fn program(kernel: &'static str) -> Benchmark {
    let text = Some(include_str!("../../programs/tuned.lift").to_owned());
    Benchmark { text, ..Benchmark::new(&format!("tuned-{kernel}"), "programs/tuned", kernel) }
}

/// A sparse matrix with 16 entries in each row.
pub fn spmv(scale: Scale) -> Benchmark {
    let (n, k): (usize, usize) = (scale.of(256, 1 << 16, 1 << 20), 16);
    let peer = move |_| {
        let hand = ByHand::new("by hand: 8 items a row", include_str!("../../kernels/spmv.cl")).result(Floats(n));
        let args = [Input(0), Input(1), Input(2), Result(0), Int(n), Int(k), Int(n)];
        vec![hand.launch("ell", &args, n * 8 / 128, 128)]
    };
    let inputs = move || {
        let columns = Made::ints(&[n, k], 4, 1 << 30);
        vec![columns, Made::floats(&[n, k], 5, 0.0, 1.0), Made::floats(&[n], 6, 0.0, 1.0)]
    };
    Benchmark {
        sizes: vec![("N", n as i64), ("K", k as i64), ("M", n as i64)],
        inputs: Box::new(inputs),
        bytes: (8 * n * k + 8 * n) as f64,
        operations: (2 * n * k) as f64,
        check: Check::Relative(1e-5),
        by_hand: Box::new(peer),
        ..program("spmv-of-any")
    }
}

/// Rows that a group of `softmax.cl` keeps in registers.
fn rows(scale: Scale, kernel: &'static str, gpu: usize) -> Benchmark {
    let (n, m) = (scale.of(8, 1024, gpu), scale.of(512, 1024, 4096));
    let peer = move |_| {
        let group = m / 16;
        let hand = ByHand::new("by hand: a group a row, registers", include_str!("../../kernels/softmax.cl"));
        let hand = hand.define("M", m).define("WG", group).result(Floats(n * m));
        vec![hand.launch(kernel, &[Input(0), Result(0)], n, group)]
    };
    Benchmark {
        sizes: vec![("N", n as i64), ("M", m as i64)],
        inputs: Box::new(move || vec![Made::floats(&[n, m], 7, -1.0, 1.0)]),
        bytes: (8 * n * m) as f64,
        check: Check::Relative(1e-4),
        by_hand: Box::new(peer),
        ..program(kernel)
    }
}

pub fn log_softmax(scale: Scale) -> Benchmark {
    let rows = rows(scale, "log_softmax", 8192);
    let text = Some(include_str!("../../programs/others.lift").to_owned());
    Benchmark { text, name: "tuned-log-softmax".to_owned(), kernel: "log-softmax", ..rows }
}

pub fn normed(scale: Scale) -> Benchmark {
    rows(scale, "normed", 16384)
}

pub fn columns(scale: Scale) -> Benchmark {
    let (n, m): (usize, usize) = (scale.of(64, 1024, 16384), scale.of(512, 1024, 4096));
    let peer = move |scale: Scale| {
        let (group, parts): (usize, usize) = (128, scale.of(4, 4, 132));
        let rows = n.div_ceil(parts);
        let hand = ByHand::new("by hand: two launches", include_str!("../../kernels/columns.cl")).define("WG", group);
        let hand = hand.result(Floats(m)).memory(Floats(parts * m));
        let (across, args) = (m / 4 / group, [Input(0), Memory(0), Int(n), Int(m / 4), Int(rows)]);
        let hand = hand.launch3("parts", &args, [across, parts, 1], [group, 1, 1]);
        vec![hand.launch("add", &[Memory(0), Result(0), Int(m / 4), Int(parts)], across, group)]
    };
    Benchmark {
        sizes: vec![("N", n as i64), ("M", m as i64)],
        inputs: Box::new(move || vec![Made::floats(&[n, m], 8, 0.0, 1.0)]),
        bytes: (4 * n * m + 4 * m) as f64,
        check: Check::Relative(1e-4),
        by_hand: Box::new(peer),
        ..program("columns")
    }
}

/// The length of the arrays.
fn long(scale: Scale) -> usize {
    scale.of(1 << 14, 1 << 22, 1 << 26)
}

pub fn peaks(scale: Scale) -> Benchmark {
    let n = long(scale);
    Benchmark {
        sizes: vec![("N", n as i64)],
        inputs: Box::new(move || vec![Made::floats(&[n], 9, 0.0, 1.0)]),
        bytes: 8.0 * n as f64,
        by_hand: Box::new(move |scale| vec![maxima_by_hand(scale, n)]),
        ..program("peaks")
    }
}

pub fn remainders(scale: Scale) -> Benchmark {
    let (n, buckets) = (long(scale), 97);
    let peer = move |scale: Scale| {
        let hand = ByHand::new("by hand: atomics, no sort", include_str!("../../kernels/histogram.cl"))
            .define("B", buckets)
            .define("BUCKET(x)", format!("(abs(x)%{buckets})"))
            .result(Ints(buckets))
            .launch("zero", &[Result(0), Int(buckets)], 1, buckets);
        vec![hand.launch("histogram", &[Input(0), Result(0), Int(n)], scale.groups(), 256)]
    };
    Benchmark {
        sizes: vec![("N", n as i64)],
        inputs: Box::new(move || vec![Made::ints(&[n], 10, 1 << 30)]),
        bytes: 4.0 * n as f64,
        by_hand: Box::new(peer),
        ..program("remainders")
    }
}

pub fn large(scale: Scale) -> Benchmark {
    let n = long(scale);
    let filter = Filter { keep: "((x)>0.75f)", map: "((x)*2.0f)" };
    Benchmark {
        sizes: vec![("N", n as i64)],
        inputs: Box::new(move || vec![Made::floats(&[n], 11, 0.0, 1.0)]),
        bytes: 5.0 * n as f64,
        by_hand: Box::new(move |scale| vec![filter_by_hand(scale, n, filter)]),
        ..program("large")
    }
}
