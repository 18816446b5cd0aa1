//! The buffer in which launches record failures.

use crate::opencl::helpers::FAILURE;

/// The name of the failure buffer in every function.
pub const NAME: &str = "failure";
/// Elements of the failure buffer.
pub const ELEMENTS: u64 = FAILURE as u64;
/// Index of the copy, if there is one.
pub const COPY: i64 = FAILURE;
