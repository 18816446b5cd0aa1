//! The table of inference variables: types and lengths that unification determines.
//!
//! Levels (Rémy 1992) record the lambda depth at which a variable was created. Binding a variable of an outer level to
//! a type that mentions a length opened further inside reveals that the length escapes.
//!
//! A variable under `Array[i => …]` may mention the index variable `i` even if its level is an outer one: it stands for
//! a function of `i`. [`positions`] describes the consequences.
//!
//! | module | job |
//! |---|---|
//! | `positions` | array index variables |
//! | `unify` | unification of types and lengths |

mod positions;
pub mod unify;

use crate::hir::{ExprId, Name};
use crate::size::{Facts, Size, Var, VarKind};
use crate::ty::{ArrayTy, Class, Ty, TyKind, TyVar};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::{Cell, RefCell};
use std::sync::{Arc, LazyLock};

pub type Level = u32;

/// Ids of index variables; almost always empty.
pub type Deps = Vec<u32>;

/// The level of an index variable that is bound only in types.
pub const BOUND_ONLY: Level = Level::MAX;

#[derive(Debug, Clone)]
pub struct Position {
    /// The lowest level at which it may be mentioned freely: that of the function checked for it.
    pub level: Level,
    /// Its exclusive upper bound; `None` if unknown.
    pub count: Option<Size>,
    /// The displayed name: that in the program, or `i`, `j`, … by the number of index variables in scope.
    pub name: Name,
}

/// The variable or scope that a deferred constraint waits for.
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
        /// The index variables in scope that the variable may mention.
        deps: Deps,
    },
    Bound {
        value: T,
        why: Option<ExprId>,
    },
    /// The unbound variable `base` with `index` substituted for its index variable `position`.
    At {
        base: u32,
        position: Var,
        index: Size,
    },
}

/// The inference variables and index variables of one form.
///
/// Invariants: a bound variable stays bound; a variable at an index is registered with its base; a binding records the
/// provenance of the current unification, and its key until [`Table::take_bound`].
#[derive(Debug, Default)]
pub struct Table {
    types: Vec<Slot<Ty>>,
    sizes: Vec<Slot<Size>>,
    /// The variables that are a base variable at some index ([`Slot::At`]), by base.
    type_uses: FxHashMap<u32, Vec<u32>>,
    size_uses: FxHashMap<u32, Vec<u32>>,
    positions: Vec<Position>,
    facts: Facts,
    /// The index variables on which quantified types and lengths may depend.
    generic_types: FxHashMap<u32, Deps>,
    generic_sizes: FxHashMap<Var, Deps>,
    /// The cause of the current unification; recorded with each binding as the provenance of its value.
    why: Option<ExprId>,
    /// Variables bound since the constraints were last looked at.
    bound: Vec<Key>,
    /// Type nodes visited in total.
    parts: Cell<u64>,
    /// Bound variables followed since chains were last shortened.
    links: Cell<u64>,
    /// Cached results of [`Table::zonk_size`]; cleared when another length is bound.
    zonked: RefCell<FxHashMap<Size, Size>>,
    /// Whether a type over [`TYPE_LIMIT`] was found and replaced by the error type.
    too_large: Cell<bool>,
}

/// A type, and the expression that last contributed to it if unification determined it.
pub struct Resolved {
    pub ty: Ty,
    pub why: Option<ExprId>,
}

/// Limits on the size of a type.
#[derive(Debug, Clone, Copy)]
pub struct TypeLimit {
    pub parts: u32,
    /// Nesting depth, in nodes.
    pub depth: u32,
}

/// The largest allowed type. Types in hand-written programs have tens of nodes.
///
/// A variable may occur many times in the value of another, and so on: written out, a type can be exponentially larger
/// than the table that holds it. Traversals that follow variables stop at this limit, and a larger type is an error.
pub const TYPE_LIMIT: TypeLimit = TypeLimit { parts: 1000, depth: 40 };

/// Type nodes that may be visited for one form. Beyond the limit types become errors; by then the form's budget is
/// exhausted.
pub const MOST_PARTS: u64 = 8_000_000;

/// Cost, in type nodes, of instantiating an inference variable at a new index.
const PARTS_PER_USE: u32 = 16;

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

    /// Whether the type, written out, exceeds [`TYPE_LIMIT`], or [`MOST_PARTS`] is used up. Visits no more nodes than
    /// the limit.
    pub fn is_too_large(&self, ty: &Ty) -> bool {
        let left = self.parts_left(ty, TYPE_LIMIT.parts, TYPE_LIMIT.depth);
        self.look_at(TYPE_LIMIT.parts - left.unwrap_or(0));
        if left.is_none() {
            self.too_large.set(true);
        }
        left.is_none() || self.parts.get() > MOST_PARTS
    }
    /// Whether a type over [`TYPE_LIMIT`] was found and replaced by the error type.
    pub fn found_too_large(&self) -> bool {
        self.too_large.get()
    }
    /// Type nodes visited in total.
    pub fn parts(&self) -> u64 {
        self.parts.get()
    }
    /// Counts visited type nodes.
    pub fn look_at(&self, parts: u32) {
        self.parts.set(self.parts.get() + u64::from(parts));
    }
    /// The number of nodes left of `left` after those of the type; `None` if the type has more, or is deeper than
    /// `depth`.
    fn parts_left(&self, ty: &Ty, left: u32, depth: u32) -> Option<u32> {
        let (left, depth) = (left.checked_sub(1)?, depth.checked_sub(1)?);
        let mut ty = ty;
        while let TyKind::Unknown(v) = ty.kind()
            && let Slot::Bound { value, .. } = &self.types[v.0 as usize]
        {
            self.follow(1);
            ty = value;
        }
        match ty.kind() {
            TyKind::Array(a) => self.parts_left(&a.element, left, depth),
            TyKind::Vec(t, _) | TyKind::Exists(_, t) => self.parts_left(t, left, depth),
            TyKind::Tuple(parts) => parts.iter().try_fold(left, |left, part| self.parts_left(part, left, depth)),
            TyKind::Fun(a, r) => {
                let left = self.parts_left(a, left, depth)?;
                // Parameters of a curried function are siblings, so the result adds no depth.
                self.parts_left(r, left, depth + 1)
            }
            TyKind::Scalar(_) | TyKind::Size(_) | TyKind::Generic(_) | TyKind::Unknown(_) | TyKind::Error => Some(left),
        }
    }

    /// The type with its head resolved as far as it is known; inner nodes may still be bound variables.
    pub fn resolve(&self, ty: &Ty) -> Resolved {
        let mut out = Resolved { ty: ty.clone(), why: None };
        let mut links = 0;
        while let TyKind::Unknown(v) = out.ty.kind() {
            match &self.types[v.0 as usize] {
                Slot::Bound { value, why } => out = Resolved { ty: value.clone(), why: why.or(out.why) },
                Slot::Unbound { .. } | Slot::At { .. } => break,
            }
            links += 1;
        }
        if links > 0 {
            self.follow(links);
        }
        out
    }
    /// Like [`Table::resolve`], without provenance. Removes a vacuous index binder: one on which the elements cannot
    /// depend.
    pub fn shallow(&self, ty: &Ty) -> Ty {
        let ty = self.resolve(ty).ty;
        match ty.kind() {
            TyKind::Array(ArrayTy { element, len, position: Some(p) }) if !self.may_depend(element, p) => {
                Ty::array(element.clone(), len.clone())
            }
            _ => ty,
        }
    }

    /// Replaces bound variables at every depth. A type over [`TYPE_LIMIT`] becomes an error.
    pub fn zonk(&self, ty: &Ty) -> Ty {
        match ty.kind() {
            TyKind::Scalar(_) | TyKind::Generic(_) | TyKind::Error => ty.clone(),
            _ if self.is_too_large(ty) => Ty::error(),
            _ => self.zonk_parts(ty),
        }
    }
    /// Whether a type has neither inference variables nor an index on which it may depend.
    pub fn is_final(&self, ty: &Ty) -> bool {
        let open = |t: &Ty| match t.kind() {
            TyKind::Unknown(_) => true,
            TyKind::Array(array) => array.position.is_some(),
            _ => false,
        };
        !ty.any(&mut |t| open(t)) && !ty.any_size_var(&mut |v| v.kind == VarKind::Unknown)
    }
    /// [`Table::zonk`] at the end, when almost all types have no variables.
    pub fn finished(&self, ty: &Ty) -> Ty {
        if self.is_final(ty) { ty.clone() } else { self.zonk(ty) }
    }
    fn zonk_parts(&self, ty: &Ty) -> Ty {
        let mut on_ty = |t: &Ty| match t.kind() {
            TyKind::Unknown(_) => {
                let r = self.shallow(t);
                Some(if matches!(r.kind(), TyKind::Unknown(_)) { r } else { self.zonk_parts(&r) })
            }
            TyKind::Array(ArrayTy { element, len, position: Some(p) }) => {
                let (element, len) = (self.zonk_parts(element), self.zonk_size(len));
                let position = self.may_depend(&element, p).then(|| p.clone());
                Some(Ty::new(TyKind::Array(ArrayTy { element, len, position })))
            }
            _ => None,
        };
        ty.rewrite(&mut on_ty, &mut |s| self.zonk_size(s))
    }
    /// The value of a length that is a single bound variable; otherwise the length itself.
    pub fn resolve_size<'t>(&'t self, size: &'t Size) -> &'t Size {
        let mut size = size;
        while let Some(v) = size.as_var().filter(|v| v.kind == VarKind::Unknown)
            && let Slot::Bound { value, .. } = &self.sizes[v.id as usize]
        {
            self.follow(1);
            size = value;
        }
        size
    }
    pub fn zonk_size(&self, size: &Size) -> Size {
        let size = self.resolve_size(size);
        if !size.any_var(&mut |v: &Var| v.kind == VarKind::Unknown && self.is_size_bound(v.id)) {
            return size.clone();
        }
        if let Some(zonked) = self.zonked.borrow().get(size) {
            return zonked.clone();
        }
        let zonked = size.subst(&mut |v| match v.kind {
            VarKind::Unknown => match &self.sizes[v.id as usize] {
                Slot::Bound { value, .. } => Some(self.zonk_size(value)),
                Slot::Unbound { .. } | Slot::At { .. } => None,
            },
            _ => None,
        });
        self.zonked.borrow_mut().insert(size.clone(), zonked.clone());
        zonked
    }

    // --- chains of variables

    /// Counts bound variables that were followed to their values.
    fn follow(&self, links: u32) {
        self.look_at(links);
        self.links.set(self.links.get() + u64::from(links));
    }
    /// Compresses paths: binds each variable of a chain directly to the chain's last value, so that no chain is
    /// followed once per link. Ten thousand composed functions make a chain of that length. Does nothing until the
    /// number of links followed exceeds four times the number of variables.
    pub fn shorten_chains(&mut self) {
        if self.links.get() <= 4 * (self.types.len() + self.sizes.len()) as u64 {
            return;
        }
        self.links.set(0);
        shorten(&mut self.types, |ty: &Ty| match ty.kind() {
            TyKind::Unknown(v) => Some(v.0),
            _ => None,
        });
        shorten(&mut self.sizes, |size: &Size| size.as_var().filter(|v| v.kind == VarKind::Unknown).map(|v| v.id));
    }

    /// The provenance of a length: that of the last binding in its chain.
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
    /// The level of an unbound variable; 0 for a bound one.
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

    /// Binds without any check; `ty` must not be `v` itself.
    pub fn bind_type(&mut self, v: TyVar, ty: Ty) {
        self.types[v.0 as usize] = Slot::Bound { value: ty.clone(), why: self.why };
        self.bound.push(Key::Type(v.0));
        for user in self.type_uses.remove(&v.0).unwrap_or_default() {
            self.look_at(PARTS_PER_USE);
            if let Slot::At { position, index, .. } = self.types[user as usize].clone() {
                let value = self.at_index(&ty, &position, &index);
                self.bind_type(TyVar(user), value);
            }
        }
    }
    pub fn bind_size(&mut self, id: u32, size: Size) {
        self.sizes[id as usize] = Slot::Bound { value: size.clone(), why: self.why };
        self.zonked.get_mut().clear();
        self.bound.push(Key::Size(id));
        for user in self.size_uses.remove(&id).unwrap_or_default() {
            self.look_at(PARTS_PER_USE);
            if let Slot::At { position, index, .. } = self.sizes[user as usize].clone() {
                let value = self.size_at_index(&size, &position, &index);
                self.bind_size(user, value);
            }
        }
    }

    /// Binds a variable to the quantified type `id`.
    pub fn quantify_type(&mut self, v: TyVar, id: u32) {
        let deps = self.deps(Key::Type(v.0));
        self.generic_types.insert(id, deps);
        self.bind_type(v, Ty::new(TyKind::Generic(id)));
    }
    /// Binds a variable to a quantified length.
    pub fn quantify_size(&mut self, id: u32, quantified: &Var) {
        let deps = self.deps(Key::Size(id));
        self.generic_sizes.insert(quantified.clone(), deps);
        self.bind_size(id, Size::var(quantified.clone()));
    }
    /// Gives the next bindings no provenance.
    pub fn forget_cause(&mut self) {
        self.why = None;
    }
    /// The variables bound since the last call.
    pub fn take_bound(&mut self) -> Vec<Key> {
        std::mem::take(&mut self.bound)
    }

    /// The unbound variables of a zonked type, both types and lengths, in order of appearance.
    pub fn unknowns(&self, ty: &Ty) -> Vec<Key> {
        let mut out: Vec<Key> = Vec::new();
        // Most types have few variables, for which a linear search suffices.
        let mut known: FxHashSet<Key> = FxHashSet::default();
        let mut push = |k: Key| {
            let is_new = if out.len() < 16 { !out.contains(&k) } else { !known.contains(&k) };
            if is_new {
                out.push(k);
                match out.len() {
                    16 => known.extend(&out),
                    17.. => drop(known.insert(k)),
                    _ => {}
                }
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

/// Replaces each value that is another bound variable by the last value of the chain, with the provenance that
/// following the chain gives.
fn shorten<T: Clone>(slots: &mut [Slot<T>], unknown: impl Fn(&T) -> Option<u32>) {
    let mut path = Vec::new();
    for start in 0..slots.len() {
        let mut at = start;
        while let Slot::Bound { value, .. } = &slots[at]
            && let Some(next) = unknown(value)
            && matches!(slots[next as usize], Slot::Bound { .. })
        {
            path.push(at);
            at = next as usize;
        }
        while let Some(before) = path.pop() {
            let Slot::Bound { value, why: last } = slots[at].clone() else { break };
            if let Slot::Bound { why, .. } = slots[before] {
                slots[before] = Slot::Bound { value, why: last.or(why) };
            }
            at = before;
        }
        path.clear();
    }
}

pub fn unknown_size(id: u32) -> Var {
    static NAME: LazyLock<Arc<str>> = LazyLock::new(|| "_".into());
    Var { kind: VarKind::Unknown, id, name: NAME.clone() }
}
