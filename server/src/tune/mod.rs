//! Tuning: the values of parameters that make a kernel fastest on a device, found by measurement.
//!
//! | module | job |
//! |---|---|
//! | [`search`] | which choices are tried, and when one is better |
//! | [`worker`] | the child process that compiles, checks and measures |
//! | [`remote`] | the parent's side of it: limits of time and memory, a new child after a crash |
//! | [`timed`] | runs of a program that stays on a device |
//! | [`roofline`] | the least time that the device allows |
//! | [`written`] | the best as part of the program |
//!
//! The result is a record of [`tuned`](crate::tuned).

pub mod remote;
pub mod roofline;
pub mod search;
pub mod timed;
pub mod worker;
pub mod written;
