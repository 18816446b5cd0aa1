//! Converts written types and sizes to [`Ty`] and [`Size`].

use crate::diagnostics::problem::SizesDeclared;
use crate::diagnostics::{Diagnostic, Problem};
use crate::hir::*;
use crate::infer::cause::Cause;
use crate::infer::context::Infer;
use crate::size::{Assumption, Size, Var, VarKind};
use crate::ty::{Ty, TyKind};

/// The diagnostic for a vector width that OpenCL lacks.
pub fn wrong_width(width: &Size, at: Node) -> Option<Diagnostic> {
    let width = width.as_const().filter(|n| !matches!(n, 2 | 3 | 4 | 8 | 16))?;
    Some(Diagnostic::new(at, &Problem::VectorWidth { width }))
}

impl Infer<'_> {
    /// Converts a written type; an error if it exceeds the limit.
    pub fn written_type(&mut self, id: TypeRefId) -> Ty {
        let ty = self.written_part(id);
        if self.table.is_too_large(&ty) {
            self.give_up_on_type(Node::Type(id));
            return Ty::error();
        }
        ty
    }

    fn written_part(&mut self, id: TypeRefId) -> Ty {
        match self.program.body().type_ref(id).clone() {
            TypeRef::Error => Ty::error(),
            TypeRef::Scalar(s) => Ty::scalar(s),
            TypeRef::Variable(name) => {
                self.error(Node::Type(id), &Problem::UnknownType { name });
                Ty::error()
            }
            TypeRef::Array { position, element, length } => {
                let len = self.written_size(length);
                match position {
                    None => Ty::array(self.written_part(element), len),
                    Some(binder) => {
                        let var = self.written_position(&self.program.body().binder(binder).name.clone());
                        self.table.set_count(&var, &len);
                        self.binders.set_size(binder, Size::var(var.clone()));
                        self.binders.set_ty(binder, Ty::int());
                        let element = self.written_part(element);
                        Ty::dependent_array(var, element, len)
                    }
                }
            }
            TypeRef::Tuple(parts) => Ty::tuple(parts.into_iter().map(|p| self.written_part(p)).collect()),
            TypeRef::Vector { element, width } => {
                let width_size = self.written_size(width);
                self.found.diagnostics(wrong_width(&width_size, Node::Size(width)));
                Ty::new(TyKind::Vec(self.written_part(element), width_size))
            }
            TypeRef::Exists { sizes, body } => {
                let vars: Vec<Var> = sizes
                    .iter()
                    .map(|&b| {
                        let var = self.scopes.bind_length(&self.program.body().binder(b).name.clone());
                        self.binders.set_size(b, Size::var(var.clone()));
                        self.binders.set_ty(b, Ty::int());
                        var
                    })
                    .collect();
                let inner = self.written_part(body);
                Ty::exists(vars, inner)
            }
            TypeRef::Function { params, .. } if self.too_many_for_a_type(params.len()) => {
                self.give_up_on_type(Node::Type(id));
                Ty::error()
            }
            TypeRef::Function { params, result } => {
                let args: Vec<Ty> = params.into_iter().map(|p| self.written_part(p)).collect();
                let result = self.written_part(result);
                Ty::funs(args, result)
            }
        }
    }

    pub fn written_size(&mut self, id: SizeRefId) -> Size {
        let at = self.scopes.reading().unwrap_or_else(|| self.program.root());
        match self.program.body().size_ref(id).clone() {
            SizeRef::Error => self.fresh_size(),
            SizeRef::Nat(n) => Size::nat(n),
            SizeRef::Local(b) => self.size_of_binder(b),
            SizeRef::Global(name) => self.size_of_definition(name, id),
            SizeRef::Variable(name) => {
                self.error(Node::Size(id), &Problem::UnknownSize { name, declared: SizesDeclared::Elsewhere });
                self.fresh_size()
            }
            SizeRef::Op(SizeOp::Max, args) => self.greatest(args, at),
            SizeRef::Op(op, args) => {
                let args: Vec<Size> = args.into_iter().map(|a| self.written_size(a)).collect();
                self.size_operation(op, args, id, at)
            }
            SizeRef::Sum { index, count, body } => {
                let count = self.written_size(count);
                let var = self.written_position(&self.program.body().binder(index).name.clone());
                self.table.set_count(&var, &count);
                self.binders.set_size(index, Size::var(var.clone()));
                self.binders.set_ty(index, Ty::int());
                let body = self.written_size(body);
                Size::sum(var, count, body)
            }
            SizeRef::LengthOf(b) => {
                let Some(ty) = self.binders.ty(b).cloned() else { return self.fresh_size() };
                self.binders.use_opened(b);
                let len = self.fresh_size();
                let (array, _) = self.any_array(&len);
                self.unify(&array, &ty, &Cause::LengthOf(at, id));
                len
            }
        }
    }

    /// The maximum of sizes. If one of them is a natural number, so is the maximum. Then the others may be negative
    /// differences: `(max (- N 2) 0)` assumes nothing.
    fn greatest(&mut self, args: Vec<SizeRefId>, at: ExprId) -> Size {
        let mut differences = Vec::new();
        let sizes: Vec<Size> = args.into_iter().map(|arg| self.difference(arg, &mut differences)).collect();
        if !sizes.iter().any(Size::is_natural) {
            for difference in differences {
                self.assume(Assumption::NonNegative(difference), at);
            }
        }
        sizes.into_iter().reduce(|a, b| Size::max(&a, &b)).unwrap_or_else(|| self.fresh_size())
    }

    /// A written size. If it is a difference, it may be negative: it is added to `differences` instead of assumed not to be.
    fn difference(&mut self, id: SizeRefId, differences: &mut Vec<Size>) -> Size {
        match self.program.body().size_ref(id) {
            SizeRef::Op(SizeOp::Sub, args) if args.len() == 2 => {
                let (a, b) = (args[0], args[1]);
                let difference = self.difference(a, differences).sub(&self.difference(b, differences));
                differences.push(difference.clone());
                difference
            }
            _ => self.written_size(id),
        }
    }

    pub fn size_of_binder(&mut self, b: BinderId) -> Size {
        if let Some(s) = self.binders.size(b) {
            return s.clone();
        }
        let binder = self.program.body().binder(b);
        let size = match binder.role {
            BinderRole::SizeParam | BinderRole::ImplicitSize => {
                Size::var(Var { kind: VarKind::Param, id: b.0, name: binder.name.clone() })
            }
            // A value used as a size: possible if its type is a size (`(define (f k xs) (split k xs))`).
            _ => {
                let size = self.fresh_size();
                if let Some(ty) = self.binders.ty(b).cloned() {
                    let wanted = Ty::new(TyKind::Size(size.clone()));
                    let at = self.program.root();
                    let read = self.size_that_mentions(b);
                    self.unify(&wanted, &ty, &Cause::SizeName(at, b, read));
                }
                size
            }
        };
        self.binders.set_size(b, size.clone());
        size
    }

    /// The expression being read, or its argument, if that is a size with a name.
    fn size_that_mentions(&self, name: BinderId) -> Option<ExprId> {
        let at = self.scopes.reading()?;
        let mentions = |at: &ExprId| match self.program.expr(*at) {
            Expr::Size(size) => self.has_name(*size, name),
            _ => false,
        };
        match self.program.expr(at) {
            Expr::Apply { args, .. } => args.iter().copied().find(mentions),
            _ => Some(at).filter(mentions),
        }
    }

    fn has_name(&self, size: SizeRefId, name: BinderId) -> bool {
        match self.program.body().size_ref(size) {
            SizeRef::Local(b) => *b == name,
            SizeRef::Op(_, args) => args.iter().any(|arg| self.has_name(*arg, name)),
            SizeRef::Sum { count, body, .. } => self.has_name(*count, name) || self.has_name(*body, name),
            _ => false,
        }
    }

    fn size_operation(&mut self, op: SizeOp, args: Vec<Size>, id: SizeRefId, at: ExprId) -> Size {
        let mut it = args.into_iter();
        let Some(first) = it.next() else { return self.fresh_size() };
        match op {
            SizeOp::Add => it.fold(first, |a, b| a.add(&b)),
            SizeOp::Mul => it.fold(first, |a, b| a.mul(&b)),
            SizeOp::Min => it.fold(first, |a, b| Size::min(&a, &b)),
            SizeOp::Max => it.fold(first, |a, b| Size::max(&a, &b)),
            SizeOp::Sub => match it.next() {
                Some(b) => {
                    let d = first.sub(&b);
                    self.assume(Assumption::NonNegative(d.clone()), at);
                    d
                }
                None => first,
            },
            SizeOp::Div => match it.next() {
                Some(b) if b.is_zero() => {
                    self.error(Node::Size(id), &Problem::DividesByZero);
                    self.fresh_size()
                }
                Some(b) => {
                    self.assume(Assumption::Divides { divisor: b.clone(), value: first.clone() }, at);
                    first.div_exact(&b)
                }
                None => first,
            },
            SizeOp::Mod => match it.next() {
                Some(b) if b.is_zero() => {
                    self.error(Node::Size(id), &Problem::DividesByZero);
                    self.fresh_size()
                }
                Some(b) => {
                    self.assume(Assumption::Positive(b.clone()), at);
                    first.rem(&b)
                }
                None => first,
            },
            SizeOp::Pow => match it.next() {
                Some(b) => first.pow(&b),
                None => first,
            },
        }
    }
}
