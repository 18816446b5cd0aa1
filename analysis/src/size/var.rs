//! Variables of sizes, with their kinds and orders.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// The origin of a variable. Variables of all kinds but [`VarKind::Index`] are natural numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum VarKind {
    /// A size name declared by the user; rigid.
    Param,
    /// A skolem: an opened length, `X1`.
    Skolem,
    /// An inference variable.
    Unknown,
    /// Quantified in a type scheme.
    Generic,
    /// Bound by `∃`.
    Bound,
    /// The index variable of `Array[i => …]`, or the index of a sum.
    Position,
    /// A loop or work-item index of generated code; may be negative, so only its stated range is known.
    Index,
}

/// A variable, identified by kind, id and name together.
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

    /// Kind and id, which distinguish most variables, in the order of variables.
    pub(crate) fn key(&self) -> u64 {
        u64::from(self.id) | (self.kind as u64) << u32::BITS
    }

    /// Whether the kind makes the variable a natural number.
    pub fn is_natural(&self) -> bool {
        self.kind != VarKind::Index
    }

    /// Sort key for readers: the user's names before opened lengths; within a kind, by number, which is the order of
    /// declaration.
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

/// A superset of a set of variables: those with one of these marks, of which there are 64.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Marks(u64);

impl Marks {
    pub fn of(var: &Var) -> Marks {
        // Variables of one kind are numbered in order, so those of one function have different marks.
        Marks(1 << (var.id.wrapping_add(21 * var.kind as u32) % u64::BITS))
    }

    pub fn and(self, other: Marks) -> Marks {
        Marks(self.0 | other.0)
    }

    /// Whether no variable can be in both sets.
    pub fn is_apart_from(self, other: Marks) -> bool {
        self.0 & other.0 == 0
    }

    /// Whether the set may have all variables of the other.
    pub fn may_include(self, other: Marks) -> bool {
        self.0 & other.0 == other.0
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

/// Kind and id distinguish most variables, and equal names mostly share one allocation.
impl Ord for Var {
    fn cmp(&self, other: &Var) -> Ordering {
        self.key().cmp(&other.key()).then_with(|| {
            if Arc::ptr_eq(&self.name, &other.name) { Ordering::Equal } else { self.name.cmp(&other.name) }
        })
    }
}

/// Includes the name, so that equal digests of sizes too large to keep come from equal expressions.
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
