//! `map f` over rows that f reads repeatedly: there are versions for common short lengths, in which each row is read
//! into registers once and all loops over it are unrolled.

use super::super::Result;
use super::super::function::{Dims, FunctionBuilder};
use super::super::host::Host;
use super::super::launch::Title;
use super::super::value::{Array, Closure, Dest, Env};
use super::access::strides;
use super::loads::Loads;
use crate::core::{Level, PrimCall, Stmt};
use crate::opencl::Expr;
use crate::schedule::rules;
use lift_analysis::size::Size;

/// Row lengths with their own version.
const LENGTHS: [i64; 5] = [2, 3, 4, 8, 16];

impl<'k> Host<'k> {
    pub(super) fn short_rows(
        &mut self,
        stmt: &'k Stmt,
        call: &'k PrimCall,
        env: &Env<'k>,
        dest: &Dest<'k>,
        length: &Size,
    ) -> Result<bool> {
        let rows = self.array_arg(stmt, &call.args[0], env)?;
        let mut stored = false;
        self.program.probe(&stmt.origin, |b| {
            stored = strides(b, &rows).is_some_and(|s| s.second.is_one());
            Ok(())
        })?;
        if !stored {
            return Ok(false);
        }
        self.program.applied(&rules::SHORT_ROWS, &stmt.origin);
        let name = self.program.kernel.name_of(stmt.var);
        let title = Title { name, label: "map: short rows in registers", origin: &stmt.origin };
        let used = Dims { glb: [true, false, false], ..Dims::default() };
        let f = Closure { lambda: &call.funs[0], env: env.clone() };
        self.launch(&title, used, [None; 3], |b| by_row_length(b, &f, &rows, length, dest))?;
        Ok(true)
    }
}

fn by_row_length<'k>(
    b: &mut FunctionBuilder<'_, 'k>,
    f: &Closure<'k>,
    rows: &Array<'k>,
    length: &Size,
    dest: &Dest<'k>,
) -> Result<()> {
    let any = |b: &mut FunctionBuilder<'_, 'k>| {
        b.for_level(Level::Glb(0), &rows.len.clone(), |b, i| b.map_at(f, rows, dest, i))
    };
    let (mut otherwise, ()) = b.scope(any)?;
    let length_expr = b.size(length)?;
    for n in LENGTHS {
        let (version, ()) = b.scope(|b| {
            b.known_mut().assume_eq(length.clone(), Size::int(n));
            with_rows_of(b, f, rows, n, dest)
        })?;
        let (choice, ()) = b.scope(|b| {
            b.emit_if(length_expr.clone().eq(Expr::int(n)), version, otherwise);
            Ok(())
        })?;
        otherwise = choice;
    }
    b.emit_all(otherwise);
    Ok(())
}

fn with_rows_of<'k>(
    b: &mut FunctionBuilder<'_, 'k>,
    f: &Closure<'k>,
    rows: &Array<'k>,
    n: i64,
    dest: &Dest<'k>,
) -> Result<()> {
    b.keeping_loads(None, |b| {
        b.for_level(Level::Glb(0), &rows.len.clone(), |b, i| {
            b.known_mut().keep_loads(Some(Loads { in_fours: true, ..Loads::default() }));
            b.writing_out(n, |b| {
                let row = b.read(rows, i)?;
                let row = b.array(&row)?;
                for j in 0..n {
                    b.read(&row, &Size::int(j))?;
                }
                b.map_at(f, rows, dest, i)
            })
        })
    })
}
