//! Unification of types and lengths.
//!
//! Types unify structurally, lengths by the algebra of [`crate::size`]: an equation with one inference variable is
//! solved; one with several is postponed ([`Unify::postponed`]) until all but one are known.

use super::{BOUND_ONLY, Key, Level, Position, Slot, TYPE_LIMIT, Table, TypeLimit};
use crate::hir::ExprId;
use crate::size::{Assumption, Facts, Size, Solution, Truth, Var, VarKind, solve};
use crate::ty::{ArrayTy, Class, Ty, TyKind, TyVar};

/// The innermost conflict between two types; the caller knows the outer ones.
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
    /// A type outside its class.
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

/// The state of one unification: the table that it updates, and its findings.
pub struct Unify<'t> {
    table: &'t mut Table,
    /// The level of each skolem.
    skolem_levels: &'t [Level],
    /// Equations between lengths that cannot be solved yet.
    postponed: Vec<(Size, Size)>,
    /// Assumptions on which the solutions rely.
    assumed: Vec<Assumption>,
    /// The number of nodes that may still be compared, and their remaining depth.
    left: TypeLimit,
    given: Option<&'t Given>,
    /// Whether lengths are equal only by the given facts.
    used_given: bool,
}

/// Facts that hold where the types must be equal, and the variables that they mention.
pub struct Given {
    pub facts: Facts,
    pub about: Vec<Var>,
}

impl Given {
    /// Whether the lengths are equal by these facts. Other inference variables are bound instead.
    fn makes_equal(&self, left: &Size, right: &Size) -> bool {
        let is_other = |v: &Var| v.kind == VarKind::Unknown && !self.about.contains(v);
        !left.vars().iter().chain(&right.vars()).any(is_other) && are_equal(&self.facts, left, right)
    }
}

/// Whether two lengths are equal, also if each is at most the other.
pub fn are_equal(facts: &Facts, left: &Size, right: &Size) -> bool {
    facts.equal(left, right).is_yes() || (facts.le(left, right).is_yes() && facts.le(right, left).is_yes())
}

/// The part of a unification that is left to its caller.
pub struct Unified {
    pub result: Result<(), Mismatch>,
    /// Equations between lengths that cannot be solved yet.
    pub postponed: Vec<(Size, Size)>,
    /// Assumptions on which the solutions rely.
    pub assumed: Vec<Assumption>,
    /// Whether lengths are equal only by the given facts.
    pub used_given: bool,
}

/// Limits of one unification. Types grow while they are compared, so it may visit more nodes than one type may have.
const COMPARED: TypeLimit = TypeLimit { parts: 16 * TYPE_LIMIT.parts, depth: 4 * TYPE_LIMIT.depth };

impl Table {
    /// Runs one unification. `why` becomes the provenance of what it binds; `skolem_levels` has the level of each opened
    /// length.
    pub fn unify(
        &mut self,
        skolem_levels: &[Level],
        why: Option<ExprId>,
        f: impl FnOnce(&mut Unify<'_>) -> Result<(), Mismatch>,
    ) -> Unified {
        self.unify_given(skolem_levels, why, None, f)
    }

    /// Unifies once, at a place where further facts hold.
    pub fn unify_given(
        &mut self,
        skolem_levels: &[Level],
        why: Option<ExprId>,
        given: Option<&Given>,
        f: impl FnOnce(&mut Unify<'_>) -> Result<(), Mismatch>,
    ) -> Unified {
        self.why = why;
        let (postponed, assumed) = (Vec::new(), Vec::new());
        let mut unify =
            Unify { table: self, skolem_levels, postponed, assumed, left: COMPARED, given, used_given: false };
        let result = f(&mut unify);
        let Unify { postponed, assumed, used_given, .. } = unify;
        Unified { result, postponed, assumed, used_given }
    }

    /// Whether the value of a variable at an index determines its base at every index: the index is itself an index
    /// variable, and the value mentions neither the base nor the base's own index variable.
    pub fn may_bind_at_index(&self, v: &Var, value: &Size) -> bool {
        let Slot::At { base, position, index } = &self.sizes[v.id as usize] else { return true };
        let Some(at) = index.as_var().filter(|i| i.kind == VarKind::Position) else { return false };
        at != position && !value.contains(position) && !value.contains(&super::unknown_size(*base))
    }
}

impl Unify<'_> {
    /// Makes the types equal. `left` is the expected type, `right` the actual one.
    pub fn types(&mut self, left: &Ty, right: &Ty) -> Result<(), Mismatch> {
        if left.ptr_eq(right) {
            return Ok(());
        }
        if self.left.parts == 0 || self.left.depth == 0 {
            // The type is over the limit, or the budget is exhausted.
            self.table.too_large.set(true);
            return Ok(());
        }
        self.left.parts -= 1;
        self.left.depth -= 1;
        self.table.look_at(1);
        let result = self.heads(left, right);
        self.left.depth += 1;
        result
    }

    fn heads(&mut self, left: &Ty, right: &Ty) -> Result<(), Mismatch> {
        let (l, r) = (self.table.resolve(left), self.table.resolve(right));
        match (l.ty.kind(), r.ty.kind()) {
            (TyKind::Unknown(a), TyKind::Unknown(b)) if a == b => Ok(()),
            (TyKind::Unknown(a), TyKind::Unknown(b)) if self.table.is_at_index(Key::Type(a.0)) => {
                match self.table.is_at_index(Key::Type(b.0)) {
                    true => self.two_at_index(*a, *b),
                    false => self.bind_to_index(*b, *a),
                }
            }
            (TyKind::Unknown(a), TyKind::Unknown(b)) if self.table.is_at_index(Key::Type(b.0)) => {
                self.bind_to_index(*a, *b)
            }
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
                // Continue after a conflict: the other components may still determine variables.
                a.iter().zip(b).map(|(a, b)| self.types(a, b)).fold(Ok(()), Result::and)
            }
            (TyKind::Fun(a1, r1), TyKind::Fun(a2, r2)) => {
                let arguments = self.types(a1, a2);
                arguments.and(self.results(r1, r2))
            }
            (TyKind::Exists(vs, a), TyKind::Exists(ws, b)) if vs.len() == ws.len() => {
                self.existentials(vs, a, ws, b, &l.ty, &r.ty)
            }
            _ => Err(Mismatch::Types { left: l.ty.clone(), right: r.ty.clone(), left_why: l.why }),
        }
    }

    /// Unifies the results of two functions, in a loop: parameters of a curried function are siblings and add no depth.
    fn results(&mut self, left: &Ty, right: &Ty) -> Result<(), Mismatch> {
        let (mut left, mut right) = (left.clone(), right.clone());
        let mut arguments = Ok(());
        while self.left.parts > 0 && !left.ptr_eq(&right) {
            let (l, r) = (self.table.resolve(&left).ty, self.table.resolve(&right).ty);
            let (TyKind::Fun(a1, r1), TyKind::Fun(a2, r2)) = (l.kind(), r.kind()) else { break };
            arguments = arguments.and(self.types(a1, a2));
            (left, right) = (r1.clone(), r2.clone());
            self.left.parts -= 1;
        }
        arguments.and(self.types(&left, &right))
    }

    fn arrays(&mut self, a: &ArrayTy, b: &ArrayTy) -> Result<(), Mismatch> {
        let lengths = self.sizes(&a.len, &b.len);
        let elements = match (&a.position, &b.position) {
            (None, None) => self.types(&a.element, &b.element),
            (Some(i), Some(j)) if i == j => self.types(&a.element, &b.element),
            (Some(i), Some(j)) => {
                let right = self.table.at_index(&b.element, j, &Size::var(i.clone()));
                self.types(&a.element, &right)
            }
            // The elements of one side have one type at all indices, so those of the other side must, too.
            (Some(i), None) => {
                let left = self.of_any_position(&a.element, i);
                self.types(&left, &b.element)
            }
            (None, Some(j)) => {
                let right = self.of_any_position(&b.element, j);
                self.types(&a.element, &right)
            }
        };
        lengths.and(elements)
    }

    /// Makes the element type independent of its index variable. An element that depends on it anyway gets an index
    /// variable that is nowhere in scope, so that unification reports an escape.
    fn of_any_position(&mut self, element: &Ty, position: &Var) -> Ty {
        self.table.make_independent(element, position);
        if !self.table.may_depend(element, position) {
            return element.clone();
        }
        let element = self.table.zonk(element);
        let hidden =
            Position { level: BOUND_ONLY, count: self.table.count(position).cloned(), name: position.name.clone() };
        let hidden = self.table.fresh_position(hidden);
        self.table.at_index(&element, position, &Size::var(hidden))
    }

    /// Binds a variable at an index to a type with a known head: its base variable gets the same head, at every index.
    /// The type is infinite if it contains the base at any index.
    fn bind_at_index(&mut self, v: TyVar, ty: &Ty) -> Result<(), Mismatch> {
        let Slot::At { base, .. } = self.table.types[v.0 as usize] else { return Ok(()) };
        let zonked = self.table.zonk(ty);
        if self.is_inside(self.what_is_at_indices(v), &zonked) {
            return Err(Mismatch::Infinite { ty: zonked });
        }
        let (level, deps) = (self.table.type_level(TyVar(base)), self.table.deps(Key::Type(base)));
        let t = &mut *self.table;
        let head = match ty.kind() {
            TyKind::Array(_) => {
                let name = "i".into();
                let position = t.fresh_position(Position { level: BOUND_ONLY, count: None, name });
                let mut inside = deps.clone();
                inside.push(position.id);
                let element = t.fresh_type_at(level, None, inside);
                let len = t.fresh_size_at(level, deps);
                t.set_count(&position, &len);
                Ty::new(TyKind::Array(ArrayTy { element, len, position: Some(position) }))
            }
            TyKind::Tuple(parts) => {
                Ty::tuple(parts.iter().map(|_| t.fresh_type_at(level, None, deps.clone())).collect())
            }
            TyKind::Fun(..) => Ty::fun(t.fresh_type_at(level, None, deps.clone()), t.fresh_type_at(level, None, deps)),
            TyKind::Vec(..) => {
                let lane = t.fresh_type_at(level, None, deps.clone());
                Ty::new(TyKind::Vec(lane, t.fresh_size_at(level, deps)))
            }
            TyKind::Size(_) => Ty::new(TyKind::Size(t.fresh_size_at(level, deps))),
            // Without further information, a hidden length is taken to be the same at every index.
            _ => {
                t.flatten(Key::Type(v.0));
                return self.types(&Ty::new(TyKind::Unknown(v)), ty);
            }
        };
        self.bind(TyVar(base), &head)?;
        self.types(&Ty::new(TyKind::Unknown(v)), ty)
    }
    fn bind_to_index(&mut self, v: TyVar, at: TyVar) -> Result<(), Mismatch> {
        if matches!(self.table.types[at.0 as usize], Slot::At { base, .. } if base == v.0) {
            self.table.flatten(Key::Type(at.0));
            return Ok(());
        }
        self.bind(v, &Ty::new(TyKind::Unknown(at)))
    }
    /// Unifies two variables at indices. Neither determines its base at other indices, so both are made independent of
    /// the index.
    fn two_at_index(&mut self, a: TyVar, b: TyVar) -> Result<(), Mismatch> {
        self.table.flatten(Key::Type(a.0));
        if self.table.is_at_index(Key::Type(b.0)) {
            self.table.flatten(Key::Type(b.0));
        }
        self.types(&Ty::new(TyKind::Unknown(a)), &Ty::new(TyKind::Unknown(b)))
    }

    /// Unifies two existential types, which are equal if some renaming of their lengths makes the bodies equal. Lengths
    /// are paired in the order in which they occur, as in canonical forms.
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
        // A type too large to visit might contain the variable.
        if self.table.is_too_large(ty) {
            self.table.bind_type(v, Ty::error());
            return Ok(());
        }
        if self.table.is_at_index(Key::Type(v.0)) {
            return self.bind_at_index(v, ty);
        }
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
                    // Report the conflict once: later uses of this variable are not further mistakes.
                    self.table.bind_type(v, Ty::error());
                    return Err(Mismatch::Class { class, ty: self.table.zonk(ty) });
                }
            }
        }
        let (level, deps) = (self.table.type_level(v), self.table.deps(Key::Type(v.0)));
        let zonked = self.table.zonk(ty);
        if self.is_inside(v, &zonked) {
            return Err(Mismatch::Infinite { ty: zonked });
        }
        self.adjust_type(&zonked, level, &mut deps.clone(), &mut Vec::new())?;
        self.table.bind_type(v, ty.clone());
        Ok(())
    }
    /// Whether the zonked type contains the variable, itself or at an index.
    fn is_inside(&self, v: TyVar, zonked: &Ty) -> bool {
        let mut inside = false;
        zonked.any(&mut |t| {
            inside |= matches!(t.kind(), TyKind::Unknown(w) if *w == v || self.is_use_of(*w, v));
            inside
        });
        inside
    }
    /// The base of a variable at an index, through nested indices; any other variable itself.
    fn what_is_at_indices(&self, v: TyVar) -> TyVar {
        match &self.table.types[v.0 as usize] {
            Slot::At { base, .. } => self.what_is_at_indices(TyVar(*base)),
            _ => v,
        }
    }
    fn is_use_of(&self, w: TyVar, v: TyVar) -> bool {
        match &self.table.types[w.0 as usize] {
            Slot::At { base, .. } => *base == v.0 || self.is_use_of(TyVar(*base), v),
            _ => false,
        }
    }

    /// Restricts the type to what `level` may mention, under the binders `positions` and `lengths`; fails with an
    /// escape.
    fn adjust_type(
        &mut self,
        ty: &Ty,
        level: Level,
        positions: &mut Vec<u32>,
        lengths: &mut Vec<Var>,
    ) -> Result<(), Mismatch> {
        match ty.kind() {
            TyKind::Unknown(w) => {
                self.table.restrict(Key::Type(w.0), level, positions);
                Ok(())
            }
            TyKind::Scalar(_) | TyKind::Generic(_) | TyKind::Error => Ok(()),
            TyKind::Vec(t, s) => {
                self.adjust_size(s, level, positions, lengths)?;
                self.adjust_type(t, level, positions, lengths)
            }
            TyKind::Size(s) => self.adjust_size(s, level, positions, lengths),
            TyKind::Tuple(parts) => parts.iter().try_for_each(|p| self.adjust_type(p, level, positions, lengths)),
            TyKind::Fun(a, r) => {
                self.adjust_type(a, level, positions, lengths)?;
                self.adjust_type(r, level, positions, lengths)
            }
            TyKind::Array(a) => {
                self.adjust_size(&a.len, level, positions, lengths)?;
                let outer = positions.len();
                positions.extend(a.position.as_ref().map(|p| p.id));
                let inside = self.adjust_type(&a.element, level, positions, lengths);
                positions.truncate(outer);
                inside
            }
            TyKind::Exists(vars, body) => {
                let outer = lengths.len();
                lengths.extend(vars.iter().cloned());
                let inside = self.adjust_type(body, level, positions, lengths);
                lengths.truncate(outer);
                inside
            }
        }
    }

    fn adjust_size(&mut self, size: &Size, level: Level, positions: &[u32], lengths: &[Var]) -> Result<(), Mismatch> {
        for v in size.vars() {
            match v.kind {
                VarKind::Unknown => self.table.restrict(Key::Size(v.id), level, positions),
                VarKind::Skolem if self.skolem_levels.get(v.id as usize).is_some_and(|l| *l > level) => {
                    return Err(Mismatch::Escape { length: v.clone() });
                }
                VarKind::Position if !self.table.allows(level, positions, v.id) => {
                    return Err(Mismatch::Escape { length: v.clone() });
                }
                VarKind::Bound if !lengths.contains(&v) => return Err(Mismatch::Escape { length: v.clone() }),
                _ => {}
            }
        }
        Ok(())
    }

    /// Makes the lengths equal, or postpones the equation until more is known.
    pub fn sizes(&mut self, left: &Size, right: &Size) -> Result<(), Mismatch> {
        let (l, r) = (self.table.zonk_size(left), self.table.zonk_size(right));
        if l == r {
            return Ok(());
        }
        // Lengths that are equal here may differ elsewhere, so nothing is bound.
        if self.given.is_some_and(|given| given.makes_equal(&l, &r)) {
            self.used_given = true;
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
            let mut vars = l.vars();
            vars.extend(r.vars());
            return match self.table.facts_about(&vars).equal(&l, &r) {
                Truth::Yes => Ok(()),
                _ => Err(fail(self.table)),
            };
        }
        // A side that is a single variable takes the other side's value, unless that contains it. Variables at an index
        // are tried last.
        for at_index in [false, true] {
            for (one, other) in [(&l, &r), (&r, &l)] {
                if let Some(v) = one.as_var().filter(|v| v.kind == VarKind::Unknown)
                    && self.table.is_at_index(Key::Size(v.id)) == at_index
                    && !other.contains(v)
                    && (!at_index || self.table.may_bind_at_index(v, other))
                {
                    let independent = self.uses_in(v.id, other);
                    if !independent.is_empty() {
                        independent.into_iter().for_each(|u| self.table.flatten(Key::Size(u)));
                        return self.sizes(left, right);
                    }
                    return self.bind_size(v.clone(), other.clone());
                }
            }
        }
        if unknowns.len() > 1 {
            self.postponed.push((l, r));
            return Ok(());
        }
        let mut vars = l.vars();
        vars.extend(r.vars());
        let solution = solve(&l, &r, &unknowns[0], &self.table.facts_about(&vars));
        match solution {
            Solution::Unique(value, needs)
                if !self.table.is_at_index(Key::Size(unknowns[0].id))
                    || self.table.may_bind_at_index(&unknowns[0], &value) =>
            {
                self.assumed.extend(needs);
                self.bind_size(unknowns[0].clone(), value)
            }
            Solution::None => Err(fail(self.table)),
            Solution::Unique(..) | Solution::Stuck => {
                self.postponed.push((l, r));
                Ok(())
            }
        }
    }

    /// The variables in the size that are `base` at some index, also through other variables. Binding `base` to the
    /// size would then substitute it into itself forever.
    fn uses_in(&self, base: u32, size: &Size) -> Vec<u32> {
        let is_use = |v: &Var| {
            let mut at = v.id;
            while let Slot::At { base: of, .. } = &self.table.sizes[at as usize] {
                if *of == base {
                    return true;
                }
                at = *of;
            }
            false
        };
        size.vars().into_iter().filter(|v| v.kind == VarKind::Unknown && is_use(v)).map(|v| v.id).collect()
    }

    fn bind_size(&mut self, v: Var, value: Size) -> Result<(), Mismatch> {
        if let Slot::At { base, position, index } = self.table.sizes[v.id as usize].clone()
            && let Some(at) = index.as_var().cloned()
        {
            // Variables in the value that may depend on the index become fresh variables at the index.
            for w in value.vars().into_iter().filter(|w| w.kind == VarKind::Unknown) {
                if let Slot::Unbound { level, deps, .. } = &self.table.sizes[w.id as usize]
                    && (deps.contains(&at.id) || self.table.allows(*level, &[], at.id))
                {
                    let (level, mut deps) = (*level, deps.clone());
                    deps.retain(|d| *d != at.id);
                    deps.push(position.id);
                    let fresh = self.table.fresh_size_at(level, deps);
                    let at_index = self.table.size_at_index(&fresh, &position, &index);
                    self.table.bind_size(w.id, at_index);
                }
            }
            let everywhere = self.table.size_at_index(&value, &at, &Size::var(position));
            let base = super::unknown_size(base);
            let uses = self.uses_in(base.id, &everywhere);
            if !uses.is_empty() {
                uses.into_iter().for_each(|u| self.table.flatten(Key::Size(u)));
                return self.sizes(&Size::var(base), &everywhere);
            }
            return self.bind_size(base, everywhere);
        }
        let (level, deps) = (self.table.size_level(v.id), self.table.deps(Key::Size(v.id)));
        self.adjust_size(&value, level, &deps, &[])?;
        self.table.bind_size(v.id, value);
        Ok(())
    }
}

/// The variables in the order in which they first occur in the type, outermost length first; those that do not occur
/// come last.
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
