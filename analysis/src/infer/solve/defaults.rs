//! Chooses the constraint to default next when solving makes no more progress.

use crate::infer::constraint::Constraint;
use crate::infer::context::Infer;
use crate::size::{Size, VarKind};
use crate::ty::{Ty, TyKind, TyVar};
use rustc_hash::FxHashSet;
use std::cmp::Reverse;

/// Priority of an open constraint for defaulting; the least comes first. Among projections from one tuple, the highest
/// index comes first, because it determines the number of components.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Urgency(u8, Reverse<usize>);

impl Urgency {
    const MOST: Urgency = Urgency(0, Reverse(0));
    const LEAST: Urgency = Urgency(u8::MAX, Reverse(0));
}

impl Constraint {
    fn urgency(&self) -> Urgency {
        let last_first = match self {
            Constraint::Project { index, .. } => *index,
            _ => 0,
        };
        let kind = match self {
            Constraint::Open { explicit: false, .. } => 0,
            Constraint::Project { .. } => 1,
            Constraint::Unzip { .. } => 2,
            Constraint::JoinRows { .. } => 3,
            Constraint::Equal { .. } => 4,
            Constraint::Join { .. } => 5,
            Constraint::Pack { .. } | Constraint::Hide { .. } => 6,
            Constraint::Close { .. } => 7,
            // An explicit opening needs a hidden length, so everything that may hide one comes first.
            Constraint::Open { explicit: true, .. } => 8,
            Constraint::Cast { .. } => 9,
        };
        Urgency(kind, Reverse(last_first))
    }
}

impl Infer<'_> {
    /// Solves, then defaults open constraints by priority until none is left. Only constraints from `first` on whose
    /// inference variables are all deeper than `level` are defaulted.
    pub fn settle(&mut self, first: usize, level: u32) {
        self.settle_but(first, level, |_| false);
    }

    /// As [`Infer::settle`], but leaves the constraints that wait open.
    pub fn settle_but(&mut self, first: usize, level: u32, waits: impl Fn(&Constraint) -> bool) {
        let mut first = first;
        loop {
            self.solve();
            // Skip done constraints; they stay done.
            first = self.agenda.first_open(first);
            let Some(id) = self.most_urgent(first, level, &waits) else { return };
            if self.over_budget() {
                return;
            }
            self.agenda.finish(id);
            let constraint = self.agenda.constraint(id).clone();
            self.decide(constraint);
            self.wake_bound();
        }
    }

    /// The constraint from `first` on to default next; `None` if none that does not wait is deeper than `level`.
    fn most_urgent(&mut self, first: usize, level: u32, waits: &dyn Fn(&Constraint) -> bool) -> Option<usize> {
        const PER_STEP: u64 = 16;
        let mut most: Option<(usize, Urgency)> = None;
        self.budget.spend((self.agenda.len() - first) as u64 / PER_STEP);
        let joined = self.results_of_joins();
        for (id, constraint) in self.agenda.open(first) {
            let urgency = match constraint {
                constraint if waits(constraint) => continue,
                // Wait until it is known whether the `if` hides a length; an outer scope may know more.
                Constraint::Open { from, explicit: false, .. } if self.is_one_of(from, &joined) => {
                    if level > 0 {
                        continue;
                    }
                    Urgency::LEAST
                }
                constraint => constraint.urgency(),
            };
            if most.is_none_or(|(_, so_far)| urgency < so_far) && self.is_inside(constraint, level) {
                most = Some((id, urgency));
                if urgency == Urgency::MOST {
                    break;
                }
            }
        }
        Some(most?.0)
    }

    /// The inference variables that are results of open joins.
    fn results_of_joins(&mut self) -> FxHashSet<TyVar> {
        let joins = self.agenda.open_joins();
        self.budget.spend(joins.len() as u64);
        let results = joins.filter_map(|join| match join {
            Constraint::Join { to, .. } => match self.table.shallow(to).kind() {
                TyKind::Unknown(v) => Some(*v),
                _ => None,
            },
            _ => None,
        });
        results.collect()
    }

    fn is_one_of(&self, ty: &Ty, unknowns: &FxHashSet<TyVar>) -> bool {
        !unknowns.is_empty() && matches!(self.table.shallow(ty).kind(), TyKind::Unknown(v) if unknowns.contains(v))
    }

    fn is_inside(&self, c: &Constraint, level: u32) -> bool {
        let ty = match c {
            Constraint::Open { from, .. } | Constraint::Close { from, .. } | Constraint::Pack { from, .. } => from,
            Constraint::Project { from, .. } | Constraint::Cast { from, .. } | Constraint::Hide { from, .. } => from,
            Constraint::Unzip { array, .. } => array,
            Constraint::Join { branches, .. } => {
                return branches.iter().all(|b| self.deeper(&b.ty, level));
            }
            Constraint::Equal { left, right, .. } => {
                return self.size_deeper(left, level) && self.size_deeper(right, level);
            }
            Constraint::JoinRows { rows, total, .. } => {
                return self.size_deeper(&rows.each, level) && self.size_deeper(total, level);
            }
        };
        self.deeper(ty, level)
    }

    fn deeper(&self, ty: &Ty, level: u32) -> bool {
        let ty = self.table.zonk(ty);
        self.table.unknowns(&ty).into_iter().all(|k| self.table.key_level(k) > level)
    }

    fn size_deeper(&self, size: &Size, level: u32) -> bool {
        let size = self.table.zonk_size(size);
        size.vars().iter().all(|v| v.kind != VarKind::Unknown || self.table.size_level(v.id) > level)
    }
}
