//! Applying functions, and turning them into arguments of primitives.

use super::super::{Atom, Block, Lambda, Prim, VarId};
use super::eval::Branches;
use super::scope::Scope;
use super::scope::staged::{Fun, Staged};
use super::{Build, BuildError, Result};
use lift_analysis::hir::ExprId;
use lift_analysis::infer::{CastOf, Site};
use lift_analysis::origin::Origin;
use lift_analysis::size::{Size, Var};
use lift_analysis::ty::Ty;
use std::rc::Rc;

impl<'db> Build<'db> {
    /// Applies a function to any number of arguments; to fewer than its arity gives a partial application.
    pub fn apply(&mut self, function: Staged<'db>, mut args: Vec<Staged<'db>>, at: &Origin) -> Result<Staged<'db>> {
        if args.is_empty() {
            return Ok(function);
        }
        let Staged::Fun(f) = &function else {
            return Err(self.internal(at, "something that is not a function is applied".into()));
        };
        if let Fun::Partial(inner, first) = &**f {
            let all = first.iter().cloned().chain(args).collect();
            return self.apply(inner.clone(), all, at);
        }
        if let Fun::With(settings, inner) = &**f {
            let at = Origin { settings: Some(settings.clone()), ..at.clone() };
            return self.apply(inner.clone(), args, &at);
        }
        let arity = Self::arity(&function);
        if args.len() < arity {
            return Ok(Staged::fun(Fun::Partial(function, args)));
        }
        let rest = args.split_off(arity);
        let value = match &**f {
            Fun::Closure { params, body, scope, .. } => {
                let inner = scope.inside(None);
                for (param, arg) in params.iter().zip(args) {
                    self.bind(&inner, *param, arg, *body)?;
                }
                self.eval(&inner, *body)?
            }
            Fun::Primitive(p, _, used) => self.primitive(p, used, args, at)?,
            Fun::Partition { call, scope } => {
                let Some(array) = args.pop() else { return Ok(function) };
                let array = self.reify(array, at)?;
                self.partition(scope, *call, array)?
            }
            Fun::Compose { id, parts, scope, .. } => {
                let inner = scope.inside(None);
                let mut opened = Vec::with_capacity(args.len());
                for (index, arg) in args.into_iter().enumerate() {
                    opened.push(match arg {
                        Staged::Fun(_) => arg,
                        _ => self.open_at(&inner, Site::argument(*id, index), *id, arg)?,
                    });
                }
                let value = self.pipe(&inner, parts, opened)?;
                // The openings at the composition itself were those of its arguments.
                self.pack_result(&inner, *id, value)?
            }
            Fun::Iterate { call, count, function, scope } => {
                let Some(value) = args.pop() else { return Ok(Staged::Fun(f.clone())) };
                let value = self.reify(value, at)?;
                self.iterate(scope, *call, count, *function, value)?
            }
            Fun::Choice { condition, then, otherwise, scope, .. } => {
                let (then, otherwise) = (*then, *otherwise);
                let chosen = self.branches(condition.clone(), at, &mut |this, first| {
                    let branch = this.taken(scope, if first { then } else { otherwise })?;
                    this.apply(branch, args.clone(), at)
                })?;
                match chosen {
                    Branches::Value(value) => value,
                    Branches::Functions(_) => {
                        let message = "an `if` between functions that yield functions is not supported".into();
                        return Err(BuildError::new(message, Some(at.clone())));
                    }
                }
            }
            Fun::Cast { at: expr, function, scope, .. } => {
                let mut converted = Vec::with_capacity(args.len());
                for (index, arg) in args.into_iter().enumerate() {
                    converted.push(self.casts_at(scope, *expr, CastOf::Input(index), arg)?);
                }
                let value = self.apply(function.clone(), converted, at)?;
                self.casts_at(scope, *expr, CastOf::Output, value)?
            }
            Fun::Partial(..) | Fun::With(..) => {
                return Err(self.internal(at, "a partial application of a partial one".into()));
            }
        };
        self.apply(value, rest, at)
    }

    /// The number of arguments before something is computed; 0 if it is not a function.
    pub fn arity(function: &Staged<'db>) -> usize {
        let Staged::Fun(f) = function else { return 0 };
        match &**f {
            Fun::Closure { params, .. } => params.len(),
            Fun::Primitive(_, arity, _) => *arity,
            Fun::Partial(inner, args) => Self::arity(inner).saturating_sub(args.len()),
            Fun::With(_, inner) => Self::arity(inner),
            Fun::Iterate { .. } | Fun::Partition { .. } => 1,
            Fun::Compose { arity, .. } | Fun::Cast { arity, .. } => *arity,
            Fun::Choice { arity, .. } => *arity,
        }
    }

    /// Applies the parts of a composition, last first, the last one to `args`. Every result but the last may be opened.
    pub fn pipe(
        &mut self,
        scope: &Rc<Scope<'db>>,
        parts: &[ExprId],
        mut args: Vec<Staged<'db>>,
    ) -> Result<Staged<'db>> {
        for (i, part) in parts.iter().enumerate().rev() {
            let function = self.eval_part(scope, *part)?;
            let origin = scope.origin(*part);
            let mut value = self.apply(function, args, &origin)?;
            if i > 0 && !matches!(value, Staged::Fun(_)) {
                value = self.open_at(scope, Site::Expr(*part), *part, value)?;
            }
            args = vec![value];
        }
        args.pop().ok_or_else(|| BuildError::new("an empty composition".into(), None))
    }

    /// A function as a [`Lambda`] with parameters of the given types.
    pub fn lambda(&mut self, function: &Staged<'db>, params: &[Ty], at: &Origin) -> Result<Lambda> {
        self.lambda_at(function, params, None, at)
    }

    /// A function of an index that it may use as a size.
    pub fn lambda_of_position(&mut self, function: &Staged<'db>, position: Var, at: &Origin) -> Result<Lambda> {
        let index = self.emit.var(position.name.clone(), Ty::int());
        self.emit.open(at)?;
        let result = self.apply(function.clone(), vec![Staged::Size(Size::var(position.clone()))], at)?;
        let result = self.reify(result, at)?;
        let body = self.emit.close_block(result);
        Ok(Lambda { position: Some(position), params: vec![index], body, origin: at.clone() })
    }

    /// Applies `partition #n f` to an array.
    fn partition(&mut self, scope: &Rc<Scope<'db>>, call: ExprId, array: Atom) -> Result<Staged<'db>> {
        let origin = scope.origin(call);
        let cx = scope.cx.clone();
        let Some(pieces) = cx.inference.partitions.get(&call) else {
            return Err(self.internal(&origin, "nothing is known of a `partition`".into()));
        };
        let count = scope.size(&pieces.count, call)?;
        let position = self.emit.position(&pieces.position.name);
        scope.set_position(&pieces.position, Size::var(position.clone()));
        let each = scope.size(&pieces.each, call)?;
        let body = Block { stmts: Vec::new(), result: Atom::Size(each) };
        let rule = Lambda { position: Some(position), params: Vec::new(), body, origin: origin.clone() };
        self.call(Prim::Partition, vec![count], vec![rule], vec![array], &origin)
    }

    /// A function that is applied at each index `position`.
    pub fn lambda_at(
        &mut self,
        function: &Staged<'db>,
        params: &[Ty],
        position: Option<Var>,
        at: &Origin,
    ) -> Result<Lambda> {
        let origin = match function {
            Staged::Fun(f) => match &**f {
                Fun::Closure { origin, .. } => origin.clone(),
                Fun::Compose { id, scope, .. } | Fun::Choice { id, scope, .. } => scope.origin(*id),
                _ => at.clone(),
            },
            _ => at.clone(),
        };
        let names: Vec<_> = (0..params.len()).map(|i| function.param_name(i)).collect();
        let mut vars: Vec<VarId> = Vec::new();
        for (ty, name) in params.iter().zip(names) {
            vars.push(self.emit.var(name.unwrap_or_else(|| "x".into()), ty.clone()));
        }
        self.emit.open(&origin)?;
        let args = vars.iter().map(|v| Staged::from(*v)).collect();
        let result = self.apply(function.clone(), args, &origin)?;
        let result = self.reify(result, &origin)?;
        let body = self.emit.close_block(result);
        Ok(Lambda { position, params: vars, body, origin })
    }

    /// Applies the `pack` at the end of a composition.
    fn pack_result(&mut self, scope: &Rc<Scope<'db>>, id: ExprId, value: Staged<'db>) -> Result<Staged<'db>> {
        if matches!(value, Staged::Fun(_)) {
            return Ok(value);
        }
        let cx = scope.cx.clone();
        let mut value = value;
        for packing in cx.inference.packings.iter().filter(|p| p.expr == id) {
            value = self.pack(scope, packing, value)?;
        }
        Ok(value)
    }
}
