//! Values during the construction of a kernel.

use super::Scope;
use crate::core::{Atom, VarId};
use lift_analysis::hir::{BinderId, ExprId, Name};
use lift_analysis::origin::Origin;
use lift_analysis::parameters::Settings;
use lift_analysis::prims::Primitive;
use lift_analysis::size::{Size, Var};
use std::rc::Rc;
use std::sync::Arc;

#[derive(Clone)]
pub enum Staged<'db> {
    /// A value known only at run time, or a literal.
    Atom(Atom),
    /// A size, usable as an Int too.
    Size(Size),
    /// A tuple that contains a function.
    Tuple(Rc<[Staged<'db>]>),
    Fun(Rc<Fun<'db>>),
}

pub enum Fun<'db> {
    Closure {
        params: Vec<BinderId>,
        body: ExprId,
        scope: Rc<Scope<'db>>,
        origin: Origin,
    },
    /// A primitive, its arity (sizes included) and its use.
    Primitive(&'static Primitive, usize, Use<'db>),
    /// `(partition #n f)`; inference records the segment lengths of `call`.
    Partition {
        call: ExprId,
        scope: Rc<Scope<'db>>,
    },
    /// A function applied to fewer arguments than its arity.
    Partial(Staged<'db>, Vec<Staged<'db>>),
    /// A function at an expression whose inputs or result inference casts.
    Cast {
        at: ExprId,
        arity: usize,
        function: Staged<'db>,
        scope: Rc<Scope<'db>>,
    },
    /// A partial application in a `with`.
    With(Arc<Settings>, Staged<'db>),
    /// `(o f g h)`, or a function that opens its arguments. The parts are evaluated on application, because only then the
    /// lengths that it opens are known.
    Compose {
        id: ExprId,
        parts: Vec<ExprId>,
        arity: usize,
        scope: Rc<Scope<'db>>,
    },
    /// `(iterate k f)`: `function` is evaluated once an iteration.
    Iterate {
        call: ExprId,
        count: Staged<'db>,
        function: ExprId,
        scope: Rc<Scope<'db>>,
    },
    /// An `if` between functions of this arity; the branches are evaluated on application.
    Choice {
        arity: usize,
        id: ExprId,
        condition: Atom,
        then: ExprId,
        otherwise: ExprId,
        scope: Rc<Scope<'db>>,
    },
}

/// A use of a primitive, with inference's index variables for its functions.
#[derive(Clone)]
pub struct Use<'db> {
    pub scope: Rc<Scope<'db>>,
    pub positions: Vec<Var>,
}

impl Use<'_> {
    pub fn has_positions(&self) -> bool {
        !self.positions.is_empty()
    }
    /// Sets the index variables of the use to `index` from now on.
    pub fn bind_position(&self, index: &Size) {
        for p in &self.positions {
            self.scope.set_position(p, index.clone());
        }
    }
}

impl From<Atom> for Staged<'_> {
    fn from(a: Atom) -> Self {
        Staged::Atom(a)
    }
}
impl From<VarId> for Staged<'_> {
    fn from(v: VarId) -> Self {
        Staged::Atom(Atom::Var(v))
    }
}

impl<'db> Staged<'db> {
    pub fn fun(f: Fun<'db>) -> Staged<'db> {
        Staged::Fun(Rc::new(f))
    }

    /// The name that the program gives parameter `i`; `None` for `_` and for functions without named parameters.
    pub fn param_name(&self, i: usize) -> Option<Name> {
        match self {
            Staged::Fun(f) => match &**f {
                Fun::Closure { params, scope, .. } => {
                    params.get(i).map(|b| scope.cx.body.binder(*b).name.clone()).filter(|n| &**n != "_")
                }
                Fun::Partial(f, args) => f.param_name(args.len() + i),
                Fun::With(_, f) | Fun::Cast { function: f, .. } => f.param_name(i),
                _ => None,
            },
            _ => None,
        }
    }

    /// Moves the function into another scope: that of one use of a generalised `let`.
    pub fn in_scope(&self, scope: &Rc<Scope<'db>>) -> Staged<'db> {
        let Staged::Fun(f) = self else { return self.clone() };
        let scope = scope.clone();
        Staged::fun(match &**f {
            Fun::Closure { params, body, origin, .. } => {
                Fun::Closure { params: params.clone(), body: *body, scope, origin: origin.clone() }
            }
            Fun::Compose { id, parts, arity, .. } => {
                Fun::Compose { id: *id, parts: parts.clone(), arity: *arity, scope }
            }
            _ => return self.clone(),
        })
    }

    pub fn own_scope(&self) -> Option<Rc<Scope<'db>>> {
        match self {
            Staged::Fun(f) => match &**f {
                Fun::Closure { scope, .. } | Fun::Compose { scope, .. } => Some(scope.clone()),
                _ => None,
            },
            _ => None,
        }
    }
}
