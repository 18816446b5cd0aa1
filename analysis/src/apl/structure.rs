//! Functions that move elements: reshape, take and drop, reverse and rotate, catenate, transpose.

use super::context::{FEW, MANY};
use super::counted::{Counted, amount};
use super::value::{Arr, Ev, Kind, Repr, Res, Rows, Scalar, fail, not_supported};
use crate::front::term::Term;
use crate::size::Size;
use lift_syntax::SyntaxErrorCode::{AplLength, AplRank};

/// An array whose element at an index is that of `of` at the index that `place` returns. Separate terms are moved
/// without a copy.
pub fn moved(
    ev: &mut Ev,
    of: &Arr,
    shape: Vec<Size>,
    place: impl Fn(&mut Ev, &[Term]) -> Res<Vec<Term>> + 'static,
) -> Res<Arr> {
    let count: Option<u64> = shape.iter().map(|n| n.as_const().and_then(|n| u64::try_from(n).ok())).product();
    if let Some(boxes) = of.boxes().map(<[Arr]>::to_vec) {
        let Some(places) = places(ev, of, &shape, &place)? else {
            return match super::choice::selectable(ev, of)?.filter(|_| shape.len() == 1) {
                Some(rows) => moved(ev, &rows, shape, place),
                None => not_supported(
                    ev.at,
                    "this function of arrays that are not vectors of one kind, with numbers that the run computes,",
                ),
            };
        };
        let boxes: Option<Vec<Arr>> = places.iter().map(|place| boxes.get(*place).cloned()).collect();
        let repr = Repr::Boxes(boxes.unwrap_or_default().into());
        return Ok(Arr { kind: Kind::Nested, shape, repr, range: ev.at });
    }
    if let Some(rows) = of.rows().cloned().filter(|_| shape.len() == 1) {
        let row = move |ev: &mut Ev, i: &Term| {
            let index = place(ev, std::slice::from_ref(i))?;
            (rows.row)(ev, &index[0])
        };
        let rows = of.rows().cloned().map(|rows| Rows { row: std::rc::Rc::new(row), stored: false, ..rows });
        return Ok(Arr { shape, repr: rows.map_or(of.repr.clone(), Repr::Rows), ..of.clone() });
    }
    if of.items().is_some()
        && let Some(count) = count
        && count <= MANY as u64
        && (of.known().is_some() || count <= FEW as u64)
        && let Some(places) = places(ev, of, &shape, &place)?
    {
        let items = of.items().unwrap_or_default();
        let found: Option<Vec<Scalar>> = places.iter().map(|place| items.get(*place).cloned()).collect();
        if let Some(found) = found {
            return Ok(ev.of_items(of.kind, shape, found));
        }
    }
    let of = ev.ready(of)?;
    if shape.is_empty() && of.kind != Kind::Nested {
        // A scalar extends, so that its element must be at hand.
        let index = place(ev, &[])?;
        let element = ev.element(&of, &index)?;
        return ev.of_term(of.kind, element);
    }
    Ok(ev.of_pull(of.kind, shape, move |ev, index| {
        let index = place(ev, index)?;
        ev.element(&of, &index)
    }))
}

/// Maps an index of the result to an index of the source.
type Place<'a> = &'a dyn Fn(&mut Ev, &[Term]) -> Res<Vec<Term>>;

/// The linear indices of the source's elements; `None` if one is known only at run time.
fn places(ev: &mut Ev, of: &Arr, shape: &[Size], place: Place<'_>) -> Res<Option<Vec<usize>>> {
    let extents: Option<Vec<usize>> =
        shape.iter().map(|n| n.as_const().and_then(|n| usize::try_from(n).ok())).collect();
    let Some(extents) = extents else { return Ok(None) };
    let Some(count) = extents.iter().try_fold(1usize, |all, n| all.checked_mul(*n)).filter(|count| *count <= MANY)
    else {
        return Ok(None);
    };
    let old = of.extents().unwrap_or_default();
    let mut found = Vec::with_capacity(count);
    for linear in 0..count {
        let index = constant_index(ev, linear, &extents);
        let mut at = 0usize;
        for (term, extent) in place(ev, &index)?.iter().zip(&old) {
            let crate::front::term::Kind::Int(i) = term.kind() else { return Ok(None) };
            let Some(i) = usize::try_from(*i).ok().filter(|i| i < extent) else { return Ok(None) };
            at = at * extent + i;
        }
        found.push(at);
    }
    Ok(Some(found))
}

/// The index of the element at a constant linear index.
pub fn constant_index(ev: &Ev, place: usize, extents: &[usize]) -> Vec<Term> {
    let mut rest = place;
    let mut index: Vec<Term> = Vec::with_capacity(extents.len());
    for extent in extents.iter().rev() {
        index.push(ev.int((rest % extent) as i32));
        rest /= extent;
    }
    index.reverse();
    index
}

/// The index generator, `⍳n`.
pub fn iota(ev: &mut Ev, n: &Arr) -> Res<Arr> {
    if n.rank() == 1 && n.items().is_some_and(|items| items.len() != 1) {
        return all_indices(ev, n);
    }
    let size = ev.reify(n, "the argument of `⍳`")?;
    let origin = ev.origin;
    if let Some(count) = size.as_const().filter(|n| (0..=FEW as i64).contains(n)) {
        let items = (0..count as i32).map(|i| ev.known(Kind::Int, f64::from(i + origin))).collect();
        return Ok(ev.vector(Kind::Int, items));
    }
    Ok(ev.of_pull(Kind::Int, vec![size], move |ev, index| Ok(ev.plus(index[0].clone(), ev.int(origin)))))
}

/// The indices of an array with a constant shape: a vector for each element.
fn all_indices(ev: &mut Ev, n: &Arr) -> Res<Arr> {
    let whole = ev.whole(n, "the argument of `⍳`")?;
    let extents: Option<Vec<usize>> =
        whole.known().and_then(|known| known.into_iter().map(|n| (n >= 0.0).then_some(n as usize)).collect());
    let count = extents.as_ref().and_then(|of| of.iter().try_fold(1usize, |all, n| all.checked_mul(*n)));
    let (Some(extents), Some(count)) = (extents, count.filter(|count| (1..=MANY).contains(count))) else {
        return not_supported(n.range, "`⍳` of several numbers, for that many elements or with computed numbers,");
    };
    let mut boxes = Vec::with_capacity(count);
    for place in 0..count {
        let mut rest = place;
        let mut index = Vec::with_capacity(extents.len());
        for extent in extents.iter().rev() {
            index.push(ev.known(Kind::Int, (rest % extent) as f64 + f64::from(ev.origin)));
            rest /= extent;
        }
        index.reverse();
        boxes.push(ev.vector(Kind::Int, index));
    }
    let shape = extents.iter().map(|n| Size::nat(*n as u64)).collect();
    Ok(Arr { kind: Kind::Nested, shape, repr: Repr::Boxes(boxes.into()), range: n.range })
}

/// The shape, `⍴x`.
pub fn shape(ev: &mut Ev, x: &Arr) -> Arr {
    let items = x.shape.iter().map(|size| ev.length(size)).collect();
    ev.vector(Kind::Int, items)
}

/// The tally, `≢x`.
pub fn tally(ev: &mut Ev, x: &Arr) -> Arr {
    let scalar = ev.length(x.shape.first().unwrap_or(&Size::one()));
    ev.of_scalar(scalar)
}

pub fn product(shape: &[Size]) -> Size {
    shape.iter().fold(Size::one(), |all, size| all.mul(size))
}

/// The index of the element at a linear index in row-major order.
fn unlinear(ev: &mut Ev, place: Term, shape: &[Size]) -> Res<Vec<Term>> {
    let mut index = Vec::with_capacity(shape.len());
    let mut rest = place;
    for (axis, extent) in shape.iter().enumerate().rev() {
        if axis == 0 {
            index.push(rest.clone());
        } else {
            rest = ev.share(rest, "p")?;
            let extent = ev.size_term(extent);
            let (quotient, remainder) = ev.divide(rest, extent);
            index.push(remainder);
            rest = quotient;
        }
    }
    index.reverse();
    Ok(index)
}

/// Reshape, `s⍴x`.
pub fn reshape(ev: &mut Ev, s: &Arr, x: &Arr) -> Res<Arr> {
    let Some(sizes) = s.items().filter(|_| s.rank() <= 1).map(<[Scalar]>::to_vec) else {
        return not_supported(s.range, "`⍴` with a shape whose length is known only at run time");
    };
    let mut shape = Vec::with_capacity(sizes.len());
    for size in &sizes {
        shape.push(ev.reify_scalar(size, s.range, "a shape")?);
    }
    reshaped(ev, shape, x)
}

/// The array with another shape, of the same number of elements or with repeated ones.
pub fn reshaped(ev: &mut Ev, shape: Vec<Size>, x: &Arr) -> Res<Arr> {
    if shape == x.shape {
        return Ok(x.clone());
    }
    let old = x.shape.clone();
    let (count, have) = (product(&shape), product(&old));
    if have.is_zero() && x.kind != Kind::Nested {
        let kind = x.kind;
        let zero = ev.known(kind, kind.fill());
        return Ok(match count.as_const() {
            Some(n @ 0..=16) => ev.of_items(kind, shape, vec![zero; n as usize]),
            _ => ev.of_pull(kind, shape, move |_, _| Ok(zero.term.clone())),
        });
    }
    let new = shape.clone();
    let around = match (count.as_const(), have.as_const()) {
        (Some(count), Some(have)) => count > have,
        _ => count != have,
    };
    let may_be_empty = around && have.as_const().is_none() && x.kind != Kind::Nested;
    let length = have.clone();
    let taken = moved(ev, x, shape, move |ev, index| {
        if old.is_empty() {
            return Ok(Vec::new());
        }
        let mut place = ev.linear(index, &new);
        if around {
            let have = ev.size_term(&have);
            place = ev.divide(place, have).1;
        }
        unlinear(ev, place, &old)
    })?;
    if !may_be_empty {
        return Ok(taken);
    }
    let fill = ev.known(taken.kind, taken.kind.fill()).term;
    Ok(ev.of_pull(taken.kind, taken.shape.clone(), move |ev, index| {
        let length = ev.size_term(&length);
        let some = ev.less(ev.int(0), length);
        ev.branches(some, |ev| ev.element(&taken, index), |_| Ok(fill.clone()))
    }))
}

/// The array with an axis of length 1 before the others.
pub fn with_row_axis(ev: &mut Ev, x: &Arr) -> Res<Arr> {
    let mut shape = x.shape.clone();
    shape.insert(0, Size::one());
    moved(ev, x, shape, |_, index| Ok(index[1..].to_vec()))
}

/// Ravel, `,x`.
pub fn ravel(ev: &mut Ev, x: &Arr) -> Res<Arr> {
    reshaped(ev, vec![product(&x.shape)], x)
}

/// Table, `⍪x`: a matrix with the first axis of `x`.
pub fn table(ev: &mut Ev, x: &Arr) -> Res<Arr> {
    let (first, rest) = match x.shape.split_first() {
        Some((first, rest)) => (first.clone(), product(rest)),
        None => (Size::one(), Size::one()),
    };
    reshaped(ev, vec![first, rest], x)
}

/// Catenate along an axis.
pub fn catenate(ev: &mut Ev, glyph: char, axis: usize, a: &Arr, b: &Arr) -> Res<Arr> {
    let kind = join_kinds(ev, a, b)?;
    let (a, b) = (ev.as_kind(a, kind)?, ev.as_kind(b, kind)?);
    let rank = a.rank().max(b.rank()).max(1);
    let whole = if a.rank() == rank { &a } else { &b };
    let frame = whole.shape.clone();
    let widen = |ev: &mut Ev, x: &Arr| -> Res<Arr> {
        if x.rank() == rank {
            return Ok(x.clone());
        }
        let mut shape = if frame.is_empty() { vec![Size::one()] } else { frame.clone() };
        shape[axis] = Size::one();
        if x.rank() == 0 {
            return reshaped(ev, shape, x);
        }
        if x.rank() + 1 != rank {
            let message = format!("`{glyph}` joins arrays whose ranks differ by 1 at most");
            return fail(AplRank, ev.at, message);
        }
        let mut own = x.shape.clone();
        own.insert(axis, Size::one());
        moved(ev, x, own, move |_, index| {
            let mut index = index.to_vec();
            index.remove(axis);
            Ok(index)
        })
        .map(|wider| wider.at(x.range))
    };
    let (a, b) = (widen(ev, &a)?, widen(ev, &b)?);
    let axes: Vec<(usize, usize)> = (0..rank).filter(|other| *other != axis).map(|axis| (axis, axis)).collect();
    let b = ev.conform(&a, &b, &axes, &format!("`{glyph}`"))?;
    let mut shape = a.shape.clone();
    shape[axis] = a.shape[axis].add(&b.shape[axis]);
    if rank == 1
        && let (Some(x), Some(y)) = (a.items(), b.items())
        && x.len() + y.len() <= MANY
    {
        let items = x.iter().chain(y).cloned().collect();
        return Ok(ev.vector(kind, items));
    }
    let (a, b) = (ev.ready(&a)?, ev.ready(&b)?);
    if a.shape[axis].is_zero() {
        return Ok(Arr { shape, ..b });
    }
    if b.shape[axis].is_zero() {
        return Ok(Arr { shape, ..a });
    }
    let split = a.shape[axis].clone();
    Ok(ev.of_pull(kind, shape, move |ev, index| {
        let split = ev.size_term(&split);
        let condition = ev.less(index[axis].clone(), split.clone());
        let left = |ev: &mut Ev| ev.element(&a, index);
        let right = |ev: &mut Ev| {
            let mut index = index.to_vec();
            index[axis] = ev.minus(index[axis].clone(), split);
            ev.element(&b, &index)
        };
        ev.branches(condition, left, right)
    }))
}

/// Whether one array has characters and the other numbers.
pub fn mixed(a: &Arr, b: &Arr) -> bool {
    let empty = |x: &Arr| x.items().is_some_and(<[Scalar]>::is_empty);
    (a.kind == Kind::Char) != (b.kind == Kind::Char) && !empty(a) && !empty(b)
}

/// The smallest kind that holds the elements of both arrays.
pub fn join_kinds(ev: &mut Ev, a: &Arr, b: &Arr) -> Res<Kind> {
    if (a.kind == Kind::Char) == (b.kind == Kind::Char) {
        return Ok(a.kind.max(b.kind));
    }
    if mixed(a, b) {
        return not_supported(ev.at, "an array of characters and numbers");
    }
    // An array without elements is of any kind.
    Ok(if a.items().is_some_and(<[Scalar]>::is_empty) { b.kind } else { a.kind })
}

/// The numbers to the left of `↑` or `↓`, one for each of the leading axes.
fn amounts(ev: &mut Ev, glyph: char, k: &Arr, rank: usize) -> Res<Vec<Scalar>> {
    let Some(items) = k.items().filter(|_| k.rank() <= 1).map(<[Scalar]>::to_vec) else {
        return not_supported(k.range, format!("`{glyph}` with several numbers that are computed at run time"));
    };
    if items.len() > rank {
        let message = format!("`{glyph}` has {} numbers in its left argument for an array of rank {rank}", items.len());
        return fail(AplLength, k.range, message);
    }
    let whole = ev.whole(k, &format!("the left of `{glyph}`"))?;
    Ok(whole.items().map_or(items, <[Scalar]>::to_vec))
}

/// Take, `k↑x`.
pub fn take(ev: &mut Ev, k: &Arr, x: &Arr) -> Res<Arr> {
    let x = if x.rank() == 0 {
        let ones = vec![Size::one(); k.items().map_or(1, <[Scalar]>::len).max(1)];
        reshaped(ev, ones, x)?
    } else {
        x.clone()
    };
    let amounts = amounts(ev, '↑', k, x.rank())?;
    let mut taken = x;
    for (axis, k) in amounts.into_iter().enumerate() {
        let (count, counted) = amount(ev, '↑', &k, ev.at)?;
        taken = take_axis(ev, axis, count, counted, &taken)?;
    }
    Ok(taken)
}

pub fn take_axis(ev: &mut Ev, axis: usize, count: Size, counted: Counted, x: &Arr) -> Res<Arr> {
    let have = x.shape[axis].clone();
    let mut shape = x.shape.clone();
    shape[axis] = count.clone();
    let within = match (count.as_const(), have.as_const()) {
        (Some(count), Some(have)) => count <= have,
        _ => count == have,
    };
    if within {
        let offset = if matches!(counted, Counted::FromEnd) { have.sub(&count) } else { Size::zero() };
        return moved(ev, x, shape, move |ev, index| {
            let mut index = index.to_vec();
            let offset = ev.size_term(&offset);
            index[axis] = ev.plus(index[axis].clone(), offset);
            Ok(index)
        });
    }
    if x.kind == Kind::Nested {
        return super::overtake::of_arrays(ev, &count, &counted, x);
    }
    let blank = ev.known(x.kind, x.kind.fill());
    if x.rank() == 1
        && let (Some(items), Some(n)) = (x.items(), count.as_const())
        && n <= MANY as i64
    {
        let missing = vec![blank; n as usize - items.len()];
        let from_end = matches!(counted, Counted::FromEnd);
        let (before, after) = if from_end { (missing, Vec::new()) } else { (Vec::new(), missing) };
        let all = before.iter().chain(items).chain(&after).cloned().collect();
        return Ok(ev.vector(x.kind, all));
    }
    let x = ev.ready(x)?;
    if x.shape.iter().any(Size::is_zero) {
        return Ok(ev.of_pull(x.kind, shape, move |_, _| Ok(blank.term.clone())));
    }
    Ok(ev.of_pull(x.kind, shape, move |ev, index| {
        let place = ev.plus(index[axis].clone(), counted.begin(ev, &have, &count));
        let place = ev.share(place, "i")?;
        let exists = counted.exists(ev, &place, &have);
        let element = |ev: &mut Ev| {
            let mut index = index.to_vec();
            index[axis] = place.clone();
            ev.element(&x, &index)
        };
        ev.branches(exists, element, |_| Ok(blank.term.clone()))
    }))
}

/// Drop, `k↓x`.
pub fn drop(ev: &mut Ev, k: &Arr, x: &Arr) -> Res<Arr> {
    let x = if x.rank() == 0 { ravel(ev, x)? } else { x.clone() };
    let amounts = amounts(ev, '↓', k, x.rank())?;
    let mut left = x;
    for (axis, k) in amounts.into_iter().enumerate() {
        let (count, counted) = amount(ev, '↓', &k, ev.at)?;
        left = drop_axis(ev, axis, count, counted, &left)?;
    }
    Ok(left)
}

pub fn drop_axis(ev: &mut Ev, axis: usize, count: Size, counted: Counted, x: &Arr) -> Res<Arr> {
    let mut shape = x.shape.clone();
    let have = &x.shape[axis];
    shape[axis] = match (have.as_const(), count.as_const()) {
        (Some(have), Some(count)) => Size::int((have - count).max(0)),
        _ if count == *have => Size::zero(),
        _ => Size::max(&have.sub(&count), &Size::zero()),
    };
    moved(ev, x, shape, move |ev, index| {
        let mut index = index.to_vec();
        let dropped = match &counted {
            Counted::FromStart => ev.size_term(&count),
            Counted::FromEnd => ev.int(0),
            Counted::BySign(number) => ev.app("max", [number.clone(), ev.int(0)]),
        };
        index[axis] = ev.plus(index[axis].clone(), dropped);
        Ok(index)
    })
}

/// The first element, `⊃x`.
pub fn first(ev: &mut Ev, x: &Arr) -> Res<Arr> {
    if x.shape.iter().any(Size::is_zero) {
        let zero = ev.known(x.kind, x.kind.fill());
        return Ok(ev.of_scalar(zero));
    }
    if let Some(item) = x.items().and_then(|items| items.first()) {
        return Ok(ev.of_scalar(item.clone()));
    }
    let zeros = vec![ev.int(0); x.rank()];
    let element = ev.element(x, &zeros)?;
    ev.of_term(x.kind, element)
}
