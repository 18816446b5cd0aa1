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
//! | `shape` | the sizes of tiles |
//! | `parts` | the k dimension divided among groups, where there are few tiles |
//! | `tile` | the code of a tile |
//! | `folded` | rows of results that are folded while their tiles are in registers |

mod folded;
mod parts;
mod shape;
pub(super) mod tile;

use self::tile::{for_batch, writes_fours};
use crate::core::{Lambda, Level, PrimCall, Rhs, Stmt};
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

/// Writes the function of a launch for tiles of a shape: of parts, or of whole tiles.
type TileBody<'a, 'k> =
    dyn Fn(&mut FunctionBuilder<'_, 'k>, Shape, Option<&Parts>, Option<Whole<'_>>) -> Result<()> + 'a;

/// The data that the launches of all versions share.
struct Versions<'a, 'k> {
    title: &'a Title<'a>,
    used: Dims,
    local: [Option<u32>; 3],
    /// Sizes that are multiples of these numbers if all tiles are whole; `None` if no launch is for whole tiles.
    multiples: Option<&'a [(Size, i64)]>,
    rounds: &'a Size,
    body: &'a TileBody<'a, 'k>,
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
        let outer = &call.funs[0];
        let (inner, f) = nest::inner(outer).ok_or_else(wrong)?;
        let fold = f.body.stmts.iter().find(|s| s.var == nest.fold).ok_or_else(wrong)?;
        let Rhs::Prim(fold) = &fold.rhs else { return Err(wrong()) };
        let (row_ty, column_ty) = (kernel.ty(outer.params[0]), kernel.ty(f.params[0]));
        let z_ty = kernel.atom_ty(&fold.args[0]);
        let element = |ty: &Ty| bytes_of_rounds(ty) as i64;
        let rounds = kernel.atom_ty(&fold.args[1]).as_array().map(|a| env.size(&a.len)).ok_or_else(wrong)?;
        let element_of = |b: &mut FunctionBuilder<'_, 'k>, env: &Env<'k>| -> Result<Nested<'k>> {
            let rows = b.atom(&call.args[0], env)?;
            let rows = b.array(&rows)?;
            // The statements that are the same for all rows.
            let mut env = env.clone();
            for s in common(outer) {
                let value = b.eval_stmt(s, &mut env, None)?;
                env.bind(s.var, value);
            }
            let columns = b.atom(&inner.args[0], &env)?;
            let columns = b.array(&columns)?;
            Ok((Element { f, outer, env, nest, fold, rounds: rounds.clone() }, rows, columns))
        };
        if self.program.target.class == Class::Cpu {
            if [row_ty, column_ty].into_iter().any(is_tuple_of_rows) {
                return Ok(false);
            }
            return self.matrix_on_cores(stmt, &batch, [row_ty, column_ty, &z_ty], (env, dest), element_of);
        }
        let bytes = |s: &Shape| s.bytes([row_ty, column_ty].map(element));
        // Four results of each work-item.
        let out = ITEMS * WIDE * bytes_of(&kernel.atom_ty(&f.body.result)) as i64;
        // Halves are rounded after each operation, in code that would be repeated for each element of a tile.
        if z_ty.any(&mut |t| t.as_scalar() == Some(Scalar::Half)) {
            return Ok(false);
        }
        let target = self.program.target;
        let fits = |s: &&Shape| {
            let registers = s.item[0] * s.item[1] * bytes_of(&z_ty) as i64;
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
        let (mut multiples, mut lengths, mut fours) = (None, Vec::new(), false);
        self.program.probe(&stmt.origin, |b| {
            b.grid_mut().distribute_over(used);
            for_batch(b, &batch, Batch::groups(), env.clone(), dest.clone(), &mut |b, _, env, dest| {
                let (element, rows, columns) = element_of(b, &env)?;
                multiples = multiples_of(b, [(&rows, row_ty), (&columns, column_ty)], &element.rounds, shape.depth);
                let divides = b.known().divides(WIDE, &columns.len);
                fours = !divides.is_no()
                    && b.program().is_known_before(&columns.len)
                    && writes_fours(b, &kernel.atom_ty(&f.body.result), &columns.len, &dest)?;
                if let Some(all) = &mut multiples
                    && fours
                    && divides == Truth::Unknown
                {
                    all.push((columns.len.clone(), WIDE));
                }
                lengths.extend([rows.len.clone(), columns.len.clone()]);
                Ok(())
            })
        })?;
        let multiples = multiples.filter(|all| all.iter().all(|(size, _)| self.program.is_known_before(size)));
        // Use smaller tiles if there are too few to occupy the device, or if they would be empty for the most part.
        let smaller = shapes.iter().filter(fits).find(|s| s.item[0] < shape.item[0] && s.depth == shape.depth).copied();
        let around: Vec<Size> = batch
            .iter()
            .map(|c| kernel.atom_ty(&c.args[0]).as_array().map_or(Size::one(), |a| env.size(&a.len)))
            .collect();
        let [n, m] = lengths.as_slice() else { return Err(wrong()) };
        let all_around = around.iter().fold(Size::one(), |a, b| a.mul(b));
        let tiles = shape.tiles([n, m]).mul(&all_around);
        let divided = match nest.reorder {
            true => self.program.divided(&tiles, &rounds),
            false => None,
        };
        let at_most = divided.as_ref().map_or_else(Size::one, |d| d.most.clone());
        let few = Size::nat(target.compute_units.into()).sub(&tiles.mul(&at_most));
        let few = match smaller {
            Some(smaller) => Size::max(&few, &Size::int(smaller.rows().lanes + 1).sub(&Size::min(n, m))),
            None => few,
        };
        let mut versions = match (smaller, few.as_const()) {
            (Some(smaller), Some(1..)) => vec![(smaller, Vec::new())],
            (Some(smaller), None) if self.program.is_known_before(&few) => {
                vec![(shape, vec![Size::one().sub(&few)]), (smaller, vec![few])]
            }
            _ => vec![(shape, Vec::new())],
        };
        let cells = n.mul(m).mul(&all_around);
        let parts = match divided {
            Some(divided) => Some(self.parts(stmt, divided, (&rounds, shape), &z_ty, &cells)?),
            None => None,
        };
        let body = |b: &mut FunctionBuilder<'_, 'k>, shape, parts: Option<&Parts>, whole: Option<Whole<'_>>| {
            for (size, of) in whole.iter().flat_map(|whole| whole.multiples) {
                b.known_mut().assume_divides(Size::int(*of), size.clone());
            }
            for_batch(b, &batch, Batch::groups(), env.clone(), dest.clone(), &mut |b, at, env, dest| {
                let (element, rows, columns) = element_of(b, &env)?;
                let fours = whole.as_ref().is_some_and(|whole| whole.fours);
                let all = Block { shape, whole: whole.is_some(), fours, parts: parts.map(|parts| (parts, at)) };
                all.matrix_tiles(b, &element, (rows, row_ty), (columns, column_ty), &z_ty, &dest)
            })
        };
        let both = versions.len() > 1;
        let several = parts.as_ref().map_or_else(Size::zero, Parts::several);
        let narrow = narrow_shapes(&target, |shape| fits(&shape));
        for (shape, of_narrow) in narrow_tiles(&target, narrow, [n, m], &all_around) {
            let of_narrow = Size::if_le(&several, &Size::zero(), &of_narrow, &Size::zero());
            if of_narrow.is_zero() || !self.program.is_known_before(&of_narrow) {
                continue;
            }
            versions.iter_mut().for_each(|(_, only_if)| only_if.push(Size::one().sub(&of_narrow)));
            let title = Title { label: "map: narrow tiles", ..title.clone() };
            self.launch_if(&[of_narrow], &title, used, local, |b| body(b, shape, None, None))?;
        }
        let all =
            Versions { title: &title, used, local, multiples: multiples.as_deref(), rounds: &rounds, body: &body };
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
            self.program.applied(&rules::TILE_PARTS, &stmt.origin);
            let used = Dims { glb: [true, batches > 0, batches > 1], ..Dims::default() };
            let title = Title { label: "map: results of the parts", ..title.clone() };
            self.launch_if(&[parts.several()], &title, used, [None; 3], |b| {
                for_batch(b, &batch, Batch::items(), env.clone(), dest.clone(), &mut |b, at, env, dest| {
                    let (element, rows, columns) = element_of(b, &env)?;
                    parts.fold_of_parts(b, at, &element, [&rows, &columns], &dest)
                })
            })?;
        }
        Ok(true)
    }

    /// Launches tiles of a shape: whole tiles if all lengths are the required multiples, otherwise any tiles.
    fn launch_version(&mut self, all: &Versions<'_, 'k>, of: &Version<'_>) -> Result<()> {
        let Versions { used, local, body, .. } = *all;
        let Version { shape, parts, .. } = *of;
        let title =
            |labels: [&'static str; 2]| Title { label: labels[usize::from(parts.is_some())], ..all.title.clone() };
        let and = |sizes: &[Size]| [of.only_if, of.of_stage, sizes].concat();
        let some = title(["map: tiles", "map: parts of tiles"]);
        let Some(multiples) = all.multiples else {
            let only_if = and(&[]);
            return match only_if.is_empty() {
                true => self.launch(&some, used, local, |b| body(b, shape, parts, None)),
                false => self.launch_if(&only_if, &some, used, local, |b| body(b, shape, parts, None)),
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
            self.launch_if(&only_if, &whole, used, local, |b| body(b, shape, parts, Some(tiles)))?;
        }
        if !multiples.is_empty() && (of.is_small || !of.of_all) {
            let some_of = if of.of_all { [of.of_stage, &[rest]].concat() } else { and(&[rest]) };
            self.launch_if(&some_of, &some, used, local, |b| body(b, shape, parts, None))?;
        }
        Ok(())
    }
}
