//! Application of functions to arguments: glyphs, derived functions and trains.

use super::reduce::{self, Between, One};
use super::value::{Arr, Ev, Fun, FunKind, Res, Value, fail, not_supported};
use super::{power, scalar, select, structure};
use lift_syntax::SyntaxErrorCode::AplPhrase;
use lift_syntax::TextRange;
use std::rc::Rc;

/// Applies a function. The range of the result covers function and arguments.
pub fn apply(ev: &mut Ev, f: &Fun, left: Option<&Arr>, right: &Arr) -> Res<Arr> {
    let start = left.map_or(f.range, |left| left.range);
    let whole = if start.start() <= right.range.end() && ev.calls == 0 { start.cover(right.range) } else { f.range };
    let before = std::mem::replace(&mut ev.at, f.range);
    let result = apply_kind(ev, f, left, right);
    ev.at = before;
    let mut result = result?;
    if result.rank() == 0 && result.items().is_none() {
        let element = ev.element(&result, &[])?;
        result = ev.of_term(result.kind, element)?;
    }
    let result = ev.unchained(result)?.at(whole);
    if ev.calls == 0 {
        ev.note(whole, result.type_text());
    }
    ev.note(f.range, result.type_text());
    Ok(result)
}

fn apply_kind(ev: &mut Ev, f: &Fun, left: Option<&Arr>, right: &Arr) -> Res<Arr> {
    match &*f.kind {
        FunKind::Glyph(glyph) => {
            ev.valence(f.range, *glyph, left.is_some());
            match left {
                None => one(ev, *glyph, right),
                Some(left) => two(ev, *glyph, left, right),
            }
        }
        FunKind::Dfn(dfn) => (ev.call)(ev, f, dfn, left.cloned(), right.clone()),
        FunKind::Reduce { f: inner, first } => match left {
            None => reduce::reduce(ev, &between(inner), *first, right),
            Some(_) => not_supported(f.range, "n-wise reduction, `/` with a left argument,"),
        },
        FunKind::Scan { f: inner, first } => match left {
            None => reduce::scan(ev, &between(inner), *first, right),
            Some(_) => fail(AplPhrase, f.range, "a scan takes no left argument"),
        },
        FunKind::Outer(inner) => match left {
            Some(left) => reduce::outer(ev, &between(inner), left, right),
            None => fail(AplPhrase, f.range, "the outer product lacks its left argument"),
        },
        FunKind::Inner(plus, times) => match left {
            Some(left) => reduce::inner(ev, &between(plus), &between(times), left, right),
            None => fail(AplPhrase, f.range, "the inner product lacks its left argument"),
        },
        FunKind::Each(inner) => match left {
            None => reduce::each(ev, &alone(inner), right),
            Some(left) => reduce::each_two(ev, &between(inner), left, right),
        },
        FunKind::Power(inner, Value::Arr(n)) => {
            let fixed = left.cloned();
            let inner = inner.clone();
            let prints = prints(&inner);
            let once: One = Rc::new(move |ev, x| apply(ev, &inner, fixed.as_ref(), x));
            power::power(ev, &once, n, prints, right)
        }
        FunKind::Power(..) => not_supported(f.range, "`⍣` with a function at its right"),
        FunKind::Commute(inner) => apply(ev, inner, Some(right), left.unwrap_or(right)),
        FunKind::Atop(g, h) => {
            let inner = apply(ev, h, left, right)?;
            apply(ev, g, None, &inner)
        }
        FunKind::Beside(g, h) => {
            let inner = apply(ev, h, None, right)?;
            apply(ev, g, left, &inner)
        }
        FunKind::Over(g, h) => {
            let right = apply(ev, h, None, right)?;
            let left = left.map(|left| apply(ev, h, None, left)).transpose()?;
            apply(ev, g, left.as_ref(), &right)
        }
        FunKind::WithLeft(arr, g) if left.is_none() => apply(ev, g, Some(arr), right),
        FunKind::WithRight(g, arr) if left.is_none() => apply(ev, g, Some(right), arr),
        FunKind::WithLeft(..) | FunKind::WithRight(..) => {
            fail(AplPhrase, f.range, "a function with one argument fixed takes no left argument")
        }
        FunKind::Fork(a, g, h) => {
            let right_value = apply(ev, h, left, right)?;
            let left_value = match a {
                Value::Arr(arr) => arr.clone(),
                Value::Fun(inner) => apply(ev, inner, left, right)?,
                _ => return fail(AplPhrase, f.range, "this part of a train is neither an array nor a function"),
            };
            apply(ev, g, Some(&left_value), &right_value)
        }
    }
}

/// A function as an operation between elements.
fn between(f: &Fun) -> Between {
    let glyph = if let FunKind::Glyph(glyph) = &*f.kind { Some(*glyph) } else { None };
    let f = f.clone();
    Between { two: Rc::new(move |ev, a, b| apply(ev, &f, Some(a), b)), glyph }
}

fn alone(f: &Fun) -> One {
    let f = f.clone();
    Rc::new(move |ev, x| apply(ev, &f, None, x))
}

/// Whether a function, or one from which it is derived, mentions `⎕`.
fn prints(f: &Fun) -> bool {
    match &*f.kind {
        FunKind::Glyph(_) => false,
        FunKind::Dfn(dfn) => {
            let operands = [&dfn.left, &dfn.right];
            let by_operand = operands.into_iter().flatten().any(|value| matches!(value, Value::Fun(f) if prints(f)));
            by_operand || super::names::mentions_quad(&dfn.tree, &dfn.env, 8)
        }
        FunKind::Reduce { f, .. } | FunKind::Scan { f, .. } | FunKind::Outer(f) | FunKind::Each(f) => prints(f),
        FunKind::Power(f, _) | FunKind::Commute(f) | FunKind::WithLeft(_, f) | FunKind::WithRight(f, _) => prints(f),
        FunKind::Inner(f, g) | FunKind::Atop(f, g) | FunKind::Beside(f, g) | FunKind::Over(f, g) => {
            prints(f) || prints(g)
        }
        FunKind::Fork(a, g, h) => prints(g) || prints(h) || matches!(a, Value::Fun(f) if prints(f)),
    }
}

/// Applies a glyph to one argument.
fn one(ev: &mut Ev, glyph: char, x: &Arr) -> Res<Arr> {
    match glyph {
        '⍳' => structure::iota(ev, x),
        '⍴' => Ok(structure::shape(ev, x)),
        '≢' => Ok(structure::tally(ev, x)),
        ',' => structure::ravel(ev, x),
        '⍪' => structure::table(ev, x),
        '⌽' | '⊖' => structure::reverse(ev, glyph, x),
        '⍉' => structure::transpose(ev, x),
        '⊃' => structure::first(ev, x),
        '⊢' | '⊣' | '↑' | '⌷' => Ok(x.clone()),
        '⍋' | '⍒' => select::grade(ev, glyph, x),
        _ if scalar::is_scalar(glyph) => scalar::monadic(ev, glyph, x),
        _ => missing(ev.at, glyph, "with one argument"),
    }
}

/// Applies a glyph to two arguments.
fn two(ev: &mut Ev, glyph: char, a: &Arr, x: &Arr) -> Res<Arr> {
    match glyph {
        '⍴' => structure::reshape(ev, a, x),
        ',' | '⍪' => structure::catenate(ev, glyph, a, x),
        '↑' => structure::take(ev, a, x),
        '↓' => structure::drop(ev, a, x),
        '⌽' | '⊖' => structure::rotate(ev, glyph, a, x),
        '⍉' => structure::transpose_axes(ev, a, x),
        '⊢' => Ok(x.clone()),
        '⊣' => Ok(a.clone()),
        '/' | '⌿' => select::replicate(ev, glyph, a, x),
        '⌷' => select::squad(ev, a, x),
        _ if scalar::is_scalar(glyph) && glyph != '~' && glyph != '!' => scalar::dyadic(ev, glyph, a, x),
        _ => missing(ev.at, glyph, "with two arguments"),
    }
}

fn missing<T>(range: TextRange, glyph: char, how: &str) -> Res<T> {
    not_supported(range, format!("`{glyph}` {how}"))
}
