//! Maps of which a work-item computes several neighbouring elements, whose folds it does in one loop (*unroll and jam*,
//! or register blocking): what the elements read in common is loaded once.
//!
//! In `map (λw. map (λrow. map (λwindow. reduce + (zipWith * window w)) row) rows) weights`, neighbours in the first map
//! read the same window, and neighbours in the second the same weights. The innermost map keeps its work-items, which
//! access neighbouring addresses. Whether a block pays is not told by the form of the program: the code is written for
//! candidates, and its loads are counted.
//!
//! | module | job |
//! |---|---|
//! | [`lanes`] | the code of a function for several elements |
//! | [`alike`] | values that are the same for several elements |
//! | [`loads`] | counts loads |

mod alike;
mod lanes;
mod loads;

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

/// Blocks of a compute unit, each of one work-item, from which on blocks pay.
const BLOCKS_PER_UNIT: i64 = 128;
/// A block must load at most this share, in percent, of what its elements would load each for itself.
const MOST_LOADED: u64 = 67;

/// How many neighbours a work-item computes, for each map of a nest, outermost first.
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
        if self.program.target.class != Class::Gpu || !self.lengths.is_empty() {
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
        let Some(block) = self.best_block(stmt, call, env, dest, (maps.len(), each, across))? else { return Ok(false) };
        let pays = self.pays(&lens, &block);
        if pays.as_const() == Some(0) {
            return Ok(false);
        }
        let title = Title { name: kernel.name_of(stmt.var), label: "map: several elements", origin: &stmt.origin };
        self.program.applied(&rules::UNROLL_AND_JAM, &stmt.origin);
        let dims = dims_of(stmt);
        let in_blocks = |f: &mut FunctionBuilder<'_, 'k>| {
            f.across = across;
            f.nest_in_lanes(call, env, dest, &block)
        };
        if pays.as_const() == Some(1) {
            self.launch(&title, dims, [None; 3], in_blocks)?;
            return Ok(true);
        }
        self.launch_if(std::slice::from_ref(&pays), &title, dims, [None; 3], in_blocks)?;
        let title = Title { label: call.prim.label(), ..title };
        self.launch_if(&[Size::one().sub(&pays)], &title, dims, [None; 3], without)?;
        Ok(true)
    }

    /// The block whose elements load least each, if that is little enough.
    fn best_block(
        &mut self,
        stmt: &'k Stmt,
        call: &'k PrimCall,
        env: &Env<'k>,
        dest: &Dest<'k>,
        (depth, each, across): (usize, i64, bool),
    ) -> Result<Option<Block>> {
        let mut loads_of = |block: &Block| -> Result<u64> {
            let mut found = 0;
            self.program.probe(&stmt.origin, |f| {
                f.used = dims_of(stmt);
                f.across = across;
                let (stmts, ()) = f.scope(|f| f.nest_in_lanes(call, env, dest, block))?;
                found = loads::made(&stmts);
                Ok(())
            })?;
            Ok(found)
        };
        let alone = loads_of(&vec![1; depth])?;
        let mut best = None;
        for block in candidates(depth, each, across) {
            let elements = block.iter().product::<i64>().cast_unsigned();
            let (loads, all) = (loads_of(&block)?, alone.saturating_mul(elements));
            let little = loads.saturating_mul(100) <= all.saturating_mul(MOST_LOADED);
            // Compared as loads of an element: a / b < c / d where a·d < c·b.
            let better =
                |(least, of, _): &(u64, u64, Block)| loads.saturating_mul(*of) < least.saturating_mul(elements);
            if alone > 0 && little && best.as_ref().is_none_or(better) {
                best = Some((loads, elements, block));
            }
        }
        Ok(best.map(|(.., block)| block))
    }

    /// 1 where there are enough blocks, and few of their elements lie outside; 0 elsewhere.
    fn pays(&self, lens: &[Size], block: &Block) -> Size {
        let blocks = |n: &Size, each: i64| n.add(&Size::int(each - 1)).div_floor(&Size::int(each));
        let all = lens.iter().zip(block).fold(Size::one(), |all, (n, each)| all.mul(&blocks(n, *each)));
        let enough = i64::from(self.program.target.compute_units) * BLOCKS_PER_UNIT;
        let mut pays = Size::if_le(&Size::int(enough), &all, &Size::one(), &Size::zero());
        for (n, each) in lens.iter().zip(block).filter(|(_, each)| **each > 1) {
            let computed = blocks(n, *each).mul(&Size::int(3 * each));
            pays = Size::if_le(&computed, &n.mul(&Size::int(4)), &pays, &Size::zero());
        }
        pays
    }
}

/// The blocks that are tried: in all maps but the one whose neighbours are work-items, or in one of them.
fn candidates(depth: usize, each: i64, across: bool) -> Vec<Block> {
    let kept = if across { depth.saturating_sub(2) } else { depth - 1 };
    let others: Vec<usize> = (0..depth).filter(|at| *at != kept).collect();
    let block = |wide: &[usize]| (0..depth).map(|at| if wide.contains(&at) { each } else { 1 }).collect::<Block>();
    let mut all: Vec<Block> = others.iter().map(|at| block(&[*at])).collect();
    if others.len() > 1 {
        all.push(block(&others));
    }
    all
}

/// The maps of a nest over the grid, outermost first, if it does nothing else, the function of the innermost one folds,
/// and gives scalars.
fn maps<'k>(kernel: &Kernel, call: &'k PrimCall) -> Option<Vec<&'k PrimCall>> {
    let mut all = vec![call];
    loop {
        let last = all.last()?;
        if !matches!(last.prim, Prim::Map(Level::Glb(_))) {
            return None;
        }
        let f = last.funs.first()?;
        if f.position.is_some() || f.params.len() != 1 {
            return None;
        }
        match nest::inner(f) {
            Some((inner, _)) if matches!(inner.prim, Prim::Map(Level::Glb(_))) => {
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
                return (folds && flat && all.len() > 1).then_some(all);
            }
        }
    }
}

impl<'k> FunctionBuilder<'_, 'k> {
    fn nest_in_lanes(&mut self, call: &'k PrimCall, env: &Env<'k>, dest: &Dest<'k>, block: &Block) -> Result<()> {
        let lane = Lane { env: env.clone(), dest: dest.clone(), inside: Expr::Bool(true) };
        self.map_in_lanes(call, block, &[lane])
    }

    /// The maps of a nest from `call` on, in each of these lanes.
    fn map_in_lanes(&mut self, call: &'k PrimCall, block: &[i64], lanes: &[Lane<'k>]) -> Result<()> {
        let (Prim::Map(level), [each, rest @ ..]) = (call.prim, block) else {
            return Err(self.error("map", "a nest of maps is not as it was"));
        };
        let f = &call.funs[0];
        let mut rows = Vec::new();
        for lane in lanes {
            let xs = self.atom(&call.args[0], &lane.env)?;
            rows.push(self.array(&xs)?);
        }
        let Some(n) = rows.first().map(|xs| xs.len.clone()) else { return Ok(()) };
        let side = Size::int(*each);
        let blocks = if *each == 1 { n.clone() } else { n.add(&side).sub(&Size::one()).div_floor(&side) };
        self.for_level(level, &blocks, |b, g| {
            let mut inner = Vec::new();
            for by in 0..*each {
                let (at, inside) = match *each {
                    1 => (g.clone(), Expr::Bool(true)),
                    _ => b.neighbour(&g.mul(&side).add(&Size::int(by)), &n, by == 0)?,
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
            match f.body.stmts.split_last() {
                Some((last, before)) if !rest.is_empty() => {
                    b.stmts_in_lanes(before, &mut inner)?;
                    match &last.rhs {
                        Rhs::Prim(next) => b.map_in_lanes(next, rest, &inner),
                        _ => Err(b.error("map", "a nest of maps is not as it was")),
                    }
                }
                _ => b.elements_in_lanes(&f.body, inner),
            }
        })
    }

    /// The index of a neighbour, clamped to the last element, and the condition that it is one. The first of a block is.
    fn neighbour(&mut self, at: &Size, n: &Size, first: bool) -> Result<(Size, Expr)> {
        let expr = self.size(at)?;
        if first {
            return Ok((self.index_below("at", expr, n), Expr::Bool(true)));
        }
        let (last, expr) = (n.sub(&Size::one()), self.bind("next", CType::Int, expr));
        let bound = self.size(n)?;
        if self.facts.lt(at, n).is_yes() {
            return Ok((self.index_below("at", expr, n), Expr::Bool(true)));
        }
        let most = self.size(&last)?;
        let at = self.index_below("at", Expr::call("min", [expr.clone(), most]), n);
        Ok((at, Expr::binary(BinaryOp::Lt, expr, bound)))
    }
}
