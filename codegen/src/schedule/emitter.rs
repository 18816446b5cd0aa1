//! Statements of a block that a pass writes, all with one origin.

use super::versions::fresh;
use crate::core::{Atom, Block, Kernel, Rhs, ScalarOp, Stmt, VarId};
use lift_analysis::hir::Literal;
use lift_analysis::origin::Origin;
use lift_analysis::ty::{Ty, TyKind};

/// The statements of a block that is being written.
pub struct Emitter<'a> {
    pub origin: &'a Origin,
    pub stmts: Vec<Stmt>,
}

impl Emitter<'_> {
    pub fn emit(&mut self, kernel: &mut Kernel, like: VarId, ty: Ty, rhs: Rhs) -> Atom {
        let var = fresh(&mut kernel.vars, like, ty);
        self.stmts.push(Stmt { var, binds: Vec::new(), rhs, origin: self.origin.clone() });
        Atom::Var(var)
    }

    /// An operator with a truth value or an Int as its result.
    pub fn scalar(&mut self, kernel: &mut Kernel, like: VarId, op: ScalarOp, args: Vec<Atom>) -> Atom {
        let ty = if matches!(op, ScalarOp::Add | ScalarOp::Mul | ScalarOp::Min | ScalarOp::Max) {
            Ty::int()
        } else {
            Ty::bool()
        };
        self.emit(kernel, like, ty, Rhs::Scalar(op, args))
    }

    /// One of two numbers.
    pub fn chosen_int(&mut self, kernel: &mut Kernel, like: VarId, if_: &Atom, [then, otherwise]: [i32; 2]) -> Atom {
        let [then, otherwise] = [then, otherwise].map(|n| Atom::Lit(Literal::Int(n)));
        self.choose(kernel, like, &Ty::int(), if_, &then, &otherwise)
    }

    pub fn choose(
        &mut self,
        kernel: &mut Kernel,
        like: VarId,
        ty: &Ty,
        if_: &Atom,
        then: &Atom,
        otherwise: &Atom,
    ) -> Atom {
        let block = |a: &Atom| Block { stmts: Vec::new(), result: a.clone() };
        self.emit(kernel, like, ty.clone(), Rhs::If(if_.clone(), block(then), block(otherwise)))
    }

    /// The component of a value to which a path leads.
    pub fn component(&mut self, kernel: &mut Kernel, like: VarId, ty: &Ty, value: Atom, path: &[usize]) -> Atom {
        let ([at, rest @ ..], TyKind::Tuple(parts)) = (path, ty.kind()) else { return value };
        let part = self.emit(kernel, like, parts[*at].clone(), Rhs::Proj(value, *at));
        self.component(kernel, like, &parts[*at].clone(), part, rest)
    }
}
