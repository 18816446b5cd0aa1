//! `map (λrow. map (λcolumn. g (reduce f z (… row column …))) columns) rows`, in tiles.
//!
//! A group computes a block of results, each work-item 8×8 of them (or 4×4, or 4×8) in registers. Rows and columns pass through
//! local memory, a few iterations of the fold at a time; while one tile is folded, the next is fetched. Rows and
//! columns after the last are clamped and their results discarded. Iterations after the last are never executed, so any
//! fold may be tiled. Each result is folded in the order of the program.
//!
//! If there are fewer tiles than the device has room for, the k dimension is divided among several groups ([`parts`]).
//!
//! The arrangement is that of the usual kernels for matrix products (Nath, Tomov, Dongarra, *An improved MAGMA GEMM for
//! Fermi GPUs*, 2010; NVIDIA CUTLASS): warps of 8×4 work-items, with elements in blocks of four.
//!
//! | module | job |
//! |---|---|
//! | `product` | the parts of a nest |
//! | `shape` | the sizes of tiles |
//! | `parts` | the k dimension divided among groups, where there are few tiles |
//! | `tile` | the code of a tile |
//! | `folded` | rows of results that are folded while their tiles are in registers |

mod folded;
mod parts;
mod product;
mod shape;
pub(super) mod tile;

use self::tile::{for_batch, writes_fours};
use crate::core::{Lambda, Level, PrimCall, Stmt};
use crate::lower::function::{Dims, FunctionBuilder};
use crate::lower::host::Host;
use crate::lower::launch::Title;
use crate::lower::tile::bytes_of;
use crate::lower::tile::operand::{ITEMS, WIDE, multiples_of};
use crate::lower::value::{Array, Dest, Env};
use crate::lower::{LowerError, Result};
use crate::schedule::nest::{self, Nest};
use crate::schedule::rules;
use crate::target::Class;
use lift_analysis::hir::Scalar;
use lift_analysis::parameters::Parameter;
use lift_analysis::size::{Size, Truth};
use lift_analysis::ty::{Ty, TyKind};
use parts::Parts;
use product::Product;
use shape::{Shape, narrow_shapes, narrow_tiles, shapes};

/// Bytes of results that a work-item keeps in registers.
const REGISTERS: i64 = 256;

/// The computation for each pair of a row and a column.
pub struct Element<'k> {
    /// The function of a column.
    f: &'k Lambda,
    /// The function of a row.
    outer: &'k Lambda,
    env: Env<'k>,
    nest: Nest,
    pub fold: &'k PrimCall,
    pub rounds: Size,
}

/// How the tiles of a launch are computed.
struct Block<'p> {
    shape: Shape,
    /// Whether all tiles are complete in rows, columns and the k dimension, and are fetched as vectors.
    whole: bool,
    /// Whether results are written four at a time.
    fours: bool,
    /// The parts of the k dimension, if it is divided among groups; and the index of the element of the maps around.
    parts: Option<(&'p Parts, Size)>,
}

/// Tiles with the whole k dimension.
struct Whole<'a> {
    /// Sizes that are multiples of these numbers.
    multiples: &'a [(Size, i64)],
    fours: bool,
}

/// The data that the launches of all versions share.
struct Versions<'a, 'k> {
    title: &'a Title<'a>,
    used: Dims,
    local: [Option<u32>; 3],
    /// Sizes that are multiples of these numbers if all tiles are whole; `None` if no launch is for whole tiles.
    multiples: Option<&'a [(Size, i64)]>,
    rounds: &'a Size,
    nested: &'a Batched<'a, 'k>,
}

/// One version of the tiles.
struct Version<'a> {
    shape: Shape,
    /// Whether its tiles are those for few tiles.
    is_small: bool,
    /// Whether incomplete tiles of all shapes are left to the small ones.
    of_all: bool,
    /// Whether results may be written four at a time.
    fours: bool,
    parts: Option<&'a Parts>,
    only_if: &'a [Size],
    /// The condition under which the k dimension is divided or not.
    of_stage: &'a [Size],
}

/// A nest with the maps around it, and the place of its results.
struct Batched<'a, 'k> {
    stmt: &'k Stmt,
    /// The maps around the nest, the outermost first.
    batch: &'a [&'k PrimCall],
    env: &'a Env<'k>,
    dest: &'a Dest<'k>,
    product: &'a Product<'k>,
}

/// What the code of tiles shows about their lengths.
struct Lengths {
    rows: Size,
    columns: Size,
    /// Sizes that are multiples of these numbers if all tiles are whole; `None` if that cannot be checked before.
    multiples: Option<Vec<(Size, i64)>>,
    /// Whether results may be written four at a time.
    fours: bool,
}

/// Where the elements of the maps around a nest are computed.
pub struct Batch {
    level: fn(u8) -> Level,
    /// The number of elements before this one.
    at: Size,
}

impl Batch {
    fn groups() -> Batch {
        Batch { level: Level::Wrg, at: Size::zero() }
    }
    fn items() -> Batch {
        Batch { level: Level::Glb, at: Size::zero() }
    }
    /// Beside tiles in two dimensions, the innermost of the maps has the third.
    pub fn cores() -> Batch {
        Batch { level: |left| if left == 1 { Level::Wrg(2) } else { Level::Seq }, at: Size::zero() }
    }
}

/// The element function, all rows and all columns.
pub type Nested<'k> = (Element<'k>, Array<'k>, Array<'k>);

/// The statements before the inner map that take components of a row.
fn of_rows(outer: &Lambda) -> impl Iterator<Item = &Stmt> {
    let all = outer.body.stmts.len().saturating_sub(1);
    outer.body.stmts.iter().take(all).filter(|s| nest::is_of_row(outer, s))
}
fn common(outer: &Lambda) -> impl Iterator<Item = &Stmt> {
    let all = outer.body.stmts.len().saturating_sub(1);
    outer.body.stmts.iter().take(all).filter(|s| !nest::is_of_row(outer, s))
}

fn is_tuple_of_rows(ty: &Ty) -> bool {
    matches!(ty.kind(), TyKind::Tuple(_)) && !nest::is_scalars(ty)
}

/// Bytes of a row that are read in one iteration.
fn bytes_of_rounds(ty: &Ty) -> u64 {
    match ty.kind() {
        TyKind::Tuple(parts) => parts.iter().map(bytes_of_rounds).sum(),
        _ => ty.as_array().map_or(0, |a| bytes_of(&a.element)),
    }
}

/// The versions without parts and with them, each under its condition.
fn stages(parts: Option<&Parts>) -> Vec<(Option<&Parts>, Vec<Size>)> {
    match parts {
        None => vec![(None, Vec::new())],
        Some(parts) => vec![(None, vec![Size::one().sub(&parts.several())]), (Some(parts), vec![parts.several()])],
    }
}

impl<'k> Batched<'_, 'k> {
    /// Computes each element of the maps around the nest: its index, its nest and the place of its results.
    fn for_each(
        &self,
        b: &mut FunctionBuilder<'_, 'k>,
        all: Batch,
        act: &mut dyn FnMut(&mut FunctionBuilder<'_, 'k>, Size, Nested<'k>, &Dest<'k>) -> Result<()>,
    ) -> Result<()> {
        for_batch(b, self.batch, all, self.env.clone(), self.dest.clone(), &mut |b, at, env, dest| {
            let nested = self.product.nested(b, &env)?;
            act(b, at, nested, &dest)
        })
    }

    /// Writes the function of a launch for tiles of a shape.
    fn tiles(
        &self,
        b: &mut FunctionBuilder<'_, 'k>,
        shape: Shape,
        parts: Option<&Parts>,
        whole: Option<Whole<'_>>,
    ) -> Result<()> {
        let Product { row_ty, column_ty, z_ty, .. } = self.product;
        for (size, of) in whole.iter().flat_map(|whole| whole.multiples) {
            b.known_mut().assume_divides(Size::int(*of), size.clone());
        }
        self.for_each(b, Batch::groups(), &mut |b, at, (element, rows, columns), dest| {
            let fours = whole.as_ref().is_some_and(|whole| whole.fours);
            let all = Block { shape, whole: whole.is_some(), fours, parts: parts.map(|parts| (parts, at)) };
            all.matrix_tiles(b, &element, (rows, row_ty), (columns, column_ty), z_ty, dest)
        })
    }
}

impl<'k> Host<'k> {
    pub(super) fn matrix(
        &mut self,
        stmt: &'k Stmt,
        call: &'k PrimCall,
        env: &Env<'k>,
        dest: &Dest<'k>,
        nest: Nest,
        batches: usize,
    ) -> Result<bool> {
        let kernel = self.program.kernel;
        let wrong = || LowerError::new(&stmt.origin, "map", "a nest of maps changed after it was recognised");
        let mut batch = Vec::new();
        let mut call = call;
        for _ in 0..batches {
            batch.push(call);
            call = nest::inner(&call.funs[0]).ok_or_else(wrong)?.0;
        }
        let product = Product::of(kernel, call, nest, env).ok_or_else(wrong)?;
        let nested = Batched { stmt, batch: &batch, env, dest, product: &product };
        if self.program.target.class == Class::Cpu {
            let Product { row_ty, column_ty, z_ty, .. } = &product;
            if [row_ty, column_ty].into_iter().any(|ty| is_tuple_of_rows(ty)) {
                return Ok(false);
            }
            return self.matrix_on_cores(stmt, &batch, [row_ty, column_ty, z_ty], (env, dest), |b, env| {
                product.nested(b, env)
            });
        }
        self.matrix_of_groups(&nested, nest.reorder)
    }

    /// Computes a nest by tiles in local memory; not if a tile does not fit into it. `reorder`: whether a fold
    /// may be split into parts that are combined later.
    fn matrix_of_groups(&mut self, nested: &Batched<'_, 'k>, reorder: bool) -> Result<bool> {
        let Batched { stmt, batch, env, .. } = *nested;
        let Product { f, row_ty, column_ty, z_ty, rounds, .. } = nested.product;
        let (kernel, batches) = (self.program.kernel, batch.len());
        let bytes = |s: &Shape| s.bytes([row_ty, column_ty].map(|ty| bytes_of_rounds(ty) as i64));
        // Four results of each work-item.
        let out = ITEMS * WIDE * bytes_of(&kernel.atom_ty(&f.body.result)) as i64;
        // Halves are rounded after each operation, in code that would be repeated for each element of a tile.
        if z_ty.any(&mut |t| t.as_scalar() == Some(Scalar::Half)) {
            return Ok(false);
        }
        let target = self.program.target;
        let fits = |s: &&Shape| {
            let registers = s.item[0] * s.item[1] * bytes_of(z_ty) as i64;
            bytes(s) <= target.local_memory as i64 && registers <= REGISTERS
        };
        let shapes = shapes(&target);
        let Some(shape) = shapes.iter().find(fits).copied() else { return Ok(false) };
        if i64::from(target.most_in_group) < ITEMS {
            return Ok(false);
        }
        let title = Title { name: kernel.name_of(stmt.var), label: "map: tiles", origin: &stmt.origin };
        let used = Dims { wrg: [true, batches > 0, batches > 1], lcl: [true, false, false], ..Dims::default() };
        let local = [Some(ITEMS as u32), Some(1), Some(1)];
        self.program.applied(&rules::TILE_MATRIX, &stmt.origin);
        let Lengths { rows: n, columns: m, multiples, fours } = self.lengths(nested, used, shape.depth)?;
        // Use smaller tiles if there are too few to occupy the device, or if they would be empty for the most part.
        let smaller = shapes.iter().filter(fits).find(|s| s.item[0] < shape.item[0] && s.depth == shape.depth).copied();
        let length = |c: &&PrimCall| kernel.atom_ty(&c.args[0]).as_array().map_or(Size::one(), |a| env.size(&a.len));
        let all_around = batch.iter().map(length).fold(Size::one(), |a, b| a.mul(&b));
        let tiles = shape.tiles([&n, &m]).mul(&all_around);
        let divided = match reorder {
            true => self.program.divided(&tiles, rounds),
            false => None,
        };
        let at_most = divided.as_ref().map_or_else(Size::one, |d| d.most.clone());
        let units = Size::nat(target.compute_units.into());
        let few = units.sub(&tiles.mul(&at_most));
        let mut versions = self.occupying(shape, smaller, &few, [&n, &m]);
        let cells = n.mul(&m).mul(&all_around);
        let parts = match divided {
            Some(divided) => Some(self.parts(stmt, divided, (rounds, shape), z_ty, &cells)?),
            None => None,
        };
        let both = versions.len() > 1;
        let several = parts.as_ref().map_or_else(Size::zero, Parts::several);
        let narrow = narrow_shapes(&target, |shape| fits(&shape));
        for (shape, of_narrow) in narrow_tiles(&target, narrow, [&n, &m], &all_around) {
            let of_narrow = Size::if_le(&several, &Size::zero(), &of_narrow, &Size::zero());
            if of_narrow.is_zero() || !self.program.is_known_before(&of_narrow) {
                continue;
            }
            versions.iter_mut().for_each(|(_, only_if)| only_if.push(Size::one().sub(&of_narrow)));
            let title = Title { label: "map: narrow tiles", ..title.clone() };
            self.launch_if(&[of_narrow], &title, used, local, |b| nested.tiles(b, shape, None, None))?;
        }
        let all = Versions { title: &title, used, local, multiples: multiples.as_deref(), rounds, nested };
        for (shape, only_if) in versions {
            let is_small = Some(shape) == smaller;
            for (parts, of_stage) in stages(parts.as_ref()) {
                let fours = fours && parts.is_none() && bytes(&shape) + out <= target.local_memory as i64;
                // Incomplete parts use only small tiles, so that the text is shorter.
                let of_all = parts.is_some() && both;
                let of = Version { shape, is_small, of_all, fours, parts, only_if: &only_if, of_stage: &of_stage };
                self.launch_version(&all, &of)?;
            }
        }
        if multiples.is_some() {
            self.program.applied(&rules::WHOLE_TILES, &stmt.origin);
        }
        if let Some(parts) = &parts {
            self.fold_parts(nested, parts)?;
        }
        Ok(true)
    }

    /// The lengths of rows and columns, and what is to be checked of them for whole tiles.
    fn lengths(&mut self, nested: &Batched<'_, 'k>, used: Dims, depth: i64) -> Result<Lengths> {
        let Product { f, row_ty, column_ty, .. } = nested.product;
        let mut found = None;
        self.program.probe(&nested.stmt.origin, |b| {
            b.grid_mut().distribute_over(used);
            nested.for_each(b, Batch::groups(), &mut |b, _, (element, rows, columns), dest| {
                let mut multiples = multiples_of(b, [(&rows, row_ty), (&columns, column_ty)], &element.rounds, depth);
                let divides = b.known().divides(WIDE, &columns.len);
                let fours = !divides.is_no()
                    && b.program().is_known_before(&columns.len)
                    && writes_fours(b, &b.kernel().atom_ty(&f.body.result), &columns.len, dest)?;
                if let Some(all) = &mut multiples
                    && fours
                    && divides == Truth::Unknown
                {
                    all.push((columns.len.clone(), WIDE));
                }
                found = Some(Lengths { rows: rows.len.clone(), columns: columns.len.clone(), multiples, fours });
                Ok(())
            })
        })?;
        let changed = || LowerError::new(&nested.stmt.origin, "map", "a nest of maps has no elements");
        let found = found.ok_or_else(changed)?;
        let is_known = |all: &Vec<(Size, i64)>| all.iter().all(|(size, _)| self.program.is_known_before(size));
        Ok(Lengths { multiples: found.multiples.filter(is_known), ..found })
    }

    /// The shape or the smaller one, or both, each with the sizes that must be positive where it is launched. The smaller
    /// one is for few tiles (`few` is positive), and where larger tiles would be empty for the most part.
    fn occupying(
        &self,
        shape: Shape,
        smaller: Option<Shape>,
        few: &Size,
        [n, m]: [&Size; 2],
    ) -> Vec<(Shape, Vec<Size>)> {
        let Some(smaller) = smaller else { return vec![(shape, Vec::new())] };
        let few = Size::max(few, &Size::int(smaller.rows().lanes + 1).sub(&Size::min(n, m)));
        match few.as_const() {
            Some(1..) => vec![(smaller, Vec::new())],
            None if self.program.is_known_before(&few) => {
                vec![(shape, vec![Size::one().sub(&few)]), (smaller, vec![few])]
            }
            _ => vec![(shape, Vec::new())],
        }
    }

    /// Launches the fold of the parts of the k dimension.
    fn fold_parts(&mut self, nested: &Batched<'_, 'k>, parts: &Parts) -> Result<()> {
        let (stmt, batches) = (nested.stmt, nested.batch.len());
        self.program.applied(&rules::TILE_PARTS, &stmt.origin);
        let used = Dims { glb: [true, batches > 0, batches > 1], ..Dims::default() };
        let name = self.program.kernel.name_of(stmt.var);
        let title = Title { name, label: "map: results of the parts", origin: &stmt.origin };
        self.launch_if(&[parts.several()], &title, used, [None; 3], |b| {
            nested.for_each(b, Batch::items(), &mut |b, at, (element, rows, columns), dest| {
                parts.fold_of_parts(b, at, &element, [&rows, &columns], dest)
            })
        })
    }

    /// Launches tiles of a shape: whole tiles if all lengths are the required multiples, otherwise any tiles.
    fn launch_version(&mut self, all: &Versions<'_, 'k>, of: &Version<'_>) -> Result<()> {
        let Versions { used, local, nested, .. } = *all;
        let Version { shape, parts, .. } = *of;
        let title =
            |labels: [&'static str; 2]| Title { label: labels[usize::from(parts.is_some())], ..all.title.clone() };
        let and = |sizes: &[Size]| [of.only_if, of.of_stage, sizes].concat();
        let some = title(["map: tiles", "map: parts of tiles"]);
        let Some(multiples) = all.multiples else {
            let only_if = and(&[]);
            return match only_if.is_empty() {
                true => self.launch(&some, used, local, |b| nested.tiles(b, shape, parts, None)),
                false => self.launch_if(&only_if, &some, used, local, |b| nested.tiles(b, shape, parts, None)),
            };
        };
        // 0 if all lengths are the required multiples.
        let rest = multiples.iter().fold(Size::zero(), |sum, (size, of)| sum.add(&size.rem(&Size::int(*of))));
        let whole = title(["map: whole tiles", "map: parts of whole tiles"]);
        let none = Size::one().sub(&rest);
        // With vectors, long folds of large tiles are slower, for a reason that is not known: 3500 µs instead of 3043 for a
        // product of 4096 by 4096 matrices on an H200.
        let most = Size::int(self.program.parameter(Parameter::MatrixFours));
        let short = match (of.fours, self.program.is_known_before(all.rounds)) {
            (true, _) if of.is_small => Size::one(),
            (true, true) => Size::if_le(all.rounds, &most, &Size::one(), &Size::zero()),
            _ => Size::zero(),
        };
        for (fours, which) in [(true, short.clone()), (false, Size::one().sub(&short))] {
            if which.is_zero() {
                continue;
            }
            let only_if = if which.is_one() { and(std::slice::from_ref(&none)) } else { and(&[none.clone(), which]) };
            let tiles = Whole { multiples, fours };
            self.launch_if(&only_if, &whole, used, local, |b| nested.tiles(b, shape, parts, Some(tiles)))?;
        }
        if !multiples.is_empty() && (of.is_small || !of.of_all) {
            let some_of = if of.of_all { [of.of_stage, &[rest]].concat() } else { and(&[rest]) };
            self.launch_if(&some_of, &some, used, local, |b| nested.tiles(b, shape, parts, None))?;
        }
        Ok(())
    }
}
