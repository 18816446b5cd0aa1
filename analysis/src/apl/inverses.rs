//! Inverse functions, for `f⍣¯1`.

use super::scalar::monadic;
use super::value::{Arr, Ev, Fun, FunKind, Res, fail};
use lift_syntax::SyntaxErrorCode::AplNotSupported;
use std::rc::Rc;

/// The inverse of `f`. `left` is the left argument of `f`, if it has one.
pub fn inverse(ev: &mut Ev, f: &Fun, left: Option<&Arr>) -> Res<Fun> {
    let kind = match (&*f.kind, left) {
        (FunKind::Glyph(glyph), None) => of_one(*glyph),
        (FunKind::Glyph(glyph), Some(a)) => of_left(ev, f, *glyph, a)?,
        (FunKind::WithLeft(a, g), None) => return inverse(ev, g, Some(a)),
        (FunKind::WithRight(g, a), None) => match &*g.kind {
            FunKind::Glyph(glyph) => of_right(ev, f, *glyph, a)?,
            _ => None,
        },
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

fn of_one(glyph: char) -> Option<FunKind> {
    Some(FunKind::Glyph(match glyph {
        '+' | '-' | '÷' | '~' | '⌽' | '⊖' | '⍉' | '⌹' | '⊢' | '⊣' => glyph,
        '*' => '⍟',
        '⍟' => '*',
        _ => return None,
    }))
}

/// The inverse of the function `a∘glyph`; `None` if it has none.
fn of_left(ev: &mut Ev, f: &Fun, glyph: char, a: &Arr) -> Res<Option<FunKind>> {
    let named = |glyph: char| Fun { kind: Rc::new(FunKind::Glyph(glyph)), range: f.range };
    Ok(Some(match glyph {
        '+' => FunKind::WithRight(named('-'), a.clone()),
        '×' => FunKind::WithRight(named('÷'), a.clone()),
        '-' | '÷' => FunKind::WithLeft(a.clone(), named(glyph)),
        '*' => FunKind::WithLeft(a.clone(), named('⍟')),
        '⍟' => FunKind::WithLeft(a.clone(), named('*')),
        '⌽' | '⊖' => FunKind::WithLeft(monadic(ev, '-', a)?, named(glyph)),
        _ => return Ok(None),
    }))
}

/// The inverse of the function `glyph∘a`; `None` if it has none.
fn of_right(ev: &mut Ev, f: &Fun, glyph: char, a: &Arr) -> Res<Option<FunKind>> {
    let named = |glyph: char| Fun { kind: Rc::new(FunKind::Glyph(glyph)), range: f.range };
    Ok(Some(match glyph {
        '+' => FunKind::WithRight(named('-'), a.clone()),
        '-' => FunKind::WithRight(named('+'), a.clone()),
        '×' => FunKind::WithRight(named('÷'), a.clone()),
        '÷' => FunKind::WithRight(named('×'), a.clone()),
        '*' => FunKind::WithRight(named('*'), monadic(ev, '÷', a)?),
        _ => return Ok(None),
    }))
}
