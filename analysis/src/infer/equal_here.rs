//! Lengths that are equal by the conditions around a call: `(if (= N M) (zip a b) …)`.
//!
//! An argument whose length is that of the parameter only where the call is computed becomes a cast. Nothing else changes: its
//! type keeps its own length, and no inference variable is bound. The compiler checks the cast unless it proves the lengths
//! equal from the conditions itself. A function is cast by casting its inputs and its result.

use super::cause::Cause;
use super::context::Infer;
use super::guards::Said;
use super::result::{CastOf, CheckedCast, Condition, Site};
use super::table::unify::{Given, are_equal};
use crate::hir::{Expr, ExprId};
use crate::size::{Assumption, Facts, LengthCheck};
use crate::ty::{Ty, TyKind};

impl Infer<'_> {
    /// Makes the type of the expression `at` equal to the expected one by what the conditions around it say. Returns false,
    /// and leaves conflicts to others, if these say nothing about its lengths.
    pub fn unify_where_computed(&mut self, expected: &Ty, actual: &Ty, at: ExprId, cause: &Cause) -> bool {
        let has_length =
            |ty: &Ty| matches!(self.table.shallow(ty).kind(), TyKind::Array(_) | TyKind::Tuple(_) | TyKind::Fun(..));
        if !has_length(expected) || !has_length(actual) || self.program.branches().around(at).next().is_none() {
            return false;
        }
        let said = self.said_around(at);
        if said.is_empty() {
            return false;
        }
        let facts = self.facts_said(&said);
        let given = Given { facts: self.facts_with(&facts), about: facts.iter().flat_map(Assumption::vars).collect() };
        let unified =
            self.table.unify_given(self.scopes.opened_at(), cause.why(), Some(&given), |u| u.types(expected, actual));
        let used = unified.used_given;
        if self.after_unify(unified, cause).is_err() || !used {
            return false;
        }
        // Unknown types have just been made equal. A value of hidden length cannot be cast.
        let is_unknown = |ty: &Ty| matches!(ty.kind(), TyKind::Unknown(_));
        let same = |from: &Ty, to: &Ty| from == to || is_unknown(from) || is_unknown(to);
        let mut casts = Vec::new();
        for (of, from, to) in conversions(&self.table.zonk(expected), &self.table.zonk(actual)) {
            let mut checks = Vec::new();
            if !self.cast_parts(&from, &to, &same, &mut checks) {
                return false;
            }
            if !checks.is_empty() {
                casts.push(CheckedCast { expr: at, of, since: Vec::new(), checks, from, to });
            }
        }
        let conditions: Vec<Condition> = said.iter().map(|said| said.by).collect();
        for cast in casts {
            let wanted: Vec<Assumption> = cast.checks.iter().map(LengthCheck::assumption).collect();
            let since = self.needed(&wanted, &facts, &conditions);
            self.found.cast(CheckedCast { since, ..cast });
        }
        true
    }

    /// As [`Self::unify_where_computed`], of the value that a composition is applied to and the one that its parts take.
    pub fn input_where_computed(&mut self, taken: &Ty, given: &Ty, site: Site, cause: &Cause) -> bool {
        let Site::Expr(composition) = site else { return false };
        if !matches!(self.program.expr(composition), Expr::Compose(_)) {
            return false;
        }
        let result = self.fresh();
        let [given, taken] = [given, taken].map(|input| Ty::fun(input.clone(), result.clone()));
        self.unify_where_computed(&given, &taken, composition, cause)
    }

    /// The conditions around an expression from which the assumptions follow; `None` if they do not.
    pub fn follows_where_computed(&mut self, wanted: &[Assumption], at: ExprId) -> Option<Vec<Condition>> {
        let said = self.said_around(at);
        let facts = self.facts_said(&said);
        let conditions: Vec<Condition> = said.iter().map(|said| said.by).collect();
        self.follow(wanted, &facts).then(|| self.needed(wanted, &facts, &conditions))
    }

    fn facts_said(&self, said: &[Said]) -> Vec<Assumption> {
        said.iter().map(|said| said.fact.map(&mut |size| self.table.zonk_size(size))).collect()
    }

    fn facts_with(&self, more: &[Assumption]) -> Facts {
        let mut facts = self.table.facts().clone();
        more.iter().for_each(|fact| facts.assume(fact));
        facts
    }

    fn follow(&self, wanted: &[Assumption], facts: &[Assumption]) -> bool {
        let given = self.facts_with(facts);
        wanted.iter().all(|assumption| match assumption {
            Assumption::Equal(left, right) => are_equal(&given, left, right),
            other => given.proves(other).is_yes(),
        })
    }

    /// The conditions whose facts are needed for the assumptions. Outer conditions are left out first.
    fn needed(&self, wanted: &[Assumption], facts: &[Assumption], conditions: &[Condition]) -> Vec<Condition> {
        let mut kept: Vec<usize> = (0..facts.len()).collect();
        for left_out in 0..facts.len() {
            let fewer: Vec<usize> = kept.iter().copied().filter(|i| *i != left_out).collect();
            let facts: Vec<Assumption> = fewer.iter().map(|i| facts[*i].clone()).collect();
            if self.follow(wanted, &facts) {
                kept = fewer;
            }
        }
        let mut needed: Vec<Condition> = kept.into_iter().map(|i| conditions[i]).collect();
        needed.dedup();
        needed
    }
}

/// What is cast, from which type to which: the value itself, or the inputs and the result of a function.
fn conversions(expected: &Ty, actual: &Ty) -> Vec<(CastOf, Ty, Ty)> {
    let (mut expected, mut actual) = (expected.clone(), actual.clone());
    let mut parts = Vec::new();
    while let (TyKind::Fun(given, result), TyKind::Fun(taken, own)) = (expected.kind(), actual.kind()) {
        parts.push((CastOf::Input(parts.len()), given.clone(), taken.clone()));
        (expected, actual) = (result.clone(), own.clone());
    }
    let of = if parts.is_empty() { CastOf::Argument } else { CastOf::Output };
    parts.push((of, actual, expected));
    parts
}
