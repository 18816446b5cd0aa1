//! Functions given by name to elements of hidden length, as in `(map sum rows)`.
//!
//! `sum` takes an array of one length, and each row has its own. `(map (lambda (row) (sum row)) rows)` is typed, because
//! the parameter of a lambda is opened; [`Inference::openers`] are the functions that are taken as such a lambda. They
//! are found from the errors of an inference without them, so they never change the type of a program without errors.

use super::result::Inference;
use crate::diagnostics::Severity;
use crate::hir::{Body, Expr, ExprId};
use crate::ty::{Ty, TyKind};
use rustc_hash::FxHashSet;

/// Limit on inferences of one form: each finds the openers of the results that the one before could not type.
const MOST_ROUNDS: usize = 8;

/// The inference with the openers that remove errors of `plain`, or `plain`.
pub fn with_openers(body: &Body, plain: Inference, infer: impl Fn(FxHashSet<ExprId>) -> Inference) -> Inference {
    let mut best = plain;
    let mut openers = FxHashSet::default();
    let mut tried = None;
    for _ in 0..MOST_ROUNDS {
        let last = tried.as_ref().unwrap_or(&best);
        if errors(last) == 0 {
            break;
        }
        let mut new: Vec<ExprId> = candidates(body, last).filter(|f| !openers.contains(f)).collect();
        if new.is_empty() {
            new = inner_functions(body, last, &openers);
        }
        if new.is_empty() {
            break;
        }
        openers.extend(new);
        let next = infer(openers.clone());
        tried = match errors(&next) < errors(&best) {
            true => {
                best = next;
                None
            }
            false => Some(next),
        };
    }
    best
}

fn errors(inference: &Inference) -> usize {
    inference.diagnostics.iter().filter(|d| d.severity == Severity::Error).count()
}

/// The functions of one argument given by name beside an array whose elements hide lengths.
fn candidates<'a>(body: &'a Body, inference: &'a Inference) -> impl Iterator<Item = ExprId> + 'a {
    let hides = |arg: &ExprId| has_hiding_elements(inference.opened_type(*arg));
    let calls = body.exprs.iter().filter_map(move |e| match e {
        Expr::Apply { args, .. } if args.iter().any(hides) => Some(args),
        _ => None,
    });
    calls.flat_map(move |args| args.iter().copied().filter(|arg| is_by_name(body, inference, *arg)))
}

/// The functions given to the openers: `sum` of `(map (map sum) rows)`.
fn inner_functions(body: &Body, inference: &Inference, openers: &FxHashSet<ExprId>) -> Vec<ExprId> {
    let given = openers.iter().flat_map(|opener| match body.expr(*opener) {
        Expr::Apply { args, .. } => args.as_slice(),
        _ => &[],
    });
    given.copied().filter(|arg| !openers.contains(arg) && is_by_name(body, inference, *arg)).collect()
}

fn is_by_name(body: &Body, inference: &Inference, arg: ExprId) -> bool {
    let is_function = |ty: &Ty| matches!(ty.kind(), TyKind::Fun(..));
    let of_one = |ty: &Ty| matches!(ty.kind(), TyKind::Fun(_, result) if !is_function(result));
    of_one(&inference.expr_types[arg]) && !matches!(body.expr(arg), Expr::Lambda { .. } | Expr::Compose(_))
}

fn has_hiding_elements(ty: &Ty) -> bool {
    match ty.kind() {
        TyKind::Array(a) => matches!(a.element.kind(), TyKind::Exists(..)),
        TyKind::Exists(_, body) => has_hiding_elements(body),
        _ => false,
    }
}
