//! Computes the sine and cosine of the same number together: OpenCL's `sincos` reduces the argument only once.

use crate::opencl::{CType, Expr, Names, Stmt, StmtKind};
use lift_analysis::hir::Name;
use lift_analysis::origin::Origin;
use std::sync::Arc;

/// Merges the sine and cosine of the same variable in a list of statements; returns the origins of both.
pub fn together(stmts: &mut Vec<Stmt>, names: &mut Names) -> Vec<Option<Origin>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < stmts.len() {
        match &mut stmts[at].kind {
            StmtKind::If { then, otherwise, .. } => {
                found.extend(together(then, names));
                found.extend(together(otherwise, names));
            }
            StmtKind::For { body, .. } | StmtKind::While { body, .. } | StmtKind::Block(body) => {
                found.extend(together(body, names));
            }
            StmtKind::Declare { ty: ty @ (CType::Float | CType::Double), constant: true, name, .. } => {
                let (ty, angle, origin) = (*ty, name.clone(), stmts[at].origin.clone());
                let rest = &stmts[at + 1..];
                if rest.iter().any(|s| calls(s, "sin", &angle)) && rest.iter().any(|s| calls(s, "cos", &angle)) {
                    let (sine, cosine) = (names.fresh("sine"), names.fresh("cosine"));
                    for s in &mut stmts[at + 1..] {
                        replace(s, &angle, &sine, &cosine);
                    }
                    let both =
                        Expr::call("sincos", [Expr::Var(angle), Expr::AddressOf(Arc::new(Expr::Var(cosine.clone())))]);
                    let declare = |name, constant, init| StmtKind::Declare { ty, constant, name, init };
                    let new = [declare(cosine, false, None), declare(sine, true, Some(both))];
                    let new = new.map(|kind| Stmt { kind, origin: origin.clone() });
                    stmts.splice(at + 1..at + 1, new);
                    found.push(origin);
                }
            }
            _ => {}
        }
        at += 1;
    }
    found
}

/// The expressions of a statement, without those of nested statements.
fn exprs(stmt: &Stmt) -> Vec<&Expr> {
    match &stmt.kind {
        StmtKind::Declare { init, .. } => init.iter().collect(),
        StmtKind::Assign(to, value) => vec![to, value],
        StmtKind::Expr(e) => vec![e],
        _ => Vec::new(),
    }
}

fn exprs_mut(stmt: &mut Stmt) -> Vec<&mut Expr> {
    match &mut stmt.kind {
        StmtKind::Declare { init, .. } => init.iter_mut().collect(),
        StmtKind::Assign(to, value) => vec![to, value],
        StmtKind::Expr(e) => vec![e],
        _ => Vec::new(),
    }
}

fn is_call(e: &Expr, function: &str, angle: &Name) -> bool {
    matches!(e, Expr::Call(name, args) if &**name == function && matches!(args.as_slice(), [Expr::Var(v)] if v == angle))
}

fn calls(stmt: &Stmt, function: &str, angle: &Name) -> bool {
    exprs(stmt).into_iter().any(|e| e.any(&mut |e| is_call(e, function, angle)))
}

fn replace(stmt: &mut Stmt, angle: &Name, sine: &Name, cosine: &Name) {
    for e in exprs_mut(stmt) {
        e.rewrite(&mut |e| {
            if is_call(e, "sin", angle) {
                *e = Expr::Var(sine.clone());
            } else if is_call(e, "cos", angle) {
                *e = Expr::Var(cosine.clone());
            }
        });
    }
}
