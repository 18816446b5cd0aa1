//! Numbers that are sizes: natural numbers, size names, lengths of named arrays, and what is computed of these.

use crate::diagnostics::Problem;
use crate::hir::*;
use crate::infer::Lookup;
use crate::infer::context::Infer;
use crate::prims::PrimitiveId;
use crate::size::{Assumption, Size, VarKind};
use crate::ty::{Ty, TyKind};

impl Infer<'_> {
    /// The size that an argument denotes, if any: a natural number or its name, `#…`, a size name, a value of a size type,
    /// the length of a named array, and sums, differences and products of these.
    pub fn static_size(&mut self, arg: ExprId) -> Option<Size> {
        match self.program.expr(arg).clone() {
            Expr::Literal(Literal::Int(n)) => u64::try_from(n).ok().map(Size::nat),
            Expr::Size(s) => Some(self.written_size(s)),
            Expr::Local(b) if self.binders.is_number_and_size(b) => Some(self.size_of_binder(b)),
            Expr::Local(b) => match self.program.body().binder(b).role {
                BinderRole::SizeParam | BinderRole::ImplicitSize | BinderRole::UnpackSize => {
                    Some(self.size_of_binder(b))
                }
                _ => match self.binders.ty(b).map(|t| self.table.shallow(t))?.kind() {
                    TyKind::Size(s) => Some(s.clone()),
                    _ => None,
                },
            },
            Expr::Global(name) => {
                let natural = self.program.natural(&name)?;
                self.found.uses(&name);
                Some(Size::nat(natural))
            }
            Expr::Apply { .. } if self.computes_size(arg) => {
                self.infer(arg, None);
                let mut differences = Vec::new();
                let size = self.computed_size(arg, &mut differences)?;
                for difference in differences {
                    self.assume(Assumption::NonNegative(difference), arg);
                }
                Some(size)
            }
            _ => None,
        }
    }

    /// Whether an expression consists of sizes alone. An index variable is not one here: rows whose lengths depend on it
    /// fit fewer functions than rows of hidden length.
    fn computes_size(&mut self, e: ExprId) -> bool {
        match self.program.expr(e).clone() {
            Expr::Apply { callee, args } => match self.program.primitive_at(callee).map(|p| p.id) {
                Some(PrimitiveId::Length) => matches!(args.as_slice(), [array] if self.is_of_names(*array)),
                Some(PrimitiveId::Add | PrimitiveId::Sub | PrimitiveId::Mul | PrimitiveId::Min | PrimitiveId::Max) => {
                    args.len() == 2 && args.iter().all(|arg| self.computes_size(*arg))
                }
                _ => false,
            },
            Expr::Lambda { .. } | Expr::Let { .. } | Expr::If { .. } => false,
            _ => self.static_size(e).is_some_and(|size| !size.any_var(&mut |v| v.kind == VarKind::Position)),
        }
    }

    /// Whether an expression is a name, or an array that a primitive makes of names without hiding a length, such as
    /// `(tail xs)`.
    fn is_of_names(&self, e: ExprId) -> bool {
        let Expr::Apply { callee, args } = self.program.expr(e) else {
            return matches!(self.program.expr(e), Expr::Local(_));
        };
        let Some(primitive) = self.program.primitive_at(*callee).filter(|p| p.special.is_none()) else { return false };
        let (params, result) = primitive.scheme.ty.uncurry();
        let is_known = match result.kind() {
            TyKind::Array(_) => true,
            _ => matches!(args.as_slice(), [rows, ..] if self.has_rows_of_one_length(*rows)),
        };
        let is_plain = |arg: ExprId| matches!(self.program.expr(arg), Expr::Literal(_) | Expr::Size(_));
        is_known && params.len() == args.len() && args.iter().all(|arg| is_plain(*arg) || self.is_of_names(*arg))
    }

    fn has_rows_of_one_length(&self, rows: ExprId) -> bool {
        let Expr::Local(b) = self.program.expr(rows) else { return false };
        let ty = self.binders.ty(*b).map(|ty| self.table.zonk(ty));
        ty.as_ref()
            .and_then(Ty::as_array)
            .is_some_and(|rows| rows.position.is_none() && rows.element.as_array().is_some())
    }

    /// The size that an expression of sizes computes. Its differences are added to `differences`, but not those beside a
    /// natural number in `max`, which may be negative.
    fn computed_size(&mut self, e: ExprId, differences: &mut Vec<Size>) -> Option<Size> {
        let Expr::Apply { callee, args } = self.program.expr(e).clone() else { return self.static_size(e) };
        let id = self.program.primitive_at(callee)?.id;
        if id == PrimitiveId::Length {
            let ty = self.results().operand_type(*args.first()?)?;
            return self.table.shallow(&ty).as_array().map(|array| array.len.clone());
        }
        let &[a, b] = args.as_slice() else { return None };
        let mut inner = Vec::new();
        let (a, b) = (self.computed_size(a, &mut inner)?, self.computed_size(b, &mut inner)?);
        let size = match id {
            PrimitiveId::Add => a.add(&b),
            PrimitiveId::Sub => {
                let difference = a.sub(&b);
                inner.push(difference.clone());
                difference
            }
            PrimitiveId::Mul => a.mul(&b),
            PrimitiveId::Min => Size::min(&a, &b),
            PrimitiveId::Max if a.is_natural() || b.is_natural() => return Some(Size::max(&a, &b)),
            PrimitiveId::Max => Size::max(&a, &b),
            _ => return None,
        };
        differences.extend(inner);
        Some(size)
    }

    /// The size that a definition in a written size denotes. `name` is the definition, `at` the size.
    pub fn size_of_definition(&mut self, name: ExprId, at: SizeRefId) -> Size {
        if let Some(size) = self.static_size(name) {
            self.found.set_type(name, Ty::new(TyKind::Size(size.clone())));
            return size;
        }
        let Expr::Global(text) = self.program.expr(name).clone() else { return self.fresh_size() };
        match self.program.lookup(&text) {
            Lookup::Definition(scheme) if !scheme.faulty && !scheme.ty.contains_error() => {
                self.error(Node::Size(at), &Problem::DefinitionAsSize { name: text });
            }
            Lookup::Definition(_) | Lookup::Recursive(_) | Lookup::Failed => {
                self.infer(name, None);
            }
            Lookup::Primitive(_) | Lookup::Unknown { .. } => {
                let unknown = self.program.body().unbound_sizes.iter().find(|d| d.at == Node::Size(at)).cloned();
                self.found.diagnostics(unknown);
            }
        }
        self.fresh_size()
    }

    pub fn is_named_or_computed(&self, e: ExprId) -> bool {
        match self.program.expr(e) {
            Expr::Local(b) => self.program.body().binder(*b).role == BinderRole::Let,
            Expr::Global(_) | Expr::Apply { .. } => true,
            _ => false,
        }
    }

    /// The size that a `let` names. A difference is not one: it may be negative where it is used as a number.
    pub fn named_size(&mut self, value: ExprId) -> Option<Size> {
        match self.program.expr(value) {
            Expr::Literal(_) | Expr::Size(_) | Expr::Local(_) | Expr::Global(_) => self.static_size(value),
            Expr::Apply { .. } if self.computes_size(value) => {
                let mut differences = Vec::new();
                let size = self.computed_size(value, &mut differences)?;
                differences.is_empty().then_some(size)
            }
            _ => None,
        }
    }

    /// The natural number that a definition names.
    pub fn named_natural(&mut self) -> Option<u64> {
        let size = self.named_size(self.program.body().root?)?;
        u64::try_from(self.table.zonk_size(&size).as_const()?).ok()
    }
}
