//! Elaboration: the program with every inserted `pack` and `unpack` written out.
//!
//! Works on the text of a form through its source map, so that everything the user wrote is preserved. A value that was
//! opened in place, such as an argument, is named first: the inserted `unpack` goes around the nearest expression on
//! the *spine* of its scope (the scope's body, then the body of each `let` on the way to its end). This is the paper's
//! K-normalisation (section 4.4), done only where needed.
//!
//! | module | job |
//! |---|---|
//! | `patterns` | text of patterns, and of the further bindings of a `let` |
//! | `print` | the text of an expression with its insertions |

mod patterns;
mod print;

use super::result::*;
use crate::hir::*;
use crate::infer::solve::hide::tail;
use crate::size::Var;
use crate::ty::Ty;
use lift_syntax::TextRange;
use rustc_hash::{FxHashMap, FxHashSet};

/// A value opened by an inserted `unpack`, or bound by a `let` that moved outwards with it.
#[derive(Debug, Clone)]
enum Value {
    /// The expression itself, ignoring its replacement.
    Expr(ExprId),
    /// The expression, or its replacement.
    Rendered(ExprId),
    Name(String),
    /// A function of a composition, applied to a value.
    Applied(ExprId, Vec<Value>),
}

#[derive(Debug, Clone)]
struct Wrap {
    /// Empty for a `let`.
    lengths: Vec<Var>,
    name: String,
    value: Value,
}

#[derive(Debug, Clone)]
enum Replacement {
    Value(Value),
    /// A `let` that moved outwards; only its body remains.
    Body(ExprId),
    /// A composition with openings inside, as `(lambda (a) …)`.
    Lambda {
        params: Vec<String>,
        wraps: Vec<Wrap>,
        result: Value,
        pack: bool,
    },
}

struct Elaborate<'a> {
    body: &'a Body,
    /// The parent of each expression.
    parents: IdVec<ExprId, Option<ExprId>>,
    map: &'a SourceMap,
    text: &'a str,
    inference: &'a Inference,
    /// Whether the scope with this body is written out.
    selected: &'a dyn Fn(ExprId) -> bool,
    wraps: FxHashMap<ExprId, Vec<Wrap>>,
    replaced: FxHashMap<ExprId, Replacement>,
    /// `let`s on a spine that become `unpack`s.
    let_unpacks: FxHashMap<ExprId, Vec<Var>>,
    /// `unpack`s that need names for their lengths, because an inserted type mentions one of them.
    named_unpacks: FxHashMap<ExprId, Vec<Var>>,
    /// Hidden values, each with the type of a cast where `pack` alone would hide other lengths.
    packs: FxHashMap<ExprId, Option<String>>,
    names: FxHashSet<String>,
    next: u32,
    /// New names of `let`s that moved to where their own name is taken.
    renamed: FxHashMap<BinderId, String>,
}

/// The text of the form with the insertions written out in every scope (given by its body) that is `selected`. `map` is
/// relative to `text`.
pub fn explicit_text(
    body: &Body,
    map: &SourceMap,
    text: &str,
    inference: &Inference,
    selected: &dyn Fn(ExprId) -> bool,
) -> String {
    let Some(root) = body.root else { return text.into() };
    let names = body.binders.iter().map(|b| b.name.to_string()).chain(body.exprs.iter().filter_map(|e| match e {
        Expr::Global(n) => Some(n.to_string()),
        _ => None,
    }));
    let mut parents: IdVec<ExprId, Option<ExprId>> = vec![None; body.exprs.len()].into();
    for around in body.exprs.ids() {
        body.expr(around).children().into_iter().for_each(|inner| parents[inner] = Some(around));
    }
    let mut e = Elaborate {
        body,
        parents,
        map,
        text,
        inference,
        selected,
        wraps: FxHashMap::default(),
        replaced: FxHashMap::default(),
        let_unpacks: FxHashMap::default(),
        named_unpacks: FxHashMap::default(),
        packs: FxHashMap::default(),
        names: names.collect(),
        next: 0,
        renamed: FxHashMap::default(),
    };
    e.scope(root, &[]);
    let range = map.range(Node::Expr(root));
    // A `define` with parameters has no written lambda: its root is the whole form, so only the body is printed.
    let (range, rendered) = match body.expr(root) {
        Expr::Lambda { body: inner, .. }
            if !range.contains_range(map.range(Node::FormName)) && !written_lambda(text, range) =>
        {
            (map.range(Node::Expr(*inner)), e.render(*inner))
        }
        Expr::Lambda { body: inner, .. } if range.contains_range(map.range(Node::FormName)) => {
            (map.range(Node::Expr(*inner)), e.render(*inner))
        }
        _ => (range, e.render(root)),
    };
    let mut out = String::with_capacity(text.len() + 64);
    out.push_str(&text[..usize::from(range.start())]);
    out.push_str(&rendered);
    out.push_str(&text[usize::from(range.end())..]);
    out
}

fn written_lambda(text: &str, range: TextRange) -> bool {
    let t = text.get(usize::from(range.start())..usize::from(range.end())).unwrap_or("");
    let t = t.trim_start_matches(['(', '[']).trim_start();
    t.starts_with("lambda") || t.starts_with('λ')
}

/// The scopes (by body) that have insertions.
pub fn scopes_with_insertions(inference: &Inference) -> Vec<ExprId> {
    let mut out: Vec<ExprId> = inference.openings.iter().filter(|o| !o.explicit).map(|o| o.scope).collect();
    out.extend(inference.packings.iter().filter(|p| !p.explicit).map(|p| p.expr));
    out.sort();
    out.dedup();
    out
}

/// Whether a name may have been generated by elaboration, and so says nothing about its value.
pub fn is_inserted_name(name: &str) -> bool {
    name.strip_prefix('v').is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

impl Elaborate<'_> {
    fn fresh(&mut self) -> String {
        loop {
            self.next += 1;
            let name = format!("v{}", self.next);
            if self.names.insert(name.clone()) {
                return name;
            }
        }
    }

    /// The name of a `let` that moves outwards: a fresh one if its own may have another meaning there.
    fn name_outside(&mut self, binder: BinderId) -> String {
        let name = &self.body.binder(binder).name;
        let others = self.body.binders.iter().filter(|b| b.name == *name).count();
        let global = self.body.exprs.iter().any(|e| matches!(e, Expr::Global(n) if n == name));
        if others == 1 && !global {
            return name.to_string();
        }
        let renamed = self.fresh();
        self.renamed.insert(binder, renamed.clone());
        renamed
    }

    fn opening(&self, site: Site) -> Option<&Opening> {
        self.inference.openings.iter().find(|o| o.site == site && !o.explicit && (self.selected)(o.scope))
    }
    fn packing(&self, expr: ExprId) -> Option<&Packing> {
        self.inference.packings.iter().find(|p| p.expr == expr && !p.explicit && (self.selected)(expr))
    }

    // --- planning

    /// Plans the insertions of the scope with this body; `params` are the names bound at its start.
    fn scope(&mut self, scope: ExprId, params: &[BinderId]) {
        for &p in params {
            if let Some(o) = self.opening(Site::Binder(p)) {
                let name = self.body.binder(p).name.to_string();
                let wrap = Wrap { lengths: o.lengths.clone(), name: name.clone(), value: Value::Name(name) };
                self.wraps.entry(scope).or_default().push(wrap);
                if self.is_pattern(p) {
                    self.taken_apart(p, scope);
                    self.renamed.insert(p, self.body.binder(p).name.to_string());
                }
            }
        }
        let mut at = scope;
        while let Expr::Let { binder, value, body } = self.body.expr(at).clone() {
            if matches!(self.body.expr(value), Expr::Component { .. }) {
                self.component(binder, body);
                at = body;
                continue;
            }
            self.operand(value, at, false);
            if let Some(o) = self.opening(Site::Binder(binder)) {
                let lengths = o.lengths.clone();
                self.let_unpacks.insert(at, lengths);
            }
            at = body;
        }
        self.operand(at, at, true);
        // A composition's packing belongs to the result of its own lambda.
        let composition =
            matches!(self.body.expr(scope), Expr::Compose(_)) && !self.inference.pipelines.contains(&scope);
        if self.packing(scope).is_some() && !composition {
            self.pack(scope, tail(self.body, scope));
        }
    }

    /// Plans the insertions inside an expression, around `spine`. `own`: includes the opening of the expression itself.
    fn operand(&mut self, e: ExprId, spine: ExprId, own: bool) {
        let body = self.body;
        match body.expr(e) {
            Expr::Missing
            | Expr::Local(_)
            | Expr::Global(_)
            | Expr::Literal(_)
            | Expr::Size(_)
            | Expr::Component { .. } => {}
            Expr::Lambda { params, body: inner } => self.scope(*inner, params),
            Expr::Apply { callee, args } => {
                for &part in std::iter::once(callee).chain(args) {
                    match self.inference.right_sides.contains(&part) {
                        true => self.scope(part, &[]),
                        false => self.operand(part, spine, true),
                    }
                }
            }
            Expr::Let { binder, value, body: inner } if matches!(body.expr(*value), Expr::Component { .. }) => {
                self.component(*binder, spine);
                if self.has_opening(e) {
                    self.replaced.insert(e, Replacement::Body(*inner));
                }
                self.operand(*inner, spine, true);
            }
            Expr::Let { binder, value, body: inner } => {
                let opened = self.opening(Site::Binder(*binder)).map(|o| o.lengths.clone());
                self.operand(*value, spine, false);
                if opened.is_some() || self.has_opening(*inner) {
                    let name = self.name_outside(*binder);
                    let wrap = Wrap { lengths: opened.unwrap_or_default(), name, value: self.current(*value) };
                    self.wraps.entry(spine).or_default().push(wrap);
                    self.replaced.insert(e, Replacement::Body(*inner));
                    if self.is_pattern(*binder) {
                        self.taken_apart(*binder, spine);
                    }
                }
                self.operand(*inner, spine, true);
            }
            Expr::If { condition, then, otherwise } => {
                self.operand(*condition, spine, true);
                self.scope(*then, &[]);
                self.scope(*otherwise, &[]);
            }
            Expr::Tuple(parts) => {
                for &p in parts {
                    self.operand(p, spine, true);
                }
            }
            Expr::Ascribe { value, .. } => self.operand(*value, spine, true),
            Expr::Pack(inner) => self.operand(*inner, spine, true),
            Expr::Unpack { value, body: inner, .. } => {
                self.operand(*value, spine, false);
                if self.packing(*value).is_some() {
                    self.pack(*value, *value);
                }
                self.scope(*inner, &[]);
            }
            Expr::Compose(parts) => self.composition(e, parts, spine),
        }
        if let Some(arguments) = self.inference.openers.get(&e).copied() {
            self.opener(e, arguments);
        }
        if own
            && !self.is_composed_function(e)
            && let Some(o) = self.opening(Site::Expr(e))
        {
            let lengths = o.lengths.clone();
            let name = self.fresh();
            let value = self.current(e);
            self.wraps.entry(spine).or_default().push(Wrap { lengths, name: name.clone(), value });
            self.replaced.insert(e, Replacement::Value(Value::Name(name)));
        }
        // An argument whose length is hidden because the parameter is existential.
        if own && self.packing(e).is_some() && !self.is_scope(e) && !self.is_composed_function(e) {
            self.pack(e, e);
        }
    }

    /// The current replacement of the expression.
    fn current(&self, e: ExprId) -> Value {
        match self.replaced.get(&e) {
            Some(Replacement::Value(v)) => v.clone(),
            Some(Replacement::Body(b)) => Value::Rendered(*b),
            Some(Replacement::Lambda { .. }) => Value::Rendered(e),
            None => Value::Expr(e),
        }
    }

    /// Whether the expression is a composition that is a function; its openings and packings belong to its own lambda.
    fn is_composed_function(&self, e: ExprId) -> bool {
        self.inference.openers.contains_key(&e)
            || matches!(self.body.expr(e), Expr::Compose(_)) && !self.inference.pipelines.contains(&e)
    }

    /// Plans a function given by name that opens its arguments.
    fn opener(&mut self, e: ExprId, arguments: usize) {
        let openings: Vec<Option<Opening>> =
            (0..arguments).map(|i| self.opening(Site::argument(e, i)).cloned()).collect();
        let pack = self.packing(e).is_some();
        if openings.iter().all(Option::is_none) && !pack {
            return;
        }
        let params: Vec<String> = openings.iter().map(|_| self.fresh()).collect();
        let opened = |(o, name): (Option<Opening>, &String)| {
            o.map(|o| Wrap { lengths: o.lengths, name: name.clone(), value: Value::Name(name.clone()) })
        };
        let wraps = openings.into_iter().zip(&params).filter_map(opened).collect();
        let result = Value::Applied(e, params.iter().cloned().map(Value::Name).collect());
        self.replaced.insert(e, Replacement::Lambda { params, wraps, result, pack });
    }

    fn is_scope(&self, e: ExprId) -> bool {
        let is_right_side = self.inference.right_sides.contains(&e);
        is_right_side
            || self.body.exprs.iter().any(|x| match x {
                Expr::Lambda { body, .. } | Expr::Unpack { body, .. } => *body == e,
                Expr::If { then, otherwise, .. } => *then == e || *otherwise == e,
                _ => false,
            })
    }

    fn composition(&mut self, e: ExprId, parts: &[ExprId], spine: ExprId) {
        for &p in parts {
            self.operand(p, spine, self.inference.pipelines.contains(&e) && Some(&p) == parts.last());
        }
        let applied = self.inference.pipelines.contains(&e);
        let opens =
            parts.iter().any(|p| self.opening(Site::Expr(*p)).is_some()) || self.opening(Site::Expr(e)).is_some();
        let pack = self.packing(e).is_some();
        if !opens && !pack {
            return;
        }
        let mut wraps = Vec::new();
        let (param, mut value, rest) = match (applied, parts.split_last()) {
            (true, Some((last, before))) => (String::new(), self.current(*last), before),
            _ => {
                let param = self.fresh();
                if let Some(o) = self.opening(Site::Expr(e)) {
                    wraps.push(Wrap {
                        lengths: o.lengths.clone(),
                        name: param.clone(),
                        value: Value::Name(param.clone()),
                    });
                }
                (param.clone(), Value::Name(param), parts)
            }
        };
        for (i, &p) in rest.iter().enumerate().rev() {
            value = Value::Applied(p, vec![value]);
            if i > 0
                && let Some(o) = self.opening(Site::Expr(p))
            {
                let lengths = o.lengths.clone();
                let name = self.fresh();
                wraps.push(Wrap { lengths, name: name.clone(), value });
                value = Value::Name(name);
            }
        }
        if applied {
            self.wraps.entry(spine).or_default().extend(wraps);
            self.replaced.insert(e, Replacement::Value(value));
        } else {
            self.replaced.insert(e, Replacement::Lambda { params: vec![param], wraps, result: value, pack });
        }
    }

    /// Whether the expression contains an opening in the same scope.
    fn has_opening(&self, e: ExprId) -> bool {
        if self.inference.right_sides.contains(&e) {
            return false;
        }
        let here = self.opening(Site::Expr(e)).is_some();
        here || match self.body.expr(e) {
            Expr::Apply { callee, args } => self.has_opening(*callee) || args.iter().any(|a| self.has_opening(*a)),
            Expr::Let { binder, value, body } => {
                self.opening(Site::Binder(*binder)).is_some() || self.has_opening(*value) || self.has_opening(*body)
            }
            Expr::If { condition, .. } => self.has_opening(*condition),
            Expr::Tuple(parts) | Expr::Compose(parts) => parts.iter().any(|p| self.has_opening(*p)),
            Expr::Ascribe { value, .. } | Expr::Unpack { value, .. } => self.has_opening(*value),
            Expr::Pack(inner) => self.has_opening(*inner),
            _ => false,
        }
    }

    fn pack(&mut self, recorded_at: ExprId, at: ExprId) {
        let Some(p) = self.packing(recorded_at) else { return };
        let natural = crate::infer::solve::hide::hides_as_pack_does(p, &self.opened_around(at));
        let ty = if natural { None } else { crate::infer::report::repair::type_source(&p.to, &|v| self.has_name(v)) };
        if ty.is_some() && self.is_annotated_as(recorded_at, &p.to) {
            return;
        }
        if ty.is_some() {
            let named = self.unpacks_to_name(&p.to);
            self.named_unpacks.extend(named);
        }
        self.packs.insert(at, ty);
    }

    /// The lengths opened in the innermost lambda or branch around an expression, and in the `unpack`s in between.
    fn opened_around(&self, at: ExprId) -> Vec<Var> {
        let mut opened = Vec::new();
        let mut at = Some(at);
        while let Some(e) = at {
            opened.extend(self.inference.openings.iter().filter(|o| o.scope == e).flat_map(|o| o.lengths.clone()));
            at = self.parents[e].filter(|around| match self.body.expr(*around) {
                Expr::Lambda { .. } => false,
                Expr::If { condition, .. } => *condition == e,
                _ => !self.inference.right_sides.contains(&e),
            });
        }
        opened
    }

    /// Each `unpack` with a length that occurs in the type and has no name in the program.
    fn unpacks_to_name(&self, ty: &Ty) -> Vec<(ExprId, Vec<Var>)> {
        let unnamed = |name: BinderId, lengths: &[Var]| {
            let is_it = |e: &Expr| match e {
                Expr::Unpack { sizes, binder, .. } if *binder == name => {
                    lengths.iter().skip(sizes.len()).any(|length| ty.mentions(length))
                }
                _ => false,
            };
            self.body.exprs.iter().position(is_it).map(|at| ExprId(at as u32))
        };
        let openings = self.inference.openings.iter().filter(|o| o.explicit);
        openings
            .filter_map(|o| match o.site {
                Site::Binder(binder) => Some((unnamed(binder, &o.lengths)?, o.lengths.clone())),
                Site::Expr(_) | Site::Argument(..) => None,
            })
            .collect()
    }

    /// Whether the program annotates the expression with this type, so that the hiding is already written.
    fn is_annotated_as(&self, e: ExprId, ty: &Ty) -> bool {
        self.body.exprs.entries().any(|(at, around)| match around {
            Expr::Ascribe { value, .. } => *value == e && self.inference.expr_types[at] == *ty,
            _ => false,
        })
    }

    /// Whether the elaborated program names the opened length.
    fn has_name(&self, v: &Var) -> bool {
        self.inference.openings.iter().any(|o| o.lengths.contains(v))
    }
}
