//! `reduceByKey` over the whole device, in two launches.
//!
//! In the first launch each group folds a part of the elements into its own table in local memory; in the second each
//! cell is folded over the tables of all parts. On a GPU a group keeps several interleaved copies of its table, so that
//! neighbouring work-items have no bank conflicts (Henriksen, Hellfritzsch, Sadayappan, Oancea, *Compiling generalized
//! histograms for GPU*, SC 2020). If OpenCL has an atomic operation for the operator, work-items share a copy.
//! Otherwise a copy is written by one work-item, or by one for each column of rows: no element waits for another, and
//! floats are combined in an order that depends only on the lengths and the device. If there are many keys, so that few
//! copies fit, few work-items share a table without copies ([`masked`](mod@masked)). On a CPU a group is one work-item.
//!
//! A table that does not fit is computed in turns: each part of the table ([`Table::turns`]) by different groups. If
//! there would be too many turns and an atomic operation exists, all work-items share one table in global memory
//! ([`shared`]).
//!
//! | module | job |
//! |---|---|
//! | `table` | the layout of the tables in local memory, and the distribution of elements |
//! | `cores` | tables in global memory, one for each core of a processor |
//! | `parts` | the first launch |
//! | `masked` | tables of many keys that few work-items share, without atomic operations |
//! | `result` | the second launch |
//! | `shared` | one table in global memory, updated by atomic operations |

mod cores;
mod masked;
mod parts;
mod result;
mod shared;
mod table;

use super::Result;
use super::device_filter::GRID;
use super::function::{Body, Dims, FunctionBuilder};
use super::host::Host;
use super::launch::Title;
use super::value::{Closure, Dest, Env, Layout, Place, Value};
use crate::core::{Level, PrimCall, Stmt};
use crate::opencl::{CType, Expr};
use crate::plan::BufferRole;
use crate::schedule::by_key::{atomic, ordered};
use crate::schedule::rules;
use crate::target::Class;
use lift_analysis::parameters::Parameter;
use lift_analysis::size::Size;
use lift_analysis::ty::Ty;
use masked::Masked;
pub use parts::Folded;
use std::rc::Rc;
pub use table::{ByKey, Table};

/// Work-items that together fold one cell over all tables.
const TEAM: u32 = 32;

impl<'k> Host<'k> {
    pub fn reduce_by_key(&mut self, stmt: &'k Stmt, call: &'k PrimCall, env: &Env<'k>, dest: &Dest<'k>) -> Result<()> {
        let kernel = self.program.kernel;
        let ty = kernel.ty(stmt.var).as_array().map(|a| a.element.clone());
        let columns = ty.as_ref().and_then(Ty::as_array).map(|row| env.size(&row.len));
        let value = kernel.atom_ty(&call.args[0]).clone();
        let target = self.program.target;
        let by = ByKey {
            f: Closure { lambda: &call.funs[0], env: env.clone() },
            z: self.atom(&call.args[0], env),
            keys: self.array_arg(stmt, &call.args[1], env)?,
            xs: self.array_arg(stmt, &call.args[2], env)?,
            atomic: atomic(&call.funs[0], &value).filter(|_| target.class != Class::Cpu),
            ordered: ordered(&call.funs[0], &value),
            ty: value,
            buckets: env.size(&call.sizes[0]),
            columns,
        };
        let most = self.most(stmt, &by.keys.len)?;
        let table = Table::of(&target, &by, &most);
        let turns = table.turns.0.mul(&table.turns.1);
        let most_turns = self.program.parameter(Parameter::KeyTurns);
        if target.class == Class::Cpu && turns.as_const() != Some(1) {
            return self.by_key_on_cores(stmt, &by, &most, dest);
        }
        let shares = by.atomic.is_none() && by.columns.is_none() && target.class == Class::Gpu;
        if shares && target.most_in_group >= masked::LEAST_GROUP {
            let masked = Masked::of(&target, &by, &most);
            return match by.ordered {
                None => self.by_key_in_tables(stmt, &by, (&table, &masked), dest, None),
                Some(_) => self.by_key_ordered(stmt, &by, (&table, &masked), dest),
            };
        }
        if by.atomic.is_none() || turns.as_const().is_some_and(|n| n <= most_turns) {
            return self.by_key_in_parts(stmt, &by, &table, dest, None);
        }
        // The next launch may be skipped, so pending writes must not become part of it.
        let waiting = std::mem::take(&mut self.lengths);
        let first = self.program.steps.len();
        self.by_key_in_parts(stmt, &by, &table, dest, None)?;
        self.only_if(first, &Size::int(most_turns + 1).sub(&turns));
        let first = self.program.steps.len();
        let many = turns.sub(&Size::int(most_turns));
        self.by_key_shared(stmt, &by, &many, dest)?;
        self.only_if(first, &many);
        self.lengths = waiting;
        Ok(())
    }

    /// Tables in local memory, or one in global memory if they would take too many turns.
    fn by_key_ordered(
        &mut self,
        stmt: &'k Stmt,
        by: &ByKey<'k>,
        tables: (&Table, &Masked),
        dest: &Dest<'k>,
    ) -> Result<()> {
        let most = Size::int(self.program.parameter(Parameter::KeyTurns));
        let fits = most.add(&Size::one()).sub(tables.1.turns());
        match fits.as_const() {
            Some(1..) => self.by_key_in_tables(stmt, by, tables, dest, None),
            Some(_) => self.by_key_shared(stmt, by, &Size::one(), dest),
            None => {
                let many = tables.1.turns().sub(&most);
                // The next launch may be skipped, so pending writes must not become part of it.
                let waiting = std::mem::take(&mut self.lengths);
                self.by_key_in_tables(stmt, by, tables, dest, Some(&fits))?;
                let first = self.program.steps.len();
                self.by_key_shared(stmt, by, &many, dest)?;
                self.only_if(first, &many);
                self.lengths = waiting;
                Ok(())
            }
        }
    }

    /// Tables with copies for few keys, and shared ones for many; only if `fits` is positive.
    fn by_key_in_tables(
        &mut self,
        stmt: &'k Stmt,
        by: &ByKey<'k>,
        (table, masked): (&Table, &Masked),
        dest: &Dest<'k>,
        fits: Option<&Size>,
    ) -> Result<()> {
        let least = Size::nat(self.program.parameter(Parameter::KeyMasked) as u64);
        let few = least.sub(&by.buckets);
        let many = by.buckets.sub(&least).add(&Size::one());
        match few.as_const() {
            Some(1..) => return self.by_key_in_parts(stmt, by, table, dest, None),
            Some(_) => return self.by_key_masked(stmt, by, masked, dest, None),
            None => {}
        }
        // Few keys fit.
        let many = fits.map_or(many.clone(), |fits| Size::min(&many, fits));
        // The next launch may be skipped, so pending writes must not become part of it.
        let waiting = std::mem::take(&mut self.lengths);
        let first = self.program.steps.len();
        self.by_key_in_parts(stmt, by, table, dest, Some(&few))?;
        self.only_if(first, &few);
        let first = self.program.steps.len();
        self.by_key_masked(stmt, by, masked, dest, Some(&many))?;
        self.only_if(first, &many);
        self.lengths = waiting;
        Ok(())
    }

    /// Global memory for so many cells of tables; none unless `wanted` is positive.
    fn tables(&mut self, stmt: &Stmt, by: &ByKey<'k>, cells: &Size, wanted: Option<&Size>) -> Result<Rc<Layout>> {
        let cells = &wanted.map_or(cells.clone(), |n| Size::if_le(&Size::one(), n, cells, &Size::zero()));
        let name = format!("{}_parts", self.program.kernel.name_of(stmt.var));
        let none = &mut std::iter::empty();
        self.program.layout(&by.ty, none, &name, BufferRole::Temporary, cells, &stmt.origin)
    }

    /// The version with tables in local memory.
    fn by_key_in_parts(
        &mut self,
        stmt: &'k Stmt,
        by: &ByKey<'k>,
        table: &Table,
        dest: &Dest<'k>,
        wanted: Option<&Size>,
    ) -> Result<()> {
        let target = self.program.target;
        let name = self.program.kernel.name_of(stmt.var).to_string();
        self.program.applied(&rules::BY_KEY_PARTS, &stmt.origin);
        // The values of one cell are adjacent.
        let all = by.cells().mul(&table.parts);
        let parts = self.tables(stmt, by, &all, wanted)?;
        let title = |label| Title { name: &name, label, origin: &stmt.origin };
        let local = [Some(table.group), Some(1), Some(1)];
        self.launch(&title("reduce by key: parts"), GRID, local, |f| by.fold_parts(f, table, &parts))?;
        if target.class == Class::Cpu {
            let along = Dims { glb: [true, false, false], wrg: [false; 3], lcl: [false; 3] };
            return self.launch(&title("reduce by key: result"), along, [None; 3], |f| {
                let (count, cells) = (f.host_size(&table.parts, "parts")?, f.host_size(&by.cells(), "cells")?);
                f.for_level(Level::Glb(0), &cells, |f, cell| {
                    let cell = f.size(cell)?;
                    let acc = by.folded_of(f, &parts, &count, &cell, (Expr::int(0), 1))?;
                    by.store_cell(f, &cell, &acc, dest)
                })
            });
        }
        let team = 1 << table.group.min(TEAM).ilog2();
        let teams = table.group / team;
        let local = [Some(team * teams), Some(1), Some(1)];
        self.launch(&title("reduce by key: result"), GRID, local, |f| {
            by.fold_tables(f, table, (team, teams), &parts, dest)
        })
    }
}

impl<'k> ByKey<'k> {
    /// Folds a value into a cell. The components of a tuple are read before any of them is written.
    fn fold_into(&self, f: &mut FunctionBuilder<'_, 'k>, cell: &Place, x: &Value<'k>) -> Result<()> {
        let mut old = f.load(cell)?;
        if let Layout::Tuple(_) = &*cell.layout {
            old = f.named_scalar(&old, "old")?;
        }
        let next = f.call(&self.f, &[old, x.clone()])?;
        f.copy(&next, &Dest::Place(cell.clone()))
    }
}

impl Body {
    fn named(&mut self, name: &str, value: Expr) -> Expr {
        self.bind(name, CType::Int, value)
    }
}

impl FunctionBuilder<'_, '_> {
    /// A number computed by the host, as an expression.
    fn sized(&mut self, size: &Size, name: &str) -> Result<Expr> {
        let size = self.host_size(size, name)?;
        self.size(&size)
    }
}
