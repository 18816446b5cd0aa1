//! Uses of functions that are given more than their own text tells ([`super::given`]).
//!
//! They are found from the errors of an inference without them, so they never change the type of a program without errors.

use super::given::{Arg, Functions, Given};
use super::result::Inference;
use super::{Env, Lookup};
use crate::hir::{BinderId, BinderRole, Body, Expr, ExprId, Name, Scalar};
use crate::ty::{Ty, TyKind};

impl Functions {
    /// Adds the uses of definitions that may remove errors of `inference`; returns whether there are any.
    pub fn extend_definitions(&mut self, body: &Body, env: &dyn Env, inference: &Inference) -> bool {
        let mut more = false;
        for (function, args) in calls(body, inference) {
            let Expr::Global(name) = body.expr(function) else { continue };
            let Some(given) = given_to_definition(env, name, &args) else { continue };
            more |= self.definitions.insert(function, given.clone()) != Some(given);
        }
        more
    }

    /// Adds the functions bound by `let` that may be the cause of errors of `inference`; returns whether there are any.
    pub fn extend_locals(&mut self, body: &Body, inference: &Inference) -> bool {
        let mut more = false;
        for (function, mut args) in calls(body, inference) {
            args.iter_mut().for_each(|arg| arg.is_size = false);
            let Expr::Local(b) = body.expr(function) else { continue };
            if self.locals.contains_key(b) || !is_local_function(body, *b) {
                continue;
            }
            if let Some(given) = inference.binder_types.get(*b).and_then(|ty| Given::new(ty, &args)) {
                self.locals.insert(*b, given);
                more = true;
            }
        }
        more
    }
}

/// What a definition is given, if its body can be typed with it.
fn given_to_definition(env: &dyn Env, name: &Name, args: &[Arg]) -> Option<Given> {
    let Lookup::Definition(scheme) = env.lookup(name) else { return None };
    let given = Given::new(&scheme.ty, args)?;
    env.given(name, &given).map(|_| given)
}

fn is_local_function(body: &Body, b: BinderId) -> bool {
    body.exprs.iter().any(|e| match e {
        Expr::Let { binder, value, .. } => *binder == b && matches!(body.expr(*value), Expr::Lambda { .. }),
        _ => false,
    })
}

/// The functions given by name or partial application that are applied to values of known types: `f` of `(f xs)`, of
/// `(map (f xs) yss)`, where its second argument is an element of `yss`, and of `(o f g)`.
fn calls(body: &Body, inference: &Inference) -> Vec<(ExprId, Vec<Arg>)> {
    let mut out = Vec::new();
    for e in &body.exprs {
        match e {
            Expr::Apply { callee, args } => {
                out.push((*callee, args.iter().map(|arg| argument(*arg, body, inference)).collect()));
                let elements: Vec<Ty> = args.iter().filter_map(|arg| element_of(inference.opened_type(*arg))).collect();
                if !elements.is_empty() {
                    out.extend(args.iter().filter_map(|arg| partial(body, inference, *arg, &elements)));
                }
            }
            Expr::Compose(parts) => {
                for pair in parts.windows(2) {
                    let result = match inference.expr_types[pair[1]].kind() {
                        TyKind::Fun(_, result) => result.clone(),
                        _ => inference.opened_type(pair[1]).clone(),
                    };
                    let opened = match result.kind() {
                        TyKind::Exists(_, body) => body.clone(),
                        _ => result,
                    };
                    out.extend(partial(body, inference, pair[0], &[opened]));
                }
            }
            _ => {}
        }
    }
    out
}

/// The type of an element that a function is given, opened.
fn element_of(ty: &Ty) -> Option<Ty> {
    let element = &ty.as_array()?.element;
    Some(match element.kind() {
        TyKind::Exists(_, body) => body.clone(),
        _ => element.clone(),
    })
}

/// The definition in a function given by name or as a partial application, and its arguments.
fn partial(body: &Body, inference: &Inference, function: ExprId, rest: &[Ty]) -> Option<(ExprId, Vec<Arg>)> {
    let rest = rest.iter().cloned().map(Arg::value);
    match body.expr(function) {
        Expr::Global(_) | Expr::Local(_) => Some((function, rest.collect())),
        Expr::Apply { callee, args } => {
            let first = args.iter().map(|arg| argument(*arg, body, inference));
            Some((*callee, first.chain(rest).collect()))
        }
        _ => None,
    }
}

/// The argument that an expression is.
fn argument(e: ExprId, body: &Body, inference: &Inference) -> Arg {
    let is_size = match body.expr(e) {
        Expr::Size(_) => true,
        Expr::Literal(l) => l.scalar() == Scalar::Int && l.integer().is_some_and(|n| n >= 0),
        Expr::Local(b) => {
            let role = body.binder(*b).role;
            matches!(role, BinderRole::SizeParam | BinderRole::ImplicitSize | BinderRole::UnpackSize)
        }
        _ => false,
    };
    Arg { ty: inference.opened_type(e).clone(), is_size }
}
