//! The position in the program of the code that is being written.

use super::grid::Dims;
use crate::lower::flagged::checks::Flagged;
use lift_analysis::size::Size;

/// The loops and branches around the code. Invariant: only `function` changes it, and what a method changes for an extent,
/// it restores at its end.
pub struct Position {
    /// The dimensions of the surrounding parallel loops.
    active: Dims,
    /// Whether one work-item does all of its group's work.
    leads: bool,
    /// Surrounding loops that may run more than once, including parallel ones.
    loop_depth: u32,
    /// An upper bound of the iterations of a loop whose iteration `i` is never run by a work-item with an id greater
    /// than `i`.
    item_rounds: Option<Size>,
    /// Whether the body of the current loop writes memory shared by a group.
    shared_in_loop: bool,
    /// Maximum iterations of a sequential loop that is unrolled.
    write_out: i64,
    /// Whether the code for the halo of a padded array is being written; its loops are not split again.
    in_border: bool,
    /// Whether the current code may never be reached, so the host must not refuse a size because of it.
    in_branch: bool,
    /// The checks of the current loop, if they are branch-free.
    flagged: Option<Flagged>,
}

/// State of the interrupted code that code at the start of the function does not share.
pub(super) struct Interrupted {
    active: Dims,
    loop_depth: u32,
    in_branch: bool,
}

impl Position {
    pub(super) fn new() -> Position {
        Position {
            active: Dims::default(),
            leads: false,
            loop_depth: 0,
            item_rounds: None,
            shared_in_loop: false,
            write_out: 1,
            in_border: false,
            in_branch: false,
            flagged: None,
        }
    }

    pub fn active(&self) -> Dims {
        self.active
    }
    pub fn leads(&self) -> bool {
        self.leads
    }
    pub fn in_loop(&self) -> bool {
        self.loop_depth > 0
    }
    pub fn item_rounds(&self) -> Option<&Size> {
        self.item_rounds.as_ref()
    }
    pub fn shares_memory(&self) -> bool {
        self.shared_in_loop
    }
    pub fn write_out(&self) -> i64 {
        self.write_out
    }
    pub fn in_border(&self) -> bool {
        self.in_border
    }
    pub fn in_branch(&self) -> bool {
        self.in_branch
    }
    pub fn flagged(&self) -> Option<&Flagged> {
        self.flagged.as_ref()
    }

    pub(super) fn interrupt(&mut self) -> Interrupted {
        Interrupted {
            active: std::mem::take(&mut self.active),
            loop_depth: std::mem::take(&mut self.loop_depth),
            in_branch: std::mem::take(&mut self.in_branch),
        }
    }
    pub(super) fn resume(&mut self, at: Interrupted) {
        (self.active, self.loop_depth, self.in_branch) = (at.active, at.loop_depth, at.in_branch);
    }
    /// Moves into parallel loops of these dimensions; returns those outside.
    pub(super) fn set_active(&mut self, active: Dims) -> Dims {
        std::mem::replace(&mut self.active, active)
    }
    pub(super) fn set_leads(&mut self, leads: bool) -> bool {
        std::mem::replace(&mut self.leads, leads)
    }
    pub(super) fn set_item_rounds(&mut self, rounds: Option<Size>) -> Option<Size> {
        std::mem::replace(&mut self.item_rounds, rounds)
    }
    pub(super) fn set_shares_memory(&mut self, shared: bool) -> bool {
        std::mem::replace(&mut self.shared_in_loop, shared)
    }
    pub(super) fn set_write_out(&mut self, most: i64) -> i64 {
        std::mem::replace(&mut self.write_out, most)
    }
    pub(super) fn set_in_border(&mut self, in_border: bool) -> bool {
        std::mem::replace(&mut self.in_border, in_border)
    }
    pub(super) fn set_in_branch(&mut self, in_branch: bool) -> bool {
        std::mem::replace(&mut self.in_branch, in_branch)
    }
    pub(super) fn set_flagged(&mut self, checks: Option<Flagged>) -> Option<Flagged> {
        std::mem::replace(&mut self.flagged, checks)
    }
    pub(super) fn flagged_mut(&mut self) -> Option<&mut Flagged> {
        self.flagged.as_mut()
    }
    pub(super) fn enter_loop(&mut self) {
        self.loop_depth += 1;
    }
    pub(super) fn leave_loop(&mut self) {
        self.loop_depth -= 1;
    }
}
