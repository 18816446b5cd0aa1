//! Run-time checks of lengths: the two of a cast, those of all rows of arrays, or the condition that a branch relies
//! on.

use super::{Assumption, Size, Var};
use std::fmt;

/// Two lengths that must be equal, at every index of the surrounding arrays.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LengthCheck {
    pub left: Size,
    pub right: Size,
    /// Index variables that the lengths may mention, each with its count; outermost first.
    pub rows: Vec<(Var, Size)>,
    /// The condition on which the current branch relies; if set, `left` and `right` are ignored.
    pub relies: Option<Assumption>,
}

impl LengthCheck {
    pub fn new(left: Size, right: Size) -> LengthCheck {
        LengthCheck { left, right, rows: Vec::new(), relies: None }
    }

    pub fn relying(on: Assumption) -> LengthCheck {
        LengthCheck { relies: Some(on), ..LengthCheck::new(Size::zero(), Size::zero()) }
    }

    /// Whether it compares a length with itself and is therefore always true.
    pub fn is_needless(&self) -> bool {
        self.relies.is_none() && self.left == self.right
    }

    /// Requires the check for every row of a surrounding array.
    #[must_use]
    pub fn in_rows(mut self, position: Var, count: Size) -> LengthCheck {
        // A check that is the same for all rows must hold even without rows, as the types say.
        if self.left.contains(&position)
            || self.right.contains(&position)
            || self.rows.iter().any(|(_, count)| count.contains(&position))
        {
            self.rows.insert(0, (position, count));
        }
        self
    }

    /// Two sizes without index variables that are equal if and only if the check holds. For rows: the sum of the
    /// differences of their lengths, and zero.
    pub fn sides(&self) -> (Size, Size) {
        if self.rows.is_empty() {
            return (self.left.clone(), self.right.clone());
        }
        let apart = Size::max(&self.left, &self.right).sub(&Size::min(&self.left, &self.right));
        let sum = |inner, (position, count): &(Var, Size)| Size::sum(position.clone(), count.clone(), inner);
        (self.rows.iter().rev().fold(apart, sum), Size::zero())
    }

    pub fn assumption(&self) -> Assumption {
        if let Some(relies) = &self.relies {
            return relies.clone();
        }
        let equal = Assumption::Equal(self.left.clone(), self.right.clone());
        self.rows.iter().rev().fold(equal, |holds, (position, count)| Assumption::ForAll {
            position: position.clone(),
            count: count.clone(),
            holds: Box::new(holds),
        })
    }

    pub fn sizes(&self) -> impl Iterator<Item = &Size> {
        let lengths = [&self.left, &self.right].into_iter().chain(self.rows.iter().map(|(_, count)| count));
        lengths.chain(self.relies.iter().flat_map(Assumption::all_sizes))
    }

    /// Maps every size; `f` must not change index variables.
    #[must_use]
    pub fn map(&self, f: &mut dyn FnMut(&Size) -> Size) -> LengthCheck {
        let rows = self.rows.iter().map(|(position, count)| (position.clone(), f(count))).collect();
        let relies = self.relies.as_ref().map(|assumption| assumption.map(f));
        LengthCheck { left: f(&self.left), right: f(&self.right), rows, relies }
    }
}

impl fmt::Display for LengthCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(relies) = &self.relies {
            return relies.fmt(f);
        }
        write!(f, "{} = {}", self.left, self.right)?;
        self.rows.iter().try_for_each(|(position, count)| write!(f, " for every {position} below {count}"))
    }
}
