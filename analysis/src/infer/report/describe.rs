//! Where lengths come from, for messages and hovers.

use crate::diagnostics::Provenance;
use crate::hir::*;
use crate::infer::result::*;
use crate::infer::results::Results;
use crate::infer::texts::call_of;
use crate::prims::{Primitive, PrimitiveId, Special};
use crate::size::{Size, Var, VarKind};
use crate::ty::TyKind;

impl Results<'_> {
    /// The value whose length is opened; `None` for a parameter.
    pub fn opened_value(&self, o: &Opening) -> Option<ExprId> {
        match o.site {
            Site::Expr(e) | Site::Argument(e, _) => Some(e),
            Site::Binder(b) => self.program.value_of(b),
        }
    }

    /// The origin of an opened length.
    pub fn length_origin(&self, o: &Opening, length: &Var) -> LengthOrigin {
        let from = |made_by: Node, source: LengthSource| LengthOrigin {
            length: length.clone(),
            made_by,
            source,
            at_most: None,
        };
        let Some(value) = self.opened_value(o) else {
            let Site::Binder(b) = o.site else { return from(Node::FormName, LengthSource::Nameless) };
            return from(
                Node::Binder(b),
                LengthSource::Hidden { value: self.program.body().binder(b).name.to_string() },
            );
        };
        let made_by = Node::Expr(value);
        if let Expr::Local(b) = self.program.expr(value) {
            return from(made_by, LengthSource::Hidden { value: self.program.body().binder(*b).name.to_string() });
        }
        if let Expr::If { .. } = self.program.expr(value) {
            return from(made_by, LengthSource::Branch);
        }
        let Some((callee, args)) = call_of(self.program.body(), value) else {
            return from(made_by, LengthSource::Hidden { value: self.program.short(value) });
        };
        let returned = || LengthSource::Returned { callee: self.program.short(callee) };
        let (Expr::Global(name), Some(primitive)) = (self.program.expr(callee), self.program.primitive_at(callee))
        else {
            return from(made_by, returned());
        };
        let source = match (primitive.id, primitive.special) {
            (PrimitiveId::Filter, _) => {
                let test = args.first().map_or(String::new(), |test| format!(" {}", self.program.short(*test)));
                LengthSource::Kept { call: format!("{name}{test}") }
            }
            (_, Some(Special::Sized | Special::Generate | Special::Cut)) => {
                LengthSource::Counted { callee: name.clone() }
            }
            _ => returned(),
        };
        LengthOrigin { at_most: self.most_of_result(primitive, callee), ..from(made_by, source) }
    }

    /// The upper bound of the hidden length in a primitive's result, at one use of the primitive; `None` if it has
    /// none.
    fn most_of_result(&self, primitive: &Primitive, callee: ExprId) -> Option<Size> {
        let (most, instance) = (primitive.at_most.as_ref()?, self.found.so_far().instances.get(&callee)?);
        let of = |var: &Var| {
            let index = primitive.scheme.sizes.iter().position(|quantified| quantified == var)?;
            instance.sizes.get(index).cloned()
        };
        Some(self.table.zonk_size(&most.subst(&mut |var| of(var))))
    }

    /// The origin of a length, and the node to show for it.
    pub fn describe_length(&self, size: &Size, why: Option<ExprId>) -> (Provenance, Option<Node>) {
        if let Some(v) = size.as_var() {
            if v.kind == VarKind::Skolem
                && let Some(o) = self.found.opening_of(v)
            {
                let origin = self.length_origin(o, v);
                return (Provenance::Opened(origin.source), Some(origin.made_by));
            }
            if v.kind == VarKind::Param
                && let Some((binder, name)) = self.parameter_of_length(size)
            {
                return (Provenance::LengthOf(name.to_string()), Some(Node::Binder(binder)));
            }
        }
        match why {
            Some(e) => match self.program.expr(e) {
                Expr::Literal(_) | Expr::Size(_) => (Provenance::Nothing, Some(Node::Expr(e))),
                _ => (Provenance::LengthOf(self.program.short(e)), Some(Node::Expr(e))),
            },
            None => (Provenance::Nothing, None),
        }
    }

    /// The first parameter whose outermost length is this one.
    fn parameter_of_length(&self, size: &Size) -> Option<(BinderId, Name)> {
        (0..self.program.body().binders.len() as u32).map(BinderId).find_map(|b| {
            let binder = self.program.body().binder(b);
            let ty = self.binders.ty(b).filter(|_| binder.role == BinderRole::Param)?;
            match self.table.zonk(ty).kind() {
                TyKind::Array(a) if a.len == *size => Some((b, binder.name.clone())),
                _ => None,
            }
        })
    }
}
