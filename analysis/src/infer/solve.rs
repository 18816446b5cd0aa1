//! Attempts at deferred constraints, each until it is done or waits for inference variables.
//!
//! | module | job |
//! |---|---|
//! | `attempt` | an attempt at a constraint of each kind |
//! | `defaults` | the constraint to default next when solving stops |
//! | `hide` | hiding lengths |
//! | `join` | the type of an `if` |
//! | `rest` | the inference variables that remain |
//! | `state` | loops whose state has lengths that change from iteration to iteration |
//! | `work` | the cost of checking one form |

mod attempt;
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
use crate::ty::{Ty, TyKind, TyVar};

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

    fn attempt(&mut self, c: &Constraint) -> Progress {
        match c {
            Constraint::Open { from, to, site, scope, explicit, names } => {
                self.open_value(from, to, *site, *scope, (*explicit, names))
            }
            Constraint::Close { from, to, scope, expr } => self.close_scope(from, to, *scope, *expr),
            Constraint::Pack { from, to, scope, expr, inner } => self.pack_written(from, to, *scope, (*expr, *inner)),
            Constraint::Hide { from, to, at, value, level } => {
                if let TyKind::Unknown(v) = self.table.shallow(from).kind() {
                    return Progress::Wait(vec![Key::Type(v.0)]);
                }
                self.coerce_to_existential(from, to, *level, *value, &Cause::Annotation(*at));
                Progress::Done
            }
            Constraint::Join { branches, to, at } => self.join(branches, to, *at, false),
            Constraint::Project { from, index, to, at } => self.project(from, *index, to, *at),
            Constraint::Unzip { array, to, at } => self.unzip(array, to, *at),
            Constraint::JoinRows { rows, total, joined, cause } => self.join_known_rows(rows, total, joined, cause),
            Constraint::Equal { left, right, cause } => self.equate(left, right, cause),
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
