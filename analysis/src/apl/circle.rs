//! `○` with two arguments: the left selects a function of the right.

use super::complex;
use super::extend::extended;
use super::value::{Arr, Ev, Kind, Res, Scalar, fail, not_supported, write_instead};
use crate::front::term::Term;
use lift_syntax::SyntaxErrorCode::AplDomain;

pub fn circle(ev: &mut Ev, a: &Arr, b: &Arr) -> Res<Arr> {
    if a.kind > Kind::Int {
        return fail(AplDomain, a.range, "the left of `○` is a whole number that selects a function");
    }
    if b.kind > Kind::Complex {
        return fail(AplDomain, b.range, "`○` needs numbers, not characters");
    }
    let range = ev.at;
    let is_complex = b.kind == Kind::Complex;
    let b = if is_complex { b.clone() } else { ev.as_kind(b, Kind::Double)? };
    let combine = move |ev: &mut Ev, which: &Scalar, x: &Scalar| {
        let Some(which) = which.known else {
            return write_instead(
                range,
                "`○` with a left argument that is computed at run time",
                "`n⊃(1○x)(2○x)` selects one of several",
            );
        };
        let which = which as i32;
        let term = if is_complex {
            complex::part(ev, which, x.term.clone(), range)?
        } else {
            selected(ev, which, x.term.clone(), range)?
        };
        Ok(Scalar { kind: Kind::Double, term, known: None, size: None })
    };
    extended(ev, "`○`", Kind::Double, None, (a, &b), combine)
}

/// √(x² + c), or √(c - x²) if `minus`.
fn root(ev: &Ev, x: &Term, c: f64, minus: bool) -> Term {
    let square = ev.app("*", [x.clone(), x.clone()]);
    let (name, args) = if minus { ("-", [ev.double(c), square]) } else { ("+", [square, ev.double(c)]) };
    ev.app("sqrt", [ev.app(name, args)])
}

fn selected(ev: &mut Ev, which: i32, x: Term, range: lift_syntax::TextRange) -> Res<Term> {
    let x = ev.share(x, "x")?;
    Ok(match which {
        0 => root(ev, &x, 1.0, true),
        1 => ev.app("sin", [x]),
        2 => ev.app("cos", [x]),
        3 => ev.app("tan", [x]),
        4 => root(ev, &x, 1.0, false),
        5 => ev.app("sinh", [x]),
        6 => ev.app("cosh", [x]),
        7 => ev.app("tanh", [x]),
        9 => x,
        10 => ev.app("abs", [x]),
        11 => ev.double(0.0),
        12 => ev.app("atan2", [ev.double(0.0), x]),
        -1 => ev.app("asin", [x]),
        -2 => ev.app("acos", [x]),
        -3 => ev.app("atan", [x]),
        -4 => root(ev, &x, -1.0, false),
        -5 => ev.app("asinh", [x]),
        -6 => ev.app("acosh", [x]),
        -7 => ev.app("atanh", [x]),
        n => {
            let n = n.to_string().replace('-', "¯");
            return not_supported(range, format!("`{n}○` (¯7 to 7 and 9 to 12 are)"));
        }
    })
}
