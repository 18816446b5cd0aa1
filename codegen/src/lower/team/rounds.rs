//! Loops over arrays by a group (`iterate`, `iterateWhile`, folds whose accumulator is an array): one state is read,
//! the other is written, with a barrier between iterations.

use crate::core;
use crate::core::{Atom, Level, PrimCall, Rhs};
use crate::lower::Result;
use crate::lower::device_filter::local_id;
use crate::lower::function::FunctionBuilder;
use crate::lower::stop::buffer::NAME;
use crate::lower::value::{Array, Closure, Dest, Env, Place, Value};
use crate::opencl::{BinaryOp, CType, Expr, Stmt, StmtKind, Storage};
use crate::schedule::flat::is_flat;
use crate::schedule::place;
use lift_analysis::size::Size;
use lift_analysis::ty::Ty;

impl<'k> FunctionBuilder<'_, 'k> {
    /// Whether the work-items of a group share the iterations of a loop with this state.
    pub fn loops_together(&self, stmt: &core::Stmt, state: &Atom) -> bool {
        let shared = || place::stmt_levels(stmt).iter().any(|level| matches!(level, Level::Lcl(_)));
        let whole = !is_flat(&self.kernel().atom_ty(state)) && self.is_whole_group();
        whole && (shared() || self.has_scan_together(stmt))
    }

    /// Whether the iterations of a loop have a scan of which each work-item of a team writes some states.
    fn has_scan_together(&self, stmt: &core::Stmt) -> bool {
        let blocks = stmt.rhs.blocks();
        blocks.iter().flat_map(|block| &block.stmts).any(|s| match &s.rhs {
            Rhs::Prim(call) => self.scans_together(call) || self.has_scan_together(s),
            _ => self.has_scan_together(s),
        })
    }
}

/// This many iterations, each with an element of `xs` if there is one. Every work-item of the group must execute
/// it.
pub fn rounds_in_group<'k>(
    b: &mut FunctionBuilder<'_, 'k>,
    stmt: &'k core::Stmt,
    f: &Closure<'k>,
    (count, start, xs): (&Size, &Value<'k>, Option<&Array<'k>>),
) -> Result<Value<'k>> {
    let both = two_states(b, stmt, start, &f.env)?;
    let two = Size::int(2);
    b.sequential(count, |b, i| {
        let from = b.facts().simplify(&i.rem(&two));
        let to = b.facts().simplify(&Size::one().sub(&from));
        let element = xs.map(|xs| b.read(xs, i)).transpose()?;
        advance_together(b, &both, &f.at(i), (&from, &to), element)
    })?;
    let last = b.facts().simplify(&count.rem(&two));
    let last = state_at(b, &both, &last)?;
    b.load(&last)
}

/// Every work-item of the group must execute it, and finds the same value of the test.
pub fn iterate_while_in_group<'k>(
    b: &mut FunctionBuilder<'_, 'k>,
    stmt: &'k core::Stmt,
    call: &'k PrimCall,
    env: &Env<'k>,
    start: &Value<'k>,
) -> Result<Value<'k>> {
    let both = two_states(b, stmt, start, env)?;
    let test = Closure { lambda: &call.funs[0], env: env.clone() };
    let f = Closure { lambda: &call.funs[1], env: env.clone() };
    let half = Expr::Var(b.variable("half", CType::Int, Some(Expr::int(0))));
    let two = Size::int(2);
    let (mut body, ()) = b.scope(|b| {
        b.in_loop(|b| {
            let from = b.index_below("from", half.clone(), &two);
            let state = state_at(b, &both, &from)?;
            let value = b.load(&state)?;
            b.leave_unless(&test, std::slice::from_ref(&value))?;
            advance_together(b, &both, &f, (&from, &Size::one().sub(&from)), None)?;
            b.assign(half.clone(), Expr::int(1).sub(half.clone()));
            Ok(())
        })
    })?;
    if body.iter().any(|s| s.kind.any_expr(&mut |e| is_failure(e))) {
        body.extend(leaving_after_failure(b)?);
    }
    b.emit(StmtKind::While { condition: Expr::Bool(true), body });
    let last = b.index_below("last", half, &two);
    let last = state_at(b, &both, &last)?;
    b.load(&last)
}

fn is_failure(e: &Expr) -> bool {
    matches!(e, Expr::Var(name) if &**name == NAME)
}

/// Ends the loop if a work-item has recorded a failure, because the state then has elements that were not computed, and
/// the test may hold for ever. One work-item reads the flag for its group, since other groups may set it meanwhile.
fn leaving_after_failure(f: &mut FunctionBuilder) -> Result<Vec<Stmt>> {
    let failed = Expr::Var(f.declare_array("failed", Storage::Local, CType::Int, 1)).index(Expr::int(0));
    let flag = f.failure_buffer().index(Expr::int(0));
    let (leave, ()) = f.scope(|f| {
        f.emit(StmtKind::Break);
        Ok(())
    })?;
    let (stmts, ()) = f.scope(|f| {
        f.barrier(true, true);
        f.provided(local_id().eq(Expr::int(0)), |f| {
            f.assign(failed.clone(), flag);
            Ok(())
        })?;
        f.barrier(true, false);
        f.emit_if(Expr::binary(BinaryOp::Ne, failed, Expr::int(0)), leave, Vec::new());
        Ok(())
    })?;
    Ok(stmts)
}

/// Memory for two states of a loop.
fn two_states<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    stmt: &'k core::Stmt,
    start: &Value<'k>,
    env: &Env<'k>,
) -> Result<Place> {
    f.runs_together();
    let Rhs::Prim(call) = &stmt.rhs else { return Err(f.error("iterate", "it is not a loop")) };
    let state = f.kernel().atom_ty(&call.args[0]).subst_sizes(&mut |v| {
        let size = Size::var(v.clone());
        let now = env.size(&size);
        (now != size).then_some(now)
    });
    let name = f.kernel().name_of(stmt.var).to_string();
    let both = f.allocate_for_group(&Ty::array(state, Size::int(2)), &name)?;
    let first = state_at(f, &both, &Size::zero())?;
    f.copy(start, &Dest::Place(first))?;
    f.fence(&both);
    Ok(both)
}

fn state_at(f: &mut FunctionBuilder, both: &Place, which: &Size) -> Result<Place> {
    match f.dest_at(&Dest::Place(both.clone()), which)? {
        Dest::Place(place) => Ok(place),
        _ => Err(f.error("iterate", "the state of a loop is not in memory")),
    }
}

/// Computes one state from the other one.
fn advance_together<'k>(
    b: &mut FunctionBuilder<'_, 'k>,
    both: &Place,
    f: &Closure<'k>,
    (from, to): (&Size, &Size),
    element: Option<Value<'k>>,
) -> Result<()> {
    let (from, to) = (state_at(b, both, from)?, state_at(b, both, to)?);
    let args: Vec<Value<'k>> = [b.load(&from)?].into_iter().chain(element).collect();
    let before = b.own().buffers_of_group();
    b.call_into(f, &args, &Dest::Place(to))?;
    match b.own().buffers_of_group() > before {
        // The next iteration writes global memory that this one reads.
        true => b.barrier(true, true),
        false => b.fence(both),
    }
    Ok(())
}
