//! What the compiler did and why, for people: filled in beside the program, and of no effect on it.

use crate::schedule::Applied;
use lift_analysis::origin::Origin;
use lift_analysis::size::Size;
use std::fmt;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
    /// The rules that were applied, in order.
    pub applied: Vec<Applied>,
    /// Results that are stored on the way.
    pub stored: Vec<Stored>,
    /// Buffers that lie in the memory of others.
    pub shared: Vec<Shared>,
    /// Where the program's result lies.
    pub results: Vec<Stored>,
    /// Checks that were proved needless.
    pub left_out: Vec<Check>,
    /// What is far slower than the device.
    pub cliffs: Vec<Cliff>,
}

/// A parallel operator that is the work of one work-item, for each element of the map around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cliff {
    pub operator: &'static str,
    /// How many elements it goes over.
    pub len: Size,
    /// What beside it has no strategy, so that a group cannot share the function.
    pub because_of: Option<&'static str>,
    pub origin: Origin,
}

impl fmt::Display for Cliff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "one work-item runs this `{}` of {} elements", self.operator, self.len)?;
        match self.because_of {
            Some(other) if other == self.operator => write!(f, ": work-items of a group cannot share it here"),
            Some(other) => write!(f, ": work-items of a group cannot share the `{other}` beside it"),
            None => Ok(()),
        }
    }
}

/// A buffer that is none any more, and the one in whose memory its values lie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shared {
    pub name: String,
    pub with: String,
}

/// A value that is no input and has memory of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    pub name: String,
    pub memory: Kind,
    /// Of each copy: there is one in all, or one for each group or work-item.
    pub bytes: Size,
    pub origin: Origin,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A buffer.
    Global,
    /// A buffer of which each group or each work-item that runs at once has a part.
    GlobalParts,
    /// Local memory of each group.
    Local,
    /// An array of each work-item.
    Private,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::Global => "global",
            Kind::GlobalParts => "global, in parts",
            Kind::Local => "local",
            Kind::Private => "private",
        }
    }
}

/// Something that would stop a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    pub message: String,
    pub origin: Origin,
}

impl Report {
    /// What an expression of the source has in memory: each buffer, local or private array that its value is written to,
    /// with its bytes as a size. `origin` is that of the statement of core; nothing for what is never stored.
    pub fn materialised<'r>(&'r self, origin: &'r Origin) -> impl Iterator<Item = &'r Stored> {
        self.stored.iter().chain(&self.results).filter(move |s| s.origin == *origin)
    }
}
