//! `!`: factorials and binomial coefficients. Those of whole numbers are products, others Γ by Lanczos's approximation.

use super::context::arguments_of;
use super::value::{Ev, Res};
use crate::front::term::{Kind as TermKind, Term};
use std::f64::consts::PI;

/// Greater factorials overflow a Double.
const MOST: f64 = 171.0;

/// Lanczos's coefficients for g = 7: 15 digits.
const FIRST: f64 = 0.999_999_999_999_809_9;
const COEFFICIENTS: [f64; 8] = [
    676.520_368_121_885_1,
    -1_259.139_216_722_402_8,
    771.323_428_777_653_1,
    -176.615_029_162_140_6,
    12.507_343_278_686_905,
    -0.138_571_095_265_720_12,
    9.984_369_578_019_572e-6,
    1.505_632_735_149_311_6e-7,
];

/// Whether a Double is provably a whole number.
fn is_whole(x: &Term) -> bool {
    match x.kind() {
        TermKind::Double(x) => x.fract() == 0.0,
        _ => arguments_of(x, "toDouble").is_some(),
    }
}

/// The product of `factor` applied to 1, 2, … up to a Double.
fn product(ev: &mut Ev, up_to: Term, factor: impl Fn(&Ev, Term) -> Term) -> Res<Term> {
    let count = |ev: &Ev, state: &Term| ev.app("get1", [state.clone()]);
    let test = ev.lambda(&["s"], |ev, args| Ok(ev.app("<=", [count(ev, &args[0]), up_to.clone()])))?;
    let step = ev.lambda(&["s"], |ev, args| {
        let this = factor(ev, count(ev, &args[0]));
        let product = ev.app("*", [ev.app("get2", [args[0].clone()]), this]);
        let next = ev.app("+", [count(ev, &args[0]), ev.double(1.0)]);
        Ok(ev.term(TermKind::Tuple(vec![next, product])))
    })?;
    let start = ev.term(TermKind::Tuple(vec![ev.double(1.0), ev.double(1.0)]));
    Ok(ev.app("get2", [ev.app("iterateWhile", [test, step, start])]))
}

/// `!x`: infinite for negative whole numbers.
pub fn factorial(ev: &mut Ev, x: Term) -> Res<Term> {
    let whole = is_whole(&x);
    let x = ev.share(x, "x")?;
    let of_whole = |ev: &mut Ev| {
        let most = ev.app("min", [x.clone(), ev.double(MOST)]);
        let most = ev.share(most, "n")?;
        let made = product(ev, most, |_, factor| factor)?;
        let none = ev.app("/", [ev.double(1.0), ev.double(0.0)]);
        Ok(ev.choose(ev.app("<", [x.clone(), ev.double(0.0)]), none, made))
    };
    if whole {
        return of_whole(ev);
    }
    let condition = ev.app("=", [ev.app("floor", [x.clone()]), x.clone()]);
    ev.branches(condition, of_whole, |ev| gamma(ev, &x))
}

/// Γ(x+1) of a number that is not whole.
fn gamma(ev: &mut Ev, x: &Term) -> Res<Term> {
    let left = ev.app("<", [x.clone(), ev.double(-0.5)]);
    let left = ev.share(left, "left")?;
    let mirrored = ev.app("-", [ev.double(-1.0), x.clone()]);
    let z = ev.choose(left.clone(), mirrored, x.clone());
    let z = ev.share(z, "z")?;
    let mut sum = ev.double(FIRST);
    for (number, coefficient) in COEFFICIENTS.into_iter().enumerate() {
        let below = ev.app("+", [z.clone(), ev.double(number as f64 + 1.0)]);
        sum = ev.app("+", [sum, ev.app("/", [ev.double(coefficient), below])]);
    }
    let t = ev.app("+", [z.clone(), ev.double(7.5)]);
    let t = ev.share(t, "t")?;
    // Half of the power at a time, because the whole may be too large for a Double.
    let half = ev.app("*", [ev.double(0.5), ev.app("+", [z, ev.double(0.5)])]);
    let half = ev.app("pow", [t.clone(), half]);
    let half = ev.share(half, "half")?;
    let scale = ev.app("*", [ev.double((2.0 * PI).sqrt()), ev.app("exp", [ev.app("neg", [t])])]);
    let right = ev.app("*", [ev.app("*", [ev.app("*", [half.clone(), scale]), half]), sum]);
    let right = ev.share(right, "right")?;
    let sine = ev.app("sin", [ev.app("*", [ev.double(PI), ev.app("+", [x.clone(), ev.double(1.0)])])]);
    let other = ev.app("/", [ev.double(PI), ev.app("*", [sine, right.clone()])]);
    Ok(ev.choose(left, other, right))
}

/// `k!n`.
pub fn binomial(ev: &mut Ev, k: Term, n: Term) -> Res<Term> {
    let whole = is_whole(&k) && is_whole(&n);
    let (k, n) = (ev.share(k, "k")?, ev.share(n, "n")?);
    let rest = ev.app("-", [n.clone(), k.clone()]);
    let rest = ev.share(rest, "rest")?;
    if whole {
        // With `n-k` for a negative `k`: both give the same.
        let negative = ev.app("<", [k.clone(), ev.double(0.0)]);
        let negative = ev.share(negative, "negative")?;
        let up_to = ev.choose(negative.clone(), rest.clone(), k.clone());
        let up_to = ev.share(up_to, "k")?;
        let rest = ev.choose(negative, k, rest);
        let rest = ev.share(rest, "rest")?;
        let made = quotients(ev, &rest, up_to.clone())?;
        let made = ev.app("round", [made]);
        return Ok(ev.choose(ev.app("<", [up_to, ev.double(0.0)]), ev.double(0.0), made));
    }
    let counted = ev.app("=", [ev.app("floor", [k.clone()]), k.clone()]);
    let counted = ev.app("and", [counted, ev.app(">=", [k.clone(), ev.double(0.0)])]);
    let product = |ev: &mut Ev| quotients(ev, &rest, k.clone());
    ev.branches(counted, product, |ev| {
        let (of_k, of_rest) = (factorial(ev, k.clone())?, factorial(ev, rest.clone())?);
        let of_n = factorial(ev, n.clone())?;
        Ok(ev.app("/", [of_n, ev.app("*", [of_k, of_rest])]))
    })
}

/// The product of `(rest+i)÷i` for i from 1 to `k`.
fn quotients(ev: &mut Ev, rest: &Term, k: Term) -> Res<Term> {
    product(ev, k, |ev, i| ev.app("/", [ev.app("+", [rest.clone(), i.clone()]), i]))
}
