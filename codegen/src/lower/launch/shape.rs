//! The properties that launches of the same function share.

/// The properties that launches of the same function share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    pub(super) local: [u32; 3],
    pub(super) exact: bool,
    pub(super) kinds: Vec<Kind>,
}

impl Shape {
    /// Whether launches of the other shape may be made of a function of this one with these of their arguments.
    pub fn covers(&self, other: &Shape, args: &[usize]) -> bool {
        let kinds = args.iter().map(|&arg| other.kinds.get(arg));
        (self.local, self.exact) == (other.local, other.exact) && self.kinds.iter().map(Some).eq(kinds)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Buffer,
    Failure,
    State,
    Size { wide: bool },
    Local,
}
