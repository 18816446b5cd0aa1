//! What an expression is while a kernel is built.

use super::super::{Atom, VarId};
use super::scope::Scope;
use lift_analysis::hir::{BinderId, ExprId, Name};
use lift_analysis::origin::Origin;
use lift_analysis::prims::Primitive;
use lift_analysis::size::{Size, Var};
use std::rc::Rc;

#[derive(Clone)]
pub enum Staged<'db> {
    /// Known in a run only (or a literal).
    Atom(Atom),
    /// A size, which may be used as an Int too.
    Size(Size),
    /// A tuple with a function in it.
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
    /// Takes so many arguments, sizes among them.
    Primitive(&'static Primitive, usize, Use<'db>),
    /// `(partition #n f)`: the call, which says how long the pieces are.
    Partition {
        call: ExprId,
        scope: Rc<Scope<'db>>,
    },
    /// Applied to fewer arguments than it takes.
    Partial(Staged<'db>, Vec<Staged<'db>>),
    /// `(o f g h)`. The parts are evaluated when it is applied: only then the lengths that it opens are known.
    Compose {
        id: ExprId,
        parts: Vec<ExprId>,
        scope: Rc<Scope<'db>>,
    },
    /// `(iterate #k f)`: the call, of which the function is evaluated once a round.
    Iterate {
        call: ExprId,
        function: ExprId,
        scope: Rc<Scope<'db>>,
    },
    /// An `if` between functions of so many arguments: the branches are evaluated when it is applied.
    Choice {
        arity: usize,
        id: ExprId,
        condition: Atom,
        then: ExprId,
        otherwise: ExprId,
        scope: Rc<Scope<'db>>,
    },
}

/// Where a primitive is used: what inference calls the positions at which its functions are applied.
#[derive(Clone)]
pub struct Use<'db> {
    pub scope: Rc<Scope<'db>>,
    pub positions: Vec<Var>,
}

impl Use<'_> {
    pub fn has_positions(&self) -> bool {
        !self.positions.is_empty()
    }
    /// From now on the position of the function is this size.
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

    /// The name that the program gives the `i`-th argument, if it gives one.
    pub fn param_name(&self, i: usize) -> Option<Name> {
        match self {
            Staged::Fun(f) => match &**f {
                Fun::Closure { params, scope, .. } => {
                    params.get(i).map(|b| scope.cx.body.binder(*b).name.clone()).filter(|n| &**n != "_")
                }
                Fun::Partial(f, args) => f.param_name(args.len() + i),
                _ => None,
            },
            _ => None,
        }
    }

    /// The same function where the lengths of a generalised `let` are those of one use.
    pub fn in_scope(&self, scope: &Rc<Scope<'db>>) -> Staged<'db> {
        let Staged::Fun(f) = self else { return self.clone() };
        let scope = scope.clone();
        Staged::fun(match &**f {
            Fun::Closure { params, body, origin, .. } => {
                Fun::Closure { params: params.clone(), body: *body, scope, origin: origin.clone() }
            }
            Fun::Compose { id, parts, .. } => Fun::Compose { id: *id, parts: parts.clone(), scope },
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
