//! Indices with a part for every axis: `m[(1 2)(3 1)]`, `m[⍸m>3]`. Each is converted to a linear index.

use super::structure::ravel;
use super::value::{Arr, Ev, Kind, Res, fail, not_supported};
use crate::front::term::{Kind as TermKind, Term};
use crate::size::Size;
use lift_syntax::SyntaxErrorCode::AplRank;

/// The array as a vector, and the linear indices for such indices; `None` if an index has another form.
pub fn chosen(ev: &mut Ev, x: &Arr, indices: &[Option<Arr>]) -> Res<Option<(Arr, Arr)>> {
    let [Some(i)] = indices else { return Ok(None) };
    if i.kind != Kind::Nested || x.rank() < 2 {
        return Ok(None);
    }
    let rank = x.rank();
    let message = || format!("each of several indices has {rank} numbers for an array of rank {rank}");
    let numbers = if let Some(boxes) = i.boxes().map(<[Arr]>::to_vec) {
        let mut numbers = Vec::with_capacity(boxes.len());
        for one in &boxes {
            if one.shape.len() != 1 || one.shape[0].as_const() != Some(rank as i64) {
                return fail(AplRank, one.range, message());
            }
            let one = ev.whole(one, "an index")?;
            let mut parts = Vec::with_capacity(rank);
            for axis in 0..rank {
                let axis = ev.int(axis as i32);
                parts.push(ev.element(&one, &[axis])?);
            }
            let number = number(ev, x, parts)?;
            numbers.push(ev.of_term(Kind::Int, number)?);
        }
        super::nested::collect(ev, i.shape.clone(), &numbers)?
    } else if let Some(rows) = i.rows().cloned() {
        let fits = rows.rank == 1 && rows.kind <= Kind::Int;
        if !fits || rows.shape.as_ref().is_none_or(|shape| shape[0].as_const() != Some(rank as i64)) {
            return fail(AplRank, i.range, message());
        }
        let of = x.clone();
        ev.of_pull(Kind::Int, i.shape.clone(), move |ev, at| {
            let row = (rows.row)(ev, &at[0])?;
            let mut parts = Vec::with_capacity(rank);
            for axis in 0..rank {
                let axis = ev.int(axis as i32);
                parts.push(ev.element(&row, &[axis])?);
            }
            number(ev, &of, parts)
        })
    } else {
        return not_supported(i.range, "an index of this kind");
    };
    Ok(Some((ravel(ev, x)?, numbers.at(i.range))))
}

/// The linear index, in row-major order and counted from `⎕IO`, of an index with a part for each axis.
fn number(ev: &mut Ev, x: &Arr, parts: Vec<Term>) -> Res<Term> {
    let from = ev.int(ev.origin);
    let mut places = Vec::with_capacity(parts.len());
    for (part, extent) in parts.into_iter().zip(&x.shape) {
        let place = ev.minus(part, from.clone());
        places.push(existing(ev, extent, place));
    }
    let number = ev.linear(&places, &x.shape);
    Ok(ev.plus(number, from))
}

/// Checks an index along an axis; the run stops if it is out of range.
pub fn existing(ev: &Ev, extent: &Size, place: Term) -> Term {
    match (place.kind(), extent.as_const()) {
        (TermKind::Int(at), Some(n)) if (0..n).contains(&i64::from(*at)) => place,
        _ => {
            let all = ev.app("iota", [ev.size_argument(extent)]);
            ev.app("aref", [all, place]).worded(ev.outside())
        }
    }
}
