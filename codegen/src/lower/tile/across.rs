//! Chooses which of two maps gets neighbouring work-items: the one whose neighbours access adjacent memory more often.

use super::operand::components;
use crate::core::{Level, Prim, PrimCall, Stmt};
use crate::lower::Result;
use crate::lower::function::Dims;
use crate::lower::host::Host;
use crate::lower::launch::dims_of;
use crate::lower::value::{ArrayDest, Dest, Env};
use crate::target::Class;

impl<'k> Host<'k> {
    /// Whether most accesses of two maps are adjacent for neighbouring elements of the outer one.
    pub fn neighbours_lie_across(
        &mut self,
        stmt: &'k Stmt,
        call: &'k PrimCall,
        env: &Env<'k>,
        dest: &Dest<'k>,
    ) -> Result<bool> {
        let kernel = self.program.kernel;
        let dims = dims_of(stmt);
        let two = dims == Dims { glb: [true, true, false], ..Dims::default() };
        if !two || call.prim != Prim::Map(Level::Glb(1)) || self.program.schedule.target.class != Class::Gpu {
            return Ok(false);
        }
        let rows = self.array_arg(stmt, &call.args[0], env)?;
        let mut votes = match dest {
            Dest::Array(to) if matches!(&**to, ArrayDest::Transposed(_)) => 1,
            _ => -1,
        };
        self.program.probe(&stmt.origin, |b| {
            for (rows, ty) in components(&rows, kernel.ty(call.funs[0].params[0])) {
                let strides = if ty.as_array().is_some() { b.strides(&rows) } else { None };
                votes += match strides.map(|s| (s.first.is_one(), s.second.is_one())) {
                    Some((_, true)) => -1,
                    Some((true, false)) => 1,
                    _ => 0,
                };
            }
            Ok(())
        })?;
        Ok(votes > 0)
    }
}
