//! Attempts at deferred constraints, each until it is done or waits for inference variables.
//!
//! | module | job |
//! |---|---|
//! | `defaults` | the constraint to default next when solving stops |
//! | `hide` | hiding lengths |
//! | `join` | the type of an `if` |
//! | `rest` | the inference variables that remain |
//! | `state` | loops whose state has lengths that change from iteration to iteration |
//! | `work` | the cost of checking one form |

pub mod defaults;
pub mod hide;
pub mod join;
pub mod rest;
pub mod state;
pub mod work;

use super::cause::Cause;
use super::constraint::{Constraint, Progress, Rows};
use super::context::Infer;
use super::scopes::ScopeId;
use super::table::Key;
use crate::diagnostics::Problem;
use crate::hir::Node;
use crate::size::{Assumption, Size, Solution, Var, VarKind, solve};
use crate::ty::{ArrayTy, Ty, TyKind, TyVar};

impl Infer<'_> {
    pub fn defer(&mut self, constraint: Constraint) {
        self.agenda.add(constraint);
    }

    pub fn wake_bound(&mut self) {
        for key in self.table.take_bound() {
            self.agenda.wake(key);
        }
    }

    /// Attempts every constraint that may have become decidable.
    pub fn solve(&mut self) {
        while let Some(id) = self.agenda.pop() {
            if self.over_budget() {
                return;
            }
            let constraint = self.agenda.constraint(id).clone();
            match self.attempt(&constraint) {
                Progress::Done => {
                    self.agenda.finish(id);
                    self.wake_bound();
                }
                Progress::Wait(keys) => self.agenda.wait(id, keys),
            }
        }
    }

    /// The inference variables in the types and sizes of a constraint.
    pub fn unknowns_of(&self, c: &Constraint) -> Vec<Key> {
        let (types, sizes): (Vec<&Ty>, Vec<&Size>) = match c {
            Constraint::Open { from, to, .. } | Constraint::Close { from, to, .. } => (vec![from, to], vec![]),
            Constraint::Pack { from, to, .. } | Constraint::Project { from, to, .. } => (vec![from, to], vec![]),
            Constraint::Cast { from, to, .. } | Constraint::Hide { from, to, .. } => (vec![from, to], vec![]),
            Constraint::Unzip { array, to, .. } => (vec![array, to], vec![]),
            Constraint::Join { branches: [then, otherwise], to, .. } => (vec![&then.ty, &otherwise.ty, to], vec![]),
            Constraint::JoinRows { rows, total, joined, .. } => {
                (vec![&rows.element, joined], vec![&rows.each, &rows.count, total])
            }
            Constraint::Equal { left, right, .. } => (vec![], vec![left, right]),
        };
        let of_types = types.into_iter().flat_map(|ty| self.table.unknowns(&self.table.zonk(ty)));
        let of_sizes = sizes.into_iter().flat_map(|size| self.table.zonk_size(size).vars());
        of_types.chain(of_sizes.filter(|v| v.kind == VarKind::Unknown).map(|v| Key::Size(v.id))).collect()
    }
    /// Restricts `part`, a part of the variable `whole`, to what the variable may mention.
    fn as_far_out(&mut self, part: &Ty, whole: Key) {
        let (level, deps) = (self.table.key_level(whole), self.table.deps(whole));
        for key in self.table.unknowns(&self.table.zonk(part)) {
            self.table.restrict(key, level, &deps);
        }
        self.wake_bound();
    }

    fn attempt(&mut self, c: &Constraint) -> Progress {
        match c {
            Constraint::Open { from, to, site, scope, explicit, names } => {
                let head = self.table.shallow(from);
                let opened = match head.kind() {
                    TyKind::Unknown(v) => {
                        // A value used as a scalar or a function has no length to open.
                        let used = self.table.shallow(to);
                        if !explicit
                            && (matches!(used.kind(), TyKind::Scalar(_) | TyKind::Fun(..) | TyKind::Size(_))
                                || self.has_class(&used))
                        {
                            used
                        } else {
                            let mut keys = vec![Key::Type(v.0)];
                            if let TyKind::Unknown(u) = used.kind() {
                                keys.push(Key::Type(u.0));
                            }
                            return Progress::Wait(keys);
                        }
                    }
                    TyKind::Exists(..) => self.open_in(&head, *site, *scope, *explicit, names),
                    _ => {
                        if *explicit {
                            self.nothing_to_unpack(*site, &head);
                        }
                        head.clone()
                    }
                };
                self.length_of_opened(*site, &opened);
                let cause = Cause::site(self.program.body(), *site);
                if matches!(head.kind(), TyKind::Unknown(_)) {
                    self.unify(from, &opened, &cause);
                } else {
                    self.unify(to, &opened, &cause);
                }
                self.scope_opened(*scope);
                Progress::Done
            }
            Constraint::Close { from, to, scope, expr } => {
                if self.scopes.awaits_openings(*scope) {
                    return Progress::Wait(vec![Key::Scope(*scope as u32)]);
                }
                let any_opened = self.scopes.has_opened(*scope);
                let level = self.scopes.level_of(*scope);
                let zonked = self.table.zonk(from);
                let open: Vec<Key> =
                    self.table.unknowns(&zonked).into_iter().filter(|k| self.table.key_level(*k) >= level).collect();
                if any_opened && !open.is_empty() {
                    return Progress::Wait(open);
                }
                self.close(&zonked, to, *scope, *expr);
                Progress::Done
            }
            Constraint::Pack { from, to, scope, expr, inner } => {
                let zonked = self.table.zonk(from);
                // Variables of outer levels cannot mention a length hidden here, whatever they are bound to.
                let level = self.scopes.outermost_within(*scope);
                let mut open = self.table.unknowns(&zonked);
                if matches!(zonked.kind(), TyKind::Array(_) | TyKind::Exists(..)) {
                    open.retain(|k| self.table.key_level(*k) >= level);
                }
                if !open.is_empty() {
                    return Progress::Wait(open);
                }
                self.pack(&zonked, to, *scope, *expr, *inner);
                Progress::Done
            }
            Constraint::Hide { from, to, at, value, level } => {
                if let TyKind::Unknown(v) = self.table.shallow(from).kind() {
                    return Progress::Wait(vec![Key::Type(v.0)]);
                }
                self.coerce_to_existential(from, to, *level, *value, &Cause::Annotation(*at));
                Progress::Done
            }
            Constraint::Join { branches, to, at } => self.join(branches, to, *at, false),
            Constraint::Project { from, index, to, at } => {
                let head = self.table.shallow(from);
                match head.kind() {
                    TyKind::Unknown(v) => {
                        self.as_far_out(to, Key::Type(v.0));
                        // All projections of one component have one type.
                        let component = self.agenda.component(*v, *index, to);
                        if component != *to {
                            self.unify(to, &component, &Cause::Result(*at));
                        }
                        Progress::Wait(vec![Key::Type(v.0)])
                    }
                    TyKind::Tuple(parts) if *index < parts.len() => {
                        self.unify(to, &parts[*index].clone(), &Cause::Result(*at));
                        Progress::Done
                    }
                    _ => {
                        if !head.contains_error() {
                            let ty = self.table.zonk(&head);
                            let d = self.results().no_component(*at, *index, ty);
                            self.found.diagnostic(d);
                        }
                        self.unify(to, &Ty::error(), &Cause::Result(*at));
                        Progress::Done
                    }
                }
            }
            Constraint::Unzip { array, to, at } => {
                let ty = self.table.zonk(array);
                let Some(a) = ty.as_array() else { return Progress::Done };
                match a.element.kind() {
                    TyKind::Unknown(v) => Progress::Wait(vec![Key::Type(v.0)]),
                    TyKind::Tuple(parts) => {
                        let of =
                            |element: &Ty| Ty::new(TyKind::Array(ArrayTy { element: element.clone(), ..a.clone() }));
                        self.unify(to, &Ty::tuple(parts.iter().map(of).collect()), &Cause::Result(*at));
                        Progress::Done
                    }
                    TyKind::Error => {
                        self.unify(to, &Ty::error(), &Cause::Result(*at));
                        Progress::Done
                    }
                    _ => {
                        self.error(Node::Expr(*at), &Problem::UnzipOfOther { element: a.element.clone() });
                        self.unify(to, &Ty::error(), &Cause::Result(*at));
                        Progress::Done
                    }
                }
            }
            Constraint::JoinRows { rows, total, joined, cause } => {
                let (each, element) = (self.table.zonk_size(&rows.each), self.table.zonk(&rows.element));
                let each_array = Ty::array(element, each.clone());
                let depends = |k: &Key| {
                    let deps = self.table.deps(*k);
                    deps.contains(&rows.row.id) || deps.contains(&rows.column.id)
                };
                let open: Vec<Key> = self.table.unknowns(&each_array).into_iter().filter(depends).collect();
                if !open.is_empty() {
                    return Progress::Wait(open);
                }
                if each.contains(&rows.row) {
                    // The number of summands must be known as well, because closed forms use case distinctions.
                    let count = self.table.zonk_size(&rows.count);
                    if let Some(v) = count.vars().into_iter().find(|v| v.kind == VarKind::Unknown) {
                        return Progress::Wait(vec![Key::Size(v.id)]);
                    }
                }
                self.join_rows(rows, total, joined, cause);
                Progress::Done
            }
            Constraint::Equal { left, right, cause } => {
                let (l, r) = (self.table.zonk_size(left), self.table.zonk_size(right));
                let mut unknown: Vec<Key> = (l.vars().into_iter().chain(r.vars()))
                    .filter(|v| v.kind == VarKind::Unknown)
                    .map(|v| Key::Size(v.id))
                    .collect();
                unknown.sort_by_key(|k| format!("{k:?}"));
                unknown.dedup();
                if unknown.len() > 1 && l != r {
                    return Progress::Wait(unknown);
                }
                if unknown.len() == 1 && l != r {
                    let Key::Size(id) = unknown[0] else { return Progress::Done };
                    let var = super::table::unknown_size(id);
                    let takes = |one: &Size, other: &Size| {
                        one.as_var() == Some(&var) && !other.contains(&var) && self.table.may_bind_at_index(&var, other)
                    };
                    let mut vars = l.vars();
                    vars.extend(r.vars());
                    let solution = || solve(&l, &r, &var, &self.table.facts_about(&vars));
                    let waits = || match solution() {
                        Solution::Stuck => true,
                        Solution::Unique(value, _) => !self.table.may_bind_at_index(&var, &value),
                        Solution::None => false,
                    };
                    if !takes(&l, &r) && !takes(&r, &l) && waits() {
                        return Progress::Wait(unknown);
                    }
                }
                if let Err(m) = self.unify_sizes(left, right, cause) {
                    self.report_lengths(m, cause);
                }
                Progress::Done
            }
            Constraint::Cast { from, to, at } => {
                let zonked = self.table.zonk(from);
                let unknown = self.table.unknowns(&zonked);
                if !unknown.is_empty() {
                    return Progress::Wait(unknown);
                }
                self.cast(&zonked, to, *at);
                Progress::Done
            }
        }
    }

    /// Defaults a constraint that still waits when nothing can make progress.
    pub fn decide(&mut self, c: Constraint) {
        match c {
            // No evidence of an existential type: it is none.
            Constraint::Open { from, to, site, scope, explicit, .. } => {
                if explicit {
                    let ty = self.table.zonk(&from);
                    self.nothing_to_unpack(site, &ty);
                }
                let cause = Cause::site(self.program.body(), site);
                self.unify(&from, &to, &cause);
                self.length_of_opened(site, &to);
                self.scope_opened(scope);
            }
            Constraint::Close { from, to, scope, expr } => {
                let zonked = self.table.zonk(&from);
                self.close(&zonked, &to, scope, expr);
            }
            Constraint::Pack { from, to, scope, expr, inner } => {
                let zonked = self.table.zonk(&from);
                self.pack(&zonked, &to, scope, expr, inner);
            }
            Constraint::Hide { from, to, at, value, level } => {
                self.coerce_to_existential(&from, &to, level, value, &Cause::Annotation(at));
            }
            Constraint::Join { branches, to, at } => {
                self.join(&branches, &to, at, true);
            }
            Constraint::Project { from, index, to, at } => {
                // For an unknown tuple, assume the smallest one with the component, at least a pair.
                let parts: Vec<Ty> =
                    (0..(index + 1).max(2)).map(|i| if i == index { to.clone() } else { self.fresh() }).collect();
                self.unify(&Ty::tuple(parts), &from, &Cause::Result(at));
            }
            Constraint::Unzip { array, to, at } => {
                let pair = Ty::tuple(vec![self.fresh(), self.fresh()]);
                if let Some(a) = self.table.zonk(&array).as_array() {
                    self.unify(&pair, &a.element, &Cause::Result(at));
                }
                self.defer(Constraint::Unzip { array, to, at });
            }
            // No evidence that the rows differ: they do not.
            Constraint::JoinRows { rows, total, joined, cause } => {
                for position in [&rows.row, &rows.column] {
                    self.table.make_size_independent(&rows.each, position);
                    self.table.make_independent(&rows.element, position);
                }
                self.wake_bound();
                self.join_rows(&rows, &total, &joined, &cause);
            }
            Constraint::Equal { left, right, cause } => self.decide_equation(&left, &right, &cause),
            Constraint::Cast { from, to, at } => {
                let zonked = self.table.zonk(&from);
                self.cast(&zonked, &to, at);
            }
        }
    }

    /// Solves an equation with several variables for one of them.
    fn decide_equation(&mut self, left: &Size, right: &Size, cause: &Cause) {
        let (l, r) = (self.table.zonk_size(left), self.table.zonk_size(right));
        let unknown: Vec<Var> = l.vars().into_iter().chain(r.vars()).filter(|v| v.kind == VarKind::Unknown).collect();
        // A variable at an index is now taken to be the same at every index.
        if let Some(v) = unknown.iter().find(|v| self.table.is_at_index(Key::Size(v.id))) {
            self.table.flatten(Key::Size(v.id));
            self.wake_bound();
            if let Err(m) = self.unify_sizes(left, right, cause) {
                self.report_lengths(m, cause);
            }
            return;
        }
        for v in &unknown {
            if let Solution::Unique(value, needs) = solve(&l, &r, v, self.table.facts())
                && !value.contains(v)
            {
                for n in needs {
                    self.assume(n, cause.at());
                }
                if let Err(m) = self.unify_sizes(&Size::var(v.clone()), &value, cause) {
                    self.report_lengths(m, cause);
                }
                return;
            }
        }
        // Check the equation at run time.
        self.assume(Assumption::Equal(l, r), cause.at());
    }

    /// Types joined rows, once their dependence on the index variables is known.
    fn join_rows(&mut self, rows: &Rows, total: &Size, joined: &Ty, cause: &Cause) {
        let (count, each) = (self.table.zonk_size(&rows.count), self.table.zonk_size(&rows.each));
        let sum = Size::sum(rows.row.clone(), count, each);
        if let Err(m) = self.unify_sizes(total, &sum, cause) {
            self.report_lengths(m, cause);
        }
        match self.joined_element(rows) {
            Some(element) => {
                self.unify(joined, &element, cause);
            }
            None => {
                let element = self.table.zonk(&rows.element);
                let (row, column) = (rows.row.name.clone(), rows.column.name.clone());
                self.error(Node::Expr(cause.at()), &Problem::DependentRows { element, row, column });
                self.unify(joined, &Ty::error(), cause);
            }
        }
    }

    pub fn has_class(&self, ty: &Ty) -> bool {
        matches!(ty.kind(), TyKind::Unknown(TyVar(v)) if self.table.class(TyVar(*v)).is_some())
    }

    fn scope_opened(&mut self, scope: ScopeId) {
        if self.scopes.opening_decided(scope) {
            self.agenda.wake(Key::Scope(scope as u32));
        }
    }
}
