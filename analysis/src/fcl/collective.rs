//! Folds and scans by all work-items of the device, `reduceGrid` and `scanGrid`: the schedule decides how work is divided.

use super::arrays::{elements, stored};
use super::value::{Elem, Ev, Fun, Place, Res, Value};
use crate::front::term::{Kind, Term};
use lift_syntax::TextRange;
use std::rc::Rc;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Collective {
    Reduce,
    Scan,
}

/// The program that folds or scans an array.
pub fn program(ev: &Ev, what: Collective, at: TextRange, args: &[Value]) -> Res<Value> {
    let (f, start, xs) = (args[0].fun(ev)?, args[1].clone(), args[2].pull(ev)?);
    Ok(Value::Program(Rc::new(move |ev| {
        ev.unused = false;
        ev.at = at;
        let (start, elem) = ev.scalar(&start)?;
        let (array, _) = elements(ev, "map", &xs)?;
        let function = between(ev, &f, &elem)?;
        let length = ev.length(&xs.len)?;
        match what {
            Collective::Reduce => {
                let folded = ev.app("reduce", [start, function, array]);
                let head = ev.app("head", [folded]);
                let bound = ev.bind(head, "whole")?;
                ev.becomes(at, format!("`reduce` over {length} elements, by all work-items"));
                ev.value(ev.local(&bound), &elem)
            }
            Collective::Scan => {
                let scanned = ev.app("scan", [start, function, array]);
                let bound = ev.bind(scanned, "scanned")?;
                ev.scanned.insert(bound.id, length.clone());
                ev.becomes(at, format!("`scan` over {length} elements, by all work-items"));
                Ok(Value::Pull(stored(&bound, &length, elem, ev)))
            }
        }
    })))
}

/// The operation on two elements as a Lift lambda.
fn between(ev: &mut Ev, f: &Fun, elem: &Elem) -> Res<Term> {
    let (a, b) = (ev.fresh("a"), ev.fresh("b"));
    let (one, other) = (ev.local(&a), ev.local(&b));
    let outside = std::mem::replace(&mut ev.place, Place::Item);
    let body = ev.scoped(|ev| {
        let (one, other) = (ev.value(one, elem)?, ev.value(other, elem)?);
        let applied = f(ev, one)?.fun(ev)?;
        let value = applied(ev, other)?;
        Ok((ev.scalar(&value)?.0, ()))
    });
    ev.place = outside;
    Ok(ev.term(Kind::Lambda(vec![a, b], body?.0)))
}
