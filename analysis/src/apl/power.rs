//! `f⍣n`: unrolled where shapes change or little is computed, otherwise a loop.

use super::reduce::One;
use super::value::{Arr, Ev, Kind, Repr, Res, fail, not_supported};
use lift_syntax::SyntaxErrorCode::AplDomain;

/// Limit on the unrolled iterations.
const WRITTEN_OUT: i64 = 64;

/// Applies a function `n` times.
pub fn power(ev: &mut Ev, f: &One, n: &Arr, prints: bool, x: &Arr) -> Res<Arr> {
    let Some(count) = n.scalar().cloned().filter(|n| n.kind <= Kind::Int) else {
        return fail(AplDomain, n.range, "`⍣` wants one whole number");
    };
    if count.known.is_some_and(|n| n < 0.0) {
        return not_supported(n.range, "`⍣` with a negative number");
    }
    let known = count.known.map(|n| n as i64);
    let few = known.is_some_and(|n| n <= 4) || x.known().is_some() && known.is_some_and(|n| n <= WRITTEN_OUT);
    if (prints || few) && known.is_some_and(|n| n <= 4096) {
        return written_out(ev, f, known.unwrap_or(0), x);
    }
    if prints {
        return not_supported(n.range, "`⎕←` in a function that `⍣` applies a number of times that the run computes");
    }
    // Find a kind that can hold both the argument and the result.
    let mut kind = x.kind;
    let mut same = true;
    for _ in 0..3 {
        let found = ev.probe(|ev| {
            let state = hollow(ev, x, kind);
            f(ev, &state)
        })?;
        same = found.shape == x.shape;
        if found.kind <= kind {
            break;
        }
        kind = found.kind;
    }
    if !same {
        return match known.filter(|n| *n <= WRITTEN_OUT) {
            Some(n) => written_out(ev, f, n, x),
            None => not_supported(ev.at, "`⍣` of a function that changes the shape of its argument"),
        };
    }
    let x = ev.as_kind(x, kind)?;
    if x.rank() == 0 {
        return of_scalar(ev, f, &count.term.clone(), count.kind, kind, &x);
    }
    let x = ev.stored(&x)?;
    let Repr::Stored(start) = &x.repr else { return Ok(x) };
    let start = ev.local(start);
    let step = |ev: &mut Ev, state: crate::front::term::Term| {
        let state = ev.bind(state, "state")?;
        let state = Arr { repr: Repr::Stored(state), ..x.clone() };
        let next = f(ev, &state)?;
        let next = ev.as_kind(&next, kind)?;
        let next = ev.stored(&next)?;
        let Repr::Stored(next) = &next.repr else { return not_supported(ev.at, "this `⍣`") };
        Ok(ev.local(next))
    };
    ev.inner += 1;
    let result = match known {
        Some(n) => ev.lambda(&["state"], |ev, args| step(ev, args[0].clone())).map(|body| {
            let n = ev.size_argument(&crate::size::Size::int(n));
            ev.app("iterate", [n, body, start])
        }),
        None => counted(ev, &count.term, count.kind, start, step),
    };
    ev.inner -= 1;
    let bound = ev.bind(result?, "a")?;
    Ok(Arr { repr: Repr::Stored(bound), range: ev.at, ..x })
}

fn hollow(ev: &mut Ev, x: &Arr, kind: Kind) -> Arr {
    if x.rank() == 0 {
        return ev.any(kind);
    }
    let bound = ev.fresh("p");
    Arr { kind, repr: Repr::Stored(bound), ..x.clone() }
}

fn written_out(ev: &mut Ev, f: &One, n: i64, x: &Arr) -> Res<Arr> {
    let mut state = x.clone();
    for _ in 0..n {
        let next = f(ev, &state)?;
        // Store a computed state, so that later iterations do not compute it again.
        state = if next.items().is_some() { next } else { ev.stored(&next)? };
    }
    Ok(state)
}

type Term = crate::front::term::Term;

fn of_scalar(ev: &mut Ev, f: &One, n: &Term, n_kind: Kind, kind: Kind, x: &Arr) -> Res<Arr> {
    let start = ev.element(x, &[])?;
    ev.inner += 1;
    let result = counted(ev, n, n_kind, start, |ev, state| {
        let state = ev.of_term(kind, state)?;
        let next = f(ev, &state)?;
        let next = ev.as_kind(&next, kind)?;
        ev.element(&next, &[])
    });
    ev.inner -= 1;
    ev.of_term(kind, result?)
}

/// A loop whose state includes a counter.
fn counted(
    ev: &mut Ev,
    n: &Term,
    n_kind: Kind,
    start: Term,
    step: impl FnOnce(&mut Ev, Term) -> Res<Term>,
) -> Res<Term> {
    let n = ev.convert(n.clone(), n_kind, Kind::Int);
    let n = ev.share(n, "n")?;
    let test = ev.lambda(&["s"], |ev, args| Ok(ev.app("<", [ev.app("get1", [args[0].clone()]), n])))?;
    let body = ev.lambda(&["s"], |ev, args| {
        let state = ev.app("get2", [args[0].clone()]);
        let state = ev.share(state, "x")?;
        let next = step(ev, state)?;
        let count = ev.app("+", [ev.app("get1", [args[0].clone()]), ev.int(1)]);
        Ok(ev.term(crate::front::term::Kind::Tuple(vec![count, next])))
    })?;
    let start = ev.term(crate::front::term::Kind::Tuple(vec![ev.int(0), start]));
    Ok(ev.app("get2", [ev.app("iterateWhile", [test, body, start])]))
}
