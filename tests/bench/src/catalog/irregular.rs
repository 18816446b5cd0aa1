//! Arrays whose rows have different lengths: a triangle times a vector.

use super::{Benchmark, Scale};
use crate::by_hand::{Arg::*, ByHand, Memory::*};
use crate::compare::Check;
use crate::data;
use crate::external::Kind;

/// The product as placed by the compiler, compared with cuBLAS on a packed matrix and on a square one with zeros. The
/// goals are to be 18, 7 and 1.7 times as fast.
fn product(name: &'static str, scale: Scale, n: usize) -> Benchmark {
    let peer = move |scale: Scale| {
        let group = scale.of(32, 32, if n > 8192 { 256 } else { 128 });
        let hand = ByHand::new("by hand: two rows a group", include_str!("../../kernels/triangle.cl"))
            .define("WG", group)
            .define("U", 8)
            .result(Floats(n));
        vec![hand.launch("product", &[Input(0), Input(1), Result(0), Int(n)], n / 2, group)]
    };
    let goals = [(Kind::Strmv, 1.0 / 18.0), (Kind::Stpmv, 1.0 / 7.0), (Kind::Sgemv, 1.0 / 1.7), (Kind::Hand, 1.1)];
    // At smaller sizes a launch takes longer than the computation.
    let goals = if n >= 4096 { &goals[..] } else { &goals[3..] };
    Benchmark {
        external: vec![Kind::Strmv, Kind::Stpmv, Kind::Sgemv],
        by_hand: Box::new(peer),
        ..triangle(name, "product", n)
    }
    .goals(scale, goals)
}

/// The programs of the paper, compared with the same hand-written kernel.
fn of_the_paper(name: &'static str, kernel: &'static str, scale: Scale, n: usize) -> Benchmark {
    let by_hand = product(name, scale, n).by_hand;
    Benchmark { by_hand, ..triangle(name, kernel, n) }
}

fn triangle(name: &'static str, kernel: &'static str, n: usize) -> Benchmark {
    let packed = n * (n + 1) / 2;
    let inputs = move || vec![data::Input::floats(&[packed], 11, -1.0, 1.0), data::Input::floats(&[n], 12, -1.0, 1.0)];
    Benchmark {
        sizes: vec![("N", n as i64)],
        inputs: Box::new(inputs),
        bytes: 4.0 * (packed + 2 * n) as f64,
        operations: 2.0 * packed as f64,
        check: Check::Relative(1e-4),
        ..Benchmark::new(name, "irregular/triangle", kernel)
    }
}

pub fn triangle_1024(scale: Scale) -> Benchmark {
    product("triangle-1024", scale, scale.of(64, 1024, 1024))
}
pub fn triangle_2048(scale: Scale) -> Benchmark {
    product("triangle-2048", scale, scale.of(64, 2048, 2048))
}
pub fn triangle_4096(scale: Scale) -> Benchmark {
    product("triangle-4096", scale, scale.of(128, 4096, 4096))
}
pub fn triangle_8192(scale: Scale) -> Benchmark {
    product("triangle-8192", scale, scale.of(128, 4096, 8192))
}
pub fn triangle_16384(scale: Scale) -> Benchmark {
    product("triangle-16384", scale, scale.of(256, 8192, 16384))
}
pub fn basic_4096(scale: Scale) -> Benchmark {
    of_the_paper("triangle-basic-4096", "basic", scale, scale.of(64, 4096, 4096))
}
pub fn basic_16384(scale: Scale) -> Benchmark {
    of_the_paper("triangle-basic-16384", "basic", scale, scale.of(64, 4096, 16384))
}
pub fn best_4096(scale: Scale) -> Benchmark {
    of_the_paper("triangle-best-4096", "best", scale, scale.of(64, 4096, 4096))
}
pub fn best_16384(scale: Scale) -> Benchmark {
    of_the_paper("triangle-best-16384", "best", scale, scale.of(64, 4096, 16384))
}
