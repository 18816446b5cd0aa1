//! `⌹`: systems of equations, by Gauss's and Jordan's elimination with the greatest pivot of each column. A matrix that is
//! not square is solved by its normal equations, which gives the least squares.

use super::loops::{Start, repeat_while};
use super::scalar::{between, dyadic, monadic};
use super::value::{Arr, Ev, Kind, Repr, Res, fail, not_supported};
use super::{reduce, sets, turned};
use crate::front::term::Term;
use crate::size::Size;
use lift_syntax::SyntaxErrorCode::{AplLength, AplRank};

/// `⌹a`
pub fn inverse(ev: &mut Ev, a: &Arr) -> Res<Arr> {
    match &a.shape[..] {
        [] => monadic(ev, '÷', a),
        [_] => {
            let square = reduce::inner(ev, &between('+'), &between('×'), a, a)?;
            dyadic(ev, '÷', a, &square)
        }
        [rows, _] => {
            let shape = vec![rows.clone(), rows.clone()];
            let identity = ev.of_pull(Kind::Double, shape, |ev, index| {
                let on = ev.app("=", [index[0].clone(), index[1].clone()]);
                Ok(ev.choose(on, ev.double(1.0), ev.double(0.0)))
            });
            divide(ev, &identity.at(a.range), a)
        }
        _ => fail(AplRank, a.range, "`⌹` needs a matrix, a vector or a number"),
    }
}

/// `b⌹a`
pub fn divide(ev: &mut Ev, b: &Arr, a: &Arr) -> Res<Arr> {
    if a.rank() == 0 {
        return dyadic(ev, '÷', b, a);
    }
    if a.rank() > 2 || !matches!(b.rank(), 1 | 2) {
        let range = if a.rank() > 2 { a.range } else { b.range };
        return fail(AplRank, range, "`⌹` needs vectors or matrices");
    }
    if a.kind.max(b.kind) > Kind::Double {
        return not_supported(ev.at, "`⌹` of anything but real numbers");
    }
    let b = ev.conform(a, b, &[(0, 0)], "`⌹`")?;
    if a.rank() == 1 {
        let along = reduce::inner(ev, &between('+'), &between('×'), a, &b)?;
        let square = reduce::inner(ev, &between('+'), &between('×'), a, a)?;
        return dyadic(ev, '÷', &along, &square);
    }
    let (a, b) = (ev.as_kind(a, Kind::Double)?, ev.as_kind(&b, Kind::Double)?);
    if a.shape[0] == a.shape[1] {
        return solved(ev, &a, &b);
    }
    if let (Some(rows), Some(columns)) = (a.shape[0].as_const(), a.shape[1].as_const())
        && rows < columns
    {
        let message = format!("`⌹` needs at least as many rows as columns, but there are {rows} and {columns}");
        return fail(AplLength, a.range, message);
    }
    let (a, b) = (ev.stored(&a)?, ev.stored(&b)?);
    let across = turned::transpose(ev, &a)?;
    let right = reduce::inner(ev, &between('+'), &between('×'), &across, &b)?;
    let left = reduce::inner(ev, &between('+'), &between('×'), &across, &a)?;
    solved(ev, &left, &right)
}

/// The solution of `a+.×x` equal to `b`, where `a` is square.
fn solved(ev: &mut Ev, a: &Arr, b: &Arr) -> Res<Arr> {
    let n = a.shape[0].clone();
    let width = b.shape.get(1).cloned().unwrap_or_else(Size::one);
    let (left, right, before) = (ev.stored(a)?, ev.stored(b)?, n.clone());
    let both = ev.of_pull(Kind::Double, vec![n.clone(), n.add(&width)], move |ev, index| {
        let border = ev.size_term(&before);
        let is_left = ev.app("<", [index[1].clone(), border.clone()]);
        ev.branches(
            is_left,
            |ev| ev.element(&left, index),
            |ev| {
                if right.rank() == 1 {
                    return ev.element(&right, &index[..1]);
                }
                let column = ev.app("-", [index[1].clone(), border]);
                ev.element(&right, &[index[0].clone(), column])
            },
        )
    });
    let zero = ev.known(Kind::Int, 0.0);
    let start = Start::steady(vec![ev.of_scalar(zero), ev.stored(&both)?]);
    let test = |ev: &mut Ev, state: &[Arr]| {
        let k = ev.element(&state[0], &[])?;
        Ok(ev.app("<", [k, ev.size_term(&n)]))
    };
    let end = repeat_while(ev, &start, &test, &|ev, state| eliminated(ev, &state[0], &state[1], &n))?;
    let Some(last) = end.last().cloned() else { return Ok(b.clone()) };
    let left = n.clone();
    Ok(ev.of_pull(Kind::Double, b.shape.clone(), move |ev, index| {
        let before = ev.size_term(&left);
        let column = index.get(1).cloned().unwrap_or_else(|| ev.int(0));
        let column = ev.app("+", [before, column]);
        ev.element(&last, &[index[0].clone(), column])
    }))
}

/// One elimination step: swaps the pivot row into place and subtracts its multiples from all other rows.
fn eliminated(ev: &mut Ev, column: &Arr, both: &Arr, n: &Size) -> Res<Vec<Arr>> {
    let k = ev.element(column, &[])?;
    let k = ev.share(k, "k")?;
    let candidates = ev.of_pull(Kind::Double, vec![n.clone()], {
        let (both, k) = (both.clone(), k.clone());
        move |ev, index| {
            let element = ev.element(&both, &[index[0].clone(), k.clone()])?;
            let below = ev.app(">=", [index[0].clone(), k.clone()]);
            Ok(ev.choose(below, ev.app("abs", [element]), ev.double(-1.0)))
        }
    });
    let candidates = ev.stored(&candidates)?;
    let greatest = reduce::reduce(ev, &between('⌈'), false, &candidates)?;
    let greatest = Arr { repr: Repr::Items([scalar(ev, &greatest)?].into()), ..greatest };
    let place = sets::index_of(ev, &candidates, &greatest)?;
    let place = ev.element(&place, &[])?;
    let place = ev.app("-", [place, ev.int(ev.origin)]);
    // No element equals the greatest one where some are not numbers.
    let pivot = ev.app("min", [place, ev.app("-", [ev.size_term(n), ev.int(1)])]);
    let pivot = ev.share(pivot, "p")?;
    let row = ev.of_pull(Kind::Double, vec![both.shape[1].clone()], {
        let (both, k, pivot) = (both.clone(), k.clone(), pivot.clone());
        move |ev, index| {
            let element = ev.element(&both, &[pivot.clone(), index[0].clone()])?;
            let first = ev.element(&both, &[pivot.clone(), k.clone()])?;
            Ok(ev.app("/", [element, first]))
        }
    });
    let row = ev.stored(&row)?;
    let next = ev.of_pull(Kind::Double, both.shape.clone(), {
        let (both, k) = (both.clone(), k.clone());
        move |ev, index| {
            let is = |ev: &Ev, place: &Term| ev.app("=", [index[0].clone(), place.clone()]);
            let other = ev.choose(is(ev, &pivot), k.clone(), index[0].clone());
            let from = ev.choose(is(ev, &k), pivot.clone(), other);
            let from = ev.share(from, "i")?;
            let element = ev.element(&both, &[from.clone(), index[1].clone()])?;
            let first = ev.element(&both, &[from, k.clone()])?;
            let own = ev.choose(is(ev, &k), ev.double(1.0), ev.double(0.0));
            let times = ev.app("-", [first, own]);
            let part = ev.element(&row, &index[1..])?;
            Ok(ev.app("-", [element, ev.app("*", [times, part])]))
        }
    });
    let following = ev.app("+", [k, ev.int(1)]);
    Ok(vec![ev.of_term(Kind::Int, following)?, ev.stored(&next)?])
}

fn scalar(ev: &mut Ev, arr: &Arr) -> Res<super::value::Scalar> {
    let term = ev.element(arr, &[])?;
    let term = ev.share(term, "s")?;
    Ok(super::value::Scalar { kind: arr.kind, term, known: None, size: None })
}
