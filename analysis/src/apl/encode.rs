//! Decode and encode, `a⊥x` and `a⊤x`.

use super::context::FEW;
use super::extend::extended;
use super::scalar;
use super::value::{Arr, Ev, Kind, Res, Scalar, fail, not_supported, write_instead};
use crate::front::term::{Kind as TermKind, Term};
use crate::size::Size;
use lift_syntax::SyntaxErrorCode::{AplDomain, AplRank};

fn numbers(x: &Arr, glyph: char) -> Res<()> {
    if x.kind > Kind::Double {
        return fail(AplDomain, x.range, format!("`{glyph}` needs numbers"));
    }
    Ok(())
}

/// `a⊥x`: the value of digits along the first axis of `x`, by Horner's rule.
pub fn decode(ev: &mut Ev, a: &Arr, x: &Arr) -> Res<Arr> {
    numbers(a, '⊥')?;
    numbers(x, '⊥')?;
    if a.rank() > 1 {
        return write_instead(a.range, "`⊥` with a matrix as its left argument", "`a(⊥⍤1)x` takes each of its rows");
    }
    let x = if x.rank() == 0 { super::structure::ravel(ev, x)? } else { x.clone() };
    let kind = a.kind.max(x.kind).max(Kind::Int);
    let (a, x) = (ev.as_kind(a, kind)?, ev.as_kind(&x, kind)?);
    let n = x.shape[0].clone();
    let single = a.items().is_some_and(|items| items.len() == 1);
    let a = if single {
        a
    } else {
        let frame = Arr { shape: vec![n.clone()], ..x.clone() };
        ev.conform_left(&frame, &a, &[(0, 0)], "`⊥`")?
    };
    if let (1, Some(digits), Some(bases)) = (x.rank(), x.items(), a.items())
        && digits.len() <= FEW
    {
        let (digits, bases) = (digits.to_vec(), bases.to_vec());
        let zero = ev.known(kind, 0.0);
        let mut sum = ev.of_scalar(zero);
        for (place, digit) in digits.into_iter().enumerate() {
            let base = ev.of_scalar(bases[if single { 0 } else { place }].clone());
            let digit = ev.of_scalar(digit);
            sum = scalar::dyadic(ev, '×', &sum, &base)?;
            sum = scalar::dyadic(ev, '+', &sum, &digit)?;
        }
        return Ok(sum);
    }
    let (a, x) = (ev.ready(&a)?, ev.ready(&x)?);
    let shape = x.shape[1..].to_vec();
    Ok(ev.of_pull(kind, shape, move |ev, index| {
        let zero = ev.known(kind, 0.0).term;
        let all = ev.size_argument(&n);
        let all = ev.app("iota", [all]);
        let step = ev.lambda(&["sum", "i"], |ev, args| {
            let i = &args[1..];
            let base = match (a.items(), single) {
                (Some(items), true) => items[0].term.clone(),
                _ => ev.element(&a, i)?,
            };
            let mut at = i.to_vec();
            at.extend_from_slice(index);
            let digit = ev.element(&x, &at)?;
            Ok(ev.app("+", [ev.app("*", [args[0].clone(), base]), digit]))
        })?;
        Ok(ev.app("head", [ev.app("reduceSeq", [zero, step, all])]))
    }))
}

/// `a⊤x`: the digits of numbers along a new first axis.
pub fn encode(ev: &mut Ev, a: &Arr, x: &Arr) -> Res<Arr> {
    numbers(a, '⊤')?;
    numbers(x, '⊤')?;
    if a.rank() == 0 {
        return scalar::dyadic(ev, '|', a, x);
    }
    let Some(bases) = a.items().map(<[Scalar]>::to_vec).filter(|items| a.rank() == 1 && items.len() <= 64) else {
        if a.rank() > 1 {
            return fail(AplRank, a.range, "the left of `⊤` is a vector");
        }
        return write_instead(
            a.range,
            "`⊤` with a number of digits that only the run knows, or more than 64,",
            "`10⊥⍣¯1⊢n` gives all digits of a number",
        );
    };
    let kind = a.kind.max(x.kind).max(Kind::Int);
    let mut rest = ev.as_kind(x, kind)?;
    let mut digits = Vec::with_capacity(bases.len());
    for base in bases.into_iter().rev() {
        let base = ev.of_scalar(base);
        let base = ev.as_kind(&base, kind)?;
        let digit = scalar::dyadic(ev, '|', &base, &rest)?;
        let whole = scalar::dyadic(ev, '-', &rest, &digit)?;
        let digit = ev.stored(&digit)?;
        rest = quotient(ev, &whole, &base)?;
        rest = ev.stored(&rest)?;
        digits.push(digit);
    }
    digits.reverse();
    let mut shape = vec![Size::nat(digits.len() as u64)];
    shape.extend(x.shape.iter().cloned());
    if x.rank() == 0 {
        return super::nested::collect(ev, shape, &digits);
    }
    Ok(ev.of_pull(kind, shape, move |ev, index| super::choice::one_of(ev, &digits, &index[0], 0, &index[1..])))
}

/// `a⊥⍣¯1⊢x`: as many digits in a base as the greatest number has, at least one.
pub fn digits(ev: &mut Ev, a: &Arr, x: &Arr) -> Res<Arr> {
    numbers(x, '⊥')?;
    let base = a.scalar().and_then(|base| base.known).filter(|base| *base >= 2.0 && base.fract() == 0.0);
    let Some(base) = base.filter(|base| *base <= f64::from(i32::MAX)) else {
        return not_supported(
            a.range,
            "`⊥⍣¯1` with a left argument that is not a whole number of at least 2, known before the run,",
        );
    };
    if let Some(known) = x.known() {
        let greatest = known.iter().copied().fold(0.0, f64::max);
        let count = std::iter::successors(Some(greatest), |rest| Some((rest / base).floor()));
        let count = count.take_while(|rest| *rest >= 1.0).count().max(1);
        let bases = (0..count).map(|_| ev.known(Kind::Int, base)).collect();
        let bases = ev.vector(Kind::Int, bases);
        return encode(ev, &bases, x);
    }
    if x.kind > Kind::Int || x.rank() > 0 {
        return not_supported(x.range, "`⊥⍣¯1` of numbers that the run computes and that are not whole");
    }
    let number = ev.as_kind(x, Kind::Int)?;
    let number = ev.element(&number, &[])?;
    let number = ev.share(number, "n")?;
    let base = base as i32;
    // The state has the number of digits so far, and the rest of the number.
    let left = |ev: &Ev, state: &Term| ev.app("get2", [state.clone()]);
    let next = move |ev: &Ev, state: &Term| {
        let count = ev.plus(ev.app("get1", [state.clone()]), ev.int(1));
        ev.term(TermKind::Tuple(vec![count, ev.app("/", [left(ev, state), ev.int(base)])]))
    };
    let test = ev.lambda(&["s"], |ev, args| Ok(ev.app(">", [left(ev, &args[0]), ev.int(0)])))?;
    let step = ev.lambda(&["s"], |ev, args| Ok(next(ev, &args[0])))?;
    let start = ev.term(TermKind::Tuple(vec![ev.int(0), number.clone()]));
    let count = ev.app("get1", [ev.app("iterateWhile", [test, step, start])]);
    let count = ev.app("max", [count, ev.int(1)]);
    let count = ev.of_term(Kind::Int, count)?;
    let count = ev.reify(&count, "`⊥⍣¯1`")?;
    Ok(ev.of_pull(Kind::Int, vec![count.clone()], move |ev, index| {
        let last = ev.minus(ev.size_term(&count), ev.int(1));
        let behind = ev.minus(last, index[0].clone());
        let behind = ev.share(behind, "behind")?;
        let test =
            ev.lambda(&["s"], |ev, args| Ok(ev.app("<", [ev.app("get1", [args[0].clone()]), behind.clone()])))?;
        let step = ev.lambda(&["s"], |ev, args| Ok(next(ev, &args[0])))?;
        let start = ev.term(TermKind::Tuple(vec![ev.int(0), number.clone()]));
        let rest = left(ev, &ev.app("iterateWhile", [test, step, start]));
        Ok(ev.app("mod", [rest, ev.int(base)]))
    }))
}

/// The exact quotient of a number and a base; 0 for base 0, whose digit is the whole number.
fn quotient(ev: &mut Ev, whole: &Arr, base: &Arr) -> Res<Arr> {
    let kind = whole.kind;
    let combine = move |ev: &mut Ev, x: &Scalar, base: &Scalar| {
        if let (Some(x), Some(base)) = (x.known, base.known) {
            let value = if base == 0.0 { 0.0 } else { x / base };
            return Ok(ev.known(kind, value));
        }
        let zero = ev.known(base.kind, 0.0).term;
        let divided = |ev: &Ev, base: Term| ev.app("/", [x.term.clone(), base]);
        let term = match base.known {
            Some(0.0) => zero,
            Some(_) => divided(ev, base.term.clone()),
            None => {
                let none = ev.app("=", [base.term.clone(), zero.clone()]);
                let safe = ev.choose(none.clone(), ev.known(base.kind, 1.0).term, base.term.clone());
                ev.choose(none, zero, divided(ev, safe))
            }
        };
        Ok(Scalar { kind: base.kind, term, known: None, size: None })
    };
    extended(ev, "`⊤`", kind, Some(kind), (whole, base), combine)
}
