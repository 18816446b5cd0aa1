//! Matrices.

use super::{Benchmark, Scale, USUAL};
use crate::by_hand::{Arg::*, ByHand, Memory::*};
use crate::compare::Check;
use crate::data;
use crate::external::Kind;

const EVERYBODY: [Kind; 4] = [Kind::Cuda, Kind::Futhark, Kind::OpenMp, Kind::NumPy];

pub fn transpose(scale: Scale) -> Benchmark {
    let n = scale.of(128, 2048, 4096);
    let peer = move |_| {
        let hand = ByHand::new("by hand: tiles of 64×64", include_str!("../../kernels/transpose.cl"))
            .define("TD", 64)
            .define("TR", 8)
            .result(Floats(n * n));
        let args = [Input(0), Result(0), Int(n), Int(n)];
        vec![hand.launch3("transpose_lm", &args, [n / 64, n / 64, 1], [64, 8, 1])]
    };
    Benchmark {
        sizes: vec![("N", n as i64), ("M", n as i64)],
        inputs: Box::new(move || vec![data::Input::floats(&[n, n], 51, 0.0, 1.0)]),
        bytes: 8.0 * (n * n) as f64,
        by_hand: Box::new(peer),
        external: EVERYBODY.to_vec(),
        ..Benchmark::new("transpose", "transpose", "exchange")
    }
    .goals(scale, &[(Kind::Cuda, 1.0), (Kind::Futhark, 0.7), (Kind::Hand, 1.1)])
}

pub fn gemv(scale: Scale) -> Benchmark {
    let n = scale.of(128, 4096, 8192);
    let peer = move |_| {
        let hand = ByHand::new("by hand: a group a row", include_str!("../../kernels/gemv.cl")).result(Floats(n));
        let args = [Input(0), Input(1), Input(2), Input(3), Input(4), Result(0), Int(n / 4)];
        vec![hand.launch("gemv", &args, n, 128)]
    };
    let inputs = move || {
        let numbers = |shape: &[usize], seed| data::Input::floats(shape, seed, 0.0, 1.0);
        vec![numbers(&[n, n], 1), numbers(&[n], 2), numbers(&[n], 3), data::Input::float(1.5), data::Input::float(0.5)]
    };
    Benchmark {
        sizes: vec![("N", n as i64), ("M", n as i64)],
        inputs: Box::new(inputs),
        bytes: 4.0 * (n * n) as f64,
        operations: 2.0 * (n * n) as f64,
        check: Check::Relative(1e-4),
        by_hand: Box::new(peer),
        external: EVERYBODY.to_vec(),
        ..Benchmark::new("gemv", "gemv", "gemv")
    }
    .goals(scale, USUAL)
}

pub fn matmul(scale: Scale) -> Benchmark {
    let n = scale.of(128, 1024, 4096);
    let peer = move |_| {
        let hand = ByHand::new("by hand: tiles of 128×128, 8×8 an item", include_str!("../../kernels/matmul.cl"));
        let options = [("TM", 8), ("TN", 8), ("BK", 16), ("LR", 4), ("WR", 4)];
        let hand = options.into_iter().fold(hand, |hand, (name, value)| hand.define(name, value));
        let args = [Input(0), Input(1), Result(0), Int(n), Int(n), Int(n)];
        vec![hand.result(Floats(n * n)).launch3("sgemm_g", &args, [n / 128, n / 128, 1], [256, 1, 1])]
    };
    Benchmark {
        sizes: vec![("N", n as i64), ("M", n as i64), ("K", n as i64)],
        inputs: Box::new(move || [41, 42].map(|seed| data::Input::floats(&[n, n], seed, -1.0, 1.0)).to_vec()),
        operations: 2.0 * (n as f64).powi(3),
        check: Check::Relative(1e-4),
        by_hand: Box::new(peer),
        external: EVERYBODY.to_vec(),
        ..Benchmark::new("matmul", "matmul", "multiply")
    }
    // 88 % of the speed of cuBLAS.
    .goals(scale, &[(Kind::Cuda, 1.0 / 0.88), (Kind::Futhark, 0.7), (Kind::Hand, 1.1)])
}

/// Rows with 1 to 31 entries in random columns.
pub fn spmv(scale: Scale) -> Benchmark {
    let n = scale.of(256, 1 << 17, 1 << 20);
    let lengths = move || (0..n as u64).map(|i| 1 + (data::mix(i) % 31) as i32);
    let entries = lengths().sum::<i32>() as usize;
    let inputs = move || {
        let mut starts = vec![0];
        starts.extend(lengths().scan(0, |end, length| {
            *end += length;
            Some(*end)
        }));
        vec![
            data::Input::from_ints(starts),
            data::Input::ints(&[entries], 4, n as u64),
            data::Input::floats(&[entries], 5, 0.0, 1.0),
            data::Input::floats(&[n], 6, 0.0, 1.0),
        ]
    };
    let peer = move |_| {
        let hand = ByHand::new("by hand: 8 items a row", include_str!("../../kernels/spmv.cl")).result(Floats(n));
        let args = [Input(0), Input(1), Input(2), Input(3), Result(0), Int(n)];
        vec![hand.launch("spmv", &args, n * 8 / 128, 128)]
    };
    Benchmark {
        sizes: vec![("N", n as i64), ("M", n as i64), ("K", entries as i64)],
        inputs: Box::new(inputs),
        bytes: 8.0 * entries as f64 + 12.0 * n as f64,
        operations: 2.0 * entries as f64,
        check: Check::Relative(1e-5),
        by_hand: Box::new(peer),
        external: vec![Kind::Futhark, Kind::OpenMp],
        ..Benchmark::new("spmv", "spmv", "compressed")
    }
    .goals(scale, USUAL)
}
