//! Running a compiled kernel on an OpenCL device.
//!
//! A run goes from data to data: a [`Program`](crate::plan::Program), values of its inputs and of its sizes, and a
//! device give a value and the times of the launches, or a [`RunFailure`] that says what is wrong and where.
//!
//! 1. [`prepare`](mod@prepare) puts the sizes into the plan and refuses what cannot work: assumptions that do not hold,
//!    numbers too large for the generated code, more memory than there is. Nothing has touched a device yet.
//! 2. [`device`] builds the text for the device; a refusal is led back to the source by [`build_log`].
//! 3. [`pour`](mod@pour) lays the inputs out as flat arrays; they are copied to the device.
//! 4. [`execute`] enqueues all steps of the plan without waiting for any. [`geometry`] fits launches to the device.
//! 5. [`collect`] reads the failure flag, the dynamic lengths, and of the results the elements that there are.
//!
//! What is measured again and again is a [`Resident`]: built once, its inputs in place.
//!
//! A kernel that writes out of bounds can bring the process down and a driver can hang, so `lift` does all this in a
//! child process; [`report`] is what the child says.

pub mod build_log;
mod collect;
pub mod device;
mod execute;
mod failure;
pub mod geometry;
mod layout;
mod pour;
mod prepare;
pub mod report;
mod resident;
#[cfg(test)]
mod tests;

pub use build_log::BuildMessage;
pub use device::{Device, DeviceChoice, DeviceInfo, DeviceKind, NoDevice};
pub use execute::{LaunchTime, Outcome, RunOptions, check, run};
pub use failure::RunFailure;
pub use resident::Resident;
