//! What is shown of every form of a file (colours, outline, folds), kept from edit to edit.

use crate::db::{Db, Form};
use rustc_hash::{FxHashMap, FxHashSet};

/// A value for each form that has one: asked of all forms when it is first wanted, then of those only that an edit may
/// concern. Made when somebody first wants it.
pub(super) struct Kept<T> {
    /// The forms that are to be asked again.
    stale: FxHashSet<Form>,
    values: FxHashMap<Form, T>,
}

impl<T> Kept<T> {
    /// Nothing was asked yet.
    pub fn of(forms: &[Form]) -> Kept<T> {
        Kept { stale: forms.iter().copied().collect(), values: FxHashMap::default() }
    }

    pub fn values(&self) -> &FxHashMap<Form, T> {
        &self.values
    }

    /// The forms to ask, in the order of their places.
    pub fn stale(&mut self, db: &dyn Db) -> Vec<Form> {
        self.stale.retain(|form| form.is_member(db));
        let mut stale: Vec<Form> = self.stale.iter().copied().collect();
        stale.sort_unstable_by_key(|form| form.start(db));
        stale
    }

    /// What a stale form said.
    pub fn set(&mut self, form: Form, value: Option<T>) {
        self.forget(form);
        if let Some(value) = value {
            self.values.insert(form, value);
        }
    }

    pub fn forget(&mut self, form: Form) {
        self.stale.remove(&form);
        self.values.remove(&form);
    }

    pub fn outdate(&mut self, forms: &[Form]) {
        self.stale.extend(forms);
    }
}
