//! Syntax of other APL dialects: functions between `∇`, and control words such as `:If`.

use super::names::{parts, tokens};
use super::value::{Ev, Failure, Frame, Value, fail};
use lift_syntax::SyntaxErrorCode::AplNotSupported;
use lift_syntax::apl::{AplElement, AplKind, AplNode};

const BRANCH: &str = "→";

/// Reports lines in the syntax of another dialect. Returns the index of the next statement; `None` if the statement is
/// in this dialect.
pub fn lines(ev: &mut Ev, statements: &[AplNode], place: usize, frame: &Frame) -> Option<usize> {
    let own = parts(&statements[place]);
    let is_self = |part: &AplElement| part.kind() == AplKind::SelfName;
    match own.first()?.kind() {
        AplKind::SelfName if own.len() > 1 => {
            // The names of the header would each be reported as unknown.
            for name in tokens(&statements[place]).filter(|token| token.kind() == AplKind::Name) {
                frame.set(name.text(), Value::Broken);
            }
            let message = "a function is written in braces: `f←{⍵+1}`, with `⍺` for its left argument";
            report(ev, &statements[place], message);
            let end =
                (place + 1..statements.len()).find(|at| matches!(&parts(&statements[*at])[..], [one] if is_self(one)));
            Some(end.unwrap_or(place) + 1)
        }
        AplKind::Colon => {
            let is_control = |node: &AplNode| parts(node).first().is_some_and(|part| part.kind() == AplKind::Colon);
            // `:For i` would give its name a value.
            for name in tokens(&statements[place]).filter(|token| token.kind() == AplKind::Name) {
                if frame.lookup(name.text()).is_none() {
                    frame.set(name.text(), Value::Broken);
                }
            }
            if !statements[..place].iter().any(is_control) {
                let message =
                    "there are no control words: a guard in braces chooses, `{⍵>0:⍵ ⋄ 0}`; `⍣` and `∇` repeat";
                report(ev, &statements[place], message);
            }
            Some(place + 1)
        }
        AplKind::Glyph if own.first()?.as_token()?.text() == BRANCH => {
            let message =
                "there are no branches to lines: a guard in braces chooses, `{⍵>0:⍵ ⋄ 0}`; `⍣` and `∇` repeat";
            report(ev, &statements[place], message);
            Some(place + 1)
        }
        _ => None,
    }
}

/// Reports one error for a line instead of the syntax errors in it.
fn report(ev: &mut Ev, line: &AplNode, message: &str) {
    let range = line.text_range();
    ev.errors.retain(|error| !range.contains_range(error.range));
    if let Err(failure @ Failure::Error(_)) = fail::<()>(AplNotSupported, range, message) {
        ev.report(failure);
    }
}
