//! Constant propagation: primitives applied to arrays that are known before the run.

use super::structure::constant_index;
use super::value::{Arr, Ev, Kind, Repr, Res, Scalar, fail};
use crate::front::term::{Kind as TermKind, Term};
use lift_syntax::SyntaxErrorCode::AplDomain;

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

/// The value, if it is a whole number that fits an Int.
fn whole(x: f64) -> Option<f64> {
    (x.fract() == 0.0 && x >= f64::from(i32::MIN) && x <= f64::from(i32::MAX)).then_some(x)
}

impl Ev {
    /// An array as whole numbers: Booleans, integers, or doubles that are known to be whole, such as `6÷2`.
    pub fn whole(&mut self, x: &Arr, what: &str) -> Res<Arr> {
        if x.kind <= Kind::Int {
            return self.as_kind(x, Kind::Int);
        }
        let known = x.known().filter(|_| x.kind == Kind::Double);
        if let Some(known) = known.and_then(|known| known.into_iter().map(whole).collect::<Option<Vec<f64>>>()) {
            let items = known.into_iter().map(|n| self.known(Kind::Int, n)).collect();
            return Ok(self.of_items(Kind::Int, x.shape.clone(), items).at(x.range));
        }
        let advice = if x.kind == Kind::Double { ": `⌊` makes one" } else { "" };
        fail(AplDomain, x.range, format!("{what} must be a whole number, not {}{advice}", x.kind.name()))
    }
}

/// Whether an array is evaluated element by element if its elements are constants.
fn small(arr: &Arr) -> bool {
    let count = arr.extents().and_then(|extents| extents.iter().try_fold(1usize, |all, n| all.checked_mul(*n)));
    count.is_some_and(|count| count <= MOST) && matches!(arr.repr, Repr::Pull(_) | Repr::Stored(_))
}

/// Evaluates a primitive on known arrays again without storing them. Returns `result` if some element is not a
/// constant.
pub fn attempt(ev: &mut Ev, result: Arr, again: impl FnOnce(&mut Ev) -> Res<Arr>) -> Arr {
    if !small(&result) {
        return result;
    }
    ev.settling = true;
    let known = ev.probe(|ev| again(ev).and_then(|arr| settled(ev, arr)));
    ev.settling = false;
    known.ok().filter(|arr| arr.known().is_some()).unwrap_or(result)
}

/// Replaces the elements of a small array by constants, if all of them are.
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
