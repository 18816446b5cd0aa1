//! Where a piece of the program came from, without positions: what later stages carry and nobody but this crate reads.

use crate::hir::{ExprId, Name};
use std::sync::Arc;

/// A form of a program, stable under edits elsewhere: its file, its name and which of that name it is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FormKey {
    pub file: Arc<str>,
    pub name: Option<Name>,
    pub nth: u32,
}

/// An expression of a form. Cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Origin {
    pub form: Arc<FormKey>,
    pub expr: ExprId,
}
