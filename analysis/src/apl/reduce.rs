//! Reductions, scans and products. Functions are given by their effect on two elements.

use super::context::{FEW, MANY};
use super::scalar::neutral;
use super::structure::moved;
use super::value::{Arr, Ev, Kind, Repr, Res, fail, not_supported};
use crate::front::term::Term;
use crate::size::Size;
use lift_syntax::SyntaxErrorCode::{AplDomain, AplRank};
use std::rc::Rc;

/// A function of two arrays.
pub type Two = Rc<dyn Fn(&mut Ev, &Arr, &Arr) -> Res<Arr>>;

/// A function of two elements.
#[derive(Clone)]
pub struct Between {
    pub two: Two,
    /// Its primitive, if it is one.
    pub glyph: Option<char>,
}

impl Between {
    /// Applies the function to two elements; the result must be an element.
    fn scalars(&self, ev: &mut Ev, a: &Arr, b: &Arr) -> Res<Arr> {
        let result = (self.two)(ev, a, b)?;
        if result.rank() == 0 {
            return Ok(result);
        }
        not_supported(ev.at, "an array of arrays, as this function gives for each element,")
    }

    /// The smallest kind that holds the result for an element and an earlier result.
    fn kind(&self, ev: &mut Ev, element: Kind) -> Res<Kind> {
        let mut kind = element;
        for _ in 0..4 {
            let found = ev.probe(|ev| {
                let (a, b) = (ev.any(element), ev.any(kind));
                Ok(self.scalars(ev, &a, &b)?.kind)
            })?;
            if found <= kind {
                return Ok(kind);
            }
            kind = found;
        }
        Ok(kind)
    }

    /// The function as a Lift lambda on elements of a kind.
    fn lambda(&self, ev: &mut Ev, kind: Kind) -> Res<Term> {
        ev.inner += 1;
        let made = ev.lambda(&["a", "b"], |ev, args| {
            let a = ev.of_term(kind, args[0].clone())?;
            let b = ev.of_term(kind, args[1].clone())?;
            let result = self.scalars(ev, &a, &b)?;
            let result = ev.as_kind(&result, kind)?;
            ev.element(&result, &[])
        });
        ev.inner -= 1;
        made
    }
}

impl Between {
    /// Applies the function to the terms of two elements; the result has the given kind.
    fn at_elements(&self, ev: &mut Ev, a: (Kind, Term), b: (Kind, Term), kind: Kind) -> Res<Term> {
        let x = ev.of_term(a.0, a.1)?;
        let y = ev.of_term(b.0, b.1)?;
        ev.inner += 1;
        let result = self.scalars(ev, &x, &y);
        ev.inner -= 1;
        let result = ev.as_kind(&result?, kind)?;
        ev.element(&result, &[])
    }
}

/// The element at an index along the reduced axis.
type Line<'a> = &'a dyn Fn(&mut Ev, Term) -> Res<Term>;

/// The reduction of `n` elements of a kind.
fn fold(ev: &mut Ev, f: &Between, kind: Kind, n: &Size, line: Line<'_>) -> Res<Term> {
    if let Some((identity, true)) = f.glyph.and_then(|glyph| neutral(glyph, kind)) {
        let identity = ev.known(kind, identity).term;
        let function = f.lambda(ev, kind)?;
        let all = ev.size_argument(n);
        let all = ev.app("iota", [all]);
        let each = ev.lambda(&["i"], |ev, args| line(ev, args[0].clone()))?;
        let elements = ev.app("map", [each, all]);
        return Ok(ev.app("head", [ev.app("reduce", [identity, function, elements])]));
    }
    // Fold from the last element to the first, because the function need not be associative.
    let rest = n.sub(&Size::one());
    let last = ev.size_term(&rest);
    let first = line(ev, last.clone())?;
    let step = ev.lambda(&["a", "i"], |ev, args| {
        ev.inner += 1;
        let before = ev.app("-", [last.clone(), ev.int(1)]);
        let place = ev.minus(before, args[1].clone());
        let result = line(ev, place).and_then(|element| {
            let element = ev.of_term(kind, element)?;
            let sum = ev.of_term(kind, args[0].clone())?;
            let result = f.scalars(ev, &element, &sum)?;
            let result = ev.as_kind(&result, kind)?;
            ev.element(&result, &[])
        });
        ev.inner -= 1;
        result
    })?;
    let all = ev.size_argument(&rest);
    let all = ev.app("iota", [all]);
    Ok(ev.app("head", [ev.app("reduceSeq", [first, step, all])]))
}

/// Reduction, `f/x` and `f⌿x`.
pub fn reduce(ev: &mut Ev, f: &Between, first: bool, x: &Arr) -> Res<Arr> {
    let Some(last) = x.rank().checked_sub(1) else { return Ok(x.clone()) };
    let axis = if first { 0 } else { last };
    if x.rank() == 1
        && let Some(items) = x.items()
        && (items.len() <= FEW || x.known().is_some() && items.len() <= MANY && f.glyph.is_some())
        && let Some((end, before)) = items.split_last()
    {
        let (end, before) = (end.clone(), before.to_vec());
        let mut sum = ev.of_scalar(end);
        for item in before.into_iter().rev() {
            let element = ev.of_scalar(item);
            sum = (f.two)(ev, &element, &sum)?;
        }
        return Ok(sum);
    }
    let kind = f.kind(ev, x.kind)?;
    let n = x.shape[axis].clone();
    let mut shape = x.shape.clone();
    shape.remove(axis);
    if n.is_zero() {
        let Some((identity, _)) = f.glyph.and_then(|glyph| neutral(glyph, kind)) else {
            return fail(AplDomain, ev.at, "an empty array has no reduction by this function");
        };
        let zero = ev.known(kind, identity);
        return Ok(ev.of_pull(kind, shape, move |_, _| Ok(zero.term.clone())));
    }
    let x = ev.as_kind(x, kind)?;
    let x = ev.ready(&x)?;
    let f = f.clone();
    if shape.is_empty() {
        let term = fold(ev, &f, kind, &n, &|ev, i| ev.element(&x, &[i]))?;
        return ev.of_term(kind, term);
    }
    let sums = ev.of_pull(kind, shape, move |ev, index| {
        fold(ev, &f, kind, &n, &|ev, i| {
            let mut index = index.to_vec();
            index.insert(axis, i);
            ev.element(&x, &index)
        })
    });
    ev.stored(&sums)
}

/// Scan, `f\x` and `f⍀x`.
pub fn scan(ev: &mut Ev, f: &Between, first: bool, x: &Arr) -> Res<Arr> {
    let Some(last) = x.rank().checked_sub(1) else { return Ok(x.clone()) };
    if x.rank() == 1
        && let Some(items) = x.items()
        && items.len() <= FEW
    {
        let items = items.to_vec();
        let mut found = Vec::with_capacity(items.len());
        for count in 1..=items.len() {
            let part = ev.vector(x.kind, items[..count].to_vec());
            let sum = reduce(ev, f, false, &part)?;
            found.push(sum);
        }
        let kind = found.iter().map(|sum| sum.kind).max().unwrap_or(x.kind);
        let mut scalars = Vec::with_capacity(found.len());
        for sum in found {
            let sum = ev.as_kind(&sum, kind)?;
            let Some(scalar) = sum.scalar() else { return not_supported(ev.at, "a scan that gives arrays") };
            scalars.push(scalar.clone());
        }
        return Ok(ev.vector(kind, scalars));
    }
    let kind = f.kind(ev, x.kind)?;
    let Some((identity, true)) = f.glyph.and_then(|glyph| neutral(glyph, kind)) else {
        return not_supported(ev.at, "a scan by a function other than `+ × ⌈ ⌊ ∧ ∨`");
    };
    let x = ev.as_kind(x, kind)?;
    if first && last > 0 {
        let turned = turn(ev, &x, true)?;
        let sums = scan_rows(ev, f, kind, identity, &turned)?;
        return turn(ev, &sums, false);
    }
    scan_rows(ev, f, kind, identity, &x)
}

/// Moves the first axis to the end, or back.
fn turn(ev: &mut Ev, x: &Arr, forth: bool) -> Res<Arr> {
    let mut shape = x.shape.clone();
    if forth {
        shape.rotate_left(1)
    } else {
        shape.rotate_right(1)
    }
    moved(ev, x, shape, move |_, index| {
        let mut index = index.to_vec();
        if forth {
            index.rotate_right(1)
        } else {
            index.rotate_left(1)
        }
        Ok(index)
    })
}

/// Scans along the last axis.
fn scan_rows(ev: &mut Ev, f: &Between, kind: Kind, identity: f64, x: &Arr) -> Res<Arr> {
    let x = ev.ready(x)?;
    let mut outer = x.shape.clone();
    let n = outer.pop().unwrap_or_else(Size::one);
    let term = nested(ev, &outer, &mut Vec::new(), &mut |ev, index| {
        let identity = ev.known(kind, identity).term;
        let function = f.lambda(ev, kind)?;
        let all = ev.size_argument(&n);
        let all = ev.app("iota", [all]);
        let each = ev.lambda(&["i"], |ev, args| {
            let mut index = index.to_vec();
            index.push(args[0].clone());
            ev.element(&x, &index)
        })?;
        let elements = ev.app("map", [each, all]);
        Ok(ev.app("scan", [identity, function, elements]))
    })?;
    let bound = ev.bind(term, "a")?;
    Ok(Arr { kind, shape: x.shape.clone(), repr: Repr::Stored(bound), range: ev.at })
}

type Inside<'a> = &'a mut dyn FnMut(&mut Ev, &[Term]) -> Res<Term>;

/// Nested maps over some axes.
fn nested(ev: &mut Ev, shape: &[Size], index: &mut Vec<Term>, inside: Inside<'_>) -> Res<Term> {
    let Some((extent, rest)) = shape.split_first() else { return inside(ev, index) };
    let all = ev.size_argument(extent);
    let all = ev.app("iota", [all]);
    let function = ev.lambda(&["i"], |ev, args| {
        index.push(args[0].clone());
        let body = nested(ev, rest, index, inside);
        index.pop();
        body
    })?;
    Ok(ev.app("map", [function, all]))
}

/// Outer product, `a∘.f b`.
pub fn outer(ev: &mut Ev, f: &Between, a: &Arr, b: &Arr) -> Res<Arr> {
    let (a, b) = (ev.ready(a)?, ev.ready(b)?);
    let kind = ev.probe(|ev| {
        let (x, y) = (ev.any(a.kind), ev.any(b.kind));
        Ok(f.scalars(ev, &x, &y)?.kind)
    })?;
    let shape: Vec<Size> = a.shape.iter().chain(&b.shape).cloned().collect();
    let rank = a.rank();
    let f = f.clone();
    Ok(ev.of_pull(kind, shape, move |ev, index| {
        let (left, right) = index.split_at(rank);
        let x = ev.element(&a, left)?;
        let y = ev.element(&b, right)?;
        f.at_elements(ev, (a.kind, x), (b.kind, y), kind)
    }))
}

/// Inner product, `a f.g b`: pairs the last axis of `a` with the first of `b`.
pub fn inner(ev: &mut Ev, f: &Between, g: &Between, a: &Arr, b: &Arr) -> Res<Arr> {
    let widen = |ev: &mut Ev, x: &Arr, n: &Size| {
        let item = x.clone();
        ev.of_pull(x.kind, vec![n.clone()], move |ev, _| ev.element(&item, &[])).at(x.range)
    };
    let (a, b) = match (a.shape.last(), b.shape.first()) {
        (None, None) => (widen(ev, a, &Size::one()), widen(ev, b, &Size::one())),
        (None, Some(n)) => (widen(ev, a, n), b.clone()),
        (Some(n), None) => (a.clone(), widen(ev, b, n)),
        _ => (a.clone(), b.clone()),
    };
    let left = a.rank() - 1;
    let b = ev.conform(&a, &b, &[(left, 0)], "the inner product")?;
    if a.rank() == 1 && b.rank() == 1 {
        let products = (g.two)(ev, &a, &b)?;
        return reduce(ev, f, false, &products);
    }
    let (a, b) = (ev.stored(&a)?, ev.stored(&b)?);
    let product = ev.probe(|ev| {
        let (x, y) = (ev.any(a.kind), ev.any(b.kind));
        Ok(g.scalars(ev, &x, &y)?.kind)
    })?;
    let kind = f.kind(ev, product)?;
    let n = a.shape[left].clone();
    let shape: Vec<Size> = a.shape[..left].iter().chain(&b.shape[1..]).cloned().collect();
    let (f, g) = (f.clone(), g.clone());
    let sums = ev.of_pull(kind, shape, move |ev, index| {
        let (row, column) = index.split_at(left);
        fold(ev, &f, kind, &n, &|ev, k| {
            let mut from = row.to_vec();
            from.push(k.clone());
            let mut to = vec![k];
            to.extend_from_slice(column);
            let x = ev.element(&a, &from)?;
            let y = ev.element(&b, &to)?;
            g.at_elements(ev, (a.kind, x), (b.kind, y), kind)
        })
    });
    ev.stored(&sums)
}

/// A function of one array.
pub type One = Rc<dyn Fn(&mut Ev, &Arr) -> Res<Arr>>;

/// `f¨x` with one argument.
pub fn each(ev: &mut Ev, f: &One, x: &Arr) -> Res<Arr> {
    let scalar = |ev: &mut Ev, result: Arr| {
        if result.rank() == 0 { Ok(result) } else { not_supported(ev.at, "an array of arrays, as `¨` gives here,") }
    };
    if let Some(items) = x.items()
        && items.len() <= FEW
    {
        let items = items.to_vec();
        let mut found = Vec::with_capacity(items.len());
        for item in items {
            let element = ev.of_scalar(item);
            let result = f(ev, &element)?;
            found.push(scalar(ev, result)?);
        }
        let kind = found.iter().map(|result| result.kind).max().unwrap_or(x.kind);
        let mut scalars = Vec::with_capacity(found.len());
        for result in found {
            let result = ev.as_kind(&result, kind)?;
            scalars.extend(result.scalar().cloned());
        }
        return Ok(ev.of_items(kind, x.shape.clone(), scalars));
    }
    let x = ev.ready(x)?;
    let kind = ev.probe(|ev| {
        let element = ev.any(x.kind);
        let result = f(ev, &element)?;
        Ok(scalar(ev, result)?.kind)
    })?;
    let f = f.clone();
    Ok(ev.of_pull(kind, x.shape.clone(), move |ev, index| {
        let element = ev.element(&x, index)?;
        let element = ev.of_term(x.kind, element)?;
        ev.inner += 1;
        let result = f(ev, &element);
        ev.inner -= 1;
        let result = ev.as_kind(&result?, kind)?;
        ev.element(&result, &[])
    }))
}

/// `a f¨ b` with two arguments.
pub fn each_two(ev: &mut Ev, f: &Between, a: &Arr, b: &Arr) -> Res<Arr> {
    let extend = |x: &Arr| x.rank() == 0;
    if !extend(a) && !extend(b) && a.rank() != b.rank() {
        return fail(AplRank, ev.at, format!("`¨` has rank {} at its left and {} at its right", a.rank(), b.rank()));
    }
    let b = if extend(a) || extend(b) {
        b.clone()
    } else {
        let axes: Vec<(usize, usize)> = (0..a.rank()).map(|axis| (axis, axis)).collect();
        ev.conform(a, b, &axes, "`¨`")?
    };
    let (a, b) = (ev.ready(a)?, ev.ready(&b)?);
    let kind = ev.probe(|ev| {
        let (x, y) = (ev.any(a.kind), ev.any(b.kind));
        Ok(f.scalars(ev, &x, &y)?.kind)
    })?;
    let shape = if extend(&a) { b.shape.clone() } else { a.shape.clone() };
    let f = f.clone();
    Ok(ev.of_pull(kind, shape, move |ev, index| {
        let x = ev.element(&a, if a.rank() == 0 { &[] } else { index })?;
        let y = ev.element(&b, if b.rank() == 0 { &[] } else { index })?;
        f.at_elements(ev, (a.kind, x), (b.kind, y), kind)
    }))
}
