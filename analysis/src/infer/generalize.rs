//! Generalisation of functions and instantiation of schemes.

use super::context::{Infer, LET_BASE};
use super::result::*;
use super::table::{Key, Level};
use crate::hir::{BinderId, ExprId, Name};
use crate::size::{Assumption, Size, Var, VarKind};
use crate::ty::{Class, Scheme, Ty, TyKind, TyVar};

/// `n`, `m`, `k`, … for the i-th quantified length.
pub fn size_variable_name(i: usize) -> String {
    const NAMES: [&str; 8] = ["n", "m", "k", "l", "p", "q", "r", "s"];
    if i < NAMES.len() { NAMES[i].to_string() } else { format!("{}{}", NAMES[i % NAMES.len()], i / NAMES.len()) }
}

/// The variables of a generalised type.
#[derive(Debug, Default)]
pub struct Quantified {
    pub classes: Vec<Option<Class>>,
    pub sizes: Vec<Var>,
}

impl Infer<'_> {
    /// Bind every unknown of the type that is deeper than `level` to a quantified variable, numbered from the given ids.
    pub fn quantify(&mut self, ty: &Ty, level: Level, first_type: u32, first_size: u32, taken: &[Name]) -> Quantified {
        let mut out = Quantified::default();
        let zonked = self.table.zonk(ty);
        self.table.why = None;
        let mut name = 0;
        for key in self.table.unknowns(&zonked) {
            if self.table.key_level(key) <= level {
                continue;
            }
            match key {
                Key::Type(v) => {
                    let v = TyVar(v);
                    let id = first_type + out.classes.len() as u32;
                    out.classes.push(self.table.class(v));
                    self.table.bind_type(v, Ty::new(TyKind::Generic(id)));
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
                    self.table.bind_size(v, Size::var(var));
                }
                Key::Scope(_) => {}
            }
        }
        self.wake_bound();
        out
    }

    /// `(let f (lambda …) …)`: `f` is polymorphic.
    pub fn let_function(&mut self, binder: BinderId, value: ExprId) {
        let first = self.deferred.len();
        let assumed = self.out.assumed.len();
        self.level += 1;
        let ty = self.infer(value, None);
        self.level -= 1;
        self.settle(first, self.level);
        let (first_type, first_size) = (LET_BASE + self.let_types.len() as u32, LET_BASE + self.let_sizes.len() as u32);
        let taken: Vec<Name> = self.let_sizes.iter().map(|v| v.name.clone()).collect();
        let q = self.quantify(&ty, self.level, first_type, first_size, &taken);
        self.solve();
        let ty = self.table.zonk(&ty);
        self.binder_types[binder.index()] = Some(ty.clone());
        if q.classes.is_empty() && q.sizes.is_empty() {
            return;
        }
        self.let_types.extend(q.classes.iter().copied());
        self.let_sizes.extend(q.sizes.iter().cloned());
        // What the function assumes of its own lengths, each use assumes of its.
        let own = |a: &Assumption| a.vars().iter().any(|v| q.sizes.contains(v));
        let mut assumptions = Vec::new();
        for a in &self.out.assumed[assumed..] {
            let a = a.assumption.subst(&mut |v| match v.kind {
                VarKind::Unknown => Some(self.table.zonk_size(&Size::var(v.clone()))),
                _ => None,
            });
            if own(&a) {
                assumptions.push(a);
            }
        }
        let scheme = Scheme { types: q.classes, sizes: q.sizes, ty, assumptions };
        self.out.let_schemes.insert(binder, LetScheme { scheme, first_type, first_size });
    }

    pub fn instantiate_let(&mut self, at: ExprId, s: &LetScheme) -> Ty {
        self.instance(at, &s.scheme, s.first_type)
    }
    pub fn instantiate(&mut self, at: ExprId, scheme: &Scheme) -> Ty {
        self.instance(at, scheme, 0)
    }

    /// A fresh instance; quantified types are numbered from `first_type` in the scheme.
    fn instance(&mut self, at: ExprId, scheme: &Scheme, first_type: u32) -> Ty {
        if scheme.types.is_empty() && scheme.sizes.is_empty() {
            return scheme.ty.clone();
        }
        let types: Vec<Ty> = scheme.types.iter().map(|c| self.table.fresh_in(self.level, *c)).collect();
        let sizes: Vec<Size> = scheme.sizes.iter().map(|_| self.fresh_size()).collect();
        let mut size = |v: &Var| scheme.sizes.iter().position(|s| s == v).map(|i| sizes[i].clone());
        // The existentials of each instance bind lengths of their own, so that no two types share a binder.
        let ty = self.fresh_binders(&scheme.ty);
        let ty = ty.rewrite(
            &mut |t| match t.kind() {
                TyKind::Generic(n) => n.checked_sub(first_type).and_then(|i| types.get(i as usize)).cloned(),
                _ => None,
            },
            &mut |s| s.subst(&mut size),
        );
        for a in &scheme.assumptions {
            let a = a.subst(&mut size);
            self.assume(a, at);
        }
        self.out.instances.insert(at, Instance { types, sizes });
        ty
    }

    fn fresh_binders(&mut self, ty: &Ty) -> Ty {
        let mut binders = Vec::new();
        ty.any(&mut |t| {
            if let TyKind::Exists(vs, _) = t.kind() {
                binders.extend(vs.iter().cloned());
            }
            false
        });
        if binders.is_empty() {
            return ty.clone();
        }
        let renamed: Vec<Var> = binders.iter().map(|b| self.fresh_bound(&b.name)).collect();
        rename_binders(ty, &binders, &renamed)
    }
}

/// Rename existential binders together with their uses.
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
                position: a.position.clone(),
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
