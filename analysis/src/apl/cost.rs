//! Whether an array that is used several times is stored, or computed at each use.

use super::names::{mentions, parts, uses_in};
use super::scalar::is_scalar;
use super::system;
use super::value::{Arr, Ev, Frame, FunKind, Repr, Res, Value};
use crate::front::term::{Kind, Term};
use lift_syntax::TextRange;
use lift_syntax::apl::{AplElement, AplKind, AplNode, AplToken};
use std::rc::Rc;

/// Nodes of an element that costs little more than a read of memory.
const VIEW: usize = 40;
/// Nodes of an element that is computed again in each of several kernels.
const AGAIN: usize = 150;
/// Nodes of an element that is computed once.
const ONCE: usize = 3000;
/// Limit on the names that a name is followed through.
const MOST_FOLLOWED: usize = 40;
/// Limit on the depth of nested dfns that are searched.
const DEEP: usize = 4;

/// Operations that cost about as much as an addition.
const PLAIN: [&str; 29] = [
    "+", "-", "*", "/", "mod", "floorMod", "<", "<=", ">", ">=", "=", "!=", "and", "or", "not", "neg", "abs", "min",
    "max", "toInt", "toDouble", "aref", "iota", "bitand", "bitor", "bitxor", "shl", "shr", "ushr",
];

/// The array under a name that is used several times in `around`: stored, or computed at each use.
pub fn named(ev: &mut Ev, arr: Arr, name: &AplToken, around: &AplNode, frame: &Frame) -> Res<Arr> {
    let own = name.parent_ancestors().find(|node| node.kind() == AplKind::Statement);
    let ends = ends(ev, around, name.text(), own.as_ref(), frame, &mut Vec::new());
    at_uses(ev, arr, ends)
}

/// The argument of a dfn for its body: computed at each index if that is cheap for its uses, otherwise stored.
pub fn argument(ev: &mut Ev, arr: Arr, dfn: &AplNode, name: &str, frame: &Frame) -> Res<Arr> {
    if is_plain_below(ev, &arr, VIEW) {
        return Ok(arr);
    }
    let ends = ends(ev, dfn, name, None, frame, &mut Vec::new());
    at_uses(ev, arr, ends)
}

fn at_uses(ev: &mut Ev, arr: Arr, ends: Option<Vec<TextRange>>) -> Res<Arr> {
    let computed = !ev.is_large()
        && match ends.map_or(0, |ends| ends.len()) {
            0 => false,
            1 => is_cheap(ev, &arr) || is_short(ev, &arr),
            _ => is_cheap(ev, &arr),
        };
    if computed {
        return Ok(once_an_index(ev, arr));
    }
    let Some(boxes) = arr.boxes() else { return ev.stored(&arr) };
    // Facts about the array are kept.
    let part = |ev: &mut Ev, part: &Arr| if part.known().is_some() { Ok(part.clone()) } else { ev.stored(part) };
    let kept = boxes.to_vec().iter().map(|one| part(ev, one)).collect::<Res<Vec<Arr>>>()?;
    Ok(Arr { repr: Repr::Boxes(kept.into()), ..arr.clone() })
}

/// Wraps an array so that a computation evaluates each element once per index.
fn once_an_index(ev: &mut Ev, arr: Arr) -> Arr {
    let Repr::Pull(pull) = arr.repr.clone() else { return arr };
    ev.next += 1;
    let id = ev.next;
    let read = move |ev: &mut Ev, index: &[Term]| -> Res<Term> {
        let place: Option<Vec<(bool, i64)>> = index.iter().map(atom).collect();
        let Some(place) = place else { return pull(ev, index) };
        let key = (id, place);
        if let Some((_, term)) = ev.elements.get(&key) {
            return Ok(term.clone());
        }
        let term = pull(ev, index)?;
        let term = ev.share(term, "e")?;
        let depth = ev.scopes.len();
        ev.elements.insert(key, (depth, term.clone()));
        Ok(term)
    };
    Arr { repr: Repr::Pull(Rc::new(read)), ..arr }
}

/// An index that is a name or a number.
fn atom(index: &Term) -> Option<(bool, i64)> {
    match index.kind() {
        Kind::Local(bound) => Some((true, i64::from(bound.id))),
        Kind::Int(n) => Some((false, i64::from(*n))),
        _ => None,
    }
}

fn element(ev: &mut Ev, arr: &Arr) -> Option<Term> {
    if !matches!(arr.repr, Repr::Pull(_)) {
        return None;
    }
    let element = ev.probe(|ev| {
        let index: Vec<_> = arr.shape.iter().map(|_| ev.fresh("i")).collect();
        let index: Vec<Term> = index.iter().map(|bound| ev.local(bound)).collect();
        ev.scoped(|ev| ev.element(arr, &index))
    });
    element.ok()
}

fn is_short(ev: &mut Ev, arr: &Arr) -> bool {
    element(ev, arr).is_some_and(|term| term.weight() <= ONCE)
}

/// Whether an element may be computed again in several places.
pub fn is_cheap(ev: &mut Ev, arr: &Arr) -> bool {
    is_plain_below(ev, arr, AGAIN)
}

fn is_plain_below(ev: &mut Ev, arr: &Arr, limit: usize) -> bool {
    element(ev, arr).is_some_and(|term| term.weight() <= limit && is_plain(&term))
}

fn is_plain(term: &Term) -> bool {
    match term.kind() {
        Kind::Local(_) | Kind::Int(_) | Kind::Double(_) | Kind::Bool(_) | Kind::Size(_) => true,
        Kind::Global(name) => PLAIN.contains(name),
        Kind::Apply(callee, args) => is_plain(callee) && args.iter().all(is_plain),
        Kind::Let(_, value, body) => is_plain(value) && is_plain(body),
        Kind::If(condition, then, otherwise) => [condition, then, otherwise].into_iter().all(is_plain),
        Kind::Lambda(..) | Kind::Unpack(..) | Kind::Tuple(_) | Kind::Ascribe(..) | Kind::Hide(..) => false,
    }
}

/// The statements whose kernels read a name at one index each: those that use it, or names that are made of it by scalar
/// functions alone. `None` if some use may read it at several indices. `own` is the statement that binds the name.
fn ends(
    ev: &mut Ev,
    around: &AplNode,
    name: &str,
    own: Option<&AplNode>,
    frame: &Frame,
    followed: &mut Vec<String>,
) -> Option<Vec<TextRange>> {
    if followed.len() > MOST_FOLLOWED {
        return None;
    }
    followed.push(name.to_owned());
    let mut found: Vec<TextRange> = Vec::new();
    let uses = uses_in(ev, around);
    for statement in uses.get(name)?.statements.iter().filter(|statement| Some(*statement) != own) {
        let (target, parts) = assigned(statement);
        if !parts.iter().any(|part| is_using(part, name)) {
            continue;
        }
        let whole = at_one_index(&parts, name, frame)?;
        let next = target.clone().filter(|_| whole).filter(|next| !followed.iter().any(|known| *known == next.text()));
        // A cycle of assignments ends where its other uses do.
        let circular = whole && next.is_none() && target.is_some();
        match next.and_then(|next| ends(ev, around, next.text(), Some(statement), frame, followed)) {
            Some(further) => found.extend(further),
            _ if circular => {}
            _ => found.push(statement.text_range()),
        }
    }
    found.sort_by_key(|range| range.start());
    found.dedup();
    Some(found)
}

/// The name and the value of an assignment; the whole statement if it is not one.
fn assigned(statement: &AplNode) -> (Option<AplToken>, Vec<AplElement>) {
    let parts = parts(statement);
    match &parts[..] {
        [AplElement::Token(name), AplElement::Token(arrow), rest @ ..]
            if name.kind() == AplKind::Name && arrow.kind() == AplKind::Arrow =>
        {
            (Some(name.clone()), rest.to_vec())
        }
        _ => (None, parts),
    }
}

fn is_using(part: &AplElement, name: &str) -> bool {
    match part {
        AplElement::Node(node) => mentions(node, name),
        AplElement::Token(token) => token.text() == name,
    }
}

/// Whether scalar functions read a name at one index only; `None` if some use may read another index. The Boolean
/// tells whether the whole phrase consists of such functions.
fn at_one_index(parts: &[AplElement], name: &str, frame: &Frame) -> Option<bool> {
    let first = parts.iter().position(|part| is_using(part, name))?;
    let end = &parts[first..];
    if end.iter().all(|part| is_pointwise(part, frame, DEEP)) {
        return Some(parts[..first].iter().all(|part| is_pointwise(part, frame, DEEP)));
    }
    // All uses may be inside of one bracket.
    match &parts[first] {
        AplElement::Node(node)
            if node.kind() == AplKind::Paren && !end[1..].iter().any(|part| is_using(part, name)) =>
        {
            at_one_index(&inside(node), name, frame).map(|_| false)
        }
        _ => None,
    }
}

fn inside(paren: &AplNode) -> Vec<AplElement> {
    let is_bracket = |part: &AplElement| matches!(part.kind(), AplKind::ParenOpen | AplKind::ParenClose);
    parts(paren).into_iter().filter(|part| !is_bracket(part)).collect()
}

fn is_pointwise(part: &AplElement, frame: &Frame, deep: usize) -> bool {
    match part {
        AplElement::Node(node) => {
            node.kind() == AplKind::Paren && inside(node).iter().all(|part| is_pointwise(part, frame, deep))
        }
        AplElement::Token(token) => match token.kind() {
            AplKind::Glyph => token.text().chars().next().is_some_and(is_scalar),
            AplKind::Name => match frame.lookup(token.text()) {
                Some(Value::Fun(f)) => match &*f.kind {
                    FunKind::Dfn(dfn) if deep > 0 => is_scalar_dfn(&dfn.tree, &dfn.env, deep - 1),
                    _ => false,
                },
                Some(Value::Operator { .. }) => false,
                _ => true,
            },
            AplKind::Number | AplKind::Argument => true,
            AplKind::Quad => system::of_name(token.text()).is_some_and(system::is_scalar),
            _ => false,
        },
    }
}

/// Whether all statements of a dfn are scalar functions of its arguments and of each other.
fn is_scalar_dfn(tree: &AplNode, env: &Frame, deep: usize) -> bool {
    let mut statements = tree.children().filter(|node| node.kind() == AplKind::Statement);
    statements.all(|statement| assigned(&statement).1.iter().all(|part| is_pointwise(part, env, deep)))
}
