//! Loops over arrays: the state is a list of arrays whose kinds and shapes do not change.

use super::value::{Arr, Ev, Kind, Repr, Res, not_supported};
use crate::front::term::{Kind as TermKind, Term};

/// The components of a tuple, by number.
const PARTS: [&str; 16] = [
    "get1", "get2", "get3", "get4", "get5", "get6", "get7", "get8", "get9", "get10", "get11", "get12", "get13",
    "get14", "get15", "get16",
];

/// The flat arrays of numbers or characters in a nested array.
pub fn leaves(x: &Arr) -> Vec<Arr> {
    match x.boxes() {
        Some(boxes) => boxes.iter().flat_map(leaves).collect(),
        None => vec![x.clone()],
    }
}

/// The array with other leaves, in the same order.
pub fn rebuilt(x: &Arr, leaves: &mut dyn Iterator<Item = Arr>) -> Arr {
    match x.boxes() {
        Some(boxes) => {
            let boxes: Vec<Arr> = boxes.iter().map(|part| rebuilt(part, leaves)).collect();
            Arr { repr: Repr::Boxes(boxes.into()), ..x.clone() }
        }
        None => leaves.next().unwrap_or_else(|| x.clone()),
    }
}

/// Leaves of the same kinds and shapes, with unknown values.
pub fn hollow(ev: &mut Ev, leaves: &[Arr]) -> Res<Vec<Arr>> {
    let one = |ev: &mut Ev, x: &Arr| match x.rank() {
        0 => ev.any(x.kind),
        _ => Ok(Arr { repr: Repr::Stored(ev.fresh("p")), ..x.clone() }),
    };
    leaves.iter().map(|x| one(ev, x)).collect()
}

/// The result of one iteration of a loop.
pub type Iteration<'a> = dyn Fn(&mut Ev, &[Arr]) -> Res<Vec<Arr>> + 'a;

/// The start of a loop, in kinds that hold the results of all iterations, and whether an iteration keeps all shapes.
pub fn steady(ev: &mut Ev, start: &[Arr], step: &Iteration<'_>) -> Res<(Vec<Arr>, bool)> {
    let mut state = start.to_vec();
    for _ in 0..4 {
        let found = ev.probe(|ev| {
            let state = hollow(ev, &state)?;
            step(ev, &state)
        })?;
        let fits = |(now, next): (&Arr, &Arr)| {
            let lengths = now.shape.iter().zip(&next.shape);
            let differ = |(a, b): (&crate::size::Size, &crate::size::Size)| {
                a != b && (a.as_const().is_some() && b.as_const().is_some())
            };
            now.rank() == next.rank()
                && (now.kind == Kind::Char) == (next.kind == Kind::Char)
                && !lengths.clone().any(differ)
        };
        if found.len() != state.len() || !state.iter().zip(&found).all(fits) {
            return Ok((start.to_vec(), false));
        }
        if state.iter().zip(&found).all(|(now, next)| next.kind <= now.kind) {
            break;
        }
        for (now, next) in state.iter_mut().zip(&found) {
            *now = ev.as_kind(now, now.kind.max(next.kind))?;
        }
    }
    Ok((state, true))
}

/// The state as one term.
fn packed(ev: &mut Ev, state: &[Arr]) -> Res<Term> {
    let mut terms = Vec::with_capacity(state.len());
    for x in state {
        if x.kind == Kind::Nested || matches!(x.repr, Repr::Text(_)) || state.len() > PARTS.len() {
            return not_supported(ev.at, "a loop over such an array of arrays");
        }
        let stored = ev.stored(x)?;
        terms.push(match &stored.repr {
            Repr::Stored(bound) => ev.local(bound),
            _ => ev.element(&stored, &[])?,
        });
    }
    Ok(match <[Term; 1]>::try_from(terms) {
        Ok([one]) => one,
        Err(terms) => ev.term(TermKind::Tuple(terms)),
    })
}

/// The state in a term.
fn opened(ev: &mut Ev, term: &Term, like: &[Arr]) -> Res<Vec<Arr>> {
    let mut found = Vec::with_capacity(like.len());
    for (x, part) in like.iter().zip(PARTS) {
        let term = if like.len() == 1 { term.clone() } else { ev.app(part, [term.clone()]) };
        found.push(if x.rank() == 0 {
            ev.of_term(x.kind, term)?
        } else {
            let bound = ev.bind(term, "state")?;
            Arr { repr: Repr::Stored(bound), ..x.clone() }
        });
    }
    Ok(found)
}

/// The result of an iteration, in the kinds and shapes of the state. Lengths not proved equal are checked by the run.
fn fitted(ev: &mut Ev, state: &[Arr], next: &[Arr]) -> Res<Vec<Arr>> {
    let mut found = Vec::with_capacity(state.len());
    for (now, next) in state.iter().zip(next) {
        let next = ev.as_kind(next, now.kind)?;
        let axes: Vec<(usize, usize)> = (0..now.rank()).map(|axis| (axis, axis)).collect();
        let changed = |wanted: &str, found: &str| {
            format!("an iteration keeps the lengths of its argument, but gives {found} for {wanted}")
        };
        found.push(ev.equal_lengths(now, &next, &axes, &changed)?);
    }
    Ok(found)
}

type Test<'a> = &'a dyn Fn(&mut Ev, &[Arr]) -> Res<Term>;
type Step<'a> = &'a dyn Fn(&mut Ev, &[Arr]) -> Res<Vec<Arr>>;

/// Repeats `step` as long as `test` holds.
pub fn repeat_while(ev: &mut Ev, start: &[Arr], test: Test<'_>, step: Step<'_>) -> Res<Vec<Arr>> {
    let first = packed(ev, start)?;
    ev.inner += 1;
    let parts = ev
        .lambda(&["s"], |ev, args| {
            let state = opened(ev, &args[0], start)?;
            test(ev, &state)
        })
        .and_then(|test| Ok((test, body(ev, start, step)?)));
    ev.inner -= 1;
    let (test, body) = parts?;
    let last = ev.app("iterateWhile", [test, body, first]);
    let last = ev.share(last, "end")?;
    opened(ev, &last, start)
}

/// Repeats `step` on one array `n` times.
pub fn repeat(ev: &mut Ev, n: i64, start: &[Arr], step: Step<'_>) -> Res<Vec<Arr>> {
    let first = packed(ev, start)?;
    ev.inner += 1;
    let body = body(ev, start, step);
    ev.inner -= 1;
    let n = ev.size_argument(&crate::size::Size::int(n));
    let last = ev.app("iterate", [n, body?, first]);
    opened(ev, &last, start)
}

fn body(ev: &mut Ev, start: &[Arr], step: Step<'_>) -> Res<Term> {
    ev.lambda(&["s"], |ev, args| {
        let state = opened(ev, &args[0], start)?;
        let next = step(ev, &state)?;
        let next = fitted(ev, start, &next)?;
        packed(ev, &next)
    })
}
