//! The parts of a nest of two maps around a fold.

use super::{Element, Nested, common};
use crate::core::{Kernel, Lambda, PrimCall, Rhs};
use crate::lower::Result;
use crate::lower::function::FunctionBuilder;
use crate::lower::value::Env;
use crate::schedule::nest::{self, Nest};
use lift_analysis::size::Size;
use lift_analysis::ty::Ty;

/// `map (λrow. map (λcolumn. g (reduce f z (… row column …))) columns) rows`, taken apart.
pub struct Product<'k> {
    /// The map over rows, and its function.
    pub rows: &'k PrimCall,
    outer: &'k Lambda,
    /// The map over columns, and its function.
    pub columns: &'k PrimCall,
    pub f: &'k Lambda,
    nest: Nest,
    fold: &'k PrimCall,
    pub row_ty: &'k Ty,
    pub column_ty: &'k Ty,
    /// The type of the accumulator.
    pub z_ty: Ty,
    /// The number of iterations of the fold.
    pub rounds: Size,
}

impl<'k> Product<'k> {
    /// The parts of a map over rows; `None` if it is no such nest.
    pub fn of(kernel: &'k Kernel, rows: &'k PrimCall, nest: Nest, env: &Env<'k>) -> Option<Product<'k>> {
        let outer = rows.funs.first()?;
        let (columns, f) = nest::inner(outer)?;
        let fold = f.body.stmts.iter().find(|s| s.var == nest.fold)?;
        let Rhs::Prim(fold) = &fold.rhs else { return None };
        let rounds = env.size(&kernel.atom_ty(&fold.args[1]).as_array()?.len);
        let (row_ty, column_ty) = (kernel.ty(outer.params[0]), kernel.ty(f.params[0]));
        let z_ty = kernel.atom_ty(&fold.args[0]);
        Some(Product { rows, outer, columns, f, nest, fold, row_ty, column_ty, z_ty, rounds })
    }

    /// The element function, all rows and all columns, after the statements that are the same for all rows.
    pub fn nested(&self, b: &mut FunctionBuilder<'_, 'k>, env: &Env<'k>) -> Result<Nested<'k>> {
        let rows = b.atom(&self.rows.args[0], env)?;
        let rows = b.array(&rows)?;
        let mut env = env.clone();
        for s in common(self.outer) {
            let value = b.eval_stmt(s, &mut env, None)?;
            env.bind(s.var, value);
        }
        let columns = b.atom(&self.columns.args[0], &env)?;
        let columns = b.array(&columns)?;
        let Product { f, outer, nest, fold, .. } = *self;
        Ok((Element { f, outer, env, nest, fold, rounds: self.rounds.clone() }, rows, columns))
    }
}
