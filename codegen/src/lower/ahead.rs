//! Loops in order whose next steps' elements are loaded before they are needed.
//!
//! A step that needs the state of the one before waits for its own loads as well, because compilers of devices move no load
//! across the branches, the functions and the stores of a step. Such a loop takes several steps at a time:
//!
//! ```c
//! for (int first = 0; first < n; first += 8) {
//!   float next[8];
//!   #pragma unroll
//!   for (int k = 0; k < 8; k++) {
//!     const int i = min(first + k, n - 1);
//!     next[k] = xs[i];
//!   }
//!   #pragma unroll
//!   for (int k = 0; k < 8; k++) {
//!     const int i = first + k;
//!     if (i < n) { state = f(state, next[k]); }
//!   }
//! }
//! ```

use crate::opencl::ast::instructions;
use crate::opencl::names;
use crate::opencl::{BinaryOp, CType, Expr, Names, Param, ParamType, Step, Stmt, StmtKind, Storage, has_loop, joins};
use lift_analysis::hir::Name;
use lift_analysis::origin::Origin;
use rustc_hash::{FxHashMap, FxHashSet};

/// Maximum instructions of all steps that are written one after the other; more do not fit the instruction cache of a unit.
const CODE: usize = 4096;

/// What is loaded ahead: how many elements at most, and from which parameters.
pub struct Ahead {
    /// Loads of one work-item in flight.
    limit: usize,
    /// The types of elements that the function only reads, by the names of its parameters.
    elements: FxHashMap<Name, CType>,
    /// Variables whose values differ between work-items; `None` if only one runs the function.
    own: Option<FxHashSet<Name>>,
}

/// A loop `for (int i = from; i < end; i++)`, in parts.
struct Loop<'a> {
    var: &'a Name,
    end: &'a Expr,
    body: &'a [Stmt],
}

impl Ahead {
    pub fn new(limit: usize, params: &[Param], body: &[Stmt]) -> Ahead {
        let element = |p: &Param| match p.ty {
            ParamType::Buffer { element, constant: true } => Some((p.name.clone(), element)),
            _ => None,
        };
        let mut own = FxHashSet::default();
        let mut several = false;
        each(body, &mut |kind| {
            let (name, value) = match kind {
                StmtKind::Declare { name, init: Some(value), .. } => (name, value),
                StmtKind::Assign(Expr::Var(name), value) => (name, value),
                StmtKind::For { var, from, .. } => (var, from),
                _ => return,
            };
            if value.any(&mut |e| is_work_item(e) || matches!(e, Expr::Var(v) if own.contains(v))) {
                own.insert(name.clone());
            }
        });
        each(body, &mut |kind| kind.each_expr(&mut |e| several |= e.any(&mut is_work_item)));
        Ahead { limit, elements: params.iter().filter_map(element).collect(), own: several.then_some(own) }
    }

    /// Changes the loops in statements; returns the origins of those that it changes.
    pub fn load(&self, stmts: &mut [Stmt], names: &mut Names) -> Vec<Option<Origin>> {
        let mut found = Vec::new();
        let mut is_unrolled = false;
        for stmt in stmts {
            match &mut stmt.kind {
                StmtKind::If { then, otherwise, .. } => {
                    found.extend(self.load(then, names));
                    found.extend(self.load(otherwise, names));
                }
                StmtKind::For { body, .. } if has_loop(body) => found.extend(self.load(body, names)),
                StmtKind::While { body, .. } | StmtKind::Block(body) => found.extend(self.load(body, names)),
                StmtKind::For { .. } if !is_unrolled => {
                    if let Some(new) = self.in_steps(&stmt.kind, names) {
                        stmt.kind = new;
                        found.push(stmt.origin.clone());
                    }
                }
                _ => {}
            }
            is_unrolled = matches!(stmt.kind, StmtKind::Unroll | StmtKind::Roll);
        }
        found
    }

    /// The loop in several steps at a time, if it is one that waits for its loads.
    fn in_steps(&self, kind: &StmtKind, names: &mut Names) -> Option<StmtKind> {
        let StmtKind::For { ty: CType::Int, var, from, condition, step: Step::Increment, below, body } = kind else {
            return None;
        };
        let Expr::Binary(BinaryOp::Lt, of, end) = condition else { return None };
        let one = Loop { var, end, body };
        let is_whole = from.as_int().is_some() && end.as_int().is_none();
        if **of != Expr::Var(var.clone()) || !is_whole || !end.is_harmless() || body.iter().any(leaves) {
            return None;
        }
        let changed = one.changed();
        if end.any(&mut |e| changed.reads(e)) || !one.waits(&changed) {
            return None;
        }
        // Copies of such functions fill the cache of instructions.
        let is_long = |e: &Expr| matches!(e, Expr::Call(name, _) if names::is_long(name));
        if body.iter().any(|s| s.kind.any_expr(&mut |e| e.any(&mut |e| is_long(e)))) {
            return None;
        }
        let loads = self.loads(&one, &changed);
        let code: usize = body.iter().map(|s| s.kind.instructions()).sum();
        let steps = (self.limit / loads.len().max(1)).min(CODE / code.max(1));
        let steps = if steps < 2 { return None } else { 1 << steps.ilog2() };
        (!loads.is_empty()).then(|| {
            let (first, body) = one.written(&loads, steps, names);
            StmtKind::For {
                ty: CType::Int,
                var: first.clone(),
                from: from.clone(),
                condition: Expr::Var(first).lt((**end).clone()),
                step: Step::Add(Expr::int(steps as i64)),
                below: below.clone(),
                body,
            }
        })
    }

    /// Loads of every step whose places no step decides, with the types of their elements. What all work-items read is in a
    /// cache after the first of them.
    fn loads(&self, one: &Loop<'_>, changed: &Changed) -> Vec<(Expr, CType)> {
        let mut found: Vec<(Expr, CType)> = Vec::new();
        for stmt in one.body {
            each_certain(stmt, &mut |e| {
                if let Expr::Index(array, at) = e
                    && let Expr::Var(array) = &**array
                    && let Some(element) = self.elements.get(array)
                    && at.is_harmless()
                    && at.mentions(&Expr::Var(one.var.clone()))
                    && !at.any(&mut |e| changed.reads(e))
                    && self.own.as_ref().is_none_or(|own| at.any(&mut |e| matches!(e, Expr::Var(v) if own.contains(v))))
                    && found.iter().all(|(known, _)| known != e)
                {
                    found.push((e.clone(), *element));
                }
            });
        }
        found
    }
}

/// The names whose values a step of a loop changes: those that it declares, and variables outside.
struct Changed {
    declared: FxHashSet<Name>,
    state: FxHashSet<Name>,
}

impl Changed {
    fn reads(&self, e: &Expr) -> bool {
        matches!(e, Expr::Var(name) if self.declared.contains(name) || self.state.contains(name))
    }
}

impl Loop<'_> {
    fn changed(&self) -> Changed {
        let mut changed = Changed { declared: FxHashSet::default(), state: FxHashSet::default() };
        each(self.body, &mut |kind| match kind {
            StmtKind::Declare { name, .. } | StmtKind::DeclareArray { name, .. } => {
                changed.declared.insert(name.clone());
            }
            StmtKind::Assign(Expr::Var(to), _) => {
                changed.state.insert(to.clone());
            }
            _ => {}
        });
        changed.state.retain(|name| !changed.declared.contains(name));
        changed
    }

    /// Whether a step needs the state before it for more than to combine it with a value of its own, and has what keeps
    /// compilers from loading ahead by themselves.
    fn waits(&self, changed: &Changed) -> bool {
        let is_special = |e: &Expr| matches!(e, Expr::Call(name, _) if names::is_special(name));
        let mut hinders = false;
        each(self.body, &mut |kind| {
            hinders |= matches!(kind, StmtKind::If { .. } | StmtKind::Assign(Expr::Index(..), _));
            kind.each_expr(&mut |e| hinders |= e.any(&mut |e| is_special(e)));
        });
        let is_state = |e: &Expr| matches!(e, Expr::Var(name) if changed.state.contains(name));
        let mut waits = false;
        each(self.body, &mut |kind| match kind {
            StmtKind::Assign(to @ Expr::Var(_), value) => match combined(value, to) {
                Some(others) => waits |= others.into_iter().any(|e| e.any(&mut |e| is_state(e))),
                None => waits |= value.any(&mut |e| is_state(e)),
            },
            _ => kind.each_expr(&mut |e| waits |= e.any(&mut |e| is_state(e))),
        });
        waits && hinders
    }

    /// The variable and the body of the loop that takes several steps.
    fn written(&self, loads: &[(Expr, CType)], steps: u64, names: &mut Names) -> (Name, Vec<Stmt>) {
        let first = names.fresh("first");
        let k = names.fresh("k");
        let nth = Expr::Var(first.clone()).add(Expr::Var(k.clone()));
        let each_step = |index, rest| {
            let (ty, name) = (CType::Int, self.var.clone());
            let index = StmtKind::Declare { ty, constant: true, name, init: Some(index) };
            let body = [index.plain()].into_iter().chain(rest).collect();
            let (condition, from) = (Expr::Var(k.clone()).lt(Expr::int(steps as i64)), Expr::int(0));
            StmtKind::For { ty, var: k.clone(), from, condition, step: Step::Increment, below: None, body }
        };
        let mut whole = Vec::new();
        let mut loading = Vec::new();
        let mut kept = FxHashMap::default();
        for (load, ty) in loads {
            let array = names.fresh("next");
            whole.push(
                StmtKind::DeclareArray { storage: Storage::Private, ty: *ty, name: array.clone(), len: steps }.plain(),
            );
            let element = Expr::Var(array).index(Expr::Var(k.clone()));
            loading.push(StmtKind::Assign(element.clone(), load.clone()).plain());
            kept.insert(load.clone(), element);
        }
        let mut body = self.body.to_vec();
        crate::opencl::rewrite(&mut body, &mut |e| {
            if let Some(element) = kept.get(e) {
                *e = element.clone();
            }
        });
        // The last elements are loaded again instead of those behind the end.
        let inside = Expr::call("min", [nth.clone(), self.end.clone().sub(Expr::int(1))]);
        whole.extend([StmtKind::Unroll.plain(), each_step(inside, loading).plain()]);
        let is_inside = Expr::Var(self.var.clone()).lt(self.end.clone());
        let step = StmtKind::If { condition: is_inside, then: body, otherwise: Vec::new() };
        whole.extend([StmtKind::Unroll.plain(), each_step(nth, vec![step.plain()]).plain()]);
        (first, whole)
    }
}

/// The other operands, if a value is an operation of one instruction on a variable and on them: `x + a`, `fma(a, b, x)`.
fn combined<'e>(value: &'e Expr, x: &Expr) -> Option<Vec<&'e Expr>> {
    fn bare(e: &Expr) -> &Expr {
        match e {
            Expr::Cast(_, inner) => bare(inner),
            other => other,
        }
    }
    let operands: Vec<&Expr> = match bare(value) {
        Expr::Binary(BinaryOp::Div | BinaryOp::Rem, ..) => return None,
        Expr::Binary(_, a, b) => vec![a, b],
        call @ Expr::Call(_, args) if instructions(call) <= 1 + args.iter().map(instructions).sum::<usize>() => {
            args.iter().collect()
        }
        _ => return None,
    };
    let (of, others): (Vec<&Expr>, Vec<&Expr>) = operands.into_iter().partition(|e| bare(e) == x);
    (of.len() == 1).then_some(others)
}

/// Whether a statement leaves its loop, waits for other work-items, or has such a statement inside.
fn leaves(stmt: &Stmt) -> bool {
    joins::meets(stmt)
        || matches!(stmt.kind, StmtKind::Break | StmtKind::Return | StmtKind::Stop)
        || stmt.kind.blocks().into_iter().flatten().any(leaves)
}

/// Whether it is the index of a work-item, in its group or among all.
fn is_work_item(e: &Expr) -> bool {
    matches!(e, Expr::Call(name, _) if matches!(&**name, "get_global_id" | "get_local_id"))
}

/// Shows statements and those inside.
fn each(stmts: &[Stmt], see: &mut dyn FnMut(&StmtKind)) {
    for stmt in stmts {
        see(&stmt.kind);
        stmt.kind.blocks().into_iter().for_each(|inner| each(inner, see));
    }
}

/// Shows the subexpressions that are computed whenever the statement runs, whatever its conditions give.
fn each_certain(stmt: &Stmt, see: &mut dyn FnMut(&Expr)) {
    match &stmt.kind {
        StmtKind::Block(body) => body.iter().for_each(|s| each_certain(s, see)),
        kind => kind.each_expr(&mut |e| certain(e, see)),
    }
}

fn certain(e: &Expr, see: &mut dyn FnMut(&Expr)) {
    see(e);
    match e {
        Expr::Unary(_, a) | Expr::Cast(_, a) | Expr::Lane(a, _) | Expr::Wide { pointer: a, .. } => certain(a, see),
        Expr::Binary(BinaryOp::And | BinaryOp::Or, a, _) | Expr::Select(a, ..) => certain(a, see),
        Expr::Binary(_, a, b) | Expr::Index(a, b) => {
            certain(a, see);
            certain(b, see);
        }
        Expr::Call(_, args) | Expr::Vector(_, args) => args.iter().for_each(|a| certain(a, see)),
        _ => {}
    }
}
