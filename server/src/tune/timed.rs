//! Runs of a program that stays on a device, with their times.

use lift_codegen::plan;
use lift_codegen::run::Resident;
use lift_codegen::run::device::{HostData, Session};
use lift_codegen::sizes::SizeValues;

/// Puts a program with its inputs on a device.
pub fn resident<'p>(
    session: &'p Session,
    program: &'p plan::Program,
    inputs: Vec<HostData>,
    sizes: &SizeValues,
) -> Result<Resident<'p>, String> {
    Resident::new(program, inputs, sizes.clone(), session).map_err(|e| e.to_string())
}

/// Runs once; returns the microseconds on the device.
pub fn once(resident: &mut Resident<'_>, session: &Session) -> Result<f64, String> {
    let mut run = || {
        resident.reset(false)?;
        resident.enqueue()?;
        session.finish()?;
        resident.take_nanoseconds()
    };
    run().map(|nanoseconds| nanoseconds as f64 / 1e3).map_err(|e| e.to_string())
}
