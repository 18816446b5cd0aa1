//! Helpers for tests of several modules.

#[path = "../../tests/src/sample.rs"]
pub mod sample;

use crate::run::device::{Device, DeviceChoice, choose};
use lift_analysis::hir::ExprId;
use lift_analysis::origin::{FormKey, Origin};
use lift_analysis::size::{Var, VarKind};
use std::sync::{Arc, OnceLock};

/// A size parameter by its index in the declaration.
pub fn param(id: u32, name: &str) -> Var {
    Var::new(VarKind::Param, id, name)
}

/// An origin in a test program.
pub fn origin(expr: u32) -> Origin {
    let form = Arc::new(FormKey { file: "test.lift".into(), name: Some("k".into()), nth: 0 });
    Origin::new(form, ExprId(expr))
}

/// Whether the device's compiler optimizes, which takes most of the time of the tests: `tests/run all` asks for it.
fn optimizes() -> bool {
    std::env::var_os("LIFT_TESTS_OPTIMIZE").is_some()
}

/// The device on which tests run. Without one they fail, because a skipped test proves nothing. Opened once: drivers
/// misbehave when many threads load them at the same time.
pub fn device() -> Device {
    static DEVICE: OnceLock<Device> = OnceLock::new();
    let device = DEVICE.get_or_init(|| match choose(DeviceChoice::Best) {
        Ok(device) if optimizes() => device.keeping(),
        Ok(device) => device.keeping().unoptimized(),
        Err(e) => panic!("this test runs kernels and needs an OpenCL device: {e}"),
    });
    device.clone()
}

/// Samples are small, and those of some commits together have every case.
#[test]
fn every_case_is_in_a_sample() {
    let seeds: Vec<String> = (0..40).map(|seed| seed.to_string()).collect();
    for case in 0..50 {
        let samples = seeds.iter().filter(|seed| sample::is_in(seed, &case, 3)).count();
        assert!((1..30).contains(&samples), "{case}: {samples}");
    }
}
