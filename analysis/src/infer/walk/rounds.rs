//! The iterations of an `iterate`: the array's length before each, and the assumptions of its function.
//!
//! The function is checked once, for an array of symbolic length `m`. Its assumptions about `m` are made about the
//! array's length in every iteration. A condition that also mentions a length opened by the function keeps `m`, and is
//! checked in each iteration where that length is opened.

use crate::diagnostics::Problem;
use crate::hir::{ExprId, FormKind, Node};
use crate::infer::context::Infer;
use crate::infer::result::*;
use crate::infer::table::{BOUND_ONLY, Position};
use crate::size::{Assumption, Size, Var, VarKind};
use crate::ty::is_gap;

/// Limit on the iterations followed for functions that change the length.
const MOST_ROUNDS: i64 = 4096;
/// Limit on the iterations instantiated one by one even if a closed form gives all lengths.
const ONE_BY_ONE: i64 = 64;

/// The length of the array before each iteration.
enum Lengths {
    /// One per iteration; empty without iterations.
    Each(Vec<Size>),
    /// In iteration `round`, which is below `count`.
    Rule { round: Var, count: Size, length: Size },
}

/// The length after `count` iterations of a function from length `m` to length `next`; `None` if it is not known.
pub fn after_all(next: &Size, m: &Var, count: &Size, start: &Size) -> Option<Size> {
    if next.any_var(&mut |v: &Var| v.kind == VarKind::Unknown) {
        return None;
    }
    if next.as_var() == Some(m) {
        return Some(start.clone());
    }
    match count.as_const() {
        Some(k) => (0..=MOST_ROUNDS).contains(&k).then(|| follow(next, m, start, k).1),
        None => by_rule(next, m, count, start),
    }
}

/// The lengths before each of `k` iterations, and the one after the last.
fn follow(next: &Size, m: &Var, start: &Size, k: i64) -> (Vec<Size>, Size) {
    let mut lengths = Vec::new();
    let mut length = start.clone();
    for _ in 0..k {
        lengths.push(length.clone());
        length = next.subst(&mut |v| (v == m).then(|| length.clone()));
    }
    (lengths, length)
}

/// The length after `rounds` iterations that each map `m` to `c*m`, `m/c` or `m+c`.
fn by_rule(next: &Size, m: &Var, rounds: &Size, start: &Size) -> Option<Size> {
    let factor = next.div_exact(&Size::var(m.clone()));
    if !factor.contains(m) {
        return Some(start.mul(&factor.pow(rounds)));
    }
    let step = next.sub(&Size::var(m.clone()));
    (!step.contains(m)).then(|| start.add(&step.mul(rounds)))
}

impl Infer<'_> {
    /// Instantiates every condition for the iterations.
    pub fn assume_in_each_round(&mut self) {
        if self.found.so_far().iterations.is_empty() && self.found.so_far().changes.is_empty() {
            return;
        }
        for Assumed { assumption, at, branch } in self.found.take_assumed() {
            for assumption in self.in_each_round(&assumption, branch) {
                self.assume_in(assumption, at, branch);
            }
        }
    }

    /// The condition in terms that are known outside the iterations; in a branch, in those of its iterations.
    pub fn in_each_round(&mut self, assumption: &Assumption, branch: Option<ExprId>) -> Vec<Assumption> {
        let zonked = assumption.subst(&mut |v| match v.kind {
            VarKind::Unknown => Some(self.table.zonk_size(&Size::var(v.clone()))),
            _ => None,
        });
        let zonked = zonked.subst(&mut |v| Some(self.table.zonk_size(&self.found.kept_length(v)?)));
        if self.found.so_far().iterations.is_empty() {
            return vec![zonked];
        }
        let (mut open, mut done) = (vec![zonked], Vec::new());
        while let Some(assumption) = open.pop() {
            // The number of index values may follow from the length of an iteration.
            let all_of = |v: &Var| {
                self.found.iteration_of(v).is_some()
                    && !branch.is_some_and(|branch| self.results().is_known_in(v, branch))
            };
            let of_rounds = |count: &Size| count.any_var(&mut |v| all_of(v));
            let assumption = self.table.for_all_positions_of(assumption, &of_rounds);
            let vars = assumption.vars();
            // The innermost one was created last.
            let m = vars.iter().filter(|v| all_of(v)).max_by_key(|v| v.id).cloned();
            let Some(m) = m.filter(|m| !vars.iter().any(|v| self.is_opened_inside(v, m))) else {
                done.push(assumption);
                continue;
            };
            // Keep the order of the iterations.
            match self.lengths_of_rounds(&m) {
                Some(Lengths::Each(lengths)) => {
                    let at = |length: &Size| assumption.subst(&mut |v| (*v == m).then(|| length.clone()));
                    open.extend(lengths.iter().rev().map(at));
                }
                Some(Lengths::Rule { round, count, length }) => {
                    let holds = Box::new(assumption.subst(&mut |v| (*v == m).then(|| length.clone())));
                    open.push(Assumption::ForAll { position: round, count, holds });
                }
                None => done.push(assumption),
            }
            if self.over_budget() {
                break;
            }
        }
        done
    }

    /// The sizes that must be constant at each use of the form, because they consist of lengths that the form
    /// quantifies. Any other size that is not constant is an error.
    pub fn open_constants(&mut self, quantified: &[Var]) -> Vec<Size> {
        let mut open = Vec::new();
        let is_kernel = self.program.body().kind == FormKind::Kernel;
        for (size, at) in self.found.take_constants() {
            let size = self.table.zonk_size(&size);
            let each_use = |v: &Var| v.kind == VarKind::Param && !is_kernel || quantified.contains(v);
            // A generalised `let` determines its own at each use.
            if size.as_const().is_some() || size.any_var(&mut |v| self.found.lets().quantifies(v)) {
                continue;
            }
            if size.vars().iter().all(each_use) {
                open.push(size);
                continue;
            }
            // An error has left open what the number is.
            if self.found.mistakes() > 0 && size.any_var(&mut |v| v.kind == VarKind::Unknown || is_gap(v)) {
                continue;
            }
            self.error(Node::Expr(at), &Problem::IterateRounds { count: size });
        }
        open
    }

    /// Whether a length is opened in the function of the `iterate` with the symbolic length `m`.
    fn is_opened_inside(&self, length: &Var, m: &Var) -> bool {
        let level = |v: &Var| self.scopes.opened_at().get(v.id as usize).copied().unwrap_or(0);
        length.kind == VarKind::Skolem && self.found.iteration_of(length).is_none() && level(length) > level(m)
    }

    fn lengths_of_rounds(&mut self, m: &Var) -> Option<Lengths> {
        let (count, RoundLength { next, start, .. }) = self.found.iteration_of(m)?;
        let [next, count, start] = [next, count, start].map(|size| self.table.zonk_size(size));
        let keeps = next.as_var() == Some(m);
        let few = count.as_const().filter(|k| *k <= ONE_BY_ONE);
        Some(match (few, count.as_const()) {
            (Some(0), _) => Lengths::Each(Vec::new()),
            _ if keeps => Lengths::Each(vec![start]),
            (Some(k), _) => Lengths::Each(follow(&next, m, &start, k).0),
            (None, known) => {
                let level = BOUND_ONLY;
                let round = self.table.fresh_position(Position { level, count: Some(count.clone()), name: "r".into() });
                match (by_rule(&next, m, &Size::var(round.clone()), &start), known) {
                    (Some(length), _) => Lengths::Rule { round, count, length },
                    (None, Some(k)) => Lengths::Each(follow(&next, m, &start, k.min(MOST_ROUNDS)).0),
                    (None, None) => return None,
                }
            }
        })
    }
}
