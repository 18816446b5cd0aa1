//! Assignment to selected elements, `(2↑x)←v`: the expression on the left, evaluated on linear indices instead of the
//! elements, gives the indices to assign to.

use super::cells::choose;
use super::context::MANY;
use super::select;
use super::structure::{ravel, reshape, shape};
use super::value::{Arr, Ev, Kind, Res, Value, fail, not_supported};
use lift_syntax::SyntaxErrorCode::{AplLength, AplPhrase};
use lift_syntax::TextRange;
use lift_syntax::apl::{AplElement, AplKind, AplNode, AplToken};

/// An array, some of its elements, and the functions that select from them.
pub struct Target<'a> {
    pub old: Arr,
    pub indices: Option<(Vec<Option<Arr>>, TextRange)>,
    pub functions: &'a [AplElement],
    pub range: TextRange,
}

/// The value of a phrase with an array at its right.
pub type Evaluate<'a> = &'a dyn Fn(&mut Ev, &[AplElement], Option<Arr>) -> Res<Value>;

/// A name with its index, and the functions before them.
type Parts<'p> = (&'p AplToken, Option<&'p AplNode>, &'p [AplElement]);

/// The parts of a selection in brackets; `None` if there is no name at its end.
pub fn parts_of(brackets: &[AplElement]) -> Option<Parts<'_>> {
    let inside = brackets.get(1..brackets.len().checked_sub(1)?)?;
    let found = match inside {
        [functions @ .., AplElement::Token(name), AplElement::Node(index)] if index.kind() == AplKind::Index => {
            (name, Some(index), functions)
        }
        [functions @ .., AplElement::Token(name)] => (name, None, functions),
        _ => return None,
    };
    Some(found).filter(|(name, ..)| name.kind() == AplKind::Name)
}

/// The array with the selected elements replaced.
pub fn assigned(ev: &mut Ev, target: &Target<'_>, value: &Arr, evaluate: Evaluate<'_>) -> Res<Arr> {
    let Target { old, range, .. } = target;
    if old.kind == Kind::Nested || value.kind == Kind::Nested {
        return not_supported(*range, "an assignment to selected elements of an array of arrays");
    }
    ev.at = *range;
    if target.indices.is_none()
        && let Some(mask) = mask(ev, target, value, evaluate)?
    {
        let new = choose(ev, &mask, value, old)?;
        return ev.stored(&new);
    }
    let flat = ravel(ev, old)?;
    let numbers = numbers(ev, &flat);
    let like = shape(ev, old);
    let mut selected = reshape(ev, &like, &numbers)?;
    if let Some((indices, at)) = &target.indices {
        selected = select::index(ev, &selected, indices, *at)?;
    }
    if !target.functions.is_empty() {
        let Value::Arr(found) = evaluate(ev, target.functions, Some(selected))? else {
            return fail(AplPhrase, *range, "an assignment selects elements: this is a function");
        };
        selected = found;
    }
    if selected.kind > Kind::Int {
        return fail(AplPhrase, *range, "an assignment selects elements: this computes other numbers");
    }
    let value = if value.rank() == 0 { value.clone() } else { fitting(ev, value, &selected)? };
    let places = ravel(ev, &selected)?;
    let changed = select::assigned(ev, &flat, &[Some(places)], &value, *range)?;
    let changed = reshape(ev, &like, &changed)?;
    ev.stored(&changed)
}

/// The indices of a vector's elements, as separate values if there are few.
fn numbers(ev: &mut Ev, flat: &Arr) -> Arr {
    let origin = ev.origin;
    if let Some(count) = flat.shape[0].as_const().filter(|n| (0..=MANY as i64).contains(n)) {
        let items = (0..count as i32).map(|i| ev.known(Kind::Int, f64::from(i + origin))).collect();
        return ev.vector(Kind::Int, items);
    }
    ev.of_pull(Kind::Int, flat.shape.clone(), move |ev, at| Ok(ev.plus(at[0].clone(), ev.int(origin))))
}

/// The elements of an assigned array in the order of the selected ones.
fn fitting(ev: &mut Ev, value: &Arr, selected: &Arr) -> Res<Arr> {
    if value.rank() != selected.rank() {
        let message = format!("an array of rank {} is assigned to elements of rank {}", value.rank(), selected.rank());
        return fail(AplLength, value.range, message);
    }
    let axes: Vec<(usize, usize)> = (0..value.rank()).map(|axis| (axis, axis)).collect();
    let value = ev.conform(selected, value, &axes, "an assignment to elements")?;
    ravel(ev, &value)
}

/// The mask of `(mask/x)←v` with a scalar v, which needs no search for indices.
fn mask(ev: &mut Ev, target: &Target<'_>, value: &Arr, evaluate: Evaluate<'_>) -> Res<Option<Arr>> {
    let [before @ .., AplElement::Token(slash)] = target.functions else { return Ok(None) };
    let compresses = slash.text().chars().all(|glyph| matches!(glyph, '/' | '⌿'));
    if before.is_empty() || !compresses || value.rank() != 0 || target.old.rank() != 1 {
        return Ok(None);
    }
    let Value::Arr(mask) = evaluate(ev, before, None)? else { return Ok(None) };
    Ok(Some(mask).filter(|mask| mask.kind == Kind::Bool && mask.rank() == 1))
}
