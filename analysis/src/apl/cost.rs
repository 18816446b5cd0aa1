//! Whether an array that is used several times is stored, or computed at each use.

use super::names::{surrounding, tokens, uses};
use super::scalar::is_scalar;
use super::value::{Arr, Ev, Frame, Repr, Value};
use crate::front::term::{Kind, Term};
use lift_syntax::apl::{AplKind, AplNode, AplToken};

/// Nodes of an element that costs little more than a read of memory.
const VIEW: usize = 40;
/// Nodes of an element that is written several times in one kernel, where the device's compiler shares it.
const SHARED: usize = 600;

/// Operations that cost about as much as an addition.
const PLAIN: [&str; 22] = [
    "+", "-", "*", "/", "mod", "<", "<=", ">", ">=", "=", "!=", "and", "or", "not", "neg", "abs", "min", "max",
    "toInt", "toDouble", "aref", "iota",
];

/// Whether an array whose name is bound there is computed at each of its uses.
pub fn computed_at_uses(ev: &mut Ev, arr: &Arr, name: &AplToken, frame: &Frame) -> bool {
    !ev.is_large() && at_one_index(name, frame) && is_cheap(ev, arr, SHARED)
}

/// Whether a dfn's argument is computed at each of its uses: a view of a stored array.
pub fn is_view(ev: &mut Ev, arr: &Arr) -> bool {
    is_cheap(ev, arr, VIEW)
}

fn is_cheap(ev: &mut Ev, arr: &Arr, limit: usize) -> bool {
    if !matches!(arr.repr, Repr::Pull(_)) {
        return false;
    }
    let element = ev.probe(|ev| {
        let index: Vec<_> = arr.shape.iter().map(|_| ev.fresh("i")).collect();
        let index: Vec<Term> = index.iter().map(|bound| ev.local(bound)).collect();
        ev.scoped(|ev| ev.element(arr, &index))
    });
    element.is_ok_and(|term| term.weight() <= limit && is_plain(&term))
}

fn is_plain(term: &Term) -> bool {
    match term.kind() {
        Kind::Local(_) | Kind::Int(_) | Kind::Double(_) | Kind::Bool(_) | Kind::Size(_) => true,
        Kind::Global(name) => PLAIN.contains(name),
        Kind::Apply(callee, args) => is_plain(callee) && args.iter().all(is_plain),
        Kind::Let(_, value, body) => is_plain(value) && is_plain(body),
        Kind::If(condition, then, otherwise) => [condition, then, otherwise].into_iter().all(is_plain),
        Kind::Lambda(..) | Kind::Unpack(..) | Kind::Tuple(_) | Kind::Ascribe(..) => false,
    }
}

/// Whether all uses of a name are in one statement of scalar functions, so that its elements are read at one index.
fn at_one_index(name: &AplToken, frame: &Frame) -> bool {
    let Some(around) = name.parent().map(|node| surrounding(&node)) else { return false };
    let own = name.parent_ancestors().find(|node| node.kind() == AplKind::Statement);
    let mut using = around
        .descendants()
        .filter(|node| node.kind() == AplKind::Statement && Some(node) != own.as_ref() && uses(node, name.text()) > 0);
    match (using.next(), using.next()) {
        (Some(one), None) => is_pointwise(&one, frame),
        _ => false,
    }
}

fn is_pointwise(statement: &AplNode, frame: &Frame) -> bool {
    let simple = statement.descendants().all(|node| matches!(node.kind(), AplKind::Statement | AplKind::Paren));
    simple
        && tokens(statement).all(|token| match token.kind() {
            AplKind::Glyph => token.text().chars().next().is_some_and(is_scalar),
            AplKind::Name => !matches!(frame.lookup(token.text()), Some(Value::Fun(_) | Value::Operator { .. })),
            AplKind::Number | AplKind::Argument | AplKind::ParenOpen | AplKind::ParenClose => true,
            kind => kind.is_trivia(),
        })
}
