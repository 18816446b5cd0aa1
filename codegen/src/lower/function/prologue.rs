//! Code at the start of a function under construction, written while its body is.

use super::super::Result;
use super::{Dims, FunctionBuilder, extrema};

/// The place where the code was written before the prologue was.
struct Interrupted {
    active: Dims,
    loop_depth: u32,
    in_branch: bool,
    loads: Option<super::super::tile::loads::Loads>,
    memo: Option<super::super::tile::memo::answers::Memo>,
    extrema: extrema::Extrema,
}

impl FunctionBuilder<'_, '_> {
    /// Runs `f`, writing at the start of the function, after earlier statements there.
    pub fn in_prologue<T>(&mut self, f: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let at = self.enter_prologue();
        let result = f(self);
        self.leave_prologue(at);
        result
    }
    fn enter_prologue(&mut self) -> Interrupted {
        self.scopes.push(Vec::new());
        Interrupted {
            active: std::mem::take(&mut self.active),
            loop_depth: std::mem::take(&mut self.loop_depth),
            in_branch: std::mem::take(&mut self.in_branch),
            loads: self.loads.take(),
            memo: self.memo.take(),
            extrema: std::mem::take(&mut self.extrema),
        }
    }
    fn leave_prologue(&mut self, at: Interrupted) {
        let stmts = self.scopes.pop().unwrap_or_default();
        self.prologue.extend(stmts);
        (self.active, self.loop_depth, self.in_branch) = (at.active, at.loop_depth, at.in_branch);
        (self.loads, self.memo, self.extrema) = (at.loads, at.memo, at.extrema);
    }
}
