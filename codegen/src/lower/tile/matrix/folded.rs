//! A nest whose rows are folded: a group goes through tiles of its rows, and folds their results while they are in
//! registers. Where there are few rows, several groups share the columns, and each gives a part of the fold of a row; a
//! second launch folds the parts and computes what the program makes of them.

use super::parts::Span;
use super::product::Product;
use super::shape::{Shape, narrow_tiles};
use super::tile::{each_place, places_of_item};
use super::{Block, Element, Whole};
use crate::core::{Atom, Block as Body, Kernel, Lambda, Level, PrimCall, Rhs, Stmt, VarId};
use crate::lower::function::{Dims, FunctionBuilder};
use crate::lower::host::Host;
use crate::lower::launch::Title;
use crate::lower::tile::operand::{Operand, multiples_of, operands};
use crate::lower::tile::{local_id, min, number_of};
use crate::lower::value::{Array, Closure, Dest, Env, Layout, Place, Value, View};
use crate::lower::{LowerError, Result};
use crate::opencl::{CType, Expr, Step, Storage};
use crate::schedule::rules;
use crate::schedule::tile_folds::{Folded, ITEMS, PADDING, TileSize};
use crate::schedule::uses;
use lift_analysis::parameters::Parameter;
use lift_analysis::size::Size;
use lift_analysis::ty::Ty;

/// Minimum rounds for which large tiles pay.
const LEAST_ROUNDS: i64 = 16;

/// The fold of the results of a nest.
struct Fold<'k> {
    /// The map of the nest.
    made: &'k Stmt,
    reader: &'k PrimCall,
    f: &'k Lambda,
    zip: Option<&'k Stmt>,
    stmt: &'k Stmt,
    call: &'k PrimCall,
    env: Env<'k>,
    ty: Ty,
}

/// The columns that a group goes through, in tiles, and the memory for what it makes of them.
struct Shares {
    /// How many groups share the columns.
    count: Size,
    /// The tiles of each.
    each: Size,
    /// For each share the fold of each row.
    place: Place,
}

fn statement(block: &Body, v: VarId) -> Option<&Stmt> {
    block.stmts.iter().find_map(|s| match s.var == v {
        true => Some(s),
        false => s.rhs.blocks().into_iter().find_map(|inner| statement(inner, v)),
    })
}

impl<'k> Fold<'k> {
    fn of(kernel: &'k Kernel, folded: &Folded, reader: &'k PrimCall, env: &Env<'k>) -> Option<Fold<'k>> {
        let f = reader.funs.first()?;
        let stmt = f.body.stmts.iter().find(|s| s.var == folded.fold)?;
        let Rhs::Prim(call) = &stmt.rhs else { return None };
        let zip = match folded.zip {
            Some(zip) => Some(statement(&kernel.body, zip)?),
            None => None,
        };
        let made = statement(&kernel.body, folded.made)?;
        Some(Fold { made, reader, f, zip, stmt, call, env: env.clone(), ty: kernel.atom_ty(&call.args[0]) })
    }
}

impl<'k> Host<'k> {
    pub(in crate::lower::tile) fn matrix_folded(
        &mut self,
        stmt: &'k Stmt,
        reader: &'k PrimCall,
        env: &Env<'k>,
        dest: &Dest<'k>,
        folded: &Folded,
    ) -> Result<bool> {
        let kernel = self.program.kernel;
        let wrong = || LowerError::new(&stmt.origin, "map", "a nest of maps is not as it was");
        let fold = Fold::of(kernel, folded, reader, env).ok_or_else(wrong)?;
        let Rhs::Prim(call) = &fold.made.rhs else { return Err(wrong()) };
        let product = Product::of(kernel, call, folded.nest, env).ok_or_else(wrong)?;
        let Product { row_ty, column_ty, z_ty, rounds, .. } = &product;
        let length = |a: &Atom| kernel.atom_ty(a).as_array().map(|a| env.size(&a.len));
        let lengths = length(&product.rows.args[0]).zip(length(&product.columns.args[0]));
        let (n, m) = lengths.ok_or_else(wrong)?;
        self.program.applied(&rules::TILE_FOLD, &stmt.origin);
        let title = Title { name: kernel.name_of(stmt.var), label: "map: folded tiles", origin: &stmt.origin };
        let used = Dims { wrg: [true, false, false], lcl: [true, false, false], ..Dims::default() };
        let local = [Some(ITEMS), Some(1), Some(1)];
        let largest = folded.sizes.first().map_or(0, |size| size.item.cast_signed());
        let shapes = self.folded_shapes(&folded.sizes, [&n, &m], rounds);
        let several = shapes.len() > 1;
        for (shape, when) in shapes {
            let mut multiples = None;
            self.program.probe(&stmt.origin, |b| {
                b.grid_mut().distribute_over(used);
                let (element, rows, columns) = product.nested(b, env)?;
                multiples = multiples_of(b, [(&rows, row_ty), (&columns, column_ty)], &element.rounds, shape.depth);
                Ok(())
            })?;
            let multiples = multiples.filter(|all| all.iter().all(|(size, _)| self.program.is_known_before(size)));
            // 0 if all lengths are the required multiples.
            let all = multiples.iter().flatten();
            let rest = all.fold(Size::zero(), |sum, (size, of)| sum.add(&size.rem(&Size::int(*of))));
            let shares = self.shares(stmt, [&n, &m], shape, &fold.ty)?;
            let body = |b: &mut FunctionBuilder<'_, 'k>, whole: Option<Whole<'_>>| {
                for (size, of) in whole.iter().flat_map(|whole| whole.multiples) {
                    b.known_mut().assume_divides(Size::int(*of), size.clone());
                }
                let (element, rows, columns) = product.nested(b, env)?;
                let all = Block { shape, whole: whole.is_some(), fours: false, parts: None };
                folded_tiles(b, (&all, &fold, &shares), &element, (rows, row_ty), (columns, column_ty), z_ty)
            };
            let and = |size: Size| if size.is_one() { when.clone() } else { [&*when, &[size]].concat() };
            // Few tiles take little time, in whole ones and in others.
            let whole = multiples.as_ref().filter(|_| !several || shape.item[0] == largest);
            if let Some(multiples) = whole {
                let title = Title { label: "map: folded whole tiles", ..title.clone() };
                let tiles = Whole { multiples, fours: false };
                let none = if rest.is_zero() { Size::one() } else { Size::one().sub(&rest) };
                self.launch_if(&and(none), &title, used, local, |b| body(b, Some(tiles)))?;
            }
            match whole {
                Some(_) if rest.is_zero() => {}
                Some(_) => self.launch_if(&and(rest), &title, used, local, |b| body(b, None))?,
                None if when.is_empty() => self.launch(&title, used, local, |b| body(b, None))?,
                None => self.launch_if(&when, &title, used, local, |b| body(b, None))?,
            }
            let title = Title { label: "map: what the tiles gave", ..title.clone() };
            let used = Dims { glb: [true, false, false], ..Dims::default() };
            match when.is_empty() {
                true => self.launch(&title, used, [None; 3], |b| fold.fold_of_shares(b, &shares, dest))?,
                false => self.launch_if(&when, &title, used, [None; 3], |b| fold.fold_of_shares(b, &shares, dest))?,
            }
        }
        Ok(true)
    }

    /// The shapes of tiles for results of these lengths, each with the sizes that must be positive where it is launched.
    fn folded_shapes(&mut self, sizes: &[TileSize], [n, m]: [&Size; 2], rounds: &Size) -> Vec<(Shape, Vec<Size>)> {
        let shape_of = |size: &TileSize| {
            let [item, depth, of_row] = [size.item, size.depth, size.of_row].map(u64::cast_signed);
            let square = Shape::square(item, depth, PADDING.cast_signed());
            let beside = of_row / square.warp[1];
            Shape { warps: [square.warps.iter().product::<i64>() / beside, beside], ..square }
        };
        let all: Vec<Shape> = sizes.iter().map(shape_of).collect();
        let (narrow, square): (Vec<Shape>, Vec<Shape>) = all.into_iter().partition(|shape| shape.warps[1] == 1);
        let mut shapes: Vec<(Shape, Vec<Size>)> = square.into_iter().map(|shape| (shape, Vec::new())).collect();
        // Large tiles read less, but there must be one for each compute unit, and they must not be empty for the most part.
        if let [(large, of_large), (_, of_small)] = shapes.as_mut_slice() {
            let tiles = large.tiles([n, m]);
            let units = Size::int(i64::from(self.program.target.compute_units));
            let narrow = Size::int(large.rows().lanes).sub(&Size::min(n, m));
            let short = Size::int(LEAST_ROUNDS).sub(rounds);
            let few = [narrow, short].iter().fold(units.sub(&tiles), |a, b| Size::max(&a, b));
            match few.as_const() {
                Some(few) => shapes = vec![shapes.swap_remove(usize::from(few > 0))],
                None if self.program.is_known_before(&few) => {
                    of_large.push(Size::one().sub(&few));
                    of_small.push(few);
                }
                None => shapes.truncate(1),
            }
        }
        for (shape, of_narrow) in narrow_tiles(&self.program.target, narrow.into_iter(), [n, m], &Size::one()) {
            if of_narrow.is_zero() || !self.program.is_known_before(&of_narrow) {
                continue;
            }
            shapes.iter_mut().for_each(|(_, when)| when.push(Size::one().sub(&of_narrow)));
            shapes.push((shape, vec![of_narrow]));
        }
        shapes
    }

    /// The groups of each row of tiles, enough to keep the device busy.
    fn shares(&mut self, stmt: &'k Stmt, [n, m]: [&Size; 2], shape: Shape, ty: &Ty) -> Result<Shares> {
        let groups = i64::from(self.program.target.compute_units) * self.program.parameter(Parameter::MatrixGroups);
        let [above, across] = [shape.above(n), shape.beside(m)].map(|n| Size::max(&n, &Size::one()));
        let wanted = Size::max(&Size::int(groups).div_floor(&above), &Size::one());
        let each = across.div_ceil(&Size::min(&wanted, &across));
        let count = across.div_ceil(&each);
        match &*self.partials(stmt, ty, &n.mul(&count))?.layout {
            Layout::Array { element, .. } => {
                let place = Place { layout: element.clone(), at: Size::zero() };
                Ok(Shares { count, each, place })
            }
            _ => Err(LowerError::new(&stmt.origin, "map", "the folds of rows are not an array")),
        }
    }
}

impl<'k> Fold<'k> {
    /// Adds the results of a tile to the folds of the work-item's rows.
    fn add_tile(
        &self,
        f: &mut FunctionBuilder<'_, 'k>,
        element: &Element<'k>,
        operands: [&[Operand<'k>]; 2],
        first: [&Size; 2],
        acc: &Place,
        totals: &Place,
    ) -> Result<()> {
        for (side, first) in operands.iter().zip(first) {
            side.iter().try_for_each(|o| o.take_once(f, first))?;
        }
        let side = operands[1][0].side.of_item;
        each_place(f, operands, first, [operands[0][0].side.of_item, side], &mut |f, [i, j], at| {
            let value = element.result_of(f, operands, acc, [i, j])?;
            let (x, env) = self.taken_at(f, value, at)?;
            let total = f.load(&Place { layout: totals.layout.clone(), at: i.clone() })?;
            let next = f.call(&Closure { lambda: &self.call.funs[0], env }, &[total.clone(), x])?;
            let next = f.contracted(next);
            f.assign_registers(&total, &next)
        })
    }

    /// The environment of the fold of any row: what it needs depends on none.
    fn env_of_fold(&self, f: &mut FunctionBuilder<'_, 'k>) -> Result<Env<'k>> {
        let own = uses::dependent(f.kernel(), self.f);
        let mut env = self.env.clone();
        let before = self.f.body.stmts.iter().take_while(|s| s.var != self.stmt.var);
        for s in before.filter(|s| !own.contains(&s.var)) {
            let value = f.eval_stmt(s, &mut env, None)?;
            env.bind(s.var, value);
        }
        Ok(env)
    }

    /// The element that the fold of a row takes at a column whose result is `value`, and the environment of the fold.
    fn taken_at(
        &self,
        f: &mut FunctionBuilder<'_, 'k>,
        value: Value<'k>,
        [r, c]: [&Size; 2],
    ) -> Result<(Value<'k>, Env<'k>)> {
        let kernel = f.kernel();
        let len = |ty: &Ty| ty.as_array().map(|a| (self.env.size(&a.len), a.element.clone()));
        let made = len(kernel.ty(self.made.var)).and_then(|(n, row)| Some((n, len(&row)?.0)));
        let Some((n, m)) = made else { return Err(f.error("map", "a nest gives no rows")) };
        // Every element of this array is `value`; only the one in question is read.
        let row = Value::Array(Array::new(m, View::Fill(value)));
        let mut env = self.env.clone();
        env.bind(self.made.var, Value::Array(Array::new(n, View::Fill(row))));
        if let Some(zip) = self.zip {
            let zipped = f.eval_stmt(zip, &mut env, None)?;
            env.bind(zip.var, zipped);
        }
        let rows = f.atom(&self.reader.args[0], &env)?;
        let rows = f.array(&rows)?;
        let own = f.read(&rows, r)?;
        env.enter(self.f, r, own);
        for s in self.f.body.stmts.iter().take_while(|s| s.var != self.stmt.var) {
            let value = f.eval_stmt(s, &mut env, None)?;
            env.bind(s.var, value);
        }
        let xs = f.atom(&self.call.args[1], &env)?;
        let xs = f.array(&xs)?;
        Ok((f.read(&xs, c)?, env))
    }

    /// The results from what the groups gave for each row.
    fn fold_of_shares(&self, f: &mut FunctionBuilder<'_, 'k>, shares: &Shares, dest: &Dest<'k>) -> Result<()> {
        let rows = f.atom(&self.reader.args[0], &self.env)?;
        let rows = f.array(&rows)?;
        let n = rows.len.clone();
        let count = f.host_size(&shares.count, "shares")?;
        f.for_level(Level::Glb(0), &n, |f, r| {
            let operator = Closure { lambda: &self.call.funs[0], env: self.env_of_fold(f)? };
            let at = |share: &Size| Place { layout: shares.place.layout.clone(), at: share.mul(&n).add(r) };
            let first = f.load(&at(&Size::zero()))?;
            let Some(acc) = f.registers_with(&first, "row")? else {
                return Err(f.error("reduce", "the accumulator is neither a scalar nor a tuple of scalars"));
            };
            f.for_range("share", Expr::int(1), &count, Step::Increment, |f, share| {
                let x = f.load(&at(share))?;
                let next = f.call(&operator, &[acc.clone(), x])?;
                f.assign_registers(&acc, &next)
            })?;
            let mut env = self.env.clone();
            let own = f.read(&rows, r)?;
            env.enter(self.f, r, own);
            for s in &self.f.body.stmts {
                let value = match s.var == self.stmt.var {
                    true => Value::Array(Array::new(Size::one(), View::Fill(acc.clone()))),
                    false => f.eval_stmt(s, &mut env, None)?,
                };
                env.bind(s.var, value);
            }
            let value = f.atom(&self.f.body.result, &env)?;
            let to = f.dest_at(dest, r)?;
            f.copy(&value, &to)
        })
    }
}

/// For each group the fold of its rows over its columns.
fn folded_tiles<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    (all, fold, shares): (&Block<'_>, &Fold<'k>, &Shares),
    element: &Element<'k>,
    (rows, row_ty): (Array<'k>, &Ty),
    (columns, column_ty): (Array<'k>, &Ty),
    z_ty: &Ty,
) -> Result<()> {
    let (n, m, shape) = (rows.len.clone(), columns.len.clone(), all.shape);
    let (above, beside) = (shape.rows(), shape.columns());
    let [own_row, own_column] = places_of_item(f, shape);
    let [warp, warps] = [shape.warp[1], shape.warps[1]];
    let lane = local_id().cast(CType::Int).rem(Expr::int(warp));
    let lane = match warps {
        1 => lane,
        _ => {
            let of_warp = local_id().cast(CType::Int).div(Expr::int(shape.warp.iter().product()));
            of_warp.rem(Expr::int(warps)).mul(Expr::int(warp)).add(lane)
        }
    };
    let of_row = Size::int(warp * warps);
    let lane = f.number("lane", lane, &of_row.sub(&Size::one()));
    let mut a = operands(f, "a", &rows, row_ty, above, &own_row)?;
    let mut b = operands(f, "b", &columns, column_ty, beside, &own_column)?;
    let registers = |f: &mut FunctionBuilder<'_, 'k>, ty: &Ty, name: &str, len: i64| -> Result<Place> {
        Ok(Place { layout: f.arrays(ty, name, Storage::Private, len.cast_unsigned())?, at: Size::zero() })
    };
    let acc = registers(f, z_ty, "acc", shape.item[0] * shape.item[1])?;
    let totals = registers(f, &fold.ty, "total", shape.item[0])?;
    let slots = f.arrays(&fold.ty, "slots", Storage::Local, (warp * warps * above.lanes).cast_unsigned())?;
    let slots = Place { layout: slots, at: Size::zero() };
    a.iter_mut().try_for_each(|o| o.declare_tables(f, "a"))?;
    b.iter_mut().try_for_each(|o| o.declare_tables(f, "b"))?;
    let tiles = f.host_size(&Size::max(&shape.above(&n), &Size::one()), "above")?;
    let across = f.host_size(&shape.beside(&m), "across")?;
    let each = f.host_size(&shares.each, "of_share")?;
    let groups = shape.above(&n).mul(&shares.count);
    f.by_tiles(|f| {
        f.for_level(Level::Wrg(0), &groups, |f, t| {
            f.share_memory();
            // Groups at work at the same time read the same columns.
            let share = number_of(f, "share", &t.div_floor(&tiles), &shares.count.sub(&Size::one()))?;
            let row = t.rem(&tiles).mul(&Size::int(above.lanes));
            let row = number_of(f, "row", &row, &n.sub(&Size::one()))?;
            let env = fold.env_of_fold(f)?;
            f.unrolled("i", shape.item[0], |f, i| {
                let z = f.atom(&fold.call.args[0], &env)?;
                f.copy(&z, &Dest::Place(Place { layout: totals.layout.clone(), at: i.clone() }))
            })?;
            let from = f.size(&share)?.mul(f.size(&each)?);
            let all_tiles = f.size(&across)?;
            let from = min(from, all_tiles.clone());
            let first = f.number("first", from, &across);
            let last = min(f.size(&first)?.add(f.size(&each)?), all_tiles);
            let last = f.number("last", last, &across);
            let from = f.size(&first)?;
            f.for_range("t", from, &last, Step::Increment, |f, t| {
                f.known_mut().assume_le(t.add(&Size::one()), across.clone());
                let column = t.mul(&Size::int(beside.lanes));
                let column = number_of(f, "column", &column, &m.sub(&Size::one()))?;
                let span = Span { first: Size::zero(), rounds: element.rounds.clone() };
                all.matrix_tile(f, &span, element, [&a, &b], [&row, &column], &acc)?;
                fold.add_tile(f, element, [&a, &b], [&row, &column], &acc, &totals)?;
                f.barrier(true, false);
                Ok(())
            })?;
            fold_of_group(f, (&a[0], &row, &lane, &of_row), (fold, shares, &n), (&totals, &slots), &share)
        })
    })
}

/// Folds what the work-items of a group have of each row.
fn fold_of_group<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    (operand, first, lane, of_row): (&Operand<'k>, &Size, &Size, &Size),
    (fold, shares, n): (&Fold<'k>, &Shares, &Size),
    (totals, slots): (&Place, &Place),
    share: &Size,
) -> Result<()> {
    let lanes = operand.side.lanes;
    f.unrolled("i", operand.side.of_item, |f, i| {
        let total = f.load(&Place { layout: totals.layout.clone(), at: i.clone() })?;
        let at = lane.mul(&Size::int(lanes)).add(&operand.own).add(&operand.lane(i));
        f.copy(&total, &Dest::Place(Place { layout: slots.layout.clone(), at }))
    })?;
    f.barrier(true, false);
    let own = f.number("own", local_id().cast(CType::Int), &Size::int(i64::from(ITEMS) - 1));
    let at = f.size(&first.add(&own))?;
    let at = f.bind("r", CType::Int, at);
    let inside = f.size(&own)?.lt(Expr::int(lanes)).and(at.clone().lt(f.size(n)?));
    f.when(inside, |f| {
        let r = f.number("r", at, &n.sub(&Size::one()));
        let operator = Closure { lambda: &fold.call.funs[0], env: fold.env_of_fold(f)? };
        let first = f.load(&Place { layout: slots.layout.clone(), at: own.clone() })?;
        let Some(acc) = f.registers_with(&first, "row")? else {
            return Err(f.error("reduce", "the accumulator is neither a scalar nor a tuple of scalars"));
        };
        f.for_range("k", Expr::int(1), of_row, Step::Increment, |f, k| {
            let at = k.mul(&Size::int(lanes)).add(&own);
            let x = f.load(&Place { layout: slots.layout.clone(), at })?;
            let next = f.call(&operator, &[acc.clone(), x])?;
            f.assign_registers(&acc, &next)
        })?;
        let to = Place { layout: shares.place.layout.clone(), at: share.mul(n).add(&r) };
        f.copy(&acc, &Dest::Place(to))
    })
}
