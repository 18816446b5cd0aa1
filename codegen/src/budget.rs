//! How much compiling one kernel may cost: in steps of writing code, and in terms of sizes that are computed with.
//!
//! The numbers depend on the program alone, so that a kernel is refused on every machine or on none.

/// Statements and reads that one compilation may write: ten times as many as any of `examples/` needs for any device.
pub const LIMIT: u64 = 150_000;
/// So many terms of sizes cost as much as one of them. Those of all steps are as many as the checker allows a form; a stencil of
/// 15×15 points on a processor (`tests/bench/programs/stencil.lift`) takes a third of them.
pub const TERMS_PER_STEP: u64 = 100;

/// As many terms there may be for each of building, scheduling and lowering a kernel. Behind it arithmetic on sizes gives up,
/// so that each comes to its end soon.
pub const MOST_TERMS: u64 = LIMIT * TERMS_PER_STEP;
