//! `for` loops of a function under construction.

use super::super::Result;
use super::FunctionBuilder;
use super::knowledge::Outside;
use crate::opencl::{CType, Expr, Step, StmtKind};
use lift_analysis::hir::Name;
use lift_analysis::size::{Size, VarKind};

/// A `for` loop up to its body.
struct Head {
    name: Name,
    index: Size,
    from: Expr,
    bound: Expr,
    step: Step,
    below: Option<Size>,
    outside: Outside,
}

impl FunctionBuilder<'_, '_> {
    /// `for (int name = from; name < to; name += step)`; `body` gets the index as a size.
    pub fn for_range(
        &mut self,
        wish: &str,
        from: Expr,
        to: &Size,
        step: Step,
        body: impl FnOnce(&mut Self, &Size) -> Result<()>,
    ) -> Result<()> {
        let head = self.open_range(wish, from, to, step)?;
        let result = body(self, &head.index);
        self.close_range(head);
        result
    }
    fn open_range(&mut self, wish: &str, from: Expr, to: &Size, step: Step) -> Result<Head> {
        let name = self.fresh_name(wish);
        let var = self.index_var(wish, Expr::Var(name.clone()));
        let bound = self.length(to)?;
        let is_known = !to.any_var(&mut |v| v.kind != VarKind::Param);
        let below = if is_known { None } else { self.upper(to) };
        self.position.enter_loop();
        let outside = self.open_scope();
        self.known.assume_index(&var, to);
        Ok(Head { name, index: Size::var(var), from, bound, step, below, outside })
    }
    fn close_range(&mut self, head: Head) {
        let Head { name: var, from, bound, step, below, outside, .. } = head;
        let body = self.close_scope(outside);
        self.position.leave_loop();
        if body.is_empty() {
            return;
        }
        let condition = Expr::Var(var.clone()).lt(bound);
        self.emit(StmtKind::For { ty: CType::Int, var, from, condition, step, below, body });
    }

    /// A sequential loop over `0 <= i < n`; unrolled if `n` is at most `write_out`.
    pub fn for_each(
        &mut self,
        wish: &str,
        n: &Size,
        mut body: impl FnMut(&mut Self, &Size) -> Result<()>,
    ) -> Result<()> {
        let most = self.position.write_out();
        match if most > 1 { self.facts().simplify(n).as_const() } else { n.as_const() } {
            Some(..=0) => Ok(()),
            Some(n) if n <= most => (0..n).try_for_each(|i| body(self, &Size::int(i))),
            _ => self.for_range(wish, Expr::int(0), n, Step::Increment, body),
        }
    }
}
