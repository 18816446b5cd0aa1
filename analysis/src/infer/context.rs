//! The state of one inference: inference variables, scopes of opened lengths, deferred constraints, results so far.

use super::agenda::Agenda;
use super::binders::Binders;
use super::branches::Branches;
use super::budget::{Budget, MOST_ASSUMED};
use super::cause::Cause;
use super::constraint::Constraint;
use super::lets::Lets;
use super::result::*;
use super::scopes::{ScopeId, Scopes};
use super::table::{BOUND_ONLY, Position, Table};
use super::unify::{COMPARED, Mismatch, Unify, occurrence_order};
use super::{Env, Mode};
use crate::diagnostics::Diagnostic;
use crate::diagnostics::Problem;
use crate::hir::*;
use crate::size::{Assumption, Facts, Size, Var};
use crate::ty::{ArrayTy, Ty, TyKind};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

pub struct Infer<'a> {
    pub body: &'a Body,
    pub env: &'a dyn Env,
    pub mode: Mode,
    pub table: Table,
    pub facts: Facts,
    pub scopes: Scopes,
    pub agenda: Agenda,
    /// The expression whose sizes are being converted.
    pub reading: Option<ExprId>,
    /// Computed on first use.
    pub branches: Option<Rc<Branches>>,
    pub expr_types: IdVec<ExprId, Option<Ty>>,
    pub binders: Binders,
    /// Sizes that must be constant, with the expression that requires it.
    pub constants: Vec<(Size, ExprId)>,
    pub lets: Lets,
    /// The function arguments checked for each index variable, by its id.
    pub functions_at: FxHashMap<u32, Vec<ExprId>>,
    /// Whether a used definition has a type with gaps left by an error.
    pub uses_broken: bool,
    pub names: Names,
    pub budget: Budget,
    pub out: Inference,
}

/// Names for opened lengths (`X1`, `X2`, …, without those used in the program), and numbers for hidden ones.
#[derive(Debug, Default)]
pub struct Names {
    taken: FxHashSet<Name>,
    /// The sizes of the program, without index variables.
    sizes: FxHashSet<Name>,
    opened: u32,
    bound: u32,
}

impl Names {
    pub fn new(body: &Body) -> Names {
        let taken =
            body.binders.iter().filter(|b| !matches!(b.role, BinderRole::Param | BinderRole::Let | BinderRole::Unpack));
        let taken: Vec<&Binder> = taken.collect();
        let sizes = taken.iter().filter(|b| b.role != BinderRole::Position).map(|b| b.name.clone()).collect();
        Names { taken: taken.iter().map(|b| b.name.clone()).collect(), sizes, opened: 0, bound: 0 }
    }
    fn opened(&mut self) -> Name {
        loop {
            self.opened += 1;
            let name: Name = format!("X{}", self.opened).into();
            if !self.taken.contains(&name) {
                return name;
            }
        }
    }
    fn bound(&mut self, name: &str) -> Var {
        self.bound += 1;
        crate::ty::bound(self.bound - 1, name)
    }
}

impl<'a> Infer<'a> {
    pub fn new(body: &'a Body, env: &'a dyn Env, mode: Mode) -> Infer<'a> {
        Infer {
            body,
            env,
            mode,
            table: Table::default(),
            facts: Facts::new(),
            scopes: Scopes::new(body.root.unwrap_or(ExprId(0))),
            agenda: Agenda::default(),
            reading: None,
            branches: None,
            expr_types: vec![None; body.exprs.len()].into(),
            binders: Binders::new(body.binders.len(), super::size_params::size_params(body, env)),
            constants: Vec::new(),
            lets: Lets::default(),
            functions_at: FxHashMap::default(),
            uses_broken: false,
            names: Names::new(body),
            budget: Budget::default(),
            out: Inference::default(),
        }
    }

    // --- inference variables

    pub fn fresh(&mut self) -> Ty {
        self.table.fresh(self.scopes.level())
    }
    pub fn fresh_size(&mut self) -> Size {
        self.table.fresh_size(self.scopes.level())
    }
    /// A fresh length bound by an existential type.
    pub fn fresh_bound(&mut self, name: &str) -> Var {
        self.names.bound(name)
    }
    /// An index variable bound by a written type.
    pub fn written_position(&mut self, name: &Name) -> Var {
        self.table.fresh_position(Position { level: BOUND_ONLY, count: None, name: name.clone() })
    }
    /// The `nth` index variable of the type of a used function, for which its function arguments are checked.
    pub fn fresh_position(&mut self, nth: usize) -> Var {
        let name = self.position_name(nth);
        self.table.fresh_position(Position { level: self.scopes.level() + 1, count: None, name })
    }
    /// The `nth` of `i`, `j`, … that names neither a surrounding index variable nor a size.
    fn position_name(&self, nth: usize) -> Name {
        let taken =
            |name: &str| self.names.sizes.contains(name) || self.scopes.positions().iter().any(|p| *p.name == *name);
        let letters = ["i", "j", "k", "l", "m", "n", "p", "q"];
        let names = (0u32..).flat_map(|round| {
            letters.iter().map(move |l| if round == 0 { l.to_string() } else { format!("{l}{round}") })
        });
        names.filter(|n| !taken(n)).nth(nth).unwrap_or_else(|| "i".into()).into()
    }
    /// Facts about lengths that mention these variables.
    pub fn facts_about(&self, vars: &[Var]) -> std::borrow::Cow<'_, Facts> {
        match self.table.facts_about(&self.facts, vars) {
            Some(facts) => std::borrow::Cow::Owned(facts),
            None => std::borrow::Cow::Borrowed(&self.facts),
        }
    }
    /// An array of this length whose elements may depend on the index, and the element type.
    pub fn any_array(&mut self, len: &Size) -> (Ty, Ty) {
        let position = self.fresh_position(0);
        self.table.positions[position.id as usize].count = Some(len.clone());
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
        let name = name.unwrap_or_else(|| self.names.opened());
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

    fn unifying<T>(
        &mut self,
        why: Option<ExprId>,
        f: impl FnOnce(&mut Unify<'_>) -> T,
    ) -> (T, Vec<(Size, Size)>, Vec<Assumption>) {
        self.table.why = why;
        let mut u = Unify {
            table: &mut self.table,
            skolem_levels: self.scopes.opened_at(),
            facts: &self.facts,
            postponed: Vec::new(),
            assumed: Vec::new(),
            left: COMPARED,
        };
        let out = f(&mut u);
        let (postponed, assumed) = (u.postponed, u.assumed);
        (out, postponed, assumed)
    }

    /// Makes `actual` equal to `expected`. A conflict is reported with its cause; returns whether there was none.
    pub fn unify(&mut self, expected: &Ty, actual: &Ty, cause: &Cause) -> bool {
        match self.try_unify(expected, actual, cause) {
            Ok(()) => true,
            Err(m) => {
                self.report_mismatch(expected, actual, m, cause);
                false
            }
        }
    }
    pub fn try_unify(&mut self, expected: &Ty, actual: &Ty, cause: &Cause) -> Result<(), Mismatch> {
        let (result, postponed, assumed) = self.unifying(cause.why(), |u| u.types(expected, actual));
        self.after_unify(postponed, assumed, cause);
        result
    }
    pub fn unify_sizes(&mut self, expected: &Size, actual: &Size, cause: &Cause) -> Result<(), Mismatch> {
        let (result, postponed, assumed) = self.unifying(cause.why(), |u| u.sizes(expected, actual));
        self.after_unify(postponed, assumed, cause);
        result
    }
    fn after_unify(&mut self, postponed: Vec<(Size, Size)>, assumed: Vec<Assumption>, cause: &Cause) {
        for (left, right) in postponed {
            self.defer(Constraint::Equal { left, right, cause: cause.clone() });
        }
        for a in assumed {
            self.assume(a, cause.at());
        }
        self.wake_bound();
    }

    pub fn assume(&mut self, assumption: Assumption, at: ExprId) {
        if !self.budget.condition(assumption.weight()) {
            self.give_up(Node::Expr(at), &Problem::TooManyConditions { most: MOST_ASSUMED });
            return;
        }
        self.out.assumed.push(Assumed { assumption, at, branch: None });
    }
    pub fn diagnostic(&mut self, d: Diagnostic) {
        // One diagnostic of each code per node.
        if !self.out.diagnostics.iter().any(|o| o.at == d.at && o.code == d.code) {
            self.out.diagnostics.push(d);
        }
    }
    pub fn error(&mut self, at: Node, problem: &Problem) {
        self.diagnostic(Diagnostic::new(at, problem));
    }

    // --- opening

    /// The type under which a value of type `ty` is used at `site`: an existential is opened with fresh lengths,
    /// immediately or once its type is known.
    pub fn open(&mut self, ty: Ty, site: Site) -> Ty {
        if self.mode == Mode::Explicit {
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
        self.out.openings.push(Opening { site, lengths, from: ty.clone(), to: to.clone(), scope, explicit });
        to
    }
}
