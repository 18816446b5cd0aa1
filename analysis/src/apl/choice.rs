//! Separate arrays as the rows of a vector, one of which the run selects.

use super::value::{Arr, Ev, Kind, Repr, Res, Rows, Scalar, fail};
use crate::front::term::Term;
use lift_syntax::SyntaxErrorCode::AplIndex;
use std::rc::Rc;

/// Description of a row's length in messages.
pub const ROW_LENGTH: &str = "the length of one array of several";

/// The element at `index` of array `which` of `parts`, selected by binary search.
pub fn one_of(ev: &mut Ev, parts: &[Arr], which: &Term, from: usize, index: &[Term]) -> Res<Term> {
    match parts {
        [] => fail(AplIndex, ev.at, "an empty array has no elements"),
        [one] => ev.element(one, index),
        _ => {
            let half = parts.len() / 2;
            let condition = ev.less(which.clone(), ev.int((from + half) as i32));
            ev.branches(
                condition,
                |ev| one_of(ev, &parts[..half], which, from, index),
                |ev| one_of(ev, &parts[half..], which, from + half, index),
            )
        }
    }
}

/// Converts a vector of separate arrays to rows, so that an index computed at run time can select one. `None` unless
/// all are vectors of numbers, or all of characters.
pub fn selectable(ev: &mut Ev, x: &Arr) -> Res<Option<Arr>> {
    let Some(boxes) = x.boxes().filter(|boxes| x.rank() == 1 && !boxes.is_empty()).map(<[Arr]>::to_vec) else {
        return Ok(None);
    };
    let characters = boxes[0].kind == Kind::Char;
    let plain = |part: &Arr| {
        part.rank() == 1
            && !matches!(part.repr, Repr::Text(_))
            && part.kind <= Kind::Char
            && (part.kind == Kind::Char) == characters
    };
    if !boxes.iter().all(plain) {
        return Ok(None);
    }
    let kind = boxes.iter().map(|part| part.kind).max().unwrap_or(Kind::Int);
    let mut parts = Vec::with_capacity(boxes.len());
    for part in &boxes {
        let part = ev.as_kind(part, kind)?;
        parts.push(ev.ready(&part)?);
    }
    let lengths: Vec<Scalar> = parts.iter().map(|part| ev.length(&part.shape[0])).collect();
    let lengths = ev.vector(Kind::Int, lengths);
    let lengths = ev.ready(&lengths)?;
    let same = parts.iter().all(|part| part.shape == parts[0].shape).then(|| parts[0].shape.clone());
    let (count, shape) = (x.shape[0].clone(), same.clone());
    let row = move |ev: &mut Ev, i: &Term| {
        // An index from outside stops the run.
        let all = ev.size_argument(&count);
        let all = ev.app("iota", [all]);
        let i = ev.app("aref", [all, i.clone()]).worded(ev.outside());
        let i = ev.share(i, "which")?;
        let shape = match &shape {
            Some(shape) => shape.clone(),
            None => {
                let length = ev.element(&lengths, std::slice::from_ref(&i))?;
                let length = ev.of_term(Kind::Int, length)?;
                vec![ev.reify(&length, ROW_LENGTH)?]
            }
        };
        let parts = parts.clone();
        Ok(ev.of_pull(kind, shape, move |ev, index| one_of(ev, &parts, &i, 0, index)))
    };
    let rows = Rows { kind, rank: 1, shape: same, stored: false, row: Rc::new(row) };
    Ok(Some(Arr { repr: Repr::Rows(rows), ..x.clone() }))
}
