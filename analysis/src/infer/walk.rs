//! The walk over expressions, which assigns each a type and generates constraints.
//!
//! | module | job |
//! |---|---|
//! | `apply` | applications, and primitives with typing rules beyond schemes |
//! | `generalize` | generalisation of functions and instantiation of schemes |
//! | `given` | functions that are specialised to their arguments |
//! | `iterate` | `iterate #k f x` and `iterateWhile p f x` |
//! | `order` | arguments in the wrong order, as `(map xs f)`, or with one missing |
//! | `partition` | typing of position-dependent arrays |
//! | `types` | written types and sizes |
//! | `sizes` | numbers that are sizes |
//! | `rounds` | the iterations of an `iterate` |

pub mod apply;
pub mod generalize;
mod given;
pub mod iterate;
pub mod order;
pub mod partition;
pub mod rounds;
mod sizes;
pub mod types;

use super::Lookup;
use super::cause::Cause;
use super::constraint::{Branch, Constraint};
use super::context::Infer;
use super::result::*;
use super::scopes::ScopeId;
use super::table::Deps;
use crate::diagnostics::Problem;
use crate::hir::*;
use crate::size::Size;
use crate::ty::{ArrayTy, Ty, TyKind};

impl Infer<'_> {
    /// The type of the expression itself; its context uses [`Infer::operand`]. `expected` is only a hint.
    pub fn infer(&mut self, id: ExprId, expected: Option<&Ty>) -> Ty {
        if self.over_budget() {
            self.found.set_type(id, Ty::error());
            return Ty::error();
        }
        let around = self.scopes.read(Some(id));
        let ty = self.infer_kind(id, expected);
        self.scopes.read(around);
        if self.table.is_too_large(&ty) {
            self.give_up_on_type(Node::Expr(id));
            self.found.set_type(id, Ty::error());
            return Ty::error();
        }
        self.found.set_type(id, ty.clone());
        ty
    }

    /// The type under which an operand is used. An existential is opened here, except for a name, which was opened
    /// where it was bound.
    pub fn operand(&mut self, id: ExprId, expected: Option<&Ty>) -> Ty {
        if let Some(arguments) = self.found.so_far().openers.get(&id).copied() {
            return self.opener(id, arguments);
        }
        let ty = self.infer(id, expected);
        match self.program.expr(id) {
            Expr::Local(_) | Expr::Literal(_) | Expr::Size(_) | Expr::Lambda { .. } | Expr::Missing => ty,
            _ => self.open(ty, Site::Expr(id)),
        }
    }

    fn infer_kind(&mut self, id: ExprId, expected: Option<&Ty>) -> Ty {
        match self.program.expr(id).clone() {
            Expr::Missing => Ty::error(),
            Expr::Local(b) => self.local(id, b, expected),
            Expr::Global(name) => self.global(id, &name),
            Expr::Literal(l) => Ty::scalar(l.scalar()),
            Expr::Size(s) => {
                let size = self.written_size(s);
                match expected.map(|t| self.table.shallow(t)).as_ref().map(Ty::kind) {
                    Some(TyKind::Size(_)) => Ty::new(TyKind::Size(size)),
                    _ => Ty::int(),
                }
            }
            Expr::Lambda { params, body } => self.lambda(&params, body, expected, &[]),
            Expr::Apply { callee, args } => self.apply(id, callee, &args),
            Expr::Let { binder, value, body } => {
                self.let_value(binder, value);
                self.infer(body, expected)
            }
            Expr::If { condition, then, otherwise } => {
                let c = self.operand(condition, Some(&Ty::bool()));
                self.unify(&Ty::bool(), &c, &Cause::Condition(condition));
                let branches = [then, otherwise].map(|e| {
                    self.in_scope(e, false, |this, scope| {
                        let ty = this.infer(e, expected);
                        Branch { ty, scope, expr: e }
                    })
                });
                let to = self.fresh();
                self.defer(Constraint::Join { branches, to: to.clone(), at: id });
                self.solve();
                to
            }
            Expr::Tuple(parts) => {
                let parts = parts.iter().map(|&p| self.value_operand(p)).collect();
                Ty::tuple(parts)
            }
            Expr::Component { of, index, width } => self.component_of(id, of, index, width),
            Expr::Ascribe { value, ty } => self.ascription(id, value, ty),
            Expr::Pack(inner) => {
                let from = self.operand(inner, expected);
                let to = self.fresh();
                let scope = self.scopes.current();
                self.defer(Constraint::Pack { from, to: to.clone(), scope, expr: id, inner });
                self.solve();
                to
            }
            Expr::Unpack { sizes, binder, value, body } => self.unpack(&sizes, binder, value, body, expected),
            Expr::Compose(parts) => self.compose(id, &parts, expected),
        }
    }

    /// The type of an operand, with a size type converted to Int.
    fn value_operand(&mut self, id: ExprId) -> Ty {
        let ty = self.operand(id, None);
        self.size_as_int(ty)
    }
    pub fn size_as_int(&self, ty: Ty) -> Ty {
        match self.table.shallow(&ty).kind() {
            TyKind::Size(_) => Ty::int(),
            _ => ty,
        }
    }

    fn local(&mut self, id: ExprId, b: BinderId, expected: Option<&Ty>) -> Ty {
        match self.program.body().binder(b).role {
            BinderRole::SizeParam
            | BinderRole::ImplicitSize
            | BinderRole::UnpackSize
            | BinderRole::ExistsSize
            | BinderRole::Position => {
                let size = self.size_of_binder(b);
                return match expected.map(|t| self.table.shallow(t)).as_ref().map(Ty::kind) {
                    Some(TyKind::Size(_)) => Ty::new(TyKind::Size(size)),
                    _ => Ty::int(),
                };
            }
            _ => {}
        }
        if self.binders.is_number_and_size(b)
            && matches!(expected.map(|t| self.table.shallow(t)).as_ref().map(Ty::kind), Some(TyKind::Size(_)))
        {
            return Ty::new(TyKind::Size(self.size_of_binder(b)));
        }
        self.binders.use_opened(b);
        if let Some(scheme) = self.found.so_far().let_schemes.get(&b).cloned() {
            return self.instantiate_let(id, &scheme);
        }
        match self.binders.ty(b) {
            Some(ty) => ty.clone(),
            None => Ty::error(), // Lowering has reported a name used outside its scope.
        }
    }

    /// The type of a component of a tuple destructured by a pattern. The first component makes the value a tuple of
    /// `width` components.
    fn component_of(&mut self, id: ExprId, of: BinderId, index: usize, width: usize) -> Ty {
        self.binders.use_opened(of);
        let Some(tuple) = self.binders.ty(of).cloned() else { return Ty::error() };
        if !matches!(self.table.shallow(&tuple).kind(), TyKind::Tuple(parts) if parts.len() == width) {
            let parts: Vec<Ty> = (0..width).map(|_| self.fresh()).collect();
            let wanted = Ty::tuple(parts);
            // The conflict is reported once.
            let fits = self.unify(&wanted, &tuple, &Cause::Binder(id, of));
            self.binders.set_ty(of, if fits { wanted } else { Ty::error() });
        }
        match self.binders.ty(of).map(|ty| self.table.shallow(ty)).as_ref().map(Ty::kind) {
            Some(TyKind::Tuple(parts)) => parts[index].clone(),
            _ => Ty::error(),
        }
    }

    fn global(&mut self, id: ExprId, name: &Name) -> Ty {
        self.found.uses(name);
        match self.program.lookup(name) {
            Lookup::Definition(scheme) => {
                let given = self.found.so_far().given.get(&id).and_then(|given| self.program.given(name, given));
                let scheme = given.unwrap_or(*scheme);
                self.found.uses_type(&scheme.ty);
                self.instantiate(id, &scheme)
            }
            Lookup::Primitive(p) => self.primitive(id, p),
            Lookup::Recursive(cycle) => {
                let names = cycle.iter().chain(cycle.first()).cloned().collect();
                self.error(Node::Expr(id), &Problem::Recursion { names });
                Ty::error()
            }
            Lookup::Failed => Ty::error(),
            Lookup::Unknown { .. } if self.found.is_meant_as_parameter(id) => Ty::error(),
            Lookup::Unknown { similar } => {
                let d = self.results().unknown_name(id, name, similar, &|meant| self.ordered_for(id, meant));
                self.found.diagnostic(d);
                Ty::error()
            }
        }
    }

    /// Types a lambda. `declared` are the parameter types of a kernel, or what a function is given; otherwise the expected
    /// type is used.
    pub fn lambda(&mut self, params: &[BinderId], body: ExprId, expected: Option<&Ty>, declared: &[Option<Ty>]) -> Ty {
        if self.too_many_for_a_type(params.len()) {
            self.give_up_on_type(Node::Expr(body));
            return Ty::error();
        }
        let mut rest = expected.map(|t| self.table.shallow(t));
        let mut param_types = Vec::with_capacity(params.len());
        for (i, &p) in params.iter().enumerate() {
            let hint = match rest.as_ref().map(Ty::kind) {
                Some(TyKind::Fun(a, r)) => {
                    let (a, r) = (a.clone(), r.clone());
                    rest = Some(self.table.shallow(&r));
                    Some(a)
                }
                _ => {
                    rest = None;
                    None
                }
            };
            let written = self.program.body().binder(p).ty.map(|t| self.written_type(t));
            let ty = match (declared.get(i).and_then(Option::as_ref), written) {
                (Some(d), Some(w)) => {
                    self.unify(d, &w, &Cause::Binder(body, p));
                    d.clone()
                }
                (Some(d), None) => d.clone(),
                (None, Some(w)) => w,
                (None, None) => hint.unwrap_or_else(|| self.parameter_type(p)),
            };
            param_types.push(ty);
        }
        let result = self.fresh();
        self.in_scope(body, false, |this, scope| {
            for (&p, ty) in params.iter().zip(&param_types) {
                this.binders.declare(p, ty.clone());
                let opened = this.open(ty.clone(), Site::Binder(p));
                this.binders.set_ty(p, opened);
            }
            let inner = this.infer(body, rest.as_ref());
            let inner = this.size_as_int(inner);
            this.close_later(inner, &result, scope, body);
        });
        Ty::funs(param_types, result)
    }

    /// The type of a parameter that neither an annotation nor the context determines.
    pub fn parameter_type(&mut self, p: BinderId) -> Ty {
        match self.binders.is_size_param(p) {
            true => Ty::new(TyKind::Size(self.fresh_size())),
            false => self.fresh(),
        }
    }

    /// Types the root of a `define`. A function hides its lengths in its own body.
    pub fn defined_value(&mut self, root: ExprId, expected: Option<&Ty>) -> Ty {
        if matches!(self.program.expr(root), Expr::Lambda { .. }) {
            return self.infer(root, expected);
        }
        let result = self.fresh();
        self.in_scope(root, false, |this, scope| {
            let inner = this.infer(root, expected);
            if let Some(expected) = expected {
                this.unify(expected, &inner, &Cause::Component(root));
            }
            this.close_later(inner, &result, scope, root);
        });
        result
    }

    pub fn close_later(&mut self, from: Ty, to: &Ty, scope: ScopeId, expr: ExprId) {
        self.defer(Constraint::Close { from, to: to.clone(), scope, expr });
        self.solve();
    }

    fn let_value(&mut self, binder: BinderId, value: ExprId) {
        let is_function = matches!(self.program.expr(value), Expr::Lambda { .. } | Expr::Compose(_));
        if is_function {
            self.let_function(binder, value);
            return;
        }
        let ty = match self.program.expr(value) {
            Expr::Local(_) | Expr::Literal(_) => self.infer(value, None),
            _ => {
                let own = self.infer(value, None);
                self.binders.declare(binder, own.clone());
                self.open(own, Site::Binder(binder))
            }
        };
        let ty = self.size_as_int(ty);
        self.binders.set_ty(binder, ty);
        if let Some(size) = self.named_size(value) {
            self.binders.set_number_and_size(binder, size.clone());
            self.found.names_size(binder, size);
        }
    }

    /// The type of a name before it was opened where it was bound.
    pub fn before_opening(&self, e: ExprId) -> Option<Ty> {
        match self.program.expr(e) {
            Expr::Local(b) => self.binders.declared(*b).cloned(),
            _ => None,
        }
    }

    fn unpack(
        &mut self,
        sizes: &[BinderId],
        binder: BinderId,
        value: ExprId,
        body: ExprId,
        expected: Option<&Ty>,
    ) -> Ty {
        // For a name that was opened where it was bound, unpack its value before opening.
        let own = match self.before_opening(value) {
            Some(ty) => {
                self.found.set_type(value, ty.clone());
                ty
            }
            None => self.infer(value, None),
        };
        let result = self.fresh();
        self.in_scope(body, true, |this, scope| {
            let names: Vec<Name> = sizes.iter().map(|s| this.program.body().binder(*s).name.clone()).collect();
            this.binders.declare(binder, own.clone());
            let opened = this.open_named(own.clone(), Site::Binder(binder), true, &names);
            let known = this.table.shallow(&own);
            if !matches!(known.kind(), TyKind::Exists(..) | TyKind::Unknown(_)) {
                this.nothing_to_unpack(Site::Expr(value), &known);
            }
            let lengths: Vec<Size> = match known.kind() {
                _ if sizes.is_empty() => Vec::new(),
                TyKind::Exists(..) => this.lengths_opened_at(Site::Binder(binder)),
                // The lengths become known together with the type of the value.
                TyKind::Unknown(_) => {
                    let lengths: Vec<Size> = sizes.iter().map(|_| this.fresh_size()).collect();
                    this.binders.await_lengths(binder, lengths.clone());
                    lengths
                }
                _ => vec![this.outermost_length(&opened, value)],
            };
            if matches!(known.kind(), TyKind::Exists(..)) {
                this.fewer_names_than_lengths(binder, sizes.len(), lengths.len());
            }
            for (i, &size) in sizes.iter().enumerate() {
                this.binders.set_ty(size, Ty::int());
                let length = lengths.get(i).cloned().unwrap_or_else(|| this.fresh_size());
                this.binders.set_size(size, length);
            }
            this.binders.use_opened(binder);
            this.binders.set_ty(binder, opened);
            let inner = this.infer(body, expected);
            this.close_later(inner, &result, scope, body);
        });
        result
    }

    /// The lengths opened at `site`, if that was the last opening.
    fn lengths_opened_at(&self, site: Site) -> Vec<Size> {
        let last = self.found.so_far().openings.last().filter(|o| o.site == site);
        last.map_or_else(Vec::new, |o| o.lengths.iter().cloned().map(Size::var).collect())
    }

    /// Reports an `unpack` that names more lengths than it opens; it may name fewer.
    fn fewer_names_than_lengths(&mut self, binder: BinderId, names: usize, lengths: usize) {
        if names > lengths {
            self.error(Node::Binder(binder), &Problem::UnpackNames { names, lengths });
        }
    }

    /// Determines the lengths named by an `unpack` once the type of its value is known.
    pub fn length_of_opened(&mut self, site: Site, opened: &Ty) {
        let Site::Binder(binder) = site else { return };
        let Some(named) = self.binders.take_awaited_lengths(binder) else { return };
        let cause = Cause::site(self.program.body(), site);
        let lengths = self.lengths_opened_at(site);
        if lengths.is_empty() {
            // The value hides nothing, which is reported elsewhere.
            let (array, _) = self.any_array(&named[0]);
            self.unify(&array, opened, &cause);
            return;
        }
        self.fewer_names_than_lengths(binder, named.len(), lengths.len());
        for (name, length) in named.iter().zip(&lengths) {
            if let Err(m) = self.unify_sizes(name, length, &cause) {
                self.report_lengths(m, &cause);
            }
        }
    }

    /// The length of a value that must be an array.
    fn outermost_length(&mut self, ty: &Ty, at: ExprId) -> Size {
        let len = self.fresh_size();
        let (array, _) = self.any_array(&len);
        self.unify(&array, ty, &Cause::Result(at));
        len
    }

    fn ascription(&mut self, id: ExprId, value: ExprId, written: TypeRefId) -> Ty {
        let to = self.written_type(written);
        let from = self.operand(value, Some(&to));
        match to.kind() {
            TyKind::Exists(..) => {
                let cause = Cause::Annotation(id);
                // For a call, the type before opening may already be the existential one.
                let own = self.found.ty(value).cloned().map(|t| self.table.zonk(&t));
                if own.as_ref().is_some_and(|t| matches!(t.kind(), TyKind::Exists(..)))
                    && !matches!(self.program.expr(value), Expr::Local(_))
                {
                    self.found.forget_opening(Site::Expr(value));
                    self.unify(&to, &own.unwrap_or_else(Ty::error), &cause);
                } else {
                    let level = self.scopes.level();
                    self.defer(Constraint::Hide { from, to: to.clone(), at: id, value, level });
                    self.solve();
                }
            }
            TyKind::Size(_) | TyKind::Fun(..) => {
                self.unify(&to, &from, &Cause::Annotation(id));
            }
            _ => {
                let from = self.size_as_int(from);
                // Unify everything except lengths now; lengths are checked at the end.
                let shape = self.with_fresh_lengths(&to, &Deps::new());
                if self.unify(&shape, &from, &Cause::Annotation(id)) {
                    self.defer(Constraint::Cast { from, to: to.clone(), at: id });
                    self.solve();
                }
            }
        }
        to
    }

    /// The type with fresh lengths, under the index variables on which they may depend.
    fn with_fresh_lengths(&mut self, ty: &Ty, deps: &Deps) -> Ty {
        match ty.kind() {
            TyKind::Array(a) => {
                let len = self.table.fresh_size_at(self.scopes.level(), deps.clone());
                let Some(written) = &a.position else {
                    return Ty::array(self.with_fresh_lengths(&a.element, deps), len);
                };
                let position = self.written_position(&written.name);
                self.table.set_count(&position, &len);
                let element = a.element.subst_size(written, &Size::var(position.clone()));
                let deps: Deps = deps.iter().copied().chain([position.id]).collect();
                let element = self.with_fresh_lengths(&element, &deps);
                Ty::new(TyKind::Array(ArrayTy { element, len, position: Some(position) }))
            }
            TyKind::Tuple(parts) => Ty::tuple(parts.iter().map(|p| self.with_fresh_lengths(p, deps)).collect()),
            _ => ty.clone(),
        }
    }

    /// Types `(o f g h)`, which is `(lambda (x) (f (g (h x))))`; if the last part is not a function, the others are
    /// applied to it.
    fn compose(&mut self, id: ExprId, parts: &[ExprId], expected: Option<&Ty>) -> Ty {
        let Some((&last, before)) = parts.split_last() else { return Ty::error() };
        if !matches!(self.program.expr(last), Expr::Lambda { .. } | Expr::Compose(_)) && !before.is_empty() {
            // A function is applied to lengths that are opened one level further in.
            self.scopes.deepen();
            let ty = self.infer(last, None);
            self.scopes.undeepen();
            let head = self.table.shallow(&ty);
            if matches!(
                head.kind(),
                TyKind::Array(_) | TyKind::Exists(..) | TyKind::Tuple(_) | TyKind::Vec(..) | TyKind::Scalar(_)
            ) {
                self.found.pipes(id);
                let outside = self.fresh();
                self.unify(&outside, &ty, &Cause::Component(last));
                let value = match self.program.expr(last) {
                    Expr::Local(_) | Expr::Literal(_) => ty,
                    _ => self.open(ty, Site::Expr(last)),
                };
                return self.pipe(before, value);
            }
        }
        self.composed(id, parts, expected)
    }

    /// The type of the function that opens its argument, applies the functions `parts` and hides lengths of the result.
    fn composed(&mut self, id: ExprId, parts: &[ExprId], expected: Option<&Ty>) -> Ty {
        let arg = match expected.map(|ty| self.table.shallow(ty)).as_ref().map(Ty::kind) {
            Some(TyKind::Fun(arg, _)) => arg.clone(),
            _ => self.fresh(),
        };
        let result = self.fresh();
        self.in_scope(id, false, |this, scope| {
            let opened = this.open(arg.clone(), Site::Expr(id));
            let out = this.pipe(parts, opened);
            this.close_later(out, &result, scope, id);
        });
        Ty::fun(arg, result)
    }

    /// The type of the function that opens its arguments, applies the function `id` and hides lengths of the result.
    fn opener(&mut self, id: ExprId, arguments: usize) -> Ty {
        let params: Vec<Ty> = (0..arguments).map(|_| self.fresh()).collect();
        let result = self.fresh();
        self.in_scope(id, false, |this, scope| {
            let opened: Vec<Ty> =
                params.iter().enumerate().map(|(i, ty)| this.open(ty.clone(), Site::argument(id, i))).collect();
            let mut out = this.infer(id, None);
            for argument in opened {
                let Some((param, rest)) = this.as_function(&out, id) else {
                    out = Ty::error();
                    break;
                };
                this.unify(&param, &argument, &Cause::Component(id));
                out = rest;
            }
            this.close_later(out, &result, scope, id);
        });
        Ty::funs(params, result)
    }

    /// Applies the functions, last first. Every result except the final one is opened.
    fn pipe(&mut self, parts: &[ExprId], value: Ty) -> Ty {
        let mut value = value;
        for (i, &part) in parts.iter().enumerate().rev() {
            let f = match self.found.ty(part) {
                Some(known) => known.clone(),
                None => {
                    let expected = Ty::fun(value.clone(), self.fresh());
                    self.infer(part, Some(&expected))
                }
            };
            let Some((param, result)) = self.as_function(&f, part) else { return Ty::error() };
            let cause = Cause::Component(part);
            let applied = Ty::fun(value.clone(), result.clone());
            if !self.unify_where_computed(&applied, &f, part, &cause) {
                self.unify(&param, &value, &cause);
            }
            value = if i == 0 { result } else { self.open(result, Site::Expr(part)) };
        }
        value
    }

    /// The argument and result of a function type. An inference variable becomes a function type.
    pub fn as_function(&mut self, ty: &Ty, at: ExprId) -> Option<(Ty, Ty)> {
        let head = self.table.shallow(ty);
        match head.kind() {
            TyKind::Fun(a, r) => Some((a.clone(), r.clone())),
            TyKind::Unknown(_) => {
                let (a, r) = (self.fresh(), self.fresh());
                self.unify(&Ty::fun(a.clone(), r.clone()), &head, &Cause::Component(at)).then_some((a, r))
            }
            TyKind::Error => None,
            _ => {
                let ty = self.table.zonk(&head);
                self.error(Node::Expr(at), &Problem::NotAFunction { ty });
                None
            }
        }
    }
}
