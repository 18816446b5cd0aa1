//! Roll and deal, `?n` and `k?n`: each number is a hash of its index and of the array's number, so that every run and
//! device gives the same ones.

use super::context::FEW;
use super::select::grade;
use super::structure::take;
use super::value::{Arr, Ev, Kind, Res, fail, not_supported, write_instead};
use crate::front::term::{Kind as TermKind, Term};
use crate::size::Size;
use lift_syntax::SyntaxErrorCode::AplDomain;

/// Multipliers and shifts of the finaliser of MurmurHash3.
const FINAL: [(i32, i32); 2] = [(16, 0x85eb_ca6b_u32 as i32), (13, 0xc2b2_ae35_u32 as i32)];
/// 2³² divided by the golden ratio.
const STEP: i32 = 0x9e37_79b9_u32 as i32;

/// The hash of an index and an array's number, from 0 to 2³¹-1.
fn hash(ev: &mut Ev, place: Term, array: u32) -> Res<Term> {
    let start = (array as i32).wrapping_mul(0x51ed_270b).wrapping_add(STEP);
    let mut h = ev.app("+", [ev.app("*", [place, ev.int(STEP)]), ev.int(start)]);
    let mix = |ev: &mut Ev, h: Term, shift: i32| -> Res<Term> {
        let h = ev.share(h, "h")?;
        Ok(ev.app("bitxor", [h.clone(), ev.app("ushr", [h, ev.int(shift)])]))
    };
    for (shift, times) in FINAL {
        h = mix(ev, h, shift)?;
        h = ev.app("*", [h, ev.int(times)]);
    }
    h = mix(ev, h, 16)?;
    Ok(ev.app("ushr", [h, ev.int(1)]))
}

/// A number of at least 0 and below 1.
fn fraction(ev: &mut Ev, place: Term, array: u32) -> Res<Term> {
    let h = hash(ev, place, array)?;
    let whole = ev.app("+", [ev.app("toDouble", [h]), ev.double(0.5)]);
    Ok(ev.app("*", [whole, ev.double(1.0 / 2_147_483_648.0)]))
}

fn next(ev: &mut Ev) -> Res<u32> {
    if ev.inner > 0 {
        let what = "`?` in a function that is applied to each element or again and again";
        return write_instead(ev.at, what, "`?` of a whole array, before it, gives all numbers");
    }
    ev.random += 1;
    Ok(ev.random)
}

/// Roll, `?n`: a whole number up to `n`, or for 0 a number between 0 and 1.
pub fn roll(ev: &mut Ev, x: &Arr) -> Res<Arr> {
    if x.kind > Kind::Int {
        return fail(AplDomain, x.range, "`?` needs whole numbers");
    }
    let index: Vec<Term> = x.shape.iter().map(|_| ev.int(0)).collect();
    let zero = x.shape.iter().all(|n| !n.is_zero()) && {
        let first = ev.probe(|ev| ev.element(x, &index))?;
        match first.kind() {
            TermKind::Int(n) => *n == 0,
            TermKind::Bool(b) => !b,
            _ => false,
        }
    };
    if let Some(known) = x.known()
        && known.iter().any(|n| (*n == 0.0) != zero)
    {
        return not_supported(x.range, "`?` of both 0 and other numbers");
    }
    let array = next(ev)?;
    let (shape, origin) = (x.shape.clone(), ev.origin);
    if zero {
        return made(ev, Kind::Double, shape, move |ev, place, _| fraction(ev, place, array));
    }
    let x = ev.as_kind(x, Kind::Int)?;
    let x = ev.ready(&x)?;
    made(ev, Kind::Int, shape, move |ev, place, index| {
        let part = fraction(ev, place, array)?;
        let most = ev.element(&x, index)?;
        let whole = ev.app("toInt", [ev.app("floor", [ev.app("*", [part, ev.app("toDouble", [most])])])]);
        Ok(ev.plus(whole, ev.int(origin)))
    })
}

/// An array whose elements are functions of their linear index and their index.
fn made(
    ev: &mut Ev,
    kind: Kind,
    shape: Vec<Size>,
    of: impl Fn(&mut Ev, Term, &[Term]) -> Res<Term> + 'static,
) -> Res<Arr> {
    if shape.is_empty() {
        let zero = ev.int(0);
        let term = of(ev, zero, &[])?;
        return ev.of_term(kind, term);
    }
    let own = shape.clone();
    let made = ev.of_pull(kind, shape, move |ev, index| {
        let place = ev.linear(index, &own);
        let place = ev.share(place, "place")?;
        of(ev, place, index)
    });
    // Few elements may be read by name, each by its own formula.
    if made.extents().is_some_and(|extents| extents.iter().product::<usize>() <= FEW) {
        ev.stored(&made)
    } else {
        Ok(made)
    }
}

/// Deal, `k?n`: `k` different numbers up to `n`.
pub fn deal(ev: &mut Ev, k: &Arr, n: &Arr) -> Res<Arr> {
    let size = ev.reify(n, "the right of `?`")?;
    let array = next(ev)?;
    let keys = made(ev, Kind::Double, vec![size], move |ev, place, _| fraction(ev, place, array))?;
    let order = grade(ev, '⍋', &keys)?;
    take(ev, k, &order)
}
