//! The variables that a size may mention, and what is known of each by its nature.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// Where a variable comes from. All kinds but [`VarKind::Index`] are natural numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum VarKind {
    /// A size name that the user gave: rigid.
    Param,
    /// An opened length, `X1`.
    Skolem,
    /// A unification variable.
    Unknown,
    /// Quantified in a type scheme.
    Generic,
    /// Bound by `∃`.
    Bound,
    /// The position binder of `Array[i => …]`, and the index of a sum.
    Position,
    /// A loop or work-item index of generated code. Only its stated range is known: it may be negative.
    Index,
}

/// A variable. Two variables are the same when kind, id and name are.
#[derive(Clone, Debug)]
pub struct Var {
    pub kind: VarKind,
    pub id: u32,
    pub name: Arc<str>,
}

impl Var {
    pub fn new(kind: VarKind, id: u32, name: impl Into<Arc<str>>) -> Var {
        Var { kind, id, name: name.into() }
    }

    /// Is the variable a natural number by its nature?
    pub fn is_natural(&self) -> bool {
        self.kind != VarKind::Index
    }

    /// The key by which variables are put in order for a reader: the user's names first, then the opened lengths; in each
    /// kind those that were declared first, which have the smaller numbers.
    pub(super) fn reading_key(&self) -> String {
        let rank = match self.kind {
            VarKind::Param | VarKind::Generic => 0,
            VarKind::Bound => 1,
            VarKind::Position | VarKind::Index => 2,
            VarKind::Skolem => 3,
            VarKind::Unknown => 4,
        };
        let stem = self.name.trim_end_matches(|c: char| c.is_ascii_digit());
        let number: u64 = self.name[stem.len()..].parse().unwrap_or(0);
        format!("{rank} {:010} {stem} {number:020}", self.id)
    }
}

impl PartialEq for Var {
    fn eq(&self, other: &Var) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Var {}

impl PartialOrd for Var {
    fn partial_cmp(&self, other: &Var) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Most variables are told apart by kind and id, and the same name mostly lies at the same place.
impl Ord for Var {
    fn cmp(&self, other: &Var) -> Ordering {
        self.kind.cmp(&other.kind).then(self.id.cmp(&other.id)).then_with(|| {
            if Arc::ptr_eq(&self.name, &other.name) { Ordering::Equal } else { self.name.cmp(&other.name) }
        })
    }
}

/// With the name: equal digests of what was too large to keep stand for equal expressions.
impl Hash for Var {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(u64::from(self.id) << 8 | self.kind as u64);
        state.write(self.name.as_bytes());
    }
}

impl fmt::Display for Var {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}
