//! The parts of a dfn: its names, statements and guards.

use super::cost;
use super::names::{parts, uses_in};
use super::phrase::{array, phrase, range_of};
use super::value::{Arr, Dfn, Ev, Frame, Fun, Kind, Repr, Res, Scalar, Value, fail};
use lift_syntax::SyntaxErrorCode::{AplDomain, AplNotSupported, AplPhrase};
use lift_syntax::TextRange;
use lift_syntax::apl::{AplElement, AplKind, AplNode};
use std::rc::Rc;

/// The names of a dfn at the beginning of a call.
pub fn frame_of(ev: &mut Ev, f: &Fun, dfn: &Dfn, left: Option<Arr>, right: Arr) -> Res<Rc<Frame>> {
    let frame = Rc::new(Frame { parent: Some(dfn.env.clone()), ..Frame::default() });
    let argument = |ev: &mut Ev, name: &str, arr: Arr| -> Res<Value> {
        let computed = matches!(arr.repr, Repr::Pull(_) | Repr::Rows(_) | Repr::Boxes(_));
        let again = computed && uses_in(ev, &dfn.tree).get(name).is_some_and(|uses| uses.count > 1);
        Ok(Value::Arr(if again { cost::argument(ev, arr, &dfn.tree, name, &dfn.env)? } else { arr }))
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
    Ok(frame)
}

pub fn statements(dfn: &Dfn) -> Vec<AplNode> {
    dfn.tree.children().filter(|node| node.kind() == AplKind::Statement).collect()
}

/// The condition of a guard.
pub fn condition(ev: &mut Ev, parts: &[AplElement], frame: &Rc<Frame>) -> Res<Scalar> {
    let (value, _) = phrase(ev, parts, frame, None)?;
    let condition = array(value, range_of(parts))?;
    let is_one = condition.extents().is_some_and(|extents| extents.iter().all(|n| *n == 1));
    let condition = match &condition.repr {
        Repr::Pull(_) | Repr::Stored(_) if is_one && condition.kind <= Kind::Double => {
            let first = vec![ev.int(0); condition.rank()];
            let term = ev.element(&condition, &first)?;
            ev.of_term(condition.kind, term)?.at(condition.range)
        }
        _ => condition,
    };
    let one = condition.items().filter(|items| items.len() == 1).and_then(|items| items.first());
    match one {
        Some(one) if one.known.is_some() || one.kind == Kind::Bool => Ok(one.clone()),
        Some(one) if one.kind <= Kind::Double => {
            let zero = ev.known(one.kind, 0.0).term;
            let term = ev.app("!=", [one.term.clone(), zero]);
            Ok(Scalar { kind: Kind::Bool, term, known: None, size: None })
        }
        _ => fail(AplDomain, condition.range, "a guard is one number, false if it is 0"),
    }
}

/// The place of the colon of a guard.
pub fn colon(parts: &[AplElement]) -> Res<Option<usize>> {
    let Some(at) = parts.iter().position(|part| part.kind() == AplKind::Colon) else { return Ok(None) };
    match parts.get(at + 1) {
        Some(second) if second.kind() == AplKind::Colon => {
            let message = "there are no error guards: an error stops the run; a guard before it can test for its cause, \
                           `{⍵=0:0 ⋄ 1÷⍵}`";
            fail(AplNotSupported, range_of(&parts[at..=at + 1]), message)
        }
        _ => Ok(Some(at)),
    }
}

/// Reports a function that reaches its end without a value.
pub fn no_value<T>(statements: &[AplNode], range: TextRange) -> Res<T> {
    let is_guard = |statement: &AplNode| parts(statement).iter().any(|part| part.kind() == AplKind::Colon);
    match statements.last() {
        Some(last) if is_guard(last) => {
            let message =
                "no guard holds, and no value follows: a last statement without a guard gives one, `{⍵>0:⍵ ⋄ 0}`";
            fail(AplPhrase, last.text_range(), message)
        }
        _ => fail(AplPhrase, range, "this function has no value"),
    }
}
