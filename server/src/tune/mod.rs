//! Tuning: the values of parameters that make a kernel fastest on a device, found by measurement.
//!
//! | module | job |
//! |---|---|
//! | [`choice`] | a class of devices and values of parameters, as text |
//! | [`search`] | which choices are tried, and when one is better |
//! | [`worker`] | the child process that compiles, checks and measures |
//! | [`remote`] | the parent's side of it: limits of time and memory, a new child after a crash |
//! | [`records`] | what was found, in a file beside the program |

pub mod choice;
pub mod records;
pub mod remote;
pub mod search;
pub mod worker;
