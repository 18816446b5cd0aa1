//! How much arithmetic on sizes has cost on this thread: whoever works for somebody else counts it against a limit.
//!
//! Counted are the terms that are sorted, added and divided: a number that depends on the sizes alone, so the same program
//! meets the same limit on every machine. Behind the limit, what would be large is given up at once
//! ([`super::Size::is_too_large`]): so all that is done there ends soon, whoever asks for it, and what it finds is still
//! true. Who set the limit says that it was met.

use std::cell::Cell;

/// The result would have too many terms or too long coefficients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooLarge;

thread_local! {
    static TERMS: Cell<u64> = const { Cell::new(0) };
    /// How many more there may be.
    static LEFT: Cell<u64> = const { Cell::new(u64::MAX) };
}

/// Counts terms. They are not to be computed with if there were too many.
pub(super) fn spend(terms: usize) -> Result<(), TooLarge> {
    let terms = terms as u64;
    TERMS.with(|count| count.set(count.get().saturating_add(terms)));
    LEFT.with(|left| {
        let unlimited = left.get() == u64::MAX;
        left.set(if unlimited { u64::MAX } else { left.get().saturating_sub(terms) });
        if left.get() == 0 { Err(TooLarge) } else { Ok(()) }
    })
}

/// Whether the limit was met.
pub fn exhausted() -> bool {
    LEFT.with(Cell::get) == 0
}

/// The terms so far, for who compares two moments.
pub fn so_far() -> u64 {
    TERMS.with(Cell::get)
}

/// The terms since it was asked last; none are left.
pub fn take() -> u64 {
    TERMS.with(|count| count.replace(0))
}

/// What `f` costs is counted for itself, against a limit of its own: whoever calls this does not pay for it, however much
/// of it was known already.
pub fn apart<T>(limit: u64, f: impl FnOnce() -> T) -> T {
    let _restore = Restore { terms: Some(take()), left: LEFT.with(|left| left.replace(limit)) };
    f()
}

/// What `f` costs is counted, and no more of what is left may be used for it than this.
pub(super) fn within<T>(limit: u64, f: impl FnOnce() -> T) -> T {
    let left = LEFT.with(Cell::get);
    if left <= limit {
        return f();
    }
    let restore = Restore { terms: None, left };
    LEFT.with(|left| left.set(limit));
    let result = f();
    let used = limit - LEFT.with(Cell::get);
    drop(restore);
    if left != u64::MAX {
        LEFT.with(|now| now.set(left - used));
    }
    result
}

/// What was before, also where what is counted unwinds, as an answer does that an edit cancels.
struct Restore {
    terms: Option<u64>,
    left: u64,
}

impl Drop for Restore {
    fn drop(&mut self) {
        if let Some(terms) = self.terms {
            TERMS.with(|count| count.set(terms));
        }
        LEFT.with(|left| left.set(self.left));
    }
}
