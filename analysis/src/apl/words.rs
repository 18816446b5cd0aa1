//! Failures at run time in APL's terms.

use super::value::Ev;
use crate::failure::{Kind, Wording};
use std::sync::{Arc, LazyLock};

type Known = LazyLock<Arc<Wording>>;

static FROM_ONE: Known =
    LazyLock::new(|| Wording::new(Kind::Index, "the index {0+1} is outside of an axis of length {1}"));
static FROM_ZERO: Known =
    LazyLock::new(|| Wording::new(Kind::Index, "the index {0} is outside of an axis of length {1}"));

/// The words for failures of primitives, by their names in Lift.
pub static WORDS: LazyLock<[(&str, Arc<Wording>); 1]> =
    LazyLock::new(|| [("head", Wording::new(Kind::Argument, "an empty array has no first element"))]);

impl Ev {
    /// The words for an index outside of an array, which counts from `⎕IO`.
    pub fn outside(&self) -> Option<Arc<Wording>> {
        Some(if self.origin == 0 { FROM_ZERO.clone() } else { FROM_ONE.clone() })
    }
}
