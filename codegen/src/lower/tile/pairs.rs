//! `map (λx. … reduce f z (map (g x) ys) …) xs`, where every x meets every y: a group loads ys into local memory, a
//! chunk at a time, and each work-item folds for one x.

use super::super::function::{Dims, FunctionBuilder};
use super::super::host::Host;
use super::super::launch::Title;
use super::super::value::{Array, Closure, Dest, Env, Value, View};
use super::super::{LowerError, Result};
use super::roots::with_reciprocal_roots;
use super::{local_id, min};
use crate::core::{PrimCall, Rhs, Stmt};
use crate::opencl::{CType, Expr, Qualifier, Step, Storage};
use crate::report::Kind;
use crate::schedule::rules;
use crate::schedule::shapes::Pairs;
use lift_analysis::hir::Scalar;
use lift_analysis::parameters::Parameter;
use lift_analysis::size::Size;
use lift_analysis::ty::{Ty, TyKind};
use std::sync::Arc;

struct Meeting<'k> {
    stmt: &'k Stmt,
    call: &'k PrimCall,
    pairs: Pairs,
    env: Env<'k>,
    xs: Array<'k>,
    fold: &'k PrimCall,
    meets: &'k PrimCall,
}

/// A chunk in local memory: `pitch` scalars for each element, so that an element is one load.
struct Chunk {
    name: Expr,
    scalar: Scalar,
    pitch: i64,
    element: Ty,
}

impl<'k> Host<'k> {
    pub(super) fn pairs(
        &mut self,
        stmt: &'k Stmt,
        call: &'k PrimCall,
        env: &Env<'k>,
        dest: &Dest<'k>,
        pairs: Pairs,
    ) -> Result<bool> {
        let items = self.program.parameter(Parameter::PairsItems);
        if i64::from(self.program.target.most_in_group) < items {
            return Ok(false);
        }
        let kernel = self.program.kernel;
        let wrong = || LowerError::new(&stmt.origin, "map", "a fold of pairs changed after it was recognised");
        let find = |var| match call.funs[0].body.stmts.iter().find(|s| s.var == var).map(|s| &s.rhs) {
            Some(Rhs::Prim(call)) => Ok(call),
            _ => Err(wrong()),
        };
        let (fold, meets) = (find(pairs.fold)?, find(pairs.meets)?);
        let xs = self.array_arg(stmt, &call.args[0], env)?;
        let meeting = Meeting { stmt, call, pairs, env: env.clone(), xs, fold, meets };
        let title = Title { name: kernel.name_of(stmt.var), label: "map: pairs", origin: &stmt.origin };
        self.program.applied(&rules::TILE_PAIRS, &stmt.origin);
        let used = Dims { wrg: [true, false, false], lcl: [true, false, false], ..Dims::default() };
        self.launch(&title, used, [Some(items as u32), Some(1), Some(1)], |b| meeting.meet_all(b, dest))?;
        Ok(true)
    }
}

impl<'k> Meeting<'k> {
    fn meet_all(&self, f: &mut FunctionBuilder<'_, 'k>, dest: &Dest<'k>) -> Result<()> {
        let kernel = f.kernel();
        let wrong = || LowerError::new(&self.stmt.origin, "map", "a fold of pairs changed after it was recognised");
        let element = kernel.atom_ty(&self.meets.args[0]).as_array().map(|a| a.element.clone()).ok_or_else(wrong)?;
        let chunk = new_chunk(f, &element)?;
        let n = self.xs.len.clone();
        let items = f.parameter(Parameter::PairsItems);
        let groups = n.add(&Size::int(items - 1)).div_floor(&Size::int(items));
        let item = f.number("item", local_id(), &Size::int(items - 1));
        f.by_items(|f| {
            f.for_level(crate::core::Level::Wrg(0), &groups, |f, g| {
                f.share_memory();
                let row = f.size(&g.mul(&Size::int(items)).add(&item))?;
                let row = f.bind("row", CType::Int, row);
                let last = n.sub(&Size::one());
                // All work-items load elements, so indices after the last row are clamped.
                let last_expr = f.size(&last)?;
                let at = f.number("at", min(row.clone(), last_expr), &last);
                let mut env = self.env.clone();
                let lambda = &self.call.funs[0];
                let x = f.read(&self.xs, &at)?;
                let x = f.name_param(lambda.params[0], &x)?;
                env.enter(lambda, &at, x);
                for s in &lambda.body.stmts {
                    let value = if s.var == self.pairs.fold {
                        let acc = self.meet_chunks(f, &chunk, &item, &env)?;
                        Value::Array(Array::new(Size::one(), View::Fill(acc)))
                    } else {
                        let origin = s.origin.clone();
                        f.at(&origin, |f| f.eval_stmt(s, &mut env, None))?
                    };
                    env.bind(s.var, value);
                }
                let value = f.atom(&lambda.body.result, &env)?;
                let inside = row.lt(f.size(&n)?);
                f.when(inside, |f| {
                    let to = f.dest_at(dest, &at)?;
                    f.copy(&value, &to)
                })
            })
        })
    }

    /// Folds over all elements of ys.
    fn meet_chunks(
        &self,
        b: &mut FunctionBuilder<'_, 'k>,
        chunk: &Chunk,
        item: &Size,
        env: &Env<'k>,
    ) -> Result<Value<'k>> {
        let z = b.atom(&self.fold.args[0], env)?;
        let Some(acc) = b.registers_with(&z, "acc")? else {
            return Err(b.error("reduce", "the accumulator is neither a scalar nor a tuple of scalars"));
        };
        let ys = b.atom(&self.meets.args[0], env)?;
        let ys = b.array(&ys)?;
        let k = ys.len.clone();
        let k_expr = b.size(&k)?;
        let g = Closure { lambda: &self.meets.funs[0], env: env.clone() };
        let f = Closure { lambda: &self.fold.funs[0], env: env.clone() };
        let target = b.target();
        let [items, at_once] = [Parameter::PairsItems, Parameter::PairsUnrolled].map(|p| i64::from(target.get(p)));
        let round = |b: &mut FunctionBuilder<'_, 'k>, j: &Size, many: bool| -> Result<()> {
            let y = chunk.handed(b, j)?;
            let x = b.call(&g, &[y])?;
            let next = b.call(&f, &[acc.clone(), x])?;
            if !self.pairs.reorder {
                return b.assign_registers(&acc, &next);
            }
            let next = if many { with_reciprocal_roots(b, next, &acc) } else { next };
            let next = b.contracted(next);
            b.assign_registers(&acc, &next)?;
            b.without_unused_names();
            Ok(())
        };
        b.for_range("from", Expr::int(0), &k, Step::Add(Expr::int(items)), |b, from| {
            let mine = b.size(&from.add(item))?;
            let mine = b.bind("mine", CType::Int, mine);
            b.when(mine.clone().lt(k_expr.clone()), |b| {
                let at = b.number("mine", mine, &k.sub(&Size::one()));
                let y = b.read(&ys, &at)?;
                chunk.hand_on(b, item, &y)
            })?;
            b.barrier(true, false);
            let (whole, ()) = b.scope(|b| {
                b.for_range("j", Expr::int(0), &Size::int(items), Step::Add(Expr::int(at_once)), |b, j| {
                    b.unrolled("l", at_once, |b, l| round(b, &j.add(l), true))
                })
            })?;
            let (rest, ()) = b.scope(|b| {
                let left = k_expr.clone().sub(b.size(from)?);
                let left = b.number("left", left, &Size::int(items - 1));
                b.for_range("j", Expr::int(0), &left, Step::Increment, |b, j| round(b, j, false))
            })?;
            let from = b.size(from)?;
            b.emit_if(from.le(k_expr.sub(Expr::int(items))), whole, rest);
            b.barrier(true, false);
            Ok(())
        })?;
        Ok(acc)
    }
}

impl Chunk {
    /// Stores an element in the chunk.
    fn hand_on<'k>(&self, f: &mut FunctionBuilder<'_, 'k>, at: &Size, y: &Value<'k>) -> Result<()> {
        let mut scalars = Vec::new();
        f.flatten(y, &mut scalars)?;
        for (lane, (scalar, _)) in scalars.into_iter().enumerate() {
            let to = f.size(&at.mul(&Size::int(self.pitch)).add(&Size::int(lane as i64)))?;
            f.assign(self.name.clone().index(to), scalar);
        }
        Ok(())
    }

    /// Reads an element of the chunk.
    fn handed<'k>(&self, f: &mut FunctionBuilder<'_, 'k>, at: &Size) -> Result<Value<'k>> {
        let base = at.mul(&Size::int(self.pitch));
        let wide = self.pitch.min(4);
        let mut lanes = Vec::new();
        for first in (0..self.pitch).step_by(wide.max(1) as usize) {
            let at = f.size(&base.add(&Size::int(first)))?;
            if wide == 1 {
                lanes.push(self.name.clone().index(at));
                continue;
            }
            let ty = CType::Vec(self.scalar, wide as u8);
            let pointer = Arc::new(self.name.clone().add(at));
            let v = f.bind("y", ty, Expr::Wide { ty, space: Qualifier::Local, pointer });
            lanes.extend((0..wide).map(|l| v.clone().lane(l as u8)));
        }
        Ok(from_lanes(&self.element, &mut lanes.into_iter()))
    }
}

fn new_chunk(f: &mut FunctionBuilder, element: &Ty) -> Result<Chunk> {
    let mut scalars = Vec::new();
    element.any(&mut |t| {
        if let TyKind::Scalar(s) = t.kind() {
            scalars.push(*s);
        }
        false
    });
    let Some(scalar) = scalars.first().copied() else {
        return Err(f.error("reduce", "there is nothing in the elements that are folded"));
    };
    let pitch = (scalars.len() as i64).max(1).cast_unsigned().next_power_of_two().cast_signed();
    let items = f.parameter(Parameter::PairsItems);
    let len = (items * pitch).cast_unsigned();
    f.own_mut().declare_local(len * scalar.bytes());
    let origin = f.origin();
    f.program_mut().stored("chunk", Kind::Local, scalar, &Size::nat(len), &origin);
    let name = Expr::Var(f.declare_array("chunk", Storage::LocalVectors, CType::stored(scalar), len));
    Ok(Chunk { name, scalar, pitch, element: element.clone() })
}

/// Assembles a value whose type consists of scalars.
fn from_lanes<'k>(ty: &Ty, lanes: &mut impl Iterator<Item = Expr>) -> Value<'k> {
    match ty.kind() {
        TyKind::Tuple(parts) => Value::Tuple(parts.iter().map(|p| from_lanes(p, lanes)).collect()),
        TyKind::Scalar(s) => Value::computed(*s, lanes.next().unwrap_or(Expr::int(0))),
        _ => Value::Written,
    }
}
