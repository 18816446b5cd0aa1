//! Builds a [`Kernel`] from typed HIR.
//!
//! The program is evaluated symbolically, one kernel at a time. Values known at compile time (functions, sizes) are
//! [`Staged`] and disappear; everything else becomes statements. So definitions are inlined where they are applied, and
//! functions (lambdas, partial applications, compositions, `if`s between functions) remain only as arguments of
//! primitives. Every result is named, so the kernel is in A-normal form.
//!
//! The operations determine the types of the variables ([`super::typing`]), so a polymorphic definition needs no
//! instantiation here. Inference supplies where lengths are opened and hidden, the casts and the assumptions, all in
//! terms of the form's lengths; [`scope`] translates these to the kernel's where the form is inlined.
//!
//! Map: [`scope`] names, lengths and compile-time values · [`eval`] expressions · [`apply`] functions ·
//! [`lengths`] opening, hiding, casting · [`iterate`], [`state`] loops · [`prims`] primitives · [`emit`] statements.

mod apply;
mod emit;
mod eval;
mod iterate;
mod lengths;
mod prims;
mod scope;
mod state;

#[cfg(test)]
mod tests;

use super::{Block, Kernel, Stmt, VarId};
use emit::Emit;
use lift_analysis::db::{Db, Form, is_builtin, language};
use lift_analysis::diagnostics::Severity;
use lift_analysis::hir::{ExprId, FormKind, Name};
use lift_analysis::infer::Mode;
use lift_analysis::infer::given::Given;
use lift_analysis::origin::{FormKey, Origin};
use lift_analysis::parameters::Settings;
use lift_analysis::queries::{body, infer, infer_in_order, infer_with_given, placement};
use lift_analysis::size::{Assumption, Var, VarKind, work};
use lift_analysis::ty::TyKind;
use rustc_hash::{FxHashMap, FxHashSet};
use scope::staged::Staged;
use scope::{FormCx, Registry, Scope};
use std::rc::Rc;
use std::sync::Arc;

/// Why no kernel could be built from a form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuildError {
    /// One sentence, with code and types between backticks.
    pub message: String,
    pub origin: Option<Origin>,
    /// Whether the kernel of a correct program exceeds a limit.
    pub too_large: bool,
}

impl BuildError {
    fn new(message: String, origin: Option<Origin>) -> BuildError {
        BuildError { message, origin, too_large: false }
    }
}

impl std::fmt::Display for BuildError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for BuildError {}

type Result<T> = std::result::Result<T, BuildError>;

/// The simplified kernel of a `lift` form, or its errors.
#[salsa::tracked(returns(clone))]
pub fn kernel(db: &dyn Db, form: Form) -> std::result::Result<Arc<Kernel>, Vec<BuildError>> {
    let misplaced = placement(db, form);
    if let Some(first) = misplaced.iter().find(|d| d.severity == Severity::Error) {
        return Err(vec![BuildError::new(first.message.clone(), None)]);
    }
    let simple = || {
        let kernel = super::simplify::simplify(elaborated_kernel(db, form)?);
        if work::exhausted() {
            let message =
                "with all definitions inlined, the lengths in this kernel are too large to be compiled".into();
            return Err(BuildError { too_large: true, ..BuildError::new(message, None) });
        }
        // Only here: a length may get its value by simplification, and an array may go.
        match too_long(&kernel) {
            Some(at) => {
                let message = "the length of this array is too large an expression to be compiled".into();
                Err(BuildError::new(message, Some(at.origin.clone())))
            }
            None => Ok(kernel),
        }
    };
    let mut kernel = work::apart(crate::budget::MOST_TERMS, simple).map_err(|e| vec![e])?;
    let root = body(db, form).root.map(|expr| Origin::new(Arc::new(key(db, form)), expr));
    super::numbers::assume_fitting(&mut kernel, root.as_ref());
    // Report a compiler bug here rather than by its effects in later stages.
    if cfg!(debug_assertions)
        && let Some(problem) = super::check::problems(&kernel).into_iter().next()
    {
        let message = format!("internal error of the compiler: the kernel is not well formed: {problem}");
        return Err(vec![BuildError::new(message, None)]);
    }
    Ok(Arc::new(kernel))
}

/// The first statement that makes an array whose length is too large to keep.
fn too_long(kernel: &Kernel) -> Option<&Stmt> {
    let mut found = None;
    kernel.body.visit(&mut |stmt| {
        if found.is_none() && kernel.ty(stmt.var).any_size(&mut |size| size.is_too_large()) {
            found = Some(stmt);
        }
    });
    found
}

/// The kernel before simplification.
pub fn elaborated_kernel(db: &dyn Db, form: Form) -> Result<Kernel> {
    // Chains of definitions are inferred from the last callee, so that recursion stays shallow.
    infer_in_order(db, &[form], Mode::Insert);
    let mut build = Build {
        db,
        emit: Emit::default(),
        assumptions: Vec::new(),
        assumed: FxHashSet::default(),
        forms: FxHashMap::default(),
        depth: 0,
        evaluated: 0,
        scopes: Rc::default(),
    };
    build.kernel(form)
}

struct Build<'db> {
    db: &'db dyn Db,
    emit: Emit,
    assumptions: Vec<(Assumption, Origin)>,
    /// The assumptions so far, so that each is added once.
    assumed: FxHashSet<Assumption>,
    /// Definitions also by what their parameters are given.
    forms: FxHashMap<(Form, Option<Given>), Rc<FormCx>>,
    /// Depth of nested expressions, including inlined definitions.
    depth: u32,
    /// Expressions evaluated so far.
    evaluated: usize,
    scopes: Rc<Registry<'db>>,
}

impl Drop for Build<'_> {
    fn drop(&mut self) {
        self.scopes.forget();
    }
}

impl<'db> Build<'db> {
    fn kernel(&mut self, form: Form) -> Result<Kernel> {
        let cx = self.form(form, None)?;
        let at = |e: ExprId| Origin::new(cx.key.clone(), e);
        let Some(root) = cx.body.root.filter(|_| cx.body.kind == FormKind::Kernel) else {
            let message = match cx.body.kind {
                FormKind::Kernel => format!("the program has no kernel: {}", language(self.db, cx.file).kernel()),
                _ => format!("`{}` is not a kernel: only a `lift` form can be compiled and run", cx.name()),
            };
            return Err(BuildError::new(message, cx.body.root.map(at)));
        };
        let sizes = cx.body.size_params.iter().map(|b| param_size(b.0, &cx.body.binder(*b).name)).collect();
        let scope = Scope::of_form(cx.clone(), None, None, &self.scopes);
        self.assume_of_form(&scope)?;
        let function = self.eval(&scope, root)?;
        let (types, _) = cx.inference.expr_types[root].uncurry();
        let types: Vec<_> = types.into_iter().take(cx.body.param_types.len()).cloned().collect();
        if let Some(i) = types.iter().position(|ty| ty.any(&mut |t| matches!(t.kind(), TyKind::Fun(..)))) {
            let message = format!("a kernel takes data, but input {} is a function: `{}`", i + 1, types[i]);
            return Err(BuildError::new(message, Some(at(root))));
        }
        let params: Vec<VarId> = types
            .into_iter()
            .enumerate()
            .map(|(i, ty)| {
                let name = function.param_name(i);
                let ty = self.fresh_binders(&ty);
                self.emit.var(name.unwrap_or_else(|| "x".into()), ty)
            })
            .collect();
        let args = params.iter().map(|p| Staged::from(*p)).collect();
        let result = self.apply(function, args, &at(root))?;
        let result = self.reify(result, &at(root))?;
        let mut kernel = Kernel {
            name: cx.name(),
            sizes,
            params,
            vars: Vec::new(),
            body: Block { stmts: self.emit.close(), result },
            result: lift_analysis::ty::Ty::int(),
            assumptions: std::mem::take(&mut self.assumptions),
            settings: cx.body.computed().and_then(|e| cx.body.settings_of(e)).unwrap_or(Settings::DEFAULT),
        };
        kernel.vars = self.emit.take_vars();
        kernel.result = kernel.atom_ty(&kernel.body.result);
        Ok(kernel)
    }

    /// The inference result of a form, cached; an error if the form has errors.
    fn form(&mut self, form: Form, given: Option<&Given>) -> Result<Rc<FormCx>> {
        let known = (form, given.cloned());
        if let Some(cx) = self.forms.get(&known) {
            return Ok(cx.clone());
        }
        let db = self.db;
        let file = form.file(db);
        let cx = FormCx {
            key: Arc::new(key(db, form)),
            body: body(db, form),
            inference: match given {
                Some(given) => infer_with_given(db, form, given.clone()),
                None => infer(db, form),
            },
            file,
            builtin: is_builtin(db, file),
        };
        let is_error = |d: &&lift_analysis::diagnostics::Diagnostic| d.severity == Severity::Error;
        if let Some(first) = cx.inference.diagnostics.iter().find(is_error) {
            let message = format!("`{}` has errors: {}", cx.name(), first.message);
            let expr = match first.at {
                lift_analysis::hir::Node::Expr(e) => Some(e),
                _ => cx.body.root,
            };
            let origin = expr.map(|expr| Origin::new(cx.key.clone(), expr));
            return Err(BuildError::new(message, origin));
        }
        let cx = Rc::new(cx);
        self.forms.insert(known, cx.clone());
        Ok(cx)
    }
}

impl FormCx {
    /// The name of the form; an unnamed kernel is named after its file.
    fn name(&self) -> Name {
        self.key.name.clone().unwrap_or_else(|| {
            let file = self.key.file.rsplit('/').next().unwrap_or("kernel");
            file.strip_suffix(".lift").unwrap_or(file).into()
        })
    }
}

fn key(db: &dyn Db, form: Form) -> FormKey {
    FormKey { file: form.file(db).path(db).clone(), name: form.name(db).clone(), nth: form.nth(db) }
}

/// A size parameter of the kernel; equal to the one inference makes.
fn param_size(id: u32, name: &str) -> Var {
    Var::new(VarKind::Param, id, name)
}
