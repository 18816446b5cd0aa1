//! Inverse functions, for `f⍣¯1`.

use super::scalar::monadic;
use super::select::grade;
use super::value::{Arr, Axis, Ev, Fun, FunKind, Kind, Res, Value, fail};
use lift_syntax::SyntaxErrorCode::AplNotSupported;
use std::rc::Rc;

/// The inverse of `f`. `left` is the left argument of `f`, if it has one.
pub fn inverse(ev: &mut Ev, f: &Fun, left: Option<&Arr>) -> Res<Fun> {
    let kind = match (&*f.kind, left) {
        (FunKind::Glyph(glyph), None) => of_one(ev, f, *glyph),
        (FunKind::Glyph(glyph), Some(a)) => of_left(ev, f, *glyph, a)?,
        (FunKind::WithLeft(a, g), None) => return inverse(ev, g, Some(a)),
        (FunKind::WithRight(g, a), None) => match &*g.kind {
            FunKind::Glyph(glyph) => of_right(ev, f, *glyph, a)?,
            _ => None,
        },
        (FunKind::Commute(g), Some(a)) => match &*g.kind {
            FunKind::Glyph(glyph) => of_right(ev, f, *glyph, a)?,
            _ => None,
        },
        (FunKind::Commute(g), None) => match &*g.kind {
            FunKind::Glyph(glyph) => of_itself(ev, f, *glyph),
            _ => None,
        },
        (FunKind::Scan { f: g, axis }, None) => match &*g.kind {
            FunKind::Glyph(glyph) => of_scan(ev, f, *glyph, axis),
            _ => None,
        },
        (FunKind::Each(g), None) => Some(FunKind::Each(inverse(ev, g, None)?)),
        (FunKind::Rank(g, ranks), None) => Some(FunKind::Rank(inverse(ev, g, None)?, ranks.clone())),
        (FunKind::Atop(g, h) | FunKind::Beside(g, h), None) => {
            Some(FunKind::Atop(inverse(ev, h, None)?, inverse(ev, g, None)?))
        }
        _ => None,
    };
    match kind {
        Some(kind) => Ok(Fun { kind: Rc::new(kind), range: f.range }),
        None => {
            let message = "`⍣` with a negative number of this function, whose inverse is not known: write the inverse \
                           function with a positive number";
            fail(AplNotSupported, f.range, message)
        }
    }
}

/// The base of `a⊥`, whose inverse gives digits.
pub fn base(f: &Fun, left: Option<&Arr>) -> Option<Arr> {
    match (&*f.kind, left) {
        (FunKind::Glyph('⊥'), Some(base)) => Some(base.clone()),
        (FunKind::WithLeft(base, g), None) if matches!(&*g.kind, FunKind::Glyph('⊥')) => Some(base.clone()),
        _ => None,
    }
}

fn of_one(ev: &mut Ev, f: &Fun, glyph: char) -> Option<FunKind> {
    Some(FunKind::Glyph(match glyph {
        '+' | '-' | '÷' | '~' | '⌽' | '⊖' | '⍉' | '⌹' | '⊢' | '⊣' => glyph,
        '*' => '⍟',
        '⍟' => '*',
        '○' => {
            let pi = number(ev, f, Kind::Double, std::f64::consts::PI);
            return Some(FunKind::WithRight(named(f, '÷'), pi));
        }
        _ => return None,
    }))
}

/// The inverse of `glyph⍨`, which takes its argument twice; `None` if it has none.
fn of_itself(ev: &mut Ev, f: &Fun, glyph: char) -> Option<FunKind> {
    Some(match glyph {
        '+' => FunKind::WithRight(named(f, '÷'), number(ev, f, Kind::Int, 2.0)),
        '×' => FunKind::WithRight(named(f, '*'), number(ev, f, Kind::Double, 0.5)),
        _ => return None,
    })
}

/// The inverse of the scan `glyph\`: from each element the one before it is taken off, as `-` does for `+`; from the first
/// the neutral element. `None` if the function has no inverse.
fn of_scan(ev: &mut Ev, f: &Fun, glyph: char, axis: &Axis) -> Option<FunKind> {
    let (undo, neutral) = match glyph {
        '+' => ('-', number(ev, f, Kind::Int, 0.0)),
        '×' => ('÷', number(ev, f, Kind::Int, 1.0)),
        '≠' => ('≠', number(ev, f, Kind::Bool, 0.0)),
        '=' => ('=', number(ev, f, Kind::Bool, 1.0)),
        _ => return None,
    };
    let fun = |kind| Fun { kind: Rc::new(kind), range: f.range };
    let without_last = fun(FunKind::WithLeft(number(ev, f, Kind::Int, -1.0), named(f, '↓')));
    let before = |join| {
        let shifted = fun(FunKind::Atop(fun(FunKind::WithLeft(neutral.clone(), named(f, join))), without_last.clone()));
        FunKind::Fork(Value::Fun(named(f, '⊢')), named(f, undo), shifted)
    };
    match axis {
        Axis::First => Some(before('⍪')),
        Axis::Last => Some(FunKind::Rank(fun(before(',')), number(ev, f, Kind::Int, 1.0))),
        Axis::At(_) => None,
    }
}

fn named(f: &Fun, glyph: char) -> Fun {
    Fun { kind: Rc::new(FunKind::Glyph(glyph)), range: f.range }
}

fn number(ev: &mut Ev, f: &Fun, kind: Kind, value: f64) -> Arr {
    let value = ev.known(kind, value);
    ev.of_scalar(value).at(f.range)
}

/// The inverse of the function `a∘glyph`; `None` if it has none.
fn of_left(ev: &mut Ev, f: &Fun, glyph: char, a: &Arr) -> Res<Option<FunKind>> {
    Ok(Some(match glyph {
        '+' => FunKind::WithRight(named(f, '-'), a.clone()),
        '×' => FunKind::WithRight(named(f, '÷'), a.clone()),
        '-' | '÷' => FunKind::WithLeft(a.clone(), named(f, glyph)),
        '*' => FunKind::WithLeft(a.clone(), named(f, '⍟')),
        '⍟' => FunKind::WithLeft(a.clone(), named(f, '*')),
        '≠' | '=' if a.kind == Kind::Bool => FunKind::WithLeft(a.clone(), named(f, glyph)),
        '⊤' => FunKind::WithLeft(a.clone(), named(f, '⊥')),
        '○' => FunKind::WithLeft(monadic(ev, '-', a)?, named(f, glyph)),
        '⍉' if is_order(a) => FunKind::WithLeft(grade(ev, '⍋', a)?, named(f, glyph)),
        '⌽' | '⊖' => FunKind::WithLeft(monadic(ev, '-', a)?, named(f, glyph)),
        _ => return Ok(None),
    }))
}

/// The inverse of the function `glyph∘a`; `None` if it has none.
fn of_right(ev: &mut Ev, f: &Fun, glyph: char, a: &Arr) -> Res<Option<FunKind>> {
    Ok(Some(match glyph {
        '+' => FunKind::WithRight(named(f, '-'), a.clone()),
        '-' => FunKind::WithRight(named(f, '+'), a.clone()),
        '×' => FunKind::WithRight(named(f, '÷'), a.clone()),
        '÷' => FunKind::WithRight(named(f, '×'), a.clone()),
        '*' => FunKind::WithRight(named(f, '*'), monadic(ev, '÷', a)?),
        '⍟' => {
            let power = Fun { kind: Rc::new(FunKind::WithLeft(a.clone(), named(f, '*'))), range: f.range };
            FunKind::Atop(power, named(f, '÷'))
        }
        '≠' | '=' if a.kind == Kind::Bool => FunKind::WithRight(named(f, glyph), a.clone()),
        _ => return Ok(None),
    }))
}

/// Whether numbers that are known before the run are all different.
fn is_order(axes: &Arr) -> bool {
    let known = axes.known().filter(|_| axes.rank() == 1 && axes.kind <= Kind::Int);
    known.is_some_and(|known| known.iter().enumerate().all(|(at, axis)| !known[..at].contains(axis)))
}
