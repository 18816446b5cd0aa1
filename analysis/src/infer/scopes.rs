//! The scopes of a form, and the lengths opened in each.
//!
//! A scope is a lambda body, a branch of an `if`, the body of an `unpack`, or the root. Levels count how far in an
//! expression is (Rémy 1992): each scope is one level further in than the one around it, and a function checked for
//! generalization or for an index variable is, too.
//!
//! Invariants: scopes and opened lengths are only added; the scope and level of an opened length never change; the
//! current level is at least that of the current scope.

use super::names::Names;
use super::table::Level;
use crate::hir::{ExprId, Name};
use crate::size::{Var, VarKind};

/// Index of a scope.
pub type ScopeId = usize;

#[derive(Debug)]
struct Scope {
    /// The expression that ends the scope.
    expr: ExprId,
    level: Level,
    /// The number of openings whose type is not known yet.
    pending: u32,
    parent: Option<ScopeId>,
    /// Whether it is the body of a written `unpack`, whose length must not escape in explicit mode.
    of_unpack: bool,
}

/// All scopes so far, and the one that is being walked.
#[derive(Debug)]
pub struct Scopes {
    all: Vec<Scope>,
    current: ScopeId,
    level: Level,
    /// The index variables for which the surrounding functions are checked, outermost first.
    positions: Vec<Var>,
    /// The scope of each opened length, by its id; `None` for the symbolic length of an `iterate`.
    opened_in: Vec<Option<ScopeId>>,
    /// The level of each opened length, by its id.
    opened_at: Vec<Level>,
    names: Names,
    /// The expression whose sizes are being converted.
    reading: Option<ExprId>,
}

impl Scopes {
    /// The scopes before the walk: the root.
    pub fn new(root: ExprId, names: Names) -> Scopes {
        let root = Scope { expr: root, level: 1, pending: 0, parent: None, of_unpack: false };
        Scopes {
            all: vec![root],
            current: 0,
            level: 1,
            positions: Vec::new(),
            opened_in: Vec::new(),
            opened_at: Vec::new(),
            names,
            reading: None,
        }
    }

    pub fn current(&self) -> ScopeId {
        self.current
    }
    pub fn level(&self) -> Level {
        self.level
    }
    pub fn level_of(&self, scope: ScopeId) -> Level {
        self.all[scope].level
    }
    pub fn expr(&self, scope: ScopeId) -> ExprId {
        self.all[scope].expr
    }

    // --- the walk

    /// Starts a scope inside the current one. Returns it, and the current one, to which [`Scopes::leave`] returns.
    pub fn enter(&mut self, expr: ExprId, of_unpack: bool) -> (ScopeId, ScopeId) {
        let outer = self.current;
        self.deepen();
        self.all.push(Scope { expr, level: self.level, pending: 0, parent: Some(outer), of_unpack });
        self.current = self.all.len() - 1;
        (self.current, outer)
    }
    pub fn leave(&mut self, outer: ScopeId) {
        self.undeepen();
        self.current = outer;
    }
    /// Starts a function that is checked for these index variables. Returns what [`Scopes::leave_positions`] takes.
    pub fn enter_positions(&mut self, positions: &[Var]) -> usize {
        let outer = self.positions.len();
        self.positions.extend_from_slice(positions);
        self.deepen();
        outer
    }
    pub fn leave_positions(&mut self, outer: usize) {
        self.undeepen();
        self.positions.truncate(outer);
    }
    /// The name of the `nth` index variable of a type that is used here.
    pub fn position_name(&self, nth: usize) -> Name {
        self.names.position(nth, &self.positions)
    }
    /// Sets the expression whose sizes are converted; returns the previous one.
    pub fn read(&mut self, e: Option<ExprId>) -> Option<ExprId> {
        std::mem::replace(&mut self.reading, e)
    }
    pub fn reading(&self) -> Option<ExprId> {
        self.reading
    }
    /// Goes one level further in, without a scope.
    pub fn deepen(&mut self) {
        self.level += 1;
    }
    pub fn undeepen(&mut self) {
        self.level -= 1;
    }

    // --- openings

    /// Counts an opening in the scope that waits for its type.
    pub fn postpone_opening(&mut self, scope: ScopeId) {
        self.all[scope].pending += 1;
    }
    /// Counts an opening that waited as decided; returns whether no other one waits.
    pub fn opening_decided(&mut self, scope: ScopeId) -> bool {
        self.all[scope].pending -= 1;
        self.all[scope].pending == 0
    }
    pub fn awaits_openings(&self, scope: ScopeId) -> bool {
        self.all[scope].pending > 0
    }

    /// A fresh length bound by an existential type.
    pub fn bind_length(&mut self, name: &str) -> Var {
        self.names.bound(name)
    }
    /// A fresh length opened in the scope; with `None`, the symbolic length of an `iterate` at the current level.
    pub fn open_length(&mut self, scope: Option<ScopeId>, name: Option<Name>) -> Var {
        let name = name.unwrap_or_else(|| self.names.opened());
        let level = scope.map_or(self.level, |scope| self.level_of(scope));
        let var = Var { kind: VarKind::Skolem, id: self.opened_in.len() as u32, name };
        self.opened_in.push(scope);
        self.opened_at.push(level);
        var
    }
    /// The levels of the opened lengths, by their ids.
    pub fn opened_at(&self) -> &[Level] {
        &self.opened_at
    }
    /// Whether any length was opened in the scope.
    pub fn has_opened(&self, scope: ScopeId) -> bool {
        self.opened_in.contains(&Some(scope))
    }
    /// Whether a length was opened in the scope itself.
    pub fn is_opened_in(&self, var: &Var, scope: ScopeId) -> bool {
        var.kind == VarKind::Skolem && self.opened_in.get(var.id as usize) == Some(&Some(scope))
    }

    /// The scope and, while they are `unpack` bodies, the scopes around it, up to the next lambda or branch.
    fn within(&self, scope: ScopeId) -> impl Iterator<Item = ScopeId> + '_ {
        std::iter::successors(Some(scope), |s| self.all[*s].parent.filter(|_| self.all[*s].of_unpack))
    }
    /// Whether a length was opened in one of these scopes.
    pub fn is_opened_within(&self, var: &Var, scope: ScopeId) -> bool {
        self.within(scope).any(|s| self.is_opened_in(var, s))
    }
    /// The lowest level among these scopes.
    pub fn outermost_within(&self, scope: ScopeId) -> Level {
        self.within(scope).map(|s| self.all[s].level).min().unwrap_or(self.level)
    }
}
