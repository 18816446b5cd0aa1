//! Loops over arrays by a group (`iterate`, `iterateWhile`, folds whose accumulator is an array): one state is read,
//! the other is written, with a barrier between iterations.

use crate::core::{Atom, Level, PrimCall, Rhs, Stmt};
use crate::lower::Result;
use crate::lower::function::FunctionBuilder;
use crate::lower::value::{Array, Closure, Dest, Env, Place, Value};
use crate::opencl::{CType, Expr, StmtKind};
use crate::schedule::flat::is_flat;
use crate::schedule::place;
use lift_analysis::size::Size;
use lift_analysis::ty::Ty;

impl<'k> FunctionBuilder<'_, 'k> {
    /// Whether the work-items of a group share the iterations of a loop with this state.
    pub fn loops_together(&self, stmt: &Stmt, state: &Atom) -> bool {
        let shared = || place::stmt_levels(stmt).iter().any(|level| matches!(level, Level::Lcl(_)));
        !is_flat(&self.kernel().atom_ty(state)) && self.is_whole_group() && shared()
    }

    /// Memory for two states of a loop.
    fn two_states(&mut self, stmt: &'k Stmt, start: &Value<'k>, env: &Env<'k>) -> Result<Place> {
        self.runs_together();
        let Rhs::Prim(call) = &stmt.rhs else { return Err(self.error("iterate", "it is not a loop")) };
        let state = self.kernel().atom_ty(&call.args[0]).subst_sizes(&mut |v| {
            let size = Size::var(v.clone());
            let now = env.size(&size);
            (now != size).then_some(now)
        });
        let name = self.kernel().name_of(stmt.var).to_string();
        let both = self.allocate_for_group(&Ty::array(state, Size::int(2)), &name)?;
        let first = self.state(&both, &Size::zero())?;
        self.copy(start, &Dest::Place(first))?;
        self.fence(&both);
        Ok(both)
    }

    fn state(&mut self, both: &Place, which: &Size) -> Result<Place> {
        match self.dest_at(&Dest::Place(both.clone()), which)? {
            Dest::Place(place) => Ok(place),
            _ => Err(self.error("iterate", "the state of a loop is not in memory")),
        }
    }

    /// Computes one state from the other one.
    fn advance_together(
        &mut self,
        both: &Place,
        f: &Closure<'k>,
        (from, to): (&Size, &Size),
        element: Option<Value<'k>>,
    ) -> Result<()> {
        let (from, to) = (self.state(both, from)?, self.state(both, to)?);
        let args: Vec<Value<'k>> = [self.load(&from)?].into_iter().chain(element).collect();
        self.call_into(f, &args, &Dest::Place(to))?;
        self.fence(both);
        Ok(())
    }

    /// This many iterations, each with an element of `xs` if there is one. Every work-item of the group must execute
    /// it.
    pub fn rounds_in_group(
        &mut self,
        stmt: &'k Stmt,
        f: &Closure<'k>,
        (count, start, xs): (&Size, &Value<'k>, Option<&Array<'k>>),
    ) -> Result<Value<'k>> {
        let both = self.two_states(stmt, start, &f.env)?;
        let two = Size::int(2);
        self.sequential(count, |b, i| {
            let from = b.facts().simplify(&i.rem(&two));
            let to = b.facts().simplify(&Size::one().sub(&from));
            let element = xs.map(|xs| b.read(xs, i)).transpose()?;
            b.advance_together(&both, &f.at(i), (&from, &to), element)
        })?;
        let last = self.facts().simplify(&count.rem(&two));
        let last = self.state(&both, &last)?;
        self.load(&last)
    }

    /// Every work-item of the group must execute it, and finds the same value of the test.
    pub fn iterate_while_in_group(
        &mut self,
        stmt: &'k Stmt,
        call: &'k PrimCall,
        env: &Env<'k>,
        start: &Value<'k>,
    ) -> Result<Value<'k>> {
        let both = self.two_states(stmt, start, env)?;
        let test = Closure { lambda: &call.funs[0], env: env.clone() };
        let f = Closure { lambda: &call.funs[1], env: env.clone() };
        let half = Expr::Var(self.variable("half", CType::Int, Some(Expr::int(0))));
        let two = Size::int(2);
        let (body, ()) = self.scope(|b| {
            b.in_loop(|b| {
                let from = b.index_below("from", half.clone(), &two);
                let state = b.state(&both, &from)?;
                let value = b.load(&state)?;
                b.leave_unless(&test, std::slice::from_ref(&value))?;
                b.advance_together(&both, &f, (&from, &Size::one().sub(&from)), None)?;
                b.assign(half.clone(), Expr::int(1).sub(half.clone()));
                Ok(())
            })
        })?;
        self.emit(StmtKind::While { condition: Expr::Bool(true), body });
        let last = self.index_below("last", half, &two);
        let last = self.state(&both, &last)?;
        self.load(&last)
    }
}
