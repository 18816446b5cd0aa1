//! The executions of the two branches of a condition.

use super::domain::Domain;

/// The executions of the two branches of a condition.
// Short-lived, so its size does not matter.
#[allow(clippy::large_enum_variant)]
pub enum Branches {
    /// The executions of each branch, if there are any.
    Known(Option<Domain>, Option<Domain>),
    /// Unknown.
    Either,
    /// Unknown, but the first branch has no more executions than this.
    Limited(Domain),
}
