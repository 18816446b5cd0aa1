//! `map (λrow. map (λcolumn. g (reduce f z (… row column …))) columns) rows`, in tiles.
//!
//! A group computes a block of results, each work-item 8×8 of them (or 4×4) in registers. Rows and columns pass through
//! local memory, a few iterations of the fold at a time; while one tile is folded, the next is fetched. Rows and
//! columns after the last are clamped and their results discarded. Iterations after the last are never executed, so any
//! fold may be tiled. Each result is folded in the order of the program.
//!
//! The arrangement is that of the usual kernels for matrix products (Nath, Tomov, Dongarra, *An improved MAGMA GEMM for
//! Fermi GPUs*, 2010; NVIDIA CUTLASS): warps of 8×4 work-items, with elements in blocks of four.

use super::super::function::{Dims, FunctionBuilder};
use super::super::host::Host;
use super::super::launch::Title;
use super::super::value::{Array, Closure, Dest, Env, Place, Value, View};
use super::super::{LowerError, Result};
use super::operand::{ITEMS, Operand, Side};
use super::{bytes_of, local_id};
use crate::core::{Lambda, PrimCall, Rhs, Stmt};
use crate::opencl::{BinaryOp, CType, Expr, Step, Storage};
use crate::parameters::Parameter;
use crate::schedule::nest::{self, Nest};
use crate::schedule::rules;
use crate::target::{Class, Target};
use lift_analysis::size::Size;
use lift_analysis::ty::{Ty, TyKind};

/// The size of a tile: 2×4 warps of 8×4 work-items with `item`×`item` results each.
#[derive(Debug, Clone, Copy)]
struct Shape {
    item: i64,
    depth: i64,
}

/// The shapes of tiles, preferred first.
fn shapes(target: &Target) -> Vec<Shape> {
    let [most, depth] = [Parameter::MatrixItem, Parameter::MatrixDepth].map(|p| i64::from(target.get(p)));
    let all: &[(i64, i64)] = match depth {
        // The work-items of a group fetch at least a vector of four each, so small tiles are not flat.
        8 => &[(8, 8), (4, 16)],
        // The last is for elements of 16 bytes or more.
        _ => &[(8, 16), (8, 8), (4, 16)],
    };
    all.iter().filter(|(item, _)| *item <= most).map(|(item, depth)| Shape { item: *item, depth: *depth }).collect()
}
/// Bytes of results that a work-item keeps in registers.
const REGISTERS: i64 = 256;

impl Shape {
    fn rows(self) -> Side {
        Side { lanes: 16 * self.item, of_item: self.item, spread: 32, depth: self.depth }
    }
    /// The number of tiles along `n` rows or columns.
    fn tiles(self, n: &Size) -> Size {
        let lanes = 16 * self.item;
        n.add(&Size::int(lanes - 1)).div_floor(&Size::int(lanes))
    }
    fn columns(self) -> Side {
        Side { lanes: 16 * self.item, of_item: self.item, spread: 16, depth: self.depth }
    }
}

/// The computation for each pair of a row and a column.
pub(super) struct Element<'k> {
    /// The function of a column.
    f: &'k Lambda,
    /// The function of a row.
    outer: &'k Lambda,
    env: Env<'k>,
    nest: Nest,
    pub fold: &'k PrimCall,
    pub rounds: Size,
}

/// The element function, all rows and all columns.
type Nested<'k> = (Element<'k>, Array<'k>, Array<'k>);

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
        let wrong = || LowerError::new(&stmt.origin, "map", "a nest of maps is not as it was");
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
        if self.program.schedule.target.class == Class::Cpu {
            if batches > 0 || [row_ty, column_ty].into_iter().any(is_tuple_of_rows) {
                return Ok(false);
            }
            let rows = self.array_arg(stmt, &call.args[0], env)?;
            let element_of = |b: &mut FunctionBuilder<'_, 'k>| {
                let (element, _, columns) = element_of(b, env)?;
                Ok((element, columns))
            };
            return self.matrix_on_cores(stmt, (rows, row_ty), column_ty, &z_ty, dest, element_of);
        }
        let local = |s: &Shape| {
            let pitch = s.rows().lanes + 4;
            2 * s.depth * pitch * (element(row_ty) + element(column_ty))
        };
        let target = self.program.schedule.target;
        let fits = |s: &&Shape| {
            local(s) <= target.local_memory as i64 && s.item * s.item * bytes_of(&z_ty) as i64 <= REGISTERS
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
        let (mut multiples, mut lengths) = (None, Vec::new());
        self.program.probe(&stmt.origin, |b| {
            b.used = used;
            b.for_batch(&batch, env.clone(), dest.clone(), &mut |b, env, _| {
                let (element, rows, columns) = element_of(b, &env)?;
                multiples = b.multiples([(&rows, row_ty), (&columns, column_ty)], &element.rounds, shape.depth);
                lengths.extend([rows.len.clone(), columns.len.clone()]);
                Ok(())
            })
        })?;
        let multiples = multiples.filter(|all| all.iter().all(|(size, _)| self.program.is_known_before(size)));
        let body = |b: &mut FunctionBuilder<'_, 'k>, shape: Shape, whole: Option<&[(Size, i64)]>| {
            for (size, of) in whole.into_iter().flatten() {
                b.facts.assume_divides(Size::int(*of), size.clone());
            }
            b.for_batch(&batch, env.clone(), dest.clone(), &mut |b, env, dest| {
                let (element, rows, columns) = element_of(b, &env)?;
                b.matrix_tiles(shape, whole.is_some(), &element, (rows, row_ty), (columns, column_ty), &z_ty, &dest)
            })
        };
        // Use smaller tiles if there are too few to occupy the device.
        let smaller = shapes.iter().filter(fits).find(|s| s.item < shape.item && s.depth == shape.depth).copied();
        let around =
            batch.iter().map(|c| kernel.atom_ty(&c.args[0]).as_array().map_or(Size::one(), |a| env.size(&a.len)));
        let tiles = lengths.iter().map(|n| shape.tiles(n)).chain(around).fold(Size::one(), |a, b| a.mul(&b));
        let few = Size::nat(target.compute_units.into()).sub(&tiles);
        let versions = match (smaller, few.as_const()) {
            (Some(smaller), Some(1..)) => vec![(smaller, Vec::new())],
            (Some(smaller), None) if self.program.is_known_before(&tiles) => {
                vec![(shape, vec![Size::one().sub(&few)]), (smaller, vec![few])]
            }
            _ => vec![(shape, Vec::new())],
        };
        for (shape, only_if) in versions {
            let Some(multiples) = &multiples else {
                match only_if.is_empty() {
                    true => self.launch(&title, used, local, |b| body(b, shape, None))?,
                    false => self.launch_if(&only_if, &title, used, local, |b| body(b, shape, None))?,
                }
                continue;
            };
            let title = |label| Title { label, ..title.clone() };
            let and = |size: Size| only_if.iter().cloned().chain([size]).collect::<Vec<_>>();
            // 0 if all lengths are the required multiples.
            let rest = multiples.iter().fold(Size::zero(), |sum, (size, of)| sum.add(&size.rem(&Size::int(*of))));
            let none = and(Size::one().sub(&rest));
            self.launch_if(&none, &title("map: whole tiles"), used, local, |b| body(b, shape, Some(multiples)))?;
            if !multiples.is_empty() {
                self.launch_if(&and(rest), &title("map: tiles"), used, local, |b| body(b, shape, None))?;
            }
        }
        if multiples.is_some() {
            self.program.applied(&rules::WHOLE_TILES, &stmt.origin);
        }
        Ok(true)
    }
}

impl<'k> FunctionBuilder<'_, 'k> {
    /// Loops over the elements of the maps around a nest; `body` gets the environment and the destination.
    fn for_batch(
        &mut self,
        batch: &[&'k PrimCall],
        env: Env<'k>,
        dest: Dest<'k>,
        body: &mut dyn FnMut(&mut Self, Env<'k>, Dest<'k>) -> Result<()>,
    ) -> Result<()> {
        let Some((call, rest)) = batch.split_first() else { return body(self, env, dest) };
        let f = &call.funs[0];
        let xs = self.atom(&call.args[0], &env)?;
        let xs = self.array(&xs)?;
        let level = crate::core::Level::Wrg(batch.len() as u8);
        self.for_level(level, &xs.len.clone(), |b, i| {
            let (x, dest) = (b.read(&xs, i)?, b.dest_at(&dest, i)?);
            let mut env = env.clone();
            env.enter(f, i, x);
            for s in f.body.stmts.iter().take(f.body.stmts.len() - 1) {
                let value = b.eval_stmt(s, &mut env, None)?;
                env.bind(s.var, value);
            }
            b.for_batch(rest, env, dest, body)
        })
    }

    #[allow(clippy::too_many_arguments)]
    fn matrix_tiles(
        &mut self,
        shape: Shape,
        whole: bool,
        element: &Element<'k>,
        (rows, row_ty): (Array<'k>, &Ty),
        (columns, column_ty): (Array<'k>, &Ty),
        z_ty: &Ty,
        dest: &Dest<'k>,
    ) -> Result<()> {
        let (n, m) = (rows.len.clone(), columns.len.clone());
        let (above, beside) = (shape.rows(), shape.columns());
        let item = self.bind("item", CType::Int, local_id());
        // 2×4 warps of 8×4 work-items; the work-items of a warp take adjacent blocks of four.
        let in_warp = |a: i64, b: i64| item.clone().div(Expr::int(a)).rem(Expr::int(b));
        let own_row =
            item.clone().div(Expr::int(128)).mul(Expr::int(above.lanes / 2)).add(in_warp(4, 8).mul(Expr::int(4)));
        let own_column =
            in_warp(32, 4).mul(Expr::int(beside.lanes / 4)).add(item.clone().rem(Expr::int(4)).mul(Expr::int(4)));
        let own_row = self.number("own_row", own_row, &Size::int(above.lanes / 2 + 28));
        let own_column = self.number("own_column", own_column, &Size::int(3 * beside.lanes / 4 + 12));
        let a = self.operands("a", &rows, row_ty, above, &own_row)?;
        let b = self.operands("b", &columns, column_ty, beside, &own_column)?;
        let cells = shape.item * shape.item;
        let acc = Place { layout: self.arrays(z_ty, "acc", Storage::Private, cells as u64)?, at: Size::zero() };
        let lcl = self.active.lcl;
        self.active.lcl[0] = true;
        let outside = std::mem::replace(&mut self.shared_in_loop, true);
        // One loop, which needs fewer registers than one for each dimension.
        let across = shape.tiles(&m);
        let across = self.host_size(&across, "across")?;
        let result = self.for_level(crate::core::Level::Wrg(0), &shape.tiles(&n).mul(&shape.tiles(&m)), |f, t| {
            f.shared_in_loop = true;
            let first = |i: Size, side: Side| i.mul(&Size::int(side.lanes));
            let row = f.number_of("row", &first(t.div_floor(&across), above), &n.sub(&Size::one()))?;
            let column = f.number_of("column", &first(t.rem(&across), beside), &m.sub(&Size::one()))?;
            f.matrix_tile(shape, whole, element, [&a, &b], [&row, &column], &acc)?;
            f.results(shape, element, [&a, &b], [&row, &column], &acc, dest)
        });
        self.shared_in_loop = outside;
        self.active.lcl = lcl;
        result
    }

    fn number_of(&mut self, name: &str, value: &Size, most: &Size) -> Result<Size> {
        let value = self.size(value)?;
        Ok(self.number(name, value, most))
    }

    /// Folds a block of results.
    fn matrix_tile(
        &mut self,
        shape: Shape,
        only_whole: bool,
        element: &Element<'k>,
        operands: [&[Operand<'k>]; 2],
        first: [&Size; 2],
        acc: &Place,
    ) -> Result<()> {
        let (side, depth) = (Size::int(shape.item), &Size::int(shape.depth));
        for (side, first) in operands.iter().zip(first) {
            side.iter().try_for_each(|o| self.take_once(o, first))?;
        }
        self.unrolled("i", shape.item, |f, i| {
            f.unrolled("j", shape.item, |f, j| {
                let lanes = f.lane_values(element, operands, i, j)?;
                let env = f.before_fold(element, lanes)?;
                let z = f.atom(&element.fold.args[0], &env)?;
                f.copy(&z, &Dest::Place(Place { layout: acc.layout.clone(), at: i.mul(&side).add(j) }))
            })
        })?;
        let rounds = &element.rounds;
        let whole = self.size(rounds)?.div(Expr::int(shape.depth));
        let whole = self.bind("whole", CType::Int, whole);
        let whole_var = self.index_var("whole", whole.clone());
        self.facts.assume_range(whole_var.clone(), Some(Size::zero()), None);
        let whole_size = Size::var(whole_var);
        self.facts.assume_le(whole_size.mul(depth), rounds.clone());
        let both = |f: &mut Self, act: &mut dyn FnMut(&mut Self, &Operand<'k>, &Size) -> Result<()>| -> Result<()> {
            for (side, first) in operands.iter().zip(first) {
                side.iter().try_for_each(|o| act(f, o, first))?;
            }
            Ok(())
        };
        let mut places = Vec::new();
        if only_whole {
            for (side, first) in operands.iter().zip(first) {
                for o in side.iter() {
                    places.push(self.places(o, first)?);
                }
            }
        }
        let fetch = |f: &mut Self, from: &Size| -> Result<()> {
            if !only_whole {
                return both(f, &mut |f, o, first| f.fetch(o, first, from));
            }
            let all = operands.into_iter().flatten();
            all.zip(&places).try_for_each(|(o, places)| f.fetch_from(o, places, from))
        };
        let (begin, ()) = self.scope(|f| {
            f.facts.assume_le(Size::one(), whole_size.clone());
            fetch(f, &Size::zero())?;
            both(f, &mut |f, o, _| f.stage(o, &Size::zero()))
        })?;
        self.emit_if(Expr::int(0).lt(whole.clone()), begin, Vec::new());
        self.barrier(true, false);
        self.for_range("tile", Expr::int(0), &whole_size, Step::Increment, |f, t| {
            let t_expr = f.size(t)?;
            let half = Expr::binary(BinaryOp::BitAnd, t_expr.clone(), Expr::int(1));
            let half = f.number("half", half, &Size::one());
            let more = t_expr.add(Expr::int(1)).lt(whole.clone());
            let (fetch, ()) = f.scope(|f| {
                f.facts.assume_le(t.add(&Size::one()), whole_size.sub(&Size::one()));
                let from = t.add(&Size::one()).mul(depth);
                fetch(f, &from)
            })?;
            f.emit_if(more.clone(), fetch, Vec::new());
            f.unrolled("k", shape.depth, |f, k| {
                f.round(element, operands, acc, &side, &half, k, &t.mul(depth).add(k))
            })?;
            let other = Size::one().sub(&half);
            let (stage, ()) = f.scope(|f| both(f, &mut |f, o, _| f.stage(o, &other)))?;
            f.emit_if(more, stage, Vec::new());
            f.barrier(true, false);
            Ok(())
        })?;
        if only_whole {
            return Ok(());
        }
        // The remaining iterations, fewer than a tile has. Barriers must not be conditional: with a conditional one,
        // pocl loses the private arrays of a group's first work-item.
        let first_left = whole_size.mul(depth);
        both(self, &mut |f, o, first| f.fetch_rest(o, first, &first_left, rounds))?;
        self.barrier(true, false);
        let count = rounds.sub(&first_left);
        self.for_range("k", Expr::int(0), &count, Step::Increment, |f, k| {
            f.round(element, operands, acc, &side, &Size::zero(), k, &first_left.add(k))
        })
    }

    /// One iteration of all folds of the work-item.
    #[allow(clippy::too_many_arguments)]
    fn round(
        &mut self,
        element: &Element<'k>,
        operands: [&[Operand<'k>]; 2],
        acc: &Place,
        side: &Size,
        half: &Size,
        in_tile: &Size,
        k: &Size,
    ) -> Result<()> {
        for o in operands.into_iter().flatten() {
            self.take(o, half, in_tile)?;
        }
        let n = side.as_const().unwrap_or(1);
        self.unrolled("i", n, |f, i| {
            f.unrolled("j", n, |f, j| {
                let cell = Place { layout: acc.layout.clone(), at: i.mul(side).add(j) };
                let lanes = f.lane_values(element, operands, i, j)?;
                let before = f.load(&cell)?;
                let next = f.next(element, lanes, k, before.clone())?;
                f.assign_registers(&before, &next)
            })
        })
    }

    /// The arguments of both functions, for a result of the work-item.
    fn lane_values(
        &mut self,
        element: &Element<'k>,
        operands: [&[Operand<'k>]; 2],
        i: &Size,
        j: &Size,
    ) -> Result<[Value<'k>; 2]> {
        let row = self.side_value(operands[0], i, &element.rounds)?;
        Ok([row, self.side_value(operands[1], j, &element.rounds)?])
    }

    /// The value of a fold after iteration `k`, with the given row and column.
    pub(super) fn next(
        &mut self,
        element: &Element<'k>,
        lanes: [Value<'k>; 2],
        k: &Size,
        before: Value<'k>,
    ) -> Result<Value<'k>> {
        let env = self.before_fold(element, lanes)?;
        let xs = self.atom(&element.fold.args[1], &env)?;
        let xs = self.array(&xs)?;
        let x = self.read(&xs, k)?;
        let next = self.call(&Closure { lambda: &element.fold.funs[0], env }, &[before, x])?;
        Ok(if element.nest.reorder { self.contracted(next) } else { next })
    }

    /// The environment of the fold: the arguments of both functions and the statements before it.
    pub(super) fn before_fold(&mut self, element: &Element<'k>, [row, column]: [Value<'k>; 2]) -> Result<Env<'k>> {
        let mut env = element.env.clone();
        env.bind(element.outer.params[0], row);
        env.bind(element.f.params[0], column);
        for s in of_rows(element.outer) {
            let value = self.eval_stmt(s, &mut env, None)?;
            env.bind(s.var, value);
        }
        for s in element.f.body.stmts.iter().take_while(|s| s.var != element.nest.fold) {
            let value = self.eval_stmt(s, &mut env, None)?;
            env.bind(s.var, value);
        }
        Ok(env)
    }

    /// Computes the results from the folds and writes them.
    fn results(
        &mut self,
        shape: Shape,
        element: &Element<'k>,
        operands: [&[Operand<'k>]; 2],
        first: [&Size; 2],
        acc: &Place,
        dest: &Dest<'k>,
    ) -> Result<()> {
        let side = Size::int(shape.item);
        let operands_of = operands;
        // All operands of a side have the same arrangement.
        let operands = operands.map(|side| &side[0]);
        let lens = operands.map(|o| o.rows.len.clone());
        self.unrolled("i", shape.item, |f, i| {
            f.unrolled("j", shape.item, |f, j| {
                let mut at = Vec::new();
                let mut condition = Expr::Bool(true);
                for (k, (o, l)) in operands.iter().zip([i, j]).enumerate() {
                    let position = first[k].add(&o.own).add(&o.lane(l));
                    let position = f.size(&position)?;
                    let position = f.bind(["r", "c"][k], CType::Int, position);
                    condition = condition.and(position.clone().lt(f.size(&lens[k])?));
                    at.push(position);
                }
                f.when(condition, |f| {
                    let r = f.number("r", at[0].clone(), &lens[0].sub(&Size::one()));
                    let c = f.number("c", at[1].clone(), &lens[1].sub(&Size::one()));
                    let lanes = f.lane_values(element, operands_of, i, j)?;
                    let env = f.before_fold(element, lanes)?;
                    let cell = f.load(&Place { layout: acc.layout.clone(), at: i.mul(&side).add(j) })?;
                    f.finished(element, env, cell, [&r, &c], dest)
                })
            })
        })
    }

    /// Computes the result from the fold of a row and a column, and writes it.
    pub(super) fn finished(
        &mut self,
        element: &Element<'k>,
        mut env: Env<'k>,
        folded: Value<'k>,
        [r, c]: [&Size; 2],
        dest: &Dest<'k>,
    ) -> Result<()> {
        env.bind(element.nest.fold, Value::Array(Array::new(Size::one(), View::Fill(folded))));
        for s in element.f.body.stmts.iter().skip_while(|s| s.var != element.nest.fold).skip(1) {
            let value = self.eval_stmt(s, &mut env, None)?;
            env.bind(s.var, value);
        }
        let value = self.atom(&element.f.body.result, &env)?;
        let to = self.dest_at(dest, r)?;
        let to = self.dest_at(&to, c)?;
        self.copy(&value, &to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tile_is_fetched_in_whole_vectors() {
        for item in [4, 8] {
            for depth in [8, 16] {
                let target = Target::nvidia().with(Parameter::MatrixItem, item).with(Parameter::MatrixDepth, depth);
                let all = shapes(&target);
                assert!(!all.is_empty(), "{item} and {depth}");
                for shape in all {
                    let elements = shape.rows().lanes * shape.depth;
                    assert_eq!(elements % (super::super::operand::ITEMS * 4), 0, "{shape:?}");
                }
            }
        }
    }
}
