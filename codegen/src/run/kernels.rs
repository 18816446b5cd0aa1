//! The kernels of a program on a device, and the sizes of their launches there.

use super::build_log;
use super::device::{self, BuildError, Kernel, Session};
use super::failure::RunFailure;
use super::geometry::{self, Geometry};
use super::prepare::{Numbers, Prepared, PreparedArg, PreparedLaunch};
use crate::plan::{Launch, Program};
use rustc_hash::FxHashSet;

fn no_doubles(device: &str) -> RunFailure {
    RunFailure::Device { message: format!("the program computes with Double, which the device {device} cannot") }
}

/// Which kernels of a program are built.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Built {
    /// Those that the sizes of the run need. A driver takes longer to build a kernel than to run it, and a program has
    /// several versions of many operators.
    #[default]
    Needed,
    /// All, so that runs with other sizes need no other program.
    All,
}

/// The kernels of all launches, in order; `None` for those that these sizes do not need.
pub(super) fn build(
    program: &Program,
    prepared: &Prepared<'_>,
    session: &Session,
    which: Built,
) -> Result<Vec<Option<Kernel>>, RunFailure> {
    let word = |text: &str| text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == "double");
    if !session.info.doubles && word(&program.opencl.text) {
        return Err(no_doubles(&session.info.name));
    }
    let needed = |l: &&PreparedLaunch<'_>| which == Built::All || l.numbers.as_ref().is_none_or(|n| n.needed);
    let names: FxHashSet<&str> = prepared.launches.iter().filter(needed).map(|l| &*l.plan.kernel).collect();
    let built = device::Program::build(session, &program.opencl.text_of(&names)).map_err(|e| match e {
        BuildError::Refused { log } => {
            let messages = build_log::parse(&log, &program.opencl);
            RunFailure::Build { log, messages }
        }
        BuildError::OpenCl(e) => RunFailure::OpenCl(e),
    })?;
    // Each launch has its own kernel object, because an object keeps its arguments.
    let kernel = |l: &PreparedLaunch<'_>| {
        names
            .contains(&*l.plan.kernel)
            .then(|| built.kernel(session, &l.plan.kernel).map_err(RunFailure::OpenCl))
            .transpose()
    };
    prepared.launches.iter().map(kernel).collect()
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
