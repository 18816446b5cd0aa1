//! Generalisation of functions and instantiation of schemes.

use crate::hir::{BinderId, Expr, ExprId, Name};
use crate::infer::Components;
use crate::infer::constraint::Constraint;
use crate::infer::context::Infer;
use crate::infer::result::*;
use crate::infer::table::{Key, Level};
use crate::size::{Assumption, Size, Var, VarKind};
use crate::ty::{ArrayTy, Class, Dependence, Scheme, Ty, TyKind, TyVar};
use rustc_hash::{FxHashMap, FxHashSet};

/// The name of the i-th quantified length: `n`, `m`, `k`, ….
pub fn size_variable_name(i: usize) -> String {
    const NAMES: [&str; 8] = ["n", "m", "k", "l", "p", "q", "r", "s"];
    if i < NAMES.len() { NAMES[i].to_string() } else { format!("{}{}", NAMES[i % NAMES.len()], i / NAMES.len()) }
}

/// The variables of a generalised type.
#[derive(Debug, Default)]
pub struct Quantified {
    pub classes: Vec<Option<Class>>,
    pub sizes: Vec<Var>,
    pub dependence: Dependence,
}

impl Infer<'_> {
    /// Binds every variable of the type deeper than `level` to a quantified variable, numbered from the given ids.
    pub fn quantify(&mut self, ty: &Ty, level: Level, first_type: u32, first_size: u32, taken: &[Name]) -> Quantified {
        let mut out = Quantified::default();
        self.table.forget_cause();
        // A quantified length at another index has no notation, so it is made independent of the index.
        loop {
            let unknowns = self.table.unknowns(&self.table.zonk(ty));
            let quantified = |k: &&Key| self.table.is_at_index(**k) && self.table.key_level(**k) > level;
            let Some(key) = unknowns.iter().find(quantified) else { break };
            self.table.flatten(*key);
        }
        let zonked = self.table.zonk(ty);
        let positions = zonked.positions();
        let mut name = 0;
        for key in self.table.unknowns(&zonked) {
            if self.table.key_level(key) <= level {
                continue;
            }
            let deps = self.table.deps(key);
            let of: Vec<Var> = positions.iter().filter(|p| deps.contains(&p.id)).cloned().collect();
            match key {
                Key::Type(v) => {
                    let v = TyVar(v);
                    let id = first_type + out.classes.len() as u32;
                    out.classes.push(self.table.class(v));
                    out.dependence.types.push(of);
                    self.table.quantify_type(v, id);
                }
                Key::Size(v) => {
                    let text = loop {
                        let text = size_variable_name(name);
                        name += 1;
                        if !taken.iter().any(|t| **t == *text) {
                            break text;
                        }
                    };
                    let var =
                        Var { kind: VarKind::Generic, id: first_size + out.sizes.len() as u32, name: text.into() };
                    out.sizes.push(var.clone());
                    out.dependence.sizes.push(of);
                    self.table.quantify_size(v, &var);
                }
                Key::Scope(_) => {}
            }
        }
        self.wake_bound();
        out
    }

    /// Types `(let f (lambda …) …)` and makes `f` polymorphic.
    pub fn let_function(&mut self, binder: BinderId, value: ExprId) {
        let first = self.agenda.len();
        let assumed = self.found.assumed().len();
        let level = self.scopes.level();
        self.scopes.deepen();
        let ty = self.local_function(binder, value);
        let of_uses = self.guesses.components == Components::OfUses;
        let waits = |c: &Constraint| of_uses && matches!(c, Constraint::Project { .. });
        self.settle_but(first, level, waits);
        self.scopes.undeepen();
        self.keep_undecided(first);
        let (first_type, first_size) = (self.found.lets().first_type(), self.found.lets().first_size());
        let taken = self.found.lets().size_names();
        let q = self.quantify(&ty, self.scopes.level(), first_type, first_size, &taken);
        self.solve();
        let ty = self.table.zonk(&ty);
        self.binders.set_ty(binder, ty.clone());
        if q.classes.is_empty() && q.sizes.is_empty() {
            return;
        }
        self.found.quantify_let(&q.classes, &q.sizes);
        // Each use makes the function's assumptions about the function's own lengths.
        let of_function: FxHashSet<&Var> = q.sizes.iter().collect();
        let own = |a: &Assumption| a.vars().iter().any(|v| of_function.contains(v));
        let mut assumptions = Vec::new();
        let assumed_inside: Vec<Assumed> = self.found.assumed()[assumed..].to_vec();
        for a in assumed_inside {
            let Assumed { assumption, branch, .. } = self.where_computed(a.assumption, a.at);
            if branch.is_none() {
                assumptions.extend(self.in_each_round(&assumption, None).into_iter().filter(&own));
            }
        }
        let constants = self.found.constants().iter().map(|(size, _)| self.table.zonk_size(size));
        let constants = constants.filter(|size| size.any_var(&mut |v| of_function.contains(v))).collect();
        let dependence = q.dependence;
        let (types, sizes) = (q.classes, q.sizes);
        let scheme = Scheme { types, sizes, assumptions, constants, dependence, ..Scheme::mono(ty) };
        self.found.generalized(binder, LetScheme { scheme, first_type, first_size });
    }

    /// The type of a function bound by `let`, before it is generalised.
    fn local_function(&mut self, binder: BinderId, value: ExprId) -> Ty {
        let given = self.found.given_to(binder).cloned();
        match (given, self.program.expr(value).clone()) {
            (Some(given), Expr::Lambda { params, body }) => {
                let declared = self.given_params(&given);
                let ty = self.lambda(&params, body, None, &declared);
                self.found.set_type(value, ty.clone());
                ty
            }
            (given, _) => {
                let expected = given.map(|given| self.given_function(&given));
                self.infer(value, expected.as_ref())
            }
        }
    }

    /// Keeps the variables of open constraints monomorphic, because they depend on a variable from outside.
    /// (`(lambda (x) (let f (lambda (y) (get1 x)) …))`: the result of `f` is a component of `x`.)
    fn keep_undecided(&mut self, first: usize) {
        let undecided: Vec<Key> =
            self.agenda.open(first).flat_map(|(_, constraint)| self.unknowns_of(constraint)).collect();
        for key in undecided {
            let deps = self.table.deps(key);
            self.table.restrict(key, self.scopes.level(), &deps);
        }
    }

    pub fn instantiate_let(&mut self, at: ExprId, s: &LetScheme) -> Ty {
        self.instance(at, &s.scheme, s.first_type)
    }
    pub fn instantiate(&mut self, at: ExprId, scheme: &Scheme) -> Ty {
        self.instance(at, scheme, 0)
    }

    /// A fresh instance of a scheme, whose quantified types are numbered from `first_type`.
    fn instance(&mut self, at: ExprId, scheme: &Scheme, first_type: u32) -> Ty {
        if scheme.types.is_empty() && scheme.sizes.is_empty() {
            return scheme.ty.clone();
        }
        let bound = scheme.positions();
        let positions: Vec<Var> = (0..bound.len()).map(|nth| self.fresh_position(nth)).collect();
        let deps = |of: &[Var]| -> Vec<u32> {
            bound.iter().zip(&positions).filter(|(b, _)| of.contains(b)).map(|(_, p)| p.id).collect()
        };
        let level = self.scopes.level();
        let dependence = &scheme.dependence;
        let types: Vec<Ty> = (scheme.types.iter().enumerate())
            .map(|(i, class)| self.table.fresh_type_at(level, *class, deps(dependence.of_type(i))))
            .collect();
        let sizes: Vec<Size> =
            (0..scheme.sizes.len()).map(|i| self.table.fresh_size_at(level, deps(dependence.of_size(i)))).collect();
        // Each instance has its own binders, so that no two types share one.
        let (ty, element) = self.fresh_binders(&scheme.ty, &bound, &positions, dependence.element.as_ref());
        let instances: FxHashMap<&Var, &Size> = scheme.sizes.iter().zip(&sizes).collect();
        let mut size = |v: &Var| instances.get(v).map(|&size| size.clone());
        let mut generic = |t: &Ty| match t.kind() {
            TyKind::Generic(n) => n.checked_sub(first_type).and_then(|i| types.get(i as usize)).cloned(),
            _ => None,
        };
        let mut ty = ty.rewrite(&mut generic, &mut |s| s.subst(&mut size));
        if let (Some((position, index)), Some(elements)) = (element, types.first()) {
            let index = index.subst(&mut size);
            let (args, result) = ty.uncurry();
            let at_index = self.table.at_index(elements, &position, &index);
            let of = |t: &Ty| (t == elements).then(|| at_index.clone());
            let result = result.rewrite(&mut |t| of(t), &mut Size::clone);
            ty = Ty::funs(args.into_iter().cloned().collect::<Vec<_>>(), result);
        }
        for a in &scheme.assumptions {
            let a = a.subst(&mut size);
            self.assume(a, at);
        }
        for constant in &scheme.constants {
            self.found.require_constant(constant.subst(&mut size), at);
        }
        ty.any(&mut |t| {
            if let Some(ArrayTy { position: Some(p), len, .. }) = t.as_array() {
                self.table.complete_count(p, len);
            }
            false
        });
        self.found.instantiated(at, Instance { types, sizes, positions });
        ty
    }

    /// The type with fresh binders. If the elements of its result are those at another index, also that index variable
    /// and index, in terms of the fresh binders.
    fn fresh_binders(
        &mut self,
        ty: &Ty,
        bound: &[Var],
        positions: &[Var],
        element: Option<&(Var, Size)>,
    ) -> (Ty, Option<(Var, Size)>) {
        let mut binders = bound.to_vec();
        let mut renamed = positions.to_vec();
        ty.any(&mut |t| {
            if let TyKind::Exists(vs, _) = t.kind() {
                binders.extend(vs.iter().cloned());
            }
            false
        });
        if binders.is_empty() {
            return (ty.clone(), None);
        }
        for b in &binders[bound.len()..] {
            renamed.push(self.scopes.bind_length(&b.name));
        }
        let of = |v: &Var| binders.iter().position(|f| f == v).map(|i| renamed[i].clone());
        let element =
            element.and_then(|(position, index)| Some((of(position)?, index.subst(&mut |v| of(v).map(Size::var)))));
        (rename_binders(ty, &binders, &renamed), element)
    }
}

/// Renames binders of lengths and index variables together with their uses.
pub fn rename_binders(ty: &Ty, from: &[Var], to: &[Var]) -> Ty {
    let of = |v: &Var| from.iter().position(|f| f == v).map(|i| to[i].clone());
    fn go(ty: &Ty, of: &dyn Fn(&Var) -> Option<Var>) -> Ty {
        let size = |s: &Size| s.subst(&mut |v| of(v).map(Size::var));
        match ty.kind() {
            TyKind::Exists(vs, t) => {
                Ty::exists(vs.iter().map(|v| of(v).unwrap_or_else(|| v.clone())).collect(), go(t, of))
            }
            TyKind::Array(a) => Ty::new(TyKind::Array(crate::ty::ArrayTy {
                element: go(&a.element, of),
                len: size(&a.len),
                position: a.position.as_ref().map(|p| of(p).unwrap_or_else(|| p.clone())),
            })),
            TyKind::Vec(t, s) => Ty::new(TyKind::Vec(go(t, of), size(s))),
            TyKind::Size(s) => Ty::new(TyKind::Size(size(s))),
            TyKind::Tuple(ts) => Ty::tuple(ts.iter().map(|t| go(t, of)).collect()),
            TyKind::Fun(a, r) => Ty::fun(go(a, of), go(r, of)),
            TyKind::Scalar(_) | TyKind::Unknown(_) | TyKind::Generic(_) | TyKind::Error => ty.clone(),
        }
    }
    go(ty, &of)
}
