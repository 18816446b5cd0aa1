//! The type of an `if`: lengths in which the branches differ are hidden.
//!
//! The result is the least general generalisation (Plotkin 1970) of the branch types over lengths: a length common to
//! both branches remains, and each pair of different lengths becomes one hidden length.

use crate::hir::ExprId;
use crate::infer::cause::Cause;
use crate::infer::constraint::{Branch, Progress};
use crate::infer::context::Infer;
use crate::infer::result::*;
use crate::infer::scopes::ScopeId;
use crate::infer::table::Key;
use crate::size::{Size, Truth, Var, VarKind};
use crate::ty::{ArrayTy, Ty, TyKind};

/// Pairs of different lengths, each with the hidden length for both.
type Pairs = Vec<((Size, Size), Var)>;

impl Infer<'_> {
    /// Joins the types of two branches. `decided`: no more information will come, so unknown parts are unified.
    pub fn join(&mut self, branches: &[Branch; 2], to: &Ty, at: ExprId, decided: bool) -> Progress {
        let [then, otherwise] = branches;
        for b in branches {
            if self.scopes.awaits_openings(b.scope) && !decided {
                return Progress::Wait(vec![Key::Scope(b.scope as u32)]);
            }
        }
        let (l, r) = (self.table.zonk(&then.ty), self.table.zonk(&otherwise.ty));
        let cause = Cause::Branches { at, then: then.expr, otherwise: otherwise.expr };
        // If one branch is erroneous, the other determines the type.
        if l.is_error() || r.is_error() {
            let known = if l.is_error() { otherwise } else { then };
            let ty = if l.is_error() { &r } else { &l };
            self.close(ty, to, known.scope, known.expr);
            return Progress::Done;
        }
        let heads = [l.kind(), r.kind()];
        let lengthless =
            |k: &TyKind| matches!(k, TyKind::Scalar(_) | TyKind::Fun(..) | TyKind::Size(_) | TyKind::Generic(_));
        if heads.iter().any(|k| lengthless(k)) || self.program.is_explicit() || l == r {
            self.close_both(branches, &l, &r, to, &cause);
            return Progress::Done;
        }
        if !decided {
            let mut unknown = Vec::new();
            let level = branches.iter().map(|b| self.scopes.level_of(b.scope)).min().unwrap_or(self.scopes.level());
            self.what_joining_depends_on(&strip(&l), &strip(&r), level, &mut unknown);
            if !unknown.is_empty() {
                return Progress::Wait(unknown);
            }
        }
        if heads.iter().any(|k| matches!(k, TyKind::Unknown(_))) {
            self.close_both(branches, &l, &r, to, &cause);
            return Progress::Done;
        }
        let (left, right) = (strip(&l), strip(&r));
        let mut pairs: Pairs = Vec::new();
        let Some(joined) = self.generalization(&left, &right, (then.scope, otherwise.scope), &mut pairs) else {
            self.close_both(branches, &l, &r, to, &cause);
            return Progress::Done;
        };
        let hidden: Vec<Var> = pairs.iter().map(|p| p.1.clone()).collect();
        let names: Vec<String> = crate::infer::solve::hide::bound_names(&joined, &hidden).take(hidden.len()).collect();
        let renamed: Vec<Var> = hidden.iter().zip(&names).map(|(v, n)| crate::ty::bound(v.id, n)).collect();
        let joined =
            joined.subst_sizes(&mut |v| hidden.iter().position(|h| h == v).map(|i| Size::var(renamed[i].clone())));
        let result = Ty::exists(renamed.clone(), joined);
        for (branch, ty, side) in [(then, &l, 0), (otherwise, &r, 1)] {
            let witnesses: Vec<Size> =
                pairs.iter().map(|(p, _)| if side == 0 { p.0.clone() } else { p.1.clone() }).collect();
            self.hide_branch(branch, ty, &result, &renamed, witnesses);
        }
        self.unify(to, &result, &cause);
        Progress::Done
    }

    /// The inference variables on which the join depends. A part that is equal in both branches stays as it is,
    /// whatever its variables of outer levels are bound to.
    fn what_joining_depends_on(&self, l: &Ty, r: &Ty, level: u32, unknown: &mut Vec<Key>) {
        match (l.kind(), r.kind()) {
            _ if l == r => {
                let inside = |key: &Key| self.table.key_level(*key) >= level;
                unknown.extend(self.table.unknowns(l).into_iter().filter(inside));
            }
            (TyKind::Array(x), TyKind::Array(y)) if x.position.is_none() && y.position.is_none() => {
                for len in [&x.len, &y.len] {
                    let unknowns = len.vars().into_iter().filter(|v| v.kind == VarKind::Unknown);
                    unknown.extend(unknowns.map(|v| Key::Size(v.id)));
                }
                self.what_joining_depends_on(&x.element, &y.element, level, unknown);
            }
            (TyKind::Tuple(xs), TyKind::Tuple(ys)) if xs.len() == ys.len() => {
                xs.iter().zip(ys).for_each(|(x, y)| self.what_joining_depends_on(x, y, level, unknown));
            }
            _ => [l, r].iter().for_each(|ty| unknown.extend(self.table.unknowns(ty))),
        }
    }

    /// Hides the lengths of each branch and unifies the results.
    fn close_both(&mut self, branches: &[Branch; 2], l: &Ty, r: &Ty, to: &Ty, cause: &Cause) {
        // At the level of the branches, not the current one, because their types may mention lengths of any surrounding
        // scope.
        let level = self.scopes.level_of(branches[0].scope);
        let (a, b) = (self.table.fresh(level), self.table.fresh(level));
        self.close(l, &a, branches[0].scope, branches[0].expr);
        self.close(r, &b, branches[1].scope, branches[1].expr);
        self.unify(&a, &b, cause);
        self.unify(to, &a, cause);
    }

    fn hide_branch(&mut self, branch: &Branch, ty: &Ty, result: &Ty, hidden: &[Var], witnesses: Vec<Size>) {
        if hidden.is_empty() {
            return;
        }
        let mut witnesses = witnesses;
        let mut from = ty.clone();
        if let TyKind::Exists(vars, _) = ty.kind() {
            let distinct = witnesses.iter().all(|w| w.as_var().is_some_and(|v| vars.contains(v)))
                && (1..witnesses.len()).all(|i| !witnesses[..i].contains(&witnesses[i]));
            if distinct && vars.len() == witnesses.len() {
                return; // It already hides exactly these.
            }
            let vars = vars.clone();
            from = self.open_in(ty, Site::Expr(branch.expr), branch.scope, false, &[]);
            let opened = self.found.last_opened().to_vec();
            let open = |v: &Var| vars.iter().position(|b| b == v).map(|i| Size::var(opened[i].clone()));
            witnesses = witnesses.iter().map(|w| w.subst(&mut |v| open(v))).collect();
        }
        let hidden = hidden.iter().cloned().zip(witnesses).collect();
        self.found.packed(Packing { expr: branch.expr, hidden, from, to: result.clone(), explicit: false });
    }

    /// The least general generalisation over lengths; `None` if the types differ in more than lengths.
    fn generalization(&mut self, a: &Ty, b: &Ty, scopes: (ScopeId, ScopeId), pairs: &mut Pairs) -> Option<Ty> {
        let (a, b) = (self.table.shallow(a), self.table.shallow(b));
        match (a.kind(), b.kind()) {
            (TyKind::Array(x), TyKind::Array(y)) if x.position.is_none() && y.position.is_none() => {
                let len = self.common_length(&x.len, &y.len, scopes, pairs);
                let element = self.generalization(&x.element, &y.element, scopes, pairs)?;
                Some(Ty::new(TyKind::Array(ArrayTy { element, len, position: None })))
            }
            (TyKind::Tuple(xs), TyKind::Tuple(ys)) if xs.len() == ys.len() => {
                let parts: Option<Vec<Ty>> =
                    xs.iter().zip(ys).map(|(x, y)| self.generalization(x, y, scopes, pairs)).collect();
                Some(Ty::tuple(parts?))
            }
            // Elements that depend on their position, or still may, are the same in both.
            (TyKind::Array(x), TyKind::Array(y)) => {
                let len = self.common_length(&x.len, &y.len, scopes, pairs);
                let [a, b] = [x, y].map(|array| Ty::new(TyKind::Array(ArrayTy { len: len.clone(), ..array.clone() })));
                self.try_unify(&a, &b, &Cause::Result(self.scopes.expr(scopes.0))).ok().map(|()| self.table.zonk(&b))
            }
            _ => self.try_unify(&a, &b, &Cause::Result(self.scopes.expr(scopes.0))).ok().map(|()| a),
        }
    }

    fn common_length(&mut self, a: &Size, b: &Size, scopes: (ScopeId, ScopeId), pairs: &mut Pairs) -> Size {
        let (a, b) = (self.table.zonk_size(a), self.table.zonk_size(b));
        let sides = [(&a, scopes.0), (&b, scopes.1)];
        let local = sides.iter().any(|(size, scope)| {
            size.any_var(&mut |v| v.kind == VarKind::Bound || self.scopes.is_opened_in(v, *scope))
        });
        if !local && self.table.facts().equal(&a, &b) == Truth::Yes {
            return a;
        }
        // An unknown length of a branch becomes the other branch's length. An unknown length from further out (a
        // parameter's, say) may become any length, so only two of these are unified, and the result keeps it.
        let unknown = |size: &Size| size.as_var().filter(|v| v.kind == VarKind::Unknown).cloned();
        let [of_a, of_b] = [&a, &b].map(unknown);
        let may_become_equal = of_a.is_some() && of_b.is_some()
            || [(of_a, &b, scopes.0), (of_b, &a, scopes.1)].into_iter().any(|(var, other, scope)| {
                let level = self.scopes.level_of(scope);
                var.is_some_and(|v| !other.contains(&v) && self.table.key_level(Key::Size(v.id)) >= level)
            });
        if may_become_equal && self.unify_sizes(&a, &b, &Cause::Result(self.scopes.expr(scopes.0))).is_ok() {
            return self.table.zonk_size(&a);
        }
        if let Some((_, v)) = pairs.iter().find(|(p, _)| p.0 == a && p.1 == b) {
            return Size::var(v.clone());
        }
        let v = self.scopes.bind_length(&format!("·{}", pairs.len()));
        pairs.push(((a, b), v.clone()));
        Size::var(v)
    }
}

fn strip(ty: &Ty) -> Ty {
    match ty.kind() {
        TyKind::Exists(_, inner) => inner.clone(),
        _ => ty.clone(),
    }
}
