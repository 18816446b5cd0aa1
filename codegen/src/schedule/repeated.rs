//! Common subexpressions: a fold, scan, sort or filter that a program computes twice is computed once.
//!
//! `let y = g z … let y' = g z = let y = g z … let y' = y`

use super::alike::Classes;
use super::uses::{self, Uses};
use super::{Applied, fails, rules};
use crate::core::simplify::rename;
use crate::core::{Atom, Block, Kernel, Prim, PrimCall, Rhs, Stmt, VarId};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

/// Removes statements that repeat an earlier computation.
pub fn once(mut kernel: Kernel, applied: &mut Vec<Applied>) -> Kernel {
    let mut finder =
        Finder { earlier: FxHashMap::default(), class: Classes::default(), again: FxHashMap::default(), applied };
    finder.block(&kernel.body);
    let again = finder.again;
    if again.is_empty() {
        return kernel;
    }
    without(&mut kernel.body, &|stmt| again.contains_key(&stmt.var));
    rename(&mut kernel.body, &|v| *v = again.get(v).copied().unwrap_or(*v));
    // Statements that only the dropped ones read.
    loop {
        let uses = uses::count(&kernel);
        let is_read = |v: VarId| uses.get(&v).is_some_and(|Uses { count, .. }| *count > 0);
        let unread = |stmt: &Stmt| !is_read(stmt.var) && !fails::has_effect(&kernel.vars, stmt);
        let mut body = kernel.body.clone();
        if !without(&mut body, &unread) {
            return kernel;
        }
        kernel.body = body;
    }
}

struct Finder<'a, 'k> {
    /// The statements before this one that are in scope, by [`Finder::key`].
    earlier: FxHashMap<u64, Vec<&'k Stmt>>,
    class: Classes,
    /// The variables whose statements are dropped, each with the variable to read.
    again: FxHashMap<VarId, VarId>,
    applied: &'a mut Vec<Applied>,
}

impl<'k> Finder<'_, 'k> {
    fn block(&mut self, block: &'k Block) {
        let mut own = Vec::new();
        for stmt in &block.stmts {
            let key = self.key(&stmt.rhs);
            let alike = self.earlier.get(&key).into_iter().flatten();
            let same = alike
                .copied()
                .find(|first| first.origin.settings == stmt.origin.settings && self.class.is_same(first, stmt));
            if let Some(first) = same.map(|first| self.class.first(first.var)) {
                self.class.insert(stmt.var, first);
                let costly = is_costly(&stmt.rhs);
                // Readers of a dropped value, except maps of scalars, which may be computed where they are read.
                if costly || (!is_map(&stmt.rhs) && uses::mentions(stmt, &|v| self.again.contains_key(&v))) {
                    self.again.insert(stmt.var, first);
                }
                if costly {
                    self.applied.push(Applied { rule: &rules::ONCE, origin: stmt.origin.clone() });
                }
                continue;
            }
            stmt.rhs.blocks().into_iter().for_each(|inner| self.block(inner));
            self.earlier.entry(key).or_default().push(stmt);
            own.push(key);
        }
        for key in own {
            self.earlier.entry(key).or_default().pop();
        }
    }

    /// A hash that is equal for statements with the same value.
    fn key(&self, rhs: &Rhs) -> u64 {
        let mut hasher = FxHasher::default();
        std::mem::discriminant(rhs).hash(&mut hasher);
        match rhs {
            Rhs::Prim(call) => call.prim.hash(&mut hasher),
            Rhs::Scalar(op, _) => op.hash(&mut hasher),
            _ => {}
        }
        for operand in rhs.operands() {
            match operand {
                Atom::Var(v) => self.class.first(*v).hash(&mut hasher),
                Atom::Lit(literal) => literal.hash(&mut hasher),
                Atom::Size(size) => size.hash(&mut hasher),
            }
        }
        hasher.finish()
    }
}

fn is_map(rhs: &Rhs) -> bool {
    matches!(rhs, Rhs::Prim(PrimCall { prim: Prim::Map(_), .. }))
}

/// Whether a right-hand side has a loop whose result is small compared with its input, or a sort. A map of scalars does
/// not count: computing it twice may be faster than storing it.
fn is_costly(rhs: &Rhs) -> bool {
    use Prim::*;
    let loops = matches!(
        rhs,
        Rhs::Prim(PrimCall {
            prim: Reduce(_)
                | PartRed
                | ReduceByKey(_)
                | ReduceWhileSeq
                | Scan(_)
                | ScanExcl(_)
                | Filter(_)
                | Iterate
                | IterateWhile
                | Sort
                | Argsort,
            ..
        })
    );
    loops || rhs.blocks().into_iter().flat_map(|b| &b.stmts).any(|s| is_costly(&s.rhs))
}

/// Drops statements from a block, its branches and its functions. Returns whether there were any.
pub fn without(block: &mut Block, drops: &dyn Fn(&Stmt) -> bool) -> bool {
    let before = block.stmts.len();
    block.stmts.retain(|stmt| !drops(stmt));
    let mut any = block.stmts.len() < before;
    for stmt in &mut block.stmts {
        for inner in stmt.rhs.blocks_mut() {
            any |= without(inner, drops);
        }
    }
    any
}
