//! Where parallel primitives may stand: `mapLcl` only inside `mapWrg` of its dimension, no dimension twice on one path,
//! no group or global map inside a global one, `toLocal` only inside a work-group.
//!
//! A walk over a kernel that follows functions to where they run: a lambda passed to `mapWrg` runs inside the work-group
//! however it got there (a `let`, a parameter of a `define`, a composition). Types are not needed.

use crate::diagnostics::{Diagnostic, Place, Related};
use crate::hir::*;
use std::rc::Rc;
use std::sync::Arc;

/// The bodies of the definitions that a kernel uses.
pub trait Definitions {
    /// `None` for primitives and unknown names.
    fn body_of(&self, name: &str) -> Option<Arc<Body>>;
}

/// The parallel maps around a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Context {
    glb: [bool; 3],
    wrg: [bool; 3],
    lcl: [bool; 3],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    Glb(usize),
    Wrg(usize),
    Lcl(usize),
}

/// The level that a primitive's name places it at, for every primitive that takes a function.
fn level_of(name: &str) -> Option<Level> {
    let rest = ["map", "filter", "reduce", "scan", "scanExcl"]
        .iter()
        .filter_map(|p| name.strip_prefix(p))
        .find(|r| ["Glb", "Wrg", "Lcl", "Global", "Workgroup", "Local"].iter().any(|s| r.starts_with(s)))?;
    let dim = rest.chars().last().and_then(|c| c.to_digit(10)).unwrap_or(0) as usize;
    let dim = dim.min(2);
    Some(match rest.as_bytes()[0] {
        b'G' => Level::Glb(dim),
        b'W' => Level::Wrg(dim),
        _ => Level::Lcl(dim),
    })
}

/// A body being walked, with what its parameters stand for.
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

/// Enough for any program that a person writes; hostile ones stop here.
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
    /// Whether the expression is a function by its looks: it runs where it is applied, not where it stands.
    fn is_function(&self, body: &Body, e: ExprId) -> bool {
        self.yields_function(body, e, 0)
    }

    /// `follow`: through how many definitions the walk has gone for the answer.
    fn yields_function(&self, body: &Body, e: ExprId, follow: u32) -> bool {
        match body.expr(e) {
            Expr::Lambda { .. } | Expr::Compose(_) | Expr::Global(_) => true,
            Expr::Local(_) => true,
            // A name says nothing, and what is bound before it runs where it stands.
            Expr::Let { body: inner, .. } => {
                !matches!(body.expr(*inner), Expr::Local(_)) && self.yields_function(body, *inner, follow)
            }
            // An application whose last arguments are still missing, such as `(mapLcl f)`.
            Expr::Apply { .. } => {
                let Some((callee, args)) = super::describe::call_of(body, e) else { return false };
                let Expr::Global(name) = body.expr(callee) else { return false };
                match self.definitions.body_of(name) {
                    Some(definition) => self.awaits_arguments(&definition, args.len(), follow + 1),
                    None => {
                        let takes_function = level_of(name).is_some()
                            || name.starts_with("map")
                            || name.starts_with("filter")
                            || matches!(&**name, "toLocal" | "toGlobal" | "toPrivate");
                        takes_function && args.len() == 1
                    }
                }
            }
            _ => false,
        }
    }

    /// Whether a definition that is given this many arguments waits for more.
    fn awaits_arguments(&self, definition: &Body, given: usize, follow: u32) -> bool {
        // Definitions do not use themselves; broken ones may.
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
                for c in super::elaborate::children(&body, e) {
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
        let Some((callee, args)) = super::describe::call_of(&body, e) else { return };
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
        let mut inside = ctx;
        if let Some(level) = level_of(name) {
            if let Some(problem) = problem(name, level, ctx) {
                self.report(problem, at, frame);
                return;
            }
            match level {
                Level::Glb(d) => inside.glb[d] = true,
                Level::Wrg(d) => inside.wrg[d] = true,
                Level::Lcl(d) => inside.lcl[d] = true,
            }
        }
        if &**name == "toLocal" && !ctx.wrg.contains(&true) {
            self.report(
                "`toLocal` stores in the memory of a work-group, and there is no `mapWrg` around it".into(),
                at,
                frame,
            );
        }
        for a in args {
            // Functions run inside the primitive, values are computed outside it.
            let c = if self.is_function(&frame.body, *a) { inside } else { ctx };
            self.expr(*a, frame, c, depth + 1);
        }
    }

    fn report(&mut self, message: String, at: ExprId, frame: &Rc<Frame>) {
        let here = match (&frame.definition, self.entry) {
            (Some(_), Some(entry)) => entry,
            _ => at,
        };
        let mut d = Diagnostic::error("placement", Node::Expr(here), message);
        if let Some(name) = &frame.definition {
            d.related
                .push(Related { place: Place::Definition(name.clone()), message: format!("this is inside `{name}`") });
        }
        if !self.out.iter().any(|o| o.at == d.at) {
            self.out.push(d);
        }
    }
}

fn problem(name: &str, level: Level, ctx: Context) -> Option<String> {
    let any = |a: [bool; 3]| a.contains(&true);
    match level {
        Level::Glb(_) if name.starts_with("filter") && any(ctx.glb) => Some(format!(
            "`{name}` needs all work-items of the device and cannot stand inside a global map; use `filterSeq`"
        )),
        Level::Glb(d) if ctx.glb[d] => {
            Some(format!("`{name}` uses dimension {d} of the global work-items, which a map around it uses already"))
        }
        Level::Glb(_) if any(ctx.wrg) || any(ctx.lcl) => Some(format!(
            "`{name}` spreads over all work-items of the device and cannot stand inside a work-group; use `mapLcl` or `mapSeq`"
        )),
        Level::Wrg(d) if ctx.wrg[d] => {
            Some(format!("`{name}` uses dimension {d} of the work-groups, which a map around it uses already"))
        }
        Level::Wrg(_) if any(ctx.glb) => {
            Some(format!("`{name}` spreads over work-groups and cannot stand inside a global map"))
        }
        Level::Wrg(_) if any(ctx.lcl) => {
            Some(format!("`{name}` spreads over work-groups and cannot stand inside `mapLcl`"))
        }
        Level::Lcl(d) if !ctx.wrg[d] => {
            let wrg = if d == 0 { "mapWrg".to_string() } else { format!("mapWrg{d}") };
            Some(format!("`{name}` spreads over the work-items of a group and stands only inside `{wrg}`"))
        }
        Level::Lcl(d) if ctx.lcl[d] => {
            Some(format!("`{name}` uses dimension {d} of the group's work-items, which a map around it uses already"))
        }
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
