//! Failures that a program can cause at run time, and their messages. The interpreter and generated code share this
//! table, so that a mistake gives the same message wherever it is found.
//!
//! A message is a template: `{0}` and `{1}` are replaced by two numbers, which the device records with the failure, and
//! `{0+1}` by one more than the first.

use lift_analysis::origin::Origin;
use lift_analysis::size::{Assumption, LengthCheck};

/// The most elements of an array in generated code. Indices are `int`s, and a grid-stride loop adds one stride after
/// its last element, so 2²⁷-1 remain as the most work-items of a launch in one dimension. (On a GPU, work-items that
/// take a second iteration of a few elements are 2 % slower than one work-item per element.)
pub const LONGEST: i32 = i32::MAX - (1 << 27) + 1;

pub use lift_analysis::failure::Kind;

/// A message whose numbers are not known yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    pub kind: Kind,
    pub template: String,
}

impl Message {
    fn new(kind: Kind, template: impl Into<String>) -> Message {
        Message { kind, template: template.into() }
    }

    /// Index `{0}` of an array of `{1}` elements.
    pub fn out_of_range() -> Message {
        Message::new(Kind::Index, "index {0} is out of range: the length is {1}")
    }
    /// `head` or `last` of an empty array.
    pub fn of_an_empty_array(primitive: &str) -> Message {
        Message::new(Kind::Argument, format!("`{primitive}` of an empty array"))
    }
    pub fn division_by_zero() -> Message {
        Message::new(Kind::DivisionByZero, "division by zero")
    }
    pub fn remainder_by_zero() -> Message {
        Message::new(Kind::DivisionByZero, "remainder of a division by zero")
    }
    /// An impossible length `{0}`.
    pub fn impossible_length() -> Message {
        Message::new(Kind::Argument, "an array cannot have the length {0}")
    }
    /// A length or index, used as a number, that is too large to be recorded.
    pub fn too_large_number() -> Message {
        Message::new(
            Kind::Argument,
            format!("a size is used as a number, but does not fit an Int: that is at most {}", i32::MAX),
        )
    }
    /// A length of an array that is never stored.
    pub fn too_long() -> Message {
        Message::new(
            Kind::Argument,
            format!("an array has more than {LONGEST} elements; generated code counts no further"),
        )
    }
    pub fn empty_pad() -> Message {
        Message::new(Kind::Argument, "an empty array cannot be padded: it has no elements at its edges")
    }
    /// Two elements with the target index `{0}`.
    pub fn no_permutation() -> Message {
        Message::new(Kind::Argument, "`scatter` needs a permutation, but two elements go to index {0}")
    }
    /// A false cast between lengths `{0}` and `{1}`; between rows, `{0}` is the sum of the differences of their
    /// lengths.
    pub fn false_cast(check: &LengthCheck) -> Message {
        let LengthCheck { left, right, rows, relies } = check;
        if let Some(relies) = relies {
            return Message::false_assumption(relies);
        }
        if let Some((position, _)) = rows.last() {
            let template = format!(
                "a checked cast is false: the length of row {position} is `{left}`, not `{right}` (the lengths of all rows differ by {{0}})"
            );
            return Message::new(Kind::Cast, template);
        }
        let template = match (left.as_const(), right.as_const()) {
            (None, Some(_)) => format!("a checked cast is false: `{left}` is {{0}}, not {{1}}"),
            (Some(_), None) => format!("a checked cast is false: `{right}` is {{1}}, not {{0}}"),
            _ => format!("a checked cast is false: `{left}` is {{0}}, but `{right}` is {{1}}"),
        };
        Message::new(Kind::Cast, template)
    }
    /// A false assumption whose first two variables have the values `{0}` and `{1}`.
    pub fn false_assumption(assumption: &Assumption) -> Message {
        let vars = assumption.vars();
        let values: Vec<String> =
            vars.iter().take(2).enumerate().map(|(i, v)| format!("{} = {{{i}}}", v.name)).collect();
        let values = if values.is_empty() { String::new() } else { format!(" for {}", values.join(", ")) };
        Message::new(Kind::Assumption, format!("the program relies on `{assumption}`, which is false{values}"))
    }

    /// The message at an origin, which may have its own wording.
    pub fn at(&self, origin: &Origin) -> Message {
        match origin.wording.as_ref().filter(|wording| wording.kind == self.kind) {
            Some(wording) => Message::new(self.kind, &*wording.template),
            None => self.clone(),
        }
    }

    /// Fills in the numbers.
    pub fn with(&self, first: i64, second: i64) -> String {
        fill(&self.template, first, second)
    }
}

/// Fills the numbers into a template.
pub fn fill(template: &str, first: i64, second: i64) -> String {
    // A replacement cannot introduce another placeholder, because a number has no braces.
    let next = first.saturating_add(1).to_string();
    template.replace("{0}", &first.to_string()).replace("{0+1}", &next).replace("{1}", &second.to_string())
}

/// A template whose numbers are not known: each is an ellipsis.
pub fn without_numbers(template: &str) -> String {
    ["{0}", "{0+1}", "{1}"].iter().fold(template.to_owned(), |text, number| text.replace(number, "…"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::param;
    use lift_analysis::failure::Wording;
    use lift_analysis::size::Size;

    #[test]
    fn an_origin_may_have_words_of_its_own() {
        let form = lift_analysis::origin::FormKey { file: "/p.apl".into(), name: None, nth: 0 };
        let mut origin = Origin::new(form.into(), lift_analysis::hir::ExprId(0));
        assert_eq!(Message::out_of_range().at(&origin), Message::out_of_range());
        origin.wording = Some(Wording::new(Kind::Index, "{0+1} of {1}"));
        assert_eq!(Message::out_of_range().at(&origin).with(3, 2), "4 of 2");
        // The words are for an index.
        assert_eq!(Message::division_by_zero().at(&origin), Message::division_by_zero());
    }

    #[test]
    fn numbers_are_put_in() {
        assert_eq!(Message::out_of_range().with(3, 2), "index 3 is out of range: the length is 2");
        let (n, two) = (Size::var(param(0, "N")), Size::nat(2));
        assert_eq!(
            Message::false_cast(&LengthCheck::new(n.clone(), two.clone())).with(3, 2),
            "a checked cast is false: `N` is 3, not 2"
        );
        assert_eq!(
            Message::false_cast(&LengthCheck::new(two.clone(), n.clone())).with(2, 3),
            "a checked cast is false: `N` is 3, not 2"
        );
        let assumption = Assumption::Divides { divisor: two, value: n };
        let message = "the program relies on `2 divides N`, which is false for N = 3";
        assert_eq!(Message::false_assumption(&assumption).with(3, 0), message);
    }
}
