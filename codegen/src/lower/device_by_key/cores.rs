//! `reduceByKey` on a processor, where tables do not fit local memory: each work-item folds a part of the elements into a
//! table of its own in global memory, and then each cell is folded over the tables of all parts.

use super::super::Result;
use super::super::function::{Dims, FunctionBuilder};
use super::super::host::Host;
use super::super::launch::Title;
use super::super::value::{Dest, Layout, Place};
use super::table::{ByKey, at_least_one, rounded_up};
use crate::core::{Level, Stmt};
use crate::opencl::{CType, Expr, Step};
use crate::schedule::rules;
use lift_analysis::parameters::Parameter;
use lift_analysis::size::Size;
use std::rc::Rc;

/// Maximum cells of all tables together.
const MOST_CELLS: i64 = 1 << 30;

/// The tables of all parts, one after the other.
struct Tables<'a, 'k> {
    by: &'a ByKey<'k>,
    memory: Rc<Layout>,
    parts: Size,
}

impl<'k> Host<'k> {
    /// Folds at most `most` elements.
    pub(super) fn by_key_on_cores(
        &mut self,
        stmt: &'k Stmt,
        by: &ByKey<'k>,
        most: &Size,
        dest: &Dest<'k>,
    ) -> Result<()> {
        self.program.applied(&rules::BY_KEY_PARTS, &stmt.origin);
        let name = self.program.kernel.name_of(stmt.var).to_string();
        let cells = by.cells();
        // Folding the tables takes no longer than folding the elements.
        let useful = rounded_up(&most.mul(&by.width()), &Size::nat(self.program.target.get(Parameter::KeyPart).into()));
        let tables = most.add(most).div_floor(&at_least_one(&by.buckets));
        let fit = Size::int(MOST_CELLS).div_floor(&at_least_one(&cells));
        let cores = Size::nat(self.program.target.compute_units.into());
        let parts = [useful, tables, fit].iter().fold(cores, |least, size| Size::min(&least, size));
        let parts = at_least_one(&parts);
        let memory = self.tables(stmt, by, &cells.mul(&parts), None)?;
        let tables = Tables { by, memory, parts };
        let along = Dims { glb: [true, false, false], wrg: [false; 3], lcl: [false; 3] };
        let title = |label| Title { name: &name, label, origin: &stmt.origin };
        self.launch(&title("reduce by key: parts"), along, [None; 3], |f| tables.fold_parts(f))?;
        self.launch(&title("reduce by key: result"), along, [None; 3], |f| tables.fold_cells(f, dest))
    }
}

impl<'k> Tables<'_, 'k> {
    fn fold_parts(&self, f: &mut FunctionBuilder<'_, 'k>) -> Result<()> {
        let (by, n) = (self.by, self.by.keys.len.clone());
        let each = rounded_up(&n, &self.parts);
        let (each, cells, parts) =
            (f.host_size(&each, "in_part")?, f.host_size(&by.cells(), "cells")?, f.host_size(&self.parts, "parts")?);
        let buckets = f.sized(&by.buckets, "buckets")?;
        let width = by.columns.as_ref().map(|n| f.host_size(n, "columns")).transpose()?;
        let z = f.force(&by.z)?;
        f.for_level(Level::Glb(0), &parts, |f, part| {
            let table = part.mul(&cells);
            f.for_each("cell", &cells, |f, cell| f.copy(&z, &Dest::Place(self.cell(&table.add(cell)))))?;
            let (part, length, all) = (f.size(part)?.cast(CType::Long), f.size(&each)?, f.size(&n)?);
            let begin = part.mul(length.clone());
            let bounded = |e: Expr| Expr::call("min", [e, all.clone().cast(CType::Long)]).cast(CType::Int);
            let end = f.named("end", bounded(begin.clone().add(length.cast(CType::Long))));
            let end = f.index_var("end", end);
            f.known_mut().assume_range(end.clone(), Some(Size::zero()), Some(n.clone()));
            let begin = f.named("begin", bounded(begin));
            f.for_range("i", begin, &Size::var(end), Step::Increment, |f, i| {
                f.known_mut().assume_le(i.add(&Size::one()), n.clone());
                let key = f.read(&by.keys, i)?;
                let key = f.scalar_of(&key)?;
                let key = f.scalar(&key)?;
                let key = f.named("key", key);
                let there = key.clone().ge(Expr::int(0)).and(key.clone().lt(buckets.clone()));
                f.provided(there, |f| {
                    let key = f.index_below("bucket", key, &by.buckets);
                    let x = f.read(&by.xs, i)?;
                    let Some(width) = &width else { return by.fold_into(f, &self.cell(&table.add(&key)), &x) };
                    let row = f.array(&x)?;
                    let first = table.add(&key.mul(width));
                    f.for_each("j", width, |f, j| {
                        let x = f.read(&row, j)?;
                        by.fold_into(f, &self.cell(&first.add(j)), &x)
                    })
                })
            })
        })?;
        f.grid_mut().ask_for_items(self.parts.clone());
        Ok(())
    }

    fn fold_cells(&self, f: &mut FunctionBuilder<'_, 'k>, dest: &Dest<'k>) -> Result<()> {
        let (cells, parts) = (f.host_size(&self.by.cells(), "cells")?, f.host_size(&self.parts, "parts")?);
        f.for_level(Level::Glb(0), &cells, |f, cell| {
            let first = f.load(&self.cell(cell))?;
            let Some(acc) = f.registers_with(&first, "acc")? else {
                return Err(f.error("reduceByKey", "the folded value is not a scalar"));
            };
            f.for_range("p", Expr::int(1), &parts, Step::Increment, |f, p| {
                let x = f.load(&self.cell(&p.mul(&cells).add(cell)))?;
                let next = f.call(&self.by.f, &[acc.clone(), x])?;
                f.assign_registers(&acc, &next)
            })?;
            let at = f.size(cell)?;
            self.by.store_cell(f, &at, &acc, dest)
        })
    }

    fn cell(&self, at: &Size) -> Place {
        Place { layout: self.memory.clone(), at: at.clone() }
    }
}
