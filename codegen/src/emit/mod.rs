//! Emits host programs from a plan, as alternatives to `lift run`.
//!
//! [`mod@c`] writes a C file and its header that do what [`crate::run`] does with a plan; the part independent of the
//! kernel is in `runtime.c`. [`python`] writes a module whose plan a Python package interprets.
//!
//! | module | job |
//! |---|---|
//! | `size` | sizes as expressions of the host language |
//! | [`c`] | a C file and its header |
//! | [`python`] | a Python module on the package `lift_runtime`, or JSON |

pub mod c;
pub mod python;
mod size;
#[cfg(test)]
mod tests;

use crate::plan::{Plan, Step};
use lift_analysis::size::{Size, Var};

/// The kernel functions of all launches in the order of the plan, including those in loops.
fn kernels(plan: &Plan) -> Vec<&str> {
    fn collect<'a>(steps: &'a [Step], out: &mut Vec<&'a str>) {
        for step in steps {
            match step {
                Step::Launch(launch) if !out.contains(&launch.kernel.as_str()) => out.push(&launch.kernel),
                step => step.inside().into_iter().for_each(|inner| collect(inner, out)),
            }
        }
    }
    let mut out = Vec::new();
    collect(&plan.steps, &mut out);
    out
}

/// Whether a size depends on a number measured on the device.
fn waits(size: &Size, measured: &[Var]) -> bool {
    size.any_var(&mut |v| measured.contains(v))
}
