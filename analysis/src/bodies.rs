//! Queries from a form's text to its body, on which names, imports and recursion are computed.
//!
//! [`body`] has no source locations, so it is equal after edits of white space and comments.

use crate::apl::{Translated, translate};
use crate::db::{Db, Form, is_builtin, language};
use crate::hir::Body;
use crate::lower::{Lowered, lower};
use lift_syntax::Language;
use std::sync::Arc;

/// The lowered form. The tree is dropped; callers that need it parse the form again.
#[salsa::tracked(no_eq, lru = 256)]
pub fn lower_form(db: &dyn Db, form: Form) -> Lowered {
    match language(db, form.file(db)) {
        Language::Lift => lower(form.text(db), is_builtin(db, form.file(db))),
        Language::Apl => {
            let program = translated(db, form);
            let (body, errors) = (Arc::new(program.body.clone()), program.errors.clone());
            Lowered { body, map: program.map.clone(), docs: None, errors }
        }
    }
}

/// A translated APL program.
#[salsa::tracked(returns(clone), lru = 64)]
pub fn translated(db: &dyn Db, form: Form) -> Arc<Translated> {
    Arc::new(translate(form.text(db)))
}

/// The body, without source locations: only edits of more than white space and comments change it. The cache, like that
/// of [`crate::queries::infer`], holds the forms of about ten thousand lines; a [`crate::queries::signature`] is small
/// and always cached.
#[salsa::tracked(returns(clone), lru = 4096)]
pub fn body(db: &dyn Db, form: Form) -> Arc<Body> {
    lower_form(db, form).body.clone()
}

/// The documentation of the form: its `;;;` lines.
#[salsa::tracked(returns(clone))]
pub fn docs(db: &dyn Db, form: Form) -> Option<Arc<str>> {
    lower_form(db, form).docs.clone()
}
