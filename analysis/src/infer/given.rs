//! Definitions and local functions that are given more than their own text tells: rows of hidden length, as
//! `(total (map (filter pos) rows))`, or a size where a number would do, as `(clusters #3 points)`.
//!
//! `(define (total rows) (sum (map sum rows)))` takes rows of one length: nothing in it says otherwise. With rows of which
//! each has its own length its body is inferred again, as if its parameter were declared: that opens each row.
//! `(define (clusters k xs) (map (part xs) (iota k)))` hides the length of its result, which `#3` tells. [`Given`] is
//! what the parameters are given; a use of a definition with it is recorded in [`Inference::given`].
//!
//! Such uses are found from the errors of an inference without them, so they never change the type of a program without
//! errors.

use super::context::Infer;
use super::result::Inference;
use super::{Env, Lookup};
use crate::hir::{BinderId, BinderRole, Body, Expr, ExprId, Name, Scalar};
use crate::size::{Size, Var, VarKind};
use crate::ty::{Ty, TyKind, bound};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The types given to the parameters of a function that would not take them: what hides lengths in them, with all else
/// quantified and numbered in order of appearance. `None`: as the body says.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Given(Arc<[Option<Ty>]>);

/// An argument of a function.
struct Arg {
    ty: Ty,
    /// Whether it may be a size: `#3`, `3`, `N`.
    is_size: bool,
}

impl Arg {
    fn value(ty: Ty) -> Arg {
        Arg { ty, is_size: false }
    }
    fn of(e: ExprId, body: &Body, inference: &Inference) -> Arg {
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
}

/// Limit on the nodes of types in a [`Given`], because types may double with each definition.
const MOST_NODES: u32 = 64;

impl Given {
    /// What the arguments of a function of type `function` hide and its parameters do not, and the sizes given where it takes
    /// a number and gives a hidden length; `None` if there is nothing.
    fn new(function: &Ty, args: &[Arg]) -> Option<Given> {
        let mut pattern = Pattern::default();
        let (params, result) = function.uncurry();
        let hides = result.any(&mut |t| matches!(t.kind(), TyKind::Exists(..)));
        let given: Vec<Option<Ty>> = (params.into_iter().zip(args))
            .map(|(param, arg)| match param.as_scalar() {
                Some(Scalar::Int) if arg.is_size && hides => Some(Some(Ty::new(TyKind::Size(pattern.size())))),
                _ if hides_more(param, &arg.ty) => pattern.of(&arg.ty).map(Some),
                _ => Some(None),
            })
            .collect::<Option<_>>()?;
        let some = given.iter().any(Option::is_some) && pattern.nodes <= MOST_NODES;
        some.then(|| Given(given.into()))
    }

    /// What one parameter of a function of type `function` is given.
    pub fn to_parameter(function: &Ty, index: usize, arg: &Ty) -> Option<Given> {
        let mut args: Vec<Arg> = function.uncurry().0.into_iter().cloned().map(Arg::value).collect();
        *args.get_mut(index)? = Arg::value(arg.clone());
        Given::new(function, &args)
    }

    /// Rows of hidden length for all parameters that are arrays of rows of one length.
    pub fn rows(function: &Ty) -> Option<Given> {
        let mut pattern = Pattern::default();
        let params = function.uncurry().0.into_iter();
        let given: Vec<Option<Ty>> = params
            .map(|param| {
                let rows = param.as_array().filter(|rows| rows.position.is_none())?;
                let row = rows.element.as_array().filter(|row| row.position.is_none())?;
                let length = bound(u32::MAX, "X");
                let row = Ty::array(row.element.clone(), Size::var(length.clone()));
                pattern.of(&Ty::array(Ty::exists(vec![length], row), rows.len.clone()))
            })
            .collect();
        given.iter().any(Option::is_some).then(|| Given(given.into()))
    }

    pub fn has_sizes(&self) -> bool {
        self.0.iter().flatten().any(|ty| matches!(ty.kind(), TyKind::Size(_)))
    }

    /// The types of the parameters in one inference.
    pub fn declared(&self, infer: &mut Infer<'_>) -> Vec<Option<Ty>> {
        let (mut types, mut sizes) = (FxHashMap::default(), FxHashMap::default());
        let given = self.0.iter().map(|ty| ty.as_ref().map(|ty| instance(ty, infer, &mut types, &mut sizes)));
        given.collect()
    }
}

/// A fresh instance of a pattern.
fn instance(ty: &Ty, infer: &mut Infer<'_>, types: &mut FxHashMap<u32, Ty>, sizes: &mut FxHashMap<Var, Size>) -> Ty {
    match ty.kind() {
        TyKind::Generic(n) => types.entry(*n).or_insert_with(|| infer.fresh()).clone(),
        TyKind::Tuple(parts) => Ty::tuple(parts.iter().map(|part| instance(part, infer, types, sizes)).collect()),
        TyKind::Exists(vars, body) => {
            let fresh: Vec<Var> = vars.iter().map(|v| infer.scopes.bind_length(&v.name)).collect();
            sizes.extend(vars.iter().cloned().zip(fresh.iter().cloned().map(Size::var)));
            Ty::exists(fresh, instance(body, infer, types, sizes))
        }
        TyKind::Array(a) => {
            let element = instance(&a.element, infer, types, sizes);
            Ty::array(element, length(&a.len, infer, sizes))
        }
        TyKind::Size(size) => Ty::new(TyKind::Size(length(size, infer, sizes))),
        _ => ty.clone(),
    }
}

fn length(len: &Size, infer: &mut Infer<'_>, sizes: &mut FxHashMap<Var, Size>) -> Size {
    len.subst(&mut |v| Some(sizes.entry(v.clone()).or_insert_with(|| infer.fresh_size()).clone()))
}

/// Whether a length that is known in the elements of the parameter is hidden in those of the argument.
fn hides_more(param: &Ty, arg: &Ty) -> bool {
    match (param.kind(), arg.kind()) {
        (TyKind::Array(p), TyKind::Array(a)) => match (p.element.kind(), a.element.kind()) {
            (TyKind::Array(_) | TyKind::Tuple(_), TyKind::Exists(..)) => true,
            _ => hides_more(&p.element, &a.element),
        },
        (TyKind::Tuple(ps), TyKind::Tuple(parts)) => ps.iter().zip(parts).any(|(p, a)| hides_more(p, a)),
        _ => false,
    }
}

/// The pattern under construction.
#[derive(Default)]
struct Pattern {
    types: u32,
    sizes: u32,
    lengths: Vec<(Var, Var)>,
    nodes: u32,
}

impl Pattern {
    /// The pattern of a type; `None` if it has none.
    fn of(&mut self, ty: &Ty) -> Option<Ty> {
        self.nodes += 1;
        let hides = ty.any(&mut |t| matches!(t.kind(), TyKind::Exists(..)));
        Some(match ty.kind() {
            TyKind::Exists(vars, body) => {
                for v in vars {
                    let number = self.lengths.len() as u32;
                    self.lengths.push((v.clone(), bound(number, "X")));
                }
                let own = self.lengths[self.lengths.len() - vars.len()..].iter().map(|(_, own)| own.clone());
                let own = own.collect();
                Ty::exists(own, self.of(body)?)
            }
            TyKind::Array(a) if hides || self.mentions_hidden(ty) => match a.position {
                Some(_) => return None,
                None => {
                    let len = self.len(&a.len);
                    Ty::array(self.of(&a.element)?, len)
                }
            },
            TyKind::Tuple(parts) if hides || self.mentions_hidden(ty) => {
                Ty::tuple(parts.iter().map(|part| self.of(part)).collect::<Option<_>>()?)
            }
            _ => {
                self.types += 1;
                Ty::new(TyKind::Generic(self.types - 1))
            }
        })
    }

    fn len(&mut self, len: &Size) -> Size {
        if len.any_var(&mut |v| self.own(v).is_some()) && !len.any_var(&mut |v| self.own(v).is_none()) {
            return len.subst(&mut |v| self.own(v).map(Size::var));
        }
        self.size()
    }

    /// A size that is not hidden.
    fn size(&mut self) -> Size {
        self.sizes += 1;
        Size::var(Var { kind: VarKind::Generic, id: self.sizes - 1, name: "n".into() })
    }

    fn own(&self, hidden: &Var) -> Option<Var> {
        self.lengths.iter().find(|(of, _)| of == hidden).map(|(_, own)| own.clone())
    }

    fn mentions_hidden(&self, ty: &Ty) -> bool {
        ty.any_size_var(&mut |v| self.own(v).is_some())
    }
}

/// What functions are given in one inference.
#[derive(Debug, Clone, Default)]
pub struct Uses {
    /// Uses of definitions.
    pub definitions: FxHashMap<ExprId, Given>,
    /// Functions bound by `let`, which are given the same at all their uses.
    pub locals: FxHashMap<BinderId, Given>,
}

impl Uses {
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
                out.push((*callee, args.iter().map(|arg| Arg::of(*arg, body, inference)).collect()));
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
            let first = args.iter().map(|arg| Arg::of(*arg, body, inference));
            Some((*callee, first.chain(rest).collect()))
        }
        _ => None,
    }
}
