//! `lift-codegen`: from typed core to OpenCL. (The full head is written with the modules.)
pub mod core;
pub mod cost;
pub mod emit;
pub mod failure;
pub mod interp;
pub mod io;
pub mod lower;
pub mod opencl;
pub mod plan;
pub mod report;
pub mod run;
pub mod schedule;
pub mod sizes;
pub mod target;
#[cfg(test)]
mod testing;
pub mod value;
