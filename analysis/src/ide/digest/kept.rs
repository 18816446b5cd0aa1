//! Cached values per form of a file (colours, outline, folds), updated after edits.

use crate::db::{Db, Form};
use rustc_hash::{FxHashMap, FxHashSet};

/// A cache with one value per form. It is created on first use with all forms stale; later only invalidated forms are
/// recomputed.
pub(super) struct Kept<T> {
    /// The forms to recompute.
    stale: FxHashSet<Form>,
    values: FxHashMap<Form, T>,
}

impl<T> Kept<T> {
    /// An empty cache, in which all forms are stale.
    pub fn of(forms: &[Form]) -> Kept<T> {
        Kept { stale: forms.iter().copied().collect(), values: FxHashMap::default() }
    }

    pub fn values(&self) -> &FxHashMap<Form, T> {
        &self.values
    }

    /// The forms to recompute, in order of location.
    pub fn stale(&mut self, db: &dyn Db) -> Vec<Form> {
        self.stale.retain(|form| form.is_member(db));
        let mut stale: Vec<Form> = self.stale.iter().copied().collect();
        stale.sort_unstable_by_key(|form| form.start(db));
        stale
    }

    /// Stores the value of a recomputed form; `None` removes it.
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
