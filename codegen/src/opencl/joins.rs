//! Barriers where a branch that has barriers joins the code after it.
//!
//! pocl 3.1 runs the code after the last barrier of a branch once for each work-item, in a loop that also covers what
//! follows the branch; if both have conditions, that loop never ends. A barrier between the two parts keeps them in loops of
//! their own, and costs nothing measurable elsewhere. An early return makes all that follows it such a branch.

use super::{Expr, Helper, Stmt, StmtKind};

/// A barrier that orders no memory.
const JOIN: StmtKind = StmtKind::Barrier { local: false, global: false };

/// Whether a statement contains a barrier, also in a helper function.
pub fn meets(stmt: &Stmt) -> bool {
    let calls = |e: &Expr| e.any(&mut |e| matches!(e, Expr::Call(name, _) if Helper::meets(name)));
    match &stmt.kind {
        StmtKind::Barrier { .. } => true,
        StmtKind::Declare { init, .. } => init.as_ref().is_some_and(calls),
        StmtKind::Assign(to, value) => calls(to) || calls(value),
        StmtKind::Expr(e) => calls(e),
        StmtKind::If { condition, then, otherwise } => calls(condition) || then.iter().chain(otherwise).any(meets),
        StmtKind::For { body, .. } | StmtKind::Block(body) => body.iter().any(meets),
        StmtKind::While { condition, body } => calls(condition) || body.iter().any(meets),
        _ => false,
    }
}

/// Adds the missing barriers to a function's body.
pub fn separate(body: &mut Vec<Stmt>) {
    while let Some(missing) = first_missing(body) {
        insert(body, &missing);
    }
}

/// Whether the body of a function lacks such a barrier.
pub fn lacks(body: &[Stmt]) -> bool {
    first_missing(body).is_some()
}

/// The indices, from the outermost statements on, of the statement before which a barrier is missing.
fn first_missing(body: &[Stmt]) -> Option<Vec<usize>> {
    if let Some(path) = after_branch(body) {
        return Some(path);
    }
    // The last barrier that all work-items reach if they have not returned.
    let last = body.iter().rposition(meets)?;
    let is_branch = matches!(body[last].kind, StmtKind::If { .. } | StmtKind::For { .. } | StmtKind::While { .. });
    let mut left = 0;
    if let StmtKind::Block(inner) = &body[last].kind {
        let inside = inner.iter().rposition(meets)?;
        if matches!(inner[inside].kind, StmtKind::If { .. } | StmtKind::For { .. } | StmtKind::While { .. }) {
            return None;
        }
        left = inner[inside + 1..].iter().map(branches).sum();
    }
    let left = left + body[last + 1..].iter().map(branches).sum::<usize>();
    let is_reached = !body[last..].iter().any(leaves);
    (!is_branch && left > 1 && is_reached && body[..last].iter().any(returns)).then(|| vec![body.len()])
}

/// [`first_missing`] of the branches in statements.
fn after_branch(stmts: &[Stmt]) -> Option<Vec<usize>> {
    for (at, stmt) in stmts.iter().enumerate() {
        let inside: [&[Stmt]; 2] = match &stmt.kind {
            StmtKind::If { then, otherwise, .. } => [then, otherwise],
            StmtKind::For { body, .. } | StmtKind::While { body, .. } | StmtKind::Block(body) => [body, &[]],
            _ => continue,
        };
        for (part, body) in inside.into_iter().enumerate() {
            if let Some(path) = after_branch(body) {
                return Some([vec![at, part], path].concat());
            }
        }
        let rest = &stmts[at + 1..];
        let waits = rest.first().is_some_and(|next| matches!(next.kind, StmtKind::Barrier { .. }));
        let is_branch = matches!(stmt.kind, StmtKind::If { .. }) && meets(stmt) && !leaves(stmt);
        if is_branch && !waits && rest.iter().any(|s| branches(s) > 0) {
            return Some(vec![at + 1]);
        }
    }
    None
}

/// The number of conditions and loops among a statement and those of its block.
fn branches(stmt: &Stmt) -> usize {
    match &stmt.kind {
        StmtKind::If { .. } | StmtKind::For { .. } | StmtKind::While { .. } => 1,
        StmtKind::Block(body) => body.iter().map(branches).sum(),
        _ => 0,
    }
}

/// Whether a work-item may return in a statement, after which not all reach a barrier.
fn leaves(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Return | StmtKind::Stop => true,
        StmtKind::If { then, otherwise, .. } => then.iter().chain(otherwise).any(leaves),
        StmtKind::For { body, .. } | StmtKind::While { body, .. } | StmtKind::Block(body) => body.iter().any(leaves),
        _ => false,
    }
}

/// Whether a statement is an early return.
fn returns(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::If { then, .. } => {
            matches!(then.last().map(|last| &last.kind), Some(StmtKind::Return | StmtKind::Stop))
        }
        _ => false,
    }
}

fn insert(stmts: &mut Vec<Stmt>, path: &[usize]) {
    match path {
        [at] => {
            let origin = at.checked_sub(1).and_then(|before| stmts[before].origin.clone());
            stmts.insert(*at, Stmt { kind: JOIN, origin });
        }
        [at, part, rest @ ..] => match &mut stmts[*at].kind {
            StmtKind::If { then, otherwise, .. } => insert(if *part == 0 { then } else { otherwise }, rest),
            StmtKind::For { body, .. } | StmtKind::While { body, .. } | StmtKind::Block(body) => insert(body, rest),
            _ => {}
        },
        [] => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(kind: StmtKind) -> Stmt {
        Stmt { kind, origin: None }
    }
    fn when(then: Vec<Stmt>) -> Stmt {
        at(StmtKind::If { condition: Expr::Var("c".into()), then, otherwise: Vec::new() })
    }
    fn wait() -> Stmt {
        at(StmtKind::Barrier { local: true, global: false })
    }
    fn write() -> Stmt {
        at(StmtKind::Assign(Expr::Var("x".into()), Expr::int(1)))
    }
    fn separated(mut body: Vec<Stmt>) -> Vec<Stmt> {
        separate(&mut body);
        assert!(!lacks(&body));
        body
    }

    #[test]
    fn a_branch_with_barriers_and_the_conditions_after_it_are_separated() {
        let branch = || when(vec![wait(), when(vec![write()])]);
        let tail = || when(vec![write()]);
        assert_eq!(separated(vec![branch(), write(), tail()]), [branch(), at(JOIN), write(), tail()]);
        let nested = |body: Vec<Stmt>| at(StmtKind::Block(body));
        assert_eq!(separated(vec![nested(vec![branch(), tail()])]), [nested(vec![branch(), at(JOIN), tail()])]);
        for body in [vec![branch(), write()], vec![tail(), branch()], vec![branch(), wait(), tail()]] {
            assert_eq!(separated(body.clone()), body);
        }
    }

    #[test]
    fn what_follows_an_early_return_is_a_branch() {
        let stop = || when(vec![at(StmtKind::Stop)]);
        let tail = || when(vec![write()]);
        assert_eq!(separated(vec![stop(), wait(), tail(), tail()]), [stop(), wait(), tail(), tail(), at(JOIN)]);
        let late = || vec![stop(), wait(), tail(), tail(), stop()];
        for body in [vec![stop(), wait(), tail()], vec![wait(), tail(), tail()], late()] {
            assert_eq!(separated(body.clone()), body);
        }
    }
}
