//! Tail recursion whose end only the run knows: a loop over the arguments.
//!
//! The body is evaluated three times: whether it calls itself again, with which arguments, and what its value is at the
//! end. A branch that cannot be taken then is left out. In `x+∇y`, the sum of all `x` is one more argument, because the order
//! of additions does not matter; so is the product of all `y` in `x+y×∇z`.

use super::cells::either;
use super::frames::{colon, condition, frame_of, no_value, statements};
use super::loops::{hollow, leaves, rebuilt, repeat_while, start_of};
use super::names::parts;
use super::phrase::{Act, array, range_of, statement as statement_of};
use super::scalar;
use super::value::{After, Again, Arr, Dfn, Ev, Frame, Fun, Kind, Res, Value, fail, not_supported};
use crate::front::term::Term;
use lift_syntax::SyntaxErrorCode::AplPhrase;
use lift_syntax::apl::{AplElement, AplKind, AplNode};
use std::rc::Rc;

/// The part of the body to evaluate.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Whether it calls itself again.
    More,
    /// The arguments of that call.
    Next,
    /// The value otherwise.
    Value,
}

enum Found {
    More(Term),
    Next(Box<Again>),
    Value(Arr),
}

/// The neutral element of `+` or `×`.
fn neutral(ev: &Ev, glyph: char) -> Arr {
    ev.of_scalar(ev.known(Kind::Bool, if glyph == '×' { 1.0 } else { 0.0 }))
}

/// Calls a dfn whose recursion is a loop.
pub fn call(ev: &mut Ev, f: &Fun, dfn: &Dfn, left: Option<Arr>, right: Arr) -> Res<Arr> {
    let alone = left.is_none();
    if let Some(value) = repeated(ev, f, dfn, left, &right)? {
        return Ok(value);
    }
    // The calls in it may have a left argument that the first one lacks.
    let default = if alone { default_left(ev, f, dfn, &right)? } else { None };
    if let Some(left) = default
        && let Some(value) = repeated(ev, f, dfn, Some(left), &right)?
    {
        return Ok(value);
    }
    not_supported(f.range, "recursion with arguments of another shape each time, whose end only the run knows,")
}

/// The default left argument, `⍺←`, of a dfn called without one, if it precedes the guards.
fn default_left(ev: &mut Ev, f: &Fun, dfn: &Dfn, right: &Arr) -> Res<Option<Arr>> {
    let frame = frame_of(ev, f, dfn, None, right.clone())?;
    for statement in statements(dfn) {
        let parts = parts(&statement);
        if parts.iter().any(|part| part.kind() == AplKind::Colon) {
            break;
        }
        let (_, act) = statement_of(ev, &parts, &frame)?;
        if let Some(Value::Arr(left)) = frame.own("⍺") {
            return Ok(Some(left));
        }
        if act != Act::Assigned {
            break;
        }
    }
    Ok(None)
}

/// The value of a loop over the arguments; `None` if their shapes change in each call.
fn repeated(ev: &mut Ev, f: &Fun, dfn: &Dfn, left: Option<Arr>, right: &Arr) -> Res<Option<Arr>> {
    let own = [left.as_ref().map(leaves).unwrap_or_default(), leaves(right)].concat();
    let arguments = |state: &[Arr]| {
        let mut rest = state.iter().cloned();
        let left = left.as_ref().map(|left| rebuilt(left, &mut rest));
        let right = rebuilt(right, &mut rest);
        (left, right, rest.collect::<Vec<Arr>>())
    };
    let whole = dfn.tree.text_range();
    let ask = |ev: &mut Ev, state: &[Arr], part: Part| {
        let (left, right, _) = arguments(state);
        let frame = frame_of(ev, f, dfn, left, right)?;
        let outer = ev.looping.replace(whole);
        let found = branch(ev, &statements(dfn), f, &frame, part);
        ev.looping = outer;
        found
    };
    let (glyphs, kind) = ev.probe(|ev| {
        let state = hollow(ev, &own)?;
        let Some(Found::Next(again)) = ask(ev, &state, Part::Next)? else { return endless(f) };
        let parts = [('+', again.after.plus), ('×', again.after.times)];
        let glyphs: Vec<char> = parts.into_iter().filter_map(|(glyph, x)| x.map(|_| glyph)).collect();
        if glyphs.is_empty() {
            return Ok((glyphs, Kind::Int));
        }
        let Some(Found::Value(value)) = ask(ev, &state, Part::Value)? else { return endless(f) };
        // Numbers are added in the kind of the last one.
        Ok((glyphs, value.kind.min(Kind::Double)))
    })?;
    let mut own = own;
    for glyph in &glyphs {
        let neutral = neutral(ev, *glyph);
        own.push(ev.as_kind(&neutral, kind)?);
    }
    let step = |ev: &mut Ev, state: &[Arr]| {
        let Some(Found::Next(again)) = ask(ev, state, Part::Next)? else { return endless(f) };
        let mut next = again.left.as_ref().map(leaves).unwrap_or_default();
        next.extend(leaves(&again.right));
        let before = arguments(state).2;
        // The value is multiplied with all factors so far, then all terms so far are added.
        let factor = before.last().filter(|_| glyphs.last() == Some(&'×'));
        for (glyph, before) in glyphs.iter().zip(&before) {
            let own = if *glyph == '+' { &again.after.plus } else { &again.after.times };
            next.push(match (own, glyph, factor) {
                (None, ..) => before.clone(),
                (Some(own), '+', Some(factor)) => {
                    let own = scalar::dyadic(ev, '×', factor, own)?;
                    scalar::dyadic(ev, '+', before, &own)?
                }
                (Some(own), glyph, _) => scalar::dyadic(ev, *glyph, before, own)?,
            });
        }
        Ok(next)
    };
    let Some(start) = start_of(ev, own, &step)? else { return Ok(None) };
    let test = |ev: &mut Ev, state: &[Arr]| match ask(ev, state, Part::More)? {
        Some(Found::More(more)) => Ok(more),
        _ => endless(f),
    };
    let end = repeat_while(ev, &start, &test, &step)?;
    let Some(Found::Value(mut value)) = ask(ev, &end, Part::Value)? else { return endless(f) };
    for (glyph, before) in glyphs.iter().zip(&arguments(&end).2).rev() {
        value = scalar::dyadic(ev, *glyph, before, &value)?;
    }
    Ok(Some(value))
}

fn endless<T>(f: &Fun) -> Res<T> {
    fail(AplPhrase, f.range, "this recursion does not end")
}

/// Evaluates a part of the body in some statements; `None` if the part does not occur in them.
fn branch(ev: &mut Ev, statements: &[AplNode], f: &Fun, frame: &Rc<Frame>, part: Part) -> Res<Option<Found>> {
    for (place, statement) in statements.iter().enumerate() {
        let parts = parts(statement);
        if let Some(colon) = colon(&parts)? {
            let guard = condition(ev, &parts[..colon], frame)?;
            let then = &parts[colon + 1..];
            match guard.known {
                Some(0.0) => continue,
                Some(_) => return last(ev, then, f, frame, part),
                None => {}
            }
            let rest = &statements[place + 1..];
            if part == Part::More {
                let answer = |ev: &mut Ev, then: bool| {
                    ev.scoped(|ev| {
                        let found = frame.apart(|| match then {
                            true => last(ev, &parts[colon + 1..], f, frame, part),
                            false => branch(ev, rest, f, frame, part),
                        });
                        match found? {
                            Some(Found::More(more)) => Ok(more),
                            _ => Ok(ev.boolean(false)),
                        }
                    })
                };
                let (one, other) = (answer(ev, true)?, answer(ev, false)?);
                let more = ev.choose(guard.term, one, other);
                return Ok(Some(Found::More(more)));
            }
            let one = frame.apart(|| last(ev, then, f, frame, part))?;
            let other = frame.apart(|| branch(ev, rest, f, frame, part))?;
            return merged(ev, guard, one, other);
        }
        if place + 1 == statements.len() {
            return last(ev, &parts, f, frame, part);
        }
        let (_, act) = statement_of(ev, &parts, frame)?;
        if act != Act::Assigned {
            return last(ev, &parts, f, frame, part);
        }
    }
    no_value(statements, f.range)
}

/// Evaluates a part of the body in the phrase that gives the function's value.
fn last(ev: &mut Ev, parts: &[AplElement], f: &Fun, frame: &Rc<Frame>, part: Part) -> Res<Option<Found>> {
    ev.tail = Some(f.kind.clone());
    let (value, act) = statement_of(ev, parts, frame)?;
    let again = ev.again.take().filter(|_| act == Act::Again);
    Ok(match (part, again) {
        (Part::More, again) => Some(Found::More(ev.boolean(again.is_some()))),
        (Part::Next, Some(again)) => Some(Found::Next(Box::new(again))),
        (Part::Value, None) => Some(Found::Value(array(value, range_of(parts))?)),
        (Part::Next, None) | (Part::Value, Some(_)) => None,
    })
}

fn merged(ev: &mut Ev, guard: super::value::Scalar, one: Option<Found>, other: Option<Found>) -> Res<Option<Found>> {
    let (one, other) = match (one, other) {
        (Some(one), Some(other)) => (one, other),
        (one, other) => return Ok(one.or(other)),
    };
    let mask = ev.of_scalar(guard);
    Ok(Some(match (one, other) {
        (Found::Value(a), Found::Value(b)) => Found::Value(either(ev, &mask, &a, &b)?),
        (Found::Next(a), Found::Next(b)) => {
            let (a, b) = (*a, *b);
            let left = match (a.left, b.left) {
                (Some(p), Some(q)) => Some(either(ev, &mask, &p, &q)?),
                (None, None) => None,
                _ => return fail(AplPhrase, ev.at, "this recursion has a left argument in one branch only"),
            };
            let mut one_of = |glyph: char, x: Option<Arr>, y: Option<Arr>| {
                if x.is_none() && y.is_none() {
                    return Ok(None);
                }
                let (x, y) = (x.unwrap_or_else(|| neutral(ev, glyph)), y.unwrap_or_else(|| neutral(ev, glyph)));
                either(ev, &mask, &x, &y).map(Some)
            };
            let after = After {
                plus: one_of('+', a.after.plus, b.after.plus)?,
                times: one_of('×', a.after.times, b.after.times)?,
            };
            let right = either(ev, &mask, &a.right, &b.right)?;
            Found::Next(Box::new(Again { left, right, after }))
        }
        (one, _) => one,
    }))
}
