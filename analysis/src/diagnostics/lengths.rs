//! Sources of lengths, and reasons why two lengths differ, as data.

use crate::node::Name;
use crate::size::Size;

/// The source of a length known only at run time. Calls are given as text: `filter pos`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LengthSource {
    /// The number of elements that a `filter` keeps.
    Kept { call: String },
    /// A number passed to a function such as `iota`.
    Counted { callee: Name },
    /// The result of another function.
    Returned { callee: String },
    /// The taken branch of an `if`.
    Branch,
    /// A value whose type hides its length.
    Hidden { value: String },
    /// A source without a name.
    Nameless,
}

/// A message's explanation of a length.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Provenance {
    Opened(LengthSource),
    /// The length of this array, given as text.
    LengthOf(String),
    Nothing,
}

/// The two things whose lengths must be equal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LengthsOf {
    /// Two arguments of one call, by index from 0; `of_two`: the call has no others.
    Arguments {
        callee: String,
        first: usize,
        second: usize,
        of_two: bool,
    },
    Argument {
        callee: String,
    },
    Branches,
    Annotation,
    Component {
        part: String,
    },
    Other,
}

/// The reason why two lengths may differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Difference {
    TwoFilters,
    TwoHidden,
    AtRunTime {
        name: Name,
    },
    Always,
    NotKnown,
    /// The lengths differ at this index; `names`: the two arrays as text.
    At {
        position: Name,
        index: i64,
        left: Size,
        right: Size,
        names: Option<[String; 2]>,
    },
}
