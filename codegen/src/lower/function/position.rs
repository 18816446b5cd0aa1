//! Where in the program the code stands that a function under construction writes now.

use super::FunctionBuilder;
use super::grid::Dims;
use crate::lower::flagged::checks::Flagged;
use lift_analysis::size::Size;

/// The loops and branches around the code. Invariant: the methods of the builder below, each with an extent, restore what
/// they change at its end; nothing else changes it.
pub struct Position {
    /// The dimensions of the surrounding parallel loops.
    active: Dims,
    /// One work-item does all its group's work.
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
    /// The code for the halo of a padded array is being written; its loops are not split again.
    in_border: bool,
    /// The current code may never be reached, so the host must not refuse a size because of it.
    in_branch: bool,
    /// The checks of the current loop, if they are branch-free.
    flagged: Option<Flagged>,
}

/// What the start of the function does not share with the code that is interrupted for it.
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
    pub(super) fn enter_loop(&mut self) {
        self.loop_depth += 1;
    }
    pub(super) fn leave_loop(&mut self) {
        self.loop_depth -= 1;
    }
}

impl FunctionBuilder<'_, '_> {
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Runs `f` in parallel loops of these dimensions.
    pub fn with_active<T>(&mut self, active: Dims, f: impl FnOnce(&mut Self) -> T) -> T {
        let outside = std::mem::replace(&mut self.position.active, active);
        let result = f(self);
        self.position.active = outside;
        result
    }
    /// Runs `f`, whose code the work-items of a group divide among them in dimension 0.
    pub fn by_items<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let mut active = self.position.active;
        active.lcl[0] = true;
        self.with_active(active, f)
    }
    /// Runs `f`, whose code all work-items of a group divide among them.
    pub fn by_group<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let active = Dims { lcl: self.grid.used().lcl, ..self.position.active };
        self.with_active(active, f)
    }
    /// Runs `f`, which writes a tile of each group through memory that the group shares; the next loop of a program
    /// around it does not have to wait.
    pub fn by_tiles<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let outside = std::mem::replace(&mut self.position.shared_in_loop, true);
        let result = self.by_items(f);
        self.position.shared_in_loop = outside;
        result
    }
    /// Runs `f` for one of the work-items that run the code redundantly.
    pub fn by_one<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let outside = std::mem::replace(&mut self.position.leads, true);
        let result = self.with_active(self.grid.used(), f);
        self.position.leads = outside;
        result
    }
    /// Runs `f` in a loop.
    pub fn in_loop<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        self.position.enter_loop();
        let result = f(self);
        self.position.leave_loop();
        result
    }
    /// Runs `f` in a loop whose iteration `i` is never run by a work-item with an id greater than `i`.
    pub fn with_item_rounds<T>(&mut self, rounds: Option<Size>, f: impl FnOnce(&mut Self) -> T) -> T {
        let outside = std::mem::replace(&mut self.position.item_rounds, rounds);
        let result = f(self);
        self.position.item_rounds = outside;
        result
    }
    /// Runs `f`, which writes a loop that waits itself between iterations that share the group's memory.
    pub fn in_own_rounds<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let outside = std::mem::take(&mut self.position.shared_in_loop);
        let result = f(self);
        self.position.shared_in_loop |= outside;
        result
    }
    /// Notes that the body of the current loop writes memory shared by a group.
    pub fn share_memory(&mut self) {
        self.position.shared_in_loop = true;
    }
    /// Runs `f`, which unrolls sequential loops of at most `most` iterations.
    pub fn writing_out<T>(&mut self, most: i64, f: impl FnOnce(&mut Self) -> T) -> T {
        let outside = std::mem::replace(&mut self.position.write_out, most);
        let result = f(self);
        self.position.write_out = outside;
        result
    }
    /// Runs `f`, which writes the code for the halo of a padded array.
    pub fn at_border<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let outside = std::mem::replace(&mut self.position.in_border, true);
        let result = f(self);
        self.position.in_border = outside;
        result
    }
    /// Runs `f`, which writes code under a condition of the program.
    pub fn branch<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let outside = std::mem::replace(&mut self.position.in_branch, true);
        let result = f(self);
        self.position.in_branch = outside;
        result
    }
    /// All code of the function is under a condition.
    pub fn only_in_branch(&mut self) {
        self.position.in_branch = true;
    }
    /// Runs `f` in a loop with branch-free checks; returns those that it noted, too.
    pub fn with_flagged<T>(&mut self, checks: Flagged, f: impl FnOnce(&mut Self) -> T) -> (T, Option<Flagged>) {
        self.position.flagged = Some(checks);
        let result = f(self);
        (result, self.position.flagged.take())
    }
    /// The checks of the current loop, to note another one.
    pub fn flagged_mut(&mut self) -> Option<&mut Flagged> {
        self.position.flagged.as_mut()
    }
}
