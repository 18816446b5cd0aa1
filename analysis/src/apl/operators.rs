//! Derived functions. Strands bind first, then operators from left to right, and functions are applied last.

use super::nested;
use super::value::{Arr, Axis, Dfn, Ev, Frame, Fun, FunKind, Res, Value, fail, not_supported};
use crate::size::Size;
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
    /// A monadic operator, or a slash, which may have the number of an axis.
    Monadic(char, TextRange, Option<Arr>),
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
            let before = std::mem::replace(&mut ev.at, range);
            let shape = vec![Size::nat(arrays.len() as u64)];
            let strand = nested::collect(ev, shape, &arrays);
            ev.at = before;
            out.push(Item::Arr(strand?.at(range)));
        }
    }
    Ok(())
}

/// Binds operators. Returns the arrays and functions of a phrase.
pub fn cells(ev: &mut Ev, items: Vec<Item>) -> Res<Vec<Value>> {
    let mut rest = strands(ev, items)?.into_iter().peekable();
    let mut out: Vec<Value> = Vec::new();
    while let Some(item) = rest.next() {
        match item {
            Item::Arr(arr) | Item::Whole(arr) => out.push(Value::Arr(arr)),
            Item::Fun(f) => out.push(Value::Fun(f)),
            Item::Monadic(glyph, range, axis) => monadic(glyph, range, axis, &mut out)?,
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
                let right = rest.next().map(operand);
                out.push(dyadic(glyph, range, left, right)?);
            }
            Item::User { tree, env, two, range } => {
                let Some(left) = out.pop() else {
                    if rest.peek().is_none() && out.is_empty() {
                        out.push(Value::Operator { tree, env, two });
                        continue;
                    }
                    return fail(AplPhrase, range, "this operator lacks its left operand");
                };
                let right = match two.then(|| rest.next().map(operand)) {
                    None => None,
                    Some(Some(Item::Fun(f))) => Some(Value::Fun(f)),
                    Some(Some(Item::Arr(arr) | Item::Whole(arr))) => Some(Value::Arr(arr)),
                    Some(_) => return fail(AplPhrase, range, "this operator lacks its right operand"),
                };
                out.push(fun(FunKind::Dfn(Dfn { tree, env, left: Some(left), right }), range));
            }
        }
    }
    Ok(out)
}

/// Converts a slash after an operator to the function replicate or expand: `x(⊢⍤/)y`.
fn operand(item: Item) -> Item {
    match item {
        Item::Monadic(glyph @ ('/' | '⌿' | '\\' | '⍀'), range, None) => {
            Item::Fun(Fun { kind: Rc::new(FunKind::Glyph(glyph)), range })
        }
        other => other,
    }
}

fn fun(kind: FunKind, range: TextRange) -> Value {
    Value::Fun(Fun { kind: Rc::new(kind), range })
}

fn monadic(glyph: char, range: TextRange, axis: Option<Arr>, out: &mut Vec<Value>) -> Res<()> {
    let slash = matches!(glyph, '/' | '⌿' | '\\' | '⍀');
    let derived = match out.last() {
        Some(Value::Fun(f)) => {
            let (f, whole) = (f.clone(), f.range.cover(range));
            let kind = match glyph {
                '/' | '⌿' | '\\' | '⍀' => {
                    let axis = match axis {
                        Some(axis) => Axis::At(axis),
                        None if matches!(glyph, '⌿' | '⍀') => Axis::First,
                        None => Axis::Last,
                    };
                    if matches!(glyph, '/' | '⌿') { FunKind::Reduce { f, axis } } else { FunKind::Scan { f, axis } }
                }
                '⌸' => FunKind::Key(f),
                '¨' => FunKind::Each(f),
                '⍨' => FunKind::Commute(f),
                _ => return not_supported(range, format!("`{glyph}`")),
            };
            out.pop();
            fun(kind, whole)
        }
        _ if slash => {
            let plain = Fun { kind: Rc::new(FunKind::Glyph(glyph)), range };
            match axis {
                Some(axis) => fun(FunKind::Along(plain, axis), range),
                None => Value::Fun(plain),
            }
        }
        // `A⍨` gives A for any arguments, as the train `A⊣⊢` does.
        Some(Value::Arr(arr)) if glyph == '⍨' => {
            let (arr, whole) = (arr.clone(), arr.range.cover(range));
            let glyph = |glyph| Fun { kind: Rc::new(FunKind::Glyph(glyph)), range };
            out.pop();
            fun(FunKind::Fork(Value::Arr(arr), glyph('⊣'), glyph('⊢')), whole)
        }
        Some(_) => return not_supported(range, format!("`{glyph}` after an array")),
        None => return fail(AplPhrase, range, format!("`{glyph}` lacks its function")),
    };
    out.push(derived);
    Ok(())
}

fn dyadic(glyph: char, range: TextRange, left: Option<Value>, right: Option<Item>) -> Res<Value> {
    let Some(left) = left else {
        return fail(AplPhrase, range, format!("`{glyph}` lacks its left operand"));
    };
    let right = match right {
        Some(Item::Fun(f)) => Value::Fun(f),
        Some(Item::Arr(arr) | Item::Whole(arr)) => Value::Arr(arr),
        _ => return fail(AplPhrase, range, format!("`{glyph}` lacks its right operand")),
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
        ('⍤', Value::Fun(f), Value::Arr(rank)) => FunKind::Rank(f, rank),
        ('⌺', Value::Fun(f), Value::Arr(lengths)) => FunKind::Stencil(f, lengths),
        ('@', change, place) => FunKind::At(change, place),
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
        let middle = match middle {
            Value::Fun(middle) => middle,
            Value::Arr(_) => return fail(AplPhrase, right.range, "this function has no right argument"),
            _ => return broken(),
        };
        let kind = match cells.pop() {
            None => FunKind::Atop(middle, right),
            Some(left @ (Value::Fun(_) | Value::Arr(_))) => FunKind::Fork(left, middle, right),
            Some(_) => return broken(),
        };
        right = Fun { kind: Rc::new(kind), range };
    }
    Ok(Value::Fun(right))
}
