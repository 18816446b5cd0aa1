//! Functions on whole numbers that need a loop: greatest common divisor, least common multiple, whole powers.

use super::extend::extended;
use super::value::{Arr, Ev, Kind, Res, Scalar};
use crate::front::term::{Kind as TermKind, Term};

/// Limit on the exponent of a power that is written as products.
const MOST_FACTORS: f64 = 31.0;

pub fn greatest_divisor(x: i32, y: i32) -> i32 {
    let (mut a, mut b) = (x.wrapping_abs(), y.wrapping_abs());
    while b != 0 {
        (a, b) = (b, a.wrapping_rem(b));
    }
    a
}

pub fn least_multiple(x: i32, y: i32) -> i32 {
    match greatest_divisor(x, y) {
        0 => 0,
        divisor => x.wrapping_div(divisor).wrapping_mul(y),
    }
}

/// `a*b` as whole numbers: for an exponent known before the run that is not negative, or for constants whose powers fit.
/// `None` for any other power, which is a Double.
pub fn power(ev: &mut Ev, a: &Arr, b: &Arr) -> Res<Option<Arr>> {
    if a.kind > Kind::Int || b.kind > Kind::Int {
        return Ok(None);
    }
    let Some(exponents) = b.known().filter(|known| known.iter().all(|n| (0.0..=MOST_FACTORS).contains(n))) else {
        return Ok(None);
    };
    let most = exponents.iter().copied().fold(0.0, f64::max);
    let fits = |bases: &[f64]| bases.iter().all(|x| x.abs().powf(most) <= f64::from(i32::MAX));
    match a.known() {
        Some(bases) if fits(&bases) => {}
        None if exponents.len() == 1 => {}
        _ => return Ok(None),
    }
    let combine = |ev: &mut Ev, x: &Scalar, n: &Scalar| {
        let factors = n.known.unwrap_or(0.0) as i32;
        if let Some(x) = x.known {
            return Ok(ev.known(Kind::Int, x.powi(factors)));
        }
        let x = ev.share(x.term.clone(), "x")?;
        let product = (1..factors).fold(x.clone(), |product, _| ev.app("*", [product, x.clone()]));
        let term = if factors == 0 { ev.int(1) } else { product };
        Ok(Scalar { kind: Kind::Int, term, known: None, size: None })
    };
    extended(ev, "`*`", Kind::Int, Some(Kind::Int), (a, b), combine).map(Some)
}

/// The greatest common divisor, by Euclid's algorithm.
pub fn divisor_term(ev: &mut Ev, x: Term, y: Term) -> Res<Term> {
    let second = |ev: &Ev, state: &Term| ev.app("get2", [state.clone()]);
    let test = ev.lambda(&["s"], |ev, args| Ok(ev.app("!=", [second(ev, &args[0]), ev.int(0)])))?;
    let step = ev.lambda(&["s"], |ev, args| {
        let first = ev.app("get1", [args[0].clone()]);
        let rest = ev.app("mod", [first, second(ev, &args[0])]);
        Ok(ev.term(TermKind::Tuple(vec![second(ev, &args[0]), rest])))
    })?;
    let start = ev.term(TermKind::Tuple(vec![ev.app("abs", [x]), ev.app("abs", [y])]));
    Ok(ev.app("get1", [ev.app("iterateWhile", [test, step, start])]))
}

/// The least common multiple.
pub fn multiple_term(ev: &mut Ev, x: Term, y: Term) -> Res<Term> {
    let (x, y) = (ev.share(x, "x")?, ev.share(y, "y")?);
    let divisor = divisor_term(ev, x.clone(), y.clone())?;
    let divisor = ev.share(divisor, "d")?;
    let divisor = ev.app("max", [divisor, ev.int(1)]);
    Ok(ev.app("*", [ev.app("/", [x, divisor]), y]))
}
