//! `scan` of a row by a group, tile by tile through local memory.

use super::{Levels, item, times};
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

impl<'k> FunctionBuilder<'_, 'k> {
    /// Scans a row by the group if possible; returns whether it did.
    pub fn scan_in_group(
        &mut self,
        call: &'k PrimCall,
        env: &Env<'k>,
        dest: &Dest<'k>,
        inclusive: bool,
    ) -> Result<bool> {
        let ty = self.kernel().atom_ty(&call.args[0]);
        let (Some(items), Some(bytes)) = (self.team(), bytes(&ty)) else { return Ok(false) };
        let z = self.atom(&call.args[0], env)?;
        let xs = self.atom(&call.args[1], env)?;
        let xs = self.array(&xs)?;
        // A row in registers is a single tile.
        let own = self.own_row().filter(|own| own.row == xs.len).map(|own| i64::from(own.each));
        let tile = self.grid().team().map_or(SCAN_TILE, |team| team.tile);
        let most = tile / bytes.max(1) as i64 / (items * self.rows_of_group());
        let each = own.unwrap_or(most.min(16));
        if each < 1 {
            return Ok(false);
        }
        let f = Closure { lambda: &call.funs[0], env: env.clone() };
        let in_tile = items * (each + 1);
        let tile = self.element_arrays(&ty, "tile", Storage::Local, in_tile * self.rows_of_group());
        let first = self.of_row(in_tile);
        let (Some(tile), Some(levels)) = (tile, self.levels(&ty, items)) else { return Ok(false) };
        let Some(carry) = self.registers_with(&z, "carry")? else { return Ok(false) };
        let row = Row { xs: &xs, each, items, tile, first };
        self.runs_together();
        let n = xs.len.clone();
        let result = self.by_group(|b| match own {
            Some(_) => b.scan_tile(&row, &levels, &f, (&z, &carry), &Size::zero(), dest, inclusive),
            None => b.for_range("base", Expr::int(0), &n, Step::Add(Expr::int(items * each)), |b, base| {
                b.scan_tile(&row, &levels, &f, (&z, &carry), base, dest, inclusive)
            }),
        });
        self.share_memory();
        result.map(|()| true)
    }

    /// Folds this work-item's share of a row in registers by an operator that keeps the order: elements pass through
    /// local memory, so that each work-item gets consecutive ones.
    pub fn fold_own_in_order(&mut self, f: &Closure<'k>, acc: &Value<'k>, xs: &Array<'k>, ty: &Ty) -> Result<bool> {
        let (Some(items), Some(each)) = (self.team_items(), self.own_row().map(|own| i64::from(own.each))) else {
            return Ok(false);
        };
        let in_tile = items * (each + 1);
        let Some(tile) = self.element_arrays(ty, "tile", Storage::Local, in_tile * self.rows_of_group()) else {
            return Ok(false);
        };
        let row = Row { xs, each, items, tile, first: self.of_row(in_tile) };
        self.for_tile(&row, &Size::zero(), |b, i, at| {
            let x = b.read(xs, i)?;
            let to = b.slot_at(&row.tile, at);
            b.copy(&x, &Dest::Place(to))
        })?;
        self.barrier(true, false);
        self.for_consecutive(&row, &Size::zero(), |b, at| b.fold_slot(f, acc, &row.tile, at))?;
        Ok(true)
    }

    #[allow(clippy::too_many_arguments)]
    fn scan_tile(
        &mut self,
        row: &Row<'_, 'k>,
        levels: &Levels,
        f: &Closure<'k>,
        (z, carry): (&Value<'k>, &Value<'k>),
        base: &Size,
        dest: &Dest<'k>,
        inclusive: bool,
    ) -> Result<()> {
        self.for_tile(row, base, |b, i, at| {
            let x = b.read(row.xs, i)?;
            let to = b.slot_at(&row.tile, at);
            b.copy(&x, &Dest::Place(to))
        })?;
        self.barrier(true, false);
        let (Some(mine), Some(before)) = (self.registers_with(z, "mine")?, self.registers_with(carry, "before")?)
        else {
            return Ok(());
        };
        self.for_consecutive(row, base, |b, at| b.fold_slot(f, &mine, &row.tile, at))?;
        self.hand_up(levels, f, &mine)?;
        // Fold the preceding blocks, and the preceding values of this work-item's own block.
        let block = self.bind("block", CType::Int, item().div(Expr::int(RADIX)));
        let fold_up_to = |b: &mut Self, from: Expr, to: Expr, (slots, first): (&Rc<Layout>, &Expr)| {
            let to = Size::var(b.index_var("to", to));
            b.for_range("j", from, &to, Step::Increment, |b, j| {
                let j = first.clone().add(b.size(j)?);
                b.fold_slot(f, &before, slots, j)
            })
        };
        fold_up_to(self, Expr::int(0), block.clone(), (&levels.firsts, &levels.first_block))?;
        let me = self.bind("me", CType::Int, item());
        fold_up_to(self, times(block, RADIX), me, (&levels.slots, &levels.first_slot))?;
        let blocks = u32::try_from(levels.blocks()).unwrap_or(0);
        self.written_out("j", blocks, |b, j| b.fold_slot(f, carry, &levels.firsts, levels.first_block.clone().add(j)))?;
        self.for_consecutive(row, base, |b, at| {
            let place = b.slot_at(&row.tile, at.clone());
            let x = b.load(&place)?;
            let x = b.named_scalar(&x, "x")?;
            if !inclusive {
                b.copy(&before, &Dest::Place(place.clone()))?;
            }
            let next = b.call(f, &[before.clone(), x])?;
            b.assign_registers(&before, &next)?;
            if inclusive { b.copy(&before, &Dest::Place(place)) } else { Ok(()) }
        })?;
        self.barrier(true, false);
        self.for_tile(row, base, |b, i, at| {
            let x = b.slot_at(&row.tile, at);
            let x = b.load(&x)?;
            let to = b.dest_at(dest, i)?;
            b.copy(&x, &to)
        })?;
        self.barrier(true, false);
        Ok(())
    }

    /// A loop over a tile in which neighbouring work-items take adjacent elements; `body` gets the index in the row and
    /// in local memory.
    fn for_tile(
        &mut self,
        row: &Row<'_, 'k>,
        base: &Size,
        body: impl FnOnce(&mut Self, &Size, Expr) -> Result<()>,
    ) -> Result<()> {
        if self.is_own_row(&row.xs.len) {
            return self.for_own_row(&row.xs.len.clone(), |b, i| {
                let at = b.size(i)?;
                body(b, i, row.padded(at))
            });
        }
        let each = u32::try_from(row.each).unwrap_or(1);
        let end = self.size(&row.xs.len)?;
        let from = self.size(base)?;
        self.written_out("k", each, |b, k| {
            let offset = b.bind("offset", CType::Int, times(k, row.items).add(item()));
            let i = b.bind("i", CType::Int, from.add(offset.clone()));
            b.provided(i.clone().lt(end), |b| {
                let i = b.index_below("i", i, &row.xs.len);
                body(b, &i, row.padded(offset))
            })
        })
    }

    /// A loop over this work-item's consecutive elements that exist; `body` gets the index in local memory.
    fn for_consecutive(
        &mut self,
        row: &Row<'_, 'k>,
        base: &Size,
        body: impl FnOnce(&mut Self, Expr) -> Result<()>,
    ) -> Result<()> {
        let each = u32::try_from(row.each).unwrap_or(1);
        let end = self.size(&row.xs.len)?;
        let from = self.size(base)?;
        self.written_out("k", each, |b, k| {
            let offset = times(item(), row.each).add(k.clone());
            let inside = from.add(offset).lt(end);
            b.provided(inside, |b| body(b, row.first.clone().add(times(item(), row.each + 1).add(k))))
        })
    }
}
