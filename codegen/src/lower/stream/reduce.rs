//! `reduce` of scalars, or tuples of them, with a commutative operator on a GPU: each work-item folds many elements, four at a time.

use super::shared::{share_rounds, shared_folds, sharing_element};
use super::single_pass::{fits_word, of_word, state_size, to_word};
use super::tile::{ElementWork, Shape, TILED, load_whole_tile, read_four, work_of_element};
use crate::core::{Level, Stmt};
use crate::lower::Result;
use crate::lower::device_filter::local_id;
use crate::lower::function::FunctionBuilder;
use crate::lower::host::Host;
use crate::lower::launch::Title;
use crate::lower::value::{Array, Closure, Dest, Layout, Value};
use crate::opencl::{BinaryOp, CType, Expr, Helper, Step, StmtKind, Storage};
use crate::plan::{BufferId, BufferRole};
use crate::target::Class;
use lift_analysis::hir::Scalar;
use lift_analysis::parameters::Parameter;
use lift_analysis::size::Size;
use lift_analysis::ty::{Ty, TyKind};
use std::rc::Rc;

/// The operands of a reduction.
pub struct Reduction<'a, 'k> {
    pub xs: &'a Array<'k>,
    pub f: &'a Closure<'k>,
    pub z: &'a Value<'k>,
    pub ty: &'a Ty,
}

/// The scalars of an element; `None` if it has anything else.
fn scalars_of(ty: &Ty) -> Option<u32> {
    match ty.kind() {
        TyKind::Scalar(_) => Some(1),
        TyKind::Tuple(parts) => parts.iter().map(scalars_of).sum(),
        _ => None,
    }
}

impl<'k> Host<'k> {
    /// The tiles of a reduction and the maximum number of groups; `None` if it is not tiled.
    fn tiled_reduction(&self, r: &Reduction<'_, 'k>) -> Option<(Shape, Size)> {
        let target = self.program.target;
        /// Vectors of four scalars that a work-item loads before it folds them.
        const LOADED: u32 = 8;
        let scalars = scalars_of(r.ty).filter(|n| *n <= LOADED)?;
        if target.class != Class::Gpu {
            return None;
        }
        let most = self.program.upper(&self.program.facts, &r.xs.len)?;
        let shape = Shape { group: target.most_in_group, fours: 1 << (LOADED / scalars).ilog2() };
        let tiles = shape.tiles(&most);
        let groups = Size::min(&tiles, &Size::nat((target.compute_units * target.get(Parameter::ReduceGroups)).into()));
        Some((shape, groups))
    }

    /// Folds the whole array in one launch, whose last group folds the results of all groups; returns whether it is
    /// possible.
    pub fn reduce_in_one_pass(&mut self, stmt: &'k Stmt, r: &Reduction<'_, 'k>, dest: &Dest<'k>) -> Result<bool> {
        let (Some((shape, groups)), Some(scalar)) = (self.tiled_reduction(r), fits_word(r.ty)) else {
            return Ok(false);
        };
        if !self.program.target.single_pass {
            return Ok(false);
        }
        let name = self.program.kernel.name_of(stmt.var).to_string();
        let state = format!("{name}_state");
        let state = self.program.buffer(&state, Scalar::Long, state_size(&groups), BufferRole::State);
        let title = Title { name: &name, label: "reduce", origin: &stmt.origin };
        self.launch(&title, TILED, shape.local(), |f| {
            f.grid_mut().ask_for_groups(groups.clone());
            let group = Expr::call("get_group_id", [Expr::int(0)]).cast(CType::Int);
            let groups = Expr::call("get_num_groups", [Expr::int(0)]).cast(CType::Int);
            f.in_group(|f| {
                let own = r.fold_tiles(f, shape, group.clone(), groups.clone())?;
                let slots = r.one_each(f, shape)?;
                let all = r.fold_across(f, shape, &own, &slots)?;
                last_group(f, state, r, (shape, scalar), &all, (group, groups), &slots, dest)
            })
        })?;
        Ok(true)
    }

    /// The folds of parts of the array, one for each group of a launch, in new memory; `None` if it is not possible.
    pub fn reduce_to_parts(&mut self, stmt: &'k Stmt, r: &Reduction<'_, 'k>) -> Result<Option<Array<'k>>> {
        let Some((shape, groups)) = self.tiled_reduction(r) else { return Ok(None) };
        let parts = self.partials(stmt, r.ty, &groups)?;
        let name = format!("{}_chunks", self.program.kernel.name_of(stmt.var));
        let title = Title { name: &name, label: "reduce: chunks", origin: &stmt.origin };
        let to = Dest::Place(parts.clone());
        self.launch(&title, TILED, shape.local(), |f| {
            let count = f.host_size(&groups, "parts")?;
            f.for_level(Level::Wrg(0), &count, |f, part| {
                let (first, step) = (f.size(part)?, f.size(&count)?);
                f.in_group(|f| {
                    let own = r.fold_tiles(f, shape, first, step)?;
                    let slots = r.one_each(f, shape)?;
                    let all = r.fold_across(f, shape, &own, &slots)?;
                    f.provided(local_id().eq(Expr::int(0)), |f| {
                        let to = f.dest_at(&to, part)?;
                        f.copy(&all, &to)
                    })?;
                    f.barrier(true, false);
                    Ok(())
                })
            })
        })?;
        match self.load(&parts)? {
            Value::Array(parts) => Ok(Some(parts)),
            _ => Ok(None),
        }
    }
}

impl<'k> Reduction<'_, 'k> {
    /// Folds every `step`-th tile from `first` on into variables of each work-item; then the elements after the last
    /// whole tile.
    fn fold_tiles(&self, f: &mut FunctionBuilder<'_, 'k>, shape: Shape, first: Expr, step: Expr) -> Result<Value<'k>> {
        let unsupported = || "these elements are not scalars".to_string();
        let Some(accs) = f.element_arrays(self.ty, "acc", Storage::Private, 4) else {
            return Err(f.error("reduce", unsupported()));
        };
        let z = f.force(self.z)?;
        f.written_out("j", 4, |f, j| {
            let to = f.slot_at(&accs, j);
            f.copy(&z, &Dest::Place(to))
        })?;
        let n = f.length(&self.xs.len)?;
        let whole = Expr::binary(BinaryOp::Div, n, Expr::int(shape.elements()));
        let whole = f.bind("whole", CType::Int, whole);
        let whole_size = Size::var(f.index_var("whole", whole.clone()));
        f.for_range("tile", first.clone(), &whole_size, Step::Add(step.clone()), |f, number| {
            let number = f.size(number)?;
            if folded_sharing(f, shape, &number, self, &accs)? || folded_one_by_one(f, shape, &number, self, &accs)? {
                return Ok(());
            }
            let Some(own) = f.element_arrays(self.ty, "x", Storage::Private, shape.each()) else {
                return Err(f.error("reduce", unsupported()));
            };
            load_whole_tile(f, shape, number, self.xs, &own)?;
            f.written_out("k", shape.fours, |f, k| {
                f.written_out("j", 4, |f, j| {
                    let at = Expr::binary(BinaryOp::Mul, k, Expr::int(4)).add(j.clone());
                    let (acc, x) = (f.slot_at(&accs, j), f.slot_at(&own, at));
                    let (old, x) = (f.load(&acc)?, f.load(&x)?);
                    let next = f.call(self.f, &[old, x])?;
                    f.copy(&next, &Dest::Place(acc))
                })
            })
        })?;
        let mut all = Vec::new();
        for j in 0..4 {
            let acc = f.slot_at(&accs, Expr::int(j));
            all.push(f.load(&acc)?);
        }
        let low = f.call(self.f, &[all[0].clone(), all[1].clone()])?;
        let high = f.call(self.f, &[all[2].clone(), all[3].clone()])?;
        let all = f.call(self.f, &[low, high])?;
        let all = in_variable(f, &all)?;
        let times = |a: Expr, b: Expr| Expr::binary(BinaryOp::Mul, a, b);
        let group = Expr::int(shape.group.into());
        let rest = times(whole, Expr::int(shape.elements()));
        let rest = f.bind("rest", CType::Int, rest);
        let left = f.length(&self.xs.len)?.sub(rest.clone());
        let left = f.index_var("left", left);
        f.known_mut().assume_range(left.clone(), Some(Size::zero()), Some(self.xs.len.clone()));
        let left = Size::var(left);
        let from = times(first, group.clone()).add(local_id().cast(CType::Int));
        f.for_range("o", from, &left, Step::Add(times(step, group)), |f, o| {
            let o = f.size(o)?;
            let i = f.bind("i", CType::Int, rest.add(o));
            let i = f.index_var("i", i);
            f.known_mut().assume_index(&i, &self.xs.len);
            let x = f.read(self.xs, &Size::var(i))?;
            let next = f.call(self.f, &[all.clone(), x])?;
            f.assign_registers(&all, &next)
        })?;
        Ok(all)
    }

    /// Local memory for one value of each work-item.
    fn one_each(&self, f: &mut FunctionBuilder<'_, 'k>, shape: Shape) -> Result<Rc<Layout>> {
        let slots = f.element_arrays(self.ty, "slots", Storage::Local, shape.group.into());
        slots.ok_or_else(|| f.error("reduce", "these elements are not scalars"))
    }

    /// The fold of the values of a group's work-items; the first work-item has the result.
    fn fold_across(
        &self,
        f: &mut FunctionBuilder<'_, 'k>,
        shape: Shape,
        own: &Value<'k>,
        slots: &Rc<Layout>,
    ) -> Result<Value<'k>> {
        let mut d = shape.group.next_power_of_two() / 2;
        let mine = Dest::Place(f.slot_at(slots, local_id()));
        f.copy(own, &mine)?;
        f.barrier(true, false);
        while d > 0 {
            // The other slot exists even if the group size is not a power of two.
            let most = d.min(shape.group - d);
            f.provided(local_id().lt(Expr::int(most.into())), |f| {
                let other = f.slot_at(slots, local_id().add(Expr::int(d.into())));
                let other = f.load(&other)?;
                let next = f.call(self.f, &[own.clone(), other])?;
                f.assign_registers(own, &next)?;
                f.copy(own, &mine)
            })?;
            f.barrier(true, false);
            d /= 2;
        }
        Ok(own.clone())
    }
}

/// Folds a work-item's elements of a tile as they are computed, if one takes much code or a loop; returns whether it
/// does. Otherwise all of them are loaded first, which hides the latency of memory.
fn folded_one_by_one<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    shape: Shape,
    number: &Expr,
    r: &Reduction<'_, 'k>,
    accs: &Rc<Layout>,
) -> Result<bool> {
    let times = |a: Expr, b: u32| Expr::binary(BinaryOp::Mul, a, Expr::int(b.into()));
    let first = times(number.clone(), shape.group * shape.fours).add(local_id().cast(CType::Int));
    let work = work_of_element(f, r.xs, &first)?;
    if work == ElementWork::Little {
        return Ok(false);
    }
    let first = f.bind("first", CType::Int, first);
    let take = |f: &mut FunctionBuilder<'_, 'k>, j: i64, x: Value<'k>| {
        let acc = f.slot_at(accs, Expr::int(j));
        let old = f.load(&acc)?;
        let next = f.call(r.f, &[old, x])?;
        f.copy(&next, &Dest::Place(acc))
    };
    f.emit(StmtKind::Roll);
    f.for_range("k", Expr::int(0), &Size::nat(shape.fours.into()), Step::Increment, |f, k| {
        let k = f.size(k)?;
        let q = f.bind("q", CType::Int, first.add(times(k, shape.group)));
        if work == ElementWork::Loop {
            return f.for_range("j", Expr::int(0), &Size::int(4), Step::Increment, |f, j| {
                let j = f.size(j)?;
                let i = f.bind("i", CType::Int, times(q, 4).add(j));
                let i = f.index_var("i", i);
                f.known_mut().assume_index(&i, &r.xs.len);
                let x = f.read(r.xs, &Size::var(i))?;
                take(f, 0, x)
            });
        }
        let q = f.index_var("q", q);
        let fours = r.xs.len.div_floor(&Size::int(4));
        f.known_mut().assume_index(&q, &fours);
        let elements = read_four(f, r.xs, &Size::var(q))?;
        (0..).zip(elements).try_for_each(|(j, x)| take(f, j, x))
    })?;
    Ok(true)
}

/// Folds a work-item's elements of a tile if they share much of their computation; returns whether they do.
fn folded_sharing<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    shape: Shape,
    number: &Expr,
    r: &Reduction<'_, 'k>,
    accs: &Rc<Layout>,
) -> Result<bool> {
    let each = shape.each();
    let own = i64::from(each.trailing_zeros());
    let folds = shared_folds(f, r.xs, own);
    if each.count_ones() != 1 || folds.is_empty() {
        return Ok(false);
    }
    let times = |a: Expr, b: i64| Expr::binary(BinaryOp::Mul, a, Expr::int(b));
    let (stmts, shared) = f.scope(|f| {
        let item = times(number.clone(), shape.group.into()).add(local_id().cast(CType::Int));
        let from = f.bind("from", CType::Int, times(item, each));
        let first = f.index_var("from", from.clone());
        f.known_mut().assume_index(&first, &r.xs.len);
        if !share_rounds(f, r.xs, &Size::var(first), own, folds)? {
            return Ok(false);
        }
        f.unrolled("l", each, |f, l| {
            let l = f.size(l)?;
            let i = f.bind("i", CType::Int, from.clone().add(l));
            let i = f.index_var("i", i);
            f.known_mut().assume_index(&i, &r.xs.len);
            let x = sharing_element(f, r.xs, i)?;
            let acc = f.slot_at(accs, Expr::int(0));
            let old = f.load(&acc)?;
            let next = f.call(r.f, &[old, x])?;
            f.copy(&next, &Dest::Place(acc))
        })?;
        f.values_mut().no_rounds_shared();
        Ok(true)
    })?;
    if shared {
        f.emit_all(stmts);
    }
    Ok(shared)
}

fn in_variable<'k>(f: &mut FunctionBuilder<'_, 'k>, value: &Value<'k>) -> Result<Value<'k>> {
    match f.registers_with(value, "all")? {
        Some(registers) => Ok(registers),
        None => Err(f.error("reduce", "these elements are not scalars")),
    }
}

/// Publishes the group's aggregate; the last group to finish folds all aggregates and writes the result.
#[allow(clippy::too_many_arguments)]
fn last_group<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    state: BufferId,
    r: &Reduction<'_, 'k>,
    (shape, scalar): (Shape, Scalar),
    all: &Value<'k>,
    (group, groups): (Expr, Expr),
    slots: &Rc<Layout>,
    dest: &Dest<'k>,
) -> Result<()> {
    let state = Expr::Var(f.use_buffer(state, true));
    let ints = f.declare_array("shared", Storage::Local, CType::Int, 1);
    let round = f.in_prologue(|f| {
        let round = f.call_helper(Helper::Round, [state.clone()]);
        Ok(f.bind("round", CType::Int, round))
    })?;
    f.provided(local_id().eq(Expr::int(0)), |f| {
        let value = f.scalar_of(all)?;
        let value = f.scalar(&value)?;
        let args = [state.clone(), group, round.clone(), Expr::int(1), to_word(scalar, value)];
        let call = f.call_helper(Helper::Publish, args);
        f.emit(StmtKind::Expr(call));
        Ok(())
    })?;
    let last = f.call_helper(Helper::LastGroup, [state.clone(), Expr::Var(ints)]);
    f.provided(last, |f| {
        let z = f.force(r.z)?;
        let acc = in_variable(f, &z)?;
        let count = f.index_var("groups", groups);
        f.known_mut().assume_range(count.clone(), Some(Size::one()), Some(Size::int(i32::MAX.into())));
        let count = Size::var(count);
        f.for_group(shape.group, &count, |f, g| {
            let g = f.size(g)?;
            let word = f.call_helper(Helper::Status, [state.clone(), g, round.clone()]);
            let value = of_word(scalar, word.cast(CType::UInt));
            let next = f.call(r.f, &[acc.clone(), Value::computed(scalar, value)])?;
            f.assign_registers(&acc, &next)
        })?;
        let all = r.fold_across(f, shape, &acc, slots)?;
        f.provided(local_id().eq(Expr::int(0)), |f| {
            let to = f.dest_at(dest, &Size::zero())?;
            f.copy(&all, &to)
        })
    })
}
