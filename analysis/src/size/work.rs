//! How much arithmetic on sizes has cost on this thread: whoever works for somebody else counts it against a limit.
//!
//! Counted are the terms that are sorted, added and divided: a number that depends on the sizes alone, so the same program
//! meets the same limit on every machine.

use std::cell::Cell;

thread_local! {
    static TERMS: Cell<u64> = const { Cell::new(0) };
}

/// Counts terms.
pub(super) fn spend(terms: usize) {
    TERMS.with(|count| count.set(count.get().saturating_add(terms as u64)));
}

/// The terms so far, for who compares two moments.
pub fn so_far() -> u64 {
    TERMS.with(Cell::get)
}

/// The terms since it was asked last; none are left.
pub fn take() -> u64 {
    TERMS.with(|count| count.replace(0))
}

/// What `f` costs is counted for itself: whoever calls this does not pay for it, however much of it was known already.
pub fn apart<T>(f: impl FnOnce() -> T) -> T {
    let outer = take();
    let result = f();
    TERMS.with(|count| count.set(outer));
    result
}
