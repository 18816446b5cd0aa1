//! Symbolic evaluation of expressions.

use super::super::{Atom, Block, Prim, Rhs, ScalarOp};
use super::scope::staged::{Fun, Staged, Use};
use super::scope::{Binding, Quantified, Scope};
use super::state::Changing;
use super::{Build, BuildError, Result};
use lift_analysis::db::Sym;
use lift_analysis::hir::{BinderId, BinderRole, Expr, ExprId, Literal, Name};
use lift_analysis::infer::elaborate::is_inserted_name;
use lift_analysis::infer::{CastOf, Site};
use lift_analysis::names::{Resolution, resolve};
use lift_analysis::origin::Origin;
use lift_analysis::prims::PrimitiveId;
use lift_analysis::ty::{Ty, TyKind};
use std::rc::Rc;

/// Limit on nested expressions, including those in inlined definitions.
const MAX_DEPTH: u32 = 20_000;
/// Limit on evaluated expressions, including those in inlined definitions: fifty for each permitted statement. It is a
/// separate limit because evaluation need not emit statements: `(id (id x))` emits none.
const MOST_EVALUATED: usize = 1_000_000;
/// The stack grows when less than this is left, in bytes.
const RED_ZONE: usize = 256 << 10;
const STACK_PIECE: usize = 4 << 20;

impl<'db> Build<'db> {
    /// Evaluates an expression and applies the conversions that its context requires.
    pub fn eval(&mut self, scope: &Rc<Scope<'db>>, id: ExprId) -> Result<Staged<'db>> {
        if let Some(&arity) = scope.cx.inference.openers.get(&id) {
            return Ok(Staged::fun(Fun::Compose { id, parts: vec![id], arity, scope: scope.clone() }));
        }
        self.eval_part(scope, id)
    }

    /// As [`Build::eval`], of a function that does not open its argument itself.
    pub fn eval_part(&mut self, scope: &Rc<Scope<'db>>, id: ExprId) -> Result<Staged<'db>> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let message = "with all definitions inlined, this is nested too deeply to be compiled".into();
            return Err(BuildError::new(message, Some(scope.origin(id))));
        }
        self.spend(1, scope, id)?;
        let value = stacker::maybe_grow(RED_ZONE, STACK_PIECE, || {
            let value = match self.eval_with(scope, id)? {
                // Inference treats it as a number, so its consumer must not see that it is a size, as in
                // `((lambda (v) (iota v)) #2)`.
                Staged::Size(size) if matches!(scope.cx.inference.expr_types[id].kind(), TyKind::Scalar(_)) => {
                    Atom::Size(size).into()
                }
                value => value,
            };
            self.elaborate(scope, id, value)
        });
        self.depth -= 1;
        value
    }

    /// Charges `steps` evaluated expressions to the limit; an error at `at` if it is exhausted.
    pub fn spend(&mut self, steps: usize, scope: &Scope<'db>, at: ExprId) -> Result<()> {
        self.evaluated += steps;
        if self.evaluated <= MOST_EVALUATED {
            return Ok(());
        }
        let message = "with all definitions inlined, this kernel is too large to compile".into();
        Err(BuildError { too_large: true, ..BuildError::new(message, Some(scope.origin(at))) })
    }

    /// Evaluates an expression in the `with`s around it.
    fn eval_with(&mut self, scope: &Rc<Scope<'db>>, id: ExprId) -> Result<Staged<'db>> {
        let Some(settings) = scope.cx.body.settings_of(id) else { return self.eval_kind(scope, id) };
        let scope = scope.with(&settings);
        let value = self.eval_kind(&scope, id)?;
        // Other functions have the scope in which they are evaluated.
        match (&value, scope.settings()) {
            (Staged::Fun(f), Some(settings)) if matches!(**f, Fun::Partial(..)) => {
                Ok(Staged::fun(Fun::With(settings.clone(), value)))
            }
            _ => Ok(value),
        }
    }

    fn eval_kind(&mut self, scope: &Rc<Scope<'db>>, id: ExprId) -> Result<Staged<'db>> {
        let cx = scope.cx.clone();
        if let TyKind::Size(size) = cx.inference.expr_types[id].kind() {
            return Ok(Staged::Size(scope.size(size, id)?));
        }
        let origin = scope.origin(id);
        match cx.body.expr(id) {
            Expr::Missing => Err(BuildError::new("something is missing here".into(), Some(origin))),
            Expr::Local(b) => self.local(scope, id, *b),
            Expr::Global(name) => self.global(scope, id, name, id),
            Expr::Literal(l) => Ok(Atom::Lit(*l).into()),
            Expr::Size(s) => Ok(Staged::Size(scope.written_size(*s, id, &|v| self.length_of(v))?)),
            // `(lambda () e)` is `e`.
            Expr::Lambda { params, body } if params.is_empty() => self.eval(&scope.inside(None), *body),
            Expr::Lambda { params, body } => {
                let scope = scope.clone();
                Ok(Staged::fun(Fun::Closure { params: params.clone(), body: *body, scope, origin }))
            }
            Expr::Apply { callee, args } => self.application(scope, id, *callee, args),
            Expr::Let { binder, value, body } => {
                let value = self.eval(scope, *value)?;
                self.bind(scope, *binder, value, id)?;
                self.eval(scope, *body)
            }
            Expr::If { condition, then, otherwise } => {
                let condition = self.eval(scope, *condition)?;
                let condition = self.reify(condition, &origin)?;
                self.conditional(scope, id, condition, *then, *otherwise)
            }
            Expr::Tuple(parts) => {
                let parts = parts.iter().map(|p| self.eval(scope, *p)).collect::<Result<Vec<_>>>()?;
                self.tuple(parts, &origin)
            }
            Expr::Component { of, index, .. } => {
                let Some(binding) = scope.binding(*of) else {
                    return Err(self.internal(&origin, "a pattern of no value".into()));
                };
                self.component(binding.opened.unwrap_or(binding.value), *index, &origin)
            }
            Expr::Ascribe { value, .. } => {
                let value = self.eval(scope, *value)?;
                match cx.inference.casts.iter().find(|c| c.expr == id && c.of == CastOf::Written) {
                    Some(cast) => self.cast(scope, cast, value),
                    None => Ok(value),
                }
            }
            Expr::Pack(inner) => self.eval(scope, *inner),
            Expr::Unpack { binder, value, body, .. } => {
                let value = self.eval(scope, *value)?;
                let inner = scope.inside(None);
                self.bind(&inner, *binder, value, id)?;
                self.eval(&inner, *body)
            }
            Expr::Compose(parts) => {
                if !cx.inference.pipelines.contains(&id) {
                    return Ok(Staged::fun(Fun::Compose { id, parts: parts.clone(), arity: 1, scope: scope.clone() }));
                }
                let Some((last, before)) = parts.split_last() else {
                    return Err(self.internal(&origin, "an empty composition".into()));
                };
                let value = self.eval(scope, *last)?;
                self.pipe(scope, before, vec![value])
            }
        }
    }

    /// Binds a name, names its value, and opens the value if inference opens it there.
    pub fn bind(&mut self, scope: &Rc<Scope<'db>>, binder: BinderId, value: Staged<'db>, at: ExprId) -> Result<()> {
        let cx = scope.cx.clone();
        let mut name = cx.body.binder(binder).name.clone();
        // Explicit code and the checker's insertions give the same kernel.
        if is_inserted_name(&name) {
            name = "_".into();
        }
        let name = &name;
        if let Staged::Atom(Atom::Var(v)) = &value {
            self.emit.name(*v, name);
        }
        let mut opened = None;
        if !matches!(value, Staged::Fun(_)) && cx.inference.opening_at(Site::Binder(binder)).is_some() {
            let value = self.open_at(scope, Site::Binder(binder), at, value.clone())?;
            if let Staged::Atom(Atom::Var(v)) = &value {
                self.emit.name(*v, name);
            }
            opened = Some(value);
        }
        scope.bind(binder, Binding { value, opened });
        Ok(())
    }

    fn local(&mut self, scope: &Rc<Scope<'db>>, id: ExprId, b: BinderId) -> Result<Staged<'db>> {
        let cx = scope.cx.clone();
        if !matches!(cx.body.binder(b).role, BinderRole::Param | BinderRole::Let | BinderRole::Unpack) {
            return Ok(Staged::Size(scope.size_name(b, id, &|v| self.length_of(v))?));
        }
        let Some(binding) = scope.binding(b) else {
            let origin = scope.origin(id);
            return Err(self.internal(&origin, format!("`{}` has no value", cx.body.binder(b).name)));
        };
        // Each use of a generalised `let` has its own lengths.
        if let (Some(let_scheme), Some(instance)) = (cx.inference.let_schemes.get(&b), cx.inference.instances.get(&id))
            && let Some(inner) = binding.value.own_scope()
        {
            let positions = instance.positions.iter().cloned().zip(let_scheme.scheme.positions()).collect();
            let (first, sizes) = (let_scheme.first_size, instance.sizes.clone());
            let quantified = Quantified { first, sizes, at: scope.clone(), positions };
            return Ok(binding.value.in_scope(&inner.inside(Some(quantified))));
        }
        // Inference gives a use the existential type where it needs the hidden value itself.
        let hidden = matches!(cx.inference.expr_types[id].kind(), TyKind::Exists(..));
        Ok(match binding.opened {
            Some(opened) if !hidden => opened,
            _ => binding.value,
        })
    }

    /// Resolves a definition or a primitive. Expressions of a prelude definition get the origin of `call`.
    fn global(&mut self, scope: &Rc<Scope<'db>>, id: ExprId, name: &Name, call: ExprId) -> Result<Staged<'db>> {
        let db = self.db;
        let origin = scope.origin(id);
        match resolve(db, scope.cx.file, Sym::new(db, name.clone())) {
            Some(Resolution::Primitive(p)) => {
                let arity = p.scheme.ty.uncurry().0.len();
                let positions = scope.cx.inference.instances.get(&id).map(|i| i.positions.clone()).unwrap_or_default();
                Ok(Staged::fun(Fun::Primitive(p, arity, Use { scope: scope.clone(), positions })))
            }
            Some(Resolution::Form(form)) => {
                let cx = self.form(form, scope.cx.inference.given.get(&id)).map_err(|e| match e.origin {
                    Some(_) => e,
                    None => BuildError { origin: Some(origin.clone()), ..e },
                })?;
                let Some(root) = cx.body.root else {
                    let message = format!("`{name}` has no value");
                    return Err(BuildError::new(message, Some(origin)));
                };
                let instance = scope.cx.inference.instances.get(&id);
                let sizes = instance.map(|i| i.sizes.clone()).unwrap_or_default();
                let own = cx.inference.scheme_positions.clone();
                let positions = instance.into_iter().flat_map(|i| i.positions.iter().cloned()).zip(own).collect();
                let quantified = Quantified { first: 0, sizes, at: scope.clone(), positions };
                let inner = Scope::of_form(cx, Some(quantified), Some(scope.origin(call)), &self.scopes);
                // Inference already assumed again, at this use, what a definition assumes of its own lengths; the rest
                // is assumed here.
                self.assume_of_inlined(&inner)?;
                self.eval(&inner, root)
            }
            None => Err(BuildError::new(format!("there is no `{name}` here"), Some(origin))),
        }
    }

    fn application(
        &mut self,
        scope: &Rc<Scope<'db>>,
        id: ExprId,
        callee: ExprId,
        args: &[ExprId],
    ) -> Result<Staged<'db>> {
        let origin = scope.origin(id);
        let function = match scope.cx.clone().body.expr(callee) {
            Expr::Global(name) => self.global(scope, callee, name, id)?,
            _ => self.eval(scope, callee)?,
        };
        let primitive = match &function {
            Staged::Fun(f) => match **f {
                Fun::Primitive(p, arity, ref used) => Some((p, arity, used.clone())),
                _ => None,
            },
            _ => None,
        };
        match primitive {
            Some((p, ..)) if args.get(1).is_some_and(|right| scope.cx.inference.right_sides.contains(right)) => {
                return self.decided_by_the_left(scope, p.id == PrimitiveId::And, args, &origin);
            }
            Some((p, ..)) if p.id == PrimitiveId::Iterate => return self.iterate_call(scope, id, args),
            Some((p, ..)) if p.id == PrimitiveId::IterateWhile && scope.cx.inference.changes.contains_key(&id) => {
                return self.iterate_while_call(scope, id, args);
            }
            Some((p, ..)) if p.id == PrimitiveId::Partition => {
                let array = args.iter().skip(2).map(|a| self.eval(scope, *a)).collect::<Result<Vec<_>>>()?;
                return self.apply(Staged::fun(Fun::Partition { call: id, scope: scope.clone() }), array, &origin);
            }
            // `zip` takes any number of arrays.
            Some((p, arity, used)) if p.id == PrimitiveId::Zip && args.len() > arity => {
                let args = args.iter().map(|a| self.eval(scope, *a)).collect::<Result<Vec<_>>>()?;
                return self.apply(Staged::fun(Fun::Primitive(p, args.len(), used)), args, &origin);
            }
            _ => {}
        }
        let mut args = args.iter().map(|a| self.eval(scope, *a)).collect::<Result<Vec<_>>>()?;
        // An index into rows of different lengths: inference has read it as a size.
        if let (Some(index), Some(arg)) = (scope.cx.inference.indices.get(&id), args.get_mut(1)) {
            *arg = Staged::Size(scope.size(index, id)?);
        }
        self.apply(function, args, &origin)
    }

    /// Builds `(and a b)` as `(if a b false)` and `(or a b)` as `(if a true b)`. Computes both operands if b consists
    /// of scalar operations that cannot fail.
    fn decided_by_the_left(
        &mut self,
        scope: &Rc<Scope<'db>>,
        and: bool,
        args: &[ExprId],
        origin: &Origin,
    ) -> Result<Staged<'db>> {
        let left = self.eval(scope, args[0])?;
        let left = self.reify(left, origin)?;
        if let Atom::Lit(Literal::Bool(known)) = left
            && known != and
        {
            return Ok(left.into());
        }
        self.emit.open(origin)?;
        let right = self.taken(scope, args[1])?;
        let right = self.reify(right, origin)?;
        let right = self.emit.close_block(right);
        if right.stmts.iter().all(|s| is_of_numbers(&s.rhs)) {
            let right = self.emit.take_in(right);
            let op = if and { ScalarOp::And } else { ScalarOp::Or };
            return Ok(self.emit.stmt(Ty::bool(), Rhs::Scalar(op, vec![left, right]), origin)?.into());
        }
        let decided = Block { stmts: Vec::new(), result: Atom::Lit(Literal::Bool(!and)) };
        let (then, otherwise) = if and { (right, decided) } else { (decided, right) };
        Ok(self.emit.stmt(Ty::bool(), Rhs::If(left, then, otherwise), origin)?.into())
    }

    /// Builds `iterate`; its function is evaluated again for each length.
    fn iterate_call(&mut self, scope: &Rc<Scope<'db>>, id: ExprId, args: &[ExprId]) -> Result<Staged<'db>> {
        let origin = scope.origin(id);
        let [count, function, rest @ ..] = args else {
            let message = "`iterate` needs its number of rounds and its function".into();
            return Err(BuildError::new(message, Some(origin)));
        };
        let count = self.eval(scope, *count)?;
        let iterate = Fun::Iterate { call: id, count, function: *function, scope: scope.clone() };
        let rest = rest.iter().map(|a| self.eval(scope, *a)).collect::<Result<Vec<_>>>()?;
        self.apply(Staged::fun(iterate), rest, &origin)
    }

    /// Builds an `iterateWhile` whose state changes its lengths.
    fn iterate_while_call(&mut self, scope: &Rc<Scope<'db>>, id: ExprId, args: &[ExprId]) -> Result<Staged<'db>> {
        let origin = scope.origin(id);
        let cx = scope.cx.clone();
        let (&[test, function, x, ..], Some(change)) = (args, cx.inference.changes.get(&id)) else {
            return Err(self.internal(&origin, "nothing is known of the state of an `iterateWhile`".into()));
        };
        let x = self.eval(scope, x)?;
        let x = self.reify(x, &origin)?;
        self.changing_while(&Changing { scope, call: id, change }, [test, function], x)
    }

    /// Evaluates a branch under its assumptions.
    pub fn taken(&mut self, scope: &Rc<Scope<'db>>, branch: ExprId) -> Result<Staged<'db>> {
        let inside = scope.inside(None);
        self.assume_of_branch(&inside, branch)?;
        self.eval(&inside, branch)
    }

    fn conditional(
        &mut self,
        scope: &Rc<Scope<'db>>,
        id: ExprId,
        condition: Atom,
        then: ExprId,
        otherwise: ExprId,
    ) -> Result<Staged<'db>> {
        if let Atom::Lit(Literal::Bool(known)) = condition {
            return self.taken(scope, if known { then } else { otherwise });
        }
        let origin = scope.origin(id);
        let chosen = self.branches(condition.clone(), &origin, &mut |this, first| {
            this.taken(scope, if first { then } else { otherwise })
        })?;
        Ok(match chosen {
            Branches::Value(value) => value,
            Branches::Functions(arity) => {
                let scope = scope.clone();
                Staged::fun(Fun::Choice { arity, id, condition, then, otherwise, scope })
            }
        })
    }

    /// Builds an `if`; `branch(true)` builds the first branch. If the branches are functions, returns their arity
    /// instead.
    pub fn branches(
        &mut self,
        condition: Atom,
        origin: &Origin,
        branch: &mut dyn FnMut(&mut Self, bool) -> Result<Staged<'db>>,
    ) -> Result<Branches<'db>> {
        let assumptions = self.assumptions.len();
        self.emit.open(origin)?;
        let first = branch(self, true)?;
        if let Staged::Fun(_) = first {
            // Discard the branch: it was built only to see that it is a function.
            self.emit.close();
            for (assumption, _) in self.assumptions.drain(assumptions..) {
                self.assumed.remove(&assumption);
            }
            return Ok(Branches::Functions(Self::arity(&first)));
        }
        let first = self.reify(first, origin)?;
        let ty = self.atom_ty(&first);
        let then = self.emit.close_block(first);
        self.emit.open(origin)?;
        let second = branch(self, false)?;
        let second = self.reify(second, origin)?;
        let otherwise = self.emit.close_block(second);
        Ok(Branches::Value(self.emit.stmt(ty, Rhs::If(condition, then, otherwise), origin)?.into()))
    }

    pub fn tuple(&mut self, parts: Vec<Staged<'db>>, origin: &Origin) -> Result<Staged<'db>> {
        if parts.iter().any(|p| matches!(p, Staged::Fun(_) | Staged::Tuple(_))) {
            return Ok(Staged::Tuple(parts.into()));
        }
        let parts = parts.into_iter().map(|p| self.reify(p, origin)).collect::<Result<Vec<_>>>()?;
        let ty = Ty::tuple(parts.iter().map(|p| self.atom_ty(p)).collect());
        Ok(self.emit.stmt(ty, Rhs::Tuple(parts), origin)?.into())
    }

    /// The value as an operand of a statement.
    pub fn reify(&mut self, value: Staged<'db>, origin: &Origin) -> Result<Atom> {
        match value {
            Staged::Atom(a) => Ok(a),
            Staged::Size(s) => Ok(Atom::Size(s)),
            Staged::Tuple(parts) => {
                let parts = parts.iter().map(|p| self.reify(p.clone(), origin)).collect::<Result<Vec<_>>>()?;
                let ty = Ty::tuple(parts.iter().map(|p| self.atom_ty(p)).collect());
                self.emit.stmt(ty, Rhs::Tuple(parts), origin)
            }
            Staged::Fun(_) => {
                let message =
                    "this is a function where data is needed: arrays, and the results of kernels, hold data".into();
                Err(BuildError::new(message, Some(origin.clone())))
            }
        }
    }
}

/// Whether the operation is scalar (reads no array) and cannot fail.
fn is_of_numbers(rhs: &Rhs) -> bool {
    match rhs {
        Rhs::Atom(_) | Rhs::Tuple(_) | Rhs::Proj(..) => true,
        Rhs::Scalar(ScalarOp::Div | ScalarOp::Mod | ScalarOp::FloorMod, args) => {
            matches!(args.get(1), Some(Atom::Lit(by)) if by.integer().is_some_and(|n| n != 0))
        }
        Rhs::Scalar(..) => true,
        Rhs::Prim(call) => call.prim == Prim::Length,
        _ => false,
    }
}

/// The kind of value that the branches of an `if` have.
pub enum Branches<'db> {
    Value(Staged<'db>),
    /// Functions of this arity.
    Functions(usize),
}
