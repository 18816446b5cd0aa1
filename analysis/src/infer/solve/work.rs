//! The cost of checking one form.
//!
//! Constraint attempts, expressions, size terms and type nodes are counted. These numbers depend on the form alone, so
//! every machine gives up on the same forms. Exceeding the limit is reported, and nothing more is inferred.

use crate::diagnostics::Problem;
use crate::hir::{ExprId, Node};
pub use crate::infer::budget::*;
use crate::infer::context::Infer;
use crate::infer::table::TYPE_LIMIT;

impl Infer<'_> {
    /// Counts one step, plus the size terms and type nodes since the last one. Returns whether the budget is exhausted.
    pub fn over_budget(&mut self) -> bool {
        self.table.shorten_chains();
        if self.table.found_too_large() {
            self.give_up_on_type(Node::FormName);
        }
        if !self.budget.step(self.table.parts()) {
            self.too_large_to_check();
        }
        self.budget.is_closed()
    }

    /// Stops checking the form because it costs too much, and reports `problem` once.
    pub fn give_up(&mut self, at: Node, problem: &Problem) {
        if self.budget.close() {
            self.error(at, problem);
        }
    }

    pub fn too_large_to_check(&mut self) {
        self.give_up(Node::FormName, &Problem::TooLargeToCheck);
    }

    /// Whether a function type with this many parameters exceeds the limit; it is not built then.
    pub fn too_many_for_a_type(&self, parameters: usize) -> bool {
        parameters >= TYPE_LIMIT.parts as usize
    }

    /// Stops checking the form at a type over the limit, such as one that doubles with each `let`.
    pub fn give_up_on_type(&mut self, at: Node) {
        if self.budget.is_closed() {
            return;
        }
        // If the location is unknown, use the first expression with such a type.
        let at = match at {
            Node::FormName => {
                let mut exprs = self.found.types().ids();
                let is_it = |e: &ExprId| self.found.ty(*e).is_some_and(|ty| self.table.is_too_large(ty));
                exprs.find(is_it).map_or(at, Node::Expr)
            }
            _ => at,
        };
        let (parts, depth) = (TYPE_LIMIT.parts as usize, TYPE_LIMIT.depth as usize);
        self.give_up(at, &Problem::TypeTooLarge { parts, depth });
    }
}
