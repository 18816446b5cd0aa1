//! Pull arrays, computed where they are read, and push arrays, which determine how they are computed.

use super::value::{Elem, Ev, Fun, Int, Interleave, Place, Pull, Push, PushKind, Res, Value, fail, not_supported};
use crate::front::term::{Bound, Kind, Term};
use crate::size::Size;
use lift_syntax::SyntaxErrorCode::FclLength;
use lift_syntax::TextRange;
use std::rc::Rc;

pub fn generate(ev: &Ev, n: &Value, f: &Value) -> Res<Value> {
    let (len, f) = (n.int(ev)?, f.fun(ev)?);
    Ok(Value::Pull(Pull { len, get: Rc::new(move |ev, i| f(ev, Value::Int(i.clone()))) }))
}

pub fn map(ev: &Ev, f: &Value, xs: &Value) -> Res<Value> {
    let (f, xs) = (f.fun(ev)?, xs.pull(ev)?);
    let len = xs.len.clone();
    let get = move |ev: &mut Ev, i: &Int| {
        let element = (xs.get)(ev, i)?;
        f(ev, element)
    };
    Ok(Value::Pull(Pull { len, get: Rc::new(get) }))
}

/// Reads an element; rejects an index that is provably out of bounds.
pub fn index(ev: &mut Ev, xs: &Pull, i: &Int) -> Res<Value> {
    ev.step()?;
    if let (Some(n), Some(i), 0) = (&xs.len.size, &i.size, ev.branches) {
        let negative = ev.facts.lt(i, &Size::zero()).is_yes();
        if negative || ev.facts.le(n, i).is_yes() {
            let message = format!("index {i} is outside of the array, which has {n} elements");
            return fail(FclLength, ev.at, message);
        }
    }
    (xs.get)(ev, i)
}

/// An array that is stored under a name.
pub fn stored(bound: &Bound, len: &Size, elem: Elem, ev: &Ev) -> Pull {
    let bound = bound.clone();
    let get = move |ev: &mut Ev, i: &Int| {
        let term = ev.app("aref", [ev.local(&bound), i.term.clone()]);
        ev.value(term, &elem)
    };
    Pull { len: ev.of_size(len), get: Rc::new(get) }
}

/// An array with one element.
pub fn single(ev: &Ev, value: Value) -> Pull {
    Pull { len: ev.number(1), get: Rc::new(move |_, _| Ok(value.clone())) }
}

pub fn push(ev: &Ev, level: u32, at: TextRange, xs: &Value) -> Res<Value> {
    let kind = Rc::new(PushKind::Pull(xs.pull(ev)?));
    Ok(Value::Push(Push { level, kind, at }))
}

pub fn map_push(ev: &Ev, f: &Value, xs: &Value) -> Res<Value> {
    Ok(Value::Push(mapped(&f.fun(ev)?, &xs.push(ev)?)))
}

/// Applies a function of index and element to an array.
pub fn mapped(f: &Fun, push: &Push) -> Push {
    let f = f.clone();
    let kind = match &*push.kind {
        PushKind::Pull(xs) => {
            let xs = xs.clone();
            let len = xs.len.clone();
            let get = move |ev: &mut Ev, i: &Int| {
                let element = (xs.get)(ev, i)?;
                f(ev, Value::Int(i.clone()))?.fun(ev)?(ev, element)
            };
            PushKind::Pull(Pull { len, get: Rc::new(get) })
        }
        PushKind::Interleave(parts) => {
            let (programs, place) = (parts.programs.clone(), parts.place.clone());
            let get = move |ev: &mut Ev, p: &Int| {
                let program = (programs.get)(ev, p)?.program(ev)?;
                let (f, place, p) = (f.clone(), place.clone(), p.clone());
                let run = move |ev: &mut Ev| {
                    let push = program(ev)?.push(ev)?;
                    let (f, place, p) = (f.clone(), place.clone(), p.clone());
                    let inner: Fun = Rc::new(move |ev, i| {
                        let at = Value::Pair(Rc::new((Value::Int(p.clone()), i)));
                        let at = place(ev, at)?;
                        f(ev, at)
                    });
                    Ok(Value::Push(mapped(&inner, &push)))
                };
                Ok(Value::Program(Rc::new(run)))
            };
            let programs = Pull { len: parts.programs.len.clone(), get: Rc::new(get) };
            PushKind::Interleave(Interleave { programs, ..parts.clone() })
        }
        _ => PushKind::Mapped(f, push.clone()),
    };
    Push { level: push.level, kind: Rc::new(kind), at: push.at }
}

pub fn interleave(ev: &Ev, level: u32, in_order: bool, at: TextRange, args: &[Value]) -> Res<Value> {
    let [n, place, programs] = args else { return not_supported(at, "this `interleave`") };
    let parts = Interleave { in_order, n: n.int(ev)?, place: place.fun(ev)?, programs: programs.pull(ev)? };
    let push = Push { level, kind: Rc::new(PushKind::Interleave(parts)), at };
    Ok(Value::Program(Rc::new(move |ev| {
        ev.unused = false;
        Ok(Value::Push(push.clone()))
    })))
}

pub fn seqfor(ev: &Ev, at: TextRange, args: &[Value]) -> Res<Value> {
    let [size, steps, step] = args else { return not_supported(at, "this `seqfor`") };
    let kind = PushKind::Seqfor { size: size.int(ev)?, steps: steps.int(ev)?, step: step.fun(ev)? };
    Ok(Value::Push(Push { level: 0, kind: Rc::new(kind), at }))
}

pub fn length(ev: &mut Ev, push: &Push) -> Res<Int> {
    match &*push.kind {
        PushKind::Pull(xs) => Ok(xs.len.clone()),
        PushKind::Seqfor { size, .. } => Ok(size.clone()),
        PushKind::Mapped(_, inner) => length(ev, inner),
        PushKind::Interleave(parts) => {
            let (m, n) = (Value::Int(parts.programs.len.clone()), Value::Int(parts.n.clone()));
            super::scalar::binary(ev, "muli", &m, &n)?.int(ev)
        }
    }
}

/// A map over the indices below a length; `body` builds its function.
pub fn over<T>(
    ev: &mut Ev,
    map: &'static str,
    length: &Size,
    inside: Place,
    body: impl FnOnce(&mut Ev, &Int) -> Res<(Term, T)>,
) -> Res<(Term, T)> {
    let (bound, index) = ev.below(if inside == Place::Group { "group" } else { "i" }, length);
    let outside = std::mem::replace(&mut ev.place, inside);
    let result = ev.scoped(|ev| body(ev, &index));
    ev.place = outside;
    let (body, more) = result?;
    ev.spend(&body)?;
    let function = ev.term(Kind::Lambda(vec![bound], body));
    let indices = ev.app("iota", [ev.size_argument(length)]);
    Ok((ev.app(map, [function, indices]), more))
}

pub fn elements(ev: &mut Ev, map: &'static str, xs: &Pull) -> Res<(Term, Elem)> {
    let length = ev.length(&xs.len)?;
    let (term, elem) = over(ev, map, &length, Place::Item, |ev, i| {
        let element = (xs.get)(ev, i)?;
        ev.scalar(&element)
    })?;
    match read_in_order(&term).filter(|_| ev.place == Place::Host) {
        Some(array) => {
            let whole = ev.scanned.get(&array.id) == Some(&length);
            let array = ev.local(&array);
            if whole {
                return Ok((array, elem));
            }
            Ok((ev.app("take", [ev.size_argument(&length), array]), elem))
        }
        None => Ok((term, elem)),
    }
}

/// The stored array that a map copies unchanged and in order.
fn read_in_order(map: &Term) -> Option<Bound> {
    let Kind::Apply(_, args) = map.kind() else { return None };
    let Kind::Lambda(params, body) = args.first()?.kind() else { return None };
    let Kind::Apply(read, at) = body.kind() else { return None };
    match (read.kind(), at.first()?.kind(), at.get(1)?.kind(), params.as_slice()) {
        (Kind::Global("aref"), Kind::Local(array), Kind::Local(index), [own]) if index == own => Some(array.clone()),
        _ => None,
    }
}
