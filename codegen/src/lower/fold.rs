//! Sequential folds: `reduceSeq`, `reduceWhileSeq`, `scanSeq`, `iterateWhile`, `iterate`, searches.
//!
//! An accumulator of scalars is kept in variables; one that contains arrays has two memories, of which one is read
//! while the other is written. If the work-items of a group compute it together, they change places after each
//! iteration, at a barrier.

use super::Result;
use super::function::FunctionBuilder;
use super::in_place::{Slots, is_in_place, slots_of_state};
use super::pieces::few_pieces;
use super::stream::shared::Part;
use super::value::{Closure, Dest, Env, Layout, Place, Value};
use super::vectors::along;
use super::write::is_flat;
use crate::core::{Level, Prim, PrimCall, Rhs, Stmt};
use crate::lower::team::in_order::fold_in_order;
use crate::lower::team::rounds::{iterate_while_in_group, rounds_in_group};
use crate::opencl::{BinaryOp, CType, Expr, Step, StmtKind};
use crate::schedule::place;
use crate::target::Class;
use lift_analysis::hir::Scalar;
use lift_analysis::size::Size;
use lift_analysis::ty::Ty;

/// Maximum iterations of an unrolled `iterate`; more become a loop.
const UNROLLED: i64 = 16;

/// The storage of an accumulator between iterations.
enum Accumulator<'k> {
    Registers(Value<'k>),
    /// The current value, and memory for the next one.
    Memory(Place, Place),
    Shared(Shared),
    /// Arrays of it are written in place.
    InPlace(Slots),
}

/// Two accumulators of a group. Element `turn` is the current one, and the other is written.
struct Shared {
    pair: Place,
    turn: Expr,
    now: Size,
}

/// Whether the result is an array of one accumulator.
fn is_in_array(prim: Prim) -> bool {
    matches!(prim, Prim::Reduce(_) | Prim::ReduceWhileSeq)
}

impl<'k> FunctionBuilder<'_, 'k> {
    pub fn leave_unless(&mut self, test: &Closure<'k>, args: &[Value<'k>]) -> Result<()> {
        let go_on = self.call(test, args)?;
        let go_on = self.scalar_of(&go_on)?;
        let condition = self.scalar(&go_on)?.not();
        let leave = vec![StmtKind::Break.at(&self.origin())];
        self.emit_if(condition, leave, Vec::new());
        Ok(())
    }

    /// `reduceSeq` and `reduceWhileSeq`: returns the last accumulator.
    pub fn fold(&mut self, stmt: &'k Stmt, call: &'k PrimCall, env: &Env<'k>) -> Result<Value<'k>> {
        let z = self.atom(&call.args[0], env)?;
        let xs = self.atom(&call.args[1], env)?;
        let xs = self.array(&xs)?;
        if matches!(call.prim, Prim::Reduce(_)) && self.loops_together(stmt, &call.args[0]) {
            let f = Closure { lambda: &call.funs[0], env: env.clone() };
            return rounds_in_group(self, stmt, &f, (&xs.len, &z, Some(&xs)));
        }
        if matches!(call.prim, Prim::Reduce(_))
            && let Some(last) = fold_in_order(self, call, env)?
        {
            return Ok(last);
        }
        self.runs_alone(call.prim, &xs.len);
        let closure = |i: usize| Closure { lambda: &call.funs[i], env: env.clone() };
        let (test, f) = match call.prim {
            Prim::ReduceWhileSeq => (Some(closure(0)), closure(1)),
            _ => (None, closure(0)),
        };
        let part = if test.is_none() { self.values().part_of_rounds(stmt.var, self.depth()) } else { Part::Whole };
        let z = match &part {
            Part::Below(_, found) => found.clone(),
            Part::Whole | Part::From(_) => z,
        };
        if matches!((&part, call.prim), (Part::Whole, Prim::Reduce(_)))
            && few_pieces(&xs).is_none()
            && let Some(folded) = along::fold(self, stmt, call, (&f, &z, &xs))?
        {
            return Ok(folded);
        }
        let name = f.first_name(self.kernel());
        let acc = accumulator(self, stmt, &z, env, &name)?;
        // CPUs without an FMA instruction would emulate it.
        let schedule = self.schedule();
        let contract = schedule.reorder.contains(&stmt.var) && self.target().class == Class::Gpu;
        let round = |b: &mut Self, i: &Size| {
            let value = acc.current(b)?;
            if let Some(test) = &test {
                b.leave_unless(test, std::slice::from_ref(&value))?;
            }
            let x = b.read(&xs, i)?;
            acc.advance(b, &f.at(i), &[value, x], contract)
        };
        match part {
            Part::Whole => {}
            Part::From(first) => {
                self.for_range("i", Expr::int(first), &xs.len.clone(), Step::Increment, round)?;
                let found = acc.current(self)?;
                self.values_mut().found_by_rounds(stmt.var, found.clone());
                return Ok(found);
            }
            Part::Below(rounds, _) => {
                self.unrolled("i", rounds, round)?;
                return acc.current(self);
            }
        }
        match test {
            None if few_pieces(&xs).is_some() => self.over("i", &xs, round)?,
            None => self.in_rows(&xs.len.clone(), xs.scattered_rows(), round)?,
            // A `break` needs a loop.
            Some(_) => self.for_range("i", Expr::int(0), &xs.len.clone(), Step::Increment, round)?,
        }
        acc.current(self)
    }

    /// `scanSeq`, inclusive or exclusive.
    pub fn scan(&mut self, stmt: &'k Stmt, env: &Env<'k>, dest: &Dest<'k>, inclusive: bool) -> Result<()> {
        let Rhs::Prim(call) = &stmt.rhs else { return Err(self.error("scan", "it is not a scan")) };
        let z = self.atom(&call.args[0], env)?;
        let z = self.forced(&z)?;
        let xs = self.atom(&call.args[1], env)?;
        let xs = self.array(&xs)?;
        let f = Closure { lambda: &call.funs[0], env: env.clone() };
        if !is_flat(&z) {
            let together = self.loops_together(stmt, &call.args[0]);
            return scan_arrays(self, &z, &xs, &f, dest, (inclusive, together));
        }
        self.runs_alone(call.prim, &xs.len);
        let name = f.first_name(self.kernel());
        let Some(registers) = self.registers_with(&z, &name)? else { return Ok(()) };
        self.sequential(&xs.len.clone(), |b, i| {
            let to = b.dest_at(dest, i)?;
            if !inclusive {
                b.copy(&registers, &to)?;
            }
            let x = b.read(&xs, i)?;
            let next = b.call(&f, &[registers.clone(), x])?;
            b.assign_registers(&registers, &next)?;
            if inclusive {
                b.copy(&registers, &to)?;
            }
            Ok(())
        })
    }

    /// Unrolls a small constant number of iterations; otherwise a single function runs in a loop.
    pub fn iterate(
        &mut self,
        stmt: &'k Stmt,
        call: &'k PrimCall,
        env: &Env<'k>,
        dest: Option<&Dest<'k>>,
    ) -> Result<Value<'k>> {
        let Some(count) = call.sizes.first().map(|k| env.size(k)) else {
            return Err(self.error("iterate", "it has no number of rounds"));
        };
        let start = self.atom(&call.args[0], env)?;
        if let ([f], true) = (call.funs.as_slice(), self.loops_together(stmt, &call.args[0])) {
            let f = Closure { lambda: f, env: env.clone() };
            let value = rounds_in_group(self, stmt, &f, (&count, &start, None))?;
            return self.deliver(value, dest);
        }
        // An iteration that a group shares is too much code to be repeated.
        let together = place::stmt_levels(stmt).iter().any(|level| matches!(level, Level::Lcl(_)));
        if let [f] = call.funs.as_slice()
            && (together || is_in_place(self, stmt) || count.as_const().is_none_or(|k| k > UNROLLED))
        {
            let f = Closure { lambda: f, env: env.clone() };
            let name = f.first_name(self.kernel());
            let acc = accumulator(self, stmt, &start, env, &name)?;
            self.sequential(&count, |b, _| {
                let value = acc.current(b)?;
                acc.advance(b, &f, &[value], false)
            })?;
            let value = acc.current(self)?;
            return self.deliver(value, dest);
        }
        let mut value = start;
        for round in 0..count.as_const().unwrap_or(0).max(0) as usize {
            let Some(lambda) = call.funs.get(round).or(call.funs.last()) else { break };
            value = self.call(&Closure { lambda, env: env.clone() }, &[value])?;
        }
        self.deliver(value, dest)
    }

    /// `search` (binary) and `lsearch` (linear): the index, or -1.
    pub fn search(&mut self, call: &'k PrimCall, env: &Env<'k>) -> Result<Value<'k>> {
        let xs = self.atom(&call.args[0], env)?;
        let xs = self.array(&xs)?;
        let f = Closure { lambda: &call.funs[0], env: env.clone() };
        let found = self.variable("found", CType::Int, Some(Expr::int(-1)));
        let result = Value::computed(Scalar::Int, Expr::Var(found.clone()));
        if call.prim == Prim::LSearch {
            self.for_range("i", Expr::int(0), &xs.len.clone(), Step::Increment, |b, i| {
                let x = b.read(&xs, i)?;
                let c = b.call(&f, &[x])?;
                let c = b.scalar_of(&c)?;
                let hit = b.scalar(&c)?.eq(Expr::int(0));
                let at = b.size(i)?;
                let (then, ()) = b.scope(|b| {
                    b.assign(Expr::Var(found.clone()), at);
                    b.emit(StmtKind::Break);
                    Ok(())
                })?;
                b.emit_if(hit, then, Vec::new());
                Ok(())
            })?;
            return Ok(result);
        }
        let low = self.variable("low", CType::Int, Some(Expr::int(0)));
        let len = self.length(&xs.len)?;
        let high = self.variable("high", CType::Int, Some(len));
        let (low_e, high_e) = (Expr::Var(low), Expr::Var(high));
        let (body, ()) = self.scope(|b| {
            // `(low + high) / 2` without overflow.
            let half = Expr::binary(BinaryOp::Div, high_e.clone().sub(low_e.clone()), Expr::int(2));
            let middle = b.bind("middle", CType::Int, low_e.clone().add(half));
            let var = b.index_var("middle", middle.clone());
            b.known_mut().assume_index(&var, &xs.len);
            let x = b.read(&xs, &Size::var(var))?;
            let c = b.call(&f, &[x])?;
            let c = b.scalar_of(&c)?;
            let c = b.scalar(&c)?;
            let c = if c.is_atom() { c } else { b.bind("order", CType::Int, c) };
            let (hit, ()) = b.scope(|b| {
                b.assign(Expr::Var(found.clone()), middle.clone());
                b.emit(StmtKind::Break);
                Ok(())
            })?;
            let (before, ()) = b.scope(|b| {
                b.assign(high_e.clone(), middle.clone());
                Ok(())
            })?;
            let (after, ()) = b.scope(|b| {
                b.assign(low_e.clone(), middle.clone().add(Expr::int(1)));
                Ok(())
            })?;
            let (rest, ()) = b.scope(|b| {
                b.emit_if(c.clone().lt(Expr::int(0)), before, after);
                Ok(())
            })?;
            b.emit_if(c.eq(Expr::int(0)), hit, rest);
            Ok(())
        })?;
        self.emit(StmtKind::While { condition: low_e.lt(high_e), body });
        Ok(result)
    }
}

pub fn iterate_while<'k>(
    b: &mut FunctionBuilder<'_, 'k>,
    stmt: &'k Stmt,
    call: &'k PrimCall,
    env: &Env<'k>,
) -> Result<Value<'k>> {
    let x = b.atom(&call.args[0], env)?;
    if b.loops_together(stmt, &call.args[0]) {
        return iterate_while_in_group(b, stmt, call, env, &x);
    }
    let test = Closure { lambda: &call.funs[0], env: env.clone() };
    let f = Closure { lambda: &call.funs[1], env: env.clone() };
    let name = f.first_name(b.kernel());
    let acc = accumulator(b, stmt, &x, env, &name)?;
    let (body, ()) = b.scope(|b| {
        b.in_loop(|b| {
            let value = acc.current(b)?;
            b.leave_unless(&test, std::slice::from_ref(&value))?;
            acc.advance(b, &f, &[value], false)
        })
    })?;
    b.emit(StmtKind::While { condition: Expr::Bool(true), body });
    acc.current(b)
}

impl<'k> Accumulator<'k> {
    fn current(&self, f: &mut FunctionBuilder<'_, 'k>) -> Result<Value<'k>> {
        match self {
            Accumulator::Registers(v) => Ok(v.clone()),
            Accumulator::Memory(place, _) => f.load(place),
            Accumulator::InPlace(slots) => slots.state_in(f),
            Accumulator::Shared(shared) => match f.dest_at(&Dest::Place(shared.pair.clone()), &shared.now)? {
                Dest::Place(place) => f.load(&place),
                _ => Err(f.error("", "an accumulator of a group is not in memory")),
            },
        }
    }

    /// Computes the next value by a function.
    fn advance(
        &self,
        b: &mut FunctionBuilder<'_, 'k>,
        f: &Closure<'k>,
        args: &[Value<'k>],
        contract: bool,
    ) -> Result<()> {
        match self {
            Accumulator::Registers(registers) => {
                let next = b.call(f, args)?;
                let next = if contract { b.contracted(next) } else { next };
                b.assign_registers(registers, &next)
            }
            Accumulator::Memory(current, next) => {
                b.call_into(f, args, &Dest::Place(next.clone()))?;
                let value = b.load(next)?;
                b.copy(&value, &Dest::Place(current.clone()))
            }
            Accumulator::InPlace(slots) => {
                b.in_place_loop(|b| b.call_into(f, args, &slots.next()))?;
                slots.advance_slots(b)
            }
            Accumulator::Shared(Shared { pair, turn, now }) => {
                let next = b.dest_at(&Dest::Place(pair.clone()), &Size::one().sub(now))?;
                b.call_into(f, args, &next)?;
                b.assign(turn.clone(), Expr::int(1).sub(turn.clone()));
                b.fence(pair);
                Ok(())
            }
        }
    }
}

/// Whether all work-items of a group execute the statement, and compute the elements of its accumulator together.
fn is_computed_together(f: &FunctionBuilder, stmt: &Stmt) -> bool {
    f.is_whole_group() && place::stmt_levels(stmt).iter().any(|level| matches!(level, Level::Lcl(_)))
}

fn accumulator<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    stmt: &'k Stmt,
    initial: &Value<'k>,
    env: &Env<'k>,
    name: &str,
) -> Result<Accumulator<'k>> {
    let initial = f.forced(initial)?;
    if is_flat(&initial) {
        let Some(registers) = f.registers_with(&initial, name)? else {
            return Err(f.error("", "an accumulator of this type is not compiled yet"));
        };
        return Ok(Accumulator::Registers(registers));
    }
    if is_computed_together(f, stmt) {
        return shared_accumulator(f, stmt, &initial, env).map(Accumulator::Shared);
    }
    if is_in_place(f, stmt) {
        return slots_of_state(f, stmt, &initial, env).map(Accumulator::InPlace);
    }
    let current = accumulator_memory(f, stmt, env)?;
    let next = accumulator_memory(f, stmt, env)?;
    f.copy(&initial, &Dest::Place(current.clone()))?;
    Ok(Accumulator::Memory(current, next))
}

/// Memory for one accumulator of the statement, whose result is an array of one, or the accumulator itself.
fn accumulator_memory<'k>(f: &mut FunctionBuilder<'_, 'k>, stmt: &'k Stmt, env: &Env<'k>) -> Result<Place> {
    if !f.schedule().bounds.state(stmt.var).is_empty() {
        let message = "each element has its own loop here, whose state may grow, so its memory is unknown; at the \
                       top of a kernel, memory grows with the state";
        return Err(f.error("iterate", message));
    }
    let place = f.allocate_for(stmt, None, env)?;
    let Rhs::Prim(call) = &stmt.rhs else { return Ok(place) };
    if f.is_shared(&place) {
        let why = "an accumulator that work-items of several dimensions share is not compiled yet";
        return Err(f.error(call.prim.label(), why));
    }
    Ok(match (&*place.layout, call.prim) {
        (Layout::Array { element, .. }, prim) if is_in_array(prim) => Place { layout: element.clone(), at: place.at },
        _ => place,
    })
}

/// Memory of the group for two accumulators; the first gets the initial value.
fn shared_accumulator<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    stmt: &'k Stmt,
    initial: &Value<'k>,
    env: &Env<'k>,
) -> Result<Shared> {
    let kernel = f.kernel();
    let ty = kernel.ty(stmt.var).subst_sizes(&mut |v| {
        let size = Size::var(v.clone());
        let now = env.size(&size);
        (now != size).then_some(now)
    });
    let one = match (&stmt.rhs, ty.as_array()) {
        (Rhs::Prim(call), Some(array)) if is_in_array(call.prim) => array.element.clone(),
        _ => ty,
    };
    let pair = f.allocate_for_group(&Ty::array(one, Size::int(2)), kernel.name_of(stmt.var))?;
    let turn = Expr::Var(f.variable("turn", CType::Int, Some(Expr::int(0))));
    let first = f.dest_at(&Dest::Place(pair.clone()), &Size::zero())?;
    f.copy(initial, &first)?;
    f.fence(&pair);
    let now = f.index_below("turn", turn.clone(), &Size::int(2));
    Ok(Shared { pair, turn, now })
}

/// A scan whose accumulators are arrays: each iteration reads the accumulator that the previous one wrote. `together`:
/// the work-items of a group share each iteration.
fn scan_arrays<'k>(
    b: &mut FunctionBuilder<'_, 'k>,
    z: &Value<'k>,
    xs: &super::value::Array<'k>,
    f: &Closure<'k>,
    dest: &Dest<'k>,
    (inclusive, together): (bool, bool),
) -> Result<()> {
    let Dest::Place(all) = dest else {
        return Err(b.error("scan", "with arrays as elements its result must be stored unchanged"));
    };
    if together {
        b.runs_together();
    } else {
        b.runs_alone(Prim::Scan(Level::Seq), &xs.len);
    }
    let element = |b: &mut FunctionBuilder<'_, 'k>, i: &Size| -> Result<Value<'k>> {
        match b.dest_at(dest, i)? {
            Dest::Place(p) => b.load(&p),
            _ => Err(b.error("scan", "with arrays as elements its result must be stored unchanged")),
        }
    };
    let first = b.dest_at(dest, &Size::zero())?;
    let one = Size::one();
    let some = b.facts().lt(&Size::zero(), &xs.len).is_yes();
    let condition = if some { Expr::Bool(true) } else { Expr::int(0).lt(b.length(&xs.len)?) };
    let (stmts, ()) = b.scope(|b| {
        if inclusive {
            let x = b.read(xs, &Size::zero())?;
            b.call_into(f, &[z.clone(), x], &first)
        } else {
            b.copy(z, &first)
        }
    })?;
    match condition {
        Expr::Bool(true) => stmts.into_iter().for_each(|s| b.emit(s.kind)),
        condition => b.emit_if(condition, stmts, Vec::new()),
    }
    if together {
        b.fence(all);
    }
    b.for_range("i", Expr::int(1), &xs.len.clone(), Step::Increment, |b, i| {
        b.known_mut().assume_le(one.clone(), i.clone());
        let before = i.sub(&one);
        let acc = element(b, &before)?;
        let x = b.read(xs, if inclusive { i } else { &before })?;
        let to = b.dest_at(dest, i)?;
        b.call_into(f, &[acc, x], &to)?;
        if together {
            b.fence(all);
        }
        Ok(())
    })
}
