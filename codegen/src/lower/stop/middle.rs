//! Stops in the middle of a function.

use crate::opencl::{Stmt, StmtKind, joins};

/// Resolves stops in the middle of a function: the work-item returns, unless others of its group wait for it later.
/// Then it skips the rest of the block, whose declarations are visible nowhere else.
pub fn resolve(body: &mut Vec<Stmt>) {
    if let Some(StmtKind::If { then, .. }) = body.last_mut().map(|s| &mut s.kind) {
        then.pop_if(|s| s.kind == StmtKind::Stop);
    }
    if body.iter().any(joins::meets) {
        within(body, true);
    }
}

/// `outermost`: all work-items of the launch execute the statements, with the same conditions.
fn within(stmts: &mut Vec<Stmt>, outermost: bool) {
    for at in 0..stmts.len() {
        // If the group still has barriers, all work-items must continue.
        let waits = |rest: &[Stmt]| outermost || rest.iter().any(joins::meets);
        if stops(&stmts[at..=at]) && !waits(&stmts[at + 1..]) {
            let mut rest = stmts.split_off(at + 1);
            within(&mut rest, false);
            if let StmtKind::If { then, otherwise, .. } = &mut stmts[at].kind {
                then.pop();
                otherwise.extend(rest);
            }
            return;
        }
        match &mut stmts[at].kind {
            StmtKind::If { then, otherwise, .. } => {
                within(then, false);
                within(otherwise, false);
            }
            StmtKind::For { body, .. } | StmtKind::While { body, .. } | StmtKind::Block(body) => within(body, false),
            _ => {}
        }
    }
}

/// Whether a work-item may stop in the statements themselves, apart from nested loops and blocks.
pub fn stops(stmts: &[Stmt]) -> bool {
    stmts.iter().any(|stmt| match &stmt.kind {
        StmtKind::If { then, .. } => matches!(then.last().map(|s| &s.kind), Some(StmtKind::Stop)),
        _ => false,
    })
}
