//! `lift-tests`: what crosses crates.
//!
//! Programs are data: a folder of `.lift` files, each with its expected outcome at its end, so that a test is read as a
//! sentence. What is not a program (broken files, the sources themselves) is a suite of its own; random programs are made
//! by `lift-fuzz`.
//!
//! | module | job |
//! |---|---|
//! | [`check`] | what the checker says of a program, as text, and what must hold for every program |
//! | [`kernels`] | what kernels return, on the interpreter and on a device |
//! | [`grid`] | small programs of which none is to be slow |
//! | [`golden`] | an outcome against the expected one, which `UPDATE_EXPECT=1` rewrites |
//! | [`sample`] | what a run takes of suites of many cases |
//! | [`files`] | the folders of this repository |

pub mod check;
pub mod files;
pub mod golden;
pub mod grid;
pub mod kernels;
pub mod sample;

/// Whether this run takes every case of every suite.
pub fn takes_all() -> bool {
    std::env::var_os(sample::SEED).is_none()
}
