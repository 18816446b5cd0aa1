//! Unification of types and lengths.
//!
//! Types unify structurally; lengths by the algebra of [`crate::size`]: an equation with one unknown is solved, one with
//! several is put off ([`Unify::postponed`]) until all but one are known.

use super::table::{Level, Table};
use crate::hir::ExprId;
use crate::size::{Assumption, Facts, Size, Solution, Truth, Var, VarKind, solve};
use crate::ty::{ArrayTy, Class, Ty, TyKind, TyVar};

/// Why two types do not fit, innermost; the outer types are known to the caller.
#[derive(Debug, Clone)]
pub enum Mismatch {
    Types {
        left: Ty,
        right: Ty,
        left_why: Option<ExprId>,
    },
    Lengths {
        left: Size,
        right: Size,
        left_why: Option<ExprId>,
        right_why: Option<ExprId>,
    },
    /// A type that its class does not admit.
    Class {
        class: Class,
        ty: Ty,
    },
    /// A type that would contain itself.
    Infinite {
        ty: Ty,
    },
    /// A length that would leave the scope in which it was opened.
    Escape {
        length: Var,
    },
}

/// One unification: the table it writes to and what it finds on the way.
pub struct Unify<'t> {
    pub table: &'t mut Table,
    /// The level of each opened length.
    pub skolem_levels: &'t [Level],
    pub facts: &'t Facts,
    /// Equations between lengths with more than one unknown.
    pub postponed: Vec<(Size, Size)>,
    /// What the solutions rely on.
    pub assumed: Vec<Assumption>,
}

impl Unify<'_> {
    /// Make the types equal. `left` is what is wanted, `right` what is there.
    pub fn types(&mut self, left: &Ty, right: &Ty) -> Result<(), Mismatch> {
        if left.ptr_eq(right) {
            return Ok(());
        }
        let (l, r) = (self.table.resolve(left), self.table.resolve(right));
        match (l.ty.kind(), r.ty.kind()) {
            (TyKind::Unknown(a), TyKind::Unknown(b)) if a == b => Ok(()),
            (TyKind::Unknown(v), _) => self.bind(*v, &r.ty),
            (_, TyKind::Unknown(v)) => self.bind(*v, &l.ty),
            (TyKind::Error, _) | (_, TyKind::Error) => Ok(()),
            (TyKind::Scalar(a), TyKind::Scalar(b)) if a == b => Ok(()),
            (TyKind::Generic(a), TyKind::Generic(b)) if a == b => Ok(()),
            (TyKind::Vec(a, n), TyKind::Vec(b, m)) => {
                let element = self.types(a, b);
                element.and(self.sizes(n, m))
            }
            (TyKind::Size(a), TyKind::Size(b)) => self.sizes(a, b),
            (TyKind::Array(a), TyKind::Array(b)) => self.arrays(a, b),
            (TyKind::Tuple(a), TyKind::Tuple(b)) if a.len() == b.len() => {
                // All parts, also after a conflict: the rest of the program learns what it can.
                a.iter().zip(b).map(|(a, b)| self.types(a, b)).fold(Ok(()), Result::and)
            }
            (TyKind::Fun(a1, r1), TyKind::Fun(a2, r2)) => {
                let argument = self.types(a1, a2);
                argument.and(self.types(r1, r2))
            }
            (TyKind::Exists(vs, a), TyKind::Exists(ws, b)) if vs.len() == ws.len() => {
                self.existentials(vs, a, ws, b, &l.ty, &r.ty)
            }
            _ => Err(Mismatch::Types { left: l.ty.clone(), right: r.ty.clone(), left_why: l.why }),
        }
    }

    fn arrays(&mut self, a: &ArrayTy, b: &ArrayTy) -> Result<(), Mismatch> {
        let lengths = self.sizes(&a.len, &b.len);
        let elements = match (&a.position, &b.position) {
            (None, None) => self.types(&a.element, &b.element),
            (Some(i), Some(j)) => {
                let at = Size::var(i.clone());
                self.types(&a.element, &b.element.subst_size(j, &at))
            }
            // An element type that may still turn out to mention no position, or an unknown one.
            (Some(_), None) | (None, Some(_)) => self.types(&a.element, &b.element),
        };
        lengths.and(elements)
    }

    /// Two existentials are equal if some renaming of their lengths makes the bodies equal. Lengths correspond in the
    /// order in which they occur, as canonical forms have it; otherwise structure decides.
    fn existentials(&mut self, vs: &[Var], a: &Ty, ws: &[Var], b: &Ty, left: &Ty, right: &Ty) -> Result<(), Mismatch> {
        let (from, to) = (occurrence_order(vs, a), occurrence_order(ws, b));
        let renamed = b.subst_sizes(&mut |v| {
            let at = to.iter().position(|w| w == v)?;
            Some(Size::var(from[at].clone()))
        });
        self.types(a, &renamed).map_err(|m| match m {
            Mismatch::Lengths { .. } => Mismatch::Types { left: left.clone(), right: right.clone(), left_why: None },
            other => other,
        })
    }

    fn bind(&mut self, v: TyVar, ty: &Ty) -> Result<(), Mismatch> {
        if let Some(class) = self.table.class(v) {
            match ty.kind() {
                TyKind::Unknown(w) => {
                    let met = match self.table.class(*w) {
                        Some(other) => class.meet(other).ok_or_else(|| Mismatch::Class { class, ty: ty.clone() })?,
                        None => class,
                    };
                    self.table.set_class(*w, met);
                }
                TyKind::Scalar(s) if class.admits(*s) => {}
                TyKind::Error => {}
                _ => {
                    // Said once: what else meets this unknown is not a second mistake.
                    self.table.bind_type(v, Ty::error());
                    return Err(Mismatch::Class { class, ty: self.table.zonk(ty) });
                }
            }
        }
        let level = self.table.type_level(v);
        let zonked = self.table.zonk(ty);
        let mut infinite = false;
        zonked.any(&mut |t| {
            infinite |= matches!(t.kind(), TyKind::Unknown(w) if *w == v);
            infinite
        });
        if infinite {
            return Err(Mismatch::Infinite { ty: zonked });
        }
        self.adjust_type(&zonked, level)?;
        self.table.bind_type(v, ty.clone());
        Ok(())
    }

    /// Everything in the type may now be seen at `level`.
    fn adjust_type(&mut self, ty: &Ty, level: Level) -> Result<(), Mismatch> {
        let (mut vars, mut types) = (Vec::new(), Vec::new());
        let mut inner: Vec<Var> = Vec::new();
        ty.any(&mut |t| {
            match t.kind() {
                TyKind::Unknown(w) => types.push(*w),
                TyKind::Array(a) => {
                    vars.extend(a.len.vars());
                    inner.extend(a.position.clone());
                }
                TyKind::Vec(_, s) | TyKind::Size(s) => vars.extend(s.vars()),
                TyKind::Exists(vs, _) => inner.extend(vs.iter().cloned()),
                _ => {}
            }
            false
        });
        vars.retain(|v| !inner.contains(v));
        for v in vars {
            self.adjust_var(&v, level)?;
        }
        for t in types {
            self.table.lower_type(t, level);
        }
        Ok(())
    }

    fn adjust_var(&mut self, v: &Var, level: Level) -> Result<(), Mismatch> {
        match v.kind {
            VarKind::Unknown => self.table.lower_size(v.id, level),
            VarKind::Skolem if self.skolem_levels.get(v.id as usize).is_some_and(|l| *l > level) => {
                return Err(Mismatch::Escape { length: v.clone() });
            }
            VarKind::Position | VarKind::Bound => return Err(Mismatch::Escape { length: v.clone() }),
            _ => {}
        }
        Ok(())
    }

    /// Make the lengths equal, now or when more is known.
    pub fn sizes(&mut self, left: &Size, right: &Size) -> Result<(), Mismatch> {
        let (l, r) = (self.table.zonk_size(left), self.table.zonk_size(right));
        if l == r {
            return Ok(());
        }
        let mut unknowns: Vec<Var> =
            l.vars().into_iter().chain(r.vars()).filter(|v| v.kind == VarKind::Unknown).collect();
        unknowns.sort();
        unknowns.dedup();
        let fail = |table: &Table| Mismatch::Lengths {
            left: l.clone(),
            right: r.clone(),
            left_why: table.size_why(left),
            right_why: table.size_why(right),
        };
        if unknowns.is_empty() {
            return match self.facts.equal(&l, &r) {
                Truth::Yes => Ok(()),
                _ => Err(fail(self.table)),
            };
        }
        // A side that is one unknown takes the other's value, unless that mentions it.
        for (one, other) in [(&l, &r), (&r, &l)] {
            if let Some(v) = one.as_var().filter(|v| v.kind == VarKind::Unknown)
                && !other.contains(v)
            {
                return self.bind_size(v.clone(), other.clone());
            }
        }
        if unknowns.len() > 1 {
            self.postponed.push((l, r));
            return Ok(());
        }
        match solve(&l, &r, &unknowns[0], self.facts) {
            Solution::Unique(value, needs) => {
                self.assumed.extend(needs);
                self.bind_size(unknowns[0].clone(), value)
            }
            Solution::None => Err(fail(self.table)),
            Solution::Stuck => {
                self.postponed.push((l, r));
                Ok(())
            }
        }
    }

    fn bind_size(&mut self, v: Var, value: Size) -> Result<(), Mismatch> {
        let level = self.table.size_level(v.id);
        for w in value.vars() {
            self.adjust_var(&w, level)?;
        }
        self.table.bind_size(v.id, value);
        Ok(())
    }
}

/// The variables in the order in which they first occur in the type, outermost length first.
pub fn occurrence_order(vars: &[Var], ty: &Ty) -> Vec<Var> {
    let mut order: Vec<Var> = Vec::new();
    ty.any(&mut |t| {
        let size = match t.kind() {
            TyKind::Array(a) => &a.len,
            TyKind::Vec(_, s) | TyKind::Size(s) => s,
            _ => return false,
        };
        for v in size.vars() {
            if vars.contains(&v) && !order.contains(&v) {
                order.push(v);
            }
        }
        false
    });
    order.extend(vars.iter().filter(|v| !order.contains(v)).cloned().collect::<Vec<_>>());
    order
}
