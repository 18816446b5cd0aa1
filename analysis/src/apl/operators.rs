//! Derived functions. Strands bind first, then operators from left to right, and functions are applied last.

use super::structure::join_kinds;
use super::value::{Arr, Dfn, Ev, Frame, Fun, FunKind, Res, Value, fail, not_supported};
use lift_syntax::SyntaxErrorCode::AplPhrase;
use lift_syntax::TextRange;
use lift_syntax::apl::AplNode;
use std::rc::Rc;

/// A part of a phrase.
pub enum Item {
    /// An array that forms a strand with its neighbours.
    Arr(Arr),
    /// A string, or an array in brackets.
    Whole(Arr),
    Fun(Fun),
    /// A monadic operator, or a slash.
    Monadic(char, TextRange),
    Dyadic(char, TextRange),
    User {
        tree: AplNode,
        env: Rc<Frame>,
        two: bool,
        range: TextRange,
    },
}

/// Joins adjacent arrays into one.
fn strands(ev: &mut Ev, items: Vec<Item>) -> Res<Vec<Item>> {
    let mut out: Vec<Item> = Vec::with_capacity(items.len());
    let mut run: Vec<Arr> = Vec::new();
    for item in items {
        match item {
            Item::Arr(arr) | Item::Whole(arr) => run.push(arr),
            other => {
                flush(ev, &mut run, &mut out)?;
                out.push(other);
            }
        }
    }
    flush(ev, &mut run, &mut out)?;
    Ok(out)
}

fn flush(ev: &mut Ev, run: &mut Vec<Arr>, out: &mut Vec<Item>) -> Res<()> {
    let arrays = std::mem::take(run);
    match <[Arr; 1]>::try_from(arrays) {
        Ok([one]) => out.push(Item::Arr(one)),
        Err(arrays) => {
            let (Some(first), Some(last)) = (arrays.first(), arrays.last()) else { return Ok(()) };
            let range = first.range.cover(last.range);
            let mut kind = first.kind;
            for arr in &arrays {
                if arr.rank() > 0 {
                    return not_supported(arr.range, "an array as an element of a vector");
                }
                let known = Arr { kind, ..arr.clone() };
                kind = join_kinds(ev, &known, arr)?;
            }
            let mut items = Vec::with_capacity(arrays.len());
            for arr in &arrays {
                let arr = ev.as_kind(arr, kind)?;
                items.extend(arr.scalar().cloned());
            }
            out.push(Item::Arr(ev.vector(kind, items).at(range)));
        }
    }
    Ok(())
}

/// The arrays and functions of a phrase, after binding operators.
pub fn cells(ev: &mut Ev, items: Vec<Item>) -> Res<Vec<Value>> {
    let mut rest = strands(ev, items)?.into_iter().peekable();
    let mut out: Vec<Value> = Vec::new();
    while let Some(item) = rest.next() {
        match item {
            Item::Arr(arr) | Item::Whole(arr) => out.push(Value::Arr(arr)),
            Item::Fun(f) => out.push(Value::Fun(f)),
            Item::Monadic(glyph, range) => monadic(glyph, range, &mut out)?,
            Item::Dyadic('∘', range) if matches!(rest.peek(), Some(Item::Dyadic('.', _))) => {
                rest.next();
                match rest.next() {
                    Some(Item::Fun(f)) => {
                        let range = range.cover(f.range);
                        out.push(fun(FunKind::Outer(f), range));
                    }
                    _ => return fail(AplPhrase, range, "`∘.` lacks its function"),
                }
            }
            Item::Dyadic(glyph, range) => {
                let left = out.pop();
                let right = rest.next();
                out.push(dyadic(glyph, range, left, right)?);
            }
            Item::User { tree, env, two, range } => {
                let Some(left) = out.pop() else {
                    if rest.peek().is_none() && out.is_empty() {
                        out.push(Value::Operator { tree, env, two });
                        continue;
                    }
                    return fail(AplPhrase, range, "this operator lacks the operand at its left");
                };
                let right = match two.then(|| rest.next()) {
                    None => None,
                    Some(Some(Item::Fun(f))) => Some(Value::Fun(f)),
                    Some(Some(Item::Arr(arr) | Item::Whole(arr))) => Some(Value::Arr(arr)),
                    Some(_) => return fail(AplPhrase, range, "this operator lacks the operand at its right"),
                };
                out.push(fun(FunKind::Dfn(Dfn { tree, env, left: Some(left), right }), range));
            }
        }
    }
    Ok(out)
}

fn fun(kind: FunKind, range: TextRange) -> Value {
    Value::Fun(Fun { kind: Rc::new(kind), range })
}

fn monadic(glyph: char, range: TextRange, out: &mut Vec<Value>) -> Res<()> {
    let slash = matches!(glyph, '/' | '⌿' | '\\' | '⍀');
    let derived = match out.last() {
        Some(Value::Fun(f)) => {
            let (f, whole) = (f.clone(), f.range.cover(range));
            let kind = match glyph {
                '/' | '⌿' => FunKind::Reduce { f, first: glyph == '⌿' },
                '\\' | '⍀' => FunKind::Scan { f, first: glyph == '⍀' },
                '¨' => FunKind::Each(f),
                '⍨' => FunKind::Commute(f),
                _ => return not_supported(range, format!("`{glyph}`")),
            };
            out.pop();
            fun(kind, whole)
        }
        _ if slash => fun(FunKind::Glyph(glyph), range),
        Some(_) => return not_supported(range, format!("`{glyph}` after an array")),
        None => return fail(AplPhrase, range, format!("`{glyph}` lacks its function")),
    };
    out.push(derived);
    Ok(())
}

fn dyadic(glyph: char, range: TextRange, left: Option<Value>, right: Option<Item>) -> Res<Value> {
    let Some(left) = left else {
        return fail(AplPhrase, range, format!("`{glyph}` lacks the operand at its left"));
    };
    let right = match right {
        Some(Item::Fun(f)) => Value::Fun(f),
        Some(Item::Arr(arr) | Item::Whole(arr)) => Value::Arr(arr),
        _ => return fail(AplPhrase, range, format!("`{glyph}` lacks the operand at its right")),
    };
    let end = |value: &Value| match value {
        Value::Fun(f) => f.range,
        Value::Arr(arr) => arr.range,
        _ => range,
    };
    let whole = end(&left).cover(end(&right));
    let kind = match (glyph, left, right) {
        ('.', Value::Fun(f), Value::Fun(g)) => FunKind::Inner(f, g),
        ('∘', Value::Fun(f), Value::Fun(g)) => FunKind::Beside(f, g),
        ('∘', Value::Arr(a), Value::Fun(g)) => FunKind::WithLeft(a, g),
        ('∘', Value::Fun(f), Value::Arr(a)) => FunKind::WithRight(f, a),
        ('⍤', Value::Fun(f), Value::Fun(g)) => FunKind::Atop(f, g),
        ('⍥', Value::Fun(f), Value::Fun(g)) => FunKind::Over(f, g),
        ('⍣', Value::Fun(f), n) => FunKind::Power(f, n),
        ('⍤', ..) => return not_supported(range, "`⍤` with a rank"),
        _ => return not_supported(range, format!("`{glyph}` with these operands")),
    };
    Ok(fun(kind, whole))
}

/// Builds a train from adjacent functions and possibly a leading array, from the right: three form a fork, two an atop.
pub fn train(mut cells: Vec<Value>, range: TextRange) -> Res<Value> {
    let broken = || fail(AplPhrase, range, "these parts make no train of functions");
    if let [Value::Operator { .. }] = &cells[..] {
        return cells.pop().map_or_else(broken, Ok);
    }
    let Some(Value::Fun(mut right)) = cells.pop() else { return broken() };
    while let Some(middle) = cells.pop() {
        let Value::Fun(middle) = middle else { return broken() };
        let kind = match cells.pop() {
            None => FunKind::Atop(middle, right),
            Some(left @ (Value::Fun(_) | Value::Arr(_))) => FunKind::Fork(left, middle, right),
            Some(_) => return broken(),
        };
        right = Fun { kind: Rc::new(kind), range };
    }
    Ok(Value::Fun(right))
}
