//! Rewrites of one form that preserve its type.

use super::super::SourceChange;
use super::super::locate::View;
use super::super::scope::{fresh_name, in_scope, mentions_name, names_in, text_of};
use super::trial::{Edits, Keeps, before_form, tried};
use super::{CodeAction, kinds};
use crate::hir::*;
use crate::infer::{Site, type_source};
use crate::names::Resolution;
use crate::prims;
use crate::queries::definition_scheme;
use crate::ty::TyKind;
use lift_syntax::{TextRange, TextSize};
use std::collections::BTreeSet;

/// Adds the rewrites of the node at the cursor or selection.
pub(super) fn refactorings(view: &View<'_>, selection: TextRange, actions: &mut Vec<CodeAction>) {
    let Some(node) = view.node_at(selection) else { return };
    let tool = Tool { view };
    match node {
        Node::Binder(binder) => {
            tool.name_length(binder, actions);
            tool.annotate(binder, actions);
            tool.inline_let(binder, actions);
        }
        Node::Expr(expr) => {
            if let Expr::Local(binder) = view.body.expr(expr) {
                tool.inline_let(*binder, actions);
            }
            if !selection.is_empty() {
                tool.extract_let(expr, actions);
                tool.extract_define(expr, actions);
            }
            tool.eta(expr, actions);
            tool.place(expr, actions);
            // The name in callee position may represent the call.
            let call = tool.call_of(expr);
            if let Some(call) = call {
                tool.inline_definition(call, actions);
                tool.compose(call, actions);
                tool.name_arguments(call, actions);
            }
            if let Expr::Compose(_) = view.body.expr(expr) {
                tool.nest(expr, actions);
            } else if let Some(around) = tool.parent(expr)
                && matches!(view.body.expr(around), Expr::Compose(_))
            {
                tool.nest(around, actions);
            }
        }
        _ => {}
    }
}

/// The edit that writes out the type of the name ending at an offset of the file.
pub(super) fn annotation_at(view: &View<'_>, at: TextSize) -> Option<SourceChange> {
    let binder = view.map.binders.iter().position(|range| range.end() + view.start == at)?;
    let mut actions = Vec::new();
    Tool { view }.annotate(BinderId(binder as u32), &mut actions);
    actions.pop().map(|action| action.change)
}

/// The name that ends at an offset of the file.
fn name_ending_at(view: &View<'_>, at: TextSize) -> Option<ExprId> {
    let ends = |id: &u32| {
        matches!(view.body.expr(ExprId(*id)), Expr::Global(_)) && view.range(Node::Expr(ExprId(*id))).end() == at
    };
    (0..view.body.exprs.len() as u32).find(ends).map(ExprId)
}

/// The edit that annotates the operator ending at an offset of the file with its type: `(: + (-> int int int))`.
pub(super) fn default_at(view: &View<'_>, at: TextSize) -> Option<SourceChange> {
    let expr = name_ending_at(view, at)?;
    let inference = view.inference();
    let written = type_source(inference.expr_types.get(expr)?, &|_| false)?;
    let range = view.map.range(Node::Expr(expr));
    let edits = Edits::default().insert(range.start(), "(: ").insert(range.end(), format!(" {written})"));
    tried(view, edits.apply(view.text()), Keeps::Type, None)
}

/// The edit that places the primitive ending at an offset of the file at a level: `mapGlb` for `map` and `Glb0`.
pub(super) fn placed_at(view: &View<'_>, at: TextSize, level: &str) -> Option<SourceChange> {
    let expr = name_ending_at(view, at)?;
    let Expr::Global(name) = view.body.expr(expr) else { return None };
    let Some(Resolution::Primitive(current)) = view.resolve(name) else { return None };
    let placed = prims::all().iter().find(|p| p.id == current.id && p.level.is_some_and(|l| l.to_string() == level))?;
    let edits = Edits::default().replace(view.map.range(Node::Expr(expr)), &**placed.spelling());
    tried(view, edits.apply(view.text()), Keeps::Type, None)
}

struct Tool<'a, 'db> {
    view: &'a View<'db>,
}

impl Tool<'_, '_> {
    fn body(&self) -> &Body {
        &self.view.body
    }
    fn range(&self, expr: ExprId) -> TextRange {
        self.view.map.range(Node::Expr(expr))
    }
    fn text(&self, expr: ExprId) -> &str {
        text_of(self.view.text(), self.range(expr))
    }
    fn start(&self, expr: ExprId) -> TextSize {
        self.range(expr).start()
    }

    fn offer(&self, title: impl Into<String>, kind: &'static str, edits: Edits, actions: &mut Vec<CodeAction>) {
        let after = edits.apply(self.view.text());
        self.push(title, kind, tried(self.view, after, Keeps::Type, None), actions);
    }
    fn push(
        &self,
        title: impl Into<String>,
        kind: &'static str,
        change: Option<SourceChange>,
        actions: &mut Vec<CodeAction>,
    ) {
        if let Some(change) = change {
            actions.push(CodeAction { title: title.into(), kind, change, preferred: false });
        }
    }

    fn fresh(&self, stem: &str) -> String {
        fresh_name(stem, |name| mentions_name(self.body(), name))
    }
    fn parent(&self, expr: ExprId) -> Option<ExprId> {
        let parent = self.body().exprs.iter().position(|other| other.children().contains(&expr))?;
        Some(ExprId(parent as u32))
    }
    /// The call that the expression is, or of which it is the callee.
    fn call_of(&self, expr: ExprId) -> Option<ExprId> {
        if matches!(self.body().expr(expr), Expr::Apply { .. }) {
            return Some(expr);
        }
        let parent = self.parent(expr)?;
        matches!(self.body().expr(parent), Expr::Apply { callee, .. } if *callee == expr).then_some(parent)
    }
    /// The locals used but not bound in an expression, in order of binding.
    fn free_locals(&self, expr: ExprId) -> BTreeSet<BinderId> {
        let range = self.range(expr);
        let inside = |binder: BinderId| range.contains_range(self.view.map.range(Node::Binder(binder)));
        let exprs = self.body().exprs.iter().zip(&self.view.map.exprs).filter_map(|(expr, at)| match expr {
            Expr::Local(binder) => Some((*binder, *at)),
            _ => None,
        });
        let sizes = self.body().sizes.iter().zip(&self.view.map.sizes).filter_map(|(size, at)| match size {
            SizeRef::Local(binder) | SizeRef::LengthOf(binder) => Some((*binder, *at)),
            _ => None,
        });
        let used = exprs.chain(sizes).filter(|(_, at)| range.contains_range(*at)).map(|(binder, _)| binder);
        used.filter(|binder| !inside(*binder)).collect()
    }
    /// The innermost scope around an expression: the body of a lambda, `let` or `unpack`, or a branch.
    fn scope_around(&self, expr: ExprId) -> Option<ExprId> {
        let range = self.range(expr);
        let scopes = self.body().exprs.iter().flat_map(|around| match around {
            Expr::Lambda { body, .. } | Expr::Let { body, .. } | Expr::Unpack { body, .. } => vec![*body],
            Expr::If { then, otherwise, .. } => vec![*then, *otherwise],
            _ => Vec::new(),
        });
        let inference = self.view.inference();
        let right_sides = inference.right_sides.iter().copied();
        let around = scopes.chain(self.body().root).chain(right_sides).filter(|scope| {
            self.range(*scope).contains_range(range) && !matches!(self.body().expr(*scope), Expr::Lambda { .. })
        });
        around.min_by_key(|scope| self.range(*scope).len())
    }

    // ---- lengths and types

    /// `(let ys v e)` with hidden lengths in `v` becomes `(unpack (X ys) v e)`, with a name for each length.
    fn name_length(&self, binder: BinderId, actions: &mut Vec<CodeAction>) {
        let inference = self.view.inference();
        let Some(opening) = inference.opening_at(Site::Binder(binder)) else { return };
        let found = self.body().exprs.iter().zip(0..).find_map(|(expr, id)| match expr {
            Expr::Let { binder: bound, value, .. } if *bound == binder => Some((ExprId(id), *value)),
            Expr::Unpack { sizes, binder: bound, value, .. } if *bound == binder && sizes.is_empty() => {
                Some((ExprId(id), *value))
            }
            _ => None,
        });
        let Some((whole, value)) = found.filter(|(_, value)| !self.is_component(*value)) else { return };
        let mut names: Vec<String> = Vec::new();
        for _ in &opening.lengths {
            names.push(fresh_name("X", |name| mentions_name(self.body(), name) || names.iter().any(|n| n == name)));
        }
        let head = TextRange::new(self.start(whole) + TextSize::new(1), self.start(value));
        let bound = format!("unpack ({} {}) ", names.join(" "), self.body().binder(binder).name);
        let s = if names.len() == 1 { "" } else { "s" };
        let title = format!("Name the hidden length{s} `{}`", names.join("`, `"));
        self.offer(title, kinds::NAME_LENGTH, Edits::default().replace(head, bound), actions);
    }

    /// `x` becomes `(x float)`, and the value of a `let` becomes `(: value type)`.
    fn annotate(&self, binder: BinderId, actions: &mut Vec<CodeAction>) {
        let inference = self.view.inference();
        let local = self.body().binder(binder);
        if local.ty.is_some() || inference.opening_at(Site::Binder(binder)).is_some() {
            return;
        }
        let Some(ty) = inference.binder_types.get(binder) else { return };
        let at = self.view.map.range(Node::Binder(binder));
        let visible = in_scope(self.body(), self.view.map, at.end());
        let named = |var: &crate::size::Var| visible.iter().any(|b| *self.body().binder(*b).name == *var.name);
        let Some(written) = type_source(ty, &named) else { return };
        let title = format!("Write the type of `{}`: `{ty}`", local.name);
        match local.role {
            BinderRole::Param => {
                let edits = Edits::default().replace(at, format!("({} {written})", local.name));
                self.offer(title, kinds::ANNOTATE, edits, actions);
            }
            BinderRole::Let => {
                if let Some(value) = super::super::hints::value_of(self.body(), binder) {
                    let edits = Edits::default()
                        .insert(self.start(value), "(: ")
                        .insert(self.range(value).end(), format!(" {written})"));
                    self.offer(title, kinds::ANNOTATE, edits, actions);
                }
            }
            _ => {}
        }
    }

    // ---- extract and inline

    fn extract_let(&self, expr: ExprId, actions: &mut Vec<CodeAction>) {
        let Some(scope) = self.scope_around(expr) else { return };
        if scope == expr || is_atom(self.body().expr(expr)) {
            return;
        }
        let name = fresh_name("v", |name| name == "v" || mentions_name(self.body(), name));
        let edits = Edits::default()
            .insert(self.start(scope), format!("(let {name} {} ", self.text(expr)))
            .replace(self.range(expr), name.clone())
            .insert(self.range(scope).end(), ")");
        self.offer(format!("Extract into `(let {name} …)`"), kinds::EXTRACT_LET, edits, actions);
    }

    fn spreads_over_a_group(&self, expr: ExprId) -> bool {
        let named = |id: &u32| match self.body().expr(ExprId(*id)) {
            Expr::Global(name) => self.view.resolve(name),
            _ => None,
        };
        let inside = |id: &u32| self.range(expr).contains_range(self.range(ExprId(*id)));
        (0..self.body().exprs.len() as u32).filter(inside).any(|id| match named(&id) {
            Some(Resolution::Primitive(primitive)) => matches!(primitive.level, Some(prims::Level::Lcl(_))),
            Some(Resolution::Form(_)) | None => false,
        })
    }

    /// Extracts an expression to a new definition before this form, with its free locals as parameters.
    fn extract_define(&self, expr: ExprId, actions: &mut Vec<CodeAction>) {
        if is_atom(self.body().expr(expr)) {
            return;
        }
        let free = self.free_locals(expr);
        if free.iter().any(|binder| self.body().binder(*binder).role.is_size()) {
            return;
        }
        // A call of the definition that lacks arguments, as in `(mapWrg (extracted k) rows)`, would run outside the
        // work-group whose work-items compute its body.
        if self.spreads_over_a_group(expr) {
            return;
        }
        let view = self.view;
        let taken = |name: &str| mentions_name(self.body(), name) || view.resolve(&name.into()).is_some();
        let name = fresh_name("extracted", taken);
        let params: Vec<&str> = free.iter().map(|binder| &*self.body().binder(*binder).name).collect();
        let (definition, call) = match params.as_slice() {
            [] => (format!("(define {name} {})", self.text(expr)), name.clone()),
            params => {
                let params = params.join(" ");
                (format!("(define ({name} {params}) {})", self.text(expr)), format!("({name} {params})"))
            }
        };
        let definition = lift_syntax::format(&definition).trim_end().to_owned();
        let Some(scheme) = definition_scheme(view.db, view.form, &definition) else { return };
        let after = Edits::default().replace(self.range(expr), call).apply(view.text());
        let change = tried(view, after, Keeps::Type, Some((&name, &scheme))).map(|mut change| {
            for (_, edits) in &mut change.files {
                edits.insert(0, before_form(view, format!("{definition}\n\n")));
            }
            change
        });
        self.push(format!("Extract into `(define {name} …)`"), kinds::EXTRACT_DEFINE, change, actions);
    }

    /// Whether the value is a component named by a pattern.
    fn is_component(&self, value: ExprId) -> bool {
        matches!(self.body().expr(value), Expr::Component { .. })
    }

    /// Replaces each use of `x` in `(let x v e)` by `v`.
    fn inline_let(&self, binder: BinderId, actions: &mut Vec<CodeAction>) {
        let found = self.body().exprs.iter().zip(0..).find_map(|(expr, id)| match expr {
            Expr::Let { binder: bound, value, body } if *bound == binder => Some((ExprId(id), *value, *body)),
            _ => None,
        });
        let Some((whole, value, inner)) = found.filter(|(_, value, _)| !self.is_component(*value)) else { return };
        if self.body().sizes.contains(&SizeRef::LengthOf(binder)) || self.would_capture(value, inner) {
            return;
        }
        let mut edits = Edits::default()
            .replace(TextRange::new(self.start(whole), self.start(inner)), "")
            .replace(TextRange::new(self.range(inner).end(), self.range(whole).end()), "");
        for (id, expr) in self.body().exprs.entries() {
            if *expr == Expr::Local(binder) {
                edits = edits.replace(self.view.map.exprs[id], self.text(value));
            }
        }
        self.offer(format!("Inline `{}`", self.body().binder(binder).name), kinds::INLINE, edits, actions);
    }

    /// Whether a name in `value` has another meaning somewhere in `inner`.
    fn would_capture(&self, value: ExprId, inner: ExprId) -> bool {
        let within = |range: TextRange, of: ExprId| self.range(of).contains_range(range);
        let rebound: Vec<&str> = (self.body().binders.iter().zip(&self.view.map.binders))
            .filter(|(_, range)| within(**range, inner))
            .map(|(binder, _)| &*binder.name)
            .collect();
        self.body().exprs.iter().zip(&self.view.map.exprs).any(|(expr, range)| {
            let name = match expr {
                Expr::Local(binder) => &*self.body().binder(*binder).name,
                Expr::Global(name) => name,
                _ => return false,
            };
            within(*range, value) && rebound.contains(&name)
        })
    }

    /// Replaces `(f a b)` by the body of `f`, with its parameters bound by `let`.
    fn inline_definition(&self, call: ExprId, actions: &mut Vec<CodeAction>) {
        let Expr::Apply { callee, args } = self.body().expr(call) else { return };
        let Expr::Global(name) = self.body().expr(*callee) else { return };
        let Some(Resolution::Form(form)) = self.view.resolve(name) else { return };
        if form.kind(self.view.db) != lift_syntax::FormKind::Define {
            return;
        }
        let definition = View::of(self.view.db, form);
        // Names used by the definition must mean the same here; in another file they may not.
        let differs =
            |expr: &Expr| matches!(expr, Expr::Global(name) if definition.resolve(name) != self.view.resolve(name));
        if definition.body.exprs.iter().any(differs) {
            return;
        }
        let Some(Expr::Lambda { params, body: inner }) = definition.body.root.map(|root| definition.body.expr(root))
        else {
            return;
        };
        if params.len() != args.len() || params.iter().any(|param| definition.body.binder(*param).ty.is_some()) {
            return;
        }
        let names: Vec<&str> = params.iter().map(|param| &*definition.body.binder(*param).name).collect();
        // Neither a name of the caller nor one of the definition may be captured.
        let visible = in_scope(self.body(), self.view.map, self.start(call));
        let caller = |name: &str| visible.iter().any(|binder| *self.body().binder(*binder).name == *name);
        let clashes = names.iter().any(|name| caller(name) && !args.iter().any(|arg| self.text(*arg) == *name))
            || definition.body.exprs.iter().any(|expr| matches!(expr, Expr::Global(name) if caller(name)));
        if clashes {
            return;
        }
        let mut text = text_of(definition.text(), definition.map.range(Node::Expr(*inner))).to_owned();
        for (name, arg) in names.iter().zip(args).rev() {
            if self.text(*arg) != *name {
                text = format!("(let {name} {} {text})", self.text(*arg));
            }
        }
        let edits = Edits::default().replace(self.range(call), text);
        self.offer(format!("Inline the call of `{name}`"), kinds::INLINE, edits, actions);
    }

    // ---- functions

    /// Expands `f` to `(lambda (x) (f x))`, or contracts it.
    fn eta(&self, expr: ExprId, actions: &mut Vec<CodeAction>) {
        let parent = self.parent(expr).map(|parent| self.body().expr(parent));
        let inference = self.view.inference();
        if let Expr::Lambda { params, body: inner } = self.body().expr(expr) {
            let Expr::Apply { callee, args } = self.body().expr(*inner) else { return };
            let same = args.len() >= params.len()
                && args[args.len() - params.len()..]
                    .iter()
                    .zip(params)
                    .all(|(arg, param)| *self.body().expr(*arg) == Expr::Local(*param));
            let kept = &args[..args.len().saturating_sub(params.len())];
            let free = |part: &ExprId| params.iter().all(|param| !self.free_locals(*part).contains(param));
            if same && !params.is_empty() && free(callee) && kept.iter().all(free) {
                let text = match kept {
                    [] => self.text(*callee).to_owned(),
                    [.., last] => {
                        format!("({})", text_of(self.view.text(), self.range(*callee).cover(self.range(*last))))
                    }
                };
                self.offer(
                    "Write the function without its parameters",
                    kinds::ETA,
                    Edits::default().replace(self.range(expr), text),
                    actions,
                );
            }
            return;
        }
        let callee = matches!(parent, Some(Expr::Apply { callee, .. }) if *callee == expr);
        if callee || matches!(parent, Some(Expr::Compose(_))) {
            return;
        }
        let Some(ty) = inference.expr_types.get(expr) else { return };
        let (params, _) = ty.uncurry();
        if params.is_empty() || params.iter().any(|param| matches!(param.kind(), TyKind::Size(_))) || params.len() > 4 {
            return;
        }
        let names: Vec<String> =
            super::super::completion::hole_names(params).into_iter().map(|name| self.fresh(&name)).collect();
        let names = names.join(" ");
        let function = match self.body().expr(expr) {
            Expr::Apply { .. } => {
                let text = self.text(expr);
                text.get(1..text.len() - 1).unwrap_or(text).to_owned()
            }
            _ => self.text(expr).to_owned(),
        };
        let edits = Edits::default().replace(self.range(expr), format!("(lambda ({names}) ({function} {names}))"));
        self.offer("Write the parameters of the function", kinds::ETA, edits, actions);
    }

    /// `(f (g x))` becomes `(o f g x)`.
    fn compose(&self, call: ExprId, actions: &mut Vec<CodeAction>) {
        let mut parts: Vec<String> = Vec::new();
        let mut at = call;
        while let Expr::Apply { callee, args } = self.body().expr(at) {
            let (Some(&last), true) = (args.last(), !matches!(self.body().expr(*callee), Expr::Lambda { .. })) else {
                break;
            };
            parts.push(match args.len() {
                1 => self.text(*callee).to_owned(),
                n => format!("({})", text_of(self.view.text(), self.range(*callee).cover(self.range(args[n - 2])))),
            });
            at = last;
        }
        if parts.len() >= 2 {
            let edits =
                Edits::default().replace(self.range(call), format!("(o {} {})", parts.join(" "), self.text(at)));
            self.offer("Write as a composition", kinds::COMPOSE, edits, actions);
        }
    }

    /// `(o f g x)` becomes `(f (g x))`.
    fn nest(&self, composition: ExprId, actions: &mut Vec<CodeAction>) {
        let Expr::Compose(parts) = self.body().expr(composition) else { return };
        if !self.view.inference().pipelines.contains(&composition) {
            return;
        }
        let Some((value, functions)) = parts.split_last() else { return };
        let mut text = self.text(*value).to_owned();
        for &function in functions.iter().rev() {
            text = match self.body().expr(function) {
                Expr::Apply { .. } => {
                    let call = self.text(function);
                    format!("({} {text})", call.get(1..call.len() - 1).unwrap_or(call))
                }
                _ => format!("({} {text})", self.text(function)),
            };
        }
        let edits = Edits::default().replace(self.range(composition), text);
        self.offer("Write as nested calls", kinds::COMPOSE, edits, actions);
    }

    /// Binds each argument that is a call to a name: a step towards A-normal form.
    fn name_arguments(&self, call: ExprId, actions: &mut Vec<CodeAction>) {
        let Expr::Apply { args, .. } = self.body().expr(call) else { return };
        let calls: Vec<ExprId> = args
            .iter()
            .copied()
            .filter(|arg| matches!(self.body().expr(*arg), Expr::Apply { .. } | Expr::Compose(_) | Expr::If { .. }))
            .collect();
        if calls.is_empty() {
            return;
        }
        let mut edits = Edits::default();
        let mut taken = names_in(self.body());
        taken.insert("v".into());
        for &arg in &calls {
            let name = fresh_name("v", |name| taken.contains(name));
            edits = edits
                .insert(self.start(call), format!("(let {name} {} ", self.text(arg)))
                .replace(self.range(arg), name.clone());
            taken.insert(name.into());
        }
        let edits = edits.insert(self.range(call).end(), ")".repeat(calls.len()));
        self.offer("Name the arguments", kinds::NAME_ARGUMENTS, edits, actions);
    }

    // ---- placement

    /// Offers the other primitives of the same type, which run elsewhere.
    fn place(&self, expr: ExprId, actions: &mut Vec<CodeAction>) {
        let Expr::Global(name) = self.body().expr(expr) else { return };
        let Some(Resolution::Primitive(current)) = self.view.resolve(name) else { return };
        if self.body().kind != FormKind::Kernel {
            return;
        }
        for other in prims::all() {
            if other.name == current.name || other.id != current.id || other.scheme.ty != current.scheme.ty {
                continue;
            }
            let written = other.spelling();
            let edits = Edits::default().replace(self.range(expr), &**written);
            self.offer(format!("Run as `{written}`"), kinds::PLACE, edits, actions);
        }
    }
}

fn is_atom(expr: &Expr) -> bool {
    matches!(expr, Expr::Local(_) | Expr::Global(_) | Expr::Literal(_) | Expr::Size(_) | Expr::Missing)
}
