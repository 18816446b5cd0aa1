//! `power` and `while`.

use super::arrays::{length, stored};
use super::store::{array, element, force};
use super::value::{Ev, Fun, Int, Place, Pull, Push, PushKind, Res, Value, not_supported};
use crate::front::term::{Kind, Term};
use crate::size::Size;
use lift_syntax::TextRange;
use std::cell::Cell;
use std::rc::Rc;

/// Maximum iterations that are unrolled if the length may differ in each.
const WRITTEN_OUT: i64 = 64;
/// Maximum iterations that are unrolled although a loop is possible.
const FEW: i64 = 16;

pub fn power(level: u32, at: TextRange) -> Value {
    Value::function(3, move |ev, args| {
        let (n, step, start) = (args[0].int(ev)?, args[1].fun(ev)?, args[2].program(ev)?);
        Ok(Value::Program(Rc::new(move |ev| {
            ev.unused = false;
            let push = start(ev)?.push(ev)?;
            let step: Step = {
                let step = step.clone();
                Rc::new(move |ev, k, xs| {
                    let step = step(ev, Value::Int(k.clone()))?.fun(ev)?;
                    let program = step(ev, Value::Pull(xs))?.program(ev)?;
                    program(ev)?.push(ev)
                })
            };
            ev.at = at;
            rounds(ev, level, &n, &step, push)
        })))
    })
}

type Step = Rc<dyn Fn(&mut Ev, &Int, Pull) -> Res<Push>>;

fn rounds(ev: &mut Ev, level: u32, n: &Int, step: &Step, start: Push) -> Res<Value> {
    let at = ev.at;
    if let Some(n) = n.known().filter(|n| *n <= FEW) {
        let mut xs = force(ev, &start)?;
        for k in 0..n {
            let push = step(ev, &ev.number(k), xs)?;
            ev.at = at;
            xs = force(ev, &push)?;
        }
        return Ok(Value::Pull(xs));
    }
    match (ev.place, if ev.place == Place::Host { None } else { alone(ev, level, n, step, &start)? }) {
        // The arrays that a step stores are shared, rather than computed again for each element.
        (Place::Group, Some((_, true)) | None) | (Place::Item, None) => return in_turn(ev, n, step, &start),
        (_, Some((push, _))) => return Ok(Value::Pull(force(ev, &push)?)),
        (Place::Row, None) => return not_supported(at, "`power` of many steps in one of many programs of the grid"),
        (Place::Host, None) => {}
    }
    let len = length(ev, &start)?;
    let len = ev.length(&len)?;
    let xs = force(ev, &start)?;
    let limit = n.clone();
    looped(ev, &xs, &len, |ev, k, _| Ok(ev.less(k.term.clone(), limit.term.clone())), |ev, k, xs| step(ev, k, xs))
}

/// Sequential iterations: a fold whose accumulator is the array. In a block its elements are in local memory.
fn in_turn(ev: &mut Ev, n: &Int, step: &Step, start: &Push) -> Res<Value> {
    let at = ev.at;
    let len = length(ev, start)?;
    let (len, count) = (ev.length(&len)?, ev.length(n)?);
    let (first, elem) = array(ev, start, None)?;
    let (k, index) = ev.below("k", &count);
    let state = ev.fresh("acc");
    let (body, ()) = ev.scoped(|ev| {
        let xs = stored(&state, &len, elem.clone(), ev);
        let push = step(ev, &index, xs)?;
        ev.at = at;
        of_length(ev, &push, &len)?;
        Ok((array(ev, &push, None)?.0, ()))
    })?;
    let function = ev.term(Kind::Lambda(vec![state, k], body));
    let indices = ev.app("iota", [ev.size_argument(&count)]);
    let folded = ev.app("reduceSeq", [first, function, indices]);
    let last = ev.app("head", [folded]);
    let bound = ev.bind(last, "a")?;
    let memory = if ev.place == Place::Group { "in local memory, a barrier after each" } else { "of a work-item" };
    ev.becomes(at, format!("{count} steps in a loop, on {len} elements {memory}"));
    Ok(Value::Pull(stored(&bound, &len, elem, ev)))
}

/// Rejects an array whose length differs from the loop's.
fn of_length(ev: &mut Ev, push: &Push, len: &Size) -> Res<()> {
    let found = length(ev, push)?;
    let found = ev.length(&found)?;
    if ev.facts.equal(&found, len).is_no() {
        return not_supported(ev.at, format!("a loop whose array has {len} elements, then {found},"));
    }
    Ok(())
}

/// Iterations in which each element depends only on itself become a fold per element; forced arrays are computed where
/// they are read. The second result tells whether an array is forced.
fn alone(ev: &mut Ev, level: u32, n: &Int, step: &Step, start: &Push) -> Res<Option<(Push, bool)>> {
    let len = length(ev, start)?;
    let size = ev.length(&len)?;
    let count = ev.length(n)?;
    let (own, step, of) = (start.clone(), step.clone(), size.clone());
    // Whether a step reads another element, or one that cannot be computed alone.
    let other = Rc::new(Cell::new(false));
    let fails = other.clone();
    let at = ev.at;
    let get = move |ev: &mut Ev, i: &Int| {
        let Some(first) = element(ev, &own, i)? else {
            fails.set(true);
            return not_supported(at, "this `power`");
        };
        let (first, elem) = ev.scalar(&first)?;
        let (k, index) = ev.below("k", &count);
        let state = ev.fresh("acc");
        let term = ev.local(&state);
        let lazy = std::mem::replace(&mut ev.lazy, true);
        let body = ev.scoped(|ev| {
            let value = ev.value(term, &elem)?;
            let (mine, fails) = (i.size.clone(), fails.clone());
            let xs = move |ev: &mut Ev, j: &Int| {
                if j.size.is_none() || j.size != mine {
                    fails.set(true);
                    return not_supported(ev.at, "an element of another work-item in this `power`");
                }
                Ok(value.clone())
            };
            let xs = Pull { len: ev.of_size(&of), get: Rc::new(xs) };
            let push = step(ev, &index, xs)?;
            let Some(next) = element(ev, &push, i)? else {
                return not_supported(at, "an element of this `power`, computed alone,");
            };
            Ok((ev.scalar(&next)?.0, ()))
        });
        ev.lazy = lazy;
        let function = ev.term(Kind::Lambda(vec![state, k], body?.0));
        let indices = ev.app("iota", [ev.size_argument(&count)]);
        let folded = ev.app("reduceSeq", [first, function, indices]);
        let head = ev.app("head", [folded]);
        ev.value(head, &elem)
    };
    let pull = Pull { len, get: Rc::new(get) };
    let push = Push { level, kind: Rc::new(PushKind::Pull(pull)), at };
    let outside = std::mem::take(&mut ev.recomputed);
    let tried = ev.probe(|ev| array(ev, &push, None).map(|_| ()));
    let recomputed = std::mem::replace(&mut ev.recomputed, outside);
    match tried {
        Ok(()) => Ok(Some((push, recomputed))),
        Err(_) if other.get() => Ok(None),
        Err(failure) => Err(failure),
    }
}

pub fn while_array(_level: u32, at: TextRange) -> Value {
    Value::function(3, move |ev, args| {
        let (test, step, start) = (args[0].fun(ev)?, args[1].fun(ev)?, args[2].program(ev)?);
        Ok(Value::Program(Rc::new(move |ev| {
            ev.unused = false;
            let mut push = start(ev)?.push(ev)?;
            for _ in 0..=WRITTEN_OUT {
                ev.at = at;
                let len = length(ev, &push)?;
                let xs = force(ev, &push)?;
                let goes_on = test(ev, Value::Pull(xs.clone()))?.number(ev)?;
                match goes_on.kind() {
                    Kind::Bool(false) => return Ok(Value::Pull(xs)),
                    Kind::Bool(true) => {}
                    _ if ev.place == Place::Host => {
                        let len = ev.length(&len)?;
                        let holds = |ev: &mut Ev, _: &Int, xs: Pull| test(ev, Value::Pull(xs))?.number(ev);
                        let next = |ev: &mut Ev, _: &Int, xs: Pull| {
                            let program = step(ev, Value::Pull(xs))?.program(ev)?;
                            program(ev)?.push(ev)
                        };
                        return looped(ev, &xs, &len, holds, next);
                    }
                    _ => return not_supported(at, "`while` in a block, as long as only the run knows,"),
                }
                let program = step(ev, Value::Pull(xs))?.program(ev)?;
                push = program(ev)?.push(ev)?;
            }
            not_supported(at, "`while` of more than 64 steps with arrays of different lengths")
        })))
    })
}

/// A host-level loop, whose state is an array and the index of the iteration.
fn looped(
    ev: &mut Ev,
    xs: &Pull,
    len: &Size,
    test: impl Fn(&mut Ev, &Int, Pull) -> Res<Term>,
    step: impl Fn(&mut Ev, &Int, Pull) -> Res<Push>,
) -> Res<Value> {
    let at = ev.at;
    let all = Push { level: 2, kind: Rc::new(PushKind::Pull(xs.clone())), at };
    let (start, elem) = array(ev, &all, None)?;
    let with_state = |ev: &mut Ev, body: &mut dyn FnMut(&mut Ev, &Int, Pull) -> Res<Term>| -> Res<Term> {
        let state = ev.fresh("s");
        let whole = ev.local(&state);
        let (body, ()) = ev.scoped(|ev| {
            let round = ev.app("get1", [whole.clone()]);
            let round = ev.share(round, "round")?;
            let round = ev.unknown(round);
            let xs = ev.app("get2", [whole]);
            let bound = ev.bind(xs, "xs")?;
            let xs = stored(&bound, len, elem.clone(), ev);
            Ok((body(ev, &round, xs)?, ()))
        })?;
        Ok(ev.term(Kind::Lambda(vec![state], body)))
    };
    let test = with_state(ev, &mut |ev, k, xs| test(ev, k, xs))?;
    let step = with_state(ev, &mut |ev, k, xs| {
        let push = step(ev, k, xs)?;
        ev.at = at;
        of_length(ev, &push, len)?;
        let (next, _) = array(ev, &push, None)?;
        let next_round = ev.plus(k.term.clone(), ev.int(1));
        Ok(ev.term(Kind::Tuple(vec![next_round, next])))
    })?;
    let start = ev.term(Kind::Tuple(vec![ev.int(0), start]));
    let result = ev.app("get2", [ev.app("iterateWhile", [test, step, start])]);
    let bound = ev.bind(result, "a")?;
    ev.becomes(at, "a loop of the host");
    Ok(Value::Pull(stored(&bound, len, elem, ev)))
}

/// A loop on a scalar or a pair of them.
pub fn while_seq(at: TextRange) -> Value {
    Value::function(3, move |ev, args| {
        let (test, step, start) = (args[0].fun(ev)?, args[1].fun(ev)?, args[2].clone());
        Ok(Value::Program(Rc::new(move |ev| {
            ev.unused = false;
            ev.at = at;
            let (first, elem) = ev.scalar(&start)?;
            let function = |ev: &mut Ev, f: &Fun| -> Res<Term> {
                let state = ev.fresh("s");
                let term = ev.local(&state);
                let (body, ()) = ev.scoped(|ev| {
                    let value = ev.value(term, &elem)?;
                    let result = f(ev, value)?;
                    Ok((ev.scalar(&result)?.0, ()))
                })?;
                Ok(ev.term(Kind::Lambda(vec![state], body)))
            };
            let (test, step) = (function(ev, &test)?, function(ev, &step)?);
            let result = ev.app("iterateWhile", [test, step, first]);
            let value = ev.value(result, &elem)?;
            ev.shared(&value, "x")
        })))
    })
}
