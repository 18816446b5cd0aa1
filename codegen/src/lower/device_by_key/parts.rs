//! The first launch: each group folds a part of the elements into its table, then the copies of the table into one.

use super::super::Result;
use super::super::device_filter::{local_id, rounded_up};
use super::super::function::FunctionBuilder;
use super::super::value::{Dest, Layout};
use super::table::{ByKey, IN_FLIGHT, Table};
use crate::core::Level;
use crate::failure::LONGEST;
use crate::opencl::{CType, Expr, Step, StmtKind, Storage};
use lift_analysis::size::Size;
use std::rc::Rc;
use std::sync::Arc;

/// The destination of a group's table.
#[derive(Clone, Copy)]
pub enum Folded<'a, 'k> {
    /// The tables of all parts.
    Part(&'a Rc<Layout>, &'a Expr),
    /// The result, which is the only table.
    Result(&'a Dest<'k>),
}

/// The work of a group at a time: the table, or some of its buckets and columns, for a part of the elements.
pub struct Task<'a, 'k> {
    by: &'a ByKey<'k>,
    table: &'a Table,
    memory: Rc<Layout>,
    /// The first bucket, and the number of buckets.
    first: Expr,
    buckets: Expr,
    /// The first column, and the number of columns.
    first_column: Size,
    columns: Size,
    /// Elements of a bucket in all copies, and in one copy.
    lanes: Expr,
    in_copy: Expr,
}

impl<'k> ByKey<'k> {
    /// Computes the table for each part of the elements and each turn.
    pub fn fold_parts(&self, f: &mut FunctionBuilder<'_, 'k>, table: &Table, parts: &Rc<Layout>) -> Result<()> {
        let Some(memory) = f.element_arrays(&self.ty, "table", Storage::Local, table.room) else {
            return Err(f.error("reduceByKey", "the folded value is not a scalar"));
        };
        let n = self.keys.len.clone();
        let n_expr = f.size(&n)?;
        let count = f.sized(&table.parts, "parts")?;
        let lanes = f.sized(&table.lanes(), "lanes")?;
        let in_copy = match self.columns {
            None => Expr::int(1),
            Some(_) => f.sized(&table.columns, "columns_of_table")?,
        };
        // All parts except the last are multiples of a full step, because the elements of an incomplete step wait for
        // memory one by one.
        let round = Size::int(IN_FLIGHT).mul(&table.at_once(self));
        let round = f.sized(&round, "round")?;
        let even = f.named("even", rounded_up(n_expr.clone(), count));
        let rounds = rounded_up(even, round.clone()).cast(CType::Long).mul(round);
        let length = Expr::call("min", [rounds, n_expr.clone().cast(CType::Long)]).cast(CType::Int);
        let length = f.named("in_part", length);
        let tasks = f.host_size(&table.tasks(), "tasks")?;
        f.for_level(Level::Wrg(0), &tasks, |f, task| {
            let task = f.size(task)?;
            let all_turns = f.sized(&table.turns.0.mul(&table.turns.1), "turns")?;
            // Neighbouring groups read the same elements.
            let turn = f.named("turn", task.clone().rem(all_turns.clone()));
            let part = f.named("part", task.div(all_turns));
            let n_long = n_expr.clone().cast(CType::Long);
            let begin = Expr::call("min", [part.clone().cast(CType::Long).mul(length.clone()), n_long]);
            let begin = f.named("begin", begin.cast(CType::Int));
            let left = n_expr.clone().sub(begin.clone());
            let end = f.named("end", begin.clone().add(Expr::call("min", [length.clone(), left])));
            let end = f.index_var("end", end);
            f.known_mut().assume_range(end.clone(), Some(Size::zero()), Some(n.clone()));
            let task = self.task(f, table, (memory.clone(), lanes, in_copy), turn)?;
            f.by_items(|f| task.fold_part(f, &begin, &Size::var(end), Folded::Part(parts, &part)))
        })?;
        f.grid_mut().ask_for_groups(table.tasks());
        Ok(())
    }

    pub fn task<'a>(
        &'a self,
        f: &mut FunctionBuilder<'_, 'k>,
        table: &'a Table,
        (memory, lanes, in_copy): (Rc<Layout>, Expr, Expr),
        turn: Expr,
    ) -> Result<Task<'a, 'k>> {
        let (along, across) = match self.columns {
            None => (turn, Expr::int(0)),
            Some(_) => {
                let turns = f.sized(&table.turns.1, "turns_of_columns")?;
                (turn.clone().div(turns.clone()), turn.rem(turns))
            }
        };
        let (here, all) = (f.sized(&table.buckets, "most_buckets")?, f.sized(&self.buckets, "buckets")?);
        let first = f.named("first", along.mul(here.clone()));
        let buckets = f.named("here", Expr::call("min", [here, all.sub(first.clone())]));
        let (first_column, columns) = match &self.columns {
            None => (Size::zero(), Size::one()),
            Some(all) => {
                let first = f.named("first_column", across.mul(in_copy.clone()));
                let left = f.sized(all, "columns")?.sub(first.clone());
                let number = f.named("columns_here", Expr::call("min", [in_copy.clone(), left]));
                let (first, number) = (f.index_var("first_column", first), f.index_var("columns_here", number));
                f.known_mut().assume_index(&first, all);
                let most = all.sub(&Size::var(first.clone()));
                f.known_mut().assume_range(number.clone(), Some(Size::zero()), Some(most));
                (Size::var(first), Size::var(number))
            }
        };
        Ok(Task { by: self, table, memory, first, buckets, first_column, columns, lanes, in_copy })
    }
}

impl<'k> Task<'_, 'k> {
    /// Folds the elements of a part, those from `begin` to `end`.
    pub fn fold_part(
        &self,
        f: &mut FunctionBuilder<'_, 'k>,
        begin: &Expr,
        end: &Size,
        to: Folded<'_, 'k>,
    ) -> Result<()> {
        let table = self.table;
        let in_table = f.host_size(&table.buckets.mul(&table.lanes()), "in_table")?;
        let z = f.force(&self.by.z)?;
        f.for_group(table.group, &in_table, |f, at| {
            let at = f.size(at)?;
            let to = f.slot_at(&self.memory, at);
            f.copy(&z, &Dest::Place(to))
        })?;
        f.barrier(true, false);
        // The copy and the columns of a work-item, and the number of different elements processed at a time.
        let (slot, column) = match &self.by.columns {
            None => (local_id().cast(CType::Int), Expr::int(0)),
            Some(_) => {
                let team = f.sized(&table.team, "team")?;
                (local_id().cast(CType::Int).div(team.clone()), local_id().cast(CType::Int).rem(team))
            }
        };
        let (slot, column) = (f.named("slot", slot), if column.is_atom() { column } else { f.named("column", column) });
        let copies = f.sized(&table.copies, "copies")?;
        let at_once = f.host_size(&table.at_once(self.by), "at_once")?;
        f.known_mut().assume_le(Size::one(), at_once.clone());
        let copy = match self.by.atomic {
            Some(_) => f.named("copy", slot.clone().rem(copies)),
            None => slot.clone(),
        };
        let lane = f.named("lane", copy.mul(self.in_copy.clone()));
        let all_work = at_once.as_const() == Some(i64::from(table.group));
        let working = slot.clone().lt(f.size(&at_once)?);
        let (stmts, ()) =
            f.scope(|f| self.fold_elements(f, (begin.clone().add(slot), end, &at_once), (&lane, &column)))?;
        match all_work {
            true => f.emit_all(stmts),
            false => f.emit_if(working, stmts, Vec::new()),
        }
        f.barrier(true, false);
        self.fold_copies(f, to)?;
        f.barrier(true, false);
        Ok(())
    }
}

impl<'k> Task<'_, 'k> {
    /// Folds every `step`-th element of a part into a copy of the table.
    fn fold_elements(
        &self,
        f: &mut FunctionBuilder<'_, 'k>,
        (from, end, step): (Expr, &Size, &Size),
        at: (&Expr, &Expr),
    ) -> Result<()> {
        let n = &self.by.keys.len;
        // So that an index a few steps on is known to fit an `int`.
        let length = f.size(n)?;
        let most = (!f.overflows(n, &length)).then(|| Size::int(LONGEST.into()));
        let position = Expr::Var(f.variable("i", CType::Int, Some(from)));
        let i = f.index_var("i", position.clone());
        let (end_expr, step_expr) = (f.size(end)?, f.size(step)?);
        let last = step.mul(&Size::int(IN_FLIGHT - 1));
        let (body, ()) = f.scope(|f| {
            f.known_mut().assume_range(i.clone(), Some(Size::zero()), most);
            let i = Size::var(i.clone());
            f.known_mut().assume_le(i.add(&last).add(&Size::one()), n.clone());
            let all: Vec<Size> = (0..IN_FLIGHT).map(|k| i.add(&step.mul(&Size::int(k)))).collect();
            self.fold_some(f, &all, at)?;
            f.assign(position.clone(), position.clone().add(step_expr.clone().mul(Expr::int(IN_FLIGHT))));
            Ok(())
        })?;
        let reached = position.clone().add(step_expr.clone().mul(Expr::int(IN_FLIGHT - 1)));
        f.emit(StmtKind::While { condition: reached.lt(end_expr.clone()), body });
        let (body, ()) = f.scope(|f| {
            f.known_mut().assume_index(&i, n);
            self.fold_some(f, &[Size::var(i.clone())], at)?;
            f.assign(position.clone(), position.clone().add(step_expr.clone()));
            Ok(())
        })?;
        f.emit(StmtKind::While { condition: position.lt(end_expr), body });
        Ok(())
    }

    /// Folds these elements into the table, with all loads in flight at once.
    fn fold_some(&self, f: &mut FunctionBuilder<'_, 'k>, all: &[Size], (lane, column): (&Expr, &Expr)) -> Result<()> {
        let mut keys = Vec::new();
        for i in all {
            let key = f.read(&self.by.keys, i)?;
            let key = f.scalar_of(&key)?;
            let key = f.scalar(&key)?;
            keys.push(f.named("key", key));
        }
        if self.by.columns.is_none() {
            return self.fold_column(f, all, &keys, lane, None);
        }
        let team = f.sized(&self.table.team, "team")?;
        f.for_range("j", column.clone(), &self.columns, Step::Add(team), |f, j| {
            let at = lane.clone().add(f.size(j)?);
            self.fold_column(f, all, &keys, &at, Some(j))
        })
    }

    fn fold_column(
        &self,
        f: &mut FunctionBuilder<'_, 'k>,
        all: &[Size],
        keys: &[Expr],
        lane: &Expr,
        column: Option<&Size>,
    ) -> Result<()> {
        let behind = self.first.clone().add(self.buckets.clone());
        let here = |key: &Expr| key.clone().ge(self.first.clone()).and(key.clone().lt(behind.clone()));
        let mut elements = Vec::new();
        for (i, key) in all.iter().zip(keys) {
            let mut x = f.read(&self.by.xs, i)?;
            if let Some(column) = column {
                let row = f.array(&x)?;
                x = f.read(&row, &self.first_column.add(column))?;
                // Each turn reads the rows of its own keys alone.
                let z = f.force(&self.by.z)?;
                x = f.select(&here(key), &x, &z)?;
            }
            elements.push(f.named_scalar(&x, "x")?);
        }
        for (key, x) in keys.iter().zip(&elements) {
            f.provided(here(key), |f| {
                let at = key.clone().sub(self.first.clone()).mul(self.lanes.clone()).add(lane.clone());
                let at = f.named("at", at);
                let cell = f.slot_at(&self.memory, at);
                match (self.by.atomic, &*cell.layout) {
                    (Some(atomic), Layout::Scalar(memory)) => {
                        let cell = f.memory(memory, &cell.at, true)?;
                        let x = f.scalar_of(x)?;
                        let x = f.scalar(&x)?;
                        f.emit(StmtKind::Expr(Expr::call(atomic.name(), [Expr::AddressOf(Arc::new(cell)), x])));
                        Ok(())
                    }
                    _ => self.by.fold_into(f, &cell, x),
                }
            })?;
        }
        Ok(())
    }

    /// Combines the copies of each cell of the table and writes them.
    fn fold_copies(&self, f: &mut FunctionBuilder<'_, 'k>, to: Folded<'_, 'k>) -> Result<()> {
        let (by, table) = (self.by, self.table);
        let cells = f.host_size(&table.buckets.mul(&table.columns), "cells_of_table")?;
        f.for_group(table.group, &cells, |f, cell| {
            let cell = f.size(cell)?;
            let columns = f.size(&self.columns)?;
            let (bucket, column) = match by.columns {
                None => (cell, Expr::int(0)),
                Some(_) => {
                    let bucket = f.named("bucket", cell.clone().div(self.in_copy.clone()));
                    (bucket, f.named("column", cell.rem(self.in_copy.clone())))
                }
            };
            let mut there = bucket.clone().lt(self.buckets.clone());
            if by.columns.is_some() {
                there = there.and(column.clone().lt(columns));
            }
            f.provided(there, |f| {
                let start = f.named("start", bucket.clone().mul(self.lanes.clone()).add(column.clone()));
                // Neighbours start with different copies, which are in different banks.
                let copies = f.host_size(&table.copies, "copies")?;
                let copies_expr = f.size(&copies)?;
                let turn = f.named("first_copy", bucket.clone().rem(copies_expr.clone()));
                let first = f.slot_at(&self.memory, start.clone().add(turn.clone().mul(self.in_copy.clone())));
                let first = f.load(&first)?;
                let Some(acc) = f.registers_with(&first, "acc")? else {
                    return Err(f.error("reduceByKey", "the folded value is not a scalar"));
                };
                f.for_range("c", Expr::int(1), &copies, Step::Increment, |f, c| {
                    let c = f.size(c)?;
                    let c = f.named("turned", turn.clone().add(c));
                    let c = c.clone().lt(copies_expr.clone()).select(c.clone(), c.sub(copies_expr.clone()));
                    let x = f.slot_at(&self.memory, start.clone().add(c.mul(self.in_copy.clone())));
                    let x = f.load(&x)?;
                    let next = f.call(&by.f, &[acc.clone(), x])?;
                    f.assign_registers(&acc, &next)
                })?;
                let mut at = self.first.clone().add(bucket);
                if let Some(all) = &by.columns {
                    let first = f.size(&self.first_column)?;
                    at = at.mul(f.sized(all, "columns")?).add(first.add(column));
                }
                let (parts, part) = match to {
                    Folded::Result(dest) => return by.store_cell(f, &at, &acc, dest),
                    Folded::Part(parts, part) => (parts, part),
                };
                let count = f.sized(&table.parts, "parts")?;
                let to = f.slot_at(parts, at.mul(count).add(part.clone()));
                f.copy(&acc, &Dest::Place(to))
            })
        })
    }
}
