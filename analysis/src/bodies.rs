//! The queries from a form's text to its body: what names, imports and recursion are found out from.
//!
//! [`body`] has no positions, so that white space and comments stop there.

use crate::apl::{Translated, translate};
use crate::db::{Db, Form, is_builtin, language};
use crate::hir::Body;
use crate::lower::{Lowered, lower};
use lift_syntax::Language;
use std::sync::Arc;

/// The form's tree, lowered. The tree itself is dropped: who needs it parses the form again.
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

/// What a program in APL is.
#[salsa::tracked(returns(clone), lru = 64)]
pub fn translated(db: &dyn Db, form: Form) -> Arc<Translated> {
    Arc::new(translate(form.text(db)))
}

/// Without positions: equal as long as nothing but white space and comments changes. Kept, as [`crate::queries::infer`], of so many forms
/// as stand in some ten thousand lines: what others see of a form, its [`crate::queries::signature`], is small and always there.
#[salsa::tracked(returns(clone), lru = 4096)]
pub fn body(db: &dyn Db, form: Form) -> Arc<Body> {
    lower_form(db, form).body.clone()
}

/// The `;;;` lines of the form.
#[salsa::tracked(returns(clone))]
pub fn docs(db: &dyn Db, form: Form) -> Option<Arc<str>> {
    lower_form(db, form).docs.clone()
}
