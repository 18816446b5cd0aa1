//! Reductions, scans and products. Functions are given by their effect on two elements.

use super::context::{FEW, MANY};
use super::scalar::neutral;
use super::structure::moved;
use super::value::{Arr, Between, Ev, Failure, Kind, Repr, Res, fail, not_supported};
use super::{cost, nested, nested_operators};
use crate::failure::{self, Wording};
use crate::front::term::Term;
use crate::size::Size;
use lift_syntax::SyntaxErrorCode::AplDomain;

/// Maximum columns of a product whose rows, if cheap, are computed again for each column.
const FEW_COLUMNS: i64 = 4;

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
                let (a, b) = (ev.any(element)?, ev.any(kind)?);
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
        ev.lambda(&["a", "b"], |ev, args| self.at_elements(ev, (kind, args[0].clone()), (kind, args[1].clone()), kind))
    }

    /// Applies the function to the terms of two elements; the result has the given kind.
    fn at_elements(&self, ev: &mut Ev, a: (Kind, Term), b: (Kind, Term), kind: Kind) -> Res<Term> {
        ev.inside(|ev| {
            let x = ev.of_term(a.0, a.1)?;
            let y = ev.of_term(b.0, b.1)?;
            let result = self.scalars(ev, &x, &y)?;
            let result = ev.as_kind(&result, kind)?;
            ev.element(&result, &[])
        })
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
    let identity = f.glyph.and_then(|glyph| neutral(glyph, kind));
    let (first, start, rounds) = match identity {
        Some((identity, _)) => (ev.known(kind, identity).term, ev.size_term(&rest), ev.size_argument(n)),
        None => {
            let empty = Wording::new(failure::Kind::Assumption, "an empty array cannot be reduced by this function");
            let last = ev.size_argument(&rest).worded(Some(empty.clone()));
            let before = ev.app("-", [last.clone(), ev.int(1)]);
            (line(ev, last)?, before, ev.size_argument(&rest).worded(Some(empty)))
        }
    };
    let step = ev.lambda(&["a", "i"], |ev, args| {
        ev.inside(|ev| {
            let place = ev.minus(start.clone(), args[1].clone());
            let element = line(ev, place)?;
            f.at_elements(ev, (kind, element), (kind, args[0].clone()), kind)
        })
    })?;
    let all = ev.app("iota", [rounds]);
    Ok(ev.app("head", [ev.app("reduceSeq", [first, step, all])]))
}

/// Reduction along the last axis, or the first.
pub fn reduce(ev: &mut Ev, f: &Between, first: bool, x: &Arr) -> Res<Arr> {
    match x.rank().checked_sub(1) {
        Some(last) => reduce_axis(ev, f, if first { 0 } else { last }, x),
        None => Ok(x.clone()),
    }
}

/// The lines of a small array along an axis, each as a vector, if the elements are separate terms.
fn lines(ev: &mut Ev, x: &Arr, axis: usize) -> Res<Option<(Vec<Size>, Vec<Arr>)>> {
    let (Some(items), Some(extents)) = (x.items(), x.extents()) else { return Ok(None) };
    if x.rank() < 2 || items.len() > FEW && x.known().is_none() || items.len() > MANY || extents[axis] == 0 {
        return Ok(None);
    }
    let items = items.to_vec();
    let stride: usize = extents[axis + 1..].iter().product();
    let mut shape = x.shape.clone();
    shape.remove(axis);
    let mut found = Vec::new();
    for before in 0..extents[..axis].iter().product() {
        for after in 0..stride {
            let start = before * extents[axis] * stride + after;
            let line = (0..extents[axis]).map(|k| items[start + k * stride].clone()).collect();
            found.push(ev.vector(x.kind, line).at(x.range));
        }
    }
    Ok(Some((shape, found)))
}

/// Reduction along an axis.
pub fn reduce_axis(ev: &mut Ev, f: &Between, axis: usize, x: &Arr) -> Res<Arr> {
    if x.kind == Kind::Nested {
        return nested_operators::reduce(ev, f, axis, x);
    }
    if f.glyph.is_some()
        && let Some((shape, lines)) = lines(ev, x, axis)?
    {
        let sums = lines.iter().map(|line| reduce_axis(ev, f, 0, line)).collect::<Res<Vec<Arr>>>()?;
        return nested::collect(ev, shape, &sums);
    }
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
        // The least and the greatest of no numbers is a Double, whatever the kind of `⍬`.
        let kind = if matches!(f.glyph, Some('⌈' | '⌊')) { Kind::Double } else { kind };
        let Some((identity, _)) = f.glyph.and_then(|glyph| neutral(glyph, kind)) else {
            return fail(AplDomain, ev.at, "an empty array cannot be reduced by this function");
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

/// Scan along the last axis, or the first.
pub fn scan(ev: &mut Ev, f: &Between, first: bool, x: &Arr) -> Res<Arr> {
    match x.rank().checked_sub(1) {
        Some(last) => scan_axis(ev, f, if first { 0 } else { last }, x),
        None => Ok(x.clone()),
    }
}

/// Scan along an axis.
pub fn scan_axis(ev: &mut Ev, f: &Between, axis: usize, x: &Arr) -> Res<Arr> {
    if x.kind == Kind::Nested {
        return nested_operators::scan(ev, f, x);
    }
    if x.rank() == 1
        && let Some(items) = x.items()
        && items.len() <= FEW
    {
        let items = items.to_vec();
        let mut found = Vec::with_capacity(items.len());
        for count in 1..=items.len() {
            let part = ev.vector(x.kind, items[..count].to_vec());
            found.push(reduce(ev, f, false, &part)?);
        }
        if items.is_empty() {
            return Ok(x.clone());
        }
        return nested::collect(ev, x.shape.clone(), &found);
    }
    let kind = f.kind(ev, x.kind)?;
    let Some((identity, true)) = f.glyph.and_then(|glyph| neutral(glyph, kind)) else {
        return prefixes(ev, f, kind, axis, x);
    };
    let x = ev.as_kind(x, kind)?;
    if axis + 1 < x.rank() {
        let turned = turn(ev, &x, axis, true)?;
        let sums = scan_rows(ev, f, kind, identity, &turned)?;
        return turn(ev, &sums, axis, false);
    }
    scan_rows(ev, f, kind, identity, &x)
}

/// The reductions of all prefixes, each computed separately, for a function that need not be associative.
fn prefixes(ev: &mut Ev, f: &Between, kind: Kind, axis: usize, x: &Arr) -> Res<Arr> {
    let x = ev.as_kind(x, kind)?;
    let x = ev.stored(&x)?;
    let f = f.clone();
    let sums = ev.of_pull(kind, x.shape.clone(), move |ev, index| {
        let step = ev.lambda(&["a", "i"], |ev, args| {
            ev.inside(|ev| {
                let mut at = index.to_vec();
                at[axis] = ev.minus(ev.app("-", [index[axis].clone(), ev.int(1)]), args[1].clone());
                let element = ev.element(&x, &at)?;
                f.at_elements(ev, (kind, element), (kind, args[0].clone()), kind)
            })
        })?;
        let last = ev.element(&x, index)?;
        let all = ev.app("iota", [index[axis].clone()]);
        let (_, bound) = ev.unpack(all, "before", "the number of elements before one")?;
        Ok(ev.app("head", [ev.app("reduceSeq", [last, step, ev.local(&bound)])]))
    });
    ev.stored(&sums)
}

/// Moves an axis to the end, or back.
fn turn(ev: &mut Ev, x: &Arr, axis: usize, forth: bool) -> Res<Arr> {
    let mut shape = x.shape.clone();
    if forth {
        shape[axis..].rotate_left(1)
    } else {
        shape[axis..].rotate_right(1)
    }
    moved(ev, x, shape, move |_, index| {
        let mut index = index.to_vec();
        if forth {
            index[axis..].rotate_right(1)
        } else {
            index[axis..].rotate_left(1)
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
    if a.kind == Kind::Nested || b.kind == Kind::Nested {
        return nested_operators::outer(ev, f, a, b);
    }
    let (a, b) = (ev.ready(a)?, ev.ready(b)?);
    let probed = ev.probe(|ev| {
        let (x, y) = (ev.any(a.kind)?, ev.any(b.kind)?);
        (f.two)(ev, &x, &y)
    });
    // The shape of a result may depend on the elements.
    let kind = match probed {
        Ok(result) if result.rank() == 0 && result.kind != Kind::Nested => result.kind,
        _ => return nested_operators::outer(ev, f, &a, &b),
    };
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
    if let Some(product) = inner_known(ev, f, g, &a, &b)? {
        return Ok(product);
    }
    if a.rank() == 1 && b.rank() == 1 {
        let products = (g.two)(ev, &a, &b)?;
        return reduce(ev, f, false, &products);
    }
    // Each row is read once for each column.
    let columns = b.shape[1..].iter().try_fold(1i64, |n, size| Some(n.saturating_mul(size.as_const()?)));
    let again = columns.is_some_and(|n| n <= FEW_COLUMNS) && cost::is_cheap(ev, &a);
    let a = if again { a } else { ev.stored(&a)? };
    let b = ev.stored(&b)?;
    let product = ev.probe(|ev| {
        let (x, y) = (ev.any(a.kind)?, ev.any(b.kind)?);
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

/// The inner product of small arrays that are known before the run.
fn inner_known(ev: &mut Ev, f: &Between, g: &Between, a: &Arr, b: &Arr) -> Res<Option<Arr>> {
    let small = |x: &Arr| x.known().is_some() && x.items().is_some_and(|items| items.len() <= FEW * FEW);
    if !small(a) || !small(b) || f.glyph.is_none() || g.glyph.is_none() || a.rank() + b.rank() == 2 {
        return Ok(None);
    }
    let own = |ev: &mut Ev, x: &Arr, axis: usize| match lines(ev, x, axis)? {
        Some(found) => Ok::<_, Failure>(Some(found)),
        None if x.rank() == 1 => Ok(Some((Vec::new(), vec![x.clone()]))),
        None => Ok(None),
    };
    let (Some((mut shape, rows)), Some((more, columns))) = (own(ev, a, a.rank() - 1)?, own(ev, b, 0)?) else {
        return Ok(None);
    };
    shape.extend(more);
    let mut found = Vec::with_capacity(rows.len() * columns.len());
    for row in &rows {
        for column in &columns {
            let products = (g.two)(ev, row, column)?;
            found.push(reduce(ev, f, false, &products)?);
        }
    }
    nested::collect(ev, shape, &found).map(Some)
}
