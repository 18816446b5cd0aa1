//! Moves views of outer arrays out of a function, so that reads of their elements count as picked by index.

use crate::core::{Atom, Block, Lambda, Prim, PrimCall, Rhs, Stmt, VarId, VarInfo};
use crate::schedule::uses;
use lift_analysis::size::Var;
use rustc_hash::FxHashSet;

/// Removes the views from a function, also from its branches and the functions inside, and returns them in order.
pub fn take_views(vars: &[VarInfo], f: &mut Lambda) -> Vec<Stmt> {
    let mut taker =
        Taker { vars, bound: FxHashSet::default(), positions: f.position.iter().cloned().collect(), taken: Vec::new() };
    taker.bound.extend(&f.params);
    taker.block(&mut f.body);
    taker.taken
}

struct Taker<'k> {
    vars: &'k [VarInfo],
    /// The variables that depend on the function's element.
    bound: FxHashSet<VarId>,
    positions: Vec<Var>,
    taken: Vec<Stmt>,
}

impl Taker<'_> {
    fn block(&mut self, block: &mut Block) {
        for mut stmt in std::mem::take(&mut block.stmts) {
            if self.is_outside(&stmt) {
                self.taken.push(stmt);
                continue;
            }
            self.bound.insert(stmt.var);
            match &mut stmt.rhs {
                Rhs::If(_, a, b) => [a, b].into_iter().for_each(|b| self.block(b)),
                Rhs::Prim(call) => {
                    for f in &mut call.funs {
                        self.bound.extend(&f.params);
                        self.positions.extend(f.position.clone());
                        self.block(&mut f.body);
                    }
                }
                _ => {}
            }
            block.stmts.push(stmt);
        }
    }

    fn is_outside(&self, stmt: &Stmt) -> bool {
        let Rhs::Prim(PrimCall { prim: Prim::Transpose | Prim::Join | Prim::Split | Prim::Reverse, args, .. }) =
            &stmt.rhs
        else {
            return false;
        };
        let given = |a: &Atom| matches!(a, Atom::Var(v) if !self.bound.contains(v));
        let counted = self.positions.iter().any(|p| uses::stmt_mentions(self.vars, stmt, p));
        stmt.binds.is_empty() && args.iter().all(given) && !counted
    }
}
