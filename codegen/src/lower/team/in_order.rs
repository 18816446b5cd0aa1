//! Folds and scans in order of rows in global memory: the work-items of a team load a tile of the row into local memory,
//! neighbours beside each other, and each of them goes through the whole tile. All but one of them compute what another
//! does, too, which costs nothing while the row is what they wait for.

use super::{is_in_local, item, times};
use crate::core::{Level, Prim, PrimCall};
use crate::lower::Result;
use crate::lower::function::FunctionBuilder;
use crate::lower::stream::tile::bytes;
use crate::lower::value::{Array, Closure, Dest, Env, Layout, Root, Value};
use crate::lower::write::dest_roots;
use crate::opencl::{CType, Expr, Step, Storage};
use crate::schedule::teams::SCAN_TILE;
use lift_analysis::size::Size;
use lift_analysis::ty::Ty;
use std::rc::Rc;

/// Maximum elements of a tile per work-item.
const MOST: i64 = 8;

/// A row that passes through local memory.
struct InOrder<'a, 'k> {
    xs: &'a Array<'k>,
    items: i64,
    /// Elements of a tile per work-item.
    each: i64,
    tile: Rc<Layout>,
    /// Where the tile of this work-item's row starts.
    first: Expr,
}

/// What becomes of the accumulator after each element.
#[derive(Clone, Copy)]
enum Written<'a, 'k> {
    /// Only the last one counts.
    Nothing,
    /// All are elements of the destination: those before or after the element.
    States { dest: &'a Dest<'k>, inclusive: bool },
}

impl FunctionBuilder<'_, '_> {
    /// Whether the work-items of a team each write some states of a scan in order, which others may read.
    pub fn scans_together(&self, call: &PrimCall) -> bool {
        matches!(call.prim, Prim::Scan(Level::Seq) | Prim::ScanExcl(Level::Seq)) && self.team().is_some()
    }
}

/// Folds a row by the team if it passes through local memory; the last accumulator.
pub fn fold_in_order<'k>(
    b: &mut FunctionBuilder<'_, 'k>,
    call: &'k PrimCall,
    env: &Env<'k>,
) -> Result<Option<Value<'k>>> {
    in_order(b, call, env, Written::Nothing)
}

/// Scans a row by the team if it passes through local memory; returns whether it did.
pub fn scan_in_order<'k>(
    b: &mut FunctionBuilder<'_, 'k>,
    call: &'k PrimCall,
    env: &Env<'k>,
    dest: &Dest<'k>,
) -> Result<bool> {
    let inclusive = matches!(call.prim, Prim::Scan(_));
    // The work-items of the team each write some elements, which would be lost in memory of their own.
    let mut roots = Vec::new();
    dest_roots(dest, &mut roots);
    if roots.iter().any(|root| is_of_item(b, root)) {
        return Ok(false);
    }
    Ok(in_order(b, call, env, Written::States { dest, inclusive })?.is_some())
}

fn is_of_item(b: &FunctionBuilder, root: &Root) -> bool {
    match root {
        Root::Register(_) | Root::Own(_) | Root::Array { local: false, .. } | Root::Part { .. } => true,
        Root::Array { local: true, .. } => false,
        Root::Buffer(id) => b.own().is_of_item(*id),
    }
}

fn in_order<'k>(
    b: &mut FunctionBuilder<'_, 'k>,
    call: &'k PrimCall,
    env: &Env<'k>,
    written: Written<'_, 'k>,
) -> Result<Option<Value<'k>>> {
    let xs = b.atom(&call.args[1], env)?;
    let xs = b.array(&xs)?;
    let Some(ty) = b.kernel().atom_ty(&call.args[1]).as_array().map(|a| a.element.clone()) else { return Ok(None) };
    let Some(row) = InOrder::of(b, &xs, &ty) else { return Ok(None) };
    let z = b.atom(&call.args[0], env)?;
    let z = b.forced(&z)?;
    let f = Closure { lambda: &call.funs[0], env: env.clone() };
    let name = f.first_name(b.kernel());
    let Some(acc) = b.registers_with(&z, &name)? else { return Ok(None) };
    row.run(b, &f, &acc, written)?;
    Ok(Some(acc))
}

impl<'a, 'k> InOrder<'a, 'k> {
    /// For the current row, if a team has it and does not hold it.
    fn of(b: &mut FunctionBuilder<'_, 'k>, xs: &'a Array<'k>, element: &Ty) -> Option<InOrder<'a, 'k>> {
        b.team()?;
        let items = b.grid().items_of_team()?;
        let rows = b.grid().rows_of_group();
        let most = SCAN_TILE / bytes(element)?.max(1) as i64 / (items * rows);
        let each = most.min(MOST);
        if each < 1 || is_in_local(xs) || b.grid().is_own_row(&xs.len) {
            return None;
        }
        // One element more, so that the same elements of two rows are in different banks.
        let len = items * each + 1;
        let tile = b.element_arrays(element, "tile", Storage::Local, len * rows)?;
        let first = b.grid().start_of_row(len);
        Some(InOrder { xs, items, each, tile, first })
    }

    /// Goes through the row; `acc` are registers with the first accumulator, then with the last one.
    fn run(
        &self,
        b: &mut FunctionBuilder<'_, 'k>,
        f: &Closure<'k>,
        acc: &Value<'k>,
        written: Written<'_, 'k>,
    ) -> Result<()> {
        b.runs_together();
        let n = self.xs.len.clone();
        let step = Step::Add(Expr::int(self.items * self.each));
        let result = b.by_group(|b| {
            b.for_range("base", Expr::int(0), &n, step, |b, base| {
                self.load(b, base)?;
                b.barrier(true, false);
                self.fold(b, f, acc, base, written)?;
                b.barrier(true, false);
                Ok(())
            })
        });
        b.share_memory();
        result
    }

    /// Loads the tile that starts at `base`.
    fn load(&self, b: &mut FunctionBuilder<'_, 'k>, base: &Size) -> Result<()> {
        let each = u32::try_from(self.each).unwrap_or(1);
        let (from, end) = (b.size(base)?, b.size(&self.xs.len)?);
        b.written_out("k", each, |b, k| {
            let offset = b.bind("offset", CType::Int, times(k, self.items).add(item()));
            let i = b.bind("i", CType::Int, from.add(offset.clone()));
            b.provided(i.clone().lt(end), |b| {
                let i = b.index_below("i", i, &self.xs.len);
                let x = b.read(self.xs, &i)?;
                let to = b.slot_at(&self.tile, self.first.clone().add(offset));
                b.copy(&x, &Dest::Place(to))
            })
        })
    }

    /// Goes through the tile, for which as many elements as there are work-items are written at a time.
    fn fold(
        &self,
        b: &mut FunctionBuilder<'_, 'k>,
        f: &Closure<'k>,
        acc: &Value<'k>,
        base: &Size,
        written: Written<'_, 'k>,
    ) -> Result<()> {
        let (from, end) = (b.size(base)?, b.size(&self.xs.len)?);
        let left = b.bind("left", CType::Int, end.sub(from.clone()));
        let tile = Expr::int(self.items * self.each);
        let count = b.bind("count", CType::Int, Expr::call("min", [left, tile]));
        let to = Size::var(b.index_var("count", count.clone()));
        let items = u32::try_from(self.items).unwrap_or(1);
        b.for_range("t", Expr::int(0), &to, Step::Add(Expr::int(self.items)), |b, t| {
            let t = b.size(t)?;
            let own = match written {
                Written::Nothing => None,
                Written::States { .. } => b.registers_with(acc, "own")?,
            };
            b.written_out("u", items, |b, u| {
                let at = b.bind("at", CType::Int, t.clone().add(u.clone()));
                b.provided(at.clone().lt(count.clone()), |b| {
                    let i = b.index_below("i", from.clone().add(at.clone()), &self.xs.len);
                    let place = b.slot_at(&self.tile, self.first.clone().add(at));
                    let x = b.load(&place)?;
                    let x = b.named_scalar(&x, "x")?;
                    let keeps = |b: &mut FunctionBuilder<'_, 'k>| match &own {
                        Some(own) => b.provided(u.clone().eq(item()), |b| b.assign_registers(own, acc)),
                        None => Ok(()),
                    };
                    if let Written::States { inclusive: false, .. } = written {
                        keeps(b)?;
                    }
                    let next = b.call(&f.at(&i), &[acc.clone(), x])?;
                    b.assign_registers(acc, &next)?;
                    if let Written::States { inclusive: true, .. } = written {
                        keeps(b)?;
                    }
                    Ok(())
                })
            })?;
            let (Some(own), Written::States { dest, .. }) = (own, written) else { return Ok(()) };
            let mine = b.bind("mine", CType::Int, t.add(item()));
            b.provided(mine.clone().lt(count.clone()), |b| {
                let i = b.index_below("i", from.clone().add(mine), &self.xs.len);
                let to = b.dest_at(dest, &i)?;
                b.copy(&own, &to)
            })
        })
    }
}
