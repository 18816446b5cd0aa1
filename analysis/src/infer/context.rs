//! The state of one inference, in parts that each keep their own invariants.

use super::agenda::Agenda;
use super::binders::Binders;
use super::budget::{Budget, MOST_ASSUMED};
use super::cause::Cause;
use super::constraint::Constraint;
use super::found::Found;
use super::names::Names;
use super::program::Program;
use super::result::*;
use super::results::Results;
use super::scopes::{ScopeId, Scopes};
use super::table::unify::{Mismatch, Unified, occurrence_order};
use super::table::{BOUND_ONLY, Position, Table};
use super::{Components, Env, Guesses, Mode, Openings};
use crate::diagnostics::Diagnostic;
use crate::diagnostics::Problem;
use crate::hir::*;
use crate::size::{Assumption, Size, Var};
use crate::ty::{ArrayTy, Ty, TyKind};

pub struct Infer<'a> {
    pub program: Program<'a>,
    pub table: Table,
    pub scopes: Scopes,
    pub binders: Binders,
    pub agenda: Agenda,
    pub budget: Budget,
    pub found: Found,
    pub(super) guesses: Guesses,
    /// Whether a definition is given sizes, so that an `unpack` or `pack` in it may have nothing to do.
    pub is_given_sizes: bool,
}

impl<'a> Infer<'a> {
    pub fn new(body: &'a Body, env: &'a dyn Env, mode: Mode) -> Infer<'a> {
        let program = Program::new(body, env, mode);
        Infer {
            table: Table::default(),
            scopes: Scopes::new(program.root(), Names::new(body)),
            binders: Binders::new(body.binders.len(), super::size_params::size_params(body, env)),
            agenda: Agenda::default(),
            budget: Budget::default(),
            found: Found::new(body.exprs.len()),
            guesses: Guesses { components: Components::OfPairs, openings: Openings::Wait },
            is_given_sizes: false,
            program,
        }
    }

    /// The results so far, for messages.
    pub fn results(&self) -> Results<'_> {
        Results { program: &self.program, table: &self.table, binders: &self.binders, found: &self.found }
    }

    // --- inference variables

    pub fn fresh(&mut self) -> Ty {
        self.table.fresh(self.scopes.level())
    }
    pub fn fresh_size(&mut self) -> Size {
        self.table.fresh_size(self.scopes.level())
    }
    /// An index variable bound by a written type.
    pub fn written_position(&mut self, name: &Name) -> Var {
        self.table.fresh_position(Position { level: BOUND_ONLY, count: None, name: name.clone() })
    }
    /// The `nth` index variable of the type of a used function, for which its function arguments are checked.
    pub fn fresh_position(&mut self, nth: usize) -> Var {
        let name = self.scopes.position_name(nth);
        self.table.fresh_position(Position { level: self.scopes.level() + 1, count: None, name })
    }
    /// An array of this length whose elements may depend on the index, and the element type.
    pub fn any_array(&mut self, len: &Size) -> (Ty, Ty) {
        let position = self.fresh_position(0);
        self.table.set_count(&position, len);
        let element = self.table.fresh_type_at(self.scopes.level(), None, vec![position.id]);
        let array = ArrayTy { element: element.clone(), len: len.clone(), position: Some(position) };
        (Ty::new(TyKind::Array(array)), element)
    }
    /// Checks a function for the index variables of the array that it is applied to.
    pub fn at_positions<T>(&mut self, positions: &[Var], f: impl FnOnce(&mut Self) -> T) -> T {
        if positions.is_empty() {
            return f(self);
        }
        let outer = self.scopes.enter_positions(positions);
        let out = f(self);
        self.scopes.leave_positions(outer);
        out
    }
    /// A fresh skolem of the given scope; with `None`, of the current level only (for `iterate`).
    pub fn fresh_skolem(&mut self, scope: Option<ScopeId>, name: Option<Name>) -> Var {
        self.scopes.open_length(scope, name)
    }

    // --- scopes

    /// Runs `f` in a new scope, one level further in.
    pub fn in_scope<T>(&mut self, expr: ExprId, of_unpack: bool, f: impl FnOnce(&mut Self, ScopeId) -> T) -> T {
        let (scope, outer) = self.scopes.enter(expr, of_unpack);
        let out = f(self, scope);
        self.scopes.leave(outer);
        out
    }

    // --- unification with a cause

    /// Makes `actual` equal to `expected`. A conflict is reported with its cause; returns whether there was none.
    pub fn unify(&mut self, expected: &Ty, actual: &Ty, cause: &Cause) -> bool {
        if let Cause::Argument { arg, .. } = *cause
            && self.unify_where_computed(expected, actual, arg, cause)
        {
            return true;
        }
        match self.try_unify(expected, actual, cause) {
            Ok(()) => true,
            Err(m) => {
                let d = self.results().mismatch(expected, actual, m, cause);
                self.found.diagnostics(d);
                false
            }
        }
    }
    pub fn try_unify(&mut self, expected: &Ty, actual: &Ty, cause: &Cause) -> Result<(), Mismatch> {
        let unified = self.table.unify(self.scopes.opened_at(), cause.why(), |u| u.types(expected, actual));
        self.after_unify(unified, cause)
    }
    pub fn unify_sizes(&mut self, expected: &Size, actual: &Size, cause: &Cause) -> Result<(), Mismatch> {
        let unified = self.table.unify(self.scopes.opened_at(), cause.why(), |u| u.sizes(expected, actual));
        self.after_unify(unified, cause)
    }
    pub(super) fn after_unify(&mut self, unified: Unified, cause: &Cause) -> Result<(), Mismatch> {
        for (left, right) in unified.postponed {
            self.defer(Constraint::Equal { left, right, cause: cause.clone() });
        }
        for a in unified.assumed {
            self.assume(a, cause.at());
        }
        self.wake_bound();
        unified.result
    }

    /// Assumes a condition for the use at `at`.
    pub fn assume(&mut self, assumption: Assumption, at: ExprId) {
        self.assume_in(assumption, at, None);
    }
    /// Assumes a condition that is checked at the start of a branch.
    pub fn assume_in(&mut self, assumption: Assumption, at: ExprId, branch: Option<ExprId>) {
        if !self.budget.condition(assumption.weight()) {
            self.give_up(Node::Expr(at), &Problem::TooManyConditions { most: MOST_ASSUMED });
            return;
        }
        self.found.assume(Assumed { assumption, at, branch });
    }
    /// Reports a conflict between lengths that was found after the types were compared.
    pub fn report_lengths(&mut self, m: Mismatch, cause: &Cause) {
        let d = self.results().lengths(m, cause);
        self.found.diagnostics(d);
    }
    pub fn error(&mut self, at: Node, problem: &Problem) {
        self.found.diagnostic(Diagnostic::new(at, problem));
    }

    // --- opening

    /// The type under which a value of type `ty` is used at `site`: an existential is opened with fresh lengths,
    /// immediately or once its type is known.
    pub fn open(&mut self, ty: Ty, site: Site) -> Ty {
        if self.program.is_explicit() {
            return ty;
        }
        self.open_named(ty, site, false, &[])
    }

    pub fn open_named(&mut self, ty: Ty, site: Site, explicit: bool, names: &[Name]) -> Ty {
        let head = self.table.shallow(&ty);
        match head.kind() {
            TyKind::Exists(..) => self.open_now(&head, site, explicit, names),
            TyKind::Unknown(v) if explicit || self.table.class(*v).is_none() => {
                let to = self.fresh();
                let scope = self.scopes.current();
                self.scopes.postpone_opening(scope);
                let names = names.to_vec();
                self.defer(Constraint::Open { from: head, to: to.clone(), site, scope, explicit, names });
                to
            }
            _ => head,
        }
    }

    fn open_now(&mut self, ty: &Ty, site: Site, explicit: bool, names: &[Name]) -> Ty {
        let scope = self.scopes.current();
        self.open_in(ty, site, scope, explicit, names)
    }

    /// Opens `ty`, an `Exists`. The first lengths, in order of occurrence, take the user's names.
    pub fn open_in(&mut self, ty: &Ty, site: Site, scope: ScopeId, explicit: bool, names: &[Name]) -> Ty {
        let ty = self.table.zonk(ty);
        let TyKind::Exists(vars, inner) = ty.kind() else { return ty };
        let vars = occurrence_order(vars, inner);
        let ty = Ty::exists(vars.clone(), inner.clone());
        let mut names = names.iter().cloned();
        let lengths: Vec<Var> = vars.iter().map(|_| self.fresh_skolem(Some(scope), names.next())).collect();
        let to = inner.subst_sizes(&mut |v| {
            let i = vars.iter().position(|b| b == v)?;
            Some(Size::var(lengths[i].clone()))
        });
        let scope = self.scopes.expr(scope);
        self.found.opened(Opening { site, lengths, from: ty.clone(), to: to.clone(), scope, explicit });
        to
    }
}
