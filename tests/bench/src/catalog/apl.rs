//! Programs in APL (`programs/*.apl`), as compilers for APL are compared, beside the same in Futhark.

use super::{Benchmark, Scale};
use crate::compare::Check;
use crate::data::Input as Made;
use crate::external::Kind;

/// A benchmark of the function that a comment of the text makes a kernel.
fn program(scale: Scale, name: &'static str, kernel: &'static str, text: &str) -> Benchmark {
    Benchmark {
        text: Some(text.to_owned()),
        external: vec![Kind::Futhark],
        check: Check::Relative(1e-9),
        ..Benchmark::new(name, "programs/main.apl", kernel)
    }
    .goals(scale, &[(Kind::Futhark, 1.0)])
}

pub fn signal(scale: Scale) -> Benchmark {
    let n = scale.of(1 << 12, 1 << 22, 10_000_000);
    Benchmark {
        sizes: vec![("N", n as i64)],
        inputs: Box::new(move || vec![Made::doubles(&[n], 61, 0.0, 1.0)]),
        bytes: 8.0 * n as f64,
        ..program(scale, "apl-signal", "signal", include_str!("../../programs/signal.apl"))
    }
}

pub fn life(scale: Scale) -> Benchmark {
    let n = scale.of(64, 512, 4096);
    Benchmark {
        sizes: vec![("N", n as i64), ("M", n as i64)],
        inputs: Box::new(move || vec![Made::bools(&[n, n], 62)]),
        bytes: 100.0 * 2.0 * (n * n) as f64,
        check: Check::Exact,
        ..program(scale, "apl-life", "generations", include_str!("../../programs/life.apl"))
    }
}

pub fn hotspot(scale: Scale) -> Benchmark {
    let n = scale.of(64, 512, 2048);
    let inputs = move || vec![Made::doubles(&[n, n], 63, 0.0, 1.0), Made::doubles(&[n, n], 64, 60.0, 100.0)];
    Benchmark {
        sizes: vec![("N", n as i64), ("M", n as i64), ("K", n as i64), ("L", n as i64)],
        inputs: Box::new(inputs),
        bytes: 100.0 * 24.0 * (n * n) as f64,
        ..program(scale, "apl-hotspot", "steps", include_str!("../../programs/hotspot.apl"))
    }
}

pub fn easter(scale: Scale) -> Benchmark {
    let n = scale.of(1 << 12, 1 << 22, 10_000_000);
    Benchmark {
        sizes: vec![("N", n as i64)],
        inputs: Box::new(move || vec![Made::ints(&[n], 65, 4000)]),
        bytes: 4.0 * n as f64,
        check: Check::Exact,
        ..program(scale, "apl-easter", "latest", include_str!("../../programs/easter.apl"))
    }
}

pub fn blackscholes(scale: Scale) -> Benchmark {
    let n = scale.of(1 << 12, 1 << 20, 10_000_000);
    Benchmark {
        sizes: vec![("N", n as i64)],
        inputs: Box::new(move || vec![Made::doubles(&[n], 66, 0.1, 10.0)]),
        bytes: 8.0 * n as f64,
        ..program(scale, "apl-blackscholes", "mean", include_str!("../../programs/blackscholes.apl"))
    }
}

pub fn sobol(scale: Scale) -> Benchmark {
    let n = scale.of(1 << 12, 1 << 20, 10_000_000);
    let directions = || Made::from_ints(super::fcl::directions()).shaped(&[2, 30]);
    Benchmark {
        sizes: vec![("N", 2), ("M", 30)],
        inputs: Box::new(move || vec![directions(), Made::int(n)]),
        ..program(scale, "apl-sobol", "pi", include_str!("../../programs/sobol.apl"))
    }
}
