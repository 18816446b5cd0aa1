//! Functions given by name to elements of hidden length, as in `(map sum rows)`.
//!
//! `sum` takes an array of one length, and each row has its own. `(map (lambda (row) (sum row)) rows)` is typed, because
//! the parameter of a lambda is opened; [`Inference::openers`] are the functions that are taken as such a lambda, each
//! with the number of its parameters: `(zipWith concat xss yss)` is `(zipWith (lambda (xs ys) (concat xs ys)) xss yss)`.
//! They are found from the errors of an inference without them, so they never change the type of a program without errors.

use super::given::{Arg, Functions, Given};
use super::result::Inference;
use super::{Env, Mode, uses};
use crate::hir::{Body, Expr, ExprId};
use crate::ty::{Ty, TyKind};
use rustc_hash::FxHashMap;

/// Limit on inferences of one form: each finds the functions of the results that the one before could not type.
const MOST_ROUNDS: usize = 16;

impl Functions {
    /// Adds the functions that may remove errors of `inference`; returns whether there are any.
    fn extend(&mut self, body: &Body, env: &dyn Env, mode: Mode, given: Option<&Given>, inference: &Inference) -> bool {
        let uses = uses::applied(body, inference, given);
        let more = self.extend_definitions(body, env, &uses);
        if mode == Mode::Explicit {
            return more || self.extend_locals(body, inference, &uses);
        }
        let mut new = candidates(body, inference);
        new.extend(candidates_of_partial(body, inference, &uses));
        new.retain(|(f, _)| !self.openers.contains_key(f));
        if new.is_empty() {
            new = inner_functions(body, inference, &self.openers);
        }
        let any = !new.is_empty();
        self.openers.extend(new);
        // What remains may be a function that is wrong with what it is given.
        more || any || self.extend_locals(body, inference, &uses)
    }
}

/// The inference with the functions that remove errors of `plain`, or `plain`.
pub fn with_openers(
    body: &Body,
    env: &dyn Env,
    mode: Mode,
    given: Option<&Given>,
    plain: Inference,
    infer: impl Fn(Functions) -> Inference,
) -> Inference {
    let mut best = plain;
    let mut functions = Functions::default();
    let mut tried = None;
    for _ in 0..MOST_ROUNDS {
        let last = tried.as_ref().unwrap_or(&best);
        if last.is_without_errors() || !functions.extend(body, env, mode, given, last) {
            break;
        }
        let next = infer(functions.clone());
        tried = match next.errors() < best.errors() {
            true => {
                best = next;
                None
            }
            false => Some(next),
        };
    }
    best
}

/// The functions given by name beside an array whose elements hide lengths, with the number of their parameters.
fn candidates(body: &Body, inference: &Inference) -> Vec<(ExprId, usize)> {
    let hides = |arg: &ExprId| has_hiding_elements(inference.opened_type(*arg));
    let calls = body.exprs.iter().filter_map(|e| match e {
        Expr::Apply { args, .. } if args.iter().any(hides) => Some(args),
        _ => None,
    });
    let args = calls.flatten();
    args.filter_map(|arg| Some((*arg, params_by_name(body, inference, *arg)?))).collect()
}

/// The functions given by name in a partial application that is applied to such an array: `sum` of `(o f (map sum))`.
fn candidates_of_partial(body: &Body, inference: &Inference, uses: &[(ExprId, Vec<Arg>)]) -> Vec<(ExprId, usize)> {
    let is_function = |e: ExprId| matches!(inference.expr_types[e].kind(), TyKind::Fun(..));
    let hides = |rest: &[Arg]| rest.iter().any(|arg| has_hiding_elements(&arg.ty));
    let partial = uses.iter().filter_map(|(function, rest)| match body.expr(*function) {
        Expr::Apply { args, .. } if is_function(*function) && hides(rest) => Some(args),
        _ => None,
    });
    let args = partial.flatten();
    args.filter_map(|arg| Some((*arg, params_by_name(body, inference, *arg)?))).collect()
}

/// The functions given to the openers: `sum` of `(map (map sum) rows)`.
fn inner_functions(body: &Body, inference: &Inference, openers: &FxHashMap<ExprId, usize>) -> Vec<(ExprId, usize)> {
    let given = openers.keys().flat_map(|opener| match body.expr(*opener) {
        Expr::Apply { args, .. } => args.as_slice(),
        _ => &[],
    });
    let new = given.copied().filter(|arg| !openers.contains_key(arg));
    new.filter_map(|arg| Some((arg, params_by_name(body, inference, arg)?))).collect()
}

/// The number of parameters of a function that is given by name.
fn params_by_name(body: &Body, inference: &Inference, arg: ExprId) -> Option<usize> {
    let params = inference.expr_types[arg].uncurry().0.len();
    let by_name = !matches!(body.expr(arg), Expr::Lambda { .. } | Expr::Compose(_));
    (by_name && params > 0).then_some(params)
}

fn has_hiding_elements(ty: &Ty) -> bool {
    match ty.kind() {
        TyKind::Array(a) => matches!(a.element.kind(), TyKind::Exists(..)),
        TyKind::Exists(_, body) => has_hiding_elements(body),
        _ => false,
    }
}
