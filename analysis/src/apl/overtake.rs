//! Take beyond an end of a vector of arrays. Each missing element is the first one with zeros or blanks for its elements.

use super::context::MANY;
use super::counted::Counted;
use super::value::{Arr, Ev, Kind, Repr, Res, Rows, fail, not_supported};
use crate::front::term::Term;
use crate::size::Size;
use lift_syntax::SyntaxErrorCode::AplDomain;
use std::rc::Rc;

/// `count` arrays of a vector of them.
pub fn of_arrays(ev: &mut Ev, count: &Size, counted: &Counted, x: &Arr) -> Res<Arr> {
    if x.rank() != 1 {
        return not_supported(ev.at, "`↑` beyond an end of a matrix of arrays");
    }
    if let Some(boxes) = x.boxes().map(<[Arr]>::to_vec) {
        return of_boxes(ev, count, counted, x, boxes);
    }
    let Some(rows) = x.rows().cloned() else { return not_supported(ev.at, "`↑` of such arrays") };
    let (have, kind, wanted) = (x.shape[0].clone(), rows.kind, count.clone());
    let (inner, counted) = (rows.row.clone(), counted.clone());
    let row = move |ev: &mut Ev, i: &Term| {
        let place = ev.plus(i.clone(), counted.begin(ev, &have, &wanted));
        let place = ev.share(place, "i")?;
        let inside = counted.exists(ev, &place, &have);
        let inside = ev.share(inside, "inside")?;
        let first = ev.int(0);
        let row = inner(ev, &ev.choose(inside.clone(), place, first))?;
        let blank = ev.known(kind, kind.fill()).term;
        let shape = row.shape.clone();
        Ok(ev.of_pull(kind, shape, move |ev, index| {
            ev.branches(inside.clone(), |ev| ev.element(&row, index), |_| Ok(blank.clone()))
        }))
    };
    let rows = Rows { row: Rc::new(row), stored: false, ..rows };
    Ok(Arr { kind: Kind::Nested, shape: vec![count.clone()], repr: Repr::Rows(rows), range: ev.at })
}

fn of_boxes(ev: &mut Ev, count: &Size, counted: &Counted, x: &Arr, mut boxes: Vec<Arr>) -> Res<Arr> {
    let Some(wanted) = count.as_const().and_then(|n| usize::try_from(n).ok()).filter(|n| *n <= MANY) else {
        return match super::choice::selectable(ev, x)? {
            Some(rows) => of_arrays(ev, count, counted, &rows),
            None => not_supported(ev.at, "`↑` of arrays of different kinds, by a number that the run computes,"),
        };
    };
    let Some(blank) = boxes.first().map(|first| blank(ev, first)) else {
        return fail(AplDomain, ev.at, "an empty array does not determine what `↑` adds");
    };
    let missing = vec![blank?; wanted.saturating_sub(boxes.len())];
    if matches!(counted, Counted::FromEnd) {
        boxes.splice(0..0, missing);
    } else {
        boxes.extend(missing);
    }
    let shape = vec![count.clone()];
    Ok(Arr { kind: Kind::Nested, shape, repr: Repr::Boxes(boxes.into()), range: ev.at })
}

/// An array with zeros or blanks for its elements.
fn blank(ev: &mut Ev, x: &Arr) -> Res<Arr> {
    if let Some(boxes) = x.boxes().map(<[Arr]>::to_vec) {
        let boxes = boxes.iter().map(|part| blank(ev, part)).collect::<Res<Vec<Arr>>>()?;
        return Ok(Arr { repr: Repr::Boxes(boxes.into()), ..x.clone() });
    }
    if x.rows().is_some() || matches!(x.repr, Repr::Text(_)) {
        return not_supported(ev.at, "`↑` beyond an end of such arrays");
    }
    let one = ev.known(x.kind, x.kind.fill());
    if let Some(items) = x.items() {
        return Ok(ev.of_items(x.kind, x.shape.clone(), vec![one; items.len()]));
    }
    Ok(ev.of_pull(x.kind, x.shape.clone(), move |_, _| Ok(one.term.clone())))
}
