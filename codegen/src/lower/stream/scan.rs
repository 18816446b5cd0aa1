//! `scan` and `scanExcl` of sums of `int`s in a single pass.

use super::single_pass::{Shared, fits_word, state_size};
use super::tile::{Shape, TILED, Tile};
use crate::core::{Lambda, PrimCall, Rhs, ScalarOp, Stmt};
use crate::lower::Result;
use crate::lower::device_filter::local_id;
use crate::lower::function::FunctionBuilder;
use crate::lower::host::Host;
use crate::lower::launch::Title;
use crate::lower::value::{Array, Closure, Dest, Env, Layout, Memory, Root, Value};
use crate::opencl::ast::Qualifier;
use crate::opencl::{BinaryOp, CType, Expr, Storage};
use crate::plan::BufferRole;
use lift_analysis::hir::Scalar;
use lift_analysis::size::Size;
use lift_analysis::ty::Ty;
use std::rc::Rc;

/// An operator on scalars and its neutral value.
struct Operator<'k> {
    f: Closure<'k>,
    z: Value<'k>,
    scalar: Scalar,
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
        let target = self.program.schedule.target;
        let (true, Some(scalar)) = (target.single_pass, fits_word(ty)) else { return Ok(false) };
        let Some(shape) = Shape::of(&target, 4) else { return Ok(false) };
        if !is_adding(&call.funs[0], scalar) {
            return Ok(false);
        }
        let tiles = shape.tiles(&self.most(stmt, &xs.len)?);
        let z = self.atom(&call.args[0], env);
        let op = Operator { f: Closure { lambda: &call.funs[0], env: env.clone() }, z, scalar };
        let name = self.program.kernel.name_of(stmt.var).to_string();
        let state = format!("{name}_state");
        let state = self.program.buffer(&state, Scalar::Long, state_size(&tiles), BufferRole::State);
        let title = Title { name: &name, label: "scan", origin: &stmt.origin };
        self.launch(&title, TILED, shape.local(), |f| {
            let z = f.force(&op.z)?;
            let op = &Operator { z, ..op };
            let slots = 2 * i64::from(shape.group) * i64::from(shape.fours);
            let Some(slots) = f.element_arrays(ty, "slots", Storage::Local, slots) else {
                return Err(f.error("scan", "these elements are no scalars"));
            };
            f.single_pass(state, shape, &xs.len, &tiles, |f, shared, tile| {
                let own = f.of_own(ty, "x", shape.each())?;
                f.load_tile(tile, xs, &own, Some(&op.z), None)?;
                let folds = f.of_own(ty, "fold", shape.fours.into())?;
                f.fold_fours(op, tile, &own, &folds)?;
                let last = f.scan_folds(op, tile, &folds, &slots)?;
                let all = f.carries(op, tile, &folds, &slots, last)?;
                let word = f.word_of(op, &all)?;
                f.publish_own(shared, tile, word)?;
                let sum = f.sum_before(shared, tile)?;
                let before = f.holding(&Value::computed(scalar, sum), "before")?;
                f.finish_tile(op, shared, (tile, xs), (&own, &folds), (&before, &all), dest, inclusive)
            })
        })?;
        Ok(true)
    }
}

/// Whether the operator adds `int`s, so that a group can add up the values of many tiles at once.
fn is_adding(f: &Lambda, scalar: Scalar) -> bool {
    let adds = f.body.stmts.iter().all(|s| matches!(s.rhs, Rhs::Scalar(ScalarOp::Add, _)));
    scalar == Scalar::Int && adds && f.is_commutative()
}

impl<'k> FunctionBuilder<'_, 'k> {
    fn of_own(&mut self, ty: &Ty, name: &str, len: i64) -> Result<Rc<Layout>> {
        let arrays = self.element_arrays(ty, name, Storage::Private, len);
        arrays.ok_or_else(|| self.error("scan", "these elements are no scalars"))
    }

    /// Publishes the inclusive prefix of this tile, and writes its results.
    #[allow(clippy::too_many_arguments)]
    fn finish_tile(
        &mut self,
        op: &Operator<'k>,
        shared: &Shared,
        (tile, xs): (&Tile, &Array<'k>),
        (own, folds): (&Rc<Layout>, &Rc<Layout>),
        (before, all): (&Value<'k>, &Value<'k>),
        dest: &Dest<'k>,
        inclusive: bool,
    ) -> Result<()> {
        self.provided(Expr::int(0).lt(tile.number.clone()), |f| {
            let all = f.call(&op.f, &[before.clone(), all.clone()])?;
            let word = f.word_of(op, &all)?;
            f.publish_all(shared, tile, word)
        })?;
        self.write_scanned(op, tile, xs, (own, folds), before, dest, inclusive)
    }

    /// Variables that hold a value.
    fn holding(&mut self, value: &Value<'k>, name: &str) -> Result<Value<'k>> {
        match self.registers_with(value, name)? {
            Some(registers) => Ok(registers),
            None => Err(self.error("scan", "these elements are no scalars")),
        }
    }

    /// `acc = f(acc, x)`
    fn fold_in(&mut self, op: &Operator<'k>, acc: &Value<'k>, x: Value<'k>) -> Result<()> {
        let next = self.call(&op.f, &[acc.clone(), x])?;
        self.assign_registers(acc, &next)
    }

    fn word_of(&mut self, op: &Operator<'k>, value: &Value<'k>) -> Result<Expr> {
        let value = self.scalar_of(value)?;
        let value = self.scalar(&value)?;
        Ok(Self::to_word(op.scalar, value))
    }

    fn slot_value(&mut self, arrays: &Rc<Layout>, at: Expr) -> Result<Value<'k>> {
        let place = self.slot_at(arrays, at);
        self.load(&place)
    }

    fn put(&mut self, arrays: &Rc<Layout>, at: Expr, value: &Value<'k>) -> Result<()> {
        let place = self.slot_at(arrays, at);
        self.copy(value, &Dest::Place(place))
    }

    /// Sets `folds[k]` to the fold of the `k`-th vector.
    fn fold_fours(&mut self, op: &Operator<'k>, tile: &Tile, own: &Rc<Layout>, folds: &Rc<Layout>) -> Result<()> {
        self.written_out("k", tile.shape.fours, |f, k| {
            let at = |j: i64| times(k.clone(), 4).add(Expr::int(j));
            let first = f.slot_value(own, at(0))?;
            let acc = f.holding(&first, "acc")?;
            for j in 1..4 {
                let x = f.slot_value(own, at(j))?;
                f.fold_in(op, &acc, x)?;
            }
            f.put(folds, k, &acc)
        })
    }

    /// Scans the folds of each row of vectors across the group, inclusively, into `folds[k]` and into local memory for
    /// all to see. Returns where in local memory they start.
    fn scan_folds(&mut self, op: &Operator<'k>, tile: &Tile, folds: &Rc<Layout>, slots: &Rc<Layout>) -> Result<u32> {
        let shape = tile.shape;
        let all = shape.group * shape.fours;
        // Double buffering, so that one barrier per round suffices.
        let (mut from, mut d) = (0, 1);
        loop {
            let mine = |k: Expr| slot(k, shape, from, local_id());
            self.written_out("k", shape.fours, |f, k| {
                let fold = f.slot_value(folds, k.clone())?;
                f.put(slots, mine(k), &fold)
            })?;
            self.barrier(true, false);
            if d >= shape.group {
                return Ok(from);
            }
            self.written_out("k", shape.fours, |f, k| {
                let fold = f.slot_value(folds, k.clone())?;
                let fold = f.holding(&fold, "acc")?;
                for far in [d, 2 * d, 3 * d].into_iter().filter(|far| *far < shape.group) {
                    f.provided(local_id().ge(Expr::int(far.into())), |f| {
                        let before =
                            f.slot_value(slots, slot(k.clone(), shape, from, local_id().sub(Expr::int(far.into()))))?;
                        let before = f.named_scalar(&before, "before")?;
                        let next = f.call(&op.f, &[before, fold.clone()])?;
                        f.assign_registers(&fold, &next)
                    })?;
                }
                f.put(folds, k, &fold)
            })?;
            from = all - from;
            d *= 4;
        }
    }

    /// Sets `folds[k]` to the fold of everything in the tile before the `k`-th vector of this work-item. Returns the
    /// fold of the whole tile.
    fn carries(
        &mut self,
        op: &Operator<'k>,
        tile: &Tile,
        folds: &Rc<Layout>,
        slots: &Rc<Layout>,
        from: u32,
    ) -> Result<Value<'k>> {
        let shape = tile.shape;
        let rows = self.holding(&op.z, "rows")?;
        self.written_out("k", shape.fours, |f, k| {
            let carry = f.holding(&rows, "carry")?;
            f.provided(local_id().ge(Expr::int(1)), |f| {
                let before = f.slot_value(slots, slot(k.clone(), shape, from, local_id().sub(Expr::int(1))))?;
                f.fold_in(op, &carry, before)
            })?;
            f.put(folds, k.clone(), &carry)?;
            let row = f.slot_value(slots, slot(k, shape, from, Expr::int(i64::from(shape.group) - 1)))?;
            f.fold_in(op, &rows, row)
        })?;
        Ok(rows)
    }

    #[allow(clippy::too_many_arguments)]
    fn write_scanned(
        &mut self,
        op: &Operator<'k>,
        tile: &Tile,
        xs: &Array<'k>,
        (own, folds): (&Rc<Layout>, &Rc<Layout>),
        before: &Value<'k>,
        dest: &Dest<'k>,
        inclusive: bool,
    ) -> Result<()> {
        let shape = tile.shape;
        // The results replace the elements.
        self.written_out("k", shape.fours, |f, k| {
            let fold = f.slot_value(folds, k.clone())?;
            let acc = f.call(&op.f, &[before.clone(), fold])?;
            let acc = f.holding(&acc, "acc")?;
            f.written_out("j", 4, |f, j| {
                let at = f.bind("at", CType::Int, times(k, 4).add(j));
                let x = f.slot_value(own, at.clone())?;
                let x = f.named_scalar(&x, "x")?;
                if inclusive {
                    f.fold_in(op, &acc, x)?;
                    f.put(own, at, &acc)
                } else {
                    f.put(own, at, &acc)?;
                    f.fold_in(op, &acc, x)
                }
            })
        })?;
        let fours = xs.len.div_floor(&Size::int(4));
        let (whole, ()) = self.scope(|f| {
            f.written_out("k", shape.fours, |f, k| {
                let first = times(tile.number.clone(), shape.group * shape.fours).add(times(k.clone(), shape.group));
                let q = f.bind("q", CType::Int, first.add(local_id().cast(CType::Int)));
                let q = f.index_var("q", q);
                f.facts.assume_range(q.clone(), Some(Size::zero()), Some(fours.sub(&Size::one())));
                f.write_four(dest, &Size::var(q), op.scalar, own, k)
            })
        })?;
        let (some, ()) = self.scope(|f| {
            f.for_own(tile, |f, at, offset| {
                f.provided(offset.clone().lt(tile.left.clone()), |f| {
                    let i = f.tile_index(tile, offset, &xs.len);
                    let value = f.slot_value(own, at)?;
                    let to = f.dest_at(dest, &i)?;
                    f.copy(&value, &to)
                })
            })
        })?;
        self.emit_if(tile.is_whole(), whole, some);
        Ok(())
    }

    /// Writes the `k`-th vector of a work-item to elements `4·q` to `4·q + 3`.
    fn write_four(&mut self, dest: &Dest<'k>, q: &Size, scalar: Scalar, own: &Rc<Layout>, k: Expr) -> Result<()> {
        let four = Size::int(4);
        let mut values = Vec::new();
        for j in 0..4 {
            values.push(self.slot_value(own, times(k.clone(), 4).add(Expr::int(j)))?);
        }
        if let Dest::Place(p) = dest
            && let Layout::Array { capacity, element, .. } = &*p.layout
            && let Layout::Scalar(Memory { root: Root::Buffer(buffer), .. }) = &**element
            && let base = self.facts.simplify(&p.at.mul(capacity))
            && self.facts.divides(&four, &base).is_yes()
        {
            let mut lanes = Vec::new();
            for v in &values {
                let v = self.scalar_of(v)?;
                lanes.push(self.scalar(&v)?);
            }
            let pointer = Expr::Var(self.use_buffer(*buffer, true));
            let to = self.wide(Qualifier::Global, scalar, pointer, &base.add(&q.mul(&four)))?;
            self.assign(to, Expr::Vector(CType::Vec(scalar, 4), lanes));
            return Ok(());
        }
        for (j, value) in values.iter().enumerate() {
            let to = self.dest_at(dest, &q.mul(&four).add(&Size::int(j as i64)))?;
            self.copy(value, &to)?;
        }
        Ok(())
    }
}

fn times(e: Expr, by: u32) -> Expr {
    Expr::binary(BinaryOp::Mul, e, Expr::int(by.into()))
}

/// The slot of work-item `l` in row `k`.
fn slot(k: Expr, shape: Shape, from: u32, l: Expr) -> Expr {
    Expr::int(from.into()).add(times(k, shape.group)).add(l.cast(CType::Int))
}
