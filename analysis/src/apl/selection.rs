//! Assignment to selected elements, `(2↑x)←v`: the functions at the left select from the numbers of the elements.

use super::cells::choose;
use super::context::MANY;
use super::names::parts;
use super::operators::Item;
use super::phrase::{array, changes_own, indices, name_item, phrase};
use super::select;
use super::structure::{ravel, reshape, shape};
use super::value::{Arr, Ev, Frame, Kind, Res, Value, fail, not_supported};
use lift_syntax::SyntaxErrorCode::{AplLength, AplPhrase};
use lift_syntax::apl::{AplElement, AplKind, AplNode};
use std::rc::Rc;

/// Assigns to what a selection in brackets selects from the name at its end.
pub fn assigned(ev: &mut Ev, node: &AplNode, value: &Arr, frame: &Rc<Frame>) -> Res<Value> {
    let range = node.text_range();
    let inside: Vec<AplElement> = parts(node);
    let inside = inside.get(1..inside.len().saturating_sub(1)).unwrap_or_default();
    let (own, index) = match inside {
        [.., AplElement::Token(name), AplElement::Node(index)] if index.kind() == AplKind::Index => {
            (inside.len() - 2, Some((name, index)))
        }
        _ => (inside.len().saturating_sub(1), None),
    };
    let name = match (index, inside.last()) {
        (Some((name, _)), _) => name,
        (None, Some(AplElement::Token(name))) => name,
        _ => return fail(AplPhrase, range, "an assignment selects from the name at the end of these brackets"),
    };
    if name.kind() != AplKind::Name {
        return fail(AplPhrase, range, "an assignment selects from the name at the end of these brackets");
    }
    let Item::Arr(old) = name_item(ev, name, frame)? else {
        return fail(AplPhrase, name.text_range(), "only an array has elements to assign to");
    };
    changes_own(name, frame)?;
    if old.kind == Kind::Nested || value.kind == Kind::Nested {
        return not_supported(range, "an assignment to selected elements of an array of arrays");
    }
    ev.at = range;
    let functions = &inside[..own];
    let new = match mask(ev, functions, &old, value, frame)? {
        Some(mask) if index.is_none() => choose(ev, &mask, value, &old)?,
        _ => {
            let flat = ravel(ev, &old)?;
            let numbers = numbers(ev, &flat);
            let like = shape(ev, &old);
            let mut numbers = reshape(ev, &like, &numbers)?.at(name.text_range());
            if let Some((_, index)) = index {
                let indices = indices(ev, index, frame)?;
                numbers = select::index(ev, &numbers, &indices, index.text_range())?;
            }
            let selected = if functions.is_empty() {
                numbers
            } else {
                array(phrase(ev, functions, frame, Some(numbers))?.0, range)?
            };
            if selected.kind > Kind::Int {
                return fail(AplPhrase, range, "an assignment selects elements: this computes other numbers");
            }
            let value = if value.rank() == 0 { value.clone() } else { fitting(ev, value, &selected)? };
            let places = ravel(ev, &selected)?;
            let changed = select::assigned(ev, &flat, &[Some(places)], &value, range)?;
            reshape(ev, &like, &changed)?
        }
    };
    let new = ev.stored(&new.at(name.text_range()))?;
    ev.note(name.text_range(), new.type_text());
    frame.set(name.text(), Value::Arr(new));
    Ok(Value::Arr(value.clone()))
}

/// The numbers of the elements of a vector, as separate values if they are not many.
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

/// The mask of `(mask/x)←v` with one number v, where no place needs to be searched.
fn mask(ev: &mut Ev, functions: &[AplElement], old: &Arr, value: &Arr, frame: &Rc<Frame>) -> Res<Option<Arr>> {
    let [before @ .., AplElement::Token(slash)] = functions else { return Ok(None) };
    if before.is_empty() || !matches!(slash.text(), "/" | "⌿") || value.rank() != 0 || old.rank() != 1 {
        return Ok(None);
    }
    let Value::Arr(mask) = phrase(ev, before, frame, None)?.0 else { return Ok(None) };
    Ok(Some(mask).filter(|mask| mask.kind == Kind::Bool && mask.rank() == 1))
}
