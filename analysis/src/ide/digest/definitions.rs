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
type Sorted = BTreeMap<(usize, Name, u32), Form>;

/// The definitions of one kind, all together and by the letters of their names.
#[derive(Clone, Default)]
struct Group {
    all: Sorted,
    by_letters: FxHashMap<Letters, Sorted>,
}

/// The set of letters of a name, ignoring case. All digits count as one letter, and so do all other characters, because
/// names that differ only in their numbers should be in one set.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Letters(u32);

impl Letters {
    fn of(name: &str) -> Letters {
        let bit = |c: char| match c {
            'a'..='z' => c as u32 - 'a' as u32,
            '0'..='9' => 26,
            _ => 27,
        };
        Letters(name.chars().flat_map(char::to_lowercase).fold(0, |letters, c| letters | 1 << bit(c)))
    }

    fn contain(self, other: Letters) -> bool {
        self.0 & other.0 == other.0
    }
}

impl Definitions {
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// The definitions of each kind, in lists ordered by length of the name, then alphabetically. With `typed`, lists of
    /// names that lack one of its letters are left out.
    pub fn groups(
        &self,
        typed: Option<&str>,
    ) -> impl Iterator<Item = (&Kind, impl Iterator<Item = impl Iterator<Item = (&Name, Form)>>)> {
        let typed = typed.filter(|typed| !typed.is_empty()).map(Letters::of);
        self.by_kind.iter().map(move |(kind, group)| {
            let all = typed.is_none().then_some(&group.all);
            let can_match = move |(letters, _): &(&Letters, _)| typed.is_some_and(|typed| letters.contain(typed));
            let some = group.by_letters.iter().filter(can_match).map(|(_, sorted)| sorted);
            let lists = all.into_iter().chain(some);
            (kind, lists.map(|sorted| sorted.iter().map(|((_, name, _), form)| (name, *form))))
        })
    }

    pub fn set(&mut self, db: &dyn Db, form: Form, scheme: Scheme) {
        self.forget(db, form);
        let Some(name) = form.name(db).clone() else { return };
        let kind = Kind { scheme, kernel: form.kind(db) == lift_syntax::FormKind::Lift };
        let group = self.by_kind.entry(kind.clone()).or_default();
        let key = (name.len(), name.clone(), form.slot(db));
        group.by_letters.entry(Letters::of(&name)).or_default().insert(key.clone(), form);
        group.all.insert(key, form);
        self.known.insert(form, (kind, name));
    }

    pub fn forget(&mut self, db: &dyn Db, form: Form) {
        let Some((kind, name)) = self.known.remove(&form) else { return };
        if let Some(group) = self.by_kind.get_mut(&kind) {
            let letters = Letters::of(&name);
            let key = (name.len(), name, form.slot(db));
            group.all.remove(&key);
            if let Some(sorted) = group.by_letters.get_mut(&letters) {
                sorted.remove(&key);
                if sorted.is_empty() {
                    group.by_letters.remove(&letters);
                }
            }
            if group.all.is_empty() {
                self.by_kind.remove(&kind);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Letters;
    use crate::ide::scope::is_subsequence;

    #[test]
    fn a_name_with_a_subsequence_has_its_letters() {
        let names = ["kept12", "Kept3", "scale-of", "", "by", "ÄB", "äb9", "x'", "İ"];
        for name in names {
            for typed in ["k", "KT2", "e1", "-", "ä", "b9", "İ", "i", "by", "'"] {
                if is_subsequence(typed, name) {
                    assert!(Letters::of(name).contain(Letters::of(typed)), "{typed} {name}");
                }
            }
        }
        assert!(!Letters::of("kept12").contain(Letters::of("by")));
    }
}
