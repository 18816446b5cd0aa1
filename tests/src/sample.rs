//! Samples: most of the time of the tests goes into programs that a device's compiler translates and into cases that are
//! a product. A usual run takes some of them; which, the seed of `tests/run` says.

use std::hash::{DefaultHasher, Hash, Hasher};

/// The variable with the seed of a sample. `tests/run` sets it and tells the seed, `tests/run all` does not.
pub const SEED: &str = "LIFT_TESTS_SAMPLE";

/// Whether this run takes a case: one in so many of a sample, otherwise each.
pub fn takes(case: &(impl Hash + ?Sized), one_in: u64) -> bool {
    std::env::var(SEED).map_or(true, |seed| is_in(&seed, case, one_in))
}

/// Whether the sample of a seed has a case.
pub fn is_in(seed: &str, case: &(impl Hash + ?Sized), one_in: u64) -> bool {
    let mut hasher = DefaultHasher::new();
    (seed, case).hash(&mut hasher);
    hasher.finish().is_multiple_of(one_in)
}
