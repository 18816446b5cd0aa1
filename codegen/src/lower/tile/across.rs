//! Chooses which of the two innermost maps gets neighbouring work-items: the one whose neighbours access adjacent
//! memory more often.

use super::access::strides;
use super::operand::components;
use crate::core::{Lambda, Level, Prim, PrimCall, Rhs, Stmt};
use crate::lower::Result;
use crate::lower::function::{Dims, FunctionBuilder};
use crate::lower::host::Host;
use crate::lower::launch::dims_of;
use crate::lower::value::{Array, ArrayDest, Dest, Env};
use crate::schedule::nest;
use crate::target::Class;
use lift_analysis::size::Size;
use lift_analysis::ty::Ty;

impl<'k> Host<'k> {
    /// Whether most accesses of the two innermost of two or three maps are adjacent for neighbouring elements of the
    /// outer one of them.
    pub fn neighbours_lie_across(
        &mut self,
        stmt: &'k Stmt,
        call: &'k PrimCall,
        env: &Env<'k>,
        dest: &Dest<'k>,
    ) -> Result<bool> {
        if self.program.target.class != Class::Gpu {
            return Ok(false);
        }
        let rows = self.array_arg(stmt, &call.args[0], env)?;
        let glb = dims_of(stmt);
        let only = |glb: [bool; 3]| Dims { glb, ..Dims::default() };
        let mut votes = 0;
        match call.prim {
            Prim::Map(Level::Glb(1)) if glb == only([true, true, false]) => {
                let turned = matches!(dest, Dest::Array(to) if matches!(&**to, ArrayDest::Transposed(_)));
                votes += if turned { 1 } else { -1 };
                self.program.probe(&stmt.origin, |b| {
                    votes += votes_of(b, &rows, &call.funs[0]);
                    Ok(())
                })?;
            }
            Prim::Map(Level::Glb(2)) if glb == only([true; 3]) => {
                let plane = &call.funs[0];
                let Some(at) = nest::returned(plane) else { return Ok(false) };
                let Rhs::Prim(next @ PrimCall { prim: Prim::Map(_), .. }) = &plane.body.stmts[at].rhs else {
                    return Ok(false);
                };
                let turns = |s: &&Stmt| matches!(&s.rhs, Rhs::Prim(view) if view.prim == Prim::Transpose);
                let turned = plane.body.stmts[at + 1..].iter().filter(turns).count() % 2 == 1;
                votes += if turned { 1 } else { -1 };
                self.program.probe(&stmt.origin, |b| {
                    let mut env = env.clone();
                    let first = b.read(&rows, &Size::zero())?;
                    env.enter(plane, &Size::zero(), first);
                    for s in &plane.body.stmts[..at] {
                        let value = b.eval_stmt(s, &mut env, None)?;
                        env.bind(s.var, value);
                    }
                    let rows = b.atom(&next.args[0], &env)?;
                    let rows = b.array(&rows)?;
                    votes += votes_of(b, &rows, &next.funs[0]);
                    Ok(())
                })?;
            }
            _ => return Ok(false),
        }
        Ok(votes > 0)
    }
}

/// How many more operands of a map over rows are adjacent along the rows' index than along the index in a row.
fn votes_of<'k>(b: &mut FunctionBuilder<'_, 'k>, rows: &Array<'k>, f: &Lambda) -> i32 {
    let ty = b.kernel().ty(f.params[0]);
    let of = |(rows, ty): (Array<'k>, Ty)| {
        let strides = if ty.as_array().is_some() { strides(b, &rows) } else { None };
        match strides.map(|s| (s.first.is_one(), s.second.is_one())) {
            Some((_, true)) => -1,
            Some((true, false)) => 1,
            _ => 0,
        }
    };
    components(rows, ty).into_iter().map(of).sum()
}
