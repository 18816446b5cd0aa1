//! Calls of dfns: arguments, statements and guards.

use super::context::{MOST_CALLS, deeper};
use super::frames::{colon, condition, frame_of, no_value, statements};
use super::names::{parts, recurs};
use super::phrase::{Act, array, range_of, statement as statement_of};
use super::value::{Arr, Dfn, Ev, Failure, Frame, Fun, Kind, Res, Scalar, not_supported};
use super::{cells, recursion, structure};
use lift_syntax::TextRange;
use lift_syntax::apl::{AplElement, AplNode};
use std::rc::Rc;

/// Evaluates the body of a dfn on its arguments.
pub fn call(ev: &mut Ev, f: &Fun, dfn: &Dfn, left: Option<Arr>, right: Arr) -> Res<Arr> {
    let own = dfn.tree.text_range();
    if ev.looping == Some(own) {
        let what = "recursion whose end only the run knows, other than as the last step of a function,";
        return not_supported(f.range, what);
    }
    // The outermost call of a recursion becomes a loop if the recursion does not end before the run.
    let outermost = !ev.recursing.contains(&own) && recurs(&dfn.tree);
    if ev.calls >= MOST_CALLS {
        ev.endless = true;
        let what = "recursion whose end only the run knows, or deeper than 100 calls,";
        return not_supported(f.range, what);
    }
    if outermost {
        ev.recursing.push(own);
    }
    let (again, shown) = (outermost.then(|| (left.clone(), right.clone())), ev.shown.len());
    let result = frame_of(ev, f, dfn, left, right).and_then(|frame| {
        ev.calls += 1;
        let result = deeper(|| body(ev, &statements(dfn), &frame, own));
        ev.calls -= 1;
        result
    });
    let Some((left, right)) = again else { return result.map_err(|failure| called_from(failure, f.range)) };
    ev.recursing.pop();
    let endless = std::mem::take(&mut ev.endless);
    let result = match result {
        Err(_) if endless && ev.shown.len() == shown => recursion::call(ev, f, dfn, left, right),
        result => result,
    };
    result.map_err(|failure| called_from(failure, f.range))
}

/// Adds the call as a related range to an error in a function.
fn called_from(failure: Failure, call: TextRange) -> Failure {
    match failure {
        Failure::Error(mut error) if error.related.is_none() && error.range.intersect(call).is_none() => {
            error.related = Some((call, "called from here".to_owned()));
            Failure::Error(error)
        }
        failure => failure,
    }
}

/// Runs the statements of a dfn. Its value is that of the first statement that is not an assignment.
fn body(ev: &mut Ev, statements: &[AplNode], frame: &Rc<Frame>, range: TextRange) -> Res<Arr> {
    for (place, statement) in statements.iter().enumerate() {
        let parts = parts(statement);
        let last = place + 1 == statements.len();
        if let Some(colon) = colon(&parts)? {
            let guard = condition(ev, &parts[..colon], frame)?;
            match guard.known {
                Some(0.0) => continue,
                Some(_) => {
                    let (value, act) = statement_of(ev, &parts[colon + 1..], frame)?;
                    ev.shy = act != Act::Value;
                    return array(value, statement.text_range());
                }
                None if ev.recursing.last() == Some(&range) => {
                    ev.endless = true;
                    let what = "recursion whose end only the run knows, for these arguments,";
                    return not_supported(statement.text_range(), what);
                }
                None => {
                    let rest = &statements[place + 1..];
                    return guarded(ev, &guard, &parts[colon + 1..], rest, frame, range);
                }
            }
        }
        let (value, act) = statement_of(ev, &parts, frame)?;
        if act != Act::Assigned || last {
            ev.shy = act != Act::Value;
            return array(value, statement.text_range());
        }
    }
    no_value(statements, range)
}

/// A guard that is evaluated at run time. If the values are arrays, both are computed.
fn guarded(
    ev: &mut Ev,
    condition: &Scalar,
    then: &[AplElement],
    rest: &[AplNode],
    frame: &Rc<Frame>,
    range: TextRange,
) -> Res<Arr> {
    let value = |ev: &mut Ev| -> Res<Arr> {
        let (value, _) = frame.apart(|| statement_of(ev, then, frame))?;
        array(value, range_of(then))
    };
    let body = |ev: &mut Ev| frame.apart(|| body(ev, rest, frame, range));
    let one = ev.probe(value)?;
    let other = ev.probe(body)?;
    let simple = |x: &Arr| x.rank() == 0 && x.kind != Kind::Nested;
    if !simple(&one) || !simple(&other) {
        let mask = ev.of_scalar(condition.clone());
        let one = value(ev)?;
        let other = body(ev)?;
        ev.at = range_of(then);
        return cells::either(ev, &mask, &one, &other);
    }
    let kind = structure::join_kinds(ev, &one, &other)?;
    let branch = |ev: &mut Ev, of: &dyn Fn(&mut Ev) -> Res<Arr>| {
        ev.inside(|ev| {
            ev.scoped(|ev| {
                let value = of(ev)?;
                let value = ev.as_kind(&value, kind)?;
                ev.element(&value, &[])
            })
        })
    };
    let then = branch(ev, &value);
    let otherwise = branch(ev, &body);
    let chosen = ev.choose(condition.term.clone(), then?, otherwise?);
    ev.of_term(kind, chosen)
}
