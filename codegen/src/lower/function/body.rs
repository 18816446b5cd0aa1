//! The text of a function under construction: its names and its statements so far.

use super::super::{LowerError, barriers};
use crate::opencl::{BinaryOp, CType, Expr, Names, PartOrigins, Stmt, StmtKind, Storage};
use lift_analysis::hir::Name;
use lift_analysis::origin::Origin;

/// Names and statements; knows neither sizes nor the program. Invariants: a scope is open, and each name is declared once.
pub struct Body {
    names: Names,
    /// The origin of the statements that are written now.
    origin: Origin,
    /// Origins of subexpressions.
    parts: PartOrigins,
    /// Arrays in local memory.
    declarations: Vec<Stmt>,
    /// Statements before those of the outermost scope.
    prologue: Vec<Stmt>,
    /// The open scopes, the innermost one last.
    scopes: Vec<Vec<Stmt>>,
}

/// A finished body.
pub struct Written {
    pub stmts: Vec<Stmt>,
    pub names: Names,
    pub parts: PartOrigins,
}

/// The barrier with which statements certainly end, possibly in the last iteration of a loop: for local and for global
/// memory.
fn last_barrier(stmts: &mut [Stmt]) -> Option<[&mut bool; 2]> {
    match &mut stmts.last_mut()?.kind {
        StmtKind::Barrier { local, global } => Some([local, global]),
        StmtKind::For { from, condition: Expr::Binary(BinaryOp::Lt, _, to), body, .. } => {
            let rounds = from.as_int().zip(to.as_int()).is_some_and(|(from, to)| from < to);
            if rounds { last_barrier(body) } else { None }
        }
        _ => None,
    }
}

impl Body {
    /// A body without statements, in which names like `reserved` are taken.
    pub(super) fn new(origin: &Origin, reserved: &str) -> Body {
        let mut names = Names::default();
        names.reserve(reserved);
        Body {
            names,
            origin: origin.clone(),
            parts: PartOrigins::default(),
            declarations: Vec::new(),
            prologue: Vec::new(),
            scopes: vec![Vec::new()],
        }
    }

    pub fn origin(&self) -> Origin {
        self.origin.clone()
    }
    /// Attributes the next statements to `origin`; returns the previous one.
    pub(super) fn set_origin(&mut self, origin: Origin) -> Origin {
        std::mem::replace(&mut self.origin, origin)
    }
    pub fn error(&self, primitive: &str, message: impl Into<String>) -> LowerError {
        LowerError::new(&self.origin, primitive, message)
    }
    /// Notes the origin of a subexpression.
    pub fn note_part(&mut self, expr: &Expr, origin: &Origin) {
        self.parts.add(expr, origin);
    }

    pub fn emit(&mut self, kind: StmtKind) {
        let stmt = kind.at(&self.origin);
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(stmt);
        }
    }
    /// Appends statements that were written in a separate scope.
    pub fn emit_all(&mut self, stmts: Vec<Stmt>) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.extend(stmts);
        }
    }
    pub fn fresh_name(&mut self, wish: &str) -> Name {
        self.names.fresh(wish)
    }
    /// `const T name = init;`
    pub fn bind(&mut self, wish: &str, ty: CType, init: Expr) -> Expr {
        let name = self.fresh_name(wish);
        self.emit(StmtKind::Declare { ty, constant: true, name: name.clone(), init: Some(init) });
        Expr::Var(name)
    }
    /// `T name = init;`
    pub fn variable(&mut self, wish: &str, ty: CType, init: Option<Expr>) -> Name {
        let name = self.fresh_name(wish);
        self.emit(StmtKind::Declare { ty, constant: false, name: name.clone(), init });
        name
    }
    /// `T name = init;` with a fresh name.
    pub fn variable_named(&mut self, name: Name, ty: CType, init: Expr) -> Name {
        self.emit(StmtKind::Declare { ty, constant: false, name: name.clone(), init: Some(init) });
        name
    }
    pub fn assign(&mut self, to: Expr, value: Expr) {
        self.emit(StmtKind::Assign(to, value));
    }
    pub fn declare_array(&mut self, wish: &str, storage: Storage, ty: CType, len: u64) -> Name {
        let name = self.fresh_name(wish);
        let kind = StmtKind::DeclareArray { storage, ty, name: name.clone(), len };
        match storage {
            // OpenCL C 1.2 requires them at the start of the function.
            Storage::Local | Storage::LocalVectors => self.declarations.push(kind.at(&self.origin)),
            Storage::Private => self.emit(kind),
        }
        name
    }
    pub fn barrier(&mut self, local: bool, global: bool) {
        if let Some([l, g]) = self.scopes.last_mut().and_then(|s| last_barrier(s)) {
            *l |= local;
            *g |= global;
            return;
        }
        self.emit(StmtKind::Barrier { local, global });
    }
    pub fn emit_if(&mut self, condition: Expr, then: Vec<Stmt>, otherwise: Vec<Stmt>) {
        if then.is_empty() && otherwise.is_empty() {
            return;
        }
        if then.is_empty() {
            self.emit(StmtKind::If { condition: condition.not(), then: otherwise, otherwise: Vec::new() });
            return;
        }
        self.emit(StmtKind::If { condition, then, otherwise });
    }

    /// The number of open scopes.
    pub fn depth(&self) -> usize {
        self.scopes.len()
    }
    /// The statements of the innermost scope.
    pub fn innermost(&mut self) -> Option<&mut Vec<Stmt>> {
        self.scopes.last_mut()
    }
    /// The last statement of the innermost scope.
    pub fn last_written(&self) -> Option<&StmtKind> {
        self.scopes.last()?.last().map(|s| &s.kind)
    }
    /// The initialiser of a variable in the innermost scope.
    pub fn initial(&self, of: &Name) -> Option<&Expr> {
        self.scopes.last()?.iter().rev().find_map(|s| match &s.kind {
            StmtKind::Declare { constant: true, name, init, .. } if name == of => init.as_ref(),
            _ => None,
        })
    }
    /// Whether no statement accesses memory visible to others.
    pub fn does_nothing(&self) -> bool {
        self.scopes.iter().all(|scope| barriers::touches_nothing(scope))
    }

    pub(super) fn open(&mut self) {
        self.scopes.push(Vec::new());
    }
    /// Closes the innermost scope; returns its statements.
    pub(super) fn close(&mut self) -> Vec<Stmt> {
        self.scopes.pop().unwrap_or_default()
    }
    /// Closes the innermost scope; its statements run at the start of the function, after earlier ones there.
    pub(super) fn close_in_prologue(&mut self) {
        let stmts = self.close();
        self.prologue.extend(stmts);
    }

    pub(super) fn finish(mut self) -> Written {
        let body = self.close();
        let stmts = self.declarations.into_iter().chain(self.prologue).chain(body).collect();
        Written { stmts, names: self.names, parts: self.parts }
    }
}
