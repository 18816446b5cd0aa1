//! Constant propagation: what a primitive gives for arrays that are known before the run is known as well.

use super::structure::constant_index;
use super::value::{Arr, Ev, Kind, Repr, Res, Scalar};
use crate::front::term::{Kind as TermKind, Term};

/// Limit on the elements of an array that is evaluated element by element.
const MOST: usize = 64;

fn literal(term: &Term) -> Option<f64> {
    match term.kind() {
        TermKind::Int(n) => Some(f64::from(*n)),
        TermKind::Double(x) => Some(*x),
        TermKind::Bool(b) => Some(f64::from(u8::from(*b))),
        _ => None,
    }
}

/// Whether an array is evaluated element by element if its elements are constants.
fn small(arr: &Arr) -> bool {
    let count = arr.extents().and_then(|extents| extents.iter().try_fold(1usize, |all, n| all.checked_mul(*n)));
    count.is_some_and(|count| count <= MOST) && matches!(arr.repr, Repr::Pull(_) | Repr::Stored(_))
}

/// The result of a primitive for known arrays, computed again without storing them: `result` unless that is known.
pub fn attempt(ev: &mut Ev, result: Arr, again: impl FnOnce(&mut Ev) -> Res<Arr>) -> Arr {
    if !small(&result) {
        return result;
    }
    ev.settling = true;
    let known = ev.probe(|ev| again(ev).and_then(|arr| settled(ev, arr)));
    ev.settling = false;
    known.ok().filter(|arr| arr.known().is_some()).unwrap_or(result)
}

/// A small array with its elements as constants, if each of them is one.
pub fn settled(ev: &mut Ev, arr: Arr) -> Res<Arr> {
    let Some(extents) = arr.extents() else { return Ok(arr) };
    let count = extents.iter().try_fold(1usize, |all, extent| all.checked_mul(*extent));
    let Some(count) = count.filter(|count| *count <= MOST) else { return Ok(arr) };
    if !matches!(arr.repr, Repr::Pull(_)) || arr.kind == Kind::Complex {
        return Ok(arr);
    }
    let mut items: Vec<Scalar> = Vec::with_capacity(count);
    for place in 0..count {
        let index = constant_index(ev, place, &extents);
        // An error is reported where the element is used.
        let Some(value) = ev.probe(|ev| ev.element(&arr, &index)).ok().as_ref().and_then(literal) else {
            return Ok(arr);
        };
        items.push(ev.known(arr.kind, value));
    }
    Ok(ev.of_items(arr.kind, arr.shape.clone(), items).at(arr.range))
}
