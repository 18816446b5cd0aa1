//! The indivisible parts of the normal form.

use super::Size;
use super::var::Var;
use std::sync::Arc;

/// A factor of a monomial. Every atom has an integer value.
///
/// There is no atom for `mod` or `min`: `a mod b` is `a - b·⌊a/b⌋` and `min(a, b)` is `a - max(0, a-b)`. So
/// `⌊a/b⌋·b + a mod b = a`, `min(a,b) + max(a,b) = a + b` and the laws of nested `mod` need no rules. [`super::view`]
/// restores both for the reader.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Atom {
    Var(Var),
    /// `⌊a/b⌋`: integer coefficients, no common factor, no multiple of `b` in `a`.
    Floor(Size, Size),
    /// The maximum of 0 and these.
    Max(Arc<[Size]>),
    /// 1 if the size is not negative, otherwise 0.
    Step(Size),
    /// `base^exponent`, where the exponent is not a constant.
    Pow(Size, Size),
    /// `Σ body` over `0 <= index < count`; the index is numbered by the nesting depth of sums in the body.
    Sum {
        index: Var,
        count: Size,
        body: Size,
    },
    /// A sum kept as one factor: a divisor, or a factor of a product too large to multiply out.
    Group(Size),
    /// Placeholder for an expression too large to keep. Equal digests come from equal expressions.
    TooLarge(u128),
}

impl Atom {
    /// The immediate operands.
    pub fn operands(&self) -> impl Iterator<Item = &Size> {
        let (first, second, others): (_, _, &[Size]) = match self {
            Atom::Var(_) | Atom::TooLarge(_) => (None, None, &[]),
            Atom::Floor(a, b) | Atom::Pow(a, b) => (Some(a), Some(b), &[]),
            Atom::Max(operands) => (None, None, operands),
            Atom::Step(a) | Atom::Group(a) => (Some(a), None, &[]),
            Atom::Sum { count, body, .. } => (Some(count), Some(body), &[]),
        };
        first.into_iter().chain(second).chain(others)
    }

    /// The equivalent canonical exponent: 0 and 1 equal their squares, and 1 and -1 equal their inverses.
    pub fn normal_exponent(&self, exponent: i32) -> i32 {
        match self {
            Atom::Step(_) => exponent.min(1),
            Atom::Pow(base, _) if base.as_integer() == Some(-1) => exponent.rem_euclid(2),
            _ => exponent,
        }
    }

    /// Whether the atom is non-negative for all values of its variables.
    pub fn is_natural(&self) -> bool {
        match self {
            Atom::Var(var) => var.is_natural(),
            Atom::Floor(a, _) | Atom::Pow(a, _) | Atom::Group(a) => a.is_natural(),
            Atom::Max(_) | Atom::Step(_) => true,
            Atom::Sum { body, .. } => body.is_natural(),
            Atom::TooLarge(_) => false,
        }
    }

    /// The nesting depth of sums in the atom.
    pub fn sum_depth(&self) -> u32 {
        let inner = self.operands().map(Size::sum_depth).max().unwrap_or(0);
        inner + u32::from(matches!(self, Atom::Sum { .. }))
    }
}
