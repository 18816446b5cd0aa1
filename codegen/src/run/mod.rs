//! Running a compiled kernel on an OpenCL device.
//!
//! A run maps data to data: a [`Program`](crate::plan::Program), values of its inputs and sizes, and a device give a
//! value and the times of the launches, or a [`RunFailure`] that names the fault and its origin.
//!
//! 1. [`prepare`](mod@prepare) evaluates the plan for the sizes and refuses false assumptions, numbers too large for
//!    the generated code, and more memory than there is. No device has been touched yet.
//! 2. [`device`] builds the text for the device; [`build_log`] maps compiler errors to the source.
//! 3. [`pour`](mod@pour) marshals the inputs as flat arrays, which are copied to the device.
//! 4. [`execute`] enqueues all steps of the plan without waiting for any. [`geometry`] fits launches to the device.
//! 5. [`collect`] reads the failure flag, the dynamic lengths, and those elements of the results that exist.
//!
//! [`several`] runs a kernel in parts, on several devices at a time.
//!
//! [`Resident`] is for repeated measurements: built once, its inputs in place.
//!
//! A kernel that writes out of bounds can crash the process, and a driver can hang, so `lift` runs kernels in a child
//! process; [`report`] is the child's output.
//!
//! | module | job |
//! |---|---|
//! | [`device`] | OpenCL devices behind a thin typed layer |
//! | [`geometry`] | chooses the number of work-items of a launch on a device |
//! | [`build_log`] | parses the log of a device's compiler and maps its messages to the source |
//! | `failure` | why a run gave no result |
//! | `prepare` | evaluates a plan for given sizes, before a device is touched |
//! | `layout` | lengths for marshalling and reading back |
//! | `pour` | marshals the values of arguments |
//! | `collect` | collects the result from its buffers |
//! | `kernels` | a program's kernels on a device, and their launch sizes |
//! | `execute` | executes the steps of a plan on a device |
//! | [`report`] | the report of a process that ran a kernel |
//! | `resident` | a program that stays on a device to be run repeatedly |
//! | [`several`] | a kernel in parts, on several devices |

pub mod build_log;
mod collect;
pub mod device;
mod execute;
mod failure;
pub mod geometry;
mod kernels;
mod layout;
mod pour;
mod prepare;
pub mod report;
mod resident;
pub mod several;
#[cfg(test)]
mod tests;

pub use build_log::BuildMessage;
pub use device::{Device, DeviceChoice, DeviceInfo, DeviceKind, NoDevice};
pub use execute::{LaunchTime, Outcome, RunOptions, check, run};
pub use failure::RunFailure;
pub use kernels::Built;
pub use resident::{Resident, contents};
