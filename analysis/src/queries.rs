//! The queries from a form's text to its body.
use crate::db::{Db, Form, is_builtin};
use crate::hir::Body;
use crate::lower::{Lowered, lower};
use std::sync::Arc;

/// The form's tree, lowered. The tree itself is dropped: who needs it parses the form again.
#[salsa::tracked(no_eq, lru = 256)]
pub fn lower_form<'db>(db: &'db dyn Db, form: Form<'db>) -> Lowered {
    lower(form.text(db), is_builtin(db, form.file(db)))
}

/// Without positions: equal as long as nothing but white space and comments changes.
#[salsa::tracked(returns(clone))]
pub fn body<'db>(db: &'db dyn Db, form: Form<'db>) -> Arc<Body> {
    lower_form(db, form).body.clone()
}

/// The `;;;` lines of the form.
#[salsa::tracked(returns(clone))]
pub fn docs<'db>(db: &'db dyn Db, form: Form<'db>) -> Option<Arc<str>> {
    lower_form(db, form).docs.clone()
}
