//! An attempt at a constraint of each kind: it is done, or waits for inference variables.

use crate::diagnostics::Problem;
use crate::hir::{ExprId, Name, Node};
use crate::infer::cause::Cause;
use crate::infer::constraint::{Progress, Rows};
use crate::infer::context::Infer;
use crate::infer::result::Site;
use crate::infer::scopes::ScopeId;
use crate::infer::table::{Key, unknown_size};
use crate::size::{Size, Solution, VarKind, solve};
use crate::ty::{ArrayTy, Ty, TyKind};

impl Infer<'_> {
    /// Opens a value if its type is existential.
    pub(super) fn open_value(
        &mut self,
        from: &Ty,
        to: &Ty,
        site: Site,
        scope: ScopeId,
        (explicit, names): (bool, &[Name]),
    ) -> Progress {
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
            TyKind::Exists(..) => self.open_in(&head, site, scope, explicit, names),
            _ => {
                if explicit {
                    self.nothing_to_unpack(site, &head);
                }
                head.clone()
            }
        };
        self.length_of_opened(site, &opened);
        let cause = Cause::site(self.program.body(), site);
        if matches!(head.kind(), TyKind::Unknown(_)) {
            self.unify(from, &opened, &cause);
        } else if !(opened == head && self.input_where_computed(to, &opened, site, &cause)) {
            self.unify(to, &opened, &cause);
        }
        self.scope_opened(scope);
        Progress::Done
    }

    /// Hides the lengths of a scope once all of its openings are known.
    pub(super) fn close_scope(&mut self, from: &Ty, to: &Ty, scope: ScopeId, expr: ExprId) -> Progress {
        if self.scopes.awaits_openings(scope) {
            return Progress::Wait(vec![Key::Scope(scope as u32)]);
        }
        let any_opened = self.scopes.has_opened(scope);
        let level = self.scopes.level_of(scope);
        let zonked = self.table.zonk(from);
        let open: Vec<Key> =
            self.table.unknowns(&zonked).into_iter().filter(|k| self.table.key_level(*k) >= level).collect();
        if any_opened && !open.is_empty() {
            return Progress::Wait(open);
        }
        self.close(&zonked, to, scope, expr);
        Progress::Done
    }

    /// Hides lengths for a written `(pack e)`.
    pub(super) fn pack_written(
        &mut self,
        from: &Ty,
        to: &Ty,
        scope: ScopeId,
        (expr, inner): (ExprId, ExprId),
    ) -> Progress {
        let zonked = self.table.zonk(from);
        // Variables of outer levels cannot mention a length hidden here, whatever they are bound to.
        let level = self.scopes.outermost_within(scope);
        let mut open = self.table.unknowns(&zonked);
        if matches!(zonked.kind(), TyKind::Array(_) | TyKind::Exists(..)) {
            open.retain(|k| self.table.key_level(*k) >= level);
        }
        if !open.is_empty() {
            return Progress::Wait(open);
        }
        self.pack(&zonked, to, scope, expr, inner);
        Progress::Done
    }

    /// Types a component of a tuple.
    pub(super) fn project(&mut self, from: &Ty, index: usize, to: &Ty, at: ExprId) -> Progress {
        let head = self.table.shallow(from);
        match head.kind() {
            TyKind::Unknown(v) => {
                self.as_far_out(to, Key::Type(v.0));
                // All projections of one component have one type.
                let component = self.agenda.component(*v, index, to);
                if component != *to {
                    self.unify(to, &component, &Cause::Result(at));
                }
                Progress::Wait(vec![Key::Type(v.0)])
            }
            TyKind::Tuple(parts) if index < parts.len() => {
                self.unify(to, &parts[index].clone(), &Cause::Result(at));
                Progress::Done
            }
            _ => {
                if !head.contains_error() {
                    let ty = self.table.zonk(&head);
                    let d = self.results().no_component(at, index, ty);
                    self.found.diagnostic(d);
                }
                self.unify(to, &Ty::error(), &Cause::Result(at));
                Progress::Done
            }
        }
    }

    /// Types an array of tuples as a tuple of arrays.
    pub(super) fn unzip(&mut self, array: &Ty, to: &Ty, at: ExprId) -> Progress {
        let ty = self.table.zonk(array);
        let Some(a) = ty.as_array() else { return Progress::Done };
        match a.element.kind() {
            TyKind::Unknown(v) => Progress::Wait(vec![Key::Type(v.0)]),
            TyKind::Tuple(parts) => {
                let of = |element: &Ty| Ty::new(TyKind::Array(ArrayTy { element: element.clone(), ..a.clone() }));
                self.unify(to, &Ty::tuple(parts.iter().map(of).collect()), &Cause::Result(at));
                Progress::Done
            }
            TyKind::Error => {
                self.unify(to, &Ty::error(), &Cause::Result(at));
                Progress::Done
            }
            _ => {
                self.error(Node::Expr(at), &Problem::UnzipOfOther { element: a.element.clone() });
                self.unify(to, &Ty::error(), &Cause::Result(at));
                Progress::Done
            }
        }
    }

    /// Joins rows once their lengths are known as far as they depend on the index.
    pub(super) fn join_known_rows(&mut self, rows: &Rows, total: &Size, joined: &Ty, cause: &Cause) -> Progress {
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

    /// Unifies two lengths unless several ways to do so remain.
    pub(super) fn equate(&mut self, left: &Size, right: &Size, cause: &Cause) -> Progress {
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
            let var = unknown_size(id);
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

    /// Restricts `part`, a part of the variable `whole`, to what the variable may mention.
    fn as_far_out(&mut self, part: &Ty, whole: Key) {
        let (level, deps) = (self.table.key_level(whole), self.table.deps(whole));
        for key in self.table.unknowns(&self.table.zonk(part)) {
            self.table.restrict(key, level, &deps);
        }
        self.wake_bound();
    }
}
