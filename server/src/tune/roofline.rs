//! The least time that a kernel can take on a device: its inputs and results once at the rate of a copy, or the
//! arithmetic that it asks for at the rate of independent multiplications and additions, whichever takes longer.
//!
//! Both rates are measured with programs of Lift. Data in caches can be faster.

use super::timed::once;
use crate::engine;
use crate::program::Program;
use lift_codegen::cost::Cost;
use lift_codegen::run::device::{HostData, Session};
use lift_codegen::run::{DeviceInfo, Resident};
use lift_codegen::sizes::SizeValues;
use lift_codegen::target::Target;
use lift_codegen::{lower, plan};
use std::sync::Arc;

/// Iterations of four multiplications and four additions.
const ROUNDS: u32 = 128;
const OPERATIONS: f64 = 8.0 * ROUNDS as f64;
/// Elements that are copied, more than fit into caches, and elements that are computed with.
const COPIED: i64 = 1 << 24;
const COMPUTED: i64 = 1 << 21;
/// Number of runs; the fastest counts.
const RUNS: u32 = 5;

const PROBES: &str = "\
(lift copied (N) ((array-type float N)) (lambda (xs) (map (lambda (x) (+ x 1.0f)) xs)))
(lift computed (N) ((array-type float N))
  (lambda (xs)
    (map
      (lambda (x)
        (let s (iterate #128
                 (lambda (s)
                   (tuple (+ (* (get1 s) x) 1.0f) (+ (* (get2 s) x) 2.0f) (+ (* (get3 s) x) 3.0f) (+ (* (get4 s) x) 4.0f)))
                 (tuple x x x x))
          (+ (+ (get1 s) (get2 s)) (+ (get3 s) (get4 s)))))
      xs)))
";

/// The work of a device in a microsecond.
#[derive(Debug, Clone, Copy)]
pub struct Roofline {
    bytes: f64,
    operations: f64,
}

impl Roofline {
    /// Measures a device; `None` if it cannot run the programs.
    pub fn of(device: &DeviceInfo, session: &Session) -> Option<Roofline> {
        let path: Arc<str> = "probe.lift".into();
        let program = Program::of_text(&path, PROBES.into()).ok()?;
        let rate = |kernel: &str, elements: i64, work: f64| {
            let core = engine::core(&program.analysis, &path, kernel).ok()?.ok()?;
            let compiled = lower::compile(&core, &Target::of(device)).ok()?;
            let sizes: SizeValues = core.sizes.iter().map(|size| (size.clone(), elements)).collect();
            let data = HostData::Float(vec![0.5; usize::try_from(elements).ok()?]);
            let mut resident = Resident::new(&compiled, vec![data], sizes, session).ok()?;
            let times = (0..RUNS).map_while(|_| once(&mut resident, session).ok());
            let least = times.reduce(f64::min).filter(|time| *time > 0.0)?;
            Some(work * elements as f64 / least)
        };
        Some(Roofline { bytes: rate("copied", COPIED, 8.0)?, operations: rate("computed", COMPUTED, OPERATIONS)? })
    }

    /// The least time of a program in microseconds; `None` if its sizes do not determine its work.
    pub fn least(&self, program: &plan::Program, sizes: &SizeValues) -> Option<f64> {
        let cost = Cost::at(program, sizes);
        let bytes = cost.value(&cost.necessary)? as f64 / self.bytes;
        let operations = cost.asked.as_ref().and_then(|asked| cost.value(&asked.float)).unwrap_or(0);
        Some(bytes.max(operations as f64 / self.operations))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_probes_do_what_is_counted() {
        let path: Arc<str> = "probe.lift".into();
        let program = Program::of_text(&path, PROBES.into()).expect("nothing stops it");
        let roofline = Roofline { bytes: 1.0, operations: 1.0 };
        for (kernel, least) in [("copied", 8.0), ("computed", OPERATIONS + 3.0)] {
            let core = engine::core(&program.analysis, &path, kernel).expect("nothing stops it").expect("a kernel");
            let compiled = lower::compile(&core, &Target::gpu()).expect("it compiles");
            let sizes: SizeValues = core.sizes.iter().map(|size| (size.clone(), 1000)).collect();
            assert_eq!(roofline.least(&compiled, &sizes), Some(least * 1000.0), "{kernel}");
        }
    }
}
