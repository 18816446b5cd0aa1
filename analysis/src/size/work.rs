//! Thread-local fuel for arithmetic on sizes.
//!
//! Counts the terms that are sorted, added and divided, which depends on the sizes alone, so a program meets the same
//! limit on every machine. With fuel exhausted, large results become placeholders at once
//! ([`super::Size::is_too_large`]), so that every caller ends soon, with results that are still sound. The code that
//! sets a limit reports that it was met.

use std::cell::Cell;

/// The result would have too many terms or too large coefficients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooLarge;

thread_local! {
    static TERMS: Cell<u64> = const { Cell::new(0) };
    /// Remaining fuel, in terms; `u64::MAX` is unlimited.
    static LEFT: Cell<u64> = const { Cell::new(u64::MAX) };
}

/// Uses fuel for `terms` terms. An error means that they must not be computed with.
pub(super) fn spend(terms: usize) -> Result<(), TooLarge> {
    let terms = terms as u64;
    TERMS.with(|count| count.set(count.get().saturating_add(terms)));
    LEFT.with(|left| {
        let unlimited = left.get() == u64::MAX;
        left.set(if unlimited { u64::MAX } else { left.get().saturating_sub(terms) });
        if left.get() == 0 { Err(TooLarge) } else { Ok(()) }
    })
}

/// Whether fuel is exhausted.
pub fn exhausted() -> bool {
    LEFT.with(Cell::get) == 0
}

/// Terms counted so far, for differences.
pub fn so_far() -> u64 {
    TERMS.with(Cell::get)
}

/// Gives back fuel for `terms` terms, if any is left: results that were given up stay so.
pub fn give_back(terms: u64) {
    LEFT.with(|left| {
        if left.get() != 0 {
            left.set(left.get().saturating_add(terms));
        }
    });
}

/// Takes the number of terms counted since the last call.
pub fn take() -> u64 {
    TERMS.with(|count| count.replace(0))
}

/// Runs `f` with its own counter and limit, so that its cost does not depend on the caller, or on cached results.
pub fn apart<T>(limit: u64, f: impl FnOnce() -> T) -> T {
    let _restore = Restore { terms: Some(take()), left: LEFT.with(|left| left.replace(limit)) };
    f()
}

/// Runs `f` with at most `limit` of the remaining fuel, and counts its cost.
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

/// Restores the former state, also when a cancelled query unwinds.
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
