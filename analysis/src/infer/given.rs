//! Specialises definitions and local functions to arguments whose types say more than their parameters: rows of hidden
//! length, as `(total (map (filter pos) rows))`, or a size where a number would do, as `(clusters #3 points)`.
//!
//! `(define (total rows) (sum (map sum rows)))` takes rows of one length: nothing in it says otherwise. With rows of which
//! each has its own length its body is inferred again, as if its parameter were declared: that opens each row.
//! `(define (clusters k xs) (map (part xs) (iota k)))` hides the length of its result, which `#3` tells. [`Given`] is
//! what the parameters are given; a use of a definition with it is recorded in the inference.

use crate::hir::{BinderId, ExprId, Scalar};
use crate::size::{Size, Var, VarKind};
use crate::ty::{Ty, TyKind, bound};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The types given to the parameters of a function that would not take them: what hides lengths in them, with all else
/// quantified and numbered in order of appearance. `None`: as the body says.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Given(Arc<[Option<Ty>]>);

/// An argument of a function.
#[derive(Debug, Clone)]
pub struct Arg {
    pub ty: Ty,
    /// Whether it may be a size: `#3`, `3`, `N`.
    pub is_size: bool,
}

impl Arg {
    pub fn value(ty: Ty) -> Arg {
        Arg { ty, is_size: false }
    }
}

/// Limit on the nodes of types in a [`Given`], because types may double with each definition.
const MOST_NODES: u32 = 64;

impl Given {
    /// What the arguments of a function of type `function` hide and its parameters do not, and the sizes given where it takes
    /// a number and gives a hidden length; `None` if there is nothing.
    pub fn new(function: &Ty, args: &[Arg]) -> Option<Given> {
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

    /// The argument for one parameter of a function of type `function`.
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

    /// The type of each argument.
    pub fn params(&self) -> &[Option<Ty>] {
        &self.0
    }
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

/// The functions of a form that are taken in another way than their types say.
#[derive(Debug, Clone, Default)]
pub struct Functions {
    /// Functions that open their arguments, with the number of their parameters.
    pub openers: FxHashMap<ExprId, usize>,
    /// Uses of definitions that are specialised to their arguments.
    pub definitions: FxHashMap<ExprId, Given>,
    /// Functions bound by `let`, which are given the same at all their uses.
    pub locals: FxHashMap<BinderId, Given>,
}
