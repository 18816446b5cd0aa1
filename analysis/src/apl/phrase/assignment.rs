//! Assignment to names, to elements, and by a function.

use super::{Act, after, array, changes_own, indices, name_item, named, quad, selected, several, single};
use crate::apl::apply::apply;
use crate::apl::names::parts;
use crate::apl::operators::Item;
use crate::apl::select;
use crate::apl::value::{Ev, Frame, Repr, Res, Value, fail};
use lift_syntax::SyntaxErrorCode::AplPhrase;
use lift_syntax::TextRange;
use lift_syntax::apl::{AplElement, AplKind, AplNode, AplToken};
use std::rc::Rc;

/// The right argument of a function.
const RIGHT: &str = "⍵";

fn argument_is_kept<T>(own: &AplToken) -> Res<T> {
    fail(AplPhrase, own.text_range(), "`⍵` keeps its value in a function: `x←…` gives the new value a name")
}

/// Evaluates `target ← value`, and then the rest of the phrase to the left of the target.
pub(super) fn assignment(
    ev: &mut Ev,
    before: &[AplElement],
    arrow: TextRange,
    value: Value,
    frame: &Rc<Frame>,
) -> Res<(Value, Act)> {
    let Some((target, rest)) = before.split_last() else {
        return fail(AplPhrase, arrow, "`←` needs a name on its left");
    };
    let (value, rest, act) = match target {
        AplElement::Token(token) if token.kind() == AplKind::Name => {
            if let Some(AplElement::Token(other)) = rest.last()
                && matches!(other.kind(), AplKind::Name | AplKind::Number)
                && !matches!(frame.lookup(other.text()), Some(Value::Fun(_) | Value::Operator { .. }))
            {
                let names = rest.iter().rev().map_while(|part| part.as_token().filter(|t| t.kind() == AplKind::Name));
                let mut names: Vec<AplToken> = names.cloned().collect();
                let rest = &rest[..rest.len() - names.len()];
                if names.is_empty() || !rest.is_empty() {
                    return fail(AplPhrase, other.text_range().cover(arrow), "`←` needs a name on its left");
                }
                names.reverse();
                names.push(token.clone());
                let arr = array(value, arrow)?;
                return Ok((several(ev, &names, arr, frame)?, Act::Assigned));
            }
            (named(ev, token, value, frame)?, rest, Act::Assigned)
        }
        AplElement::Token(token) if token.kind() == AplKind::Quad => {
            let mut arr = array(value, arrow)?;
            if matches!(arr.repr, Repr::Pull(_)) && ev.inner == 0 {
                // It is printed, and may be used again.
                arr = ev.stored(&arr)?;
            }
            let act = quad(ev, token, &arr)?;
            (Value::Arr(arr), rest, act)
        }
        AplElement::Token(token) if token.text() == "⍺" => {
            if frame.own("⍺").is_none() {
                frame.set("⍺", value.clone());
            }
            (value, rest, Act::Assigned)
        }
        AplElement::Token(token) if token.kind() == AplKind::Glyph => {
            modified(ev, (target, rest), value, arrow, frame)?
        }
        AplElement::Token(own) if own.text() == RIGHT => return argument_is_kept(own),
        AplElement::Node(node) if node.kind() == AplKind::Index => indexed(ev, (node, rest), value, arrow, frame)?,
        AplElement::Node(node) if node.kind() == AplKind::Paren => {
            let names = parts(node).into_iter().filter_map(|part| part.into_token());
            let names: Vec<AplToken> = names.filter(|token| token.kind() == AplKind::Name).collect();
            let arr = array(value, arrow)?;
            if names.len() + 2 != parts(node).len() {
                let value = selected(ev, node, &arr, frame)?;
                return after(ev, rest, frame, value, Act::Assigned, arrow);
            }
            (several(ev, &names, arr, frame)?, rest, Act::Assigned)
        }
        _ => return fail(AplPhrase, target.text_range(), "`←` needs a name on its left"),
    };
    after(ev, rest, frame, value, act, arrow)
}

/// The value of an assignment, the rest of the phrase to its left, and its effect.
type Assigned<'p> = Res<(Value, &'p [AplElement], Act)>;

/// Evaluates a modified assignment, `x f←v` or `x[i]f←v`; `target` is the function.
fn modified<'p>(
    ev: &mut Ev,
    (target, rest): (&AplElement, &'p [AplElement]),
    value: Value,
    arrow: TextRange,
    frame: &Rc<Frame>,
) -> Assigned<'p> {
    let (index, before) = match rest.split_last() {
        Some((AplElement::Node(index), before)) if index.kind() == AplKind::Index => (Some(index), before),
        _ => (None, rest),
    };
    let (name, rest) = match before.split_last() {
        Some((AplElement::Token(name), rest)) if index.is_some() || name.kind() == AplKind::Name => (name, rest),
        Some((AplElement::Token(own), _)) if own.text() == RIGHT => return argument_is_kept(own),
        _ => {
            let at = index.map_or(target.text_range(), |index| index.text_range());
            return fail(AplPhrase, at, "`←` needs a name on its left");
        }
    };
    let f = single(ev, target, frame)?;
    let (Item::Fun(f), Item::Arr(old)) = (f, name_item(ev, name, frame)?) else {
        return fail(AplPhrase, target.text_range(), "this is not a function to assign with");
    };
    changes_own(name, frame)?;
    let Some(index) = index else {
        let new = apply(ev, &f, Some(&old), &array(value, arrow)?)?;
        return Ok((named(ev, name, Value::Arr(new), frame)?, rest, Act::Assigned));
    };
    let indices = indices(ev, index, frame)?;
    let value = array(value, arrow)?;
    let element = select::index(ev, &old, &indices, index.text_range())?;
    let new = apply(ev, &f, Some(&element), &value)?;
    let changed = select::assigned(ev, &old, &indices, &new, index.text_range())?;
    frame.set(name.text(), Value::Arr(changed.at(name.text_range())));
    Ok((Value::Arr(value), rest, Act::Assigned))
}

/// Evaluates an assignment to elements by their indices, `x[i]←v`; `node` has the indices.
fn indexed<'p>(
    ev: &mut Ev,
    (node, rest): (&AplNode, &'p [AplElement]),
    value: Value,
    arrow: TextRange,
    frame: &Rc<Frame>,
) -> Assigned<'p> {
    match rest.split_last() {
        Some((AplElement::Token(name), rest)) if name.kind() == AplKind::Name => {
            let arr = array(value, arrow)?;
            let indices = indices(ev, node, frame)?;
            let Item::Arr(old) = name_item(ev, name, frame)? else {
                return fail(AplPhrase, name.text_range(), "only an array has elements to assign to");
            };
            changes_own(name, frame)?;
            ev.at = node.text_range();
            let new = select::assigned(ev, &old, &indices, &arr, node.text_range())?;
            frame.set(name.text(), Value::Arr(new.at(name.text_range())));
            Ok((Value::Arr(arr), rest, Act::Assigned))
        }
        _ => fail(AplPhrase, node.text_range(), "`←` needs a name on its left"),
    }
}
