//! Loops that write arrays of their state in place ([`crate::schedule::in_place`]), and the updates in their
//! iterations.
//!
//! A scalar of the state has two registers (the second gets the next value), and any other array has two memories.
//! During an iteration, each scalar gets a name where the program computes it, before a later update.

use super::Result;
use super::function::FunctionBuilder;
use super::value::{Dest, Env, Layout, Place, Root, Value, View};
use crate::core::{PrimCall, Stmt, VarId};
use crate::opencl::Expr;
use crate::schedule::in_place::{leaves, round_of};
use lift_analysis::size::{Facts, Size};
use lift_analysis::ty::{Ty, TyKind};

/// Memory of a state, or of a part of it, for the current value and for the next one.
pub enum Slots {
    Tuple(Vec<Slots>),
    Leaf { current: Place, next: Place },
}

impl Slots {
    pub fn next<'k>(&self) -> Dest<'k> {
        match self {
            Slots::Tuple(parts) => Dest::Tuple(parts.iter().map(Slots::next).collect()),
            Slots::Leaf { next, .. } => Dest::Place(next.clone()),
        }
    }
}

/// Whether the loop writes an array of its state in place.
pub fn is_in_place(f: &FunctionBuilder, stmt: &Stmt) -> bool {
    f.schedule().in_place.loops.contains_key(&stmt.var)
}

/// Memory for the state of such a loop, with the initial value.
pub fn slots_of_state<'k>(
    b: &mut FunctionBuilder<'_, 'k>,
    stmt: &'k Stmt,
    initial: &Value<'k>,
    env: &Env<'k>,
) -> Result<Slots> {
    let kernel = b.kernel();
    let Some((f, _)) = round_of(stmt) else { return Err(b.error("", "a statement is not a loop")) };
    let Some(state) = f.params.first() else { return Err(b.error("", "a loop has no state")) };
    let ty = kernel.ty(*state).subst_sizes(&mut |v| {
        let size = Size::var(v.clone());
        let now = env.size(&size);
        (now != size).then_some(now)
    });
    let given = b.in_place_mut().take_given(stmt.var);
    let name = kernel.name_of(*state).to_string();
    slots_of(b, stmt.var, &mut 0, &ty, initial, given.as_ref(), &name)
}

/// Writes `update xs i … v` to `dest`, which may be the memory of xs.
pub fn update<'k>(f: &mut FunctionBuilder<'_, 'k>, call: &'k PrimCall, env: &Env<'k>, dest: &Dest<'k>) -> Result<()> {
    if let Some(xs) = call.args.first() {
        let xs = f.atom(xs, env)?;
        f.copy(&xs, dest)?;
    }
    update_copy(f, call, env, dest, FunctionBuilder::copy)
}

/// Writes the new value of `update xs i … v` by `write` to its place in `dest`, which has the elements of xs already.
pub fn update_copy<'a, 'k>(
    f: &mut FunctionBuilder<'a, 'k>,
    call: &'k PrimCall,
    env: &Env<'k>,
    dest: &Dest<'k>,
    write: impl FnOnce(&mut FunctionBuilder<'a, 'k>, &Value<'k>, &Dest<'k>) -> Result<()>,
) -> Result<()> {
    let [xs, indices @ .., value] = call.args.as_slice() else {
        return Err(f.error(call.prim.label(), "it has no array and value"));
    };
    let mut ty = f.kernel().atom_ty(xs);
    let value = f.atom(value, env)?;
    let (mut condition, mut at, mut known) = (Expr::Bool(true), Vec::new(), Vec::new());
    for index in indices {
        let Some(array) = ty.as_array().cloned() else {
            return Err(f.error(call.prim.label(), "it has more indices than axes"));
        };
        let index = f.atom(index, env)?;
        let index = f.scalar_of(&index)?;
        let (index, len) = (f.as_size(&index, "at")?, env.size(&array.len));
        if !f.known().in_range(&index, &len) {
            let (i, n) = (f.size(&index)?, f.length(&len)?);
            condition = condition.and(Expr::int(0).le(i.clone())).and(i.lt(n));
            known.push((index.clone(), len));
        }
        at.push(index);
        ty = array.element.clone();
    }
    let (stmts, ()) = f.scope(|f| {
        for (index, len) in known {
            f.known_mut().assume_le(Size::zero(), index.clone());
            f.known_mut().assume_le(index.add(&Size::one()), len);
        }
        let mut to = dest.clone();
        for index in &at {
            to = f.dest_at(&to, index)?;
        }
        write(f, &value, &to)
    })?;
    match condition {
        Expr::Bool(true) => f.emit_all(stmts),
        condition => f.emit_if(condition, stmts, Vec::new()),
    }
    Ok(())
}

impl Slots {
    pub fn state_in<'k>(&self, f: &mut FunctionBuilder<'_, 'k>) -> Result<Value<'k>> {
        match self {
            Slots::Tuple(parts) => {
                let mut all = Vec::new();
                for part in parts {
                    all.push(part.state_in(f)?);
                }
                Ok(Value::Tuple(all))
            }
            Slots::Leaf { current, .. } => f.load(current),
        }
    }

    /// Makes the next value the current one.
    pub fn advance_slots(&self, f: &mut FunctionBuilder) -> Result<()> {
        match self {
            Slots::Tuple(parts) => parts.iter().try_for_each(|part| part.advance_slots(f)),
            Slots::Leaf { current, next } if current == next => Ok(()),
            Slots::Leaf { current, next } => {
                let value = f.load(next)?;
                f.copy(&value, &Dest::Place(current.clone()))
            }
        }
    }
}

fn slots_of<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    stmt: VarId,
    leaf: &mut usize,
    ty: &Ty,
    initial: &Value<'k>,
    given: Option<&Place>,
    name: &str,
) -> Result<Slots> {
    if let (TyKind::Tuple(types), Value::Tuple(parts)) = (ty.kind(), initial) {
        let mut all = Vec::new();
        for (i, (ty, part)) in types.iter().zip(parts).enumerate() {
            let given = given.and_then(|place| part_of(place, i));
            all.push(slots_of(f, stmt, leaf, ty, part, given.as_ref(), name)?);
        }
        return Ok(Slots::Tuple(all));
    }
    let first = *leaf;
    *leaf += leaves(ty).len();
    let in_place = &f.schedule().in_place;
    let stays = in_place.loops.get(&stmt).and_then(|all| all.get(first)) == Some(&true);
    let taken = stays && in_place.taken.contains(&(stmt, first));
    let array = if taken { owner(f, initial) } else { None };
    let array = array.or_else(|| given.filter(|_| stays).cloned());
    if let Some(place) = array {
        f.in_place_mut().own(place.clone());
        return Ok(Slots::Leaf { current: place.clone(), next: place });
    }
    let current = f.allocate_private(ty, name)?;
    f.copy(initial, &Dest::Place(current.clone()))?;
    if stays && !is_register(&current) {
        f.in_place_mut().own(current.clone());
        return Ok(Slots::Leaf { current: current.clone(), next: current });
    }
    let next = f.allocate_private(ty, name)?;
    Ok(Slots::Leaf { current, next })
}

/// The memory of a surrounding loop's state that is this array.
fn owner<'k>(f: &FunctionBuilder<'_, 'k>, value: &Value<'k>) -> Option<Place> {
    f.in_place().owned().find(|place| is_at(f.facts(), value, place)).cloned()
}

/// Whether a value is the contents of this memory.
pub fn is_at(facts: &Facts, value: &Value, place: &Place) -> bool {
    let Value::Array(array) = value else { return false };
    match (&*array.view, &*place.layout) {
        (View::Stored { element, base }, Layout::Array { element: own, capacity, .. }) => {
            own == element && facts.simplify(&place.at.mul(capacity)) == *base
        }
        _ => false,
    }
}

/// The memory of a component.
pub fn part_of(place: &Place, i: usize) -> Option<Place> {
    match &*place.layout {
        Layout::Tuple(parts) => Some(Place { layout: parts.get(i)?.clone(), at: place.at.clone() }),
        _ => None,
    }
}

/// Whether the memory is a variable, so that an expression would read its new value.
fn is_register(place: &Place) -> bool {
    let mut memories = Vec::new();
    place.layout.memories(&mut memories);
    memories.iter().any(|m| matches!(m.root, Root::Register(_)))
}
