//! Scalar functions: kinds, constant values, terms, and scalar extension.

use super::context::{FEW, MANY, arguments_of};
use super::extend::extended;
use super::value::{Arr, Between, Ev, Kind, One, Res, Scalar, fail, not_supported};
use super::{circle, complex, factorial, integer, nested};
use crate::front::term::{Kind as TermKind, Term};
use lift_syntax::{SyntaxErrorCode, TextRange};

/// Whether a glyph is a scalar function.
pub fn is_scalar(glyph: char) -> bool {
    "+-×÷|⌊⌈*⍟=≠<≤>≥∧∨⍲⍱~!○".contains(glyph)
}

/// The kinds of the result and of the converted argument, for one argument.
fn kind_of_one(glyph: char, kind: Kind, range: TextRange) -> Res<(Kind, Kind)> {
    if kind == Kind::Char {
        return fail(SyntaxErrorCode::AplDomain, range, format!("`{glyph}` needs numbers, not characters"));
    }
    if kind == Kind::Complex {
        return complex::kind_of_one(glyph, range);
    }
    let number = kind.max(Kind::Int);
    Ok(match glyph {
        '+' | '-' | '|' => (number, number),
        '×' | '⌊' | '⌈' => (Kind::Int, number),
        '÷' | '*' | '⍟' | '○' => (Kind::Double, Kind::Double),
        '~' => (Kind::Bool, kind),
        '!' => (Kind::Double, Kind::Double),
        _ => {
            let message = format!("`{glyph}` lacks its left argument");
            return fail(SyntaxErrorCode::AplPhrase, range, message);
        }
    })
}

/// The kinds of the result and of the converted arguments, for two arguments.
fn kind_of_two(glyph: char, a: Kind, b: Kind, range: TextRange) -> Res<(Kind, Kind)> {
    let joined = a.max(b);
    let equality = matches!(glyph, '=' | '≠');
    if joined == Kind::Char {
        if equality {
            return Ok((Kind::Bool, Kind::Char));
        }
        return fail(SyntaxErrorCode::AplDomain, range, format!("`{glyph}` needs numbers, not characters"));
    }
    if joined == Kind::Complex {
        return complex::kind_of_two(glyph, range);
    }
    let number = joined.max(Kind::Int);
    Ok(match glyph {
        '+' | '-' | '×' | '|' => (number, number),
        '⌊' | '⌈' if joined == Kind::Bool => (Kind::Bool, Kind::Bool),
        '⌊' | '⌈' => (number, number),
        '÷' | '*' | '⍟' => (Kind::Double, Kind::Double),
        '○' => (Kind::Double, Kind::Double),
        '=' | '≠' if joined == Kind::Bool => (Kind::Bool, Kind::Bool),
        '=' | '≠' | '<' | '≤' | '>' | '≥' => (Kind::Bool, number),
        '∧' | '∨' | '⍲' | '⍱' if joined == Kind::Bool => (Kind::Bool, Kind::Bool),
        '∧' | '∨' if joined == Kind::Int => (Kind::Int, Kind::Int),
        '!' => (Kind::Double, Kind::Double),
        '∧' | '∨' | '⍲' | '⍱' => {
            let message =
                format!("`{glyph}` needs Booleans: what comparisons give, and the numbers 0 and 1 as written");
            return fail(SyntaxErrorCode::AplDomain, range, message);
        }
        _ => return fail(SyntaxErrorCode::AplPhrase, range, format!("`{glyph}` takes no left argument here")),
    })
}

/// The value of a function at a constant; `None` if it must be computed at run time.
fn value_of_one(glyph: char, x: f64, kind: Kind) -> Option<f64> {
    Some(match glyph {
        '+' => x,
        '-' if kind == Kind::Double => -x,
        '-' => f64::from((x as i32).wrapping_neg()),
        '×' => f64::from(i8::from(x > 0.0) - i8::from(x < 0.0)),
        '|' if kind == Kind::Double => x.abs(),
        '|' => f64::from((x as i32).wrapping_abs()),
        '⌊' => f64::from(x.floor() as i32),
        '⌈' => f64::from(x.ceil() as i32),
        '~' => f64::from(i8::from(x == 0.0)),
        '÷' => 1.0 / x,
        '!' if (0.0..=170.0).contains(&x) && x.fract() == 0.0 => (1..=x as u32).map(f64::from).product(),
        _ => return None,
    })
}

/// The value of a function at two constants of one kind; `None` if it must be computed at run time.
fn value_of_two(glyph: char, x: f64, y: f64, kind: Kind) -> Option<f64> {
    let whole = |f: fn(i32, i32) -> i32| f64::from(f(x as i32, y as i32));
    let truth = |b: bool| f64::from(u8::from(b));
    let double = kind == Kind::Double;
    Some(match glyph {
        '+' if double => x + y,
        '+' => whole(i32::wrapping_add),
        '-' if double => x - y,
        '-' => whole(i32::wrapping_sub),
        '×' if double => x * y,
        '×' => whole(i32::wrapping_mul),
        '÷' => x / y,
        '|' if x == 0.0 => y,
        '|' if double => y - x * (y / x).floor(),
        '|' => f64::from((y as i32).wrapping_rem(x as i32).wrapping_add(x as i32).wrapping_rem(x as i32)),
        '⌊' => x.min(y),
        '⌈' => x.max(y),
        '=' => truth(x == y),
        '≠' => truth(x != y),
        '<' => truth(x < y),
        '≤' => truth(x <= y),
        '>' => truth(x > y),
        '≥' => truth(x >= y),
        '∧' if kind == Kind::Int => f64::from(integer::least_multiple(x as i32, y as i32)),
        '∨' if kind == Kind::Int => f64::from(integer::greatest_divisor(x as i32, y as i32)),
        '∧' => truth(x != 0.0 && y != 0.0),
        '∨' => truth(x != 0.0 || y != 0.0),
        '⍲' => truth(x == 0.0 || y == 0.0),
        '⍱' => truth(x == 0.0 && y == 0.0),
        _ => return None,
    })
}

fn term_of_one(ev: &mut Ev, glyph: char, x: Term, kind: Kind) -> Res<Term> {
    if kind == Kind::Complex {
        return complex::one(ev, glyph, x);
    }
    let double = kind == Kind::Double;
    Ok(match glyph {
        '+' => x,
        '-' => ev.app("neg", [x]),
        '|' => ev.app("abs", [x]),
        '×' => {
            let x = ev.share(x, "x")?;
            let zero = || if double { ev.double(0.0) } else { ev.int(0) };
            let negative = ev.choose(ev.app("<", [x.clone(), zero()]), ev.int(-1), ev.int(0));
            ev.choose(ev.app(">", [x, zero()]), ev.int(1), negative)
        }
        '⌊' | '⌈' if !double => x,
        '⌊' => match whole_quotient(&x) {
            Some((n, divisor)) => floor_quotient(ev, n, divisor)?,
            None => ev.app("toInt", [ev.app("floor", [x])]),
        },
        '⌈' => ev.app("toInt", [ev.app("ceil", [x])]),
        '÷' => ev.app("/", [ev.double(1.0), x]),
        '*' => ev.app("exp", [x]),
        '⍟' => ev.app("log", [x]),
        '○' => ev.app("*", [ev.double(std::f64::consts::PI), x]),
        '~' if kind != Kind::Bool => {
            let zero = ev.known(kind, 0.0).term;
            ev.app("=", [x, zero])
        }
        '~' => ev.app("not", [x]),
        '!' => factorial::factorial(ev, x)?,
        _ => return not_supported(ev.at, format!("`{glyph}` of a number that the run computes")),
    })
}

fn term_of_two(ev: &mut Ev, glyph: char, x: Term, y: Term, kind: Kind) -> Res<Term> {
    if kind == Kind::Complex {
        return complex::two(ev, glyph, x, y);
    }
    let not = |ev: &Ev, term: Term| ev.app("not", [term]);
    Ok(match glyph {
        '+' => ev.app("+", [x, y]),
        '-' => ev.app("-", [x, y]),
        '×' => ev.app("*", [x, y]),
        '÷' => ev.app("/", [x, y]),
        '*' if matches!(y.kind(), TermKind::Double(half) if *half == 0.5) => ev.app("sqrt", [x]),
        '*' => ev.app("pow", [x, y]),
        '⍟' => ev.app("/", [ev.app("log", [y]), ev.app("log", [x])]),
        '⌊' if kind == Kind::Bool => ev.app("and", [x, y]),
        '⌈' if kind == Kind::Bool => ev.app("or", [x, y]),
        '⌊' => ev.app("min", [x, y]),
        '⌈' => ev.app("max", [x, y]),
        '=' => ev.app("=", [x, y]),
        '≠' => ev.app("!=", [x, y]),
        '<' => ev.app("<", [x, y]),
        '≤' => ev.app("<=", [x, y]),
        '>' => ev.app(">", [x, y]),
        '≥' => ev.app(">=", [x, y]),
        '∧' if kind == Kind::Int => integer::multiple_term(ev, x, y)?,
        '∨' if kind == Kind::Int => integer::divisor_term(ev, x, y)?,
        '!' => factorial::binomial(ev, x, y)?,
        '∧' => ev.app("and", [x, y]),
        '∨' => ev.app("or", [x, y]),
        '⍲' => not(ev, ev.app("and", [x, y])),
        '⍱' => not(ev, ev.app("or", [x, y])),
        '|' => residue(ev, x, y, kind)?,
        _ => return not_supported(ev.at, format!("`{glyph}` of two arguments")),
    })
}

/// Matches a quotient of doubles whose operands are an integer and a positive constant.
fn whole_quotient(x: &Term) -> Option<(Term, i32)> {
    let [n, divisor] = <[Term; 2]>::try_from(arguments_of(x, "/")?).ok()?;
    let [n] = <[Term; 1]>::try_from(arguments_of(&n, "toDouble")?).ok()?;
    match divisor.kind() {
        TermKind::Double(m) if *m >= 1.0 && *m <= f64::from(i32::MAX) && m.fract() == 0.0 => Some((n, *m as i32)),
        _ => None,
    }
}

/// The rounded-down quotient of an integer, by integer division: doubles give the same result but take longer.
fn floor_quotient(ev: &mut Ev, n: Term, divisor: i32) -> Res<Term> {
    let n = ev.share(n, "n")?;
    let rest = ev.app("mod", [n.clone(), ev.int(divisor)]);
    let below = ev.choose(ev.app("<", [rest, ev.int(0)]), ev.int(-1), ev.int(0));
    Ok(ev.app("+", [ev.app("/", [n, ev.int(divisor)]), below]))
}

/// The remainder of `y` divided by `x`, with the sign of `x`; `y` if `x` is zero.
fn residue(ev: &mut Ev, x: Term, y: Term, kind: Kind) -> Res<Term> {
    let (x, y) = (ev.share(x, "m")?, ev.share(y, "n")?);
    if kind == Kind::Double {
        let rest = ev.app("floorMod", [y.clone(), x.clone()]);
        if matches!(x.kind(), TermKind::Double(m) if *m != 0.0) {
            return Ok(rest);
        }
        return Ok(ev.choose(ev.app("=", [x, ev.double(0.0)]), y, rest));
    }
    let rest = ev.app("floorMod", [y.clone(), x.clone()]);
    if matches!(x.kind(), TermKind::Int(m) if *m != 0) {
        return Ok(rest);
    }
    Ok(ev.choose(ev.app("=", [x, ev.int(0)]), y, rest))
}

/// Applies a scalar function to one array.
pub fn monadic(ev: &mut Ev, glyph: char, x: &Arr) -> Res<Arr> {
    if x.kind == Kind::Nested {
        let f: One = std::rc::Rc::new(move |ev, x| monadic(ev, glyph, x));
        return nested::each(ev, &f, x);
    }
    let (result, wanted) = kind_of_one(glyph, x.kind, ev.at)?;
    let x = ev.as_kind(x, wanted)?;
    if let Some(items) = x.items()
        && (items.iter().all(|item| item.known.is_some()) && items.len() <= MANY || items.len() <= FEW)
    {
        let items = items.to_vec();
        let mut found = Vec::with_capacity(items.len());
        for item in items {
            found.push(one_item(ev, glyph, &item, result, wanted)?);
        }
        return Ok(ev.of_items(result, x.shape.clone(), found));
    }
    let x = ev.ready(&x)?;
    let shape = x.shape.clone();
    Ok(ev.of_pull(result, shape, move |ev, index| {
        let term = ev.element(&x, index)?;
        term_of_one(ev, glyph, term, wanted)
    }))
}

fn one_item(ev: &mut Ev, glyph: char, item: &Scalar, result: Kind, wanted: Kind) -> Res<Scalar> {
    if let Some(value) = item.known.and_then(|x| value_of_one(glyph, x, wanted)) {
        return Ok(ev.known(result, value));
    }
    let term = term_of_one(ev, glyph, item.term.clone(), wanted)?;
    let size = item.size.as_ref().and_then(|size| match glyph {
        '-' => Some(size.neg()),
        '+' | '|' | '⌊' | '⌈' => Some(size.clone()),
        _ => None,
    });
    Ok(Scalar { kind: result, term: ev.share(term, "s")?, known: None, size })
}

/// A scalar function of two elements; the result is not bound to a name.
fn two_items(ev: &mut Ev, glyph: char, x: &Scalar, y: &Scalar, result: Kind, wanted: Kind) -> Res<Scalar> {
    if let (Some(a), Some(b)) = (x.known, y.known)
        && let Some(value) = value_of_two(glyph, a, b, wanted)
    {
        return Ok(ev.known(result, value));
    }
    let size = match (&x.size, &y.size) {
        (Some(a), Some(b)) if wanted <= Kind::Int => match glyph {
            '+' => Some(a.add(b)),
            '-' => Some(a.sub(b)),
            '×' => Some(a.mul(b)),
            '⌈' => Some(a.max(b)),
            '⌊' => Some(a.min(b)),
            _ => None,
        },
        _ => None,
    };
    if let Some(size) = &size
        && let Some(n) = size.as_const()
        && i32::try_from(n).is_ok()
    {
        return Ok(ev.known(result, n as f64));
    }
    let term = term_of_two(ev, glyph, x.term.clone(), y.term.clone(), wanted)?;
    Ok(Scalar { kind: result, term, known: None, size })
}

/// Applies a scalar function to two arrays.
pub fn dyadic(ev: &mut Ev, glyph: char, a: &Arr, b: &Arr) -> Res<Arr> {
    if a.kind == Kind::Nested || b.kind == Kind::Nested {
        return super::nested_operators::each_two(ev, &between(glyph), a, b);
    }
    if glyph == '○' {
        return circle::circle(ev, a, b);
    }
    if glyph == '*'
        && let Some(power) = integer::power(ev, a, b)?
    {
        return Ok(power);
    }
    let (result, wanted) = kind_of_two(glyph, a.kind, b.kind, ev.at)?;
    if wanted == Kind::Char && a.kind != b.kind {
        // A character differs from every number.
        let differs = ev.known(Kind::Bool, f64::from(u8::from(glyph == '≠')));
        let combine = move |_: &mut Ev, _: &Scalar, _: &Scalar| Ok(differs.clone());
        return extended(ev, &format!("`{glyph}`"), result, None, (a, b), combine);
    }
    let combine = move |ev: &mut Ev, x: &Scalar, y: &Scalar| two_items(ev, glyph, x, y, result, wanted);
    extended(ev, &format!("`{glyph}`"), result, Some(wanted), (a, b), combine)
}

/// A scalar function as an operand.
pub fn between(glyph: char) -> Between {
    Between { two: std::rc::Rc::new(move |ev, a, b| dyadic(ev, glyph, a, b)), glyph: Some(glyph) }
}

/// The right identity of a function, and whether the function is associative.
pub fn neutral(glyph: char, kind: Kind) -> Option<(f64, bool)> {
    Some(match (glyph, kind) {
        ('+', Kind::Int | Kind::Double | Kind::Complex) => (0.0, true),
        ('×', Kind::Int | Kind::Double | Kind::Complex) => (1.0, true),
        ('∧', Kind::Int) => (1.0, true),
        ('∨', Kind::Int) => (0.0, true),
        ('≠', Kind::Bool) => (0.0, true),
        ('=', Kind::Bool) => (1.0, true),
        ('*', Kind::Double) => (1.0, false),
        ('|', Kind::Int | Kind::Double) => (0.0, false),
        ('⌈', Kind::Int) => (f64::from(i32::MIN), true),
        ('⌊', Kind::Int) => (f64::from(i32::MAX), true),
        ('⌈', Kind::Double) => (f64::MIN, true),
        ('⌊', Kind::Double) => (f64::MAX, true),
        ('∧' | '⌊', Kind::Bool) => (1.0, true),
        ('∨' | '⌈', Kind::Bool) => (0.0, true),
        ('-', Kind::Int | Kind::Double) => (0.0, false),
        ('÷', Kind::Double) => (1.0, false),
        _ => return None,
    })
}
