//! Defaults the inference variables that remain when all constraints are done.

use crate::diagnostics::Problem;
use crate::hir::*;
use crate::infer::context::Infer;
use crate::infer::table::Key;
use crate::size::Size;
use crate::ty::{Class, Ty, TyVar};

impl Infer<'_> {
    /// The operators and definitions whose type at this use mentions the variable.
    fn named_with(&self, unknown: Key) -> Vec<ExprId> {
        let exprs = self.found.types().ids();
        let named = exprs.filter(|e| matches!(self.program.expr(*e), Expr::Global(_)));
        let mentions = |e: &ExprId| {
            let ty = self.found.ty(*e);
            ty.is_some_and(|ty| self.table.unknowns(&self.table.zonk(ty)).contains(&unknown))
        };
        named.filter(mentions).collect()
    }

    /// Defaults the remaining variables: numbers to Int (Float where they must be floating); a length is an error.
    pub fn default_rest(&mut self) {
        self.table.forget_cause();
        // After an error, variables that it left undetermined become errors.
        let broken = self.results().is_broken();
        let of = |class| if broken { Ty::error() } else { Ty::scalar(default_of(class)) };
        let no_length = if broken { Size::var(crate::ty::gap()) } else { Size::zero() };
        for e in self.found.types().ids() {
            self.table.shorten_chains();
            let Some(ty) = self.found.ty(e).cloned() else { continue };
            let (ty, rest) = self.flatten_rest(&ty);
            // Stored without bound variables, so that they are resolved once.
            self.found.set_type(e, ty);
            for key in rest {
                match key {
                    Key::Type(v) => {
                        let class = self.table.class(TyVar(v));
                        if class.is_some() {
                            let named = self.named_with(key);
                            self.found.defaulted(if named.is_empty() { vec![e] } else { named });
                        }
                        self.table.bind_type(TyVar(v), of(class));
                    }
                    Key::Size(v) => {
                        if !self.results().is_broken() {
                            self.error(Node::Expr(e), &Problem::AmbiguousLength);
                        }
                        self.table.bind_size(v, no_length.clone());
                    }
                    Key::Scope(_) => {}
                }
            }
        }
        let default = |this: &mut Self, rest: Vec<Key>| {
            for key in rest {
                match key {
                    Key::Type(v) => {
                        let class = this.table.class(TyVar(v));
                        this.table.bind_type(TyVar(v), of(class));
                    }
                    Key::Size(v) => this.table.bind_size(v, no_length.clone()),
                    Key::Scope(_) => {}
                }
            }
        };
        for binder in self.binders.types().ids() {
            let Some(ty) = self.binders.ty(binder).cloned() else { continue };
            let (ty, rest) = self.flatten_rest(&ty);
            self.binders.set_ty(binder, ty);
            default(self, rest);
        }
        let instances: Vec<Ty> = self.found.so_far().instances.values().flat_map(|i| i.types.clone()).collect();
        for ty in instances {
            let rest = self.flatten_rest(&ty).1;
            default(self, rest);
        }
        self.wake_bound();
    }

    /// Makes variables at an index independent of it, then returns the type without bound variables, and its variables.
    fn flatten_rest(&mut self, ty: &Ty) -> (Ty, Vec<Key>) {
        if self.table.is_final(ty) {
            return (ty.clone(), Vec::new());
        }
        loop {
            let ty = self.table.zonk(ty);
            let unknowns = self.table.unknowns(&ty);
            let Some(key) = unknowns.iter().find(|k| self.table.is_at_index(**k)) else { return (ty, unknowns) };
            self.table.flatten(*key);
        }
    }
}

fn default_of(class: Option<Class>) -> Scalar {
    match class {
        Some(Class::Floating) => Scalar::Float,
        _ => Scalar::Int,
    }
}
