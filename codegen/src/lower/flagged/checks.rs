//! The checks of a loop with branch-free checks.

use lift_analysis::hir::Name;
use lift_analysis::size::Size;

/// The checks of a loop with branch-free checks.
#[derive(Debug, Clone)]
pub struct Flagged {
    /// The variable that is set if an index is out of range.
    pub(super) flag: Name,
    /// Lengths that must be positive, so that element 0 exists.
    pub(super) lengths: Vec<Size>,
    /// Whether the loop may fail in another way, which must not be reported before the failures recorded in the flag.
    pub(super) fails: bool,
}
