//! Calls of dfns: arguments, statements and guards.

use super::context::{MOST_CALLS, deeper};
use super::names::uses;
use super::phrase::{Act, array, parts, phrase, range_of};
use super::structure;
use super::value::{Arr, Dfn, Ev, Failure, Frame, Fun, Kind, Repr, Res, Value, fail, not_supported};
use lift_syntax::SyntaxErrorCode::{AplDomain, AplPhrase};
use lift_syntax::TextRange;
use lift_syntax::apl::{AplElement, AplKind, AplNode};
use std::rc::Rc;

/// Evaluates the body of a dfn on its arguments.
pub fn call(ev: &mut Ev, f: &Fun, dfn: &Dfn, left: Option<Arr>, right: Arr) -> Res<Arr> {
    if ev.calls >= MOST_CALLS {
        let what = "recursion whose end only the run knows, or deeper than 100 calls,";
        return not_supported(f.range, what);
    }
    let frame = Rc::new(Frame { parent: Some(dfn.env.clone()), ..Frame::default() });
    let argument = |ev: &mut Ev, name: &str, arr: Arr| -> Res<Value> {
        let stored = matches!(arr.repr, Repr::Pull(_)) && uses(&dfn.tree, name) > 1 && arr.kind != Kind::Char;
        Ok(Value::Arr(if stored { ev.stored(&arr)? } else { arr }))
    };
    let right = argument(ev, "⍵", right)?;
    frame.set("⍵", right);
    if let Some(left) = left {
        let left = argument(ev, "⍺", left)?;
        frame.set("⍺", left);
    }
    for (name, operand) in [("⍺⍺", &dfn.left), ("⍵⍵", &dfn.right)] {
        if let Some(operand) = operand {
            frame.set(name, operand.clone());
        }
    }
    frame.set("∇", Value::Fun(f.clone()));
    let statements: Vec<AplNode> = dfn.tree.children().filter(|node| node.kind() == AplKind::Statement).collect();
    ev.calls += 1;
    let result = deeper(|| body(ev, &statements, &frame, dfn.tree.text_range()));
    ev.calls -= 1;
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
        if let Some(colon) = parts.iter().position(|part| part.kind() == AplKind::Colon) {
            let (value, _) = phrase(ev, &parts[..colon], frame, None)?;
            let condition = array(value, range_of(&parts[..colon]))?;
            match condition.scalar().map(|scalar| (scalar.known, scalar.clone())) {
                Some((Some(0.0), _)) => continue,
                Some((Some(_), _)) => {
                    let (value, _) = phrase(ev, &parts[colon + 1..], frame, None)?;
                    return array(value, statement.text_range());
                }
                Some((None, scalar)) if scalar.kind == Kind::Bool => {
                    let rest = &statements[place + 1..];
                    return guarded(ev, &scalar.term, &parts[colon + 1..], rest, frame, range);
                }
                _ => return fail(AplDomain, condition.range, "a guard is one Boolean: what a comparison gives"),
            }
        }
        let (value, act) = phrase(ev, &parts, frame, None)?;
        if act != Act::Assigned || last {
            return array(value, statement.text_range());
        }
    }
    fail(AplPhrase, range, "this function has no value")
}

/// A guard decided at run time. Both branches must be scalars.
fn guarded(
    ev: &mut Ev,
    condition: &super::value::Term,
    then: &[AplElement],
    rest: &[AplNode],
    frame: &Rc<Frame>,
    range: TextRange,
) -> Res<Arr> {
    let value = |ev: &mut Ev| -> Res<Arr> {
        let (value, _) = phrase(ev, then, frame, None)?;
        array(value, range_of(then))
    };
    let one = ev.probe(value)?;
    let other = ev.probe(|ev| body(ev, rest, frame, range))?;
    if one.rank() != 0 || other.rank() != 0 {
        return not_supported(range_of(then), "a guard that the run decides, between arrays,");
    }
    let kind = structure::join_kinds(ev, &one, &other)?;
    ev.inner += 1;
    let then = ev.scoped(|ev| {
        let value = value(ev)?;
        let value = ev.as_kind(&value, kind)?;
        ev.element(&value, &[])
    });
    let otherwise = ev.scoped(|ev| {
        let value = body(ev, rest, frame, range)?;
        let value = ev.as_kind(&value, kind)?;
        ev.element(&value, &[])
    });
    ev.inner -= 1;
    let chosen = ev.choose(condition.clone(), then?, otherwise?);
    ev.of_term(kind, chosen)
}
