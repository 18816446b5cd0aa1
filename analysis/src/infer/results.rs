//! Read access to the results so far of inferring a form, for messages.

use super::binders::Binders;
use super::found::Found;
use super::program::Program;
use super::result::*;
use super::table::Table;
use crate::hir::ExprId;
use crate::ty::Ty;

#[derive(Clone, Copy)]
pub struct Results<'i> {
    pub program: &'i Program<'i>,
    pub table: &'i Table,
    pub binders: &'i Binders,
    pub found: &'i Found,
}

impl Results<'_> {
    /// Whether the form has errors. Whatever it lacks may follow from them and is not reported.
    pub fn is_broken(&self) -> bool {
        self.found.has_errors() || self.program.is_broken()
    }

    /// The type under which an operand is used: the opened type, if it was opened.
    pub fn operand_type(&self, e: ExprId) -> Option<Ty> {
        let opened = self.found.so_far().opening_at(Site::Expr(e)).map(|o| o.to.clone());
        let ty = opened.or_else(|| self.found.ty(e).cloned())?;
        Some(self.table.zonk(&ty))
    }
}
