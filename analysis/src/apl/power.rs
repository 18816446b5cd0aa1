//! `f⍣n` and `f⍣g`: unrolled where shapes change or little is computed, otherwise a loop.

use super::loops::{leaves, rebuilt, repeat, repeat_while, start_of};
use super::scalar;
use super::value::{Arr, Between, Ev, Kind, One, Res, fail, not_supported};
use lift_syntax::SyntaxErrorCode::AplDomain;

/// Limit on the unrolled iterations.
const WRITTEN_OUT: i64 = 64;
/// Limit on the unrolled iterations of a function that prints.
const PRINTED: i64 = 4096;

const SHAPE: &str =
    "`⍣` of a function that changes the rank of its argument, or a length of an axis that is not the first,";

/// Applies a function `n` times.
pub fn power(ev: &mut Ev, f: &One, n: &Arr, prints: bool, x: &Arr) -> Res<Arr> {
    let Some(count) = n.scalar().cloned().filter(|n| n.kind <= Kind::Int) else {
        return fail(AplDomain, n.range, "`⍣` needs one whole number");
    };
    if count.known.is_some_and(|n| n < 0.0) {
        return not_supported(n.range, "`⍣` with a negative number");
    }
    let known = count.known.map(|n| n as i64);
    let few = known.is_some_and(|n| n <= 4) || x.known().is_some() && known.is_some_and(|n| n <= WRITTEN_OUT);
    if (prints || few) && known.is_some_and(|n| n <= PRINTED) {
        return written_out(ev, f, known.unwrap_or(0), x);
    }
    if prints {
        return not_supported(n.range, "`⎕←` in a function that `⍣` applies a number of times that the run computes");
    }
    let step = |ev: &mut Ev, state: &[Arr]| {
        let state = rebuilt(x, &mut state.iter().cloned());
        Ok(leaves(&f(ev, &state)?))
    };
    let start = start_of(ev, leaves(x), &step)?;
    // The lengths of what is written out are known, where the first ones are.
    let loops = start.as_ref().is_some_and(|start| start.is_steady() || x.extents().is_none());
    if let Some(n) = known.filter(|n| *n <= WRITTEN_OUT && !loops) {
        return written_out(ev, f, n, x);
    }
    let Some(start) = start else { return not_supported(ev.at, SHAPE) };
    let end = match (known, &start.arrays[..]) {
        (Some(n), [one]) if one.rank() > 0 => repeat(ev, n, &start, &step)?,
        _ => {
            let count = ev.of_scalar(count);
            let count = ev.as_kind(&count, Kind::Int)?;
            let limit = ev.element(&count, &[])?;
            let limit = ev.share(limit, "n")?;
            let zero = ev.known(Kind::Int, 0.0);
            let state = start.after(ev.of_scalar(zero));
            let test = |ev: &mut Ev, state: &[Arr]| {
                let done = ev.element(&state[0], &[])?;
                Ok(ev.app("<", [done, limit.clone()]))
            };
            let counted = |ev: &mut Ev, state: &[Arr]| {
                let done = ev.element(&state[0], &[])?;
                let done = ev.app("+", [done, ev.int(1)]);
                let done = ev.of_term(Kind::Int, done)?;
                Ok([vec![done], step(ev, &state[1..])?].concat())
            };
            repeat_while(ev, &state, &test, &counted)?.split_off(1)
        }
    };
    Ok(rebuilt(x, &mut end.into_iter()))
}

/// Applies a function until `same` holds between the new and the old argument.
pub fn until(ev: &mut Ev, f: &One, same: &Between, x: &Arr) -> Res<Arr> {
    let step = |ev: &mut Ev, state: &[Arr]| {
        let state = rebuilt(x, &mut state.iter().cloned());
        Ok(leaves(&f(ev, &state)?))
    };
    let Some(start) = start_of(ev, leaves(x), &step)? else { return not_supported(ev.at, SHAPE) };
    let yes = ev.known(Kind::Bool, 1.0);
    let state = start.after(ev.of_scalar(yes));
    let test = |ev: &mut Ev, state: &[Arr]| ev.element(&state[0], &[]);
    let next = |ev: &mut Ev, state: &[Arr]| {
        let old = rebuilt(x, &mut state[1..].iter().cloned());
        let new = f(ev, &old)?;
        let new = ev.stored(&new)?;
        let stop = unchanged(ev, same, &new, &old)?;
        if stop.kind != Kind::Bool || stop.rank() != 0 {
            return fail(AplDomain, ev.at, "the right operand of `⍣` gives one Boolean");
        }
        let stop = ev.element(&stop, &[])?;
        let more = ev.app("not", [stop]);
        let more = ev.of_term(Kind::Bool, more)?;
        Ok([vec![more], leaves(&new)].concat())
    };
    let end = repeat_while(ev, &state, &test, &next)?.split_off(1);
    Ok(rebuilt(x, &mut end.into_iter()))
}

/// Relative difference at which two doubles end a loop, because an iteration may alternate between neighbours.
const TOLERANCE: f64 = 1e-14;

/// Whether `same` holds between two values of one loop; `≡` and `=` of doubles with the tolerance.
fn unchanged(ev: &mut Ev, same: &Between, new: &Arr, old: &Arr) -> Res<Arr> {
    let of_doubles = [new, old].iter().all(|x| x.kind == Kind::Double) && new.shape == old.shape;
    let compares = same.glyph == Some('≡') || same.glyph == Some('=') && new.rank() == 0;
    if !of_doubles || !compares {
        return (same.two)(ev, new, old);
    }
    let (x, y) = (super::structure::ravel(ev, new)?, super::structure::ravel(ev, old)?);
    let (x, y) = (ev.ready(&x)?, ev.ready(&y)?);
    let equal = scalar::dyadic(ev, '=', &x, &y)?;
    let difference = scalar::dyadic(ev, '-', &x, &y)?;
    let (difference, x, y) =
        (scalar::monadic(ev, '|', &difference)?, scalar::monadic(ev, '|', &x)?, scalar::monadic(ev, '|', &y)?);
    let greater = scalar::dyadic(ev, '⌈', &x, &y)?;
    let tolerance = ev.known(Kind::Double, TOLERANCE);
    let tolerance = ev.of_scalar(tolerance);
    let allowed = scalar::dyadic(ev, '×', &tolerance, &greater)?;
    let near = scalar::dyadic(ev, '≤', &difference, &allowed)?;
    let alike = scalar::dyadic(ev, '∨', &equal, &near)?;
    super::reduce::reduce(ev, &scalar::between('∧'), false, &alike)
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
