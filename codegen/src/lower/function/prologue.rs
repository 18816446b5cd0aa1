//! Code at the start of a function under construction, written while its body is.

use super::super::Result;
use super::{FunctionBuilder, knowledge, position};

/// The code that was being written before the prologue was.
struct Interrupted {
    position: position::Interrupted,
    known: knowledge::Interrupted,
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
        self.body.open();
        Interrupted { position: self.position.interrupt(), known: self.known.interrupt() }
    }
    fn leave_prologue(&mut self, at: Interrupted) {
        self.body.close_in_prologue();
        self.position.resume(at.position);
        self.known.resume(at.known);
    }
}
