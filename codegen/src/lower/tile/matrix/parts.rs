//! The k dimension divided among groups, if there are few tiles: each group folds a part of its tile's iterations, and
//! a second launch folds the results of the parts.

use super::Element;
use super::shape::Shape;
use crate::core::Stmt;
use crate::lower::function::FunctionBuilder;
use crate::lower::host::Host;
use crate::lower::program::ProgramBuilder;
use crate::lower::tile::{min, number_of, write_result};
use crate::lower::value::{Array, Closure, Dest, Layout, Place};
use crate::lower::{LowerError, Result};
use crate::opencl::{BinaryOp, Expr, Step};
use lift_analysis::parameters::Parameter;
use lift_analysis::size::Size;
use lift_analysis::ty::Ty;

/// The parts into which the k dimension of all tiles is divided.
pub(super) struct Parts {
    /// The number of parts; 1 if there are enough tiles, or few iterations.
    count: Size,
    /// The iterations of each part, a multiple of the depth of a tile. The last part may have fewer, or none.
    each: Size,
    /// The results of the parts: for each element of the maps around and each part, one for each row and column.
    place: Place,
}

impl Parts {
    /// The number of tiles of all parts.
    pub fn of_all(&self, tiles: &Size) -> Size {
        tiles.mul(&self.count)
    }

    /// Positive if there is more than one.
    pub fn several(&self) -> Size {
        self.count.sub(&Size::one())
    }
}

/// The iterations that a group folds; `first + rounds` is at most the number of all iterations.
pub(super) struct Span {
    pub first: Size,
    pub rounds: Size,
}

/// The part of a group, in a launch.
pub(super) struct Part {
    /// The first of its results among all that parts give.
    pub at: Size,
    pub layout: std::rc::Rc<Layout>,
}

/// How many parts there are.
pub(super) struct Divided {
    count: Size,
    /// The number that there would be, were there room for all of them.
    pub most: Size,
    /// The tiles of all parts, if there are several.
    groups: i64,
}

impl ProgramBuilder<'_> {
    /// The parts for this many tiles; `None` if there is one, or their number is not known before the run.
    pub(super) fn divided(&self, tiles: &Size, rounds: &Size) -> Option<Divided> {
        if !self.is_known_before(tiles) || !self.is_known_before(rounds) {
            return None;
        }
        let groups = i64::from(self.target.compute_units) * self.parameter(Parameter::MatrixGroups);
        let wanted = Size::int(groups).div_floor(&Size::max(tiles, &Size::one()));
        let most = Size::max(&rounds.div_floor(&Size::int(self.parameter(Parameter::MatrixPart))), &Size::one());
        let count = Size::min(&Size::max(&wanted, &Size::one()), &most);
        (!count.is_one() && !most.is_one()).then_some(Divided { count, most, groups })
    }
}

impl<'k> Host<'k> {
    /// Memory for the results of the parts, for this many results of the map.
    pub(super) fn parts(
        &mut self,
        stmt: &'k Stmt,
        divided: Divided,
        (rounds, shape): (&Size, Shape),
        ty: &Ty,
        results: &Size,
    ) -> Result<Parts> {
        let Divided { count, groups, .. } = divided;
        let depth = Size::int(shape.depth);
        let each = rounds.div_ceil(&depth).div_ceil(&count).mul(&depth);
        // Several parts have at most as many tiles together as there are groups.
        let most = Size::int(groups * shape.rows().lanes * shape.columns().lanes);
        let several = count.sub(&Size::one());
        let room = Size::if_le(&Size::one(), &several, &Size::min(&results.mul(&count), &most), &Size::zero());
        match &*self.partials(stmt, ty, &room)?.layout {
            Layout::Array { element, .. } => {
                let place = Place { layout: element.clone(), at: Size::zero() };
                Ok(Parts { count, each, place })
            }
            _ => Err(LowerError::new(&stmt.origin, "map", "the parts of rounds are not an array")),
        }
    }
}

/// The tile of a group, its iterations, and the destination of its results. `number` counts the tiles of all parts,
/// part by part, so that concurrent groups read the same part of the k dimension. `around` is the index of the
/// element of the maps around, and `results` their number for each of these elements.
pub(super) fn part_of_group(
    f: &mut FunctionBuilder,
    (parts, around): (&Parts, &Size),
    (number, tiles): (&Size, &Size),
    rounds: &Size,
    results: &Size,
) -> Result<(Size, Span, Part)> {
    let one = Size::one();
    let (count, each) = (f.host_size(&parts.count, "parts")?, f.host_size(&parts.each, "of_part")?);
    let part = number_of(f, "part", &number.div_floor(tiles), &count.sub(&one))?;
    let tile = number_of(f, "tile_of_part", &number.rem(tiles), &tiles.sub(&one))?;
    let from = Expr::binary(BinaryOp::Mul, f.size(&part)?, f.size(&each)?);
    let all = f.size(rounds)?;
    let first = f.number("first", min(from, all.clone()), rounds);
    let left = all.sub(f.size(&first)?);
    let length = min(f.size(&each)?, left);
    let length = f.number("rounds", length, rounds);
    f.known_mut().assume_le(first.add(&length), rounds.clone());
    let at = around.mul(&count).add(&part).mul(results);
    let part = Part { at, layout: parts.place.layout.clone() };
    Ok((tile, Span { first, rounds: length }, part))
}

impl Parts {
    /// Combines the results of the parts.
    pub(super) fn fold_of_parts<'k>(
        &self,
        f: &mut FunctionBuilder<'_, 'k>,
        around: Size,
        element: &Element<'k>,
        [rows, columns]: [&Array<'k>; 2],
        dest: &Dest<'k>,
    ) -> Result<()> {
        let (n, m) = (&rows.len, &columns.len);
        let cells = f.host_size(&n.mul(m), "results")?;
        let across = f.host_size(m, "across")?;
        let count = f.host_size(&self.count, "parts")?;
        f.for_level(crate::core::Level::Glb(0), &cells, |f, cell| {
            let r = number_of(f, "r", &cell.div_floor(&across), &n.sub(&Size::one()))?;
            let c = number_of(f, "c", &cell.rem(&across), &m.sub(&Size::one()))?;
            let lanes = [f.read(rows, &r)?, f.read(columns, &c)?];
            let env = element.before_fold(f, lanes)?;
            let operator = Closure { lambda: &element.fold.funs[0], env: env.clone() };
            let at = |part: &Size| {
                let at = around.mul(&count).add(part).mul(&cells).add(cell);
                Place { layout: self.place.layout.clone(), at }
            };
            let first = f.load(&at(&Size::zero()))?;
            let Some(acc) = f.registers_with(&first, "acc")? else {
                return Err(f.error("reduce", "the accumulator is neither a scalar nor a tuple of scalars"));
            };
            f.for_range("part", Expr::int(1), &count, Step::Increment, |f, part| {
                let x = f.load(&at(part))?;
                let next = f.call(&operator, &[acc.clone(), x])?;
                f.assign_registers(&acc, &next)
            })?;
            let value = element.finished(f, env, acc)?;
            write_result(f, &value, [&r, &c], dest)
        })
    }
}
