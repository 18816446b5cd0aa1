//! `reduce` with any associative operator on a GPU: elements are combined in order, but read contiguously.
//!
//! A work-group folds consecutive tiles. In each, a work-item reads vectors of four elements, folds each vector, and
//! stores the results in local memory in the order of the elements. Then several neighbours at a time are folded, until
//! one value of the tile is left.

use super::reduce::Reduction;
use super::tile::{Shape, TILED, bytes};
use crate::core::{Level, Stmt};
use crate::lower::Result;
use crate::lower::device_filter::{local_id, rounded_up};
use crate::lower::function::FunctionBuilder;
use crate::lower::host::Host;
use crate::lower::launch::Title;
use crate::lower::value::{Array, Dest, Layout, Value};
use crate::opencl::{BinaryOp, CType, Expr, Step, Storage};
use crate::target::{Class, Target};
use lift_analysis::parameters::Parameter;
use lift_analysis::size::Size;
use std::rc::Rc;

/// Maximum neighbours that a work-item folds in one round.
const RADIX: u32 = 8;

/// The tile for elements of `bytes` bytes: its folded vectors fit local memory beside those of other groups.
fn shape(target: &Target, bytes: u64) -> Option<Shape> {
    const MOST_BYTES: u64 = 16 * 1024;
    let group = target.group.min(target.most_in_group).max(1);
    let fits = |fours: &u32| u64::from(group) * u64::from(*fours) * bytes <= MOST_BYTES;
    [4, 2, 1].into_iter().find(fits).map(|fours| Shape { group, fours })
}

/// The number of neighbours folded in each round, until one of `values` values is left.
fn rounds(values: u32) -> Vec<u32> {
    let (mut left, mut rounds) = (values, Vec::new());
    while left > 1 {
        let radix = (2..=RADIX).rev().find(|r| left.is_multiple_of(*r)).unwrap_or(left);
        rounds.push(radix);
        left /= radix;
    }
    rounds
}

impl<'k> Host<'k> {
    /// The folds of consecutive tiles, one for each group of a launch, in order; `None` if it is not possible.
    pub fn reduce_runs_to_parts(&mut self, stmt: &'k Stmt, r: &Reduction<'_, 'k>) -> Result<Option<Array<'k>>> {
        let target = self.program.target;
        let shape = match (target.class, bytes(r.ty)) {
            (Class::Gpu, Some(bytes)) => shape(&target, bytes),
            _ => None,
        };
        let (Some(shape), Some(most)) = (shape, self.program.upper(&self.program.facts, &r.xs.len)) else {
            return Ok(None);
        };
        let groups = Size::min(
            &shape.tiles(&most),
            &Size::nat((target.compute_units * target.get(Parameter::OrderedGroups)).into()),
        );
        let parts = self.partials(stmt, r.ty, &groups)?;
        let name = format!("{}_chunks", self.program.kernel.name_of(stmt.var));
        let title = Title { name: &name, label: "reduce: chunks", origin: &stmt.origin };
        let to = Dest::Place(parts.clone());
        self.launch(&title, TILED, shape.local(), |f| {
            let count = f.host_size(&groups, "parts")?;
            f.for_level(Level::Wrg(0), &count, |f, part| f.in_group(|f| fold_run(f, r, shape, part, &count, &to)))
        })?;
        match self.load(&parts)? {
            Value::Array(parts) => Ok(Some(parts)),
            _ => Ok(None),
        }
    }
}

/// Folds run `part` of `count` runs into element `part` of `to`.
fn fold_run<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    r: &Reduction<'_, 'k>,
    shape: Shape,
    part: &Size,
    count: &Size,
    to: &Dest<'k>,
) -> Result<()> {
    let no_scalars = "the elements are neither scalars nor tuples of scalars";
    let arrays = [("x", Storage::Private, shape.each()), ("slots", Storage::Local, shape.elements() / 4)]
        .map(|(name, storage, len)| f.element_arrays(r.ty, name, storage, len));
    let [Some(own), Some(slots)] = arrays else {
        return Err(f.error("reduce", no_scalars));
    };
    let z = f.force(r.z)?;
    let [Some(all), Some(folded)] = [f.registers_with(&z, "all")?, f.registers_with(&z, "folded")?] else {
        return Err(f.error("reduce", no_scalars));
    };
    let n = f.length(&r.xs.len)?;
    let tiles = f.bind("tiles", CType::Int, rounded_up(n.clone(), Expr::int(shape.elements())));
    let (part_expr, count) = (f.size(part)?, f.size(count)?);
    let run = f.bind("run", CType::Int, rounded_up(tiles.clone(), count));
    let first = f.bind("first_tile", CType::Int, Expr::binary(BinaryOp::Mul, part_expr, run.clone()));
    let last = Expr::call("min", [first.clone().add(run), tiles]);
    let last = f.bind("last_tile", CType::Int, last);
    let last = Size::var(f.index_var("last_tile", last));
    f.for_range("tile", first, &last, Step::Increment, |f, number| {
        let number = f.size(number)?;
        let tile = f.tile(shape, number, &n);
        tile.load_tile(f, r.xs, &own, Some(&z), None)?;
        fold_own_fours(f, r, shape, &own, &folded, &slots)?;
        f.barrier(true, false);
        let mut left = shape.group * shape.fours;
        for radix in rounds(left) {
            left /= radix;
            fold_neighbours(f, r, radix, left, &folded, &slots)?;
        }
        let of_tile = f.slot_at(&slots, Expr::int(0));
        f.provided(local_id().eq(Expr::int(0)), |f| {
            let of_tile = f.load(&of_tile)?;
            let next = f.call(r.f, &[all.clone(), of_tile])?;
            f.assign_registers(&all, &next)
        })
    })?;
    f.provided(local_id().eq(Expr::int(0)), |f| {
        let to = f.dest_at(to, part)?;
        f.copy(&all, &to)
    })
}

/// Folds each vector of this work-item and stores the result at its index in the tile.
fn fold_own_fours<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    r: &Reduction<'_, 'k>,
    shape: Shape,
    own: &Rc<Layout>,
    folded: &Value<'k>,
    slots: &Rc<Layout>,
) -> Result<()> {
    f.written_out("k", shape.fours, |f, k| {
        let at = |j: i64| Expr::binary(BinaryOp::Mul, k.clone(), Expr::int(4)).add(Expr::int(j));
        let first = f.slot_at(own, at(0));
        let first = f.load(&first)?;
        f.assign_registers(folded, &first)?;
        for j in 1..4 {
            let x = f.slot_at(own, at(j));
            let x = f.load(&x)?;
            let next = f.call(r.f, &[folded.clone(), x])?;
            f.assign_registers(folded, &next)?;
        }
        let slot = Expr::binary(BinaryOp::Mul, k, Expr::int(shape.group.into())).add(local_id().cast(CType::Int));
        let slot = f.slot_at(slots, slot);
        f.copy(folded, &Dest::Place(slot))
    })
}

/// The first `left` work-items each fold `radix` neighbours of the slots; the results become the first slots.
fn fold_neighbours<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    r: &Reduction<'_, 'k>,
    radix: u32,
    left: u32,
    folded: &Value<'k>,
    slots: &Rc<Layout>,
) -> Result<()> {
    let works = || local_id().lt(Expr::int(left.into()));
    let item = || local_id().cast(CType::Int);
    let neighbour = |j: Expr| Expr::binary(BinaryOp::Mul, item(), Expr::int(radix.into())).add(j);
    f.provided(works(), |f| {
        let first = f.slot_at(slots, neighbour(Expr::int(0)));
        let first = f.load(&first)?;
        f.assign_registers(folded, &first)?;
        f.written_out("j", radix - 1, |f, j| {
            let x = f.slot_at(slots, neighbour(j.add(Expr::int(1))));
            let x = f.load(&x)?;
            let next = f.call(r.f, &[folded.clone(), x])?;
            f.assign_registers(folded, &next)
        })
    })?;
    f.barrier(true, false);
    f.provided(works(), |f| {
        let slot = f.slot_at(slots, item());
        f.copy(folded, &Dest::Place(slot))
    })?;
    f.barrier(true, false);
    Ok(())
}
