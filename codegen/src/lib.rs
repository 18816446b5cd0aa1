//! The compiler: from the typed program of [`lift_analysis`] to OpenCL, and to a run of it.
//!
//! # Data, in its order
//!
//! 1. [`core::build::kernel`]: HIR and types become a [`core::Kernel`], A-normal and monomorphic.
//! 2. [`interp`] runs core: it is the meaning of a program, and what compiled code is compared with.
//! 3. [`schedule::Schedule`]: core with every operation placed, by named rules, for a [`target::Target`].
//! 4. [`lower::compile`]: the statements of the kernel become launches; [`opencl`] is their text.
//! 5. [`plan::Program`]: the text and what the host does, as data; [`report::Report`] says what was done and why.
//! 6. [`mod@run`] runs a plan on a device, [`emit`] writes it as C or Python, [`cost`] predicts what it takes.
//!
//! # Invariants
//!
//! * No text of a user makes this crate panic; what is not supported is an error that names it.
//! * Positions are opaque [`lift_analysis::origin::Origin`]s. Only [`core::build`] knows HIR and the database.
//! * A rewrite keeps what the interpreter makes of a kernel. Code asks for properties of a target, never for its name.
//!
//! # Modules
//!
//! Each uses only those above it; a test holds that.
//!
//! | module | job |
//! |---|---|
//! | [`budget`] | how much compiling one kernel may cost |
//! | [`value`], [`sizes`], [`failure`] | the values of a run; what stops one |
//! | [`core`] | the language of the compiler |
//! | [`interp`] | what core means |
//! | [`io`] | inputs and results as text, JSON, `.npy` |
//! | [`device`], [`target`] | a device as data; the class of devices that is compiled for |
//! | [`schedule`] | rewrite rules; where each operation runs |
//! | [`report`] | what was done and why |
//! | [`opencl`] | the tree of OpenCL C, and its text |
//! | [`plan`] | buffers, steps and checks of the host |
//! | [`lower`] | scheduled core to OpenCL functions and a plan |
//! | [`difference`] | where two results differ |
//! | [`cost`] | bytes, operations and launches of a compiled kernel |
//! | [`emit`] | a plan as a program in C or a module in Python |
//! | [`mod@run`] | a plan on a device |

pub mod budget;
pub mod core;
pub mod cost;
pub mod device;
pub mod difference;
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
