//! The result without inference variables: every recorded type and length, with its final numbers.

use super::renumber::Renumber;
use crate::hir::*;
use crate::infer::lets::LET_BASE;
use crate::infer::result::*;
use crate::infer::results::Results;
use crate::size::{LengthCheck, Size, Var};
use crate::ty::{Ty, TyKind};
use rustc_hash::FxHashMap;

impl Results<'_> {
    /// The result so far with final types and numbers.
    pub fn complete(&self, renumber: &Renumber) -> Inference {
        let checked_in: Vec<Option<ExprId>> = self.found.so_far().assumed.iter().map(|a| self.checked_in(a)).collect();
        let mut out = self.found.so_far().clone();
        let (expr_types, binder_types) = self.final_types(renumber);
        out.expr_types = expr_types.into();
        out.binder_types = binder_types.into();
        self.complete_existentials(&mut out, renumber);
        self.complete_indices(&mut out, renumber);
        self.complete_schemes(&mut out, renumber, checked_in);
        self.settle_openings(&mut out);
        out.defaulted.sort();
        out.defaulted.dedup();
        out.uses.sort();
        out
    }

    fn final_ty(&self, ty: &Ty, renumber: &Renumber) -> Ty {
        renumber.ty(&self.table.finished(ty)).without_idle_positions()
    }
    fn final_size(&self, size: &Size, renumber: &Renumber) -> Size {
        renumber.size(&self.table.zonk_size(size))
    }

    /// The types of expressions and of binders.
    fn final_types(&self, renumber: &Renumber) -> (Vec<Ty>, Vec<Ty>) {
        // Few of the types of a form differ, so each final type is built and stored once.
        let mut known: FxHashMap<Ty, Ty> = FxHashMap::default();
        let mut finals = |types: &[Option<Ty>]| -> Vec<Ty> {
            let of = |ty: &Option<Ty>| {
                let Some(ty) = ty else { return Ty::error() };
                let zonked = self.table.finished(ty);
                match known.get(&zonked) {
                    Some(known) => known.clone(),
                    None => {
                        known.entry(zonked).or_insert_with_key(|ty| renumber.ty(ty).without_idle_positions()).clone()
                    }
                }
            };
            types.iter().map(of).collect()
        };
        (finals(self.found.types()), finals(self.binders.types()))
    }

    /// Openings, packings, instances of schemes, and casts.
    fn complete_existentials(&self, out: &mut Inference, renumber: &Renumber) {
        let (ty, size) = (|t: &Ty| self.final_ty(t, renumber), |s: &Size| self.final_size(s, renumber));
        for o in &mut out.openings {
            o.from = ty(&o.from);
            o.to = ty(&o.to);
        }
        for p in &mut out.packings {
            p.from = ty(&p.from);
            p.to = ty(&p.to);
            for h in &mut p.hidden {
                h.1 = size(&h.1);
            }
        }
        for i in out.instances.values_mut() {
            i.types = i.types.iter().map(&ty).collect();
            i.sizes = i.sizes.iter().map(&size).collect();
        }
        for c in &mut out.casts {
            c.from = ty(&c.from);
            c.to = ty(&c.to);
            c.checks = c.checks.iter().map(|check| check.map(&mut |s| size(s))).collect();
        }
        // Lengths that were not known yet may have turned out equal.
        out.casts.retain(|cast| !cast.checks.iter().all(LengthCheck::is_needless));
    }

    /// Index variables, and lengths that depend on an index or an iteration.
    fn complete_indices(&self, out: &mut Inference, renumber: &Renumber) {
        let body = self.program.body();
        let (ty, size) = (|t: &Ty| self.final_ty(t, renumber), |s: &Size| self.final_size(s, renumber));
        let mentioned = |function: &ExprId, at: &Var| match body.expr(*function) {
            Expr::Lambda { params, body: inner } => {
                params.iter().any(|p| out.binder_types[*p].mentions(at)) || out.expr_types[*inner].mentions(at)
            }
            _ => false,
        };
        let kept: Vec<ExprId> =
            out.positions.iter().filter(|(f, at)| mentioned(f, &at.position)).map(|(f, _)| *f).collect();
        out.positions.retain(|function, _| kept.contains(function));
        for at in out.positions.values_mut() {
            at.count = self.table.count(&at.position).map(&size);
        }
        for index in out.indices.values_mut() {
            *index = size(index);
        }
        for named in out.named_sizes.values_mut() {
            *named = size(named);
        }
        for p in out.partitions.values_mut() {
            p.count = size(&p.count);
            p.each = size(&p.each);
        }
        for i in out.iterations.values_mut() {
            i.count = i.count.as_ref().map(size);
            if let Some(length) = &mut i.length {
                length.next = size(&length.next);
                length.start = size(&length.start);
            }
        }
        for change in out.changes.values_mut() {
            change.state = ty(&change.state);
            change.start.iter_mut().chain(&mut change.kept).for_each(|(_, length)| *length = size(length));
        }
    }

    /// Assumptions, each with the expression in which it is checked, and schemes of `let`.
    fn complete_schemes(&self, out: &mut Inference, renumber: &Renumber, checked_in: Vec<Option<ExprId>>) {
        let size = |s: &Size| self.final_size(s, renumber);
        for (a, inside) in out.assumed.iter_mut().zip(checked_in) {
            let zonked = a.assumption.subst(&mut |v| Some(self.table.zonk_size(&Size::var(v.clone()))));
            let known = |v: &Var| inside.is_some_and(|inside| self.is_known_in(v, inside));
            a.assumption = self.table.for_all_positions(zonked, &known);
            a.assumption = a.assumption.subst(&mut |v| Some(size(&Size::var(v.clone()))));
        }
        for s in out.let_schemes.values_mut() {
            s.first_type = s.first_type - LET_BASE + renumber.types;
            s.first_size = s.first_size - LET_BASE + renumber.sizes;
            s.scheme.ty = renumber.ty(&self.table.zonk(&s.scheme.ty));
            s.scheme.sizes =
                s.scheme.sizes.iter().map(|v| Var { id: v.id - LET_BASE + renumber.sizes, ..v.clone() }).collect();
            s.scheme.assumptions =
                s.scheme.assumptions.iter().map(|a| a.subst(&mut |v| Some(size(&Size::var(v.clone()))))).collect();
        }
    }

    /// Drops and adds openings and packings that follow from the uses of names.
    fn settle_openings(&self, out: &mut Inference) {
        let body = self.program.body();
        // Drop the openings of parameters that no use needs opened.
        let unused = |o: &Opening| match o.site {
            Site::Binder(b) => !o.explicit && !self.binders.is_used_opened(b),
            Site::Expr(_) | Site::Argument(..) => false,
        };
        out.openings.retain(|o| !unused(o));
        // Where the program unpacks a name that is also used opened, hide its length again.
        if !self.program.is_explicit() {
            for e in &body.exprs {
                let Expr::Unpack { value, .. } = e else { continue };
                let Expr::Local(b) = body.expr(*value) else { continue };
                if let Some(o) = out.openings.iter().find(|o| o.site == Site::Binder(*b)).cloned() {
                    let TyKind::Exists(vars, _) = o.from.kind() else { continue };
                    let hidden = vars.iter().cloned().zip(o.lengths.iter().map(|l| Size::var(l.clone()))).collect();
                    out.packings.push(Packing {
                        expr: *value,
                        hidden,
                        from: o.to.clone(),
                        to: o.from.clone(),
                        explicit: false,
                    });
                }
            }
        }
    }

    /// The origins of all opened lengths.
    pub fn length_origins(&self) -> Vec<LengthOrigin> {
        let all = self.found.so_far().openings.iter().flat_map(|o| o.lengths.iter().map(move |length| (o, length)));
        all.map(|(o, length)| self.length_origin(o, length)).collect()
    }
}
