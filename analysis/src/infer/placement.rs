//! Checks where parallel primitives occur: `mapLcl` only inside `mapWrg` of its dimension, no dimension twice on one
//! path, no group or global map inside a global one. `toLocal` outside a work-group means `toGlobal`, with a warning.
//!
//! The check walks a kernel and follows functions to where they run: a lambda passed to `mapWrg` runs inside the
//! work-group however it got there (a `let`, a parameter of a `define`, a composition). It needs no types.

use crate::diagnostics::Note;
use crate::diagnostics::problem::{self, PlacementRule};
use crate::diagnostics::{Diagnostic, Edit, Place, Problem, Title};
use crate::hir::*;
use crate::prims::{self, Level, PrimitiveId};
use std::rc::Rc;
use std::sync::Arc;

/// The bodies of the definitions that a kernel uses.
pub trait Definitions {
    /// `None` for primitives and unknown names.
    fn body_of(&self, name: &str) -> Option<Arc<Body>>;
}

/// The parallel maps around an expression, by dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Context {
    glb: [bool; 3],
    wrg: [bool; 3],
    lcl: [bool; 3],
}

/// A body being walked, with the functions bound to its names.
struct Frame {
    body: Arc<Body>,
    bound: Vec<(BinderId, Closure)>,
    outer: Option<Rc<Frame>>,
    /// The name of the definition, for the message; `None` for the kernel itself.
    definition: Option<Name>,
}

#[derive(Clone)]
struct Closure {
    expr: ExprId,
    frame: Rc<Frame>,
}

struct Walk<'a> {
    definitions: &'a dyn Definitions,
    out: Vec<Diagnostic>,
    /// The call in the kernel through which the walk entered the definitions.
    entry: Option<ExprId>,
    steps: u32,
}

/// Limits that stop the walk on hostile programs; hand-written ones stay far below them.
const MOST_STEPS: u32 = 200_000;
const MOST_DEPTH: u32 = 200;

pub fn check_placement(kernel: &Arc<Body>, definitions: &dyn Definitions) -> Vec<Diagnostic> {
    let Some(root) = kernel.root else { return Vec::new() };
    let mut walk = Walk { definitions, out: Vec::new(), entry: None, steps: 0 };
    let frame = Rc::new(Frame { body: kernel.clone(), bound: Vec::new(), outer: None, definition: None });
    let start = match kernel.expr(root) {
        Expr::Lambda { body, .. } => *body,
        _ => root,
    };
    walk.expr(start, &frame, Context::default(), 0);
    walk.out
}

impl Walk<'_> {
    /// Whether the expression is syntactically a function, which runs where it is applied, not where it occurs.
    fn is_function(&self, body: &Body, e: ExprId) -> bool {
        self.yields_function(body, e, 0)
    }

    /// `follow` is the number of definitions followed so far.
    fn yields_function(&self, body: &Body, e: ExprId, follow: u32) -> bool {
        match body.expr(e) {
            Expr::Lambda { .. } | Expr::Compose(_) | Expr::Global(_) => true,
            Expr::Local(_) => true,
            // A name does not show whether it is a function, and the value bound before it runs here.
            Expr::Let { body: inner, .. } => {
                !matches!(body.expr(*inner), Expr::Local(_)) && self.yields_function(body, *inner, follow)
            }
            // A partial application, such as `(mapLcl f)`.
            Expr::Apply { .. } => {
                let Some((callee, args)) = crate::infer::texts::call_of(body, e) else { return false };
                let Expr::Global(name) = body.expr(callee) else { return false };
                match self.definitions.body_of(name) {
                    Some(definition) => self.awaits_arguments(&definition, args.len(), follow + 1),
                    None => prims::lookup(name).is_some_and(|primitive| primitive.awaits_more(args.len())),
                }
            }
            _ => false,
        }
    }

    /// Whether a definition applied to `given` arguments takes more.
    fn awaits_arguments(&self, definition: &Body, given: usize, follow: u32) -> bool {
        // The limit is for erroneous definitions, which may be recursive.
        let Some(root) = definition.root.filter(|_| follow <= MOST_DEPTH) else { return false };
        match definition.expr(root) {
            Expr::Lambda { params, body: inner } if params.len() == given => {
                !matches!(definition.expr(*inner), Expr::Local(_)) && self.yields_function(definition, *inner, follow)
            }
            Expr::Lambda { params, .. } => params.len() > given,
            _ => false,
        }
    }

    fn expr(&mut self, e: ExprId, frame: &Rc<Frame>, ctx: Context, depth: u32) {
        self.steps += 1;
        if self.steps > MOST_STEPS || depth > MOST_DEPTH {
            return;
        }
        let body = frame.body.clone();
        match body.expr(e) {
            Expr::Missing | Expr::Literal(_) | Expr::Size(_) => {}
            Expr::Local(b) => self.local(*b, frame, ctx, depth),
            Expr::Global(name) => self.global(name, &[], e, frame, ctx, depth),
            Expr::Lambda { body: inner, .. } => self.expr(*inner, frame, ctx, depth + 1),
            Expr::Apply { .. } => self.call(e, frame, ctx, depth),
            Expr::Let { binder, value, body: inner } => {
                if self.is_function(&body, *value) {
                    let frame = bind(frame, *binder, *value, frame);
                    self.expr(*inner, &frame, ctx, depth + 1);
                } else {
                    self.expr(*value, frame, ctx, depth + 1);
                    self.expr(*inner, frame, ctx, depth + 1);
                }
            }
            Expr::Unpack { value, body: inner, .. } => {
                self.expr(*value, frame, ctx, depth + 1);
                self.expr(*inner, frame, ctx, depth + 1);
            }
            _ => {
                for c in body.expr(e).children() {
                    self.expr(c, frame, ctx, depth + 1);
                }
            }
        }
    }

    fn local(&mut self, b: BinderId, frame: &Rc<Frame>, ctx: Context, depth: u32) {
        let mut at = Some(frame.clone());
        while let Some(f) = at {
            if let Some((_, c)) = f.bound.iter().rev().find(|(x, _)| *x == b) {
                let c = c.clone();
                return self.expr(c.expr, &c.frame, ctx, depth + 1);
            }
            at = f.outer.clone();
        }
    }

    fn call(&mut self, e: ExprId, frame: &Rc<Frame>, ctx: Context, depth: u32) {
        let body = frame.body.clone();
        let Some((callee, args)) = crate::infer::texts::call_of(&body, e) else { return };
        match body.expr(callee) {
            Expr::Global(name) => self.global(name, &args, callee, frame, ctx, depth),
            Expr::Lambda { params, body: inner } => {
                let mut inside = frame.clone();
                for (p, a) in params.iter().zip(&args) {
                    if self.is_function(&body, *a) {
                        inside = bind(&inside, *p, *a, frame);
                    } else {
                        self.expr(*a, frame, ctx, depth + 1);
                    }
                }
                self.expr(*inner, &inside, ctx, depth + 1);
            }
            _ => {
                self.expr(callee, frame, ctx, depth + 1);
                for a in args {
                    self.expr(a, frame, ctx, depth + 1);
                }
            }
        }
    }

    fn global(&mut self, name: &Name, args: &[ExprId], at: ExprId, frame: &Rc<Frame>, ctx: Context, depth: u32) {
        let definition = self.definitions.body_of(name);
        let Some(definition) = definition else { return self.primitive(name, args, at, frame, ctx, depth) };
        let Some(root) = definition.root else { return };
        let entered = self.entry.is_none() && frame.definition.is_none();
        if entered {
            self.entry = Some(at);
        }
        let mut inside =
            Frame { body: definition.clone(), bound: Vec::new(), outer: None, definition: Some(name.clone()) };
        let start = match definition.expr(root) {
            Expr::Lambda { params, body: inner } => {
                for (p, a) in params.iter().zip(args) {
                    if self.is_function(&frame.body, *a) {
                        inside.bound.push((*p, Closure { expr: *a, frame: frame.clone() }));
                    }
                }
                *inner
            }
            _ => root,
        };
        for a in args {
            if !self.is_function(&frame.body, *a) {
                self.expr(*a, frame, ctx, depth + 1);
            }
        }
        self.expr(start, &Rc::new(inside), ctx, depth + 1);
        if entered {
            self.entry = None;
        }
    }

    fn primitive(&mut self, name: &Name, args: &[ExprId], at: ExprId, frame: &Rc<Frame>, ctx: Context, depth: u32) {
        let primitive = prims::lookup(name);
        let mut inside = ctx;
        if let Some((id, level)) = primitive.and_then(|p| Some((p.id, p.level?))) {
            if let Some(rule) = broken_rule(id, level, ctx) {
                self.report(name, rule, at, frame);
                return;
            }
            match level {
                Level::Seq => {}
                Level::Glb(d) => inside.glb[usize::from(d)] = true,
                Level::Wrg(d) => inside.wrg[usize::from(d)] = true,
                Level::Lcl(d) => inside.lcl[usize::from(d)] = true,
            }
        }
        if primitive.is_some_and(|p| p.id == PrimitiveId::ToLocal) && !ctx.wrg.contains(&true) {
            self.stored_globally(name, at, frame);
        }
        for a in args {
            // Functions run inside the primitive; other arguments are computed outside it.
            let c = if self.is_function(&frame.body, *a) { inside } else { ctx };
            self.expr(*a, frame, c, depth + 1);
        }
    }

    /// Warns about `toLocal` outside a work-group.
    fn stored_globally(&mut self, name: &Name, at: ExprId, frame: &Rc<Frame>) {
        let mut d = self.diagnostic(name, PlacementRule::LocalMemoryOutsideGroup, at, frame);
        if frame.definition.is_none() {
            let global = prims::named(PrimitiveId::ToGlobal);
            let edits = vec![Edit::Replace(Node::Expr(at), global.into())];
            d = d.fix(Title::Write(global.into()).certain(edits));
        }
        self.add(d);
    }

    fn report(&mut self, name: &Name, rule: PlacementRule, at: ExprId, frame: &Rc<Frame>) {
        let d = self.diagnostic(name, rule, at, frame);
        self.add(d);
    }

    fn diagnostic(&self, name: &Name, rule: PlacementRule, at: ExprId, frame: &Rc<Frame>) -> Diagnostic {
        let here = match (&frame.definition, self.entry) {
            (Some(_), Some(entry)) => entry,
            _ => at,
        };
        let mut d = Diagnostic::new(Node::Expr(here), &Problem::Placement { name: name.clone(), rule });
        if let Some(name) = &frame.definition {
            d = d.related_at(Place::Definition(name.clone()), &Note::Inside { definition: name.clone() });
        }
        d
    }

    fn add(&mut self, d: Diagnostic) {
        if !self.out.iter().any(|o| o.at == d.at) {
            self.out.push(d);
        }
    }
}

fn broken_rule(id: PrimitiveId, level: Level, ctx: Context) -> Option<PlacementRule> {
    let any = |a: [bool; 3]| a.contains(&true);
    let at = |a: [bool; 3], d: u8| a[usize::from(d)];
    let twice = |dimension, of| Some(PlacementRule::DimensionTwice { dimension, of });
    match level {
        Level::Glb(_) if id == PrimitiveId::Filter && any(ctx.glb) => Some(PlacementRule::FilterInsideGlobal),
        Level::Glb(d) if at(ctx.glb, d) => twice(d, problem::Level::Global),
        Level::Glb(_) if any(ctx.wrg) || any(ctx.lcl) => Some(PlacementRule::GlobalInsideGroup),
        Level::Wrg(d) if at(ctx.wrg, d) => twice(d, problem::Level::Group),
        Level::Wrg(_) if any(ctx.glb) => Some(PlacementRule::GroupInsideGlobal),
        Level::Wrg(_) if any(ctx.lcl) => Some(PlacementRule::GroupInsideLocal),
        Level::Lcl(d) if !at(ctx.wrg, d) => {
            let group = prims::placed(PrimitiveId::Map, Some(Level::Wrg(d)))?.spelling().clone();
            Some(PlacementRule::LocalOutsideGroup { group })
        }
        Level::Lcl(d) if at(ctx.lcl, d) => twice(d, problem::Level::Local),
        _ => None,
    }
}

fn bind(frame: &Rc<Frame>, binder: BinderId, expr: ExprId, of: &Rc<Frame>) -> Rc<Frame> {
    Rc::new(Frame {
        body: frame.body.clone(),
        bound: vec![(binder, Closure { expr, frame: of.clone() })],
        outer: Some(frame.clone()),
        definition: frame.definition.clone(),
    })
}
