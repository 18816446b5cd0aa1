//! What checking one form may cost.
//!
//! Constraint attempts, expressions, terms of sizes and parts of types are counted: numbers that depend on the form
//! alone, so that every machine gives up on the same forms. Who is over the limit is told, and nothing more is inferred.

use super::context::Infer;
use super::table::{MOST_PARTS, TYPE_LIMIT};
use crate::hir::{ExprId, Node};
use crate::size::work;

/// Constraint attempts, expressions and terms of sizes that one form may cost. A form of ordinary size needs a few thousand;
/// the limit keeps a hostile one from holding up the editor.
pub const WORK_LIMIT: u64 = 4_000_000;

/// So many terms of sizes that are added, sorted or divided may be computed with on top of the work, for what is done when it
/// has come to an end.
pub const TERMS_AT_THE_END: u64 = WORK_LIMIT / 4;

/// So many parts of types that are looked at cost as much as one expression.
pub const PARTS_PER_STEP: u64 = MOST_PARTS / WORK_LIMIT;

/// The most conditions on lengths that one form may assume. A definition assumes what those assume that it uses, at each use:
/// of definitions that each use the one before twice, the number doubles.
pub const MOST_ASSUMED: usize = 2000;

/// So many nodes of the sizes in a condition count as one more of them: most conditions have fewer.
pub const NODES_PER_CONDITION: u32 = 16;

impl Infer<'_> {
    /// Counts a step, and what was computed of sizes and types since the last one. Whether it is too much.
    pub fn over_budget(&mut self) -> bool {
        self.table.shorten_chains();
        if self.table.too_large.get() {
            self.give_up_on_type(Node::FormName);
        }
        let parts = self.table.parts.get() / PARTS_PER_STEP;
        self.work += 1 + work::take() + (parts - self.parts);
        self.parts = parts;
        if self.work >= WORK_LIMIT || work::exhausted() {
            self.too_large_to_check();
        }
        self.given_up
    }

    /// The rest of the form is not checked: that would take too long. Said once.
    pub fn give_up(&mut self, at: Node, message: impl Into<String>) {
        if !self.given_up {
            self.given_up = true;
            self.error("too-complex", at, message);
        }
    }

    pub fn too_large_to_check(&mut self) {
        self.give_up(
            Node::FormName,
            "this form is too large to be checked in reasonable time; split it into several `define`s",
        );
    }

    /// Whether a function of so many parameters has a type that is over the limit. It is not made then.
    pub fn too_many_for_a_type(&self, parameters: usize) -> bool {
        parameters >= TYPE_LIMIT.parts as usize
    }

    /// A type that doubles with each `let` has no time to be written down: the rest of the form is not checked.
    pub fn give_up_on_type(&mut self, at: Node) {
        if self.given_up {
            return;
        }
        // Where it is not known, the first expression whose type it is.
        let at = match at {
            Node::FormName => {
                let mut exprs = (0..self.expr_types.len() as u32).map(ExprId);
                let is_it =
                    |e: &ExprId| self.expr_types[e.index()].as_ref().is_some_and(|ty| self.table.is_too_large(ty));
                exprs.find(is_it).map_or(at, Node::Expr)
            }
            _ => at,
        };
        let message = format!(
            "the type of this is too large: it has more than {} parts, or more than {} in one another",
            TYPE_LIMIT.parts, TYPE_LIMIT.depth
        );
        self.give_up(at, message);
    }
}
