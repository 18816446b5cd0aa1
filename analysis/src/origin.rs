//! Origins of parts of the program, without source locations: opaque to later stages, resolved by this crate.

use crate::failure::Wording;
use crate::hir::{ExprId, Name};
use crate::parameters::Settings;
use std::sync::Arc;

/// Identifies a form, stably under edits elsewhere: its file, its name, and its number among the forms of that name.
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
    /// The settings of the surrounding `with`s; they follow the expression through all rewrites.
    pub settings: Option<Arc<Settings>>,
    /// How a failure of it is worded; `None`: in Lift's terms.
    pub wording: Option<Arc<Wording>>,
}

impl Origin {
    pub fn new(form: Arc<FormKey>, expr: ExprId) -> Origin {
        Origin { form, expr, settings: None, wording: None }
    }
}
