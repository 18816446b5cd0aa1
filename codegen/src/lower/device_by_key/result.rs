//! The second launch: folds each cell over the tables of all parts.

use super::super::Result;
use super::super::device_filter::local_id;
use super::super::function::FunctionBuilder;
use super::super::value::{Dest, Layout, Memory, Root, Value};
use super::table::{ByKey, Table, rounded_up};
use crate::core::Level;
use crate::opencl::{CType, Expr, Step, Storage};
use crate::plan::BufferId;
use lift_analysis::size::Size;
use lift_analysis::ty::Ty;
use std::rc::Rc;

impl<'k> FunctionBuilder<'_, 'k> {
    /// The fold of a cell over every `step`-th part from `first` on.
    pub fn folded_of(
        &mut self,
        by: &ByKey<'k>,
        parts: BufferId,
        count: &Size,
        cell: &Expr,
        (first, step): (Expr, u32),
    ) -> Result<Value<'k>> {
        let from = Rc::new(Layout::Scalar(Memory { root: Root::Buffer(parts), scalar: by.scalar }));
        let z = self.force(&by.z)?;
        let Some(acc) = self.registers_with(&z, "acc")? else {
            return Err(self.error("reduceByKey", "the folded value is not a scalar"));
        };
        let all = self.size(count)?;
        let start = self.named("start", cell.clone().mul(all));
        let step = if step == 1 { Step::Increment } else { Step::Add(Expr::int(step.into())) };
        self.for_range("p", first, count, step, |f, p| {
            let p = f.size(p)?;
            let x = f.slot_at(&from, start.add(p));
            let x = f.load(&x)?;
            let next = f.call(&by.f, &[acc.clone(), x])?;
            f.assign_registers(&acc, &next)
        })?;
        Ok(acc)
    }

    pub fn store_cell(&mut self, by: &ByKey<'k>, cell: &Expr, value: &Value<'k>, dest: &Dest<'k>) -> Result<()> {
        let within = |f: &mut Self, name: &str, at: Expr, n: &Size| {
            let at = f.named(name, at);
            let at = f.index_var(name, at);
            f.known_mut().assume_index(&at, n);
            Size::var(at)
        };
        let to = match &by.columns {
            None => {
                let bucket = within(self, "bucket", cell.clone(), &by.buckets);
                self.dest_at(dest, &bucket)?
            }
            Some(all) => {
                let columns = self.sized(all, "columns")?;
                let bucket = within(self, "bucket", cell.clone().div(columns.clone()), &by.buckets);
                let column = within(self, "column", cell.clone().rem(columns), all);
                let row = self.dest_at(dest, &bucket)?;
                self.dest_at(&row, &column)?
            }
        };
        self.copy(value, &to)
    }

    /// Computes the result from the tables of all parts; several work-items of a group share a cell.
    pub fn fold_tables(
        &mut self,
        by: &ByKey<'k>,
        table: &Table,
        (team, teams): (u32, u32),
        parts: BufferId,
        dest: &Dest<'k>,
    ) -> Result<()> {
        let Some(slots) = self.element_arrays(&Ty::scalar(by.scalar), "slots", Storage::Local, (team * teams).into())
        else {
            return Err(self.error("reduceByKey", "the folded value is not a scalar"));
        };
        let wish = rounded_up(&by.cells(), &Size::nat(teams.into()));
        let (count, cells) = (self.host_size(&table.parts, "parts")?, self.sized(&by.cells(), "cells")?);
        let rounds = self.host_size(&wish, "rounds")?;
        self.by_items(|f| {
            f.for_level(Level::Wrg(0), &rounds, |f, round| {
                let id = f.named("id", local_id().cast(CType::Int));
                let of_team = Expr::int(team.into());
                let cell = f.size(round)?.mul(Expr::int(teams.into())).add(id.clone().div(of_team.clone()));
                let cell = f.named("cell", cell);
                let member = f.named("member", id.clone().rem(of_team));
                let there = cell.clone().lt(cells.clone());
                let own = f.slot_at(&slots, id.clone());
                f.provided(there.clone(), |f| {
                    let acc = f.folded_of(by, parts, &count, &cell, (member.clone(), team))?;
                    f.copy(&acc, &Dest::Place(own.clone()))
                })?;
                let mut distance = team / 2;
                while distance > 0 {
                    f.barrier(true, false);
                    let first = member.clone().lt(Expr::int(distance.into()));
                    f.provided(first.and(there.clone()), |f| {
                        let other = f.slot_at(&slots, id.clone().add(Expr::int(distance.into())));
                        let (mine, other) = (f.load(&own)?, f.load(&other)?);
                        let next = f.call(&by.f, &[mine, other])?;
                        f.copy(&next, &Dest::Place(own.clone()))
                    })?;
                    distance /= 2;
                }
                f.provided(member.eq(Expr::int(0)).and(there), |f| {
                    let all = f.load(&own)?;
                    f.store_cell(by, &cell, &all, dest)
                })?;
                f.barrier(true, false);
                Ok(())
            })
        })?;
        self.grid_mut().ask_for_groups(wish);
        Ok(())
    }
}
