//! Uses of functions that are specialised to their arguments ([`super::given`]).
//!
//! They are found from the errors of an inference without them, so they never change the type of a program without errors.

use super::given::{Arg, Functions, Given};
use super::result::Inference;
use super::{Env, Lookup};
use crate::hir::{BinderId, BinderRole, Body, Expr, ExprId, Name, Scalar};
use crate::ty::{Ty, TyKind};
use rustc_hash::FxHashMap;

impl Functions {
    /// Adds the uses of definitions that may remove errors of `inference`; returns whether there are any.
    pub fn extend_definitions(&mut self, body: &Body, env: &dyn Env, uses: &[(ExprId, Vec<Arg>)]) -> bool {
        let mut more = false;
        for (function, args) in uses {
            let Expr::Global(name) = body.expr(*function) else { continue };
            let Some(given) = given_to_definition(env, name, args) else { continue };
            more |= self.definitions.insert(*function, given.clone()) != Some(given);
        }
        more
    }

    /// Adds the functions bound by `let` that may be the cause of errors of `inference`; returns whether there are any.
    pub fn extend_locals(&mut self, body: &Body, inference: &Inference, uses: &[(ExprId, Vec<Arg>)]) -> bool {
        let mut more = false;
        for (function, args) in uses {
            let args: Vec<Arg> = args.iter().map(|arg| Arg::value(arg.ty.clone())).collect();
            let Expr::Local(b) = body.expr(*function) else { continue };
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

/// The types of the arguments in a call of a definition; `None` unless its body has a type for them.
fn given_to_definition(env: &dyn Env, name: &Name, args: &[Arg]) -> Option<Given> {
    let Lookup::Definition(scheme) = env.lookup(name) else { return None };
    let given = Given::new(&scheme.ty, args)?;
    env.given(name, &given).map(|_| given)
}

fn is_local_function(body: &Body, b: BinderId) -> bool {
    body.exprs.iter().any(|e| match e {
        Expr::Let { binder, value, .. } => {
            *binder == b && matches!(body.expr(*value), Expr::Lambda { .. } | Expr::Compose(_))
        }
        _ => false,
    })
}

/// The functions of a body that are applied to values of known types, and these: `f` of `(f xs)`, of `(map (f xs) yss)`,
/// where its second argument is an element of `yss`, and of `(o g f)`. What a composition, a partial application or a name
/// of one is applied to is what its parts are applied to. `given`: what the body itself is applied to.
pub fn applied(body: &Body, inference: &Inference, given: Option<&Given>) -> Vec<(ExprId, Vec<Arg>)> {
    let values = body.exprs.iter().filter_map(|e| match e {
        Expr::Let { binder, value, .. } => Some((*binder, *value)),
        _ => None,
    });
    let mut all = Applied { body, inference, values: values.collect(), out: Vec::new() };
    if let (Some(root), Some(given)) = (body.root, given) {
        let params = inference.expr_types[root].uncurry().0;
        let unknown = Ty::error();
        let known = given.params().iter().enumerate();
        let known = known.map(|(i, ty)| ty.as_ref().or(params.get(i).copied()).unwrap_or(&unknown));
        all.add(root, known.cloned().map(Arg::value).collect());
    }
    for e in &body.exprs {
        match e {
            Expr::Apply { callee, args } => {
                all.add(*callee, args.iter().map(|arg| argument(*arg, body, inference)).collect());
                let elements: Vec<Ty> = args.iter().filter_map(|arg| element_of(inference.opened_type(*arg))).collect();
                if !elements.is_empty() {
                    args.iter().for_each(|arg| all.add(*arg, elements.iter().cloned().map(Arg::value).collect()));
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
                    all.add(pair[0], vec![Arg::value(opened)]);
                }
            }
            _ => {}
        }
    }
    all.out
}

/// The type of an element that a function is given, opened.
fn element_of(ty: &Ty) -> Option<Ty> {
    let element = &ty.as_array()?.element;
    Some(match element.kind() {
        TyKind::Exists(_, body) => body.clone(),
        _ => element.clone(),
    })
}

struct Applied<'a> {
    body: &'a Body,
    inference: &'a Inference,
    /// The value that `let` binds to each name.
    values: FxHashMap<BinderId, ExprId>,
    out: Vec<(ExprId, Vec<Arg>)>,
}

impl Applied<'_> {
    fn add(&mut self, function: ExprId, args: Vec<Arg>) {
        match self.body.expr(function) {
            Expr::Compose(parts) => {
                if let (Some(last), Some(arg)) = (parts.last(), args.into_iter().next()) {
                    self.add(*last, vec![arg]);
                }
            }
            Expr::Apply { callee, args: first } => {
                let first = first.iter().map(|arg| argument(*arg, self.body, self.inference));
                let all = first.chain(args.iter().cloned()).collect();
                self.out.push((function, args));
                self.add(*callee, all);
            }
            Expr::Local(b) => {
                if let Some(value) = self.values.get(b).copied() {
                    self.add(value, args.clone());
                }
                self.out.push((function, args));
            }
            Expr::Global(_) => self.out.push((function, args)),
            _ => {}
        }
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
