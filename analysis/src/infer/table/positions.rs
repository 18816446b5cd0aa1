//! Array index variables: which types may mention them, and inference variables at other indices.
//!
//! `Array[i => T,n]` binds `i` in `T`. An inference variable in `T` that may mention `i` is a function of `i`, although
//! it is written without an argument: its slot lists the index variables bound around it ([`super::Deps`]), as in contextual
//! type theory (Nanevski, Pfenning, Pientka 2008). Where such a variable meets the elements of another array, or one
//! particular index, it becomes a variable *at* that index ([`super::Slot::At`]). If the index is an index
//! variable (Miller's patterns), binding either of them binds the other; otherwise only the base determines the
//! variable at the index.
//!
//! The function argument of `map` is checked once, for the index variable bound by the array types of this use of
//! `map`: inside the function the index variable is in scope like a length opened one level further in. So a type may
//! mention an index variable only under its binder and in that function; anywhere else it escapes.

use super::{BOUND_ONLY, Deps, Key, Level, Position, Slot, TYPE_LIMIT, Table, unknown_size};
use crate::size::{Assumption, Facts, Size, Var, VarKind};
use crate::ty::{ArrayTy, Ty, TyKind, TyVar};
use rustc_hash::FxHashMap;
use std::borrow::Cow;

impl Table {
    pub fn fresh_position(&mut self, position: Position) -> Var {
        self.positions.push(position);
        self.position_var(self.positions.len() as u32 - 1)
    }
    /// The exclusive upper bound of an index variable; `None` if unknown.
    pub fn count(&self, position: &Var) -> Option<&Size> {
        self.positions.get(position.id as usize)?.count.as_ref()
    }
    pub fn set_count(&mut self, position: &Var, count: &Size) {
        self.positions[position.id as usize].count = Some(count.clone());
    }
    /// Sets the upper bound of an index variable that has none.
    pub fn complete_count(&mut self, position: &Var, count: &Size) {
        if let Some(p) = self.positions.get_mut(position.id as usize)
            && p.count.is_none()
        {
            p.count = Some(count.clone());
        }
    }
    pub fn position_var(&self, id: u32) -> Var {
        let name = self.positions.get(id as usize).map_or_else(|| "i".into(), |p| p.name.clone());
        Var { kind: VarKind::Position, id, name }
    }
    fn position_level(&self, id: u32) -> Level {
        self.positions.get(id as usize).map_or(BOUND_ONLY, |p| p.level)
    }
    fn type_deps(&self, v: u32) -> Deps {
        deps_of(&self.types, v)
    }
    fn size_deps(&self, v: u32) -> Deps {
        deps_of(&self.sizes, v)
    }
    fn type_depends(&self, v: u32, position: &Var) -> bool {
        depends(&self.types, v, position)
    }
    fn size_depends(&self, v: u32, position: &Var) -> bool {
        depends(&self.sizes, v, position)
    }
    pub fn deps(&self, key: Key) -> Deps {
        match key {
            Key::Type(v) => self.type_deps(v),
            Key::Size(v) => self.size_deps(v),
            Key::Scope(_) => Deps::new(),
        }
    }

    /// Whether a type mentions the index variable, or may do so once it is fully known; also true for a type too large
    /// to visit.
    pub fn may_depend(&self, ty: &Ty, position: &Var) -> bool {
        let mut left = TYPE_LIMIT.parts;
        let may = self.may_depend_within(ty, position, &mut left);
        self.look_at(TYPE_LIMIT.parts - left);
        may
    }
    fn may_depend_within(&self, ty: &Ty, position: &Var, left: &mut u32) -> bool {
        ty.any(&mut |t| {
            if *left == 0 {
                self.too_large.set(true);
                return true;
            }
            *left -= 1;
            match t.kind() {
                TyKind::Unknown(_) => {
                    let known = self.resolve(t).ty;
                    match known.kind() {
                        TyKind::Unknown(v) => self.type_depends(v.0, position),
                        _ => self.may_depend_within(&known, position, left),
                    }
                }
                TyKind::Generic(n) => self.generic_types.get(n).is_some_and(|d| d.contains(&position.id)),
                TyKind::Array(a) => self.size_may_depend(&a.len, position),
                TyKind::Vec(_, s) | TyKind::Size(s) => self.size_may_depend(s, position),
                _ => false,
            }
        })
    }
    pub fn size_may_depend(&self, size: &Size, position: &Var) -> bool {
        let size = self.resolve_size(size);
        size.any_var(&mut |v: &Var| match v.kind {
            VarKind::Position => v == position,
            VarKind::Unknown => match &self.sizes[v.id as usize] {
                Slot::Bound { value, .. } => self.size_may_depend(value, position),
                _ => self.size_depends(v.id, position),
            },
            VarKind::Generic => self.generic_sizes.get(v).is_some_and(|d| d.contains(&position.id)),
            _ => false,
        })
    }

    // --- variables at an index

    /// Substitutes `index` for the index variable `position`, which is bound outside the type.
    pub fn at_index(&mut self, ty: &Ty, position: &Var, index: &Size) -> Ty {
        // Unchanged, so that it keeps its provenance.
        if !self.may_depend(ty, position) {
            return ty.clone();
        }
        let ty = self.zonk(ty);
        // Rename inner binders that would capture index variables of `index`.
        let caught: Vec<Var> = ty.positions().into_iter().filter(|p| index.contains(p)).collect();
        let ty = caught.iter().fold(ty, |ty, p| self.with_fresh_binder(&ty, p));
        self.replace(&ty, position, index)
    }

    fn replace(&mut self, ty: &Ty, position: &Var, index: &Size) -> Ty {
        match ty.kind() {
            TyKind::Unknown(v) if self.type_depends(v.0, position) => self.type_at(v.0, position, index),
            TyKind::Unknown(_) | TyKind::Scalar(_) | TyKind::Generic(_) | TyKind::Error => ty.clone(),
            TyKind::Array(a) => Ty::new(TyKind::Array(ArrayTy {
                element: self.replace(&a.element, position, index),
                len: self.size_at_index(&a.len, position, index),
                position: a.position.clone(),
            })),
            TyKind::Tuple(parts) => Ty::tuple(parts.iter().map(|p| self.replace(p, position, index)).collect()),
            TyKind::Fun(a, r) => Ty::fun(self.replace(a, position, index), self.replace(r, position, index)),
            TyKind::Exists(vars, body) => Ty::exists(vars.clone(), self.replace(body, position, index)),
            TyKind::Vec(t, s) => {
                let (t, s) = (self.replace(t, position, index), self.size_at_index(s, position, index));
                Ty::new(TyKind::Vec(t, s))
            }
            TyKind::Size(s) => Ty::new(TyKind::Size(self.size_at_index(s, position, index))),
        }
    }

    pub fn size_at_index(&mut self, size: &Size, position: &Var, index: &Size) -> Size {
        let size = self.zonk_size(size);
        let mut replaced: Vec<(Var, Size)> = Vec::new();
        for v in size.vars() {
            if v == *position {
                replaced.push((v, index.clone()));
            } else if v.kind == VarKind::Unknown && self.size_depends(v.id, position) {
                let at = self.size_unknown_at(v.id, position, index);
                replaced.push((v, at));
            }
        }
        size.subst(&mut |v| replaced.iter().find(|(r, _)| r == v).map(|(_, by)| by.clone()))
    }

    fn type_at(&mut self, base: u32, position: &Var, index: &Size) -> Ty {
        let at = variable_at(&mut self.types, &mut self.type_uses, base, position, index);
        self.look_at(at.visited);
        Ty::new(TyKind::Unknown(TyVar(at.variable)))
    }
    fn size_unknown_at(&mut self, base: u32, position: &Var, index: &Size) -> Size {
        let at = variable_at(&mut self.sizes, &mut self.size_uses, base, position, index);
        self.look_at(at.visited);
        Size::var(unknown_size(at.variable))
    }

    /// The type with a fresh index variable for a binder inside it.
    fn with_fresh_binder(&mut self, ty: &Ty, position: &Var) -> Ty {
        let fresh = self.fresh_position(Position { level: BOUND_ONLY, count: None, name: position.name.clone() });
        self.rebind(ty, position, &fresh)
    }
    fn rebind(&mut self, ty: &Ty, from: &Var, to: &Var) -> Ty {
        match ty.kind() {
            TyKind::Array(a) => {
                let mut element = self.rebind(&a.element, from, to);
                let mut position = a.position.clone();
                if position.as_ref() == Some(from) {
                    element = self.replace(&element, from, &Size::var(to.clone()));
                    position = Some(to.clone());
                }
                Ty::new(TyKind::Array(ArrayTy { element, len: a.len.clone(), position }))
            }
            TyKind::Tuple(parts) => Ty::tuple(parts.iter().map(|p| self.rebind(p, from, to)).collect()),
            TyKind::Fun(a, r) => Ty::fun(self.rebind(a, from, to), self.rebind(r, from, to)),
            TyKind::Exists(vars, body) => Ty::exists(vars.clone(), self.rebind(body, from, to)),
            _ => ty.clone(),
        }
    }

    // --- restrictions

    /// Makes all inference variables in the type independent of the index variable.
    pub fn make_independent(&mut self, ty: &Ty, position: &Var) {
        loop {
            let ty = self.zonk(ty);
            let dependent = |k: &Key| self.deps(*k).contains(&position.id);
            let Some(key) = self.unknowns(&ty).into_iter().find(dependent) else { return };
            if !self.forbid_wholly(key, position) {
                return;
            }
        }
    }
    pub fn make_size_independent(&mut self, size: &Size, position: &Var) {
        loop {
            let size = self.zonk_size(size);
            let dependent = |v: &Var| v.kind == VarKind::Unknown && self.size_depends(v.id, position);
            let Some(v) = size.vars().into_iter().find(dependent) else { return };
            if !self.forbid_wholly(Key::Size(v.id), position) {
                return;
            }
        }
    }

    /// Like [`Table::forbid`], but a variable at an index that still depends on the index variable is made the same at
    /// every index. Returns whether it is now independent.
    fn forbid_wholly(&mut self, key: Key, position: &Var) -> bool {
        self.forbid(key, position);
        if self.deps(key).contains(&position.id) {
            self.flatten(key);
        }
        !self.deps(key).contains(&position.id)
    }

    /// Removes the index variable from those that an inference variable may mention.
    pub fn forbid(&mut self, key: Key, position: &Var) {
        match key {
            Key::Type(v) => match &mut self.types[v as usize] {
                Slot::Unbound { deps, .. } => {
                    deps.retain(|d| *d != position.id);
                    self.bound.push(key);
                    self.merge_type_uses(v, position);
                }
                Slot::Bound { .. } => {}
                Slot::At { .. } => self.forbid_at(key, position),
            },
            Key::Size(v) => match &mut self.sizes[v as usize] {
                Slot::Unbound { deps, .. } => {
                    deps.retain(|d| *d != position.id);
                    self.bound.push(key);
                    self.merge_size_uses(v, position);
                }
                Slot::Bound { .. } => {}
                Slot::At { .. } => self.forbid_at(key, position),
            },
            Key::Scope(_) => {}
        }
    }
    fn forbid_at(&mut self, key: Key, position: &Var) {
        let (base, own, index) = match key {
            Key::Type(v) => match &self.types[v as usize] {
                Slot::At { base, position, index } => (Key::Type(*base), position.clone(), index.clone()),
                _ => return,
            },
            Key::Size(v) => match &self.sizes[v as usize] {
                Slot::At { base, position, index } => (Key::Size(*base), position.clone(), index.clone()),
                _ => return,
            },
            Key::Scope(_) => return,
        };
        if own != *position {
            self.forbid(base, position);
        }
        if self.size_may_depend(&index, position) {
            self.forbid(base, &own);
        }
    }
    /// Binds the uses of a variable at indices to the variable itself, which no longer depends on the index variable.
    fn merge_type_uses(&mut self, v: u32, position: &Var) {
        for u in take_uses(&self.types, &mut self.type_uses, v, position) {
            self.bind_type(TyVar(u), Ty::new(TyKind::Unknown(TyVar(v))));
        }
    }
    fn merge_size_uses(&mut self, v: u32, position: &Var) {
        for u in take_uses(&self.sizes, &mut self.size_uses, v, position) {
            self.bind_size(u, Size::var(unknown_size(v)));
        }
    }

    /// Makes a variable at an index the same at every index.
    pub fn flatten(&mut self, key: Key) {
        let own = match key {
            Key::Type(v) => match &self.types[v as usize] {
                Slot::At { base, position, .. } => Some((Key::Type(*base), position.clone())),
                _ => None,
            },
            Key::Size(v) => match &self.sizes[v as usize] {
                Slot::At { base, position, .. } => Some((Key::Size(*base), position.clone())),
                _ => None,
            },
            Key::Scope(_) => None,
        };
        if let Some((base, position)) = own {
            self.forbid(base, &position);
            match (key, base) {
                (Key::Type(_), Key::Type(b)) if self.is_at_index(key) => self.merge_type_uses(b, &position),
                (Key::Size(_), Key::Size(b)) if self.is_at_index(key) => self.merge_size_uses(b, &position),
                _ => {}
            }
        }
    }
    pub fn is_at_index(&self, key: Key) -> bool {
        match key {
            Key::Type(v) => matches!(self.types[v as usize], Slot::At { .. }),
            Key::Size(v) => matches!(self.sizes[v as usize], Slot::At { .. }),
            Key::Scope(_) => false,
        }
    }

    /// Whether a type visible at `level` under these binders may mention the index variable.
    pub fn allows(&self, level: Level, binders: &[u32], position: u32) -> bool {
        binders.contains(&position) || self.position_level(position) <= level
    }

    /// Restricts a variable to `level` and these binders.
    pub fn restrict(&mut self, key: Key, level: Level, binders: &[u32]) {
        let (own_level, own_deps) = match key {
            Key::Type(v) => match &self.types[v as usize] {
                Slot::Unbound { level, deps, .. } => (*level, deps.clone()),
                Slot::Bound { .. } => return,
                Slot::At { base, position, index } => {
                    let (base, position, index) = (*base, position.clone(), index.clone());
                    return self.restrict_at(Key::Type(base), &position, &index, level, binders);
                }
            },
            Key::Size(v) => match &self.sizes[v as usize] {
                Slot::Unbound { level, deps, .. } => (*level, deps.clone()),
                Slot::Bound { .. } => return,
                Slot::At { base, position, index } => {
                    let (base, position, index) = (*base, position.clone(), index.clone());
                    return self.restrict_at(Key::Size(base), &position, &index, level, binders);
                }
            },
            Key::Scope(_) => return,
        };
        let new_level = own_level.min(level);
        let mut new_deps: Deps = Vec::new();
        for q in own_deps.iter().chain(binders) {
            let wanted = self.position_level(*q) > new_level
                && (own_deps.contains(q) || self.position_level(*q) <= own_level)
                && self.allows(level, binders, *q);
            if wanted && !new_deps.contains(q) {
                new_deps.push(*q);
            }
        }
        let lost: Vec<u32> = own_deps.iter().copied().filter(|q| !new_deps.contains(q)).collect();
        match key {
            Key::Type(v) => {
                if let Slot::Unbound { level, deps, .. } = &mut self.types[v as usize] {
                    (*level, *deps) = (new_level, new_deps);
                }
            }
            Key::Size(v) => {
                if let Slot::Unbound { level, deps, .. } = &mut self.sizes[v as usize] {
                    (*level, *deps) = (new_level, new_deps);
                }
            }
            Key::Scope(_) => {}
        }
        for q in lost {
            match key {
                Key::Type(v) => self.merge_type_uses(v, &self.position_var(q)),
                Key::Size(v) => self.merge_size_uses(v, &self.position_var(q)),
                Key::Scope(_) => {}
            }
        }
    }
    fn restrict_at(&mut self, base: Key, position: &Var, index: &Size, level: Level, binders: &[u32]) {
        let index_is_seen =
            (index.vars().iter()).all(|v| v.kind != VarKind::Position || self.allows(level, binders, v.id));
        if !index_is_seen {
            self.forbid(base, position);
            return self.restrict(base, level, binders);
        }
        let mut binders = binders.to_vec();
        binders.push(position.id);
        self.restrict(base, level, &binders);
    }

    // --- facts

    /// Facts about sizes without index variables.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }
    /// Facts about sizes that mention these variables: each index variable is below the length of its array.
    pub fn facts_about(&self, vars: &[Var]) -> Cow<'_, Facts> {
        let mut todo: Vec<Var> = vars.iter().filter(|v| v.kind == VarKind::Position).cloned().collect();
        if todo.is_empty() {
            return Cow::Borrowed(&self.facts);
        }
        let mut out = self.facts.clone();
        let mut seen: Vec<Var> = Vec::new();
        while let Some(p) = todo.pop() {
            if seen.contains(&p) {
                continue;
            }
            seen.push(p.clone());
            let count = self.positions.get(p.id as usize).and_then(|p| p.count.as_ref());
            let Some(count) = count.map(|c| self.zonk_size(c)) else { continue };
            todo.extend(count.vars().into_iter().filter(|v| v.kind == VarKind::Position));
            out.assume_range(p, Some(Size::zero()), Some(count.sub(&Size::one())));
        }
        Cow::Owned(out)
    }

    /// The assumption, quantified over the index variables in it that are not `known`.
    pub fn for_all_positions(&self, assumption: Assumption, known: &dyn Fn(&Var) -> bool) -> Assumption {
        let known = assumption.vars().into_iter().filter(|v| v.kind == VarKind::Position && known(v)).collect();
        self.for_all_positions_but(assumption, known, &|_| true)
    }

    /// The assumption, quantified over the index variables of arrays whose length is `wanted`.
    pub fn for_all_positions_of(&self, assumption: Assumption, wanted: &dyn Fn(&Size) -> bool) -> Assumption {
        self.for_all_positions_but(assumption, Vec::new(), wanted)
    }

    fn for_all_positions_but(
        &self,
        assumption: Assumption,
        mut unbounded: Vec<Var>,
        wanted: &dyn Fn(&Size) -> bool,
    ) -> Assumption {
        let mut out = assumption;
        loop {
            let free: Vec<Var> =
                out.vars().into_iter().filter(|v| v.kind == VarKind::Position && !unbounded.contains(v)).collect();
            let count = |p: &Var| {
                let count = self.positions.get(p.id as usize).and_then(|p| p.count.as_ref())?;
                Some(self.zonk_size(count)).filter(|count| wanted(count))
            };
            // Bind an index variable innermost if the count of no other one depends on it.
            let innermost =
                free.iter().find(|p| free.iter().all(|q| q == *p || !count(q).is_some_and(|c| c.contains(p))));
            let Some(p) = innermost.or(free.first()).cloned() else { return out };
            match count(&p) {
                Some(c) => out = Assumption::ForAll { position: p, count: c, holds: Box::new(out) },
                None => unbounded.push(p),
            }
        }
    }
}

/// The index variables that an unbound variable may mention.
fn deps_of<T>(slots: &[Slot<T>], v: u32) -> Deps {
    match &slots[v as usize] {
        Slot::Unbound { deps, .. } => deps.clone(),
        Slot::Bound { .. } => Deps::new(),
        Slot::At { base, position, index } => at_deps(deps_of(slots, *base), position, index),
    }
}

/// A variable at an index, and the number of variables that were visited to find it.
struct AtIndex {
    variable: u32,
    visited: u32,
}

/// Returns the variable that is `base` with `index` substituted for `position`; adds it if there is none.
fn variable_at<T: Clone>(
    slots: &mut Vec<Slot<T>>,
    uses: &mut FxHashMap<u32, Vec<u32>>,
    base: u32,
    position: &Var,
    index: &Size,
) -> AtIndex {
    if index.as_var() == Some(position) {
        return AtIndex { variable: base, visited: 0 };
    }
    // Compose nested indices into one.
    if let Slot::At { base: inner, position: own, index: at } = slots[base as usize].clone()
        && !depends(slots, inner, position)
    {
        let index = at.subst(&mut |v| (v == position).then(|| index.clone()));
        return variable_at(slots, uses, inner, &own, &index);
    }
    let known = uses.entry(base).or_default();
    let visited = known.len() as u32;
    let same =
        |u: &u32| matches!(&slots[*u as usize], Slot::At { position: p, index: i, .. } if p == position && i == index);
    let found = known.iter().copied().find(same);
    let variable = found.unwrap_or_else(|| {
        slots.push(Slot::At { base, position: position.clone(), index: index.clone() });
        let id = slots.len() as u32 - 1;
        known.push(id);
        id
    });
    AtIndex { variable, visited }
}

/// Removes and returns the variables that are `v` at an index instead of `position`.
fn take_uses<T>(slots: &[Slot<T>], uses: &mut FxHashMap<u32, Vec<u32>>, v: u32, position: &Var) -> Vec<u32> {
    let (same, other): (Vec<u32>, Vec<u32>) = uses
        .remove(&v)
        .unwrap_or_default()
        .into_iter()
        .partition(|u| matches!(&slots[*u as usize], Slot::At { position: p, .. } if p == position));
    if !other.is_empty() {
        uses.insert(v, other);
    }
    same
}

/// Whether the variable's [`Table::type_deps`] or [`Table::size_deps`] contain the index variable, without building
/// them.
fn depends<T>(slots: &[Slot<T>], v: u32, position: &Var) -> bool {
    let mut at = v;
    loop {
        match &slots[at as usize] {
            Slot::Unbound { deps, .. } => return deps.contains(&position.id),
            Slot::Bound { .. } => return false,
            Slot::At { index, .. } if index.any_var(&mut |v| v.kind == VarKind::Position && v.id == position.id) => {
                return true;
            }
            Slot::At { position: replaced, .. } if replaced.id == position.id => return false,
            Slot::At { base, .. } => at = *base,
        }
    }
}

fn at_deps(base: Deps, position: &Var, index: &Size) -> Deps {
    let mut deps: Deps = base.into_iter().filter(|d| *d != position.id).collect();
    deps.extend(index.vars().into_iter().filter(|v| v.kind == VarKind::Position).map(|v| v.id));
    deps
}
