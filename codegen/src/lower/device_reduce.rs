//! `reduce` and `scan` over the whole device.
//!
//! The input is divided into chunks, one per group at a time. A reduction folds each chunk to one value, then these
//! values to one. A scan folds each chunk likewise; then each group folds the values of the preceding chunks to its
//! carry and scans its chunk tile by tile. Only associativity is required: elements are combined in order, except that
//! work-items take every n-th element if the operator is one of the language's commutative ones.

use super::device_filter::{Chunk, GRID, for_chunks, local_id, local_size, rounded_up};
use super::function::FunctionBuilder;
use super::host::Host;
use super::instructions::in_flight;
use super::launch::Title;
use super::stream::reduce::Reduction;
use super::team::{Levels, is_in_local, levels};
use super::value::{Array, Closure, Dest, Env, Layout, Memory, Place, Root, Value};
use super::{LowerError, Result};
use crate::core::{PrimCall, Stmt};
use crate::lower::team::scan::fold_own_in_order;
use crate::opencl::{BinaryOp, CType, Expr, Step, StmtKind, Storage};
use crate::plan::BufferRole;
use lift_analysis::hir::Scalar;
use lift_analysis::parameters::Parameter;
use lift_analysis::size::{Size, Var, VarKind};
use lift_analysis::ty::{Ty, TyKind};
use std::rc::Rc;

/// The operator, its neutral value, and local memory for one value per work-item of a group.
struct Operator<'k> {
    f: Closure<'k>,
    z: Value<'k>,
    commutative: bool,
    /// Element `l` belongs to work-item `l`.
    slots: Place,
}

impl<'k> Host<'k> {
    /// The operands of a device-wide reduction or scan: array, operator, neutral value and its type.
    fn operator(
        &mut self,
        stmt: &Stmt,
        call: &'k PrimCall,
        env: &Env<'k>,
    ) -> Result<(Array<'k>, Closure<'k>, Value<'k>, Ty)> {
        let xs = self.array_arg(stmt, &call.args[1], env)?;
        let f = Closure { lambda: &call.funs[0], env: env.clone() };
        let z = self.atom(&call.args[0], env);
        Ok((xs, f, z, self.program.kernel.atom_ty(&call.args[0])))
    }

    /// Memory for one value per chunk.
    pub fn partials(&mut self, stmt: &Stmt, ty: &Ty, chunks: &Size) -> Result<Place> {
        let name = format!("{}_parts", self.program.kernel.name_of(stmt.var));
        let ty = Ty::array(ty.clone(), chunks.clone());
        let mut none = std::iter::empty();
        let layout = self.program.layout(&ty, &mut none, &name, BufferRole::Temporary, &Size::one(), &stmt.origin)?;
        Ok(Place { layout, at: Size::zero() })
    }

    pub fn reduce(&mut self, stmt: &'k Stmt, call: &'k PrimCall, env: &Env<'k>, dest: &Dest<'k>) -> Result<()> {
        let (xs, f, z, ty) = self.operator(stmt, call, env)?;
        let name = self.program.kernel.name_of(stmt.var).to_string();
        let r = Reduction { xs: &xs, f: &f, z: &z, ty: &ty };
        let commutative = f.lambda.is_commutative(self.program.kernel);
        if let Some(parts) = self.folds_of_pieces(stmt, "reduce: chunks", &r, commutative)? {
            return self.fold_of_folds(stmt, &r, &parts, dest);
        }
        if commutative {
            if self.reduce_in_one_pass(stmt, &r, dest)? {
                return Ok(());
            }
            if let Some(parts) = self.reduce_to_parts(stmt, &r)? {
                return self.fold_chunks(stmt, "reduce: result", &name, &parts, (&f, &z, &ty), &Size::one(), dest);
            }
        }
        // Also for tuples that commute.
        if let Some(parts) = self.reduce_runs_to_parts(stmt, &r)? {
            return self.fold_chunks(stmt, "reduce: result", &name, &parts, (&f, &z, &ty), &Size::one(), dest);
        }
        let chunks = self.chunks(&xs.len);
        if chunks.is_one() {
            return self.fold_chunks(stmt, "reduce", &name, &xs, (&f, &z, &ty), &chunks, dest);
        }
        let parts = self.partials(stmt, &ty, &chunks)?;
        let to = Dest::Place(parts.clone());
        self.fold_chunks(stmt, "reduce: chunks", &format!("{name}_chunks"), &xs, (&f, &z, &ty), &chunks, &to)?;
        let Value::Array(parts) = self.load(&parts)? else {
            return Err(LowerError::new(&stmt.origin, "reduce", "the partial results are not an array"));
        };
        self.fold_chunks(stmt, "reduce: result", &name, &parts, (&f, &z, &ty), &Size::one(), dest)
    }

    /// Adds a launch in which element `c` of `dest` becomes the fold of chunk `c`.
    #[allow(clippy::too_many_arguments)]
    fn fold_chunks(
        &mut self,
        stmt: &'k Stmt,
        label: &str,
        name: &str,
        xs: &Array<'k>,
        (f, z, ty): (&Closure<'k>, &Value<'k>, &Ty),
        chunks: &Size,
        dest: &Dest<'k>,
    ) -> Result<()> {
        let title = Title { name, label, origin: &stmt.origin };
        self.launch(&title, GRID, [None; 3], |b| {
            let op = operator(b, f, z, ty)?;
            let chunks = b.host_size(chunks, "chunks")?;
            // The number of partial results is a compound size.
            let xs = &match xs.len.as_var() {
                None if xs.len.vars().iter().all(|v| v.kind == VarKind::Param) => {
                    Array { len: b.host_size(&xs.len, "n")?, view: xs.view.clone() }
                }
                _ => xs.clone(),
            };
            for_chunks(b, &xs.len, &chunks, |b, chunk| {
                let total = op.fold_group(b, xs, &chunk.begin, &chunk.end)?;
                let (first, ()) = b.scope(|b| {
                    let to = b.dest_at(dest, &chunk.number)?;
                    b.copy(&total, &to)
                })?;
                b.emit_if(local_id().eq(Expr::int(0)), first, Vec::new());
                b.barrier(true, false);
                Ok(())
            })
        })
    }

    pub fn scan(
        &mut self,
        stmt: &'k Stmt,
        call: &'k PrimCall,
        env: &Env<'k>,
        dest: &Dest<'k>,
        inclusive: bool,
    ) -> Result<()> {
        let (xs, f, z, ty) = self.operator(stmt, call, env)?;
        if self.scan_in_one_pass(stmt, call, env, dest, (&xs, &ty), inclusive)? {
            return Ok(());
        }
        if self.scan_in_two_passes(stmt, call, env, dest, (&xs, &ty), inclusive)? {
            return Ok(());
        }
        let r = Reduction { xs: &xs, f: &f, z: &z, ty: &ty };
        if let Some(parts) =
            self.folds_of_pieces(stmt, "scan: chunks", &r, f.lambda.is_commutative(self.program.kernel))?
        {
            return self.scan_pieces(stmt, &r, &parts, dest, inclusive);
        }
        let chunks = self.chunks(&xs.len);
        let name = self.program.kernel.name_of(stmt.var).to_string();
        let parts = if chunks.is_one() {
            None
        } else {
            let parts = self.partials(stmt, &ty, &chunks)?;
            let to = Dest::Place(parts.clone());
            self.fold_chunks(stmt, "scan: chunks", &format!("{name}_chunks"), &xs, (&f, &z, &ty), &chunks, &to)?;
            match self.load(&parts)? {
                Value::Array(parts) => Some(parts),
                _ => return Err(LowerError::new(&stmt.origin, "scan", "the partial results are not an array")),
            }
        };
        let title = Title { name: &name, label: "scan: carry", origin: &stmt.origin };
        self.launch(&title, GRID, [None; 3], |b| {
            let op = operator(b, &f, &z, &ty)?;
            let chunks = b.host_size(&chunks, "chunks")?;
            for_chunks(b, &xs.len, &chunks, |b, chunk| {
                let carry = match &parts {
                    Some(parts) => op.fold_group(b, parts, &Size::zero(), &chunk.number)?,
                    None => op.neutral(b, "carry")?,
                };
                b.barrier(true, false);
                op.scan_chunk(b, &xs, chunk, &carry, dest, inclusive)
            })
        })
    }
}

/// The fold of an array by the current group.
pub fn fold_row<'k>(b: &mut FunctionBuilder<'_, 'k>, call: &'k PrimCall, env: &Env<'k>) -> Result<Value<'k>> {
    let z = b.atom(&call.args[0], env)?;
    let xs = b.atom(&call.args[1], env)?;
    let xs = b.array(&xs)?;
    let f = Closure { lambda: &call.funs[0], env: env.clone() };
    let ty = b.kernel().atom_ty(&call.args[0]);
    b.runs_together();
    if let Some(items) = b.team()
        && let Some(levels) = levels(b, &ty, items)
    {
        return fold_together(b, &levels, &f, &z, &xs, &ty);
    }
    let op = operator(b, &f, &z, &ty)?;
    let total = b.by_group(|b| match op.commutative {
        true => op.fold_in_flight(b, &xs),
        false => op.fold_group(b, &xs, &Size::zero(), &xs.len.clone()),
    });
    // The next row uses the slots again.
    b.share_memory();
    total
}

impl<'k> Operator<'k> {
    /// Each work-item's share of the fold of a row that is in registers, or whose elements it loads at the same time.
    fn fold_own_row(&self, f: &mut FunctionBuilder<'_, 'k>, xs: &Array<'k>, ty: &Ty) -> Result<Value<'k>> {
        let acc = self.neutral(f, "acc")?;
        if !self.commutative && fold_own_in_order(f, &self.f, &acc, xs, ty)? {
            return Ok(acc);
        }
        f.for_own_row(&xs.len, |f, i| {
            let x = f.read(xs, i)?;
            self.take_in(f, &acc, x)
        })?;
        Ok(acc)
    }

    /// The fold of an array by all work-items of the group. Each loads several elements at the same time, because with
    /// one it would mostly wait for memory.
    fn fold_in_flight(&self, f: &mut FunctionBuilder<'_, 'k>, xs: &Array<'k>) -> Result<Value<'k>> {
        let acc = self.fold_own_in_flight(f, xs)?;
        self.combine_group(f, acc)
    }

    /// Each work-item's share of this fold.
    fn fold_own_in_flight(&self, f: &mut FunctionBuilder<'_, 'k>, xs: &Array<'k>) -> Result<Value<'k>> {
        let loads = loads(f, xs);
        let acc = self.neutral(f, "acc")?;
        let end = f.length(&xs.len)?;
        if let Some(items) = f.grid().items_of_team() {
            let round = Size::int(items * loads);
            let whole = xs.len.div_floor(&round).mul(&round);
            let step = Step::Add(Expr::int(items * loads));
            f.for_range("base", Expr::int(0), &whole, step, |f, base| {
                let i = f.size(base)?.add(local_id().cast(CType::Int));
                let i = f.bind("i", CType::Int, i);
                let i = Size::var(f.index_var("i", i));
                self.fold_round(f, &acc, xs, &i, &Size::int(items))
            })?;
            let rest = f.size(&whole)?.add(local_id().cast(CType::Int));
            let at = f.bind("i", CType::Int, rest);
            let i = f.index_var("i", at.clone());
            let (body, ()) = f.scope(|f| self.fold_rest(f, &acc, xs, &i, &Size::int(items)))?;
            f.emit_if(at.lt(end), body, Vec::new());
            return Ok(acc);
        }
        let group = f.bind("items", CType::Int, local_size());
        let items = Size::var(f.index_var("items", group.clone()));
        f.known_mut().assume_le(Size::one(), items.clone());
        let at = Expr::Var(f.variable("i", CType::Int, Some(local_id())));
        let i = f.index_var("i", at.clone());
        let (body, ()) = f.scope(|f| {
            self.fold_round(f, &acc, xs, &Size::var(i.clone()), &items)?;
            f.assign(at.clone(), at.clone().add(group.clone().mul(Expr::int(loads))));
            Ok(())
        })?;
        let all = at.clone().add(group.clone().mul(Expr::int(loads - 1)));
        f.emit(StmtKind::While { condition: all.lt(end.clone()), body });
        let (body, ()) = f.scope(|f| self.fold_rest(f, &acc, xs, &i, &items))?;
        f.emit_if(at.lt(end), body, Vec::new());
        Ok(acc)
    }

    /// Folds elements `i`, `i + items` and so on, all of which exist, with all loads in flight at once.
    fn fold_round(
        &self,
        f: &mut FunctionBuilder<'_, 'k>,
        acc: &Value<'k>,
        xs: &Array<'k>,
        i: &Size,
        items: &Size,
    ) -> Result<()> {
        let loads = loads(f, xs);
        let last = items.mul(&Size::int(loads - 1));
        f.known_mut().assume_le(Size::zero(), i.clone());
        f.known_mut().assume_le(i.add(&last).add(&Size::one()), xs.len.clone());
        let mut elements = Vec::new();
        for n in 0..loads {
            let x = f.read(xs, &i.add(&items.mul(&Size::int(n))))?;
            elements.push(f.named_scalar(&x, "x")?);
        }
        elements.into_iter().try_for_each(|x| self.take_in(f, acc, x))
    }

    /// Folds the last elements of a row, fewer than a full round of loads, again with all loads in flight:
    /// indices after the end are clamped, and the neutral value replaces the loaded one.
    fn fold_rest(
        &self,
        f: &mut FunctionBuilder<'_, 'k>,
        acc: &Value<'k>,
        xs: &Array<'k>,
        i: &Var,
        items: &Size,
    ) -> Result<()> {
        let loads = loads(f, xs);
        let end = f.length(&xs.len)?;
        let last = xs.len.sub(&Size::one());
        f.known_mut().assume_range(i.clone(), Some(Size::zero()), Some(last.clone()));
        let z = f.force(&self.z)?;
        let mut elements = Vec::new();
        for n in 0..loads {
            let at = Size::var(i.clone()).add(&items.mul(&Size::int(n)));
            if n == 0 {
                let x = f.read(xs, &at)?;
                elements.push(f.named_scalar(&x, "x")?);
                continue;
            }
            let (at, last_expr) = (f.size(&at)?, f.size(&last)?);
            let at = f.bind("at", CType::Int, at);
            let there = f.bind("there", CType::Int, Expr::call("min", [at.clone(), last_expr]));
            let there = f.index_var("there", there);
            f.known_mut().assume_range(there.clone(), Some(Size::zero()), Some(last.clone()));
            let x = f.read(xs, &Size::var(there))?;
            let x = f.named_scalar(&x, "x")?;
            let x = f.select(&at.lt(end.clone()), &x, &z)?;
            elements.push(f.named_scalar(&x, "x")?);
        }
        elements.into_iter().try_for_each(|x| self.take_in(f, acc, x))
    }

    fn at_slot(&self, f: &mut FunctionBuilder<'_, 'k>, index: Expr) -> Place {
        let var = f.index_var("slot", index);
        Place { layout: self.slots.layout.clone(), at: Size::var(var) }
    }

    /// Variables initialised to the neutral value.
    fn neutral(&self, f: &mut FunctionBuilder<'_, 'k>, name: &str) -> Result<Value<'k>> {
        let z = f.force(&self.z)?;
        let Some(registers) = f.registers_with(&z, name)? else {
            return Err(f.error("reduce", "the accumulator is neither a scalar nor a tuple of scalars"));
        };
        Ok(registers)
    }

    /// `acc = f(acc, x)`
    fn take_in(&self, f: &mut FunctionBuilder<'_, 'k>, acc: &Value<'k>, x: Value<'k>) -> Result<()> {
        let next = f.call(&self.f, &[acc.clone(), x])?;
        f.assign_registers(acc, &next)
    }

    /// The fold of elements `begin <= i < end` by all work-items of the group; each has the result in its variables.
    /// Local memory must not be written again before a barrier.
    fn fold_group(
        &self,
        f: &mut FunctionBuilder<'_, 'k>,
        xs: &Array<'k>,
        begin: &Size,
        end: &Size,
    ) -> Result<Value<'k>> {
        let acc = self.fold_own(f, xs, begin, end)?;
        self.combine_group(f, acc)
    }

    /// Each work-item's share of this fold.
    fn fold_own(&self, f: &mut FunctionBuilder<'_, 'k>, xs: &Array<'k>, begin: &Size, end: &Size) -> Result<Value<'k>> {
        let acc = self.neutral(f, "acc")?;
        let begin_expr = f.size(begin)?;
        let end_expr = f.size(end)?;
        if self.commutative {
            f.for_range("i", begin_expr.add(local_id()), end, Step::Add(local_size()), |f, i| {
                f.known_mut().assume_le(begin.clone(), i.clone());
                let x = f.read(xs, i)?;
                self.take_in(f, &acc, x)
            })?;
        } else {
            // A contiguous chunk per work-item, so that elements are combined in order.
            let len = f.bind("len", CType::Int, end_expr.clone().sub(begin_expr.clone()));
            let group = f.bind("group_size", CType::Int, local_size());
            let piece = rounded_up(len.clone(), group);
            // With an odd length, chunks start in different banks of local memory.
            let piece = if is_in_local(xs) { Expr::binary(BinaryOp::BitOr, piece, Expr::int(1)) } else { piece };
            let piece = f.bind("piece", CType::Int, piece);
            let before =
                Expr::call("min", [Expr::binary(BinaryOp::Mul, local_id().cast(CType::Int), piece.clone()), len]);
            let from = f.bind("from", CType::Int, begin_expr.add(before));
            let to = from.clone().add(Expr::call("min", [piece, end_expr.sub(from.clone())]));
            let to = f.bind("to", CType::Int, to);
            let (from_var, to_var) = (f.index_var("from", from.clone()), f.index_var("to", to));
            f.known_mut().assume_range(from_var.clone(), Some(begin.clone()), Some(end.clone()));
            f.known_mut().assume_range(to_var.clone(), Some(begin.clone()), Some(end.clone()));
            f.for_range("i", from, &Size::var(to_var), Step::Increment, |f, i| {
                f.known_mut().assume_le(Size::var(from_var.clone()), i.clone());
                let x = f.read(xs, i)?;
                self.take_in(f, &acc, x)
            })?;
        }
        Ok(acc)
    }

    /// Combines the variables of all work-items of the group in order; each gets the result.
    fn combine_group(&self, f: &mut FunctionBuilder<'_, 'k>, acc: Value<'k>) -> Result<Value<'k>> {
        let mine = self.at_slot(f, local_id());
        f.copy(&acc, &Dest::Place(mine.clone()))?;
        f.barrier(true, false);
        let group = f.bind("group_size", CType::Int, local_size());
        let group = f.index_var("group_size", group);
        f.for_range("d", Expr::int(1), &Size::var(group.clone()), Step::Double, |f, d| {
            let (d, n) = (f.size(d)?, f.var_expr(&group)?);
            let l = local_id();
            // d is a power of two, so no division is needed.
            let below = d.clone().mul(Expr::int(2)).sub(Expr::int(1)).cast(CType::UInt);
            let leads = Expr::binary(BinaryOp::BitAnd, l.clone(), below).eq(Expr::int(0));
            let partner = l.clone().add(d);
            let (meet, ()) = f.scope(|f| {
                let other = self.at_slot(f, partner.clone());
                let other = f.load(&other)?;
                self.take_in(f, &acc, other)?;
                f.copy(&acc, &Dest::Place(mine.clone()))
            })?;
            f.emit_if(leads.and(partner.lt(n)), meet, Vec::new());
            f.barrier(true, false);
            Ok(())
        })?;
        let first = self.at_slot(f, Expr::int(0));
        let first = f.load(&first)?;
        f.assign_registers(&acc, &first)?;
        Ok(acc)
    }

    /// Scans a chunk tile by tile; `carry` is the fold of all preceding elements.
    fn scan_chunk(
        &self,
        f: &mut FunctionBuilder<'_, 'k>,
        xs: &Array<'k>,
        chunk: &Chunk,
        carry: &Value<'k>,
        dest: &Dest<'k>,
        inclusive: bool,
    ) -> Result<()> {
        let from = f.size(&chunk.begin)?;
        let end = f.size(&chunk.end)?;
        let group_name = f.bind("group_size", CType::Int, local_size());
        let group = f.index_var("group_size", group_name.clone());
        f.for_range("base", from, &chunk.end, Step::Add(local_size()), |f, base| {
            let index = f.size(base)?.add(local_id());
            let index = f.bind("i", CType::Int, index);
            let var = f.index_var("i", index.clone());
            let i = Size::var(var.clone());
            let here = self.neutral(f, "here")?;
            let (read, ()) = f.scope(|f| {
                f.known_mut().assume_range(var.clone(), Some(base.clone()), Some(chunk.end.sub(&Size::one())));
                let x = f.read(xs, &i)?;
                f.assign_registers(&here, &x)
            })?;
            let inside = index.lt(end.clone());
            f.emit_if(inside.clone(), read, Vec::new());
            let mine = self.at_slot(f, local_id());
            f.copy(&here, &Dest::Place(mine.clone()))?;
            f.barrier(true, false);
            f.for_range("d", Expr::int(1), &Size::var(group.clone()), Step::Double, |f, d| {
                let d = f.size(d)?;
                let (meet, ()) = f.scope(|f| {
                    let before = self.at_slot(f, local_id().sub(d.clone()));
                    let before = f.load(&before)?;
                    let before = f.named_scalar(&before, "before")?;
                    let next = f.call(&self.f, &[before, here.clone()])?;
                    f.assign_registers(&here, &next)
                })?;
                // `get_local_id` is unsigned, so it is compared without a subtraction.
                f.emit_if(local_id().ge(d.clone()), meet, Vec::new());
                f.barrier(true, false);
                f.copy(&here, &Dest::Place(mine.clone()))?;
                f.barrier(true, false);
                Ok(())
            })?;
            let (write, ()) = f.scope(|f| {
                f.known_mut().assume_range(var.clone(), Some(base.clone()), Some(chunk.end.sub(&Size::one())));
                let to = f.dest_at(dest, &i)?;
                if inclusive {
                    let value = f.call(&self.f, &[carry.clone(), here.clone()])?;
                    return f.copy(&value, &to);
                }
                let Some(out) = f.registers_with(carry, "out")? else { return Ok(()) };
                let (not_first, ()) = f.scope(|f| {
                    let before = self.at_slot(f, local_id().sub(Expr::int(1)));
                    let before = f.load(&before)?;
                    let value = f.call(&self.f, &[carry.clone(), before])?;
                    f.assign_registers(&out, &value)
                })?;
                f.emit_if(local_id().ge(Expr::int(1)), not_first, Vec::new());
                f.copy(&out, &to)
            })?;
            f.emit_if(inside, write, Vec::new());
            let last = self.at_slot(f, group_name.clone().sub(Expr::int(1)));
            let last = f.load(&last)?;
            self.take_in(f, carry, last)?;
            f.barrier(true, false);
            Ok(())
        })
    }
}

/// The elements that a work-item loads at the same time.
fn loads(f: &FunctionBuilder<'_, '_>, xs: &Array<'_>) -> i64 {
    in_flight(xs, f.parameter(Parameter::ReduceLoads))
}

/// The fold of an array by a group of a known size.
fn fold_together<'k>(
    b: &mut FunctionBuilder<'_, 'k>,
    levels: &Levels,
    f: &Closure<'k>,
    z: &Value<'k>,
    xs: &Array<'k>,
    ty: &Ty,
) -> Result<Value<'k>> {
    let none = Place { layout: Rc::new(Layout::Tuple(Vec::new())), at: Size::zero() };
    let op = Operator { f: f.clone(), z: z.clone(), commutative: f.lambda.is_commutative(b.kernel()), slots: none };
    let total = b.by_group(|b| {
        let acc = if b.grid().is_own_row(&xs.len) {
            op.fold_own_row(b, xs, ty)?
        } else if op.commutative && !is_in_local(xs) {
            op.fold_own_in_flight(b, xs)?
        } else {
            op.fold_own(b, xs, &Size::zero(), &xs.len.clone())?
        };
        levels.combine(b, f, &acc)
    });
    // The next row uses the slots again.
    b.share_memory();
    total
}

fn operator<'k>(b: &mut FunctionBuilder<'_, 'k>, f: &Closure<'k>, z: &Value<'k>, ty: &Ty) -> Result<Operator<'k>> {
    let layout = slots(b, ty)?;
    let commutative = f.lambda.is_commutative(b.kernel());
    Ok(Operator { f: f.clone(), z: z.clone(), commutative, slots: Place { layout, at: Size::zero() } })
}

/// An array in local memory with one element for each work-item of a group.
fn slots(f: &mut FunctionBuilder, ty: &Ty) -> Result<Rc<Layout>> {
    Ok(match ty.kind() {
        TyKind::Scalar(s) => Layout::Scalar(slot(f, *s, 1)).into(),
        TyKind::Vec(element, width) => match (element.as_scalar(), width.as_const()) {
            (Some(s), Some(w)) => Layout::Vec(slot(f, s, w as u64), w as u8).into(),
            _ => return Err(f.error("reduce", format!("values of type `{ty}` cannot be combined here yet"))),
        },
        TyKind::Tuple(parts) => {
            let mut all = Vec::new();
            for p in parts {
                all.push(slots(f, p)?);
            }
            Layout::Tuple(all).into()
        }
        _ => return Err(f.error("reduce", format!("values of type `{ty}` cannot be combined here yet"))),
    })
}

fn slot(f: &mut FunctionBuilder, s: Scalar, width: u64) -> Memory {
    f.note_double(s);
    let most = u64::from(f.target().most_in_group);
    let name = f.declare_array("slots", Storage::Local, CType::stored(s), width * most);
    Memory { root: Root::Array { name, local: true }, scalar: s }
}
