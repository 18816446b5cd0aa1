//! `scan` of a row by a group, tile by tile through local memory.

use super::{Levels, fold_slot, item, levels, times};
use crate::core::PrimCall;
use crate::lower::Result;
use crate::lower::function::FunctionBuilder;
use crate::lower::stream::tile::bytes;
use crate::lower::value::{Array, Closure, Dest, Env, Layout, Value};
use crate::opencl::{CType, Expr, Step, Storage};
use crate::schedule::teams::{RADIX, SCAN_TILE};
use lift_analysis::size::Size;
use lift_analysis::ty::Ty;
use std::rc::Rc;

/// A row that passes through local memory.
struct Row<'a, 'k> {
    xs: &'a Array<'k>,
    /// Elements of a tile per work-item.
    each: i64,
    items: i64,
    tile: Rc<Layout>,
    /// Where the tile of this work-item's row starts.
    first: Expr,
}

impl Row<'_, '_> {
    /// The padded index of a tile's element, so that consecutive elements of different work-items are in different
    /// banks.
    fn padded(&self, at: Expr) -> Expr {
        self.first.clone().add(at.clone().add(at.div(Expr::int(self.each))))
    }
}

/// Scans a row by the group if possible; returns whether it did.
pub fn scan_in_group<'k>(
    b: &mut FunctionBuilder<'_, 'k>,
    call: &'k PrimCall,
    env: &Env<'k>,
    dest: &Dest<'k>,
    inclusive: bool,
) -> Result<bool> {
    let ty = b.kernel().atom_ty(&call.args[0]);
    let (Some(items), Some(bytes)) = (b.team(), bytes(&ty)) else { return Ok(false) };
    let z = b.atom(&call.args[0], env)?;
    let xs = b.atom(&call.args[1], env)?;
    let xs = b.array(&xs)?;
    // A row in registers is a single tile.
    let own = b.grid().own_row().filter(|own| own.row == xs.len).map(|own| i64::from(own.each));
    let tile = b.grid().team().map_or(SCAN_TILE, |team| team.tile);
    let rows = b.grid().rows_of_group();
    let most = tile / bytes.max(1) as i64 / (items * rows);
    let each = own.unwrap_or(most.min(16));
    if each < 1 {
        return Ok(false);
    }
    let f = Closure { lambda: &call.funs[0], env: env.clone() };
    let in_tile = items * (each + 1);
    let tile = b.element_arrays(&ty, "tile", Storage::Local, in_tile * rows);
    let first = b.grid().start_of_row(in_tile);
    let (Some(tile), Some(levels)) = (tile, levels(b, &ty, items)) else { return Ok(false) };
    let Some(carry) = b.registers_with(&z, "carry")? else { return Ok(false) };
    let row = Row { xs: &xs, each, items, tile, first };
    b.runs_together();
    let n = xs.len.clone();
    let result = b.by_group(|b| match own {
        Some(_) => row.scan_tile(b, &levels, &f, (&z, &carry), &Size::zero(), dest, inclusive),
        None => b.for_range("base", Expr::int(0), &n, Step::Add(Expr::int(items * each)), |b, base| {
            row.scan_tile(b, &levels, &f, (&z, &carry), base, dest, inclusive)
        }),
    });
    b.share_memory();
    result.map(|()| true)
}

/// Folds this work-item's share of a row in registers by an operator that keeps the order: elements pass through
/// local memory, so that each work-item gets consecutive ones.
pub fn fold_own_in_order<'k>(
    b: &mut FunctionBuilder<'_, 'k>,
    f: &Closure<'k>,
    acc: &Value<'k>,
    xs: &Array<'k>,
    ty: &Ty,
) -> Result<bool> {
    let (Some(items), Some(each)) = (b.grid().items_of_team(), b.grid().own_row().map(|own| i64::from(own.each)))
    else {
        return Ok(false);
    };
    let in_tile = items * (each + 1);
    let rows = b.grid().rows_of_group();
    let Some(tile) = b.element_arrays(ty, "tile", Storage::Local, in_tile * rows) else {
        return Ok(false);
    };
    let row = Row { xs, each, items, tile, first: b.grid().start_of_row(in_tile) };
    row.for_tile(b, &Size::zero(), |b, i, at| {
        let x = b.read(xs, i)?;
        let to = b.slot_at(&row.tile, at);
        b.copy(&x, &Dest::Place(to))
    })?;
    b.barrier(true, false);
    row.for_consecutive(b, &Size::zero(), |b, at| fold_slot(b, f, acc, &row.tile, at))?;
    Ok(true)
}

impl<'k> Row<'_, 'k> {
    #[allow(clippy::too_many_arguments)]
    fn scan_tile(
        &self,
        b: &mut FunctionBuilder<'_, 'k>,
        levels: &Levels,
        f: &Closure<'k>,
        (z, carry): (&Value<'k>, &Value<'k>),
        base: &Size,
        dest: &Dest<'k>,
        inclusive: bool,
    ) -> Result<()> {
        self.for_tile(b, base, |b, i, at| {
            let x = b.read(self.xs, i)?;
            let to = b.slot_at(&self.tile, at);
            b.copy(&x, &Dest::Place(to))
        })?;
        b.barrier(true, false);
        let (Some(mine), Some(before)) = (b.registers_with(z, "mine")?, b.registers_with(carry, "before")?) else {
            return Ok(());
        };
        self.for_consecutive(b, base, |b, at| fold_slot(b, f, &mine, &self.tile, at))?;
        levels.hand_up(b, f, &mine)?;
        // Fold the preceding blocks, and the preceding values of this work-item's own block.
        let block = b.bind("block", CType::Int, item().div(Expr::int(RADIX)));
        let fold_up_to =
            |b: &mut FunctionBuilder<'_, 'k>, from: Expr, to: Expr, (slots, first): (&Rc<Layout>, &Expr)| {
                let to = Size::var(b.index_var("to", to));
                b.for_range("j", from, &to, Step::Increment, |b, j| {
                    let j = first.clone().add(b.size(j)?);
                    fold_slot(b, f, &before, slots, j)
                })
            };
        fold_up_to(b, Expr::int(0), block.clone(), (&levels.firsts, &levels.first_block))?;
        let me = b.bind("me", CType::Int, item());
        fold_up_to(b, times(block, RADIX), me, (&levels.slots, &levels.first_slot))?;
        let blocks = u32::try_from(levels.blocks()).unwrap_or(0);
        b.written_out("j", blocks, |b, j| fold_slot(b, f, carry, &levels.firsts, levels.first_block.clone().add(j)))?;
        self.for_consecutive(b, base, |b, at| {
            let place = b.slot_at(&self.tile, at.clone());
            let x = b.load(&place)?;
            let x = b.named_scalar(&x, "x")?;
            if !inclusive {
                b.copy(&before, &Dest::Place(place.clone()))?;
            }
            let next = b.call(f, &[before.clone(), x])?;
            b.assign_registers(&before, &next)?;
            if inclusive { b.copy(&before, &Dest::Place(place)) } else { Ok(()) }
        })?;
        b.barrier(true, false);
        self.for_tile(b, base, |b, i, at| {
            let x = b.slot_at(&self.tile, at);
            let x = b.load(&x)?;
            let to = b.dest_at(dest, i)?;
            b.copy(&x, &to)
        })?;
        b.barrier(true, false);
        Ok(())
    }

    /// A loop over a tile in which neighbouring work-items take adjacent elements; `body` gets the index in the row and
    /// in local memory.
    fn for_tile(
        &self,
        f: &mut FunctionBuilder<'_, 'k>,
        base: &Size,
        body: impl FnOnce(&mut FunctionBuilder<'_, 'k>, &Size, Expr) -> Result<()>,
    ) -> Result<()> {
        if f.grid().is_own_row(&self.xs.len) {
            return f.for_own_row(&self.xs.len.clone(), |b, i| {
                let at = b.size(i)?;
                body(b, i, self.padded(at))
            });
        }
        let each = u32::try_from(self.each).unwrap_or(1);
        let end = f.size(&self.xs.len)?;
        let from = f.size(base)?;
        f.written_out("k", each, |b, k| {
            let offset = b.bind("offset", CType::Int, times(k, self.items).add(item()));
            let i = b.bind("i", CType::Int, from.add(offset.clone()));
            b.provided(i.clone().lt(end), |b| {
                let i = b.index_below("i", i, &self.xs.len);
                body(b, &i, self.padded(offset))
            })
        })
    }

    /// A loop over this work-item's consecutive elements that exist; `body` gets the index in local memory.
    fn for_consecutive(
        &self,
        f: &mut FunctionBuilder<'_, 'k>,
        base: &Size,
        body: impl FnOnce(&mut FunctionBuilder<'_, 'k>, Expr) -> Result<()>,
    ) -> Result<()> {
        let each = u32::try_from(self.each).unwrap_or(1);
        let end = f.size(&self.xs.len)?;
        let from = f.size(base)?;
        f.written_out("k", each, |b, k| {
            let offset = times(item(), self.each).add(k.clone());
            let inside = from.add(offset).lt(end);
            b.provided(inside, |b| body(b, self.first.clone().add(times(item(), self.each + 1).add(k))))
        })
    }
}
