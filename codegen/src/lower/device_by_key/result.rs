//! The second launch: folds each cell over the tables of all parts.

use super::super::Result;
use super::super::device_filter::local_id;
use super::super::function::FunctionBuilder;
use super::super::value::{Dest, Layout, Value};
use super::table::{ByKey, Table, rounded_up};
use crate::core::Level;
use crate::opencl::{CType, Expr, Step, Storage};
use lift_analysis::size::Size;
use std::rc::Rc;

impl<'k> ByKey<'k> {
    /// The fold of a cell over every `step`-th part from `first` on.
    pub fn folded_of(
        &self,
        f: &mut FunctionBuilder<'_, 'k>,
        parts: &Rc<Layout>,
        count: &Size,
        cell: &Expr,
        (first, step): (Expr, u32),
    ) -> Result<Value<'k>> {
        let z = f.force(&self.z)?;
        let Some(acc) = f.registers_with(&z, "acc")? else {
            return Err(f.error("reduceByKey", "the folded value is not a scalar"));
        };
        let all = f.size(count)?;
        let start = f.named("start", cell.clone().mul(all));
        let step = if step == 1 { Step::Increment } else { Step::Add(Expr::int(step.into())) };
        f.for_range("p", first, count, step, |f, p| {
            let p = f.size(p)?;
            let x = f.slot_at(parts, start.add(p));
            let x = f.load(&x)?;
            let next = f.call(&self.f, &[acc.clone(), x])?;
            f.assign_registers(&acc, &next)
        })?;
        Ok(acc)
    }

    pub fn store_cell(
        &self,
        f: &mut FunctionBuilder<'_, 'k>,
        cell: &Expr,
        value: &Value<'k>,
        dest: &Dest<'k>,
    ) -> Result<()> {
        let within = |f: &mut FunctionBuilder<'_, 'k>, name: &str, at: Expr, n: &Size| {
            let at = f.named(name, at);
            let at = f.index_var(name, at);
            f.known_mut().assume_index(&at, n);
            Size::var(at)
        };
        let to = match &self.columns {
            None => {
                let bucket = within(f, "bucket", cell.clone(), &self.buckets);
                f.dest_at(dest, &bucket)?
            }
            Some(all) => {
                let columns = f.sized(all, "columns")?;
                let bucket = within(f, "bucket", cell.clone().div(columns.clone()), &self.buckets);
                let column = within(f, "column", cell.clone().rem(columns), all);
                let row = f.dest_at(dest, &bucket)?;
                f.dest_at(&row, &column)?
            }
        };
        f.copy(value, &to)
    }

    /// Computes the result from the tables of all parts; several work-items of a group share a cell.
    pub fn fold_tables(
        &self,
        f: &mut FunctionBuilder<'_, 'k>,
        table: &Table,
        (team, teams): (u32, u32),
        parts: &Rc<Layout>,
        dest: &Dest<'k>,
    ) -> Result<()> {
        let Some(slots) = f.element_arrays(&self.ty, "slots", Storage::Local, (team * teams).into()) else {
            return Err(f.error("reduceByKey", "the folded value is not a scalar"));
        };
        let wish = rounded_up(&self.cells(), &Size::nat(teams.into()));
        let (count, cells) = (f.host_size(&table.parts, "parts")?, f.sized(&self.cells(), "cells")?);
        let rounds = f.host_size(&wish, "rounds")?;
        f.by_items(|f| {
            f.for_level(Level::Wrg(0), &rounds, |f, round| {
                let id = f.named("id", local_id().cast(CType::Int));
                let of_team = Expr::int(team.into());
                let cell = f.size(round)?.mul(Expr::int(teams.into())).add(id.clone().div(of_team.clone()));
                let cell = f.named("cell", cell);
                let member = f.named("member", id.clone().rem(of_team));
                let there = cell.clone().lt(cells.clone());
                let own = f.slot_at(&slots, id.clone());
                f.provided(there.clone(), |f| {
                    let acc = self.folded_of(f, parts, &count, &cell, (member.clone(), team))?;
                    f.copy(&acc, &Dest::Place(own.clone()))
                })?;
                self.fold_members(f, &slots, (&id, &member), (team, 1), &there)?;
                f.provided(member.eq(Expr::int(0)).and(there), |f| {
                    let all = f.load(&own)?;
                    self.store_cell(f, &cell, &all, dest)
                })?;
                f.barrier(true, false);
                Ok(())
            })
        })?;
        f.grid_mut().ask_for_groups(wish);
        Ok(())
    }

    /// Folds the slots of `count` work-items, `step` apart, into the first one's. `member`: which of them this one is.
    pub fn fold_members(
        &self,
        f: &mut FunctionBuilder<'_, 'k>,
        slots: &Rc<Layout>,
        (id, member): (&Expr, &Expr),
        (count, step): (u32, u32),
        there: &Expr,
    ) -> Result<()> {
        let own = f.slot_at(slots, id.clone());
        let mut distance = count / 2;
        while distance > 0 {
            f.barrier(true, false);
            let first = member.clone().lt(Expr::int(distance.into()));
            f.provided(first.and(there.clone()), |f| {
                let other = f.slot_at(slots, id.clone().add(Expr::int((distance * step).into())));
                let (mine, other) = (f.load(&own)?, f.load(&other)?);
                let next = f.call(&self.f, &[mine, other])?;
                f.copy(&next, &Dest::Place(own.clone()))
            })?;
            distance /= 2;
        }
        Ok(())
    }
}
