//! Host programs printed from a plan: other ways to run a compiled kernel than `lift run`.
//!
//! [`mod@c`] makes one C file and its header that do what [`crate::run`] does with a plan; what does not depend on the
//! kernel is text beside it (`runtime.c`). [`python`] makes a module whose plan a package of Python interprets.

pub mod c;
pub mod python;
mod size;
#[cfg(test)]
mod tests;

use crate::plan::{Plan, Step};
use lift_analysis::size::{Size, Var};

/// Every launch, in the order of the plan, with the steps inside of loops.
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

/// Whether a size waits for a number that the device computes.
fn waits(size: &Size, measured: &[Var]) -> bool {
    size.any_var(&mut |v| measured.contains(v))
}
