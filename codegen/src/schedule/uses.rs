//! How often each variable is used.

use crate::core::{Atom, Block, Kernel, Rhs, Stmt, VarId};
use rustc_hash::FxHashMap;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Uses {
    /// Occurrences in the text.
    pub count: usize,
    /// Whether one stands in a function that the binder does not stand in: it may run many times.
    pub in_loop: bool,
}

pub fn count(kernel: &Kernel) -> FxHashMap<VarId, Uses> {
    let mut counter = Counter { bound: FxHashMap::default(), uses: FxHashMap::default() };
    for p in &kernel.params {
        counter.bound.insert(*p, 0);
    }
    counter.block(&kernel.body, 0);
    counter.uses
}

/// Whether a statement, or what is inside of it, mentions one of these variables.
pub fn mentions(stmt: &Stmt, of: &dyn Fn(VarId) -> bool) -> bool {
    let atom = |a: &Atom| matches!(a, Atom::Var(v) if of(*v));
    let inside = |block: &Block| atom(&block.result) || block.stmts.iter().any(|s| mentions(s, of));
    stmt.rhs.operands().into_iter().any(atom) || stmt.rhs.blocks().into_iter().any(inside)
}

struct Counter {
    bound: FxHashMap<VarId, u32>,
    uses: FxHashMap<VarId, Uses>,
}

impl Counter {
    fn atom(&mut self, a: &Atom, depth: u32) {
        if let Atom::Var(v) = a {
            let uses = self.uses.entry(*v).or_default();
            uses.count += 1;
            uses.in_loop |= self.bound.get(v).is_some_and(|b| *b < depth);
        }
    }
    fn block(&mut self, block: &Block, depth: u32) {
        for stmt in &block.stmts {
            for a in stmt.rhs.operands() {
                self.atom(a, depth);
            }
            match &stmt.rhs {
                Rhs::If(_, a, b) => {
                    self.block(a, depth);
                    self.block(b, depth);
                }
                Rhs::Prim(call) => {
                    for f in &call.funs {
                        for p in &f.params {
                            self.bound.insert(*p, depth + 1);
                        }
                        self.block(&f.body, depth + 1);
                    }
                }
                _ => {}
            }
            self.bound.insert(stmt.var, depth);
        }
        self.atom(&block.result, depth);
    }
}
