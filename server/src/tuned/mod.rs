//! Results of tuning: a choice of parameters and rewritings for a kernel, a device and sizes.
//!
//! | module | job |
//! |---|---|
//! | [`choice`] | a class of devices, values of parameters and rewritings, as text |
//! | [`rewriting`] | rewritings by laws, applied to a program |
//! | [`records`] | choices in a file beside the program, and which of them a run uses |

pub mod choice;
pub mod records;
pub mod rewriting;
