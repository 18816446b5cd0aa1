//! Lowering of expressions and parameters.

use super::{Lowerer, end_of, range_of};
use crate::diagnostics::Diagnostic;
use crate::diagnostics::Note;
use crate::diagnostics::Problem;
use crate::hir::*;
use lift_syntax::ast::{self, AstNode};
use lift_syntax::{LiteralValue, SyntaxNode, TextRange};
use rustc_hash::FxHashMap;

/// A name in a pattern, or a nested pattern.
struct Component {
    binder: BinderId,
    /// The destructured tuple.
    of: BinderId,
    index: usize,
    width: usize,
}

impl Lowerer {
    /// The expression in `within`, or a missing one.
    pub(super) fn expr_in(&mut self, expr: Option<ast::Expr>, within: &SyntaxNode) -> ExprId {
        match expr {
            Some(expr) => self.expr(&expr),
            None => self.alloc_expr(Expr::Missing, end_of(within)),
        }
    }

    pub(super) fn exprs(&mut self, exprs: impl Iterator<Item = ast::Expr>) -> Vec<ExprId> {
        exprs.map(|expr| self.expr(&expr)).collect()
    }

    pub(super) fn expr(&mut self, expr: &ast::Expr) -> ExprId {
        let range = range_of(expr.syntax());
        let lowered = match expr {
            ast::Expr::NameRef(name) => return self.name_ref(name),
            ast::Expr::Literal(literal) => match self.lookup_value(&literal.syntax().text().to_string()) {
                Some(binder) => Expr::Local(binder),
                None => literal.value().map_or(Expr::Missing, |value| Expr::Literal(value.into())),
            },
            ast::Expr::SizeLit(size) => Expr::Size(self.size_in(size.size(), size.syntax())),
            ast::Expr::Lambda(lambda) => {
                let params = lambda.param_list().into_iter().flat_map(|list| list.params());
                self.lambda(params, lambda.body(), lambda.syntax())
            }
            ast::Expr::App(app) => {
                let callee = self.expr_in(app.function(), app.syntax());
                let args = self.exprs(app.args());
                self.application(callee, args)
            }
            ast::Expr::Let(form) => {
                let value = self.expr_in(form.value(), form.syntax());
                let (name, pattern) = (form.name(), form.pattern());
                let mut components = Vec::new();
                let mut first = FxHashMap::default();
                let binder = match &pattern {
                    Some(pattern) => self.pattern(pattern, BinderRole::Let, &mut first, &mut components),
                    None => self.name_binder(name.as_ref(), BinderRole::Let, form.syntax()),
                };
                let mark = self.scope.mark();
                match &pattern {
                    Some(_) => self.enter_components(&components),
                    None => self.scope.enter(binder),
                }
                let body = self.expr_in(form.body(), form.syntax());
                self.scope.leave(mark);
                Expr::Let { binder, value, body: self.bind_components(components, body) }
            }
            ast::Expr::If(form) => Expr::If {
                condition: self.expr_in(form.condition(), form.syntax()),
                then: self.expr_in(form.then_branch(), form.syntax()),
                otherwise: self.expr_in(form.else_branch(), form.syntax()),
            },
            ast::Expr::Tuple(tuple) => {
                let mut parts = self.exprs(tuple.components());
                while parts.len() < 2 {
                    parts.push(self.alloc_expr(Expr::Missing, end_of(tuple.syntax())));
                }
                Expr::Tuple(parts)
            }
            ast::Expr::Ascribe(form) => Expr::Ascribe {
                value: self.expr_in(form.expr(), form.syntax()),
                ty: self.type_in(form.ty(), form.syntax()),
            },
            ast::Expr::Pack(form) => Expr::Pack(self.expr_in(form.expr(), form.syntax())),
            ast::Expr::Unpack(form) => self.unpack(form),
            ast::Expr::Compose(form) => {
                let functions = self.exprs(form.functions());
                if functions.is_empty() { Expr::Missing } else { Expr::Compose(functions) }
            }
            ast::Expr::With(with) => return self.with(with),
            ast::Expr::Error(_) => Expr::Missing,
        };
        self.alloc_expr(lowered, range)
    }

    /// Lowers an application. An operator with more than two operands associates to the left.
    fn application(&mut self, callee: ExprId, mut args: Vec<ExprId>) -> Expr {
        let Expr::Global(name) = self.body.expr(callee).clone() else { return Expr::Apply { callee, args } };
        // Nested applications are limited like nested brackets.
        if args.len() <= 2
            || args.len() > lift_syntax::MAX_DEPTH as usize
            || !lift_syntax::FOLDED_OPERATORS.contains(&&*name)
        {
            return Expr::Apply { callee, args };
        }
        let range = self.map.exprs[callee];
        let from = self.map.exprs[args[0]].start();
        let Some(last) = args.pop() else { return Expr::Apply { callee, args } };
        let mut rest = args.into_iter();
        let mut before = rest.next();
        for operand in rest {
            let operator = self.alloc_expr(Expr::Global(name.clone()), range);
            self.remember_global(operator, &name);
            let range = TextRange::new(from, self.map.exprs[operand].end());
            let args = before.into_iter().chain([operand]).collect();
            before = Some(self.alloc_expr(Expr::Apply { callee: operator, args }, range));
        }
        Expr::Apply { callee, args: before.into_iter().chain([last]).collect() }
    }

    fn name_ref(&mut self, name: &ast::NameRef) -> ExprId {
        let range = range_of(name.syntax());
        let Some(text) = name.text() else {
            return self.alloc_expr(Expr::Missing, range);
        };
        if let Some(binder) = self.lookup_value(&text) {
            return self.alloc_expr(Expr::Local(binder), range);
        }
        if lift_syntax::EXPRESSION_WORDS.contains(&text.as_str()) {
            let id = self.alloc_expr(Expr::Missing, range);
            if let Some(example) = match text.as_str() {
                "tuple" => Some("(tuple x y)"),
                "o" => Some("(o f g)"),
                // The parser reports other keywords.
                _ => None,
            } {
                self.report(Diagnostic::new(Node::Expr(id), &Problem::WordAsValue { word: text, example }));
            }
            return id;
        }
        let name: Name = text.into();
        let id = self.alloc_expr(Expr::Global(name.clone()), range);
        self.remember_global(id, &name);
        id
    }

    fn unpack(&mut self, form: &ast::Unpack) -> Expr {
        let value = self.expr_in(form.value(), form.syntax());
        let size_names = form.size_names();
        let sizes: Vec<BinderId> =
            size_names.map(|name| self.name_binder(Some(&name), BinderRole::UnpackSize, form.syntax())).collect();
        let binder = self.name_binder(form.name().as_ref(), BinderRole::Unpack, form.syntax());
        let mark = self.scope.mark();
        sizes.iter().for_each(|size| self.scope.enter(*size));
        self.scope.enter(binder);
        let body = self.expr_in(form.body(), form.syntax());
        self.scope.leave(mark);
        Expr::Unpack { sizes, binder, value, body }
    }

    /// Lowers a lambda, or the parameters and the body of a `define`.
    pub(super) fn lambda(
        &mut self,
        params: impl Iterator<Item = ast::Param>,
        body: Option<ast::Expr>,
        within: &SyntaxNode,
    ) -> Expr {
        let mark = self.scope.mark();
        let mut components = Vec::new();
        let params = self.params(params, within, &mut components);
        let body = self.expr_in(body, within);
        self.scope.leave(mark);
        Expr::Lambda { params, body: self.bind_components(components, body) }
    }

    /// Lowers parameters. Each is in scope in the types of later ones: `(xs (ys (array-type float (length xs))))`.
    fn params(
        &mut self,
        params: impl Iterator<Item = ast::Param>,
        within: &SyntaxNode,
        components: &mut Vec<Component>,
    ) -> Vec<BinderId> {
        let mut first: FxHashMap<Name, BinderId> = FxHashMap::default();
        let mut ids = Vec::new();
        for param in params {
            if let Some(pattern) = param.pattern() {
                let before = components.len();
                ids.push(self.pattern(&pattern, BinderRole::Param, &mut first, components));
                self.enter_components(&components[before..]);
                continue;
            }
            let ty = param.ty().map(|ty| self.ty(&ty));
            let id = self.name_binder(param.name().as_ref(), BinderRole::Param, within);
            self.body.binders[id].ty = ty;
            self.scope.enter(id);
            let name = self.body.binder(id).name.clone();
            ids.push(id);
            self.report_duplicate(&mut first, name, id, "parameter");
        }
        ids
    }

    /// The binder of a destructured tuple, which the program cannot name. Adds the names of the pattern to
    /// `components`.
    fn pattern(
        &mut self,
        pattern: &ast::TuplePattern,
        role: BinderRole,
        first: &mut FxHashMap<Name, BinderId>,
        components: &mut Vec<Component>,
    ) -> BinderId {
        let tuple = self.alloc_binder("".into(), role, range_of(pattern.syntax()));
        let parts: Vec<ast::Pattern> = pattern.components().collect();
        let width = parts.len().max(2);
        let mut names: Vec<String> = Vec::new();
        for (index, part) in parts.iter().enumerate() {
            let at = components.len();
            let binder = match part {
                ast::Pattern::Name(name) => {
                    let binder = self.name_binder(Some(name), BinderRole::Let, pattern.syntax());
                    self.report_duplicate(first, self.body.binder(binder).name.clone(), binder, "name");
                    binder
                }
                ast::Pattern::Tuple(inner) => self.pattern(inner, BinderRole::Let, first, components),
            };
            // A tuple comes before its own components.
            components.insert(at, Component { binder, of: tuple, index, width });
            names.push(self.body.binder(binder).name.to_string());
        }
        self.body.binders[tuple].name = names.join("-").into();
        self.scope.patterns.push(tuple);
        tuple
    }

    fn enter_components(&mut self, components: &[Component]) {
        for component in components {
            if !self.scope.patterns.contains(&component.binder) {
                self.scope.enter(component.binder);
            }
        }
    }

    /// Wraps a body in a `let` for each component.
    fn bind_components(&mut self, components: Vec<Component>, body: ExprId) -> ExprId {
        let around = self.map.exprs[body];
        components.into_iter().rev().fold(body, |body, Component { binder, of, index, width }| {
            let value = self.alloc_expr(Expr::Component { of, index, width }, self.map.binders[binder]);
            self.alloc_expr(Expr::Let { binder, value, body }, around)
        })
    }

    /// Reports a name that `first` already contains.
    pub(super) fn report_duplicate(
        &mut self,
        first: &mut FxHashMap<Name, BinderId>,
        name: Name,
        id: BinderId,
        what: &'static str,
    ) {
        if name.is_empty() || &*name == "_" {
            return;
        }
        if let Some(&earlier) = first.get(&name) {
            self.scope.used[earlier] = true;
            let problem = Problem::DuplicateParameter { what, name: name.clone() };
            let diagnostic = Diagnostic::new(Node::Binder(id), &problem)
                .related(Node::Binder(earlier), &Note::First { name: name.clone() });
            self.report(diagnostic);
        } else {
            first.insert(name, id);
        }
    }
}

impl From<LiteralValue> for Literal {
    fn from(value: LiteralValue) -> Literal {
        match value {
            LiteralValue::Byte(v) => Literal::Byte(v),
            LiteralValue::UByte(v) => Literal::UByte(v),
            LiteralValue::Short(v) => Literal::Short(v),
            LiteralValue::UShort(v) => Literal::UShort(v),
            LiteralValue::Int(v) => Literal::Int(v),
            LiteralValue::UInt(v) => Literal::UInt(v),
            LiteralValue::Long(v) => Literal::Long(v),
            LiteralValue::ULong(v) => Literal::ULong(v),
            LiteralValue::Half(v) => Literal::Half(v.to_bits()),
            LiteralValue::Float(v) => Literal::Float(v.to_bits()),
            LiteralValue::Double(v) => Literal::Double(v.to_bits()),
            LiteralValue::Bool(v) => Literal::Bool(v),
        }
    }
}
