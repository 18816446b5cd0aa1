//! Failures that a program can cause at run time, and their messages. The interpreter and generated code share this
//! table, so that a mistake gives the same message wherever it is found.
//!
//! A message is a template: `{0}` and `{1}` are replaced by two numbers, which the device records with the failure.

use lift_analysis::size::{Assumption, LengthCheck};

/// The most elements of an array in generated code. Indices are `int`s, and a grid-stride loop adds one stride after
/// its last element, so 2²⁷-1 remain as the most work-items of a launch in one dimension. (On a GPU, work-items that
/// take a second iteration of a few elements are 2 % slower than one work-item per element.)
pub const LONGEST: i32 = i32::MAX - (1 << 27) + 1;

/// The kinds of failures that error codes distinguish.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// An index out of range.
    Index,
    DivisionByZero,
    /// A meaningless argument, such as a negative length.
    Argument,
    /// A checked cast.
    Cast,
    /// A false assumption about lengths.
    Assumption,
}

impl Kind {
    /// The name in machine-readable output.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Index => "index",
            Kind::DivisionByZero => "divisionByZero",
            Kind::Argument => "argument",
            Kind::Cast => "cast",
            Kind::Assumption => "assumption",
        }
    }
}

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
        Message::new(Kind::Argument, "an empty array cannot be padded: nothing stands at its edges")
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

    /// Fills in the numbers.
    pub fn with(&self, first: i64, second: i64) -> String {
        fill(&self.template, first, second)
    }
}

/// Fills the numbers into a template.
pub fn fill(template: &str, first: i64, second: i64) -> String {
    // The first replacement cannot introduce `{1}`, because a number has no braces.
    template.replace("{0}", &first.to_string()).replace("{1}", &second.to_string())
}

/// A template whose numbers are not known: each is an ellipsis.
pub fn without_numbers(template: &str) -> String {
    template.replace("{0}", "…").replace("{1}", "…")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::param;
    use lift_analysis::size::Size;

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
