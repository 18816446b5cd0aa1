//! Hiding lengths: the `pack` at the end of a scope, the written `pack`, and checked casts.

use crate::diagnostics::{Diagnostic, Edit, Note, Problem, Title};
use crate::hir::{Body, Expr, ExprId, Node};
use crate::infer::cause::Cause;
use crate::infer::context::Infer;
use crate::infer::result::*;
use crate::infer::scopes::ScopeId;
use crate::infer::table::unify::occurrence_order;
use crate::size::{Assumption, LengthCheck, Size, Truth, Var, VarKind};
use crate::ty::{ArrayTy, Ty, TyKind};

/// Names for hidden lengths, `X`, `Y`, `Z`, …, without those that occur in the type.
pub fn bound_names(ty: &Ty, hidden: &[Var]) -> impl Iterator<Item = String> + use<> {
    let mut shown = Vec::new();
    ty.any(&mut |t| {
        match t.kind() {
            TyKind::Array(a) => shown.extend(a.len.vars()),
            TyKind::Vec(_, s) | TyKind::Size(s) => shown.extend(s.vars()),
            TyKind::Exists(vs, _) => shown.extend(vs.iter().cloned()),
            _ => {}
        }
        false
    });
    shown.retain(|v| !hidden.contains(v));
    (0u32..)
        .map(|i| {
            let letter = ["X", "Y", "Z", "W", "V", "U"][(i % 6) as usize];
            if i < 6 { letter.to_string() } else { format!("{letter}{}", i / 6) }
        })
        .filter(move |n| !shown.iter().any(|v| *v.name == **n))
}

/// Whether a length mentions an index variable or a length bound further in.
fn depends_on_binder(size: &Size) -> bool {
    size.any_var(&mut |v| matches!(v.kind, VarKind::Position | VarKind::Bound))
}

/// Whether a length occurs in a function type inside `ty`; such a type cannot be hidden.
fn inside_function(ty: &Ty, vars: &[Var]) -> bool {
    ty.any(&mut |t| matches!(t.kind(), TyKind::Fun(..)) && vars.iter().any(|v| t.mentions(v)))
}

/// Whether `(pack e)` would hide the same lengths: each distinct length that mentions one opened since the start of the
/// surrounding lambda or branch or, if there is none, the outermost one.
pub fn hides_as_pack_does(p: &Packing, opened: &[Var]) -> bool {
    let mut distinct: Vec<Size> = Vec::new();
    p.from.any(&mut |t| {
        if let TyKind::Array(a) = t.kind()
            && a.len.any_var(&mut |v| opened.contains(v))
            && !distinct.contains(&a.len)
        {
            distinct.push(a.len.clone());
        }
        false
    });
    if !distinct.is_empty() {
        return p.hidden.len() == distinct.len() && p.hidden.iter().all(|h| distinct.contains(&h.1));
    }
    let (TyKind::Exists(bound, to), Some(from)) = (p.to.kind(), p.from.as_array()) else { return false };
    let outermost = |a: &ArrayTy| a.element == from.element && a.len.as_var().is_some_and(|v| bound.contains(v));
    bound.len() == 1 && to.as_array().is_some_and(outermost)
}

/// The last expression of a chain of `let`s.
pub fn tail(body: &Body, expr: ExprId) -> ExprId {
    let mut e = expr;
    while let Expr::Let { body: inner, .. } = body.expr(e) {
        e = *inner;
    }
    e
}

impl Infer<'_> {
    /// The existential type that hides `lengths`, and the size that each of its bound lengths represents.
    ///
    /// As in the paper (Fig. 13), lengths of arrays are hidden: each distinct length in the type that mentions one of
    /// `lengths` becomes one bound length. A length that also depends on an index variable keeps its form, and the
    /// opened lengths in it are bound.
    pub fn hide(&mut self, ty: &Ty, lengths: &[Var]) -> (Ty, Vec<(Var, Size)>) {
        let mut hidden: Vec<Size> = Vec::new();
        let mut note = |s: &Size| {
            let mine: Vec<Var> = s.vars().into_iter().filter(|v| lengths.contains(v)).collect();
            if mine.is_empty() {
                return;
            }
            let whole = !depends_on_binder(s);
            let parts = if whole { vec![s.clone()] } else { mine.into_iter().map(Size::var).collect() };
            for p in parts {
                if !hidden.contains(&p) {
                    hidden.push(p);
                }
            }
        };
        ty.any(&mut |t| {
            match t.kind() {
                TyKind::Array(a) => note(&a.len),
                TyKind::Vec(_, s) | TyKind::Size(s) => note(s),
                _ => {}
            }
            false
        });
        let names: Vec<String> = bound_names(ty, lengths).take(hidden.len()).collect();
        let bound: Vec<Var> = names.iter().map(|n| self.scopes.bind_length(n)).collect();
        let of = |s: &Size| hidden.iter().position(|h| h == s).map(|i| Size::var(bound[i].clone()));
        let body =
            ty.rewrite(&mut |_| None, &mut |s| of(s).unwrap_or_else(|| s.subst(&mut |v| of(&Size::var(v.clone())))));
        (Ty::exists(bound.clone(), body), bound.into_iter().zip(hidden).collect())
    }

    fn lengths_in(&self, ty: &Ty, wanted: impl Fn(&Var) -> bool) -> Vec<Var> {
        let mut all = Vec::new();
        ty.any_size_var(&mut |v| {
            if wanted(v) && !all.contains(v) {
                all.push(v.clone());
            }
            false
        });
        occurrence_order(&all, ty)
    }

    /// Ends a scope whose body has type `ty`: hides the lengths of the scope that the type mentions.
    pub fn close(&mut self, ty: &Ty, to: &Ty, scope: ScopeId, expr: ExprId) {
        let lengths = self.lengths_in(ty, |v| self.scopes.is_opened_in(v, scope));
        if lengths.is_empty() {
            self.unify(to, ty, &Cause::Result(expr));
            return;
        }
        if self.program.is_explicit() || inside_function(ty, &lengths) {
            self.length_escapes(ty, &lengths[0], expr);
            self.unify(to, &Ty::error(), &Cause::Result(expr));
            return;
        }
        // A value with a hidden length that also mentions lengths of this scope: hide all of them together.
        let mut ty = ty.clone();
        let mut lengths = lengths;
        if matches!(ty.kind(), TyKind::Exists(..)) {
            ty = self.open_in(&ty, Site::Expr(tail(self.program.body(), expr)), scope, false, &[]);
            lengths = self.lengths_in(&ty, |v| self.scopes.is_opened_in(v, scope));
        }
        let (packed, hidden) = self.hide(&ty, &lengths);
        self.found.packed(Packing { expr, hidden, from: ty, to: packed.clone(), explicit: false });
        self.unify(to, &packed, &Cause::Result(expr));
    }

    /// `(pack e)`: hides the lengths opened since the enclosing lambda or, if there are none, the outermost length.
    pub fn pack(&mut self, ty: &Ty, to: &Ty, scope: ScopeId, expr: ExprId, inner: ExprId) {
        let result = match ty.kind() {
            TyKind::Error => Ty::error(),
            // Already hidden.
            TyKind::Exists(..) => {
                self.found.packed(Packing {
                    expr,
                    hidden: Vec::new(),
                    from: ty.clone(),
                    to: ty.clone(),
                    explicit: true,
                });
                ty.clone()
            }
            _ => {
                let lengths = self.lengths_in(ty, |v| self.scopes.is_opened_within(v, scope));
                let (packed, hidden) = match (lengths.is_empty(), ty.kind()) {
                    (false, _) if !inside_function(ty, &lengths) => self.hide(ty, &lengths),
                    (true, TyKind::Array(_)) if self.is_given_sizes => {
                        self.unify(to, ty, &Cause::Result(expr));
                        return;
                    }
                    (true, TyKind::Array(a)) => self.hide_outermost(ty, a),
                    _ => {
                        self.error(Node::Expr(inner), &Problem::NothingToPack { ty: ty.clone() });
                        self.unify(to, &Ty::error(), &Cause::Result(expr));
                        return;
                    }
                };
                self.found.packed(Packing { expr, hidden, from: ty.clone(), to: packed.clone(), explicit: true });
                packed
            }
        };
        self.unify(to, &result, &Cause::Result(expr));
    }

    fn hide_outermost(&mut self, ty: &Ty, a: &ArrayTy) -> (Ty, Vec<(Var, Size)>) {
        let name = bound_names(ty, &[]).next().unwrap_or_else(|| "X".into());
        let bound = self.scopes.bind_length(&name);
        let array = ArrayTy { element: a.element.clone(), len: Size::var(bound.clone()), position: a.position.clone() };
        let packed = Ty::exists(vec![bound.clone()], Ty::new(TyKind::Array(array)));
        (packed, vec![(bound, a.len.clone())])
    }

    /// Checks an argument of an existential parameter, whose length is hidden on the way in. A hidden length may be of
    /// this level.
    pub fn coerce_to_existential(&mut self, actual: &Ty, wanted: &Ty, level: u32, arg: ExprId, cause: &Cause) {
        let (head, wanted) = (self.table.shallow(actual), self.table.zonk(wanted));
        match (head.kind(), wanted.kind()) {
            (TyKind::Array(_) | TyKind::Tuple(_), TyKind::Exists(vars, inner))
                if !self.program.is_explicit() || matches!(cause, Cause::Annotation(_)) =>
            {
                let witnesses: Vec<Size> = vars.iter().map(|_| self.table.fresh_size(level)).collect();
                let open = inner.subst_sizes(&mut |v| vars.iter().position(|b| b == v).map(|i| witnesses[i].clone()));
                self.unify(&open, actual, cause);
                let hidden = vars.iter().cloned().zip(witnesses).collect();
                self.found.packed(Packing {
                    expr: arg,
                    hidden,
                    from: actual.clone(),
                    to: wanted.clone(),
                    explicit: false,
                });
            }
            _ => {
                self.unify(&wanted, actual, cause);
            }
        }
    }

    /// Checks `(: e type)`, equal except for sizes. Sizes not proved equal are checked at run time.
    pub fn cast(&mut self, from: &Ty, to: &Ty, at: ExprId) {
        let mut checks = Vec::new();
        if !self.cast_parts(from, to, &|from, to| from == to, &mut checks) {
            self.unify(to, from, &Cause::Annotation(at));
            return;
        }
        let never = |check: &&LengthCheck| self.table.facts().equal(&check.left, &check.right) == Truth::No;
        let refuted = checks.iter().find(never).cloned();
        if let Some(check) = refuted {
            let assumption = self.where_computed(check.assumption(), at).assumption;
            // A false condition in a branch that is never taken is not an error.
            if !self.table.facts().proves(&assumption).is_yes() {
                let problem = Problem::AnnotationFalse { left: check.left, right: check.right };
                self.error(Node::Expr(at), &problem);
                return;
            }
        }
        if !checks.is_empty() {
            let wanted: Vec<Assumption> = checks.iter().map(LengthCheck::assumption).collect();
            let since = self.follows_where_computed(&wanted, at).unwrap_or_default();
            wanted.into_iter().for_each(|assumption| self.assume(assumption, at));
            let (from, to) = (from.clone(), to.clone());
            self.found.cast(CheckedCast { expr: at, of: CastOf::Written, since, checks, from, to });
        }
    }

    /// Whether the types agree except for sizes, where `same` compares types without lengths. Collects the sizes not known
    /// to be equal.
    pub fn cast_parts(
        &self,
        from: &Ty,
        to: &Ty,
        same: &dyn Fn(&Ty, &Ty) -> bool,
        checks: &mut Vec<LengthCheck>,
    ) -> bool {
        let (from, to) = (self.table.zonk(from), self.table.zonk(to));
        match (from.kind(), to.kind()) {
            (TyKind::Array(a), TyKind::Array(b)) if a.position.is_none() || b.position.is_some() => {
                if self.table.facts().equal(&a.len, &b.len) != Truth::Yes {
                    checks.push(LengthCheck::new(a.len.clone(), b.len.clone()));
                }
                let element = match (&a.position, &b.position) {
                    (Some(p), Some(q)) => a.element.subst_size(p, &Size::var(q.clone())),
                    _ => a.element.clone(),
                };
                let mut of_rows = Vec::new();
                let agree = self.cast_parts(&element, &b.element, same, &mut of_rows);
                let in_rows = |check: LengthCheck| match &b.position {
                    Some(position) => check.in_rows(position.clone(), b.len.clone()),
                    None => check,
                };
                checks.extend(of_rows.into_iter().map(in_rows));
                agree
            }
            (TyKind::Tuple(a), TyKind::Tuple(b)) if a.len() == b.len() => {
                a.iter().zip(b).all(|(a, b)| self.cast_parts(a, b, same, checks))
            }
            _ => same(&from, &to) || from.is_error() || to.is_error(),
        }
    }

    pub fn nothing_to_unpack(&mut self, site: Site, ty: &Ty) {
        if ty.contains_error() || self.is_given_sizes {
            return;
        }
        let ty = self.table.zonk(ty);
        self.error(site.node(), &Problem::NothingToUnpack { ty });
    }

    pub fn length_escapes(&mut self, ty: &Ty, length: &Var, expr: ExprId) {
        let explicit = self.program.is_explicit();
        let problem = Problem::LengthLeavesScope { ty: ty.clone(), length: length.name.clone(), explicit };
        let mut d = Diagnostic::new(Node::Expr(expr), &problem);
        if let Some(o) = self.found.opening_of(length) {
            d = d.related(o.site.node(), &Note::OpenedHere { length: length.name.clone() });
        }
        if explicit {
            let pack = vec![
                Edit::InsertBefore(Node::Expr(expr), "(pack ".into()),
                Edit::InsertAfter(Node::Expr(expr), ")".into()),
            ];
            d = d.fix(Title::HideLength.certain(pack));
        }
        self.found.diagnostic(d);
    }
}
