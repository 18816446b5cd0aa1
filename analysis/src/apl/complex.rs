//! Complex numbers: pairs of doubles.

use super::value::{Ev, Kind, Res, not_supported};
use crate::front::term::{Kind as TermKind, Term};
use lift_syntax::TextRange;

/// The kinds of the result and of the converted argument, for one argument.
pub fn kind_of_one(glyph: char, range: TextRange) -> Res<(Kind, Kind)> {
    match glyph {
        '|' => Ok((Kind::Double, Kind::Complex)),
        '+' | '-' | '×' | '÷' | '*' | '⍟' | '○' => Ok((Kind::Complex, Kind::Complex)),
        _ => not_supported(range, format!("`{glyph}` of complex numbers")),
    }
}

/// The kinds of the result and of the converted arguments, for two arguments.
pub fn kind_of_two(glyph: char, range: TextRange) -> Res<(Kind, Kind)> {
    match glyph {
        '=' | '≠' => Ok((Kind::Bool, Kind::Complex)),
        '+' | '-' | '×' | '÷' | '*' => Ok((Kind::Complex, Kind::Complex)),
        _ => not_supported(range, format!("`{glyph}` of complex numbers")),
    }
}

pub fn one(ev: &mut Ev, glyph: char, z: Term) -> Res<Term> {
    let (re, im) = ev.halves(z)?;
    Ok(match glyph {
        '+' => ev.pair(re, ev.app("neg", [im])),
        '-' => ev.pair(ev.app("neg", [re]), ev.app("neg", [im])),
        '|' => magnitude(ev, &re, &im),
        '×' => {
            let size = magnitude(ev, &re, &im);
            let size = ev.share(size, "m")?;
            let zero = ev.app("=", [size.clone(), ev.double(0.0)]);
            let part = |ev: &Ev, part: Term| ev.choose(zero.clone(), ev.double(0.0), ev.app("/", [part, size.clone()]));
            ev.pair(part(ev, re), part(ev, im))
        }
        '÷' => {
            let one = ev.pair(ev.double(1.0), ev.double(0.0));
            quotient(ev, one, ev.pair(re, im))?
        }
        '*' => exponential(ev, re, im)?,
        '⍟' => logarithm(ev, &re, &im),
        _ => {
            let pi = || ev.double(std::f64::consts::PI);
            ev.pair(ev.app("*", [pi(), re]), ev.app("*", [pi(), im]))
        }
    })
}

pub fn two(ev: &mut Ev, glyph: char, x: Term, y: Term) -> Res<Term> {
    if glyph == '÷' {
        return quotient(ev, x, y);
    }
    let ((a, b), (c, d)) = (ev.halves(x)?, ev.halves(y)?);
    if let Some(factors) = known_factors(&c, &d).filter(|_| glyph == '*') {
        return repeated(ev, (a, b), factors);
    }
    Ok(match glyph {
        '+' => ev.pair(ev.app("+", [a, c]), ev.app("+", [b, d])),
        '-' => ev.pair(ev.app("-", [a, c]), ev.app("-", [b, d])),
        '×' => product(ev, (&a, &b), (&c, &d)),
        '*' => {
            let base = logarithm(ev, &a, &b);
            let (re, im) = ev.halves(base)?;
            let power = product(ev, (&re, &im), (&c, &d));
            let (re, im) = ev.halves(power)?;
            let power = exponential(ev, re, im)?;
            let (re, im) = ev.halves(power)?;
            // The logarithm of 0 is an infinity.
            let zero = ev.app("and", [ev.app("=", [a, ev.double(0.0)]), ev.app("=", [b, ev.double(0.0)])]);
            let zero = ev.share(zero, "zero")?;
            let none = ev.app("=", [c, ev.double(0.0)]);
            let whole = ev.choose(none, ev.double(1.0), ev.double(0.0));
            ev.pair(ev.choose(zero.clone(), whole, re), ev.choose(zero, ev.double(0.0), im))
        }
        '=' => ev.app("and", [ev.app("=", [a, c]), ev.app("=", [b, d])]),
        _ => ev.app("or", [ev.app("!=", [a, c]), ev.app("!=", [b, d])]),
    })
}

/// The exponent `c + di`, if it is a small whole number known before the run.
fn known_factors(c: &Term, d: &Term) -> Option<u32> {
    const MOST: f64 = 16.0;
    match (c.kind(), d.kind()) {
        (TermKind::Double(c), TermKind::Double(d)) if *d == 0.0 && c.fract() == 0.0 && (0.0..=MOST).contains(c) => {
            Some(*c as u32)
        }
        _ => None,
    }
}

/// The product of equal factors, without the rounding of `exp` and `log`.
fn repeated(ev: &mut Ev, (a, b): (Term, Term), factors: u32) -> Res<Term> {
    let (mut re, mut im) = (ev.double(1.0), ev.double(0.0));
    for index in 0..factors {
        (re, im) = match index {
            0 => (a.clone(), b.clone()),
            _ => {
                let power = product(ev, (&re, &im), (&a, &b));
                ev.halves(power)?
            }
        };
    }
    Ok(ev.pair(re, im))
}

fn magnitude(ev: &Ev, re: &Term, im: &Term) -> Term {
    let square = |x: &Term| ev.app("*", [x.clone(), x.clone()]);
    ev.app("sqrt", [ev.app("+", [square(re), square(im)])])
}

fn product(ev: &Ev, (a, b): (&Term, &Term), (c, d): (&Term, &Term)) -> Term {
    let times = |x: &Term, y: &Term| ev.app("*", [x.clone(), y.clone()]);
    ev.pair(ev.app("-", [times(a, c), times(b, d)]), ev.app("+", [times(a, d), times(b, c)]))
}

fn quotient(ev: &mut Ev, x: Term, y: Term) -> Res<Term> {
    let ((a, b), (c, d)) = (ev.halves(x)?, ev.halves(y)?);
    let square = ev.app("+", [ev.app("*", [c.clone(), c.clone()]), ev.app("*", [d.clone(), d.clone()])]);
    let square = ev.share(square, "q")?;
    let (re, im) = {
        let minus = ev.app("neg", [d]);
        let conjugate = ev.share(minus, "d")?;
        let top = product(ev, (&a, &b), (&c, &conjugate));
        ev.halves(top)?
    };
    Ok(ev.pair(ev.app("/", [re, square.clone()]), ev.app("/", [im, square])))
}

fn exponential(ev: &mut Ev, re: Term, im: Term) -> Res<Term> {
    let size = ev.app("exp", [re]);
    let size = ev.share(size, "m")?;
    let part = |name, im: &Term| ev.app("*", [size.clone(), ev.app(name, [im.clone()])]);
    Ok(ev.pair(part("cos", &im), part("sin", &im)))
}

fn logarithm(ev: &Ev, re: &Term, im: &Term) -> Term {
    ev.pair(ev.app("log", [magnitude(ev, re, im)]), ev.app("atan2", [im.clone(), re.clone()]))
}

/// The part that `which○z` selects of a complex number: a Double.
pub fn part(ev: &mut Ev, which: i32, z: Term, range: TextRange) -> Res<Term> {
    let (re, im) = ev.halves(z)?;
    match which {
        9 => Ok(re),
        10 => Ok(magnitude(ev, &re, &im)),
        11 => Ok(im),
        12 => Ok(ev.app("atan2", [im, re])),
        _ => not_supported(range, format!("`{which}○` of complex numbers (9 10 11 12 are)")),
    }
}
