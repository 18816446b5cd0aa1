//! Branches in the functions of maps that depend on lengths alone: the host takes them, once for all elements. So a guard
//! such as `(if (> M 0) (maximum r) 0)` costs nothing, and each branch has the strategies that it would have without it.
//!
//! `map (λx. if n < m then f x else g x) xs = if n < m then map f xs else map g xs`

use super::nested::is_known;
use super::pass::within;
use super::versions::{branch, fresh};
use super::{Applied, host_blocks, rules};
use crate::core::copy::{Copier, Lengths};
use crate::core::simplify::simplify;
use crate::core::{Atom, Block, Kernel, Level, Prim, Rhs, ScalarOp, Stmt};
use lift_analysis::ty::Ty;

/// Maximum branches of one map that the host takes: each doubles the versions.
const MOST: usize = 2;

/// The kernel in whose maps no branch with work of its own depends on lengths alone.
pub fn unswitched(kernel: Kernel, applied: &mut Vec<Applied>) -> Kernel {
    let before = applied.len();
    let apart = within(kernel, |kernel, lengths, body| block(kernel, lengths, applied, body, MOST));
    if applied.len() > before { simplify(apart) } else { apart }
}

/// Rewrites the maps of a block at host level, each at most `most` times.
fn block(kernel: &mut Kernel, lengths: &mut Lengths, applied: &mut Vec<Applied>, body: &mut Block, most: usize) {
    let mut out = Vec::new();
    for mut stmt in std::mem::take(&mut body.stmts) {
        if let Some((condition, stmts)) = apart(kernel, lengths, &stmt).filter(|_| most > 0) {
            applied.push(Applied { rule: &rules::MAP_GUARD, origin: stmt.origin.clone() });
            let [mut then, mut otherwise] = stmts.map(|rhs| branch(&mut kernel.vars, &stmt, rhs));
            block(kernel, lengths, applied, &mut then, most - 1);
            block(kernel, lengths, applied, &mut otherwise, most - 1);
            let Atom::Var(holds) = condition.0 else { continue };
            out.push(Stmt { var: holds, binds: Vec::new(), rhs: condition.1, origin: stmt.origin.clone() });
            stmt.rhs = Rhs::If(Atom::Var(holds), then, otherwise);
        } else {
            host_blocks(kernel, &mut stmt).into_iter().for_each(|inner| block(kernel, lengths, applied, inner, most));
        }
        out.push(stmt);
    }
    body.stmts = out;
}

/// The condition of the first such branch in the functions of a map, as a variable with its value, and the map with each
/// side of the branch.
fn apart(kernel: &mut Kernel, lengths: &mut Lengths, stmt: &Stmt) -> Option<((Atom, Rhs), [Rhs; 2])> {
    let Rhs::Prim(call) = &stmt.rhs else { return None };
    if call.prim != Prim::Map(Level::Auto) {
        return None;
    }
    let (mut then, mut otherwise) = (call.clone(), call.clone());
    let condition = call.funs.first().and_then(|_| taken(&mut then.funs[0].body, true))?;
    taken(&mut otherwise.funs[0].body, false)?;
    otherwise.funs[0] = Copier::new(&mut kernel.vars, lengths).lambda(&otherwise.funs[0]);
    let holds = fresh(&mut kernel.vars, stmt.var, Ty::bool());
    Some(((Atom::Var(holds), condition), [Rhs::Prim(then), Rhs::Prim(otherwise)]))
}

/// Takes one side of the first branch of a function that depends on lengths alone, also in the functions of its maps; gives
/// the condition.
fn taken(body: &mut Block, holds: bool) -> Option<Rhs> {
    for at in 0..body.stmts.len() {
        let condition = match &body.stmts[at].rhs {
            Rhs::If(Atom::Var(condition), then, otherwise) if [then, otherwise].into_iter().any(has_work) => {
                let made = body.stmts[..at].iter().find(|s| s.var == *condition).map(|s| s.rhs.clone());
                made.filter(of_lengths)
            }
            _ => None,
        };
        if let Some(condition) = condition {
            let stmt = body.stmts.remove(at);
            let Rhs::If(_, then, otherwise) = stmt.rhs else { return None };
            let Block { mut stmts, result } = if holds { then } else { otherwise };
            stmts.push(Stmt { var: stmt.var, binds: stmt.binds, rhs: Rhs::Atom(result), origin: stmt.origin });
            body.stmts.splice(at..at, stmts);
            return Some(condition);
        }
        if let Rhs::Prim(call) = &mut body.stmts[at].rhs
            && call.prim == Prim::Map(Level::Auto)
            && let Some(f) = call.funs.first_mut()
            && let Some(condition) = taken(&mut f.body, holds)
        {
            return Some(condition);
        }
    }
    None
}

/// Whether a value compares lengths that the host knows.
fn of_lengths(rhs: &Rhs) -> bool {
    use ScalarOp::{Eq, Ge, Gt, Le, Lt, Ne};
    let Rhs::Scalar(Lt | Gt | Le | Ge | Eq | Ne, operands) = rhs else { return false };
    let known = |a: &Atom| match a {
        Atom::Size(size) => is_known(size),
        Atom::Lit(_) => true,
        Atom::Var(_) => false,
    };
    operands.iter().all(known) && operands.iter().any(|a| matches!(a, Atom::Size(_)))
}

/// Whether a block has an operator with a function, perhaps a fold or a sort.
fn has_work(block: &Block) -> bool {
    block.stmts.iter().any(|s| match &s.rhs {
        Rhs::Prim(call) => !call.funs.is_empty(),
        rhs => rhs.blocks().into_iter().any(has_work),
    })
}
