//! The end of an inference: defaults, the form's scheme, and final versions of all recorded types.

use super::Mode;
use super::context::Infer;
use super::lets::LET_BASE;
use super::result::*;
use super::table::Key;
use crate::diagnostics::{Diagnostic, Problem};
use crate::hir::*;
use crate::infer::walk::generalize::Quantified;
use crate::size::{Assumption, Size, Truth, Var, VarKind, work};
use crate::ty::{Class, Scheme, Ty, TyKind, TyVar};
use rustc_hash::{FxHashMap, FxHashSet};

impl Infer<'_> {
    pub fn set_type(&mut self, e: ExprId, ty: Ty) {
        self.expr_types[e] = Some(ty);
    }

    pub fn finish(mut self, root: Option<Ty>) -> Inference {
        self.settle(0, 0);
        // A partial type would cause more errors in users of the definition.
        let root = root.map(|ty| if self.budget.is_closed() { Ty::error() } else { ty });
        let is_kernel = self.body.kind == FormKind::Kernel;
        let implicit: Vec<BinderId> = self.body.size_params.clone();
        let taken: Vec<Name> = implicit.iter().map(|b| self.body.binder(*b).name.clone()).collect();
        let mut quantified = Quantified::default();
        if let Some(ty) = &root
            && !is_kernel
        {
            quantified = self.quantify(ty, 0, 0, implicit.len() as u32, &taken);
            self.check_size_names(ty, &implicit);
            // The form's size names do not depend on any index variable.
            quantified.dependence.sizes.splice(0..0, implicit.iter().map(|_| Vec::new()));
            self.solve();
        }
        if is_kernel && !self.is_broken() {
            self.check_kernel_data();
        }
        self.default_rest();
        self.settle(0, 0);
        self.default_rest();
        self.assume_where_computed();
        self.assume_in_each_round();
        let constants = self.open_constants(&quantified.sizes);
        if work::exhausted() {
            self.too_large_to_check();
        }
        if self.budget.is_closed() {
            // Users of the form must not get a part of its assumptions.
            self.out.assumed.clear();
        }

        // The quantified lengths of the form: its declared or implicit size names, then the inferred ones.
        let mut sizes: Vec<Var> = implicit
            .iter()
            .enumerate()
            .map(|(i, b)| Var { kind: VarKind::Generic, id: i as u32, name: self.body.binder(*b).name.clone() })
            .collect();
        sizes.extend(quantified.sizes.iter().cloned());
        let renumber = Renumber {
            types: quantified.classes.len() as u32,
            sizes: sizes.len() as u32,
            // The size names of a kernel stay as they are; others become quantified.
            params: if is_kernel { Vec::new() } else { implicit.clone() },
        };
        let scheme_sizes = Renumber { params: implicit, ..renumber.clone() };
        let scheme = root.map(|ty| {
            let ty = scheme_sizes.ty(&self.table.zonk(&ty));
            self.out.scheme_positions = ty.positions();
            canonical(Scheme {
                types: quantified.classes.clone(),
                sizes: sizes.clone(),
                ty,
                assumptions: Vec::new(),
                constants: Vec::new(),
                dependence: quantified.dependence.clone(),
            })
        });
        self.finalize(&renumber);
        self.out.scheme = scheme;
        self.check_assumptions();
        self.check_vectors();
        if let Some(scheme) = &mut self.out.scheme {
            let of_form: FxHashSet<&Var> = sizes.iter().collect();
            let own = |a: &Assumption| a.vars().iter().all(|v| of_form.contains(v)) && !a.vars().is_empty();
            let all = self.out.assumed.iter().filter(|a| a.branch.is_none());
            let all = all.map(|a| a.assumption.subst(&mut |v| scheme_sizes.var(v)));
            let mut seen = FxHashSet::default();
            scheme.assumptions = all.filter(|a| own(a) && seen.insert(a.clone())).collect();
            scheme.constants = constants.iter().map(|size| scheme_sizes.size(size)).collect();
        }
        self.record_lengths();
        // Report a type that was replaced by an error because of its size, wherever that happened.
        self.over_budget();
        self.out.diagnostics.splice(0..0, self.body.diagnostics.iter().cloned());
        self.out
    }

    /// Checks that the type of a definition determines its size names, because uses infer them from it.
    fn check_size_names(&mut self, ty: &Ty, names: &[BinderId]) {
        if self.is_broken() {
            return;
        }
        let ty = self.table.zonk(ty);
        for &name in names {
            let size = self.size_of_binder(name);
            if size.as_var().is_some_and(|v| !ty.any_size_var(&mut |other| other == v)) {
                let problem = Problem::UndeterminedSize { name: self.body.binder(name).name.clone(), ty: ty.clone() };
                self.error(Node::Binder(name), &problem);
            }
        }
    }

    /// Checks that a kernel takes and returns data, not functions.
    fn check_kernel_data(&mut self) {
        let Some(Expr::Lambda { params, body }) = self.body.root.map(|root| self.body.expr(root)) else { return };
        let is_function = |ty: &Ty| ty.any(&mut |part| matches!(part.kind(), TyKind::Fun(..)));
        for (param, at) in params.iter().zip(&self.body.param_types) {
            let Some(ty) = self.binders.ty(*param).map(|ty| self.table.zonk(ty)) else { continue };
            if is_function(&ty) {
                self.error(Node::Type(*at), &Problem::KernelTakesFunction { ty });
            }
        }
        let Some(ty) = self.expr_types[*body].as_ref().map(|ty| self.table.zonk(ty)) else { return };
        if is_function(&ty) {
            let meant = self.meant_whole_call(*body, &ty).or_else(|| self.meant_fewer_parameters(*body));
            let d = Diagnostic::new(Node::Expr(*body), &Problem::KernelReturnsFunction { ty });
            self.diagnostic(match meant {
                Some(meant) => meant.add_to(d),
                None => d,
            });
        }
    }

    /// The operators and definitions whose type at this use mentions the variable.
    fn named_with(&self, unknown: Key) -> Vec<ExprId> {
        let exprs = self.expr_types.ids();
        let named = exprs.filter(|e| matches!(self.body.expr(*e), Expr::Global(_)));
        let mentions = |e: &ExprId| {
            let ty = self.expr_types[*e].as_ref();
            ty.is_some_and(|ty| self.table.unknowns(&self.table.zonk(ty)).contains(&unknown))
        };
        named.filter(mentions).collect()
    }

    /// Defaults the remaining variables: numbers to Int (Float where they must be floating); a length is an error.
    fn default_rest(&mut self) {
        self.table.why = None;
        // After an error, variables that it left undetermined become errors.
        let broken = self.is_broken();
        let of = |class| if broken { Ty::error() } else { Ty::scalar(default_of(class)) };
        let no_length = if broken { Size::var(crate::ty::bound(u32::MAX, "?")) } else { Size::zero() };
        for e in self.expr_types.ids() {
            self.table.shorten_chains();
            let Some(ty) = self.expr_types[e].clone() else { continue };
            let (ty, rest) = self.flatten_rest(&ty);
            // Stored without bound variables, so that they are resolved once.
            self.expr_types[e] = Some(ty);
            for key in rest {
                match key {
                    Key::Type(v) => {
                        let class = self.table.class(TyVar(v));
                        if class.is_some() {
                            let named = self.named_with(key);
                            self.out.defaulted.extend(if named.is_empty() { vec![e] } else { named });
                        }
                        self.table.bind_type(TyVar(v), of(class));
                    }
                    Key::Size(v) => {
                        if !self.is_broken() {
                            self.error(Node::Expr(e), &Problem::AmbiguousLength);
                        }
                        self.table.bind_size(v, no_length.clone());
                    }
                    Key::Scope(_) => {}
                }
            }
        }
        let default = |this: &mut Self, rest: Vec<Key>| {
            for key in rest {
                match key {
                    Key::Type(v) => {
                        let class = this.table.class(TyVar(v));
                        this.table.bind_type(TyVar(v), of(class));
                    }
                    Key::Size(v) => this.table.bind_size(v, no_length.clone()),
                    Key::Scope(_) => {}
                }
            }
        };
        for binder in self.binders.types().ids() {
            let Some(ty) = self.binders.ty(binder).cloned() else { continue };
            let (ty, rest) = self.flatten_rest(&ty);
            self.binders.set_ty(binder, ty);
            default(self, rest);
        }
        let instances: Vec<Ty> = self.out.instances.values().flat_map(|i| i.types.clone()).collect();
        for ty in instances {
            let rest = self.flatten_rest(&ty).1;
            default(self, rest);
        }
        self.wake_bound();
    }

    /// Makes variables at an index independent of it, then returns the type without bound variables, and its variables.
    fn flatten_rest(&mut self, ty: &Ty) -> (Ty, Vec<Key>) {
        if self.table.is_final(ty) {
            return (ty.clone(), Vec::new());
        }
        loop {
            let ty = self.table.zonk(ty);
            let unknowns = self.table.unknowns(&ty);
            let Some(key) = unknowns.iter().find(|k| self.table.is_at_index(**k)) else { return (ty, unknowns) };
            self.table.flatten(*key);
        }
    }

    fn is_broken(&self) -> bool {
        let is_error = |d: &crate::diagnostics::Diagnostic| d.severity == crate::diagnostics::Severity::Error;
        self.uses_broken
            || self.out.diagnostics.iter().chain(&self.body.diagnostics).any(is_error)
            || self.body.exprs.contains(&Expr::Missing)
            || self.body.sizes.contains(&SizeRef::Error)
    }

    fn finalize(&mut self, renumber: &Renumber) {
        let body = self.body;
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
        let expr_types = finals(&self.expr_types);
        let binder_types = finals(self.binders.types());
        let checked_in: Vec<Option<ExprId>> = self.out.assumed.iter().map(|a| self.checked_in(a)).collect();
        let mut out = std::mem::take(&mut self.out);
        let ty = |t: &Ty| renumber.ty(&self.table.finished(t)).without_idle_positions();
        let size = |s: &Size| renumber.size(&self.table.zonk_size(s));
        out.expr_types = expr_types.into();
        out.binder_types = binder_types.into();
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
            let known = self.table.positions.get(at.position.id as usize).and_then(|p| p.count.as_ref());
            at.count = known.map(&size);
        }
        for index in out.indices.values_mut() {
            *index = size(index);
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
        // Drop the openings of parameters that no use needs opened.
        let unused = |o: &Opening| match o.site {
            Site::Binder(b) => !o.explicit && !self.binders.is_used_opened(b),
            Site::Expr(_) => false,
        };
        out.openings.retain(|o| !unused(o));
        // Where the program unpacks a name that is also used opened, hide its length again.
        if self.mode == Mode::Insert {
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
        out.defaulted.sort();
        out.defaulted.dedup();
        out.uses.sort();
        self.out = out;
    }

    /// Restricts the assumptions made in branches to the conditions under which they are taken.
    fn assume_where_computed(&mut self) {
        let all = std::mem::take(&mut self.out.assumed);
        let in_branch = |a: Assumed| self.where_computed(a.assumption, a.at);
        self.out.assumed = all.into_iter().map(in_branch).collect();
    }

    /// Drops assumptions that always hold and reports those that never hold.
    fn check_assumptions(&mut self) {
        let mut kept: Vec<Assumed> = Vec::new();
        let mut seen = FxHashSet::default();
        for a in std::mem::take(&mut self.out.assumed) {
            match self.facts_about(&a.assumption.vars()).proves(&a.assumption) {
                Truth::Yes => {}
                Truth::No => self.false_assumption(&a),
                // With few index values, some cases may be provable.
                Truth::Unknown => {
                    for assumption in self.facts.left_of(a.assumption.clone()).at_few_positions() {
                        match self.facts_about(&assumption.vars()).proves(&assumption) {
                            Truth::Yes => {}
                            Truth::No => self.false_assumption(&a),
                            Truth::Unknown if !seen.insert(assumption.clone()) => {}
                            Truth::Unknown => kept.push(Assumed { assumption, ..a }),
                        }
                    }
                }
            }
        }
        self.out.assumed = kept;
    }

    fn false_assumption(&mut self, a: &Assumed) {
        let problem = Problem::AssumptionFalse { call: self.short(a.at), assumption: a.assumption.clone() };
        self.error(Node::Expr(a.at), &problem);
    }

    /// Reports the first expression with an invalid inferred vector width.
    fn check_vectors(&mut self) {
        let mut found = None;
        for (e, ty) in self.out.expr_types.entries() {
            ty.any(&mut |t| {
                if let TyKind::Vec(_, w) = t.kind()
                    && w.as_const().is_some_and(|n| !matches!(n, 2 | 3 | 4 | 8 | 16))
                {
                    found = Some((e, w.clone()));
                }
                found.is_some()
            });
            if found.is_some() {
                break;
            }
        }
        if let Some((e, width)) = found {
            self.check_vector_width(&width, Node::Expr(e));
        }
    }

    fn record_lengths(&mut self) {
        // Descriptions read `expr_types`, so replace them by the final types.
        self.expr_types = self.out.expr_types.iter().cloned().map(Some).collect();
        let openings = self.out.openings.clone();
        for o in &openings {
            for l in &o.lengths {
                let origin = self.length_origin(o, l);
                self.out.lengths.push(origin);
            }
        }
    }
}

fn default_of(class: Option<Class>) -> Scalar {
    match class {
        Some(Class::Floating) => Scalar::Float,
        _ => Scalar::Int,
    }
}

/// The final numbers of quantified variables: those of the form first, then those of its `let`s.
#[derive(Clone)]
struct Renumber {
    types: u32,
    sizes: u32,
    /// Size names that become quantified lengths, in order.
    params: Vec<BinderId>,
}

impl Renumber {
    fn var(&self, v: &Var) -> Option<Size> {
        match v.kind {
            VarKind::Param => {
                let i = self.params.iter().position(|b| b.0 == v.id)?;
                Some(Size::var(Var { kind: VarKind::Generic, id: i as u32, name: v.name.clone() }))
            }
            VarKind::Generic if v.id >= LET_BASE => {
                Some(Size::var(Var { id: v.id - LET_BASE + self.sizes, ..v.clone() }))
            }
            _ => None,
        }
    }
    fn size(&self, s: &Size) -> Size {
        s.subst(&mut |v| self.var(v))
    }
    fn ty(&self, t: &Ty) -> Ty {
        t.rewrite(
            &mut |t| match t.kind() {
                TyKind::Generic(n) if *n >= LET_BASE => Some(Ty::new(TyKind::Generic(n - LET_BASE + self.types))),
                _ => None,
            },
            &mut |s| self.size(s),
        )
    }
}

/// Renumbers existential binders and index variables in order of appearance, so that equal signatures are equal values.
fn canonical(scheme: Scheme) -> Scheme {
    let Scheme { ty, mut dependence, .. } = scheme;
    let mut binders: Vec<Var> = Vec::new();
    ty.any(&mut |t| {
        if let TyKind::Exists(vs, _) = t.kind() {
            binders.extend(vs.iter().cloned());
        }
        false
    });
    let mut renamed: Vec<Var> = binders.iter().enumerate().map(|(i, v)| crate::ty::bound(i as u32, &v.name)).collect();
    for (i, p) in ty.positions().into_iter().enumerate() {
        renamed.push(Var { id: i as u32, ..p.clone() });
        binders.push(p);
    }
    for deps in dependence.types.iter_mut().chain(&mut dependence.sizes) {
        for d in deps.iter_mut() {
            if let Some(i) = binders.iter().position(|b| b == d) {
                *d = renamed[i].clone();
            }
        }
    }
    let ty = crate::infer::walk::generalize::rename_binders(&ty, &binders, &renamed);
    Scheme { ty, dependence, ..scheme }
}
