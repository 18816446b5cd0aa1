//! Counts loads.

use crate::lower::strides::{UNKNOWN_ROUNDS, rounds_of};
use crate::opencl::{Expr, Stmt, StmtKind, Storage};
use lift_analysis::hir::Name;
use rustc_hash::FxHashSet;

/// The loads from memory in the code. Private values are in registers.
pub fn made(stmts: &[Stmt]) -> u64 {
    let mut counter = Counter { own: FxHashSet::default(), loads: 0 };
    counter.all(stmts, 1);
    counter.loads
}

struct Counter<'s> {
    /// Private arrays.
    own: FxHashSet<&'s Name>,
    loads: u64,
}

impl<'s> Counter<'s> {
    fn all(&mut self, stmts: &'s [Stmt], rounds: u64) {
        for stmt in stmts {
            match &stmt.kind {
                StmtKind::DeclareArray { storage: Storage::Private, name, .. } => {
                    self.own.insert(name);
                }
                StmtKind::Declare { init: Some(e), .. } | StmtKind::Expr(e) | StmtKind::Assign(_, e) => {
                    self.expr(e, rounds);
                }
                StmtKind::If { condition, then, otherwise } => {
                    self.expr(condition, rounds);
                    self.all(then, rounds);
                    self.all(otherwise, rounds);
                }
                StmtKind::For { from, condition, step, body, .. } => {
                    self.all(body, rounds.saturating_mul(rounds_of(from, condition, step)));
                }
                StmtKind::While { body, .. } => self.all(body, rounds.saturating_mul(UNKNOWN_ROUNDS)),
                StmtKind::Block(body) => self.all(body, rounds),
                _ => {}
            }
        }
    }

    fn expr(&mut self, e: &Expr, rounds: u64) {
        let mut loads = 0;
        e.any(&mut |e| {
            let load = match e {
                Expr::Index(array, _) => !matches!(&**array, Expr::Var(name) if self.own.contains(name)),
                Expr::Wide { .. } => true,
                _ => false,
            };
            loads += u64::from(load);
            false
        });
        self.loads = self.loads.saturating_add(rounds.saturating_mul(loads));
    }
}
