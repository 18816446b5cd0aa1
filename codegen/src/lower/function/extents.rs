//! Extents: code in a scope, with facts or at a position of its own, which are restored at its end.

use super::FunctionBuilder;
use super::grid::Dims;
use super::knowledge::Outside;
use crate::lower::Result;
use crate::lower::flagged::checks::Flagged;
use crate::lower::tile::loads::Loads;
use crate::opencl::Stmt;
use lift_analysis::origin::Origin;
use lift_analysis::size::Size;

// The functions below that take a closure consist of a part before and a part after it, because the closure's type makes
// a copy of all that surrounds its call: some 800 copies of `scope` alone.

impl FunctionBuilder<'_, '_> {
    /// Runs `f` with statements attributed to `origin`.
    pub fn at<T>(&mut self, origin: &Origin, f: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.body.set_origin(origin.clone());
        let result = f(self);
        self.body.set_origin(outer);
        result
    }
    /// Runs `f` in a new scope; returns the statements written there, and the result.
    pub fn scope<T>(&mut self, f: impl FnOnce(&mut Self) -> Result<T>) -> Result<(Vec<Stmt>, T)> {
        let outside = self.open_scope();
        let result = f(self);
        let stmts = self.close_scope(outside);
        Ok((stmts, result?))
    }
    pub(super) fn open_scope(&mut self) -> Outside {
        self.body.open();
        self.known.open()
    }
    pub(super) fn close_scope(&mut self, outside: Outside) -> Vec<Stmt> {
        self.known.close(outside);
        self.body.close()
    }
    /// Runs `f`, after which the facts are those before it.
    pub fn supposing<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let facts = self.known.facts().clone();
        let result = f(self);
        self.known.replace_facts(facts);
        result
    }
    /// Runs `f` with the facts of the host level only.
    pub fn with_facts_of_host<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let outside = self.known.replace_facts(self.program.facts.clone());
        let result = f(self);
        self.known.replace_facts(outside);
        result
    }
    /// Runs `f` in a loop that writes its state in place.
    pub fn in_place_loop<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        self.in_place.enter();
        let result = f(self);
        self.in_place.leave();
        result
    }
    /// Runs `f`, which keeps loaded elements; none, if `loads` is `None`.
    pub fn keeping_loads<T>(&mut self, loads: Option<Loads>, f: impl FnOnce(&mut Self) -> T) -> T {
        let outside = self.known.keep_loads(loads);
        let result = f(self);
        self.known.keep_loads(outside);
        result
    }
    /// Runs `f`, in which the rows that a group computes at a time are assigned.
    pub fn assigning_rows<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let rows = self.grid.take_rows();
        let result = f(self);
        self.grid.restore_rows(rows);
        result
    }
    /// Runs `f` in parallel loops of these dimensions.
    pub fn with_active<T>(&mut self, active: Dims, f: impl FnOnce(&mut Self) -> T) -> T {
        let outside = self.position.set_active(active);
        let result = f(self);
        self.position.set_active(outside);
        result
    }
    /// Runs `f`, whose code the work-items of a group divide among them in dimension 0.
    pub fn by_items<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let mut active = self.position.active();
        active.lcl[0] = true;
        self.with_active(active, f)
    }
    /// Runs `f`, whose code all work-items of a group divide among them.
    pub fn by_group<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let active = Dims { lcl: self.grid.used().lcl, ..self.position.active() };
        self.with_active(active, f)
    }
    /// Runs `f`, which writes a tile of each group through memory that the group shares; the next loop of a program
    /// around it does not have to wait.
    pub fn by_tiles<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let outside = self.position.set_shares_memory(true);
        let result = self.by_items(f);
        self.position.set_shares_memory(outside);
        result
    }
    /// Runs `f` for one of the work-items that run the code redundantly.
    pub fn by_one<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let outside = self.position.set_leads(true);
        let result = self.with_active(self.grid.used(), f);
        self.position.set_leads(outside);
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
        let outside = self.position.set_item_rounds(rounds);
        let result = f(self);
        self.position.set_item_rounds(outside);
        result
    }
    /// Runs `f`, which writes a loop that waits itself between iterations that share the group's memory.
    pub fn in_own_rounds<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let outside = self.position.set_shares_memory(false);
        let result = f(self);
        let inside = self.position.shares_memory();
        self.position.set_shares_memory(inside | outside);
        result
    }
    /// Notes that the body of the current loop writes memory shared by a group.
    pub fn share_memory(&mut self) {
        self.position.set_shares_memory(true);
    }
    /// Runs `f`, which unrolls sequential loops of at most `most` iterations.
    pub fn writing_out<T>(&mut self, most: i64, f: impl FnOnce(&mut Self) -> T) -> T {
        let outside = self.position.set_write_out(most);
        let result = f(self);
        self.position.set_write_out(outside);
        result
    }
    /// Runs `f`, which writes the code for the halo of a padded array.
    pub fn at_border<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let outside = self.position.set_in_border(true);
        let result = f(self);
        self.position.set_in_border(outside);
        result
    }
    /// Runs `f`, which writes code under a condition of the program.
    pub fn branch<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let outside = self.position.set_in_branch(true);
        let result = f(self);
        self.position.set_in_branch(outside);
        result
    }
    /// Puts all code of the function under a condition. Called before the first statement.
    pub fn only_in_branch(&mut self) {
        self.position.set_in_branch(true);
    }
    /// Runs `f` in a loop with branch-free checks; returns those that it noted, too.
    pub fn with_flagged<T>(&mut self, checks: Flagged, f: impl FnOnce(&mut Self) -> T) -> (T, Option<Flagged>) {
        self.position.set_flagged(Some(checks));
        let result = f(self);
        (result, self.position.set_flagged(None))
    }
    /// The checks of the current loop, to which another one can be added.
    pub fn flagged_mut(&mut self) -> Option<&mut Flagged> {
        self.position.flagged_mut()
    }
}
