//! The final numbers and names of quantified variables, so that equal signatures are equal values.

use crate::hir::BinderId;
use crate::infer::lets::LET_BASE;
use crate::infer::walk::generalize::rename_binders;
use crate::size::{Size, Var, VarKind};
use crate::ty::{Scheme, Ty, TyKind};

/// The final numbers of quantified variables: those of the form first, then those of its `let`s.
#[derive(Clone)]
pub struct Renumber {
    /// The number of the form's own quantified types.
    pub types: u32,
    /// The number of the form's own quantified lengths.
    pub sizes: u32,
    /// Size names that become quantified lengths, in order.
    pub params: Vec<BinderId>,
}

impl Renumber {
    pub fn var(&self, v: &Var) -> Option<Size> {
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
    pub fn size(&self, s: &Size) -> Size {
        s.subst(&mut |v| self.var(v))
    }
    pub fn ty(&self, t: &Ty) -> Ty {
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
pub fn canonical(scheme: Scheme) -> Scheme {
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
    let ty = rename_binders(&ty, &binders, &renamed);
    Scheme { ty, dependence, ..scheme }
}
