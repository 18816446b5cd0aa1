//! Lowering of top-level forms.

use super::{Lowerer, SizeNames, range_of};
use crate::diagnostics::Diagnostic;
use crate::diagnostics::Problem;
use crate::hir::*;
use lift_syntax::ast::{self, AstNode};
use lift_syntax::{SyntaxNode, TextRange};
use rustc_hash::FxHashMap;

impl Lowerer {
    pub(super) fn form(&mut self, form: &ast::Form, builtin: bool) {
        let item = form.item();
        let node = item.as_ref().map_or(form.syntax(), |item| item.syntax());
        let name = item.as_ref().and_then(|item| item.name()).and_then(|name| name.token());
        self.map.form_name = match &name {
            Some(token) => token.text_range(),
            None => head_range(node),
        };
        self.body.name = name.map(|token| token.text().into());
        match item {
            Some(ast::Item::Import(import)) => self.import(&import),
            Some(ast::Item::Define(define)) => self.define(&define),
            Some(ast::Item::Lift(kernel)) => self.kernel(&kernel),
            Some(ast::Item::Primitive(primitive)) => self.primitive(&primitive, builtin),
            Some(ast::Item::Error(_)) | None => {}
        }
    }

    fn import(&mut self, import: &ast::Import) {
        if let Some(token) = import.path_token() {
            self.map.form_name = token.text_range();
        }
        self.body.kind = FormKind::Import(import.path().unwrap_or_default().into());
    }

    fn define(&mut self, define: &ast::Define) {
        self.body.kind = FormKind::Define;
        self.scope.names = SizeNames::Implicit;
        let root = match define.head() {
            Some(head) => {
                let lambda = self.lambda(head.params(), define.body(), define.syntax());
                match lambda {
                    // `(define (c) 1)` is `(define c 1)`.
                    Expr::Lambda { params, body } if params.is_empty() => body,
                    lambda => self.alloc_expr(lambda, range_of(define.syntax())),
                }
            }
            None => self.expr_in(define.body(), define.syntax()),
        };
        self.body.root = Some(root);
    }

    fn kernel(&mut self, kernel: &ast::Lift) {
        self.body.kind = FormKind::Kernel;
        let mut first = FxHashMap::default();
        for name in kernel.size_params().into_iter().flat_map(|sizes| sizes.names()) {
            let binder = self.name_binder(Some(&name), BinderRole::SizeParam, kernel.syntax());
            let text = self.body.binder(binder).name.clone();
            self.scope.enter(binder);
            self.body.size_params.push(binder);
            self.report_duplicate(&mut first, text, binder, "size");
        }
        for ty in kernel.types().into_iter().flat_map(|types| types.types()) {
            let ty = self.ty(&ty);
            self.body.param_types.push(ty);
        }
        // The parser has reported any expression other than a lambda.
        let lambda = kernel.body().filter(|body| matches!(body, ast::Expr::Lambda(_)));
        let root = self.expr_in(lambda, kernel.syntax());
        self.body.root = Some(root);
        self.check_parameter_count(kernel, root);
    }

    fn check_parameter_count(&mut self, kernel: &ast::Lift, root: ExprId) {
        let types = self.body.param_types.len();
        let Expr::Lambda { params, .. } = self.body.expr(root) else { return };
        // The parser has reported a missing or malformed list.
        let is_malformed = |ty: &TypeRefId| matches!(self.body.type_ref(*ty), TypeRef::Error);
        let malformed = kernel.types().is_none() || self.body.param_types.iter().any(is_malformed);
        if params.len() == types || malformed {
            return;
        }
        let at = match (params.get(types), self.body.param_types.get(params.len())) {
            (Some(&extra), _) => Node::Binder(extra),
            (None, Some(&extra)) => Node::Type(extra),
            (None, None) => Node::FormName,
        };
        let problem = Problem::KernelParameters { types, params: params.len() };
        self.report(Diagnostic::new(at, &problem));
    }

    fn primitive(&mut self, primitive: &ast::Primitive, builtin: bool) {
        self.body.kind = FormKind::Primitive;
        if !builtin {
            return self.report(Diagnostic::new(Node::FormName, &Problem::PrimitiveForm));
        }
        self.primitive_type(primitive);
    }

    /// Lowers the static sizes and the type of a primitive's declaration; [`crate::prims`] reads its clauses.
    pub(crate) fn primitive_type(&mut self, primitive: &ast::Primitive) -> TypeRefId {
        self.scope.names = SizeNames::Variables;
        for name in primitive.size_params().into_iter().flat_map(|sizes| sizes.names()) {
            let binder = self.name_binder(Some(&name), BinderRole::SizeParam, primitive.syntax());
            self.scope.used[binder] = true;
            self.scope.enter(binder);
            self.body.size_params.push(binder);
        }
        let ty = self.type_in(primitive.ty(), primitive.syntax());
        self.body.param_types.push(ty);
        ty
    }
}

/// The first word of a form, or its first token.
fn head_range(node: &SyntaxNode) -> TextRange {
    let mut tokens =
        node.descendants_with_tokens().filter_map(|part| part.into_token()).filter(|t| !t.kind().is_trivia());
    let first = tokens.next();
    match first {
        Some(first) if first.kind().is_opener() => tokens.next().unwrap_or(first).text_range(),
        Some(first) => first.text_range(),
        None => node.text_range(),
    }
}
