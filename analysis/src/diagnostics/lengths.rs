//! Where lengths come from, and why two of them differ, as values.

use crate::node::Name;
use crate::size::Size;

/// What a length that is known only at run time is the length of. Calls are given in words, `filter pos`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LengthSource {
    /// What a `filter` kept.
    Kept { call: String },
    /// The number that was given to `iota`, say.
    Counted { callee: Name },
    /// What another function returned.
    Returned { callee: String },
    /// The branch of an `if` that is taken.
    Branch,
    /// A value whose type hides it.
    Hidden { value: String },
    /// Nothing that has a name.
    Nameless,
}

/// What a message says of a length besides the length itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Provenance {
    Opened(LengthSource),
    /// The array that has it, in words.
    LengthOf(String),
    Nothing,
}

/// What has two lengths that must be equal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LengthsOf {
    /// Two arguments of one call, from zero; `of_two`: it has no others.
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

/// Why two lengths may differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Difference {
    TwoFilters,
    TwoHidden,
    AtRunTime {
        name: Name,
    },
    Always,
    NotKnown,
    /// At this position; `names`: the two arrays in words.
    At {
        position: Name,
        index: i64,
        left: Size,
        right: Size,
        names: Option<[String; 2]>,
    },
}
