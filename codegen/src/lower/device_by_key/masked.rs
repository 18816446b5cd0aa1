//! Tables in local memory for operators without an atomic operation, of many keys: few work-items share a table.
//!
//! Each of 32 work-items takes an element, notes its value, and sets its bit in the mask of its key. The first of those
//! that meet in a key then folds the values of all of them into the cell, in the order of the work-items. So no cell needs
//! a copy for each work-item, and floats are combined in an order that depends only on the lengths and the device.
//!
//! ```c
//! values[lane] = x;
//! atomic_or(&masks[slot], 1 << lane);
//! barrier(CLK_LOCAL_MEM_FENCE);
//! uint mask = masks[slot];
//! barrier(CLK_LOCAL_MEM_FENCE);
//! if ((mask & -mask) == 1u << lane) {
//!   acc = table[slot];
//!   while (mask != 0) { acc = f(acc, values[first bit of mask]); mask &= mask - 1; }
//!   table[slot] = acc;
//!   masks[slot] = 0;
//! }
//! barrier(CLK_LOCAL_MEM_FENCE);
//! ```

use super::super::Result;
use super::super::device_filter::{GRID, local_id, rounded_up};
use super::super::function::FunctionBuilder;
use super::super::host::Host;
use super::super::launch::Title;
use super::super::value::{Dest, Layout, Place, Value};
use super::table::{ByKey, IN_FLIGHT, at_least_one, rounded_up as rounded_up_size};
use crate::core::{Level, Stmt};
use crate::opencl::{BinaryOp, CType, Expr, Step, StmtKind, Storage};
use crate::schedule::by_key::masked_cells;
use crate::schedule::rules;
use crate::target::Target;
use lift_analysis::hir::Scalar;
use lift_analysis::parameters::Parameter;
use lift_analysis::size::Size;
use lift_analysis::ty::Ty;
use std::rc::Rc;
use std::sync::Arc;

/// Work-items that share a table, a bit of a mask each.
const LANES: u32 = 32;
/// Work-items of a group that folds the tables of all parts: neighbouring cells, and parts.
const ACROSS: u32 = 8;
const DOWN: u32 = 32;
/// The work-items of a group that a device needs to allow.
pub const LEAST_GROUP: u32 = ACROSS * DOWN;

/// The layout of the tables of groups. The host knows all of these sizes.
pub struct Masked {
    /// Cells that fit the memory.
    room: i64,
    /// Cells in memory at a time, and how often that makes up the whole.
    cells: Size,
    turns: Size,
    parts: Size,
}

impl Masked {
    /// `most`: the number of elements, or a bound of it.
    pub fn of(target: &Target, by: &ByKey, most: &Size) -> Masked {
        /// Groups with full local memory that a unit of a GPU runs at once, and groups of any kind.
        const FULL: i64 = 4;
        const ANY: i64 = 32;
        let fit = masked_cells(target, by.bytes());
        let room = by.buckets.as_const().map_or(fit, |n| n.clamp(1, fit));
        let bytes = room * (by.bytes() as i64 + 4);
        let groups =
            (FULL * target.local_memory as i64 / bytes.max(1)).clamp(FULL, ANY) * i64::from(target.compute_units);
        let cells = Size::min(&by.buckets, &Size::int(room));
        // A part has more elements than its table has cells.
        let least = Size::max(&Size::nat(target.get(Parameter::KeyPart).into()), &by.buckets.add(&by.buckets));
        let parts = at_least_one(&Size::min(&rounded_up_size(most, &least), &Size::int(groups)));
        Masked { room, cells, turns: rounded_up_size(&by.buckets, &Size::int(room)), parts }
    }
}

impl Masked {
    pub fn turns(&self) -> &Size {
        &self.turns
    }
}

/// The local memory of a group.
struct Memory {
    table: Rc<Layout>,
    masks: Rc<Layout>,
    values: Rc<Layout>,
}

impl<'k> Host<'k> {
    /// The version in which groups of few work-items share tables.
    pub(super) fn by_key_masked(
        &mut self,
        stmt: &'k Stmt,
        by: &ByKey<'k>,
        masked: &Masked,
        dest: &Dest<'k>,
        wanted: Option<&Size>,
    ) -> Result<()> {
        let name = self.program.kernel.name_of(stmt.var).to_string();
        self.program.applied(&rules::BY_KEY_MASKED, &stmt.origin);
        let parts = self.tables(stmt, by, &by.cells().mul(&masked.parts), wanted)?;
        let title = |label| Title { name: &name, label, origin: &stmt.origin };
        let local = [Some(LANES), Some(1), Some(1)];
        self.launch(&title("reduce by key: parts, shared tables"), GRID, local, |f| by.fold_masked(f, masked, &parts))?;
        let local = [Some(LEAST_GROUP), Some(1), Some(1)];
        self.launch(&title("reduce by key: result"), GRID, local, |f| by.fold_down(f, masked, &parts, dest))
    }
}

impl<'k> ByKey<'k> {
    /// Computes the table for each part of the elements and each turn.
    fn fold_masked(&self, f: &mut FunctionBuilder<'_, 'k>, masked: &Masked, parts: &Rc<Layout>) -> Result<()> {
        let arrays =
            [("table", &self.ty, masked.room), ("masks", &Ty::int(), masked.room), ("values", &self.ty, LANES.into())];
        let mut all = Vec::new();
        for (name, ty, len) in arrays {
            match f.element_arrays(ty, name, Storage::Local, len) {
                Some(array) => all.push(array),
                None => return Err(f.error("reduceByKey", "the folded value is not a scalar")),
            }
        }
        let [table, masks, values] = [0, 1, 2].map(|k| all[k].clone());
        let memory = Memory { table, masks, values };
        let n = self.keys.len.clone();
        let n_expr = f.size(&n)?;
        let count = f.sized(&masked.parts, "parts")?;
        let round = Expr::int(IN_FLIGHT * i64::from(LANES));
        let even = f.named("even", rounded_up(n_expr.clone(), count));
        let rounds = rounded_up(even, round.clone()).cast(CType::Long).mul(round);
        let length = Expr::call("min", [rounds, n_expr.clone().cast(CType::Long)]).cast(CType::Int);
        let length = f.named("in_part", length);
        let cells = f.sized(&self.cells(), "cells")?;
        let at_a_time = f.sized(&masked.cells, "most_cells")?;
        let tasks = masked.turns.mul(&masked.parts);
        let tasks_size = f.host_size(&tasks, "tasks")?;
        f.for_level(Level::Wrg(0), &tasks_size, |f, task| {
            let task = f.size(task)?;
            let turns = f.sized(&masked.turns, "turns")?;
            // Neighbouring groups read the same elements.
            let turn = f.named("turn", task.clone().rem(turns.clone()));
            let part = f.named("part", task.div(turns));
            let n_long = n_expr.clone().cast(CType::Long);
            let begin = Expr::call("min", [part.clone().cast(CType::Long).mul(length.clone()), n_long]);
            let begin = f.named("begin", begin.cast(CType::Int));
            let left = n_expr.clone().sub(begin.clone());
            let end = f.named("end", begin.clone().add(Expr::call("min", [length.clone(), left])));
            let first = f.named("first", turn.mul(at_a_time.clone()));
            let here = Expr::call("min", [at_a_time.clone(), cells.clone().sub(first.clone())]);
            let here = f.named("here", here);
            f.by_items(|f| {
                let lane = f.named("lane", local_id().cast(CType::Int));
                self.clear(f, &memory, &lane, &here)?;
                f.barrier(true, false);
                self.fold_all(f, &memory, &lane, (&begin, &end), (&first, &here))?;
                f.for_cells(&lane, &here, |f, cell| {
                    let from = f.slot_at(&memory.table, cell.clone());
                    let value = f.load(&from)?;
                    let at = part.clone().mul(cells.clone()).add(first.clone()).add(cell);
                    let to = f.slot_at(parts, at);
                    f.copy(&value, &Dest::Place(to))
                })?;
                f.barrier(true, false);
                Ok(())
            })
        })?;
        f.grid_mut().ask_for_groups(tasks);
        Ok(())
    }

    fn clear(&self, f: &mut FunctionBuilder<'_, 'k>, memory: &Memory, lane: &Expr, here: &Expr) -> Result<()> {
        let z = f.force(&self.z)?;
        f.for_cells(lane, here, |f, cell| {
            let to = f.slot_at(&memory.table, cell.clone());
            f.copy(&z, &Dest::Place(to))?;
            let to = f.slot_at(&memory.masks, cell);
            f.copy(&Value::computed(Scalar::Int, Expr::int(0)), &Dest::Place(to))
        })
    }

    /// Folds the elements from `begin` to `end` whose keys are among the `here` ones from `first` on.
    fn fold_all(
        &self,
        f: &mut FunctionBuilder<'_, 'k>,
        memory: &Memory,
        lane: &Expr,
        (begin, end): (&Expr, &Expr),
        (first, here): (&Expr, &Expr),
    ) -> Result<()> {
        let base = f.fresh_name("base");
        let (body, ()) = f.scope(|f| {
            let lanes = i64::from(LANES);
            let start = f.named("start", Expr::Var(base.clone()).add(lane.clone()));
            let slots = f.declare_array("slots", Storage::Private, CType::Int, IN_FLIGHT as u64);
            let xs = f.element_arrays(&self.ty, "xs", Storage::Private, IN_FLIGHT);
            let Some(xs) = xs else { return Err(f.error("reduceByKey", "the folded value is not a scalar")) };
            let slot_of = |k: &Expr| Expr::Var(slots.clone()).index(k.clone());
            let index = |k: &Expr| start.clone().add(k.clone().mul(Expr::int(lanes)));
            f.for_flight(|f, k| {
                f.assign(slot_of(&k), Expr::int(-1));
                let i = f.named("i", index(&k));
                f.provided(i.clone().lt(end.clone()), |f| {
                    let i = f.index_below("i", i, &self.keys.len);
                    let key = f.read(&self.keys, &i)?;
                    let key = f.scalar_of(&key)?;
                    let key = f.scalar(&key)?;
                    let key = f.named("key", key);
                    let is_here = key.clone().ge(first.clone()).and(key.clone().lt(first.clone().add(here.clone())));
                    f.provided(is_here, |f| {
                        f.assign(slot_of(&k), key.sub(first.clone()));
                        Ok(())
                    })
                })
            })?;
            f.for_flight(|f, k| {
                f.provided(slot_of(&k).ge(Expr::int(0)), |f| {
                    let i = f.index_below("i", index(&k), &self.xs.len);
                    let x = f.read(&self.xs, &i)?;
                    let to = f.slot_at(&xs, k.clone());
                    f.copy(&x, &Dest::Place(to))
                })
            })?;
            f.for_flight(|f, k| {
                let slot = f.named("slot", slot_of(&k));
                let from = f.slot_at(&xs, k);
                self.round(f, memory, lane, &slot, &from)
            })
        })?;
        f.emit(StmtKind::For {
            ty: CType::Int,
            var: base.clone(),
            from: begin.clone(),
            condition: Expr::Var(base).lt(end.clone()),
            step: Step::Add(Expr::int(IN_FLIGHT * i64::from(LANES))),
            below: Some(self.keys.len.clone()),
            body,
        });
        Ok(())
    }

    /// Folds an element of each work-item, those with a slot that is not negative.
    fn round(
        &self,
        f: &mut FunctionBuilder<'_, 'k>,
        memory: &Memory,
        lane: &Expr,
        slot: &Expr,
        from: &Place,
    ) -> Result<()> {
        let own = Expr::binary(BinaryOp::Shl, Expr::UInt(1), lane.clone());
        let has_one = slot.clone().ge(Expr::int(0));
        let mask_at = f.slot_at(&memory.masks, slot.clone());
        f.provided(has_one.clone(), |f| {
            let x = f.load(from)?;
            let to = f.slot_at(&memory.values, lane.clone());
            f.copy(&x, &Dest::Place(to))?;
            let Layout::Scalar(masks) = &*mask_at.layout else { return Ok(()) };
            let cell = f.memory(masks, &mask_at.at, true)?;
            let set = Expr::call("atomic_or", [Expr::AddressOf(Arc::new(cell)), own.clone().cast(CType::Int)]);
            f.emit(StmtKind::Expr(set));
            Ok(())
        })?;
        f.barrier(true, false);
        let mask = Expr::Var(f.variable("mask", CType::UInt, Some(Expr::UInt(0))));
        f.provided(has_one, |f| {
            let Layout::Scalar(masks) = &*mask_at.layout else { return Ok(()) };
            let cell = f.memory(masks, &mask_at.at, false)?;
            f.assign(mask.clone(), cell.cast(CType::UInt));
            Ok(())
        })?;
        f.barrier(true, false);
        let lowest = Expr::binary(BinaryOp::BitAnd, mask.clone(), Expr::UInt(0).sub(mask.clone()));
        let is_first = Expr::binary(BinaryOp::Eq, lowest.clone(), own);
        f.provided(is_first, |f| {
            let cell = f.slot_at(&memory.table, slot.clone());
            let before = f.load(&cell)?;
            let Some(acc) = f.registers_with(&before, "acc")? else {
                return Err(f.error("reduceByKey", "the folded value is not a scalar"));
            };
            let (body, ()) = f.scope(|f| {
                let bit = Expr::call("clz", [lowest]).cast(CType::Int);
                let which = f.named("which", Expr::int(i64::from(LANES) - 1).sub(bit));
                let from = f.slot_at(&memory.values, which);
                let x = f.load(&from)?;
                let next = f.call(&self.f, &[acc.clone(), x])?;
                f.assign_registers(&acc, &next)?;
                let rest = Expr::binary(BinaryOp::BitAnd, mask.clone(), mask.clone().sub(Expr::UInt(1)));
                f.assign(mask.clone(), rest);
                Ok(())
            })?;
            f.emit(StmtKind::While { condition: Expr::binary(BinaryOp::Ne, mask.clone(), Expr::UInt(0)), body });
            f.copy(&acc, &Dest::Place(cell))?;
            let none = Value::computed(Scalar::Int, Expr::int(0));
            f.copy(&none, &Dest::Place(mask_at.clone()))
        })?;
        f.barrier(true, false);
        Ok(())
    }

    /// Computes the result from the tables of all parts: a group takes neighbouring cells, and several parts at a time.
    fn fold_down(
        &self,
        f: &mut FunctionBuilder<'_, 'k>,
        masked: &Masked,
        parts: &Rc<Layout>,
        dest: &Dest<'k>,
    ) -> Result<()> {
        let all = i64::from(LEAST_GROUP);
        let Some(slots) = f.element_arrays(&self.ty, "slots", Storage::Local, all) else {
            return Err(f.error("reduceByKey", "the folded value is not a scalar"));
        };
        let wish = rounded_up_size(&self.cells(), &Size::nat(ACROSS.into()));
        let (count, cells) = (f.host_size(&masked.parts, "parts")?, f.sized(&self.cells(), "cells")?);
        let rounds = f.host_size(&wish, "rounds")?;
        f.by_items(|f| {
            f.for_level(Level::Wrg(0), &rounds, |f, round| {
                let id = f.named("id", local_id().cast(CType::Int));
                let across = Expr::int(ACROSS.into());
                let cell = f.size(round)?.mul(across.clone()).add(id.clone().rem(across.clone()));
                let cell = f.named("cell", cell);
                let row = f.named("row", id.clone().div(across));
                let there = cell.clone().lt(cells.clone());
                let own = f.slot_at(&slots, id.clone());
                f.provided(there.clone(), |f| {
                    let z = f.force(&self.z)?;
                    let Some(acc) = f.registers_with(&z, "acc")? else {
                        return Err(f.error("reduceByKey", "the folded value is not a scalar"));
                    };
                    f.for_range("p", row.clone(), &count, Step::Add(Expr::int(DOWN.into())), |f, p| {
                        let p = f.size(p)?;
                        let x = f.slot_at(parts, p.mul(cells.clone()).add(cell.clone()));
                        let x = f.load(&x)?;
                        let next = f.call(&self.f, &[acc.clone(), x])?;
                        f.assign_registers(&acc, &next)
                    })?;
                    f.copy(&acc, &Dest::Place(own.clone()))
                })?;
                self.fold_members(f, &slots, (&id, &row), (DOWN, ACROSS), &there)?;
                f.provided(row.eq(Expr::int(0)).and(there), |f| {
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
}

impl FunctionBuilder<'_, '_> {
    /// A loop over `here` cells, of which each work-item takes every [`LANES`]-th.
    fn for_cells(&mut self, lane: &Expr, here: &Expr, body: impl FnOnce(&mut Self, Expr) -> Result<()>) -> Result<()> {
        let cell = self.fresh_name("cell");
        let (stmts, ()) = self.scope(|f| body(f, Expr::Var(cell.clone())))?;
        self.emit(StmtKind::For {
            ty: CType::Int,
            var: cell.clone(),
            from: lane.clone(),
            condition: Expr::Var(cell).lt(here.clone()),
            step: Step::Add(Expr::int(LANES.into())),
            below: None,
            body: stmts,
        });
        Ok(())
    }

    /// An unrolled loop over the elements that a work-item processes at the same time.
    fn for_flight(&mut self, body: impl FnOnce(&mut Self, Expr) -> Result<()>) -> Result<()> {
        let k = self.fresh_name("k");
        let (stmts, ()) = self.scope(|f| body(f, Expr::Var(k.clone())))?;
        self.emit(StmtKind::Unroll);
        self.emit(StmtKind::For {
            ty: CType::Int,
            var: k.clone(),
            from: Expr::int(0),
            condition: Expr::Var(k).lt(Expr::int(IN_FLIGHT)),
            step: Step::Increment,
            below: None,
            body: stmts,
        });
        Ok(())
    }
}
