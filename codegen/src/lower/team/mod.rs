//! Operations on a row that the work-items of a group share: fold, by key too, scan, sort, and loops over it. Every work-item must execute them.
//!
//! A tile of the row passes through local memory, so that neighbouring work-items access adjacent elements in global
//! memory, yet each processes consecutive ones. Elements are combined in order, so any associative operator is allowed.
//!
//! | module | job |
//! |---|---|
//! | `by_key` | `reduceByKey` of a row, with the table in local memory |
//! | `in_flight` | maps over rows in global memory |
//! | `in_order` | folds and scans in order of rows in global memory |
//! | `own` | rows in registers |
//! | `rounds` | loops over arrays (`iterate`, `iterateWhile`, folds with an array as accumulator) |
//! | `scan` | `scan` of a row, tile by tile through local memory |
//! | `sort` | `sort` and `argsort` of a row |

pub mod by_key;
pub mod in_flight;
pub mod in_order;
mod own;
pub mod rounds;
pub mod scan;
pub mod sort;

use super::Result;
use super::device_filter::local_id;
use super::function::{FunctionBuilder, Grid};
use super::value::{Array, Closure, Dest, Layout, Memory, Root, Value, View};
use crate::opencl::{BinaryOp, CType, Expr, Storage};
use crate::schedule::teams::RADIX;
use lift_analysis::ty::Ty;
use std::rc::Rc;

/// Local memory for a value of each work-item, and for the fold of every [`RADIX`] of them.
pub struct Levels {
    items: i64,
    /// Where those of this work-item's row start.
    first_slot: Expr,
    first_block: Expr,
    slots: Rc<Layout>,
    firsts: Rc<Layout>,
}

impl Levels {
    fn blocks(&self) -> i64 {
        (self.items + RADIX - 1) / RADIX
    }
}

impl<'k> FunctionBuilder<'_, 'k> {
    /// The work-items of a group of known size, if all of them are active.
    pub fn team(&self) -> Option<i64> {
        let items = self.grid().group_in(0).map(i64::from)?;
        (self.grid().team().is_some() && self.is_whole_group() && items > 1).then_some(items)
    }
}

impl Grid {
    /// The number of work-items that share an element, anywhere in its code.
    pub fn items_of_team(&self) -> Option<i64> {
        self.team().map(|team| i64::from(team.items))
    }

    /// Where this work-item's row starts in memory that the rows of a group share.
    fn start_of_row(&self, len: i64) -> Expr {
        match self.rows_of_group() {
            1 => Expr::int(0),
            _ => times(Expr::call("get_local_id", [Expr::int(1)]).cast(CType::Int), len),
        }
    }
}

/// Local memory to combine values of this type; `None` unless they are scalars or tuples of them.
pub fn levels(f: &mut FunctionBuilder, ty: &Ty, items: i64) -> Option<Levels> {
    let blocks = (items + RADIX - 1) / RADIX;
    let rows = f.grid().rows_of_group();
    let slots = f.element_arrays(ty, "slots", Storage::Local, items * rows)?;
    let firsts = f.element_arrays(ty, "firsts", Storage::Local, blocks * rows)?;
    let [first_slot, first_block] = [items, blocks].map(|len| f.grid().start_of_row(len));
    Some(Levels { items, first_slot, first_block, slots, firsts })
}

fn fold_slot<'k>(
    b: &mut FunctionBuilder<'_, 'k>,
    f: &Closure<'k>,
    acc: &Value<'k>,
    slots: &Rc<Layout>,
    at: Expr,
) -> Result<()> {
    let x = b.slot_at(slots, at);
    let x = b.load(&x)?;
    let next = b.call(f, &[acc.clone(), x])?;
    b.assign_registers(acc, &next)
}

/// Whether all elements of an array are read from local memory.
pub fn is_in_local(xs: &Array) -> bool {
    fn layout_is(layout: &Layout) -> bool {
        match layout {
            Layout::Scalar(Memory { root, .. }) => matches!(root, Root::Array { local: true, .. }),
            Layout::Tuple(parts) => parts.iter().all(|p| layout_is(p)),
            _ => false,
        }
    }
    match &*xs.view {
        View::Stored { element, .. } => layout_is(element),
        View::Mapped(_, of) | View::Component(of, _) => is_in_local(of),
        View::Zip(parts) => parts.iter().all(|p| is_in_local(p)),
        View::Iota | View::Fill(_) => true,
        _ => false,
    }
}

impl Levels {
    /// Combines the variables of all work-items in order; each gets the result, in variables that are the same for all.
    /// The levels must not be used again before a barrier.
    pub fn combine<'k>(&self, b: &mut FunctionBuilder<'_, 'k>, f: &Closure<'k>, acc: &Value<'k>) -> Result<Value<'k>> {
        if self.items <= RADIX {
            // So few that each work-item folds all of them.
            let own = b.slot_at(&self.slots, self.first_slot.clone().add(item()));
            b.copy(acc, &Dest::Place(own))?;
            b.barrier(true, false);
            return fold_slots(b, f, acc, (&self.slots, &self.first_slot), self.items);
        }
        self.hand_up(b, f, acc)?;
        fold_slots(b, f, acc, (&self.firsts, &self.first_block), self.blocks())
    }

    /// Writes every work-item's value, and the fold of each block of them, to local memory.
    fn hand_up<'k>(&self, b: &mut FunctionBuilder<'_, 'k>, f: &Closure<'k>, acc: &Value<'k>) -> Result<()> {
        let own = b.slot_at(&self.slots, self.first_slot.clone().add(item()));
        b.copy(acc, &Dest::Place(own))?;
        b.barrier(true, false);
        let leads = local_id().lt(Expr::int(self.blocks()));
        b.provided(leads, |b| {
            let from = times(item(), RADIX);
            let slot = |at: Expr| self.first_slot.clone().add(at);
            let first = b.slot_at(&self.slots, slot(from.clone()));
            let first = b.load(&first)?;
            let Some(all) = b.registers_with(&first, "all")? else { return Ok(()) };
            b.written_out("j", (RADIX - 1) as u32, |b, j| {
                let at = from.clone().add(j).add(Expr::int(1));
                match self.items % RADIX {
                    0 => fold_slot(b, f, &all, &self.slots, slot(at)),
                    _ => b.provided(at.clone().lt(Expr::int(self.items)), |b| {
                        fold_slot(b, f, &all, &self.slots, slot(at))
                    }),
                }
            })?;
            let to = b.slot_at(&self.firsts, self.first_block.clone().add(item()));
            b.copy(&all, &Dest::Place(to))
        })?;
        b.barrier(true, false);
        Ok(())
    }
}

/// The fold of this many slots, of the type of `like`.
fn fold_slots<'k>(
    b: &mut FunctionBuilder<'_, 'k>,
    f: &Closure<'k>,
    like: &Value<'k>,
    (slots, first): (&Rc<Layout>, &Expr),
    count: i64,
) -> Result<Value<'k>> {
    let start = b.slot_at(slots, first.clone());
    let start = b.load(&start)?;
    let Some(total) = b.registers_with(&start, "total")? else { return Ok(like.clone()) };
    let rest = u32::try_from(count - 1).unwrap_or(0);
    b.written_out("j", rest, |b, j| fold_slot(b, f, &total, slots, first.clone().add(j).add(Expr::int(1))))?;
    Ok(total)
}

fn item() -> Expr {
    local_id().cast(CType::Int)
}

fn times(e: Expr, by: i64) -> Expr {
    Expr::binary(BinaryOp::Mul, e, Expr::int(by))
}
