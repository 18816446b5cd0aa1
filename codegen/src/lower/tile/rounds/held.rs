//! Elements of arrays in local memory that a work-item keeps in registers.

use crate::opencl::Expr;
use lift_analysis::hir::Name;
use lift_analysis::size::Size;
use std::collections::BTreeSet;

/// Elements of arrays in local memory that this work-item keeps in registers: adjacent ones from `first` on.
#[derive(Debug, Clone)]
pub struct Held {
    pub(super) item: Size,
    pub(super) first: Size,
    /// Whether elements of one work-item are 32 apart in local memory and those of its neighbours adjacent, so that
    /// they are in different banks.
    pub(super) spread: bool,
    pub(super) arrays: Vec<(Name, Vec<Expr>)>,
    /// The distances from `first` of the other elements that were read; `None` if one is not constant.
    pub(super) missed: BTreeSet<Option<i64>>,
}
