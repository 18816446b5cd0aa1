//! A map whose function returns several rows in a tuple becomes a map for each, so that each can have a work-item for every
//! element.
//!
//! `map (λx. (a x, b x)) xs = zip (map a xs) (map b xs)`

use super::pieces::is_iteration;
use crate::core::{Atom, Block, Kernel, Level, Prim, PrimCall, Rhs, Stmt};
use crate::schedule::nested::{Work, work_of};
use crate::schedule::uses;
use rustc_hash::FxHashSet;

/// The components of the tuple that a function returns, each with the statements that it needs; `None` unless one of them is a
/// row that work-items could share, and the function has neither other work for several nor loops.
pub fn components(kernel: &Kernel, body: &Block) -> Option<Vec<Block>> {
    let tuple = body.stmts.last().filter(|s| body.result == Atom::Var(s.var))?;
    let Rhs::Tuple(parts) = &tuple.rhs else { return None };
    let is_map = |s: &Stmt| matches!(&s.rhs, Rhs::Prim(PrimCall { prim: Prim::Map(Level::Auto), .. }));
    let mut rows = false;
    for stmt in &body.stmts[..body.stmts.len() - 1] {
        match work_of(kernel, stmt) {
            Work::Item if !is_iteration(stmt) => {}
            Work::Together(_) | Work::Nest if is_map(stmt) => rows |= parts.contains(&Atom::Var(stmt.var)),
            _ => return None,
        }
    }
    rows.then(|| parts.iter().map(|part| needed(body, part)).collect())
}

/// The part of a block that makes a value.
fn needed(body: &Block, result: &Atom) -> Block {
    let wanted = match result {
        Atom::Var(v) => FxHashSet::from_iter([*v]),
        _ => FxHashSet::default(),
    };
    Block { stmts: uses::needed(body.stmts.clone(), wanted), result: result.clone() }
}
