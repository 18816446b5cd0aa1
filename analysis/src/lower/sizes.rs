//! Lowering of written sizes.

use super::{Lowerer, end_of, range_of};
use crate::diagnostics::Diagnostic;
use crate::diagnostics::Problem;
use crate::hir::*;
use lift_syntax::SyntaxNode;
use lift_syntax::ast::{self, AstNode, SizeOperator};

impl Lowerer {
    pub(super) fn size_in(&mut self, size: Option<ast::Size>, within: &SyntaxNode) -> SizeRefId {
        match size {
            Some(size) => self.size(&size),
            None => self.alloc_size(SizeRef::Error, end_of(within)),
        }
    }

    fn size(&mut self, size: &ast::Size) -> SizeRefId {
        let range = range_of(size.syntax());
        let lowered = match size {
            ast::Size::Nat(nat) => nat.value().map_or(SizeRef::Error, SizeRef::Nat),
            ast::Size::Name(name) => {
                let id = self.alloc_size(SizeRef::Error, range);
                if let Some(text) = name.text() {
                    let resolved = self.lookup_size(&text.into(), id);
                    self.body.sizes[id] = resolved;
                }
                return id;
            }
            ast::Size::Op(op) => self.size_op(op),
            ast::Size::Error(_) => SizeRef::Error,
        };
        self.alloc_size(lowered, range)
    }

    fn size_op(&mut self, op: &ast::SizeOp) -> SizeRef {
        let operator = match op.operator() {
            Some(SizeOperator::Add) => SizeOp::Add,
            Some(SizeOperator::Sub) => SizeOp::Sub,
            Some(SizeOperator::Mul) => SizeOp::Mul,
            Some(SizeOperator::Div) => SizeOp::Div,
            Some(SizeOperator::Mod) => SizeOp::Mod,
            Some(SizeOperator::Min) => SizeOp::Min,
            Some(SizeOperator::Max) => SizeOp::Max,
            Some(SizeOperator::Pow) => SizeOp::Pow,
            Some(SizeOperator::Sum) => return self.sum(op),
            Some(SizeOperator::Length) => return self.length_of(op),
            None => return SizeRef::Error,
        };
        let binary = matches!(operator, SizeOp::Sub | SizeOp::Div | SizeOp::Mod | SizeOp::Pow);
        let operands: Vec<SizeRefId> = op.operands().map(|operand| self.size(&operand)).collect();
        // The parser has reported a wrong number of operands.
        if operands.is_empty() || (binary && operands.len() != 2) {
            return SizeRef::Error;
        }
        if matches!(operator, SizeOp::Div | SizeOp::Mod)
            && let SizeRef::Nat(0) = self.body.size_ref(operands[1])
        {
            self.report(Diagnostic::new(Node::Size(operands[1]), &Problem::DivisorZero));
            return SizeRef::Error;
        }
        SizeRef::Op(operator, operands)
    }

    fn sum(&mut self, op: &ast::SizeOp) -> SizeRef {
        let binder = op.sum_binder();
        let within = binder.as_ref().map_or(op.syntax(), |binder| binder.syntax()).clone();
        let count = self.size_in(binder.as_ref().and_then(|binder| binder.bound()), &within);
        let name = binder.as_ref().and_then(|binder| binder.name());
        let index = self.name_binder(name.as_ref(), BinderRole::Position, &within);
        let mark = self.scope.mark();
        self.scope.enter(index);
        let body = self.size_in(op.operands().next(), op.syntax());
        self.scope.leave(mark);
        SizeRef::Sum { index, count, body }
    }

    /// `(length xs)` of a local array. Inference checks that `xs` is an array.
    fn length_of(&mut self, op: &ast::SizeOp) -> SizeRef {
        let Some(array) = op.array() else { return SizeRef::Error };
        let Some(name) = array.text() else { return SizeRef::Error };
        match self.lookup_value(&name) {
            Some(binder) if !self.body.binder(binder).role.is_size() => SizeRef::LengthOf(binder),
            found => {
                let at = self.alloc_size(SizeRef::Error, range_of(array.syntax()));
                let problem = match found {
                    Some(_) => Problem::LengthOfSize { name },
                    None => Problem::LengthOfUnknown { name },
                };
                self.report(Diagnostic::new(Node::Size(at), &problem));
                SizeRef::Error
            }
        }
    }
}
