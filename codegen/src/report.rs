//! The compiler's decisions and their reasons, for people; without effect on the program.

use crate::core::Prim;
use crate::schedule::Applied;
use crate::schedule::asked::Asked;
use lift_analysis::origin::Origin;
use lift_analysis::size::Size;
use std::fmt;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
    /// The rules applied, in order.
    pub applied: Vec<Applied>,
    /// Intermediate results that are stored.
    pub stored: Vec<Stored>,
    /// Lengths that the host waits for.
    pub read: Vec<Read>,
    /// Buffers that share the memory of others.
    pub shared: Vec<Shared>,
    /// Where the program's result is stored.
    pub results: Vec<Stored>,
    /// Eliminated checks.
    pub left_out: Vec<Check>,
    /// Operations that leave most of the device idle.
    pub cliffs: Vec<Cliff>,
    /// Operators that the program writes as sequential: what they are, and where.
    pub sequential: Vec<(Prim, Origin)>,
    /// Operators that could be parallel and that one work-item runs.
    pub demoted: Vec<Origin>,
    /// The arithmetic that the program asks for, if that is known.
    pub asked: Option<Asked>,
}

/// A parallel operator that one work-item runs alone, for each element of the map around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cliff {
    pub operator: &'static str,
    /// The number of elements.
    pub len: Size,
    /// The operator beside it that prevents a group from sharing the function; `None` if there is none.
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

/// A length that the host reads during the run, before it allocates the memory that depends on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Read {
    /// Its name in the sizes of the plan.
    pub name: String,
    /// The upper bound that is known before the run.
    pub most: Option<Size>,
    pub origin: Origin,
}

/// A buffer without memory of its own, and the one whose memory it shares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shared {
    pub name: String,
    pub with: String,
}

/// A value, other than an input, that has its own memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    pub name: String,
    pub memory: Kind,
    /// Bytes of one copy. There is one copy in all, or one for each group or work-item.
    pub bytes: Size,
    pub origin: Origin,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A buffer.
    Global,
    /// A buffer with a part for each group or work-item that runs at once.
    GlobalParts,
    /// Local memory of each group.
    Local,
    /// A private array of each work-item.
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

/// A check for a condition that stops a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    pub message: String,
    pub origin: Origin,
}

impl Report {
    /// The memory that an expression of the source has: each buffer, local or private array that holds its value.
    /// `origin` is that of core's statement. Empty if the value is never stored.
    pub fn materialised<'r>(&'r self, origin: &'r Origin) -> impl Iterator<Item = &'r Stored> {
        self.stored.iter().chain(&self.results).filter(move |s| s.origin == *origin)
    }
}
