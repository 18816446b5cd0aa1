//! Selection of elements: compress and replicate, indexing, grades.

use super::chosen::{chosen, existing};
use super::context::{FEW, MANY};
use super::structure::moved;
use super::value::{Arr, Ev, Kind, Repr, Res, Scalar, fail, not_supported};
use super::{constant, expand, nested};
use crate::front::term::{Kind as TermKind, Term};
use crate::size::Size;
use lift_syntax::SyntaxErrorCode::{AplIndex, AplLength, AplRank};
use lift_syntax::TextRange;
use std::rc::Rc;

/// Compress or replicate, `a/x` and `a⌿x`.
pub fn replicate(ev: &mut Ev, glyph: char, a: &Arr, x: &Arr) -> Res<Arr> {
    replicate_along(ev, glyph, if glyph == '⌿' { 0 } else { x.rank().saturating_sub(1) }, a, x)
}

/// Compress or replicate along an axis.
pub fn replicate_along(ev: &mut Ev, glyph: char, axis: usize, a: &Arr, x: &Arr) -> Res<Arr> {
    if a.rank() > 1 {
        return fail(AplRank, a.range, format!("the left of `{glyph}` is a number or a vector of numbers"));
    }
    let a = &if a.kind == Kind::Bool { a.clone() } else { ev.whole(a, &format!("the left of `{glyph}`"))? };
    let x = if x.rank() == 0 { super::structure::ravel(ev, x)? } else { x.clone() };
    let n = x.shape[axis].clone();
    if let Some(counts) = a.known() {
        return replicate_known(ev, glyph, a, &counts, axis, &x);
    }
    if let Some(count) = a.scalar() {
        let count = ev.reify_scalar(&count.clone(), a.range, &format!("the left of `{glyph}`"))?;
        return repeated(ev, &count, axis, &x);
    }
    if a.kind != Kind::Bool {
        return counted(ev, glyph, a, axis, &x);
    }
    let x = if x.items().is_some_and(|items| items.len() == 1) && x.rank() == 1 {
        let one = x.clone();
        ev.of_pull(x.kind, a.shape.clone(), move |ev, _| {
            let zero = ev.int(0);
            ev.element(&one, &[zero])
        })
    } else {
        x
    };
    let n = if x.rank() == 1 { x.shape[0].clone() } else { n };
    let a = {
        // Check the length of the mask against the axis.
        let frame = Arr { shape: vec![n.clone()], ..x.clone() };
        ev.conform_left(&frame, a, &[(0, 0)], &format!("`{glyph}`"))?
    };
    compress(ev, &a, axis, &n, &x)
}

/// Compresses by a mask computed at run time. The length of the result is hidden.
fn compress(ev: &mut Ev, mask: &Arr, axis: usize, n: &Size, x: &Arr) -> Res<Arr> {
    let mask = ev.ready(mask)?;
    let nested = x.kind == Kind::Nested;
    let x = if x.rows().is_some() { ev.stored(x)? } else { ev.ready(x)? };
    let all = ev.size_argument(n);
    let all = ev.app("iota", [all]);
    let vector = x.rank() == 1 && !nested;
    // Pair each element with its mask bit; with several axes or for arrays, the index instead of the element.
    let pairs = ev.lambda(&["i"], |ev, args| {
        let keep = ev.element(&mask, args)?;
        let value = if vector { ev.element(&x, args)? } else { args[0].clone() };
        Ok(ev.term(crate::front::term::Kind::Tuple(vec![value, keep])))
    })?;
    let pairs = ev.app("map", [pairs, all]);
    let test = ev.lambda(&["p"], |ev, args| Ok(ev.app("get2", [args[0].clone()])))?;
    let kept = ev.app("filter", [test, pairs]);
    let what = "the number of elements that `/` keeps";
    let (length, bound) = ev.unpack(kept, "kept", what)?;
    let mut shape = x.shape.clone();
    shape[axis] = length;
    let read = move |ev: &mut Ev, i: crate::front::term::Term| {
        let kept = ev.local(&bound);
        let pair = ev.app("aref", [kept, i]).worded(ev.outside());
        ev.app("get1", [pair])
    };
    if vector {
        let kind = x.kind;
        return Ok(ev.of_pull(kind, shape, move |ev, index| Ok(read(ev, index[0].clone()))));
    }
    moved(ev, &x, shape, move |ev, index| {
        let mut index = index.to_vec();
        index[axis] = read(ev, index[axis].clone());
        Ok(index)
    })
}

/// Repeats each element `count` times.
fn repeated(ev: &mut Ev, count: &Size, axis: usize, x: &Arr) -> Res<Arr> {
    let mut shape = x.shape.clone();
    shape[axis] = shape[axis].mul(count);
    let count = count.clone();
    moved(ev, x, shape, move |ev, index| {
        let mut index = index.to_vec();
        let by = ev.size_term(&count);
        index[axis] = ev.divide(index[axis].clone(), by).0;
        Ok(index)
    })
}

/// Repeats each element by its count; the counts are known only at run time.
fn counted(ev: &mut Ev, glyph: char, counts: &Arr, axis: usize, x: &Arr) -> Res<Arr> {
    let frame = Arr { shape: vec![x.shape[axis].clone()], ..x.clone() };
    let counts = ev.conform_left(&frame, counts, &[(0, 0)], &format!("`{glyph}`"))?;
    let plus = super::scalar::between('+');
    let ends = super::reduce::scan(ev, &plus, false, &counts)?;
    let ends = ev.stored(&ends)?;
    let total = super::reduce::reduce(ev, &plus, false, &counts)?;
    let length = ev.reify(&total, "the number of elements that `/` gives")?;
    let mut shape = x.shape.clone();
    shape[axis] = length;
    moved(ev, x, shape, move |ev, index| {
        let Repr::Stored(bound) = &ends.repr else { return not_supported(ev.at, "these counts") };
        let mut index = index.to_vec();
        let next = ev.plus(index[axis].clone(), ev.int(1));
        // The element whose count includes this place.
        index[axis] = ev.app("searchSorted", [ev.local(bound), next]);
        Ok(index)
    })
}

/// `b\x` along an axis; also `n\x` with counts that are known before the run.
pub fn expand_along(ev: &mut Ev, glyph: char, axis: usize, a: &Arr, x: &Arr) -> Res<Arr> {
    match a.known().filter(|_| a.kind == Kind::Int && a.rank() <= 1) {
        Some(counts) => filled(ev, glyph, axis, &counts, x),
        None => expand::expand(ev, glyph, axis, a, x),
    }
}

/// `n\x` and `n/x` with counts that are known before the run: copies of each element, and fills for a negative count.
/// For `\`, a zero is one fill without an element.
fn filled(ev: &mut Ev, glyph: char, axis: usize, counts: &[f64], x: &Arr) -> Res<Arr> {
    let expands = matches!(glyph, '\\' | '⍀');
    if counts.iter().map(|count| count.abs()).sum::<f64>() > MANY as f64 {
        return not_supported(ev.at, format!("`{glyph}` with counts that come to more than {MANY} elements"));
    }
    let (mut each, mut mask) = (Vec::new(), Vec::new());
    for &count in counts {
        let is_element = count > 0.0 || count == 0.0 && !expands;
        each.extend(is_element.then(|| ev.known(Kind::Int, count)));
        let places = if is_element { count } else { count.abs().max(1.0) };
        mask.extend((0..places as usize).map(|_| ev.known(Kind::Bool, f64::from(is_element))));
    }
    let (each, mask) = (ev.vector(Kind::Int, each), ev.vector(Kind::Bool, mask));
    let elements = replicate_along(ev, glyph, axis, &each, x)?;
    expand::expand(ev, glyph, axis, &mask, &elements)
}

fn replicate_known(ev: &mut Ev, glyph: char, a: &Arr, counts: &[f64], axis: usize, x: &Arr) -> Res<Arr> {
    if counts.iter().any(|count| *count < 0.0) {
        return filled(ev, glyph, axis, counts, x);
    }
    let n = x.shape[axis].clone();
    let mut shape = x.shape.clone();
    if let [count] = *counts {
        return repeated(ev, &Size::int(count as i64), axis, x);
    }
    let one = x.rank() == 1 && n.is_one();
    match n.as_const() {
        Some(n) if n as usize == counts.len() || one => {}
        Some(n) => {
            let message = format!("`{glyph}` has {} counts in its left argument for {n} elements", counts.len());
            return fail(AplLength, a.range, message);
        }
        None => return not_supported(a.range, format!("`{glyph}` of counts for an axis of unknown length")),
    }
    if counts.iter().sum::<f64>() > MANY as f64 {
        return not_supported(a.range, format!("`{glyph}` with counts that come to more than {MANY} elements"));
    }
    let places = counts.iter().enumerate().flat_map(|(place, count)| {
        let place = if one { 0 } else { place };
        std::iter::repeat_n(place as f64, *count as usize)
    });
    let places: Vec<Scalar> = places.map(|place| ev.known(Kind::Int, place)).collect();
    let places = ev.vector(Kind::Int, places);
    shape[axis] = places.shape[0].clone();
    let places = ev.ready(&places)?;
    moved(ev, x, shape, move |ev, index| {
        let mut index = index.to_vec();
        index[axis] = ev.element(&places, &[index[axis].clone()])?;
        Ok(index)
    })
}

/// Indexing, `x[i;j]`; `None` selects a whole axis.
pub fn index(ev: &mut Ev, x: &Arr, indices: &[Option<Arr>], range: TextRange) -> Res<Arr> {
    if let Some((all, numbers)) = chosen(ev, x, indices)? {
        return index(ev, &all, &[Some(numbers)], range);
    }
    if indices.len() != x.rank() {
        let message = format!("{} indices for an array of rank {}", indices.len(), x.rank());
        return fail(AplRank, range, message);
    }
    if x.kind == Kind::Nested
        && let [Some(i)] = indices
        && i.rank() == 0
    {
        return nested::picked(ev, x, i);
    }
    let mut shape = Vec::new();
    let mut ready = Vec::with_capacity(indices.len());
    for (axis, index) in indices.iter().enumerate() {
        let Some(index) = index else {
            shape.push(x.shape[axis].clone());
            ready.push(None);
            continue;
        };
        let index = ev.whole(index, "an index")?;
        within(ev, &x.shape[axis], &index)?;
        shape.extend(index.shape.iter().cloned());
        ready.push(Some(ev.ready(&index)?));
    }
    let origin = ev.origin;
    moved(ev, x, shape, move |ev, at| {
        let mut rest = at;
        let mut found = Vec::with_capacity(ready.len());
        for index in &ready {
            match index {
                None => {
                    found.push(rest[0].clone());
                    rest = &rest[1..];
                }
                Some(index) => {
                    let (own, after) = rest.split_at(index.rank());
                    let place = ev.element(index, own)?;
                    let from = ev.int(origin);
                    found.push(ev.minus(place, from));
                    rest = after;
                }
            }
        }
        Ok(found)
    })
}

/// `i⊃x`: the array at an index, or at a path of indices into nested arrays.
pub fn pick(ev: &mut Ev, i: &Arr, x: &Arr) -> Res<Arr> {
    if i.rank() > 1 {
        return fail(AplRank, i.range, "the left of `⊃` is a number or a vector of numbers");
    }
    let Some(path) = nested::separate(ev, i, FEW)? else {
        return not_supported(i.range, "`⊃` with that many indices");
    };
    let mut found = x.clone();
    for step in path {
        let at = step.at(i.range);
        found = match found.kind {
            Kind::Nested => nested::picked(ev, &found, &at)?,
            _ => index(ev, &found, &[Some(at)], i.range)?,
        };
    }
    Ok(found)
}

/// `i⌷x`, with a number or an enclosed array of numbers for each of the leading axes.
pub fn squad(ev: &mut Ev, i: &Arr, x: &Arr) -> Res<Arr> {
    if i.rank() > 1 {
        return fail(AplRank, i.range, "the left of `⌷` is a number, or a vector with an index for each axis");
    }
    let Some(items) = nested::separate(ev, i, FEW)? else {
        return fail(
            AplRank,
            i.range,
            format!("too many indices for an array of rank {}; `(⊂i)⌷x` selects by `i`", x.rank()),
        );
    };
    if items.len() > x.rank() {
        return fail(AplRank, i.range, format!("{} indices for an array of rank {}", items.len(), x.rank()));
    }
    let mut indices: Vec<Option<Arr>> = items.into_iter().map(|item| Some(item.at(i.range))).collect();
    indices.resize(x.rank(), None);
    index(ev, x, &indices, i.range)
}

/// The grades `⍋x` and `⍒x`.
pub fn grade(ev: &mut Ev, glyph: char, x: &Arr) -> Res<Arr> {
    if x.rank() == 2 {
        return grade_rows(ev, glyph, x);
    }
    if x.rank() != 1 || x.kind == Kind::Nested {
        return not_supported(
            x.range,
            format!("`{glyph}` of an array that is not a vector or matrix of numbers or characters"),
        );
    }
    if let Some(order) = x.known().and_then(|known| known_order(glyph, &known)) {
        let order = order.into_iter().map(|place| ev.known(Kind::Int, place as f64 + f64::from(ev.origin))).collect();
        return Ok(ev.vector(Kind::Int, order));
    }
    let kind = x.kind.max(Kind::Int);
    let x = ev.as_kind(x, kind)?;
    let x = ev.stored(&x)?;
    let Repr::Stored(bound) = &x.repr else { return Ok(x) };
    let order = ev.lambda(&["a", "b"], |ev, args| {
        let before = if glyph == '⍋' { "<" } else { ">" };
        Ok(ev.app(before, [args[0].clone(), args[1].clone()]))
    })?;
    let array = ev.local(bound);
    let order = ev.app("argsort", [order, array]);
    let order = ev.bind(order, "order")?;
    let order = Arr { kind: Kind::Int, repr: Repr::Stored(order), ..x };
    let origin = ev.origin;
    Ok(ev.of_pull(Kind::Int, order.shape.clone(), move |ev, index| {
        let place = ev.element(&order, index)?;
        let origin = ev.int(origin);
        Ok(ev.plus(place, origin))
    }))
}

/// The grade of numbers that are known before the run, from 0.
fn known_order(glyph: char, known: &[f64]) -> Option<Vec<usize>> {
    if known.len() > MANY || known.iter().any(|x| x.is_nan()) {
        return None;
    }
    let mut order: Vec<usize> = (0..known.len()).collect();
    let compared = |a: &usize, b: &usize| known[*a].partial_cmp(&known[*b]).unwrap_or(std::cmp::Ordering::Equal);
    order.sort_by(|a, b| if glyph == '⍋' { compared(a, b) } else { compared(b, a) });
    Some(order)
}

/// Grades the rows of a matrix. With few columns, sorts stably by each column, from the last to the first.
fn grade_rows(ev: &mut Ev, glyph: char, x: &Arr) -> Res<Arr> {
    let columns = x.shape[1].as_const().filter(|n| (1..=FEW as i64).contains(n));
    let Some(columns) = columns else { return grade_long_rows(ev, glyph, x) };
    let x = ev.stored(x)?;
    let mut order: Option<Arr> = None;
    for column in (0..columns).rev() {
        let number = ev.known(Kind::Int, column as f64 + f64::from(ev.origin));
        let number = ev.of_scalar(number);
        let own = index(ev, &x, &[order.clone(), Some(number)], x.range)?;
        let within = grade(ev, glyph, &own)?;
        order = Some(match order {
            None => ev.stored(&within)?,
            Some(before) => {
                let moved = index(ev, &before, &[Some(within)], x.range)?;
                ev.stored(&moved)?
            }
        });
    }
    order.map_or_else(|| not_supported(x.range, "an order of no columns"), Ok)
}

/// Grades the rows of a matrix with many columns by comparing two rows where they first differ.
fn grade_long_rows(ev: &mut Ev, glyph: char, x: &Arr) -> Res<Arr> {
    if x.kind > Kind::Double && x.kind != Kind::Char {
        return not_supported(x.range, format!("`{glyph}` of a matrix of anything but numbers and characters"));
    }
    let x = ev.as_kind(x, x.kind.max(Kind::Int))?;
    let x = ev.stored(&x)?;
    let columns = ev.size_term(&x.shape[1]);
    let both = |ev: &mut Ev, name: &'static str, rows: &[Term], column: &Term| {
        let inside = ev.less(column.clone(), columns.clone());
        let a = ev.element(&x, &[rows[0].clone(), column.clone()])?;
        let b = ev.element(&x, &[rows[1].clone(), column.clone()])?;
        let holds = ev.app(name, [a, b]);
        Ok(ev.app("and", [inside, holds]))
    };
    let before = ev.inside(|ev| {
        ev.lambda(&["a", "b"], |ev, rows| {
            let same = ev.lambda(&["j"], |ev, column| both(ev, "=", rows, &column[0]))?;
            let next = ev.lambda(&["j"], |ev, column| Ok(ev.plus(column[0].clone(), ev.int(1))))?;
            let first = ev.app("iterateWhile", [same, next, ev.int(0)]);
            let first = ev.share(first, "j")?;
            both(ev, if glyph == '⍋' { "<" } else { ">" }, rows, &first)
        })
    });
    let rows = ev.size_argument(&x.shape[0]);
    let rows = ev.app("iota", [rows]);
    let order = ev.app("argsort", [before?, rows]);
    let order = ev.bind(order, "order")?;
    let order = Arr { kind: Kind::Int, shape: x.shape[..1].to_vec(), repr: Repr::Stored(order), range: x.range };
    let origin = ev.origin;
    Ok(ev.of_pull(Kind::Int, order.shape.clone(), move |ev, index| {
        let place = ev.element(&order, index)?;
        let origin = ev.int(origin);
        Ok(ev.plus(place, origin))
    }))
}

/// Indexed assignment, `x[i;j]←v`: the changed array.
pub fn assigned(ev: &mut Ev, x: &Arr, indices: &[Option<Arr>], value: &Arr, range: TextRange) -> Res<Arr> {
    if let Some((all, numbers)) = chosen(ev, x, indices)? {
        let changed = assigned(ev, &all, &[Some(numbers)], value, range)?;
        let shape = super::structure::shape(ev, x);
        let changed = super::structure::reshape(ev, &shape, &changed)?;
        return ev.stored(&changed);
    }
    if indices.len() != x.rank() {
        return fail(AplRank, range, format!("{} indices for an array of rank {}", indices.len(), x.rank()));
    }
    if x.kind == Kind::Nested || value.kind == Kind::Nested {
        return assigned_arrays(ev, x, indices, value, range);
    }
    let kind = super::structure::join_kinds(ev, x, value)?;
    let (x, value) = (ev.as_kind(x, kind)?, ev.as_kind(value, kind)?);
    let mut shape = Vec::new();
    let mut places = Vec::with_capacity(indices.len());
    for (axis, index) in indices.iter().enumerate() {
        let place = inverse(ev, &x.shape[axis], index.as_ref())?;
        match (&place, index) {
            (Place::Whole, _) => shape.push(x.shape[axis].clone()),
            (Place::One(_), _) => {}
            (_, Some(index)) => shape.extend(index.shape.iter().cloned()),
            (_, None) => {}
        }
        places.push(place);
    }
    let value = if value.rank() == 0 {
        value
    } else {
        let frame = Arr { shape: shape.clone(), ..x.clone() }.at(range);
        if value.rank() != shape.len() {
            let message = format!("an array of rank {} is assigned to elements of rank {}", value.rank(), shape.len());
            return fail(AplRank, range, message);
        }
        let axes: Vec<(usize, usize)> = (0..shape.len()).map(|axis| (axis, axis)).collect();
        ev.conform(&frame, &value, &axes, "an assignment to elements")?
    };
    let value = ev.ready(&value)?;
    let old = ev.ready(&x)?;
    let changed = ev.of_pull(kind, x.shape.clone(), move |ev, at| {
        let mut here = ev.boolean(true);
        let mut from = Vec::new();
        for (place, i) in places.iter().zip(at) {
            let inside = match place {
                Place::Whole => {
                    from.push(i.clone());
                    continue;
                }
                Place::One(one) => match (one.kind(), i.kind()) {
                    (TermKind::Int(a), TermKind::Int(b)) => ev.boolean(a == b),
                    _ => ev.app("=", [i.clone(), one.clone()]),
                },
                Place::Several(of) => {
                    let found = of(ev, i)?;
                    let found = ev.share(found, "k")?;
                    from.push(found.clone());
                    match found.kind() {
                        TermKind::Int(n) => ev.boolean(*n >= 0),
                        _ => ev.app(">=", [found, ev.int(0)]),
                    }
                }
            };
            here = match (here.kind(), inside.kind()) {
                (TermKind::Bool(true), _) => inside,
                (TermKind::Bool(false), _) | (_, TermKind::Bool(true)) => here,
                _ => ev.app("and", [here, inside]),
            };
        }
        let from = if value.rank() == 0 { Vec::new() } else { from };
        ev.branches(here, |ev| ev.element(&value, &from), |ev| ev.element(&old, at))
    });
    let known = x.known().is_some() && indices.iter().flatten().all(|index| index.known().is_some());
    let changed = if known { constant::settled(ev, changed)? } else { changed };
    ev.stored(&changed)
}

/// Indexed assignment where elements are arrays: of an array with few elements, at indices that are known before the run.
fn assigned_arrays(ev: &mut Ev, x: &Arr, indices: &[Option<Arr>], value: &Arr, range: TextRange) -> Res<Arr> {
    let Some(mut parts) = nested::separate(ev, x, FEW)? else {
        return not_supported(range, "an assignment to elements of an array of arrays whose number only the run knows");
    };
    let places = (0..parts.len()).map(|place| ev.known(Kind::Int, place as f64)).collect();
    let places = ev.of_items(Kind::Int, x.shape.clone(), places);
    let places = index(ev, &places, indices, range)?;
    let Some(known) = places.known() else {
        return not_supported(
            range,
            "an assignment to elements of an array of arrays, at indices that the run computes,",
        );
    };
    let news = if value.rank() == 0 {
        vec![nested::opened(value); known.len()]
    } else {
        if value.shape != places.shape {
            let message = "an assignment to elements needs as many values as indices, in one shape";
            return fail(AplLength, value.range, message);
        }
        match nested::separate(ev, value, MANY)? {
            Some(news) => news,
            None => return not_supported(value.range, "an assignment of arrays whose number only the run knows"),
        }
    };
    for (place, new) in known.iter().zip(news) {
        if let Some(part) = parts.get_mut(*place as usize) {
            *part = new;
        }
    }
    nested::collect(ev, x.shape.clone(), &parts)
}

/// A function from a term to a term.
type OfTerm = Rc<dyn Fn(&mut Ev, &Term) -> Res<Term>>;

/// The elements along an axis that an assignment changes.
enum Place {
    Whole,
    One(Term),
    /// For an element, the last position in the index vector that selects it; -1 if there is none.
    Several(OfTerm),
}

fn inverse(ev: &mut Ev, extent: &Size, index: Option<&Arr>) -> Res<Place> {
    let Some(index) = index else { return Ok(Place::Whole) };
    let origin = ev.origin;
    let index = ev.whole(index, "an index")?;
    within(ev, extent, &index)?;
    match index.rank() {
        0 => {
            let place = ev.element(&index, &[])?;
            let place = ev.minus(place, ev.int(origin));
            let place = existing(ev, extent, place);
            Ok(Place::One(ev.share(place, "i")?))
        }
        1 => {
            if let (Some(known), Some(n)) = (index.known(), extent.as_const().filter(|n| *n <= MANY as i64)) {
                let mut table = vec![-1.0; n as usize];
                for (k, place) in known.iter().enumerate() {
                    if let Some(slot) = table.get_mut((*place as i64 - i64::from(origin)) as usize) {
                        *slot = k as f64;
                    }
                }
                let table = table.into_iter().map(|k| ev.known(Kind::Int, k)).collect();
                let table = ev.vector(Kind::Int, table);
                let table = ev.ready(&table)?;
                return Ok(Place::Several(Rc::new(move |ev, i| ev.element(&table, std::slice::from_ref(i)))));
            }
            let (of, axis) = (ev.ready(&index)?, extent.clone());
            let places = ev.of_pull(Kind::Int, index.shape.clone(), move |ev, at| {
                let place = ev.element(&of, at)?;
                let place = ev.minus(place, ev.int(origin));
                Ok(existing(ev, &axis, place))
            });
            let index = ev.stored(&places.at(index.range))?;
            Ok(Place::Several(Rc::new(move |ev, i| {
                let all = ev.size_argument(&index.shape[0]);
                let all = ev.app("iota", [all]);
                let step = ev.lambda(&["found", "k"], |ev, args| {
                    let place = ev.element(&index, &args[1..])?;
                    let here = ev.app("=", [place, i.clone()]);
                    Ok(ev.choose(here, args[1].clone(), args[0].clone()))
                })?;
                Ok(ev.app("head", [ev.app("reduceSeq", [ev.int(-1), step, all])]))
            })))
        }
        _ => not_supported(index.range, "an assignment with a matrix of indices"),
    }
}

/// Reports an index, known before the run, that is out of range.
fn within(ev: &Ev, extent: &Size, index: &Arr) -> Res<()> {
    let (Some(values), Some(n)) = (index.known(), extent.as_const()) else { return Ok(()) };
    let origin = i64::from(ev.origin);
    match values.iter().find(|i| !(origin..n + origin).contains(&(**i as i64))) {
        Some(wrong) => {
            let wrong = super::format::number(*wrong);
            fail(AplIndex, index.range, format!("the index {wrong} is outside of an axis of length {n}"))
        }
        None => Ok(()),
    }
}
