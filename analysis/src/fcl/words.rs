//! Failures at run time in FCL's terms.

use crate::failure::{Kind, Wording};
use std::sync::{Arc, LazyLock};

/// The words for failures of primitives, by their names in Lift.
pub static WORDS: LazyLock<[(&str, Arc<Wording>); 3]> = LazyLock::new(|| {
    [
        ("aref", Wording::new(Kind::Index, "the index {0} is outside of an array of {1} elements")),
        ("scatter", Wording::new(Kind::Argument, "`interleave` writes two elements to the index {0}")),
        ("head", Wording::new(Kind::Argument, "an empty array has no elements")),
    ]
});
