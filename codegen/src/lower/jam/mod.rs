//! Maps in which a work-item computes several neighbouring elements with their folds in one loop (*unroll and jam*, or
//! register blocking): shared operands are loaded once.
//!
//! In `map (λw. map (λrow. map (λwindow. reduce + (zipWith * window w)) row) rows) weights`, neighbours in the first
//! map read the same window, and neighbours in the second the same weights. Elements of the innermost map that a
//! work-item computes lie far apart, because its work-items access neighbouring addresses. The form of the program does
//! not show whether a block pays: code is generated for each candidate, and its loads are counted.
//!
//! | module | job |
//! |---|---|
//! | [`lanes`] | the code of a function for several elements |
//! | [`alike`] | values that are the same for several elements |
//! | [`loads`] | counts loads |

mod alike;
mod lanes;
mod loads;

use self::lanes::{elements_in_lanes, stmts_in_lanes};
use super::Result;
use super::function::FunctionBuilder;
use super::host::Host;
use super::launch::{Title, dims_of};
use super::value::{Dest, Env};
use crate::core::{Kernel, Level, Prim, PrimCall, Rhs, Stmt};
use crate::opencl::{BinaryOp, CType, Expr};
use crate::schedule::flat::is_flat;
use crate::schedule::{nest, rules};
use crate::target::Class;
use lanes::Lane;
use lift_analysis::parameters::Parameter;
use lift_analysis::size::Size;

/// Assumed iterations of a loop if their number is known only on the device.
const UNKNOWN_ROUNDS: i64 = 16;

/// A block, and its loads in percent of the loads of its elements computed separately.
struct Loaded {
    percent: u64,
    block: Block,
}

/// The number of neighbours that a work-item computes, for each map of a nest, outermost first.
type Block = Vec<i64>;

impl<'k> Host<'k> {
    /// Computes a nest of maps in blocks where there are enough of them, and without blocks where not; `false` if blocks
    /// never pay.
    pub fn jammed(
        &mut self,
        stmt: &'k Stmt,
        call: &'k PrimCall,
        env: &Env<'k>,
        dest: &Dest<'k>,
        across: bool,
        without: impl FnOnce(&mut FunctionBuilder<'_, 'k>) -> Result<()>,
    ) -> Result<bool> {
        let kernel = self.program.kernel;
        let placed = !self.program.schedule.unplaced.contains(&stmt.var);
        if placed || self.program.target.class != Class::Gpu || !self.lengths.is_empty() {
            return Ok(false);
        }
        let Some(maps) = maps(kernel, call) else { return Ok(false) };
        let each = self.program.parameter(Parameter::MapBlock);
        let Some(lens) = maps
            .iter()
            .map(|map| Some(env.size(&kernel.atom_ty(&map.args[0]).as_array()?.len)))
            .collect::<Option<Vec<_>>>()
        else {
            return Ok(false);
        };
        if each < 2 || !lens.iter().all(|n| self.program.is_known_before(n)) {
            return Ok(false);
        }
        let blocks = self.best_blocks(stmt, env, dest, (&maps, &lens), (each, across))?;
        let rounds = maps.last().map_or(Size::zero(), |map| self.rounds_of(&map.funs[0].body, env));
        let title = Title { name: kernel.name_of(stmt.var), label: "map: several elements", origin: &stmt.origin };
        let dims = dims_of(stmt);
        // 1 where no block before pays.
        let mut left = Size::one();
        for block in blocks {
            let pays = self.pays(&lens, &block, &rounds, kept_by(&maps, across));
            let pays = Size::if_le(&Size::one(), &left, &pays, &Size::zero());
            if pays.is_zero() {
                continue;
            }
            self.program.applied(&rules::UNROLL_AND_JAM, &stmt.origin);
            let in_blocks = |f: &mut FunctionBuilder<'_, 'k>| {
                f.grid_mut().lie_across(across);
                Nest { maps: &maps, lens: &lens, block: &block }.nest_in_lanes(f, env, dest)
            };
            if pays.is_one() {
                self.launch(&title, dims, [None; 3], in_blocks)?;
                return Ok(true);
            }
            self.launch_if(std::slice::from_ref(&pays), &title, dims, [None; 3], in_blocks)?;
            left = left.sub(&pays);
        }
        if left.is_one() {
            return Ok(false);
        }
        let title = Title { label: call.prim.label(), ..title };
        self.launch_if(&[left], &title, dims, [None; 3], without)?;
        Ok(true)
    }

    /// The blocks that load least for each element, the best one first. If the best one splits the innermost map, the
    /// best of the others follows it, because that map may be short.
    fn best_blocks(
        &mut self,
        stmt: &'k Stmt,
        env: &Env<'k>,
        dest: &Dest<'k>,
        (maps, lens): (&[&'k PrimCall], &[Size]),
        (each, across): (i64, bool),
    ) -> Result<Vec<Block>> {
        let mut loads_of = |block: &Block| -> Result<u64> {
            let mut found = 0;
            self.program.probe(&stmt.origin, |f| {
                f.grid_mut().distribute_over(dims_of(stmt));
                f.grid_mut().lie_across(across);
                let (stmts, ()) = f.scope(|f| Nest { maps, lens, block }.nest_in_lanes(f, env, dest))?;
                found = loads::made(&stmts);
                Ok(())
            })?;
            Ok(found)
        };
        let alone = loads_of(&vec![1; maps.len()])?;
        let mut loaded = |wide: &[usize]| -> Result<Loaded> {
            let block: Block = (0..maps.len()).map(|at| if wide.contains(&at) { each } else { 1 }).collect();
            let elements = block.iter().product::<i64>().cast_unsigned();
            let loads = loads_of(&block)?;
            Ok(Loaded { percent: loads.saturating_mul(100) / alone.saturating_mul(elements).max(1), block })
        };
        // Of maps that are equally good the inner ones, whose windows overlap, and last the one of the work-items.
        let kept = kept_by(maps, across);
        let mut single = Vec::new();
        for at in (0..maps.len()).rev().filter(|at| *at != kept).chain([kept]) {
            single.push((at, loaded(&[at])?));
        }
        single.retain(|(_, of)| of.percent < 100);
        single.sort_by_key(|(_, of)| of.percent);
        let mut all: Vec<Loaded> = Vec::new();
        // At most two maps, because each element needs its own registers; the second shares other operands.
        if let Some((first, of_first)) = single.first() {
            for (second, of_second) in &single[1..] {
                let both = loaded(&[*first, *second])?;
                let independent = both.percent * 100 <= of_first.percent * of_second.percent + 500;
                all.push(both);
                if independent {
                    break;
                }
            }
        }
        all.extend(single.into_iter().map(|(_, of)| of));
        let most = self.program.target.get(Parameter::MapLoads);
        all.retain(|of| of.percent <= u64::from(most));
        let takes_apart = |of: &&Loaded| of.block[kept] > 1;
        let best = all.iter().min_by_key(|of| of.percent);
        let other = all.iter().filter(|of| !takes_apart(of)).min_by_key(|of| of.percent);
        let other = other.filter(|_| best.as_ref().is_some_and(takes_apart));
        Ok(best.into_iter().chain(other).map(|of| of.block.clone()).collect())
    }

    /// A lower bound of the iterations of all loops of a function.
    fn rounds_of(&self, body: &crate::core::Block, env: &Env<'k>) -> Size {
        let kernel = self.program.kernel;
        let of = |stmt: &Stmt| {
            let Rhs::Prim(call @ PrimCall { prim: Prim::Map(Level::Seq) | Prim::Reduce(Level::Seq), funs, args, .. }) =
                &stmt.rhs
            else {
                return Size::zero();
            };
            let xs = args.get(usize::from(matches!(call.prim, Prim::Reduce(_))));
            let len = xs.and_then(|xs| kernel.atom_ty(xs).as_array().map(|a| env.size(&a.len)));
            let len = len.filter(|n| self.program.is_known_before(n)).unwrap_or(Size::int(UNKNOWN_ROUNDS));
            let each = funs.iter().fold(Size::one(), |all, f| all.add(&self.rounds_of(&f.body, env)));
            len.mul(&each)
        };
        body.stmts.iter().fold(Size::zero(), |all, stmt| all.add(&of(stmt)))
    }

    /// 1 if elements are long work, there are enough blocks, and few of their elements are outside; otherwise 0.
    fn pays(&self, lens: &[Size], block: &Block, rounds: &Size, kept: usize) -> Size {
        let all = lens.iter().zip(block).fold(Size::one(), |all, (n, each)| all.mul(&blocks_of(n, *each)));
        let enough = i64::from(self.program.target.compute_units) * self.program.parameter(Parameter::MapBlocks);
        let mut pays = Size::if_le(&Size::int(enough), &all, &Size::one(), &Size::zero());
        pays = Size::if_le(&Size::int(self.program.parameter(Parameter::MapRounds)), rounds, &pays, &Size::zero());
        for (n, each) in lens.iter().zip(block).filter(|(_, each)| **each > 1) {
            let computed = blocks_of(n, *each).mul(&Size::int(3 * each));
            pays = Size::if_le(&computed, &n.mul(&Size::int(4)), &pays, &Size::zero());
        }
        if block.get(kept).is_some_and(|each| *each > 1) {
            // Work-items still have neighbours.
            let least = Size::int(self.program.parameter(Parameter::MapApart));
            pays = Size::if_le(&least, &lens[kept], &pays, &Size::zero());
        }
        pays
    }
}

/// The maps of a nest over the grid, and loops around it, outermost first, if it does nothing else, the function of the
/// innermost one folds, and gives scalars.
fn maps<'k>(kernel: &Kernel, call: &'k PrimCall) -> Option<Vec<&'k PrimCall>> {
    let mut all = vec![call];
    loop {
        let last = all.last()?;
        let f = last.funs.first()?;
        if f.position.is_some() || f.params.len() != 1 {
            return None;
        }
        match nest::inner(f) {
            Some((inner, _)) if is_of_grid(inner) || !is_of_grid(last) => {
                let (last, before) = f.body.stmts.split_last()?;
                let whole = f.body.result == crate::core::Atom::Var(last.var);
                if !whole || !before.iter().all(|s| crate::schedule::free::is_free(&s.rhs)) {
                    return None;
                }
                all.push(inner);
            }
            _ => {
                let folds = f
                    .body
                    .stmts
                    .iter()
                    .any(|s| matches!(&s.rhs, Rhs::Prim(PrimCall { prim: Prim::Reduce(Level::Seq), .. })));
                let flat = is_flat(&kernel.atom_ty(&f.body.result));
                return (folds && flat && is_of_grid(last)).then_some(all);
            }
        }
    }
}

/// The map whose neighbours are neighbouring work-items.
fn kept_by(maps: &[&PrimCall], across: bool) -> usize {
    maps.len().saturating_sub(if across { 2 } else { 1 })
}

/// The number of blocks of `each` elements.
fn blocks_of(n: &Size, each: i64) -> Size {
    if each == 1 { n.clone() } else { n.add(&Size::int(each - 1)).div_floor(&Size::int(each)) }
}

fn is_of_grid(call: &PrimCall) -> bool {
    matches!(call.prim, Prim::Map(Level::Glb(_)))
}

/// Maps, outermost first, with their lengths and how many neighbours in each a work-item computes.
#[derive(Clone, Copy)]
struct Nest<'a, 'k> {
    maps: &'a [&'k PrimCall],
    lens: &'a [Size],
    block: &'a [i64],
}

impl<'k> Nest<'_, 'k> {
    fn nest_in_lanes(&self, f: &mut FunctionBuilder<'_, 'k>, env: &Env<'k>, dest: &Dest<'k>) -> Result<()> {
        maps_in_lanes(f, *self, vec![Lane { env: env.clone(), dest: dest.clone(), inside: Expr::Bool(true) }])
    }
}

/// The first map over the grid, with the loops around it as a part of the same dimension; then those inside.
fn maps_in_lanes<'k>(f: &mut FunctionBuilder<'_, 'k>, nest: Nest<'_, 'k>, lanes: Vec<Lane<'k>>) -> Result<()> {
    let wrong = |b: &FunctionBuilder<'_, 'k>| b.error("map", "a nest of maps changed after it was recognised");
    let joined = nest.maps.iter().position(|map| is_of_grid(map)).ok_or_else(|| wrong(f))? + 1;
    let (first, rest) = (nest.maps[joined - 1], &nest.maps[joined..]);
    let Prim::Map(level) = first.prim else { return Err(wrong(f)) };
    let counts: Vec<Size> =
        nest.lens.iter().zip(nest.block).take(joined).map(|(n, each)| blocks_of(n, *each)).collect();
    let all = counts.iter().fold(Size::one(), |all, count| all.mul(count));
    f.for_level(level, &all, |b, g| {
        let mut places = Vec::new();
        let mut left = g.clone();
        for count in counts.iter().skip(1).rev() {
            places.push(b.named_index("at", &left.rem(count), count)?);
            left = b.named_index("left", &left.div_floor(count), &all)?;
        }
        places.push(left);
        let mut lanes = lanes;
        for (k, place) in places.iter().rev().enumerate() {
            lanes = entered(b, nest, k, (place, &counts[k]), &lanes)?;
        }
        match rest {
            [] => elements_in_lanes(b, &first.funs[0].body, lanes),
            _ => {
                let (lens, block) = (&nest.lens[joined..], &nest.block[joined..]);
                maps_in_lanes(b, Nest { maps: rest, lens, block }, lanes)
            }
        }
    })
}

/// The lanes inside of map `k` of the nest, for one of its blocks.
fn entered<'k>(
    b: &mut FunctionBuilder<'_, 'k>,
    nest: Nest<'_, 'k>,
    k: usize,
    (block, blocks): (&Size, &Size),
    lanes: &[Lane<'k>],
) -> Result<Vec<Lane<'k>>> {
    let (call, each) = (nest.maps[k], nest.block[k]);
    // Neighbouring work-items have neighbours.
    let apart = match call.prim {
        Prim::Map(Level::Glb(0)) => !b.grid().across(),
        Prim::Map(Level::Glb(1)) => b.grid().across(),
        _ => false,
    };
    let f = &call.funs[0];
    let mut rows = Vec::new();
    for lane in lanes {
        let xs = b.atom(&call.args[0], &lane.env)?;
        rows.push(b.array(&xs)?);
    }
    let mut inner = Vec::new();
    for by in (0..each).map(Size::int) {
        let at = if apart { blocks.mul(&by).add(block) } else { block.mul(&Size::int(each)).add(&by) };
        let (at, inside) = match each {
            1 => (block.clone(), Expr::Bool(true)),
            _ => neighbour(b, &at, &nest.lens[k], by.is_zero())?,
        };
        for (lane, xs) in lanes.iter().zip(&rows) {
            let x = b.read(xs, &at)?;
            let x = b.name_param(f.params[0], &x)?;
            let mut env = lane.env.clone();
            env.enter(f, &at, x);
            let dest = b.dest_at(&lane.dest, &at)?;
            inner.push(Lane { env, dest, inside: lane.inside.clone().and(inside.clone()) });
        }
    }
    if k + 1 < nest.maps.len()
        && let Some((_, before)) = f.body.stmts.split_last()
    {
        stmts_in_lanes(b, before, &mut inner)?;
    }
    Ok(inner)
}

/// The index of a neighbour, clamped to the last element, and the condition that it is one. The first of a block is.
fn neighbour(f: &mut FunctionBuilder, at: &Size, n: &Size, first: bool) -> Result<(Size, Expr)> {
    let expr = f.size(at)?;
    if first {
        return Ok((f.index_below("at", expr, n), Expr::Bool(true)));
    }
    let (last, expr) = (n.sub(&Size::one()), f.bind("next", CType::Int, expr));
    let bound = f.size(n)?;
    if f.facts().lt(at, n).is_yes() {
        return Ok((f.index_below("at", expr, n), Expr::Bool(true)));
    }
    let most = f.size(&last)?;
    let at = f.index_below("at", Expr::call("min", [expr.clone(), most]), n);
    Ok((at, Expr::binary(BinaryOp::Lt, expr, bound)))
}
