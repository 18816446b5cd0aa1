//! The definitions of a file, grouped by type: there are few types, and fit is decided by type.

use crate::db::{Db, Form};
use crate::hir::Name;
use crate::ty::Scheme;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Copied on write if an edit arrives while a reader holds it.
#[derive(Clone, Default)]
pub struct Definitions {
    known: FxHashMap<Form, (Kind, Name)>,
    by_kind: FxHashMap<Kind, Group>,
}

/// The properties shared by all definitions of a group.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Kind {
    pub scheme: Scheme,
    pub kernel: bool,
}

/// Sorted by length of the name, then alphabetically, then by entity.
type Group = BTreeMap<(usize, Name, u32), Form>;

impl Definitions {
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// The groups of definitions, each in the order of [`Group`].
    pub fn groups(&self) -> impl Iterator<Item = (&Kind, impl Iterator<Item = (&Name, Form)>)> {
        self.by_kind.iter().map(|(kind, group)| (kind, group.iter().map(|((_, name, _), form)| (name, *form))))
    }

    pub fn set(&mut self, db: &dyn Db, form: Form, scheme: Scheme) {
        self.forget(db, form);
        let Some(name) = form.name(db).clone() else { return };
        let kind = Kind { scheme, kernel: form.kind(db) == lift_syntax::FormKind::Lift };
        self.by_kind.entry(kind.clone()).or_default().insert((name.len(), name.clone(), form.slot(db)), form);
        self.known.insert(form, (kind, name));
    }

    pub fn forget(&mut self, db: &dyn Db, form: Form) {
        let Some((kind, name)) = self.known.remove(&form) else { return };
        if let Some(group) = self.by_kind.get_mut(&kind) {
            group.remove(&(name.len(), name, form.slot(db)));
            if group.is_empty() {
                self.by_kind.remove(&kind);
            }
        }
    }
}
