//! What tuning found: a choice of parameters for a kernel, a device and sizes.
//!
//! | module | job |
//! |---|---|
//! | [`choice`] | a class of devices and values of parameters, as text |
//! | [`records`] | choices in a file beside the program, and which of them a run uses |

pub mod choice;
pub mod records;
