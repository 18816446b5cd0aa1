//! Search in vectors, sets, and comparison of whole arrays: `⍳ ∊ ∪ ∩ ~ ⍸ ≡`.

use super::context::{FEW, MANY};
use super::nested::{join, separate};
use super::select::replicate;
use super::split::split;
use super::structure::iota;
use super::value::{Arr, Ev, Kind, Repr, Res, Rows, Scalar, fail, not_supported, write_instead};
use super::{reduce, scalar};
use crate::front::term::Term;
use crate::size::Size;
use lift_syntax::SyntaxErrorCode::{AplDomain, AplRank};
use std::rc::Rc;

/// The vector to search for numbers or characters; a scalar becomes a vector of one element.
fn list(ev: &mut Ev, glyph: char, x: &Arr) -> Res<Arr> {
    match x.kind {
        Kind::Nested => not_supported(x.range, format!("`{glyph}` of arrays of arrays")),
        _ => vector(ev, glyph, x),
    }
}

/// The argument of a set function as a vector; its elements may be arrays.
fn vector(ev: &mut Ev, glyph: char, x: &Arr) -> Res<Arr> {
    match (x.kind, x.rank()) {
        (_, 0) => super::structure::ravel(ev, x),
        (_, 1) => Ok(x.clone()),
        _ => fail(AplRank, x.range, format!("`{glyph}` needs a vector here")),
    }
}

/// Both arrays in one kind; `None` if one has characters and the other numbers.
fn comparable(ev: &mut Ev, a: &Arr, b: &Arr) -> Res<Option<(Arr, Arr)>> {
    if (a.kind == Kind::Char) != (b.kind == Kind::Char) {
        return Ok(None);
    }
    let kind = a.kind.max(b.kind).max(Kind::Int);
    if kind == Kind::Complex {
        return not_supported(ev.at, "a search for complex numbers");
    }
    Ok(Some((ev.as_kind(a, kind)?, ev.as_kind(b, kind)?)))
}

/// For each element of `of`, the index, from 0, of the first equal element of `within`, or the length of `within`.
pub fn places(ev: &mut Ev, within: &Arr, of: &Arr) -> Res<Arr> {
    if within.kind == Kind::Nested || of.kind == Kind::Nested {
        return places_of_arrays(ev, within, of);
    }
    let n = within.shape[0].clone();
    let Some((within, of)) = comparable(ev, within, of)? else {
        let missing = ev.length(&n);
        return Ok(ev.of_pull(Kind::Int, of.shape.clone(), move |_, _| Ok(missing.term.clone())));
    };
    if let (Some(all), Some(sought)) = (within.known(), of.known())
        && all.len().saturating_mul(sought.len()) <= MANY * FEW
    {
        let place = |x: &f64| all.iter().position(|y| x == y).unwrap_or(all.len());
        let items = sought.iter().map(|x| ev.known(Kind::Int, place(x) as f64)).collect();
        return Ok(ev.of_items(Kind::Int, of.shape.clone(), items));
    }
    if n.as_const().is_some_and(|n| n <= FEW as i64) {
        return few_places(ev, within, of);
    }
    // Equal elements keep their order, so the first of them in the sorted array is the first in the vector.
    let all = ev.stored(&within)?;
    let Repr::Stored(bound) = &all.repr else { return Ok(of) };
    let order = ev.lambda(&["a", "b"], |ev, args| Ok(ev.app("<", [args[0].clone(), args[1].clone()])))?;
    let order = ev.app("argsort", [order, ev.local(bound)]);
    let order = Arr { kind: Kind::Int, repr: Repr::Stored(ev.bind(order, "order")?), ..all.clone() };
    let sorted = {
        let (order, all) = (order.clone(), all.clone());
        ev.of_pull(all.kind, all.shape.clone(), move |ev, index| {
            let place = ev.element(&order, index)?;
            ev.element(&all, &[place])
        })
    };
    let sorted = ev.stored(&sorted)?;
    let of = ev.ready(&of)?;
    Ok(ev.of_pull(Kind::Int, of.shape.clone(), move |ev, index| {
        let x = ev.element(&of, index)?;
        let x = ev.share(x, "x")?;
        let Repr::Stored(bound) = &sorted.repr else { return Ok(x) };
        let n = ev.size_term(&n);
        let last = ev.minus(n.clone(), ev.int(1));
        let found = |ev: &mut Ev| {
            let place = ev.app("searchSorted", [ev.local(bound), x.clone()]);
            let near = ev.app("min", [place, last]);
            let near = ev.share(near, "near")?;
            let there = ev.element(&sorted, std::slice::from_ref(&near))?;
            let equal = ev.app("=", [there, x]);
            let found = ev.element(&order, &[near])?;
            Ok(ev.choose(equal, found, n.clone()))
        };
        let some = ev.less(ev.int(0), n.clone());
        ev.branches(some, found, |_| Ok(n.clone()))
    }))
}

/// [`places`] of whole arrays.
fn places_of_arrays(ev: &mut Ev, within: &Arr, of: &Arr) -> Res<Arr> {
    let within = if within.rows().is_some() { ev.stored(within)? } else { within.clone() };
    let all = if within.rows().is_some() { Vec::new() } else { separate(ev, &within, MANY)?.unwrap_or_default() };
    let place = move |ev: &mut Ev, x: &Arr| -> Res<Scalar> {
        if let Some(rows) = within.rows() {
            return place_in_rows(ev, &within.shape[0], rows, x);
        }
        let missing = ev.known(Kind::Int, all.len() as f64);
        let mut found = missing;
        for (number, candidate) in all.iter().enumerate().rev() {
            let number = ev.known(Kind::Int, number as f64);
            let same = matches(ev, candidate, x)?;
            let same_at = same.known().and_then(|known| known.first().copied());
            found = match same_at {
                Some(0.0) => found,
                Some(_) => number,
                None => {
                    let same = ev.element(&same, &[])?;
                    let term = ev.choose(same, number.term, found.term);
                    Scalar { kind: Kind::Int, term, known: None, size: None }
                }
            };
        }
        Ok(found)
    };
    if let Some(rows) = of.rows().cloned() {
        return Ok(ev.of_pull(Kind::Int, of.shape.clone(), move |ev, index| {
            let row = (rows.row)(ev, &index[0])?;
            Ok(place(ev, &row)?.term)
        }));
    }
    let Some(sought) = separate(ev, of, MANY)? else {
        return not_supported(of.range, "a search for that many elements in an array of arrays");
    };
    let mut found = Vec::with_capacity(sought.len());
    for x in &sought {
        found.push(place(ev, x)?);
    }
    Ok(ev.of_items(Kind::Int, of.shape.clone(), found))
}

/// The index of the first row that equals an array, or the number of rows.
fn place_in_rows(ev: &mut Ev, count: &Size, rows: &Rows, x: &Arr) -> Res<Scalar> {
    let differs = ev.lambda(&["i"], |ev, args| {
        let end = ev.size_term(count);
        let inside = ev.less(args[0].clone(), end);
        let compared = |ev: &mut Ev| {
            let row = (rows.row)(ev, &args[0])?;
            let same = matches(ev, &row, x)?;
            let same = ev.element(&same, &[])?;
            Ok(ev.app("not", [same]))
        };
        ev.branches(inside, compared, |ev| Ok(ev.boolean(false)))
    })?;
    let next = ev.lambda(&["i"], |ev, args| Ok(ev.plus(args[0].clone(), ev.int(1))))?;
    let term = ev.app("iterateWhile", [differs, next, ev.int(0)]);
    Ok(Scalar { kind: Kind::Int, term, known: None, size: None })
}

/// [`places`] by comparison with each of a few elements.
fn few_places(ev: &mut Ev, within: Arr, of: Arr) -> Res<Arr> {
    let all = separate(ev, &within, FEW)?.unwrap_or_default();
    let of = ev.ready(&of)?;
    Ok(ev.of_pull(Kind::Int, of.shape.clone(), move |ev, index| {
        let x = ev.element(&of, index)?;
        let x = ev.share(x, "x")?;
        let mut place: Term = ev.int(all.len() as i32);
        for (number, candidate) in all.iter().enumerate().rev() {
            let candidate = ev.element(candidate, &[])?;
            let equal = ev.app("=", [x.clone(), candidate]);
            place = ev.choose(equal, ev.int(number as i32), place);
        }
        Ok(place)
    }))
}

/// Index of, `a⍳x`.
pub fn index_of(ev: &mut Ev, a: &Arr, x: &Arr) -> Res<Arr> {
    if has_rows(a) && matches!(x.rank(), 1 | 2) {
        let (rows, sought) = (split(ev, a)?, split(ev, x)?);
        return index_of(ev, &rows, &sought);
    }
    let a = vector(ev, '⍳', a)?;
    let places = places(ev, &a, x)?;
    let origin = ev.known(Kind::Int, f64::from(ev.origin));
    let origin = ev.of_scalar(origin);
    scalar::dyadic(ev, '+', &places, &origin)
}

/// The grades `a⍋x` and `a⍒x` by the indices of characters in `a`; characters that are not in `a` come last.
pub fn grade_by(ev: &mut Ev, glyph: char, a: &Arr, x: &Arr) -> Res<Arr> {
    if a.rank() != 1 || a.kind != Kind::Char || x.kind != Kind::Char && !super::nested::is_texts(x) {
        let what = format!("`{glyph}` with two arguments that are not a vector of characters and characters or texts");
        return not_supported(ev.at, what);
    }
    let x = if x.kind == Kind::Char { x.clone() } else { super::nested::mix(ev, x)? };
    let places = index_of(ev, a, &x)?;
    super::select::grade(ev, glyph, &places)
}

/// Membership, `x∊a`.
pub fn member(ev: &mut Ev, x: &Arr, a: &Arr) -> Res<Arr> {
    let a = super::structure::ravel(ev, a)?;
    let places = places(ev, &a, x)?;
    let n = ev.length(&a.shape[0]);
    let n = ev.of_scalar(n);
    scalar::dyadic(ev, '<', &places, &n)
}

fn negated(ev: &mut Ev, x: &Arr) -> Res<Arr> {
    scalar::monadic(ev, '~', x)
}

/// Whether the elements of a set are the rows of a matrix.
fn has_rows(x: &Arr) -> bool {
    x.rank() == 2 && x.kind != Kind::Nested
}

/// Unique, `∪x`; of a matrix, its rows.
pub fn unique(ev: &mut Ev, x: &Arr) -> Res<Arr> {
    if has_rows(x) {
        let rows = split(ev, x)?;
        let keep = unique_mask(ev, &rows)?;
        return replicate(ev, '⌿', &keep, x);
    }
    let x = searched(ev, '∪', x)?;
    let keep = first_ones(ev, &x)?;
    replicate(ev, '/', &keep, &x)
}

/// Unique mask, `≠x`: the elements, or rows of a matrix, that are not equal to one before them.
pub fn unique_mask(ev: &mut Ev, x: &Arr) -> Res<Arr> {
    if has_rows(x) {
        let rows = split(ev, x)?;
        return unique_mask(ev, &rows);
    }
    let x = searched(ev, '≠', x)?;
    first_ones(ev, &x)
}

/// Converts an argument to a vector and stores its elements, which are read several times.
fn searched(ev: &mut Ev, glyph: char, x: &Arr) -> Res<Arr> {
    let x = vector(ev, glyph, x)?;
    if x.rows().is_some() { ev.stored(&x) } else { ev.ready(&x) }
}

/// The mask of elements that differ from all earlier ones.
pub fn first_ones(ev: &mut Ev, x: &Arr) -> Res<Arr> {
    let first = places(ev, x, x)?;
    let n = ev.length(&x.shape[0]);
    let n = ev.of_scalar(n);
    let all = iota(ev, &n)?;
    let origin = ev.known(Kind::Int, f64::from(ev.origin));
    let origin = ev.of_scalar(origin);
    let all = scalar::dyadic(ev, '-', &all, &origin)?;
    scalar::dyadic(ev, '=', &first, &all)
}

/// Find, `a⍷x`: the mask of positions in the rows of `x` at which the vector `a` begins.
pub fn find(ev: &mut Ev, a: &Arr, x: &Arr) -> Res<Arr> {
    if a.kind == Kind::Nested || x.kind == Kind::Nested {
        // Each array is represented by the place of the first equal one in `x`.
        let all = super::structure::ravel(ev, x)?;
        let all = if all.rows().is_some() { ev.stored(&all)? } else { all };
        let (a, x) = (places(ev, &all, a)?, places(ev, &all, x)?);
        return find(ev, &a, &x);
    }
    let a = list(ev, '⍷', a)?;
    let x = if x.rank() < 2 { list(ev, '⍷', x)? } else { x.clone() };
    let last = x.rank() - 1;
    let shape = x.shape.clone();
    let Some((a, x)) = comparable(ev, &a, &x)? else {
        return Ok(ev.of_pull(Kind::Bool, shape, |ev, _| Ok(ev.boolean(false))));
    };
    if let (Some(sought), Some(all), Some(columns)) = (a.known(), x.known(), shape[last].as_const()) {
        let rows = all.chunks(columns.max(1) as usize);
        let begins = rows.flat_map(|row| (0..row.len()).map(|at| row[at..].starts_with(&sought)));
        let found = begins.map(|begins| ev.known(Kind::Bool, f64::from(begins))).collect();
        return Ok(ev.of_items(Kind::Bool, shape, found));
    }
    let (a, x) = (ev.ready(&a)?, ev.ready(&x)?);
    let (sought, all) = (a.shape[0].clone(), x.shape[last].clone());
    Ok(ev.of_pull(Kind::Bool, shape, move |ev, index| {
        let (sought_term, all_term) = (ev.size_term(&sought), ev.size_term(&all));
        let end = ev.plus(index[last].clone(), sought_term);
        let outside = ev.less(all_term, end);
        let compared = |ev: &mut Ev| {
            let numbers = ev.size_argument(&sought);
            let numbers = ev.app("iota", [numbers]);
            let step = ev.lambda(&["same", "i"], |ev, args| {
                let mut place = index.to_vec();
                place[last] = ev.plus(index[last].clone(), args[1].clone());
                let (one, other) = (ev.element(&a, &args[1..])?, ev.element(&x, &place)?);
                Ok(ev.app("and", [args[0].clone(), ev.app("=", [one, other])]))
            })?;
            Ok(ev.app("head", [ev.app("reduceSeq", [ev.boolean(true), step, numbers])]))
        };
        ev.branches(outside, |ev| Ok(ev.boolean(false)), compared)
    }))
}

/// Union, `a∪b`.
pub fn union(ev: &mut Ev, a: &Arr, b: &Arr) -> Res<Arr> {
    let (a, b) = (searched(ev, '∪', a)?, searched(ev, '∪', b)?);
    let more = without(ev, &b, &a)?;
    join(ev, ',', &a, &more)
}

/// Without, `a~b`.
pub fn without(ev: &mut Ev, a: &Arr, b: &Arr) -> Res<Arr> {
    let a = searched(ev, '~', a)?;
    let inside = member(ev, &a, b)?;
    let keep = negated(ev, &inside)?;
    replicate(ev, '/', &keep, &a)
}

/// Intersection, `a∩b`.
pub fn intersection(ev: &mut Ev, a: &Arr, b: &Arr) -> Res<Arr> {
    let a = searched(ev, '∩', a)?;
    let keep = member(ev, &a, b)?;
    replicate(ev, '/', &keep, &a)
}

/// Where, `⍸b`: the indices of the ones.
pub fn indices(ev: &mut Ev, b: &Arr) -> Res<Arr> {
    if b.kind > Kind::Int {
        return fail(AplDomain, b.range, "`⍸` needs Booleans");
    }
    if b.rank() != 1 {
        return index_vectors(ev, b);
    }
    let n = ev.length(&b.shape[0]);
    let n = ev.of_scalar(n);
    let all = iota(ev, &n)?;
    replicate(ev, '/', b, &all)
}

/// The indices of the ones of a matrix, or of an array with more axes: a vector of indices for each.
fn index_vectors(ev: &mut Ev, b: &Arr) -> Res<Arr> {
    let flat = super::structure::ravel(ev, b)?;
    let origin = std::mem::replace(&mut ev.origin, 0);
    let places = indices(ev, &flat);
    ev.origin = origin;
    let places = ev.stored(&places?)?;
    let (extents, count) = (b.shape.clone(), places.shape.clone());
    let row = move |ev: &mut Ev, i: &Term| {
        let mut rest = ev.element(&places, std::slice::from_ref(i))?;
        let mut found = Vec::with_capacity(extents.len());
        for extent in extents.iter().rev() {
            rest = ev.share(rest, "place")?;
            let extent = ev.size_term(extent);
            let own = ev.app("mod", [rest.clone(), extent.clone()]);
            found.push(ev.plus(own, ev.int(ev.origin)));
            rest = ev.app("/", [rest, extent]);
        }
        found.reverse();
        let scalar = |term| Scalar { kind: Kind::Int, term, known: None, size: None };
        Ok(ev.vector(Kind::Int, found.into_iter().map(scalar).collect()))
    };
    let shape = Some(vec![Size::nat(b.rank() as u64)]);
    let rows = Rows { kind: Kind::Int, rank: 1, shape, stored: false, row: Rc::new(row) };
    Ok(Arr { kind: Kind::Nested, shape: count, repr: Repr::Rows(rows), range: ev.at })
}

/// Interval index, `a⍸x`: how many elements of an ascending vector are not above each element.
pub fn interval(ev: &mut Ev, a: &Arr, x: &Arr) -> Res<Arr> {
    let a = list(ev, '⍸', a)?;
    let Some((a, x)) = comparable(ev, &a, x)? else {
        return fail(AplDomain, ev.at, "`⍸` needs either numbers or characters on both sides");
    };
    let (a, x) = (ev.stored(&a)?, ev.ready(&x)?);
    let shift = ev.origin - 1;
    let n = a.shape[0].clone();
    Ok(ev.of_pull(Kind::Int, x.shape.clone(), move |ev, index| {
        let Repr::Stored(bound) = &a.repr else { return not_supported(ev.at, "this `⍸`") };
        let value = ev.element(&x, index)?;
        let value = ev.share(value, "x")?;
        // The elements that are less, and then the equal ones: of those, the last counts.
        let above = ev.lambda(&["count", "y"], |ev, args| {
            let below = ev.app("<=", [args[1].clone(), value.clone()]);
            let more = ev.app("+", [args[0].clone(), ev.int(1)]);
            Ok(ev.choose(below, more, args[0].clone()))
        })?;
        let few = n.as_const().is_some_and(|n| n <= FEW as i64);
        let count = if few {
            ev.app("head", [ev.app("reduceSeq", [ev.int(0), above, ev.local(bound)])])
        } else {
            upper_bound(ev, &a, &value)?
        };
        Ok(ev.plus(count, ev.int(shift)))
    }))
}

/// The number of elements of an ascending vector that are not above a value, by binary search.
fn upper_bound(ev: &mut Ev, a: &Arr, value: &Term) -> Res<Term> {
    use crate::front::term::Kind as TermKind;
    let part = |ev: &Ev, name, state: &Term| ev.app(name, [state.clone()]);
    let test =
        ev.lambda(&["s"], |ev, args| Ok(ev.app("<", [part(ev, "get1", &args[0]), part(ev, "get2", &args[0])])))?;
    let step = ev.lambda(&["s"], |ev, args| {
        let (low, high) = (part(ev, "get1", &args[0]), part(ev, "get2", &args[0]));
        let half = ev.app("/", [ev.app("-", [high.clone(), low.clone()]), ev.int(2)]);
        let middle = ev.app("+", [low.clone(), half]);
        let middle = ev.share(middle, "middle")?;
        let there = ev.element(a, std::slice::from_ref(&middle))?;
        let below = ev.app("<=", [there, value.clone()]);
        let next = ev.app("+", [middle.clone(), ev.int(1)]);
        let up = ev.term(TermKind::Tuple(vec![next, high]));
        let down = ev.term(TermKind::Tuple(vec![low, middle]));
        Ok(ev.choose(below, up, down))
    })?;
    let n = ev.size_term(&a.shape[0]);
    let start = ev.term(TermKind::Tuple(vec![ev.int(0), n]));
    Ok(ev.app("get1", [ev.app("iterateWhile", [test, step, start])]))
}

/// Depth, `≡x`: 0 for a scalar, 1 for an array of numbers or characters, one more around each array of arrays; negative
/// if elements differ in depth.
pub fn depth(ev: &mut Ev, x: &Arr) -> Arr {
    fn of(x: &Arr) -> i32 {
        match &x.repr {
            Repr::Boxes(boxes) => {
                let depths: Vec<i32> = boxes.iter().map(of).collect();
                let most = 1 + depths.iter().map(|depth| depth.abs()).max().unwrap_or(0);
                let one = depths.iter().all(|depth| *depth >= 0 && *depth == depths[0]);
                if one { most } else { -most }
            }
            Repr::Rows(_) => 2,
            _ => i32::from(x.rank() > 0),
        }
    }
    let depth = ev.known(Kind::Int, of(x).into());
    ev.of_scalar(depth)
}

/// Match, `a≡b`: 1 if shapes and elements are equal.
pub fn matches(ev: &mut Ev, a: &Arr, b: &Arr) -> Res<Arr> {
    let truth = |ev: &mut Ev, yes: bool| {
        let yes = ev.known(Kind::Bool, f64::from(u8::from(yes)));
        ev.of_scalar(yes)
    };
    if a.rank() != b.rank() || (a.kind == Kind::Nested) != (b.kind == Kind::Nested) {
        return Ok(truth(ev, false));
    }
    if let (Some(x), Some(y)) = (a.known(), b.known()) {
        let same = a.shape == b.shape && x == y && (a.kind == Kind::Char) == (b.kind == Kind::Char);
        return Ok(truth(ev, same));
    }
    if let (Some(x), Some(y)) = (a.boxes(), b.boxes()) {
        let (x, y) = (x.to_vec(), y.to_vec());
        if a.shape != b.shape {
            return Ok(truth(ev, false));
        }
        let mut all = truth(ev, true);
        for (x, y) in x.iter().zip(&y) {
            let same = matches(ev, x, y)?;
            all = scalar::dyadic(ev, '∧', &all, &same)?;
        }
        return Ok(all);
    }
    if a.kind == Kind::Nested {
        return write_instead(ev.at, "`≡` of arrays of arrays that the run makes", "`∧/a≡¨b` compares each of them");
    }
    let mut lengths = ev.boolean(true);
    for (m, n) in a.shape.iter().zip(&b.shape) {
        if m == n {
            continue;
        }
        if m.as_const().is_some() && n.as_const().is_some() {
            return Ok(truth(ev, false));
        }
        let (m, n) = (ev.size_term(m), ev.size_term(n));
        lengths = ev.app("and", [lengths, ev.app("=", [m, n])]);
    }
    let (x, y) = (super::structure::ravel(ev, a)?, super::structure::ravel(ev, b)?);
    let (x, y) = (ev.ready(&x)?, ev.ready(&y)?);
    let all = scalar::between('∧');
    if let crate::front::term::Kind::Bool(true) = lengths.kind() {
        let same = scalar::dyadic(ev, '=', &x, &y)?;
        return reduce::reduce(ev, &all, false, &same);
    }
    // Reads no element beyond the shorter one.
    let shorter = crate::size::Size::min(&x.shape[0], &y.shape[0]);
    let cut = |x: &Arr| Arr { shape: vec![shorter.clone()], ..x.clone() };
    let same = scalar::dyadic(ev, '=', &cut(&x), &cut(&y))?;
    let same = reduce::reduce(ev, &all, false, &same)?;
    let same = ev.element(&same, &[])?;
    let both = ev.app("and", [lengths, same]);
    ev.of_term(Kind::Bool, both)
}
