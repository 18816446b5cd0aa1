//! The kernels of a program on a device, and the sizes of their launches there.

use super::build_log;
use super::device::{self, BuildError, Kernel, Session};
use super::failure::RunFailure;
use super::geometry::{self, Geometry};
use super::prepare::{Numbers, Prepared, PreparedArg};
use crate::plan::{Launch, Program};

fn no_doubles(device: &str) -> RunFailure {
    RunFailure::Device { message: format!("the program computes with Double, which the device {device} cannot") }
}

/// The kernels of all launches, in order.
pub(super) fn build(program: &Program, prepared: &Prepared<'_>, session: &Session) -> Result<Vec<Kernel>, RunFailure> {
    let word = |text: &str| text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == "double");
    if !session.info.doubles && word(&program.opencl.text) {
        return Err(no_doubles(&session.info.name));
    }
    let built = device::Program::build(session, &program.opencl.text).map_err(|e| match e {
        BuildError::Refused { log } => {
            let messages = build_log::parse(&log, &program.opencl);
            RunFailure::Build { log, messages }
        }
        BuildError::OpenCl(e) => RunFailure::OpenCl(e),
    })?;
    // Each launch has its own kernel object, because an object keeps its arguments.
    prepared.launches.iter().map(|l| built.kernel(session, &l.plan.kernel).map_err(RunFailure::OpenCl)).collect()
}

/// The size of a launch on the device.
pub(super) fn fit(
    launch: &Launch,
    numbers: &Numbers,
    kernel: &Kernel,
    session: &Session,
    notices: &mut Vec<String>,
) -> Result<Geometry, RunFailure> {
    let label = &launch.label;
    let info = &session.info;
    let wish = numbers.wish;
    let geometry = geometry::fit(wish, &info.limits, info.kind, kernel.work_group_size).map_err(|e| {
        RunFailure::Groups { most: e.most, message: format!("`{label}` {} ({})", e.message, info.name) }
    })?;
    if geometry.local != wish.local.map(|n| n.max(1) as usize) {
        let (asked, got) = (wish.local, geometry.local);
        let notice = format!(
            "`{label}` runs with work-groups of {}x{}x{} work-items instead of {}x{}x{}: {} allows no more",
            got[0], got[1], got[2], asked[0], asked[1], asked[2], info.name
        );
        if !notices.contains(&notice) {
            notices.push(notice);
        }
    }
    let local: u64 =
        numbers.args.iter().map(|a| if let PreparedArg::Local(bytes) = a { *bytes as u64 } else { 0 }).sum();
    if local > info.limits.local_memory {
        let message = format!(
            "`{label}` needs {local} bytes of local memory in a work-group; {} has {}",
            info.name, info.limits.local_memory
        );
        return Err(RunFailure::Device { message });
    }
    Ok(geometry)
}
