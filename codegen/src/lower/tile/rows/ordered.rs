//! Folds that keep the order of a row: its elements pass through local memory, so that neighbouring work-items read
//! adjacent elements, yet each folds consecutive ones.

use super::{Folded, ITEMS, Stage, Teams};
use crate::lower::Result;
use crate::lower::function::FunctionBuilder;
use crate::lower::stream::tile::bytes;
use crate::lower::tile::min;
use crate::lower::value::{Closure, Dest, Layout, Value};
use crate::opencl::{BinaryOp, CType, Expr, Step, Storage};
use crate::schedule::teams::TILE_BYTES;
use lift_analysis::size::Size;
use std::rc::Rc;

/// Maximum elements of a tile per work-item.
const MOST: i64 = 16;

/// The elements of all work-items of a group; those of each are contiguous.
pub(super) struct Tile {
    slots: Rc<Layout>,
    each: i64,
}

impl Tile {
    /// The padded index of an element, so that different work-items use different banks.
    fn at(&self, item: Expr, element: Expr) -> Expr {
        times(item, self.each + 1).add(element)
    }
}

/// A work-item: its index in the group and in its team, the size of the team, and the index of the row.
pub(super) struct Own<'a> {
    pub item: &'a Expr,
    pub in_team: &'a Size,
    pub team: &'a Size,
    pub number: &'a Expr,
}

impl<'k> Folded<'k> {
    /// Memory for a tile, if the fold keeps the order and all rows have one length.
    pub(super) fn tile_in_order(&self, f: &mut FunctionBuilder<'_, 'k>) -> Result<Option<Tile>> {
        let ordered = !self.fold.funs[0].is_commutative(f.kernel()) && self.teams == Teams::Neighbours;
        let ty = f.kernel().atom_ty(&self.fold.args[1]);
        let element = ty.as_array().map(|a| a.element.clone()).filter(|e| bytes(e).is_some_and(|n| n > 0));
        let (Some(element), true, Some(_)) = (element, ordered, &self.length) else { return Ok(None) };
        if matches!(self.stage, Stage::Rest(..)) {
            return Ok(None);
        }
        let of_one = bytes(&element).unwrap_or(1);
        let mut each = MOST;
        while each > 1 && (each + 1) as u64 * of_one * ITEMS as u64 > TILE_BYTES {
            each /= 2;
        }
        if each < 4 {
            return Ok(None);
        }
        let slots = f.element_arrays(&element, "tile", Storage::Local, ITEMS * (each + 1));
        Ok(slots.map(|slots| Tile { slots, each }))
    }

    /// Folds this work-item's share of the row. All work-items of the group must execute it.
    pub(super) fn share_in_order(
        &self,
        b: &mut FunctionBuilder<'_, 'k>,
        tile: &Tile,
        g: &Size,
        own: &Own<'_>,
        (n, parts): (&Expr, Option<&(Size, Size)>),
        acc: &Value<'k>,
    ) -> Result<()> {
        let Some(k) = self.length.clone() else { return Ok(()) };
        let (k_expr, team) = (b.size(&k)?, b.size(own.team)?);
        let of_part = match (&self.stage, parts) {
            (Stage::Parts(parts, _), Some(_)) => {
                let parts = b.host_size(parts, "parts")?;
                let parts = b.size(&parts)?;
                b.bind("of_part", CType::Int, k_expr.clone().sub(Expr::int(1)).div(parts).add(Expr::int(1)))
            }
            _ => k_expr.clone(),
        };
        let piece = of_part.clone().add(team.clone()).sub(Expr::int(1)).div(team.clone());
        let piece = b.bind("piece", CType::Int, piece);
        let last = b.bind("last_item", CType::Int, team.clone().sub(Expr::int(1)));
        let log = Expr::int(31).sub(Expr::call("clz", [team.clone()]));
        let log = b.bind("log_team", CType::Int, log);
        let teams = b.bind("teams_of_group", CType::Int, Expr::int(ITEMS).div(team));
        let first = b.size(g)?.mul(teams);
        let first = b.bind("first_row", CType::Int, first);
        let trips = b.index_var("piece", piece.clone());
        b.known_mut().assume_le(Size::zero(), Size::var(trips.clone()));
        // The index in the row of a work-item's element `offset`, and the condition that it exists.
        let place = |number: &Expr, lane: Expr, offset: &Expr| {
            let at = Expr::binary(BinaryOp::Mul, lane, piece.clone()).add(offset.clone());
            let inside = number.clone().lt(n.clone()).and(offset.clone().lt(piece.clone()));
            (at.clone(), inside.and(at.lt(of_part.clone())))
        };
        b.for_range("s", Expr::int(0), &Size::var(trips), Step::Add(Expr::int(tile.each)), |b, s| {
            let s = b.size(s)?;
            b.written_out("k", tile.each as u32, |b, k| {
                let e = b.bind("e", CType::Int, times(k, ITEMS).add(own.item.clone()));
                let of = b.bind("of", CType::Int, e.clone().div(Expr::int(tile.each)));
                let element =
                    b.bind("element", CType::Int, Expr::binary(BinaryOp::BitAnd, e, Expr::int(tile.each - 1)));
                let number = Expr::binary(BinaryOp::Shr, of.clone(), log.clone());
                let number = b.bind("number_of", CType::Int, first.clone().add(number));
                let lane = Expr::binary(BinaryOp::BitAnd, of.clone(), last.clone());
                let offset = b.bind("offset", CType::Int, s.clone().add(element.clone()));
                let (at, inside) = place(&number, lane, &offset);
                let at = b.bind("at", CType::Int, at);
                b.when(inside, |b| {
                    let (condition, row, at) = element_of_row(b, self, parts, (&number, &of_part), &at, &k_expr)?;
                    b.when(condition, |b| {
                        let env = self.row_env(b, &row, &self.before().map(|s| s.var).collect())?;
                        let xs = b.atom(&self.fold.args[1], &env)?;
                        let xs = b.array(&xs)?;
                        let at = b.index_below("at", at, &xs.len);
                        let x = b.read(&xs, &at)?;
                        let to = b.slot_at(&tile.slots, tile.at(of, element));
                        b.copy(&x, &Dest::Place(to))
                    })
                })
            })?;
            b.barrier(true, false);
            let f = Closure { lambda: &self.fold.funs[0], env: self.env.clone() };
            b.written_out("k", tile.each as u32, |b, element| {
                let offset = b.bind("offset", CType::Int, s.clone().add(element.clone()));
                let lane = b.size(own.in_team)?;
                let (at, inside) = place(own.number, lane, &offset);
                let at = b.bind("at", CType::Int, at);
                b.when(inside, |b| {
                    let (condition, ..) = element_of_row(b, self, parts, (own.number, &of_part), &at, &k_expr)?;
                    b.when(condition, |b| {
                        let x = b.slot_at(&tile.slots, tile.at(own.item.clone(), element));
                        let x = b.load(&x)?;
                        let next = b.call(&f, &[acc.clone(), x])?;
                        let next = b.contracted(next);
                        b.assign_registers(acc, &next)
                    })
                })
            })?;
            b.barrier(true, false);
            Ok(())
        })
    }
}

/// Locates an element of a row, or of a part of one: the condition that it exists, its row, and its index.
fn element_of_row<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    folded: &Folded<'k>,
    parts: Option<&(Size, Size)>,
    (number, of_part): (&Expr, &Expr),
    at: &Expr,
    k: &Expr,
) -> Result<(Expr, Size, Expr)> {
    let Some((_, rows)) = parts else {
        let last = folded.count.sub(&Size::one());
        return Ok((Expr::Bool(true), f.number("row", number.clone(), &last), at.clone()));
    };
    let (row, part) = f.row_and_part(number, rows)?;
    let part = f.size(&part)?;
    let from = min(Expr::binary(BinaryOp::Mul, part, of_part.clone()), k.clone());
    let from = f.bind("first", CType::Int, from);
    let left = f.bind("left", CType::Int, k.clone().sub(from.clone()));
    Ok((at.clone().lt(left), row, from.add(at.clone())))
}

fn times(e: Expr, by: i64) -> Expr {
    Expr::binary(BinaryOp::Mul, e, Expr::int(by))
}
