//! Opens and hides lengths and inserts casts and assumptions where inference decided, in terms of the kernel's lengths.

use super::super::typing::occurrence_order;
use super::super::{Atom, Rhs};
use super::scope::Scope;
use super::scope::staged::{Fun, Staged};
use super::{Build, BuildError, Result};
use lift_analysis::hir::{ExprId, Literal, Name};
use lift_analysis::infer::{CastOf, CheckedCast, Opening, Packing, Site};
use lift_analysis::origin::Origin;
use lift_analysis::size::{Assumption, Facts, LengthCheck, Size, Truth, Var, VarKind};
use lift_analysis::ty::{ArrayTy, Ty, TyKind};
use std::rc::Rc;

impl<'db> Build<'db> {
    /// Applies what inference attached to an expression: a written `pack`, the opening of its result, the `pack` at the
    /// end of a scope or around an argument.
    pub fn elaborate(&mut self, scope: &Rc<Scope<'db>>, at: ExprId, mut value: Staged<'db>) -> Result<Staged<'db>> {
        let cx = scope.cx.clone();
        if matches!(value, Staged::Fun(_)) {
            let is_cast = |c: &CheckedCast| c.expr == at && matches!(c.of, CastOf::Input(_) | CastOf::Output);
            if !cx.inference.casts.iter().any(is_cast) {
                return Ok(value);
            }
            let arity = cx.inference.expr_types[at].uncurry().0.len();
            return Ok(Staged::fun(Fun::Cast { at, arity, function: value, scope: scope.clone() }));
        }
        for written in cx.inference.packings.iter().filter(|p| p.expr == at && p.explicit) {
            value = self.pack(scope, written, value)?;
        }
        value = self.open_at(scope, Site::Expr(at), at, value)?;
        value = self.casts_at(scope, at, CastOf::Argument, value)?;
        for inserted in cx.inference.packings.iter().filter(|p| p.expr == at && !p.explicit) {
            value = self.pack(scope, inserted, value)?;
        }
        Ok(value)
    }

    /// Applies the casts of this part of an expression.
    pub fn casts_at(
        &mut self,
        scope: &Rc<Scope<'db>>,
        at: ExprId,
        of: CastOf,
        mut value: Staged<'db>,
    ) -> Result<Staged<'db>> {
        let cx = scope.cx.clone();
        for cast in cx.inference.casts.iter().filter(|c| c.expr == at && c.of == of) {
            value = self.cast(scope, cast, value)?;
        }
        Ok(value)
    }

    /// Opens the value, if inference opens it at this site.
    pub fn open_at(
        &mut self,
        scope: &Rc<Scope<'db>>,
        site: Site,
        at: ExprId,
        value: Staged<'db>,
    ) -> Result<Staged<'db>> {
        let cx = scope.cx.clone();
        match cx.inference.opening_at(site) {
            Some(opening) => self.open(scope, opening, at, value),
            None => Ok(value),
        }
    }

    pub fn open(
        &mut self,
        scope: &Rc<Scope<'db>>,
        opening: &Opening,
        at: ExprId,
        value: Staged<'db>,
    ) -> Result<Staged<'db>> {
        let origin = scope.origin(at);
        let atom = self.reify(value, &origin)?;
        let ty = self.atom_ty(&atom);
        let (TyKind::Exists(vars, body), TyKind::Exists(known, known_body)) = (ty.kind(), opening.from.kind()) else {
            return Err(self.internal(&origin, format!("`{ty}` is opened, which hides no length")));
        };
        if vars.len() != known.len() {
            return Err(self.internal(&origin, format!("`{ty}` is opened as if it were `{}`", opening.from)));
        }
        // The lengths of two equal types correspond in the order of their first occurrence.
        let places = occurrence_order(known, known_body).into_iter().zip(occurrence_order(vars, body));
        let mut opened: Vec<(Var, Var)> = Vec::new();
        for (of_form, of_value) in places {
            let Some(i) = known.iter().position(|v| *v == of_form) else { continue };
            let length = self.emit.opened_length(&opening.lengths[i].name);
            scope.set_length(&opening.lengths[i], Size::var(length.clone()));
            opened.push((of_value, length));
        }
        let fresh = |v: &Var| opened.iter().find(|(of_value, _)| of_value == v).map(|(_, length)| length.clone());
        let to = body.subst_sizes(&mut |v| fresh(v).map(Size::var));
        let binds = vars.iter().filter_map(fresh).collect();
        let value = self.emit.binding_stmt(to, binds, Rhs::Unpack(atom), &origin)?;
        self.assume_of_opening(scope, opening)?;
        Ok(value.into())
    }

    pub fn pack(&mut self, scope: &Rc<Scope<'db>>, packing: &Packing, value: Staged<'db>) -> Result<Staged<'db>> {
        let origin = scope.origin(packing.expr);
        let TyKind::Exists(vars, body) = packing.to.kind() else { return Ok(value) };
        if packing.hidden.is_empty() {
            return Ok(value);
        }
        let atom = self.reify(value, &origin)?;
        let ty = self.atom_ty(&atom);
        if matches!(ty.kind(), TyKind::Exists(..)) {
            return Ok(atom.into());
        }
        let mut hidden: Vec<(Var, Var, Size)> = Vec::new();
        for v in vars {
            let Some((_, witness)) = packing.hidden.iter().find(|(bound, _)| bound == v) else {
                return Err(self.internal(&origin, format!("`{}` hides an unknown length", packing.to)));
            };
            hidden.push((v.clone(), self.emit.bound_length(&v.name), scope.size(witness, packing.expr)?));
        }
        let renamed = |v: &Var| hidden.iter().find(|(of_form, ..)| of_form == v).map(|(_, fresh, _)| fresh.clone());
        let packed = with_lengths(&ty, body, &mut |len| {
            let mentioned = len.any_var(&mut |v| renamed(v).is_some());
            mentioned.then(|| scope.known_size(len).map(|s| s.subst(&mut |v| renamed(v).map(Size::var)))).flatten()
        });
        let to = Ty::exists(hidden.iter().map(|(_, fresh, _)| fresh.clone()).collect(), packed);
        // A length that does not occur is not hidden.
        let TyKind::Exists(kept, _) = to.kind() else { return Ok(atom.into()) };
        let witnesses = kept.iter().filter_map(|v| hidden.iter().find(|(_, fresh, _)| fresh == v));
        let witnesses = witnesses.map(|(.., witness)| witness.clone()).collect();
        Ok(self.emit.stmt(to.clone(), Rhs::Pack(atom, witnesses), &origin)?.into())
    }

    pub fn cast(&mut self, scope: &Rc<Scope<'db>>, cast: &CheckedCast, value: Staged<'db>) -> Result<Staged<'db>> {
        let origin = scope.origin(cast.expr);
        let atom = self.reify(value, &origin)?;
        let mut checks = Vec::new();
        for check in &cast.checks {
            let mut known = Ok(());
            checks.push(check.map(&mut |size| match scope.size(size, cast.expr) {
                Ok(size) => size,
                Err(e) => {
                    known = Err(e);
                    size.clone()
                }
            }));
            known?;
        }
        let to = with_lengths(&self.atom_ty(&atom), &cast.to, &mut |len| scope.known_size(len));
        Ok(self.emit.stmt(to, Rhs::Cast(atom, checks), &origin)?.into())
    }

    // --- assumptions

    /// Adds the form's assumptions about lengths that are known when it starts.
    pub fn assume_of_form(&mut self, scope: &Rc<Scope<'db>>) -> Result<()> {
        self.assume_where(scope, |vars| !vars.iter().any(|v| v.kind == VarKind::Skolem))
    }

    /// Adds the assumptions of an inlined definition, except those about only the lengths of its type: each use already
    /// assumes these or the checker has proved them there.
    pub fn assume_of_inlined(&mut self, scope: &Rc<Scope<'db>>) -> Result<()> {
        let cx = scope.cx.clone();
        let own = cx.inference.scheme.as_ref().map_or(&[][..], |scheme| scheme.sizes.as_slice());
        self.assume_where(scope, |vars| {
            !vars.iter().any(|v| v.kind == VarKind::Skolem)
                && (vars.is_empty() || !vars.iter().all(|v| own.contains(v)))
        })
    }

    /// Adds the form's assumptions about the lengths opened here.
    fn assume_of_opening(&mut self, scope: &Rc<Scope<'db>>, opening: &Opening) -> Result<()> {
        self.assume_where(scope, |vars| vars.iter().any(|v| opening.lengths.contains(v)))
    }

    /// Emits, at the beginning of a branch, the assumptions that hold only where it is taken.
    pub fn assume_of_branch(&mut self, scope: &Rc<Scope<'db>>, branch: ExprId) -> Result<()> {
        let cx = scope.cx.clone();
        let mut said = Vec::new();
        for assumed in cx.inference.assumed.iter().filter(|assumed| assumed.branch == Some(branch)) {
            let origin = scope.origin(assumed.at);
            let Some(assumption) = known_assumption(scope, &assumed.assumption) else {
                let message =
                    format!("`{}` is assumed in a branch and mentions what is not known there", assumed.assumption);
                return Err(self.internal(&origin, message));
            };
            if !said.contains(&assumption) && Facts::new().proves(&assumption) != Truth::Yes {
                let check = Rhs::Cast(Atom::Lit(Literal::Bool(true)), vec![LengthCheck::relying(assumption.clone())]);
                self.emit.stmt(Ty::bool(), check, &origin)?;
                said.push(assumption);
            }
        }
        Ok(())
    }

    fn assume_where(&mut self, scope: &Rc<Scope<'db>>, wanted: impl Fn(&[Var]) -> bool) -> Result<()> {
        let cx = scope.cx.clone();
        if let Some(first) = cx.inference.assumed.first() {
            self.spend(cx.inference.assumed.len(), scope, first.at)?;
        }
        for assumed in cx.inference.assumed.iter().filter(|assumed| assumed.branch.is_none()) {
            let vars = assumed.assumption.vars();
            if !wanted(&vars) {
                continue;
            }
            // Unknown lengths are opened later, or belong to a generalised `let`; each use of that makes its own
            // assumptions.
            let Some(assumption) = known_assumption(scope, &assumed.assumption) else { continue };
            // A cast between skolems already checks it.
            let opened = vars.iter().any(|v| v.kind == VarKind::Skolem);
            let is_cast = |c: &CheckedCast| c.checks.iter().any(|check| check.assumption() == assumed.assumption);
            if opened && cx.inference.casts.iter().any(is_cast) {
                continue;
            }
            self.assume(assumption, &scope.origin(assumed.at));
        }
        Ok(())
    }

    /// Adds an assumption unless it is provable or already present: inlined code assumes the same at each use.
    pub fn assume(&mut self, assumption: Assumption, at: &Origin) {
        if self.assumed.insert(assumption.clone()) && Facts::new().proves(&assumption) != Truth::Yes {
            self.assumptions.push((assumption, at.clone()));
        }
    }

    // --- types

    pub fn atom_ty(&self, atom: &Atom) -> Ty {
        match atom {
            Atom::Var(v) => self.emit.ty(*v).clone(),
            Atom::Lit(l) => Ty::scalar(l.scalar()),
            Atom::Size(_) => Ty::int(),
        }
    }

    /// The outermost length of an array; `None` for other values.
    pub fn length_of(&self, value: &Staged<'db>) -> Option<Size> {
        match value {
            Staged::Atom(a) => self.atom_ty(a).as_array().map(|a| a.len.clone()),
            _ => None,
        }
    }

    /// The type with fresh binders, so that no two types of the kernel share one.
    pub fn fresh_binders(&mut self, ty: &Ty) -> Ty {
        match ty.kind() {
            TyKind::Exists(vars, body) => {
                let fresh: Vec<Var> = vars.iter().map(|v| self.emit.bound_length(&v.name)).collect();
                let body = body.subst_sizes(&mut |v| {
                    let i = vars.iter().position(|w| w == v)?;
                    Some(Size::var(fresh[i].clone()))
                });
                Ty::exists(fresh, self.fresh_binders(&body))
            }
            TyKind::Array(a) => Ty::new(TyKind::Array(ArrayTy {
                element: self.fresh_binders(&a.element),
                len: a.len.clone(),
                position: a.position.clone(),
            })),
            TyKind::Tuple(parts) => Ty::tuple(parts.iter().map(|p| self.fresh_binders(p)).collect()),
            _ => ty.clone(),
        }
    }

    pub fn internal(&self, origin: &Origin, message: String) -> BuildError {
        BuildError::new(format!("internal error of the compiler: {message}"), Some(origin.clone()))
    }
}

fn known_assumption(scope: &Scope<'_>, assumption: &Assumption) -> Option<Assumption> {
    let mut all = true;
    let known = assumption.subst(&mut |v| {
        let size = Size::var(v.clone());
        let known = scope.known_size(&size);
        all &= known.is_some();
        known
    });
    all.then_some(known)
}

/// `ty` with each length replaced by `length` of the corresponding length of `pattern`, a type of the same shape. Where
/// `length` returns `None`, the length stays.
fn with_lengths(ty: &Ty, pattern: &Ty, length: &mut dyn FnMut(&Size) -> Option<Size>) -> Ty {
    match (ty.kind(), pattern.kind()) {
        (TyKind::Array(a), TyKind::Array(p)) => {
            let pattern = match (&p.position, &a.position) {
                (Some(of_pattern), Some(own)) => p.element.subst_size(of_pattern, &Size::var(own.clone())),
                _ => p.element.clone(),
            };
            Ty::new(TyKind::Array(ArrayTy {
                element: with_lengths(&a.element, &pattern, length),
                len: length(&p.len).unwrap_or_else(|| a.len.clone()),
                // A cast may turn rows of one length into rows whose length depends on the index.
                position: a.position.clone().or_else(|| p.position.clone()),
            }))
        }
        (TyKind::Tuple(parts), TyKind::Tuple(patterns)) if parts.len() == patterns.len() => {
            Ty::tuple(parts.iter().zip(patterns).map(|(t, p)| with_lengths(t, p, length)).collect())
        }
        // Hidden lengths inside stay as they are; other lengths there are replaced too.
        (TyKind::Exists(vars, body), TyKind::Exists(hidden, inner)) => {
            let mut inner_length = |len: &Size| {
                if len.any_var(&mut |v| hidden.contains(v)) { None } else { length(len) }
            };
            Ty::exists(vars.clone(), with_lengths(body, inner, &mut inner_length))
        }
        _ => ty.clone(),
    }
}

/// Name of a skolem to which the program gives no name.
pub fn unnamed() -> Name {
    "X".into()
}
