//! The compiler: from the typed program of [`lift_analysis`] to OpenCL, and the runtime.
//!
//! # Data, in order
//!
//! 1. [`core::build::kernel`]: HIR and types become a [`core::Kernel`], A-normal and monomorphic.
//! 2. [`interp`] runs core. It defines the meaning of a program; compiled code is compared with it.
//! 3. [`schedule::Schedule`]: core with every operation placed, by named rules, for a [`target::Target`].
//! 4. [`lower::compile`]: the statements of the kernel become launches; [`opencl`] is their text.
//! 5. [`plan::Program`]: the text and the host's steps, as data; [`report::Report`] says what was done and why.
//! 6. [`mod@run`] runs a plan on a device, [`emit`] writes it as C or Python, [`cost`] predicts its cost.
//!
//! # Invariants
//!
//! * No program text makes this crate panic; an unsupported feature is an error that names it.
//! * Source locations are opaque [`lift_analysis::origin::Origin`]s. Only [`core::build`] knows HIR and the database.
//! * A rewrite preserves the interpreter's result. Code asks for properties of a target, never for its name.
//!
//! # Modules
//!
//! Each uses only those above it; a test enforces this.
//!
//! | module | job |
//! |---|---|
//! | [`budget`] | limits on the cost of compiling one kernel |
//! | [`number`], [`value`], [`sizes`], [`failure`] | the values of a run; what stops one |
//! | [`core`] | the language of the compiler |
//! | [`interp`] | the meaning of core |
//! | [`io`] | inputs and results as text, JSON, `.npy` |
//! | [`device`], [`target`] | a device as data; the class of devices to compile for |
//! | [`schedule`] | rewrite rules; where each operation runs |
//! | [`report`] | what was done and why |
//! | [`opencl`] | the syntax tree of OpenCL C, and its text |
//! | [`plan`] | buffers, steps and checks of the host |
//! | [`lower`] | scheduled core to OpenCL functions and a plan |
//! | [`parts`] | a kernel on blocks of its arrays |
//! | [`difference`] | the first difference between two results |
//! | [`cost`] | bytes, operations and launches of a compiled kernel |
//! | [`emit`] | a plan as a C program or a Python module |
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
pub mod number;
pub mod opencl;
pub mod parts;
pub mod plan;
pub mod report;
pub mod run;
pub mod schedule;
pub mod sizes;
pub mod target;
#[cfg(test)]
mod testing;
pub mod value;
