//! Elements of buffers that the current code keeps in registers.

use crate::opencl::Expr;
use crate::plan::BufferId;
use lift_analysis::size::Size;
use rustc_hash::FxHashMap;

/// Elements of buffers that the current code keeps in registers.
#[derive(Debug, Clone, Default)]
pub struct Loads {
    /// The names of loaded elements.
    pub known: FxHashMap<(BufferId, Size), Expr>,
    /// Elements that are needed in groups of four.
    pub quads: Vec<(BufferId, Size)>,
    /// Whether an element in a group of four is always loaded with the other three, if the buffer consists of such
    /// groups.
    pub in_fours: bool,
}
