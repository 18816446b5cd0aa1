//! The code of a tile: the fold of a block of results, each in the order of the program.

use super::parts::{Part, Span, part_of_group};
use super::shape::Shape;
use super::{Batch, Block, Element, of_rows};
use crate::core::{Level, PrimCall};
use crate::lower::Result;
use crate::lower::function::FunctionBuilder;
use crate::lower::tile::blocks::store_quad;
use crate::lower::tile::operand::{ITEMS, Operand, Side, WIDE, operands, side_value};
use crate::lower::tile::{local_id, number_of, write_result};
use crate::lower::value::{Array, ArrayDest, Closure, Dest, Env, Layout, Place, Value, View};
use crate::opencl::{BinaryOp, CType, Expr, Qualifier, Step, Storage};
use crate::report::Kind;
use lift_analysis::hir::Scalar;
use lift_analysis::size::Size;
use lift_analysis::ty::Ty;
use std::rc::Rc;
use std::sync::Arc;

/// Gets the indices of a result among those of the work-item, and its row and column.
pub(super) type OnPlace<'w, 'k> = dyn FnMut(&mut FunctionBuilder<'_, 'k>, [&Size; 2], [&Size; 2]) -> Result<()> + 'w;

/// Where the results of a tile go.
#[derive(Clone, Copy)]
enum Results<'a, 'k> {
    /// The program's function is applied to the results of the folds.
    Finished(&'a Dest<'k>),
    /// To those of the other parts.
    Of(&'a Part),
}

impl<'k> Results<'_, 'k> {
    /// The destination of rows of `m` elements.
    fn dest(&self, m: &Size) -> Dest<'k> {
        let part = match self {
            Results::Finished(dest) => return (*dest).clone(),
            Results::Of(part) => part,
        };
        let cells = Layout::Array { len: m.clone(), capacity: m.clone(), element: part.layout.clone() };
        let all = Dest::Place(Place { layout: Rc::new(cells), at: Size::zero() });
        let own = ArrayDest::Part { from: part.at.clone(), step: Size::one(), of: all };
        Dest::Array(Rc::new(ArrayDest::Rows { row: m.clone(), of: Dest::Array(Rc::new(own)) }))
    }
}

/// Where the fold of a result of the work-item is.
fn cell_at(operands: [&[Operand<'_>]; 2], acc: &Place, [i, j]: [&Size; 2]) -> Place {
    let side = Size::int(operands[1][0].side.of_item);
    Place { layout: acc.layout.clone(), at: i.mul(&side).add(j) }
}

/// Loops over the elements of the maps around a nest; `body` gets the index of the element, the environment and the
/// destination.
pub(in crate::lower::tile) fn for_batch<'k>(
    b: &mut FunctionBuilder<'_, 'k>,
    batch: &[&'k PrimCall],
    all: Batch,
    env: Env<'k>,
    dest: Dest<'k>,
    body: &mut dyn FnMut(&mut FunctionBuilder<'_, 'k>, Size, Env<'k>, Dest<'k>) -> Result<()>,
) -> Result<()> {
    let Some((call, rest)) = batch.split_first() else { return body(b, all.at, env, dest) };
    let f = &call.funs[0];
    let xs = b.atom(&call.args[0], &env)?;
    let xs = b.array(&xs)?;
    let Batch { level, at } = all;
    b.for_level(level(batch.len() as u8), &xs.len.clone(), |b, i| {
        let (x, dest) = (b.read(&xs, i)?, b.dest_at(&dest, i)?);
        let mut env = env.clone();
        env.enter(f, i, x);
        for s in f.body.stmts.iter().take(f.body.stmts.len() - 1) {
            let value = b.eval_stmt(s, &mut env, None)?;
            env.bind(s.var, value);
        }
        for_batch(b, rest, Batch { level, at: at.mul(&xs.len).add(i) }, env, dest, body)
    })
}

/// The first row and the first column of a work-item in a tile.
pub(super) fn places_of_item(f: &mut FunctionBuilder, shape: Shape) -> [Size; 2] {
    let item = f.bind("item", CType::Int, local_id());
    let Shape { item: of_item, warp: [above, beside], warps: [_, warps], .. } = shape;
    // The work-items of a warp take adjacent blocks of four.
    let row = item.clone().div(Expr::int(beside)).rem(Expr::int(above)).mul(Expr::int(WIDE));
    let column = item.clone().rem(Expr::int(beside)).mul(Expr::int(WIDE));
    let warp = item.clone().div(Expr::int(above * beside));
    let of_warp = [above * of_item[0], beside * of_item[1]].map(Expr::int);
    let [rows, columns] = of_warp;
    let (own_row, own_column) = match shape.warps {
        [1, _] => (row, warp.mul(columns).add(column)),
        [_, 1] => (warp.mul(rows).add(row), column),
        _ => {
            let warp_row = item.div(Expr::int(above * beside * warps));
            (warp_row.mul(rows).add(row), warp.rem(Expr::int(warps)).mul(columns).add(column))
        }
    };
    let last = |k: usize| (shape.warps[k] - 1) * shape.warp[k] * of_item[k] + WIDE * (shape.warp[k] - 1);
    [f.number("own_row", own_row, &Size::int(last(0))), f.number("own_column", own_column, &Size::int(last(1)))]
}

/// Goes through the results of a work-item, or every few of a row, that are inside.
pub(super) fn each_place<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    operands: [&[Operand<'k>]; 2],
    first: [&Size; 2],
    counts: [i64; 2],
    write: &mut OnPlace<'_, 'k>,
) -> Result<()> {
    // All operands of a side have the same arrangement.
    let sides = operands.map(|side| &side[0]);
    let lens = sides.map(|o| o.rows.len.clone());
    let few = sides[1].side.of_item / counts[1];
    f.unrolled("i", counts[0], |f, i| {
        f.unrolled("j", counts[1], |f, j| {
            let lanes = [i.clone(), j.mul(&Size::int(few))];
            let mut at = Vec::new();
            let mut condition = Expr::Bool(true);
            for k in 0..2 {
                let position = f.size(&first[k].add(&sides[k].own).add(&sides[k].lane(&lanes[k])))?;
                let position = f.bind(["r", "c"][k], CType::Int, position);
                condition = condition.and(position.clone().lt(f.size(&lens[k])?));
                at.push(position);
            }
            f.when(condition, |f| {
                let r = f.number("r", at[0].clone(), &lens[0].sub(&Size::one()));
                let c = f.number("c", at[1].clone(), &lens[1].sub(&Size::one()));
                if few > 1 {
                    f.known_mut().assume_le(c.add(&Size::int(few)), lens[1].clone());
                }
                write(f, [i, j], [&r, &c])
            })
        })
    })
}

/// Whether four neighbouring results of this type can be written as one vector, if rows have a multiple of four.
pub(super) fn writes_fours<'k>(f: &mut FunctionBuilder<'_, 'k>, ty: &Ty, m: &Size, dest: &Dest<'k>) -> Result<bool> {
    let Some(scalar) = ty.as_scalar() else { return Ok(false) };
    let (_, is_wide) = f.scope(|f| {
        let [r, c] = ["r", "c"].map(|name| Size::var(f.index_var(name, Expr::int(0))));
        f.known_mut().assume_divides(Size::int(WIDE), m.clone());
        f.known_mut().assume_divides(Size::int(WIDE), c.clone());
        let value = |by: i64| (r.clone(), c.add(&Size::int(by)), Value::computed(scalar, Expr::int(0)));
        store_quad(f, &(0..WIDE).map(value).collect::<Vec<_>>(), dest)
    })?;
    Ok(is_wide)
}

impl Block<'_> {
    pub(super) fn matrix_tiles<'k>(
        &self,
        f: &mut FunctionBuilder<'_, 'k>,
        element: &Element<'k>,
        (rows, row_ty): (Array<'k>, &Ty),
        (columns, column_ty): (Array<'k>, &Ty),
        z_ty: &Ty,
        dest: &Dest<'k>,
    ) -> Result<()> {
        let (n, m, shape) = (rows.len.clone(), columns.len.clone(), self.shape);
        let (above, beside) = (shape.rows(), shape.columns());
        let [own_row, own_column] = places_of_item(f, shape);
        let mut a = operands(f, "a", &rows, row_ty, above, &own_row)?;
        let mut b = operands(f, "b", &columns, column_ty, beside, &own_column)?;
        let cells = shape.item[0] * shape.item[1];
        let acc = Place { layout: f.arrays(z_ty, "acc", Storage::Private, cells as u64)?, at: Size::zero() };
        let ty = f.kernel().atom_ty(&element.f.body.result);
        let out = ty.as_scalar().filter(|_| self.fours).map(|scalar| room_for_results(f, scalar));
        a.iter_mut().try_for_each(|o| o.declare_tables(f, "a"))?;
        b.iter_mut().try_for_each(|o| o.declare_tables(f, "b"))?;
        // One loop, which needs fewer registers than one for each dimension.
        let across = shape.beside(&m);
        let across = f.host_size(&across, "across")?;
        let mut tiles = shape.tiles([&n, &m]);
        let mut count = tiles.clone();
        if let Some((parts, _)) = &self.parts {
            count = parts.of_all(&tiles);
            tiles = f.host_size(&tiles, "tiles")?;
        }
        f.by_tiles(|f| {
            f.for_level(Level::Wrg(0), &count, |f, t| {
                f.share_memory();
                let (t, span, part) = match &self.parts {
                    Some((parts, around)) => {
                        let (tile, span, part) =
                            part_of_group(f, (parts, around), (t, &tiles), &element.rounds, &n.mul(&m))?;
                        (tile, span, Some(part))
                    }
                    None => (t.clone(), Span { first: Size::zero(), rounds: element.rounds.clone() }, None),
                };
                let first = |i: Size, side: Side| i.mul(&Size::int(side.lanes));
                let row = number_of(f, "row", &first(t.div_floor(&across), above), &n.sub(&Size::one()))?;
                let column = number_of(f, "column", &first(t.rem(&across), beside), &m.sub(&Size::one()))?;
                self.matrix_tile(f, &span, element, [&a, &b], [&row, &column], &acc)?;
                let to = part.as_ref().map_or(Results::Finished(dest), Results::Of);
                results(f, self, element, [&a, &b], [&row, &column], (&acc, out.as_ref()), to)
            })
        })
    }

    /// Folds a block of results.
    pub(super) fn matrix_tile<'k>(
        &self,
        f: &mut FunctionBuilder<'_, 'k>,
        span: &Span,
        element: &Element<'k>,
        operands: [&[Operand<'k>]; 2],
        first: [&Size; 2],
        acc: &Place,
    ) -> Result<()> {
        let (shape, only_whole) = (self.shape, self.whole);
        let (side, depth) = (Size::int(shape.item[1]), &Size::int(shape.depth));
        for (side, first) in operands.iter().zip(first) {
            side.iter().try_for_each(|o| o.take_once(f, first))?;
        }
        f.unrolled("i", shape.item[0], |f, i| {
            f.unrolled("j", shape.item[1], |f, j| {
                let lanes = lane_values(f, element, operands, i, j)?;
                let env = element.before_fold(f, lanes)?;
                let z = f.atom(&element.fold.args[0], &env)?;
                f.copy(&z, &Dest::Place(Place { layout: acc.layout.clone(), at: i.mul(&side).add(j) }))
            })
        })?;
        let (begin_at, rounds) = (&span.first, &span.rounds);
        let whole = f.size(rounds)?.div(Expr::int(shape.depth));
        let whole = f.bind("whole", CType::Int, whole);
        let whole_var = f.index_var("whole", whole.clone());
        f.known_mut().assume_range(whole_var.clone(), Some(Size::zero()), None);
        let whole_size = Size::var(whole_var);
        f.known_mut().assume_le(whole_size.mul(depth), rounds.clone());
        let both = |f: &mut FunctionBuilder<'_, 'k>,
                    act: &mut dyn FnMut(&mut FunctionBuilder<'_, 'k>, &Operand<'k>, &Size) -> Result<()>|
         -> Result<()> {
            for (side, first) in operands.iter().zip(first) {
                side.iter().try_for_each(|o| act(f, o, first))?;
            }
            Ok(())
        };
        let mut places = Vec::new();
        if only_whole {
            for (side, first) in operands.iter().zip(first) {
                for o in side.iter() {
                    places.push(o.places(f, first)?);
                }
            }
        }
        let end = begin_at.add(rounds);
        let enter_rounds = |f: &mut FunctionBuilder<'_, 'k>, tile: &Size, half: &Size| -> Result<()> {
            both(f, &mut |f, o, _| o.enter_rounds(f, [&begin_at.add(&tile.mul(depth)), half, &end]))
        };
        if !only_whole {
            both(f, &mut |f, o, first| o.enter(f, first))?;
        }
        // The iterations of a tile are divided two tiles before it is folded.
        let divides = !only_whole && operands.into_iter().flatten().any(Operand::divides_rounds);
        if divides {
            enter_rounds(f, &Size::zero(), &Size::zero())?;
            enter_rounds(f, &Size::one(), &Size::one())?;
            f.barrier(true, false);
        }
        let fetch = |f: &mut FunctionBuilder<'_, 'k>, from: &Size, half: &Size| -> Result<()> {
            if !only_whole {
                return both(f, &mut |f, o, first| o.fetch(f, first, from, half));
            }
            let all = operands.into_iter().flatten();
            all.zip(&places).try_for_each(|(o, places)| o.fetch_from(f, places, from))
        };
        let (begin, ()) = f.scope(|f| {
            f.known_mut().assume_le(Size::one(), whole_size.clone());
            fetch(f, begin_at, &Size::zero())?;
            both(f, &mut |f, o, _| o.stage(f, &Size::zero()))
        })?;
        f.emit_if(Expr::int(0).lt(whole.clone()), begin, Vec::new());
        f.barrier(true, false);
        f.for_range("tile", Expr::int(0), &whole_size, Step::Increment, |f, t| {
            let t_expr = f.size(t)?;
            let half = Expr::binary(BinaryOp::BitAnd, t_expr.clone(), Expr::int(1));
            let half = f.number("half", half, &Size::one());
            let more = t_expr.add(Expr::int(1)).lt(whole.clone());
            let (fetch, ()) = f.scope(|f| {
                f.known_mut().assume_le(t.add(&Size::one()), whole_size.sub(&Size::one()));
                let from = begin_at.add(&t.add(&Size::one()).mul(depth));
                fetch(f, &from, &Size::one().sub(&half))
            })?;
            f.emit_if(more.clone(), fetch, Vec::new());
            f.unrolled_unless_long("k", shape.depth, |f, k| {
                element.round(f, operands, acc, &side, &half, k, &begin_at.add(&t.mul(depth)).add(k))
            })?;
            let other = Size::one().sub(&half);
            let (stage, ()) = f.scope(|f| both(f, &mut |f, o, _| o.stage(f, &other)))?;
            f.emit_if(more, stage, Vec::new());
            if divides {
                enter_rounds(f, &t.add(&Size::int(2)), &half)?;
            }
            f.barrier(true, false);
            Ok(())
        })?;
        if only_whole {
            return Ok(());
        }
        // The remaining iterations, fewer than a tile has. Barriers must not be conditional: with a conditional one,
        // pocl loses the private arrays of a group's first work-item.
        let first_left = begin_at.add(&whole_size.mul(depth));
        let odd = Expr::binary(BinaryOp::BitAnd, whole.clone(), Expr::int(1));
        let odd = if divides { f.number("half", odd, &Size::one()) } else { Size::zero() };
        both(f, &mut |f, o, first| o.fetch_rest(f, first, &first_left, &end, &odd))?;
        f.barrier(true, false);
        let left = f.size(rounds)?.sub(whole.mul(Expr::int(shape.depth)));
        let left = f.index_var("left", left);
        f.known_mut().assume_index(&left, depth);
        let left = Size::var(left);
        f.known_mut().assume_le(whole_size.mul(depth).add(&left), rounds.clone());
        f.for_range("k", Expr::int(0), &left, Step::Increment, |f, k| {
            element.round(f, operands, acc, &side, &Size::zero(), k, &first_left.add(k))
        })
    }
}

impl<'k> Element<'k> {
    /// One iteration of all folds of the work-item.
    #[allow(clippy::too_many_arguments)]
    fn round(
        &self,
        f: &mut FunctionBuilder<'_, 'k>,
        operands: [&[Operand<'k>]; 2],
        acc: &Place,
        side: &Size,
        half: &Size,
        in_tile: &Size,
        k: &Size,
    ) -> Result<()> {
        for o in operands.into_iter().flatten() {
            o.take(f, half, in_tile)?;
        }
        let [n, m] = operands.map(|side| side[0].side.of_item);
        f.unrolled("i", n, |f, i| {
            f.unrolled("j", m, |f, j| {
                let cell = Place { layout: acc.layout.clone(), at: i.mul(side).add(j) };
                let lanes = lane_values(f, self, operands, i, j)?;
                let before = f.load(&cell)?;
                let next = self.next(f, lanes, k, before.clone())?;
                f.assign_registers(&before, &next)
            })
        })
    }

    /// The value of a fold after iteration `k`, with the given row and column.
    pub fn next(
        &self,
        f: &mut FunctionBuilder<'_, 'k>,
        lanes: [Value<'k>; 2],
        k: &Size,
        before: Value<'k>,
    ) -> Result<Value<'k>> {
        let env = self.before_fold(f, lanes)?;
        let xs = f.atom(&self.fold.args[1], &env)?;
        let xs = f.array(&xs)?;
        let x = f.read(&xs, k)?;
        let next = f.call(&Closure { lambda: &self.fold.funs[0], env }, &[before, x])?;
        Ok(if self.nest.reorder { f.contracted(next) } else { next })
    }

    /// The environment of the fold: the arguments of both functions and the statements before it.
    pub fn before_fold(&self, f: &mut FunctionBuilder<'_, 'k>, [row, column]: [Value<'k>; 2]) -> Result<Env<'k>> {
        let mut env = self.env.clone();
        env.bind(self.outer.params[0], row);
        env.bind(self.f.params[0], column);
        for s in of_rows(self.outer) {
            let value = f.eval_stmt(s, &mut env, None)?;
            env.bind(s.var, value);
        }
        for s in self.f.body.stmts.iter().take_while(|s| s.var != self.nest.fold) {
            let value = f.eval_stmt(s, &mut env, None)?;
            env.bind(s.var, value);
        }
        Ok(env)
    }

    /// The value of a result of the work-item.
    pub(super) fn result_of(
        &self,
        f: &mut FunctionBuilder<'_, 'k>,
        operands: [&[Operand<'k>]; 2],
        acc: &Place,
        [i, j]: [&Size; 2],
    ) -> Result<Value<'k>> {
        let cell = f.load(&cell_at(operands, acc, [i, j]))?;
        let lanes = lane_values(f, self, operands, i, j)?;
        let env = self.before_fold(f, lanes)?;
        self.finished(f, env, cell)
    }

    /// The result from the fold of a row and a column.
    pub fn finished(&self, f: &mut FunctionBuilder<'_, 'k>, mut env: Env<'k>, folded: Value<'k>) -> Result<Value<'k>> {
        env.bind(self.nest.fold, Value::Array(Array::new(Size::one(), View::Fill(folded))));
        for s in self.f.body.stmts.iter().skip_while(|s| s.var != self.nest.fold).skip(1) {
            let value = f.eval_stmt(s, &mut env, None)?;
            env.bind(s.var, value);
        }
        f.atom(&self.f.body.result, &env)
    }
}

/// The arguments of both functions, for a result of the work-item.
fn lane_values<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    element: &Element<'k>,
    operands: [&[Operand<'k>]; 2],
    i: &Size,
    j: &Size,
) -> Result<[Value<'k>; 2]> {
    let row = side_value(f, operands[0], i, &element.rounds)?;
    Ok([row, side_value(f, operands[1], j, &element.rounds)?])
}

/// Writes the results of the folds, or of the function applied to them: four neighbours as one vector if all
/// lengths are multiples.
fn results<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    all: &Block<'_>,
    element: &Element<'k>,
    operands: [&[Operand<'k>]; 2],
    first: [&Size; 2],
    (acc, out): (&Place, Option<&Expr>),
    to: Results<'_, 'k>,
) -> Result<()> {
    // Scalars that accompany a row or a column are loaded again, rather than kept in registers during the fold.
    if matches!(to, Results::Finished(_)) {
        for (side, first) in operands.iter().zip(first) {
            side.iter().try_for_each(|o| o.take_once(f, first))?;
        }
    }
    let dest = to.dest(&operands[1][0].rows.len);
    let [above, beside] = all.shape.item;
    if let Some(out) = out {
        let (wide, is_wide) = f.scope(|f| {
            let mut always = true;
            each_place(f, operands, first, [above, beside / WIDE], &mut |f, [i, quad], [r, c]| {
                f.known_mut().assume_divides(Size::int(WIDE), c.clone());
                let mut values = Vec::new();
                for by in (0..WIDE).map(Size::int) {
                    let value = result_at(f, element, operands, acc, [i, &quad.mul(&Size::int(WIDE)).add(&by)], to)?;
                    values.push((r.clone(), c.add(&by), value));
                }
                always &= store_together(f, &mut values, out, &dest)?;
                Ok(())
            })?;
            Ok(always)
        })?;
        if is_wide {
            f.emit_all(wide);
            return Ok(());
        }
    }
    each_place(f, operands, first, [above, beside], &mut |f, at, [r, c]| {
        let value = result_at(f, element, operands, acc, at, to)?;
        write_result(f, &value, [r, c], &dest)
    })
}

/// Local memory for four results of each work-item.
fn room_for_results(f: &mut FunctionBuilder, scalar: Scalar) -> Expr {
    let len = (ITEMS * WIDE).cast_unsigned();
    f.own_mut().declare_local(len * scalar.bytes());
    let origin = f.origin();
    f.program_mut().stored("out", Kind::Local, scalar, &Size::nat(len), &origin);
    Expr::Var(f.declare_array("out", Storage::LocalVectors, CType::stored(scalar), len))
}

/// Writes four neighbours as one vector, which the work-item loads from local memory. On an H200 attention of 32 heads
/// takes 431 µs so, and 460 with a vector made of registers.
fn store_together<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    values: &mut [(Size, Size, Value<'k>)],
    out: &Expr,
    dest: &Dest<'k>,
) -> Result<bool> {
    let mut ty = None;
    let from = f.bind("own", CType::Int, local_id().mul(Expr::int(WIDE)));
    for (k, (.., value)) in values.iter().enumerate() {
        let scalar = f.scalar_of(value)?;
        ty = Some(CType::Vec(scalar.ty(), WIDE as u8));
        let value = f.scalar(&scalar)?;
        f.assign(out.clone().index(from.clone().add(Expr::int(k as i64))), value);
    }
    let Some(ty) = ty else { return Ok(false) };
    let pointer = Arc::new(out.clone().add(from));
    let four = f.bind("y", ty, Expr::Wide { ty, space: Qualifier::Local, pointer });
    for (k, (.., value)) in values.iter_mut().enumerate() {
        let CType::Vec(scalar, _) = ty else { continue };
        *value = Value::computed(scalar, four.clone().lane(k as u8));
    }
    store_quad(f, values, dest)
}

/// The value of a result of the work-item, or of its fold alone.
fn result_at<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    element: &Element<'k>,
    operands: [&[Operand<'k>]; 2],
    acc: &Place,
    [i, j]: [&Size; 2],
    to: Results<'_, 'k>,
) -> Result<Value<'k>> {
    if let Results::Of(_) = to {
        return f.load(&cell_at(operands, acc, [i, j]));
    }
    element.result_of(f, operands, acc, [i, j])
}
