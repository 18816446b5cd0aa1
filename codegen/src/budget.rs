//! Limits on the cost of compiling one kernel, in statements emitted and in terms of sizes computed.
//!
//! They depend on the program alone, so that a kernel is refused on every machine or on none.

/// Statements and reads that one compilation may emit: ten times the maximum over `examples/` and all devices.
pub const LIMIT: u64 = 150_000;
/// Size terms that cost as much as one statement. So the terms of all steps are as many as the checker allows a form; a
/// stencil of 15×15 points for a CPU (`tests/bench/programs/stencil.lift`) uses a third of them.
pub const TERMS_PER_STEP: u64 = 100;

/// Size terms for each of building, scheduling and lowering a kernel. When they are exhausted, size arithmetic gives
/// up, so that each stage ends soon.
pub const MOST_TERMS: u64 = LIMIT * TERMS_PER_STEP;
