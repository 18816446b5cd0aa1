//! `scan` and `scanExcl` by tiles: sums of `int`s in a single pass, everything else in two.
//!
//! In two passes, each group folds its chunk, some tiles that follow each other, if there are several; then it scans the chunk from
//! the fold of the chunks before. Folds are made in the same order in every run, so sums of floats do not vary.

use super::single_pass::{fits_word, single_pass, state_size, to_word};
use super::tile::{Shape, TILED, Tile, bytes, wide};
use crate::core::{Lambda, Level, PrimCall, Rhs, ScalarOp, Stmt};
use crate::lower::device_filter::local_id;
use crate::lower::function::FunctionBuilder;
use crate::lower::host::Host;
use crate::lower::launch::Title;
use crate::lower::value::{Array, Closure, Dest, Env, Layout, Memory, Root, Value};
use crate::lower::{LowerError, Result};
use crate::opencl::ast::Qualifier;
use crate::opencl::{BinaryOp, CType, Expr, Step, Storage};
use crate::plan::BufferRole;
use crate::target::Class;
use lift_analysis::hir::Scalar;
use lift_analysis::size::{Size, Var};
use lift_analysis::ty::Ty;
use std::rc::Rc;

/// Maximum chunks of a scan in two passes: as many groups keep a device busy.
const MOST_CHUNKS: i64 = 1024;

/// An operator on scalars, or tuples of them, and its neutral value.
struct Operator<'k> {
    f: Closure<'k>,
    z: Value<'k>,
}

/// The state of a group's work-items for a tile: elements, folds of their vectors, and local memory for these.
struct Own {
    elements: Rc<Layout>,
    folds: Rc<Layout>,
    slots: Rc<Layout>,
}

/// Tiles `from` to before `to` of an array.
struct Tiles {
    number: Size,
    from: Expr,
    to: Var,
    shape: Shape,
    /// Elements of the array.
    n: Expr,
}

/// How an array is divided among groups.
struct Division {
    shape: Shape,
    chunks: Size,
    /// Tiles of a chunk.
    each: Size,
}

impl<'k> Host<'k> {
    /// Scans in one launch if possible; returns whether it did. Each group reads a tile, folds its vectors of four,
    /// scans these folds across the group, publishes the aggregate of the tile, looks back for the prefix, and writes.
    pub fn scan_in_one_pass(
        &mut self,
        stmt: &'k Stmt,
        call: &'k PrimCall,
        env: &Env<'k>,
        dest: &Dest<'k>,
        (xs, ty): (&Array<'k>, &Ty),
        inclusive: bool,
    ) -> Result<bool> {
        let target = self.program.target;
        let (true, Some(scalar)) = (target.single_pass, fits_word(ty)) else { return Ok(false) };
        let Some(shape) = Shape::of(&target, 4) else { return Ok(false) };
        if !is_adding(&call.funs[0], scalar) {
            return Ok(false);
        }
        let tiles = shape.tiles(&self.most(stmt, &xs.len)?);
        let z = self.atom(&call.args[0], env);
        let op = Operator { f: Closure { lambda: &call.funs[0], env: env.clone() }, z };
        let name = self.program.kernel.name_of(stmt.var).to_string();
        let state = format!("{name}_state");
        let state = self.program.buffer(&state, Scalar::Long, state_size(&tiles), BufferRole::State);
        let title = Title { name: &name, label: "scan", origin: &stmt.origin };
        self.launch(&title, TILED, shape.local(), |f| {
            let z = f.force(&op.z)?;
            let op = &Operator { z, ..op };
            let slots = group_slots(f, ty, shape)?;
            single_pass(f, state, shape, &xs.len, &tiles, |f, shared, tile| {
                let own = own_of_tile(f, ty, shape, &slots)?;
                let all = op.fold_tile(f, tile, xs, &own)?;
                let word = word_of(f, scalar, &all)?;
                shared.publish_own(f, tile, word)?;
                let sum = shared.sum_before(f, tile)?;
                let before = holding(f, &Value::computed(scalar, sum), "before")?;
                f.provided(Expr::int(0).lt(tile.number.clone()), |f| {
                    let all = f.call(&op.f, &[before.clone(), all.clone()])?;
                    let word = word_of(f, scalar, &all)?;
                    shared.publish_all(f, tile, word)
                })?;
                op.write_scanned(f, tile, xs, &own, &before, dest, inclusive)
            })
        })?;
        Ok(true)
    }

    /// Scans in two launches by tiles if the target has groups and the elements fit their tiles; returns whether it did.
    pub fn scan_in_two_passes(
        &mut self,
        stmt: &'k Stmt,
        call: &'k PrimCall,
        env: &Env<'k>,
        dest: &Dest<'k>,
        (xs, ty): (&Array<'k>, &Ty),
        inclusive: bool,
    ) -> Result<bool> {
        let target = self.program.target;
        let Some(shape) = bytes(ty).and_then(|bytes| Shape::of(&target, bytes)) else { return Ok(false) };
        if target.class != Class::Gpu {
            return Ok(false);
        }
        let tiles = shape.tiles(&self.most(stmt, &xs.len)?);
        // The folds of all chunks are one tile.
        let chunks = Size::min(&tiles, &Size::int(MOST_CHUNKS.min(shape.elements())));
        let each = tiles.add(&chunks).sub(&Size::one()).div_floor(&chunks);
        let division = &Division { shape, chunks, each };
        let z = self.atom(&call.args[0], env);
        let op = Operator { f: Closure { lambda: &call.funs[0], env: env.clone() }, z };
        let parts = self.partials(stmt, ty, &division.chunks)?;
        let name = self.program.kernel.name_of(stmt.var).to_string();
        let chunks_name = format!("{name}_chunks");
        let title = Title { name: &chunks_name, label: "scan: chunks", origin: &stmt.origin };
        let to = Dest::Place(parts.clone());
        // Before a single chunk there is nothing.
        let several = division.chunks.sub(&Size::one());
        self.launch_if(&[several], &title, TILED, shape.local(), |f| {
            let op = &Operator { z: f.force(&op.z)?, f: op.f.clone() };
            let slots = group_slots(f, ty, shape)?;
            division.for_chunks_of_tiles(f, &xs.len, |f, chunk| {
                let sum = holding(f, &op.z, "sum")?;
                chunk.for_tiles(f, |f, tile| {
                    let own = own_of_tile(f, ty, shape, &slots)?;
                    let all = op.fold_tile(f, tile, xs, &own)?;
                    op.fold_in(f, &sum, all)
                })?;
                f.provided(local_id().eq(Expr::int(0)), |f| {
                    let to = f.dest_at(&to, &chunk.number)?;
                    f.copy(&sum, &to)
                })
            })
        })?;
        let Value::Array(parts) = self.load(&parts)? else {
            return Err(LowerError::new(&stmt.origin, "scan", "the partial results are not an array"));
        };
        let title = Title { name: &name, label: "scan: carry", origin: &stmt.origin };
        self.launch(&title, TILED, shape.local(), |f| {
            let op = &Operator { z: f.force(&op.z)?, f: op.f.clone() };
            let slots = group_slots(f, ty, shape)?;
            division.for_chunks_of_tiles(f, &xs.len, |f, chunk| {
                // The first parts, as many as there are chunks before this one.
                let before = Array { len: chunk.number.clone(), view: parts.view.clone() };
                let count = f.size(&chunk.number)?;
                let tile = f.tile(shape, Expr::int(0), &count);
                let own = own_of_tile(f, ty, shape, &slots)?;
                let sum = op.fold_tile(f, &tile, &before, &own)?;
                f.barrier(true, false);
                chunk.for_tiles(f, |f, tile| {
                    let own = own_of_tile(f, ty, shape, &slots)?;
                    let all = op.fold_tile(f, tile, xs, &own)?;
                    op.write_scanned(f, tile, xs, &own, &sum, dest, inclusive)?;
                    op.fold_in(f, &sum, all)
                })
            })
        })?;
        Ok(true)
    }
}

/// Whether the operator adds `int`s, so that a group can add up the values of many tiles at once.
fn is_adding(f: &Lambda, scalar: Scalar) -> bool {
    let adds = f.body.stmts.iter().all(|s| matches!(s.rhs, Rhs::Scalar(ScalarOp::Add, _)));
    scalar == Scalar::Int && adds && f.combines_components()
}

impl<'k> Operator<'k> {
    /// Loads a tile; sets `own.folds[k]` to the fold of everything in it before the `k`-th vector of this work-item. Returns
    /// the fold of the whole tile. Local memory must not be written again before a barrier.
    fn fold_tile(&self, f: &mut FunctionBuilder<'_, 'k>, tile: &Tile, xs: &Array<'k>, own: &Own) -> Result<Value<'k>> {
        tile.load_tile(f, xs, &own.elements, Some(&self.z), None)?;
        self.fold_fours(f, tile, &own.elements, &own.folds)?;
        let last = self.scan_folds(f, tile, &own.folds, &own.slots)?;
        self.carries(f, tile, &own.folds, &own.slots, last)
    }

    /// `acc = f(acc, x)`
    fn fold_in(&self, f: &mut FunctionBuilder<'_, 'k>, acc: &Value<'k>, x: Value<'k>) -> Result<()> {
        let next = f.call(&self.f, &[acc.clone(), x])?;
        f.assign_registers(acc, &next)
    }

    /// Sets `folds[k]` to the fold of the `k`-th vector.
    fn fold_fours(
        &self,
        f: &mut FunctionBuilder<'_, 'k>,
        tile: &Tile,
        own: &Rc<Layout>,
        folds: &Rc<Layout>,
    ) -> Result<()> {
        f.written_out("k", tile.shape.fours, |f, k| {
            let at = |j: i64| times(k.clone(), 4).add(Expr::int(j));
            let first = slot_value(f, own, at(0))?;
            let acc = holding(f, &first, "acc")?;
            for j in 1..4 {
                let x = slot_value(f, own, at(j))?;
                self.fold_in(f, &acc, x)?;
            }
            put(f, folds, k, &acc)
        })
    }

    /// Scans the folds of each row of vectors across the group, inclusively, into `folds[k]` and into local memory for
    /// all to see. Returns where in local memory they start.
    fn scan_folds(
        &self,
        f: &mut FunctionBuilder<'_, 'k>,
        tile: &Tile,
        folds: &Rc<Layout>,
        slots: &Rc<Layout>,
    ) -> Result<u32> {
        let shape = tile.shape;
        let all = shape.group * shape.fours;
        // Double buffering, so that one barrier per step suffices.
        let (mut from, mut d) = (0, 1);
        loop {
            let mine = |k: Expr| slot(k, shape, from, local_id());
            f.written_out("k", shape.fours, |f, k| {
                let fold = slot_value(f, folds, k.clone())?;
                put(f, slots, mine(k), &fold)
            })?;
            f.barrier(true, false);
            if d >= shape.group {
                return Ok(from);
            }
            f.written_out("k", shape.fours, |f, k| {
                let fold = slot_value(f, folds, k.clone())?;
                let fold = holding(f, &fold, "acc")?;
                for far in [d, 2 * d, 3 * d].into_iter().filter(|far| *far < shape.group) {
                    f.provided(local_id().ge(Expr::int(far.into())), |f| {
                        let before =
                            slot_value(f, slots, slot(k.clone(), shape, from, local_id().sub(Expr::int(far.into()))))?;
                        let before = f.named_scalar(&before, "before")?;
                        let next = f.call(&self.f, &[before, fold.clone()])?;
                        f.assign_registers(&fold, &next)
                    })?;
                }
                put(f, folds, k, &fold)
            })?;
            from = all - from;
            d *= 4;
        }
    }

    /// Sets `folds[k]` to the fold of everything in the tile before the `k`-th vector of this work-item. Returns the
    /// fold of the whole tile.
    fn carries(
        &self,
        f: &mut FunctionBuilder<'_, 'k>,
        tile: &Tile,
        folds: &Rc<Layout>,
        slots: &Rc<Layout>,
        from: u32,
    ) -> Result<Value<'k>> {
        let shape = tile.shape;
        let rows = holding(f, &self.z, "rows")?;
        f.written_out("k", shape.fours, |f, k| {
            let carry = holding(f, &rows, "carry")?;
            f.provided(local_id().ge(Expr::int(1)), |f| {
                let before = slot_value(f, slots, slot(k.clone(), shape, from, local_id().sub(Expr::int(1))))?;
                self.fold_in(f, &carry, before)
            })?;
            put(f, folds, k.clone(), &carry)?;
            let row = slot_value(f, slots, slot(k, shape, from, Expr::int(i64::from(shape.group) - 1)))?;
            self.fold_in(f, &rows, row)
        })?;
        Ok(rows)
    }

    #[allow(clippy::too_many_arguments)]
    fn write_scanned(
        &self,
        f: &mut FunctionBuilder<'_, 'k>,
        tile: &Tile,
        xs: &Array<'k>,
        Own { elements: own, folds, .. }: &Own,
        before: &Value<'k>,
        dest: &Dest<'k>,
        inclusive: bool,
    ) -> Result<()> {
        let shape = tile.shape;
        // The results replace the elements.
        f.written_out("k", shape.fours, |f, k| {
            let fold = slot_value(f, folds, k.clone())?;
            let acc = f.call(&self.f, &[before.clone(), fold])?;
            let acc = holding(f, &acc, "acc")?;
            f.written_out("j", 4, |f, j| {
                let at = f.bind("at", CType::Int, times(k, 4).add(j));
                let x = slot_value(f, own, at.clone())?;
                let x = f.named_scalar(&x, "x")?;
                if inclusive {
                    self.fold_in(f, &acc, x)?;
                    put(f, own, at, &acc)
                } else {
                    put(f, own, at, &acc)?;
                    self.fold_in(f, &acc, x)
                }
            })
        })?;
        let fours = xs.len.div_floor(&Size::int(4));
        let (whole, ()) = f.scope(|f| {
            f.written_out("k", shape.fours, |f, k| {
                let first = times(tile.number.clone(), shape.group * shape.fours).add(times(k.clone(), shape.group));
                let q = f.bind("q", CType::Int, first.add(local_id().cast(CType::Int)));
                let q = f.index_var("q", q);
                f.known_mut().assume_index(&q, &fours);
                write_four(f, dest, &Size::var(q), own, k)
            })
        })?;
        let (some, ()) = f.scope(|f| {
            tile.for_own(f, |f, at, offset| {
                f.provided(offset.clone().lt(tile.left.clone()), |f| {
                    let i = tile.tile_index(f, offset, &xs.len);
                    let value = slot_value(f, own, at)?;
                    let to = f.dest_at(dest, &i)?;
                    f.copy(&value, &to)
                })
            })
        })?;
        f.emit_if(tile.is_whole(), whole, some);
        Ok(())
    }
}

impl Division {
    /// A loop over the chunks of an array of `n` elements, each of one group at a time.
    fn for_chunks_of_tiles<'k>(
        &self,
        f: &mut FunctionBuilder<'_, 'k>,
        n: &Size,
        body: impl FnOnce(&mut FunctionBuilder<'_, 'k>, &Tiles) -> Result<()>,
    ) -> Result<()> {
        let shape = self.shape;
        let chunks = f.host_size(&self.chunks, "chunks")?;
        let each = f.host_size(&self.each, "tiles")?;
        let n_expr = f.length(n)?;
        let tiles = f.size(&shape.tiles(n))?;
        let tiles = f.bind("all_tiles", CType::Int, tiles);
        f.for_level(Level::Wrg(0), &chunks, |f, number| {
            let from = f.size(&number.mul(&each))?;
            let from = f.bind("from", CType::Int, from);
            let to = from.clone().add(f.size(&each)?);
            let to = f.bind("to", CType::Int, Expr::call("min", [to, tiles]));
            let to = f.index_var("to", to);
            f.in_group(|f| body(f, &Tiles { number: number.clone(), from, to, shape, n: n_expr }))
        })
    }
}

impl Tiles {
    fn for_tiles<'k>(
        &self,
        f: &mut FunctionBuilder<'_, 'k>,
        body: impl FnOnce(&mut FunctionBuilder<'_, 'k>, &Tile) -> Result<()>,
    ) -> Result<()> {
        f.for_range("t", self.from.clone(), &Size::var(self.to.clone()), Step::Increment, |f, t| {
            let t = f.size(t)?;
            let tile = f.tile(self.shape, t, &self.n);
            body(f, &tile)?;
            f.barrier(true, false);
            Ok(())
        })
    }
}

fn of_own(f: &mut FunctionBuilder, ty: &Ty, name: &str, len: i64) -> Result<Rc<Layout>> {
    let arrays = f.element_arrays(ty, name, Storage::Private, len);
    arrays.ok_or_else(|| f.error("scan", "these elements are not scalars"))
}

fn group_slots(f: &mut FunctionBuilder, ty: &Ty, shape: Shape) -> Result<Rc<Layout>> {
    let slots = 2 * i64::from(shape.group) * i64::from(shape.fours);
    let slots = f.element_arrays(ty, "slots", Storage::Local, slots);
    slots.ok_or_else(|| f.error("scan", "these elements are not scalars"))
}

fn own_of_tile(f: &mut FunctionBuilder, ty: &Ty, shape: Shape, slots: &Rc<Layout>) -> Result<Own> {
    let elements = of_own(f, ty, "x", shape.each())?;
    let folds = of_own(f, ty, "fold", shape.fours.into())?;
    Ok(Own { elements, folds, slots: slots.clone() })
}

/// Variables that hold a value.
fn holding<'k>(f: &mut FunctionBuilder<'_, 'k>, value: &Value<'k>, name: &str) -> Result<Value<'k>> {
    match f.registers_with(value, name)? {
        Some(registers) => Ok(registers),
        None => Err(f.error("scan", "these elements are not scalars")),
    }
}

fn word_of<'k>(f: &mut FunctionBuilder<'_, 'k>, scalar: Scalar, value: &Value<'k>) -> Result<Expr> {
    let value = f.scalar_of(value)?;
    let value = f.scalar(&value)?;
    Ok(to_word(scalar, value))
}

fn slot_value<'k>(f: &mut FunctionBuilder<'_, 'k>, arrays: &Rc<Layout>, at: Expr) -> Result<Value<'k>> {
    let place = f.slot_at(arrays, at);
    f.load(&place)
}

fn put<'k>(f: &mut FunctionBuilder<'_, 'k>, arrays: &Rc<Layout>, at: Expr, value: &Value<'k>) -> Result<()> {
    let place = f.slot_at(arrays, at);
    f.copy(value, &Dest::Place(place))
}

/// Writes the `k`-th vector of a work-item to elements `4·q` to `4·q + 3`.
fn write_four<'k>(f: &mut FunctionBuilder<'_, 'k>, dest: &Dest<'k>, q: &Size, own: &Rc<Layout>, k: Expr) -> Result<()> {
    let four = Size::int(4);
    if let Dest::Place(p) = dest
        && let Layout::Array { capacity, element, .. } = &*p.layout
        && let base = f.facts().simplify(&p.at.mul(capacity))
        && f.facts().divides(&four, &base).is_yes()
        && takes_vectors(element)
    {
        return write_vectors(f, element, &base.add(&q.mul(&four)), own, &k);
    }
    for j in 0..4 {
        let value = slot_value(f, own, times(k.clone(), 4).add(Expr::int(j)))?;
        let to = f.dest_at(dest, &q.mul(&four).add(&Size::int(j)))?;
        f.copy(&value, &to)?;
    }
    Ok(())
}

/// Writes elements `at` to `at + 3` of buffers, one vector for each scalar of an element.
fn write_vectors(f: &mut FunctionBuilder, element: &Layout, at: &Size, own: &Layout, k: &Expr) -> Result<()> {
    match (element, own) {
        (Layout::Tuple(parts), Layout::Tuple(owns)) => {
            parts.iter().zip(owns).try_for_each(|(part, own)| write_vectors(f, part, at, own, k))
        }
        (Layout::Scalar(Memory { root: Root::Buffer(buffer), scalar }), Layout::Scalar(_)) => {
            let own = Rc::new(own.clone());
            let mut lanes = Vec::new();
            for j in 0..4 {
                let value = slot_value(f, &own, times(k.clone(), 4).add(Expr::int(j)))?;
                let value = f.scalar_of(&value)?;
                lanes.push(f.scalar(&value)?);
            }
            let pointer = Expr::Var(f.use_buffer(*buffer, true));
            let to = wide(f, Qualifier::Global, *scalar, pointer, at)?;
            f.assign(to, Expr::Vector(CType::Vec(*scalar, 4), lanes));
            Ok(())
        }
        _ => Err(f.error("scan", "these elements are not scalars")),
    }
}

/// Whether elements of this layout are scalars in buffers, or tuples of them, of types that have vectors.
fn takes_vectors(element: &Layout) -> bool {
    match element {
        Layout::Scalar(Memory { root: Root::Buffer(_), scalar }) => *scalar != Scalar::Bool,
        Layout::Tuple(parts) => parts.iter().all(|part| takes_vectors(part)),
        _ => false,
    }
}

fn times(e: Expr, by: u32) -> Expr {
    Expr::binary(BinaryOp::Mul, e, Expr::int(by.into()))
}

/// The slot of work-item `l` in row `k`.
fn slot(k: Expr, shape: Shape, from: u32, l: Expr) -> Expr {
    Expr::int(from.into()).add(times(k, shape.group)).add(l.cast(CType::Int))
}
