//! Names and lengths in scope during evaluation.
//!
//! The types and sizes from a form's inference mention lengths of that form: quantified lengths, skolems, those of an
//! `iterate`. A [`Scope`] maps them to the kernel's lengths where the form is inlined. Quantified lengths are looked up
//! on demand, because an instance may mention a length that the caller's scope opens only later.
//!
//! [`staged`]: values during the construction, some of which hold a scope.

pub mod staged;

use self::staged::Staged;
use super::{BuildError, Result};
use lift_analysis::db::SourceFile;
use lift_analysis::hir::{BinderId, BinderRole, Body, Expr, ExprId, SizeOp, SizeRef, SizeRefId};
use lift_analysis::infer::{Inference, Site};
use lift_analysis::origin::{FormKey, Origin};
use lift_analysis::parameters::Settings;
use lift_analysis::size::{Size, Var, VarKind};
use lift_analysis::ty::{Ty, TyKind};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::{Rc, Weak};
use std::sync::Arc;

/// An inlined form.
pub struct FormCx {
    pub key: Arc<FormKey>,
    pub body: Arc<Body>,
    pub inference: Arc<Inference>,
    pub file: SourceFile,
    pub builtin: bool,
}

/// The value of a name.
#[derive(Clone)]
pub struct Binding<'db> {
    /// The value, with its hidden lengths if it has any.
    pub value: Staged<'db>,
    /// The opened value, if inference opens it.
    pub opened: Option<Staged<'db>>,
}

/// The quantified lengths of a form or a `let` at one use.
pub struct Quantified<'db> {
    /// The quantified lengths have the ids `first..first + sizes.len()`.
    pub first: u32,
    /// The instances, in terms of the lengths of `at`.
    pub sizes: Vec<Size>,
    pub at: Rc<Scope<'db>>,
    /// The index variables that `sizes` mention and the form binds: (the one at the use, the form's own).
    pub positions: Vec<(Var, Var)>,
}

pub struct Scope<'db> {
    pub cx: Rc<FormCx>,
    parent: Option<Rc<Scope<'db>>>,
    quantified: Option<Quantified<'db>>,
    bindings: RefCell<FxHashMap<BinderId, Binding<'db>>>,
    /// Skolems and lengths of `iterate`, by their ids in the form.
    lengths: RefCell<FxHashMap<u32, Size>>,
    /// Index variables of applied functions, by their ids in the form.
    positions: RefCell<FxHashMap<u32, Size>>,
    /// For a prelude form: the user's call, the origin of everything in the form.
    call: Option<Origin>,
    /// The settings of the surrounding `with`s.
    settings: Option<Arc<Settings>>,
    /// Whether lengths are opened for the surrounding scope, as in a `with`.
    transparent: bool,
    registry: Rc<Registry<'db>>,
}

/// All scopes of one kernel. A function bound in the scope that it captures makes a reference cycle; dropping the
/// registry breaks these cycles.
#[derive(Default)]
pub struct Registry<'db>(RefCell<Vec<Weak<Scope<'db>>>>);

impl<'db> Registry<'db> {
    pub fn forget(&self) {
        for scope in self.0.take().iter().filter_map(Weak::upgrade) {
            scope.bindings.take();
        }
    }
    fn enter(&self, scope: Scope<'db>) -> Rc<Scope<'db>> {
        let scope = Rc::new(scope);
        self.0.borrow_mut().push(Rc::downgrade(&scope));
        scope
    }
}

impl<'db> Scope<'db> {
    /// The outermost scope of a form that is applied at `call`.
    pub fn of_form(
        cx: Rc<FormCx>,
        quantified: Option<Quantified<'db>>,
        call: Option<Origin>,
        registry: &Rc<Registry<'db>>,
    ) -> Rc<Scope<'db>> {
        let call = if cx.builtin { call } else { None };
        let settings = quantified.as_ref().and_then(|at_use| at_use.at.settings.clone());
        registry.enter(Scope {
            cx,
            parent: None,
            quantified,
            bindings: RefCell::default(),
            lengths: RefCell::default(),
            positions: RefCell::default(),
            call,
            settings,
            transparent: false,
            registry: registry.clone(),
        })
    }

    /// A nested scope: of a lambda's body, a branch, the body of an `unpack`, a use of a generalised `let`.
    pub fn inside(self: &Rc<Self>, quantified: Option<Quantified<'db>>) -> Rc<Scope<'db>> {
        self.nested(quantified, self.settings.clone(), false)
    }

    /// The scope in a `with`.
    pub fn with(self: &Rc<Self>, settings: &Settings) -> Rc<Scope<'db>> {
        let all = self.settings.as_ref().map_or(*settings, |outer| settings.inside(outer));
        self.nested(None, Some(Arc::new(all)), true)
    }

    fn nested(
        self: &Rc<Self>,
        quantified: Option<Quantified<'db>>,
        settings: Option<Arc<Settings>>,
        transparent: bool,
    ) -> Rc<Scope<'db>> {
        self.registry.enter(Scope {
            cx: self.cx.clone(),
            parent: Some(self.clone()),
            quantified,
            bindings: RefCell::default(),
            lengths: RefCell::default(),
            positions: RefCell::default(),
            call: self.call.clone(),
            settings,
            transparent,
            registry: self.registry.clone(),
        })
    }

    pub fn origin(&self, expr: ExprId) -> Origin {
        let settings = self.settings.clone();
        match &self.call {
            Some(call) => Origin { settings, ..call.clone() },
            None => {
                let wording = self.cx.body.wording_of(expr).cloned();
                Origin { form: self.cx.key.clone(), expr, settings, wording }
            }
        }
    }

    pub fn settings(&self) -> Option<&Arc<Settings>> {
        self.settings.as_ref()
    }

    pub fn bind(&self, binder: BinderId, binding: Binding<'db>) {
        self.bindings.borrow_mut().insert(binder, binding);
    }
    pub fn binding(&self, binder: BinderId) -> Option<Binding<'db>> {
        let here = self.bindings.borrow().get(&binder).cloned();
        here.or_else(|| self.parent.as_ref()?.binding(binder))
    }

    /// The scope that knows the lengths opened here.
    fn of_lengths(&self) -> &Scope<'db> {
        match &self.parent {
            Some(parent) if self.transparent => parent.of_lengths(),
            _ => self,
        }
    }

    pub fn set_length(&self, length: &Var, is: Size) {
        self.of_lengths().lengths.borrow_mut().insert(length.id, is);
    }
    fn length(&self, id: u32) -> Option<Size> {
        let here = self.lengths.borrow().get(&id).cloned();
        here.or_else(|| self.parent.as_ref()?.length(id))
    }
    pub fn set_position(&self, position: &Var, is: Size) {
        self.of_lengths().positions.borrow_mut().insert(position.id, is);
    }
    fn position(&self, id: u32) -> Option<Size> {
        let here = self.positions.borrow().get(&id).cloned();
        here.or_else(|| self.parent.as_ref()?.position(id))
    }
    fn quantified(&self, id: u32) -> Option<Size> {
        self.quantified_for(id, self)
    }
    /// A quantified length, seen from the nested scope `inner`, which knows the index variables.
    fn quantified_for(&self, id: u32, inner: &Scope<'db>) -> Option<Size> {
        if let Some(q) = &self.quantified
            && let Some(i) = id.checked_sub(q.first)
            && let Some(size) = q.sizes.get(i as usize)
        {
            let own = |v: &Var| q.positions.iter().find(|(at_use, _)| at_use == v).map(|(_, own)| own);
            let mut all = true;
            let known = size.subst(&mut |v| {
                let is = match own(v) {
                    Some(own) => inner.position(own.id),
                    None => q.at.known_size(&Size::var(v.clone())),
                };
                all &= is.is_some();
                is
            });
            return all.then_some(known);
        }
        self.parent.as_ref()?.quantified_for(id, inner)
    }

    /// Translates a size of the form to the kernel's lengths; `None` while one of them is unknown.
    pub fn known_size(&self, size: &Size) -> Option<Size> {
        let mut all = true;
        let known = size.subst(&mut |v| match v.kind {
            VarKind::Generic | VarKind::Skolem => {
                let is = if v.kind == VarKind::Generic { self.quantified(v.id) } else { self.length(v.id) };
                all &= is.is_some();
                is
            }
            VarKind::Unknown => {
                all = false;
                None
            }
            // An index variable at which nothing is applied is bound inside the size or the surrounding type.
            VarKind::Position => self.position(v.id),
            VarKind::Param | VarKind::Bound | VarKind::Index => None,
        });
        all.then_some(known)
    }

    /// Translates a size of the form to the kernel's lengths.
    pub fn size(&self, size: &Size, at: ExprId) -> Result<Size> {
        self.known_size(size).ok_or_else(|| {
            let message = format!("the size `{size}` is not known here");
            BuildError::new(message, Some(self.origin(at)))
        })
    }

    /// Evaluates a size expression of the source.
    pub fn written_size(
        &self,
        id: SizeRefId,
        at: ExprId,
        length_of: &dyn Fn(&Staged<'db>) -> Option<Size>,
    ) -> Result<Size> {
        let unknown = || BuildError::new("this size is not known here".into(), Some(self.origin(at)));
        let rec = |id: SizeRefId| self.written_size(id, at, length_of);
        match self.cx.body.size_ref(id) {
            SizeRef::Nat(n) => Ok(Size::nat(*n)),
            SizeRef::Local(b) => self.size_name(*b, at, length_of),
            SizeRef::Global(name) => match self.cx.inference.expr_types.get(*name).map(Ty::kind) {
                Some(TyKind::Size(size)) => self.size(size, at),
                _ => Err(unknown()),
            },
            SizeRef::LengthOf(b) => {
                let binding = self.binding(*b).ok_or_else(unknown)?;
                length_of(&binding.opened.unwrap_or(binding.value)).ok_or_else(unknown)
            }
            SizeRef::Sum { index, count, body } => {
                let var = Var::new(VarKind::Position, index.0, self.cx.body.binder(*index).name.clone());
                let count = rec(*count)?;
                self.bind(*index, Binding { value: Staged::Size(Size::var(var.clone())), opened: None });
                Ok(Size::sum(var, count, rec(*body)?))
            }
            SizeRef::Op(op, operands) => {
                let operands = operands.iter().map(|o| rec(*o)).collect::<Result<Vec<_>>>()?;
                operation(*op, &operands).ok_or_else(unknown)
            }
            SizeRef::Error | SizeRef::Variable(_) => Err(unknown()),
        }
    }

    /// The size that a name denotes.
    pub fn size_name(&self, b: BinderId, at: ExprId, length_of: &dyn Fn(&Staged<'db>) -> Option<Size>) -> Result<Size> {
        let body = &self.cx.body;
        let unknown =
            || BuildError::new(format!("the size `{}` is not known here", body.binder(b).name), Some(self.origin(at)));
        match body.binder(b).role {
            BinderRole::SizeParam => Ok(Size::var(super::param_size(b.0, &body.binder(b).name))),
            BinderRole::ImplicitSize => {
                let i = body.size_params.iter().position(|p| *p == b).ok_or_else(unknown)?;
                self.quantified(i as u32).ok_or_else(unknown)
            }
            BinderRole::UnpackSize => {
                let unpacked = body.exprs.iter().find_map(|e| match e {
                    Expr::Unpack { sizes, binder, .. } => Some((sizes.iter().position(|s| *s == b)?, *binder)),
                    _ => None,
                });
                let (which, unpacked) = unpacked.ok_or_else(unknown)?;
                match self.cx.inference.opening_at(Site::Binder(unpacked)) {
                    Some(o) => o.lengths.get(which).and_then(|l| self.length(l.id)).ok_or_else(unknown),
                    None => self.binding(unpacked).and_then(|b| length_of(&b.value)).ok_or_else(unknown),
                }
            }
            BinderRole::Param
            | BinderRole::Let
            | BinderRole::Unpack
            | BinderRole::Position
            | BinderRole::ExistsSize => match self.binding(b).map(|b| b.value) {
                Some(Staged::Size(s)) => Ok(s),
                _ => self.size(self.cx.inference.named_sizes.get(&b).ok_or_else(unknown)?, at),
            },
        }
    }
}

fn operation(op: SizeOp, operands: &[Size]) -> Option<Size> {
    let (first, rest) = operands.split_first()?;
    Some(match (op, rest) {
        (SizeOp::Add, rest) => rest.iter().fold(first.clone(), |a, b| a.add(b)),
        (SizeOp::Mul, rest) => rest.iter().fold(first.clone(), |a, b| a.mul(b)),
        (SizeOp::Min, rest) => rest.iter().fold(first.clone(), |a, b| Size::min(&a, b)),
        (SizeOp::Max, rest) => rest.iter().fold(first.clone(), |a, b| Size::max(&a, b)),
        (SizeOp::Sub, [b]) => first.sub(b),
        (SizeOp::Div, [b]) => first.div_exact(b),
        (SizeOp::Mod, [b]) => first.rem(b),
        (SizeOp::Pow, [b]) => first.pow(b),
        (_, []) => first.clone(),
        _ => return None,
    })
}
