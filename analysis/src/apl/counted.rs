//! Numbers of elements, counted from either end of an axis: the left of `↑` and `↓`, the lengths of windows.

use super::context::arguments_of;
use super::value::{Ev, Kind, Res, Scalar};
use crate::front::term::{self, Term};
use crate::size::{Node, Size};
use lift_syntax::TextRange;

/// The end of an axis from which elements are counted.
#[derive(Clone)]
pub enum Counted {
    FromStart,
    FromEnd,
    /// From the end if this number is negative, which only the run knows.
    BySign(Term),
}

impl Counted {
    /// The index of the first of `count` elements of an axis with `have`: negative if elements are added before the first.
    pub fn begin(&self, ev: &Ev, have: &Size, count: &Size) -> Term {
        // Computed as a number, because a difference of lengths may be negative.
        let from_end = |ev: &Ev| ev.minus(ev.size_term(have), ev.size_term(count));
        match self {
            Counted::FromStart => ev.int(0),
            Counted::FromEnd => from_end(ev),
            Counted::BySign(number) => ev.choose(ev.less(number.clone(), ev.int(0)), from_end(ev), ev.int(0)),
        }
    }

    /// Whether the element at a place that is counted from [`Counted::begin`] exists.
    pub fn exists(&self, ev: &Ev, place: &Term, have: &Size) -> Term {
        let after_start = || ev.app(">=", [place.clone(), ev.int(0)]);
        let before_end = || ev.less(place.clone(), ev.size_term(have));
        match self {
            Counted::FromStart => before_end(),
            Counted::FromEnd => after_start(),
            Counted::BySign(_) => ev.app("and", [after_start(), before_end()]),
        }
    }
}

/// The number of elements, and the end from which they are counted.
pub fn amount(ev: &mut Ev, glyph: char, k: &Scalar, range: TextRange) -> Res<(Size, Counted)> {
    match &k.size {
        Some(size) => match size.as_const() {
            Some(n) => Ok((Size::int(n.saturating_abs()), if n < 0 { Counted::FromEnd } else { Counted::FromStart })),
            None if size.neg().vars().is_empty() => Ok((size.clone(), Counted::FromStart)),
            // A size in the form of a negation counts from the end.
            None => {
                let negative = size.node();
                match negative {
                    Node::Neg(_) => Ok((size.neg(), Counted::FromEnd)),
                    _ => Ok((size.clone(), Counted::FromStart)),
                }
            }
        },
        None => ev.magnitude(k, range, &format!("the left of `{glyph}`")),
    }
}

impl Ev {
    /// The magnitude of a number as a length, and the end that its sign stands for. A number that is a length already is
    /// not negative, and neither is what it is the opposite of.
    pub fn magnitude(&mut self, scalar: &Scalar, range: TextRange, what: &str) -> Res<(Size, Counted)> {
        if scalar.kind != Kind::Int {
            return Ok((self.reify_scalar(scalar, range, what)?, Counted::FromStart));
        }
        let number = self.share(scalar.term.clone(), "n")?;
        if let Some(size) = self.reified(&number) {
            return Ok((size, Counted::FromStart));
        }
        let opposite = self.definition(&number).and_then(|value| arguments_of(value, "neg"));
        if let Some(size) = opposite.and_then(|of| self.reified(of.first()?)) {
            return Ok((size, Counted::FromEnd));
        }
        let same = |value: &Term| {
            arguments_of(value, "abs").is_some_and(|of| of.first().is_some_and(|of| of.is_name_of(&number)))
        };
        let magnitude = match self.name_of(same) {
            Some(name) => self.local(&name),
            None => self.app("abs", [number.clone()]),
        };
        let magnitude = Scalar { kind: Kind::Int, term: magnitude, known: None, size: None };
        Ok((self.reify_scalar(&magnitude, range, what)?, Counted::BySign(number)))
    }

    /// The length that a name of a number was converted to.
    fn reified(&self, number: &Term) -> Option<Size> {
        let term::Kind::Local(bound) = number.kind() else { return None };
        self.lengths.get(&bound.id).map(|(_, size)| size.clone())
    }
}
