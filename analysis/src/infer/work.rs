//! What checking one form may cost.
//!
//! Constraint attempts, expressions, terms of sizes and parts of types are counted: numbers that depend on the form
//! alone, so that every machine gives up on the same forms. Who is over the limit is told, and nothing more is inferred.

pub use super::budget::*;
use super::context::Infer;
use super::table::TYPE_LIMIT;
use crate::diagnostics::Problem;
use crate::hir::{ExprId, Node};

impl Infer<'_> {
    /// Counts a step, and what was computed of sizes and types since the last one. Whether it is too much.
    pub fn over_budget(&mut self) -> bool {
        self.table.shorten_chains();
        if self.table.too_large.get() {
            self.give_up_on_type(Node::FormName);
        }
        if !self.budget.step(self.table.parts.get()) {
            self.too_large_to_check();
        }
        self.budget.is_closed()
    }

    /// The rest of the form is not checked: that would take too long. Said once.
    pub fn give_up(&mut self, at: Node, problem: &Problem) {
        if self.budget.close() {
            self.error(at, problem);
        }
    }

    pub fn too_large_to_check(&mut self) {
        self.give_up(Node::FormName, &Problem::TooLargeToCheck);
    }

    /// Whether a function of so many parameters has a type that is over the limit. It is not made then.
    pub fn too_many_for_a_type(&self, parameters: usize) -> bool {
        parameters >= TYPE_LIMIT.parts as usize
    }

    /// A type that doubles with each `let` has no time to be written down: the rest of the form is not checked.
    pub fn give_up_on_type(&mut self, at: Node) {
        if self.budget.is_closed() {
            return;
        }
        // Where it is not known, the first expression whose type it is.
        let at = match at {
            Node::FormName => {
                let mut exprs = self.expr_types.ids();
                let is_it = |e: &ExprId| self.expr_types[*e].as_ref().is_some_and(|ty| self.table.is_too_large(ty));
                exprs.find(is_it).map_or(at, Node::Expr)
            }
            _ => at,
        };
        let (parts, depth) = (TYPE_LIMIT.parts as usize, TYPE_LIMIT.depth as usize);
        self.give_up(at, &Problem::TypeTooLarge { parts, depth });
    }
}
