//! The unknowns of one inference: types and lengths that unification has still to find.
//!
//! Levels (Rémy 1992) say how deep in lambdas an unknown was made. Binding an unknown of an outer level to a type that
//! mentions a length opened further inside is how an escaping length is found.
//!
//! An unknown under `Array[i => …]` may mention the position `i` although it is of an outer level: it stands for a
//! function of `i`. [`super::positions`] has what follows from that.

use super::positions::{Deps, Position};
use crate::hir::ExprId;
use crate::size::{Size, Var, VarKind};
use crate::ty::{ArrayTy, Class, Ty, TyKind, TyVar};
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::sync::{Arc, LazyLock};

pub type Level = u32;

/// What a deferred constraint can wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Key {
    Type(u32),
    Size(u32),
    /// The openings of a scope.
    Scope(u32),
}

#[derive(Debug, Clone)]
pub enum Slot<T> {
    Unbound {
        level: Level,
        class: Option<Class>,
        /// The positions bound around the unknown that it may mention.
        deps: Deps,
    },
    Bound {
        value: T,
        why: Option<ExprId>,
    },
    /// An unbound unknown with a size in the place of one of its positions.
    At {
        base: u32,
        position: Var,
        index: Size,
    },
}

#[derive(Debug, Default)]
pub struct Table {
    pub types: Vec<Slot<Ty>>,
    pub sizes: Vec<Slot<Size>>,
    /// The unknowns that are another one at some index, by that other one.
    pub type_uses: FxHashMap<u32, Vec<u32>>,
    pub size_uses: FxHashMap<u32, Vec<u32>>,
    /// How many unknowns were looked at for what they depend on, and are not counted as work yet.
    pub looked_at: Cell<u64>,
    pub positions: Vec<Position>,
    /// The quantified parts that may depend on positions, once they are quantified.
    pub generic_types: FxHashMap<u32, Deps>,
    pub generic_sizes: FxHashMap<Var, Deps>,
    /// Why the current unification happens: recorded with each binding as the provenance of the value.
    pub why: Option<ExprId>,
    /// What was bound since the constraints were last looked at.
    pub bound: Vec<Key>,
}

/// A type with the place that last contributed to it, if unification put it there.
pub struct Resolved {
    pub ty: Ty,
    pub why: Option<ExprId>,
}

/// How large a type may be.
#[derive(Debug, Clone, Copy)]
pub struct TypeLimit {
    pub parts: u32,
    /// Parts in one another.
    pub depth: u32,
}

impl Table {
    pub fn fresh(&mut self, level: Level) -> Ty {
        self.fresh_in(level, None)
    }
    pub fn fresh_in(&mut self, level: Level, class: Option<Class>) -> Ty {
        self.fresh_type_at(level, class, Deps::default())
    }
    pub fn fresh_type_at(&mut self, level: Level, class: Option<Class>, deps: Deps) -> Ty {
        self.types.push(Slot::Unbound { level, class, deps });
        Ty::new(TyKind::Unknown(TyVar(self.types.len() as u32 - 1)))
    }
    pub fn fresh_size(&mut self, level: Level) -> Size {
        self.fresh_size_at(level, Deps::default())
    }
    pub fn fresh_size_at(&mut self, level: Level, deps: Deps) -> Size {
        self.sizes.push(Slot::Unbound { level, class: None, deps });
        Size::var(unknown_size(self.sizes.len() as u32 - 1))
    }

    /// Whether the type, written down, would be over the limit. Looks at no more parts than that.
    pub fn is_larger_than(&self, ty: &Ty, limit: TypeLimit) -> bool {
        self.parts(ty, limit.parts, limit.depth).is_none()
    }
    /// How many of `left` parts are left after those of the type; none if it has more, or is deeper.
    fn parts(&self, ty: &Ty, left: u32, depth: u32) -> Option<u32> {
        let (left, depth) = (left.checked_sub(1)?, depth.checked_sub(1)?);
        match ty.kind() {
            TyKind::Unknown(v) => match &self.types[v.0 as usize] {
                Slot::Bound { value, .. } => self.parts(value, left, depth + 1),
                Slot::Unbound { .. } | Slot::At { .. } => Some(left),
            },
            TyKind::Array(a) => self.parts(&a.element, left, depth),
            TyKind::Vec(t, _) | TyKind::Exists(_, t) => self.parts(t, left, depth),
            TyKind::Tuple(parts) => parts.iter().try_fold(left, |left, part| self.parts(part, left, depth)),
            TyKind::Fun(a, r) => {
                let left = self.parts(a, left, depth)?;
                // Parameters stand beside each other, not in one another.
                self.parts(r, left, depth + 1)
            }
            TyKind::Scalar(_) | TyKind::Size(_) | TyKind::Generic(_) | TyKind::Error => Some(left),
        }
    }

    /// The type with its head known as far as it is; its parts may hold bound unknowns.
    pub fn resolve(&self, ty: &Ty) -> Resolved {
        let mut out = Resolved { ty: ty.clone(), why: None };
        while let TyKind::Unknown(v) = out.ty.kind() {
            match &self.types[v.0 as usize] {
                Slot::Bound { value, why } => out = Resolved { ty: value.clone(), why: why.or(out.why) },
                Slot::Unbound { .. } | Slot::At { .. } => break,
            }
        }
        out
    }
    /// The same without the provenance; an array whose elements cannot depend on the position binds none.
    pub fn shallow(&self, ty: &Ty) -> Ty {
        let ty = self.resolve(ty).ty;
        match ty.kind() {
            TyKind::Array(ArrayTy { element, len, position: Some(p) }) if !self.may_depend(element, p) => {
                Ty::array(element.clone(), len.clone())
            }
            _ => ty,
        }
    }

    /// The type without bound unknowns, at any depth.
    pub fn zonk(&self, ty: &Ty) -> Ty {
        let mut on_ty = |t: &Ty| match t.kind() {
            TyKind::Unknown(_) => {
                let r = self.shallow(t);
                Some(if matches!(r.kind(), TyKind::Unknown(_)) { r } else { self.zonk(&r) })
            }
            TyKind::Array(ArrayTy { element, len, position: Some(p) }) => {
                let (element, len) = (self.zonk(element), self.zonk_size(len));
                let position = self.may_depend(&element, p).then(|| p.clone());
                Some(Ty::new(TyKind::Array(ArrayTy { element, len, position })))
            }
            _ => None,
        };
        ty.rewrite(&mut on_ty, &mut |s| self.zonk_size(s))
    }
    pub fn zonk_size(&self, size: &Size) -> Size {
        if !size.any_var(&mut |v: &Var| v.kind == VarKind::Unknown && self.is_size_bound(v.id)) {
            return size.clone();
        }
        size.subst(&mut |v| match v.kind {
            VarKind::Unknown => match &self.sizes[v.id as usize] {
                Slot::Bound { value, .. } => Some(self.zonk_size(value)),
                Slot::Unbound { .. } | Slot::At { .. } => None,
            },
            _ => None,
        })
    }

    /// Why the length has its value: the last binding on the way.
    pub fn size_why(&self, size: &Size) -> Option<ExprId> {
        let (mut size, mut why) = (size.clone(), None);
        while let Some(v) = size.as_var().filter(|v| v.kind == VarKind::Unknown).cloned() {
            match &self.sizes[v.id as usize] {
                Slot::Bound { value, why: w } => {
                    why = w.or(why);
                    size = value.clone();
                }
                Slot::Unbound { .. } | Slot::At { .. } => break,
            }
        }
        why
    }

    pub fn class(&self, v: TyVar) -> Option<Class> {
        match &self.types[v.0 as usize] {
            Slot::Unbound { class, .. } => *class,
            Slot::Bound { .. } => None,
            Slot::At { base, .. } => self.class(TyVar(*base)),
        }
    }
    pub fn set_class(&mut self, v: TyVar, new: Class) {
        match &mut self.types[v.0 as usize] {
            Slot::Unbound { class, .. } => *class = Some(new),
            Slot::Bound { .. } => {}
            Slot::At { base, .. } => {
                let base = TyVar(*base);
                self.set_class(base, new);
            }
        }
    }
    /// The level of an unbound unknown.
    pub fn type_level(&self, v: TyVar) -> Level {
        match &self.types[v.0 as usize] {
            Slot::Unbound { level, .. } => *level,
            Slot::Bound { .. } => 0,
            Slot::At { base, .. } => self.type_level(TyVar(*base)),
        }
    }
    pub fn size_level(&self, id: u32) -> Level {
        match &self.sizes[id as usize] {
            Slot::Unbound { level, .. } => *level,
            Slot::Bound { .. } => 0,
            Slot::At { base, .. } => self.size_level(*base),
        }
    }
    pub fn is_size_bound(&self, id: u32) -> bool {
        matches!(self.sizes[id as usize], Slot::Bound { .. })
    }

    /// Bind without any check; `ty` is not `v` itself.
    pub fn bind_type(&mut self, v: TyVar, ty: Ty) {
        self.types[v.0 as usize] = Slot::Bound { value: ty.clone(), why: self.why };
        self.bound.push(Key::Type(v.0));
        for user in self.type_uses.remove(&v.0).unwrap_or_default() {
            if let Slot::At { position, index, .. } = self.types[user as usize].clone() {
                let value = self.at_index(&ty, &position, &index);
                self.bind_type(TyVar(user), value);
            }
        }
    }
    pub fn bind_size(&mut self, id: u32, size: Size) {
        self.sizes[id as usize] = Slot::Bound { value: size.clone(), why: self.why };
        self.bound.push(Key::Size(id));
        for user in self.size_uses.remove(&id).unwrap_or_default() {
            if let Slot::At { position, index, .. } = self.sizes[user as usize].clone() {
                let value = self.size_at_index(&size, &position, &index);
                self.bind_size(user, value);
            }
        }
    }

    /// The unbound unknowns of a zonked type, types and lengths, in order of appearance.
    pub fn unknowns(&self, ty: &Ty) -> Vec<Key> {
        let mut out = Vec::new();
        let mut push = |k: Key| {
            if !out.contains(&k) {
                out.push(k);
            }
        };
        let sizes = |s: &Size, push: &mut dyn FnMut(Key)| {
            if !s.any_var(&mut |v| v.kind == VarKind::Unknown) {
                return;
            }
            for v in s.vars() {
                if v.kind == VarKind::Unknown {
                    push(Key::Size(v.id));
                }
            }
        };
        ty.any(&mut |t| {
            match t.kind() {
                TyKind::Unknown(v) => push(Key::Type(v.0)),
                TyKind::Array(a) => sizes(&a.len, &mut push),
                TyKind::Vec(_, s) | TyKind::Size(s) => sizes(s, &mut push),
                _ => {}
            }
            false
        });
        out
    }
    pub fn key_level(&self, key: Key) -> Level {
        match key {
            Key::Type(v) => self.type_level(TyVar(v)),
            Key::Size(v) => self.size_level(v),
            Key::Scope(_) => 0,
        }
    }
}

pub fn unknown_size(id: u32) -> Var {
    static NAME: LazyLock<Arc<str>> = LazyLock::new(|| "_".into());
    Var { kind: VarKind::Unknown, id, name: NAME.clone() }
}
