//! Lowering of written types.

use super::{Lowerer, SizeNames, closest, end_of, range_of};
use crate::diagnostics::Problem;
use crate::diagnostics::{Diagnostic, Edit, Title};
use crate::hir::*;
use lift_syntax::ast::{self, AstNode};
use lift_syntax::{SCALAR_TYPES, SyntaxKind, SyntaxNode, foreign_scalar};
use rustc_hash::FxHashMap;

/// Widths of OpenCL vectors.
pub(crate) const VECTOR_WIDTHS: [u64; 5] = [2, 3, 4, 8, 16];

impl Lowerer {
    pub(super) fn type_in(&mut self, ty: Option<ast::Type>, within: &SyntaxNode) -> TypeRefId {
        match ty {
            Some(ty) => self.ty(&ty),
            None => self.alloc_type(TypeRef::Error, end_of(within)),
        }
    }

    /// Lowers an outermost type.
    pub(super) fn ty(&mut self, ty: &ast::Type) -> TypeRefId {
        let outer = std::mem::replace(&mut self.scope.in_type, true);
        let id = self.nested_type(ty);
        self.scope.in_type = outer;
        id
    }

    fn nested_type_in(&mut self, ty: Option<ast::Type>, within: &SyntaxNode) -> TypeRefId {
        match ty {
            Some(ty) => self.nested_type(&ty),
            None => self.alloc_type(TypeRef::Error, end_of(within)),
        }
    }

    fn nested_type(&mut self, ty: &ast::Type) -> TypeRefId {
        let range = range_of(ty.syntax());
        let mark = self.scope.mark();
        let lowered = match ty {
            ast::Type::Name(name) => return self.type_name(name),
            ast::Type::Array(array) => {
                let position = array.position().map(|name| {
                    let binder = self.name_binder(Some(&name), BinderRole::Position, array.syntax());
                    self.scope.enter(binder);
                    binder
                });
                let element = self.nested_type_in(array.element(), array.syntax());
                self.scope.leave(mark);
                let length = self.size_in(array.length(), array.syntax());
                TypeRef::Array { position, element, length }
            }
            ast::Type::Tuple(tuple) => {
                let mut parts: Vec<TypeRefId> = tuple.components().map(|part| self.nested_type(&part)).collect();
                while parts.len() < 2 {
                    parts.push(self.alloc_type(TypeRef::Error, end_of(tuple.syntax())));
                }
                TypeRef::Tuple(parts)
            }
            ast::Type::Vector(vector) => self.vector_type(vector),
            ast::Type::Exists(exists) => {
                let mut first = FxHashMap::default();
                let mut sizes = Vec::new();
                for name in exists.names() {
                    let binder = self.name_binder(Some(&name), BinderRole::ExistsSize, exists.syntax());
                    let text = self.body.binder(binder).name.clone();
                    self.report_duplicate(&mut first, text, binder, "size name");
                    self.scope.enter(binder);
                    sizes.push(binder);
                }
                let body = self.nested_type_in(exists.body(), exists.syntax());
                TypeRef::Exists { sizes, body }
            }
            ast::Type::Fun(fun) => {
                let mut types: Vec<TypeRefId> = fun.types().map(|part| self.nested_type(&part)).collect();
                match types.pop() {
                    Some(result) if !types.is_empty() => TypeRef::Function { params: types, result },
                    _ => TypeRef::Error,
                }
            }
            ast::Type::Error(_) => TypeRef::Error,
        };
        self.scope.leave(mark);
        self.alloc_type(lowered, range)
    }

    fn type_name(&mut self, name: &ast::NameType) -> TypeRefId {
        let range = range_of(name.syntax());
        let text = name.text().unwrap_or_default();
        // The parser has already reported spellings like `Float`.
        if let Some(scalar) = Scalar::spelled(&text.to_ascii_lowercase()) {
            return self.alloc_type(TypeRef::Scalar(scalar), range);
        }
        if self.scope.names == SizeNames::Variables {
            return self.alloc_type(TypeRef::Variable(text.into()), range);
        }
        let id = self.alloc_type(TypeRef::Error, range);
        if !text.is_empty() {
            let plain = text.trim_end_matches(',');
            let foreign = foreign_scalar(plain).or_else(|| SCALAR_TYPES.iter().copied().find(|s| *s == plain));
            let meant = foreign.or_else(|| closest(&text, SCALAR_TYPES.iter().copied()));
            let is_of_parameter = || name.syntax().parent().is_some_and(|p| p.kind() == SyntaxKind::PARAM);
            let problem = match plain.len() < text.len() {
                true => Problem::TypeNameWithComma { name: text.clone() },
                false => Problem::UnknownTypeName {
                    name: text.clone(),
                    may_be_pattern: meant.is_none() && is_of_parameter(),
                },
            };
            let mut diagnostic = Diagnostic::new(Node::Type(id), &problem);
            if let Some(meant) = meant {
                let edits = vec![Edit::Replace(Node::Type(id), meant.to_owned())];
                diagnostic = diagnostic.fix(Title::Write(meant.to_owned()).certain(edits));
            }
            self.report(diagnostic);
        }
        id
    }

    fn vector_type(&mut self, vector: &ast::VectorType) -> TypeRef {
        let element = self.nested_type_in(vector.scalar(), vector.syntax());
        let width = self.size_in(vector.width(), vector.syntax());
        if !matches!(self.body.type_ref(element), TypeRef::Scalar(_) | TypeRef::Variable(_) | TypeRef::Error) {
            self.report(Diagnostic::new(Node::Type(element), &Problem::VectorElement));
            return TypeRef::Error;
        }
        if let SizeRef::Nat(value) = *self.body.size_ref(width)
            && !VECTOR_WIDTHS.contains(&value)
        {
            self.report(Diagnostic::new(Node::Size(width), &Problem::WrittenVectorWidth { width: value }));
            return TypeRef::Error;
        }
        TypeRef::Vector { element, width }
    }
}
